"""The charts of the chapter on TCP-J."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from longfat.book import charts, show
from longfat.experiment import Runs
from longfat.papers.tcpj import theory
from longfat.papers.tcpj.plan import KEEPING, MODERN, PROTOCOLS, REPEATING, WITH_SACK
from longfat.style import ENGINE_LABEL, MODEL, PAPER, short_name, style
from longfat.verdicts import wording

SACK = style("NewReno") | {"color": "#8da0cb", "marker": "s", "linestyle": "--"}
KEPT = {"color": "0.35", "marker": "v", "linestyle": "-."}
VERDICTS = {  # a colour and a mark each, told apart without colour too
    "reproduced": ("#009e73", "o"),
    "not reproduced": ("#d55e00", "X"),
    "depends": ("#e69f00", "D"),
    "tie": ("0.35", "d"),
    "undecidable": ("0.6", "P"),
    "fitted": ("0.8", "s"),
    "not yet measured": ("0.9", "."),
}


def style_of(protocol: str) -> dict[str, Any]:
    """Return how a protocol is drawn, on every page: SACK is NewReno's sender, dashed."""
    if protocol == "SACK":
        return SACK
    if protocol == WITH_SACK:
        return style("Westwood") | {"linestyle": "--"}
    return style(protocol)


# --- pictures that need no run


def movements(_: pd.DataFrame, __: Runs) -> Drawing:
    """Draw the three kinds of movement (the paper's figure 1) in our own picture."""
    figure, axes = show.subplots(figsize=(7, 4))
    axes.set_axis_off()
    axes.set(xlim=(-0.2, 10.2), ylim=(-0.5, 6.2))
    at = {
        "sender (CN)": (5, 5.7),
        "regional router 1": (2.6, 4.2),
        "regional router 2": (8.6, 4.2),
        "router": (1.5, 2.8),
        "router ": (4.2, 2.8),
        "router  ": (8.6, 2.8),
        "access\nrouter 1": (0.6, 1.3),
        "access\nrouter 2": (2.4, 1.3),
        "access\nrouter 3": (4.8, 1.3),
        "access\nrouter 4": (8.6, 1.3),
    }
    names = list(at)
    pairs = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (3, 7), (4, 8), (5, 9)]
    for one, other in pairs:
        (x0, y0), (x1, y1) = at[names[one]], at[names[other]]
        axes.plot([x0, x1], [y0, y1], color="0.5", linewidth=1.2, zorder=1)
    for left, width, name in ((-0.1, 5.9, "domain 1"), (7.2, 2.9, "domain 2")):
        box = FancyBboxPatch((left, 0.7), width, 4.0, boxstyle="round", color="0.95", zorder=0)
        axes.add_patch(box)
        axes.text(left + width, 4.45, name, ha="right", color="0.4", size=9)
    for name, (x, y) in at.items():
        frame = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.3"}
        axes.text(x, y, name.strip(), ha="center", va="center", size=8, bbox=frame, zorder=2)
    colors = {"A": "#009e73", "B": "#e69f00", "C": "#d55e00"}
    ends = {"A": (0.6, 2.4), "B": (2.4, 4.8), "C": (4.8, 8.6)}
    words = {"A": "local", "B": "non-local", "C": "non-local"}
    for name, (start, end) in ends.items():
        arrow = FancyArrowPatch(
            (start + 0.15, 0.55),
            (end - 0.15, 0.55),
            connectionstyle="arc3,rad=0.25",
            arrowstyle="-|>",
            mutation_scale=14,
            linewidth=2,
            color=colors[name],
        )
        axes.add_patch(arrow)
        label = f"{name}: {words[name]}"
        axes.text((start + end) / 2, -0.3, label, ha="center", color=colors[name], size=10)
    return figure


