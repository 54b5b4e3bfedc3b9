"""The rules of verdicts, against made-up cases whose verdict is obvious."""

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

EMPTY = {"half_unit": np.nan, "margin": np.nan, "threshold": np.nan}
EMPTY |= {"threshold_reason": "", "fitted": ""}


def claim(rule: str, printed=np.nan, **more) -> pd.DataFrame:
    """Return the table of one claim."""
    row = {"id": "one", "where": "section 1", "statement": "It is so.", "rule": rule, "unit": "%"}
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


FIVE = {"printed": 5.0, "half_unit": 0.5, "margin": 1.25}
CASES = {
    "at most": (FIVE, span(3, 1), span(8, 1), span(5, 2)),
    "at least": (FIVE, span(8, 1), span(3, 1), span(5, 2)),
    "maximum": (FIVE, span(5.2, 0.9), span(3, 1), span(6, 2)),
    "about": (FIVE, span(5.1, 0.2), span(3, 1), span(5, 2)),
    "value": (FIVE, span(5.2, 0.9), span(3, 1), span(6, 2)),
    "order": ({}, span(3, 1), span(-3, 1), span(0.5, 3)),
    "ratio": ({"printed": 2.0}, span(3, 0.5), span(1, 0.5), span(2.1, 0.5)),
    "direction": ({"threshold": 1.0}, span(3, 1), span(-1, 1), span(1, 1)),
    "same": ({"threshold": 1.25}, span(1, 0.1), span(2, 0.1), span(1.2, 0.1)),
    "qualitative": ({"threshold": 1.0}, span(3, 1), span(-1, 1), span(1, 1)),
    "arithmetic": (FIVE, span(5.4, 0), span(5.6, 0), None),
}


def test_there_is_a_case_for_every_rule():
    assert set(CASES) == set(rules.RULES)


@pytest.mark.parametrize("rule", CASES)
def test_what_is_obvious(rule):
    numbers, holds, fails, open_ = CASES[rule]
    claims = claim(rule, **numbers)
    assert verdict(claims, holds) == "reproduced"
    assert verdict(claims, fails) == "not reproduced"
    if open_ is not None:
        assert verdict(claims, open_) == "undecidable"


def test_no_rule_is_taken_for_another():
    """Evidence that tells each two rules apart that have the same numbers."""
    seen = {}
    probes = [span(3, 1), span(8, 1), span(5, 2), span(5.1, 0.2), span(5, 0), span(5.2, 0.9)]
    for rule in ("at most", "at least", "value", "about"):
        seen[rule] = tuple(verdict(claim(rule, **FIVE), probe) for probe in probes)
    assert len(set(seen.values())) == 4
    one = {"threshold": 1.25, "printed": 1.0}
    probes = [span(1, 0.1), span(2, 0.1), span(0.5, 0.1)]
    seen = {k: tuple(verdict(claim(k, **one), p) for p in probes) for k in ("same", "direction")}
    assert seen["same"] != seen["direction"]
    ratio = claim("ratio", printed=20.0), claim("order")
    assert [verdict(table, span(5, 1)) for table in ratio] == ["not reproduced", "reproduced"]


@pytest.mark.parametrize("rule", ["largest", "", "At most"])
def test_an_unknown_rule_is_no_verdict(rule):
    with pytest.raises(InputError, match="rule is"):
        verdict(claim(rule, **FIVE), span(3, 1))


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("at most", "printed"),
        ("about", "half_unit"),
        ("value", "margin"),
        ("direction", "threshold"),
    ],
)
def test_a_rule_says_which_number_it_needs(rule, name):
    given = {key: value for key, value in FIVE.items() if key != name}
    with pytest.raises(InputError, match=f"needs its {name}"):
        verdict(claim(rule, **given), span(3, 1))


def test_a_claim_holds_where_it_holds_at_every_point():
    claims = claim("at most", **FIVE)
    assert verdict(claims, span(3, 1, at="a"), span(4, 1, at="b")) == "reproduced"
    judged = judge(claims, evidence(span(3, 1, at="a"), span(9, 1, at="b"))).iloc[0]
    assert (judged["verdict"], judged["at"], judged["measured"]) == ("not reproduced", "b", 9)
    assert verdict(claims, span(3, 1, at="a"), span(5, 1, at="b")) == "undecidable"


