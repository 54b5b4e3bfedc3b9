"""Transfers on the transport core: the tests of the engine `segment`, and beside that engine."""

import core_results
import pytest
import test_transfers
from test_transfers import *  # noqa: F403  (its tests are collected here once more)
from test_transfers import METHODS, run

from longfat.engines import segment

pytestmark = pytest.mark.slow  # until the engine `segment` is this core

old_engine = segment.simulate

# The old engine's own sources, and what has nothing to do with an engine.
for name in (
    "test_the_checksum_is_right_in_any_order_and_any_cut",
    "test_the_checksum_is_wrong_for_what_is_missing_doubled_or_misplaced",
    "test_the_engine_compiles_without_a_warning",
    "test_other_engines_say_that_they_have_none",
    "test_an_export_says_that_a_kernel_has_none",
):
    del globals()[name]


@pytest.fixture(autouse=True)
def on_the_core(monkeypatch):
    monkeypatch.setattr(test_transfers.segment, "simulate", core_results.simulate)


@pytest.mark.parametrize("method", METHODS)
def test_a_transfer_without_losses_is_as_in_the_old_engine(method, monkeypatch):
    """Equal in every count, and in time within that of a few segments."""
    wide = {"queue_packets": 10_000}
    new = run(*METHODS[method], **wide).transfers.iloc[0]
    monkeypatch.setattr(segment, "simulate", old_engine)
    old = run(*METHODS[method], **wide).transfers.iloc[0]
    for column in ("delivered_bytes", "packets_sent", "packets_sent_again", "bytes_sent", "rounds"):
        assert new[column] == old[column]
    assert new["transfer_time_s"] == pytest.approx(old["transfer_time_s"], abs=0.005)
