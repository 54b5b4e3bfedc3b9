"""What came of TCP-J's runs: the data of the chapter's figures and tables.

Goodputs are in bit/s, or in Mb/s where the column says so; gains in per cent above NewReno's;
intervals Student's, of 95 %.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, papers, statistics
from longfat.experiment import Runs
from longfat.papers import tcpj
from longfat.papers.tcpj import plan
from longfat.papers.tcpj.network import WIRE_QUEUE_PACKETS
from longfat.papers.tcpj.plan import (
    FITTED_RATES,
    HANDOFFS,
    PACKET_BYTES,
    PROTOCOLS,
    SOME_RATES,
    STATED,
    VARIED,
    held_segments,
    printed_table_2,
)
from longfat.result import Result
from longfat.scenario import Outage
from longfat.style import ENGINE_LABEL, label, short_name

# --- what all have in common


def _flows(runs: Runs, *names: str) -> pd.DataFrame:
    """Return the flows of these experiments, without those that this machine cannot give."""
    tables = [table for name in names if not (table := runs.flows(name)).empty]
    return pd.concat(tables, ignore_index=True)


def _design(runs: Runs, *names: str) -> pd.DataFrame:
    return pd.concat([runs.design(name) for name in names], ignore_index=True)


def _results(runs: Runs, *names: str) -> list[Result]:
    return [result for name in names for result in runs.results(name)]


def runs_on_engine(runs: pd.DataFrame, engine: str = "segment") -> pd.DataFrame:
    """Return the runs of one engine."""
    return runs[runs["engine"] == engine]


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


# --- the lost link


def fit(runs: Runs) -> pd.DataFrame:
    """Return how far table 2 on many links is from the printed one, a row a cell and link.

    Columns: rate_bps, rtt_s, bit_error_rate (the fitted ones), protocol, gain with its intervals
    (see `statistics.gains`), printed, and error, the difference of the logarithms.
    """
    by = ["rate_bps", "rtt_s", "bit_error_rate"]
    gains = statistics.gains(runs.flows("tcpj-fit"), "NewReno", by)
    return statistics.distance(gains, printed_table_2(), ["protocol", "bit_error_rate"])


def fit_surface(runs: Runs) -> pd.DataFrame:
    """Return how far table 2 is from each link's, a row a link (`error_surface`)."""
    return error_surface(fit(runs))


def error_surface(fitted: pd.DataFrame) -> pd.DataFrame:
    """Return how far table 2 is from each link's, a row a link: the root mean square of its errors.

    Columns: rate_bps, rtt_s, one a protocol, and all.
    """
    link = ["rate_bps", "rtt_s"]
    by_protocol = fitted.groupby([*link, "protocol"])["error"].apply(statistics.root_mean_square)
    overall = fitted.groupby(link)["error"].apply(statistics.root_mean_square)
    return by_protocol.unstack().assign(all=overall).reset_index()


def best_links(surface: pd.DataFrame) -> pd.DataFrame:
    """Return the six best links, the best first (of `error_surface`).

    Columns: rate_bps, rtt_s, error, and segments in flight.
    """
    best = surface.set_index(["rate_bps", "rtt_s"])["all"].rename("error")
    best = best.sort_values().head(6).reset_index()
    best["segments in flight"] = best["rate_bps"] * best["rtt_s"] / 8 / PACKET_BYTES
    return best


def robust_errors(fitted: pd.DataFrame) -> pd.DataFrame:
    """Return each link's error without its worst cell, the best link first.

    `fitted` is of `fit`. Columns: rate_bps, rtt_s, error, and segments in flight.
    """
    errors = fitted.groupby(["rate_bps", "rtt_s"])["error"]
    table = errors.agg(lambda cells: statistics.root_mean_square(cells, left_out=1))
    table = table.sort_values().reset_index()
    table["segments in flight"] = table["rate_bps"] * table["rtt_s"] / 8 / PACKET_BYTES
    return table


