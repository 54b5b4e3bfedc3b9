"""What the survey's experiments read off their runs, on tables made up for it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from longfat import InputError, experiment, papers, statistics, store
from longfat.book.chapters import survey, survey_charts
from longfat.cc import catalogue
from longfat.papers.survey import analysis, claims, plan, routers, theory
from longfat.style import style
from longfat.verdicts.judge import judge as judge_claims

pytestmark = pytest.mark.medium

ALGORITHMS = list(plan.NAMES)
SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]


def noise(table: pd.DataFrame) -> pd.Series:
    """A scatter of half a per cent, the same for every case of a seed."""
    return 1 + 0.005 * (table["seed"] - 4.5)


@pytest.fixture(scope="module")
def found():
    """What the chapter's runs would be if every claim on them held."""
    setting = plan.setting()
    numbers = theory.printed()
    flows = statistics.combinations(algorithm=ALGORITHMS, seed=SEEDS)
    for number in ("Mb/s", "loss %"):
        flows[number] = numbers.loc[flows["algorithm"], number].to_numpy() * noise(flows)
    rates = flows.merge(pd.DataFrame({"time_s": [2.0, 4.0, 6.0]}), how="cross")
    swing = 1 + 3 * rates["algorithm"].map(ALGORITHMS.index)
    rates["Mb/s"] += 10 * swing * noise(rates) * (rates["time_s"] == 4)
    assumed = [
        table.assign(parameter=parameter, setting=value)
        for table in (flows, rates)
        for parameter, value in list(plan.VARIED)[:1]
    ]

    sizes = {1_000_000: 50.0, 8_000_000: 100.0, "auto": 99.0}
    buffers = statistics.combinations(path=list(setting.ways), buffer=list(sizes), seed=SEEDS)
    buffers = buffers.assign(recoveries=3, timeouts=0)
    buffers["Mb/s"] = buffers["buffer"].map(sizes).astype(float) * noise(buffers)

    counts = {"1 x 1 MB": (60.0, 1.1), "4 x 1 MB": (90.0, 4.4), "8 x 1 MB": (120.0, 8.8)}
    counts |= {"1 x 8 MB": (80.0, 1.1)}
    parallel = statistics.combinations(path=list(setting.ways), connections=counts, seed=SEEDS)
    for column, name in enumerate(("Mb/s", "slope")):
        parallel[name] = parallel["connections"].map(lambda key, c=column: counts[key][c])
        parallel[name] *= noise(parallel)
    many = parallel["connections"].str.split(" ").str[0].astype(int)
    parallel["slope by (10)"] = 1.16 * many

    started = statistics.combinations(start=list(plan.STARTS), queue=[150, 400], seed=SEEDS)
    lost = {"limited slow start": 50.0}
    started["dropped"] = started["start"].map(lost).fillna(1000.0) * noise(started)
    started["timeouts"] = 1

    transfers = statistics.combinations(
        file=list(plan.FILES), queue=list(range(100, 180, 10)), initial_window=[1, 3, 10]
    )
    short = transfers["file"] == "15 KB"
    seconds = 0.1 * (5 - np.log2(transfers["initial_window"]))
    transfers["transfer_s"] = (70 + seconds).where(~short, seconds)

    gains = {name: 2.0 + number for number, name in enumerate(plan.REMEDIES)}
    gains |= {"4 connections, two such paths": 20.0, "9000-byte packets, loss by bits": 2.0}
    gains |= {"4 connections, two paths of 10 Mb/s": 20.0}
    tried = plan.REMEDIES | plan.VARIED_REMEDIES
    remedied = statistics.combinations(remedy=list(tried), seed=SEEDS)
    remedied["Mb/s"] = remedied["remedy"].map(gains).fillna(1.0) * noise(remedied)
    remedied["dropped"] = 0

    kept = {"standard TCP": 75.0, "HSTCP": 20.0, "Scalable TCP": 5.0}
    queues = [plan.FITTED_QUEUE, *plan.QUEUES]
    settled = statistics.combinations(pair=list(kept), queue=queues, seed=SEEDS)
    more = settled["queue"].map(dict(zip(queues, (1.0, 1.0, 3.0, 1.0), strict=True)))
    settled["first"] = settled["pair"].map(kept) * more * noise(settled)
    settled["pair"] = "standard TCP and " + settled["pair"]

    ways = {f"{length:g}": 1 + length for length in plan.LENGTHS} | dict.fromkeys(plan.MANAGED, 8)
    managed = statistics.combinations(second=ALGORITHMS, queue=list(ways), seed=SEEDS)
    managed["first_mbps"] = managed["queue"].map(ways) * noise(managed)
    managed["variation"] = 0.1 * managed["first_mbps"]
    combined = statistics.combinations(
        sender=list(plan.COMBINED), start=[plan.PLAIN, plan.LIMITED_START, plan.QUICK], seed=SEEDS
    )
    combined["dropped"] = 1000.0 - 900.0 * (combined["start"] == plan.LIMITED_START)
    combined["transfer_s"] = 4.0 - (combined["start"] == plan.QUICK)
    return {
        "five": flows,
        "rates": rates,
        "varied": assumed[0],
        "varied_rates": assumed[1],
        "buffers": buffers,
        "parallel": parallel,
        "starts": started,
        "transfers": transfers,
        "remedies": remedied,
        "shares": settled,
        "queues": managed,
        "combined": combined,
        "assistance": routers.shares(plan.runs(setting)),
        "crowds": routers.crowds(plan.runs(setting)),
        "queries": routers.queries(plan.runs(setting)),
    }


