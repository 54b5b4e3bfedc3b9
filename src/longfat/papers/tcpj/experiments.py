"""The experiments of the chapter on TCP-J: from its parameters to the tables behind what it shows.

A `Setting` is what the chapter's parameters come to. The functions that take one simulate; the
others calculate from a table of runs, which has a row a run, or a flow of a run. Goodputs are in
bit/s, or in Mb/s where the column says so; gains in per cent above NewReno's; intervals Student's,
of 95 %. A protocol is a key of `TCPJ_PROTOCOLS` or a name of the catalogue.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import papers, statistics
from longfat.errors import InputError
from longfat.papers import tcpj
from longfat.papers.tcpj.network import TCPJ_PROTOCOLS, handoff, radio, shared_wire
from longfat.result import Result
from longfat.scenario import Outage, Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

PROTOCOLS = tuple(TCPJ_PROTOCOLS)
SEGMENT_BYTES, PACKET_BYTES, BUFFER_PACKETS = 1460, 1502, 30
FITTED_RATES = (2e-7, 8e-7, 2e-6, 8e-6)  # error rates of table 2; the others are predicted
TRIOS = {"with TCP-J": ("NewReno", "SACK", "TCP-J"), "with SACK": ("NewReno", "SACK", "SACK")}
MODERN = ("cubic", "bbr", "westwood-plus")
MOVES = (  # protocol, kind, whether the new rate is announced
    ("TCP-J", "local", True),
    ("Westwood", "local", True),
    ("NewReno", "local", True),
    ("SACK", "local", True),
    ("TCP-J", "local", False),
    ("TCP-J", "non-local", True),
    ("Westwood", "non-local", True),
)
CRAWLERS = (("NewReno", "local"), ("Westwood", "local"), ("Westwood", "non-local"))
LOSSES = ["packets_lost", "packets_lost_in_outage", "packets_dropped_by_queue"]
COUNTS = ["delivered_bytes", "segments_sent", "retransmissions"]

OF_PROFILE: Any = None  # a default: the profile has it


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's parameters come to.

    `profile` is "paper" or "quick" and decides what is None: the bit error rates, how often each
    run is repeated, and how long it takes (s). `engine` is that of the runs on which a verdict
    rests. The radio link has `rate_bps`, and after a handoff `new_rate_bps`; `rtt_s` is the two-way
    delay of the path. Raises InputError for another profile, and for no repetition.
    """

    profile: str = "paper"
    engine: str = "ns3"
    rate_bps: float = 3e6
    rtt_s: float = 0.04
    new_rate_bps: float = 1e6
    bit_error_rates: Sequence[float] = OF_PROFILE
    repetitions: int = OF_PROFILE
    duration_s: float = OF_PROFILE

    def __post_init__(self):
        if self.profile not in ("paper", "quick"):
            raise InputError(f"profile is '{self.profile}': it must be paper or quick")
        rates = [1e-8, *sorted(printed_table_2()["bit_error_rate"].unique()), 1e-5]
        given = {
            "bit_error_rates": rates[1::2] if self.quick else rates,
            "repetitions": 3 if self.quick else 10,
            "duration_s": 60.0 if self.quick else 200.0,
        }
        for name, value in given.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)  # frozen for all others
        if self.repetitions < 1:
            raise InputError(f"repetitions is {self.repetitions}: it must be at least 1")

    @property
    def quick(self) -> bool:
        return self.profile == "quick"

    @property
    def seeds(self) -> range:
        """Those of the runs on which a verdict rests."""
        return range(1, self.repetitions + 1)

    @property
    def few_seeds(self) -> range:
        """Those of all other series: three at most."""
        return self.seeds[:3]

    @property
    def full_bps(self) -> float:
        """Goodput of a radio link that is always busy."""
        return self.rate_bps * SEGMENT_BYTES / PACKET_BYTES

    @property
    def ack_s(self) -> float:
        """Time between the ACKs of a busy radio link, each of two packets."""
        return 2 * 8 * PACKET_BYTES / self.rate_bps

    @property
    def handoff_at_s(self) -> float:
        return self.duration_s / 2

    @property
    def held_segments(self) -> float:
        """What pipe and buffer hold after a handoff."""
        return self.new_rate_bps * self.rtt_s / 8 / PACKET_BYTES + BUFFER_PACKETS

    @property
    def silences(self) -> tuple[Outage, ...]:
        """The outages of figures 5 to 8, as far as the runs last."""
        return tuple(
            Outage(start_s=start, duration_s=length)
            for start, length in ((50, 0.01), (100, 0.05), (150, 0.1))
            if start < self.duration_s
        )


def printed_table_2() -> pd.DataFrame:
    """Return the claims of the paper's table 2, a row a cell."""
    return papers.claims("tcpj").query("where == 'table 2'")


# --- before any simulation


def filters(ack_s: float) -> pd.DataFrame:
    """Return what the filters' poles mean where an ACK comes every `ack_s` s, a row a filter.

    Columns: filter, a (the pole), noise_gain, cut_off (radians a sample), samples_95, T (s), and
    95 % after (s).
    """
    poles = {
        "TCP-J, alpha = 0.9": 0.9,
        "TCP-J, alpha = 0.875 (Jacobson's)": 0.875,
        "Westwood, T = 1 s": float(tcpj.alpha_of(ack_s, 1.0)),
    }
    table = tcpj.filter_properties(list(poles.values())).rename(columns={"pole": "a"})
    table.insert(0, "filter", list(poles))
    table["T (s)"] = tcpj.time_constant_of(table["a"].to_numpy(), ack_s)
    table["95 % after (s)"] = table["samples_95"] * ack_s
    return table


def uneven_acks(ack_s: float) -> pd.DataFrame:
    """Return the mean estimate over the rate of arrivals, where ACKs come unevenly.

    Intervals are independent and uniform between 1 - spread and 1 + spread of `ack_s` (s).
    Columns: spread; abe, tustin (TCP-J's filter and Westwood's).
    """
    draws = np.linspace(-1, 1, 20001)
    spreads = [0.01, 0.2, 0.4, 0.6, 0.8, 0.9]
    rows = [tcpj.sample_bias(ack_s * (1 + spread * draws)) for spread in spreads]
    return pd.DataFrame(rows).assign(spread=spreads)[["spread", "abe", "tustin"]]


