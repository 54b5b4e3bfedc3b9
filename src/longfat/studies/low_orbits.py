"""Every sender over paths that move: three orbits, alone, beside NewReno, and beside one on land.

A run is a download of a minute over a path of `ORBITS`, by the segment engine. Its seed draws the
losses, where the choice is by chance the satellites, and, `STARTS_APART_S` apart, the time at which
it begins. What `longfat.topologies.leo` assumes is assumed here, too; `settings` has its
other values.

What the page shows is archived as points, a row a run, with four significant digits (`POINT`).
"""

import datetime
import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import engines, leo, measures, statistics, store
from longfat.errors import InputError, nearest
from longfat.experiment import Experiment, Point, Points
from longfat.links import LinkChange
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import CongestionControl, Flow, Record, Scenario
from longfat.studies.senders import BY_TIMESTAMPS, OF_LONG_PAGE, senders
from longfat.studies.setting import Setting
from longfat.sweeps import simulate_all

DURATION_S = 60.0
SETTLED_S = 15.0  # what is before is left out
SEEDS, MOTION_SEEDS, VARIED_SEEDS = 20, 6, 5
STARTS_APART_S = 4567.0
FIRST = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
SEGMENT_BYTES = 1448
LONGEST_RTT_S = 0.3  # a receiver takes twice what path and queue hold
BEFORE_S, AFTER_S = 5.0, 5.0  # around a change of path
REGAINED = 0.8  # of the rate before a change: from there on it has recovered
POINTS = 600  # of each series: one in a tenth of a second
POINTS_NAME = "leo-points"  # the archive
LAND = "on land"
MOTION = "motion"
STILL = (MOTION, "none")  # the path stays as it is at the beginning
FACTORS = ("sender", "orbit", "beside", "parameter", "setting")
BESIDE = ("", "newreno", LAND)
SPACE, BACK, ACCESS = 2, 3, 0  # links of a scenario of `longfat.leo`: down, up, from the server


class Orbit(NamedTuple):
    """A path of the study: its ends, and what else `longfat.leo.leo` is told."""

    title: str
    user: Any  # as `longfat.orbits.find_place` takes it
    server: Any
    told: tuple[tuple[str, Any], ...]


ORBITS = {
    "starlink": Orbit("Starlink, bent pipe", "Munich", "Frankfurt", (("choice", "random"),)),
    "starlink-grid": Orbit("Starlink, +grid", "Tokyo", "Lisbon", (("links", "+grid"),)),
    "oneweb": Orbit(
        *("OneWeb, bent pipe", "London", "Madrid"),
        (("shell", "oneweb"), ("reconfiguration_s", None)),
    ),
}


# Senders with other parameters than their defaults.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "hybla, 5 ms": ("hybla", {"rtt0_s": 0.005}),
    "ucc, 1 ms": ("ucc", {"clock_s": 0.001}),
    "ucc, 10 ms": ("ucc", {"clock_s": 0.01}),
    "ucc, since the last loss": ("ucc", {"minimum_of_epoch": True}),
    "ucc, for a second": ("ucc", {"minimum_lifetime_s": 1.0}),
    "ucc, both": ("ucc", {"clock_s": 0.001, "minimum_lifetime_s": 1.0}),
}


def names() -> list[str]:
    """Return the senders of the catalogue that need no routers of their own, each once."""
    return [*senders(), *OF_LONG_PAGE]


@functools.lru_cache(maxsize=128)
def _path(orbit: Orbit, seed: int, changes: tuple[tuple[str, Any], ...] = ()) -> Scenario:
    """Return a path with a flow over it, of which the sender is not chosen yet."""
    start = FIRST + datetime.timedelta(seconds=STARTS_APART_S * seed)
    return leo.leo(
        orbit.user,
        orbit.server,
        start=start.isoformat(),
        duration_s=DURATION_S,
        seed=seed,
        **(dict(orbit.told) | dict(changes)),
    )


