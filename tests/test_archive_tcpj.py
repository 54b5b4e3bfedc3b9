"""What the chapter on TCP-J says of its archive: engines, repetitions, fit, the flaw of ns-3."""

import json

import pandas as pd
import pytest

from longfat import papers, paths, statistics, store, topologies


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
    runs["limited_transmit"] = [flow.get("limited_transmit", True) for flow in flows]
    counts = ["packets_lost", "packets_lost_in_outage", "packets_dropped_by_queue"]
    runs["lost"] = [
        sum(link[name] for link in json.loads(x) for name in counts) for x in runs.links
    ]
    return runs


def parameters() -> dict:
    """Return the parameters cell of the notebook."""
    notebook = json.loads((paths.NOTEBOOKS / "tcpj.ipynb").read_text(encoding="utf-8"))
    cell = next(c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    values: dict = {}
    exec("".join(cell["source"]), values)
    return values


@pytest.mark.parametrize(
    "experiment", ["random-loss", "wire", "alphas", "estimates", "outages", "handoffs"]
)
def test_what_carries_a_verdict_ran_ten_times_on_ns3(experiment):
    runs = store.read_archive(f"tcpj-{experiment}").drop_duplicates("key")
    assert set(runs["engine"]) == {"ns3"}
    repetitions = runs["seed"].value_counts()
    assert sorted(repetitions.index) == list(range(1, 11))
    assert repetitions.nunique() == 1


def test_the_fits_best_place_at_40_ms_is_the_chapters_link():
    fit = fields("tcpj-fit")
    assert set(fit["engine"]) == {"segment"}
    assert (
        fit.groupby(["rate_bps", "rtt_s", "protocol", "bit_error_rate"])["seed"].nunique().min()
        >= 3
    )
    printed = papers.claims("tcpj").query("where == 'table 2'")
    fit["rtt_s"] = fit["rtt_s"].round(6)
    fit = statistics.distance(
        statistics.gains(fit, "NewReno", ["rate_bps", "rtt_s", "bit_error_rate"]),
        printed,
        ["protocol", "bit_error_rate"],
    )
    assert (
        sorted(fit["bit_error_rate"].unique()) == sorted(printed["bit_error_rate"].unique())[1::2]
    )
    at_rtt = fit[fit["rtt_s"] == parameters()["rtt_s"]]
    error = at_rtt.groupby("rate_bps")["error"].apply(statistics.root_mean_square)
    assert error.idxmin() == parameters()["radio_rate_bps"] == papers.value("tcpj", "radio_rate")
    assert parameters()["rtt_s"] == papers.value("tcpj", "rtt")


def test_a_sender_without_sack_crawls_on_ns3_with_limited_transmit_only():
    crawl, clean = fields("tcpj-crawl"), fields("tcpj-handoffs")
    assert crawl["limited_transmit"].all()
    assert (crawl["retransmissions"] > 10 * crawl["lost"]).any()
    without = clean[~clean["protocol"].map(lambda name: topologies.TCPJ_PROTOCOLS[name][1])]
    assert not without["limited_transmit"].any()
    on_linux = fields("tcpj-crawl-linux")
    for runs in (clean, on_linux):
        assert (runs["retransmissions"] < 1.1 * runs["lost"] + 3).all()


def test_the_engines_are_equal_where_ns3_sent_whole_segments_only():
    counts = ["delivered_bytes", "segments_sent", "retransmissions"]
    full, fast = (fields(f"tcpj-{name}") for name in ("random-loss", "second-engine"))
    both = full.merge(fast, on="scenario", suffixes=("", "_fast"))
    assert len(both) == 400
    equal = (both[counts].to_numpy() == both[[f"{name}_fast" for name in counts]].to_numpy()).all(1)
    assert (equal == (both["delivered_bytes"] % 1460 == 0)).all()
    assert (both["delivered_bytes_fast"] % 1460 == 0).all()


def test_two_runs_on_the_wire_crawl_and_change_no_verdict():
    runs = store.read_archive("tcpj-wire")
    links = runs.groupby("key")["links"].transform("first").map(json.loads)
    runs["lost"] = [sum(link["packets_dropped_by_queue"] for link in of_run) for of_run in links]
    by_run = runs.groupby("key").agg(
        repeated=("retransmissions", "sum"), lost=("lost", "first"), seed=("seed", "first")
    )
    crawling = by_run[by_run["repeated"] > 2 * by_run["lost"]]
    assert set(crawling["seed"]) == {3, 8}
    clean = runs[~runs["seed"].isin(crawling["seed"])].copy()
    beside = clean.groupby("key")["flow"].transform(lambda names: "TCP-J 2" in set(names))
    rates = clean[beside].pivot(index="seed", columns="flow", values="goodput_bps")
    off = 300 * rates["TCP-J 2"] / rates.sum(axis=1) - 100
    assert statistics.finding(off, within=10)["verdict"] == "not reproduced"
    standard = clean[clean["flow"].isin(["NewReno 0", "SACK 1"])]
    standard = standard.groupby(["seed", beside])["goodput_bps"].sum().unstack()
    harm = 100 * (standard[True] / standard[False] - 1)
    assert statistics.finding(harm, within=10)["verdict"] == "undecidable"
