"""The Linux engine: determinism, faithful links, clear errors, and that nothing stays behind."""

import multiprocessing
import multiprocessing.dummy
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from longfat import Outage, Record, Scenario, SimulationError
from longfat.engines import linux, segment
from longfat.engines.linux import planning
from longfat.papers import hybla
from longfat.scenario import Flow, LinkChange, Reroute
from longfat.topologies import duplex, satellite

pytestmark = pytest.mark.slow

FLOW_SERIES = ("cwnd_segments", "ssthresh_segments", "rtt_s", "delivered_bytes")
SEGMENT_S = 8 * (1000 + planning.HEADER_BYTES) / 10e6  # on a link of 10 Mb/s
ACK_S = 8 * planning.HEADER_BYTES / 10e6


@pytest.fixture(autouse=True)
def _built():
    if linux.build():
        return
    if os.environ.get("CI") and not os.environ.get("LONGFAT_NO_EMULATION"):
        pytest.fail("the emulation is not built: run 'make emulation'")
    pytest.skip("the emulation is not built (make emulation)")


def one_link(*, flow=None, backward=None, duration_s=10, seed=1, points=None, **link):
    """One flow over 10 Mb/s with a round trip of 0.1 s."""
    link = {"rate_bps": 10e6, "delay_s": 0.05, "queue_packets": 120} | link
    clean = {"loss_per_packet": 0, "loss_per_bit": 0, "outages": (), "changes": ()}
    flow = {"source": "a", "target": "b", "congestion_control": "reno"} | (flow or {})
    return Scenario(
        links=duplex("a", "b", **link, backward=clean | (backward or {})),
        flows=(Flow(**flow),),
        duration_s=duration_s,
        seed=seed,
        record=Record(series=FLOW_SERIES, points=points) if points else Record(),
    )


def measured(result):
    data = result.to_dict()
    del data["provenance"]["wall_s"]
    return data


# --- determinism


@pytest.mark.parametrize("seed", range(1, 11))
def test_same_seed_same_digits(seed):
    """Ten pairs of runs: traces, counters and links are identical."""
    control = ("reno", "cubic", "hybla", "bbr", "cdg-linux")[seed % 5]
    scenario = one_link(
        flow={"congestion_control": control}, loss_per_packet=3e-3, seed=seed, points=500
    )
    assert measured(linux.simulate(scenario)) == measured(linux.simulate(scenario))


def test_another_seed_is_another_run():
    delivered = {
        linux.simulate(one_link(loss_per_packet=3e-3, seed=seed)).flows["delivered_bytes"].item()
        for seed in range(1, 6)
    }
    assert len(delivered) > 1


# --- links


def test_a_full_link_delivers_its_rate():
    """Once the window is open the link never idles: payload over wire size, to a segment."""
    result = linux.simulate(one_link(duration_s=20, points=20))
    delivered = result.traces["delivered_bytes"].set_index("time_s")["delivered_bytes"]
    segments = np.diff(delivered.to_numpy()[9:]) / 1000  # of each second, without the slow start
    assert segments == pytest.approx(np.full(len(segments), 1 / SEGMENT_S), abs=1)


def test_the_queue_holds_what_the_link_says_and_one_more_is_on_the_wire():
    """The largest round trip is that of a full queue; netem's limit would count the link too."""
    packets = 60
    result = linux.simulate(one_link(queue_packets=packets, points=5000))
    full_s = 0.1 + (packets + 1) * SEGMENT_S
    largest_s = result.traces["rtt_s"]["rtt_s"].max()  # smoothed: a little below
    assert full_s * 0.97 < largest_s <= full_s + SEGMENT_S
    assert result.links["packets_dropped_by_queue"][0] > 0


def test_a_queue_in_bytes_is_one_in_packets():
    by_packets = linux.simulate(one_link(queue_packets=60))
    by_bytes = linux.simulate(one_link(queue_packets=None, queue_bytes=60 * 1054))
    assert by_bytes.flows.equals(by_packets.flows)


def test_packets_are_lost_as_often_as_the_link_says():
    result = linux.simulate(one_link(loss_per_packet=0.01, duration_s=60, rate_bps=100e6))
    sent, lost = result.links.loc[0, ["packets_sent", "packets_lost"]]
    assert abs(lost - 0.01 * sent) < 4 * np.sqrt(0.01 * sent)


