"""Links: rate, delay, losses, outages, and what helps on the way.

A link is one direction of a cable or radio link: a queue, managed or not (`Red`, `CoDel`,
`FqCoDel`, `Pie`), a transmitter, whose rate can follow a trace, and a medium, which loses packets
one by one, in bursts (`LossBursts`) or in outages, and may repair losses itself (`Arq`). At its
source may stand a base station that knows TCP (`Snoop`, `Wtcp`).
"""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from longfat.errors import LONGEST_QUOTE, InputError, quoted
from longfat.fields import (
    LARGEST,
    BitRate,
    Count,
    Kind,
    Milliseconds,
    Mistake,
    Model,
    Name,
    PositiveSeconds,
    Probability,
    Seconds,
)


class Outage(Model):
    """A time in which a link loses every packet that arrives at its end.

    >>> from longfat import Outage, topologies
    >>> pause = Outage(start_s=2.0, duration_s=0.05)
    >>> there, back = topologies.duplex(
    ...     "a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=30, outages=[pause]
    ... )
    >>> there.outages[0].duration_s
    0.05
    """

    start_s: Seconds
    duration_s: PositiveSeconds


class LinkChange(Model):
    """From `at_s` on a link has another rate, delay or loss; what is left out stays as it was.

    What is under way at that time, or being sent, arrives as before the change.

    >>> from longfat import LinkChange
    >>> LinkChange(at_s=5.0, rate_bps=2e6).rate_bps
    2000000.0
    """

    at_s: Seconds
    rate_bps: BitRate | None = None
    delay_s: Seconds | None = None
    loss_per_packet: Probability | None = None
    loss_per_bit: Probability | None = None

    def _mistakes(self) -> Iterator[Mistake]:
        if self.model_fields_set <= {"at_s"}:
            yield "state rate_bps, delay_s, loss_per_packet or loss_per_bit"


class LossBursts(Model):
    """Losses in bursts, beside the independent ones (Gilbert 1960, Elliott 1963).

    From packet to packet the link changes between a good and a bad state. The bad one lasts
    `mean_packets` packets in the mean, of which each is lost with probability `loss_within`, so
    that in the long run a share `loss_per_packet` of all packets is lost so.

    >>> from longfat import LossBursts
    >>> LossBursts(loss_per_packet=0.01, mean_packets=5).loss_within
    1.0
    """

    loss_per_packet: Annotated[float, Field(gt=0, lt=1)]
    mean_packets: Annotated[float, Field(ge=1, le=1e9)]
    loss_within: Annotated[float, Field(gt=0, le=1)] = 1.0

    @property
    def ends(self) -> float:
        """The probability, from one packet to the next, that a burst ends."""
        return 1 / self.mean_packets

    @property
    def begins(self) -> float:
        """The probability, from one packet to the next, that a burst begins."""
        bad = self.loss_per_packet / self.loss_within  # share of packets
        return bad * self.ends / (1 - bad)

    def _mistakes(self) -> Iterator[Mistake]:
        bad = self.loss_per_packet / self.loss_within
        if bad > self.mean_packets / (1 + self.mean_packets):
            yield (
                f"loss_per_packet {self.loss_per_packet:g} is too much for bursts of mean_packets "
                f"{self.mean_packets:g}: between two bursts lies one packet at least"
            )


class Arq(Model):
    """Automatic repeat request: a link that sends again what it has lost (RFC 3366).

    A packet that is lost, in an outage too, is sent again up to `persistence` times, then given up.
    The transmitter knows of a loss `feedback_s` after the time at which the packet would have
    arrived, and begins after a further random time up to `jitter_s` (802.11's back-off, RLC's
    polling). Under
    `selective repeat`, as RLC's acknowledged mode has it (3GPP TS 25.322), other packets are sent
    meanwhile, and with `in_order` the far end holds them back until those before have come or are
    given up; under `stop and wait`, as 802.11 has it, the transmitter waits for every packet's
    acknowledgment, `feedback_s` after its arrival. With `frame_bytes` a packet is cut into frames
    of so many bytes: losses are then each frame's, and only the lost frames are sent again. With
    `interval_s` what is sent arrives as if at the end of an interval of that length (W-CDMA's
    transmission time interval).

    >>> from longfat import Arq
    >>> Arq(persistence=3, feedback_s=0.08).mode
    'selective repeat'
    """

    persistence: Annotated[int, Field(ge=1, le=1000)]
    feedback_s: Annotated[float, Field(ge=0, le=60)]
    jitter_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    mode: Literal["selective repeat", "stop and wait"] = "selective repeat"
    in_order: bool = True
    frame_bytes: Annotated[int, Field(ge=1, le=9100)] | None = None
    interval_s: Annotated[float, Field(ge=0, le=60)] = 0.0


