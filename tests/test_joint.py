"""Settings that differ in all that a paper does not state, and what they make of a claim."""

import functools
import importlib
import itertools
import re

import numpy as np
import pandas as pd
import pytest

from longfat import engines, papers, paths, store
from longfat.book import joint as shown
from longfat.engines import segment
from longfat.engines.linux import planning as on_linux
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.network import reference
from longfat.papers import joint as sample
from longfat.papers.hybla.network import satellite
from longfat.papers.survey import joint_others as survey_others
from longfat.papers.survey.analysis import VARIATIONS
from longfat.papers.tcpj import joint_changes, joint_families, joint_settings
from longfat.papers.tcpj.plan import held_segments
from longfat.papers.ucc import joint_others
from longfat.papers.ucc import joint_settings as ucc_settings
from longfat.verdicts import joint, rules, wording
from longfat.verdicts.judge import judge


def made_up(count: int = 48, seed: int = 1) -> pd.DataFrame:
    """Settings of six parameters: four with two choices, one with three, and a range."""
    draw = np.random.default_rng(seed)
    table = pd.DataFrame({name: draw.choice(["yes", "no"], count) for name in "abcd"})
    return table.assign(e=draw.choice(["x", "y", "z"], count), rate=draw.uniform(1, 100, count))


@pytest.mark.parametrize(
    ("holds", "fails", "still_open", "verdict"),
    [
        (48, 0, 0, "reproduced"),
        (46, 2, 0, "reproduced"),  # 95.8 %
        (45, 3, 0, "depends"),  # 93.75 %
        (24, 24, 0, "depends"),
        (3, 45, 0, "depends"),
        (2, 46, 0, "not reproduced"),
        (0, 48, 0, "not reproduced"),
        (40, 0, 8, "undecidable"),  # either reproduced or depends
        (0, 40, 8, "undecidable"),
        (20, 20, 8, "depends"),  # whatever becomes of what is open
        (0, 0, 48, "undecidable"),
    ],
)
def test_a_share_of_the_settings_is_a_verdict(holds, fails, still_open, verdict):
    found = joint.share(["holds"] * holds + ["fails"] * fails + ["open"] * still_open)
    assert (found.verdict, found.settings, found.open) == (verdict, 48, still_open)
    assert found.low <= holds / 48 and found.high >= (holds + still_open) / 48


@pytest.mark.parametrize(
    ("holds", "fails", "ties", "verdict"),
    [
        (0, 0, 48, "tie"),
        (0, 10, 38, "tie"),  # it never holds, and mostly for being a tie
        (2, 3, 43, "tie"),
        (0, 38, 10, "not reproduced"),
        (46, 0, 2, "reproduced"),
        (10, 0, 38, "depends"),
    ],
)
def test_a_tie_does_not_hold(holds, fails, ties, verdict):
    found = joint.share(["holds"] * holds + ["fails"] * fails + ["tie"] * ties)
    assert (found.verdict, found.open, found.share) == (verdict, 0, holds / 48)


def test_what_is_open_cannot_hold_where_a_point_of_it_is_a_tie():
    """Two that hold and 43 ties: two more that held would make it depend, but cannot."""
    says = ["holds"] * 2 + ["fails"] + ["tie"] * 43
    assert joint.share([*says, "open", "open"]).verdict == "undecidable"
    found = joint.share([*says, "tie or fails", "tie or fails"])
    assert (found.verdict, found.open) == ("tie", 2)
    assert found.high == joint.share([*says, "fails", "fails"]).high
    assert joint.share(["tie or fails"] * 48).verdict == "undecidable"  # a tie or not reproduced

    claim = CLAIM | {"rule": "direction", "threshold": 1.0, "unit": "times", "printed": np.nan}
    tied, open_one = (1.0, 0.99, 1.01), (1.1, 0.9, 1.3)
    rows = [
        {"claim": "one", "setting": n, "measured": m, "low": low, "high": high, "runs": 5}
        for n in range(48)
        for m, low, high in ((tied, open_one) if n < 40 else (tied,))
    ]
    found = joint.judge(
        pd.DataFrame([claim]), pd.DataFrame(rows), made_up().assign(setting=range(48))
    ).iloc[0]
    assert (found["joint_verdict"], found["open"], found["share_high"]) == (
        "undecidable",
        40,
        joint.share(["fails"] * 48).high,
    )


def test_the_interval_of_a_share_is_the_exact_one():
    found = joint.share(["holds"] * 5 + ["fails"] * 5)
    assert (round(found.low, 4), round(found.high, 4)) == (0.1871, 0.8129)  # Clopper and Pearson
    assert joint.share(["holds"] * 10).low == pytest.approx(0.025**0.1)


@pytest.mark.parametrize(
    ("names", "holds"),
    [
        ("a", lambda t: t["a"] == "yes"),
        ("e", lambda t: t["e"] != "y"),
        ("rate", lambda t: t["rate"] > t["rate"].median()),
        ("b c", lambda t: (t["b"] == "yes") & (t["c"] == "no")),
        ("a rate", lambda t: (t["a"] == "yes") | (t["rate"] > t["rate"].quantile(0.75))),
    ],
)
def test_the_smallest_set_that_turns_a_claim_is_found(names, holds):
    table = made_up()
    found = joint.turning_set(table, holds(table).tolist())
    assert set(found.parameters) == set(names.split())
    assert found.told == 1


def test_one_setting_against_the_rule_leaves_the_set_as_it_is():
    table = made_up()
    says = (table["a"] == "yes").tolist()
    says[7] = not says[7]
    found = joint.turning_set(table, says)
    assert found.parameters == ("a",)
    assert found.told == pytest.approx(47 / 48)


def test_nothing_turns_what_never_turns():
    assert joint.turning_set(made_up(), [True] * 48) == ((), 1.0)


@pytest.mark.medium
@pytest.mark.parametrize("share", [0.08, 0.3, 0.7])
def test_chance_is_seldom_taken_for_a_reason(share):
    """Also where few settings hold, so that some three of many parameters tell just these."""
    found = 0
    for seed in range(30):
        says = np.random.default_rng(1000 + seed).random(48) < share
        more = made_up(seed=100 + seed).add_suffix("2")
        table = made_up(seed=seed).join(more)
        found += bool(joint.turning_set(table, says.tolist()).parameters)
    assert found <= 2


def test_the_parameter_that_makes_the_number_matters_most():
    table = made_up(200)
    noise = np.random.default_rng(2).normal(size=200)
    index = joint.importance(table, (5 * (table["b"] == "yes") + 0.1 * noise).tolist())
    assert index.index[0] == "b"
    assert index.iloc[0] > 0.7  # ranks within a half still differ
    assert index.iloc[1:].max() < 0.05
    index = joint.importance(table, (table["rate"] ** 3).tolist())
    assert index.index[0] == "rate"
    assert index.iloc[0] > 0.9


def test_what_a_parameter_explains_by_chance_is_not_named():
    """Of twenty parameters one explains a tenth by chance, and none of them matters."""
    random = np.random.default_rng(3)
    table = pd.DataFrame({f"p{n}": random.uniform(size=48) for n in range(20)})
    found = []
    for _ in range(60):
        noise = random.normal(size=48)
        found.append(joint.importance(table, noise).iloc[0] > joint.largest_by_chance(table, noise))
    assert sum(found) <= 8  # three are expected
    told = joint.importance(table, table["p7"] + 0.3 * random.normal(size=48))
    assert told.index[0] == "p7"
    assert told.iloc[0] > joint.largest_by_chance(table, table["p7"])


def test_what_no_run_of_a_claim_has_does_not_turn_it():
    random = np.random.default_rng(6)
    settings = pd.DataFrame({"setting": range(20), "a": ["yes", "no"] * 10})
    settings = settings.assign(**{name: random.uniform(size=20) for name in "bcd"})
    claims = pd.DataFrame(
        [{"id": "one", "kind": "at most", "rule": "at most", "printed": 5, "half_unit": 0.5}]
    )
    rows = pd.DataFrame({"setting": range(20), "claim": "one", "runs": 5})
    rows = rows.assign(measured=[2.0, 9.0] * 10)
    rows = rows.assign(low=rows["measured"] - 0.1, high=rows["measured"] + 0.1)
    [found] = joint.judge(claims, rows, settings, lacks={"one": ("a",)}).to_dict("records")
    assert (found["turned_by"], found["matters"]) == ("", "")