def anatomy(windows: pd.DataFrame, _: Runs) -> Drawing:
    """Draw windows over time, with what happens to them."""
    traces = dict(list(windows.groupby("protocol", sort=False)))
    figure, panels = show.subplots(2, 1, sharex=True, sharey=True, figsize=(7, 5))
    for axes, (name, trace) in zip(panels, traces.items(), strict=True):
        time, window = trace["time_s"], trace["cwnd_segments"]
        threshold = trace["ssthresh_segments"]
        slow = window < threshold
        axes.fill_between(time, 0, 25, where=slow, step="post", color="0.92", linewidth=0)
        axes.step(time, window, where="post", color=style_of(name)["color"])
        axes.step(time, threshold, where="post", color="0.4", linestyle=":")
        axes.set(ylim=(0, 25), ylabel="window (segments)", title=name)
        before = window.shift()
        timeouts = time[(window < 3.5) & (before - window > 3) | (window < 1.5) & (before >= 2)]
        axes.plot(timeouts, np.full(len(timeouts), 0.8), "v", color="black", markersize=6)
    panels[0].text(0.1, 24, "grey: slow start", size=9, va="top")
    words = {
        "NewReno": ("a loss halves the window", "half of the window"),
        "TCP-J": ("a loss sets it to $BW \\cdot RTT_{min}$", "$BW \\cdot RTT_{min}$"),
    }
    for axes, (name, trace) in zip(panels, traces.items(), strict=True):
        fall = trace["cwnd_segments"].diff()
        cut = trace[(fall < -2) & (trace["cwnd_segments"] > 2.5)].iloc[0]
        axes.annotate(
            words[name][0],
            (cut["time_s"], cut["cwnd_segments"]),
            (cut["time_s"] + 2.5, 19),
            size=9,
            arrowprops={"arrowstyle": "->", "color": "0.3"},
        )
        axes.text(20, 22.5, f"dotted: the threshold, {words[name][1]}", ha="right", size=9)
    panels[1].text(20, 19.5, "▾ timeout: one segment", ha="right", size=9)
    panels[1].set_xlabel("time (s)")
    figure.suptitle("NewReno halves its window again and again, TCP-J keeps the path nearly full")
    return figure


# --- filters


