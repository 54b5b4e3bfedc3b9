"""The repository's own archive: complete, up to date, and true to the last digit."""

import pyarrow.parquet as pq
import pytest

from longfat import audit, paths, store
from longfat.result import MORE_FLOW_COLUMNS, FlowRow, MediaStreamRow, TransferRow

pytestmark = pytest.mark.book


def test_every_archived_result_is_of_the_present_engine_and_headers():
    stale = audit.stale()
    assert stale.empty, (
        f"stale: {', '.join(stale['experiment'].unique())}; 'longfat audit --accept' where no "
        "digit has changed, else raise the version and run 'longfat reproduce'"
    )


@pytest.mark.slow
@pytest.mark.ns3
def test_a_random_sample_comes_out_again_to_the_last_digit():
    compared = audit.audit(2, seed=1)
    assert len(compared) == 2
    assert compared["equal"].all()


# Where a transfer may be under way at the end: ns-2's sender behind a queue of a fifth of its
# window goes from timeout to timeout.
NOT_DONE = {"hybla-inverse-more"}


def check_transfers(result, simulated_s):
    """A transfer that was done has all of its bytes, and one that was not has had all its time."""
    told = result.transfer_rows()
    for transfer, came in zip(result.scenario.transfers, told, strict=True):
        if came["transfer_time_s"] is None:
            assert came["delivered_bytes"] <= transfer.bytes
            assert simulated_s == result.scenario.duration_s
        else:
            assert came["delivered_bytes"] == transfer.bytes


def check_flow(experiment, result, flow, simulated_s):
    scenario = result.scenario
    finite = scenario.flows[0].bytes
    if finite and flow["transfer_time_s"] is None:  # not done in the time that it was given
        assert experiment in NOT_DONE
        assert flow["delivered_bytes"] < finite
        assert simulated_s == scenario.duration_s
    elif finite:
        assert flow["delivered_bytes"] == finite
        assert flow["transfer_time_s"] > 0
    if len(scenario.flows) > 1 or scenario.transfers:  # a link's losses are of all on it
        assert flow["goodput_bps"] >= 0  # of many streams one may carry nothing
        return
    assert flow["goodput_bps"] > 0
    if not any(
        one.sends_own_packets for one in scenario.flows
    ):  # else lost are packets of the sender's own too
        lost = {link["source"]: link["packets_lost"] for link in result.link_rows()}
        bursts = any(link.loss_bursts for link in scenario.links)
        # lost, and not yet sent again at the end: of a burst all of a window may be
        open_ones = (scenario.flows[0].max_window_segments or 3) if bursts else 3
        assert flow["retransmissions"] >= 0.9 * lost[scenario.flows[0].source] - open_ones


def test_every_archive_is_whole():
    """Scenarios are canonical, and what was measured is physically possible: in a tenth of the runs
    of each experiment, the same ones always."""
    for experiment in store.experiments():
        runs = store.read_table(experiment, "runs")
        assert len(runs) == int(store.provenance()[experiment]["runs"])
        for run in range(0, len(runs), 10):
            result = store.archived_result(experiment, run)
            scenario, simulated_s = result.scenario, runs["simulated_s"][run]
            assert scenario.canonical_json() == runs["scenario"][run]
            assert scenario.seed == runs["seed"][run]
            assert len(result.flow_rows()) == len(scenario.flows)
            assert len(result.link_rows()) == len(scenario.links)
            check_transfers(result, simulated_s)
            for flow in result.flow_rows():
                check_flow(experiment, result, flow, simulated_s)


def test_the_papers_own_scale_is_archived():
    """Table 1 of the paper: 1000 s at each of the thirteen loss rates; ten repetitions and more."""
    table = store.read_archive("hybla-steady")
    assert len(table) == 13 * 20
    assert table["simulated_s"].to_numpy() == pytest.approx(1000)
    assert sorted(table["seed"].unique()) == list(range(1, 21))
    transfers = store.read_archive("hybla-transfers")
    assert transfers.groupby("flows.0.bytes").size().to_dict() == {
        10_000_000: 13 * 20,
        50_000_000: 13 * 20 + 140,  # more at one loss rate, where a verdict was open
        100_000_000: 13 * 20 + 60,
    }


@pytest.mark.parametrize(
    ("table", "row"),
    [("transfers", TransferRow), ("flows", FlowRow), ("media_streams", MediaStreamRow)],
)
def test_an_archives_columns_are_those_of_a_result(table, row):
    """A column that was renamed is renamed in the archive."""
    known = {"run", *row.__annotations__, *(MORE_FLOW_COLUMNS if table == "flows" else ())}
    for path in paths.RESULTS.glob(f"*/{table}.parquet"):
        assert set(pq.read_schema(path).names) <= known, path
