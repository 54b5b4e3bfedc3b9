"""The TCP-J paper's other claims at joint settings: on paths that change, and on a sender's rules.

Section 4.2's estimates on a link that falls silent three times, section 4.3.2's outages and section
4.4's movements are run on ns-2, which the paper had; so are the smoothing constants of section 3.3
on a wire. A sender that keeps its window over a radio that may repeat, only the segment engine can
run. The settings are those of
`joint_settings`, and beside each a value of what only movements have.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.tcpj import analysis, claims
from longfat.papers.tcpj import joint_settings as own
from longfat.papers.tcpj.network import WIRE_QUEUE_PACKETS, handoff, radio, with_own_ends
from longfat.papers.tcpj.plan import (
    BUFFER_PACKETS,
    KEEPING,
    MOVES,
    NEWCOMERS,
    PACKET_BYTES,
    PROTOCOLS,
    SEGMENT_BYTES,
    TWO_RATES,
    WITH_SACK,
    held_segments,
    setting,
    value,
)
from longfat.result import Result
from longfat.scenario import Link, Outage, Record, Scenario

ARCHIVE, ON_NS2 = "tcpj-joint-changes", "tcpj-joint-changes-ns2"
SEED = 2  # of the sample of what movements have: independent of the other's
SILENT, OUTAGE, ALPHA, RADIO, KEPT = "silences", "outage", "alpha", "radio", "keeping"
MOVED = ("local", "non-local")
BESIDE = "newcomer, "  # before the movement of one that is not alone on the new link
UNTOLD = ", not announced"
RARE, FREQUENT = 1e-8, 1e-6  # bit error rates of the estimates
LENGTHS_S = (0.01, 0.05, 0.1, 0.3, 1.0)
ALPHAS = (0.5, 0.875, 0.9, 0.99)
SILENCES = setting().silences
MOVED_S = value("duration") / 2
WINDOW_SEGMENTS = int(value("window")) // SEGMENT_BYTES
SEEDS_ON_NS2, SEEDS = 8, 12  # runs of a point, but for some
# Where they left a claim open at many settings, as many as were said to decide it.
MORE_ON_NS2: list[tuple[dict[str, Any], int]] = [
    ({"run": ALPHA}, 16),
    ({"run": RADIO}, 16),
    *(({"run": "local", "protocol": name}, 48) for name in ("TCP-J", "Westwood")),
    *(({"run": "non-local", "protocol": name}, 64) for name in ("TCP-J", "Westwood")),
]
# Settings at which eight, or these, left open whether who was there before is harmed: as above.
OPEN_ON_NS2 = dict.fromkeys((3, 9, 19, 24, 27, 31, 33, 34, 35, 36, 47), 56)
OPEN_ON_NS2 |= {2: 160, 4: 160, 30: 320}
MORE_ON_NS2 += [
    ({"setting": number, "run": f"{BESIDE}{kind}", "protocol": name}, count)
    for number, count in OPEN_ON_NS2.items()
    for kind in MOVED
    for name in ("TCP-J", "SACK")
]
MORE = [
    ({"run": f"{BESIDE}{kind}", "protocol": name}, 56)
    for kind in MOVED
    for name in ("TCP-J", "SACK")
]
COLUMNS = (
    *("first_bps", "second_bps", "third_bps", "timeouts", "overflows"),
    *("bias", "error", "variation", "lowest", "before", "settled", "largest", "resident_bps"),
)


def settings() -> pd.DataFrame:
    """Return the settings of the segment engine's runs."""
    return _with_movements(own.settings())


def settings_on_ns2() -> pd.DataFrame:
    """Return those of ns-2's."""
    return _with_movements(own.settings_on_ns2())


def _with_movements(table: pd.DataFrame) -> pd.DataFrame:
    others = {one.name for one in joint.parameters("tcpj")} - set(own.OF_MOVEMENTS)
    return table.merge(joint.settings("tcpj", others, seed=SEED), on="setting")


