"""The page on routers that help: figures, tables and numbers."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import pictures
from longfat.book.chapters import routers_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table, parts, stacked
from longfat.studies import assistance_ns2, ptp, queues_ns3, routers
from longfat.studies.setting import setting

FILLING, SAVING = "routers-filling", "routers-saving"
MANAGED, MIXED = "routers-managed", "routers-mixed"
ON_NS3 = ("routers-ns3", "routers-beside-ns3")
ASSUMED = {
    "gain": "gain $a$",
    "round_trips": "round trips to the next query",
    "part": "part of each of three (%)",
    "spread": "between them (% of it)",
    "settled_s": "until the third has it (s)",
    "beside": "part beside one NewReno (%)",
}
ASSUMED_FORMATS = dict(
    zip(ASSUMED.values(), ("{:g}", "{:g}", "{:.1f}", "{:.1f}", "{:.0f}", "{:.1f}"), strict=True)
)


def filled(runs: Runs) -> pd.DataFrame:
    """Return when each sender fills the link, and its queue then."""
    return routers.filled(runs.derived(routers.filling))


def assumed(runs: Runs) -> pd.DataFrame:
    """Return what CADPC does by what is assumed, in the units of the page."""
    table = runs.derived(ptp.assumptions)
    percent = {name: 100 * table[name] for name in ("part", "spread", "beside")}
    return table.assign(**percent).rename(columns=ASSUMED)


def promises(runs: Runs) -> pd.DataFrame:
    """Return what each kind of router was made for, and what became of it."""
    first = routers.promises(
        filled=runs.derived(filled),
        sharing=runs.derived(routers.round_trip_fairness),
        mixed=runs.derived(routers.mixed),
        saved=runs.derived(routers.saving),
        managed=runs.derived(routers.managed),
    )
    second = ptp.promises(
        shares=runs.derived(ptp.shares),
        acknowledged=ptp.acknowledged(runs),
        lossy=runs.derived(ptp.lossy),
        sharing=ptp.round_trip_fairness(runs),
        beside=runs.derived(ptp.newreno_coexistence),
    )
    return pd.concat([first, second], ignore_index=True)


def numbers(runs: Runs) -> dict[str, float]:
    """Return the numbers of the page's sentences."""
    shape = runs.derived(filled).set_index("sender")
    shared = runs.derived(routers.round_trip_fairness)
    three = shared.groupby("sender", sort=False).first()
    farthest = shared.groupby("sender", sort=False)["Mb/s"].last()
    many = runs.derived(ptp.shares)
    counted = many.set_index("flows")
    rate = runs.derived(ptp.lossy).set_index(["sender", "loss"])["Mb/s"]
    assumptions = runs.derived(ptp.assumptions)
    saved = runs.derived(routers.saving).set_index(["segments", "asked"])
    took = saved["seconds"]
    trip = 2 * routers.SATELLITE["delay_s"]
    queues = runs.derived(routers.managed).set_index("queue")
    burst = runs.derived(routers.bursts).set_index("queue")
    stable = runs.derived(routers.stability)
    quick = runs.derived(assistance_ns2.quick_start)
    gap = (quick["here"] / quick["ns2"] - 1).abs()
    ns3 = runs.derived(queues_ns3.engine_comparison).pivot(
        index="case", columns="measure", values="ratio"
    )
    promised = runs.derived(promises)
    return {
        "routers_xcp_full": shape.at["xcp", "full_s"] / routers.RTT_S,
        "routers_newreno_full": shape.at["newreno", "full_s"] / routers.RTT_S,
        "routers_xcp_largest": shape.at["xcp", "largest"],
        **{
            f"routers_{name}_then": shape.at[name, "queue"]
            for name in ("xcp", "newreno", "cubic", "bbr")
        },
        "routers_xcp_used": 100 * three.at["xcp", "used"],
        "routers_xcp_queue": three.at["xcp", "queue"],
        "routers_newreno_queue": three.at["newreno", "queue"],
        "routers_xcp_fair": three.at["xcp", "fairness"],
        "routers_newreno_fair": three.at["newreno", "fairness"],
        "routers_cubic_fair": three.at["cubic", "fairness"],
        "routers_newreno_again": int(three.at["newreno", "retransmissions"]),
        "routers_newreno_far": farthest["newreno"],
        "routers_xcp_far": farthest["xcp"],
        "routers_cadpc_most": int(many["flows"].max()),
        "routers_cadpc_used_1": 100 * counted.at[1, "used"],
        "routers_cadpc_used_12": 100 * counted.at[12, "used"],
        "routers_cadpc_queue_3": counted.at[3, "queue"],
        "routers_cadpc_segments": many["segments"].sum() / many["queries"].sum(),
        "routers_cadpc_dropped": int(counted.at[12, "dropped"]),
        "routers_cadpc_lossy": rate["cadpc", 0.01],
        "routers_newreno_lossy": rate["newreno", 0.01],
        "routers_cadpc_clean": rate["cadpc", 0.0],
        "routers_cadpc_beside": 100
        * runs.derived(ptp.newreno_coexistence).set_index("newreno").at[1, "cadpc"],
        "routers_cadpc_settled_least": assumptions["settled_s"].min(),
        "routers_cadpc_settled_most": assumptions["settled_s"].max(),
        "routers_cadpc_part_least": 100 * assumptions["part"].min(),
        "routers_cadpc_part_most": 100 * assumptions["part"].max(),
        "routers_cadpc_beside_least": 100 * assumptions["beside"].min(),
        "routers_cadpc_beside_most": 100 * assumptions["beside"].max(),
        "routers_quick_with": took[1000, 5.12],
        "routers_quick_without": took[1000, 0.0],
        "routers_quick_trips": (took[1000, 0.0] - took[1000, 5.12]) / trip,
        "routers_quick_rtt": trip,
        "routers_quick_small_with": took[100, 5.12],
        "routers_quick_small_without": took[100, 0.0],
        "routers_quick_large_with": took[10_000, 5.12],
        "routers_quick_large_without": took[10_000, 0.0],
        "routers_quick_lost": int(saved.at[(10_000, 5.12), "retransmissions"]),
        "routers_wait_tail": queues.at["drop-tail", "delay_ms"],
        "routers_wait_red": queues.at["RED", "delay_ms"],
        "routers_wait_codel": queues.at["CoDel", "delay_ms"],
        "routers_wait_pie": queues.at["PIE", "delay_ms"],
        "routers_used_red": 100 * queues.at["RED", "used"],
        "routers_used_codel": 100 * queues.at["CoDel", "used"],
        "routers_again_codel": queues.at["CoDel", "again"],
        "routers_again_codel_ecn": queues.at["CoDel and ECN", "again"],
        "routers_again_red_ecn": queues.at["RED and ECN", "again"],
        "routers_xcp_beside": 100 * runs.derived(routers.mixed).set_index("newreno").at[1, "xcp"],
        "routers_xcp_burst": int(burst.at[0.1, "dropped"]),
        "routers_xcp_bound": routers.BOUND,
        "routers_xcp_swing": stable.set_index("alpha").at[1.0, "swing"],
        "routers_xcp_stable": stable[stable["swing"] < 0.1]["alpha"].max(),
        "routers_quick_gap": 100 * gap.max(),
        "routers_quick_gap_middle": 100 * gap.median(),
        "routers_ns3_red": 100 * abs(ns3.at["RED", "goodput"] - 1),
        "routers_ns3_codel": 100 * abs(ns3.at["CoDel", "goodput"] - 1),
        "routers_ns3_pie": 100 * abs(ns3.at["PIE", "goodput"] - 1),
        "routers_ns3_marks": 1 / ns3.at["PIE and ECN", "marked"],
        "routers_ns3_lost": 100 * (1 - 1 / ns3.at["PIE and ECN", "goodput"]),
        "routers_promises": len(promised),
        "routers_kept": int((promised["kept"] == "yes").sum()),
    }


