"""Media streams: packets at a constant rate, as of a conversation, that may come too late."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from longfat.errors import quoted
from longfat.fields import BitRate, Mistake, Model, Name, PositiveSeconds, Seconds

__all__ = ["MediaStream"]

CLOSEST_S = 1e-6  # packets, to each other


class MediaStream(Model):
    """Packets over UDP at a constant rate, of which nothing is sent again.

    From `start_s` until `stop_s`, or the run's end, packets of `payload_bytes` leave at `rate_bps`
    of payload by the shortest path. By default that is a call of G.711: 20 ms of it, 160 bytes,
    behind 12 of RTP. A packet is late that takes longer than the fastest of the stream by more than
    `deadline_s` (packet delay variation, RFC 5481, section 4.2): a receiver that plays what it gets
    so much later has to do without it, as without one that is lost.

    >>> from longfat import MediaStream
    >>> call = MediaStream(source="a", target="b", deadline_s=0.1)
    >>> call.payload_bytes, call.rate_bps
    (172, 68800.0)
    """

    source: Name
    target: Name
    deadline_s: PositiveSeconds
    rate_bps: BitRate = 68_800.0
    payload_bytes: Annotated[int, Field(ge=1, le=65_000)] = 172
    start_s: Seconds = 0.0
    stop_s: PositiveSeconds | None = None
    name: str = ""

    def _mistakes(self) -> Iterator[Mistake]:
        if self.source == self.target:
            yield f"a media stream needs two nodes, not {quoted(self.source)} to itself"
        if self.stop_s is not None and self.stop_s <= self.start_s:
            yield f"stop_s {self.stop_s} must be later than start_s {self.start_s}"
        if 8 * self.payload_bytes < CLOSEST_S * self.rate_bps:
            yield "rate_bps: packets must be a microsecond apart at least"
