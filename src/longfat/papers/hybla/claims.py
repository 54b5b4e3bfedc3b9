"""The claims of the Hybla paper: by what each is judged, and what the chapter's sentences say."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.experiment import Part, Runs, made
from longfat.papers import hybla, joint
from longfat.papers.hybla import analysis, derivation, plan
from longfat.papers.hybla.analysis import each_beside_model
from longfat.papers.hybla.plan import LEGS, ROBUST, Setting
from longfat.papers.hybla.theory import QUANTITIES
from longfat.style import ENGINE_LABEL
from longfat.verdicts import rules
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

PRINTED_REPETITIONS = int(papers.value("hybla", "repetitions"))  # of which it printed means
# What the claims are judged by, by the names of `evidence`'s arguments.
PARTS = {
    "steady": Part(plan.STEADY, lambda runs: runs.flows(*plan.STEADY)),
    "transfers": Part(plan.TRANSFERS, lambda runs: runs.flows(*plan.TRANSFERS)),
    "varied_steady": Part(
        plan.VARIED_STEADY, lambda runs: runs.flows(*plan.VARIED_STEADY), sensitivity=True
    ),
    "varied_transfers": Part(
        plan.VARIED_TRANSFERS, lambda runs: runs.flows(*plan.VARIED_TRANSFERS), sensitivity=True
    ),
    "beside": Part(("hybla-beside",), lambda runs: runs.flows("hybla-beside")),
    "rounds": Part(("hybla-growth",), analysis.growth),
}


SETTING_OF_RUNS = ("leg", "parameter", "value", "experiment")  # columns of `each_beside_model`


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`judge`)."""
    found = evidence(runs.setting, **made(PARTS, runs))
    return judge(papers.claims("hybla"), found, joint.written("hybla"))


def evidence(
    setting: Setting,
    *,
    steady: pd.DataFrame,
    transfers: pd.DataFrame,
    beside: pd.DataFrame,
    rounds: pd.DataFrame,
    varied_steady: pd.DataFrame | None = None,
    varied_transfers: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return what every claim is judged by, as `judge` takes it.

    The arguments are tables of `PARTS`. The time of a transfer is also taken otherwise, which needs
    no other run.
    """
    claims = papers.claims("hybla")
    retimed = analysis.retimed_transfers(setting, transfers)
    changed = pd.concat(
        [retimed] if varied_transfers is None else [varied_transfers, retimed], ignore_index=True
    )
    parts = [(steady, "steady", "throughput")]
    if varied_steady is not None:
        parts.append((varied_steady, "steady", "throughput"))
    for megabytes, transfer in zip(setting.transfer_megabytes, setting.segments, strict=True):
        for metric in QUANTITIES:
            for runs in (transfers, changed):
                parts.append((runs[runs["megabytes"] == megabytes], transfer, metric))
    apart = pd.concat(
        [
            each_beside_model(setting, runs, transfer, metric).assign(
                transfer=transfer, metric=metric
            )
            for runs, transfer, metric in parts
            if len(runs)
        ],
        ignore_index=True,
    ).astype(dict.fromkeys([*SETTING_OF_RUNS, "transfer", "metric"], "category"))
    rows = of_differences(setting, claims, apart) + of_the_question(beside)
    rows += _of_growth(setting, rounds) + _of_the_tails(setting)
    return pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))


def of_differences(setting: Setting, claims: pd.DataFrame, apart: pd.DataFrame) -> list[dict]:
    """Return the evidence on all claims about differences from the model.

    `apart` is of `each_beside_model`, with transfer and metric.
    """
    rows: list[dict] = []
    runs = _runs_by_kind(apart)
    for claim in claims[claims["method"].notna()].itertuples():
        legs = [
            name
            for name, leg in LEGS.items()
            if claim.method in (leg.methods if claim.transfer == "steady" else leg.transfers)
        ]
        rows += _of_differences(setting, claim, runs, legs)
    return rows + _of_large_transfers(setting, claims, runs)


def steady_evidence(claims: pd.DataFrame, runs: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return the evidence of other steady runs on claims about the steady state.

    `runs` has the columns loss and goodput_bps, of the paper's own path (`satellite`) on the
    segment engine; the loss rates that it has are those that the claims are judged at.
    """
    at = plan.setting("paper", loss_rates=sorted(runs["loss"].unique()))
    given = runs.assign(leg="segment", experiment=experiment, **{"Mb/s": runs["goodput_bps"] / 1e6})
    apart = each_beside_model(at, given, "steady", "throughput")
    by_kind = _runs_by_kind(apart.assign(transfer="steady", metric="throughput"))
    rows = [
        row
        for claim in claims.itertuples()
        for row in _of_differences(at, claim, by_kind, ["segment"])
    ]
    return pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))


