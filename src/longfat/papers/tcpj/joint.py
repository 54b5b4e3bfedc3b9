"""The TCP-J paper's claims at settings that differ in all that it does not state, at once.

Here are those on random losses and a shared wire, and the runs to which the links are fitted
(`joint_settings`): table 2's cells that the chapter fits them to, so that the others are a test.
That is done on the segment engine, and on ns-2, which the paper had. `joint_changes` and
`joint_families` have the others.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import engines, papers, statistics
from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.tcpj import joint_changes, joint_families
from longfat.papers.tcpj.joint_settings import (
    ALWAYS_ON_NS2,
    FIT_ARCHIVE,
    FIT_ON_NS2,
    PEAK,
    at_setting,
    fitted_links,
    flow_fields,
    lacks,
    radios,
    sender_fields,
    settings,
    settings_on_ns2,
    wire,
    with_link,
)
from longfat.papers.tcpj.network import radio
from longfat.papers.tcpj.plan import FITTED_RATES, PROTOCOLS, TRIOS, value
from longfat.result import Result
from longfat.scenario import Scenario

ARCHIVE, ON_NS2 = "tcpj-joint", "tcpj-joint-ns2"
RATES = (1e-8, 1e-7, 1e-6, 4e-6, 8e-6)  # of bit errors: the ends, and where gains are largest
RATES_ON_NS2 = (*RATES, 4e-7)  # there only table 2's own cells are judged
SEEDS, SEEDS_ON_NS2 = 24, 10
# Settings at which ten left open where TCP-J's gain is largest, and at some sixty: as many as were
# said to decide it.
PEAK_OPEN_ON_NS2 = dict.fromkeys((5, 11, 15, 18, 28, 30, 31, 35, 36, 40, 41, 44), 60)
PEAK_OPEN_ON_NS2 |= {0: 132, 8: 104, 14: 84}
MORE_ON_NS2: list[tuple[dict[str, Any], int]] = [
    ({"setting": number, "run": "radio", "protocol": name, "bit_error_rate": rate}, count)
    for number, count in PEAK_OPEN_ON_NS2.items()
    for name in ("NewReno", "TCP-J")
    for rate in (PEAK, 8e-6)
]
FIT_SEEDS = 2
LINKS = statistics.combinations(radio_rate=[2e6, 4e6, 6e6], rtt=[0.03, 0.04, 0.06, 0.1])


def experiment() -> JointRuns:
    """Return the runs: at each setting each protocol at each error rate, and both trios."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=lambda: _points(settings(), RATES),
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
        points=lambda: _points(settings_on_ns2(), RATES_ON_NS2),
        repetitions=SEEDS_ON_NS2,
        more=MORE_ON_NS2,
        measure=measured,
        point=f"{__name__}:POINT_ON_NS2",
    )


def _points(settings: pd.DataFrame, rates: Sequence[float]) -> pd.DataFrame:
    kinds = pd.DataFrame(list(_kinds(rates)), columns=["run", "protocol", "bit_error_rate"])
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


def _kinds(rates: Sequence[float]) -> Iterator[tuple[str, str, float]]:
    yield from (("radio", protocol, rate) for rate in rates for protocol in PROTOCOLS)
    yield from (("wire", trio, 0.0) for trio in TRIOS)


def scenario(
    *, run: str, protocol: str, bit_error_rate: float, seed: int, **setting: Any
) -> Scenario:
    """Return a run at a setting: a protocol over the radio link, or a trio on the wire.

    The radio link's radio_rate and rtt are the setting's best, unless they are given.
    """
    setting = with_link(setting)
    fields = flow_fields(setting) | {"duration_s": value("duration"), "seed": seed}
    if run == "wire":
        return wire(protocol, setting, sender_fields("TCP-J", setting)["parameters"], **fields)
    found = radio(
        protocol,
        bit_error_rate=bit_error_rate,
        rate_bps=setting["radio_rate"],
        rtt_s=setting["rtt"],
        wired_bps=setting["wired_rate"],
        **fields | sender_fields(protocol, setting),
    )
    return at_setting(found, bit_error_rate, setting)


def scenario_on_ns2(**given: Any) -> Scenario:
    """Return a run at a setting as ns-2 has it (see `scenario`)."""
    return scenario(**with_link(given, FIT_ON_NS2) | ALWAYS_ON_NS2)


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
    cells = cells[cells["fitted"].isna() & cells["bit_error_rate"].isin(wide.index.levels[1])]
    for cell in cells.itertuples():
        gain = _logs(wide, cell.protocol, cell.base)
        gain = gain[gain["bit_error_rate"] == cell.bit_error_rate]
        yield _percent(_means(gain, one_more=True)).assign(claim=cell.id)
    wide = wide[wide.index.get_level_values("bit_error_rate").isin(RATES)]
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
    """Return the evidence of values; with `one_more` where one further run would lie.

    A value is missing where only one of two protocols has more runs.
    """
    known = values.dropna(subset=["value"])
    table = joint.means(known.assign(like=""), "bit_error_rate", "value", "like")
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


def gains(archive: str = ARCHIVE) -> pd.Series:
    """Return TCP-J's mean gain over NewReno where it is to be largest, in %, by the setting."""
    runs = engines.read_as_made(archive).query("run == 'radio' and bit_error_rate == @PEAK")
    wide = runs.pivot(index=["setting", "seed"], columns="protocol", values="first_bps")
    mean = np.log(wide["TCP-J"] / wide["NewReno"]).groupby("setting").mean()
    return 100 * np.expm1(mean).rename("gain")


LEGS = (
    Leg(
        engine="segment",
        archive=ARCHIVE,
        settings=settings,
        evidence=evidence,
        parts=radios,
        lacks=lacks(),
    ),
    Leg(
        engine="ns2",
        archive=ON_NS2,
        settings=settings_on_ns2,
        evidence=evidence,
        lacks=lacks(),
    ),
    *joint_changes.LEGS,
    *joint_families.LEGS,
)