def experiment() -> JointRuns:
    """Return the segment engine's runs."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=lambda: _points(settings(), _kinds()),
        repetitions=SEEDS,
        more=MORE,
        measure=measured,
        point=f"{__name__}:POINT",
    )


def experiment_on_ns2() -> JointRuns:
    """Return ns-2's."""
    return JointRuns(
        name=ON_NS2,
        engine="ns2",
        build=scenario_on_ns2,
        points=lambda: _points(settings_on_ns2(), _kinds_on_ns2()),
        repetitions=SEEDS_ON_NS2,
        more=MORE_ON_NS2,
        measure=measured,
        point=f"{__name__}:POINT_ON_NS2",
    )


def _points(table: pd.DataFrame, kinds: Iterable[tuple[str, str, float]]) -> pd.DataFrame:
    runs = pd.DataFrame(kinds, columns=["run", "protocol", "level"])
    points = table.merge(runs, how="cross")
    nothing_to_compare = (points["run"] == RADIO) & (points["westwood_base"] == "with SACK")
    return points[~nothing_to_compare]


def _kinds() -> Iterator[tuple[str, str, float]]:
    yield from ((KEPT, name, rate) for name in (KEEPING, "SACK") for rate in TWO_RATES)
    yield from _kinds_of_newcomers()


def _kinds_of_newcomers() -> Iterator[tuple[str, str, float]]:
    yield from (
        (f"{BESIDE}{kind}", name, 0.0) for kind in MOVED for name, told in NEWCOMERS if told
    )


def _kinds_on_ns2() -> Iterator[tuple[str, str, float]]:
    both = ("TCP-J", "Westwood")
    yield from ((SILENT, name, rate) for name in both for rate in (RARE, FREQUENT))
    yield (SILENT, WITH_SACK, RARE)
    yield from ((OUTAGE, name, length) for name in (*PROTOCOLS, WITH_SACK) for length in LENGTHS_S)
    yield from ((kind, name if told else name + UNTOLD, 0.0) for name, kind, told in MOVES)
    yield from ((ALPHA, "TCP-J", alpha) for alpha in ALPHAS)
    yield from ((RADIO, name, own.PEAK) for name in (*both, WITH_SACK))
    yield from _kinds_of_newcomers()


def scenario(*, run: str, protocol: str, level: float, seed: int, **at: Any) -> Scenario:
    """Return a run at a setting.

    `level` is a bit error rate, an outage's length (s) or a smoothing constant; a movement has its
    bit error rate from the setting.
    """
    at = own.with_link(at)
    fields = own.flow_fields(at) | {"duration_s": value("duration"), "seed": seed}
    if run == ALPHA:
        parameters = own.sender_fields("TCP-J", at)["parameters"] | {"alpha": level}
        return own.wire("with TCP-J", at, parameters, **fields)
    if (kind := run.removeprefix(BESIDE)) in MOVED:
        return _movement(kind, protocol, "SACK" if kind != run else None, fields, at)
    link = {"rate_bps": at["radio_rate"], "rtt_s": at["rtt"], "wired_bps": at["wired_rate"]}
    errs = level
    if run == SILENT:
        record = Record(series=("delivered_bytes", "bandwidth_bps"), points=200)
        fields |= {"outages": SILENCES, "record": record}
    elif run == OUTAGE:
        errs = value("ber_outages")
        start_s = round(np.random.default_rng(seed).uniform(3, 5), 6)
        outage = Outage(start_s=start_s, duration_s=level)
        fields |= {"outages": (outage,), "duration_s": value("outage_duration")}
    name, sender = _sender(protocol, at)
    return own.at_setting(radio(name, bit_error_rate=errs, **link | fields | sender), errs, at)