class RunsOfSetting(NamedTuple):
    """The runs of one setting: loss rates, and differences from the model in per cent."""

    leg: str
    parameter: str
    value: str
    experiment: str
    losses: np.ndarray
    differences: np.ndarray


RunsByKind = dict[tuple[str, str], list[RunsOfSetting]]  # by transfer and metric


def _runs_by_kind(apart: pd.DataFrame) -> RunsByKind:
    """Return the runs that `of_differences` takes by transfer and metric, setting by setting.

    The order is that of a setting's first run, at whatever loss rate.
    """
    losses, differences = apart["loss"].to_numpy(), apart["difference"].to_numpy()
    by = ["transfer", "metric", *SETTING_OF_RUNS]
    found: RunsByKind = {}
    places = apart.groupby(by, sort=False, observed=True).indices
    for (*kind, leg, parameter, value, experiment), here in sorted(
        places.items(), key=lambda setting: setting[1][0]
    ):
        own = RunsOfSetting(leg, parameter, value, experiment, losses[here], differences[here])
        found.setdefault(tuple(kind), []).append(own)
    return found


def _of_differences(
    setting: Setting, claim: Any, by_kind: RunsByKind, legs: Collection[str]
) -> list[dict]:
    """Return the evidence of some legs on a claim about differences from the model.

    Only of settings at which every loss rate was run that the claim speaks of: the largest
    difference of some of them is not the largest.
    """
    low, high = 0.999 * claim.loss_min, 1.001 * claim.loss_max
    asked = {loss for loss in setting.loss_rates if low <= loss <= high}
    rows = []
    for leg, parameter, value, experiment, losses, differences in by_kind.get(
        (claim.transfer, claim.metric), ()
    ):
        here = (low <= losses) & (losses <= high)
        at, found_at = losses[here], differences[here]
        if leg not in legs or not asked or set(at) != asked:
            continue
        row = {
            "claim": claim.id,
            "engine": LEGS[leg].engine,
            "parameter": parameter,
            "setting": value,
            "experiment": experiment,
        }
        if claim.rule == "maximum":
            found = statistics.maximum(at, found_at, PRINTED_REPETITIONS)
            rows.append(row | found | {"at": _at(found["at"])})
            continue
        for loss in np.unique(at):
            found = statistics.mean(found_at[at == loss])
            if found["measured"] < 0:  # how far from the model, on whichever side
                ends = {"low": -found["high"], "high": -found["low"]}
                found |= ends | {"measured": -found["measured"]}
            rows.append(row | found | {"at": _at(loss)})
    return rows


def _at(loss: float) -> str:
    mantissa, exponent = f"{loss:.0e}".split("e")
    power = f"10^{{{int(exponent)}}}"
    return f"$p = {power}$" if mantissa == "1" else f"$p = {mantissa} \\times {power}$"


def _of_large_transfers(setting: Setting, claims: pd.DataFrame, by_kind: RunsByKind) -> list[dict]:
    """Return the evidence on the paper's conclusion: that of its three parts together.

    By each engine that stands beside the paper's simulation, at settings that it ran all three at.
    """
    (claim,) = claims[claims["id"] == "hybla-s5-valid"].itertuples()
    legs = [name for name, leg in LEGS.items() if "simulation" in {*leg.methods, *leg.transfers}]
    parts = {}
    for transfer in ("steady", *list(setting.segments)[1:]):
        part = claim._replace(transfer=transfer, metric="throughput")
        parts[transfer] = _of_differences(setting, part, by_kind, legs)

    def where(row: dict) -> tuple[str, str, str]:
        return row["engine"], row["parameter"], row["setting"]

    whole = set.intersection(*({where(row) for row in rows} for rows in parts.values()))
    found = []
    for transfer, rows in parts.items():
        what = "steady state" if transfer == "steady" else f"{transfer[:-2]} MB"
        found += [row | {"at": f"{what}, {row['at']}"} for row in rows if where(row) in whole]
    return found


