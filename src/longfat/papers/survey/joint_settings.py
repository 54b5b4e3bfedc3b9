"""What a setting that differs in all that the survey does not state is made of."""

from collections.abc import Callable, Collection
from typing import Any

import pandas as pd

from longfat.papers import joint, value
from longfat.papers.survey.network import IP_MTU_BYTES

SETTINGS = 12  # of each sample; its runs are long, and there are half as many as of other papers
SAMPLES = (1, 2)  # their seeds
NUMBER = SETTINGS * len(SAMPLES)


def samples(left_out: Collection[str]) -> pd.DataFrame:
    """Return the settings, of all samples together (`joint.settings`)."""
    drawn = [joint.settings("survey", left_out, SETTINGS, seed) for seed in SAMPLES]
    table = pd.concat(drawn, ignore_index=True)
    return table.assign(setting=range(len(table)))


def path_at(setting: dict[str, Any], seed: int) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """Return the fields of `japan` at a setting, and what makes a congestion control of a name."""
    loss = float(setting["random_loss"])
    per_bit = setting["loss_unit"] == "per bit"
    fields: dict[str, Any] = {
        "payload_bps": float(setting["bottleneck"]) * 1e6,
        "rtt_s": value("survey", "rtt"),
        "queue_packets": round(float(setting["router_buffer"])),
        "loss": 0.0 if per_bit else loss,
        "loss_per_bit": loss / (8 * IP_MTU_BYTES) if per_bit else 0.0,
        "host_bps": float(setting["host_rate"]) * 1e6,
        "segments_per_ack": int(setting["segments_per_ack"]),
        "initial_window_segments": int(setting["initial_window"]),
        "recovery": "prr" if setting["recovery"] == "PRR" else "halving",
        "lost_retransmissions": "detected"
        if setting["lost_retransmissions"] == "noticed"
        else "timeout",
        "seed": seed,
    }
    if fields["segments_per_ack"] > 1:
        fields["ack_timeout_s"] = float(setting["ack_timeout"])
    window = {"legacy_window_segments": float(setting["legacy_window"])}
    scalable = {"name": "scalable", "parameters": window}

    def control(name: Any) -> Any:
        return scalable if name == "scalable" else name

    return fields, control
