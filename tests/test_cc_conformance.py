"""Conformance of every sender of the segment engine: growth, loss, timeout, ECN, rates, sizes."""

import re
import statistics
from pathlib import Path

import numpy as np
import pytest
from cc_driver import Driver
from segment_scenarios import HEADERS, SENDERS, flow, link, run, scenario

from longfat.cc import catalogue
from longfat.engines.segment import native
from longfat.errors import InputError

# What adds a segment a round trip in congestion avoidance (RFC 5681), by their papers and headers.
AS_RENO = ["dual", "gaimd", "newreno", "pert", "reno", "standard", "tcpj", "ucc", "veno"]
AS_RENO += ["cdg", "cdg-linux", "chd", "chd-freebsd", "hd", "hd-freebsd"]
AS_RENO += ["lp", "westwood", "westwood-plus"]
FIXED = Path(__file__).parent / "cc_fixed.h"


def window_at(answer: dict, when_s: float) -> float:
    """Return the window that was in force at that time."""
    times, windows = answer["flows"][0]["series"]["cwnd_segments"]
    return windows[np.searchsorted(times, when_s) - 1]


def growth_a_round_trip(sender: str, window: int, **parameters) -> float:
    """Return the segments by which 20 round trips of 100 ms open a window, each."""
    own = flow({"name": sender, "parameters": parameters})
    own |= {"initial_window_segments": window, "initial_ssthresh_segments": window}
    answer = run(link(100e9, queue=10**6), own, duration_s=4, series=["cwnd_segments"])
    assert answer["retransmissions"] == 0
    return (window_at(answer, 3.5) - window_at(answer, 1.5)) / 20


@pytest.mark.parametrize("window", [50, 550, 4000, 8000])
@pytest.mark.parametrize("sender", AS_RENO)
def test_a_segment_a_round_trip(sender, window):
    """RFC 5681, (3): whatever the window (audit A3)."""
    assert growth_a_round_trip(sender, window) == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize("cause", ["loss", "ecn", "timeout"])
@pytest.mark.parametrize("sender", SENDERS)
def test_congestion_leaves_two_segments(sender, cause):
    """RFC 5681, (4): they are the smallest threshold."""
    assert Driver(sender, 2).threshold(cause) == 2
    if "as_linux_6_12" in catalogue.find(sender).parameters:
        assert Driver(sender, 2, as_linux_6_12=True).threshold(cause) == 2


def test_general_aimd_adds_a():
    assert growth_a_round_trip("gaimd", 550, increase_segments=3.5) == pytest.approx(3.5, rel=0.03)


@pytest.mark.parametrize("window", [550, 4000])
def test_hybla_adds_the_square_of_the_ratio(window):
    """Paper hybla, equation (1), second line: rho = 0.1 / 0.025."""
    assert growth_a_round_trip("hybla", window) == pytest.approx(16, rel=0.03)


@pytest.mark.parametrize("window", [550, 4000, 8000])
def test_scalable_tcp_adds_a_hundredth_of_its_window(window):
    """Paper survey, (18): 0.01 an ACK, from the 15th of these round trips to the 35th."""
    own = flow("scalable", initial_window_segments=window, initial_ssthresh_segments=window)
    answer = run(link(100e9, queue=10**6), own, duration_s=4, series=["cwnd_segments"])
    ratio = window_at(answer, 3.5) / window_at(answer, 1.5)
    assert ratio == pytest.approx(1.01**20, rel=0.005)


def test_scalable_tcp_is_standard_in_a_small_window():
    own = {"legacy_window_segments": 1000}
    assert growth_a_round_trip("scalable", 550, **own) == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize("window", [550, 4000])
def test_compound_adds_alpha_of_a_power_of_its_window(window):
    """Tan et al. 2006: without a queue 0.125 win^0.75 a round trip, Reno's segment among it.

    So the fourth root of the window grows by a quarter of 0.125.
    """
    own = flow("compound", initial_window_segments=window, initial_ssthresh_segments=window)
    answer = run(link(100e9, queue=10**6), own, duration_s=4, series=["cwnd_segments"])
    roots = [window_at(answer, when_s) ** 0.25 for when_s in (1.5, 3.5)]
    assert (roots[1] - roots[0]) / 20 == pytest.approx(0.125 / 4, rel=0.03)


