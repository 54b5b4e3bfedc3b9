"""XCP, CADPC, TCP-Probing, TCP-Cherry, TCP-Peach in the core: their equations worked out apart."""

import numpy as np
import pytest
from cc_driver import MSS, Driver
from segment_scenarios import HEADERS, flow, link, run, scenario

from longfat.engines.segment import native

RTT_S = 0.1
RECOVERY = 3  # the place of State::RECOVERY


# --- XCP


def test_xcps_window_moves_by_what_routers_say_and_a_round_trip():
    """W <- max(W + H RTT, s) (Katabi et al., section 3.3)."""
    driver = Driver("xcp", window=10, threshold=5)
    expected = 10.0
    for change in (40_000, -15_000, 7_000, -1e9, 12_345):  # bytes/s
        expected = max(1.0, expected + change * 0.2 / MSS)
        assert driver.ack(0.2, routers=2, rate_change=change) == pytest.approx(expected)


def test_xcp_keeps_to_what_is_told_between_acks_that_tell():
    driver = Driver("xcp", window=10, threshold=5)
    driver.ack(routers=2, rate_change=0)
    assert driver.ack(routers=0) == 10


def test_xcp_is_newreno_as_soon_as_one_router_is_silent():
    driver = Driver("xcp", window=10, threshold=5)
    driver.ack(routers=2, rate_change=0)
    assert driver.ack(routers=1, rate_change=50_000) == pytest.approx(10.1)
    assert driver.ack(routers=2, rate_change=0) == pytest.approx(10.1)
    assert Driver("xcp", window=10, threshold=50).ack() == 11


def test_xcp_halves_at_a_loss_and_grows_only_where_it_limits():
    driver = Driver("xcp", window=20, threshold=5)
    driver.ack(routers=2, rate_change=0)
    assert driver.threshold() == 10
    driver.state = "recovery"
    assert driver.ack(routers=2, rate_change=1e5) == 20
    driver.state, driver.limited = "open", False
    assert driver.ack(routers=2, rate_change=1e5) == 20
    assert driver.ack(routers=2, rate_change=-1e4) == pytest.approx(19)


@pytest.mark.parametrize("loss", [0, 1e-3])
def test_xcp_fills_a_link_whose_router_speaks(loss):
    forth = link(queue=119, xcp={}, loss_per_packet=loss)
    answer = run(forth, flow("xcp"), back={"xcp": {}}, duration_s=20)
    full = 10e6 * 1000 / (1000 + HEADERS)
    assert answer["xcp"] == "spoken"
    assert answer["links"][0]["packets_dropped_by_queue"] == 0
    assert answer["delivered_bytes"] * 8 / 20 > (0.8 if loss else 0.95) * full
    if loss:
        reno = run(forth, flow("newreno"), back={"xcp": {}}, duration_s=20)
        assert answer["recoveries"] > 10
        assert answer["delivered_bytes"] > 1.5 * reno["delivered_bytes"]


def test_xcp_does_not_grow_where_the_receiver_limits():
    own = flow("xcp", receive_buffer_bytes=50_000)
    answer = run(link(xcp={}), own, back={"xcp": {}}, series=["cwnd_segments"])
    assert answer["xcp"] == "spoken"
    assert max(answer["series"]["cwnd_segments"][1]) < 110


# --- CADPC


def told(driver: Driver, number: int, sent_bytes: float, at_s: float, rate_bps=1e6, complete=1):
    """A router's answer to a query."""
    fields = {"number": number, "is_query": 1, "complete": complete, "link": 7}
    fields |= {"rate_bps": rate_bps, "sent_bytes": sent_bytes, "at": at_s * 1e9}
    return driver.event("answer", **fields)


def cadpc(**parameters) -> Driver:
    """A window of 10 segments of 1000 bytes with 50 more of headers, a round trip of 0.1 s."""
    driver = Driver("cadpc", window=10, threshold=5, **parameters)
    driver.established(RTT_S, header_bytes=50)
    return driver


@pytest.mark.parametrize("gain", [0.25, 0.5, 1.0])
def test_cadpcs_rate_follows_the_rule(gain):
    """x <- x + a x (1 - x - lambda), with lambda what a link of 1 Mb/s has carried between two
    answers; the window is twice what a round trip holds, the pace is of payload."""
    driver = cadpc(gain=gain)
    assert (driver.requests, driver.timer_s) == (["query"], pytest.approx(0.4))
    x = 8 * 1050 * 10 / RTT_S / 1e6
    told(driver, 1, 0, 0.05)
    assert driver.cwnd == 10  # a single answer says nothing of traffic
    sent = 0.0
    for number, traffic in enumerate((0.9, 0.2, 0.0, 1.1), start=2):
        sent += traffic * 1e6 / 8 * 0.4
        x += gain * x * (1 - x - traffic)
        told(driver, number, sent, 0.05 + 0.4 * (number - 1))
        assert driver.pacing_bps == pytest.approx(x * 1e6 / 1.05, rel=1e-9)
        assert driver.cwnd == pytest.approx(max(2, 2 * x * 1e6 * RTT_S / 8 / 1050), rel=1e-9)


