"""What the tests are worth: seeded mutants of the code, and how many of them a test notices.

    python tools/mutants.py core             200 mutants of the engine's and the senders' C++
    python tools/mutants.py python           200 mutants of papers, statistics, verdicts and charts
    python tools/mutants.py core --count 20 --seed 7

A mutant is one change of one place: a sign, a comparison, a number that is off by one, two
arguments (or columns) swapped, a constant of a formula. Labels, colours and messages are left
alone. It is made in a copy of the package, whose tests run until the first fails: all that cover
the line (Python), or those of the core, of which what has noticed most comes first (C++). What has
been tried stands in build/mutants/<what>.csv, a line a mutant, and is not tried again. Its outcome
is

    died        a test failed, or took ten times as long as it may: `test` is the first
    digits      only the kept digits (tests/test_digits.py) noticed it
    survived    nothing noticed it
    same        the compiler makes the same of it
    stillborn   it does not compile, or cannot be imported

The share that died is of those that died, survived, or changed digits alone, without what
data/mutants-equivalent.csv proves to be equivalent (columns file, before, after, why).
"""

import argparse
import ast
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from longfat import builds, paths

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
EQUIVALENT = ROOT / "data" / "mutants-equivalent.csv"
PACKAGE = Path("src") / "longfat"
CORE = PACKAGE / "engines" / "segment"
SENDERS = PACKAGE / "cc"
PYTHON: tuple[str, ...] = ("papers/**/*.py", "statistics*.py", "statistics/*.py", "verdicts/*.py")
PYTHON += ("book/verdicts*.py", "book/charts*.py", "book/drawings*.py", "book/chapters/*.py")
FAST = "not (slow or long or ns3 or book or browser)"
LONGEST_S = 1800  # that the tests of one mutant may take
KILLERS = 8  # that are asked first


@dataclass(frozen=True)
class Mutant:
    """A change: `before` at that place of a file becomes `after`."""

    file: str
    line: int
    column: int  # in characters, from 0
    operator: str
    before: str
    after: str

    def apply(self, text: str) -> str:
        """Return the file's text with the change."""
        lines = text.splitlines(keepends=True)
        start = sum(len(line) for line in lines[: self.line - 1]) + self.column
        assert text[start:].startswith(self.before), self
        return text[:start] + self.after + text[start + len(self.before) :]


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    outcome: str
    test: str
    seconds: float


# --- C++: by tokens

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    r"|(?P<number>(?<![\w.])\d[\d']*(?:\.\d*)?(?:e[+-]?\d+)?(?![\w.]))"
    r"|(?P<operator>(?<= )(?:<=|>=|==|!=|<|>|\+|-|\*|/|\+=|-=|&&|\|\|)(?= ))"
    r"|(?P<minus>(?<=[(,=] )-(?=\w)|(?<=\()-(?=\w)|(?<=return )-(?=\w))"
    r"|(?P<call>\b[\w:.>-]+\((?=[^()\n]+, [^()\n]+\)))",
    re.MULTILINE | re.DOTALL,
)
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+"}
OTHER |= {"*": "/", "/": "*", "+=": "-=", "-=": "+="}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
# Lines that say things to people, or to the compiler alone.
WORDS = re.compile(
    r"static_assert|\bName\(|\bText\(|fail\(|expect\(|Parameter<|^\s*\.|template|using"
)


def of_cpp(file: str, text: str) -> Iterator[Mutant]:
    """Return all mutants of a C++ file."""
    lines = text.splitlines()
    for token in TOKEN.finditer(text):
        kind, start = token.lastgroup, token.start()
        if kind is None:
            continue
        line = text.count("\n", 0, start)
        column = start - (text.rfind("\n", 0, start) + 1)
        if WORDS.search(lines[line]):
            continue
        word = token[0]

        def mutant(operator: str, after: str, before=word, line=line, column=column) -> Mutant:
            return Mutant(file, line + 1, column, operator, before, after)

        if kind == "operator" and word in OTHER:
            yield mutant("comparison" if word in COMPARISONS else "sign", OTHER[word])
        elif kind == "minus":
            yield mutant("sign", "")
        elif kind == "number":
            yield from (mutant(*change) for change in of_number(word))
        elif kind == "call":
            arguments = text[token.end() : text.index(")", token.end())].split(", ")
            if len(arguments) == 2 and arguments[0] != arguments[1]:
                whole = word + ", ".join(arguments)
                swapped = word + ", ".join(reversed(arguments))
                yield mutant("swapped arguments", swapped, whole)


