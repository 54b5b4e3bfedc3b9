"""BBR version 3, ACK by ACK, against draft-ietf-ccwg-bbr-05: its model, its modes, its bounds."""

import itertools

import pytest
from test_cc_bbr import RATE_BPS, RTT_S, make  # noqa: F401 make is a fixture

from longfat.engines import segment
from longfat.scenario import Flow, Record, Scenario
from longfat.topologies import duplex

pytestmark = pytest.mark.ns3

KIND = "longfat::TcpBbr3"
PATH = 100  # segments that the path holds


@pytest.fixture
def start(make):  # noqa: F811 pytest hands it over by its name
    """Return a function that makes a sender with these attributes, and its path."""

    def start(**attributes):
        return make(KIND, **attributes)

    return start


def rounds(
    path, count, start_s, rate_bps=RATE_BPS, in_flight=50.0, lost=0, flight=PATH, smaller=True
):
    """An ACK a round trip for a flight of segments, some more of which were lost; return the time
    of the last. Round trips grow smaller by nearly nothing, so that ProbeRTT has no reason."""
    for i in range(1, count + 1):
        if smaller:
            path.d.SetLastRtt(RTT_S - 1e-7 * (start_s + i * RTT_S))
        prior = path.connection.m_delivered
        path.Ack(start_s + i * RTT_S, flight, rate_bps, in_flight, prior, lost)
    return start_s + count * RTT_S


def gain(path, rate_bps=RATE_BPS):
    return round(path.PacingBps() / (0.99 * rate_bps), 3)


def to_cruise(start, **attributes):
    """A sender that has left Startup and Drain, with an empty queue; and when that is."""
    tcp, path = start(**attributes)
    now = rounds(path, 4, 0.0, in_flight=150)
    assert gain(path) == 0.5
    now = rounds(path, 2, now, in_flight=50)
    assert gain(path) == 1
    return tcp, path, now


def to_up(start, **attributes):
    tcp, path, now = to_cruise(start, **attributes)
    while gain(path) < 1.2:
        now = rounds(path, 1, now)
        assert now < 6
    return tcp, path, now


def test_the_first_rate_is_that_of_the_first_window(start):
    """5.6.2."""
    assert start()[1].PacingBps() == pytest.approx(2.77 * 10 * 8000 / RTT_S, rel=1e-6)


def test_startup_ends_after_three_round_trips_that_grow_by_less_than_a_quarter(start):
    """5.3.1.2; Drain sends half of the rate (5.3.2)."""
    _, path = start()
    for i, rate in enumerate((1e6, 2e6, 4e6, 8e6)):
        rounds(path, 1, i * RTT_S, rate, 150)
        assert gain(path, rate) == pytest.approx(2.77, rel=1e-3) or rate < 4e6
    now = rounds(path, 2, 0.4, 8e6, 150)
    assert gain(path) == 2.77
    now = rounds(path, 1, now, 8e6, 150)
    assert gain(path) == 0.5
    now = rounds(path, 1, now, in_flight=101)  # one more than the path holds
    assert gain(path) == 0.5
    rounds(path, 1, now, in_flight=99.9)
    assert gain(path) in (0.9, 1)


def test_drain_ends_after_three_round_trips_whatever_is_in_flight(start):
    """5.3.2."""
    _, path = start()
    now = rounds(path, 4, 0.0, in_flight=150)
    gains = []
    for _ in range(5):
        now = rounds(path, 1, now, in_flight=150)
        gains.append(gain(path))
    assert gains == [0.5, 0.5, 0.5, 0.9, 0.9]


@pytest.mark.parametrize(("ranges", "lost", "ends"), [(6, 1, True), (5, 1, False), (6, 0, False)])
def test_startup_ends_by_six_ranges_of_losses_of_more_than_a_fiftieth(start, ranges, lost, ends):
    """5.3.1.3, in recovery."""
    tcp, path = start()
    now = rounds(path, 2, 0.0, 2e6)
    now = rounds(path, 1, now, 4e6)
    tcp.SetState(3)
    sent = path.connection.m_delivered
    for i in range(ranges):
        path.Ack(now + 0.01 * (i + 1), 10, 4e6, 50, sent - 1000, lost)
    path.Ack(now + RTT_S, 10, 8e6, 50, sent)
    assert (path.PacingBps() < 8e6) is ends


