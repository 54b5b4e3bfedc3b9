"""Routers that help: XCP, Quick-Start, and queues that are managed. The data of the page.

All runs are the segment engine's unless a name says otherwise: segments of 1000 bytes, an ACK for
each, round trips by an exact clock.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, paths
from longfat.experiment import Experiment, Runs
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario

PACKET_BITS = 8 * 1042
RATE_BPS, RTT_S = 10e6, 0.1
BUFFER = round(RATE_BPS * RTT_S / PACKET_BITS)  # packets: what the path holds
SATELLITE: dict[str, Any] = {"rate_bps": 20e6, "delay_s": 0.275, "queue_packets": 660}
QUEUES: dict[str, dict[str, Any]] = {
    "drop-tail": {},
    "RED": {"aqm": {"kind": "red"}},
    "CoDel": {"aqm": {"kind": "codel"}},
    "PIE": {"aqm": {"kind": "pie"}},
}
FILLING = ("xcp", "newreno", "cubic", "bbr")
OWN_RTTS_S = (0.06, 0.22, 0.46)  # of the flows that share a link
ACCESS_S = 0.01  # one way over the shared link
BOUND = np.pi / (4 * np.sqrt(2))  # of alpha (Katabi et al. 2002, theorem 1)


def flow(control: str, **fields: Any) -> Flow:
    """Return a flow of this page from `sender` to `receiver`."""
    ends = {"source": "sender", "target": "receiver"} | fields
    return Flow(congestion_control=control, timestamps=False, **ends)


def scenario(
    *flows: Flow, duration_s: float = 20.0, series: Sequence[str] = (), seed: int = 1, **link: Any
) -> Scenario:
    """Return one link and back, 10 Mb/s and 0.1 s unless stated otherwise, with these flows."""
    own = {"rate_bps": RATE_BPS, "delay_s": RTT_S / 2, "queue_packets": BUFFER} | link
    return Scenario(
        links=duplex("sender", "receiver", **own),
        flows=flows,
        duration_s=duration_s,
        seed=seed,
        record=Record(series=tuple(series), points=400),
    )


def _speaking(control: str) -> dict[str, Any]:
    """Return the fields of a link whose router speaks what this sender needs."""
    speaks: dict[str, dict[str, Any]] = {"xcp": {"xcp": {}}, "cadpc": {"ptp": True}}
    return speaks.get(control, {})


def queue_samples(result: Result, since_s: float, link: str = "sender>receiver") -> np.ndarray:
    """Return the queue in front of a link at a thousand times from `since_s` on, in packets."""
    trace = result.traces["queue_packets"]
    trace = trace[trace["link"] == link]
    times = np.linspace(since_s, result.scenario.duration_s, 1000)
    return np.nan_to_num(measures.values_at(trace, "queue_packets", times))


# --- XCP


FILLING_S = 10.0


def _filling(sender: str) -> Scenario:
    series = ("queue_packets", "sent_bytes")
    return scenario(flow(sender), duration_s=FILLING_S, series=series, **_speaking(sender))


def filling(runs: Runs) -> pd.DataFrame:
    """Return how each sender alone fills the link, XCP with a router that speaks it.

    Columns: sender, time_s (every 0.05 s), share (of the link's rate, over the last round trip) and
    queue_packets.
    """
    times = np.arange(RTT_S, FILLING_S, 0.05)
    parts = []
    results = runs.results("routers-filling")
    for name, result in zip(FILLING, results, strict=True):
        held = {}
        for series in ("queue_packets", "sent_bytes"):
            trace = result.traces[series]
            trace = trace[trace["link"] == "sender>receiver"]
            held[series] = np.nan_to_num(measures.values_at(trace, series, times))
            if series == "sent_bytes":
                before = np.nan_to_num(measures.values_at(trace, series, times - RTT_S))
                held["share"] = 8 * (held[series] - before) / (RTT_S * RATE_BPS)
        parts.append(
            pd.DataFrame(
                {"sender": name, "time_s": times, "share": held["share"]}
                | {"queue_packets": held["queue_packets"]}
            )
        )
    return pd.concat(parts, ignore_index=True)


def filled(filling: pd.DataFrame) -> pd.DataFrame:
    """Return a row a sender: sender, full_s (when it first has 90 % of the link), queue (mean from
    then on) and largest (queue ever), in packets."""
    rows = []
    for name, trace in filling.groupby("sender", sort=False):
        full = trace[trace["share"] >= 0.9]["time_s"]
        full_s = full.min() if len(full) else np.nan
        since = trace[trace["time_s"] >= full_s]["queue_packets"]
        rows.append(
            {"sender": name, "full_s": full_s, "queue": since.mean()}
            | {"largest": trace["queue_packets"].max()}
        )
    return pd.DataFrame(rows)


def shared(
    control: str,
    own_rtts_s: Sequence[float] = OWN_RTTS_S,
    duration_s: float = 100.0,
    points: int = 200,
) -> Scenario:
    """Return flows of several round trips over one link, with routers that speak what they need."""
    speaks = _speaking(control)
    series = ("queue_packets", "sent_bytes")
    links = [
        *duplex("x", "y", rate_bps=RATE_BPS, delay_s=ACCESS_S, queue_packets=2 * BUFFER, **speaks)
    ]
    flows = []
    for number, rtt_s in enumerate(own_rtts_s):
        own = rtt_s / 2 - ACCESS_S
        links += duplex(
            f"s{number}", "x", rate_bps=1e9, delay_s=own, queue_packets=10_000, **speaks
        )
        flows.append(flow(control, source=f"s{number}", target="y"))
    record = Record(series=series, points=points)
    return Scenario(links=links, flows=flows, duration_s=duration_s, record=record)


SHARING_S = 100.0


def round_trip_fairness(runs: Runs) -> pd.DataFrame:
    """Return what flows of 60, 220 and 460 ms get of one link, alone among their own kind.

    Columns: sender, rtt_s, Mb/s, fairness (Jain's index of the three), used (of the link, from
    30 s on), queue (mean then, packets), retransmissions (of the three).
    """
    results = runs.results("routers-sharing")
    rows = []
    names = runs.design("routers-sharing")["sender"]
    for name, result in zip(names, results, strict=True):
        goodput = result.flows["goodput_bps"].to_numpy()
        sent = result.traces["sent_bytes"]
        sent = sent[sent["link"] == "x>y"]
        begin, end = measures.values_at(sent, "sent_bytes", np.array([30.0, SHARING_S]))
        for rtt_s, bps in zip(OWN_RTTS_S, goodput, strict=True):
            rows.append(
                {"sender": name, "rtt_s": rtt_s, "Mb/s": bps / 1e6}
                | {"fairness": float(measures.jain_index(goodput))}
                | {"used": 8 * (end - begin) / ((SHARING_S - 30) * RATE_BPS)}
                | {"queue": queue_samples(result, 30.0, "x>y").mean()}
                | {"retransmissions": int(result.flows["retransmissions"].sum())}
            )
    return pd.DataFrame(rows)


STABILITY_S = 60.0


def _stability(alpha: float) -> Scenario:
    return scenario(
        flow("xcp"),
        rate_bps=20e6,
        queue_packets=5000,
        xcp={"alpha": alpha, "beta": alpha**2 * np.sqrt(2), "gamma": 0.0},
        duration_s=STABILITY_S,
        series=("cwnd_segments",),
    )


def stability(runs: Runs) -> pd.DataFrame:
    """Return how far one flow's window swings late in a run, by XCP's alpha.

    With beta = alpha^2 sqrt 2 and no shuffling, 20 Mb/s, 0.1 s. Columns: alpha, swing (largest less
    smallest window of the last third, over what the path holds).
    """
    rows = []
    alphas = runs.design("routers-stability")["alpha"]
    for alpha, result in zip(alphas, runs.results("routers-stability"), strict=True):
        trace = result.traces["cwnd_segments"]
        late = trace[trace["time_s"] > STABILITY_S * 2 / 3]["cwnd_segments"]
        swing = 0.0 if late.empty else (late.max() - late.min()) / (20e6 * RTT_S / PACKET_BITS)
        rows.append({"alpha": alpha, "swing": swing})
    return pd.DataFrame(rows)


def _mixed(newreno: int) -> Scenario:
    others = (flow("newreno", start_s=0.1 * n) for n in range(newreno))
    return scenario(flow("xcp"), *others, xcp={}, duration_s=60.0)


def mixed(runs: Runs) -> pd.DataFrame:
    """Return what one XCP flow gets beside so many of NewReno, on a link whose router speaks XCP.

    Columns: newreno (how many), xcp (its part of what is carried), part (an equal one).
    """
    return parts_beside(runs.flows("routers-mixed"), "xcp")


def parts_beside(flows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the first flow's part of what is carried beside so many of NewReno.

    Columns: newreno (how many), `column` (the part), part (an equal one).
    """
    total = flows.groupby("newreno")["delivered_bytes"].sum()
    own = flows[flows["flow"].astype(str) == "0"].set_index("newreno")["delivered_bytes"]
    found = pd.DataFrame({column: own / total, "part": 1 / (1 + total.index.to_numpy())})
    return found.rename_axis("newreno").reset_index()


def _burst(queue: float) -> Scenario:
    held = RATE_BPS * 0.3 / PACKET_BITS
    return scenario(flow("xcp"), delay_s=0.15, queue_packets=round(queue * held), xcp={})


def bursts(runs: Runs) -> pd.DataFrame:
    """Return how many packets of one XCP flow are dropped, by the queue in front of the link.

    Round trip 0.3 s. Columns: queue (in bandwidth-delay products), dropped (sent again).
    """
    table = runs.flows("routers-bursts")[["queue", "retransmissions"]]
    return table.rename(columns={"retransmissions": "dropped"})


# --- Quick-Start


def _saving(segments: int, asked: float) -> Scenario:
    asks = {"quick_start_bps": 1e6 * asked} if asked else {}
    own = flow("newreno", bytes=1000 * segments, **asks)
    return scenario(own, duration_s=120.0, approve_bps=20e6, **SATELLITE)


def saving(runs: Runs) -> pd.DataFrame:
    """Return how long a transfer over the satellite takes, by its size, with and without
    Quick-Start; its router approves 20 Mb/s.

    Columns: segments, asked (Mb/s; 0: no Quick-Start), seconds, retransmissions.
    """
    table = runs.flows("routers-saving")
    return table[["segments", "asked", "transfer_time_s", "retransmissions"]].rename(
        columns={"transfer_time_s": "seconds"}
    )


# --- managed queues


# A name of `QUEUES`, and whether the flows use ECN.
MANAGED = {
    f"{name} and ECN" if ecn else name: (name, ecn)
    for name in QUEUES
    for ecn in (False, True)
    if name != "drop-tail" or not ecn
}


def _managed(queue: str, seed: int) -> Scenario:
    name, ecn = MANAGED[queue]
    return scenario(
        *(flow("newreno", start_s=0.1 * n, ecn=ecn) for n in range(4)),
        queue_packets=10 * BUFFER,
        delay_s=0.02,
        duration_s=60.0,
        seed=seed,
        series=("queue_packets",),
        **QUEUES[name],
    )


def managed(runs: Runs) -> pd.DataFrame:
    """Return what four NewReno flows make of a queue of a second, managed in several ways.

    Columns: queue (its name, with ECN where that is used), delay_ms (mean wait from 20 s on), used
    (goodput over what the link carries), again (segments sent again, in percent).
    """
    rows = []
    names = runs.design("routers-managed")["queue"]
    for name, result in zip(names, runs.results("routers-managed"), strict=True):
        flows = result.flows
        rows.append(
            {
                "queue": name,
                "delay_ms": 1000 * queue_samples(result, 20.0).mean() * PACKET_BITS / RATE_BPS,
                "used": flows["goodput_bps"].sum() / (RATE_BPS * 8000 / PACKET_BITS),
                "again": 100 * flows["retransmissions"].sum() / flows["segments_sent"].sum(),
            }
        )
    return pd.DataFrame(rows).groupby("queue", sort=False).mean().reset_index()


# --- beside ns-2

NS2 = paths.DATA / "routers-ns2.csv"
NS2_CASES = ((0.1,), OWN_RTTS_S)  # round trips of the flows


def measured(
    time_s: np.ndarray, queue: np.ndarray, sent_bytes: np.ndarray, since_s: float
) -> dict[str, float]:
    """Return used (of the link, from then on), queue (mean from then on) and largest (ever)."""
    late = time_s >= since_s
    seconds = time_s[-1] - time_s[late][0]
    return {
        "used": 8 * (sent_bytes[-1] - sent_bytes[late][0]) / (seconds * RATE_BPS),
        "queue": queue[late].mean(),
        "largest": queue.max(),
    }


def run_ns2(rtts_s: Sequence[float], duration_s: float = 60.0) -> dict[str, float]:
    """Return what ns-2's own XCP does over the network of `shared`: as `measured`, with drops and
    share_0, share_1, ... (of what is delivered). Needs the program `ns`."""
    own = [str(rtt_s / 2 - ACCESS_S) for rtt_s in rtts_s]
    numbers = [RATE_BPS, ACCESS_S, 2 * BUFFER, duration_s]
    command = ["ns", str(Path(__file__).with_name("xcp.tcl")), *map(str, numbers), *own]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("=")]
    samples = np.array([list(map(float, line[1:])) for line in lines if line[0] == "=q"])
    acked = np.array([float(line[1]) for line in lines if line[0] == "=flow"])
    [drops] = [float(line[1]) for line in lines if line[0] == "=drops"]
    return (
        measured(samples[:, 0], samples[:, 1], samples[:, 2], duration_s / 3)
        | {"drops": drops}
        | {f"share_{n}": part for n, part in enumerate(acked / acked.sum())}
    )


