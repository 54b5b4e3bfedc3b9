"""Routers that tell a rate: XCP by its equations, packet by packet, and Quick-Start by its RFC."""

import heapq
import itertools
import math
import random

import pandas as pd
import pytest
import segment_link_driver
from hypothesis import given
from hypothesis import strategies as st
from segment_link_driver import Offered
from segment_scenarios import drawn

from longfat import InputError, Scenario, builds
from longfat.engines import linux, ns2, ns3, segment, with_control
from longfat.engines.segment import native
from longfat.export import export
from longfat.network import duplex

pytestmark = pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")

BYTES_PER_S = 1e6  # of the driver's link
HEADER_BITS = 8 * 1042


def path(speaks=(True,), rate_bps=10e6, delay_s=0.05, queue_packets=119, **link):
    """A row of links, of which the stated ones speak XCP."""
    links = []
    for number, does in enumerate(speaks):
        own = {"rate_bps": rate_bps, "delay_s": delay_s, "queue_packets": queue_packets} | link
        links += duplex(f"n{number}", f"n{number + 1}", **own, **({"xcp": {}} if does else {}))
    return links


def flow(control="xcp", to=1, **fields):
    base = {"source": "n0", "target": f"n{to}", "congestion_control": control}
    return base | {"timestamps": False} | fields


def run(links, *flows, duration_s=20.0, series=(), seed=1):
    record = {"series": series, "points": 2000}
    return segment.simulate(
        Scenario(links=links, flows=flows, duration_s=duration_s, record=record, seed=seed)
    )


# --- XCP's controllers, worked out a second time


def controlled(packets, alpha=0.4, beta=0.226, gamma=0.1):
    """Return the feedback in each packet that leaves: the equations of Katabi et al., sections 3.5.

    Epochs, queues and allotments are lists and sums here, not the engine's running state.
    """
    free = 0.0
    events = [(p.time_s, 0, n, "arrive") for n, p in enumerate(packets)]
    events += [(0.05, 1, 0, "control"), (0.05, 2, 0, "estimate")]
    heapq.heapify(events)
    waiting, came, least, told = [], [], [0], {}
    persistent = 0.0
    mean_rtt = 0.05
    epoch = 0.05
    give = take = per_spacing = per_byte = 0.0
    end = packets[-1].time_s

    def leave(now):
        nonlocal free, give, take, per_spacing, per_byte
        number = waiting.pop(0)
        packet = packets[number]
        free = now + packet.size / BYTES_PER_S
        heapq.heappush(events, (free, -1, number, "sent"))
        least.append(sum(packets[n].size for n in waiting))
        if packet.rtt_s is None:
            told[number] = packet.feedback
        elif packet.rtt_s == 0:
            told[number] = 0.0
        else:
            plus = min(give, per_spacing * packet.spacing_s)
            minus = min(take, per_byte * packet.size)
            told[number] = min(packet.feedback, plus - minus)
            if packet.feedback < plus - minus:
                minus = min(take, minus + (plus - minus - packet.feedback))
                plus = packet.feedback + minus
            give, take = max(0.0, give - plus), max(0.0, take - minus)
            per_spacing = per_spacing if give else 0.0
            per_byte = per_byte if take else 0.0

    busy = False
    while events and events[0][0] <= end + 1:
        now, _, number, what = heapq.heappop(events)
        if what == "arrive":
            came.append(packets[number])
            waiting.append(number)
            if not busy:
                busy = True
                leave(now)
        elif what == "sent":
            busy = bool(waiting)
            if busy:
                leave(now)
        elif what == "control":
            known = [p for p in came if p.rtt_s]
            if known:
                spacings = sum(p.spacing_s for p in known)
                size = sum(p.size for p in came)
                mean_rtt = sum(min(p.rtt_s, 1.0) * p.spacing_s for p in known) / spacings
                rate = size / epoch
                change = alpha * (BYTES_PER_S - rate) - beta * persistent / mean_rtt
                shuffled = max(0.0, gamma * rate - abs(change))
                give, take = shuffled + max(change, 0.0), shuffled + max(-change, 0.0)
                per_spacing, per_byte = give / spacings, take / size
            else:
                give = take = per_spacing = per_byte = 0.0
            came = []
            epoch = max(mean_rtt, 0.005)
            heapq.heappush(events, (now + round(epoch, 9), 1, 0, "control"))
        else:
            persistent = min(least)
            least = [sum(packets[n].size for n in waiting)]
            wait = max(0.002, (mean_rtt - least[0] / BYTES_PER_S) / 2)
            heapq.heappush(events, (now + round(wait, 9), 2, 0, "estimate"))
    return told


