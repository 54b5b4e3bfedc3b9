"""Results by content: cache, archive, staleness, audit."""

import json
import warnings
from dataclasses import replace

import pandas as pd
import pytest
from small import archived

from longfat import InputError, audit, engines, simulate, store, sweep, topologies
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.errors import LongfatError
from longfat.experiment import Experiment, Point, Points, Runs
from longfat.result import Result
from longfat.scenario import Scenario
from longfat.topologies import satellite


def small(seed=1, **changes):
    return satellite(**({"loss": 1e-3, "duration_s": 3, "seed": seed} | changes))


def key(scenario):
    return engines.key(scenario, "segment")


def archive(name, seeds=(1, 2)):
    """Archive runs, by code that is then known."""
    engines.accept_new(small(seed) for seed in seeds)
    return store.write_archive(name, [simulate(small(seed)) for seed in seeds])


def no_engine(*_):
    raise AssertionError("the engine was asked although the result is stored")


def test_a_result_survives_json():
    result = segment.simulate(small())
    again = Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.to_dict() == result.to_dict()
    pd.testing.assert_frame_equal(again.flows, result.flows)


def test_a_second_call_comes_from_the_cache(monkeypatch):
    first = simulate(small(seed=11))
    monkeypatch.setattr(segment, "simulate", no_engine)
    assert simulate(small(seed=11)).to_dict() == first.to_dict()


def test_a_damaged_cache_entry_is_noticed_and_run_again():
    scenario = small(seed=12)
    first = simulate(scenario)
    cache = store._cache()
    with cache.transact():
        cache._sql(
            "UPDATE Cache SET value = ? WHERE key = ?", (b"x", cache._disk.put(key(scenario))[0])
        )
    with pytest.warns(UserWarning, match=f"cache entry {key(scenario)} is damaged"):
        again = simulate(scenario)
    pd.testing.assert_frame_equal(again.flows, first.flows)


def test_the_archive_comes_before_everything(empty_archive, monkeypatch):
    archive("small")
    table = store.read_archive("small")
    assert list(table["seed"]) == [1, 2]
    store._cache().clear()
    monkeypatch.setattr(segment, "simulate", no_engine)
    assert simulate(small(2)).flows["delivered_bytes"].item() == table["delivered_bytes"][1]
    assert not simulate(small(2)).links.empty


def another_value(experiment, table="flows", column="delivered_bytes", row=0):
    """Change a value of an archive, as a mistake would."""
    path = store.archive_folder(experiment) / f"{table}.parquet"
    changed = pd.read_parquet(path)
    changed.loc[row, column] += 1
    changed.to_parquet(path, index=False)
    store.forget_archive()


@pytest.mark.parametrize(
    ("table", "column"),
    [("flows", "goodput_bps"), ("links", "packets_sent"), ("traces", "value")],
)
def test_audit_finds_a_changed_digit(empty_archive, table, column):
    record = {"series": ("cwnd_segments",), "points": 5}
    store.write_archive("small", [simulate(small(seed, record=record)) for seed in (1, 2)])
    assert audit.audit(2, seed=1)["equal"].all()
    another_value("small", table, column)
    assert sorted(audit.audit(2, seed=1)["equal"]) == [False, True]


@pytest.fixture
def other_code(monkeypatch):
    """Say that a congestion control has another header: return what sets its text's hash."""
    real = catalogue.code
    codes: dict[str, str] = {}
    monkeypatch.setattr(catalogue, "code", lambda header: codes.get(header.stem) or real(header))
    return codes.update


