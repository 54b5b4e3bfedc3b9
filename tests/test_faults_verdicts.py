"""Which verdicts the faults of ns-3 turn: the evidence that is kept, and how it is told."""

import pandas as pd
import pytest

from longfat import statistics, sweep
from longfat.faults import NS3_3_44
from longfat.network import reference
from longfat.studies import faults_verdicts as verdicts
from longfat.sweeps import can_run, with_faults

KEPT = verdicts.evidence()


@pytest.mark.parametrize("paper", list(verdicts.CHAPTERS))
def test_the_evidence_is_by_the_code_of_the_chapters_archives(paper):
    assert set(KEPT.loc[KEPT["paper"] == paper, "code"]) == {verdicts.code(paper)}


@pytest.mark.slow
@pytest.mark.parametrize("paper", list(verdicts.CHAPTERS))
def test_the_evidence_without_faults_is_what_the_chapters_archives_say_now(paper):
    """A chapter may get more runs of the same code."""
    kept = KEPT[(KEPT["paper"] == paper) & (KEPT["faults"] == verdicts.PLAIN)]
    found = verdicts.Runs(paper).evidence(verdicts.PLAIN)
    found = found[found["experiment"].isin(kept["experiment"])]
    told = ["claim", "measured", "low", "high", "runs", "at", "experiment"]
    found, kept = (table.sort_values("claim", kind="stable") for table in (found, kept))
    pd.testing.assert_frame_equal(
        *(table[told].reset_index(drop=True) for table in (found, kept)),
        rtol=1e-5,
        check_dtype=False,
    )


@pytest.mark.parametrize("paper", list(verdicts.CHAPTERS))
def test_each_chapter_has_the_same_claims_without_and_with_all_faults(paper):
    own = KEPT[KEPT["paper"] == paper]
    sets = own.groupby("faults")["claim"].agg(set)
    assert sets[verdicts.PLAIN] == sets[verdicts.ALL]
    assert all(claims <= sets[verdicts.PLAIN] for claims in sets)
    assert set(sets.index) <= set(verdicts.SETS)


def row(faults: str, claim: str, measured: float) -> dict:
    found = statistics.mean([measured - 0.1, measured, measured + 0.1])
    stated = dict.fromkeys(("parameter", "setting", "experiment", "at"), "")
    where = {"paper": "hybla", "code": "", "faults": faults, "claim": claim, "engine": "segment"}
    return where | stated | found


def test_a_verdict_turns_and_what_turns_it_is_named():
    claim = "hybla-s4-steady-rate-simulation-rare"  # at most 4 %
    rows = [row("none", claim, 2), row("all", claim, 9), row("recovery", claim, 9)]
    rows += [row("socket", claim, 2), row("prr-overflow", claim, 9)]
    table = verdicts.compared(pd.DataFrame(rows))
    (turned,) = verdicts.turned(table).to_dict("records")
    assert turned["without faults"].startswith("reproduced: 2 [")
    assert turned["with all"].startswith("not reproduced: 9 [")
    assert turned["turned by"] == "the four of the recovery, prr-overflow"
    (counts,) = verdicts.counted(table).to_dict("records")
    assert counts["turned"] == 1 and counts["reproduced with all"] == 0
    assert verdicts.turned(verdicts.compared(pd.DataFrame([*rows[:1], row("all", claim, 2)]))).empty


def test_experiments_run_with_faults_as_scenarios_that_name_them():
    plain = reference(congestion_control="newreno", loss=0.01, duration_s=10)
    named = sweep([plain.with_(faults=NS3_3_44)])
    with with_faults(NS3_3_44):
        assert sweep([plain]).equals(named)
        assert not can_run([plain], "linux")
    assert not sweep([plain]).equals(named)
