"""What the chapter on UCC runs and calculates, with made-up runs in place of the engines'."""

import numpy as np
import pandas as pd
import pytest

from longfat import experiment, measures, papers
from longfat.book import show
from longfat.book.chapters import ucc
from longfat.book.chapters import ucc_charts as charts
from longfat.cc import catalogue
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.papers.ucc import analysis, claims, plan, theory
from longfat.result import Result
from longfat.studies import atlas
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

pytestmark = pytest.mark.medium

COUNTED = ("delivered_bytes", "segments_sent", "recoveries", "timeouts")
GOODPUT = {  # Mb/s; Linux's Reno is NewReno
    "newreno": 2.0,
    "reno": 2.0,
    "cubic": 2.5,
    "compound": 3.0,
    "chd": 4.0,
    "ucc": 5.0,
    "hd": 1.0,
}


def setting(profile="quick", **changes):
    return plan.setting(profile, **changes)


@pytest.fixture
def made_up(monkeypatch):
    """Replace the engines: each flow gets what `GOODPUT` says, a little more by its seed.

    Return the scenarios by experiment and engine.
    """
    seen = {}

    def sweep(scenarios, engine, experiment, labels):
        assert len(scenarios) == len(labels)
        seen[experiment, engine] = scenarios
        rows = []
        for scenario, label in zip(scenarios, labels.to_dict("records"), strict=True):
            for flow in scenario.flows:
                mbps = GOODPUT[flow.congestion_control.name] * (1 + 0.01 * scenario.seed)
                counts = dict.fromkeys(COUNTED, scenario.seed)
                counts |= {"retransmissions": 0.1 * scenario.seed}
                rows.append(label | counts | {"flow": flow.name, "goodput_bps": 1e6 * mbps})
        got = [*COUNTED, "retransmissions", "flow", "goodput_bps"]
        return pd.DataFrame(rows, columns=[*labels, *got])

    monkeypatch.setattr(experiment, "sweep", sweep)
    monkeypatch.setattr(experiment, "can_run", lambda scenarios, engine, *_: engine != "ns2")
    return seen


def test_a_profile_decides_what_is_left_open():
    paper = setting("paper")
    assert len(paper.loss_rates) == 8
    assert (paper.repetitions, paper.half, paper.duration_s) == (12, 6, 100.0)
    quick = setting(repetitions=8, loss_rates=[0.02])
    assert (quick.loss_rates, quick.repetitions, quick.half) == ([0.02], 8, 4)
    assert (setting(repetitions=2).half, quick.duration_s) == (2, 20.0)
    assert quick.among(0, 0.02) == [0.02]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"profile": "fast"}, "profile is 'fast'"),
        ({"loss_rates": [0]}, "one of them above 0"),
        ({"loss_rates": [0.1, 1.0]}, "from 0 to below 1"),
        ({"repetitions": 1}, "repetitions is 1: it must be 2 or more"),
        ({"equivalence_factor": 1}, "must be above 1"),
    ],
)
def test_what_no_figure_could_show_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        setting(**changes)


def test_the_readers_parameters_reach_every_ucc():
    one = setting(ucc_parameters={"alpha": 0.9, "clock_s": 0.001})
    assert one.controls["UCC"]["parameters"] == {"alpha": 0.9, "clock_s": 0.001}
    assert one.ucc(alpha=0.5)["parameters"] == {"alpha": 0.5, "clock_s": 0.001}


def test_curves_of_figure_1_end_at_the_largest_delay():
    curves = theory.backoff_curves()
    assert list(curves) == ["queueing delay (ms)", "40", "50"]
    assert curves[["40", "50"]].max().tolist() == pytest.approx([0.5, 0.5])
    delay = curves["queueing delay (ms)"]
    assert delay[curves["40"].idxmax()] == pytest.approx(30.0)
    assert (curves.loc[delay > 40.01, "40"] == 0).all()


