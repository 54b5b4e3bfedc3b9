"""What the tests of the core are worth: seeded mutants of its C++, and by what each dies.

    python tools/mutants_core.py                200 mutants of engines/segment and cc
    python tools/mutants_core.py --count 20 --seed 7
    python tools/mutants_core.py --list
    python tools/mutants_core.py --again 'survived|cc/bbr.h:330'
    python tools/mutants_core.py --again pie.h --tests test_links

A mutant is one change of one place: a sign, a comparison, a number that is off by one, two
arguments swapped, a constant of a formula. Each kind has the same share. Entries and parameters are
left alone: `catalogue.json` has every one of them.

Nearly all mutants are compiled at once, in a copy of the package: LONGFAT_MUTANT says which one is
on, and LONGFAT_MUTANTS_SEEN is a file that notes where a change would make a difference, so that a
mutant is tried with the tests that can notice it. What the compiler computes is compiled anew for
its mutant. A mutant that has been tried is a row in data/mutants-core.csv, which holds as long as
the text of its line does, and is not tried again unless `--again` is a pattern (regular expression)
of its outcome, file and line. With `--tests` those of such files alone are asked, and what they do
not notice stays as it was:

    died        a test fails with it, or does not end: `test` is the first
    digits      only the kept digits (tests/test_digits.py) notice it
    survived    nothing notices it
    open        the fastest tests do not notice it, and it is to be tried with all
    stillborn   it does not compile

and `why`, written by hand, says why no test can tell an equivalent one. Needs libclang (PyPI).
"""

import argparse
import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from mutants import (
    PACKAGE,
    ROOT,
    Key,
    Mutant,
    Outcome,
    in_order,
    key,
    of_number,
    read,
    report,
    still_there,
    write,
)

FOLDER = ROOT / "build" / "mutants-core"
KEPT = ROOT / "data" / "mutants-core.csv"
CORE = PACKAGE / "engines" / "segment"
SENDERS = PACKAGE / "cc"
TESTS = ["test_cc_*", "test_segment_*", "test_conformance", "test_links", "test_routers"]
TESTS += ["test_base_stations", "test_queues_as_ns3", "test_senders", "test_catalogue"]
TESTS += ["test_transfers", "test_start_ups"]
DIGITS = "test_digits"
TESTS.append(DIGITS)
SHARES = re.compile(r"@(functools\.)?(lru_)?cache\b|scope=")  # results, among the tests of a file
# What is slow, and what runs the WebAssembly module, which no mutant is in.
MARKS, NAMES = "not (slow or long or ns3)", "not (wasm or javascript or module)"
LONGEST_S = 900  # that the tests of one mutant may take
QUICK_S = 10  # that the fastest tests take, by which all are tried before any is tried by all
SPARE = 30  # mutants beyond those asked for, in the place of those that do not compile


@dataclass(frozen=True)
class Site:
    """A mutant's place: the expression from `start` to `end`, and what in it may have others.

    `choice` is the expression that chooses at run time, with {n} for the mutant's number and {0},
    {1} for the parts. `constant` is whether the compiler computes it.
    """

    mutant: Mutant
    start: int
    end: int
    choice: str
    parts: tuple[tuple[int, int], ...] = ()
    constant: bool = False


# --- where C++ can be changed

OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+="}
FUNCTIONS = {"<": "less", "<=": "at_most", ">": "greater", ">=": "at_least", "==": "equal"}
FUNCTIONS |= {"!=": "unequal", "+": "plus", "-": "minus", "*": "times", "/": "over"}
FUNCTIONS |= {"+=": "add", "-=": "take"}
SYMMETRIC = {"min", "max", "swap"}
# Declarations whose numbers are names, or stand in the catalogue.
TABLES = re.compile(r"\b(Entry|Parameter)\b")


