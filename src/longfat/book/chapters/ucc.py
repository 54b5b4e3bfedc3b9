"""The chapter on UCC: each figure and table with what it uses, its data and caption."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from longfat import papers, pictures, statistics, style, topologies
from longfat.book import joint as joint_tables
from longfat.book import show
from longfat.book.chapters import ucc_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table, stacked, used
from longfat.papers.joint import SETTINGS
from longfat.papers.ucc import (
    analysis,
    claims,
    derivation,
    inverse,
    joint,
    joint_others,
    plan,
    theory,
)
from longfat.papers.ucc.plan import CHD
from longfat.scenario import Scenario

RHO = r"$\rho$"


def estimate_over_time(runs: Runs) -> pd.DataFrame:
    """Return the window and the estimate of one UCC flow over time."""
    run = runs.derived(analysis.over_time)
    return run.window.merge(run.estimate, on=["flow", "time_s"], how="outer")


def ratios_by_buffer(loss: float, runs: Runs) -> pd.DataFrame:
    """Return what NewReno gets beside UCC and CHD over beside NewReno, a row a buffer."""
    table = runs.derived(analysis.buffers)
    table = table[table["loss"] == loss]
    table = table.pivot(index="buffer", columns="control", values="measured")[["UCC", CHD]]
    return table.rename_axis("buffer (packets)", columns=None).reset_index()


CROWD = {
    "Mb/s": "all together (Mb/s)",
    "repeated": "sent again (%)",
    "jain": "Jain's index",
}


def crowd_means(runs: Runs) -> pd.DataFrame:
    """Return what many senders of one kind do where nothing is lost at random, as means."""
    crowds = runs.derived(analysis.crowds)
    of = crowds[crowds["loss"] == 0].groupby(["flows", "control"])
    means = of[list(CROWD)].mean().reset_index()
    return means.assign(repeated=100 * means["repeated"]).rename(columns=CROWD)


def elsewhere(_: Runs) -> pd.DataFrame:
    """Return (6) with and without the queue of another link (`theory.queueing_elsewhere`)."""
    packets = theory.queueing_elsewhere()
    errors = statistics.interval(packets, ["cross"], "error")
    means = packets.groupby("cross")[["busy", "alone", "both"]].mean().reset_index()
    return means.merge(errors[["cross", "error", "halfwidth"]]).rename(
        columns={
            "cross": "other traffic",
            "busy": "bottleneck busy",
            "alone": "(6), bottleneck alone",
            "both": "(6), both links",
            "error": "difference",
            "halfwidth": "±",
        }
    )


def sensitivity(runs: Runs) -> pd.DataFrame:
    """Return `analysis.sensitivity_table` in words."""
    pairs, varied = runs.derived(analysis.segment_pairs), analysis.sensitivity_runs(runs)
    table = analysis.sensitivity_table(pairs, varied)
    losses = {column: f"$p = {column}$" for column in table if column[0].isdigit()}
    return table.assign(assumption=table["assumption"].map(style.label)).rename(columns=losses)


def fitted(runs: Runs) -> pd.DataFrame:
    """Return how far each combination of assumptions is from what was stated, in words."""
    table = inverse.distances(
        runs.setting,
        runs.derived(analysis.segment_pairs),
        analysis.sensitivity_runs(runs),
        inverse.combined_runs(runs),
    )
    words = [", ".join(map(style.label, names.split(", "))) for names in table["parameter"]]
    return table.assign(parameter=words).rename(columns={"parameter": "what is changed"})


def neighbours(runs: Runs) -> pd.DataFrame:
    """Return `analysis.neighbours_by_engine` with engines as readers know them."""
    table = runs.derived(analysis.neighbours_by_engine)
    table = table.assign(engine=table["engine"].map(show.ENGINE_LABEL))
    order = {name: place for place, name in enumerate(plan.NEIGHBOURS)}
    return table.sort_values("neighbour", key=lambda names: names.map(order), kind="stable")


def neighbours_by_engine(runs: Runs) -> pd.DataFrame:
    """Return the same as text, a row a neighbour and loss; columns name whose runs they are."""
    table = neighbours(runs)
    table = table.assign(
        beside="beside " + table["control"] + ", " + table["engine"],
        ratio=[f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in table.itertuples()],
    )
    columns = list(dict.fromkeys(table["beside"]))
    table = table.pivot(index=["neighbour", "loss"], columns="beside", values="ratio")
    table = table[columns].loc[list(plan.NEIGHBOURS)]
    return table.rename_axis(columns=None).reset_index().fillna("–")


def layouts(runs: Runs) -> pd.DataFrame:
    """Return who carries more on each of figure 7's networks, as text: a column a step."""
    both = runs.derived(analysis.chains)
    words = {CHD: f"{CHD} over UCC", "UCC": "UCC over NewReno"}
    tables = [
        analysis.layout_ratios(own).assign(
            engine="" if engine == "segment" else f", {show.ENGINE_LABEL[str(engine)]}"
        )
        for engine, own in both.groupby("engine", sort=False)
    ]
    ratios = pd.concat(tables, ignore_index=True)
    table = ratios.assign(
        layout=ratios["layout"].map(plan.LAYOUTS),
        step=ratios["control"].map(words) + ratios["engine"],
        ratio=[
            f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in ratios.itertuples()
        ],
    )
    table = table.pivot(index=["layout", "loss"], columns="step", values="ratio")
    return table.rename_axis(columns=None).reset_index().fillna("–")


