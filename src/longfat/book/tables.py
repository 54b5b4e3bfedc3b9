"""The book's collections over all papers, as DataFrames made from the package and its data.

Each function is a table that a page of the book shows by the directive `longfat-table`.
"""

import ast
import importlib
import importlib.util
import json
from pathlib import Path

import pandas as pd

from longfat import engines, papers, paths, store
from longfat.book import figures
from longfat.cc.catalogue import algorithms
from longfat.papers import sensitivity
from longfat.studies import atlas
from longfat.studies import ns2_beside as ns2_beside_runs
from longfat.style import ENGINE_LABEL, formulas, label, number, powers, short_name


def catalogue() -> pd.DataFrame:
    """Return the congestion controls that have a card of their own, a row each.

    Columns: name, algorithm, what it does in a sentence (`data/algorithms.csv`), source, code,
    parameters, engines, and used: the notebooks with archived runs of it. Those of `ns3_classes`
    are left out.
    """
    notebooks = figures.catalogue().set_index("name")["notebook"]
    shown = _figures_by_control()
    what = pd.read_csv(paths.DATA / "algorithms.csv").set_index("name")["what"]
    rows = []
    for name, algorithm in algorithms().items():
        if name not in what.index:
            continue
        used = sorted({Path(notebooks[figure]).stem for figure in shown.get(name, [])})
        rows.append(
            {
                "name": name,
                "algorithm": algorithm.title,
                "what": what[name],
                "source": formulas(algorithm.source),
                "code": f"`cc/{algorithm.header.name}`" if algorithm.header else "ns-3's own",
                "parameters": [
                    f"`{p.name}` = {powers(f'{p.default}')}: {formulas(p.meaning)} "
                    f"({formulas(powers(p.range))})"
                    for p in algorithm.parameters.values()
                ],
                "engines": ", ".join(ENGINE_LABEL[engine] for engine in engines.with_control(name)),
                "used": used,
            }
        )
    return pd.DataFrame(rows)


def ns3_classes() -> pd.DataFrame:
    """Return the classes of ns-3 3.44 itself, a row each: name, algorithm, parameters."""
    what = pd.read_csv(paths.DATA / "algorithms.csv")["name"].tolist()
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
        if name not in what
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
        for experiment in set().union(*used.values())
    }
    shown: dict[str, list[str]] = {}
    for figure, experiments in used.items():
        for name in set().union(*(controls[experiment] for experiment in experiments)):
            shown.setdefault(name, []).append(figure)
    return shown


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
    we took for others: it is varied all the same. The column `stated` says which. The last two
    columns are `sensitivity.effects`: how far the total goodput of a run moves with it, and the
    experiments that say so.
    """
    table = _of_all(papers.parameters)
    effects = _of_all(lambda paper: sensitivity.effects(paper).assign(paper=paper))
    varied = table.set_index(["paper", "name"]).index.isin(
        effects.set_index(["paper", "name"]).index
    )
    assumed = table[(table["status"] == "assumed") | varied]
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
    return table[["paper", "name", "value", "unit", "stated", "note", *columns]]


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
                if "pytest.mark.long" in own:
                    rows.append(row | {"command": "`make test-long`"})
                elif "pytest.mark.slow" in own:
                    rows.append(row | {"command": "`make test-slow`"})
    return pd.DataFrame(rows, columns=["file", "what it asks", "command"])


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def glossary() -> pd.DataFrame:
    """Return the field's terms in English, with the papers' Japanese ones."""
    return pd.read_csv(paths.DATA / "glossary.csv")


def notation() -> pd.DataFrame:
    """Return the papers' symbols side by side."""
    return pd.read_csv(paths.DATA / "notation.csv")