def test_hybla_starts_with_the_ratio_and_grows_by_two_to_its_power():
    """Equation (1), first line: every ACK of a slow start adds 2^rho - 1, with rho = 4 here."""
    own = flow("hybla", initial_window_segments=1)
    answer = run(link(100e9, queue=10**6), own, duration_s=0.6, series=["cwnd_segments"])
    assert window_at(answer, 0.15) == pytest.approx(4, rel=1e-4)
    first_round = window_at(answer, 0.25)
    assert first_round == pytest.approx(4 + 4 * 15, rel=1e-3)
    assert window_at(answer, 0.35) == pytest.approx(16 * 64, rel=2e-2)


def test_hybla_grows_as_reno_after_a_timeout():
    """As in Linux (audit C): the first ACK does not bring a window of one to the threshold."""
    own = flow("hybla", initial_window_segments=100, initial_ssthresh_segments=100)
    forth = link(delay_s=0.3, outages=[{"start_s": 3, "duration_s": 2}])
    answer = run(forth, own, duration_s=9, series=["cwnd_segments"])
    assert answer["timeouts"] > 0
    windows = answer["series"]["cwnd_segments"][1]
    lowest = windows.index(1.0)
    assert 2 in windows[lowest : lowest + 3]
    assert windows[lowest + 1] < 10


# --- what congestion leaves


def one_loss(sender: str, rate_bps=100e6, window=200, **more) -> dict:
    """A sender in congestion avoidance at that window, of which one segment is lost after 3 s."""
    own = flow(sender, initial_window_segments=window, initial_ssthresh_segments=window, **more)
    series = ["cwnd_segments", "ssthresh_segments", "delivered_bytes"]
    clean = run(link(rate_bps), own, duration_s=3.2, series=series)
    arrivals = clean["series"]["delivered_bytes"][0]
    at_s = arrivals[np.searchsorted(arrivals, 3.0)]  # the next comes 84 us later, or more
    forth = link(rate_bps, outages=[{"start_s": at_s - 1e-5, "duration_s": 2e-5}])
    return run(forth, own, duration_s=4.5, series=series)


HALVING = {"gaimd": 0.5, "newreno": 0.5, "reno": 0.5, "standard": 0.5, "hybla": 0.5, "cubic": 0.7}
HALVING |= {"scalable": 0.875, "compound": 0.5, "bic": 0.8}


@pytest.mark.parametrize("recovery", ["prr", "halving"])
@pytest.mark.parametrize("sender", sorted(HALVING))
def test_a_loss_takes_its_part_of_the_window(sender, recovery):
    answer = one_loss(sender, recovery=recovery)
    assert (answer["recoveries"], answer["timeouts"]) == (1, 0)
    times, thresholds = answer["series"]["ssthresh_segments"]
    before = window_at(answer, times[-1] - 1e-6)
    assert thresholds[-1] == pytest.approx(HALVING[sender] * before, rel=0.02)
    after = window_at(answer, times[-1] + 0.12)
    fast = {"hybla": 17, "bic": 17, "compound": 9}  # what a round trip adds
    assert after == pytest.approx(thresholds[-1], abs=fast.get(sender, 6))


@pytest.mark.parametrize("sender", ["westwood", "tcpj"])
def test_an_estimate_of_the_bandwidth_takes_the_place_of_halving(sender):
    """Paper tcpj, (5) and (6): a random loss leaves what the ACKs have measured."""
    answer = one_loss(sender, rate_bps=16e6)
    bandwidth_delay = 16e6 * 1000 / (1000 + HEADERS) * 0.1 / 8000
    assert window_at(answer, 3.6) == pytest.approx(bandwidth_delay, rel=0.1)


def test_ucc_keeps_its_window_where_the_link_is_not_busy():
    """Paper ucc, (7): at a hundredth of the link, no queue: rho is below alpha."""
    answer = one_loss("ucc")
    assert window_at(answer, 3.35) == pytest.approx(window_at(answer, 2.9), rel=0.02)


# No router on these paths speaks: CADPC and XCP are NewReno. TCP-Probing does not time out, it asks
# (test_cc_own_packets.py).
@pytest.mark.parametrize("sender", sorted({*SENDERS} - {"probing"}))
def test_a_timeout_leaves_a_window_of_one(sender):
    own = flow(sender, initial_window_segments=100, initial_ssthresh_segments=100)
    forth = link(20e6, outages=[{"start_s": 3, "duration_s": 2}])
    answer = run(forth, own, duration_s=8, series=["cwnd_segments"])
    assert answer["timeouts"] >= 1
    assert min(answer["series"]["cwnd_segments"][1]) == 1
    assert window_at(answer, 7.9) > 10


