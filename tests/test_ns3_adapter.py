"""The core's congestion controls in real ns-3, by its adapter."""

import pytest
from core_scenarios import flow, link, run, scenario

from longfat.engines.segment import native
from longfat.engines.ns3 import adapted
from longfat.errors import InputError, SimulationError

pytestmark = [pytest.mark.slow, pytest.mark.ns3]

SENDERS = sorted(adapted.senders())
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


def check_equal(sender: str, **more) -> None:
    asked = (
        link(2e6, 0.05),
        flow(sender, send_buffer_bytes=1_000_000, receive_buffer_bytes=40_000) | more,
    )
    ours = run(*asked, duration_s=3)
    theirs = adapted.run(scenario(*asked, duration_s=3))["flows"][0]
    counts = ("delivered_bytes", "segments_sent", "retransmissions", "timeouts")
    assert {name: theirs[name] for name in counts} == {name: ours[name] for name in counts}
    assert theirs["delivered_bytes"] > 200_000


@pytest.mark.parametrize("sender", SENDERS)
def test_without_losses_ns3_sends_what_the_core_sends(sender):
    check_equal(sender)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("sender", ["newreno", "bbr", "hybla", "ucc"])
def test_with_other_settings_too(sender, setting):
    check_equal(sender, **SETTINGS[setting])


@pytest.mark.parametrize("series", ["bandwidth_bps", "cwnd_segments"])
def test_an_algorithm_sees_and_decides_the_same(series):
    """BBR's estimate and window, ACK by ACK: of all senders it asks for the most."""
    asked = scenario(
        link(2e6, 0.05), flow("bbr", send_buffer_bytes=1_000_000), duration_s=3, series=[series]
    )
    ours, theirs = (
        dict(zip(*engine.run(asked)["flows"][0]["series"][series], strict=True))
        for engine in (native, adapted)
    )
    times = sorted({round(t, 9) for t in theirs} & {round(t, 9) for t in ours})
    ours, theirs = ({round(t, 9): value for t, value in kept.items()} for kept in (ours, theirs))
    assert len(times) > 30
    for time in times:
        assert theirs[time] == pytest.approx(ours[time], rel=1e-4)


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
    sent = [adapted.run(asked)["flows"][0]["segments_sent"] for asked in (fast, slow)]
    assert sent[0] == native.run(fast)["flows"][0]["segments_sent"]
    assert sent[0] > 5 * sent[1]


def test_a_value_out_of_a_parameters_range_ends_the_run():
    asked = scenario(link(), flow({"name": "hybla", "parameters": {"rtt0_s": 11}}))
    with pytest.raises(SimulationError, match="rtt0_s"):
        adapted.run(asked)


def test_what_ns3_does_not_have_is_refused():
    with pytest.raises(InputError, match=r"^flows\.0\.rack: ns-3 does not have it$"):
        adapted.run(scenario(link(), flow(rack=True)))


def test_pacing_is_not_capped_at_4_gbit_s():
    """ns-3's default for a socket's largest pacing rate (audit A4)."""
    own = flow(
        "bbr", send_buffer_bytes=100_000_000, segment_bytes=9000, initial_window_segments=100
    )
    asked = scenario(link(8e9, 0.005), own, duration_s=0.2, series=["bandwidth_bps"])
    bandwidths = adapted.run(asked)["flows"][0]["series"]["bandwidth_bps"][1]
    assert 7.5e9 < max(bandwidths) < 8e9