def scenario(
    sender: str,
    orbit: str | Orbit,
    beside: str = "",
    parameter: str = "",
    setting: str = "",
    seed: int = 1,
    record: Record | None = None,
) -> Scenario:
    """Return a run: a flow of `sender` over an orbit, and beside it, if asked, a NewReno.

    It goes the same way ("newreno"), or shares with it the link before the satellites alone and
    ends on land (`LAND`), as far away as the user is at the beginning. `parameter` and `setting`
    are one of `settings`, or both empty.
    """
    changes = settings()[parameter, setting] if parameter else {}
    known = ORBITS[orbit] if isinstance(orbit, str) else orbit
    path = _path(known, seed, tuple(changes.items()))
    links, target = list(path.links), "user"
    if (parameter, setting) == STILL:
        for space in (SPACE, BACK):
            links[space] = links[space].model_copy(update={"changes": (), "outages": ()})
    if beside == LAND:
        narrow: dict[str, Any] = {
            "rate_bps": links[SPACE].rate_bps,
            "queue_packets": links[SPACE].queue_packets,
        }
        links[ACCESS] = links[ACCESS].model_copy(update=narrow)
        wide: dict[str, Any] = {"rate_bps": links[ACCESS + 1].rate_bps, "queue_packets": 100_000}
        links += duplex("gateway", "land", delay_s=links[SPACE].delay_s, **wide)
        target = "land"

    queue_bytes = (links[SPACE].queue_packets or 0) * leo.PACKET_BYTES
    window_bytes = 2 * round(queue_bytes + links[SPACE].rate_bps / 8 * LONGEST_RTT_S)

    def flow(name: str, sent_by: str, to: str, start_s: float) -> Flow:
        control, parameters = VARIANTS.get(sent_by, (sent_by, {}))
        return Flow(
            name=name,
            source="server",
            target=to,
            congestion_control=CongestionControl(name=control, parameters=parameters),
            segment_bytes=SEGMENT_BYTES,
            send_buffer_bytes=2_000_000_000,
            receive_buffer_bytes=window_bytes,
            timestamps=control in BY_TIMESTAMPS,
            min_rto_s=0.2,
            start_s=start_s,
        )

    flows = [flow("sender", sender, "user", 0.002)]
    flows += [flow("neighbour", "newreno", target, 0.0)] if beside else []
    return path.replace(
        links=links,
        flows=flows,
        record=record or Record(series=("delivered_bytes", "rtt_s"), points=POINTS),
    )


# --- what is measured of a run


def measured(result: Result) -> dict[str, float]:
    """Return what a run's row has, of what comes after `SETTLED_S`.

    goodput (Mb/s); rtt_median and rtt_95 (95 % quantile), in ms; wait_median and wait_95: the same
    of the round trips less the propagation at that time, in ms; repeated (which part of all
    segments was sent again); timeouts; changes (of the path, with `BEFORE_S` before and `AFTER_S`
    after them); after (what was delivered in `AFTER_S` after a change over that in as long before,
    mean over the changes); recovery_s (from a change until a second carries `REGAINED` of what one
    did before it, at most until the next change; mean over the changes); neighbour (Mb/s). Missing
    where there is none.
    """
    delivered = result.traces["delivered_bytes"]
    end = result.scenario.duration_s
    own = delivered[delivered["flow"] == "sender"]
    rtt = result.traces["rtt_s"]
    rtt = rtt[(rtt["flow"] == "sender") & (rtt["time_s"] >= SETTLED_S)]
    waits = rtt["rtt_s"] - propagation_s(result.scenario, rtt["time_s"].to_numpy())
    first = result.flows.set_index("flow").loc["sender"]
    found = {
        "goodput": _mbps(own, SETTLED_S, end),
        "rtt_median": 1e3 * rtt["rtt_s"].median(),
        "rtt_95": 1e3 * rtt["rtt_s"].quantile(0.95),
        "wait_median": 1e3 * waits.median(),
        "wait_95": 1e3 * waits.quantile(0.95),
        "repeated": first["retransmissions"] / max(1, first["segments_sent"]),
        "timeouts": float(first["timeouts"]),
        **_around_changes(own, changes_s(result.scenario), end),
        "neighbour": np.nan,
    }
    if len(result.flows) > 1:
        other = delivered[delivered["flow"] == "neighbour"]
        found["neighbour"] = _mbps(other, SETTLED_S, end)
    return found


