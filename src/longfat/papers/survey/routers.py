"""XCP and CADPC on the survey's path, among their own kind and beside standard TCP.

Both need routers that help, which the segment engine has (`Link.xcp`, `Link.ptp`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Runs
from longfat.papers.survey.network import japan
from longfat.scenario import Record, Scenario

KINDS: dict[str, dict[str, Any]] = {"XCP": {"xcp": {}}, "CADPC": {"ptp": True}}
CONTROLS = {"standard TCP": "standard", "XCP": "xcp", "CADPC": "cadpc"}
# The claims on each of them: among its own kind, of a property each, and beside standard TCP.
ALONE = {"XCP": "survey-router-alone-xcp", "CADPC": "survey-router-alone-cadpc"}
BESIDE = {"XCP": "survey-router-beside", "CADPC": "survey-router-beside-cadpc"}
EXPERIMENT = "survey-routers"
CROWD = "survey-routers-crowd"
COUNTS = (4, 8)  # connections of one kind, as figure 4 has of standard TCP
LONG = 1300  # packets: what the path holds, about, as in the chapter's other pairs


def pair(first: str, second: str, speaks: str, seed: int, shared: dict[str, Any]) -> Scenario:
    """Return two connections (names of `CONTROLS`), the second 10 s later; all routers speak what
    `speaks` (a name of `KINDS`, or "") needs. `shared` are fields of `japan`."""
    return _together([first, second], speaks, seed, shared)


def crowd(kind: str, flows: int, seed: int, shared: dict[str, Any]) -> Scenario:
    """Return so many connections of one kind (of `CONTROLS`); all routers speak what it needs."""
    return _together([kind] * flows, kind, seed, shared)


def _together(kinds: Sequence[str], speaks: str, seed: int, shared: dict[str, Any]) -> Scenario:
    """Return connections, the last 10 s after the first and the others between."""
    points = max(2, round(shared["duration_s"] / 10))
    scenario = japan(
        *(CONTROLS[kind] for kind in kinds),
        starts_s=tuple(np.linspace(0, 10, len(kinds)).round(3).tolist()),
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
    third), and those of `_settled`.
    """
    table = _settled(runs, EXPERIMENT).drop(columns="speaks")
    first, second = zip(*table.pop("mbps"), strict=True) if len(table) else ((), ())
    return table.assign(first_mbps=first, second_mbps=second)


def crowds(runs: Runs) -> pd.DataFrame:
    """Return what many of one kind get, a row a kind, number and seed: kind, flows, seed, mbps (of
    all together) and the columns of `_settled`."""
    table = _settled(runs, CROWD)
    return table.assign(mbps=[sum(rates) for rates in table["mbps"]])


def _settled(runs: Runs, name: str) -> pd.DataFrame:
    """Return what connections get after the first third, a row a run.

    Columns: those of the design, mbps (of each), jain (mean of Jain's index over 10 s) and
    variation (mean over all of standard deviation over mean, by 10 s).
    """
    rows = []
    for result in runs.results(name):
        duration_s = result.scenario.duration_s
        trace = result.trace_columns("delivered_bytes")
        ends_s, rates = measures.interval_goodput(trace, 10, duration_s)
        mbps = np.array([rates[flow] for flow in sorted(rates)])[:, ends_s > duration_s / 3] / 1e6
        means = mbps.mean(axis=1)
        moving = means > 0
        variation = mbps[moving].std(axis=1, ddof=1) / means[moving]
        rows.append(
            {"mbps": means.tolist()}
            | {"jain": float(measures.jain_index(mbps.T).mean())}
            | {"variation": float(variation.mean())}
        )
    return runs.design(name).join(pd.DataFrame(rows, columns=["mbps", "jain", "variation"]))


def queries(runs: Runs) -> pd.DataFrame:
    """Return how many packets the router passes on for each that has something for it to write.

    A row a pair of two CADPC, by seed, with the queue as fitted: seed, packets. All but segments
    and the two packets of each handshake that come this way are queries.
    """
    design, rows = runs.design(EXPERIMENT), []
    for run, result in zip(design.itertuples(), runs.results(EXPERIMENT), strict=True):
        if run.first == run.second == "CADPC" and run.queue == design["queue"].min():
            links = result.links.set_index(["source", "target"])
            passed = links.loc[("router", "receiver"), ["packets_sent", "packets_dropped_by_queue"]]
            packets, flows = int(passed.sum()), result.flows
            asked = packets - int(flows["segments_sent"].sum()) - 2 * len(flows)
            rows.append({"seed": run.seed, "packets": packets / asked})
    return pd.DataFrame(rows, columns=["seed", "packets"])


def work(table: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield the evidence of which router has less to do, from the table of `queries`."""
    if len(table):
        row = {"claim": "survey-router-lighter", "engine": "segment", "experiment": EXPERIMENT}
        row |= {"parameter": "", "setting": "", "at": ""}
        yield row | statistics.mean(table["packets"])


def evidence(table: pd.DataFrame, many: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield rows of evidence on the claims of `ALONE` and `BESIDE`, from the tables of `shares` and
    of `crowds`: what many do is another setting."""
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
        sums = [one["first_mbps"] + one["second_mbps"] for one in (alone, plain)]
        two = (one.assign(mbps=both) for one, both in zip((alone, plain), sums, strict=True))
        yield from (row | found for found in surpassed(kind, *two))
        for flows, some in many.groupby("flows"):
            own, usual = (some[some["kind"] == one] for one in (kind, "standard TCP"))
            other = {"parameter": "connections", "setting": f"{flows} of its kind"}
            other |= {"experiment": CROWD}
            yield from (row | other | found for found in surpassed(kind, own, usual))
        for queue in (short, LONG):
            beside, own = pairs[kind, "standard TCP", queue], pairs[kind, kind, queue]
            kept = statistics.paired(
                beside["first_mbps"].to_numpy(),
                own["first_mbps"].loc[beside.index].to_numpy(),
                ratio=True,
            )
            other = {"parameter": "router_buffer", "setting": f"{queue} packets"}
            yield row | ({} if queue == short else other) | {"claim": BESIDE[kind]} | kept


def surpassed(kind: str, own: pd.DataFrame, usual: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield by how much one kind is better than standard TCP, in each of the sentence's words.

    Both have a row a run: mbps (of all together), variation and jain (as `crowds` has them).
    """
    for word, upper, lower in (
        ("throughput", own["mbps"], usual["mbps"]),
        ("stability", usual["variation"], own["variation"]),
        ("fairness", own["jain"], usual["jain"]),
    ):
        found = statistics.paired(upper.to_numpy(), lower.to_numpy(), ratio=True)
        yield {"claim": f"{ALONE[kind]}-{word}"} | found
