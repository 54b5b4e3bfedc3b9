"""Many scenarios at once."""

import os
from collections.abc import Iterable
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed

import pandas as pd
from tqdm import tqdm

from longfat import store
from longfat.engines import simulate
from longfat.errors import InputError, SimulationError
from longfat.result import Result
from longfat.scenario import Scenario


def sweep(
    scenarios: Iterable[Scenario],
    engine: str = "ns3",
    executor: Executor | None = None,
    experiment: str | None = None,
    labels: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Simulate every scenario and return a table with a row a flow.

    Its columns are `scenario` (the position in `scenarios`), the columns of `labels` (a table with
    a row a scenario) or else the scenarios' fields that differ (named by path, such as
    `links.0.loss_per_packet`), and those of `Result.flows`. `executor` is any of
    `concurrent.futures` (or Dask's `client.get_executor()`); without one, all cores of this machine
    work. `experiment` names the archive that `longfat reproduce` writes. Raises InputError for
    labels of another length, and SimulationError, after all other runs are done and stored, if runs
    failed.
    """
    scenarios = list(scenarios)
    if labels is not None and len(labels) != len(scenarios):
        raise InputError(f"labels has {len(labels)} rows for {len(scenarios)} scenarios")
    tables = [r.flows for r in simulate_all(scenarios, engine, executor, experiment)]
    if labels is None:
        labels = pd.DataFrame(store.varying_fields(scenarios), index=range(len(scenarios)))
    flows = pd.concat(tables, keys=range(len(tables)), names=["scenario", None])
    flows = flows.reset_index(level=1, drop=True)
    labels = labels.reset_index(drop=True)
    return labels.join(flows, how="right").rename_axis("scenario").reset_index()


def simulate_all(
    scenarios: list[Scenario],
    engine: str = "ns3",
    executor: Executor | None = None,
    experiment: str | None = None,
) -> list[Result]:
    """Simulate every scenario, the longest first, and return the results in the given order.

    Arguments and errors as in `sweep`.
    """
    if executor is None:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return simulate_all(scenarios, engine, threads, experiment)
    order = sorted(range(len(scenarios)), key=lambda i: -expected_bytes(scenarios[i]))
    futures = {executor.submit(simulate, scenarios[i], engine): i for i in order}
    done: dict[int, Result] = {}
    failures = []
    progress = tqdm(as_completed(futures), experiment, len(futures), unit="run", disable=None)
    try:
        for future in progress:
            try:
                done[futures[future]] = future.result()
            except SimulationError as error:
                failures.append(f"scenario {futures[future]}: {error}")
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    if failures:
        raise SimulationError(
            f"{len(failures)} of {len(scenarios)} runs failed: " + "; ".join(failures)
        )
    results = [done[i] for i in range(len(scenarios))]
    if experiment and store.reproducing():
        store.write_archive(experiment, results)
    return results


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
    return sum(
        min(flow.bytes or float("inf"), capacity, limit)
        for flow, limit in zip(scenario.flows, window, strict=True)
    )