def filter_steps(setting: Setting) -> pd.DataFrame:
    """Return how both estimates follow a step from nothing to a busy radio link.

    Columns: acks (how they come: even ACKs, or random intervals), protocol, time_s, and
    estimate_over_rate (1 is the rate of arrivals).
    """
    rng = np.random.default_rng(1)
    intervals = {
        "even ACKs": np.full(1200, setting.ack_s),
        "random intervals": setting.ack_s * rng.uniform(0.1, 1.9, 1200),
    }
    return pd.concat(
        pd.DataFrame(
            {
                "acks": name,
                "protocol": protocol,
                "time_s": gaps.cumsum(),
                "estimate_over_rate": tcpj.estimate(number, 2 * 8 * SEGMENT_BYTES, gaps)
                / setting.full_bps,
            }
        )
        for name, gaps in intervals.items()
        for number, protocol in ((9, "TCP-J"), (2, "Westwood"))
    )


def expected(setting: Setting, bit_error_rates: ArrayLike) -> pd.DataFrame:
    """Return what models expect of NewReno on the radio link, a row a bit error rate.

    Columns: bit_error_rate, loss (of a packet), and in Mb/s square_root, pftk, newreno and full
    (see `tcpj.expected_goodput`).
    """
    table = tcpj.expected_goodput(np.array(bit_error_rates), setting.rate_bps, setting.rtt_s)
    return table.assign(**{name: table[name] / 1e6 for name in table.columns[2:]})


def handoff_costs() -> pd.DataFrame:
    """Return table 3's costs. Columns: movement, round trip (s), cost (s)."""
    table = pd.DataFrame({"movement": list(tcpj.HANDOFF_COST), "round trip (s)": [0.01, 0.04]})
    cost = [tcpj.handoff_cost(*row) for row in table.itertuples(index=False, name=None)]
    return table.assign(**{"cost (s)": cost})


# --- the lost link


def fit(setting: Setting) -> pd.DataFrame:
    """Return how far table 2 on many links is from the printed one, a row a cell and link.

    Columns: rate_bps, rtt_s, bit_error_rate (the fitted ones), protocol, gain with its intervals
    (see `statistics.gains`), printed, and error, the difference of the logarithms.
    """
    rates = [1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 8e6, 11e6]
    round_trips = [0.02, 0.03, 0.04, 0.06, 0.1]
    design = statistics.combinations(
        rate_bps=rates[1:4] if setting.quick else rates,
        rtt_s=round_trips[1:4] if setting.quick else round_trips,
        protocol=PROTOCOLS,
        bit_error_rate=FITTED_RATES,
        seed=setting.few_seeds,
    )
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=run.bit_error_rate,
            rate_bps=run.rate_bps,
            rtt_s=run.rtt_s,
            seed=run.seed,
        )
        for run in design.itertuples()
    ]
    runs = sweep(scenarios, engine="segment", experiment="tcpj-fit", labels=design)
    gains = statistics.gains(runs, "NewReno", ["rate_bps", "rtt_s", "bit_error_rate"])
    return statistics.distance(gains, printed_table_2(), ["protocol", "bit_error_rate"])


def fit_surface(fitted: pd.DataFrame) -> pd.DataFrame:
    """Return the root mean square of `fit`'s errors, a row a link.

    Columns: rate_bps, rtt_s, one a protocol, and all.
    """
    link = ["rate_bps", "rtt_s"]
    by_protocol = fitted.groupby([*link, "protocol"])["error"].apply(statistics.root_mean_square)
    overall = fitted.groupby(link)["error"].apply(statistics.root_mean_square)
    return by_protocol.unstack().assign(all=overall).reset_index()


def best_links(surface: pd.DataFrame) -> pd.DataFrame:
    """Return the six best links of `fit_surface`, the best first.

    Columns: rate_bps, rtt_s, error, and segments in flight.
    """
    best = surface.set_index(["rate_bps", "rtt_s"])["all"].rename("error")
    best = best.sort_values().head(6).reset_index()
    best["segments in flight"] = best["rate_bps"] * best["rtt_s"] / 8 / PACKET_BYTES
    return best


class BestRate(NamedTuple):
    """Where the error is least: on the map, and of a parabola through it and its neighbours."""

    on_map_bps: float
    of_parabola_bps: float


def best_rate(surface: pd.DataFrame, rtt_s: float) -> BestRate:
    """Return the best rate of `fit_surface` at one of its round trips.

    At the map's edge the parabola goes through the three links next to it.
    """
    errors = surface[surface["rtt_s"] == rtt_s].set_index("rate_bps")["all"]
    middle = min(max(errors.argmin(), 1), len(errors) - 2)
    around = errors.iloc[middle - 1 : middle + 2]
    a, b, _ = np.polyfit(around.index, around, 2)
    return BestRate(errors.idxmin(), -b / 2 / a)


# --- random losses: figure 9 and table 2


def random_losses(setting: Setting) -> pd.DataFrame:
    """Return the runs of figure 9, a row a run.

    Columns: bit_error_rate, protocol, seed, those of `Result.flows`, packets_lost (on all links,
    for whatever reason), Mb/s, and loss (the probability that a packet loses a bit).
    """
    design, scenarios = _random_losses(setting)
    results = simulate_all(scenarios, engine=setting.engine, experiment="tcpj-random-loss")
    runs = design.join(pd.concat([result.flows for result in results], ignore_index=True))
    runs["packets_lost"] = [_lost(result) for result in results]
    runs["Mb/s"] = runs["goodput_bps"] / 1e6
    runs["loss"] = tcpj.segment_loss(runs["bit_error_rate"].to_numpy(), PACKET_BYTES)
    return runs


def _random_losses(setting: Setting) -> tuple[pd.DataFrame, list[Scenario]]:
    design = statistics.combinations(
        bit_error_rate=setting.bit_error_rates, protocol=PROTOCOLS, seed=setting.seeds
    )
    scenarios = [
        _radio(setting, run.protocol, bit_error_rate=run.bit_error_rate, seed=run.seed)
        for run in design.itertuples()
    ]
    return design, scenarios


