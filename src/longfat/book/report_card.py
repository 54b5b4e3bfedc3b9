"""A sender's report card as one HTML page that opens from a file (`longfat evaluate --html`)."""

import html
from collections.abc import Iterable
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from longfat import pictures, style
from longfat.book import charts, laboratory
from longfat.cc import catalogue
from longfat.engines.segment import wasm
from longfat.errors import InputError
from longfat.studies import evaluation

SITE = "https://long-fat-lossy.github.io/long-fat-lossy/"  # `baseurl` of book/_config.yml
COLORS = {"better": "#2a7f3f", "equal": "#777777", "open": "#b07d00", "worse": "#b3261e"}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
svg {{ max-width: 100%; height: auto; }}
section {{ border-top: 1px solid #ccc; padding: .5rem 0; }}
h2 {{ font-size: 1.05rem; margin: .3rem 0; }}
p {{ margin: .2rem 0; }}
.verdict {{ font-weight: 600; }}
{colors}
@media (prefers-color-scheme: dark) {{
  body {{ background: #14181e; color: #ddd; }}
  figure {{ background: #fff; }}
}}
figure {{ margin: 1rem 0; }}
pre {{ overflow-x: auto; font-size: .8rem; }}
</style>
<h1>{title}</h1>
<p>{counts} RFC 9743 gives no limits, so nothing passes or fails. Each number is of pairs of runs
with the same seeds, which draw rate, buffer and when flows begin; intervals are of 95 %. The least
favourable path of a criterion decides.</p>
<figure>{picture}<figcaption>Where both senders have values above zero: the sender over the standard
one, with its interval, turned so that right of the line is better.</figcaption></figure>
{sections}
<section><h2>Not simulated</h2>{left_out}</section>
</html>
"""


def write(table: pd.DataFrame, sender: str, path: Path) -> list[Path]:
    """Write the card of what `evaluation.evaluate` found; return the files that it is.

    For a header of one's own that is a second page, a Laboratory whose engine has it, where the
    compiler of the engine's module is here. Raises InputError if they cannot be written, and
    SimulationError for a header that this compiler refuses.
    """
    texts = {}
    link = ""
    if _is_own(sender) and wasm.zig_here() == wasm.ZIG_VERSION:
        link = f"{path.stem}-laboratory.html"
        texts[path.with_name(link)] = _laboratory(sender, table["against"].unique())
    texts[path] = page(table, sender, link)
    try:
        for file, text in texts.items():
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written: {error.strerror}") from None
    return [path, *(file for file in texts if file != path)]


def _is_own(sender: str) -> bool:
    header = catalogue.find(sender).header
    return header is not None and header.parent != catalogue.FOLDER


def _laboratory(sender: str, against: Iterable[str]) -> str:
    """Return the Laboratory with this sender, and with all who meet it in a card."""
    needed = dict.fromkeys((sender, *against, evaluation.STANDARD, "newreno"))
    found = {name: catalogue.find(name) for name in needed}
    headers = [one.header for one in found.values() if one.header]
    module = wasm.module_with(headers).read_bytes()
    titles = {name: one.title for name, one in found.items()}
    return laboratory.page(f"{sender} in the Laboratory", module, titles)


def page(table: pd.DataFrame, sender: str, own_laboratory: str = "") -> str:
    """Return the card as HTML. `own_laboratory` is the address of one that has the sender, for a
    header of one's own."""
    deciding = table[table["decides"]]
    others = ", ".join(dict.fromkeys(table["against"]))
    counts = deciding["verdict"].value_counts()
    said = ", ".join(f"{counts[name]} {name}" for name in COLORS if name in counts)
    sections = [
        _section(name, rows, sender, own_laboratory)
        for name, rows in table.groupby("criterion", sort=False)
    ]
    left_out = [
        f"<p>{html.escape(section)}: {html.escape(why)}</p>"
        for section, why in evaluation.NOT_SIMULATED.items()
    ]
    return _PAGE.format(
        title=html.escape(f"{sender} beside {others}"),
        colors="\n".join(f".{name} {{ color: {color}; }}" for name, color in COLORS.items()),
        counts=html.escape(f"By criterion: {said}."),
        picture=_picture(table),
        sections="\n".join(sections),
        left_out="\n".join(left_out),
    )


def _section(name: object, rows: pd.DataFrame, sender: str, own_laboratory: str) -> str:
    head = rows.iloc[0]
    lines = [
        f'<p><span class="verdict {row["verdict"]}">{row["verdict"]}</span>'
        f"{' (decides)' if row['decides'] else ''}, beside {html.escape(row['against'])}: "
        f"{html.escape(evaluation.sentence(row))}</p>"
        for row in rows.to_dict("records")
    ]
    title = f"{name} (RFC 9743, section {head['section']})"
    question = f"<p>{html.escape(head['question'])}</p>"
    decides = next(row for row in rows.to_dict("records") if row["decides"])
    lines.append(_rerun(str(name), decides["path"], sender, own_laboratory))
    return f"<section><h2>{html.escape(title)}</h2>{question}{''.join(lines)}</section>"


def _rerun(criterion: str, path: str, sender: str, own_laboratory: str) -> str:
    """Return how the deciding path is run again: a link where a Laboratory has the sender, or else
    its scenario and the command."""
    scenario = evaluation.scenario(criterion, path, sender, seed=1)
    own = catalogue.find(sender).header
    place = own_laboratory
    if not _is_own(sender) and sender in laboratory.senders():
        place = f"{SITE}book/laboratory.html"
    if place:
        address = html.escape(laboratory.address(scenario, place))
        return f'<p><a href="{address}">Run it in the Laboratory</a> (the first seed).</p>'
    header = f" --header {own.name}" if own else ""
    return (
        "<details><summary>Run it again (the first seed)</summary>"
        f"<p><code>longfat simulate scenario.json{html.escape(header)}</code></p>"
        f"<pre>{html.escape(scenario.to_json())}</pre></details>"
    )


def forest(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the deciding ratios with their intervals, turned so that right is better."""
    more = {one.name: one.more for one in evaluation.criteria()}
    shown = table[table["decides"] & table["is_ratio"]].reset_index(drop=True)
    for end, other in (("measured", "change"), ("left", "low"), ("right", "high")):
        shown[end] = shown[other]
    turned = ~shown["criterion"].map(more)
    shown.loc[turned, "measured"] = 1 / shown.loc[turned, "change"]
    shown.loc[turned, "left"] = 1 / shown.loc[turned, "high"]
    shown.loc[turned, "right"] = 1 / shown.loc[turned, "low"]
    shown["row"] = [
        f"{row.criterion}, {row.against}" if table["against"].nunique() > 1 else row.criterion
        for row in shown.itertuples()
    ]
    verdicts = dict(zip(shown["row"], shown["verdict"], strict=True))
    charts.forest(
        axes,
        shown,
        "measured",
        "row",
        list(shown["row"])[::-1],
        interval=("left", "right"),
        look=lambda row: {"color": COLORS[verdicts[row]], "marker": "o", "markersize": 4},
    )
    axes.axvline(1, color="#777777", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("times as good as the standard sender")


def _picture(table: pd.DataFrame) -> str:
    with plt.rc_context(style.RC):
        figure, axes = plt.subplots(figsize=(7, 1 + 0.28 * int(table["decides"].sum())))
        forest(axes, table)
        text = pictures.svg(figure)
        plt.close(figure)
    return text[text.index("<svg") :]