class BestRate(NamedTuple):
    """Where the error is least: on the map, and of a parabola through it and its neighbours."""

    on_map_bps: float
    of_parabola_bps: float


def best_rate(surface: pd.DataFrame, rtt_s: float) -> BestRate:
    """Return the best rate of `error_surface` at one of its round trips.

    At the map's edge the parabola goes through the three links next to it.
    """
    errors = surface[surface["rtt_s"] == rtt_s].set_index("rate_bps")["all"]
    middle = min(max(errors.argmin(), 1), len(errors) - 2)
    around = errors.iloc[middle - 1 : middle + 2]
    a, b, _ = np.polyfit(around.index, around, 2)
    return BestRate(errors.idxmin(), -b / 2 / a)


# --- random losses: figure 9 and table 2


def ns2_losses(runs: Runs) -> pd.DataFrame:
    """Return the runs of figure 9 on ns-2; none where it is not here."""
    return runs.flows("tcpj-random-loss-ns2")


def segment_losses(runs: Runs) -> pd.DataFrame:
    """Return the runs of figure 9 on the segment engine, a row a run.

    Columns: engine, bit_error_rate, protocol, seed, those of `Result.flows`, Mb/s, and loss (the
    probability that a packet loses a bit).
    """
    return _with_loss(_flows(runs, *plan.SEGMENT_LOSSES))


def random_losses(runs: Runs) -> pd.DataFrame:
    """Return the runs of figure 9 on all engines."""
    return _with_loss(_flows(runs, *plan.SEGMENT_LOSSES, *plan.OTHER_LOSSES))


def loss_points(random_loss: pd.DataFrame) -> pd.DataFrame:
    """Return figure 9's points: columns engine, as readers know it, and those of an interval."""
    named = random_loss.assign(engine=random_loss["engine"].map(ENGINE_LABEL))
    return statistics.interval(named, ["engine", "bit_error_rate", "protocol"], "Mb/s")


