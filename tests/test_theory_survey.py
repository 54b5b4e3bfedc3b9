"""The survey's equations: each derivation, each number of the text, and both against simulation by
counting segments."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sympy import Eq, Rational, log, simplify

from longfat import papers
from longfat.cli import main
from longfat.errors import InputError
from longfat.papers import reno, survey
from longfat.papers.ledger import agree
from longfat.papers.survey import derivation

# RFC 3649, appendix B: w, and b(w) in hundredths; a(w) is the row's number.
RFC3649_ROWS = """
38 50 118 44 221 41 347 38 495 37 663 35 851 34 1058 33 1284 32 1529 31 1793 30 2076 29 2378 28
2699 28 3039 27 3399 27 3778 26 4177 26 4596 25 5036 25 5497 24 5979 24 6483 23 7009 23 7558 22
8130 22 8726 22 9346 21 9991 21 10661 21 11358 20 12082 20 12834 20 13614 19 14424 19 15265 19
16137 19 17042 18 17981 18 18955 18 19965 17 21013 17 22101 17 23230 17 24402 16 25618 16 26881 16
28193 16 29557 15 30975 15 32450 15 33986 15 35586 14 37253 14 38992 14 40808 14 42707 13 44694 13
46776 13 48961 13 51258 13 53677 12 56230 12 58932 12 61799 12 64851 11 68113 11 71617 11 75401 10
79517 10 84035 10 89053 10
"""


@pytest.fixture(scope="module")
def ledger():
    return derivation.ledger().set_index("number")


@pytest.mark.parametrize("number", sorted(derivation.DERIVATIONS))
def test_derivation_ends_in_the_equation(number):
    assert agree(derivation.derive(number).result, survey.EQ[number])


def test_ledger(ledger):
    assert list(ledger.index) == list(range(1, 46)) == list(derivation.NAMES)
    by_status = ledger.groupby("status").groups
    assert "not derived" not in by_status
    assert list(by_status["derived after correction"]) == [2]
    assert list(by_status["approximation"]) == [8, 35]
    assert ledger.loc[8, "error"] == pytest.approx(1 - 1.2 / 1.5**0.5)
    assert set(derivation.REASONS) <= set(ledger.index)


def test_steps_that_are_shown_on_the_way_hold_too():
    """Standard TCP's window is the square-root law's; Scalable's rounds make up for the loss."""
    _, standard = derivation.derive(24).steps[0]
    assert simplify(standard.rhs**2 * survey.p * survey.d) == Rational(3, 2)
    _, balance = derivation.derive(32).steps[0]
    rounds = survey.EQ[32].rhs
    at = {survey.A: 0.01, survey.b: 0.125, survey.P: 1000}
    assert float(balance.lhs.subs(survey.X, rounds).subs(at)) == pytest.approx(1000)


def test_agreement_is_not_given_away():
    assert not agree(survey.EQ[8], Eq(survey.B_S, survey.EQ[8].rhs * 1.2))
    assert not agree(survey.EQ[3], survey.EQ[4])


def test_a_definition_has_no_steps():
    with pytest.raises(InputError, match=r"equation \(14\) is a definition"):
        derivation.derive(14)
    with pytest.raises(InputError, match=r"no equation \(46\)"):
        derivation.derive(46)


def test_what_is_printed_for_congestion_avoidance_is_one_byte_a_round_trip():
    printed = survey.PRINTED[2].equation.rhs - survey.W_i
    assert simplify(printed * survey.W_i / survey.M) == 1
    right = survey.EQ[2].rhs - survey.W_i
    assert simplify(right * survey.W_i / survey.M) == survey.M


def test_the_texts_numbers():
    numbers = survey.recomputed()
    assert round(numbers["survey-10g-packets"] / 1e5) == 48225  # printed as 4822500000
    assert 90 < numbers["survey-10g-minutes"] < 100
    assert round(numbers["survey-10g-hstcp-seconds"]) == 12
    assert round(numbers["survey-lsr-rate"], 2) == 2.38
    assert numbers["survey-lsr-product"] == pytest.approx(23888.06)  # printed: 238888
    assert numbers["survey-bdp"] == 7.5


def test_what_is_calculated_with_is_what_the_definitions_say():
    """Those from which nothing is derived: (16) to (18), and RFC 3649's decrease (29)."""
    assert survey.EQ[16].rhs * survey.w_i == 1
    assert float(survey.EQ[18].rhs) == survey.SCALABLE["A"] == 0.01
    assert survey.EQ[17].rhs * survey.w_i == survey.a_of(survey.w_i)
    ends = [float(survey.EQ.calculate((29,), w=w, **survey.RFC3649)["b"]) for w in (38, 83_000)]
    assert ends == pytest.approx([0.5, 0.1])