def test_a_window_on_an_even_clock_fills_the_link_or_does_not():
    table = theory.closed_queue([24, 48, 49, 60]).set_index("W")
    held = theory.PIPE_PACKETS + 1
    assert 48 < held < 49
    assert table["even, (6)"].tolist() == [0, 0, 1, 1]
    assert table["even, rho"].tolist() == [24 / held, 48 / held, 1, 1]
    # An arrival finds the queue of a window with one packet less.
    wider = theory.closed_queue([25]).loc[0, "random, (6)"]
    assert wider == table.loc[24, "random, rho"]


def test_on_an_empty_link_a_clock_sees_what_is_left_of_its_last_tick():
    """The delay without a queue is 20.9275 ms: 93 % of all packets get 21 ticks of 1 ms, not 20."""
    table = theory.clocks([1e-3, 1e-2]).set_index("utilization")
    assert table.loc[0.0, "1 ms"] == pytest.approx(0.92752)
    assert table.loc[0.0, "10 ms"] == pytest.approx(0.092752)
    assert (table.diff().dropna() > 0).all(axis=None)


def test_a_tolerance_undoes_a_tick_and_drift_leaves_no_smallest_delay():
    rho = 0.7
    table = theory.readers([rho], 20_000).set_index(["read by", "tolerance"])["0.7"]
    assert table["exact", "none"] == pytest.approx(rho, abs=0.02)
    # In M/D/1 a packet waits for a packet time at most with probability (1 - rho) exp(rho).
    within = 1 - (1 - rho) * np.exp(rho)
    assert table["exact", "one packet time"] == pytest.approx(within, abs=0.02)
    assert table["a tick of 1 µs", "one packet time"] == pytest.approx(within, abs=0.02)
    assert table["a tick of 1 µs", "none"] > rho + 0.1
    for name in ("clocks 50 ppm apart", "clocks 50 ppm apart, the other way"):
        assert table[name, "none"] > 0.999
        assert table[name, "one packet time"] < 0.9


def test_theory_is_given_where_packets_or_services_are_random():
    table = theory.simulated_queues(["M/D/1", "D/M/1", "U/U/1"])
    assert table["theory"].notna().tolist() == [True, True, False]
    assert table["busy"].tolist() == pytest.approx([0.8] * 3, abs=0.01)


def test_the_unknown_minimum_never_halves_up_to_100_packets():
    table = theory.halving_probabilities().set_index("N")
    assert (table.loc[[10, 50, 100], "0.99, unknown"] == 0).all()
    assert table.loc[101, "0.99, unknown"] > 0


def test_queueing_elsewhere_only_raises_the_estimate():
    table = theory.queueing_elsewhere([0.1, 0.3], seeds=3)
    assert len(table) == 6
    assert (table["error"] > 0).all()
    assert table.groupby("cross")["busy"].mean().tolist() == pytest.approx([0.7, 0.9], abs=0.02)


# --- runs


def test_pairs_are_on_the_segment_engine_and_a_few_on_others(made_up):
    one = setting()
    runs = analysis.pairs(plan.runs(one))
    points = len(one.loss_rates)
    every = made_up["ucc-pairs-segment", "segment"]
    more = 3 * one.repetitions  # CUBIC beside CHD without DCC at a loss of 0.001
    assert len(every) == points * (9 * one.repetitions + 6 * one.half) + more
    pairs_on_ns3 = len(plan.ON_NS3) * points + len(plan.NEIGHBOURS_ON_NS3)
    assert len(made_up["ucc-pairs", "ns3"]) == pairs_on_ns3 * one.on_ns3
    assert (one.on_ns3, setting("paper").on_ns3) == (2, 10)
    assert ("ucc-pairs-ns2", "ns2") not in made_up  # it cannot run here
    identity = ["engine", "N1", "N2", "loss", "seed", "flow"]
    assert not runs.duplicated(identity).any()
    mine = analysis.runs_on_engine("segment", runs)
    for scenario, row in zip(every, mine.iloc[::2].itertuples(), strict=True):
        controls = [flow.congestion_control for flow in scenario.flows]
        names = [one.controls[name] for name in (row.N1, row.N2)]
        assert [c.name for c in controls] == [n if isinstance(n, str) else n["name"] for n in names]
        (radio,) = [link for link in scenario.links if (link.source, link.target) == ("R", "N3")]
        assert radio.loss_per_packet == row.loss


