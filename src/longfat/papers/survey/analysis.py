"""What came of the survey's runs: the data of the chapter's figures and tables.

Goodputs are in Mb/s of payload, loss rates in per cent of the segments sent.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Runs
from longfat.papers import survey
from longfat.papers.survey import files, plan
from longfat.papers.survey.network import WITH_TIMESTAMPS
from longfat.papers.survey.plan import CONNECTIONS, CONTROLS, NAMES, STACK_EXPERIMENTS
from longfat.papers.survey.theory import SHORT, printed
from longfat.result import Result, Row
from longfat.style import ENGINE_LABEL

ASSUMED = ["loss", "queue", "mbps"]  # what the inverse problem is solved for
RATIOS = [f"{number} {name}" for number in ("Mb/s", "loss %") for name in SHORT.values()]
NEAR = 1.5  # a factor within which a path has a printed number
PRINTED_RUNS = 3  # of which the paper prints the mean


# --- what all have in common


def loss_flows(runs: Runs, name: str) -> pd.DataFrame:
    """Return an experiment's flows with the share of segments that was lost, as loss %."""
    flows = runs.flows(name)
    return flows.assign(**{"loss %": measures.loss_percent(flows)})


def goodputs(
    runs: Runs, name: str, interval_s: float, duration_s: float, seed: int | None = None
) -> pd.DataFrame:
    """Return the goodput over time of each flow, of all runs or of one seed.

    Columns: those of the experiment's design, flow, time_s, Mb/s.
    """
    design = runs.design(name)
    chosen = design.index if seed is None else design.index[design["seed"] == seed]
    results = runs.results(name)
    traces = [results[run].trace_columns("delivered_bytes") for run in chosen]
    rates = [measures.goodput_over_time(trace, interval_s, duration_s) for trace in traces]
    table = pd.concat(rates, keys=chosen, names=["run", None]).reset_index("run")
    table["Mb/s"] = table.pop("goodput_bps") / 1e6
    return design.join(table.set_index("run"), how="right").reset_index(drop=True)


def traces(results: Sequence[Result], series: str, **label: Sequence) -> pd.DataFrame:
    """Return the traces of a series in one table, with a column that tells whose they are."""
    [(column, values)] = label.items()
    return pd.concat(
        [
            result.traces[series].assign(**{column: value})
            for result, value in zip(results, values, strict=True)
        ],
        ignore_index=True,
    )


def totals(runs: Runs, name: str) -> pd.DataFrame:
    """Return the sums over an experiment's connections, a row a run.

    Columns: those of its design, Mb/s, dropped (by queues, packets), timeouts.
    """
    results = runs.results(name)
    return runs.design(name).assign(
        **{
            "Mb/s": [_total(result.flow_rows(), "goodput_bps") / 1e6 for result in results],
            "dropped": [
                _total(result.link_rows(), "packets_dropped_by_queue") for result in results
            ],
            "timeouts": [_total(result.flow_rows(), "timeouts") for result in results],
        }
    )


def _total(rows: list[Row], column: str) -> float:
    return np.sum([row[column] for row in rows])  # as pandas adds, to the last digit


def seed_means(table: pd.DataFrame, by: list[str], measures: list[str]) -> pd.DataFrame:
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


# --- one connection, and several


def window_traces(runs: Runs) -> pd.DataFrame:
    """Return a minute of standard TCP's window on a small pipe: name, time_s, cwnd_segments."""
    names = ("with SACK", "without SACK")
    windows = traces(runs.results("survey-windows"), "cwnd_segments", name=names)
    return _extended(windows, ["name"], 60)


def _extended(windows: pd.DataFrame, by: list[str], end_s: float) -> pd.DataFrame:
    """Return traces of which the last value of each lasts until `end_s`."""
    groups = windows.groupby(by, sort=False)
    return pd.concat([measures.extended_trace(one, end_s) for _, one in groups], ignore_index=True)


