"""The chapter on TCP Hybla: each figure and table with what it uses, its data and caption."""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from longfat import papers, statistics, style
from longfat.book import joint as joint_tables
from longfat.book.chapters import hybla_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table, stacked, used
from longfat.papers.hybla import analysis, claims, inverse, joint, plan
from longfat.papers.hybla.plan import Setting
from longfat.papers.hybla.theory import QUANTITIES
from longfat.papers.joint import SETTINGS

DRAWN_STEADY = tuple(plan.archive(leg, "steady") for leg in charts.DRAWN_LEGS)
INVERSE = tuple(inverse.GRIDS)


def transfers_compared(runs: Runs) -> pd.DataFrame:
    """Return throughput and time of each transfer beside the model's (`analysis.compare`)."""
    return analysis.compare_transfers(runs.setting, runs.flows(*plan.TRANSFERS))


def steady_points(runs: Runs) -> pd.DataFrame:
    """Return the points of figure 3."""
    compared = analysis.compare_steady(runs.setting, runs.flows(*DRAWN_STEADY))
    return analysis.points(compared, "steady", "throughput")


def transfer_points(transfer: str, metric: str, runs: Runs) -> pd.DataFrame:
    """Return the points of one of the figures 4 to 9."""
    return analysis.points(runs.derived(transfers_compared), transfer, metric)


def throughput_differences(runs: Runs) -> pd.DataFrame:
    """Return how far throughput is from the model, leg by leg, steady and for each transfer."""
    compared = analysis.compare(
        runs.setting, runs.flows(*DRAWN_STEADY), runs.flows(*plan.TRANSFERS)
    )
    rates = compared[compared["metric"] == "throughput"].sort_values("loss", kind="stable")
    tables = [
        rates[(rates["transfer"] == transfer) & (rates["leg"] == leg)]
        for transfer in dict.fromkeys(compared["transfer"])
        for leg in charts.DRAWN_LEGS
    ]
    return pd.concat(tables)


OFF = {  # what is off by so much, of `claims.largest_differences`
    "few": "rate in the long run, where at most one packet in ten thousand is lost",
    "two": "the same, up to two in a thousand",
    "large_time": "time of 50 and of 100 MB, at most one in ten thousand",
    "small_time": "time of 10 MB, at most one in ten thousand",
}


def off_on_each_engine(runs: Runs) -> pd.DataFrame:
    """Return how far the model is off at most, in per cent, by engine: a row a quantity."""
    found = runs.derived(claims.largest_differences)
    columns = {
        style.ENGINE_LABEL[leg]: [found[f"hybla_{leg}_{name}"] for name in OFF]
        for leg in claims.EACH_ENGINE
    }
    return pd.DataFrame({"what the model gives": list(OFF.values())} | columns)


MENDED_BESIDE = ("segment", "ns2")  # legs
MENDED_USES = tuple(plan.archive(leg, "steady") for leg in MENDED_BESIDE)


def mended_goodput(runs: Runs) -> pd.DataFrame:
    """Return the steady goodput of both engines, and that of the model with premises mended.

    Columns: engine (as readers know it), and those of `analysis.mended`.
    """
    compared = analysis.compare_steady(runs.setting, runs.flows(*MENDED_USES))
    tables = [
        analysis.mended(runs.setting, compared, leg).assign(engine=plan.LEGS[leg].label)
        for leg in MENDED_BESIDE
        if leg in set(compared["leg"])
    ]
    table = pd.concat(tables, ignore_index=True)
    return table[["engine", *table.columns.drop("engine")]]


def mended_differences(runs: Runs) -> pd.DataFrame:
    """Return how far these models are from the measured goodput, in per cent: a column each."""
    table = mended_goodput(runs)
    models = table.columns.drop(["engine", "loss", "measured"])
    off = 100 * (table[models].div(table["measured"], axis=0) - 1)
    return pd.concat([table[["engine", "loss"]], off], axis=1)


