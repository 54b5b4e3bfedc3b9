"""Start-up beside start-up: what a sender does in its first round trips, over four paths.

A run is a transfer from 10 kB to 100 MB, alone or into a link on which a NewReno with 100 MB is
under way, by the segment engine. The sender is CUBIC with another start-up than its own; where both
agree, it is the same sender. The fifth path is the satellite of picoquic's tests.

What the page shows is archived as points, a row a run, with four significant digits (`POINT`).
"""

import datetime
import functools
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import leo, measures, statistics
from longfat.experiment import Experiment, Point, Points, Runs
from longfat.links import Link
from longfat.network import duplex
from longfat.papers.survey.network import japan
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.studies.least_times import least_time_s
from longfat.studies.setting import Setting

SEGMENT_BYTES = 1448
HEADER_BYTES = 42  # of the link, IPv4 and TCP, as the engines count
FIRST_WINDOW = 10  # segments
SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
NEIGHBOUR_BYTES = 100_000_000
SEEDS = 20
BUSY_SIZES = SIZES
DURATION_S = 300.0
POINTS_NAME = "start-up-points"  # the archive
FACTORS = ("sender", "start_up", "path", "size", "beside")
NOBODY = "nobody"  # the neighbour is alone
STARTS_APART_S = 4567.0  # of the runs over moving satellites
FIRST = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
FULL = 0.95  # of what the path carries in a round trip: from there on start-up is over
TRACE_POINTS = 3000


class Path(NamedTuple):
    """A path of the study. `joins_s` is when, between two times, the sender joins a neighbour."""

    title: str
    joins_s: tuple[float, float]
    rate_bps: float = 0.0
    back_bps: float = 0.0
    rtt_s: float = 0.0
    queue_packets: int = 0
    segments_per_ack: int = 1
    back_bytes: int | None = None  # what the queue of the way back holds; none: enough
    loss: float = 0.0  # of each packet, both ways


PACKET_BYTES = SEGMENT_BYTES + HEADER_BYTES
PICOQUIC = "picoquic"
PATHS = {
    # The path "SAT" of the QUIC interoperability tests; a queue of what the path holds is assumed.
    "geo": Path("GEO, 600 ms, 20 Mb/s", (10.0, 15.0), 20e6, 2e6, 0.6, 1000),
    "leo": Path("LEO, Starlink, 100 Mb/s", (5.0, 10.0)),
    "japan": Path("JAPAN, 100 ms, 314 Mb/s", (1.5, 2.0)),
    "cable": Path("cable, 20 ms, 100 Mb/s", (2.0, 3.0), 100e6, 100e6, 0.02, 167),
    # satellite_test.c: queues of 600 ms; a receiver that acknowledges as seldom as its way back
    # of 3 Mb/s allows (four segments).
    PICOQUIC: Path("picoquic's satellite", (10.0, 15.0), 250e6, 3e6, 0.6, 12_500, 4),
}
COMPARED = ("geo", "leo", "japan", "cable")


def _satcom(title: str, rate_bps: float, back_bps: float, loss: float = 0.0) -> Path:
    """Return a path of the tests in draft-kuhn-quic-4-sat: 650 ms, queues of what a way holds."""
    rtt_s = 0.65
    queues = round(rate_bps * rtt_s / 8 / PACKET_BYTES), round(back_bps * rtt_s / 8)
    return Path(title, (0.0, 0.0), rate_bps, back_bps, rtt_s, queues[0], 2, queues[1], loss)


PUBLIC_SIZES = (2_000_000, 10_000_000, 100_000_000)
# draft-kuhn-quic-4-sat-06, section 4, and the "geostationary satellite" of draft-irtf-iccrg-tcpeval
# (4.4.4), which has background traffic and states no times. Two segments an ACK, as QUIC (RFC 9000,
# 13.2.2) and TCP (RFC 9293, 3.8.6.3) have it, is assumed.
PUBLIC = {
    "satcom-small": _satcom("small, 10/2", 10e6, 2e6),
    "satcom-medium": _satcom("medium, 50/10", 50e6, 10e6),
    "satcom-congested": _satcom("medium, 50/0.5", 50e6, 0.5e6),
    "satcom-large": _satcom("large, 250/3", 250e6, 3e6),
    "satcom-lossy": _satcom("large, lossy", 250e6, 3e6, 0.01),
    "tcpeval": Path("tcpeval, 40/4", (0.0, 0.0), 40e6, 4e6, 0.6, 336, 2, 500_000),
}
PATHS |= PUBLIC
OBJECTIVES_S = {  # for `PUBLIC_SIZES`
    "satcom-small": (3.0, 10.0, 85.0),
    "satcom-medium": (3.0, 5.0, 20.0),
    "satcom-congested": (3.0, 5.0, 20.0),
    "satcom-large": (3.0, 5.0, 8.0),
    "satcom-lossy": (3.0, 6.0, 10.0),
}
# What picoquic states, in s: its pull request 2147 for CUBIC, and the bound of its test for a BBR
# that is given what was remembered.
STATED_S = {"CUBIC": 6.7, "with remembered state": 4.9}

