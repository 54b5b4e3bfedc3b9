"""Verdicts from a chapter's cell to the pages that collect them."""

import json
import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from longfat import paths, store
from longfat.book import show, verdicts
from longfat.errors import InputError
from longfat.experiment import Chapter, Table
from longfat.verdicts import rules
from longfat.verdicts.judge import judge

pytestmark = pytest.mark.book

SHOWN = pd.DataFrame(
    {
        "id": ["a", "b"],
        "where": "section 1",
        "statement": ["twice as fast", "faster"],
        "printed": [100, None],
        "measured": [93.25, float("nan")],
        "low": [90, float("nan")],
        "high": [96.5, float("nan")],
        "unit": "%",
        "engine": "ns3",
        "verdict": ["not reproduced", "undecidable"],
        "reason": ["", "there is no number"],
    }
)


def test_a_chapter_shows_numbers_with_their_intervals_and_units():
    assert "93.2 [90, 96.5] %" in show.show_verdicts(SHOWN, "Claims").data


def test_verdicts_are_counted():
    counts = verdicts.verdict_counts().set_index("paper")
    assert counts.loc["all papers", "claims"] == len(verdicts.verdicts())
    assert (counts.drop(columns="claims").sum(axis=1) == counts["claims"]).all()


def test_verdicts_of_another_kind_are_refused():
    table = pd.DataFrame([dict.fromkeys(show.VERDICT_COLUMNS, "x")])
    with pytest.raises(InputError, match="'x' is none of reproduced, not reproduced"):
        show.show_verdicts(table, "Claims")
    with pytest.raises(InputError, match="the columns verdict are missing"):
        show.show_verdicts(table.drop(columns="verdict"), "Claims")


CLAIMS = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "where": "section 1",
        "statement": ["It is at most 5 %.", "It is about 5 %.", "It is good."],
        "kind": ["at most", "about", "qualitative"],
        "printed": [5, 5, None],
        "unit": "%",
        "half_unit": 0.5,
        "threshold": None,
        "threshold_reason": ["", "", "'Good' has no measure."],
        "fitted": "",
    }
)
USUAL = {"runs": 20, "at": "p = 0.1", "experiment": "hybla-steady"}
EVIDENCE = pd.DataFrame(
    [
        {
            "claim": "a",
            "engine": "segment",
            "parameter": "",
            "setting": "",
            "measured": 3.0,
            "low": 2.0,
            "high": 4.0,
            **USUAL,
        },
        {
            "claim": "a",
            "engine": "linux",
            "parameter": "",
            "setting": "",
            "measured": 3.5,
            "low": 2.5,
            "high": 4.5,
            **USUAL,
        },
        {
            "claim": "a",
            "engine": "segment",
            "parameter": "recovery",
            "setting": "halving",
            "measured": 9.0,
            "low": 8.0,
            "high": 10.0,
            **USUAL,
        },
        {
            "claim": "b",
            "engine": "segment",
            "parameter": "",
            "setting": "",
            "measured": 5.0,
            "low": 3.0,
            "high": 7.0,
            **USUAL,
        },
    ]
)