def judged_differences(runs: Runs) -> pd.DataFrame:
    """Return the claims on differences from the model, each with its place in the figure.

    Columns: id, number (in the table of verdicts), quantity and column (the place), printed,
    measured (per cent), engine (as readers know it), verdict.
    """
    stated = papers.claims("hybla").drop(columns="engine")
    judged = runs.derived(claims.judged)
    judged = judged.assign(number=range(1, len(judged) + 1))
    judged["engine"] = judged["engine"].map(style.ENGINE_LABEL)
    judged = judged[["id", "number", "measured", "engine", "verdict"]]
    table = stated[stated["method"].notna()].merge(judged, on="id")
    table["quantity"] = [
        "steady state"
        if row.transfer == "steady"
        else f"{row.transfer[:-2]} MB, "
        + {"throughput": "rate", "transfer_time": "time"}[row.metric]
        for row in table.itertuples()
    ]
    column = {"table 3": "table 3", "section 5": "conclusion"}
    ends = table["id"].str.rpartition("-")[2].map({"rare": "few losses", "frequent": "many losses"})
    table["column"] = (
        table["method"]
        + "\n"
        + [
            column.get(where, "section 4") + (f",\n{end}" if where != "table 3" else "")
            for where, end in zip(table["where"], ends, strict=True)
        ]
    )
    table = table.sort_values("loss_min", kind="stable")
    names = ["id", "number", "quantity", "column", "printed", "measured", "engine", "verdict"]
    return table[names]


def distances(runs: Runs) -> pd.DataFrame:
    """Return the distances of model and engines (`analysis.distances`) as text."""
    table = analysis.distances(runs)
    names = [name for name in table if name != "loss" and not name.startswith("±")]
    words = {
        name: [
            f"{one:+.1f} ± {half:.1f}"
            for one, half in zip(table[name], table[f"± {name}"], strict=True)
        ]
        for name in names
    }
    return pd.DataFrame({"loss": table["loss"]} | words)


def dummynet(runs: Runs) -> pd.DataFrame:
    """Return what dummynet's clock and queue change (`analysis.dummynet`), in words."""
    table = runs.derived(analysis.dummynet)
    rows = []
    for (rate_bps, clock), own in table.groupby(["rate_bps", "clock"], sort=False):
        at = own.set_index("loss")
        few = at[at.index < 1.5e-4]
        worst = few.loc[few["difference"].abs().idxmax()]
        row = {"rate": style.quantity(rate_bps, "b/s"), "emulator": clock}
        for name, one in (("at most 1e-4", worst), ("1e-3", at.loc[1e-3]), ("1e-2", at.loc[1e-2])):
            text = f"{one['difference']:+.2f} ± {one['difference_halfwidth']:.2f}"
            row[style.powers(name)] = text
        rows.append(row)
    return pd.DataFrame(rows)


def events(leg: str, runs: Runs) -> pd.DataFrame:
    """Return the model's cycles in a leg's steady run beside its recoveries and timeouts."""
    flows = runs.flows(plan.archive(leg, "steady"))
    return analysis.events(runs.setting, flows, runs.setting.seconds(plan.LEGS[leg]))


def differences_by_setting(experiment: str, transfer: str, runs: Runs) -> pd.DataFrame:
    """Return differences from the model as text: a row a setting, a column a loss rate."""
    compare = analysis.compare_steady if transfer == "steady" else analysis.compare_transfers
    compared = compare(runs.setting, runs.flows(experiment))
    table = analysis.differences(compared, transfer=transfer)
    by_loss = table.set_index("loss").rename(index=style.number)
    return by_loss.T.rename_axis("setting").reset_index()


def switches(runs: Runs) -> pd.DataFrame:
    """Return ns-2 beside the segment engine with each recovery (`inverse.switches`)."""
    return inverse.switches(
        runs.setting,
        inverse.runs(runs),
        runs.flows("hybla-transfers"),
        runs.flows(*plan.VARIED_TRANSFERS),
    )


def fitted(runs: Runs) -> pd.DataFrame:
    """Return how far each combination is from what was printed, as it is timed to be nearest."""
    return runs.derived(all_fitted).drop_duplicates("combination").reset_index(drop=True)


def timed(runs: Runs) -> inverse.Differences:
    """Return the largest differences of all combinations, by each way of timing a transfer."""
    return inverse.timed(runs.setting, inverse.runs(runs))


def all_fitted(runs: Runs) -> pd.DataFrame:
    """Return the same with each way of timing a transfer."""
    return inverse.timed_distances(runs.derived(timed))


def held_out(runs: Runs) -> pd.DataFrame:
    """Return what a fit to two sizes of transfers gives of the third."""
    names = {"met": "fitted, not refuted", "given": "left out, not refuted"}
    table = inverse.held_out(runs.derived(timed))
    return table.rename(columns=COMBINATION | names)


