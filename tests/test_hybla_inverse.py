"""Hybla's inverse problem: the distance to what was printed, on runs whose answer is known."""

import functools

import numpy as np
import pandas as pd
import pytest

from longfat import statistics
from longfat.papers.hybla import experiments, inverse

SETTING = experiments.setting(
    "paper",
    loss_rates=None,
    repetitions=4,
    duration_s=None,
    rtt_s=0.55,
    rtt0_s=0.025,
    max_window_segments=550,
    segment_bytes=1000,
    rto_s=1.0,
    transfer_megabytes=(10, 50, 100),
    emulation_s=100.0,
)


def made_up(percent: float, combination: int = 0) -> pd.DataFrame:
    """Runs that differ from the model by so much at every loss rate, seed by seed a little."""
    parts = []
    for transfer in SETTING.segments:
        part = statistics.combinations(loss=inverse.LOSSES, seed=range(1, 5))
        off = 1 + (percent + 0.1 * (part["seed"] - 2.5)) / 100
        for metric in experiments.QUANTITIES:
            part[metric] = part["loss"].map(model(transfer, metric)) * off
        parts.append(part.assign(transfer=transfer, combination=combination))
    return pd.concat(parts)


@functools.cache
def model(transfer: str, metric: str) -> dict[float, float]:
    values = experiments.model(SETTING, transfer, metric, np.array(inverse.LOSSES))
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
