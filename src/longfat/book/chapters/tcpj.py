"""The chapter on TCP-J: each figure and table with what it uses, its data and caption."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, pictures, statistics, topologies
from longfat.book import joint as joint_tables
from longfat.book import show
from longfat.book.chapters import tcpj_charts as charts
from longfat.errors import InputError
from longfat.experiment import Chapter, Figure, Runs, Table, used
from longfat.papers.joint import SETTINGS
from longfat.papers.tcpj import (
    analysis,
    claims,
    derivation,
    joint,
    joint_changes,
    joint_families,
    movements,
    numbers,
    plan,
    theory,
)
from longfat.papers.tcpj.plan import SEGMENT_LOSSES, Setting
from longfat.scenario import Scenario
from longfat.style import ENGINE_LABEL, label

RATE = "bit error rate"
INTERVALS = ["bit_error_rate", "protocol"]


def loss_points(runs: Runs) -> pd.DataFrame:
    """Return figure 9's points: goodput of each protocol by engine and bit error rate."""
    return analysis.loss_points(runs.derived(analysis.random_losses))


def table_2(runs: Runs) -> pd.DataFrame:
    """Return table 2 by the segment engine's runs (`analysis.table_2`)."""
    return analysis.table_2(runs.derived(analysis.segment_losses))


def both_tables_2(runs: Runs) -> pd.DataFrame:
    """Return table 2 by both engines' runs under the paper's (`analysis.wide_table_2`)."""
    tables = {ENGINE_LABEL["segment"]: table_2(runs)}
    own = analysis.ns2_losses(runs)
    if not own.empty:
        tables[ENGINE_LABEL["ns2"]] = analysis.table_2(own)
    return analysis.wide_table_2(dict(reversed(tables.items())))


def outage_points(runs: Runs) -> pd.DataFrame:
    """Return figure 10's points: goodput of each protocol by engine and length of the outage."""
    flows = runs.derived(claims.PARTS["outages"].make)
    named = flows.assign(engine=flows["engine"].map(ENGINE_LABEL))
    return statistics.interval(named, ["engine", "outage_s", "protocol"], "Mb/s")


def newcomers(runs: Runs) -> pd.DataFrame:
    """Return what both get after a movement (`analysis.worded_newcomers`), by ns-2's runs first."""
    both = runs.derived(claims.PARTS["newcomers"].make)
    tables = {
        ENGINE_LABEL[engine]: analysis.worded_newcomers(own)
        for engine in ("ns2", "segment")
        if not (own := both[both["engine"] == engine]).empty
    }
    together = pd.concat(tables, names=["simulator", "row"])
    return together.reset_index("simulator").reset_index(drop=True)


def kept_gains(runs: Runs) -> pd.DataFrame:
    """Return what a sender gains over SACK that keeps its window."""
    gains = statistics.gains(runs.derived(analysis.keeping), "SACK", ["bit_error_rate"])
    gains = gains[gains["protocol"] == "keeps its window"]
    columns = ["bit_error_rate", "gain", "low", "high", "repetitions"]
    return gains[columns].rename(columns={"bit_error_rate": RATE, "gain": "gain (%)"})


def repeating_points(runs: Runs) -> pd.DataFrame:
    """Return the goodput of each sender over each radio, by bit error rate."""
    by = ["radio", *INTERVALS]
    return statistics.interval(runs.derived(analysis.repeating), by, "Mb/s")


def westwoods(runs: Runs) -> pd.DataFrame:
    """Return what Westwood gains on ns-2, a row an error rate and a column a base."""
    table = analysis.ns2_westwoods(runs)
    words = [
        f"{gain:.0f} [{low:.0f}, {high:.0f}]"
        for gain, low, high in table[["gain", "low", "high"]].itertuples(index=False)
    ]
    wide = table.assign(words=words).pivot(index="bit_error_rate", columns="base", values="words")
    wide = wide.reindex(columns=[*plan.WESTWOODS, plan.RENO_ITSELF]).rename_axis(columns=None)
    named = wide.rename(columns={name: f"Westwood on {name}" for name in plan.WESTWOODS})
    return named.rename(index="{:g}".format).rename_axis(RATE).reset_index()


