"""The drawings of the page "ns-3 3.44, fault by fault"."""

import pandas as pd
from matplotlib.figure import Figure

from longfat import statistics
from longfat.book import show
from longfat.book.drawings_engines_compared import label
from longfat.studies import ns3_faults

RIGHT, FAULTY = show.SIMULATION, show.EMULATION  # by the RFCs, and with all faults
LINUX = show.VARIANT
LOSS = "probability that a packet is lost"


def one_recovery(windows: pd.DataFrame) -> Figure:
    """Draw `ns3_faults.one_recovery`: the window, and what has been sent since the loss."""
    figure, panels = show.subplots(1, 2, sharex=True)
    styles: tuple[dict, ...] = ({}, {"linestyle": "--"})
    for (name, one), style, color in zip(
        windows.groupby("reduction", sort=False), styles, (RIGHT, FAULTY), strict=True
    ):
        for axes, series in zip(panels, (ns3_faults.WINDOW, "sent_segments"), strict=True):
            axes.plot(one["time_s"], one[series], label=name, color=color["color"], **style)
    panels[0].set(ylabel="congestion window (segments)", title="The window falls twice as fast")
    panels[0].set_ylim(bottom=0)
    panels[1].set(
        ylabel="segments sent since the loss", title="… and then nothing is sent for 0.25 s"
    )
    panels[0].legend(frameon=False, loc="lower right")
    figure.supxlabel("time (s)", fontsize=10)
    return figure


def effects(changes: pd.DataFrame, faults: list[str]) -> Figure:
    """Draw `ns3_faults.changes`: what the goodput gains over loss, a small panel a fault."""
    columns = 3
    rows = -(-len(faults) // columns)
    figure, panels = show.subplots(
        rows, columns, sharex=True, sharey=True, squeeze=False, figsize=(7, 0.6 + 1.5 * rows)
    )
    for axes, name in zip(panels.flat, faults, strict=False):
        one = changes[changes["faults"] == name]
        color = "black" if name == ns3_faults.ALL else RIGHT["color"]
        axes.axhline(0, color="0.6", linewidth=0.7)
        axes.fill_between(
            one["loss"], one["low"], one["high"], color=color, alpha=0.25, linewidth=0
        )
        axes.plot(one["loss"], one["gain"], color=color, marker="o")
        axes.set_title(name, fontsize=9)
        axes.set_xscale("log")
    for axes in panels.flat[len(faults) :]:
        axes.set_visible(False)
    figure.supxlabel(LOSS, fontsize=10)
    figure.supylabel("goodput gained (%)", fontsize=10)
    return figure


def square_root(runs: pd.DataFrame, model: pd.DataFrame) -> Figure:
    """Draw `ns3_faults.square_root` over loss, beside the law and `with_a_round_of_recovery`."""
    points = statistics.interval(runs, ["sender", "loss"], "ratio")
    figure, axes = show.subplots()
    axes.axhspan(0.95, 1.05, color="0.9", linewidth=0)
    axes.axhline(1, color="black", linewidth=1)
    axes.plot(
        model["loss"],
        model["ratio"],
        color="black",
        linestyle=":",
        label="with a round of recovery",
    )
    for name, style in zip(ns3_faults.RENOS, show.CONTROLS, strict=True):
        one = points[points["sender"] == name]
        axes.errorbar(one["loss"], one["ratio"], yerr=one["halfwidth"], label=name, **style)
    axes.set(xscale="log", xlabel=LOSS, ylabel="mean window / square-root law")
    axes.set_title("Ours keep to the square-root law, ns-3's do not")
    axes.legend(frameon=False, ncols=2)
    return figure


def long_fat_pipe(runs: pd.DataFrame, responses: pd.DataFrame) -> Figure:
    """Draw `ns3_faults.long_fat_pipe` and Linux's runs over loss, a panel a sender."""
    figure, panels = show.subplots(1, 3, sharex=True, sharey=True, figsize=(7, 3.4))
    styles = dict(
        zip(
            (ns3_faults.BY_THE_RFCS, ns3_faults.ALL, ns3_faults.LINUX),
            (RIGHT, FAULTY, LINUX),
            strict=True,
        )
    )
    points = statistics.interval(runs, ["response", "faults", "loss"], "goodput_bps")
    for axes, name in zip(panels, ns3_faults.PIPE, strict=True):
        line = responses[responses["response"] == name]
        axes.plot(line["loss"], line["goodput_bps"] / 1e6, label="response function", **show.MODEL)
        for place, (which, style) in enumerate(styles.items()):
            one = points[(points["response"] == name) & (points["faults"] == which)]
            axes.errorbar(
                one["loss"] * 1.12 ** (place - 1),  # beside each other
                one["goodput_bps"] / 1e6,
                yerr=one["halfwidth"] / 1e6,
                linestyle="none",
                label=which,
                **style,
            )
        axes.set(xscale="log", yscale="log", title=label(name), ylim=(4, 800))
    panels[0].set_ylabel("goodput (Mb/s)")
    panels[1].set_xlabel(LOSS)
    panels[2].legend(frameon=False, fontsize=8)
    return figure