def region(runs: Runs) -> pd.DataFrame:
    """Return how far each combination of assumptions is from figure 5's numbers, by one run each.

    Columns: `ASSUMED`, `RATIOS` (measured / printed), factor and ordered, as `statistics.fit` has
    them.
    """
    flows = loss_flows(runs, "survey-region")
    flows = flows.assign(algorithm=flows["algorithm"].map(SHORT))
    return statistics.fit(flows, ASSUMED, "algorithm", printed().rename(index=SHORT))


def figure_5(runs: Runs) -> pd.DataFrame:
    """Return the three on the fitted path: algorithm, seed, Mb/s, loss % and a flow's measures."""
    return loss_flows(runs, "survey-5")


def figure_5_rates(runs: Runs) -> pd.DataFrame:
    """Return figure 5: algorithm, seed, flow, time_s, Mb/s (means of 2 s)."""
    return goodputs(runs, "survey-5", 2, runs.setting.duration_s)


def varied(runs: Runs) -> pd.DataFrame:
    """Return `figure_5` with one assumption changed at a time: also parameter and setting."""
    return loss_flows(runs, "survey-assumptions")


def varied_rates(runs: Runs) -> pd.DataFrame:
    """Return `figure_5_rates` with one assumption changed at a time: also parameter and setting."""
    return goodputs(runs, "survey-assumptions", 2, runs.setting.duration_s)


VARIATIONS = {  # how strongly a goodput varies, from its means of 2 s
    "mean change from one 2 s to the next": lambda rate: rate.diff().abs().mean(),
    "standard deviation": lambda rate: rate.std(),
    "standard deviation / mean": lambda rate: rate.std() / rate.mean(),
}


def variation(rates: pd.DataFrame) -> pd.DataFrame:
    """Return how strongly each run's goodput varies, by three measures.

    `rates` is of `figure_5_rates` or `varied_rates`. A row a run; columns algorithm, seed
    (parameter and setting where they are varied), and one a measure.
    """
    by = [name for name in rates if name not in ("time_s", "Mb/s", "flow")]
    groups = rates.groupby(by, sort=False)["Mb/s"]
    return pd.DataFrame(
        {name: groups.agg(measure) for name, measure in VARIATIONS.items()}
    ).reset_index()


def against_printed(flows: pd.DataFrame) -> pd.DataFrame:
    """Return figure 5's six numbers beside ours.

    `flows` is of `figure_5`. Columns: id (of the claim), algorithm, number, printed, measured
    (mean), ± (half of its 95 % interval), low and high (between which the mean of three runs lies),
    part, part_low and part_high (of the printed).
    """
    stated = printed()
    rows = []
    for number, kind in (("Mb/s", "mean"), ("loss %", "loss")):
        for algorithm in NAMES:
            values = flows.loc[flows["algorithm"] == algorithm, number]
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
    table = pd.DataFrame(rows)
    ends = {"part": "measured", "part_low": "low", "part_high": "high"}
    return table.assign(**{part: table[end] / table["printed"] for part, end in ends.items()})


def six_numbers(runs: Runs) -> pd.DataFrame:
    """Return figure 5's six numbers (`against_printed`) by the segment engine, and of a minute.

    What a minute changes is seen on the segment engine, and beside it stands ns-3. Columns also
    engine, as readers know it, and seconds. What this machine cannot run is left out.
    """
    at, five = runs.setting, runs.derived(figure_5)
    legs = [("segment", at.duration_s, five)]
    legs += [(engine, at.stacks_s, first_minute(runs, engine)) for engine in ("segment", "ns3")]
    return pd.concat(
        [
            against_printed(flows).assign(engine=ENGINE_LABEL[engine], seconds=seconds)
            for engine, seconds, flows in legs
            if not flows.empty
        ],
        ignore_index=True,
    )


def first_minute(runs: Runs, engine: str) -> pd.DataFrame:
    """Return the flows of a minute of figure 5 on an engine: of `stack`, with their algorithm."""
    flows = loss_flows(runs, STACK_EXPERIMENTS[engine])
    return flows.assign(algorithm=flows["control"].map(CONTROLS))


