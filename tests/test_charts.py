"""What a figure draws is kept as numbers beside it, so that a wrong drawing is found."""

import functools
import inspect
import itertools
import json
import types
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from longfat import InputError, engines, paths
from longfat.book import chapters, charts, show
from longfat.book.chapters import hybla_charts, leo_charts, proxies_charts
from longfat.experiment import Figure
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
        *(proxies_charts, lambda module: module.gains(GAINS)),
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
        *(proxies_charts, lambda module: module.persistence(TRIES)),
        *('own["timeouts"], marker', 'own["Mb/s"], marker'),
    ),
    "a band too narrow": (hybla_charts, _comparison, 'bands["printed"]', 'bands["printed"] / 10'),
    "a third of the window": (
        *(hybla_charts, lambda module: module.phases(WINDOWS, HYBLA.runs)),
        *("window[WINDOW], where", "window[WINDOW] / 3, where"),
    ),
}


def _mutant(module, right, wrong):
    """Return the module with a change in its source."""
    source = inspect.getsource(module)
    assert source.count(right) == 1
    mutant = types.ModuleType(module.__name__)
    exec(compile(source.replace(right, wrong), module.__file__, "exec"), mutant.__dict__)
    return mutant


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_drawing_is_found(name):
    module, draw, right, wrong = MUTANTS[name]
    mutant = _mutant(module, right, wrong)
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
    table = pd.DataFrame({"x": [1, 2, 3], "y": [0.1, 0.2, 0.3]})
    assert not charts.not_in_data(figure, table)
    assert charts.not_in_data(figure, table.assign(y=[0.1, 0.21, 0.3])) == [
        "1: line measured along y: 0.2"
    ]
    assert charts.not_in_data(figure, table.assign(x=[1, 1, 3])) == ["1: line measured along x: 2"]
    axes.plot([1000, 2000], [100, 200], color="#0072b2")  # ms, and mW
    assert not charts.not_in_data(figure, table)
    axes.plot([1, 2], [1, 2.5], color="#0072b2")
    assert charts.not_in_data(figure, table) == ["1: line along y: 2.5"]
    axes.set_axis_off()  # a drawing, in which places mean nothing
    assert not charts.not_in_data(figure, table)
    plt.close("all")


def test_bars_that_are_drawn_are_in_the_table():
    figure, axes = plt.subplots()
    axes.barh(["UCC", "CHD"], [0.2, 0.4], xerr=[0.03, 0.05], color="#d55e00", label="share")
    table = pd.DataFrame({"y": [0.4, 0.2], "halfwidth": [0.05, 0.03]})
    assert not charts.not_in_data(figure, table)
    wrong = table.assign(y=[0.4, 2])
    assert charts.not_in_data(figure, wrong) == ["1: bars share: 0.2"]
    narrow = table.assign(halfwidth=[0.05, 0.007])
    assert charts.not_in_data(figure, narrow) == ["1: intervals _nolegend_: 0.17 0.23"]
    plt.close("all")


def test_intervals_that_are_drawn_are_in_the_table():
    """By their ends, or by how far these are from the point."""
    figure, axes = plt.subplots()
    axes.errorbar([1, 2], [5, 6], yerr=[[0.5, 0.25], [1.5, 0.25]], color="#0072b2", label="a")
    table = pd.DataFrame({"x": [1, 2], "y": [5, 6], "low": [4.5, np.nan], "high": [6.5, np.nan]})
    assert charts.not_in_data(figure, table) == ["1: intervals a: 5.75 6.25"]
    assert not charts.not_in_data(figure, table.assign(halfwidth=[np.nan, 0.25]))
    plt.close("all")


def test_cells_that_are_drawn_are_in_the_table():
    figure, axes = plt.subplots()
    wide = pd.DataFrame({0.1: [1.0, 2.0], 0.2: [3.0, 4.0]}, index=[5, 6])
    charts.heat(axes, wide)
    assert not charts.not_in_data(figure, wide)
    assert charts.not_in_data(figure, wide.replace(3.0, 7.0)) == ["1: cells: 3"]
    plt.close("all")


@pytest.mark.parametrize("name", ["all signs turned", "a third of the window"])
def test_a_drawing_of_other_numbers_is_found_by_the_table_alone(name):
    """No kept numbers are needed to see that these are not the table's."""
    module, draw, right, wrong = MUTANTS[name]
    table = DIFFERENCES if name == "all signs turned" else WINDOWS
    assert not charts.not_in_data(draw(module), table)
    assert charts.not_in_data(draw(_mutant(module, right, wrong)), table)
    plt.close("all")