def test_the_cycle_is_down_cruise_refill_and_up(start):
    """5.3.3: two to three seconds from Down to Refill, a round trip of it, Up until the rate has
    not grown for three round trips."""
    _, path, now = to_cruise(start)
    gains, times = [], []
    for _ in range(120):
        now = rounds(path, 1, now)
        gains.append(gain(path))
        times.append(now)
    assert set(gains) == {0.9, 1, 1.25}
    ups = [i for i in range(1, 120) if gains[i] == 1.25 and gains[i - 1] != 1.25]
    for i in ups[:-1]:
        assert gains[i : i + 3] == [1.25] * 3
        assert gains[i + 3] == 0.9 and gains[i + 4] == 1
    apart = [b - a for a, b in itertools.pairwise(ups)]
    assert all(20 + 3 <= one <= 30 + 7 for one in apart) and len(set(apart)) > 1


def test_a_small_window_probes_as_often_as_reno_would(start):
    """5.3.3.5: after as many round trips as segments are in flight."""
    _, path = start()
    now = rounds(path, 7, 0.0, RATE_BPS / 10, in_flight=5, flight=10)
    gains = []
    for _ in range(80):
        now = rounds(path, 1, now, RATE_BPS / 10, in_flight=5, flight=10)
        gains.append(gain(path, RATE_BPS / 10))
    ups = [i for i in range(1, 80) if gains[i] == 1.25 and gains[i - 1] != 1.25]
    apart = [b - a for a, b in itertools.pairwise(ups)]
    assert len(apart) >= 4 and all(one <= 10 + 5 for one in apart)


def test_a_round_trip_with_losses_leaves_seven_tenths_or_what_was_delivered(start):
    """5.5.10.3: once a round trip, and a probe forgets it."""
    _, path, now = to_cruise(start)
    path.Ack(now + 0.01, 1, RATE_BPS / 4, 50, path.connection.m_delivered - 1000, 1)
    rates = []
    for _ in range(3):
        now = rounds(path, 1, now, RATE_BPS / 4, lost=1, flight=20)
        rates.append(gain(path))
    # The first still sees the whole rate of its round trip.
    assert rates[0] >= 0.7 and rates[-1] == pytest.approx(0.7 * rates[-2], rel=0.01)
    for _ in range(10):
        now = rounds(path, 1, now, RATE_BPS / 4, lost=1, flight=20)
    assert gain(path) == pytest.approx(0.25, abs=0.001)  # what was delivered
    highest = 0.0
    for _ in range(30):
        now = rounds(path, 1, now, RATE_BPS / 4, flight=20)
        highest = max(highest, gain(path))
    assert highest > 0.9


def test_too_many_losses_in_a_probe_bound_what_is_in_flight(start):
    """5.5.10.2: what was in flight when 2 % of it were lost, and 85 % of that in Cruise."""
    tcp, path, now = to_up(start)
    # 97 segments delivered and 3 lost since it was sent: 2 % are lost of 97 + 1.94 / 0.98.
    path.Ack(now + 0.05, 97, RATE_BPS, 50, path.connection.m_delivered, 3)
    assert gain(path) == 1  # the queue is empty: through Down to Cruise
    assert tcp.Window() == pytest.approx(0.85 * (97 + 0.02 * 97 / 0.98), abs=0.01)


def test_two_in_a_hundred_are_not_too_many(start):
    tcp, path, now = to_up(start)
    path.Ack(now + 0.05, 98, RATE_BPS, 50, path.connection.m_delivered, 2)
    assert gain(path) == 1.25
    assert tcp.Window() > 150


