"""The chapter on the survey: each figure and table with what it uses, its data and caption."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import papers, pictures, topologies
from longfat.book import joint as joint_tables
from longfat.book.chapters import survey_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table, used
from longfat.papers import survey
from longfat.papers.survey import (
    analysis,
    claims,
    joint,
    joint_others,
    joint_settings,
    plan,
    theory,
)
from longfat.papers.survey.analysis import seed_means
from longfat.papers.survey.plan import NAMES, STACK_EXPERIMENTS, Setting
from longfat.style import label

SENDERS = NAMES | {"fast": "FAST TCP"}
NEAREST_COLUMNS = {
    "mbps": "Mb/s",
    "queue": "queue (packets)",
    "loss": "loss",
    "burst": "burst (packets)",
    "host_mbps": "host (Mb/s)",
    "host_queue": "its queue",
    "others": "others",
    "within": "within 1.5",
    "paths": "of paths",
}
NEAREST_FORMATS = {
    "*": "{:.0f}",
    "mechanism": "{}",
    "loss": "{:.1e}",
    "factor": "{:.2f}",
}


def renamed(table: pd.DataFrame, **names: str) -> pd.DataFrame:
    """Return a table's columns of these names, in their order, under others."""
    return table[list(names)].rename(columns=names)


def requirements(_: Runs) -> pd.DataFrame:
    """Return what 10 Gb/s over 0.1 s ask of each algorithm, in words."""
    return renamed(
        theory.ten_gigabits().replace({"algorithm": charts.OF_RESPONSE}),
        algorithm="algorithm",
        loss="loss it can bear",
        packets="packets from loss to loss",
        seconds="seconds from loss to loss",
        recovery_s="to recover (s)",
    )


def paths(_: Runs) -> pd.DataFrame:
    """Return what each path of the paper's table 1 needs, in words."""
    table = survey.paths(papers.data("survey", "paths"))
    return renamed(
        table.assign(name=table["name"].map(charts.path_name)),
        name="path",
        rate_mbps="Mb/s",
        rtt_s="$R$ (s)",
        bdp_megabytes="to fill it (MB)",
        slow_start_s="slow start (s)",
        avoidance_s="after a loss (s)",
        loss="loss",
    )


def six_numbers(runs: Runs) -> pd.DataFrame:
    """Return figure 5's six numbers beside ours (`analysis.six_numbers`), the engine first."""
    table = runs.derived(analysis.six_numbers)
    return table[["engine", "seconds", *table.columns.drop(["engine", "seconds"])]]


def start_means(runs: Runs) -> pd.DataFrame:
    """Return what the queue drops at each start, as means."""
    of = seed_means(
        runs.derived(analysis.starts), ["start", "queue"], ["dropped", "timeouts", "Mb/s"]
    )
    return of[["start", "queue", "dropped", "timeouts", "Mb/s"]].rename(
        columns={"queue": "queue (packets)"}
    )


def transfer_means(runs: Runs) -> pd.DataFrame:
    """Return how long each file takes, a column an initial window: means over the queues."""
    table = runs.derived(analysis.initial_windows).pivot_table(
        index="file", columns="initial_window", values="transfer_s"
    )
    names = {window: f"from {window} (s)" for window in plan.INITIAL_WINDOWS}
    return table.reset_index().rename(columns=names).rename_axis(columns=None)


def nearest_combinations(runs: Runs) -> pd.DataFrame:
    """Return each combination of assumptions, the nearest first, its numbers over the printed."""
    table = runs.derived(analysis.region).sort_values("factor", ignore_index=True)
    worded = table.drop(columns="loss").replace({"ordered": {True: "yes", False: "no"}})
    return worded.rename(columns=charts.worded_ratio)


def nearest_paths(runs: Runs) -> pd.DataFrame:
    """Return the nearest path of each mechanism, in words (`analysis.nearest_paths`)."""
    table = runs.derived(analysis.nearest_paths)
    names = ["mechanism", *plan.RANGES, "factor", "within", "paths"]
    return renamed(table, **{name: NEAREST_COLUMNS.get(name, name) for name in names})


def varied_means(runs: Runs) -> pd.DataFrame:
    """Return goodput and loss of the three with one assumption changed at a time, as means."""
    by = ["parameter", "setting", "algorithm"]
    table = seed_means(runs.derived(analysis.varied), by, ["Mb/s", "loss %"])
    table = table.assign(parameter=table["parameter"].map(label)).replace({"algorithm": NAMES})
    return table.rename(columns={"parameter": "what is changed"}).drop(columns="runs")