@functools.cache
def kept() -> dict[str, dict]:
    """Return the numbers that stand beside each figure in the notebooks, by its name."""
    pages = (json.loads(path.read_text("utf-8")) for path in paths.NOTEBOOKS.glob("*.ipynb"))
    outputs = (one for page in pages for cell in page["cells"] for one in cell.get("outputs", []))
    return {
        one["metadata"][show.PICTURE_MIME]["name"]: one["data"][show.FIGURE_MIME]
        for one in outputs
        if show.FIGURE_MIME in one.get("data", {})
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", chapters.NAMES)
def test_what_is_shown_uses_what_it_names_and_draws_its_table(name, monkeypatch):
    """Where all its runs are archived, nothing is run for it.

    What is drawn in colour is in the table that the figure is of; both, as numbers, are those that
    stand beside the picture in the notebook.
    """

    def refused(scenario, engine, *_):
        raise InputError(f"a run of the engine {engine} is not in the archive")

    chapter = chapters.stated()[name]
    archived = {path.parent.name for path in paths.RESULTS.glob("*/*.parquet")}
    for one in chapter.shown.values():
        runs, is_archived = chapter.runs.only(one.uses), set(one.uses) <= archived
        with monkeypatch.context() as patch:
            if is_archived:
                patch.setattr(engines, "find_or_run", refused)
            data = one.data(runs)
            figure = one.chart(data, runs) if isinstance(one, Figure) else None
        assert runs.used == set(one.uses), one.name
        if figure and is_archived:
            assert charts.not_in_data(figure, data) == [], one.name
            show.settle(figure)
            made = {"data": charts.rounded_lines(data), "drawn": charts.drawn(figure)}
            assert made == kept()[one.name], one.name
        plt.close("all")


def test_zero_has_no_sign():
    assert charts.rounded([-0.0, 0.0]) == charts.rounded([-0.0, 0]) == ["0", "0"]
    assert charts.rounded([1.0, -1e-9]) == ["1", "0"]  # a part in 10^9 is the machine's noise


def test_shares_may_be_drawn_of_per_cent_and_per_cent_of_shares():
    figure, axes = plt.subplots()
    axes.plot([1, 2], [0.07, 0.09], color="#0072b2", label="share")
    table = pd.DataFrame({"x": [1, 2], "y": [7.0, 9.0]})
    assert not charts.not_in_data(figure, table)
    axes.plot([1, 2], [700, 900], color="#0072b2")
    assert not charts.not_in_data(figure, table)
    plt.close("all")


def test_names_at_an_axis_have_powers_of_ten():
    figure, (names, decades) = show.subplots(1, 2)
    names.bar(["1e-04", "some"], [1, 2])
    decades.loglog([2e-4, 6e-4], [1, 1e4])
    show.settle(figure)
    assert [label.get_text() for label in names.get_xticklabels()] == ["$10^{-4}$", "some"]
    assert r"$\mathdefault{10^{2}}$" in [label.get_text() for label in decades.get_yticklabels()]
    plt.close(figure)


def test_a_colour_of_the_map_of_gains_is_named_by_its_power_of_two():
    bar = proxies_charts.gains(GAINS).axes[1]
    named = zip(bar.get_yticks(), bar.get_yticklabels(), strict=True)
    found = {label.get_text(): 2.0**place for place, label in named}
    assert list(found) == ["1/8", "1/4", "1/2", "1", "2", "4", "8"]
    assert all(float(Fraction(text)) == gain for text, gain in found.items())
    plt.close("all")


def test_the_map_of_orbits_has_each_longitude_once():
    points = pd.DataFrame({"orbit": ["starlink-grid", "starlink", "oneweb"], "what": "path"})
    figure = leo_charts.orbit_map(points.assign(longitude=0.0, latitude=50.0))
    assert figure.axes[0].get_xlim() == (-180, 180)
    plt.close("all")


def test_the_caspian_sea_is_no_land_on_the_map_of_orbits():
    points = pd.DataFrame({"orbit": ["starlink-grid", "starlink", "oneweb"], "what": "path"})
    figure = leo_charts.orbit_map(points.assign(longitude=0.0, latitude=50.0))
    axes = figure.axes[0]
    FigureCanvasAgg(figure).draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())
    places = axes.transData.transform([(51, 42), (60, 45), (-40, 40)])  # the last in the Atlantic
    sea, land, ocean = (pixels[len(pixels) - 1 - int(y), int(x), 0] for x, y in places)
    assert land < sea == ocean
    plt.close("all")


def _words(figure):
    """Yield what is written on a figure, but for its axes' ticks and labels."""
    for legend in figure.legends:
        yield from legend.get_texts()
    yield from (one for one in figure.get_children() if isinstance(one, Text))
    for axes in filter(Axes.get_visible, figure.axes):
        yield from (one for one in axes.get_children() if isinstance(one, Text))
        if legend := axes.get_legend():
            yield from legend.get_texts()


def _on_others(figure):
    """Return pairs of words of a figure that stand on each other."""
    FigureCanvasAgg(figure).draw()  # puts legends in their place
    written = [one for one in _words(figure) if one.get_visible() and one.get_text().strip()]
    # A text's box has some air: 1.5 of 100 pixels an inch at each side.
    boxes = [(one.get_text(), Text.get_window_extent(one).padded(-1.5)) for one in written]
    pairs = itertools.combinations(boxes, 2)
    return [(text, other) for (text, box), (other, its) in pairs if box.overlaps(its)]


@pytest.mark.slow
@pytest.mark.parametrize("name", chapters.NAMES)
def test_no_words_stand_on_others(name):
    chapter, found = chapters.stated()[name], {}
    for one in chapter.figures:
        if not isinstance(one, Figure) or (data := chapter.data(one)).empty:
            continue
        figure = chapter.chart(one, data)
        show.settle(figure)
        if pairs := _on_others(figure):
            found[one.name] = pairs
        plt.close(figure)
    assert not found


def test_words_that_stand_on_others_are_found():
    figure, axes = plt.subplots(figsize=(3, 3))
    axes.set_title("A title as wide as this figure and as the legend beside it")
    axes.plot([0, 1], label="a line")
    figure.legend(loc="outside right upper")
    show.settle(figure)
    assert [{"a line", axes.get_title(loc="left")}] == [set(pair) for pair in _on_others(figure)]
    plt.close(figure)
