"""The one rule for each kind of claim, against made-up cases whose verdict is obvious."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from longfat import statistics, store
from longfat.errors import InputError
from longfat.verdicts import rules, wording
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

pytestmark = pytest.mark.medium

EMPTY = {"half_unit": np.nan, "threshold": np.nan, "threshold_reason": "", "fitted": ""}


def claim(kind: str, printed=np.nan, **more) -> pd.DataFrame:
    """Return the table of one claim."""
    row = {"id": "one", "where": "section 1", "statement": "It is so.", "kind": kind, "unit": "%"}
    return pd.DataFrame([row | EMPTY | {"printed": printed} | more])


def evidence(*rows: dict) -> pd.DataFrame:
    """Return evidence with what each row does not say: one point of twenty runs, stated setting."""
    usual = {"claim": "one", "engine": "segment", "parameter": "", "setting": "", "runs": 20}
    usual |= {"at": "", "experiment": "made-up"}
    return pd.DataFrame([usual | row for row in rows], columns=EVIDENCE_COLUMNS)


def span(measured: float, width: float, **more) -> dict:
    """Return a row of evidence with the interval measured - width to measured + width."""
    return {"measured": measured, "low": measured - width, "high": measured + width} | more


def verdict(claims: pd.DataFrame, *rows: dict) -> str:
    return judge(claims, evidence(*rows)).iloc[0]["verdict"]


FIVE = {"printed": 5.0, "half_unit": 0.5}
CASES = {
    "at most": (FIVE, span(3, 1), span(8, 1), span(5, 2)),
    "at least": (FIVE, span(8, 1), span(3, 1), span(5, 2)),
    "maximum": (FIVE, span(6, 2), span(3, 1), None),
    "about": (FIVE, span(5.1, 0.2), span(3, 1), span(5, 2)),
    "value": (FIVE, span(6, 2), span(3, 1), None),
    "order": ({}, span(3, 1), span(-3, 1), span(0.5, 1)),
    "ratio": ({"printed": 2.0}, span(3, 0.5), span(1, 0.5), span(2.1, 0.5)),
    "direction": ({"threshold": 1.0}, span(3, 1), span(-1, 1), span(1, 1)),
    "same": ({"threshold": 1.25}, span(1, 0.1), span(2, 0.1), span(1.2, 0.1)),
    "qualitative": ({"threshold": 1.0}, span(3, 1), span(-1, 1), span(1, 1)),
    "arithmetic": (FIVE, span(5.4, 0), span(5.6, 0), None),
}


def test_there_is_a_case_and_a_sentence_for_every_kind():
    assert set(CASES) == set(rules.RULES) == set(rules.KINDS)


@pytest.mark.parametrize("kind", CASES)
def test_what_is_obvious(kind):
    numbers, holds, fails, open_ = CASES[kind]
    claims = claim(kind, **numbers)
    assert verdict(claims, holds) == "reproduced"
    assert verdict(claims, fails) == "not reproduced"
    if open_ is not None:
        assert verdict(claims, open_) == "undecidable"


def test_no_kind_is_judged_as_another():
    """Evidence that tells each two kinds apart that have the same numbers."""
    seen = {}
    probes = [span(3, 1), span(8, 1), span(5, 2), span(5.1, 0.2), span(5, 0), span(4, 2.2)]
    for kind in ("at most", "at least", "value", "about"):
        seen[kind] = tuple(verdict(claim(kind, **FIVE), probe) for probe in probes)
    assert len(set(seen.values())) == 4
    one = {"threshold": 1.25, "printed": 1.0}
    probes = [span(1, 0.1), span(2, 0.1), span(0.5, 0.1)]
    seen = {k: tuple(verdict(claim(k, **one), p) for p in probes) for k in ("same", "direction")}
    assert seen["same"] != seen["direction"]
    ratio = claim("ratio", printed=2.0), claim("order")
    assert [verdict(table, span(1, 0.5)) for table in ratio] == ["not reproduced", "reproduced"]


@pytest.mark.parametrize("kind", ["largest", "", "At most"])
def test_an_unknown_kind_is_no_verdict(kind):
    with pytest.raises(InputError, match="kind is"):
        verdict(claim(kind, **FIVE), span(3, 1))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("at most", "printed"), ("about", "half_unit"), ("direction", "threshold")],
)
def test_a_kind_says_which_number_it_needs(kind, name):
    given = {"printed": 5.0} if name == "half_unit" else {}
    with pytest.raises(InputError, match=f"needs its {name}"):
        verdict(claim(kind, **given), span(3, 1))


def test_a_claim_holds_where_it_holds_at_every_point():
    claims = claim("at most", **FIVE)
    assert verdict(claims, span(3, 1, at="a"), span(4, 1, at="b")) == "reproduced"
    judged = judge(claims, evidence(span(3, 1, at="a"), span(9, 1, at="b"))).iloc[0]
    assert (judged["verdict"], judged["at"], judged["measured"]) == ("not reproduced", "b", 9)
    assert verdict(claims, span(3, 1, at="a"), span(5, 1, at="b")) == "undecidable"


def test_many_points_are_many_chances_to_err():
    """One interval just beyond the bound refutes; the same one among forty does not (Holm)."""
    claims, beyond = claim("at most", **FIVE), span(6.55, 1, at="x")
    assert verdict(claims, beyond) == "not reproduced"
    others = [span(5, 1, at=f"{n}") for n in range(39)]
    assert verdict(claims, beyond, *others) == "undecidable"
    assert verdict(claims, span(9, 1, at="x"), *others) == "not reproduced"


def test_the_correction_is_holms():
    """A point refutes exactly where statsmodels' Holm rejects at least one of the p-values."""
    generator = np.random.default_rng(7)
    where, seen = rules.Region(-np.inf, 0.0), set()
    for _ in range(12):
        samples = generator.normal(0.6, 1, (6, 8))
        rows = pd.DataFrame(statistics.mean(sample) for sample in samples)
        p_values = stats.ttest_1samp(samples, 0, axis=1, alternative="greater").pvalue
        rejected = multipletests(p_values, statistics.LEVEL, method="holm")[0].any()
        seen.add(bool(rejected))
        assert (rules.outcome(rows, where).says == "fails") == rejected
    assert seen == {True, False}