def traffic(seed, load, seconds=4.0):
    """Packets of three flows, some without a header, some that another router has limited."""
    rng = random.Random(seed)
    now, packets = 0.0, []
    flows = [(0.08, 0.004), (0.2, 0.011), (1.4, 0.05)]
    while now < seconds:
        now += rng.expovariate(load * 1000)
        rtt, spacing = rng.choice(flows)
        kind = rng.random()
        size = rng.choice([60, 1000, 1042])
        if kind < 0.1:
            packets.append(Offered(round(now, 9), size))
        else:
            rtt = 0.0 if kind < 0.12 else rtt * rng.uniform(0.9, 1.1)
            feedback = rng.uniform(-2000, 3000) if kind < 0.4 else 1e9
            packets.append(Offered(round(now, 9), size, 0, rtt, spacing, feedback))
    return packets


@pytest.mark.medium  # the link under sanitizers is compiled for half a minute
@pytest.mark.parametrize("load", [0.4, 1.0, 1.7])
@pytest.mark.parametrize("gains", [(0.4, 0.226, 0.1), (0.55, 0.43, 0.0), (0.2, 0.5, 0.5)])
def test_every_packet_leaves_with_the_feedback_of_the_equations(load, gains):
    packets = traffic(str((load, gains)), load)
    alpha, beta, gamma = gains
    xcp = {"alpha": alpha, "beta": beta, "gamma": gamma}
    arrivals, _ = segment_link_driver.send(packets, 20, queue_packets=100_000, xcp=xcp)
    expected = controlled(packets, *gains)
    assert len(arrivals) == len(packets)
    feedback = {a.number: a.feedback for a in arrivals}
    assert [feedback[n] for n in expected] == pytest.approx(
        list(expected.values()), rel=1e-6, abs=1e-6
    )


@pytest.mark.medium
def test_only_packets_with_a_header_are_counted_down_twice():
    packets = [Offered(0.01, 1000), Offered(0.02, 1000, rtt_s=0.1, spacing_s=0.01)]
    (plain, header), _ = segment_link_driver.send(packets, 1, xcp={})
    assert (plain.ttl, plain.xcp_ttl) == (63, 64)
    assert (header.ttl, header.xcp_ttl) == (63, 63)


@pytest.mark.parametrize("seed", range(8))
def test_a_router_with_xcp_changes_no_digit_of_flows_without(seed):
    """Both kinds of link, one by events a step and one without, are the same in every count."""
    data = drawn(seed, ["newreno", "cubic", "westwood"])
    data["record"] = {"series": ["queue_packets", "cwnd_segments"], "points": 1000}
    one = native.run(data)
    for link in data["links"]:
        link["xcp"] = {"alpha": 0.4}
    other = native.run(data)
    assert one["flows"] == other["flows"]
    assert one["links"] == other["links"]


# --- XCP's flows


