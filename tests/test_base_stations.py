"""Base stations that know TCP, losses that are told, relays, radios with frames, movements."""

import itertools
import json

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from longfat import InputError, Record, Scenario, Snoop, Wtcp, builds, mobility, topologies
from longfat.engines import linux, ns2, ns3, segment
from longfat.export import export
from longfat.topologies import duplex

pytestmark = pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")

BASE_RTT_S = 2 * (0.05 + 0.002)


def cell(loss=0.02, wire_loss=0.0, station=None, told=False, radio=None, record=None, **flow):
    """A wire of 100 ms and a radio of 4 ms, of half the rate."""
    wire = {"rate_bps": 20e6, "delay_s": 0.05, "queue_packets": 500}
    air = {"rate_bps": 10e6, "delay_s": 0.002, "queue_packets": 200, "loss_per_packet": loss}
    air |= {"base_station": station, "notifies_loss": told} | (radio or {})
    plain = {"loss_per_packet": 0, "base_station": None, "notifies_loss": False}
    links = duplex("host", "base", loss_per_packet=wire_loss, backward=plain, **wire)
    links += duplex("base", "mobile", backward=plain, **air)
    flow = {"congestion_control": "reno", "receive_buffer_bytes": 200_000} | flow
    return Scenario(
        links=links,
        flows=[{"source": "host", "target": "mobile"} | flow],
        duration_s=30,
        record=record or Record(),
    )


def run(*args, **fields):
    result = segment.simulate(cell(*args, **fields))
    return result.flows.iloc[0], result.links.set_index(["source", "target"]), result.traces


RADIO = ("base", "mobile")


# --- Snoop and WTCP


@pytest.mark.parametrize("sack", [False, True])
@pytest.mark.parametrize("station", [Snoop(), Wtcp()], ids=["snoop", "wtcp"])
@pytest.mark.parametrize("loss", [0.001, 0.01, 0.05])
def test_a_base_station_hides_the_losses_of_its_radio(loss, station, sack):
    flow, links, _ = run(loss, station=station, sack=sack)
    whole, _, _ = run(0.0, sack=sack)
    alone, _, _ = run(loss, sack=sack)
    assert flow.retransmissions == flow.recoveries == flow.timeouts == 0
    assert flow.goodput_bps > (1 - 1.5 * loss) * whole.goodput_bps
    assert flow.goodput_bps > 2 * alone.goodput_bps
    # Each loss is repaired once, or once more if the repair was lost.
    radio = links.loc[RADIO]
    assert radio.packets_lost <= radio.packets_repaired <= 1.1 * radio.packets_lost + 2
    assert links.loc[RADIO[::-1]].acks_held_back == 0
    assert radio.acks_held_back > radio.packets_lost


def test_blocks_that_are_not_hidden_show_the_sender_what_is_being_repaired():
    hidden, _, _ = run(0.05, station=Snoop())
    shown, _, _ = run(0.05, station=Snoop(hides_sack=False))
    assert hidden.recoveries == 0
    assert shown.recoveries > 10
    assert shown.goodput_bps < hidden.goodput_bps / 2


@pytest.mark.parametrize("station", [Snoop(), Wtcp()], ids=["snoop", "wtcp"])
def test_losses_before_the_base_station_are_left_to_the_sender(station):
    flow, links, _ = run(0.0, wire_loss=0.003, station=station)
    lost = links.loc[("host", "base")].packets_lost
    assert lost > 10
    assert flow.retransmissions >= lost
    assert flow.recoveries > 10
    assert flow.timeouts == 0
    assert links.loc[RADIO].packets_repaired == 0


def test_what_its_own_queue_drops_is_left_to_the_sender():
    small = {"queue_packets": 20}
    flow, links, _ = run(0.0, station=Snoop(), radio=small, receive_buffer_bytes=64_000_000)
    assert links.loc[RADIO].packets_dropped_by_queue > 20
    assert flow.recoveries >= 1
    assert flow.retransmissions >= links.loc[RADIO].packets_dropped_by_queue


def test_a_cache_that_is_full_repairs_less():
    small, links, _ = run(0.02, station=Snoop(cache_packets=2))
    assert links.loc[RADIO].packets_cached == 2
    assert small.recoveries > 5
    large, links, _ = run(0.02, station=Snoop())
    assert links.loc[RADIO].packets_cached > 10
    assert large.recoveries == 0


