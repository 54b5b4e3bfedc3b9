"""What theory and arithmetic say in the chapter on the survey: tables that need no run."""

from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.papers import survey
from longfat.papers.survey.network import WITH_TIMESTAMPS
from longfat.papers.survey.plan import NAMES

SHORT = {key: key.split("-")[0] for key in NAMES}


def claims_by_id() -> pd.DataFrame:
    """Return the survey's claims by their id, without a missing unit."""
    return papers.claims("survey").set_index("id").fillna({"unit": ""})


def kept_windows() -> pd.DataFrame:
    """Return what a single loss does to three windows of the same pipe, by the algorithms alone.

    From a peak of 1400 segments, round trip by round trip, until the peak is reached again three
    times or for 800 round trips. Columns: algorithm, round_trip, window.
    """
    rules: dict[str, tuple[Any, Any]] = {
        "standard": (lambda w: 1.0, lambda w: 0.5),
        "highspeed": (survey.highspeed_increase, survey.highspeed_decrease),
        "scalable": (lambda w: survey.SCALABLE["A"] * w, lambda w: survey.SCALABLE["b"]),
    }
    peak, rows = 1400.0, []
    for name, (increase, decrease) in rules.items():
        window = peak
        for trip in range(800):
            rows.append({"algorithm": name, "round_trip": trip, "window": window})
            window = (
                window * (1 - decrease(window)) if window >= peak else window + increase(window)
            )
    return pd.DataFrame(rows)


def increases(windows: tuple[int, ...] = (50, 200, 1000, 3000, 5000)) -> pd.DataFrame:
    """Return how many segments a round trip adds, as specified and by ns-3's own classes.

    A row a window. ns-3's NewReno adds whole bytes an ACK, at least one; its HighSpeed takes the
    next higher row of the RFC's table; its Scalable adds a segment for 50 ACKs.
    """
    window = np.array(windows)
    rows = survey.rfc3649_table()
    size = WITH_TIMESTAMPS
    return pd.DataFrame(
        {
            "window": window,
            "standard TCP": 1.0,
            "ns-3's NewReno": window * np.maximum(1, size // window) / size,
            "HSTCP": survey.highspeed_increase(window),
            "ns-3's HighSpeed": rows["a"].to_numpy()[np.searchsorted(rows["w"], window)],
            "Scalable TCP": 0.01 * window,
            "ns-3's Scalable": window / np.minimum(window, 50),
        }
    )


def recomputed_numbers() -> pd.DataFrame:
    """Return the text's numbers that follow from others of it: the claims, and `computed`."""
    again = pd.Series(survey.recomputed(), name="computed")
    return claims_by_id().loc[again.index].join(again)


def requirements(rate_bps: float, rtt_s: float, packet_bytes: float) -> pd.DataFrame:
    """Return what each algorithm asks of a path, a row an algorithm.

    Columns: algorithm; those of `survey.loss_interval`; recovery_s, from one loss at a window of
    the bandwidth-delay product back to it (s).
    """
    peak = round(rate_bps * rtt_s / 8 / packet_bytes)
    return pd.DataFrame(
        [
            {"algorithm": name}
            | survey.loss_interval(name, rate_bps, rtt_s, packet_bytes)
            | {"recovery_s": survey.recovery_time(name, peak, rtt_s)}
            for name in survey.RESPONSES
        ]
    )


def ten_gigabits() -> pd.DataFrame:
    """Return what 10 Gb/s over 0.1 s ask of a path (`requirements`)."""
    return requirements(rate_bps=10e9, rtt_s=0.1, packet_bytes=1500)


def mean_windows() -> pd.DataFrame:
    """Return the response functions: columns loss, and each algorithm's mean window (segments)."""
    loss = np.geomspace(1e-8, 1e-2, 121)
    windows = {name: survey.mean_window(name, loss) for name in survey.RESPONSES}
    return pd.DataFrame({"loss": loss} | windows)


def headers() -> pd.DataFrame:
    """Return what headers take of full packets: columns mtu, header (bytes) and part (of 1)."""
    table = statistics.combinations(mtu=[1500, 9000], header=[40, 60])
    return table.assign(part=survey.header_overhead(table["mtu"], table["header"]))


def hardware() -> pd.DataFrame:
    """Return what the test bed's links and buses can carry of payload, beside what was measured.

    Packets of 1500 bytes, 1448 of payload. A row a limit: what, Mb/s, how (it is found).
    """
    payload, packet = WITH_TIMESTAMPS, 1500
    numbers = claims_by_id()["printed"]
    cells = -(-(packet + 8 + 8) // 48)  # AAL5: LLC/SNAP and trailer, padded to whole cells of 48
    rows = [
        ("JAPAN path by its name", 600.0, "stated"),
        (
            "600 Mb/s of ATM cells",
            600 * payload / (cells * 53),
            f"{cells} cells of 53 bytes carry a packet of 1500 with 1448 of payload",
        ),
        (
            "32-bit PCI bus, each packet crosses it twice",
            32 * 33.33 / 2 * payload / packet,
            "32 bits at 33 MHz, without any pause between transfers",
        ),
        ("routers joined directly", numbers["survey-direct-rate"], "measured"),
        ("Scalable TCP over 8000 km", numbers["survey-mean-scalable"], "measured"),
    ]
    return pd.DataFrame(rows, columns=["limit", "Mb/s", "how"])


def printed() -> pd.DataFrame:
    """Return the six numbers of figure 5: a row an algorithm, columns Mb/s and loss %."""
    numbers = claims_by_id()["printed"]
    return pd.DataFrame(
        {
            number: [numbers[f"survey-{kind}-{short}"] for short in SHORT.values()]
            for number, kind in (("Mb/s", "mean"), ("loss %", "loss"))
        },
        index=list(NAMES),
    )