START_UPS: dict[str, Any] = {
    "standard": {"kind": "standard"},
    "paced": {"kind": "paced"},
    "limited": {"kind": "limited"},
    "hystart": {"kind": "hystart"},
    "hystart++": {"kind": "hystart++"},
    "search": {"kind": "search"},
    "hybla": {"kind": "hybla"},
    "picoquic": {"kind": "picoquic"},
    "quick-start": None,
    "careful-resume": {"kind": "careful-resume"},
    "careful-resume, stale": {"kind": "careful-resume"},
}
STALE = 4  # times what the path holds is what was saved
OWN = "own"  # the sender's
UNSCALED = "picoquic, as CUBIC"  # whose first window is not scaled


@functools.cache
def links_of(path: str, seed: int = 1) -> tuple[Link, ...]:
    """Return the links of a path; over satellites that move, at the time that the seed means."""
    if path == "leo":
        start = FIRST + datetime.timedelta(seconds=STARTS_APART_S * seed)
        told: dict[str, Any] = {"choice": "random", "seed": seed, "duration_s": DURATION_S}
        return leo.leo("Munich", "Frankfurt", start=start.isoformat(), **told).links
    if path == "japan":
        return japan("cubic").links
    one = PATHS[path]
    back: dict[str, Any] = {"rate_bps": one.back_bps, "queue_packets": 100_000}
    if one.back_bytes is not None:
        back |= {"queue_packets": None, "queue_bytes": one.back_bytes}
    narrow: dict[str, Any] = {"rate_bps": one.rate_bps, "queue_packets": one.queue_packets}
    narrow |= {"loss_per_packet": one.loss}
    return tuple(duplex("server", "user", delay_s=one.rtt_s / 2, backward=back, **narrow))


def round_trip_s(links: tuple[Link, ...]) -> float:
    """Return the round trip without queues, at the beginning."""
    return sum(link.delay_s for link in links)


def payload_bps(links: tuple[Link, ...]) -> float:
    """Return what the narrowest link there carries of payload."""
    return min(link.rate_bps for link in links[::2]) * SEGMENT_BYTES / PACKET_BYTES


def scenario(
    sender: str,
    start_up: str,
    path: str,
    size: int,
    beside: str = "",
    seed: int = 1,
    record: Record | None = None,
) -> Scenario:
    """Return a run: a transfer of so many bytes with a start-up of `START_UPS`, alone or beside.

    With the start-up `NOBODY` the neighbour alone is there. `beside` is "newreno", or nothing.
    """
    links = links_of(path, seed)
    rtt_s, payload = round_trip_s(links), payload_bps(links)
    holds_bytes = payload * rtt_s / 8
    narrow = min(range(0, len(links), 2), key=lambda number: links[number].rate_bps)
    queue_bytes = (links[narrow].queue_packets or 0) * SEGMENT_BYTES
    if start_up == "quick-start":
        links = tuple(_approving(links, narrow))
    one = PATHS[path]

    def flow(name: str, control: str, **more: Any) -> Flow:
        return Flow(
            name=name,
            source=links[0].source,
            target=links[-2].target,
            congestion_control=control,
            segment_bytes=SEGMENT_BYTES,
            initial_window_segments=FIRST_WINDOW,
            send_buffer_bytes=2_000_000_000,
            receive_buffer_bytes=2 * round(holds_bytes + queue_bytes),
            segments_per_ack=one.segments_per_ack,
            ack_timeout_s=0.001,
            timestamps=False,
            min_rto_s=0.2,
            rack=True,
            **more,
        )

    flows = []
    if start_up != NOBODY:
        joins_s = random.Random(seed).uniform(*one.joins_s) if beside else 0.0
        own = _started(start_up, links[narrow].rate_bps, holds_bytes, rtt_s, path)
        flows.append(flow("sender", sender, bytes=size, start_s=round(joins_s, 6), **own))
    if beside:
        flows.append(flow("neighbour", beside, bytes=NEIGHBOUR_BYTES))
    if record is None and path == PICOQUIC:
        record = Record(series=("delivered_bytes",), points=TRACE_POINTS)
    return Scenario(
        links=links, flows=flows, duration_s=DURATION_S, seed=seed, record=record or Record()
    )