class Sites:
    """The places of all mutants, by the compiler's own syntax tree."""

    def __init__(self) -> None:
        from clang import cindex

        self._kinds = cindex.CursorKind
        self._files = {
            str(path): str(path.relative_to(ROOT))
            for folder in (CORE, SENDERS)
            for path in sorted((ROOT / folder).glob("*.h")) + sorted((ROOT / folder).glob("*.cc"))
            if path.stem not in ("main", "wasm")
        }
        self._texts = {path: Path(path).read_text("utf-8") for path in self._files}
        self.found: list[Site] = []
        names = [path for path in self._files if path.endswith(".h")]
        names.append(str(ROOT / CORE / "engine.cc"))
        text = "".join(f'#include "{name}"\n' for name in names)
        include = subprocess.run(
            ["g++", "-print-file-name=include"], capture_output=True, text=True, check=True
        ).stdout.strip()
        flags = ["-std=c++20", f"-I{ROOT / CORE}", "-isystem", include]
        unit = cindex.Index.create().parse("all.cc", flags, [("all.cc", text)])
        if errors := [one for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]:
            raise SystemExit(f"libclang cannot read the core: {errors[0]}")
        for cursor in unit.cursor.get_children():
            if cursor.location.file and cursor.location.file.name in self._files:
                self._visit(cursor, constant=False)

    def _visit(self, cursor: Any, constant: bool) -> None:
        kind, path = cursor.kind, cursor.location.file and cursor.location.file.name
        if path not in self._files or kind in (
            self._kinds.STATIC_ASSERT,
            self._kinds.ENUM_DECL,
            self._kinds.STRING_LITERAL,
        ):
            return
        if kind in (self._kinds.VAR_DECL, self._kinds.FIELD_DECL):
            text = self._texts[path]
            declared = re.split(
                r"[={(;]", text[cursor.extent.start.offset : cursor.extent.end.offset]
            )[0]
            if TABLES.search(declared):
                return
            constant = constant or bool(re.search(r"\bconst(expr|init)\b", declared))
        self._add(cursor, path, constant)
        for one in cursor.get_children():
            self._visit(one, constant)

    def _add(self, cursor: Any, path: str, constant: bool) -> None:
        kind, text = cursor.kind, self._texts[path]
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        children = list(cursor.get_children())

        def put(place: int, name: str, before: str, after: str, choice: str, *parts) -> None:
            line = text.count("\n", 0, place) + 1
            column = place - (text.rfind("\n", 0, place) + 1)
            mutant = Mutant(self._files[path], line, column, name, before, after)
            self.found.append(Site(mutant, start, end, choice, parts, constant))

        if (
            kind in (self._kinds.BINARY_OPERATOR, self._kinds.COMPOUND_ASSIGNMENT_OPERATOR)
            and len(children) == 2
        ):
            left, right = map(_place, children)
            symbol = text[left[1] : right[0]].strip()
            if symbol in FUNCTIONS and start == left[0] and end == right[1]:
                after = (OTHER | SIGNS)[symbol]
                name = "comparison" if symbol in OTHER else "sign"
                choice = f"mutant::{FUNCTIONS[symbol]}<{{n}}>({{0}}, {{1}})"
                put(text.index(symbol, left[1]), name, symbol, after, choice, left, right)
        elif kind == self._kinds.UNARY_OPERATOR and re.match(r"-[^-]", text[start:end]):
            put(start, "sign", "-", "", "mutant::negative<{n}>({0})", _place(children[0]))
        elif kind in (self._kinds.INTEGER_LITERAL, self._kinds.FLOATING_LITERAL):
            word = re.match(r"\d[\d']*(\.\d*)?(e[+-]?\d+)?(?![\w.'])", text[start:])
            if word and end - start == len(word[0]):
                [(name, after)] = of_number(word[0])
                put(start, name, word[0], after, f"mutant::number<{{n}}>({word[0]}, {after})")
        elif kind == self._kinds.CALL_EXPR and not cursor.spelling.startswith("operator"):
            self._swap(cursor, text, put)

    def _swap(self, cursor: Any, text: str, put: Any) -> None:
        given = list(cursor.get_arguments())
        if cursor.spelling in SYMMETRIC:
            return
        for first, second in pairwise(given):
            if first is None or second is None:
                continue
            one, two = _place(first), _place(second)
            words = text[slice(*one)], text[slice(*two)]
            alike = len({_plain_type(argument) for argument in (first, second)}) == 1
            between = text[one[1] : two[0]]
            if alike and words[0] != words[1] and all(words) and re.fullmatch(r",\s+", between):
                before, after = between.join(words), between.join(reversed(words))
                head, tail = (
                    (cursor.extent.start.offset, one[0]),
                    (two[1], cursor.extent.end.offset),
                )
                if head[1] > head[0]:
                    choice = "{0}(mutant::on<{n}>() ? ({2}) : ({1})), "
                    choice += "(mutant::on<{n}>() ? ({1}) : ({2})){3}"
                    put(one[0], "swapped arguments", before, after, choice, head, one, two, tail)