@pytest.fixture
def on_ns2(made_up, monkeypatch):
    """The same where this machine has ns-2."""
    monkeypatch.setattr(experiment, "can_run", lambda *_: True)
    return made_up


def test_ns2_runs_the_pairs_of_its_senders(on_ns2):
    one = setting(ucc_parameters={"alpha": 0.9})
    runs = analysis.runs_on_engine("ns2", analysis.pairs(plan.runs(one)))
    here = on_ns2["ucc-pairs-ns2", "ns2"]
    assert len(here) == 7 * len(one.loss_rates) * 4 * one.repetitions
    assert plan.CHD not in set(runs["N1"]) | set(runs["N2"])
    analysis.judged_variations(plan.runs(one))
    varied = on_ns2["ucc-assumptions-ns2", "ns2"]
    for scenario in {s.canonical_json(): s for s in [*here[:: one.repetitions], *varied]}.values():
        planning.check(scenario)
    given = [flow.congestion_control for s in here for flow in s.flows]
    ucc = [one.parameters for one in given if one.name == "ucc"]
    assert ucc and all(one == {"alpha": 0.9, "tolerance_s": 1e-9} for one in ucc)


def test_on_ns2_the_clock_as_printed_and_ticks_are_varied(on_ns2):
    one = setting()
    table = analysis.judged_variations(plan.runs(one))
    first = table[table["engine"] == "ns2"].iloc[::2].reset_index(drop=True)
    clocks = {}
    for scenario, row in zip(on_ns2["ucc-assumptions-ns2", "ns2"], first.itertuples(), strict=True):
        if row.parameter == "clock" and row.N2 == "UCC":
            control = scenario.flows[1].congestion_control
            clocks[row.setting] = control.parameters
    assert clocks == {
        plan.AS_PRINTED: {"tolerance_s": 0.0},
        "ticks of 1 µs": {"clock_s": 1e-6},
        "ticks of 1 ms": {"clock_s": 1e-3},
    }
    assert set(first["parameter"]) == {one.parameter for one in plan.VARIED_ON_NS2}


def test_equal_flows_are_summed_and_engines_compared(made_up):
    one = setting()
    runs = analysis.pairs(plan.runs(one))
    both = analysis.runs_on_engine("segment", analysis.equal_pairs(runs))
    first = both[(both["control"] == "UCC") & (both["seed"] == 1)]
    assert first["Mb/s"].tolist() == pytest.approx([10.1] * 3)
    assert (both["recoveries"] == 2 * both["seed"]).all()
    compared = analysis.compared_engines(runs)
    assert set(compared["engine"]) == {"ns3"}
    count = len(plan.ON_NS3) * len(one.loss_rates) + len(plan.NEIGHBOURS_ON_NS3)
    assert (compared["flows"] == 2 * one.on_ns3).all() and len(compared) == count
    assert compared["ratio"].tolist() == pytest.approx([1] * count)
    faster = runs["Mb/s"].where(runs["engine"] == "segment", 1.5 * runs["Mb/s"])
    compared = analysis.compared_engines(runs.assign(**{"Mb/s": faster}))
    assert compared["ratio"].tolist() == pytest.approx([1.5] * count)


def test_figure_3_and_its_sentences_have_other_engines_apart(made_up):
    points = analysis.equal_pair_points(plan.runs(setting()))
    assert list(points.columns[:3]) == ["engine", "control", "loss"]
    assert set(points["engine"]) == {"segment engine", "ns-3"}
    figure = charts.over_loss("title", "label", points, plan.runs(setting()))
    (axes,) = figure.axes
    kinds = [one.lines[0].get_fillstyle() for one in axes.containers]
    assert kinds.count("none") == 5 and kinds.count("full") == 5
    ours = points[points["engine"] == "segment engine"]
    lower = ours.assign(engine="ns-3", **{"Mb/s": 0.9 * ours["Mb/s"]})
    one = ours[ours["loss"] == 0.01].assign(loss=0.1)
    found = claims._of_ns3(lower, ours, one)
    assert found["ucc_ns3_off"] == pytest.approx(10)
    assert found["ucc_timed_ucc_10"] == one.set_index("control").at["UCC", "Mb/s"]
    assert np.isnan(found["ucc_ns3_ucc_10"])  # the quick profile has no such loss rate