def of_the_question(beside: pd.DataFrame) -> list[dict]:
    """Return the evidence that Hybla is faster than Reno: goodput over NewReno's, pair by pair.

    `beside` has algorithm, loss, seed and Mb/s.
    """
    rows = []
    for loss, runs in beside.groupby("loss"):
        wide = runs.pivot(index="seed", columns="algorithm", values="Mb/s")
        found = statistics.paired(wide["hybla"], wide["newreno"], ratio=True)
        rows.append(_row("hybla-s1-reno", "segment", _at(loss), "hybla-beside", found))
    return rows


def _of_growth(setting: Setting, rounds: pd.DataFrame) -> list[dict]:
    """Return what a round trip adds: by (1) after a halving, and as measured, window by window."""
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    half = setting.max_window_segments / 2
    exact = float(derivation.window_after_round(half, ratio)) - half
    found = {"measured": exact, "low": exact, "high": exact, "runs": 1}
    at = f"a window of {half:g}"
    rows = [_row("hybla-s2-growth", "arithmetic", at, "", found)]
    for one in rounds[rounds["before"] < 2 * setting.max_window_segments].itertuples():
        found = {"measured": one.added, "low": one.added, "high": one.added, "runs": 1}
        at = f"a window of {one.before:.0f}"
        rows.append(_row("hybla-s2-growth", "segment", at, "hybla-growth", found))
    return rows


def _of_the_tails(setting: Setting) -> list[dict]:
    """Return how far (3) and (4) are from the sums to W - 3, at the model's own windows."""
    loss = np.array(setting.loss_rates)
    peaks = np.floor(hybla.peak_window(loss, **setting.model))
    table = derivation.dropped_tail(peaks, loss)
    rows = []
    for name, number in (("L", 3), ("D", 4)):
        largest = 100 * float(table[f"{name}_error"].max())
        found = {"measured": largest, "low": largest, "high": largest, "runs": 1}
        rows.append(_row("hybla-s3-tails", "arithmetic", f"equation ({number})", "", found))
    return rows


def _row(claim: str, engine: str, at: str, experiment: str, found: dict) -> dict:
    where = {"claim": claim, "engine": engine, "parameter": "", "setting": ""}
    return where | {"at": at, "experiment": experiment} | found


def bands(claims: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the bounds that section 4 puts on the paper's simulation, a row a range of loss.

    Columns loss_min, loss_max and printed (per cent).
    """
    return claims[
        (claims["method"] == "simulation")
        & (claims["transfer"] == transfer)
        & (claims["metric"] == metric)
        & (claims["where"] == "section 4")
    ]


def table_3(claims: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's table 3 with our numbers: a row a transfer.

    Columns: data, and for each metric and method the printed number and ours, on the engine that
    judges it, with the interval of a set of runs such as the paper's. `judged` is of `judge`.
    """
    table = claims[claims["where"] == "table 3"][["id", "transfer", "metric", "method"]]
    table = table.merge(judged[["id", "printed", "measured", "low", "high", "engine"]], on="id")
    table["ours"] = [
        "–" if pd.isna(row.measured) else f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]"
        for row in table.itertuples()
    ]
    rows = []
    for transfer, some in table.groupby("transfer", sort=False):
        row: dict[str, object] = {"data": transfer.replace("MB", " MB")}
        for one in some.itertuples():
            name = f"{one.metric.replace('_', ' ')}, {one.method}"
            ours = f"ours, {ENGINE_LABEL[one.engine]}" if one.engine else "ours"
            row |= {f"{name}: paper": f"{one.printed:.2f}", f"{name}: {ours}": one.ours}
        rows.append(row)
    return pd.DataFrame(rows)


# --- what the chapter's sentences say