def test_unknown_code_is_run_and_says_so_until_it_is_accepted(empty_archive, other_code):
    archive("small")
    assert audit.stale().empty
    values = {path: path.read_bytes() for path in empty_archive.rglob("*.parquet")}
    versions = (empty_archive.parent / "versions.csv").read_text().splitlines()
    other_code(hybla="f" * 16)
    assert audit.stale()["parts"].tolist() == [["cc/hybla"]] * 2
    with pytest.warns(UserWarning, match="'cc/hybla'.*not known to give its digits"):
        assert archived(small()) is None
    assert simulate(small()).provenance["versions"]["cc/hybla"].startswith("sha256:")
    accepted = audit.accept(2, seed=1)
    assert accepted["equal"].all()
    assert len(accepted) == 2
    assert audit.stale().empty
    assert archived(small()) is not None
    now = (empty_archive.parent / "versions.csv").read_text().splitlines()
    assert set(now) - set(versions) == {"cc/hybla,1," + "f" * 16}
    assert {path: path.read_bytes() for path in empty_archive.rglob("*.parquet")} == values


def test_code_with_other_digits_is_not_accepted(empty_archive, other_code):
    archive("small")
    another_value("small", "flows", "delivered_bytes")
    other_code(hybla="e" * 16)
    words = []
    assert not audit.accept(2, seed=1, report=words.append)["equal"].all()
    assert any("cc/hybla: digits differ; raise its version" in line for line in words)
    assert len(audit.stale()) == 2


def test_a_raised_version_makes_its_own_results_stale(empty_archive, monkeypatch):
    archive("small")
    newreno = topologies.reference(congestion_control="newreno", duration_s=1)
    store.write_archive("other", [simulate(newreno)])
    raised = replace(catalogue.find("hybla"), version=2)
    monkeypatch.setitem(catalogue._read(catalogue.FOLDER)[0], "hybla", raised)
    assert set(audit.stale()["experiment"]) == {"small"}
    assert archived(newreno) is not None
    values = {path: path.read_bytes() for path in empty_archive.rglob("*.parquet")}
    provenance = store.provenance()
    monkeypatch.setenv("LONGFAT_REPRODUCE", "1")
    sweep([small(seed) for seed in (1, 2)], experiment="small")
    assert audit.stale().empty
    assert {path: path.read_bytes() for path in empty_archive.rglob("*.parquet")} == values
    assert store.versions_of("small")["cc/hybla"] == "2"
    assert store.provenance()["other"] == provenance["other"]


def test_what_another_process_archived_meanwhile_is_not_lost(empty_archive):
    archive("small")
    assert "elsewhere" not in store.provenance()  # which is read, and kept
    path = empty_archive.parent / store.PROVENANCE
    (line,) = path.read_text(encoding="utf-8").splitlines()[1:]
    with path.open("a", encoding="utf-8") as file:
        file.write(line.replace("small", "elsewhere", 1) + "\n")
    archive("other")
    assert {"small", "elsewhere", "other"} <= set(store.provenance())


def test_archiving_code_that_was_not_compared_is_refused_before_it_runs(
    empty_archive, other_code, monkeypatch
):
    archive("small")
    other_code(hybla="d" * 64)
    monkeypatch.setenv("LONGFAT_REPRODUCE", "1")
    monkeypatch.setattr(segment, "simulate", no_engine)
    with pytest.raises(InputError, match=r"'cc/hybla' is not among the 1 known.*--accept"):
        sweep([small(31)], experiment="small")


def test_a_broken_file_costs_its_own_experiment_only(empty_archive):
    archive("small")
    store.write_archive("other", [simulate(small(5))])
    (store.archive_folder("small") / "runs.parquet").write_bytes(b"no parquet")
    store.forget_archive()
    with pytest.warns(UserWarning, match=r"small/runs\.parquet cannot be read"):
        assert archived(small(5)) is not None
    with pytest.raises(LongfatError, match=r"small/runs\.parquet cannot be read: .*") as caught:
        store.read_archive("small")
    assert "\n" not in str(caught.value)
    assert len(store.read_archive("other")) == 1


def test_an_experiments_runs_are_found_in_its_own_archive_without_reading_others(
    empty_archive, recwarn
):
    archive("broken")
    store.write_archive("other", [simulate(small(5))])
    (store.archive_folder("broken") / "runs.parquet").write_bytes(b"no parquet")
    store.forget_archive()
    assert sweep([small(5)], experiment="other")["goodput_bps"].notna().all()
    assert not [str(one.message) for one in recwarn]


