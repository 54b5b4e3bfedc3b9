"""The TCP-J paper's claims on random losses and a shared wire at settings that differ in all that
it does not state, at once.

The rate of the radio link and the round trip are fitted to table 2 again under each setting
(`fits`): to the cells that the chapter fits them to, so that the others are a test. That is done on
the segment engine, and on ns-2, which the paper had. There the radio repeats nothing, and losses
are repaired as ns-2's senders do, whatever a setting says of these (`ALWAYS_ON_NS2`).
"""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics, store
from longfat.experiment import Point
from longfat.links import Arq, Link
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.tcpj.network import radio, shared_wire
from longfat.papers.tcpj.plan import FITTED_RATES, PROTOCOLS, TRIOS, value
from longfat.result import Result
from longfat.scenario import Scenario

ARCHIVE = "tcpj-joint"
_HANDOFFS = "handoffs are not among these runs"
_NO_SWITCH = "the engine has no switch for it"
_FITTED = "it is fitted to table 2 again under each setting"
LEFT_OUT = {
    "radio_rate": _FITTED,
    "rtt": _FITTED,
    "ber_handoff": _HANDOFFS,
    "new_radio_rate": _HANDOFFS,
    "new_wired_rate": _HANDOFFS,
    "rtt_to_rr": _HANDOFFS,
    "threshold_compared": _NO_SWITCH,
    "window_min": _NO_SWITCH,
    "virtual_samples": _NO_SWITCH,
}
WITHOUT = (("westwood_base", "Reno"),)  # but on ns-2 no such sender is written
ON_NS2, FIT_ON_NS2 = "tcpj-joint-ns2", "tcpj-joint-fit-ns2"
ALWAYS_ON_NS2 = {
    "link_retransmissions": "0",
    "lost_retransmission": "detected",
    "recovery": "halving",
}
_OF_REPETITIONS = (
    *("repeat_mode", "repeat_feedback", "repeat_jitter"),
    *("selective_repeats", "selective_feedback"),
)
RATES = (1e-8, 1e-7, 1e-6, 4e-6, 8e-6)  # of bit errors: the ends, and where gains are largest
PEAK = 4e-6
SEEDS, SEEDS_ON_NS2 = 24, 10
RADIO_PACKET_BYTES = value("packet")
FIT_ARCHIVE = "tcpj-joint-fit"
FIT_SEEDS = 2
LINKS = statistics.combinations(radio_rate=[2e6, 4e6, 6e6], rtt=[0.03, 0.04, 0.06, 0.1])


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return joint.settings("tcpj", LEFT_OUT, without=WITHOUT)


def settings_on_ns2() -> pd.DataFrame:
    """Return the settings as ns-2 has them: Westwood is on Reno too, and nothing is repeated."""
    return joint.settings("tcpj", LEFT_OUT).drop(columns=[*ALWAYS_ON_NS2, *_OF_REPETITIONS])


def experiment() -> JointRuns:
    """Return the runs: at each setting each protocol at each error rate, and both trios."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=lambda: _points(settings()),
        repetitions=SEEDS,
        measure=measured,
        point=f"{__name__}:POINT",
    )


def experiment_on_ns2() -> JointRuns:
    """Return the same on ns-2."""
    return JointRuns(
        name=ON_NS2,
        engine="ns2",
        build=scenario_on_ns2,
        points=lambda: _points(settings_on_ns2()),
        repetitions=SEEDS_ON_NS2,
        measure=measured,
        point=f"{__name__}:POINT_ON_NS2",
    )


def _points(settings: pd.DataFrame) -> pd.DataFrame:
    kinds = pd.DataFrame(list(_kinds()), columns=["run", "protocol", "bit_error_rate"])
    return settings.merge(kinds, how="cross")


def fits() -> JointRuns:
    """Return the runs of table 2's fitted cells over many links at each setting."""
    cells = statistics.combinations(protocol=PROTOCOLS, bit_error_rate=FITTED_RATES)
    return JointRuns(
        name=FIT_ARCHIVE,
        build=functools.partial(scenario, run="radio"),
        points=lambda: settings().merge(LINKS, how="cross").merge(cells, how="cross"),
        repetitions=FIT_SEEDS,
        measure=lambda result: {"first_bps": measured(result)["first_bps"]},
        point=f"{__name__}:FIT_POINT",
    )