def test_throughput_is_the_square_root_law_of_the_other_module():
    loss = np.geomspace(1e-8, 1e-2, 7)
    for acked in (1, 2):
        other = reno.square_root_law(loss, 0.1, 1e9, acked) * 1460 * 8
        assert survey.throughput(loss, 0.1, 1460, acked) == pytest.approx(other)
    assert survey.allowed_loss(survey.throughput(loss, 0.1, 1460), 0.1, 1460) == pytest.approx(loss)


def test_rfc_3649_appendix_b_row_by_row():
    numbers = np.array(RFC3649_ROWS.split(), dtype=int).reshape(-1, 2)
    table = survey.rfc3649_table(90_000)
    assert table["w"].tolist() == numbers[:, 0].tolist()
    assert table["a"].tolist() == list(range(1, 73))
    assert (100 * table["b"]).tolist() == pytest.approx(numbers[:, 1].tolist())


def test_highspeed_is_standard_tcp_up_to_38_segments_and_72_at_83000():
    assert survey.highspeed_increase([1, 38]).tolist() == [1, 1]
    assert survey.highspeed_decrease([1, 38]).tolist() == [0.5, 0.5]
    assert survey.highspeed_increase(83000) == pytest.approx(72.5, abs=0.1)
    assert survey.highspeed_decrease(83000) == pytest.approx(0.1)
    w = np.geomspace(42, 1e5, 100)
    assert np.all(np.diff(survey.highspeed_increase(w)) > 0)
    assert np.all(np.diff(survey.highspeed_decrease(w)) < 0)


def test_response_function_of_rfc_3649_is_the_one_it_prints():
    """RFC 3649, section 5: w = 0.12 / p^0.835."""
    p = np.geomspace(1e-7, 9e-4, 20)
    assert survey.mean_window("highspeed", p) == pytest.approx(0.12 / p**0.835, rel=0.02)


@pytest.mark.parametrize("algorithm", survey.RESPONSES)
def test_response_and_its_inverse(algorithm):
    w = np.array([50.0, 1000.0, 80_000.0])
    loss = survey.loss_for_window(algorithm, w)
    assert survey.mean_window(algorithm, loss) == pytest.approx(w)


def test_response_functions_on_the_command_line():
    arguments = ["model", "survey", "--loss", "1e-7", "--loss", "1e-4", "--json"]
    rows = pd.DataFrame(json.loads(CliRunner().invoke(main, arguments).output))
    assert rows["algorithm"].tolist() == 2 * list(survey.RESPONSES)
    standard, highspeed, scalable = rows.to_dict("records")[:3]
    assert standard["throughput_bps"] == pytest.approx(survey.throughput(1e-7, 0.1, 1448))
    assert highspeed["window_segments"] == pytest.approx(83_000)
    assert highspeed["loss_interval_s"] == pytest.approx(0.1 / (1e-7 * 83_000))
    assert scalable["recovery_time_s"] == pytest.approx(survey.recovery_time("scalable", 100, 0.1))
    answer = CliRunner().invoke(main, ["model", "survey", "--loss", "0"])
    assert answer.exit_code == 2 and "loss is 0" in answer.output


@pytest.mark.parametrize("algorithm", survey.RESPONSES)
def test_response_by_counting_segments(algorithm):
    """One loss in every 1/p segments, window by window, without the closed forms."""
    loss = 1e-6
    window, sent, windows = 1000.0, 0.0, []
    for _ in range(40_000 if algorithm == "standard" else 10_000):  # at least 50 losses
        windows.append(window)
        sent += window
        if algorithm == "standard":
            increase, decrease = 1.0, 0.5
        elif algorithm == "highspeed":
            increase = float(survey.highspeed_increase(window))
            decrease = float(survey.highspeed_decrease(window))
        else:
            increase, decrease = 0.01 * window, 0.125
        window += increase
        if sent >= 1 / loss:
            sent -= 1 / loss
            window *= 1 - decrease
    mean = np.mean(windows[5000:])
    assert mean == pytest.approx(float(survey.mean_window(algorithm, loss)), rel=0.03)