def test_two_parameters_share_what_they_explain():
    table = made_up(400)
    both = 2.0 * (table["a"] == "yes") + 2.0 * (table["b"] == "yes")
    index = joint.importance(table, both.tolist())
    assert set(index.index[:2]) == {"a", "b"}
    assert index[["a", "b"]].sum() == pytest.approx(1, abs=0.15)


def test_a_claim_is_judged_by_its_worst_point_at_each_setting():
    settings = pd.DataFrame({"setting": range(20), "a": ["yes", "no"] * 10})
    claims = pd.DataFrame(
        [{"id": "one", "kind": "at most", "rule": "at most", "printed": 5, "half_unit": 0.5}]
    )
    rows = [
        {"claim": "one", "setting": n, "measured": m, "low": m - 0.1, "high": m + 0.1, "runs": 5}
        for n in range(20)
        for m in (1.0, 9.0 if n % 2 else 2.0)
    ]
    [found] = joint.judge(claims, pd.DataFrame(rows), settings).to_dict("records")
    assert (found["share"], found["settings"], found["turned_by"]) == (0.5, 20, "a")
    assert (found["joint_verdict"], found["matters"]) == ("depends", "a")


# --- the sample


def test_a_sample_spreads_each_parameter_evenly():
    table = sample.settings("hybla")
    assert len(table) == sample.SETTINGS
    assert set(table["recovery"].value_counts()) == {sample.SETTINGS // 2}
    thirds = np.digitize(table["link_rate"], 10 ** np.array([7 + 2 / 3, 8 + 1 / 3]))
    assert list(np.bincount(thirds)) == [sample.SETTINGS // 3] * 3


def test_a_sample_is_the_same_each_time():
    pd.testing.assert_frame_equal(sample.settings("ucc"), sample.settings("ucc"))


def test_only_what_is_a_parameter_can_be_left_out():
    with pytest.raises(InputError, match="'colour' is left out"):
        sample.settings("hybla", ["colour"])


PAPERS = papers.names()


def of(paper: str):
    return importlib.import_module(f"longfat.papers.{paper}.joint")


@pytest.mark.parametrize("paper", PAPERS)
def test_a_sample_has_every_unstated_parameter_or_says_why_not(paper):
    own = {"tcpj": [joint_settings], "ucc": [ucc_settings, joint_others]}
    all_of_them = {one.name for one in sample.parameters(paper)}
    for module in own.get(paper, [of(paper)]):
        assert all_of_them == set(module.settings().columns.drop("setting")) | set(module.LEFT_OUT)
        assert all(module.LEFT_OUT.values())


def test_tcpjs_movements_have_what_is_left_out_elsewhere():
    """Spread evenly too, and independent of what else a setting has."""
    table, others = joint_changes.settings(), joint_settings.settings()
    pd.testing.assert_frame_equal(table[list(others)], others)
    own = table.drop(columns=list(others))
    assert set(own) == set(joint_settings.OF_MOVEMENTS)
    ranks = own.rank(method="first")
    assert (np.log(own["ber_handoff"]).sort_values().diff().dropna() > 0).all()
    for name in others.columns.drop("setting"):
        if others[name].dtype.kind == "f":
            assert ranks.corrwith(others[name].rank()).abs().max() < 0.5, name


@pytest.mark.parametrize("paper", PAPERS)
def test_a_run_has_what_its_setting_says(paper):
    """At two settings that differ in all, each kind of run is another scenario."""
    design = of(paper).experiment().design
    kinds = [name for name in ("run", "N1", "N2", "protocol", "loss") if name in design]
    for _, runs in list(design.groupby(kinds))[:6]:
        first, last = (runs.iloc[n].drop("setting").to_dict() for n in (0, -1))
        if paper == "tcpj":  # of a link that need not be fitted for this
            first, last = (row | {"radio_rate": 4e6, "rtt": 0.04} for row in (first, last))
        one, other = (of(paper).scenario(**row) for row in (first, last))
        assert one.links != other.links
        assert one.flows != other.flows


@pytest.mark.parametrize(
    ("repairs", "sender"),
    [
        (("0", "PRR", "detected"), "ns-2's NewReno"),
        (("1", "halved at once", "left to the timer"), "ns-2's SACK sender"),
        (("1", "halved at once", "detected"), "Linux agent, halved at once"),
        (("1", "PRR", "left to the timer"), "Linux agent, rate halving"),
    ],
)
def test_ns2_has_the_sender_that_comes_nearest(repairs, sender):
    assert of("hybla").sender(*repairs) == sender


def test_ns2_can_run_every_setting():
    """And has where packets are lost, and which sender it is, from the setting."""
    module = of("hybla")
    design = module.experiment_on_ns2().design
    first = design.groupby("setting").first().reset_index()
    scenarios = [module.archived_on_ns2(row) for row in first.to_dict("records")]
    for one in scenarios:
        planning.check(one)
    before = first["loss_location"] != "forward"
    assert [one.ns2.losses == "before the queue" for one in scenarios] == before.tolist()
    own = module.settings_on_ns2()["sender"].str.startswith("ns-2")
    assert [one.ns2.own_hybla for one in scenarios] == own.tolist()
    sack = [one.flows[0].sack for one in scenarios]
    assert sack == (first["sack"] == "1").tolist()


@pytest.mark.medium
def test_ns2_can_run_every_pair_and_chain_of_uccs_settings():
    """With UCC's clock from the setting; of two that are exact one takes doubles as they are."""
    module = of("ucc")
    design = module.experiment_on_ns2().design
    assert "CHD w/o DCC" not in set(design["N1"]) | set(design["N2"])
    assert set(design["run"]) == {"pair", "chain"}
    first = design.groupby(["setting", "run", "N1", "N2"]).first().reset_index()
    for row in first.to_dict("records"):
        scenario = module.archived_on_ns2(row)
        planning.check(scenario)
        for flow in scenario.flows:
            if flow.congestion_control.name == "ucc":
                given = flow.congestion_control.parameters
                tick, _, compared = row["clock"].partition(", ")
                assert given["clock_s"] == float(tick)
                tolerance = {"to a nanosecond": 1e-9, "to the last digit": 0.0}
                assert given.get("tolerance_s") == tolerance.get(compared)
    counts = module.settings_on_ns2()["clock"].value_counts()
    assert counts["0, to the last digit"] == counts["0, to a nanosecond"] == sample.SETTINGS / 6
    assert counts.sum() == sample.SETTINGS


def test_uccs_pairs_on_ns2_are_judged_as_those_on_our_own_engine():
    """Made-up runs: who is beside UCC keeps half of its own at one setting, at another all."""
    module = of("ucc")
    runs = module.experiment_on_ns2().design.query("setting < 2")
    lost = (runs["setting"] == 0) & (runs["N2"] == "UCC")
    runs = runs.assign(first_bps=1e6 * (1 + 0.001 * runs["seed"]))
    runs = runs.assign(second_bps=runs["first_bps"])
    runs.loc[lost, "first_bps"] *= 0.5
    found = module.evidence_on_ns2(runs)
    assert set(found["engine"]) == {"ns2"}
    means = found.groupby(["setting", "claim"])["measured"].mean().unstack()
    for claim in ("ucc-f4-newreno", "ucc-f5-cubic", "ucc-f6-compound"):
        assert means[claim].tolist() == pytest.approx([0.5, 1.0])
    assert "ucc-s6-friendlier" not in means  # ns-2 has no CHD


def test_linux_can_run_every_setting():
    """And has all that the setting says but for how losses are repaired, which it has one way."""
    module = of("hybla")
    design = module.experiment_on_linux().design
    first = design.groupby("setting").first().reset_index()
    assert (design.groupby("seed")["setting"].nunique() == 1).all()  # seeds of its own
    scenarios = [module.archived_on_linux(row) for row in first.to_dict("records")]
    for one in scenarios:
        on_linux.check(one)
    flows = [one.flows[0] for one in scenarios]
    assert {(flow.recovery, flow.lost_retransmissions) for flow in flows} == {("prr", "detected")}
    assert [int(flow.sack) for flow in flows] == first["sack"].astype(int).tolist()
    assert [flow.min_rto_s for flow in flows] == first["min_rto"].astype(float).tolist()
    assert [flow.segments_per_ack for flow in flows] == first["acked_per_ack"].astype(int).tolist()
    before = first["loss_location"] != "forward"
    assert [len(one.links) > 2 for one in scenarios] == before.tolist()
    left_out = set(module.settings()) - set(module.settings_on_linux())
    assert left_out == {"recovery", "lost_retransmission"}


def test_what_stands_beside_ns2_or_linux_is_judged_there():
    claims = papers.claims("hybla")
    claims = claims[claims["method"].notna()]
    table = joint.deciding(joint.written(), claims).merge(claims, on="id", suffixes=("", "_stated"))
    assert set(table["id"]) == set(claims["id"])
    assert table["engine"].tolist() == table["engine_stated"].tolist()


def experiments() -> dict[str, sample.JointRuns]:
    """All that are run at joint settings, by the names of their archives."""
    made = [of(paper).experiment() for paper in PAPERS]
    made += [of("tcpj").fits(), *(of(paper).experiment_on_ns2() for paper in ("hybla", "ucc"))]
    made.append(of("hybla").experiment_on_linux())
    made += [joint_changes.experiment(), joint_changes.experiment_on_ns2()]
    made += [joint_others.experiment(), joint_families.experiment()]
    return {one.name: one for one in made}


@pytest.mark.slow
@pytest.mark.medium
@pytest.mark.parametrize("name", sorted(experiments()))
def test_an_archived_run_gives_its_digits_again(name):
    from longfat import audit, engines

    if not engines.is_here(experiments()[name].engine):
        pytest.skip("this machine lacks the engine")
    table = audit.audit(3, seed=1, experiment=name, report=lambda _: None)
    assert len(table) == 3
    assert table["equal"].all()


@pytest.mark.medium
@pytest.mark.parametrize("name", sorted(experiments()))
def test_an_archive_has_the_settings_that_are_sampled(name):
    points, design = store.read_table(name, "points"), experiments()[name].design
    pd.testing.assert_frame_equal(
        points[list(design)], design.reset_index(drop=True), check_dtype=False
    )
    assert (paths.RESULTS / name / "points.parquet").stat().st_size < 1e6


def test_the_surveys_claims_are_made_of_its_runs():
    """Made-up runs at two settings: at the second nothing is lost, and nobody is in the way."""
    module = of("survey")
    runs = module.experiment().design.query("setting < 2").assign(timeouts=0.0, dropped=0.0)
    first, seed = runs["setting"] == 0, runs["seed"]
    rates = {"HSTCP": 2.0, "Scalable TCP": 3.0, "9000-byte packets": 4.0}
    rates |= {"1 MB buffer": 0.5, "8 connections of 1 MB": 5.0}
    runs["goodput_bps"] = 1e7 * runs["run"].map(rates).fillna(1.0)
    runs["transfer_s"] = runs["run"].map({"1 stream": 8.0, "4 streams": 4.0, "8 streams": 2.0})
    for file, saved in {"short file": 0.5, "long file": 1.0}.items():
        for window, time_s in ((1, 10.0), (3, 10.0 * saved)):
            runs.loc[runs["run"] == f"{file}, first window of {window}", "transfer_s"] = time_s
    kept = {"standard": 10.0, "highspeed": 5.0, "scalable": 1.0}
    runs["first_bps"] = (
        runs["run"].map(kept).where(first, runs["run"].map(dict.fromkeys(kept, 1.0)))
    )
    starts = runs["run"] == "slow start"
    runs.loc[first & starts, ["timeouts", "dropped"]] = 1.0, 1000.0
    runs.loc[first & (runs["run"] == "limited slow start"), "dropped"] = 100.0
    runs["dropped"] += 0.001 * seed * (runs["dropped"] > 0)
    found = module.evidence(runs)
    means = found.groupby(["setting", "claim"])["measured"].min().unstack()
    assert means["survey-several"].tolist() == pytest.approx([2, 2])
    assert means["survey-gridftp"].tolist() == pytest.approx([4, 4])
    assert means["survey-mss"].tolist() == pytest.approx([4, 4])
    assert means["survey-buffer-1mb"].tolist() == pytest.approx([2, 2])
    assert means["survey-parallel-better"].tolist() == pytest.approx([5, 5])
    assert means["survey-larger-window"].tolist() == pytest.approx([2, 2])  # the lesser of the two
    assert means["survey-window-short"].tolist() == pytest.approx([2, 2])
    assert means["survey-window-long"].tolist() == pytest.approx([1, 1])
    assert means["survey-unfair-highspeed"].tolist() == pytest.approx([2, 1])
    assert means["survey-unfair-scalable"].tolist() == pytest.approx([5, 1])
    assert means["survey-slow-start-timeout"].tolist() == [1, 0]
    assert means["survey-slow-start-overload"].tolist() == pytest.approx([1000, 0], abs=0.1)
    saved = means["survey-limited-slow-start"]
    assert saved[0] == pytest.approx(90, abs=0.1) and np.isnan(saved[1])  # nothing to save


def test_the_surveys_other_claims_are_made_of_their_runs():
    """Made-up runs: goodputs by the queue's length and management, and by the kind."""
    design = survey_others.experiment().design.query("setting < 2")
    runs = design.assign(stays=1.0, jain=0.9, uneven=0.1, total_mbps=100.0)
    noise = 1 + 0.001 * design["seed"]
    kinds = design["run"].str.removeprefix(survey_others.ALIKE)
    by_kind = {"total_mbps": {"XCP": 120.0, "CADPC": 80.0}, "jain": {"XCP": 0.99, "CADPC": 0.99}}
    by_kind |= {"uneven": {"XCP": 0.05, "CADPC": 0.001}}
    for column, values in by_kind.items():
        runs[column] = kinds.map(values).fillna(runs[column]) * noise
    lengths = pd.to_numeric(design["queue"], errors="coerce")
    kept = design["queue"].map({"RED": 4.0, "CoDel": 1.0}).fillna(2.0)
    runs["first_mbps"] = kept.where(lengths.isna(), 1.0 + lengths) * noise
    seconds = design["run"].str.removeprefix(survey_others.BESIDE)
    runs["standard deviation / mean"] = noise * lengths.where(seconds == "scalable", 1.0)
    varies = {"standard": 3.0, "highspeed": 2.0, "scalable": 5.0}
    by_name = design["run"].str.removeprefix(survey_others.OVER_TIME).map(varies)
    alone = design["run"].str.startswith(survey_others.OVER_TIME)
    for measure in VARIATIONS:
        runs[measure] = runs.get(measure, 1.0)
        runs.loc[alone, measure] = by_name[alone] * noise[alone]
    first = design["setting"] == 0
    runs.loc[~first & design["run"].str.startswith(survey_others.LONG), "stays"] = 0.0
    found = survey_others.evidence(runs)
    least = found.groupby(["setting", "claim"])["measured"].min().unstack()
    for word, ratio in (("throughput", 1.2), ("stability", 2.0), ("fairness", 1.1)):
        assert least[f"survey-router-alone-xcp-{word}"].tolist() == pytest.approx([ratio] * 2)
    assert least["survey-router-alone-cadpc-throughput"].tolist() == pytest.approx([0.8] * 2)
    assert least["survey-router-alone-cadpc-stability"].tolist() == pytest.approx([100] * 2)
    for name in survey_others.SECONDS:
        assert least[f"survey-buffers-fairness-{name}"].tolist() == pytest.approx([5 / 1.1] * 2)
    assert least["survey-buffers-stability-highspeed"].tolist() == pytest.approx([1, 1])
    assert least["survey-buffers-stability-scalable"].tolist() == pytest.approx([40, 40])
    marked = found[found["claim"] == "survey-marking-matters"].groupby("at")["measured"].first()
    assert marked.to_dict() == pytest.approx(
        {"beside HSTCP, RED": 2, "beside Scalable TCP, RED": 2}
    )
    assert least["survey-avoidance"].tolist() == [1, 0]
    assert (least["survey-order-variation"] < 0).all()  # from standard TCP to HSTCP it falls


def test_uccs_other_claims_are_made_of_their_runs():
    """Made-up runs: the claims' senders carry so many times what they are held against."""
    design = joint_others.experiment().design.query("setting < 2")
    carried = {"HD": 0.9, joint_others.ONE_REGION: 0.5, "CHD": 0.8, "UCC": 1.5}
    rate = 1e6 * design["N1"].map(carried).fillna(1.0) * (1 + 0.001 * design["seed"])
    beside_ucc = design["run"].str.startswith(joint_others.BUFFER) & (design["N2"] == "UCC")
    forgets = design["run"] == f"{joint_others.ROUTE}10 s"
    lossy = (design["run"] == joint_others.ALONE) & (design["loss"] > 0)
    rate = rate.where(~beside_ucc, 3 * rate).where(~forgets, 2 * rate).where(~lossy, 0.7 * rate)
    runs = design.assign(first_bps=rate, total_bps=2 * rate, dropped=0.0, queue_s=0.006)
    found = joint_others.evidence(runs.assign(error=design["loss"]))
    first = found[found["setting"] == 0].set_index("claim")["measured"]
    assert first["ucc-s2-hd-busy"] == pytest.approx(0.9, rel=0.01)
    assert first["ucc-s2-hd-lossless"] == 0
    threshold_s = float(design["hd_threshold"].iloc[0])
    assert first["ucc-s2-region-a"] == pytest.approx(0.006 / threshold_s)
    assert first["ucc-s2-region-b"] == pytest.approx(1.8, rel=0.01)
    assert first["ucc-s2-chd-tolerates"] == pytest.approx(0.7, rel=0.01)
    assert first["ucc-s2-chd-coexists"].tolist() == pytest.approx([8 / 9, 8 / 9], rel=0.01)
    assert first["ucc-s4-early"].tolist() == pytest.approx([3, 3, 3, 3], rel=0.01)
    assert first["ucc-s4-collapse"].tolist() == pytest.approx(6 * [1.5], rel=0.01)
    assert first["ucc-s4-renewed"] == pytest.approx(2, rel=0.01)
    most = found[found["claim"] == "ucc-s4-measures"].groupby("setting")["measured"].max()
    ends = design.groupby("setting")["loss_rates"].first().str.rpartition(" ")[2].astype(float)
    assert (most <= ends).all()


def test_table_2s_link_is_found_again_where_one_gives_it(monkeypatch):
    """Made-up runs: at each setting another link gives the printed gains, but for one cell."""
    module = of("tcpj")
    printed = papers.claims("tcpj").query("rule == 'value' and base == 'NewReno'")
    cells = printed.set_index(["protocol", "bit_error_rate"])["printed"]
    design = module.fits().design
    design = design[design["setting"] < 3]
    best = {0: (2e6, 0.06), 1: (6e6, 0.04), 2: (4e6, 0.1)}
    factor = [
        1.0
        if row.protocol == "NewReno"
        else 1 + cells.get((row.protocol, row.bit_error_rate), 0.0) / 100
        for row in design.itertuples()
    ]
    here = [best[row.setting] == (row.radio_rate, row.rtt) for row in design.itertuples()]
    wrong = (design["protocol"] == "TCP-J") & (design["bit_error_rate"] == 8e-6)
    away = np.where(
        here, np.where(wrong, 2.0, 1.0), np.where(design["protocol"] == "TCP-J", 1.3, 1)
    )
    runs = design.assign(first_bps=1e6 * np.array(factor) * away)
    monkeypatch.setattr(store, "read_table", lambda *_: runs)
    module.fitted_links.cache_clear()
    found = module.fitted_links()
    module.fitted_links.cache_clear()
    assert {n: (row.radio_rate, row.rtt) for n, row in found.iterrows()} == best
    assert found["error"].max() < 1e-9


@pytest.mark.parametrize("run", ["local", "non-local"])
def test_a_movement_has_its_settings_paths_and_costs(run):
    """On ns-2, which can run it: round trip, rates and errors before and after it."""
    for row in joint_changes.settings_on_ns2().head(6).to_dict("records"):
        row |= {"radio_rate": 4e6, "rtt": 0.04}
        one = joint_changes.scenario_on_ns2(run=run, protocol="TCP-J", level=0.0, seed=1, **row)
        planning.check(one)
        (flow,) = one.flows
        (reroute,), (told,) = flow.reroutes, flow.handoffs
        cost_s = 0.05 + 0.03 + row["rtt_to_rr"] if run == "local" else 0.12
        assert reroute.at_s == told.at_s == pytest.approx(joint_changes.MOVED_S + cost_s)
        assert told.announced_rate_bps == row["new_radio_rate"]
        links = {(link.source, link.target): link for link in one.links}
        for path, rate_bps in ((flow.path, 4e6), (reroute.path, row["new_radio_rate"])):
            hops = [links[pair] for pair in itertools.pairwise(path)]
            assert sum(hop.delay_s for hop in hops) == pytest.approx(0.02)
            assert hops[-1].delay_s == row["radio_delay"] and hops[-1].rate_bps == rate_bps
            assert hops[-1].loss_per_bit == pytest.approx(
                row["ber_handoff"] * float(row["packet"]) / 1502
            )
        wired = row["wired_rate"] if run == "local" else row["new_wired_rate"]
        assert min(hop.rate_bps for hop in hops[:-1]) == wired


def test_a_sender_that_is_not_told_or_does_nothing_then_has_no_handoff_on_ns2():
    row = joint_changes.settings_on_ns2().iloc[0].to_dict() | {"radio_rate": 4e6, "rtt": 0.04}

    def flow(protocol):
        build = joint_changes.scenario_on_ns2
        return build(run="local", protocol=protocol, level=0.0, seed=1, **row).flows[0]

    assert flow("TCP-J, not announced").handoffs[0].announced_rate_bps is None
    assert flow("SACK").handoffs == ()


def test_tcpjs_claims_on_changes_are_made_of_its_runs_on_ns2():
    """Made-up runs: at one setting each number says what the paper says, at another most are 1."""
    table = joint_changes.settings_on_ns2()
    held = [*map(held_segments, table["shared_rate"], table["shared_rtt"])]
    fits = np.array(held) >= 3 * 44  # three windows: no constant matters
    with_sack, once = table["westwood_base"] == "with SACK", table["start_times"] == "all at once"
    first, second, *_ = table.loc[~fits & ~with_sack & ~once, "setting"]
    silent_of = {
        "tcpj-s3-alpha": table.loc[fits & ~with_sack, "setting"].min(),
        "tcpj-s4-dips": table.loc[~fits & with_sack, "setting"].min(),
    }
    points = joint_changes.experiment_on_ns2().design
    points = points[points["setting"].isin([first, second, *silent_of.values()])].copy()
    says = points["setting"] == first
    some = 1 + 0.001 * points["seed"]
    for column in joint_changes.COLUMNS:
        points[column] = some
    points["lowest"] *= 1e6
    name, run, level = points["protocol"], points["run"], points["level"]
    tcpj, westwood = name.str.startswith("TCP-J"), name.str.startswith("Westwood")
    silent, alpha = run == "silences", run == "alpha"
    for where, column, factor in (
        (silent, "bias", 0.0),  # at both settings: an estimate as large as the throughput
        (silent & tcpj & (level == 1e-6), "error", 1.2),
        (silent & westwood & (level == 1e-6), "variation", 3.0),
        (silent & tcpj, "lowest", 2.0),
        ((run == "outage") & tcpj, "first_bps", 1.5),
        ((run == "local") & tcpj, "settled", 0.5),
        ((run == "local") & westwood, "settled", 0.8),
        ((run == "non-local") & westwood, "largest", 80.0),
        ((run == "radio") & tcpj, "first_bps", 4.0),
        ((run == "radio") & (name == "Westwood, SACK"), "first_bps", 2.0),
        (alpha & (level != 0.9), "third_bps", 2.5),
    ):
        points.loc[where & (says | (column == "bias") | (run == "radio")), column] *= factor
    found = joint_changes.evidence_on_ns2(points)
    least = found.groupby(["setting", "claim"])["measured"].min().unstack()
    for claim, setting in silent_of.items():
        assert np.isnan(least.loc[setting, claim]) and least.loc[setting].notna().sum() > 10
    least = least.loc[[first, second]]
    expected = {
        "tcpj-s4-abe-near-1e-8": (1, 1),
        "tcpj-s4-tustin-near-1e-8": (1, 1),
        "tcpj-s4-accuracy": (1.2, 1),
        "tcpj-s4-tustin-faithful": (20, 0),
        "tcpj-s4-abe-steadier": (200, 0),
        "tcpj-s4-outages": (50, 0),
        "tcpj-s4-faster-recovery": (50, 0),
        "tcpj-s4-local-westwood": (60, 0),
        "tcpj-s4-local-throughput": (1, 1),
        "tcpj-s4-nonlocal-tcpj": (7900, 0),
        "tcpj-s4-unannounced": (0, 0),
        "tcpj-s4-dips": (50, 50),
        "tcpj-s3-alpha": (200 / 3, 0),
    }
    for claim, values in expected.items():
        assert least[claim].tolist() == pytest.approx(values, rel=0.01, abs=0.2), claim
    assert least["tcpj-s4-above-in-outage"][first] > 0 == least["tcpj-s4-above-in-outage"][second]
    assert (
        least["tcpj-s4-nonlocal-westwood"][first] > 0 > least["tcpj-s4-nonlocal-westwood"][second]
    )


def test_tcpjs_claims_on_changes_are_made_of_its_runs():
    """Made-up runs of the segment engine at a setting whose radio repeats, and one whose does not.

    A kept window gains a tenth, and drops ten packets more; who is on the new link gets half as
    much again beside TCP-J.
    """
    points = joint_changes.experiment().design
    repeats = points["link_retransmissions"] != "0"
    chosen = [points.loc[where, "setting"].min() for where in (repeats, ~repeats)]
    points = points[points["setting"].isin(chosen)]
    some = 1 + 0.001 * points["seed"]
    for column in joint_changes.COLUMNS:
        points[column] = some
    kept = points["protocol"] == "keeps its window"
    points.loc[kept, "first_bps"] *= 1.1
    points.loc[kept, "overflows"] += 10
    points.loc[points["protocol"] == "TCP-J", "resident_bps"] *= 1.5
    found = joint_changes.evidence(points)
    means = found.groupby(["claim", "setting"])["measured"].mean().unstack()[chosen]
    assert means.loc["tcpj-s3-keep"].tolist() == pytest.approx([10, 10])
    assert means.loc["tcpj-s3-cause"].tolist() == pytest.approx([10, np.nan], nan_ok=True)
    assert means.loc["tcpj-s4-kinder"].tolist() == pytest.approx([50, 50])
    assert means.loc["tcpj-s5-others"].tolist() == pytest.approx([50, 50])


def tcpjs_runs() -> dict[str, list[tuple]]:
    """What builds runs that a claim is judged by, and how these are asked for; a claim a kind."""
    changes, radio = joint_changes.scenario, of("tcpj").scenario
    return {
        "tcpj-t2-sack-1e-6": [
            (radio, {"run": "radio", "protocol": "SACK", "bit_error_rate": 1e-6})
        ],
        "tcpj-s4-shares": [(radio, {"run": "wire", "protocol": "with TCP-J", "bit_error_rate": 0})],
        "tcpj-s3-alpha": [(changes, {"run": "alpha", "protocol": "TCP-J", "level": 0.5})],
        "tcpj-s4-outages": [(changes, {"run": "outage", "protocol": "TCP-J", "level": 0.3})],
        "tcpj-s4-above-in-outage": [
            (changes, {"run": "silences", "protocol": name, "level": 1e-8})
            for name in ("TCP-J", "Westwood")
        ],
        "tcpj-s4-local-westwood": [
            (changes, {"run": "local", "protocol": "Westwood", "level": 0.0})
        ],
        "tcpj-s4-nonlocal-tcpj": [
            (changes, {"run": "non-local", "protocol": "TCP-J", "level": 0.0})
        ],
        "tcpj-s2-split": [
            (joint_families.scenario, {"remedy": remedy, "bit_error_rate": 1e-6})
            for remedy in ("none", "split")
        ],
    }


@pytest.mark.parametrize("claim", sorted(tcpjs_runs()))
def test_what_a_claim_is_said_to_lack_changes_none_of_its_runs(claim):
    """At two settings that differ in nothing else; the link is not fitted for this."""
    [families] = joint_families.LEGS
    lacks = list((joint_settings.lacks() | families.lacks)[claim])
    settings = joint_changes.settings().assign(radio_rate=4e6, rtt=0.04).drop(columns="setting")
    assert set(lacks) <= set(settings)
    for first, other in ((0, 1), (7, 20)):
        one = settings.iloc[first].to_dict()
        two = one | settings[lacks].iloc[other].to_dict()
        assert one != two
        for build, asked in tcpjs_runs()[claim]:
            known = {name: one[name] for name in _taken(build, settings)}
            changed = {name: two[name] for name in _taken(build, settings)}
            assert build(seed=1, **asked, **known) == build(seed=1, **asked, **changed)


UCCS_RUNS = {  # run, its senders and loss, of a claim each
    "ucc-s2-hd-busy": ("alone", "HD", "HD", 0.0),
    "ucc-s2-region-b": ("region", "HD", "NewReno", 0.0),
    "ucc-s2-chd-tolerates": ("alone", "CHD", "CHD", 0.01),
    "ucc-s2-chd-coexists": ("beside", "CHD", "NewReno", 0.0),
    "ucc-s4-early": ("buffer of 10", "NewReno", "UCC", 0.0),
    "ucc-s4-collapse": ("crowd of 4", "UCC", "UCC", 0.0),
    "ucc-s4-renewed": ("minimum of 10 s", "UCC", "UCC", 0.01),
    "ucc-s4-measures": ("estimate", "UCC", "UCC", 0.01),
}


@pytest.mark.parametrize("claim", UCCS_RUNS)
def test_what_a_claim_on_ucc_is_said_to_lack_changes_none_of_its_runs(claim):
    [leg] = joint_others.LEGS
    run, first, second, loss = UCCS_RUNS[claim]
    settings = joint_others.settings().drop(columns="setting")
    one = settings.iloc[0].to_dict()
    two = one | settings[list(leg.lacks[claim])].iloc[1].to_dict()
    assert one != two
    asked = {"run": run, "N1": first, "N2": second, "loss": loss, "seed": 1}
    assert joint_others.scenario(**asked, **one) == joint_others.scenario(**asked, **two)


def _taken(build, settings: pd.DataFrame) -> list[str]:
    """Return the columns that a run is asked for with: only movements have those of movements."""
    if build is joint_changes.scenario:
        return list(settings)
    return list(settings.columns.drop(list(joint_settings.OF_MOVEMENTS)))


def test_splits_and_proxies_are_made_of_its_runs():
    """Made-up runs: a relay doubles the goodput, Snoop halves it; a radio that repeats has none."""
    points = joint_families.experiment().design
    points["goodput_bps"] = points["remedy"].map({"none": 2.0, "split": 4.0, "proxy": 1.0})
    points["goodput_bps"] *= 1 + 0.001 * points["seed"]
    found = joint_families.evidence(points).pivot_table("measured", "setting", "claim")
    assert found["tcpj-s2-split"].tolist() == pytest.approx([100] * 48)
    repeats = joint_settings.settings()["link_retransmissions"] != "0"
    assert found["tcpj-s2-proxy"].isna().tolist() == repeats.tolist()
    assert found["tcpj-s2-proxy"].dropna().tolist() == pytest.approx([-50] * (48 - repeats.sum()))


def few_runs(monkeypatch, seeds: int, duration_s: float = 2) -> tuple[sample.JointRuns, list[int]]:
    """An experiment of two points, and the seeds of what it has run so far."""
    made: list[int] = []
    simulate = segment.simulate

    def counted(scenario, *more):
        made.append(scenario.seed)
        return simulate(scenario, *more)

    monkeypatch.setattr(segment, "simulate", counted)
    experiment = sample.JointRuns(
        name="few-joint",
        build=functools.partial(satellite, duration_s=duration_s),
        points={"loss": [0.01, 0.02], "seed": range(1, seeds + 1)},
        measure=of("hybla").measured,
        point="nobody:asks",
    )
    return experiment, made


def archive(experiment: sample.JointRuns) -> pd.DataFrame:
    experiment.results()
    return store.read_table(experiment.name, "points")


def test_only_runs_that_were_added_are_made(monkeypatch, empty_archive):
    monkeypatch.setattr(sample, "MADE_AGAIN", 1)
    with monkeypatch.context() as patch:
        experiment, made = few_runs(patch, seeds=2)
        first = archive(experiment)
        assert sorted(made) == [1, 1, 2, 2]
    with monkeypatch.context() as patch:
        experiment, made = few_runs(patch, seeds=3)
        second = archive(experiment)
        assert len(made) == 3 and made[1:] == [3, 3]  # one of before, to see that it is the same
    with monkeypatch.context() as patch:
        patch.setenv("LONGFAT_REPRODUCE", "1")
        experiment, made = few_runs(patch, seeds=3)
        assert archive(experiment).equals(second)
        assert sorted(made) == [1, 1, 2, 2, 3, 3]
    assert second["seed"].tolist() == [1, 2, 3, 1, 2, 3]
    pd.testing.assert_frame_equal(second.query("seed < 3").reset_index(drop=True), first)
    assert store.provenance()["few-joint"]["runs"] == "6"


def test_nothing_is_archived_where_the_engine_is_not(monkeypatch, empty_archive, capsys):
    monkeypatch.setattr(segment, "is_here", lambda: False)
    experiment, made = few_runs(monkeypatch, seeds=2)
    assert experiment.results() == [] and not made
    assert "Left out here: 4 runs on the engine 'segment'" in capsys.readouterr().out
    assert store.points() == []


@pytest.mark.parametrize("what", ["the scenarios", "the engine"])
def test_where_the_archive_is_not_what_this_code_makes_all_runs_are_made(
    what, monkeypatch, empty_archive
):
    monkeypatch.setattr(sample, "MADE_AGAIN", 1)
    with monkeypatch.context() as patch:
        first = archive(few_runs(patch, seeds=2)[0])
    longer = what == "the scenarios"
    if not longer:
        line = empty_archive.parent / store.PROVENANCE
        line.write_text(line.read_text().replace("segment ", "segment 0"))
        store.forget_archive()
    experiment, made = few_runs(monkeypatch, seeds=3, duration_s=4 if longer else 2)
    second = archive(experiment).query("seed < 3")
    assert len(made) == (7 if longer else 6)  # one showed that they are others
    assert (second["goodput_bps"].tolist() == first["goodput_bps"].tolist()) == (not longer)


# --- what is judged by it, and shown


def test_only_what_is_archived_is_judged():
    with pytest.raises(InputError, match="'reno' has no joint settings"):
        shown.judged("reno")


def test_a_paper_that_is_judged_again_takes_its_own_place(tmp_path, monkeypatch):
    monkeypatch.setattr(joint, "FILE", tmp_path / "joint.csv")
    claims = papers.claims("hybla")["id"].iloc[:2]
    row = dict.fromkeys(joint.COLUMNS, 0.5) | {"open": 1, "settings": 5, "matters": "sack"}
    row |= {"engine": "segment", "part": ""}
    row |= {"joint_verdict": "depends", "turned_by": "min_rto, sack"}
    first = pd.DataFrame([row | {"id": claims[0], "paper": "hybla"}])
    shown.write(first)
    shown.write(pd.DataFrame([row | {"id": "x", "paper": "ucc"}]))
    shown.write(pd.concat([first, first.assign(id=claims[1], share=0.25, turned_by="")]))
    written = pd.read_csv(joint.FILE)
    assert written["paper"].tolist() == ["hybla", "hybla", "ucc"]
    table = shown.turned("hybla")
    assert table["holds at"].tolist() == ["1 of 4 [50, 50] %", "2 of 4 [50, 50] %"]
    assert table["turned by"].tolist() == ["–", "the shortest timeout, selective acknowledgments"]


def test_a_part_of_the_settings_is_judged_apart_and_decides_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(joint, "FILE", tmp_path / "joint.csv")
    claim = papers.claims("tcpj").query("id == 'tcpj-s4-rare'")
    settings = made_up(16).assign(setting=range(16))
    ratio = np.where(settings["setting"] < 8, 1.01, 2.0)
    rows = pd.DataFrame({"claim": "tcpj-s4-rare", "setting": range(16), "measured": ratio})
    rows = rows.assign(low=ratio - 0.01, high=ratio + 0.01, runs=5)
    parts = [(settings, ""), (settings[:8], "still"), (settings[8:], "loud")]
    found = [joint.judge(claim, rows, some, part=part) for some, part in parts]
    shown.write(pd.concat(found).assign(paper="tcpj"))
    assert joint.written()["settings"].tolist() == [16]
    [row] = shown.by_part("tcpj").to_dict("records")
    assert (row["still"], row["loud"]) == ("8 of 8", "0 of 8")


def test_a_part_that_says_nothing_of_a_claim_has_a_dash():
    """Where the radio repeats nothing, nothing can overflow since it repeats."""
    table = shown.by_part("tcpj").set_index("claim")
    [cause] = [claim for claim in table.index if "The cause is that" in claim]
    assert table.loc[cause, joint_settings.RADIOS[0]] == "–"
    assert table.loc[cause, list(joint_settings.RADIOS[1:])].str.contains(" of 16").all()


# Where no frame is repeated, or where it is; on a wire that loses nothing; where Westwood has SACK
# already.
SAY_NOTHING_AT_SOME = ("tcpj-s3-cause", "tcpj-s2-proxy", "tcpj-s3-alpha", "tcpj-s4-dips")


@pytest.mark.parametrize("paper", shown.papers_with_archives())
def test_what_is_judged_is_of_the_archive(paper):
    table = joint.written().query("paper == @paper")
    assert len(table)
    assert set(table["id"]) <= set(papers.claims(paper)["id"])
    some = table["id"].isin(SAY_NOTHING_AT_SOME)
    assert set(table.loc[~some, "settings"]) == {len(of(paper).settings())}
    assert table.loc[some, "settings"].lt(len(of(paper).settings())).all()
    assert table["share_low"].le(table["share"].fillna(1)).all()


# --- the verdict follows it


CLAIM = {
    **{"id": "one", "where": "section 1", "statement": "It is at most 5 %.", "rule": "at most"},
    **{"printed": 5.0, "half_unit": 0.5, "margin": np.nan, "threshold": np.nan, "unit": "%"},
    **{"threshold_reason": "", "fitted": "", "kind": "measured", "engine": "ns2"},
}


def stated(value: float, engine: str = "ns2", parameter: str = "") -> dict:
    row = {"claim": "one", "engine": engine, "parameter": parameter, "setting": parameter}
    width = {"measured": value, "low": value - 0.1, "high": value + 0.1}
    return row | width | {"runs": 5, "at": "p", "experiment": "x"}


def at_settings(says: str, engine: str = "segment") -> pd.DataFrame:
    """Judge a claim at as many settings as there are letters: holds, fails, is open.

    Settings have the parameters of `made_up`; "a" is yes where it holds.
    """
    values = {"h": (1.0, 0.1), "f": (9.0, 0.1), "o": (5.2, 2.0)}
    rows = [
        {"claim": "one", "setting": n, "measured": m, "low": m - w, "high": m + w, "runs": 5}
        for n, (m, w) in enumerate(values[letter] for letter in says)
    ]
    settings = made_up(len(says)).assign(setting=range(len(says)))
    settings["a"] = ["yes" if letter == "h" else "no" for letter in says]
    claims = pd.DataFrame([CLAIM])
    return joint.judge(claims, pd.DataFrame(rows), settings, engine).assign(paper="made up")


def verdict(*rows: dict, says: str = "", **claim) -> pd.Series:
    at_once = at_settings(says) if says else None
    return judge(pd.DataFrame([CLAIM | claim]), pd.DataFrame(rows), at_once).iloc[0]


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        (48 * "h", "reproduced"),
        (46 * "h" + 2 * "f", "reproduced"),
        (48 * "f", "not reproduced"),
        (2 * "h" + 46 * "f", "not reproduced"),
        (24 * "hf", "depends on a"),
        (40 * "h" + 8 * "o", "undecidable"),
        (20 * "h" + 20 * "f" + 8 * "o", "depends on a"),  # whatever becomes of what is open
        (48 * "o", "undecidable"),
    ],
)
@pytest.mark.parametrize("value", [1.0, 9.0])
def test_the_verdict_follows_the_share_of_the_settings(says, expected, value):
    """And neither what the stated setting says, nor one parameter that is varied alone."""
    found = verdict(stated(value), stated(9.0, parameter="b"), says=says)
    assert found["verdict"] == expected
    assert found["measured"] == value  # what is shown is still what the stated setting has
    decided = says.count("h") + says.count("f")
    share = says.count("h") / decided if decided else np.nan
    assert found["settings"] == 48
    assert found["share"] == pytest.approx(share, nan_ok=True)


