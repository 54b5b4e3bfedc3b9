"""What the chapter on UCC runs and calculates, with made-up runs in place of the engines'."""

import numpy as np
import pandas as pd
import pytest

from longfat import papers, statistics
from longfat.errors import InputError
from longfat.papers.ucc import experiments

SETTING = {
    "loss_rates": None,
    "repetitions": None,
    "segment_repetitions": None,
    "duration_s": None,
    "queue_packets": 50,
    "ucc_parameters": {},
    "chd_parameters": {"delay_based": False},
    "equivalence_factor": 1.1,
}
GOODPUT = {"newreno": 2.0, "cubic": 2.5, "compound": 3.0, "chd": 4.0, "ucc": 5.0}  # Mb/s


def setting(profile="quick", **changes):
    return experiments.setting(profile, **(SETTING | changes))


@pytest.fixture
def made_up(monkeypatch):
    """Replace the engines: each flow gets what `GOODPUT` says, a little more by its seed.

    Return the scenarios by experiment and engine.
    """
    seen = {}

    def sweep(scenarios, *, engine, experiment, labels):
        assert len(scenarios) == len(labels)
        seen[experiment, engine] = scenarios
        rows = []
        for scenario, label in zip(scenarios, labels.to_dict("records"), strict=True):
            for flow in scenario.flows:
                mbps = GOODPUT[flow.congestion_control.name] * (1 + 0.01 * scenario.seed)
                counts = dict.fromkeys(experiments.COUNTED, scenario.seed)
                rows.append(label | counts | {"flow": flow.name, "goodput_bps": 1e6 * mbps})
        return pd.DataFrame(rows)

    monkeypatch.setattr(experiments, "sweep", sweep)
    return seen


def test_a_profile_decides_what_is_left_open():
    paper = setting("paper")
    assert len(paper.loss_rates) == 8
    assert (paper.repetitions, paper.segment_repetitions, paper.duration_s) == (10, 30, 100.0)
    quick = setting(repetitions=8, loss_rates=[0.02])
    assert (quick.loss_rates, list(quick.seeds)) == ([0.02], list(range(1, 9)))
    assert (quick.segment_repetitions, quick.duration_s) == (8, 20.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"profile": "fast"}, "profile is 'fast'"),
        ({"loss_rates": [0]}, "one of them above 0"),
        ({"loss_rates": [0.1, 1.0]}, "from 0 to below 1"),
        ({"repetitions": 1}, "repetitions is 1: it must be 2 or more"),
        ({"segment_repetitions": 2}, "must be 3"),
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
    curves = experiments.backoff_curves()
    assert list(curves) == ["queueing delay (ms)", "40", "50"]
    assert curves[["40", "50"]].max().tolist() == pytest.approx([0.5, 0.5])
    delay = curves["queueing delay (ms)"]
    assert delay[curves["40"].idxmax()] == pytest.approx(30.0)
    assert (curves.loc[delay > 40.01, "40"] == 0).all()


def test_a_window_on_an_even_clock_fills_the_link_or_does_not():
    table = experiments.closed_queue([24, 48, 49, 60]).set_index("W")
    held = experiments.PIPE_PACKETS + 1
    assert 48 < held < 49
    assert table["even, (6)"].tolist() == [0, 0, 1, 1]
    assert table["even, rho"].tolist() == [24 / held, 48 / held, 1, 1]
    # An arrival finds the queue of a window with one packet less.
    wider = experiments.closed_queue([25]).loc[0, "random, (6)"]
    assert wider == table.loc[24, "random, rho"]


def test_on_an_empty_link_a_clock_sees_what_is_left_of_its_last_tick():
    """The delay without a queue is 20.9275 ms: 93 % of all packets get 21 ticks of 1 ms, not 20."""
    table = experiments.clocks([1e-3, 1e-2]).set_index("utilization")
    assert table.loc[0.0, "1 ms"] == pytest.approx(0.92752)
    assert table.loc[0.0, "10 ms"] == pytest.approx(0.092752)
    assert (table.diff().dropna() > 0).all(axis=None)


def test_theory_is_given_where_packets_or_services_are_random():
    table = experiments.queues_by_event(["M/D/1", "D/M/1", "U/U/1"])
    assert table["theory"].notna().tolist() == [True, True, False]
    assert table["busy"].tolist() == pytest.approx([0.8] * 3, abs=0.03)


