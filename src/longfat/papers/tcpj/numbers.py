"""The numbers that the sentences of the chapter on TCP-J quote, by their names there.

Gains and changes are in per cent, rates in Mb/s, windows in segments.
"""

import numpy as np
import pandas as pd

from longfat import engines, measures, statistics
from longfat.experiment import Runs
from longfat.papers import tcpj
from longfat.papers.tcpj import (
    analysis,
    claims,
    families,
    joint,
    joint_settings,
    movements,
    plan,
    theory,
)
from longfat.papers.tcpj.analysis import runs_on_engine
from longfat.papers.tcpj.plan import KEEPING, WITH_SACK, Setting
from longfat.style import ENGINE_LABEL, powers
from longfat.verdicts import joint as at_once
from longfat.verdicts import rules, wording

Numbers = dict[str, float | int | str]


def of_chapter(runs: Runs) -> Numbers:
    """Return all numbers of the chapter's sentences. What the setting lacks is missing."""
    at, judged = runs.setting, runs.derived(claims.judged)
    return (
        random_loss_numbers(runs.derived(analysis.segment_losses))
        | engine_numbers(runs.derived(analysis.random_losses))
        | ns2_numbers(runs.derived(analysis.ns2_losses), runs.derived(analysis.ns2_westwoods))
        | todays_numbers(runs.flows("tcpj-today"))
        | packet_loss_numbers()
        | filter_numbers(at)
        | fit_numbers(runs.derived(analysis.fit), at)
        | sensitivity_numbers(runs.derived(analysis.varied), runs.derived(analysis.keeping))
        | repeating_numbers(runs.derived(analysis.repeating))
        | shared_link_numbers(runs.derived(analysis.wire), runs.derived(analysis.wires))
        | estimate_numbers(runs.derived(analysis.estimates))
        | after_outage_numbers(runs.derived(analysis.estimates_after_outages))
        | outage_numbers(runs.flows("tcpj-outages"))
        | further_ns2_numbers(
            *(
                runs.derived(claims.PARTS[name].make)
                for name in ("wires", "after_outages", "outages")
            )
        )
        | newcomer_numbers(runs.derived(claims.PARTS["newcomers"].make))
        | handoff_numbers(runs.derived(analysis.handoffs), at)
        | family_numbers(runs.flows(families.EXPERIMENT))
        | joint_numbers()
        | movement_numbers(runs.derived(movements.costs))
        | verdict_numbers(judged)
    )


def of_long_version(runs: Runs) -> Numbers:
    """Return all numbers of the long version's sentences."""
    closed = runs.derived(analysis.ns2_pipes)["closed (%)"]
    equal = analysis.equal_shares(runs.flows("tcpj-wire"))
    return (
        {
            "tcpj_pipe_least": closed.min(),
            "tcpj_pipe_most": closed.max(),
            "tcpj_shares_p": powers(f"{equal:.0e}", "text"),
        }
        | sensitivity_numbers(runs.derived(analysis.varied), runs.derived(analysis.keeping))
        | fit_numbers(runs.derived(analysis.fit), runs.setting)
        | alpha_numbers(runs.derived(analysis.alphas))
        | todays_numbers(runs.flows("tcpj-today"))
        | joint_numbers()
    )


def movement_numbers(costs: pd.DataFrame) -> Numbers:
    """What movements by messages cost, and what TCP-J loses by what it is told."""
    table = costs.set_index(["protocol", "movement", "sender"])

    def reached(protocol: str, movement: str, sender: str = "TCP-J") -> float:
        return float(table.at[(protocol, movement, sender), "measured"])

    def took_ms(protocol: str, movement: str) -> float:
        return 1000 * float(table.at[(protocol, movement, "TCP-J"), "took_s"])

    _, with_home, hierarchical, told = movements.PROTOCOLS
    return {
        "tcpj_moved_within_ms": took_ms(hierarchical, "A"),
        "tcpj_moved_into_ms": took_ms(hierarchical, "C"),
        "tcpj_moved_home_ms": took_ms(with_home, "A"),
        "tcpj_moved_lost": costs["lost"].mean(),
        "tcpj_moved_sack": reached(hierarchical, "B", "SACK"),
        "tcpj_moved_untold": reached(hierarchical, "B"),
        "tcpj_moved_told_local": reached(told, "A"),
        "tcpj_moved_told": reached(told, "B"),
        "tcpj_moved_into": reached(hierarchical, "C"),
        "tcpj_moved_timeouts": float(table.at[(told, "B", "TCP-J"), "timeouts"]),
        "tcpj_moved_untold_timeouts": float(table.at[(hierarchical, "B", "TCP-J"), "timeouts"]),
    }


