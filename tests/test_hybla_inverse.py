"""Hybla's inverse problem: the distance to what was printed, on runs whose answer is known."""

import functools

import numpy as np
import pandas as pd
import pytest

from longfat import statistics
from longfat.book import show
from longfat.book.chapters import hybla_charts as charts
from longfat.papers.hybla import inverse, plan, theory

SETTING = plan.setting("paper", repetitions=4)


def made_up(percent: float, combination: int = 0) -> pd.DataFrame:
    """Runs that differ from the model by so much at every loss rate, seed by seed a little."""
    parts = []
    for transfer in SETTING.segments:
        part = statistics.combinations(loss=inverse.LOSSES, seed=range(1, 5))
        off = 1 + (percent + 0.1 * (part["seed"] - 2.5)) / 100
        for metric in theory.QUANTITIES:
            part[metric] = part["loss"].map(model(transfer, metric)) * off
        parts.append(part.assign(transfer=transfer, combination=combination))
    return pd.concat(parts)


@functools.cache
def model(transfer: str, metric: str) -> dict[float, float]:
    values = theory.model(SETTING, transfer, metric, np.array(inverse.LOSSES))
    return dict(zip(inverse.LOSSES, values, strict=True))


def test_eighteen_numbers_are_printed_for_transfers_and_three_for_the_steady_state():
    numbers, steady = inverse.printed(), inverse.printed(steady=True)
    assert len(numbers) == 18 and len(steady) == 3
    assert not numbers["id"].str.contains("emulation").any()
    assert sorted(steady["percent"]) == [0.33, 4, 21]
    assert set(numbers["transfer"]) == {"10MB", "50MB", "100MB"}


def test_the_distance_is_the_mean_of_what_is_off():
    """Runs 10 % off: an upper bound above that is met, another number is off by the rest."""
    numbers = inverse.printed()
    expected = [
        max(0, 10 - row.percent) if row.bound else abs(10 - row.percent)
        for row in numbers.itertuples()
    ]
    [row] = inverse.distances(SETTING, made_up(10)).itertuples()
    assert row.distance == pytest.approx(sum(expected) / 18, abs=1e-9)
    assert row.low < row.distance < row.high or row.low == pytest.approx(row.high, abs=0.2)
    assert row.of == 18


def test_the_nearest_comes_first():
    grid = [inverse.Combination("ns-2's SACK sender"), inverse.Combination("ns-2's NewReno")]
    runs = pd.concat([made_up(40), made_up(12, combination=1)])
    table = inverse.distances(SETTING, runs, grid)
    assert list(table["combination"]) == [1, 0]
    assert table["recovery"].iloc[0] == "ns-2's NewReno"
    assert table["distance"].is_monotonic_increasing


def test_a_clock_is_set_right():
    """Runs whose clock began half a round trip before the paper's are as far as those without."""
    runs = made_up(3)
    later = runs["transfer_time"] + SETTING.rtt_s / 2
    rate = runs["throughput"] * runs["transfer_time"] / later
    table = inverse.timed_distances(
        inverse.timed(SETTING, runs.assign(transfer_time=later, throughput=rate))
    )
    assert table["distance"].is_monotonic_increasing
    found = table.set_index("timing")["distance"]
    assert set(found.index) == set(plan.TIMING_ROUND_TRIPS)
    right = inverse.distances(SETTING, runs)["distance"].iloc[0]
    assert found["from the first segment to the last ACK"] == pytest.approx(right)
    assert (found.drop("from the first segment to the last ACK") - right).abs().min() > 0.1


def test_what_is_held_out_is_not_fitted():
    """One combination is near two sizes and far from the third, the other half-way from each."""
    near, other = made_up(5), made_up(40, combination=1)
    far = near["transfer"] == "10MB"
    for metric in theory.QUANTITIES:
        near.loc[far, metric] *= 3
    table = inverse.held_out(inverse.timed(SETTING, pd.concat([near, other]))).set_index("left_out")
    assert set(table["of"]) == {6}
    assert table.loc["10MB", "recovery"] == inverse.GRID[0].recovery
    assert table.loc["10MB", "given"] == 0
    assert table.loc["50MB", "recovery"] == inverse.GRID[1].recovery


def test_a_combination_is_a_scenario_of_ns2():
    for combination in inverse.GRID:
        found = combination.scenario(SETTING, 1e-4, 3, duration_s=10)
        [flow] = found.flows
        own = combination.recovery.startswith("ns-2's")
        assert found.ns2.own_hybla == own
        assert flow.sack == ("NewReno" not in combination.recovery)
        assert flow.segments_per_ack == combination.segments_per_ack
        assert found.links[0].rate_bps == combination.rate_bps
        assert found.links[0].queue_packets == combination.queue_packets
    assert len(set(inverse.GRID)) == len(inverse.GRID)