def spoken() -> Driver:
    driver = cadpc()
    told(driver, 1, 0, 0.05)
    told(driver, 2, 20_000, 0.45)
    return driver


def test_no_loss_and_no_timeout_changes_cadpcs_rate():
    driver = spoken()
    window, pace = driver.cwnd, driver.pacing_bps
    assert driver.threshold() == window
    driver.state = "recovery"
    assert driver.ack() == pytest.approx(window)
    assert driver.event("recovered recovery") == pytest.approx(window)
    driver.event("congestion timeout")
    assert driver.event("timeout") == pytest.approx(window)
    assert driver.pacing_bps == pace
    assert driver.ack(0.2) == pytest.approx(
        2 * window
    )  # the rate is the same, and so twice as much


def test_an_answer_that_was_overtaken_changes_nothing():
    driver = spoken()
    window = driver.cwnd
    assert told(driver, 1, 1e9, 0.5) == window


def test_cadpc_is_newreno_where_a_router_is_silent():
    driver = spoken()
    told(driver, 3, 0, 0.9, complete=0)
    assert driver.pacing_bps == np.inf
    driver.set(20, 5)
    assert driver.ack() == pytest.approx(20.05)
    assert driver.threshold() == 10
    driver.state = "recovery"
    assert driver.ack() == 10
    driver.event("recovered recovery")
    assert driver.cwnd == 10
    driver.set(10)
    assert driver.timeout() == (driver.nxt - driver.una) / MSS / 2  # half of what is outstanding
    assert driver.cwnd == 1


def test_a_link_that_becomes_much_slower_leaves_a_rate_above_nothing():
    """x + a x (1 - x - lambda) is below 0 where x is more than three links: a segment a query."""
    driver = spoken()
    told(driver, 3, 0, 0.9, rate_bps=1e4)
    told(driver, 4, 1e6, 1.3, rate_bps=1e4)
    assert driver.pacing_bps == pytest.approx(8 * 1000 / 0.4)
    assert driver.timer_s > 0


def shares(*flows: dict, duration_s: float = 90, **forth) -> list[float]:
    """Return what each flow delivers in the second half, as a part of the link's 10 Mb/s."""
    case = scenario(
        link(queue=119, ptp=True, **forth),
        *flows,
        duration_s=duration_s,
        series=["delivered_bytes"],
        back={"ptp": True},
    )
    parts = []
    for one in native.run(case)["flows"]:
        assert one["ptp"] == "spoken"
        times, held = map(np.array, one["series"]["delivered_bytes"])
        late = times > duration_s / 2
        rate = (held[late][-1] - held[late][0]) / (times[late][-1] - times[late][0])
        parts.append(rate * 8 * (1000 + HEADERS) / 1000 / 10e6)
    return parts


