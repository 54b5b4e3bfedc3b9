"""What the tests are worth: seeded mutants of the Python code, and how many a test notices.

    python tools/mutants.py                    200 mutants of papers, statistics, verdicts, charts
    python tools/mutants.py --files charts     only those of these files
    python tools/mutants.py --again            and once more what survived
    python tools/mutants.py --tests theory     by the tests of these files alone: what they do not
                                               notice is not tried yet

A mutant is one change of one place: a sign, a comparison, a number that is off by one, two
arguments (or columns) swapped, a constant of a formula. Labels, colours and messages are left
alone. Each kind has the same share, and which are drawn of a kind depends on their own text alone:
where a file changes, the mutants of its other lines stay.

A mutant is made in a copy of the package. A process that has imported all that others have written
is forked, imports the copy and runs the tests that run the line, and short ones beside them (what
one test computes others may take from a cache), until one fails that passes without it. What
each test runs is measured once, and again where its file has changed, or with `--fresh`.

What has been tried stands in data/mutants-python.csv, a row a mutant; a row holds as long as the
text of its line does. Its outcome is

    died        a test failed, or took more than ten times as long as it does: `test` is the first
    survived    nothing noticed it
    open        those that `--tests` names did not notice it
    stillborn   it cannot be imported

and `why`, written by hand, says why no test can tell an equivalent one. Those of the core's C++
are of tools/mutants_core.py.
"""

