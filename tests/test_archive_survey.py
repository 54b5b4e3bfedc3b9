"""The survey chapter's archives: which engines ran what, and that they agree."""

import pytest

from longfat import papers, store
from longfat.papers.survey import plan

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
