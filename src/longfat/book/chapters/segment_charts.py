"""The figure and the names of the page on the segment engine."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from longfat.cc import catalogue


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its column algorithm in words, those of the catalogue."""
    return table.assign(algorithm=[catalogue.find(name).title for name in table["algorithm"]])


def agreement(compared: pd.DataFrame) -> Figure:
    """Draw the segment engine's goodputs over the full stack's (`engines_checked.compare`)."""
    figure, axes = plt.subplots()
    equal = compared["equal"] == compared["runs"]
    for name, part, marker in (
        ("equal to the last digit", compared[equal], "o"),
        ("not all runs equal", compared[~equal], "x"),
    ):
        axes.errorbar(
            part["full_bps"] / 1e6,
            part["segment_bps"] / 1e6,
            xerr=part["full_halfwidth_bps"] / 1e6,
            yerr=part["segment_halfwidth_bps"] / 1e6,
            label=f"{name} ({len(part)})",
            linestyle="",
            linewidth=0.7,
            marker=marker,
        )
    axes.axline((1, 1), slope=1, color="0.6", linewidth=0.7)
    axes.set_xlabel("goodput, full ns-3 stack (Mb/s)")
    axes.set_ylabel("goodput, segment engine (Mb/s)")
    close = 100 * (compared["difference_percent"].abs() <= 1).mean()
    axes.set_title(f"{close:.0f} % of the means are within a hundredth of each other")
    axes.legend(frameon=False)
    return figure
