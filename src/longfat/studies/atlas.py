"""The atlas: every sender of the catalogue over many paths, alone and beside NewReno and CUBIC.

A path is a loss probability, a round-trip time, a rate and a buffer (in bandwidth-delay products);
`grid` has every combination of their levels but for those that hold too many packets to be
simulated for thousands of runs. `compute` simulates and writes the archive "atlas", a row a point,
and `read` reads it; `point` computes one again.

A run lasts a minute, or as long as the link needs for `MOST_PACKETS`, and `ROUNDS` round trips at
least. Its first third is left out; intervals come from equal parts of the rest ("batch means").
`coverage` says how often such an interval holds the mean of other runs.
"""

import itertools
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Any

import numpy as np
import pandas as pd

from longfat import engines, measures, statistics, store
from longfat.errors import InputError
from longfat.experiment import Experiment, Point
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.studies.senders import BY_TIMESTAMPS, OF_LONG_PAGE, senders
from longfat.sweeps import simulate_all

LOSSES = (1e-7, 1e-4, 1e-3, 1e-2, 1e-1)
RTTS = (0.005, 0.05, 0.2, 0.6, 1.0)
RATES = (1e6, 1e7, 1e8, 1e9, 1e10)
BUFFERS = (0.1, 1.0, 4.0)
PATH = ["loss", "rtt_s", "rate_bps", "buffer_bdp"]
BESIDE = ("", "newreno", "cubic")
SHARED_BUFFER = 1.0  # the buffer of the runs beside a neighbour
SEGMENT_BYTES = 1448
PACKET_BITS = 8 * (SEGMENT_BYTES + 42)  # on the wire; 12 more with timestamps
MOST_HELD = 25_000  # packets that a path holds
# Where little is lost a run of a fast link takes long: the largest rate, by loss.
MOST_RATE = {1e-7: 1e6, 1e-4: 1e7}
MOST_PACKETS = 2e5
ROUNDS = 40
PARTS = 6  # of what is measured
ARCHIVE = "atlas"
SEED = 1
START_S = 0.002  # of the sender; its neighbour begins at 0


def grid() -> pd.DataFrame:
    """Return the paths: a row each, columns `PATH`."""
    table = pd.DataFrame(itertools.product(LOSSES, RTTS, RATES, BUFFERS), columns=PATH)
    held = table["rate_bps"] * table["rtt_s"] / PACKET_BITS
    most = table["loss"].map(MOST_RATE).fillna(np.inf)
    return table[(held <= MOST_HELD) & (table["rate_bps"] <= most)].reset_index(drop=True)


def duration_s(rtt_s: float, rate_bps: float) -> float:
    """Return how long a run lasts, in s."""
    most = MOST_PACKETS * PACKET_BITS / rate_bps
    return round(max(ROUNDS * rtt_s, min(60.0, most)), 2)


def scenario(
    sender: str,
    beside: str,
    loss: float,
    rtt_s: float,
    rate_bps: float,
    buffer_bdp: float,
    seed: int = SEED,
) -> Scenario:
    """Return a run: a flow of `sender` over the path, and one of `beside` unless that is "".

    Segments of 1448 bytes, an ACK for each, round trips by an exact clock but for the senders that
    need timestamps, a least timeout of 0.2 s. The receiver takes twice what path and buffer hold,
    so that a slow start that outruns both is stopped some time.
    """
    window = window_segments(rtt_s, rate_bps, buffer_bdp)

    def flow(name: str, start_s: float) -> Flow:
        return Flow(
            source="sender",
            target="receiver",
            congestion_control=name,
            segment_bytes=SEGMENT_BYTES,
            send_buffer_bytes=2_000_000_000,
            receive_buffer_bytes=window * SEGMENT_BYTES,
            timestamps=name in BY_TIMESTAMPS,
            min_rto_s=0.2,
            start_s=start_s,
        )

    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=rate_bps,
            delay_s=rtt_s / 2,
            queue_packets=queue_packets(rtt_s, rate_bps, buffer_bdp),
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=(flow(sender, START_S), *((flow(beside, 0.0),) if beside else ())),
        duration_s=duration_s(rtt_s, rate_bps),
        seed=seed,
        record=Record(series=("delivered_bytes", "rtt_s", "queue_packets"), points=120),
    )


def queue_packets(rtt_s: float, rate_bps: float, buffer_bdp: float) -> int:
    """Return how many packets the buffer holds: two at least."""
    return max(2, round(buffer_bdp * rate_bps * rtt_s / PACKET_BITS))