def test_claims_that_hold_are_seldom_refuted():
    """At the bound itself a claim about eight points is refuted in at most 2.5 % of cases."""
    generator = np.random.default_rng(1)
    where, refuted = rules.Region(-np.inf, 5.5), 0
    for _ in range(1000):
        rows = pd.DataFrame(statistics.mean(generator.normal(5.5, 1, 8)) for _ in range(8))
        refuted += rules.outcome(rows, where).says == "fails"
    assert refuted / 1000 <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / 1000)
    assert refuted > 5


def test_a_plausible_setting_that_turns_it_is_named():
    claims = claim("at most", **FIVE)
    varied = {"parameter": "recovery", "setting": "halving"}
    assert verdict(claims, span(8, 1), span(3, 1, **varied)) == "depends on recovery"
    assert verdict(claims, span(3, 1), span(8, 1, **varied)) == "depends on recovery"
    assert verdict(claims, span(8, 1), span(9, 1, **varied)) == "not reproduced"
    assert verdict(claims, span(3, 1), span(4, 1, **varied)) == "reproduced"
    other = {"parameter": "delayed_ack", "setting": "2"}
    judged = judge(claims, evidence(span(8, 1), span(3, 1, **varied), span(2, 1, **other)))
    assert judged.iloc[0]["verdict"] == "depends on recovery and delayed_ack"
    assert "halving" in judged.iloc[0]["reason"]
    assert judged.iloc[0][["range_low", "range_high"]].tolist() == [2, 8]


def test_not_reproduced_needs_every_plausible_setting_to_fail():
    varied = {"parameter": "recovery", "setting": "halving"}
    assert verdict(claim("at most", **FIVE), span(8, 1), span(6, 2, **varied)) == "undecidable"
    linux = {"engine": "linux"}
    assert verdict(claim("at most", **FIVE), span(8, 1), span(6, 2, **linux)) == "undecidable"


