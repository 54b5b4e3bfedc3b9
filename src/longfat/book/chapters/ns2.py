"""The page on ns-2: its habits, and what it gives beside the segment engine and Linux."""

import pandas as pd

from longfat import paths
from longfat.book.chapters import cross_check_charts
from longfat.experiment import Chapter, Runs, Table
from longfat.studies import ns2_beside
from longfat.studies.setting import setting

LOSS = "$p$"


def habits(_: Runs) -> pd.DataFrame:
    """Return what ns-2 does by habit, a row a habit: by itself, here, and what the papers say."""
    table = pd.read_csv(paths.DATA / "ns2-habits.csv", keep_default_na=False)
    return table.assign(setting=table["setting"].replace("", "–"))


def goodput_comparison(runs: Runs) -> pd.DataFrame:
    """Return ns-2's goodput beside that of the segment engine and of Linux, in words."""
    table = ns2_beside.goodput_comparison(runs)
    shown = {"sender": _senders(table), LOSS: table["loss"]}
    shown |= {f"{name} (Mb/s)": table[name] for name in ("ns-2", "segment engine", "Linux")}
    measured = table.rename(columns={"ratio": "measured"}).to_dict("records")
    return pd.DataFrame(shown | {"ns-2 / segment engine": [_ratio(row) for row in measured]})


def switches(runs: Runs) -> pd.DataFrame:
    """Return how ns-2's goodput is over the segment engine's before and after each switch."""
    table = ns2_beside.switches(runs)
    return pd.DataFrame(
        {
            "sender": _senders(table),
            "what is changed": table["switch"],
            LOSS: table["loss"],
            "ns-2 (Mb/s)": table["ns-2"],
            "segment engine (Mb/s)": table["segment engine"],
            "ratio before": table["before"].map(_ratio),
            "ratio after": table["after"].map(_ratio),
        }
    )


def _senders(table: pd.DataFrame) -> pd.Series:
    return table["control"].map(cross_check_charts.label)


def _ratio(found: dict) -> str:
    return f"{found['measured']:.2f} [{found['low']:.2f}, {found['high']:.2f}]"


def chapter(profile: str = "paper", seeds: int | None = None) -> Chapter:
    """Return the page at a setting (`setting.setting`)."""
    at = setting(profile, seeds)
    mbps = [f"{name} (Mb/s)" for name in ("ns-2", "segment engine", "Linux")]
    formats = {LOSS: "{:g}"} | dict.fromkeys(mbps, "{:.2f}")
    return Chapter(
        name="ns2",
        setting=at,
        experiments=ns2_beside.experiments(at),
        figures=(
            Table(name="ns2-habits", data=habits, caption="What ns-2 does by habit"),
            Table(
                name="ns2-beside",
                uses=(*ns2_beside.PLAIN, ns2_beside.LINUX),
                data=goodput_comparison,
                formats=formats,
                caption="Goodput on ns-2, on the segment engine and on Linux, means, and how many "
                "times the segment engine's ns-2's is, with its 95 % interval",
            ),
            Table(
                name="ns2-switches",
                uses=(*ns2_beside.PLAIN, *ns2_beside.SWITCHED),
                data=switches,
                formats=formats,
                caption="What closes each gap: goodput with the change, and the ratio before and "
                "after it",
            ),
        ),
    )