def test_without_joint_settings_the_stated_one_decides():
    assert verdict(stated(1.0))["verdict"] == "reproduced"
    assert verdict(stated(1.0), stated(9.0, parameter="b"))["verdict"] == "depends on b"


def test_a_verdict_says_at_how_many_settings_and_what_tells_at_which():
    reason = verdict(stated(1.0), says=24 * "hf")["reason"]
    assert reason.startswith(
        "On the segment engine, for want of such runs on the paper's ns-2, it holds at 24 of 48 "
        "joint settings [35 to 65 %]. A tells at which (all rightly). At the stated setting, on "
        "ns-2, it is 1 %"
    )
    nothing_tells = np.random.default_rng(5).permutation(list(24 * "hf"))
    rows = at_settings("".join(nothing_tells))
    rows = rows.assign(turned_by="", matters="random_loss", first_order=0.654)
    found = judge(pd.DataFrame([CLAIM]), pd.DataFrame([stated(1.0)]), rows).iloc[0]
    assert found["verdict"] == "depends on several parameters at once"
    assert rules.verdict_class(found["verdict"]) == "depends"
    assert wording.worded(found["verdict"]) == found["verdict"]
    assert (
        "No three parameters tell at which; the rate of random loss matters most "
        "(first-order index 0.65)."
    ) in found["reason"]
    chance = rows.assign(matters="", first_order=0.0)
    found = judge(pd.DataFrame([CLAIM]), pd.DataFrame([stated(1.0)]), chance).iloc[0]
    assert "and none explains more of it than chance would." in found["reason"]


