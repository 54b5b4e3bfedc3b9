"""Long, Fat & Lossy: TCP over satellites, radio links and intercontinental paths, re-executed."""

from longfat.engines import simulate
from longfat.errors import InputError, LongfatError, SimulationError
from longfat.result import Result
from longfat.scenario import CongestionControl, Flow, Link, Outage, Record, Scenario
from longfat.sweep import sweep

__all__ = [
    "CongestionControl",
    "Flow",
    "InputError",
    "Link",
    "LongfatError",
    "Outage",
    "Record",
    "Result",
    "Scenario",
    "SimulationError",
    "simulate",
    "sweep",
]
