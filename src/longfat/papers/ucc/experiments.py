"""The data of every figure and table of the chapter on UCC: the theory's, and the runs'.

Tables of runs have a row a flow, with its goodput also as "Mb/s". Two senders are called N1 and N2,
as in the paper's figure 2; a congestion control is named as in `Setting.controls`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.errors import InputError
from longfat.papers import ucc
from longfat.papers.ucc import queues
from longfat.papers.ucc.network import multi_bottleneck, wireless
from longfat.scenario import Record
from longfat.sweeps import simulate_all, sweep

RADIO_BPS, ACCESS_BPS, RADIO_DELAY_S = 10e6, 100e6, 0.02  # of figure 2's links
PACKET_BYTES, ACK_BYTES = 1054, 54  # on the wire
PACKET_S = 8 * PACKET_BYTES / RADIO_BPS  # of a packet on the radio link
# What the path of figure 2 holds without a queue, apart from the packet that is being sent.
PIPE_PACKETS = (2 * RADIO_DELAY_S + 8 * ACK_BYTES / RADIO_BPS) / PACKET_S

NEIGHBOURS = ("NewReno", "CUBIC", "Compound")  # of figures 4 to 6
CHD = "CHD w/o DCC"
COUNTED = ("delivered_bytes", "segments_sent", "recoveries", "timeouts")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    `loss_rates` are probabilities that a packet is lost; `repetitions` are of each engine,
    `segment_repetitions` those of the segment engine for figures 4 to 6; `duration_s` is in s, the
    buffer in packets. The parameters of UCC and CHD are those that are not default.
    `equivalence_factor` is within what "almost the same" is.
    Raises InputError for what no figure could show.
    """

    loss_rates: Sequence[float]
    repetitions: int
    segment_repetitions: int
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
        if self.segment_repetitions < self.repetitions:
            raise InputError(
                f"segment_repetitions is {self.segment_repetitions}: it must be "
                f"{self.repetitions} (the repetitions) or more"
            )
        if self.equivalence_factor <= 1:
            raise InputError(f"equivalence_factor is {self.equivalence_factor}: it must be above 1")

    @property
    def seeds(self) -> range:
        """One for each repetition."""
        return range(1, self.repetitions + 1)

    @property
    def network(self) -> dict:
        """What `wireless` and `multi_bottleneck` take."""
        return {"duration_s": self.duration_s, "queue_packets": self.queue_packets}

    @property
    def controls(self) -> dict[str, str | dict]:
        """The five congestion controls by their names in the chapter."""
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


def setting(
    profile: str,
    *,
    loss_rates: Sequence[float] | None,
    repetitions: int | None,
    segment_repetitions: int | None,
    duration_s: float | None,
    **parameters,
) -> Setting:
    """Return the setting at a profile, "paper" or "quick", which decides what is None.

    These are the loss rates, 0 and 1e-4 to 1e-1 or three of them; the repetitions, 10 and 30, or 3
    and 6; and the duration, 100 or 20 s. `parameters` are the other fields of `Setting`.
    Raises InputError for another profile.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    if loss_rates is None:
        loss_rates = [0, 1e-3, 1e-2] if quick else [0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
    repetitions = repetitions or (3 if quick else 10)
    return Setting(
        loss_rates=loss_rates,
        repetitions=repetitions,
        segment_repetitions=segment_repetitions or max(6 if quick else 30, repetitions),
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


def samples_met(sizes: Sequence[int] = (20, 100, 500, 2000)) -> pd.DataFrame:
    """Return how many of N packets meet no queue in M/M/1 at 0.95, a row an N.

    Columns: N, mean and sd (packets), independent sd (if they were), none (the probability that
    no packet does) and independent_none.
    """
    table = pd.DataFrame([{"N": n} | ucc.correlated_sample(n, 0.95) for n in sizes])
    table["sd"] = np.sqrt(table["variance"])
    table["independent sd"] = np.sqrt(table["independent_variance"])
    return table[["N", "mean", "sd", "independent sd", "none", "independent_none"]]


def halving_probabilities(rhos: Sequence[float] = (0.95, 0.98, 0.99, 1.0)) -> pd.DataFrame:
    """Return the probability that (7) halves the window after N independent packets, a row an N."""
    table = pd.DataFrame({"N": [10, 50, 100, 101, 200, 1000, 10_000]})
    for rho in rhos:
        unknown = ucc.halving_probability(table["N"], rho, minimum_known=False)
        table[f"rho = {rho}"] = ucc.halving_probability(table["N"], rho)
        table[f"{rho}, unknown"] = unknown
    return table


def clocks(ticks_s: Sequence[float] = (1e-6, 1e-4, 1e-3, 1e-2)) -> pd.DataFrame:
    """Return the mean of (6) on figure 2's path by clocks of these ticks, a row a utilization."""
    empty_s = RADIO_DELAY_S + PACKET_S + 8 * PACKET_BYTES / ACCESS_BPS
    table = pd.DataFrame({"utilization": [0.0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99]})
    for tick_s in ticks_s:
        mean = ucc.tick_estimate(table["utilization"], empty_s, PACKET_S, tick_s)
        table[f"{1e3 * tick_s:g} ms"] = mean
    return table


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


