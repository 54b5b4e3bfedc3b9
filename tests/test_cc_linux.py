"""Senders of the core whose sources differ from Linux's: what each does, by its source or by it."""

import pytest
from cc_driver import Driver

BASE = 0.1  # s


# --- Illinois


def test_illinois_as_linux_opens_by_whole_segments():
    """tcp_illinois.c: it begins with alpha_max; alpha times what is counted opens the window."""
    illinois, count, window = Driver("illinois", 100, as_linux_6_12=True), 0, 100
    illinois.established()
    for _ in range(60):
        count += 1
        if count * 10 >= window:
            window, count = window + count * 10 // window, 0
        assert illinois.ack(BASE) == window


def test_illinois_as_linux_counts_all_that_the_ack_which_ends_a_recovery_acknowledges():
    illinois = Driver("illinois", 100, as_linux_6_12=True)
    illinois.established()
    illinois.ack(BASE, segments=40, delivered=1, prior_state="recovery")
    assert illinois.cwnd == 100 + 400 // 100


def test_illinois_as_linux_loses_whole_segments():
    """beta in 64ths: 1/8 where the delay is small."""
    illinois = Driver("illinois", 101, as_linux_6_12=True)
    illinois.established()
    illinois.round(BASE)
    illinois.round(BASE)
    illinois.set(101)
    assert illinois.threshold() == 101 - 101 // 8


