"""The data step of the chapter on TCP-J, on made-up tables and without an engine."""

import numpy as np
import pandas as pd
import pytest

from longfat import engines, papers, statistics
from longfat.errors import InputError
from longfat.papers.tcpj import experiments, explorer
from longfat.papers.tcpj.experiments import PROTOCOLS, Setting
from longfat.papers.tcpj.network import handoff


@pytest.fixture
def no_engine(monkeypatch, empty_archive):
    """A machine that can simulate nothing, and has nothing archived."""
    monkeypatch.setattr(engines, "is_here", lambda engine: False)
    monkeypatch.setattr(engines, "find_or_run", lambda *call, **more: pytest.fail("a run"))


def random_loss(gains: dict[str, float], rates=(1e-6, 4e-6), seeds=4) -> pd.DataFrame:
    """Runs whose gains over NewReno are those given (%), within a per mille from run to run."""
    rows = [
        {
            "bit_error_rate": rate,
            "protocol": protocol,
            "seed": seed,
            "goodput_bps": 1e6 * (1 + gains.get(protocol, 0) / 100) * (1 + 1e-3 * (seed % 2)),
            "retransmissions": 10 * seed,
            "packets_lost": 10,
        }
        for rate in rates
        for protocol in PROTOCOLS
        for seed in range(1, seeds + 1)
    ]
    return pd.DataFrame(rows)


def flows(with_tcpj: dict[str, float], with_sack: dict[str, float]) -> pd.DataFrame:
    """Flows of four runs on the wire with these goodputs."""
    rows = [
        {
            "trio": trio,
            "seed": seed,
            "flow": flow,
            "goodput_bps": rate * (1 + 1e-6 * ((seed + i) % 3)),
        }
        for trio, rates in (("with TCP-J", with_tcpj), ("with SACK", with_sack))
        for i, (flow, rate) in enumerate(rates.items())
        for seed in (1, 2, 3, 4)
    ]
    return pd.DataFrame(rows)


def test_the_profile_decides_what_is_not_stated():
    paper, quick = Setting(), Setting(profile="quick")
    assert len(paper.bit_error_rates) == 10 and list(paper.seeds) == list(range(1, 11))
    assert quick.bit_error_rates == [1e-7, 4e-7, 1e-6, 4e-6, 1e-5]
    assert (quick.repetitions, quick.duration_s, len(quick.silences)) == (3, 60, 1)
    own = Setting(profile="quick", bit_error_rates=[1e-6], repetitions=5, duration_s=20)
    assert (own.bit_error_rates, len(own.few_seeds), own.silences) == ([1e-6], 3, ())
    assert own.handoff_at_s == 10
    assert Setting(new_rate_bps=1502 * 8e3, rtt_s=0.005).held_segments == pytest.approx(35)
    for wrong in ({"profile": "small"}, {"repetitions": 0}):
        with pytest.raises(InputError):
            Setting(**wrong)


def test_the_settings_defaults_are_the_papers_table():
    setting = Setting()
    assert setting.rate_bps == papers.value("tcpj", "radio_rate")
    assert setting.rtt_s == papers.value("tcpj", "rtt")
    assert setting.new_rate_bps == papers.value("tcpj", "new_radio_rate")
    assert setting.repetitions == papers.value("tcpj", "repetitions")
    assert setting.duration_s == papers.value("tcpj", "duration")
    assert setting.handoff_at_s == papers.value("tcpj", "handoff_time")


def test_a_round_trip_that_a_network_cannot_have_is_refused_in_a_sentence():
    with pytest.raises(InputError, match=r"rtt_s is 0\.009: it must be at least 0\.01 s"):
        handoff("TCP-J", "local", rate_bps=3e6, new_rate_bps=1e6, cost_s=0.09, rtt_s=0.009)
    assert handoff("TCP-J", "local", rate_bps=3e6, new_rate_bps=1e6, cost_s=0.09, rtt_s=0.01)
    inputs = {item.symbol.name: item for item in explorer.explorer(rtt_s=0.8).inputs}
    assert inputs["RTT"].high == 0.8  # the slider follows a longer one


