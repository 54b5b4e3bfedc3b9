"""CADPC with PTP: queries that read the routers' counters, and a rate from nothing else.

The data of the page on routers that help; network and sizes are those of `routers`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import measures, statistics
from longfat.experiment import Experiment, Runs
from longfat.result import Result
from longfat.scenario import CongestionControl, Flow, Record, Scenario
from longfat.studies import routers
from longfat.studies.routers import PACKET_BITS, RATE_BPS, Promise

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


def _parts(result: Result, since_s: ArrayLike, until_s: ArrayLike) -> np.ndarray:
    """Return what each flow delivers meanwhile, with headers, as a part of the link's rate.

    A row a flow; where times are many, a column for each.
    """
    trace = result.traces["delivered_bytes"]
    flow = trace["flow"].astype(str)
    own = [trace[flow == name] for name in result.flows["flow"].astype(str)]
    before, after = (
        np.array([np.nan_to_num(measures.values_at(part, "delivered_bytes", at)) for part in own])
        for at in (since_s, until_s)
    )
    seconds = np.subtract(until_s, since_s)
    return (after - before) * PACKET_BITS / 1000 / (seconds * RATE_BPS)


def _flow(gain: float | None = None, round_trips: float | None = None, **fields: Any) -> Flow:
    stated = {"gain": gain, "round_trips": round_trips}
    control = CongestionControl(
        name="cadpc", parameters={k: v for k, v in stated.items() if v is not None}
    )
    return routers.flow("cadpc", **fields).model_copy(update={"congestion_control": control})


JOINING, JOINING_S = 4, 20.0  # flows, and the time between their beginnings


def _joining() -> Scenario:
    return routers.scenario(
        *(_flow(start_s=n * JOINING_S) for n in range(JOINING)),
        duration_s=JOINING * JOINING_S,
        series=("delivered_bytes",),
        ptp=True,
    )


def joining(runs: Runs) -> pd.DataFrame:
    """Return the rates of flows that begin one after the other.

    Columns: flow, time_s (every second), part (of the link, in the second before), equal (the part
    that the rule rests at with so many flows).
    """
    [result] = runs.results("routers-ptp-joining")
    times = np.arange(1.0, JOINING * JOINING_S + 0.5)
    parts = _parts(result, times - 1, times)
    rows = []
    for place, time_s in enumerate(times):
        now = int(np.ceil(time_s / JOINING_S))
        rows += [
            {"flow": n + 1, "time_s": time_s, "part": parts[n, place], "equal": 1 / (now + 1)}
            for n in range(now)
        ]
    return pd.DataFrame(rows)


DURATION_S = 60.0


def _shares(flows: int) -> Scenario:
    own = (_flow(start_s=0.1 * n) for n in range(flows))
    run = routers.scenario(*own, duration_s=DURATION_S, ptp=True)
    return run.model_copy(update={"record": _lean("delivered_bytes", "queue_packets")})


def shares(runs: Runs) -> pd.DataFrame:
    """Return what so many flows get each, from half of the run on.

    Columns: flows, equal (1 / (n + 1)), least and largest (parts of the link), middle (of these)
    and spread (half of what is between them), used (the sum of all),
    queue (mean, packets), dropped, segments (that the flows have sent) and queries (what else went
    over the link, but for two packets of each handshake).
    """
    rows = []
    counts = runs.design("routers-ptp-shares")["flows"]
    for count, result in zip(counts, runs.results("routers-ptp-shares"), strict=True):
        parts = _parts(result, DURATION_S / 2, DURATION_S)
        forward = result.links.set_index(["source", "target"]).loc[("sender", "receiver")]
        packets = int(forward["packets_sent"] + forward["packets_dropped_by_queue"])
        segments = int(result.flows["segments_sent"].sum())
        rows.append(
            {"flows": count, "equal": 1 / (count + 1)}
            | {"least": parts.min(), "largest": parts.max(), "used": parts.sum()}
            | {"middle": (parts.min() + parts.max()) / 2, "spread": np.ptp(parts) / 2}
            | {"queue": routers.queue_samples(result, DURATION_S / 2).mean()}
            | {"dropped": int(result.links["packets_dropped_by_queue"].sum())}
            | {"segments": segments, "queries": packets - segments - 2 * count}
        )
    return pd.DataFrame(rows)


def _lean(*series: str) -> Record:
    """Return a record with a few points a series."""
    return Record(series=series, points=120)


def _acknowledged(segments: int) -> Scenario:
    return routers.scenario(_flow(segments_per_ack=segments), duration_s=DURATION_S, ptp=True)


def acknowledged(runs: Runs) -> pd.DataFrame:
    """Return what a flow carries with an ACK for each segment, each second one, and so on.

    Columns: segments (an ACK), Mb/s.
    """
    return runs.flows("routers-ptp-acknowledged")[["segments", "Mb/s"]]


def _lossy(sender: str, loss: float, seed: int) -> Scenario:
    link: dict[str, Any] = {"loss_per_packet": loss, "ptp": True}
    return routers.scenario(routers.flow(sender), duration_s=DURATION_S, seed=seed, **link)


def lossy(runs: Runs) -> pd.DataFrame:
    """Return what one flow carries over a link that loses packets, by sender.

    Columns: sender, loss, Mb/s (mean), halfwidth (of its 95 % interval), repetitions.
    """
    return statistics.interval(runs.flows("routers-ptp-lossy"), ["sender", "loss"], "Mb/s")


def _sharing() -> Scenario:
    return routers.shared("cadpc", duration_s=routers.SHARING_S, points=50)


def round_trip_fairness(runs: Runs) -> pd.DataFrame:
    """Return what flows of 60, 220 and 460 ms get of one link.

    Columns: rtt_s, Mb/s, fairness (Jain's index of the three), retransmissions (of the three).
    """
    [result] = runs.results("routers-ptp-sharing")
    goodput = result.flows["goodput_bps"].to_numpy()
    return pd.DataFrame(
        {
            "rtt_s": routers.OWN_RTTS_S,
            "Mb/s": goodput / 1e6,
            "fairness": float(measures.jain_index(goodput)),
            "retransmissions": int(result.flows["retransmissions"].sum()),
        }
    )


def _coexistence_scenario(newreno: int) -> Scenario:
    others = (routers.flow("newreno", start_s=0.1 * n) for n in range(newreno))
    return routers.scenario(_flow(), *others, ptp=True, duration_s=DURATION_S)


def newreno_coexistence(runs: Runs) -> pd.DataFrame:
    """Return what one flow gets beside so many of NewReno, on a link whose router speaks PTP.

    Columns: newreno (how many), cadpc (its part of what is carried), part (an equal one).
    """
    return routers.parts_beside(runs.flows("routers-ptp-beside"), "cadpc")


ASSUMED_S = 80.0


def _assumed(gain: float, round_trips: float, beside: str) -> Scenario:
    """Return three flows that begin at 0, 5 and 10 s, or one beside a NewReno."""
    own = _flow(gain, round_trips)
    if beside:
        return routers.scenario(own, routers.flow(beside), duration_s=DURATION_S, ptp=True)
    later = [own.model_copy(update={"start_s": 5.0 * n}) for n in range(3)]
    run = routers.scenario(*later, duration_s=ASSUMED_S, ptp=True)
    return run.model_copy(update={"record": _lean("delivered_bytes")})


def assumptions(runs: Runs) -> pd.DataFrame:
    """Return how three flows do that begin at 0, 5 and 10 s, by the rule's gain and the round trips
    between two queries.

    Columns: gain, round_trips, part (of the second half, mean of the three), spread (largest less
    smallest of them, over the mean), settled_s (how long after its start the last flow's rate, over
    two seconds, stays within 10 % of a quarter; NaN: never), beside (its part beside one NewReno).
    """
    results = dict(
        zip(
            runs.design("routers-ptp-assumptions").itertuples(index=False, name=None),
            runs.results("routers-ptp-assumptions"),
            strict=True,
        )
    )
    rows = []
    for gain, round_trips, neighbour in results:
        if neighbour:
            continue
        three, two = (results[gain, round_trips, beside] for beside in ("", "newreno"))
        late = _parts(three, ASSUMED_S / 2, ASSUMED_S)
        times = np.arange(12.0, ASSUMED_S + 0.5)
        last = _parts(three, times - 2, times)[2]
        off = times[np.abs(last / 0.25 - 1) > 0.1]
        settled = off.max() if len(off) else times[0]
        delivered = two.flows["delivered_bytes"]
        rows.append(
            {"gain": gain, "round_trips": round_trips}
            | {"part": late.mean(), "spread": (late.max() - late.min()) / late.mean()}
            | {"settled_s": settled - 10 if settled < times[-1] else np.nan}
            | {"beside": delivered.iloc[0] / delivered.sum()}
        )
    return pd.DataFrame(rows)


def experiments() -> tuple[Experiment, ...]:
    """Return what is run of CADPC."""
    assumed = {"gain": GAINS, "round_trips": ROUND_TRIPS, "beside": ("", "newreno")}
    return (
        Experiment(name="routers-ptp-joining", build=_joining),
        Experiment(name="routers-ptp-shares", build=_shares, points={"flows": (1, 2, 3, 5, 8, 12)}),
        Experiment(
            name="routers-ptp-acknowledged",
            build=_acknowledged,
            points={"segments": (1, 2, 8, 32)},
        ),
        Experiment(
            name="routers-ptp-lossy",
            build=_lossy,
            points={"sender": ("cadpc", "newreno"), "loss": (0.0, 1e-4, 1e-3, 1e-2, 3e-2)},
            repetitions=4,
        ),
        Experiment(name="routers-ptp-sharing", build=_sharing),
        Experiment(
            name="routers-ptp-beside", build=_coexistence_scenario, points={"newreno": (0, 1, 2, 4)}
        ),
        Experiment(name="routers-ptp-assumptions", build=_assumed, points=assumed),
    )


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
