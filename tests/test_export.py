"""Scenarios as programs for real Linux hosts: what they say, what is refused, and a real run."""

import ast
import json
import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from longfat import InputError, LossBursts, Scenario, cli, engines, simulate, topologies
from longfat.export import export
from longfat.network import duplex

CABLE = {"rate_bps": 5e6, "delay_s": 0.02, "queue_packets": 50}
IN_BYTES = {"rate_bps": 5e6, "delay_s": 0.02, "queue_bytes": 50_000}
BURSTS = {"loss_per_packet": 0.01, "mean_packets": 5, "loss_within": 0.5}


def scenario(links=None, flows=None, **fields) -> Scenario:
    flow = {"source": "a", "target": "b", "congestion_control": "cubic"}
    return Scenario(
        links=links or duplex("a", "b", **CABLE),
        flows=[flow | one for one in (flows or [{}])],
        **({"duration_s": 5} | fields),
    )


def test_a_shell_can_read_it():
    names = scenario(duplex("a", "b; rm -rf x\n'", **CABLE), [{"target": "b; rm -rf x\n'"}])
    for one in (scenario(), names, topologies.japan("cubic")):
        script = export(one, "netns")
        subprocess.run(["sh", "-n"], input=script, text=True, check=True)
        stated = next(line for line in script.splitlines() if line.startswith("# {"))
        assert Scenario.from_json(stated[2:]) == one.replace(title="")


def test_python_can_read_it():
    program = export(scenario(), "mininet")
    tree = ast.parse(program)
    values = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert ast.literal_eval(values["NODES"]) == ["a", "b"]
    assert json.loads(ast.literal_eval(values["SCENARIO"].args[0])) == json.loads(
        scenario().canonical_json()
    )


def test_what_a_link_and_a_flow_say_stands_in_the_script():
    link = CABLE | {"loss_per_packet": 1e-3}
    flow = {"max_window_segments": 550, "segments_per_ack": 1, "min_rto_s": 0.3, "sack": False}
    flow |= {"congestion_control": "hybla", "start_s": 1.5, "bytes": 10**6}
    script = export(scenario(duplex("a", "b", **link), [flow]), "netns")
    for words in (
        "htb rate 5000000bit",
        "pfifo limit 50",
        "netem limit 10000000 delay 20000us loss 0.10000000%",
        "cwnd lock 550",
        "initcwnd 10",
        "rto_min 300ms",
        "quickack 1",
        "net.ipv4.tcp_sack=0",
        "-C hybla -M 1012 -n 1000000",
        "sleep 1.5",
    ):
        assert words in script, words


def test_an_outage_and_a_change_of_a_link_come_in_time():
    link = CABLE | {
        "outages": [{"start_s": 1, "duration_s": 0.5}],
        "changes": [{"at_s": 2, "rate_bps": 1e6}, {"at_s": 3, "delay_s": 0.1}],
    }
    script = export(
        scenario(duplex("a", "b", **link, backward={"outages": [], "changes": []})), "netns"
    )
    later = [line for line in script.splitlines() if line.startswith("at ") and " tc " in line]
    assert [line.split(";")[0] for line in later] == ["at 1", "at 1.5", "at 2", "at 2", "at 3"]
    assert "loss 100.0" in later[0]
    assert "loss 0.0" in later[1]
    assert "rate 1000000bit" in later[2]
    assert "delay 100000us" in later[4]
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)


def test_a_schedule_of_delays_is_kept_by_the_clock():
    """Each step waits for its time from the beginning, however long those before it took."""
    delays = [{"at_s": k / 10, "delay_s": k / 1000} for k in range(1, 6)]
    script = export(scenario(duplex("a", "b", **CABLE, changes=delays)), "netns")
    own = script[script.index("at() {") : script.index("}\n", script.index("at() {")) + 2]
    steps = [line for line in script.splitlines() if line.startswith("at ")]
    said = [f"{step.split(';')[0]}; sleep 0.05; date +%s.%N" for step in steps[::2]]
    asked = "\n".join([own, "BEGIN=$(date +%s.%N)", "echo $BEGIN", *said])
    ran = subprocess.run(["sh"], input=asked, capture_output=True, text=True, check=True)
    begin, *times = map(float, ran.stdout.split())
    waited = [time - begin - 0.05 for time in times]
    assert all(one >= k / 10 - 1e-3 for k, one in enumerate(waited, 1)), waited
    assert waited[-1] < 0.5 + 4 * 0.05  # not the sum of what each step took


