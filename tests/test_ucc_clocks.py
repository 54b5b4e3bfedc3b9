"""UCC by clocks that are not exact, behind managed queues, and by other thresholds."""

import nbformat
import pytest

from longfat import paths, simulate
from longfat.book import chapters
from longfat.papers.ucc import analysis, plan

SHORT = {"duration_s": 40.0, "repetitions": 2}


@pytest.fixture(scope="module")
def at():
    return plan.setting("paper", **SHORT)


def goodput(at, clock, mend="as printed", pair="UCC and UCC", loss=0.01):
    """Return what both flows of a run carry, in Mb/s."""
    build = plan.clocks(at).build
    result = simulate(build(clock=clock, mend=mend, loss=loss, pair=pair, seed=1))
    return result.flows["goodput_bps"].sum() / 1e6


def test_a_fast_clock_makes_ucc_newreno_and_a_young_minimum_mends_it(at):
    exact = goodput(at, plan.EXACT)
    newreno = goodput(at, plan.EXACT, "", "NewReno and NewReno")
    fast = "the receiver's is 50 millionths faster"
    drifting = goodput(at, fast)
    assert newreno < 0.7 * exact
    # for the first seconds the smallest delay is still met now and then
    assert drifting < newreno + 0.3 * (exact - newreno)
    *_, renewed = plan.MENDS
    assert goodput(at, fast, renewed) > 0.9 * exact


def test_no_tolerance_and_no_drift_are_the_paper(at):
    build = plan.clocks(at).build
    plain = build(clock=plan.EXACT, mend="as printed", loss=0.01, pair="UCC and UCC", seed=1)
    parameters = {"tolerance_s": 0.0, "drift": 0.0}
    stated = plain.replace(
        flows=[
            flow.model_copy(
                update={
                    "congestion_control": flow.congestion_control.model_copy(
                        update={"parameters": parameters}
                    )
                }
            )
            for flow in plain.flows
        ]
    )
    one, other = simulate(plain), simulate(stated)
    assert one.flows["delivered_bytes"].tolist() == other.flows["delivered_bytes"].tolist()


def test_a_radio_that_repeats_leaves_tcp_nothing_to_repair(at):
    build = plan.clocks(at).build
    run = build(clock=plan.REPEATS, mend="", loss=0.01, pair="NewReno and NewReno", seed=1)
    result = simulate(run)
    assert result.links["packets_sent_again"].sum() > 100
    assert result.flows["timeouts"].sum() == 0
    assert result.flows["goodput_bps"].sum() > 9e6


def test_what_the_page_says_of_thresholds_and_queues_is_in_the_archive():
    runs = chapters.find("ucc").runs
    kept = analysis.alphas(runs).set_index(["alpha", "buffer", "loss"])["measured"]
    assert kept[0.5].min() > 0.9 > 0.75 > kept[0.99].min()
    managed = analysis.managed(runs).set_index(["queue", "control", "loss"])["kept"]
    for queue in ("RED", "CoDel", "PIE"):
        assert managed[queue, "UCC", 0.0] > 3 * managed[queue, plan.CHD, 0.0]


def test_hd_is_judged_where_a_queue_stands():
    table = analysis.regions(chapters.find("ucc").runs)
    clean = table[table["loss"] == 0].groupby(["control", "neighbour"])
    queue_s, dropped = clean["queue_s"].mean(), clean["dropped"].mean()
    assert queue_s["HD", "HD"] < 0.01 < queue_s["HD", "NewReno"]
    assert dropped["HD", "HD"] == 0 < dropped["NewReno", "NewReno"]


def test_the_page_says_what_could_not_be_tried():
    page = nbformat.read(paths.NOTEBOOKS / "ucc-long.ipynb", as_version=4)
    assert any("Nor can ns-2 try UCC" in cell.source for cell in page.cells)