def test_an_archive_of_the_old_form_is_named(empty_archive):
    empty_archive.mkdir()
    (empty_archive / "mine.csv").write_text("key,flow\n")
    with pytest.raises(InputError, match=r"mine\.csv is an archive of the form before.*convert"):
        store.read_archive("mine")


def test_an_empty_archive_and_an_unknown_experiment_are_clear(empty_archive):
    with pytest.raises(InputError, match="the archive is empty"):
        audit.audit(1)
    archive("small")
    with pytest.raises(InputError, match=r"no archived experiment 'smal'.*mean 'small'"):
        store.read_archive("smal")


def test_an_archive_reads_back_to_the_last_digit_with_its_traces(empty_archive, monkeypatch):
    record = {"series": ("cwnd_segments", "rtt_s"), "points": 30}
    engines.accept_new([small(3, record=record)])
    result = simulate(small(3, record=record))
    store.write_archive("one", [result])
    store._cache().clear()
    monkeypatch.setattr(segment, "simulate", no_engine)
    again = simulate(small(3, record=record))
    pd.testing.assert_frame_equal(again.flows, result.flows)
    assert list(again.traces) == ["cwnd_segments", "rtt_s"]
    for series, trace in result.traces.items():
        pd.testing.assert_frame_equal(again.traces[series], trace)


def test_flows_of_a_run_are_found_again_under_their_names(empty_archive):
    flow = small().flows[0].model_dump()
    two = small(duration_s=1).replace(flows=[flow | {"name": "a"}, flow | {"name": "b"}])
    engines.accept_new([two])
    store.write_archive("two", [simulate(two), simulate(two.replace(seed=2))])
    table = store.read_archive("two")
    assert [json.loads(text).get("seed", 1) for text in table["scenario"]] == [1, 1, 2, 2]
    assert archived(two).flows["flow"].tolist() == ["a", "b"]


def two_points(built: list | None = None, **fields) -> Experiment:
    """Four seeds of two flows, and two of one; what is built is added to a list."""

    def build(flows: int, seed: int) -> Scenario:
        if built is not None:
            built.append((flows, seed))
        plain = small(seed, duration_s=1, record={"series": ["cwnd_segments"], "points": 9})
        flow = plain.flows[0].model_dump()
        return plain.replace(flows=[flow | {"name": name} for name in "ab"[:flows]])

    given = {"points": {"flows": [2, 1]}, "repetitions": 2, "more": [({"flows": 2}, 4)]}
    return Experiment(**(given | {"name": "mixed", "build": build} | fields))


def archive_two_points() -> tuple[pd.DataFrame, list[Result]]:
    """Archive that experiment; return its flows and results as they were made."""
    engines.accept_new(two_points().scenarios)
    made, results = two_points().flows(), two_points().results()
    store.write_archive("mixed", results)
    return made, results


def test_an_experiment_is_read_of_its_archive_as_it_was_made(empty_archive, monkeypatch):
    made, results = archive_two_points()
    monkeypatch.setattr(segment, "simulate", no_engine)
    store._cache().clear()
    built = []
    asked = two_points(built)
    pd.testing.assert_frame_equal(asked.flows(), made)
    ends = [(2, 1), (2, 4), (1, 1), (1, 2)]
    assert built == [*ends, (2, 3)]  # a point's first and last, and each seed at some point
    for again, result in zip(asked.results(), results, strict=True):
        pd.testing.assert_frame_equal(again.flows, result.flows)
        pd.testing.assert_frame_equal(again.links, result.links)
        pd.testing.assert_frame_equal(again.traces["cwnd_segments"], result.traces["cwnd_segments"])
        assert again.scenario == result.scenario
        assert again.provenance["seed"] == result.scenario.seed
    another_value("mixed", row=8)  # the first run of one flow
    shown = two_points().flows()["delivered_bytes"] - made["delivered_bytes"]
    assert shown.tolist() == [0] * 8 + [1, 0]
    turned = two_points(points={"flows": [1, 2]}).flows()["delivered_bytes"]
    wanted = made["delivered_bytes"].iloc[[8, 9, *range(8)]].reset_index(drop=True)
    assert (turned - wanted).tolist() == [1, *[0] * 9]