def numbers_of_the_model(setting: Setting) -> dict[str, float]:
    """Return what sentences say of the model alone, by names that begin with `hybla_`."""
    half = setting.max_window_segments / 2
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    rtt_s, limit = setting.rtt_s, setting.max_window_segments
    state = hybla.steady_state([1e-4, 1e-3], **setting.model)
    by_acks = derivation.mended_cycle(1e-3, rtt_s, setting.rtt0_s, limit, ("growth",))
    jump = hybla.regime_jump(**setting.model).iloc[0]
    time_s = hybla.latency(1e4, 0, rto=setting.rto_s, **setting.model).iloc[0]
    parts = hybla.latency(1e4, 1e-4, rto=setting.rto_s, **setting.model).iloc[0]
    return {
        "hybla_ratio": ratio,
        "hybla_most": limit * setting.megabits / rtt_s,
        "hybla_reno_s": half * rtt_s,
        "hybla_at_limit": 100 * float(state["V"][0] / (state["A"][0] / rtt_s)),
        "hybla_cycle_s": float(state["A"][0]),
        "hybla_squared": ratio**2,
        "hybla_added": float(derivation.window_after_round(half, ratio)) - half,
        "hybla_rounds_printed": float(state["U"][1]),
        "hybla_rounds_by_acks": by_acks.U,
        "hybla_hundredth_model": setting.megabits * float(hybla.throughput(1e-2, **setting.model)),
        "hybla_jump": 100 * float(jump["jump"]),
        "hybla_jump_at": float(jump["loss"]),
        "hybla_small_s": float(time_s["T"]),
        "hybla_small_rounds": float(time_s["T_ss"]) / rtt_s,
        **{
            f"hybla_file_{name}": float(parts[name])
            for name in ("T_twhs", "T_ss", "T_loss", "T_ca", "T")
        },
    }


FEW = 1.5e-4  # up to one loss in ten thousand packets
UP_TO_TWO = 3e-3  # up to two in a thousand
EACH_ENGINE = ("ns2", "linux", "segment")  # legs whose differences sentences give side by side
EACH_STEADY = tuple(plan.archive(leg, "steady") for leg in EACH_ENGINE)
EACH_TRANSFERS = tuple(
    plan.archive(leg, "transfers") for leg in EACH_ENGINE if plan.LEGS[leg].transfers
)


def numbers_measured(runs: Runs) -> dict[str, float]:
    """Return what sentences say of the runs, by names that begin with `hybla_`.

    What was not run is missing (NaN).
    """
    setting = runs.setting
    varied, shares = runs.derived(analysis.varied), runs.derived(analysis.shares)
    beside = runs.flows("hybla-beside")
    goodput = beside.groupby(["algorithm", "loss"])["Mb/s"].mean().unstack("loss")
    share = shares.groupby(["algorithm", "rtt_s"])["share"].mean().unstack("rtt_s").iloc[:, -1]
    delayed = varied[(varied["leg"] == "segment") & (varied["parameter"] == "acked_per_ack")]
    delayed = delayed[delayed["transfer"] == "steady"]
    found = {"hybla_beside_s": min(300.0, setting.duration_s)}
    for loss, name in ((1e-3, "thousandth"), (2e-3, "two"), (1e-2, "hundredth")):
        found[f"hybla_delayed_{name}"] = _at_loss(delayed, loss, "difference")
    for loss, name in ((1e-4, "rare"), (1e-3, "often"), (1e-2, "always")):
        for algorithm in ROBUST:
            near = goodput.columns[np.isclose(goodput.columns, loss)]
            mean = float(goodput.loc[algorithm, near[0]]) if len(near) else float("nan")
            found[f"hybla_{algorithm}_{name}"] = mean
    found |= {f"hybla_share_{name}": 100 * float(share[name]) for name in ROBUST}
    found |= _of_sharing(shares) | {"hybla_bbr_from": _bbr_is_faster(goodput)}
    found |= runs.derived(of_each_engine) | _of_mended_models(runs) | _of_the_conclusion()
    found |= _of_bursts(runs) | _of_dummynet(runs) | _of_distances(runs)
    return found | rules.counts(runs.derived(judged), "hybla")