def test_a_managed_queue_and_bursts_are_what_tc_has():
    """Gilbert and Elliott's bad state holds 2 % of the packets, 5 at a time: 0.004082 begin one."""
    links = duplex("a", "b", **CABLE, aqm={"kind": "pie"}, loss_bursts=BURSTS)
    links += duplex("b", "c", **CABLE, aqm={"kind": "codel", "target_s": 0.02, "ecn": False})
    script = export(scenario(links), "netns")
    for words in (
        "pie limit 50 target 15000us tupdate 15000us alpha 2 beta 20 ecn",
        "codel limit 50 target 20000us interval 100000us noecn",
        "netem limit 10000000 delay 20000us loss gemodel 0.40816327% 20.00000000% 50.00000000% 0.0",
    ):
        assert script.count(words) == 2, words
    assert "pie limit 50" in export(scenario(links), "mininet")
    out = LossBursts(**BURSTS)
    assert out.begins / (out.begins + out.ends) * out.loss_within == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("what", "field"),
    [
        ({"flows": [{"congestion_control": "ucc"}]}, "flows.0.congestion_control"),
        ({"flows": [{"recovery": "halving"}]}, "flows.0.recovery"),
        ({"flows": [{"limited_transmit": False}]}, "flows.0.limited_transmit"),
        ({"flows": [{"path": ("a", "b")}]}, "flows.0.path"),
        ({"flows": [{"segments_per_ack": 4}]}, "flows.0.segments_per_ack"),
        ({"flows": [{"segment_bytes": 9000}]}, "flows.0.segment_bytes"),
        ({"flows": [{}, {"sack": False}]}, "sack"),
        ({"flows": [{}, {"min_rto_s": 0.3}]}, "flows"),
        ({"links": duplex("a", "b", **CABLE, mark_above_packets=5)}, "links.0.mark_above_packets"),
        ({"links": duplex("a", "b", **CABLE, loss_per_bit=1e-6)}, "links.0.loss_per_bit"),
        ({"links": duplex("a", "b", **CABLE, aqm={"kind": "red"})}, "links.0.aqm"),
        (
            {"links": duplex("a", "b", **CABLE, aqm={"kind": "pie", "alpha": 0.13})},
            "links.0.aqm.alpha",
        ),
        (
            {"links": duplex("a", "b", **CABLE, aqm={"kind": "pie", "mark_below": 0.2})},
            "links.0.aqm.mark_below",
        ),
        (
            {"links": duplex("a", "b", **IN_BYTES, aqm={"kind": "codel"})},
            "links.0.queue_bytes",
        ),
        (
            {"links": duplex("a", "b", **CABLE, loss_per_packet=0.01, loss_bursts=BURSTS)},
            "links.0.loss_bursts",
        ),
        (
            {"links": duplex("a", "b", **CABLE, arq={"persistence": 3, "feedback_s": 0.01})},
            "links.0.arq",
        ),
    ],
)
def test_what_a_kernel_cannot_do_is_refused_in_one_sentence(what, field):
    with pytest.raises(InputError) as refused:
        export(scenario(**what), "netns")
    assert str(refused.value).startswith(f"{field}: this cannot be exported: ")
    assert "\n" not in str(refused.value)


def test_another_target_and_too_fast_a_link_for_mininet_are_refused():
    with pytest.raises(InputError, match="--to is 'ns4': it must be netns or mininet"):
        export(scenario(), "ns4")
    fast = scenario(duplex("a", "b", **CABLE | {"rate_bps": 1e10}))
    with pytest.raises(InputError, match=r"links\.0\.rate_bps"):
        export(fast, "mininet")
    assert "10000000000bit" in export(fast, "netns")


def test_the_command_writes_a_program_or_says_what_is_wrong(tmp_path):
    given, made = tmp_path / "scenario.json", tmp_path / "run.sh"
    given.write_text(scenario().to_json())
    run = CliRunner().invoke
    assert run(cli.main, ["export", str(given), "--to", "netns"]).output == export(
        scenario(), "netns"
    )
    assert (
        run(cli.main, ["export", str(given), "--to", "netns", "--output", str(made)]).output == ""
    )
    assert os.access(made, os.X_OK)
    wrong = run(cli.main, ["export", str(given), "--to", "x"])
    assert wrong.exit_code == 2
    assert wrong.output == "longfat: --to is 'x': it must be netns or mininet\n"


def _namespaces() -> str:
    """What this machine lacks to run a script, or nothing."""
    if os.name != "posix" or os.geteuid() != 0:
        return "it is not root"
    for tool in ("ip", "tc", "iperf3", "ss"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            return f"it has no {tool}"
    probe = (
        "ip netns add longfat-probe && ip netns exec longfat-probe tc qdisc add dev lo root handle "
        "1: htb; status=$?; ip netns delete longfat-probe; exit $status"
    )
    if subprocess.run(["sh", "-c", probe], capture_output=True).returncode:
        return "it makes no network namespaces, or has no htb"
    return ""


def _own_namespaces() -> set[str]:
    """Return the network namespaces that scripts of ours have made."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.startswith("lf")}


@pytest.mark.slow
def test_real_namespaces_carry_what_the_engines_say(tmp_path):
    """Two hops without delay, so that Linux needs no netem: the slower link is filled."""
    if lacking := _namespaces():
        pytest.skip(f"this machine cannot run the script: {lacking}")
    fast, slow = {"rate_bps": 20e6, "queue_packets": 100}, {"rate_bps": 5e6, "queue_packets": 50}
    links = [*duplex("a", "r", delay_s=0, **fast), *duplex("r", "b", delay_s=0, **slow)]
    ours = scenario(links, [{}], duration_s=4, record={"series": ["cwnd_segments"]})
    script = tmp_path / "run.sh"
    script.write_text(export(ours, "netns"))
    environment = os.environ | {"OUT": str(tmp_path / "out")}
    environment["PATH"] += ":/usr/sbin:/sbin"
    there = _own_namespaces()  # of a run that was killed, say
    ran = subprocess.run(
        ["sh", str(script)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    ended = json.loads((tmp_path / "out" / "flow-0.json").read_text())["end"]
    goodput = ended["sum_received"]["bits_per_second"]
    for engine in filter(engines.is_here, ("segment", "linux")):
        expected = simulate(ours, engine=engine).flows["goodput_bps"].iloc[0]
        assert goodput == pytest.approx(expected, rel=0.06), engine  # iperf3's end, Ethernet's 12
    assert "cubic" in (tmp_path / "out" / "sockets-0.txt").read_text()
    assert _own_namespaces() <= there
