"""Many scenarios at once.

A result is stored when its run ends: by the worker in its cache, and by the caller in its own, so
that a sweep which is interrupted goes on where it was when it is called again. Sweeps that share a
cache share the work: each run is claimed by one of them (`longfat.store.claim`).
"""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed

import pandas as pd
from tqdm import tqdm

from longfat import engines, store
from longfat.errors import InputError, LongfatError, SimulationError, as_list
from longfat.result import Result, flow_table
from longfat.scenario import Scenario


def sweep(
    scenarios: Iterable[Scenario],
    engine: str = "segment",
    executor: Executor | None = None,
    experiment: str | None = None,
    labels: pd.DataFrame | None = None,
    time_limit_s: float = 3600,
    memory_limit_bytes: int | None = None,
) -> pd.DataFrame:
    """Simulate every scenario and return a table with a row a flow.

    Its columns are `scenario` (the position in `scenarios`), the columns of `labels` (a table with
    a row a scenario) or else the scenarios' fields that differ (named by path, such as
    `links.0.loss_per_packet`), and those of `Result.flows`. `executor` is any of
    `concurrent.futures` (or Dask's `client.get_executor()`); without one, all cores of this machine
    work. `experiment` names the archive that `longfat reproduce` writes. The limits hold for each
    run, as in `simulate`. Raises InputError for labels of another length, and SimulationError,
    after all other runs are done and stored, if runs failed.

    >>> from longfat import sweep, topologies
    >>> scenarios = [
    ...     topologies.reference(congestion_control="newreno", loss=loss, duration_s=2)
    ...     for loss in (0.0, 0.01)
    ... ]
    >>> table = sweep(scenarios, engine="segment")
    >>> table["links.0.loss_per_packet"].tolist()
    [0.0, 0.01]
    """
    scenarios = list(scenarios)
    if labels is not None and len(labels) != len(scenarios):
        raise InputError(f"labels has {len(labels)} rows for {len(scenarios)} scenarios")
    if labels is None:
        labels = pd.DataFrame(store.varying_fields(scenarios), index=range(len(scenarios)))
    limits = (time_limit_s, memory_limit_bytes)
    return flows_of(simulate_all(scenarios, engine, executor, experiment, *limits), labels)