import argparse
import ast
import compileall
import contextlib
import csv
import hashlib
import importlib
import itertools
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
KEPT = ROOT / "data" / "mutants-python.csv"
PACKAGE = Path("src") / "longfat"
PYTHON: tuple[str, ...] = ("papers/**/*.py", "statistics*.py", "statistics/*.py", "verdicts/*.py")
PYTHON += ("book/verdicts*.py", "book/charts*.py", "book/drawings*.py", "book/chapters/*.py")
ARGUMENTS = ["-q", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
ARGUMENTS += ["-m", "not (slow or ns3 or browser)"]
# The tests of what has mutants here.
TESTS = re.compile(
    r"test_(analysis|archive|charts|compare|cycle|evaluation|experiment|explorer|figures|first_round"
    r"|hybla|joint|kept|leo_chapter|models|papers|proxies|report|routers_page|statistics"
    r"|survey_everything|tables|theory|topologies_ucc|transfers_page|ucc|verdict)"
)
RECORDED_S = 1800  # that the tests of one file may take
SHORT_S = 0.3  # what takes less is run with its file's others, which may fill a cache for it
LONGEST_S = 900  # that the tests of one mutant may take
LARGEST_BYTES = 8 << 30  # that they may hold: a loop that does not end may fill a list
LEAST = 90  # percent that are to die

Key = tuple[str, str, int, str, str, str]


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
    code: str = ""  # the text of its line

    @property
    def key(self) -> "Key":
        return key(self, self.code)

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
# Keywords and matplotlib's methods whose values are for the eye.
LOOKS = re.compile(
    r"label|title|colou?r|size|width|height|alpha|marker|style|caption|figsize|ncols|loc|[xy]lim"
    r"|anchor|zorder|rotation|pad"
)
LABELLED = re.compile(
    r"annotate|text|legend|(fig|sup|set_)?([xy]?label|title|[xy]?lim)|tick_params"
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
        method = node.func if isinstance(node, ast.Call) else None
        if isinstance(method, ast.Attribute) and LABELLED.fullmatch(method.attr):
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


# --- what is mutated


def all_of_python() -> dict[Key, Mutant]:
    """Return all mutants by what makes them known again; of lines that are alike, the first's."""
    patterns = (sorted((ROOT / PACKAGE).glob(pattern)) for pattern in PYTHON)
    found: dict[Key, Mutant] = {}
    for path in dict.fromkeys(path for paths in patterns for path in paths):
        text = path.read_text("utf-8")
        for mutant in of_python(str(path.relative_to(ROOT)), text):
            found.setdefault(key(mutant, text.splitlines()[mutant.line - 1].strip()), mutant)
    return found


def key(mutant: "Mutant | Outcome", code: str) -> Key:
    """Return what makes a mutant known again when its line stands elsewhere in the file."""
    return (mutant.file, code, mutant.column, mutant.operator, mutant.before, mutant.after)


def in_order(mutants: dict[Key, Mutant], seed: int) -> list[Key]:
    """Return all in the order in which they are drawn, the kinds by turns."""
    kinds: dict[str, list[tuple[str, Key]]] = {}
    for known, mutant in mutants.items():
        number = hashlib.sha256(repr((seed, known)).encode()).hexdigest()
        kinds.setdefault(mutant.operator, []).append((number, known))
    turns = itertools.zip_longest(*(sorted(kinds[kind]) for kind in sorted(kinds)))
    return [one[1] for turn in turns for one in turn if one]


# --- by what it is tested


@dataclass
class Recorded:
    """What the tests of a file take, and run.

    `lines` has the texts of the lines, by file and by test: they are known again where a file has
    changed. What an import runs is left out.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]


class Trials:
    """A copy of the package, and processes that run tests with it."""

    def __init__(self, fresh: bool, tests: str = "") -> None:
        shutil.rmtree(FOLDER if fresh else FOLDER / "src", ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / PACKAGE, FOLDER / PACKAGE, ignore=ignored)
        compileall.compile_dir(FOLDER / "src", quiet=1)
        os.environ |= {"PYTHONPATH": str(FOLDER / "src"), "LONGFAT_DATA": str(ROOT / "data")}
        os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}
        os.chdir(ROOT)
        sys.path[:0] = [str(FOLDER / "src"), str(ROOT / "tests")]
        self._import_others()
        self._controlled: set[str] = set()
        self._failing: set[str] = set()
        self.recorded = {
            file: self._record(file)
            for file in sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/test_*.py"))
            if TESTS.search(file) and re.search(tests, file)
        }

    def _import_others(self) -> None:
        """Import what others have written, so that the processes that are forked need not."""
        own = {path.stem for folder in ("tests", "tools") for path in (ROOT / folder).glob("*.py")}
        for path in sorted(ROOT.glob("tests/*.py")) + sorted((ROOT / PACKAGE).rglob("*.py")):
            if "templates" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names = [node.module]
                for name in names:
                    if name.partition(".")[0] not in own | {"longfat", "ns", "cppyy"}:
                        with contextlib.suppress(ImportError):
                            importlib.import_module(name)

    def _record(self, file: str) -> Recorded:
        """Run the tests of a file without a mutant; those that fail are left out."""
        kept = FOLDER / "recorded" / f"{Path(file).stem}.json"
        digest = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()
        if kept.exists():
            told = json.loads(kept.read_text("utf-8"))
            if told["digest"] == digest:
                return Recorded(told["seconds"], told["lines"])
        began = time.monotonic()
        told = self._forked(lambda: _recorded(file), RECORDED_S)
        if not told:
            raise SystemExit(f"{file} takes longer than {RECORDED_S} s")
        told["digest"] = digest
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(told), "utf-8")
        tests = f"{len(told['seconds'])} tests, {time.monotonic() - began:.0f} s"
        print(f"{file}: {tests} {' '.join(told['failed'])}", flush=True)
        return Recorded(told["seconds"], told["lines"])

    def covering(self, mutant: Mutant) -> list[str]:
        """Return the tests that can notice it: those of files in which one runs the line.

        What an import runs can be noticed by all that import it; those that run more of its file
        come first.
        """
        statement, is_import = _statement(FOLDER / mutant.file, mutant.line)
        ran_by = [one.lines.get(mutant.file, {}) for one in self.recorded.values()]
        if not any(statement & {*lines} for tests in ran_by for lines in tests.values()):
            is_import = True  # a function that an import calls
        groups = []
        for recorded in self.recorded.values():
            seconds, ran = recorded.seconds, recorded.lines.get(mutant.file)
            if not seconds or ran is None:
                continue
            tests = {name for name, lines in ran.items() if is_import or statement & {*lines}}
            if is_import or tests & set(seconds):
                some = [name for name in seconds if name in tests or seconds[name] < SHORT_S]
                if some:
                    order = sorted(some, key=lambda name: (name not in tests, seconds[name]))
                    groups.append((not tests, seconds[order[0]], order))
        return [name for _, _, order in sorted(groups) for name in order]

    def outcome(self, mutant: Mutant) -> tuple[str, str]:
        """Return the outcome of a mutant, and the test that noticed it."""
        path = FOLDER / mutant.file
        text = path.read_text("utf-8")
        module = ".".join(Path(mutant.file).with_suffix("").parts[1:]).removesuffix(".__init__")
        tests = self.covering(mutant)
        seconds = {
            name: took for one in self.recorded.values() for name, took in one.seconds.items()
        }
        while True:
            tests = [name for name in tests if not self._fails_anyway(name)]
            try:
                path.write_text(mutant.apply(text), "utf-8")
                outcome = self._forked(lambda: _tried(module, tests, seconds), LONGEST_S)  # noqa: B023
            finally:
                path.write_text(text, "utf-8")
            if not outcome:
                return "died", f"took longer than {LONGEST_S} s"
            if outcome[0] != "died" or not self._control(module, outcome[1], seconds):
                return outcome

    def _fails_anyway(self, test: str) -> bool:
        return any(test == name or test.startswith(f"{name}::") for name in self._failing)

    def _control(self, module: str, test: str, seconds: dict[str, float]) -> bool:
        """Return whether a test, or a file of them to be read, fails without a mutant, too.

        What was recorded of a file of tests holds as long as the file does: what it tests may have
        changed since.
        """
        if test not in self._controlled:
            named = (one for one in seconds if one == test or one.startswith(f"{test}::"))
            one = min(named, key=lambda one: seconds[one])
            found = self._forked(lambda: _tried(module, [one], seconds), LONGEST_S)
            self._controlled.add(test)
            if not found or found[0] == "died":
                self._failing.add(test)
                print(f"{test} fails without a mutant, too", flush=True)
        return test in self._failing

    def _forked(self, work: Callable[[], Any], longest_s: float) -> Any:
        """Return what is computed in a process of its own, or None where it does not end."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_DATA, (LARGEST_BYTES, LARGEST_BYTES))
                # What is compiled of a mutant might be taken for another's.
                sys.dont_write_bytecode = True
                nothing = os.open(FOLDER / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(nothing, 1)
                os.dup2(nothing, 2)
                with os.fdopen(writer, "w", encoding="utf-8") as told:
                    json.dump(work(), told)
            finally:
                os._exit(0)
        os.close(writer)
        answer, until = b"", time.monotonic() + longest_s
        try:
            while select.select([reader], [], [], max(0, until - time.monotonic()))[0]:
                if not (some := os.read(reader, 1 << 20)):
                    break
                answer += some
        finally:  # it is a session of its own, and would outlive this one
            os.close(reader)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return json.loads(answer) if answer else None


def _recorded(file: str) -> dict[str, Any]:
    """In a process of its own: run the tests of a file; return what each takes, and runs."""
    import coverage

    measured = coverage.Coverage(data_file=None, config_file=False, include=[f"{FOLDER}/src/*"])
    watch = Watch(measured)
    measured.start()
    pytest.main([*ARGUMENTS, file], plugins=[watch])
    measured.stop()
    data = measured.get_data()
    lines: dict[str, dict[str, list[str]]] = {}
    for path in data.measured_files():
        own = lines.setdefault(str(Path(path).relative_to(FOLDER)), {})
        texts = [text.strip() for text in Path(path).read_text("utf-8").splitlines()]
        for line, tests in data.contexts_by_lineno(path).items():
            for test in filter(None, tests):
                own.setdefault(test, []).append(texts[line - 1])
    return {"seconds": watch.seconds, "lines": lines, "failed": watch.failed}


def _tried(module: str, tests: list[str], seconds: dict[str, float]) -> tuple[str, str]:
    """In a process of its own: run these tests until one fails."""
    try:
        importlib.import_module(module)
    except Exception:
        return "stillborn", ""
    if not tests:
        return "survived", "no test has this line"
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    watch = Watch(order=tests, seconds=seconds)
    pytest.main([*ARGUMENTS, "-x", *files], plugins=[watch])
    if watch.failed:
        return "died", watch.failed[0]
    return "survived", ""


class Watch:
    """Orders tests, notes what each takes, and ends those that take far too long."""

    def __init__(self, measured: Any = None, order: Sequence[str] = (), seconds: Any = None):
        self._measured, self._order, self._longest = measured, order, seconds or {}
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items):
        if self._order:
            place = {name: number for number, name in enumerate(self._order)}
            items[:] = sorted(
                (item for item in items if item.nodeid in place), key=lambda one: place[one.nodeid]
            )
        else:
            items[:] = [item for item in items if "built_book" not in item.fixturenames]

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        def late(*_):
            raise TimeoutError("it does not end")

        signal.signal(signal.SIGPROF, late)
        if self._measured:
            self._measured.switch_context(item.nodeid)
        else:
            signal.setitimer(signal.ITIMER_PROF, 20 + 10 * self._longest.get(item.nodeid, 0))
        began, self._passed = time.process_time(), True
        answer = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self._passed:
            self.seconds[item.nodeid] = round(time.process_time() - began, 3)
        return answer

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)
        if report.failed or report.skipped:
            self._passed = False


def _statement(path: Path, line: int) -> tuple[set[str], bool]:
    """Return the lines of the smallest statement with that line, and whether an import runs it.

    Of a block they are its header's.
    """
    text = path.read_text("utf-8")
    lines, is_import = range(line, line + 1), True
    for node in ast.walk(ast.parse(text)):  # what is larger comes first
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            end = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or line
            if line <= end:
                lines = range(node.lineno, end + 1)
            elif isinstance(node, ast.FunctionDef):
                is_import = False
    texts = text.splitlines()
    return {texts[number - 1].strip() for number in lines}, is_import


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


def still_there(file: Path, mutants: dict[Key, Mutant]) -> dict[Key, Outcome]:
    """Return what has been tried and is still there, with the lines where it stands now."""
    return {
        one.key: replace(one, line=mutants[one.key].line)
        for one in read(file)
        if one.key in mutants
    }


def write(file: Path, outcomes: Sequence[Outcome]) -> None:
    """Write what has been tried."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        names = [one.name for one in fields(outcomes[0])]
        writer = csv.DictWriter(lines, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, outcomes))


def can_be_told(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return those that a test could notice."""
    return [one for one in outcomes if not one.why and one.outcome != "stillborn"]


def share(outcomes: Sequence[Outcome]) -> float:
    """Return how many percent died of those that can be told."""
    told = can_be_told(outcomes)
    return 100 * sum(one.outcome == "died" for one in told) / max(len(told), 1)


def report(outcomes: Sequence[Outcome]) -> str:
    """Return how many died of those that can be told, and which did not."""
    told = can_be_told(outcomes)
    counts = Counter(one.outcome for one in told)
    lines = [
        f"{one.outcome}: {one.file}:{one.line}:{one.column} {one.operator}: "
        f"{one.before!r} -> {one.after!r}"
        for one in told
        if one.outcome != "died"
    ]
    counted = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    equivalent = sum(bool(one.why) for one in outcomes)
    died = f"{share(outcomes):.1f} % died of {len(told)}"
    lines.append(f"{died}: {counted}; {equivalent} are equivalent")
    return "\n".join(lines)


def main() -> None:
    """Try the mutants that have not been tried, and print how many died."""
    parser = argparse.ArgumentParser(description="Seeded mutants, and how many the tests notice.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="those of such files only (regular expression)")
    parser.add_argument("--again", action="store_true", help="try once more what survived")
    parser.add_argument("--tests", default="", help="by the tests of such files only (the same)")
    parser.add_argument("--fresh", action="store_true", help="measure again what each test runs")
    parser.add_argument("--list", action="store_true", help="print the mutants, and try none")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    mutants = all_of_python()
    order = in_order(mutants, options.seed)
    if options.list:
        for one in (mutants[known] for known in order[: options.count]):
            print(f"{one.file}:{one.line} {one.operator}: {one.before!r} -> {one.after!r}")
        return
    tried = still_there(KEPT, mutants)
    trials = Trials(options.fresh, options.tests)
    counted: list[Key] = []
    for known in order:
        if len(counted) == options.count:
            break
        mutant, before = mutants[known], tried.get(known)
        again = options.again and before and before.outcome == "survived" and not before.why
        again = again or (before and before.outcome == "open" and not before.why)
        if (not before or again) and re.search(options.files, mutant.file):
            began = time.monotonic()
            outcome, test = trials.outcome(mutant)
            seconds = round(time.monotonic() - began, 1)
            if options.tests and outcome == "survived":
                outcome, test = "open", ""
            tried[known] = Outcome(
                **asdict(mutant), outcome=outcome, test=test, seconds=seconds, code=known[1]
            )
            write(KEPT, list(tried.values()))
            place = f"{mutant.file}:{mutant.line}"
            print(f"{len(counted) + 1}: {place}: {outcome} {test} ({seconds} s)", flush=True)
        if known not in tried or tried[known].outcome != "stillborn":
            counted.append(known)
    outcomes = [tried[known] for known in counted if known in tried]
    write(KEPT, outcomes + [one for one in tried.values() if one.outcome == "stillborn"])
    print(report(outcomes))
    sys.exit(share(outcomes) < LEAST)


if __name__ == "__main__":
    main()