def test_of_the_chain_both_flows_are_summed(made_up):
    goodput = analysis.chain_goodput(plan.runs(setting()))
    point = goodput[goodput["layout"] == "chain"].set_index(["control", "loss", "seed"])["Mb/s"]
    assert point["UCC", 0.001, 2] == pytest.approx(10.2)
    order = analysis.layout_ratios(goodput)
    assert set(order["layout"]) == set(plan.LAYOUTS)
    ratios = order.groupby(["control", "reference"])["measured"].mean()
    assert ratios["CHD w/o DCC", "UCC"] == pytest.approx(0.8)
    assert ratios["UCC", "NewReno"] == pytest.approx(2.5)
    assert np.ptp(order[order["reference"] == "UCC"]["measured"]) < 1e-9


def test_what_a_neighbour_gets_is_over_its_own_kind(made_up):
    one = setting()
    runs = analysis.pairs(plan.runs(one))
    table = analysis.neighbour_ratios(plan.runs(one))
    assert len(table) == 3 * 2 * 3
    assert (table["runs"] == one.repetitions).all()  # the smaller number of the two
    more = (table["neighbour"] == "CUBIC") & (table["control"] == plan.CHD)
    more &= table["loss"] == 0.001  # with more seeds, of which the made-up goodput depends
    assert table.loc[~more, "measured"].tolist() == pytest.approx([1.0] * 17)
    assert table.loc[more, "measured"].tolist() == pytest.approx([1.0576], abs=1e-4)
    otherwise = analysis.sensitivity_runs(plan.runs(one))
    assert set(otherwise["parameter"]) == {varied.parameter for varied in plan.VARIED}
    cubic = otherwise[otherwise["parameter"] == "cubic"]
    assert (cubic[["N1", "N2"]] == "CUBIC").any(axis=1).all()
    changed = analysis.sensitivity_table(runs, otherwise)
    assert changed["assumption"].iloc[0] == "as above"
    assert changed["0.001"].iloc[0].startswith("1.00 [")


@pytest.mark.parametrize("varied", plan.VARIED, ids=lambda one: one.parameter)
def test_every_varied_assumption_is_one_of_the_paper_s_and_changes_the_scenario(varied, made_up):
    assert varied.parameter in set(papers.parameters("ucc")["name"])
    one = setting()
    otherwise = analysis.sensitivity_runs(plan.runs(one))
    base = {s.canonical_json() for s in _base(one, made_up)}
    runs = made_up["ucc-assumptions", "segment"]
    first = otherwise.drop_duplicates(["parameter", "N1", "N2", "loss", "seed"])
    assert len(first) == len(runs)
    chosen = [
        s
        for s, name, pair in zip(
            runs, first["parameter"], zip(first["N1"], first["N2"], strict=True), strict=True
        )
        if name == varied.parameter
    ]
    assert chosen
    lossy = [s for s in chosen if varied.parameter != "loss_process" or _per_bit(s)]
    assert not base & {s.canonical_json() for s in lossy}


def _base(one, made_up):
    analysis.pairs(plan.runs(one))
    return made_up["ucc-pairs-segment", "segment"]


def _per_bit(scenario):
    return any(link.loss_per_bit for link in scenario.links)