def test_an_archive_that_lacks_a_run_or_has_another_one_answers_for_none(empty_archive):
    _, results = archive_two_points()
    another_value("mixed", row=0)
    right = two_points().flows()
    assert two_points()._archive_rows() == [*range(6)]
    others = {
        "a seed more": two_points(repetitions=3),
        "another scenario": two_points(build=lambda flows, seed: small(seed, duration_s=2)),
        "another engine": two_points(engine="ns3"),
    }
    assert {name: one._archive_rows() for name, one in others.items()} == dict.fromkeys(others)
    # The same ends, and the runs between in another order: each is looked for.
    store.write_archive("mixed", [results[run] for run in (0, 2, 1, 3, 4, 5)])
    assert two_points()._archive_rows() == [0, 2, 1, 3, 4, 5]
    store.write_archive("mixed", [results[run] for run in (0, 1, 3, 4, 5)])
    assert two_points()._archive_rows() is None
    assert two_points().flows()["delivered_bytes"].sum() == right["delivered_bytes"].sum() - 1


def test_where_runs_turn_to_another_kind_they_are_looked_for(empty_archive):
    """A builder that records more of the first seed, and then of the first two: the ends stay."""

    def one(recorded: int) -> Experiment:
        def build(seed: int) -> Scenario:
            series = ["cwnd_segments"] if seed <= recorded else []
            return small(seed, duration_s=1, record={"series": series, "points": 9})

        return Experiment(name="drawn", build=build, repetitions=4)

    engines.accept_new(one(1).scenarios)
    store.write_archive("drawn", one(1).results())
    assert one(1)._archive_rows() == [0, 1, 2, 3]
    assert one(2)._archive_rows() is None
    assert [len(result.traces) for result in one(2).results()] == [1, 1, 0, 0]


def test_each_draw_of_starts_is_looked_for_at_one_point(empty_archive):
    """Starts are drawn from the seed, and then all but the first and last seed's end at 0.5 s."""
    starts = {1: 0.1, 2: 0.9, 3: 0.4, 4: 0.2}

    def one(latest: float, built: list | None = None) -> Experiment:
        def build(loss: float, seed: int) -> Scenario:
            if built is not None:
                built.append((loss, seed))
            plain = small(seed, duration_s=1, loss=loss)
            flow = plain.flows[0].model_dump() | {"start_s": min(latest, starts[seed])}
            return plain.replace(flows=[flow])

        losses = {"loss": [1e-3, 2e-3]}
        return Experiment(name="drawn", build=build, points=losses, repetitions=4)

    engines.accept_new(one(1.0).scenarios)
    store.write_archive("drawn", one(1.0).results())
    built = []
    assert one(1.0, built)._archive_rows() == [*range(8)]
    assert built == [(1e-3, 1), (1e-3, 4), (2e-3, 1), (2e-3, 4), (1e-3, 2), (1e-3, 3)]
    assert one(0.5)._archive_rows() is None
    assert one(0.95)._archive_rows() == [*range(8)]


def test_a_draw_is_the_seed_and_when_something_starts(empty_archive):
    first = small(1).flows[0].model_dump()
    at = [small(seed).replace(flows=[first | {"start_s": 0.1 * seed}]) for seed in (1, 2, 12)]
    other = small(3).replace(flows=[first | {"start_s": 0.3, "sack": False}])
    engines.accept_new([*at, other])
    store.write_archive("drawn", [simulate(one) for one in [*at, other]])
    seeds, kinds, draws = store.kinds_and_draws("drawn")
    assert seeds == [1, 2, 12, 3]
    assert len(set(kinds[:3])) == 1
    assert kinds[3] != kinds[0]
    assert len(set(draws)) == 4
    store.write_archive("drawn", [simulate(one.replace(seed=1)) for one in [*at[::2], at[0]]])
    _, _, (first, other, again) = store.kinds_and_draws("drawn")
    assert first == again != other


