"""The data of the page on routers that help, on a small scale."""

import shutil

import numpy as np
import pandas as pd
import pytest
import small

from longfat.book import chapters
from longfat.experiment import Runs
from longfat.studies import assistance_ns2, ptp, routers

pytestmark = pytest.mark.medium


@pytest.fixture(scope="module")
def archived() -> Runs:
    """The page's runs, as archived."""
    return chapters.find("routers").runs


def some(name: str, **points) -> Runs:
    return small.of(routers.experiments(), None, f"routers-{name}", **points)


def test_a_link_is_full_once_nine_tenths_are_in_use_and_the_queue_counts_from_then_on():
    table = pd.DataFrame(
        {
            "sender": "x",
            "time_s": [0.1, 0.2, 0.3, 0.4],
            "share": [0.5, 0.9, 1.0, 0.8],
            "queue_packets": [50, 10, 20, 30],
        }
    )
    (row,) = routers.filled(table).to_dict("records")
    assert row == {"sender": "x", "full_s": 0.2, "queue": 20.0, "largest": 50}
    never = routers.filled(table.assign(share=0.1))
    assert np.isnan(never["full_s"]).all()


def test_xcp_fills_the_link_as_fast_as_slow_start_and_stops_in_time(archived):
    shape = routers.filled(routers.filling(archived)).set_index("sender")
    assert shape.at["xcp", "full_s"] <= 10 * routers.RTT_S
    assert shape.at["xcp", "largest"] < 0.5 * shape.at["newreno", "largest"]
    assert shape.at["xcp", "queue"] < 0.1 * shape.at["newreno", "queue"]


def test_three_flows_share_evenly_with_xcp_and_not_with_newreno():
    table = routers.round_trip_fairness(some("sharing", sender=["xcp", "newreno"]))
    first = table.groupby("sender").first()
    assert first.at["xcp", "fairness"] > 0.99
    assert first.at["newreno", "fairness"] < 0.6
    assert table.groupby("sender")["rtt_s"].apply(list)["xcp"] == list(routers.OWN_RTTS_S)


def test_quick_start_saves_the_round_trips_of_slow_start():
    table = routers.saving(some("saving", segments=[100], asked=[0.0, 5.12]))
    took = table.set_index("asked")["seconds"]
    assert took[0.0] - took[5.12] > 2 * 2 * routers.SATELLITE["delay_s"]


def test_a_managed_queue_is_short():
    table = routers.managed(Runs(None, [routers.managed_experiment(1)])).set_index("queue")
    assert list(table.index) == [
        *("drop-tail", "RED", "RED and ECN", "CoDel", "CoDel and ECN", "PIE", "PIE and ECN"),
    ]
    assert (table["delay_ms"].drop("drop-tail") < 0.1 * table.at["drop-tail", "delay_ms"]).all()


def test_promises_are_judged_by_what_was_found():
    filled = pd.DataFrame({"sender": ["xcp"], "full_s": [0.5], "queue": [13.0], "largest": [40]})
    sharing = pd.DataFrame({"sender": ["xcp"], "retransmissions": [0], "fairness": [0.94]})
    mixed = pd.DataFrame({"newreno": [1], "xcp": [0.46], "part": [0.5]})
    saved = pd.DataFrame(
        [(n, a, s) for n, a, s in ((1000, 0.0, 4.0), (1000, 5.12, 2.0))]
        + [(10_000, 0.0, 8.0), (10_000, 5.12, 9.0)],
        columns=["segments", "asked", "seconds"],
    )
    managed = pd.DataFrame(
        {
            "queue": ["drop-tail", "RED", "CoDel", "PIE", "CoDel and ECN"],
            "delay_ms": [100.0, 20.0, 30.0, 25.0, 30.0],
            "again": [2.0, 1.0, 1.0, 1.0, 0.4],
        }
    )
    judged = routers.promises(
        filled=filled, sharing=sharing, mixed=mixed, saved=saved, managed=managed
    )
    assert judged["kept"].tolist() == [
        *("yes", "no", "yes", "no", "yes"),
        *("yes", "no", "yes", "no", "yes", "yes"),
    ]


