"""XCP and CADPC on the survey's path, among their own kind and beside standard TCP.

Both need routers that help, which the segment engine has (`Link.xcp`, `Link.ptp`).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from longfat import measures, statistics
from longfat.papers.survey.network import japan
from longfat.scenario import Record, Scenario
from longfat.sweeps import simulate_all

KINDS: dict[str, dict[str, Any]] = {"XCP": {"xcp": {}}, "CADPC": {"ptp": True}}
CONTROLS = {"standard TCP": "standard", "XCP": "xcp", "CADPC": "cadpc"}
# The claims on each of them: among its own kind, and beside standard TCP.
ALONE = {"XCP": "survey-router-alone", "CADPC": "survey-router-alone-cadpc"}
BESIDE = {"XCP": "survey-router-beside", "CADPC": "survey-router-beside-cadpc"}
EXPERIMENT = "survey-routers"
LONG = 1300  # packets: what the path holds, about, as in the chapter's other pairs


def pair(first: str, second: str, speaks: str, seed: int, shared: dict[str, Any]) -> Scenario:
    """Return two connections (names of `CONTROLS`), the second 10 s later; all routers speak what
    `speaks` (a name of `KINDS`, or "") needs. `shared` are fields of `japan`."""
    points = max(2, round(shared["duration_s"] / 10))
    scenario = japan(
        CONTROLS[first],
        CONTROLS[second],
        starts_s=(0.0, 10.0),
        seed=seed,
        record=Record(series=("delivered_bytes",), points=points),
        **shared,
    )
    fields = KINDS.get(speaks, {})
    links = [link.model_dump() | fields for link in scenario.links]
    return scenario.with_(links=links)


def runs(shared: dict[str, Any], seeds: Sequence[int]) -> pd.DataFrame:
    """Return what pairs get, a row a pair, queue and seed.

    The queue is that of `shared`, and for the pairs with XCP or CADPC also `LONG`. Columns: first,
    second, queue (packets), seed; first_mbps and second_mbps (means after the first third), jain
    (mean of Jain's index over 10 s) and variation (mean over both of standard deviation over mean,
    by 10 s).
    """
    helped = [(kind, other, kind) for kind in KINDS for other in (kind, "standard TCP")]
    short = shared["queue_packets"]
    cases = [("standard TCP", "standard TCP", ""), *helped]
    design = [(*case, short, seed) for case in cases for seed in seeds]
    design += [(*case, LONG, seed) for case in helped for seed in seeds]
    scenarios = [
        pair(first, second, speaks, seed, shared | {"queue_packets": queue})
        for first, second, speaks, queue, seed in design
    ]
    rows = []
    results = simulate_all(scenarios, experiment=EXPERIMENT)
    for (first, second, _, queue, seed), result in zip(design, results, strict=True):
        duration_s = result.scenario.duration_s
        rates = measures.goodput_over_time(result.traces["delivered_bytes"], 10, duration_s)
        late = rates[rates["time_s"] > duration_s / 3]
        wide = late.pivot(index="time_s", columns="flow", values="goodput_bps") / 1e6
        means = wide.mean()
        rows.append(
            {"first": first, "second": second, "queue": queue, "seed": seed}
            | {"first_mbps": means.iloc[0], "second_mbps": means.iloc[1]}
            | {"jain": float(measures.jain_index(wide.to_numpy()).mean())}
            | {"variation": float((wide.std() / means).mean())}
        )
    return pd.DataFrame(rows)


def evidence(table: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield rows of evidence on the claims of `ALONE` and `BESIDE`, from the table of `runs`."""
    row = {"engine": "segment", "parameter": "", "setting": "", "at": "", "experiment": EXPERIMENT}
    short = table["queue"].iloc[0]
    pairs = {
        key: part.set_index("seed") for key, part in table.groupby(["first", "second", "queue"])
    }
    plain = pairs["standard TCP", "standard TCP", short]
    for kind in KINDS:
        alone = pairs[kind, kind, short].loc[plain.index]
        sums = (one["first_mbps"] + one["second_mbps"] for one in (alone, plain))
        for at, upper, lower in (
            ("throughput", *sums),
            ("stability", plain["variation"], alone["variation"]),
            ("fairness", alone["jain"], plain["jain"]),
        ):
            found = statistics.paired(upper.to_numpy(), lower.to_numpy(), ratio=True)
            yield row | {"claim": ALONE[kind], "at": at} | found
        for queue in (short, LONG):
            beside, own = pairs[kind, "standard TCP", queue], pairs[kind, kind, queue]
            kept = statistics.paired(
                beside["first_mbps"].to_numpy(),
                own["first_mbps"].loc[beside.index].to_numpy(),
                ratio=True,
            )
            other = {"parameter": "router_buffer", "setting": f"{queue} packets"}
            yield row | ({} if queue == short else other) | {"claim": BESIDE[kind]} | kept