def _at_settings(claim: str, engine: str) -> tuple[int, int]:
    """Return at how many joint settings a claim holds on an engine, and how many decide."""
    (row,) = at_once.written().query("id == @claim and engine == @engine").itertuples()
    decided = int(row.settings - row.open)
    return round(row.share * decided), decided


def joint_numbers() -> Numbers:
    """At how many settings its printed gain is TCP-J's, and what it gains by the kind of radio."""
    judged = at_once.written_with_parts().query("id == 'tcpj-abstract-191'")
    decided = judged["settings"] - judged["open"]
    table = judged.assign(holds=judged["share"] * decided).set_index(["engine", "part"])
    holds, still_open = table["holds"], table["open"]
    silent, *_ = joint_settings.RADIOS
    all_gains, on_ns2 = joint.gains(), joint.gains(joint.ON_NS2)
    radios = joint_settings.radios(engines.read_as_made(joint.ARCHIVE).groupby("setting").first())
    own, others = all_gains[radios == silent], all_gains[radios != silent]
    told = {
        name: _at_settings(f"tcpj-{claim}", engine)
        for name, claim, engine in (
            ("tcpj_cause", "s3-cause", "segment"),
            ("tcpj_outages", "s4-outages", "ns2"),
            ("tcpj_others", "s5-others", "ns2"),
            ("tcpj_peak", "s4-peak", "ns2"),
        )
    }
    return {
        **{f"{name}_holds": holds for name, (holds, _) in told.items()},
        **{f"{name}_decided": decided for name, (_, decided) in told.items()},
        "tcpj_joint_settings": len(all_gains),
        "tcpj_joint_holds": round(holds["segment", ""]),
        "tcpj_joint_silent": len(own),
        "tcpj_joint_silent_holds": round(holds["segment", silent]),
        "tcpj_joint_silent_least": own.min(),
        "tcpj_joint_silent_middle": own.median(),
        "tcpj_joint_silent_most": own.max(),
        "tcpj_joint_repeating_most": others.max(),
        "tcpj_joint_ns2_holds": round(holds["ns2", ""]),
        "tcpj_joint_ns2_open": int(still_open["ns2", ""]),
        "tcpj_joint_ns2_least": on_ns2.min(),
        "tcpj_joint_ns2_middle": on_ns2.median(),
        "tcpj_joint_ns2_most": on_ns2.max(),
    }


def family_numbers(runs: pd.DataFrame) -> Numbers:
    """What a split connection and a proxy gain over NewReno alone, at the larger error rate."""
    rows = [row for row in families.evidence_rows(runs) if "setting" not in row]
    names = {claim: f"tcpj_family_{remedy}" for remedy, claim in families.CLAIMS.items()}
    largest = f"{max(families.RATES):g}"
    return {names[row["claim"]]: row["measured"] for row in rows if row["at"] == largest}


