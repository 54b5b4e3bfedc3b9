"""The page on the models that the papers build on: a figure, and two tables."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FixedLocator, NullLocator

from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import models
from longfat.style import MODEL, style

RATES = (0.2, 0.5, 1, 2, 3, 4, 5, 6, 8)  # Mb/s, named at the axes
LINES = ("-", "--", ":", "-.")


def rates(measured: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what the models say over what was measured, a panel an algorithm.

    That is `models.rates` over `models.steady`.
    """
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.2))
    curves = models.rates(np.geomspace(min(models.LOSSES), max(models.LOSSES), 61))
    for axes, (algorithm, title) in zip(panels, models.ALGORITHMS.items(), strict=True):
        of_it = curves[curves["algorithm"] == algorithm].groupby("model", sort=False)
        for line, (model, curve) in zip(LINES, of_it, strict=False):
            axes.plot(curve["loss"], curve["modelled"], line, label=model, **MODEL)
        points = measured[measured["algorithm"] == algorithm]
        axes.errorbar(
            points["loss"],
            points["measured"],
            yerr=points["halfwidth"],
            linestyle="none",
            label="segment engine, 95 % intervals",
            **style(algorithm),
        )
        axes.set(xscale="log", yscale="log", title=title)
        axes.yaxis.set_major_locator(FixedLocator(RATES))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set(xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")
        axes.legend(fontsize=8)
    return figure


WHERE = {
    "rare": r"largest difference, $p \le 10^{-4}$ (%)",
    "frequent": "largest difference above (%)",
    "holds": "within 10 % at",
}
TIMES = {
    "algorithm": "algorithm",
    "model": "model",
    "loss": "loss",
    "modelled": "modelled (s)",
    "measured": "measured (s)",
    "halfwidth": "95 % interval, ± (s)",
    "difference": "difference (%)",
}


def where(runs: Runs) -> pd.DataFrame:
    """Return how far each model of a long transfer is off, and where it holds."""
    compared = models.differences(models.steady(runs), models.rates())
    return models.where_each_holds(compared).rename(columns=WHERE)


def times(runs: Runs) -> pd.DataFrame:
    """Return the times of transfers by the models and as measured."""
    compared = models.differences(models.transfers(runs), models.times())
    compared = compared.assign(algorithm=compared["algorithm"].map(models.ALGORITHMS))
    return compared[list(TIMES)].rename(columns=TIMES)


def chapter(**parameters: Any) -> Chapter:
    """Return the page at a setting (`models.setting`)."""
    at = models.setting(**parameters)
    return Chapter(
        name="models",
        setting=at,
        experiments=models.experiments(at),
        figures=(
            Figure(
                name="models-rates",
                uses=("models-steady",),
                data=models.steady,
                chart=rates,
                caption="Rate over the satellite by loss, for Reno (left) and Hybla (right): lines "
                "are models, points are the segment engine's. All of Reno's models are one line "
                "where little is lost. Hybla's design goal, the rate of a flow of 25 ms, lies far "
                "above what it reaches where much is lost.",
            ),
            Table(
                name="models-where",
                uses=("models-steady",),
                data=where,
                formats=dict.fromkeys((WHERE["rare"], WHERE["frequent"]), "{:.1f}"),
                caption="Each model beside the segment engine. A model holds at a loss rate if the "
                "whole 95 % interval of its difference lies within 10 %",
            ),
            Table(
                name="models-times",
                uses=("models-transfers",),
                data=times,
                formats={
                    "loss": "{:g}",
                    **dict.fromkeys(
                        (TIMES["modelled"], TIMES["measured"], TIMES["halfwidth"]), "{:.1f}"
                    ),
                    TIMES["difference"]: "{:+.1f}",
                },
                caption="Time of a transfer of 10 MB over the satellite",
            ),
        ),
    )
