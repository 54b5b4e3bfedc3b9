"""What the TCP-J paper does not state, at once: the settings, and the networks that they make.

The rate of the radio link and the round trip are fitted to table 2 again under each setting. On
ns-2 the radio repeats nothing, and losses are repaired as ns-2's senders do, whatever a setting
says of these (`ALWAYS_ON_NS2`).
"""

import functools
from typing import Any

import numpy as np
import pandas as pd

from longfat import engines, papers, statistics
from longfat.links import Arq, Link
from longfat.papers import joint
from longfat.papers.tcpj.network import shared_wire
from longfat.papers.tcpj.plan import FITTED_RATES, TRIOS, value
from longfat.scenario import Scenario

OF_MOVEMENTS = ("ber_handoff", "new_radio_rate", "new_wired_rate", "rtt_to_rr")
_NO_SWITCH = "the engine has no switch for it"
_FITTED = "it is fitted to table 2 again under each setting"
LEFT_OUT = {
    "radio_rate": _FITTED,
    "rtt": _FITTED,
    **dict.fromkeys(OF_MOVEMENTS, "movements are run apart (`joint_changes`)"),
    "threshold_compared": _NO_SWITCH,
    "window_min": _NO_SWITCH,
    "virtual_samples": _NO_SWITCH,
}
OF_WIRES = ("shared_rate", "shared_rtt", "start_times")
ON_WIRES = ("tcpj-s4-shares", "tcpj-s4-no-harm", "tcpj-s3-alpha")  # claims
ON_LOCAL_MOVEMENTS = ("tcpj-s4-local-westwood", "tcpj-s4-local-throughput")
ON_MOVEMENTS = (
    *("tcpj-s4-nonlocal-westwood", "tcpj-s4-nonlocal-tcpj", "tcpj-s4-unannounced"),
    *("tcpj-s4-unannounced-shape", "tcpj-s4-kinder", "tcpj-s5-others"),
)
WITHOUT = (("westwood_base", "Reno"),)  # but on ns-2 no such sender is written
FIT_ARCHIVE, FIT_ON_NS2 = "tcpj-joint-fit", "tcpj-joint-fit-ns2"
ALWAYS_ON_NS2 = {
    "link_retransmissions": "0",
    "lost_retransmission": "detected",
    "recovery": "halving",
}
_OF_REPETITIONS = (
    *("repeat_mode", "repeat_feedback", "repeat_jitter"),
    *("selective_repeats", "selective_feedback"),
)
_OF_WESTWOOD = ("westwood_base", "time_constant")  # off the wire the link is fitted by them too
_OF_RADIO = ("wired_rate", "radio_delay", "loss_direction", "packet", "link_retransmissions")
RADIO_PACKET_BYTES = value("packet")
PEAK = 4e-6  # of bit errors: where gains are largest
RADIOS = ("repeats nothing", "stop and wait", "selective repeat")


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return joint.settings("tcpj", LEFT_OUT, without=WITHOUT)


def settings_on_ns2() -> pd.DataFrame:
    """Return the settings as ns-2 has them: Westwood is on Reno too, and nothing is repeated."""
    return joint.settings("tcpj", LEFT_OUT).drop(columns=[*ALWAYS_ON_NS2, *_OF_REPETITIONS])


def radios(settings: pd.DataFrame) -> pd.Series:
    """Return which of `RADIOS` each setting has: on it hangs what there is to gain."""
    nothing, *_ = RADIOS
    return settings["repeat_mode"].where(settings["link_retransmissions"] != "0", nothing)


def lacks() -> dict[str, tuple[str, ...]]:
    """Return, by each claim's name, the parameters that none of its runs has."""
    others = dict.fromkeys(papers.claims("tcpj")["id"], (*OF_WIRES, *OF_MOVEMENTS))
    not_there = (*_OF_RADIO, *_OF_REPETITIONS, *_OF_WESTWOOD, *OF_MOVEMENTS)
    on_wires = dict.fromkeys(ON_WIRES, not_there)
    local = dict.fromkeys(ON_LOCAL_MOVEMENTS, (*OF_WIRES, "new_wired_rate"))
    return others | on_wires | local | dict.fromkeys(ON_MOVEMENTS, OF_WIRES)


