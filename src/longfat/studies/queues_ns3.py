"""Managed queues and losses in bursts on ns-3, beside the same networks here, TCP included.

ns-3's queues are its own, by its own code (`engines/ns3/managed-queue.h`).
"""

import numpy as np
import pandas as pd

from longfat import statistics
from longfat.experiment import Experiment, Runs
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Record, Scenario
from longfat.studies import routers

RATE_BPS, DELAY_S, QUEUE = 4e6, 0.03, 300  # the queue holds 0.6 s
DURATION_S, SINCE_S = 30.0, 10.0
CASES = {
    f"{name} and ECN" if ecn else name: (link, ecn)
    for name, link in routers.QUEUES.items()
    if link
    for ecn in (False, True)
} | {"bursts": ({"loss_bursts": {"loss_per_packet": 0.005, "mean_packets": 5}}, False)}
MEASURES = ("goodput", "queue", "dropped", "marked")


def scenario(case: str, seed: int) -> Scenario:
    """Return three NewReno flows over a link of 4 Mb/s that has this queue (`CASES`).

    They begin at other times with every seed, so that chance has a part where a queue has none.
    """
    link, ecn = CASES[case]
    return Scenario(
        links=duplex(
            *("sender", "receiver"),
            rate_bps=RATE_BPS,
            delay_s=DELAY_S,
            queue_packets=QUEUE,
            backward=dict.fromkeys(link),
            **link,
        ),
        flows=[
            routers.flow("newreno", start_s=n * (0.1 + 0.013 * seed), ecn=ecn) for n in range(3)
        ],
        duration_s=DURATION_S,
        seed=seed,
        record=Record(series=("queue_packets",), points=80),
    )


def measured(result: Result) -> dict[str, float]:
    """Return goodput (Mb/s, of all), queue (packets, mean from 10 s on), and what the link dropped
    before and marked."""
    link = result.links.iloc[0]
    return {
        "goodput": result.flows["goodput_bps"].sum() / 1e6,
        "queue": float(routers.queue_samples(result, SINCE_S).mean()),
        "dropped": link["packets_dropped_early"] + link["packets_dropped_by_queue"],
        "marked": link["packets_marked"],
    }


def experiments(seeds: int) -> tuple[Experiment, ...]:
    """Return what is run, on ns-3 and on the segment engine."""
    return tuple(
        Experiment(
            name=f"routers-{name}",
            build=scenario,
            points={"case": CASES},
            repetitions=seeds,
            engine=engine,
        )
        for name, engine in (("ns3", "ns3"), ("beside-ns3", "segment"))
    )


def engine_comparison(runs: Runs) -> pd.DataFrame:
    """Return what a helped link does on ns-3 and on the segment engine: a row a case and measure.

    Columns: case, measure (`MEASURES`), ns3, here (means over the seeds), ratio (here over ns-3,
    the mean of the logarithms run by run), low, high (95 %). Without a ratio where a run has none
    of it.
    """
    design = runs.design("routers-ns3")
    both = (runs.results(f"routers-{name}") for name in ("ns3", "beside-ns3"))
    tables = [pd.DataFrame([measured(one) for one in results]) for results in both]
    found = []
    for case, own in design.groupby("case", sort=False):
        for name in MEASURES:
            ns3, here = (table.loc[own.index, name].to_numpy(float) for table in tables)
            row = {"case": case, "measure": name, "ns3": ns3.mean(), "here": here.mean()}
            if (ns3 > 0).all() and (here > 0).all():
                ratio = statistics.paired(here, ns3, ratio=True)
                row |= {"ratio": ratio["measured"], "low": ratio["low"], "high": ratio["high"]}
            else:
                row |= dict.fromkeys(("ratio", "low", "high"), np.nan)
            found.append(row)
    return pd.DataFrame(found)
