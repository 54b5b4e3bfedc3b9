"""Memory: a run's does not grow with its length, and there is a limit to it."""

import pytest

from longfat import Record, SimulationError
from longfat.engines import ns3
from longfat.topologies import satellite

pytestmark = [pytest.mark.slow, pytest.mark.ns3]


TRACES = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=2000)


def peak_memory_bytes(duration_s):
    result = ns3.simulate(satellite(loss=1e-3, duration_s=duration_s, record=TRACES))
    return result.provenance["peak_memory_bytes"]


def test_ten_times_as_long_takes_no_more_memory():
    """All of ns-3 is in these numbers: they are compared by their difference."""
    assert peak_memory_bytes(100) - peak_memory_bytes(10) < 4e6


def test_a_longer_trace_would_be_seen():
    """The same measurement tells a run that stores more from one that stores less."""
    few, many = (
        ns3.simulate(satellite(loss=0, duration_s=100, record=TRACES.model_copy(update=points)))
        for points in ({"points": 100}, {"points": 1_000_000})
    )
    difference = many.provenance["peak_memory_bytes"] - few.provenance["peak_memory_bytes"]
    assert difference > 1e6


def test_a_run_that_needs_more_memory_than_its_limit_is_one_clear_error():
    """Its sender fills a send buffer of a gigabyte."""
    greedy = satellite(loss=0, duration_s=2)
    flow = greedy.flows[0].model_dump() | {"send_buffer_bytes": 1_000_000_000}
    greedy = greedy.replace(flows=[flow])
    with pytest.raises(SimulationError, match=r"ran out of memory \(its limit is 50 MB\) on scen"):
        ns3.simulate(greedy, memory_limit_bytes=50_000_000)
    assert ns3.simulate(greedy).provenance["peak_memory_bytes"] > 1e8