def test_the_number_shown_is_the_least_favourable_one():
    """And not that of a noisy point that is harmless, though it is known to be so the least."""
    noisy, extreme = span(1, 3.9, at="noisy"), span(4.5, 0.1, at="extreme")
    judged = judge(claim("at most", **FIVE), evidence(noisy, extreme)).iloc[0]
    assert (judged["verdict"], judged["at"], judged["high"]) == ("reproduced", "extreme", 4.6)
    surest, farthest = span(6, 0.1, at="surest"), span(9, 2, at="farthest")
    judged = judge(claim("at most", **FIVE), evidence(surest, farthest)).iloc[0]
    assert (judged["verdict"], judged["at"]) == ("not reproduced", "farthest")
    below, above = span(0.85, 0.02, at="below"), span(1.14, 0.02, at="above")
    judged = judge(claim("same", threshold=1.25), evidence(below, above)).iloc[0]
    assert (judged["verdict"], judged["at"]) == ("reproduced", "below")  # by factors


def test_a_largest_difference_that_is_known_badly_agrees_with_nothing():
    """Points that scatter widely give 16 % about as easily as much else; exact ones do, or not."""
    generator = np.random.default_rng(8)

    def said(mean: float, deviation: float) -> str:
        differences = generator.normal(mean, deviation, 20)
        claims = claim("maximum", printed=16.0, half_unit=1.0, margin=4.0)
        return verdict(claims, statistics.maximum(np.repeat([1.0, 2.0], 10), differences, 10))

    assert said(14, 12) == "undecidable"
    assert said(15.5, 1) == "reproduced"
    assert said(10, 1) == "not reproduced"


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
    assert judged["reason"].endswith(
        "As a check, ns-3, which shares its code, leaves it open (6 %)."
    )
    judged = judge(claims, evidence(span(3, 1), span(2, 1, **linux))).iloc[0]
    assert judged["reason"].endswith("it holds. Nothing else was varied. Linux agrees.")
    judged = judge(claims, evidence(span(3, 1))).iloc[0]
    assert judged["reason"] == (
        "On the segment engine it is 3 % [2, 4] (20 runs), where at most 5.5 % is allowed: it "
        "holds. Nothing else was varied."
    )


def test_the_engine_that_a_claim_is_about_decides():
    """What others say is told, and is no part of what is shown as measured."""
    claims, ns2 = claim("at most", **FIVE, engine="ns2"), {"engine": "ns2"}
    judged = judge(claims, evidence(span(8, 1), span(3, 1, **ns2))).iloc[0]
    assert judged[["verdict", "engine", "measured"]].tolist() == ["reproduced", "ns2", 3]
    assert judged["reason"].startswith("On ns-2 it is 3 % [2, 4]")
    assert judged["reason"].endswith("As a check, the segment engine says that it fails (8 %).")
    judged = judge(claims, evidence(span(3, 1), span(8, 1, **ns2))).iloc[0]
    assert judged[["verdict", "engine", "measured"]].tolist() == ["not reproduced", "ns2", 8]
    judged = judge(claims, evidence(span(3, 1))).iloc[0]  # it was not run there
    assert judged[["verdict", "engine", "stated_engine"]].tolist() == [
        "reproduced",
        "segment",
        "ns2",
    ]
    assert "for want of such runs on the paper's ns-2" in judged["reason"]
    linux = span(8, 1, engine="linux")
    assert verdict(claims, span(3, 1), linux) == "depends on the engine"


def test_another_engine_speaks_of_settings_where_it_does_not_part():
    claims, ns2 = claim("at most", **FIVE, engine="ns2"), {"engine": "ns2"}
    turned = span(8, 1, parameter="recovery", setting="halving")
    assert verdict(claims, span(3, 1, **ns2), span(2, 1), turned) == "depends on recovery"
    assert verdict(claims, span(3, 1, **ns2), span(5, 2), turned) == "depends on recovery"
    assert verdict(claims, span(3, 1, **ns2), span(9, 1), turned) == "reproduced"
    own = span(3, 1, parameter="recovery", setting="halving", **ns2)  # it knows better
    assert verdict(claims, span(3, 1, **ns2), span(2, 1), turned, own) == "reproduced"