def atlas_satellite() -> pd.DataFrame:
    """Return the senders on a satellite's path of the atlas: 10 Mb/s, 0.6 s, a loss in a thousand.

    Those that cannot be told from the largest goodput are in bold.
    """
    found = atlas.at(atlas.read(), 1e-3, 0.6, 1e7, 1.0)
    shown = {
        "sender": [
            f"**{short_name(row.sender)}**" if row.first else short_name(row.sender)
            for row in found.itertuples()
        ],
        "goodput, part of the link": _plus_minus(found["goodput"], found["halfwidth"]),
        "95 % of round trips within (ms)": [f"{600 * value:.0f}" for value in found["rtt_95"]],
    }
    for neighbour in ("newreno", "cubic"):
        half = found[f"{neighbour}_high"] - found[neighbour]
        shown[f"a {short_name(neighbour)} beside it keeps"] = _plus_minus(found[neighbour], half)
    return pd.DataFrame(shown)


def atlas_senders() -> pd.DataFrame:
    """Return on how many of the atlas' paths each sender is among the best, in per cent."""
    table = atlas.read()
    found = atlas.summary(table)
    shown = {
        "sender": [short_name(name) for name in found["sender"]],
        "among the best (%)": [f"{100 * value:.0f}" for value in found["first"]],
    }
    for loss in sorted(table["loss"].unique()):
        column = [f"{100 * value:.0f}" for value in found[f"first_{loss:g}"]]
        shown[f"at a loss of {number(loss)} (%)"] = column
    shown["95 % of round trips, times the empty path's"] = [
        f"{value:.1f}" for value in found["rtt_95"]
    ]
    for neighbour in ("newreno", "cubic"):
        shown[f"{short_name(neighbour)} keeps"] = [f"{value:.2f}" for value in found[neighbour]]
    return pd.DataFrame(shown)


def _plus_minus(means: pd.Series, halves: pd.Series) -> list[str]:
    return [f"{mean:.2f} ± {half:.2f}" for mean, half in zip(means, halves, strict=True)]


def ns2_habits() -> pd.DataFrame:
    """Return what ns-2 does by habit, a row a habit: by itself, here, and what the papers say."""
    table = pd.read_csv(paths.DATA / "ns2-habits.csv", keep_default_na=False)
    table["setting"] = table["setting"].replace("", "–")
    return table


def ns2_beside() -> pd.DataFrame:
    """Return ns-2's goodput beside that of the segment engine and of Linux."""
    measured = ns2_beside_runs.runs(ns2_beside_runs.controls())
    linux = store.read_archive("cross-check-linux").rename(
        columns={
            "flows.0.congestion_control.name": "control",
            "links.0.loss_per_packet": "loss",
        }
    )
    table = ns2_beside_runs.beside(measured, {"Linux": linux})
    senders = table["control"].map(short_name)
    shown = pd.DataFrame({"sender": senders, "$p$": table["loss"].map("{:g}".format)})
    for name in ("ns-2", "segment engine", "Linux"):
        cells = [f"{value:.2f}" if value == value else "–" for value in table[name]]
        shown[f"{name} (Mb/s)"] = cells
    shown["ns-2 / segment engine"] = [_ratio(row._asdict(), "ratio") for row in table.itertuples()]
    return shown


def ns2_switches() -> pd.DataFrame:
    """Return how ns-2's goodput is over the segment engine's before and after each switch."""
    table = ns2_beside_runs.switches(ns2_beside_runs.runs(ns2_beside_runs.controls()))
    shown = {
        "sender": table["control"].map(short_name),
        "what is changed": table["switch"],
        "$p$": table["loss"].map("{:g}".format),
        "ns-2 (Mb/s)": table["ns-2"].map("{:.2f}".format),
        "segment engine (Mb/s)": table["segment engine"].map("{:.2f}".format),
        "ratio before": table["before"].map(_ratio),
        "ratio after": table["after"].map(_ratio),
    }
    return pd.DataFrame(shown)


def _ratio(found: dict, name: str = "measured") -> str:
    return f"{found[name]:.2f} [{found['low']:.2f}, {found['high']:.2f}]"


def _of_all(table) -> pd.DataFrame:
    return pd.concat([table(paper) for paper in papers.names()], ignore_index=True)
