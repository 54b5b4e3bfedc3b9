"""What was measured of each claim on UCC, and the measured numbers of the chapter's sentences."""

from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, papers, statistics
from longfat.experiment import Part, Runs, made
from longfat.papers import joint, ucc
from longfat.papers.ucc import analysis, plan, theory
from longfat.papers.ucc.analysis import (
    equal_pairs,
    layout_ratios,
    neighbour_points,
    ratio,
    runs_on_engine,
)
from longfat.papers.ucc.plan import (
    CHD,
    CHD_THRESHOLD_S,
    LAYOUT,
    LAYOUTS,
    MORE,
    NEIGHBOURS,
    RADIO_BPS,
    Setting,
)
from longfat.papers.ucc.theory import PACKET_S, PIPE_PACKETS, samples_met
from longfat.style import ENGINE_LABEL
from longfat.verdicts import rules
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

SACK_BLOCK_BYTES = 12  # a first one: two numbers of 4 bytes, kind, length, and two to fill up
RANGES = {"0.001 to 0.1": (1e-3, 0.1), "0.001 to 0.03": (1e-3, 0.03), "0.01 to 0.1": (0.01, 0.1)}
LOSSY = 0.01  # where a claim is about a link that errs
EXPERIMENTS = {  # of pairs, by the engines that judge them
    "segment": {"pairs": "ucc-pairs-segment", "varied": "ucc-assumptions"},
    "ns2": {"pairs": plan.PAIRS_ON_NS2, "varied": plan.ASSUMPTIONS_ON_NS2},
}


# What the claims are judged by, by the names of `evidence`'s arguments.
PARTS = {
    "pairs": Part((*plan.SEGMENT_PAIRS, plan.PAIRS_ON_NS2), analysis.judged_pairs),
    "varied": Part(
        ("ucc-assumptions", plan.ASSUMPTIONS_ON_NS2), analysis.judged_variations, sensitivity=True
    ),
    "chain": Part(("ucc-chain-segment", "ucc-chain-ns2"), analysis.chains),
    "measured": Part((plan.MEASURED,), lambda runs: runs.points(plan.MEASURED)),
    "elsewhere": Part((), lambda _: theory.queueing_elsewhere()),
    "behind": Part(("ucc-elsewhere",), analysis.behind_a_busy_link),
    "events": Part((), lambda _: theory.simulated_queues()),
    "crowds": Part(plan.CROWD_EXPERIMENTS, analysis.crowds),
    "buffers": Part(("ucc-buffers",), analysis.buffers),
    "short_buffers": Part(("ucc-buffers",), analysis.ucc_over_chd),
    "relatives": Part(("ucc-relatives",), lambda runs: runs.flows("ucc-relatives")),
    "regions": Part(("ucc-regions",), analysis.regions),
    "routes": Part(("ucc-routes",), lambda runs: runs.flows("ucc-routes")),
}


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`judge`)."""
    found = evidence(runs.setting, **made(PARTS, runs))
    return judge(papers.claims("ucc"), found, joint.written("ucc"))


def evidence(
    setting: Setting,
    *,
    pairs: pd.DataFrame,
    chain: pd.DataFrame,
    measured: pd.DataFrame,
    elsewhere: pd.DataFrame,
    behind: pd.DataFrame,
    events: pd.DataFrame,
    crowds: pd.DataFrame,
    buffers: pd.DataFrame,
    short_buffers: pd.DataFrame,
    relatives: pd.DataFrame,
    regions: pd.DataFrame,
    routes: pd.DataFrame,
    varied: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return what was measured of each claim: the table that `judge` takes.

    The arguments are tables of `PARTS`.
    A row a claim, engine, setting and point.
    """
    rows = [
        *_of_sentences(pairs, elsewhere, events),
        *of_estimates(measured),
        *_of_queues_elsewhere(behind),
        *of_neighbours(pairs, varied),
        *of_layouts(chain),
        *of_crowds(crowds),
        *of_buffers(buffers),
        *at_short_buffers("ucc-s4-early", short_buffers),
        *of_relatives(relatives),
        *of_regions(regions, papers.value("ucc", "hd_threshold")),
        *of_routes(routes),
    ]
    table = pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))
    return table.fillna({"parameter": "", "setting": ""})


