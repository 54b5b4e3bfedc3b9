"""The papers' networks, as functions that return a scenario."""

import itertools
import random
from typing import Literal

import numpy as np

from longfat.errors import InputError, nearest
from longfat.scenario import (
    CongestionControl,
    Flow,
    Handoff,
    Link,
    LinkChange,
    Outage,
    Record,
    Reroute,
    Scenario,
)


def duplex(a: str, b: str, *, backward: dict | None = None, **fields) -> tuple[Link, Link]:
    """Return both directions of a link between nodes `a` and `b`.

    `fields` are `Link`'s and hold for both directions; `backward` changes those from `b` to `a`.
    """
    return (
        Link(source=a, target=b, **fields),
        Link(source=b, target=a, **(fields | (backward or {}))),
    )


def satellite(
    *,
    loss: float,
    rtt_s: float = 0.55,
    rtt0_s: float = 0.025,
    max_window_segments: int = 550,
    segment_bytes: int = 1000,
    queue_packets: int = 1000,
    rate_bps: float = 100e6,
    ack_loss: float = 0.0,
    duration_s: float = 1000.0,
    transfer_bytes: int | None = None,
    congestion_control: str = "hybla",
    recovery: str = "prr",
    limited_by: Literal["sender", "receiver"] = "sender",
    segments_per_ack: int = 1,
    seed: int = 1,
    record: Record | dict | None = None,
) -> Scenario:
    """One Hybla flow over a geostationary satellite (paper: hybla, figure 1 and table 1).

    `loss` is the probability that the link to the receiver loses a packet, `ack_loss` the same on
    the way back. What the paper does not state, and so is assumed here: `rate_bps`, `ack_loss`,
    `recovery`, and that a sender and a receiver with one link between them are the whole network.
    The rate is so high that the link adds little to the round trip, which the model takes as
    constant. Without `transfer_bytes` the flow sends for `duration_s`; with it, `duration_s` is a
    limit. `limited_by` says who keeps the window to its maximum: the sender's congestion window, or
    the window that the receiver advertises, as on a stock Linux.
    """
    algorithm = CongestionControl(name=congestion_control, parameters={"rtt0_s": rtt0_s})
    capped = congestion_control == "hybla" and limited_by == "sender"  # ns-3's own class cannot
    window_bytes = max_window_segments * segment_bytes
    receiver = {"receive_buffer_bytes": window_bytes} if limited_by == "receiver" else {}
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=rate_bps,
            delay_s=rtt_s / 2,
            queue_packets=queue_packets,
            loss_per_packet=loss,
            backward={"loss_per_packet": ack_loss},
        ),
        flows=(
            Flow(
                source="sender",
                target="receiver",
                congestion_control=algorithm,
                segment_bytes=segment_bytes,
                max_window_segments=max_window_segments if capped else None,
                initial_window_segments=1,
                bytes=transfer_bytes,
                recovery=recovery,
                segments_per_ack=segments_per_ack,
                **receiver,
            ),
        ),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def reference(
    *,
    congestion_control: str,
    loss: float = 0.0,
    rate_bps: float = 10e6,
    rtt_s: float = 0.1,
    duration_s: float = 60.0,
    seed: int = 1,
    record: Record | dict | None = None,
) -> Scenario:
    """One flow over one link with a queue of a bandwidth-delay product: where engines are compared.

    Nothing but the congestion control limits the flow: 1000-byte segments, an ACK for each.
    """
    packet_bits = 8 * 1054  # a segment of 1000 bytes on the wire
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=rate_bps,
            delay_s=rtt_s / 2,
            queue_packets=max(1, round(rate_bps * rtt_s / packet_bits)),
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=(Flow(source="sender", target="receiver", congestion_control=congestion_control),),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


# Paper tcpj: its four protocols, as congestion control and selective acknowledgments.
TCPJ_PROTOCOLS = {
    "NewReno": ("newreno", False),
    "SACK": ("newreno", True),
    "Westwood": ("westwood", False),
    "TCP-J": ("tcpj", True),
}


