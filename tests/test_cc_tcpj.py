"""TCP-J's class, driven ACK by ACK against equations (5) to (9) and the rules of section 3.4."""

import pytest
from bandwidth_driver import load, send_acks

pytestmark = pytest.mark.ns3

SEGMENT_BITS = 8000
ADVERTISED = 65_535


@pytest.fixture(scope="module")
def make():
    maker = load()
    return lambda **options: maker("longfat::TcpJ", **options)


def settled(make, rate_bps=1.6e6, **options):
    """Return a TCP-J whose estimate is that rate, and its last segment."""
    tcpj = make(**options)
    return tcpj, send_acks(tcpj, 0, 500, SEGMENT_BITS / rate_bps)


@pytest.mark.parametrize("alpha", [0.9, 0.5])
def test_the_estimate_follows_equation_9(make, alpha):
    tcpj = make(Alpha=str(alpha))
    tcpj.Ack(1)  # starts the clock
    bandwidth = sample = 0.0
    segment = 1
    for i in range(200):
        interval = (0.003, 0.01, 0.2, 0.07)[i % 4]
        new = (1, 2, 1)[i % 3]
        segment += new
        tcpj.Wait(interval)
        tcpj.Ack(segment)
        last, sample = sample, new * SEGMENT_BITS / interval
        bandwidth = alpha * bandwidth + (1 - alpha) * (sample + last) / 2
        assert tcpj.bandwidth == pytest.approx(bandwidth, rel=1e-6)


def test_uneven_arrivals_raise_the_estimate_above_the_rate(make):
    """Pairs 1 ms apart, 10 ms a pair: the mean of the samples is not the rate of arrivals."""
    tcpj = make()
    for segment in range(1, 1001):
        tcpj.Wait(0.001 if segment % 2 else 0.009)
        tcpj.Ack(segment)
    mean = (SEGMENT_BITS / 0.001 + SEGMENT_BITS / 0.009) / 2
    assert tcpj.bandwidth == pytest.approx(mean, rel=1e-3)
    assert mean > 2.7 * SEGMENT_BITS / 0.005


def test_equation_5_lowers_the_window(make):
    tcpj, last = settled(make, window=40, threshold=10)
    tcpj.EnterRecovery()
    assert tcpj.Window() == pytest.approx(20, rel=1e-3)
    tcpj.EndRecovery(last + 10)
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-3)
    assert tcpj.Window() == pytest.approx(20 + 1 / 20, rel=1e-3)


def test_equation_5_raises_the_window_where_the_estimate_is_higher(make):
    tcpj, last = settled(make)
    tcpj.Set(8, 8, 0.1)
    tcpj.EnterRecovery()
    tcpj.EndRecovery(last + 5)
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-2)
    assert tcpj.Window() == pytest.approx(20 + 1 / 20, rel=1e-2)


def test_equation_6_keeps_the_window_in_slow_start(make):
    tcpj, last = settled(make)
    tcpj.Set(8, 30, 0.1)
    tcpj.EnterRecovery()
    assert tcpj.Window() == 8
    tcpj.EndRecovery(last + 5)
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-2)
    assert tcpj.Window() == 9  # slow start goes on, up to the new threshold


def test_equation_6_keeps_a_window_above_the_new_threshold(make):
    tcpj, last = settled(make)
    tcpj.Set(25, 30, 0.1)
    tcpj.EnterRecovery()
    tcpj.EndRecovery(last + 5)
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-2)
    assert tcpj.Window() == pytest.approx(25 + 1 / 25, abs=1e-3)


def test_equation_7_a_timeout(make):
    tcpj, _ = settled(make, window=30, threshold=10)
    tcpj.Wait(1.0)  # the estimate does not fall in silence
    tcpj.Timeout()
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-3)
    assert tcpj.Window() == 1