def table_2(random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return table 2 by the runs of `random_losses`, a row a cell of which there are runs.

    Columns: bit_error_rate, protocol, gain with its intervals (see `statistics.gains`), printed,
    error (the difference of the logarithms), and verdict: whether the printed value, as one run's,
    lies in the range of one run of ours.
    """
    gains = statistics.gains(random_loss, "NewReno", ["bit_error_rate"])
    table = statistics.distance(gains, printed_table_2(), ["protocol", "bit_error_rate"])
    table["verdict"] = [
        statistics.compatible(
            row.printed, statistics.half_unit(row.printed), row.one_low, row.one_high
        )
        for row in table.itertuples()
    ]
    return table


def worded_table_2(table: pd.DataFrame) -> pd.DataFrame:
    """Return `table_2` as the chapter shows it; a star marks the error rates of the fit.

    Columns: protocol, BER, printed, ours, one run, verdict.
    """
    table = table.sort_values(["protocol", "bit_error_rate"])
    return pd.DataFrame(
        {
            "protocol": table["protocol"],
            "BER": [
                f"{rate:g}" + ("*" if rate in FITTED_RATES else "")
                for rate in table["bit_error_rate"]
            ],
            "printed": table["printed"],
            "ours": _with_ends(table, 1),
            "one run": [
                f"{row.one_low:.0f} to {row.one_high:.0f}" if row.repetitions > 1 else "–"
                for row in table.itertuples()
            ],
            "verdict": table["verdict"],
        }
    )


def fit_quality(table: pd.DataFrame) -> pd.DataFrame:
    """Return the root mean square of the errors of `table_2`.

    A row each for the error rates that the fit has seen and for the others. Columns: error rates,
    and one a protocol.
    """
    seen = table["bit_error_rate"].isin(FITTED_RATES)
    quality: dict[str, list] = {"error rates": ["fitted", "predicted"]}
    for name in PROTOCOLS[1:]:
        own = table["protocol"] == name
        errors = (table.loc[own & part, "error"] for part in (seen, ~seen))
        quality[name] = [statistics.root_mean_square(error) for error in errors]
    return pd.DataFrame(quality)


class SecondEngine(NamedTuple):
    """Table 2 on both engines, a row a cell, and how much of it is the same.

    `table` has the columns protocol, BER, paper, one an engine, verdict and on the other.
    """

    table: pd.DataFrame
    flows: int
    flows_equal: int  # in every count
    intervals_apart: int
    same_verdicts: int


def second_engine(setting: Setting, random_loss: pd.DataFrame) -> SecondEngine:
    """Return the runs of `random_losses` on the other engine, beside those that are given.

    Without rows where this machine cannot make them.
    """
    other = "segment" if setting.engine == "ns3" else "ns3"
    design, scenarios = _random_losses(setting)
    if not can_run(scenarios, other):
        columns = ["protocol", "BER", "paper", setting.engine, other, "verdict", "on the other"]
        return SecondEngine(pd.DataFrame(columns=columns), 0, 0, 0, 0)
    runs = sweep(scenarios, engine=other, experiment="tcpj-second-engine", labels=design)
    both = table_2(random_loss).merge(
        table_2(runs), on=["bit_error_rate", "protocol", "printed"], suffixes=("", "_second")
    )
    both = both.sort_values(["protocol", "bit_error_rate"]).reset_index(drop=True)
    equal = (random_loss[COUNTS] == runs[COUNTS]).all(axis=1)
    apart = (both["low"] > both["high_second"]) | (both["low_second"] > both["high"])
    table = pd.DataFrame(
        {
            "protocol": both["protocol"],
            "BER": both["bit_error_rate"],
            "paper": both["printed"],
            setting.engine: _with_ends(both, 1),
            other: _with_ends(both, 1, "_second"),
            "verdict": both["verdict"],
            "on the other": both["verdict_second"],
        }
    )
    same = both["verdict"] == both["verdict_second"]
    return SecondEngine(table, len(equal), equal.sum(), apart.sum(), same.sum())


def repeated_per_loss(random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return the segments repeated per packet lost in `random_losses`, a row a bit error rate.

    Two columns a protocol: the mean and the largest of the repetitions.
    """
    ratio = random_loss["retransmissions"] / random_loss["packets_lost"]
    groups = random_loss.assign(ratio=ratio).groupby(["bit_error_rate", "protocol"], sort=False)
    table = groups["ratio"].agg(["mean", "max"]).unstack("protocol")
    table.columns = [f"{name}, {kind}" for kind, name in table.columns]
    columns = [f"{name}, {kind}" for name in PROTOCOLS for kind in ("mean", "max")]
    return table[columns].reset_index()


# --- a shared wire: figure 3


class Wire(NamedTuple):
    """Runs of figure 2's network.

    `flows` has a row a flow of a run: trio (a key of `TRIOS`), seed, those of `Result.flows`;
    `trace` is the delivered_bytes of the first run with TCP-J.
    """

    flows: pd.DataFrame
    trace: pd.DataFrame


def wire(setting: Setting) -> Wire:
    """Return runs of three flows on one wire, with TCP-J and with a second SACK in its place."""
    counted = Record(series=("delivered_bytes",), points=200)
    design = statistics.combinations(trio=list(TRIOS), seed=setting.seeds)
    scenarios = [
        _wire(
            setting,
            run.trio,
            seed=run.seed,
            record=counted if run.seed == 1 and run.trio == "with TCP-J" else None,
        )
        for run in design.itertuples()
    ]
    results = simulate_all(scenarios, engine=setting.engine, experiment="tcpj-wire")
    return Wire(_flows(design, results), results[0].traces["delivered_bytes"])


def sharing(flows: pd.DataFrame) -> statistics.Shares:
    """Return how the flows of `Wire` with TCP-J share, each under its protocol's name."""
    split = statistics.shares(flows[flows["trio"] == "with TCP-J"], "flow")
    return split._replace(table=split.table.assign(flow=split.table["flow"].str.split().str[0]))


def alphas(setting: Setting, flows: pd.DataFrame) -> pd.DataFrame:
    """Return TCP-J's share by its smoothing constant, a row a run.

    `flows` is that of `wire`, where alpha is 0.9. Columns: alpha, seed, those of `Result.flows`,
    and off: how far its share is above a third of the sum, in % of a third.
    """
    design = statistics.combinations(alpha=[0.5, 0.8, 0.95, 0.99], seed=setting.seeds)
    scenarios = [
        _wire(setting, "with TCP-J", seed=run.seed, parameters={"TCP-J": {"alpha": run.alpha}})
        for run in design.itertuples()
    ]
    results = simulate_all(scenarios, engine=setting.engine, experiment="tcpj-alphas")
    as_stated = flows[flows["trio"] == "with TCP-J"].drop(columns="trio").assign(alpha=0.9)
    runs = pd.concat([_flows(design, results), as_stated])
    total = runs.groupby(["alpha", "seed"])["goodput_bps"].transform("sum")
    runs["off"] = 300 * runs["goodput_bps"] / total - 100
    return runs[runs["flow"] == "TCP-J 2"]


# --- the estimates: figures 5 to 8


class Estimates(NamedTuple):
    """Runs of figures 5 to 8.

    `runs` has a row a run: bit_error_rate, protocol, seed, bias, error and variation (see
    `statistics.estimate_error`), and lowest: the lowest estimate in the 3 s after an outage, in %
    of the link's rate (missing without one). `curves` are of the first seed, by protocol and bit
    error rate: time_s, truth and estimate (Mb/s), a row a second.
    """

    runs: pd.DataFrame
    curves: dict[tuple[str, float], pd.DataFrame]


def estimates(setting: Setting) -> Estimates:
    """Return runs in which the link is silent three times, the estimates beside the throughput."""
    design = statistics.combinations(
        bit_error_rate=[1e-8, 1e-6], protocol=["TCP-J", "Westwood"], seed=setting.seeds
    )
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=run.bit_error_rate,
            seed=run.seed,
            outages=setting.silences,
            record=Record(series=("delivered_bytes", "bandwidth_bps"), points=200),
        )
        for run in design.itertuples()
    ]
    results = simulate_all(scenarios, engine=setting.engine, experiment="tcpj-estimates")
    times = np.arange(0.0, setting.duration_s + 1)
    errors = pd.DataFrame(
        statistics.estimate_error(
            result.traces["delivered_bytes"], result.traces["bandwidth_bps"], times[5:]
        )
        for result in results
    )
    lowest = [_lowest_estimate(result, setting.silences) for result in results]
    runs = design.join(errors).assign(lowest=100 * np.array(lowest) / setting.full_bps)
    curves = {
        (run.protocol, run.bit_error_rate): _curve(result, times)
        for run, result in zip(design.itertuples(), results, strict=True)
        if run.seed == 1
    }
    return Estimates(runs, curves)