def filter_numbers(setting: Setting) -> Numbers:
    """What the poles of the two filters mean on this link, and what it carries in 0.05 s."""
    table = theory.filters(setting.ack_s).set_index("filter")
    uneven = theory.uneven_acks(setting.ack_s).set_index("spread")
    return {
        "tcpj_ack_ms": 1000 * setting.ack_s,
        "tcpj_constant_ms": 1000 * table["T (s)"].iloc[0],
        "tcpj_acks_95": table["samples_95"].iloc[0],
        "tcpj_westwood_95_s": table["95 % after (s)"].iloc[-1],
        "tcpj_uneven_abe": 100 * (uneven.at[0.8, "abe"] - 1),
        "tcpj_uneven_tustin": 100 * (uneven.at[0.8, "tustin"] - 1),
        "tcpj_pipe": setting.pipe_segments,
        "tcpj_outage_packets": setting.radio_rate_bps * 0.05 / 8 / plan.PACKET_BYTES,
        "tcpj_operations_2": claims.operations(2),
        "tcpj_operations_9": claims.operations(9),
    }


def packet_loss_numbers() -> Numbers:
    """What the bit error rates of the text mean for a packet, in per cent."""
    loss = tcpj.segment_loss(np.array([1e-7, 1e-6, 4e-6]), plan.PACKET_BYTES)
    names = ("tcpj_loss_1e7", "tcpj_loss_1e6", "tcpj_loss_4e6")
    return dict(zip(names, (100 * loss).tolist(), strict=True))


def fit_numbers(fitted: pd.DataFrame, setting: Setting) -> Numbers:
    """How near the best links come, with all cells and without the worst, and what they share."""
    surface = analysis.error_surface(fitted)
    best = analysis.best_links(surface)
    robust = analysis.robust_errors(fitted)
    near = robust[robust["error"] < 2 * robust["error"].iloc[0]]
    link = fitted[["rate_bps", "rtt_s"]].eq([setting.radio_rate_bps, setting.rtt_s]).all(axis=1)
    worst = fitted[link].loc[fitted.loc[link, "error"].abs().idxmax()]
    return {
        "tcpj_fit_robust": robust["error"].iloc[0],
        "tcpj_fit_near": len(near),
        "tcpj_fit_near_worst": near["error"].iloc[-1],
        "tcpj_fit_near_least": near["segments in flight"].min(),
        "tcpj_fit_near_most": near["segments in flight"].max(),
        "tcpj_fit_far": robust.loc[robust["segments in flight"] < 10, "error"].min(),
        "tcpj_fit_outlier": worst["gain"],
        "tcpj_fit_outlier_part": 100 * worst["error"] ** 2 / (fitted.loc[link, "error"] ** 2).sum(),
        "tcpj_fit_rate": robust.loc[robust["rtt_s"] == setting.rtt_s, "rate_bps"].iloc[0] / 1e6,
        "tcpj_fit_rate_all": analysis.best_rate(surface, setting.rtt_s).on_map_bps / 1e6,
        "tcpj_fit_error": best["error"].iloc[0],
        "tcpj_fit_error_sixth": best["error"].iloc[-1],
        "tcpj_fit_least": best["segments in flight"].min(),
        "tcpj_fit_most": best["segments in flight"].max(),
    }


def random_loss_numbers(random_loss: pd.DataFrame) -> Numbers:
    """Table 2's cells that the text speaks of, and the lead over Westwood."""
    runs = runs_on_engine(random_loss)
    numbers: Numbers = {}
    if not {1e-6, 4e-6} <= set(runs["bit_error_rate"]):
        return numbers
    table = analysis.table_2(runs).set_index(["protocol", "bit_error_rate"])
    for (protocol, rate), row in table.iterrows():
        short = f"tcpj_{protocol.lower().replace('-', '')}_{rate:.0e}".replace("e-0", "e")
        numbers[short] = row["gain"]
        for end in ("low", "high", "one_low", "one_high"):
            numbers[f"{short}_{end}"] = row[end]
    lead = statistics.gains(runs, "Westwood", ["bit_error_rate"])
    (row,) = lead.query("bit_error_rate == 4e-6 and protocol == 'TCP-J'").to_dict("records")
    for end in ("gain", "one_low", "one_high"):
        numbers[f"tcpj_lead_{end}"] = row[end]
    means = runs.groupby(["bit_error_rate", "protocol"])["Mb/s"].mean()
    for name in plan.PROTOCOLS:
        numbers[f"tcpj_rate_{name.lower().replace('-', '')}"] = means[4e-6, name]
    quality = analysis.fit_quality(table.reset_index()).set_index("error rates")
    numbers["tcpj_off_tcpj"] = 100 * np.expm1(quality.at["predicted", "TCP-J"])
    numbers["tcpj_off_westwood"] = 100 * np.expm1(quality.at["predicted", "Westwood"])
    other = quality.at["predicted, 115 % for 15 %", "Westwood"]
    return numbers | {"tcpj_off_westwood_115": 100 * np.expm1(other)}


