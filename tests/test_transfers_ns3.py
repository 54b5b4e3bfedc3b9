"""Transfers on ns-3, as applications over its sockets, beside the segment engine.

Packets there carry the file's bytes, and the receiver compares each: a run in which one is wrong,
missing or doubled does not end well.
"""

import pytest
from test_transfers import BYTES, HARDSHIPS, METHODS, RATE_BPS, STREAMS, by, flow, path

from longfat import InputError, Scenario
from longfat.engines import ns3, segment
from longfat.transfers import GridFtp, Transfer

CERTAIN = [name for name in HARDSHIPS if not name.startswith("loss")]  # no random number in them


def both(method, flows=(), file_bytes=BYTES, seed=1, series=(), links=None, **link):
    """Return what ns-3 gives, and the segment engine."""
    scenario = Scenario(
        links=links or path(**link),
        flows=flows,
        transfers=[{"bytes": file_bytes, "method": method}],
        duration_s=300,
        record={"series": series, "points": 10_000},
        seed=seed,
    )
    return ns3.simulate(scenario), segment.simulate(scenario)


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("hardship", HARDSHIPS)
@pytest.mark.parametrize("method", METHODS)
def test_every_byte_is_there_once(method, hardship):
    """ns-3's packets carry them: a run that misses, doubles or spoils one does not end well."""
    chosen, flows = METHODS[method]
    links = path(**HARDSHIPS[hardship])
    asked = [{"bytes": BYTES, "method": chosen}]
    scenario = Scenario(links=links, flows=flows, transfers=asked, duration_s=300)
    transfer = ns3.simulate(scenario).transfers.iloc[0]
    assert transfer["delivered_bytes"] == BYTES
    assert transfer["transfer_time_s"] > 8 * BYTES / RATE_BPS
    if not flows:  # by datagrams the source is told of the end
        assert transfer["acknowledged_s"] >= transfer["transfer_time_s"]


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("method", ["parallel tcp", "gridftp"])
def test_without_losses_streams_take_as_long_as_in_the_segment_engine(method):
    full, fast = (r.transfers.iloc[0] for r in both(*METHODS[method], queue_packets=10_000))
    assert full["packets_sent_again"] == fast["packets_sent_again"] == 0
    assert full["packets_sent"] == fast["packets_sent"]
    assert full["transfer_time_s"] == pytest.approx(fast["transfer_time_s"], rel=1e-3)


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("hardship", CERTAIN)
def test_rbudp_sends_what_it_does_in_the_segment_engine(hardship):
    """Messages there fill a whole segment of TCP, here they have their own length: 0.5 ms each."""
    full, fast = (result.transfers.iloc[0] for result in both(by("rbudp"), **HARDSHIPS[hardship]))
    counted = ["delivered_bytes", "packets_sent", "packets_sent_again", "rounds", "control_bytes"]
    if hardship != "reordering":  # where a packet may fall on either side of a change
        assert full[counted].tolist() == fast[counted].tolist()
    assert full["transfer_time_s"] == pytest.approx(fast["transfer_time_s"], abs=1e-2)
    assert full["acknowledged_s"] == pytest.approx(fast["acknowledged_s"], abs=1e-2)


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("hardship", CERTAIN)
def test_tsunami_ends_when_it_does_in_the_segment_engine(hardship):
    """Where a request comes half a millisecond later, another packet is lost."""
    full, fast = (r.transfers.iloc[0] for r in both(by("tsunami"), **HARDSHIPS[hardship]))
    assert full["delivered_bytes"] == BYTES
    assert full["packets_sent"] == pytest.approx(fast["packets_sent"], rel=0.05)
    assert full["transfer_time_s"] == pytest.approx(fast["transfer_time_s"], rel=0.1)


@pytest.mark.ns3
@pytest.mark.slow
def test_relays_pass_on_the_files_own_bytes():
    ends = [("a", "m"), ("m", "a"), ("m", "b"), ("b", "m")]
    links = [
        link.model_copy(update={"source": source, "target": target})
        for link, (source, target) in zip([*path(), *path(loss_per_packet=0.01)], ends, strict=True)
    ]
    flows = [flow(relays=["m"], send_buffer_bytes="auto"), STREAMS[0]]
    full, _ = both(GridFtp(flows=(0, 1)), flows, links=links)
    assert full.transfers["delivered_bytes"].item() == BYTES
    assert full.flows["delivered_bytes"].sum() > BYTES
    assert full.links["packets_lost"].max() > 5


@pytest.mark.ns3
@pytest.mark.slow
def test_a_slow_receiver_and_a_series_are_there_too():
    slower = by("rbudp", receiver_bps=4e6, socket_buffer_bytes=100_000)
    full, fast = both(slower, series=("received_bytes", "rate_bps"))
    assert full.transfers["packets_overrun"].item() > 100
    overrun = [result.transfers["packets_overrun"].item() for result in (full, fast)]
    assert overrun[0] == pytest.approx(overrun[1], rel=0.02)
    there = full.traces["received_bytes"]["received_bytes"]
    assert there.is_monotonic_increasing
    assert there.iloc[-1] == BYTES
    assert full.traces["rate_bps"]["rate_bps"].max() == 9e6


@pytest.mark.ns3
@pytest.mark.slow
def test_a_run_ends_with_its_transfers_and_the_flows_that_have_an_end():
    full, fast = both(by("rbudp", rate_bps=4e6), [flow(bytes=5_000_000)])
    assert full.flows["delivered_bytes"].item() == 5_000_000
    for result in (full, fast):
        ended = result.provenance["simulated_s"]
        assert ended == result.flows["transfer_time_s"].item() > 8 * 5e6 / RATE_BPS


def test_a_way_of_its_own_is_refused_in_a_sentence():
    own = Transfer(bytes=1, method=by("rbudp", path=("a", "b")))
    scenario = Scenario(links=path(), transfers=[own], duration_s=1)
    with pytest.raises(
        InputError, match=r"transfers\.0\.method\.path: the engine 'ns3' does"
    ) as no:
        ns3.simulate(scenario)
    assert "\n" not in str(no.value)