def fits_on_ns2() -> JointRuns:
    """Return the same on ns-2."""
    cells = statistics.combinations(protocol=PROTOCOLS, bit_error_rate=FITTED_RATES)
    return JointRuns(
        name=FIT_ON_NS2,
        engine="ns2",
        build=functools.partial(scenario_on_ns2, run="radio"),
        points=lambda: settings_on_ns2().merge(LINKS, how="cross").merge(cells, how="cross"),
        repetitions=1,
        measure=lambda result: {"first_bps": measured(result)["first_bps"]},
        point=f"{__name__}:FIT_POINT_ON_NS2",
    )


@functools.cache
def fitted_links(archive: str = FIT_ARCHIVE) -> pd.DataFrame:
    """Return each setting's best link: radio_rate, rtt and error, by the setting's number.

    The error is the root mean square of the differences of the logarithms of the fitted cells, but
    for the largest: a single cell that no link meets shall not choose the link.
    """
    runs = store.read_table(archive, "points")
    link = ["setting", "radio_rate", "rtt"]
    wide = runs.pivot(
        index=[*link, "bit_error_rate", "seed"], columns="protocol", values="first_bps"
    )
    cells = []
    for cell in papers.claims("tcpj").query("quantity == 'gain' and rule == 'value'").itertuples():
        if cell.bit_error_rate in FITTED_RATES and cell.base == "NewReno":
            own = np.log(wide[cell.protocol] / wide["NewReno"])
            mean = own.xs(cell.bit_error_rate, level="bit_error_rate").groupby(link).mean()
            cells.append(mean - np.log1p(cell.printed / 100))
    errors = pd.concat(cells, axis=1).apply(statistics.root_mean_square, axis=1, left_out=1)
    found = pd.DataFrame({"error": errors})
    best = found["error"].groupby("setting").idxmin()
    return found.loc[best].reset_index().set_index("setting")


TABLE_2 = (  # the parameters with choices on which table 2 may hang
    *("link_retransmissions", "rtt_tick", "limited_transmit", "lost_retransmission", "recovery"),
    *("westwood_base", "timestamps", "loss_direction"),
)


def fits_by_choice() -> pd.DataFrame:
    """Return how near table 2's fitted cells a link comes, by each choice of a parameter.

    But for the first, only settings count whose radio repeats nothing. Columns: parameter, choice,
    settings, nearest and median (errors as of `fitted_links`).
    """
    table = fitted_links()[["error"]].join(settings().set_index("setting"))
    silent = table[table["link_retransmissions"] == "0"]
    rows = []
    for name in TABLE_2:
        of = table if name == "link_retransmissions" else silent
        for choice, errors in of.groupby(name)["error"]:
            row = {"parameter": name, "choice": choice, "settings": len(errors)}
            rows.append(row | {"nearest": errors.min(), "median": errors.median()})
    return pd.DataFrame(rows)


def _kinds() -> Iterator[tuple[str, str, float]]:
    yield from (("radio", protocol, rate) for rate in RATES for protocol in PROTOCOLS)
    yield from (("wire", trio, 0.0) for trio in TRIOS)


def scenario(
    *, run: str, protocol: str, bit_error_rate: float, seed: int, **setting: Any
) -> Scenario:
    """Return a run at a setting: a protocol over the radio link, or a trio on the wire.

    The radio link's radio_rate and rtt are the setting's best, unless they are given.
    """
    if run == "radio" and "rtt" not in setting:
        link = fitted_links().loc[setting["setting"]]
        setting |= {"radio_rate": float(link["radio_rate"]), "rtt": float(link["rtt"])}
    threshold = setting["initial_ssthresh"]
    fields: dict[str, Any] = {
        "timestamps": setting["timestamps"] == "on",
        "initial_window_segments": int(setting["initial_cwnd"]),
        "initial_ssthresh_segments": None if threshold == "none" else int(threshold),
        "min_rto_s": setting["min_rto"],
        "recovery": "halving" if setting["recovery"] == "halving" else "prr",
        "lost_retransmissions": "detected"
        if setting["lost_retransmission"] == "detected"
        else "timeout",
        "duration_s": value("duration"),
        "seed": seed,
    }
    tick = {"rtt_tick_s": float(setting["rtt_tick"])}
    if run == "wire":
        found = shared_wire(
            *TRIOS[protocol],
            rate_bps=setting["shared_rate"],
            rtt_s=setting["shared_rtt"],
            parameters={"TCP-J": tick},
            **fields,
        )
        flows = [flow.model_dump() | _limited(flow.sack, setting) for flow in found.flows]
        if setting["start_times"] == "all at once":
            flows = [flow | {"start_s": 0.0} for flow in flows]
        return found.replace(flows=flows)
    parameters: dict[str, float] = {}
    if protocol == "Westwood":
        parameters = tick | {"time_constant_s": setting["time_constant"]}
        base: dict[str, dict[str, Any]] = {
            "with SACK": {"sack": True},
            "Reno": {"recovery": "reno"},
        }
        fields |= base.get(setting["westwood_base"], {})
    elif protocol == "TCP-J":
        parameters = tick
    found = radio(
        protocol,
        bit_error_rate=bit_error_rate,
        rate_bps=setting["radio_rate"],
        rtt_s=setting["rtt"],
        wired_bps=setting["wired_rate"],
        parameters=parameters,
        **fields,
    )
    [flow] = found.flows
    return found.replace(
        flows=[flow.model_dump() | _limited(flow.sack, setting)],
        links=[_link(link, bit_error_rate, setting) for link in found.links],
    )