class Red(Kind):
    """Random early detection (Floyd and Jacobson 1993; recommended by RFC 2309).

    Per arriving packet the mean queue (`queue_weight` the weight of the newest value) decides:
    from `min_threshold_packets` on packets are dropped, or marked, with a probability that grows to
    `max_probability` at `max_threshold_packets`; from there on all are dropped, or, if `gentle`
    (Floyd 2000), with a probability that grows to 1 at twice that threshold. With `ecn`, packets of
    flows with ECN are marked instead (RFC 3168), except where all are dropped.

    >>> from longfat import Red
    >>> Red(min_threshold_packets=10, max_threshold_packets=30).queue_weight
    0.002
    """

    kind: Literal["red"] = "red"
    min_threshold_packets: Annotated[float, Field(gt=0, le=LARGEST)] = 5
    max_threshold_packets: Annotated[float, Field(gt=0, le=LARGEST)] = 15
    max_probability: Annotated[float, Field(gt=0, le=1)] = 0.02
    queue_weight: Annotated[float, Field(gt=0, le=1)] = 0.002
    gentle: bool = False
    ecn: bool = True

    def _mistakes(self) -> Iterator[Mistake]:
        if self.max_threshold_packets <= self.min_threshold_packets:
            yield (
                f"max_threshold_packets {self.max_threshold_packets:g} must be greater than "
                f"min_threshold_packets {self.min_threshold_packets:g}"
            )


class CoDel(Kind):
    """Controlled delay (RFC 8289): drops, or marks, at the head while packets wait too long.

    When every packet of an interval `interval_s` has waited `target_s` or longer, one is dropped,
    and the next ones at times that come closer with the square root of their number.

    >>> from longfat import CoDel
    >>> CoDel().target_s
    0.005
    """

    kind: Literal["codel"] = "codel"
    target_s: Annotated[float, Field(gt=0, le=60)] = 0.005
    interval_s: Annotated[float, Field(gt=0, le=60)] = 0.1
    ecn: bool = True


class FqCoDel(Kind):
    """Flow queues with controlled delay (RFC 8290): each flow waits in a queue of its own.

    The queues take turns, the new ones first; each may send `quantum_bytes` in its turn, and
    `target_s` and `interval_s` are those of `CoDel` in each. Where the link's queue, of all of them
    together, is full, the one with the most bytes loses half of its packets, at most 64. Flows
    never share a queue, as they may where a hash tells them apart.

    >>> from longfat import FqCoDel
    >>> FqCoDel().quantum_bytes
    1514
    """

    kind: Literal["fq_codel"] = "fq_codel"
    target_s: Annotated[float, Field(gt=0, le=60)] = 0.005
    interval_s: Annotated[float, Field(gt=0, le=60)] = 0.1
    quantum_bytes: Annotated[int, Field(ge=1, le=65_535)] = 1514
    ecn: bool = True


class Pie(Kind):
    """Proportional integral controller enhanced (RFC 8033).

    Every `update_s` the probability with which arriving packets are dropped moves by `alpha` (1/s)
    times how far the queue's delay is from `target_s`, and `beta` (1/s) times how much it has
    grown; for `max_burst_s` after a quiet time nothing is dropped. With `ecn`, packets of flows
    with ECN are marked instead while the probability is at most `mark_below`. Of the RFC's optional
    elements (section 5) it has derandomization, the cap and the delay from timestamps; it is always
    active, without the threshold of section 5.3 below which others switch it off.

    >>> from longfat import Pie
    >>> Pie(target_s=0.02).max_burst_s
    0.15
    """

    kind: Literal["pie"] = "pie"
    target_s: Annotated[float, Field(gt=0, le=60)] = 0.015
    update_s: Annotated[float, Field(ge=1e-4, le=60)] = 0.015
    max_burst_s: Annotated[float, Field(ge=0, le=60)] = 0.15
    alpha: Annotated[float, Field(gt=0, le=1000)] = 0.125
    beta: Annotated[float, Field(gt=0, le=1000)] = 1.25
    mark_below: Annotated[float, Field(ge=0, le=1)] = 0.1
    ecn: bool = True


