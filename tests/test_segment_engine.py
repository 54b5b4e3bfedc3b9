"""The segment engine: what holds in every scenario, and that it does what the full stack does.

Each run of the engine ends with checks of its own (simulation.h): packets conserved on every link,
segments neither lost nor doubled by a receiver, a scoreboard that adds up, no sender stuck. A run
in which one fails is given up, so a test that simulates tests them.
"""

import itertools
import json
import math

import pandas as pd
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from longfat import InputError, Record, Scenario, engines
from longfat.cc import catalogue
from longfat.engines import ns3, segment
from longfat.faults import NS3_3_44, OF_ITS_SOCKET
from longfat.links import Link, trace_rate_bps
from longfat.scenario import FEATURES, Flow
from longfat.studies import engines_checked
from longfat.topologies import duplex, satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


MEASURED = list(engines_checked.MEASURES)
# The congestion controls that both engines have: those with a header of ours.
OURS = [name for name in engines_checked.names() if catalogue.find(name).header]


def flow(**changes):
    return Flow(**({"source": "a", "target": "b", "congestion_control": "newreno"} | changes))


def one_link(*flows, duration_s=10, series=(), seed=1, ack_loss=0.0, **link):
    plain = {"rate_bps": 5e6, "delay_s": 0.021, "queue_packets": 50}
    return Scenario(
        links=duplex("a", "b", backward={"loss_per_packet": ack_loss}, **(plain | link)),
        flows=flows or [flow()],
        duration_s=duration_s,
        record=Record(series=series),
        seed=seed,
    )


# --- what holds in every scenario


@st.composite
def scenarios(draw, helped=True):
    """A chain of one to three cables with anything that links and flows can have.

    Not `helped`, only what every engine has.
    """
    hops = draw(st.integers(1, 3))
    names = [f"n{i}" for i in range(hops + 1)]
    duration_s = draw(st.floats(2, 8))
    links = [
        link
        for a, b in itertools.pairwise(names)
        for link in duplex(
            a, b, backward=draw(link_fields(duration_s, helped)), **draw(link_fields(8, helped))
        )
    ]
    flows = [draw(flows_over(names, duration_s, helped)) for _ in range(draw(st.integers(1, 4)))]
    record = Record(series=("cwnd_segments", "delivered_bytes", "queue_packets"), points=500)
    seed = draw(st.integers(1, 2**31))
    return Scenario(links=links, flows=flows, duration_s=duration_s, record=record, seed=seed)


NO_HELPERS = {"aqm": None, "arq": None, "loss_bursts": None, "delivery_ms": ()}
NO_HELPERS |= {"base_station": None, "notifies_loss": False}


@st.composite
def link_fields(draw, duration_s, helped):
    times = st.floats(0, duration_s)
    loss = st.one_of(st.just(0.0), st.floats(0, 0.2))
    packets = draw(st.booleans())
    outages = st.builds(lambda at, d: {"start_s": at, "duration_s": d}, times, st.floats(0.01, 1))
    changes = st.fixed_dictionaries(
        {"at_s": times, "rate_bps": st.floats(1e5, 2e7)},
        optional={"delay_s": st.floats(0, 0.3), "loss_per_packet": st.floats(0, 0.1)},
    )
    helpers = draw(link_helpers()) if helped else NO_HELPERS
    if helpers["delivery_ms"]:
        changes = changes.map(lambda change: {"delay_s": 0.1} | change | {"rate_bps": None})
    return helpers | {
        "rate_bps": helpers.get("rate_bps") or draw(st.floats(1e5, 2e7)),
        "delay_s": draw(st.floats(0, 0.3)),
        "queue_packets": draw(st.integers(1, 200)) if packets else None,
        "queue_bytes": None if packets else draw(st.integers(2000, 200_000)),
        "loss_per_packet": draw(loss),
        "loss_per_bit": draw(st.one_of(st.just(0.0), st.floats(0, 1e-5))),
        "outages": draw(st.lists(outages, max_size=2)),
        "changes": draw(st.lists(changes, max_size=2)),
        "mark_above_packets": (
            None if helpers["aqm"] else draw(st.one_of(st.none(), st.integers(1, 50)))
        ),
    }


