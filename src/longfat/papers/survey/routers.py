"""XCP and CADPC on the survey's path, among their own kind and beside standard TCP.

Both need routers that help, which the segment engine has (`Link.xcp`, `Link.ptp`).
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Runs
from longfat.papers.survey.network import japan
from longfat.scenario import Record, Scenario

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
    return scenario.replace(links=links)


def cases(queue_packets: int) -> pd.DataFrame:
    """Return which pairs share the path: columns first, second, speaks and queue (packets).

    The queue is `queue_packets`, and for the pairs with XCP or CADPC also `LONG`.
    """
    helped = [(kind, other, kind) for kind in KINDS for other in (kind, "standard TCP")]
    short = [("standard TCP", "standard TCP", ""), *helped]
    rows = [(*case, queue_packets) for case in short] + [(*case, LONG) for case in helped]
    return pd.DataFrame(rows, columns=["first", "second", "speaks", "queue"])


def shares(runs: Runs) -> pd.DataFrame:
    """Return what pairs get, a row a pair, queue and seed.

    Columns: first, second, queue (packets), seed; first_mbps and second_mbps (means after the first
    third), jain (mean of Jain's index over 10 s) and variation (mean over both of standard
    deviation over mean, by 10 s).
    """
    design, rows = runs.design(EXPERIMENT), []
    for result in runs.results(EXPERIMENT):
        duration_s = result.scenario.duration_s
        rates = measures.goodput_over_time(result.traces["delivered_bytes"], 10, duration_s)
        late = rates[rates["time_s"] > duration_s / 3]
        wide = late.pivot(index="time_s", columns="flow", values="goodput_bps") / 1e6
        means = wide.mean()
        rows.append(
            {"first_mbps": means.iloc[0], "second_mbps": means.iloc[1]}
            | {"jain": float(measures.jain_index(wide.to_numpy()).mean())}
            | {"variation": float((wide.std() / means).mean())}
        )
    columns = ["first_mbps", "second_mbps", "jain", "variation"]
    return design.drop(columns="speaks").join(pd.DataFrame(rows, columns=columns))


def evidence(table: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield rows of evidence on the claims of `ALONE` and `BESIDE`, from the table of `shares`."""
    if table.empty:
        return
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