def test_engines_that_part_are_no_verdict():
    claims, linux, ns3 = claim("at most", **FIVE), {"engine": "linux"}, {"engine": "ns3"}
    assert verdict(claims, span(8, 1), span(3, 1, **linux)) == "depends on the engine"
    assert verdict(claims, span(3, 1), span(8, 1, **linux)) == "depends on the engine"
    assert verdict(claims, span(3, 1), span(6, 3, **linux)) == "reproduced"
    # ns-3 runs the same headers as the segment engine: it is the same witness
    judged = judge(claims, evidence(span(8, 1), span(6, 3, **ns3))).iloc[0]
    assert judged["verdict"] == "not reproduced"
    assert "ns-3, which shares its code, leaves it open (6 %)" in judged["reason"]
    judged = judge(claims, evidence(span(3, 1), span(2, 1, **linux))).iloc[0]
    assert judged["reason"].endswith("20 runs; Linux agrees (2 %).")
    judged = judge(claims, evidence(span(3, 1))).iloc[0]
    assert judged["reason"].startswith("The segment engine, asked alone, agrees: 3 % [2, 4]")


def test_a_reason_names_no_more_than_two_parameters_and_spells_engines_as_they_are():
    names = ["recovery", "min_rto", "lost_retransmission", "delayed_ack"]
    turned = [span(3, 1, parameter=name, setting="other") for name in names]
    judged = judge(claim("at most", **FIVE), evidence(span(8, 1, engine="ns2"), *turned))
    assert judged.iloc[0]["verdict"] == (
        "depends on recovery, min_rto, lost_retransmission and delayed_ack"
    )
    assert wording.worded(judged.iloc[0]["verdict"], most=1) == (
        "depends on the method of recovery and 3 more"
    )
    reason = judged.iloc[0]["reason"]
    assert reason.startswith("ns-2, asked alone, disagrees: 8 %")
    assert reason.endswith(
        "It holds when this is changed: the method of recovery (other) and 3 more."
    )


def test_what_is_open_says_how_many_runs_would_decide():
    claims = claim("at most", **FIVE)  # which allows 5.5
    said = [judge(claims, evidence(span(mean, 2))).iloc[0]["reason"] for mean in (5.0, 5.49, 5.5)]
    assert "runs a point would decide." in said[0]
    assert "so near the bound that $" in said[1] and "runs a point would be needed" in said[1]
    assert said[2].endswith("no number of runs is sure to decide.")


def needed(row: dict, points: int = 1) -> float:
    """Return how many runs would decide about one row of evidence of "at most 5", rounded."""
    where = rules.Region(-np.inf, 5.5)
    ends = (row["measured"], row["low"], row["high"])
    return rules.runs_to_decide(*ends, 20, where, statistics.LEVEL / points)


def test_one_point_that_will_refute_is_enough():
    """And those that hold it all have to; a point near the bound does not matter beside another."""
    claims, near, beyond = claim("at most", **FIVE), span(5.49, 1, at="a"), span(6.2, 1, at="b")
    judged = judge(claims, evidence(near, beyond)).iloc[0]
    assert judged["decides"] == needed(beyond, points=2) < 100 < needed(near)
    inside = span(4.9, 1, at="b")
    judged = judge(claims, evidence(near, inside)).iloc[0]
    assert judged["decides"] == needed(near) > needed(inside)


def test_the_runs_that_would_decide_are_those_that_make_a_verdict():
    """A setting that will turn it is enough; that none does, all of them have to say."""
    claims, fails = claim("at most", **FIVE), span(9, 1)
    holds = span(4.6, 1, parameter="recovery", setting="halving")
    also = span(6.1, 1, parameter="min_rto", setting="1 s")
    third = span(6.3, 1, parameter="rate", setting="1 Mb/s")
    assert verdict(claims, fails, holds, also) == "undecidable"
    judged = judge(claims, evidence(fails, holds, also)).iloc[0]
    assert judged["decides"] == needed(holds) < needed(also)
    judged = judge(claims, evidence(fails, also, third)).iloc[0]
    assert judged["decides"] == needed(also) > needed(third)
    open_one = judge(claims, evidence(span(4.6, 1), also)).iloc[0]
    assert open_one["decides"] == needed(holds)


def test_a_fitted_claim_is_not_counted():
    judged = judge(claim("value", **FIVE, fitted="radio rate"), evidence(span(5, 1)))
    assert judged.iloc[0]["verdict"] == "fitted"
    assert "to fit the radio rate" in judged.iloc[0]["reason"]


def test_what_cannot_be_measured_says_why():
    claims = claim("qualitative", threshold_reason="'Good' has no measure.", note="See below.")
    judged = judge(claims, evidence()).iloc[0]
    assert judged["verdict"] == "undecidable"
    assert judged["reason"] == "'Good' has no measure. See below."