def judge(found, **changed) -> pd.DataFrame:
    evidence = claims.evidence(plan.setting(), **found | changed)
    return judge_claims(papers.claims("survey"), evidence).set_index("id")


def test_a_setting_has_what_its_profile_says_but_what_is_given():
    quick = plan.setting("quick", repetitions=5)
    assert (quick.duration_s, quick.repeated(), quick.repeated(2)) == (20.0, 5, 2)
    assert plan.setting().duration_s == papers.value("survey", "duration")
    assert plan.setting().long_s == papers.value("survey", "duration_figure_3")
    with pytest.raises(InputError, match=r"profile is 'quik'.*quick"):
        plan.setting("quik")
    with pytest.raises(InputError, match=r"no parameter 'rtt'.*mean 'rtt_s'"):
        plan.setting(rtt=0.1)


def test_marks_are_tried_more_often_than_the_other_queues():
    def often(setting: plan.Setting) -> pd.Series:
        design = plan.fairness(setting).design
        assert not design.duplicated().any()
        return design.groupby(["first", "second", "queue"])["seed"].agg("nunique")

    counts = often(plan.setting())
    marked = counts["standard", "highspeed"]
    assert marked.pop("1300 packets") == marked.pop("1300 packets, marks from 150 on") == 110
    assert set(marked) == {5}
    others = counts.drop(index="highspeed", level="second")
    assert set(others) == {2, 5}
    assert often(plan.setting(repetitions=4)).max() == often(plan.setting("quick")).max() == 2


def test_the_paths_hold_what_their_names_say():
    setting = plan.setting(measured_mbps=116, rtt_s=0.2)
    assert list(setting.ways) == ["fitted", "116 Mb/s"]
    assert setting.ways["116 Mb/s"]["payload_bps"] == 116e6
    assert setting.measured["queue_packets"] == round(116e6 * 0.2 / 8 / 1448)


def test_ns3_adds_twice_what_scalable_tcp_does_on_large_windows():
    table = theory.increases((50, 5000)).set_index("window")
    assert (table["ns-3's Scalable"] == 2 * table["Scalable TCP"]).all()
    assert table.at[5000, "ns-3's NewReno"] == 5000 / 1448


def test_one_loss_costs_each_window_what_its_rule_says():
    kept = theory.kept_windows()
    windows = {name: one["window"].to_numpy() for name, one in kept.groupby("algorithm")}
    assert windows["standard"][:3] == pytest.approx([1400, 700, 701])
    assert windows["standard"][701] == 1400
    assert windows["scalable"][:3] == pytest.approx([1400, 1225, 1237.25])
    assert windows["highspeed"].min() > 900


def test_requirements_of_a_path():
    table = theory.requirements(rate_bps=10e9, rtt_s=0.1, packet_bytes=1500)
    standard = table.set_index("algorithm").loc["standard"]
    assert standard["recovery_s"] == pytest.approx(83_333 / 2 * 0.1)


