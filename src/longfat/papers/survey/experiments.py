"""The survey's experiments: the runs behind each figure and table, and what is read off them.

A `Setting` has what a reader may turn. Each function finds the results of its scenarios in the
archive, or simulates them, and returns one table. Goodputs are in Mb/s of payload, loss rates in
per cent of the segments sent, buffers in bytes, windows and queues in segments of 1448 bytes.

What a verdict rests on runs on the segment engine, several seeds each; a minute of figure 5 runs on
ns-3 and on Linux too (`LEGS`).
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from longfat import measures, papers, statistics
from longfat.errors import InputError, nearest
from longfat.faults import OF_ITS_SOCKET
from longfat.papers import survey
from longfat.papers.survey import files, routers
from longfat.papers.survey.network import WITH_TIMESTAMPS, japan
from longfat.result import Result
from longfat.scenario import CongestionControl, Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

NAMES = {  # of the three that the paper tests, in the order of its figure 5
    "standard": "standard TCP",
    "highspeed-rfc3649": "HSTCP",
    "scalable-kelly": "Scalable TCP",
}
SHORT = {key: key.split("-")[0] for key in NAMES}
# Each engine's repetitions of what it runs, by profile.
LEGS: dict[str, dict[str, int]] = {
    "paper": {"segment": 10, "ns3": 1, "linux": 3},
    "quick": {"segment": 4, "ns3": 0, "linux": 3},
}
DURATIONS_S = {"paper": 300.0, "quick": 20.0}
# The grid of assumptions in which the inverse problem is solved: loss probability, queue (packets)
# and bottleneck (Mb/s of payload).
SWEPT: dict[str, dict[str, list]] = {
    "paper": {"loss": [3e-6], "queue": [60, 150, 400], "mbps": [150, 314]},
    "quick": {"loss": [3e-6], "queue": [60, 150], "mbps": [150, 314]},
}
ASSUMED = list(SWEPT["paper"])
RATIOS = [f"{number} {name}" for number in ("Mb/s", "loss %") for name in SHORT.values()]
COUNTED = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]
UNBOUND: dict[str, Any] = {"send_buffer_bytes": 64_000_000, "receive_buffer_bytes": 64_000_000}

OF_PROFILE: Any = None  # a default: the profile has it


@dataclass(frozen=True)
class Setting:
    """What a reader may turn; what is None is as the profile has it.

    `profile` is "paper", the paper's own scale, or "quick". `repetitions` are figure 5's on the
    segment engine; other experiments take a part of them. The bottleneck (Mb/s of payload), its
    queue and its random loss are fitted, not stated; `measured_mbps` is the rate that the paper
    measured without the long way. Raises InputError for another profile.
    """

    profile: str = "paper"
    duration_s: float = OF_PROFILE
    repetitions: int = OF_PROFILE
    rtt_s: float = 0.1
    bottleneck_mbps: float = 150
    queue_packets: int = 150
    random_loss: float = 3e-6
    measured_mbps: float = 314

    def __post_init__(self):
        if self.profile not in LEGS:
            raise InputError(
                f"profile is '{self.profile}': it must be one of {', '.join(LEGS)}."
                f"{nearest(self.profile, list(LEGS))}"
            )
        own = {
            "duration_s": DURATIONS_S[self.profile],
            "repetitions": LEGS[self.profile]["segment"],
        }
        for name, value in own.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    def seeds(self, part: int = 1) -> list[int]:
        """One a repetition, of all of them or of a part (2: the half)."""
        return list(range(1, max(2, self.repetitions // part) + 1))

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
        """The two paths of figures 3 and 4 by their names: fitted, and as fast as measured.

        The second loses so rarely (one packet in ten million) that its queue decides.
        """
        direct = self.fitted | {"payload_bps": self.measured_mbps * 1e6, "loss": 1e-7}
        return {"fitted": self.fitted, f"{self.measured_mbps} Mb/s": direct}

    @property
    def full(self) -> dict:
        """The path as fast as measured, with a queue of a bandwidth-delay product."""
        rate = self.measured_mbps * 1e6
        queue = round(rate * self.rtt_s / 8 / WITH_TIMESTAMPS)
        return {"payload_bps": rate, "rtt_s": self.rtt_s, "queue_packets": queue}

    @property
    def shared(self) -> dict:
        """The path that two connections share: as fitted, and a rare random loss."""
        return self.fitted | {"loss": 1e-6, "duration_s": min(200.0, self.duration_s)}

    @property
    def start_s(self) -> float:
        """How long a start is watched (s)."""
        return min(30.0, self.duration_s / 2)

    @property
    def remedy_s(self) -> float:
        """How long a remedy is tried (s)."""
        return min(120.0, self.duration_s)

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
    record = Record(series=("cwnd_segments",), points=400)
    small: dict[str, Any] = {
        "payload_bps": 20e6,
        "queue_packets": 50,
        "duration_s": 60,
        "record": record,
    }
    results = simulate_all(
        [japan("standard", sack=sack, **small) for sack in names.values()],
        experiment="survey-windows",
    )
    return _traces(results, "cwnd_segments", name=names)


def kept_windows() -> pd.DataFrame:
    """Return what a single loss does to three windows of the same pipe, by the algorithms alone.

    From a peak of 1400 segments, round trip by round trip, until the peak is reached again three
    times or for 800 round trips. Columns: algorithm, round_trip, window.
    """
    rules: dict[str, tuple[Any, Any]] = {
        "standard": (lambda w: 1.0, lambda w: 0.5),
        "highspeed-rfc3649": (survey.highspeed_increase, survey.highspeed_decrease),
        "scalable-kelly": (lambda w: survey.SCALABLE["A"] * w, lambda w: survey.SCALABLE["b"]),
    }
    peak, rows = 1400.0, []
    for name, (increase, decrease) in rules.items():
        window = peak
        for trip in range(800):
            rows.append({"algorithm": name, "round_trip": trip, "window": window})
            window = (
                window * (1 - decrease(window)) if window >= peak else window + increase(window)
            )
    return pd.DataFrame(rows)


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


def headers() -> pd.DataFrame:
    """Return what headers take of full packets: columns mtu, header (bytes) and part (of 1)."""
    table = statistics.combinations(mtu=[1500, 9000], header=[40, 60])
    return table.assign(part=survey.header_overhead(table["mtu"], table["header"]))


def hardware() -> pd.DataFrame:
    """Return what the test bed's links and buses can carry of payload, beside what was measured.

    Packets of 1500 bytes, 1448 of payload. A row a limit: what, Mb/s, how (it is found).
    """
    payload, packet = WITH_TIMESTAMPS, 1500
    stated = _claims()["printed"]
    cells = -(-(packet + 8 + 8) // 48)  # AAL5: LLC/SNAP and trailer, padded to whole cells of 48
    rows = [
        ("JAPAN path by its name", 600.0, "stated"),
        (
            "600 Mb/s of ATM cells",
            600 * payload / (cells * 53),
            f"{cells} cells of 53 bytes carry a packet of 1500 with 1448 of payload",
        ),
        (
            "32-bit PCI bus, each packet crosses it twice",
            32 * 33.33 / 2 * payload / packet,
            "32 bits at 33 MHz, without any pause between transfers",
        ),
        ("routers joined directly", stated["survey-direct-rate"], "measured"),
        ("Scalable TCP over 8000 km", stated["survey-mean-scalable"], "measured"),
    ]
    return pd.DataFrame(rows, columns=["limit", "Mb/s", "how"])


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


def region(setting: Setting, *, mbps=None, queue=None, loss=None) -> pd.DataFrame:
    """Return how far each combination of assumptions is from figure 5's numbers, by one run each.

    A list of values for each assumption, as in `SWEPT`; None is the profile's. Columns: `ASSUMED`,
    `RATIOS` (measured / printed), factor and ordered, as `statistics.fit` has them.
    """
    given = {"loss": loss, "queue": queue, "mbps": mbps}
    swept = {name: given[name] or values for name, values in SWEPT[setting.profile].items()}
    design = statistics.combinations(**swept, algorithm=list(NAMES))
    scenarios = [
        japan(
            run.algorithm,
            payload_bps=run.mbps * 1e6,
            queue_packets=run.queue,
            loss=run.loss,
            rtt_s=setting.rtt_s,
            duration_s=setting.duration_s,
        )
        for run in design.itertuples()
    ]
    return _fit(sweep(scenarios, experiment="survey-region", labels=design))


def _fit(runs: pd.DataFrame) -> pd.DataFrame:
    runs = _rates(runs).assign(algorithm=runs["algorithm"].map(SHORT))
    return statistics.fit(runs, ASSUMED, "algorithm", printed().rename(index=SHORT))


def nearest_numbers(region: pd.DataFrame) -> pd.DataFrame:
    """Return the combinations of `region`, the nearest first."""
    return region.sort_values("factor", ignore_index=True)


# --- figure 5


class Figure5(NamedTuple):
    """`flows`: a row a run (engine, algorithm, seed, Mb/s, loss % and the measures of a flow).
    `rates`: goodput over time (engine, algorithm, seed, time_s, Mb/s: means of 2 s)."""

    flows: pd.DataFrame
    rates: pd.DataFrame


def figure_5(setting: Setting) -> Figure5:
    """Return runs of the paper's three algorithms on the fitted path."""
    seeds = setting.seeds()
    design = statistics.combinations(engine=["segment"], algorithm=list(NAMES), seed=seeds)
    results = simulate_all(_figure_5(setting, seeds), experiment="survey-5")
    rates = _goodputs(results, 2, setting.duration_s, design)
    return Figure5(_rates(_flows(results, design)), rates)


