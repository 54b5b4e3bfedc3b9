"""The survey chapter's archives: which engines ran what, and that they agree."""

import pandas as pd
import pytest

from longfat import papers, store
from longfat.papers.survey import experiments

pytestmark = pytest.mark.book

SEGMENT = (
    *("3", "4", "5", "assumptions", "fairness", "fast", "initial-windows", "own"),
    *("region", "remedies", "rtt", "stacks-segment", "starts", "windows"),
)


@pytest.mark.parametrize("name", SEGMENT)
def test_what_carries_a_verdict_is_of_the_segment_engine(name):
    assert set(store.read_archive(f"survey-{name}")["engine"]) == {"segment"}


def test_there_is_no_archive_that_no_page_asks_for():
    known = {f"survey-{name}" for name in SEGMENT}
    known |= {"survey-stacks-linux", "survey-stacks-ns3", "survey-stacks-faults", "survey-routers"}
    assert {name for name in store.experiments() if name.startswith("survey-")} == known


def test_the_papers_own_scale_is_archived():
    table = store.read_archive("survey-5")
    assert (table["simulated_s"] == papers.value("survey", "duration")).all()
    runs = table.groupby("flows.0.congestion_control.name")["seed"].nunique()
    assert (runs >= 10).all() and len(runs) == 3
    assert (store.read_archive("survey-3")["simulated_s"] == 900).all()


def test_ns3_counts_what_the_segment_engine_with_its_faults_counts():
    columns = ["flows.0.congestion_control.name", "seed"]
    full, fast = (
        store.read_archive(f"survey-stacks-{kind}")
        .set_index(columns)
        .sort_index()[experiments.COUNTED]
        for kind in ("ns3", "faults")
    )
    assert len(full) == 3
    pd.testing.assert_frame_equal(full, fast)


def test_every_assumption_has_runs():
    varied = store.read_archive("survey-assumptions")
    runs = varied[varied["seed"] == 1]
    assert len(runs) == len(experiments.ASSUMPTIONS) * len(experiments.NAMES)
    assert (varied.groupby("seed").size() >= len(experiments.NAMES)).all()
    assert set(varied["flows.0.segments_per_ack"].fillna(1)) == {1, 2}


def test_linux_has_runs_of_the_same_path():
    linux, ours = (store.read_archive(f"survey-stacks-{stack}") for stack in ("linux", "segment"))
    assert set(linux["engine"]) == {"linux"}
    assert len(linux) == len(ours) == 9
