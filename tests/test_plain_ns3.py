"""The headers serve a plain C++ program of ns-3, without Python, by the adapter."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from longfat.cc import catalogue
from longfat.engines.ns3 import compiled
from longfat.paths import DATA

pytestmark = [pytest.mark.slow, pytest.mark.ns3]

if importlib.util.find_spec("ns3") is None:
    pytest.skip("this environment has no ns-3", allow_module_level=True)
NS3 = Path(next(iter(importlib.util.find_spec("ns3").submodule_search_locations)))
EXAMPLES = DATA.parent / "examples" / "ns3"
FAULTS = sorted({path.stem for path in EXAMPLES.glob("*.cc")} - {"adapter"})
HEADERS = sorted({a.header for a in catalogue.algorithms().values() if a.header})


def need(tool: str) -> str:
    if not shutil.which(tool):
        if os.environ.get("CI"):
            pytest.fail(f"{tool} was not found")
        pytest.skip(f"{tool} was not found")
    return tool


def run(*command, timeout_s: float = 300) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def test_cmake_builds_a_program_and_its_flows_arrive(tmp_path):
    need("cmake")
    run("cmake", "-S", EXAMPLES, "-B", tmp_path, "-D", f"CMAKE_PREFIX_PATH={NS3}")
    run("cmake", "--build", tmp_path)
    goodput = goodputs(tmp_path / "adapter")
    assert 1e6 < goodput["longfat::newreno"] < goodput["longfat::hybla"] < 10e6  # whose rho is 2
    assert goodput["ns3::TcpNewReno"] == pytest.approx(goodput["longfat::newreno"], rel=0.1)
    assert 1e6 < goodput["ns3::TcpNewReno/halving"] < 10e6


def goodputs(program: Path) -> dict[str, float]:
    return {name: float(bps) for name, bps in map(str.split, run(program).splitlines())}


@pytest.fixture(scope="module")
def faults(tmp_path_factory) -> Path:
    """The folder with the programs that show faults of ns-3, built."""
    need("cmake")
    folder = tmp_path_factory.mktemp("faults")
    run("cmake", "-S", EXAMPLES, "-B", folder, "-D", f"CMAKE_PREFIX_PATH={NS3}")
    target = ["--target", "faults", "--parallel", "2"]
    run("cmake", "--build", folder, *target, timeout_s=1800)  # some fifty programs
    return folder


@pytest.mark.parametrize("name", FAULTS)
def test_a_program_shows_its_fault(name, faults):
    answer = subprocess.run(faults / name, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert re.search("expected .*, observed ", answer.stdout.splitlines()[-1])
    assert not answer.stderr


def test_headers_compile_behind_the_adapter_without_a_warning(tmp_path):
    need("c++")
    source = tmp_path / "all.cc"
    source.write_text("".join(f'#include "{header}"\n' for header in HEADERS))
    flags = ["-std=c++20", "-Wall", "-Werror", "-DNS3_ASSERT_ENABLE", "-fsyntax-only"]
    folders = [f"-I{compiled.ADAPTER.parent}", f"-I{catalogue.CORE}", "-isystem", NS3 / "include"]
    run("c++", *flags, *folders, "-include", compiled.ADAPTER.name, source)
