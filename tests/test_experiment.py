"""Experiments, figures and chapters as data: what is run, and that a figure uses what it names."""

import pandas as pd
import pytest

from longfat import InputError, engines, reproduce, store, topologies
from longfat.book import chapters
from longfat.experiment import Chapter, Experiment, Figure, Runs, Table


def build(loss: float, seed: int, **more):
    control = more.get("control", "newreno")
    return topologies.reference(congestion_control=control, loss=loss, seed=seed, duration_s=2)


def experiment(name: str = "small", **fields) -> Experiment:
    given = {"points": {"loss": [0.0, 0.01]}, "repetitions": 2, "build": build}
    return Experiment(name=name, **(given | fields))


def test_each_point_has_its_seeds_and_those_that_are_named_have_more():
    more = [({"loss": 0.01}, 4), ({"loss": 0.0}, 1)]  # never fewer than the others
    design = experiment(more=more).design
    assert design.groupby("loss")["seed"].agg(list).to_dict() == {0.0: [1, 2], 0.01: [1, 2, 3, 4]}


def test_a_table_of_points_needs_no_product_of_factors():
    points = pd.DataFrame({"loss": [0.0, 0.01], "control": ["newreno", "cubic"]})
    scenarios = experiment(points=points, repetitions=1).scenarios
    controls = [one.flows[0].congestion_control.name for one in scenarios]
    losses = [one.links[0].loss_per_packet for one in scenarios]
    assert list(zip(controls, losses, strict=True)) == [("newreno", 0.0), ("cubic", 0.01)]


def test_flows_have_their_labels_and_the_experiment_that_they_are_of():
    table = experiment(labels={"leg": "a"}).flows()
    assert table["loss"].tolist() == [0.0, 0.0, 0.01, 0.01]
    assert set(table["leg"]) == {"a"} and set(table["experiment"]) == {"small"}
    assert table["Mb/s"].tolist() == pytest.approx((table["goodput_bps"] / 1e6).tolist())


def test_what_is_derived_from_runs_is_made_once_and_known_by_what_it_uses():
    calls = []

    def mean(runs: Runs) -> float:
        calls.append(1)
        return runs.flows("one")["Mb/s"].mean()

    runs = Runs(None, [experiment("one"), experiment("two")])
    narrow = runs.only(["one"])
    assert narrow.derived(mean) == runs.derived(mean)
    assert (len(calls), narrow.used) == (1, {"one"})
    with pytest.raises(InputError, match="'one' is used, but not named"):
        runs.only(["two"]).derived(mean)
    with pytest.raises(InputError, match=r"no experiment 'tow'.*mean 'two'"):
        runs.flows("tow")


def test_a_figure_can_use_no_experiment_that_it_does_not_name():
    def figure(*uses: str) -> Figure:
        return Figure(
            name="x",
            uses=uses,
            data=lambda runs: runs.flows("one"),
            chart=lambda data, runs: len(runs.flows("two")),
            caption="",
        )

    runs = (experiment("one"), experiment("two"))

    def chapter(one: Figure) -> Chapter:
        return Chapter(name="c", setting=None, experiments=runs, figures=(one,))

    whole = figure("one", "two")
    assert chapter(whole).chart(whole, chapter(whole).data(whole)) == 4
    with pytest.raises(InputError, match="'two' is used"):
        half = figure("one")
        chapter(half).chart(half, chapter(half).data(half))
    with pytest.raises(InputError, match="c has no table 'x'"):
        chapter(whole).find("x", Table)


@pytest.mark.usefixtures("empty_archive")
def test_reproduce_makes_the_archive_of_a_chapters_experiments():
    one = experiment("small-a", points={"loss": [0.01]})
    chapter = Chapter(name="small", setting=None, experiments=(one,), figures=())
    [row] = reproduce.reproduce("small", chapter.run).to_dict("records")
    assert (row["experiment"], row["runs"], row["added"]) == ("small-a", 2, 2)
    assert set(store.read_table("small-a", "runs")["seed"]) == {1, 2}


@pytest.mark.slow
@pytest.mark.book
@pytest.mark.parametrize("name", chapters.NAMES)
def test_the_archive_has_what_the_chapter_runs_and_no_more(name):
    chapter = chapters.stated()[name]
    if name == "atlas":  # a row a point: tests/test_atlas.py
        assert {one.name for one in chapter.experiments} <= set(store.points())
        return
    others = tuple(f"{one}-" for one in chapters.NAMES if one.startswith(f"{name}-"))
    archived = {
        one
        for one in store.experiments()
        if one.startswith(f"{name}-") and not one.startswith(others)
    }
    points = {one for one in store.points() if one.startswith(f"{name}-")}  # tests/test_joint.py
    assert {one.name for one in chapter.experiments} == archived | points
    for one in chapter.experiments:
        if one.name in points:
            continue
        runs = store.read_table(one.name, "runs")
        assert set(runs["engine"]) == {one.engine}
        scenarios = one.scenarios
        assert {scenario.canonical_json() for scenario in scenarios} == set(runs["scenario"])
        assert runs["scenario"].is_unique  # none is kept twice
        # What is found by the first and the last run of a point is what each run's scenario finds.
        versions = engines.versions(scenarios, one.engine)
        found = store.archived_rows(scenarios, one.engine, versions, one.name)
        assert found and one._archive_rows() == found