def test_atm_and_the_bus_leave_less_than_the_path_is_called():
    limits = theory.hardware()["Mb/s"].to_list()
    assert limits == sorted(limits, reverse=True) or limits[1] < limits[2]
    assert limits[1] == pytest.approx(600 * 1448 / (32 * 53))  # 32 cells a packet
    assert limits[2] == pytest.approx(515, abs=1)


def test_no_remedy_is_held_back_by_a_socket_buffer():
    pipe = plan.setting().measured
    both = 2 * pipe["payload_bps"] * pipe["rtt_s"] / 8  # the path and its queue
    assert plan.UNBOUND["send_buffer_bytes"] > both
    assert plan.UNBOUND["receive_buffer_bytes"] > both


def test_the_nearest_combination_comes_first(monkeypatch):
    region = pd.DataFrame({"mbps": [120, 150, 314], "factor": [3.0, 1.2, 9.0]})
    region = region.assign(loss=3e-6, ordered=True)
    monkeypatch.setattr(analysis, "region", lambda runs: region)
    table = survey.nearest_combinations(plan.runs(plan.setting()))
    assert list(table["Mb/s"]) == [150, 120, 314]
    assert set(table["ordered"]) == {"yes"}


def test_six_numbers_beside_the_printed(found):
    table = analysis.against_printed(found["five"]).set_index("id")
    assert table["part"].to_numpy() == pytest.approx(1)
    one = table.loc["survey-mean-highspeed"]
    assert (one["algorithm"], one["printed"]) == ("HSTCP", 105)
    # The mean of three further runs scatters more than ours of eight.
    assert one["high"] - one["measured"] == pytest.approx(one["±"] * np.sqrt(1 + 8 / 3))


def test_means_keep_the_order_of_the_runs():
    runs = pd.DataFrame({"pair": list("bbaa"), "seed": [1, 2] * 2, "first": [1.0, 3.0, 5.0, 5.0]})
    table = analysis.seed_means(runs, ["pair"], ["first"])
    assert list(table["pair"]) == ["b", "a"]
    assert list(table["first"]) == [2, 5]
    assert table["± first"].to_numpy() == pytest.approx([12.706, 0], rel=1e-3)


def test_what_has_settled_leaves_out_the_first_third(monkeypatch):
    fair = pd.DataFrame({"pair": "x", "queue": "q", "seed": 1, "time_s": [10.0, 20.0, 30.0]})
    fair = fair.assign(first=[100.0, 1.0, 3.0], second=0.0, jain=0.5)
    monkeypatch.setattr(analysis, "fairness", lambda runs: fair)
    assert analysis.settled_shares(plan.runs(plan.setting()))["first"].tolist() == [2]


def test_variation_is_measured_in_three_ways():
    rates = pd.DataFrame(
        {
            "algorithm": "standard",
            "seed": 1,
            "time_s": [2.0, 4.0, 6.0, 8.0],
            "Mb/s": [10.0, 20.0, 10.0, 20.0],
        }
    )
    row = analysis.variation(rates).iloc[0]
    assert row["mean change from one 2 s to the next"] == 10
    assert row["standard deviation"] == pytest.approx(5.77, abs=0.01)
    assert row["standard deviation / mean"] == pytest.approx(0.385, abs=0.001)


def test_every_claim_is_judged_and_holds_where_the_runs_say_so(found):
    judged = judge(found)
    others = judged[judged["verdict"] != "reproduced"]["verdict"].to_dict()
    fitted = {
        f"survey-{kind}-{name.split('-')[0]}" for kind in ("mean", "loss") for name in ALGORITHMS
    }
    assert {claim for claim, verdict in others.items() if verdict == "fitted"} == {
        *fitted,
        "survey-direct-rate",
        "survey-order-mean",
        "survey-order-loss",
    }
    rest = {claim: verdict for claim, verdict in others.items() if verdict != "fitted"}
    assert rest == {
        "survey-lsr-product": "not reproduced",
        "survey-router-alone-cadpc-throughput": "depends on connections",
    }


