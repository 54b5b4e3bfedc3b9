"""TCP-J and Westwood in ns-2, which share no line with the segment engine's."""

import math

import pandas as pd
import pytest

from longfat import Record, engines, simulate
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.network import duplex
from longfat.papers.tcpj import plan
from longfat.papers.tcpj.network import handoff, with_own_ends
from longfat.scenario import Flow, Outage, Scenario

NS2 = pytest.mark.skipif(not engines.is_here("ns2"), reason="ns-2 is not prepared here")
AT = plan.setting("paper", duration_s=60)


def radio(protocol, bit_error_rate=2e-6, seed=1, **fields):
    same = {"bit_error_rate": bit_error_rate, "seed": seed}
    return plan._over_radio(AT, protocol, **(same | plan.FOUND | fields))


def goodput(engine, protocol, **fields):
    runs = [radio(protocol, seed=seed, **fields) for seed in (1, 2, 3, 4, 5)]
    return sum(simulate(run, engine=engine).flows["goodput_bps"].sum() for run in runs) / 5


@pytest.mark.medium
@NS2
@pytest.mark.parametrize("protocol", ["TCP-J", "Westwood"])
def test_two_that_share_no_code_carry_nearly_the_same(protocol):
    """Well above SACK and NewReno there, as the segment engine's without losses found by SACK."""
    old = plan.SENDERS_OF_2002
    ours = goodput("segment", protocol, bit_error_rate=1e-6, **old)
    theirs = goodput("ns2", protocol, bit_error_rate=1e-6)
    assert theirs == pytest.approx(ours, rel=0.1)
    assert theirs > 1.4 * goodput("ns2", "NewReno", bit_error_rate=1e-6)


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
@pytest.mark.parametrize("protocol", ["TCP-J", "Westwood"])
def test_both_estimate_what_a_busy_link_delivers(protocol, engine):
    record = Record(series=("bandwidth_bps",), points=60)
    run = radio(protocol, bit_error_rate=1e-7, record=record)
    trace = simulate(run, engine=engine).traces["bandwidth_bps"]
    late = trace[trace["time_s"] > 10]["bandwidth_bps"]
    assert late.mean() == pytest.approx(AT.full_bps, rel=0.03)


def acks(path) -> list[tuple[float, int]]:
    """When an ACK came to the sender, and what it acknowledges, by the trace that ns-2 writes."""
    lines = (line.split() for line in path.read_text().splitlines())
    return [
        (float(time), int(number))
        for event, time, _, at, kind, *_, number, _ in lines
        if (event, at, kind) == ("r", "0", "ack")
    ]


def samples(arrivals):
    """When a sample was taken, its seconds and segments: a duplicate ACK is one.

    Of an ACK of progress those do not count that duplicates before it have told of.
    """
    highest, told, since_s = 0, 0, arrivals[0][0]
    for now_s, number in arrivals[1:]:
        segments = 1
        if number > highest:
            segments = max(number - highest - told, 0)
            told = max(told - (number - highest), 0)
            highest = number
        else:
            told += 1
        yield now_s, now_s - since_s, segments
        since_s = now_s


def tcpjs(arrivals):
    """Equation (9), with 0.9: the mean of this sample and the last one is smoothed."""
    rate = last = 0.0
    for now_s, interval_s, segments in samples(arrivals):
        sample = segments / interval_s
        rate, last = 0.9 * rate + 0.1 * (sample + last) / 2, sample
        yield now_s, rate


def westwoods(arrivals):
    """Equation (2), of a filter of 1 s: a sample of zero after each half of a second of silence."""
    rate = last = 0.0
    for now_s, interval_s, segments in samples(arrivals):
        zeros = max(math.ceil((interval_s - 0.01) / 0.5) - 1, 0)
        for _ in range(zeros):
            rate, last = (3 * rate + last) / 5, 0.0
        rest_s = interval_s - 0.5 * zeros
        sample = segments / rest_s
        rate = ((2 - rest_s) * rate + (sample + last) * rest_s) / (2 + rest_s)
        last = sample
        yield now_s, rate