def _place(cursor: Any) -> tuple[int, int]:
    return cursor.extent.start.offset, cursor.extent.end.offset


def _plain_type(cursor: Any) -> str:
    return re.sub(r"\bconst\b|[&\s]", "", cursor.type.get_canonical().spelling)


# --- all mutants in one engine

HEADER = """
#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <type_traits>
#include <unistd.h>

namespace mutant
{

inline const int chosen = [] {
    const char* number = std::getenv("LONGFAT_MUTANT");
#ifndef __SANITIZE_ADDRESS__
    const rlimit most{4UL << 30, 4UL << 30}; // bytes: an endless loop may allocate
    if (number)
    {
        setrlimit(RLIMIT_AS, &most);
    }
#endif
    return number ? std::atoi(number) : -1;
}();

inline unsigned char* const seen = [] {
    const char* path = std::getenv("LONGFAT_MUTANTS_SEEN");
    const int file = path ? open(path, O_RDWR) : -1;
    void* map = file < 0 ? MAP_FAILED : mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, file, 0);
    return map == MAP_FAILED ? nullptr : static_cast<unsigned char*>(map);
}();

/// Whether that mutant is on; a difference that it would make is noted.
template <int N>
constexpr bool on(bool differs = true)
{
    if (std::is_constant_evaluated())
    {
        return false;
    }
    if (seen && differs)
    {
        seen[N] = 1;
    }
    return N == chosen;
}

#define LONGFAT_COMPARISON(name, symbol, other) \\
    template <int N, class A, class B> constexpr auto name(const A& a, const B& b) \\
    { return on<N>((a symbol b) != (a other b)) ? (a other b) : (a symbol b); }
LONGFAT_COMPARISON(less, <, <=)
LONGFAT_COMPARISON(at_most, <=, <)
LONGFAT_COMPARISON(greater, >, >=)
LONGFAT_COMPARISON(at_least, >=, >)
LONGFAT_COMPARISON(equal, ==, !=)
LONGFAT_COMPARISON(unequal, !=, ==)

#define LONGFAT_SIGN(name, symbol, other) \\
    template <int N, class A, class B> constexpr auto name(const A& a, const B& b) \\
    { return on<N>() ? static_cast<decltype(a symbol b)>(a other b) : (a symbol b); }
LONGFAT_SIGN(plus, +, -)
LONGFAT_SIGN(minus, -, +)
LONGFAT_SIGN(times, *, /)
LONGFAT_SIGN(over, /, *)

#define LONGFAT_CHANGE(name, symbol, other) \\
    template <int N, class A, class B> constexpr A& name(A& a, const B& b) \\
    { return on<N>() ? (a other b) : (a symbol b); }
LONGFAT_CHANGE(add, +=, -=)
LONGFAT_CHANGE(take, -=, +=)

template <int N, class A> constexpr auto negative(const A& a)
{ return on<N>() ? static_cast<decltype(-a)>(a) : -a; }

template <int N, class A, class B> constexpr A number(A a, B b)
{ return on<N>() ? static_cast<A>(b) : a; }

} // namespace mutant
"""


def with_choices(text: str, sites: dict[int, Site]) -> str:
    """Return a file's text in which each of these mutants can be chosen when it runs."""

    def rendered(start: int, end: int, waiting: list[int]) -> str:
        """From start to end; `waiting` are mutants within, those of larger expressions first."""
        done, place = "", start
        inside = [n for n in waiting if start <= sites[n].start and sites[n].end <= end]
        while inside:
            first = inside[0]
            site = sites[first]
            others = inside[1:]
            parts = [rendered(*part, others) for part in site.parts]
            done += text[place : site.start] + site.choice.format(*parts, n=first)
            place = site.end
            inside = [n for n in others if sites[n].start >= site.end]
        return done + text[place:end]

    order = sorted(sites, key=lambda n: (sites[n].start, -sites[n].end))
    return rendered(0, len(text), order)