RELATIVES = ("N1 (Mb/s)", "N2 (Mb/s)", "queue (packets)")


def relatives(runs: Runs) -> pd.DataFrame:
    """Return what each relative of UCC gets, and the queue that it makes, as means."""
    table = analysis.relatives(runs)
    means = table.groupby(["control", "neighbour", "loss"], sort=False)[list(RELATIVES)].mean()
    return means.reset_index()


ENGINES = {
    "there": "there (Mb/s)",
    "here": "segment engine (Mb/s)",
    "ratio": "there over here",
}


def engines(runs: Runs) -> pd.DataFrame:
    """Return what other engines have run beside the segment engine's (`compared_engines`)."""
    table = analysis.compared_engines(runs.derived(analysis.pairs))
    table["engine"] = table["engine"].map(show.ENGINE_LABEL)
    return table.rename(columns=ENGINES)


# --- the chapter


def chapter(profile: str = "paper", **parameters: Any) -> Chapter:
    """Return the chapter at a setting (`plan.setting`)."""
    at = plan.setting(profile, **parameters)
    return Chapter(
        name="ucc",
        setting=at,
        experiments=(
            *plan.experiments(at),
            *(joint.experiment(), joint.experiment_on_ns2(), joint_others.experiment()),
        ),
        figures=(*_figures(), *_networks(), *_tables(), *_tables_of_theory()),
        claims=Table(
            name="ucc-verdicts",
            uses=used(claims.PARTS),
            data=lambda runs: runs.derived(claims.judged),
            caption="The paper's claims, and how they stand",
        ),
    )


def by_clocks_on_ns2(runs: Runs) -> pd.DataFrame:
    """Return `analysis.clocks_on_ns2` as the page shows it."""
    return _by_clocks(runs.derived(analysis.clocks_on_ns2))


def by_clocks_on_linux(runs: Runs) -> pd.DataFrame:
    """Return `analysis.clocks_on_linux` as the page shows it."""
    return _by_clocks(runs.derived(analysis.clocks_on_linux))


