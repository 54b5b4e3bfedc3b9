"""The first ten round trips of a transfer, packet by packet.

A link of 10 Gb/s before the narrow one shows when each packet leaves its sender; what the narrow
link sends, and how many wait before it, shows which packets it had no room for. The page draws the
same of a run that its reader asks for (`longfat.book.ten_round_trips`).
"""

from typing import Any

import numpy as np
import pandas as pd

from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.studies.first_round_trips import PACKET_BYTES, SEGMENT_BYTES

ROUNDS = 10
POINTS = 200_000  # of a trace: packets that leave within an interval are one burst
SENDER, ROUTER, RECEIVER = "sender", "router", "receiver"
HANDSHAKE_BYTES = 92  # a SYN and an ACK, of what the sender puts on a link before its data
START_UPS = ("standard", "paced", "limited", "hystart", "hystart++", "search", "hybla", "picoquic")
REMEMBERED = "careful-resume"  # of this path


def scenario(start_up: str, rate_bps: float, rtt_s: float, queue_packets: int) -> Scenario:
    """Return CUBIC with another start-up on a path that it has for itself.

    >>> from longfat.studies import ten_round_trips
    >>> ten_round_trips.scenario("standard", 20e6, 0.6, 1000).duration_s
    6.84
    """
    kind: dict[str, Any] = {"kind": start_up}
    if start_up == REMEMBERED:
        kind |= {"saved_cwnd_bytes": round(rate_bps * rtt_s / 8), "saved_rtt_s": rtt_s}
    links = [
        *duplex(SENDER, ROUTER, rate_bps=10e9, delay_s=1e-9, queue_packets=1_000_000),
        *duplex(
            *(ROUTER, RECEIVER), rate_bps=rate_bps, delay_s=rtt_s / 2, queue_packets=queue_packets
        ),
    ]
    flow = Flow(
        source=SENDER,
        target=RECEIVER,
        congestion_control="cubic",
        start_up=kind,
        segment_bytes=SEGMENT_BYTES,
        initial_window_segments=10,
        send_buffer_bytes=2_000_000_000,
        receive_buffer_bytes=2 * round(rate_bps * rtt_s / 8 + queue_packets * SEGMENT_BYTES),
        timestamps=False,
        rack=True,
    )
    series = ("cwnd_segments", "queue_packets", "sent_bytes")
    record = Record(series=series, points=POINTS)
    duration_s = round((ROUNDS + 1.4) * rtt_s, 9)  # a handshake, and what the last window needs
    return Scenario(links=links, flows=[flow], duration_s=duration_s, record=record)


def packets(result: Result) -> pd.DataFrame:
    """Return the data packets, in the order in which they were sent: sent_s, and left_s.

    left_s is when the narrow link has sent a packet; it is missing where its queue had no room, and
    infinite where it was still to come at the end.
    """
    # Times in whole nanoseconds, as the engine counts them: many an interval begins with a packet.
    step_s = 1e-9 * round(result.scenario.duration_s * 1e9) / POINTS
    sent = result.traces["sent_bytes"]
    waiting = result.traces["queue_packets"]

    def of(table: pd.DataFrame, source: str, column: str) -> tuple[np.ndarray, np.ndarray]:
        target = {SENDER: ROUTER, ROUTER: RECEIVER}[source]
        own = table[table["link"] == f"{source}>{target}"]
        return own["time_s"].to_numpy(), own[column].to_numpy()

    def counted(source: str) -> tuple[np.ndarray, np.ndarray]:
        times, bytes_ = of(sent, source, "sent_bytes")
        return times, np.maximum((bytes_ - HANDSHAKE_BYTES) / PACKET_BYTES, 0).round().astype(int)

    times, entered = counted(SENDER)
    left_times, left = counted(ROUTER)
    queue_times, queue = of(waiting, ROUTER, "queue_packets")
    reached_ns = (times * 1e9).round() + round(result.scenario.links[0].delay_s * 1e9)
    place = (1e-9 * reached_ns / step_s).astype(int)

    def until(at: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the last value in or before each interval in which packets were sent."""
        found = np.searchsorted((at / step_s).astype(int), place, side="right")
        return np.concatenate([[0], values])[found]

    # While packets wait, one more is with the link itself.
    beyond = entered - until(left_times, left) - until(queue_times, queue) - 1
    dropped = np.maximum.accumulate(np.maximum(beyond, 0)).astype(int)
    news, lost = np.diff(entered, prepend=0), np.diff(dropped, prepend=0)
    sent_s = np.repeat(times, news)
    # Of a burst the last find no room.
    within = np.arange(len(sent_s)) - np.repeat(np.cumsum(news) - news, news)
    kept = within < np.repeat(news - lost, news)
    left_s = np.full(len(sent_s), np.nan)
    out = np.repeat(left_times, np.diff(left, prepend=0))[: kept.sum()]
    left_s[np.flatnonzero(kept)] = np.concatenate([out, np.full(kept.sum() - len(out), np.inf)])
    return pd.DataFrame({"sent_s": sent_s, "left_s": left_s})


def rounds(result: Result) -> pd.DataFrame:
    """Return the ten round trips, a row each: round, sent, lost, window, waiting.

    A round trip lasts as long as one without queues, from the first data packet on. `lost` is what
    the queue had no room for; `window` what it is at the end, in segments (as many as
    the receiver has room for at most); `waiting` the most packets in the queue.
    """
    found = packets(result)
    rtt_s = 2 * result.scenario.links[2].delay_s
    begin_s = found["sent_s"].iloc[0]
    window, queue = result.traces["cwnd_segments"], result.traces["queue_packets"]
    queue = queue[queue["link"] == f"{ROUTER}>{RECEIVER}"]
    room = int(result.scenario.flows[0].receive_buffer_bytes) // SEGMENT_BYTES
    rows = []
    for number in range(ROUNDS):
        first, last = begin_s + number * rtt_s, begin_s + (number + 1) * rtt_s
        own = found[(found["sent_s"] >= first) & (found["sent_s"] < last)]
        there = queue[(queue["time_s"] >= first) & (queue["time_s"] < last)]["queue_packets"]
        rows.append(
            {
                "round": number + 1,
                "sent": len(own),
                "lost": int(own["left_s"].isna().sum()),
                "window": float(
                    min(room, window[window["time_s"] < last]["cwnd_segments"].iloc[-1])
                ),
                "waiting": int(there.max()) if len(there) else 0,
            }
        )
    return pd.DataFrame(rows)