def window_segments(rtt_s: float, rate_bps: float, buffer_bdp: float) -> int:
    """Return the receiver's window: twice what path and buffer hold."""
    held = round(rate_bps * rtt_s / PACKET_BITS) + queue_packets(rtt_s, rate_bps, buffer_bdp)
    return max(10, 2 * held)


def measured(result: Result) -> dict[str, float]:
    """Return what a run's row has, of its last two thirds.

    goodput, as a part of the payload that the link can carry, and halfwidth, half of its 95 %
    interval (Student's t over `PARTS` equal parts); rtt_median and rtt_95 (95 % quantile), in
    round trips of the empty path; queue (its mean over time, as a part of the buffer); repeated
    (which part of all segments was sent again); neighbour and neighbour_halfwidth, the neighbour's
    goodput. Missing where there is no neighbour, or no round trip was measured.
    """
    link = result.scenario.links[0]
    header = 54 if result.scenario.flows[0].timestamps else 42
    carries_bps = link.rate_bps * SEGMENT_BYTES / (SEGMENT_BYTES + header)
    end = result.scenario.duration_s
    times = np.linspace(end / 3, end, PARTS + 1)
    delivered = result.traces["delivered_bytes"]
    goodputs = [
        8
        * np.diff(_held(delivered[delivered["flow"] == flow], "delivered_bytes", times))
        / np.diff(times)
        / carries_bps
        for flow in result.flows["flow"]
    ]
    rtt = result.traces["rtt_s"]
    first = result.flows.iloc[0]
    own = rtt[(rtt["flow"] == first["flow"]) & (rtt["time_s"] >= end / 3)]["rtt_s"]
    queue = result.traces["queue_packets"]
    queue = queue[queue["link"] == f"{link.source}>{link.target}"]
    held = _held(queue, "queue_packets", np.linspace(end / 3, end, 400))
    row = {
        "goodput": goodputs[0].mean(),
        "halfwidth": statistics.half_width(goodputs[0].std(ddof=1), PARTS),
        "rtt_median": own.median() / (2 * link.delay_s),
        "rtt_95": own.quantile(0.95) / (2 * link.delay_s),
        "queue": held.mean() / link.queue_packets,
        "repeated": first["retransmissions"] / max(1, first["segments_sent"]),
        "neighbour": np.nan,
        "neighbour_halfwidth": np.nan,
    }
    if len(goodputs) > 1:
        row["neighbour"] = goodputs[1].mean()
        row["neighbour_halfwidth"] = statistics.half_width(goodputs[1].std(ddof=1), PARTS)
    return row


def _held(trace: pd.DataFrame, series: str, times: np.ndarray) -> np.ndarray:
    """Return a trace's value at each of the times, 0 before its first."""
    return np.nan_to_num(measures.values_at(trace, series, times)) if len(trace) else 0 * times


def runs(names: Iterable[str] | None = None) -> pd.DataFrame:
    """Return the runs of these senders (all by default): sender, beside, and the columns of `PATH`.

    Alone over every path; beside a neighbour where the buffer is `SHARED_BUFFER`.
    """
    table = pd.DataFrame({"sender": list(names or (*senders(), *OF_LONG_PAGE))})
    table = table.merge(pd.DataFrame({"beside": BESIDE}), how="cross").merge(grid(), how="cross")
    shared = table["buffer_bdp"] == SHARED_BUFFER
    return table[(table["beside"] == "") | shared].reset_index(drop=True)


def compute(executor: Executor | None = None) -> None:
    """Simulate the runs on the segment engine and archive them: `runs`, seeds, and `measured`.

    Runs that the local cache has are not made again. Raises SimulationError if runs fail.
    """
    table = runs()
    engines.accept_new(scenario(**run) for run in table.to_dict("records"))
    parts, made = [], []
    for _, part in sorted(table.groupby("loss"), reverse=True):  # the shortest runs first
        scenes = [scenario(**run) for run in part.to_dict("records")]
        results = simulate_all(scenes, executor=executor)
        parts.append(part.assign(seeds=1).join(_measured(results, part.index)))
        made += [result.provenance for result in results]
    store.write_points(ARCHIVE, pd.concat(parts).sort_index(), f"{__name__}:POINT", made)


class Points(Experiment):
    """The atlas as an experiment: what it archives is a row a point, and no run."""

    def results(self) -> list[Result]:
        """Make the archive (`compute`); return nothing."""
        compute()
        return []


def _measured(results: list[Result], index: pd.Index) -> pd.DataFrame:
    return pd.DataFrame([rounded(measured(result)) for result in results], index=index)


