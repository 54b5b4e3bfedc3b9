"""Results by content: cache, archive, staleness, audit."""

import json

import pandas as pd
import pytest

from longfat import InputError, audit, engines, simulate, store, sweep
from longfat.engines import segment
from longfat.result import Result
from longfat.topologies import satellite


def small(seed=1, **changes):
    return satellite(**({"loss": 1e-3, "duration_s": 3, "seed": seed} | changes))


def key(scenario):
    return store.key(scenario, segment.ingredients(scenario))


def archive(name, seeds=(1, 2)):
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
    path = archive("small")
    table = pd.read_csv(path)
    assert list(table["seed"]) == [1, 2]
    store._cache().clear()
    monkeypatch.setattr(segment, "simulate", no_engine)
    assert simulate(small(2)).flows["delivered_bytes"].item() == table["delivered_bytes"][1]
    assert not simulate(small(2)).links.empty


def test_a_changed_header_makes_results_stale(empty_archive, monkeypatch, tmp_path):
    archive("small")
    assert audit.stale().empty
    header = tmp_path / "hybla.h"
    header.write_text("// another algorithm\n")
    monkeypatch.setattr(segment, "DECIDING", [header])
    assert len(audit.stale()) == 2
    assert store.find_archived(key(small())) is None


def test_audit_finds_a_changed_digit(empty_archive):
    path = archive("small")
    assert audit.audit(2, seed=1)["equal"].all()
    table = pd.read_csv(path, dtype=str)
    table.loc[0, "delivered_bytes"] = str(int(table.loc[0, "delivered_bytes"]) + 1)
    table.to_csv(path, index=False)
    assert sorted(audit.audit(2, seed=1)["equal"]) == [False, True]


def test_an_empty_archive_and_an_unknown_experiment_are_clear(empty_archive):
    with pytest.raises(InputError, match="the archive is empty"):
        audit.audit(1)
    archive("small")
    with pytest.raises(InputError, match=r"no archived experiment 'smal'.*mean 'small'"):
        store.read_archive("smal")


def test_an_archive_reads_back_to_the_last_digit_with_its_traces(empty_archive, monkeypatch):
    record = {"series": ("cwnd_segments", "rtt_s"), "points": 30}
    result = simulate(small(3, record=record))
    store.write_archive("one", [result])
    store._cache().clear()
    monkeypatch.setattr(segment, "simulate", no_engine)
    again = simulate(small(3, record=record))
    pd.testing.assert_frame_equal(again.flows, result.flows)
    assert list(again.traces) == ["cwnd_segments", "rtt_s"]
    for series, trace in result.traces.items():
        pd.testing.assert_frame_equal(again.traces[series], trace)


def test_long_columns_are_written_once_a_run(empty_archive):
    flow = small().flows[0].model_dump()
    two = small(duration_s=1).with_(flows=[flow | {"name": "a"}, flow | {"name": "b"}])
    path = store.write_archive("two", [simulate(two), simulate(two.with_(seed=2))])
    text = path.read_text(encoding="utf-8")
    assert text.count('""duration_s""') == 2
    archive = store.read_archive("two")
    assert [json.loads(text).get("seed", 1) for text in archive["scenario"]] == [1, 1, 2, 2]
    assert store.find_archived(key(two)).flows["flow"].tolist() == ["a", "b"]


def test_reproducing_writes_the_archive_and_does_not_read_it(empty_archive, monkeypatch):
    monkeypatch.setenv("LONGFAT_REPRODUCE", "1")
    first = sweep([small(21), small(22)], experiment="again")
    table = store.read_archive("again")
    assert list(table["delivered_bytes"]) == list(first["delivered_bytes"])
    table["delivered_bytes"] = 0
    table.to_csv(store.archive_path("again"), index=False)
    store.forget_archive()
    assert list(sweep([small(21), small(22)])["delivered_bytes"]) == list(first["delivered_bytes"])


def test_a_sweep_names_what_varies():
    table = sweep([small(seed, loss=loss) for seed in (1, 2) for loss in (1e-3, 1e-2)])
    assert list(table["seed"]) == [1, 1, 2, 2]
    assert list(table["links.0.loss_per_packet"]) == [1e-3, 1e-2] * 2
    assert "links.1.loss_per_packet" not in table
    assert list(table["scenario"]) == [0, 1, 2, 3]
    assert engines.get("segment") is segment
