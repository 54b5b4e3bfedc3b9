"""What the survey's experiments read off their runs, on tables made up for it."""

import numpy as np
import pandas as pd
import pytest

from longfat import InputError, statistics
from longfat.papers.survey import experiments
from longfat.papers.survey.experiments import Setting

ALGORITHMS = list(experiments.NAMES)


@pytest.fixture(scope="module")
def found():
    """What the chapter's runs would be if every claim on them held."""
    numbers = experiments.printed()
    flows = statistics.combinations(algorithm=ALGORITHMS, seed=[1, 2, 3])
    for number, spread in (("Mb/s", 0.1), ("loss %", 1e-5)):
        flows[number] = numbers.loc[flows["algorithm"], number].to_numpy()
        flows[number] += spread * (flows["seed"] - 2)
    rates = flows.merge(pd.DataFrame({"time_s": [2.0, 4.0, 6.0]}), how="cross")
    swing = rates["algorithm"].map(ALGORITHMS.index) + 0.01 * rates["seed"]
    rates["Mb/s"] += swing * (rates["time_s"] == 4)
    buffers = statistics.combinations(path=["slow", "fast"], buffer=[1_000_000, 8_000_000, "auto"])
    buffers = buffers.assign(receive=16_000_000, recoveries=3, timeouts=0)
    buffers["Mb/s"] = buffers["buffer"].map({1_000_000: 50.0, 8_000_000: 100.0, "auto": 99.0})
    grown = buffers[buffers["buffer"] == "auto"].assign(receive="auto", **{"Mb/s": 1.0})
    parallel = statistics.combinations(
        path=["slow", "fast"], connections=["1 x 1 MB", "8 x 1 MB", "1 x 8 MB"]
    )
    parallel["Mb/s"] = [60.0, 120.0, 80.0] * 2
    parallel["slope"] = [1.1, 8.8, 1.1] * 2
    remedies = pd.DataFrame(
        {
            "remedy": [
                "standard TCP",
                "limited slow start",
                "four connections",
                "four, striped over two paths",
                "one connection, loss 1e-5",
                "one connection, split",
            ],
            "Mb/s": [300.0, 280.0, 50.0, 100.0, 150.0, 300.0],
            "lost packets": [100, 50, 0, 0, 0, 0],
        }
    )
    pairs = {"standard TCP": 150.0, "HSTCP": 20.0, "Scalable TCP": 5.0}
    settled = pd.DataFrame(
        {"pair": f"standard TCP and {name}", "seed": seed, "first": rate + 0.1 * seed * i}
        for i, (name, rate) in enumerate(pairs.items())
        for seed in (1, 2, 3)
    )
    return {
        "region": pd.DataFrame({"ordered": [True, True, True, False]}),
        "figure_5": experiments.Figure5(flows, rates),
        "buffers": pd.concat([buffers, grown]),
        "parallel": parallel,
        "remedies": remedies,
        "settled": settled,
    }


def judge(found, **changed) -> pd.DataFrame:
    return experiments.verdicts(Setting(), **found | changed).set_index("id")


def test_a_setting_has_what_its_profile_says_but_what_is_given():
    quick = Setting("quick", repetitions=5)
    assert (quick.duration_s, quick.seeds, quick.long_engine) == (20.0, [1, 2, 3, 4, 5], "segment")
    assert Setting().duration_s == 300.0
    with pytest.raises(InputError, match=r"profile is 'quik'.*quick"):
        Setting("quik")


def test_the_paths_hold_what_their_names_say():
    setting = Setting(measured_mbps=116, rtt_s=0.2)
    assert list(setting.ways) == ["fitted", "116 Mb/s, no loss"]
    assert setting.full["queue_packets"] == round(116e6 * 0.2 / 8 / 1448)
    assert setting.shared["queue_packets"] == setting.full["queue_packets"] // 4


def test_ns3_adds_twice_what_scalable_tcp_does_on_large_windows():
    table = experiments.increases((50, 5000)).set_index("window")
    assert (table["ns-3's Scalable"] == 2 * table["Scalable TCP"]).all()
    assert table.at[5000, "ns-3's NewReno"] == 5000 / 1448


def test_requirements_of_a_path():
    table = experiments.requirements(rate_bps=10e9, rtt_s=0.1, packet_bytes=1500)
    standard = table.set_index("algorithm").loc["standard"]
    assert standard["recovery_s"] == pytest.approx(83_333 / 2 * 0.1)


def test_the_best_come_once():
    region = statistics.combinations(segments_per_ack=[1, 2], mbps=[150, 314], queue=range(10))
    region["factor"] = np.arange(len(region)) + 1.0
    best = experiments.best(region, 314)
    assert list(best["factor"]) == [1, 2, 3, 4, 5, 11, 12, 13, 21, 22, 23]
    region["factor"] = region["factor"].iloc[::-1].to_numpy()
    assert len(experiments.best(region, 314)) == 5  # all have delayed ACKs and 314 Mb/s
    ranked = experiments.best_by_acks(region)
    assert list(ranked["segments_per_ack"]) == [1] * 6 + [2] * 6
    assert list(ranked["factor"]) == [21, 22, 23, 24, 25, 26, 1, 2, 3, 4, 5, 6]


