"""CADPC with PTP: queries that read the routers' counters, and a rate from nothing else.

The data of the page on routers that help; network and sizes are those of `routers`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.result import Result
from longfat.scenario import CongestionControl, Flow, Record
from longfat.studies import routers
from longfat.studies.routers import PACKET_BITS, RATE_BPS, Promise
from longfat.sweeps import simulate_all, sweep

# Assumed, for Welzl's book is not at hand: what the rule is varied over.
GAINS = (0.25, 0.5, 1.0, 1.5)
ROUND_TRIPS = (1.0, 2.0, 4.0, 8.0)


def rate(rates: Sequence[float], gain: float = 0.5) -> np.ndarray:
    """Return the rates after one step of the rule, all flows at once and without delay.

    Rates are parts of the busiest link's: x + a x (1 - x - sum of all). With n flows it rests where
    every one has 1 / (n + 1).

    >>> from longfat.studies import ptp
    >>> [float(x) for x in ptp.rate([0.25, 0.25, 0.25])]
    [0.25, 0.25, 0.25]
    """
    own = np.asarray(rates, dtype=float)
    return own + gain * own * (1 - own - own.sum())


def _parts(result: Result, since_s: float, until_s: float) -> np.ndarray:
    """Return what each flow delivers meanwhile, with headers, as a part of the link's rate."""
    trace = result.traces["delivered_bytes"]
    times = np.array([since_s, until_s])
    names = result.flows["flow"].astype(str)
    own = [
        np.nan_to_num(measures.held_at(part, "delivered_bytes", times))
        for part in (trace[trace["flow"].astype(str) == name] for name in names)
    ]
    gone = np.array([after - before for before, after in own])
    return gone * PACKET_BITS / 1000 / ((until_s - since_s) * RATE_BPS)


def _flow(gain: float | None = None, round_trips: float | None = None, **fields: Any) -> Flow:
    stated = {"gain": gain, "round_trips": round_trips}
    control = CongestionControl(
        name="cadpc", parameters={k: v for k, v in stated.items() if v is not None}
    )
    return routers.flow("cadpc", **fields).model_copy(update={"congestion_control": control})


def joining(flows: int = 4, every_s: float = 20.0) -> pd.DataFrame:
    """Return the rates of flows that begin one after the other.

    Columns: flow, time_s (every second), part (of the link, in the second before), equal (the part
    that the rule rests at with so many flows).
    """
    duration_s = flows * every_s
    run = routers.scenario(
        *(_flow(start_s=n * every_s) for n in range(flows)),
        duration_s=duration_s,
        series=("delivered_bytes",),
        ptp=True,
    )
    [result] = simulate_all([run], experiment="helpers-ptp-joining")
    rows = []
    for time_s in np.arange(1.0, duration_s + 0.5):
        now = int(np.ceil(time_s / every_s))
        parts = _parts(result, time_s - 1, time_s)
        rows += [
            {"flow": n + 1, "time_s": time_s, "part": parts[n], "equal": 1 / (now + 1)}
            for n in range(now)
        ]
    return pd.DataFrame(rows)


def shares(flows: Sequence[int] = (1, 2, 3, 5, 8, 12), duration_s: float = 60.0) -> pd.DataFrame:
    """Return what so many flows get each, from half of the run on.

    Columns: flows, equal (1 / (n + 1)), least and largest (parts of the link), used (their sum),
    queue (mean, packets), dropped, segments (that the flows have sent) and queries (what else went
    over the link, but for two packets of each handshake).
    """
    runs = [
        routers.scenario(
            *(_flow(start_s=0.1 * n) for n in range(count)),
            duration_s=duration_s,
            series=("delivered_bytes", "queue_packets"),
            ptp=True,
        ).model_copy(update={"record": _lean("delivered_bytes", "queue_packets")})
        for count in flows
    ]
    rows = []
    results = simulate_all(runs, experiment="helpers-ptp-shares")
    for count, result in zip(flows, results, strict=True):
        parts = _parts(result, duration_s / 2, duration_s)
        forward = result.links.set_index(["source", "target"]).loc[("sender", "receiver")]
        packets = int(forward["packets_sent"] + forward["packets_dropped_by_queue"])
        segments = int(result.flows["segments_sent"].sum())
        rows.append(
            {"flows": count, "equal": 1 / (count + 1)}
            | {"least": parts.min(), "largest": parts.max(), "used": parts.sum()}
            | {"queue": routers._queue(result, duration_s / 2).mean()}
            | {"dropped": int(result.links["packets_dropped_by_queue"].sum())}
            | {"segments": segments, "queries": packets - segments - 2 * count}
        )
    return pd.DataFrame(rows)