class Xcp(Model):
    """A router that speaks XCP (Katabi, Handley and Rohrs 2002; draft-falk-xcp-spec-03).

    Once a mean round trip it works out how much the traffic over the link may grow: `alpha` times
    what is left of the link, less `beta` times the queue that stands, a round trip; a share `gamma`
    of the traffic is moved from flow to flow in any case. The control is stable, by the paper's
    analysis, for alpha < pi / (4 sqrt 2) = 0.555 and beta = alpha^2 sqrt 2.

    >>> from longfat import Xcp
    >>> Xcp().alpha
    0.4
    """

    alpha: Annotated[float, Field(gt=0, le=10)] = 0.4
    beta: Annotated[float, Field(ge=0, le=10)] = 0.226
    gamma: Annotated[float, Field(ge=0, le=1)] = 0.1


class Snoop(Kind):
    """A base station that repairs the losses of its radio (Balakrishnan et al. 1995).

    It keeps up to `cache_packets` segments that it has sent over the link, sends one again, before
    all that waits, on the first duplicate ACK that asks for it, or when the local timer expires
    (from the round trip over the link, `min_timeout_s` at least), and holds back the duplicate
    ACKs. The paper is older than SACK: with `hides_sack` it takes the blocks out of ACKs that ask
    for what it is about to repair. From `fails_at_s` on it is a router like any other.

    >>> from longfat import Snoop
    >>> Snoop().hides_sack
    True
    """

    kind: Literal["snoop"] = "snoop"
    cache_packets: Count = 1000
    min_timeout_s: Annotated[float, Field(gt=0, le=60)] = 0.1
    hides_sack: bool = True
    fails_at_s: Seconds | None = None


class Wtcp(Kind):
    """A base station that repairs, and hides the time that it takes (Ratnam and Matta 1998).

    As `Snoop`, but the segments wait in its queue: after a local timeout only one is outstanding
    until the host has acknowledged it. With `hides_time` it adds what a segment has waited there to
    its timestamp, so that the sender's round trip is that of the rest of the path.

    >>> from longfat import Wtcp
    >>> Wtcp(min_timeout_s=0.2).hides_time
    True
    """

    kind: Literal["wtcp"] = "wtcp"
    cache_packets: Count = 1000
    min_timeout_s: Annotated[float, Field(gt=0, le=60)] = 0.1
    hides_sack: bool = True
    hides_time: bool = True
    fails_at_s: Seconds | None = None


TRACE_BYTES = 1500  # what an opportunity of Mahimahi's traces carries
ASSISTANCE = ("loss_bursts", "arq", "delivery_ms", "aqm", "base_station", "notifies_loss")


def mahimahi(path: Path | str) -> dict[str, Any]:
    """Return the fields of a `Link` that follows a trace of Mahimahi's (Netravali et al. 2015).

    Each line of the file is a time in ms at which the link can deliver 1500 bytes; after the last
    the trace begins anew. Raises InputError, with the line, for a file that is no such trace.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat.links import mahimahi
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trace"
    ...     _ = path.write_text("1\\n5\\n12\\n")
    ...     mahimahi(path)
    {'rate_bps': 3000000.0, 'delivery_ms': (1, 5, 12)}
    """
    try:
        lines = Path(path).read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    times: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not line.strip().isdecimal() or len(line) > LONGEST_QUOTE:
            raise InputError(
                f"{path}: line {number}: {quoted(line)}: a trace has one whole number of ms a line"
            )
        times.append(int(line))
        if len(times) > 1 and times[-1] < times[-2]:
            raise InputError(
                f"{path}: line {number}: the trace goes back in time: {times[-1]} ms stands after "
                f"{times[-2]} ms"
            )
    if not times or times[-1] < 1:
        raise InputError(f"{path}: a trace has one time at least, and ends after 0 ms")
    return {"rate_bps": trace_rate_bps(tuple(times)), "delivery_ms": tuple(times)}


