"""Hybla where losses come in bursts, behind an emulator's clock, and by eight lines of Python."""

import contextlib
import io

import nbformat
import pytest

from longfat import paths, simulate
from longfat.book import chapters
from longfat.papers import hybla
from longfat.papers.hybla import analysis, plan


@pytest.fixture(scope="module")
def runs():
    return chapters.find("hybla").runs


def experiment(name):
    return next(one for one in plan.experiments(plan.setting()) if one.name == name)


@pytest.mark.medium
def test_a_burst_within_a_window_is_one_loss(runs):
    table = analysis.bursts(runs).set_index(["loss", "burst_packets"])
    for loss in plan.BURST_LOSSES[:2]:
        rate = table.loc[loss]
        assert rate["Mb/s"].loc[1:50].is_monotonic_increasing
        short = rate.loc[1:50]
        assert (short["once_mbps"] / short["Mb/s"] - 1).abs().max() < 0.05
    # counted one by one, the model is far off where bursts are long
    lossy = table.loc[1e-2, 50]
    assert lossy["each_mbps"] < 0.5 * lossy["Mb/s"]


def test_a_burst_that_takes_a_window_is_a_timeout(runs):
    table = analysis.bursts(runs).set_index(["loss", "burst_packets"])
    most = max(plan.BURST_LOSSES)
    assert table.at[(most, 500), "timeouts"] > 10 > table.at[(most, 20), "timeouts"]
    assert table.at[(most, 500), "Mb/s"] < table.at[(most, 100), "Mb/s"]


def test_an_emulators_tick_makes_the_round_trip_longer():
    build = experiment("hybla-dummynet").build
    rates = {}
    for clock in ("as in the other runs", "a tick of 1 ms", "a tick of 10 ms"):
        result = simulate(build(loss=1e-6, rate_bps=100e6, clock=clock, seed=1))
        rates[clock] = result.flows["goodput_bps"].item()
        assert result.links["packets_dropped_by_queue"].sum() == 0
    plain, fine, coarse = rates.values()
    assert plain > fine > coarse > 0.95 * plain


def test_the_model_with_a_distribution_is_as_near_as_engines_are_to_each_other(runs):
    table = analysis.distances(runs)
    few = table[table["loss"] <= 2e-3]
    for engine in ("segment engine", "ns-3", "Linux"):
        assert few[f"model and {engine}"].abs().max() < 5
    assert few["model and segment engine"].abs().max() < 2


def test_the_parts_of_a_files_time_are_its_time():
    setting = plan.setting()
    table = analysis.file_parts(chapters.find("hybla").runs)
    parts = table[list(analysis.FILE_PARTS)].sum(axis=1)
    for row, total in zip(table.itertuples(), parts, strict=True):
        time_s = hybla.transfer_time(
            row.megabytes * 1e6 / setting.segment_bytes,
            row.loss,
            rto=setting.rto_s,
            **setting.model,
        )
        assert total == pytest.approx(float(time_s), rel=1e-9)


def test_the_readers_eight_lines_are_the_packages_model():
    page = nbformat.read(paths.NOTEBOOKS / "hybla.ipynb", as_version=4)
    [cell] = [one for one in page.cells if "brentq" in one.source]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(cell.source, {})
    setting = plan.setting()
    ours = setting.megabits * float(hybla.throughput(0.01, **setting.model))
    assert said.getvalue() == f"{ours:.3f} Mb/s\n"
