"""What a figure draws is kept as numbers beside it, so that a wrong drawing is found."""

import inspect
import types

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from longfat.book import chapters, charts
from longfat.book.chapters import helpers_links_charts, hybla_charts
from longfat.papers.hybla.plan import WINDOW

HYBLA = chapters.find("hybla")
POINTS = pd.DataFrame(
    {
        "loss": [1e-4, 1e-3, 1e-2],
        "algorithm": "newreno",
        "engine": "segment engine",
        "Mb/s": [7.0, 4.0, 1.0],
        "model": [7.1, 4.2, 1.3],
        "halfwidth": [0.1, 0.2, 0.3],
    }
)
DIFFERENCES = pd.DataFrame(
    {
        "transfer": "steady",
        "leg": "segment",
        "loss": [1e-4, 1e-3],
        "difference": [1.0, -12.0],
        "difference_halfwidth": [0.5, 2.0],
    }
)
GAINS = pd.DataFrame(
    {"loss": [0, 0, 0.01, 0.01], "rtt_s": [0.1, 0.2, 0.1, 0.2], "gain": [1.0, 1.5, 3.0, 9.0]}
).assign(doublings=lambda table: np.log2(table["gain"]))
TRIES = pd.DataFrame(
    {"feedback_s": 0.01, "tries": [1, 5], "Mb/s": [2, 3], "halfwidth": 0.1, "timeouts": [9, 1]}
)
WINDOWS = pd.DataFrame(
    {"time_s": [0.0, 1.0, 9.0], WINDOW: [2.0, 550.0, 275.0], "ssthresh_segments": 550.0}
)


def _comparison(module):
    return module.comparison("steady", "throughput", POINTS, HYBLA.runs)


# What is drawn by a module, and a change in its source that makes it wrong.
MUTANTS = {
    "a transposed heat map": (
        *(helpers_links_charts, lambda module: module.gains(GAINS)),
        *("        gain,\n", "        gain.T,\n"),
    ),
    "half-widths as goodput": (
        *(hybla_charts, lambda module: module.alternatives(POINTS, HYBLA.runs)),
        *('line["Mb/s"], yerr', 'line["halfwidth"], yerr'),
    ),
    "all signs turned": (
        *(hybla_charts, lambda module: module.differences(DIFFERENCES, HYBLA.runs)),
        *('line["difference"],', '-line["difference"],'),
    ),
    "the wrong column": (
        *(helpers_links_charts, lambda module: module.persistence(TRIES)),
        *('own["timeouts"], marker', 'own["Mb/s"], marker'),
    ),
    "a band too narrow": (hybla_charts, _comparison, 'bands["printed"]', 'bands["printed"] / 10'),
    "a third of the window": (
        *(hybla_charts, lambda module: module.phases(WINDOWS, HYBLA.runs)),
        *("window[WINDOW], where", "window[WINDOW] / 3, where"),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_drawing_is_found(name):
    module, draw, right, wrong = MUTANTS[name]
    source = inspect.getsource(module)
    assert source.count(right) == 1
    mutant = types.ModuleType(module.__name__)
    exec(compile(source.replace(right, wrong), module.__file__, "exec"), mutant.__dict__)
    assert charts.drawn(draw(module)) == charts.drawn(draw(module))
    assert charts.drawn(draw(mutant)) != charts.drawn(draw(module))
    plt.close("all")


def test_numbers_are_kept_with_four_digits_and_without_the_machines_noise():
    table = pd.DataFrame({"x": [123456.0, 1e-14, np.nan], "who": ["a", None, "c"]})
    assert charts.rounded_lines(table) == ["x,who", "1.235e+05,a", "0,", ",c"]
    assert charts.rounded_lines(table.assign(x=table["x"] / 3)) != charts.rounded_lines(table)
    long = charts.rounded_lines(pd.DataFrame({"x": range(1000)}))
    assert len(long) <= charts.ROWS + 1
    assert long[1] == "0"


def test_what_is_drawn_in_colour_is_in_the_table():
    figure, axes = plt.subplots()
    axes.plot([1, 2], [5.0, 6.0], color="black")  # a model
    axes.plot([1, 2], [0.1, 0.2], color="#0072b2", label="measured")
    assert not charts.not_in_data(figure, pd.DataFrame({"y": [0.1, 0.2, 0.3]}))
    assert charts.not_in_data(figure, pd.DataFrame({"y": [0.1, 0.21]})) == [
        "1: line measured: 0.1 0.2"
    ]
    bars, axes = plt.subplots()
    axes.barh([0, 1], [0.2, 0.4], color="#d55e00")
    axes.set_yticks([0, 1], ["UCC", "CHD"])
    assert not charts.not_in_data(bars, pd.DataFrame({"y": [0.4, 0.2]}))
    assert charts.not_in_data(bars, pd.DataFrame({"y": [0.4, 2]})) == ["1: bar: 0.2"]
    plt.close("all")