# So low that those who go by delay are marked before they give way by themselves.
MARK_ABOVE = dict.fromkeys(["cdg", "cdg-linux", "hd", "hd-freebsd"], 2) | {"fast": 8, "lp": 5}
MARKED_PARAMETERS = {"fast": {"alpha_segments": 10}}  # of its 200 in queues all would be marked


@pytest.mark.parametrize("sender", SENDERS)
def test_a_mark_lowers_the_window_once_a_round_trip(sender):
    """RFC 3168: no packet is lost, and many marks in a window count once (audit B6)."""
    own = flow({"name": sender, "parameters": MARKED_PARAMETERS.get(sender, {})}, ecn=True)
    own |= {"initial_ssthresh_segments": 80, "min_rto_s": 3}
    if (
        sender == "cherry"
    ):  # which begins with what the receiver takes: no more than there is room for
        own["receive_buffer_bytes"] = 200_000
    forth = link(mark_above_packets=MARK_ABOVE.get(sender, 20))
    answer = run(forth, own, duration_s=30, series=["ssthresh_segments"])
    assert answer["links"][0]["packets_marked"] > 0
    assert answer["retransmissions"] == answer["timeouts"] == 0
    assert answer["delivered_bytes"] * 8 / 30 > 0.45 * 10e6
    thresholds = answer["series"]["ssthresh_segments"][0]
    assert len(thresholds) > 1 or sender in ("bbr", "bbr3")  # they heed no marks
    if sender in HALVING:  # what estimates bandwidths sets another one at the end
        assert np.diff(thresholds).min() > 0.099  # with CWR, a round trip of 100 ms


# --- sizes and rates


@pytest.mark.slow
@pytest.mark.medium
@pytest.mark.parametrize("sender", SENDERS)
def test_five_gigabytes(sender):
    """More than 32 bits of bytes (audit B1, B2), over 10 Gbit/s and 20 ms."""
    own = flow(sender, bytes=5 * 10**9, segment_bytes=8948)
    answer = run(link(10e9, 0.01, 5000), own, duration_s=60)
    assert answer["delivered_bytes"] == 5 * 10**9
    assert answer["completion_s"] < 30


def test_bbrs_round_trips_are_counted_beyond_32_bits():
    """Audit B2: what ten round trips have measured outlives four slow ones at 4.29 GB."""
    slower = [{"at_s": 3.643, "rate_bps": 5e9}, {"at_s": 3.723, "rate_bps": 10e9}]
    series = ["bandwidth_bps", "delivered_bytes"]
    own = flow("bbr", segment_bytes=8948)
    answer = run(link(10e9, 0.01, 10**5, changes=slower), own, duration_s=4, series=series)
    times, delivered = answer["series"]["delivered_bytes"]
    assert 3.643 < times[np.searchsorted(delivered, 2**32)] < 3.723
    times, measured_bps = map(np.array, answer["series"]["bandwidth_bps"])
    assert measured_bps[times > 3.5].min() > 9.9e9


@pytest.mark.parametrize("sender", ["bbr", "bbr3"])
def test_bbr_behind_a_relay_finds_a_hop_that_has_become_fast(sender):
    """Audit A6: what the relay had not yet been given says nothing of the path behind it."""

    def hop(source: str, target: str, delay_s: float, **more) -> dict:
        own = {"source": source, "target": target, "rate_bps": 50e6, "delay_s": delay_s}
        return own | {"queue_packets": 1000} | more

    slow = hop("a", "m", 0.01, rate_bps=1e6, changes=[{"at_s": 40, "rate_bps": 50e6}])
    links = [slow, hop("m", "a", 0.01), hop("m", "c", 0.1), hop("c", "m", 0.1)]
    own = flow(sender, target="c", relays=["m"], relay_buffer_bytes=10**7)
    case = {"links": links, "flows": [own], "duration_s": 48, "seed": 1}
    case["record"] = {"series": ["delivered_bytes"], "points": 100_000}
    times, delivered = native.run(case)["flows"][0]["series"]["delivered_bytes"]
    before, after = np.interp([43, 45], times, delivered)
    assert (after - before) * 8 / 2 > 0.7 * 50e6


