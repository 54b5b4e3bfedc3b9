"""TCP-J and Westwood in ns-2, which share no line with the segment engine's."""

import pytest

from longfat import Record, engines, simulate
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.network import duplex
from longfat.papers.tcpj import plan
from longfat.scenario import Flow, Outage, Scenario

NS2 = pytest.mark.skipif(not engines.is_here("ns2"), reason="ns-2 is not prepared here")
AT = plan.setting("paper", duration_s=60)


def radio(protocol, bit_error_rate=2e-6, seed=1, **fields):
    same = {"bit_error_rate": bit_error_rate, "seed": seed}
    return plan._over_radio(AT, protocol, **(same | plan.FOUND | fields))


def goodput(engine, protocol, **fields):
    runs = [radio(protocol, seed=seed, **fields) for seed in (1, 2, 3, 4, 5)]
    return sum(simulate(run, engine=engine).flows["goodput_bps"].sum() for run in runs) / 5


@NS2
@pytest.mark.parametrize("protocol", ["TCP-J", "Westwood"])
def test_two_that_share_no_code_carry_nearly_the_same(protocol):
    """Well above SACK and NewReno there, as the segment engine's without losses found by SACK."""
    old = plan.SENDERS_OF_2002
    ours = goodput("segment", protocol, bit_error_rate=1e-6, **old)
    theirs = goodput("ns2", protocol, bit_error_rate=1e-6)
    assert theirs == pytest.approx(ours, rel=0.1)
    assert theirs > 1.4 * goodput("ns2", "NewReno", bit_error_rate=1e-6)


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
@pytest.mark.parametrize("protocol", ["TCP-J", "Westwood"])
def test_both_estimate_what_a_busy_link_delivers(protocol, engine):
    record = Record(series=("bandwidth_bps",), points=60)
    run = radio(protocol, bit_error_rate=1e-7, record=record)
    trace = simulate(run, engine=engine).traces["bandwidth_bps"]
    late = trace[trace["time_s"] > 10]["bandwidth_bps"]
    assert late.mean() == pytest.approx(AT.full_bps, rel=0.03)


@NS2
def test_in_silence_westwoods_estimate_falls_and_tcpjs_stays():
    """Nothing arrives for 3 s: six samples of zero, each of which leaves three fifths."""
    path = {"rate_bps": 4e6, "delay_s": 0.02, "queue_packets": 30}
    links = duplex("a", "b", **path, outages=(Outage(start_s=20, duration_s=3),))
    left = {}
    for name in ("tcpj", "westwood"):
        flow = Flow(
            source="a",
            target="b",
            congestion_control=name,
            receive_buffer_bytes=65_000,
            min_rto_s=1,
        )
        record = Record(series=("bandwidth_bps",), points=400)
        run = Scenario(links=links, flows=[flow], duration_s=40, record=record)
        trace = simulate(run, engine="ns2").traces["bandwidth_bps"].set_index("time_s")
        rates = trace["bandwidth_bps"]
        left[name] = rates[(rates.index > 23) & (rates.index < 27)].min() / rates.loc[:20].iloc[-1]
    assert left["westwood"] < 0.25 < 0.7 < left["tcpj"]


def moving(**handoff):
    """A link that becomes four times as slow, of which the sender is told."""
    path = {"rate_bps": 4e6, "delay_s": 0.02, "queue_packets": 30}
    links = duplex("a", "b", **path, changes=({"at_s": 20, "rate_bps": 1e6},))
    flow = {"source": "a", "target": "b", "congestion_control": "tcpj", "min_rto_s": 1.0}
    flow |= {"receive_buffer_bytes": 65_000, "handoffs": [{"at_s": 20.0, **handoff}]}
    flow["initial_ssthresh_segments"] = 65
    series = ("cwnd_segments", "bandwidth_bps")
    record = Record(series=series, points=6000)
    return Scenario(links=links, flows=[flow], duration_s=60, record=record)


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_after_a_movement_to_another_router_tcpj_begins_anew(engine):
    traces = simulate(moving(kind="non-local"), engine=engine).traces
    windows = traces["cwnd_segments"].set_index("time_s")["cwnd_segments"]
    after = windows[(windows.index > 20.0) & (windows.index < 20.05)]
    assert windows[windows.index < 20].iloc[-1] > 25 > 10 > after.min()


@NS2
@pytest.mark.parametrize("engine", ["ns2", "segment"])
def test_an_announced_rate_bounds_the_window_after_the_next_loss(engine):
    """A quarter of a megabit for 40 ms is about a segment, 1 Mb/s about five."""
    least = {}
    for announced_bps in (0.25e6, 4e6):
        run = moving(kind="local", announced_rate_bps=announced_bps)
        windows = simulate(run, engine=engine).traces["cwnd_segments"]
        least[announced_bps] = windows[windows["time_s"] > 25]["cwnd_segments"].min()
    assert least[0.25e6] < 3 < 4 < least[4e6] < 6.5


@NS2
def test_westwood_is_on_each_of_ns2s_senders():
    senders = [
        planning.sender(radio("Westwood", **fields), 0).agent for fields in plan.WESTWOODS.values()
    ]
    assert senders == ["Agent/TCP/Newreno", "Agent/TCP/Reno", "Agent/TCP/Sack1"]
    newreno, reno, sack = (
        goodput("ns2", "Westwood", bit_error_rate=4e-6, **fields)
        for fields in plan.WESTWOODS.values()
    )
    assert reno < newreno and reno < sack


@NS2
@pytest.mark.parametrize(
    ("protocol", "fields", "message"),
    [
        ("TCP-J", {"sack": False}, r"flows\.0\.sack: .*'tcpj', which is its SACK sender's"),
        ("TCP-J", {"recovery": "reno"}, r"flows\.0\.recovery: .* Reno's with SACK"),
        (
            "Westwood",
            {"handoffs": ({"at_s": 1, "kind": "local"},)},
            r"flows\.0\.handoffs: .* them for 'westwood'",
        ),
    ],
)
def test_what_these_senders_do_not_have_is_one_sentence(protocol, fields, message):
    with pytest.raises(InputError, match=message):
        simulate(radio(protocol, **fields), engine="ns2")
