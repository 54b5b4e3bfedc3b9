"""The study of senders over low orbits: its paths, and what is read off a run."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError, builds, cli, leo, simulate
from longfat.studies import low_orbits

compiled = pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")


@pytest.mark.medium
def test_every_setting_is_another_path():
    """Each assumption at its ends or other choices, but for those that make no other path here."""
    varied = {name for name, _ in low_orbits.settings() if name != low_orbits.MOTION}
    assumed = {one.name for one in leo.assumptions()}
    assert assumed - varied == {"shell", "fibre", "under_way"}
    usual = low_orbits.scenario("cubic", low_orbits.VARIED_ORBIT, seed=2)
    scenarios = {
        low_orbits.scenario("cubic", low_orbits.VARIED_ORBIT, "", *one, seed=2).canonical_json()
        for one in low_orbits.settings()
    }
    # No silence at changes is both the motion's and the assumption's.
    assert len(scenarios) == len(low_orbits.settings()) - 1
    assert usual.canonical_json() not in scenarios


def test_a_path_that_stands_still_has_the_same_losses_and_no_changes():
    for orbit in low_orbits.ORBITS:
        moving = low_orbits.scenario("bbr", orbit)
        still = low_orbits.scenario("bbr", orbit, "", *low_orbits.STILL)
        for one, other in zip(still.links, moving.links, strict=True):
            assert not one.changes and not one.outages
            assert one.loss_per_packet == other.loss_per_packet
            assert (one.delay_s, one.rate_bps) == (other.delay_s, other.rate_bps)


@compiled
def test_the_neighbour_on_land_meets_no_satellite():
    result = simulate(low_orbits.scenario("newreno", "starlink", low_orbits.LAND))
    scenario = result.scenario
    space = scenario.links[low_orbits.SPACE]
    land = next(link for link in scenario.links if link.target == "land")
    assert (land.delay_s, land.changes, land.outages) == (space.delay_s, (), ())
    assert scenario.links[low_orbits.ACCESS].rate_bps == space.rate_bps
    row = low_orbits.measured(result)
    assert row["neighbour"] > row["goodput"]  # it has neither losses nor silences of its own
    assert row["neighbour"] + row["goodput"] <= space.rate_bps / 1e6


def test_a_recovery_is_read_off_what_was_delivered():
    """100 a second; a change at 30 s stops all for 3 s, then it is 50 a second until 40 s."""
    times = np.arange(0, 601) / 10
    rates = np.where(times < 30, 100, np.where(times < 33, 0, np.where(times < 40, 50, 100)))
    held = np.concatenate([[0], np.cumsum(rates[:-1]) / 10]) * 1e6 / 8
    trace = pd.DataFrame({"time_s": times, "delivered_bytes": held})
    found = low_orbits._around_changes(trace, [10.0, 30.0], 60.0)
    assert found["changes"] == 1  # the first is before all has settled
    assert found["after"] == pytest.approx(2 * 50 / (5 * 100))
    # A second carries four fifths of 100 from when six tenths of it are after 40 s.
    assert found["recovery_s"] == pytest.approx(9.6)
    assert low_orbits._around_changes(trace, [], 60.0)["changes"] == 0


def test_a_path_of_the_study_is_as_long_as_it_says():
    scenario = low_orbits.scenario("cubic", "starlink")
    begin, later = low_orbits.propagation_s(scenario, np.array([0.0, 40.0]))
    down, up = scenario.links[low_orbits.SPACE], scenario.links[low_orbits.BACK]
    access = 2 * scenario.links[low_orbits.ACCESS].delay_s
    assert begin == pytest.approx(access + down.delay_s + up.delay_s)
    last = [change.delay_s for change in down.changes if change.at_s <= 40][-1]
    assert later == pytest.approx(access + 2 * last, abs=5e-5)


def run(*arguments):
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


@compiled
@pytest.mark.medium
def test_which_sender_between_two_places():
    """Over a path that no archive has: BBR fills it, NewReno pays for the losses."""
    asked = ("leo", "Auckland", "Sydney", "--compare", "--senders", "newreno,bbr")
    answer = run(*asked, "--neighbour", "newreno", "--json")
    rows = {row["sender"]: row for row in json.loads(answer.stdout)}
    assert list(rows) == ["bbr", "newreno"]
    assert rows["bbr"]["goodput"] - rows["bbr"]["halfwidth"] > rows["newreno"]["goodput"]
    assert rows["newreno"]["newreno"] == pytest.approx(1)  # beside its own kind
    assert rows["bbr"]["newreno"] < 1
    assert rows["bbr"]["runs"] == low_orbits.ANSWER_SEEDS
    shown = run(*asked).stdout
    assert "3 runs of a minute each. Intervals are of 95 %" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seed", 2], "--seed is not for --compare"),
        (["--duration", 5], "--duration is not for --compare"),
        (["--senders", "cubik"], "no sender 'cubik' to compare: .* Did you mean 'cubic'"),
        (["--neighbour", "cubic"], "beside is 'cubic': it must be newreno"),
        (["--shell", "starlnk"], "shell is 'starlnk'"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(words, sentence):
    answer = run("leo", "Auckland", "Sydney", "--compare", *words)
    assert answer.exit_code == InputError.exit_status
    assert len(answer.output.splitlines()) == 1
    assert re.search(sentence, answer.output)
