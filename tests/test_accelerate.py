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
from longfat.engines.ns3 import accelerate
from longfat.scenario import Flow, Outage, Record
from longfat.topologies import duplex

needs_ns3 = pytest.mark.skipif(find_spec("ns3") is None, reason="needs ns-3")
RUNS = Path(__file__).with_name("accelerate_runs.py")
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
    return {"request": ns3.request(scenario), "late": late, "late_s": late_s}


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
    """Everything that stock ns-3 and the accelerator give for the scenarios, side by side."""
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
    return [json.loads(process.stdout.read()) for process in processes]


@needs_ns3
def test_one_is_stock_ns3_and_the_other_accelerated(outputs):
    assert [output["accelerated"] for output in outputs] == [False, True]


@needs_ns3
@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=list(SCENARIOS))
def test_same_digits(outputs, number):
    stock, accelerated = (output["results"][number] for output in outputs)
    assert stock["exit_status"] == 0
    assert stock["events"] > 100
    assert accelerated == stock


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
def test_this_ns3_has_the_functions_that_are_answered_for():
    source = Path(accelerate.__file__).with_name("relink.cc").read_text("utf-8")
    names = re.findall(r'"(_Z\w{10,})"', source)
    libraries = [str(accelerate._ns3() / "lib64" / name) for name in accelerate.LIBRARIES]
    look_up = f"""
import ctypes
libraries = [ctypes.CDLL(path) for path in {libraries}]
for name in {names}:
    assert any(hasattr(library, name) for library in libraries), name
"""
    subprocess.run([sys.executable, "-c", look_up], check=True)
    assert len(names) >= 6


@needs_ns3
def test_this_ns3_has_the_functions_that_are_replaced():
    """A function of another name or signature would replace nothing."""

    def functions(library, kind):
        listing = subprocess.run(
            ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
        ).stdout
        return set(re.findall(rf"(?m)^\w+ {kind} (_ZN?K?3ns3\w+)$", listing))

    replaced = functions(accelerate.library_path(), "T")
    theirs = set().union(
        *(functions(accelerate._ns3() / "lib64" / name, "[TW]") for name in accelerate.LIBRARIES)
    )
    assert len(replaced) > 30
    assert replaced <= theirs


SCHEDULE = """
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include <random>

std::string order;
uint32_t happened = 0;
std::mt19937 numbers(7);
std::vector<ns3::EventId> ids;

/// Each event schedules others, soon, later or at once, removes one, and cancels another. Now and
/// then all go to another scheduler.
void
Happen(uint32_t number)
{
    order += std::to_string(number) + "@" + std::to_string(ns3::Now().GetTimeStep()) + " ";
    for (int i = 0; ids.size() < 4000 && i < 3; ++i)
    {
        const int64_t spread[] = {1, 7, 1000, 1000000};
        const auto delay = ns3::NanoSeconds(numbers() % spread[numbers() % 4]);
        const uint32_t next = ids.size();
        if (numbers() % 3 == 0)
        {
            ns3::Simulator::ScheduleWithContext(next, delay, &Happen, next);
        }
        ids.push_back(ns3::Simulator::Schedule(delay, &Happen, next));
    }
    ns3::Simulator::Remove(ids[numbers() % ids.size()]);
    ids[numbers() % ids.size()].Cancel();
    if (++happened % 500 == 0)
    {
        const bool odd = happened / 500 % 2;
        const char* next = odd ? "ns3::MapScheduler" : "ns3::PriorityQueueScheduler";
        ns3::Simulator::SetScheduler(ns3::ObjectFactory(next));
    }
    const auto& some = ids[numbers() % ids.size()];
    order += some.IsPending() ? "p" : "-";
    order += std::to_string(ns3::Simulator::GetDelayLeft(some).GetTimeStep()) + " ";
}

std::string
Run()
{
    for (uint32_t i = 0; i < 20; ++i)
    {
        ids.push_back(ns3::Simulator::Schedule(ns3::NanoSeconds(100), &Happen, i));
    }
    ns3::Simulator::Stop(ns3::NanoSeconds(3000000));
    ns3::Simulator::Run();
    order += std::to_string(ns3::Simulator::GetEventCount());
    ns3::Simulator::Destroy();
    return order;
}
"""