def make_ns2() -> None:
    """Write what ns-2 does into data/routers-ns2.csv."""
    rows = [{"flows": len(rtts_s)} | run_ns2(rtts_s) for rtts_s in NS2_CASES]
    pd.DataFrame(rows).round(6).to_csv(NS2, index=False)


NS2_S = 60.0


def _beside_ns2(flows: int) -> Scenario:
    [rtts_s] = [rtts_s for rtts_s in NS2_CASES if len(rtts_s) == flows]
    return shared("xcp", rtts_s, NS2_S, points=1000)


def beside_ns2(runs: Runs) -> pd.DataFrame:
    """Return XCP on ns-2 and here, over the same networks: a row a network and an engine.

    Columns: flows, engine, used, queue, largest, drops, share_0 to share_2.
    """
    rows = []
    results = runs.results("routers-beside-ns2")
    theirs = pd.read_csv(NS2)
    times = np.arange(0, NS2_S, 0.01)
    for rtts_s, result in zip(NS2_CASES, results, strict=True):
        held = {}
        for series in ("queue_packets", "sent_bytes"):
            trace = result.traces[series]
            trace = trace[trace["link"] == "x>y"]
            held[series] = np.nan_to_num(measures.values_at(trace, series, times))
        dropped = int(result.links["packets_dropped_by_queue"].sum())
        delivered = result.flows["delivered_bytes"].to_numpy()
        own = (
            measured(times, held["queue_packets"], held["sent_bytes"], NS2_S / 3)
            | {"drops": dropped}
            | {f"share_{n}": part for n, part in enumerate(delivered / delivered.sum())}
        )
        rows.append({"flows": len(rtts_s), "engine": "segment"} | own)
        [ns2] = theirs[theirs["flows"] == len(rtts_s)].to_dict("records")
        rows.append({"engine": "ns2"} | ns2)
    return pd.DataFrame(rows)