def _figure_5(setting: Setting, seeds: list[int], **fields) -> list[Scenario]:
    common = setting.fitted | {
        "duration_s": setting.duration_s,
        "record": _delivered(setting.duration_s / 2),
    }
    return [japan(algorithm, seed=seed, **common | fields) for algorithm in NAMES for seed in seeds]


# What the paper does not state, and what else it could be: the parameter's name in parameters.csv,
# its value as text, and the fields of the runs.
ASSUMPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("segments_per_ack", "2 (delayed ACKs)", {"segments_per_ack": 2}),
    ("recovery", "halving (RFC 6675)", {"recovery": "halving"}),
    ("router_buffer", "60 packets", {"queue_packets": 60}),
    ("router_buffer", "400 packets", {"queue_packets": 400}),
    ("random_loss", r"$10^{-5}$", {"loss": 1e-5}),
    ("bottleneck", "314 Mb/s", {"payload_bps": 314e6}),
]


def assumptions(setting: Setting) -> Figure5:
    """Return figure 5 with one assumption changed at a time.

    Those of `ASSUMPTIONS`, by fewer runs each. Both tables have the columns parameter and setting
    as well; the engine is the segment engine.
    """
    tried = ASSUMPTIONS if setting.profile == "paper" else ASSUMPTIONS[:2]
    designs, scenarios = [], []
    for parameter, value, fields in tried:
        seeds = setting.seeds(2 if parameter == "router_buffer" else 3)
        scenarios += _figure_5(setting, seeds, **fields)
        designs.append(
            statistics.combinations(
                parameter=[parameter],
                setting=[value],
                engine=["segment"],
                algorithm=list(NAMES),
                seed=seeds,
            )
        )
    design = pd.concat(designs, ignore_index=True)
    results = simulate_all(scenarios, experiment="survey-assumptions")
    rates = _goodputs(results, 2, setting.duration_s, design)
    return Figure5(_rates(_flows(results, design)), rates)


VARIATIONS = {  # how strongly a goodput varies, from its means of 2 s
    "mean change from one 2 s to the next": lambda rate: rate.diff().abs().mean(),
    "standard deviation": lambda rate: rate.std(),
    "standard deviation / mean": lambda rate: rate.std() / rate.mean(),
}


def variation(rates: pd.DataFrame) -> pd.DataFrame:
    """Return how strongly each run's goodput varies, by three measures.

    `rates` is `Figure5.rates`. A row a run; columns engine, algorithm, seed (parameter and setting
    where they are given), and one a measure.
    """
    by = [name for name in rates if name not in ("time_s", "Mb/s", "flow")]
    groups = rates.groupby(by, sort=False)["Mb/s"]
    return pd.DataFrame(
        {name: groups.agg(measure) for name, measure in VARIATIONS.items()}
    ).reset_index()