@needs_ns3
@pytest.mark.parametrize("scheduler", ["", "ns3::PriorityQueueScheduler"])
def test_events_happen_in_the_same_order(scheduler):
    """The scheduler's own test: events at one time, removed, cancelled, out of every order."""
    say = f"""
from longfat.engines.ns3 import server
server.load(headers=False)
from ns import ns
import cppyy
if {scheduler!r}:
    ns.Simulator.SetScheduler(ns.ObjectFactory({scheduler!r}))
cppyy.cppdef({SCHEDULE!r})
print(cppyy.gbl.Run())
"""
    orders = [
        subprocess.run(
            [sys.executable, "-c", say],
            env=os.environ | {"LONGFAT_ACCELERATE": accelerated},
            check=True,
            capture_output=True,
            text=True,
        )
        .stdout.splitlines()[-1]
        .split()
        for accelerated in ("0", "1")
    ]
    assert len(orders[0]) > 4000
    assert orders[0] == orders[1]


@needs_ns3
def test_checksums_are_calculated_where_the_environment_asks_for_them():
    """They change no digit, but cost time: the answer that there are none must not be given."""
    say = "from longfat.engines.ns3 import accelerate; accelerate.load(); from ns import ns; "
    say += "print(ns.Node.ChecksumEnabled())"
    for value, answer in (("", "False"), ("ChecksumEnabled=true", "True")):
        environment = {k: v for k, v in os.environ.items() if k != "NS_GLOBAL_VALUE"}
        environment |= {"NS_GLOBAL_VALUE": value} if value else {}
        done = subprocess.run(
            [sys.executable, "-c", say], env=environment, capture_output=True, text=True
        )
        assert done.stdout.split()[-1:] == [answer], done.stderr


def test_switched_off_by_the_environment(monkeypatch):
    monkeypatch.setenv("LONGFAT_ACCELERATE", "0")
    assert accelerate.load() is False


@needs_ns3
def test_another_version_of_ns3_runs_unchanged(monkeypatch, caplog, capsys):
    monkeypatch.delenv("LONGFAT_ACCELERATE", raising=False)
    monkeypatch.setattr(accelerate.importlib.metadata, "version", lambda name: "3.45")
    assert accelerate.load() is False
    assert caplog.messages == ["accelerator not used: it is for ns-3 3.44, and this is ns-3 3.45"]
    assert accelerate.build() is None
    assert "not built: it is for ns-3 3.44" in capsys.readouterr().out


@needs_ns3
def test_without_a_compiler_there_is_a_notice(monkeypatch, tmp_path, caplog, capsys):
    monkeypatch.delenv("LONGFAT_ACCELERATE", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(accelerate.shutil, "which", lambda name: None)
    assert accelerate.build() is None
    assert "no C++ compiler found" in capsys.readouterr().out
    assert accelerate.load() is False
    assert "it is not built" in caplog.text
    assert list(tmp_path.iterdir()) == []


@needs_ns3
def test_a_compiler_that_fails_leaves_nothing_behind(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("CXX", "false")
    assert accelerate.build() is None
    assert "notice: accelerator not built" in capsys.readouterr().out
    assert list((tmp_path / "share" / "longfat").iterdir()) == []


@needs_ns3
def test_a_changed_source_asks_for_another_build(monkeypatch, tmp_path):
    before = accelerate.library_path()
    changed = tmp_path / "accelerate.cc"
    changed.write_text(accelerate.SOURCES[0].read_text() + "\n")
    monkeypatch.setattr(accelerate, "SOURCES", [changed, *accelerate.SOURCES[1:]])
    assert accelerate.library_path() != before


def test_an_image_that_keeps_whole_seconds_needs_no_other_build(monkeypatch, tmp_path):
    monkeypatch.setattr(accelerate, "_ns3", lambda: tmp_path)
    (tmp_path / "lib64").mkdir()
    paths = []
    for time_ns in (
        1_700_000_000_123_456_789,
        1_700_000_000_000_000_000,
        1_700_000_001_000_000_000,
    ):
        for name in accelerate.LIBRARIES:
            (tmp_path / "lib64" / name).touch()
            os.utime(tmp_path / "lib64" / name, ns=(time_ns, time_ns))
        paths.append(accelerate.library_path())
    assert paths[0] == paths[1] != paths[2]