def test_a_probe_without_losses_raises_the_bound_ever_faster(start):
    """5.3.3.6: by 1, 2, 4, ... segments in a round trip of a whole window, and here by the part of
    it that is acknowledged; the window follows by what an ACK acknowledges at most (5.6.4.6)."""
    tcp, path, now = to_up(start)
    path.Ack(now + 0.05, 60, RATE_BPS, 50, path.connection.m_delivered, 3)
    assert tcp.Window() == pytest.approx(0.85 * 70, abs=0.01)  # seven tenths of the path's 100
    now += 0.05
    windows = []
    tcp.LimitByWindow(True)
    for _ in range(60):
        now = rounds(path, 1, now, flight=50)
        if gain(path) == 1.25:
            windows.append(tcp.Window())
        elif windows:
            break
    steps = [b - a for a, b in itertools.pairwise(windows)]
    expected = [2**k * 50 / window for k, window in enumerate(windows, start=1)]
    assert steps[:7] == pytest.approx(expected[:7], rel=0.01)
    assert expected[7] > 50
    assert steps[7] == pytest.approx(50, rel=1e-3)


def test_the_largest_rate_is_that_of_this_cycle_and_the_last(start):
    """5.5.6."""
    _, path, now = to_cruise(start)
    seen = []
    for _ in range(150):
        now = rounds(path, 1, now, RATE_BPS / 2, flight=50)
        seen.append(gain(path))
    halved = next(i for i, one in enumerate(seen) if one < 0.55)
    assert 25 < halved < 90 and max(seen[halved + 10 :]) < 0.7


def test_probe_rtt_halves_the_flight_for_200_ms_after_five_seconds(start):
    """5.3.4."""
    tcp, path, now = to_cruise(start)
    path.d.SetLastRtt(RTT_S + 0.01)
    while tcp.Window() > 51:
        now = rounds(path, 1, now, smaller=False)
        assert now < 7
    assert now == pytest.approx(5.7, abs=0.11)  # the smallest round trip was measured at 0.6 s
    assert tcp.Window() == pytest.approx(50, abs=0.01) and gain(path) == 1
    now = rounds(path, 3, now, in_flight=49, flight=49, smaller=False)
    assert tcp.Window() == pytest.approx(50, abs=0.01)
    rounds(path, 2, now, in_flight=49, flight=49, smaller=False)
    assert tcp.Window() > 90


def test_recoveries_and_timeouts_give_the_window_back(start):
    """5.6.4.4."""
    tcp, path, now = to_cruise(start)
    now = rounds(path, 3, now)
    before = tcp.Window()
    tcp.SetState(3)
    path.EndRecovery()
    now = rounds(path, 1, now)
    assert tcp.Window() >= before
    tcp.Timeout(0)
    assert tcp.Window() == 1
    path.Ack(now + 1, 1, RATE_BPS, 0, path.connection.m_delivered)
    tcp.SetState(0)
    assert tcp.Window() >= before


def run(name, loss=0.0, queue_packets=500):
    result = segment.simulate(
        Scenario(
            links=duplex(
                "a",
                "b",
                rate_bps=20e6,
                delay_s=0.02,
                queue_packets=queue_packets,
                loss_per_packet=loss,
                backward={"loss_per_packet": 0.0},
            ),
            flows=[Flow(source="a", target="b", congestion_control=name, timestamps=False)],
            duration_s=30,
            record=Record(series=("queue_packets",)),
        )
    )
    queue = result.traces["queue_packets"]
    queue = queue[(queue["link"] == "a>b") & (queue["time_s"] > 10)]["queue_packets"]
    return result.flows.iloc[0], queue.median()


def test_it_fills_a_link_with_a_queue_shorter_than_that_of_version_1():
    flow, queue = run("bbr3")
    assert flow["goodput_bps"] > 0.93 * 20e6 * 1000 / 1054
    assert queue < 20  # a path of data is 95 packets


def test_it_loses_less_in_a_short_buffer_than_version_1():
    new, old = run("bbr3", queue_packets=20)[0], run("bbr", queue_packets=20)[0]
    assert new["retransmissions"] < 0.3 * old["retransmissions"]
    assert new["goodput_bps"] > 0.8 * old["goodput_bps"]


def test_losses_above_the_threshold_make_it_give_way_and_version_1_not():
    assert run("bbr3", 0.05)[0]["goodput_bps"] < 0.5 * run("bbr", 0.05)[0]["goodput_bps"]