def moved(runs: Runs) -> pd.DataFrame:
    """Return what movements cost (`movements.costs`), a row a movement and protocol."""
    table = movements.costs(runs)
    columns = ["measured", "low", "high", "timeouts"]
    table = table.assign(
        words=[
            f"{mean:.2f} [{low:.2f}, {high:.2f}], {timeouts:.1f}"
            for mean, low, high, timeouts in table[columns].itertuples(index=False)
        ],
        **{
            "answered (ms)": (1000 * table["took_s"]).round().astype(int),
            "counted (ms)": (1000 * table["counted_s"]).round().astype(int),
            "told (ms)": ["never" if np.isinf(s) else f"{1000 * s:.0f}" for s in table["heard_s"]],
        },
    )
    keys = ["movement", "protocol", "answered (ms)", "counted (ms)", "told (ms)"]
    rows = [
        dict(zip(keys, key, strict=True)) | dict(zip(some["sender"], some["words"], strict=True))
        for key, some in table.groupby(keys, sort=False)
    ]
    return pd.DataFrame(rows)


def alpha_points(runs: Runs) -> pd.DataFrame:
    """Return how far TCP-J's share is above a third, by wire and smoothing constant."""
    by = ["rate_bps", "rtt_s", "alpha"]
    return statistics.interval(runs.derived(analysis.alphas), by, "off").rename(
        columns={
            "rate_bps": "rate (bit/s)",
            "rtt_s": "round trip (s)",
            "alpha": r"$\alpha$",
            "off": "off a third (%)",
            "halfwidth": "±",
        }
    )


def todays_points(runs: Runs) -> pd.DataFrame:
    """Return the goodput of today's senders, and of three of the paper's, by bit error rate."""
    return statistics.interval(runs.flows("tcpj-today"), INTERVALS, "Mb/s")


def turned_claims(runs: Runs) -> pd.DataFrame:
    """Return the claims that turn with how a lost retransmission is found."""
    judged = runs.derived(claims.judged)
    return numbers.turned_claims(judged, numbers.TURNING, "left to the timer", "found at once")


# --- the chapter


def chapter(profile: str = "paper", **parameters: Any) -> Chapter:
    """Return the chapter at a setting (`plan.setting`), which has at least `plan.TWO_RATES`."""
    at = plan.setting(profile, **parameters)
    if not set(plan.TWO_RATES) <= set(at.bit_error_rates):
        raise InputError(
            f"bit_error_rates is {list(at.bit_error_rates)}: "
            f"it must have {' and '.join(f'{rate:g}' for rate in plan.TWO_RATES)}, of which the "
            "chapter's sentences speak"
        )
    return Chapter(
        name="tcpj",
        setting=at,
        experiments=(
            *plan.experiments(at),
            *(joint.fits(), joint.experiment(), joint.fits_on_ns2(), joint.experiment_on_ns2()),
            *(joint_changes.experiment(), joint_changes.experiment_on_ns2()),
            joint_families.experiment(),
        ),
        figures=(
            *_networks(at),
            *_figures(),
            *_windows(),
            *_more_figures(),
            *_tables_of_theory(at),
            *_tables_of_losses(),
            *_tables(at),
        ),
        claims=Table(
            name="tcpj-verdicts",
            uses=used(claims.PARTS),
            data=lambda runs: runs.derived(claims.judged),
            caption="Every claim of the paper, on the fitted link",
        ),
    )


