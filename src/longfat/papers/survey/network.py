"""The network of the survey: a long fat pipe behind a PC router."""

import itertools
from typing import Any

from longfat.network import duplex
from longfat.scenario import CongestionControl, Flow, Record, Scenario

IP_MTU_BYTES = 1500
WITH_TIMESTAMPS = 1448  # of payload in such a packet: 20 bytes of IP, 32 of TCP
CLEAN: dict[str, Any] = {
    "loss_per_packet": 0.0,
    "loss_per_bit": 0.0,
    "mark_above_packets": None,
    "aqm": None,
}


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
    mtu_bytes: int = IP_MTU_BYTES,
    loss_per_bit: float = 0.0,
    mark_above_packets: int | None = None,
    aqm: dict[str, Any] | None = None,
    duration_s: float = 300.0,
    seed: int = 1,
    record: Record | None = None,
    **fields: Any,
) -> Scenario:
    """Hosts at both ends of a long fat pipe behind a PC router (paper: survey, figure 2).

    A flow an algorithm, all from the same host. The router passes on `payload_bps` of 1448 bytes a
    packet of 1500, as the paper measured without the long way; its queue, which the paper does not
    state, is `queue_packets` long, and each packet is lost behind it with probability `loss`.
    `rtt_s` is the two-way delay of all links. With `extra_rtt_s`, one a flow, each flow has a
    host of its own, with that much more delay. `paths` gives as many equal routers beside each
    other, to which the flows are dealt in turn; `relay` ends and begins TCP connections in the
    middle of the path (split TCP). With another `mtu_bytes` packets are as large as that, on the
    same wire; `loss_per_bit` loses large ones more often. From `mark_above_packets` in its queue on
    the router marks packets of flows with ECN; `aqm` (`Link`) manages that queue. `fields` are
    `Flow`'s; by default buffers are the paper's 8 MB and 16 MB, and every segment has its ACK;
    delayed ones wait for 40 ms at most, as Linux's.

    >>> from longfat import topologies
    >>> two = topologies.japan("standard", "fast", starts_s=(0.0, 10.0))
    >>> [flow.start_s for flow in two.flows]
    [0.0, 10.0]
    """
    rate = payload_bps * IP_MTU_BYTES / WITH_TIMESTAMPS
    wide: dict[str, Any] = {"rate_bps": max(rate, host_bps), "queue_packets": 100_000}
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
            narrow: dict[str, Any] = {
                "rate_bps": rate,
                "queue_packets": queue_packets,
                "loss_per_packet": loss,
            }
            narrow |= {"loss_per_bit": loss_per_bit, "mark_above_packets": mark_above_packets}
            narrow |= {"aqm": aqm}
            links += duplex(
                a,
                b,
                delay_s=rtt_s / 2 / (len(ends) - 1),
                backward=wide | CLEAN,
                **(narrow if i == 0 else wide),
            )
    common = {
        "segment_bytes": mtu_bytes - IP_MTU_BYTES + WITH_TIMESTAMPS,
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
