"""The package built as a release is, installed away from the repository, and used there."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from longfat import paths, store
from longfat.papers import hybla

pytestmark = pytest.mark.slow

ROOT = paths.DATA.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel made from the source distribution, as `python -m build` makes it."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert len(list(folder.glob("*.tar.gz"))) == 1
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder with the wheel's package alone; its dependencies are this environment's."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    subprocess.run([*command, wheel], check=True)
    return folder


def run(installed: Path, folder: Path, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(installed)}
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_the_wheel_has_the_headers_the_data_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    source = ROOT / "src" / "longfat"
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert f"longfat/{path.relative_to(source).as_posix()}" in names
    assert "longfat/data/papers/hybla/claims.csv" in names
    assert "longfat/data/results/hybla-steady/flows.parquet" in names
    assert not any("/results/cross-check" in name for name in names)  # of a study, not of a paper
    archives = [one for one in zipfile.ZipFile(wheel).infolist() if "/results/" in one.filename]
    assert sum(one.compress_size for one in archives) < 15e6
    assert "longfat/notebooks/hybla.ipynb" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_is_the_wheels_package_that_runs(installed, tmp_path):
    program = "import longfat, longfat.paths as p; print(longfat.__file__, p.DATA, p.NOTEBOOKS)"
    printed = run(installed, tmp_path, sys.executable, "-c", program).split()
    assert all(Path(path).is_relative_to(installed) for path in printed)
    assert not any(Path(path).is_relative_to(ROOT) for path in printed)


def test_its_commands_work_outside_the_repository(installed, tmp_path):
    longfat = str(installed / "bin" / "longfat")
    model = run(installed, tmp_path, longfat, "model", "hybla", "--loss", "1e-4", "--json")
    expected = hybla.throughput(loss=1e-4, rtt=0.55, rtt0=0.025, max_window=550)
    assert json.loads(model)[0]["throughput_segments_per_s"] == pytest.approx(float(expected))
    assert "hybla" in run(installed, tmp_path, longfat, "cc", "list")
    assert "hybla-3" in run(installed, tmp_path, longfat, "figure", "--list")


def test_it_has_the_archive_and_the_papers_words(installed, tmp_path):
    program = (
        "from longfat import papers, store; "
        "print(len(papers.claims('hybla')), len(store.read_archive('hybla-steady')))"
    )
    claims, runs = map(int, run(installed, tmp_path, sys.executable, "-c", program).split())
    assert claims > 10
    assert runs == len(store.read_archive("hybla-steady"))


def test_a_new_experiment_wants_the_repository(installed, tmp_path):
    longfat = str(installed / "bin" / "longfat")
    environment = os.environ | {"PYTHONPATH": str(installed)}
    answer = subprocess.run(
        [longfat, "new", "mine"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert answer.returncode == 2
    assert "belongs in the book's repository" in answer.stderr
