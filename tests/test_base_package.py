"""What `pip install longfat` brings is enough to simulate; an extra that is missing is named."""

import re
import subprocess
import sys
import textwrap
import tomllib

import pytest

from longfat import paths
from longfat.topologies import reference

PROJECT = tomllib.loads((paths.DATA.parent / "pyproject.toml").read_text())["project"]
# Import names, where they are not the packages'.
IMPORTED = {"jupyter-book": "jupyter_book", "pyyaml": "yaml", "sphinxext-opengraph": "sphinxext"}


def names(requirements: list[str]) -> set[str]:
    found = {re.match(r"[\w-]+", one)[0] for one in requirements} - {"longfat"}
    return {IMPORTED.get(one, one.replace("-", "_")) for one in found}


def run(code: str, *arguments: str) -> subprocess.CompletedProcess:
    """Run code where none of the extras is there, nor what only some systems have."""
    extras = set().union(*map(names, PROJECT["optional-dependencies"].values()))
    blocked = sorted(extras - names(PROJECT["dependencies"]) | {"fcntl", "resource"})
    begin = f"import sys\nfor name in {blocked}:\n    sys.modules[name] = None\n"
    command = [sys.executable, "-c", begin + textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def command(*arguments: object) -> subprocess.CompletedProcess:
    return run("from longfat.cli import main; main(prog_name='longfat')", *map(str, arguments))


@pytest.mark.medium
def test_scenarios_are_simulated_without_the_extras():
    done = run("""
        from longfat import simulate, sweep, topologies

        one = topologies.satellite(loss=1e-3, duration_s=2, seed=4711)
        rows = sweep([one, one.replace(seed=2)])
        print(int(simulate(one).flows["segments_sent"].iloc[0]), len(rows))
    """)
    assert done.returncode == 0, done.stderr
    sent, rows = map(int, done.stdout.split())
    assert sent > 10 and rows == 2


@pytest.mark.slow
@pytest.mark.medium
def test_commands_that_need_no_extra_work_and_others_name_theirs(tmp_path):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(reference(congestion_control="cubic", duration_s=1).to_json())
    for arguments in (
        ["--help"],
        ["cc", "show", "hybla"],
        ["engines"],
        ["simulate", scenario],
        ["leo", "Tokyo", "Lisbon", "--duration", "2"],
        ["export", scenario, "--to", "netns"],
        ["trace", scenario, "sender", "receiver", "--output", tmp_path / "trace.csv"],
    ):
        done = command(*arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    for arguments, extra in (
        (["model", "hybla", "--loss", "1e-3"], "papers"),
        (["draw", scenario, "--output", tmp_path / "drawn.svg"], "book"),
    ):
        done = command(*arguments)
        assert done.returncode == 2
        assert f"pip install 'longfat[{extra}]'" in done.stderr