def test_cadpc_asks_nothing_while_it_has_nothing_to_send():
    driver = spoken()
    pace = driver.pacing_bps
    driver.event("timer")
    assert driver.requests == ["query"]  # a window is in flight
    driver.ack(segments=(driver.nxt - driver.una) // MSS, app_limited=True)
    driver.event("timer")
    assert driver.requests == []
    driver.restart(idle_s=5)
    assert driver.requests == ["query"]
    told(driver, 3, 1e9, 6)
    assert driver.pacing_bps == pytest.approx(pace)  # what the pause has carried does not count


def test_a_cadpc_flow_that_has_stopped_sends_no_packets():
    def packets(duration_s: float) -> int:
        own = flow("cadpc", stop_s=3, send_buffer_bytes=200_000)
        case = scenario(link(ptp=True), own, duration_s=duration_s, back={"ptp": True})
        return native.run(case)["links"][0]["packets_sent"]

    assert packets(60) == packets(10)


@pytest.mark.parametrize("count", [1, 3, 9])
def test_each_of_n_flows_comes_to_1_of_n_and_one(count):
    flows = [flow("cadpc", start_s=3.0 * n) for n in range(count)]
    assert shares(*flows) == pytest.approx([1 / (count + 1)] * count, rel=0.01)


def test_random_losses_take_nothing_of_cadpcs_rate():
    assert shares(flow("cadpc"), loss_per_packet=1e-2) == pytest.approx([0.5], rel=0.02)


def test_without_a_router_that_speaks_cadpc_is_newreno_on_the_path_too():
    there = link(queue=119)
    own, reno = (run(there, flow(name), duration_s=60) for name in ("cadpc", "newreno"))
    assert own["ptp"] == "fallen back"
    assert own["delivered_bytes"] == pytest.approx(reno["delivered_bytes"], rel=0.03)


# --- TCP-Probing


def probing(**parameters) -> Driver:
    """A best round trip of 0.1 s and a worst one of 0.2 s."""
    driver = Driver("probing", window=20, threshold=5, **parameters)
    for rtt_s in (0.1, 0.2, 0.1):
        driver.ack(rtt_s)
    return driver


def answered(driver: Driver, number: int, rtt_s: float) -> list[str]:
    """A probe's answer, after so long; returns what is asked for then."""
    asked_s = driver.now_s
    driver.wait(rtt_s)
    driver.event("answer", number=number, asked=asked_s * 1e9, is_query=0)
    return driver.requests


def held(driver: Driver, cause: str) -> bool:
    driver.event(f"holds {cause}", srtt=driver.rtt_s * 1e9)
    return driver.returned == 1


@pytest.mark.parametrize(
    ("cause", "first_s", "second_s", "resumption"),
    [
        ("timeout", 0.1, 0.1, "unchanged"),
        ("timeout", 0.15, 0.15, "unchanged"),
        ("timeout", 0.16, 0.1, "timeout"),
        ("timeout", 0.1, 0.16, "timeout"),
        ("loss", 0.1, 0.1, "unchanged"),
        ("loss", 0.16, 0.16, "reduced"),
    ],
)
def test_two_round_trips_decide_how_probing_goes_on(cause, first_s, second_s, resumption):
    driver = probing()
    assert held(driver, cause)
    assert driver.requests == ["probe:0"]
    assert driver.timer_s == pytest.approx(0.2)  # two smoothed round trips
    assert answered(driver, 1, first_s) == ["probe:0"]
    assert answered(driver, 2, second_s) == [resumption]
    assert driver.timer_s == -1  # no probe is under way


def test_an_answer_after_the_cycle_is_over_asks_for_nothing():
    driver = probing()
    held(driver, "timeout")
    answered(driver, 1, 0.1)
    assert answered(driver, 2, 0.1) == ["unchanged"]
    assert answered(driver, 1, 0.1) == []
    assert answered(driver, 2, 0.1) == []


def test_a_lost_probe_begins_the_cycle_anew():
    driver = probing(patience=3.0)
    held(driver, "timeout")
    assert driver.timer_s == pytest.approx(0.3)
    answered(driver, 1, 0.19)  # long, but of the cycle that is given up
    driver.event("timer")
    assert driver.requests == ["probe:0"]
    assert answered(driver, 2, 0.1) == []  # too late
    assert answered(driver, 3, 0.1) == ["probe:0"]
    assert answered(driver, 4, 0.1) == ["unchanged"]


def test_a_loss_of_what_was_sent_again_is_newrenos():
    """Else a window that the queue does not hold would be sent again and again."""
    driver = probing()
    assert not held(driver, "again")
    answer = run(link(queue=119), flow("probing"), duration_s=30)
    assert answer["retransmissions"] < 0.1 * answer["segments_sent"]
    assert answer["delivered_bytes"] * 8 / 30 > 0.85 * 10e6 * 1000 / (1000 + HEADERS)


def test_probing_leaves_recoveries_alone_if_told_to():
    driver = probing(probes_at_duplicates=False)
    assert not held(driver, "loss")
    assert held(driver, "timeout")


def test_probing_is_newreno_where_nothing_is_lost():
    own = {"receive_buffer_bytes": 60_000, "bytes": 5_000_000}
    mine, reno = (run(link(), flow(name, **own)) for name in ("probing", "newreno"))
    assert mine["completion_s"] == reno["completion_s"]


def test_probing_goes_on_at_once_after_an_outage():
    forth = link(outages=[{"start_s": 10, "duration_s": 5}])
    own = {"receive_buffer_bytes": 100_000}
    back = {"outages": forth["outages"]}
    mine, reno = (
        run(forth, flow(name, **own), back=back, duration_s=20) for name in ("probing", "newreno")
    )
    assert reno["timeouts"] >= 2
    assert mine["timeouts"] == 0
    rate = 100_000 / (0.1 + 2 * 8 * 1054 / 10e6)  # bytes/s: the receiver's window a round trip
    assert mine["delivered_bytes"] > reno["delivered_bytes"] + 0.5 * rate
    assert mine["delivered_bytes"] > (15 - 1.5) * min(rate, 10e6 / 8 * 1000 / 1054)


# --- TCP-Cherry and TCP-Peach

SENT = {"cherry": "supplement:low", "peach": "probe:1000:low"}
both = pytest.mark.parametrize("name", sorted(SENT))


def asking(name: str, window: float = 10, receiver: float = 100, **parameters) -> Driver:
    """Established, and told of the first ACK with a round trip of 0.5 s."""
    driver = Driver(name, window=window, threshold=1000, **parameters)
    driver.established(0.5)
    driver.ack(0.5, segments=0, advertised_window=receiver * MSS)
    return driver


def sent(driver: Driver) -> list[str]:
    """Let its timer run out as long as it sets it; return what was sent."""
    packets = []
    while driver.timer_s >= 0:
        driver.event("timer")
        packets += driver.requests
    return packets


def arrive(driver: Driver, name: str, count: int, state: int = 0) -> float:
    for _ in range(count):
        driver.event("answer" if name == "peach" else "supplement", state=state)
    return driver.cwnd


@both
def test_the_start_asks_for_a_whole_window_in_a_round_trip(name):
    driver = asking(name)
    assert driver.ssthresh == 2  # no slow start
    assert driver.timer_s == pytest.approx(0.5 / 90)
    assert sent(driver) == [SENT[name]] * 90
    assert arrive(driver, name, 60) == 70
    assert arrive(driver, name, 60) == 100  # the receiver takes no more
    driver.ack(0.5, advertised_window=10**6)
    assert driver.timer_s == -1  # it is the first ACK alone


@both
def test_a_recovery_is_undone_by_what_arrives_beyond_the_half(name):
    driver = asking(name, receiver=10)
    driver.set(40)
    assert driver.threshold() == 20
    assert driver.timer_s == pytest.approx(0.5 / 44)
    assert sent(driver) == [SENT[name]] * 44  # the window and a tenth to spare
    driver.set(20)
    assert arrive(driver, name, 20) == 20
    assert arrive(driver, name, 5) == 25
    assert arrive(driver, name, 100) == 40


@both
def test_what_arrives_in_the_recovery_raises_what_it_ends_with(name):
    driver = asking(name, receiver=10, spare=0.0, low_priority=False)
    driver.set(40)
    driver.threshold()
    arrive(driver, name, 25, state=RECOVERY)
    assert (driver.cwnd, driver.ssthresh) == (40, 25)
    assert sent(driver) == [SENT[name].removesuffix(":low")] * 40


@both
def test_what_is_lost_again_halves_and_asks_for_nothing_more(name):
    driver = asking(name, receiver=10)
    driver.set(40)
    driver.threshold()
    sent(driver)
    driver.set(20)
    assert driver.threshold("again") == 10
    assert driver.timer_s == -1
    arrive(driver, name, 100, state=RECOVERY)
    assert driver.ssthresh == 40


@both
def test_a_timeout_begins_anew(name):
    driver = asking(name)
    sent(driver)
    driver.timeout()
    assert (driver.cwnd, driver.ssthresh) == (1, 2)
    assert sent(driver) == [SENT[name]] * 99


@both
def test_a_mark_halves_and_ends_the_asking(name):
    """RFC 3168: the queue has said that there is no room."""
    driver = asking(name)
    driver.set(40)
    assert driver.threshold("ecn") == 20
    assert driver.timer_s == -1
    assert arrive(driver, name, 30) == 40  # as it was set: nothing raises it


def satellite(name: str, loss: float = 0, window: int = 600, **more) -> dict:
    """A sender over 0.55 s, whose receiver takes no more than the path and a queue hold."""
    own = flow(name, receive_buffer_bytes=1000 * window)
    return run(link(10e6, 0.275, 300, loss_per_packet=loss), own, **more)


def test_cherry_starts_in_a_round_trip_where_newreno_doubles():
    own, plain = (satellite(name, duration_s=2) for name in ("cherry", "newreno"))
    assert own["delivered_bytes"] > 1.5 * plain["delivered_bytes"]
    assert own["retransmissions"] == 0


@both
def test_a_random_loss_is_forgotten(name):
    own, reno = (satellite(one, 1e-3, duration_s=80) for one in (name, "newreno"))
    assert own["recoveries"] > 10
    assert own["delivered_bytes"] > 1.5 * reno["delivered_bytes"]


def test_dummies_take_of_the_link_and_supplements_do_not():
    """On a queue without a limit all arrive: Peach's are as long as segments, and no data."""
    sent_bytes = {}
    for name in SENT:
        answer = satellite(name, 1e-3, duration_s=60)
        segments = answer["delivered_bytes"] / 1000
        sent_bytes[name] = answer["links"][0]["packets_sent"] / segments
    assert sent_bytes["cherry"] < 1.1
    assert sent_bytes["peach"] > 1.2


@pytest.mark.parametrize("loss", [1e-3, 1e-2])
@pytest.mark.parametrize("name", ["cherry", "peach", "probing"])
def test_every_segment_arrives_whatever_is_lost(name, loss):
    own = flow(name, receive_buffer_bytes=400_000, bytes=2_000_000)
    answer = run(link(queue=36, loss_per_packet=loss), own, duration_s=100)
    assert answer["delivered_bytes"] == 2_000_000
    assert answer["completion_s"] is not None
