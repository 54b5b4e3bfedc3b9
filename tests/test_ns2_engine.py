"""The engine ns2: determinism, senders and links beside the segment engine's, refusals."""

import itertools
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from longfat import InputError, Ns2, Outage, Record, Scenario, SimulationError, audit, engines
from longfat.engines import ns2, segment
from longfat.engines.ns2 import planning
from longfat.scenario import Flow, LinkChange
from longfat.topologies import duplex, satellite

pytestmark = pytest.mark.medium

FLOW_SERIES = ("cwnd_segments", "ssthresh_segments", "rtt_s", "delivered_bytes")


@pytest.fixture
def here():
    if ns2.is_here():
        return
    if os.environ.get("CI") and not os.environ.get("LONGFAT_NO_NS2"):
        pytest.fail("ns-2 is not prepared: run 'make ns2'")
    pytest.skip("ns-2 is not prepared (make ns2)")


def one_link(*, flow=None, backward=None, duration_s=10, seed=1, series=(), **link):
    """One flow over 10 Mb/s with a round trip of 0.1 s."""
    habits = link.pop("ns2", {})
    link = {"rate_bps": 10e6, "delay_s": 0.05, "queue_packets": 120} | link
    clean = {"loss_per_packet": 0, "loss_per_bit": 0, "outages": (), "changes": ()}
    flow = {"source": "a", "target": "b", "congestion_control": "newreno"} | (flow or {})
    return Scenario(
        links=duplex("a", "b", **link, backward=clean | (backward or {})),
        flows=(Flow(**flow),),
        duration_s=duration_s,
        seed=seed,
        ns2=habits,
        record=Record(series=series, points=50),
    )


def only_flow(scenario, engine=ns2):
    [row] = engine.simulate(scenario).flow_rows()
    return row


def measured(result):
    data = result.to_dict()
    provenance = {key: value for key, value in data["provenance"].items() if key != "wall_s"}
    return data | {"provenance": provenance}


# --- what a scenario is, with ns-2 or without


def test_a_scenario_without_habits_is_what_it_was():
    one = satellite(loss=1e-4, duration_s=100)
    assert one.sha256()[:12] == "2713453a8a65"
    assert "ns2" not in one.canonical_json()
    assert one.replace(ns2=Ns2()).sha256() == one.sha256()
    other = one.replace(ns2=Ns2(tick_s=0.01))
    assert other.sha256() != one.sha256()
    assert Scenario.from_json(other.to_json()) == other


@pytest.mark.parametrize("engine", ["segment", "ns3", "linux"])
def test_habits_are_of_this_engine_alone(engine):
    with pytest.raises(InputError, match=f"^ns2: the engine '{engine}' does not have the habits"):
        engines.simulate(one_link(ns2={"header_bytes": 0}), engine=engine)


def test_without_ns2_it_says_what_to_run(monkeypatch, tmp_path):
    monkeypatch.setenv("LONGFAT_NS2", str(tmp_path))
    assert not ns2.is_here()
    with pytest.raises(InputError, match="run 'make ns2'"):
        ns2.simulate(one_link())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"congestion_control": "chd"}, r"flows.0.congestion_control: .* no 'chd': it has bic, "),
        ({"recovery": "prr-ns3-3.44"}, r"flows.0.recovery: "),
        ({"segments_per_ack": 3}, r"flows.0.segments_per_ack: .* 3: it has 1 and 2"),
        ({"ecn": True}, r"flows.0.ecn: "),
        ({"congestion_control": "hybla", "sack": False}, r"flows.0.sack: .* need SACK"),
        ({"congestion_control": "cubic", "limited_transmit": False}, "flows.0.limited_transmit: "),
        (
            {"congestion_control": {"name": "hybla", "parameters": {"rtt0_s": 0.0251}}},
            r"flows.0.congestion_control.parameters.rtt0_s: .* parts of a millisecond",
        ),
        (
            {"congestion_control": {"name": "cubic", "parameters": {"beta": 0.5}}},
            r"flows.0.congestion_control.parameters.beta: ",
        ),
        ({"bytes": 2**45}, "flows.0.bytes: .* more than"),
    ],
)
def test_what_ns2_does_not_have_is_one_sentence(change, message):
    with pytest.raises(InputError, match=message) as refused:
        ns2.simulate(one_link(flow=change))
    assert "\n" not in str(refused.value)


def test_refusals_beside_the_flows():
    for scenario, message in [
        (one_link(mark_above_packets=5), "links.0.mark_above_packets"),
        (one_link(flow={"congestion_control": "cubic"}, ns2={"tick_s": 0.01}), "^ns2.tick_s: "),
    ]:
        with pytest.raises(InputError, match=message):
            ns2.simulate(scenario)