ON_LINUX, BESIDE_LINUX = "start-up-linux", "start-up-beside-linux"  # archives
KERNEL = {"standard": "reno", "hystart": "cubic"}  # who begins so in a Linux kernel
WITNESSED = pd.DataFrame(
    [
        ("geo", 1_000_000),
        ("geo", 10_000_000),
        ("japan", 1_000_000),
        ("japan", 10_000_000),
        ("cable", 10_000_000),
        (PICOQUIC, 100_000_000),
    ],
    columns=["path", "size"],
)


def beside_linux(start_up: str, path: str, size: int, kernel: bool = False) -> Scenario:
    """Return a transfer alone with a start-up of `KERNEL`, with a receiver and options as Linux's.

    With `kernel` for the engine `linux`, else for ours.
    """
    usual = scenario("cubic", OWN, path, size, record=Record())
    control = {"congestion_control": KERNEL[start_up]}
    started = _started(start_up, 0.0, 0.0, 0.0, PICOQUIC)  # as much as is acknowledged
    options: dict[str, Any] = {"timestamps": True, "frto": True, "undo": True}
    options |= {"segments_per_ack": 2, "ack_timeout_s": 0.2}
    flow: dict[str, Any] = dict(usual.flows[0]) | control | options | ({} if kernel else started)
    return usual.replace(flows=[Flow(**flow)])


def _started(
    start_up: str, rate_bps: float, holds_bytes: float, rtt_s: float, path: str
) -> dict[str, Any]:
    """Return the fields of a flow that say its start-up."""
    if start_up == OWN:
        return {}
    if start_up == UNSCALED:
        return {"start_up": {"kind": "picoquic", "scales_first_window": False}}
    if start_up == "quick-start":
        return {"quick_start_bps": rate_bps / 2}
    stated = dict(START_UPS[start_up])
    if stated["kind"] == "careful-resume":
        times = STALE if start_up.endswith("stale") else 1
        stated |= {"saved_cwnd_bytes": round(times * holds_bytes), "saved_rtt_s": rtt_s}
    if path in (PICOQUIC, *PUBLIC) and stated["kind"] in ("standard", "paced"):
        stated |= {"limit_segments": 1e6}  # QUIC's window grows by all that is acknowledged
    return {"start_up": stated}


def _approving(links: tuple[Link, ...], narrow: int) -> Iterator[Link]:
    """Yield the links with routers that approve half of the narrowest rate."""
    for number, link in enumerate(links):
        share = 0.5 if number == narrow else 1.0
        approve = {} if number % 2 else {"approve_bps": share * link.rate_bps}
        yield Link(**(dict(link) | approve))


# --- what is measured of a run


def measured(result: Result) -> dict[str, float]:
    """Return what a run's row has.

    time_s (from its first packet to its last byte); lost (segments that were sent again); timeouts;
    neighbour_s and neighbour_lost: of the neighbour; of picoquic's path start_s, what the transfer
    has lost against the least possible time until it first carries `FULL` of the path, and
    later_s, what it has lost after it. Missing where there is none, or where 300 s were too short.
    """
    flows = result.flows.set_index("flow")
    names = ("time_s", "lost", "timeouts", "neighbour_s", "neighbour_lost", "start_s", "later_s")
    row = dict.fromkeys(names, np.nan)
    if "sender" in flows.index:
        own = flows.loc["sender"]
        row |= {"time_s": own["transfer_time_s"], "lost": own["retransmissions"]}
        row["timeouts"] = own["timeouts"]
    if "neighbour" in flows.index:
        other = flows.loc["neighbour"]
        row |= {"neighbour_s": other["transfer_time_s"], "neighbour_lost": other["retransmissions"]}
    if len(flows) == 1 and "delivered_bytes" in result.traces and row["time_s"] > 0:
        row["start_s"], row["later_s"] = _lost_time(result, float(row["time_s"]))
    return {name: float(value) for name, value in row.items()}