def _by_clocks(table: pd.DataFrame) -> pd.DataFrame:
    _, few, many = plan.CLOCK_LOSSES
    keys = ["clock", "mend"]
    two = table[table["loss"] == many].set_index(keys)
    kept = table[table["loss"] == few].set_index(keys)

    def with_interval(some: pd.DataFrame, *names: str) -> pd.Series:
        rows = some[list(names)].itertuples(index=False)
        words = [f"{value:.2f} [{low:.2f}, {high:.2f}]" for value, low, high in rows]
        return pd.Series(words, index=some.index, dtype=object)

    shown = {
        "two of UCC (Mb/s)": with_interval(two, "two_mbps", "low", "high"),
        "two of NewReno (Mb/s)": two["reference_mbps"],
        "kept by a neighbour": with_interval(kept, "kept", "kept_low", "kept_high"),
    }
    return pd.DataFrame(shown).reset_index().rename(columns={"mend": "counts as the smallest"})


def _figures() -> Iterator[Figure]:
    yield Figure(
        name="ucc-minute",
        uses=(*plan.PAIRS, "ucc-windows"),
        data=lambda runs: stacked(
            pairs=runs.derived(analysis.equal_pair_points),
            held=runs.derived(analysis.held_windows),
        ),
        chart=charts.minute,
        caption="Left: what two equal flows carry together over a link of 10 Mb/s that loses "
        "packets. UCC and its rival keep it filled where NewReno gives up; hollow are the same on "
        "ns-3 and ns-2. Right: what UCC "
        "believes of a link, over how busy it truly is, for windows that are held. It is wrong "
        "until the link is full.",
    )
    yield Figure(
        name="ucc-1",
        data=lambda _: theory.backoff_curves(),
        chart=charts.backoff,
        caption="The paper's figure 1: how likely a delay-based sender is to back off, over the "
        "queueing delay. In region A it is among its own kind, and backing off keeps the queue "
        "short. A queue beyond $q_{th}$ can only come from others, who stop at losses alone; in "
        "region B it backs off less and less, so as not to be pushed aside.",
    )
    yield Figure(
        name="ucc-utilization",
        uses=("ucc-utilization",),
        data=estimate_over_time,
        chart=charts.over_time,
        caption="Above, the window of one of two UCC flows while the link loses three packets in a "
        "thousand: circles are losses that it forgives, triangles those at which it halves. Below, "
        "its estimate, which begins anew at each loss, and how busy the link was in each second.",
    )
    yield Figure(
        name="ucc-windows",
        uses=("ucc-windows", plan.MEASURED),
        data=lambda runs: stacked(
            held=runs.derived(analysis.held_windows),
            measured=runs.derived(analysis.measured_estimates),
        ),
        chart=charts.estimate_over_utilization,
        caption="What UCC estimates over how busy the link truly is, in the same run. On the line "
        "it would be right. Filled: one flow without losses, whose window is held at 10 to 70 "
        "segments: below one it sees an idle link, whatever it is; from the moment a queue stands, "
        "it sees a full one. Hollow: two flows, as in the paper, and means of what they estimate "
        "at their losses, a mark for each loss rate.",
    )
    yield Figure(
        name="ucc-3",
        uses=plan.PAIRS,
        data=lambda runs: runs.derived(analysis.equal_pair_points),
        chart=partial(
            charts.over_loss,
            "Senders that forgive losses fill the link up to a loss in a hundred packets",
            "goodput of both flows (Mb/s)",
        ),
        caption="What two equal flows carry together, over the probability that a packet is lost, "
        "with 95 % intervals. NewReno, CUBIC and Compound fall from a loss in 300 packets on. "
        "Hollow: the same on ns-3 and ns-2.",
    )
    yield Figure(
        name="ucc-neighbours",
        uses=(*plan.SEGMENT_PAIRS, plan.PAIRS_ON_NS2),
        data=neighbours,
        chart=charts.neighbours,
        caption="What a neighbour gets beside UCC and beside CHD without DCC, as times what it "
        "gets beside its own kind, with 95 % intervals. In the grey band it is almost the same: "
        "within a tenth. Hollow: UCC in ns-2, which judges what the paper says of it; filled: the "
        "segment engine.",
    )
    for number, neighbour, title in (
        (4, "NewReno", "NewReno gets nearly as much beside UCC as beside NewReno"),
        (5, "CUBIC", "CUBIC is no worse off beside UCC than beside NewReno"),
        (6, "Compound", "Compound keeps its share beside UCC, and not beside CHD"),
    ):
        yield Figure(
            name=f"ucc-{number}",
            uses=plan.PAIRS,
            data=partial(analysis.neighbour_goodput, neighbour),
            chart=partial(charts.over_loss, title, f"goodput of {neighbour} at N2 (Mb/s)"),
            caption=f"Goodput of a {neighbour} flow over the loss rate, a line for each sender "
            "that it shares the link with. Hollow: the same on other engines.",
        )
    yield Figure(
        name="ucc-8",
        uses=("ucc-chain-segment",),
        data=analysis.chain_points,
        chart=partial(
            charts.over_loss,
            "UCC lies between the other two where losses are frequent",
            "goodput of N1 and N2 (Mb/s)",
        ),
        caption="What N1 and N2 carry together over the loss rate. The paper says: UCC lies "
        "between CHD without DCC and NewReno.",
    )
    yield Figure(
        name="ucc-clocks-run",
        uses=("ucc-clocks-run",),
        data=lambda runs: runs.derived(analysis.clocks),
        chart=charts.clocks,
        caption="UCC in closed loop by clocks that are not exact, and over a radio that repeats "
        "lost frames. Left: what two of its flows carry where one packet in a hundred is lost (on "
        "the radio: one frame); strokes are two of NewReno. Right: what a NewReno neighbour keeps "
        "of its own where one in a thousand is lost. Twelve runs a point, with 95 % intervals. A "
        "tolerance that is shorter than a tick is none.",
    )
    yield Figure(
        name="ucc-managed",
        uses=("ucc-managed",),
        data=lambda runs: runs.derived(analysis.managed),
        chart=charts.managed,
        caption="What a NewReno neighbour keeps beside UCC and beside CHD without DCC, of what it "
        "has beside NewReno in the same queue: one that drops at its tail, and four that are "
        "managed. Twelve runs a point, with 95 % intervals.",
    )
    yield Figure(
        name="ucc-alphas",
        uses=("ucc-alphas",),
        data=lambda runs: runs.derived(analysis.alphas),
        chart=charts.alphas,
        caption=r"What a NewReno neighbour keeps beside UCC, by UCC's threshold $\alpha$ and the "
        "buffer. The paper has 0.99. Twelve runs a point, with 95 % intervals.",
    )
    yield Figure(
        name="ucc-claims",
        uses=used(claims.PARTS),
        data=lambda runs: runs.derived(claims.judged).drop(columns="evidence"),
        chart=charts.verdicts,
        caption="Each claim of the paper, and how it stands. For those about a ratio: what was "
        "measured at the point that decides, with its 95 % interval; grey is where the claim "
        "holds. The numbers are those of the table of verdicts, which says on what one "
        "depends.",
    )