def _lowest_estimate(result: Result, silences: Sequence[Outage]) -> float:
    """Return the lowest estimate at a silence's start and in the 3 s after it, bit/s."""
    trace = result.traces["bandwidth_bps"]
    held = [
        statistics.held_at(trace, "bandwidth_bps", silence.start_s + np.arange(4)).min()
        for silence in silences
    ]
    return min(held, default=np.nan)


def _curve(result: Result, times: np.ndarray) -> pd.DataFrame:
    truth = statistics.true_throughput(result.traces["delivered_bytes"], times)
    estimate = statistics.held_at(result.traces["bandwidth_bps"], "bandwidth_bps", times)
    return pd.DataFrame({"time_s": times[1:], "truth": truth / 1e6, "estimate": estimate[1:] / 1e6})


def estimate_errors(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the means of the runs of `Estimates`, worded with their intervals.

    Columns: bit_error_rate, protocol, bias, error, variation.
    """
    measures = ["bias", "error", "variation"]
    return _means(runs, ["bit_error_rate", "protocol"], measures, 3)


# --- outages: figure 10


def outages(setting: Setting) -> pd.DataFrame:
    """Return transfers of 10 s with one outage, a row a run.

    Columns: outage_s, protocol, seed, those of `Result.flows`, and Mb/s.
    """
    design = statistics.combinations(
        outage_s=[0.01, 0.05, 0.1, 0.2, 0.5, 1.0], protocol=PROTOCOLS, seed=setting.seeds
    )
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=1e-8,
            seed=run.seed,
            duration_s=10,
            limited_transmit=_has_sack(run.protocol),
            outages=(
                Outage(
                    start_s=round(np.random.default_rng(run.seed).uniform(3, 5), 6),
                    duration_s=run.outage_s,
                ),
            ),
        )
        for run in design.itertuples()
    ]
    return _mbps(sweep(scenarios, engine=setting.engine, experiment="tcpj-outages", labels=design))


# --- handoffs: figures 12 to 16


class Handoffs(NamedTuple):
    """Runs of figures 12 to 16.

    `runs` has a row a run: protocol, kind, announced, seed, label (the protocol, and whether it is
    not told), those of `Result.flows`, packets_lost, settled and first 10 s: the mean window from
    5 s after the movement on, and the largest of the first 10 s (segments). `windows` are of the
    first seed, by label and kind: time_s and cwnd_segments, a row a second.
    """

    runs: pd.DataFrame
    windows: dict[tuple[str, str], pd.DataFrame]


def handoffs(setting: Setting) -> Handoffs:
    """Return movements to a slower radio link, half-way through the run (see `MOVES`)."""
    design = pd.DataFrame(MOVES, columns=["protocol", "kind", "announced"])
    design = design.merge(pd.DataFrame({"seed": setting.seeds}), how="cross")
    scenarios = [
        _handoff(
            setting,
            run.protocol,
            run.kind,
            announced=run.announced,
            limited_transmit=_has_sack(run.protocol),
            seed=run.seed,
            at_s=setting.handoff_at_s,
            duration_s=setting.duration_s,
        )
        for run in design.itertuples()
    ]
    results = simulate_all(scenarios, engine=setting.engine, experiment="tcpj-handoffs")
    seconds = np.arange(0.5, setting.duration_s)
    since = seconds - setting.handoff_at_s
    windows = np.array(
        [
            statistics.held_at(result.traces["cwnd_segments"], "cwnd_segments", seconds)
            for result in results
        ]
    )
    runs = design.join(pd.concat([result.flows for result in results], ignore_index=True))
    runs["packets_lost"] = [_lost(result) for result in results]
    settled = windows[:, since > 5]
    runs["settled"] = settled.mean(axis=1) if settled.size else np.nan
    runs["first 10 s"] = windows[:, (since > 0) & (since < 10)].max(axis=1)
    runs["label"] = runs["protocol"].where(runs["announced"], runs["protocol"] + ", not announced")
    first = {
        (run.label, run.kind): pd.DataFrame({"time_s": seconds, "cwnd_segments": window})
        for run, window in zip(runs.itertuples(), windows, strict=True)
        if run.seed == 1
    }
    return Handoffs(runs, first)


def handoff_windows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the means of the runs of `Handoffs`, worded with their intervals.

    Columns: kind, label, settled, first 10 s (segments), Mb/s.
    """
    return _means(_mbps(runs), ["kind", "label"], ["settled", "first 10 s", "Mb/s"], 2)


# --- a flaw of ns-3


def crawling(setting: Setting, moved: pd.DataFrame) -> pd.DataFrame:
    """Return how many segments each kind of run repeats per packet lost after a handoff.

    `moved` are the runs of `handoffs`; beside them stand runs with limited transmit on ns-3, and on
    Linux where this machine can give them. Columns: case, engine, limited transmit, runs, crawling
    (runs that repeat more than 2), median and largest.
    """
    on_linux = [_on_linux(setting, seed) for seed in range(1, 11)]
    with_transmit = statistics.combinations(move=CRAWLERS, seed=range(1, 11))
    on_ns3 = [_handoff(setting, *run.move, seed=run.seed) for run in with_transmit.itertuples()]
    cases = []
    if can_run(on_ns3, "ns3"):
        results = simulate_all(on_ns3, engine="ns3", experiment="tcpj-crawl")
        cases += [
            (", ".join(run.move), "ns3", "on", *_repeated_and_lost(result))
            for run, result in zip(with_transmit.itertuples(), results, strict=True)
        ]
    cases += [
        (
            f"{run.protocol}, {run.kind}",
            setting.engine,
            "on" if _has_sack(run.protocol) else "off",
            run.retransmissions,
            run.packets_lost,
        )
        for run in moved.itertuples()
        if (run.protocol, run.kind) in [*CRAWLERS, ("SACK", "local")]
    ]
    if can_run(on_linux, "linux"):
        results = simulate_all(on_linux, engine="linux", experiment="tcpj-crawl-linux")
        case = ("Reno without SACK, local", "linux", "on")
        cases += [(*case, *_repeated_and_lost(result)) for result in results]
    kind = ["case", "engine", "limited transmit"]
    runs = pd.DataFrame(cases, columns=[*kind, "repeated", "lost"])
    ratios = (runs["repeated"] / runs["lost"]).groupby([runs[name] for name in kind])
    return ratios.agg(
        runs="size", crawling=lambda ratio: (ratio > 2).sum(), median="median", largest="max"
    ).reset_index()


def _on_linux(setting: Setting, seed: int) -> Scenario:
    """The engine takes one event at a time: the outage is on the way there only."""
    scenario = _handoff(
        setting, "reno", "local", seed=seed, sack=False, recovery="prr", handoffs=(), record=None
    )
    links = [
        link.model_copy(update={"outages": ()}) if link.source == "mn" else link
        for link in scenario.links
    ]
    return scenario.with_(links=links)


# --- what the assumptions change


# What each variant changes, by the chapter's setting and the run.
VARIANTS: dict[str, Callable[[Setting, Any], dict]] = {
    "as above": lambda setting, run: {},
    "no limited transmit without SACK": lambda setting, run: {
        "limited_transmit": _has_sack(run.protocol)
    },
    "SACK for all": lambda setting, run: {"sack": True},
    "PRR": lambda setting, run: {"recovery": "prr"},
    "timer of 0.5 s": lambda setting, run: {"min_rto_s": 0.5},
    "ACKs lost too": lambda setting, run: {"ack_bit_error_rate": run.bit_error_rate},
    "wire as slow as the radio": lambda setting, run: {"wired_bps": setting.rate_bps},
    "buffer of 60": lambda setting, run: {"queue_packets": 60},
    "radio of 4 Mb/s": lambda setting, run: {"rate_bps": 4e6},
    "radio of 5 Mb/s": lambda setting, run: {"rate_bps": 5e6},
}
# A protocol, with other parameters of its congestion control.
PARAMETERS = {
    "TCP-J, alpha = 0.5": ("TCP-J", {"alpha": 0.5}),
    "TCP-J, alpha = 0.99": ("TCP-J", {"alpha": 0.99}),
    "TCP-J, clock of 0.1 s": ("TCP-J", {"rtt_tick_s": 0.1}),
    "Westwood, T = 0.25 s": ("Westwood", {"time_constant_s": 0.25}),
    "Westwood, T = 4 s": ("Westwood", {"time_constant_s": 4.0}),
    "Westwood, clock of 0.1 s": ("Westwood", {"rtt_tick_s": 0.1}),
}


def assumptions(setting: Setting) -> pd.DataFrame:
    """Return random losses under each of `VARIANTS`, three runs each, a row a run.

    Columns: variant, bit_error_rate, protocol, seed, and those of `Result.flows`.
    """
    design = statistics.combinations(
        variant=list(VARIANTS),
        bit_error_rate=[1e-6, 4e-6],
        protocol=PROTOCOLS,
        seed=setting.few_seeds,
    )
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=run.bit_error_rate,
            seed=run.seed,
            **VARIANTS[run.variant](setting, run),
        )
        for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", experiment="tcpj-assumptions", labels=design)


