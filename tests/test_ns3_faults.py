"""The page on ns-3's faults: what its tables and figures say of made-up runs, and of real ones."""

import pandas as pd
import pytest

from longfat.book import chapters, sphinx
from longfat.paths import NOTEBOOKS
from longfat.studies import ns3_faults
from longfat.studies.ns3_faults import OURS, SATELLITE, SOCKET, STOCK, TERRESTRIAL


class MadeUp:
    """Two seeds of Hybla at each of two loss rates on both paths; the goodput is in Mb/s."""

    def __init__(self, **goodputs: float):
        rows = [
            (path, "hybla", loss, leg, seed, 1e6 * (goodput + 0.01 * seed), 3 * seed)
            for path in (SATELLITE, TERRESTRIAL)
            for leg, goodput in goodputs.items()
            for loss in (1e-4, 5e-3)
            for seed in (1, 2)
        ]
        columns = ["path", "sender", "loss", "leg", "seed", "goodput_bps", "timeouts"]
        table = pd.DataFrame(rows, columns=columns)
        self._table = table.assign(**{"Mb/s": table["goodput_bps"] / 1e6})

    def flows(self, *_: str) -> pd.DataFrame:
        return self._table


def test_changes_are_of_pairs_with_the_same_seed():
    table = ns3_faults.changes(MadeUp(**{OURS: 8.0, SOCKET: 4.0}))
    assert set(table["leg"]) == {SOCKET}
    assert table["gain"].between(-50, -49.8).all()
    assert (table["high"] < 0).all()


def test_goodputs_have_their_interval_and_timeouts():
    table = ns3_faults.goodputs(MadeUp(**{OURS: 8.0, STOCK: 4.0}))
    assert table["path"].tolist() == [SATELLITE] * 2 + [TERRESTRIAL] * 2
    assert table["loss"].tolist() == [1e-4, 5e-3] * 2
    assert table[STOCK].tolist() == ["4.01 ± 0.06"] * 4  # 12.7 times the deviation over root 2
    assert table[f"timeouts, {OURS}"].tolist() == [4.5] * 4


def test_the_largest_change_is_of_means_and_up_or_down():
    made_up = MadeUp(**{OURS: 8.0, SOCKET: 4.0, STOCK: 10.0})
    assert 49.8 < ns3_faults.largest_change(made_up, SOCKET) < 50
    assert 24.9 < ns3_faults.largest_change(made_up, STOCK) < 25


def test_stock_ns3_has_its_own_senders_and_recovery_and_ours_is_without():
    for experiment in chapters.find("faults").experiments:
        flows = [flow for scenario in experiment.scenarios for flow in scenario.flows]
        stock = experiment.name.endswith("-stock-ns3")
        assert {flow.congestion_control.name.endswith("-ns3") for flow in flows} == {stock}
        assert {flow.recovery for flow in flows} == {"prr-ns3-3.44" if stock else "prr"}
        assert experiment.engine == ("ns3" if "ns3" in experiment.name else "segment")


def test_our_renos_keep_to_the_square_root_law_but_for_a_round_of_recovery():
    page = chapters.find("faults", profile="quick")
    own = page.runs.flows("faults-square-root-segment")
    assert set(own["sender"]) == {"standard", "newreno", "reno"}
    model = ns3_faults.with_a_round_of_recovery(ns3_faults.WIDE_LOSSES)
    assert model["ratio"].is_monotonic_decreasing
    assert 0.99 < model["ratio"].iloc[0] < 1
    assert 0.8 < model["ratio"].iloc[-1] < 0.95


@pytest.mark.ns3
def test_after_one_loss_ns3_sends_nothing_where_rfc_9937_sends_one_for_two():
    windows = ns3_faults.one_recovery(chapters.find("faults").runs)
    sent = windows.pivot(index="time_s", columns="reduction", values="sent_segments")
    silence = sent.loc[10.6:10.75]
    increase = silence.iloc[-1] - silence.iloc[0]
    assert increase["as ns-3 3.44 does"] == 0
    assert increase["as RFC 9937 says"] > 60


@pytest.mark.ns3
def test_without_sack_ns3_resends_what_was_not_lost():
    table = ns3_faults.without_sack(chapters.find("faults").runs).set_index("leg")
    assert table.loc[STOCK, "retransmissions"] > 50 * table.loc[OURS, "retransmissions"]
    assert table.loc[STOCK, "Mb/s"] < 0.6 * table.loc[OURS, "Mb/s"]


def test_every_fault_is_worded_once():
    words = [ns3_faults.worded(of_controls=which) for which in (False, True)]
    assert sum(map(len, words)) == len(ns3_faults.table())
    assert "control" not in words[0] and "recovery" not in set(words[1]["control"])
    assert words[0].set_index("fault").loc["no-rescue", "program"] == "no-rescue.cc"


def test_the_page_names_the_last_commit_that_could_switch_faults_on():
    assert "06ff6e2" in (NOTEBOOKS / "faults.ipynb").read_text("utf-8")


def test_what_has_no_run_on_ns3_needs_no_word_about_it():
    assert sphinx.of_ns3(["hybla-steady"]) == ""