def experiments() -> tuple[Experiment, ...]:
    """Return what is run of XCP and of Quick-Start."""
    return (
        Experiment(name="routers-filling", build=_filling, points={"sender": FILLING}),
        Experiment(
            name="routers-sharing",
            build=lambda sender: shared(sender, duration_s=SHARING_S),
            points={"sender": ("xcp", "newreno", "cubic")},
        ),
        Experiment(
            name="routers-stability",
            build=_stability,
            points={"alpha": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2)},
        ),
        Experiment(name="routers-mixed", build=_mixed, points={"newreno": (0, 1, 2, 4)}),
        Experiment(
            name="routers-bursts",
            build=_burst,
            points={"queue": (0.1, 0.2, 0.4, 0.6, 1.0)},
        ),
        Experiment(
            name="routers-saving",
            build=_saving,
            points={
                "segments": (10, 30, 100, 300, 1000, 3000, 10_000),
                "asked": (0.0, 1.28, 5.12, 10.24),
            },
        ),
        Experiment(name="routers-beside-ns2", build=_beside_ns2, points={"flows": (1, 3)}),
    )


def managed_experiment(seeds: int) -> Experiment:
    """Return what is run of managed queues, so many times."""
    name = "routers-managed"
    return Experiment(name=name, build=_managed, points={"queue": MANAGED}, repetitions=seeds)


