"""The house style of tables and figures: what the cells of a notebook show.

Three things never look alike: what the paper printed (grey, diamonds), the model (black line),
what we measured (colours with intervals).
"""

import hashlib
import itertools
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import myst_nb
import numpy as np
import pandas as pd
from IPython.display import HTML, Markdown, display
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatterMathtext, ScalarFormatter
from matplotlib.transforms import Bbox
from sympy import Symbol, latex

from longfat import experiment
from longfat.book import charts, narrow
from longfat.book.cycle import html as cycle_html
from longfat.book.explorer import html
from longfat.errors import InputError
from longfat.papers.explorer import Explorer
from longfat.papers.hybla.cycle import Cycle
from longfat.pictures import svg
from longfat.scenario import Scenario
from longfat.style import (
    CONTROLS,
    ENGINE_LABEL,
    ENGINE_STYLE,
    MODEL,
    PAPER,
    RC,
    known_style,
    label,
    number,
    powers,
    style,
)
from longfat.verdicts.rules import VERDICTS, verdict_class
from longfat.verdicts.wording import worded

__all__ = [
    "CONTROLS",
    "ENGINE_LABEL",
    "ENGINE_STYLE",
    "MODEL",
    "PAPER",
    "number",
    "style",
]

PICTURE_MIME = "image/svg+xml"
# What a figure shows, as numbers: by these outputs are compared, and not by the picture.
FIGURE_MIME = "application/vnd.longfat.figure+json"
NARROW = "-narrow"  # ends the name of a figure's file for phones
PAGE_FOLDER = "LONGFAT_PAGE_FOLDER"  # where the book wants its figures as SVG
# The names of a measured point's look, before an algorithm's or an engine's is known.
SIMULATION = ENGINE_STYLE["segment"]
EMULATION = ENGINE_STYLE["linux"]
VARIANT: dict[str, Any] = {"color": "#009e73", "marker": "^"}
ENGINES = {label: ENGINE_STYLE[name] for name, label in ENGINE_LABEL.items()}

plt.rcParams.update(RC)

subplots = plt.subplots


def numbers(**values: float | str) -> None:
    """Keep numbers and words of the results for the sentences of the same page.

    What a cell keeps by `numbers(hybla_gain=1.8)` a sentence has by {glue:text}`hybla_gain:.1f`.
    A name begins with the page's. Numbers are kept with ten digits.

    >>> from longfat.book import show
    >>> show.numbers(hybla_gain=1.8)
    """
    for name, value in values.items():
        kept = value if isinstance(value, str) else float(f"{value:.10g}")
        if not isinstance(kept, str) and isinstance(value, int | np.integer):
            kept = int(value)
        myst_nb.glue(name, kept, display=False)


def comparison_figure(
    curve: pd.DataFrame,
    measured: dict[str, pd.DataFrame],
    value: str,
    title: str,
    label: str,
    bands: pd.DataFrame | None = None,
) -> Figure:
    """Draw a quantity over the loss rate: the model's curve and what the engines measured.

    `curve` has columns loss and `value`; each table of `measured` (named as in the legend) has them
    and `halfwidth`, and is hollow where it is another engine's than ours. `bands` (columns
    loss_min, loss_max, bound_percent) shades how far from the model the paper says that its own
    points are.
    """
    figure, axes = plt.subplots()
    for band in [] if bands is None else bands.itertuples():
        inside = curve[curve["loss"].between(band.loss_min * 0.999, band.loss_max * 1.001)]
        axes.fill_between(
            inside["loss"],
            inside[value] * (1 - band.bound_percent / 100),
            inside[value] * (1 + band.bound_percent / 100),
            color=PAPER["color"],
            alpha=0.25,
            linewidth=0,
            label="paper: its points lie within",
        )
    axes.plot(curve["loss"], curve[value], label="model", **MODEL)
    for name, points in measured.items():
        axes.errorbar(
            points["loss"],
            points[value],
            yerr=points["halfwidth"],
            linestyle="none",
            label=name,
            **(charts.hollow(name) if name in ENGINES else VARIANT),
        )
    axes.set(xscale="log", xlabel="probability that a packet is lost", ylabel=label, title=title)
    axes.set_ylim(bottom=0)
    handles = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    axes.legend(handles.values(), handles.keys(), frameon=False)
    return figure