def stack_means(runs: Runs) -> pd.DataFrame:
    """Return what the same minute gives on Linux and our engines (`analysis.stack_means`)."""
    table = analysis.stack_means(analysis.stacks(runs))
    return table.rename(columns={"control": "algorithm", "stack": "engine"})


def buffer_means(runs: Runs) -> pd.DataFrame:
    """Return figure 3's goodputs, as means."""
    measures = ["Mb/s", "recoveries", "timeouts"]
    table = seed_means(runs.derived(analysis.figure_3), ["path", "buffer"], measures)
    return table.drop(columns=["± recoveries", "± timeouts"])


def parallel_means(runs: Runs) -> pd.DataFrame:
    """Return figure 4's goodputs and how fast they climb, as means."""
    measures = ["Mb/s", "slope", "slope by (10)"]
    table = seed_means(runs.derived(analysis.figure_4), ["path", "connections"], measures)
    return table.drop(columns="± slope by (10)")


def remedy_means(runs: Runs) -> pd.DataFrame:
    """Return what each remedy gives, as means."""
    table = runs.derived(analysis.remedies).replace({"sender": SENDERS})
    means = seed_means(table, ["remedy", "sender"], ["Mb/s", "dropped", "timeouts"])
    return means.drop(columns=["± dropped", "± timeouts"])


def share_means(runs: Runs) -> pd.DataFrame:
    """Return what the two of each pair get, as means."""
    measures = ["first", "second", "jain"]
    table = seed_means(runs.derived(analysis.settled_shares), ["pair", "queue"], measures)
    return table.rename(columns={"jain": "Jain", "± jain": "± Jain"})


def fairness_means(runs: Runs) -> pd.DataFrame:
    """Return each pair's index over time on the fitted path, as means: pair, time_s, jain."""
    table = runs.derived(analysis.fairness)
    fitted = table[table["queue"] == plan.FITTED_QUEUE]
    return fitted.groupby(["pair", "time_s"], sort=False, as_index=False)["jain"].mean()


def round_trip_means(runs: Runs) -> pd.DataFrame:
    """Return what a flow over twice the round trip gets beside its own kind, as means."""
    table = seed_means(analysis.round_trips(runs), ["algorithm"], ["1", "2", "ratio"])
    return table.replace({"algorithm": SENDERS})


# --- the chapter


def chapter(profile: str = "paper", **parameters: Any) -> Chapter:
    """Return the chapter at a setting (`plan.setting`)."""
    at = plan.setting(profile, **parameters)
    return Chapter(
        name="survey",
        setting=at,
        experiments=(*plan.experiments(at), joint.experiment(), joint_others.experiment()),
        figures=(
            *_figures_of_theory(at),
            *_figures(),
            *_more_figures(),
            *_tables_of_theory(),
            *_tables(at),
        ),
        claims=Table(
            name="survey-verdicts",
            uses=used(claims.PARTS),
            data=lambda runs: runs.derived(claims.judged),
            caption="The survey's claims",
        ),
    )


def _figures_of_theory(at: Setting) -> Iterator[Figure]:
    yield Figure(
        name="survey-pipes",
        data=lambda _: papers.data("survey", "paths"),
        chart=charts.pipes,
        caption="The same window of 20 packets on two paths of the same rate. What fills the short "
        "one leaves nine tenths of the long one empty.",
    )
    yield Figure(
        name="survey-saws",
        data=lambda _: theory.kept_windows(),
        chart=charts.kept_windows,
        caption="Three windows that each lose one packet whenever they reach 1400 segments. "
        "Standard TCP needs 700 round trips to be back, Scalable TCP fourteen.",
    )
    yield Figure(
        name="survey-response",
        data=lambda _: theory.mean_windows(),
        chart=charts.mean_windows,
        caption="Mean window over the probability of a loss. Where losses are frequent the three "
        "are close; where they are rare, HSTCP and Scalable TCP leave standard TCP behind.",
    )
    yield Figure(
        name="survey-2",
        data=lambda _: papers.data("survey", "testbed"),
        chart=charts.testbed,
        caption="The paper's figure 2, drawn anew from its text: two hosts, two PC routers, and a "
        "ring of fibre on which a permanent ATM connection goes round Japan.",
    )
    yield Figure(
        name="survey-network",
        data=lambda _: papers.parameters("survey"),
        chart=lambda _, runs: pictures.draw(topologies.japan("standard", **runs.setting.fitted)),
        narrow=lambda _, runs: pictures.draw(
            topologies.japan("standard", **runs.setting.fitted), down=True
        ),
        caption="The paper's network as it is simulated. The router's queue, rate and random loss "
        f"are fitted, the round trip of {at.rtt_s:g} s is stated. With its headers, "
        f"{at.bottleneck_mbps:g} Mb/s of payload take the rate that the link has.",
    )


