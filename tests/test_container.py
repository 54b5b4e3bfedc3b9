"""The container file and CI: one list of packages, one place of the environment.

No image is built here.
"""

import json
import os
import re
import subprocess

from longfat.paths import DATA

ROOT = DATA.parent
CONTAINERFILE = (ROOT / "Containerfile").read_text()
INSTRUCTIONS = CONTAINERFILE.replace("\\\n", " ").splitlines()
CI = (ROOT / ".ci" / "run").read_text()
EDITOR = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())


def instructions(word: str) -> list[str]:
    return [line.removeprefix(f"{word} ") for line in INSTRUCTIONS if line.startswith(f"{word} ")]


def test_it_installs_the_packages_that_ci_does():
    (install,) = (line for line in instructions("RUN") if "apt-get install" in line)
    listed = install.partition("--no-install-recommends")[2].partition("&&")[0].split()
    needed = set()
    for line in re.findall(r'^need \S+ (?:"([^"]+)"|(\S+))$', CI, re.MULTILINE):
        needed.update("".join(line).split())
    assert set(listed) - {"ca-certificates"} == needed


def test_what_it_copies_is_all_that_the_set_up_reads():
    copied = [line.removeprefix("--chown=reader ").split() for line in instructions("COPY")]
    before = {name for *sources, _ in copied[:-1] for name in sources}
    assert copied[-1] == [".", "."]
    assert all((ROOT / name).exists() for name in before)
    read = {"Makefile", "pyproject.toml", "requirements.lock", "README.md", "LICENSE"}
    assert before == read | {"src", "tools"}


def test_make_takes_the_environments_place_from_the_container():
    (environment,) = instructions("ENV")
    makeflags = re.search(r'MAKEFLAGS="([^"]*)"', environment)[1]
    answer = subprocess.run(
        ["make", "--dry-run", "--always-make", "setup"],
        cwd=ROOT,
        env=os.environ | {"MAKEFLAGS": makeflags},
        capture_output=True,
        text=True,
    )
    venv = makeflags.removeprefix("VENV=")
    assert f"-m venv {venv}" in answer.stdout
    assert f"{venv}/bin:" in environment
    interpreter = EDITOR["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert interpreter == f"{venv}/bin/python"
