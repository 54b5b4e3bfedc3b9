"""The networks of the Hybla paper: one flow over a geostationary satellite, and what it is for."""

from typing import Any, Literal

from longfat.network import duplex
from longfat.papers import value
from longfat.scenario import CongestionControl, Flow, Record, Scenario

SATELLITE, TERRESTRIAL = "satellite", "terrestrial"  # the flows of `shared_bottleneck`
RTT_S, RTT0_S = value("hybla", "rtt"), value("hybla", "rtt0")
TERRESTRIAL_RTT_S = RTT0_S  # Hybla's reference is such a path
MAX_WINDOW_SEGMENTS = int(value("hybla", "max_window"))
SEGMENT_BYTES = int(value("hybla", "packet_size"))


def satellite(
    *,
    loss: float,
    rtt_s: float = RTT_S,
    rtt0_s: float = RTT0_S,
    max_window_segments: int = MAX_WINDOW_SEGMENTS,
    segment_bytes: int = SEGMENT_BYTES,
    queue_packets: int = int(value("hybla", "buffer")),
    rate_bps: float = value("hybla", "link_rate"),
    ack_loss: float = value("hybla", "ack_loss"),
    duration_s: float = value("hybla", "simulation_time"),
    transfer_bytes: int | None = None,
    congestion_control: str = "hybla",
    recovery: str = "prr",
    limited_by: Literal["sender", "receiver"] = "sender",
    segments_per_ack: int = 1,
    sack: bool = True,
    min_rto_s: float = value("hybla", "min_rto"),
    lost_retransmissions: str = "detected",
    initial_ssthresh_segments: int | None = None,
    seed: int = 1,
    record: Record | dict | None = None,
) -> Scenario:
    """One flow over a geostationary satellite (paper: hybla, figure 1 and table 1).

    `loss` is the probability that the link to the receiver loses a packet, `ack_loss` the same on
    the way back. What the paper does not state, and so is assumed here: `rate_bps`, `ack_loss`,
    `recovery`, `segments_per_ack`, `sack`, `min_rto_s`, `lost_retransmissions`, and that a sender
    and a receiver with one link between them are the whole network. The rate is so high that the
    link adds little to the round trip, which the model takes as constant. Without `transfer_bytes`
    the flow sends for `duration_s`; with it, `duration_s` is a limit. `limited_by` says who keeps
    the window to its maximum: the sender's congestion window, or the window that the receiver
    advertises, as on a stock Linux; a congestion control that cannot cap its window is limited by
    the receiver.

    >>> from longfat import topologies
    >>> topologies.satellite(loss=1e-4).nodes
    ('sender', 'receiver')
    """
    hybla = congestion_control in ("hybla", "hybla-ns3")
    parameters = {"rtt0_s": rtt0_s} if hybla else {}
    algorithm = CongestionControl(name=congestion_control, parameters=parameters)
    capped = congestion_control == "hybla" and limited_by == "sender"  # ns-3's own class cannot
    advertised = limited_by == "receiver" or not hybla
    window_bytes = max_window_segments * segment_bytes
    receiver = {"receive_buffer_bytes": window_bytes} if advertised else {}
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
                initial_ssthresh_segments=initial_ssthresh_segments,
                bytes=transfer_bytes,
                recovery=recovery,
                segments_per_ack=segments_per_ack,
                sack=sack,
                min_rto_s=min_rto_s,
                lost_retransmissions=lost_retransmissions,
                **receiver,
            ),
        ),
        duration_s=duration_s,
        seed=seed,
        record=record,
    )


def shared_bottleneck(
    *,
    congestion_control: str,
    rtt_s: float = RTT_S,
    neighbour: str = "newreno",
    neighbour_rtt_s: float = TERRESTRIAL_RTT_S,
    rtt0_s: float = RTT0_S,
    rate_bps: float = 10e6,
    queue_packets: int = 100,
    segment_bytes: int = SEGMENT_BYTES,
    duration_s: float = 600.0,
    seed: int = 1,
) -> Scenario:
    """A flow over a satellite and one on land, which meet at one link without random losses.

    The flow `SATELLITE` runs `congestion_control` over a round trip of `rtt_s`, `TERRESTRIAL` runs
    `neighbour` over `neighbour_rtt_s`; the bottleneck between the two routers adds 1 ms each way,
    and has the queue. Hybla is what keeps such a pair fair (Caini and Firrincieli 2004); the paper
    does not simulate it. The terrestrial flow starts `seed` tenths of a second after the other one.

    >>> from longfat import topologies
    >>> topologies.shared_bottleneck(congestion_control="hybla").flows[0].name
    'satellite'
    """
    access: dict[str, Any] = {"rate_bps": 10 * rate_bps, "queue_packets": 10_000}
    ends = {SATELLITE: rtt_s, TERRESTRIAL: neighbour_rtt_s}
    links = [
        link
        for name, round_trip_s in ends.items()
        for link in duplex(name, "router", delay_s=(round_trip_s - 0.002) / 2, **access)
    ]
    links += duplex(
        "router", "gateway", rate_bps=rate_bps, delay_s=0.0005, queue_packets=queue_packets
    )
    links += duplex("gateway", "receiver", delay_s=0.0005, **access)
    controls = {SATELLITE: congestion_control, TERRESTRIAL: neighbour}
    flows = [
        Flow(
            name=name,
            source=name,
            target="receiver",
            congestion_control=CongestionControl(
                name=control, parameters={"rtt0_s": rtt0_s} if control == "hybla" else {}
            ),
            max_window_segments=(
                round(1.2 * (rate_bps * ends[name] / 8 / segment_bytes + queue_packets))
                if control == "hybla"
                else None
            ),
            segment_bytes=segment_bytes,
            start_s=0.1 * seed if name == TERRESTRIAL else 0.0,
        )
        for name, control in controls.items()
    ]
    return Scenario(links=tuple(links), flows=tuple(flows), duration_s=duration_s, seed=seed)
