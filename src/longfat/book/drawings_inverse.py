"""The drawing of an inverse problem: how far each combination of assumptions is from a paper."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from longfat.book import show
from longfat.papers.hybla.inverse import STATED_QUEUE
from longfat.style import label, quantity


def distances(table: pd.DataFrame, names: Sequence[str], unit: str, what: str) -> Figure:
    """Draw distances with their intervals: a row a combination, the nearest on top.

    `table` has the columns distance, low, high, met and of. How many of what is printed or stated a
    combination gives stands at the right, under `what`.
    """
    figure, axes = show.subplots(figsize=(8.5, 0.3 * len(table) + 1.3))
    rows = np.arange(len(table))
    errors = [table["distance"] - table["low"], table["high"] - table["distance"]]
    axes.errorbar(table["distance"], rows, xerr=errors, linestyle="none", color="0.2", marker="o")
    axes.set_yticks(rows, list(names), fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(f"mean distance ({unit})")
    for row, one in enumerate(table.itertuples()):
        axes.text(
            1.02,
            row,
            f"{one.met} of {one.of}",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=9,
        )
    axes.text(1.02, 1.01, what, transform=axes.transAxes, fontsize=9, va="bottom")
    axes.grid(axis="y")
    return figure


def hybla(table: pd.DataFrame) -> Figure:
    """Draw `papers.hybla.inverse.distances`."""
    names = []
    for one in table.rename(columns={"Mb/s": "megabits"}).itertuples():
        name = f"{one.recovery}, {quantity(1e6 * one.megabits, 'b/s')}"
        name += ", delayed ACKs" * (one.segments_per_ack == 2)
        names.append(name + f", queue of {one.queue_packets}" * (one.queue_packets != STATED_QUEUE))
    figure = distances(table, names, "percentage points", "numbers given")
    figure.axes[0].set_title("The nearest combinations halve the window at once")
    return figure


def ucc(table: pd.DataFrame) -> Figure:
    """Draw `papers.ucc.inverse.distances`."""
    names = []
    for one in table.itertuples():
        words = [label(name) for name in one.parameter.split(", ")]
        names.append(one.setting if one.parameter == "none" else " and ".join(words))
    return distances(table, names, "per cent", "not refuted")