def own_classes(runs: Runs) -> pd.DataFrame:
    """Return what the three do by ns-3's own classes, beside ours, both on ns-3 and of one seed.

    Columns: algorithm, Mb/s, loss %, and both of ours. Empty where ns-3's runs are not here.
    """
    measures = ["Mb/s", "loss %"]
    theirs = loss_flows(runs, "survey-own")
    ours = loss_flows(runs, STACK_EXPERIMENTS["ns3"]).query("seed == 1")
    ours = ours.assign(algorithm=ours["control"].map(CONTROLS))[["algorithm", *measures]]
    theirs = theirs.assign(algorithm=theirs["control"].map(plan.NS3_CLASSES))
    both = theirs[["algorithm", *measures]].merge(
        ours.rename(columns={name: f"ours {name}" for name in measures}), on="algorithm"
    )
    return both.assign(algorithm=both["algorithm"].map(NAMES))


def figure_3(runs: Runs) -> pd.DataFrame:
    """Return one connection of standard TCP by its buffers, on two paths, a row a run.

    Columns: path, buffer (to send from, bytes or "auto"), seed, Mb/s, recoveries, timeouts, limit
    (of the send buffer, Mb/s).
    """
    flows = runs.flows("survey-3")
    fixed = pd.to_numeric(flows["buffer"], errors="coerce")
    limits = [
        np.nan if np.isnan(size) else survey.buffer_limit(size, runs.setting.rtt_s) / 1e6
        for size in fixed
    ]
    columns = ["path", "buffer", "seed", "Mb/s", "recoveries", "timeouts"]
    return flows[columns].assign(limit=limits)


def figure_3_rates(runs: Runs) -> pd.DataFrame:
    """Return figure 3, of the first seed: path, buffer, seed, flow, time_s, Mb/s."""
    long_s = runs.setting.long_s
    return goodputs(runs, "survey-3", long_s / 90, long_s, seed=1)


def all_figure_4_rates(runs: Runs) -> pd.DataFrame:
    """Return the sum of parallel connections' goodputs over time, of every run.

    Columns: path, connections, seed, time_s, Mb/s (means of 2 s).
    """
    rates = goodputs(runs, "survey-4", 2, runs.setting.duration_s)
    by = ["path", "connections", "seed", "time_s"]
    return rates.groupby(by, sort=False, as_index=False)["Mb/s"].sum()


def figure_4_rates(runs: Runs) -> pd.DataFrame:
    """Return figure 4: of the first seed."""
    rates = runs.derived(all_figure_4_rates)
    return rates[rates["seed"] == 1].reset_index(drop=True)


def figure_4(runs: Runs) -> pd.DataFrame:
    """Return parallel connections of standard TCP, on two paths, a row a run.

    Columns: path, connections, seed, Mb/s (sum), limit (of all send buffers, or of the path, Mb/s),
    slope (of the sum while it climbs, Mb/s a second), slope by (10).
    """
    at = runs.setting
    each = 8 * WITH_TIMESTAMPS / at.rtt_s**2 / 1e6
    rates = dict(list(runs.derived(all_figure_4_rates).groupby(["path", "connections", "seed"])))
    rows = []
    for run in totals(runs, "survey-4").to_dict("records"):
        path, connections, seed = (run[name] for name in ("path", "connections", "seed"))
        number, size = CONNECTIONS[connections]
        window = number * survey.buffer_limit(size, at.rtt_s)
        limit = min(window, at.ways[path]["payload_bps"]) / 1e6
        rate = rates[path, connections, seed]
        slope = measures.slope(rate, "time_s", "Mb/s", 6, at.duration_s, until=0.9 * limit)
        rows.append(run | {"limit": limit, "slope": slope, "slope by (10)": number * each})
    return pd.DataFrame(rows).drop(columns=["dropped", "timeouts"])


# --- slow start and remedies


def starts(runs: Runs) -> pd.DataFrame:
    """Return how connections begin, a row a run: start, queue, seed, Mb/s, dropped, timeouts."""
    return totals(runs, "survey-starts")