def repeating_numbers(flows: pd.DataFrame) -> Numbers:
    """What is gained at an error rate of 4e-6 over radios that repeat frames, and what overflows.

    A radio's name in a number is its first word; gains are in per cent.
    """
    flows = flows[flows["bit_error_rate"] == 4e-6]
    numbers: Numbers = {}
    for radio, own in flows.groupby("radio", sort=False):
        word = str(radio).partition(" ")[0]
        over = {"tcpj": ("TCP-J", "NewReno"), "kept": (KEEPING, "SACK")}
        for name, (sender, base) in over.items():
            gains = statistics.gains(own, base, ["bit_error_rate"]).set_index("protocol")
            numbers[f"tcpj_{word}_{name}"] = gains.at[sender, "gain"]
        numbers[f"tcpj_{word}_kept_less"] = -float(numbers[f"tcpj_{word}_kept"])
        overflows = own.groupby("protocol")["overflows"].mean()
        numbers[f"tcpj_{word}_sack_overflows"] = overflows["SACK"]
        numbers[f"tcpj_{word}_kept_overflows"] = overflows[KEEPING]
        numbers[f"tcpj_{word}_tcpj_overflows"] = overflows["TCP-J"]
    return numbers


def engine_numbers(random_loss: pd.DataFrame) -> Numbers:
    """How far ns-3 and ns-2 are from the segment engine's goodput in figure 9, in per cent.

    Of senders with SACK on ns-3 and of NewReno on ns-2 the largest distance over all error rates,
    of the others how far below or above they come.
    """
    points = analysis.loss_points(random_loss)
    apart = measures.over_segment_engine(points, ["bit_error_rate", "protocol"], "Mb/s")

    def off(engine: str, protocol: str) -> pd.Series:
        own = (apart["engine"] == ENGINE_LABEL[engine]) & (apart["protocol"] == protocol)
        return 100 * (apart.loc[own, "ratio"] - 1)

    return {
        "tcpj_ns3_off_tcpj": off("ns3", "TCP-J").abs().max(),
        "tcpj_ns3_off_sack": off("ns3", "SACK").abs().max(),
        "tcpj_ns3_below_newreno": -off("ns3", "NewReno").min(),
        "tcpj_ns3_above_westwood": off("ns3", "Westwood").max(),
        "tcpj_ns3_below_westwood": -off("ns3", "Westwood").min(),
        "tcpj_ns2_off_newreno": off("ns2", "NewReno").abs().max(),
        "tcpj_ns2_below_sack": -off("ns2", "SACK").min(),
    }