def test_the_unknown_minimum_never_halves_up_to_100_packets():
    table = experiments.halving_probabilities().set_index("N")
    assert (table.loc[[10, 50, 100], "0.99, unknown"] == 0).all()
    assert table.loc[101, "0.99, unknown"] > 0


# --- runs


def test_pairs_are_on_both_engines_where_the_figures_rest_on_ns3(made_up):
    one = setting()
    runs = experiments.pairs(one)
    points = len(one.loss_rates) * one.repetitions
    assert len(made_up["ucc-pairs", "ns3"]) == 11 * points  # all but four of the fifteen
    assert len(made_up["ucc-pairs-segment", "segment"]) == 15 * points + 6 * 3 * 3
    assert not runs.either.duplicated(experiments.IDENTITY).any()
    assert runs.either["seed"].max() == one.repetitions
    asked = runs.either[["N1", "N2", "engine"]].drop_duplicates()
    assert (asked["engine"] == "segment").sum() == 4
    for scenario, row in zip(
        made_up["ucc-pairs", "ns3"], runs.ns3.iloc[::2].itertuples(), strict=True
    ):
        controls = [flow.congestion_control for flow in scenario.flows]
        names = [one.controls[name] for name in (row.N1, row.N2)]
        assert [c.name for c in controls] == [n if isinstance(n, str) else n["name"] for n in names]
        (radio,) = [link for link in scenario.links if (link.source, link.target) == ("R", "N3")]
        assert radio.loss_per_packet == row.loss


def test_equal_flows_are_summed_and_engines_compared(made_up):
    one = setting()
    runs = experiments.pairs(one)
    both = experiments.together(runs)
    first = both[(both["control"] == "UCC") & (both["seed"] == 1)]
    assert first["Mb/s"].tolist() == pytest.approx([10.1] * 3)
    assert (both["recoveries"] == 2 * both["seed"]).all()
    compared = experiments.compared_engines(runs)
    assert (compared["equal in every count"] == compared["flows"]).all()
    assert compared["flows"].sum() == len(runs.ns3)
    other = runs.segment.assign(timeouts=runs.segment["timeouts"] + (runs.segment["seed"] == 1))
    compared = experiments.compared_engines(runs._replace(segment=other))
    assert (compared["equal in every count"] * 3 == compared["flows"] * 2).all()


def test_through_is_what_both_flows_of_the_chain_got(made_up):
    one = setting()
    chain = experiments.chain(one)
    through = experiments.through(chain).set_index(["control", "loss", "seed"])["Mb/s"]
    assert through["UCC", 0.001, 2] == pytest.approx(10.2)
    order = experiments.order(through.reset_index())
    assert order[["control", "reference"]].drop_duplicates().to_numpy().tolist() == [
        ["CHD w/o DCC", "UCC"],
        ["UCC", "NewReno"],
    ]
    assert order["ratio"].tolist() == pytest.approx([0.8] * 3 + [2.5] * 3)
    compared = experiments.compared_chains(chain, one)
    assert compared["ns-3"].equals(compared["segment"])
    assert (compared["flows"] == 9).all()
    assert (compared["equal in every count"] == 9).all()
    assert experiments.compared_chains(chain, setting(loss_rates=[0.02])).empty


def test_tables_of_assumptions_have_the_ratios_of_the_runs(made_up):
    one = setting(ucc_parameters={"alpha": 0.9})
    table = experiments.assumptions(one).set_index("variant")
    assert list(table.index) == list(experiments.VARIANTS)
    assert table["UCC (Mb/s)"].tolist() == pytest.approx([10.2] * 10)
    assert table["UCC / CHD"].str.startswith("1.250 [").all()
    assert (table["the same"] == "same").all()
    assert set(experiments.layouts(one)["layout"]) == {"one", "opposite"}
    assert experiments.buffers(one)["ratio"].tolist() == pytest.approx([1.0] * 10)
    assert len(experiments.routes(one)) == 6
    estimators = experiments.estimators(one).set_index("setting")
    assert estimators.loc["alpha = 0.5", "two UCC flows, p = 0.01"].startswith("10.20 ± ")
    assert estimators.loc["alpha = 0.5", "NewReno beside UCC, p = 0.01"].startswith("2.04 ± ")
    alphas = {
        scenario.flows[0].congestion_control.parameters["alpha"]
        for scenario in made_up["ucc-estimators", "segment"]
    }
    assert alphas == {0.5, 0.9, 0.95, 0.999}


