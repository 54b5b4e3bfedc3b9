"""Long, Fat & Lossy: TCP over satellites, radio links and intercontinental paths, re-executed."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.engines import simulate
    from longfat.errors import InputError, LongfatError, SimulationError
    from longfat.links import (
        Arq,
        CoDel,
        FqCoDel,
        Link,
        LinkChange,
        LossBursts,
        Outage,
        Pie,
        Red,
        Snoop,
        Wtcp,
        Xcp,
    )
    from longfat.media_streams import MediaStream
    from longfat.result import Result
    from longfat.scenario import (
        CongestionControl,
        Flow,
        Handoff,
        Move,
        Ns2,
        Record,
        Reroute,
        Scenario,
    )
    from longfat.sweeps import sweep
    from longfat.transfers import Transfer

__all__ = [
    "Arq",
    "CoDel",
    "CongestionControl",
    "Flow",
    "FqCoDel",
    "Handoff",
    "InputError",
    "Link",
    "LinkChange",
    "LongfatError",
    "LossBursts",
    "MediaStream",
    "Move",
    "Ns2",
    "Outage",
    "Pie",
    "Record",
    "Red",
    "Reroute",
    "Result",
    "Scenario",
    "SimulationError",
    "Snoop",
    "Transfer",
    "Wtcp",
    "Xcp",
    "simulate",
    "sweep",
]

# A name is imported when it is first used: `longfat --help` needs none of them.
_HOMES = {
    "engines": ["simulate"],
    "errors": ["InputError", "LongfatError", "SimulationError"],
    "links": [
        "Arq",
        "CoDel",
        "FqCoDel",
        "Link",
        "LinkChange",
        "LossBursts",
        "Outage",
        "Pie",
        "Red",
        "Snoop",
        "Wtcp",
        "Xcp",
    ],
    "media_streams": ["MediaStream"],
    "result": ["Result"],
    "scenario": [
        "CongestionControl",
        "Flow",
        "Handoff",
        "Move",
        "Ns2",
        "Record",
        "Reroute",
        "Scenario",
    ],
    "sweeps": ["sweep"],
    "transfers": ["Transfer"],
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"longfat.{home}"), name)
    raise AttributeError(f"module 'longfat' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
