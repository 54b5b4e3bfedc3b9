"""The figures of the second page of the chapter on every sender."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from longfat.book import charts
from longfat.studies import senders_long
from longfat.style import short_name, style

WORDS = {
    "neither": "neither",
    "pacing": "pacing",
    "estimate": "estimate",
    "both": "estimate and pacing",
}


def _lines(axes: Axes, traces: pd.DataFrame) -> None:
    for name, trace in traces.groupby("sender", sort=False):
        color = style(name)["color"]
        axes.step(trace["time_s"], trace["MB"], where="post", color=color, label=short_name(name))
    axes.set(xlabel="time (s)", ylabel="delivered (MB)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def outage(traces: pd.DataFrame, costs: pd.DataFrame, length_s: float = 5.0) -> Figure:
    """Draw a transfer through an outage, and what an outage costs by its length."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
    left.axvspan(senders_long.OUTAGE_S, senders_long.OUTAGE_S + length_s, color="0.9", lw=0)
    _lines(left, traces)
    left.set_xlim(5, None)
    left.set_title("The link is back: who notices?")
    charts.lines(right, costs, "length_s", "cost_s", "sender", label=short_name)
    ticks = sorted(costs["length_s"].unique())
    right.set_xscale("log")
    right.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    right.minorticks_off()
    right.set(xlabel="length of the outage (s)", ylabel="time lost beyond it (s)", ylim=(0, None))
    right.set_title("A timeout waits ever longer, a probe does not")
    right.grid(alpha=0.3)
    return figure


def lossy(table: pd.DataFrame) -> Figure:
    """Draw the goodput over the loss rate (`senders_long.lossy`, `senders_long.satellite`)."""
    figure, axes = plt.subplots(figsize=(8, 4))
    charts.lines(axes, table, "loss", "Mb/s", "sender", label=short_name)
    axes.set(xscale="log", xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")
    axes.set_ylim(0, None)
    axes.legend(fontsize=8)
    return figure


def probing(table: pd.DataFrame) -> Figure:
    """Draw TCP-Probing beside NewReno over the loss rate."""
    figure = lossy(table)
    figure.axes[0].set_title("Where losses are many, a probe saves the window")
    return figure


def satellite(table: pd.DataFrame) -> Figure:
    """Draw the satellite's senders over the loss rate."""
    figure = lossy(table)
    figure.axes[0].set_title("Supplements help most where NewReno fails most")
    return figure


def start(traces: pd.DataFrame) -> Figure:
    """Draw the first seconds over the satellite (`senders_long.start`)."""
    figure, axes = plt.subplots(figsize=(8, 4))
    _lines(axes, traces)
    axes.set_title("Twelve seconds over a satellite: who gets under way")
    axes.set_xlim(0, 12)
    axes.set_ylim(0, 25)
    return figure


def hybla(table: pd.DataFrame) -> Figure:
    """Draw Hybla's goodput by what guards its start (`senders_long.hybla_starts`)."""
    figure, axes = plt.subplots(figsize=(8, 3.2))
    starts = list(senders_long.STARTS)[::-1]
    for shift, (window, part) in enumerate(table.groupby("window")):
        color = style("hybla")["color"] if shift else "0.4"
        charts.forest(
            *(axes, part, "Mb/s", "start", starts),
            label=WORDS.__getitem__,
            legend=f"the receiver takes {window:,} segments",
            shift=0.2 * shift - 0.1,
            look={"marker": "os"[shift], "color": color},
        )
    axes.set_xlabel("goodput (Mb/s)")
    axes.set_xlim(0, None)
    axes.set_title("The estimate saves Hybla from its first burst; pacing does not")
    axes.legend(fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    return figure