@pytest.mark.parametrize("sender", ["bbr", "bbr3"])
def test_bbr_behind_a_relay_fills_no_queue_once_there_is_enough_to_send(sender):
    """What is sent then is limited by the path, so that Startup ends."""

    def hop(source: str, target: str, rate_bps: float, **more) -> dict:
        own = {"source": source, "target": target, "rate_bps": rate_bps, "delay_s": 0.05}
        return own | {"queue_packets": 10_000} | more

    slow = hop("a", "m", 1e6, changes=[{"at_s": 5, "rate_bps": 50e6}])
    links = [slow, hop("m", "a", 50e6), hop("m", "c", 10e6), hop("c", "m", 10e6)]
    own = flow(sender, target="c", relays=["m"], relay_buffer_bytes=10**7)
    case = {"links": links, "flows": [own], "duration_s": 20, "seed": 1}
    case["record"] = {"series": ["queue_packets"], "points": 100_000}
    times, waiting = native.run(case)["links"][2]["series"]["queue_packets"]
    assert np.interp(np.linspace(15, 20, 5000), times, waiting).mean() < 60  # the path holds 119


# A slow start of 10 Gbit/s delays its own segments, which these take for congestion in every ACK or
# round trip of it; what they have after that, a segment a round trip has to bring back.
LEFT_BY_DELAY = ["cdg", "hd", "hd-freebsd"]
WHOLE_WINDOW_S = {"dual": 60, "fast": 60, "lp": 200, "pert": 60}  # that brings it all back


@pytest.mark.slow
@pytest.mark.medium
@pytest.mark.parametrize("sender", SENDERS)
def test_from_a_modem_to_a_fibre(sender):
    """TCP-LP halves its window as soon as its own segments wait: AIMD without a queue has 3/4."""
    slow = run(link(9600, 0.1, 20), flow(sender, segment_bytes=536), duration_s=600)
    least = 0.7 if sender == "lp" else 0.85
    assert slow["delivered_bytes"] * 8 / 600 > least * 9600 * 536 / (536 + HEADERS)
    own = flow(sender, segment_bytes=8948, receive_buffer_bytes=25_000_000)
    duration_s = WHOLE_WINDOW_S.get(sender, 5)
    fast = run(link(10e9, 0.01, 10**5), own, duration_s=duration_s)
    part = 0.7 if sender == "lp" else 0.9
    if sender in LEFT_BY_DELAY:  # a window of 2, 3, 4 ... in the 250 round trips, at least
        part = (2 + 125) * (8948 + HEADERS) * 8 / 0.02 / 10e9
    assert fast["delivered_bytes"] * 8 / duration_s > part * 10e9 * 8948 / (8948 + HEADERS)


@pytest.mark.slow
@pytest.mark.medium
@pytest.mark.parametrize("sender", SENDERS)
def test_timestamps_cost_their_bytes_and_nothing_else(sender):
    """Audit A2, B9: the clock of the congestion control is the same with and without."""
    without, with_them = (
        [
            run(
                link(loss_per_packet=1e-2),
                flow(sender, timestamps=timestamps),
                duration_s=120,
                seed=seed,
            )["delivered_bytes"]
            for seed in range(1, 9)
        ]
        for timestamps in (False, True)
    )
    error = np.hypot(*(statistics.stdev(runs) / 8**0.5 for runs in (without, with_them)))
    apart = statistics.mean(with_them) - statistics.mean(without)
    assert abs(apart) < 2.5 * error + 0.012 * statistics.mean(without)