def _with_loss(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.assign(loss=tcpj.segment_loss(runs["bit_error_rate"].to_numpy(), PACKET_BYTES))


def ns2_westwoods(runs: Runs) -> pd.DataFrame:
    """Return what Westwood gains over NewReno on ns-2, by the sender that it is based on, and Reno.

    Columns: bit_error_rate, base, gain, low, high (%), repetitions. Empty where ns-2's runs are not
    here.
    """
    own, plain = runs.flows("tcpj-ns2-westwood"), runs.flows("tcpj-random-loss-ns2")
    if own.empty or plain.empty:
        return pd.DataFrame(columns=["bit_error_rate", "base", "gain", "low", "high"])
    same = plain["bit_error_rate"].isin(own["bit_error_rate"])
    plain = plain[same & (plain["protocol"] == "NewReno")]
    named = pd.concat([own.assign(protocol=own["base"]), plain.assign(protocol="alone")])
    gains = statistics.gains(named, "alone", ["bit_error_rate"])
    found = gains[gains["protocol"] != "alone"]
    return found.rename(columns={"protocol": "base"}).reset_index(drop=True)


def ns2_pipes(runs: Runs) -> pd.DataFrame:
    """Return SACK on the segment engine, on ns-2, and on ns-2 with another count of the pipe.

    Columns: bit error rate, the three goodputs (Mb/s, as text with intervals), and closed (%, the
    part of the difference between the first two that is gone with the third). Empty where ns-2's
    runs are not here.
    """
    columns = ["bit error rate", "segment engine", "ns-2", "ns-2, the window's pipe", "closed (%)"]
    here, other = runs.flows("tcpj-random-loss-ns2"), runs.flows("tcpj-ns2-pipe")
    if here.empty or other.empty:
        return pd.DataFrame(columns=columns)
    own, here = (one[one["protocol"] == "SACK"] for one in (runs.derived(segment_losses), here))
    rows = []
    for rate, some in other.groupby("bit_error_rate"):
        means = [
            statistics.mean(group.loc[group["bit_error_rate"] == rate, "Mb/s"])
            for group in (own, here, some)
        ]
        a, b, c = (found["measured"] for found in means)
        words = [
            f"{found['measured']:.2f} [{found['low']:.2f}, {found['high']:.2f}]" for found in means
        ]
        rows.append([rate, *words, 100 * (c - b) / (a - b)])
    return pd.DataFrame(rows, columns=columns)


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


def wide_table_2(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the paper's table 2 and ours as rows, a column a bit error rate, in per cent.

    `tables` are of `table_2`, by their engines' names; without runs there is no row.
    """
    rows = []
    first, *_ = tables.values()
    for name in PROTOCOLS[1:]:
        own = first[first["protocol"] == name].set_index("bit_error_rate")
        rows.append({"protocol": name, "": "paper"} | own["printed"].map("{:g}".format).to_dict())
        for engine, table in tables.items():
            own = table[table["protocol"] == name].set_index("bit_error_rate")
            if len(own):
                ours = own["gain"].map("{:.0f}".format)
                rows.append({"protocol": name, "": engine} | ours.to_dict())
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
    names = [name for name in ("segment", *plan.OTHER_ENGINES) if name in wide]
    several = wide[names].notna().sum(axis=1) > min(1, len(names) - 1)
    return wide.loc[several, names].rename(columns=ENGINE_LABEL).reset_index().fillna("–")


# --- what the assumptions change


def varied(runs: Runs) -> pd.DataFrame:
    """Return random losses with one assumption changed at a time (`plan.VARIED`).

    A protocol that a variation leaves alone has its runs with nothing changed, which come as a
    variation of their own too, with an empty parameter. Columns: parameter, setting,
    bit_error_rate, protocol, seed, goodput_bps.
    """
    at = runs.setting
    changed, base = runs.flows("tcpj-varied"), runs.derived(segment_losses)
    base = base[base["bit_error_rate"].isin(plan.varied_rates(at))]
    parts = [base[base["seed"] <= at.repeated(8)].assign(parameter="", setting="")]
    for one in VARIED:
        names = {"parameter": one.parameter, "setting": one.setting}
        own = changed[(changed["parameter"] == one.parameter) & (changed["setting"] == one.setting)]
        other = base[base["seed"] <= at.repeated(one.repetitions)]
        other = other[~other["protocol"].isin(one.protocols)]
        other = other[one.everywhere | other["bit_error_rate"].isin(SOME_RATES)]
        parts += [own, other.assign(**names)]
    columns = ["parameter", "setting", "bit_error_rate", "protocol", "seed", "goodput_bps"]
    return pd.concat(parts, ignore_index=True)[columns]


def varied_gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the gains with one assumption changed, in per cent, below the paper's.

    A row a variation; columns: what is varied, and one a protocol at 1e-6 and 4e-6.
    """
    shown = runs[runs["bit_error_rate"].isin([1e-6, 4e-6])]
    gains = statistics.gains(shown, "NewReno", ["parameter", "setting", "bit_error_rate"])
    gains["case"] = [f"{row.protocol}, {row.bit_error_rate:g}" for row in gains.itertuples()]
    gains["text"] = _with_ends(gains, 0)
    table = gains.pivot(index=["parameter", "setting"], columns="case", values="text")
    order = [STATED, *((one.parameter, one.setting) for one in VARIED)]
    table = table.loc[order].reset_index()
    words = table["parameter"].map(label) + ": " + table["setting"]
    table.insert(0, "what is varied", words.where(table["parameter"] != "", "nothing"))
    table = table.drop(columns=["parameter", "setting"])
    paper = papers.table("tcpj", 2)
    cases = [case.split(", ") for case in table.columns[1:]]
    printed = [f"{paper.at[protocol, float(rate)]:g}" for protocol, rate in cases]
    first = pd.DataFrame([["the paper", *printed]], columns=table.columns)
    return pd.concat([first, table], ignore_index=True)


def keeping(runs: Runs) -> pd.DataFrame:
    """Return senders that do not reduce their window at a loss, beside SACK and the others.

    Columns: bit_error_rate, protocol, seed, goodput_bps.
    """
    kept, base = runs.flows("tcpj-keep"), runs.derived(segment_losses)
    base = base[base["bit_error_rate"].isin(kept["bit_error_rate"])]
    base = base[base["seed"].isin(kept["seed"])]
    columns = ["bit_error_rate", "protocol", "seed", "goodput_bps"]
    return pd.concat([kept[columns], base[columns]], ignore_index=True)


def repeating(runs: Runs) -> pd.DataFrame:
    """Return the flows of `plan.repeating`, with what the access router's queue dropped.

    Columns: those of `Runs.flows`, and overflows, packets on the way to the mobile host.
    """
    flows = runs.flows("tcpj-repeating")
    dropped = [overflows(result) for result in runs.results("tcpj-repeating")]
    return flows.assign(overflows=np.asarray(dropped, dtype=float))


def overflows(result: Result) -> int:
    """Return how many packets the access router's queue to the mobile host dropped."""
    (link,) = (row for row in result.link_rows() if (row["source"], row["target"]) == ("ar", "mn"))
    return link["packets_dropped_by_queue"]


def anatomy(runs: Runs) -> pd.DataFrame:
    """Return the windows of NewReno and TCP-J in the first 20 s of a lossy radio link.

    Columns: protocol, time_s, cwnd_segments and ssthresh_segments, a row every 50 ms.
    """
    times = np.arange(0.05, plan.ANATOMY_S + 1e-9, 0.05)
    tables = [
        pd.DataFrame(
            {"protocol": name, "time_s": times}
            | {
                one: measures.values_at(result.traces[one], one, times)
                for one in plan.ANATOMY_SERIES
            }
        )
        for name, result in zip(
            runs.design("tcpj-anatomy")["protocol"], runs.results("tcpj-anatomy"), strict=True
        )
    ]
    return pd.concat(tables, ignore_index=True)


# --- a shared wire: figure 3


def wire(runs: Runs) -> pd.DataFrame:
    """Return the flows of figure 2's network.

    Columns: engine, trio (of `plan.TRIOS`), rate_bps, rtt_s, seed, those of `Result.flows`.
    """
    return _flows(runs, "tcpj-wire", "tcpj-wire-ns3", "tcpj-wire-ns2")


def wire_trace(runs: Runs) -> pd.DataFrame:
    """Return figure 3, of one run with TCP-J: flow, time_s, segments (that its receiver has)."""
    trace = runs.results("tcpj-wire")[0].traces["delivered_bytes"]
    segments = trace["delivered_bytes"] / plan.SEGMENT_BYTES
    return trace.drop(columns="delivered_bytes").assign(segments=segments)


WIRES = ("tcpj-wires", "tcpj-wires-more")


def wires(runs: Runs) -> pd.DataFrame:
    """Return the flows on wires of other rates and round trips.

    Columns as of `wire`, and estimate (TCP-J's mean estimate over its goodput, where it was
    recorded).
    """
    estimate = {}
    link = ["rate_bps", "rtt_s", "seed"]
    usual = runs.design(WIRES[0])
    for run, result in zip(usual.to_dict("records"), runs.results(WIRES[0]), strict=True):
        if "bandwidth_bps" in result.traces:
            trace = result.traces["bandwidth_bps"]
            later = trace["time_s"] > runs.setting.duration_s / 10
            own = next(
                flow["goodput_bps"] for flow in result.flow_rows() if flow["flow"] == "TCP-J 2"
            )
            settled = trace.loc[later, "bandwidth_bps"].mean()
            estimate[tuple(run[name] for name in link)] = settled / own
    flows = _flows(runs, *WIRES)
    keys = flows[link].itertuples(index=False, name=None)
    return flows.assign(estimate=[estimate.get(key, np.nan) for key in keys])


def shared_link(flows: pd.DataFrame) -> pd.DataFrame:
    """Return how the flows of `wire` with TCP-J share, each under its protocol's name."""
    split = measures.shares(_with_tcpj(flows), "flow")
    return split.assign(flow=split["flow"].str.split().str[0])


def equal_shares(flows: pd.DataFrame) -> float:
    """Return the p value of a test whether the flows of `wire` with TCP-J share equally."""
    return measures.equal_shares(_with_tcpj(flows), "flow")


def _with_tcpj(flows: pd.DataFrame) -> pd.DataFrame:
    own = runs_on_engine(flows)
    return own[own["trio"] == "with TCP-J"]


def wire_map(flows: pd.DataFrame) -> pd.DataFrame:
    """Return what TCP-J gets and does on each of the `wires`, means of the runs.

    Columns: rate_bps, rtt_s, share (of the sum), harm (what NewReno and SACK lose together beside
    it, against beside a second SACK, in per cent), estimate (over its goodput), pipe (segments).
    """
    link = ["rate_bps", "rtt_s"]
    ours = flows[(flows["trio"] == "with TCP-J") & (flows["flow"] == "TCP-J 2")]
    table = ours.groupby(link)[["estimate"]].mean()
    table.insert(0, "share", shares_of_wires(flows))
    rates = standard_goodput(flows, link)
    harm = measures.harm(rates["with SACK"], rates["with TCP-J"])
    table["harm"] = 100 * pd.Series(harm, rates.index).groupby(link).mean()
    table = table.reset_index()
    table["pipe"] = table["rate_bps"] * table["rtt_s"] / 8 / PACKET_BYTES
    return table


def shares_of_wires(flows: pd.DataFrame) -> pd.Series:
    """Return TCP-J's mean share of the sum on each of the `wires`, by rate_bps and rtt_s."""
    link = ["rate_bps", "rtt_s"]
    own = flows[flows["trio"] == "with TCP-J"]
    total = own.groupby([*link, "seed"])["goodput_bps"].transform("sum")
    own = own.assign(share=own["goodput_bps"] / total)
    return own[own["flow"] == "TCP-J 2"].groupby(link)["share"].mean()


def standard_goodput(flows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return what NewReno and the first SACK get together, a row a run, a column a trio (bit/s)."""
    rows = flows[flows["flow"].isin(["NewReno 0", "SACK 1"])]
    return rows.groupby([*by, "seed", "trio"])["goodput_bps"].sum().unstack()


ALPHAS = ("tcpj-alphas", "tcpj-alphas-more")


def alphas(runs: Runs, names: Sequence[str] = ALPHAS) -> pd.DataFrame:
    """Return TCP-J's share by its smoothing constant on three wires, a row a run.

    `names` are the experiments. Columns: rate_bps, rtt_s, alpha, seed, those of `Result.flows`, and
    off: how far its share is from a third of the sum, in per cent of a third.
    """
    flows = _flows(runs, *names)
    total = flows.groupby(["rate_bps", "rtt_s", "alpha", "seed"])["goodput_bps"].transform("sum")
    flows = flows.assign(off=300 * flows["goodput_bps"] / total - 100)
    return flows[flows["flow"] == "TCP-J 2"]


# --- the estimates: figures 5 to 8

ESTIMATES = ("tcpj-estimates", "tcpj-estimates-more")
ESTIMATES_SACK = "tcpj-estimates-sack"


def estimates(runs: Runs, names: Sequence[str] = ESTIMATES) -> pd.DataFrame:
    """Return how the estimates differ from the throughput, a row a run.

    `names` are the experiments. Columns: bit_error_rate, protocol, seed, bias, error and variation
    (see `measures.estimate_error`).
    """
    until_s = runs.setting.duration_s
    errors = [estimate_error(result, until_s) for result in _results(runs, *names)]
    return _design(runs, *names).join(pd.DataFrame(errors))


def estimate_error(result: Result, duration_s: float) -> dict[str, float]:
    """Return how a run's estimate differs from its throughput, by seconds from 5 s on."""
    times = np.arange(5.0, duration_s + 1)
    delivered, estimate = map(result.trace_columns, ("delivered_bytes", "bandwidth_bps"))
    return measures.estimate_error(delivered, estimate, times)


def estimates_after_outages(runs: Runs, names: Sequence[str] = (ESTIMATES_SACK,)) -> pd.DataFrame:
    """Return the lowest estimate after an outage where hardly a packet is lost, a row a run.

    `names` are the experiments. Columns: protocol (TCP-J, Westwood, and Westwood with SACK), seed,
    lowest (in the 3 s after an outage, in % of the link's rate) and timeouts.
    """
    at, results = runs.setting, _results(runs, *names)
    lowest = [100 * lowest_estimate(one, at.silences) / at.full_bps for one in results]
    timeouts = [one.flow_rows()[0]["timeouts"] for one in results]
    design = _design(runs, *names).drop(columns="bit_error_rate")
    return design.assign(lowest=lowest, timeouts=timeouts)


def estimate_curves(runs: Runs) -> pd.DataFrame:
    """Return the estimates over time, of the first seed.

    Columns: protocol, bit_error_rate, time_s, truth and estimate (Mb/s), a row a second.
    """
    name = ESTIMATES[0]
    first = runs.design(name).query("seed == 1")
    results, times = runs.results(name), np.arange(0.0, runs.setting.duration_s + 1)
    tables = [
        _curve(results[run], times).assign(
            protocol=first.at[run, "protocol"], bit_error_rate=first.at[run, "bit_error_rate"]
        )
        for run in first.index
    ]
    columns = ["protocol", "bit_error_rate", "time_s", "truth", "estimate"]
    return pd.concat(tables, ignore_index=True)[columns]


def shown_curves(bit_error_rate: float, protocols: Sequence[str], runs: Runs) -> pd.DataFrame:
    """Return those of `estimate_curves` that are of a bit error rate and these protocols."""
    curves = runs.derived(estimate_curves)
    own = curves["bit_error_rate"] == bit_error_rate
    return curves[own & curves["protocol"].isin(protocols)]


def lowest_estimate(result: Result, silences: Sequence[Outage]) -> float:
    """Return the lowest estimate at a silence's start and in the 3 s after it, bit/s."""
    trace = result.trace_columns("bandwidth_bps")
    held = [
        measures.values_at(trace, "bandwidth_bps", silence.start_s + np.arange(4)).min()
        for silence in silences
    ]
    return min(held, default=np.nan)


def _curve(result: Result, times: np.ndarray) -> pd.DataFrame:
    truth = measures.true_throughput(result.traces["delivered_bytes"], times)
    estimate = measures.values_at(result.traces["bandwidth_bps"], "bandwidth_bps", times)
    return pd.DataFrame({"time_s": times[1:], "truth": truth / 1e6, "estimate": estimate[1:] / 1e6})


def estimate_errors(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far the estimates are from the throughput, with intervals.

    `runs` is of `estimates`. Columns: bit_error_rate, protocol, bias, error, variation.
    """
    measures = ["bias", "error", "variation"]
    return _means(runs, ["bit_error_rate", "protocol"], measures, 3)


# --- handoffs: figures 12 to 16


def handoffs(runs: Runs, names: Sequence[str] = HANDOFFS) -> pd.DataFrame:
    """Return movements to a slower radio link, a row a run.

    `names` are the experiments. Columns: parameter and setting (empty: the base), protocol, kind,
    announced, seed, label (the protocol, and whether it is not told), those of `Result.flows`,
    Mb/s, held (what pipe and buffer of the new link hold), before, settled and first 10 s: the mean
    window in the fifth of the run before the movement, from 5 s after it on, and the largest of the
    first 10 s (segments).
    """
    return _handoffs(runs, names)


def stated_handoffs(runs: Runs) -> pd.DataFrame:
    """Return those of `handoffs` in which nothing is varied."""
    return _handoffs(runs, HANDOFFS[:1])


def _handoffs(runs: Runs, names: Sequence[str]) -> pd.DataFrame:
    at = runs.setting
    results = _results(runs, *names)
    windows = [moved_windows(result, at.handoff_at_s, at.duration_s) for result in results]
    table = _flows(runs, *names)
    table[["before", "settled", "first 10 s"]] = pd.DataFrame(windows)
    table["held"] = [
        _held(at, run.kind, **plan.VARIED_MOVES.get((run.parameter, run.setting), {}))
        for run in table.itertuples()
    ]
    return table.assign(label=_labels(table))


def moved_windows(result: Result, moved_s: float, duration_s: float) -> dict[str, float]:
    """Return a mover's windows (segments): before, settled and first 10 s (see `handoffs`)."""
    seconds = np.arange(0.5, duration_s)
    windows, since = _window(result, seconds), seconds - moved_s
    before, settled = (since < 0) & (since > -duration_s / 5), since > 5
    return {
        "before": windows[before].mean() if before.any() else np.nan,
        "settled": windows[settled].mean() if settled.any() else np.nan,
        "first 10 s": windows[(since > 0) & (since < 10)].max(),
    }


def _window(result: Result, seconds: np.ndarray) -> np.ndarray:
    return measures.values_at(result.trace_columns("cwnd_segments"), "cwnd_segments", seconds)


def _labels(design: pd.DataFrame) -> pd.Series:
    """Return who moves, and whether it is not told."""
    return design["protocol"].where(design["announced"], design["protocol"] + ", not announced")


def handoff_windows(runs: Runs) -> pd.DataFrame:
    """Return the windows of the first seed: label, kind, time_s and cwnd_segments, by seconds."""
    name = HANDOFFS[0]
    first = runs.design(name).query("seed == 1")
    results, seconds = runs.results(name), np.arange(0.5, runs.setting.duration_s)
    tables = [
        pd.DataFrame(
            {"time_s": seconds, "cwnd_segments": _window(results[run.Index], seconds)}
        ).assign(label=label, kind=run.kind)
        for run, label in zip(first.itertuples(), _labels(first), strict=True)
    ]
    return pd.concat(tables, ignore_index=True)[["label", "kind", "time_s", "cwnd_segments"]]


def shown_windows(kind: str, labels: Sequence[str], runs: Runs) -> pd.DataFrame:
    """Return those of `handoff_windows` that are of a kind and of these movers."""
    windows = runs.derived(handoff_windows)
    return windows[(windows["kind"] == kind) & windows["label"].isin(labels)]


def _held(setting: plan.Setting, kind: str, **fields: Any) -> float:
    """Return what the new path and its buffer hold, where these fields are other ones."""
    rate_bps, rtt_s = setting.new_radio_rate_bps, fields.get("rtt_s", setting.rtt_s)
    rate_bps = fields.get("new_rate_bps", rate_bps)
    wired_bps = fields.get("new_wired_bps", np.inf)
    if kind == "non-local" and wired_bps < rate_bps:
        return held_segments(wired_bps, rtt_s, WIRE_QUEUE_PACKETS)
    return held_segments(rate_bps, rtt_s)


def worded_handoffs(handoffs: pd.DataFrame) -> pd.DataFrame:
    """Return mean windows before and after a movement, with their intervals.

    `handoffs` is of `stated_handoffs`. Columns: movement, sender, before, after, first 10 s
    (segments), Mb/s.
    """
    values = ["before", "settled", "first 10 s", "Mb/s"]
    table = _means(handoffs, ["kind", "label"], values, 1)
    table["Mb/s"] = _means(handoffs, ["kind", "label"], ["Mb/s"], 2)["Mb/s"]
    return table.rename(columns={"kind": "movement", "label": "sender", "settled": "after"})


NEWCOMERS = ("tcpj-newcomers", "tcpj-newcomers-more")


def newcomers(runs: Runs, names: Sequence[str] = NEWCOMERS) -> pd.DataFrame:
    """Return what a SACK flow, which is on the new radio link already, gets after a movement.

    `names` are the experiments. A row a run. Columns: label (the newcomer, and whether it is not
    told), kind, seed; resident and newcomer (Mb/s, from the movement to the end).
    """
    at, table = runs.setting, _design(runs, *names)
    results = _results(runs, *names)
    for column, number in (("newcomer", 0), ("resident", 1)):
        rates = [rate_since(one, at.handoff_at_s, number, at.duration_s) for one in results]
        table[column] = np.array(rates) / 1e6
    return table.assign(label=_labels(table))


def rate_since(result: Result, start_s: float, number: int, duration_s: float) -> float:
    """Return what a flow gets from a time to the end, bit/s."""
    trace = result.trace_columns("delivered_bytes")
    mine = np.asarray(trace["flow"]) == result.flow_rows()[number]["flow"]
    own = {name: np.asarray(trace[name])[mine] for name in ("time_s", "delivered_bytes")}
    ends = np.array([start_s, duration_s + 1e-6])
    return measures.true_throughput(own, ends)[0]


def worded_newcomers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what both get after a movement (means of `newcomers`).

    Columns: movement, who arrives, and both goodputs (Mb/s, as text).
    """
    table = _means(runs, ["kind", "label"], ["resident", "newcomer"], 3)
    names = {"kind": "movement", "label": "who arrives", "resident": "the SACK flow (Mb/s)"}
    return table.rename(columns=names | {"newcomer": "who arrives (Mb/s)"})


# --- beyond the paper


def stacks(runs: Runs) -> pd.DataFrame:
    """Return Reno and Westwood+ on Linux and on the segment engine, where there are runs of both.

    Goodput (Mb/s) worded with its interval; columns: engine, sender, and one a bit error rate.
    """
    tables = [runs.flows(name) for name in plan.STACKS.values()]
    tables = [table for table in tables if not table.empty]
    if not tables:
        return pd.DataFrame(columns=["engine", "sender"])
    by = ["bit_error_rate", "engine", "sender"]
    means = statistics.interval(pd.concat(tables), by, "Mb/s")
    means["text"] = _with_halfwidth(means, "Mb/s", 2)
    table = means.pivot(index=["engine", "sender"], columns="bit_error_rate", values="text")
    named = table.rename(columns="{:g}".format).reset_index()
    senders = {"reno": short_name("reno"), "westwood-plus": short_name("westwood-plus")}
    senders[plan.AS_LINUX] = f"{short_name('westwood-plus')}, as Linux"
    return named.replace({"engine": ENGINE_LABEL, "sender": senders})


def several_flows(runs: Runs) -> pd.DataFrame:
    """Return four flows of one protocol on one radio link, means of the runs.

    Columns: bit_error_rate, protocol, sum (Mb/s), smallest / largest (goodput), overflows per 1000
    (segments sent).
    """
    measured = pd.DataFrame(
        {
            "sum (Mb/s)": result.flows["goodput_bps"].sum() / 1e6,
            "smallest / largest": result.flows["goodput_bps"].min()
            / result.flows["goodput_bps"].max(),
            "overflows per 1000": 1000
            * result.links["packets_dropped_by_queue"].sum()
            / result.flows["segments_sent"].sum(),
        }
        for result in runs.results("tcpj-several")
    )
    table = runs.design("tcpj-several").drop(columns="seed").join(measured)
    return table.groupby(["bit_error_rate", "protocol"], sort=False).mean().reset_index()