def propagation_s(scenario: Scenario, times: np.ndarray) -> np.ndarray:
    """Return the round trip without queues at each time, as of the packets that leave then."""
    access = [scenario.links[number].delay_s for number in (ACCESS, ACCESS + 1)]
    whole = np.full(len(times), sum(access))
    for link in (scenario.links[SPACE], scenario.links[BACK]):
        steps = [LinkChange(at_s=0.0, delay_s=link.delay_s), *link.changes]
        trace = pd.DataFrame([{"time_s": one.at_s, "delay_s": one.delay_s} for one in steps])
        whole += measures.values_at(trace.dropna(), "delay_s", times)
    return whole


def changes_s(scenario: Scenario) -> list[float]:
    """Return when the path changes: each change brings a silence."""
    return [outage.start_s for outage in scenario.links[SPACE].outages]


def _mbps(delivered: pd.DataFrame, begin_s: float, end_s: float) -> float:
    """Return the goodput between two times, in Mb/s."""
    edges = np.array([begin_s, end_s]) + 1e-9
    before, after = np.nan_to_num(measures.values_at(delivered, "delivered_bytes", edges))
    return float(8e-6 * (after - before) / (end_s - begin_s))


def _around_changes(delivered: pd.DataFrame, changes: list[float], end: float) -> dict[str, float]:
    ratios, recoveries = [], []
    step_s = end / POINTS
    nexts = [*changes[1:], end][: len(changes)]
    for change, following in zip(changes, nexts, strict=True):
        if change < max(SETTLED_S, BEFORE_S) or following - change < AFTER_S:
            continue
        change = np.ceil(change / step_s) * step_s  # series have a point a step
        before = _mbps(delivered, change - BEFORE_S, change)
        if before <= 0:
            continue
        ratios.append(_mbps(delivered, change, change + AFTER_S) / before)
        begins = np.arange(change, following - 1 + 1e-9, step_s)
        rates = np.array([_mbps(delivered, one, one + 1) for one in begins])
        regained = np.flatnonzero(rates >= REGAINED * before)
        recoveries.append(begins[regained[0]] - change if len(regained) else following - change)
    known = bool(ratios)
    return {
        "changes": float(len(ratios)),
        "after": float(np.mean(ratios)) if known else np.nan,
        "recovery_s": float(np.mean(recoveries)) if known else np.nan,
    }


def rounded(row: dict[str, float]) -> dict[str, float]:
    """Return what was measured with four significant digits, as it is archived."""
    return {name: float(f"{value:.4g}") for name, value in row.items()}


def _measured(result: Result) -> dict[str, float]:
    return rounded(measured(result))


def _archived(row: dict[str, Any]) -> Scenario:
    return scenario(**{name: row[name] for name in (*FACTORS, "seed")})


POINT = Point(_archived, _measured)


# --- what is assumed, and what else it may be

VARIED_ORBIT = "starlink"
VARIED_SENDERS = (
    *("newreno", "cubic", "illinois", "hybla", "vegas"),
    *("tcpj", "ucc", "westwood-plus", "bbr", "bbr3"),
)
# What `longfat.leo.leo` calls an assumption. Another shell is another orbit, and in the one that
# is varied there is little fibre, and a silence that is longer than the way: what is under way when
# the path changes is lost in it.
ARGUMENTS = {
    "links": "links",
    "choice": "choice",
    "reconfiguration": "reconfiguration_s",
    "silence": "silence_s",
    "loss_down": "loss",
    "loss_up": "up_loss",
    "rate_down": "rate_bps",
    "rate_up": "up_rate_bps",
    "queue": "queue_s",
    "ground": "ground_s",
}


