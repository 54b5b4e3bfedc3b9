"""The atlas on a cluster: a scheduler and workers as processes of their own, one of them killed."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from longfat import store
from longfat.studies import atlas
from longfat.sweeps import simulate_all

pytestmark = pytest.mark.slow

RUNS = 160


def part_of_the_atlas() -> pd.DataFrame:
    """Runs of the atlas that take a moment each, of every sender."""
    design = atlas.runs()
    slow = design[(design["rate_bps"] == design["rate_bps"].min())]
    return slow.sample(RUNS, random_state=2).reset_index(drop=True)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler, its file, and two workers, each with a cache of its own as on other machines."""
    pytest.importorskip("distributed")
    processes = []

    def begin(kind: str, *options: object) -> subprocess.Popen:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, options)]
        number = len(processes)
        log = (tmp_path / f"{kind}-{number}.log").open("w")
        environment = os.environ | {"LONGFAT_CACHE": str(tmp_path / f"cache-{number}")}
        processes.append(
            subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=tmp_path)
        )
        return processes[-1]

    file = tmp_path / "scheduler.json"
    begin(
        "scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file
    )
    until(file.exists)
    quiet = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--scheduler-file", file)
    workers = [begin("worker", *quiet, "--name", name) for name in ("one", "two")]
    yield json.loads(file.read_text())["address"], workers
    for process in processes:
        process.kill()
        process.wait()


def until(is_so, longest_s: float = 120) -> None:
    ends_s = time.monotonic() + longest_s
    while not is_so():
        assert time.monotonic() < ends_s, "that took too long"
        time.sleep(0.02)


def test_a_worker_is_killed_on_the_way_and_nothing_is_lost_or_doubled(
    cluster, tmp_path, monkeypatch
):
    from distributed import Client

    address, (one, two) = cluster
    monkeypatch.setenv("LONGFAT_CACHE", str(tmp_path / "here"))
    store._cache.cache_clear()
    design = part_of_the_atlas()
    scenarios = [atlas.scenario(**run) for run in design.to_dict("records")]
    with ThreadPoolExecutor(1) as beside, Client(address) as client:
        client.wait_for_workers(2, timeout=60)
        sweep = beside.submit(simulate_all, scenarios, executor=client.get_executor())
        until(lambda: len(store._cache()) >= RUNS // 8)
        one.send_signal(signal.SIGKILL)
        one.wait()
        done_when_killed = len(store._cache())
        results = sweep.result(timeout=240)
        left = client.scheduler_info()["workers"]
    assert two.poll() is None and len(left) == 1
    assert RUNS // 8 <= done_when_killed < RUNS
    assert [result.scenario for result in results] == scenarios  # each once, in their order
    assert len(store._cache()) == len({scenario.sha256() for scenario in scenarios})
    measured = design.join(pd.DataFrame([atlas.rounded(atlas.measured(one)) for one in results]))
    archived = design.merge(store.read_table("atlas", "points"), on=list(design), how="left")
    pd.testing.assert_frame_equal(measured, archived[measured.columns], check_dtype=False)