def _networks() -> Iterator[Figure]:
    """Yield the networks of the paper's figures, drawn."""
    several = partial(topologies.multi_bottleneck, "ucc", loss=0.01)
    yield _network(
        "ucc-2",
        topologies.wireless("ucc", "newreno", loss=0.01),
        "The paper's figure 2, drawn anew: N1 and N2 send to N3 over the router R. The dashed link "
        "is the radio link, which loses packets; the buffer in front of it holds 50.",
    )
    yield _network(
        "ucc-7",
        several(layout=plan.LAYOUT),
        "The plainest network that fits the paper's words on figure 7: everything passes the link "
        "between its two routers. All links are alike.",
    )
    yield _network(
        "ucc-7-opposite",
        several(layout="opposite"),
        "Figure 7 if N3 sends against the others: its data share a link with their ACKs.",
    )
    yield _network(
        "ucc-7-chain",
        several(layout="chain"),
        "Figure 7 as a chain of two bottlenecks, with a router R3 that the text does not name.",
    )


def _network(name: str, scenario: Scenario, caption: str) -> Figure:
    return Figure(
        name=name,
        data=lambda _: show.links(scenario),
        chart=lambda *_: pictures.draw(scenario),
        narrow=lambda *_: pictures.draw(scenario, down=True),
        caption=caption,
    )


