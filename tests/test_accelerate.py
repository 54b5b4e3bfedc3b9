"""The accelerator changes nothing but the time: stock ns-3 beside it, to the last digit."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from longfat import Scenario
from longfat.engines import ns3
from longfat.engines.ns3 import accelerate, compiled
from longfat.scenario import Flow, Outage, Record
from longfat.topologies import duplex

pytestmark = pytest.mark.slow

needs_ns3 = pytest.mark.skipif(find_spec("ns3") is None, reason="needs ns-3")
RUNS = Path(__file__).with_name("accelerate_runs.py")
WITHOUT_LIMITS = {"time_limit_s": 3600, "memory_limit_bytes": None}
RECORD = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=100_000)


def _pipe(
    rate_bps=10e6,
    rtt_s=0.1,
    loss=0.0,
    ack_loss=0.0,
    queue_packets=100,
    duration_s=10.0,
    outage=None,
    flows=({},),
    late=0.0,
    late_s=0.0,
    seed=1,
) -> dict:
    """Return what accelerate_runs.py wants for flows over one link; `flows`: changes of each."""
    links = duplex(
        "a",
        "b",
        rate_bps=rate_bps,
        delay_s=rtt_s / 2,
        queue_packets=queue_packets,
        loss_per_packet=loss,
        outages=[Outage(start_s=outage[0], duration_s=outage[1])] if outage else (),
        backward={"loss_per_packet": ack_loss, "outages": ()},
    )
    usual = {"source": "a", "target": "b", "congestion_control": "newreno"}
    scenario = Scenario(
        links=links,
        flows=[Flow(**(usual | flow)) for flow in flows],
        duration_s=duration_s,
        seed=seed,
        record=RECORD,
    )
    libraries = [str(path) for path in ns3.libraries(scenario)] if find_spec("ns3") else []
    request = ns3.request(scenario) | {"libraries": libraries}
    return {"request": request, "late": late, "late_s": late_s}


WIDE = {"rate_bps": 600e6, "queue_packets": 8000}
BUFFER = {"send_buffer_bytes": 8_000_000, "receive_buffer_bytes": 8_000_000}
SCENARIOS = {
    "no loss": _pipe(),
    "few losses": _pipe(loss=1e-3),
    "many losses": _pipe(loss=5e-2, duration_s=40),
    "nearly only losses": _pipe(loss=0.3, duration_s=60),
    "ACKs are lost": _pipe(loss=1e-2, ack_loss=0.3),
    "window of 2": _pipe(flows=[{"congestion_control": "hybla", "max_window_segments": 2}]),
    "window of 3, losses": _pipe(
        loss=2e-2, flows=[{"congestion_control": "hybla", "max_window_segments": 3}]
    ),
    "satellite": _pipe(
        rate_bps=100e6,
        queue_packets=1000,
        rtt_s=0.55,
        loss=1e-4,
        flows=[{"congestion_control": "hybla", "max_window_segments": 550}],
    ),
    "satellite, many losses": _pipe(
        rate_bps=100e6,
        queue_packets=1000,
        rtt_s=0.55,
        loss=1e-2,
        duration_s=40,
        flows=[{"congestion_control": "hybla", "max_window_segments": 550, "recovery": "halving"}],
    ),
    "window of 6000": _pipe(
        **WIDE,
        loss=3e-4,
        duration_s=0.35,
        flows=[{"initial_window_segments": 6000, "congestion_control": "scalable"} | BUFFER],
    ),
    # Stock ns-3 takes the cube of the window for this one: no larger than that.
    "window of 800, overflow": _pipe(
        rate_bps=50e6,
        queue_packets=300,
        duration_s=2,
        flows=[{"initial_window_segments": 800, "congestion_control": "cubic"}],
    ),
    "window of 6000, reordering": _pipe(
        **WIDE,
        loss=1e-4,
        late=1e-3,
        late_s=0.05,
        duration_s=0.45,
        flows=[{"initial_window_segments": 6000} | BUFFER],
    ),
    "window of 6000, a file": _pipe(
        **WIDE,
        loss=1e-3,
        duration_s=5,
        flows=[{"initial_window_segments": 6000, "bytes": 6_666_666} | BUFFER],
    ),
    "window of 2000, no SACK": _pipe(
        rate_bps=200e6,
        loss=1e-3,
        duration_s=2,
        flows=[{"sack": False, "initial_window_segments": 2000}],
    ),
    "short queue": _pipe(queue_packets=5, duration_s=30),
    "no SACK": _pipe(loss=1e-2, duration_s=20, flows=[{"sack": False}]),
    "no SACK, reordering": _pipe(late=2e-2, late_s=0.1, flows=[{"sack": False}]),
    "no SACK, short queue": _pipe(queue_packets=10, duration_s=30, flows=[{"sack": False}]),
    "reordering": _pipe(late=1e-2, late_s=0.05),
    "reordering and losses": _pipe(loss=1e-2, late=5e-2, late_s=0.3, duration_s=20),
    "timeouts in an outage": _pipe(outage=(2, 5), duration_s=20),
    "outage and losses": _pipe(
        loss=1e-3,
        outage=(1, 0.3),
        rate_bps=100e6,
        flows=[{"congestion_control": "cubic", "min_rto_s": 0.2}],
    ),
    "three flows": _pipe(
        queue_packets=100,
        duration_s=20,
        flows=[
            {},
            {"congestion_control": "cubic", "start_s": 1},
            {"congestion_control": "vegas", "start_s": 2, "sack": False, "stop_s": 15},
        ],
    ),
    "five flows, losses": _pipe(
        rate_bps=50e6,
        loss=1e-3,
        flows=[{"start_s": 0.3 * n, "initial_window_segments": 10 * n + 1} for n in range(5)],
    ),
    "delayed ACKs, odd sizes": _pipe(
        loss=5e-3, flows=[{"segments_per_ack": 2, "segment_bytes": 1448, "bytes": 3_333_333}]
    ),
    "small buffers": _pipe(
        loss=1e-2, flows=[{"send_buffer_bytes": 20_000, "receive_buffer_bytes": 33_333}]
    ),
    "growing buffers": _pipe(
        loss=1e-3, flows=[{"send_buffer_bytes": "auto", "receive_buffer_bytes": "auto"}]
    ),
    "no limited transmit": _pipe(loss=1e-2, flows=[{"sack": False, "limited_transmit": False}]),
    "paced": _pipe(loss=1e-3, flows=[{"congestion_control": "bbr"}]),
}


@pytest.fixture(scope="module")
def outputs():
    """What stock ns-3 and the accelerator give for the scenarios, compiled by Cling, side by side.

    Third, what the accelerator and the engine's library give for those without late packets.
    """
    if accelerate.build() is None:
        pytest.skip("the accelerator cannot be built here")
    processes = [
        subprocess.Popen(
            [sys.executable, str(RUNS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"LONGFAT_ACCELERATE": switch},
        )
        for switch in ("0", "1")
    ]
    for process in processes:
        json.dump(list(SCENARIOS.values()), process.stdin)
        process.stdin.close()
    compiled_ahead = [
        {"exit_status": 0} | ns3._server.ask(run["request"] | WITHOUT_LIMITS, ns3._server.stops)
        for run in SCENARIOS.values()
        if not run["late"]
    ]
    return [json.loads(process.stdout.read()) for process in processes] + [compiled_ahead]


@needs_ns3
def test_one_is_stock_ns3_and_the_other_accelerated(outputs):
    assert [output["accelerated"] for output in outputs[:2]] == [False, True]


@needs_ns3
@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=list(SCENARIOS))
def test_same_digits(outputs, number):
    stock, accelerated = (output["results"][number] for output in outputs[:2])
    assert stock["exit_status"] == 0
    assert stock["events"] > 100
    assert accelerated == stock


@needs_ns3
def test_same_digits_from_cling_and_from_the_library(outputs):
    stock, _, compiled_ahead = outputs
    by_cling = [
        result
        for result, run in zip(stock["results"], SCENARIOS.values(), strict=True)
        if not run["late"]
    ]
    assert len(by_cling) > 20
    for name, a, b in zip(SCENARIOS, by_cling, compiled_ahead, strict=False):
        assert "failed" not in b, b
        assert {key: b[key] for key in a} == a, name


@needs_ns3
def test_the_scenarios_are_eventful(outputs):
    flows = [
        (name, flow)
        for name, result in zip(SCENARIOS, outputs[0]["results"], strict=True)
        for flow in result["flows"]
    ]
    assert sum(flow["retransmissions"] > 0 for _, flow in flows) > 20
    assert sum(flow["timeouts"] > 0 for _, flow in flows) > 5
    assert sum(flow["recoveries"] > 1 for _, flow in flows) > 15
    windows = {name: max(flow["series"]["cwnd_segments"][1], default=0) for name, flow in flows}
    assert windows["window of 2"] == 2
    assert windows["window of 6000"] >= 6000
    assert sum(flow["retransmissions"] for name, flow in flows if "overflow" in name) > 300


@needs_ns3
def test_this_ns3_has_the_functions_that_are_replaced():
    """A function of another name or signature would replace nothing.

    Nor would one that ns-3 calls only from the same source file: at least one call must be by name.
    """

    def functions(library, kind):
        listing = subprocess.run(
            ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
        ).stdout
        return set(re.findall(rf"(?m)^\w+ {kind} (_ZN?K?3ns3\w+)$", listing))

    replaced = functions(compiled.build(accelerate.SOURCE), "T")
    libraries = [compiled.ns3() / "lib64" / name for name in compiled.LIBRARIES]
    theirs = set().union(*(functions(library, "[TW]") for library in libraries))
    assert len(replaced) == 37
    assert replaced <= theirs
    called_by_name = subprocess.run(
        ["readelf", "--relocs", "--wide", *libraries], check=True, capture_output=True, text=True
    ).stdout
    assert {name for name in replaced if f" {name} + 0" not in called_by_name} == {
        "_ZN3ns311TcpTxBuffer13GetNewSegmentEj",  # reached from CopyFromSequence, which is replaced
        "_ZN3ns311TcpTxBuffer21GetTransmittedSegmentEjRKNS_14SequenceNumberIjiEE",
        "_ZN3ns311TcpTxBuffer15UpdateLostCountEv",  # from Update
        "_ZN3ns311TcpTxBuffer13ResetSentListEv",  # public, for whoever calls it
        "_ZN3ns311TcpTxBuffer31DeleteRetransmittedFlagFromHeadEv",
        *(  # second names of constructors that are called by their first
            "_ZN3ns37AddressC2EhPKhh",
            "_ZN3ns37AddressC2Ev",
            "_ZN3ns311Ipv4AddressC2Ej",
            "_ZN3ns311Ipv4AddressC2Ev",
        ),
    }


@needs_ns3
@pytest.mark.parametrize(("switch", "accelerated"), [("0", "False"), ("1", "True")])
def test_a_result_says_whether_it_was_accelerated(switch, accelerated):
    if accelerate.build() is None:
        pytest.skip("the accelerator cannot be built here")
    say = (
        "from longfat.engines import ns3; from longfat.topologies import satellite;"
        "print(ns3.simulate(satellite(loss=0, duration_s=1)).provenance['accelerated'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", say],
        env=os.environ | {"LONGFAT_ACCELERATE": switch},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [accelerated], done.stderr


def test_switched_off_by_the_environment(monkeypatch):
    monkeypatch.setenv("LONGFAT_ACCELERATE", "0")
    assert accelerate.load() is False


@needs_ns3
def test_another_version_of_ns3_runs_unchanged(monkeypatch, caplog, capsys):
    monkeypatch.delitem(sys.modules, "ns", raising=False)  # another test may have loaded it
    monkeypatch.delenv("LONGFAT_ACCELERATE", raising=False)
    monkeypatch.setattr(accelerate.importlib.metadata, "version", lambda name: "3.45")
    assert accelerate.load() is False
    assert caplog.messages == ["accelerator not used: it is for ns-3 3.44, and this is ns-3 3.45"]
    assert accelerate.build() is None
    assert "not built: it is for ns-3 3.44" in capsys.readouterr().out


@needs_ns3
def test_without_a_compiler_there_is_a_notice(monkeypatch, tmp_path, caplog, capsys):
    monkeypatch.delitem(sys.modules, "ns", raising=False)
    monkeypatch.delenv("LONGFAT_ACCELERATE", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(compiled, "folders", lambda: [tmp_path])
    monkeypatch.setattr(compiled.shutil, "which", lambda name: None)
    assert accelerate.build() is None
    assert "no C++ compiler found" in capsys.readouterr().out
    assert accelerate.load() is False
    assert "it is not built" in caplog.text
    assert list(tmp_path.iterdir()) == []


@needs_ns3
def test_a_compiler_that_fails_leaves_nothing_behind(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(compiled, "folders", lambda: [tmp_path])
    monkeypatch.setenv("CXX", "false")
    assert accelerate.build() is None
    assert "notice: accelerator not built: false failed" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@needs_ns3
def test_checksums_are_calculated_where_the_environment_asks_for_them():
    """They change no digit; the question goes through a function that is replaced."""
    say = "from longfat.engines.ns3 import bindings; bindings.load(headers=False); "
    say += "from ns import ns; print(ns.Node.ChecksumEnabled())"
    for value, answer in (("", "False"), ("ChecksumEnabled=true", "True")):
        environment = {k: v for k, v in os.environ.items() if k != "NS_GLOBAL_VALUE"}
        environment |= {"NS_GLOBAL_VALUE": value} if value else {}
        done = subprocess.run(
            [sys.executable, "-c", say], env=environment, capture_output=True, text=True
        )
        assert done.stdout.split()[-1:] == [answer], done.stderr