def _lean(*series: str) -> Record:
    """Return a record with a few points a series."""
    return Record(series=series, points=120)


def acknowledged(every: Sequence[int] = (1, 2, 8, 32), duration_s: float = 60.0) -> pd.DataFrame:
    """Return what a flow carries with an ACK for each segment, each second one, and so on.

    Columns: segments (an ACK), Mb/s.
    """
    runs = [
        routers.scenario(
            _flow(segments_per_ack=number),
            duration_s=duration_s,
            ptp=True,
        )
        for number in every
    ]
    labels = pd.DataFrame({"segments": list(every)})
    table = sweep(runs, labels=labels, experiment="helpers-ptp-acknowledged")
    return table.assign(**{"Mb/s": table["goodput_bps"] / 1e6})[["segments", "Mb/s"]]


def lossy(
    losses: Sequence[float] = (0.0, 1e-4, 1e-3, 1e-2, 3e-2),
    seeds: int = 4,
    duration_s: float = 60.0,
) -> pd.DataFrame:
    """Return what one flow carries over a link that loses packets, by sender.

    Columns: sender, loss, Mb/s (mean), halfwidth (of its 95 % interval), repetitions.
    """
    design = statistics.combinations(
        sender=["cadpc", "newreno"], loss=list(losses), seed=list(range(1, seeds + 1))
    )
    runs = [
        routers.scenario(
            routers.flow(run.sender),
            duration_s=duration_s,
            seed=int(run.seed),
            loss_per_packet=float(run.loss),
            ptp=True,
        )
        for run in design.itertuples()
    ]
    table = sweep(runs, labels=design, experiment="helpers-ptp-lossy")
    table["Mb/s"] = table["goodput_bps"] / 1e6
    return statistics.interval(table, ["sender", "loss"], "Mb/s")


def sharing(duration_s: float = 100.0) -> pd.DataFrame:
    """Return what flows of 60, 220 and 460 ms get of one link.

    Columns: rtt_s, Mb/s, fairness (Jain's index of the three), retransmissions (of the three).
    """
    runs = [routers.shared("cadpc", duration_s=duration_s, points=50)]
    [result] = simulate_all(runs, experiment="helpers-ptp-sharing")
    goodput = result.flows["goodput_bps"].to_numpy()
    return pd.DataFrame(
        {
            "rtt_s": routers.OWN_RTTS_S,
            "Mb/s": goodput / 1e6,
            "fairness": float(measures.jain_index(goodput)),
            "retransmissions": int(result.flows["retransmissions"].sum()),
        }
    )


def beside(others: Sequence[int] = (0, 1, 2, 4), duration_s: float = 60.0) -> pd.DataFrame:
    """Return what one flow gets beside so many of NewReno, on a link whose router speaks PTP.

    Columns: newreno (how many), cadpc (its part of what is carried), part (an equal one).
    """
    runs = [
        routers.scenario(
            _flow(),
            *(routers.flow("newreno", start_s=0.1 * n) for n in range(count)),
            ptp=True,
            duration_s=duration_s,
        )
        for count in others
    ]
    table = sweep(
        runs, labels=pd.DataFrame({"newreno": list(others)}), experiment="helpers-ptp-beside"
    )
    total = table.groupby("newreno")["delivered_bytes"].sum()
    own = table[table["flow"].astype(str) == "0"].set_index("newreno")["delivered_bytes"]
    found = pd.DataFrame({"cadpc": own / total, "part": 1 / (1 + total.index.to_numpy())})
    return found.rename_axis("newreno").reset_index()


