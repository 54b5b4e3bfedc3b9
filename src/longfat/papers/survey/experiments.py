"""The survey's experiments: the runs behind each figure and table, and what is read off them.

A `Setting` has what a reader may turn. Each function finds the results of its scenarios in the
archive, or simulates them, and returns one table. Goodputs are in Mb/s of payload, loss rates in
per cent of the segments sent, buffers in bytes, windows and queues in segments of 1448 bytes.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.errors import InputError, nearest
from longfat.papers import survey
from longfat.papers.survey.network import WITH_TIMESTAMPS, japan
from longfat.result import Result
from longfat.scenario import Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

NAMES = {  # of the three that the paper tests, in the order of its figure 5
    "standard": "standard TCP",
    "highspeed-rfc3649": "HSTCP",
    "scalable-kelly": "Scalable TCP",
}
PROFILES = {
    "paper": {"duration_s": 300.0, "repetitions": 3, "long_engine": "ns3"},
    "quick": {"duration_s": 20.0, "repetitions": 2, "long_engine": "segment"},
}
# The assumptions: segments for each ACK (2 is delayed ACKs), loss probability, queue (packets) and
# bottleneck (Mb/s of payload). First a wide grid of one run each, then near the best several.
SWEPT: dict[str, dict[str, list]] = {
    "paper": {
        "segments_per_ack": [1, 2],
        "loss": [0.0, 1e-6, 3e-6, 1e-5],
        "queue": [60, 150, 400, 1200],
        "mbps": [120, 150, 200, 250, 314],
    },
    "quick": {"segments_per_ack": [1, 2], "loss": [3e-6], "queue": [60, 150], "mbps": [150, 314]},
}
FINER: dict[str, dict[str, list]] = {
    "paper": {
        "segments_per_ack": [1, 2],
        "loss": [1e-6, 3e-6],
        "queue": [100, 150, 200, 400],
        "mbps": [120, 135, 150],
    },
    "quick": {"segments_per_ack": [1], "loss": [3e-6], "queue": [150], "mbps": [150]},
}
ASSUMED = list(SWEPT["paper"])
SHORT = {key: key.split("-")[0] for key in NAMES}
RATIOS = [f"{number} {name}" for number in ("Mb/s", "loss %") for name in SHORT.values()]
COUNTED = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]

OF_PROFILE: Any = None  # a default: the profile has it


@dataclass(frozen=True)
class Setting:
    """What a reader may turn; what is None is as the profile has it (`PROFILES`).

    `profile` is "paper", the paper's own scale, or "quick". `engine` is that of figure 5,
    `long_engine` that of the other series on which a verdict rests. The bottleneck (Mb/s of
    payload), its queue and its random loss are fitted, not stated; `measured_mbps` is the rate that
    the paper measured without the long way. Raises InputError for another profile.
    """

    profile: str = "paper"
    duration_s: float = OF_PROFILE
    repetitions: int = OF_PROFILE
    engine: str = "ns3"
    long_engine: str = OF_PROFILE
    rtt_s: float = 0.1
    bottleneck_mbps: float = 150
    queue_packets: int = 150
    random_loss: float = 3e-6
    measured_mbps: float = 314

    def __post_init__(self):
        if self.profile not in PROFILES:
            raise InputError(
                f"profile is '{self.profile}': it must be one of {', '.join(PROFILES)}."
                f"{nearest(self.profile, list(PROFILES))}"
            )
        for name, value in PROFILES[self.profile].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    @property
    def seeds(self) -> list[int]:
        """One a repetition."""
        return list(range(1, self.repetitions + 1))

    @property
    def fitted(self) -> dict:
        """The path on which figure 5 is simulated, as fields of `japan`."""
        return {
            "payload_bps": self.bottleneck_mbps * 1e6,
            "queue_packets": self.queue_packets,
            "loss": self.random_loss,
            "rtt_s": self.rtt_s,
        }

    @property
    def ways(self) -> dict[str, dict]:
        """The two paths of figures 3 and 4 by their names: fitted, and as fast as measured."""
        direct = self.fitted | {"payload_bps": self.measured_mbps * 1e6, "loss": 0.0}
        return {"fitted": self.fitted, f"{self.measured_mbps} Mb/s, no loss": direct}

    @property
    def full(self) -> dict:
        """The path as fast as measured, with a queue of a bandwidth-delay product."""
        rate = self.measured_mbps * 1e6
        queue = round(rate * self.rtt_s / 8 / WITH_TIMESTAMPS)
        return {"payload_bps": rate, "rtt_s": self.rtt_s, "queue_packets": queue}

    @property
    def shared(self) -> dict:
        """The path that connections share: a quarter of that queue, and a rare random loss."""
        queue = self.full["queue_packets"] // 4
        duration = max(30.0, self.duration_s / 3)
        return self.full | {"queue_packets": queue, "loss": 1e-6, "duration_s": duration}

    @property
    def start_s(self) -> float:
        """How long a remedy is tried (s): the start of a connection."""
        return min(30.0, self.duration_s / 2)

    @property
    def long_s(self) -> float:
        """How long the connections of figure 3 last (s)."""
        return 3 * self.duration_s


# --- what follows from the text and the equations


def windows(setting: Setting) -> pd.DataFrame:
    """Return a minute of standard TCP's window on a small pipe, with and without SACK.

    Columns: name, time_s, cwnd_segments.
    """
    names = {"with SACK": True, "without SACK": False}
    record = Record(series=("cwnd_segments",), points=1200)
    small: dict[str, Any] = {
        "payload_bps": 20e6,
        "queue_packets": 50,
        "duration_s": 60,
        "record": record,
    }
    results = simulate_all(
        [japan("standard", sack=sack, **small) for sack in names.values()],
        engine=setting.long_engine,
        experiment="survey-windows",
    )
    return _traces(results, "cwnd_segments", name=names)


def increases(windows: tuple[int, ...] = (50, 200, 1000, 3000, 5000)) -> pd.DataFrame:
    """Return how many segments a round trip adds, as specified and by ns-3's own classes.

    A row a window. ns-3's NewReno adds whole bytes an ACK, at least one; its HighSpeed takes the
    next higher row of the RFC's table; its Scalable adds a segment for 50 ACKs.
    """
    window = np.array(windows)
    rows = survey.rfc3649_table()
    size = WITH_TIMESTAMPS
    return pd.DataFrame(
        {
            "window": window,
            "standard TCP": 1.0,
            "ns-3's NewReno": window * np.maximum(1, size // window) / size,
            "HSTCP": survey.highspeed_increase(window),
            "ns-3's HighSpeed": rows["a"].to_numpy()[np.searchsorted(rows["w"], window)],
            "Scalable TCP": 0.01 * window,
            "ns-3's Scalable": window / np.minimum(window, 50),
        }
    )


def recomputed() -> pd.DataFrame:
    """Return the text's numbers that follow from others of it: the claims, and `computed`."""
    again = pd.Series(survey.recomputed(), name="computed")
    return _claims().loc[again.index].join(again)