def loss_figure(
    points: pd.DataFrame, value: str, by: str, names: list[str], title: str, label: str
) -> Figure:
    """Draw a measured quantity over the loss rate, a line for each value of the column `by`.

    `points` is an `interval`: columns loss, `by`, `value` and halfwidth. A name that is none of an
    algorithm or an engine has a style by its place in `names`. A loss of 0 has its place left of
    the logarithmic axis. With a column engine the lines are the segment engine's, beside the points
    of the others (`charts.of_other_engines`).
    """
    figure, axes = plt.subplots()
    if "engine" in points:
        charts.of_other_engines(axes, points, "loss", value, by)
        points = points[points["engine"] == ENGINE_LABEL["segment"]]
    smallest = points.loc[points["loss"] > 0, "loss"].min()
    for name, other in zip(names, itertools.cycle(CONTROLS), strict=False):
        line = points[points[by] == name].sort_values("loss")
        look = style(name) if known_style(name) else other
        if not line.empty:
            axes.errorbar(line["loss"], line[value], yerr=line["halfwidth"], label=name, **look)
    axes.set_xscale("symlog", linthresh=smallest, linscale=0.5)
    axes.set(xlabel="probability that a packet is lost", ylabel=label, title=title)
    axes.set_xlim(left=-smallest / 10)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return figure


def show_steps(title: str, steps: tuple[tuple[str, object], ...]) -> Markdown:
    """Return a derivation without a number: a sentence and an expression for each step."""
    parts = [f"**{title}**"]
    for sentence, expression in steps:
        parts += [sentence, f"$$\n{_typeset(expression)}\n$$"]
    return Markdown("\n\n".join(parts))


def links(scenario: Scenario) -> pd.DataFrame:
    """Return what a drawing of a network shows: a row a link."""
    fields = ("source", "target", "rate_bps", "delay_s", "queue_packets", "loss_per_packet")
    return pd.DataFrame([{name: getattr(link, name) for name in fields} for link in scenario.links])


def show_factors(axes: plt.Axes, table: pd.DataFrame, x: str, y: str) -> None:
    """Draw `statistics.fit`'s factor over two assumptions, with a dot where the order is right."""
    wide = table.pivot(index=y, columns=x, values="factor")
    ordered = table.pivot(index=y, columns=x, values="ordered")
    axes.imshow(wide, origin="lower", aspect="auto", cmap="cividis_r", norm=LogNorm(1, 10))
    for i, j in np.ndindex(wide.shape):
        text = f"{wide.iat[i, j]:.1f}" + (" •" if ordered.iat[i, j] else "")
        color = "white" if wide.iat[i, j] > np.sqrt(10) else "black"
        axes.text(j, i, text, ha="center", va="center", fontsize=8, color=color)
    axes.set_xticks(range(wide.shape[1]), [f"{value:g}" for value in wide.columns])
    axes.set_yticks(range(wide.shape[0]), [f"{value:g}" for value in wide.index])
    axes.grid(False)


def show_equations(paper: Any, *numbers: int, label: bool = True) -> Markdown:
    """Return the derivations of numbered equations, as the book shows them.

    `paper` is the module of the derivations (`longfat.papers.hybla.derivation`). The last line of
    each derivation, or a definition as it stands, carries the label `hybla-NUMBER`, by which
    {eq}`hybla-NUMBER` refers to it and the book numbers it as the paper does. An equation has its
    label once in the book; where it is shown again, `label=False` makes it `hybla-NUMBER-again`.
    """
    parts = []
    for n in numbers:
        derived = n in paper.DERIVATIONS
        steps = paper.derive(n).steps if derived else ((_meaning(paper, n), paper.EQ[n]),)
        parts.append(f"**({n}) {paper.NAMES[n]}**")
        for sentence, expression in steps[:-1]:
            parts += [sentence, f"$$\n{_typeset(expression)}\n$$"]
        sentence, equation = steps[-1]
        again = "" if label else "-again"
        parts += [sentence, f"$$\n{_typeset(equation)}\n$$ ({paper.EQ.paper}-{n}{again})"]
    return Markdown("\n\n".join(parts))


def _typeset(expression: Any) -> str:
    """Return a formula in LaTeX: between names of several letters, a product has a space."""
    words = {str(symbol).partition("_")[0].rstrip("'") for symbol in expression.free_symbols}
    long_names = any(len(word) > 1 and word not in _LETTERS for word in words)
    names = {Symbol("packetloss"): r"\text{packet loss}"}
    return latex(expression, mul_symbol=r"\," if long_names else None, symbol_names=names)


_LETTERS = {"alpha", "beta", "gamma", "delta", "Delta", "rho", "lambda", "tau", "sigma", "theta"}