@functools.cache
def fitted_links(archive: str = FIT_ARCHIVE) -> pd.DataFrame:
    """Return each setting's best link: radio_rate, rtt and error, by the setting's number.

    The error is the root mean square of the differences of the logarithms of the fitted cells, but
    for the largest: a single cell that no link meets shall not choose the link.
    """
    runs = engines.read_as_made(archive)
    link = ["setting", "radio_rate", "rtt"]
    wide = runs.pivot(
        index=[*link, "bit_error_rate", "seed"], columns="protocol", values="first_bps"
    )
    cells = []
    for cell in papers.claims("tcpj").query("quantity == 'gain' and rule == 'value'").itertuples():
        if cell.bit_error_rate in FITTED_RATES and cell.base == "NewReno":
            own = np.log(wide[cell.protocol] / wide["NewReno"])
            mean = own.xs(cell.bit_error_rate, level="bit_error_rate").groupby(link).mean()
            cells.append(mean - np.log1p(cell.printed / 100))
    errors = pd.concat(cells, axis=1).apply(statistics.root_mean_square, axis=1, left_out=1)
    found = pd.DataFrame({"error": errors})
    best = found["error"].groupby("setting").idxmin()
    return found.loc[best].reset_index().set_index("setting")


# --- the networks


def with_link(setting: dict[str, Any], archive: str = FIT_ARCHIVE) -> dict[str, Any]:
    """Return a setting with its fitted radio_rate and rtt, unless it has these."""
    if "rtt" in setting:
        return setting
    link = fitted_links(archive).loc[setting["setting"]]
    return setting | {"radio_rate": float(link["radio_rate"]), "rtt": float(link["rtt"])}


def flow_fields(setting: dict[str, Any]) -> dict[str, Any]:
    """Return what all flows have by the setting, as fields of `Flow`."""
    threshold = setting["initial_ssthresh"]
    return {
        "timestamps": setting["timestamps"] == "on",
        "initial_window_segments": int(setting["initial_cwnd"]),
        "initial_ssthresh_segments": None if threshold == "none" else int(threshold),
        "min_rto_s": setting["min_rto"],
        "recovery": "halving" if setting["recovery"] == "halving" else "prr",
        "lost_retransmissions": "detected"
        if setting["lost_retransmission"] == "detected"
        else "timeout",
    }


def sender_fields(protocol: str, setting: dict[str, Any]) -> dict[str, Any]:
    """Return what a protocol has besides: its parameters, and what Westwood is based on."""
    tick = {"rtt_tick_s": float(setting["rtt_tick"])}
    if protocol == "TCP-J":
        return {"parameters": tick}
    if protocol != "Westwood":
        return {"parameters": {}}
    base: dict[str, dict[str, Any]] = {"with SACK": {"sack": True}, "Reno": {"recovery": "reno"}}
    own = {"parameters": tick | {"time_constant_s": setting["time_constant"]}}
    return own | base.get(setting["westwood_base"], {})


def wire(trio: str, setting: dict[str, Any], parameters: dict[str, Any], **fields: Any) -> Scenario:
    """Return a trio on the wire of a setting, with the `parameters` of TCP-J."""
    found = shared_wire(
        *TRIOS[trio],
        rate_bps=setting["shared_rate"],
        rtt_s=setting["shared_rtt"],
        parameters={"TCP-J": parameters},
        **fields,
    )
    flows = [flow.model_dump() | _limited(flow.sack, setting) for flow in found.flows]
    if setting["start_times"] == "all at once":
        flows = [flow | {"start_s": 0.0} for flow in flows]
    return found.replace(flows=flows)


def at_setting(found: Scenario, bit_error_rate: float, setting: dict[str, Any]) -> Scenario:
    """Return a run over the radio with limited transmit and links as the setting has them."""
    return found.replace(
        flows=[flow.model_dump() | _limited(flow.sack, setting) for flow in found.flows],
        links=[radio_link(link, bit_error_rate, setting) for link in found.links],
    )


def _limited(sack: bool, setting: dict[str, Any]) -> dict[str, bool]:
    return {"limited_transmit": sack or setting["limited_transmit"] == "on"}


def radio_link(link: Link, bit_error_rate: float, setting: dict[str, Any]) -> Link:
    """Return a link of the radio path: its delay, losses and repetitions by the setting.

    A bit error destroys so many bytes as the setting says, where the engine counts those that it
    sends. A frame is repeated as 802.11 does it, or as a cellular link.
    """
    on_air_s = setting["radio_delay"]
    if "mn" not in (link.source, link.target):
        return Link(**(dict(link) | {"delay_s": setting["rtt"] / 2 - on_air_s}))
    rate = bit_error_rate * float(setting["packet"]) / RADIO_PACKET_BYTES
    errs = link.target == "mn" or setting["loss_direction"] == "both ways"
    changed: dict[str, Any] = {"delay_s": on_air_s, "loss_per_bit": rate if errs else 0.0}
    repeats = int(setting["link_retransmissions"])
    if repeats and setting["repeat_mode"] == "stop and wait":
        changed["arq"] = Arq(
            persistence=repeats,
            feedback_s=setting["repeat_feedback"],
            jitter_s=setting["repeat_jitter"],
            mode="stop and wait",
        )
    elif repeats:
        changed["arq"] = Arq(
            persistence=int(setting["selective_repeats"]), feedback_s=setting["selective_feedback"]
        )
    return Link(**(dict(link) | changed))