def test_xcp_fills_the_link_in_a_few_round_trips_without_a_loss():
    result = run(path(), flow(), series=["delivered_bytes", "queue_packets"])
    assert result.provenance["routers"] == [{"xcp": "spoken"}]
    assert result.links["packets_dropped_by_queue"].sum() == 0
    delivered = result.traces["delivered_bytes"].set_index("time_s")["delivered_bytes"]
    at = {t: delivered[delivered.index <= t].iloc[-1] for t in (0.8, 5.0, 20.0)}
    full = 10e6 / HEADER_BITS * 1000  # bytes of payload a second
    assert at[0.8] > 0.4 * full * 0.6
    assert (at[20.0] - at[5.0]) / 15 == pytest.approx(full, rel=0.01)
    queue = result.traces["queue_packets"]
    late = queue[(queue["link"] == "n0>n1") & (queue["time_s"] > 5)]
    assert late["queue_packets"].max() <= 12  # a tenth of what the path holds


def test_flows_of_any_round_trip_get_the_same():
    """Three round trips from 60 to 460 ms over one XCP link; TCP would give by their inverse."""
    links = duplex("x", "y", rate_bps=10e6, delay_s=0.01, queue_packets=300, xcp={})
    flows = []
    for number, delay_s in enumerate((0.02, 0.1, 0.22)):
        links += duplex(
            f"s{number}", "x", rate_bps=1e9, delay_s=delay_s, queue_packets=9999, xcp={}
        )
        flows.append(flow() | {"source": f"s{number}", "target": "y"})
    result = run(links, *flows, duration_s=100.0)
    goodput = result.flows["goodput_bps"]
    assert goodput.max() / goodput.min() < 1.15
    assert goodput.sum() > 0.95 * 10e6 * 1000 / 1042
    assert result.links["packets_dropped_by_queue"].sum() == 0


def swing(alpha, beta):
    """Return by how much the rate over the link swings late in a run, of its capacity."""
    links = duplex(
        "n0", "n1", rate_bps=20e6, delay_s=0.05, queue_packets=5000,
        xcp={"alpha": alpha, "beta": beta, "gamma": 0.0},
    )  # fmt: skip
    result = run(links, flow(), duration_s=60.0, series=["cwnd_segments"])
    trace = result.traces["cwnd_segments"]
    late = trace[trace["time_s"] > 40]["cwnd_segments"]
    return 0 if late.empty else (late.max() - late.min()) / (20e6 * 0.1 / HEADER_BITS)


def test_the_stability_bound_is_met_and_broken():
    """Katabi et al., theorem 1: stable for alpha < pi / (4 sqrt 2) and beta = alpha^2 sqrt 2."""
    bound = math.pi / (4 * math.sqrt(2))
    inside = [swing(alpha, alpha**2 * math.sqrt(2)) for alpha in (0.3, 0.4, 0.5)]
    outside = [swing(share * bound, (share * bound) ** 2 * math.sqrt(2)) for share in (1.8, 2.2)]
    assert max(inside) < 0.1
    assert min(outside) > 3 * max(inside)


@pytest.mark.parametrize("speaks", list(itertools.product([False, True], repeat=3)))
def test_a_router_without_xcp_makes_it_newreno_and_the_result_tells(speaks):
    links = path(speaks, queue_packets=400)  # a first window comes at once: 0.4 of the path
    result = run(links, flow(to=3))
    spoken = all(speaks)
    assert result.provenance["routers"] == [{"xcp": "spoken" if spoken else "fallen back"}]
    plain = run(path((False,) * 3, queue_packets=400), flow("newreno", to=3))
    assert (result.flows["retransmissions"][0] == 0) == spoken
    if not spoken:
        assert result.flows["goodput_bps"][0] == pytest.approx(
            plain.flows["goodput_bps"][0], rel=0.01
        )


def test_a_route_that_loses_xcp_on_the_way_falls_back_then():
    links = [
        *path((True,)),
        *duplex("n0", "x", rate_bps=10e6, delay_s=0.02, queue_packets=50),
        *duplex("x", "n1", rate_bps=10e6, delay_s=0.02, queue_packets=50),
    ]
    way = {"path": ["n0", "n1"], "reroutes": [{"at_s": 5, "path": ["n0", "x", "n1"]}]}
    result = run(links, flow(**way))
    assert result.provenance["routers"] == [{"xcp": "in part"}]
    assert result.flows["goodput_bps"][0] > 8e6