def _lost_time(result: Result, time_s: float) -> tuple[float, float]:
    """Return what start-up and the rest take beyond the least time."""
    rtt_s, payload = round_trip_s(result.scenario.links), payload_bps(result.scenario.links)
    size = result.scenario.flows[0].bytes or 0
    trace = result.traces["delivered_bytes"]
    gap = time_s - least_time_s("path", rtt_s=rtt_s, size_bytes=size, payload_bps=payload)
    begins = np.arange(0.0, max(time_s - rtt_s, 0.0), rtt_s / 60)
    before = np.nan_to_num(measures.values_at(trace, "delivered_bytes", begins))
    after = np.nan_to_num(measures.values_at(trace, "delivered_bytes", begins + rtt_s))
    full = np.flatnonzero(8 * (after - before) >= FULL * payload * rtt_s)
    if not len(full):
        return gap, 0.0
    start = begins[full[0]] - 1.5 * rtt_s - 8 * before[full[0]] / payload
    return float(start), float(gap - start)


def rounded(row: dict[str, float]) -> dict[str, float]:
    """Return what was measured with four significant digits, as it is archived."""
    return {name: float(f"{value:.4g}") for name, value in row.items()}


def _measured(result: Result) -> dict[str, float]:
    return rounded(measured(result))


def _archived(row: dict[str, Any]) -> Scenario:
    return scenario(**{name: row[name] for name in (*FACTORS, "seed")})


POINT = Point(_archived, _measured)


# --- what comes of the runs


def alone(points: pd.DataFrame) -> pd.DataFrame:
    """Return mean times of transfers alone: path, size, start_up, time_s, halfwidth, lost."""
    own = points[(points["beside"] == "") & points["path"].isin(COMPARED)]
    by = ["path", "size", "start_up"]
    found = statistics.interval(own, by, "time_s").drop(columns="repetitions")
    return found.merge(own.groupby(by, as_index=False)["lost"].mean(), on=by)


def harms(points: pd.DataFrame) -> pd.DataFrame:
    """Return time and harm of transfers beside a NewReno with 100 MB, over the seeds.

    Columns: path, size, start_up; time_s and halfwidth; lost; delay_s, low and high: by how much
    the neighbour is later than alone, seed by seed, with its 95 % interval; over_s: by how much it
    is later than beside standard slow start, with over_low and over_high; neighbour_lost, more than
    alone; front: whether no other start-up is better in one and no worse in the other, in the mean.
    """
    busy = points[(points["beside"] != "") & points["path"].isin(COMPARED)]
    rows = []
    for path, here in busy.groupby("path", sort=False):
        nobody = here[here["start_up"] == NOBODY].set_index("seed")
        for size, sized in here[here["start_up"] != NOBODY].groupby("size"):
            usual = sized[sized["start_up"] == "standard"].set_index("seed")["neighbour_s"]
            for start_up, own in sized.groupby("start_up", sort=False):
                own = own.set_index("seed")
                ref = nobody.loc[own.index]
                time = statistics.mean(own["time_s"])
                delay = statistics.mean(own["neighbour_s"] - ref["neighbour_s"])
                over = statistics.mean(own["neighbour_s"] - usual.loc[own.index])
                rows.append(
                    {"path": path, "size": size, "start_up": start_up}
                    | {"time_s": time["measured"], "halfwidth": time["high"] - time["measured"]}
                    | {"lost": own["lost"].mean(), "delay_s": delay["measured"]}
                    | {"low": delay["low"], "high": delay["high"], "over_s": over["measured"]}
                    | {"over_low": over["low"], "over_high": over["high"]}
                    | {"neighbour_lost": (own["neighbour_lost"] - ref["neighbour_lost"]).mean()}
                )
    table = pd.DataFrame(rows)
    table["front"] = [not _dominated(row, table) for _, row in table.iterrows()]
    return table


def _dominated(row: "pd.Series[Any]", table: pd.DataFrame) -> bool:
    """Return whether another there is better in time or delay, and no worse in the other."""
    here = table[(table["path"] == row["path"]) & (table["size"] == row["size"])]
    time, delay = here["time_s"] - row["time_s"], here["delay_s"] - row["delay_s"]
    return bool(((time <= 0) & (delay <= 0) & ((time < 0) | (delay < 0))).any())


def linux(runs: Runs) -> pd.DataFrame:
    """Return transfers alone here and on a Linux kernel, a row a transfer.

    Columns: path, size, start_up; here_s and linux_s; lost_here and lost_linux, segments.
    """
    by = ["path", "size", "start_up"]
    names = {"transfer_time_s": "s", "retransmissions": "lost"}
    here, there = (runs.flows(name).set_index(by)[list(names)] for name in (BESIDE_LINUX, ON_LINUX))
    found = here.add_suffix("_here").join(there.add_suffix("_linux"))
    columns = {
        f"{long}_{where}": f"{short}_{where}"
        for long, short in names.items()
        for where in ("here", "linux")
    }
    return found.rename(columns=columns).reset_index()