def test_bit_errors_hit_long_packets():
    """8 * 1054 bits of a segment, 8 * 54 of its ACK, at the same rate of errors."""
    errors = 2e-6
    result = linux.simulate(
        one_link(loss_per_bit=errors, backward={"loss_per_bit": errors}, duration_s=200)
    )
    sent, lost = (result.links[column].to_numpy() for column in ("packets_sent", "packets_lost"))
    expected = sent * (1 - (1 - errors) ** (8 * np.array([1054, 54])))
    assert np.all(np.abs(lost - expected) < 4 * np.sqrt(expected))


def test_an_outage_takes_what_arrives_in_it():
    outage = Outage(start_s=4, duration_s=1)
    result = linux.simulate(one_link(outages=(outage,), points=1000))
    delivered = result.traces["delivered_bytes"]
    inside = delivered[delivered["time_s"].between(4.01, 4.99)]
    assert inside["delivered_bytes"].nunique() == 1
    assert result.links["packets_lost_in_outage"][0] > 0
    assert result.links["packets_lost"][0] == 0
    assert delivered["delivered_bytes"].iloc[-1] > inside["delivered_bytes"].iloc[0]


@pytest.mark.parametrize("duration_s", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("control", ["reno", "cubic"])
def test_the_core_as_linux_does_answers_an_outage_as_linux_does(control, duration_s):
    """With F-RTO, RACK and undo: so many timeouts, and what was lost is sent once again."""
    outage = Outage(start_s=5, duration_s=duration_s)
    asked = one_link(
        flow={"congestion_control": control}, duration_s=30, queue_packets=100, outages=(outage,)
    )
    ours = asked.replace(flows=[flow.as_linux() for flow in asked.flows])
    there = linux.simulate(asked).flow_rows()[0]
    here = segment.simulate(ours).flow_rows()[0]
    assert here["timeouts"] == there["timeouts"] > 0
    if control == "reno":  # CUBIC's HyStart leaves slow start with other windows
        assert here["retransmissions"] == there["retransmissions"]
    assert here["delivered_bytes"] == pytest.approx(there["delivered_bytes"], rel=0.03)


def test_a_connection_that_gives_up_says_so():
    """After fifteen retries, as Linux has it: 924 s by RFC 1122's timer, more by the path's."""
    outage = Outage(start_s=4, duration_s=1500)
    flows = linux.simulate(one_link(outages=(outage,), duration_s=1400)).flows
    assert flows["timeouts"][0] in (14, 15)
    assert 4 + 900 < flows["given_up_s"][0] < 4 + 1300
    assert "given_up_s" not in linux.simulate(one_link(outages=(outage,), duration_s=100)).flows


def test_a_link_changes_its_rate_and_its_delay():
    changes = (LinkChange(at_s=10, rate_bps=5e6), LinkChange(at_s=20, delay_s=0.15))
    result = linux.simulate(one_link(changes=changes, duration_s=30, points=30))
    delivered = np.diff(result.traces["delivered_bytes"]["delivered_bytes"].to_numpy()) / 1000
    assert delivered[5:9] == pytest.approx(np.full(4, 1 / SEGMENT_S), abs=1)
    assert delivered[12:18] == pytest.approx(np.full(6, 0.5 / SEGMENT_S), abs=1)
    assert result.traces["rtt_s"]["rtt_s"].iloc[-1] > 0.2


def test_a_flow_changes_its_path():
    """Over the slow way from second 5 on: the packets are counted on both."""
    ways = [("a", "x", 10e6), ("x", "b", 10e6), ("a", "y", 2e6), ("y", "b", 2e6)]
    links = [
        link
        for source, target, rate_bps in ways
        for link in duplex(source, target, rate_bps=rate_bps, delay_s=0.02, queue_packets=50)
    ]
    flow = Flow(
        source="a",
        target="b",
        congestion_control="cubic",
        path=("a", "x", "b"),
        reroutes=(Reroute(at_s=5, path=("a", "y", "b")),),
    )
    result = linux.simulate(Scenario(links=links, flows=(flow,), duration_s=10))
    sent = result.links.set_index(["source", "target"])["packets_sent"]
    assert sent["a", "x"] > 3 * sent["a", "y"] > 0
    assert sent["a", "y"] * 8 * 1054 == pytest.approx(5 * 2e6, rel=0.05)


# --- flows


def test_hybla_over_the_satellite_is_near_the_model():
    goodput = [
        linux.simulate(satellite(loss=1e-4, duration_s=100, seed=seed)).flows["goodput_bps"].item()
        for seed in (1, 2, 3)
    ]
    model = 8000 * hybla.throughput(loss=1e-4, rtt=0.55, rtt0=0.025, max_window=550)
    assert np.mean(goodput) == pytest.approx(model, rel=0.03)


def test_the_window_has_its_cap_also_where_the_algorithm_sets_another():
    record = Record(series=("cwnd_segments", "ssthresh_segments"), points=200)
    capped = linux.simulate(satellite(loss=0, duration_s=10, record=record))
    stock = linux.simulate(satellite(loss=0, duration_s=10, record=record, limited_by="receiver"))
    assert capped.traces["cwnd_segments"]["cwnd_segments"].max() == 550
    assert capped.traces["ssthresh_segments"]["ssthresh_segments"].iloc[-1] == 550
    assert stock.traces["cwnd_segments"]["cwnd_segments"].max() == 65535
    assert capped.flows["goodput_bps"].item() <= 550 * 8000 / 0.55
    assert stock.flows["goodput_bps"].item() <= 550 * 8000 / 0.55


def test_rtt0_decides_how_fast_hybla_grows():
    def after_two_seconds(rtt0_s):
        record = Record(series=("cwnd_segments",), points=20)
        result = linux.simulate(satellite(loss=0, rtt0_s=rtt0_s, duration_s=2, record=record))
        return result.traces["cwnd_segments"]["cwnd_segments"].iloc[-1]

    assert after_two_seconds(0.25) < after_two_seconds(0.025) == 550


def test_initial_window_and_threshold_are_the_flows():
    flow = {"initial_window_segments": 4, "initial_ssthresh_segments": 20}
    trace = linux.simulate(one_link(flow=flow, points=1000, duration_s=2)).traces
    window = trace["cwnd_segments"]["cwnd_segments"]
    in_flight = trace["cwnd_segments"].query("time_s < 0.2")
    assert in_flight["cwnd_segments"].iloc[-1] == 4
    assert window[window > 20].iloc[0] == 21  # one a round trip from there
    assert window.max() < 45


def test_the_receiver_limits_by_its_window():
    flow = {"receive_buffer_bytes": 30_000}
    result = linux.simulate(one_link(flow=flow, rate_bps=100e6, points=20, duration_s=20))
    assert 28_000 * 8 / 0.1002 < result.flows["goodput_bps"].item() <= 30_000 * 8 / 0.1


def test_delayed_acks_halve_the_way_back():
    each = linux.simulate(one_link()).links["packets_sent"]
    second = linux.simulate(one_link(flow={"segments_per_ack": 2})).links["packets_sent"]
    assert each[1] == pytest.approx(each[0], rel=0.02)
    assert second[1] == pytest.approx(second[0] / 2, rel=0.05)


def test_a_transfer_ends_with_its_last_byte():
    result = linux.simulate(one_link(flow={"bytes": 20_000, "start_s": 1}, duration_s=60))
    # Handshake; a segment and its ACK, which releases ten more with those that follow.
    expected_s = 0.25 + 11 * SEGMENT_S + 3 * ACK_S
    assert result.flows["transfer_time_s"].item() == pytest.approx(expected_s, abs=1e-4)
    assert result.flows["delivered_bytes"].item() == 20_000
    assert result.provenance["simulated_s"] < 2


def test_without_timestamps_a_segment_is_twelve_bytes_shorter():
    with_them, without = (
        linux.simulate(one_link(flow={"timestamps": timestamps}, points=10)).traces
        for timestamps in (True, False)
    )
    last_second = [
        np.diff(trace["delivered_bytes"]["delivered_bytes"])[-1] for trace in (with_them, without)
    ]
    assert last_second == pytest.approx([1e10 / 8 / 1054, 1e10 / 8 / 1042], abs=1000)


def test_several_flows_share_a_bottleneck():
    ways = {"source": "a", "target": "b", "congestion_control": "cubic"}
    flows = [
        Flow(**ways, name="long"),
        Flow(**ways, name="part", start_s=5, stop_s=15),
        Flow(**(ways | {"source": "b", "target": "a"}), name="back", bytes=100_000, start_s=2),
    ]
    scenario = one_link(duration_s=20, points=20)
    result = linux.simulate(scenario.replace(flows=[flow.model_dump() for flow in flows]))
    rows = result.flows.set_index("flow")
    delivered = result.traces["delivered_bytes"]
    assert set(delivered["flow"]) == {"long", "part", "back"}
    assert rows["delivered_bytes"]["back"] == 100_000
    both = rows["delivered_bytes"][["long", "part"]].sum() / 1000
    assert 0.93 * 20 < both * SEGMENT_S <= 20
    early = delivered[(delivered["flow"] == "part") & (delivered["time_s"] < 4.9)]
    assert early["delivered_bytes"].max() == 0


@pytest.mark.parametrize("name", sorted(planning.algorithms()))
def test_every_congestion_control_of_linux_fills_a_clean_link(name):
    control = {"name": name, "parameters": {"clock_s": 1e-3} if name == "ucc" else {}}
    result = linux.simulate(one_link(flow={"congestion_control": control}, duration_s=30))
    least = 0.5 if name == "cdg-linux" else 0.85  # CDG backs off by chance
    assert least * 10e6 * 1000 / 1054 < result.flows["goodput_bps"].item() <= 10e6 * 1000 / 1054


# --- when it goes wrong


def broken(monkeypatch, script):
    monkeypatch.setattr(linux, "plan", lambda scenario: script)


def test_a_plan_that_fails_brings_its_last_lines(monkeypatch):
    broken(monkeypatch, "echo before; ip link set nothing up; echo after")
    with pytest.raises(SimulationError, match=r'before its plan did(?s:.)*Cannot find device "not'):
        linux.simulate(one_link())


def test_a_guest_that_hangs_has_a_time_limit(monkeypatch):
    broken(monkeypatch, "echo waiting; while :; do :; done")
    with pytest.raises(SimulationError, match=r"longer than its limit of 2 s(?s:.)*waiting"):
        linux.simulate(one_link(), time_limit_s=2)


def test_a_guest_that_panics_brings_its_last_lines(monkeypatch):
    greedy = (
        "echo 1 > /proc/sys/vm/panic_on_oom; mount -o remount,size=4G /run; cat /dev/zero >/run/x"
    )
    broken(monkeypatch, greedy)
    with pytest.raises(SimulationError, match=r"ran out of memory \(its limit is 20 MB\)") as error:
        linux.simulate(one_link(), memory_limit_bytes=20_000_000, time_limit_s=60)
    assert "panic" in error.value.failure["last_words"]


# --- nothing stays behind


def files(*folders):
    return {path for folder in folders for path in folder.iterdir()}


def left_behind(before, processes, folders, within_s=10):
    """Return the processes that are alive after that time, and the files that are new."""
    _, alive = psutil.wait_procs(processes, timeout=within_s)
    return alive, files(*folders) - before


def test_a_killed_parent_leaves_no_process_and_no_file(tmp_path):
    folders = [tmp_path, Path("/dev/shm"), Path.home()]  # other tests use the common one of /tmp
    before = files(*folders)
    script = (
        "from longfat.engines import linux; from longfat.topologies import satellite;"
        "linux.simulate(satellite(loss=1e-5, duration_s=100_000))"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    parent = psutil.Popen([sys.executable, "-c", script], env=environment)
    deadline = time.monotonic() + 60
    processes = []
    while len(processes) < 5 and time.monotonic() < deadline:  # the kernel, and what runs in it
        processes = parent.children(recursive=True)
        time.sleep(0.05)
    assert len(processes) >= 5
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert left_behind(before, processes, folders) == ([], set())


def test_stop_ends_what_runs():
    with pytest.raises(SimulationError, match="SIGKILL"):
        script = one_link(duration_s=1e6)
        killer = multiprocessing.dummy.Process(target=stop_when_it_runs)
        killer.start()
        linux.simulate(script)
    killer.join()
    assert not linux._running


def stop_when_it_runs():
    while not linux._running:
        time.sleep(0.05)
    time.sleep(1)
    linux.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user")
def test_an_ordinary_user_gets_the_same_digits(monkeypatch):
    """A child becomes the user nobody. The kernel, in root's cache, is copied where it can read."""
    scenario = one_link(loss_per_packet=1e-2)
    expected = linux.simulate(scenario).flows["delivered_bytes"].item()
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        for name in ("linux", "guest", "host.so", "build.json"):
            shutil.copy(linux.folder() / name, folder)
        monkeypatch.setenv("LONGFAT_EMULATION", str(folder))
        results = multiprocessing.get_context("fork").SimpleQueue()

        def as_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            results.put(linux.simulate(scenario).flows["delivered_bytes"].item())

        child = multiprocessing.get_context("fork").Process(target=as_nobody)
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert results.get() == expected
    finally:
        shutil.rmtree(folder)


def test_two_events_at_one_time_both_happen():
    first, back = (link.model_dump() for link in satellite(loss=0, duration_s=4).links)
    first["outages"] = back["outages"] = [{"start_s": 1.5, "duration_s": 0.25}]
    first["changes"] = [{"at_s": 1.5, "rate_bps": 1e6}, {"at_s": 3.0, "loss_per_packet": 0.5}]
    result = linux.simulate(satellite(loss=0, duration_s=4).replace(links=[first, back]))
    assert result.links["packets_lost_in_outage"].gt(0).any()
    assert result.links.at[0, "packets_lost"] > 0  # what came later was not forgotten
