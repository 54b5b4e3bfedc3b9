"""What came of Hybla's runs, beside the model: the data of the chapter's figures and tables."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Runs
from longfat.papers import hybla
from longfat.papers.hybla import derivation, plan
from longfat.papers.hybla.network import SATELLITE
from longfat.papers.hybla.plan import LEGS, THRESHOLD, WINDOW, Setting
from longfat.papers.hybla.theory import QUANTITIES, model
from longfat.result import Result
from longfat.style import label

TIMED = "transfer_time"  # a parameter that needs no other run: from when and until when

# --- of the runs alone


def shares(runs: Runs) -> pd.DataFrame:
    """Return which part of a shared link the flow over the long way gets.

    Columns: algorithm and rtt_s (of the long way), seed, share (its part of what both get), Mb/s
    (both together), and timeouts (of the one over the long way).
    """
    flows = runs.flows("hybla-sharing")
    both = flows.groupby("scenario")["Mb/s"].sum()
    mine = flows[flows["flow"] == SATELLITE].set_index("scenario")
    shares = mine[["algorithm", "rtt_s", "seed", "timeouts"]].assign(
        share=mine["Mb/s"] / both, both=both
    )
    return shares.rename(columns={"both": "Mb/s"}).reset_index(drop=True)


def overflow(runs: Runs) -> pd.DataFrame:
    """Return the windows on ns-3 with our Hybla and with its own, without loss.

    Columns: algorithm, flow, time_s, cwnd_segments.
    """
    return _windows(runs.results("hybla-overflow"), "algorithm", plan.OVERFLOW.values())


def starts(runs: Runs) -> pd.DataFrame:
    """Return the windows on Linux with the paper's start and with its own.

    Columns: start, flow, time_s, cwnd_segments.
    """
    return _windows(runs.results("hybla-emulation-start"), "start", plan.STARTS.values())


def window_traces(runs: Runs) -> pd.DataFrame:
    """Return the windows on the segment engine at three loss rates.

    Columns: loss, flow, time_s, cwnd_segments, ssthresh_segments.
    """
    results = runs.results("hybla-windows")
    losses = [result.scenario.links[0].loss_per_packet for result in results]
    traces = _windows(results, "loss", losses)
    halved = [
        result.traces[THRESHOLD].assign(loss=loss)
        for loss, result in zip(losses, results, strict=True)
        if THRESHOLD in result.traces  # it is not, where nothing was lost
    ]
    if not halved:
        return traces.assign(**{THRESHOLD: np.nan})
    return pd.merge_asof(
        traces.sort_values("time_s"),
        pd.concat(halved).sort_values("time_s").drop(columns="flow"),
        on="time_s",
        by="loss",
    ).sort_values(["loss", "time_s"])


def growing_window(runs: Runs) -> pd.DataFrame:
    """Return a window that grows without loss: columns time_s, cwnd_segments."""
    (result,) = runs.results("hybla-growth")
    return result.traces[WINDOW]


def growth(runs: Runs) -> pd.DataFrame:
    """Return what each round trip adds to that window, a row a round trip.

    Columns: time_s (its end) and window (there); before (at its beginning); added; by_acks, what
    (1) adds for so many ACKs; printed, the rho^2 of (6) and (14).
    """
    setting, trace = runs.setting, runs.derived(growing_window)
    rounds = np.arange(2, int(plan.GROWTH_S / setting.rtt_s))
    ends = rounds * setting.rtt_s + 0.9 * setting.rtt_s  # after the ACKs of that round trip
    window = measures.values_at(trace, WINDOW, ends)
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    table = pd.DataFrame({"time_s": ends, "window": window})
    table["before"] = table["window"].shift()
    table["added"] = table["window"] - table["before"]
    table["by_acks"] = derivation.window_after_round(table["before"], ratio) - table["before"]
    return table.assign(printed=ratio**2).dropna()


def bursts(runs: Runs) -> pd.DataFrame:
    """Return the goodput where losses come in bursts, beside the model that keeps windows apart.

    Columns: loss (of all packets), burst_packets (mean length of a burst), Mb/s and halfwidth (of
    its 95 % interval), timeouts (mean of a run); each_mbps, the model as if each loss came by
    itself; once_mbps, as if a burst were one loss.
    """
    setting, flows = runs.setting, runs.flows("hybla-bursts")
    by = ["loss", "burst_packets"]
    table = statistics.interval(flows, by, "Mb/s").drop(columns="repetitions")
    table["timeouts"] = flows.groupby(by)["timeouts"].mean().to_numpy()
    loss = table["loss"].to_numpy()
    for name, counted in (("each_mbps", loss), ("once_mbps", loss / table["burst_packets"])):
        rate = hybla.throughput(np.asarray(counted), **setting.model, model="renewal")
        table[name] = setting.megabits * rate
    return table


def dummynet(runs: Runs) -> pd.DataFrame:
    """Return how far the model is from 100 s of Hybla behind an emulator's clock and queue.

    Columns: clock, rate_bps, loss, measured and halfwidth (Mb/s), model, difference and
    difference_halfwidth (per cent of the model).
    """
    setting, flows = runs.setting, runs.flows("hybla-dummynet")
    by = ["clock", "rate_bps", "loss"]
    table = statistics.interval(flows.rename(columns={"Mb/s": "measured"}), by, "measured")
    table["model"] = model(setting, "steady", "throughput", table["loss"].to_numpy())
    table = statistics.difference_percent(table, "measured", "model")
    order = {name: place for place, name in enumerate(plan.DUMMYNET)}
    return table.sort_values(
        ["rate_bps", "clock", "loss"],
        key=lambda column: column.map(order) if column.name == "clock" else -column,
        kind="stable",
        ignore_index=True,
    )


FILE_LOSSES = (1e-6, 1e-4, 1e-3, 1e-2)
FILE_PARTS = {  # of (39): the handshake less half a round trip, and three more
    "handshake": "T_twhs",
    "slow start": "T_ss",
    "first loss": "T_loss",
    "steady state": "T_ca",
}


def file_parts(runs: Runs) -> pd.DataFrame:
    """Return the four parts of a file's time by the model, beside the segment engine's.

    A row a size and loss rate. Columns: megabytes, loss, those of `FILE_PARTS` (s), measured and
    halfwidth (of its 95 % interval, s).
    """
    setting, flows = runs.setting, runs.flows("hybla-transfers")
    measured = statistics.interval(flows, ["megabytes", "loss"], "transfer_time_s")
    measured = measured.set_index(["megabytes", "loss"])
    rows = []
    for megabytes, segments in zip(
        setting.transfer_megabytes, setting.segments.values(), strict=True
    ):
        for loss in FILE_LOSSES:
            if (megabytes, loss) not in measured.index:
                continue
            model = hybla.latency(segments, loss, rto=setting.rto_s, **setting.model).iloc[0]
            parts = {name: float(model[symbol]) for name, symbol in FILE_PARTS.items()}
            parts["handshake"] -= setting.rtt_s / 2
            one = measured.loc[megabytes, loss]
            times = {"measured": one["transfer_time_s"], "halfwidth": one["halfwidth"]}
            rows.append({"megabytes": megabytes, "loss": loss} | parts | times)
    return pd.DataFrame(rows)


def distances(runs: Runs) -> pd.DataFrame:
    """Return how far the model with a distribution of windows is from each engine, and these from
    each other, in steady state: a row a loss rate that all have.

    In per cent, each with half of its 95 % interval (± NAME). Columns: loss; model and segment
    engine, model and ns-3, ns-3 and segment engine, model and ns-2, ns-2 and segment engine (runs
    of the simulation's length); model and Linux, Linux and segment engine (of the emulation's
    length, from whose model the start is taken off as the segment engine has it at the smallest
    loss rate).
    """
    setting = runs.setting
    legs = ("segment", "ns3-simulation", "ns2", "linux", "segment-emulation")
    flows = runs.flows(*(plan.archive(leg, "steady") for leg in legs))
    table = statistics.interval(flows, ["leg", "loss"], "Mb/s").set_index(["leg", "loss"])
    means, halves = table["Mb/s"], table["halfwidth"]
    least = means["segment"].index.min()
    start = means["segment-emulation", least] / means["segment", least]
    rows = []
    for loss in sorted(set.intersection(*(set(means[leg].index) for leg in legs))):
        rate = setting.megabits * float(hybla.throughput(loss, **setting.model, model="renewal"))
        row = {"loss": loss}
        for name, one, other in (
            ("model and segment engine", rate, "segment"),
            ("model and ns-3", rate, "ns3-simulation"),
            ("ns-3 and segment engine", "ns3-simulation", "segment"),
            ("model and ns-2", rate, "ns2"),
            ("ns-2 and segment engine", "ns2", "segment"),
            ("model and Linux", start * rate, "linux"),
            ("Linux and segment engine", "linux", "segment-emulation"),
        ):
            upper = means[one, loss] if isinstance(one, str) else one
            own = halves[one, loss] / upper if isinstance(one, str) else 0.0
            ratio = upper / means[other, loss]
            wide = np.hypot(own, halves[other, loss] / means[other, loss])
            row |= {name: 100 * (ratio - 1), f"± {name}": 100 * ratio * wide}
        rows.append(row)
    return pd.DataFrame(rows)


def _windows(results: list[Result], by: str, names: Iterable) -> pd.DataFrame:
    """Return the congestion windows of several runs, each to its end; a column says whose."""
    if not results:
        return pd.DataFrame(columns=[by, "flow", "time_s", WINDOW])
    traces = [
        measures.extended_trace(result.traces[WINDOW], result.scenario.duration_s).assign(
            **{by: name}
        )
        for result, name in zip(results, names, strict=True)
    ]
    return pd.concat(traces)


def retimed_transfers(setting: Setting, transfers: pd.DataFrame) -> pd.DataFrame:
    """Return the segment engine's transfers with their time taken otherwise, by `VARIED`'s columns.

    Ours run from the SYN to the arrival of the last byte. The handshake takes a round trip, and the
    sender knows the end half a round trip later (`plan.TIMING_ROUND_TRIPS`).
    """
    runs = transfers[transfers["leg"] == "segment"]
    otherwise = {value: trips for value, trips in plan.TIMING_ROUND_TRIPS.items() if trips}
    tables = []
    for value, trips in otherwise.items():
        time_s = runs["transfer_time_s"] + trips * setting.rtt_s
        rate = 8 * runs["megabytes"] / time_s
        changed = runs.assign(transfer_time_s=time_s, **{"Mb/s": rate})
        tables.append(changed.assign(parameter=TIMED, value=value))
    return pd.concat(tables, ignore_index=True)


# --- model and runs beside each other


def compared(runs: Runs) -> pd.DataFrame:
    """Return every measured quantity beside the model's, with what the paper states (`compare`)."""
    return compare(runs.setting, runs.flows(*plan.STEADY), runs.flows(*plan.TRANSFERS))


