"""What came of UCC's runs: the data of the chapter's figures and tables.

Tables of runs have a row a flow, with its goodput also as "Mb/s"; `longfat.papers.ucc.plan` says
what is run.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Runs
from longfat.papers.ucc import plan
from longfat.papers.ucc.plan import CHD, NEIGHBOURS, RADIO_BPS, Setting
from longfat.result import Result
from longfat.style import ENGINE_LABEL


def _flows(runs: Runs, *names: str) -> pd.DataFrame:
    """Return the flows of these experiments, without those that this machine cannot give."""
    tables = [runs.flows(name) for name in names]
    return pd.concat([table for table in tables if not table.empty], ignore_index=True)


def _sums(flows: pd.DataFrame, by: Sequence[str], *more: str) -> pd.DataFrame:
    """Return what the flows of a run got together, a row a run."""
    return flows.groupby(list(by))[["Mb/s", *more]].sum().reset_index()


def _by_key(table: pd.DataFrame, by: Sequence[str]) -> dict[tuple, np.ndarray]:
    """Return what was got (Mb/s) where these columns have the same values: by their values."""
    return {key: values.to_numpy() for key, values in table.groupby(list(by))["Mb/s"]}


def held_windows(runs: Runs) -> pd.DataFrame:
    """Return utilization and estimate of one UCC flow that its receiver holds at a window.

    Columns: window (segments), rho (the link's true utilization), estimate (6) of the same run.
    """
    held = runs.results("ucc-windows")
    return pd.DataFrame(
        {
            "window": plan.HELD_WINDOWS,
            "rho": [
                measures.link_utilization(
                    run.traces[plan.SENT], "R>N3", RADIO_BPS, [5, plan.HELD_S - 1]
                )[0]
                for run in held
            ],
            "estimate": [run.traces[plan.ESTIMATE][plan.ESTIMATE].iloc[-1] for run in held],
        }
    )


def measured_estimates(runs: Runs) -> pd.DataFrame:
    """Return what two UCC flows over the radio link estimate at their losses, a row a loss rate.

    Columns: loss, estimate, utilization, error (means of `plan.measured`).
    """
    table = runs.points(plan.MEASURED)
    return table.groupby("loss")[["estimate", "utilization", "error"]].mean().reset_index()


def behind_a_busy_link(runs: Runs) -> pd.DataFrame:
    """Return what two flows carry behind a link that others keep busy, over without these.

    A row a control, loss and busy (part of the time); columns also measured, low, high (95 %),
    runs.
    """
    both = _sums(runs.flows("ucc-elsewhere"), ["control", "loss", "busy", "seed"])
    rows = []
    for (control, loss), own in both.groupby(["control", "loss"], sort=False):
        got = {busy: some.set_index("seed")["Mb/s"] for busy, some in own.groupby("busy")}
        rows += [
            {"control": control, "loss": loss, "busy": busy}
            | statistics.paired(got[busy], got[0.0], ratio=True)
            for busy in got
            if busy
        ]
    return pd.DataFrame(rows)


def pairs(runs: Runs) -> pd.DataFrame:
    """Return what pairs of the five congestion controls get on the radio link: figures 3 to 6.

    Columns: engine, N1, N2, loss, seed, flow, Mb/s and counts. The segment engine makes all pairs
    at every loss rate, ns-2 those of the senders that it has (`plan.NS2_PAIRS`), and ns-3 some
    (`plan.ON_NS3`).
    """
    return _flows(runs, *plan.PAIRS)


def segment_pairs(runs: Runs) -> pd.DataFrame:
    """Return those pairs that the segment engine made."""
    return _flows(runs, *plan.SEGMENT_PAIRS)


def judged_pairs(runs: Runs) -> pd.DataFrame:
    """Return those pairs that the claims are judged by: the segment engine's and ns-2's."""
    return _flows(runs, *plan.SEGMENT_PAIRS, plan.PAIRS_ON_NS2)


def runs_on_engine(engine: str, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of one engine."""
    return runs[runs["engine"] == engine]


def equal_pairs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what two equal flows got, a row a run: figure 3.

    Columns: engine, control, loss, seed, and of both flows Mb/s, recoveries and timeouts.
    """
    equal = runs[runs["N1"] == runs["N2"]].rename(columns={"N1": "control"})
    return _sums(equal, ["engine", "control", "loss", "seed"], "recoveries", "timeouts")


def equal_pair_points(runs: Runs) -> pd.DataFrame:
    """Return figure 3's points: columns engine, control, loss, Mb/s (of both), halfwidth."""
    both = _named_engines(equal_pairs(runs.derived(pairs)))
    return statistics.interval(both, ["engine", "control", "loss"], "Mb/s")


def left_to_timer(runs: Runs) -> pd.DataFrame:
    """Return the same on the segment engine, with lost retransmissions left to the timer."""
    both = _named_engines(equal_pairs(runs.flows(plan.LEFT_TO_TIMER)))
    return statistics.interval(both, ["engine", "control", "loss"], "Mb/s")


def _named_engines(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(engine=table["engine"].map(ENGINE_LABEL))


def goodput_beside(runs: Runs) -> pd.DataFrame:
    """Return what each flow got beside which other on the segment engine."""
    return measures.neighbour_goodput(runs.derived(segment_pairs))


def neighbour_goodput(neighbour: str, runs: Runs) -> pd.DataFrame:
    """Return the points of one of the figures 4 to 6: goodput of a neighbour by who is beside it.

    Columns: engine, control, loss, Mb/s, halfwidth.
    """
    mine = measures.neighbour_goodput(runs.derived(pairs))
    mine = _named_engines(mine[mine["neighbour"] == neighbour])
    return statistics.interval(mine, ["engine", "control", "loss"], "Mb/s")


def chain_goodput(runs: Runs) -> pd.DataFrame:
    """Return what N1 and N2 got together in each run of figure 7's network: figure 8.

    On the segment engine, in four layouts, since the figure is lost. Columns: layout, control,
    loss, seed, Mb/s.
    """
    flows = runs.flows("ucc-chain-segment")
    return _sums(flows[flows["flow"] != "N3"], ["layout", "control", "loss", "seed"])


def chains(runs: Runs) -> pd.DataFrame:
    """Return the same of the segment engine and of ns-2, with a column for the engine."""
    tables = [runs.derived(chain_goodput).assign(engine="segment")]
    flows = runs.flows("ucc-chain-ns2")
    if not flows.empty:
        own = _sums(flows[flows["flow"] != "N3"], ["layout", "control", "loss", "seed"])
        tables.append(own.assign(engine="ns2"))
    return pd.concat(tables, ignore_index=True)


def chain_points(runs: Runs) -> pd.DataFrame:
    """Return figure 8's points in the stated layout: columns control, loss, Mb/s, halfwidth."""
    goodput = runs.derived(chain_goodput)
    stated = goodput[goodput["layout"] == plan.LAYOUT]
    return statistics.interval(stated, ["control", "loss"], "Mb/s")


def compared_engines(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare what the other engines have run over the radio link with the segment engine's.

    A row an engine, pair and loss rate, of the runs that both have made. Columns: engine, N1, N2,
    loss, flows; mean goodput of a flow there and here, in Mb/s; ratio (of there over here).
    """
    point = ["engine", "N1", "N2", "loss"]
    here = runs_on_engine("segment", runs).drop(columns="engine")
    others = runs[runs["engine"] != "segment"]
    both = others.merge(here, on=[*point[1:], "seed", "flow"], suffixes=("", " here"))
    by = both.groupby(point, sort=False)
    table = by.agg(flows=("flow", "size"), there=("Mb/s", "mean"), here=("Mb/s here", "mean"))
    return table.assign(ratio=table["there"] / table["here"]).reset_index()


def sensitivity_runs(runs: Runs) -> pd.DataFrame:
    """Return what pairs get with one assumption changed at a time (`plan.VARIED`): figures 4 to 6.

    On the segment engine. Columns as of `pairs`, with parameter and setting.
    """
    return runs.flows("ucc-assumptions")


def judged_variations(runs: Runs) -> pd.DataFrame:
    """Return the same of the segment engine and of ns-2 (`plan.VARIED_ON_NS2`)."""
    return _flows(runs, "ucc-assumptions", plan.ASSUMPTIONS_ON_NS2)


def sensitivity_table(base: pd.DataFrame, varied: pd.DataFrame) -> pd.DataFrame:
    """Return what a neighbour gets beside UCC over beside its own kind, under each assumption.

    A row an assumption and neighbour; a column a loss rate, text with 95 % intervals. The first
    rows are those of the chapter's own assumptions.
    """
    segment = runs_on_engine("segment", base)
    losses = sorted(varied["loss"].unique())
    cases = [("as above", "", segment)]
    for (parameter, value), runs in varied.groupby(["parameter", "setting"], sort=False):
        cases.append((parameter, value, runs))
    rows = []
    for parameter, value, runs in cases:
        beside = measures.neighbour_goodput(runs)
        for neighbour in NEIGHBOURS:
            points = neighbour_points(beside[beside["loss"].isin(losses)], neighbour, neighbour)
            text = {
                f"{point['loss']:g}": "{measured:.2f} [{low:.2f}, {high:.2f}]".format(**point)
                for point in points
            }
            rows.append({"assumption": parameter, "taken as": value, "neighbour": neighbour} | text)
    return pd.DataFrame(rows)


# --- comparison with the paper


def ratio(measured: pd.Series, reference: pd.Series) -> dict:
    """What one gets over the other, from independent runs (see `statistics.unpaired`)."""
    return statistics.unpaired(measured.to_numpy(), reference.to_numpy())


def neighbour_points(beside: pd.DataFrame, neighbour: str, reference: str) -> list[dict]:
    """What a neighbour gets beside UCC over beside `reference`, a point a loss rate."""
    mine = beside[beside["neighbour"] == neighbour]
    got = _by_key(mine, ["loss", "control"])
    points = []
    for loss in sorted(mine["loss"].unique()):
        both = [got.get((loss, name), ()) for name in ("UCC", reference)]
        if min(map(len, both)) > 1:
            at = f"{neighbour}, $p = {loss:g}$"
            points.append({"loss": loss, "at": at} | statistics.unpaired(*both))
    return points


def neighbours_by_engine(runs: Runs) -> pd.DataFrame:
    """Return what a neighbour gets beside another kind over beside its own, on ns-2 and ours.

    Columns: neighbour, loss, engine, control (who is beside it: UCC, or CHD without DCC, which ns-2
    has not), measured, low, high (95 %), runs.
    """
    every = runs.derived(judged_pairs)
    rows = []
    for engine in ("ns2", "segment"):
        beside = measures.neighbour_goodput(runs_on_engine(engine, every))
        for (neighbour, loss), mine in beside.groupby(["neighbour", "loss"]):
            got = dict(list(mine.groupby("control")["Mb/s"]))
            rows += [
                {"neighbour": neighbour, "loss": loss, "engine": engine, "control": control}
                | ratio(got[control], got[neighbour])
                for control in ("UCC", CHD)
                if neighbour in NEIGHBOURS and control in got
            ]
    names = ["neighbour", "loss", "engine", "control", "measured", "low", "high", "runs"]
    return pd.DataFrame(rows, columns=names)


def neighbour_ratios(runs: Runs) -> pd.DataFrame:
    """Return what a neighbour gets beside another kind over beside its own: figures 4 to 6.

    On the segment engine. A row a neighbour, control (UCC or CHD without DCC) and loss rate;
    columns measured, low, high (95 %), runs.
    """
    every, rows = runs.derived(goodput_beside), []
    for neighbour in NEIGHBOURS:
        own = {point["loss"]: point for point in neighbour_points(every, neighbour, neighbour)}
        for loss in own:
            mine = every[(every["neighbour"] == neighbour) & (every["loss"] == loss)]
            alone = mine.loc[mine["control"] == neighbour, "Mb/s"]
            for control in ("UCC", CHD):
                found = ratio(mine.loc[mine["control"] == control, "Mb/s"], alone)
                rows.append({"neighbour": neighbour, "control": control, "loss": loss} | found)
    return pd.DataFrame(rows)


def layout_ratios(goodput: pd.DataFrame) -> pd.DataFrame:
    """Return by how much CHD without DCC is above UCC and UCC above NewReno: figure 8.

    `goodput` is of `chain_goodput`; a step whose senders are not in it is left out. A row a layout,
    step and loss rate; columns measured (the ratio), low, high (95 %), runs.
    """
    got = _by_key(goodput, ["layout", "loss", "control"])
    rows = []
    for layout in goodput["layout"].unique():
        runs = goodput[goodput["layout"] == layout]
        for control, reference in ((CHD, "UCC"), ("UCC", "NewReno")):
            if not {control, reference} <= set(runs["control"]):
                continue
            for loss in sorted(runs["loss"].unique()):
                found = statistics.unpaired(
                    got[layout, loss, control], got[layout, loss, reference]
                )
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


def over_time(runs: Runs) -> OverTime:
    """Return what one of two UCC flows over the radio link does."""
    (run,) = runs.results("ucc-utilization")
    end_s = run.scenario.duration_s
    seconds = np.arange(0, end_s + 0.5)
    busy = measures.link_utilization(run.traces[plan.SENT], "R>N3", RADIO_BPS, seconds)
    window, threshold, estimate = (
        run.traces[name][run.traces[name]["flow"] == "N1"]
        for name in (plan.WINDOW, plan.THRESHOLD, plan.ESTIMATE)
    )
    true = pd.DataFrame({"time_s": seconds[1:], "true": busy})
    return OverTime(window, threshold, estimate, true, end_s)


def crowds(runs: Runs) -> pd.DataFrame:
    """Return what many senders of one kind carry over the radio link, a row a run.

    Columns: flows, control, loss, seed, Mb/s (of all together), repeated (the part of what is sent
    that is sent again), jain (Jain's index of the flows).
    """
    point = ["flows", "control", "loss", "seed"]
    rows = []
    for at, flows in runs.flows(*plan.CROWD_EXPERIMENTS).groupby(point, sort=False):
        again = flows["retransmissions"].sum() / flows["segments_sent"].sum()
        rows.append(
            dict(zip(point, at, strict=True))
            | {"Mb/s": flows["Mb/s"].sum(), "repeated": again}
            | {"jain": float(measures.jain_index(flows["Mb/s"].to_numpy()))}
        )
    return pd.DataFrame(rows)


def relatives(runs: Runs) -> pd.DataFrame:
    """Return what HD, the whole CHD, CHD without DCC, UCC and NewReno get, each beside its own kind
    and beside NewReno.

    Columns: control, neighbour, loss, seed, Mb/s of N1 and N2, queue (packets at the radio link on
    average).
    """
    name = "ucc-relatives"
    times = np.arange(0.1, 1.0, 0.02) * runs.setting.duration_s
    queue = []
    for result in runs.results(name):
        trace = result.traces[plan.QUEUE]
        trace = trace[trace["link"] == "R>N3"]
        queue.append(float(np.nanmean(measures.values_at(trace, plan.QUEUE, times))))
    point = ["control", "neighbour", "loss", "seed"]
    flows = runs.flows(name)
    table = flows[flows["flow"] == "N1"][["scenario", *point]].set_index("scenario")
    got = flows.pivot(index="scenario", columns="flow", values="Mb/s")
    got = got.reindex(columns=["N1", "N2"])  # there are no runs at some settings
    table = table.assign(**{"N1 (Mb/s)": got["N1"], "N2 (Mb/s)": got["N2"]})
    return table.assign(**{"queue (packets)": queue}).reset_index(drop=True)


def regions(runs: Runs) -> pd.DataFrame:
    """Return what HD, with and without region B, and CHD do, a row a run.

    Columns: control, neighbour, loss, seed, first_mbps (of N1), total_mbps, dropped (packets, by
    the queue before the radio link), queue_s (the mean delay there).
    """
    name = "ucc-regions"
    rows = []
    for result in runs.results(name):
        radio = [
            link["packets_dropped_by_queue"]
            for link in result.link_rows()
            if (link["source"], link["target"]) == ("R", "N3")
        ]
        rates = [flow["goodput_bps"] / 1e6 for flow in result.flow_rows()]
        rows.append(
            {"first_mbps": rates[0], "total_mbps": sum(rates)}
            | {"dropped": int(sum(radio))}
            | {"queue_s": waiting_s(result)}
        )
    return runs.design(name).join(pd.DataFrame(rows))


def waiting_s(result: Result) -> float:
    """Return the mean delay in the queue before the radio link, once a tenth of a run is over."""
    queue = result.trace_columns(plan.QUEUE)
    radio = np.asarray(queue["link"]) == "R>N3"
    queue = {name: np.asarray(queue[name])[radio] for name in ("time_s", plan.QUEUE)}
    times = np.arange(0.1, 1.0, 0.02) * result.scenario.duration_s
    waiting = np.nanmean(measures.values_at(queue, plan.QUEUE, times))
    packet_bytes = result.scenario.flows[0].segment_bytes + plan.ACK_BYTES
    return 8 * packet_bytes * float(waiting) / RADIO_BPS


def estimators(runs: Runs) -> pd.DataFrame:
    """Return the goodput of two UCC flows, and of a NewReno neighbour, by UCC's parameters.

    A row a setting; a column a loss rate and pair, text in Mb/s with 95 % intervals.
    """
    flows = runs.flows("ucc-estimators")
    two = _sums(flows[flows["neighbour"] == "UCC"], ["setting", "loss", "seed"])
    one = flows[(flows["neighbour"] == "NewReno") & (flows["flow"] == "N2")]
    columns: dict[str, dict[str, str]] = {}
    for what, measured in (("two UCC flows", two), ("NewReno beside UCC", one)):
        for row in statistics.interval(measured, ["setting", "loss"], "Mb/s").itertuples():
            column = columns.setdefault(f"{what}, $p = {row.loss:g}$", {})
            column[row.setting] = f"{row[3]:.2f} ± {row.halfwidth:.2f}"
    return pd.DataFrame(columns).loc[list(plan.ESTIMATORS)].rename_axis("setting").reset_index()


def buffers(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno neighbour gets beside UCC, and beside CHD without DCC, by the buffer.

    Columns: buffer (packets), loss, control, measured (the ratio to what it gets beside NewReno),
    low, high (95 %), runs.
    """
    mine = runs.flows("ucc-buffers").query("flow == 'N1'")
    rows = []
    for (packets, loss), flows in mine.groupby(["buffer", "loss"]):
        got = dict(list(flows.groupby("control")["Mb/s"]))
        for control in ("UCC", CHD):
            found = ratio(got[control], got["NewReno"])
            rows.append({"buffer": packets, "loss": loss, "control": control} | found)
    return pd.DataFrame(rows)


def clocks_on_ns2(runs: Runs) -> pd.DataFrame:
    """Return the same as `clocks` for UCC in ns-2, with mends of `plan.NS2_MENDS`."""
    return clocks(runs, plan.ON_NS2)


def clocks_on_linux(runs: Runs) -> pd.DataFrame:
    """Return the same as `clocks` for UCC in Linux, with mends of `plan.LINUX_MENDS`."""
    return clocks(runs, plan.ON_LINUX)


def clocks(runs: Runs, archive: str = plan.BY_CLOCKS) -> pd.DataFrame:
    """Return what UCC does by clocks that are not exact, and over a radio that repeats.

    A row a clock, mend and loss. Columns: clock, mend (of `plan.MENDS`), loss; two_mbps, low and
    high (what two UCC flows carry together), reference_mbps (what two NewReno flows do over the
    same radio, acknowledged alike); kept, kept_low and kept_high (a NewReno neighbour's goodput
    beside UCC over beside NewReno).
    """
    names = ["clock", "mend", "loss", "two_mbps", "low", "high"]
    names += ["reference_mbps", "kept", "kept_low", "kept_high"]
    flows = runs.flows(archive)
    if flows.empty:  # this machine can neither run nor find them
        return pd.DataFrame(columns=names)
    by, newreno = ["clock", "mend", "loss"], "NewReno and NewReno"
    together = _by_key(_sums(flows, [*by, "pair", "seed"]), [*by, "pair"])
    second = _by_key(flows[flows["flow"] == "N2"], [*by, "pair"])
    plain_clock = flows.loc[flows["pair"] == newreno, "clock"].iloc[0]
    rows = []
    kinds = flows.loc[flows["mend"] != "", by].drop_duplicates()
    for clock, mend, loss in kinds.itertuples(index=False, name=None):
        alike = (clock if clock in plan.APART else plain_clock, "", loss, newreno)
        both = statistics.mean(together[clock, mend, loss, "UCC and UCC"])
        beside = second[clock, mend, loss, "UCC and NewReno"]
        kept = statistics.unpaired(beside, second[alike])
        rows.append(
            {"clock": clock, "mend": mend, "loss": loss}
            | {"two_mbps": both["measured"], "low": both["low"], "high": both["high"]}
            | {"reference_mbps": together[alike].mean()}
            | {"kept": kept["measured"], "kept_low": kept["low"], "kept_high": kept["high"]}
        )
    return pd.DataFrame(rows, columns=names)


def managed(runs: Runs) -> pd.DataFrame:
    """Return what UCC and CHD without DCC do where the router manages its queue.

    A row a queue, loss and control. Columns: queue, loss, control, two_mbps (of two of a kind
    together, mean); kept, kept_low and kept_high (a NewReno neighbour's goodput beside it, over
    beside NewReno in the same queue).
    """
    flows = runs.flows("ucc-managed")
    by = ["queue", "loss", "control", "neighbour"]
    together = _by_key(_sums(flows, [*by, "seed"]), by)
    second = _by_key(flows[flows["flow"] == "N2"], by)
    rows = []
    for queue, loss in flows[by[:2]].drop_duplicates().itertuples(index=False, name=None):
        newreno = second[queue, loss, "NewReno", "NewReno"]
        for control in ("NewReno", CHD, "UCC"):
            two = together[queue, loss, control, control].mean()
            row = {"queue": queue, "loss": loss, "control": control, "two_mbps": two}
            beside = second[queue, loss, control, "NewReno"]
            found = statistics.unpaired(beside, newreno) if control != "NewReno" else {}
            names = {"kept": "measured", "kept_low": "low", "kept_high": "high"}
            rows.append(row | {name: found.get(key, 1.0) for name, key in names.items()})
    return pd.DataFrame(rows)


def alphas(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno neighbour gets beside UCC by its threshold and the buffer.

    Columns: buffer (packets), alpha, loss, measured (over what it gets beside NewReno), low, high
    (95 %), runs.
    """
    mine = runs.flows("ucc-alphas").query("flow == 'N1'")
    rows = []
    for (packets, loss), flows in mine.groupby(["buffer", "loss"]):
        got = dict(list(flows.groupby("alpha")["Mb/s"]))
        rows += [
            {"buffer": packets, "alpha": alpha, "loss": loss} | ratio(got[alpha], got[0.0])
            for alpha in plan.ALPHAS
        ]
    return pd.DataFrame(rows)


def ucc_over_chd(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno neighbour gets beside UCC, over beside CHD without DCC, by the buffer.

    Columns: buffer (packets), loss, measured, low, high (95 %), runs.
    """
    mine = runs.flows("ucc-buffers").query("flow == 'N1'")
    rows = []
    for (packets, loss), flows in mine.groupby(["buffer", "loss"]):
        got = dict(list(flows.groupby("control")["Mb/s"]))
        rows.append({"buffer": packets, "loss": loss} | ratio(got["UCC"], got[CHD]))
    return pd.DataFrame(rows)


def routes(runs: Runs) -> pd.DataFrame:
    """Return the goodput of two UCC flows whose path changes after 0.3 of the time, at 0.01.

    Columns: change, lifetime_s (of the minimum; 0 is for ever), Mb/s, halfwidth (of the 95 %
    interval).
    """
    flows = runs.flows("ucc-routes")
    point = ["change", "lifetime_s"]
    table = statistics.interval(_sums(flows, [*point, "seed"]), point, "Mb/s")
    return table[[*point, "Mb/s", "halfwidth"]]


def harm_table(runs: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return the harm that each control does to each, and Jain's index of the two, as text.

    On the segment engine. A row a control and loss rate of 0, 0.001 and 0.01; a column a neighbour.
    """
    names, runs = list(setting.controls), runs_on_engine("segment", runs)
    beside = measures.neighbour_goodput(runs)
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
    clean = runs_on_engine("segment", runs)
    clean = clean[clean["loss"] == 0]
    both = equal_pairs(clean)
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