def test_of_how_many_of_all_settings_that_is_is_told_with_the_share():
    reason = verdict(stated(1.0), says=48 * "h")["reason"]
    assert "it holds at all 48 joint settings [93 to 100 %]" in reason
    reason = verdict(stated(1.0), says=4 * "h" + 44 * "f")["reason"]
    assert "holds at 4 of 48 joint settings [2 to 20 %]" in reason


@pytest.mark.medium
@pytest.mark.parametrize("count", [20, 24, 42, 48])
def test_what_is_open_makes_the_verdict_that_it_is_said_to_make(count):
    """With so many that hold, or fail, the verdict is that one for certain; with one less not."""
    for holds, fails in itertools.product(range(0, count + 1, 3), repeat=2):
        undecided = count - holds - fails
        if undecided < 0:
            continue
        says = ["holds"] * holds + ["fails"] * fails
        for made, (hold, fail) in joint.still_possible(count, holds, undecided).items():
            taken = ["holds"] * hold + ["fails"] * fail
            for some, expected in ((taken, made), (taken[1:], "undecidable")):
                rest = ["open"] * (undecided - len(some))
                assert joint.share([*says, *some, *rest]).verdict == expected


def test_settings_that_stay_open_say_what_they_could_do_and_how_many_runs_it_takes():
    found = verdict(stated(1.0), says=40 * "h" + 8 * "o")
    assert "it holds at 40 of 48 joint settings; 8 stay open." in found["reason"]
    assert (
        "Of the open ones, it would be reproduced if 6 held, and depend if 3 failed."
        in found["reason"]
    )
    assert found["decides"] > 5
    assert f"That takes about {found['decides']:.0f} runs a point." in found["reason"]
    found = verdict(stated(1.0), says=31 * "f" + 17 * "o")
    assert "holds at none of 48 joint settings and fails at 31; 17 stay open." in found["reason"]
    assert (
        "Of the open ones, it would be not reproduced if 15 failed, and depend if 3 held."
        in found["reason"]
    )
    found = verdict(stated(1.0), says=20 * "h" + 20 * "f" + 8 * "o")
    assert ("it holds at 20 of 48 joint settings [28 to 72 %]; 8 stay open.") in found["reason"]
    assert " if " not in found["reason"]
    assert np.isnan(found["decides"])


