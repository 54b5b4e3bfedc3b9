"""Which sender for a path: every one over it, alone and, if asked, beside a neighbour.

The runs are those of the atlas, as long and measured as there (`longfat.studies.atlas`). A path
that the atlas has is answered from its archive, any other is simulated on the segment engine.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from longfat import engines, statistics, store
from longfat.errors import InputError, nearest
from longfat.papers import inputs
from longfat.studies import atlas
from longfat.studies.senders import OF_LONG_PAGE, senders
from longfat.sweeps import simulate_all

SEEDS = 3
MOST_SEGMENTS = 2e6  # that a path's link carries in a run: more is not answered while one waits
NEIGHBOURS = tuple(name for name in atlas.BESIDE if name)


def names() -> list[str]:
    """Return the senders that are compared by default: those of the atlas."""
    return [*senders(), *OF_LONG_PAGE]


def compare(
    rate_bps: float,
    rtt_s: float,
    loss: float,
    buffer_bdp: float = 1.0,
    beside: str = "",
    among: Iterable[str] = (),
    seeds: int = SEEDS,
) -> pd.DataFrame:
    """Return the senders over a path, the largest goodput first.

    `loss` is the probability that a packet is lost, the buffer is in bandwidth-delay products.
    Columns: sender; Mb/s with its 95 % interval, low and high; rtt_95, the round trip that 95 % of
    the measured ones stay below, as a multiple of the empty path's; repeated, which part of all
    segments was sent again; runs (0: from the atlas's archive, whose intervals are of equal parts
    of one run). With `beside`, also keeps: the goodput of that neighbour beside the sender as a
    part of what it has beside its own kind, with keeps_low and keeps_high. Raises InputError for
    an unknown sender and for a path whose runs take too long.
    """
    chosen = list(among) or names()
    known = names()
    for name in [*chosen, *([beside] if beside else [])]:
        if name not in known:
            raise InputError(
                f"no sender '{name}' to compare: there are {', '.join(known)}."
                f"{nearest(name, known)}"
            )
    inputs.loss(loss)
    inputs.positive("rate_bps", rate_bps, "bit/s")
    inputs.positive("rtt_s", rtt_s, "s")
    inputs.positive("buffer_bdp", buffer_bdp, "bandwidth-delay products")
    path = {"loss": loss, "rtt_s": rtt_s, "rate_bps": rate_bps, "buffer_bdp": buffer_bdp}
    archived = _archived(path, chosen, beside)
    if archived is not None:
        found = archived[archived["sender"].isin(chosen)]
    else:
        found = _simulated(path, chosen, beside, seeds)
    return found.sort_values("Mb/s", ascending=False, ignore_index=True)


def _archived(path: dict[str, float], chosen: list[str], beside: str) -> pd.DataFrame | None:
    """Return the atlas's answer, or None where it does not have the path or the neighbour, or was
    made by other senders than are here."""
    if beside and (beside not in NEIGHBOURS or path["buffer_bdp"] != atlas.SHARED_BUFFER):
        return None
    try:
        table = atlas.at(store.read_table(atlas.ARCHIVE, "points"), **path)
    except InputError:
        return None
    asked: list[Any] = [{"sender": name, "beside": ""} for name in chosen]
    asked += [{"sender": name, "beside": beside} for name in (*chosen, beside) if beside]
    if not engines.answers(atlas.ARCHIVE, [atlas.scenario(**(run | path)) for run in asked]):
        return None
    carried = _carried_bps(path["rate_bps"]) / 1e6
    found = pd.DataFrame(
        {
            "sender": table["sender"],
            "Mb/s": carried * table["goodput"],
            "low": carried * (table["goodput"] - table["halfwidth"]).clip(lower=0),
            "high": carried * (table["goodput"] + table["halfwidth"]),
            "rtt_95": table["rtt_95"],
            "repeated": table["repeated"],
            "runs": 0,
        }
    )
    if beside:
        found["keeps"] = table[beside]
        found["keeps_low"] = table[f"{beside}_low"].clip(lower=0)
        found["keeps_high"] = table[f"{beside}_high"]
    return found


def _simulated(path: dict[str, float], chosen: list[str], beside: str, seeds: int) -> pd.DataFrame:
    if seeds < 2:
        raise InputError(f"seeds is {seeds}: an interval needs at least 2")
    rate_bps, rtt_s = path["rate_bps"], path["rtt_s"]
    segments = atlas.duration_s(rtt_s, rate_bps) * rate_bps / atlas.PACKET_BITS
    if segments > MOST_SEGMENTS:
        raise InputError(
            f"rate_bps {rate_bps:g} and rtt_s {rtt_s:g}: {atlas.ROUNDS} round trips of this path "
            f"are {segments:.2g} segments, and more than {MOST_SEGMENTS:.2g} are not compared: "
            "take a part of the rate"
        )
    neighbours = ("", beside) if beside else ("",)
    alone = [(name, other) for name in chosen for other in neighbours]
    if beside and beside not in chosen:
        alone.append((beside, beside))
    design = pd.DataFrame(alone, columns=["sender", "beside"]).merge(
        pd.DataFrame({"seed": range(1, seeds + 1)}), how="cross"
    )
    scenes = [atlas.scenario(**(run | path)) for run in design.to_dict("records")]
    rows = pd.DataFrame([atlas.measured(one) for one in simulate_all(scenes)])
    runs = pd.concat([design, rows], axis=1)
    carried = _carried_bps(path["rate_bps"]) / 1e6
    groups = runs[runs["beside"] == ""].groupby("sender", sort=False)
    mean, half = _interval(groups["goodput"])
    found = pd.DataFrame(
        {
            "Mb/s": carried * mean,
            "low": carried * (mean - half).clip(lower=0),
            "high": carried * (mean + half),
            "rtt_95": groups["rtt_95"].mean(),
            "repeated": groups["repeated"].mean(),
            "runs": groups.size(),
        }
    )
    if beside:
        kept, error = _interval(runs[runs["beside"] == beside].groupby("sender")["neighbour"])
        among_own = kept[beside]
        found["keeps"] = kept / among_own
        half = np.hypot(error / among_own, found["keeps"] * error[beside] / among_own)
        found["keeps_low"] = (found["keeps"] - half).clip(lower=0)
        found["keeps_high"] = found["keeps"] + half
    return found.reset_index()


def _interval(groups: Any) -> tuple[pd.Series, pd.Series]:
    """Return each group's mean, and half of its 95 % interval (Student's t over the seeds)."""
    half = statistics.half_width(groups.std(ddof=1), groups.count())
    return groups.mean(), pd.Series(half, index=groups.mean().index)


def _carried_bps(rate_bps: float) -> float:
    """Return the payload that a link carries, without timestamps."""
    return rate_bps * 8 * atlas.SEGMENT_BYTES / atlas.PACKET_BITS