def of_number(word: str) -> Iterator[tuple[str, str]]:
    """Return operator and text of the changes of a number."""
    if re.fullmatch(r"\d+", word):
        yield "off by one", str(int(word) + 1)
    else:
        value = float(word.replace("'", ""))
        yield "constant", f"{value * 1.25:g}" if value else "1"


# --- Python: by its syntax tree

SIGNS: dict[type, str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
COMPARED: dict[type, str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
COMPARED |= {ast.Eq: "!=", ast.NotEq: "=="}
SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Lt: "<", ast.LtE: "<="}
SYMBOLS |= {ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
# Keywords whose values are for the eye.
LOOKS = re.compile(
    r"label|title|colou?r|size|width|height|alpha|marker|style|caption|figsize|ncols|loc"
)


class _Places(ast.NodeVisitor):
    """Collects the mutants of a file."""

    def __init__(self, file: str, text: str):
        self.file, self.text = file, text
        self.found: list[Mutant] = []
        self._lines = text.splitlines(keepends=True)
        self._columns: list[list[str]] = [[]]  # names of columns in each function that is open

    def visit(self, node: ast.AST):
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            return
        if isinstance(node, ast.keyword) and node.arg and LOOKS.search(node.arg):
            return
        if isinstance(node, ast.FunctionDef):
            names = dict.fromkeys(filter(None, map(_column, ast.walk(node))))
            self._columns.append(list(names))
            self.generic_visit(node)
            self._columns.pop()
            return
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS and not _is_text(node):
            self._between(node.left, node.right, "sign", node.op, SIGNS)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            if type(node.ops[0]) in COMPARED:
                self._between(node.left, node.comparators[0], "comparison", node.ops[0], COMPARED)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self._add(node, "sign", "-", "")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            source = self._source(node)
            for operator, after in of_number(source) if re.fullmatch(r"[\d.e-]+", source) else ():
                self._add(node, operator, source, after)
        elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
            self._swap(node.args)
        elif isinstance(node, ast.Subscript) and (column := _column(node)):
            others = [name for name in self._columns[-1] if name != column]
            if others:
                before = self._source(node.slice)
                self._add(node.slice, "swapped column", before, repr(others[0]))
        self.generic_visit(node)

    def _between(self, left, right, operator, op, others) -> None:
        """The symbol between two operands."""
        start, end = self._place(left, end=True), self._place(right)
        symbol = SYMBOLS[type(op)]
        place = self.text.find(symbol, start, end)
        if place >= 0:
            self._put(place, operator, symbol, others[type(op)])

    def _swap(self, arguments) -> None:
        first, second = map(self._source, arguments)
        start, end = self._place(arguments[0]), self._place(arguments[1], end=True)
        between = self.text[start + len(first) : end - len(second)]
        if first != second and "\n" not in self.text[start:end] and not _are_words(arguments):
            before, after = first + between + second, second + between + first
            self._put(start, "swapped arguments", before, after)

    def _add(self, node, operator: str, before: str, after: str) -> None:
        self._put(self._place(node), operator, before, after)

    def _put(self, place: int, operator: str, before: str, after: str) -> None:
        line = self.text.count("\n", 0, place)
        column = place - (self.text.rfind("\n", 0, place) + 1)
        self.found.append(Mutant(self.file, line + 1, column, operator, before, after))

    def _source(self, node) -> str:
        return self.text[self._place(node) : self._place(node, end=True)]

    def _place(self, node, end: bool = False) -> int:
        line, column = (
            (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        )
        before = sum(map(len, self._lines[: line - 1]))
        return before + len(self._lines[line - 1].encode()[:column].decode())


def _column(node: ast.AST) -> str:
    """Return the name of the column that a subscript takes, or ""."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else ""
    return ""


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr | ast.List) or _are_words([side]) for side in sides)


def _are_words(nodes: list[ast.expr]) -> bool:
    return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in nodes)


def of_python(file: str, text: str) -> Iterator[Mutant]:
    """Return all mutants of a Python file."""
    places = _Places(file, text)
    places.visit(ast.parse(text))
    yield from places.found


# --- what is mutated, and by what it is tested


def drawn(what: str, count: int, seed: int) -> list[Mutant]:
    """Return so many mutants, drawn so that each kind of change has the same share."""
    if what == "core":
        files = [*sorted((ROOT / CORE).glob("*.h")), *sorted((ROOT / SENDERS).glob("*.h"))]
        make: Callable[[str, str], Iterator[Mutant]] = of_cpp
    else:
        patterns = (sorted((ROOT / PACKAGE).glob(pattern)) for pattern in PYTHON)
        files = list(dict.fromkeys(path for found in patterns for path in found))
        make = of_python
    kinds: dict[str, list[Mutant]] = {}
    for path in files:
        for mutant in make(str(path.relative_to(ROOT)), path.read_text("utf-8")):
            kinds.setdefault(mutant.operator, []).append(mutant)
    draw, chosen = random.Random(seed), []
    for mutants in kinds.values():
        draw.shuffle(mutants)
    for turn in range(max(map(len, kinds.values()))):
        chosen += [kinds[kind][turn] for kind in sorted(kinds) if turn < len(kinds[kind])]
    return chosen[:count]


class Copy:
    """A copy of the package in which mutants are made, one after the other."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=ignored)
        self.builds = folder / "builds"
        self.environment = os.environ | {
            "PYTHONPATH": str(folder / "src"),
            "LONGFAT_DATA": str(paths.DATA),
            "LONGFAT_BUILDS": str(self.builds),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def python(self, program: str) -> subprocess.CompletedProcess:
        """Run a Python program with the copy."""
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True)

    def fresh_builds(self) -> None:
        """Have what is compiled of the unchanged package, and nothing of the mutant before."""
        shutil.rmtree(self.builds, ignore_errors=True)
        shared = paths.builds()
        for name in ("segment", "tests"):
            if (shared / name).is_dir():
                shutil.copytree(shared / name, self.builds / name, copy_function=os.link)

    def first_failure(self, tests: list[str], marks: str, names: str = "") -> str:
        """Return the first test that fails, or "" where none does."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n",
            "2",
            "--no-header",
            "-p",
            "no:cacheprovider",
        ]
        command += ["-m", marks, *(["-k", names] if names else []), *tests]
        try:
            done = subprocess.run(
                command,
                env=self.environment,
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
            )
        except subprocess.TimeoutExpired:
            return f"took longer than {LONGEST_S} s"
        if done.returncode in (0, 5):  # 5: no test is chosen
            return ""
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        return found[1] if found else (done.stdout.strip().splitlines() or ["?"])[-1][:100]


COMPILE = """
import sys
from pathlib import Path
from longfat import builds
from longfat.cc import catalogue
from longfat.errors import LongfatError
try:
    for header in map(Path, sys.argv[1:] or {headers!r}):
        print(catalogue.plugin(header).read_bytes().hex())
    print(catalogue.program().read_bytes().hex())
except LongfatError as error:
    sys.exit(str(error))
"""


def try_core(copy: Copy, mutant: Mutant, killers: list[str]) -> tuple[str, str]:
    """Return the outcome of a mutant of the core, and the test that noticed it."""
    path = copy.folder / mutant.file
    text = path.read_text("utf-8")
    of_senders = path.parent.name == "cc"
    using = [one for one in sorted(path.parent.glob("*.h")) if path in builds.with_includes([one])]
    program = COMPILE.format(headers=[str(one) for one in using] if of_senders else [])
    try:
        copy.fresh_builds()
        before = copy.python(program)
        path.write_text(mutant.apply(text), "utf-8")
        after = copy.python(program)
        if after.returncode:
            return "stillborn", ""
        if after.stdout == before.stdout:
            return "same", ""
        files = [
            str(one)
            for pattern in ("test_cc_*.py", "test_segment_*.py")
            for one in sorted((ROOT / "tests").glob(pattern))
            if one.stem not in ("test_segment_engine", "test_segment_beside_ns3")
        ]
        if killers and (noticed := copy.first_failure(killers, "not long")):
            return "died", noticed
        if of_senders:
            entries = "from longfat.cc import catalogue; print(*catalogue.algorithms())"
            senders = copy.python(entries).stdout.split()
            own = [name for name in senders if name in text] or senders
            if noticed := copy.first_failure(files, "not long", " or ".join(own)):
                return "died", noticed
        if noticed := copy.first_failure(files, "not long"):
            return "died", noticed
        kept = [str(ROOT / "tests" / "test_digits.py")]
        noticed = copy.first_failure(kept, "not long", "segment")
        return ("digits", noticed) if noticed else ("survived", "")
    finally:
        path.write_text(text, "utf-8")


def try_python(copy: Copy, mutant: Mutant, covering: list[str]) -> tuple[str, str]:
    """Return the outcome of a mutant of a Python file, and the test that noticed it."""
    path = copy.folder / mutant.file
    text = path.read_text("utf-8")
    module = ".".join(Path(mutant.file).with_suffix("").parts[1:]).removesuffix(".__init__")
    try:
        path.write_text(mutant.apply(text), "utf-8")
        if copy.python(f"import {module}").returncode:
            return "stillborn", ""
        if not covering:
            return "survived", "no test has this line"
        noticed = copy.first_failure(covering, FAST)
        return ("died", noticed) if noticed else ("survived", "")
    finally:
        path.write_text(text, "utf-8")


class Coverage:
    """Which tests have which line: measured once, in build/mutants/coverage."""

    def __init__(self) -> None:
        from coverage import CoverageData

        file = FOLDER / "coverage"
        if not file.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", FAST, "tests"]
            command += ["--cov=longfat", "--cov-context=test", "--cov-report="]
            environment = os.environ | {"COVERAGE_FILE": str(file)}
            subprocess.run(command, cwd=ROOT, env=environment)
        self._data = CoverageData(str(file))
        self._data.read()

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the mutant's line."""
        contexts = self._data.contexts_by_lineno(str(ROOT / mutant.file)).get(mutant.line, [])
        return sorted({name.partition("|")[0] for name in contexts if name})


# --- results


def read(file: Path) -> list[Outcome]:
    """Return what has been tried."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Outcome(**{name: kind(row[name]) for name, kind in _TYPES.items()})
            for row in csv.DictReader(lines)
        ]


_TYPES: dict[str, Callable] = {
    "file": str,
    "line": int,
    "column": int,
    "operator": str,
    "before": str,
    "after": str,
    "outcome": str,
    "test": str,
    "seconds": float,
}


def keep(file: Path, outcome: Outcome) -> None:
    """Write a line more."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, [one.name for one in fields(Outcome)], lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(asdict(outcome))


def report(outcomes: list[Outcome]) -> str:
    """Return how many died, and the survivors."""
    equivalent = set()
    if EQUIVALENT.exists():
        with EQUIVALENT.open(encoding="utf-8", newline="") as table:
            equivalent = {
                (row["file"], row["before"], row["after"]) for row in csv.DictReader(table)
            }
    told = [one for one in outcomes if (one.file, one.before, one.after) not in equivalent]
    counts = Counter(one.outcome for one in told)
    can_be_told = counts["died"] + counts["survived"] + counts["digits"]
    share = 100 * counts["died"] / can_be_told if can_be_told else 0.0
    lines = [
        f"{one.outcome}: {one.file}:{one.line}:{one.column} {one.operator}: "
        f"{one.before!r} -> {one.after!r}"
        for one in told
        if one.outcome in ("survived", "digits")
    ]
    counted = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    lines.append(
        f"{counts['died']} of {can_be_told} died ({share:.1f} %); {counted}; "
        f"{len(outcomes) - len(told)} proved equivalent"
    )
    return "\n".join(lines)


def main() -> None:
    """Try the mutants that have not been tried, and print how many died."""
    parser = argparse.ArgumentParser(description="Seeded mutants, and how many the tests notice.")
    parser.add_argument("what", choices=["core", "python"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutants, and try none")
    options = parser.parse_args()
    mutants = drawn(options.what, options.count, options.seed)
    if options.list:
        print(
            *(f"{m.file}:{m.line} {m.operator}: {m.before!r} -> {m.after!r}" for m in mutants),
            sep="\n",
        )
        return
    file = FOLDER / f"{options.what}.csv"
    tried = {(o.file, o.line, o.column, o.after): o for o in read(file)}
    copy = Copy(FOLDER / options.what)
    coverage = Coverage() if options.what == "python" else None
    for number, mutant in enumerate(mutants):
        if (mutant.file, mutant.line, mutant.column, mutant.after) in tried:
            continue
        started = time.monotonic()
        if coverage:
            outcome, test = try_python(copy, mutant, coverage.tests(mutant))
        else:
            noticed = Counter(one.test for one in read(file) if "::" in one.test)
            killers = [test for test, _ in noticed.most_common(KILLERS)]
            outcome, test = try_core(copy, mutant, killers)
        seconds = round(time.monotonic() - started, 1)
        keep(file, Outcome(**asdict(mutant), outcome=outcome, test=test, seconds=seconds))
        print(
            f"{number + 1} of {len(mutants)}: {mutant.file}:{mutant.line}: {outcome} {test}",
            flush=True,
        )
    shutil.rmtree(copy.folder)
    chosen = {(m.file, m.line, m.column, m.after) for m in mutants}
    print(report([o for o in read(file) if (o.file, o.line, o.column, o.after) in chosen]))


if __name__ == "__main__":
    main()
