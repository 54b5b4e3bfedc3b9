"""The book's collections over all papers, as DataFrames made from the package and its data.

Each function is a table that a page of the book shows by the directive `longfat-table`.
"""

import ast
import importlib
import importlib.util
import json
from typing import Any

import pandas as pd

from longfat import engines, leo, papers, paths, store
from longfat.book import chapters, check, figures
from longfat.cc.catalogue import algorithms
from longfat.papers import sensitivity
from longfat.papers.plausible import Plausible
from longfat.style import ENGINE_LABEL, formulas, label, number, powers
from longfat.verdicts import wording


def catalogue() -> pd.DataFrame:
    """Return the congestion controls that have a card of their own, a row each.

    Columns: name, algorithm, what it does in a sentence (`data/algorithms.csv`), source, code,
    parameters, engines, and used: the pages with archived runs of it. Those of `ns3_classes`
    are left out, and headers of one's own.
    """
    of_figure = figures.catalogue().set_index("name")["chapter"]
    shown = _figures_by_control()
    what = pd.read_csv(paths.DATA / "algorithms.csv").set_index("name")["what"]
    rows = []
    for name, algorithm in algorithms().items():
        if not algorithm.header or name not in what.index:
            continue
        used = sorted({chapters.page(of_figure[figure]) for figure in shown.get(name, [])})
        rows.append(
            {
                "name": name,
                "algorithm": algorithm.title,
                "what": what[name],
                "source": formulas(algorithm.source),
                "code": f"`cc/{algorithm.header.name}`",
                "parameters": [
                    f"`{p.name}` = {powers(f'{p.default}')}: {formulas(p.meaning)} "
                    f"({formulas(powers(p.range))}). Default: {formulas(p.source)}"
                    for p in algorithm.parameters.values()
                ],
                "engines": ", ".join(ENGINE_LABEL[engine] for engine in engines.with_control(name)),
                "used": used,
            }
        )
    return pd.DataFrame(rows)


def capabilities() -> pd.DataFrame:
    """Return which engine and which export can do what, as the code that refuses has it.

    A row a field of a scenario, or what a congestion control needs; a column an engine or export:
    yes, no, or the reason why not.
    """
    columns = ENGINE_LABEL | {"netns": "network namespaces", "mininet": "Mininet"}
    return pd.DataFrame(
        {"what": _field(row)} | {columns[name]: answer for name, answer in cells.items()}
        for row, cells in engines.capabilities.table().items()
    )


def _field(row: str) -> str:
    field, colon, words = row.partition(": ")
    return f"`{field}`{colon}{words}"


def ns3_classes() -> pd.DataFrame:
    """Return the classes of ns-3 3.44 itself, a row each: name, algorithm, parameters."""
    return pd.DataFrame(
        {
            "name": f"`{name}`",
            "algorithm": algorithm.title,
            "source": formulas(algorithm.source),
            "parameters": ", ".join(
                f"`{p.name}` = {p.default} ({formulas(p.meaning)})"
                for p in algorithm.parameters.values()
            )
            or "–",
        }
        for name, algorithm in algorithms().items()
        if algorithm.engine == "ns3"
    )


def _figures_by_control() -> dict[str, list[str]]:
    """Return, by congestion control, the figures and tables whose experiments have a flow of it."""
    used = figures.experiments()
    controls = {
        experiment: {
            flow["congestion_control"]["name"]
            for scenario in store.read_archive(experiment)["scenario"].unique()
            for flow in json.loads(scenario).get("flows", ())
        }
        for experiment in set().union(*used.values()).difference(store.points())
    }
    shown: dict[str, list[str]] = {}
    for figure, experiments in used.items():
        for name in set().union(*(controls.get(experiment, ()) for experiment in experiments)):
            shown.setdefault(name, []).append(figure)
    return shown


def claims_to_check() -> pd.DataFrame:
    """Return the claims that `make claims` checks: the command, minutes, and what should come out.

    The minutes are those of one core, as the archived runs took them.
    """
    table = check.claims()
    minutes = [
        "no run" if not one.runs else f"{max(one.processor_s / 60, 0.1):.1f}"
        for one in table.itertuples()
    ]
    return pd.DataFrame(
        {
            "paper": table["paper"],
            "claim": table["where"] + ": " + table["statement"],
            "longfat claims": "`" + table["id"] + "`",
            "minutes": minutes,
            "expected": table["expected"].map(_with_labels),
        }
    )