def test_the_local_timer_repairs_what_no_duplicate_tells_of():
    """Windows of two segments have no three duplicates, and a lost last one has none at all."""
    few = {"receive_buffer_bytes": 2000, "min_rto_s": 3.0}
    alone, _, _ = run(0.05, **few)
    helped, links, _ = run(0.05, station=Snoop(), **few)
    assert alone.timeouts > 3
    assert helped.timeouts == 0
    assert links.loc[RADIO].packets_repaired > 10
    assert helped.goodput_bps > 1.5 * alone.goodput_bps


def test_wtcp_hides_what_segments_wait_at_the_base_station():
    record = Record(series=("rtt_s",), points=1000)
    slow = {"rate_bps": 2e6}

    def longest(station):
        _, _, traces = run(0.01, station=station, radio=slow, record=record)
        return traces["rtt_s"]["rtt_s"].max()

    assert longest(Wtcp(hides_time=False)) > 0.4
    # Round trip of an empty path and two transmissions; milliseconds for the timestamps' clock.
    assert longest(Wtcp()) < BASE_RTT_S + 8 * 1054 * (1 / 20e6 + 1 / 2e6) + 0.006


def test_wtcp_sends_one_segment_alone_until_the_radio_is_back():
    off = {"outages": [{"start_s": 10.0, "duration_s": 3.0}]}
    _, snoop, _ = run(0.0, station=Snoop(), radio=off)
    _, wtcp, _ = run(0.0, station=Wtcp(), radio=off)
    # Snoop's router goes on to send what comes; WTCP's queue waits.
    assert wtcp.loc[RADIO].packets_lost_in_outage < snoop.loc[RADIO].packets_lost_in_outage / 1.2


@pytest.mark.parametrize("kind", [Snoop, Wtcp])
def test_when_a_base_station_fails_nothing_is_lost_for_good(kind):
    flow, links, _ = run(0.01, station=kind(fails_at_s=5.0), bytes=7_000_000)
    assert flow.delivered_bytes == 7_000_000
    assert flow.retransmissions > 10
    assert 10 < links.loc[RADIO].packets_repaired < 100


# --- explicit loss notification


def test_a_loss_that_the_link_tells_of_does_not_reduce_the_window():
    record = Record(series=("cwnd_segments",), points=3000)
    fields = {"initial_ssthresh_segments": 60, "record": record}
    _, _, plain = run(0.003, **fields)
    flow, links, told = run(0.003, told=True, **fields)
    assert flow.recoveries > 20
    assert links.loc[RADIO].acks_told_of_loss == links["acks_told_of_loss"].sum() > 100
    after = {name: t["cwnd_segments"] for name, t in (("plain", plain), ("told", told))}
    late = {k: t[t["time_s"] > 5]["cwnd_segments"] for k, t in after.items()}
    assert late["told"].min() >= 60
    assert late["plain"].min() < 30


def test_a_loss_that_the_link_does_not_tell_of_reduces_it_as_ever():
    before, _, _ = run(0.0, wire_loss=0.003)
    flow, links, _ = run(0.0, wire_loss=0.003, told=True)
    assert flow.equals(before)
    assert links["acks_told_of_loss"].sum() == 0


def test_among_losses_of_both_kinds_the_window_is_reduced_for_the_others():
    """Both kinds together: more than one reduction is left, and less than without notification."""
    both, _, _ = run(0.005, wire_loss=0.002, told=True)
    none, _, _ = run(0.005, wire_loss=0.002)
    wire, _, _ = run(0.0, wire_loss=0.002)
    assert none.goodput_bps * 1.2 < both.goodput_bps < 1.05 * wire.goodput_bps


# --- relays


def test_what_a_relay_has_acknowledged_is_lost_with_it():
    record = Record(series=("acknowledged_bytes", "delivered_bytes"), points=3000)
    radio = {"rate_bps": 2e6}
    fields = {"relays": ["base"], "radio": radio, "record": record}
    fields |= {"receive_buffer_bytes": 64_000_000}
    for buffer in (50_000, 400_000):
        _, _, traces = run(0.01, relay_buffer_bytes=buffer, relays_fail_at_s=20.0, **fields)
        acknowledged = traces["acknowledged_bytes"]["acknowledged_bytes"].max()
        delivered = traces["delivered_bytes"]["delivered_bytes"].max()
        # Two buffers, less what was on its way to the host, or back to the sender.
        assert buffer / 2 < acknowledged - delivered <= 2 * buffer
        assert traces["delivered_bytes"]["time_s"].max() < 21
    _, _, traces = run(0.01, **(fields | {"relays": [], "radio": radio}))
    acknowledged = traces["acknowledged_bytes"]["acknowledged_bytes"].max()
    assert acknowledged <= traces["delivered_bytes"]["delivered_bytes"].max()


# --- frames and intervals of a radio


