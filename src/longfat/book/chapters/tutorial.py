"""The tutorial: General AIMD on a satellite link that loses packets, beside three others."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from longfat import statistics
from longfat.book import new, show
from longfat.errors import InputError
from longfat.experiment import Chapter, Experiment, Figure, Runs, Table
from longfat.network import duplex
from longfat.papers import survey
from longfat.papers.ledger import numeric
from longfat.scenario import CongestionControl, Flow, Scenario
from longfat.studies.setting import setting

ENGINES = ("ns3", "segment")
OTHERS = ("newreno", "cubic", "hybla")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a reader may turn: loss rates, the two numbers of AIMD, and how long and how often."""

    loss_rates: Sequence[float]
    increase_segments: float
    decrease: float
    repetitions: int
    duration_s: float

    def __post_init__(self) -> None:
        if not self.loss_rates:
            raise InputError("loss_rates is empty: name one at least")


def dish(
    algorithm: str | CongestionControl, loss: float, seed: int = 1, duration_s: float = 30.0
) -> Scenario:
    """Return a download from a server behind a gateway and a satellite link that loses packets."""
    wire = duplex("server", "gateway", rate_bps=100e6, delay_s=0.02, queue_packets=1000)
    radio = duplex(
        "gateway", "dish", rate_bps=5e6, delay_s=0.13, queue_packets=200, loss_per_packet=loss
    )
    flow = Flow(
        source="server",
        target="dish",
        congestion_control=algorithm,
        max_window_segments=1000,
    )
    return Scenario(links=[*wire, *radio], flows=[flow], duration_s=duration_s, seed=seed)


def header(increase_segments: float, decrease: float) -> Path:
    """Return the header that `longfat new` begins with, with other defaults and a name of its own.

    It lies in a folder of the system's for what is temporary.
    """
    text = new.HEADER.read_text("utf-8").replace('"my-experiment"', '"mine"')
    changes = {
        "&MyExperiment::m_increase,": ("1,", f"{increase_segments!r},"),
        "&MyExperiment::m_decrease,": ("0.5,", f"{decrease!r},"),
    }
    for member, (stated, wanted) in changes.items():
        before, _, after = text.partition(member)
        text = before + member + after.replace(stated, wanted, 1)
    path = Path(tempfile.mkdtemp()) / "mine.h"
    path.write_text(text, encoding="utf-8")
    return path


def card(table: pd.DataFrame) -> pd.DataFrame:
    """Return the criteria of a report card at which the sender is better or worse.

    `table` is what `longfat.studies.evaluation.evaluate` returns.
    """
    told = table[table["decides"] & table["verdict"].isin(["better", "worse"])]
    columns = ["verdict", "criterion", "path", "measure", "sender", "standard"]
    return told.sort_values("verdict", kind="stable")[columns].reset_index(drop=True)


def _run(at: Setting, algorithm: str, loss: float, seed: int) -> Scenario:
    mine = CongestionControl(
        name="gaimd",
        parameters={"increase_segments": at.increase_segments, "decrease": at.decrease},
    )
    return dish(mine if algorithm == "mine" else algorithm, loss, seed, at.duration_s)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the four on two engines at the smallest and the largest loss rate, and the sweep."""
    ends = list(dict.fromkeys([at.loss_rates[0], at.loss_rates[-1]]))
    compared = [
        Experiment(
            name=f"tutorial-{engine}",
            build=partial(_run, at),
            points={"algorithm": ("mine", *OTHERS), "loss": ends},
            repetitions=at.repetitions,
            engine=engine,
            labels={"engine": engine},
        )
        for engine in ENGINES
    ]
    sweep = Experiment(
        name="tutorial-sweep",
        build=partial(_run, at, "mine"),
        points={"loss": at.loss_rates},
        repetitions=at.repetitions,
        engine="ns3",
    )
    return (*compared, sweep)


def engines(runs: Runs) -> pd.DataFrame:
    """Return the mean goodput of each algorithm by engine: loss, algorithm, engine, Mb/s, halfwidth
    (of its 95 % interval) and repetitions."""
    flows = runs.flows(*(f"tutorial-{engine}" for engine in ENGINES))
    return statistics.interval(flows, ["loss", "algorithm", "engine"], "Mb/s")


def sweep(runs: Runs) -> pd.DataFrame:
    """Return the mean goodput of the sweep: loss, Mb/s, halfwidth, repetitions."""
    return statistics.interval(runs.flows("tutorial-sweep"), ["loss"], "Mb/s")


def model(at: Setting) -> pd.DataFrame:
    """Return AIMD's response function on the dish, at most the link: columns loss and Mb/s."""
    loss = np.geomspace(min(at.loss_rates), max(at.loss_rates), 50)
    window = numeric(survey.EQ[22].rhs)  # of a, b, d, p
    path = dish("gaimd", loss=0.0)
    rtt_s = sum(link.delay_s for link in path.links)
    segments_s = window(at.increase_segments, at.decrease, 1, loss) / rtt_s
    capacity_bps = min(link.rate_bps for link in path.links)
    goodput_bps = np.minimum(8 * path.flows[0].segment_bytes * segments_s, capacity_bps)
    return pd.DataFrame({"loss": loss, "Mb/s": goodput_bps / 1e6})


def chart(points: pd.DataFrame, runs: Runs) -> Picture:
    """Draw the sweep beside the model."""
    line = model(runs.setting)
    figure, axes = show.subplots()
    axes.plot(line["loss"], line["Mb/s"], label="model, at most the link", **show.MODEL)
    axes.errorbar(
        points["loss"],
        points["Mb/s"],
        yerr=points["halfwidth"],
        linestyle="none",
        label="ns-3",
        **show.SIMULATION,
    )
    axes.set(xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")
    axes.set(xscale="log", ylim=(0, None), title="General AIMD and its model")
    axes.legend(frameon=False)
    return figure


def chapter(
    profile: str = "paper",
    loss_rates: Sequence[float] = (1e-3, 3e-3, 1e-2, 3e-2),
    increase_segments: float = 10.0,
    decrease: float = 0.125,
    repetitions: int | None = None,
    duration_s: float = 30.0,
) -> Chapter:
    """Return the tutorial, with what its reader may turn."""
    at = Setting(
        loss_rates=loss_rates,
        increase_segments=increase_segments,
        decrease=decrease,
        repetitions=setting(profile, repetitions).repetitions(5),
        duration_s=duration_s,
    )
    return Chapter(
        name="tutorial",
        setting=at,
        experiments=experiments(at),
        figures=(
            Table(
                name="tutorial-engines",
                uses=tuple(f"tutorial-{engine}" for engine in ENGINES),
                data=engines,
                formats={"loss": "{:g}", "Mb/s": "{:.3f}", "halfwidth": "{:.3f}"},
                caption="Mean goodput in Mb/s by engine, with half the width of its 95 % "
                "confidence interval",
            ),
            Figure(
                name="tutorial-1",
                uses=("tutorial-sweep",),
                data=sweep,
                chart=chart,
                caption="Goodput over the loss rate: the model's curve and the simulated points "
                "with their intervals.",
            ),
        ),
    )
