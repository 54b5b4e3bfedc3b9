"""The drawings of the chapter on TCP-J: a table of `papers.tcpj.experiments` in, a figure out."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from longfat.book import show
from longfat.papers.tcpj.experiments import MODERN, PROTOCOLS, Setting

STYLES = dict(zip(PROTOCOLS, show.CONTROLS, strict=False))


def filters(steps: pd.DataFrame) -> Figure:
    """Draw `experiments.filter_steps`, a panel a way in which ACKs come."""
    figure, panels = show.subplots(1, 2, sharey=True)
    for axes, (name, estimates) in zip(panels, steps.groupby("acks"), strict=True):
        for protocol, line in estimates.groupby("protocol"):
            axes.plot(
                line["time_s"],
                line["estimate_over_rate"],
                label=protocol,
                color=STYLES[protocol]["color"],
            )
        axes.axhline(1, **show.MODEL, linewidth=0.8)
        axes.set(title=name, xlabel="time (s)", ylim=(0, 3), xlim=(0, 4))
    panels[0].set_ylabel("estimate / rate of arrivals")
    panels[0].legend(frameon=False)
    _title(figure, "TCP-J follows a step at once, and overestimates more where ACKs are uneven")
    return figure


def surface(errors: pd.DataFrame) -> Figure:
    """Draw `experiments.fit_surface`: maps over round trip and rate."""
    figure, panels = show.subplots(1, 4, sharey=True, figsize=(9, 4.2))
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
    _title(figure, "Distance to table 2: a valley of one bandwidth-delay product")
    return figure


def random_losses(points: pd.DataFrame, curve: pd.DataFrame) -> Figure:
    """Draw goodput over the bit error rate beside what the models of `experiments.expected` say.

    `points` is a `statistics.interval` of the column Mb/s.
    """
    figure, axes = show.subplots()
    _lines(axes, points, "bit_error_rate", {name: STYLES[name] for name in PROTOCOLS})
    errors = curve["bit_error_rate"]
    axes.plot(errors, curve["pftk"], label="model of Reno (pftk)", **show.MODEL)
    axes.plot(errors, curve["full"], label="link always busy", linestyle=":", **show.MODEL)
    axes.set(
        xscale="log",
        xlabel="bit error rate",
        ylabel="goodput (Mb/s)",
        ylim=(0, None),
        title="Both estimating senders stay up where NewReno and SACK fall",
    )
    axes.legend(frameon=False)
    return figure


def table_2(table: pd.DataFrame) -> Figure:
    """Draw `experiments.table_2`: gains over the bit error rate, a panel a protocol."""
    figure, panels = show.subplots(1, 3, sharey=True, figsize=(9, 4.2))
    for axes, name in zip(panels, PROTOCOLS[1:], strict=True):
        rows = table[table["protocol"] == name]
        errors = rows["bit_error_rate"]
        axes.fill_between(
            errors,
            rows["one_low"],
            rows["one_high"],
            color=STYLES[name]["color"],
            alpha=0.15,
            label="one run of ours",
        )
        ends = [rows["gain"] - rows["low"], rows["high"] - rows["gain"]]
        axes.errorbar(errors, rows["gain"], yerr=ends, label="ours", **STYLES[name])
        axes.plot(errors, rows["printed"], label="paper", linestyle="none", **show.PAPER)
        axes.set(xscale="log", title=name, xlabel="bit error rate", ylim=(-50, 300))
        axes.legend(frameon=False)
    panels[0].set_ylabel("throughput above NewReno's (%)")
    return figure


def wire(trace: pd.DataFrame) -> Figure:
    """Draw the segments that each flow's receiver has got, from a trace of delivered_bytes."""
    figure, axes = show.subplots()
    for flow, line in trace.groupby("flow", sort=False):
        name = flow.split()[0]
        segments = line["delivered_bytes"] / 1460 / 1000
        axes.plot(line["time_s"], segments, label=name, color=STYLES[name]["color"])
    axes.set(
        xlabel="time (s)",
        ylabel="segments received (1000)",
        title="On a wire, three flows over one buffer of 30 packets (seed 1)",
    )
    axes.legend(frameon=False)
    return figure