def combined(runs: Runs) -> pd.DataFrame:
    """Return what a file's senders do with each start, a row a run.

    Columns: sender, start, seed, transfer_s (of the last stream), dropped (by queues, packets).
    """
    results = runs.results("survey-combined")
    return runs.design("survey-combined").assign(
        transfer_s=[result.flows["transfer_time_s"].max() for result in results],
        dropped=[result.links["packets_dropped_by_queue"].sum() for result in results],
    )


def initial_windows(runs: Runs) -> pd.DataFrame:
    """Return how long a file takes, a row a run: file, queue, initial_window, transfer_s."""
    flows = runs.flows("survey-initial-windows")
    columns = {"transfer_time_s": "transfer_s"}
    return flows[["file", "queue", "initial_window", *columns]].rename(columns=columns)


def remedies(runs: Runs) -> pd.DataFrame:
    """Return what each remedy makes of a lossy path, a row a run.

    Columns: remedy (of `plan.REMEDIES` and `VARIED_REMEDIES`), sender (its name in the catalogue),
    seed, Mb/s (of all connections), dropped (by queues, packets), timeouts.
    """
    table = totals(runs, "survey-remedies")
    senders = {
        name: controls[0] if isinstance(controls[0], str) else controls[0]["name"]
        for name, (controls, _) in (plan.REMEDIES | plan.VARIED_REMEDIES).items()
    }
    table.insert(1, "sender", table["remedy"].map(senders))
    return table


def surveyed(runs: Runs) -> pd.DataFrame:
    """Return a gigabyte by all that the survey names: a row a way, in `files.SURVEYED`'s order.

    Columns: how, group, time_s (alone, mean), time_low, time_high (95 %), shared_s (beside standard
    TCP, mean), kept (what that has left, over what it has beside another standard TCP with the same
    file: the mean of the logarithms, seed by seed), kept_low, kept_high, runs.
    """
    design, results = runs.design("survey-all"), runs.results("survey-all")
    by_run = dict(zip(design.itertuples(index=False, name=None), results, strict=True))
    seeds = sorted(design["seed"].unique())

    def times(how: str, company: str) -> list[float]:
        moved = (by_run[how, company, seed].transfer_rows() for seed in seeds)
        return [file["transfer_time_s"] for (file,) in moved]

    left = {
        how: [
            files.left_to(by_run[how, files.BESIDE, seed], by_run[how, files.BEFORE, seed])
            for seed in seeds
        ]
        for how in dict.fromkeys(design["how"])
    }
    rows = []
    for tuning, group in files.SURVEYED:
        alone = statistics.mean(times(tuning.name, files.ALONE))
        kept = statistics.paired(left[tuning.name], left["standard TCP"], ratio=True)
        rows.append(
            {"how": tuning.name, "group": group}
            | {"time_s": alone["measured"], "time_low": alone["low"], "time_high": alone["high"]}
            | {"shared_s": np.mean(times(tuning.name, files.BESIDE))}
            | {"kept": kept["measured"], "kept_low": kept["low"], "kept_high": kept["high"]}
            | {"runs": kept["runs"]}
        )
    return pd.DataFrame(rows)


def fast_windows(runs: Runs) -> pd.DataFrame:
    """Return one FAST TCP, then two: flows (how many), flow, time_s, cwnd_segments."""
    return traces(runs.results("survey-fast"), "cwnd_segments", flows=(1, 2))


def fast_queue(runs: Runs) -> pd.DataFrame:
    """Return the queue before the path that they share: flows, time_s, queue_packets."""
    queue = traces(runs.results("survey-fast"), "queue_packets", flows=(1, 2))
    return queue[queue["link"] == "router>receiver"]


def fast_theory(at: plan.Setting) -> pd.DataFrame:
    """Return window and queue where (38) and (39) have them (segments), by how many there are."""
    rate_bps = at.measured["payload_bps"]
    alpha = plan.FAST_ALPHA
    stays = {
        flows: survey.fast_equilibrium(rate_bps, at.rtt_s, WITH_TIMESTAMPS, alpha, flows)
        for flows in (1, 2)
    }
    return pd.DataFrame(
        {
            "window": {flows: float(one["window"]) for flows, one in stays.items()},
            "queue": {flows: flows * alpha for flows in stays},
        }
    )