@functools.cache
def settings() -> dict[tuple[str, str], dict[str, Any]]:
    """Return what is changed of a path, by the name of what it is and its value in words.

    Of each assumption of `longfat.leo.assumptions` its other choices, or the ends of its range; of
    the motion, that there is none (`STILL`), or no silence at changes.
    """
    told = dict(ORBITS[VARIED_ORBIT].told)
    found: dict[tuple[str, str], dict[str, Any]] = {STILL: {}}
    found[MOTION, "without silences"] = {"silence_s": 0.0}
    for one in leo.assumptions():
        if (argument := ARGUMENTS.get(one.name)) is None:
            continue
        taken = str(told.get(argument, one.value))
        for value in one.choices or (one.low, one.high):
            words = value if isinstance(value, str) else _in_words(value or 0.0, one.unit)
            if value == taken or (not one.choices and value == float(taken)):
                continue
            found[one.name, words] = {argument: value}
    del found["reconfiguration", "0"]
    found["reconfiguration", "when needed"] = {"reconfiguration_s": None}
    return found


def _in_words(value: float, unit: str) -> str:
    if unit == "bit/s":
        return f"{value / 1e6:g} Mb/s"
    return f"1 in {1 / value:,.0f}" if unit == "per packet" else f"{value:g} {unit}"


# --- what comes of the runs


def usual(points: pd.DataFrame, beside: str = "") -> pd.DataFrame:
    """Return the runs of the catalogue's senders with nothing but what is assumed."""
    return points[
        (points["parameter"] == "") & (points["beside"] == beside) & points["sender"].isin(names())
    ]


def summary(points: pd.DataFrame, orbit: str) -> pd.DataFrame:
    """Return the senders over an orbit, the largest goodput first.

    Columns: sender; goodput (Mb/s), halfwidth (95 %) and runs; wait_95 (ms), repeated, timeouts,
    after and recovery_s, means over the seeds (`measured`); first, whether its goodput cannot be
    told from the largest (by pairs of seeds); and newreno and land, what a NewReno has beside it
    over what one has beside a NewReno on the same way or on land, seed by seed (the mean of the
    logarithms), each with low and high.
    """
    return _summary(points[points["orbit"] == orbit], BESIDE[1:])


def _summary(points: pd.DataFrame, besides: Iterable[str]) -> pd.DataFrame:
    """Return what `summary` does, of the runs over one orbit beside these neighbours."""
    alone = usual(points)
    found = statistics.interval(alone, ["sender"], "goodput").set_index("sender")
    found = found.rename(columns={"repetitions": "runs"})
    columns = ["wait_95", "repeated", "timeouts", "after", "recovery_s"]
    found = found.join(alone.groupby("sender")[columns].mean())
    goodputs = alone.pivot(index="seed", columns="sender", values="goodput")
    best = found["goodput"].idxmax()
    found["first"] = [
        name == best or statistics.paired(goodputs[best], goodputs[name])["low"] <= 0
        for name in found.index
    ]
    for beside in besides:
        column = "land" if beside == LAND else beside
        rows = usual(points, beside)
        kept = rows.pivot(index="seed", columns="sender", values="neighbour")
        ratios = {
            name: statistics.paired(kept[name], kept["newreno"], ratio=True) for name in found.index
        }
        found[column] = [ratios[name]["measured"] for name in found.index]
        for end in ("low", "high"):
            found[f"{column}_{end}"] = [ratios[name][end] for name in found.index]
    return found.sort_values("goodput", ascending=False).reset_index()