# --- evidence of each kind


def _of_sentences(
    pairs: pd.DataFrame,
    elsewhere: pd.DataFrame,
    events: pd.DataFrame,
) -> list[dict]:
    """What sections 1, 3 and 4 say."""

    def exact(value: float) -> dict:
        return dict.fromkeys(("measured", "low", "high"), value) | {"runs": 1}

    rows = of_newreno(equal_pairs(pairs))
    for event in events.itertuples():
        row = {"engine": "arithmetic", "at": event.queue, "experiment": ""}
        off = exact(abs(event.busy - event.utilization))  # of time, and of packets
        rows.append(row | {"claim": "ucc-s3-time"} | off)
        off = exact(abs(event.queued - event.busy))
        rows.append(row | {"claim": "ucc-s3-models"} | off)
    met = samples_met([100, 10_000]).set_index("N")
    many = {"engine": "arithmetic", "experiment": ""}
    block_us = 8e6 * SACK_BLOCK_BYTES / RADIO_BPS
    rows += [
        many | {"claim": "ucc-s3-sack", "at": "one block"} | exact(block_us),
        many | {"claim": "ucc-s4-only-alpha", "at": "(7)"} | exact(theory.constants()),
        many | {"claim": "ucc-s4-example", "at": "M/M/1"} | exact(float(met.loc[100, "mean"])),
        many
        | {"claim": "ucc-s4-known", "at": r"$\rho = 0.95$, 10 000 packets"}
        | exact(1 - float(met.loc[10_000, "none"])),
    ]
    for load, pairs_of in elsewhere.groupby("cross"):
        found = statistics.paired(pairs_of["both"], pairs_of["alone"])
        row = {"claim": "ucc-s4-safe", "engine": "arithmetic", "experiment": ""}
        rows.append(row | {"at": f"{load:g} of other traffic"} | found)
    return rows


def of_estimates(measured: pd.DataFrame) -> list[dict]:
    """Whether the estimate at a loss is how busy the link was since the loss before."""
    row = {"claim": "ucc-s4-measures", "engine": "segment", "experiment": plan.MEASURED}
    return [
        row | {"at": f"$p = {loss:g}$"} | statistics.mean(runs["error"])
        for loss, runs in measured.groupby("loss")
    ]


def _of_queues_elsewhere(behind: pd.DataFrame) -> list[dict]:
    """Whether UCC carries less where packets wait on another link as well."""
    row = {"claim": "ucc-s4-too-small", "engine": "segment", "experiment": "ucc-elsewhere"}
    return [
        row
        | {"at": f"{point['busy']:.0%} of other traffic".replace("%", " %")}
        | ({} if point["loss"] == LOSSY else _with_loss(point["loss"]))
        | {name: point[name] for name in ("measured", "low", "high", "runs")}
        for point in behind[behind["control"] == "UCC"].to_dict("records")
    ]


def _with_loss(loss: float) -> dict[str, str]:
    return {"parameter": "loss_rates", "setting": f"{loss:g}"}


def of_newreno(equal: pd.DataFrame) -> list[dict]:
    """What two NewReno flows carry where the link errs, of what they do without (`equal_pairs`)."""
    rows = []
    for engine, experiments in EXPERIMENTS.items():
        mine = runs_on_engine(engine, equal)
        newreno = mine[mine["control"] == "NewReno"].groupby("loss")["Mb/s"]
        got = dict(list(newreno))
        if {0, 0.01} <= got.keys() and len(got[0]) > 1:
            row = {"claim": "ucc-s1-newreno-suffers", "engine": engine}
            row["experiment"] = experiments["pairs"]
            rows.append(row | {"at": "$p = 0.01$ over $p = 0$"} | ratio(got[0.01], got[0]))
    return rows


