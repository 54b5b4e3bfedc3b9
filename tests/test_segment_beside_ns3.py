"""The engine `segment` and real ns-3 as two witnesses: a hundred drawn scenarios.

They share the congestion controls, and nothing of TCP itself. Where what they deliver parts by more
than a segment, the cause is named.
"""

import random
from typing import Any

import pytest
from segment_scenarios import flow, link, scenario
from test_faults import FAULTS

from longfat import Outage, Scenario
from longfat.engines import ns3
from longfat.engines.segment import native, simulate
from longfat.papers.hybla.network import satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]

# By name, so that a new sender changes no scenario.
SENDERS = [
    "africa",
    "bbr",
    "bbr3",
    "bic",
    "card",
    "cdg",
    "cdg-linux",
    "chd",
    "chd-freebsd",
    "compound",
    "cubic",
    "dual",
    "fast",
    "gaimd",
    "hd",
    "hd-freebsd",
    "highspeed",
    "htcp",
    "hybla",
    "hybla-2004",
    "illinois",
    "ledbat",
    "lp",
    "newreno",
    "pert",
    "reno",
    "scalable",
    "standard",
    "tcpj",
    "ucc",
    "vegas",
    "veno",
    "westwood",
    "westwood-plus",
    "yeah",
]
KINDS = ("nothing", "nothing", "outage", "outage", "random", "queue", "ecn")
NEVER_S = 20.0  # a smallest timeout after which no timer expires
# Faults of ns-3's socket (data/faults.csv), or what neither RFC nor fault decides.
PARTED = {
    26: {"impatient-timer"},
    38: {"end of CWR"},  # after the ACK that reaches the recovery point, as in Linux; here with it
    45: {"impatient-timer"},
    46: {"no-rescue"},
    47: {"impatient-timer"},
    52: {"impatient-timer"},
    53: {"no-rescue"},
    70: {"impatient-timer"},
    78: {"no-rescue"},
    79: {"impatient-timer"},
    82: {"impatient-timer"},
    99: {"impatient-timer", "no-rescue"},
}


def drawn(seed: int) -> tuple[dict[str, Any], str]:
    """Return a small scenario, and what happens in it."""
    draw = random.Random(seed)
    sender = SENDERS[seed % len(SENDERS)]
    segment = draw.choice((536, 1000, 1448))
    rate_bps = 1e6 * draw.choice((0.25, 0.5, 1, 2, 2.5))  # a bit lasts whole nanoseconds
    delay_s = draw.choice((0.005, 0.02, 0.05, 0.1, 0.2))
    duration_s = 3 + 20 * delay_s
    kind = draw.choice(KINDS)
    forth = link(rate_bps, delay_s, queue=10**6)
    own = flow(
        sender,
        segment_bytes=segment,
        send_buffer_bytes=1_000_000,
        receive_buffer_bytes=1_000_000,
        segments_per_ack=draw.choice((1, 1, 2)),
        ack_timeout_s=draw.choice((0.04, 0.2)),
        timestamps=draw.random() < 0.5,
        recovery=draw.choice(("prr", "prr", "halving")),
        sack=draw.random() < 0.85,
        min_rto_s=draw.choice((0.2, 1.0)),
        initial_window_segments=draw.choice((1, 2, 4, 10)),
    )
    pipe = rate_bps * 2 * delay_s / 8 / segment
    window = int(max(8, min(150, pipe * draw.uniform(0.5, 3))))
    if window * segment < 65_535 and draw.random() < 0.5:
        own["receive_buffer_bytes"] = segment * window
    else:
        own["max_window_segments"] = window
    if draw.random() < 0.5:
        own["initial_ssthresh_segments"] = draw.choice((4, 10, 30))
    if kind == "outage":
        start_s = draw.uniform(0.3, 0.7) * duration_s
        length_s = draw.uniform(0.5, 2.5) * 8 * (segment + 54) / rate_bps
        forth["outages"] = [{"start_s": start_s, "duration_s": length_s}]
    elif kind == "random":
        forth["loss_per_packet"] = 10 ** draw.uniform(-2.5, -1.5)
    elif kind == "queue":
        forth["queue_packets"] = max(4, int(pipe * draw.uniform(0.3, 1)))
    elif kind == "ecn":
        own["ecn"] = True
        forth["mark_above_packets"] = max(2, int(pipe * draw.uniform(0.2, 0.8)))
    return scenario(forth, own, duration_s=duration_s, seed=seed + 1), kind


def both(asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Return the flow in the core and in ns-3, and by how many segments what they deliver parts."""
    ours = native.run(asked)["flows"][0]
    theirs = ns3.simulate(Scenario(**asked)).flows.iloc[0].to_dict()
    parted = ours["delivered_bytes"] - theirs["delivered_bytes"]
    return ours, theirs, abs(parted) / asked["flows"][0]["segment_bytes"]


@pytest.mark.parametrize("seed", range(100))
def test_they_deliver_the_same_or_the_cause_is_named(seed):
    asked, _ = drawn(seed)
    ours, theirs, parted = both(asked)
    causes = PARTED.get(seed, set())
    assert (parted > 1) == bool(causes), f"by {parted:.1f} segments"
    if causes == {"impatient-timer"}:  # without a timer that expires they are equal
        asked["flows"][0]["min_rto_s"] = NEVER_S
        assert theirs["timeouts"] > ours["timeouts"]
        assert both(asked)[2] <= 1
    if causes == {"no-rescue"}:
        assert ours["retransmissions"] > theirs["retransmissions"]


def test_causes_are_faults_that_the_book_tells():
    known = {fault["name"] for fault in FAULTS} | {"end of CWR"}
    assert set().union(*PARTED.values()) <= known
    assert drawn(38)[1] == "ecn"


def test_what_is_drawn_loses_segments_where_it_should():
    asked = [drawn(seed) for seed in range(100) if seed not in PARTED]
    losing = [one for one, kind in asked if kind in ("outage", "random", "queue")]
    repaired = [native.run(one)["flows"][0]["retransmissions"] for one in losing]
    assert sum(count > 0 for count in repaired) > 25


# When four segments leave that are lost: two of one window; one when the recovery has begun, which
# is sent again in it and is the head of the next; and one just before that begins.
LOST_S = (1.1272, 1.6738, 1.6915, 2.7748)


@pytest.mark.parametrize(("min_rto_s", "timeouts"), [(1.0, 1), (1.2, 0)])
def test_ns3s_timer_ends_a_recovery_that_begins_with_its_head_sent_again(min_rto_s, timeouts):
    """Its first partial ACK comes at once, and the timer runs from there: two round trips, 1.1 s,
    are too long for a timer of 1 s (impatient-timer). No segment is lost twice."""
    one = satellite(
        loss=0,
        congestion_control="newreno",
        rate_bps=10e6,
        initial_ssthresh_segments=60,
        min_rto_s=min_rto_s,
        duration_s=6,
    )
    there, back = (link.model_dump() for link in one.links)
    there["outages"] = [Outage(start_s=at + 0.275 - 4e-4, duration_s=8e-4) for at in LOST_S]
    begun = one.flows[0].model_dump() | {"initial_window_segments": 60}
    scenario = one.replace(links=[there, back], flows=[begun])
    ours, theirs = simulate(scenario), ns3.simulate(scenario)
    assert [run.links["packets_lost_in_outage"].sum() for run in (ours, theirs)] == [4, 4]
    assert ours.flows["timeouts"].tolist() == [0]
    assert theirs.flows["timeouts"].tolist() == [timeouts]