def test_a_reason_names_no_more_than_two_settings_and_spells_engines_as_they_are():
    names = ["recovery", "min_rto", "lost_retransmission", "delayed_ack"]
    turned = [span(3, 1, parameter=name, setting="other") for name in names]
    linux = span(9, 1, engine="linux")
    judged = judge(claim("at most", **FIVE), evidence(span(8, 1), linux, *turned)).iloc[0]
    assert judged["verdict"] == "depends on recovery, min_rto, lost_retransmission and delayed_ack"
    assert wording.worded(judged["verdict"]) == "depends on 4 unstated parameters"
    assert judged["reason"].endswith(
        "It holds at 4 of 4 other settings, one parameter varied at a time: such as the method of "
        "recovery, other; the shortest timeout, other. Linux agrees."
    )


def test_two_things_that_are_equal_are_a_tie():
    """Known to be within 2 % of each other, whichever is ahead; a wider interval stays open."""
    faster = claim("direction", threshold=1.0, unit="times")
    for ratio in (0.99, 1.0, 1.01):
        assert verdict(faster, span(ratio, 0.005)) == "tie"
    assert verdict(faster, span(1.0, 0.05)) == "undecidable"
    assert verdict(faster, span(1.03, 0.005)) == "reproduced"
    assert verdict(faster, span(0.97, 0.005)) == "not reproduced"
    points = span(1.0, 0.005, at="a"), span(1.5, 0.1, at="b")
    judged = judge(faster, evidence(*points)).iloc[0]
    assert (judged["verdict"], judged["at"]) == ("tie", "a")
    assert verdict(faster, *points, span(0.8, 0.1, at="c")) == "not reproduced"
    assert verdict(faster, *points, span(1.0, 0.1, at="c")) == "undecidable"
    gain = claim("order", threshold=0.0, unit="%")
    assert verdict(gain, span(0.3, 0.5)) == "tie"
    ahead, behind = (span(value, 0.1, parameter="rate", setting=f"{value}") for value in (1.5, 0.5))
    assert verdict(faster, span(1.0, 0.005), ahead) == "tie"
    assert verdict(faster, span(1.0, 0.005), behind) == "tie"
    assert verdict(faster, span(1.0, 0.005), ahead, behind) == "depends on rate"
    asked = claim("direction", threshold=1.2, unit="times")  # more than merely larger
    assert verdict(asked, span(1.0, 0.005)) == "not reproduced"
    assert verdict(claim("order", threshold=0.0, unit="Mb/s"), span(0.0, 0.5)) == "undecidable"


def turning(rule: str, *rows: dict, **given) -> list[float]:
    return judge(claim(rule, **given), evidence(*rows)).iloc[0][["threshold", "turns_at"]].tolist()


def test_a_threshold_of_ours_says_where_the_verdict_would_turn():
    assert turning("direction", span(3, 1), threshold=1.5) == [1.5, 2]
    assert turning("direction", span(3, 1), span(2.5, 0.2, at="b"), threshold=1.5) == [1.5, 2]
    assert turning("direction", span(3, 1), threshold=5.0) == [5.0, 4]
    assert turning("direction", span(-3, 1), threshold=-1.0, side="below") == [-1.0, -2]
    assert turning("same", span(1.0, 0.2), threshold=1.5) == [1.5, 1.25]
    assert turning("same", span(1.4, 0.1), threshold=1.2) == pytest.approx([1.2, 1.3])
    assert turning("maximum", span(5.2, 0.9), **FIVE) == pytest.approx([1.25, 1.1])
    assert turning("maximum", span(6, 2), **FIVE) == [1.25, 3]
    varied = span(1.8, 0.3, parameter="recovery", setting="halving")  # fails from 2.1 on
    assert turning("direction", span(3, 0.5), varied, threshold=2.0) == pytest.approx([2.0, 2.1])
    threshold, at = turning("maximum", span(3, 1), **FIVE)
    assert threshold == 1.25 and np.isnan(at)  # the printed number is not there, how wide it be


def test_a_threshold_that_is_the_sentences_own_does_not():
    for given in ({"threshold": 1.0, "unit": "times"}, {"threshold": 0.0}):
        assert np.isnan(turning("direction", span(3, 1), **given)).all()
    assert np.isnan(turning("at most", span(3, 1), **FIVE)).all()


def test_a_verdict_that_hangs_on_its_threshold_is_marked():
    reasons = [
        judge(claim("direction", threshold=t), evidence(span(3, 1))).iloc[0]["reason"]
        for t in (1.5, 1.9)
    ]
    assert reasons[0].endswith("It would turn at a threshold of 2 (ours: 1.5 %).")
    assert reasons[1].endswith("It would turn at a threshold of 2 (ours, and near: 1.9 %).")