def _tables() -> Iterator[Table]:
    yield Table(
        name="ucc-one-threshold",
        uses=("ucc-buffers",),
        data=partial(ratios_by_buffer, 0.001),
        formats=dict.fromkeys(("UCC", CHD), "{:.2f}"),
        caption="What NewReno gets beside each, as times what it gets beside NewReno, at a loss in "
        "a thousand packets",
    )
    yield Table(
        name="ucc-crowd",
        uses=plan.CROWD_EXPERIMENTS,
        data=crowd_means,
        formats=dict(zip(CROWD.values(), ("{:.2f}", "{:.1f}", "{:.2f}"), strict=True)),
        caption="So many flows of one kind on the radio link, without random loss; Jain's index is "
        "1 where all get the same",
    )
    yield Table(
        name="ucc-parameters",
        data=lambda _: show.worded_parameters(papers.parameters("ucc")),
        caption="Stated by the paper, or assumed here",
    )
    yield Table(
        name="ucc-assumptions",
        uses=(*plan.SEGMENT_PAIRS, "ucc-assumptions"),
        data=sensitivity,
        caption="What a neighbour gets beside UCC, as times what it gets beside its own kind, 95 % "
        "intervals",
    )
    yield Table(
        name="ucc-inverse",
        uses=(*plan.SEGMENT_PAIRS, "ucc-assumptions", "ucc-inverse"),
        data=fitted,
        formats=dict.fromkeys(("distance", "low", "high"), "{:.1f}"),
        caption="Combinations of what is not stated: mean distance to twelve statements (per "
        "cent).",
    )
    yield Table(
        name="ucc-turned",
        data=lambda _: joint_tables.turned("ucc"),
        caption=f"What turns each claim, at {SETTINGS} settings that differ in all that the paper "
        "does not state",
    )
    yield Table(
        name="ucc-neighbours-engines",
        uses=(*plan.SEGMENT_PAIRS, plan.PAIRS_ON_NS2),
        data=neighbours_by_engine,
        formats={"loss": "{:g}"},
        caption="What a neighbour gets, as times what it gets beside its own kind on the same "
        "engine, with 95 % intervals; ns-2 has no CHD",
    )
    yield Table(
        name="ucc-layouts",
        uses=claims.PARTS["chain"].uses,
        data=layouts,
        formats={"loss": "{:g}"},
        caption="Goodput of N1 and N2 together: who carries more, and by how much; 95 % intervals",
    )
    yield Table(
        name="ucc-estimators",
        uses=("ucc-estimators",),
        data=analysis.estimators,
        caption="Goodput in Mb/s by threshold, clock and minimum, with 95 % intervals",
    )
    yield Table(
        name="ucc-buffers",
        uses=("ucc-buffers",),
        data=lambda runs: (
            runs.derived(analysis.buffers)
            .drop(columns="runs")
            .rename(columns={"buffer": "buffer (packets)", "measured": "ratio"})
        ),
        formats=dict.fromkeys(("ratio", "low", "high"), "{:.2f}") | {"loss": "{:g}"},
        caption="What NewReno gets beside UCC or CHD without DCC, as times what it gets beside "
        "NewReno",
    )
    lifetime = "minimum forgotten after (s), 0 never"
    yield Table(
        name="ucc-routes",
        uses=("ucc-routes",),
        data=lambda runs: analysis.routes(runs).rename(
            columns={"change": "the path becomes", "lifetime_s": lifetime, "halfwidth": "±"}
        ),
        formats={"Mb/s": "{:.2f}", "±": "{:.2f}", lifetime: "{:g}"},
        caption="Goodput of two UCC flows at a loss of 0.01, in Mb/s with 95 % intervals",
    )
    yield Table(
        name="ucc-relatives",
        uses=("ucc-relatives",),
        data=relatives,
        formats=dict(zip(RELATIVES, ("{:.2f}", "{:.2f}", "{:.1f}"), strict=True))
        | {"loss": "{:g}"},
        caption="What each gets, and how long the queue at the radio link is on average",
    )
    yield Table(
        name="ucc-sharing",
        uses=plan.SEGMENT_PAIRS,
        data=lambda runs: analysis.harm_table(runs.derived(analysis.segment_pairs), runs.setting),
        formats={"loss": "{:g}"},
        caption="Harm that a row does to a column, and Jain's index of the two",
    )
    yield Table(
        name="ucc-no-loss",
        uses=plan.SEGMENT_PAIRS,
        data=lambda runs: analysis.without_loss(runs.derived(analysis.segment_pairs)),
        formats=dict.fromkeys(("Mb/s", "Jain's index"), "{:.3f}")
        | dict.fromkeys(("recoveries", "timeouts"), "{:.1f}"),
        caption="Two equal flows without random loss: goodput, recoveries and timeouts of both, "
        "fairness",
    )
    yield Table(
        name="ucc-engines",
        uses=plan.PAIRS,
        data=engines,
        formats=dict.fromkeys(ENGINES.values(), "{:.3f}") | {"loss": "{:g}"},
        caption="The same scenarios on other engines: mean goodput of a flow",
    )


