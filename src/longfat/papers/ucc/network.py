"""The networks of the UCC paper: a radio link, and several bottlenecks."""

import random
from typing import Any

from longfat.errors import InputError, nearest
from longfat.media_streams import MediaStream
from longfat.network import duplex
from longfat.scenario import CongestionControl, Flow, Link, LinkChange, Record, Scenario

MULTI_BOTTLENECK = {  # layout: its links, and those that lose packets
    "chain": (
        ("N1-R1", "N2-R1", "R1-R2", "N3-R2", "R2-R3", "R3-N4", "R3-N5"),
        ("R2-R3",),
    ),
    "one": (("N1-R1", "N2-R1", "N3-R1", "R1-R2", "R2-N4", "R2-N5"), ("R1-R2",)),
    "last": (("N1-R1", "N2-R1", "N3-R1", "R1-R2", "R2-N4", "R2-N5"), ("R2-N4",)),
    "opposite": (("N1-R1", "N2-R1", "N5-R1", "R1-R2", "R2-N4", "R2-N3"), ("R1-R2", "R2-R1")),
}


def wireless(
    *algorithms: str | dict | CongestionControl,
    loss: float,
    ack_loss: float = 0.0,
    loss_per_bit: float = 0.0,
    ack_loss_per_bit: float = 0.0,
    rate_bps: float = 10e6,
    delay_s: float = 0.020,
    queue_packets: int = 50,
    access_bps: float = 100e6,
    access_delay_s: float = 0.0,
    changes: tuple[LinkChange | dict, ...] = (),
    start_within_s: float = 1.0,
    duration_s: float = 100.0,
    seed: int = 1,
    record: Record | dict | None = None,
    **fields: Any,
) -> Scenario:
    """Senders N1, N2, ... to N3 over a router R and a wireless link (paper: ucc, figure 2).

    A sender an algorithm. The link from R to N3 loses each packet with probability `loss`, the link
    back with `ack_loss`; `changes` are those of the link from R to N3. What the paper does not
    state, and so is assumed here: `ack_loss`, losses per packet and not per bit (`loss_per_bit`,
    `ack_loss_per_bit`), the senders' links (`access_bps`, `access_delay_s`, queues that never
    overflow), and that each flow starts at a time within `start_within_s`, drawn from the seed.
    `fields` are `Flow`'s.

    >>> from longfat import topologies
    >>> [flow.name for flow in topologies.wireless("ucc", "newreno", loss=0.01).flows]
    ['N1', 'N2']
    """
    radio = {"rate_bps": rate_bps, "delay_s": delay_s, "queue_packets": queue_packets}
    access: dict[str, Any] = {
        "rate_bps": access_bps,
        "delay_s": access_delay_s,
        "queue_packets": 10_000,
    }
    numbers = [i for i in range(1, len(algorithms) + 2) if i != 3]  # N3 is the receiver
    senders = [f"N{i}" for i in numbers[: len(algorithms)]]
    return Scenario(
        links=(
            *(link for sender in senders for link in duplex(sender, "R", **access)),
            *duplex(
                "R",
                "N3",
                loss_per_packet=loss,
                loss_per_bit=loss_per_bit,
                changes=changes,
                backward={
                    "loss_per_packet": ack_loss,
                    "loss_per_bit": ack_loss_per_bit,
                    "changes": (),
                },
                **radio,
            ),
        ),
        flows=_started_at_random(
            [(sender, "N3", a) for sender, a in zip(senders, algorithms, strict=True)],
            start_within_s,
            seed,
            fields,
        ),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


STREAMS, STREAM_BYTES, STREAM_HEADERS = 10, 1472, 28  # others' packets: of UDP, 1500 bytes long


def busy_before(plain: Scenario, busy: float, rate_bps: float, seed: int) -> Scenario:
    """Return `wireless` with a link of `rate_bps` more before R, which others keep `busy`.

    It is a part of their time, and what they send (from X to Y, `STREAMS` of constant rates that
    differ a little) does not pass the radio link.
    """
    moved = {"R": "S"}
    links = [
        link
        if "N3" in (link.source, link.target)
        else link.model_copy(
            update={
                "source": moved.get(link.source, link.source),
                "target": moved.get(link.target, link.target),
            }
        )
        for link in plain.links
    ]
    deep: dict[str, Any] = {"delay_s": 0.0, "queue_packets": 10_000}
    links += duplex("S", "R", rate_bps=rate_bps, **deep)
    if not busy:
        return plain.replace(links=links)
    links += [*duplex("X", "S", rate_bps=1e9, **deep), *duplex("R", "Y", rate_bps=1e9, **deep)]
    draw = random.Random(seed)
    payload_bps = busy * rate_bps / STREAMS * STREAM_BYTES / (STREAM_BYTES + STREAM_HEADERS)
    streams = [
        MediaStream(
            source="X",
            target="Y",
            deadline_s=1.0,
            payload_bytes=STREAM_BYTES,
            rate_bps=payload_bps * (0.995 + 0.01 * draw.random()),
            start_s=round(0.01 * draw.random(), 6),
            name=f"other {number + 1}",
        )
        for number in range(STREAMS)
    ]
    return plain.replace(links=links, media_streams=streams)


def multi_bottleneck(
    algorithm: str | dict | CongestionControl,
    *,
    loss: float,
    neighbour: str | dict | CongestionControl = "newreno",
    layout: str = "chain",
    rate_bps: float = 10e6,
    delay_s: float = 0.020,
    queue_packets: int = 50,
    start_within_s: float = 1.0,
    duration_s: float = 100.0,
    seed: int = 1,
    record: Record | dict | None = None,
    **fields: Any,
) -> Scenario:
    """N1 and N2 send to N4, N3 sends to N5, over several bottlenecks (paper: ucc, figure 7).

    All links have the same rate and delay. The figure is lost, and the text names only the nodes
    and says that R1 and R2 have buffers: the `layout` is assumed. "chain": N1 and N2 pass R1-R2,
    then R2-R3 together with N3, and R3, which the text does not name, parts them again; R2-R3
    loses packets. "one": all three pass R1-R2, which loses packets. "last": the same links, but it
    is the radio link to N4, which N3's data do not pass, that loses packets. "opposite": N3's data
    pass R2-R1, against those of N1 and N2, with their ACKs; both directions lose packets. Queues of
    the senders never overflow. `start_within_s` and `fields` as in `wireless`.
    Raises InputError for another layout.

    >>> from longfat import topologies
    >>> [(f.source, f.target) for f in topologies.multi_bottleneck("ucc", loss=0.0).flows]
    [('N1', 'N4'), ('N2', 'N4'), ('N3', 'N5')]
    """
    if layout not in MULTI_BOTTLENECK:
        known = list(MULTI_BOTTLENECK)
        raise InputError(
            f"layout is '{layout}': known are {', '.join(known)}.{nearest(layout, known)}"
        )
    cables, losing = MULTI_BOTTLENECK[layout]
    links = []
    for a, b in (cable.split("-") for cable in cables):
        links += [
            Link(
                source=source,
                target=target,
                rate_bps=rate_bps,
                delay_s=delay_s,
                queue_packets=queue_packets if source.startswith("R") else 10_000,
                loss_per_packet=loss if f"{source}-{target}" in losing else 0.0,
            )
            for source, target in ((a, b), (b, a))
        ]
    return Scenario(
        links=links,
        flows=_started_at_random(
            [("N1", "N4", algorithm), ("N2", "N4", algorithm), ("N3", "N5", neighbour)],
            start_within_s,
            seed,
            fields,
        ),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def _started_at_random(
    ends: list[tuple[str, str, str | dict | CongestionControl]],
    within_s: float,
    seed: int,
    fields: dict,
) -> tuple[Flow, ...]:
    """Return a flow for each (source, target, algorithm), named after its source."""
    draw = random.Random(seed)
    common = {"segment_bytes": 1000, "initial_window_segments": 1} | fields
    return tuple(
        Flow(
            source=source,
            target=target,
            congestion_control=algorithm,
            name=source,
            start_s=round(within_s * draw.random(), 6),
            **common,
        )
        for source, target, algorithm in ends
    )