def _meaning(paper: Any, number: int) -> str:
    """What a derivation's module says of an equation that is a definition."""
    return getattr(paper, "MEANINGS", {}).get(number, "Defined as")


def show_cycle(cycle: Cycle) -> HTML:
    """Return a cycle as it appears in the book: to be gone through ACK by ACK."""
    return HTML(cycle_html(cycle))


def show_explorer(explorer: Explorer) -> HTML:
    """Return an explorer as it appears in the book: sliders and curves in one piece of HTML."""
    return HTML(html(explorer))


def show_code(path: Path, start: str = "") -> Markdown:
    """Return a C++ or Python file, or its function that begins with the line containing `start`."""
    python = path.suffix == ".py"
    text = path.read_text(encoding="utf-8")
    if start:
        lines = text.splitlines()
        first = next(number for number, line in enumerate(lines) if start in line)
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        if python:
            inner = f"{indent} "
            ends = (
                n
                for n in range(first + 1, len(lines))
                if lines[n].strip() and not lines[n].startswith(inner)
            )
            last = next(ends, len(lines))
        else:
            last = next(n for n in range(first, len(lines)) if lines[n] == indent + "}") + 1
        text = "\n".join(line.removeprefix(indent) for line in lines[first:last]).rstrip() + "\n"
    return Markdown(f"```{'python' if python else 'cpp'}\n{text}```")


def show_table(
    table: pd.DataFrame,
    formats: Mapping[str, str | Callable] | None = None,
    caption: str = "",
    name: str = "",
) -> HTML:
    """Return the table as it appears in the book: no index, given formats, a caption with a number.

    `caption` and the headers are Markdown, with formulas between dollar signs; numbers such as
    1e-04 become powers of ten; what stands between backquotes is code, and so is a cell that is
    nothing but a name with underscores; what stands between double asterisks is bold.
    The caption of a table without rows says so: its runs were left out.
    Where the book is built, the table is left for its pages as NAME.csv, with six digits.
    """
    if name and (pages := _pages()):
        offer(pages, name, table)
    caption += " (nothing to show here)" if table.empty else ""
    styler = table.style.hide(axis="index").format(formats or {}, na_rep="–")
    identity = hashlib.sha256(caption.encode()).hexdigest()[:8]  # the same in every run
    styler = styler.set_table_attributes('class="longfat"').set_uuid(identity)
    styler = styler.set_table_styles([{"selector": "th, td", "props": "padding: 0.15em 0.6em;"}])
    written = (styler.set_caption(caption) if caption else styler).to_html()
    head, body = written.partition("</style>")[::2]
    written = f"{head}</style>{powers(body, 'html')}"
    written = re.sub(r"(<td [^>]*>)([a-z][a-z0-9]*(?:_[A-Za-z0-9]+)+)(</td>)", _CODE, written)
    written = re.sub(r"`([^`<]+)`", r"<code>\1</code>", written)
    written = re.sub(r"\*\*([^*<]+)\*\*", r"<b>\1</b>", written)
    written = re.sub(r"(<td [^>]*>)-(0\.?0*</td>)", r"\1\2", written)  # no zero below zero
    return HTML(written, metadata={"caption": caption, "name": name} if caption else None)


_CODE = r"\1<code>\2</code>\3"  # a cell that is nothing but a name of the package's


def worded_parameters(table: pd.DataFrame) -> pd.DataFrame:
    """Return a paper's parameters with their names in words and large numbers as people write them.

    `table` is what `papers.parameters` returns.
    """
    table = table.drop(columns="paper").rename(columns={"name": "parameter"})
    return table.assign(
        parameter=table["parameter"].map(label), value=table["value"].map(_plain_value)
    )


