"""Every sender that the papers name, each where it shows what it promises: the data of the page.

All runs are the segment engine's, over one link and back: segments of 1000 bytes, an ACK for each,
round trips by an exact clock, but for LEDBAT and TCP-LP, which need timestamps.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, statistics, store
from longfat.cc import catalogue
from longfat.network import duplex, reference
from longfat.papers.ns2_beside import HEADERS
from longfat.result import Result
from longfat.scenario import CongestionControl, Flow, Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

PACKET_BITS = 8 * 1054
RATE_BPS, RTT_S = 10e6, 0.1  # the path of the page cross-check
FAST_RATE_BPS = 200e6
SATELLITE: dict[str, Any] = {"rate_bps": 20e6, "rtt_s": 0.55, "buffer": 0.5}
# Without them these two are standard TCP.
BY_TIMESTAMPS = ("ledbat", "lp")
# FAST wants so many of its segments in the queue; its own default is more than a buffer here holds.
PARAMETERS = {"fast": {"alpha_segments": 20.0}}
SAME_AS_NEWRENO = ("gaimd", "standard")  # at their defaults

# Whose queue is shown: loss as the signal, then delay, then rate.
QUEUES = (
    *("newreno", "cubic", "illinois", "compound"),
    *("card", "dual", "vegas", "fast"),
    *("africa", "pert", "cdg-hayes", "hd"),
    *("chd", "lp", "ledbat", "yeah"),
    *("westwood-plus", "ucc", "bbr", "bbr3"),
)
GROWTH = (
    *("newreno", "highspeed-rfc3649", "scalable-kelly", "bic"),
    *("cubic", "htcp", "illinois", "compound"),
    *("yeah", "africa", "fast", "hybla"),
)
TOLERANT = (
    *("newreno", "veno", "westwood", "westwood-plus", "tcpj", "cdg-hayes"),
    *("ucc", "bbr", "bbr3"),
)


def senders() -> list[str]:
    """Return the congestion controls with a header, without those that are NewReno by default."""
    return [
        name
        for name, algorithm in catalogue.algorithms().items()
        if algorithm.header and name not in SAME_AS_NEWRENO
    ]


def scenario(
    sender: str,
    *,
    beside: str = "",
    rate_bps: float = RATE_BPS,
    rtt_s: float = RTT_S,
    buffer: float = 1.0,
    loss: float = 0.0,
    duration_s: float = 60.0,
    start_s: float = 0.0,
    seed: int = 1,
    record: Record | None = None,
) -> Scenario:
    """Return a flow of `sender` that starts at `start_s`, with one of `beside` from 0 on if that is
    named. `buffer` is in bandwidth-delay products.
    """

    def flow(name: str, **fields) -> Flow:
        return Flow(
            source="sender",
            target="receiver",
            congestion_control=CongestionControl(name=name, parameters=PARAMETERS.get(name, {})),
            timestamps=name in BY_TIMESTAMPS,
            **fields,
        )

    flows = [flow(sender, start_s=start_s)]
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=rate_bps,
            delay_s=rtt_s / 2,
            queue_packets=max(2, round(buffer * rate_bps * rtt_s / PACKET_BITS)),
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0, "queue_packets": 10_000},
        ),
        flows=flows + ([flow(beside)] if beside else []),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def _traced(
    names: Sequence[str], series: str, experiment: str, points: int, **path
) -> list[Result]:
    record = Record(series=(series,), points=points)
    runs = [scenario(name, record=record, **path) for name in names]
    return simulate_all(runs, experiment=experiment)


def queues(names: Sequence[str] = QUEUES, duration_s: float = 40.0) -> pd.DataFrame:
    """Return the queue in front of the link while each sender has it alone.

    Columns: sender, time_s, queue_packets; a row a change.
    """
    results = _traced(names, "queue_packets", "senders-queues", 300, duration_s=duration_s)
    parts = []
    for name, result in zip(names, results, strict=True):
        trace = result.traces["queue_packets"]
        trace = trace[trace["link"] == "sender>receiver"]
        parts.append(trace.assign(sender=name)[["sender", "time_s", "queue_packets"]])
    return pd.concat(parts, ignore_index=True)


def queue_means(queues: pd.DataFrame, since_s: float = 10.0) -> pd.DataFrame:
    """Return a row a sender: mean and 95 % quantile of the queue over time, from `since_s` on."""
    times = np.linspace(since_s, queues["time_s"].max(), 1000)
    rows = []
    for name, trace in queues.groupby("sender", sort=False):
        held = np.nan_to_num(measures.held_at(trace, "queue_packets", times))
        rows.append({"sender": name, "mean": held.mean(), "high": np.quantile(held, 0.95)})
    return pd.DataFrame(rows)


def growth(names: Sequence[str] = GROWTH, duration_s: float = 30.0) -> pd.DataFrame:
    """Return how the window grows on a long fat path: sender, time_s, cwnd_segments.

    200 Mb/s, 0.1 s; the path holds 2,372 packets, and so does the buffer.
    """
    path = {"rate_bps": FAST_RATE_BPS, "duration_s": duration_s}
    results = _traced(names, "cwnd_segments", "senders-growth", 300, **path)
    return pd.concat(
        [
            result.traces["cwnd_segments"].assign(sender=name)[
                ["sender", "time_s", "cwnd_segments"]
            ]
            for name, result in zip(names, results, strict=True)
        ],
        ignore_index=True,
    )


def lossy(
    names: Sequence[str] = TOLERANT,
    losses: Sequence[float] = (1e-4, 1e-3, 1e-2),
    seeds: int = 5,
) -> pd.DataFrame:
    """Return the goodput of each sender alone where packets are lost at random.

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions.
    """
    design = statistics.combinations(
        sender=list(names), loss=list(losses), seed=list(range(1, seeds + 1))
    )
    runs = [scenario(run.sender, loss=run.loss, seed=run.seed) for run in design.itertuples()]
    flows = sweep(runs, labels=design, experiment="senders-lossy")
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    return statistics.interval(flows, ["sender", "loss"], "Mb/s")


def beside(
    names: Sequence[str] | None = None, neighbour: str = "newreno", starts: int = 4
) -> pd.DataFrame:
    """Return what a neighbour gets beside each sender, over a minute and several starting times.

    Columns: sender; Mb/s, the sender's goodput; neighbour, its goodput over what it gets beside its
    own kind, with low and high, its 95 % interval; starts.
    """
    names = list(names or senders())
    design = statistics.combinations(
        sender=list(dict.fromkeys([*names, neighbour])), start=list(range(1, starts + 1))
    )
    runs = [
        scenario(run.sender, beside=neighbour, start_s=1 + 0.137 * run.start)
        for run in design.itertuples()
    ]
    flows = sweep(runs, labels=design, experiment=f"senders-beside-{neighbour}")
    flows["flow"] = flows["flow"].astype(str)
    own = flows[flows["flow"] == "0"].groupby("sender", sort=False)["goodput_bps"]
    other = flows[flows["flow"] == "1"].groupby("sender", sort=False)["goodput_bps"]
    among = other.get_group(neighbour)
    rows = []
    for name in names:
        ratio = statistics.unpaired(other.get_group(name), among)
        rows.append(
            {
                "sender": name,
                "Mb/s": own.get_group(name).mean() / 1e6,
                "neighbour": ratio["measured"],
                "low": ratio["low"],
                "high": ratio["high"],
                "starts": starts,
            }
        )
    return pd.DataFrame(rows)


def satellite(
    names: Sequence[str] | None = None,
    losses: Sequence[float] = (1e-4, 1e-3),
    seeds: int = 4,
    duration_s: float = 100.0,
) -> pd.DataFrame:
    """Return the goodput of every sender alone over a satellite, `SATELLITE`.

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions.
    """
    design = statistics.combinations(
        sender=list(names or senders()), loss=list(losses), seed=list(range(1, seeds + 1))
    )
    runs = [
        scenario(run.sender, loss=run.loss, seed=run.seed, duration_s=duration_s, **SATELLITE)
        for run in design.itertuples()
    ]
    flows = sweep(runs, labels=design, experiment="senders-satellite")
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    return statistics.interval(flows, ["sender", "loss"], "Mb/s")


def choices(satellite: pd.DataFrame, beside: pd.DataFrame, loss: float) -> pd.DataFrame:
    """Return the senders of `satellite` at a loss rate, best first, beside what `beside` says.

    Columns: sender, Mb/s, halfwidth, neighbour, low, high.
    """
    table = satellite[satellite["loss"] == loss].merge(
        beside[["sender", "neighbour", "low", "high"]], on="sender"
    )
    columns = ["sender", "Mb/s", "halfwidth", "neighbour", "low", "high"]
    return table.sort_values("Mb/s", ascending=False)[columns].reset_index(drop=True)


# What explains a gap, where it is known (the page cross-check and the page ns2 have the evidence).
REASONS = {
    "cubic": "Linux never raises its alpha",
    "westwood-plus": "Linux counts a recovery twice",
    "highspeed": "Linux goes by a table",
    "vegas": "a loss takes half in Linux, a quarter in the paper",
    "bic": "Linux searches for 20 round trips",
    "illinois": "not explained",
}


def _archived(experiment: str, loss: float) -> dict[str, pd.Series]:
    """Return an archive's goodputs at a loss rate, by the congestion control's name."""
    runs = store.read_archive(experiment)
    runs = runs[np.isclose(runs["links.0.loss_per_packet"], loss)]
    return dict(list(runs.groupby("flows.0.congestion_control.name")["goodput_bps"]))


def second_sources(loss: float = 1e-3) -> pd.DataFrame:
    """Return what other implementations get over our header's goodput, from the archives.

    Linux 6.12 (the page cross-check's runs) and ns-2 (the page ns2's), over the same path. Columns:
    sender, source, Mb/s (ours), ratio, low, high (95 %), reason (of a gap: where the interval
    leaves out 1).
    """
    rows = []
    for source, theirs, ours in (
        ("Linux", "cross-check-linux", "cross-check-segment"),
        ("ns-2", "ns2-beside-ns2", "ns2-beside-segment"),
    ):
        own = _archived(ours, loss)
        for name, goodputs in _archived(theirs, loss).items():
            mine = own.get(HEADERS.get(name, name))
            if mine is None:
                continue
            found = statistics.unpaired(goodputs, mine)
            parted = found["low"] > 1 or found["high"] < 1
            reason = REASONS.get(name, "not explained") if source == "Linux" else "the page on ns-2"
            rows.append(
                {"sender": name, "source": source, "Mb/s": mine.mean() / 1e6}
                | {"ratio": found["measured"], "low": found["low"], "high": found["high"]}
                | {"reason": reason if parted else ""}
            )
    return pd.DataFrame(rows).sort_values(["sender", "source"]).reset_index(drop=True)


def cdg_of_linux(losses: Sequence[float] = (1e-4, 1e-3, 1e-2), seeds: int = 3) -> pd.DataFrame:
    """Return CDG's goodput on Linux 6.12 and with our header, which then forgives no loss either.

    Over the path of the page cross-check, for a minute. A row a loss rate (the index); columns
    ours and linux, means in Mb/s. Linux's is missing where it can neither be run nor found.
    """
    design = statistics.combinations(loss=list(losses), seed=list(range(1, seeds + 1)))
    strict = CongestionControl(name="cdg-hayes", parameters={"tolerates_loss": False})
    found = {}
    for column, engine, control in (("ours", "segment", strict), ("linux", "linux", "cdg")):
        runs = [
            reference(congestion_control=control, loss=run.loss, seed=run.seed)
            for run in design.itertuples()
        ]
        if can_run(runs, engine):
            table = sweep(runs, engine, labels=design, experiment=f"senders-cdg-{engine}")
            found[column] = table.groupby("loss")["goodput_bps"].mean() / 1e6
    return pd.DataFrame(found, columns=["ours", "linux"])