def test_recovery_times():
    assert survey.recovery_time("standard", 1000, 0.1) == pytest.approx(50)
    scalable = survey.recovery_time("scalable", 1000, 0.1)
    assert scalable == survey.recovery_time("scalable", 80_000, 0.1)
    assert 0.875 * 1.01 ** (scalable / 0.1) == pytest.approx(1)
    window, rounds = 5000 * (1 - float(survey.highspeed_decrease(5000))), 0
    while window < 5000:
        window, rounds = window + float(survey.highspeed_increase(window)), rounds + 1
    assert survey.recovery_time("highspeed", 5000, 0.1) == pytest.approx(rounds * 0.1, rel=0.02)


def test_ten_gigabits_by_standard_tcp_needs_a_loss_interval_of_an_hour_and_a_half():
    need = survey.loss_interval("standard", 10e9, 0.1, 1500)
    assert need["window"] == pytest.approx(83333.33, abs=0.01)
    assert need["packets"] == pytest.approx(1 / survey.allowed_loss(10e9, 0.1, 1500))
    assert need["seconds"] == pytest.approx(
        survey.recovery_time("standard", need["window"] * 4 / 3, 0.1)
    )


def fast_update(window, base_rtt, rtt):
    """Return FAST TCP's next window by (37), at an alpha of 200 segments and a gamma of 1/2."""
    given = {"w_i": window, "D": base_rtt, "q": rtt - base_rtt, "alpha": 200, "gamma": 0.5}
    return float(survey.EQ.calculate((37,), **given)["w_{i+1}"])


def test_fast_goes_to_its_equilibrium_by_halves():
    rate, base = 25_000.0, 0.1  # segments/s, s
    window, distances = 100.0, []
    for _ in range(60):  # first by alpha gamma an update, until the pipe is full
        rtt = max(base, window / rate)
        window = fast_update(window, base, rtt)
        distances.append(window - (rate * base + 200))
    there = survey.fast_equilibrium(rate * 8 * 1500, base, 1500, alpha=200)
    assert window == pytest.approx(there["window"], abs=1e-3)
    assert there["queueing_delay_s"] == pytest.approx(200 / rate)
    assert distances[45] / distances[44] == pytest.approx(0.5)


def test_fast_never_more_than_doubles():
    assert fast_update(10, 0.1, 0.1) == 20
    assert fast_update(10_000, 0.1, 0.1) == 10_100


def test_times_to_fill_a_pipe():
    assert survey.slow_start_time(1024, 0.1) == pytest.approx(1.0)
    assert survey.slow_start_time(1024, 0.1, segments_per_ack=2) == pytest.approx(
        0.1 * np.log(1024) / np.log(1.5)
    )
    assert survey.avoidance_time(5000, 0.1) == 250
    window, rounds = 100.0, 0
    while window < 5000:  # RFC 3742: K = int(cwnd / (max_ssthresh / 2)), cwnd += 1 / K an ACK
        window, rounds = window + window / int(window / 50), rounds + 1
    limited = survey.EQ.calculate((43,), w=5000, m=100, w_0=1, R=0.1)["T_lss"]
    assert limited == pytest.approx(0.1 * (np.log2(100) + rounds))


def test_limits_of_buffers_and_headers():
    assert survey.buffer_limit(1e6, 0.1) == 80e6
    assert survey.header_overhead(1500, [40, 60]) == pytest.approx([0.0267, 0.04], abs=1e-4)
    assert survey.header_overhead(9000, 40) == pytest.approx(0.00444, abs=1e-5)


def test_paths():
    """The first round trip is stated, the others are light in fibre."""
    table = survey.paths(papers.data("survey", "paths")).set_index("name")
    assert table.at["JAPAN", "rtt_s"] == papers.value("survey", "rtt")
    assert table.at["JAPAN", "bdp_megabytes"] == pytest.approx(7.5)
    assert table.at["MOON", "rtt_s"] == pytest.approx(3.5)


def test_the_limited_slow_start_is_printed_as_a_sum():
    """Not as one logarithm of a power, into which sympy would turn it."""
    shown = derivation.derive(43).result.rhs
    assert shown.atoms(log) == {log(2), log(survey.m / survey.w_0)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: survey.throughput(0, 0.1, 1460), "loss is 0: it must be above 0 and below 1"),
        (lambda: survey.throughput(1e-3, -1, 1460), "rtt is -1: it must be above 0 s"),
        (lambda: survey.mean_window("scaleable", 1e-3), "Did you mean 'scalable'"),
    ],
)
def test_values_out_of_range(call, message):
    with pytest.raises(InputError, match=message):
        call()
