"""The chapter on paths that move: its archive against today's code, and what its sentences say."""

import math
import re

import nbformat
import pandas as pd
import pytest

from longfat import builds, engines, leo, orbits, papers, paths, store
from longfat.book import chapters, verdicts
from longfat.book.chapters import leo as page
from longfat.experiment import Runs
from longfat.studies import low_orbits, low_orbits_claims
from longfat.verdicts import rules

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def runs() -> Runs:
    return chapters.find("leo").runs


@pytest.fixture(scope="module")
def points(runs) -> pd.DataFrame:
    return runs.points(low_orbits.POINTS_NAME)


def test_the_archive_has_every_sender_over_every_orbit_beside_every_neighbour(points):
    base = points[(points["parameter"] == "") & points["sender"].isin(low_orbits.names())]
    counts = base.groupby(["orbit", "beside", "sender"])["seed"].nunique()
    assert len(counts) == 3 * 3 * len(low_orbits.names())
    assert set(counts) == {low_orbits.SEEDS}
    stored = store.read_table(low_orbits.POINTS_NAME, "points")
    columns = [*low_orbits.FACTORS, "seed"]
    assert not stored.duplicated(columns).any()
    assert len(stored) == len(points)


@pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")
def test_a_sample_is_the_same_run_again(points):
    for row in points.sample(12, random_state=3).to_dict("records"):
        result = engines.get("segment").simulate(low_orbits.POINT.scenario(row))
        for name, value in low_orbits.POINT.measured(result).items():
            assert value == row[name] or (math.isnan(value) and math.isnan(row[name])), name


def test_another_design_is_simulated_and_not_taken_from_the_archive():
    experiment = low_orbits.experiments(chapters.find("leo").setting)[0]
    few = experiment.design[experiment.design["sender"].isin(["newreno"])].head(2)
    from dataclasses import replace

    one = replace(experiment, points=few.assign(seed=999), repetitions=None, more=())
    table = one.table()
    assert table["seed"].tolist() == [999, 999]
    assert (table["goodput"] > 1).all()


def test_over_25_ms_hybla_is_newreno_and_over_120_it_is_not(points):
    over = low_orbits.over(points, "hybla", "newreno").set_index("orbit")
    assert over.loc["starlink", "low"] < 1.05 and over.loc["starlink", "high"] > 0.97
    assert over.loc["starlink-grid", "low"] > 2


def test_ucc_s_smallest_delay_is_another_satellite_s(points):
    """With one that is forgotten, or clocks that do not see it, UCC is more than NewReno."""
    pipe = {
        name: low_orbits.over(points, name, "newreno").set_index("orbit").loc["starlink"]
        for name in ("ucc", "ucc, 10 ms", "ucc, since the last loss")
    }
    assert pipe["ucc"]["high"] < min(
        pipe[name]["low"] for name in ("ucc, 10 ms", "ucc, since the last loss")
    )


def test_the_answer_has_every_sender_with_an_interval(runs):
    found = runs.derived(page.summaries)
    for orbit in low_orbits.ORBITS:
        own = found[found["orbit"] == orbit]
        assert set(own["sender"]) == set(low_orbits.names())
        assert (own["halfwidth"] > 0).all() and own["goodput"].is_monotonic_decreasing
        assert own["first"].iloc[0]
        assert own.set_index("sender").loc["newreno", "newreno"] == pytest.approx(1)


def test_the_answer_between_tokyo_and_lisbon_is_the_archives():
    table = low_orbits.compare("Tokyo", "Lisbon", links="+grid", beside="newreno")
    assert (table["runs"] == low_orbits.SEEDS).all()
    assert len(table) == len(low_orbits.names())


def test_each_claim_has_a_verdict_from_runs_or_says_why_not():
    judged = verdicts.of_chapter("leo")
    claims = low_orbits_claims.claims()
    assert sorted(judged["id"]) == sorted(claims["id"])
    assert set(low_orbits_claims.MEASURES) == set(claims["id"])
    assert {rules.verdict_class(one) for one in judged["verdict"]} <= set(rules.VERDICTS)
    assumed = {one.name for one in leo.assumptions()}
    for row in judged.itertuples():
        assert row.evidence, row.id
        assert {one["parameter"] for one in row.evidence} <= {"", *assumed}
    # They are no papers' claims: the scoreboard has the four papers' alone.
    assert set(verdicts.verdicts()["paper"]) == set(papers.names())


