"""The floors of the package: a module may use those below it, none above."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import longfat

PACKAGE = Path(longfat.__file__).parent
# From the roof to the ground; what stands together may use each other.
FLOORS = [
    ["__init__", "__main__"],
    ["cli"],
    ["book"],
    ["topologies"],
    ["papers"],
    ["sweeps", "audit", "reproduce"],
    ["engines"],
    ["store"],
    ["network", "result"],
    ["scenario"],
    ["cc", "recovery", "statistics"],
    ["errors", "faults", "paths"],
]
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
GONE = {"theory"}  # its import ends in a sentence
ENGINES = {"linux", "ns2", "ns3", "segment"}


def imports(path: Path) -> set[tuple[str, ...]]:
    """Return the parts of every longfat module that the file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {tuple(name.name.split(".")) for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {(*node.module.split("."), name.name) for name in node.names}
    return {parts[1:] for parts in found if parts[0] == "longfat" and len(parts) > 1}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.stem not in GONE)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_imports_upward(path):
    place = path.relative_to(PACKAGE).with_suffix("").parts
    for used in imports(path):
        if used[0] not in FLOOR:  # a name of longfat/__init__.py
            used = ("__init__",)
        assert FLOOR[used[0]] >= FLOOR[place[0]], f"{place} imports {used}"


def test_no_engine_knows_another():
    for path in PACKAGE.joinpath("engines").rglob("*.py"):
        place = path.relative_to(PACKAGE).with_suffix("").parts
        own = place[1] if len(place) > 2 else "__init__"
        if own == "__init__":
            continue  # the list of all engines
        for used in imports(path):
            if used[0] == "engines" and len(used) > 1 and used[1] in ENGINES:
                assert used[1] == own, f"{place} imports {used}"


def test_papers_do_not_know_each_other():
    """Each stands on what they share: the ledger, the inputs, Reno's models."""
    names = {path.name for path in PACKAGE.joinpath("papers").iterdir() if path.is_dir()}
    for path in PACKAGE.joinpath("papers").rglob("*.py"):
        place = path.relative_to(PACKAGE).parts
        for used in imports(path):
            if len(place) > 2 and used[0] == "papers" and len(used) > 1 and used[1] in names:
                assert used[1] == place[1], f"{place} imports {used}"


# A namespace, a struct or class with its body, or a brace of anything else.
BRACES = re.compile(
    r"namespace\s+([\w:]*)\s*\{"
    r"|(?<!enum )\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{"
    r"|[{}]"
)


def structures(cpp: str) -> set[str]:
    """Return the structs and classes that C++ text has in a namespace, such as ns3::Time."""
    cpp = re.sub(r"//[^\n]*|/\*.*?\*/", "", cpp, flags=re.DOTALL)
    cpp = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', '""', cpp)
    found, around = set(), []  # the namespaces around, None for any other pair of braces
    for brace in BRACES.finditer(cpp):
        namespace, name = brace.groups()
        if brace[0] == "}":
            around.pop()
            continue
        if name and None not in around:
            found.add("::".join([*around, name]))
        around.append(namespace)
    return found


def test_no_two_files_declare_the_same_structure():
    files = defaultdict(list)
    for path in sorted([*PACKAGE.rglob("*.h"), *PACKAGE.rglob("*.cc")]):
        for name in structures(path.read_text("utf-8")):
            files[name].append(str(path.relative_to(PACKAGE)))
    assert {"longfat::TcpHybla", "longfat::segment::Link", "ns3::Time"} <= set(files)
    assert not {name: where for name, where in files.items() if len(where) > 1}