# --- determinism, and what is left behind


def test_same_scenario_same_digits(here):
    scenario = one_link(
        loss_per_packet=1e-3, flow={"congestion_control": "hybla"}, series=FLOW_SERIES
    )
    one, other = ns2.simulate(scenario), ns2.simulate(scenario)
    assert measured(one) == measured(other)
    assert measured(ns2.simulate(scenario.replace(seed=2))) != measured(one)
    assert one.provenance["engine_version"].startswith("ns-2.35 (ns2 2.35")


def test_archived_runs_come_out_again_on_this_machine_to_the_last_digit(here):
    compared = audit.audit(5, seed=1, experiment="ns2-beside-ns2")
    assert len(compared) == 5
    assert compared["equal"].all()


def test_losses_do_not_depend_on_starts(here):
    early = one_link(loss_per_packet=5e-3, duration_s=20)
    late = one_link(loss_per_packet=5e-3, duration_s=23.5, flow={"start_s": 3.5})
    assert only_flow(early)["retransmissions"] > 10
    for count in ("delivered_bytes", "segments_sent", "retransmissions", "recoveries"):
        assert only_flow(early)[count] == only_flow(late)[count], count


def test_a_run_that_is_killed_leaves_nothing(here, tmp_path):
    program = (
        "from longfat.engines import ns2; from longfat.topologies import satellite\n"
        "ns2.simulate(satellite(loss=1e-4, duration_s=1e6))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, env=os.environ | {"TMPDIR": str(tmp_path)}
    )
    children = []
    for _ in range(600):
        children = [c for c in psutil.Process(process.pid).children(recursive=True)]
        if any(child.name() == "ns" for child in children):
            break
        time.sleep(0.1)
    assert any(child.name() == "ns" for child in children)
    process.send_signal(signal.SIGKILL)
    process.wait()
    psutil.wait_procs(children, timeout=10)
    assert not [c for c in children if c.is_running() and c.status() != psutil.STATUS_ZOMBIE]
    assert list(Path(tmp_path).iterdir()) == []


def test_a_run_that_takes_too_long_says_so(here):
    with pytest.raises(SimulationError, match=r"took longer than its limit of 0\.5 s"):
        ns2.simulate(satellite(loss=1e-4, duration_s=1e6), time_limit_s=0.5)


def test_a_run_that_takes_too_much_memory_says_so(here):
    window = {"receive_buffer_bytes": 6 * 10**7, "initial_window_segments": 60_000}
    wide = one_link(flow=window, rate_bps=1e9, delay_s=1, queue_packets=100_000)
    with pytest.raises(SimulationError, match=r"ran out of memory \(its limit is 1 MB\)"):
        ns2.simulate(wide, memory_limit_bytes=1_000_000)


# --- beside the segment engine


@pytest.mark.parametrize("name", planning.algorithms())
def test_without_losses_it_delivers_what_the_segment_engine_does(here, name):
    """Within one window, where the largest keeps the queue empty; and no window is above it."""
    flow = {"congestion_control": name, "receive_buffer_bytes": 60_000}
    scenario = one_link(flow=flow, duration_s=30, series=("cwnd_segments",))
    result = ns2.simulate(scenario)
    [row] = result.flow_rows()
    # Any control that fills its window does the same here: the segment engine need not have it.
    ours = only_flow(
        one_link(flow=flow | {"congestion_control": "newreno"}, duration_s=30), segment
    )
    if name == "lp":  # takes a millisecond's rounding for a queue, where there is none
        assert 0.1 < row["delivered_bytes"] / ours["delivered_bytes"] < 0.5
    else:
        assert abs(row["delivered_bytes"] - ours["delivered_bytes"]) <= 60_000
    if planning.sender(scenario, 0).module:
        assert result.traces["cwnd_segments"]["cwnd_segments"].max() <= 60