def test_tables_beyond_the_paper_have_what_the_runs_gave(made_up):
    one = setting(ucc_parameters={"alpha": 0.9})
    buffers = analysis.buffers(plan.runs(one))
    assert buffers["measured"].tolist() == pytest.approx([1.0] * 20)
    assert len(analysis.routes(plan.runs(one))) == 6
    estimators = analysis.estimators(plan.runs(one)).set_index("setting")
    row = estimators.loc[r"$\alpha = 0.5$"]
    assert row["two UCC flows, $p = 0.01$"].startswith("10.15 ± ")
    assert row["NewReno beside UCC, $p = 0.01$"].startswith("2.03 ± ")
    alphas = {
        scenario.flows[0].congestion_control.parameters["alpha"]
        for scenario in made_up["ucc-estimators", "segment"]
    }
    assert alphas == {0.5, 0.9, 0.95, 0.999}
    crowds = analysis.crowds(plan.runs(one))
    assert {len(s.flows) for s in made_up["ucc-crowd-10", "segment"]} == {10}
    ten = crowds[(crowds["flows"] == 10) & (crowds["control"] == "UCC")]
    assert ten["Mb/s"].tolist() == pytest.approx([50.5, 51.0, 51.5] * 2)
    assert ten["jain"].tolist() == pytest.approx([1.0] * 6)
    assert ten["repeated"].tolist() == pytest.approx([0.1] * 6)


def test_an_estimate_is_held_against_the_link_since_the_loss_before():
    """Of a link that is busy for half of the time, told at each change of the threshold."""
    flow = {"flow": "N1"}
    traces = {
        plan.THRESHOLD: pd.DataFrame(
            flow | {"time_s": [1.04, 1.0401, 2.04], plan.THRESHOLD: [20.0, 19.0, 30.0]}
        ),
        plan.ESTIMATE: pd.DataFrame(
            flow | {"time_s": [0.04, 1.0, 1.5, 2.0], plan.ESTIMATE: [0.0, 0.7, 0.1, 0.4]}
        ),
        plan.SENT: pd.DataFrame(
            {"link": "R>N3", "time_s": [1.0, 2.0], "sent_bytes": [0.5 * 1.25e6, 1.5 * 1.25e6]}
        ),
    }
    run = plan.wireless("ucc", loss=0.0, duration_s=3)
    found = plan.measured(Result(scenario=run, flows=[], links=[], traces=traces, provenance={}))
    assert found["losses"] == 2  # the second threshold is that of the first loss
    assert found["estimate"] == pytest.approx((0.7 + 0.4) / 2)
    assert found["utilization"] == pytest.approx((0.5 + 1.0) / 2, rel=1e-3)
    assert found["error"] == pytest.approx((0.2 + 0.6) / 2, rel=1e-3)


def test_others_keep_another_link_busy_and_not_the_radio(made_up):
    one = setting()
    table = analysis.behind_a_busy_link(plan.runs(one))
    assert set(table["busy"]) == {0.4, 0.8}
    busy = [s for s in made_up["ucc-elsewhere", "segment"] if s.media_streams]
    assert len(busy) * 3 == len(made_up["ucc-elsewhere", "segment"]) * 2
    for scenario in busy:
        streams = scenario.media_streams
        sent = sum(s.rate_bps * 1500 / s.payload_bytes for s in streams) / plan.ACCESS_BPS
        assert min(abs(sent - 0.4), abs(sent - 0.8)) < 0.005
        assert {(s.source, s.target) for s in streams} == {("X", "Y")}
        (shared,) = (one for one in scenario.links if (one.source, one.target) == ("S", "R"))
        assert shared.rate_bps == plan.ACCESS_BPS


def test_only_the_changed_routes_change(made_up):
    analysis.routes(plan.runs(setting()))
    changes = {
        tuple((c.at_s, c.delay_s) for link in scenario.links for c in link.changes)
        for scenario in made_up["ucc-routes", "segment"]
    }
    assert changes == {(), ((6.0, 0.03),), ((6.0, 0.01),)}


def test_harm_is_against_ones_own_kind_and_fairness_of_the_pair(made_up):
    table = analysis.harm_table(analysis.pairs(plan.runs(setting())), setting())
    row = table[(table["loss"] == 0.001) & (table["control"] == "UCC")].iloc[0]
    fair = measures.jain_index([5.0, 2.0])
    harm = 100 * (1 - 1.015 / 1.025)  # NewReno beside CHD and UCC: other numbers of seeds
    assert row["to CUBIC"] == f"+0 % · {measures.jain_index([5.0, 2.5]):.2f}"
    assert row["to NewReno"] == f"+0 % · {fair:.2f}"
    assert abs(harm) < 1
    assert analysis.harm_table(
        analysis.pairs(plan.runs(setting(loss_rates=[0.02]))), setting(loss_rates=[0.02])
    ).empty


