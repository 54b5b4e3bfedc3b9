"""The pictures and the names of the page cross-check."""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from longfat.book import show
from longfat.studies import long_fat_pipe
from longfat.studies.engines_compared import SAME_WITHIN, WINDOW
from longfat.style import short_name


def _style(leg: str) -> dict:
    """Return the look of a leg: its engine's, or that of a variant."""
    return show.ENGINES.get(leg, show.VARIANT)


def label(control: str) -> str:
    """Return what pages call a congestion control."""
    return short_name(control)


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its column control in the words of `label`."""
    return table.assign(control=[label(name) for name in table["control"]])


def window_traces(traces: pd.DataFrame) -> Figure:
    """Draw `engines_compared.clean_windows`: a panel a control, a line an engine."""
    names = traces["control"].unique()
    columns = 3
    height = max(1, -(-len(names) // columns))
    figure, panels = show.subplots(
        height, columns, figsize=(8, 1.5 * height), sharex=True, sharey=True
    )
    for axes, name in zip(panels.flat, names, strict=False):
        for engine, trace in traces[traces["control"] == name].groupby("engine", sort=False):
            axes.step(
                trace["time_s"],
                trace[WINDOW],
                where="post",
                color=_style(engine)["color"],
                linewidth=1,
                label=engine,
            )
        axes.set_title(label(name), fontsize=9)
    for axes in panels.flat[len(names) :]:
        axes.axis("off")
    panels.flat[0].set_ylim(0, 500)
    handles = panels.flat[0].get_legend_handles_labels()
    place = panels.flat[-1]  # empty, unless there is no other place
    place.legend(*handles, frameon=False, fontsize=8, loc="center")
    figure.supxlabel("time (s)")
    figure.supylabel("congestion window (segments)")
    figure.suptitle("The same control draws the same saw, but for a few", fontsize=11)
    return figure


def ratios(compared: pd.DataFrame) -> Figure:
    """Draw Linux's goodputs over the others', a panel an engine (`engines_compared.ratios`).

    A row a control, a point a loss rate.
    """
    controls = list(compared["control"].unique())
    losses = compared["loss"].unique()
    legs = list(compared["engine"].unique())
    figure, panels = show.subplots(
        1,
        max(1, len(legs)),
        figsize=(8.5, 0.36 * len(controls) + 1.2),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes, leg in zip(panels.flat, legs, strict=False):
        beside = compared[compared["engine"] == leg]
        styles = itertools.cycle(
            (show.SIMULATION, show.EMULATION, show.VARIANT, *show.CONTROLS[1::2])
        )
        for number, (loss, style) in enumerate(zip(losses, styles, strict=False)):
            some = beside[beside["loss"] == loss]
            shift = 0.22 * (number - (len(losses) - 1) / 2)
            axes.errorbar(
                some["ratio"],
                [controls.index(name) + shift for name in some["control"]],
                xerr=[some["ratio"] - some["low"], some["high"] - some["ratio"]],
                linestyle="none",
                label=f"$p$ = {loss:g}",
                **style,
            )
        axes.axvline(1, color="black", linewidth=0.8)
        axes.axvspan(1 / SAME_WITHIN, SAME_WITHIN, color="0.9", zorder=0)
        same = (beside["verdict"] == "same").sum()
        axes.set_title(f"{leg}:\n{same} of {len(beside)} the same", fontsize=9)
    first = panels.flat[0]
    first.set_yticks(range(len(controls)), [label(name) for name in controls])
    first.invert_yaxis()
    first.set(xscale="log")
    first.set_xticks([0.5, 1, 2, 3], ["0.5", "1", "2", "3"])
    first.minorticks_off()
    names = first.get_legend_handles_labels()
    figure.legend(*names, frameon=False, loc="outside upper center", ncols=3)
    figure.supxlabel("goodput on Linux / goodput of the leg")
    return figure


def long_fat_pipe_goodputs(points: pd.DataFrame) -> Figure:
    """Draw goodputs over loss beside the response functions, a panel a sender.

    `points` is of `long_fat_pipe.goodput_points`, each `charts.beside` that of the other engine.
    """
    figure, panels = show.subplots(1, 3, sharex=True, sharey=True, figsize=(7, 3.4))
    styles = {long_fat_pipe.OURS: show.SIMULATION, long_fat_pipe.LINUX: show.EMULATION}
    responses = long_fat_pipe.responses(points["loss"])
    for axes, name in zip(panels, long_fat_pipe.SENDERS, strict=True):
        line = responses[responses["response"] == name]
        axes.plot(line["loss"], line["goodput_bps"] / 1e6, label="response function", **show.MODEL)
        for engine, style in styles.items():
            one = points[(points["response"] == name) & (points["engine"] == engine)]
            axes.errorbar(
                one["beside"],
                one["goodput_bps"] / 1e6,
                yerr=one["halfwidth"] / 1e6,
                linestyle="none",
                label=engine,
                **style,
            )
        axes.set(xscale="log", yscale="log", title=label(name), ylim=(4, 800))
    panels[0].set_ylabel("goodput (Mb/s)")
    panels[1].set_xlabel("probability that a packet is lost")
    panels[2].legend(frameon=False, fontsize=8)
    return figure