def test_ns2_shares_and_queues_as_we_do(archived):
    """What is archived of ns-2 (data/routers-ns2.csv) beside the same networks here."""
    table = routers.beside_ns2(archived).set_index(["flows", "engine"])
    for flows in (1, 3):
        here, there = table.loc[(flows, "segment")], table.loc[(flows, "ns2")]
        assert here["used"] == pytest.approx(there["used"], abs=0.005)
        assert abs(here["queue"] - there["queue"]) < 2  # packets
        assert here["largest"] == pytest.approx(there["largest"], rel=0.25)
        assert here["drops"] == there["drops"] == 0
    parts = [f"share_{n}" for n in range(3)]
    here, there = (table.loc[(3, engine), parts].astype(float) for engine in ("segment", "ns2"))
    assert np.abs(here - there).max() < 0.01


@pytest.mark.skipif(shutil.which("ns") is None, reason="no ns-2 here")
def test_ns2s_archived_numbers_come_out_again():
    archived = pd.read_csv(routers.NS2)
    for rtts_s, row in zip(routers.NS2_CASES, archived.to_dict("records"), strict=True):
        for name, value in routers.run_ns2(rtts_s).items():
            assert row[name] == pytest.approx(value, abs=1e-6)


# --- CADPC, and Quick-Start and Snoop beside ns-2, from the archive


def test_cadpc_keeps_what_it_promises_but_its_part_beside_tcp(archived):
    judged = ptp.promises(
        shares=ptp.shares(archived),
        acknowledged=ptp.acknowledged(archived),
        lossy=ptp.lossy(archived),
        sharing=ptp.round_trip_fairness(archived),
        beside=ptp.newreno_coexistence(archived),
    ).set_index("promise")
    lost = judged.index[judged["kept"] == "no"].tolist()
    assert lost == ["with no loss", "keeps its part beside TCP"]


def test_nothing_that_is_assumed_of_cadpc_decides(archived):
    table = ptp.assumptions(archived)
    swings = (table["gain"] == 1.5) & (table["round_trips"] == 1)  # too fast: it never rests
    assert table.loc[~swings, "part"].between(0.245, 0.255).all()
    assert table.loc[swings, "part"].between(0.24, 0.245).all()
    assert table["beside"].max() < 0.1
    assert table["settled_s"].max() < 40


def test_quick_start_takes_as_long_on_ns2(archived):
    table = assistance_ns2.quick_start(archived)
    assert len(table) == 15
    assert table["here"].to_numpy() == pytest.approx(table["ns2"].to_numpy(), rel=0.002)
    silent = table[~table["approves"]].set_index("segments")["ns2"]
    plain = table[table["approves"] & (table["asked"] == 0)].set_index("segments")["ns2"]
    assert silent.to_dict() == plain.to_dict()


def test_snoop_on_ns2_comes_near_ours_when_no_duplicate_reaches_the_sender():
    table = assistance_ns2.snoop(Runs(None, [assistance_ns2.snoop_experiment()])).set_index(
        ["case", "engine", "loss"]
    )["Mb/s"]
    for loss, factor in ((1e-3, 0.99), (3e-3, 0.98), (1e-2, 0.96), (3e-2, 0.9)):
        ours = table["Snoop", "segment", loss]
        named = [table[case, "ns2", loss] for case in list(assistance_ns2.SNOOP_CASES)[1:]]
        assert named == sorted(named)  # each cause undone brings it nearer
        assert factor * ours < named[-1] < ours


@pytest.mark.skipif(shutil.which("ns") is None, reason="no ns-2 here")
def test_ns2s_snoop_and_quick_start_come_out_again():
    rows = pd.read_csv(assistance_ns2.SNOOP).set_index(["case", "loss", "seed"])
    assert rows.loc[("Snoop", 0.03, 2)].to_dict() == assistance_ns2.run_snoop("Snoop", 0.03, 2)
    rows = pd.read_csv(assistance_ns2.QUICK_START).set_index(["segments", "asked", "part"])
    again = assistance_ns2.run_quick_start(1000, 5.12)
    assert rows.loc[(1000, 5.12, 1.0)].to_dict() == pytest.approx(again, abs=1e-6)
