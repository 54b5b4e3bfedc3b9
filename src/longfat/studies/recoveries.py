"""What a sender sends after each ACK of a recovery: the segment engine's beside that of Linux 6.12.

Both have the same path, the same far end (tools/peer.h: every segment is acknowledged at once,
three blocks of SACK, none for duplicates) and the same transmissions that are lost, late or
marked. The window is slow start's first: `Case.window` segments leave at 0.1 s, the round trip is
0.1 s and a millisecond for every segment on its way, without timestamps; the congestion control is
Linux's Reno.
`data/recoveries.csv` has the answers, made by tools/recoveries.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longfat import paths

RTT_S = 0.1
GAP_S = 0.001
FIRST_FLIGHT_S = 0.1  # after the SYN
NO_SSTHRESH = 1e6  # segments

WHOLE_SEGMENTS = (
    "Linux counts proportional rate reduction in whole segments and rounds each up; the segment "
    "engine counts bytes, as RFC 9937 does, and sends when there is room for a whole segment: for "
    "a window that is halved, one ACK later."
)
PRIOR_WINDOW = (
    "Linux divides by the window before the loss, RFC 9937 by what was outstanding; without SACK "
    "that is two more, those of limited transmit."
)
RACK_MARKS = (
    "Linux (RACK, RFC 8985) takes for lost what was sent before anything that has arrived, once "
    "three are reported; by RFC 6675 three must be reported above each."
)
RACK_AGAIN = (
    "A lost retransmission is lost for Linux as soon as one segment that was sent after it has "
    "arrived (RACK, with no reordering seen), here after three. Linux does not lower the window "
    "again; RFC 5681, section 4.3, says that it must be."
)
TAIL_PROBE = (
    "Linux probes after two round trips (tail loss probe, RFC 8985, section 7) with a new segment, "
    "whose report begins a recovery: there is no timeout. The RFCs that the segment engine follows "
    "leave it to the timer, which expires after 1 s."
)
AT_A_MARK = (
    "For a mark Linux comes down from the window before the ACK that echoes it, the segment engine "
    "from what is outstanding after it: its first new segment leaves two ACKs later."
)
NEWRENO_END = (
    "Without SACK Linux stays in recovery until an ACK passes RecoveryPoint, so that duplicates "
    "that are late begin no other (RFC 6582, 3.2); here the state ends at it, and the duplicates "
    "are told apart by RecoveryPoint."
)


@dataclass(frozen=True)
class Case:
    """A recovery: what is lost or late, in the words of tools/peer.h, and why the two differ."""

    title: str
    window: int  # in segments
    words: tuple[str, ...]
    sack: bool = True
    until_s: float = 0.45
    differs: tuple[str, ...] = (WHOLE_SEGMENTS,)


CASES: Mapping[str, Case] = {
    "one": Case("one segment lost", 20, ("lose=0.1",)),
    "two": Case("two segments lost", 20, ("lose=0.1", "lose=7.1")),
    "many": Case(
        "every third segment lost",
        30,
        tuple(f"lose={segment}.1" for segment in range(0, 30, 3)),
        differs=(WHOLE_SEGMENTS, RACK_MARKS),
    ),
    "burst": Case(
        "twenty segments in a row lost", 40, tuple(f"lose={segment}.1" for segment in range(10, 30))
    ),
    "again": Case(
        "a retransmission lost",
        20,
        ("lose=0.1", "lose=0.2"),
        differs=(WHOLE_SEGMENTS, RACK_AGAIN),
    ),
    "all": Case(
        "all of a flight lost",
        10,
        tuple(f"lose={segment}.1" for segment in range(10)),
        until_s=1.55,
        differs=(TAIL_PROBE,),
    ),
    "late by 2": Case(
        "a segment comes two later", 20, ("late=0.1.2500000",), until_s=0.25, differs=()
    ),
    "late by 3": Case("a segment comes three later", 20, ("late=0.1.3500000",)),
    "one, no SACK": Case(
        "one segment lost, without SACK",
        20,
        ("lose=0.1",),
        sack=False,
        differs=(WHOLE_SEGMENTS, PRIOR_WINDOW, NEWRENO_END),
    ),
    "two, no SACK": Case(
        "two segments lost, without SACK",
        20,
        ("lose=0.1", "lose=7.1"),
        sack=False,
        differs=(WHOLE_SEGMENTS, PRIOR_WINDOW, NEWRENO_END),
    ),
    "mark": Case("one segment marked", 20, ("ecn", "mark=5.1"), differs=(AT_A_MARK,)),
    "two marks": Case(
        "two segments of a window marked", 20, ("ecn", "mark=5.1", "mark=9.1"), differs=(AT_A_MARK,)
    ),
    "mark and loss": Case(
        "one segment marked, a later one of the window lost",
        20,
        ("ecn", "mark=3.1", "lose=9.1"),
        differs=(WHOLE_SEGMENTS, AT_A_MARK),
    ),
    "timeouts": Case(
        "all of a flight lost, and what is sent again twice",
        4,
        ("lose=0.1", "lose=1.1", "lose=2.1", "lose=3.1", "lose=4.1", "lose=0.2", "lose=0.3"),
        until_s=8.3,
        differs=(TAIL_PROBE,),
    ),
}


def ranges(numbers: list[int]) -> str:
    """Return numbers as text: '0-3 5' for 0, 1, 2, 3, 5."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def rows(answers: list[dict[str, Any]], until_s: float) -> pd.DataFrame:
    """Return a driver's answers, a row for each ACK, and for each time at which a timer sent."""
    found = []
    for answer in answers:
        by_time: dict[float, list[int]] = {answer["time_s"]: []} if "ack" in answer else {}
        told = [segment for _, segment, kind in answer["sent"] if kind == "CWR"]
        for time_s, segment, kind in answer["sent"]:
            if kind != "SYN":
                by_time.setdefault(answer["time_s"] if "ack" in answer else time_s, []).append(
                    segment
                )
        for time_s, sent in by_time.items():
            if time_s > until_s:
                continue
            found.append(
                {
                    "time_ms": round(1e3 * time_s, 1),
                    "ack": str(answer.get("ack", "")),
                    "reported": " ".join(ranges([*range(a, b)]) for a, b in answer.get("sack", ())),
                    "echo": "ECE" if answer.get("echo") else "",
                    "sent": ranges(sent),
                    "told": ranges([segment for segment in sent if segment in told]),
                    "cwnd": f"{answer['cwnd']:g}",
                    "ssthresh": f"{answer['ssthresh']:g}"
                    if answer["ssthresh"] < NO_SSTHRESH
                    else "",
                    "pipe": f"{answer['pipe']:g}",
                    "state": answer["state"],
                }
            )
            if time_s != max(by_time):  # the state is that after the last
                found[-1] |= dict.fromkeys(("cwnd", "ssthresh", "pipe", "state"), "")
    return pd.DataFrame(found).set_index("time_ms")