def test_a_claim_without_runs_is_not_yet_measured():
    assert verdict(claim("at most", **FIVE)) == "not yet measured"
    varied = {"parameter": "recovery", "setting": "halving"}
    assert verdict(claim("at most", **FIVE), span(3, 1, **varied)) == "not yet measured"


def test_a_single_run_decides_nothing():
    single = {"measured": 3.0, "low": np.nan, "high": np.nan, "runs": 1}
    for kind in ("at most", "at least", "about", "value", "maximum"):
        assert verdict(claim(kind, **FIVE), single) == "undecidable"


def test_below_turns_a_claim_round():
    claims = claim("direction", threshold=0.0, side="below")
    assert verdict(claims, span(-3, 1)) == "reproduced"
    assert verdict(claims, span(3, 1)) == "not reproduced"


def test_evidence_that_names_nothing_known_is_refused():
    with pytest.raises(InputError, match="no claim is called 'two'"):
        verdict(claim("at most", **FIVE), span(3, 1, claim="two"))
    with pytest.raises(InputError, match="engine is 'opnet'"):
        verdict(claim("at most", **FIVE), span(3, 1, engine="opnet"))
    with pytest.raises(InputError, match="columns runs are missing"):
        judge(claim("at most", **FIVE), evidence(span(3, 1)).drop(columns="runs"))


def test_the_runs_that_would_decide_do():
    """With as many runs as it says, about 80 % of further experiments decide."""
    where = rules.Region(5.0, np.inf)
    needed = rules.runs_to_decide(6.0, 4.0, 8.0, 5, where)
    deviation = 2.0 / 2.7764451 * np.sqrt(5)
    generator = np.random.default_rng(3)
    decided = sum(
        statistics.mean(generator.normal(6.0, deviation, int(needed)))["low"] > 5
        for _ in range(2000)
    )
    assert 0.77 < decided / 2000 < 0.86
    judged = judge(claim("at least", **FIVE), evidence(span(5, 2, runs=5))).iloc[0]
    assert judged["decides"] > 5
    assert np.isinf(rules.runs_to_decide(5.0, 4.0, 6.0, 5, where))


def test_a_prediction_interval_holds_the_next_mean_as_often_as_it_says():
    generator, hits = np.random.default_rng(5), 0
    for _ in range(2000):
        found = statistics.prediction_interval(generator.normal(10, 2, 6), runs=3)
        hits += found["low"] <= generator.normal(10, 2, 3).mean() <= found["high"]
    assert 0.935 < hits / 2000 < 0.965


def test_the_largest_difference_has_a_distribution_of_its_own():
    """The largest of eight points lies above each of them, and its interval holds the next one."""
    generator, hits = np.random.default_rng(6), 0
    for _ in range(200):
        ours = pd.DataFrame(
            {"loss": np.repeat(np.arange(8.0), 20), "difference": generator.normal(0, 1, 160)}
        )
        found = statistics.maximum(ours, "loss", "difference")
        hits += found["low"] <= np.abs(generator.normal(0, 1, 8)).max() <= found["high"]
    assert found["measured"] > 1
    assert 0.92 < hits / 200 < 0.98
    single = statistics.maximum(ours.groupby("loss").head(1), "loss", "difference")
    assert np.isnan(single["low"])


def test_pairs_cancel_what_they_share():
    base = np.array([1.0, 10.0, 100.0])
    assert statistics.paired(2 * base, base, ratio=True)["low"] == pytest.approx(2)
    assert statistics.unpaired(2 * base, base)["low"] < 1
    assert statistics.paired(base + 1, base)["measured"] == pytest.approx(1)
    with pytest.raises(InputError, match="above 0"):
        statistics.paired([0.0, 1.0], [1.0, 1.0], ratio=True)


def test_one_changed_number_of_the_archive_changes_the_verdict():
    """From archived runs to a verdict: one number is changed, and the verdict with it."""
    runs = store.read_archive("models-steady")
    reno = runs["flows.0.congestion_control.name"] == "newreno"
    rates = runs.loc[reno & (runs["links.0.loss_per_packet"] == 0.01), "goodput_bps"] / 1e6
    assert len(rates) == 10
    claims = claim("at most", printed=0.2, half_unit=0.0, unit="Mb/s")
    assert verdict(claims, statistics.mean(rates)) == "reproduced"
    rates.iloc[3] *= 10
    assert verdict(claims, statistics.mean(rates)) != "reproduced"