def test_the_best_rate_is_the_lowest_point_of_a_parabola():
    rates = np.array([1e6, 2e6, 3e6, 4e6, 5e6])
    surface = pd.DataFrame({"rate_bps": rates, "rtt_s": 0.04, "all": (rates / 1e6 - 2.7) ** 2})
    away = surface.assign(rtt_s=0.1, all=surface["all"] + 1)
    both = pd.concat([surface, away])
    for table in (both, both[both["rate_bps"] <= 3e6]):  # in the middle, and at the edge
        best = experiments.best_rate(table, rtt_s=0.04)
        assert best.on_map_bps == 3e6
        assert best.of_parabola_bps == pytest.approx(2.7e6)
    places = experiments.best_links(both)
    assert list(places["rate_bps"][:2]) == [3e6, 2e6]
    assert places["segments in flight"][0] == pytest.approx(3e6 * 0.04 / 8 / 1502)


def test_the_map_of_the_fit_is_a_root_mean_square():
    rows = [
        {"rate_bps": 1e6, "rtt_s": 0.04, "protocol": protocol, "error": error}
        for protocol, errors in {"SACK": (0, 0), "Westwood": (3, 4), "TCP-J": (-1, 1)}.items()
        for error in errors
    ]
    (link,) = experiments.fit_surface(pd.DataFrame(rows)).to_dict("records")
    assert link["Westwood"] == pytest.approx(np.sqrt(12.5))
    assert (link["SACK"], link["TCP-J"]) == (0, 1)
    assert link["all"] == pytest.approx(np.sqrt((9 + 16 + 1 + 1) / 6))


def test_table_2_is_reproduced_by_runs_that_have_its_gain_and_by_no_others():
    printed = papers.table("tcpj", 2)[4e-6]
    runs = random_loss(printed.to_dict())
    table = experiments.table_2(runs).set_index(["protocol", "bit_error_rate"])
    for protocol in PROTOCOLS[1:]:
        assert table.at[(protocol, 4e-6), "verdict"] == "reproduced"
    assert table.at[("TCP-J", 1e-6), "verdict"] == "not reproduced"
    found = experiments.table_2_findings(runs)
    assert found["tcpj-abstract-191"]["measured"] == pytest.approx(printed["TCP-J"])
    assert found["tcpj-t2-tcpj-4e-6"]["reason"].endswith("was predicted")
    ratio = (100 + printed["TCP-J"]) / (100 + printed["Westwood"])
    assert found["tcpj-abstract-35"]["measured"] == pytest.approx(100 * ratio - 100)
    assert found["tcpj-s4-above-westwood"]["verdict"] == "reproduced"
    assert found["tcpj-s4-newreno-sack"]["verdict"] == "reproduced"
    assert set(found) <= set(papers.claims("tcpj")["id"])
    worded = experiments.worded_table_2(table.reset_index())
    assert list(worded["BER"]) == ["1e-06", "4e-06"] * 3  # neither of them fitted
    quality = experiments.fit_quality(table.reset_index()).set_index("error rates")
    assert quality.loc["fitted"].isna().all()
    assert quality.at["predicted", "SACK"] < quality.at["predicted", "TCP-J"]


def test_error_rates_that_the_paper_does_not_print_give_no_verdict():
    assert experiments.table_2_findings(random_loss({}, rates=[3e-6])) == {}
    assert "tcpj-abstract-191" not in experiments.table_2_findings(random_loss({}, rates=[1e-6]))
    assert experiments.worded_table_2(experiments.table_2(random_loss({}, [3e-6]))).empty


def test_one_run_has_gains_and_no_interval():
    table = experiments.table_2(random_loss({"TCP-J": 50}, seeds=1))
    worded = experiments.worded_table_2(table).set_index(["protocol", "BER"])
    assert worded.at[("TCP-J", "4e-06"), "ours"] == "50.0"
    assert worded.at[("TCP-J", "4e-06"), "one run"] == "–"
    assert set(table["verdict"]) == {"undecidable"}


def test_repeated_segments_are_counted_per_loss():
    row = experiments.repeated_per_loss(random_loss({})).iloc[0]
    assert (row["SACK, mean"], row["SACK, max"]) == (2.5, 4.0)


