"""The recoveries of `longfat.studies.recoveries`, made by the segment engine and by Linux."""

from typing import Any

import linux_sender
import sender_driver

from longfat.studies.recoveries import CASES, GAP_S, RTT_S


def of_segment(name: str) -> list[dict[str, Any]]:
    """Return the segment engine's answers in a case."""
    case = CASES[name]
    words = [str(case.until_s + 0.01), str(RTT_S), str(GAP_S), str(int(case.sack)), *case.words]
    return sender_driver.play(
        [" ".join(["peer", *words])],
        congestion_control="reno",
        initial_window_segments=case.window,
        timestamps=False,
        sack=case.sack,
        ecn="ecn" in case.words,
    )


def of_linux(name: str) -> list[dict[str, Any]]:
    """Return Linux's; its kernel must be built."""
    case = CASES[name]
    return linux_sender.play(
        case.window,
        list(case.words),
        sack=case.sack,
        end_s=case.until_s + 0.01,
        rtt_s=RTT_S,
        gap_s=GAP_S,
    )