COMBINATION = {
    "left_out": "left out",
    "segments_per_ack": "segments an ACK answers",
    "queue_packets": "queue (packets)",
    "met": "not refuted",
}


def fitted_steady(runs: Runs) -> pd.DataFrame:
    """Return what the fitted combinations give in the steady state, where nothing was fitted."""
    steady = inverse.runs(runs, steady=True)
    table = inverse.steady(runs.setting, steady, runs.derived(fitted))
    return table.rename(columns=COMBINATION | {"given": "not refuted"})


# --- the chapter


def chapter(profile: str = "paper", **parameters: Any) -> Chapter:
    """Return the chapter at a setting (`plan.setting`)."""
    at = plan.setting(profile, **parameters)
    return Chapter(
        name="hybla",
        setting=at,
        experiments=(
            *plan.experiments(at),
            *inverse.experiments(at),
            joint.experiment(),
            joint.experiment_on_ns2(),
            joint.experiment_on_linux(),
        ),
        figures=(*_figures(at), *_tables(at)),
        claims=Table(
            name="hybla-verdicts",
            uses=used(claims.PARTS),
            data=lambda runs: runs.derived(claims.judged),
            caption="Claims of the paper, and what we found",
        ),
    )


def _figures(at: Setting) -> Iterator[Figure]:
    yield Figure(
        name="hybla-3",
        uses=DRAWN_STEADY,
        data=steady_points,
        chart=partial(charts.comparison, "steady", "throughput"),
        caption="Goodput in steady state over the loss rate. The model (line) and the measurements "
        "lie together up to $p = 10^{-4}$; then the measurements lie above it, ns-2's the least, "
        "until the model jumps near $p = 0.004$, where its two cases meet. Hollow: engines other "
        "than our own.",
    )
    for number, (transfer, metric) in enumerate(itertools.product(at.segments, QUANTITIES), 4):
        quantity = {"throughput": "Goodput", "transfer_time": "Time"}[metric]
        yield Figure(
            name=f"hybla-{number}",
            uses=plan.TRANSFERS,
            data=partial(transfer_points, transfer, metric),
            chart=partial(charts.comparison, transfer, metric),
            caption=f"{quantity} of a transfer of {transfer[:-2]} MB over the loss rate: the "
            "model's line, and what was measured.",
        )
    yield Figure(
        name="hybla-path",
        data=lambda _: papers.parameters("hybla"),
        chart=charts.path,
        caption="The way of a segment and of its acknowledgment over a geostationary satellite "
        "(not to scale). From sending a segment to learning what became of it half a second goes "
        "by.",
    )
    yield Figure(
        name="hybla-beside",
        uses=("hybla-beside",),
        data=lambda runs: statistics.interval(
            runs.flows("hybla-beside"), ["algorithm", "loss"], "Mb/s"
        ),
        chart=charts.alternatives,
        caption="Goodput of one flow over the satellite, with the same largest window, by four "
        "congestion controls (segment engine). Bars are 95 % intervals.",
    )
    yield Figure(
        name="hybla-window",
        uses=("hybla-windows",),
        data=lambda runs: analysis.window_traces(runs).query("loss == 1e-3"),
        chart=charts.phases,
        caption="Hybla's congestion window over time at $p = 10^{-3}$ (segment engine): slow start "
        "in two round trips, then stays at the limit that end with a loss.",
    )
    yield Figure(
        name="hybla-windows",
        uses=("hybla-windows",),
        data=analysis.window_traces,
        chart=charts.windows_by_loss,
        caption="Congestion window over 40 s at three loss rates (segment engine): mostly at 550 "
        "segments, then sawteeth, then small windows.",
    )
    yield Figure(
        name="hybla-growth",
        uses=("hybla-growth",),
        data=lambda runs: stacked(
            window=runs.derived(analysis.growing_window), rounds=analysis.growth(runs)
        ),
        chart=charts.growth,
        caption="A window that grows without loss (left), and what each round trip adds (right): "
        "by equation (1) ACK by ACK, as printed, and as measured on the segment engine.",
    )
    yield Figure(
        name="hybla-differences",
        uses=(*DRAWN_STEADY, *plan.TRANSFERS),
        data=throughput_differences,
        chart=charts.differences,
        caption="The model's throughput above (+) or below (–) the measured one, in per cent of "
        "the model. Grey is as far as the paper says that its own simulation was.",
    )
    yield Figure(
        name="hybla-mended",
        uses=MENDED_USES,
        data=mended_differences,
        chart=charts.mended,
        caption="How far the model's throughput is from the segment engine's and from that of "
        "ns-2, with its sender of 2004, in per cent of what was measured, as one thing at a time "
        "is mended: one halving in a window, growth by the ACKs that there are, both of these, "
        "and, with all else as printed, what a round trip of growth sends. The last line is "
        "another model, with a distribution of windows in place of a mean cycle.",
    )
    yield Figure(
        name="hybla-parts",
        uses=("hybla-transfers",),
        data=analysis.file_parts,
        chart=charts.file_parts,
        caption="The four parts of a file's time by the model, one beside the other, and what was "
        "measured, with 95 % intervals (segment engine).",
    )
    yield Figure(
        name="hybla-bursts",
        uses=("hybla-bursts",),
        data=analysis.bursts,
        chart=charts.bursts,
        caption="Goodput where losses come in bursts, by the mean length of a burst; the part of "
        "all packets that is lost stays as it is. Dotted: the model with a distribution of windows "
        "if each loss came by itself; black: the same if a burst were one loss. Points: the "
        "segment engine, 20 runs each, with 95 % intervals.",
    )
    yield Figure(
        name="hybla-stands",
        uses=used(claims.PARTS),
        data=judged_differences,
        chart=charts.stands,
        caption="The paper's claims on differences between model and measurement: what it printed "
        "and what we measured on the engine named above, in per cent, coloured by the verdict. The "
        "numbers before the colons are those of the table of verdicts.",
    )
    yield Figure(
        name="hybla-sharing",
        uses=("hybla-sharing",),
        data=lambda runs: statistics.interval(
            analysis.shares(runs), ["algorithm", "rtt_s"], "share"
        ),
        chart=charts.link_shares,
        caption="Which part of a shared link the flow with the longer round trip gets, by its "
        "congestion control, beside one NewReno flow of 25 ms (segment engine).",
    )
    yield Figure(
        name="hybla-overflow",
        uses=("hybla-overflow",),
        data=analysis.overflow,
        chart=lambda traces, _: charts.window_traces(
            traces, "algorithm", "ns-3's own Hybla overflows in slow start, without any loss"
        ),
        caption="Congestion window over time of both implementations on ns-3, without any loss. "
        "Ours stays at 550 segments; that of ns-3 jumps to millions of segments and falls when 32 "
        "bits overflow.",
    )
    yield Figure(
        name="hybla-emulation-start",
        uses=("hybla-emulation-start",),
        data=analysis.starts,
        chart=lambda traces, _: charts.window_traces(
            traces, "start", "Linux's own start hides the first losses behind a huge window"
        ),
        caption="Congestion window over 30 s at $p = 10^{-3}$ on Linux. With the cap it moves "
        "between 160 and 550 segments from the second round trip on; without it, it jumps to "
        "65,535 segments.",
    )
    yield Figure(
        name="hybla-inverse",
        uses=INVERSE,
        data=lambda runs: runs.derived(fitted),
        chart=charts.inverse_distances,
        caption="How far each combination of what the paper does not state is, on ns-2, from the "
        "18 numbers that it prints, with 95 % intervals, and how many of them its five runs do not "
        "refute.",
    )