def test_only_frames_that_are_lost_are_sent_again():
    share = 0.1
    arq = {"persistence": 50, "feedback_s": 0.01, "frame_bytes": 50}
    flow, links, _ = run(share, radio={"arq": arq}, bytes=2_000_000)
    assert flow.delivered_bytes == 2_000_000
    assert flow.retransmissions == 0
    radio = links.loc[RADIO]
    frames = 22  # of 1054 bytes
    # The mean number of transmissions until all of 22 frames are through.
    mean = sum(1 - (1 - share**n) ** frames for n in range(60))
    assert radio.packets_sent / 2000 == pytest.approx(mean, rel=0.02)


def test_what_is_sent_arrives_at_the_end_of_an_interval():
    arq = {"persistence": 5, "feedback_s": 0.01, "interval_s": 0.02}
    record = Record(series=("delivered_bytes",), points=100_000)
    _, _, traces = run(0.05, radio={"arq": arq, "delay_s": 0.0}, record=record)
    times = traces["delivered_bytes"]["time_s"]
    assert len(times) > 100
    assert [round(t / 0.02, 6) % 1 for t in times] == pytest.approx([0] * len(times))


def test_each_advice_for_wcdma_is_a_setting():
    everything = topologies.wcdma().flows[0]
    assert (everything.segment_bytes, everything.initial_window_segments) == (1448, 3)
    for name, (advised, otherwise) in topologies.WCDMA_ADVICE.items():
        without = topologies.wcdma(advice=set(topologies.WCDMA_ADVICE) - {name}).flows[0]
        for field, value in otherwise.items():
            if field != "limited_transmit":
                assert getattr(without, field) == value != getattr(everything, field)
        assert advised.keys() == otherwise.keys()
    with pytest.raises(InputError, match="RFC 3481 has no 'header compression'"):
        topologies.wcdma(advice=["header compression"])


# --- movements


PATH = ("peer", "core", "anchor", "new", "host")
BEFORE = ("peer", "core", "anchor", "old", "host")
DELAYS = {
    ("peer", "core"): 0.02,
    ("core", "home"): 0.03,
    ("core", "anchor"): 0.01,
    ("anchor", "old"): 0.002,
    ("anchor", "new"): 0.002,
    ("old", "host"): 0.001,
    ("new", "host"): 0.001,
}
WIRE_BPS, RADIO_BPS = 100e6, 5e6


def domain(move=None, at_s=5.0, loss=0.0, duration_s=15, **flow):
    links = []
    for (a, b), delay_s in DELAYS.items():
        radio = b == "host"
        off = [{"start_s": at_s, "duration_s": 1000}] if a == "old" else []
        links += duplex(
            a,
            b,
            rate_bps=RADIO_BPS if radio else WIRE_BPS,
            delay_s=delay_s,
            queue_packets=300,
            loss_per_packet=loss if radio else 0,
            outages=off,
        )
    record = Record(
        series=("handoff_s", "signalling_bytes", "delivered_bytes", "acknowledged_bytes"),
        points=2000,
    )
    plain = {"congestion_control": "reno", "receive_buffer_bytes": 100_000}
    if "relays" not in flow:
        plain["path"] = BEFORE
    flow = plain | {"source": "peer", "target": "host", "moves": [move] if move else []} | flow
    return Scenario(links=links, flows=[flow], duration_s=duration_s, record=record)


def hops(*nodes):
    delay = DELAYS | {(b, a): d for (a, b), d in DELAYS.items()}
    rates = [RADIO_BPS if "host" in pair else WIRE_BPS for pair in itertools.pairwise(nodes)]
    delays = [delay[pair] for pair in itertools.pairwise(nodes)]
    return sum(delays) + sum(800 / rate for rate in rates), 100 * len(rates)


UP = ("host", "new", "anchor", "core", "peer")
HOME = ("host", "new", "anchor", "core", "home")
# What goes one after the other until the host is answered, and what goes beside it.
EXCHANGES = {
    "mobile ipv6": (mobility.mobile_ipv6(5, PATH), [UP, UP[::-1]], []),
    "with tests": (
        mobility.mobile_ipv6(5, PATH, home_agent="home"),
        [
            *(HOME, HOME[::-1], HOME, ("home", "core", "peer")),
            *(("peer", "core", "home"), HOME[::-1], UP, UP[::-1]),
        ],
        [UP, UP[::-1]],
    ),
    "within": (
        mobility.hierarchical_mobile_ipv6(5, PATH, anchor="anchor"),
        [UP[:3], UP[2::-1]],
        [],
    ),
    "into": (
        mobility.hierarchical_mobile_ipv6(5, PATH, anchor="anchor", within=False),
        [UP[:3], UP[2::-1], UP, UP[::-1]],
        [],
    ),
    "lin6": (
        mobility.lin6(5, PATH, mapping_agent="home"),
        [UP, ("peer", "core", "home"), ("home", "core", "peer"), UP[::-1]],
        [HOME],
    ),
}