class Copy:
    """A copy of the package, with all mutants in it that can be chosen when it runs."""

    def __init__(self, sites: list[Site]) -> None:
        self.sites = sites
        self.chosen = {n for n, site in enumerate(sites) if not site.constant}
        shutil.rmtree(FOLDER / "src", ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / PACKAGE, FOLDER / PACKAGE, ignore=ignored)
        header = FOLDER / f"mutant-{hashlib.sha256(HEADER.encode()).hexdigest()[:16]}.h"
        compiler = header.with_suffix(".sh")
        if not compiler.exists():
            header.write_text(HEADER, "utf-8")
            # Optimization changes no digit (-ffp-contract=off), and takes long.
            command = f'g++ -include {header} "$@" -O1 -w -Wno-narrowing'
            compiler.write_text(f"#!/bin/sh\nexec {command}\n")
            compiler.chmod(0o755)
        os.environ |= {
            "CXX": str(compiler),
            "PYTHONPATH": str(FOLDER / "src"),
            "LONGFAT_BUILDS": str(FOLDER / "builds"),
            "LONGFAT_DATA": str(ROOT / "data"),
        }
        sys.path.insert(0, str(FOLDER / "src"))
        sys.path.insert(0, str(ROOT / "tests"))

    def write(self) -> None:
        """Write the files with all mutants that can be chosen, without those in whose lines the
        compiler finds something wrong; compile them."""
        while True:
            for file in sorted({site.mutant.file for site in self.sites}):
                own = {n: s for n, s in enumerate(self.sites) if s.mutant.file == file}
                own = {n: site for n, site in own.items() if n in self.chosen}
                text = (ROOT / file).read_text("utf-8")
                (FOLDER / file).write_text(with_choices(text, own), "utf-8")
            wrong = self._wrong()
            if not wrong:
                break
            self.chosen -= wrong
        from longfat.cc import catalogue

        catalogue.write()

    def digest(self) -> bytes:
        """What is another when any file of the core is."""
        folders = [FOLDER / CORE, FOLDER / SENDERS]
        files = [
            path for one in folders for path in sorted(one.glob("*.h")) + sorted(one.glob("*.cc"))
        ]
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).digest()

    def _wrong(self) -> set[int]:
        headers = sorted((FOLDER / SENDERS).glob("*.h"))
        text = "".join(f'#include "{path}"\n' for path in headers)
        text += f'#include "{FOLDER / CORE / "engine.cc"}"\n'
        command = [os.environ["CXX"], "-std=c++20", "-fsyntax-only", f"-I{FOLDER / CORE}"]
        command += ["-x", "c++", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if not done.returncode:
            return set()
        found = re.findall(r"^(/\S+?):(\d+):\d+: +(?:error|required)", done.stderr, re.MULTILINE)
        found += re.findall(r"^(/\S+?):(\d+):\d+:   +required", done.stderr, re.MULTILINE)
        places = {(path, int(line)) for path, line in found}
        wrong = {
            n
            for n in self.chosen
            if (str(FOLDER / self.sites[n].mutant.file), self.sites[n].mutant.line) in places
        }
        if not wrong:
            raise SystemExit(f"the copy does not compile:\n{done.stderr[:2000]}")
        return wrong


# --- tests, in processes that share what pytest has collected


@dataclass
class Trials:
    """Runs the tests of one mutant after the other, within one session of pytest."""

    copy: Copy
    keys: list[Key]  # of its sites
    count: int
    again: str
    some: bool  # of the tests alone are asked
    out: int
    durations: dict[str, float] = field(default_factory=dict)
    noticing: dict[str, set[int]] = field(default_factory=dict)

    def say(self, text: str) -> None:
        os.write(self.out, f"{text}\n".encode())

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """What pytest does in the place of running all tests once."""
        items = {item.nodeid: item for item in session.items}
        self._record(items)
        sites = self.copy.sites
        reached = [n for n in range(len(sites)) if self._is_reached(n)]
        others = [n for n in range(len(sites)) if n not in reached]
        again = {
            one.key
            for one in read(KEPT)
            if self.again
            and not one.why
            and re.search(self.again, f"{one.outcome} {one.file}:{one.line}")
        }
        for numbers, most_s in ((reached, QUICK_S), (reached + others, math.inf)):
            for number in numbers:
                known = self.keys[number]
                outcomes = {one.key: one.outcome for one in read(KEPT)}
                enough = sum(one != "stillborn" for one in outcomes.values()) >= self.count
                is_open = outcomes.get(known) == "open" and most_s == math.inf and not self.again
                if known in again or is_open or (known not in outcomes and not enough):
                    again.discard(known)
                    self._keep(number, items, most_s)
        return True

    def _keep(self, number: int, items: dict[str, pytest.Item], most_s: float) -> None:
        started = time.monotonic()
        outcome, test = self._try(number, items, most_s)
        seconds = round(time.monotonic() - started, 1)
        mutant, known = self.copy.sites[number].mutant, self.keys[number]
        self.say(f"{number}: {mutant.file}:{mutant.line}: {outcome} {test}")
        kept = {one.key: one for one in read(KEPT)}
        if self.some and outcome != "died":
            if known in kept:
                return
            outcome = "open"
        new = Outcome(**asdict(mutant), outcome=outcome, test=test, seconds=seconds, code=known[1])
        write(KEPT, list((kept | {known: new}).values()))

    def _record(self, items: dict[str, pytest.Item]) -> None:
        """Note what each test takes and could notice: each file is run once without a mutant."""
        files = sorted({nodeid.partition("::")[0] for nodeid in items})
        for file in files:
            own = [name for name in items if name.startswith(f"{file}::")]
            key = hashlib.sha256((ROOT / file).read_bytes() + self.copy.digest()).hexdigest()[:16]
            recorded = FOLDER / "recorded" / f"{Path(file).stem}-{key}.json"
            if not recorded.exists():
                recorded.parent.mkdir(exist_ok=True)
                recorded.write_text(json.dumps(self._recorded([items[name] for name in own])))
            for name, (seconds, noticed) in json.loads(recorded.read_text()).items():
                self.durations[name], self.noticing[name] = seconds, set(noticed)
            tests = [name for name in own if name in self.durations]
            self.say(
                f"{file}: {len(tests)} tests, {sum(self.durations[name] for name in tests):.0f} s"
            )

    def _recorded(self, items: list[pytest.Item]) -> dict[str, tuple[float, list[int]]]:
        with tempfile.TemporaryDirectory() as folder:
            for item in items:
                (Path(folder) / str(hash(item.nodeid))).write_bytes(bytes(4096))
            ran = self._run(items, {}, Path(folder), until_one=False)
            told = {}
            for name, (wrong, seconds) in ran.items():
                seen = (Path(folder) / str(hash(name))).read_bytes()
                if wrong:
                    self.say(f"left out, since it fails without a mutant: {name}")
                else:
                    told[name] = seconds, [n for n, byte in enumerate(seen) if byte]
            return told

    def _try(self, number: int, items: dict[str, pytest.Item], most_s: float) -> tuple[str, str]:
        if self._is_reached(number):
            names = [name for name, noticed in self.noticing.items() if number in noticed]
            return self._judge(names, items, {"LONGFAT_MUTANT": str(number)}, most_s)
        mutant = self.copy.sites[number].mutant
        others = {n for n, site in enumerate(self.copy.sites) if site.mutant.file == mutant.file}
        names = [name for name, noticed in self.noticing.items() if others & noticed]
        path = FOLDER / mutant.file
        before = path.read_text("utf-8")
        path.write_text(mutant.apply((ROOT / mutant.file).read_text("utf-8")), "utf-8")
        try:
            if not self._compiles(path):
                return "stillborn", ""
            return self._judge(names or list(self.noticing), items, {})
        finally:
            path.write_text(before, "utf-8")

    def _is_reached(self, number: int) -> bool:
        return number in self.copy.chosen and any(number in n for n in self.noticing.values())

    def _compiles(self, path: Path) -> bool:
        source = path if str(SENDERS) in str(path) else FOLDER / CORE / "engine.cc"
        command = [os.environ["CXX"], "-std=c++20", "-fsyntax-only", f"-I{FOLDER / CORE}"]
        done = subprocess.run([*command, "-x", "c++", str(source)], capture_output=True)
        return done.returncode == 0

    def _judge(
        self, names: list[str], items, environment, most_s: float = math.inf
    ) -> tuple[str, str]:
        """Run what could notice it, the fastest first, with all of a file whose tests share what
        is computed once; kept digits last."""
        files = {name.partition("::")[0] for name in names}
        shared = {one for one in files if SHARES.search((ROOT / one).read_text("utf-8"))}
        own = [n for n in self.noticing if n in names or n.partition("::")[0] in shared]
        own.sort(key=lambda name: (DIGITS in name, self.durations[name]))
        if sum(self.durations[name] for name in own) > most_s:
            sums = accumulate(self.durations[name] for name in own)
            own = [name for name, sum_s in zip(own, sums, strict=True) if sum_s <= most_s]
            test = self._first_failure([n for n in own if DIGITS not in n], items, environment)
            return ("died" if test else "open"), test
        test = self._first_failure(own, items, environment)
        return ("digits" if DIGITS in test else "died" if test else "survived"), test

    def _first_failure(self, names: list[str], items, environment) -> str:
        if not names:
            return ""
        ran = self._run([items[name] for name in names], environment)
        return next((name for name, (wrong, _) in ran.items() if wrong), "")

    def _run(
        self,
        items: list[pytest.Item],
        environment: dict[str, str],
        seen: Path | None = None,
        until_one: bool = True,
    ) -> dict[str, tuple[bool, float]]:
        """Run tests in a process of their own; return whether each failed, and its seconds."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                os.close(reader)
                os.environ |= environment
                self._run_here(items, writer, seen, until_one)
            finally:
                os._exit(0)
        os.close(writer)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(LONGEST_S)
        try:
            with os.fdopen(reader, encoding="utf-8") as lines:
                told = [json.loads(line) for line in lines]
        finally:  # it is a session of its own, and would outlive this one
            signal.alarm(0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        ran = {name: (wrong, seconds) for name, wrong, seconds in told}
        if len(ran) < len(items) and not any(wrong for wrong, _ in ran.values()):
            stuck = next(item.nodeid for item in items if item.nodeid not in ran)
            ran[stuck] = (True, LONGEST_S)  # it took the process with it
        return ran

    def _run_here(self, items, writer: int, seen: Path | None, until_one: bool) -> None:
        from longfat.cc import catalogue

        catalogue.forget()
        failed = []
        plugin = type(
            "Watch",
            (),
            {
                "pytest_runtest_logreport": lambda _, report: (
                    failed.append(1) if report.failed else None
                )
            },
        )()
        items[0].config.pluginmanager.register(plugin)

        def late(*_):
            raise TimeoutError("it does not end")

        signal.signal(signal.SIGALRM, late)
        for item, after in zip(items, [*items[1:], None], strict=True):
            if seen:
                os.environ["LONGFAT_MUTANTS_SEEN"] = str(seen / str(hash(item.nodeid)))
            signal.alarm(0 if seen else int(60 + 10 * self.durations[item.nodeid]))
            failed.clear()
            started = time.monotonic()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            signal.alarm(0)
            line = [item.nodeid, bool(failed), time.monotonic() - started]
            os.write(writer, f"{json.dumps(line)}\n".encode())
            if failed and until_one:
                return


def numbered(path: Path) -> list[str]:
    """Return the lines of a file; of those that are alike the second is `#2`, and so on."""
    lines, counts = [], Counter[str]()
    for line in path.read_text("utf-8").splitlines():
        text = line.strip()
        counts[text] += 1
        lines.append(text if counts[text] == 1 else f"{text} #{counts[text]}")
    return lines


def main() -> None:
    """Try the mutants that have not been tried, and print how many died."""
    parser = argparse.ArgumentParser(description="Seeded mutants, and how many the tests notice.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutants, and try none")
    parser.add_argument("--again", default="", help="a pattern of those to be tried once more")
    parser.add_argument("--tests", default="", help="a pattern of the files whose tests are asked")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sites = Sites().found
    texts = {file: numbered(ROOT / file) for file in {site.mutant.file for site in sites}}
    found = {key(s.mutant, texts[s.mutant.file][s.mutant.line - 1]): s for s in sites}
    mutants = {known: site.mutant for known, site in found.items()}
    tried = still_there(KEPT, mutants)
    order = in_order(
        {known: one for known, one in mutants.items() if known not in tried}, options.seed
    )
    keys = [*tried, *order[: max(0, options.count + SPARE - len(tried))]]
    sites = [found[known] for known in keys]
    if options.list:
        for one in (site.mutant for site in sites):
            print(f"{one.file}:{one.line} {one.operator}: {one.before!r} -> {one.after!r}")
        return
    write(KEPT, list(tried.values()))
    copy = Copy(sites)
    copy.write()
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    files = [path for name in TESTS for path in sorted((ROOT / "tests").glob(f"{name}.py"))]
    tests = [str(path) for path in files if re.search(options.tests, path.stem)]
    arguments = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", MARKS, "-k", NAMES, *tests]
    trials = Trials(copy, keys, options.count, options.again, bool(options.tests), out)
    pytest.main([f"--rootdir={ROOT}", *arguments], plugins=[trials])
    os.dup2(out, 1)
    print(report(read(KEPT)))


if __name__ == "__main__":
    main()
