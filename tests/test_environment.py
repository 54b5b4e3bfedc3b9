"""pyproject.toml and requirements.lock describe one environment."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from longfat.paths import DATA

ROOT = DATA.parent
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64", "os_name": "posix"}
MACOS = {"sys_platform": "darwin", "platform_machine": "arm64", "os_name": "posix"}
NS3_PYTHONS = {"3.11", "3.12", "3.13"}


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    stated = [Requirement(r) for r in [*project["dependencies"], *(r for e in extras for r in e)]]
    return [one for one in stated if one.name != project["name"]]  # an extra that has another


def lock_entries() -> list[str]:
    text = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]


def environment(python: str, platform: dict) -> dict:
    return {"python_version": python, "python_full_version": f"{python}.9"} | platform


def locked(python: str, platform: dict) -> dict[str, str]:
    """Return the versions that the lock installs, by name."""
    versions = {}
    for entry in lock_entries():
        requirement = Requirement(entry.split(" --hash")[0])
        if requirement.marker and not requirement.marker.evaluate(environment(python, platform)):
            continue
        name = canonicalize_name(requirement.name)
        assert name not in versions, f"{name} is locked twice for Python {python}"
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        versions[name] = specifier.version
    return versions


@pytest.mark.parametrize("platform", [LINUX, MACOS], ids=["linux", "macos"])
@pytest.mark.parametrize("python", PYTHONS)
def test_lock_satisfies_every_requirement(python, platform):
    versions = locked(python, platform)
    for requirement in requirements():
        if requirement.marker and not requirement.marker.evaluate(environment(python, platform)):
            continue
        version = versions.get(canonicalize_name(requirement.name))
        assert version, f"{requirement} is not locked for Python {python}"
        assert requirement.specifier.contains(version), f"{requirement}: {version} is locked"


@pytest.mark.parametrize("python", PYTHONS)
def test_ns3_is_locked_exactly_where_its_wheel_exists(python):
    assert ("ns3" in locked(python, LINUX)) == (python in NS3_PYTHONS)
    assert "ns3" not in locked(python, MACOS)


def test_every_python_gets_the_same_versions():
    newest = locked(PYTHONS[-1], LINUX)
    for python in PYTHONS:
        versions = locked(python, LINUX)
        assert {n: versions[n] for n in newest if n in versions} == newest


def test_every_file_is_hashed_and_comes_from_no_particular_place():
    entries = lock_entries()
    assert len(entries) > 100
    for entry in entries:
        assert re.fullmatch(r"\S+==\S+( ;[^\\]*?)?( +--hash=sha256:[0-9a-f]{64})+ *", entry), entry
    text = (ROOT / "requirements.lock").read_text()
    assert not re.search(r"://|--(index|extra-index|find-links|trusted)|^-|@ ", text, re.MULTILINE)
