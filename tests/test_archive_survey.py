"""The survey chapter's archives: the grid of assumptions, and that the engines agree."""

import pandas as pd

from longfat import papers, store

COUNTS = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]


def test_what_carries_a_verdict_is_of_the_full_stack():
    for name in ("3", "4", "5", "remedies", "fast", "fairness", "rtt"):
        assert set(store.read_archive(f"survey-{name}")["engine"]) == {"ns3"}
    assert len(store.read_archive("survey-5")) == 9


def test_both_engines_counted_the_same():
    """Every run that carries a verdict."""
    full, fast = (
        store.read_archive(f"survey-check-{kind}")
        .set_index(["scenario", "flow"])
        .sort_index()[COUNTS]
        for kind in ("ns3", "segment")
    )
    assert len(full) == 126
    pd.testing.assert_frame_equal(full, fast)


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
