"""The page on the segment engine beside ns-3: a figure and its tables."""

import pandas as pd

from longfat.book.chapters import segment_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import engines_checked
from longfat.studies.setting import setting

GRID = tuple(f"segment-validation-{engine}" for engine in engines_checked.ENGINES)
WINDOWS = tuple(f"segment-windows-{engine}" for engine in engines_checked.ENGINES)
FEW = ["hybla", "cubic", "bbr"]  # for a quick look


def agreement(runs: Runs) -> pd.DataFrame:
    """Return how far both engines agree on each congestion control, in words."""
    table = engines_checked.by_algorithm(runs.derived(engines_checked.grid))
    return charts.named(table).rename(
        columns={
            "flows_compared": "flows compared",
            "median_difference_percent": "median difference of means (%)",
            "largest_difference_percent": "largest (%)",
        }
    )


def window_limited_goodput(runs: Runs) -> pd.DataFrame:
    """Return goodputs that the receiver's window limits, in words."""
    return engines_checked.window_limited_goodput(runs).rename(
        columns={
            "receive_buffer_bytes": "receiver's buffer (bytes)",
            "ns3": "ns-3",
            "segment": "segment engine",
            "difference": "difference (%)",
        }
    )


def chapter(
    profile: str = "paper", seeds: int | None = None, algorithms: list[str] | None = None
) -> Chapter:
    """Return the page at a setting (`setting.setting`), for all congestion controls or some."""
    at = setting(profile, seeds)
    return Chapter(
        name="segment",
        setting=at,
        experiments=engines_checked.experiments(
            algorithms or (FEW if at.quick else None), at.repetitions(5)
        ),
        figures=(
            Table(
                name="segment-grid",
                data=lambda _: engines_checked.GRID.rename(
                    columns={"rtt_s": "round trip (s)", "buffer_bdp": "buffer"}
                ),
                formats={"loss": "{:g}", "round trip (s)": "{:g}", "buffer": "{:g}"},
                caption="Points of the grid, for each congestion control",
            ),
            Table(
                name="segment-agreement",
                uses=GRID,
                data=agreement,
                formats=dict.fromkeys(("median difference of means (%)", "largest (%)"), "{:.2f}"),
                caption="Segment engine and full ns-3 stack",
            ),
            Figure(
                name="segment-validation",
                uses=GRID,
                data=lambda runs: runs.derived(engines_checked.grid),
                chart=lambda data, _: charts.agreement(data),
                caption="Goodput of each flow of the grid by the segment engine over that by the "
                "full stack, with 95 % intervals. The legend says how many points lie on the "
                "diagonal exactly.",
            ),
            Table(
                name="segment-windows",
                uses=WINDOWS,
                data=window_limited_goodput,
                formats={
                    "loss": "{:g}",
                    "ns-3": "{:.4f}",
                    "segment engine": "{:.4f}",
                    "difference (%)": "{:+.2f}",
                },
                caption="Goodput in Mb/s of flows that the receiver's window limits, segments of "
                "1000 bytes",
            ),
        ),
    )
