"""The survey's claims at settings that differ in all that it does not state, at once.

The runs are the segment engine's. Bottleneck, queue and random loss, which the chapter fits to the
six numbers of figure 5, are drawn as all else is, and not fitted again; what the six say is
therefore not asked here. Neither is what follows from how a thing is built, nor what the paper
says can happen, for which one instance is enough. Of figures 3 and 4 only the means are asked for
here, over 120 s in place of 300 and 900; queues, what figures 3 and 5 show over time, and XCP and
CADPC are in `joint_others`.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import measures, statistics
from longfat.errors import InputError
from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.survey import joint_others
from longfat.papers.survey.joint_settings import path_at, samples
from longfat.papers.survey.network import WITH_TIMESTAMPS, japan
from longfat.papers.survey.plan import LIMITED, UNBOUND
from longfat.result import Result
from longfat.scenario import Record, Scenario

ARCHIVE = "survey-joint"
_ALL_ALIKE = "all runs of a setting have its one random loss"
LEFT_OUT = {
    "random_loss_shared": _ALL_ALIKE,
    "random_loss_direct": _ALL_ALIKE,
    "loss_rate_measured_as": "the numbers on losses served to fit the path",
    "distance_delay": "table 1 is calculated, and no run has it",
    "variation_measured_as": "figure 5 is not among these runs",
    "fast_alpha": "what is said of FAST TCP is that it can happen: one instance is enough",
    "connections_alike": "how many connections there are is what these claims are about",
}
REMEDY_S, START_S, SHARED_S = 120.0, 30.0, 200.0
SHORT_BYTES, FILE_BYTES = 10 * WITH_TIMESTAMPS, 1_000_000_000
FILE_LIMIT_S = 1000.0
INTERVAL_S = 10.0  # of goodputs
LENGTHS = 0.85, 1.15  # the queue of a transfer's runs: so many times the setting's, by equal steps

STANDARD, HIGHSPEED, SCALABLE = "standard TCP", "HSTCP", "Scalable TCP"
ALONE: dict[str, tuple[list, dict[str, Any], float]] = {  # senders, fields of `japan`, how long
    STANDARD: (["standard"], {}, REMEDY_S),
    HIGHSPEED: (["highspeed"], {}, REMEDY_S),
    SCALABLE: (["scalable"], {}, REMEDY_S),
    "4 connections": (["standard"] * 4, {}, REMEDY_S),
    "4 connections, two paths": (["standard"] * 4, {"paths": 2}, REMEDY_S),
    "9000-byte packets": (["standard"], {"mtu_bytes": 9000}, REMEDY_S),
    "relay in the middle": (["standard"], {"relay": True}, REMEDY_S),
    "1 MB buffer": (["standard"], {"send_buffer_bytes": 1_000_000}, REMEDY_S),
    "8 connections of 1 MB": (["standard"] * 8, {"send_buffer_bytes": 1_000_000}, REMEDY_S),
    "slow start": (["standard"], UNBOUND, START_S),
    "limited slow start": ([LIMITED], UNBOUND, START_S),
}
STREAMS = {"1 stream": 1, "4 streams": 4, "8 streams": 8}  # by which a file comes over
FIRST_WINDOWS = (1, 3)  # segments: before RFC 3390, and by it
FILES = {"short file": SHORT_BYTES, "long file": FILE_BYTES}
PAIRS = {"standard": STANDARD, "highspeed": HIGHSPEED, "scalable": SCALABLE}  # beside standard TCP
SEEDS = 4
OTHER_SEEDS = {  # what the claims need
    **dict.fromkeys(("slow start", "limited slow start", *STREAMS), 6),
    **dict.fromkeys(
        (STANDARD, HIGHSPEED, SCALABLE, "9000-byte packets", "relay in the middle"), 24
    ),
    **dict.fromkeys(("4 connections", "4 connections, two paths"), 10),
    **{"1 MB buffer": 16, "8 connections of 1 MB": 8},
    **dict.fromkeys(("standard", "highspeed"), 16),
}
LENGTH_SEEDS = 49


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return samples(LEFT_OUT)


def experiment() -> JointRuns:
    """Return the runs: at each setting the same connections, files and pairs."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=_points,
        measure=measured,
        point=f"{__name__}:POINT",
        kept=True,
    )


def _points() -> pd.DataFrame:
    kinds = pd.DataFrame(list(_kinds()), columns=["run", "seed"])
    return settings().merge(kinds, how="cross")


def _kinds() -> Iterator[tuple[str, int]]:
    names = [*ALONE, *STREAMS, *PAIRS]
    counts = dict.fromkeys(names, SEEDS) | OTHER_SEEDS
    for file in FILES:
        counts |= {_file(file, window): LENGTH_SEEDS for window in FIRST_WINDOWS}
    for name, count in counts.items():
        yield from ((name, seed) for seed in range(1, count + 1))


def _file(file: str, window: int) -> str:
    return f"{file}, first window of {window}"


