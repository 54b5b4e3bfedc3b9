"""The paper's movements A, B and C (its figure 1), by the messages that a protocol sends.

The paper counts what a movement costs, and takes the sender to be told. Here messages go over the
links (`longfat.mobility`), and the sender is told when one of them reaches it: under hierarchical
Mobile IPv6 none does for a movement within the domain, so that the announcement of a rate needs a
message of its own.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, mobility, statistics
from longfat.experiment import Experiment, Runs
from longfat.links import Link, Outage
from longfat.network import duplex
from longfat.papers import value
from longfat.papers.tcpj.network import ON_AIR_S, tcpj_flow
from longfat.scenario import Handoff, Move, Record, Scenario

EXPERIMENT = "tcpj-movements"
BEFORE = ("cn", "core", "rr1", "up1", "ar1", "mn")
AFTER = {  # the upper router is the same (A), another one of the domain (B), another domain's (C)
    "A": ("cn", "core", "rr1", "up1", "ar2", "mn"),
    "B": ("cn", "core", "rr1", "up2", "ar3", "mn"),
    "C": ("cn", "core", "rr2", "up3", "ar4", "mn"),
}
PLAIN, WITH_HOME, HIERARCHICAL = "Mobile IPv6", "Mobile IPv6, RFC 6275", "hierarchical"
TOLD = "hierarchical, and the sender is told"
PROTOCOLS = (PLAIN, WITH_HOME, HIERARCHICAL, TOLD)
SENDERS = ("SACK", "Westwood", "TCP-J")
WIRED_BPS = value("tcpj", "wired_rate")
DURATION_S = 50.0
SHOWN_S = 10.0  # after a movement


def moved_s(seed: int) -> float:
    """Return when the host moves: what was under way then decides what a movement costs."""
    return round(20 + np.random.default_rng(seed).uniform(), 6)


def movement(name: str, protocol: str, at_s: float) -> Move:
    """Return a movement of `AFTER` under a protocol of `PROTOCOLS`."""
    path = AFTER[name]
    if protocol in (PLAIN, WITH_HOME):
        home = "ha" if protocol == WITH_HOME else None
        return mobility.mobile_ipv6(at_s, path, home_agent=home)
    return mobility.hierarchical_mobile_ipv6(at_s, path, anchor=path[2], within=name != "C")


def heard_s(name: str, protocol: str, links: tuple[Link, ...]) -> float:
    """Return after how long the sender is told of a movement, in s; infinity if it is not."""
    if protocol == TOLD and name != "C":  # by a message that goes with the anchor's
        return mobility.heard_s(movement(name, PLAIN, 0), links)
    return mobility.heard_s(movement(name, protocol, 0), links)


def scenario(
    movement_name: str,
    protocol: str,
    sender: str,
    seed: int,
    *,
    rate_bps: float,
    new_rate_bps: float,
    rtt_s: float,
    rtt_to_rr_s: float,
    **fields: Any,
) -> Scenario:
    """Return a transfer to a host that moves to a slower radio link.

    The round trips are those without queues, to the sender and to the regional router. The home
    agent (assumed) is as far from the core as the sender. The new radio link's rate is announced
    to a sender that is told. `fields` are those of `Flow`.
    """
    at_s = moved_s(seed)
    half_s = (rtt_s - rtt_to_rr_s) / 4
    access_s = (rtt_to_rr_s / 2 - ON_AIR_S) / 2
    wires = {
        half_s: [("cn", "core"), ("ha", "core"), ("core", "rr1"), ("core", "rr2")],
        access_s: [(a, b) for path in (BEFORE, *AFTER.values()) for a, b in pairwise(path[2:-1])],
    }
    links = tuple(
        link
        for delay_s, pairs in wires.items()
        for a, b in dict.fromkeys(pairs)
        for link in duplex(a, b, rate_bps=WIRED_BPS, delay_s=delay_s, queue_packets=1000)
    )
    for router in ("ar1", AFTER[movement_name][-2]):
        old = router == "ar1"
        links += duplex(
            router,
            "mn",
            rate_bps=rate_bps if old else new_rate_bps,
            delay_s=ON_AIR_S,
            queue_packets=30,
            loss_per_bit=1e-7,
            outages=(Outage(start_s=at_s, duration_s=DURATION_S),) if old else (),
            backward={"loss_per_bit": 0.0},
        )
    told_s = heard_s(movement_name, protocol, links)
    kind = "local" if movement_name == "A" else "non-local"
    moved: dict[str, Any] = {"path": BEFORE, "moves": (movement(movement_name, protocol, at_s),)}
    if math.isfinite(told_s):
        told = Handoff(at_s=at_s + told_s, kind=kind, announced_rate_bps=new_rate_bps)
        moved["handoffs"] = (told,)
    return Scenario(
        links=links,
        flows=[tcpj_flow("cn", "mn", sender, {}, moved | fields)],
        duration_s=DURATION_S,
        seed=seed,
        record=Record(series=("handoff_s", "delivered_bytes"), points=250),
    )


def experiment(repetitions: int, **fields: Any) -> Experiment:
    """Return each movement under each protocol with each sender; `fields` are of `scenario`.

    Into another domain the hierarchical protocol tells the sender anyway.
    """
    points = [
        (name, protocol, sender)
        for name in AFTER
        for protocol in PROTOCOLS
        if (name, protocol) != ("C", TOLD)
        for sender in SENDERS
    ]

    def build(movement: str, protocol: str, sender: str, seed: int) -> Scenario:
        return scenario(movement, protocol, sender, seed, **fields)

    return Experiment(
        name=EXPERIMENT,
        build=build,
        points=pd.DataFrame(points, columns=["movement", "protocol", "sender"]),
        repetitions=repetitions,
    )


def costs(runs: Runs) -> pd.DataFrame:
    """Return what movements cost, a row a movement, protocol and sender.

    Columns: movement, protocol, took_s (until the host is answered), counted_s (by the paper's
    table 3), heard_s (until the sender is told), sender, lost (packets, in the outage of the old
    link), timeouts (of the run), and Mb/s in the `SHOWN_S` after it, with low and high (95 %).
    """
    rows = []
    design, results = runs.design(EXPERIMENT), runs.results(EXPERIMENT)
    counted: dict[tuple[str, str], dict[str, float]] = {}  # alike in all runs
    for run, result in zip(design.itertuples(), results, strict=True):
        if (run.movement, run.protocol) not in counted:
            links = result.scenario.links
            (move,) = result.scenario.flows[0].moves
            counted[run.movement, run.protocol] = {
                "counted_s": mobility.counted_s(move, links),
                "heard_s": heard_s(run.movement, run.protocol, links),
            }
        at_s = moved_s(run.seed)
        ends = np.array([at_s, at_s + SHOWN_S])
        trace = result.trace_columns("delivered_bytes")
        rows.append(
            {
                "movement": run.movement,
                "protocol": run.protocol,
                "sender": run.sender,
                "took_s": result.trace_columns("handoff_s")["handoff_s"][0],
                "lost": sum(link["packets_lost_in_outage"] for link in result.link_rows()),
                "timeouts": sum(flow["timeouts"] for flow in result.flow_rows()),
                "Mb/s": measures.true_throughput(trace, ends)[0] / 1e6,
            }
            | counted[run.movement, run.protocol]
        )
    table = pd.DataFrame(rows)
    by = table.groupby(["movement", "protocol", "sender"], sort=False)
    means = by[["took_s", "counted_s", "heard_s", "lost", "timeouts"]].mean()
    rates = by["Mb/s"].apply(lambda some: pd.Series(statistics.mean(some))).unstack()
    return means.join(rates).reset_index()
