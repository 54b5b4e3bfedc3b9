"""The page cross-check: the same congestion controls on several engines, in figures and tables."""

from collections.abc import Callable, Sequence

import pandas as pd

from longfat.book.chapters import cross_check_charts as charts
from longfat.book.charts import beside
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import engines_compared, long_fat_pipe, recoveries
from longfat.studies.engines_compared import LEGS, LINUX, OURS, THROUGHOUT

CLEAN, RESPONSES, SINGLE, HTCP = (
    tuple(f"cross-check-{what}-{leg.name}" for leg in THROUGHOUT.values())
    for what in ("clean", "responses", "single", "htcp")
)
LOSSY = engines_compared.LOSSY
TRIALS = tuple(f"cross-check-trials-{engine}" for engine in ("linux", "segment"))
SWITCHES = tuple(f"cross-check-switches-{engine}" for engine in ("ns2", "segment"))
PIPES = (long_fat_pipe.SEGMENT_RUNS, long_fat_pipe.LINUX_RUNS)


def _named(make: Callable[[Runs], pd.DataFrame]) -> Callable[[Runs], pd.DataFrame]:
    """Return a function that makes the same table with its controls in words."""
    return lambda runs: charts.named(make(runs))


def _tried(runs: Runs) -> pd.DataFrame:
    table = charts.named(runs.derived(engines_compared.tried))
    shown = ["control", "loss", "trial", "runs", "before", "ours", "Linux", "Linux / ours"]
    return table[[*shown, "verdict"]].rename(
        columns={
            "trial": "changed (ours, if not said)",
            "before": "Linux / ours before",
            "ours": "ours (Mb/s)",
            "Linux": "Linux (Mb/s)",
            "Linux / ours": "Linux / ours then",
        }
    )


def _gaps(runs: Runs) -> pd.DataFrame:
    found = engines_compared.gaps(
        runs.derived(engines_compared.ratios), runs.derived(engines_compared.tried)
    )
    return charts.named(found).rename(
        columns={"before": "Linux / ours", "tried": "what is changed", "after": "Linux / ours then"}
    )


def _pipe(runs: Runs) -> pd.DataFrame:
    table = long_fat_pipe.beside_linux(runs).drop(columns=["ratio", "low", "high"])
    return table.assign(sender=[charts.label(name) for name in table["sender"]])


def _pipe_points(runs: Runs) -> pd.DataFrame:
    engines = (long_fat_pipe.OURS, long_fat_pipe.LINUX)
    return beside(long_fat_pipe.goodput_points(runs), "loss", "engine", engines, ratio=1.12)