def flows_of(results: list[Result], labels: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `sweep` for these results; `labels` has a row for each."""
    rows = [result.flow_rows() for result in results]
    flows = flow_table([row for own in rows for row in own])
    flows.index = [number for number, own in enumerate(rows) for _ in own]
    return labelled(flows, labels)


def labelled(flows: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """Return flows, by the number of their scenario, each with its labels."""
    labels = labels.reset_index(drop=True)
    return labels.join(flows, how="right").rename_axis("scenario").reset_index()


def simulate_all(
    scenarios: list[Scenario],
    engine: str = "segment",
    executor: Executor | None = None,
    experiment: str | None = None,
    time_limit_s: float = 3600,
    memory_limit_bytes: int | None = None,
) -> list[Result]:
    """Simulate every scenario, the longest first, and return the results in the given order.

    Arguments and errors as in `sweep`. Equal scenarios are simulated once.
    """
    if executor is None:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return simulate_all(
                scenarios, engine, threads, experiment, time_limit_s, memory_limit_bytes
            )
    archived = experiment if experiment and store.reproducing() else None
    if archived:
        engines.accept_new(scenarios, engine)
    versions = engines.versions(scenarios, engine)
    keys = [scenario.canonical_json() for scenario in scenarios]
    first = dict(zip(reversed(keys), reversed(range(len(keys))), strict=True))
    done = {
        key: result
        for key, i in first.items()
        if (result := store.find(scenarios[i], engine, versions[i], experiment))
    }
    to_do = [i for key, i in first.items() if key not in done]
    _refuse([(i, scenarios[i]) for i in to_do], engine)
    failures = []
    try:
        with tqdm(None, experiment, len(to_do), unit="run", disable=None) as progress:
            # What another sweep runs now is left to it, and its results are waited for at the end;
            # what a worker took along when it died is given out once more.
            for again in (False, True):
                limits = (time_limit_s, memory_limit_bytes, again)
                to_do.sort(key=lambda i: (-expected_bytes(scenarios[i]), i))
                calls = {i: (scenarios[i], engine, *limits) for i in to_do}
                to_do = []
                for i, future in _in_order_of_their_end(executor, calls):
                    try:
                        result = future.result()
                        if result is None:
                            to_do.append(i)
                            continue
                        wanted = store.key(scenarios[i], engine, versions[i])
                        done[keys[i]] = _received(result, wanted)
                    except SimulationError as error:
                        failures.append(f"scenario {i}: {store.keep_failure(error)}")
                    except LongfatError:
                        raise
                    except Exception as error:  # of the executor: a worker that died, a broken pool
                        if not again:
                            to_do.append(i)
                            continue
                        what = f"{type(error).__name__}: {error}"
                        failures.append(f"scenario {i}: its worker failed: {what}")
                    progress.update()
    except KeyboardInterrupt:  # what runs now is given up
        engines.stop(engine)
        raise
    if failures:
        raise SimulationError(
            f"{len(failures)} of {progress.total} runs failed, all others are stored:\n  "
            + "\n  ".join(failures)
        )
    results = [done[key] for key in keys]
    if archived:
        store.write_archive(archived, [done[key] for key in dict.fromkeys(keys)])
    return results


def _refuse(scenarios: list[tuple[int, Scenario]], engine: str) -> None:
    """Raise InputError, with the number of each, for scenarios that an engine cannot run."""
    refused = []
    for number, scenario in scenarios:
        try:
            engines.check(scenario, engine)
        except InputError as error:
            refused.append(f"scenario {number}: {error}")
    if refused:
        raise InputError(as_list(refused, "scenarios are refused, none was run"))


def _in_order_of_their_end(executor: Executor, calls: dict) -> Iterator[tuple[int, Future]]:
    """Submit the calls of `engines.find_or_run`; at the end, whatever the end, none is waiting."""
    futures = {_submitted(executor, call): i for i, call in calls.items()}
    try:
        for future in as_completed(futures):
            yield futures[future], future
    finally:
        for future in futures:
            future.cancel()


def _submitted(executor: Executor, call: tuple) -> Future:
    """Submit a call; where the executor takes none any more, its future says so."""
    try:
        return executor.submit(engines.find_or_run, *call)
    except RuntimeError as error:  # it is shut down, or broken
        refused: Future = Future()
        refused.set_exception(error)
        return refused


def _received(result: Result, key: str) -> Result:
    """Store a result that a worker with another cache made."""
    made = result.provenance["key"]
    if made != key:
        raise InputError(
            f"a worker has another version of longfat or its engine than this process: its result "
            f"has the key {made} instead of {key}; install the same version on all workers"
        )
    if not store.is_cached(key):
        store.keep(key, result)
    return result


def can_run(scenarios: Iterable[Scenario], engine: str, experiment: str | None = None) -> bool:
    """Return whether this machine can give every result: the engine is here, or each is stored.

    Where it cannot, a line on standard output says what is left out and how to get it, so that the
    page of a notebook says it too. `experiment` is the archive in which they probably are. Raises
    InputError for an unknown engine.
    """
    if engines.is_here(engine):
        return True
    scenarios = list(scenarios)
    versions = engines.versions(scenarios, engine)
    missing = [
        one
        for one, own in zip(scenarios, versions, strict=True)
        if not store.is_stored(one, engine, own, experiment)
    ]
    if missing:
        print(
            f"Left out here: {len(missing)} runs on the engine '{engine}', which this machine does "
            f"not have ({engines.get(engine).HOW_TO_GET})."
        )
    return not missing


def expected_bytes(scenario: Scenario) -> float:
    """Return how much the flows could send at most: the measure of a run's length."""
    capacity = scenario.duration_s * max(link.rate_bps for link in scenario.links) / 8
    window = [
        scenario.duration_s
        * (flow.max_window_segments or float("inf"))
        * flow.segment_bytes
        / max(1e-3, 2 * max(link.delay_s for link in scenario.links))
        for flow in scenario.flows
    ]
    by_flows = sum(
        min(flow.bytes or float("inf"), capacity, limit)
        for flow, limit in zip(scenario.flows, window, strict=True)
    )
    return by_flows + sum(transfer.bytes for transfer in scenario.transfers)
