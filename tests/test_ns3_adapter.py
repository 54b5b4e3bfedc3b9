"""Our congestion controls in real ns-3, by the adapter: what they are told, asked and allowed."""

import pytest
from segment_scenarios import flow, link, run, scenario

from longfat import Scenario, engines
from longfat.cc import catalogue
from longfat.engines import ns3
from longfat.engines.ns3 import compiled
from longfat.engines.segment import native
from longfat.errors import InputError

SENDERS = sorted(
    name for name, one in catalogue.algorithms().items() if one.header and ns3.has(one)
)
SETTINGS = {
    "avoidance, delayed ACKs": {
        "initial_ssthresh_segments": 10,
        "max_window_segments": 35,
        "segments_per_ack": 2,
        "ack_timeout_s": 0.04,
        "timestamps": False,
    },
    "without SACK": {"sack": False, "initial_window_segments": 3},
}
COUNTS = ["delivered_bytes", "segments_sent", "retransmissions", "timeouts"]


def on_ns3(asked: dict):
    return ns3.simulate(Scenario(**asked))


def check_equal(sender: str, **more) -> None:
    asked = (
        link(2e6, 0.05),
        flow(sender, send_buffer_bytes=1_000_000, receive_buffer_bytes=40_000) | more,
    )
    ours = run(*asked, duration_s=3)
    theirs = on_ns3(scenario(*asked, duration_s=3)).flows.iloc[0]
    assert theirs[COUNTS].to_dict() == {name: ours[name] for name in COUNTS}
    assert theirs["delivered_bytes"] > 200_000


@pytest.fixture
def all_senders(monkeypatch):
    """They are compiled in one: it takes a minute, and one by one five and a half."""
    monkeypatch.setattr(compiled, "control", lambda header: compiled.all_in_one())


@pytest.mark.slow
@pytest.mark.ns3
@pytest.mark.parametrize("sender", SENDERS)
def test_without_losses_ns3_sends_what_the_core_sends(sender, all_senders):
    check_equal(sender)


@pytest.mark.slow
@pytest.mark.ns3
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("sender", ["newreno", "bbr", "hybla", "ucc"])
def test_with_other_settings_too(sender, setting, all_senders):
    check_equal(sender, **SETTINGS[setting])


@pytest.mark.ns3
@pytest.mark.parametrize("series", ["bandwidth_bps", "cwnd_segments"])
def test_an_algorithm_sees_and_decides_the_same(series):
    """BBR's estimate and window, ACK by ACK: of all senders it asks for the most."""
    asked = scenario(
        link(2e6, 0.05), flow("bbr", send_buffer_bytes=1_000_000), duration_s=3, series=[series]
    )
    theirs = on_ns3(asked).traces[series]
    theirs = dict(zip(theirs["time_s"].round(9), theirs[series], strict=True))
    times, values = native.run(asked)["flows"][0]["series"][series]
    ours = {round(time, 9): value for time, value in zip(times, values, strict=True)}
    common = sorted(theirs.keys() & ours.keys())
    assert len(common) > 30
    for time in common:
        assert theirs[time] == pytest.approx(ours[time], rel=1e-4)


@pytest.mark.ns3
def test_parameters_are_attributes():
    fast = scenario(
        link(2e6, 0.05),
        flow(
            {"name": "hybla", "parameters": {"rtt0_s": 0.01}},
            max_window_segments=1000,
            send_buffer_bytes=10_000_000,
        ),
        duration_s=0.35,
    )
    slow = scenario(link(2e6, 0.05), flow("newreno", send_buffer_bytes=10_000_000), duration_s=0.35)
    sent = [on_ns3(asked).flows["segments_sent"].item() for asked in (fast, slow)]
    assert sent[0] == native.run(fast)["flows"][0]["segments_sent"]
    assert sent[0] > 5 * sent[1]


@pytest.mark.ns3
def test_a_truth_arrives():
    """HyStart ends CUBIC's slow start before the window is full."""
    sent = []
    for parameters in ({}, {"hystart": False}):
        own = flow(
            {"name": "cubic", "parameters": parameters},
            send_buffer_bytes=1_000_000,
            max_window_segments=1000,
        )
        asked = scenario(link(2e6, 0.1), own, duration_s=2)
        sent.append(on_ns3(asked).flows["segments_sent"].item())
        core = native.run(asked)["flows"][0]["segments_sent"]
        assert sent[-1] == pytest.approx(core, abs=1)
    assert sent[0] < 0.9 * sent[1]


@pytest.mark.slow
@pytest.mark.ns3
def test_a_whole_number_arrives():
    assert _vegas_queue(20) - _vegas_queue(2) == pytest.approx(18, abs=1)


def _vegas_queue(segments: int) -> float:
    """Return how many segments Vegas keeps in the queue that is told so many."""
    parameters = {"alpha_segments": segments, "beta_segments": segments + 2}
    own = flow({"name": "vegas", "parameters": parameters}, send_buffer_bytes=1_000_000)
    asked = scenario(link(2e6, 0.05), own, duration_s=40, series=["queue_packets"])
    queue = on_ns3(asked).traces["queue_packets"]
    late = queue[(queue["time_s"] > 30) & (queue["link"] == "a>b")]
    return late["queue_packets"].median()


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (
            flow("cherry"),
            "congestion_control: .* does not have segments beyond the window",
        ),
        (
            flow("peach"),
            "congestion_control: .* does not have answers to probes and queries",
        ),
        (
            flow("xcp"),
            "congestion_control: .* does not have feedback of routers",
        ),
        (flow(rack=True), "rack: the engine 'ns3' does not"),
        (
            flow("newreno", recovery="prr-ns3-3.44"),
            "recovery: 'prr-ns3-3.44' is allowed only for a congestion control of ns-3's own",
        ),
    ],
)
def test_what_ns3_does_not_have_is_refused_in_a_sentence(own, words):
    asked = Scenario(**scenario(link(), own))
    with pytest.raises(InputError, match=rf"^flows\.0\.{words}") as no:
        engines.simulate(asked, engine="ns3")
    assert "\n" not in str(no.value)


@pytest.mark.slow
@pytest.mark.ns3
def test_pacing_is_not_capped_at_4_gbit_s():
    """ns-3's default for a socket's largest pacing rate (data/faults.csv, pacing-cap)."""
    own = flow(
        "bbr", send_buffer_bytes=100_000_000, segment_bytes=9000, initial_window_segments=100
    )
    asked = scenario(link(8e9, 0.005), own, duration_s=0.1, series=["bandwidth_bps"])
    assert 7.5e9 < on_ns3(asked).traces["bandwidth_bps"]["bandwidth_bps"].max() < 8e9


@pytest.mark.ns3
def test_a_timeout_in_a_recovery_does_not_raise_the_threshold():
    """RED loses most of slow start, and repairs; what SACK reports is then outstanding still."""
    lossy = link(4e6, 0.03, queue=300, aqm={"kind": "red"})
    asked = scenario(
        lossy, flow(), duration_s=10, seed=3, series=["cwnd_segments", "ssthresh_segments"]
    )
    traces = on_ns3(asked).traces
    windows, thresholds = (traces[name].set_index("time_s")[name] for name in traces)
    timeouts = windows.index[windows == 1]
    assert len(timeouts) > 0
    for at in timeouts:
        before = windows[windows.index < at].iloc[-1]
        assert thresholds[:at].iloc[-1] <= max(before / 2, 2)