def requirements(rate_bps: float, rtt_s: float, packet_bytes: float) -> pd.DataFrame:
    """Return what each algorithm asks of a path, a row an algorithm.

    Columns: algorithm; those of `survey.loss_interval`; recovery_s, from one loss at a window of
    the bandwidth-delay product back to it (s).
    """
    peak = round(rate_bps * rtt_s / 8 / packet_bytes)
    return pd.DataFrame(
        [
            {"algorithm": name}
            | survey.loss_interval(name, rate_bps, rtt_s, packet_bytes)
            | {"recovery_s": survey.recovery_time(name, peak, rtt_s)}
            for name in survey.RESPONSES
        ]
    )


def mean_windows() -> pd.DataFrame:
    """Return the response functions: columns loss, and each algorithm's mean window (segments)."""
    loss = np.geomspace(1e-8, 1e-2, 121)
    windows = {name: survey.mean_window(name, loss) for name in survey.RESPONSES}
    return pd.DataFrame({"loss": loss} | windows)


def limits(rtt_s: float) -> pd.DataFrame:
    """Return what headers take (mtu, header: bytes; part) beside what buffers (bytes) let through.

    The two have nothing to do with each other but their table. rtt_s: s; `Mb/s` is of a buffer.
    """
    headers = statistics.combinations(mtu=[1500, 9000], header=[40, 60])
    headers["part"] = survey.header_overhead(headers["mtu"], headers["header"])
    buffers = pd.DataFrame({"buffer": [64e3, 1e6, 8e6]})
    buffers["Mb/s"] = survey.buffer_limit(buffers["buffer"], rtt_s) / 1e6
    return pd.concat([headers, buffers], axis=1)


# --- the inverse problem


def printed() -> pd.DataFrame:
    """Return the six numbers of figure 5: a row an algorithm, columns Mb/s and loss %."""
    stated = _claims()["printed"]
    return pd.DataFrame(
        {
            number: [stated[f"survey-{kind}-{short}"] for short in SHORT.values()]
            for number, kind in (("Mb/s", "mean"), ("loss %", "loss"))
        },
        index=list(NAMES),
    )


def region(
    setting: Setting, *, mbps=None, queue=None, loss=None, segments_per_ack=None
) -> pd.DataFrame:
    """Return how far each combination of assumptions is from figure 5's numbers, by one run each.

    A list of values for each assumption, as in `SWEPT`; None is the profile's. Columns: `ASSUMED`,
    `RATIOS` (measured / printed), factor and ordered, as `statistics.fit` has them.
    """
    given = {"segments_per_ack": segments_per_ack, "loss": loss, "queue": queue, "mbps": mbps}
    design = _design(SWEPT[setting.profile], given, algorithm=list(NAMES))
    runs = sweep(
        _grid(setting, design), engine="segment", experiment="survey-region", labels=design
    )
    return _fit(runs)


