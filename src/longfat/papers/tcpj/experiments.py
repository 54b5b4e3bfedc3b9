"""The experiments of the chapter on TCP-J: from its parameters to the tables behind what it shows.

A `Setting` is what the chapter's parameters come to. The functions that take one simulate; the
others calculate from a table of runs, which has a row a run, or a flow of a run. Goodputs are in
bit/s, or in Mb/s where the column says so; gains in per cent above NewReno's; intervals Student's,
of 95 %. A protocol is a key of `TCPJ_PROTOCOLS`, "Westwood, SACK" (Westwood's sender with selective
acknowledgments), or a name of the catalogue. What judges the claims is in `verdicts`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import engines, measures, papers, statistics
from longfat.errors import InputError
from longfat.papers import tcpj
from longfat.papers.tcpj.network import TCPJ_PROTOCOLS, handoff, radio, shared_wire
from longfat.result import Result, flow_table
from longfat.scenario import Ns2, Outage, Record, Scenario
from longfat.style import ENGINE_LABEL, SHORT, label
from longfat.sweeps import can_run, simulate_all, sweep

PROTOCOLS = tuple(TCPJ_PROTOCOLS)
WITH_SACK = "Westwood, SACK"
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
    ("TCP-J", "non-local", False),
    ("Westwood", "non-local", True),
)
# The senders of 2002 leave the loss of a retransmission to the timer, as RFC 6675 does. The segment
# engine finds it (RFC 8985's idea), unless it is told not to.
OF_2002 = ("lost-retransmission",)


class Leg(NamedTuple):
    """The part of an experiment that one engine makes: how often, and with which protocols."""

    engine: str
    repetitions: int
    protocols: tuple[str, ...] = PROTOCOLS
    faults: tuple[str, ...] = ()


MAIN = Leg("segment", 20, faults=OF_2002)
# How often a run is repeated. Where that left a verdict open there are as many runs as were said to
# decide it, or a few more, by what the points have: bit error rate; rate (bit/s) and round trip (s)
# of a wire, and the smoothing constant; parameter, protocol and kind of a movement.
USUAL = {
    "tcpj-random-loss": MAIN.repetitions,
    "tcpj-wires": 8,
    "tcpj-alphas": 8,
    "tcpj-estimates": 10,
    "tcpj-handoffs": 12,
    "tcpj-handoffs-varied": 6,
    "tcpj-newcomers": 10,
}
MORE_LOSSES = (({"bit_error_rate": 8e-6}, 80),)
MORE_WIRES = tuple(
    ({"rate_bps": 1.5e6, "rtt_s": rtt_s, "trio": "with TCP-J"}, 400) for rtt_s in (0.02, 0.04)
)
MORE_ALPHAS = (
    ({"rate_bps": 10e6, "rtt_s": 0.04}, 110),
    *(({"rate_bps": 1.5e6, "rtt_s": 0.1, "alpha": alpha}, 80) for alpha in (0.5, 0.9)),
)
MORE_ESTIMATES = (({"bit_error_rate": 1e-6}, 64),)
MORE_HANDOFFS = tuple(
    ({"parameter": parameter, "protocol": "Westwood", "kind": "non-local"}, 50)
    for parameter in ("new_radio_rate", "new_wired_rate")
)
MORE_NEWCOMERS = tuple(
    ({"protocol": protocol, "announced": True, "kind": "local"}, 110)
    for protocol in ("Westwood", "TCP-J")
)
# Beside it: ns-3 with our recovery, whose socket still has its faults, and the paper's own ns-2,
# which has neither Westwood nor TCP-J.
BESIDE = (Leg("ns3", 3), Leg("ns2", 10, ("NewReno", "SACK")))

OF_PROFILE: Any = None  # a default: the profile has it


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's parameters come to.

    `profile` is "paper" or "quick" and decides what is None: the bit error rates, how often each
    run is repeated, and how long it takes (s). Without `more` no point has more runs than others of
    its experiment. The radio link has `rate_bps`, and after a handoff `new_rate_bps`; `rtt_s` is
    the two-way delay of the path. Raises InputError for another profile,
    and for no repetition.
    """

    profile: str = "paper"
    more: bool = True
    rate_bps: float = 4e6
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
            "repetitions": 3 if self.quick else MAIN.repetitions,
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

    def some_seeds(self, count: int) -> range:
        """As many of the seeds, where that is less."""
        return self.seeds[:count]

    @property
    def full_bps(self) -> float:
        """Goodput of a radio link that is always busy."""
        return self.rate_bps * SEGMENT_BYTES / PACKET_BYTES

    @property
    def pipe_segments(self) -> float:
        """What the radio path holds without a queue."""
        return self.rate_bps * self.rtt_s / 8 / PACKET_BYTES

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
        return held_segments(self.new_rate_bps, self.rtt_s)

    @property
    def silences(self) -> tuple[Outage, ...]:
        """The outages of figures 5 to 8, as far as the runs last."""
        return tuple(
            Outage(start_s=start, duration_s=length)
            for start, length in ((50, 0.01), (100, 0.05), (150, 0.1))
            if start < self.duration_s
        )


def held_segments(rate_bps: float, rtt_s: float) -> float:
    """Return what a radio path and its buffer hold, segments."""
    return rate_bps * rtt_s / 8 / PACKET_BYTES + BUFFER_PACKETS


def printed_table_2() -> pd.DataFrame:
    """Return the claims of the paper's table 2, a row a cell."""
    return papers.claims("tcpj").query("where == 'table 2'")


def _with_more(
    setting: Setting, design: pd.DataFrame, more: Iterable[tuple[dict[str, Any], int]]
) -> pd.DataFrame:
    """Return a design with more seeds at some of its points, unless their number is asked for."""
    if setting.quick or not setting.more or setting.repetitions != MAIN.repetitions:
        return design
    tables = [design]
    for point, count in more:
        own = design[(design[list(point)] == list(point.values())).all(axis=1)]
        seeds = pd.DataFrame({"seed": range(int(own["seed"].max()) + 1, count + 1)})
        once = own[own["seed"] == 1].drop(columns="seed")
        tables.append(once.merge(seeds, how="cross")[design.columns])
    return pd.concat(tables, ignore_index=True)