def test_a_margin_is_said_to_be_one_and_a_number_close_to_ours_is_told_apart():
    """A printed number has a margin of a quarter either way, which is no threshold."""
    reason = judge(claim("maximum", **FIVE), evidence(span(5.2, 0.9))).iloc[0]["reason"]
    assert "The paper's 5 % lie there, and it stays within our margin: it holds." in reason
    assert reason.endswith("It would turn at a margin of 1.1 (ours: 1.25 % either way).")
    beyond = judge(claim("maximum", **FIVE), evidence(span(6, 2))).iloc[0]["reason"]
    assert "but it reaches beyond our margin: that leaves it open." in beyond
    away = judge(claim("maximum", **FIVE), evidence(span(3, 1))).iloc[0]["reason"]
    assert "The paper's 5 % do not lie there: it fails." in away
    assert "No other margin than our 1.25 % either way would turn it." in away
    near = judge(claim("same", threshold=1.05), evidence(span(1, 0.049))).iloc[0]["reason"]
    assert "a threshold of 1.051 (ours" in near or "a threshold of 1.052 (ours" in near


@pytest.mark.parametrize(("measured", "side"), [(1.4, "more"), (0.7, "less")])
def test_beyond_bounds_on_both_sides_a_reason_says_on_which(measured, side):
    """A neighbour that carries too much is not the harm that a claim on fairness fears."""
    reason = judge(claim("same", threshold=1.1), evidence(span(measured, 0.05))).iloc[0]["reason"]
    assert f"where 0.909 to 1.1 % is allowed: it is {side}, and fails." in reason


def test_a_number_that_only_its_rounding_brings_into_the_interval_is_said_to_do_so():
    claims = claim("maximum", printed=21.0, half_unit=1.0, margin=5.25)
    said = {
        width: judge(claims, evidence(span(14, width, runs=10))).iloc[0]["reason"]
        for width in (5, 6.5, 8)
    }
    assert "The paper's 21 % do not lie there" in said[5]
    rounded = "The paper's 21 %, which may be 20 to 22 by rounding and wording, reach into that"
    assert rounded in said[6.5]
    assert "The paper's 21 % lie there, but" in said[8]


def test_a_reason_says_what_was_measured():
    told = claim("at most", **FIVE, measure="how far it is off")
    judged = judge(told, evidence(span(3, 1))).iloc[0]
    assert judged["reason"].startswith("Measured: how far it is off. On the segment engine")
    assert judged["measure"] == "how far it is off"


def test_settings_that_only_another_engine_tried_refute_nothing():
    """It parts with the deciding one as stated: what it says of others counts neither way."""
    claims, ns2 = claim("at most", **FIVE, engine="ns2"), {"engine": "ns2"}
    kept = span(3, 1, parameter="recovery", setting="halving")
    judged = judge(claims, evidence(span(8, 1, **ns2), span(3, 1), kept)).iloc[0]
    assert judged["verdict"] == "undecidable" and np.isnan(judged["decides"])
    assert (
        "Other settings were tried on the segment engine alone, which parts with it here, and 1 of "
        "1 do not refute it: no number of runs at the stated setting decides."
    ) in judged["reason"]
    refuted = span(9, 1, parameter="recovery", setting="halving")
    assert verdict(claims, span(8, 1, **ns2), span(3, 1), refuted) == "not reproduced"
    own = span(9, 1, parameter="recovery", setting="halving", **ns2)
    assert verdict(claims, span(8, 1, **ns2), span(3, 1), kept, own) == "not reproduced"
    judged = judge(claims, evidence(span(3, 1, **ns2), span(8, 1), refuted)).iloc[0]
    assert judged["verdict"] == "reproduced"
    assert "which parts with it here: they do not count." in judged["reason"]


def test_a_chapter_counts_each_kind_apart():
    """What is reproduced is of what runs test; arithmetic and the fitted are counted beside it."""
    judged = pd.DataFrame(
        {
            "sentence": ["a", "a", "b", "c", "d"],
            "kind": ["measured", "fitted", "arithmetic", "possible", "measured"],
            "verdict": ["reproduced", "fitted", "reproduced", "reproduced", "depends on recovery"],
        }
    )
    found = rules.counts(judged, "x")
    assert (found["x_sentences"], found["x_claims"]) == (4, 5)
    assert (found["x_sentences_measured"], found["x_claims_measured"]) == (2, 2)
    assert (found["x_sentences_reproduced"], found["x_claims_reproduced"]) == (1, 1)
    assert (found["x_sentences_depends"], found["x_claims_depends"]) == (1, 1)
    assert (found["x_sentences_arithmetic"], found["x_sentences_possible"]) == (1, 1)
    assert (found["x_sentences_fitted"], found["x_claims_fitted"]) == (0, 1)
    kinds = [found[f"x_sentences_{kind}"] for kind in rules.KINDS]
    assert sum(kinds) == found["x_sentences"]
    assert wording.tally(judged) == "1 of the 2 claims that runs test are reproduced"