def _networks(at: Setting) -> Iterator[Figure]:
    """Yield the networks of the paper's figures, drawn."""
    radio: dict[str, Any] = {"rate_bps": at.radio_rate_bps, "rtt_s": at.rtt_s}
    yield Figure(
        name="tcpj-1",
        data=lambda _: theory.handoff_costs(),
        chart=charts.movements,
        caption="Three movements (the paper's figure 1, drawn anew). In A the router above stays "
        "the same, and so do the wires; only the radio link is new. In B and C the path changes, "
        "wires included. A is called local, B and C non-local.",
    )
    yield _network(
        "tcpj-2",
        partial(topologies.shared_wire, "NewReno", "SACK", "TCP-J", **radio),
        "The paper's figure 2 as we simulate it: three flows over one wire. The second NewReno "
        "sender has SACK.",
    )
    yield _network(
        "tcpj-4",
        partial(topologies.radio, "TCP-J", bit_error_rate=1e-6, **radio),
        "The paper's figure 4 as we simulate it: the wire is fast, the radio link (dashed) is slow "
        "and loses bits. Rates and delays are ours; the paper's are lost.",
    )
    yield _network(
        "tcpj-14",
        partial(
            topologies.handoff,
            "TCP-J",
            "non-local",
            new_rate_bps=at.new_radio_rate_bps,
            new_wired_bps=plan.NEW_WIRED_BPS["non-local"],
            cost_s=plan.COSTS_S["non-local"],
            **radio,
        ),
        "The paper's figure 14 as we simulate it. At 100 s the upper radio link is gone, 120 ms "
        "later packets take the lower path.",
    )


def _network(name: str, make: partial[Scenario], caption: str) -> Figure:
    return Figure(
        name=name,
        data=lambda _: show.links(make()),
        chart=lambda *_: pictures.draw(make()),
        narrow=lambda *_: pictures.draw(make(), down=True),
        caption=caption,
    )


