"""Our headers of what ns-3 has too: with its faults switched on, equal to its classes, every count.

And what the faults do to the square-root law.
"""

import pandas as pd
import pytest
from hypothesis import given, note, reject
from hypothesis import strategies as st
from test_segment_engine import one_link, scenarios

from longfat import SimulationError, sweep
from longfat.engines import ns3, segment
from longfat.faults import NS3_3_44, OF_ITS_SOCKET
from longfat.scenario import Flow, Scenario
from longfat.studies import engines_checked
from longfat.studies.ns3_faults import INDEPENDENT_LOSSES
from longfat.topologies import duplex

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


OURS = ("newreno", "reno", "cubic", "westwood-plus", "bbr")


def both(scenario, *names):
    """Return the scenario with those congestion controls, a flow each in turn: ours and ns-3's."""

    def with_(choice):
        chosen = [choice(names[i % len(names)]) for i in range(len(scenario.flows))]
        flows = [
            Flow(**(dict(flow) | {"congestion_control": name, "max_window_segments": None}))
            for flow, name in zip(scenario.flows, chosen, strict=True)
        ]
        return scenario.with_(flows=flows)

    return (
        with_(lambda name: {"name": name, "parameters": {"as_ns3_3_44": True}}),
        with_(lambda name: f"{name}-ns3"),
    )


def assert_same(ours, theirs):
    pd.testing.assert_frame_equal(ours.flows, theirs.flows)
    pd.testing.assert_frame_equal(
        ours.links.drop(columns="packets_sent"), theirs.links.drop(columns="packets_sent")
    )
    for name in theirs.traces:
        pd.testing.assert_frame_equal(ours.traces[name], theirs.traces[name])


@pytest.mark.parametrize("name", OURS)
def test_equal_on_the_validation_grid(name):
    for scenario in engines_checked.runs([name], seeds=1)[0]:
        ours, theirs = both(scenario, name)
        full = ns3.simulate(theirs)
        assert_same(ns3.simulate(ours), full)
        assert_same(segment.simulate(ours.with_(faults=OF_ITS_SOCKET)), full)


@given(scenarios(helped=False), st.permutations(OURS))
def test_equal_whatever_links_and_flows_have(scenario, names):
    try:
        theirs = ns3.simulate(both(scenario, *names)[1])
    except SimulationError:  # an assertion of its own socket's, whatever the congestion control
        reject()
    ours = ns3.simulate(both(scenario, *names)[0])
    note(theirs.flows.to_string())
    assert_same(ours, theirs)


@pytest.mark.parametrize("name", OURS)
def test_equal_on_the_full_stack(name):
    scenario = one_link(loss_per_packet=3e-3, series=("cwnd_segments", "ssthresh_segments"))
    assert_same(*map(ns3.simulate, both(scenario, name)))


def law(loss):
    """Return the mean window by their law, where every loss costs one more round trip.

    In it some two thirds of the mean window are sent, as the window is halved, and nothing grows.
    """
    window = INDEPENDENT_LOSSES / loss**0.5
    rounds = 1 / (loss * window)
    growing = (1 - loss * 2 / 3 * window) ** 0.5  # of those rounds, with so many segments fewer
    return 1 / loss / (rounds * growing + 1)


@pytest.mark.parametrize("loss", [1e-5, 1e-4, 1e-3, 3e-3, 1e-2])
def test_only_the_right_ones_keep_the_square_root_law(loss):
    """Ours are within 5 %, at windows of 12 to 400 segments; ns-3's are not everywhere: NewReno
    halves what is in flight by then, Reno counts a window at the end of a recovery."""
    names, seeds = ("standard", "newreno", "reno", "newreno-ns3", "reno-ns3"), range(1, 9)
    cases = [(name, seed) for name in names for seed in seeds]
    runs = sweep([_wide(name, loss, seed) for name, seed in cases], engine="segment")
    windows = (runs["goodput_bps"] * 0.1 / 8000).groupby([name for name, _ in cases]).mean()
    ratio = windows / law(loss)
    for name in ("standard", "newreno", "reno"):
        assert ratio[name] == pytest.approx(1, abs=0.05), name
    assert ratio["newreno-ns3"] < ratio["newreno"] - 0.02
    if loss >= 1e-3:
        assert ratio["reno-ns3"] > 1.05


def _wide(name, loss, seed):
    """One flow that only losses limit, over 0.1 s; "-ns3" asks for all faults of ns-3 3.44."""
    as_ns3 = name.endswith("-ns3")
    control = {
        "name": name.removesuffix("-ns3"),
        "parameters": {"as_ns3_3_44": True} if as_ns3 else {},
    }
    return Scenario(
        links=duplex(
            "a",
            "b",
            rate_bps=1e9,
            delay_s=0.05,
            queue_packets=1000,
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=[
            Flow(
                source="a",
                target="b",
                congestion_control=control,
                initial_ssthresh_segments=round(1.2 / loss**0.5),
                timestamps=False,
            )
        ],
        duration_s=1500,
        seed=seed,
        faults=NS3_3_44 if as_ns3 else (),
    )
