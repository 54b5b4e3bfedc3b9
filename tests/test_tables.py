"""The collections over all papers: complete, and only about papers that there are."""

import pandas as pd
import pytest

from longfat import papers, paths, store, style
from longfat.book import tables
from longfat.cc import catalogue
from longfat.papers import sensitivity
from longfat.result import FLOW_COLUMNS, Result
from longfat.topologies import satellite

pytestmark = pytest.mark.book

# The papers of the book, also those whose chapter is still to come.
PAPERS = {"survey", "hybla", "tcpj", "ucc"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["assumptions", "equations"])
def test_every_paper_is_in_every_collection(name):
    table = getattr(tables, name)()
    assert set(table["paper"]) == set(papers.names())


def test_what_is_assumed_of_low_orbits_has_a_range_and_a_source():
    table = tables.leo_assumptions().set_index("name")
    assert table.loc["`silence`", ["value", "plausible"]].tolist() == ["0.05", "0 to 0.15"]
    assert (table[["plausible", "source"]] != "").all(axis=None)
    assert list(tables.leo_shells())[1:] == ["starlink", "kuiper", "oneweb", "telesat"]


def test_every_erratum_is_in_one_group():
    groups = [tables.errata_slips(), tables.errata_model(), tables.errata_implementers()]
    assert sum(map(len, groups)) == sum(len(papers.errata(paper)) for paper in papers.names())


def test_catalogue_has_a_card_for_every_algorithm_but_ns3s_own_classes():
    table = tables.catalogue().set_index("name")
    others = tables.ns3_classes()
    listed = [*table.index, *others["name"].str.strip("`")]
    assert sorted(listed) == sorted(catalogue.algorithms())
    assert {name for name, one in catalogue.algorithms().items() if one.header} <= set(table.index)
    assert table.loc["hybla", "parameters"][0].startswith("`rtt0_s` = 0.025: ")
    assert table.loc["hybla", "parameters"][0].endswith(
        ". Default: paper hybla; Linux, `tcp_hybla.c`: rtt0"
    )
    assert table.loc["hybla", "engines"] == "ns-3, segment engine, Linux, ns-2"
    assert table.loc["ucc", "engines"] == "ns-3, segment engine, Linux, ns-2"
    assert "notebooks/hybla" in table.loc["hybla", "used"]
    assert (table["what"].str.len() > 30).all()
    assert not others.eq("").any(axis=None)


def test_every_parameter_has_words():
    """No sentence of the book calls a parameter by a name with an underscore."""
    names = {name for paper in papers.names() for name in papers.parameters(paper)["name"]}
    labels = pd.read_csv(paths.DATA / "labels.csv")
    assert names <= set(labels["name"]), names - set(labels["name"])
    assert not labels["label"].str.contains("_").any()


def test_headers_comments_are_typeset():
    assert style.formulas(
        "W_max <= 2 p_max, rho in segments/s^3; see net/ipv4/tcp_lp.c, high_loss"
    ) == (r"$W_{max}$ ≤ 2 $p_{max}$, $\rho$ in segments/s³; see `net/ipv4/tcp_lp.c`, `high_loss`")
    assert style.formulas("`p_max` and $q_{th}$") == "`p_max` and $q_{th}$"
    assert style.formulas("which is rho^2 X / 2") == r"which is $\rho^2$ X / 2"


@pytest.mark.slow
def test_every_variation_is_of_an_assumption_and_moves_something():
    table = tables.assumptions()
    for paper in papers.names():
        varied = sensitivity.effects(paper)
        names = table.loc[table["paper"] == paper, "name"].str.extract(r"\(`(\w+)`\)")[0]
        assert set(varied["name"]) <= set(names)
        assert (varied["comparisons"] > 0).all()
        assert (varied["low"] < varied["high"]).all()


def test_a_change_is_that_of_runs_that_differ_in_it_alone(empty_archive):
    def run(seed, goodput, recovery="prr", **path):
        scenario = satellite(seed=seed, duration_s=2, recovery=recovery, **path)
        flows = pd.DataFrame([dict.fromkeys(FLOW_COLUMNS, 0) | {"goodput_bps": goodput}])
        provenance = {"engine": "ns3", "versions": {}}
        return Result(scenario, flows, pd.DataFrame(), {}, provenance)

    store.write_archive("base", [run(1, 100.0, loss=0.01), run(2, 300.0, loss=0.01)])
    store.write_archive(
        "varied",
        [
            run(1, 150.0, loss=0.01, recovery="halving"),  # of both seeds together: 290 of 400
            run(2, 140.0, loss=0.01, recovery="halving"),
            run(3, 900.0, loss=0.01, recovery="halving"),  # no such run in the base
            run(1, 10.0, loss=0.02),
            run(1, 12.0, loss=0.02, recovery="halving"),
            run(1, 13.0, loss=0.03, recovery="halving", rate_bps=2e6),  # differs in more
        ],
    )
    change = sensitivity.changes(["flows.*.recovery"], ["varied"], ["base"])
    assert sorted(change) == pytest.approx([-27.5, 20.0])


def test_glossary_has_each_term_once_in_both_languages():
    table = tables.glossary()
    assert table["term"].is_unique
    assert not table.isna().any(axis=None)
    assert table["term"].str.lower().is_monotonic_increasing
    assert (table["japanese"].str.contains(r"[\u3040-\u9fff]") | table["term"].eq("RTT")).all()


def test_notation_is_of_the_papers():
    table = tables.notation()
    assert set(table["paper"]) <= PAPERS
    assert not table.isna().any(axis=None)
    assert not table.duplicated(["symbol", "paper"]).any()


def test_the_ledger_knows_no_equation_that_is_not_derived():
    assert set(tables.equations()["status"]) <= {
        "derived",
        "derived after correction",
        "approximation",
        "definition",
    }


def test_every_mutant_that_was_tried_has_ended_in_one_way():
    table = tables.mutants()
    ways = table[["died", "digits", "survived", "open", "equivalent"]]
    assert (ways.sum(axis=1) == table["tried"]).all()
    alone = table["change"] != "all"
    sums = table[alone].groupby("code")["tried"].sum()
    assert (sums == table[~alone].set_index("code")["tried"]).all()
    listed = tables.surviving_mutants()
    assert len(listed) == table[~alone][["survived", "equivalent"]].sum().sum()
    assert (listed["why"] != "").sum() == table[~alone]["equivalent"].sum()
