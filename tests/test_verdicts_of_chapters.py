"""The chapters' claims, their evidence and errata: what no verdict may lack."""

import numpy as np
import pandas as pd
import pytest

from longfat import papers, paths, store
from longfat.book import chapters, verdicts
from longfat.verdicts import rules
from longfat.verdicts.judge import judge

pytestmark = pytest.mark.book


@pytest.mark.parametrize("paper", papers.names())
def test_a_claim_has_a_rule_and_what_it_needs(paper):
    """`region` refuses an unknown rule and a missing number."""
    for claim in papers.claims(paper).itertuples():
        place = rules.region(claim)
        if claim.rule in ("qualitative", "direction"):
            reason = claim.threshold_reason
            assert isinstance(reason, str) and reason.strip(), f"{claim.id}: no reason"
        assert place is not None or claim.rule == "qualitative", claim.id


@pytest.mark.parametrize("paper", papers.names())
def test_every_claim_is_part_of_a_sentence_and_of_a_kind(paper):
    claims, sentences = papers.claims(paper), papers.data(paper, "sentences")
    assert sentences["sentence"].is_unique and sentences["statement"].is_unique
    assert set(claims["sentence"]) == set(sentences["sentence"])
    assert set(claims["kind"]) <= set(rules.KINDS)
    assert ((claims["kind"] == "fitted") == claims["fitted"].notna()).all()
    assert 10 <= len(sentences) <= 25


@pytest.mark.parametrize("paper", papers.names())
def test_no_claim_has_a_margin_of_its_own(paper):
    """A quarter of what is printed, or of the ratio where a gain is printed."""
    claims = papers.claims(paper)
    gain = claims["quantity"] == "gain" if "quantity" in claims else False
    quarter = (claims["printed"] + np.where(gain, 100, 0)) / 4
    asked = claims["rule"].isin(["maximum", "value"])
    assert claims["margin"][asked].to_numpy() == pytest.approx(quarter[asked].to_numpy(), rel=1e-5)
    assert claims["margin"][~asked].isna().all()


@pytest.mark.parametrize("paper", papers.names())
def test_every_claim_of_a_paper_is_judged_once(paper):
    judged = verdicts.verdicts().query("paper == @paper")
    assert sorted(judged["id"]) == sorted(papers.claims(paper)["id"])


def evidence() -> pd.DataFrame:
    """Return every row of evidence of the book, with its claim."""
    table = verdicts.verdicts()
    return pd.DataFrame(
        [{"id": row.id} | one for row in table.itertuples() for one in row.evidence or []]
    )


@pytest.mark.parametrize("paper", papers.names())
def test_every_claim_that_was_run_says_what_is_measured(paper):
    """In words that its reason begins with, on every page where the verdict stands."""
    table = verdicts.verdicts().query("paper == @paper")
    run = table[table["engine"].isin(set(rules.ENGINES) - {"arithmetic"})]
    assert run["measure"].str.contains(r"\w \w").all()
    assert len(run) > 15
    for row in run.itertuples():
        assert row.reason.startswith(f"Measured: {row.measure}. "), row.id


def test_a_reason_is_short():
    """In the median, and the longest of all."""
    table = verdicts.verdicts()
    words = table["reason"].str.split().str.len()
    assert words.median() < 80 and words.max() < 140


def test_a_reason_without_joint_settings_says_how_settings_were_varied():
    """One at a time, or not at all."""
    table = verdicts.verdicts().query("kind == 'measured' and not settings > 0 and runs > 0")
    told = table["reason"].str.contains(
        "one parameter varied at a time|one other setting tried|Nothing else was varied"
        "|Other settings were tried"
    )
    assert table["id"][~told].tolist() == []


def test_a_verdict_that_depends_names_what_on():
    """The parameters that turn it, or that which matters most, with its number, if one does."""
    for row in verdicts.verdicts().query("verdict.str.startswith('depends')").itertuples():
        named = rules.verdict_class(row.verdict) and "several parameters" not in row.verdict
        said = " matters most (" in row.reason or "than chance would" in row.reason
        assert named or said, row.id