# --- beyond the paper


def fairness(runs: Runs) -> pd.DataFrame:
    """Return how two connections share a path, the second starting 10 s after the first.

    A row a pair, queue, seed and 10 s: pair, queue, seed, time_s, first, second (Mb/s), jain.
    """
    rates = goodputs(runs, "survey-fairness", 10, runs.setting.shared["duration_s"])
    pairs = rates["first"].map(NAMES) + " and " + rates["second"].map(NAMES)
    rates = rates.assign(pair=pairs)
    wide = rates.pivot(index=["pair", "queue", "seed", "time_s"], columns="flow", values="Mb/s")
    wide = wide.reindex(pairs.unique(), level="pair")
    jain = measures.jain_index(wide[["1", "2"]].to_numpy())
    wide = wide.rename(columns={"1": "first", "2": "second"}).rename_axis(columns=None)
    return wide.assign(jain=jain).reset_index()


def settled_shares(runs: Runs) -> pd.DataFrame:
    """Return the means of `fairness` after the first third, a row a pair, queue and seed."""
    shares = runs.derived(fairness)
    late = shares[shares["time_s"] > shares["time_s"].max() / 3]
    measures = ["first", "second", "jain"]
    return late.groupby(["pair", "queue", "seed"], sort=False, as_index=False)[measures].mean()


def queue_shares(runs: Runs) -> pd.DataFrame:
    """Return what standard TCP and another get by the router's queue, a row a run.

    Columns: second (its name in the catalogue), queue, seed, first_mbps and second_mbps (means
    after the first third), variation (of the second: standard deviation over mean, by 2 s) and
    total_mbps.
    """
    duration_s = runs.setting.shared["duration_s"]
    rates = goodputs(runs, "survey-queues", 2, duration_s)
    late = rates[rates["time_s"] > duration_s / 3]
    by = ["second", "queue", "seed"]
    found = late.groupby([*by, "flow"], sort=False)["Mb/s"].agg(["mean", "std"]).unstack("flow")
    return pd.DataFrame(
        {
            "first_mbps": found["mean", "1"],
            "second_mbps": found["mean", "2"],
            "variation": found["std", "2"] / found["mean", "2"],
            "total_mbps": found["mean"].sum(axis=1),
        }
    ).reset_index()


def queue_means(runs: Runs) -> pd.DataFrame:
    """Return what standard TCP keeps beside each by the router's queue, and how steady they are.

    A row a sender beside it and queue. Columns: second, queue, kept (of what it has beside its own
    kind in the same queue, seed by seed), kept_low, kept_high, variation (of the second, mean),
    variation_low, variation_high, used (of the bottleneck), runs.
    """
    table = runs.derived(queue_shares)
    own = table[table["second"] == "standard"].set_index(["queue", "seed"])["first_mbps"]
    rows = []
    for (second, queue), some in table.groupby(["second", "queue"], sort=False):
        beside = some.set_index("seed")
        kept = statistics.paired(beside["first_mbps"], own[queue][beside.index], ratio=True)
        steady = statistics.mean(some["variation"])
        rows.append(
            {"second": second, "queue": queue}
            | {"kept": kept["measured"], "kept_low": kept["low"], "kept_high": kept["high"]}
            | {"variation": steady["measured"], "variation_low": steady["low"]}
            | {"variation_high": steady["high"], "runs": kept["runs"]}
            | {"used": some["total_mbps"].mean() / runs.setting.bottleneck_mbps}
        )
    return pd.DataFrame(rows)


