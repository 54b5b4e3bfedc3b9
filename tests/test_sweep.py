"""Sweeps: any executor, Dask, failures, equal scenarios, a full disk, two sweeps at once."""

import errno
import functools
import io
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError, Record, SimulationError, engines, simulate, store, sweep
from longfat.cli import main
from longfat.engines import ns3
from longfat.errors import LongfatError
from longfat.sweeps import expected_bytes, simulate_all
from longfat.topologies import satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


# What runs are on ns-3: its server is what an interrupt or a crash may hit.
simulate = functools.partial(simulate, engine="ns3")
sweep = functools.partial(sweep, engine="ns3")
simulate_all = functools.partial(simulate_all, engine="ns3")


def scenarios(seeds=range(1, 5), **changes):
    return [satellite(**({"loss": 1e-3, "duration_s": 4} | changes), seed=s) for s in seeds]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A local cache of the test's own; call it with a folder to change to another."""

    def use(folder):
        monkeypatch.setenv("LONGFAT_CACHE", str(folder))
        store._cache.cache_clear()

    use(tmp_path / "cache")
    yield use
    monkeypatch.undo()
    store._cache.cache_clear()


class Recorder(ThreadPoolExecutor):
    """An executor that keeps the order in which the runs were submitted."""

    def __init__(self):
        super().__init__(1)
        self.submitted = []

    def submit(self, function, scenario, *rest) -> Future:
        self.submitted.append(scenario)
        return super().submit(function, scenario, *rest)


def test_processes_give_the_same_rows(cache, tmp_path):
    local = sweep(scenarios())
    cache(tmp_path / "other")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pd.testing.assert_frame_equal(sweep(scenarios(), executor=pool), local)


