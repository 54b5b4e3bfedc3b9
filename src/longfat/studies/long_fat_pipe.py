"""Three senders over a long fat pipe, ours beside Linux's and their response functions.

600 Mb/s and 0.1 s, and standard, HighSpeed and Scalable TCP: the paths that the last two are for.
"""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import statistics
from longfat.experiment import Experiment, Runs
from longfat.network import duplex
from longfat.papers import survey
from longfat.scenario import CongestionControl, Flow, Scenario
from longfat.style import ENGINE_LABEL

OURS, LINUX = ENGINE_LABEL["segment"], ENGINE_LABEL["linux"]
# Our congestion control and Linux's, by the response function (of `survey.mean_window`).
SENDERS = {
    "standard": ("standard", "reno"),
    "highspeed": ("highspeed", "highspeed"),
    "scalable": ("scalable", "scalable"),
}
LOSSES = (1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4)
RATE_BPS = 600e6
RTT_S = 0.1
PAYLOAD_BITS = 8 * 1448
LOSSES_A_RUN = 20
SEGMENTS_A_RUN = 1e7  # at most
SEGMENT_RUNS, LINUX_RUNS = "cross-check-pipe-segment", "cross-check-pipe-linux"
TABLE_RUNS = "cross-check-pipe-as-linux"


def experiments(losses: tuple[float, ...], repetitions: int) -> tuple[Experiment, ...]:
    """Return the runs: ours, Linux's, and our HighSpeed TCP with Linux's table (twice as many)."""
    points = {"response": list(SENDERS), "loss": losses}
    own = [
        Experiment(
            name=name,
            build=partial(_run, place),
            points=points,
            repetitions=repetitions,
            engine=engine,
            labels={"engine": label},
        )
        for place, (name, engine, label) in enumerate(
            ((SEGMENT_RUNS, "segment", OURS), (LINUX_RUNS, "linux", LINUX))
        )
    ]
    table = Experiment(
        name=TABLE_RUNS,
        build=_with_table,
        points={"loss": [loss for loss in losses if loss >= 1e-4]},
        repetitions=2 * repetitions,
    )
    return (*own, table)


def _run(place: int, response: str, loss: float, seed: int) -> Scenario:
    return scenario(SENDERS[response][place], response, loss, seed)


def _with_table(loss: float, seed: int) -> Scenario:
    control = CongestionControl(name="highspeed", parameters={"as_linux_6_12": True})
    return scenario(control, "highspeed", loss, seed)


def scenario(control: str | CongestionControl, response: str, loss: float, seed: int) -> Scenario:
    """Return a run of a sender, as long as 20 losses are expected to take.

    Or 10 million segments, where that is shorter. It begins near the window that its response
    function has.
    """
    window = float(survey.mean_window(response, loss))
    rate_bps = min(window * PAYLOAD_BITS / RTT_S, RATE_BPS)
    segments = min(LOSSES_A_RUN / loss, SEGMENTS_A_RUN)
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=RATE_BPS,
            delay_s=RTT_S / 2,
            queue_packets=1000,
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=[
            Flow(
                source="sender",
                target="receiver",
                congestion_control=control,
                segment_bytes=PAYLOAD_BITS // 8,
                initial_ssthresh_segments=round(min(window, 5000)),
            )
        ],
        duration_s=round(segments * PAYLOAD_BITS / rate_bps, 1),
        seed=seed,
    )


def goodputs(of: Runs) -> pd.DataFrame:
    """Return each run: columns response, engine, loss, seed and goodput_bps."""
    runs = of.flows(SEGMENT_RUNS, LINUX_RUNS)
    return runs[["response", "engine", "loss", "seed", "goodput_bps"]]


def goodput_points(of: Runs) -> pd.DataFrame:
    """Return the means of `goodputs`: response, engine, loss, goodput_bps, halfwidth."""
    runs = of.derived(goodputs)
    return statistics.interval(runs, ["response", "engine", "loss"], "goodput_bps")


def beside_linux(of: Runs) -> pd.DataFrame:
    """Return Linux's goodput beside ours: a row a sender and loss rate.

    Columns: sender; loss; in Mb/s response function (not more than the link carries), and the means
    of ours and of Linux's; ratio, low and high: Linux's over ours with its 95 % interval (Welch's t
    on the logarithms); Linux / ours, the same as text. Empty without Linux's runs.
    """
    groups = dict(list(of.derived(goodputs).groupby(["response", "loss", "engine"])["goodput_bps"]))
    rows = []
    for name in SENDERS:
        for loss in sorted({loss for _, loss, _ in groups}):
            ours, linux = (groups.get((name, loss, who)) for who in (OURS, LINUX))
            if ours is None or linux is None:
                continue
            ratio = statistics.ratio(linux, ours)
            rows.append(
                {
                    "sender": name,
                    "loss": loss,
                    "response function": float(response_bps(name, loss)) / 1e6,
                    OURS: ours.mean() / 1e6,
                    LINUX: linux.mean() / 1e6,
                    **ratio,
                    "Linux / ours": "{ratio:.3f} [{low:.3f}, {high:.3f}]".format(**ratio),
                }
            )
    columns = ["sender", "loss", "response function", OURS, LINUX, "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=[*columns, "Linux / ours"])


def highspeed(of: Runs) -> pd.DataFrame:
    """Return what Linux's table makes of HighSpeed TCP, where windows are small.

    Columns: loss; and goodput in Mb/s with its 95 % interval, as text: response function, ours,
    ours with Linux's table, and Linux's.
    """
    plain = of.derived(goodputs)
    plain = plain[plain["response"] == "highspeed"]
    changed = of.flows(TABLE_RUNS)
    legs = {
        OURS: plain[plain["engine"] == OURS],
        "with Linux's table": changed,
        LINUX: plain[plain["engine"] == LINUX],
    }
    table = pd.DataFrame({"loss": changed["loss"].unique()})
    table["response function"] = response_bps("highspeed", table["loss"]) / 1e6
    for label, runs in legs.items():
        points = statistics.interval(runs, ["loss"], "goodput_bps").set_index("loss") / 1e6
        table[label] = [
            f"{points.goodput_bps[loss]:.1f} ± {points.halfwidth[loss]:.1f}"
            if loss in points.index
            else ""
            for loss in table["loss"]
        ]
    return table


def responses(losses: ArrayLike) -> pd.DataFrame:
    """Return the response functions as goodput, not more than the link carries.

    Columns: response, loss (61 from the smallest to the largest), goodput_bps.
    """
    loss = np.geomspace(np.min(losses), np.max(losses), 61)
    lines = [
        pd.DataFrame({"response": name, "loss": loss, "goodput_bps": response_bps(name, loss)})
        for name in SENDERS
    ]
    return pd.concat(lines, ignore_index=True)


def response_bps(name: str, loss: ArrayLike) -> np.ndarray:
    """Return a response function's goodput over the pipe, not more than the link carries, bit/s."""
    most = RATE_BPS * PAYLOAD_BITS / (PAYLOAD_BITS + 8 * 66)
    window = survey.mean_window(name, np.asarray(loss, dtype=float))
    return np.minimum(window * PAYLOAD_BITS / RTT_S, most)
