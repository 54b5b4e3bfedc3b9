"""The segment engine against the full ns-3 stack: which runs are made, and how compared."""

import pandas as pd

from longfat import statistics
from longfat.cc import catalogue
from longfat.network import duplex
from longfat.scenario import Flow, Scenario

RATE_BPS = 5e6
DURATION_S = 20.0
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
    """Return the congestion controls that both engines have."""
    return [name for name, algorithm in catalogue.algorithms().items() if algorithm.type_id]


def scenario(
    algorithm: str, loss: float, rtt_s: float, buffer_bdp: float, flows: int, seed: int
) -> Scenario:
    """Return a point of the grid: so many equal flows over one link, one after the other."""
    bdp_packets = RATE_BPS * rtt_s / (8 * SEGMENT_BYTES)
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=RATE_BPS,
            delay_s=rtt_s / 2,
            queue_packets=max(4, round(buffer_bdp * bdp_packets)),
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=[
            Flow(
                source="sender",
                target="receiver",
                congestion_control=algorithm,
                segment_bytes=SEGMENT_BYTES,
                start_s=0.1 * number,
            )
            for number in range(flows)
        ],
        duration_s=DURATION_S,
        seed=seed,
    )


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
    for engine, sweep in (("full", full), ("segment", segment)):
        means = statistics.interval(sweep, by, "goodput_bps").set_index(by)
        table[f"{engine}_bps"] = means["goodput_bps"]
        table[f"{engine}_halfwidth_bps"] = means["halfwidth"]
    table["difference_percent"] = 100 * (table["segment_bps"] / table["full_bps"] - 1)
    return table.reset_index()


def by_algorithm(compared: pd.DataFrame) -> pd.DataFrame:
    """Return a row an algorithm: flows compared, how many of them equal, largest difference."""
    return (
        compared.groupby("algorithm", sort=False)
        .agg(
            flows_compared=("runs", "sum"),
            equal=("equal", "sum"),
            largest_difference_percent=("difference_percent", lambda d: d.abs().max()),
        )
        .reset_index()
    )