def test_losses_of_the_link_halve_xcp_as_tcp_and_routers_give_it_back():
    clean = run(path(), flow()).flows["goodput_bps"][0]
    lossy = run(path(loss_per_packet=1e-3), flow(), duration_s=60.0)
    newreno = run(path((False,), loss_per_packet=1e-3), flow("newreno"), duration_s=60.0)
    assert lossy.flows["recoveries"][0] > 10
    assert newreno.flows["goodput_bps"][0] < 0.6 * clean
    assert lossy.flows["goodput_bps"][0] > 1.5 * newreno.flows["goodput_bps"][0]


# --- Quick-Start


def quick(approve, wanted=8e6, bytes=400_000, delay_s=0.15, **fields):
    """A short transfer over links that approve up to so much each (None: do not know it)."""
    links = []
    for number, most in enumerate(approve):
        own = {} if most is None else {"approve_bps": most}
        links += duplex(
            f"n{number}", f"n{number + 1}",
            rate_bps=10e6, delay_s=delay_s, queue_packets=2000, **own,
        )  # fmt: skip
    asks = {} if wanted is None else {"quick_start_bps": wanted}
    return run(
        links, flow("newreno", to=len(approve), bytes=bytes, **asks, **fields), duration_s=60.0,
        series=["delivered_bytes"],
    )  # fmt: skip


def approved(result):
    return result.provenance["routers"][0]["quick_start_bps"]


@pytest.mark.parametrize(
    ("approve", "wanted", "rate"),
    [
        ([10e6], 8e6, 5.12e6),  # 40 kb/s times a power of 2
        ([10e6], 5.12e6, 5.12e6),
        ([10e6], 5.11e6, 2.56e6),
        ([10e6, 10e6], 8e6, 5.12e6),
        ([10e6, 3e6, 10e6], 8e6, 2.56e6),  # the least decides
        ([3e6, 10e6], 8e6, 2.56e6),
        ([10e6, None], 8e6, 0),  # one that does not know it
        ([None, 10e6], 8e6, 0),
        ([None], 8e6, 0),
        ([10e6, 50e3], 8e6, 0),  # one that approves nothing
        ([50e3, 10e6], 8e6, 0),
    ],
)
def test_the_least_that_any_router_approves_is_what_is_used(approve, wanted, rate):
    result = quick(approve, wanted)
    assert approved(result) == rate
    reports = result.links.get("quick_starts_reported", pd.Series([0])).sum()
    forward = sum(most is not None for most in approve)
    assert reports == (forward if rate else 0)


def test_the_first_window_is_paced_at_the_approved_rate_for_a_round_trip():
    result = quick([10e6], bytes=2_000_000)
    trace = result.traces["delivered_bytes"]
    first = trace[trace["time_s"] < 0.75]  # the first round trip of data: from 0.45 s on
    rate = 8.0 * (first["delivered_bytes"].iloc[-1]) / (first["time_s"].iloc[-1] - 0.45)
    assert rate == pytest.approx(5.12e6 * 1000 / 1042, rel=0.03)


def test_it_saves_round_trips_and_without_approval_it_is_as_without():
    """400 segments: ten, twenty, ... take six round trips; at 5.12 Mb/s they take 0.65 s."""
    plain = quick([10e6], None).flows["transfer_time_s"][0]
    saved = quick([10e6]).flows["transfer_time_s"][0]
    refused = quick([None]).flows["transfer_time_s"][0]
    assert plain == pytest.approx(0.45 + 5 * 0.3, abs=0.15)
    assert saved == pytest.approx(0.45 + 400 * HEADER_BITS / 5.12e6, abs=0.3)
    assert refused == pytest.approx(plain, abs=1e-3)