@st.composite
def link_helpers(draw):
    """What helps on the way, with half of the links."""
    if draw(st.booleans()):
        return NO_HELPERS
    managers = st.sampled_from(
        [
            {"kind": "red"},
            {"kind": "red", "gentle": True, "queue_weight": 0.1, "ecn": False},
            {"kind": "codel"},
            {"kind": "codel", "target_s": 0.05, "ecn": False},
            {"kind": "pie"},
            {"kind": "pie", "max_burst_s": 0, "mark_below": 1},
        ]
    )
    bursts = st.fixed_dictionaries(
        {"loss_per_packet": st.floats(1e-3, 0.2), "mean_packets": st.floats(1, 50)},
        optional={"loss_within": st.floats(0.5, 1)},
    )
    arq = st.fixed_dictionaries(
        {"persistence": st.integers(1, 10), "feedback_s": st.floats(0, 0.2)},
        optional={
            "jitter_s": st.floats(0, 0.1),
            "mode": st.sampled_from(["selective repeat", "stop and wait"]),
            "in_order": st.booleans(),
            "frame_bytes": st.integers(40, 1500),
            "interval_s": st.floats(0, 0.05),
        },
    )
    trace = st.lists(st.integers(1, 300), min_size=20, max_size=300).map(sorted)
    of_the_transmitter = st.one_of(
        st.just({}),
        arq.map(lambda arq: {"arq": arq}),
        trace.map(lambda ms: {"delivery_ms": ms, "rate_bps": trace_rate_bps(tuple(ms))}),
    )
    drawn = NO_HELPERS | draw(of_the_transmitter)
    if draw(st.booleans()):
        drawn = drawn | {"aqm": draw(managers)}
    if draw(st.booleans()):
        drawn = drawn | {"loss_bursts": draw(bursts)}
    stations = st.fixed_dictionaries(
        {"kind": st.sampled_from(["snoop", "wtcp"]), "cache_packets": st.integers(1, 200)},
        optional={
            "hides_sack": st.booleans(),
            "min_timeout_s": st.floats(0.01, 1),
            "fails_at_s": st.floats(0, 8),
        },
    )
    if draw(st.booleans()):
        drawn = drawn | {"base_station": draw(stations)}
    drawn = drawn | {"notifies_loss": draw(st.booleans())}
    return drawn


@st.composite
def flows_over(draw, names, duration_s, helped):
    name = draw(st.sampled_from(OURS))
    ends = [names[0], names[-1]]
    source, target = ends if draw(st.booleans()) else reversed(ends)
    segment_bytes = draw(st.integers(100, 1448))
    buffers = st.one_of(st.just("auto"), st.integers(4 * segment_bytes, 2_000_000))
    relays = names[1:-1] if draw(st.booleans()) else []
    sack = draw(st.booleans())
    start_s = draw(st.floats(0, 1))
    helpers = {}
    if relays and helped:
        helpers = {
            "relay_buffer_bytes": draw(st.one_of(st.none(), st.integers(4000, 500_000))),
            "relays_fail_at_s": draw(st.one_of(st.none(), st.floats(0, 10))),
        }
    return Flow(
        **helpers,
        source=source,
        target=target,
        congestion_control=name,
        segment_bytes=segment_bytes,
        max_window_segments=draw(st.integers(2, 500)) if catalogue.find(name).caps_window else None,
        initial_window_segments=draw(st.integers(1, 20)),
        initial_ssthresh_segments=draw(st.one_of(st.none(), st.integers(2, 100))),
        send_buffer_bytes=draw(buffers),
        receive_buffer_bytes=draw(buffers),
        segments_per_ack=draw(st.integers(1, 4)),
        ack_timeout_s=draw(st.floats(0.01, 0.5)),
        sack=sack,
        recovery=draw(st.sampled_from(["prr", "halving", "prr-ns3-3.44"])),
        limited_transmit=sack or bool(relays) or draw(st.booleans()),
        timestamps=draw(st.booleans()),
        ecn=draw(st.booleans()),
        min_rto_s=draw(st.floats(0.2, 1)),
        start_s=start_s,
        stop_s=draw(st.one_of(st.none(), st.floats(start_s + 0.1, duration_s + 2))),
        bytes=draw(st.one_of(st.none(), st.integers(1, 1_000_000))),
        relays=relays if source == names[0] else relays[::-1],
    )


