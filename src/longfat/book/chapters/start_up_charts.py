"""The figures of the chapter on the first ten round trips."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from longfat.studies.first_round_trips import COMPARED, PATHS, START_UPS

COLOURS = (
    *("#0072b2", "#56b4e9", "#009e73", "#999999", "#e69f00", "#cc79a7"),
    *("#d55e00", "#000000", "#7f3c8d", "#11a579", "#a52a2a"),
)
MARKERS = "osv^D<P>*hX"
LOOK = {
    name: {"color": colour, "marker": marker}
    for name, colour, marker in zip(START_UPS, COLOURS, MARKERS, strict=True)
}


def _legend(figure: Figure) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)


def alone(table: pd.DataFrame) -> Figure:
    """Draw how long transfers take by their size, a panel a path, a line a start-up."""
    figure, grid = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
    for axes, path in zip(grid.flat, COMPARED, strict=True):
        for start_up, look in LOOK.items():
            own = table[(table["path"] == path) & (table["start_up"] == start_up)]
            axes.plot(own["size"], own["time_s"], label=start_up, lw=1.1, ms=4, **look)
        axes.set(xscale="log", yscale="log", xlabel="size (bytes)", ylabel="time (s)")
        axes.set_title(PATHS[path].title, fontsize=9)
    _legend(figure)
    return figure


def front(table: pd.DataFrame) -> Figure:
    """Draw time against harm, a panel a path, a mark a start-up, a line along the front."""
    figure, grid = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
    for axes, path in zip(grid.flat, COMPARED, strict=True):
        axes.axhline(0, color="0.8", lw=0.8)
        best = table[(table["path"] == path) & table["front"]].sort_values("time_s")
        axes.plot(best["time_s"], best["delay_s"], color="0.5", lw=1.0, ls="--", zorder=0)
        for start_up, look in LOOK.items():
            own = table[(table["path"] == path) & (table["start_up"] == start_up)]
            low, high = own["delay_s"] - own["low"], own["high"] - own["delay_s"]
            axes.errorbar(
                *(own["time_s"], own["delay_s"]),
                yerr=[low, high],
                label=start_up,
                ls="",
                ms=5,
                lw=0.8,
                **look,
            )
        axes.set(xlabel="time of 10 MB (s)", ylabel="delay of the neighbour's 100 MB (s)")
        axes.set_title(PATHS[path].title, fontsize=9)
    _legend(figure)
    return figure