@NS2
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("protocol", "filtered"), [("TCP-J", tcpjs), ("Westwood", westwoods)])
def test_the_estimate_is_the_papers_of_the_acks_in_ns2s_own_trace(
    protocol, filtered, seed, tmp_path, monkeypatch
):
    """Over the first 10 s, while the trace's six digits tell hundredths of a millisecond."""
    here, planned = engines.get("ns2"), engines.get("ns2").plan
    file = tmp_path / "trace"

    def traced(scenario):
        begin, links = planned(scenario).split("\n", 1)
        return f"{begin}\n$ns trace-all [open {{{file}}} w]\n{links}"

    monkeypatch.setattr(here, "plan", traced)
    record = Record(series=("bandwidth_bps",), points=331)
    run = radio(protocol, bit_error_rate=4e-6, seed=seed, record=record, duration_s=10)
    result = simulate(run, engine="ns2")
    assert result.flows["retransmissions"].sum() > 10
    ours = pd.DataFrame(filtered(acks(file)), columns=["time_s", "segments"])
    theirs = result.traces["bandwidth_bps"]
    theirs = theirs[theirs["time_s"] > 1]
    for time_s, bps in zip(theirs["time_s"], theirs["bandwidth_bps"], strict=True):
        if (ours["time_s"] - time_s).abs().min() > 1e-4:  # an ACK of just then is in or out
            rate = ours[ours["time_s"] < time_s]["segments"].iloc[-1]
            assert bps == pytest.approx(8 * 1460 * rate, rel=2e-3)


@pytest.mark.parametrize("engine", [pytest.param("ns2", marks=NS2), "segment"])
def test_what_remains_of_a_silence_is_no_sample_below_10_ms(engine):
    """A segment each 0.505 s: by itself the remainder of 5 ms would be a sample a hundred high."""
    path = {"rate_bps": 4e6, "delay_s": 0.2525, "queue_packets": 30}
    flow = Flow(
        source="a",
        target="b",
        congestion_control="westwood",
        segment_bytes=1460,
        receive_buffer_bytes=1460,
        segments_per_ack=1,
        min_rto_s=3,
    )
    record = Record(series=("bandwidth_bps",), points=200)
    run = Scenario(links=duplex("a", "b", **path), flows=[flow], duration_s=60, record=record)
    trace = simulate(run, engine=engine).traces["bandwidth_bps"]
    late = trace[trace["time_s"] > 30]["bandwidth_bps"]
    assert late.max() == pytest.approx(8 * 1460 / 0.505, rel=0.02)


@NS2
def test_in_silence_westwoods_estimate_falls_and_tcpjs_stays():
    """Nothing arrives for 3 s: six samples of zero, each of which leaves three fifths."""
    path = {"rate_bps": 4e6, "delay_s": 0.02, "queue_packets": 30}
    links = duplex("a", "b", **path, outages=(Outage(start_s=20, duration_s=3),))
    left = {}
    for name in ("tcpj", "westwood"):
        flow = Flow(
            source="a",
            target="b",
            congestion_control=name,
            receive_buffer_bytes=65_000,
            min_rto_s=1,
        )
        record = Record(series=("bandwidth_bps",), points=400)
        run = Scenario(links=links, flows=[flow], duration_s=40, record=record)
        trace = simulate(run, engine="ns2").traces["bandwidth_bps"].set_index("time_s")
        rates = trace["bandwidth_bps"]
        left[name] = rates[(rates.index > 23) & (rates.index < 27)].min() / rates.loc[:20].iloc[-1]
    assert left["westwood"] < 0.25 < 0.7 < left["tcpj"]