def _plain_value(text: str) -> str:
    """Return a stated value: 4000000.0 is 4,000,000, and what is no number stays as it is."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return text
    return f"{value:,.0f}" if value >= 1e4 else f"{value:g}"


VERDICT_COLUMNS = (
    "id",
    "where",
    "statement",
    "printed",
    "measured",
    "low",
    "high",
    "unit",
    "engine",
    "verdict",
    "reason",
)


def show_verdicts(judged: pd.DataFrame, caption: str, name: str = "") -> HTML:
    """Return a chapter's verdicts as they appear in the book.

    `judged` has a row a claim and the columns `VERDICT_COLUMNS`: what the paper printed and what
    was measured, with its interval from `low` to `high`, all in `unit` (missing where there is no
    number); which engine measured it; a verdict (`rules.verdict_class` is one of `VERDICTS`);
    and the reason in sentences. Under `longfat figure` also write NAME.csv. Raises InputError for
    missing columns, other verdicts, and a claim that comes twice.
    """
    if missing := [column for column in VERDICT_COLUMNS if column not in judged]:
        raise InputError(f"verdicts: the columns {', '.join(missing)} are missing")
    if unknown := sorted(set(judged["verdict"].map(verdict_class)) - set(VERDICTS)):
        raise InputError(f"verdicts: {unknown[0]!r} is none of {', '.join(VERDICTS)}")
    if judged["id"].duplicated().any():
        raise InputError(f"verdicts: {judged['id'][judged['id'].duplicated()].iloc[0]} comes twice")
    return show_table(worded_verdicts(judged), caption=caption, name=name)


def worded_verdicts(judged: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts (columns `VERDICT_COLUMNS`) as a reader sees them: numbers with units.

    They are numbered as the chapter's figure of its claims numbers them.
    """
    return pd.DataFrame(
        {
            "no.": range(1, len(judged) + 1),
            "where": judged["where"],
            "claim": judged["statement"],
            "printed": [_number(row.printed, row.unit) for row in judged.itertuples()],
            "measured": [_measured(row) for row in judged.itertuples()],
            "engine": judged["engine"].map(lambda name: ENGINE_LABEL.get(name, name)),
            "verdict": judged["verdict"].map(worded),
            "reason": judged["reason"],
        }
    )


def _number(value: float | str | None, unit: str) -> str:
    if value is None or value != value:
        return "–"
    return f"{value:.6g} {_text(unit)}".strip() if isinstance(value, float | int) else f"{value}"


def _measured(row: Any) -> str:
    if pd.isna(row.measured):
        return "–"
    interval = f" [{number(row.low)}, {number(row.high)}]" if row.low < row.high else ""
    return f"{number(row.measured)}{interval} {_text(row.unit)}".strip()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def show_figure(
    name: str, figure: Figure, data: pd.DataFrame, caption: str, narrow_one: Figure | None = None
) -> None:
    """Show a figure with a caption, which the book numbers and prints under it.

    `caption` is Markdown, with formulas between dollar signs: what to see. As plain text it is
    also what those are told who cannot see the figure. Without data, because its runs were left
    out, say so instead. Where the book is built, NAME.svg and the data, with six digits, are left
    for its pages, and for phones `narrow_one`, or the figure as `narrow.lay_out` makes it.
    """
    if data.empty:
        plt.close(figure)
        print(f"{name}: nothing to draw here.")
        return
    box = settle(figure)
    picture = svg(figure, bbox_inches=box).replace("\n", " ")  # one line of the notebook's file
    described = {"alt": plain(caption), "caption": caption, "name": name}
    kept = {"data": charts.rounded_lines(data), "drawn": charts.drawn(figure)}
    shown = {PICTURE_MIME: picture, "text/plain": repr(figure), FIGURE_MIME: kept}
    if pages := _pages():  # a narrow figure is this one, laid out again
        (pages / f"{name}.svg").write_text(picture, encoding="utf-8")
        offer(pages, name, data)
        offer_narrow(pages, name, narrow_one or figure)
        if narrow_one:
            plt.close(narrow_one)
    display(shown, metadata={PICTURE_MIME: described}, raw=True)
    plt.close(figure)


def settle(figure: Figure) -> Bbox:
    """Give a figure its last look, once for all its files; return the box that holds it, in inches.

    Numbers such as 1e-04 in its texts become powers of ten, and its layout stays as it is then.
    """
    set_powers(figure)
    if layout := figure.get_layout_engine():
        layout.execute(figure)
    with plt.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)  # with one, even "none", savefig lays it out once more
    return figure.get_tightbbox().padded(plt.rcParams["savefig.pad_inches"])


def _pages() -> Path | None:
    """Return the folder of what the book's pages offer, where it is being built."""
    if folder := os.environ.get(PAGE_FOLDER):
        Path(folder).mkdir(parents=True, exist_ok=True)
        return Path(folder)
    return None


def offer_narrow(pages: Path, name: str, figure: Figure) -> None:
    """Write a settled figure as a phone shows it, NAME-narrow.svg, where it is laid out anew."""
    path = pages / f"{name}{NARROW}.svg"
    path.unlink(missing_ok=True)
    if figure.get_figwidth() <= narrow.WIDTH_IN or narrow.lay_out(figure):
        path.write_text(svg(figure, bbox_inches=settle(figure)), encoding="utf-8")


