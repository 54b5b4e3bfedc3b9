"""The Linux engine where no kernel is built: what it says, and what it asks a guest to do."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from longfat import InputError, Outage, Scenario, simulate
from longfat.engines import linux
from longfat.engines.linux.planning import _states
from longfat.scenario import Flow, Link, LinkChange
from longfat.topologies import duplex


def scenario(**flow):
    flow = {"source": "a", "target": "b", "congestion_control": "reno"} | flow
    links = duplex("a", "b", rate_bps=10e6, delay_s=0.05, queue_packets=120)
    return Scenario(links=links, flows=(Flow(**flow),), duration_s=10)


def ucc(clock_s=1e-3, **parameters):
    return {"name": "ucc", "parameters": {"clock_s": clock_s, **parameters}}


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"congestion_control": "newreno"}, r"no congestion control 'newreno': it has bbr, bic, "),
        ({"recovery": "halving"}, r"^flows.0.recovery: the engine 'linux' .*it has prr alone"),
        ({"segments_per_ack": 3}, "3 segments_per_ack: it has 1 and 2"),
        ({"segment_bytes": 20}, "segment_bytes below 36"),
        (
            {"congestion_control": {"name": "hybla", "parameters": {"rtt0_s": 0.0251}}},
            "rtt0_s is 0.0251: engine 'linux' takes whole milliseconds",
        ),
        (
            {"congestion_control": "ucc"},
            r"clock_s is 0.*: on engine 'linux' UCC's clock is .*1e-6 s",
        ),
        ({"congestion_control": ucc(clock_s=1.5e-6)}, "clock_s is 1.5e-06: .* whole microseconds"),
        ({"congestion_control": ucc(), "timestamps": False}, "'ucc' without timestamps"),
        (
            {"congestion_control": ucc(clock_s=1e-6), "initial_ssthresh_segments": 20},
            "initial_ssthresh_segments where UCC's clock ticks in microseconds",
        ),
        (
            {"congestion_control": ucc(clock_s=1e-6, minimum_lifetime_s=5000)},
            r"minimum_lifetime_s is 5000: .* UCC's clock.* begins again after 4294\.97 s",
        ),
    ],
)
def test_what_linux_does_not_have_is_one_sentence(flow, message):
    with pytest.raises(InputError, match=message):
        simulate(scenario(**flow), engine="linux")


def test_hybla_has_one_rtt0_for_all_flows():
    flows = [
        {"source": "a", "target": "b", "congestion_control": {"name": "hybla", "parameters": p}}
        for p in ({"rtt0_s": 0.025}, {"rtt0_s": 0.05})
    ]
    with pytest.raises(InputError, match="one rtt0_s for all flows"):
        simulate(scenario().replace(flows=flows), engine="linux")


def test_ucc_reads_delays_in_one_way_for_all_flows():
    flows = [{"source": "a", "target": "b", "congestion_control": ucc(c)} for c in (1e-3, 1e-6)]
    with pytest.raises(InputError, match="one clock_s for all flows"):
        simulate(scenario().replace(flows=flows), engine="linux")


def test_ucc_runs_no_longer_than_its_clock():
    long = scenario(congestion_control=ucc(1e-6)).replace(duration_s=5000)
    with pytest.raises(InputError, match=r"duration_s is 5000: .* begins again after 4294\.97 s"):
        simulate(long, engine="linux")


def test_the_plan_gives_ucc_whole_ticks_of_tcps_timestamps():
    """A tolerance is in ticks of UCC's clock, a lifetime in those of the timestamps."""
    own = {"tolerance_s": 2.5e-3, "minimum_lifetime_s": 10, "drift": 5e-5}
    text = linux.plan(scenario(congestion_control=ucc(2e-3, **own)))
    values = dict(re.findall(r"echo (\S+) > /sys/module/tcp_ucc/parameters/(\S+)", text))
    assert {name: int(value) for value, name in values.items()} == {
        "alpha_millionths": 990_000,
        "clock_ticks": 2,
        "tolerance_ticks": 1,
        "lifetime_ticks": 10_000,
        "minimum_of_epoch": 0,
        "drift_billionths": 50_000,
    }
    assert "guest route" not in text  # ip sets routes, and timestamps tick in milliseconds
    fine = linux.plan(scenario(congestion_control=ucc(1e-5)))
    assert fine.count("guest route") == 2 and "10 > /sys/module/tcp_ucc/parameters/clock" in fine


