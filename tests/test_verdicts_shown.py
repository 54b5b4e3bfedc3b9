"""Verdicts from a chapter's cell to the pages that collect them."""

import json
import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from longfat import papers, paths, store
from longfat.book import show, verdicts
from longfat.errors import InputError
from longfat.experiment import Chapter, Table
from longfat.scenario import Scenario
from longfat.verdicts import joint, rules
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
    """Sentences by paper, and their parts by kind: each once."""
    counts = verdicts.verdict_counts().set_index("paper")
    assert counts.loc["all papers", "sentences"] == len(verdicts.sentences())
    assert (counts.drop(columns="sentences").sum(axis=1) == counts["sentences"]).all()
    counts = verdicts.verdict_counts_by_kind().set_index("kind")
    assert counts.loc["all kinds", "claims"] == len(verdicts.verdicts())
    assert set(counts.index) == {*rules.KINDS, "all kinds"}
    assert counts.loc["fitted", "fitted"] == counts.loc["fitted", "claims"]


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
        "rule": ["at most", "about", "qualitative"],
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
    assert counts.loc["hybla", ["depends", "undecidable", "sentences"]].tolist() == [1, 2, 3]
    counts = verdicts.verdict_counts_by_kind().set_index("kind")
    assert counts.loc["measured", "undecidable"] == 2
    assert counts.loc["all kinds", "claims"] == 3


def test_a_setting_is_named_in_words():
    """Also what the chapter assumes, where one instance of another setting was enough."""
    table = pd.read_csv(paths.DATA / "verdicts.csv")
    tried = table["reason"].str.extract(r"other setting tried[^(]*\(([^)]*)\)")[0].dropna()
    assert len(tried) and tried.str.contains("[a-z]").all()


def test_a_sentence_that_was_cut_up_is_one_row_with_its_parts_beneath(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "VERDICTS", tmp_path / "verdicts.csv")
    two = CLAIMS.assign(sentence=["steady", "steady", "good"])
    verdicts.write(verdicts.judged(chapter(judge(two, EVIDENCE))))
    assert verdicts.verdict_counts().set_index("paper").at["hybla", "sentences"] == 2
    first = verdicts.scoreboard().iloc[0]
    stated = papers.data("hybla", "sentences").set_index("sentence").at["steady", "statement"]
    assert first["claim"] == f"section 4: {stated}"
    assert first["verdict"] == "mixed"
    assert first["printed and measured"] == "1 depends, 1 undecidable"
    assert first["reason"].startswith("<details><summary>2 parts</summary>")
    assert first["reason"].count("<li>") == 2 and CLAIMS["statement"][0] in first["reason"]


def test_the_scoreboard_says_what_it_depends_on_and_what_would_decide(judged):
    board = verdicts.scoreboard()
    assert "Depends on **the method of recovery**" in board["reason"][0]
    assert "<summary>one other setting</summary>" in board["reason"][0]
    assert re.search(r"About \d+ runs a point would decide", board["reason"][1])


def test_a_verdict_that_hangs_on_our_threshold_is_marked_on_the_scoreboard(judged):
    table = verdicts.verdicts()
    first = table.iloc[[0, 0]].assign(
        rule="direction", threshold=[10.0, 10.0], turns_at=[10.9, 11.1]
    )
    marked = [verdicts._reason(row).startswith("**Hangs on") for row in first.itertuples()]
    assert marked == [True, False]


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
    linked = re.findall(r"\{download\}`20 </_longfat/(runs-[^>]*)\.json\.gz>`", told)
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


def test_a_number_of_an_archive_of_points_leads_to_its_runs_too():
    """They are made of the rows, and may be run as they are."""
    runs = [
        Scenario.from_json(text) for text in verdicts._scenarios("ucc-measured", "segment", 1e-2)
    ]
    rows = store.read_table("ucc-measured", "points").query("loss == 0.01")
    assert [run.seed for run in runs] == rows["seed"].tolist()
    assert {max(link.loss_per_packet for link in run.links) for run in runs} == {0.01}


def test_the_same_claims_are_drawn_each_time():
    first, second = verdicts.drawn(), verdicts.drawn()
    assert first["id"].tolist() == second["id"].tolist()


def kept(name: str) -> pd.DataFrame:
    return pd.read_csv(paths.DATA / f"verdicts-{name}.csv").set_index("id")


def test_each_verdict_that_turned_with_the_core_is_told_with_its_reason():
    before, now = kept("before")["verdict"], kept("old-rules")["verdict"]
    turned = [one for one in now.index.intersection(before.index) if before[one] != now[one]]
    table = verdicts.verdicts_before_and_after()
    assert len(table) == len(turned) > 0
    assert table["reason"].notna().all()
    assert set(kept("changed").index) == set(turned)