def inverse(runs: Runs) -> pd.DataFrame:
    """Return how far each path of `plan.drawn_paths` is from figure 5's numbers, by one run each.

    Columns: mechanism, draw, those of `plan.RANGES`, `RATIOS` (measured / printed), factor and
    ordered (`statistics.fit`), in the order of the mechanisms.
    """
    flows = loss_flows(runs, "survey-inverse")
    own = flows[flows["flow"] == "1"]
    own = own.assign(algorithm=own["algorithm"].map(SHORT))
    by = ["mechanism", "draw"]
    fitted = statistics.fit(own, by, "algorithm", printed().rename(index=SHORT))
    paths = own[[*by, *plan.RANGES]].drop_duplicates(by)
    return paths.merge(fitted, on=by).reset_index(drop=True)


def nearest_paths(runs: Runs) -> pd.DataFrame:
    """Return the nearest path of each mechanism (`inverse`), with within, how many of its paths
    have each of the six numbers within a factor of 1.5, and paths, how many there are."""
    table = runs.derived(inverse)
    groups = table.groupby("mechanism", sort=False)
    nearest = table.loc[groups["factor"].idxmin()].reset_index(drop=True)
    near = groups["factor"].agg(lambda factor: int((factor <= NEAR).sum()))
    return nearest.assign(
        within=nearest["mechanism"].map(near), paths=nearest["mechanism"].map(groups.size())
    )


def round_trips(runs: Runs) -> pd.DataFrame:
    """Return how two connections of one kind share a path if the second's way is twice as long.

    A row an algorithm and seed: algorithm, seed, 1 and 2 (Mb/s), ratio.
    """
    flows = runs.flows("survey-rtt")
    wide = flows.pivot(index=["algorithm", "seed"], columns="flow", values="Mb/s")
    wide = wide.reindex(flows["algorithm"].unique(), level="algorithm")
    return wide.assign(ratio=wide["1"] / wide["2"]).rename_axis(columns=None).reset_index()


def stacks(runs: Runs) -> pd.DataFrame:
    """Return Reno, HighSpeed and Scalable TCP on Linux and on our engines, a row a run.

    Columns: stack, control, seed, Mb/s, loss %, recoveries, timeouts ... What this machine cannot
    run is left out.
    """
    tables = [loss_flows(runs, name) for name in STACK_EXPERIMENTS.values()]
    return pd.concat([table for table in tables if not table.empty], ignore_index=True)


def stack_windows(runs: Runs) -> pd.DataFrame:
    """Return their windows, of the first seed: stack, control, time_s, cwnd_segments."""
    tables = []
    for engine, name in STACK_EXPERIMENTS.items():
        results = runs.results(name)
        if not results:
            continue
        first = runs.design(name).query("seed == 1")
        some = [results[run] for run in first.index]
        table = traces(some, "cwnd_segments", control=first["control"])
        tables.append(table.assign(stack=plan.STACKS[engine]))
    return _extended(pd.concat(tables), ["stack", "control"], runs.setting.stacks_s)


def engines_agree(runs: Runs) -> pd.DataFrame:
    """Return ns-3's runs beside the segment engine's of the same seed.

    A row an algorithm: algorithm, segments and recoveries of both (with " here" the segment
    engine's), ns-3 and segment engine (Mb/s), ratio (of the second over the first). Empty where
    ns-3's runs are not here.
    """
    names = (STACK_EXPERIMENTS["ns3"], STACK_EXPERIMENTS["segment"])
    counts = {"segments_sent": "segments", "recoveries": "recoveries"}
    there, here = (
        runs.flows(name)[["control", "seed", "Mb/s", *counts]].rename(columns=counts)
        for name in names
    )
    both = there.merge(here, on=["control", "seed"], suffixes=("", " here"))
    both["ratio"] = both["Mb/s here"] / both["Mb/s"]
    both["algorithm"] = both["control"].map(CONTROLS).map(NAMES)
    both = both.rename(columns={"Mb/s": "ns-3", "Mb/s here": "segment engine"})
    sent = ["segments", "segments here", "recoveries", "recoveries here"]
    return both[["algorithm", *sent, "ns-3", "segment engine", "ratio"]]


def stack_means(flows: pd.DataFrame) -> pd.DataFrame:
    """Return means over the runs on Linux and on our engines, with their intervals.

    `flows` is of `stacks`; a row a control and stack, goodput and loss as text. Columns:
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