def test_without_random_loss_only_those_runs_count(made_up):
    table = analysis.without_loss(analysis.pairs(plan.runs(setting()))).set_index("control")
    assert table.loc["UCC", "Mb/s"] == pytest.approx(10.15)
    assert table["Jain's index"].tolist() == pytest.approx([1.0] * 5)
    assert analysis.without_loss(analysis.pairs(plan.runs(setting(loss_rates=[0.02])))).empty


# --- verdicts


MEASURED = pd.DataFrame({"loss": [0.0] * 3, "error": [0.01, 0.012, 0.011]})
HELD = pd.DataFrame({"window": [40, 49], "rho": [0.8, 1.0], "estimate": [0.005, 0.9997]})
ELSEWHERE = pd.DataFrame(
    {"cross": [0.1] * 3, "alone": [0.2, 0.21, 0.22], "both": [0.6, 0.62, 0.61], "seed": [1, 2, 3]}
)
EVENTS = pd.DataFrame(
    {"queue": ["M/M/1", "D/D/1"], "utilization": [0.8, 0.8], "busy": [0.8, 0.8]}
).assign(queued=[0.81, 0.0])
WATCHED = analysis.OverTime(
    pd.DataFrame({"flow": "N1", "time_s": [0.0, 1.0, 2.0], "cwnd_segments": [10.0, 20.0, 10.0]}),
    pd.DataFrame({"flow": "N1", "time_s": [0.0, 1.0], "ssthresh_segments": [99.0, 10.0]}),
    pd.DataFrame({"flow": "N1", "time_s": [0.0, 1.0, 2.0], "utilization": [0.5, 0.9, 0.0]}),
    pd.DataFrame({"time_s": [1.0, 2.0, 3.0], "true": [0.5, 1.0, 0.98]}),
    3.0,
)


def evidence(one, **changed):
    parts = {
        "pairs": analysis.pairs(plan.runs(one)),
        "varied": analysis.sensitivity_runs(plan.runs(one)),
        "chain": analysis.chain_goodput(plan.runs(one)).assign(engine="segment"),
        "measured": pd.concat([MEASURED, MEASURED.assign(loss=0.01, error=[0.2, 0.21, 0.19])]),
        "elsewhere": ELSEWHERE,
        "behind": analysis.behind_a_busy_link(plan.runs(one)),
        "events": EVENTS,
        "crowds": analysis.crowds(plan.runs(one)),
        "buffers": analysis.buffers(plan.runs(one)),
        "short_buffers": analysis.ucc_over_chd(plan.runs(one)),
        "relatives": plan.runs(one).flows("ucc-relatives"),
        "regions": analysis.regions(plan.runs(one)),
        "routes": plan.runs(one).flows("ucc-routes"),
    }
    return claims.evidence(one, **(parts | changed))


def test_every_claim_has_evidence_at_its_stated_setting(made_up):
    table = evidence(setting())
    base = table[table["parameter"] == ""]
    assert set(base["claim"]) == set(papers.claims("ucc")["id"])
    assert list(table) == list(EVIDENCE_COLUMNS)
    assert set(table["parameter"]) - {""} <= set(papers.parameters("ucc")["name"])
    assert (table.loc[table["engine"] != "arithmetic", "experiment"] != "").all()