def test_a_router_approves_only_what_is_left_of_its_rate():
    """Two at once ask for 5.12 Mb/s each where 8 are to be had: the second gets 2.56."""
    links = duplex("n0", "n1", rate_bps=10e6, delay_s=0.1, queue_packets=500, approve_bps=8e6)
    asks = {"bytes": 300_000, "quick_start_bps": 6e6}
    result = run(links, flow("newreno", **asks), flow("newreno", start_s=0.01, **asks))
    first, second = (row["quick_start_bps"] for row in result.provenance["routers"])
    assert (first, second) == (5.12e6, 2.56e6)
    later = run(links, flow("newreno", **asks), flow("newreno", start_s=10, **asks))
    assert [row["quick_start_bps"] for row in later.provenance["routers"]] == [5.12e6] * 2
    busy = run(links, flow("cubic"), flow("newreno", start_s=10, **asks))
    assert busy.provenance["routers"][1]["quick_start_bps"] == 0


def test_what_a_loss_in_the_first_window_shows_was_not_there_is_given_back():
    """A link behind the routers is slower than they think: the sender begins anew, slowly."""
    links = list(
        duplex("n0", "n1", rate_bps=10e6, delay_s=0.1, queue_packets=500, approve_bps=10e6)
    )
    links[0] = links[0].model_copy(update={"queue_packets": 20, "rate_bps": 1e6})
    result = run(links, flow("newreno", quick_start_bps=8e6), series=["cwnd_segments"])
    assert approved(result) == 5.12e6
    trace = result.traces["cwnd_segments"]
    assert trace["cwnd_segments"].max() > 100
    assert result.flows["recoveries"][0] >= 1
    after = trace[(trace["time_s"] > 1.5)]["cwnd_segments"]
    assert after.min() <= 12  # the initial window again
    assert result.flows["goodput_bps"][0] > 0.5e6


@pytest.mark.parametrize("control", ["bbr", "bbr3"])
def test_a_sender_with_a_pace_of_its_own_does_without(control):
    links = duplex("n0", "n1", rate_bps=10e6, delay_s=0.1, queue_packets=500, approve_bps=10e6)
    result = run(links, flow(control, quick_start_bps=8e6))
    plain = run(links, flow(control))
    assert approved(result) == 0
    assert result.flows["goodput_bps"][0] == pytest.approx(plain.flows["goodput_bps"][0], rel=0.01)


# --- everything together


@st.composite
def scenarios(draw):
    count = draw(st.integers(1, 3))
    links = []
    for number in range(count):
        link = {
            "rate_bps": draw(st.sampled_from([1e6, 5e6, 2e7])),
            "delay_s": draw(st.sampled_from([0.0, 0.01, 0.15])),
            "queue_packets": draw(st.integers(2, 200)),
            "loss_per_packet": draw(st.sampled_from([0.0, 1e-3, 0.05])),
        }
        kind = draw(st.sampled_from(["plain", "xcp", "xcp", "aqm", "arq", "bursts"]))
        if kind == "xcp":
            alpha = draw(st.sampled_from([0.1, 0.4, 2.0]))
            link["xcp"] = {"alpha": alpha, "gamma": draw(st.sampled_from([0.0, 0.1, 1.0]))}
        elif kind == "aqm":
            link["aqm"] = {"kind": draw(st.sampled_from(["red", "codel", "pie"]))}
        elif kind == "arq":
            link["arq"] = {"persistence": 3, "feedback_s": 0.01}
        elif kind == "bursts":
            link["loss_bursts"] = {"loss_per_packet": 0.01, "mean_packets": 3}
        if draw(st.booleans()):
            link["approve_bps"] = draw(st.sampled_from([1e5, 5e6]))
        if draw(st.booleans()):
            link["changes"] = [{"at_s": 2.0, "rate_bps": 3e6, "delay_s": 0.05}]
        if draw(st.booleans()):
            link["outages"] = [{"start_s": 1.5, "duration_s": 0.4}]
        links += duplex(f"n{number}", f"n{number + 1}", **link)
    flows = []
    for _ in range(draw(st.integers(1, 3))):
        one = flow(
            draw(st.sampled_from(["xcp", "xcp", "newreno", "cubic", "bbr", "hybla"])),
            to=count,
            start_s=draw(st.sampled_from([0.0, 0.3])),
            segments_per_ack=draw(st.integers(1, 2)),
            sack=draw(st.booleans()),
            ecn=draw(st.booleans()),
        )
        if draw(st.booleans()):
            one["quick_start_bps"] = draw(st.sampled_from([1e5, 2e6, 1e9]))
        if draw(st.booleans()):
            one["bytes"] = draw(st.integers(1, 10**6))
        flows.append(one)
    return Scenario(links=links, flows=flows, duration_s=5.0, seed=draw(st.integers(1, 99)))


