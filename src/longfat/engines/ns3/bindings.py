"""ns-3 through its Python bindings: the engine and all headers compiled by Cling, in this process.

For a notebook or a test that calls C++ from Python: after `load`, `cppyy.gbl.ns3` is ns-3 and
`cppyy.gbl.longfat` what the headers define, and `cppyy.include` takes any other header. Where there
is no C++ compiler to compile the engine's library, `python -m longfat.engines.ns3.bindings` is the
server of runs.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any, get_args

from longfat.engines.ns3 import HERE, accelerate, server

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def warm_up_scenario():
    """Return a scenario with something of everything."""
    from longfat.network import duplex
    from longfat.scenario import Flow, FlowSeries, LinkSeries, Record, Scenario

    path = duplex(
        "a",
        "b",
        rate_bps=1e6,
        delay_s=0.01,
        queue_packets=5,
        mark_above_packets=2,
        loss_per_packet=0.02,
        outages=[{"start_s": 0.5, "duration_s": 0.1}],
        changes=[{"at_s": 0.7, "rate_bps": 2e6}, {"at_s": 0.8, "loss_per_packet": 0.01}],
    )
    other = duplex("b", "c", rate_bps=1e6, delay_s=0.01, queue_packets=5)
    series = [name for kind in (FlowSeries, LinkSeries) for name in get_args(kind)]
    offered = [name for name in series if name not in ("bandwidth_bps", "utilization")]
    flows = [
        Flow(
            source="a",
            target="b",
            congestion_control={"name": "hybla", "parameters": {"rtt0_s": 0.025}},
            max_window_segments=50,
            stop_s=1.5,
            ecn=True,
            path=["a", "b"],
            reroutes=[{"at_s": 1, "path": ["a", "b"]}],
            handoffs=[{"at_s": 1, "kind": "local"}],
        ),
        Flow(
            source="a",
            target="c",
            congestion_control="newreno",
            bytes=10_000,
            relays=["b"],
            send_buffer_bytes="auto",
            receive_buffer_bytes="auto",
        ),
    ]
    everything = Record(series=offered, points=2)
    return Scenario(links=[*path, *other], flows=flows, duration_s=2, record=everything)


def load(headers: bool = True):
    """Load ns-3, every congestion control and the engine's C++; return their namespace.

    Without `headers`, load ns-3 alone.
    """
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    accelerate.load()
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    import cppyy

    if not headers:
        return None
    from longfat.cc import catalogue
    from longfat.engines.ns3 import request

    for header in [
        HERE / "run.h",
        *(a.header_path for a in catalogue.algorithms().values() if a.header),
    ]:
        cppyy.include(str(header))
    # What runs once is compiled, before the forks.
    execute(cppyy.gbl.longfat, request(warm_up_scenario()))
    cppyy.gbl.ns3.Simulator.Destroy()
    return cppyy.gbl.longfat


@contextlib.contextmanager
def _quiet_stderr():
    saved = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(saved, kept.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def execute(cpp, request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network in ns-3, run it, and return what it measured."""
    return json.loads(str(cpp.Run(json.dumps(request))))


def _loaded() -> tuple[Callable[[str], str], bool]:
    cpp = load()
    return lambda request: str(cpp.Run(request)), accelerate.loaded


if __name__ == "__main__":
    server.serve(_loaded)