def test_illinois_as_linux_bounds_its_largest_round_trip():
    """RTT_MAX is 3.355 s: a mean delay of 3.255 s is the largest, and beta_max."""
    linux, paper = (Driver("illinois", 100, as_linux_6_12=as_linux) for as_linux in (True, False))
    for sender, wanted in ((linux, 50), (paper, 100 * (1 - 0.125 - 0.375 * (2.9 - 0.9) / 6.3))):
        sender.established()
        sender.round(BASE)
        sender.ack(9.1)  # a largest delay of 9 s, for the paper
        sender.ack(BASE, segments=(sender.nxt - sender.una) // 1000)
        sender.set(100)
        sender.round(3.0)
        sender.round(3.0)
        sender.set(100)
        assert sender.threshold() == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("as_linux", [True, False])
def test_illinois_as_linux_counts_five_low_round_trips_though_some_are_high(as_linux):
    """alpha(): rtt_low is set back by the fifth, and not by a delay above d_1, as in the paper."""
    illinois, grown = Driver("illinois", 100, as_linux_6_12=as_linux), []
    illinois.established()
    for high in [False, True] + [False, False, False, True] * 6:
        illinois.set(100)
        grown.append(illinois.round(2 * BASE if high else BASE) - 100)
    assert (max(grown[3:]) > 8.5) == as_linux


@pytest.mark.parametrize(("repairs", "taken"), [(False, 12), (True, 14)])
def test_illinois_as_linux_has_a_repairs_round_trip_in_whole_milliseconds(repairs, taken):
    """tcp_ack_update_rtt: 100.8 ms by timestamps are 100, so that 0.8 of at most 5.8 ms are waited
    for ever since: beta is 1/8 + 3/8 (0.8 - 0.58) / (4.64 - 0.58), in 64ths."""
    illinois = Driver("illinois", 100, as_linux_6_12=True)
    illinois.established()
    illinois.round(0.1008)
    illinois.ack(0.1058)
    illinois.now_s = 20.0009
    illinois.ack(0.1008, delay_s=0.1008, prior_state="recovery" if repairs else "open")
    for _ in range(2):
        illinois.set(100)
        illinois.round(0.1008)
    illinois.set(100)
    assert 100 - illinois.threshold() == taken


def test_illinois_as_linux_grows_though_its_least_increase_is_below_a_128th():
    """ALPHA_MIN is counted in 128ths: one at least."""
    illinois = Driver("illinois", 10, as_linux_6_12=True, alpha_min=0.001)
    illinois.established()
    illinois.round(BASE)
    for _ in range(140):
        illinois.round(BASE + 0.1)
    assert illinois.cwnd > 10


def test_illinois_goes_by_the_mean_delay_of_a_round_trip():
    """Section 3 of the paper: k_1 / (k_2 + d_a) from d_m / 100 to d_m, and a line for beta."""
    illinois = Driver("illinois", 100)
    illinois.established()
    illinois.round(BASE)
    illinois.round(BASE + 0.1)  # d_m = 0.1 s
    illinois.set(100)
    illinois.round(BASE + 0.05)
    illinois.round(BASE + 0.05)
    illinois.set(100)
    d_1, d_2, d_3, d_m, delay = 0.001, 0.01, 0.08, 0.1, 0.05
    k_1 = (d_m - d_1) * 0.3 * 10 / (10 - 0.3)
    k_2 = k_1 / 10 - d_1
    assert illinois.ack() - 100 == pytest.approx(k_1 / (k_2 + delay) / 100, rel=1e-6)
    beta = 0.125 + 0.375 * (delay - d_2) / (d_3 - d_2)
    illinois.set(100)
    assert illinois.threshold() == pytest.approx(100 * (1 - beta))


# --- CUBIC


def test_cubic_grows_as_reno_where_that_is_faster():
    """RFC 9438, (4): W_est by 3 (1 - beta) / (1 + beta) segments a round trip."""
    cubic, estimate = Driver("cubic", 20), 14.0
    assert cubic.threshold() == 14
    cubic.set(14)
    for _ in range(20):
        cubic.wait(0.001)
        estimate += 3 * (1 - 0.7) / (1 + 0.7) / cubic.cwnd
        assert cubic.ack(0.01) == pytest.approx(estimate)


@pytest.mark.parametrize("by_timeout", [False, True])
def test_cubic_goes_on_where_it_was_when_there_was_no_congestion(by_timeout):
    """RFC 9438, 4.9; Linux takes back the window, and begins a new epoch."""
    grown = {}
    for name in "plain", "undone", "as Linux":
        cubic = Driver("cubic", 100, as_linux_6_12=name == "as Linux")
        cubic.threshold()
        cubic.set(70, 2)
        for _ in range(20):
            cubic.round()
        window = cubic.cwnd
        if name != "plain":
            cubic.timeout() if by_timeout else cubic.set(cubic.threshold())
            cubic.event("undo", before=window)
            cubic.state = "open"
            cubic.set(window, 2)
        grown[name] = [cubic.round() - window for _ in range(20)]
    assert grown["undone"] == pytest.approx(grown["plain"])
    assert grown["as Linux"] != pytest.approx(grown["plain"], rel=0.1)


@pytest.mark.parametrize("friendly", [True, False])
@pytest.mark.parametrize(("before", "grows"), [("start", 1.05), ("loss", 1), ("timeout", 1.05)])
def test_cubic_as_linux_grows_by_a_twentieth_until_a_loss_has_shown_a_maximum(
    before, grows, friendly
):
    """tcp_cubic.c, bictcp_update: cnt is at most 20 while last_max_cwnd is zero."""
    cubic = Driver("cubic", 1000, as_linux_6_12=True, reno_friendly=friendly)
    cubic.established(BASE)
    if before != "start":
        cubic.threshold("timeout" if before == "timeout" else "loss")
    cubic.state = "open"
    cubic.set(1000, 2)
    assert cubic.round(BASE) / 1000 == pytest.approx(grows, abs=0.002)


def test_hystart_as_linux_compares_with_round_trips_of_data():
    """delay_min: 21 ms, and not the handshake's 20, so that a train is as long after 11 ms."""
    cubic, ended = Driver("cubic", 15, 1e6, hystart_as_linux=True), []
    cubic.established(0.02)
    cubic.ack(0.021, min_rtt=2e7)
    for _ in range(12):
        cubic.wait(0.001)
        cubic.ack(0.021, min_rtt=2e7)
        ended.append(cubic.ssthresh < 1e6)
    assert ended == [False] * 11 + [True]


def test_hystart_as_linux_asks_eight_samples_of_a_round():
    """tcp_cubic.c, hystart_update: HYSTART_MIN_SAMPLES, then an eighth more than the smallest."""
    cubic = Driver("cubic", 20, 1e6, hystart_as_linux=True)
    cubic.established(BASE)
    cubic.ack(BASE)
    cubic.ack(BASE, segments=(cubic.nxt - cubic.una) // 1000)
    ended = []
    for _ in range(10):
        cubic.wait(0.003)  # no train
        cubic.ack(1.13 * BASE)
        ended.append(cubic.ssthresh < 1e6)
    assert ended == [False] * 8 + [True] * 2


def test_hystart_as_linux_counts_rounds_from_the_first_ack():
    """hystart_update: below 16 segments too, so that a train of ACKs is as long as it is."""
    cubic, ended = Driver("cubic", 15, 1e6, hystart_as_linux=True), []
    cubic.established(0.02)
    cubic.ack(0.02)
    for _ in range(12):
        cubic.wait(0.001)
        cubic.ack(0.02)
        ended.append(cubic.ssthresh < 1e6)
    assert ended == [False] * 10 + [True] * 2  # (20 ms + 1 ms) / 2


def after_a_timeout(flight: int, window: int) -> Driver:
    """Return CUBIC in the slow start that follows a timeout, before which the path had BASE."""
    cubic = Driver("cubic", flight, 1e6, hystart_as_linux=True)
    cubic.established(BASE)
    cubic.ack(BASE)
    cubic.timeout()
    cubic.state = "open"
    cubic.set(window, 1e6)
    return cubic


def test_hystart_as_linux_forgets_its_smallest_round_trip_with_a_timeout():
    """bictcp_state: delay_min is zero then, so that a path may have grown longer."""
    cubic = after_a_timeout(flight=20, window=20)
    cubic.ack(2 * BASE, segments=(cubic.nxt - cubic.una) // 1000)
    for _ in range(12):
        cubic.wait(0.003)  # no train
        cubic.ack(2 * BASE)
    assert cubic.ssthresh == 1e6


def test_hystart_as_linux_finds_no_train_in_what_was_sent_before_a_timeout():
    """bictcp_hystart_reset: the round ends with snd_nxt, and its train began long before."""
    cubic = after_a_timeout(flight=100, window=50)
    cubic.wait(BASE)
    for _ in range(80):
        cubic.wait(0.001)
        cubic.ack(BASE)
    assert cubic.ssthresh == 1e6


# --- H-TCP


def htcp_linux_alpha(since_loss_s: float, min_rtt_s: float, beta: float = 0.5) -> float:
    """htcp_alpha_update, with HZ = 1000."""
    diff, factor = since_loss_s - 1, 1
    if diff > 0:
        factor = 1 + int(10 * diff + diff * diff / 4)
    scale = min(max(int(0.8 / min_rtt_s), 4), 80)
    return 2 * max(8 * factor // scale, 1) * (1 - beta)


@pytest.mark.parametrize("rtt_s", [0.02, 0.1, 0.6])
def test_htcp_as_linux_grows_alike_in_time(rtt_s):
    """use_rtt_scaling: a fifth at 20 ms, twice as much at 600 ms."""
    htcp, count, window, alpha = Driver("htcp", 50, as_linux_6_12=True), 0, 50, 1.0
    htcp.established(rtt_s)
    for i in range(1, 3000):
        htcp.now_s = round(0.002 * i, 9)
        htcp.ack(rtt_s)
        if int(count * alpha) >= window:
            count, window = 0, window + 1
            alpha = htcp_linux_alpha(htcp.now_s, rtt_s)
        else:
            count += 1
        assert htcp.cwnd == window


def test_htcp_as_linux_counts_what_an_ack_acknowledges():
    """pkts_acked: with delayed ACKs, two segments each."""
    htcp, count, window, alpha = Driver("htcp", 50, as_linux_6_12=True), 0, 50, 1.0
    htcp.established(BASE)
    for i in range(1, 300):
        htcp.now_s = round(0.002 * i, 9)
        htcp.ack(BASE, segments=2)
        if int(count * alpha) >= window:
            count, window = 0, window + 1
            alpha = htcp_linux_alpha(htcp.now_s, BASE)
        else:
            count += 2
        assert htcp.cwnd == window
    assert window > 55


@pytest.mark.parametrize(("slower", "left"), [(1.11, 102 / 128), (1.22, 102 / 128), (1.26, 0.5)])
def test_htcp_as_linux_measures_its_throughput_from_sample_to_sample(slower, left):
    """measure_achieved_throughput: where it changes by more than a fifth, beta is a half."""
    htcp = Driver("htcp", 10, as_linux_6_12=True)
    htcp.established(BASE)
    for spacing_s in (0.01, 0.01, 0.01 * slower):
        for i in range(100):
            htcp.set(10)
            htcp.wait(spacing_s)
            htcp.ack(BASE if i % 2 else 1.2 * BASE)
        htcp.set(1000)
        htcp.threshold()
    assert htcp.ssthresh == int(1000 * left)


def test_htcp_as_linux_learns_its_largest_round_trip_by_20_ms_at_a_time():
    """maxRTT, which beta comes from: a sample of 1 s is none, and one in a recovery neither."""
    htcp = Driver("htcp", 50, as_linux_6_12=True)
    htcp.established(BASE)

    def epoch(*samples: float) -> float:
        """So many round trips of the same throughput, then a loss: what it leaves of 1000."""
        for i in range(400):
            htcp.set(50)
            htcp.wait(0.002)
            htcp.ack(samples[i % len(samples)])
        htcp.set(1000)
        left = htcp.threshold() / 1000
        htcp.set(50)
        return left

    assert epoch(BASE) == 0.5  # the throughput of before is not known
    assert epoch(BASE) == 0.5  # modeswitch
    assert epoch(BASE, 1.0) == pytest.approx(102 / 128, abs=1e-3)  # 1 s is no sample
    assert epoch(0.119, 0.138) == pytest.approx(92 / 128, abs=1e-3)  # of 100 / 138, in 128ths
    # a twentieth of what is above the least is forgotten: 136.1 ms
    assert epoch(BASE) == pytest.approx(94 / 128, abs=1e-3)


@pytest.mark.parametrize(
    ("samples", "left"), [((0.1, 0.119, 0.138, 0.141), 90), ((0.075, 0.094, 0.1, 0.1), 96)]
)
def test_htcp_as_linux_has_beta_in_128ths(samples, left):
    """htcp_beta_update: 100 / 141 is 90 of them and something, 75 / 100 is 96."""
    htcp = Driver("htcp", 50, as_linux_6_12=True)
    htcp.established(samples[0])
    for _ in range(3):
        for i in range(400):
            htcp.set(50)
            htcp.wait(0.002)
            htcp.ack(samples[i % 4])
        htcp.set(12_800)
        threshold = htcp.threshold()
        htcp.set(50)
    assert threshold == 100 * left


def test_htcp_as_linux_goes_on_where_it_was_when_there_was_no_loss():
    """htcp_cwnd_undo: the time since the last loss, by which it grows, is that of before.

    Not so where the recovery was over (htcp_state, TCP_CA_Open), and perhaps another hole is seen.
    """
    grown = {}
    for name in "plain", "undone", "lost", "undone late", "undone with a hole":
        htcp = Driver("htcp", 50, as_linux_6_12=True)
        htcp.established(BASE)
        for _ in range(40):
            htcp.round(BASE)
        window = htcp.cwnd
        if name != "plain":
            htcp.threshold()
        if name == "undone":
            htcp.event("undo", before=window)
        htcp.set(window, 2)
        htcp.state = "disorder" if name == "undone with a hole" else "open"
        htcp.ack(BASE, prior_state="open" if name == "plain" else "recovery")
        htcp.state = "open"
        if name in ("undone late", "undone with a hole"):
            htcp.event("undo", before=window)
            htcp.set(window, 2)
        for _ in range(10):
            htcp.round(BASE)
        grown[name] = htcp.cwnd - window
    assert grown["undone"] == grown["plain"]
    assert grown["lost"] == grown["undone late"] == grown["undone with a hole"] == 10


@pytest.mark.parametrize("since_loss_s", [0.5, 3, 12])
def test_htcp_of_the_paper_grows_with_the_square_of_the_time_since_the_last_loss(since_loss_s):
    """alpha = 2 (1 - beta) (1 + 10 D + (D / 2)^2), with D what is beyond a second."""
    htcp = Driver("htcp", 1000)
    htcp.ack(0.1)
    beta = htcp.threshold() / htcp.cwnd
    htcp.set(1000, 2)
    htcp.wait(since_loss_s)
    late_s = max(since_loss_s - 1, 0)
    alpha = 2 * (1 - beta) * (1 + 10 * late_s + (late_s / 2) ** 2)
    assert htcp.ack(0.1) - 1000 == pytest.approx(alpha / 1000)


def test_htcp_of_the_paper_takes_the_largest_round_trip_since_the_last_loss():
    htcp = Driver("htcp", 100, 2)
    htcp.established(BASE)
    htcp.round(BASE)
    htcp.set(100)
    assert htcp.threshold() == 50  # no throughput is known
    htcp.round(0.15)
    htcp.ack(BASE)
    htcp.set(100)
    assert htcp.threshold() == pytest.approx(100 * 0.1 / 0.15)


# --- a timeout is no loss that duplicate ACKs reveal (audit B5)


@pytest.mark.parametrize(("name", "loss", "timeout"), [("vegas", 75, 50), ("veno", 80, 50)])
def test_a_timeout_takes_half(name, loss, timeout):
    sender = Driver(name, 100)
    sender.ack(BASE)
    sender.set(100)
    assert sender.threshold() == loss
    sender.set(100)
    assert sender.timeout() == timeout


# --- CUBIC


def test_cubic_has_one_rule_for_all_slow_starts():
    """RFC 9438, 4.10, and RFC 9406, 4.2: an ACK counts for what it delivers, up to 8 segments."""
    for parameters in ({}, {"hystart": False}):
        cubic = Driver("cubic", 10, 1e6, **parameters)
        assert cubic.ack(BASE, segments=5) == 15
        assert cubic.ack(BASE, segments=20) == 23
        cubic.timeout()
        cubic.set(10, 100)
        assert cubic.ack(BASE, segments=5) == 15
        assert cubic.ack(BASE, segments=20) == 23


# --- Vegas and HyStart (Linux, tcp_vegas.c and tcp_cubic.c)


def round_trip(sender: Driver, rtt_s: float, spacing_s: float = 0.01) -> float:
    """All in flight is acknowledged, segment by segment, and one more; return the window then."""
    end = sender.nxt
    while sender.una <= end:
        sender.now_s += spacing_s
        sender.ack(rtt_s)
    return sender.cwnd


@pytest.mark.parametrize(("queued", "change"), [(1.5, 1), (2.5, 0), (4.5, 0), (5.5, -1)])
def test_vegas_as_linux_counts_whole_segments_beyond_the_pipe(queued, change):
    """diff = w (RTT - base) / base: fewer than 2 open the window by one, more than 4 close it."""
    vegas = Driver("vegas", 100, 50, as_linux_6_12=True)
    round_trip(vegas, 0.1)
    vegas.set(100, 50)
    rtt_s = 0.1 * (1 + queued / 100)
    round_trip(vegas, rtt_s)
    vegas.set(100, 50)
    window = round_trip(vegas, rtt_s)
    assert window == 100 + change
    assert vegas.ssthresh == window // 2 + window // 4  # tcp_current_ssthresh


def test_vegas_as_linux_doubles_every_round_trip_until_its_segments_wait():
    vegas = Driver("vegas", 50, 1e6, as_linux_6_12=True)
    windows = [round_trip(vegas, 0.1) for _ in range(3)]
    assert windows[2] == pytest.approx(2 * windows[1], rel=0.05)
    windows = [round_trip(vegas, 0.12) for _ in range(3)]
    assert windows[1] == pytest.approx(2 * windows[0] / 1.2, rel=0.05)
    assert vegas.ssthresh == vegas.cwnd == windows[1] - 1  # whose segments still wait
    assert vegas.threshold() == vegas.cwnd // 2


def test_vegas_as_linux_is_reno_while_segments_are_missing():
    vegas = Driver("vegas", 100, 50, as_linux_6_12=True)
    round_trip(vegas, 0.1)
    vegas.set(100, 50)
    vegas.state = "disorder"
    for _ in range(3):
        round_trip(vegas, 0.2)
    assert vegas.cwnd == pytest.approx(103, abs=1)


@pytest.mark.parametrize(
    ("spacing_s", "rtt_s", "ends"),
    [(0.0015, 0.1, True), (0.0025, 0.1, False), (0.0025, 0.12, True), (0.0025, 0.11, False)],
)
def test_hystart_as_linux_ends_by_a_train_or_by_an_eighth_more_of_delay(spacing_s, rtt_s, ends):
    """A train has ACKs of up to 2 ms between them, and is longer than half the round trip."""
    cubic = Driver("cubic", 64, 1e6, hystart_as_linux=True)
    round_trip(cubic, 0.1, 0.0025)
    assert cubic.ssthresh == 1e6
    for _ in range(2):
        round_trip(cubic, rtt_s, spacing_s)
    assert (cubic.ssthresh < 1e6) == ends


def test_hystart_as_linux_begins_at_16_segments_and_anew_after_a_timeout():
    cubic = Driver("cubic", 4, 1e6, hystart_as_linux=True)
    cubic.ack(0.1)
    while cubic.cwnd < 15:
        cubic.ack(0.3)
    assert cubic.ssthresh == 1e6
    for _ in range(2):
        round_trip(cubic, 0.3)
    assert cubic.ssthresh < 1e6
    cubic.timeout()
    cubic.set(64, 1e6)
    round_trip(cubic, 0.1, 0.0025)
    assert cubic.ssthresh == 1e6
    for _ in range(2):
        round_trip(cubic, 0.3)
    assert cubic.ssthresh < 1e6


# --- what is counted towards the next segment


@pytest.mark.parametrize(
    "control", ["reno", "bic", "highspeed", "htcp", "illinois", "vegas", "westwood-plus"]
)
def test_linux_forgets_at_a_loss_what_it_has_counted(control):
    """snd_cwnd_cnt = 0 in tcp_init_cwnd_reduction: the next segment comes later for it."""

    def acks_to_grow(forgets: bool) -> int:
        as_linux = {} if control == "reno" else {"as_linux_6_12": True}
        sender = Driver(control, 12, count_as_linux=forgets, **as_linux)
        sender.established()
        if control == "vegas":  # Reno while segments are missing
            sender.state = "disorder"
        sender.set(12, 2)
        counts = 0
        while sender.cwnd == 12 and counts < 40:  # up to the first segment
            sender.ack(BASE)
            counts += 1
        sender.set(12, 2)
        for _ in range(max(1, counts // 2)):
            sender.ack(BASE)
        sender.threshold()
        sender.set(12, 2)
        for acks in range(1, 40):
            if sender.ack(BASE) > 12:
                return acks
        raise AssertionError("the window does not grow")

    assert acks_to_grow(True) > acks_to_grow(False)


@pytest.mark.parametrize("as_linux", [True, False])
def test_the_ack_that_ends_a_recovery_counts_for_one_segment_of_htcps(as_linux):
    """tcp_htcp.c is told what an ACK acknowledges before its state is: pkts_acked of RECOVERY."""
    htcp = Driver("htcp", 12, as_linux_6_12=True, count_as_linux=as_linux)
    htcp.established()
    htcp.set(12, 2)
    htcp.ack(BASE, segments=12, delivered=1, prior_state="recovery")
    grown = htcp.ack(BASE) > 12
    assert grown != as_linux