def made_up_steady(percent: float, combination: int) -> pd.DataFrame:
    """Runs of the steady state that are so much below the model, seed by seed a little."""
    part = statistics.combinations(loss=inverse.LOSSES, seed=range(1, 5))
    off = 1 - (percent + 0.02 * (part["seed"] - 2.5)) / 100
    part["throughput"] = part["loss"].map(model("steady", "throughput")) * off
    return part.assign(transfer="steady", transfer_time=np.nan, combination=combination)


def test_the_steady_state_says_which_numbers_a_fitted_combination_gives():
    """4 % at most, 21 % and 0.33 % are printed: each is given by runs that are off by it alone."""
    grid = [inverse.GRID[0], inverse.GRID[5], inverse.GRID[6]]
    runs = pd.concat([made_up(place, combination=place) for place in range(3)])
    fitted = inverse.distances(SETTING, runs, grid)
    parts = [made_up_steady(off, place) for place, off in enumerate((0.33, 21.0, 7.0))]
    table = inverse.steady(SETTING, pd.concat(parts), fitted)
    assert list(table["recovery"]) == list(fitted["recovery"])
    printed = [name for name in table if name.endswith("%")]
    assert set(printed) == {"at most 4 %", "21 %", "0.33 %"}
    given = dict(zip(fitted["combination"], table["given"], strict=True))
    assert given == {0: 2, 1: 1, 2: 0}  # 0.33 % is at most 4 %, too
    row = table[fitted["combination"] == 1].iloc[0]
    assert row["21 %"].startswith("21.0") and row["segments_per_ack"] == 2
    assert (table["of"] == 3).all()


def test_the_switches_stand_beside_each_other_by_recovery():
    """Each column is of its own runs: ns-2's by recovery, ours as it is and halved at once."""
    large = list(SETTING.segments)[-1]
    sizes = max(SETTING.transfer_megabytes)
    seeds = statistics.combinations(loss=[1e-6, 1e-4, 1e-2], seed=[1, 2])
    runs = pd.concat(
        seeds.assign(transfer=transfer, combination=place, throughput=place + 1.0)
        for place in range(6)
        for transfer in SETTING.segments
    )
    runs.loc[runs["transfer"] != large, "throughput"] = 99.0
    ours = pd.concat(
        seeds.assign(megabytes=size, leg=leg, **{"Mb/s": 7.0 if size == sizes else 99.0})
        for size in SETTING.transfer_megabytes
        for leg in ("segment", "ns2")
    )
    ours.loc[ours["leg"] == "ns2", "Mb/s"] = 99.0
    varied = pd.concat(
        seeds.assign(megabytes=sizes, parameter=name, **{"Mb/s": value})
        for name, value in (("recovery", 8.0), ("min_rto", 99.0))
    )
    table = inverse.switches(SETTING, runs, ours, varied)
    assert list(table["loss"]) == [1e-4, 1e-2]
    means = {name: table[name].iloc[0] for name in table if name != "loss"}
    assert means == {
        "ns-2, its SACK sender": "1.00 ± 0.00",
        "ns-2, its NewReno": "2.00 ± 0.00",
        "ns-2, Linux agent, halved at once": "3.00 ± 0.00",
        "ns-2, Linux agent, rate halving": "4.00 ± 0.00",
        "segment engine, PRR": "7.00 ± 0.00",
        "segment engine, halved at once": "8.00 ± 0.00",
    }


def test_the_drawing_has_a_row_a_combination_the_nearest_on_top():
    runs = pd.concat([made_up(40), made_up(12, combination=6), made_up(20, combination=10)])
    table = inverse.distances(SETTING, runs)
    figure = charts.inverse_distances(table, plan.runs(SETTING))
    [axes] = figure.axes
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == [
        "Linux agent, halved at once, 100 Mb/s, delayed ACKs",
        "ns-2's SACK sender, 100 Mb/s, queue of 100",
        "ns-2's SACK sender, 100 Mb/s",
    ]
    assert axes.yaxis_inverted()
    [marks] = [line for line in axes.lines if line.get_marker() == "o"]
    assert np.allclose(marks.get_xdata(), table["distance"])
    counts = [text.get_text() for text in axes.texts]
    assert counts == [*(f"{met} of 18" for met in table["met"]), "numbers not refuted"]
    show.show_figure("x", figure, table, "alt")