def _with_labels(expected: str) -> str:
    """Return what is expected of a claim with a verdict for readers, not for files."""
    *number, verdict = expected.split("; ")
    return "; ".join([*number, wording.worded(verdict)])


def errata_slips() -> pd.DataFrame:
    """Return the slips of the papers' texts, each with its proof in a sentence."""
    return _errata("slip of the text").drop(columns="effect")


def errata_model() -> pd.DataFrame:
    """Return the remarks on the papers' models, each with the size of its effect."""
    return _errata("remark on the model")


def errata_implementers() -> pd.DataFrame:
    """Return the remarks for those who implement what the papers describe."""
    return _errata("remark for implementers").drop(columns="effect")


def _errata(sort: str) -> pd.DataFrame:
    table = _of_all(papers.errata)
    columns = ["paper", "where", "printed", "correct", "effect", "proof"]
    return table[table["sort"] == sort].reindex(columns=columns)


def assumptions() -> pd.DataFrame:
    """Return every value that an experiment needs and its paper does not state, or not for it.

    That is what is assumed, and what a paper states for one of its experiments or for its model and
    we took for others: it has a range all the same. The column `stated` says which, `plausible`
    and `source` what else it may have been (`papers.ranges`). The last two columns are
    `sensitivity.effects`: how far the total goodput of a run moves with it, and the experiments
    that say so.
    """
    ranges = _of_all(_ranges)
    effects = _of_all(lambda paper: sensitivity.effects(paper).assign(paper=paper))
    assumed = _of_all(papers.parameters).merge(ranges, on=["paper", "name"])
    assumed = assumed.assign(stated=assumed["status"].map({"assumed": "no", "stated": "in part"}))
    moves = effects.assign(
        goodput=[
            f"{round(row.low, 1) + 0:+.1f} to {round(row.high, 1) + 0:+.1f} %"
            for row in effects.itertuples()
        ],
        experiments=[
            ", ".join(f"`{name}`" for name in names.split()) for names in effects["experiments"]
        ],
    )
    table = assumed.merge(moves, how="left", on=["paper", "name"])
    table = table.rename(columns={"goodput": "goodput moves by", "experiments": "varied in"})
    columns = ["goodput moves by", "varied in"]
    table[columns] = table[columns].fillna("–")
    table["name"] = [f"{label(name)} (`{name}`)" for name in table["name"]]
    table["value"] = [_value(text) for text in table["value"]]
    about = ["paper", "name", "value", "unit", "stated", "note", "plausible", "source"]
    return table[[*about, *columns]]


def leo_assumptions() -> pd.DataFrame:
    """Return what `topologies.leo` assumes, what else it may be, and the source of that."""
    ranges = _in_words(leo.assumptions())
    table = pd.read_csv(leo.PARAMETERS, dtype={"value": str}).drop(columns="source")
    table = table.merge(ranges, on="name")
    table["value"] = [_value(text) for text in table["value"]]
    table["name"] = "`" + table["name"] + "`"
    return table[["name", "value", "unit", "note", "plausible", "source"]].fillna("")


def leo_shells() -> pd.DataFrame:
    """Return the shells of satellites that have a name, a column each, with where they are from."""
    shells = pd.read_csv(paths.DATA / "leo" / "shells.csv", dtype=str).set_index("name")
    shells.columns = [name.replace("_", " ") for name in shells.columns]
    return shells.T.rename_axis("", axis=0).rename_axis(None, axis=1).reset_index()


def _ranges(paper: str) -> pd.DataFrame:
    """Return what a paper's parameters may have been in words: columns name, plausible, source."""
    return _in_words(papers.ranges(paper)).assign(paper=paper)


def _in_words(ranges: list[Plausible]) -> pd.DataFrame:
    """Return ranges in words: columns name, plausible, source."""
    rows = []
    for one in ranges:
        if one.choices:
            words = "; ".join(_value(choice) for choice in one.choices)
        else:
            words = f"{_value(f'{one.low:g}')} to {_value(f'{one.high:g}')}"
            words += ", in its logarithm" if one.spacing == "log" else ""
        rows.append({"name": one.name, "plausible": words, "source": one.source})
    return pd.DataFrame(rows)


def _value(text: str) -> str:
    """Return a parameter's value, with a large or a small number as a power of ten."""
    try:
        value = float(text)
    except ValueError:
        return text
    return number(value, 4) if value and not 1e-4 <= abs(value) < 1e5 else text


