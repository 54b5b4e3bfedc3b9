"""Relays whose window closes, and senders that give up (RFC 9293, RFC 1122)."""

from segment_scenarios import flow

from longfat.engines.segment import native


def chain(radio_outages=(), ack_outages=(), duration_s=60.0, **more) -> dict:
    """The same as the core reads it, with outages of the radio and of the wire's way back."""
    ends = [("a", "m", ()), ("m", "a", ack_outages), ("m", "b", radio_outages), ("b", "m", ())]
    links = [
        {"source": source, "target": target, "rate_bps": 10e6, "delay_s": 0.05}
        | {"queue_packets": 1000, "outages": list(outages)}
        for source, target, outages in ends
    ]
    own = flow(relays=["m"], relay_buffer_bytes=20_000, **more)
    record = {"series": ["acknowledged_bytes", "delivered_bytes"], "points": 100_000}
    return {"links": links, "flows": [own], "duration_s": duration_s, "record": record}


def growth(answer: dict, series: str, begin_s: float, end_s: float) -> float:
    times, values = answer["flows"][0]["series"][series]
    return sum(
        after - before
        for before, after, time_s in zip(values, values[1:], times[1:], strict=False)
        if begin_s <= time_s < end_s
    )


def test_a_probe_finds_out_that_a_closed_window_is_open_again():
    """RFC 9293, 3.8.6.1: the ACK that tells of the open window is lost, and nothing is sent."""
    radio = [{"start_s": 10, "duration_s": 10}]
    acks = [{"start_s": 12, "duration_s": 15}]
    answer = native.run(chain(radio, acks))
    assert growth(answer, "acknowledged_bytes", 12, 27) == 0
    assert growth(answer, "delivered_bytes", 12, 27) > 0
    # After 27 s the next probe comes within the time for which all have been asked so far.
    assert growth(answer, "delivered_bytes", 45, 60) > 0
    assert answer["flows"][0]["given_up_s"] is None


def test_a_closed_window_that_is_answered_keeps_the_connection_open():
    """However long: R2 is for what is not answered. Probes are few, for their intervals grow."""
    answer = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=600))
    first = answer["links"][0]
    short = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=20))["links"][0]
    assert growth(answer, "delivered_bytes", 500, 600) > 0
    assert answer["flows"][0]["given_up_s"] is None
    during = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=410))["links"][0]
    assert 5 <= during["packets_sent"] - short["packets_sent"] <= 15
    assert first["packets_sent"] > during["packets_sent"] + 100


def test_a_sender_whose_relay_has_failed_gives_up_and_says_when():
    """R2, after retransmissions as after probes of a closed window."""
    answer = native.run(chain(relays_fail_at_s=10, retries=4, duration_s=200))
    assert 10 + 15 < answer["flows"][0]["given_up_s"] < 10 + 35
    closed = chain([{"start_s": 5, "duration_s": 400}], relays_fail_at_s=10, retries=4)
    answer = native.run(closed | {"duration_s": 400.0})
    assert answer["flows"][0]["timeouts"] > 0  # of the relay, whose radio is gone
    assert answer["flows"][0]["given_up_s"] > 10 + 15


def test_a_relay_that_sizes_its_buffer_has_room_for_what_it_hands_on():
    """By what is read, as a receiver's application does: not by what a faster wire brings."""
    ends = [("a", "m", 100e6), ("m", "a", 100e6), ("m", "b", 1e6), ("b", "m", 1e6)]
    links = [
        {"source": source, "target": target, "rate_bps": rate_bps, "delay_s": 0.05}
        | {"queue_packets": 1000}
        for source, target, rate_bps in ends
    ]
    own = flow(relays=["m"], send_buffer_bytes=50_000, receive_buffer_bytes="auto")
    record = {"series": ["acknowledged_bytes", "delivered_bytes"], "points": 100_000}
    answer = native.run({"links": links, "flows": [own], "duration_s": 20.0, "record": record})
    kept = growth(answer, "acknowledged_bytes", 0, 20) - growth(answer, "delivered_bytes", 0, 20)
    assert 50_000 < kept < 200_000