def satellite(points: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on picoquic's path: sender, start_up, time_s, start_s, later_s, lost."""
    own = points[(points["path"] == PICOQUIC) & (points["beside"] == "")]
    columns = ["sender", "start_up", "time_s", "start_s", "later_s", "lost", "timeouts"]
    return own[columns].sort_values(["sender", "time_s"]).reset_index(drop=True)


def public(points: pd.DataFrame) -> pd.DataFrame:
    """Return times of the public tests, a row a path, size, sender and start_up.

    Columns besides: time_s, low and high (the mean and its interval, where seeds differ); lost;
    stated_s, the objective; least_s, for whoever knows the path. Where a run did not end in
    `DURATION_S`, there is no time.
    """
    own = points[points["path"].isin(PUBLIC)]
    by = ["path", "size", "sender", "start_up"]
    rows = []
    for (path, size, sender, start_up), runs in own.groupby(by, sort=False):
        time = statistics.mean(runs["time_s"])
        stated = dict(zip(PUBLIC_SIZES, OBJECTIVES_S.get(path, (np.nan,) * 3), strict=True))
        links = links_of(path)
        told = {"rtt_s": round_trip_s(links), "payload_bps": payload_bps(links)}
        least = least_time_s("path", size_bytes=size, **told)
        rows.append(
            {"path": path, "size": size, "sender": sender, "start_up": start_up}
            | {
                "time_s": time["measured"],
                "low": time["low"],
                "high": time["high"],
                "lost": runs["lost"].mean(),
            }
            | {"stated_s": stated[size], "least_s": least}
        )
    return pd.DataFrame(rows)


ACK_BYTES = 42  # an acknowledgment on the wire, without timestamps and SACK blocks


def bounds(path: str = PICOQUIC, size: int = SIZES[-1]) -> dict[str, float]:
    """Return the least possible times on a path by each bound of `least_times`, in s."""
    links = links_of(path)
    one = PATHS[path]
    told = {"rtt_s": round_trip_s(links), "size_bytes": size, "payload_bps": payload_bps(links)}
    told |= {"first_window_bytes": FIRST_WINDOW * SEGMENT_BYTES, "segment_bytes": SEGMENT_BYTES}
    acks = one.back_bps / 8 / ACK_BYTES
    return {
        "path": least_time_s("path", **told),
        "one ACK a segment": least_time_s("acknowledgments", acks_per_s=acks, **told),
        "one ACK for four": least_time_s(
            "acknowledgments", acks_per_s=acks, segments_per_ack=one.segments_per_ack, **told
        ),
        "doubling": least_time_s("doubling", **told),
        "jump": least_time_s("jump", **told),
    }


# --- experiments


def points() -> pd.DataFrame:
    """Return the design of what is archived as points, without seeds: a row a point (`FACTORS`)."""
    cubic = {"sender": ["cubic"], "start_up": START_UPS, "path": COMPARED}
    quiet = statistics.combinations(**cubic, size=SIZES, beside=[""])
    busy = statistics.combinations(**cubic, size=BUSY_SIZES, beside=["newreno"])
    nobody = statistics.combinations(
        sender=["cubic"], start_up=[NOBODY], path=COMPARED, size=[0], beside=["newreno"]
    )
    far = statistics.combinations(
        sender=["cubic", "newreno"],
        start_up=[OWN, *START_UPS, UNSCALED],
        path=[PICOQUIC],
        size=SIZES[-1:],
        beside=[""],
    )
    tests: dict[str, Any] = {"path": PUBLIC, "size": PUBLIC_SIZES, "beside": [""]}
    tested = (
        statistics.combinations(sender=["cubic"], start_up=[OWN, *START_UPS], **tests),
        statistics.combinations(sender=["bbr3"], start_up=[OWN], **tests),
    )
    return pd.concat([quiet, busy, nobody, far, *tested], ignore_index=True)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page."""
    return (
        Points(
            name=POINTS_NAME,
            build=scenario,
            points=points(),
            repetitions=1,
            more=[
                ({"beside": "newreno"}, at.repetitions(SEEDS)),
                ({"path": "leo"}, at.repetitions(SEEDS)),
                ({"path": "satcom-lossy"}, at.repetitions(SEEDS)),
            ],
            point=f"{__name__}:POINT",
        ),
        *(
            Experiment(
                name=name,
                build=functools.partial(beside_linux, kernel=kernel),
                points=WITNESSED.merge(pd.DataFrame({"start_up": list(KERNEL)}), how="cross"),
                engine="linux" if kernel else "segment",
            )
            for name, kernel in ((BESIDE_LINUX, False), (ON_LINUX, True))
        ),
    )