def of_neighbours(pairs: pd.DataFrame, varied: pd.DataFrame | None) -> list[dict]:
    """What the text says of figures 4 to 6, and section 6 of all three: on each engine."""
    claims = [
        ("ucc-f4-newreno", "NewReno", "NewReno", 0),
        ("ucc-f5-cubic", "CUBIC", "CUBIC", 1e-9),  # "where the link errs"
        ("ucc-f6-compound", "Compound", "Compound", 0),
        *(("ucc-s6-friendlier", neighbour, CHD, 1e-9) for neighbour in NEIGHBOURS),
    ]
    more = {("segment", pair[0], loss): count for (pair, loss), count in MORE.items()}
    by = ["parameter", "setting"]
    rows = []
    for engine, names in EXPERIMENTS.items():
        beside = measures.neighbour_goodput(runs_on_engine(engine, pairs))
        often = beside[beside["control"] == "UCC"].groupby(["neighbour", "loss"])["seed"].nunique()
        others = [] if varied is None else runs_on_engine(engine, varied).groupby(by, sort=False)
        changed = [(*changes, measures.neighbour_goodput(runs)) for changes, runs in others]
        for claim, neighbour, reference, least in claims:
            base = {"claim": claim, "engine": engine}
            for point in neighbour_points(beside[beside["loss"] >= least], neighbour, reference):
                base["experiment"] = names["pairs"]
                where = neighbour, point["loss"]
                if often[where] >= more.get((engine, *where), np.inf):
                    base["experiment"] += " ucc-pairs-more"
                rows.append(base | point)
                for name, (low, high) in RANGES.items():
                    if low <= point["loss"] <= high:
                        part = {"parameter": "loss_rates", "setting": name}
                        rows.append(base | part | point)
            for parameter, value, runs in changed:
                part = {"parameter": parameter, "setting": value, "experiment": names["varied"]}
                for point in neighbour_points(runs[runs["loss"] >= least], neighbour, reference):
                    rows.append(base | part | point)
    return rows


def of_layouts(chain: pd.DataFrame) -> list[dict]:
    """What the text says of figure 8: its two steps, at each loss rate."""
    rows = []
    steps = {"UCC": "ucc-f8-below-chd", "NewReno": "ucc-f8-above-newreno"}
    points = [
        {"engine": engine, "experiment": f"ucc-chain-{engine}"} | point
        for engine, runs in chain.groupby("engine", sort=False)
        for point in layout_ratios(runs).to_dict("records")
    ]
    for point in points:
        row = point | {"claim": steps[point["reference"]], "at": f"$p = {point['loss']:g}$"}
        base = point["layout"] == LAYOUT
        part = {"parameter": "multi_layout", "setting": LAYOUTS[point["layout"]]}
        rows.append(row if base else row | part)
        for name, (low, high) in RANGES.items():
            if base and low <= point["loss"] <= high:
                rows.append(row | {"parameter": "loss_rates", "setting": name})
    return rows


def of_crowds(crowds: pd.DataFrame) -> list[dict]:
    """Whether many senders of UCC together lose what as many of NewReno deliver."""
    rows = []
    for (flows, loss), runs in crowds.groupby(["flows", "loss"]):
        got = dict(list(runs.groupby("control")["Mb/s"]))
        row = {
            "claim": "ucc-s4-collapse",
            "engine": "segment",
            "at": f"{flows} flows, $p = {loss:g}$",
        }
        rows.append(row | {"experiment": f"ucc-crowd-{flows}"} | ratio(got["UCC"], got["NewReno"]))
    return rows


def of_buffers(buffers: pd.DataFrame) -> list[dict]:
    """Whether CHD's threshold needs the buffer: where a full one never delays by so much."""
    return at_short_buffers("ucc-s4-chd-threshold", buffers[buffers["control"] == CHD])