ANSWER_SEEDS = 3


def compare(
    user: Any,
    server: Any,
    *,
    shell: Any = "starlink",
    links: str = "bent pipe",
    choice: str = "shortest",
    beside: str = "",
    among: Iterable[str] = (),
    seeds: int = ANSWER_SEEDS,
) -> pd.DataFrame:
    """Return which sender is best between two places: `summary` of all, or of those in `among`.

    An orbit of `ORBITS` is answered from the archive, any other by so many runs of each sender;
    `runs` has how many an interval is of. With `beside`, "newreno" or `LAND`, also what that keeps.
    Raises InputError for an unknown sender or neighbour, and for what `longfat.leo.leo` refuses.
    """
    chosen = list(among) or names()
    for name in chosen:
        if name not in names():
            raise InputError(
                f"no sender '{name}' to compare: there are {', '.join(names())}."
                f"{nearest(name, names())}"
            )
    if beside not in BESIDE:
        raise InputError(f"beside is '{beside}': it must be newreno or '{LAND}'")
    if seeds < 2:
        raise InputError(f"seeds is {seeds}: an interval needs at least 2")
    asked = {"shell": shell, "links": links, "choice": choice}
    besides = [beside] if beside else []
    told = tuple((name, value) for name, value in asked.items() if value != USUAL[name])
    orbit = Orbit("", user, server, told)
    archived = [name for name, one in ORBITS.items() if one[1:] == orbit[1:]]
    needed = list(dict.fromkeys([*chosen, *([BESIDE[1]] if beside else [])]))
    design = statistics.combinations(
        sender=needed, beside=["", *besides], seed=range(1, seeds + 1)
    ).assign(parameter="", setting="")
    runs = design[["sender", "beside", "seed"]].to_dict("records")
    scenarios = [scenario(orbit=orbit, **run) for run in runs]
    has = archived and POINTS_NAME in store.points()
    if has and engines.answers(POINTS_NAME, scenarios):
        points = store.read_table(POINTS_NAME, "points")
        points = points[(points["orbit"] == archived[0]) & points["sender"].isin(needed)]
    else:
        results = simulate_all(scenarios)
        points = pd.concat([design, pd.DataFrame(map(measured, results))], axis=1)
    found = _summary(points, besides)
    return found[found["sender"].isin(chosen)].reset_index(drop=True)


USUAL = {"shell": "starlink", "links": "bent pipe", "choice": "shortest"}