def test_six_numbers_beside_the_printed(found):
    table = experiments.against_printed(found["figure_5"].flows).set_index("id")
    assert table["part"].to_numpy() == pytest.approx(1)
    one = table.loc["survey-mean-highspeed"]
    assert (one["algorithm"], one["printed"]) == ("HSTCP", 105)
    assert one["±"] == pytest.approx(4.303 * 0.1 / np.sqrt(3), rel=1e-3)


def test_means_keep_the_order_of_the_runs():
    runs = pd.DataFrame({"pair": list("bbaa"), "seed": [1, 2] * 2, "first": [1.0, 3.0, 5.0, 5.0]})
    table = experiments.means(runs, "pair", ["first"])
    assert list(table["pair"]) == ["b", "a"]
    assert list(table["first"]) == [2, 5]
    assert table["± first"].to_numpy() == pytest.approx([12.706, 0], rel=1e-3)


def test_what_has_settled_leaves_out_the_first_third():
    fair = pd.DataFrame({"pair": "x", "seed": 1, "time_s": [10.0, 20.0, 30.0]})
    fair = fair.assign(first=[100.0, 1.0, 3.0], second=0.0, jain=0.5)
    assert experiments.settled(fair)["first"].tolist() == [2]


def test_every_claim_gets_its_verdict(found):
    judged = judge(found)
    assert judged["verdict"].notna().all()
    fitted = judged.filter(regex="survey-(mean|loss|direct)-", axis=0)
    assert set(fitted["verdict"]) == {"undecidable"}  # chosen to fit
    others = judged.drop(fitted.index)
    assert list(others.index[others["verdict"] != "reproduced"]) == ["survey-lsr-product"]
    assert "both orders hold at 75% of the 4" in judged.at["survey-order-loss", "reason"]
    assert judged.at["survey-buffer-1mb", "reason"].endswith("lowest and highest of 2 paths")


def test_what_does_not_hold_is_not_reproduced(found):
    flows, rates = found["figure_5"]
    upside = {old: new for old, new in zip(ALGORITHMS, ALGORITHMS[::-1], strict=True)}
    swapped = [table.assign(algorithm=table["algorithm"].map(upside)) for table in (flows, rates)]
    settled = found["settled"].assign(first=-found["settled"]["first"])
    parallel = found["parallel"].assign(**{"Mb/s": [60.0, 80.0, 120.0] * 2, "slope": 1.0})
    remedies = found["remedies"].assign(**{"lost packets": 1, "Mb/s": 1.0})
    buffers = found["buffers"].assign(**{"Mb/s": 1.0, "timeouts": 1})
    buffers.loc[buffers["buffer"] == "auto", "Mb/s"] = 0.9
    judged = judge(
        found,
        figure_5=experiments.Figure5(*swapped),
        settled=settled,
        parallel=parallel,
        remedies=remedies,
        buffers=buffers,
    )
    held = {"arithmetic", "none"}
    simulated = judged[~judged["engine"].isin(held)]
    middle = simulated.filter(like="-highspeed", axis=0).filter(regex="mean|loss", axis=0)
    assert set(simulated.drop(middle.index)["verdict"]) == {"not reproduced"}


def test_a_claim_that_holds_on_one_path_is_undecidable(found):
    buffers = found["buffers"].copy()
    buffers.loc[buffers["path"] == "slow", "Mb/s"] = 1.0
    judged = judge(found, buffers=buffers)
    assert judged.at["survey-buffer-1mb", "verdict"] == "undecidable"


def test_nothing_to_compare_is_undecidable(found):
    nothing_lost = found["remedies"].assign(**{"lost packets": 0})
    judged = judge(found, remedies=nothing_lost)
    assert judged.at["survey-limited-slow-start", "verdict"] == "undecidable"
    assert judged.at["survey-split", "verdict"] == "reproduced"


def test_single_runs_have_no_interval(found):
    flows, rates = (table[table["seed"] == 1] for table in found["figure_5"])
    judged = judge(found, figure_5=experiments.Figure5(flows, rates))
    assert judged.at["survey-mean-standard", "reason"] == "a single run has no interval"


def test_a_stack_that_is_not_here_is_left_out(monkeypatch):
    monkeypatch.setattr(experiments, "can_run", lambda scenarios, engine: engine != "linux")
    stacks = experiments.stacks(Setting())  # from the archive
    expected = set(experiments.STACKS.values()) - {"Linux"}
    assert set(stacks.flows["stack"]) == set(stacks.windows["stack"]) == expected
    table = experiments.stack_means(stacks.flows)
    assert len(table) == 6
    scalable = table[table["control"] == "scalable"].set_index("stack")
    assert scalable.at["ns-3's class", "recoveries"] == 66
