"""What networks are made of, and the one on which engines are compared."""

import functools
from collections.abc import Collection, Sequence
from typing import Any

from longfat.errors import InputError, nearest, quoted
from longfat.scenario import CongestionControl, Flow, Link, Record, Scenario


def duplex(a: str, b: str, *, backward: dict | None = None, **fields: Any) -> tuple[Link, Link]:
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
        _link(source=a, target=b, **fields),
        _link(source=b, target=a, **(fields | (backward or {}))),
    )


def _link(**fields: Any) -> Link:
    """Return that link; of equal fields, the same: a sweep's thousands of networks share theirs."""
    try:
        return _kept_link(**fields)
    except TypeError:  # a field that cannot be looked up, as a list or a dictionary
        return Link(**fields)


@functools.lru_cache(maxsize=10_000, typed=True)
def _kept_link(**fields: Any) -> Link:
    return Link(**fields)


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
        record=record,
    )


# What RFC 3481 advises for TCP over W-CDMA (its section 4), by name: settings of a flow as advised,
# and as hosts had them that did not follow it.
WCDMA_ADVICE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "initial window": ({"initial_window_segments": 3}, {"initial_window_segments": 1}),
    "large windows": ({"receive_buffer_bytes": 64_000}, {"receive_buffer_bytes": 8_192}),
    "limited transmit": ({"limited_transmit": True}, {"limited_transmit": False}),
    "SACK": ({"sack": True}, {"sack": False}),
    "timestamps": ({"timestamps": True}, {"timestamps": False}),
    "large packets": ({"segment_bytes": 1448}, {"segment_bytes": 524}),
}


def wcdma(
    *,
    congestion_control: str | CongestionControl = "newreno",
    advice: Collection[str] = tuple(WCDMA_ADVICE),
    frame_error: float = 0.05,
    persistence: int = 10,
    spikes: Sequence[tuple[float, float]] = (),
    duration_s: float = 60.0,
    seed: int = 1,
    record: Record | dict | None = None,
    **flow: Any,
) -> Scenario:
    """Download over a W-CDMA radio with the settings that RFC 3481 advises, or some of them.

    The radio has 384 kb/s down and 64 kb/s up, in intervals of 10 ms and 20 ms. A frame of 40 bytes
    is lost with probability `frame_error`, and RLC in acknowledged mode sends it again up to
    `persistence` times; packets are handed on in order. `spikes` are pairs of a time and the delay
    (s) that is added from then on for as long as it is itself. `advice` are names of
    `WCDMA_ADVICE`; what is not named is set as by a host that does not follow it. `flow` are
    further fields of the flow.

    >>> from longfat import topologies
    >>> topologies.wcdma(advice=["SACK"]).flows[0].segment_bytes
    524
    """
    for name in advice:
        if name not in WCDMA_ADVICE:
            known = ", ".join(WCDMA_ADVICE)
            raise InputError(
                f"advice: RFC 3481 has no {quoted(name)} here: names are {known}."
                f"{nearest(name, list(WCDMA_ADVICE))}"
            )
    settings: dict[str, Any] = {}
    for name, (advised, otherwise) in WCDMA_ADVICE.items():
        settings |= advised if name in advice else otherwise
    if settings["sack"]:
        settings.pop("limited_transmit")  # is part of recovery with SACK
    delay_s = 0.06
    changes = []
    for at_s, extra_s in spikes:
        changes += [{"at_s": at_s, "delay_s": delay_s + extra_s}]
        changes += [{"at_s": at_s + extra_s, "delay_s": delay_s}]

    def rlc(interval_s: float) -> dict:
        return {
            "persistence": persistence,
            "feedback_s": delay_s + interval_s,
            "frame_bytes": 40,
            "interval_s": interval_s,
        }

    radio = {
        "rate_bps": 384e3,
        "delay_s": delay_s,
        "queue_packets": 50,
        "loss_per_packet": frame_error,
        "arq": rlc(0.01),
        "changes": changes,
    }
    up = {"rate_bps": 64e3, "arq": rlc(0.02)}
    return Scenario(
        links=duplex("host", "core", rate_bps=10e6, delay_s=0.03, queue_packets=100)
        + duplex("core", "mobile", backward=up, **radio),
        flows=(
            Flow(
                source="host",
                target="mobile",
                congestion_control=congestion_control,
                **(settings | flow),
            ),
        ),
        duration_s=duration_s,
        seed=seed,
        record=record,
    )