def _tcpj_flow(source: str, target: str, protocol: str, parameters: dict, fields: dict) -> Flow:
    """A flow of table 1, by a protocol of `TCPJ_PROTOCOLS` or a name of the catalogue.

    Assumed, as the paper does not state them: one segment to begin with, a timer of 1 s at least,
    limited transmit for all, no timestamps, and a window that is set at once when a recovery
    begins.
    """
    name, sack = TCPJ_PROTOCOLS.get(protocol, (protocol, True))
    table_1 = {
        "name": protocol,
        "congestion_control": CongestionControl(name=name, parameters=parameters),
        "segment_bytes": 1460,
        "receive_buffer_bytes": 65_535,
        "segments_per_ack": 2,
        "ack_timeout_s": 0.2,
        "initial_window_segments": 1,
        "min_rto_s": 1.0,
        "recovery": "halving",
        "sack": sack,
        "timestamps": False,
    }
    return Flow(source=source, target=target, **(table_1 | fields))


def _tcpj_starts(protocols: tuple[str, ...], seed: int) -> list[float]:
    """Times in the first second, drawn from the seed; a flow alone begins at once."""
    if len(protocols) == 1:
        return [0.0]
    return np.random.default_rng(seed).uniform(0, 1, len(protocols)).round(6).tolist()


def shared_wire(
    *protocols: str,
    rate_bps: float,
    rtt_s: float,
    queue_packets: int = 30,
    parameters: dict[str, dict] | None = None,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
) -> Scenario:
    """Pairs of hosts that share one wire between two routers (paper: tcpj, figure 2).

    A flow a protocol (a key of `TCPJ_PROTOCOLS`), with the `parameters` of that name. `rate_bps` is
    that of the shared wire, `rtt_s` the two-way delay of all hops. Nothing else is random on a
    wire, so the flows begin at times drawn from the seed, uniformly in the first second.
    """
    hop = {"rate_bps": 100e6, "delay_s": 0.001, "queue_packets": 1000}
    links = duplex(
        "router0",
        "router1",
        rate_bps=rate_bps,
        delay_s=rtt_s / 2 - 0.002,
        queue_packets=queue_packets,
    )
    flows = []
    for i, start_s in enumerate(_tcpj_starts(protocols, seed)):
        source, target = f"cn{2 * i}", f"cn{2 * i + 1}"
        links += duplex(source, "router0", **hop) + duplex("router1", target, **hop)
        fields = {"start_s": start_s, "name": f"{protocols[i]} {i}"}
        own = (parameters or {}).get(protocols[i], {})
        flows.append(_tcpj_flow(source, target, protocols[i], own, fields))
    return Scenario(
        links=links, flows=flows, duration_s=duration_s, seed=seed, record=record or Record()
    )


def radio(
    *protocols: str,
    bit_error_rate: float,
    rate_bps: float,
    rtt_s: float,
    wired_bps: float = 100e6,
    queue_packets: int = 30,
    ack_bit_error_rate: float = 0.0,
    outages: tuple[Outage, ...] = (),
    parameters: dict | None = None,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
    **fields,
) -> Scenario:
    """A host, an access router and a mobile host behind its radio link (paper: tcpj, figure 4).

    A flow a protocol, all to the same mobile host. `rate_bps` is that of the radio link, `rtt_s`
    the two-way delay of both hops; outages hold for both directions of the radio link.
    `parameters` are the congestion control's, `fields` those of `Flow`. The paper's rates and
    delays are lost, and where bits are lost is assumed: on the way to the mobile host. Several
    flows begin at times drawn from the seed, uniformly in the first second.
    """
    on_air_s = 0.001
    links = duplex(
        "cn", "ar", rate_bps=wired_bps, delay_s=rtt_s / 2 - on_air_s, queue_packets=1000
    ) + duplex(
        "ar",
        "mn",
        rate_bps=rate_bps,
        delay_s=on_air_s,
        queue_packets=queue_packets,
        loss_per_bit=bit_error_rate,
        outages=outages,
        backward={"loss_per_bit": ack_bit_error_rate},
    )
    flows = []
    for i, start_s in enumerate(_tcpj_starts(protocols, seed)):
        own = {"start_s": start_s, "name": f"{protocols[i]} {i}"} | fields
        flows.append(_tcpj_flow("cn", "mn", protocols[i], parameters or {}, own))
    return Scenario(
        links=links, flows=flows, duration_s=duration_s, seed=seed, record=record or Record()
    )


