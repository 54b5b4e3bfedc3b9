"""What a stranger checks: twelve claims of each paper, run again, judged again and compared."""

import json

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from longfat import engines, paths
from longfat.book import check, figures, verdicts
from longfat.cli import main

pytestmark = [pytest.mark.medium, pytest.mark.book]
ROOT = paths.DATA.parent
QUICK = ("hybla-s2-growth", "hybla-s3-tails")  # a run, and arithmetic


def run(*arguments):
    return CliRunner().invoke(main, ["claims", *map(str, arguments)])


def test_twelve_claims_of_each_paper_with_all_that_they_rest_on():
    listed = check.claims()
    assert listed["id"].tolist() == check.names() and not listed["id"].duplicated().any()
    assert listed.groupby("paper").size().to_dict() == dict.fromkeys(
        ("hybla", "survey", "tcpj", "ucc"), 12
    )
    kinds = verdicts.verdicts().set_index("id").loc[listed["id"], "kind"]
    without_runs = listed["runs"] == 0
    assert not (kinds.to_numpy()[without_runs] == "measured").any()
    unknown = run("hybla-s1-rena")
    assert unknown.exit_code == 2 and "Did you mean 'hybla-s1-reno'?" in unknown.output


def test_a_claim_that_comes_out_as_it_stands(tmp_path):
    answer = run(*QUICK, "--output", tmp_path / "new" / "claims.csv")
    assert answer.exit_code == 0, answer.output
    assert "[1 of 2] hybla-s2-growth: as expected (1 run again" in answer.output
    assert "each came out as it stands in the book" in answer.output
    table = pd.read_csv(tmp_path / "new" / "claims.csv")
    assert table["id"].tolist() == list(QUICK)
    assert table["equal"].all() and (table["different"] == 0).all()


def test_runs_with_other_digits_are_told(monkeypatch):
    simulate = engines.segment.simulate
    other = lambda one, *limits: simulate(one.replace(duration_s=0.9 * one.duration_s))  # noqa: E731
    monkeypatch.setattr(engines.segment, "simulate", other)
    answer = run("hybla-s2-growth")
    assert answer.exit_code == 1
    assert " with other digits): " in answer.output and "1 came out otherwise" in answer.output


def test_a_verdict_that_is_another_is_told(monkeypatch):
    stated = verdicts.verdicts()
    stated.loc[stated["id"] == "hybla-s3-tails", "verdict"] = "not reproduced"
    monkeypatch.setattr(check.verdicts, "verdicts", lambda: stated)
    answer = run("hybla-s3-tails")
    assert answer.exit_code == 1
    assert "DIFFERENT" in answer.output and "not 0 %; not reproduced" in answer.output


def test_the_manifest_of_a_codecheck_names_figures_that_there_are():
    manifest = yaml.safe_load((ROOT / "codecheck.yml").read_text())["manifest"]
    known = set(figures.catalogue()["name"])
    for one in manifest:
        name = one["file"].rpartition("/")[2].removesuffix(".svg")
        assert name == "claims.csv" or (name in known and f"figure {name} " in one["comment"])


def test_a_deposit_says_what_the_citation_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    deposit = json.loads((ROOT / ".zenodo.json").read_text())
    assert deposit["title"] == citation["title"]
    assert deposit["description"] == citation["abstract"]
    assert deposit["version"] == citation["version"]
    assert deposit["keywords"] == citation["keywords"]
    assert deposit["creators"] == citation["authors"]