FAULTS = st.sets(st.sampled_from(NS3_3_44)).map(sorted)


@st.composite
def scenarios_with_all(draw):
    """As `scenarios`, with routers that help, their senders, and packets of a sender's own.

    Each needs every feature of this engine but those of transfers: one compilation serves all.
    """
    data = json.loads(draw(scenarios()).model_dump_json())
    rates = st.one_of(st.none(), st.floats(1e5, 1e8))
    answers = {
        (link["target"], link["source"])
        for link in data["links"]
        if link.get("base_station") or link.get("notifies_loss")
    }
    for link in data["links"]:
        plain = not Link(**link).helpers and (link["source"], link["target"]) not in answers
        if plain and draw(st.booleans()):
            link["xcp"] = {"alpha": draw(st.floats(0.1, 2)), "gamma": draw(st.floats(0, 1))}
        link |= {"approve_bps": draw(rates), "ptp": draw(st.booleans())}
    data["links"][0] |= {"approve_bps": 1e6, "ptp": True}
    alike = not any(Link(**link).helpers or link.get("xcp") for link in data["links"])
    own = st.sampled_from(["xcp", "cadpc", "probing", "cherry", "peach", "newreno", "bbr"])
    for number, flow in enumerate(data["flows"]):
        name = draw(own) if number else "probing"
        low = {} if alike or name not in ("cherry", "peach") else {"low_priority": False}
        flow["congestion_control"] = {"name": name, "parameters": low}
        if not catalogue.find(name).caps_window:
            flow["max_window_segments"] = None
        flow |= {"sack": True, "limited_transmit": True}
        flow["quick_start_bps"] = draw(st.one_of(st.none(), st.floats(1e5, 1e8)))
    data["record"]["series"] = [*data["record"]["series"], "acknowledged_bytes"]
    return Scenario(**data)


@given(scenarios_with_all())
def test_every_scenario_with_all_helpers_conserves_what_it_sends(scenario):
    """The engine's own checks end a run in which a packet or a segment is lost to nobody."""
    assert scenario.features == FEATURES - {"restarts", "transfers"}
    result = segment.simulate(scenario)
    note(result.flows.to_string())
    again = Scenario.from_json(scenario.to_json())
    assert again == scenario
    pd.testing.assert_frame_equal(segment.simulate(again).flows, result.flows)
    for wanted, got in zip(scenario.flows, result.flows.to_dict("records"), strict=True):
        sent_once = got["segments_sent"] - got["retransmissions"]
        assert got["delivered_bytes"] <= sent_once * wanted.segment_bytes


@given(scenarios(), st.one_of(st.just(()), FAULTS))
def test_every_scenario_conserves_what_it_sends(scenario, faults):
    result = segment.simulate(scenario.with_(faults=faults))
    note(result.flows.to_string())
    for wanted, got in zip(scenario.flows, result.flows.to_dict("records"), strict=True):
        sent_once = got["segments_sent"] - got["retransmissions"]
        assert got["delivered_bytes"] <= sent_once * wanted.segment_bytes
        if wanted.bytes:
            assert got["delivered_bytes"] <= wanted.bytes
            assert (got["delivered_bytes"] == wanted.bytes) == (got["transfer_time_s"] > 0)
        slowest_bps = max(
            max([link.rate_bps, *(change.rate_bps or 0 for change in link.changes)])
            for link in scenario.links
        )
        one_round = max(8 * 1500 * len(link.delivery_ms) for link in scenario.links)
        assert 8 * got["delivered_bytes"] <= slowest_bps * scenario.duration_s + one_round
        if wanted.max_window_segments:
            window = result.traces["cwnd_segments"]
            window = window[window["flow"] == got["flow"]]
            allowed = max(wanted.max_window_segments, wanted.initial_window_segments)
            # On a mark all of a window is in flight, and PRR lets one segment more enter.
            allowed += wanted.ecn and wanted.recovery != "halving"
            assert not window["cwnd_segments"].gt(allowed + 1e-9).any()
    delivered = result.traces["delivered_bytes"].groupby("flow")["delivered_bytes"]
    assert delivered.apply(lambda values: values.is_monotonic_increasing).all()
    for link in scenario.links:
        if link.queue_packets:
            queue = result.traces["queue_packets"]
            queue = queue[queue["link"] == f"{link.source}>{link.target}"]["queue_packets"]
            assert not queue.gt(link.queue_packets).any()