def test_a_kernel_from_ones_own_source_says_that_it_has_no_ucc(monkeypatch, tmp_path):
    monkeypatch.setenv("LONGFAT_EMULATION", str(tmp_path))
    made = {"kernel_version": "6.12.1", "sources_sha256": linux._sources_sha256()}
    (tmp_path / "build.json").write_text(json.dumps(made))
    with pytest.raises(InputError, match="no 'ucc' here: its kernel was built from LINUX_SOURCE"):
        linux.simulate(scenario(congestion_control=ucc()))


def test_without_a_kernel_it_says_what_to_run(monkeypatch, tmp_path):
    monkeypatch.setenv("LONGFAT_EMULATION", str(tmp_path))
    with pytest.raises(InputError, match="run 'make emulation'"):
        linux.simulate(scenario())


def test_an_outage_is_brought_forward_by_the_time_on_the_way():
    """netem decides as a packet sets out; the outage takes what arrives. 10 000 bits take 1 ms."""
    link = Link(
        source="a",
        target="b",
        rate_bps=10e6,
        delay_s=0.05,
        queue_packets=9,
        outages=(Outage(start_s=2, duration_s=1),),
        changes=(LinkChange(at_s=1.5, delay_s=0.1), LinkChange(at_s=2.5, loss_per_packet=0.1)),
    )
    states = _states(link, 1250)
    times = [time for time, _ in states]
    assert times == pytest.approx([0, 1.5, 1.899, 2.5, 2.899])
    assert [state.outage for _, state in states] == [False, False, True, True, False]
    assert [state.delay_s for _, state in states] == [0.05, 0.1, 0.1, 0.1, 0.1]
    assert [state.loss(1250) for _, state in states] == pytest.approx([0, 0, 1, 1, 0.1])


def test_bit_errors_grow_with_size():
    link = Link(source="a", target="b", rate_bps=1e6, delay_s=0, queue_packets=1, loss_per_bit=1e-5)
    [(_, state)] = _states(link, 1250)
    assert state.loss(125) == pytest.approx(1 - (1 - 1e-5) ** 1000)
    assert state.loss(1250) == pytest.approx(1 - (1 - 1e-5) ** 10_000)


def test_building_says_which_packages_it_needs(tmp_path):
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "dirname").symlink_to(shutil.which("dirname"))
    build = Path(linux.__file__).with_name("build.sh")
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run([build], env=environment, capture_output=True, text=True)
    assert run.returncode == 2
    assert "make emulation needs flex bison" in run.stderr
    assert "apt-get install linux-source-6.12" in run.stderr


STANDS_IN = {
    "make": """for word in "$@"; do case $word in O=*) out=${word#O=};; esac; done
        mkdir -p "$out/kernel" && touch "$out/linux"  # as Linux does: it has a folder of that name
        case " $* " in *" kernelrelease "*) echo 6.12.0;; esac""",
    "gcc": 'while [ "$1" != -o ]; do shift; done; touch "$2"',
} | dict.fromkeys(["flex", "bison", "bc", "ip", "tc", "setpriv", "setarch", "xz"], "exit 0")


def test_building_from_nothing_leaves_what_the_engine_runs(tmp_path):
    """With stand-ins for what takes minutes: kernel and compiler."""
    tools, folder = tmp_path / "tools", tmp_path / "built"
    for name, program in STANDS_IN.items():
        tools.mkdir(exist_ok=True)
        (tools / name).write_text(f"#!/bin/sh\n{program}\n", "utf-8")
        (tools / name).chmod(0o755)
    (tmp_path / "source" / "arch" / "um").mkdir(parents=True)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "LINUX_SOURCE": str(tmp_path / "source"),
        "LONGFAT_EMULATION": str(folder),
    }
    build = Path(linux.__file__).with_name("build.sh")
    for _ in range(2):  # from nothing, and over what is there
        subprocess.run([build], env=environment, capture_output=True, text=True, check=True)
        assert {path.name for path in folder.iterdir() if path.is_file()} >= {
            "linux",
            "guest",
            "host.so",
            "build.json",
        }
        assert json.loads((folder / "build.json").read_text())["kernel_version"] == "6.12.0"
        assert not (folder / "build").exists()