def test_a_local_movement_caps_the_bandwidth_of_the_equations(make):
    """0.4 Mb/s announced, 1.6 Mb/s estimated, 100 ms: 5 segments."""
    tcpj, last = settled(make, window=30, threshold=10)
    estimate = tcpj.bandwidth
    window = tcpj.Window()
    tcpj.Handoff(True, 400_000, ADVERTISED)
    assert tcpj.Window() == window  # nothing happens before a loss
    tcpj.Timeout()
    assert tcpj.Threshold() == pytest.approx(5, rel=1e-3)
    assert tcpj.bandwidth == estimate
    tcpj.Set(30, 10, 0.1)
    tcpj.EnterRecovery()
    tcpj.EndRecovery(last + 5)
    assert tcpj.Window() == pytest.approx(5 + 1 / 5, rel=1e-2)


def test_a_local_movement_to_a_faster_link_changes_nothing(make):
    tcpj, _ = settled(make, window=30, threshold=10)
    tcpj.Handoff(True, 11_000_000, ADVERTISED)
    tcpj.Timeout()
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-3)


@pytest.mark.parametrize(("local", "announced"), [(False, 400_000), (False, 0), (True, 0)])
def test_an_unknown_network_resets_and_slow_starts(make, local, announced):
    tcpj, last = settled(make, window=30, threshold=10)
    tcpj.Handoff(local, announced, ADVERTISED)
    assert tcpj.bandwidth == 0
    tcpj.Wait(0.1)
    tcpj.Ack(last + 1)
    assert tcpj.Window() == 2  # one, and slow start's growth
    assert tcpj.Threshold() == ADVERTISED / 1000
    assert tcpj.bandwidth == 0  # one ACK is no sample
    tcpj.Wait(0.01)
    tcpj.Ack(last + 2)
    assert tcpj.bandwidth == pytest.approx(0.1 * SEGMENT_BITS / 0.01 / 2)


def test_a_timeout_after_a_non_local_movement_slow_starts_too(make):
    tcpj, last = settled(make, window=30, threshold=10)
    tcpj.Handoff(False, 0, ADVERTISED)
    tcpj.Timeout()
    assert tcpj.Threshold() == ADVERTISED / 1000
    assert tcpj.Window() == 1
    tcpj.Wait(0.1)
    tcpj.Ack(last + 1)
    assert tcpj.Window() == 2
    assert tcpj.Threshold() == ADVERTISED / 1000


def test_a_non_local_movement_in_a_recovery_ends_in_one_segment(make):
    tcpj, last = settled(make, window=30, threshold=10)
    tcpj.EnterRecovery()
    tcpj.Handoff(False, 0, ADVERTISED)
    tcpj.EndRecovery(last + 20)
    assert tcpj.Window() == 2
    assert tcpj.Threshold() == ADVERTISED / 1000


def test_a_later_movement_forgets_what_the_first_one_announced(make):
    tcpj, last = settled(make, window=30, threshold=10)
    tcpj.Handoff(True, 400_000, ADVERTISED)
    tcpj.Handoff(False, 0, ADVERTISED)
    send_acks(tcpj, last, 500, 0.005)
    tcpj.Timeout()
    assert tcpj.Threshold() == pytest.approx(20, rel=1e-3)


def test_a_bare_scenario_runs_all_the_way():
    """The class in ns-3's own socket: a lossy path, every loss answered by (5) to (7)."""
    from longfat import Record, Scenario, simulate
    from longfat.topologies import duplex

    result = simulate(
        Scenario(
            links=duplex("a", "b", rate_bps=2e6, delay_s=0.02, queue_packets=30, loss_per_bit=1e-6),
            flows=[
                {
                    "source": "a",
                    "target": "b",
                    "congestion_control": "tcpj",
                    "receive_buffer_bytes": ADVERTISED,
                    "segments_per_ack": 2,
                }
            ],
            duration_s=20,
            record=Record(series=("cwnd_segments",)),
        ),
        engine="ns3",
    )
    flow = result.flows.iloc[0]
    assert flow.recoveries > 10
    assert 0.5e6 < flow.goodput_bps < 2e6