def against_printed(flows: pd.DataFrame) -> pd.DataFrame:
    """Return figure 5's six numbers beside ours, from runs of the segment engine.

    `flows` is `Figure5.flows`. Columns: id (of the claim), algorithm, number, printed, measured
    (mean), ± (half of its 95 % interval), low and high (between which the mean of three runs lies),
    part (of the printed).
    """
    stated = printed()
    own = flows[flows["engine"] == "segment"]
    rows = []
    for number, kind in (("Mb/s", "mean"), ("loss %", "loss")):
        for algorithm in NAMES:
            values = own.loc[own["algorithm"] == algorithm, number]
            further = statistics.prediction_interval(values, PRINTED_RUNS)
            mean = statistics.mean(values)
            rows.append(
                {
                    "id": f"survey-{kind}-{SHORT[algorithm]}",
                    "algorithm": NAMES[algorithm],
                    "number": number,
                    "printed": stated.at[algorithm, number],
                    "measured": mean["measured"],
                    "±": mean["high"] - mean["measured"],
                    "low": further["low"],
                    "high": further["high"],
                }
            )
    return pd.DataFrame(rows).assign(part=lambda table: table["measured"] / table["printed"])


PRINTED_RUNS = 3  # of which the paper prints the mean


def own_classes(setting: Setting, flows: pd.DataFrame) -> pd.DataFrame:
    """Return what the three do on the fitted path by the arithmetic of ns-3's classes, beside ours.

    A run each, of the same seed; `flows` is `Figure5.flows`. Columns: algorithm, Mb/s, loss %, and
    both of ours.
    """
    own = {"newreno": "standard", "highspeed-rfc3649": "highspeed-rfc3649"}
    own |= {"scalable-kelly": "scalable-kelly"}
    seed = setting.seeds()[0]
    theirs = sweep(
        [
            japan(
                CongestionControl(name=name, parameters={"as_ns3_3_44": True}),
                seed=seed,
                duration_s=setting.duration_s,
                **setting.fitted,
            )
            for name in own
        ],
        experiment="survey-own",
        labels=pd.DataFrame({"algorithm": list(own)}),
    )
    ours = flows[(flows["seed"] == seed) & (flows["engine"] == "segment")]
    ours = ours.set_index("algorithm").loc[list(own.values())]
    table = _rates(theirs)[["Mb/s", "loss %"]]
    table.insert(0, "algorithm", ["ns-3's NewReno", "ns-3's HighSpeed", "ns-3's Scalable"])
    return table.assign(
        **{"ours Mb/s": ours["Mb/s"].to_numpy(), "ours loss %": ours["loss %"].to_numpy()}
    )


# --- figures 3 and 4


class Figure(NamedTuple):
    """`table`: a row a run. `rates`: goodput over time of the first seed (the run's columns,
    time_s, Mb/s)."""

    table: pd.DataFrame
    rates: pd.DataFrame


BUFFERS: list[int | str] = [64_000, 1_000_000, 8_000_000, "auto"]
REPEATED = (1_000_000, 8_000_000, "auto")  # those on which a verdict rests


def figure_3(setting: Setting) -> Figure:
    """Return one connection of standard TCP by its buffers, on two paths.

    The paths are `Setting.ways`. Several runs each of `REPEATED`, fewer on the faster path, else
    one. Columns of the table: path, buffer (to send from, bytes or "auto"), seed, Mb/s, recoveries,
    timeouts, limit (of the send buffer, Mb/s).
    """
    design, scenarios = _figure_3(setting)
    results = simulate_all(scenarios, experiment="survey-3")
    fixed = pd.to_numeric(design["buffer"], errors="coerce")
    table = _flows(results, design)
    table["Mb/s"] = table["goodput_bps"] / 1e6
    table["limit"] = [
        np.nan if np.isnan(size) else survey.buffer_limit(size, setting.rtt_s) / 1e6
        for size in fixed
    ]
    table = table[[*design, "Mb/s", "recoveries", "timeouts", "limit"]]
    first = design.index[design["seed"] == 1]
    rates = _goodputs(
        [results[row] for row in first],
        setting.long_s / 90,
        setting.long_s,
        design.loc[first].reset_index(drop=True),
    )
    return Figure(table, rates)