def test_what_is_open_says_how_few_runs_decide_the_first_of_it():
    """One setting further from the bound than the others needs fewer runs than all of them do."""
    near = [(5.3, 1.0)] * 7 + [(4.5, 1.5)]
    rows = [
        {"claim": "one", "setting": n, "measured": m, "low": m - w, "high": m + w, "runs": 5}
        for n, (m, w) in enumerate([(1.0, 0.1)] * 40 + near)
    ]
    settings = made_up().assign(setting=range(48))
    table = joint.judge(pd.DataFrame([CLAIM]), pd.DataFrame(rows), settings)
    assert 1 < table["cheapest"][0] < table["decides"][0]
    found = judge(pd.DataFrame([CLAIM]), pd.DataFrame([stated(1.0)]), table.assign(paper="x")).iloc[
        0
    ]
    assert f"({table['cheapest'][0]:.0f} decide the first)." in found["reason"]


def test_a_threshold_turns_the_verdict_over_all_settings_and_is_said_to():
    claim = {"rule": "qualitative", "threshold": 5.0, "side": "below", "printed": np.nan}
    rows = at_settings(48 * "h").assign(turns_at=1.2)
    found = judge(pd.DataFrame([CLAIM | claim]), pd.DataFrame([stated(1.0)]), rows).iloc[0]
    assert "Over all settings it would turn at a threshold of 1.2 (ours: 5 %)." in found["reason"]
    alone = judge(pd.DataFrame([CLAIM | claim]), pd.DataFrame([stated(1.0)])).iloc[0]
    assert "It would turn at a threshold of 1.1 (ours: 5 %)." in alone["reason"]


