"""The derivations, the ledger, and what the approximations neglect, counted another way."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from sympy import Eq, Rational, Symbol, checkodesol

from longfat.errors import InputError
from longfat.papers import hybla
from longfat.papers import ledger as ledger_of
from longfat.papers.hybla import derivation
from longfat.papers.ledger import agree

pytestmark = pytest.mark.medium


@pytest.fixture(scope="module")
def ledger():
    return derivation.ledger().set_index("number")


@pytest.mark.parametrize("number", sorted(derivation.DERIVATIONS))
def test_derivation_ends_in_the_equation(number):
    steps = derivation.derive(number).steps
    assert len(steps) >= 1
    assert agree(steps[-1][1], hybla.EQ[number])


@pytest.mark.parametrize("number", sorted(hybla.PRINTED))
def test_derivation_does_not_end_in_what_is_printed(number):
    result = derivation.derive(number).result
    assert not agree(result, hybla.PRINTED[number].equation)


def test_agreement_is_not_given_away():
    assert not agree(hybla.EQ[3], hybla.EQ[11])
    assert not agree(hybla.EQ[5], Eq(hybla.Y, hybla.EQ[5].rhs - 1))
    assert not agree(hybla.EQ[32], Eq(hybla.T_ss, Symbol("x")))


def test_ledger_has_each_equation_once(ledger):
    assert list(ledger.index) == list(range(1, 40))
    assert set(derivation.NAMES) == set(ledger.index)
    assert "not derived" not in set(ledger.status)


def test_ledger_statuses(ledger):
    by_status = ledger.groupby("status").groups
    assert list(by_status["derived after correction"]) == [14, 34, 39]
    assert list(by_status["approximation"]) == [3, 4, 6, 8, 11, 12, 17, 32, 37]
    assert list(by_status["definition"]) == [1, 9, 16, 20, 38]


def test_a_wrong_equation_would_show_in_the_ledger(monkeypatch):
    wrong = dict(hybla.EQ._equations)
    wrong[19] = Eq(hybla.X, hybla.EQ[19].rhs + 1)
    monkeypatch.setattr(hybla.EQ, "_equations", wrong)
    monkeypatch.setattr(ledger_of, "_steps", lambda steps: tuple(steps()))  # none is kept
    assert derivation.LEDGER.table().set_index("number").at[19, "status"] == "not derived"


def test_approximations_have_a_size(ledger):
    approximate = ledger[ledger.status == "approximation"]
    assert np.all(approximate.error > 0)
    assert set(approximate.index[approximate.error > 0.1]) == {6, 8, 17}
    assert ledger.drop(approximate.index).error.isna().all()


def test_what_the_accounts_of_a_cycle_neglect_is_as_large_as_the_chapter_says(ledger):
    """(6) against the ACKs of half a window, (17) against the count of (8) by the other's model."""
    assert ledger.error[6] == pytest.approx(484 / (584.66 - 275) - 1, abs=1e-3)
    printed = hybla.throughput(2e-3, 0.55, 0.025, 550)
    counted = derivation.mended_cycle(2e-3, 0.55, 0.025, 550, ("count",)).B
    assert ledger.error[17] == pytest.approx(1 - printed / counted)
    at = hybla.steady_state(1e-2, 0.55, 0.025, 550).iloc[0]
    as_printed = at.X * (at.D * at.W + 22**2 * (at.X + 1) / 2)
    of_one_round = at.X * (at.D * at.W + 22**2)  # at the pace of its end, as (8) counts a whole one
    assert at.X < 1
    assert ledger.error[8] == pytest.approx(1 - as_printed / of_one_round)


def test_a_definition_has_no_steps():
    with pytest.raises(InputError, match=r"equation \(1\) is a definition"):
        derivation.derive(1)
    with pytest.raises(InputError, match=r"no equation \(40\)"):
        derivation.derive(40)


def test_derivation_shows_itself_as_markdown():
    text = derivation.derive(3)._repr_markdown_()
    assert text.startswith("**(3) losses at the peak**")
    assert text.count("$$") == 2 * len(derivation.derive(3).steps)


@pytest.mark.parametrize("window", [4, 5, 9, 30])
@pytest.mark.parametrize("p", ["1/1000000", "1/1000", "1/100"])
def test_dropped_tail_is_that_of_exact_fractions(window, p):
    p = Fraction(p)
    chance = {
        m: comb(window - 1, m - 1) * (1 - p) ** (window - m) * p ** (m - 1)
        for m in range(1, window + 1)
    }
    kept = range(1, window - 2)
    losses = sum(m * chance[m] for m in kept)
    reduction = sum(Fraction(1, 2**m) * chance[m] for m in kept)
    row = derivation.dropped_tail(window, float(p)).iloc[0]
    assert row.L_exact == pytest.approx(float(losses), rel=1e-12)
    assert row.D_exact == pytest.approx(float(reduction), rel=1e-12)
    assert row.L_error == pytest.approx(float((1 + p * (window - 1)) / losses - 1), rel=1e-4)
    assert row.D_error == pytest.approx(
        float((2 - p) ** (window - 1) / 2**window / reduction - 1), rel=1e-4
    )


