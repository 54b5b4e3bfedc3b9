"""What the engine compiles: each header by itself, once, and again only when it has changed."""

import os
import resource
import shutil
import subprocess
import sys

import pytest

from longfat import InputError
from longfat.cc import catalogue
from longfat.engines import ns3
from longfat.engines.ns3 import compiled
from longfat.topologies import satellite

pytestmark = pytest.mark.ns3


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A header of one's own beside the others, with the congestion control `own`: Scalable TCP."""
    folder = tmp_path / "cc"
    shutil.copytree(catalogue.FOLDER, folder)
    header = folder / "own.h"
    text = (folder / "scalable.h").read_text("utf-8")
    header.write_text(text.replace('.name = "scalable"', '.name = "own"'))
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    catalogue.forget()
    yield header
    catalogue.forget()


def delivered_bytes(congestion_control):
    scenario = satellite(loss=1e-3, duration_s=20).replace(
        flows=[{"source": "sender", "target": "receiver", "congestion_control": congestion_control}]
    )
    return ns3.simulate(scenario).flows["delivered_bytes"].item()


@pytest.mark.slow
def test_a_changed_header_is_used_without_a_new_process(own):
    before = delivered_bytes("own")
    assert before == delivered_bytes("scalable")
    process = ns3._server.process
    own.write_text(own.read_text().replace("0.125", "0.025"))
    catalogue.forget()
    assert delivered_bytes("own") > 1.02 * before
    assert ns3._server.process is process


@pytest.mark.slow
def test_a_header_that_does_not_compile_with_ns3_takes_only_itself_away(own):
    lines = own.read_text().splitlines()
    fault = ["#ifdef LONGFAT_NS3_ADAPTER_H", "#error not for ns-3", "#endif"]
    own.write_text("\n".join([*lines, *fault, ""]))
    catalogue.forget()
    line = len(lines) + 2
    with pytest.raises(InputError, match=rf"'own' cannot be used: .*own\.h:{line}:\d+: error: "):
        delivered_bytes("own")
    assert delivered_bytes("scalable") > 0


def test_another_ns3_asks_for_another_build_but_not_parts_of_seconds(monkeypatch, tmp_path):
    """The image of a container keeps no parts of seconds."""
    monkeypatch.setattr(compiled, "ns3", lambda: tmp_path)
    (tmp_path / "lib64").mkdir()
    found = []
    for time_ns in (
        1_700_000_000_123_456_789,
        1_700_000_000_000_000_000,
        1_700_000_001_000_000_000,
    ):
        for name in compiled.LIBRARIES:
            (tmp_path / "lib64" / name).touch()
            os.utime(tmp_path / "lib64" / name, ns=(time_ns, time_ns))
        compiled._ns3_version.cache_clear()
        found.append(compiled._ns3_version())
    compiled._ns3_version.cache_clear()
    assert found[0] == found[1] != found[2]


def test_a_first_result_takes_seconds():
    """Processor time of a new process with all of its children: the machine may be busy."""
    say = (
        "from longfat.engines import ns3; from longfat.topologies import satellite;"
        "ns3.simulate(satellite(loss=1e-3, duration_s=1))"
    )
    ns3.simulate(satellite(loss=1e-3, duration_s=1))  # all is compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", say], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert 0.1 < used_s < 10


def test_what_decides_a_result_has_the_parts_that_headers_include():
    """A changed part of the core makes results of this engine stale, its sender's does not."""
    names = {path.name for path in ns3._sources()}
    assert {"adapter.h", "slow-start.h", "random.h", "exact-math.h", "model.h"} <= names
    assert "sender.h" not in names


@pytest.mark.slow
def test_no_warnings():
    command = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += ["-DNS3_ASSERT_ENABLE", "-isystem", str(compiled.ns3() / "include")]
    done = subprocess.run([*command, str(compiled.ENGINE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
