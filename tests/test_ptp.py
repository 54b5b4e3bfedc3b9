"""CADPC with PTP: queries read the routers' counters, and the rate follows the rule alone."""

import itertools

import numpy as np
import pytest

from longfat import InputError, Scenario, builds
from longfat.engines import linux, ns2, ns3, segment, with_control
from longfat.export import export
from longfat.network import duplex
from longfat.studies import ptp

pytestmark = [
    pytest.mark.slow,  # an engine with this feature has to be compiled
    pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here"),
]

RATE_BPS, RTT_S = 10e6, 0.1
PACKET_BITS = 8 * 1042


def path(speaks=(True,), **link):
    links = []
    for number, does in enumerate(speaks):
        own = {"rate_bps": RATE_BPS, "delay_s": RTT_S / 2, "queue_packets": 119} | link
        links += duplex(f"n{number}", f"n{number + 1}", **own, ptp=does)
    return links


def flow(source="n0", target="n1", **fields):
    control = {"name": "cadpc"} | fields.pop("control", {})
    base = {"source": source, "target": target, "congestion_control": control}
    return base | {"timestamps": False} | fields


def run(links, *flows, duration_s=60.0, series=(), points=4000):
    record = {"series": series, "points": points}
    return segment.simulate(
        Scenario(links=links, flows=flows, duration_s=duration_s, record=record)
    )


def parts(result, since_s):
    """What each flow delivers from then on, with headers, as a part of RATE_BPS."""
    trace = result.traces["delivered_bytes"]
    late = trace[trace["time_s"] >= since_s].groupby("flow", sort=False)
    bits = late["delivered_bytes"].agg(lambda held: held.iloc[-1] - held.iloc[0]) * 8 * 1.042
    seconds = late["time_s"].agg(lambda held: held.iloc[-1] - held.iloc[0])
    return (bits / seconds / RATE_BPS).to_numpy()


@pytest.mark.parametrize("gain", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("every", [2.0, 4.0, 7.0])
def test_the_rate_follows_the_rule_step_by_step(gain, every):
    """Worked out apart: what a router has counted from one query to the next is one round trip of
    the rate before last, and then the last one's."""
    control = {"parameters": {"gain": gain, "round_trips": every}}
    result = run(path(), flow(control=control), duration_s=12.0, series=["cwnd_segments"])
    trace = result.traces["cwnd_segments"]
    before = own = 10 * PACKET_BITS / RTT_S / RATE_BPS
    told_s = RTT_S * (2 + every)  # the second answer
    seen = []
    expected = []
    while told_s + RTT_S < 12:
        traffic = (before + (every - 1) * own) / every
        before, own = own, own + gain * own * (1 - own - traffic)
        held = trace[(trace["time_s"] > told_s + RTT_S / 2) & (trace["time_s"] < told_s + RTT_S)]
        if len(held):
            seen.append(held["cwnd_segments"].mean() / 2 / (RATE_BPS * RTT_S / PACKET_BITS))
            expected.append(own)
        told_s += every * RTT_S
    assert len(seen) > 3
    assert seen == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("count", [1, 3, 9])
def test_every_one_of_n_flows_comes_to_1_of_n_and_one(count):
    flows = [flow(start_s=3.0 * n) for n in range(count)]
    result = run(path(), *flows, duration_s=90.0, series=["delivered_bytes"])
    assert parts(result, 60) == pytest.approx([1 / (count + 1)] * count, rel=0.01)
    assert np.allclose(ptp.rate([1 / (count + 1)] * count), 1 / (count + 1))
    assert result.provenance["routers"][0]["ptp"] == "spoken"


def test_the_busiest_link_of_a_way_decides():
    """One flow over both links, one more over the first, two more over the second: a quarter for
    each on the second link; on the first, x = 1 - x - 1/4 for the other."""
    ends = [("n0", "n2"), ("n0", "n1"), ("n1", "n2"), ("n1", "n2")]
    result = run(
        path((True, True)), *(flow(*pair) for pair in ends), duration_s=120.0,
        series=["delivered_bytes"],
    )  # fmt: skip
    assert parts(result, 80) == pytest.approx([0.25, 0.375, 0.25, 0.25], rel=0.02)


def test_a_link_that_becomes_slower_is_known_by_the_next_query():
    links = path(changes=[{"at_s": 30.0, "rate_bps": 4e6}])
    result = run(links, flow(), series=["delivered_bytes"])
    assert parts(result, 40) == pytest.approx([0.2], rel=0.02)


@pytest.mark.parametrize("speaks", list(itertools.product([False, True], repeat=2)))
def test_a_router_that_says_nothing_makes_it_newreno_and_the_result_tells(speaks):
    # Without losses: a loss more in the first overshoot moves the goodput of 60 s by 7 %.
    limited = flow(target="n2") | {"max_window_segments": 250}
    result = run(path(speaks), limited)
    told = result.provenance["routers"][0]["ptp"]
    assert told == ("spoken" if all(speaks) else "fallen back")
    if not all(speaks):
        same = path((True, True))  # which NewReno does not ask
        reno = run(same, limited | {"congestion_control": "newreno"})
        assert result.flows["goodput_bps"][0] == pytest.approx(
            reno.flows["goodput_bps"][0], rel=0.02
        )


def test_a_route_that_loses_ptp_on_the_way_falls_back_then():
    links = [
        *path(),
        *duplex("n0", "x", rate_bps=10e6, delay_s=0.02, queue_packets=50),
        *duplex("x", "n1", rate_bps=10e6, delay_s=0.02, queue_packets=50),
    ]
    way = {"path": ["n0", "n1"], "reroutes": [{"at_s": 20, "path": ["n0", "x", "n1"]}]}
    result = run(links, flow(**way), series=["delivered_bytes"])
    assert result.provenance["routers"][0]["ptp"] == "in part"
    assert parts(result, 40)[0] > 0.9


def test_a_way_of_more_routers_than_a_query_has_room_for_falls_back():
    for count, told in ((8, "spoken"), (9, "fallen back")):
        links = path((True,) * count, delay_s=0.001)
        result = run(links, flow(target=f"n{count}"), duration_s=5.0)
        assert result.provenance["routers"][0]["ptp"] == told


def test_it_asks_once_in_so_many_round_trips_and_not_when_there_is_nothing_to_send():
    asked = run(path(), flow()).provenance["routers"][0]["ptp_queries"]
    assert asked == pytest.approx(60 / (4 * RTT_S), rel=0.01)
    little = run(path(), flow(bytes=50_000)).provenance["routers"][0]["ptp_queries"]
    assert little < 8


@pytest.mark.parametrize(
    ("link", "control", "named"),
    [
        ({"ptp": True}, "cubic", "links.0.ptp"),
        ({}, "cadpc", "flows.0.congestion_control"),
    ],
)
def test_other_engines_refuse_by_the_field(link, control, named):
    links = duplex("n0", "n1", rate_bps=1e6, delay_s=0.01, queue_packets=9, **link)
    scenario = Scenario(links=links, flows=[flow() | {"congestion_control": control}], duration_s=5)
    for ask in (
        lambda: ns3.request(scenario),
        lambda: linux.planning.check(scenario),
        lambda: ns2.planning.check(scenario),
        lambda: export(scenario, "netns"),
    ):
        with pytest.raises(InputError, match=f"^.*{named}") as caught:
            ask()
        assert "\n" not in str(caught.value)
    assert with_control("cadpc") == ["segment"]


def test_a_link_without_it_has_none_in_its_json():
    assert "ptp" not in Scenario(links=path((False,)), flows=[flow()], duration_s=5).to_json()
