"""Engines: the same scenario in, the same kind of result out."""

import functools
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from longfat import paths, store
from longfat.cc import catalogue
from longfat.engines import behaviour, host, linux, ns2, ns3, segment
from longfat.engines.linux import planning as linux_planning
from longfat.engines.ns2 import planning as ns2_planning
from longfat.errors import InputError, SimulationError, nearest
from longfat.result import Result
from longfat.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

ENGINES: dict[str, ModuleType] = {
    "linux": linux,
    "ns2": ns2,
    "ns3": ns3,
    "segment": segment,
}


def get(engine: str) -> ModuleType:
    """Return the engine of that name: a module with `simulate`, `part`, `controls`,
    `is_here` and `stop`.

    Raises InputError for an unknown name.
    """
    if engine not in ENGINES:
        known = sorted(ENGINES)
        raise InputError(
            f"unknown engine '{engine}': known are {', '.join(known)}.{nearest(engine, known)}"
        )
    return ENGINES[engine]


def check(scenario: Scenario, engine: str) -> None:
    """Raise InputError for what a scenario asks and an engine does not have: nothing is run."""
    get(engine)
    checks: dict[str, Callable[[Scenario], object]] = {
        "linux": linux_planning.check,
        "ns2": ns2_planning.check,
        "ns3": ns3.request,
        "segment": segment.check,
    }
    checks[engine](scenario)


def is_here(engine: str) -> bool:
    """Return whether this machine can run that engine. Raises InputError for an unknown name."""
    return get(engine).is_here()


def with_control(name: str) -> list[str]:
    """Return the engines that have this congestion control. Raises InputError for an unknown one.

    >>> from longfat import engines
    >>> engines.with_control("hybla")
    ['ns3', 'segment', 'linux', 'ns2']
    """
    algorithm = catalogue.find(name)
    return (
        ["ns3"] * ns3.has(algorithm)
        + ["segment"] * bool(algorithm.header)
        + ["linux"] * (algorithm.name in linux_planning.algorithms())
        + ["ns2"] * (name in ns2.planning.algorithms())
    )


def key(scenario: Scenario, engine: str) -> str:
    """Return the key under which the scenario's result on that engine is stored."""
    return store.key(scenario, engine, versions([scenario], engine)[0])


def find(scenario: Scenario, engine: str, experiment: str | None = None) -> Result | None:
    """Return the scenario's result on that engine from the archive or the local cache, or None.

    `experiment` is the archive in which it probably is.
    """
    return store.find(scenario, engine, versions([scenario], engine)[0], experiment)


def versions(scenarios: Iterable[Scenario], engine: str) -> list[store.Versions]:
    """Return, a scenario each, the versions of behaviour of what decides its result (`parts`).

    The code of each part is looked at once for all of them.
    """
    known: dict[tuple[str, ...], store.Versions] = {}
    found = []
    for scenario in scenarios:
        names = _parts(scenario, engine)
        if names not in known:
            known[names] = behaviour.versions(map(part, names))
        found.append(known[names])
    return found


def changed_since(experiment: str) -> store.Versions:
    """Return what an archive's results were made by and is otherwise by now: its present version by
    its name, or the hash of code that has none; nothing where it is gone."""
    made_with = store.versions_of(experiment)
    if not made_with:
        return {"": ""}  # nothing says
    present = {name: _version(name) for name in made_with}
    return {name: present[name] for name, made in made_with.items() if present[name] != made}


def _version(name: str) -> str:
    try:
        return behaviour.versions([part(name)])[name]
    except InputError:  # a congestion control that is not here any more
        return ""


def answers(experiment: str, scenarios: Iterable[Scenario], engine: str = "segment") -> bool:
    """Return whether an archive of points may answer for these scenarios: whether what decides
    them is as it was. A warning says what is otherwise."""
    others = [
        (part, own[part])
        for own in versions(scenarios, engine)
        for part in store.other_versions(experiment, own)
    ]
    for part, version in others:
        store.say_not_answered(part, version)
    return not others


def read_as_made(experiment: str) -> "pd.DataFrame":
    """Return an archive's points, or its runs and flows (`store.read_archive`), for who does not
    make them again; says where what made them is otherwise by now (`say_as_made`)."""
    if experiment in store.points():
        table = store.read_table(experiment, "points")
    else:
        table = store.read_archive(experiment)
    say_as_made(experiment)
    return table