def test_each_verdict_that_turned_with_the_rules_is_told_with_the_rule():
    before, told = kept("old-rules")["verdict"], kept("changed-by-rules")
    now = verdicts.verdicts().set_index("id")["verdict"]
    both = now.index.intersection(before.index)
    turned = [one for one in both if _sorts(before[one]) != _sorts(now[one])]
    assert set(told.index) == set(turned)
    assert (told["now"] == now[told.index]).all() and (told["before"] == before[told.index]).all()
    assert len(verdicts.verdicts_turned_by_rules()) == len(turned)
    assert told["rule"].notna().all()
    assert verdicts.verdicts_changed_by_rules()["claims"].sum() == len(both)


def test_a_younger_claim_whose_verdict_turned_is_told_with_the_cause():
    told = kept("changed-since")
    now = pd.read_csv(verdicts.VERDICTS).set_index("id")["verdict"]
    assert told.index.is_unique and not set(told.index) & set(kept("old-rules").index)
    assert (told["now"] == now[told.index]).all()
    for before, after in zip(told["before"], told["now"], strict=True):
        assert _sorts(before) != _sorts(after)
    table = verdicts.verdicts_turned_since()
    assert len(table) == len(told) and table["by"].notna().all()


def _sorts(verdict: str) -> set[str]:
    """Return what a verdict depends on, in no order."""
    return set(re.split(r", | and ", verdict.removeprefix("depends on ")))


def test_the_rules_on_the_page_are_those_of_the_code():
    table = verdicts.rules()
    assert dict(table.itertuples(index=False)) == rules.RULES


def test_a_verdict_that_turned_is_told_with_the_claims_place_and_words():
    table, told = verdicts.verdicts_turned_by_rules(), kept("changed-by-rules")
    claims = pd.concat([papers.claims(paper) for paper in papers.names()]).set_index("id")
    claims = claims.loc[told.index]
    assert sorted(table["claim"]) == sorted(
        f"{where}: {text}" for where, text in zip(claims["where"], claims["statement"], strict=True)
    )


def test_what_each_engine_says_is_folded_engine_by_engine(judged):
    """The deciding one first, with its number; a setting stands with the engine that tried it."""
    reason = verdicts.scoreboard()["reason"][0]
    assert (
        "<details><summary>one other setting</summary>**segment engine** holds as stated (3 %); "
        "*the method of recovery*: fails with halving. **Linux** holds as stated (3.5 %).</details>"
    ) in reason


def at_once(engine: str, holds: int, fails: int) -> dict:
    """Return a row of `data/joint.csv` on the claim of the chapter."""
    says = ["holds"] * holds + ["fails"] * fails
    found = joint.share(says)
    row = dict.fromkeys(joint.COLUMNS, float("nan")) | {"id": "a", "engine": engine, "part": ""}
    row |= {"share": found.share, "share_low": found.low, "share_high": found.high}
    row |= {"settings": found.settings, "open": 0, "ties": 0, "joint_verdict": found.verdict}
    return row | {"turned_by": "recovery", "told": 1.0, "matters": "recovery", "first_order": 0.5}


def test_a_told_claim_has_its_joint_settings_first(tmp_path, monkeypatch):
    """By engine, the one that decides before the others; what one setting says comes after."""
    rows = pd.DataFrame([at_once("segment", 48, 0), at_once("linux", 20, 28)])
    monkeypatch.setattr(verdicts, "VERDICTS", tmp_path / "verdicts.csv")
    monkeypatch.setattr(joint, "FILE", tmp_path / "joint.csv")
    rows.assign(paper="hybla").to_csv(tmp_path / "joint.csv", index=False)
    claims = CLAIMS.assign(engine="linux", measure="how far it is off")
    verdicts.write(verdicts.judged(chapter(judge(claims, EVIDENCE, rows))))
    [told] = [one for one in verdicts.steps().split("\n\n## ") if "at most 5 %" in one]
    linux = told.index("| Linux | 48 | 20 | 28 | 0 | 0 | depends |")
    segment = told.index("| segment engine | 48 | 48 | 0 | 0 | 0 | reproduced |")
    assert linux < segment < told.index("| segment engine | as stated |")
    assert "**What is measured.** How far it is off." in told
    board = verdicts.scoreboard().query("claim.str.contains('at most 5 %')")["reason"].iloc[0]
    assert board.lower().count("the method of recovery") == 2  # in the reason, and as folded
    settings = verdicts.verdict_settings().set_index("paper").loc["hybla"]
    assert settings.to_dict() == {
        "measured claims": 3,
        "at joint settings": 1,
        "one parameter at a time": 0,
        "not varied": 1,
        "without runs": 1,
    }