def test_only_times_that_vary_in_a_kind_are_drawn(empty_archive):
    """What starts later at another point is not drawn from the seed."""
    first = small().flows[0].model_dump()
    flows = {name: first | {"name": name} for name in "ab"}
    one = [small(seed) for seed in (1, 2)]
    two = [one.replace(flows=[flows["a"], flows["b"] | {"start_s": 0.3}]) for one in one]
    engines.accept_new([*one, *two])
    store.write_archive("drawn", [simulate(one) for one in [*one, *two]])
    _, _, draws = store.kinds_and_draws("drawn")
    assert draws[:2] == draws[2:]


def test_an_experiment_of_other_code_is_run(empty_archive, other_code):
    made, _ = archive_two_points()
    another_value("mixed")
    other_code(hybla="d" * 16)
    with pytest.warns(UserWarning, match="not known to give its digits"):
        assert two_points().flows()["delivered_bytes"].equals(made["delivered_bytes"])


POINT = Point(
    lambda row: small(int(row["seed"]), congestion_control=row["control"]),
    lambda result: {"bytes": float(result.flow_rows()[0]["delivered_bytes"])},
)


def points() -> Points:
    """Two runs of Hybla and two of NewReno, archived as points."""
    return Points(
        name="dots",
        build=lambda control, seed: small(seed, congestion_control=control),
        points={"control": ["hybla", "newreno"]},
        repetitions=2,
        point=f"{__name__}:POINT",
    )


def test_points_of_other_code_are_run_and_only_these(empty_archive, other_code, monkeypatch):
    points().results()
    made = points().table()
    another_value("dots", "points", "bytes", row=1)
    another_value("dots", "points", "bytes", row=3)
    assert (points().table()["bytes"] - made["bytes"]).tolist() == [0, 1, 0, 1]
    other_code(hybla="b" * 16)
    with pytest.warns(UserWarning, match="nothing that 'cc/hybla' decides is answered"):
        shown = points().table()
    assert (shown["bytes"] - made["bytes"]).tolist() == [0, 0, 0, 1]
    assert shown.drop(columns="bytes").equals(made.drop(columns="bytes"))
    monkeypatch.setattr(segment, "is_here", lambda: False)
    store._cache().clear()
    left = points().table()
    assert left["control"].to_dict() == {0: "newreno", 1: "newreno"}  # the others are left out


def test_an_archive_that_has_points_twice_is_run_again(empty_archive):
    points().results()
    made = points().table()
    path = empty_archive / "dots" / "points.parquet"
    twice = pd.read_parquet(path).iloc[[0, 0, 1, 2, 3]]
    twice.assign(bytes=0.0).to_parquet(path, index=False)
    store.forget_archive()
    pd.testing.assert_frame_equal(points().table(), made)


