"""The congestion controls: where each comes from, where its code is, what can be set.

An entry without a header is a class that ns-3 itself has. A header may bring its entry with it
(`declared`): then the header alone is all that a congestion control needs.
"""

import re
import tomllib
import warnings
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal

from longfat.errors import InputError


@dataclass(frozen=True)
class Parameter:
    """An ns-3 attribute under the name by which a scenario sets it (unit in the name).

    `linux` is the path, below /sys/module, of a Linux module parameter that is the same in ms.
    """

    attribute: str
    default: bool | int | float
    meaning: str
    linux: str = ""

    def ns3_text(self, name: str, value: bool | int | float) -> str:
        """Return the value as ns-3 reads it from a string."""
        if isinstance(value, bool):
            return "true" if value else "false"
        return f"{value!r}s" if name.endswith("_s") else repr(value)


@dataclass(frozen=True)
class Algorithm:
    """A congestion control.

    `traces` are the time series of its own that it offers (`longfat.scenario.FlowSeries`);
    `signals` is what else it is told beside ACKs (`signals.h`). `linux` is its name in Linux, where
    Linux has it; an empty `type_id` means that only Linux has it.
    """

    title: str
    type_id: str
    source: str
    header: str | None = None
    caps_window: bool = False
    traces: tuple[Literal["bandwidth_bps", "utilization"], ...] = ()
    signals: tuple[Literal["one-way delay", "handoff"], ...] = ()
    linux: str = ""
    parameters: dict[str, Parameter] = field(default_factory=dict)

    @property
    def header_path(self) -> Path | None:
        """Path of our header, or None for a class of ns-3's own."""
        return Path(str(files("longfat.cc") / self.header)) if self.header else None

    @property
    def header_paths(self) -> tuple[Path, ...]:
        """Paths of our header and of those of ours that it includes: all of its code."""
        paths = [self.header_path] if self.header else []
        for path in paths:
            included = re.findall(r'^#include "([\w-]+\.h)"', path.read_text("utf-8"), re.MULTILINE)
            paths += [
                path.with_name(name) for name in included if path.with_name(name) not in paths
            ]
        return tuple(paths)


LIMITED_SLOW_START = {
    "max_ssthresh_segments": Parameter(
        "MaxSsThresh", 0, "window from which on slow start is limited (RFC 3742); 0: never"
    ),
}
AS_NS3 = {"as_ns3_3_44": Parameter("AsNs3", False, "do as ns-3 3.44, faults included")}

