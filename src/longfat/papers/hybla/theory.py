"""The numbers of Hybla's model at the chapter's setting: the figures' lines, and its tables."""

import functools

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import statistics
from longfat.papers import hybla, reno, value
from longfat.papers.hybla import derivation
from longfat.papers.hybla.network import MAX_WINDOW_SEGMENTS
from longfat.papers.hybla.plan import Setting

QUANTITIES = {"throughput": "Mb/s", "transfer_time": "s"}  # what was compared, and its unit


def model(setting: Setting, transfer: str, metric: str, loss: ArrayLike) -> np.ndarray:
    """Return what the paper's model gives at each loss rate.

    `transfer` is "steady" or a name of `Setting.segments`; `metric` says what: the "throughput" in
    Mb/s or the "transfer_time" in s.
    """
    losses = np.asarray(loss, dtype=float)
    found = _model(setting, transfer, metric, tuple(losses.ravel().tolist()))
    return found.reshape(losses.shape)


@functools.lru_cache(maxsize=256)  # each run is compared with it, a few curves in all
def _model(setting: Setting, transfer: str, metric: str, losses: tuple[float, ...]) -> np.ndarray:
    loss = np.array(losses)
    if transfer == "steady":
        return hybla.throughput(loss, **setting.model) * setting.megabits
    segments = setting.segments[transfer]
    time_s = hybla.transfer_time(segments, loss, rto=setting.rto_s, **setting.model)
    return time_s if metric == "transfer_time" else segments * setting.megabits / time_s


def curve(setting: Setting, transfer: str, metric: str) -> pd.DataFrame:
    """Return the `model` as a line: columns loss, and the unit of the quantity."""
    loss = np.geomspace(min(setting.loss_rates), max(setting.loss_rates), 201)
    return pd.DataFrame({"loss": loss, QUANTITIES[metric]: model(setting, transfer, metric, loss)})


def dropped_tails() -> pd.DataFrame:
    """Return what (3) and (4) leave out, over the windows and loss rates of the paper.

    Columns of `derivation.dropped_tail`: W, p, L, L_error, D, D_error.
    """
    windows = np.array([4, 6, 10, 20, 50, MAX_WINDOW_SEGMENTS])
    losses = np.array([1e-6, 1e-4, 1e-2])
    table = derivation.dropped_tail(windows[:, None], losses)
    return table[["W", "p", "L", "L_error", "D", "D_error"]]


def limits(setting: Setting) -> pd.DataFrame:
    """Return the throughput (segments/s) of Hybla's model as that of Reno, and of models of Reno.

    No window limits it. Columns: loss, and a column a model.
    """
    loss, rtt_s, unlimited = np.array([1e-5, 1e-4, 1e-3, 1e-2]), setting.rtt_s, 1e9
    return pd.DataFrame(
        {
            "loss": loss,
            "Hybla, rho = 1": hybla.throughput(loss, rtt_s, rtt_s, unlimited),
            "square root": reno.square_root_law(loss, rtt_s, unlimited),
            "Padhye et al.": reno.pftk(loss, rtt_s, unlimited, setting.rto_s),
            "NewReno, no timeouts": reno.newreno(loss, rtt_s, unlimited),
        }
    )


def without_loss(setting: Setting) -> pd.DataFrame:
    """Return the model's throughput (segments/s) as loss vanishes, beside that of a full window."""
    loss = np.array([1e-6, 1e-8, 0])
    most = setting.max_window_segments / setting.rtt_s
    return pd.DataFrame({"loss": loss, "B": hybla.throughput(loss, **setting.model), "W_m/R": most})


def peak_windows(setting: Setting) -> pd.DataFrame:
    """Return the unlimited peak W (segments) by Newton's method and from the bracketed root.

    Columns: loss, newton, iterations (how many Newton needed), bracketed.
    """
    loss, rtt_s, rtt0_s = setting.loss_rates, setting.rtt_s, setting.rtt0_s
    iterates = [hybla.newton_window(one, rtt_s, rtt0_s) for one in loss]
    return pd.DataFrame(
        {
            "loss": loss,
            "newton": [windows[-1] for windows in iterates],
            "iterations": [len(windows) - 1 for windows in iterates],
            "bracketed": hybla.peak_window(np.array(loss), rtt_s, rtt0_s),
        }
    )


def steady_state(setting: Setting) -> pd.DataFrame:
    """Return the model's steady state at each loss rate, without what is given, and B in Mb/s."""
    table = hybla.steady_state(np.array(setting.loss_rates), **setting.model)
    table["Mb/s"] = table["B"] * 8 * setting.segment_bytes / 1e6
    return table.drop(columns=["R", "rho", "W_m"])


def latency(setting: Setting) -> pd.DataFrame:
    """Return the model's time of each transfer at five loss rates, without its probabilities."""
    table = hybla.latency(
        segments=np.array(list(setting.segments.values()))[:, None],
        loss=np.array([1e-6, 1e-5, 1e-4, 1e-3, 1e-2]),
        rto=setting.rto_s,
        **setting.model,
    )
    return table.drop(columns=["l_ss", "l_tda"])


def slow_start_rounds(setting: Setting) -> pd.DataFrame:
    """Return the round trips from each transfer's first segment to its last, without loss.

    Columns: MB, segments; model, by (32); whole windows, as (24) goes where the last round counts
    with the part that is needed of it; whole rounds.
    """
    segments = np.array(list(setting.segments.values()))
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    time_s = hybla.latency(segments, 0, rto=setting.rto_s, **setting.model)["T_ss"]
    windows = [
        derivation.slow_start_rounds(d, ratio, setting.max_window_segments) for d in segments
    ]
    return pd.DataFrame(
        {
            "MB": setting.transfer_megabytes,
            "segments": segments,
            "model": time_s / setting.rtt_s,
            "whole windows": windows,
            "whole rounds": np.ceil(windows),
        }
    )


def cardwell(setting: Setting) -> pd.DataFrame:
    """Return the time of transfers (s) by Cardwell et al. and by Hybla's model as that of Reno.

    No window limits them. Columns: segments, loss, Cardwell et al., Hybla's model.
    """
    table = statistics.combinations(segments=[100, 10_000], loss=[1e-4, 1e-3, 1e-2])
    rtt_s, unlimited = setting.rtt_s, 1e9
    given = table["segments"].to_numpy(float), table["loss"].to_numpy()
    return table.assign(
        **{
            "Cardwell et al.": reno.cardwell_transfer_time(
                *given, rtt_s, unlimited, setting.rto_s, syn_timeout=value("hybla", "syn_timeout")
            ),
            "Hybla's model": hybla.transfer_time(*given, rtt_s, rtt_s, unlimited, setting.rto_s),
        }
    )
