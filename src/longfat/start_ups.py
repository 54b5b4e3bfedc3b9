"""Start-ups: what a connection does in its first slow start, in the place of its sender's own.

Each goes with any sender that has a window and a slow start, and is stated by its name, or with
parameters. It is over when the window has come to the threshold, or with the first congestion; from
then on all is the sender's, later slow starts too. Quick-Start, which routers answer, is a field of
a flow (`quick_start_bps`).
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from longfat.fields import LARGEST, LONGEST_S, Count, Kind, Mistake

__all__ = [
    "CarefulResume",
    "HyStart",
    "HyStartPlusPlus",
    "HyblaStart",
    "LimitedSlowStart",
    "PacedStart",
    "PicoquicStart",
    "Search",
    "StandardSlowStart",
    "StartUp",
    "from_name",
]

Limit = Annotated[float, Field(ge=1, le=LARGEST)]


class StandardSlowStart(Kind):
    """An ACK opens the window by what it newly acknowledges (RFC 5681, (2)).

    It counts for `limit_segments` at most: 1 in RFC 5681, 2 and more in RFC 3465; QUIC has no limit
    (RFC 9002, section 7.3.1).

    >>> from longfat.start_ups import StandardSlowStart
    >>> StandardSlowStart().limit_segments
    1.0
    """

    kind: Literal["standard"] = "standard"
    limit_segments: Limit = 1.0


class PacedStart(Kind):
    """Standard slow start, paced: `gain` windows a round trip (RFC 9002, section 7.7).

    With a gain of 2 (Linux, tcp_pacing_ss_ratio) the pace leaves the window its doubling.

    >>> from longfat.start_ups import PacedStart
    >>> PacedStart().gain
    2.0
    """

    kind: Literal["paced"] = "paced"
    limit_segments: Limit = 1.0
    gain: Annotated[float, Field(ge=1, le=100)] = 2.0


class LimitedSlowStart(Kind):
    """Above `max_ssthresh_segments`, half of that is added a round trip at most (RFC 3742).

    >>> from longfat.start_ups import LimitedSlowStart
    >>> LimitedSlowStart().max_ssthresh_segments
    100.0
    """

    kind: Literal["limited"] = "limited"
    max_ssthresh_segments: Annotated[float, Field(ge=2, le=LARGEST)] = 100.0


class HyStart(Kind):
    """Ends with a train of ACKs, or a round trip, that is too long (Ha and Rhee 2011; Linux 6.12).

    >>> from longfat.start_ups import HyStart
    >>> HyStart().kind
    'hystart'
    """

    kind: Literal["hystart"] = "hystart"


class HyStartPlusPlus(Kind):
    """A round trip that rises makes it slower, five such rounds end it (RFC 9406).

    >>> from longfat.start_ups import HyStartPlusPlus
    >>> HyStartPlusPlus().kind
    'hystart++'
    """

    kind: Literal["hystart++"] = "hystart++"


class Search(Kind):
    """Ends when what is delivered falls behind what was sent a round trip ago, by `threshold`.

    As draft-chung-ccwg-search-09, but without what it does after the end, its drain, in which the
    window falls to what the path holds.

    >>> from longfat.start_ups import Search
    >>> Search().threshold
    0.26
    """

    kind: Literal["search"] = "search"
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.26


class HyblaStart(Kind):
    """The first window is rho, and every ACK adds 2^rho - 1, with rho = RTT / `rtt0_s` (paper
    hybla, equation (1)).

    >>> from longfat.start_ups import HyblaStart
    >>> HyblaStart().rtt0_s
    0.025
    """

    kind: Literal["hybla"] = "hybla"
    rtt0_s: Annotated[float, Field(ge=1e-6, le=10)] = 0.025


class PicoquicStart(Kind):
    """The slow start of picoquic, a QUIC stack, as its sources of August 2026 have it.

    The first window is larger by RTT / `reference_rtt_s`, of round trips up to `largest_rtt_s`,
    with `scales_first_window` (all its senders but CUBIC). A window is never below half of what the
    largest delivery rate measured holds. It is paced, beyond 60 ms from when a train of segments
    has shown that rate, and ends when seven round trips have been a quarter longer than the
    smallest; the window is then taken back, as its CUBIC does.

    >>> from longfat.start_ups import PicoquicStart
    >>> PicoquicStart().reference_rtt_s
    0.1
    """

    kind: Literal["picoquic"] = "picoquic"
    reference_rtt_s: Annotated[float, Field(ge=1e-6, le=10)] = 0.1
    largest_rtt_s: Annotated[float, Field(ge=1e-6, le=1000)] = 0.61
    scales_first_window: bool = True

    def _mistakes(self) -> Iterator[Mistake]:
        if self.largest_rtt_s < self.reference_rtt_s:
            yield (
                f"largest_rtt_s {self.largest_rtt_s:g} must be at least reference_rtt_s "
                f"{self.reference_rtt_s:g}"
            )


class CarefulResume(Kind):
    """Goes on where an earlier connection over the same path has been (RFC 9959).

    When the first window is acknowledged without loss, and the round trip is that of the path that
    was saved, the window jumps to half of `saved_cwnd_bytes`, `max_jump_bytes` at most, paced over
    a round trip. If some of that is lost, it falls to half of what has arrived, and the threshold
    to `beta` of it. Before the jump, and after it has been proved, the sender's own slow start goes
    on.

    >>> from longfat.start_ups import CarefulResume
    >>> CarefulResume(saved_cwnd_bytes=18_750_000, saved_rtt_s=0.6).beta
    0.5
    """

    kind: Literal["careful-resume"] = "careful-resume"
    saved_cwnd_bytes: Count
    saved_rtt_s: Annotated[float, Field(gt=0, le=LONGEST_S)]
    max_jump_bytes: Count | None = None
    beta: Annotated[float, Field(ge=0.5, le=1)] = 0.5


StartUp = Annotated[
    StandardSlowStart
    | PacedStart
    | LimitedSlowStart
    | HyStart
    | HyStartPlusPlus
    | Search
    | HyblaStart
    | PicoquicStart
    | CarefulResume,
    Field(discriminator="kind"),
]


def from_name(value: Any) -> Any:
    """Return what a name alone means: the start-up of that kind with usual parameters."""
    return {"kind": value} if isinstance(value, str) else value