ALGORITHMS = {
    "hybla": Algorithm(
        title="TCP Hybla",
        type_id="longfat::TcpHybla",
        source="paper hybla, equation (1); Caini and Firrincieli 2004",
        header="hybla.h",
        caps_window=True,
        linux="hybla",
        parameters={
            "rtt0_s": Parameter(
                "Rtt0",
                0.025,
                "round-trip time of the reference connection",
                linux="tcp_hybla/parameters/rtt0",
            ),
        },
    ),
    "hybla-ns3": Algorithm(
        title="TCP Hybla as ns-3 has it",
        type_id="ns3::TcpHybla",
        source="ns-3.44; its slow start overflows at large rho",
        parameters={
            "rtt0_s": Parameter("RRTT", 0.05, "round-trip time of the reference connection"),
        },
    ),
    "newreno": Algorithm("TCP NewReno", "ns3::TcpNewReno", "RFC 5681, RFC 6582; ns-3.44"),
    "reno": Algorithm(
        "TCP Reno as in Linux", "ns3::TcpLinuxReno", "RFC 5681; ns-3.44", linux="reno"
    ),
    "cubic": Algorithm("CUBIC", "ns3::TcpCubic", "RFC 8312; ns-3.44", linux="cubic"),
    "highspeed": Algorithm(
        "HighSpeed TCP", "ns3::TcpHighSpeed", "RFC 3649; ns-3.44", linux="highspeed"
    ),
    "scalable": Algorithm(
        "Scalable TCP",
        "ns3::TcpScalable",
        "Kelly 2003; ns-3.44",
        linux="scalable",
        parameters={
            "acks_per_segment": Parameter(
                "AIFactor", 50, "ACKs that add a segment to a window that is larger; Linux: 100"
            ),
        },
    ),
    "tcpj": Algorithm(
        title="TCP-J",
        type_id="longfat::TcpJ",
        source="paper tcpj, equations (5) to (9) and section 3.4",
        header="tcpj.h",
        traces=("bandwidth_bps",),
        signals=("handoff",),
        parameters={
            "alpha": Parameter("Alpha", 0.9, "smoothing constant of the estimate (9)"),
            "rtt_tick_s": Parameter(
                "RttTick", 0.0, "tick of the clock to which RTT_min is rounded; 0 is exact"
            ),
        },
    ),
    "westwood": Algorithm(
        title="TCP Westwood",
        type_id="longfat::TcpWestwood",
        source="Mascolo et al. 2001; paper tcpj, equations (1) and (2)",
        header="westwood.h",
        traces=("bandwidth_bps",),
        parameters={
            "time_constant_s": Parameter("TimeConstant", 1.0, "T of the low-pass filter (2)"),
            "rtt_tick_s": Parameter(
                "RttTick", 0.0, "tick of the clock to which RTT_min is rounded; 0 is exact"
            ),
        },
    ),
    "hd": Algorithm(
        title="Hamilton Delay (HD)",
        type_id="longfat::TcpHd",
        source="paper ucc, equation (1) and figure 1; Budzisz et al. 2009",
        header="hd.h",
        parameters={
            "min_delay_s": Parameter("MinDelay", 0.005, "q_min, queueing delay without back-off"),
            "threshold_delay_s": Parameter("ThresholdDelay", 0.02, "q_th, between regions A and B"),
            "max_probability": Parameter("MaxProbability", 0.05, "p_max, for each ACK"),
        },
    ),
    "chd": Algorithm(
        title="CAIA-Hamilton Delay (CHD)",
        type_id="longfat::TcpChd",
        source="paper ucc, equations (2) to (4); Hayes and Armitage 2010",
        header="chd.h",
        parameters={
            "delay_based": Parameter("DelayBased", True, "(2) is in force; false: CHD without DCC"),
            "min_delay_s": Parameter("MinDelay", 0.005, "q_min, queueing delay without back-off"),
            "threshold_delay_s": Parameter("ThresholdDelay", 0.03, "q_th, between regions A and B"),
            "max_probability": Parameter("MaxProbability", 0.5, "p_max, for each round trip"),
        },
    ),
    "ucc": Algorithm(
        title="UCC",
        type_id="longfat::TcpUcc",
        source="paper ucc, equations (6) and (7)",
        header="ucc.h",
        traces=("utilization",),
        signals=("one-way delay",),
        parameters={
            "alpha": Parameter("Alpha", 0.99, "utilization above which a loss is congestion"),
            "clock_s": Parameter("Clock", 0.0, "tick of both ends' clocks; 0 is exact"),
            "minimum_of_epoch": Parameter(
                "MinimumOfEpoch", False, "smallest delay since the last loss, not of all"
            ),
            "minimum_lifetime_s": Parameter(
                "MinimumLifetime", 0.0, "the smallest delay is forgotten after; 0 is never"
            ),
        },
    ),
    "compound": Algorithm(
        title="Compound TCP",
        type_id="longfat::TcpCompound",
        source="Tan, Song, Zhang and Sridharan 2006; paper ucc, section 5",
        header="compound.h",
        parameters={
            "alpha": Parameter("Alpha", 0.125, "scale of the delay window's growth"),
            "beta": Parameter("Beta", 0.5, "what a loss takes, as a fraction"),
            "exponent": Parameter("Exponent", 0.75, "k, of the delay window's growth"),
            "gamma": Parameter("Gamma", 30.0, "packets in the queue at which it falls"),
            "zeta": Parameter("Zeta", 1.0, "how fast it falls"),
        },
    ),
    "standard": Algorithm(
        title="standard TCP, with limited slow start on demand",
        type_id="longfat::TcpStandard",
        source="paper survey, equations (1), (2), (14) to (16); RFC 5681; RFC 3742",
        header="standard.h",
        caps_window=True,
        parameters=LIMITED_SLOW_START,
    ),
    "highspeed-rfc3649": Algorithm(
        title="HighSpeed TCP by the formulas of RFC 3649",
        type_id="longfat::TcpHighSpeed",
        source="paper survey, equations (17), (26) to (30); RFC 3649",
        header="highspeed.h",
        caps_window=True,
        parameters={
            "low_window_segments": Parameter("LowWindow", 38.0, "standard TCP up to here"),
            "high_window_segments": Parameter("HighWindow", 83000.0, "window at high_loss"),
            "low_loss": Parameter("LowP", 1e-3, "loss probability at low_window_segments"),
            "high_loss": Parameter("HighP", 1e-7, "loss probability at high_window_segments"),
            "high_decrease": Parameter("HighDecrease", 0.1, "decrease at high_window_segments"),
        }
        | LIMITED_SLOW_START
        | AS_NS3,
    ),
    "scalable-kelly": Algorithm(
        title="Scalable TCP as specified",
        type_id="longfat::TcpScalable",
        source="paper survey, equations (15), (18); Kelly 2003",
        header="scalable.h",
        caps_window=True,
        parameters={
            "increase_segments": Parameter("Increase", 0.01, "what an ACK adds"),
            "decrease": Parameter("Decrease", 0.125, "part of the window that a loss takes away"),
            "legacy_window_segments": Parameter("LegacyWindow", 16.0, "standard TCP up to here"),
        }
        | LIMITED_SLOW_START
        | AS_NS3,
    ),
    "fast": Algorithm(
        title="FAST TCP",
        type_id="longfat::TcpFast",
        source="paper survey, equation (37); Jin, Wei and Low 2004",
        header="fast.h",
        parameters={
            "alpha_segments": Parameter("Alpha", 200.0, "segments that are to wait in queues"),
            "gamma": Parameter("Gamma", 0.5, "weight of the new window"),
        },
    ),
    "westwood-plus": Algorithm(
        "TCP Westwood+",
        "ns3::TcpWestwoodPlus",
        "Grieco and Mascolo 2004; ns-3.44",
        linux="westwood",
    ),
    "vegas-ns3": Algorithm(
        "TCP Vegas as ns-3 3.44 has it", "ns3::TcpVegas", "Brakmo and Peterson 1995; ns-3.44"
    ),
    "veno-ns3": Algorithm(
        "TCP Veno as ns-3 3.44 has it", "ns3::TcpVeno", "Fu and Liew 2003; ns-3.44"
    ),
    "illinois-ns3": Algorithm(
        "TCP-Illinois as ns-3 3.44 has it",
        "ns3::TcpIllinois",
        "Liu et al. 2008; ns-3.44",
        parameters={
            "alpha_min": Parameter("AlphaMin", 0.3, "smallest increase, segments a round trip"),
        },
    ),
    "yeah-ns3": Algorithm(
        "YeAH TCP as ns-3 3.44 has it",
        "ns3::TcpYeah",
        "Baiocchi et al. 2007; ns-3.44",
        parameters={
            "delay_divisor": Parameter(
                "Phy", 8, "a queueing delay above the base round trip by this is competition"
            ),
        },
    ),
    "htcp-ns3": Algorithm(
        "H-TCP as ns-3 3.44 has it", "ns3::TcpHtcp", "Leith and Shorten 2004; ns-3.44"
    ),
    "bic-ns3": Algorithm(
        "BIC as ns-3 3.44 has it",
        "ns3::TcpBic",
        "Xu et al. 2004; ns-3.44",
        parameters={
            "smooth_part": Parameter(
                "SmoothPart", 5, "round trips of the slow part of its growth; Linux: 20"
            ),
        },
    ),
    "lp-ns3": Algorithm(
        "TCP-LP as ns-3 3.44 has it", "ns3::TcpLp", "Kuzmanovic and Knightly 2003; ns-3.44"
    ),
    "ledbat-ns3": Algorithm("LEDBAT as ns-3 3.44 has it", "ns3::TcpLedbat", "RFC 6817; ns-3.44"),
    "bbr": Algorithm("BBR", "ns3::TcpBbr", "Cardwell et al. 2016; ns-3.44", linux="bbr"),
    "cdg": Algorithm(
        "CAIA Delay-Gradient (CDG)", "", "Hayes and Armitage 2011; Linux only", linux="cdg"
    ),
}


def declared(header: Path) -> Algorithm | None:
    """Return the entry that a header has in itself, or None.

    It is TOML in a comment that begins with `/* catalogue`: title, type_id, source, and what else
    `Algorithm` has, with a table `parameters` of attribute, default and meaning. Raises InputError
    where it cannot be read so.
    """
    comment = re.search(r"^/\* catalogue\n(.*?)^\*/", header.read_text("utf-8"), re.M | re.S)
    if not comment:
        return None
    try:
        entry = tomllib.loads(comment[1])
        entry |= {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
        parameters = {name: Parameter(**p) for name, p in entry.pop("parameters", {}).items()}
        return Algorithm(header=header.name, parameters=parameters, **entry)
    except (tomllib.TOMLDecodeError, TypeError, AttributeError) as error:
        reason = str(error).replace("__init__() ", "")
        raise InputError(f"{header.name}: its catalogue entry cannot be read: {reason}") from None


for _header in sorted(Path(str(files("longfat.cc"))).glob("*.h")):
    try:
        if _header.stem not in ALGORITHMS and (_entry := declared(_header)):
            ALGORITHMS[_header.stem] = _entry
    except InputError as _error:  # one bad header must not take the others away
        warnings.warn(f"left out: {_error}", stacklevel=2)