@pytest.mark.parametrize("window", [3, 4.5, np.nan])
def test_dropped_tail_needs_a_whole_window(window):
    with pytest.raises(InputError, match="it must be a whole number of at least 4"):
        derivation.dropped_tail(window, 0.01)


def test_slow_start_rounds_are_whole():
    # 22, then 550 a round: 9978 are left after the first, which is 18.14 windows of 550.
    assert derivation.slow_start_rounds(10_000, 22, 550) == pytest.approx(1 + 9978 / 550)
    # Reno doubles: 1 + 2 + 4 + 8 segments are four rounds.
    assert derivation.slow_start_rounds(15, 1, 1000) == 4
    assert derivation.slow_start_rounds(5, 22, 550) == pytest.approx(5 / 22)


def test_with_rho_1_whole_rounds_are_those_of_27():
    rounds = hybla.latency(15, 0, 0.1, 0.1, 1000, 1.0)["T_ss"].iloc[0] / 0.1
    assert rounds == pytest.approx(derivation.slow_start_rounds(15, 1, 1000))


@pytest.mark.parametrize("p", [1e-5, 1e-4, 1e-2])
def test_mean_rest_is_the_sum_over_first_losses(p):
    d, w = 10_000, 550
    row = derivation.rest_of_transfer(d, p, 0.55, 0.025, w, 1.0).iloc[0]
    window = min(w, hybla.latency(d, p, 0.55, 0.025, w, 1.0).W_ss.iloc[0])
    before = np.arange(d)
    mean = np.sum(p * (1 - p) ** before * np.maximum(d - before - window, 0))
    assert row.d_ca_mean == pytest.approx(mean, rel=1e-3)
    assert row.d_ca <= row.d_ca_mean


def test_with_the_mean_rest_loss_costs_time():
    table = derivation.rest_of_transfer(10_000, derivation.LOSSES, rto=1.0, **derivation.PAPER)
    assert np.all(np.diff(table.T_mean) > 0)
    assert np.any(np.diff(table["T"]) < 0)


# What a round trip adds.


def test_a_round_trip_adds_what_its_acks_add_one_by_one():
    """The closed form beside the sum over ACKs, each of which finds a larger window."""
    for start in (72.0, 275.0, 2000.0):
        window = start
        for _ in range(int(start)):
            window += 22.0**2 / window
        assert derivation.window_after_round(start, 22.0) == pytest.approx(window, rel=6e-3)
    *_, (_, limit) = derivation.round_of_growth()
    assert limit.rhs == hybla.EQ[6].rhs.coeff(hybla.X)


def test_its_derivation_is_its_number():
    steps = dict(enumerate(derivation.round_of_growth()))
    rate, solution = steps[0][1], steps[1][1]
    assert checkodesol(rate, solution) == (True, 0)
    square = steps[2][1]
    given = dict(zip(sorted(square.free_symbols, key=str), (275.0, 0.0, 22.0), strict=True))
    window = float(square.rhs.subs(given)) ** 0.5
    assert derivation.window_after_round(275.0, 22.0) == pytest.approx(window)


def test_rounds_of_growth_add_up():
    rounds, sent = derivation.rounds_of_growth(209.0, 550.0, 22.0)
    first = float(derivation.window_after_round(209.0, 22.0))
    assert 1 < rounds < 2
    assert sent > first
    again, rest = derivation.rounds_of_growth(first, 550.0, 22.0)
    assert (1 + again, first + rest) == pytest.approx((rounds, sent))


@pytest.mark.parametrize("p", [1e-5, 1e-3, 5e-3, 1e-2])
def test_with_nothing_mended_the_cycle_is_the_papers(p):
    at = {"rtt": 0.55, "rtt0": 0.025, "max_window": 550}
    cycle = derivation.mended_cycle(p, **at, mended=())
    state = hybla.steady_state(p, **at).iloc[0]
    for name, found in cycle._asdict().items():
        assert found == pytest.approx(state[name], rel=1e-6), name
    counted = derivation.mended_cycle(p, **at, mended=("count",))
    limited = at["max_window"] == cycle.W
    assert (counted.B > cycle.B) if limited else (counted.B == cycle.B)
    assert counted.U == cycle.U
    once = derivation.mended_cycle(p, **at, mended=("halving",))
    assert pytest.approx(hybla.throughput(p, **at, equations=hybla.HALVED_ONCE), rel=1e-6) == once.B


def test_losses_of_a_window_are_counted_one_by_one():
    """Of 5 segments the first is lost, and 2 of the other 4: each way to choose them, written out.

    Where in a window a step counts ways or the chance of one, it is this count.
    """
    at = {hybla.W: 5, hybla.m: 3, hybla.p: Rational(1, 10)}
    ways = [lost for lost in product((0, 1), repeat=4) if sum(lost) == 2]
    chance = Fraction(1, 10) ** 2 * Fraction(9, 10) ** 2
    (_, counted), (_, one), (_, together) = derivation.derive(2).steps
    assert counted.subs(at) == len(ways) == 6
    assert Fraction(str(one.subs(at))) == chance
    assert Fraction(str(together.rhs.subs(at))) == 6 * chance