def _figures() -> Iterator[Figure]:
    yield Figure(
        name="tcpj-9",
        uses=(*SEGMENT_LOSSES, *plan.OTHER_LOSSES),
        data=loss_points,
        chart=charts.random_losses,
        caption="What four senders get of a radio link over its bit error rate (the paper's figure "
        "9 in our runs, 20 a point). Where bits are seldom hit all four fill the link. Where they "
        "often are, NewReno and SACK halve their windows down to nearly nothing; Westwood and "
        "TCP-J, which estimate the bandwidth, hold on longer. Hollow: the same on ns-2 (20 runs "
        "a point) and on ns-3 (10). Black: Reno by a model with timeouts. Dotted: a link that is "
        "always busy.",
    )
    yield Figure(
        name="tcpj-repeating",
        uses=("tcpj-repeating",),
        data=repeating_points,
        chart=charts.repeating,
        caption="The same senders, and one that keeps its window at a loss, over radios that "
        "send a lost frame again (ten runs a point): not at all, as in the paper's simulation; at "
        "once and up to seven times, as 802.11 does, which waits for each acknowledgment; up to "
        "three times while others go on, as a cellular link does. Where the radio repeats, nobody "
        "gets more than NewReno, and the one that keeps its window less.",
    )
    yield Figure(
        name="tcpj-anatomy",
        uses=("tcpj-anatomy",),
        data=analysis.anatomy,
        chart=charts.anatomy,
        caption="The windows of NewReno and TCP-J in the first 20 s of the same radio link, at a "
        r"bit error rate of $2 \cdot 10^{-6}$. Grey: slow start, below the threshold (dotted). "
        "Each loss halves NewReno's window and the threshold with it; TCP-J falls back to what the "
        "path holds, and so is never far from it. After a timeout both begin with one segment.",
    )
    yield Figure(
        name="tcpj-filters",
        data=lambda runs: theory.filter_steps(runs.setting),
        chart=charts.filters,
        caption="Both estimates after data begin to arrive, over the true rate. Left, ACKs come "
        "evenly: both end at 1, TCP-J within a quarter of a second, Westwood after 3 s. Right, at "
        "random intervals: TCP-J is too high for good, and Westwood half as much.",
    )
    yield Figure(
        name="tcpj-surface",
        uses=("tcpj-fit",),
        data=lambda runs: runs.derived(analysis.fit_surface),
        chart=charts.surface,
        caption="How far table 2 is from what our senders do, over rate and round trip of the "
        "radio link (root mean square of the logarithms; dark is near). The first map is for all "
        "three protocols.",
    )
    yield Figure(
        name="tcpj-table-2",
        uses=SEGMENT_LOSSES,
        data=table_2,
        chart=charts.table_2,
        caption="Table 2: how much faster than NewReno each sender is, ours (colours) and the "
        "paper's (diamonds). The band is where a single run would lie, for the paper's numbers are "
        "taken as single runs. The hollow diamond is the paper's 15 % read as 115 %.",
    )
    yield Figure(
        name="tcpj-3",
        uses=("tcpj-wire",),
        data=analysis.wire_trace,
        chart=charts.wire,
        caption="The paper's figure 3 in one of our runs: segments that each receiver has got. "
        "TCP-J gets more than the other two.",
    )
    yield Figure(
        name="tcpj-wires",
        uses=analysis.WIRES,
        data=lambda runs: analysis.wire_map(runs.derived(analysis.wires)),
        chart=charts.wire_map,
        caption="Left: TCP-J's share of a wire beside NewReno and SACK, over the wire's rate and "
        "round trip; a third is fair (white). Middle: what the other two lose by it, against "
        "having a second SACK in its place. Right: TCP-J's estimate over what it really gets.",
    )
    yield Figure(
        name="tcpj-estimates",
        uses=analysis.ESTIMATES[:1],
        data=partial(analysis.shown_curves, 1e-6, ("TCP-J", "Westwood")),
        chart=charts.estimates,
        caption=r"Estimate and throughput, second by second, at a bit error rate of $10^{-6}$ (one "
        "run; the paper's figures 7 and 8). TCP-J's estimate stays near the top of what the "
        "throughput does; Westwood's follows the dips.",
    )
    yield Figure(
        name="tcpj-10",
        uses=claims.PARTS["outages"].uses,
        data=outage_points,
        chart=charts.outages,
        caption="Goodput of 10 s with one outage, over its length. From 0.3 s on all senders wait "
        "for the same timer. At 0.1 s those with selective acknowledgments (SACK, TCP-J, and "
        "Westwood if it is given them: dashed) come back without it. Hollow: on ns-2, where they "
        "do not, nor TCP-J at 0.05 s, nor Westwood with SACK, which is the lower of the two there.",
    )
    yield Figure(
        name="tcpj-claims",
        uses=used(claims.PARTS),
        data=lambda runs: runs.derived(claims.judged)[
            ["id", "where", "statement", "kind", "verdict", "reason"]
        ],
        chart=charts.claims,
        caption="Every mark is a claim of the paper, every line a part of it. The numbers are "
        "those of the table of verdicts.",
    )


def _windows() -> Iterator[Figure]:
    """Yield windows around movements: figures 12, 13, 15 and 16."""
    both = ("TCP-J", "Westwood")
    for number, kind, caption in (
        (
            12,
            "local",
            "Windows over time around a local movement at 100 s to a slower radio link (the "
            "paper's figures 12 and 13; one run). The two look the same: after the movement both "
            "saw up to what path and buffer hold.",
        ),
        (
            15,
            "non-local",
            "The same for a non-local movement (the paper's figures 15 and 16). TCP-J starts "
            "slowly again, Westwood goes on from where it was; a second later nothing tells them "
            "apart.",
        ),
    ):
        yield Figure(
            name=f"tcpj-{number}",
            uses=plan.HANDOFFS[:1],
            data=partial(analysis.shown_windows, kind, both),
            chart=partial(charts.handoff_windows, kind),
            caption=caption,
        )
    for number, kind in ((13, "local"), (16, "non-local")):
        yield Figure(
            name=f"tcpj-{number}",
            uses=plan.HANDOFFS[:1],
            data=partial(analysis.shown_windows, kind, ("Westwood",)),
            chart=charts.window,
            caption=f"Westwood's window around a {kind} movement (the paper's figure {number}).",
        )