def test_what_does_not_hold_is_not_reproduced(found):
    upside = dict(zip(ALGORITHMS, ALGORITHMS[::-1], strict=True))

    worse = {
        name: found[name].assign(algorithm=found[name]["algorithm"].map(upside))
        for name in ("five", "rates", "varied", "varied_rates")
    }
    worse |= {
        "buffers": found["buffers"].assign(timeouts=1),
        "parallel": found["parallel"].assign(slope=1.1),
        "starts": found["starts"].assign(timeouts=0, dropped=10.0),
    }
    judged = judge(found, **worse)
    refuted = judged.index[judged["verdict"] == "not reproduced"]
    assert set(refuted) == {
        "survey-lsr-product",
        "survey-order-variation",
        "survey-avoidance",
        "survey-parallel-slope",
        "survey-slow-start-overload",
        "survey-limited-slow-start",
        "survey-slow-start-timeout",
    }


def test_a_claim_that_holds_on_one_path_depends_on_the_other(found):
    parallel = found["parallel"].copy()
    parallel.loc[
        (parallel["path"] == "fitted") & (parallel["connections"] == "8 x 1 MB"), "Mb/s"
    ] = 1.0
    judged = judge(found, parallel=parallel)
    assert judged.at["survey-parallel-better", "verdict"] == "depends on bottleneck"


def test_every_parameter_of_the_evidence_is_one_that_the_chapter_lists(found):
    evidence = claims.evidence(plan.setting(), **found)
    names = {name for name in evidence["parameter"] if name}
    assert names <= set(papers.parameters("survey")["name"])
    assert {name for name, _ in plan.VARIED} <= set(papers.parameters("survey")["name"])


def test_the_picture_of_claims_has_every_claim(found):
    judged = judge(found).reset_index()
    parts = survey_charts.claim_parts(judged)
    assert len(parts) == len(papers.claims("survey"))
    assert set(parts["look"]) <= set(survey_charts.VERDICT_LOOKS)
    tested = judged.query("kind == 'measured'")
    reproduced = (tested["verdict"] == "reproduced").sum()
    assert len(tested) < len(judged)
    [axes] = survey_charts.claims(parts, None).axes
    title = axes.get_title(loc="left") or axes.get_title()
    assert title == f"{reproduced} of the {len(tested)} claims that runs test are reproduced"


def test_no_claim_is_erratum_and_reproduced(found):
    judged = judge(found, starts=found["starts"].assign(timeouts=0))
    wrong = papers.errata("survey")["claim"].dropna()
    named = {claim for claims in wrong for claim in claims.split()}
    assert named
    assert not (judged.loc[list(named), "verdict"] == "reproduced").any()


def test_a_stack_that_is_neither_here_nor_archived_is_left_out(monkeypatch):
    archived = store.archived_rows
    monkeypatch.setattr(experiment, "can_run", lambda scenarios, engine, *_: engine != "linux")
    monkeypatch.setattr(
        store,
        "archived_rows",
        lambda one, engine, *more: None if engine == "linux" else archived(one, engine, *more),
    )
    runs = plan.runs(plan.setting())  # from the archive
    stacks, windows = analysis.stacks(runs), analysis.stack_windows(runs)
    assert set(stacks["stack"]) == set(windows["stack"]) == {"segment engine", "ns-3"}
    assert len(analysis.stack_means(stacks)) == 6


def test_every_remedy_runs_and_names_its_sender():
    tried = plan.REMEDIES | plan.VARIED_REMEDIES
    table = analysis.remedies(plan.runs(plan.setting()))
    assert set(table["remedy"]) == set(tried)
    assert all(catalogue.find(name).header for name in table["sender"])
    named = dict(zip(table["remedy"], table["sender"], strict=True))
    assert named["HSTCP"] == "highspeed"
    assert named["limited slow start"] == "standard"
    assert (table["Mb/s"] > 0).all()


def test_both_numbers_of_an_algorithm_have_its_colour_as_on_all_pages(found):
    table = analysis.against_printed(found["five"]).assign(engine="segment engine", seconds=600)
    figure = survey_charts.against_printed(table, plan.runs(plan.setting()))
    assert len(set(table["algorithm"])) == 3
    measured = [one for one in figure.axes[0].lines if len(one.get_xdata()) == 1]
    for number, (row, line) in enumerate(zip(table.itertuples(), measured, strict=False)):
        assert (line.get_xdata(), line.get_ydata()) == pytest.approx((row.part, number))
        [name] = [key for key, label in plan.NAMES.items() if label == row.algorithm]
        assert line.get_color() == style(name)["color"]
    plt.close(figure)