def chapter(table: pd.DataFrame) -> Chapter:
    """Return a chapter on Hybla whose claims are these, judged."""
    claims = Table(name="hybla-verdicts", data=lambda _: table, caption="Claims")
    return Chapter(name="hybla", setting=None, experiments=(), figures=(), claims=claims)


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Return the verdicts of that chapter, written and read, which is the only one of the book."""
    monkeypatch.setattr(verdicts, "VERDICTS", tmp_path / "verdicts.csv")
    made = verdicts.judged(chapter(judge(CLAIMS, EVIDENCE)))
    verdicts.write(made)
    read = verdicts.verdicts()
    pd.testing.assert_frame_equal(read, made, check_dtype=False)
    verdicts.write(made)  # in place of what was there
    assert len(verdicts.verdicts()) == len(made)
    return read.set_index("id")


def test_what_was_judged_is_kept_with_its_evidence(judged):
    assert set(judged["paper"]) == {"hybla"}
    assert judged["verdict"].tolist() == ["depends on recovery", "undecidable", "undecidable"]
    records = judged.at["a", "evidence"]
    assert [one["engine"] for one in records] == ["segment", "linux", "segment"]
    assert [one["says"] for one in records] == ["holds", "holds", "fails"]
    assert judged.at["b", "decides"] > 20


def test_verdicts_are_counted_by_paper_and_kind(judged):
    counts = verdicts.verdict_counts().set_index("paper")
    assert counts.loc["hybla", ["depends", "undecidable", "claims"]].tolist() == [1, 2, 3]
    counts = verdicts.verdict_counts_by_kind().set_index("kind")
    assert counts.loc["about", "undecidable"] == 1
    assert counts.loc["all kinds", "claims"] == 3


def test_the_scoreboard_says_what_it_depends_on_and_what_would_decide(judged):
    board = verdicts.scoreboard()
    assert "Depends on **the method of recovery**" in board["reason"][0]
    assert "<summary>one other setting</summary>" in board["reason"][0]
    assert re.search(r"About \d+ runs a point would decide", board["reason"][1])


def test_a_claim_is_a_picture_of_what_was_printed_and_measured(judged):
    drawing = ElementTree.fromstring(verdicts.picture(judged.loc["a"].to_dict()))
    assert drawing.get("role") == "img"
    assert drawing.get("aria-label") == "printed 5 %; segment engine 3 %; Linux 3.5 %"
    circles = [one for one in drawing.iter() if one.tag == "circle"]
    assert len(circles) == 1  # the segment engine's mark; Linux has a triangle
    texts = [one.text for one in drawing.iter() if one.tag == "text"]
    assert texts == ["2", "9"]
    (band,) = (one for one in drawing.iter() if one.tag == "rect")
    edge = float(band.get("x")) + float(band.get("width"))
    assert float(circles[0].get("cx")) < edge  # 3 is within "at most 5"
    evidence = [one | {"measured": 6.5} for one in judged.loc["a", "evidence"]]
    drawing = ElementTree.fromstring(
        verdicts.picture(judged.loc["a"].to_dict() | {"evidence": evidence})
    )
    (circle,) = (one for one in drawing.iter() if one.tag == "circle")
    assert float(circle.get("cx")) > edge
    assert verdicts.picture(judged.loc["c"].to_dict()) == ""


def test_each_drawn_claim_is_told_with_its_rule_and_its_data(judged):
    told = verdicts.steps()
    assert told.count("## ") == 2  # of three claims one has no evidence
    assert rules.RULES["at most"] in told
    assert "hybla-steady" in store.experiments()
    assert told.count("| `hybla-steady` |") == 4
    assert "recovery: halving" in told


def test_every_number_of_a_told_claim_leads_to_its_runs(judged):
    """The files that the page links hold archived scenarios, and only of the point that decides."""
    told, files = verdicts.steps(), verdicts.drawn_runs()
    linked = re.findall(r"\{download\}`20 </_longfat/(runs-[^>]*)\.json>`", told)
    assert set(linked) == set(files) and len(linked) == 4
    archived = set(store.read_archive("hybla-steady")["scenario"])
    runs = json.loads(files["runs-hybla-steady-segment"])
    assert runs and {json.dumps(run, sort_keys=True, separators=(",", ":")) for run in runs} <= (
        archived
    )
    one = {"experiment": "hybla-steady", "engine": "segment", "at": r"$p = 2 \times 10^{-3}$"}
    assert verdicts.runs_name(one) == "runs-hybla-steady-segment-0.002"
    at_point = verdicts._scenarios("hybla-steady", "segment", 2e-3)
    assert 0 < len(at_point) < len(runs)
    assert all(json.loads(run)["links"][0]["loss_per_packet"] == 2e-3 for run in at_point)


def test_the_same_claims_are_drawn_each_time():
    first, second = verdicts.drawn(), verdicts.drawn()
    assert first["id"].tolist() == second["id"].tolist()


def test_each_verdict_that_turned_is_told_with_its_reason():
    before = pd.read_csv(paths.DATA / "verdicts-before.csv").set_index("id")["verdict"]
    now = verdicts.verdicts().set_index("id")["verdict"]
    turned = [one for one in now.index.intersection(before.index) if before[one] != now[one]]
    table = verdicts.verdicts_before_and_after()
    assert len(table) == len(turned) > 0
    assert table["reason"].notna().all()
    assert set(pd.read_csv(paths.DATA / "verdicts-changed.csv")["id"]) == set(turned)


def test_the_counts_of_verdicts_are_of_all_claims():
    counts = verdicts.verdicts_changed()
    assert counts["claims"].sum() == len(verdicts.verdicts())


def test_the_rules_on_the_page_are_those_of_the_code():
    table = verdicts.rules()
    assert dict(zip(table["kind"], table["rule"], strict=True)) == rules.RULES
