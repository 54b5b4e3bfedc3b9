"""The survey chapter's archives: the grid of assumptions, and that the engines agree."""

import json

import pytest

from longfat import Scenario, papers, store
from longfat.engines import ns3, segment

COUNTS = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]


def test_what_carries_a_verdict_is_of_the_full_stack():
    for name in ("3", "4", "5", "remedies", "fast", "fairness", "rtt"):
        assert set(store.read_archive(f"survey-{name}")["engine"]) == {"ns3"}
    assert len(store.read_archive("survey-5")) == 9


def counted_apart():
    """Return what ns-3 counted beyond the segment engine, for every flow that carries a verdict."""
    full, fast = (
        store.read_archive(f"survey-check-{kind}")
        .set_index(["scenario", "flow"])
        .sort_index()[COUNTS]
        for kind in ("ns3", "segment")
    )
    assert len(full) == len(fast) == 126
    return full - fast


def test_both_engines_counted_the_same():
    """Every run that carries a verdict; two flows on one path may part by a segment or two."""
    apart = counted_apart()
    assert apart["delivered_bytes"].abs().max() <= 1448  # a segment
    assert apart["segments_sent"].abs().max() <= 2
    differ = (apart != 0).any(axis=1)
    assert differ.sum() == 6  # as the page says
    assert set(apart.loc[differ, "retransmissions"]) == {1}
    alone = differ.groupby("scenario").transform("size") == 1
    assert alone.sum() > 30
    assert not differ[alone].any()


def test_they_part_where_a_send_buffer_is_all_sent():
    """In the first avalanche: with twice the buffers, both engines count the same."""
    pytest.importorskip("ns3", reason="this environment has no ns-3")
    apart = counted_apart()
    for scenario, flow in apart.index[(apart != 0).any(axis=1)]:
        assert flow == "1"
        for buffers in (1, 2):
            asked = json.loads(scenario) | {"duration_s": 1.76}
            for each in asked["flows"]:
                for name in ("send_buffer_bytes", "receive_buffer_bytes"):
                    each[name] *= buffers
            full, fast = (
                engine.simulate(Scenario.model_validate(asked)).flows for engine in (ns3, segment)
            )
            more = full[COUNTS] - fast[COUNTS]
            assert more["retransmissions"].tolist() == [int(buffers == 1), 0]
            assert buffers == 1 or not more.any(axis=None)


def test_the_grid_has_what_the_paper_does_not_exclude():
    grid = store.read_archive("survey-region")
    assert set(grid["links.2.loss_per_packet"].fillna(0)) == {0, 1e-6, 3e-6, 1e-5}
    assert set(grid["flows.0.segments_per_ack"].fillna(1)) == {1, 2}
    finer = store.read_archive("survey-finer")
    assert finer["seed"].nunique() == papers.value("survey", "runs")


def test_linux_has_runs_of_the_same_path():
    linux, ours = (store.read_archive(f"survey-stacks-{stack}") for stack in ("linux", "ours"))
    assert set(linux["engine"]) == {"linux"}
    assert len(linux) == len(ours) == 9
