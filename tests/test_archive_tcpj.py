"""What the chapter on TCP-J says of its archive: engines, repetitions, fit, what is held fixed."""

import json

import pandas as pd
import pytest

from longfat import papers, paths, statistics, store, topologies
from longfat.book import chapters
from longfat.papers.tcpj import claims, plan

pytestmark = pytest.mark.book


def fields(experiment: str) -> pd.DataFrame:
    """Return an archive with the scenarios' fields that the tests need."""
    runs = store.read_archive(experiment)
    runs = runs[runs["scenario"].notna()].reset_index(drop=True)
    scenarios = runs["scenario"].map(json.loads)
    radio = [scenario["links"][2] for scenario in scenarios]
    flows = [scenario["flows"][0] for scenario in scenarios]
    runs["rate_bps"] = [link["rate_bps"] for link in radio]
    runs["bit_error_rate"] = [link.get("loss_per_bit", 0.0) for link in radio]
    runs["rtt_s"] = [2 * sum(link["delay_s"] for link in s["links"][::2]) for s in scenarios]
    runs["protocol"] = [flow["name"].split()[0] for flow in flows]
    runs["sack"] = [flow.get("sack", True) for flow in flows]
    runs["limited_transmit"] = [flow.get("limited_transmit", True) for flow in flows]
    runs["ssthresh"] = [flow.get("initial_ssthresh_segments") for flow in flows]
    runs["lost again"] = [flow.get("lost_retransmissions", "detected") for flow in flows]
    counts = ["packets_lost", "packets_lost_in_outage", "packets_dropped_by_queue"]
    lost = store.read_table(experiment, "links").groupby("run")[counts].sum().sum(axis=1)
    runs["lost"] = runs["run"].map(lost)
    return runs


