"""The segment engine against the full ns-3 stack: which runs are made, and how compared.

Both have the same congestion controls and loss recovery; the stack has the faults of its socket.

It stands here, and not beside an engine, because no engine knows another.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from longfat import engines, statistics
from longfat.cc import catalogue
from longfat.experiment import Experiment, Runs
from longfat.network import duplex
from longfat.scenario import Flow, Scenario
from longfat.studies.senders import OF_LONG_PAGE

ENGINES = ("ns3", "segment")
RATE_BPS = 5e6
SEGMENT_BYTES = 1000
MEASURES = ("delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts")

# Loss, round-trip time, buffer (of the bandwidth-delay product) and number of flows: a part of all
# combinations in which every two of loss, round-trip time and buffer meet.
GRID = pd.DataFrame(
    [
        (0.0, 0.02, 2.0, 1),
        (0.0, 0.2, 0.5, 1),
        (1e-3, 0.02, 0.5, 1),
        (1e-3, 0.2, 2.0, 1),
        (1e-2, 0.02, 2.0, 1),
        (1e-2, 0.2, 0.5, 1),
        (0.0, 0.02, 2.0, 4),
        (1e-3, 0.2, 0.5, 4),
    ],
    columns=["loss", "rtt_s", "buffer_bdp", "flows"],
)
POINT = ["algorithm", *GRID.columns]


def names() -> list[str]:
    """Return the congestion controls of the comparison: those of ours that both engines can serve.

    The later ones are compared on a page of their own (`senders_long.ON_NS3`).
    """
    return [
        name
        for name, one in catalogue.algorithms().items()
        if one.header and "ns3" in engines.with_control(name) and name not in OF_LONG_PAGE
    ]


def scenario(
    algorithm: str, loss: float, rtt_s: float, buffer_bdp: float, flows: int, seed: int
) -> Scenario:
    """Return a point of the grid: so many equal flows over one link, one after the other."""
    bdp_packets = RATE_BPS * rtt_s / (8 * SEGMENT_BYTES)
    return _one_link(
        [_flow(algorithm, start_s=0.1 * number) for number in range(flows)],
        rtt_s=rtt_s,
        queue_packets=max(4, round(buffer_bdp * bdp_packets)),
        loss=loss,
        duration_s=20.0,
        seed=seed,
    )


def _flow(algorithm: str, **fields: Any) -> Flow:
    return Flow(
        source="sender",
        target="receiver",
        congestion_control=algorithm,
        segment_bytes=SEGMENT_BYTES,
        **fields,
    )


def _one_link(
    flows: list[Flow],
    *,
    rtt_s: float,
    queue_packets: int,
    loss: float,
    duration_s: float,
    seed: int,
) -> Scenario:
    links = duplex(
        "sender",
        "receiver",
        rate_bps=RATE_BPS,
        delay_s=rtt_s / 2,
        queue_packets=queue_packets,
        loss_per_packet=loss,
        backward={"loss_per_packet": 0.0},
    )
    return Scenario(links=links, flows=flows, duration_s=duration_s, seed=seed)


def runs(
    algorithms: list[str] | None = None, seeds: int = 5
) -> tuple[list[Scenario], pd.DataFrame]:
    """Return the scenarios of the whole grid and their labels, a row each.

    Columns: algorithm, those of `GRID`, seed. Where nothing is lost at random one seed is enough.
    """
    table = GRID.merge(pd.DataFrame({"algorithm": algorithms or names()}), how="cross")
    table = table.merge(pd.DataFrame({"seed": range(1, seeds + 1)}), how="cross")
    table = table[(table["loss"] > 0) | (table["seed"] == 1)]
    table = table[[*POINT, "seed"]].reset_index(drop=True)
    return [scenario(**row) for row in table.to_dict("records")], table


def experiments(algorithms: list[str] | None = None, seeds: int = 5) -> tuple[Experiment, ...]:
    """Return what is run, on ns-3 and on the segment engine.

    The whole grid, and flows that the receiver's window limits, whole segments or not.
    `algorithms` are names of the catalogue, all by default; `seeds` is how many repetitions each
    point with random losses has.
    """
    windows = {
        "receive_buffer_bytes": (20_000, 20_500, 50_000, 50_500),
        "loss": (1e-3, 1e-2),
        "seed": range(1, seeds + 1),
    }
    kinds: tuple[tuple[str, Callable[..., Scenario], Any], ...] = (
        ("segment-validation", scenario, runs(algorithms, seeds)[1]),
        ("segment-windows", _limited, windows),
    )
    return tuple(
        Experiment(name=f"{name}-{engine}", build=build, points=points, engine=engine)
        for name, build, points in kinds
        for engine in ENGINES
    )


def _limited(receive_buffer_bytes: int, loss: float, seed: int) -> Scenario:
    return _one_link(
        [_flow("newreno", receive_buffer_bytes=receive_buffer_bytes)],
        rtt_s=0.1,
        queue_packets=100,
        loss=loss,
        duration_s=30.0,
        seed=seed,
    )


def grid(of: Runs) -> pd.DataFrame:
    """Return the comparison (`compare`) of the whole grid on both engines."""
    return compare(*(of.flows(f"segment-validation-{engine}") for engine in ENGINES))


def window_limited_goodput(of: Runs) -> pd.DataFrame:
    """Return what flows get that the receiver's window limits, whole segments or not.

    Columns: receive_buffer_bytes, loss; ns3 and segment, means over the seeds (Mb/s); difference
    (of the second, per cent of the first).
    """
    by = ["receive_buffer_bytes", "loss"]
    table = pd.DataFrame(
        {
            engine: of.flows(f"segment-windows-{engine}").groupby(by)["Mb/s"].mean()
            for engine in ENGINES
        }
    )
    return table.assign(difference=100 * (table["segment"] / table["ns3"] - 1)).reset_index()


def compare(full: pd.DataFrame, segment: pd.DataFrame) -> pd.DataFrame:
    """Compare two sweeps of the same runs, flow by flow; return a row a point of the grid.

    Columns: those of the point, `flow`, both means of the goodput in bit/s with half their 95 %
    intervals (NaN for a single run), the difference of the means in percent of the full stack's,
    the number of runs, and of those in which all `MEASURES` are equal.
    """
    keys = [*POINT, "seed", "flow"]
    both = full.merge(segment, on=keys, suffixes=("_full", "_segment"), validate="one_to_one")
    same = pd.Series(True, index=both.index)
    for measure in MEASURES:
        same &= both[f"{measure}_full"] == both[f"{measure}_segment"]
    by = [*POINT, "flow"]
    table = both.assign(same=same).groupby(by, sort=False)["same"].agg(runs="size", equal="sum")
    for engine, flows in (("full", full), ("segment", segment)):
        means = statistics.interval(flows, by, "goodput_bps").set_index(by)
        table[f"{engine}_bps"] = means["goodput_bps"]
        table[f"{engine}_halfwidth_bps"] = means["halfwidth"]
    table["difference_percent"] = 100 * (table["segment_bps"] / table["full_bps"] - 1)
    return table.reset_index()


def by_algorithm(compared: pd.DataFrame) -> pd.DataFrame:
    """Return a row an algorithm: flows compared, how many of them equal, and the median and the
    largest difference of a point's means, whichever engine carries more."""
    return (
        compared.groupby("algorithm", sort=False)
        .agg(
            flows_compared=("runs", "sum"),
            equal=("equal", "sum"),
            median_difference_percent=("difference_percent", lambda d: d.abs().median()),
            largest_difference_percent=("difference_percent", lambda d: d.abs().max()),
        )
        .reset_index()
    )
