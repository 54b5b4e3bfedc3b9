"""The floors of the package: a module may use those below it, none above."""

import ast
import itertools
import re
import subprocess
import sys
import textwrap
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
    ["leo", "studies"],
    ["papers"],
    ["audit"],
    ["experiment", "verdicts"],
    ["sweeps", "reproduce", "export", "traces"],
    ["engines"],
    ["store"],
    ["pictures"],
    ["network", "result", "mobility", "orbits"],
    ["scenario"],
    ["links", "media_streams", "start_ups", "transfers"],
    ["fields"],
    ["cc", "recovery", "measures", "statistics", "style"],
    ["builds"],
    ["errors", "paths"],
]
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
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
    return sorted(path for path in PACKAGE.rglob("*.py"))


def test_no_module_imports_upward():
    upward = []
    for path in modules():
        place = path.relative_to(PACKAGE).with_suffix("").parts
        for used in imports(path):
            name = used[0] if used[0] in FLOOR else "__init__"  # a name of longfat/__init__.py
            if FLOOR[name] < FLOOR[place[0]]:
                upward.append(f"{'.'.join(place)} imports {'.'.join(used)}")
    assert not upward


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


# The end of a statement that declares data: its name, after a type. Private data are called m_....
DATUM = re.compile(r"[\w:>*&]\s*[\s*&](?!m_)(\w+)\s*(?:\[\w*\])?\s*(?:\{\}|=.*)?$", re.DOTALL)
NO_DATUM = re.compile(r"\b(using|typedef|static|friend|struct|class|enum|union|operator)\b|~")


def structures(cpp: str) -> dict[str, set[str]]:
    """Return the structs and classes of C++ text, such as ns3::Time, with their public data."""
    cpp = re.sub(r"//[^\n]*|/\*.*?\*/|^ *#[^\n]*", "", cpp, flags=re.DOTALL | re.MULTILINE)
    cpp = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', '""', cpp)
    found: dict[str, set[str]] = {}
    around: list[re.Match] = []  # the braces that are open
    text = [""]  # what stands in each of them itself, with {} for inner ones
    end = 0
    for brace in BRACES.finditer(cpp):
        text[-1] += cpp[end : brace.start()]
        end = brace.end()
        if brace[0] != "}":
            around.append(brace)
            text.append("")
            continue
        names = [opened[1] or opened[2] for opened in around]
        if around.pop()[2] and all(names):
            found["::".join(names)] = data(text[-1])
        text.pop()
        text[-1] += "{}"
    return found


def data(body: str) -> set[str]:
    """Return the names of the public data in a structure's body, which has {} for inner braces."""
    body = re.sub(r"\b(public|protected|private):|\{\}(?!\s*;)", ";", body)
    while body != (plain := re.sub(r"<[^<>;]*>", "", body)):  # of templates
        body = plain
    statements = (part.strip() for part in body.split(";"))
    found = (DATUM.search(part) for part in statements if "(" not in part)
    return {datum[1] for datum in found if datum and not NO_DATUM.search(datum.string)}


def is_the_same(one: tuple[str, set[str]], other: tuple[str, set[str]]) -> bool:
    """Tell whether two structures are one idea, declared twice.

    They are where they have the same full name, or more than half of the smaller one's public data
    in common, at least two, or three where the structures' own names differ.
    """
    (name, own), (other_name, others) = one, other
    common = len(own & others)
    least = 2 if name.split("::")[-1] == other_name.split("::")[-1] else 3
    return name == other_name or (common >= least and 2 * common > min(len(own), len(others)))


# What was true when a segment was sent: of each under way, and of the one that a sample is of.
WHEN_SENT = {"longfat::core::SentSegment", "longfat::core::RateSample"}


@pytest.mark.parametrize("others", ["ns3", "segment"])
def test_no_two_files_declare_the_same_structure(others):
    """But for the two engines, which are held against each other: each has its own."""
    declared = [
        (str(path.relative_to(PACKAGE)), structure)
        for path in sorted([*PACKAGE.rglob("*.h"), *PACKAGE.rglob("*.cc")])
        if not path.is_relative_to(PACKAGE / "engines" / others)
        for structure in structures(path.read_text("utf-8")).items()
    ]
    known = {structure[0]: structure[1] for _, structure in declared}
    own = "longfat::core::Outage" if others == "ns3" else "longfat::Outage"
    assert len(known[own]) == 2
    assert "longfat::core::Hybla" in known
    twice = [
        (one[0], file, other[0], other_file)
        for (file, one), (other_file, other) in itertools.combinations(declared, 2)
        if file != other_file and is_the_same(one, other) and {one[0], other[0]} != WHEN_SENT
    ]
    assert not twice


def test_what_is_the_same_structure():
    link = (
        "struct Link { std::map<int, A> ends; double rateBps{0}; int a[2]; void F() {} int m_b; };"
    )
    assert structures(f"namespace n::m {{ {link} class Other; }}") == {
        "n::m::Link": {"ends", "rateBps", "a"}
    }
    one = ("a::Link", {"rateBps", "delayS", "source", "queueSize", "outageStartS"})
    assert is_the_same(one, ("a::Link", {"other"}))
    assert is_the_same(one, ("b::Spec", {"rateBps", "delayS", "source", "outages", "queueBytes"}))
    assert is_the_same(one, ("b::Link", {"rateBps", "delayS", "outages"}))
    assert not is_the_same(one, ("b::Spec", {"rateBps", "delayS", "outages"}))
    assert not is_the_same(one, ("b::Link", {"source", "onArrival"}))
    assert not is_the_same(one, ("b::Link", set()))


def test_a_paper_s_page_begins_without_what_only_some_of_its_numbers_need():
    """Half a second that each reader of its notebook would wait."""
    code = """
        import sys
        from longfat.book import chapters, ns3_cell, show
        for name in ("hybla", "survey", "tcpj", "ucc"):
            chapters.find(name)
        print(*sorted({"networkx", "nbformat", "scipy.signal", "scipy.stats"} & set(sys.modules)))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    assert subprocess.check_output(command, text=True) == "\n"