def _figures() -> Iterator[Figure]:
    yield Figure(
        name="survey-1",
        uses=("survey-windows",),
        data=analysis.window_traces,
        chart=charts.window_phases,
        caption="A minute of standard TCP's window, with and without selective ACKs (SACK). With "
        "them the losses at the end of slow start are repaired in a few round trips; without, by "
        "the timer.",
    )
    yield Figure(
        name="survey-5",
        uses=("survey-5",),
        data=lambda runs: runs.derived(analysis.figure_5_rates),
        chart=charts.rates,
        caption="Goodput over five minutes on the fitted path, one run each. Dotted: the means "
        "that the paper printed, each over three runs.",
    )
    yield Figure(
        name="survey-5-numbers",
        uses=("survey-5", STACK_EXPERIMENTS["segment"], STACK_EXPERIMENTS["ns3"]),
        data=six_numbers,
        chart=charts.against_printed,
        caption="The six printed numbers and ours on the fitted path. A bar is where the mean of "
        "three such runs falls, 19 times in 20. Below each, paler, is what the first minute alone "
        "gives, and hollow what it gives on ns-3, in three runs each.",
    )
    yield Figure(
        name="survey-3",
        uses=("survey-3",),
        data=analysis.figure_3_rates,
        chart=charts.buffers,
        caption="Goodput of one connection of standard TCP over 15 minutes, by its send buffer, on "
        "the fitted path and on one as fast as measured without the long way. Above, the line of "
        "the buffer that grows lies on that of 8 MB.",
    )
    yield Figure(
        name="survey-4",
        uses=("survey-4",),
        data=analysis.figure_4_rates,
        chart=charts.parallel,
        caption="Sum of goodputs of 1, 4 and 8 connections with 1 MB of send buffer each, and of "
        "one with 8 MB.",
    )
    yield Figure(
        name="survey-remedies",
        uses=("survey-remedies",),
        data=remedy_means,
        chart=charts.remedies,
        caption="Goodput of standard TCP and nine other ways to send over the same lossy path, for "
        "two minutes, with 95 % intervals. Dotted: standard TCP.",
    )
    yield Figure(
        name="survey-all",
        uses=("survey-all",),
        data=lambda runs: runs.derived(analysis.surveyed),
        chart=charts.surveyed,
        narrow=lambda table, runs: charts.surveyed(table, runs, down=True),
        caption="A gigabyte over 314 Mb/s and 0.1 s where one packet in 100,000 is lost, by all "
        "that the survey names and by two senders of today. Left: how long it takes alone; dotted, "
        "the link's own time. Right: what a standard TCP has left while it comes, over what it has "
        "beside another of its kind. Means of 30 runs with 95 % intervals.",
    )
    yield Figure(
        name="survey-queues",
        uses=("survey-queues",),
        data=lambda runs: runs.derived(analysis.queue_means),
        chart=charts.queue_shares,
        caption="Standard TCP beside HSTCP and beside Scalable TCP, by the router's queue. Above: "
        "what it keeps of what it has beside its own kind in the same queue. Below: how much the "
        "other's goodput varies. Left, queues that drop at their tail, by their length; right, one "
        "that is as long as what the path holds, managed in four ways. 95 % intervals.",
    )
    yield Figure(
        name="survey-shares",
        uses=("survey-fairness",),
        data=share_means,
        chart=charts.shares,
        caption="What two connections get that share a path, means with 95 % intervals. The upper "
        "bar of a pair is the one that started first.",
    )
    yield Figure(
        name="survey-claims",
        uses=used(claims.PARTS),
        data=lambda runs: charts.claim_parts(runs.derived(claims.judged)),
        chart=charts.claims,
        caption="Every claim of the survey, as a part of what it prints or asks for, with its "
        "interval. On the dotted line a printed number is met; right of it a claim that asks for "
        "*more than* holds, left of it one that asks for *less than*. Marks outside on the right "
        "are of claims without such a number, as those about an order. The table of verdicts has "
        "the sentences whole, by the same numbers.",
    )