def varied(runs: Runs) -> pd.DataFrame:
    """Return the same with each unstated parameter changed alone."""
    steady, transfers = runs.flows(*plan.VARIED_STEADY), runs.flows(*plan.VARIED_TRANSFERS)
    return compare(runs.setting, steady, transfers)


def compare(setting: Setting, steady: pd.DataFrame, transfers: pd.DataFrame) -> pd.DataFrame:
    """Return every measured quantity beside the model's.

    The arguments are flows of the plan's `STEADY` and `TRANSFERS`, or of `VARIED_STEADY` and
    `VARIED_TRANSFERS`. A row a leg, parameter and value ("" where nothing is varied), transfer and
    metric ("steady" or a name of `Setting.segments`; keys of `QUANTITIES`) and loss; columns
    experiment; measured, halfwidth (of its 95 % interval) and model, in Mb/s or s; repetitions;
    difference and difference_halfwidth, (model - measured) / model in per cent.
    """
    return pd.concat(
        [compare_steady(setting, steady), compare_transfers(setting, transfers)], ignore_index=True
    )


def compare_steady(setting: Setting, steady: pd.DataFrame) -> pd.DataFrame:
    """Return the steady throughput beside the model's (`compare`)."""
    return _beside_model(setting, steady, "steady", "throughput")