def filters(steps: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how the filters follow a step, a panel a way in which ACKs come."""
    figure, panels = show.subplots(1, 2, sharey=True, figsize=(7, 3.4))
    for axes, (name, estimates) in zip(panels, steps.groupby("acks"), strict=True):
        for protocol, line in estimates.groupby("protocol"):
            axes.plot(
                line["time_s"],
                line["estimate_over_rate"],
                label=protocol,
                color=style_of(protocol)["color"],
            )
        axes.axhline(1, **MODEL, linewidth=0.8)
        axes.set(title=name, xlabel="time (s)", ylim=(0, 3), xlim=(0, 4))
    panels[0].set_ylabel("estimate / rate of arrivals")
    figure.suptitle("Uneven ACKs lift both estimates, TCP-J's more")
    panels[0].legend(frameon=False)
    return figure


# --- the lost link, and random losses


def surface(errors: pd.DataFrame, _: Runs) -> Drawing:
    """Draw maps over round trip and rate."""
    figure, panels = show.subplots(1, 4, sharey=True, figsize=(9, 4))
    for axes, column in zip(panels, ("all", *PROTOCOLS[1:]), strict=True):
        square = errors.pivot(index="rate_bps", columns="rtt_s", values=column)
        axes.imshow(square, origin="lower", aspect="auto", vmin=0, vmax=0.6, cmap="viridis")
        for i, j in np.ndindex(square.shape):
            error = square.iloc[i, j]
            color = "white" if error < 0.4 else "black"
            axes.text(j, i, f"{error:.2f}", ha="center", va="center", size=6.5, color=color)
        axes.set_xticks(range(square.shape[1]), [f"{1000 * rtt:.0f}" for rtt in square.columns])
        axes.set_yticks(range(square.shape[0]), [f"{rate / 1e6:g}" for rate in square.index])
        axes.set(title="all three" if column == "all" else column, xlabel="round trip (ms)")
        axes.grid(visible=False)
    panels[0].set_ylabel("radio rate (Mb/s)")
    figure.suptitle("Many links fit table 2 about as well: a valley, not a pit")
    return figure


def random_losses(points: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw goodput over the bit error rate beside what a model of Reno says (`theory.expected`).

    `points` is of `analysis.loss_points`; those of other engines are hollow.
    """
    curve = theory.expected(runs.setting, np.geomspace(1e-8, 1e-5, 121))
    figure, axes = show.subplots()
    x, ours = "bit_error_rate", points["engine"] == ENGINE_LABEL["segment"]
    _lines(axes, points[ours], x, PROTOCOLS)
    charts.of_other_engines(axes, points, x, "Mb/s", "protocol", look=style_of)
    errors = curve["bit_error_rate"]
    axes.plot(errors, curve["pftk"], label="model of Reno", **MODEL, linewidth=1)
    axes.plot(errors, curve["full"], label="link always busy", linestyle=":", **MODEL)
    axes.set(
        xscale="log",
        xlabel="bit error rate",
        ylabel="goodput (Mb/s)",
        ylim=(0, None),
        title="Westwood and TCP-J stay up where NewReno and SACK fall",
    )
    axes.legend(frameon=False)
    return figure


def repeating(points: pd.DataFrame, _: Runs) -> Drawing:
    """Draw goodput over the bit error rate, a panel a radio; `points` is an `interval` of Mb/s."""
    figure, panels = show.subplots(1, len(REPEATING), sharey=True, figsize=(10, 3.8))
    for axes, radio in zip(panels, REPEATING, strict=True):
        here = points[points["radio"] == radio]
        _lines(axes, here, "bit_error_rate", PROTOCOLS)
        _lines(axes, here, "bit_error_rate", [KEEPING], **KEPT)
        axes.set(xscale="log", xlabel="bit error rate (millionths)", title=radio, ylim=(0, 4.2))
        rates = sorted(here["bit_error_rate"].unique())
        axes.set_xticks(rates, [f"{1e6 * rate:g}" for rate in rates])
        axes.minorticks_off()
    panels[0].set_ylabel("goodput (Mb/s)")
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def table_2(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw table 2: gains over the bit error rate, a panel a protocol."""
    figure, panels = show.subplots(1, 3, sharey=True, figsize=(9, 4))
    for axes, name in zip(panels, PROTOCOLS[1:], strict=True):
        rows = table[table["protocol"] == name].sort_values("bit_error_rate")
        errors, look = rows["bit_error_rate"], style_of(name)
        axes.fill_between(
            errors,
            rows["one_low"],
            rows["one_high"],
            color=look["color"],
            alpha=0.15,
            label="one run of ours",
        )
        ends = [rows["gain"] - rows["low"], rows["high"] - rows["gain"]]
        axes.errorbar(errors, rows["gain"], yerr=ends, label="mean of ours", **look)
        axes.plot(errors, rows["printed"], label="paper", linestyle="none", **PAPER)
        axes.set(xscale="log", title=name, xlabel="bit error rate", ylim=(-50, 400))
        axes.legend(frameon=False, loc="upper left", fontsize=8)
    axes = panels[PROTOCOLS.index("Westwood") - 1]
    axes.plot([4e-6], [115], linestyle="none", **PAPER | {"fillstyle": "none"})
    axes.annotate("115?", (4e-6, 115), (1e-6, 150), size=9, arrowprops={"arrowstyle": "-"})
    panels[0].set_ylabel("throughput above NewReno's (%)")
    inside = table["printed"].between(table["one_low"], table["one_high"]).sum()
    figure.suptitle(f"{inside} of the {len(table)} printed gains lie where one run of ours may lie")
    return figure


# --- the shared wire


def wire(trace: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the segments that each flow's receiver has got (`analysis.wire_trace`)."""
    figure, axes = show.subplots(figsize=(7, 3.4))
    received = trace.groupby("flow", sort=False)["segments"].max()
    for flow, line in trace.groupby("flow", sort=False):
        name, look = flow.split()[0], style_of(flow.split()[0])
        segments = line["segments"] / 1000
        look = {key: look[key] for key in ("color", "linestyle") if key in look}
        axes.plot(line["time_s"], segments, **look)
        place = "top" if flow == received.idxmin() else "bottom"  # names beside each other part
        end = line["time_s"].iloc[-1], segments.iloc[-1]
        axes.text(*end, f" {name}", color=look["color"], va=place)
    axes.set(xlabel="time (s)", ylabel="segments received (1000)", xlim=(0, 225))
    axes.set_title(f"The lines part: {received.idxmax().split()[0]} gets the most")
    return figure


def wire_map(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw TCP-J's share, and what the others lose, over the wire's values."""
    figure, panels = show.subplots(1, 3, sharey=True, figsize=(9, 3.6))
    for axes, (column, title, low, high, form) in zip(
        panels,
        (
            ("share", "TCP-J's share of the wire", 1 / 3 - 0.35, 1 / 3 + 0.35, "{:.2f}"),
            ("harm", "what the others lose (%)", -40, 40, "{:.0f}"),
            ("estimate", "estimate over own goodput", -1, 3, "{:.1f}"),
        ),
        strict=True,
    ):
        square = table.pivot(index="rate_bps", columns="rtt_s", values=column)
        axes.imshow(square, origin="lower", aspect="auto", vmin=low, vmax=high, cmap="RdBu_r")
        for i, j in np.ndindex(square.shape):
            value = square.iloc[i, j]
            far = abs((value - low) / (high - low) - 0.5) > 0.3
            color = "white" if far else "black"
            axes.text(j, i, form.format(value), ha="center", va="center", size=9, color=color)
        axes.set_xticks(range(square.shape[1]), [f"{1000 * rtt:.0f}" for rtt in square.columns])
        axes.set_yticks(range(square.shape[0]), [f"{rate / 1e6:g}" for rate in square.index])
        axes.set(title=title, xlabel="round trip (ms)")
        axes.grid(visible=False)
    panels[0].set_ylabel("rate of the wire (Mb/s)")
    least, most = 100 * table["share"].min(), 100 * table["share"].max()
    figure.suptitle(f"What TCP-J takes depends on the wire: {least:.0f} to {most:.0f} % of it")
    return figure


# --- the estimates


def estimates(curves: pd.DataFrame, _: Runs) -> Drawing:
    """Draw estimates of one bit error rate beside the throughput, a panel a protocol."""
    figure, panels = show.subplots(2, 1, sharex=True, sharey=True, figsize=(7, 4.4))
    for axes, (name, curve) in zip(panels, curves.groupby("protocol", sort=False), strict=True):
        _estimate(axes, curve, str(name))
        axes.set(ylabel="Mb/s", ylim=(0, None), title=name)
        place = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
        axes.legend(**place, frameon=False, ncols=2)
    panels[1].set_xlabel("time (s)")
    figure.suptitle("TCP-J's estimate is steady, Westwood's follows the dips")
    return figure


def estimate(protocol: str, title: str, curve: pd.DataFrame, _: Runs) -> Drawing:
    """Draw an estimate beside the throughput, second by second."""
    figure, axes = show.subplots(figsize=(7, 3))
    _estimate(axes, curve, protocol)
    axes.set(xlabel="time (s)", ylabel="Mb/s", ylim=(0, None), title=title)
    axes.legend(frameon=False, loc="lower right")
    return figure


def _estimate(axes: Axes, curve: pd.DataFrame, protocol: str) -> None:
    axes.plot(curve["time_s"], curve["truth"], label="throughput", **MODEL, linewidth=1)
    color = style_of(protocol)["color"]
    axes.plot(curve["time_s"], curve["estimate"], label="estimate", color=color)


# --- outages and handoffs


def outages(points: pd.DataFrame, _: Runs) -> Drawing:
    """Draw goodput over an outage's length; `points` is a `statistics.interval` of Mb/s.

    Those of other engines are hollow.
    """
    figure, axes = show.subplots()
    ours = points["engine"] == ENGINE_LABEL["segment"]
    _lines(axes, points[ours], "outage_s", (*PROTOCOLS, WITH_SACK))
    charts.of_other_engines(axes, points, "outage_s", "Mb/s", "protocol", look=style_of)
    axes.set(
        xscale="log", xlabel="length of the outage (s)", ylabel="mean goodput over 10 s (Mb/s)"
    )
    axes.set_title("A short outage is mended by SACK, a long one by the timer")
    axes.set_ylim(0.95 * points["Mb/s"].min(), None)
    axes.legend(frameon=False)
    return figure


def handoff_windows(kind: str, traces: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw windows around one kind of movement, a panel a sender."""
    figure = _windows(traces, runs)
    figure.suptitle(f"After a {kind} movement the windows look the same")
    return figure


def window(traces: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw a sender's window around a movement, and what path and buffer hold afterwards."""
    figure = _windows(traces, runs)
    protocol = traces["label"].iloc[0]
    figure.axes[0].set_title(f"{protocol}'s window saws up to what path and buffer hold")
    return figure


def _windows(traces: pd.DataFrame, runs: Runs) -> Drawing:
    at, count = runs.setting, traces["label"].nunique()
    figure, panels = show.subplots(
        count, 1, sharex=True, sharey=True, figsize=(7, 2.2 * count + 0.3), squeeze=False
    )
    for axes, (name, trace) in zip(panels.flat, traces.groupby("label", sort=False), strict=True):
        color = style_of(str(name).split(",")[0])["color"]
        axes.step(trace["time_s"], trace["cwnd_segments"], where="post", color=color)
        axes.plot(
            [at.handoff_at_s, at.duration_s],
            [at.held_segments] * 2,
            **MODEL,
            linewidth=1,
            label="what path and buffer hold",
        )
        axes.axvline(at.handoff_at_s, color="0.5", linestyle=":")
        axes.set(ylabel="window (segments)", ylim=(0, 60), title=name)
        axes.legend(frameon=False, loc="upper right")
    axes.set_xlabel("time (s)")
    return figure


# --- beyond the paper


def todays_senders(points: pd.DataFrame, _: Runs) -> Drawing:
    """Draw goodput over the bit error rate, today's senders dashed.

    `points` is a `statistics.interval` of the column Mb/s.
    """
    figure, axes = show.subplots()
    _lines(axes, points, "bit_error_rate", ("NewReno", "Westwood", "TCP-J"))
    _lines(axes, points, "bit_error_rate", MODERN, linestyle="--")
    worst = points[points["bit_error_rate"] == points["bit_error_rate"].max()]
    first, second = worst.sort_values("Mb/s", ascending=False)["protocol"].iloc[:2]
    first, second = (short_name(name) for name in (first, second))
    axes.set_title(f"Where bits are hit most often {first} is first and {second} second")
    axes.set(xscale="log", xlabel="bit error rate", ylabel="goodput (Mb/s)", ylim=(0, None))
    axes.legend(frameon=False, ncols=2)
    return figure


GROUPS = {  # which claims stand in one line of `claims`
    "table 2, SACK": "tcpj-t2-sack",
    "table 2, Westwood": "tcpj-t2-westwood",
    "table 2, TCP-J": "tcpj-t2-tcpj",
    "abstract": "tcpj-abstract",
    "random losses": (
        *("tcpj-s4-peak", "tcpj-s4-above-w", "tcpj-s4-newreno", "tcpj-s4-rare", "tcpj-s2-west"),
    ),
    "splits, proxies": ("tcpj-s2-split", "tcpj-s2-proxy"),
    "a shared wire": ("tcpj-s4-shares", "tcpj-s4-no-harm", "tcpj-s3-alpha"),
    "estimates": (
        *("tcpj-s4-abe", "tcpj-s4-tustin", "tcpj-s4-above-in", "tcpj-s4-dips", "tcpj-s2-cost"),
        "tcpj-s4-accuracy",
    ),
    "outages, keeping": ("tcpj-s4-outages", "tcpj-s4-faster", "tcpj-s3-keep", "tcpj-s3-cause"),
    "movements": ("tcpj-s4-local", "tcpj-s4-nonlocal", "tcpj-s4-unannounced", "tcpj-s4-beacon"),
    "other streams": ("tcpj-s4-kinder", "tcpj-s5-others"),
}


def claims(judged: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the verdicts of `judge`: a mark a claim, with its number, a line a part of the paper."""
    figure, axes = show.subplots(figsize=(7, 4.4))
    sorts = judged["verdict"].where(~judged["verdict"].str.startswith("depends"), "depends")
    order = list(VERDICTS)
    places: dict[str, list[tuple[int, float]]] = {name: [] for name in order}
    for row, start in enumerate(GROUPS.values()):
        own = sorts[judged["id"].str.startswith(start)]
        for column, (claim, verdict) in enumerate(
            sorted(own.items(), key=lambda one: order.index(one[1]))
        ):
            places[verdict].append((column, row - 0.15))
            axes.text(column, row + 0.32, claim + 1, fontsize=7, ha="center", va="center")
    for verdict, (color, marker) in VERDICTS.items():
        if there := places[verdict]:
            words = "depends on what is not stated" if verdict == "depends" else verdict
            look: dict[str, Any] = {"color": color, "markeredgecolor": "white", "label": words}
            axes.plot(*zip(*there, strict=True), marker, markersize=8, **look)
    axes.set_yticks(range(len(GROUPS)), list(GROUPS))
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_xlim(-0.5, 8.5)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    figure.legend(frameon=False, loc="outside right center")
    axes.set_title(wording.tally(judged))
    return figure


def _lines(axes: Any, points: pd.DataFrame, x: str, names: Any, **more: Any) -> None:
    """Draw Mb/s over the column `x`, a line with intervals for each name."""
    for name in names:
        line = points[points["protocol"] == name]
        look = style_of(name) | more
        label = short_name(name)
        axes.errorbar(line[x], line["Mb/s"], yerr=line["halfwidth"], label=label, **look)