@given(scenarios())
def test_packets_are_conserved_and_scoreboards_add_up_whatever_speaks(scenario):
    """The engine's own checks end a run in which a packet or segment was lost to nobody."""
    result = segment.simulate(scenario)
    links = result.links
    assert (links["packets_lost"] + links["packets_lost_in_outage"] <= links["packets_sent"]).all()
    again = Scenario.from_json(scenario.to_json())
    assert again == scenario
    assert segment.simulate(again).flow_rows() == result.flow_rows()


# --- what is refused


def stated(link):
    """A link and back that have these fields, as JSON has them."""
    return [plain.model_dump() | link for plain in path((False,))]


@pytest.mark.parametrize(
    ("link", "own", "named"),
    [
        ({"xcp": {}}, {}, "links.0.xcp"),
        ({"approve_bps": 1e6}, {}, "links.0.approve_bps"),
        ({}, {"quick_start_bps": 1e6}, "flows.0.quick_start_bps"),
        ({}, {"congestion_control": "xcp"}, "flows.0.congestion_control"),
    ],
)
def test_other_engines_refuse_by_the_field(link, own, named):
    scenario = Scenario(links=stated(link), flows=[flow("cubic") | own], duration_s=5)
    for ask in (
        lambda: ns3.request(scenario),
        lambda: linux.planning.check(scenario),
        lambda: ns2.planning.check(scenario),
        lambda: export(scenario, "netns"),
    ):
        with pytest.raises(InputError, match=f"^.*{named}") as caught:
            ask()
        assert "\n" not in str(caught.value)
    assert with_control("xcp") == ["segment"]


@pytest.mark.parametrize(
    ("link", "own", "words"),
    [
        ({"xcp": {"alpha": 0}}, {}, "alpha"),
        ({"xcp": {"gamma": 2}}, {}, "gamma"),
        ({"xcp": {}, "aqm": {"kind": "red"}}, {}, "xcp is not allowed beside aqm"),
        ({"xcp": {}, "arq": {"persistence": 1, "feedback_s": 0}}, {}, "beside arq"),
        ({"approve_bps": 0}, {}, "approve_bps"),
        ({}, {"quick_start_bps": 79_999}, "quick_start_bps"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(link, own, words):
    with pytest.raises(InputError, match=words) as caught:
        Scenario(links=stated(link), flows=[flow("cubic") | own], duration_s=5)
    one, *both = str(caught.value).splitlines()  # either direction has it
    assert not both or one == f"{len(both)} mistakes:"


@pytest.mark.parametrize("station", [{"notifies_loss": True}, {"base_station": {"kind": "snoop"}}])
def test_xcp_on_the_way_back_of_a_base_station_is_refused(station):
    """That link has to look at the station's ACKs, which XCP's link does not."""
    there, back = (link.model_dump() for link in path((False,)))
    with pytest.raises(InputError, match=r"links\.1\.xcp: not allowed beside") as caught:
        Scenario(links=[there | station, back | {"xcp": {}}], flows=[flow("cubic")], duration_s=5)
    assert "\n" not in str(caught.value)


def test_a_scenario_without_routers_has_none_in_its_json_and_the_same_key():
    plain = Scenario(links=path((False,)), flows=[flow("newreno")], duration_s=5)
    assert not {"xcp", "approve_bps", "quick_start_bps"} & set(plain.to_json().split('"'))
    assert "quick_start_bps" not in plain.canonical_json()