def moving(**handoff):
    """A link that becomes four times as slow, of which the sender is told."""
    path = {"rate_bps": 4e6, "delay_s": 0.02, "queue_packets": 30}
    links = duplex("a", "b", **path, changes=({"at_s": 20, "rate_bps": 1e6},))
    flow = {"source": "a", "target": "b", "congestion_control": "tcpj", "min_rto_s": 1.0}
    flow |= {"receive_buffer_bytes": 65_000, "handoffs": [{"at_s": 20.0, **handoff}]}
    flow["initial_ssthresh_segments"] = 65
    series = ("cwnd_segments", "bandwidth_bps")
    record = Record(series=series, points=6000)
    return Scenario(links=links, flows=[flow], duration_s=60, record=record)


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_after_a_movement_to_another_router_tcpj_begins_anew(engine):
    traces = simulate(moving(kind="non-local"), engine=engine).traces
    windows = traces["cwnd_segments"].set_index("time_s")["cwnd_segments"]
    after = windows[(windows.index > 20.0) & (windows.index < 20.05)]
    assert windows[windows.index < 20].iloc[-1] > 25 > 10 > after.min()


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_a_local_movement_of_which_nothing_is_announced_begins_anew_too(engine):
    traces = simulate(moving(kind="local"), engine=engine).traces
    windows = traces["cwnd_segments"].set_index("time_s")["cwnd_segments"]
    assert windows[(windows.index > 20.0) & (windows.index < 20.05)].min() < 10


@pytest.mark.medium
@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_an_announced_rate_bounds_the_window_after_the_next_loss(engine):
    """A quarter of a megabit for 40 ms is about a segment, 1 Mb/s about five."""
    least = {}
    for announced_bps in (0.25e6, 4e6):
        run = moving(kind="local", announced_rate_bps=announced_bps)
        windows = simulate(run, engine=engine).traces["cwnd_segments"]
        least[announced_bps] = windows[windows["time_s"] > 25]["cwnd_segments"].min()
    assert least[0.25e6] < 3 < 4 < least[4e6] < 6.5


@pytest.mark.medium
@NS2
@pytest.mark.parametrize(("protocol", "window"), [("SACK", 22), ("TCP-J", 13)])
def test_ns2s_sack_sender_waits_for_its_timer_where_more_is_lost_than_its_new_window_holds(
    protocol, window
):
    """It counts what is lost as in flight, which RFC 6675 does not: by that an outage of 0.05 s
    costs TCP-J, whose threshold is 13 segments, a timeout, and SACK, with half of 44, none."""
    for length_s in (0.034, 0.04, 0.046, 0.058, 0.064, 0.07, 0.082):
        outages = (Outage(start_s=4, duration_s=length_s),)
        run = radio(protocol, bit_error_rate=0, outages=outages, duration_s=10)
        theirs, ours = (simulate(run, engine=engine) for engine in ("ns2", "segment"))
        lost = theirs.links["packets_lost_in_outage"].sum()
        assert (theirs.flows["timeouts"].sum() > 0) == (lost > window), (length_s, lost)
        assert ours.flows["timeouts"].sum() == 0


@NS2
@pytest.mark.parametrize(
    ("rate_bps", "rtt_s"), [(2e6, 0.04), (4e6, 0.06), (6e6, 0.03), (6e6, 0.06), (4e6, 0.1)]
)
def test_there_tcpj_waits_after_an_outage_longer_than_the_round_trip_whatever_the_rate(
    rate_bps, rtt_s
):
    """What is lost is the rate times the outage, what its threshold holds the rate times that."""
    link = {"bit_error_rate": 0, "rate_bps": rate_bps, "rtt_s": rtt_s, "duration_s": 10}
    for times, waits in ((0.8, 0), (1.2, 1)):
        outages = (Outage(start_s=4, duration_s=round(times * rtt_s, 6)),)
        result = simulate(radio("TCP-J", outages=outages, **link), engine="ns2")
        assert result.flows["timeouts"].sum() == waits, times