def test_a_threshold_turns_what_it_says_it_turns():
    """Just beyond it the verdict is another, and just before it is not: for each sort of claim."""
    varied = span(1.9, 0.4, parameter="recovery", setting="halving")
    for rule, given in (
        ("direction", {"threshold": 1.3}),
        ("direction", {"threshold": 4.5, "side": "below"}),
        ("same", {"threshold": 1.6}),
        ("same", {"threshold": 9.0}),
    ):
        rows = span(3, 1, at="a"), span(2.5, 0.1, at="b"), varied
        ours, at = turning(rule, *rows, **given)
        sorts = [
            rules.verdict_class(verdict(claim(rule, **(given | {"threshold": t})), *rows))
            for t in (ours, at + 1e-4 * (ours - at), at - 1e-4 * (ours - at))
        ]
        assert sorts[0] == sorts[1] != sorts[2]


def test_what_is_open_says_how_many_runs_would_decide():
    claims = claim("at most", **FIVE)  # which allows 5.5
    said = [judge(claims, evidence(span(mean, 2))).iloc[0]["reason"] for mean in (5.0, 5.49, 5.5)]
    assert "runs a point would decide." in said[0]
    assert "so near the bound that 1,400,000 runs a point would be needed." in said[1]
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


def test_what_is_said_to_be_possible_needs_one_instance():
    may = claim("direction", threshold=1.0, kind="possible")
    varied = {"parameter": "router_buffer", "setting": "1300 packets"}
    judged = judge(may, evidence(span(0, 0.5), span(3, 1, **varied))).iloc[0]
    assert judged[["verdict", "measured"]].tolist() == ["reproduced", 3]
    assert judged["reason"].startswith("One instance is enough: ")
    assert verdict(may, span(3, 1), span(0, 0.5, **varied)) == "reproduced"
    assert verdict(may, span(0, 0.5), span(1, 2, **varied)) == "undecidable"
    assert verdict(may, span(0, 0.5), span(-3, 1, **varied)) == "not reproduced"


def test_a_sentence_has_the_verdict_of_all_its_parts():
    said = rules.sentence_verdict
    assert said([("measured", "reproduced")] * 3) == "reproduced"
    assert said([("measured", "reproduced"), ("measured", "undecidable")]) == "mixed"
    on = [("measured", "depends on recovery"), ("measured", "depends on min_rto")]
    assert said(on) == "depends"
    assert said([*on, ("fitted", "fitted")]) == "depends"  # it is no test
    assert said([("fitted", "fitted")] * 2) == "fitted"
    assert rules.sentence_kind(["fitted", "measured"]) == "measured"
    assert rules.sentence_kind(["fitted"]) == "fitted"


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
    for rule in ("at most", "at least", "about", "value", "maximum"):
        assert verdict(claim(rule, **FIVE), single) == "undecidable"


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
        ours = generator.normal(0, 1, (8, 20))
        found = statistics.maximum(np.repeat(np.arange(8.0), 20), ours.ravel())
        hits += found["low"] <= np.abs(generator.normal(0, 1, 8)).max() <= found["high"]
    assert found["measured"] > 1
    assert 0.92 < hits / 200 < 0.98
    single = statistics.maximum(np.arange(8.0), ours[:, 0])
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


def test_a_bound_belongs_to_its_region_where_it_is_not_strict():
    """An interval that ends on it agrees, and a threshold is near by its own measure."""
    agrees = [
        rules._agree(np.array([1.0]), np.array([2.0]), rules.Region(1.0, 2.0, strict)).item()
        for strict in (False, True)
    ]
    assert agrees == [True, False]
    inside, outside = (1.05 + part * rules.NEAR * 0.05 for part in (0.9, 1.1))
    assert rules.is_near("same", 1.05, inside)
    assert not rules.is_near("same", 1.05, outside)