def equations() -> pd.DataFrame:
    """Return every equation of the papers and how it stood up to its derivation."""
    ledgers = []
    for paper in papers.names():
        module = f"longfat.papers.{paper}.derivation"
        if importlib.util.find_spec(module):
            ledger = importlib.import_module(module).ledger()
            ledgers.append(ledger.assign(paper=paper))
    table = pd.concat(ledgers, ignore_index=True)
    table["error"] = [f"{error:.1e}" if error == error else "" for error in table["error"]]
    table["reason"] = table["reason"].map(formulas)
    table["where"] = table["where"].map(formulas)
    return table[["paper", "number", "name", "status", "error", "where", "reason"]]


def test_times() -> pd.DataFrame:
    """Return how each target's tests ended last, and how long they took (tools/tested.py)."""
    table = pd.read_csv(paths.DATA / "test-times.csv")
    table["command"] = [f"`{command}`" for command in table["command"]]
    return table


def notebook_times() -> pd.DataFrame:
    """Return how long each notebook takes from the archive, in s (tools/notebook_times.py)."""
    table = pd.read_csv(paths.DATA / "notebook-times.csv")
    return table.sort_values("median", ascending=False, ignore_index=True)


def slow_tests() -> pd.DataFrame:
    """Return the tests that `make check` and `make test` leave out: file, what it asks, command."""
    rows = []
    for path in sorted((paths.DATA.parent / "tests").glob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        marks = [node for node in tree.body if isinstance(node, ast.Assign)]
        of_all = " ".join(ast.unparse(node) for node in marks if _assigns(node, "pytestmark"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                own = " ".join([of_all, *map(ast.unparse, node.decorator_list)])
                words = node.name.removeprefix("test_").replace("_", " ")
                row = {"file": f"`{path.name}`", "what it asks": words}
                left = [mark for mark in ("slow", "long") if f"pytest.mark.{mark}" in own]
                if left:  # both: in parts
                    rows.append(row | {"command": ", ".join(f"`make test-{one}`" for one in left)})
    return pd.DataFrame(rows, columns=["file", "what it asks", "command"])


def mutants() -> pd.DataFrame:
    """Return how seeded mutants of the code ended, by kind of change (tools/mutants_*.py).

    A row a kind, and one of all: how many were tried, died by a test, changed kept digits alone,
    survived, are still to be tried with all tests, or are equivalent; `share` is what died of all
    that can be told.
    """
    rows = []
    for path in sorted(paths.DATA.glob("mutants-*.csv")):
        tried = pd.read_csv(path, keep_default_na=False).query("outcome != 'stillborn'")
        code = {"mutants-core": "C++", "mutants-python": "Python"}[path.stem]
        for kind, some in [*tried.groupby("operator"), ("all", tried)]:
            can_be_told = some[some["why"] == ""]
            ended = can_be_told["outcome"].value_counts()
            row = {"code": code, "change": kind, "tried": len(some)}
            row |= {name: ended.get(name, 0) for name in ("died", "digits", "survived", "open")}
            row["equivalent"] = len(some) - len(can_be_told)
            rows.append(row | {"share": f"{100 * row['died'] / max(len(can_be_told), 1):.0f} %"})
    return pd.DataFrame(rows)


def surviving_mutants() -> pd.DataFrame:
    """Return the mutants that no test notices, and why where no test can."""
    rows = []
    for path in sorted(paths.DATA.glob("mutants-*.csv")):
        tried = pd.read_csv(path, keep_default_na=False)
        tried = tried.query("outcome == 'survived' or why != ''")
        for one in tried.sort_values(["file", "line", "column"]).itertuples():
            place = f"{one.file.removeprefix('src/longfat/')}:{one.line}"
            words = (" ".join(text.split()) for text in (one.before, one.after))
            before, after = (f"``{text}``" if text else "nothing" for text in words)
            why = f"equivalent: {one.why}" if one.why else ""
            rows.append({"place": f"`{place}`", "change": f"{before} becomes {after}", "why": why})
    return pd.DataFrame(rows, columns=["place", "change", "why"])


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def glossary() -> pd.DataFrame:
    """Return the field's terms in English, with the papers' Japanese ones."""
    return pd.read_csv(paths.DATA / "glossary.csv")


def notation() -> pd.DataFrame:
    """Return the papers' symbols side by side."""
    return pd.read_csv(paths.DATA / "notation.csv")


def _of_all(table: Any) -> pd.DataFrame:
    return pd.concat([table(paper) for paper in papers.names()], ignore_index=True)
