"""The UCC paper's claims at settings that differ in all that it does not state, at once.

Pairs and chains of senders that ns-2 has, which has no CHD, are run there too. The other runs are
the segment engine's. What is said of HD and the whole CHD, of crowds, of short buffers and of what
UCC measures is in `joint_others`.

ns-2's senders repair losses in their own ways: NewReno and UCC are its SACK sender, which halves
its window at once and leaves a lost retransmission to the timer; CUBIC (of which it has one) and
Compound are its Linux agents, whose rate halving comes nearest to PRR. Where a setting has exact
clocks, ns-2's is a double, in which delays that should be equal differ by a rounding: in one such
setting of two UCC compares them to the last digit, in the other to a nanosecond.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from longfat import engines, papers
from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.ucc import joint_others, plan
from longfat.papers.ucc.analysis import equal_pairs, ratio
from longfat.papers.ucc.claims import of_buffers, of_layouts, of_neighbours, of_newreno
from longfat.papers.ucc.joint_settings import (
    controls_at,
    flow_fields,
    highest,
    path_fields,
    settings,
)
from longfat.papers.ucc.network import multi_bottleneck, wireless
from longfat.papers.ucc.plan import CHD, EQUATED, LAYOUT, NEIGHBOURS
from longfat.result import Result
from longfat.scenario import Link, Scenario
from longfat.verdicts import joint as at_once

ARCHIVE, ON_NS2 = "ucc-joint", "ucc-joint-ns2"
LOSSES = (3e-3, 1e-1)  # where the claims on figures 4 to 6 are nearest to their thresholds
CHAIN_LOSSES = (0.0, 1e-2)
SEEDS, SEEDS_ON_NS2 = 16, 12
MORE_ON_NS2 = {"Compound": 28}  # by the neighbour: with 12 its claim was undecidable
EXACT = "0"  # of `clock`
# What that is in ns-2, and UCC's parameters then.
DOUBLES: dict[str, dict[str, float]] = {
    "0, to the last digit": {"tolerance_s": 0.0},
    "0, to a nanosecond": plan.EQUAL_IN_DOUBLES,
}
NOT_ON_NS2 = ["lost_retransmission", "cubic"]  # make no difference there
SHORT_BUFFER = 10  # packets: the least favourable of those that claims are judged at
DEFAULT_LOSS = "R1-R2"  # of `multi_loss`: where the layout has it


def settings_on_ns2() -> pd.DataFrame:
    """Return the settings as ns-2 has them: an exact clock is one of `DOUBLES`."""
    return _with_doubles().drop(columns=NOT_ON_NS2)


def _with_doubles() -> pd.DataFrame:
    table = settings()
    exact = table["clock"] == EXACT
    turn = exact.cumsum() % len(DOUBLES)
    return table.assign(clock=table["clock"].where(~exact, turn.map(dict(enumerate(DOUBLES)))))


def experiment() -> JointRuns:
    """Return the runs: at each setting the same pairs and chains."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=_points,
        repetitions=SEEDS,
        measure=measured,
        point=f"{__name__}:POINT",
    )


def experiment_on_ns2() -> JointRuns:
    """Return the same on ns-2: the pairs and chains of senders that it has."""
    return JointRuns(
        name=ON_NS2,
        engine="ns2",
        build=scenario_on_ns2,
        points=_points_on_ns2,
        repetitions=SEEDS_ON_NS2,
        more=[
            ({"run": "pair", "N1": neighbour, "N2": other, "loss": loss}, count)
            for neighbour, count in MORE_ON_NS2.items()
            for other in (neighbour, "UCC")
            for loss in LOSSES
        ],
        measure=measured,
        point=f"{__name__}:POINT_ON_NS2",
    )


def _points() -> pd.DataFrame:
    return settings().merge(_kinds(), how="cross")


def _points_on_ns2() -> pd.DataFrame:
    kinds = _kinds()
    known = (kinds["N1"] != CHD) & (kinds["N2"] != CHD)
    own = kinds[known & kinds["run"].isin(["pair", "chain"])]
    return _with_doubles().merge(own, how="cross")


def _kinds() -> pd.DataFrame:
    return pd.DataFrame(list(_each_kind()), columns=["run", "N1", "N2", "loss"])