def test_shares_and_harm_on_the_wire():
    fair = {"NewReno 0": 1.0, "SACK 1": 1.0, "TCP-J 2": 1.0}
    greedy = {"NewReno 0": 0.5, "SACK 1": 0.5, "TCP-J 2": 2.0}
    found = experiments.sharing_findings(flows(fair, fair))
    assert {one["verdict"] for one in found.values()} == {"reproduced"}
    found = experiments.sharing_findings(flows(greedy, fair))
    assert {one["verdict"] for one in found.values()} == {"not reproduced"}
    assert found["tcpj-s4-shares"]["measured"] == pytest.approx(100, rel=1e-4)
    assert found["tcpj-s4-shares"]["reason"].startswith("TCP-J's share")
    assert found["tcpj-s4-no-harm"]["measured"] == pytest.approx(-50, rel=1e-4)
    assert list(experiments.sharing(flows(greedy, fair)).table["flow"]) == [
        "NewReno",
        "SACK",
        "TCP-J",
    ]


def test_the_fairest_alpha_is_held_against_the_papers():
    rows = [
        {"alpha": alpha, "seed": seed, "off": off + seed}
        for alpha, off in {0.5: 10, 0.9: 20, 0.99: 60}.items()
        for seed in (1, 2, 3)
    ]
    finding = experiments.alpha_finding(pd.DataFrame(rows))
    assert finding["measured"] == -10 and finding["verdict"] == "not reproduced"
    assert finding["reason"].startswith("alpha = 0.5 ")


def test_the_estimates_are_judged_by_bias_error_and_variation():
    rows = [
        {
            "bit_error_rate": rate,
            "protocol": protocol,
            "seed": seed,
            "bias": 0.01 if protocol == "TCP-J" else 0.2,
            "error": 0.3 if protocol == "TCP-J" else 0.2,
            "variation": 0.3 if protocol == "TCP-J" else 0.2,
            "lowest": 50.0 if protocol == "TCP-J" else 20.0,
        }
        for rate in (1e-8, 1e-6)
        for protocol in ("TCP-J", "Westwood")
        for seed in (1, 2, 3)
    ]
    found = experiments.estimate_findings(pd.DataFrame(rows))
    assert {name: one["verdict"] for name, one in found.items()} == {
        "tcpj-s4-abe-near-1e-8": "reproduced",
        "tcpj-s4-tustin-near-1e-8": "not reproduced",
        "tcpj-s4-tustin-faithful": "reproduced",
        "tcpj-s4-abe-steadier": "not reproduced",
        "tcpj-s4-above-in-outage": "reproduced",
    }
    without = experiments.estimate_findings(pd.DataFrame(rows).assign(lowest=np.nan))
    assert set(found) - set(without) == {"tcpj-s4-above-in-outage"}


def test_one_length_of_outage_refutes_that_tcpj_is_always_ahead():
    rows = [
        {"outage_s": length, "protocol": protocol, "seed": seed, "goodput_bps": rate}
        for length, other in ((0.1, 1e6), (1.0, 3e6))
        for protocol, rate in {"TCP-J": 2e6, "SACK": other, "NewReno": 1e5}.items()
        for seed in (1, 2, 3)
    ]
    finding = experiments.outage_finding(pd.DataFrame(rows))
    assert finding["verdict"] == "not reproduced"
    assert finding["reason"].endswith("SACK at 1 s")


def moved(**windows: float) -> pd.DataFrame:
    """The runs of `Handoffs`, all alike but for the windows of Westwood."""
    design = pd.DataFrame(experiments.MOVES, columns=["protocol", "kind", "announced"])
    runs = design.merge(pd.DataFrame({"seed": [1, 2, 3]}), how="cross")
    runs["label"] = runs["protocol"].where(runs["announced"], runs["protocol"] + ", not announced")
    runs[["goodput_bps", "settled", "first 10 s", "retransmissions", "packets_lost"]] = [
        1e6,
        20.0,
        40.0,
        30,
        10,
    ]
    for name, value in windows.items():
        runs.loc[runs["protocol"] == "Westwood", name.replace("_", " ")] = value
    return runs