def at_short_buffers(claim: str, points: pd.DataFrame) -> list[dict]:
    """What a neighbour gets where a full buffer never delays by CHD's threshold."""
    row = {"claim": claim, "engine": "segment", "experiment": "ucc-buffers"}
    return [
        row | {"at": f"{point['buffer']} packets, $p = {point['loss']:g}$"} | point
        for point in points[points["buffer"] <= CHD_THRESHOLD_S / PACKET_S].to_dict("records")
    ]


def of_relatives(relatives: pd.DataFrame) -> list[dict]:
    """Whether CHD does better than HD beside a flow that is controlled by losses."""
    rows = []
    beside = (relatives["neighbour"] == "NewReno") & (relatives["flow"] == "N1")
    for loss, runs in relatives[beside].groupby("loss"):
        got = dict(list(runs.groupby("control")["Mb/s"]))
        row = {"claim": "ucc-s2-chd-coexists", "engine": "segment", "at": f"$p = {loss:g}$"}
        rows.append(row | {"experiment": "ucc-relatives"} | ratio(got["CHD"], got["HD"]))
    return rows


def of_regions(regions: pd.DataFrame, threshold_s: float) -> list[dict]:
    """What sections 2.1 and 2.2 say of HD's two regions, and of CHD's tolerance.

    `threshold_s` is where region B begins.
    """
    row = {"engine": "segment", "experiment": "ucc-regions"}
    runs = dict(list(regions.groupby(["control", "neighbour", "loss"])))
    if ("HD", "HD", 0) not in runs:
        return []
    two, plain = runs["HD", "HD", 0], runs["NewReno", "NewReno", 0]
    rows = [
        row | {"claim": "ucc-s2-hd-busy"} | ratio(two["total_mbps"], plain["total_mbps"]),
        row | {"claim": "ucc-s2-hd-lossless"} | statistics.mean(two["dropped"]),
        row | {"claim": "ucc-s2-region-a"} | statistics.mean(two["queue_s"] / threshold_s),
    ]
    # Where the link errs often no queue stands, and HD never backs off: it has no regions then.
    both, one = (runs[control, "NewReno", 0]["first_mbps"] for control in plan.REGIONS)
    rows.append(row | {"claim": "ucc-s2-region-b", "at": "$p = 0$"} | ratio(both, one))
    if ("CHD", "CHD", 0.01) in runs:
        lossy, clean = (runs["CHD", "CHD", loss]["total_mbps"] for loss in (0.01, 0))
        at = {"claim": "ucc-s2-chd-tolerates", "at": "$p = 0.01$ over $p = 0$"}
        rows.append(row | at | ratio(lossy, clean))
    return [{"at": ""} | one for one in rows]


def of_routes(routes: pd.DataFrame) -> list[dict]:
    """Whether a smallest delay that changes has to be renewed: on a path that becomes longer."""
    longer = routes[routes["change"] == "longer"]
    got = dict(list(longer.groupby(["lifetime_s", "seed"])["Mb/s"].sum().groupby("lifetime_s")))
    kept, renewed = (got[lifetime_s] for lifetime_s in sorted(got))
    row = {"claim": "ucc-s4-renewed", "engine": "segment", "experiment": "ucc-routes"}
    return [row | {"at": "a path that becomes longer"} | ratio(renewed, kept)]


# --- numbers for the text


