"""The ns-3 engine: determinism, isolation of crashes, and what it measures."""

import functools
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest
from processes import runs_of

from longfat import InputError, Outage, Record, SimulationError, simulate, sweep
from longfat.engines import ns3
from longfat.topologies import duplex, satellite

pytestmark = pytest.mark.ns3

# What runs are on ns-3: its server is what an interrupt or a crash may hit.
simulate = functools.partial(simulate, engine="ns3")
sweep = functools.partial(sweep, engine="ns3")

EVERYTHING = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=50)


def short(**changes):
    return satellite(**({"loss": 1e-3, "duration_s": 10, "record": EVERYTHING} | changes))


def measured(result):
    data = result.to_dict()
    del data["provenance"]["wall_s"], data["provenance"]["peak_memory_bytes"]
    return data


def test_same_seed_same_digits_whatever_ran_before():
    first = measured(ns3.simulate(short(seed=1)))
    other = measured(ns3.simulate(short(seed=2)))
    assert measured(ns3.simulate(short(seed=1))) == first
    assert other["flows"] != first["flows"]


def test_a_new_process_gives_the_same_digits():
    here = ns3.simulate(short()).flows["delivered_bytes"].item()
    script = (
        "from longfat.engines import ns3; from longfat.topologies import satellite;"
        "print(ns3.simulate(satellite(loss=1e-3, duration_s=10)).flows.delivered_bytes.item())"
    )
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert there.stdout.strip() == str(here), there.stderr


def test_a_connection_that_gives_up_says_so():
    """ns-3's does after six timeouts, whatever a flow's retries are (data/faults.csv)."""

    def cut(duration_s):
        path = short(loss=0, duration_s=duration_s, record=Record())
        outages = [{"start_s": 5, "duration_s": 1000}]
        links = [link.model_dump() | {"outages": outages} for link in path.links]
        return ns3.simulate(path.replace(links=links)).flows

    assert 5 + 63 < cut(200)["given_up_s"][0] < 5 + 128
    assert "given_up_s" not in cut(50)


def test_order_and_number_of_workers_do_not_matter():
    scenarios = [short(seed=seed, record=Record()) for seed in (3, 4, 5)]
    forwards = sweep(scenarios)
    for scenario, delivered in zip(scenarios, forwards["delivered_bytes"], strict=True):
        assert ns3.simulate(scenario).flows["delivered_bytes"].item() == delivered


def test_a_killed_run_is_one_clear_error_and_the_next_run_is_well():
    """The run is killed from outside while it runs, as a crash of ns-3 or the kernel would."""
    long = satellite(loss=1e-5, duration_s=100_000, rate_bps=100e6)
    ns3.simulate(short())  # the server is up
    server = psutil.Process(ns3._server.process.pid)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ns3.simulate, long)
        deadline = time.monotonic() + 30
        while not runs_of(server) and time.monotonic() < deadline:
            time.sleep(0.02)
        runs_of(server)[0].kill()
        with pytest.raises(SimulationError, match=r"SIGKILL on scenario [0-9a-f]{12}"):
            future.result(timeout=30)
    assert ns3.simulate(short()).flows["delivered_bytes"].item() > 0


def test_a_fatal_error_of_ns3_brings_its_last_words(monkeypatch):
    monkeypatch.setitem(ns3.RECOVERY, "prr", "ns3::NoSuchRecovery")
    with pytest.raises(SimulationError, match=r"SIGABRT.*NoSuchRecovery"):
        ns3.simulate(short())


def test_a_run_has_a_time_limit():
    with pytest.raises(SimulationError, match=r"took longer than its limit of 0.5 s"):
        ns3.simulate(satellite(loss=1e-5, duration_s=100_000), time_limit_s=0.5)


def test_a_failed_run_does_not_stop_the_sweep(monkeypatch):
    bad = short(recovery="halving", record=Record())
    monkeypatch.setitem(ns3.RECOVERY, "halving", "ns3::NoSuchRecovery")
    with pytest.raises(SimulationError, match=r"1 of 2 runs failed, .*:\n  scenario 0"):
        sweep([bad, short(seed=77, record=Record())])
    good = simulate(short(seed=77, record=Record()))
    assert good.flows["delivered_bytes"].item() > 0


def test_an_unknown_engine_is_answered_with_the_nearest():
    with pytest.raises(InputError, match=r"unknown engine 'ns4': known are .*ns3.*mean 'ns3'"):
        simulate(short(), engine="ns4")


def test_a_transfer_ends_when_its_last_byte_arrives():
    result = ns3.simulate(satellite(loss=0, duration_s=1000, transfer_bytes=1_000_000))
    flow = result.flows.iloc[0]
    assert flow["delivered_bytes"] == 1_000_000
    assert flow["goodput_bps"] == pytest.approx(8e6 / flow["transfer_time_s"])
    # handshake, first window of 22, the rest at once, and half a round trip to the receiver
    assert 3 * 0.55 < flow["transfer_time_s"] < 4.5 * 0.55


def test_without_loss_the_window_limits_the_flow():
    """Goodput is W_m segments a round trip, once the pipe is full."""
    result = ns3.simulate(satellite(loss=0, duration_s=60, record=EVERYTHING))
    delivered = result.traces["delivered_bytes"]
    late = delivered[delivered["time_s"] > 20]
    rate = np.polyfit(late["time_s"], late["delivered_bytes"], 1)[0]
    serialization_s = 8 * (1000 + 20 + 32 + 2 + 20 + 32 + 2) / 10e6
    assert rate == pytest.approx(550 * 1000 / (0.55 + serialization_s), rel=2e-3)
    assert result.traces["cwnd_segments"]["cwnd_segments"].max() == 550


def test_losses_are_as_many_as_asked_for():
    links = ns3.simulate(satellite(loss=0.01, duration_s=60)).links.set_index("source")
    sent, lost = links.loc["sender", ["packets_sent", "packets_lost"]]
    assert abs(lost - 0.01 * sent) < 4 * np.sqrt(0.01 * sent)
    assert links.loc["receiver", "packets_lost"] == 0


def test_loss_per_bit_is_loss_per_packet_of_its_length():
    bits = 8 * (1000 + 20 + 32 + 2)  # payload, IP, TCP with timestamps, PPP
    per_packet = 1 - (1 - 2e-6) ** bits
    scenario = satellite(loss=0, duration_s=60)
    there, back = scenario.links
    errors = scenario.replace(
        links=(there.model_copy(update={"loss_per_bit": 2e-6}).model_dump(), back.model_dump())
    )
    sent, lost = ns3.simulate(errors).links.loc[0, ["packets_sent", "packets_lost"]]
    assert abs(lost - per_packet * sent) < 4 * np.sqrt(per_packet * sent)


def test_an_outage_loses_what_arrives_in_it():
    links = duplex("sender", "receiver", rate_bps=1e6, delay_s=0.01, queue_packets=100)
    outage = Outage(start_s=2, duration_s=0.5)
    cut = links[0].model_copy(update={"outages": (outage,)})
    scenario = satellite(loss=0).replace(
        links=[cut.model_dump(), links[1].model_dump()],
        duration_s=5,
        record=EVERYTHING.model_dump(),
    )
    result = ns3.simulate(scenario)
    assert result.links.loc[0, "packets_lost_in_outage"] > 0
    times = result.traces["delivered_bytes"]["time_s"]
    assert not times.between(2.02, 2.5).any()


def test_traces_have_no_more_points_than_asked_for():
    result = ns3.simulate(short())
    for trace in result.traces.values():
        assert 2 <= len(trace) <= 50
        assert trace["time_s"].is_monotonic_increasing