def _of_sharing(shares: pd.DataFrame) -> dict[str, float]:
    """Return Hybla's largest mean share beside a short path (per cent), and at which round trip
    (ms)."""
    own = shares[shares["algorithm"] == "hybla"].groupby("rtt_s")["share"].mean()
    return {
        "hybla_share_hybla_most": 100 * float(own.max()),
        "hybla_share_hybla_most_ms": 1e3 * float(own.idxmax()),
    }


def _bbr_is_faster(goodput: pd.DataFrame) -> float:
    """Return from which loss rate on BBR carries more than Hybla: one packet in so many.

    `goodput` has a row an algorithm and a column a loss rate.
    """
    rarer = 1.0
    for loss in sorted(goodput.columns, reverse=True):
        if not goodput.at["bbr", loss] > goodput.at["hybla", loss]:
            break
        rarer = float(loss)
    return 1 / rarer


def _at_loss(some: pd.DataFrame, loss: float, column: str) -> float:
    return float(some.loc[np.isclose(some["loss"], loss), column].mean())


def largest_differences(runs: Runs) -> dict[str, float]:
    """Return the largest mean differences from the model on each of `EACH_ENGINE`, in per cent.

    In the long run where losses are rare (few), up to two in a thousand (two) and at any loss rate
    (all), and of files where losses are rare: rate and time of the two larger ones (large) and of
    the smallest.
    """
    compared = analysis.compare(runs.setting, runs.flows(*EACH_STEADY), runs.flows(*EACH_TRANSFERS))
    small, *large = runs.setting.segments

    def largest(some: pd.DataFrame, most: float = 1.0) -> float:
        return float(some.loc[some["loss"] < most, "difference"].abs().max())

    found: dict[str, float] = {}
    for leg in EACH_ENGINE:
        steady = _of(compared, leg, ["steady"])
        found |= {
            f"hybla_{leg}_few": largest(steady, FEW),
            f"hybla_{leg}_two": largest(steady, UP_TO_TWO),
            f"hybla_{leg}_all": largest(steady),
        }
        for name, transfers in (("large", large), ("small", [small])):
            for metric, word in (("throughput", "rate"), ("transfer_time", "time")):
                files = _of(compared, leg, transfers, metric)
                found[f"hybla_{leg}_{name}_{word}"] = largest(files, FEW)
    return found


def _of(
    compared: pd.DataFrame, leg: str, transfers: Sequence[str], metric: str = "throughput"
) -> pd.DataFrame:
    some = compared[(compared["leg"] == leg) & (compared["metric"] == metric)]
    return some[some["transfer"].isin(transfers)]


def of_each_engine(runs: Runs) -> dict[str, float]:
    """Return `largest_differences`, and how far engines are from each other in the long run."""
    compared = runs.derived(analysis.compared)
    found = dict(runs.derived(largest_differences))
    for name, leg, other in (
        ("linux", "linux", "segment-emulation"),
        ("ns3", "ns3-simulation", "segment"),
    ):
        both = _of(compared, other, ["steady"]).merge(_of(compared, leg, ["steady"]), on="loss")
        apart = both["measured_x"] / both["measured_y"] - 1
        found[f"hybla_{name}_apart"] = float(100 * apart.abs().max())
    for name, leg in (("steady", "segment"), ("ns3", "ns3-simulation")):
        found[f"hybla_{name}_thousandth"] = _at_loss(
            _of(compared, leg, ["steady"]), 1e-3, "measured"
        )
    return found