def numbers(runs: Runs) -> dict[str, float]:
    """Return the measured numbers of the chapter's sentences, by the names that they have there.

    A number whose runs the setting lacks is missing.
    """
    both, held = runs.derived(analysis.equal_pair_points), runs.derived(analysis.held_windows)
    on_ns3, both = (both[both["engine"] == ENGINE_LABEL[name]] for name in ("ns3", "segment"))
    crowds, verdicts = runs.derived(analysis.crowds), runs.derived(judged)
    watched = runs.derived(analysis.over_time)
    two = both.set_index(["control", "loss"])["Mb/s"]
    met = samples_met([100]).iloc[0]
    last = held[held["rho"] < 0.995].iloc[-1]
    full = held[held["rho"] >= 0.995].iloc[0]
    neighbours = runs.derived(analysis.neighbour_ratios)
    beside = neighbours.set_index(["neighbour", "control", "loss"])["measured"]
    ratios = layout_ratios(runs.derived(analysis.chain_goodput))
    layouts = ratios.set_index(["layout", "reference", "loss"])["measured"]
    chains = runs.derived(analysis.chains)
    on_ns2 = layout_ratios(chains[(chains["engine"] == "ns2") & (chains["layout"] == LAYOUT)])
    buffers = runs.derived(analysis.buffers)
    by_buffer = buffers.set_index(["control", "loss", "buffer"])["measured"]
    fair = crowds[crowds["loss"] == 0].groupby(["control", "flows"])[["jain", "repeated"]].mean()

    def one(values: pd.Series, *at: Any) -> float:
        return float(values.get(at, np.nan))

    def span(control: str) -> tuple[float, float]:
        ratios = by_buffer[control]
        return float(ratios.min()), float(ratios.max())

    return {
        **_of_ns3(on_ns3, both, analysis.left_to_timer(runs)),
        "ucc_two_ucc": one(two, "UCC", 0.01),
        "ucc_two_newreno": one(two, "NewReno", 0.01),
        "ucc_two_ucc_10": one(two, "UCC", 0.1),
        "ucc_two_chd_10": one(two, CHD, 0.1),
        "ucc_two_newreno_10": one(two, "NewReno", 0.1),
        "ucc_ucc_share": 100 * one(two, "UCC", 0.01) / one(two, "UCC", 0),
        "ucc_newreno_share": 100 * one(two, "NewReno", 0.01) / one(two, "NewReno", 0),
        "ucc_chd_share": 100 * one(two, CHD, 0.01) / one(two, CHD, 0),
        "ucc_idle_busy": 100 * last["rho"],
        "ucc_idle_estimate": 100 * last["estimate"],
        "ucc_full_estimate": float(full["estimate"]),
        "ucc_pipe": PIPE_PACKETS + 1,
        **_of_measured(runs),
        "ucc_least_busy": 100 * watched.true["true"].iloc[2:].min(),
        "ucc_lost_beside_ucc_3e3": 100 * (1 - one(beside, "NewReno", "UCC", 3e-3)),
        "ucc_lost_beside_chd_3e3": 100 * (1 - one(beside, "NewReno", CHD, 3e-3)),
        "ucc_lost_short_ucc": 100 * (1 - one(by_buffer, "UCC", 0, 10)),
        "ucc_lost_short_chd": 100 * (1 - one(by_buffer, CHD, 0, 10)),
        "ucc_none_100": 100 * met["none"],
        "ucc_runs": runs.setting.repetitions,
        **{
            f"ucc_{name.lower()}_beside_{word}_{text}": one(beside, name, control, loss)
            for name in NEIGHBOURS
            for control, word in (("UCC", "ucc"), (CHD, "chd"))
            for loss, text in ((0, "clean"), (1e-4, "1e4"), (3e-3, "3e3"), (1e-2, "1e2"))
        },
        "ucc_compound_friendlier": one(beside, "Compound", "UCC", 0.1)
        / one(beside, "Compound", CHD, 0.1),
        "ucc_chain_clean": one(layouts, LAYOUT, "UCC", 0),
        "ucc_chain_lossy": one(layouts, LAYOUT, "UCC", 0.01),
        "ucc_chain_ns2_least": on_ns2["measured"].min() if len(on_ns2) else np.nan,
        "ucc_chain_ns2_most": on_ns2["measured"].max() if len(on_ns2) else np.nan,
        "ucc_opposite_clean": one(layouts, "opposite", "UCC", 0),
        "ucc_three_clean": one(layouts, "chain", "UCC", 0),
        "ucc_buffer_ucc_low": span("UCC")[0],
        "ucc_buffer_ucc_high": span("UCC")[1],
        "ucc_buffer_chd_low": span(CHD)[0],
        "ucc_buffer_chd_high": span(CHD)[1],
        "ucc_crowd_jain_ucc": one(fair["jain"], "UCC", 30),
        "ucc_crowd_jain_newreno": one(fair["jain"], "NewReno", 30),
        "ucc_crowd_jain_chd": one(fair["jain"], CHD, 30),
        "ucc_crowd_repeated_ucc": 100 * one(fair["repeated"], "UCC", 30),
        "ucc_crowd_repeated_newreno": 100 * one(fair["repeated"], "NewReno", 30),
        "ucc_crowd_repeated_chd": 100 * one(fair["repeated"], CHD, 30),
        **_of_clocks(runs),
        **_of_clocks_on_ns2(runs),
        **_of_neighbours_on_ns2(runs),
        **_of_clocks_on_linux(runs),
        **_of_thresholds(runs),
        **_of_managed(runs),
        **_of_hd(runs),
        **rules.counts(verdicts, "ucc"),
    }