def rounded(row: dict[str, float]) -> dict[str, float]:
    """Return what was measured with three significant digits, as it is archived."""
    return {name: float(f"{value:.3g}") for name, value in row.items()}


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    return scenario(**{name: row[name] for name in ("sender", "beside", *PATH)})


POINT = Point(archived_scenario, lambda result: rounded(measured(result)))


def coverage(sample: int = 40, seeds: int = 12, executor: Executor | None = None) -> pd.DataFrame:
    """Return, of a random sample of runs, how many of the intervals hold the mean of all seeds.

    Columns: sender, beside, those of `PATH`, seeds, held.
    """
    chosen = runs().sample(sample, random_state=1).reset_index(drop=True)
    scenes = [
        scenario(**run, seed=seed)
        for run in chosen.to_dict("records")
        for seed in range(1, seeds + 1)
    ]
    rows = [measured(result) for result in simulate_all(scenes, executor=executor)]
    goodput = np.array([row["goodput"] for row in rows]).reshape(sample, seeds)
    half = np.array([row["halfwidth"] for row in rows]).reshape(sample, seeds)
    # The mean of the seeds errs too.
    error = statistics.half_width(goodput.std(axis=1, ddof=1), seeds)[:, None]
    held = abs(goodput - goodput.mean(axis=1, keepdims=True)) <= np.hypot(half, error) + 1e-9
    return chosen.assign(seeds=seeds, held=held.sum(axis=1))


def read() -> pd.DataFrame:
    """Return the archive: a row a point, with three significant digits."""
    return engines.read_as_made(ARCHIVE)


def at(
    table: pd.DataFrame, loss: float, rtt_s: float, rate_bps: float, buffer_bdp: float
) -> pd.DataFrame:
    """Return the senders on one path of the archive, the largest goodput first.

    Columns: sender, goodput, halfwidth, rtt_median, rtt_95, queue, repeated, first (whether it
    cannot be told from the largest: the two differ by no more than their intervals, taken together,
    and it is not less than half of it), and, for each neighbour,
    its goodput over what it has beside its own kind, with low and high (newreno, newreno_low,
    newreno_high, cubic ...), missing where the buffer is not `SHARED_BUFFER`. Raises InputError for
    a path that the atlas does not have.
    """
    path = dict(zip(PATH, (loss, rtt_s, rate_bps, buffer_bdp), strict=True))
    rows = table[np.logical_and.reduce([table[name] == value for name, value in path.items()])]
    if rows.empty:
        raise InputError(f"the atlas has no path with {path}")
    found = rows[rows["beside"] == ""].sort_values("goodput", ascending=False)
    best = found.iloc[0]
    reach = np.hypot(found["halfwidth"], best["halfwidth"])
    near = best["goodput"] - found["goodput"] <= reach
    near &= found["goodput"] >= best["goodput"] / 2
    found = found.assign(first=near).set_index("sender")
    for neighbour in BESIDE[1:]:
        beside = rows[rows["beside"] == neighbour].set_index("sender")
        ratio, half = np.nan, np.nan
        if neighbour in beside.index:
            among = beside.loc[neighbour]
            ratio = beside["neighbour"] / among["neighbour"]
            half = np.hypot(
                beside["neighbour_halfwidth"] / among["neighbour"],
                ratio * among["neighbour_halfwidth"] / among["neighbour"],
            )
        found[neighbour] = ratio
        found[f"{neighbour}_low"], found[f"{neighbour}_high"] = ratio - half, ratio + half
    return found.reset_index().drop(columns=[*PATH, "beside", "seeds"])


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row a sender, from all paths of the archive.

    Columns: sender; first, the part of the paths where it cannot be told from the largest goodput,
    over all and over those of each loss rate (first_0.1 ...); rtt_95 (median over the paths);
    newreno and cubic, what these keep beside it (median).
    """
    paths_of = table[PATH].drop_duplicates().itertuples(index=False, name=None)
    every = pd.concat([at(table, *path).assign(loss=path[0]) for path in paths_of])
    groups = every.groupby("sender")
    found = groups[["first"]].mean()
    by_loss = every.pivot_table(index="sender", columns="loss", values="first", aggfunc="mean")
    found = found.join(by_loss.rename(columns="first_{:g}".format))
    columns = ["rtt_95", *BESIDE[1:]]
    return found.join(groups[columns].median()).sort_values("first", ascending=False).reset_index()


def experiment() -> Experiment:
    """Return the atlas as an experiment of its page's chapter."""
    return Points(name=ARCHIVE, build=scenario, points=runs())