def _more_figures() -> Iterator[Figure]:
    """Yield the figures of the long version."""
    yield Figure(
        name="survey-region",
        uses=("survey-region",),
        data=lambda runs: runs.derived(analysis.region),
        chart=charts.region,
        caption="The factor by which the worst of the six printed numbers is missed, over "
        "bottleneck and queue. 1 would be all six exactly.",
    )
    yield Figure(
        name="survey-inverse",
        uses=("survey-inverse",),
        data=lambda runs: runs.derived(analysis.inverse),
        chart=charts.inverse,
        caption="Which paths give figure 5's six numbers? A dot is a path: what its row names was "
        "drawn at random from plausible ranges. 1 would be all six exactly, and left of the dotted "
        "line each is within a factor of 1.5.",
    )
    yield Figure(
        name="survey-linux-windows",
        uses=tuple(STACK_EXPERIMENTS.values()),
        data=analysis.stack_windows,
        chart=charts.stacks,
        caption="Windows of standard TCP, HSTCP and Scalable TCP over 60 s, on Linux, the segment "
        "engine and ns-3, one run each. The line of ns-3 lies on that of the segment engine.",
    )
    yield Figure(
        name="survey-fast",
        uses=("survey-fast",),
        data=analysis.fast_windows,
        chart=charts.fast,
        caption="Windows and queue of one and of two FAST TCP connections; the second begins after "
        "a third of the time. Dotted: where (38) and (39) have them.",
    )
    yield Figure(
        name="survey-fairness",
        uses=("survey-fairness",),
        data=fairness_means,
        chart=charts.fairness,
        caption="Jain's index of five pairs of connections over time, means of all runs. Solid: "
        "two of a kind; dashed: beside standard TCP.",
    )


def _tables_of_theory() -> Iterator[Table]:
    yield Table(
        name="survey-10g",
        data=requirements,
        formats={
            "loss it can bear": "{:.1e}",
            "packets from loss to loss": "{:.1e}",
            "seconds from loss to loss": "{:.4g}",
            "to recover (s)": "{:.4g}",
        },
        caption="10 Gb/s over 0.1 s: how rare losses must be, and how long one of them costs",
    )
    yield Table(
        name="survey-table-1",
        data=paths,
        formats={
            "Mb/s": "{:.0f}",
            "$R$ (s)": "{:.2f}",
            "to fill it (MB)": "{:.1f}",
            "slow start (s)": "{:.1f}",
            "after a loss (s)": "{:.0f}",
            "loss": "{:.1e}",
        },
        caption="The paper's table 1: what fills each path, how long slow start and the climb "
        "after a loss take, and the loss that full use allows. The round trip is stated for JAPAN; "
        "of the others it is light in fibre, out and back.",
    )
    yield Table(
        name="survey-table-2",
        data=lambda _: papers.data("survey", "testbed"),
        caption="The paper's table 2: what the test bed was made of",
    )
    yield Table(
        name="survey-hardware",
        data=lambda _: theory.hardware(),
        formats={"Mb/s": "{:.0f}"},
        caption="What the test bed's links and buses could carry of payload, and what was measured",
    )
    yield Table(
        name="survey-numbers",
        data=lambda _: theory.recomputed_numbers()[
            ["where", "statement", "printed", "computed", "unit"]
        ],
        formats={"printed": "{:.10g}", "computed": "{:.10g}"},
        caption="The text's numbers and what they come to",
    )
    yield Table(
        name="survey-headers",
        data=lambda _: renamed(
            theory.headers(), mtu="packet (bytes)", header="headers (bytes)", part="share"
        ),
        formats={"share": "{:.2%}"},
        caption="What headers take of full packets",
    )
    yield Table(
        name="survey-increases",
        data=lambda _: theory.increases(),
        formats={"*": "{:.2f}", "window": "{}"},
        caption="Segments that a round trip adds in congestion avoidance (windows in segments of "
        "1448 bytes)",
    )


