"""Scenarios for the segment engine, as the JSON that its program reads."""

import random
from itertools import pairwise
from typing import Any

from longfat.cc import catalogue
from longfat.engines.segment import native

SENDERS = sorted(name for name, one in catalogue.algorithms().items() if one.header)
HEADERS = 54  # bytes on the wire beside the payload, with timestamps


def link(rate_bps: float = 10e6, delay_s: float = 0.05, queue: int = 1000, **more) -> dict:
    """Return the one link from the sender to the receiver."""
    return {"rate_bps": rate_bps, "delay_s": delay_s, "queue_packets": queue, **more}


def flow(congestion_control: str = "newreno", **more) -> dict:
    """Return a flow over it, whose windows only its congestion control limits."""
    own = {
        "source": "a",
        "target": "b",
        "congestion_control": congestion_control,
        "send_buffer_bytes": 2_147_483_647,
        "receive_buffer_bytes": 2_147_483_647,
    }
    return own | more


def scenario(forth: dict, *flows: dict, duration_s=30.0, seed=1, series=(), back=None) -> dict:
    """Return flows over one link; the way back is as fast, has room and loses nothing."""
    there = {"source": "a", "target": "b"} | forth
    usual = {"rate_bps": forth["rate_bps"], "delay_s": forth["delay_s"], "queue_packets": 10**6}
    return {
        "links": [there, {"source": "b", "target": "a"} | usual | (back or {})],
        "flows": list(flows),
        "duration_s": duration_s,
        "seed": seed,
        "record": {"series": list(series), "points": 1_000_000},
    }


def run(*arguments, **keywords) -> dict[str, Any]:
    """Run `scenario(...)`; return the answer, with the first flow's counts on top."""
    answer = native.run(scenario(*arguments, **keywords))
    return answer | answer["flows"][0]


def drawn(seed: int, senders: list[str]) -> dict:
    """Return a scenario drawn at random: whatever the reader admits the engine has to do."""
    draw = random.Random(seed)
    nodes = ["a", "m", "n", "b"][: draw.choice((2, 3, 4))]
    nodes[-1] = "b"
    links = []
    duration_s = draw.choice((3.0, 10.0, 40.0))

    def one(source: str, target: str, clean: bool) -> dict:
        own = {"source": source, "target": target}
        own["rate_bps"] = 10 ** draw.uniform(4, 8)
        own["delay_s"] = draw.choice((0, 10 ** draw.uniform(-5, -0.3)))
        own[draw.choice(("queue_packets", "queue_packets", "queue_bytes"))] = draw.randint(1, 300)
        if "queue_bytes" in own:
            own["queue_bytes"] = draw.randint(1600, 10**6)
        if not clean and draw.random() < 0.6:
            own["loss_per_packet"] = 10 ** draw.uniform(-4, -0.7)
        if not clean and draw.random() < 0.2:
            own["loss_per_bit"] = 10 ** draw.uniform(-8, -5)
        if not clean and draw.random() < 0.2:
            own["loss_bursts"] = {
                "loss_per_packet": 10 ** draw.uniform(-3, -1),
                "mean_packets": draw.uniform(1, 20),
            }
        if draw.random() < 0.3:
            own["mark_above_packets"] = draw.randint(1, 50)
        if draw.random() < 0.3:
            at_s = draw.uniform(0, duration_s)
            own["outages"] = [{"start_s": at_s, "duration_s": 10 ** draw.uniform(-3, 1.2)}]
        if draw.random() < 0.4:
            own["changes"] = [
                {"at_s": draw.uniform(0, duration_s), "delay_s": 10 ** draw.uniform(-4, -0.3)}
                for _ in range(draw.randint(1, 8))
            ] + [{"at_s": draw.uniform(0, duration_s), "rate_bps": 10 ** draw.uniform(4, 8)}]
        return own

    for source, target in pairwise(nodes):
        links += [one(source, target, False), one(target, source, draw.random() < 0.5)]
    flows = []
    for _ in range(draw.choice((1, 1, 2, 4))):
        sack = draw.random() < 0.75
        own = {
            "source": nodes[0],
            "target": "b",
            "congestion_control": draw.choice(senders),
            "segment_bytes": draw.choice((1, 536, 1000, 1448)),
            "initial_window_segments": draw.choice((1, 2, 10, 1000)),
            "segments_per_ack": draw.choice((1, 1, 2, 8)),
            "ack_timeout_s": draw.choice((0.04, 0.2, 1.0)),
            "sack": sack,
            "recovery": draw.choice(("prr", "halving")),
            "limited_transmit": sack or draw.random() < 0.5,
            "timestamps": draw.random() < 0.5,
            "timestamp_tick_s": draw.choice((0, 0.001, 0.01)),
            "ecn": draw.random() < 0.4,
            "rack": sack and draw.random() < 0.4,
            "frto": sack and draw.random() < 0.4,
            "undo": sack and draw.random() < 0.4,
            "min_rto_s": draw.choice((0.2, 1.0)),
            "receive_buffer_bytes": draw.choice(("auto", 20_000, 10**6, 10**7)),
            "send_buffer_bytes": draw.choice(("auto", 20_000, 2_147_483_647)),
            "start_s": draw.choice((0, draw.uniform(0, 2))),
        }
        if draw.random() < 0.4:
            own["bytes"] = draw.randint(1, 2_000_000)
        if draw.random() < 0.2:
            own["max_window_segments"] = draw.randint(2, 200)
        if draw.random() < 0.2:
            own["initial_ssthresh_segments"] = draw.randint(2, 200)
        if draw.random() < 0.2:
            own["stop_s"] = own["start_s"] + draw.uniform(0.1, 3)
        if len(nodes) > 2 and draw.random() < 0.4:
            own |= {"relays": nodes[1:-1], "limited_transmit": True}
            if draw.random() < 0.6:
                own["relay_buffer_bytes"] = draw.choice((2000, 20_000, 10**6))
            if draw.random() < 0.3:
                own["relays_fail_at_s"] = draw.uniform(0, duration_s)
        elif draw.random() < 0.2:
            own["handoffs"] = [{"at_s": draw.uniform(0, duration_s), "kind": "non-local"}]
        if random.Random(seed).random() < 0.1:
            own["conceals_losses"] = True
        misbehaves = random.Random(1_000_000 + seed)
        if "relays" not in own and misbehaves.random() < 0.2:
            own["ack_division"] = misbehaves.choice((2, 3, 50))
        if "relays" not in own and misbehaves.random() < 0.2:
            own["optimistic_ack_segments"] = misbehaves.choice((1, 20, 1_000_000))
        flows.append(own)
    if seed % 2:
        add_assistance(random.Random(seed), links, flows)
    whole = {"links": links, "flows": flows, "duration_s": duration_s, "seed": seed + 1}
    calls = random.Random(2_000_000 + seed)
    if calls.random() < 0.2:
        call = {"source": nodes[0], "target": "b", "deadline_s": 10 ** calls.uniform(-3, 0)}
        call["rate_bps"] = 10 ** calls.uniform(3, 6)
        whole["media_streams"] = [call]
        if calls.random() < 0.5 and "mark_above_packets" not in links[0]:
            links[0]["aqm"] = {"kind": "fq_codel", "ecn": calls.random() < 0.5}
    return whole


