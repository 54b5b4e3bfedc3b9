"""The network of the Hybla paper: one flow over a geostationary satellite."""

from typing import Literal

from longfat.network import duplex
from longfat.scenario import CongestionControl, Flow, Record, Scenario


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

    >>> from longfat import topologies
    >>> topologies.satellite(loss=1e-4).nodes
    ('sender', 'receiver')
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