def _simulate(
    design: pd.DataFrame, scenarios: list[Scenario], *, experiment: str, more: str
) -> list[Result]:
    """Simulate; what `_with_more` added has an archive of its own, `more`."""
    usual = int((design["seed"] <= USUAL[experiment]).sum())
    results = simulate_all(scenarios[:usual], engine="segment", experiment=experiment)
    if usual < len(scenarios):
        results += simulate_all(scenarios[usual:], engine="segment", experiment=more)
    return results


def legs(setting: Setting, *names: str) -> list[Leg]:
    """Return the main leg, with the setting's repetitions, and those beside it that this book has.

    `names` are the engines beside it.
    """
    beside = [leg for leg in BESIDE if leg.engine in names and leg.engine in engines.ENGINES]
    return [MAIN._replace(repetitions=setting.repetitions), *beside]


# --- before any simulation


def filters(ack_s: float) -> pd.DataFrame:
    """Return what the filters' poles mean on this link, a row a filter.

    An ACK comes every `ack_s` s.

    Columns: filter, a (the pole), noise_gain, cut_off (radians a sample), samples_95, T (s), and
    95 % after (s).
    """
    poles = {
        "TCP-J, 0.9": 0.9,
        "TCP-J, 0.875 (Jacobson's)": 0.875,
        "Westwood, 1 s": float(tcpj.alpha_of(ack_s, 1.0)),
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
    rates = [1e6, 2e6, 3e6, 4e6, 5e6, 6e6]
    round_trips = [0.03, 0.04, 0.06, 0.1]
    design = statistics.combinations(
        rate_bps=rates[2:5] if setting.quick else rates,
        rtt_s=round_trips[:3] if setting.quick else round_trips,
        protocol=PROTOCOLS,
        bit_error_rate=FITTED_RATES,
        seed=setting.some_seeds(3),
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
    """Return how far table 2 is from each link's, a row a link: the root mean square of its errors.

    Columns: rate_bps, rtt_s, one a protocol, and all.
    """
    link = ["rate_bps", "rtt_s"]
    by_protocol = fitted.groupby([*link, "protocol"])["error"].apply(statistics.root_mean_square)
    overall = fitted.groupby(link)["error"].apply(statistics.root_mean_square)
    return by_protocol.unstack().assign(all=overall).reset_index()


def best_links(surface: pd.DataFrame) -> pd.DataFrame:
    """Return the six best links, the best first (of `fit_surface`).

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
    """Return the runs of figure 9, a row a run: those of all engines that this machine can give.

    The main leg has all bit error rates, the others two of table 2. Columns: engine,
    bit_error_rate, protocol, seed, those of `Result.flows`, Mb/s, and loss (the probability that a
    packet loses a bit).
    """
    archives = {
        "segment": "tcpj-random-loss",
        "ns3": "tcpj-random-loss-ns3",
        "ns2": "tcpj-random-loss-ns2",
    }
    parts = []
    for leg in legs(setting, "ns3", "ns2"):
        main = leg.engine == "segment"
        rates = setting.bit_error_rates if main else [1e-6, 4e-6]
        design = statistics.combinations(
            bit_error_rate=rates,
            protocol=leg.protocols,
            seed=setting.some_seeds(leg.repetitions),
        )
        usual = len(design)
        if main:
            design = _with_more(setting, design, MORE_LOSSES)
        scenarios = [
            _radio(
                setting,
                run.protocol,
                bit_error_rate=run.bit_error_rate,
                seed=run.seed,
                faults=leg.faults,
            )
            for run in design.itertuples()
        ]
        if main or can_run(scenarios, leg.engine):
            name = archives[leg.engine]
            known = {"engine": leg.engine, "experiment": name, "labels": design[:usual]}
            runs = [sweep(scenarios[:usual], **known)]
            if usual < len(design):
                more = {"experiment": "tcpj-random-loss-more", "labels": design[usual:]}
                runs.append(sweep(scenarios[usual:], **known | more))
            parts.append(pd.concat(runs).assign(engine=leg.engine))
    runs = _mbps(pd.concat(parts, ignore_index=True))
    runs["loss"] = tcpj.segment_loss(runs["bit_error_rate"].to_numpy(), PACKET_BYTES)
    return runs


def ns2_pipes(setting: Setting, random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return SACK on the segment engine, on ns-2, and on ns-2 with another count of the pipe.

    When a recovery begins, ns-2's SACK sender counts the lost segment and those of limited transmit
    as in flight; `Ns2.pipe_of_window` takes the window instead. Columns: bit error rate, the three
    goodputs (Mb/s, as text with intervals), and closed (%, the part of the difference between the
    first two that is gone with the third). Empty where ns-2's runs are not here.
    """
    own = random_loss[(random_loss["protocol"] == "SACK")]
    here = own[own["engine"] == "ns2"]
    columns = ["bit error rate", "segment engine", "ns-2", "ns-2, the window's pipe", "closed (%)"]
    if here.empty:
        return pd.DataFrame(columns=columns)
    design = here[["bit_error_rate", "seed"]].reset_index(drop=True)
    scenarios = [
        _radio(setting, "SACK", bit_error_rate=run.bit_error_rate, seed=run.seed, faults=()).with_(
            ns2=Ns2(pipe_of_window=True)
        )
        for run in design.itertuples()
    ]
    if not can_run(scenarios, "ns2"):
        return pd.DataFrame(columns=columns)
    other = _mbps(sweep(scenarios, engine="ns2", experiment="tcpj-ns2-pipe", labels=design))
    rows = []
    for rate, runs in other.groupby("bit_error_rate"):
        groups = [on(own), here, runs]
        means = [
            statistics.mean(group.loc[group["bit_error_rate"] == rate, "Mb/s"]) for group in groups
        ]
        a, b, c = (found["measured"] for found in means)
        words = [
            f"{found['measured']:.2f} [{found['low']:.2f}, {found['high']:.2f}]" for found in means
        ]
        rows.append([rate, *words, 100 * (c - b) / (a - b)])
    return pd.DataFrame(rows, columns=columns)


def on(runs: pd.DataFrame, engine: str = "segment") -> pd.DataFrame:
    """Return the runs of one engine."""
    return runs[runs["engine"] == engine]


def table_2(random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return table 2 by runs of one engine, a row a cell of which there are runs.

    Columns: bit_error_rate, protocol, gain with its intervals (see `statistics.gains`), printed,
    and error (the difference of the logarithms).
    """
    gains = statistics.gains(random_loss, "NewReno", ["bit_error_rate"])
    return statistics.distance(gains, printed_table_2(), ["protocol", "bit_error_rate"])


def worded_table_2(table: pd.DataFrame) -> pd.DataFrame:
    """Return table 2 in words, with intervals; a star marks the error rates of the fit.

    Columns: protocol, bit error rate, printed, ours, one run.
    """
    table = table.sort_values(["protocol", "bit_error_rate"])
    return pd.DataFrame(
        {
            "protocol": table["protocol"],
            "bit error rate": [
                f"{rate:g}" + (" *" if rate in FITTED_RATES else "")
                for rate in table["bit_error_rate"]
            ],
            "printed": table["printed"],
            "ours": _with_ends(table, 0),
            "one run": [
                f"{row.one_low:.0f} to {row.one_high:.0f}" if row.repetitions > 1 else "–"
                for row in table.itertuples()
            ],
        }
    )


def wide_table_2(table: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's table 2 and ours as rows, a column a bit error rate, in per cent."""
    rows = []
    for name in PROTOCOLS[1:]:
        own = table[table["protocol"] == name].set_index("bit_error_rate")
        paper, ours = own["printed"].map("{:g}".format), own["gain"].map("{:.0f}".format)
        rows += [
            {"protocol": name, "": "paper"} | paper.to_dict(),
            {"protocol": name, "": "ours"} | ours.to_dict(),
        ]
    return pd.DataFrame(rows).rename(columns=lambda c: f"{c:g}" if isinstance(c, float) else c)


def fit_quality(table: pd.DataFrame) -> pd.DataFrame:
    """Return how far our table 2 is from the paper's: the root mean square of its errors.

    A row each for the error rates that the fit has seen, for the others, and for those if the
    paper's Westwood at 4e-6 is read as 115 % and not as 15 %. Columns: error rates, and one a
    protocol.
    """
    seen = table["bit_error_rate"].isin(FITTED_RATES)
    doubtful = (table["protocol"] == "Westwood") & (table["bit_error_rate"] == 4e-6)
    other = table.assign(
        error=table["error"].where(~doubtful, np.log1p(table["gain"] / 100) - np.log(2.15))
    )
    rows = {
        "fitted": table[seen],
        "predicted": table[~seen],
        "predicted, 115 % for 15 %": other[~seen],
    }
    quality: dict[str, list] = {"error rates": list(rows)}
    for name in PROTOCOLS[1:]:
        quality[name] = [
            statistics.root_mean_square(part.loc[part["protocol"] == name, "error"])
            for part in rows.values()
        ]
    return pd.DataFrame(quality)


def engines_beside(random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return the goodput (Mb/s) of each engine's runs, worded with intervals.

    Columns: bit_error_rate, protocol, and one an engine, as people call it.
    """
    by = ["bit_error_rate", "protocol", "engine"]
    means = statistics.interval(random_loss, by, "Mb/s")
    means["text"] = _with_halfwidth(means, "Mb/s", 2)
    wide = means.pivot(index=by[:2], columns="engine", values="text")
    names = [leg.engine for leg in (MAIN, *BESIDE) if leg.engine in wide]
    several = wide[names].notna().sum(axis=1) > min(1, len(names) - 1)
    return wide.loc[several, names].rename(columns=ENGINE_LABEL).reset_index().fillna("–")


# --- what the assumptions change


class Variant(NamedTuple):
    """One unstated parameter with another value.

    Its name in parameters.csv, the value in words, what that changes (`fields` of the scenario's
    flows or network, and faults), for whom, and whether at all error rates of table 2, or only at
    those that were not fitted.
    """

    parameter: str
    setting: str
    fields: dict[str, Any]
    protocols: tuple[str, ...] = PROTOCOLS
    faults: tuple[str, ...] = OF_2002
    everywhere: bool = False
    repetitions: int = 8


OF_RUN = object()  # a value that depends on the run: its error rate, or the radio link's rate
_TWO = ("NewReno", "Westwood")  # without SACK
_TICK, _SHORT, _LONG = ({"rtt_tick_s": 0.1}, {"time_constant_s": 0.25}, {"time_constant_s": 4.0})
VARIANTS = (
    Variant("lost_retransmission", "detected", {}, ("SACK", "TCP-J"), (), True),
    Variant(
        "limited_transmit", "off without SACK", {"limited_transmit": False}, _TWO, everywhere=True
    ),
    Variant("westwood_base", "with SACK", {"sack": True}, ("Westwood",), everywhere=True),
    Variant(  # eight runs leave open where TCP-J gains most
        "rtt_tick",
        "0.1 s",
        {"parameters": _TICK},
        ("Westwood", "TCP-J"),
        everywhere=True,
        repetitions=20,
    ),
    Variant("recovery", "proportional rate reduction", {"recovery": "prr"}),
    Variant("min_rto", "0.5 s", {"min_rto_s": 0.5}),
    Variant("time_constant", "0.25 s", {"parameters": _SHORT}, ("Westwood",)),
    Variant("time_constant", "4 s", {"parameters": _LONG}, ("Westwood",)),
    Variant("initial_ssthresh", "none", {"initial_ssthresh_segments": None}, ("TCP-J",)),
    Variant("loss_direction", "both ways", {"ack_bit_error_rate": OF_RUN}),
    Variant("wired_rate", "that of the radio link", {"wired_bps": OF_RUN}),
    Variant("radio_rate", "3 Mb/s", {"rate_bps": 3e6}),
    Variant("radio_rate", "5 Mb/s", {"rate_bps": 5e6}),
    Variant("rtt", "30 ms, with 5 Mb/s", {"rate_bps": 5e6, "rtt_s": 0.03}),
    Variant("rtt", "60 ms, with 2 Mb/s", {"rate_bps": 2e6, "rtt_s": 0.06}),
)
SOME_RATES = (1e-7, 4e-7, 1e-6, 4e-6)  # those of table 2 that were not fitted


def varied(setting: Setting, random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return random losses with one assumption changed at a time: `VARIANTS`, eight runs or more.

    A protocol that a variant leaves alone has its runs of `random_loss`, which come as a variant of
    their own too, with an empty parameter. Columns: parameter, setting, bit_error_rate, protocol,
    seed, goodput_bps.
    """
    printed = printed_table_2()["bit_error_rate"].unique()
    rates = [rate for rate in setting.bit_error_rates if rate in printed]
    plans, scenarios = [], []
    for variant in VARIANTS:
        design = statistics.combinations(
            bit_error_rate=[rate for rate in rates if variant.everywhere or rate in SOME_RATES],
            protocol=variant.protocols,
            seed=setting.some_seeds(variant.repetitions),
        )
        plans.append(design.assign(parameter=variant.parameter, setting=variant.setting))
        for run in design.itertuples():
            given = {"ack_bit_error_rate": run.bit_error_rate, "wired_bps": setting.rate_bps}
            fields = {
                name: given[name] if value is OF_RUN else value
                for name, value in variant.fields.items()
            }
            scenarios.append(
                _radio(
                    setting,
                    run.protocol,
                    bit_error_rate=run.bit_error_rate,
                    seed=run.seed,
                    faults=variant.faults,
                    **fields,
                )
            )
    design = pd.concat(plans, ignore_index=True)
    runs = sweep(scenarios, engine="segment", experiment="tcpj-varied", labels=design)
    base = on(random_loss)
    base = base[base["bit_error_rate"].isin(rates)]
    parts = [base[base["seed"].isin(setting.some_seeds(8))].assign(parameter="", setting="")]
    for variant in VARIANTS:
        names = {"parameter": variant.parameter, "setting": variant.setting}
        own = runs[(runs["parameter"] == variant.parameter) & (runs["setting"] == variant.setting)]
        other = base[base["seed"].isin(setting.some_seeds(variant.repetitions))]
        other = other[~other["protocol"].isin(variant.protocols)]
        other = other[variant.everywhere | other["bit_error_rate"].isin(SOME_RATES)]
        parts += [own, other.assign(**names)]
    columns = ["parameter", "setting", "bit_error_rate", "protocol", "seed", "goodput_bps"]
    return pd.concat(parts, ignore_index=True)[columns]


def varied_gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the gains with one assumption changed, in per cent, below the paper's.

    A row a variant; columns: what is varied, and one a protocol at 1e-6 and 4e-6.
    """
    shown = runs[runs["bit_error_rate"].isin([1e-6, 4e-6])]
    gains = statistics.gains(shown, "NewReno", ["parameter", "setting", "bit_error_rate"])
    gains["case"] = [f"{row.protocol}, {row.bit_error_rate:g}" for row in gains.itertuples()]
    gains["text"] = _with_ends(gains, 0)
    table = gains.pivot(index=["parameter", "setting"], columns="case", values="text")
    order = [("", ""), *((variant.parameter, variant.setting) for variant in VARIANTS)]
    table = table.loc[order].reset_index()
    words = table["parameter"].map(label) + ": " + table["setting"]
    table.insert(0, "what is varied", words.where(table["parameter"] != "", "nothing"))
    table = table.drop(columns=["parameter", "setting"])
    paper = papers.table("tcpj", 2)
    cases = [case.split(", ") for case in table.columns[1:]]
    printed = [f"{paper.at[protocol, float(rate)]:g}" for protocol, rate in cases]
    first = pd.DataFrame([["the paper", *printed]], columns=table.columns)
    return pd.concat([first, table], ignore_index=True)


def keeping(setting: Setting, random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return senders with SACK that do not reduce their window at a loss, beside SACK: ten runs.

    That is standard TCP's growth and no decrease at all (General AIMD with b = 0): after a timeout
    it begins again with one segment. Columns: bit_error_rate, protocol, seed, goodput_bps.
    """
    rates = [rate for rate in (1e-6, 4e-6) if rate in setting.bit_error_rates]
    design = statistics.combinations(
        bit_error_rate=rates, protocol=["keeps its window"], seed=setting.some_seeds(10)
    )
    scenarios = [
        _radio(
            setting,
            "gaimd",
            bit_error_rate=run.bit_error_rate,
            seed=run.seed,
            parameters={"decrease": 0.0},
        )
        for run in design.itertuples()
    ]
    runs = sweep(scenarios, engine="segment", experiment="tcpj-keep", labels=design)
    base = on(random_loss)
    base = base[base["bit_error_rate"].isin(rates) & base["seed"].isin(design["seed"])]
    columns = ["bit_error_rate", "protocol", "seed", "goodput_bps"]
    return pd.concat([runs[columns], base[columns]], ignore_index=True)


def anatomy(setting: Setting) -> dict[str, pd.DataFrame]:
    """Return the windows of NewReno and TCP-J in the first 20 s of a lossy radio link.

    By protocol: time_s, cwnd_segments and ssthresh_segments, a row every 50 ms.
    """
    names, duration_s = ("NewReno", "TCP-J"), 20.0
    series = ("cwnd_segments", "ssthresh_segments")
    scenarios = [
        _radio(
            setting,
            name,
            bit_error_rate=2e-6,
            duration_s=duration_s,
            record=Record(series=series, points=400),
        )
        for name in names
    ]
    results = simulate_all(scenarios, engine="segment", experiment="tcpj-anatomy")
    times = np.arange(0.05, duration_s + 1e-9, 0.05)
    return {
        name: pd.DataFrame(
            {"time_s": times}
            | {one: measures.held_at(result.traces[one], one, times) for one in series}
        )
        for name, result in zip(names, results, strict=True)
    }


# --- a shared wire: figure 3


class Wire(NamedTuple):
    """Runs of figure 2's network.

    `flows` has a row a flow of a run: engine, trio (a key of `TRIOS`), rate_bps, rtt_s, seed, those
    of `Result.flows`, and estimate (TCP-J's mean estimate over its goodput, where it was recorded);
    `trace` is the delivered_bytes of the first run with TCP-J.
    """

    flows: pd.DataFrame
    trace: pd.DataFrame


def wire(setting: Setting) -> Wire:
    """Return runs of three flows on one wire, with TCP-J and with a second SACK in its place."""
    counted = Record(series=("delivered_bytes",), points=200)
    archives = {"segment": "tcpj-wire", "ns3": "tcpj-wire-ns3"}
    tables, trace = [], pd.DataFrame()
    for leg in legs(setting, "ns3"):
        seeds = setting.some_seeds(leg.repetitions)
        design = statistics.combinations(trio=list(TRIOS), seed=seeds)
        design = design.assign(rate_bps=setting.rate_bps, rtt_s=setting.rtt_s, engine=leg.engine)
        scenarios = [
            _wire(
                setting,
                run.trio,
                seed=run.seed,
                faults=leg.faults,
                record=counted
                if leg.engine == "segment" and run.seed == 1 and run.trio == "with TCP-J"
                else None,
            )
            for run in design.itertuples()
        ]
        if leg.engine == "segment" or can_run(scenarios, leg.engine):
            results = simulate_all(scenarios, leg.engine, experiment=archives[leg.engine])
            tables.append(_flows(design, results))
            if leg.engine == "segment":
                trace = results[0].traces["delivered_bytes"]
    return Wire(pd.concat(tables, ignore_index=True), trace)


def wires(setting: Setting) -> pd.DataFrame:
    """Return three flows on wires of other rates and round trips: what the lost sketch may have.

    As `Wire.flows`. Eight runs each, of which the estimates are recorded, and more where these
    leave open whether all share equally (`MORE_WIRES`).
    """
    rates = [1.5e6, 4e6, 10e6] if setting.quick else [1.5e6, 4e6, 6e6, 10e6]
    design = statistics.combinations(
        rate_bps=rates,
        rtt_s=[0.02, 0.04, 0.1],
        trio=list(TRIOS),
        seed=setting.some_seeds(USUAL["tcpj-wires"]),
    ).assign(engine="segment")
    design = _with_more(setting, design, MORE_WIRES)
    design["recorded"] = (design["trio"] == "with TCP-J") & (design["seed"] <= USUAL["tcpj-wires"])
    estimated = Record(series=("bandwidth_bps",), points=40)
    scenarios = [
        _wire(
            setting,
            run.trio,
            seed=run.seed,
            rate_bps=run.rate_bps,
            rtt_s=run.rtt_s,
            record=estimated if run.recorded else None,
        )
        for run in design.itertuples()
    ]
    results = _simulate(design, scenarios, experiment="tcpj-wires", more="tcpj-wires-more")
    flows = _flows(design.drop(columns="recorded"), results)
    estimate = {}
    for run, result in zip(design.itertuples(), results, strict=True):
        if run.recorded:
            trace = result.traces["bandwidth_bps"]
            settled = trace.loc[trace["time_s"] > setting.duration_s / 10, "bandwidth_bps"].mean()
            own = result.flows.set_index("flow").at["TCP-J 2", "goodput_bps"]
            estimate[run.rate_bps, run.rtt_s, run.seed] = settled / own
    keys = zip(flows["rate_bps"], flows["rtt_s"], flows["seed"], strict=True)
    flows["estimate"] = [estimate.get(key, np.nan) for key in keys]
    return flows


def sharing(flows: pd.DataFrame) -> measures.Shares:
    """Return how the flows of `Wire` with TCP-J share, each under its protocol's name."""
    split = measures.shares(on(flows)[on(flows)["trio"] == "with TCP-J"], "flow")
    return split._replace(table=split.table.assign(flow=split.table["flow"].str.split().str[0]))


def plane(flows: pd.DataFrame) -> pd.DataFrame:
    """Return what TCP-J gets and does on each of the `wires`, means of the runs.

    Columns: rate_bps, rtt_s, share (of the sum), harm (what NewReno and SACK lose together beside
    it, against beside a second SACK, in per cent), estimate (over its goodput), pipe (segments).
    """
    link = ["rate_bps", "rtt_s"]
    own = flows[flows["trio"] == "with TCP-J"]
    total = own.groupby([*link, "seed"])["goodput_bps"].transform("sum")
    own = own.assign(share=own["goodput_bps"] / total)
    table = own[own["flow"] == "TCP-J 2"].groupby(link)[["share", "estimate"]].mean()
    rates = standard(flows, link)
    harm = measures.harm(rates["with SACK"], rates["with TCP-J"])
    table["harm"] = 100 * pd.Series(harm, rates.index).groupby(link).mean()
    table = table.reset_index()
    table["pipe"] = table["rate_bps"] * table["rtt_s"] / 8 / PACKET_BYTES
    return table


def standard(flows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return what NewReno and the first SACK get together, a row a run, a column a trio (bit/s)."""
    rows = flows[flows["flow"].isin(["NewReno 0", "SACK 1"])]
    return rows.groupby([*by, "seed", "trio"])["goodput_bps"].sum().unstack()


def alphas(setting: Setting) -> pd.DataFrame:
    """Return TCP-J's share by its smoothing constant on three wires, a row a run.

    Eight runs each, and more where these leave a verdict open (`MORE_ALPHAS`).

    Columns: rate_bps, rtt_s, alpha, seed, those of `Result.flows`, and off: how far its share is
    from a third of the sum, in per cent of a third.
    """
    links = [(setting.rate_bps, setting.rtt_s), (10e6, 0.04), (1.5e6, 0.1)]
    design = statistics.combinations(
        link=range(len(links)),
        alpha=[0.5, 0.875, 0.9, 0.99],
        seed=setting.some_seeds(USUAL["tcpj-alphas"]),
    )
    design[["rate_bps", "rtt_s"]] = [links[i] for i in design.pop("link")]
    design = _with_more(setting, design, MORE_ALPHAS)
    scenarios = [
        _wire(
            setting,
            "with TCP-J",
            seed=run.seed,
            rate_bps=run.rate_bps,
            rtt_s=run.rtt_s,
            parameters={"TCP-J": {"alpha": run.alpha}},
        )
        for run in design.itertuples()
    ]
    results = _simulate(design, scenarios, experiment="tcpj-alphas", more="tcpj-alphas-more")
    runs = _flows(design, results)
    total = runs.groupby(["rate_bps", "rtt_s", "alpha", "seed"])["goodput_bps"].transform("sum")
    runs["off"] = 300 * runs["goodput_bps"] / total - 100
    return runs[runs["flow"] == "TCP-J 2"]


# --- the estimates: figures 5 to 8


class Estimates(NamedTuple):
    """Runs of figures 5 to 8.

    `runs` has a row a run: bit_error_rate, protocol, seed, bias, error and variation (see
    `measures.estimate_error`), and lowest: the lowest estimate in the 3 s after an outage, in %
    of the link's rate (missing without one). `curves` are of the first seed, by protocol and bit
    error rate: time_s, truth and estimate (Mb/s), a row a second.
    """

    runs: pd.DataFrame
    curves: dict[tuple[str, float], pd.DataFrame]


def estimates(setting: Setting) -> Estimates:
    """Return runs in which the link is silent three times, the estimates beside the throughput.

    Ten runs each, five where hardly anything scatters, and more where they leave a verdict open.
    """
    design = statistics.combinations(
        bit_error_rate=[1e-8, 1e-6],
        protocol=["TCP-J", "Westwood"],
        seed=setting.some_seeds(USUAL["tcpj-estimates"]),
    )
    design = design[(design["bit_error_rate"] > 1e-7) | (design["seed"] <= 5)]
    design = design.reset_index(drop=True)  # hardly anything scatters at 1e-8
    design = _with_more(setting, design, MORE_ESTIMATES)
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
    results = _simulate(design, scenarios, experiment="tcpj-estimates", more="tcpj-estimates-more")
    times = np.arange(0.0, setting.duration_s + 1)
    errors = pd.DataFrame(
        measures.estimate_error(
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
        measures.held_at(trace, "bandwidth_bps", silence.start_s + np.arange(4)).min()
        for silence in silences
    ]
    return min(held, default=np.nan)


def _curve(result: Result, times: np.ndarray) -> pd.DataFrame:
    truth = measures.true_throughput(result.traces["delivered_bytes"], times)
    estimate = measures.held_at(result.traces["bandwidth_bps"], "bandwidth_bps", times)
    return pd.DataFrame({"time_s": times[1:], "truth": truth / 1e6, "estimate": estimate[1:] / 1e6})


def estimate_errors(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far the estimates are from the throughput, with intervals.

    Of the runs of `Estimates`.

    Columns: bit_error_rate, protocol, bias, error, variation.
    """
    measures = ["bias", "error", "variation"]
    return _means(runs, ["bit_error_rate", "protocol"], measures, 3)


# --- outages: figure 10


def outages(setting: Setting) -> pd.DataFrame:
    """Return transfers of 10 s with one outage, a row a run.

    The outage begins between 3 and 5 s, at a time drawn from the seed and so the same for all.
    Beside the paper's protocols stands Westwood with SACK, which has TCP-J's recovery and Tustin's
    filter. Columns: outage_s, protocol, seed, those of `Result.flows`, and Mb/s.
    """
    design = statistics.combinations(
        outage_s=[0.01, 0.05, 0.1, 0.3, 1.0],
        protocol=[*PROTOCOLS, WITH_SACK],
        seed=setting.some_seeds(12),
    )
    scenarios = [
        _radio(
            setting,
            run.protocol,
            bit_error_rate=1e-8,
            seed=run.seed,
            duration_s=10,
            outages=(
                Outage(
                    start_s=round(np.random.default_rng(run.seed).uniform(3, 5), 6),
                    duration_s=run.outage_s,
                ),
            ),
        )
        for run in design.itertuples()
    ]
    return _mbps(sweep(scenarios, engine="segment", experiment="tcpj-outages", labels=design))


# --- handoffs: figures 12 to 16

# What of the lost sketches is varied: the name in parameters.csv, the value in words, the fields.
MOVE_VARIANTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("new_radio_rate", "0.5 Mb/s", {"new_rate_bps": 0.5e6}),
    ("new_wired_rate", "0.5 Mb/s", {"new_wired_bps": 0.5e6}),
    ("ber_handoff", "1e-6", {"bit_error_rate": 1e-6}),
)


# The windows that a figure shows, and those of which means are taken.
_drawn = Record(series=("cwnd_segments",), points=200)
_counted = Record(series=("cwnd_segments",), points=100)


class Handoffs(NamedTuple):
    """Runs of figures 12 to 16.

    `runs` has a row a run: parameter and setting (empty: the base), protocol, kind, announced,
    seed, label (the protocol, and whether it is not told), those of `Result.flows`, held (what pipe
    and buffer of the new link hold), before, settled and first 10 s: the mean window in the fifth
    of the run before the movement, from 5 s after it on, and the largest of the first 10 s
    (segments). `windows` are of the first seed, by label and kind: time_s and
    cwnd_segments, a row a second.
    """

    runs: pd.DataFrame
    windows: dict[tuple[str, str], pd.DataFrame]


def handoffs(setting: Setting) -> Handoffs:
    """Return movements to a slower radio link, half-way through the run.

    Those of `MOVES`.

    Twelve runs each; six of TCP-J and Westwood with each of `MOVE_VARIANTS`, and of all with
    another error rate; more of Westwood where these leave a verdict open (`MORE_HANDOFFS`).
    """
    moves = pd.DataFrame(MOVES, columns=["protocol", "kind", "announced"])
    pair = moves[moves["announced"] & moves["protocol"].isin(["TCP-J", "Westwood"])]
    columns = ["parameter", "setting", "fields"]
    variants = pd.DataFrame(MOVE_VARIANTS, columns=columns)
    of_all = variants["parameter"] == "ber_handoff"
    base = pd.DataFrame([("", "", {})], columns=columns)
    tables: list[pd.DataFrame] = []
    first: dict[tuple[str, str], pd.DataFrame] = {}
    varied = [(pair, variants[~of_all]), (moves, variants[of_all])]
    for experiment, more, plans in (
        ("tcpj-handoffs", "", [(moves, base)]),
        ("tcpj-handoffs-varied", "tcpj-handoffs-varied-more", varied),
    ):
        seeds = pd.DataFrame({"seed": setting.some_seeds(USUAL[experiment])})
        design = pd.concat(
            [
                chosen.merge(seeds, how="cross").merge(changes, how="cross")
                for chosen, changes in plans
            ],
            ignore_index=True,
        )
        if more:
            design = _with_more(setting, design, MORE_HANDOFFS)
        scenarios = [
            _handoff(
                setting,
                run.protocol,
                run.kind,
                announced=run.announced,
                seed=run.seed,
                record=_drawn if run.seed == 1 and not run.fields else _counted,
                **run.fields,
            )
            for run in design.itertuples()
        ]
        results = _simulate(design, scenarios, experiment=experiment, more=more)
        table, windows = _windows(setting, design.drop(columns="fields"), results)
        first = first or windows
        table["held"] = [_held(setting, run.kind, **run.fields) for run in design.itertuples()]
        tables.append(table)
    return Handoffs(pd.concat(tables, ignore_index=True), first)


def _held(setting: Setting, kind: str, **fields) -> float:
    """Return what the new path and its buffer hold, where these fields are other ones."""
    rate_bps = fields.get("new_rate_bps", setting.new_rate_bps)
    if kind == "non-local":
        rate_bps = min(rate_bps, fields.get("new_wired_bps", np.inf))
    return held_segments(rate_bps, fields.get("rtt_s", setting.rtt_s))


def _windows(setting: Setting, design: pd.DataFrame, results: list[Result]):
    """Return the table of `Handoffs.runs` for some of them, and the windows of the first seed."""
    seconds = np.arange(0.5, setting.duration_s)
    since = seconds - setting.handoff_at_s
    windows = np.array(
        [
            measures.held_at(result.traces["cwnd_segments"], "cwnd_segments", seconds)
            for result in results
        ]
    )
    flows = pd.concat([result.flows for result in results], ignore_index=True)
    runs = design.reset_index(drop=True).join(flows)
    fifth = setting.duration_s / 5
    for name, part in (("before", (since < 0) & (since > -fifth)), ("settled", since > 5)):
        runs[name] = windows[:, part].mean(axis=1) if part.any() else np.nan
    runs["first 10 s"] = windows[:, (since > 0) & (since < 10)].max(axis=1)
    runs["label"] = runs["protocol"].where(runs["announced"], runs["protocol"] + ", not announced")
    first = {
        (run.label, run.kind): pd.DataFrame({"time_s": seconds, "cwnd_segments": window})
        for run, window in zip(runs.itertuples(), windows, strict=True)
        if run.seed == 1
    }
    return runs, first


def handoff_windows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean windows before and after a movement, with their intervals.

    Of the main runs of `Handoffs`.

    Columns: movement, sender, before, after, first 10 s (segments), Mb/s.
    """
    base = runs[runs["parameter"] == ""]
    values = ["before", "settled", "first 10 s", "Mb/s"]
    table = _means(_mbps(base), ["kind", "label"], values, 1)
    table["Mb/s"] = _means(_mbps(base), ["kind", "label"], ["Mb/s"], 2)["Mb/s"]
    return table.rename(columns={"kind": "movement", "label": "sender", "settled": "after"})


NEWCOMERS = (  # protocol, whether the new rate is announced
    ("SACK", True),
    ("Westwood", True),
    ("TCP-J", True),
    ("TCP-J", False),
)


def newcomers(setting: Setting) -> pd.DataFrame:
    """Return what a SACK flow, which is on the new radio link already, gets after a movement.

    Ten runs for each of `NEWCOMERS` and each kind of movement, and more where these leave a verdict
    open (`MORE_NEWCOMERS`), a row a run. Columns: label (the newcomer, and whether it is not told),
    kind, seed; resident and newcomer (Mb/s, from the movement to the end).
    """
    design = statistics.combinations(
        who=range(len(NEWCOMERS)),
        kind=["local", "non-local"],
        seed=setting.some_seeds(USUAL["tcpj-newcomers"]),
    )
    design[["protocol", "announced"]] = [NEWCOMERS[i] for i in design.pop("who")]
    design = _with_more(setting, design, MORE_NEWCOMERS)
    scenarios = [
        _handoff(
            setting,
            run.protocol,
            run.kind,
            announced=run.announced,
            beside="SACK",
            seed=run.seed,
            record=Record(series=("delivered_bytes",), points=20),
        )
        for run in design.itertuples()
    ]
    results = _simulate(design, scenarios, experiment="tcpj-newcomers", more="tcpj-newcomers-more")
    ends = np.array([setting.handoff_at_s, setting.duration_s + 1e-6])
    for column, number in (("newcomer", 0), ("resident", 1)):
        rates = []
        for result in results:
            trace = result.traces["delivered_bytes"]
            own = trace[trace["flow"] == result.flows["flow"][number]]
            rates.append(measures.true_throughput(own, ends)[0] / 1e6)
        design[column] = rates
    told = design["protocol"].where(design["announced"], design["protocol"] + ", not announced")
    return design.assign(label=told)


def worded_newcomers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what both get after a movement (means of `newcomers`).

    Columns: movement, who arrives, and both goodputs (Mb/s, as text).
    """
    table = _means(runs, ["kind", "label"], ["resident", "newcomer"], 3)
    names = {"kind": "movement", "label": "who arrives", "resident": "the SACK flow (Mb/s)"}
    return table.rename(columns=names | {"newcomer": "who arrives (Mb/s)"})


# --- beyond the paper


def todays_senders(setting: Setting) -> pd.DataFrame:
    """Return random losses with today's senders and three of the paper's, five runs each.

    All without the limits of 2002: a lost retransmission is found. Columns: bit_error_rate,
    protocol, seed, those of `Result.flows`, and Mb/s.
    """
    design = statistics.combinations(
        bit_error_rate=[1e-7, 1e-6, 4e-6, 1e-5],
        protocol=["NewReno", "Westwood", "TCP-J", *MODERN],
        seed=setting.some_seeds(5),
    )
    scenarios = [
        _radio(setting, run.protocol, bit_error_rate=run.bit_error_rate, seed=run.seed, faults=())
        for run in design.itertuples()
    ]
    return _mbps(sweep(scenarios, engine="segment", experiment="tcpj-today", labels=design))


def stacks(setting: Setting) -> pd.DataFrame:
    """Return Reno and Westwood+ on Linux and on the segment engine, where there are runs of both.

    A radio link of 3 Mb/s, 60 s, with what Linux always does: SACK, timestamps, proportional rate
    reduction. On the segment engine Westwood+ also counts as Linux 6.12 does. Goodput (Mb/s) worded
    with its interval; columns: engine, sender, and one a bit error rate.
    """
    as_linux = "westwood-plus, as Linux"
    parts = []
    for engine, experiment in (("segment", "tcpj-stacks"), ("linux", "tcpj-linux")):
        names = ["reno", "westwood-plus", *([as_linux] if engine == "segment" else [])]
        design = statistics.combinations(
            bit_error_rate=[1e-7, 1e-6, 4e-6], sender=names, seed=[1, 2, 3]
        ).assign(engine=engine)
        scenarios = [
            _radio(
                setting,
                run.sender.split(",")[0],
                bit_error_rate=run.bit_error_rate,
                rate_bps=3e6,
                seed=run.seed,
                duration_s=60,
                recovery="prr",
                timestamps=True,
                sack=True,
                initial_ssthresh_segments=None,
                parameters={"as_linux_6_12": True} if run.sender == as_linux else None,
                faults=(),
            )
            for run in design.itertuples()
        ]
        if can_run(scenarios, engine):
            parts.append(sweep(scenarios, engine=engine, experiment=experiment, labels=design))
    if not parts:
        return pd.DataFrame(columns=["engine", "sender"])
    by = ["bit_error_rate", "engine", "sender"]
    means = statistics.interval(_mbps(pd.concat(parts)), by, "Mb/s")
    means["text"] = _with_halfwidth(means, "Mb/s", 2)
    table = means.pivot(index=["engine", "sender"], columns="bit_error_rate", values="text")
    named = table.rename(columns="{:g}".format).reset_index()
    senders = {"reno": SHORT["reno"], "westwood-plus": SHORT["westwood-plus"]}
    senders[as_linux] = f"{SHORT['westwood-plus']}, as Linux"
    return named.replace({"engine": ENGINE_LABEL, "sender": senders})


def several_flows(setting: Setting) -> pd.DataFrame:
    """Return four flows of one protocol on one radio link, means of five runs.

    Columns: bit_error_rate, protocol, sum (Mb/s), smallest / largest (goodput), overflows per 1000
    (segments sent).
    """
    design = statistics.combinations(
        protocol=PROTOCOLS, bit_error_rate=[1e-7, 1e-6], seed=setting.some_seeds(5)
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


# --- the networks with the setting's link


def _radio(
    setting: Setting, protocol: str, *more: str, faults: tuple[str, ...] = OF_2002, **fields
) -> Scenario:
    """Figure 4's network: with the setting's link and duration, unless `fields` say otherwise."""
    same = {"rate_bps": setting.rate_bps, "rtt_s": setting.rtt_s, "duration_s": setting.duration_s}
    if protocol == WITH_SACK:
        protocol, fields = "Westwood", {"sack": True} | fields
    return radio(protocol, *more, **(same | fields)).with_(faults=faults)


def _wire(setting: Setting, trio: str, faults: tuple[str, ...] = OF_2002, **fields) -> Scenario:
    """Figure 2's network with the flows of `TRIOS`, at the rate of the radio link."""
    same = {"rate_bps": setting.rate_bps, "rtt_s": setting.rtt_s, "duration_s": setting.duration_s}
    return shared_wire(*TRIOS[trio], **(same | fields)).with_(faults=faults)


def _handoff(
    setting: Setting, protocol: str, kind: str, faults: tuple[str, ...] = OF_2002, **fields
) -> Scenario:
    """The networks of figures 11 and 14, with table 3's cost, at half of the setting's duration."""
    same: dict[str, Any] = {
        "rate_bps": setting.rate_bps,
        "rtt_s": setting.rtt_s,
        "new_rate_bps": setting.new_rate_bps,
        "cost_s": {"local": 0.09, "non-local": 0.12}[kind],
        "new_wired_bps": 100e6 if kind == "local" else 2e6,
        "at_s": setting.handoff_at_s,
        "duration_s": setting.duration_s,
        "record": Record(series=("cwnd_segments",), points=200),
    }
    if kind == "local":  # the wire stays
        fields.pop("new_wired_bps", None)
    return handoff(protocol, kind, **(same | fields)).with_(faults=faults)


# --- results, tables and their words


def _flows(design: pd.DataFrame, results: list[Result]) -> pd.DataFrame:
    """Return the flows of all results, each with the row of the design that asked for it."""
    rows = [result.flow_rows() for result in results]
    asked_for = design.loc[design.index.repeat([len(own) for own in rows])]
    flows = flow_table([row for own in rows for row in own])
    return flows.join(asked_for.reset_index(drop=True))


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