def scenario(*, run: str, seed: int, **setting: Any) -> Scenario:
    """Return a run at a setting, by its name. Raises InputError for an unknown one."""
    fields, control = path_at(setting, seed)

    def known(names: list) -> list:
        return [control(name) for name in names]

    if run in ALONE:
        senders, own, duration_s = ALONE[run]
        return japan(*known(senders), **fields | own | {"duration_s": duration_s})
    if run in STREAMS:
        number = STREAMS[run]
        own = {"bytes": FILE_BYTES // number, "duration_s": FILE_LIMIT_S}
        return japan(*["standard"] * number, **fields | own)
    if run in PAIRS:
        own = {"starts_s": (0.0, 10.0), "duration_s": SHARED_S}
        record = Record(series=("delivered_bytes",), points=round(SHARED_S / INTERVAL_S))
        return japan(*known(["standard", *ALONE[PAIRS[run]][0]]), **fields | own, record=record)
    for file, size in FILES.items():
        for first in FIRST_WINDOWS:
            if run == _file(file, first):
                least, most = LENGTHS
                times = least + (most - least) * (seed - 1) / (LENGTH_SEEDS - 1)
                length = round(fields["queue_packets"] * times)
                own = {"loss": 0.0, "loss_per_bit": 0.0, "queue_packets": length, "bytes": size}
                own |= {"initial_window_segments": first, "duration_s": FILE_LIMIT_S}
                return japan("standard", **fields | own)
    raise InputError(f"no run is called '{run}'")


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run; what it does not have is missing.

    The goodput of all connections together; how often they ran into the timer; what queues dropped
    (packets); how long the last one took for its file. Of two that share the path what each has
    after the first third.
    """
    flows, duration_s = result.flow_rows(), result.scenario.duration_s
    row = dict.fromkeys(COLUMNS, float("nan"))
    row["goodput_bps"] = sum(flow["goodput_bps"] for flow in flows)
    row["timeouts"] = float(sum(flow["timeouts"] for flow in flows))
    row["dropped"] = float(sum(link["packets_dropped_by_queue"] for link in result.link_rows()))
    times = [flow["transfer_time_s"] for flow in flows if flow.get("transfer_time_s") is not None]
    if len(times) == len(flows):
        row["transfer_s"] = max(times)
    delivered = result.traces.get("delivered_bytes")
    if delivered is not None:
        rates = measures.goodput_over_time(delivered, INTERVAL_S, duration_s)
        late = rates[rates["time_s"] > duration_s / 3]
        row["first_bps"], row["second_bps"] = (
            late.groupby("flow", sort=False)["goodput_bps"].mean().tolist()
        )
    return row


COLUMNS = ("goodput_bps", "timeouts", "dropped", "transfer_s", "first_bps", "second_bps")


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    names = [*settings().columns.drop("setting"), "run", "seed"]
    return scenario(**{name: row[name] for name in names})


POINT = Point(archived_scenario, lambda result: joint.rounded(measured(result)))


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the claims that are measured on simulations are judged by at each setting.

    Columns: claim, setting (its number), measured, low, high, runs.
    """
    rows = [
        {"claim": claim, "setting": number} | found
        for number, runs in points.groupby("setting")
        for claim, found in _of_a_setting(runs)
    ]
    return pd.DataFrame(rows, columns=["claim", "setting", "measured", "low", "high", "runs"])


def _of_a_setting(runs: pd.DataFrame) -> Iterator[tuple[str, dict[str, float]]]:
    by_run = {name: one.set_index("seed") for name, one in runs.groupby("run")}

    def times(upper: str, lower: str, column: str) -> dict[str, float]:
        both = pd.concat([by_run[name][column] for name in (upper, lower)], axis=1).dropna()
        return statistics.paired(both.iloc[:, 0], both.iloc[:, 1], ratio=True)

    yield from _of_starts(by_run)
    for claim, file in (("short", "short file"), ("long", "long file")):
        first, later = (_file(file, window) for window in FIRST_WINDOWS)
        yield f"survey-window-{claim}", times(first, later, "transfer_s")
    for claim, upper, lower, column in (
        ("several", "1 stream", "4 streams", "transfer_s"),
        ("gridftp", "1 stream", "8 streams", "transfer_s"),
        ("mss", "9000-byte packets", STANDARD, "goodput_bps"),
        ("split", "relay in the middle", STANDARD, "goodput_bps"),
        ("striping", "4 connections, two paths", "4 connections", "goodput_bps"),
        ("buffer-1mb", STANDARD, "1 MB buffer", "goodput_bps"),
        ("parallel-better", "8 connections of 1 MB", STANDARD, "goodput_bps"),
        ("larger-window", HIGHSPEED, STANDARD, "goodput_bps"),
        ("larger-window", SCALABLE, STANDARD, "goodput_bps"),
        ("unfair-highspeed", "standard", "highspeed", "first_bps"),
        ("unfair-scalable", "highspeed", "scalable", "first_bps"),
    ):
        yield f"survey-{claim}", times(upper, lower, column)


def _of_starts(by_run: dict[str, pd.DataFrame]) -> Iterator[tuple[str, dict[str, float]]]:
    plain, limited = by_run["slow start"], by_run["limited slow start"]
    yield "survey-slow-start-timeout", statistics.share(plain["timeouts"] > 0)
    yield "survey-slow-start-overload", statistics.mean(plain["dropped"])
    saved = 100 * (1 - limited["dropped"] / plain["dropped"])[plain["dropped"] > 0]
    if len(saved):  # where there was something to save
        yield "survey-limited-slow-start", statistics.mean(saved)


LEGS = (
    Leg(engine="segment", archive=ARCHIVE, settings=settings, evidence=evidence),
    *joint_others.LEGS,
)
