"""My experiment: what is run, and what its page shows of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
from matplotlib.figure import Figure as Picture

from longfat import paths, statistics
from longfat.book import show
from longfat.cc import catalogue
from longfat.experiment import Chapter, Experiment, Figure, Runs, Table
from longfat.scenario import Flow, Link, Scenario
from longfat.studies.setting import setting

NAME = "my-experiment"
GOODPUT = f"{NAME}-goodput"  # the experiment; it names its archive


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a reader may turn."""

    rivals: Sequence[str]
    loss_rates: Sequence[float]
    repetitions: int


def run(network: Scenario, algorithm: str, loss: float, seed: int) -> Scenario:
    """Return the network with this algorithm, and this loss on the way to the receiver."""
    forward, *others = network.links
    (flow,) = network.flows
    return network.replace(
        links=[Link(**(dict(forward) | {"loss_per_packet": loss})), *others],
        flows=[Flow(**(dict(flow) | {"congestion_control": algorithm}))],
        seed=seed,
    )


def goodput(runs: Runs) -> pd.DataFrame:
    """Return the mean goodput: algorithm, loss, Mb/s, halfwidth of its interval, repetitions."""
    return statistics.interval(runs.flows(GOODPUT), ["algorithm", "loss"], "Mb/s")


def chart(summary: pd.DataFrame) -> Picture:
    """Draw `goodput` over the loss rate."""
    figure, axes = show.subplots()
    for algorithm, points in summary.groupby("algorithm"):
        axes.errorbar(
            points["loss"],
            points["Mb/s"],
            yerr=points["halfwidth"],
            marker="o",
            label=catalogue.find(algorithm).title,
        )
    axes.set(xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")
    axes.set(xscale="log", ylim=(0, None), title="Goodput over loss")
    axes.legend(frameon=False)
    return figure


def chapter(
    profile: str = "paper",
    rivals: Sequence[str] = ("newreno",),
    loss_rates: Sequence[float] = (1e-4, 1e-3, 1e-2),
    repetitions: int | None = None,
) -> Chapter:
    """Return the page, with what its reader may turn; `profile` is "paper" or "quick"."""
    at = Setting(
        rivals=rivals,
        loss_rates=loss_rates,
        repetitions=setting(profile, repetitions).repetitions(5),
    )
    network = Scenario.from_file(paths.SCENARIOS / f"{NAME}.json")
    return Chapter(
        name=NAME,
        setting=at,
        experiments=(
            Experiment(
                name=GOODPUT,
                build=partial(run, network),
                points={"algorithm": [NAME, *rivals], "loss": loss_rates},
                repetitions=at.repetitions,
                engine="segment",
            ),
        ),
        figures=(
            Figure(
                name=f"{NAME}-1",
                uses=(GOODPUT,),
                data=goodput,
                chart=lambda data, _: chart(data),
                caption="Goodput of each algorithm over the loss rate, with 95 % confidence "
                "intervals.",
            ),
            Table(
                name=f"{NAME}-table-1",
                uses=(GOODPUT,),
                data=goodput,
                formats={"loss": "{:g}", "Mb/s": "{:.3f}", "halfwidth": "{:.3f}"},
                caption="Mean goodput, and half the width of its 95 % confidence interval",
            ),
        ),
    )