# --- runs


def _with_megabits(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.assign(**{"Mb/s": runs["goodput_bps"] / 1e6})


def _sums(flows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return what the flows of a run got together, a row a run."""
    return flows.groupby(list(by))["Mb/s"].sum().reset_index()


def _over_radio(setting: Setting, design: pd.DataFrame, engine: str, experiment: str):
    """Run N1 and N2 over figure 2's network: a run a row of N1, N2, loss and seed."""
    controls = setting.controls
    scenarios = [
        wireless(
            controls[run.N1], controls[run.N2], loss=run.loss, seed=run.seed, **setting.network
        )
        for run in design.itertuples()
    ]
    return _with_megabits(sweep(scenarios, engine=engine, experiment=experiment, labels=design))


def held_windows(
    setting: Setting,
    windows: Sequence[int] = (10, 20, 30, 40, 44, 46, 47, 48, 49, 50, 52, 56, 60, 70),
) -> pd.DataFrame:
    """Return utilization and estimate of one UCC flow that its receiver holds at a window.

    Columns: window (segments), rho (the link's true utilization), estimate. On ns-3, without loss.
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
        engine="ns3",
        experiment="ucc-windows",
    )
    return pd.DataFrame(
        {
            "window": windows,
            "rho": [
                statistics.busy(run.traces["sent_bytes"], "R>N3", RADIO_BPS, [5, 19])[0]
                for run in held
            ],
            "estimate": [run.traces["utilization"]["utilization"].iloc[-1] for run in held],
        }
    )


class Pairs(NamedTuple):
    """Runs of two senders over the radio link (figures 3 to 6): columns N1, N2, loss, seed, flow.

    `ns3` and `segment` are those of the engines; `either` has those of both up to the setting's
    repetitions, ns-3's where there are two.
    """

    ns3: pd.DataFrame
    segment: pd.DataFrame
    either: pd.DataFrame


IDENTITY = ["N1", "N2", "loss", "seed", "flow"]  # of a flow of `Pairs`


def pairs(setting: Setting) -> Pairs:
    """Run every pair of the five congestion controls at every loss rate.

    On ns-3 those that figures 3 and 4 rest on, and CUBIC and Compound beside UCC; on the segment
    engine all, and `segment_repetitions` of those that figures 4 to 6 equate.
    """
    names = list(setting.controls)
    every = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    equated = [(name, other) for name in NEIGHBOURS for other in (name, "UCC")]
    on_ns3 = {*equated, *((name, name) for name in names), *(("NewReno", name) for name in names)}

    def design(chosen: list[tuple[str, str]], first: int, last: int) -> pd.DataFrame:
        rows = [
            (a, b, loss, seed)
            for a, b in chosen
            for loss in setting.loss_rates
            for seed in range(first, last + 1)
        ]
        return pd.DataFrame(rows, columns=["N1", "N2", "loss", "seed"])

    first = design(every, 1, setting.repetitions)
    more = design(equated, setting.repetitions + 1, setting.segment_repetitions)
    of_ns3 = [(run.N1, run.N2) in on_ns3 for run in first.itertuples()]
    full = _over_radio(setting, first[of_ns3], "ns3", "ucc-pairs")
    fast = _over_radio(setting, pd.concat([first, more]), "segment", "ucc-pairs-segment")
    full, fast = full.assign(engine="ns3"), fast.assign(engine="segment")
    either = pd.concat([full, fast[fast["seed"] <= setting.repetitions]])
    return Pairs(full, fast, either.drop_duplicates(IDENTITY))


def together(runs: Pairs) -> pd.DataFrame:
    """Return what two equal flows got on ns-3, a row a run: figure 3.

    Columns: control, loss, seed, engine, and of both flows Mb/s, recoveries and timeouts.
    """
    equal = runs.ns3[runs.ns3["N1"] == runs.ns3["N2"]]
    sums = equal.groupby(["N1", "loss", "seed", "engine"])[["Mb/s", "recoveries", "timeouts"]].sum()
    return sums.reset_index().rename(columns={"N1": "control"})


def chain(setting: Setting) -> pd.DataFrame:
    """Run figure 7's network on ns-3: columns control, loss, seed, flow (N1, N2, N3)."""
    return _over_chain(setting, setting.loss_rates, "ns3", "ucc-chain")


def _over_chain(setting: Setting, losses: Sequence[float], engine: str, experiment: str):
    rows = [
        (control, loss, seed)
        for control in ("NewReno", CHD, "UCC")
        for loss in losses
        for seed in setting.seeds
    ]
    design = pd.DataFrame(rows, columns=["control", "loss", "seed"])
    scenarios = [
        multi_bottleneck(
            setting.controls[run.control], loss=run.loss, seed=run.seed, **setting.network
        )
        for run in design.itertuples()
    ]
    return _with_megabits(sweep(scenarios, engine=engine, experiment=experiment, labels=design))


def through(chain: pd.DataFrame, *more: str) -> pd.DataFrame:
    """Return what N1 and N2 got together in each run of figure 7's network: figure 8.

    Columns: control, loss, seed, those of `more`, Mb/s.
    """
    return _sums(chain[chain["flow"] != "N3"], [*more, "control", "loss", "seed"])


# --- comparison with the paper


def sameness(beside: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return whether a neighbour gets the same beside UCC as beside its own kind: figures 4 to 6.

    `beside` is `statistics.beside` of the runs. A row a neighbour and loss rate, columns as of
    `statistics.compare`, and neighbour.
    """
    return pd.concat(
        [
            statistics.compare(
                beside[beside["neighbour"] == neighbour],
                "Mb/s",
                "UCC",
                neighbour,
                factor=setting.equivalence_factor,
            ).assign(neighbour=neighbour)
            for neighbour in NEIGHBOURS
        ]
    )


def order(through: pd.DataFrame) -> pd.DataFrame:
    """Return whether CHD without DCC is above UCC and UCC above NewReno: figure 8.

    Columns as of `statistics.compare`.
    """
    steps = ((CHD, "UCC"), ("UCC", "NewReno"))
    return pd.concat([statistics.compare(through, "Mb/s", *step) for step in steps])


def compared_engines(runs: Pairs) -> pd.DataFrame:
    """Compare every run of figures 3 to 6 that ns-3 has made with the segment engine's.

    A row a pair. Columns: N1, N2, flows, how many are equal in every count, and mean goodputs.
    """
    both = _equal_in_counts(runs.ns3, runs.segment, IDENTITY)
    table = both.groupby(["N1", "N2"]).agg(
        **{
            "flows": ("equal", "size"),
            "equal in every count": ("equal", "sum"),
            "ns-3 (Mb/s)": ("Mb/s", "mean"),
            "segment (Mb/s)": ("Mb/s segment", "mean"),
        }
    )
    return table.reset_index()


def _equal_in_counts(full: pd.DataFrame, fast: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    both = full.merge(fast, on=by, suffixes=("", " segment"))
    return both.assign(equal=np.all([both[c] == both[f"{c} segment"] for c in COUNTED], axis=0))


def compared_chains(chain: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Compare figure 7's network on ns-3 with the segment engine, at three loss rates.

    A row a control and loss rate. Columns: control, loss, goodput of N1 and N2 on both engines as
    text in Mb/s with 95 % intervals, flows, and how many are equal in every count.
    """
    losses = [loss for loss in setting.loss_rates if loss in (0, 0.001, 0.01)]
    columns = ["control", "loss", "ns-3", "segment", "flows", "equal in every count"]
    if not losses:
        return pd.DataFrame(columns=columns)
    fast = _over_chain(setting, losses, "segment", "ucc-chain-segment")
    point = ["control", "loss"]
    goodput, goodput_segment = (
        statistics.interval(through(runs), point, "Mb/s").assign(
            text=lambda t: [
                f"{a:.2f} ± {b:.2f}" for a, b in zip(t["Mb/s"], t["halfwidth"], strict=True)
            ]
        )
        for runs in (chain, fast)
    )
    alike = _equal_in_counts(chain, fast, [*point, "seed", "flow"]).groupby(point)["equal"]
    return (
        goodput.rename(columns={"text": "ns-3"})
        .merge(goodput_segment.rename(columns={"text": "segment"})[[*point, "segment"]], on=point)
        .merge(alike.agg(["size", "sum"]), on=point)
        .rename(columns={"size": "flows", "sum": "equal in every count"})[columns]
    )


# --- what the assumptions change

_PER_BIT = 1 - (1 - 0.01) ** (1 / (8 * PACKET_BYTES))  # 1 % of data packets
VARIANTS: dict[str, dict] = {
    "as above": {},
    "ACKs lost too": {"ack_loss": 0.01},
    "senders' links of 10 Mb/s": {"access_bps": 10e6},
    "delayed ACKs": {"segments_per_ack": 2},
    "errors per bit, of ACKs too": {
        "loss": 0,
        "loss_per_bit": _PER_BIT,
        "ack_loss_per_bit": _PER_BIT,
    },
    "senders' links of 20 ms": {"access_delay_s": 0.02},
    "buffer of 200 packets": {"queue_packets": 200},
    "first slow-start threshold of 20": {"initial_ssthresh_segments": 20},
    "minimum timeout 0.2 s": {"min_rto_s": 0.2},
    "window halved at once": {"recovery": "halving"},
}
ROLES = {
    "UCC": ("UCC", "UCC"),
    "CHD": (CHD, CHD),
    "beside UCC": ("UCC", "NewReno"),
    "beside NewReno": ("NewReno", "NewReno"),
}


def assumptions(setting: Setting) -> pd.DataFrame:
    """Return what each assumption changes alone, at a loss of 0.01, on the segment engine.

    A row a variant. Columns: variant, UCC (Mb/s) of two flows, the ratio UCC / CHD, and what a
    NewReno neighbour gets beside UCC over beside its own kind, both as text with 90 % intervals,
    and whether that is the same.
    """
    design = statistics.combinations(variant=list(VARIANTS), role=list(ROLES), seed=setting.seeds)
    scenarios = [
        wireless(
            *(setting.controls[name] for name in ROLES[run.role]),
            seed=run.seed,
            **({"loss": 0.01} | setting.network | VARIANTS[run.variant]),
        )
        for run in design.itertuples()
    ]
    runs = _with_megabits(
        sweep(scenarios, engine="segment", experiment="ucc-assumptions", labels=design)
    )
    by = ["variant", "role", "seed"]
    total = runs.groupby(by)["Mb/s"].sum()
    second = runs[runs["flow"] == "N2"].groupby(by)["Mb/s"].sum()
    text = "{ratio:.3f} [{low:.3f}, {high:.3f}]"
    rows = []
    for variant in VARIANTS:
        forgiving = statistics.ratio(total[variant, "UCC"], total[variant, "CHD"], 0.9)
        friendly = statistics.equivalent(
            second[variant, "beside UCC"],
            second[variant, "beside NewReno"],
            setting.equivalence_factor,
        )
        rows.append(
            {
                "variant": variant,
                "UCC (Mb/s)": total[variant, "UCC"].mean(),
                "UCC / CHD": text.format(**forgiving),
                "NewReno": text.format(**friendly),
                "the same": friendly["verdict"],
            }
        )
    return pd.DataFrame(rows)


def layouts(setting: Setting) -> pd.DataFrame:
    """Return the `order` in two other layouts of figure 7, on the segment engine.

    Columns: layout, loss, control, reference, ratio, low, high, verdict.
    """
    design = statistics.combinations(
        layout=["one", "opposite"],
        control=["NewReno", CHD, "UCC"],
        loss=[0.001, 0.01],
        seed=setting.seeds,
    )
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
    runs = _with_megabits(
        sweep(scenarios, engine="segment", experiment="ucc-layouts", labels=design)
    )
    goodput = through(runs, "layout")
    table = pd.concat(
        [
            order(goodput[goodput["layout"] == layout]).assign(layout=layout)
            for layout in ("one", "opposite")
        ]
    )
    return table[["layout", "loss", "control", "reference", "ratio", "low", "high", "verdict"]]


# --- beyond the paper


class OverTime(NamedTuple):
    """A UCC flow's `estimate` (columns time_s, utilization) and the link's utilization in each
    second before time_s (`true`: columns time_s, true), up to `end_s`."""

    estimate: pd.DataFrame
    true: pd.DataFrame
    end_s: float


def estimate_over_time(setting: Setting) -> OverTime:
    """Run two UCC flows over the radio link at a loss of 0.001 for 40 s at most, on ns-3."""
    end_s = min(40.0, setting.duration_s)
    run = simulate_all(
        [
            wireless(
                setting.ucc(),
                setting.ucc(),
                loss=0.001,
                record=Record(series=("utilization", "sent_bytes"), points=int(5 * end_s)),
                **(setting.network | {"duration_s": end_s}),
            )
        ],
        engine="ns3",
        experiment="ucc-utilization",
    )[0]
    seconds = np.arange(0, end_s + 0.5)
    busy = statistics.busy(run.traces["sent_bytes"], "R>N3", RADIO_BPS, seconds)
    estimate = run.traces["utilization"]
    return OverTime(
        estimate[estimate["flow"] == "N1"],
        pd.DataFrame({"time_s": seconds[1:], "true": busy}),
        end_s,
    )


BUSY_LINKS = {"radio link": [("R", "N3")], "two bottlenecks": [("R1", "R2"), ("R2", "R3")]}


def queueing_elsewhere(setting: Setting) -> pd.DataFrame:
    """Return UCC's mean estimate against the busiest link's utilization, over one link and two.

    On ns-3, a row a network and loss rate. Columns: network, loss, estimate, busiest link, error
    (their difference) and halfwidth (of its 95 % interval).
    """
    design = statistics.combinations(
        network=list(BUSY_LINKS), loss=[0.001, 0.01], seed=setting.seeds
    )
    ucc_flow, traced = setting.ucc(), Record(series=("utilization",), points=40)
    scenarios = []
    for run in design.itertuples():
        common = {"loss": run.loss, "seed": run.seed, "record": traced} | setting.network
        scenarios.append(
            wireless(ucc_flow, ucc_flow, **common)
            if run.network == "radio link"
            else multi_bottleneck(ucc_flow, **common)
        )
    results = simulate_all(scenarios, engine="ns3", experiment="ucc-elsewhere")
    rows = []
    for run, result in zip(design.itertuples(), results, strict=True):
        sent = result.links.set_index(["source", "target"])["packets_sent"]
        sending_s = setting.duration_s - min(flow.start_s for flow in result.scenario.flows)
        busiest = max(sent[link] * PACKET_S / sending_s for link in BUSY_LINKS[run.network])
        estimate = result.traces["utilization"]["utilization"].mean()
        rows.append((run.network, run.loss, estimate, busiest, estimate - busiest))
    columns = ["network", "loss", "estimate", "busiest link", "error"]
    table, point = pd.DataFrame(rows, columns=columns), ["network", "loss"]
    means = table.groupby(point)[["estimate", "busiest link"]].mean().reset_index()
    errors = statistics.interval(table, point, "error").merge(means)
    return errors[[*columns, "halfwidth"]]


ESTIMATORS: dict[str, dict] = {
    "as above": {},
    "alpha = 0.5": {"alpha": 0.5},
    "alpha = 0.9": {"alpha": 0.9},
    "alpha = 0.95": {"alpha": 0.95},
    "alpha = 0.999": {"alpha": 0.999},
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
        seed=setting.seeds,
    )
    scenarios = []
    for run in design.itertuples():
        mine = setting.ucc(**ESTIMATORS[run.setting])
        other = mine if run.neighbour == "UCC" else "newreno"
        scenarios.append(wireless(mine, other, loss=run.loss, seed=run.seed, **setting.network))
    runs = _with_megabits(
        sweep(scenarios, engine="segment", experiment="ucc-estimators", labels=design)
    )
    two = _sums(runs[runs["neighbour"] == "UCC"], ["setting", "loss", "seed"])
    one = runs[(runs["neighbour"] == "NewReno") & (runs["flow"] == "N2")]
    columns: dict[str, dict[str, str]] = {}
    for what, measured in (("two UCC flows", two), ("NewReno beside UCC", one)):
        for row in statistics.interval(measured, ["setting", "loss"], "Mb/s").itertuples():
            column = columns.setdefault(f"{what}, p = {row.loss:g}", {})
            column[row.setting] = f"{row[3]:.2f} ± {row.halfwidth:.2f}"
    return pd.DataFrame(columns).loc[list(ESTIMATORS)].rename_axis("setting").reset_index()


def buffers(setting: Setting) -> pd.DataFrame:
    """Return what a NewReno neighbour gets beside UCC over beside NewReno, by the buffer.

    On the segment engine. Columns: buffer (packets), loss, and those of `statistics.equivalent`
    without needed.
    """
    design = statistics.combinations(
        buffer=[10, 25, 50, 100, 200],
        loss=[0, 0.001],
        control=["UCC", "NewReno"],
        seed=setting.seeds,
    )
    scenarios = [
        wireless(
            setting.controls[run.control],
            "newreno",
            loss=run.loss,
            seed=run.seed,
            **(setting.network | {"queue_packets": run.buffer}),
        )
        for run in design.itertuples()
    ]
    runs = _with_megabits(
        sweep(scenarios, engine="segment", experiment="ucc-buffers", labels=design)
    )
    rows = []
    for (packets, loss), flows in runs[runs["flow"] == "N2"].groupby(["buffer", "loss"]):
        got = flows.groupby("control")["Mb/s"].apply(list)
        result = statistics.equivalent(got["UCC"], got["NewReno"], setting.equivalence_factor)
        rows.append({"buffer": packets, "loss": loss, **result})
    return pd.DataFrame(rows).drop(columns="needed")


def routes(setting: Setting) -> pd.DataFrame:
    """Return the goodput of two UCC flows whose path changes after 0.3 of the time, at 0.01.

    On the segment engine. Columns: loss, change, lifetime_s (of the minimum; 0 is for ever), Mb/s,
    halfwidth (of the 95 % interval).
    """
    changes = {"none": None, "longer": 0.03, "shorter": 0.01}  # delay_s from then on
    design = statistics.combinations(
        change=list(changes), lifetime_s=[0.0, 10.0], loss=[0.01], seed=setting.seeds
    )
    scenarios = []
    for run in design.itertuples():
        mine = setting.ucc(minimum_lifetime_s=run.lifetime_s)
        change = {"at_s": 0.3 * setting.duration_s, "delay_s": changes[run.change]}
        scenarios.append(
            wireless(
                mine,
                mine,
                loss=run.loss,
                seed=run.seed,
                changes=(change,) if change["delay_s"] else (),
                **setting.network,
            )
        )
    runs = _with_megabits(
        sweep(scenarios, engine="segment", experiment="ucc-routes", labels=design)
    )
    point = ["loss", "change", "lifetime_s"]
    table = statistics.interval(_sums(runs, [*point, "seed"]), point, "Mb/s")
    return table[[*point, "Mb/s", "halfwidth"]]


def sharing(runs: Pairs, setting: Setting) -> pd.DataFrame:
    """Return the harm that each control does to each, and Jain's index of the two, as text.

    A row a control and loss rate of 0, 0.001 and 0.01; a column a neighbour.
    """
    names = list(setting.controls)
    beside = statistics.beside(runs.either)
    alone = beside.groupby(["loss", "control", "neighbour"])["Mb/s"].mean()
    pair = runs.either.groupby(["N1", "N2", "loss", "flow"])["Mb/s"].mean()
    rows = []
    for loss in [loss for loss in (0, 0.001, 0.01) if loss in setting.loss_rates]:
        for control in names:
            row = {"loss": loss, "control": control}
            for neighbour in names:
                reference = alone[loss, neighbour, neighbour]
                lost = statistics.harm(reference, alone[loss, control, neighbour])
                a, b = sorted((control, neighbour), key=names.index)
                fair = statistics.jain_index(pair[a, b, loss].to_numpy())
                row[f"to {neighbour}"] = f"{100 * lost:+.0f} % · {fair:.2f}"
            rows.append(row)
    return pd.DataFrame(rows, columns=["loss", "control", *(f"to {name}" for name in names)])


def without_loss(runs: Pairs) -> pd.DataFrame:
    """Return goodput, recoveries, timeouts and fairness of two equal flows without random loss.

    Means over the runs on ns-3, a row a control.
    """
    both = together(runs)
    table = both[both["loss"] == 0].groupby("control")[["Mb/s", "recoveries", "timeouts"]].mean()
    flows = runs.ns3[(runs.ns3["loss"] == 0) & (runs.ns3["N1"] == runs.ns3["N2"])]
    table["Jain's index"] = [
        flows[flows["N1"] == name]
        .groupby("seed")["Mb/s"]
        .apply(lambda rates: float(statistics.jain_index(rates.to_numpy())))
        .mean()
        for name in table.index
    ]
    return table.reset_index()


# --- verdicts


def verdicts(
    setting: Setting,
    *,
    together: pd.DataFrame,
    beside: pd.DataFrame,
    order: pd.DataFrame,
    same: pd.DataFrame,
    same_more: pd.DataFrame,
    elsewhere: pd.DataFrame,
) -> pd.DataFrame:
    """Judge every claim of the paper by what the functions of these names returned.

    `same` is the `sameness` of runs on ns-3, `same_more` that of more on the segment engine, which
    decides what the first leaves undecidable. Columns: those of the claims, and measured, low,
    high, unit, engine, verdict, reason.
    """
    judged = (
        _curves_judged(setting, together, beside, order)
        | _sameness_judged(setting, same, same_more)
        | _sentences_judged(setting, together, elsewhere)
    )
    claims = papers.claims("ucc").set_index("id")
    table = claims.join(pd.DataFrame(judged).T).reset_index()
    numbers = ["printed", "measured", "low", "high"]
    return table.astype(dict.fromkeys(numbers, float))


def _curves_judged(
    setting: Setting, together: pd.DataFrame, beside: pd.DataFrame, order: pd.DataFrame
) -> dict[str, dict]:
    """Judge what is said about the order of curves, at every loss rate."""
    errs, errs_beside = (runs[runs["loss"] > 0] for runs in (together, beside))
    others = [name for name in setting.controls if name != "UCC"]
    ahead = [statistics.compare(errs, "Mb/s", "UCC", other) for other in others]
    friendlier = [
        statistics.compare(
            errs_beside[errs_beside["neighbour"] == neighbour], "Mb/s", "UCC", CHD
        ).assign(neighbour=neighbour)
        for neighbour in NEIGHBOURS
    ]
    compared = {
        "ucc-f3-ahead": pd.concat(ahead, ignore_index=True),
        "ucc-s6-friendlier": pd.concat(friendlier, ignore_index=True),
        "ucc-f8-below-chd": order[order["control"] == CHD],
        "ucc-f8-above-newreno": order[order["control"] == "UCC"],
    }
    return {
        claim: _of_runs(
            statistics.judge_comparison(table, "above"),
            setting.repetitions,
            "ns3 and segment" if claim == "ucc-s6-friendlier" else "ns3",
        )
        for claim, table in compared.items()
    }


def _of_runs(judged: dict, repetitions: int, engine: str) -> dict:
    reason = f"{judged['reason']}; {repetitions} runs a point"
    return judged | {"reason": reason, "engine": engine}


def _sameness_judged(
    setting: Setting, same: pd.DataFrame, same_more: pd.DataFrame
) -> dict[str, dict]:
    """Judge figures 4 to 6: by the runs on ns-3, and by more where these do not decide."""
    judged = {}
    for claim, neighbour, least in (
        ("ucc-f4-newreno", "NewReno", 0),
        ("ucc-f5-cubic", "CUBIC", min(loss for loss in setting.loss_rates if loss > 0)),
        ("ucc-f6-compound", "Compound", 0),
    ):
        for table, runs, engine in (
            (same, setting.repetitions, "ns3"),
            (same_more, setting.segment_repetitions, "segment"),
        ):
            points = table[(table["neighbour"] == neighbour) & (table["loss"] >= least)]
            points = points.reset_index(drop=True)
            judged[claim] = _of_runs(statistics.judge_comparison(points, "same"), runs, engine)
            if judged[claim]["verdict"] != "undecidable":
                break
    return judged


def _sentences_judged(
    setting: Setting, together: pd.DataFrame, elsewhere: pd.DataFrame
) -> dict[str, dict]:
    """Judge what sections 1 and 4 say."""
    met = ucc.correlated_sample(100, 0.95)
    over_two = elsewhere[elsewhere["network"] == "two bottlenecks"]
    worst = over_two.loc[over_two["error"].idxmin()]
    low, high = (worst["error"] + sign * worst["halfwidth"] for sign in (-1, 1))
    return {
        "ucc-s1-newreno-suffers": _newreno_suffers(setting, together),
        "ucc-s4-example": {
            "measured": met["mean"],
            "unit": "packets",
            "verdict": "reproduced",
            "reason": "the mean in M/M/1; its standard deviation is "
            f"{np.sqrt(met['variance']):.1f}",
            "engine": "theory",
        },
        "ucc-s4-known": {
            "measured": 100 * met["none"],
            "unit": "%",
            "verdict": "not reproduced",
            "reason": "probability in M/M/1 that none of the 100 packets meets the smallest delay",
            "engine": "theory",
        },
        "ucc-s4-safe": {
            "measured": worst["error"],
            "low": low,
            "high": high,
            "unit": "",
            "verdict": "reproduced" if low > 0 else "not reproduced" if high < 0 else "undecidable",
            "reason": "estimate minus the busiest link's utilization over two bottlenecks, at a "
            f"loss of {worst['loss']:g}; {setting.repetitions} runs",
            "engine": "ns3",
        },
    }


def _newreno_suffers(setting: Setting, together: pd.DataFrame) -> dict:
    newreno = together[together["control"] == "NewReno"]
    lossy, clean = (newreno.loc[newreno["loss"] == loss, "Mb/s"] for loss in (0.01, 0))
    if lossy.empty or clean.empty:
        return {
            "unit": "times",
            "verdict": "not yet measured",
            "reason": "it takes the loss rates 0 and 0.01",
            "engine": "ns3",
        }
    halves = statistics.ratio(lossy, clean, 0.9)
    return {
        "measured": halves["ratio"],
        "low": halves["low"],
        "high": halves["high"],
        "unit": "times",
        "verdict": "reproduced" if halves["high"] < 0.5 else "not reproduced",
        "reason": "goodput of two NewReno flows at a loss of 0.01 over that without; greatly is "
        f"taken as to less than half; {setting.repetitions} runs each",
        "engine": "ns3",
    }
