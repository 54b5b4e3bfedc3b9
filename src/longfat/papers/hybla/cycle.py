"""One cycle of Hybla, segment by segment: at the limit, a loss, recovery, growth.

So few segments are under way that each can be drawn, and which ACK releases which segment can be
seen. The rules are those of the segment engine on such a path, written a second time: an ACK for
each segment, equation (1) for each ACK, three later segments tell of a loss (RFC 5681), the window
is halved once, and in a recovery what may leave follows what arrives (RFC 9937).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

DUPLICATES = 3
PHASES = ("at the limit", "lost, and not yet known", "recovery", "growth", "back at the limit")


@dataclass(frozen=True)
class Sent:
    """A segment: its number, when it leaves (s), whether it is `lost` or sent `again`, the place of
    the ACK that released it (-1: one before the drawing begins), and the phase."""

    number: int
    at_s: float
    lost: bool
    again: bool
    by: int
    phase: str


@dataclass(frozen=True)
class Heard:
    """An ACK: of which segment, when it arrives (s), the window then (segments), and the phase."""

    number: int
    at_s: float
    window: float
    phase: str


@dataclass(frozen=True)
class Cycle:
    """What is sent and what is heard, in the order of time; `rtt_s` and `limit` are the path's."""

    sent: tuple[Sent, ...]
    heard: tuple[Heard, ...]
    rtt_s: float
    limit: int


def cycle(*, rtt_s: float = 0.55, rtt0_s: float = 0.275, limit: int = 12, lost: int = 15) -> Cycle:
    """Return the cycle in which segment `lost` (from 0) is lost, until a round trip after it.

    The window is at its `limit` at first, and its segments are evenly spread over a round trip.

    >>> from longfat.papers.hybla import cycle
    >>> one = cycle.cycle()
    >>> [segment.number for segment in one.sent if segment.again]
    [15]
    """
    growth = (rtt_s / rtt0_s) ** 2
    sent = [
        Sent(number, rtt_s * number / limit, number == lost, False, -1, PHASES[0])
        for number in range(limit)
    ]
    heard: list[Heard] = []
    acked: set[int] = set()
    flying = limit
    window, threshold = float(limit), 0.0
    phase, recovered, delivered, out, flight = PHASES[0], 0, 0, 0, 0
    stop_s, place = math.inf, 0
    while place < len(sent):
        segment = sent[place]
        place += 1
        now = segment.at_s + rtt_s
        if segment.lost:
            continue
        if now > stop_s:
            break
        acked.add(segment.number)
        flying -= 1
        missing = lost not in acked
        later = sum(number > lost for number in acked)
        highest = max(one.number for one in sent)
        new: list[tuple[int, bool]] = []  # numbers that leave now, and whether again
        if missing and later == 1:
            phase = PHASES[1]
        if phase == PHASES[1] and later == DUPLICATES:
            phase, recovered, flight = PHASES[2], highest, highest - lost + 1
            window = threshold = window / 2
            delivered, out = 0, 1
            new = [(lost, True)]  # in place of the lost one, which is not under way
            flying -= 1
        elif phase == PHASES[2] and set(range(recovered + 1)) <= acked:
            phase = PHASES[3]
        elif phase == PHASES[2]:
            delivered += 1
            leave = math.ceil(delivered * threshold / flight) - out
            out += leave
            new = [(highest + 1 + n, False) for n in range(leave)]
        if phase in PHASES[3:]:
            window = min(float(limit), window + growth / window)
            if phase == PHASES[3] and window == limit:
                phase, stop_s = PHASES[4], now + rtt_s
        if phase != PHASES[2]:
            # one for each duplicate ACK (limited transmit), else what the window allows
            leave = 1 if phase == PHASES[1] else math.floor(window) - flying
            new = [(highest + 1 + n, False) for n in range(leave)]
        heard.append(Heard(segment.number, now, window, phase))
        flying += len(new)
        sent += [
            Sent(number, now, number == lost and not again, again, len(heard) - 1, phase)
            for number, again in new
        ]
    end_s = heard[-1].at_s
    return Cycle(
        sent=tuple(replace(one, at_s=round(one.at_s, 6)) for one in sent if one.at_s <= end_s),
        heard=tuple(replace(one, at_s=round(one.at_s, 6)) for one in heard),
        rtt_s=rtt_s,
        limit=limit,
    )


def sent_in_growth(one: Cycle) -> np.ndarray:
    """Return how many segments each ACK of the growth releases."""
    acks = [place for place, ack in enumerate(one.heard) if ack.phase == PHASES[3]]
    counts = np.bincount([segment.by for segment in one.sent if segment.by >= 0])
    return counts[acks[0] : acks[-1] + 1]
