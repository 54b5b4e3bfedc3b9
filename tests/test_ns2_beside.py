"""ns-2 beside the other engines: what the page shows is what is archived."""

import numpy as np
import pytest

from longfat.book import chapters, show
from longfat.experiment import Table
from longfat.studies import ns2_beside

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def page():
    return chapters.find("ns2")


def test_every_sender_has_every_loss_rate_on_both(page):
    runs = page.runs.flows(*ns2_beside.PLAIN)
    counts = runs.groupby(["engine", "control", "loss"]).size()
    assert (counts == 5).all()
    assert len(counts) == 2 * len(ns2_beside.controls()) * len(ns2_beside.LOSSES)


def test_newreno_and_cubic_cannot_be_told_apart_from_ours(page):
    table = ns2_beside.goodput_comparison(page.runs).set_index("control")
    for control in ("newreno", "cubic"):
        rows = table.loc[control]
        assert ((rows["low"] <= 1) & (rows["high"] >= 1)).all()


def test_the_table_has_linux_where_it_was_run(page):
    table = page.data(page.find("ns2-beside", Table))
    assert len(table) == len(ns2_beside.controls()) * len(ns2_beside.LOSSES)
    linux = table.set_index("sender")["Linux (Mb/s)"]
    assert linux["CUBIC"].notna().all() and linux["Compound"].isna().all()
    assert {"HSTCP", "Scalable TCP"} <= set(linux.index)  # what Linux calls highspeed and scalable
    assert table["ns-2 / segment engine"].str.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]").all()
    row = ns2_beside.goodput_comparison(page.runs).iloc[0]
    assert np.isclose(row["ratio"], row["ns-2"] / row["segment engine"], rtol=0.05)


def test_every_gap_has_a_switch_that_closes_it(page):
    """Where ns-2 and our engine differ, what is left with one thing undone is chance, or 4 %."""
    table = ns2_beside.goodput_comparison(page.runs)
    apart = table[(table["low"] > 1) | (table["high"] < 1)]
    assert len(apart) > 10
    switches = ns2_beside.switches(page.runs).set_index(["control", "loss"])
    unexplained = []
    for row in apart.itertuples():
        if (row.control, row.loss) not in switches.index:
            unexplained.append((row.control, row.loss))
            continue
        found = switches.loc[(row.control, row.loss)]
        before, after = found["before"], found["after"]
        assert before["measured"] == pytest.approx(row.ratio)
        same = after["low"] <= 1 <= after["high"] or abs(after["measured"] - 1) < 0.045
        assert same, f"{row.control} at {row.loss}: {after}"
    # TCP-LP's clock is at work there, and so is a queue; Scalable is within one per cent; of
    # Westwood+ the cause is not known, as the page says.
    assert unexplained == [("lp", 1e-4), ("scalable", 1e-4), ("westwood-plus", 1e-2)]
    scalable = table.set_index(["control", "loss"]).loc[("scalable", 1e-4)]
    assert scalable["ratio"] == pytest.approx(1, abs=0.01)


def test_tcp_lp_is_standard_tcp_where_a_segment_takes_a_millisecond(page):
    switches = ns2_beside.switches(page.runs).set_index(["control", "loss"])
    plain = page.runs.flows(ns2_beside.PLAIN[0])
    plain = plain[plain["control"] == "lp"]
    for loss in (1e-3, 1e-2):
        before = plain.loc[plain["loss"] == loss, "goodput_bps"].mean() / 1e6
        assert switches.loc[("lp", loss), "ns-2"] > 2.5 * before


def test_the_page_has_a_row_a_switch_and_loss_rate(page):
    table = page.data(page.find("ns2-switches", Table))
    assert len(table) == sum(len(one.losses) for one in ns2_beside.SWITCHES)
    assert table["ratio after"].str.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]").all()


def test_a_table_of_texts_is_as_the_page_shows_it(page):
    one = page.find("ns2-beside", Table)
    shown = show.formatted(page.data(one), one.formats)
    assert shown["$p$"].unique().tolist() == ["0.0001", "0.001", "0.01"]
    assert shown["ns-2 (Mb/s)"].str.fullmatch(r"\d+\.\d\d").all()
    assert "–" in set(shown["Linux (Mb/s)"])