def test_only_the_changed_routes_change(made_up):
    experiments.routes(setting())
    changes = {
        tuple((c.at_s, c.delay_s) for link in scenario.links for c in link.changes)
        for scenario in made_up["ucc-routes", "segment"]
    }
    assert changes == {(), ((6.0, 0.03),), ((6.0, 0.01),)}


def test_harm_is_against_ones_own_kind_and_fairness_of_the_pair(made_up):
    table = experiments.sharing(experiments.pairs(setting()), setting())
    row = table[(table["loss"] == 0.001) & (table["control"] == "UCC")].iloc[0]
    fair = statistics.jain_index([5.0, 2.0])
    assert row["to NewReno"] == f"+0 % · {fair:.2f}"
    assert row["to UCC"] == "+0 % · 1.00"
    assert experiments.sharing(
        experiments.pairs(setting(loss_rates=[0.02])), setting(loss_rates=[0.02])
    ).empty


def test_without_random_loss_only_those_runs_count(made_up):
    table = experiments.without_loss(experiments.pairs(setting())).set_index("control")
    assert table.loc["UCC", "Mb/s"] == pytest.approx(10.2)
    assert table["Jain's index"].tolist() == pytest.approx([1.0] * 5)
    assert experiments.without_loss(experiments.pairs(setting(loss_rates=[0.02]))).empty


# --- verdicts


def judged(one, elsewhere=(-0.2, 0.05)):
    runs = experiments.pairs(one)
    beside = statistics.beside(runs.either)
    error, halfwidth = elsewhere
    table = experiments.verdicts(
        one,
        together=experiments.together(runs),
        beside=beside,
        order=experiments.order(experiments.through(experiments.chain(one))),
        same=experiments.sameness(beside, one),
        same_more=experiments.sameness(statistics.beside(runs.segment), one),
        elsewhere=pd.DataFrame(
            {
                "network": ["radio link", "two bottlenecks"],
                "loss": [0.01, 0.01],
                "error": [-0.9, error],
                "halfwidth": [0.01, halfwidth],
            }
        ),
    )
    return table.set_index("id")


def test_every_claim_is_judged_by_what_was_measured(made_up):
    table = judged(setting())
    assert list(table.index) == list(papers.claims("ucc")["id"])
    verdict = table["verdict"]
    assert verdict["ucc-f3-ahead"] == verdict["ucc-f8-above-newreno"] == "reproduced"
    assert verdict["ucc-f8-below-chd"] == "not reproduced"
    assert verdict["ucc-f4-newreno"] == "reproduced"
    assert table.loc["ucc-f4-newreno", ["measured", "engine"]].tolist() == [
        pytest.approx(0.0, abs=1e-9),
        "ns3",
    ]
    assert "3 runs a point" in table.loc["ucc-f4-newreno", "reason"]
    assert verdict["ucc-s1-newreno-suffers"] == "not reproduced"  # the same with and without loss
    assert table.loc["ucc-s1-newreno-suffers", "measured"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("elsewhere", "verdict"),
    [
        ((-0.2, 0.05), "not reproduced"),
        ((0.2, 0.05), "reproduced"),
        ((0.2, 0.5), "undecidable"),
    ],
)
def test_the_safe_side_is_judged_over_two_bottlenecks(made_up, elsewhere, verdict):
    row = judged(setting(), elsewhere).loc["ucc-s4-safe"]
    assert (row["verdict"], row["measured"]) == (verdict, elsewhere[0])


def test_a_loss_rate_that_a_claim_needs_may_be_left_out(made_up):
    row = judged(setting(loss_rates=[0.02])).loc["ucc-s1-newreno-suffers"]
    assert row["verdict"] == "not yet measured"
    assert np.isnan(row["measured"])


def test_more_runs_decide_what_the_first_leave_open(made_up):
    one = setting()
    runs = experiments.pairs(one)
    same = experiments.sameness(statistics.beside(runs.either), one)
    table = experiments._sameness_judged(one, same.assign(verdict="open"), same)
    assert {row["engine"] for row in table.values()} == {"segment"}
    assert {row["verdict"] for row in table.values()} == {"reproduced"}