def _tables_of_theory() -> Iterator[Table]:
    yield Table(
        name="ucc-beat",
        data=lambda _: _named(
            theory.simulated_queues(["M/M/1", "M/D/1", "D/M/1", "H2/M/1", "D/D/1"])[
                ["queue", "busy", "queued"]
            ],
            busy="part of time busy",
            queued="part of packets that wait",
        ),
        formats={"part of time busy": "{:.2f}", "part of packets that wait": "{:.2f}"},
        caption="Packets at random (M), at a steady beat (D) and in bunches (H2), at a link that "
        "takes random times (M) or always the same (D)",
    )
    yield Table(
        name="ucc-table-1",
        data=lambda _: _named(
            papers.data("ucc", "related"),
            control="congestion control",
            delay="measures",
            congestion="takes for congestion",
            window="changes the window by",
        ),
        caption=r"Table 1 of the paper: $\tau_i$ is the round trip, $d_i$ the one-way delay, "
        r"$\beta$ the factor of a decrease",
    )
    yield Table(
        name="ucc-queues",
        data=lambda _: _named(
            theory.simulated_queues(),
            busy="of time busy",
            queued="of packets that wait",
            theory="by theory",
        ),
        formats={"*": "{:.3f}", "queue": "{}", "utilization": "{:g}"},
        caption="20 000 packets: E4 are less random than M, H2 come in bunches, U are even between "
        "0 and twice the mean",
    )
    yield Table(
        name="ucc-closed",
        data=lambda _: theory.closed_queue().rename(
            columns={
                "W": "$W$",
                "random, rho": f"at random: {RHO}",
                "random, (6)": "at random: (6)",
                "even, rho": f"even: {RHO}",
                "even, (6)": "even: (6)",
            }
        ),
        formats={"*": "{:.3f}", "$W$": "{}"},
        caption="Utilization and its estimate for a window on a path that holds "
        f"{theory.PIPE_PACKETS + 1:.1f} packets",
    )
    yield Table(
        name="ucc-estimate",
        data=lambda _: _at_utilizations(theory.estimate_errors(), [0.95, 0.99]),
        formats={"*": "{:.4f}", "$N$": "{}"},
        caption="Bias and standard deviation of (6) for independent packets",
    )
    yield Table(
        name="ucc-example",
        data=lambda _: theory.samples_met().rename(
            columns={
                "N": "$N$",
                "sd": "standard deviation",
                "independent sd": "if independent",
                "none": "none of them",
                "independent_none": "none, if independent",
            }
        ),
        formats={"mean": "{:.0f}"}
        | dict.fromkeys(("standard deviation", "if independent"), "{:.1f}")
        | dict.fromkeys(("none of them", "none, if independent"), "{:.2g}"),
        caption="Packets of $N$ that meet no queue, and the probability that none does",
    )
    yield Table(
        name="ucc-halving",
        data=lambda _: theory.halving_probabilities().rename(
            columns=lambda name: (
                "$N$"
                if name == "N"
                else rf"$\rho = {name.partition(',')[0]}${', unknown' if ',' in name else ''}"
            )
        ),
        formats={"*": "{:.3f}", "$N$": "{}"},
        caption="Probability that (7) halves the window, independent packets",
    )
    yield Table(
        name="ucc-clocks-ns2",
        uses=(plan.ON_NS2,),
        data=by_clocks_on_ns2,
        formats={"two of NewReno (Mb/s)": "{:.2f}"},
        caption="UCC in ns-2: what counts as the smallest delay decides what it is. Two UCC flows "
        "where one packet in a hundred is lost, and what a NewReno neighbour keeps of its own "
        "where one in a thousand is; twelve runs each, with 95 % intervals",
    )
    yield Table(
        name="ucc-clocks-linux",
        uses=(plan.ON_LINUX,),
        data=by_clocks_on_linux,
        formats={"two of NewReno (Mb/s)": "{:.2f}"},
        caption="UCC in Linux 6.12, by TCP's timestamps. Two UCC flows where one packet in a "
        "hundred is lost, and what a NewReno neighbour (Linux's Reno) keeps of its own where one "
        "in a thousand is; twelve runs each, with 95 % intervals",
    )
    yield Table(
        name="ucc-clocks",
        data=lambda _: theory.clocks().rename(columns={"utilization": RHO}),
        formats={"*": "{:.3f}", RHO: "{:g}"},
        caption="Mean of (6) by clocks with ticks of these lengths",
    )
    yield Table(
        name="ucc-readers",
        data=lambda _: theory.readers().rename(
            columns=lambda name: rf"$\rho = {name}$" if name[0].isdigit() else name
        ),
        formats={"*": "{:.3f}", "read by": "{}", "tolerance": "{}"},
        caption="(6) for the same packets, by how their delay is read",
    )
    yield Table(
        name="ucc-doubles",
        data=lambda _: _named(
            theory.clocks_in_doubles(),
            share="equal to the smallest",
            distinct="different delays",
            spread="spread (s)",
        ),
        formats={"equal to the smallest": "{:.2%}", "spread (s)": "{:.1e}"},
        caption="10 000 equal delays in doubles",
    )
    yield Table(
        name="ucc-elsewhere",
        data=elsewhere,
        formats={"*": "{:.3f}"},
        caption="Two links, the second with other traffic; ten runs of 20 000 packets each",
    )
    yield Table(
        name="ucc-ledger",
        data=lambda _: _named(derivation.ledger(), where="where the error is largest"),
        formats={"error": "{:.2f}"},
        caption="The paper's equations",
    )


def _named(table: pd.DataFrame, **names: str) -> pd.DataFrame:
    return table.rename(columns=names)


def _at_utilizations(table: pd.DataFrame, rhos: Sequence[float]) -> pd.DataFrame:
    """Return a table with its columns as formulas: N, and those that end with a utilization."""
    names = {
        column: column.replace(f", {rho}", rf", $\rho = {rho}$")
        for column in table
        for rho in rhos
        if column.endswith(f", {rho}")
    }
    return table.rename(columns=names | {"N": "$N$"})