def assumption_gains(varied: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of `assumptions`, worded with their intervals, below the paper's.

    A row a variant; columns: variant, and one a protocol and bit error rate.
    """
    gains = statistics.gains(varied, "NewReno", ["variant", "bit_error_rate"])
    gains["text"] = _with_ends(gains, 0)
    gains["case"] = [f"{row.protocol}, {row.bit_error_rate:g}" for row in gains.itertuples()]
    table = gains.pivot(index="variant", columns="case", values="text")
    paper = papers.table("tcpj", 2)
    cases = [case.split(", ") for case in table.columns]
    table.loc["paper"] = [f"{paper.at[protocol, float(rate)]:g}" for protocol, rate in cases]
    return table.loc[["paper", *VARIANTS]].reset_index()


def parameter_gains(setting: Setting, varied: pd.DataFrame) -> pd.DataFrame:
    """Return the gains with each of `PARAMETERS`, worded with their intervals.

    `varied` are the runs of `assumptions`, whose NewReno is the base. A row a protocol with its
    parameter; columns: protocol, and one a bit error rate.
    """
    design = statistics.combinations(
        protocol=list(PARAMETERS), bit_error_rate=[1e-6, 4e-6], seed=setting.few_seeds
    )
    scenarios = [
        _radio(
            setting,
            PARAMETERS[run.protocol][0],
            bit_error_rate=run.bit_error_rate,
            seed=run.seed,
            parameters=PARAMETERS[run.protocol][1],
        )
        for run in design.itertuples()
    ]
    runs = sweep(scenarios, engine="segment", experiment="tcpj-parameters", labels=design)
    runs = pd.concat([varied[varied["variant"] == "as above"], runs])
    gains = statistics.gains(runs, "NewReno", ["bit_error_rate"])
    gains["text"] = _with_ends(gains, 0)
    table = gains.pivot(index="protocol", columns="bit_error_rate", values="text")
    return table.drop(index="SACK").reset_index()


# --- beyond the paper


def todays_senders(setting: Setting) -> pd.DataFrame:
    """Return random losses with `MODERN` and three of the paper's protocols, a row a run.

    Columns: bit_error_rate, protocol, seed, those of `Result.flows`, and Mb/s.
    """
    design = statistics.combinations(
        bit_error_rate=[1e-7, 1e-6, 4e-6, 1e-5],
        protocol=["NewReno", "Westwood", "TCP-J", *MODERN],
        seed=setting.few_seeds,
    )
    scenarios = [
        _radio(setting, run.protocol, bit_error_rate=run.bit_error_rate, seed=run.seed)
        for run in design.itertuples()
    ]
    return _mbps(sweep(scenarios, engine="segment", experiment="tcpj-today", labels=design))


def stacks(setting: Setting) -> pd.DataFrame:
    """Return Westwood on ns-3 and on Linux, each where this machine can give it.

    Goodput (Mb/s) worded with its interval; columns: engine, protocol, and one a bit error rate.
    """
    legs = [
        _stack(setting, "ns3", ("reno", "westwood-plus", "Westwood"), experiment="tcpj-ns3"),
        _stack(setting, "linux", ("reno", "westwood-plus"), experiment="tcpj-linux"),
    ]
    if all(leg.empty for leg in legs):
        return pd.DataFrame(columns=["engine", "protocol"])
    by = ["bit_error_rate", "engine", "protocol"]
    means = statistics.interval(_mbps(pd.concat(legs)), by, "Mb/s")
    means["text"] = _with_halfwidth(means, "Mb/s", 2)
    table = means.pivot(index=["engine", "protocol"], columns="bit_error_rate", values="text")
    return table.rename(columns="{:g}".format).reset_index()


def _stack(
    setting: Setting, engine: str, protocols: Sequence[str], experiment: str
) -> pd.DataFrame:
    """Return the runs of one engine; without rows where this machine cannot make them."""
    design = statistics.combinations(
        bit_error_rate=[1e-7, 1e-6, 4e-6], protocol=protocols, seed=[1, 2, 3]
    ).assign(engine=engine)
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=run.bit_error_rate,
            seed=run.seed,
            duration_s=60,
            recovery="prr",
            timestamps=True,
            sack=True,
        )
        for run in design.itertuples()
    ]
    if not can_run(scenarios, engine):
        return pd.DataFrame()
    return sweep(scenarios, engine=engine, experiment=experiment, labels=design)


def several_flows(setting: Setting) -> pd.DataFrame:
    """Return four flows of one protocol on one radio link, means of three runs.

    Columns: bit_error_rate, protocol, sum (Mb/s), smallest / largest (goodput), overflows per 1000
    (segments sent).
    """
    design = statistics.combinations(
        protocol=PROTOCOLS, bit_error_rate=[1e-7, 1e-6], seed=setting.few_seeds
    )
    scenarios = [
        _radio(setting, *[run.protocol] * 4, bit_error_rate=run.bit_error_rate, seed=run.seed)
        for run in design.itertuples()
    ]
    results = simulate_all(scenarios, engine="segment", experiment="tcpj-several")
    measured = pd.DataFrame(
        {
            "sum (Mb/s)": result.flows["goodput_bps"].sum() / 1e6,
            "smallest / largest": result.flows["goodput_bps"].min()
            / result.flows["goodput_bps"].max(),
            "overflows per 1000": 1000
            * result.links["packets_dropped_by_queue"].sum()
            / result.flows["segments_sent"].sum(),
        }
        for result in results
    )
    runs = design.drop(columns="seed").join(measured)
    return runs.groupby(["bit_error_rate", "protocol"], sort=False).mean().reset_index()


# --- verdicts


def verdicts(
    setting: Setting,
    *,
    random_loss: pd.DataFrame,
    wire: Wire,
    alphas: pd.DataFrame,
    estimates: Estimates,
    outages: pd.DataFrame,
    handoffs: Handoffs,
    filter_cost: pd.DataFrame,
) -> pd.DataFrame:
    """Judge every claim of the paper by the tables of the functions of these names.

    `filter_cost` has the columns step and ns_per_ack (see tools/bench_filters.py). A row a claim,
    with the columns that `show.show_verdicts` wants; all numbers in per cent. A claim for which the
    setting has no run is "not yet measured".
    """
    found = (
        table_2_findings(random_loss)
        | sharing_findings(wire.flows)
        | {"tcpj-s3-alpha": alpha_finding(alphas)}
        | estimate_findings(estimates.runs)
        | {"tcpj-s4-outages": outage_finding(outages)}
        | handoff_findings(handoffs.runs, setting.held_segments)
        | {"tcpj-s2-cost": cost_finding(filter_cost)}
    )
    found = pd.DataFrame.from_dict(found, orient="index").rename_axis("id").reset_index()
    judged = papers.claims("tcpj").merge(found, on="id", how="left")
    judged["verdict"] = judged["verdict"].fillna("not yet measured")
    judged["reason"] = judged["reason"].fillna("")
    judged["unit"] = "%"
    judged["engine"] = setting.engine
    judged.loc[judged["id"] == "tcpj-s2-cost", "engine"] = "compiled headers"
    return judged


def table_2_findings(random_loss: pd.DataFrame) -> dict[str, dict]:
    """Judge table 2 and what the abstract and section 4 say of it, as far as there are runs."""
    found = {}
    for row in table_2(random_loss).itertuples():
        sort = "fitted" if row.bit_error_rate in FITTED_RATES else "predicted"
        rate = f"{row.bit_error_rate:g}".replace("e-0", "e-")
        found[f"tcpj-t2-{row.protocol.lower().replace('-', '')}-{rate}"] = {
            "measured": row.gain,
            "low": row.one_low,
            "high": row.one_high,
            "verdict": row.verdict,
            "reason": f"range of one run; this error rate was {sort}",
        }
    if "tcpj-t2-tcpj-4e-6" in found:
        found["tcpj-abstract-191"] = found["tcpj-t2-tcpj-4e-6"]
        gains = statistics.gains(random_loss, "Westwood", ["bit_error_rate"])
        (row,) = gains.query("bit_error_rate == 4e-6 and protocol == 'TCP-J'").itertuples()
        found["tcpj-abstract-35"] = {
            "measured": row.gain,
            "low": row.one_low,
            "high": row.one_high,
            "verdict": statistics.compatible(35, 0.5, row.one_low, row.one_high),
            "reason": "range of one run; the paper's own table 2 has 153 % there",
        }
    runs = random_loss[random_loss["bit_error_rate"].isin(printed_table_2()["bit_error_rate"])]
    if runs.empty:
        return found
    rates = runs.pivot(index=["bit_error_rate", "seed"], columns="protocol", values="goodput_bps")
    over_westwood = 100 * (rates["TCP-J"] / rates["Westwood"]) - 100
    over_newreno = 100 * (rates["SACK"] / rates["NewReno"]) - 100
    same = statistics.every(over_newreno, "bit_error_rate", within=20)
    same["reason"] += "; about the same is within 20 %"
    return found | {
        "tcpj-s4-above-westwood": statistics.every(over_westwood, "bit_error_rate", above=0),
        "tcpj-s4-newreno-sack": same,
    }


def sharing_findings(flows: pd.DataFrame) -> dict[str, dict]:
    """Judge equal shares, and harm to NewReno and SACK, by the flows of `Wire`."""
    with_tcpj = flows[flows["trio"] == "with TCP-J"]
    p_value = statistics.shares(with_tcpj, "flow").p_value
    rates = with_tcpj.pivot(index="seed", columns="flow", values="goodput_bps")
    off = 100 * (3 * rates.div(rates.sum(axis=1), axis=0) - 1)  # % off an equal share
    most = off.mean().abs().idxmax()
    standard = flows[flows["flow"].isin(["NewReno 0", "SACK 1"])]
    standard = standard.groupby(["seed", "trio"])["goodput_bps"].sum().unstack()
    harm = 100 * (standard["with TCP-J"] / standard["with SACK"] - 1)
    return {
        "tcpj-s4-shares": _judged(
            off[most],
            f"{most.split()[0]}'s share off a third of the sum, in % of a third; "
            f"Friedman's test has p = {p_value:.1e}; equal is within 10 %",
            within=10,
        ),
        "tcpj-s4-no-harm": _judged(
            harm,
            "NewReno and SACK together, beside TCP-J against beside a second SACK; no harm is "
            "within 10 %",
            within=10,
        ),
    }


def alpha_finding(runs: pd.DataFrame) -> dict:
    """Judge that 0.9 shares most fairly, by the runs of `alphas`: against its closest rival."""
    unfair = runs.pivot(index="seed", columns="alpha", values="off").abs()
    rivals = unfair.drop(columns=0.9).sub(unfair[0.9], axis=0)
    closest = rivals.mean().idxmin()
    reason = f"alpha = {closest:g} against 0.9: how much further from a third, in % of a third"
    return _judged(rivals[closest], reason, above=0)


def estimate_findings(runs: pd.DataFrame) -> dict[str, dict]:
    """Judge what section 4.2 says of the estimates, by the runs of `Estimates`."""
    wide = runs.pivot(index=["bit_error_rate", "seed"], columns="protocol")
    rare, frequent = wide.loc[1e-8], wide.loc[1e-6]
    near = "bias in %; almost the truth is within 10 %"
    found = {
        "tcpj-s4-abe-near-1e-8": _judged(100 * rare["bias", "TCP-J"], near, within=10),
        "tcpj-s4-tustin-near-1e-8": _judged(100 * rare["bias", "Westwood"], near, within=10),
        "tcpj-s4-tustin-faithful": _judged(
            100 * (frequent["error", "TCP-J"] - frequent["error", "Westwood"]),
            "root mean square error of TCP-J's estimate less that of Westwood's, in points of %",
            above=0,
        ),
        "tcpj-s4-abe-steadier": _judged(
            100 * (frequent["variation", "Westwood"] - frequent["variation", "TCP-J"]),
            "coefficient of variation of Westwood's estimate less that of TCP-J's, in points of %",
            above=0,
        ),
    }
    if runs["lowest"].notna().all():
        found["tcpj-s4-above-in-outage"] = _judged(
            rare["lowest", "TCP-J"] - rare["lowest", "Westwood"],
            "lowest estimate in the 3 s after an outage, TCP-J's less Westwood's, in % of the "
            "link's rate",
            above=0,
        )
    return found


def outage_finding(runs: pd.DataFrame) -> dict:
    """Judge that TCP-J is ahead of every other, by the runs of `outages`: the worst length."""
    found = []
    for outage_s, group in runs.groupby("outage_s"):
        rates = group.pivot(index="seed", columns="protocol", values="goodput_bps")
        rival = rates.drop(columns="TCP-J").mean().idxmax()
        reason = f"TCP-J over the best other, in %: the worst case is {rival} at {outage_s:g} s"
        found.append(_judged(100 * (rates["TCP-J"] / rates[rival] - 1), reason, above=0))
    return statistics.worst(found)


def handoff_findings(runs: pd.DataFrame, held_segments: float) -> dict[str, dict]:
    """Judge what section 4.4 says of windows and goodput, by the runs of `Handoffs`.

    `held_segments` is what pipe and buffer of the new link hold.
    """
    local = runs[runs["kind"] == "local"].pivot(index="seed", columns="label")
    far = runs[runs["kind"] == "non-local"].pivot(index="seed", columns="label")
    goodput, settled, largest = local["goodput_bps"], local["settled"], far["first 10 s"]
    standard = goodput[["NewReno", "SACK"]].mean().idxmax()
    return {
        "tcpj-s4-local-tcpj": _judged(
            100 * (1 - settled["TCP-J"] / held_segments),
            "room that TCP-J's mean window leaves below pipe and buffer, in %",
            above=0,
        ),
        "tcpj-s4-local-westwood": _judged(
            100 * (settled["Westwood"] / settled["TCP-J"] - 1),
            "Westwood's mean window above TCP-J's, in %; growing is above 5 %",
            above=5,
        ),
        "tcpj-s4-local-throughput": _judged(
            100 * (goodput["TCP-J"] / goodput["Westwood"] - 1),
            "TCP-J's goodput above Westwood's, in %; the same is within 5 %",
            within=5,
        ),
        "tcpj-s4-nonlocal-westwood": _judged(
            100 * (largest["Westwood"] / held_segments - 1),
            "largest window of the first 10 s above pipe and buffer, in %",
            above=0,
        ),
        "tcpj-s4-nonlocal-tcpj": _judged(
            100 * (largest["Westwood"] / largest["TCP-J"] - 1),
            "Westwood's largest window of the first 10 s above TCP-J's, in %",
            above=0,
        ),
        "tcpj-s4-unannounced": _judged(
            100 * (goodput["TCP-J, not announced"] / goodput[standard] - 1),
            f"goodput of the whole run above that of {standard}, the better standard, in %",
            above=0,
        ),
    }


def cost_finding(filter_cost: pd.DataFrame) -> dict:
    """Judge that (2) takes longer than (9), by the columns step and ns_per_ack."""
    ns = filter_cost.set_index("step")["ns_per_ack"]
    ratio = ns["WestwoodFormula"] / ns["TcpJFormula"]
    return {
        "measured": 100 * (ratio - 1),
        "low": np.nan,
        "high": np.nan,
        "verdict": "reproduced" if ratio > 1 else "not reproduced",
        "reason": f"(2) takes {ns['WestwoodFormula']:.1f} ns and (9) {ns['TcpJFormula']:.1f} ns, "
        "in % of (9): true, and of no consequence",
    }


def _judged(values: ArrayLike, reason: str, **bound: float) -> dict:
    return statistics.finding(np.asarray(values), **bound) | {"reason": reason}


# --- the networks with the setting's link


def _radio(setting: Setting, *protocols: str, **fields) -> Scenario:
    """Figure 4's network: with the setting's link and duration, unless `fields` say otherwise."""
    same = {"rate_bps": setting.rate_bps, "rtt_s": setting.rtt_s, "duration_s": setting.duration_s}
    return radio(*protocols, **(same | fields))


def _wire(setting: Setting, trio: str, **fields) -> Scenario:
    """Figure 2's network with the flows of `TRIOS`, at the rate of the radio link."""
    return shared_wire(
        *TRIOS[trio],
        rate_bps=setting.rate_bps,
        rtt_s=setting.rtt_s,
        duration_s=setting.duration_s,
        **fields,
    )


def _handoff(setting: Setting, protocol: str, kind: str, **fields) -> Scenario:
    """The networks of figures 11 and 14, with table 3's cost: 200 s, unless `fields` say else."""
    same: dict[str, Any] = {
        "rate_bps": setting.rate_bps,
        "rtt_s": setting.rtt_s,
        "new_rate_bps": setting.new_rate_bps,
        "cost_s": {"local": 0.09, "non-local": 0.12}[kind],
        "new_wired_bps": 100e6 if kind == "local" else 2e6,
        "record": Record(series=("cwnd_segments",), points=200),
    }
    return handoff(protocol, kind, **(same | fields))


def _has_sack(protocol: str) -> bool:
    return TCPJ_PROTOCOLS[protocol][1]


# --- results, tables and their words


def _flows(design: pd.DataFrame, results: list[Result]) -> pd.DataFrame:
    """Return the flows of all results, each with the row of the design that asked for it."""
    rows = zip(design.to_dict("records"), results, strict=True)
    return pd.concat(result.flows.assign(**row) for row, result in rows)


def _lost(result: Result) -> int:
    return result.links[LOSSES].sum().sum()


def _repeated_and_lost(result: Result) -> tuple[int, int]:
    return result.flows["retransmissions"][0], _lost(result)


def _mbps(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.assign(**{"Mb/s": runs["goodput_bps"] / 1e6})


def _with_ends(gains: pd.DataFrame, digits: int, suffix: str = "") -> list[str]:
    """Word the gains with the ends of their intervals, as far as they have one."""
    columns = (gains[f"{name}{suffix}"] for name in ("gain", "low", "high"))
    return [
        f"{gain:.{digits}f}" + (f" [{low:.{digits}f}, {high:.{digits}f}]" if low == low else "")
        for gain, low, high in zip(*columns, strict=True)
    ]


def _with_halfwidth(means: pd.DataFrame, value: str, digits: int) -> list[str]:
    """Word the means of `statistics.interval` with their intervals, as far as they have one."""
    return [
        f"{mean:.{digits}f}" + (f" ± {half:.{digits}f}" if half == half else "")
        for mean, half in zip(means[value], means["halfwidth"], strict=True)
    ]


def _means(runs: pd.DataFrame, by: list[str], values: list[str], digits: int) -> pd.DataFrame:
    """Return a row a combination of the columns `by`, with worded means of the columns `values`."""
    means = {value: statistics.interval(runs, by, value) for value in values}
    table = means[values[0]][by].copy()
    for value in values:
        table[value] = _with_halfwidth(means[value], value, digits)
    return table