def _each_kind() -> Iterator[tuple[str, str, str, float]]:
    three = ("NewReno", CHD, "UCC")
    yield from (("pair", *pair, loss) for pair in EQUATED for loss in LOSSES)
    yield from (("pair", *pair, 1e-4) for pair in EQUATED if "CUBIC" in pair)
    for name in ("NewReno", "Compound"):  # what is said of CUBIC is said where the link errs
        yield from (("pair", name, other, 0.0) for other in (name, "UCC"))
    yield ("pair", "NewReno", "NewReno", 1e-2)
    yield from (("short buffer", "NewReno", name, 0.0) for name in three)
    yield from (("chain", name, "NewReno", loss) for name in three for loss in CHAIN_LOSSES)


def scenario(*, run: str, N1: str, N2: str, loss: float, seed: int, **setting: Any) -> Scenario:
    """Return a run at a setting: N1 beside N2, or two of N1 over several bottlenecks."""
    linux = {"name": "cubic", "parameters": {"as_linux_6_12": True}}
    controls = controls_at(setting)
    controls |= {} if setting["cubic"] == "RFC 9438" else {"CUBIC": linux}
    fields = flow_fields(setting) | {"seed": seed}
    if run == "chain":
        return _several(controls[N1], loss, setting, fields)
    if run == "short buffer":
        fields["queue_packets"] = SHORT_BUFFER
    return wireless(controls[N1], controls[N2], **path_fields(setting, loss) | fields)


def scenario_on_ns2(**given: Any) -> Scenario:
    """Return a run at a setting as ns-2 has it (see `scenario`)."""
    clock = DOUBLES.get(given["clock"])
    usual = {"lost_retransmission": "detected", "cubic": "RFC 9438"}
    found = scenario(**(given | usual | ({} if clock is None else {"clock": EXACT})))
    flows = []
    for flow in found.flows:
        fields = flow.model_dump()
        if flow.congestion_control.name == "ucc":
            fields["congestion_control"]["parameters"] |= clock or {}
        flows.append(fields)
    return found.replace(flows=flows)


def _several(
    control: str | dict, loss: float, setting: dict[str, Any], fields: dict[str, Any]
) -> Scenario:
    """Return figure 7's network: where losses are, and the queues of the senders, by the setting.

    Losses are drawn packet by packet: of which links err is more than of which bits.
    """
    found = multi_bottleneck(control, loss=loss, layout=setting["multi_layout"], **fields)
    links = []
    for link in found.links:
        changed: dict[str, Any] = {}
        if setting["multi_loss"] != DEFAULT_LOSS:
            errs = setting["multi_loss"] == "all links" or link.target == "N4"
            changed["loss_per_packet"] = loss if errs else 0.0
        if setting["multi_access"] != "deep" and not link.source.startswith("R"):
            changed["queue_packets"] = int(setting["multi_access"])
        links.append(Link(**(dict(link) | changed)))
    return found.replace(links=links)


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run: the goodput of the first two flows."""
    first, second, *_ = result.flow_rows()
    return {"first_bps": first["goodput_bps"], "second_bps": second["goodput_bps"]}


def _of_a_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return what makes the scenario of a row of an archive."""
    names = [*settings().columns.drop("setting"), "run", "N1", "N2", "loss", "seed"]
    return {name: row[name] for name in names}


def _archived(result: Result) -> dict[str, float]:
    return joint.rounded(measured(result))


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    return scenario(**_of_a_row(row))