def _of_measured(runs: Runs) -> dict[str, float]:
    """Return what two UCC flows estimate at their losses and how busy the link was (per cent)."""
    mean = runs.points(plan.MEASURED).groupby("loss").mean()
    found = {"ucc_measured_worst": 100 * mean["error"].max()}
    for loss, text in ((1e-3, "1e3"), (LOSSY, "1e2")):
        for name in ("estimate", "utilization"):
            known = mean[name].get(loss, np.nan)
            found[f"ucc_measured_{name}_{text}"] = 100 * float(known)
    return found


def _of_a_busy_link(runs: Runs) -> dict[str, float]:
    """Return how much less two UCC flows carry behind a link that others keep busy (per cent), and
    two of NewReno at the most."""
    behind = runs.derived(analysis.behind_a_busy_link)
    kept = behind.set_index(["control", "loss", "busy"])["measured"]
    most = max(plan.ELSEWHERE)
    found = {
        f"ucc_behind_less_{text}": 100 * (1 - float(kept["UCC", loss, most]))
        for loss, text in zip(plan.ELSEWHERE_LOSSES, ("1e3", "1e2", "3e2"), strict=True)
    }
    return found | {"ucc_behind_newreno_less": 100 * float((1 - kept["NewReno"]).max())}


def _of_clocks(runs: Runs) -> dict[str, float]:
    """Return what two UCC flows carry at one loss in a hundred by their clocks, as printed and with
    a tolerance, and what NewReno keeps beside UCC on a radio that repeats (per cent)."""
    table = runs.derived(analysis.clocks).set_index(["clock", "mend", "loss"])
    two, kept = table["two_mbps"], table["kept"]
    printed, tolerant, renewed = plan.MENDS
    many = max(plan.CLOCK_LOSSES)
    clocks = {
        "exact": plan.EXACT,
        "fine": "a tick of 10 µs",
        "tick": "a tick of 1 ms",
        "fast": "the receiver's is 50 millionths faster",
        "slow": "the receiver's is 50 millionths slower",
    }
    found = {f"ucc_clock_{name}": two[clock, printed, many] for name, clock in clocks.items()}
    found |= {
        f"ucc_clock_{name}_{mended}": two[clock, mend, many]
        for name, clock in clocks.items()
        for mended, mend in (("tolerant", tolerant), ("renewed", renewed))
    }
    repeats = {"printed": printed, "tolerant": tolerant, "renewed": renewed}
    for name, mend in repeats.items():
        found[f"ucc_repeats_{name}"] = two[plan.REPEATS, mend, many]
        found[f"ucc_repeats_{name}_kept"] = 100 * kept[plan.REPEATS, mend, many]
    found["ucc_renewed_kept"] = 100 * kept[plan.EXACT, renewed, min(plan.CLOCK_LOSSES)]
    found["ucc_repeats_newreno"] = table["reference_mbps"][plan.REPEATS, printed, many]
    return {name: float(value) for name, value in found.items()}