def say_as_made(experiment: str) -> None:
    """Warn, once, where an archive that is shown was made by what is otherwise by now."""
    if changed := changed_since(experiment):
        names = ", ".join(f"'{name}'" for name in changed if name)
        by = f"by other versions of {names} than are here" if names else "nothing says by what"
        _warn_once(f"the archive '{experiment}' is shown as it was made: {by}")


@functools.cache
def _warn_once(text: str) -> None:
    warnings.warn(text, stacklevel=4)


def parts(scenario: Scenario, engine: str) -> list[behaviour.Part]:
    """Return what decides the result beside the scenario: the engine, what of it not every run has,
    and the congestion controls that have a header of ours.
    """
    return [part(name) for name in _parts(scenario, engine)]


def _parts(scenario: Scenario, engine: str) -> tuple[str, ...]:
    controls = dict.fromkeys(get(engine).controls(scenario))
    ours = [behaviour.CONTROL + name for name in controls if catalogue.find(name).header]
    more = [segment.AS_LINUX] if engine == "segment" and segment.is_as_linux(scenario) else []
    return (engine, *more, *ours)


def accept_new(scenarios: Iterable[Scenario], engine: str = "segment") -> None:
    """Take the code here for that of its versions, where these have none yet
    (`behaviour.accept_new`): what is to be archived of these scenarios has their digits."""
    names = {name for scenario in scenarios for name in _parts(scenario, engine)}
    behaviour.accept_new(map(part, names))


def part(name: str) -> behaviour.Part:
    """Return an engine, a part of one ("segment/as-linux"), or a congestion control ("cc/hybla"),
    as it is now."""
    if name.startswith(behaviour.CONTROL):
        return behaviour.control(name.removeprefix(behaviour.CONTROL))
    if name == segment.AS_LINUX:
        return segment.as_linux_part()
    return get(name).part()


def simulate(
    scenario: Scenario,
    engine: str = "segment",
    time_limit_s: float = 3600,
    memory_limit_bytes: int | None = None,
) -> Result:
    """Return the scenario's result: from the archive, else from the local cache, else by a run.

    A run that was made is kept in the local cache. Raises InputError for an unknown engine or one
    that this machine does not have, SimulationError for a run that fails, takes longer than
    `time_limit_s` or more memory than `memory_limit_bytes` beyond the engine's own; its scenario
    and the engine's last words are saved beside the cache.

    >>> from longfat import simulate, topologies
    >>> scenario = topologies.reference(congestion_control="newreno", duration_s=10)
    >>> result = simulate(scenario, engine="segment")
    >>> round(float(result.flows["goodput_bps"].iloc[0]) / 1e6)  # Mb/s, on a link of 10 Mb/s
    9
    """
    try:
        result = find_or_run(scenario, engine, time_limit_s, memory_limit_bytes)
    except SimulationError as error:
        raise store.keep_failure(error) from None
    assert result, "it waits for one"
    return result


@contextmanager
def watched(report: Callable[[float], None]) -> Iterator[None]:
    """Have the runs of this thread report how far they are: seconds that are simulated.

    The engine `segment` reports about every second; the others do not.
    """
    token = host.watcher.set(report)
    try:
        yield
    finally:
        host.watcher.reset(token)


def find_or_run(
    scenario: Scenario,
    engine: str,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    wait: bool = True,
) -> Result | None:
    """Do what `simulate` does, but leave it to the caller to save a failure: a sweep's worker.

    While another process or thread with the same cache runs the scenario, wait for its result; or
    return None, if not to `wait`.
    """
    [own] = versions([scenario], engine)
    run_key = store.key(scenario, engine, own)
    stops = _stops
    result = store.find(scenario, engine, own)
    while result is None:
        with store.claim(run_key) as mine:
            result = store.find_cached(run_key)  # it may just have been made
            if result is None and mine:
                result = get(engine).simulate(scenario, time_limit_s, memory_limit_bytes)
                result.provenance.update(key=run_key, versions=own, commit=paths.commit())
                store.keep(run_key, result)
        if not (mine or wait):
            break
        if result is None:
            time.sleep(0.1)
            if stops != _stops:
                raise SimulationError("the run was given up")
    return result


_stops = 0


def stop(engine: str) -> None:
    """Give up every run that this process makes on the engine, or waits for."""
    global _stops
    _stops += 1
    get(engine).stop()