def ns2_numbers(losses: pd.DataFrame, westwoods: pd.DataFrame) -> Numbers:
    """What TCP-J and Westwood gain over NewReno on ns-2, and Westwood on Reno; missing without it.

    And between what TCP-J's lead over Westwood in a single run lies.
    `losses` is of `analysis.ns2_losses`, `westwoods` of `analysis.ns2_westwoods`.
    """
    names = {("TCP-J", 4e-6): "tcpj", ("TCP-J", 1e-6): "tcpj_1e6", ("TCP-J", 8e-6): "tcpj_8e6"}
    found: Numbers = {}
    gains = pd.DataFrame(columns=["protocol", "bit_error_rate", "gain", "low", "high"])
    if not losses.empty:
        gains = statistics.gains(losses, "NewReno", ["bit_error_rate"])
    own = gains.set_index(["protocol", "bit_error_rate"])
    for key, name in (names | {("Westwood", 4e-6): "westwood"}).items():
        for column, suffix in (("gain", ""), ("low", "_low"), ("high", "_high")):
            known = key in own.index
            found[f"tcpj_ns2_{name}{suffix}"] = float(own.at[key, column]) if known else np.nan
    found |= {f"tcpj_ns2_lead_{end}": np.nan for end in ("one_low", "one_high")}
    if ("TCP-J", 4e-6) in own.index:
        lead = statistics.gains(losses, "Westwood", ["bit_error_rate"])
        lead = lead.set_index(["protocol", "bit_error_rate"])
        found |= {
            f"tcpj_ns2_lead_{end}": float(lead.at[("TCP-J", 4e-6), end])
            for end in ("one_low", "one_high")
        }
    on_reno = westwoods[(westwoods["base"] == "Reno") & (westwoods["bit_error_rate"] == 4e-6)]
    return found | {"tcpj_ns2_westwood_on_reno_lost": -on_reno["gain"].mean()}


def todays_numbers(flows: pd.DataFrame) -> Numbers:
    """What TCP-J and two of today's senders carry over a radio that repeats nothing (Mb/s)."""
    means = flows.groupby(["protocol", "bit_error_rate"])["Mb/s"].mean()
    return {
        f"tcpj_today_{name.lower().replace('-', '')}_{text}": means[name, rate]
        for name in ("TCP-J", "cubic", "bbr")
        for rate, text in ((1e-6, "1e6"), (4e-6, "4e6"), (1e-5, "1e5"))
    }


def sensitivity_numbers(varied: pd.DataFrame, keeping: pd.DataFrame) -> Numbers:
    """The headline with one assumption changed, and the sender that keeps its window."""
    keys = ["parameter", "setting", "bit_error_rate"]
    gains = statistics.gains(varied, "NewReno", keys).set_index([*keys, "protocol"])["gain"]
    numbers: Numbers = {}
    for short, parameter, setting in (
        ("detected", "lost_retransmission", "detected"),
        ("unlimited", "limited_transmit", "off without SACK"),
        ("ticks", "rtt_tick", "0.1 s"),
        ("prr", "recovery", "proportional rate reduction"),
        ("sack_for_westwood", "westwood_base", "with SACK"),
        ("five", "radio_rate", "5 Mb/s"),
        ("three", "radio_rate", "3 Mb/s"),
    ):
        for name in ("SACK", "Westwood", "TCP-J"):
            word = name.lower().replace("-", "")
            numbers[f"tcpj_{short}_{word}"] = gains[parameter, setting, 4e-6, name]
    own = gains.xs(4e-6, level="bit_error_rate").xs("TCP-J", level="protocol")
    numbers |= {"tcpj_least": own.min(), "tcpj_most": own.max()}
    kept = statistics.gains(keeping, "SACK", ["bit_error_rate"])
    kept = kept[kept["protocol"] == "keeps its window"].set_index("bit_error_rate")["gain"]
    return numbers | {"tcpj_keep_1e6": kept[1e-6], "tcpj_keep_4e6": kept[4e-6]}


def shared_link_numbers(wire: pd.DataFrame, wires: pd.DataFrame) -> Numbers:
    """Shares of a wire, and what others lose."""
    split = analysis.shared_link(wire).set_index("flow")["share"]
    plane = analysis.wire_map(wires)
    most, least = plane.loc[plane["share"].idxmax()], plane.loc[plane["share"].idxmin()]
    both = analysis.standard_goodput(runs_on_engine(wire), [])
    harm = 100 * measures.harm(both["with SACK"], both["with TCP-J"])
    return {
        "tcpj_share_newreno": 100 * split["NewReno"],
        "tcpj_share_sack": 100 * split["SACK"],
        "tcpj_share_tcpj": 100 * split["TCP-J"],
        "tcpj_share_least": 100 * least["share"],
        "tcpj_share_least_rate": least["rate_bps"] / 1e6,
        "tcpj_share_least_ms": 1000 * least["rtt_s"],
        "tcpj_share_most": 100 * most["share"],
        "tcpj_share_most_rate": most["rate_bps"] / 1e6,
        "tcpj_share_most_ms": 1000 * most["rtt_s"],
        "tcpj_estimate_least": plane["estimate"].min(),
        "tcpj_estimate_most": plane["estimate"].max(),
        "tcpj_harm": harm.mean(),
        "tcpj_harm_most": plane["harm"].max(),
        "tcpj_harm_least": plane["harm"].min(),
    }