def chapter(
    profile: str = "paper",
    controls: Sequence[str] | None = None,
    loss_rates: Sequence[float] | None = None,
    repetitions: int | None = None,
    duration_s: float | None = None,
    rate_bps: float = 10e6,
    rtt_s: float = 0.1,
) -> Chapter:
    """Return the page at a setting (`engines_compared.setting`).

    The long fat pipe has its own loss rates, and of the setting the repetitions alone.
    """
    at = engines_compared.setting(
        profile, controls, loss_rates, repetitions, duration_s, rate_bps, rtt_s
    )
    pipe_losses = long_fat_pipe.LOSSES[-1:] if profile == "quick" else long_fat_pipe.LOSSES
    counts = ("recoveries", "timeouts", "retransmissions")
    medians = ("threshold / before", "after / threshold", "growth")
    return Chapter(
        name="cross-check",
        setting=at,
        experiments=(
            *engines_compared.experiments(at),
            *long_fat_pipe.experiments(pipe_losses, at.repetitions),
        ),
        figures=(
            Table(
                name="cross-check-clean",
                uses=CLEAN,
                data=_named(engines_compared.clean_counts),
                formats={f"{label}, Mb/s": "{:.2f}" for label in THROUGHOUT}
                | {f"{LINUX} / {OURS}": "{:.3f}"},
                caption=f"Goodput and loss recoveries in {at.duration_s:g} s without random loss",
            ),
            Figure(
                name="cross-check-windows",
                uses=CLEAN,
                data=engines_compared.clean_windows,
                chart=lambda data, _: charts.window_traces(data),
                caption=f"Congestion windows over {at.duration_s:g} s without loss, a panel a "
                "control. Most saws of the segment engine lie on those of Linux; LP yields to its "
                "own queue, and only in the simulators.",
            ),
            Table(
                name="cross-check-lossy",
                uses=LOSSY,
                data=_named(
                    lambda runs: engines_compared.side_by_side(
                        runs.derived(engines_compared.ratios)
                    )
                ),
                formats={"loss": "{:g}"} | dict.fromkeys(LEGS, "{:.3f}"),
                caption=f"Goodput (Mb/s), means of {at.repetitions} runs on Linux, ns-3 and ns-2 "
                f"and {2 * at.repetitions} of each other, and Linux's over theirs; runs of ns-3's "
                "own YeAH at 1e-2 do not end",
            ),
            Figure(
                name="cross-check-ratio",
                uses=LOSSY,
                data=lambda runs: runs.derived(engines_compared.ratios).drop(
                    columns="Linux / engine"
                ),
                chart=lambda data, _: charts.ratios(data),
                caption="Ratio of the goodput on Linux to that of each leg with its 90 % interval, "
                "for each congestion control and loss rate. In the grey band the two are within a "
                "factor of 1.1.",
            ),
            Table(
                name="cross-check-distances",
                uses=(*LOSSY, *SWITCHES),
                data=_named(
                    lambda runs: engines_compared.distances(
                        runs.derived(engines_compared.ratios),
                        runs.derived(engines_compared.switches),
                    )
                ),
                formats={"*": "{:.1f}"},
                caption="How far the segment engine's goodputs are from those of Linux and ns-2 "
                "(per cent, means over the loss rates), how far those of the core before this one "
                "were, and how far it is from ns-2 with all undone that parts them",
            ),
            Table(
                name="cross-check-events",
                uses=LOSSY,
                data=_named(
                    lambda runs: engines_compared.events(runs.derived(engines_compared.lossy))
                ),
                formats={"loss": "{:g}"}
                | {f"{what}, {label}": "{:.1f}" for what in counts for label in LEGS},
                caption=f"Recoveries, timeouts and retransmissions in {at.duration_s:g} s (means)",
            ),
            Table(
                name="cross-check-responses",
                uses=RESPONSES,
                data=_named(engines_compared.responses),
                formats={"loss": "{:g}"}
                | {f"{what}, {label}": "{:.2f}" for what in medians for label in THROUGHOUT},
                caption="Window at and after a loss (medians of one run), growth in segments a "
                "round trip",
            ),
            Table(
                name="cross-check-causes",
                uses=(*LOSSY, engines_compared.STACK),
                data=_named(engines_compared.causes),
                formats={"loss": "{:g}"},
                caption="Linux's goodput over ours with its 90 % interval: as the RFCs and papers "
                "have it, with Linux's stack (RACK-TLP, F-RTO, undo), and with its module's rules "
                "too",
            ),
            Table(
                name="cross-check-trials",
                uses=(*LOSSY, *TRIALS),
                data=_tried,
                formats={"loss": "{:g}", "ours (Mb/s)": "{:.3f}", "Linux (Mb/s)": "{:.3f}"},
                caption="What else may part Linux from our engine, with 90 % intervals",
            ),
            Table(
                name="cross-check-switches",
                uses=SWITCHES,
                data=_named(
                    lambda runs: engines_compared.switches_side_by_side(
                        runs.derived(engines_compared.switches)
                    )
                ),
                caption="ns-2's goodput over the segment engine's at each loss rate, with 95 % "
                f"intervals, {engines_compared.SWITCH_RUNS * at.repetitions} runs on each: as they "
                "are, and with what is changed on one side or both",
            ),
            Table(
                name="cross-check-single",
                uses=SINGLE,
                data=engines_compared.one_loss,
                formats={"from (s)": "{:.2f}", "*": "{:.0f}"},
                caption="Segments delivered in each round trip (0.55 s), around one loss at 10.19 "
                "s",
            ),
            Table(
                name="cross-check-recoveries",
                data=lambda _: recoveries.overview(),
                caption="Segments sent in the first round trips after the loss",
            ),
            Table(
                name="cross-check-htcp",
                uses=HTCP,
                data=engines_compared.htcp_windows,
                formats={"*": "{:.0f}"},
                caption="H-TCP's window (segments) on a path without losses, and what each formula "
                "gives",
            ),
            Figure(
                name="cross-check-pipe",
                uses=PIPES,
                data=_pipe_points,
                chart=lambda data, _: charts.long_fat_pipe_goodputs(data),
                caption="Goodput of standard, HighSpeed and Scalable TCP over loss at 600 Mb/s and "
                "0.1 s, with 95 % intervals, beside the response functions.",
            ),
            Table(
                name="cross-check-pipe-linux",
                uses=PIPES,
                data=_pipe,
                formats={"loss": "{:g}"}
                | dict.fromkeys(("response function", OURS, LINUX), "{:.1f}"),
                caption="600 Mb/s and 0.1 s: goodput in Mb/s, means, and Linux's over ours with "
                "its 95 % interval",
            ),
            Table(
                name="cross-check-pipe-highspeed",
                uses=(*PIPES, long_fat_pipe.TABLE_RUNS),
                data=long_fat_pipe.highspeed,
                formats={"loss": "{:g}", "response function": "{:.1f}"},
                caption="HighSpeed TCP over 600 Mb/s and 0.1 s: goodput in Mb/s with its 95 % "
                "interval",
            ),
            Table(
                name="cross-check-gaps",
                uses=(*LOSSY, *TRIALS),
                data=_gaps,
                formats={"loss": "{:g}"},
                caption="Every gap of more than 5 % between Linux and the segment engine, with "
                "90 % intervals, and what takes it away",
            ),
        ),
    )
