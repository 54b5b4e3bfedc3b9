"""The figures of the chapter on UCC that no other chapter has."""

import pandas as pd
from matplotlib.figure import Figure

from longfat.book import show

ALPHA = 0.99  # utilization above which UCC takes a loss for congestion


def backoff(curves: pd.DataFrame) -> Figure:
    """Draw figure 1 from `experiments.backoff_curves`: a line a largest delay."""
    figure, axes = show.subplots()
    delay, *largest = curves.columns
    for column, style in zip(largest, ("-", "--"), strict=True):
        label = rf"$q_{{max}}$ = {column} ms"
        axes.plot(curves[delay], curves[column], style, color="black", label=label)
    axes.axvline(30, color="0.55", linewidth=0.8)
    axes.set(xlabel=delay, ylabel="probability of a back-off")
    axes.set_title("Beyond 30 ms a flow expects neighbours that it cannot stop")
    axes.legend(frameon=False)
    return figure


def windows(held: pd.DataFrame) -> Figure:
    """Draw estimate over utilization from `experiments.held_windows`."""
    figure, axes = show.subplots()
    axes.plot([0, 1], [0, 1], label="$\\hat\\rho = \\rho$", **show.MODEL)
    axes.plot(
        held["rho"],
        held["estimate"],
        linestyle="none",
        label="ns-3, fixed windows of 10 to 70 segments",
        **show.SIMULATION,
    )
    axes.axhline(ALPHA, color="0.55", linewidth=0.8)
    axes.annotate("$\\alpha$ = 0.99", (0.02, 0.94), color="0.4")
    axes.set(xlabel="true utilization of the link $\\rho$", ylabel="UCC's estimate $\\hat\\rho$")
    axes.set_title(
        f"A link {held['rho'][held['estimate'] < 0.5].max():.1%} busy looks idle; a standing queue "
        "looks like 100 %"
    )
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 0.9))
    return figure


def over_time(estimate: pd.DataFrame, true: pd.DataFrame, end_s: float) -> Figure:
    """Draw the parts of `experiments.estimate_over_time`."""
    figure, axes = show.subplots()
    axes.step(
        estimate["time_s"],
        estimate["utilization"],
        where="post",
        label="UCC's estimate since its last loss",
        linewidth=0.9,
        color=show.SIMULATION["color"],
    )
    axes.step(true["time_s"], true["true"], where="pre", label="true, in each second", **show.MODEL)
    axes.axhline(ALPHA, color="0.55", linewidth=0.8)
    axes.set(xlabel="time (s)", ylabel="utilization of the radio link")
    axes.set_xlim(0, end_s)
    axes.set_title(
        f"The link is busy {true['true'].mean():.1%} of the time; the estimate begins anew at each "
        "loss"
    )
    axes.legend(frameon=False, loc="lower right")
    return figure