def chapter(**parameters: Any) -> Chapter:
    """Return the page at a setting (`setting.setting`)."""
    at = setting(**parameters)
    return Chapter(
        name="routers",
        setting=at,
        experiments=(
            *routers.experiments(),
            routers.managed_experiment(at.repetitions(3, quick=1)),
            *ptp.experiments(),
            assistance_ns2.quick_start_experiment(),
            *queues_ns3.experiments(2 if at.quick else 6),
        ),
        figures=tuple(_shown()),
    )


def _shown() -> Iterator[Figure | Table]:
    yield Figure(
        name="routers-path",
        data=lambda _: charts.SETTING,
        chart=lambda *_: pictures.draw(routers.scenario(routers.flow("xcp"), xcp={})),
        narrow=lambda *_: pictures.draw(routers.scenario(routers.flow("xcp"), xcp={}), down=True),
        caption="The path of this page. The router stands where the sender's packets wait for the "
        "link.",
    )
    yield Figure(
        name="routers-promise",
        uses=(FILLING, SAVING, MANAGED),
        data=lambda runs: stacked(
            filling=runs.derived(routers.filling),
            saving=runs.derived(routers.saving),
            managed=runs.derived(routers.managed),
        ),
        chart=lambda data, _: charts.promises(*parts(data)),
        caption="What three kinds of routers promise. Left: the queue in front of the link. "
        "Middle: how long a transfer over a satellite takes, with Quick-Start asking for 5.12 Mb/s "
        "and without. Right: how long a packet waits in a buffer of a second that four NewReno "
        "flows share.",
    )
    yield Figure(
        name="routers-filling",
        uses=(FILLING,),
        data=lambda runs: runs.derived(routers.filling),
        chart=lambda data, _: charts.filling(data),
        caption="How a sender alone fills the link (above), and what waits in front of it (below). "
        "XCP has a router that tells it.",
    )
    yield Figure(
        name="routers-sharing",
        uses=("routers-sharing",),
        data=lambda runs: runs.derived(routers.round_trip_fairness),
        chart=lambda data, _: charts.round_trip_fairness(data),
        caption="Goodput of three flows that share a link of 10 Mb/s for 100 s, each kind among "
        "its own. The dotted line is a third.",
    )
    yield Figure(
        name="routers-cadpc",
        uses=("routers-ptp-joining", "routers-ptp-shares"),
        data=lambda runs: stacked(joining=ptp.joining(runs), shares=runs.derived(ptp.shares)),
        chart=lambda data, _: charts.cadpc(*parts(data)),
        caption="CADPC on a link of 10 Mb/s with a round trip of 0.1 s. Left: the rate of each of "
        "four flows, over a second. Right: what each of so many flows has (bars from the least to "
        "the largest, smaller than the marks), and all of them together.",
    )
    yield Figure(
        name="routers-cadpc-losses",
        uses=("routers-ptp-lossy", "routers-ptp-beside", MIXED),
        data=lambda runs: stacked(
            lossy=runs.derived(ptp.lossy),
            cadpc=runs.derived(ptp.newreno_coexistence),
            xcp=runs.derived(routers.mixed),
        ),
        chart=lambda data, _: charts.cadpc_and_losses(*parts(data)),
        caption="Left: goodput of one flow over a link that loses packets, means of four runs with "
        "95 % intervals. Right: what one flow of CADPC or XCP keeps of the link beside NewReno.",
    )
    yield Table(
        name="routers-cadpc-assumed",
        uses=("routers-ptp-assumptions",),
        data=assumed,
        formats=ASSUMED_FORMATS,
        caption="CADPC by what is assumed: three flows that begin at 0, 5 and 10 s, by the rule a "
        "quarter each, and one beside NewReno",
    )
    yield Figure(
        name="routers-quick-start",
        uses=(SAVING,),
        data=lambda runs: runs.derived(routers.saving),
        chart=lambda data, _: charts.saving(data),
        caption="How long a NewReno transfer over a satellite takes (20 Mb/s, round trip 0.55 s), "
        "by the rate that Quick-Start asks for.",
    )
    yield Figure(
        name="routers-queues",
        uses=(MANAGED,),
        data=lambda runs: runs.derived(routers.managed),
        chart=lambda data, _: charts.managed(data),
        caption="Four NewReno flows behind a buffer of a second: how long packets wait, what the "
        "link delivers, and what has to be sent again, means of three runs from 20 s on.",
    )
    yield Figure(
        name="routers-costs",
        uses=(MIXED, "routers-bursts", "routers-stability"),
        data=lambda runs: stacked(
            beside=runs.derived(routers.mixed),
            bursts=runs.derived(routers.bursts),
            stability=runs.derived(routers.stability),
        ),
        chart=lambda data, _: charts.costs(*parts(data)),
        caption="Where XCP's promises end: what one flow keeps beside NewReno, how many packets "
        "its first window costs where the queue is short, and how far a window swings where "
        "$\\alpha$ is chosen larger (with $\\beta = \\alpha^2 \\sqrt{2}$; the line is the paper's "
        "bound).",
    )
    yield Table(
        name="routers-ns2",
        uses=("routers-beside-ns2",),
        data=lambda runs: charts.beside_ns2(routers.beside_ns2(runs)),
        caption="XCP on ns-2.35 and on the segment engine over the same networks for 60 s; use and "
        "mean queue from 20 s on",
    )
    yield Table(
        name="routers-ns2-quick-start",
        uses=("routers-quick-start-beside-ns2",),
        data=lambda runs: charts.quick_start_beside_ns2(runs.derived(assistance_ns2.quick_start)),
        caption="Time until a transfer over the satellite has arrived, here and on ns-2.35 (which "
        "tells when its last ACK has, one way later: that is taken off)",
    )
    yield Table(
        name="routers-ns3",
        uses=ON_NS3,
        data=lambda runs: charts.beside_ns3(runs.derived(queues_ns3.engine_comparison)),
        caption="Managed queues on ns-3 by its own code: what it measures, and then the segment "
        "engine's over that, means of six runs with 95 % intervals",
    )
    yield Table(
        name="routers-promises",
        uses=(
            *(FILLING, SAVING, MANAGED, MIXED, "routers-sharing"),
            *(f"routers-ptp-{name}" for name in ("shares", "acknowledged", "lossy")),
            *("routers-ptp-sharing", "routers-ptp-beside"),
        ),
        data=lambda runs: runs.derived(promises),
        formats={"measured": "{:.3g}"},
        caption="What each kind of router was made for, the measure that stands for it here, what "
        "was found, and whether the promise is kept",
    )