# --- promises


class Promise(NamedTuple):
    """What a router was made for, as something that is measured here; kept between both ends."""

    mechanism: str
    words: str
    measure: str
    low: float = -np.inf
    high: float = np.inf


PROMISES = (
    Promise(
        "XCP", "fills the pipe in a few round trips", "round trips until 90 % of the link", high=10
    ),
    Promise("XCP", "with almost no queue", "mean queue then, of the path's packets", high=0.1),
    Promise("XCP", "with no loss", "packets dropped, of three flows in 100 s", high=0),
    Promise("XCP", "the same for every round trip", "Jain's index of three flows", low=0.95),
    Promise(
        "XCP", "keeps its part beside TCP", "its part beside one NewReno, of an equal one", low=0.9
    ),
    Promise(
        "Quick-Start", "saves slow start", "round trips saved, 1000 segments at 5.12 Mb/s", low=2
    ),
    Promise(
        "Quick-Start",
        "does no harm to longer ones",
        "time with it over time without, 10,000 segments",
        high=1.05,
    ),
    Promise("RED", "keeps the queue short", "its mean wait over that of drop-tail", high=0.25),
    Promise("CoDel", "keeps the queue short", "its mean wait over that of drop-tail", high=0.25),
    Promise("PIE", "keeps the queue short", "its mean wait over that of drop-tail", high=0.25),
    Promise(
        "ECN",
        "tells without dropping",
        "sent again with CoDel and ECN, over that without",
        high=0.5,
    ),
)


