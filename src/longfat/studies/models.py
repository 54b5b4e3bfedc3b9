"""The models that the papers build on, beside what the segment engine measures over the satellite.

The path is that of the Hybla paper (`papers.parameters("hybla")`): 0.55 s, a window of at most 550
segments of 1000 bytes, and a link so fast that it never queues. Rates are in Mb/s of payload.

Of Reno: `reno.square_root_law`, `reno.pftk` (and its short form), `reno.newreno`, and for transfers
`reno.cardwell_transfer_time`. Of Hybla: the paper's own model, and `same_as_reference`, which is
what Caini and Firrincieli designed Hybla for. Not to be had: the text of Caini and Firrincieli
(others repeat its growth and its rate without losses only), the corrections of Chen, Bu, Ammar and
Towsley to `pftk`, and the model of Endo et al.; what is not read is not rebuilt from memory.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import statistics
from longfat.errors import InputError
from longfat.experiment import Experiment, Runs
from longfat.network import duplex
from longfat.papers import hybla, reno, value
from longfat.scenario import CongestionControl, Flow, Scenario

LOSSES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2)
ALGORITHMS = {"newreno": "Reno with SACK", "hybla": "Hybla"}
WITHIN_PERCENT = 10.0  # a model that is no farther off is said to hold
SEGMENT_BITS = 8000
SEGMENTS = 10_000  # of a transfer


def same_as_reference(
    loss: ArrayLike, rtt: ArrayLike, rtt0: ArrayLike, max_window: ArrayLike
) -> np.ndarray:
    """Return what Hybla was designed to have: the rate of a Reno whose round trip is rtt0.

    In segments/s. Caini and Firrincieli (2004) choose Hybla's growth such that the rate over time
    is that of a reference connection of round trip rtt0, whatever its own round trip. Here that
    reference follows the square-root law, and the window's limit is that of the real round trip.
    Arguments as `reno.square_root_law`; raises InputError for values out of range.
    """
    unlimited = reno.square_root_law(loss, rtt0, 1e12)
    return np.minimum(unlimited, reno.square_root_law(0, rtt, max_window))


def scenario(
    algorithm: str, loss: float, seed: int, duration_s: float, transfer_bytes: int | None = None
) -> Scenario:
    """Return a flow of "newreno" or "hybla" over the satellite that both models know."""
    window = int(value("hybla", "max_window"))
    own = {"rtt0_s": value("hybla", "rtt0")} if algorithm == "hybla" else {}
    limit: dict = {"receive_buffer_bytes": window * SEGMENT_BITS // 8}
    if algorithm == "hybla":
        limit = {"max_window_segments": window}
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=1e9,
            delay_s=value("hybla", "rtt") / 2,
            queue_packets=1000,
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=(
            Flow(
                source="sender",
                target="receiver",
                congestion_control=CongestionControl(name=algorithm, parameters=own),
                segment_bytes=SEGMENT_BITS // 8,
                initial_window_segments=1,
                bytes=transfer_bytes,
                **limit,
            ),
        ),
        duration_s=duration_s,
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How often each point is run, at which loss rates, and how long. Transfers are of 10 MB."""

    seeds: int
    losses: tuple[float, ...] = LOSSES
    transfer_losses: tuple[float, ...] = LOSSES[::3]
    duration_s: float = 2000.0


def setting(profile: str = "paper", seeds: int | None = None) -> Setting:
    """Return the setting at a profile: ten seeds a point, or two at "quick".

    Raises InputError for another profile and for less than one seed.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    if seeds is not None and seeds < 1:
        raise InputError(f"seeds is {seeds}: it must be 1 or more")
    return Setting(seeds=seeds or (2 if profile == "quick" else 10))


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the two experiments: the steady state, and transfers."""
    length = SEGMENTS * SEGMENT_BITS // 8
    return (
        Experiment(
            name="models-steady",
            build=partial(scenario, duration_s=at.duration_s),
            points={"algorithm": ALGORITHMS, "loss": at.losses},
            repetitions=at.seeds,
        ),
        Experiment(
            name="models-transfers",
            build=partial(scenario, duration_s=10_000.0, transfer_bytes=length),
            points={"algorithm": ALGORITHMS, "loss": at.transfer_losses},
            repetitions=at.seeds,
        ),
    )