def _of_clocks_on_ns2(runs: Runs) -> dict[str, float]:
    """Return what two UCC flows carry in ns-2 at one loss in a hundred, by what counts as equal;
    missing where this machine has neither ns-2 nor these runs."""
    printed, tolerant, _ = plan.NS2_MENDS
    wanted = {
        "printed": (plan.DOUBLE, printed, "two_mbps"),
        "printed_low": (plan.DOUBLE, printed, "low"),
        "printed_high": (plan.DOUBLE, printed, "high"),
        "tolerant": (plan.DOUBLE, tolerant, "two_mbps"),
        "millisecond": ("ticks of 1 ms", printed, "two_mbps"),
        "newreno": (plan.DOUBLE, printed, "reference_mbps"),
        "delayed": (plan.TICKS_DELAYED, printed, "two_mbps"),
        "delayed_newreno": (plan.TICKS_DELAYED, printed, "reference_mbps"),
    }
    return _at_many_losses(runs.derived(analysis.clocks_on_ns2), "ucc_ns2", wanted)


def _of_clocks_on_linux(runs: Runs) -> dict[str, float]:
    """Return the same in Linux, by the tick of its timestamps and by how often it acknowledges."""
    printed, tolerant, renewed = plan.LINUX_MENDS
    _, microsecond, fast, *_ = plan.LINUX_CLOCKS
    wanted = {
        "printed": (plan.MILLISECOND, printed, "two_mbps"),
        "tolerant": (plan.MILLISECOND, tolerant, "two_mbps"),
        "newreno": (plan.MILLISECOND, printed, "reference_mbps"),
        "microsecond": (microsecond, printed, "two_mbps"),
        "fast": (fast, printed, "two_mbps"),
        "fast_renewed": (fast, renewed, "two_mbps"),
        "delayed": (plan.DELAYED, printed, "two_mbps"),
        "delayed_tolerant": (plan.DELAYED, tolerant, "two_mbps"),
        "delayed_newreno": (plan.DELAYED, printed, "reference_mbps"),
    }
    return _at_many_losses(runs.derived(analysis.clocks_on_linux), "ucc_linux", wanted)


def _at_many_losses(
    table: pd.DataFrame, prefix: str, wanted: dict[str, tuple[str, str, str]]
) -> dict[str, float]:
    two = table[table["loss"] == max(plan.CLOCK_LOSSES)].set_index(["clock", "mend"])
    return {
        f"{prefix}_{name}": float(two.at[(clock, mend), value]) if len(two) else float("nan")
        for name, (clock, mend, value) in wanted.items()
    }


def _of_neighbours_on_ns2(runs: Runs) -> dict[str, float]:
    """Return what a neighbour gets beside UCC in ns-2, over beside its own kind; missing where this
    machine has neither ns-2 nor these runs, or the setting no such loss.

    "printed" is by ns-2's clock as it is.
    """
    table = runs.derived(analysis.neighbours_by_engine)
    own = table[table["engine"] == "ns2"].set_index(["neighbour", "loss"])["measured"]
    varied = analysis.judged_variations(runs)
    printed = varied[(varied["engine"] == "ns2") & (varied["setting"] == plan.AS_PRINTED)]
    beside = measures.neighbour_goodput(printed)
    found = {}
    for name in NEIGHBOURS:
        for loss, text in ((0, "clean"), (1e-4, "1e4"), (3e-3, "3e3"), (1e-2, "1e2")):
            found[f"ucc_ns2_{name.lower()}_{text}"] = float(own.get((name, loss), np.nan))
        by_loss = {one["loss"]: one["measured"] for one in neighbour_points(beside, name, name)}
        found[f"ucc_ns2_{name.lower()}_3e3_printed"] = by_loss.get(3e-3, np.nan)
    return found


