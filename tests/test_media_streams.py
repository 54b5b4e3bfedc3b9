"""Media streams: which packets are late, lost or not due yet, counted by hand."""

import pytest
from segment_scenarios import flow, link, scenario
from small import archived

from longfat import InputError, MediaStream, Result, Scenario, engines, simulate, store
from longfat.engines.segment import native
from longfat.network import duplex

PACKET_BITS = 8 * (172 + 30)  # a call's: RTP, UDP, IP and PPP
CALL = {"source": "a", "target": "b", "deadline_s": 0.05}


def call(*flows: dict, duration_s: float = 10, stream: dict | None = None, **more) -> dict:
    """Run a call over a path of 1 Mb/s and 20 ms; return its counts."""
    forth = link(1e6, 0.02, queue=50) | more
    whole = scenario(forth, *flows, duration_s=duration_s)
    answer = native.run(whole | {"media_streams": [CALL | (stream or {})]})
    return answer["media_streams"][0]


def test_an_empty_path_is_always_in_time():
    """Of 500 packets, one each 20 ms, those of the last 71.6 ms are not due."""
    found = call()
    assert found["least_delay_s"] == pytest.approx(0.02 + PACKET_BITS / 1e6)
    assert found["packets_sent"] == 500
    assert found["packets_due"] == 500 - 3
    assert found["packets_late"] == found["packets_lost"] == 0


def test_packets_in_an_outage_are_lost():
    """A loss is at the far end: what arrives from 5 to 6 s, which left 21.6 ms before."""
    found = call(outages=[{"start_s": 5, "duration_s": 1}])
    assert found["packets_lost"] == 50
    assert found["packets_late"] == 0


def test_packets_are_late_while_a_queue_is_longer_than_the_deadline():
    """One finds the link at 8 kb/s and takes 202 ms; those behind it wait until it has gone."""
    slow = [{"at_s": 5.0, "rate_bps": 8e3}, {"at_s": 5.2, "rate_bps": 1e6}]
    found = call(changes=slow)
    sent_s = [0.02 * number for number in range(500)]
    begins, late = 0.0, 0
    for number in range(500):  # by hand, packet by packet
        begins = max(begins, sent_s[number])
        rate_bps = 8e3 if 5.0 <= begins < 5.2 else 1e6
        begins += PACKET_BITS / rate_bps
        late += begins - sent_s[number] > PACKET_BITS / 1e6 + 0.05
    assert found["packets_late"] == late > 5
    assert found["packets_lost"] == 0


@pytest.mark.parametrize(("deadline_s", "late"), [(0.11, 0), (0.09, 100)])
def test_a_detour_is_late_beside_the_least_delay(deadline_s, late):
    """From 8 s on the path is 100 ms longer: 100 packets, but for those that are not due."""
    found = call(
        duration_s=11,
        stream={"deadline_s": deadline_s, "stop_s": 10},
        changes=[{"at_s": 8.0, "delay_s": 0.12}],
    )
    assert found["packets_sent"] == found["packets_due"] == 500
    assert found["packets_late"] == late


def test_beside_tcp_what_the_queue_drops_is_lost_and_what_waits_is_late():
    """A queue of 50 segments takes 0.42 s to empty: later than 50 ms nearly always; and every
    packet of the flow and of the call went over the link, or was dropped by its queue."""
    own = flow("newreno", receive_buffer_bytes=10**6)
    whole = scenario(link(1e6, 0.02, queue=50), own, duration_s=60) | {"media_streams": [CALL]}
    answer = native.run(whole)
    [counts], [flows], links = answer["media_streams"], answer["flows"], answer["links"]
    assert counts["packets_late"] > 0.8 * counts["packets_due"]
    assert 0 < counts["packets_lost"] <= links[0]["packets_dropped_by_queue"]
    lenient = native.run(whole | {"media_streams": [CALL | {"deadline_s": 0.5}]})
    [all_in_time] = lenient["media_streams"]
    assert all_in_time["packets_late"] == 0
    under_way = counts["packets_lost"] - all_in_time["packets_lost"]
    assert 0 <= under_way <= 0.45 / 0.02  # at the end: late for the one, not due for the other
    there = counts["packets_sent"] + flows["segments_sent"] + 2  # SYN, and the handshake's ACK
    waiting = there - links[0]["packets_sent"] - links[0]["packets_dropped_by_queue"]
    assert 0 <= waiting <= 51


def test_where_nothing_comes_all_is_lost():
    found = call(outages=[{"start_s": 0, "duration_s": 100}])
    assert found["packets_lost"] == found["packets_due"] == found["packets_sent"] == 500
    assert found["least_delay_s"] is None


def test_it_ends_no_run_and_keeps_none_going():
    one = flow("newreno", bytes=100_000)
    whole = scenario(link(1e6, 0.02), one, duration_s=50)
    alone, beside = native.run(whole), native.run(whole | {"media_streams": [CALL]})
    assert 0.9 < alone["end_s"] < beside["end_s"] < 2
    assert beside["flows"][0]["delivered_bytes"] == 100_000


def a_call() -> Scenario:
    return Scenario(
        links=duplex("a", "b", rate_bps=1e6, delay_s=0.02, queue_packets=10),
        media_streams=[MediaStream(source="a", target="b", deadline_s=0.05, name="call")],
        duration_s=2,
    )


def test_a_result_has_its_table_and_so_have_json_and_archive(empty_archive):
    one = a_call()
    result = simulate(one)
    assert result.media_streams["media_stream"].tolist() == ["call"]
    assert result.media_streams["packets_sent"].tolist() == [100]
    assert Result.from_dict(result.to_dict()).media_stream_rows() == result.media_stream_rows()
    engines.accept_new([one])
    result.provenance["versions"] = engines.behaviour.versions(engines.parts(one, "segment"))
    store.write_archive("of-calls", [result])
    store.forget_archive()
    found = archived(one)
    assert found is not None
    assert found.media_stream_rows() == result.media_stream_rows()
    assert simulate(a_call()).media_stream_rows() == result.media_stream_rows()  # from the cache


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"deadline_s": 0}, "deadline_s"),
        ({"target": "c"}, "c"),
        ({"target": "a"}, "a"),
        ({"stop_s": 1.0, "start_s": 2.0}, "stop_s"),
        ({"rate_bps": 1e12}, "a microsecond apart"),
        ({"rate": 1}, "rate"),
    ],
)
def test_what_is_refused(field, words):
    """In a sentence, by the scenario and by the engine's own reader."""
    whole = scenario(link()) | {"media_streams": [CALL | field]}
    for read in (lambda: Scenario(**whole), lambda: native.run(whole)):
        with pytest.raises(InputError, match=words) as refused:
            read()
        assert len(str(refused.value).splitlines()) == 1


def test_other_engines_refuse_it_in_a_sentence():
    with pytest.raises(InputError, match=r"media_streams: the engine 'ns3' does not have them"):
        simulate(a_call(), engine="ns3")