def _figure_3(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    repeated = {"fitted": setting.seeds()[:6]}
    rows = [
        {"path": path, "buffer": size, "seed": seed}
        for path in setting.ways
        for size in BUFFERS
        if path == "fitted" or size != "auto"
        for seed in (repeated.get(path, setting.seeds(5)) if size in REPEATED else [1])
    ]
    design = pd.DataFrame(rows)
    scenarios = [
        japan(
            "standard",
            send_buffer_bytes=run.buffer,
            duration_s=setting.long_s,
            seed=run.seed,
            record=_delivered(90) if run.seed == 1 else None,
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
    """Return parallel connections of standard TCP, on two paths.

    The paths are `Setting.ways`. Several runs each, fewer on the faster path. Columns of the table:
    path, connections, seed, Mb/s (sum), limit (of all send buffers, or of the path, Mb/s), slope
    (of the sum while it climbs, Mb/s a second), slope by (10). `rates` has the sum.
    """
    design, scenarios = _figure_4(setting)
    results = simulate_all(scenarios, experiment="survey-4")
    each = 8 * WITH_TIMESTAMPS / setting.rtt_s**2 / 1e6
    rows, drawn = [], []
    for run, result in zip(design.itertuples(), results, strict=True):
        number, size = CONNECTIONS[run.connections]
        window = number * survey.buffer_limit(size, setting.rtt_s)
        limit = min(window, setting.ways[run.path]["payload_bps"]) / 1e6
        label = pd.DataFrame([{name: getattr(run, name) for name in design}])
        one = _goodputs([result], 2, setting.duration_s, label)
        one = one.groupby([*design, "time_s"], sort=False, as_index=False)["Mb/s"].sum()
        if run.seed == 1:
            drawn.append(one)
        rows.append(
            {
                "Mb/s": result.flows["goodput_bps"].sum() / 1e6,
                "limit": limit,
                "slope": measures.slope(
                    one, "time_s", "Mb/s", 6, setting.duration_s, until=0.9 * limit
                ),
                "slope by (10)": number * each,
            }
        )
    return Figure(design.join(pd.DataFrame(rows)), pd.concat(drawn, ignore_index=True))


def _figure_4(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    rows = [
        {"path": path, "connections": connections, "seed": seed}
        for path, seeds in zip(setting.ways, (setting.seeds(2), setting.seeds(6)), strict=True)
        for connections in CONNECTIONS
        for seed in seeds
    ]
    design = pd.DataFrame(rows)
    scenarios = [
        japan(
            *["standard"] * CONNECTIONS[run.connections][0],
            send_buffer_bytes=CONNECTIONS[run.connections][1],
            duration_s=setting.duration_s,
            seed=run.seed,
            record=_delivered(setting.duration_s / 2),
            **setting.ways[run.path],
        )
        for run in design.itertuples()
    ]
    return design, scenarios


def by_seed(table: pd.DataFrame, by: list[str], measures: list[str]) -> pd.DataFrame:
    """Return means over the runs with their intervals.

    Beside each of `measures` stands half of its 95 % interval (± MEASURE); runs counts the seeds.
    """
    groups = table.groupby(by, sort=False)
    rows = groups.size().rename("runs").reset_index()
    for measure in measures:
        rows[measure] = groups[measure].mean().to_numpy()
        half = statistics.half_width(groups[measure].std().to_numpy(), rows["runs"].to_numpy())
        rows[f"± {measure}"] = half
    return rows


# --- slow start


LIMITED = {"name": "standard", "parameters": {"max_ssthresh_segments": 100}}
STARTS: dict[str, tuple[Any, dict]] = {
    "standard TCP": ("standard", {}),
    "without SACK": ("standard", {"sack": False}),
    "lost repairs not noticed": ("standard", {"faults": ("lost-retransmission",)}),
    "limited slow start": (LIMITED, {}),
}


def starts(setting: Setting) -> pd.DataFrame:
    """Return how connections begin on the path as fast as measured, by its queue.

    Socket buffers bind nowhere; one packet in a million is lost at random, so that runs differ.
    A row a run: start (of `STARTS`), queue (packets), seed, Mb/s, dropped (by the queue, packets),
    timeouts.
    """
    long = setting.full["queue_packets"]
    design = statistics.combinations(
        start=list(STARTS), queue=[setting.queue_packets, long // 4, long], seed=setting.seeds()
    )
    scenarios = []
    for run in design.itertuples():
        algorithm, fields = STARTS[run.start]
        faults = fields.get("faults", ())
        fields = {name: value for name, value in fields.items() if name != "faults"}
        one = japan(
            algorithm,
            duration_s=setting.start_s,
            seed=run.seed,
            **setting.full | UNBOUND | {"queue_packets": run.queue, "loss": 1e-6} | fields,
        )
        scenarios.append(one.with_(faults=faults) if faults else one)
    results = simulate_all(scenarios, experiment="survey-starts")
    return _summed(results, design)


INITIAL_WINDOWS = (1, 3, 10)  # 3 segments of 1448 bytes are RFC 3390's 4380 bytes
FILES = {"15 KB": 10 * WITH_TIMESTAMPS, "1 GB": 1_000_000_000}


def initial_windows(setting: Setting) -> pd.DataFrame:
    """Return how long a short and a long file take, by the initial window.

    The path is the fitted one without random loss, and the queue has another length in each run: a
    packet more or less of it decides at which window slow start ends, which moves a long transfer
    by several per cent either way. A row a run: file (of `FILES`), queue (packets), initial_window
    (segments), transfer_s.
    """
    whole = setting.profile == "paper"
    files = FILES if whole else {name: min(size, 20_000_000) for name, size in FILES.items()}
    design = statistics.combinations(
        file=list(files),
        queue=list(range(100, 440, 20 if whole else 170)),
        initial_window=INITIAL_WINDOWS,
    )
    scenarios = [
        japan(
            "standard",
            initial_window_segments=run.initial_window,
            bytes=files[run.file],
            duration_s=400.0,
            **setting.fitted | {"loss": 0.0, "queue_packets": run.queue},
        )
        for run in design.itertuples()
    ]
    flows = sweep(scenarios, experiment="survey-initial-windows", labels=design)
    return flows[[*design]].assign(transfer_s=flows["transfer_time_s"])


# --- remedies

REMEDY_LOSS = 1e-5
REMEDIES: dict[str, tuple[list, dict]] = {
    "standard TCP": (["standard"], {}),
    "initial window of 10": (["standard"], {"initial_window_segments": 10}),
    "limited slow start": ([LIMITED], {}),
    "9000-byte packets": (["standard"], {"mtu_bytes": 9000}),
    "4 connections": (["standard"] * 4, {}),
    "8 connections": (["standard"] * 8, {}),
    "relay in the middle": (["standard"], {"relay": True}),
    "HSTCP": (["highspeed-rfc3649"], {}),
    "Scalable TCP": (["scalable-kelly"], {}),
    "FAST TCP": (["fast"], {}),
}
# What the remedies are tried on besides: losses a bit, and paths side by side.
PER_BIT = {"loss": 0.0, "loss_per_bit": REMEDY_LOSS / (8 * 1500)}
NARROW = {"payload_bps": 10e6, "queue_packets": 86}
OTHERWISE: dict[str, tuple[list, dict]] = {
    "1500-byte packets, loss by bits": (["standard"], PER_BIT),
    "9000-byte packets, loss by bits": (["standard"], PER_BIT | {"mtu_bytes": 9000}),
    "4 connections, two such paths": (["standard"] * 4, {"paths": 2}),
    "4 connections, one path of 10 Mb/s": (["standard"] * 4, NARROW),
    "4 connections, two paths of 10 Mb/s": (["standard"] * 4, NARROW | {"paths": 2}),
}


def remedies(setting: Setting) -> pd.DataFrame:
    """Return what each remedy makes of a path that loses one packet in 100,000.

    It is as fast as measured, with a queue of a bandwidth-delay product, and no socket buffer
    binds. A row a run: remedy (of `REMEDIES` and `OTHERWISE`), sender (its name in the catalogue),
    seed, Mb/s (of all connections), dropped (by queues, packets), timeouts.
    """
    tried = REMEDIES | OTHERWISE
    design = statistics.combinations(remedy=list(tried), seed=setting.seeds())
    design.insert(1, "sender", [_name(tried[remedy][0][0]) for remedy in design["remedy"]])
    scenarios = []
    for run in design.itertuples():
        algorithms, fields = tried[run.remedy]
        common = setting.full | UNBOUND | {"loss": REMEDY_LOSS, "duration_s": setting.remedy_s}
        scenarios.append(japan(*algorithms, seed=run.seed, **common | fields))
    results = simulate_all(scenarios, experiment="survey-remedies")
    return _summed(results, design)


def _name(control: str | dict[str, Any]) -> str:
    """Return a congestion control's name in the catalogue."""
    return control if isinstance(control, str) else control["name"]


def _summed(results: list[Result], design: pd.DataFrame) -> pd.DataFrame:
    return design.assign(
        **{
            "Mb/s": [result.flows["goodput_bps"].sum() / 1e6 for result in results],
            "dropped": [result.links["packets_dropped_by_queue"].sum() for result in results],
            "timeouts": [result.flows["timeouts"].sum() for result in results],
        }
    )


FAST_ALPHA = 200.0  # segments that a FAST TCP keeps in the queue


class Fast(NamedTuple):
    """One FAST TCP, then two. `windows`: flows (how many), flow, time_s, cwnd_segments. `queue`:
    flows, time_s, queue_packets. `theory`: by how many there are (index), window and queue where
    (38) and (39) have them (segments)."""

    windows: pd.DataFrame
    queue: pd.DataFrame
    theory: pd.DataFrame


def fast(setting: Setting) -> Fast:
    """Return one FAST TCP alone, and two of which the second starts after a third of the time."""
    results = simulate_all(_fast(setting), experiment="survey-fast")
    queue = _traces(results, "queue_packets", flows=(1, 2))
    theory = {}
    for flows in (1, 2):
        stays = survey.fast_equilibrium(
            setting.full["payload_bps"], setting.rtt_s, WITH_TIMESTAMPS, FAST_ALPHA, flows
        )
        theory[flows] = {"window": float(stays["window"]), "queue": flows * FAST_ALPHA}
    return Fast(
        _traces(results, "cwnd_segments", flows=(1, 2)),
        queue[queue["link"] == "router>receiver"],
        pd.DataFrame.from_dict(theory, orient="index"),
    )


def _fast(setting: Setting) -> list[Scenario]:
    return [
        japan(
            *["fast"] * flows,
            starts_s=tuple(setting.start_s / 3 * number for number in range(flows)),
            duration_s=setting.start_s,
            timestamps=False,
            record=Record(series=("cwnd_segments", "queue_packets"), points=300),
            **setting.full | UNBOUND,
        )
        for flows in (1, 2)
    ]


# --- beyond the paper


# How the router's queue may be otherwise: packets, and from how many on it marks (ECN).
QUEUES: dict[str, dict[str, Any]] = {
    "60 packets": {"queue_packets": 60},
    "1300 packets": {"queue_packets": 1300},
    "1300 packets, marks from 150 on": {
        "queue_packets": 1300,
        "mark_above_packets": 150,
        "ecn": True,
    },
}


# How often standard TCP and HSTCP share the long queue with marks and without: five runs left open
# what the marks do, and so many were to decide it.
MARKING_RUNS = 110


def fairness(setting: Setting) -> pd.DataFrame:
    """Return how two connections share a path, the second starting 10 s after the first.

    A row a pair, seed and 10 s: pair, queue, seed, time_s, first, second (Mb/s), jain. The queue is
    "as fitted", and for the pairs with standard TCP also one of `QUEUES`, by two runs
    each (for HSTCP by as many, or by `MARKING_RUNS`).
    """
    design, scenarios = _pairs(setting)
    results = simulate_all(scenarios, experiment="survey-fairness")
    labels = design.assign(pair=[" and ".join(NAMES[name] for name in p) for p in design["pair"]])
    rates = _goodputs(results, 10, setting.shared["duration_s"], labels)
    wide = rates.pivot(index=["pair", "queue", "seed", "time_s"], columns="flow", values="Mb/s")
    wide = wide.reindex(labels["pair"].unique(), level="pair")
    jain = measures.jain_index(wide[["1", "2"]].to_numpy())
    wide = wide.rename(columns={"1": "first", "2": "second"}).rename_axis(columns=None)
    return wide.assign(jain=jain).reset_index()


AS_FITTED = "as fitted"


def _pairs(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    with_standard = [("standard", name) for name in NAMES]
    alike = [(name, name) for name in NAMES if name != "standard"]
    design = statistics.combinations(
        pair=with_standard + alike, queue=[AS_FITTED], seed=setting.seeds(2)
    )
    if setting.profile == "paper":
        for pairs, seeds in ((with_standard[1:2], setting.seeds(2)), (with_standard, [1, 2])):
            other = statistics.combinations(pair=pairs, queue=list(QUEUES), seed=seeds)
            design = pd.concat([design, other]).drop_duplicates(ignore_index=True)
        if setting.repetitions == LEGS["paper"]["segment"]:  # unless their number is asked for
            long_queue = [name for name in QUEUES if name.startswith("1300")]
            more = statistics.combinations(
                pair=with_standard[1:2], seed=range(1, MARKING_RUNS + 1), queue=long_queue
            )
            design = pd.concat([design, more]).drop_duplicates(ignore_index=True)
    points = max(2, setting.shared["duration_s"] / 10)
    scenarios = [
        japan(
            *run.pair,
            starts_s=(0.0, 10.0),
            seed=run.seed,
            record=_delivered(points),
            **setting.shared | QUEUES.get(run.queue, {}),
        )
        for run in design.itertuples()
    ]
    return design, scenarios


def settled(fairness: pd.DataFrame) -> pd.DataFrame:
    """Return the means of `fairness` after the first third, a row a pair, queue and seed."""
    late = fairness[fairness["time_s"] > fairness["time_s"].max() / 3]
    measures = ["first", "second", "jain"]
    return late.groupby(["pair", "queue", "seed"], sort=False, as_index=False)[measures].mean()


def round_trips(setting: Setting) -> pd.DataFrame:
    """Return how two connections of one kind share a path if the second's way is twice as long.

    A row an algorithm and seed: algorithm, seed, 1 and 2 (Mb/s), ratio.
    """
    design = statistics.combinations(algorithm=[*NAMES, "fast"], seed=setting.seeds(3))
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
    flows = sweep(scenarios, experiment="survey-rtt", labels=design)
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    wide = flows.pivot(index=list(design), columns="flow", values="Mb/s")
    wide = wide.reindex(design["algorithm"].unique(), level="algorithm")
    return wide.assign(ratio=wide["1"] / wide["2"]).rename_axis(columns=None).reset_index()


class Stacks(NamedTuple):
    """`flows`: a row a run (stack, control, seed, Mb/s, loss %, recoveries, timeouts ...).
    `windows`: of the first seed (stack, control, time_s, cwnd_segments)."""

    flows: pd.DataFrame
    windows: pd.DataFrame


STACKS = {"linux": "Linux 6.12", "segment": "segment engine", "ns3": "ns-3"}
STACKS_DURATION_S = 60.0


def stacks(setting: Setting) -> Stacks:
    """Return Reno, HighSpeed and Scalable TCP on Linux, and by our headers on our engines.

    A minute each on the fitted path, as often as `LEGS` says (the segment engine as Linux). What
    this machine cannot run is left out.
    """
    flows, windows = [], []
    for engine, label in STACKS.items():
        seeds = _stack_seeds(setting, engine)
        scenarios = _stack_runs(setting, engine, seeds)
        if not scenarios or not can_run(scenarios, engine):
            continue
        design = statistics.combinations(control=list(CONTROLS), seed=seeds)
        results = simulate_all(scenarios, engine=engine, experiment=f"survey-stacks-{engine}")
        flows.append(_flows(results, design).assign(stack=label))
        first = design.index[design["seed"] == 1]
        some = [results[row] for row in first]
        traces = _traces(some, "cwnd_segments", control=design.loc[first, "control"])
        windows.append(traces.assign(stack=label))
    return Stacks(
        _rates(pd.concat(flows, ignore_index=True)), pd.concat(windows, ignore_index=True)
    )


CONTROLS = dict(zip(("reno", "highspeed", "scalable"), NAMES, strict=True))  # by Linux's name


def _stack_seeds(setting: Setting, engine: str) -> list[int]:
    legs = LEGS[setting.profile]
    return list(range(1, legs["linux" if engine == "segment" else engine] + 1))


def _stack_runs(setting: Setting, engine: str, seeds: list[int]) -> list[Scenario]:
    return [
        japan(
            control if engine == "linux" else algorithm,
            seed=seed,
            duration_s=STACKS_DURATION_S,
            record=Record(series=("cwnd_segments",), points=300),
            **setting.fitted,
        )
        for control, algorithm in CONTROLS.items()
        for seed in seeds
    ]


def engines_agree(setting: Setting, flows: pd.DataFrame) -> pd.DataFrame:
    """Return ns-3's runs beside the segment engine's, with the faults of ns-3's socket and without.

    `flows` is `Stacks.flows`. A row an algorithm: algorithm, segments (sent on ns-3), differs (by
    how much the counts of `COUNTED` differ at most), and Mb/s of ns-3, of the segment engine with
    these faults, and without. Empty where ns-3's runs are not here.
    """
    columns = ["algorithm", "segments", "differs", "ns-3", "with its faults", "by the RFCs"]
    by_stack = {
        stack: runs.set_index(["control", "seed"]) for stack, runs in flows.groupby("stack")
    }
    if "ns-3" not in by_stack:
        return pd.DataFrame(columns=columns)
    full, right = by_stack["ns-3"], by_stack["segment engine"]
    seeds = _stack_seeds(setting, "ns3")
    scenarios = [one.with_(faults=OF_ITS_SOCKET) for one in _stack_runs(setting, "segment", seeds)]
    design = statistics.combinations(control=list(CONTROLS), seed=seeds)
    results = simulate_all(scenarios, experiment="survey-stacks-faults")
    faulty = _rates(_flows(results, design)).set_index(["control", "seed"])
    table = pd.DataFrame(
        {
            "segments": full["segments_sent"],
            "differs": (full[COUNTED] - faulty[COUNTED]).abs().max(axis=1),
            "ns-3": full["Mb/s"],
            "with its faults": faulty["Mb/s"],
            "by the RFCs": right["Mb/s"].loc[full.index],
        }
    ).reset_index()
    return table.assign(algorithm=table["control"].map(CONTROLS).map(NAMES))[columns]


def stack_means(flows: pd.DataFrame) -> pd.DataFrame:
    """Return means over the runs on Linux and on our engines, with their intervals.

    `flows` is `Stacks.flows`; a row a control and stack, goodput and loss as text. Columns:
    control (its name of the chapter), stack, Mb/s and loss % (each with ± half of its 95 %
    interval), recoveries, timeouts.
    """
    by = ["control", "stack"]
    table = flows.groupby(by, sort=False)[["recoveries", "timeouts"]].mean()
    for measure, digits in (("Mb/s", 1), ("loss %", 3)):
        one = statistics.interval(flows, by, measure).set_index(by).loc[table.index]
        table[measure] = [
            f"{mean:.{digits}f}" + ("" if np.isnan(halfwidth) else f" ± {halfwidth:.{digits}f}")
            for mean, halfwidth in zip(one[measure], one["halfwidth"], strict=True)
        ]
    named = table[["Mb/s", "loss %", "recoveries", "timeouts"]].reset_index()
    return named.assign(control=[NAMES[CONTROLS[control]] for control in named["control"]])


# --- what was found for each claim


def evidence(
    setting: Setting,
    *,
    five: Figure5,
    assumed: Figure5,
    buffers: pd.DataFrame,
    parallel: pd.DataFrame,
    started: pd.DataFrame,
    transfers: pd.DataFrame,
    remedied: pd.DataFrame,
    settled: pd.DataFrame,
) -> pd.DataFrame:
    """Return what was measured for each claim of the survey, a row a claim, engine and setting.

    The arguments are what the functions of the same names return (`figure_5`, `assumptions`,
    `starts`, `initial_windows`, `remedies`), `buffers` and `parallel` the tables of `figure_3` and
    `figure_4`. Columns as `statistics.judge` wants them.
    """
    rows = [
        *_arithmetic(),
        *_six_numbers(five.flows),
        *_orders(five, {}),
        *_orders_assumed(assumed),
        *_buffers(setting, buffers),
        *_parallel(setting, parallel),
        *_starts(setting, started),
        *_transfers(transfers),
        *_remedied(remedied),
        *_shared(settled),
        *_around(),
    ]
    if setting.profile == "paper":
        rows += routers.evidence(routers.runs(setting.shared, setting.seeds()))
    table = pd.DataFrame(rows, columns=list(statistics.EVIDENCE_COLUMNS))
    return table[table["measured"].notna()].reset_index(drop=True)


def _found(claim: str, experiment: str, found: dict, **given) -> dict:
    """Return a row of evidence; `found` is what `statistics.mean` and its like return."""
    row = {"claim": claim, "engine": "segment", "parameter": "", "setting": "", "at": ""}
    return row | {"experiment": experiment} | found | given


def _share(holds: Iterable[bool]) -> dict[str, float]:
    """Return the share of runs in which something happened, with its exact 95 % interval."""
    holds = [bool(one) for one in holds]
    found = binomtest(sum(holds), len(holds))
    interval = found.proportion_ci(0.95)
    return {
        "measured": found.statistic,
        "low": interval.low,
        "high": interval.high,
        "runs": len(holds),
    }


def _paired(table: pd.DataFrame, by: str, upper: Any, lower: Any, value: str) -> dict:
    """Return how many times the one case is the other, seed by seed, where both have a value."""
    wide = table.pivot(index="seed", columns=by, values=value)[[upper, lower]].dropna()
    if wide.empty:
        return {"measured": np.nan, "low": np.nan, "high": np.nan, "runs": 0}
    return statistics.paired(wide[upper], wide[lower], ratio=True)


def _arithmetic() -> Iterable[dict]:
    def exact(claim: str, value: float) -> dict:
        number = {"measured": value, "low": value, "high": value, "runs": 1}
        return _found(claim, "", number, engine="arithmetic")

    for row in recomputed().itertuples():
        yield exact(row.Index, row.computed)
    yield exact("survey-direct-rate", _claims().at["survey-direct-rate", "printed"])  # an input
    yield exact("survey-headers", 100 * headers().query("mtu == 9000")["part"].max())


def _six_numbers(flows: pd.DataFrame) -> Iterable[dict]:
    """Yield the six numbers, with the interval in which the mean of three further runs lies."""
    own = flows[flows["engine"] == "segment"]
    for number, kind in (("Mb/s", "mean"), ("loss %", "loss")):
        for algorithm, values in own.groupby("algorithm")[number]:
            found = statistics.prediction_interval(values, PRINTED_RUNS)
            yield _found(f"survey-{kind}-{SHORT[algorithm]}", "survey-5", found)


def _orders(found: Figure5, given: dict) -> Iterable[dict]:
    """Yield the three orders by the steps between two algorithms, seed by seed."""
    varied = variation(found.rates)
    measures = list(VARIATIONS) if not given else list(VARIATIONS)[:1]
    tables: list[tuple[str, pd.DataFrame, str, dict]] = [
        ("mean", found.flows, "Mb/s", {}),
        ("loss", found.flows, "loss %", {}),
    ]
    for number, measure in enumerate(measures):
        other = {"parameter": "variation_measured_as", "setting": measure} if number else {}
        tables.append(("variation", varied, measure, other))
    for claim, table, value, other in tables:
        wide = table.pivot(index="seed", columns="algorithm", values=value)[list(NAMES)]
        steps = zip(np.diff(wide.to_numpy()).T, itertools.pairwise(NAMES), strict=True)
        for step, (lower, upper) in steps:
            at = f"the step from {NAMES[lower]} to {NAMES[upper]}"
            row = _found(f"survey-order-{claim}", "survey-5", statistics.mean(step), at=at)
            yield row | other | given


def _orders_assumed(assumed: Figure5) -> Iterable[dict]:
    flows, rates = assumed
    for parameter, value, _ in ASSUMPTIONS:
        of_flows = flows[(flows["parameter"] == parameter) & (flows["setting"] == value)]
        of_rates = rates[(rates["parameter"] == parameter) & (rates["setting"] == value)]
        if of_flows.empty:
            continue
        given = {"parameter": parameter, "setting": value, "experiment": "survey-assumptions"}
        yield from _orders(Figure5(of_flows, of_rates), given)


def _by_path(setting: Setting, table: pd.DataFrame) -> Iterable[tuple[dict, pd.DataFrame]]:
    """Yield the runs on each of `Setting.ways`, the fitted path as the base."""
    for path in setting.ways:
        other = {} if path == "fitted" else {"parameter": "bottleneck", "setting": path}
        yield other, table[table["path"] == path]


def _buffers(setting: Setting, table: pd.DataFrame) -> Iterable[dict]:
    for other, runs in _by_path(setting, table):
        gain = _paired(runs, "buffer", 8_000_000, 1_000_000, "Mb/s")
        yield _found("survey-buffer-1mb", "survey-3", gain) | other
        if not other:
            tuned = _paired(runs, "buffer", "auto", 8_000_000, "Mb/s")
            yield _found("survey-buffer-auto", "survey-3", tuned)
        large = runs[runs["buffer"] == 8_000_000]
        stays = (large["timeouts"] == 0) & (large["recoveries"] > 0)
        if not other:
            yield _found("survey-avoidance", "survey-3", _share(stays))


def _parallel(setting: Setting, table: pd.DataFrame) -> Iterable[dict]:
    for other, runs in _by_path(setting, table):
        better = _paired(runs, "connections", "8 x 1 MB", "1 x 8 MB", "Mb/s")
        yield _found("survey-parallel-better", "survey-4", better) | other
    # The climb is seen where it is long: on the fitted path eight are at its rate within seconds.
    part = runs.assign(slope=runs["slope"] / runs["slope by (10)"])
    for number in (4, 8):
        grown = _paired(part, "connections", f"{number} x 1 MB", "1 x 1 MB", "slope")
        at = f"{number} connections beside one"
        yield _found("survey-parallel-slope", "survey-4", grown, at=at)


def _starts(setting: Setting, table: pd.DataFrame) -> Iterable[dict]:
    for queue in table["queue"].unique():
        other = {"parameter": "router_buffer", "setting": f"{queue} packets"}
        other = {} if queue == setting.queue_packets else other
        runs = table[table["queue"] == queue]
        plain = runs[runs["start"] == "standard TCP"]
        timed_out = _share(plain["timeouts"] > 0)
        yield _found("survey-slow-start-timeout", "survey-starts", timed_out) | other
        yield (
            _found("survey-slow-start-overload", "survey-starts", statistics.mean(plain["dropped"]))
            | other
        )
        wide = runs.pivot(index="seed", columns="start", values="dropped")
        wide = wide[wide["standard TCP"] > 0]  # where there was something to save
        saved = statistics.mean(100 * (1 - wide["limited slow start"] / wide["standard TCP"]))
        yield _found("survey-limited-slow-start", "survey-starts", saved) | other
        if not other:
            start = "lost repairs not noticed"
            late = _share(runs.loc[runs["start"] == start, "timeouts"] > 0)
            given = {"parameter": "lost_retransmissions", "setting": start}
            yield _found("survey-slow-start-timeout", "survey-starts", late) | given


def _transfers(table: pd.DataFrame) -> Iterable[dict]:
    """Yield how many times longer a transfer takes from one segment, beside a larger window."""
    for claim, file in (("survey-window-short", "15 KB"), ("survey-window-long", "1 GB")):
        runs = table[table["file"] == file].rename(columns={"queue": "seed"})
        for window in (3, 10):
            row = _found(
                claim,
                "survey-initial-windows",
                _paired(runs, "initial_window", 1, window, "transfer_s"),
            )
            other = {"parameter": "initial_window", "setting": f"{window} segments"}
            yield row | ({} if window == 3 else other)


def _remedied(table: pd.DataFrame) -> Iterable[dict]:
    def gain(claim: str, upper: str, lower: str, **other) -> dict:
        ratios = _paired(table, "remedy", upper, lower, "Mb/s")
        return _found(claim, "survey-remedies", ratios, **other)

    yield gain("survey-mss", "9000-byte packets", "standard TCP")
    yield gain(
        "survey-mss",
        "9000-byte packets, loss by bits",
        "1500-byte packets, loss by bits",
        parameter="loss_unit",
        setting="per bit",
    )
    yield gain("survey-split", "relay in the middle", "standard TCP")
    yield gain("survey-striping", "4 connections, two such paths", "4 connections")
    yield gain(
        "survey-striping",
        "4 connections, two paths of 10 Mb/s",
        "4 connections, one path of 10 Mb/s",
        parameter="bottleneck",
        setting="10 Mb/s",
    )
    for name in ("HSTCP", "Scalable TCP"):
        yield gain("survey-larger-window", name, "standard TCP", at=name)


def _shared(settled: pd.DataFrame) -> Iterable[dict]:
    """Yield what standard TCP, the first of a pair, has beside its own kind and beside others."""
    names = list(NAMES.values())
    alike, highspeed, scalable = (f"standard TCP and {name}" for name in names)
    for queue in settled["queue"].unique():
        marks = "marks" in queue
        other = {"parameter": "marking" if marks else "router_buffer", "setting": queue}
        other = {} if queue == AS_FITTED else other
        runs = settled[settled["queue"] == queue]
        for claim, upper, lower in (
            ("survey-unfair-highspeed", alike, highspeed),
            ("survey-unfair-scalable", highspeed, scalable),
        ):
            ratios = _paired(runs, "pair", upper, lower, "first")
            yield _found(claim, "survey-fairness", ratios) | other
    beside = settled[settled["pair"] == highspeed]
    own = {queue: runs["first"].to_numpy() for queue, runs in beside.groupby("queue", sort=False)}
    lengths = sorted((queue for queue in own if "marks" not in queue), key=lambda q: own[q].mean())
    compared = [("survey-buffers-matter", lengths[-1], lengths[0])]
    marked, plain = "1300 packets, marks from 150 on", "1300 packets"
    if marked in own:
        more, less = sorted((marked, plain), key=lambda q: -own[q].mean())
        compared.append(("survey-marking-matters", more, less))
    for claim, most, least in compared:
        if most != least:
            factor = statistics.unpaired(own[most], own[least])
            yield _found(claim, "survey-fairness", factor, at=f"{most} / {least}")


def _around() -> Iterable[dict]:
    """Yield what the page on transfers around TCP found, from its archive: whole files of 1 GB."""
    times = files.archived_tunings(
        (files.BASE, "4 connections", "GridFTP, 8 streams", "RBUDP", "Tsunami")
    )
    archive = "transfers-tunings"
    for claim, how in (
        ("survey-several", "4 connections"),
        ("survey-gridftp", "GridFTP, 8 streams"),
    ):
        ratio = statistics.paired(times[files.BASE], times[how], ratio=True)
        yield _found(claim, archive, ratio)
    told_bps = files.RATE * files.TUNED_PATH.rate_bps
    for how in ("RBUDP", "Tsunami"):
        used = 8 * files.LARGEST_RUN / times[how] / told_bps
        yield _found("survey-own-bandwidth", archive, statistics.mean(used), at=how)


def verdicts(evidence: pd.DataFrame) -> pd.DataFrame:
    """Return the survey's claims with the verdict on each, as `show.show_verdicts` wants them."""
    return statistics.judge(papers.claims("survey"), evidence)


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
        **{"Mb/s": flows["goodput_bps"] / 1e6, "loss %": measures.loss_percent(flows)}
    )


def _goodputs(
    results: list[Result], interval_s: float, duration_s: float, labels: pd.DataFrame
) -> pd.DataFrame:
    """Return the goodput over time of each flow, with the labels of its run: time_s, Mb/s."""
    rates = [
        measures.goodput_over_time(result.traces["delivered_bytes"], interval_s, duration_s)
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