def side_by_side(
    linux: list[dict[str, Any]], segment: list[dict[str, Any]], until_s: float
) -> pd.DataFrame:
    """Return both drivers' answers by time: columns linux_…, segment_…; "" where one has no ACK."""
    both = rows(linux, until_s).add_prefix("linux_")
    both = both.join(rows(segment, until_s).add_prefix("segment_"), how="outer")
    return both.fillna("").reset_index()


def table(case: str) -> pd.DataFrame:
    """Return what was sent after which ACK, as side_by_side does, from `data/recoveries.csv`.

    A segment is a number from 0; `reported` has the blocks of SACK, `echo` says that the ACK echoes
    a mark, `told` which of the segments sent say that the window has been reduced (CWR). Windows
    are in segments.
    """
    data = pd.read_csv(paths.DATA / "recoveries.csv", dtype=str, keep_default_na=False)
    data = data[data["case"] == case].drop(columns="case").reset_index(drop=True)
    return data.assign(time_ms=data["time_ms"].astype(float))


def numbers(text: str) -> list[int]:
    """Return the numbers that `ranges` wrote."""
    found: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def by_round_trip(case: str) -> pd.DataFrame:
    """Return how many segments each sender sent in each round trip, new ones and others.

    Round trip 0 is the first flight, 1 the answer to it, and so on, 0.1 s each.
    """
    data = table(case)
    counts: dict[tuple[int, str], int] = {}
    for who in ("linux", "segment"):
        seen: set[int] = set()
        for time_ms, sent in zip(data["time_ms"], data[f"{who}_sent"], strict=True):
            for number in numbers(sent):
                kind = "again" if number in seen else "new"
                seen.add(number)
                place = int((time_ms - 1e3 * FIRST_FLIGHT_S) // (1e3 * RTT_S)), f"{who}_{kind}"
                counts[place] = counts.get(place, 0) + 1
    columns = ["linux_new", "linux_again", "segment_new", "segment_again"]
    trips = range(max(trip for trip, _ in counts) + 1)
    return pd.DataFrame(
        [
            {"round_trip": t} | {column: counts.get((t, column), 0) for column in columns}
            for t in trips
        ]
    )


def overview() -> pd.DataFrame:
    """Return a row a case: how many segments each sent in the first four round trips, and why not
    the same, beside the rounding that nearly all have (`WHOLE_SEGMENTS`).

    Columns: case, sent by Linux, sent here, differences.
    """
    texts = []
    for name, case in CASES.items():
        trips = by_round_trip(name).head(5).iloc[1:]
        counts = {
            who: " ".join(
                f"{row[f'{who}_new'] + row[f'{who}_again']}" for _, row in trips.iterrows()
            )
            for who in ("linux", "segment")
        }
        others = " ".join(why for why in case.differs if why != WHOLE_SEGMENTS)
        texts.append([case.title, counts["linux"], counts["segment"], others])
    return pd.DataFrame(texts, columns=["case", "sent by Linux", "sent here", "differences"])
