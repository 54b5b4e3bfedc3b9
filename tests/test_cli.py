"""The command line: what it prints, and one sentence and exit status 2 for bad input."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import Scenario, engines
from longfat.cli import main
from longfat.topologies import reference, satellite


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "scenario.json"
    path.write_text(satellite(loss=1e-3, duration_s=2).to_json())
    return path


def test_model_prints_what_the_theory_gives():
    from longfat.papers import hybla

    answer = run("model", "hybla", "--loss", 1e-4, "--segments", 10_000, "--json")
    row = json.loads(answer.output)[0]
    expected = hybla.throughput(loss=1e-4, rtt=0.55, rtt0=0.025, max_window=550)
    assert row["throughput_segments_per_s"] == pytest.approx(float(expected))
    assert row["throughput_bps"] == pytest.approx(8000 * float(expected))
    time = hybla.transfer_time(10_000, loss=1e-4, rtt=0.55, rtt0=0.025, max_window=550, rto=1.0)
    assert row["transfer_time_s_of_10000_segments"] == pytest.approx(float(time))


def test_simulate_prints_flows_or_the_whole_result(scenario_file):
    answer = run("simulate", scenario_file, "--json")
    assert answer.exit_code == 0
    result = json.loads(answer.output)
    assert result["flows"][0]["delivered_bytes"] > 0
    assert result["provenance"]["engine"] == "segment"
    assert str(result["flows"][0]["delivered_bytes"]) in run("simulate", scenario_file).output


def test_sweep_writes_a_table(tmp_path, scenario_file):
    one = json.loads(scenario_file.read_text())
    (tmp_path / "sweep.json").write_text(json.dumps([one, one | {"seed": 2}]))
    answer = run("sweep", tmp_path / "sweep.json", "--output", tmp_path / "rows.csv")
    assert answer.exit_code == 0, answer.output
    assert list(pd.read_csv(tmp_path / "rows.csv")["seed"]) == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "missing.json"], ["missing.json: cannot be read"]),
        (["model", "hybla", "--loss", "1.5"], ["loss", "1.5"]),
        (["model", "hybla", "--loss", "abc"], ["abc"]),
        (["figure", "hybla-33"], ["no figure 'hybla-33'", "Did you mean 'hybla-3'?"]),
        (["figure", "hybla-3", "--set", "loss_rate=[1e-3]"], ["Did you mean 'loss_rates'?"]),
        (["figure", "hybla-3", "--set", "repetitions"], ["write NAME=VALUE"]),
        (["simulat"], ["No such command 'simulat'", "'simulate'"]),
        (["audit", "--sample", "0"], ["0"]),
        (["figure", "hybla-3", "--set", "rtt_s=abc"], ["rtt_s", "'abc'"]),
        (["simulate", "{file}", "--time-limit", "0"], ["0"]),
        (["audit", "--experiment", "nothing"], ["no archived experiment 'nothing'"]),
        (["simulate", "{file}", "--engine", "ns4"], ["unknown engine 'ns4'"]),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments, words, scenario_file, tmp_path):
    answer = run(*[argument.format(file=scenario_file) for argument in arguments])
    assert answer.exit_code == 2
    assert "Traceback" not in answer.output
    for word in words:
        assert word in answer.output


@pytest.mark.medium
def test_a_long_run_says_how_far_it_is_and_ends_at_its_limit(tmp_path):
    """On a terminal; a page of what is simulated in hours."""
    path = tmp_path / "long.json"
    long = reference(congestion_control="newreno", duration_s=1e6, rate_bps=1e9)
    path.write_text(long.to_json())
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # rows, columns
    command = [sys.executable, "-m", "longfat", "simulate", path, "--time-limit", "4"]
    done = subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 1
    assert "segment took longer than its limit of 4 s" in shown
    far = [float(n) for n in re.findall(r"simulated ([\d.e+]+) of 1e\+06 s .*?at most 4 s", shown)]
    assert far and max(far) > 0


@pytest.mark.medium
def test_a_sweep_refuses_what_its_engine_has_not_before_anything_runs(tmp_path, scenario_file):
    """With the number of each scenario."""
    one = json.loads(scenario_file.read_text())
    flow = {"source": "sender", "target": "receiver", "congestion_control": "hybla-ns3"}
    stock = one | {"flows": [flow], "seed": 3}
    all_of_it = [one | {"seed": 77}, stock, stock | {"seed": 4}]
    (tmp_path / "sweep.json").write_text(json.dumps(all_of_it))
    answer = run("sweep", tmp_path / "sweep.json")
    assert answer.exit_code == 2
    assert "2 scenarios are refused" in answer.output
    assert (
        "scenario 1: flows.0.congestion_control: the engine 'segment' has no 'hybla-ns3'"
        in answer.output
    )
    assert engines.find(Scenario(**one | {"seed": 77}), "segment") is None


def test_malformed_json_leaves_nothing_behind(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('[{"links": ]')
    answer = run("sweep", broken, "--output", tmp_path / "rows.csv")
    assert answer.exit_code == 2
    assert "broken.json" in answer.output
    assert [path.name for path in tmp_path.iterdir()] == ["broken.json"]


@pytest.mark.book
def test_figures_are_listed_with_their_times():
    answer = run("figure", "--list")
    assert answer.exit_code == 0
    header, *lines = answer.output.splitlines()
    assert header.split()[:5] == ["name", "chapter", "shows", "quick", "paper"]
    (line,) = [line for line in lines if line.split()[:1] == ["hybla-overflow"]]
    assert re.fullmatch(r"\d+:\d\d", line.split()[-1])


def test_cc_list_fits_a_terminal_and_cc_show_has_the_rest():
    lines = run("cc", "list").output.splitlines()
    assert max(map(len, lines)) < 80
    assert any(
        line.split() == ["hybla", "TCP", "Hybla", "ns3,", "segment,", "linux,", "ns2"]
        for line in lines
    )
    shown = run("cc", "show", "hybla").output
    assert max(map(len, shown.splitlines())) <= 80
    assert "rtt0_s = 0.025 (from 1e-06 to 10 s): round-trip time of the reference" in shown
    assert "Caini and Firrincieli 2004" in shown
    assert "Default: paper hybla; Linux," in shown
    unknown = run("cc", "show", "hyblah")
    assert unknown.exit_code == 2 and "Did you mean 'hybla'?" in unknown.output


def test_cc_list_names_parameters_and_sources():
    rows = {row["name"]: row for row in json.loads(run("cc", "list", "--json").output)}
    assert rows["hybla"]["code"] == "hybla.h"
    assert rows["hybla"]["parameters"] == "rtt0_s=0.025 (from 1e-06 to 10 s)"
    assert "cubic" in rows