def offer(pages: Path, name: str, data: pd.DataFrame) -> None:
    """Write what a figure or table shows, for a page's readers to download."""
    path = pages / f"{name}.csv"
    data.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def set_powers(figure: Figure) -> None:
    """Write numbers such as 1e-04 in a figure's texts as powers of ten."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), ScalarFormatter | LogFormatterMathtext):
                continue  # they write none, and to ask for labels takes a while
            labels = [label.get_text() for label in axis.get_ticklabels()]
            if any(powers(label) != label for label in labels):
                axis.set_ticks(axis.get_ticklocs(), [powers(label) for label in labels])
    for text in figure.findobj(Text):
        if powers(text.get_text()) != text.get_text():
            text.set_text(powers(text.get_text()))


_SIGNS = {
    r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\times": "×", r"\cdot": "·",
    r"\pm": "±", r"\approx": "≈", r"\to": "→", r"\infty": "∞", r"\sqrt": "√", r"\sum": "Σ",
    r"\ne": "≠", r"\ll": "≪", r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ",
    r"\Delta": "Δ", r"\epsilon": "ε", r"\theta": "θ", r"\lambda": "λ", r"\mu": "μ", r"\rho": "ρ",
    r"\sigma": "σ", r"\tau": "τ", r"\,": " ", r"\ ": " ",
}  # fmt: skip
_RAISED = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def plain(markdown: str) -> str:
    """Return Markdown with formulas as plain text, for those to whom a picture is read.

    >>> from longfat.book import show
    >>> show.plain(r"Above $p = 10^{-4}$ the *window* $W_m$ falls ({cite:p}`x`).")
    'Above p = 10⁻⁴ the window W_m falls.'
    """
    text = re.sub(r" ?\(?\{[\w:]+\}`[^`]*`\)?", "", markdown)
    text = re.sub(r"\$([^$]*)\$", lambda match: _plain_formula(match[1]), text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(\*\*|\*|`)(\S(?:.*?\S)?)\1", r"\2", text)
    return re.sub(r"\s+", " ", powers(text, "text")).strip()


def _plain_formula(tex: str) -> str:
    tex = re.sub(
        r"\\(?:mathrm|text|mathit|operatorname|bar|hat|overline)\s*\{([^{}]*)\}", r"\1", tex
    )
    tex = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2", tex)
    tex = re.sub(r"\\[a-zA-Z]+|\\.", lambda match: _SIGNS.get(match[0], match[0][1:]), tex)
    tex = re.sub(r"\^\{([-+\d]+)\}|\^(\d)", lambda m: (m[1] or m[2]).translate(_RAISED), tex)
    return tex.replace("{", "").replace("}", "")


# --- what a chapter names (`longfat.experiment.Chapter`)


def figure(chapter: experiment.Chapter, name: str) -> None:
    """Show a figure of a chapter (`show_figure`)."""
    one = chapter.find(name, experiment.Figure)
    data = chapter.data(one)
    if data.empty:
        print(f"{name}: nothing to draw here.")
        return
    narrow_one = chapter.narrow_chart(one, data) if _pages() else None
    show_figure(name, chapter.chart(one, data), data, one.caption, narrow_one)


def table(chapter: experiment.Chapter, name: str) -> HTML:
    """Return a table of a chapter as it appears in the book (`show_table`)."""
    one = chapter.find(name, experiment.Table)
    data = chapter.data(one)
    return show_table(data, _formats(data, one.formats), one.caption, name)


def _formats(data: pd.DataFrame, formats: Mapping[str, str]) -> dict[str, str]:
    """Return the format of each column that has one (`experiment.Table`)."""
    usual = {column: formats["*"] for column in data.select_dtypes("number") if "*" in formats}
    return usual | {column: text for column, text in formats.items() if column in data}


def formatted(data: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of texts, as a table of a chapter shows its values."""
    chosen = _formats(data, formats)
    columns = {
        name: [
            "–" if pd.isna(value) else chosen.get(name, "{}").format(value) for value in data[name]
        ]
        for name in data
    }
    return pd.DataFrame(columns, columns=data.columns)


def verdicts(chapter: experiment.Chapter) -> HTML:
    """Return the verdicts on a chapter's claims (`show_verdicts`)."""
    claims = chapter.claims
    if claims is None:
        raise InputError(f"{chapter.name} has no claims")
    return show_verdicts(chapter.data(claims), claims.caption, claims.name)
