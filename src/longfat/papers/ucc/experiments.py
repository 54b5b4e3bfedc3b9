"""The data of every figure and table of the chapter on UCC: the theory's, and the runs'.

Tables of runs have a row a flow, with its goodput also as "Mb/s". Two senders are called N1 and N2,
as in the paper's figure 2; a congestion control is named as in `Setting.controls`.

What is run, and on which engine, is a list of legs (`Leg`): the segment engine makes the runs that
the verdicts rest on, the others those that say whether it can be believed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from longfat import engines, measures, statistics
from longfat.errors import InputError
from longfat.faults import OF_ITS_SOCKET
from longfat.papers import ucc
from longfat.papers.ucc import queues
from longfat.papers.ucc.network import multi_bottleneck, wireless
from longfat.scenario import Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

RADIO_BPS, ACCESS_BPS, RADIO_DELAY_S = 10e6, 100e6, 0.02  # of figure 2's links
PACKET_BYTES, ACK_BYTES = 1054, 54  # on the wire
PACKET_S = 8 * PACKET_BYTES / RADIO_BPS  # of a packet on the radio link
CHD_THRESHOLD_S = 0.03  # q_th of section 5
SACK_BLOCK_BYTES = 12  # a first one: two numbers of 4 bytes, kind, length, and two to fill up
# What the path of figure 2 holds without a queue, apart from the packet that is being sent.
PIPE_PACKETS = (2 * RADIO_DELAY_S + 8 * ACK_BYTES / RADIO_BPS) / PACKET_S
EMPTY_S = RADIO_DELAY_S + PACKET_S + 8 * PACKET_BYTES / ACCESS_BPS  # one-way, without a queue

NEIGHBOURS = ("NewReno", "CUBIC", "Compound")  # of figures 4 to 6
CHD = "CHD w/o DCC"
FAULTY = "segment, as ns-3"  # the segment engine with the faults of ns-3's socket
LAYOUT = "one"  # of figure 7, among those of `multi_bottleneck`: it needs no node but the named
COUNTED = ("delivered_bytes", "segments_sent", "recoveries", "timeouts")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    `loss_rates` are probabilities that a packet is lost; `repetitions` are those of the points that
    a verdict rests on, on the segment engine, others have half of them; `duration_s` is in s, the
    buffer in packets. The parameters of UCC and CHD are those that are not default.
    `equivalence_factor` is within what "almost the same" is.
    Raises InputError for what no figure could show.
    """

    loss_rates: Sequence[float]
    repetitions: int
    duration_s: float
    queue_packets: int
    equivalence_factor: float
    ucc_parameters: dict = field(default_factory=dict)
    chd_parameters: dict = field(default_factory=dict)

    def __post_init__(self):
        if not any(self.loss_rates) or not all(0 <= loss < 1 for loss in self.loss_rates):
            raise InputError(
                f"loss_rates is {self.loss_rates}: it must be probabilities from 0 to below 1, "
                "one of them above 0"
            )
        if self.repetitions < 2:
            raise InputError(
                f"repetitions is {self.repetitions}: it must be 2 or more, for an interval"
            )
        if self.equivalence_factor <= 1:
            raise InputError(f"equivalence_factor is {self.equivalence_factor}: it must be above 1")

    @property
    def half(self) -> int:
        """Repetitions where no verdict hangs on them."""
        return max(2, self.repetitions // 2)

    @property
    def network(self) -> dict:
        """What `wireless` and `multi_bottleneck` take."""
        return {"duration_s": self.duration_s, "queue_packets": self.queue_packets}

    @property
    def controls(self) -> dict[str, str | dict]:
        """The five congestion controls of the paper's figures by their names in the chapter."""
        return {
            "NewReno": "newreno",
            "CUBIC": "cubic",
            "Compound": "compound",
            CHD: {"name": "chd", "parameters": self.chd_parameters},
            "UCC": self.ucc(),
        }

    def ucc(self, **parameters) -> dict:
        """Return UCC with other parameters."""
        return {"name": "ucc", "parameters": self.ucc_parameters | parameters}

    def among(self, *losses: float) -> list[float]:
        """Return those of these loss rates that the setting has."""
        return [loss for loss in losses if loss in self.loss_rates]


def setting(
    profile: str,
    *,
    loss_rates: Sequence[float] | None,
    repetitions: int | None,
    duration_s: float | None,
    **parameters,
) -> Setting:
    """Return the setting at a profile, "paper" or "quick", which decides what is None.

    These are the loss rates, 0 and 1e-4 to 1e-1 or three of them; the repetitions, 12 or 4; and the
    duration, 100 or 20 s. `parameters` are the other fields of `Setting`.
    Raises InputError for another profile.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    if loss_rates is None:
        loss_rates = [0, 1e-3, 1e-2] if quick else [0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
    return Setting(
        loss_rates=loss_rates,
        repetitions=repetitions or (4 if quick else REPETITIONS),
        duration_s=duration_s or (20.0 if quick else 100.0),
        **parameters,
    )


# --- theory


def backoff_curves(largest_s: Sequence[float] = (0.04, 0.05)) -> pd.DataFrame:
    """Return figure 1: the probability of a back-off, a column for each largest delay (in ms)."""
    delays = np.linspace(0, 0.05, 501)
    curves = pd.DataFrame({"queueing delay (ms)": 1000 * delays})
    for largest in largest_s:
        curves[f"{1000 * largest:g}"] = ucc.backoff_probability(delays, 0.005, 0.03, largest, 0.5)
    return curves


def queues_by_event(
    names: Sequence[str] = (
        "M/M/1",
        "M/D/1",
        "M/H2/1",
        "D/M/1",
        "E4/M/1",
        "H2/M/1",
        "U/U/1",
        "D/D/1",
    ),
) -> pd.DataFrame:
    """Return the parts of time and of packets in queues at 0.8, simulated event by event.

    Columns: queue, utilization, busy (of time), queued (of packets), theory (of packets, where it
    is known).
    """
    events = pd.DataFrame([queues.simulate(name, 0.8) for name in names])
    events["theory"] = [_queued_by_theory(*name.split("/")[:2]) for name in names]
    return events[["queue", "utilization", "busy", "queued", "theory"]]


def _queued_by_theory(arrivals: str, services: str) -> float:
    known = arrivals in ucc.INTERARRIVALS and "M" in (arrivals, services)
    return float(ucc.queued_fraction(0.8, arrivals)) if known else np.nan


def estimate_errors(rhos: Sequence[float] = (0.95, 0.99)) -> pd.DataFrame:
    """Return bias and standard deviation of (6) for N independent packets, a row an N."""
    table = pd.DataFrame({"N": [10, 20, 50, 100, 1000]})
    for rho in rhos:
        for known, word in ((True, "known"), (False, "unknown")):
            variance = ucc.estimate_variance(table["N"], rho, known)
            table[f"bias, {word}, {rho}"] = ucc.estimate_mean(table["N"], rho, known) - rho
            table[f"sd, {word}, {rho}"] = np.sqrt(variance)
    return table


def samples_met(
    sizes: Sequence[int] = (20, 100, 500, 2000, 10_000), utilization: float = 0.95
) -> pd.DataFrame:
    """Return how many of N packets meet no queue in M/M/1, a row an N.

    Columns: N, mean and sd (packets), independent sd (if they were), none (the probability that
    no packet does) and independent_none.
    """
    table = pd.DataFrame([{"N": n} | ucc.correlated_sample(n, utilization) for n in sizes])
    table["sd"] = np.sqrt(table["variance"])
    table["independent sd"] = np.sqrt(table["independent_variance"])
    return table[["N", "mean", "sd", "independent sd", "none", "independent_none"]]


def halving_probabilities(rhos: Sequence[float] = (0.95, 0.98, 0.99, 1.0)) -> pd.DataFrame:
    """Return the probability that (7) halves the window after N independent packets, a row an N."""
    table = pd.DataFrame({"N": [10, 50, 100, 101, 200, 1000, 10_000]})
    for rho in rhos:
        unknown = ucc.halving_probability(table["N"], rho, minimum_known=False)
        table[f"{rho:g}"] = ucc.halving_probability(table["N"], rho)
        table[f"{rho:g}, unknown"] = unknown
    return table


def clocks(ticks_s: Sequence[float] = (1e-6, 1e-4, 1e-3, 1e-2)) -> pd.DataFrame:
    """Return the mean of (6) on figure 2's path by clocks of these ticks, a row a utilization."""
    table = pd.DataFrame({"utilization": [0.0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99]})
    for tick_s in ticks_s:
        mean = ucc.tick_estimate(table["utilization"], EMPTY_S, PACKET_S, tick_s)
        table[f"{1e3 * tick_s:g} ms"] = mean
    return table


READERS: dict[str, dict] = {
    "exact": {},
    "a tick of 1 ms": {"tick_s": 1e-3},
    "a tick of 1 µs": {"tick_s": 1e-6},
    "clocks 50 ppm apart": {"skew": 5e-5},
    "clocks 50 ppm apart, the other way": {"skew": -5e-5},
    "a radio that jitters by up to 0.5 ms": {"jitter_s": 5e-4},
    "a radio that jitters by up to 5 ms": {"jitter_s": 5e-3},
}


def readers(
    utilizations: Sequence[float] = (0.3, 0.7, 0.95, 0.99), packets: int = 20_000
) -> pd.DataFrame:
    """Return what clocks, and a radio that jitters, make of (6), a row a reader and tolerance.

    Packets at random on figure 2's path, so that (6) is the utilization but for how the delay is
    read. The tolerance is none, or one packet time (one tick, if that is longer): up to there above
    it, a delay counts as the smallest.
    Columns: how the delay is read, tolerance, and a utilization each.
    """
    times = {
        rho: (PACKET_S * sent, EMPTY_S + PACKET_S * queues.waits(sent))
        for rho in utilizations
        for sent in [queues.poisson(rho, packets, seed=1)]
    }
    rows = []
    for name, how in READERS.items():
        wide = max(PACKET_S, how.get("tick_s", 0.0))
        for tolerance_s, word in ((0.0, "none"), (wide, "one packet time")):
            read = {
                f"{rho:g}": queues.estimated(*times[rho], tolerance_s=tolerance_s, **how)
                for rho in utilizations
            }
            rows.append({"read by": name, "tolerance": word, **read})
    return pd.DataFrame(rows)


def clocks_in_doubles(sizes: Sequence[int] = (1000, 1040, PACKET_BYTES)) -> pd.DataFrame:
    """Return how many of 10 000 equal delays are equal in doubles, a row a size and draw.

    Columns: bytes on the link, draw, and those of `ucc.double_clock_share`.
    """
    return pd.DataFrame(
        [
            {"bytes on the link": size, "draw": seed}
            | ucc.double_clock_share(
                10_000, 100, (8 * size / ACCESS_BPS, 8 * size / RADIO_BPS, RADIO_DELAY_S), seed=seed
            )
            for size in sizes
            for seed in range(1, 4)
        ]
    )


def closed_queue(
    windows: Sequence[int] = (10, 20, 30, 40, 45, 48, 50, 55, 60, 80),
) -> pd.DataFrame:
    """Return utilization and (6) for a window on figure 2's path, a row a window W.

    Once where packets come at random, once on an even clock of ACKs.
    """
    sizes = np.array(windows)
    return pd.DataFrame(
        {
            "W": sizes,
            "random, rho": ucc.closed_utilization(sizes, PIPE_PACKETS),
            "random, (6)": ucc.closed_utilization(sizes - 1, PIPE_PACKETS),
            "even, rho": np.minimum(1, sizes / (PIPE_PACKETS + 1)),
            "even, (6)": (sizes > PIPE_PACKETS + 1).astype(float),
        }
    )


def queueing_elsewhere(
    cross: Sequence[float] = (0.05, 0.15, 0.3, 0.39), own: float = 0.6, seeds: int = 10
) -> pd.DataFrame:
    """Return (6) of the same packets at the bottleneck, and over two links, a row a load and seed.

    Packets at random keep a first link busy for `own` of the time. The second is as fast, and
    carries `cross` more of other traffic: it is the bottleneck. Columns: cross, seed, busy (of the
    bottleneck), alone ((6) by the waits at the bottleneck), both ((6) by the waits at both links),
    error (both less alone).
    """
    rows = []
    for load in cross:
        for seed in range(1, seeds + 1):
            met = queues.tandem(own, load, seed=seed)
            rows.append(
                {"cross": load, "seed": seed, "busy": met.busy[1], "alone": met.second}
                | {"both": met.both, "error": met.both - met.second}
            )
    return pd.DataFrame(rows)


# --- runs


REPETITIONS = 12  # at the paper's scale
# How often where 48 runs left a verdict open: as many as were said to decide it, or a few more.
MORE: tuple[tuple[list[tuple[str, str]], float, int], ...] = (
    ([("NewReno", "NewReno"), ("NewReno", "UCC")], 0.003, 480),
    ([("Compound", "UCC"), ("Compound", CHD)], 0.1, 600),
)


class Leg(NamedTuple):
    """What one engine runs of an experiment: pairs of congestion controls, loss rates and seeds."""

    engine: str
    experiment: str
    pairs: Sequence[tuple[str, str]]
    losses: Sequence[float]
    seeds: int

    def design(self) -> pd.DataFrame:
        """Return a row a run: N1, N2, loss, seed."""
        rows = [
            (*pair, loss, seed)
            for pair in self.pairs
            for loss in self.losses
            for seed in range(1, self.seeds + 1)
        ]
        return pd.DataFrame(rows, columns=["N1", "N2", "loss", "seed"])


def _run(
    scenarios: list[Scenario], engine: str, experiment: str, labels: pd.DataFrame
) -> pd.DataFrame:
    """Return the runs of a leg with labels, engine and Mb/s; none where it cannot run."""
    known = engine in engines.ENGINES
    if not (scenarios and known and (engine == "segment" or can_run(scenarios, engine))):
        return pd.DataFrame(columns=[*labels, "flow", *COUNTED, "Mb/s", "engine"])
    runs = sweep(scenarios, engine=engine, experiment=experiment, labels=labels)
    return runs.assign(engine=engine, **{"Mb/s": runs["goodput_bps"] / 1e6})


def _joined(runs: Iterable[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([table for table in runs if not table.empty], ignore_index=True)


def _sums(flows: pd.DataFrame, by: Sequence[str], *more: str) -> pd.DataFrame:
    """Return what the flows of a run got together, a row a run."""
    return flows.groupby(list(by))[["Mb/s", *more]].sum().reset_index()


def held_windows(
    setting: Setting,
    windows: Sequence[int] = (10, 20, 30, 40, 44, 46, 47, 48, 49, 50, 52, 56, 60, 70),
) -> pd.DataFrame:
    """Return utilization and estimate of one UCC flow that its receiver holds at a window.

    Columns: window (segments), rho (the link's true utilization), estimate (6) of the same run.
    On the segment engine, without loss, for 20 s.
    """
    held = simulate_all(
        [
            wireless(
                setting.ucc(),
                loss=0,
                duration_s=20,
                receive_buffer_bytes=1000 * window,
                record=Record(series=("utilization", "sent_bytes"), points=20),
            )
            for window in windows
        ],
        engine="segment",
        experiment="ucc-windows",
    )
    return pd.DataFrame(
        {
            "window": windows,
            "rho": [
                measures.busy(run.traces["sent_bytes"], "R>N3", RADIO_BPS, [5, 19])[0]
                for run in held
            ],
            "estimate": [run.traces["utilization"]["utilization"].iloc[-1] for run in held],
        }
    )


def _equated() -> list[tuple[str, str]]:
    """The pairs that figures 4 to 6 and section 6 compare, in the order of `Setting.controls`."""
    return [pair for name in NEIGHBOURS for pair in ((name, name), (name, CHD), (name, "UCC"))]


def pairs(setting: Setting) -> pd.DataFrame:
    """Run pairs of the five congestion controls over the radio link: figures 3 to 6.

    Columns: engine, N1, N2, loss, seed, flow, Mb/s and counts. The segment engine makes all pairs
    at every loss rate; ns-3 a few, at three of them; ns-2 those of two equal senders that it has.
    """
    names = list(setting.controls)
    every = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    others = [pair for pair in every if pair not in _equated()]
    alike = [(name, name) for name in NEIGHBOURS]
    beside_ucc = [(name, "UCC") for name in NEIGHBOURS]
    two_kinds = [(CHD, CHD), ("UCC", "UCC")]
    segment = [
        Leg("segment", "", _equated(), setting.loss_rates, setting.repetitions),
        Leg("segment", "", others, setting.loss_rates, setting.half),
        # More where so many leave a verdict open.
        *(
            Leg("segment", "", pairs_of, setting.among(*losses), 4 * setting.repetitions)
            for pairs_of, losses in (
                (_equated(), [0.1]),
                ([("NewReno", "NewReno"), ("NewReno", "UCC")], [0.003]),
                ([("CUBIC", "CUBIC"), ("CUBIC", "UCC"), ("CUBIC", CHD)], [1e-4, 3e-4]),
                ([("CUBIC", CHD)], [1e-3]),
            )
        ),
    ]
    known = _designs(segment)
    more = _designs(
        Leg("segment", "", pairs_of, setting.among(loss), count)
        for pairs_of, loss, count in (MORE if setting.repetitions == REPETITIONS else ())
    )
    more = more[~pd.MultiIndex.from_frame(more).isin(pd.MultiIndex.from_frame(known))]
    few = Leg("ns3", "", [*alike, *beside_ucc, *two_kinds], setting.among(0.01), 1)
    equal = Leg("ns2", "", alike, setting.among(0, 1e-3, 0.01, 0.1), 5)
    return _joined(
        [
            _over_radio(setting, known, "segment", "ucc-pairs-segment"),
            _over_radio(setting, more, "segment", "ucc-pairs-more"),
            _over_radio(setting, few.design(), "ns3", "ucc-pairs"),
            _over_radio(setting, few.design(), "segment", "ucc-pairs-faults", OF_ITS_SOCKET).assign(
                engine=FAULTY
            ),
            _over_radio(setting, equal.design(), "ns2", "ucc-pairs-ns2"),
        ]
    )


def _designs(legs: Iterable[Leg]) -> pd.DataFrame:
    none = Leg("segment", "", [], [], 0).design()
    return pd.concat([none, *(leg.design() for leg in legs)]).drop_duplicates(ignore_index=True)


def _over_radio(
    setting: Setting,
    design: pd.DataFrame,
    engine: str,
    experiment: str,
    faults: Sequence[str] = (),
) -> pd.DataFrame:
    """Run N1 and N2 over figure 2's network: a run a row of N1, N2, loss and seed."""
    controls = setting.controls
    scenarios = [
        wireless(
            controls[run.N1], controls[run.N2], loss=run.loss, seed=run.seed, **setting.network
        )
        for run in design.itertuples()
    ]
    if faults:
        scenarios = [scenario.with_(faults=faults) for scenario in scenarios]
    return _run(scenarios, engine, experiment, design)


def on(engine: str, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of one engine."""
    return runs[runs["engine"] == engine]


def together(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what two equal flows got, a row a run: figure 3.

    Columns: engine, control, loss, seed, and of both flows Mb/s, recoveries and timeouts.
    """
    equal = runs[runs["N1"] == runs["N2"]].rename(columns={"N1": "control"})
    return _sums(equal, ["engine", "control", "loss", "seed"], "recoveries", "timeouts")


def chain(setting: Setting) -> pd.DataFrame:
    """Run figure 7's network: columns engine, layout, control, loss, seed, flow (N1, N2, N3).

    On the segment engine in four layouts, since the figure is lost; on ns-3 a few in one.
    """
    controls = ("NewReno", CHD, "UCC")
    few = setting.among(0, 1e-4, 1e-3, 1e-2)
    full = [("one", setting.loss_rates), ("opposite", setting.loss_rates)]

    def design(layouts: Iterable[tuple[str, Sequence[float]]], seeds: int) -> pd.DataFrame:
        rows = [
            (layout, control, loss, seed)
            for layout, losses in layouts
            for control in controls
            for loss in losses
            for seed in range(1, seeds + 1)
        ]
        return pd.DataFrame(rows, columns=["layout", "control", "loss", "seed"])

    most = pd.concat(
        [
            design(full, max(2, round(setting.repetitions * 0.75))),
            design([("chain", few), ("last", few)], setting.half),
        ],
        ignore_index=True,
    )
    second = design([(LAYOUT, setting.among(0.01))], 1)
    return _joined(
        [
            _over_chain(setting, most, "segment", "ucc-chain-segment"),
            _over_chain(setting, second, "ns3", "ucc-chain"),
        ]
    )


def _over_chain(setting: Setting, design: pd.DataFrame, engine: str, experiment: str):
    scenarios = [
        multi_bottleneck(
            setting.controls[run.control],
            loss=run.loss,
            seed=run.seed,
            layout=run.layout,
            **setting.network,
        )
        for run in design.itertuples()
    ]
    return _run(scenarios, engine, experiment, design)


def through(chain: pd.DataFrame) -> pd.DataFrame:
    """Return what N1 and N2 got together in each run of figure 7's network: figure 8.

    Columns: engine, layout, control, loss, seed, Mb/s.
    """
    return _sums(chain[chain["flow"] != "N3"], ["engine", "layout", "control", "loss", "seed"])


def compared_engines(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare what the other engines have run over the radio link with the segment engine's.

    A row an engine, pair and loss rate, of the runs that both have made. Columns: engine, N1, N2,
    loss, flows; mean goodput of a flow there, here, and here with the faults of ns-3's socket, in
    Mb/s; equal (how many flows have the same counts there as with these faults; missing for other
    engines than ns-3).
    """
    point = ["N1", "N2", "loss"]
    identity = [*point, "seed", "flow"]
    here, faulty = on("segment", runs), on(FAULTY, runs)
    rows = []
    for engine in [name for name in runs["engine"].unique() if name not in ("segment", FAULTY)]:
        both = on(engine, runs).merge(here, on=identity, suffixes=("", " here"))
        with_faults = both.merge(faulty, on=identity, suffixes=("", " faulty"), how="left")
        counts = [with_faults[c] == with_faults.get(f"{c} faulty") for c in COUNTED]
        with_faults = with_faults.assign(equal=np.all(counts, axis=0))
        for names, flows in with_faults.groupby(point, sort=False):
            known = flows["Mb/s faulty"].notna().all()
            rows.append(
                {"engine": engine, **dict(zip(point, names, strict=True)), "flows": len(flows)}
                | {"there": flows["Mb/s"].mean(), "here": flows["Mb/s here"].mean()}
                | {"with its faults": flows["Mb/s faulty"].mean() if known else np.nan}
                | {"equal": flows["equal"].sum() if known else np.nan}
            )
    columns = ["engine", *point, "flows", "there", "here", "with its faults", "equal"]
    return pd.DataFrame(rows, columns=columns)


# --- what the paper leaves open


class Varied(NamedTuple):
    """An assumption of parameters.csv that is another one.

    `fields` are what `wireless` takes then, by the loss rate; `controls` are the congestion
    controls that are others, by their names: only pairs with one of these are run.
    """

    parameter: str
    setting: str
    fields: Callable[[float], dict] = lambda loss: {}
    controls: dict[str, str | dict] | None = None


def _per_bit(loss: float) -> dict:
    """Bits err, of data and ACKs alike, so that data packets are lost at that rate."""
    bits = 1 - (1 - loss) ** (1 / (8 * PACKET_BYTES))
    return {"loss": 0, "loss_per_bit": bits, "ack_loss_per_bit": bits}


VARIED = (
    Varied("recovery", "the whole window halved at once", lambda loss: {"recovery": "halving"}),
    Varied("initial_ssthresh", "20 segments", lambda loss: {"initial_ssthresh_segments": 20}),
    Varied("ack_every", "2 segments", lambda loss: {"segments_per_ack": 2}),
    Varied("access_rate", "10 Mb/s", lambda loss: {"access_bps": 10e6}),
    Varied("access_delay", "20 ms", lambda loss: {"access_delay_s": 0.02}),
    Varied("loss_process", "per bit, of ACKs too", _per_bit),
    Varied(
        "cubic",
        "as Linux 6.12 has it",
        controls={"CUBIC": {"name": "cubic", "parameters": {"as_linux_6_12": True}}},
    ),
)
LAYOUTS = {
    "one": "one bottleneck for all",
    "opposite": "N3 sends against the others",
    "chain": "two bottlenecks, with a third router",
    "last": "only the link to N4 errs",
}
RANGES = {"0.001 to 0.1": (1e-3, 0.1), "0.001 to 0.03": (1e-3, 0.03), "0.01 to 0.1": (0.01, 0.1)}


def assumed_otherwise(setting: Setting) -> pd.DataFrame:
    """Run the pairs of figures 4 to 6 with one assumption changed at a time (`VARIED`).

    On the segment engine, at the loss rates where the verdicts fall: 1e-4 and 3e-3, or the least.
    Columns as of `pairs`, with parameter and setting.
    """
    varied = {one.parameter: one for one in VARIED}
    losses = setting.among(1e-4, 3e-3) or [min(loss for loss in setting.loss_rates if loss)]
    rows = [
        (one.parameter, one.setting, *pair, loss, seed)
        for one in VARIED
        for pair in _equated()
        if one.controls is None or set(pair) & set(one.controls)
        for loss in losses
        for seed in range(1, setting.half + 1)
    ]
    design = pd.DataFrame(rows, columns=["parameter", "setting", "N1", "N2", "loss", "seed"])
    scenarios = []
    for run in design.itertuples():
        controls = setting.controls | (varied[run.parameter].controls or {})
        fields = {"loss": run.loss} | setting.network | varied[run.parameter].fields(run.loss)
        scenarios.append(wireless(controls[run.N1], controls[run.N2], seed=run.seed, **fields))
    return _run(scenarios, "segment", "ucc-assumptions", design)


def what_assumptions_change(base: pd.DataFrame, otherwise: pd.DataFrame) -> pd.DataFrame:
    """Return what a neighbour gets beside UCC over beside its own kind, under each assumption.

    A row an assumption and neighbour; a column a loss rate, text with 95 % intervals. The first
    rows are those of the chapter's own assumptions.
    """
    segment = on("segment", base)
    losses = sorted(otherwise["loss"].unique())
    cases = [("as above", "", segment)]
    for (parameter, value), runs in otherwise.groupby(["parameter", "setting"], sort=False):
        cases.append((parameter, value, runs))
    rows = []
    for parameter, value, runs in cases:
        beside = measures.beside(runs)
        for neighbour in NEIGHBOURS:
            points = _neighbour_points(beside[beside["loss"].isin(losses)], neighbour, neighbour)
            text = {
                f"{point['loss']:g}": "{measured:.2f} [{low:.2f}, {high:.2f}]".format(**point)
                for point in points
            }
            rows.append({"assumption": parameter, "taken as": value, "neighbour": neighbour} | text)
    return pd.DataFrame(rows)


# --- comparison with the paper


def _ratio(measured: pd.Series, reference: pd.Series) -> dict:
    """What one gets over the other, from independent runs (see `statistics.unpaired`)."""
    return statistics.unpaired(measured.to_numpy(), reference.to_numpy())


def _neighbour_points(beside: pd.DataFrame, neighbour: str, reference: str) -> list[dict]:
    """What a neighbour gets beside UCC over beside `reference`, a point a loss rate."""
    mine = beside[beside["neighbour"] == neighbour]
    points = []
    for loss in sorted(mine["loss"].unique()):
        here = mine[mine["loss"] == loss].groupby("control")["Mb/s"]
        got = {name: values for name, values in here}
        if "UCC" in got and reference in got and min(len(got["UCC"]), len(got[reference])) > 1:
            at = f"{neighbour}, $p = {loss:g}$"
            points.append({"loss": loss, "at": at} | _ratio(got["UCC"], got[reference]))
    return points


def neighbours(beside: pd.DataFrame) -> pd.DataFrame:
    """Return what a neighbour gets beside another kind over beside its own: figures 4 to 6.

    `beside` is `measures.beside` of the runs of an engine. A row a neighbour, control (UCC or
    CHD without DCC) and loss rate; columns measured, low, high (95 %), runs.
    """
    rows = []
    for neighbour in NEIGHBOURS:
        own = {point["loss"]: point for point in _neighbour_points(beside, neighbour, neighbour)}
        for loss in own:
            mine = beside[(beside["neighbour"] == neighbour) & (beside["loss"] == loss)]
            alone = mine.loc[mine["control"] == neighbour, "Mb/s"]
            for control in ("UCC", CHD):
                found = _ratio(mine.loc[mine["control"] == control, "Mb/s"], alone)
                rows.append({"neighbour": neighbour, "control": control, "loss": loss} | found)
    return pd.DataFrame(rows)


def order(through: pd.DataFrame) -> pd.DataFrame:
    """Return by how much CHD without DCC is above UCC and UCC above NewReno: figure 8.

    A row a layout, step and loss rate; columns measured (the ratio), low, high (95 %), runs.
    """
    rows = []
    for layout in through["layout"].unique():
        runs = through[through["layout"] == layout]
        for control, reference in ((CHD, "UCC"), ("UCC", "NewReno")):
            for loss in sorted(runs["loss"].unique()):
                here = runs[runs["loss"] == loss].set_index("control")["Mb/s"]
                found = _ratio(here.loc[[control]], here.loc[[reference]])
                rows.append(
                    {"layout": layout, "loss": loss, "control": control, "reference": reference}
                    | found
                )
    return pd.DataFrame(rows)


# --- beyond the paper


class OverTime(NamedTuple):
    """A UCC flow's `window` (columns time_s, cwnd_segments), slow-start `threshold` (time_s,
    ssthresh_segments) and `estimate` (time_s, utilization), and the link's utilization in each
    second before time_s (`true`: time_s, true), to `end_s`."""

    window: pd.DataFrame
    threshold: pd.DataFrame
    estimate: pd.DataFrame
    true: pd.DataFrame
    end_s: float


def over_time(setting: Setting, loss: float = 0.003) -> OverTime:
    """Run two UCC flows over the radio link for 40 s at most, and return what one of them does."""
    end_s = min(40.0, setting.duration_s)
    series = ("cwnd_segments", "ssthresh_segments", "utilization", "sent_bytes")
    run = simulate_all(
        [
            wireless(
                setting.ucc(),
                setting.ucc(),
                loss=loss,
                record=Record(series=series, points=int(10 * end_s)),
                **(setting.network | {"duration_s": end_s}),
            )
        ],
        engine="segment",
        experiment="ucc-utilization",
    )[0]
    seconds = np.arange(0, end_s + 0.5)
    busy = measures.busy(run.traces["sent_bytes"], "R>N3", RADIO_BPS, seconds)
    window, threshold, estimate = (
        run.traces[name][run.traces[name]["flow"] == "N1"] for name in series[:3]
    )
    true = pd.DataFrame({"time_s": seconds[1:], "true": busy})
    return OverTime(window, threshold, estimate, true, end_s)


def crowds(setting: Setting, sizes: Sequence[int] = (2, 10, 30)) -> pd.DataFrame:
    """Run so many senders of one kind over the radio link, a row a run.

    Columns: flows, control, loss, seed, Mb/s (of all together), repeated (the part of what is sent
    that is sent again), jain (Jain's index of the flows). On the segment engine.
    """
    tables = []
    for size in sizes:
        design = statistics.combinations(
            control=["NewReno", CHD, "UCC"], loss=[0, 0.01], seed=range(1, 4)
        )
        scenarios = [
            wireless(
                *[setting.controls[run.control]] * size,
                loss=run.loss,
                seed=run.seed,
                **setting.network,
            )
            for run in design.itertuples()
        ]
        runs = _run(scenarios, "segment", f"ucc-crowd-{size}", design)
        for point, flows in runs.groupby(["control", "loss", "seed"], sort=False):
            again = flows["retransmissions"].sum() / flows["segments_sent"].sum()
            tables.append(
                dict(zip(("control", "loss", "seed"), point, strict=True))
                | {"flows": size, "Mb/s": flows["Mb/s"].sum(), "repeated": again}
                | {"jain": float(measures.jain_index(flows["Mb/s"].to_numpy()))}
            )
    return pd.DataFrame(tables)[["flows", "control", "loss", "seed", "Mb/s", "repeated", "jain"]]


RELATIVES: dict[str, dict] = {
    "HD": {"name": "hd", "parameters": {"threshold_delay_s": CHD_THRESHOLD_S}},
    "CHD": {"name": "chd"},
}


def relatives(setting: Setting) -> pd.DataFrame:
    """Run HD, the whole CHD, CHD without DCC, UCC and NewReno, among themselves and beside NewReno.

    Columns: control, neighbour, loss, seed, Mb/s of N1, neighbour Mb/s of N2, queue (packets at
    the radio link on average). On the segment engine.
    """
    controls = RELATIVES | {name: setting.controls[name] for name in (CHD, "UCC", "NewReno")}
    rows = [
        (control, neighbour, loss, seed)
        for control in controls
        for neighbour in dict.fromkeys((control, "NewReno"))
        for loss in setting.among(0, 0.01)
        for seed in range(1, 4)
    ]
    design = pd.DataFrame(rows, columns=["control", "neighbour", "loss", "seed"])
    results = simulate_all(
        [
            wireless(
                controls[run.control],
                controls[run.neighbour],
                loss=run.loss,
                seed=run.seed,
                record=Record(series=("queue_packets",), points=25),
                **setting.network,
            )
            for run in design.itertuples()
        ],
        engine="segment",
        experiment="ucc-relatives",
    )
    queue = []
    for result in results:
        trace = result.traces["queue_packets"]
        trace = trace[trace["link"] == "R>N3"]
        times = np.arange(0.1, 1.0, 0.02) * setting.duration_s
        queue.append(float(np.nanmean(measures.held_at(trace, "queue_packets", times))))
    first, second = (
        [result.flows["goodput_bps"].iloc[i] / 1e6 for result in results] for i in (0, 1)
    )
    return design.assign(**{"N1 (Mb/s)": first, "N2 (Mb/s)": second, "queue (packets)": queue})


ESTIMATORS: dict[str, dict] = {
    "as above": {},
    r"$\alpha = 0.5$": {"alpha": 0.5},
    r"$\alpha = 0.9$": {"alpha": 0.9},
    r"$\alpha = 0.95$": {"alpha": 0.95},
    r"$\alpha = 0.999$": {"alpha": 0.999},
    "clock of 1 ms": {"clock_s": 0.001},
    "clock of 10 ms": {"clock_s": 0.01},
    "smallest delay since the last loss": {"minimum_of_epoch": True},
    "smallest delay of the last 10 s": {"minimum_lifetime_s": 10.0},
}


def estimators(setting: Setting) -> pd.DataFrame:
    """Return the goodput of two UCC flows, and of a NewReno neighbour, by UCC's parameters.

    On the segment engine. A row a setting; a column a loss rate and pair, text in Mb/s with 95 %
    intervals.
    """
    design = statistics.combinations(
        setting=list(ESTIMATORS),
        loss=[0.001, 0.01],
        neighbour=["UCC", "NewReno"],
        seed=range(1, setting.half + 1),
    )
    scenarios = []
    for run in design.itertuples():
        mine = setting.ucc(**ESTIMATORS[run.setting])
        other = mine if run.neighbour == "UCC" else "newreno"
        scenarios.append(wireless(mine, other, loss=run.loss, seed=run.seed, **setting.network))
    runs = _run(scenarios, "segment", "ucc-estimators", design)
    two = _sums(runs[runs["neighbour"] == "UCC"], ["setting", "loss", "seed"])
    one = runs[(runs["neighbour"] == "NewReno") & (runs["flow"] == "N2")]
    columns: dict[str, dict[str, str]] = {}
    for what, measured in (("two UCC flows", two), ("NewReno beside UCC", one)):
        for row in statistics.interval(measured, ["setting", "loss"], "Mb/s").itertuples():
            column = columns.setdefault(f"{what}, $p = {row.loss:g}$", {})
            column[row.setting] = f"{row[3]:.2f} ± {row.halfwidth:.2f}"
    return pd.DataFrame(columns).loc[list(ESTIMATORS)].rename_axis("setting").reset_index()


def buffers(setting: Setting, sizes: Sequence[int] = (10, 25, 50, 100, 200)) -> pd.DataFrame:
    """Return what a NewReno neighbour gets beside UCC, and beside CHD without DCC, by the buffer.

    On the segment engine, at a loss of 0 and 0.001. Columns: buffer (packets), loss, control,
    measured (the ratio to what it gets beside NewReno), low, high (95 %), runs.
    """
    controls = ("UCC", CHD, "NewReno")
    design = statistics.combinations(
        buffer=sizes, loss=[0, 0.001], control=controls, seed=range(1, setting.half + 3)
    )
    scenarios = [
        wireless(
            "newreno",
            setting.controls[run.control],
            loss=run.loss,
            seed=run.seed,
            **(setting.network | {"queue_packets": run.buffer}),
        )
        for run in design.itertuples()
    ]
    runs = _run(scenarios, "segment", "ucc-buffers", design)
    rows = []
    for (packets, loss), flows in runs[runs["flow"] == "N1"].groupby(["buffer", "loss"]):
        got = dict(list(flows.groupby("control")["Mb/s"]))
        for control in ("UCC", CHD):
            found = _ratio(got[control], got["NewReno"])
            rows.append({"buffer": packets, "loss": loss, "control": control} | found)
    return pd.DataFrame(rows)


def routes(setting: Setting) -> pd.DataFrame:
    """Return the goodput of two UCC flows whose path changes after 0.3 of the time, at 0.01.

    On the segment engine. Columns: change, lifetime_s (of the minimum; 0 is for ever), Mb/s,
    halfwidth (of the 95 % interval).
    """
    changes = {"none": None, "longer": 0.03, "shorter": 0.01}  # delay_s from then on
    design = statistics.combinations(
        change=list(changes), lifetime_s=[0.0, 10.0], seed=range(1, setting.half + 1)
    )
    scenarios = []
    for run in design.itertuples():
        mine = setting.ucc(minimum_lifetime_s=run.lifetime_s)
        change = {"at_s": 0.3 * setting.duration_s, "delay_s": changes[run.change]}
        scenarios.append(
            wireless(
                mine,
                mine,
                loss=0.01,
                seed=run.seed,
                changes=(change,) if change["delay_s"] else (),
                **setting.network,
            )
        )
    runs = _run(scenarios, "segment", "ucc-routes", design)
    point = ["change", "lifetime_s"]
    table = statistics.interval(_sums(runs, [*point, "seed"]), point, "Mb/s")
    return table[[*point, "Mb/s", "halfwidth"]]


def sharing(runs: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return the harm that each control does to each, and Jain's index of the two, as text.

    On the segment engine. A row a control and loss rate of 0, 0.001 and 0.01; a column a neighbour.
    """
    names, runs = list(setting.controls), on("segment", runs)
    beside = measures.beside(runs)
    alone = beside.groupby(["loss", "control", "neighbour"])["Mb/s"].mean()
    pair = runs.groupby(["N1", "N2", "loss", "flow"])["Mb/s"].mean()
    rows = []
    for loss in setting.among(0, 0.001, 0.01):
        for control in names:
            row = {"loss": loss, "control": control}
            for neighbour in names:
                reference = alone[loss, neighbour, neighbour]
                lost = measures.harm(reference, alone[loss, control, neighbour])
                a, b = sorted((control, neighbour), key=names.index)
                fair = measures.jain_index(pair[a, b, loss].to_numpy())
                row[f"to {neighbour}"] = f"{100 * lost:+.0f} % · {fair:.2f}"
            rows.append(row)
    return pd.DataFrame(rows, columns=["loss", "control", *(f"to {name}" for name in names)])


def without_loss(runs: pd.DataFrame) -> pd.DataFrame:
    """Return goodput, recoveries, timeouts and fairness of two equal flows without random loss.

    Means over the runs on the segment engine, a row a control.
    """
    clean = on("segment", runs)
    clean = clean[clean["loss"] == 0]
    both = together(clean)
    table = both.groupby("control", sort=False)[["Mb/s", "recoveries", "timeouts"]].mean()
    flows = clean[clean["N1"] == clean["N2"]]
    table["Jain's index"] = [
        flows[flows["N1"] == name]
        .groupby("seed")["Mb/s"]
        .apply(lambda rates: float(measures.jain_index(rates.to_numpy())))
        .mean()
        for name in table.index
    ]
    return table.reset_index()


# --- numbers for the text


def numbers(
    setting: Setting,
    *,
    both: pd.DataFrame,
    held: pd.DataFrame,
    neighbours: pd.DataFrame,
    order: pd.DataFrame,
    buffers: pd.DataFrame,
    crowds: pd.DataFrame,
    watched: OverTime,
) -> dict[str, float]:
    """Return the measured numbers of the chapter's sentences, by the names that they have there.

    The arguments are what the functions of these names returned; `both` is the interval of
    `together`, `watched` is of `over_time`. A number whose runs the setting lacks is missing.
    """
    two = both.set_index(["control", "loss"])["Mb/s"]
    met = samples_met([100]).iloc[0]
    last = held[held["rho"] < 0.995].iloc[-1]
    full = held[held["rho"] >= 0.995].iloc[0]
    lost = {
        name: 100 * (1 - rows["measured"].min()) for name, rows in neighbours.groupby("control")
    }
    beside = neighbours.set_index(["neighbour", "control", "loss"])["measured"]
    layouts = order.set_index(["layout", "reference", "loss"])["measured"]
    by_buffer = buffers.set_index(["control", "loss", "buffer"])["measured"]
    fair = crowds[crowds["loss"] == 0].groupby(["control", "flows"])[["jain", "repeated"]].mean()

    def one(values: pd.Series, *at) -> float:
        return float(values.get(at, np.nan))

    def span(control: str) -> tuple[float, float]:
        ratios = by_buffer[control]
        return float(ratios.min()), float(ratios.max())

    return {
        "ucc_two_ucc": one(two, "UCC", 0.01),
        "ucc_two_newreno": one(two, "NewReno", 0.01),
        "ucc_two_ucc_10": one(two, "UCC", 0.1),
        "ucc_two_chd_10": one(two, CHD, 0.1),
        "ucc_two_newreno_10": one(two, "NewReno", 0.1),
        "ucc_ucc_share": 100 * one(two, "UCC", 0.01) / one(two, "UCC", 0),
        "ucc_newreno_share": 100 * one(two, "NewReno", 0.01) / one(two, "NewReno", 0),
        "ucc_chd_share": 100 * one(two, CHD, 0.01) / one(two, CHD, 0),
        "ucc_idle_busy": 100 * last["rho"],
        "ucc_idle_estimate": 100 * last["estimate"],
        "ucc_full_estimate": float(full["estimate"]),
        "ucc_pipe": PIPE_PACKETS + 1,
        "ucc_least_busy": 100 * watched.true["true"].iloc[2:].min(),
        "ucc_worst_ucc": lost["UCC"],
        "ucc_worst_chd": lost[CHD],
        "ucc_none_100": 100 * met["none"],
        "ucc_runs": setting.repetitions,
        **{
            f"ucc_{name.lower()}_beside_{word}_{text}": one(beside, name, control, loss)
            for name in NEIGHBOURS
            for control, word in (("UCC", "ucc"), (CHD, "chd"))
            for loss, text in ((0, "clean"), (1e-4, "1e4"), (3e-3, "3e3"), (1e-2, "1e2"))
        },
        "ucc_compound_friendlier": one(beside, "Compound", "UCC", 0.1)
        / one(beside, "Compound", CHD, 0.1),
        "ucc_chain_clean": one(layouts, LAYOUT, "UCC", 0),
        "ucc_chain_lossy": one(layouts, LAYOUT, "UCC", 0.01),
        "ucc_opposite_clean": one(layouts, "opposite", "UCC", 0),
        "ucc_three_clean": one(layouts, "chain", "UCC", 0),
        "ucc_buffer_ucc_low": span("UCC")[0],
        "ucc_buffer_ucc_high": span("UCC")[1],
        "ucc_buffer_chd_low": span(CHD)[0],
        "ucc_buffer_chd_high": span(CHD)[1],
        "ucc_crowd_jain_ucc": one(fair["jain"], "UCC", 30),
        "ucc_crowd_jain_newreno": one(fair["jain"], "NewReno", 30),
        "ucc_crowd_jain_chd": one(fair["jain"], CHD, 30),
        "ucc_crowd_repeated_ucc": 100 * one(fair["repeated"], "UCC", 30),
        "ucc_crowd_repeated_newreno": 100 * one(fair["repeated"], "NewReno", 30),
        "ucc_crowd_repeated_chd": 100 * one(fair["repeated"], CHD, 30),
    }


def long_numbers(setting: Setting, *, runs: pd.DataFrame, beside: pd.DataFrame) -> dict[str, float]:
    """Return the measured numbers of the long version's sentences, by the names they have there.

    `runs` are those of `pairs`, `beside` is `measures.beside` of the segment engine's.
    """
    got = beside.groupby(["neighbour", "control", "loss"])["Mb/s"].mean()
    cubic = float(got.get(("CUBIC", "CUBIC", 0), np.nan))
    near = float(got.get(("CUBIC", "NewReno", 0), np.nan))
    engines = compared_engines(runs)
    equal = engines.dropna(subset=["equal"])
    return {
        "ucc_none_99": 100 * ucc.correlated_sample(10_000, 0.99, 3000)["none"],
        "ucc_cubic_beside_newreno": 100 * (near / cubic - 1),
        "ucc_ns3_flows": int(equal["flows"].sum()),
        "ucc_ns3_equal": int(equal["equal"].sum()),
    }


# --- verdicts


def evidence(
    setting: Setting,
    *,
    runs: pd.DataFrame,
    otherwise: pd.DataFrame,
    through: pd.DataFrame,
    held: pd.DataFrame,
    elsewhere: pd.DataFrame,
    events: pd.DataFrame,
    crowds: pd.DataFrame,
    buffers: pd.DataFrame,
) -> pd.DataFrame:
    """Return what was measured of each claim: the table that `statistics.judge` takes.

    The arguments are what `pairs`, `assumed_otherwise`, `through`, `held_windows`,
    `queueing_elsewhere`, `queues_by_event`, `crowds` and `buffers` returned. A row a claim, engine,
    setting and point.
    """
    rows = [
        *_of_sentences(setting, runs, held, elsewhere, events),
        *_of_neighbours(runs, otherwise),
        *_of_layouts(through),
        *_of_crowds(crowds),
        *_of_buffers(buffers),
    ]
    table = pd.DataFrame(rows, columns=list(statistics.EVIDENCE_COLUMNS))
    return table.fillna({"parameter": "", "setting": ""})


def _of_sentences(
    setting: Setting,
    runs: pd.DataFrame,
    held: pd.DataFrame,
    elsewhere: pd.DataFrame,
    events: pd.DataFrame,
) -> list[dict]:
    """What sections 1, 3 and 4 say."""

    def exact(value: float) -> dict:
        return dict.fromkeys(("measured", "low", "high"), value) | {"runs": 1}

    rows = []
    for engine, mine in together(runs).groupby("engine"):
        newreno = mine[mine["control"] == "NewReno"].groupby("loss")["Mb/s"]
        got = dict(list(newreno))
        if {0, 0.01} <= got.keys() and len(got[0]) > 1:
            experiment = "ucc-pairs-ns2" if engine == "ns2" else "ucc-pairs-segment"
            row = {"claim": "ucc-s1-newreno-suffers", "engine": engine, "experiment": experiment}
            rows.append(row | {"at": "$p = 0.01$ over $p = 0$"} | _ratio(got[0.01], got[0]))
    for event in events.itertuples():
        off = exact(abs(event.queued - event.busy))
        row = {"claim": "ucc-s3-models", "engine": "arithmetic", "at": event.queue}
        rows.append(row | {"experiment": ""} | off)
    for point in held.itertuples():
        off = exact(abs(point.estimate - point.rho))
        row = {"claim": "ucc-s4-measures", "engine": "segment", "experiment": "ucc-windows"}
        rows.append(row | {"at": f"a window of {point.window}"} | off)
    met = samples_met([100, 10_000]).set_index("N")
    many = {"engine": "arithmetic", "experiment": ""}
    block_us = 8e6 * SACK_BLOCK_BYTES / RADIO_BPS
    rows += [
        many | {"claim": "ucc-s3-sack", "at": "one block"} | exact(block_us),
        many | {"claim": "ucc-s4-early", "at": "(7)"} | exact(0.0),  # it asks for a loss
        many | {"claim": "ucc-s4-example", "at": "M/M/1"} | exact(float(met.loc[100, "mean"])),
        many
        | {"claim": "ucc-s4-known", "at": r"$\rho = 0.95$, 10 000 packets"}
        | exact(1 - float(met.loc[10_000, "none"])),
    ]
    for load, pairs_of in elsewhere.groupby("cross"):
        found = statistics.paired(pairs_of["both"], pairs_of["alone"])
        row = {"claim": "ucc-s4-safe", "engine": "arithmetic", "experiment": ""}
        rows.append(row | {"at": f"{load:g} of other traffic"} | found)
    return rows


def _of_neighbours(runs: pd.DataFrame, otherwise: pd.DataFrame) -> list[dict]:
    """What the text says of figures 4 to 6, and section 6 of all three."""
    claims = [
        ("ucc-f4-newreno", "NewReno", "NewReno", 0),
        ("ucc-f5-cubic", "CUBIC", "CUBIC", 1e-9),  # "where the link errs"
        ("ucc-f6-compound", "Compound", "Compound", 0),
        *(("ucc-s6-friendlier", neighbour, CHD, 1e-9) for neighbour in NEIGHBOURS),
    ]
    beside = measures.beside(on("segment", runs))
    often = beside[beside["control"] == "UCC"].groupby(["neighbour", "loss"])["seed"].nunique()
    more = {(pair[0], loss): count for pairs_of, loss, count in MORE for pair in pairs_of}
    changed = [
        (parameter, value, measures.beside(varied))
        for (parameter, value), varied in otherwise.groupby(["parameter", "setting"], sort=False)
    ]
    rows = []
    for claim, neighbour, reference, least in claims:
        base = {"claim": claim, "engine": "segment"}
        for point in _neighbour_points(beside[beside["loss"] >= least], neighbour, reference):
            base["experiment"] = "ucc-pairs-segment"
            where = neighbour, point["loss"]
            if often[where] >= more.get(where, np.inf):
                base["experiment"] += " ucc-pairs-more"
            rows.append(base | point)
            for name, (low, high) in RANGES.items():
                if low <= point["loss"] <= high:
                    part = {"parameter": "loss_rates", "setting": name}
                    rows.append(base | part | point)
        for parameter, value, varied in changed:
            part = {"parameter": parameter, "setting": value, "experiment": "ucc-assumptions"}
            for point in _neighbour_points(varied[varied["loss"] >= least], neighbour, reference):
                rows.append(base | part | point)
    return rows


def _of_layouts(through: pd.DataFrame) -> list[dict]:
    """What the text says of figure 8: its two steps, at each loss rate."""
    rows = []
    steps = {"UCC": "ucc-f8-below-chd", "NewReno": "ucc-f8-above-newreno"}
    for point in order(on("segment", through)).to_dict("records"):
        row = {"claim": steps[point["reference"]], "engine": "segment"}
        row |= {"experiment": "ucc-chain-segment", "at": f"$p = {point['loss']:g}$"} | point
        base = point["layout"] == LAYOUT
        part = {"parameter": "multi_layout", "setting": LAYOUTS[point["layout"]]}
        rows.append(row if base else row | part)
        for name, (low, high) in RANGES.items():
            if base and low <= point["loss"] <= high:
                rows.append(row | {"parameter": "loss_rates", "setting": name})
    return rows


def _of_crowds(crowds: pd.DataFrame) -> list[dict]:
    """Whether many senders of UCC together lose what as many of NewReno deliver."""
    rows = []
    for (flows, loss), runs in crowds.groupby(["flows", "loss"]):
        got = dict(list(runs.groupby("control")["Mb/s"]))
        row = {
            "claim": "ucc-s4-collapse",
            "engine": "segment",
            "at": f"{flows} flows, $p = {loss:g}$",
        }
        rows.append(row | {"experiment": f"ucc-crowd-{flows}"} | _ratio(got["UCC"], got["NewReno"]))
    return rows


def _of_buffers(buffers: pd.DataFrame) -> list[dict]:
    """Whether one threshold serves every buffer: that of UCC, and that of CHD."""
    rows = []
    claims = {"UCC": "ucc-s4-only-alpha", CHD: "ucc-s4-chd-threshold"}
    threshold_packets = CHD_THRESHOLD_S / PACKET_S
    for point in buffers.to_dict("records"):
        if point["control"] == CHD and point["buffer"] > threshold_packets:
            continue
        row = {"claim": claims[point["control"]], "engine": "segment", "experiment": "ucc-buffers"}
        rows.append(row | {"at": f"{point['buffer']} packets, $p = {point['loss']:g}$"} | point)
    return rows