def _more_figures() -> Iterator[Figure]:
    """Yield the other figures of the long version."""
    rare, frequent = (1e-8, r"$10^{-8}$"), (1e-6, r"$10^{-6}$")
    for number, protocol, (rate, power), title, more in (
        (
            5,
            "TCP-J",
            rare,
            "TCP-J's estimate does not notice the silences",
            " The silences at 50, 100 and 150 s do not show in it.",
        ),
        (6, "Westwood", rare, "Westwood's estimate falls in the silences", ""),
        (7, "TCP-J", frequent, "TCP-J's estimate stays near the top", ""),
        (8, "Westwood", frequent, "Westwood's estimate follows the dips", ""),
    ):
        yield Figure(
            name=f"tcpj-{number}",
            uses=analysis.ESTIMATES[:1],
            data=partial(analysis.shown_curves, rate, (protocol,)),
            chart=partial(charts.estimate, protocol, title),
            caption=f"{protocol}'s estimate at a bit error rate of {power}.{more}",
        )
    yield Figure(
        name="tcpj-today",
        uses=("tcpj-today",),
        data=todays_points,
        chart=charts.todays_senders,
        caption="Goodput of today's senders (dashed) and three of the paper's over the bit error "
        "rate. BBR, for which a loss is no signal, falls least; TCP-J comes second.",
    )


def _tables_of_theory(at: Setting) -> Iterator[Table]:
    yield Table(
        name="tcpj-parameters",
        data=lambda _: show.worded_parameters(papers.parameters("tcpj")),
        caption="Stated by the paper, or assumed here",
    )
    yield Table(
        name="tcpj-costs",
        data=lambda _: theory.handoff_costs(),
        formats={"round trip (s)": "{:.2f}", "cost (s)": "{:.2f}"},
        caption="Cost of a handoff; the paper has 0.12 s for its figure 14",
    )
    yield Table(
        name="tcpj-poles",
        data=lambda _: theory.filters(at.ack_s).rename(
            columns={
                "a": "$a$",
                "noise_gain": "noise gain",
                "cut_off": "cut-off (radians a sample)",
                "samples_95": "ACKs to 95 %",
                "T (s)": "$T$ (s)",
            }
        ),
        formats={
            "$a$": "{:.4f}",
            "noise gain": "{:.4f}",
            "$T$ (s)": "{:.3f}",
            "cut-off (radians a sample)": "{:.4f}",
            "ACKs to 95 %": "{:.0f}",
            "95 % after (s)": "{:.2f}",
        },
        caption="What the two filters do. The paper found its 0.9 by way of Jacobson's smoothing "
        "of round trips, whose gain of 1/8 is 0.875",
    )
    yield Table(
        name="tcpj-uneven",
        data=lambda _: theory.uneven_acks(at.ack_s).rename(
            columns={"spread": "$s$", "abe": "TCP-J", "tustin": "Westwood"}
        ),
        formats={"$s$": "{:.2f}", "TCP-J": "{:.3f}", "Westwood": "{:.3f}"},
        caption="Mean estimate over the rate of arrivals",
    )
    models = {
        "square_root": "square-root law",
        "pftk": "Padhye et al.",
        "newreno": "Parvez et al.",
        "full": "always busy",
    }
    yield Table(
        name="tcpj-expected",
        data=lambda _: theory.expected(at, at.bit_error_rates).rename(
            columns={"bit_error_rate": RATE} | models
        ),
        formats={RATE: "{:g}", "loss": "{:.5f}"} | dict.fromkeys(models.values(), "{:.2f}"),
        caption="Loss of a packet, and the goodput expected of NewReno (Mb/s)",
    )
    yield Table(
        name="tcpj-errata",
        data=lambda _: papers.errata("tcpj").drop(columns=["paper", "claim"]),
        caption="Errata",
    )
    yield Table(
        name="tcpj-equations",
        data=lambda _: derivation.ledger().drop(columns=["error", "where"]),
        caption="The paper's equations",
    )


