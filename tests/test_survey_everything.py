"""All that the survey names on one path, by queues, and what its path may have been."""

import numpy as np
import pytest

from longfat import simulate
from longfat.book import chapters
from longfat.papers.survey import analysis, files, plan

SIZE = 2e7


@pytest.mark.parametrize("how", ["standard TCP", "GridFTP, 8 streams", "RBUDP", "XCP", "CADPC"])
def test_a_file_goes_over_beside_a_neighbour_that_was_there_before(how):
    together = simulate(files.surveyed(how, files.BESIDE, 1, SIZE))
    before = simulate(files.surveyed(how, files.BEFORE, 1, SIZE))
    assert together.transfers["transfer_time_s"].item() > 8 * SIZE / files.JAPAN.rate_bps
    assert 0 < files.left_to(together, before) < files.JAPAN.rate_bps
    assert before.scenario.duration_s == pytest.approx(together.scenario.flows[0].start_s) or (
        not files.surveyed(how, files.ALONE, 1, SIZE).flows
    )


def test_every_way_differs_from_standard_tcp_in_what_its_name_says():
    runs = {
        tuning.name: files.surveyed(tuning.name, files.ALONE, 1, SIZE)
        for tuning, _ in files.SURVEYED
    }
    assert len({run.sha256() for run in runs.values()}) == len(runs)
    assert all(link.xcp for link in runs["XCP"].links)
    assert all(link.ptp for link in runs["CADPC"].links)
    assert runs["ECN"].flows[0].ecn and runs["ECN"].links[0].mark_above_packets
    assert runs["Quick-Start"].flows[0].quick_start_bps <= runs["Quick-Start"].links[0].approve_bps
    assert runs["relay in the middle"].flows[0].relays == ("relay",)


def test_what_is_fast_and_what_is_kind():
    table = analysis.surveyed(chapters.find("survey").runs).set_index("how")
    fast = table["time_high"] < table.at["standard TCP", "time_low"]
    kind = table["kept_high"] >= 1
    both = set(table.index[fast & kind])
    assert {"XCP", "FAST TCP", "CADPC"} <= both
    assert not both & {"Scalable TCP", "GridFTP, 8 streams", "RBUDP", "Tsunami", "BBR 3"}


def test_a_managed_queue_gives_back_what_a_long_one_takes():
    means = analysis.queue_means(chapters.find("survey").runs).set_index(["second", "queue"])
    for second in ("highspeed", "scalable"):
        kept = means.loc[second]
        for queue in plan.MANAGED:
            assert kept.at[queue, "kept_low"] > kept.at["1", "kept_high"], (second, queue)


def test_paths_are_drawn_from_their_ranges_and_always_the_same():
    paths = plan.drawn_paths()
    assert len(paths) == len(plan.MECHANISMS) * plan.DRAWS
    assert paths.equals(plan.drawn_paths())
    for name, (low, high) in plan.RANGES.items():
        drawn = paths[name].dropna()
        assert drawn.between(low, high).all()
        # spread over the range: a hypercube has one in each of so many parts
        assert drawn.min() < low + 0.1 * (high - low) and drawn.max() > low + 0.6 * (high - low)


def test_a_host_that_is_slower_than_the_router_fills_its_own_queue():
    at = plan.setting("quick")
    run = plan.over_drawn(at, "standard", loss=1e-7, host_mbps=150.0, host_queue=50.0)
    links = simulate(run).links.set_index(["source", "target"])
    assert links.at[("sender-1", "router"), "packets_dropped_by_queue"] > 0
    assert links.at[("router", "receiver"), "packets_dropped_by_queue"] == 0


def test_losses_in_bursts_come_in_bursts():
    at = plan.setting("quick")
    run = plan.over_drawn(at, "standard", mbps=150.0, queue=400.0, loss=1e-4, burst=50.0)
    [bursts] = [link.loss_bursts for link in run.links if link.loss_bursts]
    assert (bursts.loss_per_packet, bursts.mean_packets) == (1e-4, 50.0)
    assert not any(link.loss_per_packet for link in run.links)


def test_no_mechanism_that_was_drawn_gives_the_six_numbers_alone():
    near = analysis.nearest_paths(chapters.find("survey").runs)
    assert list(near["mechanism"]) == list(plan.MECHANISMS)
    assert (near["factor"] > 1).all() and np.isfinite(near["factor"]).all()