def compare_transfers(setting: Setting, transfers: pd.DataFrame) -> pd.DataFrame:
    """Return throughput and time of each transfer beside the model's (`compare`)."""
    tables = []
    for megabytes, transfer in zip(setting.transfer_megabytes, setting.segments, strict=True):
        some = transfers[transfers["megabytes"] == megabytes]
        tables += [_beside_model(setting, some, transfer, metric) for metric in QUANTITIES]
    return pd.concat(tables, ignore_index=True)


def _beside_model(setting: Setting, runs: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    runs = each_beside_model(setting, runs, transfer, metric)
    by = ["leg", "parameter", "value", "experiment", "loss", "model"]
    points = statistics.interval(runs, by, "measured")
    points = statistics.difference_percent(points, "measured", "model")
    return points.assign(transfer=transfer, metric=metric)


def each_beside_model(
    setting: Setting, runs: pd.DataFrame, transfer: str, metric: str
) -> pd.DataFrame:
    """Return a row a run: leg, parameter, value, experiment, loss, measured, model, difference.

    The last three as `compare` has them.
    """
    column = {"throughput": "Mb/s", "transfer_time": "transfer_time_s"}[metric]
    if "parameter" not in runs:
        runs = runs.assign(parameter="", value="")
    losses = runs["loss"].unique()
    known = dict(zip(losses, np.atleast_1d(model(setting, transfer, metric, losses)), strict=True))
    named = runs[["leg", "parameter", "value", "experiment", "loss"]]
    runs = named.assign(measured=runs[column], model=runs["loss"].map(known))
    return runs.assign(difference=100 * (1 - runs["measured"] / runs["model"]))


def points(compared: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the points of one of the paper's figures from the table of `compare`.

    Columns: engine (as readers know it), loss, the quantity under its unit, halfwidth, repetitions,
    model. Legs in the order of `LEGS`; none that repeats another one's engine.
    """
    chosen = compared[(compared["transfer"] == transfer) & (compared["metric"] == metric)]
    chosen = chosen[chosen["leg"] != "segment-emulation"]
    order = chosen["leg"].map({name: place for place, name in enumerate(LEGS)})
    chosen = chosen.assign(order=order).sort_values(["order", "loss"])
    labels = chosen["leg"].map({name: leg.label for name, leg in LEGS.items()})
    columns = ["engine", "loss", "measured", "halfwidth", "repetitions", "model"]
    table = chosen.assign(engine=labels)[columns]
    return table.rename(columns={"measured": QUANTITIES[metric]}).reset_index(drop=True)


def differences(compared: pd.DataFrame, metric: str = "throughput", **chosen: str) -> pd.DataFrame:
    """Return differences from the model as text: a row a loss, a column a transfer and leg.

    `chosen` are columns of `compared` (of `compare`) and what they must be. With varied settings
    the columns are these.
    """
    table = compared[compared["metric"] == metric]
    for column, value in chosen.items():
        table = table[table[column] == value]
    column = table["transfer"] + ", " + table["leg"].map({n: leg.label for n, leg in LEGS.items()})
    if (table["parameter"] != "").any():
        column = table["parameter"].map(label) + ": " + table["value"]
    wide = table.assign(column=column, text=_texts(table))
    return (
        wide.pivot(index="loss", columns="column", values="text")[list(dict.fromkeys(column))]
        .rename_axis(columns=None)
        .reset_index()
    )


def _texts(table: pd.DataFrame) -> list[str]:
    """Return each row's difference, with its interval where it has one."""
    return [
        f"{row.difference:+.2f}"
        + ("" if pd.isna(row.difference_halfwidth) else f" ± {row.difference_halfwidth:.2f}")
        for row in table.itertuples()
    ]


def events(setting: Setting, runs: pd.DataFrame, duration_s: float) -> pd.DataFrame:
    """Return how many cycles the model has in a steady run, beside the mean counts of the runs.

    `runs` is one leg's of the plan's `STEADY`, of which each lasts `duration_s`. Columns: loss;
    cycles, model; recoveries; timeouts.
    """
    counts = runs.groupby("loss")[["recoveries", "timeouts"]].mean().reset_index()
    cycle_s = hybla.steady_state(counts["loss"].to_numpy(), **setting.model)["A"]
    counts.insert(1, "cycles, model", duration_s / cycle_s)
    return counts


MENDED: dict[str, tuple[str, ...]] = {
    "the paper's model": (),
    "halved once": ("halving",),
    "growth by ACKs": ("growth",),
    "both": ("halving", "growth"),
    "(17) counted as (8)": ("count",),
}
RENEWAL = "a distribution of windows"


def mended(setting: Setting, compared: pd.DataFrame, leg: str = "segment") -> pd.DataFrame:
    """Return the steady goodput of a leg's runs and of the model with premises mended.

    In Mb/s: columns loss, measured, those of `MENDED`, and `RENEWAL`, which is of
    `renewal.throughput`. `compared` is of `compare`.
    """
    chosen = compared[(compared["leg"] == leg) & (compared["transfer"] == "steady")]
    table = chosen[["loss", "measured"]].sort_values("loss").reset_index(drop=True)
    for name, premises in MENDED.items():
        table[name] = [
            setting.megabits
            * derivation.mended_cycle(
                loss, setting.rtt_s, setting.rtt0_s, setting.max_window_segments, premises
            ).B
            for loss in table["loss"]
        ]
    table[RENEWAL] = setting.megabits * hybla.throughput(
        table["loss"].to_numpy(), **setting.model, model="renewal"
    )
    return table
