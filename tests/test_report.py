"""From measurements to a verdict: intervals, differences, bounds."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sympy import Symbol

from longfat import measures, statistics
from longfat.book import charts, show


def test_interval_covers_the_true_mean_as_often_as_it_says():
    """1000 experiments of 10 repetitions: 95 % of the intervals hold the mean, within chance."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"loss": np.repeat(np.arange(1000), 10), "rate": rng.normal(5, 2, size=10_000)}
    )
    summary = statistics.interval(table, ["loss"], "rate")
    covered = ((summary["rate"] - 5).abs() <= summary["halfwidth"]).sum()
    assert abs(covered - 950) < 4 * math.sqrt(1000 * 0.95 * 0.05)


def test_interval_is_students_t():
    table = pd.DataFrame({"loss": [0.1] * 3 + [0.2], "rate": [1.0, 2.0, 4.0, 7.0]})
    summary = statistics.interval(table, ["loss"], "rate")
    low, high = stats.t.interval(0.95, 2, loc=7 / 3, scale=stats.sem([1, 2, 4]))
    assert summary["rate"].tolist() == [pytest.approx(7 / 3), 7.0]
    assert summary["halfwidth"][0] == pytest.approx((high - low) / 2)
    assert math.isnan(summary["halfwidth"][1])  # one repetition has no interval
    assert summary["repetitions"].tolist() == [3, 1]


def test_difference_has_the_papers_sign():
    summary = pd.DataFrame({"rate": [8.0, 11.0], "halfwidth": [1.0, 2.0], "model": [10.0, 10.0]})
    compared = statistics.difference_percent(summary, "rate", "model")
    assert compared["difference"].tolist() == pytest.approx([20, -10])
    assert compared["difference_halfwidth"].tolist() == pytest.approx([10, 20])


def measured(difference, halfwidth=0.5):
    return pd.DataFrame(
        {
            "engine": "simulation",
            "transfer": "steady",
            "metric": "throughput",
            "loss": [1e-6, 1e-4, 1e-2],
            "difference": difference,
            "difference_halfwidth": halfwidth,
        },
        index=[0, 0, 0],  # as after a concat
    )


def claim(bound, loss_max, engine="simulation"):
    return pd.DataFrame(
        [
            {
                "engine": engine,
                "transfer": "steady",
                "metric": "throughput",
                "loss_min": 1e-6,
                "loss_max": loss_max,
                "bound_percent": bound,
            }
        ]
    )


def test_a_trace_is_held_to_its_end():
    trace = pd.DataFrame({"flow": ["0"], "time_s": [1.0], "cwnd_segments": [550.0]})
    held = measures.extended_trace(trace, 9)
    assert held["time_s"].tolist() == [1.0, 9.0]
    assert held["cwnd_segments"].tolist() == [550.0, 550.0]


def test_show_code_takes_one_whole_function():
    from longfat.cc import catalogue

    code = show.show_code(catalogue.find("hybla").header, "Control on_ack").data
    assert code.startswith("```cpp\nControl on_ack(")
    assert code.endswith("}\n```")
    assert code.count("{") == code.count("}")


def test_a_name_keeps_its_style_in_every_figure():
    points = pd.DataFrame(
        {"loss": [0, 0.01] * 2, "who": ["b", "b", "c", "c"], "y": [4, 3, 2, 1.0], "halfwidth": 0.1}
    )
    figure = show.loss_figure(points, "y", "who", ["a", "b", "c"], "title", "y (Mb/s)")
    lines = {container.get_label(): container[0] for container in figure.axes[0].containers}
    assert list(lines) == ["b", "c"]
    assert lines["b"].get_color() == show.CONTROLS[1]["color"]
    assert list(lines["c"].get_ydata()) == [2, 1]


def test_steps_are_sentences_and_formulas():
    shown = show.show_steps("Why", (("Given", Symbol("a")), ("so", Symbol("b")))).data
    assert shown.startswith("**Why**\n\nGiven\n\n$$\na\n$$")


def test_factors_are_drawn_where_they_belong():
    table = pd.DataFrame(
        {"x": [1, 2, 1, 2], "y": [5, 5, 6, 6], "factor": [1.0, 2, 3, 40], "ordered": [1, 0, 0, 0]}
    )
    _, axes = show.subplots()
    show.show_factors(axes, table, "x", "y")
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert texts == {(0, 0): "1.0 •", (1, 0): "2.0", (0, 1): "3.0", (1, 1): "40.0"}


def test_points_of_other_engines_are_hollow_and_named_once():
    names = ["segment engine", "ns-3", "ns-3", "ns-2"]
    points = pd.DataFrame(
        {"engine": names, "x": 1.0, "y": 2.0, "halfwidth": 0.1, "who": ["a", "a", "b", "a"]}
    )
    figure, axes = show.subplots()
    charts.of_other_engines(
        axes, points, "x", "y", "who", look=lambda name: {"color": {"a": "red", "b": "blue"}[name]}
    )
    drawn = [one.lines[0] for one in axes.containers]
    assert [line.get_color() for line in drawn] == ["red", "blue", "red"]
    assert {line.get_fillstyle() for line in drawn} == {"none"}
    assert [line.get_marker() for line in drawn] == ["s", "s", "D"]
    assert axes.get_legend_handles_labels()[1] == ["ns-3", "ns-2"]
    assert "fillstyle" not in charts.hollow("segment engine")
    show.plt.close(figure)