def archived_on_ns2(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of ns-2's archive."""
    return scenario_on_ns2(**_of_a_row(row))


POINT = Point(archived_scenario, _archived)
POINT_ON_NS2 = Point(archived_on_ns2, _archived)


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the claims that are measured on simulations are judged by at each setting.

    The columns of `verdicts.judge.Evidence`, and setting, its number.
    """
    return joint.evidence_by_setting(points, _of_a_setting)


def evidence_on_ns2(points: pd.DataFrame) -> pd.DataFrame:
    """Return the same of runs on ns-2, for the claims about what it has."""
    return joint.evidence_by_setting(points, _of_a_setting_on_ns2)


def _of_a_setting(runs: pd.DataFrame) -> list[dict[str, Any]]:
    runs = runs.assign(engine="segment")
    buffers = _flows(runs[runs["run"] == "short buffer"])
    return [*_of_pairs(runs), *_of_chains(runs), *of_buffers(_beside(buffers))]


def _of_a_setting_on_ns2(runs: pd.DataFrame) -> list[dict[str, Any]]:
    runs = runs.assign(engine="ns2")
    return [*_of_pairs(runs), *_of_chains(runs)]


def _of_chains(runs: pd.DataFrame) -> list[dict[str, Any]]:
    chain = runs[(runs["run"] == "chain") & (runs["loss"] <= highest(runs))]
    both = (chain["first_bps"] + chain["second_bps"]) / 1e6
    return of_layouts(chain.assign(layout=LAYOUT, control=chain["N1"], **{"Mb/s": both}))


def _of_pairs(runs: pd.DataFrame) -> list[dict[str, Any]]:
    pairs = _flows(runs[runs["run"] == "pair"])
    return [
        *of_newreno(equal_pairs(pairs)),
        *of_neighbours(pairs[pairs["loss"] <= highest(runs)], None),
    ]


def _flows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row a flow, as experiments have them.

    Ratios are of logarithms: who got nothing in a run is taken to have got one segment.
    """
    sides = {"N1": "first_bps", "N2": "second_bps"}
    least_bps = 8 * runs["payload"].astype(float) / plan.setting().duration_s
    tables = [
        runs.assign(
            flow=flow, recoveries=0, timeouts=0, **{"Mb/s": runs[column].clip(least_bps) / 1e6}
        )
        for flow, column in sides.items()
    ]
    return pd.concat(tables, ignore_index=True)


def _beside(buffers: pd.DataFrame) -> pd.DataFrame:
    """Return what NewReno gets beside UCC and CHD over beside NewReno, at a short buffer."""
    rows = []
    for loss, flows in buffers[buffers["flow"] == "N1"].groupby("loss"):
        got = dict(list(flows.groupby("N2")["Mb/s"]))
        for control in ("UCC", CHD):
            found = ratio(got[control], got[NEIGHBOURS[0]])
            rows.append({"buffer": SHORT_BUFFER, "loss": loss, "control": control} | found)
    return pd.DataFrame(rows)


# --- numbers for the text


def kept_on_ns2() -> pd.DataFrame:
    """Return what a neighbour keeps beside UCC on ns-2, of what it has beside its own kind.

    A row a setting, neighbour and loss; columns also minimum_of and kept.
    """
    runs = _flows(engines.read_as_made(ON_NS2).query("run == 'pair'"))
    point = ["setting", "minimum_of", "N1", "loss"]
    logs = runs.assign(log=np.log(runs["Mb/s"]))
    own = logs[logs["N1"] == logs["N2"]].groupby(point)["log"].mean()
    beside = logs[(logs["N2"] == "UCC") & (logs["flow"] == "N1") & logs["N1"].isin(NEIGHBOURS)]
    kept = np.exp(beside.groupby(point)["log"].mean() - own).dropna()
    return kept.rename("kept").rename_axis(index={"N1": "neighbour"}).reset_index()


def numbers() -> dict[str, float]:
    """Return at how many settings claims hold, and what NewReno keeps of its own on ns-2.

    That is in the middle of the settings, without losses of the link and at three in a thousand.
    """
    told = at_once.deciding(at_once.written(), papers.claims("ucc")).set_index("id")
    found: dict[str, float] = {
        "ucc_joint_settings": engines.read_as_made(ARCHIVE)["setting"].nunique()
    }
    for name, claim in (
        *zip(NEIGHBOURS, ("f4-newreno", "f5-cubic", "f6-compound"), strict=True),
        ("above", "f8-above-newreno"),
        ("below", "f8-below-chd"),
        ("friendlier", "s6-friendlier"),
        ("better", "s2-chd-coexists"),
    ):
        row = told.loc[f"ucc-{claim}"]
        decided = int(row["settings"] - row["open"])
        found[f"ucc_joint_{name.lower()}_decided"] = decided
        found[f"ucc_joint_{name.lower()}_holds"] = round(row["share"] * decided)
    kept = kept_on_ns2().query("neighbour == 'NewReno'")
    clean = kept[kept["loss"] == 0]
    by_minimum = clean.groupby(clean["minimum_of"] == "connection")["kept"].median()
    found |= {
        "ucc_joint_newreno_kept_3e3": kept.loc[kept["loss"] == min(LOSSES), "kept"].median(),
        "ucc_joint_newreno_kept_clean": clean["kept"].median(),
        "ucc_joint_newreno_kept_clean_connection": by_minimum[True],
        "ucc_joint_newreno_kept_clean_epoch": by_minimum[False],
    }
    return {name: float(value) for name, value in found.items()}


LEGS = (
    Leg(engine="segment", archive=ARCHIVE, settings=settings, evidence=evidence),
    Leg(engine="ns2", archive=ON_NS2, settings=settings_on_ns2, evidence=evidence_on_ns2),
    *joint_others.LEGS,
)
