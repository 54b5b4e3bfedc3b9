"""The charts of the chapter on TCP Hybla."""

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Arc, Circle, Patch

from longfat import papers, pictures
from longfat.book import charts, show
from longfat.experiment import Runs, parts
from longfat.papers.hybla import analysis, claims, derivation, inverse, plan, theory
from longfat.papers.hybla.plan import THRESHOLD, WINDOW
from longfat.papers.hybla.theory import QUANTITIES
from longfat.style import number, quantity, short_name, style
from longfat.verdicts import rules

AGREES = {  # a verdict's colour, also for the colour-blind; the cell says it in words too
    "reproduced": "#cfe8dc",
    "depends": "#fbe7b8",
    "tie": "#d8d8f0",
    "undecidable": "#e8e8e8",
    "not reproduced": "#f3c9bd",
    "fitted": "#d9e3f2",
    "not yet measured": "#ffffff",
}


def path(_: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw the way of a segment and of its ACK over a geostationary satellite, not to scale."""
    rtt_s = runs.setting.rtt_s
    figure, axes = show.subplots(figsize=(7, 3.2))
    axes.set(xlim=(-5, 5), ylim=(-0.6, 3.5), aspect="equal")
    axes.axis("off")
    earth = Arc((0, -9.2), 20, 20, theta1=64, theta2=116, color="#7a8ca3", linewidth=2)
    axes.add_patch(earth)
    ends = {"sender": (-3.6, 0.25), "receiver": (3.6, 0.25)}
    for name, (x, y) in ends.items():
        axes.plot(x, y, "^", color="0.2", markersize=11)
        axes.text(x, y - 0.55, name, ha="center")
    axes.add_patch(Circle((0, 3.0), 0.11, color="0.2"))
    axes.plot([-0.5, 0.5], [3.0, 3.0], color="0.2", linewidth=4, solid_capstyle="butt")
    axes.text(0.65, 3.05, "satellite, 36,000 km up", va="center")
    there, back = style("hybla")["color"], "0.45"
    for start, end, shift, color, dash in (
        (ends["sender"], (0, 2.85), 0.12, there, "-"),
        ((0, 2.85), ends["receiver"], 0.12, there, "-"),
        (ends["receiver"], (0, 2.85), -0.12, back, "--"),
        ((0, 2.85), ends["sender"], -0.12, back, "--"),
    ):
        arrow = {
            "arrowstyle": "->",
            "color": color,
            "linestyle": dash,
            "shrinkA": 9,
            "shrinkB": 6,
        }
        a, b = (start[0], start[1] + shift), (end[0], end[1] + shift)
        axes.annotate("", b, a, arrowprops=arrow | {"linewidth": 1.4})
    axes.text(-3.1, 2.0, f"a segment: {rtt_s / 2:g} s", color=there, ha="center")
    axes.text(2.9, 2.0, f"its ACK: {rtt_s / 2:g} s more", color=back, ha="center")
    axes.text(0, 0.35, "the radio link loses a segment with probability $p$", ha="center")
    axes.set_title("Over a geostationary satellite the sender learns nothing for half a second")
    return figure


def phases(traces: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw the window of one flow and name its phases; `traces` are one loss rate's."""
    rtt_s, max_window, until_s = runs.setting.rtt_s, runs.setting.max_window_segments, 25
    window = traces[traces["time_s"] <= until_s]
    figure, axes = show.subplots(figsize=(7, 3.8))
    color = style("hybla")["color"]
    axes.step(window["time_s"], window[WINDOW], where="post", color=color)
    axes.axhline(max_window, color="0.6", linewidth=0.8, linestyle=":")
    place = (until_s, max_window + 8)
    axes.text(*place, "dotted: the largest window $W_m$", ha="right", color="0.4", fontsize=9)
    falls = [
        (start, end)
        for kind, start, end in pictures.phases(window, window[["time_s", THRESHOLD]])
        if kind == "smaller"
    ]
    start_s = window.loc[window[WINDOW] >= max_window, "time_s"].min()
    _note(axes, "slow start: two round trips", (start_s, 0.2 * max_window), (1.8, 60))
    # Of the losses with room to their right, the one with the longest stay at the limit before it.
    stays = {
        later: later[0] - earlier[1]
        for earlier, later in itertools.pairwise(falls)
        if later[1] < 0.75 * until_s
    }
    if stays:
        first, end = max(stays, key=lambda fall: stays[fall])
        middle = first - stays[first, end] / 2
        fallen = float(window.loc[window["time_s"] >= end, WINDOW].iloc[0])
        grown = (end + rtt_s, 1.05 * fallen)
        _note(axes, "at the limit, until", (middle, max_window), (middle, 210), ha="right")
        _note(axes, "a loss: halved", (first, (max_window + fallen) / 2), (first, 150), ha="right")
        _note(axes, "growth: $\\rho^2/W$ for each ACK", grown, (end + 1, 150))
    axes.set(xlabel="time (s)", ylabel="congestion window (segments)", xlim=(0, until_s))
    axes.set_ylim(0, 1.1 * max_window)
    axes.set_title("Hybla's window: to the limit at once, and back to it after each loss")
    return figure


def _note(
    axes: Any, text: str, at: tuple[float, float], where: tuple[float, float], ha: str = "left"
) -> None:
    arrow = {"arrowstyle": "->", "color": "0.3", "linewidth": 0.8}
    axes.annotate(text, at, where, arrowprops=arrow, fontsize=9, color="0.15", ha=ha)


PART_COLORS = dict(zip(analysis.FILE_PARTS, ("0.75", "0.55", "0.35", "black"), strict=True))


def file_parts(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the parts of a file's time by the model, and what was measured, a panel a size."""
    sizes = list(dict.fromkeys(table["megabytes"]))
    figure, panels = show.subplots(1, len(sizes), figsize=(9, 3.2), sharey=True)
    for axes, size in zip(panels, sizes, strict=True):
        own = table[table["megabytes"] == size].reset_index(drop=True)
        left = np.zeros(len(own))
        for name, color in PART_COLORS.items():
            axes.barh(own.index, own[name], left=left, color=color, height=0.55, label=name)
            left = left + own[name].to_numpy()
        axes.errorbar(
            *(own["measured"], own.index),
            xerr=own["halfwidth"],
            label="measured",
            **style("hybla") | {"linestyle": "none", "markersize": 6},
        )
        axes.set_yticks(range(len(own)), [f"$p$ = {number(loss)}" for loss in own["loss"]])
        axes.set(title=f"{size:g} MB", xlabel="time (s)", xlim=(0, None))
        axes.grid(axis="y", visible=False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    figure.suptitle("Where losses are rare a file is slow start, one full window after another")
    return figure


def bursts(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw goodput by the length of bursts, a panel a loss rate (`analysis.bursts`)."""
    losses = list(dict.fromkeys(table["loss"]))
    figure, panels = show.subplots(1, len(losses), figsize=(8, 3.4), sharey=True)
    for axes, loss in zip(panels, losses, strict=True):
        own = table[table["loss"] == loss]
        axes.axhline(own["each_mbps"].iloc[0], color="0.5", ls=":", label="model, loss by loss")
        axes.plot(own["burst_packets"], own["once_mbps"], "k-", label="model, a burst as one loss")
        axes.errorbar(
            *(own["burst_packets"], own["Mb/s"]),
            yerr=own["halfwidth"],
            label="measured",
            **style("hybla") | {"linestyle": "none"},
        )
        axes.set(xscale="log", xlabel="packets in a burst")
        axes.set_xticks([1, 10, 100], ["1", "10", "100"])
        axes.set_title(f"$p$ = {number(loss)}", fontsize=10)
    panels[0].set(ylabel="goodput (Mb/s)", ylim=(0, None))
    panels[0].legend(fontsize=8, loc="lower right")
    figure.suptitle(
        "Losses that come together cost less, until a burst takes a window", fontsize=11
    )
    return figure


def growth(data: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the window without losses beside what (1) and what (6) say a round trip adds.

    `data` has `analysis.growing_window` and `analysis.growth`.
    """
    (trace, rounds), limit_s = parts(data), 4.5
    figure, (left, right) = show.subplots(1, 2, figsize=(7, 3.4), width_ratios=(3, 2))
    measured = show.ENGINE_STYLE["segment"]
    shown = trace[trace["time_s"] <= limit_s]
    left.step(shown["time_s"], shown[WINDOW], where="post", color=measured["color"])
    some = rounds[rounds["time_s"] <= limit_s]
    start = some["before"].iloc[0]
    printed = start + np.cumsum(some["printed"])
    left.plot(some["time_s"], printed, "--D", color=show.PAPER["color"])
    left.annotate(
        "printed: 484 more\neach round trip",
        (some["time_s"].iloc[-1], printed.iloc[-1]),
        (-95, -18),
        textcoords="offset points",
        fontsize=9,
        color="0.4",
    )
    left.annotate(
        "measured",
        (shown["time_s"].iloc[-1], shown[WINDOW].iloc[-1]),
        (-70, -30),
        textcoords="offset points",
        fontsize=9,
        color=measured["color"],
    )
    left.set(xlabel="time (s)", ylabel="congestion window (segments)")
    left.set_title("A round trip adds less than printed")
    ratio = float(np.sqrt(rounds["printed"].iloc[0]))
    windows = np.linspace(1, 2000, 200)
    added = derivation.window_after_round(windows, ratio) - windows
    right.plot(windows, added, label="by (1), ACK by ACK", **show.MODEL)
    right.axhline(ratio**2, color=show.PAPER["color"], linestyle="--", label="printed, $\\rho^2$")
    some = rounds[rounds["before"] <= 2000]
    right.plot(some["before"], some["added"], linestyle="none", label="measured", **measured)
    right.set(xlabel="window before (segments)", ylabel="added in a round trip", ylim=(0, 540))
    right.legend(fontsize=8, loc="lower right")
    return figure


def comparison(transfer: str, metric: str, points: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw one of the paper's figures 3 to 9: the model's line, and the engines' points."""
    quantity = {"throughput": "Goodput", "transfer_time": "Transfer time"}[metric]
    what = "Steady state" if transfer == "steady" else f"{quantity} of {transfer[:-2]} MB"
    return show.comparison_figure(
        theory.curve(runs.setting, transfer, metric),
        dict(list(points.groupby("engine", sort=False))),
        QUANTITIES[metric],
        _headline(what, points, QUANTITIES[metric]),
        f"{quantity.lower()} ({QUANTITIES[metric]})",
        _bands(runs.setting, transfer, metric),
    )


def _bands(at: plan.Setting, transfer: str, metric: str) -> pd.DataFrame:
    """Return how far the paper says that its points are from the model: of its own path alone."""
    bands = claims.bands(papers.claims("hybla"), transfer, metric)
    return bands.assign(bound_percent=bands["printed"]).iloc[: None if at.is_papers else 0]


def _headline(what: str, points: pd.DataFrame, unit: str) -> str:
    """Return how far from the model the paper's simulator is, at small and at any loss.

    Where it was not run, the segment engine.
    """
    labels = [plan.LEGS[leg].label for leg in ("ns2", "segment")]
    engine = next((name for name in labels if name in set(points["engine"])), labels[-1])
    own = points[points["engine"] == engine]
    difference = (100 * (1 - own[unit] / own["model"])).abs()
    few, most = difference[own["loss"] <= 1.0001e-4].max(), difference.max()
    small = "" if pd.isna(few) else f"{few:.1f} % for $p \\leq 10^{{-4}}$, "
    return f"{what}: {engine} is off the model by up to {small}{most:.0f} % overall"


DRAWN_LEGS = ("segment", "ns2", "ns3-simulation", "linux")


def differences(compared: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw how far throughput is from the model over loss: a panel for steady and each transfer.

    Grey is as far as the paper says that its simulation was.
    """
    names = ["steady", *runs.setting.segments]
    figure, panels = show.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True)
    for axes, transfer in zip(panels.flat, names, strict=True):
        for band in _bands(runs.setting, transfer, "throughput").itertuples():
            axes.fill_between(
                [band.loss_min, band.loss_max],
                -band.bound_percent,
                band.bound_percent,
                color=show.PAPER["color"],
                alpha=0.25,
                linewidth=0,
            )
        axes.axhline(0, linewidth=0.8, **show.MODEL)
        some = compared[compared["transfer"] == transfer]
        for leg in DRAWN_LEGS:
            line = some[some["leg"] == leg]
            if line.empty:
                continue
            axes.errorbar(
                line["loss"],
                line["difference"],
                yerr=line["difference_halfwidth"],
                linewidth=1,
                label=plan.LEGS[leg].label,
                **charts.hollow(plan.LEGS[leg].label),
            )
        title = "steady state" if transfer == "steady" else f"{transfer[:-2]} MB"
        axes.set_title(title, fontsize=10)
        axes.set(xscale="log", ylim=(-26, 26))
    panels[0, 0].legend(fontsize=8, loc="lower left")
    figure.supxlabel("probability $p$ that a packet is lost", fontsize=10)
    figure.supylabel("model above (+) or below (–) the measurement (%)", fontsize=10)
    title = "Too low around a loss in 500; too high for 10 MB where losses are rare"
    figure.suptitle(title, fontsize=11)
    return figure


CLAIM_KINDS = (
    "table 3",
    "section 4,\nfew losses",
    "section 4,\nmany losses",
    "conclusion,\nfew losses",
    "conclusion,\nmany losses",
)


def stands(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw which claims on differences stand: a cell a claim, coloured by its verdict.

    In a cell: the claim's number, what the paper printed, and what we measured in per cent.
    """
    rows = sorted(
        dict.fromkeys(table["quantity"]), key=lambda name: (name != "steady state", len(name), name)
    )
    figure, panels = show.subplots(1, len(plan.METHODS), sharex=True, sharey=True, figsize=(9, 4.4))
    ended = table["verdict"].map(rules.verdict_class).value_counts()
    counts = ", ".join(f"{ended[name]} {name}" for name in AGREES if name in ended)
    figure.suptitle(f"{len(table)} claims on differences: {counts}", fontsize=11)
    for row in table.itertuples():
        method, _, kind = row.column.partition("\n")
        axes = panels[plan.METHODS.index(method)]
        x, y = CLAIM_KINDS.index(kind), rows.index(row.quantity)
        face = AGREES[rules.verdict_class(row.verdict)]
        axes.fill_between([x - 0.47, x + 0.47], y - 0.45, y + 0.45, color=face, linewidth=0)
        said = "small" if pd.isna(row.printed) else f"{row.printed:g}"
        ours = "?" if pd.isna(row.measured) else f"{row.measured:.2g}"
        word = {"reproduced": "✓", "not reproduced": "✗", "depends": "±"}
        mark = word.get(rules.verdict_class(row.verdict), "?")
        words = f"{row.number}: {said}\n→ {ours} {mark}"
        axes.text(x, y, words, ha="center", va="center", fontsize=8)
    for method, axes in zip(plan.METHODS, panels, strict=True):
        own = table[table["column"].str.startswith(method)]
        axes.set_title(", ".join([method, *own["engine"].dropna().unique()]), loc="left")
        axes.set_xlim(-0.5, len(CLAIM_KINDS) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(CLAIM_KINDS)), CLAIM_KINDS, fontsize=8)
        axes.set_yticks(range(len(rows)), rows, fontsize=9)
        axes.tick_params(length=0)
        axes.grid(False)
        for side in axes.spines.values():
            side.set_visible(False)
    names = [name for name in AGREES if name in set(table["verdict"].map(rules.verdict_class))]
    labels = {"depends": "depends on a setting"}
    patches = [Patch(color=AGREES[name], label=labels.get(name, name)) for name in names]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(names), fontsize=8)
    return figure


def alternatives(points: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the goodput of Hybla and of what else a sender could run over the satellite."""
    figure, axes = show.subplots()
    for name, line in points.groupby("algorithm", sort=False):
        look = style(str(name))
        axes.errorbar(line["loss"], line["Mb/s"], yerr=line["halfwidth"], **look)
        last = line.iloc[len(line) * 2 // 3]
        below = name == "bbr"  # Hybla's line is close above it
        axes.annotate(
            short_name(str(name)),
            (last["loss"], last["Mb/s"]),
            (-5, -12) if below else (6, 5),
            textcoords="offset points",
            horizontalalignment="right" if below else "left",
            color=look["color"],
        )
    axes.set(xscale="log", xlabel="probability $p$ that a packet is lost", ylabel="goodput (Mb/s)")
    axes.set_ylim(bottom=0)
    axes.set_title("Hybla stays near the limit where NewReno and CUBIC have long fallen")
    return figure


def link_shares(points: pd.DataFrame, _: Runs) -> Drawing:
    """Draw which part of a shared link the flow over the long way gets, over its round trip."""
    figure, axes = show.subplots()
    axes.axhline(0.5, color="0.5", linewidth=0.8, linestyle=":")
    axes.text(0.9, 0.515, "an equal share", color="0.4", fontsize=9, ha="right")
    for name, line in points.groupby("algorithm", sort=False):
        look = style(str(name))
        axes.errorbar(line["rtt_s"], line["share"], yerr=line["halfwidth"], **look)
        last = line.iloc[-1]
        axes.annotate(
            short_name(str(name)),
            (last["rtt_s"], last["share"]),
            (8, -3),
            textcoords="offset points",
            color=look["color"],
        )
    axes.set(xscale="log", ylim=(0, 1), xlim=(0.022, 0.95))
    axes.set(xlabel="round trip of the long way (s)", ylabel="its share of what both get")
    trips = sorted(points["rtt_s"].unique())
    axes.set_xticks(trips, [f"{trip:g}" for trip in trips])
    axes.minorticks_off()
    axes.set_title(
        "Beside a NewReno flow of 25 ms: NewReno starves over a long way, Hybla takes over"
    )
    return figure


def mended(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how far the model with mended premises is from the measurement, a panel an engine."""
    engines = list(dict.fromkeys(table["engine"]))
    figure, panels = show.subplots(1, len(engines), figsize=(9, 4), sharey=True, squeeze=False)
    printed, *others = table.columns.drop(["engine", "loss"])
    looks = [{"color": "black", "marker": "."}, *show.CONTROLS]
    for engine, axes in zip(engines, panels.flat, strict=True):
        own = table[table["engine"] == engine]
        axes.axhline(0, linewidth=1, color="0.5")
        for name, look in zip([printed, *others], looks, strict=True):
            axes.plot(own["loss"], own[name], label=name, **look)
        axes.set(xscale="log", xlabel="probability $p$ that a packet is lost")
        axes.set_ylim(-40, 85)
        axes.set_title(f"beside {'the ' * ('engine' in engine)}{engine}", fontsize=10)
    panels[0, 0].set_ylabel("throughput by the model, over measured (%)")
    panels[0, 0].legend(fontsize=8, loc="upper left")
    figure.suptitle("One miscount explains the misfit, but not beside ns-2's sender", fontsize=11)
    return figure


def symbols(table: pd.DataFrame) -> list[str]:
    """Return the table's columns as formulas: `d_ss` as the symbol that it stands for."""
    return [re.sub(r"^([A-Za-z])(?:_(\w+))?$", _formula, str(name)) for name in table]


def _formula(match: re.Match) -> str:
    letter, index = match.groups()
    return f"${letter}_{{{index}}}$" if index else f"${letter}$"


def window_traces(traces: pd.DataFrame, by: str, title: str) -> Drawing:
    """Draw congestion windows over time on a logarithmic axis, a line for each value of `by`."""
    figure, axes = show.subplots()
    for name, trace in traces.groupby(by, sort=False):
        axes.step(trace["time_s"], trace[WINDOW], where="post", label=name)
    axes.set(xlabel="time (s)", ylabel="congestion window (segments)", yscale="log", title=title)
    axes.legend(*axes.get_legend_handles_labels())
    return figure


def windows_by_loss(traces: pd.DataFrame, _: Runs) -> Drawing:
    """Draw congestion windows over time, a panel a loss rate."""
    figure, panels = show.subplots(3, 1, sharex=True, sharey=True)
    for axes, (loss, trace) in zip(panels, traces.groupby("loss"), strict=False):
        color = show.ENGINE_STYLE["segment"]["color"]
        axes.step(trace["time_s"], trace[WINDOW], where="post", color=color)
        axes.annotate(f"$p$ = {show.number(loss)}", (1.01, 0.5), xycoords="axes fraction")
    panels[0].set_title("Hybla's window is at its limit until losses come every round trip")
    panels[1].set_ylabel("congestion window (segments)")
    panels[2].set_xlabel("time (s)")
    return figure


def inverse_distances(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how far each combination of assumptions is from the paper, the nearest on top.

    `table` is of `inverse.distances`; how many of the printed numbers its runs do not refute stands
    at the right.
    """
    figure, axes = show.subplots(figsize=(8.5, 0.3 * len(table) + 1.3))
    names = []
    for one in table.rename(columns={"Mb/s": "megabits"}).itertuples():
        name = f"{one.recovery}, {quantity(1e6 * one.megabits, 'b/s')}"
        name += ", delayed ACKs" * (one.segments_per_ack == 2)
        queue = f", queue of {one.queue_packets}"
        names.append(name + queue * (one.queue_packets != inverse.STATED_QUEUE))
    rows = np.arange(len(table))
    errors = [table["distance"] - table["low"], table["high"] - table["distance"]]
    axes.errorbar(table["distance"], rows, xerr=errors, linestyle="none", color="0.2", marker="o")
    axes.set_yticks(rows, names, fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("mean distance (percentage points)")
    for row, one in enumerate(table.itertuples()):
        axes.text(
            1.02,
            row + 0.15,  # on a phone names stand above their rows, and reach as far as these
            f"{one.met} of {one.of}",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=9,
        )
    axes.text(1.02, 1.01, "numbers not refuted", transform=axes.transAxes, fontsize=9, va="bottom")
    axes.grid(axis="y")
    title = "The nearest combinations halve the window at once"
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)  # over the words at the right, too
    return figure
