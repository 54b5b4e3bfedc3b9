"""ns-2 beside the other engines: what the page shows is what is archived."""

import numpy as np
import pytest

from longfat.book import tables
from longfat.papers import ns2_beside


@pytest.fixture(scope="module")
def archived():
    return ns2_beside.runs(ns2_beside.controls())


def test_every_sender_has_every_loss_rate_on_both(archived):
    counts = archived.groupby(["engine", "control", "loss"]).size()
    assert (counts == len(ns2_beside.SEEDS)).all()
    assert len(counts) == 2 * len(ns2_beside.controls()) * len(ns2_beside.LOSSES)


def test_newreno_and_cubic_cannot_be_told_apart_from_ours(archived):
    table = ns2_beside.beside(archived, {}).set_index("control")
    for control in ("newreno", "cubic"):
        rows = table.loc[control]
        assert ((rows["low"] <= 1) & (rows["high"] >= 1)).all()


def test_the_table_has_linux_where_it_was_run(archived):
    table = tables.ns2_beside()
    assert len(table) == len(ns2_beside.controls()) * len(ns2_beside.LOSSES)
    linux = table.set_index("sender")["Linux (Mb/s)"]
    assert (linux["cubic"] != "–").all() and (linux["compound"] == "–").all()
    assert table["ns-2 / segment engine"].str.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]").all()
    row = ns2_beside.beside(archived, {}).iloc[0]
    assert np.isclose(row["ratio"], row["ns-2"] / row["segment engine"], rtol=0.05)