def test_the_settings_on_the_claims_own_engine_decide():
    both = pd.concat([at_settings(48 * "f"), at_settings(12 * "h", "ns2")], ignore_index=True)
    found = judge(pd.DataFrame([CLAIM]), pd.DataFrame([stated(1.0)]), both).iloc[0]
    assert (found["verdict"], found["settings"]) == ("reproduced", 12)
    assert "As a check, the segment engine holds at none of 48." in found["reason"]
    other = pd.DataFrame([CLAIM | {"engine": "linux"}])
    assert judge(other, pd.DataFrame([stated(1.0)]), both)["verdict"][0] == "not reproduced"


def test_what_was_fitted_and_what_can_happen_is_not_judged_by_it():
    assert verdict(stated(1.0), says=48 * "f", fitted="rate")["verdict"] == "fitted"
    assert verdict(stated(1.0), says=48 * "f", kind="possible")["verdict"] == "reproduced"


def test_many_runs_of_alike_settings_are_not_taken_for_a_points_own():
    """Scatter that is known from 50 runs, at points of two: so many more are needed of these."""
    row = {"claim": "one", "measured": 5.2, "low": 4.0, "high": 6.4, "runs": 50}
    rows = pd.DataFrame([row | {"setting": n} for n in range(8)])
    settings, claims = made_up(8).assign(setting=range(8)), pd.DataFrame([CLAIM])
    [own] = joint.judge(claims, rows, settings)["decides"]
    [of_two] = joint.judge(claims, rows.assign(count=2), settings)["decides"]
    assert of_two == pytest.approx(own * 2 / 50, abs=1)


