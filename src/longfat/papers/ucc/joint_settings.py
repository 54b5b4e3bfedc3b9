"""What UCC's runs at joint settings share: the settings of pairs and chains, and what they make.

`joint_others` has settings of its own.
"""

from typing import Any

import pandas as pd

from longfat.papers import joint
from longfat.papers.ucc import plan

_WITHOUT_DCC = "CHD without DCC makes no use of it; `joint_others` varies it"
_OF_HD = "no sender of these runs has it; `joint_others` varies it"
_NO_SWITCH = "the engine has no switch for it"
LEFT_OUT = {
    "timeout_ssthresh": _NO_SWITCH,
    "min_delay": _WITHOUT_DCC,
    "max_probability_hd": _OF_HD,
    "max_probability_chd": _WITHOUT_DCC,
    "shadow_without_dcc": _NO_SWITCH,
    "latest_delay": _NO_SWITCH,
    "chd_flag": "the only CHD of the engine that has it, FreeBSD's, differs in more",
    "hd_threshold": _OF_HD,
    "margin": "a threshold of ours, no part of the paper's experiments",
}


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return joint.settings("ucc", LEFT_OUT)


def ucc_parameters(setting: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of UCC at a setting."""
    lifetime = setting["minimum_lifetime"]
    return {
        "clock_s": float(setting["clock"]),
        "minimum_of_epoch": setting["minimum_of"] != "connection",
        "minimum_lifetime_s": 0.0 if lifetime == "unlimited" else float(lifetime),
    }


def controls_at(setting: dict[str, Any]) -> dict[str, str | dict]:
    """Return the congestion controls of the paper's figures at a setting, by their names."""
    return plan.setting(ucc_parameters=ucc_parameters(setting)).controls


def flow_fields(setting: dict[str, Any]) -> dict[str, Any]:
    """Return what a setting says of flows, and how long a run is, as both networks take it."""
    threshold = setting["initial_ssthresh"]
    return {
        "segment_bytes": int(setting["payload"]),
        "start_within_s": 1.0 if setting["start"] == "0 to 1" else 0.0,
        "segments_per_ack": int(setting["ack_every"]),
        "min_rto_s": float(setting["min_rto"]),
        "initial_window_segments": int(setting["initial_window"]),
        "initial_ssthresh_segments": None if threshold == "none" else int(threshold),
        "recovery": "prr" if setting["recovery"] == "PRR" else "halving",
        "lost_retransmissions": "detected"
        if setting["lost_retransmission"] == "detected"
        else "timeout",
        **plan.setting().network,
    }


def path_fields(setting: dict[str, Any], loss: float) -> dict[str, Any]:
    """Return what a setting says of the radio link's losses and of the senders' own links."""
    losses: dict[str, Any] = {"loss": loss}
    if setting["loss_process"] != "independent":
        losses = plan.per_bit(loss)
    elif setting["loss_direction"] == "both ways":
        losses["ack_loss"] = loss
    access = {"access_bps": setting["access_rate"], "access_delay_s": setting["access_delay"]}
    return losses | access


def highest(runs: pd.DataFrame) -> float:
    """Return the largest of a setting's loss rates."""
    return float(runs["loss_rates"].iloc[0].rpartition(" ")[2])