def test_a_dask_cluster_gives_the_same_rows_and_its_results_are_stored_here(
    cache, tmp_path, monkeypatch
):
    """Two worker processes with a cache of their own each, as on other machines."""
    distributed = pytest.importorskip("distributed")
    local = sweep(scenarios(range(1, 7)))
    monkeypatch.setenv("LONGFAT_CACHE", str(tmp_path / "workers"))
    (tmp_path / "sweep.json").write_text(
        json.dumps([json.loads(s.to_json()) for s in scenarios(range(1, 7))])
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        cache(tmp_path / "here")
        output = tmp_path / "rows.csv"
        command = [
            "sweep",
            "--engine",
            "ns3",
            str(tmp_path / "sweep.json"),
            "--output",
            str(output),
        ]
        command += ["--executor", "dask", "--address", cluster.scheduler_address]
        answer = CliRunner().invoke(main, command)
        assert answer.exit_code == 0, answer.output
        with distributed.Client(cluster) as client:
            worked = client.run(lambda: bool(__import__("longfat").engines.ns3._server.process))
    assert list(worked.values()) == [True, True]
    assert len(store._cache()) == 6
    pd.testing.assert_frame_equal(pd.read_csv(output, dtype={"flow": str}), local)


def test_the_longest_run_is_first_and_equal_runs_and_stored_runs_are_not_run(cache):
    by_length = [scenarios([1], duration_s=d)[0] for d in (1, 3, 2)]
    simulate(scenarios([9], duration_s=4)[0])
    with Recorder() as recorder:
        results = simulate_all(
            [*by_length, *by_length, scenarios([9], duration_s=4)[0]], executor=recorder
        )
    assert [s.duration_s for s in recorder.submitted] == [3, 2, 1]
    assert [r.scenario.duration_s for r in results] == [1, 3, 2, 1, 3, 2, 4]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_progress_with_rate_and_remaining_time(cache, monkeypatch):
    terminal = Terminal()
    with ThreadPoolExecutor(1) as one, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        simulate_all(scenarios([1, 2, 3]), executor=one)
    bars = terminal.getvalue().split("\r")
    assert re.search(r"3/3 \[\d\d:\d\d<00:00, .*(run/s|s/run)\]", bars[-1])


def test_expected_length_is_limited_by_link_window_and_transfer():
    (endless,) = scenarios([1], duration_s=100)
    assert expected_bytes(endless) == pytest.approx(550 * 1000 * 100 / 0.55)
    assert expected_bytes(*scenarios([1], rate_bps=1e6, duration_s=100)) == pytest.approx(12.5e6)
    assert expected_bytes(*scenarios([1], transfer_bytes=5000)) == 5000


def test_a_failed_run_is_listed_saved_with_its_last_words_and_ends_with_status_1(
    cache, monkeypatch, tmp_path
):
    monkeypatch.setitem(ns3.RECOVERY, "halving", "ns3::NoSuchRecovery")
    good, (bad,) = scenarios([1, 2]), scenarios([3], recovery="halving")
    path = tmp_path / "sweep.json"
    path.write_text(json.dumps([json.loads(s.to_json()) for s in (good[0], bad, good[1])]))
    answer = CliRunner().invoke(main, ["sweep", "--engine", "ns3", str(path), "--workers", "1"])
    assert answer.exit_code == 1
    saved = store.folder() / "failures" / f"{bad.sha256()[:12]}.json"
    assert "1 of 3 runs failed, all others are stored:\n  scenario 1: ns3 " in answer.output
    assert str(saved) in answer.output
    failure = json.loads(saved.read_text())
    assert "NoSuchRecovery" in failure["last_words"]
    assert type(bad)(**failure["scenario"]) == bad
    assert len(store._cache()) == 2
    monkeypatch.setitem(ns3.RECOVERY, "halving", "ns3::TcpClassicRecovery")
    answer = CliRunner().invoke(main, ["sweep", "--engine", "ns3", str(path)])
    assert answer.exit_code == 0
    assert not saved.exists()


class Elsewhere(Recorder):
    """An executor whose workers do `work` in place of what they were given."""

    def __init__(self, work):
        super().__init__()
        self.work = work

    def submit(self, function, *arguments) -> Future:
        return super().submit(lambda *a: self.work(function, *a), *arguments)


def test_a_worker_that_dies_is_a_failed_run_and_the_sweep_goes_on(cache):
    def work(function, scenario, *rest):
        if scenario.seed == 1:
            raise BrokenPipeError("the worker is gone")
        return function(scenario, *rest)

    with Elsewhere(work) as executor, pytest.raises(SimulationError, match=r"1 of 2.*\n.*is gone"):
        sweep(scenarios([1, 2]), executor=executor)
    assert len(store._cache()) == 1


def test_what_a_worker_took_along_when_it_died_is_given_out_once_more(cache):
    asked = []

    def work(function, scenario, *rest):
        asked.append(scenario.seed)
        if asked == [1]:  # as Dask says it where a result's worker dies just after it was read
            raise TypeError("cannot unpack non-iterable Result object")
        return function(scenario, *rest)

    with Elsewhere(work) as executor:
        assert len(sweep(scenarios([1, 2]), executor=executor)) == 2
    assert asked == [1, 2, 1]


def _die(*_) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal(ProcessPoolExecutor):
    """A pool whose workers die of what they are given."""

    def submit(self, function, *arguments) -> Future:
        return super().submit(_die)


def test_an_executor_that_is_shut_down_on_the_way_fails_what_is_left(cache):
    def work(*_):
        executor.shutdown(wait=False)
        raise OSError("gone")

    with Elsewhere(work) as executor, pytest.raises(SimulationError, match="after shutdown"):
        sweep(scenarios([1]), executor=executor)


def test_a_broken_pool_fails_each_run_and_is_said(cache):
    context = multiprocessing.get_context("spawn")
    with Mortal(1, context) as pool, pytest.raises(SimulationError, match="2 of 2 runs failed"):
        sweep(scenarios([1, 2]), executor=pool)


def test_a_worker_of_another_version_is_refused(cache):
    def work(function, *arguments):
        result = function(*arguments)
        result.provenance["key"] = "0" * 32
        return result

    with Elsewhere(work) as executor, pytest.raises(InputError, match="another version"):
        sweep(scenarios([1]), executor=executor)


def test_a_full_disk_names_the_folder_and_loses_nothing(cache, tmp_path):
    """A real disk of one megabyte, filled with traces."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small disk")
    try:
        cache(disk)
        record = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=2000)
        many = scenarios(range(1, 40), record=record)
        with pytest.raises(LongfatError, match=f"{disk}.* MB free") as failed:
            sweep(many)
        assert not isinstance(failed.value, SimulationError)
        subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
        store._cache.cache_clear()
        kept = [s for s in many if engines.find(s, "ns3")]
        assert kept
        whole = [engines.find(s, "ns3") for s in kept]
        cache(tmp_path / "larger")
        for result, again in zip(whole, simulate_all(kept), strict=True):
            pd.testing.assert_frame_equal(result.flows, again.flows)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_disk_that_refuses_to_write_stops_the_sweep(cache, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    sweep(scenarios([1]))
    monkeypatch.setattr("diskcache.JSONDisk.store", full)
    with pytest.raises(LongfatError, match=f"{store.folder()}.*No space left on device"):
        sweep(scenarios([1, 2]))
    assert len(store._cache()) == 1


def _sweep_in_a_fork(requests, start, answers):
    store._cache.cache_clear()
    ns3._server.requests = lambda stops: requests  # the server of the process that forked
    runs = []
    really = ns3.simulate
    ns3.simulate = lambda scenario, *limits: runs.append(scenario.seed) or really(scenario, *limits)
    start.wait()
    answers.put((sweep(scenarios(range(1, 25), duration_s=20)).to_json(), runs))


def test_two_sweeps_share_a_cache_and_the_work_at_once(cache):
    simulate(scenarios([99])[0])  # the server is up
    requests = ns3._server.requests(ns3._server.stops)
    fork = multiprocessing.get_context("fork")
    start, answers = fork.Barrier(2), fork.Queue()
    sweeps = [
        fork.Process(target=_sweep_in_a_fork, args=(requests, start, answers)) for _ in range(2)
    ]
    for process in sweeps:
        process.start()
    (table, runs), (other_table, other_runs) = (answers.get(timeout=60) for _ in sweeps)
    for process in sweeps:
        process.join(10)
        assert process.exitcode == 0
    assert sorted(runs + other_runs) == list(range(1, 25))  # none twice
    assert min(len(runs), len(other_runs)) >= 4
    assert table == other_table
    assert sweep(scenarios(range(1, 25), duration_s=20)).to_json() == table
    assert len(store._cache()) == 25
    assert not list((store.folder() / "claims").iterdir())
    (store.folder() / "claims").rmdir()  # the database wonders at an empty folder
    assert not store._cache().check()


CLAIM = """
import sys, time
from longfat import store
with store.claim(sys.argv[1]) as mine:
    print(mine, flush=True)
    time.sleep(600)
"""


def test_a_claimed_run_is_left_to_whoever_claimed_it_until_that_is_killed(cache, monkeypatch):
    (scenario,) = scenarios([1])
    claimant = subprocess.Popen(
        [sys.executable, "-c", CLAIM, engines.key(scenario, "ns3")], stdout=subprocess.PIPE
    )
    assert claimant.stdout.readline() == b"True\n"
    limits = ("ns3", 3600, None)
    assert engines.find_or_run(scenario, *limits, wait=False) is None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(engines.find_or_run, scenario, *limits)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=1)
        claimant.kill()
        claimant.wait()
        assert waiting.result(timeout=60).provenance["key"] == engines.key(scenario, "ns3")


def test_a_claim_that_is_waited_for_can_be_given_up(cache):
    (scenario,) = scenarios([1])
    with store.claim(engines.key(scenario, "ns3")) as mine, ThreadPoolExecutor(1) as pool:
        assert mine
        waiting = pool.submit(engines.find_or_run, scenario, "ns3", 3600, None)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.3)
        engines.stop("ns3")
        with pytest.raises(SimulationError, match="given up"):
            waiting.result(timeout=5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--executor", "dask"], "needs --address"),
        (["--address", "tcp://127.0.0.1:1"], "--address is for --executor dask"),
        (["--executor", "dask", "--address", "here"], "no Dask scheduler answers at here"),
        (["--workers", "0"], "0"),
    ],
)
def test_executor_options_are_checked(options, words, tmp_path):
    path = tmp_path / "sweep.json"
    path.write_text(json.dumps([json.loads(scenarios([1])[0].to_json())]))
    answer = CliRunner().invoke(main, ["sweep", "--engine", "ns3", str(path), *options])
    assert answer.exit_code == 2
    assert words in answer.output