@pytest.mark.parametrize(("own_seeds", "freedom"), [(False, 3), (True, 18)])
def test_runs_with_common_seeds_tell_no_more_of_scatter_than_one_settings(own_seeds, freedom):
    """Six settings of four runs: with the same four seeds they lose the same packets."""
    draw = np.random.default_rng(1)
    runs = pd.DataFrame(
        [(n, seed) for n in range(6) for seed in range(4)], columns=["setting", "seed"]
    )
    runs = runs.assign(loss=1e-3, like="", value=draw.normal(size=24))
    if own_seeds:
        runs["seed"] += 100 * runs["setting"]
    found = sample.means(runs, "loss", "value", "like")
    assert found["freedom"].to_list() == pytest.approx([freedom] * 6)
    alike = runs.groupby("setting")["value"].var().mean()
    assert found["deviation"].to_list() == pytest.approx([np.sqrt(alike)] * 6)


def test_a_setting_with_enough_runs_tells_its_own_scatter():
    """A radio that repeats frames scatters little, a bare one much."""
    seeds = list(range(sample.ENOUGH))
    quiet, loud = [0.01 * (-1) ** seed for seed in seeds], [float(seed) for seed in seeds]
    runs = pd.DataFrame({"setting": np.repeat([0, 1], len(seeds)), "seed": 2 * seeds})
    runs = runs.assign(loss=1e-3, like="", value=[*quiet, *loud])
    found = sample.mean_evidence(sample.means(runs, "loss", "value", "like"))
    narrow, wide = found["high"] - found["low"]
    assert narrow < 0.03 < 3 < wide