@pytest.mark.parametrize("protocol", EXCHANGES)
def test_a_handoff_takes_what_its_messages_take(protocol):
    """With no data in the way: the delays of the links, the messages' own time, 50 ms, 30 ms."""
    move, order, beside = EXCHANGES[protocol]
    scenario = domain(move, start_s=14.0)  # the host moves before the flow begins
    traces = segment.simulate(scenario).traces
    took = 0.08 + sum(hops(*leg)[0] for leg in order)
    took += 800 / RADIO_BPS * (protocol == "lin6")  # behind the message to the mapping agent
    assert traces["handoff_s"]["handoff_s"].tolist() == pytest.approx([took], abs=1e-6)
    sent = sum(hops(*leg)[1] for leg in [*order, *beside])
    assert traces["signalling_bytes"]["signalling_bytes"].max() == sent
    if protocol in ("mobile ipv6", "within"):  # which is what the paper tcpj counts
        assert took == pytest.approx(mobility.counted_s(move, scenario.links), abs=0.001)


@pytest.mark.parametrize("protocol", EXCHANGES)
def test_after_a_handoff_the_flow_goes_on_by_the_new_way(protocol):
    move = EXCHANGES[protocol][0]
    result = segment.simulate(domain(move))
    links = result.links.set_index(["source", "target"])
    assert links.loc[("new", "host")].packets_sent > 3000
    assert links.loc[("old", "host")].packets_lost_in_outage > 0
    stays = segment.simulate(domain(None))
    assert stays.links.set_index(["source", "target"]).loc[("new", "host")].packets_sent == 0
    delivered = result.traces["delivered_bytes"]
    assert delivered[delivered["time_s"] > 10]["delivered_bytes"].max() > 1.5 * (
        delivered[delivered["time_s"] < 5]["delivered_bytes"].max()
    )


def test_what_was_sent_to_the_old_place_is_not_found_by_the_new_way():
    """Under Mobile IPv6 the sender redirects: what it sent before is lost. An anchor saves it."""
    lost = {}
    for protocol in ("mobile ipv6", "within"):
        at_once = EXCHANGES[protocol][0].model_copy(update={"link_s": 0.0, "setup_s": 0.0})
        links = segment.simulate(domain(at_once)).links
        lost[protocol] = int(links["packets_lost_in_outage"].sum())
    assert lost["within"] < 0.8 * lost["mobile ipv6"]


def test_a_message_that_is_lost_goes_again_after_a_second():
    move = EXCHANGES["within"][0]
    scenario = domain(move, start_s=14.0)
    data = json.loads(scenario.to_json())
    for link in data["links"]:
        if link["source"] == "host" and link["target"] == "new":
            link["outages"] = [{"start_s": 5.0, "duration_s": 0.5}]
    traces = segment.simulate(Scenario(**data)).traces
    took = 1.08 + sum(hops(*leg)[0] for leg in EXCHANGES["within"][1])
    assert traces["handoff_s"]["handoff_s"].tolist() == pytest.approx([took], abs=1e-6)


def test_the_state_of_a_split_connection_crosses_the_network():
    """A relay whose buffers are full takes them along, and nothing is lost or comes twice."""
    sent, took = {}, {}
    for buffer in (20_000, 80_000):
        move = mobility.indirect_tcp(5, PATH, old="old", state_bytes=1000)
        scenario = domain(
            move, relays=["old"], relay_buffer_bytes=buffer, receive_buffer_bytes=64_000_000
        )
        result = segment.simulate(scenario)
        sent[buffer] = result.traces["signalling_bytes"]["signalling_bytes"].max()
        took[buffer] = result.traces["handoff_s"]["handoff_s"].iloc[0]
        delivered = result.traces["delivered_bytes"]
        assert delivered["time_s"].max() > 14.9
    # Over two links, with a greeting of 3 links and an answer of 1; up to two buffers of segments.
    for buffer, bytes_ in sent.items():
        assert 2 * (1000 + buffer / 2) < bytes_ - 400 <= 2 * (1000 + 2 * buffer)
    extra_s = (sent[80_000] - sent[20_000]) / 2 * 8 / WIRE_BPS
    assert took[80_000] - took[20_000] == pytest.approx(extra_s, rel=0.2)