def motion(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the motion costs: goodput over that on the same path standing still.

    Columns: orbit, sender; moving, low, high: the ratio, seed by seed (the mean of the logarithms),
    and its 95 % interval; silent: the same ratio without silences at changes.
    """
    alone = points[(points["beside"] == "") & points["sender"].isin(names())]
    seeds = set(alone.loc[alone["parameter"] == MOTION, "seed"])
    alone = alone[alone["seed"].isin(seeds) & alone["parameter"].isin(["", MOTION])]
    rows = []
    for orbit in ORBITS:
        own = alone[alone["orbit"] == orbit]
        wide = own.pivot(index=["sender", "seed"], columns="setting", values="goodput")
        for sender, runs in wide.groupby(level="sender", sort=False):
            still, silent = runs[STILL[1]], runs["without silences"]
            whole = statistics.paired(runs[""], still, ratio=True)
            rows.append(
                {"orbit": orbit, "sender": sender, "moving": whole["measured"]}
                | {"low": whole["low"], "high": whole["high"]}
                | {"silent": statistics.paired(silent, still, ratio=True)["measured"]}
            )
    return pd.DataFrame(rows)


def over(points: pd.DataFrame, sender: str, other: str) -> pd.DataFrame:
    """Return a sender's goodput over another's alone, an orbit a row: ratio, low, high."""
    alone = points[(points["parameter"] == "") & (points["beside"] == "")]
    rows = []
    for orbit in ORBITS:
        wide = alone[alone["orbit"] == orbit].pivot(
            index="seed", columns="sender", values="goodput"
        )
        found = statistics.paired(wide[sender], wide[other], ratio=True)
        rows.append(
            {"orbit": orbit, "sender": sender, "ratio": found["measured"]}
            | {"low": found["low"], "high": found["high"]}
        )
    return pd.DataFrame(rows)


# --- experiments

SHOWN = (
    *("newreno", "cubic", "hybla", "scalable"),
    *("highspeed", "bic", "htcp", "illinois"),
    *("vegas", "fast", "ledbat", "ucc"),
    *("westwood-plus", "tcpj", "bbr", "bbr3"),
)
SHOWN_POINTS = [
    *((VARIED_ORBIT, sender) for sender in (*SHOWN, "ucc, 10 ms", "ucc, since the last loss")),
    *(("starlink-grid", sender) for sender in ("newreno", "hybla", "highspeed", "scalable", "bic")),
]
WINDOWS = ("cwnd_segments", "delivered_bytes")
BELIEFS = {
    "tcpj": "bandwidth_bps",
    "ucc": "utilization",
    "ucc, 10 ms": "utilization",
    "ucc, since the last loss": "utilization",
}


def beliefs(results: list[Result], orbit: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield what senders believe over an orbit: paper's idea, line, and time_s with value.

    TCP-J's estimate and what was delivered in each second (Mb/s), and UCC's utilization.
    """
    for (_, sender), result in zip(SHOWN_POINTS, results, strict=True):
        if sender not in BELIEFS or result.scenario.links != scenario("newreno", orbit).links:
            continue
        series = BELIEFS[sender]
        trace = result.traces[series].rename(columns={series: "value"})
        idea = sender.partition(",")[0]
        if sender == "tcpj":
            yield idea, "tcpj", trace.assign(value=trace["value"] / 1e6)
            rates = measures.goodput_over_time(result.traces["delivered_bytes"], 1.0, DURATION_S)
            yield idea, "delivered", rates.assign(value=rates["goodput_bps"] / 1e6)
        else:
            yield idea, sender, trace


def points() -> pd.DataFrame:
    """Return the design of what is archived as points, without seeds: a row a point (`FACTORS`)."""
    every = statistics.combinations(sender=names(), orbit=ORBITS, beside=BESIDE)
    alone = every[every["beside"] == ""]
    motions = [one for one in settings() if one[0] == MOTION]
    others = [one for one in settings() if one[0] != MOTION]
    few = alone[alone["sender"].isin(VARIED_SENDERS) & (alone["orbit"] == VARIED_ORBIT)]
    variants = statistics.combinations(sender=VARIANTS, orbit=ORBITS, beside=BESIDE[:1])
    usual = [("", "")]
    parts = [(every, usual), (variants, usual), (alone, motions), (few, others)]
    tables = [
        rows.merge(pd.DataFrame(chosen, columns=["parameter", "setting"]), how="cross")
        for rows, chosen in parts
    ]
    return pd.concat(tables, ignore_index=True)


def _shown(sender: str, orbit: str) -> Scenario:
    series = (*WINDOWS, *([BELIEFS[sender]] if sender in BELIEFS else []))
    return scenario(sender, orbit, record=Record(series=series, points=POINTS))


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page."""
    return (
        Points(
            name=POINTS_NAME,
            build=scenario,
            points=points(),
            repetitions=at.repetitions(VARIED_SEEDS),
            more=[
                ({"parameter": MOTION}, at.repetitions(MOTION_SEEDS)),
                ({"parameter": ""}, at.repetitions(SEEDS)),
            ],
            point=f"{__name__}:POINT",
        ),
        Experiment(
            name="leo-windows",
            build=_shown,
            points=pd.DataFrame(SHOWN_POINTS, columns=["orbit", "sender"]),
        ),
    )
