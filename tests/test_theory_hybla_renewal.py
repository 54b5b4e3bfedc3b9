"""The model of Hybla that goes by ACKs and keeps the windows' distribution, held to the engine and
to what is known of Reno."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from longfat import simulate, topologies
from longfat.errors import InputError
from longfat.papers import hybla
from longfat.papers.hybla import renewal

SATELLITE = {"rtt": 0.55, "rtt0": 0.025, "max_window": 550}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "within"),
    [(1e-4, 0.02), (5e-4, 0.02), (1e-3, 0.02), (2e-3, 0.02), (5e-3, 0.05), (1e-2, 0.05)],
)
def test_the_engine_measures_what_it_says(loss, within):
    """Nothing is fitted: within 2 % up to two losses in a thousand, 5 % up to one in a hundred."""
    runs = [
        simulate(topologies.satellite(loss=loss, duration_s=4000, seed=seed)) for seed in (1, 2, 3)
    ]
    measured = np.mean([run.flows["goodput_bps"].iloc[0] / 8000 for run in runs])
    assert_allclose(renewal.throughput(loss, **SATELLITE), measured, rtol=within)


def test_without_loss_it_is_the_full_window():
    assert_allclose(renewal.throughput(0, **SATELLITE), 1000)
    assert_allclose(renewal.throughput(1e-7, **SATELLITE), 1000, rtol=1e-4)


@pytest.mark.medium
def test_where_rho_is_1_it_is_the_square_root_law():
    """Ott, Kemperman and Mathis 1996: 1.3098 / (R sqrt(p)) where independent losses are rare."""
    loss = 1e-3
    law = 1.3098 / (0.55 * np.sqrt(loss))
    assert_allclose(renewal.throughput(loss, 0.55, 0.55, 1000), law, rtol=0.02)


@pytest.mark.medium
def test_it_never_rises_with_the_loss_rate():
    """The paper's two cases leave a step where they meet, near 0.00387; this has none."""
    found = renewal.throughput(np.geomspace(1e-4, 1e-2, 25), **SATELLITE)
    assert (np.diff(found) < 0).all()


def test_the_windows_after_a_loss_are_a_distribution():
    windows, chance = renewal.windows_after_loss(1e-3, **SATELLITE)
    assert_allclose(chance.sum(), 1)
    assert (chance > -1e-9).all()
    assert 240 < windows @ chance < 275  # below half of the limit


@pytest.mark.parametrize("p", [0.01, 1e-4])
def test_at_the_limit_what_follows_a_recovery_is_a_geometric_number(p):
    """1/p - 1 segments before the first that is lost, and a window until that is noticed."""
    largest, rtt = 20.0, 0.5
    states = np.linspace(2, largest / 2, 50)
    growth = renewal._growth(largest, p, rtt, 1.0, largest, states)
    assert_allclose(growth.segments, 1 / p - 1 + largest, rtol=1e-9)
    assert_allclose(growth.windows.sum(), 1, rtol=1e-9)
    assert_allclose(growth.windows @ states, largest / 2, rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"loss": 1}, "loss"),
        ({"max_window": 2}, "max_window"),
        ({"rtt0": 0.55, "max_window": 1e6, "loss": 1e-9}, "max_window"),
    ],
)
def test_bad_input_is_named(values, named):
    with pytest.raises(InputError, match=f"^{named}"):
        renewal.throughput(**({"loss": 1e-3} | SATELLITE | values))


def test_the_chapters_function_has_both_models_and_no_third():
    ours = hybla.throughput(1e-3, **SATELLITE, model="renewal")
    assert ours == renewal.throughput(1e-3, **SATELLITE) != hybla.throughput(1e-3, **SATELLITE)
    with pytest.raises(InputError, match=r"^model is 'renewl'"):
        hybla.throughput(1e-3, **SATELLITE, model="renewl")