def _tables_of_losses() -> Iterator[Table]:
    yield Table(
        name="tcpj-table-2-rows",
        uses=(*SEGMENT_LOSSES, "tcpj-random-loss-ns2"),
        data=both_tables_2,
        caption="Throughput above NewReno's in %, by bit error rate: the paper's table 2, and the "
        "means of our runs. The link was fitted to the second, fourth, sixth and eighth of these "
        "columns, on the segment engine",
    )
    yield Table(
        name="tcpj-links",
        uses=("tcpj-fit",),
        data=lambda runs: analysis.best_links(runs.derived(analysis.fit_surface)).rename(
            columns={"rate_bps": "rate (bit/s)", "rtt_s": "round trip (s)"}
        ),
        formats={
            "rate (bit/s)": "{:.0e}",
            "round trip (s)": "{:.2f}",
            "error": "{:.3f}",
            "segments in flight": "{:.1f}",
        },
        caption="The six best links: root mean square difference of the logarithms of throughputs "
        "over the fitted half of table 2",
    )
    yield Table(
        name="tcpj-table-2-full",
        uses=SEGMENT_LOSSES,
        data=lambda runs: analysis.worded_table_2(table_2(runs)),
        formats={"printed": "{:g}"},
        caption="Table 2: throughput above NewReno's in %. A star: the fit has seen it",
    )
    yield Table(
        name="tcpj-quality",
        uses=SEGMENT_LOSSES,
        data=lambda runs: analysis.fit_quality(table_2(runs)),
        formats=dict.fromkeys(plan.PROTOCOLS[1:], "{:.3f}"),
        caption="Root mean square of the difference of the logarithms of throughputs, ours to the "
        "paper's",
    )
    yield Table(
        name="tcpj-engines",
        uses=(*SEGMENT_LOSSES, *plan.OTHER_LOSSES),
        data=lambda runs: analysis.engines_beside(runs.derived(analysis.random_losses)).rename(
            columns={"bit_error_rate": RATE}
        ),
        formats={RATE: "{:g}"},
        caption="Goodput (Mb/s) by engine, with 95 % intervals",
    )
    yield Table(
        name="tcpj-ns2-westwood",
        uses=("tcpj-random-loss-ns2", "tcpj-ns2-westwood"),
        data=westwoods,
        caption="What Westwood gains over NewReno on ns-2 (%, with 95 % intervals), by the sender "
        "that it is based on, and what Reno does without an estimate",
    )
    yield Table(
        name="tcpj-ns2-pipes",
        uses=(*SEGMENT_LOSSES, "tcpj-random-loss-ns2", "tcpj-ns2-pipe"),
        data=lambda runs: runs.derived(analysis.ns2_pipes),
        formats={RATE: "{:g}", "closed (%)": "{:.0f}"},
        caption="Goodput of SACK (Mb/s) with 95 % intervals, and how much of the difference "
        "between the first two the option closes",
    )
    yield Table(
        name="tcpj-varied",
        uses=(*SEGMENT_LOSSES, "tcpj-varied"),
        data=lambda runs: analysis.varied_gains(runs.derived(analysis.varied)),
        caption="Throughput above NewReno's in %, with 95 % intervals, by sender and bit error "
        "rate",
    )
    yield Table(
        name="tcpj-turned",
        data=lambda _: joint_tables.turned("tcpj"),
        caption=f"What turns each claim, at {SETTINGS} settings that differ in all that the paper "
        "does not state, on ns-2 and on the segment engine",
    )
    yield Table(
        name="tcpj-radios",
        data=lambda _: joint_tables.by_part("tcpj"),
        caption="At how many of these settings each claim holds, by what the radio does with a "
        "frame that is lost: it repeats nothing, repeats it while all others wait, or while others "
        "go on (segment engine)",
    )
    yield Table(
        name="tcpj-fits",
        data=lambda _: joint.fits_by_choice().assign(
            parameter=lambda table: table["parameter"].map(label)
        ),
        formats=dict.fromkeys(("nearest", "median"), "{:.3f}"),
        caption="How far the fitted cells of table 2 are from each setting's best link, without "
        "the worst cell (root mean square of the differences of the logarithms): the nearest and "
        "the median of the settings that have a choice. But for the first parameter, only of those "
        "whose radio repeats nothing",
    )
    yield Table(
        name="tcpj-movements",
        uses=(movements.EXPERIMENT,),
        data=moved,
        caption="Movements by messages: another access router (A), another upper router too (B), "
        "another domain (C). When the host is answered, what the paper's table 3 counts, when the "
        "sender is told; and what each sender carries in the ten seconds after (Mb/s, 95 % "
        "intervals), with the timeouts of a run",
    )
    yield Table(
        name="tcpj-keep",
        uses=(*SEGMENT_LOSSES, "tcpj-keep"),
        data=kept_gains,
        formats={RATE: "{:g}", "repetitions": "{:.0f}"}
        | dict.fromkeys(("gain (%)", "low", "high"), "{:.0f}"),
        caption="What keeping the window gains over SACK",
    )


