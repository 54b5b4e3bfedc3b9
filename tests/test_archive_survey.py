"""The survey chapter's archives: which engines ran what, and that they agree."""

import pytest

from longfat import papers, store
from longfat.papers.survey import plan, routers

pytestmark = pytest.mark.book


def test_the_papers_own_scale_is_archived():
    table = store.read_archive("survey-5")
    assert (table["simulated_s"] == papers.value("survey", "duration")).all()
    runs = table.groupby("flows.0.congestion_control.name")["seed"].nunique()
    assert (runs >= 10).all() and len(runs) == 3
    assert (store.read_archive("survey-3")["simulated_s"] == 900).all()


def test_ns3_has_runs_of_the_segment_engine():
    full, fast = (
        set(store.read_archive(f"survey-stacks-{engine}")["scenario"])
        for engine in ("ns3", "segment")
    )
    assert len(full) == 9
    assert full == fast


def test_every_assumption_has_runs():
    varied = store.read_archive("survey-assumptions")
    runs = varied[varied["seed"] == 1]
    assert len(runs) == len(plan.VARIED) * len(plan.NAMES)
    assert (varied.groupby("seed").size() >= len(plan.NAMES)).all()
    assert set(varied["flows.0.segments_per_ack"].fillna(1)) == {1, 2}


def test_linux_has_runs_of_the_same_path():
    linux, ours = (store.read_archive(f"survey-stacks-{stack}") for stack in ("linux", "segment"))
    assert set(linux["engine"]) == {"linux"}
    assert len(linux) == len(ours) == 9


def test_so_many_of_cadpc_leave_as_much_free_as_one_of_them_takes():
    """By its rule n of them use n / (n + 1) of the path, whose payload is that of the setting."""
    at = plan.setting()
    table = routers.crowds(plan.runs(at))
    used = table[table["kind"] == "CADPC"].groupby("flows")["mbps"].mean() / at.bottleneck_mbps
    assert used.tolist() == pytest.approx([4 / 5, 8 / 9], rel=0.01)
    assert set(used.index) == set(routers.COUNTS)


def test_a_query_of_cadpc_comes_every_few_round_trips():
    """Four round trips of two that share the path hold some 4000 packets, and two queries."""
    packets = routers.queries(plan.runs(plan.setting()))["packets"]
    assert (packets > 1000).all() and (packets < 2500).all()
