"""The drawings of the chapter on TCP Hybla that are too long for a cell."""

import pandas as pd
from matplotlib.figure import Figure

from longfat import papers, statistics
from longfat.book import show
from longfat.papers.hybla import experiments
from longfat.papers.hybla.experiments import QUANTITIES, WINDOW, Setting


def comparison(
    setting: Setting, compared: pd.DataFrame, transfer: str, metric: str
) -> tuple[Figure, pd.DataFrame]:
    """Draw one of the paper's figures 3 to 9: the model's line, and the engines' points.

    `compared` is of `experiments.compare`; `transfer` and `metric` choose from it. Returns the
    figure and its points.
    """
    quantity = {"throughput": "Goodput", "transfer_time": "Transfer time"}[metric]
    what = "Steady state" if transfer == "steady" else f"{quantity} of {transfer}"
    points = experiments.points(compared, transfer, metric)
    figure = show.comparison_figure(
        experiments.curve(setting, transfer, metric),
        dict(list(points.groupby("engine", sort=False))),
        QUANTITIES[metric],
        show.headline(what, compared, transfer, metric),
        f"{quantity.lower()} ({QUANTITIES[metric]})",
        statistics.bands(papers.claims("hybla"), transfer, metric),
    )
    return figure, points


def windows(traces: pd.DataFrame, by: str, title: str) -> Figure:
    """Draw congestion windows over time on a logarithmic axis, a line for each value of `by`."""
    figure, axes = show.subplots()
    for name, trace in traces.groupby(by, sort=False):
        axes.step(trace["time_s"], trace[WINDOW], where="post", label=name)
    axes.set(xlabel="time (s)", ylabel="congestion window (segments)", yscale="log", title=title)
    axes.legend(*axes.get_legend_handles_labels(), frameon=False)
    return figure


def windows_by_loss(traces: pd.DataFrame, title: str) -> Figure:
    """Draw congestion windows on ns-3 over time, a panel a loss rate."""
    figure, panels = show.subplots(3, 1, sharex=True, sharey=True)
    for axes, (loss, trace) in zip(panels, traces.groupby("loss"), strict=False):
        color = show.SIMULATION["color"]
        axes.step(trace["time_s"], trace[WINDOW], where="post", color=color)
        axes.annotate(f"p = {loss:.0e}", (1.01, 0.5), xycoords="axes fraction")
    panels[0].set_title(title)
    panels[1].set_ylabel("congestion window (segments)")
    panels[2].set_xlabel("time (s)")
    return figure