def steady(runs: Runs) -> pd.DataFrame:
    """Return the measured rates: algorithm, loss, measured (Mb/s), halfwidth, repetitions."""
    flows = runs.flows("models-steady").rename(columns={"Mb/s": "measured"})
    return statistics.interval(flows, ["algorithm", "loss"], "measured")


def transfers(runs: Runs) -> pd.DataFrame:
    """Return measured transfer times: algorithm, loss, measured (s), halfwidth, repetitions."""
    flows = runs.flows("models-transfers").rename(columns={"transfer_time_s": "measured"})
    return statistics.interval(flows, ["algorithm", "loss"], "measured")


def rates(losses: ArrayLike = LOSSES) -> pd.DataFrame:
    """Return what each model of a long transfer says: algorithm, model, loss, modelled (Mb/s)."""
    p = np.asarray(losses, dtype=float)
    rtt, rtt0, window, rto = (value("hybla", name) for name in ("rtt", "rtt0", "max_window", "rto"))
    found = {
        ("newreno", "square-root law"): reno.square_root_law(p, rtt, window),
        ("newreno", "Padhye et al."): reno.pftk(p, rtt, window, rto),
        ("newreno", "Padhye et al., short form"): reno.pftk_approximation(p, rtt, window, rto),
        ("newreno", "NewReno without timeouts"): reno.newreno(p, rtt, window),
        ("hybla", "as Reno at the reference round trip"): same_as_reference(p, rtt, rtt0, window),
        ("hybla", "the paper's model"): hybla.throughput(p, rtt, rtt0, window),
    }
    return _long(found, p, SEGMENT_BITS / 1e6)


def times(losses: ArrayLike = LOSSES[::3], segments: int = SEGMENTS) -> pd.DataFrame:
    """Return what each model of a transfer says: algorithm, model, loss, modelled (s)."""
    p = np.asarray(losses, dtype=float)
    rtt, rtt0, window, rto = (value("hybla", name) for name in ("rtt", "rtt0", "max_window", "rto"))
    found = {
        ("newreno", "Cardwell et al."): reno.cardwell_transfer_time(segments, p, rtt, window, rto),
        ("hybla", "the paper's model"): hybla.transfer_time(segments, p, rtt, rtt0, window, rto),
    }
    return _long(found, p, 1.0)


def _long(found: dict[tuple[str, str], np.ndarray], p: np.ndarray, unit: float) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame({"algorithm": algorithm, "model": model, "loss": p, "modelled": unit * y})
            for (algorithm, model), y in found.items()
        ],
        ignore_index=True,
    )


def differences(measured: pd.DataFrame, modelled: pd.DataFrame) -> pd.DataFrame:
    """Return by how much each model is off: (modelled - measured) / measured in per cent.

    Columns: those of `rates`, measured, difference, low and high (its 95 % interval).
    """
    table = modelled.merge(measured, on=["algorithm", "loss"])
    ends = {"difference": 0.0, "low": 1.0, "high": -1.0}
    return table.assign(
        **{
            name: 100 * (table["modelled"] / (table["measured"] + side * table["halfwidth"]) - 1)
            for name, side in ends.items()
        }
    )


def where_each_holds(compared: pd.DataFrame) -> pd.DataFrame:
    """Return a row a model: how far it is off, and where it is not.

    Columns: of (the algorithm), model, rare and frequent (the largest absolute difference up to a
    loss of 1e-4 and above it, per cent), and holds: the loss rates at which the whole interval of
    the difference lies within `WITHIN_PERCENT`.
    """
    rows = []
    for (algorithm, model), part in compared.groupby(["algorithm", "model"], sort=False):
        size = part["difference"].abs()
        seldom = part["loss"] <= 1e-4
        holds = (part["low"] >= -WITHIN_PERCENT) & (part["high"] <= WITHIN_PERCENT)
        rows.append(
            {
                "of": ALGORITHMS[algorithm],
                "model": model,
                "rare": size[seldom].max(),
                "frequent": size[~seldom].max(),
                "holds": ", ".join(f"{loss:g}" for loss in part.loc[holds, "loss"]) or "nowhere",
            }
        )
    return pd.DataFrame(rows)