def assumptions(
    gains: Sequence[float] = GAINS,
    round_trips: Sequence[float] = ROUND_TRIPS,
    duration_s: float = 80.0,
) -> pd.DataFrame:
    """Return how three flows do that begin at 0, 5 and 10 s, by the rule's gain and the round trips
    between two queries.

    Columns: gain, round_trips, part (of the second half, mean of the three), spread (largest less
    smallest of them, over the mean), settled_s (how long after its start the last flow's rate, over
    two seconds, stays within 10 % of a quarter; NaN: never), beside (its part beside one NewReno).
    """
    design = statistics.combinations(gain=list(gains), round_trips=list(round_trips))
    alone, mixed = [], []
    for case in design.itertuples():
        own = _flow(case.gain, case.round_trips)
        later = [own.model_copy(update={"start_s": 5.0 * n}) for n in range(3)]
        run = routers.scenario(*later, duration_s=duration_s, ptp=True)
        alone.append(run.model_copy(update={"record": _lean("delivered_bytes")}))
        mixed.append(routers.scenario(own, routers.flow("newreno"), duration_s=60.0, ptp=True))
    results = simulate_all([*alone, *mixed], experiment="helpers-ptp-assumptions")
    rows = []
    for case, three, two in zip(
        design.itertuples(), results[: len(alone)], results[len(alone) :], strict=True
    ):
        late = _parts(three, duration_s / 2, duration_s)
        times = np.arange(12.0, duration_s + 0.5)
        last = np.array([_parts(three, time - 2, time)[2] for time in times])
        off = times[np.abs(last / 0.25 - 1) > 0.1]
        settled = off.max() if len(off) else times[0]
        delivered = two.flows["delivered_bytes"]
        rows.append(
            {"gain": case.gain, "round_trips": case.round_trips}
            | {"part": late.mean(), "spread": (late.max() - late.min()) / late.mean()}
            | {"settled_s": settled - 10 if settled < times[-1] else np.nan}
            | {"beside": delivered.iloc[0] / delivered.sum()}
        )
    return pd.DataFrame(rows)


PROMISES = (
    Promise(
        "CADPC",
        "every flow comes to its own part",
        "largest distance from $1/(n + 1)$, of it, up to 12 flows",
        high=0.05,
    ),
    Promise(
        "CADPC",
        "needs no feedback for each packet",
        "rate with an ACK for 32 segments, over that with each",
        low=0.95,
    ),
    Promise(
        "CADPC", "is not misled by a link's losses", "rate at 1 in 100, over that at none", low=0.9
    ),
    Promise("CADPC", "the same for every round trip", "Jain's index of three flows", low=0.95),
    Promise("CADPC", "with no loss", "packets dropped, up to 12 flows", high=0),
    Promise(
        "CADPC",
        "keeps its part beside TCP",
        "its part beside one NewReno, of an equal one",
        low=0.9,
    ),
)


def promises(
    *,
    shares: pd.DataFrame,
    acknowledged: pd.DataFrame,
    lossy: pd.DataFrame,
    sharing: pd.DataFrame,
    beside: pd.DataFrame,
) -> pd.DataFrame:
    """Return `PROMISES` with what became of each: columns as `routers.promises`."""
    off = (shares[["least", "largest"]].div(shares["equal"], axis=0) - 1).abs().to_numpy().max()
    told = acknowledged.set_index("segments")["Mb/s"]
    rates = lossy.set_index(["sender", "loss"])["Mb/s"]
    one = beside.set_index("newreno").loc[1]
    found = [
        off,
        told[32] / told[1],
        rates["cadpc", 0.01] / rates["cadpc", 0.0],
        sharing["fairness"].iloc[0],
        shares["dropped"].sum(),
        one["cadpc"] / one["part"],
    ]
    return routers.judged(PROMISES, found)