def scenario_on_ns2(**given: Any) -> Scenario:
    """Return a run at a setting as ns-2 has it (see `scenario`)."""
    if given["run"] == "radio" and "rtt" not in given:
        link = fitted_links(FIT_ON_NS2).loc[given["setting"]]
        given |= {"radio_rate": float(link["radio_rate"]), "rtt": float(link["rtt"])}
    return scenario(**given | ALWAYS_ON_NS2)


def _limited(sack: bool, setting: dict[str, Any]) -> dict[str, bool]:
    return {"limited_transmit": sack or setting["limited_transmit"] == "on"}


def _link(link: Link, bit_error_rate: float, setting: dict[str, Any]) -> Link:
    """Return a link of the radio path: its delay, losses and repetitions by the setting.

    A bit error destroys so many bytes as the setting says, where the engine counts those that it
    sends. A frame is repeated as 802.11 does it, or as a cellular link.
    """
    on_air_s = setting["radio_delay"]
    if "mn" not in (link.source, link.target):
        return Link(**(dict(link) | {"delay_s": setting["rtt"] / 2 - on_air_s}))
    rate = bit_error_rate * float(setting["packet"]) / RADIO_PACKET_BYTES
    errs = link.target == "mn" or setting["loss_direction"] == "both ways"
    changed: dict[str, Any] = {"delay_s": on_air_s, "loss_per_bit": rate if errs else 0.0}
    repeats = int(setting["link_retransmissions"])
    if repeats and setting["repeat_mode"] == "stop and wait":
        changed["arq"] = Arq(
            persistence=repeats,
            feedback_s=setting["repeat_feedback"],
            jitter_s=setting["repeat_jitter"],
            mode="stop and wait",
        )
    elif repeats:
        changed["arq"] = Arq(
            persistence=int(setting["selective_repeats"]), feedback_s=setting["selective_feedback"]
        )
    return Link(**(dict(link) | changed))


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run: the goodput of its flows, of which a wire has three."""
    rates = [row["goodput_bps"] for row in result.flow_rows()]
    rates += [float("nan")] * (3 - len(rates))
    return dict(zip(("first_bps", "second_bps", "third_bps"), rates, strict=True))


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    names = [*settings().columns, "run", "protocol", "bit_error_rate", "seed"]
    return scenario(**{name: row[name] for name in names})


def archived_on_ns2(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of ns-2's archive."""
    names = [*settings_on_ns2().columns, "run", "protocol", "bit_error_rate", "seed"]
    return scenario_on_ns2(**{name: row[name] for name in names})


def _fitted_on_ns2(row: dict[str, Any]) -> Scenario:
    names = [*settings_on_ns2().columns, *LINKS.columns, "protocol", "bit_error_rate", "seed"]
    return scenario_on_ns2(run="radio", **{name: row[name] for name in names})


def _fitted_scenario(row: dict[str, Any]) -> Scenario:
    names = [*settings().columns, *LINKS.columns, "protocol", "bit_error_rate", "seed"]
    return scenario(run="radio", **{name: row[name] for name in names})


def _archived(result: Result) -> dict[str, float]:
    return joint.rounded(measured(result))


def _first(result: Result) -> dict[str, float]:
    return joint.rounded({"first_bps": measured(result)["first_bps"]})


