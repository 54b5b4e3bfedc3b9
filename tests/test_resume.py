"""Killed for real, twenty times: no run is lost, none is done twice, and nothing is left running.

Twice, two sweeps that share a cache are started at once. Eight times the process of a run of
theirs is killed at a random moment, then both sweeps, all with kill -9. Then the sweep is finished.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

import psutil
import pytest
from processes import runs_of

from longfat import Record, store
from longfat.topologies import satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


RUNS = 100
ROUNDS, SWEEPS, KILLED_RUNS = 2, 2, 8  # 2 * (2 + 8) kills
SCENARIOS = [
    satellite(
        loss=1e-3,
        duration_s=5 + seed % 7,
        seed=seed,
        record=Record(series=("cwnd_segments", "rtt_s"), points=500),
    )
    for seed in range(1, RUNS + 1)
]


def start(folder, name, cache="cache"):
    """Start `longfat sweep` with one worker in a process of its own."""
    command = [str(Path(sys.executable).with_name("longfat")), "sweep", str(folder / "sweep.json")]
    command += ["--engine", "ns3", "--workers", "1", "--output", str(folder / f"{name}.csv")]
    environment = os.environ | {"LONGFAT_CACHE": str(folder / cache)}
    with open(folder / f"{name}.log", "w") as log:
        return psutil.Popen(command, env=environment, stdout=log, stderr=log)


def stored():
    """Return the keys in the cache, and when each was written."""
    return dict(store._cache()._sql("SELECT key, store_time FROM Cache").fetchall())


def runs_in(sweep):
    """Return the processes that ns-3 runs in: the children of the sweep's server."""
    assert sweep.poll() is None, "the sweep ended before it could be killed"
    try:
        return [run for server in sweep.children() for run in runs_of(server)]
    except psutil.NoSuchProcess:
        return []  # it has just ended


def kill_a_run(sweeps, chance):
    """Wait until one of the sweeps runs something, and kill -9 it."""
    while not (runs := [run for sweep in sweeps for run in runs_in(sweep)]):
        time.sleep(0.02)
    try:
        chance.choice(runs).kill()
    except psutil.NoSuchProcess:
        kill_a_run(sweeps, chance)  # it has just ended


def test_twenty_kills_lose_nothing_and_repeat_nothing(tmp_path, monkeypatch):
    chance = random.Random(20)
    scenarios = [json.loads(scenario.to_json()) for scenario in SCENARIOS]
    (tmp_path / "sweep.json").write_text(json.dumps(scenarios))
    monkeypatch.setenv("LONGFAT_CACHE", str(tmp_path / "cache"))
    store._cache.cache_clear()
    before = {}
    for number in range(ROUNDS):
        sweeps = [start(tmp_path, f"round{number}sweep{i}") for i in range(SWEEPS)]
        while not all(map(runs_in, sweeps)) or len(stored()) == len(before):
            time.sleep(0.02)
        for _ in range(KILLED_RUNS):
            time.sleep(chance.uniform(0, 0.2))
            kill_a_run(sweeps, chance)
        time.sleep(chance.uniform(0, 0.5))
        family = [process for sweep in sweeps for process in sweep.children(recursive=True)]
        assert len(family) >= SWEEPS
        for sweep in sweeps:
            assert sweep.poll() is None, "the sweep ended before it could be killed"
            sweep.kill()
            sweep.wait()
        _, alive = psutil.wait_procs(family, timeout=5)
        assert not alive, "ns-3 outlives the sweep that started it"
        now = stored()
        assert before.items() <= now.items(), "a stored run is gone, or was done twice"
        before = now

    assert ROUNDS <= len(before) < RUNS
    last, undisturbed = start(tmp_path, "last"), start(tmp_path, "undisturbed", cache="other")
    assert [last.wait(), undisturbed.wait()] == [0, 0]
    now = stored()
    assert before.items() <= now.items()
    assert len(now) == RUNS
    rows = [(tmp_path / f"{name}.csv").read_text() for name in ("last", "undisturbed")]
    assert rows[0] == rows[1]
    assert len(rows[0].splitlines()) == 1 + RUNS
    store._cache.cache_clear()