def test_windows_after_a_handoff_are_held_against_pipe_and_buffer():
    verdicts = {
        name: one["verdict"]
        for name, one in experiments.handoff_findings(moved(first_10_s=60.0), 50.0).items()
    }
    assert verdicts["tcpj-s4-local-tcpj"] == "reproduced"  # 20 of 50
    assert verdicts["tcpj-s4-local-westwood"] == "not reproduced"  # as large as TCP-J's
    assert verdicts["tcpj-s4-nonlocal-westwood"] == "reproduced"
    assert verdicts["tcpj-s4-nonlocal-tcpj"] == "reproduced"
    verdicts = experiments.handoff_findings(moved(settled=30.0), 50.0)
    assert verdicts["tcpj-s4-local-westwood"]["measured"] == pytest.approx(50)
    assert verdicts["tcpj-s4-nonlocal-westwood"]["verdict"] == "not reproduced"


def test_every_claim_is_judged_or_said_to_be_not_yet_measured():
    one = {"NewReno 0": 1.0, "SACK 1": 1.0, "TCP-J 2": 1.0}
    rows = statistics.combinations(
        bit_error_rate=[1e-8, 1e-6], protocol=["TCP-J", "Westwood"], seed=[1, 2, 3]
    ).assign(bias=0.0, error=0.1, variation=0.1, lowest=np.nan)
    outage = statistics.combinations(outage_s=[1.0], protocol=PROTOCOLS, seed=[1, 2, 3])
    judged = experiments.verdicts(
        Setting(engine="segment"),
        random_loss=random_loss({"TCP-J": 50}),
        wire=experiments.Wire(flows(one, one), pd.DataFrame()),
        alphas=statistics.combinations(alpha=[0.5, 0.9], seed=[1, 2, 3]).assign(off=1.0),
        estimates=experiments.Estimates(rows, {}),
        outages=outage.assign(goodput_bps=1e6),
        handoffs=experiments.Handoffs(moved(), {}),
        filter_cost=pd.DataFrame(
            {"step": ["WestwoodFormula", "TcpJFormula"], "ns_per_ack": [3.0, 2.0]}
        ),
    ).set_index("id")
    assert list(judged.index) == list(papers.claims("tcpj")["id"])
    missing = judged[judged["verdict"] == "not yet measured"]
    assert "tcpj-s4-above-in-outage" in missing.index and "tcpj-t2-sack-1e-7" in missing.index
    assert len(missing) == 24 - 6 + 1  # six cells of table 2 have runs
    assert judged.at["tcpj-s2-cost", "measured"] == pytest.approx(50)
    assert set(judged["engine"]) == {"segment", "compiled headers"}


def test_a_leg_whose_engine_is_missing_is_left_out(no_engine, capsys):
    setting = Setting(engine="segment", repetitions=1)
    second = experiments.second_engine(setting, random_loss({}))
    assert second.table.empty and "ns3" in second.table
    assert experiments.stacks(setting).empty
    crawl = experiments.crawling(setting, moved())
    assert set(crawl["engine"]) == {"segment"}
    assert set(crawl["runs"]) == {3} and set(crawl["crawling"]) == {3}
    assert set(crawl.loc[crawl["limited transmit"] == "on", "case"]) == {"SACK, local"}
    said = capsys.readouterr().out
    assert said.count("Left out here") == 5 and "'linux'" in said and "'ns3'" in said


def test_the_figures_can_be_drawn():
    """With as little as one run, and with cells of table 2 missing."""
    from longfat.book import drawings_tcpj as draw

    setting = Setting(bit_error_rates=[1e-6], repetitions=1)
    runs = random_loss({"TCP-J": 50}, rates=[1e-6], seeds=1)
    runs["Mb/s"] = runs["goodput_bps"] / 1e6
    points = statistics.interval(runs, ["bit_error_rate", "protocol"], "Mb/s")
    figure = draw.random_losses(points, experiments.expected(setting, [1e-7, 1e-6]))
    (axes,) = figure.axes
    assert len(axes.containers) == len(PROTOCOLS)
    assert axes.get_legend_handles_labels()[1][:2] == ["model of Reno (pftk)", "link always busy"]
    draw.table_2(experiments.table_2(runs))
    draw.filters(experiments.filter_steps(setting))
