"""The figure of the page on the models that the papers build on."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from longfat.studies import models
from longfat.style import MODEL, style

RATES = (0.2, 0.5, 1, 2, 3, 4, 5, 6, 8)  # Mb/s, named at the axes
LINES = ("-", "--", ":", "-.")


def rates(measured: pd.DataFrame) -> Figure:
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
