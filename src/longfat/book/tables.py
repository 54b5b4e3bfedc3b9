"""The book's collections over all papers, as DataFrames made from the package and its data.

Each function is a table that a page of the book shows by the directive `longfat-table`.
"""

import ast
import importlib
import importlib.util
import json
from pathlib import Path

import nbformat
import pandas as pd

from longfat import papers, paths, statistics, store
from longfat.book import figures, show
from longfat.cc.catalogue import algorithms
from longfat.papers import sensitivity
from longfat.reproduce import LONG


def catalogue() -> pd.DataFrame:
    """Return the congestion controls, a row each.

    Columns: name, algorithm, source, code, parameters with their defaults and ranges,
    engines that have it, and the figures and tables with archived runs of it.
    """
    shown = _figures_by_control()
    return pd.DataFrame(
        {
            "name": f"`{name}`",
            "algorithm": algorithm.title,
            "source": algorithm.source,
            "code": f"`cc/{algorithm.header}`" if algorithm.header else "ns-3's own",
            "parameters": ", ".join(
                f"`{p.name}` = {p.default} ({p.meaning}; {p.range})"
                for p in algorithm.parameters.values()
            ),
            "engines": ", ".join(
                (["ns3", "segment"] if algorithm.type_id else [])
                + (["linux"] if algorithm.linux else [])
            ),
            "figures": ", ".join(shown.get(name, [])) or "–",
        }
        for name, algorithm in algorithms().items()
    )


def _figures_by_control() -> dict[str, list[str]]:
    """Return, by congestion control, the figures and tables whose experiments have a flow of it."""
    used = figures.experiments()
    controls = {
        experiment: {
            flow["congestion_control"]["name"]
            for scenario in store.read_archive(experiment)["scenario"].unique()
            for flow in json.loads(scenario)["flows"]
        }
        for experiment in set().union(*used.values())
    }
    shown: dict[str, list[str]] = {}
    for figure, experiments in used.items():
        for name in set().union(*(controls[experiment] for experiment in experiments)):
            shown.setdefault(name, []).append(figure)
    return shown


def verdicts(notebooks: Path = paths.NOTEBOOKS) -> pd.DataFrame:
    """Return every claim of every paper with what was measured and the verdict.

    It is what `show.show_verdicts` left in the outputs of the chapters in `notebooks`. Columns:
    paper and `show.VERDICT_COLUMNS`.
    """
    rows = []
    for path in sorted(notebooks.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                for row in output.get("data", {}).get(show.VERDICTS_MIME, []):
                    rows.append({"paper": path.stem.removesuffix(LONG)} | row)
    return pd.DataFrame(rows, columns=["paper", *show.VERDICT_COLUMNS])


def verdict_counts(notebooks: Path = paths.NOTEBOOKS) -> pd.DataFrame:
    """Return how many claims of each paper ended how, and of all of them: a column a verdict."""
    table = verdicts(notebooks)
    counts = table.groupby(["paper", "verdict"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=[v for v in statistics.VERDICTS if v in counts], fill_value=0)
    counts.loc["all papers"] = counts.sum()
    return counts.assign(claims=counts.sum(axis=1)).rename_axis("paper").reset_index()


def scoreboard() -> pd.DataFrame:
    """Return `verdicts` as a reader sees them, a row a claim."""
    table = verdicts()
    worded = show.worded_verdicts(table)
    worded.insert(0, "paper", table["paper"])
    return worded


def errata() -> pd.DataFrame:
    """Return what the papers print and cannot mean, each with its proof in a sentence."""
    return _of_all(papers.errata)[["paper", "where", "printed", "correct", "proof"]]


def assumptions() -> pd.DataFrame:
    """Return every value that an experiment needs and its paper does not state.

    The last two columns are `sensitivity.effects`: how far the total goodput of a run moves with
    it, and the experiments that say so.
    """
    table = _of_all(papers.parameters)
    assumed = table[table["status"] == "assumed"]
    effects = _of_all(lambda paper: sensitivity.effects(paper).assign(paper=paper))
    moves = effects.assign(
        goodput=[f"{row.low:+.1f} to {row.high:+.1f} %" for row in effects.itertuples()],
        experiments=[
            ", ".join(f"`{name}`" for name in names.split()) for names in effects["experiments"]
        ],
    )
    table = assumed.merge(moves, how="left", on=["paper", "name"])
    table = table.rename(columns={"goodput": "goodput moves by", "experiments": "varied in"})
    columns = ["goodput moves by", "varied in"]
    table[columns] = table[columns].fillna("–")
    return table[["paper", "name", "value", "unit", "note", *columns]]


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
    return table[["paper", "number", "name", "status", "error", "where", "reason"]]


def slow_tests() -> pd.DataFrame:
    """Return the tests that only `make test-all` runs, a row each: file, what it asks."""
    rows = []
    for path in sorted((paths.DATA.parent / "tests").glob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        marks = [node for node in tree.body if isinstance(node, ast.Assign)]
        whole = any("slow" in ast.unparse(node) for node in marks if _assigns(node, "pytestmark"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                slow = any(ast.unparse(mark) == "pytest.mark.slow" for mark in node.decorator_list)
                if whole or slow:
                    words = node.name.removeprefix("test_").replace("_", " ")
                    rows.append({"file": f"`{path.name}`", "what it asks": words})
    return pd.DataFrame(rows, columns=["file", "what it asks"])


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def glossary() -> pd.DataFrame:
    """Return the field's terms in English, with the papers' Japanese ones."""
    return pd.read_csv(paths.DATA / "glossary.csv")


def notation() -> pd.DataFrame:
    """Return the papers' symbols side by side."""
    return pd.read_csv(paths.DATA / "notation.csv")


def _of_all(table) -> pd.DataFrame:
    return pd.concat([table(paper) for paper in papers.names()], ignore_index=True)
