"""The page on the atlas: its answers for one path and for all, as tables."""

import pandas as pd

from longfat.book.chapters.cross_check_charts import label
from longfat.errors import InputError
from longfat.experiment import Chapter, Runs, Table
from longfat.studies import atlas
from longfat.style import number, short_name

SATELLITE = {"loss": 1e-3, "rtt_s": 0.6, "rate_bps": 1e7, "buffer_bdp": 1.0}
NEIGHBOURS = ("newreno", "cubic")


def satellite(runs: Runs) -> pd.DataFrame:
    """Return the senders on a satellite's path of the atlas, in words.

    Those that cannot be told from the largest goodput are in bold.
    """
    found = atlas.at(runs.points(atlas.ARCHIVE), **SATELLITE)
    shown = {
        "sender": [
            f"**{label(row.sender)}**" if row.first else label(row.sender)
            for row in found.itertuples()
        ],
        "goodput, part of the link": _plus_minus(found["goodput"], found["halfwidth"]),
        "95 % of round trips within (ms)": 1e3 * SATELLITE["rtt_s"] * found["rtt_95"],
    }
    for neighbour in NEIGHBOURS:
        half = found[f"{neighbour}_high"] - found[neighbour]
        shown[f"a {short_name(neighbour)} beside it keeps"] = _plus_minus(found[neighbour], half)
    return pd.DataFrame(shown)


def senders(runs: Runs) -> pd.DataFrame:
    """Return on how many of the atlas' paths each sender is among the best, in words."""
    table = runs.points(atlas.ARCHIVE)
    found = atlas.summary(table)
    shown = {
        "sender": found["sender"].map(label),
        "among the best (%)": 100 * found["first"],
    }
    for loss in sorted(table["loss"].unique()):
        shown[f"at a loss of {number(loss)} (%)"] = 100 * found[f"first_{loss:g}"]
    shown["95 % of round trips, times the empty path's"] = found["rtt_95"]
    for neighbour in NEIGHBOURS:
        shown[f"{short_name(neighbour)} keeps"] = found[neighbour]
    return pd.DataFrame(shown)


def _plus_minus(means: pd.Series, halves: pd.Series) -> list[str]:
    return [f"{mean:.2f} ± {half:.2f}" for mean, half in zip(means, halves, strict=True)]


def chapter(profile: str = "paper") -> Chapter:
    """Return the page. Raises InputError for the profile "quick": the atlas has none."""
    if profile != "paper":
        raise InputError(f"profile is '{profile}': the atlas has only paper")
    keeps = [f"{short_name(neighbour)} keeps" for neighbour in NEIGHBOURS]
    return Chapter(
        name="atlas",
        setting=None,
        experiments=(atlas.experiment(),),
        figures=(
            Table(
                name="atlas-satellite",
                uses=(atlas.ARCHIVE,),
                data=satellite,
                formats={"95 % of round trips within (ms)": "{:.0f}"},
                caption="The senders over 10 Mb/s and 0.6 s, where a packet in a thousand is lost",
            ),
            Table(
                name="atlas-senders",
                uses=(atlas.ARCHIVE,),
                data=senders,
                formats={"95 % of round trips, times the empty path's": "{:.1f}", "*": "{:.0f}"}
                | dict.fromkeys(keeps, "{:.2f}"),
                caption="On how many of the atlas' paths each sender is among the best",
            ),
        ),
    )