def promises(
    *,
    filled: pd.DataFrame,
    sharing: pd.DataFrame,
    mixed: pd.DataFrame,
    saved: pd.DataFrame,
    managed: pd.DataFrame,
) -> pd.DataFrame:
    """Return `PROMISES` with what became of each, from the tables of this module.

    Columns: mechanism, promise, measure, measured, kept.
    """
    alone = filled.set_index("sender").loc["xcp"]
    three = sharing[sharing["sender"] == "xcp"].iloc[0]
    beside = mixed.set_index("newreno").loc[1]
    took = saved.set_index(["segments", "asked"])["seconds"]
    queue = managed.set_index("queue")
    wait = queue["delay_ms"] / queue.at["drop-tail", "delay_ms"]
    found = [
        alone["full_s"] / RTT_S,
        alone["queue"] / BUFFER,
        three["retransmissions"],
        three["fairness"],
        beside["xcp"] / beside["part"],
        (took[1000, 0.0] - took[1000, 5.12]) / (2 * SATELLITE["delay_s"]),
        took[10_000, 5.12] / took[10_000, 0.0],
        *(wait[name] for name in ("RED", "CoDel", "PIE")),
        queue.at["CoDel and ECN", "again"] / queue.at["CoDel", "again"],
    ]
    return judged(PROMISES, found)


def judged(promises: Sequence[Promise], found: Sequence[float]) -> pd.DataFrame:
    """Return promises with what was found for each: mechanism, promise, measure, measured, kept."""
    rows = [
        (
            one.mechanism,
            one.words,
            one.measure,
            value,
            "yes" if one.low <= value <= one.high else "no",
        )
        for one, value in zip(promises, found, strict=True)
    ]
    return pd.DataFrame(rows, columns=["mechanism", "promise", "measure", "measured", "kept"])
