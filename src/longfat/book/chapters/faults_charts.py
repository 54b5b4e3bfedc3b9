"""The pictures of the page "ns-3 3.44, fault by fault"."""

import pandas as pd
from matplotlib.figure import Figure

from longfat.book import show
from longfat.cc import catalogue
from longfat.studies import ns3_faults

RIGHT, FAULTY = show.SIMULATION, show.EMULATION  # the segment engine, and ns-3
LOSS = "probability that a packet is lost"


def one_recovery(windows: pd.DataFrame) -> Figure:
    """Draw `ns3_faults.one_recovery`: the window, and what has been sent since the loss."""
    figure, panels = show.subplots(1, 2, sharex=True)
    styles: tuple[dict, ...] = ({}, {"linestyle": "--"})
    for (name, one), style, color in zip(
        windows.groupby("reduction", sort=False), styles, (RIGHT, FAULTY), strict=False
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


def changes(gains: pd.DataFrame) -> Figure:
    """Draw what faults change over loss: a row of panels a path, a panel a sender.

    `gains` is of `ns3_faults.changes`, each `charts.beside` that of the other leg.
    """
    figure, panels = show.subplots(2, 3, sharex=True, sharey=True, squeeze=False, figsize=(7, 4.4))
    paths = (ns3_faults.SATELLITE, ns3_faults.TERRESTRIAL)
    styles = {ns3_faults.SOCKET: show.VARIANT, ns3_faults.STOCK: FAULTY}
    for row, path in zip(panels, paths, strict=True):
        for axes, sender in zip(row, ns3_faults.SENDERS, strict=True):
            one = gains[(gains["path"] == path) & (gains["sender"] == sender)]
            axes.axhline(0, color="0.6", linewidth=0.7)
            for leg, style in styles.items():
                own = one[one["leg"] == leg]
                axes.errorbar(
                    own["beside"],
                    own["gain"],
                    yerr=[own["gain"] - own["low"], own["high"] - own["gain"]],
                    label=leg,
                    **style,
                )
            axes.set_title(f"{catalogue.find(sender).title}, {path}", fontsize=8)
            axes.set_xscale("log")
    names = panels[0][0].get_legend_handles_labels()
    figure.legend(*names, frameon=False, fontsize=8, loc="outside upper center", ncols=2)
    figure.supxlabel(LOSS, fontsize=10)
    figure.supylabel("goodput gained over the segment engine's (%)", fontsize=10)
    return figure


def square_root(points: pd.DataFrame, model: pd.DataFrame) -> Figure:
    """Draw means over loss, beside the law and `ns3_faults.with_a_round_of_recovery`."""
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
    for name, style in zip(ns3_faults.RENOS, show.CONTROLS, strict=False):
        one = points[points["sender"] == name]
        axes.errorbar(one["loss"], one["ratio"], yerr=one["halfwidth"], label=name, **style)
    axes.set(xscale="log", xlabel=LOSS, ylabel="mean window / square-root law")
    axes.set_title("Ours keep to the square-root law, ns-3's do not")
    axes.legend(frameon=False, ncols=2)
    return figure
