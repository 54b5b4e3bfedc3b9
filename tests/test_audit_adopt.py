"""Adopting an archive: only after runs of the changed engine came out to the last digit."""

import pytest

from longfat import audit, engines, store
from longfat.engines import ns3
from longfat.errors import InputError
from longfat.scenario import Record
from longfat.sweep import simulate_all
from longfat.topologies import satellite


@pytest.fixture
def archive_of_changed_headers(empty_archive, monkeypatch):
    """Two archived runs, and an engine whose headers have changed since."""
    scenarios = [
        satellite(loss=1e-3, duration_s=5, seed=seed, record=Record(series=("cwnd_segments",)))
        for seed in (1, 2)
    ]
    results = simulate_all(scenarios)
    store.write_archive("experiment", results)
    store.write_archive("other", results[:1])  # a run may be in several
    before = store.archive_path("experiment").read_text()
    ingredients = ns3.ingredients
    monkeypatch.setattr(ns3, "ingredients", lambda s: ingredients(s) | {"headers_sha256": "new"})
    assert len(audit.stale()) == 2
    return scenarios, before


def test_adopted_runs_keep_every_digit_and_what_made_them(archive_of_changed_headers):
    scenarios, before = archive_of_changed_headers
    assert audit.adopt(1, report=lambda line: None)["equal"].all()
    assert audit.stale().empty
    assert audit.stale("other").empty
    found = store.find_archived(engines.key(scenarios[1], "ns3"), scenarios[1])
    assert not found.traces["cwnd_segments"].empty
    lines = store.archive_path("experiment").read_text().splitlines()
    assert lines[0] == before.splitlines()[0] + ",adopted_after"
    for old, new in zip(before.splitlines()[1:], lines[1:], strict=True):
        assert new.split(",", 1)[1] == old.split(",", 1)[1] + ",1"
    with pytest.raises(InputError, match="nothing to adopt"):
        audit.adopt(1)


def test_nothing_is_adopted_if_a_digit_differs(archive_of_changed_headers):
    _, before = archive_of_changed_headers
    path = store.archive_path("experiment")
    delivered = str(store.read_archive("experiment")["delivered_bytes"][0])
    path.write_text(before.replace(delivered, str(int(delivered) + 1)))
    assert not audit.adopt(2, report=lambda line: None)["equal"].all()
    assert len(audit.stale()) == 2