def handoff(
    protocol: str,
    kind: str,
    *,
    rate_bps: float,
    new_rate_bps: float,
    cost_s: float,
    rtt_s: float,
    announced: bool = True,
    at_s: float = 100.0,
    bit_error_rate: float = 1e-7,
    queue_packets: int = 30,
    wired_bps: float = 100e6,
    new_wired_bps: float = 100e6,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
    **fields,
) -> Scenario:
    """A mobile host that moves to another access router (paper: tcpj, figures 11 and 14).

    In a `local` movement both access routers have one router above them, in a `non-local` one each
    has its own, on a wire of its own. At `at_s` the old radio link is gone; after `cost_s` (table
    3) packets take the new path and the sender is told, with the rate of the new radio link if it
    is `announced`. `rtt_s` is the two-way delay on either path; `fields` are those of `Flow`. Rates
    and delays are assumed: the paper's stood on the sketches.
    """
    local = kind == "local"
    above = ("rr1", "rr1") if local else ("rr1", "rr2")
    on_air_s, access_s = 0.001, 0.004
    wire = {"delay_s": rtt_s / 2 - access_s - on_air_s, "queue_packets": 1000}
    links = duplex("cn", "rr1", rate_bps=wired_bps, **wire)
    if not local:
        links += duplex("cn", "rr2", rate_bps=new_wired_bps, **wire)
    gone = (Outage(start_s=at_s, duration_s=duration_s),)
    for number, rate, outages in ((1, rate_bps, gone), (2, new_rate_bps, ())):
        links += duplex(
            above[number - 1],
            f"ar{number}",
            rate_bps=wired_bps if number == 1 or local else new_wired_bps,
            delay_s=access_s,
            queue_packets=queue_packets,
        )
        links += duplex(
            f"ar{number}",
            "mn",
            rate_bps=rate,
            delay_s=on_air_s,
            queue_packets=queue_packets,
            loss_per_bit=bit_error_rate,
            outages=outages,
            backward={"loss_per_bit": 0.0},
        )
    moved = {
        "path": ("cn", "rr1", "ar1", "mn"),
        "reroutes": (Reroute(at_s=at_s + cost_s, path=("cn", above[1], "ar2", "mn")),),
        "handoffs": (
            Handoff(
                at_s=at_s + cost_s,
                kind=kind,
                announced_rate_bps=new_rate_bps if announced else None,
            ),
        ),
    }
    return Scenario(
        links=links,
        flows=[_tcpj_flow("cn", "mn", protocol, {}, moved | fields)],
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


IP_MTU_BYTES = 1500
WITH_TIMESTAMPS = 1448  # of payload in such a packet: 20 bytes of IP, 32 of TCP


def japan(
    *algorithms: str | CongestionControl,
    payload_bps: float = 314e6,
    rtt_s: float = 0.1,
    queue_packets: int = 1000,
    loss: float = 0.0,
    extra_rtt_s: tuple[float, ...] = (),
    starts_s: tuple[float, ...] = (),
    paths: int = 1,
    relay: bool = False,
    host_bps: float = 1e9,
    duration_s: float = 300.0,
    seed: int = 1,
    record: Record | None = None,
    **fields,
) -> Scenario:
    """Hosts at both ends of a long fat pipe behind a PC router (paper: survey, figure 2).

    A flow an algorithm, all from the same host. The router passes on `payload_bps` of 1448 bytes a
    packet of 1500, as the paper measured without the long way; its queue, which the paper does not
    state, is `queue_packets` long, and each packet is lost behind it with probability `loss`.
    `rtt_s` is the two-way delay of all links. With `extra_rtt_s`, one a flow, each flow has a
    host of its own, with that much more delay. `paths` gives as many equal routers beside each
    other, to which the flows are dealt in turn; `relay` ends and begins TCP connections in the
    middle of the path (split TCP). `fields` are `Flow`'s; by default buffers are the paper's 8 MB
    and 16 MB, and every segment has its ACK; delayed ones wait for 40 ms at most, as Linux's.
    """
    rate = payload_bps * IP_MTU_BYTES / WITH_TIMESTAMPS
    wide = {"rate_bps": max(rate, host_bps), "queue_packets": 100_000}
    routers = ["router"] if paths == 1 else [f"router-{i}" for i in range(1, paths + 1)]
    hosts = [f"sender-{i + 1}" for i in range(len(algorithms))] if extra_rtt_s else ["sender"]
    extra = extra_rtt_s or (0.0,)
    links = [
        link
        for router in routers
        for host, more in zip(hosts, extra, strict=True)
        for link in duplex(host, router, delay_s=more / 2, **wide)
    ]
    for router in routers:
        ends = [router, "relay", "receiver"] if relay else [router, "receiver"]
        for i, (a, b) in enumerate(itertools.pairwise(ends)):
            narrow = {"rate_bps": rate, "queue_packets": queue_packets, "loss_per_packet": loss}
            links += duplex(
                a,
                b,
                delay_s=rtt_s / 2 / (len(ends) - 1),
                backward=wide | {"loss_per_packet": 0.0},
                **(narrow if i == 0 else wide),
            )
    common = {
        "segment_bytes": WITH_TIMESTAMPS,
        "send_buffer_bytes": 8_000_000,
        "receive_buffer_bytes": 16_000_000,
        "initial_window_segments": 2,
        "min_rto_s": 0.2,
        "relays": ("relay",) if relay else (),
    } | fields
    if common.get("segments_per_ack", 1) > 1:  # a delay as long as the timer would set it off
        common = {"ack_timeout_s": 0.04} | common
    flows = []
    for i, algorithm in enumerate(algorithms):
        host, router = hosts[i % len(hosts)], routers[i % paths]
        flows.append(
            Flow(
                source=host,
                target="receiver",
                congestion_control=algorithm,
                name=f"{i + 1}",
                path=(host, router, "receiver") if paths > 1 else None,
                start_s=starts_s[i] if starts_s else 0.0,
                **common,
            )
        )
    return Scenario(
        links=links, flows=flows, duration_s=duration_s, seed=seed, record=record or Record()
    )


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
    **fields,
) -> Scenario:
    """Senders N1, N2, ... to N3 over a router R and a wireless link (paper: ucc, figure 2).

    A sender an algorithm. The link from R to N3 loses each packet with probability `loss`, the link
    back with `ack_loss`; `changes` are those of the link from R to N3. What the paper does not
    state, and so is assumed here: `ack_loss`, losses per packet and not per bit (`loss_per_bit`,
    `ack_loss_per_bit`), the senders' links (`access_bps`, `access_delay_s`, queues that never
    overflow), and that each flow starts at a time within `start_within_s`, drawn from the seed.
    `fields` are `Flow`'s.
    """
    radio = {"rate_bps": rate_bps, "delay_s": delay_s, "queue_packets": queue_packets}
    access = {"rate_bps": access_bps, "delay_s": access_delay_s, "queue_packets": 10_000}
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


