"""The survey's claims: by what each is judged, and what the chapter's sentences say."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.experiment import Part, Runs, made
from longfat.papers import joint
from longfat.papers.survey import analysis, files, routers, theory
from longfat.papers.survey.analysis import PRINTED_RUNS, VARIATIONS
from longfat.papers.survey.plan import (
    FITTED_QUEUE,
    LENGTHS,
    LIMITED_START,
    MANAGED,
    MECHANISMS,
    NAMES,
    PATH,
    PLAIN,
    QUICK,
    VARIED,
    Setting,
)
from longfat.papers.survey.theory import SHORT
from longfat.verdicts import rules
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

# What the claims are judged by, by the names of `evidence`'s arguments.
PARTS = {
    "five": Part(("survey-5",), analysis.figure_5),
    "rates": Part(("survey-5",), analysis.figure_5_rates),
    "varied": Part(("survey-assumptions",), analysis.varied, sensitivity=True),
    "varied_rates": Part(("survey-assumptions",), analysis.varied_rates, sensitivity=True),
    "buffers": Part(("survey-3",), analysis.figure_3),
    "parallel": Part(("survey-4",), analysis.figure_4),
    "starts": Part(("survey-starts",), analysis.starts),
    "transfers": Part(("survey-initial-windows",), analysis.initial_windows),
    "remedies": Part(("survey-remedies",), analysis.remedies),
    "shares": Part(("survey-fairness",), analysis.settled_shares),
    "queues": Part(("survey-queues",), analysis.queue_shares),
    "combined": Part(("survey-combined",), analysis.combined),
    "assistance": Part((routers.EXPERIMENT,), routers.shares),
    "crowds": Part((routers.CROWD,), routers.crowds),
    "queries": Part((routers.EXPERIMENT,), routers.queries),
}


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`judge`)."""
    found = evidence(runs.setting, **made(PARTS, runs))
    return judge(papers.claims("survey"), found, joint.written("survey"))


def evidence(at: Setting, **parts: pd.DataFrame) -> pd.DataFrame:
    """Return what was measured for each claim, a row a claim, engine and setting.

    `parts` are tables of `PARTS`; those of varied assumptions and of the routers may be missing.
    Columns as `judge` wants them.
    """
    rows = [
        *_arithmetic(),
        *_six_numbers(parts["five"]),
        *_orders(parts["five"], parts["rates"], {}),
        *_starts(at, parts["starts"]),
        *_avoidance(parts["buffers"]),
        *_transfers_around(),
        _avoided(parts["remedies"]),
    ]
    if "varied" in parts:
        rows += _varied_orders(parts["varied"], parts["varied_rates"])
    rows += [_ratio(parts, one) for one in _compared(at)]
    rows += _sharing(parts["shares"])
    rows += of_queues(parts["queues"], "survey-queues")
    rows += _combined(parts["combined"])
    if "assistance" in parts:
        rows += routers.evidence(parts["assistance"], parts["crowds"])
        rows += routers.work(parts["queries"])
    table = pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))
    return table[table["measured"].notna()].reset_index(drop=True)


def evidence_row(claim: str, experiment: str, found: Mapping[str, Any], **given: Any) -> dict:
    """Return a row of evidence; `found` is what `statistics.mean` and its like return."""
    row = {"claim": claim, "engine": "segment", "parameter": "", "setting": "", "at": ""}
    return row | {"experiment": experiment} | dict(found) | given