def _tables(at: Setting) -> Iterator[Table]:
    yield Table(
        name="hybla-minute",
        uses=(*claims.EACH_STEADY, *claims.EACH_TRANSFERS),
        data=off_on_each_engine,
        formats={"*": "{:.1f}", "what the model gives": "{}"},
        caption="How far the model is off at most, in per cent of what it gives: the largest mean "
        "difference at any loss rate, on the paper's own simulator, on Linux and on ours",
    )
    yield Table(
        name="hybla-table-3",
        uses=used(claims.PARTS),
        data=lambda runs: claims.table_3(papers.claims("hybla"), runs.derived(claims.judged)),
        caption="Table 3: the largest difference from the model where $p \\le 10^{-4}$, in %, as "
        "the paper prints it and as a set of ten of our runs would have it, by the engine named, "
        "with 95 % intervals",
    )
    yield Table(
        name="hybla-differences-table",
        uses=(*plan.STEADY, *plan.TRANSFERS),
        data=lambda runs: analysis.differences(runs.derived(analysis.compared)),
        formats={"loss": "{:g}"},
        caption="Throughput: (model – measured) / model in %, with 95 % intervals",
    )
    yield Table(
        name="hybla-events",
        uses=("hybla-steady",),
        data=partial(events, "segment"),
        formats={"*": "{:.1f}", "loss": "{:g}"},
        caption="Cycles of the model, and recoveries and timeouts of the segment engine (means), "
        "in one run",
    )
    yield Table(
        name="hybla-events-linux",
        uses=("hybla-emulation-steady",),
        data=partial(events, "linux"),
        formats={"*": "{:.1f}", "loss": "{:g}"},
        caption=f"The same on Linux, in one run of {at.emulation_s:g} s (means)",
    )
    yield Table(
        name="hybla-mended-table",
        uses=MENDED_USES,
        data=mended_goodput,
        formats={"*": "{:.3f}", "loss": "{:g}", "engine": "{}"},
        caption="Goodput in Mb/s: measured, and by the model with premises mended",
    )
    yield Table(
        name="hybla-distances",
        uses=tuple(
            plan.archive(leg, "steady")
            for leg in ("segment", "ns3-simulation", "ns2", "linux", "segment-emulation")
        ),
        data=distances,
        formats={"loss": "{:g}"},
        caption="How far the model with a distribution of windows is from each engine, and these "
        "from each other: per cent of goodput, with 95 % intervals. Where Linux takes part runs "
        "last 100 s, and their start is taken off the model",
    )
    yield Table(
        name="hybla-dummynet",
        uses=("hybla-dummynet",),
        data=dummynet,
        caption="The emulation with a clock and a queue as dummynet has them, ten runs of 100 s on "
        "the segment engine: "
        "(model – measured) / model in %, the largest where at most one packet in ten thousand is "
        "lost, and at two more loss rates. The paper prints 2.70 for the first",
    )
    yield Table(
        name="hybla-assumptions",
        uses=("hybla-assumptions",),
        data=partial(differences_by_setting, "hybla-assumptions", "steady"),
        caption="Steady state on the segment engine: (model – measured) / model in %, with 95 % "
        "intervals, by loss rate",
    )
    yield Table(
        name="hybla-emulation-variants",
        uses=("hybla-emulation-variants",),
        data=partial(differences_by_setting, "hybla-emulation-variants", "steady"),
        caption="Steady state on Linux: (model – measured) / model in %, with 95 % intervals",
    )
    yield Table(
        name="hybla-assumptions-large",
        uses=plan.VARIED_TRANSFERS,
        data=partial(differences_by_setting, "hybla-files-assumed", list(at.segments)[-1]),
        caption="Throughput of the largest transfer on the segment engine: (model – measured) / "
        "model in %, with 95 % intervals",
    )
    yield Table(
        name="hybla-switches",
        uses=(*INVERSE, "hybla-transfers", *plan.VARIED_TRANSFERS),
        data=switches,
        formats={"loss": "{:g}"},
        caption="Throughput of the largest transfer in Mb/s, by engine and recovery, with 95 % "
        "intervals",
    )
    yield Table(
        name="hybla-turned",
        data=lambda _: joint_tables.turned("hybla"),
        caption=f"What turns each claim, at {SETTINGS} settings that differ in all that the paper "
        "does not state",
    )
    yield Table(
        name="hybla-inverse-table",
        uses=INVERSE,
        data=lambda runs: (
            runs.derived(fitted).drop(columns="combination").rename(columns=COMBINATION)
        ),
        formats={"Mb/s": "{:g}"} | dict.fromkeys(("distance", "low", "high"), "{:.1f}"),
        caption="Combinations of what is not stated, on ns-2: mean distance to 18 printed numbers "
        "(percentage points), each timed as it comes nearest",
    )
    yield Table(
        name="hybla-held-out",
        uses=INVERSE,
        data=held_out,
        formats={"Mb/s": "{:g}"},
        caption="The combination that is nearest to the numbers of two sizes, on ns-2, and how "
        "many of these and of the third size's five runs do not refute",
    )
    yield Table(
        name="hybla-inverse-steady",
        uses=(*INVERSE, inverse.STEADY),
        data=fitted_steady,
        formats={"Mb/s": "{:g}"},
        caption="The fitted combinations in the steady state, on ns-2: largest difference from the "
        "model (%) for each of three printed numbers, with 95 % intervals, and how many of these "
        "they do not refute; the order is that of the fit",
    )