def _of_thresholds(runs: Runs) -> dict[str, float]:
    """Return what NewReno keeps beside UCC by its threshold: in the shortest buffer, and the least
    over all buffers and losses."""
    table = runs.derived(analysis.alphas).set_index(["buffer", "alpha", "loss"])["measured"]
    flows = runs.flows("ucc-estimators")
    some = flows[(flows["setting"] == r"$\alpha = 0.5$") & (flows["neighbour"] == "UCC")]
    two = some[some["loss"] == 0.01].groupby("seed")["Mb/s"].sum().mean()
    found = {"ucc_alpha_half_two": float(two)}
    for alpha, name in ((0.5, "half"), (0.9, "nine"), (0.99, "paper")):
        found[f"ucc_alpha_{name}_short"] = float(table[min(plan.BUFFERS_PACKETS), alpha, 0])
        found[f"ucc_alpha_{name}_least"] = float(table[:, alpha].min())
    return found


def _of_hd(runs: Runs) -> dict[str, float]:
    """Return what HD gets beside NewReno with both of its regions and with one (Mb/s)."""
    table = runs.derived(analysis.regions)
    clean = table[(table["loss"] == 0) & (table["neighbour"] == "NewReno")]
    got = clean.groupby("control")["first_mbps"].mean()
    return {"ucc_hd_both": float(got["HD"]), "ucc_hd_one": float(got[plan.ONE_REGION])}


def _of_managed(runs: Runs) -> dict[str, float]:
    """Return what NewReno keeps beside UCC and CHD where queues are managed."""
    table = runs.derived(analysis.managed).set_index(["queue", "control", "loss"])["kept"]
    return {
        f"ucc_{queue.lower().replace('-', '_')}_{name}_{text}": float(
            table.get((queue, control, loss))
        )
        for queue in plan.AQM
        for control, name in (("UCC", "ucc"), (CHD, "chd"))
        for loss, text in ((0, "clean"), (0.001, "1e3"), (0.01, "1e2"))
    }


def _of_ns3(on_ns3: pd.DataFrame, ours: pd.DataFrame, timed: pd.DataFrame) -> dict[str, float]:
    """What two equal flows carry on ns-3 beside the segment engine: figure 3.

    The largest difference in per cent where at most a packet in a hundred is lost; and at one in
    ten what UCC and CHD carry there, and here where lost retransmissions are left to the timer.
    """
    both = pd.concat([on_ns3, ours], ignore_index=True)
    apart = measures.over_segment_engine(both, ["control", "loss"], "Mb/s")
    ratio = apart.loc[apart["loss"] <= 0.01, "ratio"]
    found = {"ucc_ns3_off": 100 * (ratio - 1).abs().max()}
    for where, table in (("ns3", on_ns3), ("timed", timed)):
        rates = table.set_index(["control", "loss"])["Mb/s"]
        found[f"ucc_{where}_ucc_10"] = float(rates.get(("UCC", 0.1), np.nan))
        found[f"ucc_{where}_chd_10"] = float(rates.get((CHD, 0.1), np.nan))
    return found


def long_numbers(runs: Runs) -> dict[str, float]:
    """Return the measured numbers of the long version's sentences, by the names they have there."""
    beside = runs.derived(analysis.goodput_beside)
    got = beside.groupby(["neighbour", "control", "loss"])["Mb/s"].mean()
    cubic = float(got.get(("CUBIC", "CUBIC", 0), np.nan))
    near = float(got.get(("CUBIC", "NewReno", 0), np.nan))
    engines = analysis.compared_engines(runs.derived(analysis.pairs))
    on_ns3 = engines[engines["engine"] == "ns3"]
    relatives = {row["at"]: row["measured"] for row in of_relatives(runs.flows("ucc-relatives"))}
    return {
        "ucc_chd_over_hd_clean": relatives.get("$p = 0$", np.nan),
        "ucc_chd_over_hd_1e2": relatives.get("$p = 0.01$", np.nan),
        **_of_a_busy_link(runs),
        "ucc_none_99": 100 * ucc.correlated_sample(10_000, 0.99, 3000)["none"],
        "ucc_cubic_beside_newreno": 100 * (near / cubic - 1),
        "ucc_ns3_flows": int(on_ns3["flows"].sum()),
        "ucc_ns3_least": on_ns3["ratio"].min(),
        "ucc_ns3_most": on_ns3["ratio"].max(),
    }