def parameters(name: str = "tcpj") -> dict:
    """Return the parameters cell of a notebook."""
    notebook = json.loads((paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    cell = next(c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    values: dict = {}
    exec("".join(cell["source"]), values)
    return {key: value for key, value in values.items() if not key.startswith("__")}


def test_both_pages_have_the_same_parameters():
    assert parameters() == parameters("tcpj-long")


@pytest.mark.parametrize(
    ("experiment", "repetitions", "more"),
    [
        *(("wire", 20, []), ("outages", 12, []), ("handoffs", 12, []), ("keep", 10, [])),
        ("random-loss", 20, [80] * 4),  # a number for each point where a verdict was open
        ("newcomers", 10, [110] * 2),
        ("wires", 8, [400] * 2),
        ("alphas", 8, [110] * 4 + [80] * 2),
        ("handoffs-varied", 6, [50] * 2),
    ],
)
def test_every_run_is_repeated_as_often_as_the_page_says(experiment, repetitions, more):
    runs = store.read_archive(f"tcpj-{experiment}").drop_duplicates("run")
    assert set(runs["engine"]) == {"segment"}
    counted = runs["seed"].value_counts()
    assert sorted(counted.index) == list(range(1, repetitions + 1))
    assert counted.nunique() == 1
    assert (f"tcpj-{experiment}-more" in store.experiments()) == bool(more)
    if more:
        added = store.read_archive(f"tcpj-{experiment}-more").drop_duplicates("run")
        expected = {
            seed: sum(seed <= count for count in more)
            for seed in range(repetitions + 1, max(more) + 1)
        }
        assert added["seed"].value_counts().to_dict() == expected


def test_what_is_varied_ran_eight_times_and_the_tick_twenty():
    runs = store.read_archive("tcpj-varied").drop_duplicates("run")
    ticks = runs["scenario"].str.contains("rtt_tick_s")
    for own, count in ((runs[ticks], 20), (runs[~ticks], 8)):
        often = own["seed"].value_counts()
        assert sorted(often.index) == list(range(1, count + 1)) and often.nunique() == 1


def test_the_estimates_ran_more_often_where_they_scatter():
    runs = pd.concat([fields("tcpj-estimates"), fields("tcpj-estimates-more")])
    often = runs.groupby(["bit_error_rate", "protocol"])["seed"].nunique()
    assert set(often[1e-6]) == {64} and set(often[1e-8]) == {5}


def test_the_senders_are_those_of_2002():
    for name in ("random-loss", "fit", "outages", "estimates", "handoffs", "keep"):
        runs = fields(f"tcpj-{name}")
        assert set(runs["lost again"]) == {"timeout"}, name
        assert set(runs["ssthresh"]) == {44}, name
    assert set(fields("tcpj-today")["lost again"]) == {"detected"}


def test_the_fits_best_place_at_40_ms_is_the_chapters_link():
    fit = fields("tcpj-fit")
    assert set(fit["engine"]) == {"segment"}
    by = ["rate_bps", "rtt_s", "protocol", "bit_error_rate"]
    assert fit.groupby(by)["seed"].nunique().min() >= 3
    printed = plan.printed_table_2()
    fit["rtt_s"] = fit["rtt_s"].round(6)
    fit = statistics.distance(
        statistics.gains(fit, "NewReno", ["rate_bps", "rtt_s", "bit_error_rate"]),
        printed,
        ["protocol", "bit_error_rate"],
    )
    seen = sorted(printed["bit_error_rate"].unique())[1::2]
    assert sorted(fit["bit_error_rate"].unique()) == seen == list(plan.FITTED_RATES)
    at_rtt = fit[fit["rtt_s"] == papers.value("tcpj", "rtt")]
    error = at_rtt.groupby("rate_bps")["error"].apply(statistics.root_mean_square, left_out=1)
    assert error.idxmin() == papers.value("tcpj", "radio_rate")


def test_what_newcomers_leave_is_the_same_in_two_that_share_no_code():
    """Sixty runs on ns-2 beside ten and more of the segment engine: within 4 %, of eight cases."""
    runs = chapters.find("tcpj").runs.derived(claims.PARTS["newcomers"].make)
    often = runs[runs["engine"] == "ns2"].groupby(["kind", "label"])["seed"].nunique()
    assert set(often) == {60} and len(often) == len(plan.NEWCOMERS) * 2
    left = runs.groupby(["kind", "label", "engine"])["resident"].mean().unstack()
    assert left["ns2"].to_numpy() == pytest.approx(left["segment"].to_numpy(), rel=0.04)


def test_no_sender_crawls():
    """Without SACK ns-3's limited transmit once repeated up to 40 segments for a lost one."""
    for name in ("random-loss", "outages", "handoffs"):
        runs = fields(f"tcpj-{name}")
        assert (runs["retransmissions"] < 1.3 * runs["lost"] + 40).all(), name
    without = fields("tcpj-random-loss-ns3")
    without = without[~without["protocol"].map(lambda name: topologies.TCPJ_PROTOCOLS[name][1])]
    assert (without["retransmissions"] < 1.3 * without["lost"] + 40).all()


def test_linux_has_the_runs_of_the_segment_engine():
    names = ("tcpj-linux", "tcpj-stacks")
    linux, ours = (set(store.read_archive(name)["scenario"].dropna()) for name in names)
    assert linux < ours


def test_on_ns2_the_filter_makes_the_difference_that_the_timer_makes_on_the_segment_engine():
    """After a silence on ns-2 all wait for it, and Westwood's estimate falls with SACK too."""
    runs = plan.runs(plan.setting())
    table = claims.PARTS["after_outages"].make(runs)
    lowest = table.groupby(["engine", "protocol"])["lowest"].mean()
    assert lowest["segment", plan.WITH_SACK] > 85 > 60 > lowest["ns2", plan.WITH_SACK]
    assert lowest["ns2", "TCP-J"] > 75
    assert (table[table["engine"] == "ns2"].groupby("protocol")["timeouts"].mean() > 0.8).all()
