"""What the tests are worth: seeded mutants of the Python code, and how many a test notices.

    python tools/mutants.py             200 mutants of papers, statistics, verdicts and charts
    python tools/mutants.py --count 20 --seed 7

A mutant is one change of one place: a sign, a comparison, a number that is off by one, two
arguments (or columns) swapped, a constant of a formula. Labels, colours and messages are left
alone. It is made in a copy of the package, in which the tests that cover the line run until the
first fails. What has been tried stands in data/mutants-python.csv, a line a mutant, and is not
tried again. Its outcome is

    died        a test failed, or took ten times as long as it may: `test` is the first
    survived    nothing noticed it
    stillborn   it cannot be imported

and `why`, written by hand, says why no test can tell an equivalent one. Those of the core's C++
are of tools/mutants_core.py.
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
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
KEPT = ROOT / "data" / "mutants-python.csv"
PACKAGE = Path("src") / "longfat"
PYTHON: tuple[str, ...] = ("papers/**/*.py", "statistics*.py", "statistics/*.py", "verdicts/*.py")
PYTHON += ("book/verdicts*.py", "book/charts*.py", "book/drawings*.py", "book/chapters/*.py")
FAST = "not (slow or long or ns3 or book or browser)"
LONGEST_S = 1800  # that the tests of one mutant may take


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
    why: str = ""

    @property
    def mutant(self) -> Mutant:
        return Mutant(*(getattr(self, one.name) for one in fields(Mutant)))


def of_number(word: str) -> Iterator[tuple[str, str]]:
    """Return kind and text of the changes of a number, in Python or C++."""
    if re.fullmatch(r"\d+", word):
        yield "off by one", str(int(word) + 1)
    else:
        value = float(word.replace("'", ""))
        whole = re.fullmatch(r"[\d']+", word)
        yield (
            "constant",
            str(int(value * 1.25)) if whole else f"{value * 1.25!r}" if value else "1.0",
        )


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


Place = TypeVar("Place")


def drawn(places: Iterable[tuple[str, Place]], count: int, seed: int) -> list[Place]:
    """Return so many places, each given after its kind, drawn so that each kind has its share."""
    kinds: dict[str, list[Place]] = {}
    for kind, place in places:
        kinds.setdefault(kind, []).append(place)
    draw, chosen = random.Random(seed), list[Place]()
    for some in kinds.values():
        draw.shuffle(some)
    for turn in range(max(map(len, kinds.values()))):
        chosen += [kinds[kind][turn] for kind in sorted(kinds) if turn < len(kinds[kind])]
    return chosen[:count]


def all_of_python() -> Iterator[tuple[str, Mutant]]:
    """Return all mutants, each after its kind."""
    patterns = (sorted((ROOT / PACKAGE).glob(pattern)) for pattern in PYTHON)
    for path in dict.fromkeys(path for found in patterns for path in found):
        for mutant in of_python(str(path.relative_to(ROOT)), path.read_text("utf-8")):
            yield mutant.operator, mutant


class Copy:
    """A copy of the package in which mutants are made, one after the other."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=ignored)
        self.environment = os.environ | {
            "PYTHONPATH": str(folder / "src"),
            "LONGFAT_DATA": str(ROOT / "data"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def python(self, program: str) -> subprocess.CompletedProcess:
        """Run a Python program with the copy."""
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True)

    def first_failure(self, tests: list[str], marks: str) -> str:
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
        command += ["-m", marks, *tests]
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
        kinds = {"line": int, "column": int, "seconds": float}
        return [
            Outcome(**{name: kinds.get(name, str)(value) for name, value in row.items()})
            for row in csv.DictReader(lines)
        ]


def keep(file: Path, outcome: Outcome) -> None:
    """Write a line more, in the place of one of the same mutant."""
    kept = {one.mutant: one for one in read(file)} | {outcome.mutant: outcome}
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, [one.name for one in fields(Outcome)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, kept.values()))


def report(outcomes: list[Outcome]) -> str:
    """Return how many died of those that can be told, and which did not."""
    told = [one for one in outcomes if not one.why and one.outcome != "stillborn"]
    counts = Counter(one.outcome for one in told)
    lines = [
        f"{one.outcome}: {one.file}:{one.line}:{one.column} {one.operator}: "
        f"{one.before!r} -> {one.after!r}"
        for one in told
        if one.outcome != "died"
    ]
    share = 100 * counts["died"] / len(told) if told else 0.0
    counted = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    equivalent = sum(bool(one.why) for one in outcomes)
    lines.append(f"{share:.1f} % died of {len(told)}: {counted}; {equivalent} are equivalent")
    return "\n".join(lines)


def main() -> None:
    """Try the mutants that have not been tried, and print how many died."""
    parser = argparse.ArgumentParser(description="Seeded mutants, and how many the tests notice.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutants, and try none")
    options = parser.parse_args()
    mutants = drawn(all_of_python(), options.count, options.seed)
    if options.list:
        for one in mutants:
            print(f"{one.file}:{one.line} {one.operator}: {one.before!r} -> {one.after!r}")
        return
    tried = {outcome.mutant for outcome in read(KEPT)}
    copy, coverage = Copy(FOLDER / "python"), Coverage()
    for number, mutant in enumerate(mutants):
        if mutant in tried:
            continue
        started = time.monotonic()
        outcome, test = try_python(copy, mutant, coverage.tests(mutant))
        seconds = round(time.monotonic() - started, 1)
        keep(KEPT, Outcome(**asdict(mutant), outcome=outcome, test=test, seconds=seconds))
        print(
            f"{number + 1} of {len(mutants)}: {mutant.file}:{mutant.line}: {outcome} {test}",
            flush=True,
        )
    shutil.rmtree(copy.folder)
    print(report(read(KEPT)))


if __name__ == "__main__":
    main()
