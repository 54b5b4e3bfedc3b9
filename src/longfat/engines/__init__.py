"""Engines: the same scenario in, the same kind of result out."""

from types import ModuleType

from longfat import store
from longfat.engines import ns3
from longfat.errors import InputError, SimulationError, nearest
from longfat.result import Result
from longfat.scenario import Scenario

ENGINES: dict[str, ModuleType] = {"ns3": ns3}


def get(engine: str) -> ModuleType:
    """Return the engine of that name: a module with `simulate`, `ingredients` and `stop`.

    Raises InputError for an unknown name.
    """
    if engine not in ENGINES:
        known = sorted(ENGINES)
        raise InputError(
            f"unknown engine '{engine}': known are {', '.join(known)}.{nearest(engine, known)}"
        )
    return ENGINES[engine]


def key(scenario: Scenario, engine: str) -> str:
    """Return the key under which the scenario's result on that engine is stored."""
    return store.key(scenario, get(engine).ingredients(scenario))


def simulate(
    scenario: Scenario,
    engine: str = "ns3",
    time_limit_s: float = 3600,
    memory_limit_bytes: int | None = None,
) -> Result:
    """Return the scenario's result: from the archive, else from the local cache, else by a run.

    A run that was made is kept in the local cache. Raises InputError for an unknown engine or one
    that this machine does not have, SimulationError for a run that fails, takes longer than
    `time_limit_s` or more memory than `memory_limit_bytes` beyond the engine's own; its scenario
    and the engine's last words are saved beside the cache.
    """
    try:
        return find_or_run(scenario, engine, time_limit_s, memory_limit_bytes)
    except SimulationError as error:
        raise store.keep_failure(error) from None


def find_or_run(
    scenario: Scenario, engine: str, time_limit_s: float, memory_limit_bytes: int | None
) -> Result:
    """Do what `simulate` does, but leave it to the caller to save a failure: a sweep's worker."""
    run_key = key(scenario, engine)
    result = store.find(run_key, scenario)
    if result is None:
        result = get(engine).simulate(scenario, time_limit_s, memory_limit_bytes)
        result.provenance["key"] = run_key
        store.keep(run_key, result)
    return result