MULTI_BOTTLENECK = {  # layout: its links, and those that lose packets
    "chain": (
        ("N1-R1", "N2-R1", "R1-R2", "N3-R2", "R2-R3", "R3-N4", "R3-N5"),
        ("R2-R3",),
    ),
    "one": (("N1-R1", "N2-R1", "N3-R1", "R1-R2", "R2-N4", "R2-N5"), ("R1-R2",)),
    "opposite": (("N1-R1", "N2-R1", "N5-R1", "R1-R2", "R2-N4", "R2-N3"), ("R1-R2", "R2-R1")),
}


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
    **fields,
) -> Scenario:
    """N1 and N2 send to N4, N3 sends to N5, over several bottlenecks (paper: ucc, figure 7).

    All links have the same rate and delay. The figure is lost, and the text names only the nodes
    and says that R1 and R2 have buffers: the `layout` is assumed. "chain": N1 and N2 pass R1-R2,
    then R2-R3 together with N3, and R3, which the text does not name, parts them again; R2-R3
    loses packets. "one": all three pass R1-R2, which loses packets. "opposite": N3's data pass
    R2-R1, against those of N1 and N2, with their ACKs; both directions lose packets. Queues of the
    senders never overflow. `start_within_s` and `fields` as in `wireless`.
    Raises InputError for another layout.
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