# --- how many times one case is another


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A claim that one case is so many times another: run by run, in a table of `PARTS`.

    Of the rows where the columns are as `where` says, `upper` and `lower` are values of the column
    `by`, which are run with the same values of `seed`; `value` is the column that is compared.
    `given` are further columns of the evidence.
    """

    claim: str
    experiment: str
    part: str
    by: str
    upper: Any
    lower: Any
    value: str = "Mb/s"
    seed: str = "seed"
    where: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)


def _otherwise(parameter: str, setting: str) -> dict[str, str]:
    return {"parameter": parameter, "setting": setting}


def _compared(at: Setting) -> Iterator[Compared]:
    """Yield the claims that are about ratios."""
    for path in at.ways:
        other = {} if path == PATH else _otherwise("bottleneck", path)
        buffers: dict[str, Any] = {"experiment": "survey-3", "part": "buffers", "by": "buffer"}
        buffers |= {"where": {"path": path}, "given": other}
        yield Compared(claim="survey-buffer-1mb", upper=8_000_000, lower=1_000_000, **buffers)
        if path == PATH:
            yield Compared(claim="survey-buffer-auto", upper="auto", lower=8_000_000, **buffers)
        yield Compared(
            claim="survey-parallel-better",
            experiment="survey-4",
            part="parallel",
            by="connections",
            upper="8 x 1 MB",
            lower="1 x 8 MB",
            where={"path": path},
            given=other,
        )
    # The climb is seen where it is long: on the fitted path eight are at its rate within seconds.
    _, faster = at.ways
    for number in (4, 8):
        yield Compared(
            claim="survey-parallel-slope",
            experiment="survey-4",
            part="parallel",
            by="connections",
            upper=f"{number} x 1 MB",
            lower="1 x 1 MB",
            value="slope over (10)",
            where={"path": faster},
            given={"at": f"{number} connections beside one"},
        )
    # How many times longer a transfer takes from one segment, beside a larger window.
    for claim, file in (("survey-window-short", "15 KB"), ("survey-window-long", "1 GB")):
        for window in (3, 10):
            other = {} if window == 3 else _otherwise("initial_window", f"{window} segments")
            yield Compared(
                claim=claim,
                experiment="survey-initial-windows",
                part="transfers",
                by="initial_window",
                upper=1,
                lower=window,
                value="transfer_s",
                seed="queue",
                where={"file": file},
                given=other,
            )
    for claim, upper, lower, given in (
        ("survey-mss", "9000-byte packets", "standard TCP", {}),
        (
            "survey-mss",
            "9000-byte packets, loss by bits",
            "1500-byte packets, loss by bits",
            _otherwise("loss_unit", "per bit"),
        ),
        ("survey-split", "relay in the middle", "standard TCP", {}),
        ("survey-striping", "4 connections, two such paths", "4 connections", {}),
        (
            "survey-striping",
            "4 connections, two paths of 10 Mb/s",
            "4 connections, one path of 10 Mb/s",
            _otherwise("bottleneck", "10 Mb/s"),
        ),
        ("survey-larger-window", "HSTCP", "standard TCP", {"at": "HSTCP"}),
        ("survey-larger-window", "Scalable TCP", "standard TCP", {"at": "Scalable TCP"}),
    ):
        yield Compared(
            claim=claim,
            experiment="survey-remedies",
            part="remedies",
            by="remedy",
            upper=upper,
            lower=lower,
            given=given,
        )


def _ratio(parts: Mapping[str, pd.DataFrame], one: Compared) -> dict:
    table = parts[one.part]
    if one.part == "parallel":
        table = table.assign(**{"slope over (10)": table["slope"] / table["slope by (10)"]})
    for column, value in one.where.items():
        table = table[table[column] == value]
    found = _paired(table, one.by, one.upper, one.lower, one.value, one.seed)
    return evidence_row(one.claim, one.experiment, found, **one.given)


def _paired(
    table: pd.DataFrame, by: str, upper: Any, lower: Any, value: str, seed: str = "seed"
) -> dict:
    """Return how many times the one case is the other, seed by seed, where both have a value."""
    wide = table.pivot(index=seed, columns=by, values=value)[[upper, lower]].dropna()
    if wide.empty:
        return {"measured": np.nan, "low": np.nan, "high": np.nan, "runs": 0}
    return statistics.paired(wide[upper], wide[lower], ratio=True)


# --- the others


def _arithmetic() -> Iterator[dict]:
    def exact(claim: str, value: float) -> dict:
        number = {"measured": value, "low": value, "high": value, "runs": 1}
        return evidence_row(claim, "", number, engine="arithmetic")

    for row in theory.recomputed_numbers().itertuples():
        yield exact(row.Index, row.computed)
    measured_there = "survey-direct-rate"  # an input of ours
    yield exact(measured_there, theory.claims_by_id().at[measured_there, "printed"])
    yield exact("survey-headers", 100 * theory.headers().query("mtu == 9000")["part"].max())


def _six_numbers(flows: pd.DataFrame) -> Iterator[dict]:
    """Yield the six numbers, with the interval in which the mean of three further runs lies."""
    for number, kind in (("Mb/s", "mean"), ("loss %", "loss")):
        for algorithm, values in flows.groupby("algorithm")[number]:
            found = statistics.prediction_interval(values, PRINTED_RUNS)
            yield evidence_row(f"survey-{kind}-{SHORT[algorithm]}", "survey-5", found)


def _orders(flows: pd.DataFrame, rates: pd.DataFrame, given: dict) -> Iterator[dict]:
    """Yield the three orders by the steps between two algorithms, seed by seed."""
    varied = analysis.variation(rates)
    measures = list(VARIATIONS) if not given else list(VARIATIONS)[:1]
    tables: list[tuple[str, pd.DataFrame, str, dict]] = [
        ("mean", flows, "Mb/s", {}),
        ("loss", flows, "loss %", {}),
    ]
    for number, measure in enumerate(measures):
        other = _otherwise("variation_measured_as", measure) if number else {}
        tables.append(("variation", varied, measure, other))
    for claim, table, value, other in tables:
        wide = table.pivot(index="seed", columns="algorithm", values=value)[list(NAMES)]
        yield from (row | other | given for row in of_order(claim, "survey-5", wide))


def of_order(claim: str, experiment: str, wide: pd.DataFrame) -> Iterator[dict]:
    """Yield an order by its steps; `wide` has a row a seed and a column an algorithm."""
    steps = zip(np.diff(wide.to_numpy()).T, itertools.pairwise(NAMES), strict=True)
    for step, (lower, upper) in steps:
        at = f"the step from {NAMES[lower]} to {NAMES[upper]}"
        yield evidence_row(f"survey-order-{claim}", experiment, statistics.mean(step), at=at)


def _varied_orders(flows: pd.DataFrame, rates: pd.DataFrame) -> Iterator[dict]:
    for parameter, value in VARIED:
        one, over_time = (
            table[(table["parameter"] == parameter) & (table["setting"] == value)]
            for table in (flows, rates)
        )
        if one.empty:
            continue
        given = _otherwise(parameter, value) | {"experiment": "survey-assumptions"}
        yield from _orders(one, over_time, given)


def _avoidance(buffers: pd.DataFrame) -> Iterator[dict]:
    """Yield how often losses leave a large window in congestion avoidance."""
    large = buffers[(buffers["path"] == PATH) & (buffers["buffer"] == 8_000_000)]
    stays = (large["timeouts"] == 0) & (large["recoveries"] > 0)
    yield evidence_row("survey-avoidance", "survey-3", statistics.share(stays))


def _starts(at: Setting, table: pd.DataFrame) -> Iterator[dict]:
    for queue in table["queue"].unique():
        stated = queue == at.queue_packets
        other = {} if stated else _otherwise("router_buffer", f"{queue} packets")
        runs = table[table["queue"] == queue]
        plain = runs[runs["start"] == "standard TCP"]
        wide = runs.pivot(index="seed", columns="start", values="dropped")
        wide = wide[wide["standard TCP"] > 0]  # where there was something to save
        saved = 100 * (1 - wide["limited slow start"] / wide["standard TCP"])
        for claim, found in (
            ("survey-slow-start-timeout", statistics.share(plain["timeouts"] > 0)),
            ("survey-slow-start-overload", statistics.mean(plain["dropped"])),
            ("survey-limited-slow-start", statistics.mean(saved)),
        ):
            yield evidence_row(claim, "survey-starts", found, **other)
        if stated:
            start = "lost repairs not noticed"
            late = statistics.share(runs.loc[runs["start"] == start, "timeouts"] > 0)
            given = _otherwise("lost_retransmissions", start)
            yield evidence_row("survey-slow-start-timeout", "survey-starts", late, **given)


def _sharing(shares: pd.DataFrame) -> Iterator[dict]:
    """Yield what standard TCP, the first of a pair, has beside its own kind and beside others."""
    names = list(NAMES.values())
    alike, highspeed, scalable = (f"standard TCP and {name}" for name in names)
    for queue in shares["queue"].unique():
        parameter = "marking" if "marks" in queue else "router_buffer"
        other = {} if queue == FITTED_QUEUE else _otherwise(parameter, queue)
        runs = shares[shares["queue"] == queue]
        for claim, upper, lower in (
            ("survey-unfair-highspeed", alike, highspeed),
            ("survey-unfair-scalable", highspeed, scalable),
        ):
            ratios = _paired(runs, "pair", upper, lower, "first")
            yield evidence_row(claim, "survey-fairness", ratios, **other)


def of_queues(shares: pd.DataFrame, experiment: str) -> Iterator[dict]:
    """Yield what the length of the router's queue, and how it is managed, changes.

    Fairness is what standard TCP has beside HSTCP or Scalable TCP, stability how little their
    goodput varies. Of the lengths the best and the worst are compared; of the ways to manage a
    queue the best with dropping at the tail of one as long.
    """
    others = ("highspeed", "scalable")
    lengths = [f"{length:g}" for length in LENGTHS]
    for value, word in (("first_mbps", "fairness"), ("variation", "stability")):
        for second in others:
            some = shares[(shares["second"] == second) & shares["queue"].isin(lengths)]
            own = {queue: runs[value].to_numpy() for queue, runs in some.groupby("queue")}
            least, most = (pick(own, key=lambda q: own[q].mean()) for pick in (min, max))
            found = statistics.unpaired(own[most], own[least])
            at = f"queues of {most} over {least} of what the path holds"
            yield evidence_row(f"survey-buffers-{word}-{second}", experiment, found, at=at)
    for second in others:
        kept = shares[shares["second"] == second].set_index("queue")["first_mbps"]
        best = kept[list(MANAGED)].groupby(level="queue").mean().idxmax()
        found = statistics.unpaired(kept[best], kept["1"])
        at = f"beside {NAMES[second]}, {best}"
        yield evidence_row("survey-marking-matters", experiment, found, at=at)


def _combined(files_sent: pd.DataFrame) -> Iterator[dict]:
    """Yield what limited slow start and Quick-Start do for other senders than standard TCP."""
    for sender, runs in files_sent.groupby("sender", sort=False):
        dropped, times = (
            runs.pivot(index="seed", columns="start", values=value)
            for value in ("dropped", "transfer_s")
        )
        saved = 100 * (1 - dropped[LIMITED_START] / dropped[PLAIN])
        sooner = statistics.paired(times[PLAIN], times[QUICK], ratio=True)
        for claim, found in (("limited", statistics.mean(saved)), ("quick", sooner)):
            yield evidence_row(
                f"survey-combined-{claim}", "survey-combined", found, at=f"with {sender}"
            )


def _avoided(remedies: pd.DataFrame) -> dict:
    """Return how many packets a queue drops of a sender that listens to the round trip."""
    dropped = remedies.loc[remedies["remedy"] == "FAST TCP", "dropped"]
    return evidence_row("survey-fast-avoids", "survey-remedies", statistics.mean(dropped))


def _transfers_around() -> Iterator[dict]:
    """Yield what the page on transfers around TCP found, by its runs: whole files of 1 GB."""
    times = files.tuned_times(
        (files.BASE, "4 connections", "GridFTP, 8 streams", "RBUDP", "Tsunami")
    )
    for claim, how in (
        ("survey-several", "4 connections"),
        ("survey-gridftp", "GridFTP, 8 streams"),
    ):
        ratio = statistics.paired(times[files.BASE], times[how], ratio=True)
        yield evidence_row(claim, files.TUNED_RUNS, ratio)
    told_bps = files.RATE * files.TUNED_PATH.rate_bps
    for how in ("RBUDP", "Tsunami"):
        used = 8 * files.LARGEST_RUN / times[how] / told_bps
        yield evidence_row("survey-own-bandwidth", files.TUNED_RUNS, statistics.mean(used), at=how)


# --- what the chapter's sentences say


def numbers(runs: Runs) -> dict[str, float]:
    """Return what the sentences say, by names that begin with `survey_`.

    What was not run is missing (NaN).
    """
    return (
        _of_ten_gigabits()
        | _of_figure_5(runs)
        | _of_figures_3_and_4(runs)
        | _of_remedies(runs)
        | _of_starts(runs)
        | _of_combined(runs)
        | _of_routers(runs)
        | _of_sharing(runs)
        | _of_all(runs)
        | _of_queues(runs)
        | _of_paths(runs)
        | rules.counts(runs.derived(judged), "survey")
    )


def _of_ten_gigabits() -> dict[str, float]:
    standard = theory.ten_gigabits().set_index("algorithm").loc["standard"]
    return {
        "survey_ten_packets": standard["packets"] / 1e9,
        "survey_ten_minutes": standard["seconds"] / 60,
        "survey_ten_rounded": standard["seconds"] / 60 * 1.5 / 1.2**2,
        "survey_ten_recovery": standard["recovery_s"] / 60,
    }


def _of_figure_5(runs: Runs) -> dict[str, float]:
    six = analysis.against_printed(runs.derived(analysis.figure_5)).set_index("id")
    varied = analysis.variation(runs.derived(analysis.figure_5_rates))
    changes, deviation = list(VARIATIONS)[:2]
    step = varied.groupby("algorithm")[[changes, deviation]].mean()
    minute = analysis.first_minute(runs, "segment")
    standard = minute.loc[minute["algorithm"] == "standard", ["Mb/s", "loss %"]]
    apart = (1 / analysis.engines_agree(runs)["ratio"] - 1).abs()
    return {
        "survey_five_standard": six.at["survey-mean-standard", "measured"],
        "survey_minute_standard": standard["Mb/s"].mean(),
        "survey_minute_least": standard["Mb/s"].min(),
        "survey_minute_most": standard["Mb/s"].max(),
        "survey_minute_lost": standard["loss %"].mean()
        / six.at["survey-loss-standard", "measured"],
        "survey_ns3_off": 100 * apart.max(),
        "survey_part_highspeed": 100 * (six["part"]["survey-mean-highspeed"] - 1),
        "survey_change_standard": step.at["standard", changes],
        "survey_change_highspeed": step.at["highspeed", changes],
        "survey_change_scalable": step.at["scalable", changes],
        "survey_deviation_standard": step.at["standard", deviation],
        "survey_deviation_scalable": step.at["scalable", deviation],
    }


def _of_figures_3_and_4(runs: Runs) -> dict[str, float]:
    fitted, direct = runs.setting.ways
    buffers = runs.derived(analysis.figure_3).groupby(["path", "buffer"], sort=False)["Mb/s"].mean()
    parallel = runs.derived(analysis.figure_4).groupby(["path", "connections"], sort=False)
    slope, rate = parallel["slope"].mean(), parallel["Mb/s"].mean()
    return {
        "survey_lid_fitted": 100 * (1 - buffers[fitted, 1_000_000] / buffers[fitted, 8_000_000]),
        "survey_lid_direct": 100 * (1 - buffers[direct, 1_000_000] / buffers[direct, 8_000_000]),
        "survey_auto": 100 * buffers[fitted, "auto"] / buffers[fitted, 8_000_000],
        "survey_slope": slope[direct, "8 x 1 MB"] / slope[direct, "1 x 1 MB"],
        "survey_eight": rate[fitted, "8 x 1 MB"],
        "survey_one": rate[fitted, "1 x 8 MB"],
        "survey_four_direct": rate[direct, "4 x 1 MB"],
        "survey_eight_direct": rate[direct, "8 x 1 MB"],
    }


def _of_remedies(runs: Runs) -> dict[str, float]:
    table = runs.derived(analysis.remedies)
    rate = table.groupby("remedy", sort=False)["Mb/s"].mean()
    plain = table[table["remedy"] == "standard TCP"]
    alone = rate["standard TCP"]
    return {
        "survey_remedy_standard": alone,
        "survey_remedy_jumbo": rate["9000-byte packets"] / alone,
        "survey_remedy_bits": rate["9000-byte packets, loss by bits"]
        / rate["1500-byte packets, loss by bits"],
        "survey_remedy_eight": rate["8 connections"],
        "survey_remedy_split": rate["relay in the middle"] / alone,
        "survey_remedy_highspeed": rate["HSTCP"],
        "survey_remedy_fast": rate["FAST TCP"],
        "survey_timed_out": int((plain["timeouts"] > 0).sum()),
        "survey_timed_out_of": len(plain),
        "survey_striped": rate["4 connections, two such paths"] / rate["4 connections"],
        "survey_striped_narrow": rate["4 connections, two paths of 10 Mb/s"]
        / rate["4 connections, one path of 10 Mb/s"],
    }


def _of_starts(runs: Runs) -> dict[str, float]:
    table = runs.derived(analysis.starts)
    long = runs.setting.measured["queue_packets"]
    dropped = table[table["queue"] == long].groupby("start")["dropped"].mean()
    return {
        "survey_starts_runs": int((table["start"] == "standard TCP").sum()),
        "survey_drop_long": dropped["standard TCP"],
        "survey_drop_limited": dropped["limited slow start"],
    }


def _of_combined(runs: Runs) -> dict[str, float]:
    """Return how long a file takes by the senders and starts of `plan.combined`, and what its queue
    drops (packets)."""
    means = runs.derived(analysis.combined).groupby(["sender", "start"])
    table = means[["transfer_s", "dropped"]].mean()
    found = {}
    for word, sender, starts in (
        ("hstcp", "HSTCP", {"plain": PLAIN, "limited": LIMITED_START, "quick": QUICK}),
        ("streams", "8 streams", {"plain": PLAIN, "limited": LIMITED_START}),
    ):
        for name, start in starts.items():
            row = table.loc[sender, start]
            found[f"survey_combined_{word}_{name}_s"] = row["transfer_s"]
            found[f"survey_combined_{word}_{name}_dropped"] = row["dropped"]
    return found


def _of_routers(runs: Runs) -> dict[str, float]:
    """Return how many times as much of CADPC carry together as of standard TCP, by their number;
    and how many packets its routers pass on for one that they write into."""
    rows = routers.evidence(runs.derived(routers.shares), runs.derived(routers.crowds))
    claim = f"{routers.ALONE['CADPC']}-throughput"
    carried = {row["setting"]: row["measured"] for row in rows if row["claim"] == claim}
    settings = ("", *(f"{flows} of its kind" for flows in routers.COUNTS))
    found = {
        f"survey_cadpc_{name}": carried.get(setting, np.nan)
        for name, setting in zip(("two", "four", "eight"), settings, strict=True)
    }
    return found | {"survey_cadpc_packets": runs.derived(routers.queries)["packets"].mean()}


def _of_sharing(runs: Runs) -> dict[str, float]:
    shares = runs.derived(analysis.settled_shares)
    kept = shares.groupby(["pair", "queue"], sort=False)["first"].mean()

    def beside(name: str, queue: str = FITTED_QUEUE) -> float:
        return float(kept.get((f"standard TCP and {name}", queue), np.nan))

    marked = beside("HSTCP", "1300 packets, marks from 150 on")
    return {
        "survey_kept_highspeed": 100 * beside("HSTCP") / beside("standard TCP"),
        "survey_kept_scalable": 100 * beside("Scalable TCP") / beside("standard TCP"),
        "survey_marks": marked / beside("HSTCP", "1300 packets"),
    }


SAID = {  # ways whose numbers the sentences have
    "standard": "standard TCP",
    "jumbo": "9000-byte packets",
    "gridftp": "GridFTP, 8 streams",
    "highspeed": "HSTCP",
    "limited": "HSTCP, limited slow start",
    "scalable": "Scalable TCP",
    "fast": "FAST TCP",
    "rbudp": "RBUDP",
    "tsunami": "Tsunami",
    "ecn": "ECN",
    "xcp": "XCP",
    "cadpc": "CADPC",
    "quick": "Quick-Start",
    "cubic": "CUBIC",
    "bbr": "BBR 3",
}


def _of_all(runs: Runs) -> dict[str, float]:
    """Return how long a gigabyte takes by each way, and what a neighbour keeps (per cent)."""
    table = runs.derived(analysis.surveyed).set_index("how")
    found = {f"survey_all_{name}_s": table.at[how, "time_s"] for name, how in SAID.items()}
    kept = {f"survey_all_{name}_kept": 100 * table.at[how, "kept"] for name, how in SAID.items()}
    return found | kept | {"survey_all_link_s": files.LINK_S}


def _of_queues(runs: Runs) -> dict[str, float]:
    """Return what standard TCP keeps beside others by the queue (per cent), and their variation."""
    table = runs.derived(analysis.queue_means).set_index(["second", "queue"])
    found = {}
    for second in ("highspeed", "scalable"):
        kept, steady = (table.loc[second, value] for value in ("kept", "variation"))
        for name, queue in (("short", "0.1"), ("one", "1"), ("long", "4")):
            found[f"survey_queue_{second}_{name}"] = 100 * kept[queue]
        for name in MANAGED:
            key = f"survey_{name.lower().replace(' ', '_')}_{second}"
            found[key] = 100 * kept[name]
            for end in ("low", "high"):
                found[f"{key}_{end}"] = 100 * table.at[(second, name), f"kept_{end}"]
        lengths = [f"{length:g}" for length in LENGTHS]
        found[f"survey_steady_{second}_least"] = steady[lengths].min()
        found[f"survey_steady_{second}_most"] = steady[lengths].max()
        found[f"survey_steady_{second}_red"] = steady["RED"]
    return found


def _of_paths(runs: Runs) -> dict[str, float]:
    """Return how near to figure 5's numbers the paths come that were drawn, by mechanism."""
    table = runs.derived(analysis.nearest_paths).set_index("mechanism")
    names = dict(
        zip(MECHANISMS, ("queue", "random", "bursts", "host", "others", "all"), strict=True)
    )
    return {
        "survey_paths": int(table["paths"].sum()),
        "survey_paths_near": int(table["within"].sum()),
        "survey_paths_best": table["factor"].min(),
        **{f"survey_paths_{name}": table.at[one, "factor"] for one, name in names.items()},
    }


def long_numbers(runs: Runs) -> dict[str, float]:
    """Return what the sentences of the long version say."""
    region = runs.derived(analysis.region)
    measured = region.loc[region["mbps"] == runs.setting.measured_mbps, "factor"]
    return {
        "survey_long_best": region["factor"].min(),
        "survey_long_measured": measured.min(),
    }