@pytest.mark.parametrize("transfer", [1000, 999_999, 10_000_000])
def test_a_transfer_takes_as_long_as_on_the_segment_engine(here, transfer):
    scenario = satellite(loss=0, duration_s=100, transfer_bytes=transfer)
    one, other = only_flow(scenario), only_flow(scenario, segment)
    assert one["delivered_bytes"] == other["delivered_bytes"] == transfer
    assert one["segments_sent"] == -(-transfer // 1000)
    assert one["transfer_time_s"] == pytest.approx(other["transfer_time_s"], rel=1e-3)


@pytest.mark.parametrize("sack", [False, True])
def test_newreno_with_losses_is_the_segment_engines(here, sack):
    """Within 5 % in the mean of ten seeds at a loss of 1e-3 (RFC recovery)."""
    flow = {"sack": sack, "recovery": "halving", "receive_buffer_bytes": 10**7}
    runs = [
        one_link(
            loss_per_packet=1e-3,
            flow=flow,
            duration_s=200,
            seed=seed,
            rate_bps=100e6,
            queue_packets=1000,
        )
        for seed in range(1, 11)
    ]
    one, other = (
        sum(only_flow(run, engine)["goodput_bps"] for run in runs) / len(runs)
        for engine in (ns2, segment)
    )
    assert one == pytest.approx(other, rel=0.05)


def test_halving_has_the_window_at_once_and_rate_halving_not(here):
    """Hybla's recovery on the satellite: half a window at once costs more."""
    halving, rate = (
        sum(
            only_flow(satellite(loss=1e-3, duration_s=200, recovery=recovery, seed=seed))[
                "goodput_bps"
            ]
            for seed in (1, 2, 3)
        )
        for recovery in ("halving", "prr")
    )
    assert 0.90 < halving / rate < 0.98


@pytest.mark.parametrize("sack", [False, True])
def test_hybla_in_ns2s_own_senders_grows_as_hybla(here, sack):
    """Without losses as on the segment engine; with them it halves once a recovery, and goes on."""

    def own(**path):
        found = satellite(**path, record={"series": ["cwnd_segments"], "points": 400})
        flows = [found.flows[0].model_dump() | {"sack": sack}]
        return found.replace(ns2=Ns2(own_hybla=True), flows=flows)

    clean = own(loss=0, duration_s=60)
    one = ns2.simulate(clean)
    other = only_flow(satellite(loss=0, duration_s=60), segment)
    assert abs(one.flow_rows()[0]["delivered_bytes"] - other["delivered_bytes"]) <= 550_000
    window = one.traces["cwnd_segments"]["cwnd_segments"]
    assert window.max() == 550 and set(window) == {1, 22, 550}

    lossy = ns2.simulate(own(loss=1e-3, duration_s=200))
    [row] = lossy.flow_rows()
    assert row["recoveries"] > 50
    window = lossy.traces["cwnd_segments"].set_index("time_s")["cwnd_segments"]
    assert window.max() == 550
    assert 0.5 < row["goodput_bps"] / other["goodput_bps"] < 0.95


@pytest.mark.parametrize(
    ("control", "mended"),
    [
        ("bic", ["growth"]),
        ("illinois", ["decrease"]),
        ("lp", ["delay", "threshold"]),
        ("scalable", ["growth", "decrease"]),
        ("vegas", ["growth", "decrease"]),
    ],
)
def test_what_is_mended_decides(here, control, mended):
    """Each mend by itself gives other digits than none; another sender does not take it."""
    flow = {"congestion_control": control, "timestamps": True}
    assert planning.MENDED[planning.LINUX[control]] == tuple(mended)

    def bytes_with(*mends, loss=1e-2):
        made = one_link(flow=flow, ns2={"mended": mends}, loss_per_packet=loss, duration_s=60)
        return only_flow(made)["delivered_bytes"]

    plain = bytes_with()
    assert all(bytes_with(mend) != plain for mend in mended if mend != "threshold")
    assert bytes_with(*mended) != plain
    with pytest.raises(InputError, match="has no 'growth' that could be mended"):
        planning.plan(one_link(flow={"congestion_control": "cubic"}, ns2={"mended": ["growth"]}))


# --- links


def test_links_lose_as_often_as_they_say(here):
    for link in ({"loss_per_packet": 0.01}, {"loss_per_bit": 0.01 / 8 / 1054}):
        result = ns2.simulate(one_link(**link, flow={"bytes": None}, duration_s=200))
        there = result.links.iloc[0]
        expected = 0.01 * there["packets_sent"]
        assert expected > 100
        assert abs(there["packets_lost"] - expected) < 4 * math.sqrt(expected)
        assert result.links.iloc[1]["packets_lost"] == 0


def test_losses_before_the_queue_take_no_rate(here):
    at_end = ns2.simulate(one_link(loss_per_packet=0.02)).links.iloc[0]
    before = ns2.simulate(
        one_link(loss_per_packet=0.02, ns2={"losses": "before the queue"})
    ).links.iloc[0]
    flow = only_flow(one_link(loss_per_packet=0.02, ns2={"losses": "before the queue"}))
    assert before["packets_lost"] > 0 and at_end["packets_lost"] > 0
    assert before["packets_sent"] + before["packets_lost"] - 1 == flow["segments_sent"]


def test_a_queue_holds_what_it_says(here):
    scenario = one_link(queue_packets=7, series=("queue_packets",), duration_s=20)
    result = ns2.simulate(scenario)
    assert result.links.iloc[0]["packets_dropped_by_queue"] > 0
    assert result.traces["queue_packets"]["queue_packets"].max() <= 7
    one, other = only_flow(scenario), only_flow(scenario, segment)
    assert one["goodput_bps"] == pytest.approx(other["goodput_bps"], rel=0.1)


def test_an_outage_lets_nothing_through(here):
    scenario = one_link(
        outages=(Outage(start_s=2, duration_s=1), Outage(start_s=2.5, duration_s=1)),
        series=("delivered_bytes",),
    )
    trace = ns2.simulate(scenario).traces["delivered_bytes"].set_index("time_s")["delivered_bytes"]
    assert trace.asof(2.01) == trace.asof(3.49) < trace.asof(9.9)


def test_a_change_of_rate_is_felt(here):
    changes = (
        LinkChange(at_s=4, rate_bps=1e6),
        LinkChange(at_s=8, delay_s=0.3, loss_per_packet=0.5),
    )
    for changed in changes[:1], changes:
        scenario = one_link(changes=changed, flow={"receive_buffer_bytes": 50_000})
        row, ours = only_flow(scenario), only_flow(scenario, segment)
        assert abs(row["delivered_bytes"] - ours["delivered_bytes"]) <= 50_000


def test_delayed_acks_are_half_as_many(here):
    result = ns2.simulate(one_link(flow={"segments_per_ack": 2, "receive_buffer_bytes": 50_000}))
    there, back = result.links["packets_sent"]
    assert back == pytest.approx(there / 2, rel=0.02)


def test_a_flow_ends_when_it_is_stopped(here):
    """What is under way, or in the send buffer, still arrives."""
    for buffer in (60_000, 1_000_000):
        flow = {"stop_s": 5.0, "receive_buffer_bytes": 50_000, "send_buffer_bytes": buffer}
        scenario = one_link(flow=flow)
        one, other = only_flow(scenario), only_flow(scenario, segment)
        assert abs(one["delivered_bytes"] - other["delivered_bytes"]) <= 50_000


def test_counters_of_32_bits_are_read_right(here):
    flow = {"segment_bytes": 9000, "congestion_control": "scalable"}
    scenario = one_link(flow=flow, rate_bps=10e9, delay_s=0.001, queue_packets=1000, duration_s=6)
    one = only_flow(scenario)
    assert one["delivered_bytes"] > 2**32
    assert (
        one["segments_sent"] * 9000 >= one["delivered_bytes"] > 0.99 * one["segments_sent"] * 9000
    )
    assert one["goodput_bps"] < 10e9


def test_headers_count_as_told(here):
    times = [
        only_flow(one_link(rate_bps=1e6, flow={"bytes": 4 * 10**6}, ns2=habits, duration_s=90))
        for habits in ({"header_bytes": 0}, {}, {"header_bytes": 1000})
    ]
    assert [round(row["transfer_time_s"] / times[0]["transfer_time_s"], 2) for row in times] == [
        1.0,
        pytest.approx(1.054, abs=0.01),
        pytest.approx(2.0, abs=0.03),
    ]


# --- anything


def random_scenario(draw: random.Random) -> Scenario:
    """A small network with any feature that a scenario has, also those that ns-2 has not."""

    def some(probability, value):
        return value if draw.random() < probability else None

    nodes = ["a", "b", "c"][: draw.choice([2, 2, 3])]
    links = []
    for one, other in itertools.pairwise(nodes):
        limit = draw.choice(
            [{"queue_packets": draw.randint(1, 200)}, {"queue_bytes": draw.randint(3000, 10**6)}]
        )
        link = {
            "rate_bps": draw.choice([1e5, 2.5e6, 1e8]) * (0.5 + draw.random()),
            "delay_s": draw.choice([0, 1e-4, 0.03, 0.3]),
            "loss_per_packet": draw.choice([0, 0, 1e-3, 0.2]),
            "loss_per_bit": draw.choice([0, 0, 1e-6]),
            "outages": [Outage(start_s=draw.random() * 5, duration_s=draw.random())]
            * draw.choice([0, 0, 1]),
            "changes": [LinkChange(at_s=3 * draw.random(), rate_bps=1e6)] * draw.choice([0, 0, 1]),
            "mark_above_packets": some(0.03, 5),
        } | limit
        links += duplex(one, other, **link)
    flows = []
    for _ in range(draw.choice([1, 1, 2, 4])):
        source, target = draw.sample(nodes, 2)
        start_s = draw.choice([0, 2 * draw.random()])
        flows.append(
            {
                "source": source,
                "target": target,
                "congestion_control": draw.choice([*planning.algorithms(), "ucc", "tcpj"]),
                "segment_bytes": draw.choice([100, 536, 1000, 1448]),
                "initial_window_segments": draw.choice([1, 2, 10]),
                "initial_ssthresh_segments": some(0.2, draw.randint(2, 200)),
                "receive_buffer_bytes": draw.choice([3000, 64_000, "auto"]),
                "segments_per_ack": draw.choice([1, 1, 2, 3] if draw.random() < 0.1 else [1, 2]),
                "sack": draw.random() < 0.8,
                "recovery": draw.choice(["prr", "halving"]),
                "timestamps": draw.random() < 0.7,
                "ecn": draw.random() < 0.03,
                "min_rto_s": draw.choice([0.2, 1.0]),
                "start_s": start_s,
                "stop_s": some(0.2, start_s + 0.1 + 4 * draw.random()),
                "bytes": some(0.3, draw.choice([1, 1000, 123_456])),
                "path": some(0.1, [source, target]) if len(nodes) == 2 else None,
            }
        )
    record = {"series": draw.sample([*FLOW_SERIES, "queue_packets", "sent_bytes"], 2), "points": 20}
    return Scenario(
        links=links,
        flows=flows,
        duration_s=6,
        seed=draw.randint(1, 10**6),
        record=record,
        ns2=draw.choice(
            [
                {},
                {},
                {"header_bytes": 0, "ack_bytes": 40, "sack_blocks": 1},
                {"losses": "before the queue", "overhead_s": 0.001, "linux_agents": True},
            ]
        ),
    )


def run_or_be_refused(number: int) -> bool:
    scenario = random_scenario(random.Random(number))
    try:
        result = ns2.simulate(scenario, time_limit_s=60)
    except InputError as refusal:
        assert "\n" not in str(refusal) and "engine 'ns2'" in str(refusal)
        return False
    for flow, row in zip(scenario.flows, result.flow_rows(), strict=True):
        assert 0 <= row["retransmissions"] <= row["segments_sent"]
        assert 0 <= row["delivered_bytes"] <= row["segments_sent"] * flow.segment_bytes
        assert row["recoveries"] >= 0 <= row["timeouts"]
        assert (row["transfer_time_s"] is not None) == (row["delivered_bytes"] == flow.bytes)
    [sent] = [row["packets_sent"] for row in result.to_dict()["links"][:1]]
    assert sent * 8 * 40 <= scenario.duration_s * max(2e6, 1.01 * scenario.links[0].rate_bps) * 3
    return True


def test_random_scenarios_run_or_are_refused(here):
    assert sum(map(run_or_be_refused, range(12))) >= 4


def test_vegas_without_sack_has_packets_without_headers(here):
    """Its own function sends them: counted with headers, few packets were gigabytes."""
    flow = {"source": "a", "target": "b", "congestion_control": "vegas", "sack": False}
    links = duplex("a", "b", rate_bps=1e6, delay_s=0.02, queue_packets=50)
    plain = Scenario(links=links, flows=[flow], duration_s=10, ns2={"header_bytes": 0})
    [row] = ns2.simulate(plain).flow_rows()
    assert 0.9e6 < row["goodput_bps"] <= 1e6
    with pytest.raises(InputError, match=r"flows\.0\.sack: the packets of 'vegas' .* no headers"):
        ns2.simulate(plain.replace(ns2=Ns2()))


@pytest.mark.slow
def test_a_hundred_random_scenarios_run_or_are_refused(here):
    assert sum(map(run_or_be_refused, range(100, 200))) >= 50


def test_the_pipe_of_the_window_is_left_out_of_keys_where_it_is_not_asked_for():
    scenario = one_link(ns2={"tick_s": 0.01})
    assert "pipe_of_window" not in scenario.to_json()
    other = scenario.replace(ns2=Ns2(tick_s=0.01, pipe_of_window=True))
    assert other.sha256() != scenario.sha256()
    assert Scenario.from_json(other.to_json()) == other
    assert "oldCode_ true" in planning.plan(other)
    assert "oldCode_" not in planning.plan(scenario)