@pytest.mark.parametrize("fails_at_s", [0.1, 5.0, 5.12])
def test_a_relay_that_has_failed_has_no_state_to_move(fails_at_s):
    """Before the host moves, or while the state is on its way: the connection is dead."""
    move = mobility.indirect_tcp(5, PATH, old="old", state_bytes=400_000)
    split = {"relays": ["old"], "relay_buffer_bytes": 5000}
    whole = segment.simulate(domain(move, **split))
    dead = segment.simulate(domain(move, **split, relays_fail_at_s=fails_at_s))
    assert len(whole.traces["handoff_s"]) == 1 and len(dead.traces["handoff_s"]) == 0
    assert dead.traces["delivered_bytes"]["time_s"].max() < 5.3
    assert whole.traces["delivered_bytes"]["time_s"].max() > 14


# --- in every combination


@st.composite
def movements(draw):
    split = draw(st.booleans())
    if split:
        move = mobility.indirect_tcp(draw(st.floats(1, 6)), PATH, old="old")
        own = {"relays": ["old"], "relay_buffer_bytes": draw(st.integers(5000, 200_000))}
        if draw(st.booleans()):
            own["relays_fail_at_s"] = draw(st.floats(0, 8))
    else:
        move = draw(st.sampled_from([exchange[0] for exchange in EXCHANGES.values()]))
        own = {}
    scenario = domain(
        move,
        at_s=5,
        loss=draw(st.floats(0, 0.1)),
        duration_s=9,
        sack=draw(st.booleans()),
        bytes=draw(st.one_of(st.none(), st.integers(1, 5_000_000))),
        congestion_control=draw(st.sampled_from(["newreno", "cubic", "bbr", "westwood"])),
        **own,
    )
    data = json.loads(scenario.to_json())
    for link in data["links"]:
        if link["target"] == "host":
            link["base_station"] = draw(
                st.sampled_from(
                    [None, {"kind": "snoop"}, {"kind": "wtcp"}, {"kind": "snoop", "fails_at_s": 4}]
                )
            )
            link["notifies_loss"] = draw(st.booleans())
    return Scenario(**data, seed=draw(st.integers(1, 2**31)))


@given(movements())
def test_movements_lose_and_double_nothing(scenario):
    """The engine's own checks: packets, caches, each byte once, no ACK for what has not come."""
    result = segment.simulate(scenario)
    note(result.flows.to_string())
    acknowledged = result.traces["acknowledged_bytes"]["acknowledged_bytes"]
    delivered = result.traces["delivered_bytes"]["delivered_bytes"]
    if not scenario.flows[0].relays and len(acknowledged):
        assert acknowledged.max() <= delivered.max()


MOVE = {"at_s": 1, "path": PATH, "rounds": [], "redirect": "peer"}


# --- bad input, and engines that have none of it


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"relays_fail_at_s": 3.0}, "for flows with relays"),
        ({"relay_buffer_bytes": 1000}, "for flows with relays"),
        ({"moves": [{"at_s": 1, "path": PATH, "rounds": [], "redirect": "x"}]}, "on the path"),
        (
            {"moves": [{"at_s": 1, "path": PATH, "rounds": [[["host", "x"]]], "redirect": "peer"}]},
            "no link touches node 'x'",
        ),
        (
            {"moves": [MOVE | {"relay": "new"}]},
            "a move states relay if, and only if",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(change, words):
    data = json.loads(domain().to_json())
    data["flows"][0] |= change
    with pytest.raises(InputError, match=words) as caught:
        Scenario(**data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("scenario", "field"),
    [
        (cell(station=Snoop()), r"links.2.base_station"),
        (cell(told=True), r"links.2.notifies_loss"),
        (domain(EXCHANGES["lin6"][0]).replace(record=Record()), r"flows.0.moves"),
        (cell(relays=["base"], relay_buffer_bytes=9000), r"flows.0.relay"),
        (cell(record=Record(series=("handoff_s",))), r"record.series"),
    ],
)
def test_other_engines_refuse_it_by_its_field(scenario, field):
    for ask in (
        lambda: ns3.request(scenario),
        lambda: linux.planning.check(scenario),
        lambda: ns2.planning.check(scenario),
        lambda: export(scenario, "netns"),
    ):
        with pytest.raises(InputError, match=f"^.*{field}") as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_a_scenario_without_assistance_keeps_its_key():
    data = json.loads(topologies.satellite(loss=1e-4).canonical_json())
    assert not {"moves", "relay_buffer_bytes", "relays_fail_at_s"} & set(data["flows"][0])
    assert not {"base_station", "notifies_loss"} & set(data["links"][0])