def test_a_claim_is_judged_by_what_its_orbits_have(points):
    """BBR over CUBIC, turned round: it fails at once."""
    usual = points[points["parameter"] == ""].copy()
    swapped = usual.replace({"sender": {"bbr": "cubic", "cubic": "bbr"}})
    for table, says in ((usual, "holds"), (swapped, "fails")):
        evidence = low_orbits_claims.evidence(table)
        claim = low_orbits_claims.claims().query("id == 'leo-bbr-over-cubic'")
        own = evidence[evidence["claim"] == "leo-bbr-over-cubic"]
        from longfat.verdicts.judge import judge

        [row] = judge(claim, own)["evidence"][0][:1]
        assert row["says"] == says


def test_the_map_is_the_path_that_the_first_run_begins_with():
    table = page.charts.map_points()
    for orbit, one in low_orbits.ORBITS.items():
        seen, hold = page.charts.sky(orbit)
        scenario = low_orbits.scenario("cubic", orbit, seed=page.charts.MAP_SEED)
        assert scenario.links[2].delay_s == pytest.approx(seen.delay_s(hold, 0.0), abs=1e-8)
        path = table[(table["orbit"] == orbit) & (table["what"] == "path")]
        ends = path.iloc[[0, -1]][["latitude", "longitude"]].to_numpy()
        places = [orbits.find_place(name) for name in (one.user, one.server)]
        assert ends == pytest.approx(
            pd.DataFrame([(p.latitude_deg, p.longitude_deg) for p in places]).to_numpy()
        )


def test_the_main_line_is_at_most_3500_words():
    cells = nbformat.read(paths.NOTEBOOKS / "leo.ipynb", as_version=4).cells
    text = " ".join(cell.source for cell in cells if cell.cell_type == "markdown")
    text = re.sub(r"\{[\w:]+\}`[^`]*`", "x", text)
    assert len(text.split()) <= 3500


def test_senders_of_less_than_half_of_the_link_are_counted(runs, points):
    """Alone, of the payload in 100 Mb/s: 1448 bytes have 42 of headers around them."""
    said = page.numbers(runs)
    alone = points[(points["parameter"] == "") & (points["beside"] == "")]
    alone = alone[alone["sender"].isin(low_orbits.names())]
    means = alone.groupby(["orbit", "sender"])["goodput"].mean()
    few = (means < 50 * 1448 / (1448 + 42)).groupby("orbit").sum()
    for name, orbit in (("pipe", "starlink"), ("grid", "starlink-grid"), ("oneweb", "oneweb")):
        assert said[f"leo_half_{name}"] == few[orbit] > 0
        assert said.get(f"leo_bbr_{name}") == pytest.approx(means[orbit, "bbr"])


@pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")
def test_an_archived_orbit_is_run_where_a_sender_that_is_asked_for_is_another(monkeypatch):
    orbit = next(iter(low_orbits.ORBITS.values()))
    asked = {"user": orbit.user, "server": orbit.server, **dict(orbit.told)}
    known = low_orbits.compare(**asked, among=["cubic", "bbr"])
    assert set(known["runs"]) == {low_orbits.SEEDS}
    assert known["first"].tolist()[0]  # the largest of those that are compared
    versions = store.versions_of(low_orbits.POINTS_NAME) | {"cc/bbr": "99"}
    monkeypatch.setattr(store, "versions_of", lambda archive: versions)
    store.say_not_answered.cache_clear()  # it says each thing once
    assert set(low_orbits.compare(**asked, among=["cubic"])["runs"]) == {low_orbits.SEEDS}
    with pytest.warns(UserWarning, match="nothing that 'cc/bbr' decides is answered"):
        found = low_orbits.compare(**asked, among=["bbr"], seeds=2)
    assert found["runs"].tolist() == [2]