def _sender(protocol: str, at: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what the networks take for a sender: its name, and its fields."""
    if protocol == KEEPING:
        return "gaimd", {"parameters": {"decrease": 0.0}}
    if protocol == WITH_SACK:
        return "Westwood", own.sender_fields("Westwood", at | {"westwood_base": "with SACK"})
    return protocol, own.sender_fields(protocol, at)


def _movement(
    kind: str, protocol: str, beside: str | None, fields: dict[str, Any], at: dict[str, Any]
) -> Scenario:
    """Return a movement at a setting.

    Packets pass the regional router no farther away than the correspondent is; what the movement
    costs is as the setting has that way.
    """
    name = protocol.removesuffix(UNTOLD)
    sender = own.sender_fields(name, at)
    parameters = sender.pop("parameters")
    cost_s = value("handoff_cost_nonlocal")
    if kind == "local":
        cost_s = value("link_cost") + value("network_cost") + at["rtt_to_rr"]
    found = handoff(
        name,
        kind,
        rate_bps=at["radio_rate"],
        new_rate_bps=at["new_radio_rate"],
        cost_s=cost_s,
        rtt_s=at["rtt"],
        announced=name == protocol,
        at_s=MOVED_S,
        bit_error_rate=at["ber_handoff"],
        wired_bps=at["wired_rate"],
        new_wired_bps=at["wired_rate"] if kind == "local" else at["new_wired_rate"],
        beside=beside,
        record=Record(series=("delivered_bytes",) if beside else ("cwnd_segments",), points=100),
        **fields,
    )
    on_air_s = at["radio_delay"]
    access_s = max(0.0, min(at["rtt_to_rr"], at["rtt"]) / 2 - on_air_s)

    def with_delay(link: Link) -> Link:
        if "mn" in (link.source, link.target):
            return link
        outer = "cn" in (link.source, link.target)
        delay_s = at["rtt"] / 2 - on_air_s - access_s if outer else access_s
        return Link(**(dict(link) | {"delay_s": delay_s}))

    mover, *others = (flow.model_dump() for flow in found.flows)
    mover["congestion_control"]["parameters"] |= parameters
    moved = own.at_setting(found.replace(flows=[mover | sender, *others]), at["ber_handoff"], at)
    return moved.replace(links=[with_delay(link) for link in moved.links])


def scenario_on_ns2(**given: Any) -> Scenario:
    """Return a run at a setting as ns-2 has it (see `scenario`)."""
    found = scenario(**own.with_link(given, own.FIT_ON_NS2) | own.ALWAYS_ON_NS2)
    flows = [flow.model_dump() for flow in found.flows]
    for flow in flows:
        if flow["congestion_control"]["name"] != "tcpj":
            flow["handoffs"] = ()  # nobody else does anything when it is told
    changed = found.replace(flows=flows)
    return with_own_ends(changed) if given["run"].startswith(BESIDE) else changed


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run; what it does not have is missing.

    Goodputs of its flows; timeouts of the first; what the access router's queue dropped (packets);
    of an estimate what `analysis.estimate_error` says, and the lowest after a silence (bit/s); of a
    movement what `analysis.moved_windows` says; what a flow gets that was on the new link before.
    """
    row = dict.fromkeys(COLUMNS, float("nan")) | {
        name: row["goodput_bps"] for name, row in zip(COLUMNS, result.flow_rows(), strict=False)
    }
    row["timeouts"] = float(result.flow_rows()[0]["timeouts"])
    duration_s = result.scenario.duration_s
    if "bandwidth_bps" in result.traces:
        row |= analysis.estimate_error(result, duration_s)
        row["lowest"] = analysis.lowest_estimate(result, SILENCES)
    elif "cwnd_segments" in result.traces:
        windows = analysis.moved_windows(result, MOVED_S, duration_s)
        row |= {"largest": windows.pop("first 10 s")} | windows
    elif "delivered_bytes" in result.traces:
        row["resident_bps"] = analysis.rate_since(result, MOVED_S, 1, duration_s)
    elif "ar" in result.scenario.nodes:
        row["overflows"] = float(analysis.overflows(result))
    return row


def _of_a_row(row: dict[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    names = [*table.columns, "run", "protocol", "level", "seed"]
    return {name: row[name] for name in names}


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the segment engine's archive."""
    return scenario(**_of_a_row(row, settings()))


def archived_on_ns2(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of ns-2's archive."""
    return scenario_on_ns2(**_of_a_row(row, settings_on_ns2()))


def _archived(result: Result) -> dict[str, float]:
    return joint.rounded(measured(result))


POINT = Point(archived_scenario, _archived)
POINT_ON_NS2 = Point(archived_on_ns2, _archived)


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the claims are judged by on the segment engine, at each setting.

    The columns of `verdicts.judge.Evidence`, and setting, its number.
    """
    return joint.evidence_by_setting(points, _of_a_setting)


def evidence_on_ns2(points: pd.DataFrame) -> pd.DataFrame:
    """Return the same of runs on ns-2."""
    return joint.evidence_by_setting(
        points.assign(radio_rate=_fitted("radio_rate", points)), _on_ns2
    )


def _fitted(column: str, points: pd.DataFrame) -> pd.Series:
    return points["setting"].map(own.fitted_links(own.FIT_ON_NS2)[column])


def _of_a_setting(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    kept = runs[runs["run"] == KEPT].assign(
        bit_error_rate=runs["level"], goodput_bps=runs["first_bps"]
    )
    yield from claims.keeping_rows(kept)
    if runs["link_retransmissions"].iloc[0] != "0":
        for row in claims.repeating_rows(kept.assign(radio="it repeats")):
            if row["claim"] == "tcpj-s3-cause":
                yield row
    yield from _of_newcomers(runs.assign(engine="segment"))


def _of_newcomers(runs: pd.DataFrame) -> claims.Rows:
    beside = runs[runs["run"].str.startswith(BESIDE)]
    return claims.newcomer_rows(
        beside.assign(
            kind=beside["run"].str.removeprefix(BESIDE),
            label=beside["protocol"],
            resident=beside["resident_bps"],
        )
    )


def _on_ns2(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    runs = runs.assign(engine="ns2", goodput_bps=runs["first_bps"], bit_error_rate=runs["level"])
    of = dict(list(runs.groupby("run")))
    silent = of[SILENT]
    yield from claims.estimate_rows(silent[silent["protocol"] != WITH_SACK])
    full_bps = silent["radio_rate"] * SEGMENT_BYTES / PACKET_BYTES
    lowest = silent.assign(lowest=100 * silent["lowest"] / full_bps)
    yield from claims.after_outage_rows(lowest[lowest["bit_error_rate"] == RARE])
    yield from claims.outage_rows(of[OUTAGE].assign(outage_s=of[OUTAGE]["level"]))
    for row in claims.handoff_rows(_movements(pd.concat([of[kind] for kind in MOVED]))):
        if row["claim"] != "tcpj-s4-local-tcpj":  # it follows from how TCP-J is built
            yield row
    yield from _of_alphas(of[ALPHA])
    yield from _of_newcomers(runs)
    if RADIO not in of:
        return
    wide = of[RADIO].pivot(index="seed", columns="protocol", values="goodput_bps")
    with_sack = wide.assign(Westwood=wide[WITH_SACK])
    yield claims.left_of_the_lead(wide, with_sack) | {"claim": "tcpj-s4-dips"}


def _movements(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row a movement, as `analysis.handoffs` has them."""
    slower = runs["new_radio_rate"].where(
        runs["run"] == "local", runs[["new_radio_rate", "new_wired_rate"]].min(axis=1)
    )
    buffers = np.where(slower < runs["new_radio_rate"], WIRE_QUEUE_PACKETS, BUFFER_PACKETS)
    return runs.assign(
        parameter="",
        setting="",
        kind=runs["run"],
        label=runs["protocol"],
        held=list(map(held_segments, slower, _fitted("rtt", runs), buffers)),
        **{"first 10 s": runs["largest"]},
    )


def _of_alphas(runs: pd.DataFrame) -> claims.Rows:
    """Return what `claims.alpha_rows` says of a setting.

    That is nothing where three windows fit, so that nothing is lost and no constant matters. Flows
    that begin all at once make one run of all seeds.
    """
    first = runs.iloc[0]
    if held_segments(first["shared_rate"], first["shared_rtt"]) >= 3 * WINDOW_SEGMENTS:
        return []
    if first["start_times"] == "all at once":
        runs = runs[runs["seed"] == 1]
    total = runs["first_bps"] + runs["second_bps"] + runs["third_bps"]
    off = 300 * runs["third_bps"] / total - 100
    rate_bps, rtt_s = runs["shared_rate"], runs["shared_rtt"]
    table = runs.assign(rate_bps=rate_bps, rtt_s=rtt_s, alpha=runs["level"], off=off)
    return claims.alpha_rows(table)


LEGS = (
    Leg(
        engine="segment",
        archive=ARCHIVE,
        settings=settings,
        evidence=evidence,
        parts=own.radios,
        lacks=own.lacks(),
    ),
    Leg(
        engine="ns2",
        archive=ON_NS2,
        settings=settings_on_ns2,
        evidence=evidence_on_ns2,
        lacks=own.lacks(),
    ),
)
