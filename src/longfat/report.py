"""The house style of tables and figures, and the way from measurements to a verdict.

Three things never look alike: what the paper printed (grey, diamonds), the model (black line),
what we measured (colours with intervals).
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure
from scipy import stats

FIGURE_FOLDER = "LONGFAT_FIGURE_FOLDER"  # where `longfat figure` wants the files
SIMULATION = {"color": "#0072b2", "marker": "o"}
EMULATION = {"color": "#d55e00", "marker": "s"}
VARIANT = {"color": "#009e73", "marker": "^"}
MODEL = {"color": "black"}
PAPER = {"color": "0.55", "marker": "D"}

plt.rcParams.update(
    {
        "figure.figsize": (7, 4.2),
        "figure.dpi": 100,
        "figure.constrained_layout.use": True,
        "axes.grid": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.alpha": 0.3,
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "lines.markersize": 4,
        "errorbar.capsize": 2,
        "svg.hashsalt": "longfat",
    }
)


def interval(table: pd.DataFrame, by: list[str], value: str, confidence: float = 0.95):
    """Return mean, half-width of its Student-t confidence interval, and number of repetitions.

    A row a combination of the columns `by`; columns `value`, `halfwidth`, `repetitions`. A single
    repetition has no interval (missing).
    """
    groups = table.groupby(by)[value]
    n = groups.count()
    quantile = stats.t.ppf((1 + confidence) / 2, np.maximum(n - 1, 1))
    halfwidth = (quantile * groups.std() / np.sqrt(n)).where(n > 1)
    summary = pd.DataFrame({value: groups.mean(), "halfwidth": halfwidth, "repetitions": n})
    return summary.reset_index()


def difference_percent(summary: pd.DataFrame, value: str, model: str) -> pd.DataFrame:
    """Add the paper's measure of difference, (model - measured) / model in per cent.

    Columns `difference` and `difference_halfwidth`, from `value` with its `halfwidth` and `model`.
    """
    return summary.assign(
        difference=100 * (summary[model] - summary[value]) / summary[model],
        difference_halfwidth=100 * summary["halfwidth"] / summary[model],
    )


def largest_difference(compared: pd.DataFrame) -> pd.Series:
    """Return the largest |difference|, with the interval that the repetitions allow for it.

    Index: `measured` (the largest of the means), `low`, `high` (the largest of the lower and of the
    upper ends), `at` (the loss rate where the mean is largest).
    """
    size = compared["difference"].abs()
    halfwidth = compared["difference_halfwidth"]
    return pd.Series(
        {
            "measured": size.max(),
            "low": (size - halfwidth).clip(lower=0).max(),
            "high": (size + halfwidth).max(),
            "at": compared.loc[size.idxmax(), "loss"],
        }
    )


def verdict(bound: float, low: float, high: float) -> str:
    """Judge the claim "at most `bound`" by an interval: is all of it, or none of it, within?"""
    if np.isnan([low, high]).any():
        return "undecidable"
    if high <= bound:
        return "reproduced"
    return "not reproduced" if low > bound else "undecidable"


def show_table(table: pd.DataFrame, formats: dict[str, str] | None = None, caption: str = ""):
    """Return the table as it appears in the book: no index, given formats, a caption."""
    styler = table.style.hide(axis="index").format(formats or {}, na_rep="–")
    styler = styler.set_table_attributes('class="longfat"').set_uuid("longfat")
    return styler.set_caption(caption) if caption else styler


def show_figure(name: str, figure: Figure, data: pd.DataFrame, alt: str) -> None:
    """Show a figure in the notebook, with its text for those who cannot see it.

    Under `longfat figure` also write NAME.png, NAME.svg and the data as NAME.csv.
    """
    folder = os.environ.get(FIGURE_FOLDER)
    if folder:
        stem = Path(folder) / name
        figure.savefig(stem.with_suffix(".png"), dpi=200)
        figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
        data.to_csv(stem.with_suffix(".csv"), index=False, lineterminator="\n")
    display(figure, metadata={"image/png": {"alt": alt}})
    plt.close(figure)