def finer(
    setting: Setting, *, mbps=None, queue=None, loss=None, segments_per_ack=None
) -> pd.DataFrame:
    """Return the same as `region` of a finer grid (`FINER`), by means of several runs each."""
    given = {"segments_per_ack": segments_per_ack, "loss": loss, "queue": queue, "mbps": mbps}
    design = _design(FINER[setting.profile], given, algorithm=list(NAMES), seed=setting.seeds)
    runs = sweep(_grid(setting, design), engine="segment", experiment="survey-finer", labels=design)
    return _fit(runs)


def _design(defaults: dict[str, list], given: dict[str, list | None], **more) -> pd.DataFrame:
    values = {name: given[name] or values for name, values in defaults.items()}
    return statistics.combinations(**values, **more)


def _grid(setting: Setting, design: pd.DataFrame) -> list[Scenario]:
    return [
        japan(
            run.algorithm,
            payload_bps=run.mbps * 1e6,
            queue_packets=run.queue,
            loss=run.loss,
            rtt_s=setting.rtt_s,
            segments_per_ack=run.segments_per_ack,
            duration_s=setting.duration_s,
            seed=getattr(run, "seed", 1),
        )
        for run in design.itertuples()
    ]


def _fit(runs: pd.DataFrame) -> pd.DataFrame:
    runs = _rates(runs).assign(algorithm=runs["algorithm"].map(SHORT))
    return statistics.fit(runs, ASSUMED, "algorithm", printed().rename(index=SHORT))


def best(region: pd.DataFrame, measured_mbps: float) -> pd.DataFrame:
    """Return the combinations of `region` that come nearest, without doubles.

    The best five of all, the best three at `measured_mbps`, the best three with delayed ACKs.
    """
    measured = region[region["mbps"] == measured_mbps]
    delayed = region[region["segments_per_ack"] == 2]
    groups = ((region, 5), (measured, 3), (delayed, 3))
    return pd.concat(
        [group.sort_values("factor").head(count) for group, count in groups]
    ).drop_duplicates()


def best_by_acks(finer: pd.DataFrame) -> pd.DataFrame:
    """Return the six best combinations without, then the six best with delayed ACKs."""
    ranked = finer.sort_values(["segments_per_ack", "factor"])
    return ranked.groupby("segments_per_ack").head(6)


# --- figure 5


class Figure5(NamedTuple):
    """`flows`: a row a run (algorithm, seed, Mb/s, loss % and the measures of a flow).
    `rates`: goodput over time (algorithm, seed, time_s, Mb/s: means of 2 s)."""

    flows: pd.DataFrame
    rates: pd.DataFrame


def figure_5(setting: Setting) -> Figure5:
    """Return the paper's three algorithms on the fitted path, `repetitions` runs each."""
    design, scenarios = _figure_5(setting)
    results = simulate_all(scenarios, engine=setting.engine, experiment="survey-5")
    rates = _goodputs(results, 2, setting.duration_s, design)
    return Figure5(_rates(_flows(results, design)), rates)