def _of_mended_models(runs: Runs) -> dict[str, float]:
    """Return how far models are from the steady goodput of an engine, at most, in per cent of it.

    Up to one loss in a thousand packets (thousandth), up to two, or at any loss rate (all). Where a
    name has no engine it is the segment engine.
    """
    compared = runs.derived(analysis.compared)
    rates = {
        leg: analysis.mended(runs.setting, compared, leg).set_index("loss") for leg in EACH_ENGINE
    }

    def off(model: str, most: float, leg: str = "segment") -> float:
        own = rates[leg][rates[leg].index < most]
        return float(100 * (own[model] / own["measured"] - 1).abs().max())

    printed, one = "the paper's model", 1.5e-3
    both, counted = "both", "(17) counted as (8)"
    return {
        "hybla_printed_thousandth": off(printed, one),
        "hybla_linux_printed_thousandth": off(printed, one, "linux"),
        "hybla_ns2_printed_thousandth": off(printed, one, "ns2"),
        "hybla_ns2_printed_two": off(printed, UP_TO_TWO, "ns2"),
        "hybla_ns2_printed_all": off(printed, 1.0, "ns2"),
        "hybla_both_thousandth": off(both, one),
        "hybla_counted_thousandth": off(counted, one),
        "hybla_counted_two": off(counted, UP_TO_TWO),
        "hybla_linux_counted_two": off(counted, UP_TO_TWO, "linux"),
        "hybla_ns2_counted_two": off(counted, UP_TO_TWO, "ns2"),
        "hybla_renewal_two": off(analysis.RENEWAL, UP_TO_TWO),
        "hybla_linux_renewal_two": off(analysis.RENEWAL, UP_TO_TWO, "linux"),
        "hybla_renewal_all": off(analysis.RENEWAL, 1.0),
    }


def _of_the_conclusion() -> dict[str, float]:
    """Return at how many joint settings on ns-2 the paper's conclusion holds, fails and is open."""
    table = joint.written("hybla").query("id == 'hybla-s5-valid' and engine == 'ns2'")
    (row,) = table.itertuples()
    holds = round(row.share * (row.settings - row.open))
    return {
        "hybla_valid_settings": int(row.settings),
        "hybla_valid_holds": holds,
        "hybla_valid_open": int(row.open),
        "hybla_valid_fails": int(row.settings - row.open) - holds,
    }


LONGEST_BURST = 50  # packets: up to there a burst counts as one loss in the chapter's sentence


def _of_bursts(runs: Runs) -> dict[str, float]:
    """Return what bursts of losses change, and how far the model that counts each once is off."""
    table = runs.derived(analysis.bursts)
    rate = table.set_index(["loss", "burst_packets"])["Mb/s"]
    short = table[table["burst_packets"] <= LONGEST_BURST]
    off = (short["once_mbps"] / short["Mb/s"] - 1).abs()
    most, longest = table["loss"].max(), table["burst_packets"].max()
    return {
        "hybla_burst_one": float(rate[1e-3, 1]),
        "hybla_burst_ten": float(rate[1e-3, 10]),
        "hybla_burst_long": LONGEST_BURST,
        "hybla_burst_off": 100 * float(off.max()),
        "hybla_burst_window": float(rate[most, longest]),
    }


def _of_dummynet(runs: Runs) -> dict[str, float]:
    """Return the largest differences where losses are rare by the emulator's clock (per cent), and
    what a queue of 50 packets with it leaves (Mb/s)."""
    table = runs.derived(analysis.dummynet)
    fast = table[(table["rate_bps"] == 100e6) & (table["loss"] < FEW)].set_index("clock")
    clocks = {"none": "as in the other runs", "fast": "a tick of 10 ms"}
    both = fast.loc["both, 10 ms and 50 packets"]
    return {
        **{
            f"hybla_tick_{name}": float(fast.loc[clock, "difference"].abs().max())
            for name, clock in clocks.items()
        },
        "hybla_tick_queue": float(both["measured"].max()),
    }


def _of_distances(runs: Runs) -> dict[str, float]:
    """Return the largest distances of the model with a distribution from engines (per cent): at any
    loss rate, and up to two losses in a thousand packets."""
    table = runs.derived(analysis.distances).set_index("loss")
    columns = {
        "model_ns3": "model and ns-3",
        "ns3_segment": "ns-3 and segment engine",
        "model_ns2": "model and ns-2",
        "ns2_segment": "ns-2 and segment engine",
        "model_linux": "model and Linux",
        "linux_segment": "Linux and segment engine",
    }
    few = table[table.index < UP_TO_TWO]
    return {f"hybla_{name}": float(table[one].abs().max()) for name, one in columns.items()} | {
        f"hybla_{name}_two": float(few[one].abs().max()) for name, one in columns.items()
    }