def _tables(at: Setting) -> Iterator[Table]:
    yield Table(
        name="tcpj-hanging",
        uses=used(claims.PARTS),
        data=turned_claims,
        caption="The claims that hang on how a lost retransmission is found: what was measured, "
        "and whether the claim holds",
    )
    yield Table(
        name="tcpj-shares",
        uses=("tcpj-wire",),
        data=lambda runs: analysis.shared_link(runs.flows("tcpj-wire")),
        formats=dict.fromkeys(("share", "low", "high"), "{:.3f}"),
        caption=f"Shares of a wire like the radio link, {at.repetitions} runs",
    )
    yield Table(
        name="tcpj-alphas",
        uses=analysis.ALPHAS,
        data=alpha_points,
        formats={
            "rate (bit/s)": "{:.1e}",
            "round trip (s)": "{:.2f}",
            r"$\alpha$": "{:g}",
            "off a third (%)": "{:.1f}",
            "±": "{:.1f}",
        },
        caption="How far TCP-J's share is above a third of the sum",
    )
    most = max(one.design["seed"].max() for one in plan.estimates(at) if len(one.design))
    yield Table(
        name="tcpj-estimate-errors",
        uses=analysis.ESTIMATES,
        data=lambda runs: analysis.estimate_errors(runs.derived(analysis.estimates)).rename(
            columns={"bit_error_rate": RATE}
        ),
        formats={RATE: "{:g}"},
        caption=f"Estimates over {most} runs (five at the lower error rate): mean over the mean "
        "throughput less 1 (bias), root mean square error over the mean throughput (error), "
        "coefficient of variation",
    )
    yield Table(
        name="tcpj-handoffs",
        uses=plan.HANDOFFS[:1],
        data=lambda runs: analysis.worded_handoffs(runs.derived(analysis.stated_handoffs)),
        caption="Mean windows before the movement and from 5 s after it on, the largest of the "
        "first 10 s (segments), and the goodput of the whole run; path and buffer hold "
        f"{at.held_segments:.0f} segments",
    )
    yield Table(
        name="tcpj-newcomers",
        uses=claims.PARTS["newcomers"].uses,
        data=newcomers,
        caption="Goodput from the movement on: on ns-2 sixty runs each, on the segment engine ten "
        "(110 of TCP-J and of Westwood after a local movement)",
    )
    yield Table(
        name="tcpj-linux",
        uses=tuple(plan.STACKS.values()),
        data=analysis.stacks,
        caption="Goodput (Mb/s) over a radio link of 3 Mb/s, 60 s, by bit error rate, with 95 % "
        "intervals (three runs)",
    )
    yield Table(
        name="tcpj-several",
        uses=("tcpj-several",),
        data=lambda runs: analysis.several_flows(runs).rename(columns={"bit_error_rate": RATE}),
        formats={
            RATE: "{:g}",
            "sum (Mb/s)": "{:.2f}",
            "smallest / largest": "{:.2f}",
            "overflows per 1000": "{:.1f}",
        },
        caption="Four flows of one protocol, means of five runs",
    )
