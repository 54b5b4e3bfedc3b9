"""UCC by clocks that are not exact, behind managed queues, and by other thresholds."""

import pytest

from longfat import InputError, engines, simulate
from longfat.book import chapters
from longfat.papers.ucc import analysis, plan

SHORT = {"duration_s": 40.0, "repetitions": 2}


@pytest.fixture(scope="module")
def at():
    return plan.setting("paper", **SHORT)


def goodput(at, clock, mend="as printed", pair="UCC and UCC", loss=0.01, seed=1):
    """Return what both flows of a run carry, in Mb/s."""
    build = plan.clocks(at).build
    result = simulate(build(clock=clock, mend=mend, loss=loss, pair=pair, seed=seed))
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


NS2 = pytest.mark.skipif(not engines.is_here("ns2"), reason="ns-2 is not prepared here")


def in_ns2(mend, pair="UCC and UCC", **changed):
    """Return what both flows carry in ns-2, in Mb/s: the mean of three runs that are made here."""
    build = plan.clocks_on_ns2(plan.setting("paper", **changed)).build
    runs = [
        build(clock=plan.DOUBLE, mend=mend, loss=0.01, pair=pair, seed=seed) for seed in (1, 2, 3)
    ]
    results = [engines.get("ns2").simulate(run) for run in runs]
    return sum(result.flows["goodput_bps"].sum() for result in results) / 3e6


@pytest.mark.medium
@NS2
def test_by_ns2s_own_clock_ucc_is_nearly_newreno_and_a_nanosecond_mends_it():
    printed, tolerant, _ = plan.NS2_MENDS
    newreno, mended = in_ns2("", "NewReno and NewReno"), in_ns2(tolerant)
    assert newreno < 0.7 * mended
    assert newreno < in_ns2(printed) < newreno + 0.3 * (mended - newreno)


@NS2
def test_two_uccs_that_share_no_code_carry_the_same(at):
    """The core's, by exact clocks, and ns-2's, by a clock whose rounding does not count."""
    _, tolerant, _ = plan.NS2_MENDS
    ours = [goodput(at, plan.EXACT, seed=seed) for seed in (1, 2, 3)]
    assert in_ns2(tolerant, **SHORT) == pytest.approx(sum(ours) / 3, rel=0.05)


def with_first(plain, **fields):
    first, *others = plain.flows
    return plain.replace(flows=[first.model_dump() | fields, *others])


@NS2
@pytest.mark.parametrize(("alpha", "is_newreno"), [(0.0, True), (1.0, False)])
def test_in_ns2_the_threshold_is_the_papers(at, alpha, is_newreno):
    """By a clock that sees no delay as the smallest all is congestion above a threshold of 0, and
    nothing is above 1."""
    build = plan.clocks_on_ns2(at).build
    plain = build(clock=plan.DOUBLE, mend="", loss=0.01, pair="NewReno and NewReno", seed=1)
    drifts = {"name": "ucc", "parameters": {"alpha": alpha, "drift": 0.01}}
    one = simulate(plain, engine="ns2").flow_rows()[0]
    other = simulate(with_first(plain, congestion_control=drifts), engine="ns2").flow_rows()[0]
    assert (other["goodput_bps"] == pytest.approx(one["goodput_bps"], rel=0.15)) is is_newreno


@NS2
def test_ns2s_ucc_needs_sack(at):
    build = plan.clocks_on_ns2(at).build
    plain = build(clock=plan.DOUBLE, mend="as printed", loss=0.01, pair="UCC and UCC", seed=1)
    with pytest.raises(InputError, match=r"flows\.0\.sack.*'ucc', which is its SACK sender's"):
        simulate(with_first(plain, sack=False), engine="ns2")


LINUX = pytest.mark.skipif(not engines.is_here("linux"), reason="the emulation is not built here")


def in_linux(clock, mend="as printed", pair="UCC and UCC"):
    """Return what both flows carry in Linux, in Mb/s: the mean of three runs that are made here."""
    build = plan.clocks_on_linux(plan.setting("paper", **SHORT)).build
    runs = [build(clock=clock, mend=mend, loss=0.01, pair=pair, seed=seed) for seed in (1, 2, 3)]
    results = [engines.get("linux").simulate(run) for run in runs]
    return sum(result.flows["goodput_bps"].sum() for result in results) / 3e6


@LINUX
@pytest.mark.slow
def test_in_linux_a_tick_does_little_and_a_fast_clock_much():
    newreno = in_linux(plan.MILLISECOND, "", "NewReno and NewReno")
    _, tolerant, renewed = plan.LINUX_MENDS
    exact = in_linux(plan.MILLISECOND, tolerant)
    _, microsecond, fast, *_ = plan.LINUX_CLOCKS
    assert newreno < 0.7 * exact
    printed = in_linux(plan.MILLISECOND)
    for found in (printed, in_linux(microsecond)):
        assert newreno + 0.5 * (exact - newreno) < found < exact
    # 20 s of these 40 pass until the clocks are a tick apart
    assert in_linux(fast) < newreno + 0.7 * (printed - newreno)
    assert in_linux(fast, renewed) > 0.9 * exact


@LINUX
@pytest.mark.slow
def test_in_linux_an_ack_for_two_segments_leaves_little_of_ucc():
    newreno = in_linux(plan.DELAYED, "", "NewReno and NewReno")
    _, tolerant, _ = plan.LINUX_MENDS
    mended = in_linux(plan.DELAYED, tolerant)
    assert newreno < 0.7 * mended
    assert newreno < in_linux(plan.DELAYED) < newreno + 0.3 * (mended - newreno)


@LINUX
@pytest.mark.slow
def test_the_core_and_linux_have_the_same_ucc_by_the_same_clock(at):
    """Two that share no code, as printed, by ticks of a millisecond."""
    ours = [goodput(at, "a tick of 1 ms", seed=seed) for seed in (1, 2, 3)]
    assert in_linux(plan.MILLISECOND) == pytest.approx(sum(ours) / 3, rel=0.1)