def test_every_measured_claim_has_evidence():
    table = verdicts.verdicts()
    measured = table[table["measured"].notna()]
    assert [row.id for row in measured.itertuples() if not row.evidence] == []


def test_evidence_names_an_engine_and_an_archived_experiment():
    archived = {*store.experiments(), *store.points()}
    rows = evidence()
    assert set(rows["engine"]) <= set(rules.ENGINES)
    lost = [
        f"{row.id}: {row.experiment!r}"
        for row in rows.itertuples()
        if row.engine != "arithmetic"
        and not (row.experiment.split() and set(row.experiment.split()) <= archived)
    ]
    assert lost == []


def test_evidence_varies_only_what_the_paper_does_not_state():
    known = {paper: set(papers.parameters(paper)["name"]) for paper in papers.names()}
    table = verdicts.verdicts().set_index("id")["paper"]
    varied = evidence().query("parameter != ''")
    unknown = {
        f"{table[row.id]}: {row.parameter}"
        for row in varied.itertuples()
        if row.parameter not in known[table[row.id]]
    }
    assert unknown == set()


@pytest.mark.parametrize("paper", papers.names())
def test_no_claim_is_an_erratum_and_reproduced(paper):
    errata = papers.errata(paper)
    assert set(errata["sort"]) <= set(papers.SORTS)
    named = {name for names in errata["claim"].dropna() for name in names.split()}
    judged = verdicts.verdicts().set_index("id")["verdict"]
    assert named <= set(judged.index)
    assert {name for name in named if judged[name] == "reproduced"} == set()


@pytest.mark.parametrize("paper", papers.names())
def test_a_remark_on_a_model_says_how_much_it_moves(paper):
    remarks = papers.errata(paper).query("sort == 'remark on the model'")
    assert remarks["effect"].notna().all()


@pytest.mark.parametrize("paper", papers.names())
def test_the_second_reading_and_ours_have_every_claim(paper):
    """Each sentence that was read has a claim or a reason why not, and each claim a sentence."""
    read = papers.data(paper, "second-reading")
    assert (read["claims"].notna() | read["resolution"].notna()).all()
    found = set(" ".join(read["claims"].fillna("")).split())
    assert found == set(papers.claims(paper)["id"])


def test_a_verdict_moves_with_its_evidence():
    """Kept evidence is judged again, and again with its numbers moved far to the other side."""
    table = verdicts.verdicts().query("verdict == 'reproduced' and rule == 'direction'")
    kept = next(row for row in table.to_dict("records") if row["evidence"])
    claims = papers.claims(kept["paper"]).query("id == @kept['id']")
    rows = pd.DataFrame(kept["evidence"]).assign(claim=kept["id"])
    assert judge(claims, rows)["verdict"][0] == "reproduced"
    away = 100 * (1 + rows["measured"].abs().max()) * (1 if pd.isna(kept["bound_low"]) else -1)
    rows.loc[rows["parameter"] == "", ["measured", "low", "high"]] += away
    assert judge(claims, rows)["verdict"][0] != "reproduced"


def test_no_other_code_makes_verdicts():
    """The words stand in `longfat.verdicts`, and elsewhere only where they are shown."""
    package = paths.DATA.parent / "src" / "longfat"
    makers = [
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if "book" not in path.relative_to(package).parts
        and '"not reproduced"' in path.read_text("utf-8")
    ]
    assert set(makers) == {"verdicts"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, one in chapters.stated().items() if one.claims])
def test_what_is_written_is_what_is_judged_now(name):
    """`longfat judge` would change nothing."""
    kept = verdicts.of_chapter(name)
    pd.testing.assert_frame_equal(kept, verdicts.judged(chapters.stated()[name]), check_dtype=False)


def test_an_undecidable_claim_says_what_would_decide_it():
    """So many runs, or why no number of them would."""
    table = verdicts.verdicts().query("verdict == 'undecidable'")
    for row in table.itertuples():
        told = "runs a point" in row.reason or "o number of runs" in row.reason
        assert told, f"{row.id}: {row.reason}"
        assert pd.isna(row.decides) == ("o number of runs" in row.reason)