def test_claims_are_judged_by_what_was_measured(made_up):
    stated = papers.claims("ucc")
    judged = judge(stated, evidence(setting())).set_index("id")
    verdict = judged["verdict"]
    assert verdict["ucc-f4-newreno"] == verdict["ucc-f8-above-newreno"] == "reproduced"
    assert verdict["ucc-f8-below-chd"] == "not reproduced"  # 4 Mb/s and 5
    assert verdict["ucc-s1-newreno-suffers"] == "not reproduced"  # the same with and without loss
    assert verdict["ucc-s3-models"] == verdict["ucc-s4-measures"] == "not reproduced"
    assert verdict["ucc-s4-safe"] == verdict["ucc-s4-example"] == "reproduced"
    assert verdict["ucc-s4-too-small"] == "tie"  # nobody minds the other link here
    assert verdict["ucc-s3-time"] == verdict["ucc-s4-only-alpha"] == "reproduced"
    assert verdict["ucc-s4-chd-threshold"] == "not reproduced"  # it harms nobody here
    assert verdict["ucc-s4-early"] == "undecidable"  # NewReno gets the same beside both
    figure = charts.verdicts(judged.reset_index(), plan.runs(setting()))
    assert len(figure.axes[0].get_yticklabels()) == len(stated)
    show.plt.close(figure)


def test_a_neighbour_that_loses_turns_the_verdict(made_up):
    one = setting()
    runs = analysis.pairs(plan.runs(one))
    second = (runs["N2"] == "UCC") & (runs["flow"] == "N1")
    worse = runs.assign(**{"Mb/s": runs["Mb/s"] * np.where(second, 0.5, 1.0)})
    worse_varied = analysis.sensitivity_runs(plan.runs(one))
    second = (worse_varied["N2"] == "UCC") & (worse_varied["flow"] == "N1")
    worse_varied["Mb/s"] *= np.where(second, 0.5, 1.0)
    judged = judge(papers.claims("ucc"), evidence(one, pairs=worse, varied=worse_varied)).set_index(
        "id"
    )
    for claim in ("ucc-f4-newreno", "ucc-f5-cubic", "ucc-f6-compound", "ucc-s6-friendlier"):
        assert judged.loc[claim, "verdict"] == "not reproduced"


@pytest.mark.slow
def test_what_is_said_of_figures_4_to_6_is_judged_on_ns2(on_ns2):
    """By its runs alone, whatever the segment engine says; CHD is not there."""
    one = setting()
    runs = analysis.pairs(plan.runs(one))
    varied = analysis.judged_variations(plan.runs(one))
    figures = ["ucc-f4-newreno", "ucc-f5-cubic", "ucc-f6-compound"]

    def judged(engine):
        worse = (runs["N2"] == "UCC") & (runs["flow"] == "N1") & (runs["engine"] == engine)
        pairs = runs.assign(**{"Mb/s": runs["Mb/s"] * np.where(worse, 0.5, 1.0)})
        table = evidence(one, pairs=pairs, varied=varied)
        assert set(table["experiment"][table["engine"] == "ns2"]) == {
            plan.PAIRS_ON_NS2,
            plan.ASSUMPTIONS_ON_NS2,
        }
        return judge(papers.claims("ucc"), table).set_index("id")

    found = judged("segment")
    assert (found.loc[figures, "engine"] == "ns2").all()
    assert (found.loc[figures, "verdict"] == "reproduced").all()
    assert found.loc["ucc-s6-friendlier", "engine"] == "segment"
    found = judged("ns2")
    assert not (found.loc[figures, "verdict"] == "reproduced").any()
    assert found.loc[figures, "measured"].tolist() == pytest.approx([0.5] * 3)


def test_a_neighbour_is_told_by_engine_and_drawn_by_engine(on_ns2):
    runs = plan.runs(setting())
    table = ucc.neighbours_by_engine(runs)
    assert list(table) == [
        "neighbour",
        "loss",
        "beside UCC, ns-2",
        "beside UCC, segment engine",
        "beside CHD w/o DCC, segment engine",
    ]
    assert table["neighbour"].drop_duplicates().tolist() == list(plan.NEIGHBOURS)
    assert table["beside UCC, ns-2"].str.startswith("1.00 [").all()
    figure = charts.neighbours(ucc.neighbours(runs), runs)
    kinds = [one.lines[0].get_fillstyle() for one in figure.axes[0].containers]
    assert kinds == ["full", "full", "none"]
    show.plt.close(figure)
    found = claims._of_neighbours_on_ns2(runs)
    assert found["ucc_ns2_newreno_clean"] == pytest.approx(1)
    assert np.isnan(found["ucc_ns2_newreno_3e3"])  # the quick profile has no such loss rate


