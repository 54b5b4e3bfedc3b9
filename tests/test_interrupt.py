"""Ctrl-C: a sweep ends at once, whatever it is at, and leaves no process behind."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest
from processes import runs_of

from longfat.topologies import satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


def until(condition):
    deadline = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def sweep_of_long_runs(folder):
    """Start `longfat sweep` in a process group of its own, as a shell does."""
    long = [satellite(loss=1e-5, duration_s=100_000, seed=seed) for seed in (1, 2, 3)]
    file = folder / "sweep.json"
    file.write_text(json.dumps([json.loads(scenario.to_json()) for scenario in long]))
    with open(folder / "log", "w") as log:
        return psutil.Popen(
            [str(Path(sys.executable).with_name("longfat")), "sweep", str(file), "--engine", "ns3"],
            env=os.environ | {"LONGFAT_CACHE": str(folder / "cache")},
            stdout=log,
            stderr=log,
            process_group=0,
            # A shell in the background starts its commands with interrupts ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )


def server_of(process):
    """Return the process that loads ns-3, once it is past its start."""
    until(process.children)
    return process.children()[0]


@pytest.fixture(scope="module")
def loading_s(tmp_path_factory):
    """How long this machine, as busy as it is, takes to load ns-3."""
    begin = time.monotonic()
    process = sweep_of_long_runs(tmp_path_factory.mktemp("loading"))
    server = server_of(process)
    until(lambda: len(runs_of(server)) == 2)
    loading_s = time.monotonic() - begin
    process.kill()
    process.wait()
    return loading_s


@pytest.mark.parametrize("at", ["as it starts to load ns-3", "while ns-3 runs"])
def test_an_interrupt_ends_the_sweep_at_once(at, tmp_path, loading_s, request):
    process = sweep_of_long_runs(tmp_path)
    request.addfinalizer(lambda: process.is_running() and process.kill())
    server = server_of(process)
    if at == "while ns-3 runs":
        until(lambda: len(runs_of(server)) == 2)
    family = process.children(recursive=True)

    os.killpg(process.pid, signal.SIGINT)
    interrupted = time.monotonic()
    status = process.wait(timeout=60)
    assert time.monotonic() - interrupted < loading_s  # it did not wait for ns-3
    assert status == 1  # click's: "Aborted!"
    _, alive = psutil.wait_procs(family, timeout=3)
    assert not alive
    assert (tmp_path / "log").read_text().endswith("Aborted!\n")