def trace_rate_bps(delivery_ms: tuple[int, ...]) -> float:
    """Return the mean rate of a trace, in bit/s."""
    return 8 * TRACE_BYTES * len(delivery_ms) / (delivery_ms[-1] / 1000)


class Link(Model):
    """One direction of a cable or radio link, with the drop-tail queue in front of it.

    A packet of a flow with ECN that finds `mark_above_packets` or more in the queue is marked;
    `aqm` manages the queue actively instead. `loss_bursts` come beside the other losses, and `arq`
    repairs all of them. A `base_station` at the source repairs them as far as TCP shows them. With
    `notifies_loss` the far end marks ACKs that ask for what the link has lost, and the sender then
    does not reduce its window (explicit loss notification, Balakrishnan and Katz 1998). With
    `delivery_ms` the link follows a trace as Mahimahi has them: at each of these times, in ms, it
    can deliver 1500 bytes, and after the last it begins anew; `rate_bps` must then be the trace's
    mean rate (`longfat.links.mahimahi` reads both from a file).

    The router in front of a link may speak XCP (`xcp`), and Quick-Start (RFC 4782): it approves
    requests as far as `approve_bps` is neither used nor approved within the last half second. It
    may also speak `ptp` (the Performance Transparency Protocol, Welzl 2003): it writes into a query
    the link's rate, how many bytes it has sent, and the time.

    >>> from longfat import Link
    >>> there = Link(source="a", target="b", rate_bps=10e6, delay_s=0.05, queue_packets=100)
    >>> there.loss_per_packet
    0.0
    """

    source: Name
    target: Name
    rate_bps: BitRate
    delay_s: Seconds
    queue_packets: Count | None = None
    queue_bytes: Count | None = None
    loss_per_packet: Probability = 0.0
    loss_per_bit: Probability = 0.0
    outages: tuple[Outage, ...] = ()
    changes: tuple[LinkChange, ...] = ()
    mark_above_packets: Count | None = None
    loss_bursts: LossBursts | None = None
    arq: Arq | None = None
    delivery_ms: Annotated[tuple[Milliseconds, ...], Field(max_length=1_000_000)] = ()
    aqm: Annotated[Red | CoDel | FqCoDel | Pie, Field(discriminator="kind")] | None = None
    xcp: Xcp | None = None
    approve_bps: BitRate | None = None
    ptp: bool = False
    base_station: Annotated[Snoop | Wtcp, Field(discriminator="kind")] | None = None
    notifies_loss: bool = False

    @property
    def assistance(self) -> tuple[str, ...]:
        """The fields of what a link does besides sending and losing, where they are stated."""
        return tuple(name for name in ASSISTANCE if getattr(self, name))

    @field_validator("delivery_ms")
    @classmethod
    def _forward_in_time(cls, times: tuple[int, ...]) -> tuple[int, ...]:
        for number, (before, after) in enumerate(itertools.pairwise(times), 1):
            if after < before:
                raise ValueError(
                    f"the trace goes back in time: {after} ms stands after {before} ms "
                    f"(place {number})"
                )
        if times and times[-1] == 0:
            raise ValueError("the trace must end after 0 ms")
        return times

    def _mistakes(self) -> Iterator[Mistake]:
        if self.delivery_ms:
            rate_bps = trace_rate_bps(self.delivery_ms)
            if not math.isclose(self.rate_bps, rate_bps, rel_tol=0.01):
                yield (
                    f"rate_bps {self.rate_bps:g} must be the mean rate of delivery_ms, "
                    f"{rate_bps:g}, within 1 %"
                )
            if any(change.rate_bps is not None for change in self.changes):
                yield "changes of rate_bps are not allowed beside delivery_ms"
            if self.arq:
                yield "arq is not allowed beside delivery_ms: the trace is what is left"
        if self.xcp and self.assistance:
            yield f"xcp is not allowed beside {self.assistance[0]}"
        if self.aqm and self.mark_above_packets is not None:
            yield "state either aqm or mark_above_packets"
        if (self.queue_packets is None) == (self.queue_bytes is None):
            yield "state either queue_packets or queue_bytes"
        if self.source == self.target:
            yield f"a link must join two nodes, not {quoted(self.source)} to itself"