@pytest.mark.medium
@NS2
def test_westwood_is_on_each_of_ns2s_senders():
    senders = [
        planning.sender(radio("Westwood", **fields), 0).agent for fields in plan.WESTWOODS.values()
    ]
    assert senders == ["Agent/TCP/Newreno", "Agent/TCP/Reno", "Agent/TCP/Sack1"]
    newreno, reno, sack = (
        goodput("ns2", "Westwood", bit_error_rate=4e-6, **fields)
        for fields in plan.WESTWOODS.values()
    )
    assert reno < newreno and reno < sack


@NS2
@pytest.mark.parametrize(
    ("protocol", "fields", "message"),
    [
        ("TCP-J", {"sack": False}, r"flows\.0\.sack: .*'tcpj', which is its SACK sender's"),
        ("TCP-J", {"recovery": "reno"}, r"flows\.0\.recovery: .* Reno's with SACK"),
        (
            "Westwood",
            {"handoffs": ({"at_s": 1, "kind": "local"},)},
            r"flows\.0\.handoffs: .* them for 'westwood'",
        ),
    ],
)
def test_what_these_senders_do_not_have_is_one_sentence(protocol, fields, message):
    with pytest.raises(InputError, match=message):
        simulate(radio(protocol, **fields), engine="ns2")


def two_ways(**fields) -> Scenario:
    """From a to b by m, and by n, which is slower; from 2 s on by n."""
    links = [
        one
        for ends, rate_bps in (
            (("a", "m"), 8e6),
            (("m", "b"), 8e6),
            (("a", "n"), 1e6),
            (("n", "b"), 1e6),
        )
        for one in duplex(*ends, rate_bps=rate_bps, delay_s=0.01, queue_packets=20)
    ]
    flow = {"source": "a", "target": "b", "congestion_control": "reno", "path": ("a", "m", "b")}
    flow |= {"reroutes": [{"at_s": 2.0, "path": ("a", "n", "b")}]} | fields
    return Scenario(links=links, flows=[flow], duration_s=4)


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_a_flow_goes_by_its_path_and_later_by_another(engine):
    """What was under way by the first arrives; its ACKs come back by the second."""
    sent = simulate(two_ways(), engine=engine).links.set_index(["source", "target"])["packets_sent"]
    assert sent["a", "m"] == sent["m", "b"] > 500
    assert 200 < sent["a", "n"] < 260 and sent["b", "n"] > 90
    (late,) = simulate(two_ways(reroutes=(), path=("a", "n", "b")), engine=engine).flows[
        "goodput_bps"
    ]
    assert 0.85e6 < late < 1e6


@NS2
def test_two_ways_to_one_node_are_refused():
    """A node of ns-2 has one route to another."""
    scenario = two_ways()
    other = scenario.flows[0].model_dump() | {"path": ("a", "n", "b"), "reroutes": ()}
    both = scenario.replace(flows=[*(flow.model_dump() for flow in scenario.flows), other])
    with pytest.raises(InputError, match=r"flows\.0\.reroutes: .* flows\.1 goes another"):
        simulate(both, engine="ns2")


@pytest.mark.parametrize("kind", ["local", "non-local"])
def test_ends_of_its_own_change_no_digit(kind):
    """Of two flows between the same nodes, which ns-2 cannot lead different ways."""
    move = {"rate_bps": 3e6, "new_rate_bps": 1e6, "cost_s": 0.09, "rtt_s": 0.04}
    plain = handoff("TCP-J", kind, beside="SACK", at_s=5, duration_s=15, **move)
    apart = with_own_ends(plain)
    counted = [row | {"flow": ""} for row in simulate(plain, "segment").flow_rows()]
    assert counted == [row | {"flow": ""} for row in simulate(apart, "segment").flow_rows()]
    ends = [{flow.source, flow.target} for flow in apart.flows]
    assert ends[0].isdisjoint(ends[1])
    with pytest.raises(InputError, match="two ways to one node"):
        planning.check(plain)
    planning.check(apart)