def _figure_5(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    design = statistics.combinations(algorithm=list(NAMES), seed=setting.seeds)
    scenarios = [
        japan(
            run.algorithm,
            seed=run.seed,
            duration_s=setting.duration_s,
            record=_delivered(setting.duration_s / 2),
            **setting.fitted,
        )
        for run in design.itertuples()
    ]
    return design, scenarios


def against_printed(flows: pd.DataFrame) -> pd.DataFrame:
    """Return figure 5's six numbers beside ours, from `Figure5.flows`.

    Columns: id (of the claim), algorithm, number, printed, measured (mean), ± (half of its 95 %
    interval), part (of the printed number).
    """
    stated = printed()
    rows = [
        {
            "id": f"survey-{kind}-{SHORT[row.algorithm]}",
            "algorithm": NAMES[row.algorithm],
            "number": number,
            "printed": stated.at[row.algorithm, number],
            "measured": row[2],
            "±": row.halfwidth,
        }
        for number, kind in (("Mb/s", "mean"), ("loss %", "loss"))
        for row in statistics.interval(flows, ["algorithm"], number).itertuples()
    ]
    return pd.DataFrame(rows).assign(part=lambda table: table["measured"] / table["printed"])


def own_classes(setting: Setting, flows: pd.DataFrame) -> pd.DataFrame:
    """Return what ns-3's own classes do on the fitted path, beside ours, one run each.

    `flows` is `Figure5.flows`. Columns: algorithm (ns-3's name), Mb/s, loss %, and both of ours.
    """
    own = dict(zip(("newreno", "highspeed", "scalable"), NAMES, strict=True))
    seed = setting.seeds[0]
    theirs = sweep(
        [japan(name, seed=seed, duration_s=setting.duration_s, **setting.fitted) for name in own],
        engine=setting.long_engine,
        experiment="survey-own",
        labels=pd.DataFrame({"algorithm": list(own)}),
    )
    ours = flows[flows["seed"] == seed].set_index("algorithm").loc[list(own.values())]
    table = _rates(theirs)[["algorithm", "Mb/s", "loss %"]]
    return table.assign(
        **{"ours Mb/s": ours["Mb/s"].to_numpy(), "ours loss %": ours["loss %"].to_numpy()}
    )


# --- figures 3 and 4


class Figure(NamedTuple):
    """`table`: a row a run. `rates`: goodput over time (the run's columns, time_s, Mb/s)."""

    table: pd.DataFrame
    rates: pd.DataFrame


BUFFERS: list[int | str] = [64_000, 128_000, 256_000, 512_000]
BUFFERS += [1_000_000, 2_000_000, 4_000_000, 8_000_000, "auto"]
RECEIVE_BUFFER = 16_000_000


def figure_3(setting: Setting) -> Figure:
    """Return standard TCP with one connection by its buffers, on both of `Setting.ways`.

    Columns of the table: path, buffer (to send from) and receive (bytes or "auto"), Mb/s,
    recoveries, timeouts, limit (of the send buffer, Mb/s).
    """
    design, scenarios = _figure_3(setting)
    results = simulate_all(scenarios, engine=setting.long_engine, experiment="survey-3")
    fixed = pd.to_numeric(design["buffer"], errors="coerce")
    table = _flows(results, design)
    table["Mb/s"] = table["goodput_bps"] / 1e6
    table["limit"] = [
        np.nan if np.isnan(size) else survey.buffer_limit(size, setting.rtt_s) / 1e6
        for size in fixed
    ]
    table = table[[*design, "Mb/s", "recoveries", "timeouts", "limit"]]
    return Figure(table, _goodputs(results, setting.long_s / 90, setting.long_s, design))


def _figure_3(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    design = statistics.combinations(path=list(setting.ways), buffer=BUFFERS)
    grown = design[design["buffer"] == "auto"].assign(receive="auto")
    design = pd.concat([design.assign(receive=RECEIVE_BUFFER), grown], ignore_index=True)
    scenarios = [
        japan(
            "standard",
            send_buffer_bytes=run.buffer,
            receive_buffer_bytes=run.receive,
            duration_s=setting.long_s,
            record=_delivered(90),
            **setting.ways[run.path],
        )
        for run in design.itertuples()
    ]
    return design, scenarios


# How many connections, and the send buffer of each (bytes).
CONNECTIONS = {
    "1 x 1 MB": (1, 1_000_000),
    "4 x 1 MB": (4, 1_000_000),
    "8 x 1 MB": (8, 1_000_000),
    "1 x 8 MB": (1, 8_000_000),
}


def figure_4(setting: Setting) -> Figure:
    """Return parallel connections of standard TCP (`CONNECTIONS`), on both of `Setting.ways`.

    Columns of the table: path, connections, Mb/s (sum), limit (of all send buffers, or of the path,
    Mb/s), slope (of the sum while it climbs, Mb/s a second), slope by (10). `rates` has the sum.
    """
    design, scenarios = _figure_4(setting)
    results = simulate_all(scenarios, engine=setting.long_engine, experiment="survey-4")
    rates = _goodputs(results, 2, setting.duration_s, design)
    sums = rates.groupby([*design, "time_s"], sort=False, as_index=False)["Mb/s"].sum()
    each = 8 * WITH_TIMESTAMPS / setting.rtt_s**2 / 1e6
    rows = []
    for run, result in zip(design.itertuples(), results, strict=True):
        number, size = CONNECTIONS[run.connections]
        window = number * survey.buffer_limit(size, setting.rtt_s)
        limit = min(window, setting.ways[run.path]["payload_bps"]) / 1e6
        one = sums[(sums["path"] == run.path) & (sums["connections"] == run.connections)]
        rows.append(
            {
                "Mb/s": result.flows["goodput_bps"].sum() / 1e6,
                "limit": limit,
                "slope": statistics.slope(
                    one, "time_s", "Mb/s", 6, setting.duration_s, until=0.9 * limit
                ),
                "slope by (10)": number * each,
            }
        )
    return Figure(design.join(pd.DataFrame(rows)), sums)


def _figure_4(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    design = statistics.combinations(path=list(setting.ways), connections=list(CONNECTIONS))
    scenarios = [
        japan(
            *["standard"] * CONNECTIONS[run.connections][0],
            send_buffer_bytes=CONNECTIONS[run.connections][1],
            duration_s=setting.duration_s,
            record=_delivered(setting.duration_s / 2),
            **setting.ways[run.path],
        )
        for run in design.itertuples()
    ]
    return design, scenarios


# --- remedies


def remedies(setting: Setting) -> pd.DataFrame:
    """Return what each remedy does for the first `Setting.start_s` seconds, a row a remedy.

    Columns: remedy, Mb/s (of all connections), lost packets (all links), timeouts.
    """
    names, scenarios = _remedies(setting)
    results = simulate_all(scenarios, engine=setting.long_engine, experiment="survey-remedies")
    lost = ["packets_lost", "packets_dropped_by_queue"]
    return pd.DataFrame(
        {
            "remedy": names,
            "Mb/s": [result.flows["goodput_bps"].sum() / 1e6 for result in results],
            "lost packets": [result.links[lost].sum().sum() for result in results],
            "timeouts": [result.flows["timeouts"].sum() for result in results],
        }
    )


def _remedies(setting: Setting) -> tuple[list[str], list[Scenario]]:
    limited = {"name": "standard", "parameters": {"max_ssthresh_segments": 100}}
    four = ["standard"] * 4
    slow = {"payload_bps": 50e6, "queue_packets": 430}
    tried: dict[str, tuple[list, dict]] = {
        "standard TCP": (["standard"], {}),
        "limited slow start": ([limited], {}),
        "four connections": (four, slow),
        "four, striped over two paths": (four, slow | {"paths": 2}),
        "one connection, loss 1e-5": (["standard"], {"loss": 1e-5}),
        "one connection, split": (["standard"], {"loss": 1e-5, "relay": True}),
        "FAST TCP": (["fast"], {}),
    }
    return list(tried), [
        japan(*algorithms, duration_s=setting.start_s, **setting.full | fields)
        for algorithms, fields in tried.values()
    ]


FAST_ALPHA = 200.0  # segments that a FAST TCP keeps in the queue


class Fast(NamedTuple):
    """One FAST TCP, then two. `windows`: flows (how many), flow, time_s, cwnd_segments. `queue`:
    flows, time_s, queue_packets. `window`: where one alone stays by (38), segments."""

    windows: pd.DataFrame
    queue: pd.DataFrame
    window: float


def fast(setting: Setting) -> Fast:
    """Return one FAST TCP alone, and two of which the second starts after a third of the time."""
    results = simulate_all(_fast(setting), engine=setting.long_engine, experiment="survey-fast")
    queue = _traces(results, "queue_packets", flows=(1, 2))
    stays = survey.fast_equilibrium(
        setting.full["payload_bps"], setting.rtt_s, WITH_TIMESTAMPS, FAST_ALPHA
    )
    return Fast(
        _traces(results, "cwnd_segments", flows=(1, 2)),
        queue[queue["link"] == "router>receiver"],
        float(stays["window"]),
    )


def _fast(setting: Setting) -> list[Scenario]:
    return [
        japan(
            *["fast"] * flows,
            starts_s=tuple(setting.start_s / 3 * number for number in range(flows)),
            duration_s=setting.start_s,
            timestamps=False,
            record=Record(series=("cwnd_segments", "queue_packets"), points=300),
            **setting.full,
        )
        for flows in (1, 2)
    ]


# --- beyond the paper


def fairness(setting: Setting) -> pd.DataFrame:
    """Return how two connections share a path, the second starting 10 s after the first.

    A row a pair, seed and 10 s: pair, seed, time_s, first, second (Mb/s), jain.
    """
    design, scenarios = _pairs(setting)
    results = simulate_all(scenarios, engine=setting.long_engine, experiment="survey-fairness")
    labels = design.assign(pair=[" and ".join(NAMES[name] for name in p) for p in design["pair"]])
    rates = _goodputs(results, 10, setting.shared["duration_s"], labels)
    wide = rates.pivot(index=["pair", "seed", "time_s"], columns="flow", values="Mb/s")
    wide = wide.reindex(labels["pair"].unique(), level="pair")
    jain = statistics.jain_index(wide[["1", "2"]].to_numpy())
    wide = wide.rename(columns={"1": "first", "2": "second"}).rename_axis(columns=None)
    return wide.assign(jain=jain).reset_index()


def _pairs(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    pairs = [("standard", name) for name in NAMES]
    pairs += [(name, name) for name in NAMES if name != "standard"]
    design = statistics.combinations(pair=pairs, seed=setting.seeds)
    points = max(2, setting.shared["duration_s"] / 10)
    scenarios = [
        japan(
            *run.pair,
            starts_s=(0.0, 10.0),
            seed=run.seed,
            record=_delivered(points),
            **setting.shared,
        )
        for run in design.itertuples()
    ]
    return design, scenarios


def settled(fairness: pd.DataFrame) -> pd.DataFrame:
    """Return the means of `fairness` after the first third of the time, a row a pair and seed."""
    late = fairness[fairness["time_s"] > fairness["time_s"].max() / 3]
    measures = ["first", "second", "jain"]
    return late.groupby(["pair", "seed"], sort=False, as_index=False)[measures].mean()


def round_trips(setting: Setting) -> pd.DataFrame:
    """Return how two connections of one kind share a path if the second's way is twice as long.

    A row an algorithm and seed: algorithm, seed, 1 and 2 (Mb/s), ratio.
    """
    design, scenarios = _round_trips(setting)
    flows = sweep(scenarios, engine=setting.long_engine, experiment="survey-rtt", labels=design)
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    wide = flows.pivot(index=list(design), columns="flow", values="Mb/s")
    wide = wide.reindex(design["algorithm"].unique(), level="algorithm")
    return wide.assign(ratio=wide["1"] / wide["2"]).rename_axis(columns=None).reset_index()


def _round_trips(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    design = statistics.combinations(algorithm=[*NAMES, "fast"], seed=setting.seeds)
    scenarios = [
        japan(
            run.algorithm,
            run.algorithm,
            extra_rtt_s=(0.0, setting.rtt_s),
            seed=run.seed,
            **setting.shared,
        )
        for run in design.itertuples()
    ]
    return design, scenarios


def means(runs: pd.DataFrame, by: str, measures: list[str]) -> pd.DataFrame:
    """Return the means of several columns with half of their 95 % intervals (± MEASURE).

    A row a value of `by`, in the order in which they come in `runs`.
    """
    order = runs[by].unique()
    table = pd.DataFrame({by: order})
    for measure in measures:
        one = statistics.interval(runs, [by], measure).set_index(by).loc[order]
        table[measure] = one[measure].to_numpy()
        table[f"± {measure}"] = one["halfwidth"].to_numpy()
    return table


class Stacks(NamedTuple):
    """`flows`: a row a run (stack, control, seed, Mb/s, loss %, recoveries, timeouts ...).
    `windows`: of the first seed (stack, control, time_s, cwnd_segments)."""

    flows: pd.DataFrame
    windows: pd.DataFrame


STACKS = {"linux": "Linux", "ns3": "ns-3's class", "ours": "ours on ns-3"}
STACKS_DURATION_S = 60.0


def stacks(setting: Setting) -> Stacks:
    """Return Reno, HighSpeed and Scalable TCP on Linux, as ns-3's classes, and by our headers.

    Three runs of a minute each on the fitted path. What this machine cannot run is left out.
    """
    alike = dict(zip(("reno", "highspeed", "scalable"), NAMES, strict=True))
    design = statistics.combinations(control=list(alike), seed=[1, 2, 3])
    record = Record(series=("cwnd_segments",), points=300)
    flows, windows = [], []
    for stack, label in STACKS.items():
        engine = "linux" if stack == "linux" else setting.long_engine
        scenarios = [
            japan(
                alike[run.control] if stack == "ours" else run.control,
                seed=run.seed,
                duration_s=STACKS_DURATION_S,
                record=record,
                **setting.fitted,
            )
            for run in design.itertuples()
        ]
        if not can_run(scenarios, engine):
            continue
        results = simulate_all(scenarios, engine=engine, experiment=f"survey-stacks-{stack}")
        flows.append(_flows(results, design).assign(stack=label))
        first = design.index[design["seed"] == 1]
        some = [results[row] for row in first]
        traces = _traces(some, "cwnd_segments", control=design.loc[first, "control"])
        windows.append(traces.assign(stack=label))
    return Stacks(
        _rates(pd.concat(flows, ignore_index=True)), pd.concat(windows, ignore_index=True)
    )


def stack_means(flows: pd.DataFrame) -> pd.DataFrame:
    """Return the means of `Stacks.flows`, a row a control and stack, goodput and loss as text.

    Columns: control, stack, Mb/s and loss % (each with ± half of its 95 % interval), recoveries,
    timeouts.
    """
    by = ["control", "stack"]
    table = flows.groupby(by, sort=False)[["recoveries", "timeouts"]].mean()
    for measure, digits in (("Mb/s", 1), ("loss %", 3)):
        one = statistics.interval(flows, by, measure).set_index(by).loc[table.index]
        table[measure] = [
            f"{mean:.{digits}f} ± {halfwidth:.{digits}f}"
            for mean, halfwidth in zip(one[measure], one["halfwidth"], strict=True)
        ]
    return table[["Mb/s", "loss %", "recoveries", "timeouts"]].reset_index()


def engines_agree(setting: Setting) -> pd.DataFrame:
    """Return how ns-3 and the segment-level engine differ in the runs that carry a verdict.

    A row a series: series, runs, flows, segments sent (by ns-3), flows that differ (in any of
    `COUNTED`), largest difference (of a count). Of the profile "quick" only the short series; no
    row where one of the engines cannot run here.
    """
    series = {"figure 5": _figure_5(setting)[1], "FAST TCP": _fast(setting)}
    if setting.profile != "quick":
        series |= {
            "figure 3": _figure_3(setting)[1],
            "figure 4": _figure_4(setting)[1],
            "remedies": _remedies(setting)[1],
            "fairness": _pairs(setting)[1],
            "round trips": _round_trips(setting)[1],
        }
    scenarios = [scenario for some in series.values() for scenario in some]
    labels = pd.DataFrame({"series": [name for name, some in series.items() for _ in some]})
    kinds = [kind for kind in ("ns3", "segment") if can_run(scenarios, kind)]
    columns = ["runs", "flows", "segments sent", "flows that differ", "largest difference"]
    if len(kinds) < 2:
        return pd.DataFrame(columns=["series", *columns])
    full, fast = (
        sweep(scenarios, engine=kind, experiment=f"survey-check-{kind}", labels=labels)
        for kind in kinds
    )
    apart = (full[COUNTED] - fast[COUNTED]).abs()
    table = full.assign(differs=apart.any(axis=1), largest=apart.max(axis=1))
    table = table.groupby("series", sort=False).agg(
        runs=("scenario", "nunique"),
        flows=("flow", "size"),
        sent=("segments_sent", "sum"),
        differs=("differs", "sum"),
        largest=("largest", "max"),
    )
    return table.set_axis(columns, axis=1).reset_index()


# --- verdicts


def verdicts(
    setting: Setting,
    *,
    region: pd.DataFrame,
    figure_5: Figure5,
    buffers: pd.DataFrame,
    parallel: pd.DataFrame,
    remedies: pd.DataFrame,
    settled: pd.DataFrame,
) -> pd.DataFrame:
    """Return the survey's claims with what was found for each, as `show.show_verdicts` wants them.

    The arguments are what the functions of the same names return, `buffers` and `parallel` the
    tables of `figure_3` and `figure_4`.
    """
    found = _arithmetic() | _means(figure_5.flows, setting.engine)
    found |= _orders(figure_5, region, setting.engine)
    for claim, one in (
        _buffers(buffers) | _parallel(parallel) | _remedied(remedies) | _unfair(settled)
    ).items():
        found[claim] = one | {"engine": setting.long_engine}
    found["survey-direct-rate"] = {
        "engine": "none",
        "verdict": "undecidable",
        "reason": "a property of the paper's PCs: an input here, not an outcome",
    }
    columns = ["measured", "low", "high", "engine", "verdict", "reason"]
    table = pd.DataFrame.from_dict(found, orient="index").reindex(columns=columns)
    return _claims().drop(columns=["paper", "rounding", "kind"]).join(table).reset_index()


def _arithmetic() -> dict[str, dict]:
    return {
        row.Index: {
            "measured": row.computed,
            "low": row.computed,
            "high": row.computed,
            "engine": "arithmetic",
            "verdict": statistics.compatible(
                row.printed, row.rounding / 2, row.computed, row.computed
            ),
            "reason": "computed from the text's own numbers",
        }
        for row in recomputed().itertuples()
    }


def _means(flows: pd.DataFrame, engine: str) -> dict[str, dict]:
    """Judge the six numbers: what fits is undecidable, since the path was chosen to fit them."""
    reasons = {
        "reproduced": "it fits, under assumptions that were chosen to fit",
        "not reproduced": "not even under the assumptions that fit best",
        "undecidable": "a single run has no interval",
    }
    rounding = _claims()["rounding"]
    found = {}
    for row in against_printed(flows).rename(columns={"±": "halfwidth"}).itertuples():
        low, high = row.measured - row.halfwidth, row.measured + row.halfwidth
        fits = statistics.compatible(row.printed, rounding[row.id] / 2, low, high)
        found[row.id] = {"measured": row.measured, "low": low, "high": high, "engine": engine}
        found[row.id] |= {
            "verdict": "undecidable" if fits == "reproduced" else fits,
            "reason": reasons[fits],
        }
    return found


def _orders(figure_5: Figure5, region: pd.DataFrame, engine: str) -> dict[str, dict]:
    """Judge the orders of figure 5 by the smallest step between two algorithms."""
    changes = figure_5.rates.groupby(["algorithm", "seed"], as_index=False)["Mb/s"].agg(
        lambda rate: rate.diff().abs().mean()
    )
    step = "smallest step between two algorithms, at the fitted point"
    held = f"{region['ordered'].mean():.0%} of the {len(region)} combinations"
    both = f"{step}; both orders hold at {held}"
    return {
        claim: statistics.rising(table, list(NAMES), value) | {"engine": engine, "reason": reason}
        for claim, table, value, reason in (
            ("survey-order-mean", figure_5.flows, "Mb/s", both),
            ("survey-order-loss", figure_5.flows, "loss %", both),
            ("survey-order-variation", changes, "Mb/s", step),
        )
    }


def _tried_once(holds, ratio: pd.Series, what: str) -> dict:
    """Judge a comparison that was made once on each path: it must hold on every one.

    Undecidable where there is nothing to compare (0 / 0, or a run too short to have a slope).
    """
    several = len(ratio) > 1
    return {
        "verdict": "undecidable" if ratio.isna().any() else statistics.everywhere(holds),
        "measured": ratio.mean(),
        "low": ratio.min() if several else np.nan,
        "high": ratio.max() if several else np.nan,
        "reason": f"{what}; lowest and highest of {len(ratio)} paths" if several else what,
    }


def _buffers(table: pd.DataFrame) -> dict[str, dict]:
    table = table[table["receive"] == RECEIVE_BUFFER]
    rate = table.pivot(index="path", columns="buffer", values="Mb/s")
    gain, tuned = rate[8_000_000] / rate[1_000_000], rate["auto"] / rate[8_000_000]
    large = table[table["buffer"] == 8_000_000]
    stays = (large["timeouts"] == 0) & (large["recoveries"] > 0)
    return {
        "survey-buffer-1mb": _tried_once(gain > 1, gain, "8 MB / 1 MB"),
        "survey-buffer-auto": _tried_once(tuned > 0.95, tuned, "auto / 8 MB, to be above 0.95"),
        "survey-avoidance": _tried_once(
            stays, large["recoveries"], "recoveries, and no timeout, with 8 MB"
        ),
    }


def _parallel(table: pd.DataFrame) -> dict[str, dict]:
    wide = table.pivot(index="path", columns="connections")
    more = wide["Mb/s", "8 x 1 MB"] / wide["Mb/s", "1 x 8 MB"]
    slopes = wide["slope", "8 x 1 MB"] / wide["slope", "1 x 1 MB"]
    in_proportion = (slopes / 8 - 1).abs() < 0.1
    return {
        "survey-parallel-slope": _tried_once(
            in_proportion, slopes, "growth of 8 connections / of 1, to be within 10 % of 8"
        ),
        "survey-parallel-better": _tried_once(more > 1, more, "8 x 1 MB / 1 x 8 MB"),
    }


def _remedied(table: pd.DataFrame) -> dict[str, dict]:
    found = {}
    for claim, number, above, below, what in (
        (
            "survey-limited-slow-start",
            "lost packets",
            "standard TCP",
            "limited slow start",
            "packets lost without / with it",
        ),
        (
            "survey-striping",
            "Mb/s",
            "four, striped over two paths",
            "four connections",
            "two paths / one",
        ),
        (
            "survey-split",
            "Mb/s",
            "one connection, split",
            "one connection, loss 1e-5",
            "with relay / without",
        ),
    ):
        one = table.set_index("remedy")[number]
        ratio = one[[above]].reset_index(drop=True) / one[[below]].reset_index(drop=True)
        found[claim] = _tried_once(ratio > 1, ratio, what)
    return found


def _unfair(settled: pd.DataFrame) -> dict[str, dict]:
    """Judge what standard TCP, the first of a pair, loses by its neighbour (Mb/s)."""
    first = settled.pivot(index="seed", columns="pair", values="first")
    alike, highspeed, scalable = (first[f"standard TCP and {name}"] for name in NAMES.values())
    return {
        claim: statistics.finding(loses.to_numpy(), above=0) | {"reason": reason}
        for claim, loses, reason in (
            ("survey-unfair-highspeed", alike - highspeed, "what standard TCP loses by HSTCP"),
            (
                "survey-unfair-scalable",
                highspeed - scalable,
                "what it has less beside Scalable TCP",
            ),
        )
    }


# --- what all have in common


def _claims() -> pd.DataFrame:
    return papers.claims("survey").set_index("id").fillna({"unit": ""})


def _delivered(points: float) -> Record:
    """Delivered bytes, at the end of each of so many intervals of equal length."""
    return Record(series=("delivered_bytes",), points=round(points))


def _flows(results: list[Result], labels: pd.DataFrame) -> pd.DataFrame:
    """Return the only flow of each result, with the labels of its run."""
    return labels.join(pd.concat([result.flows for result in results], ignore_index=True))


def _rates(flows: pd.DataFrame) -> pd.DataFrame:
    """Add the two numbers that figure 5 has: Mb/s and loss %."""
    return flows.assign(
        **{"Mb/s": flows["goodput_bps"] / 1e6, "loss %": statistics.loss_percent(flows)}
    )


def _goodputs(
    results: list[Result], interval_s: float, duration_s: float, labels: pd.DataFrame
) -> pd.DataFrame:
    """Return the goodput over time of each flow, with the labels of its run: time_s, Mb/s."""
    rates = [
        statistics.goodput_over_time(result.traces["delivered_bytes"], interval_s, duration_s)
        for result in results
    ]
    table = pd.concat(rates, keys=range(len(rates)), names=["run", None]).reset_index("run")
    table["Mb/s"] = table.pop("goodput_bps") / 1e6
    return labels.join(table.set_index("run"), how="right").reset_index(drop=True)


def _traces(results: list[Result], series: str, **label) -> pd.DataFrame:
    """Return the traces of a series in one table, with a column that tells whose they are."""
    [(column, values)] = label.items()
    return pd.concat(
        [
            result.traces[series].assign(**{column: value})
            for result, value in zip(results, values, strict=True)
        ],
        ignore_index=True,
    )
