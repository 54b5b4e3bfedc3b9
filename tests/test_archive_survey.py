"""The survey chapter's archives: the grid of assumptions, and that the engines agree."""

from longfat import papers, store

COUNTS = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]


def test_what_carries_a_verdict_is_of_the_full_stack():
    for name in ("3", "4", "5", "remedies", "fast", "fairness", "rtt"):
        assert set(store.read_archive(f"survey-{name}")["engine"]) == {"ns3"}
    assert len(store.read_archive("survey-5")) == 9


def test_both_engines_counted_the_same():
    """Every run that carries a verdict; two flows on one path may part by a segment or two."""
    ns3, segment = (
        store.read_archive(f"survey-check-{kind}")
        .set_index(["scenario", "flow"])
        .sort_index()[COUNTS]
        for kind in ("ns3", "segment")
    )
    assert len(ns3) == len(segment) == 126
    apart = (ns3 - segment).abs().max()
    assert apart["delivered_bytes"] <= 1448  # a segment
    assert apart["segments_sent"] <= 2
    differ = (ns3 != segment).any(axis=1)
    assert differ.sum() == 6  # as the page says
    alone = differ.groupby("scenario").transform("size") == 1
    assert alone.sum() > 30
    assert not differ[alone].any()


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