def alpha_numbers(alphas: pd.DataFrame) -> Numbers:
    """How much nearer to a third of a wire a smoothing constant of 0.5 comes than the paper's."""
    off = alphas.assign(off=alphas["off"].abs())
    off = off.pivot(index=["rate_bps", "rtt_s", "seed"], columns="alpha", values="off")
    nearer = (off[0.9] - off[0.5]).groupby(["rate_bps", "rtt_s"]).mean()
    return {"tcpj_alpha_least": nearer.min(), "tcpj_alpha_most": nearer.max()}


def estimate_numbers(estimates: pd.DataFrame) -> Numbers:
    """How the estimates differ from the throughput, in per cent, and by how many runs."""
    means = estimates.groupby(["bit_error_rate", "protocol"]).mean(numeric_only=True)
    numbers: Numbers = {"tcpj_bias_rare": 100 * means.loc[1e-8, "bias"].abs().max()}
    numbers["tcpj_estimate_runs"] = int(estimates["seed"].max())
    for name in ("TCP-J", "Westwood"):
        word = name.lower().replace("-", "")
        numbers[f"tcpj_bias_{word}"] = 100 * means.at[(1e-6, name), "bias"]
        numbers[f"tcpj_error_{word}"] = 100 * means.at[(1e-6, name), "error"]
        numbers[f"tcpj_variation_{word}"] = 100 * means.at[(1e-6, name), "variation"]
    return numbers


def after_outage_numbers(runs: pd.DataFrame) -> Numbers:
    """The lowest estimate after an outage (per cent of the link), and who waited for its timer."""
    by_name = runs.assign(waited=runs["timeouts"] > 0).groupby("protocol")
    numbers: Numbers = {}
    for name, word in (("TCP-J", "tcpj"), ("Westwood", "westwood"), (WITH_SACK, "alike")):
        own = by_name.get_group(name)
        numbers[f"tcpj_lowest_{word}"] = own["lowest"].mean()
        numbers[f"tcpj_waited_{word}"] = 100 * own["waited"].mean()
    return numbers


def outage_numbers(outages: pd.DataFrame) -> Numbers:
    """What an outage costs."""
    means = outages.groupby(["outage_s", "protocol"])["Mb/s"].mean().unstack()
    over_sack = 100 * (means["TCP-J"] / means["SACK"] - 1)
    over_westwood = 100 * (means["TCP-J"] / means["Westwood"] - 1)
    other = 100 * (means["TCP-J"] / means[WITH_SACK] - 1)
    return {
        "tcpj_over_sack": over_sack.abs().max(),
        "tcpj_over_westwood_most": over_westwood.max(),
        "tcpj_over_other": other.loc[1.0],
    }