@given(scenarios())
def test_the_same_seed_gives_the_same_digits(scenario):
    one, two = segment.simulate(scenario), segment.simulate(scenario)
    pd.testing.assert_frame_equal(one.flows, two.flows)
    pd.testing.assert_frame_equal(one.links, two.links)
    for name in one.traces:
        pd.testing.assert_frame_equal(one.traces[name], two.traces[name])


def test_another_seed_loses_other_packets():
    one, two = (segment.simulate(one_link(loss_per_packet=0.01, seed=seed)) for seed in (1, 2))
    assert one.flows["delivered_bytes"][0] != two.flows["delivered_bytes"][0]


def test_goodput_is_the_bottleneck_less_headers():
    result = segment.simulate(one_link(flow(initial_ssthresh_segments=50), duration_s=60))
    assert result.flows["goodput_bps"][0] == pytest.approx(5e6 * 1000 / 1054, rel=0.01)
    assert result.flows["goodput_bps"][0] < 5e6 * 1000 / 1054


def test_each_of_four_equal_flows_gets_a_quarter():
    count, seeds = 4, range(1, 41)
    shares = []
    for seed in seeds:
        scenario = one_link(
            *(flow(start_s=0.01 * i) for i in range(count)),
            loss_per_packet=2e-3,
            duration_s=100,
            seed=seed,
        )
        goodput = segment.simulate(scenario).flows["goodput_bps"]
        shares.append(goodput / goodput.sum())
    table = pd.DataFrame(shares)
    halfwidth = 2.023 * table.std() / math.sqrt(len(seeds))  # Student's t, 39 degrees, 95 %
    inside = (table.mean() - 1 / count).abs() < halfwidth * 1.5  # four intervals at once
    assert inside.all(), (table.mean(), halfwidth)


# --- the full stack is the reference, where both have the faults of its socket


def both(scenario):
    """Return what ns-3 gives, and what the other engine gives with its socket's faults.

    Without SACK the engine `ns3` switches ns-3's limited transmit off.
    """
    flows = [
        dict(flow)
        | {"limited_transmit": flow.limited_transmit and (flow.sack or bool(flow.relays))}
        for flow in scenario.flows
    ]
    as_ns3 = scenario.with_(flows=flows, faults=OF_ITS_SOCKET)
    return ns3.simulate(scenario), segment.simulate(as_ns3)


def assert_same(scenario):
    full, fast = both(scenario)
    pd.testing.assert_frame_equal(full.flows, fast.flows)
    columns = ["packets_lost", "packets_lost_in_outage", "packets_dropped_by_queue"]
    pd.testing.assert_frame_equal(full.links[columns], fast.links[columns])
    return full, fast


RANDOM = ["hd", "chd"]  # they draw random numbers of their own


@pytest.mark.parametrize("algorithm", sorted(set(OURS) - set(RANDOM)))
def test_every_algorithm_does_what_it_does_in_the_full_stack(algorithm):
    """To the last digit: the same packets are lost, and each is answered in the same way."""
    assert_same(one_link(flow(congestion_control=algorithm), loss_per_packet=3e-3))


