"""What networks are made of, and the one on which engines are compared."""

from longfat.scenario import CongestionControl, Flow, Link, Record, Scenario


def duplex(a: str, b: str, *, backward: dict | None = None, **fields) -> tuple[Link, Link]:
    """Return both directions of a link between nodes `a` and `b`.

    `fields` are `Link`'s and hold for both directions; `backward` changes those from `b` to `a`.

    >>> from longfat import topologies
    >>> there, back = topologies.duplex(
    ...     "a", "b", rate_bps=8e6, delay_s=0.01, queue_packets=50, backward={"rate_bps": 1e6}
    ... )
    >>> there.rate_bps, back.rate_bps
    (8000000.0, 1000000.0)
    """
    return (
        Link(source=a, target=b, **fields),
        Link(source=b, target=a, **(fields | (backward or {}))),
    )


def reference(
    *,
    congestion_control: str | CongestionControl,
    loss: float = 0.0,
    rate_bps: float = 10e6,
    rtt_s: float = 0.1,
    duration_s: float = 60.0,
    seed: int = 1,
    record: Record | dict | None = None,
) -> Scenario:
    """One flow over one link with a queue of a bandwidth-delay product: where engines are compared.

    Nothing but the congestion control limits the flow: 1000-byte segments, an ACK for each.

    >>> from longfat import topologies
    >>> topologies.reference(congestion_control="bbr").links[0].queue_packets
    119
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