def test_a_loss_rate_that_a_claim_needs_may_be_left_out(made_up):
    one = setting(loss_rates=[0.02])
    table = evidence(one)
    assert "ucc-s1-newreno-suffers" not in set(table["claim"])


def test_numbers_of_the_text_are_those_of_the_tables(made_up, monkeypatch):
    monkeypatch.setattr(analysis, "held_windows", lambda runs: HELD)
    monkeypatch.setattr(analysis, "over_time", lambda runs: WATCHED)
    runs = plan.runs(setting())
    found = claims.numbers(runs)
    assert found["ucc_two_ucc"] == pytest.approx(10.15)
    assert found["ucc_idle_busy"] == pytest.approx(80)
    assert found["ucc_idle_estimate"] == pytest.approx(0.5)
    assert found["ucc_full_estimate"] == pytest.approx(0.9997)
    assert found["ucc_least_busy"] == pytest.approx(98)
    assert found["ucc_lost_short_ucc"] == pytest.approx(0, abs=1e-9)
    assert found["ucc_chain_clean"] == pytest.approx(0.8)
    assert found["ucc_crowd_jain_ucc"] == pytest.approx(1)
    assert 0 < found["ucc_claims_reproduced"] < found["ucc_claims"] == len(papers.claims("ucc"))
    long = claims.long_numbers(runs)
    assert long["ucc_ns3_flows"] == 2 * len(runs.design("ucc-pairs"))
    assert long["ucc_ns3_least"] == pytest.approx(1) == long["ucc_ns3_most"]


# --- figures


def test_a_loss_is_kept_or_halved():
    times = np.array([0.0, 1.0, 3.9, 4.0, 7.9, 8.0])
    run = analysis.OverTime(
        pd.DataFrame({"time_s": times, "cwnd_segments": [2.0, 20.0, 40.0, 20.0, 30.0, 29.0]}),
        pd.DataFrame({"time_s": times, "ssthresh_segments": [99.0, 99.0, 99.0, 20.0, 20.0, 30.0]}),
        pd.DataFrame({"time_s": times, "utilization": 1.0}),
        pd.DataFrame({"time_s": [8.0], "true": [1.0]}),
        8.0,
    )
    losses = charts.reactions(run)
    assert losses["time_s"].tolist() == [4.0, 8.0]
    assert losses["kept"].tolist() == [False, True]
    assert losses["window"].tolist() == [40.0, 30.0]


def test_every_row_of_table_1_names_senders_that_run():
    named = papers.data("ucc", "related")["runs as"].str.split(", ").explode()
    assert named.notna().all()
    assert set(named) <= set(atlas.read()["sender"])
    assert all(catalogue.find(name).header for name in named)


def test_newreno_is_judged_by_the_two_loss_rates_of_its_claim_alone():
    """Runs that lose a tenth of their rate: no other loss rate is needed, and none without loss."""
    rows = [
        {"engine": engine, "control": name, "loss": loss, "seed": seed, "Mb/s": rate + 0.01 * seed}
        for engine in ("segment", "ns2")
        for name, rates in {"NewReno": {0: 5.0, 0.01: 4.5}, "CUBIC": {0: 5.0, 0.01: 1.0}}.items()
        for loss, rate in rates.items()
        for seed in (1, 2, 3)
    ]
    runs = pd.DataFrame(rows)
    found = claims.of_newreno(runs)
    assert sorted(row["engine"] for row in found) == ["ns2", "segment"]
    assert [row["measured"] for row in found] == pytest.approx([4.52 / 5.02] * 2)
    assert claims.of_newreno(runs[runs["loss"] > 0]) == []


def test_a_range_of_loss_rates_has_the_ends_of_its_name():
    for name, ends in claims.RANGES.items():
        assert name.split(" to ") == [f"{end:g}" for end in ends]