AQM = [{"kind": kind, "ecn": ecn} for kind in ("red", "codel", "pie") for ecn in (False, True)]


def add_assistance(draw: random.Random, links: list[dict], flows: list[dict]) -> None:
    """Give links managed queues, what repeats or traces, routers that speak and base stations."""
    for own in links:
        if draw.random() < 0.3:
            own.pop("mark_above_packets", None)
            own["aqm"] = draw.choice(AQM)
        medium = draw.random()
        if medium < 0.3:
            own["arq"] = {
                "persistence": draw.choice((1, 3, 20)),
                "feedback_s": draw.choice((0, 0.01, 0.3)),
                "jitter_s": draw.choice((0, 0.02)),
                "mode": draw.choice(("selective repeat", "stop and wait")),
                "in_order": draw.random() < 0.5,
            }
            if draw.random() < 0.5:
                own["arq"] |= {"frame_bytes": draw.choice((40, 500)), "interval_s": 0.01}
        elif medium < 0.45:
            times = [draw.randint(0, 200) for _ in range(draw.randint(1, 30))]
            own["delivery_ms"] = [*sorted(times), 250]
        if draw.random() < 0.3:
            kind = draw.choice(("snoop", "wtcp"))
            own["base_station"] = {"kind": kind, "cache_packets": draw.choice((1, 20, 1000))}
            own["base_station"]["hides_sack"] = draw.random() < 0.5
        own["notifies_loss"] = draw.random() < 0.2
        if draw.random() < 0.4:
            own["xcp"] = {}
        if draw.random() < 0.3:
            own["approve_bps"] = 10 ** draw.uniform(4, 8)
        own["ptp"] = draw.random() < 0.4
    for own in flows:
        if draw.random() < 0.3:
            own["quick_start_bps"] = 10 ** draw.uniform(5, 8)
