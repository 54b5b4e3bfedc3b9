"""A copy of the package with other code: nothing of it is answered from the archive unchecked."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from longfat.paths import DATA

pytestmark = pytest.mark.slow
ROOT = DATA.parent


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the package with its data and notebooks."""
    for name in ("src", "data", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def longfat(copy: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", "from longfat.cli import main; main()", *arguments]
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def raise_version(copy: Path) -> None:
    """Say that the engine has other digits now; the code is known to give them."""
    module = copy / "src/longfat/engines/segment/__init__.py"
    [line] = re.findall("^BEHAVIOUR = .*$", module.read_text("utf-8"), re.MULTILINE)
    edit(module, line, f"{line}0")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_changed_constant_changes_its_figure(copy):
    figure = ("figure", "hybla-windows", "--profile", "paper", "--output")
    plain = longfat(copy, *figure, "plain")
    assert not plain.stderr.count("nothing that")
    edit(copy / "src/longfat/cc/hybla.h", "= m_rho * m_rho;", "= 0.5 * m_rho * m_rho;")
    longfat(copy, *figure, "changed")
    before, after = (
        pd.read_csv(copy / name / "hybla-windows.csv") for name in ("plain", "changed")
    )
    assert not before.equals(after)
    found = longfat(copy, "audit", "--accept", "--sample", "4", "--seed", "1")
    assert found.returncode == 1
    assert "cc/hybla: digits differ; raise its version" in found.stdout


def test_a_changed_comment_changes_a_line_of_provenance_only(copy):
    sender = copy / "src/longfat/engines/segment/sender.h"
    sender.write_text(sender.read_text("utf-8") + "// Another word.\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in (copy / "data").rglob("*") if path.is_file()}
    scenario = copy / "scenario.json"
    runs = pd.read_parquet(copy / "data/results/hybla-windows/runs.parquet")
    scenario.write_text(runs["scenario"][0])
    run = longfat(copy, "simulate", str(scenario))
    assert "nothing that 'segment' decides is answered from the archive" in run.stderr
    accepted = longfat(copy, "audit", "--accept", "--sample", "2", "--seed", "1")
    assert "segment: 2 runs are equal" in accepted.stdout
    after = {path: path.read_bytes() for path in (copy / "data").rglob("*") if path.is_file()}
    assert [path.name for path in after if before.get(path) != after[path]] == ["versions.csv"]
    versions = copy / "data" / "versions.csv"
    added = set(after[versions].splitlines()) - set(before[versions].splitlines())
    assert len(added) == 1
    assert not longfat(copy, "simulate", str(scenario)).stderr


def test_an_archive_whose_digits_stay_is_carried_to_the_next_version(copy):
    raise_version(copy)
    before = {path: path.read_bytes() for path in (copy / "data").rglob("*") if path.is_file()}
    carry = ("audit", "--carry", "--sample", "3", "--seed", "1", "--experiment")
    done = longfat(copy, *carry, "hybla-windows")
    assert "hybla-windows: 3 runs are equal" in done.stdout
    after = {path: path.read_bytes() for path in (copy / "data").rglob("*") if path.is_file()}
    changed = {path.name for path in after if before.get(path) != after[path]}
    assert changed == {"provenance.csv", "versions.csv"}
    provenance = pd.read_csv(copy / "data/provenance.csv", index_col="experiment")
    assert provenance["carried"]["hybla-windows"] == 3
    scenario = copy / "scenario.json"
    runs = pd.read_parquet(copy / "data/results/hybla-windows/runs.parquet")
    scenario.write_text(runs["scenario"][0])
    assert not longfat(copy, "simulate", str(scenario)).stderr


def test_an_archive_with_other_digits_is_not(copy):
    raise_version(copy)
    sender = copy / "src/longfat/engines/segment/sender.h"
    edit(sender, "m_cwnd_limited = true;", "m_cwnd_limited = false;")
    before = (copy / "data/provenance.csv").read_bytes()
    done = longfat(copy, "audit", "--carry", "--sample", "2", "--experiment", "hybla-windows")
    assert done.returncode == 1
    assert "hybla-windows: digits differ; make its results again" in done.stdout
    assert (copy / "data/provenance.csv").read_bytes() == before


def test_provenance_marks_a_package_that_differs_from_its_commit_and_no_other_change(copy):
    shutil.copy(ROOT / ".gitignore", copy)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for command in (["init", "-q"], ["add", ".gitignore", "src"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=copy, check=True)

    def commit() -> str:
        command = [sys.executable, "-c", "from longfat import paths; print(paths.commit())"]
        environment = os.environ | {"PYTHONPATH": str(copy / "src")}
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        return done.stdout.strip()

    (copy / "data/provenance.csv").write_text("other data")
    first = commit()
    assert re.fullmatch("[0-9a-f]{40}", first)
    sender = copy / "src/longfat/engines/segment/sender.h"
    sender.write_text(sender.read_text("utf-8") + "// Another word.\n", encoding="utf-8")
    assert commit() == f"{first}+"
