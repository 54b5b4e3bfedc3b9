"""The headers of algorithms that ns-3 has too, with `as_ns3_3_44`: equal to ns-3's own classes."""

import random

import pandas as pd
import pytest

from longfat import Scenario
from longfat.cc import catalogue
from longfat.engines import ns3
from longfat.network import duplex
from longfat.scenario import Flow

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


# Ours, and the catalogue's name of ns-3's own class.
PAIRS = {
    name: f"{name}-ns3"
    for name in ("vegas", "veno", "illinois", "yeah", "htcp", "bic", "lp", "ledbat")
} | {"highspeed": "highspeed", "scalable": "scalable"}


def as_ns3(name):
    return {"name": name, "parameters": {"as_ns3_3_44": True}}


@pytest.mark.parametrize("name", PAIRS)
def test_random_lives_of_a_connection(name):
    """400 of 300 steps: ACKs of none to 200 segments, recoveries, timeouts, ECN, windows of 1 to
    100,000 segments. Without the switch nearly all of them part."""
    from window_driver import cpp, driver

    def first_difference(seed, **attributes):
        ours = driver(catalogue.find(name).type_id, attributes)
        theirs = driver(catalogue.find(PAIRS[name]).type_id, {})
        return cpp().FirstDifference(ours, theirs, seed, 300)

    parted = {seed: at for seed in range(400) if (at := first_difference(seed, AsNs3="true")) >= 0}
    assert parted == {}
    assert sum(first_difference(seed) >= 0 for seed in range(50)) > 45


def make_scenario(rng):
    """Return a function from a congestion control to a random scenario of it."""

    def link(back=False):
        outage = {"start_s": rng.uniform(1, 5), "duration_s": rng.uniform(0.01, 2)}
        return {
            "rate_bps": 1e7 if back else rng.choice([3e5, 1e6, 5e6, 2e7]),
            "delay_s": rng.uniform(0.002, 0.275),
            "queue_packets": rng.choice([2, 5, 20, 100, 400]),
            "loss_per_packet": rng.choice([0, 0.05] if back else [0, 1e-3, 1e-2, 0.1]),
            "mark_above_packets": rng.choice([None, 3, 15]),
            "outages": [outage] if rng.random() < 0.3 else [],
        }

    def flow():
        sack, segment_bytes = rng.random() < 0.75, rng.choice([200, 536, 1000, 1448])
        return {
            "source": "a",
            "target": "b",
            "segment_bytes": segment_bytes,
            "initial_window_segments": rng.choice([1, 2, 10]),
            "initial_ssthresh_segments": rng.choice([None, 2, 20, 64]),
            "segments_per_ack": rng.choice([1, 2, 4]),
            "sack": sack,
            "limited_transmit": sack or rng.random() < 0.5,
            "recovery": rng.choice(["prr", "halving"]),
            "timestamps": rng.random() < 0.7,
            "ecn": rng.random() < 0.4,
            "min_rto_s": rng.choice([0.2, 1.0]),
            "start_s": round(rng.uniform(0, 2), 3),
            "send_buffer_bytes": rng.choice(["auto", 20 * segment_bytes, 2_000_000]),
            "receive_buffer_bytes": rng.choice(["auto", 30 * segment_bytes, 2_000_000]),
        }

    links = duplex("a", "b", backward=link(back=True), **link())
    flows = [flow() for _ in range(rng.choice([1, 2, 4]))]
    seed = rng.randint(1, 10**6)
    return lambda control: Scenario(
        links=links,
        flows=[Flow(congestion_control=control, **one) for one in flows],
        duration_s=10,
        seed=seed,
    )


def assert_same(one, other):
    pd.testing.assert_frame_equal(one.flows, other.flows)
    pd.testing.assert_frame_equal(one.links, other.links)


@pytest.mark.parametrize("name", PAIRS)
def test_random_scenarios(name):
    rng = random.Random(name)
    for _ in range(5):
        scenario = make_scenario(rng)
        assert_same(ns3.simulate(scenario(as_ns3(name))), ns3.simulate(scenario(PAIRS[name])))