def _tables(at: Setting) -> Iterator[Table]:
    yield Table(
        name="survey-starts",
        uses=("survey-starts",),
        data=start_means,
        formats={"dropped": "{:.0f}", "timeouts": "{:.1f}", "Mb/s": "{:.0f}"},
        caption="Starts on 314 Mb/s: packets that the queue dropped, timeouts and goodput, means "
        "of all runs",
    )
    yield Table(
        name="survey-initial-windows",
        uses=("survey-initial-windows",),
        data=transfer_means,
        formats={"*": "{:.2f}", "file": "{}"},
        caption="Time to transfer a short and a long file from a first window of 1, 3 and 10 "
        "segments, means over many lengths of the router's queue",
    )
    yield Table(
        name="survey-region-best",
        uses=("survey-region",),
        data=nearest_combinations,
        formats=dict.fromkeys((*map(charts.worded_ratio, analysis.RATIOS), "factor"), "{:.2f}"),
        caption="Each number as a part of the printed one, by single runs",
    )
    yield Table(
        name="survey-inverse-nearest",
        uses=("survey-inverse",),
        data=nearest_paths,
        formats=NEAREST_FORMATS,
        caption="The nearest path of each mechanism: what it has, and by which factor the worst of "
        "six numbers is missed",
    )
    yield Table(
        name="survey-assumptions",
        uses=("survey-assumptions",),
        data=varied_means,
        formats=dict.fromkeys(("Mb/s", "± Mb/s"), "{:.1f}")
        | dict.fromkeys(("loss %", "± loss %"), "{:.3f}"),
        caption="Goodput and loss of the three algorithms with one assumption changed, means with "
        "95 % intervals",
    )
    yield Table(
        name="survey-turned",
        data=lambda _: joint_tables.turned("survey"),
        caption=f"What turns each claim, at {joint_settings.NUMBER} settings that differ in all "
        "that the paper does not state (segment engine)",
    )
    yield Table(
        name="survey-own",
        uses=("survey-own", STACK_EXPERIMENTS["ns3"]),
        data=analysis.own_classes,
        formats={"*": "{:.4g}", "algorithm": "{}"},
        caption="The three on ns-3 by its own classes and by ours, one run of a minute each",
    )
    yield Table(
        name="survey-linux",
        uses=tuple(STACK_EXPERIMENTS.values()),
        data=stack_means,
        formats={"recoveries": "{:.1f}", "timeouts": "{:.1f}"},
        caption="Runs of 60 s on Linux, the segment engine and ns-3, three each: means with "
        "95 % intervals",
    )
    yield Table(
        name="survey-check",
        uses=(STACK_EXPERIMENTS["ns3"], STACK_EXPERIMENTS["segment"]),
        data=analysis.engines_agree,
        formats={"*": "{:.3f}", "algorithm": "{}"}
        | dict.fromkeys(("segments", "segments here"), "{:,.0f}")
        | dict.fromkeys(("recoveries", "recoveries here"), "{:.0f}"),
        caption="A minute of figure 5 on ns-3 and, of the same seed, here on the segment engine: "
        "segments sent, recoveries, goodputs (Mb/s), and the second's over the first's",
    )
    yield Table(
        name="survey-3-numbers",
        uses=("survey-3",),
        data=buffer_means,
        formats=dict.fromkeys(("Mb/s", "± Mb/s", "recoveries", "timeouts"), "{:.1f}"),
        caption=f"Goodput over {at.long_s:g} s by the send buffer (bytes; auto: it grows with the "
        "window)",
    )
    yield Table(
        name="survey-4-numbers",
        uses=("survey-4",),
        data=parallel_means,
        formats=dict.fromkeys(("Mb/s", "± Mb/s", "slope", "± slope", "slope by (10)"), "{:.2f}"),
        caption="Sum of goodputs, its growth while it climbs, and $N M/R^2$ (Mb/s a second)",
    )
    yield Table(
        name="survey-remedies-numbers",
        uses=("survey-remedies",),
        data=remedy_means,
        formats={
            "Mb/s": "{:.1f}",
            "± Mb/s": "{:.1f}",
            "dropped": "{:.0f}",
            "timeouts": "{:.1f}",
        },
        caption="Goodput for two minutes, packets that queues dropped, and timeouts",
    )
    yield Table(
        name="survey-fairness-numbers",
        uses=("survey-fairness",),
        data=share_means,
        formats=dict.fromkeys(("first", "± first", "second", "± second"), "{:.1f}")
        | dict.fromkeys(("Jain", "± Jain"), "{:.3f}"),
        caption="Goodputs in Mb/s and Jain's index after the first third, with 95 % intervals",
    )
    yield Table(
        name="survey-rtt",
        uses=("survey-rtt",),
        data=round_trip_means,
        formats=dict.fromkeys(("1", "± 1", "2", "± 2"), "{:.1f}")
        | dict.fromkeys(("ratio", "± ratio"), "{:.2f}"),
        caption="Goodput (Mb/s) over 0.1 s (1) and over 0.2 s (2), and their ratio, means with "
        "95 % intervals",
    )
