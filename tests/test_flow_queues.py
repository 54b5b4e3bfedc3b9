"""Flow queues with controlled delay (RFC 8290): who waits behind whom, and who loses."""

import pytest
from segment_scenarios import flow, link, scenario

from longfat import FqCoDel, InputError, Scenario, simulate
from longfat.engines.segment import native
from longfat.export import export
from longfat.network import duplex

FQ = {"aqm": {"kind": "fq_codel"}}
CALL = {"source": "a", "target": "b", "deadline_s": 0.01, "start_s": 1.0}


def run(*flows: dict, streams: tuple[dict, ...] = (), duration_s: float = 30, **forth) -> dict:
    whole = scenario(link(**({"rate_bps": 10e6, "delay_s": 0.02} | forth)), *flows)
    return native.run(whole | {"duration_s": duration_s, "media_streams": list(streams)})


def test_one_flow_alone_is_controlled_as_by_codel():
    """Its ACKs go over another link, so that it has all turns: the same to the last packet."""
    for ecn in (True, False):
        alone, codel = (
            run(flow("cubic", ecn=ecn), aqm={"kind": kind, "ecn": ecn})
            for kind in ("fq_codel", "codel")
        )
        assert alone["flows"] == codel["flows"]
        assert alone["links"] == codel["links"]


def test_a_thin_stream_never_waits_behind_a_flow():
    """But for the packet under way: 1.2 ms at 10 Mb/s; at the end of a queue it is late."""
    [call] = run(flow("cubic"), streams=(CALL,), **FQ)["media_streams"]
    assert call["packets_late"] == call["packets_lost"] == 0 < call["packets_due"]
    [behind] = run(flow("cubic"), streams=(CALL,))["media_streams"]
    assert behind["packets_late"] > 0.9 * behind["packets_due"]


def test_flows_share_alike_whatever_they_are():
    """NewReno beside BBR has its half, but for what CoDel makes it leave; not in one queue."""
    shares = []
    for aqm in (FQ, {"queue": 40}):
        answer = run(flow("newreno"), flow("bbr"), duration_s=60, **aqm)
        one, other = (each["delivered_bytes"] for each in answer["flows"])
        shares.append(one / (one + other))
    assert 0.43 < shares[0] <= 0.5
    assert shares[1] < 0.3 or shares[1] > 0.7


def test_turns_are_of_bytes_and_not_of_packets():
    """Two floods of packets of 1400 and of 300 bytes, both too fast: bytes alike."""
    floods = tuple(
        CALL | {"payload_bytes": payload, "rate_bps": 9e6, "start_s": 0.0}
        for payload in (1400, 300)
    )
    large, small = run(streams=floods, duration_s=20, queue=200, **FQ)["media_streams"]
    carried = [
        (one["packets_due"] - one["packets_lost"]) * (payload + 30)
        for one, payload in ((large, 1400), (small, 300))
    ]
    assert carried[0] == pytest.approx(carried[1], rel=0.02)


def test_without_room_the_longest_queue_loses():
    """A flood of three times the rate fills the queue; a call beside it loses nothing."""
    flood = CALL | {"payload_bytes": 1000, "rate_bps": 30e6, "start_s": 0.0}
    slow = {"kind": "fq_codel", "target_s": 10.0, "interval_s": 10.0}  # so that nothing is late
    answer = run(streams=(flood, CALL), queue=100, duration_s=10, aqm=slow)
    flooded, call = answer["media_streams"]
    forth = answer["links"][0]
    assert call["packets_lost"] == 0
    assert forth["packets_dropped_by_queue"] > 0.6 * flooded["packets_sent"]
    called = call["packets_sent"]
    carried = (forth["packets_sent"] - called) * 1030 + called * 202
    assert carried == pytest.approx(10e6 * 10 / 8, rel=0.001)  # all that the link can


def test_it_is_a_field_of_a_link_and_other_engines_refuse_it_in_a_sentence():
    links = duplex("a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=50, aqm=FqCoDel())
    own = {"source": "a", "target": "b", "congestion_control": "cubic"}
    one = Scenario(links=links, flows=[own], duration_s=1)
    assert Scenario.from_json(one.to_json()) == one
    with pytest.raises(InputError, match=r"aqm: the engine 'ns3' does not have it") as refused:
        simulate(one, engine="ns3")
    assert len(str(refused.value).splitlines()) == 1
    with pytest.raises(InputError, match="quantum_bytes"):
        Scenario(
            links=duplex(
                "a",
                "b",
                rate_bps=1e6,
                delay_s=0,
                queue_packets=9,
                aqm={"kind": "fq_codel", "quantum_bytes": 0},
            ),
            flows=[own],
            duration_s=1,
        )
    script = export(one, "netns")
    assert "fq_codel limit 50 target 5000us interval 100000us quantum 1514 ecn" in script