def test_an_archive_that_is_shown_as_it_was_made_says_so(empty_archive, other_code):
    points().results()
    runs = Runs(None, [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(runs.points("dots")) == 4
    other_code(newreno="9" * 16)
    with pytest.warns(UserWarning, match="'dots' is shown as it was made.*'cc/newreno'"):
        assert len(Runs(None, []).points("dots")) == 4
    with pytest.raises(InputError, match=r"no archived experiment 'dot'.*mean 'dots'"):
        runs.points("dot")
    with pytest.raises(InputError, match=r"no archived experiment 'dot'.*mean 'dots'"):
        runs.archived("dot")


def test_an_archive_of_which_nothing_says_what_made_it_is_run_again(empty_archive):
    points().results()
    made = points().table()
    another_value("dots", "points", "bytes", row=1)
    (empty_archive.parent / "provenance.csv").unlink()
    store.forget_archive()
    with pytest.warns(UserWarning, match="'dots' is shown as it was made: nothing says by what"):
        shown = Runs(None, []).points("dots")
    assert shown["bytes"].sum() == made["bytes"].sum() + 1
    pd.testing.assert_frame_equal(points().table(), made)
    with pytest.raises(LongfatError, match="has no line of 'dots'"):
        audit.audit(1, experiment="dots")


def test_a_design_with_another_column_is_not_answered_by_an_older_archive(empty_archive):
    points().results()
    path = empty_archive / "dots" / "points.parquet"
    stored = pd.read_parquet(path)
    for other in (stored.drop(columns="seed"), stored.astype({"seed": str})):
        other.to_parquet(path, index=False)
        assert points().table()["seed"].tolist() == [1, 2, 1, 2]


def test_an_archive_by_a_sender_that_is_gone_is_shown(empty_archive):
    points().results()
    line = store.provenance()["dots"]
    store._write_provenance(line | {"versions": line["versions"] + ", cc/gone 1"})
    with pytest.warns(UserWarning, match="'dots' is shown as it was made.*'cc/gone'"):
        assert len(Runs(None, []).points("dots")) == 4
    assert len(points().table()) == 4


def test_an_audit_leaves_runs_alone_whose_sender_is_gone(empty_archive, other_code, monkeypatch):
    archive("small")
    newreno = topologies.reference(congestion_control="newreno", duration_s=1)
    engines.accept_new([newreno])
    store.write_archive("other", [simulate(newreno)])
    points().results()
    store.write_archive("both", [simulate(newreno), simulate(small())])
    monkeypatch.delitem(catalogue._read(catalogue.FOLDER)[0], "hybla")
    words = []
    assert set(audit.audit(9, seed=1, report=words.append)["experiment"]) == {"other", "both"}
    for among_stale in (audit.accept, audit.carry):
        words.clear()
        assert among_stale(2, seed=1, report=words.append).empty
        assert [line for line in words if line.startswith("cc/hybla: no longer here")]
    assert {"small", "dots", "both"} == set(audit.stale()["experiment"])
    other_code(newreno="f" * 16)
    assert audit.accept(2, seed=1, report=words.append)["equal"].all()
    raised = replace(catalogue.find("newreno"), version=2)
    monkeypatch.setitem(catalogue._read(catalogue.FOLDER)[0], "newreno", raised)
    assert set(audit.carry(2, seed=1, report=words.append)["experiment"]) == {"other"}
    assert "both: cc/hybla is no longer here, so it stays as it was made" in words


@pytest.mark.parametrize("texts", ["python", "pyarrow"])
def test_equal_values_are_not_written_again(texts, empty_archive):
    recorded = {"series": ["cwnd_segments"], "points": 9}
    results = [simulate(small(seed, record=recorded)) for seed in (1, 2)]
    engines.accept_new(result.scenario for result in results)
    store.write_archive("small", results)
    files = {path: path.stat().st_mtime_ns for path in empty_archive.rglob("*.parquet")}
    with pd.option_context("mode.string_storage", texts):
        assert not store.write_archive("small", results)
    assert {path: path.stat().st_mtime_ns for path in empty_archive.rglob("*.parquet")} == files
    another_value("small", "links", "packets_sent")
    assert store.write_archive("small", results)
    assert audit.audit(2)["equal"].all()


def test_reproducing_writes_the_archive_and_does_not_read_it(empty_archive, monkeypatch):
    monkeypatch.setenv("LONGFAT_REPRODUCE", "1")
    first = sweep([small(21), small(22)], experiment="again")
    table = store.read_archive("again")
    assert list(table["delivered_bytes"]) == list(first["delivered_bytes"])
    another_value("again")
    assert list(sweep([small(21), small(22)])["delivered_bytes"]) == list(first["delivered_bytes"])


def test_a_sweep_names_what_varies():
    table = sweep([small(seed, loss=loss) for seed in (1, 2) for loss in (1e-3, 1e-2)])
    assert list(table["seed"]) == [1, 1, 2, 2]
    assert list(table["links.0.loss_per_packet"]) == [1e-3, 1e-2] * 2
    assert "links.1.loss_per_packet" not in table
    assert list(table["scenario"]) == [0, 1, 2, 3]
    assert engines.get("segment") is segment