@pytest.mark.parametrize("algorithm", RANDOM)
def test_algorithms_that_draw_lots_agree_within_their_intervals(algorithm):
    table = pd.DataFrame(
        [result.flows["goodput_bps"][0] for result in both(one)]
        for one in (
            one_link(flow(congestion_control=algorithm), loss_per_packet=3e-3, seed=seed)
            for seed in range(1, 9)
        )
    )
    difference = table[1].mean() - table[0].mean()
    halfwidth = 2.365 * math.sqrt((table.var() / len(table)).sum())  # 7 degrees of freedom, 95 %
    assert abs(difference) < halfwidth
    assert halfwidth < 0.1 * table[0].mean()


DUMBBELL = [
    *duplex("a", "x", rate_bps=50e6, delay_s=0.001, queue_packets=500),
    *duplex("c", "x", rate_bps=50e6, delay_s=0.007, queue_packets=500),
    *duplex("x", "y", rate_bps=5e6, delay_s=0.021, queue_packets=30),
    *duplex("y", "b", rate_bps=50e6, delay_s=0.001, queue_packets=500),
]
DIAMOND = [
    *duplex("a", "u", rate_bps=5e6, delay_s=0.011, queue_packets=30),
    *duplex("u", "b", rate_bps=5e6, delay_s=0.011, queue_packets=30),
    *duplex("a", "v", rate_bps=3e6, delay_s=0.031, queue_packets=30),
    *duplex("v", "b", rate_bps=3e6, delay_s=0.031, queue_packets=30),
]
OUTAGE = {"start_s": 3, "duration_s": 1.5}
SLOWER = {"at_s": 3, "rate_bps": 1e6}
FARTHER = {"at_s": 3.0001, "delay_s": 0.1}
NEARER = {"at_s": 6.0001, "delay_s": 0.01}
WORSE = {"at_s": 3.0001, "loss_per_packet": 0.02}
REROUTE = {"at_s": 4, "path": ["a", "v", "b"]}


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(one_link(flow(segments_per_ack=2), loss_per_packet=0.003), id="delayed ACKs"),
        pytest.param(one_link(loss_per_packet=0.003, ack_loss=0.1), id="lost ACKs"),
        pytest.param(one_link(loss_per_packet=0.2, ack_loss=0.2, duration_s=60), id="timeouts"),
        pytest.param(one_link(flow(sack=False), loss_per_packet=0.01), id="without SACK"),
        pytest.param(
            one_link(flow(sack=False, limited_transmit=False), loss_per_packet=0.01),
            id="without limited transmit",
        ),
        pytest.param(one_link(flow(recovery="halving"), loss_per_packet=0.003), id="halving"),
        pytest.param(
            one_link(flow(recovery="prr-ns3-3.44"), loss_per_packet=0.003), id="ns-3's recovery"
        ),
        pytest.param(one_link(flow(timestamps=False), loss_per_packet=0.01), id="exact times"),
        pytest.param(one_link(loss_per_bit=1e-6), id="loss per bit"),
        pytest.param(one_link(queue_packets=None, queue_bytes=20_000), id="queue in bytes"),
        pytest.param(one_link(flow(receive_buffer_bytes=20_000)), id="receive window"),
        pytest.param(one_link(flow(send_buffer_bytes=20_000)), id="send buffer"),
        pytest.param(
            one_link(
                flow(send_buffer_bytes="auto", receive_buffer_bytes="auto"),
                delay_s=0.1,
                loss_per_packet=1e-3,
            ),
            id="buffers that grow",
        ),
        pytest.param(one_link(flow(bytes=1_234_567), loss_per_packet=0.01), id="finite"),
        pytest.param(one_link(flow(stop_s=4, send_buffer_bytes=50_000)), id="stop"),
        pytest.param(one_link(flow(initial_window_segments=1), rate_bps=1e5), id="slow"),
        pytest.param(one_link(flow(ecn=True), mark_above_packets=10), id="ECN"),
        pytest.param(one_link(outages=[OUTAGE]), id="outage"),
        pytest.param(one_link(changes=[SLOWER]), id="change of rate"),
        pytest.param(one_link(changes=[FARTHER, NEARER]), id="change of delay"),
        pytest.param(one_link(changes=[WORSE]), id="change of loss"),
        pytest.param(
            one_link(*(flow(congestion_control=cc) for cc in ("newreno", "cubic", "bbr"))),
            id="three flows",
        ),
        pytest.param(
            Scenario(
                links=DUMBBELL,
                flows=[flow(), flow(source="c"), flow(source="b", target="c", start_s=0.5)],
                duration_s=10,
            ),
            id="dumbbell",
        ),
        pytest.param(
            Scenario(links=DUMBBELL, flows=[flow(relays=["x", "y"])], duration_s=5), id="relays"
        ),
        pytest.param(
            Scenario(
                links=DIAMOND,
                flows=[flow(path=["a", "u", "b"], reroutes=[REROUTE])],
                duration_s=10,
            ),
            id="reroute",
        ),
        pytest.param(
            Scenario(
                links=DIAMOND,
                flows=[flow(path=["a", "u", "b"], reroutes=[{**REROUTE, "at_s": 0}])],
                duration_s=10,
            ),
            id="reroute before the first packet",
        ),
        pytest.param(satellite(loss=1e-3, duration_s=30), id="satellite"),
    ],
)
def test_every_feature_does_what_it_does_in_the_full_stack(scenario):
    assert_same(scenario)