@pytest.mark.parametrize("loss", [1e-3, 3e-3, 1e-2])
def test_the_square_root_law(loss):
    """A mean window of sqrt(3 / (2 p)), where losses are random and the link is never full."""
    answer = run(
        link(1e9, loss_per_packet=loss),
        flow("newreno", initial_ssthresh_segments=2),
        duration_s=3000,
    )
    window = answer["delivered_bytes"] / 1000 * 0.1 / 3000
    assert window == pytest.approx((1.5 / loss) ** 0.5, rel=0.12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_general_aimd_is_newreno_where_the_receiver_limits(seed):
    """The window does not grow while it is not what limits (audit of the forker, F1)."""
    answers = [
        run(
            link(100e6, 0.275, loss_per_packet=1e-4),
            flow(sender, receive_buffer_bytes=550_000),
            duration_s=100,
            seed=seed,
        )["delivered_bytes"]
        for sender in ("newreno", "gaimd", "standard")
    ]
    assert max(answers) <= 1.01 * min(answers)


@pytest.mark.parametrize("sender", sorted({*SENDERS} - {"bbr", "bbr3"}))
def test_a_window_does_not_grow_where_the_receiver_limits(sender):
    """RFC 7661: it would come to any size, and a loss not be felt. BBR's follows its model."""
    own = flow(sender, receive_buffer_bytes=50_000)
    answer = run(link(100e6), own, duration_s=20, series=["cwnd_segments"])
    # Paced, a sender learns what limits it when a segment may leave; till then an ACK adds 15.
    assert window_at(answer, 20) < 110 + (15 if sender == "hybla-2004" else 0)


# --- decisions


def fixed(window: float, pacing_bps: float = 0) -> dict:
    return {"name": "fixed", "parameters": {"window": window, "pacing_bps": pacing_bps}}


@pytest.mark.parametrize("rate_bps", [7_777.7, 1e6, 20e9])
def test_pacing_holds_its_rate_in_64_bits(rate_bps):
    """Audit A4, B4: slow or fast, nothing caps a pacing rate, and no fraction of it is lost."""
    own = flow(fixed(1e6, rate_bps), segment_bytes=1000)
    duration_s = 2000 if rate_bps < 1e6 else 0.5 if rate_bps > 1e9 else 20
    answer = native.run(scenario(link(400e9, 0.001, 10**6), own, duration_s=duration_s), own=FIXED)
    assert answer["flows"][0]["delivered_bytes"] * 8 / duration_s == pytest.approx(
        rate_bps, rel=0.01
    )


@pytest.mark.parametrize("rate_bps", [3e9, 7e9, 30e9])
def test_pacing_loses_no_fraction_of_a_nanosecond(rate_bps):
    """At 7 Gbit/s a segment takes 1142.86 ns: without the rest it would be 0.075 % too fast."""
    own, series = flow(fixed(1e6, rate_bps), segment_bytes=1000), ["delivered_bytes"]
    asked = scenario(link(400e9, 0.001, 10**6), own, duration_s=0.05, series=series)
    times, delivered = native.run(asked, own=FIXED)["flows"][0]["series"]["delivered_bytes"]
    first, last = np.interp([0.01, 0.05], times, delivered)
    assert (last - first) * 8 / 0.04 == pytest.approx(rate_bps, rel=1e-4)


def test_a_parameter_out_of_range_is_refused_in_one_sentence():
    own = flow({"name": "hybla", "parameters": {"rtt0_s": 11.0}})
    with pytest.raises(InputError, match=r"parameters\.rtt0_s: 11\.0 is not from 1e-06 to 10\.0"):
        run(link(), own)
    with pytest.raises(InputError, match=r"rtt0: there is no such parameter"):
        run(link(), flow({"name": "hybla", "parameters": {"rtt0": 0.025}}))


def test_a_parameter_that_must_be_below_another_is_refused():
    own = flow({"name": "illinois", "parameters": {"alpha_min": 20.0}})
    with pytest.raises(InputError, match="alpha_min: must be less than alpha_max"):
        run(link(), own)


def test_a_header_that_does_not_compile_is_refused(tmp_path):
    header = tmp_path / "mine.h"
    header.write_text('#include "model.h"\nclass Mine { int x }\n', "utf-8")
    with pytest.raises(InputError, match=r"mine\.h cannot be used: .*error"):
        catalogue.plugin(header)


def test_an_entry_that_names_other_events_than_the_class_has_does_not_compile(tmp_path):
    header = tmp_path / "mine.h"
    text = FIXED.read_text("utf-8").replace("double utilization() const", "double utilisation()")
    header.write_text(text, "utf-8")
    with pytest.raises(InputError, match="are not the functions that the class has"):
        catalogue.plugin(header)


# --- the page of tests


def test_each_test_that_the_page_of_tests_names_exists():
    page = Path(__file__).parents[1] / "book" / "tests.md"
    named = set(re.findall(r"`(test_\w+)`", page.read_text("utf-8")))
    sources = [path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    existing = {name for text in sources for name in re.findall(r"^def (test_\w+)", text, re.M)}
    assert named
    assert named <= existing