POINT = Point(archived_scenario, _archived)
POINT_ON_NS2 = Point(archived_on_ns2, _archived)
FIT_POINT = Point(_fitted_scenario, _first)
FIT_POINT_ON_NS2 = Point(_fitted_on_ns2, _first)


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what claims on random losses and the wire are judged by at each setting.

    Columns: claim, setting (its number), measured, low, high, runs, count. Numbers that were fitted
    are left out.
    """
    wide = points[points["run"] == "radio"].pivot(
        index=["setting", "bit_error_rate", "seed"], columns="protocol", values="first_bps"
    )
    tables = [*_of_gains(wide), *_of_the_wire(points[points["run"] == "wire"])]
    columns = ["claim", "setting", "measured", "low", "high", "runs", "count"]
    return pd.concat(tables, ignore_index=True)[columns]


def _of_gains(wide: pd.DataFrame) -> Iterator[pd.DataFrame]:
    cells = papers.claims("tcpj").query("quantity == 'gain' and rule == 'value'")
    cells = cells[cells["fitted"].isna() & cells["bit_error_rate"].isin(RATES)]
    for cell in cells.itertuples():
        gain = _logs(wide, cell.protocol, cell.base)
        gain = gain[gain["bit_error_rate"] == cell.bit_error_rate]
        yield _percent(_means(gain, one_more=True)).assign(claim=cell.id)
    frequent = wide[wide.index.get_level_values("bit_error_rate") > min(RATES)]
    orders = {
        "tcpj-s2-westwood": ("Westwood", "NewReno"),
        "tcpj-s4-above-westwood": ("TCP-J", "Westwood"),
    }
    for claim, pair in orders.items():
        yield _percent(_means(_logs(frequent, *pair))).assign(claim=claim)
    same = _means(_logs(frequent, "SACK", "NewReno"))
    yield _ratio(same).assign(claim="tcpj-s4-newreno-sack")
    rare = wide[wide.index.get_level_values("bit_error_rate") == min(RATES)]
    for name in PROTOCOLS[1:]:
        yield _ratio(_means(_logs(rare, name, "NewReno"))).assign(claim="tcpj-s4-rare")
    gain = 100 * (frequent["TCP-J"] / frequent["NewReno"] - 1)
    peak = gain.xs(PEAK, level="bit_error_rate")
    for rate in RATES[1:]:
        if rate != PEAK:
            step = (peak - gain.xs(rate, level="bit_error_rate")).rename("value").reset_index()
            found = _means(step.assign(bit_error_rate=rate))
            yield found.assign(claim="tcpj-s4-peak")


def _of_the_wire(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    flows = ["first_bps", "second_bps", "third_bps"]
    trio = runs[runs["protocol"] == "with TCP-J"]
    for flow in flows:
        share = 3 * trio[flow] / trio[flows].sum(axis=1)
        yield _means(trio.assign(value=share)).assign(claim="tcpj-s4-shares")
    both = runs.assign(both=runs["first_bps"] + runs["second_bps"]).pivot(
        index=["setting", "bit_error_rate", "seed"], columns="protocol", values="both"
    )
    change = _means(_logs(both, "with TCP-J", "with SACK"))
    yield _percent(change).assign(claim="tcpj-s4-no-harm")


def _logs(wide: pd.DataFrame, name: str, base: str) -> pd.DataFrame:
    return np.log(wide[name] / wide[base]).rename("value").reset_index()


def _means(values: pd.DataFrame, one_more: bool = False) -> pd.DataFrame:
    """Return the evidence of values; with `one_more` where one further run would lie."""
    table = joint.means(values.assign(like=""), "bit_error_rate", "value", "like")
    found = joint.mean_evidence(table)
    if one_more:
        wider = np.sqrt(found["count"] + 1)
        half = (found["high"] - found["measured"]) * wider
        found = found.assign(low=found["measured"] - half, high=found["measured"] + half)
    return found


def _ratio(found: pd.DataFrame) -> pd.DataFrame:
    return found.assign(**{name: np.exp(found[name]) for name in ("measured", "low", "high")})


def _percent(found: pd.DataFrame) -> pd.DataFrame:
    ends = ("measured", "low", "high")
    return found.assign(**{name: 100 * np.expm1(found[name]) for name in ends})


RADIOS = ("repeats nothing", "stop and wait", "selective repeat")


def radios(settings: pd.DataFrame) -> pd.Series:
    """Return which of `RADIOS` each setting has: on it hangs what there is to gain."""
    nothing, *_ = RADIOS
    return settings["repeat_mode"].where(settings["link_retransmissions"] != "0", nothing)


def gains(archive: str = ARCHIVE) -> pd.Series:
    """Return TCP-J's mean gain over NewReno where it is to be largest, in %, by the setting."""
    runs = store.read_table(archive, "points").query("run == 'radio' and bit_error_rate == @PEAK")
    wide = runs.pivot(index=["setting", "seed"], columns="protocol", values="first_bps")
    mean = np.log(wide["TCP-J"] / wide["NewReno"]).groupby("setting").mean()
    return 100 * np.expm1(mean).rename("gain")


LEGS = (
    Leg(engine="segment", archive=ARCHIVE, settings=settings, evidence=evidence, parts=radios),
    Leg(engine="ns2", archive=ON_NS2, settings=settings_on_ns2, evidence=evidence),
)