def estimate(curve: pd.DataFrame, protocol: str, title: str) -> Figure:
    """Draw one of `experiments.Estimates.curves`."""
    figure, axes = show.subplots(figsize=(7, 3))
    axes.plot(curve["time_s"], curve["truth"], label="throughput", **show.MODEL)
    axes.plot(curve["time_s"], curve["estimate"], label="estimate", color=STYLES[protocol]["color"])
    axes.set(xlabel="time (s)", ylabel="Mb/s", ylim=(0, None), title=title)
    axes.legend(frameon=False, loc="lower right")
    return figure


def outages(points: pd.DataFrame) -> Figure:
    """Draw goodput over an outage's length; `points` is a `statistics.interval` of Mb/s."""
    means = points.pivot(index="outage_s", columns="protocol", values="Mb/s")
    spread = 100 * (1 - means.min(axis=1) / means.max(axis=1)).max()
    figure, axes = show.subplots()
    _lines(axes, points, "outage_s", {name: STYLES[name] for name in PROTOCOLS})
    axes.set(
        xscale="log",
        xlabel="length of the outage (s)",
        ylabel="goodput of 10 s (Mb/s)",
        ylim=(0, None),
        title=f"With one outage in 10 s the four are within {spread:.0f} % of each other",
    )
    axes.legend(frameon=False)
    return figure


def window(trace: pd.DataFrame, protocol: str, kind: str, setting: Setting) -> Figure:
    """Draw one of `experiments.Handoffs.windows`, and what pipe and buffer hold afterwards."""
    figure, axes = show.subplots(figsize=(7, 3))
    axes.step(
        trace["time_s"],
        trace["cwnd_segments"],
        where="post",
        color=STYLES[protocol]["color"],
        label=protocol,
    )
    axes.plot(
        [setting.handoff_at_s, setting.duration_s],
        [setting.held_segments] * 2,
        **show.MODEL,
        label="pipe and buffer",
    )
    axes.set(
        xlabel="time (s)",
        ylabel="window (segments)",
        ylim=(0, 60),
        title=f"{protocol}, {kind} movement at {setting.handoff_at_s:g} s (seed 1)",
    )
    axes.legend(frameon=False, loc="upper right")
    return figure


def todays_senders(points: pd.DataFrame) -> Figure:
    """Draw goodput over the bit error rate, today's senders dashed.

    `points` is a `statistics.interval` of the column Mb/s.
    """
    means = points[points["bit_error_rate"] == 4e-6].set_index("protocol")["Mb/s"]
    names = ("NewReno", "Westwood", "TCP-J", *MODERN)
    figure, axes = show.subplots()
    styles = dict(zip(names, show.CONTROLS * 2, strict=False))
    dashed = {name: {"linestyle": "--" if name in MODERN else "-"} for name in names}
    _lines(axes, points, "bit_error_rate", {name: styles[name] | dashed[name] for name in names})
    axes.set(
        xscale="log",
        xlabel="bit error rate",
        ylabel="goodput (Mb/s)",
        ylim=(0, None),
        title="At a bit error rate of 4e-6 BBR gets "
        f"{means['bbr'] / means['TCP-J']:.1f} times the goodput of TCP-J",
    )
    axes.legend(frameon=False, ncols=2)
    return figure


def _lines(axes, points: pd.DataFrame, x: str, styles: dict[str, dict]) -> None:
    """Draw Mb/s over the column `x`, a line with intervals for each name."""
    for name, style in styles.items():
        line = points[points["protocol"] == name]
        axes.errorbar(line[x], line["Mb/s"], yerr=line["halfwidth"], label=name, **style)


def _title(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.02, ha="left", fontsize=11)