def test_windows_go_the_same_way():
    series = ("cwnd_segments", "ssthresh_segments", "rtt_s", "delivered_bytes")
    full, fast = assert_same(one_link(loss_per_packet=0.003, series=series))
    for name in series:
        pd.testing.assert_frame_equal(full.traces[name], fast.traces[name])


def test_signals_and_estimates_reach_who_wants_them():
    """UCC hears every one-way delay; TCP-J of a handoff; both show what they estimate."""
    ucc = flow(congestion_control="ucc")
    tcpj = flow(congestion_control="tcpj", handoffs=[{"at_s": 3, "kind": "non-local"}])
    for one, series in ((ucc, ("utilization",)), (tcpj, ("bandwidth_bps",))):
        offered = set(catalogue.find(one.congestion_control.name).traces)
        wanted = tuple(name for name in series if name in offered)
        full, fast = assert_same(one_link(one, loss_per_packet=1e-3, series=wanted))
        for name in wanted:
            pd.testing.assert_frame_equal(full.traces[name], fast.traces[name])


def test_whole_segments_are_what_differs():
    """ns-3 cuts a segment to fit the end of the receiver's window; here it waits."""
    full, fast = both(one_link(flow(receive_buffer_bytes=20_500), loss_per_packet=5e-3))
    assert not full.flows.equals(fast.flows)
    assert fast.flows["goodput_bps"][0] == pytest.approx(full.flows["goodput_bps"][0], rel=0.03)
    assert fast.flows["delivered_bytes"][0] % 1000 == 0


def test_a_send_buffer_that_is_all_sent():
    """In a recovery: what is sent before the application has written more is the head, again."""
    assert_same(
        one_link(
            flow(
                congestion_control="scalable",
                send_buffer_bytes=60_000,
                receive_buffer_bytes=400_000,
            ),
            duration_s=30,
            seed=2,
            loss_per_packet=5e-3,
            delay_s=0.1,
            queue_packets=500,
        )
    )


def test_all_faults_with_our_recovery_are_those_of_the_socket_with_ns3s():
    """Our PRR with its four switches on is ns-3's own, window by window."""
    series = ("cwnd_segments",)
    ours = one_link(loss_per_packet=0.01, series=series, duration_s=30)
    wheels = one_link(
        flow(recovery="prr-ns3-3.44"), loss_per_packet=0.01, series=series, duration_s=30
    )
    one = segment.simulate(ours.with_(faults=NS3_3_44))
    other = ns3.simulate(wheels)
    pd.testing.assert_frame_equal(one.flows, other.flows)
    pd.testing.assert_frame_equal(one.traces["cwnd_segments"], other.traces["cwnd_segments"])


def test_what_it_cannot_do_is_refused_in_one_sentence():
    with pytest.raises(InputError, match="limited_transmit") as caught:
        segment.simulate(one_link(flow(limited_transmit=False)))
    assert "\n" not in str(caught.value)


def test_results_have_their_own_keys():
    scenario = one_link()
    assert engines.key(scenario, "ns3") != engines.key(scenario, "segment")
