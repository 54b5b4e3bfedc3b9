"""Engines: the same scenario in, the same kind of result out."""

from types import ModuleType

from longfat import store
from longfat.engines import ns3
from longfat.errors import InputError, nearest
from longfat.result import Result
from longfat.scenario import Scenario

ENGINES: dict[str, ModuleType] = {"ns3": ns3}


def get(engine: str) -> ModuleType:
    """Return the engine of that name: a module with `simulate` and `ingredients`.

    Raises InputError for an unknown name.
    """
    if engine not in ENGINES:
        known = sorted(ENGINES)
        raise InputError(
            f"unknown engine '{engine}': known are {', '.join(known)}.{nearest(engine, known)}"
        )
    return ENGINES[engine]


def simulate(scenario: Scenario, engine: str = "ns3", time_limit_s: float = 3600) -> Result:
    """Return the scenario's result: from the archive, else from the local cache, else by a run.

    A run that was made is kept in the local cache. Raises InputError for an unknown engine or one
    that this machine does not have, SimulationError for a run that fails or takes longer than
    `time_limit_s`.
    """
    chosen = get(engine)
    key = store.key(scenario, chosen.ingredients(scenario))
    result = store.find(key, scenario)
    if result is None:
        result = chosen.simulate(scenario, time_limit_s)
        result.provenance["key"] = key
        store.keep(key, result)
    return result