def further_ns2_numbers(
    wires: pd.DataFrame, after_outages: pd.DataFrame, outages: pd.DataFrame
) -> Numbers:
    """What ns-2 says of sections 4.1 to 4.3.2, in per cent; the arguments are tables of claims.

    TCP-J's smallest and largest share of a wire, the lowest estimates after an outage, and what it
    loses to SACK at 0.05 s. Not a number where ns-2's runs are not here.
    """
    wires, after, outages = (
        table[table["engine"] == "ns2"] for table in (wires, after_outages, outages)
    )
    nothing = {name: np.nan for name in ("share_least", "share_most", "outage_lost")}
    nothing |= {f"lowest_{name}": np.nan for name in ("tcpj", "westwood", "alike")}
    if wires.empty or after.empty or outages.empty:
        return {f"tcpj_ns2_{name}": value for name, value in nothing.items()}
    shares = analysis.shares_of_wires(wires)
    lowest = after.groupby("protocol")["lowest"].mean()
    means = outages.groupby(["outage_s", "protocol"])["Mb/s"].mean()
    return {
        "tcpj_ns2_share_least": 100 * shares.min(),
        "tcpj_ns2_share_most": 100 * shares.max(),
        "tcpj_ns2_lowest_tcpj": lowest["TCP-J"],
        "tcpj_ns2_lowest_westwood": lowest["Westwood"],
        "tcpj_ns2_lowest_alike": lowest[WITH_SACK],
        "tcpj_ns2_outage_lost": 100 * (1 - means[0.05, "TCP-J"] / means[0.05, "SACK"]),
    }


def newcomer_numbers(runs: pd.DataFrame) -> Numbers:
    """What the stream at home gets beside who arrives (Mb/s), on the segment engine and on ns-2.

    `runs` is the table of claims. Not a number where ns-2's runs are not here.
    """
    by_kind = runs.groupby(["engine", "kind", "label"])["resident"].mean()
    resident = by_kind.groupby(["engine", "label"]).mean()  # of a kind, one may have more runs
    return {
        f"{prefix}_{name.lower().replace('-', '')}": resident.get((engine, name), np.nan)
        for engine, prefix in (("segment", "tcpj_home"), ("ns2", "tcpj_ns2_home"))
        for name in ("SACK", "Westwood", "TCP-J")
    }


def handoff_numbers(runs: pd.DataFrame, setting: Setting) -> Numbers:
    """Windows before and after a movement."""
    base = runs[runs["parameter"] == ""]
    means = base.groupby(["kind", "label"]).mean(numeric_only=True)
    numbers: Numbers = {"tcpj_held": setting.held_segments}
    for kind, word in (("local", "local"), ("non-local", "far")):
        for name in ("TCP-J", "Westwood"):
            row, short = means.loc[(kind, name)], name.lower().replace("-", "")
            numbers[f"tcpj_{word}_{short}_before"] = row["before"]
            numbers[f"tcpj_{word}_{short}_after"] = row["settled"]
            numbers[f"tcpj_{word}_{short}_largest"] = row["first 10 s"]
    return numbers


TURNING = "lost_retransmission"  # the parameter on which most verdicts hang


def verdict_numbers(judged: pd.DataFrame) -> Numbers:
    """How many claims and sentences ended how, and how many hang on `TURNING`."""
    turned = turned_claims(judged, TURNING, "stated", "changed")
    varied = [
        any(one["parameter"] == TURNING for one in evidence) for evidence in judged["evidence"]
    ]
    return rules.counts(judged, "tcpj") | {
        "tcpj_hanging": len(turned),
        "tcpj_hanging_tried": judged.loc[varied, "statement"].nunique(),
    }


def turned_claims(judged: pd.DataFrame, parameter: str, base: str, other: str) -> pd.DataFrame:
    """Return the claims that turn when one parameter is changed.

    `base` and `other` head the columns of the stated setting and of the changed one. Columns:
    claim, unit, these two (what the segment engine measured, and whether the claim holds), and
    verdict. Claims for which the parameter was not varied, and those that it leaves as they are,
    are not among them; a claim that the paper makes twice comes once.
    """
    rows = []
    for row in judged.itertuples():
        own = [one for one in row.evidence if one["engine"] == "segment"]
        stated = [one for one in own if not one["parameter"]]
        changed = [one for one in own if one["parameter"] == parameter]
        if not stated or not changed or stated[0]["says"] == changed[0]["says"]:
            continue
        cells = [f"{one['measured']:.3g}: {one['says']}" for one in (stated[0], changed[0])]
        rows.append([row.statement, row.unit, *cells, wording.worded(row.verdict)])
    table = pd.DataFrame(rows, columns=["claim", "unit", base, other, "verdict"])
    return table.drop_duplicates("claim", ignore_index=True)