def test_a_threshold_turns_the_share():
    """Of a claim whose threshold is ours: at which other one the verdict would be another."""
    claim = CLAIM | {"rule": "qualitative", "threshold": 5.0, "side": "below", "printed": np.nan}
    rows = [
        {"claim": "one", "setting": n, "measured": m, "low": m, "high": m, "runs": 5}
        for n, m in enumerate(np.linspace(1, 4.9, 40))
    ]
    settings = made_up(40).assign(setting=range(40))
    found = joint.judge(pd.DataFrame([claim]), pd.DataFrame(rows), settings).iloc[0]
    assert found["joint_verdict"] == "reproduced"
    assert found["turns_at"] == pytest.approx(rows[38 - 1]["measured"], abs=0.11)


@pytest.mark.parametrize("paper", shown.papers_with_archives())
def test_no_verdict_goes_against_its_settings(paper):
    """Each claim that has joint settings has the verdict that their share makes."""
    from longfat.book import verdicts

    claims = papers.claims(paper)
    table = joint.deciding(joint.written().query("paper == @paper"), claims)
    kept = verdicts.verdicts().set_index("id")
    for row in table.itertuples():
        told = kept.loc[row.id]
        assert told["kind"] == "measured"
        assert rules.verdict_class(told["verdict"]) == row.joint_verdict, row.id
        assert re.search(rf"it holds at .*\b{row.settings} joint settings", told["reason"]), row.id


# --- what its arithmetic is, by hand


def test_a_setting_is_told_by_the_others_in_its_cell():
    """Three that hold and one that does not; two of each; three and two; one alone."""
    says = np.array([1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1], bool)
    cell = np.array([0] * 4 + [1] * 4 + [2] * 5 + [3])
    assert joint._wrong([cell], says) == 1 + 4 + 5 + 1
    halves = [cell // 2, cell % 2]  # the same cells, of two parameters
    assert joint._wrong(halves, says) == joint._wrong([cell], ~says) == 11


def test_the_chance_of_cells_is_fishers_for_each_way_to_fill_them():
    """Of 12 settings the 4 that hold are just one of three cells: 1 in 495, with 8 ways."""
    says = np.arange(12) < 4
    for cell in (np.arange(12) // 4, (11 - np.arange(12)) // 4):
        assert joint._chance([cell], says) == pytest.approx(8 / 495)


@pytest.mark.parametrize("megabyte", ["1000000", "1048576"])
def test_a_transfer_of_hybla_has_the_megabytes_of_its_name(megabyte):
    module = of("hybla")
    first = module.settings().iloc[0].drop("setting").to_dict() | {"megabyte": megabyte}
    for megabytes in (10, 50, 100):
        [flow] = module.scenario(run=f"{megabytes}MB", loss=1e-3, seed=1, **first).flows
        assert flow.bytes == megabytes * int(megabyte)


def test_the_links_around_uccs_bottleneck_have_the_settings_rate():
    module = of("ucc")
    first = module.experiment().design.query("run == 'pair'").groupby("setting").first()
    for row in first.head(6).to_dict("records"):
        links = module.scenario(**row).links
        around = {one.rate_bps for one in links if {one.source, one.target} != {"R", "N3"}}
        assert around == {row["access_rate"]}


def test_runs_at_joint_settings_are_archived_a_row_a_run(empty_archive):
    """With the versions of the engine and of each sender, and six digits of what is measured."""
    made = sample.JointRuns(
        name="small-joint",
        build=lambda sender, seed: reference(
            congestion_control=sender, loss=1e-2, duration_s=2, seed=seed
        ),
        points=pd.DataFrame({"sender": ["newreno", "cubic", "cubic"], "seed": [1, 1, 2]}),
        measure=lambda result: {"goodput_bps": result.flows["goodput_bps"].iloc[0]},
        point="tests:POINT",
    )
    assert made.results() == []
    store.forget_archive()
    table = store.read_table("small-joint", "points")
    assert table["sender"].tolist() == ["newreno", "cubic", "cubic"]
    alone = [
        made.measure(engines.simulate(one, "segment"))["goodput_bps"] for one in made.scenarios
    ]
    assert table["goodput_bps"].tolist() == [float(f"{one:.6g}") for one in alone]
    assert set(store.versions_of("small-joint")) == {"segment", "cc/newreno", "cc/cubic"}


def test_uccs_claims_are_made_of_its_runs():
    """Made-up runs: at one setting who is beside UCC keeps half of its own, at another all.

    Beside CHD at a short buffer a NewReno keeps a quarter; errors take a tenth of two NewReno; over
    several bottlenecks UCC has twice what NewReno has, and CHD half as much again.
    """
    module = of("ucc")
    runs = module.experiment().design.query("setting < 2")
    first, rate = runs["setting"] == 0, 1e6 * (1 + 0.001 * runs["seed"])
    chain, short = runs["run"] == "chain", runs["run"] == "short buffer"
    kinds = [
        (first & ~chain & (runs["N2"] == "UCC"), 0.5),
        (first & short & runs["N2"].str.startswith("CHD"), 0.25),
        (first & (runs["run"] == "pair") & (runs["loss"] == 0.01), 0.9),
        (first & chain & (runs["N1"] == "UCC"), 2.0),
        (first & chain & runs["N1"].str.startswith("CHD"), 3.0),
    ]
    part = pd.Series(1.0, index=runs.index)
    for where, own in kinds:
        part[where] *= own
    newreno = (runs["N1"] == "NewReno") & (runs["N2"] == "NewReno")
    second = part.where(chain | newreno, 1.0)
    found = module.evidence(runs.assign(first_bps=rate * part, second_bps=rate * second))
    assert set(found["engine"]) == {"segment"}
    means = found.groupby(["setting", "claim"])["measured"].agg(["min", "max"])
    assert np.allclose(means.loc[1], 1)
    expected = {
        **dict.fromkeys(("ucc-f4-newreno", "ucc-f5-cubic", "ucc-f6-compound"), 0.5),
        "ucc-s6-friendlier": 0.5,
        "ucc-s1-newreno-suffers": 0.9,
        "ucc-s4-chd-threshold": 0.25,
        "ucc-f8-above-newreno": 2,
        "ucc-f8-below-chd": 1.5,  # over UCC
    }
    assert set(means.loc[0].index) == set(expected)
    for claim, value in expected.items():
        assert means.loc[0, claim].tolist() == pytest.approx([value] * 2), claim


@pytest.mark.medium
@pytest.mark.parametrize(
    ("leg", "method"), [("hybla-joint-ns2", "simulation"), ("hybla-joint-linux", "emulation")]
)
def test_an_engine_of_hyblas_paper_judges_its_own_claims_alone(leg, method):
    """Of two archived settings: ns-2 what the paper simulated, and Linux what it emulated."""
    [evidence] = [one.evidence for one in of("hybla").LEGS if one.archive == leg]
    runs = store.read_table(leg, "points").query("setting < 2")
    methods = papers.claims("hybla").set_index("id")["method"]
    assert set(methods[evidence(runs)["claim"].unique()].dropna()) == {method}


def test_joint_settings_by_another_engine_say_that_they_are_shown_as_they_were_made(monkeypatch):
    changed = {"ucc-joint-ns2": {"ns2": "9"}}
    monkeypatch.setattr(engines, "changed_since", lambda archive: changed.get(archive, {}))
    with pytest.warns(UserWarning, match="'ucc-joint-ns2' is shown as it was made.*'ns2'") as said:
        table = sample.written("ucc")
    assert len(said) == 1
    assert set(table["paper"]) == {"ucc"}
    assert len(table) == len(joint.written().query("paper == 'ucc'"))
