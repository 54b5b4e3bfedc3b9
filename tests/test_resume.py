"""Killed for real, twenty times: no run is lost, none is done twice, and nothing is left running.

Sixteen times the process of a run is killed, in four lives of the sweep, each of which is ended
with kill -9 at a random moment; then the sweep is finished.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest

from longfat import Record, store, sweep
from longfat.topologies import satellite

pytest.importorskip("ns3", reason="this environment has no ns-3")

RUNS = 120
KILLED_RUNS, LIVES = 16, 4
SCENARIOS = [
    satellite(
        loss=1e-3,
        duration_s=5 + seed % 7,
        seed=seed,
        record=Record(series=("cwnd_segments", "rtt_s"), points=500),
    )
    for seed in range(1, RUNS + 1)
]


def start(file, folder, log):
    """Start `longfat sweep` in a process of its own."""
    command = [str(Path(sys.executable).with_name("longfat")), "sweep", str(file)]
    command += ["--workers", "2", "--output", str(folder / "rows.csv")]
    environment = os.environ | {"LONGFAT_CACHE": str(folder / "cache")}
    return psutil.Popen(command, env=environment, stdout=log, stderr=log)


def stored():
    """Return the keys in the cache, and when each was written."""
    return dict(store._cache()._sql("SELECT key, store_time FROM Cache").fetchall())


def kill_a_run(process, chance):
    """Wait until ns-3 runs in a child of the sweep's server, and kill -9 such a child."""
    while True:
        assert process.poll() is None, "the sweep ended before it could be killed"
        try:
            runs = [run for server in process.children() for run in server.children()]
            if runs:
                chance.choice(runs).kill()
                return
        except psutil.NoSuchProcess:
            pass  # it has just ended
        time.sleep(0.005)


def test_twenty_kills_lose_nothing_and_repeat_nothing(tmp_path, monkeypatch):
    chance = random.Random(20)
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps([json.loads(s.to_json()) for s in SCENARIOS]))
    monkeypatch.setenv("LONGFAT_CACHE", str(tmp_path / "cache"))
    store._cache.cache_clear()
    before = {}
    for life in range(LIVES):
        with open(tmp_path / f"life{life}.log", "w") as log:
            process = start(file, tmp_path, log)
            while len(stored()) == len(before):
                assert process.poll() is None, "the sweep ended before it could be killed"
                time.sleep(0.02)
            for _ in range(KILLED_RUNS // LIVES):
                time.sleep(chance.uniform(0, 0.2))
                kill_a_run(process, chance)
            time.sleep(chance.uniform(0, 0.5))
            family = process.children(recursive=True)
            assert family and process.poll() is None, "the sweep ended before it could be killed"
            process.send_signal(signal.SIGKILL)
            process.wait()
        _, alive = psutil.wait_procs(family, timeout=5)
        assert not alive, "ns-3 outlives the sweep that started it"
        now = stored()
        assert before.items() <= now.items(), "a stored run is gone, or was done twice"
        before = now

    assert LIVES <= len(before) < RUNS
    with open(tmp_path / "finish.log", "w") as log:
        assert start(file, tmp_path, log).wait() == 0
    now = stored()
    assert before.items() <= now.items()
    assert len(now) == RUNS

    monkeypatch.setenv("LONGFAT_CACHE", str(tmp_path / "undisturbed"))
    store._cache.cache_clear()
    rows = pd.read_csv(tmp_path / "rows.csv", dtype={"flow": str})
    pd.testing.assert_frame_equal(rows, sweep(SCENARIOS), check_dtype=False)
    store._cache.cache_clear()
