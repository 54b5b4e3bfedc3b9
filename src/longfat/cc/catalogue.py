"""The congestion controls: where each comes from, where its code is, what can be set.

An entry without a header is a class that ns-3 itself has.
"""

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True)
class Parameter:
    """An ns-3 attribute under the name by which a scenario sets it (unit in the name)."""

    attribute: str
    default: bool | int | float
    meaning: str

    def ns3_text(self, name: str, value: bool | int | float) -> str:
        """Return the value as ns-3 reads it from a string."""
        if isinstance(value, bool):
            return "true" if value else "false"
        return f"{value!r}s" if name.endswith("_s") else repr(value)


@dataclass(frozen=True)
class Algorithm:
    """A congestion control."""

    title: str
    type_id: str
    source: str
    header: str | None = None
    caps_window: bool = False
    parameters: dict[str, Parameter] = field(default_factory=dict)

    @property
    def header_path(self) -> Path | None:
        """Path of our header, or None for a class of ns-3's own."""
        return Path(str(files("longfat.cc") / self.header)) if self.header else None


ALGORITHMS = {
    "hybla": Algorithm(
        title="TCP Hybla",
        type_id="longfat::TcpHybla",
        source="paper hybla, equation (1); Caini and Firrincieli 2004",
        header="hybla.h",
        caps_window=True,
        parameters={
            "rtt0_s": Parameter("Rtt0", 0.025, "round-trip time of the reference connection"),
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
    "reno": Algorithm("TCP Reno as in Linux", "ns3::TcpLinuxReno", "RFC 5681; ns-3.44"),
    "cubic": Algorithm("CUBIC", "ns3::TcpCubic", "RFC 8312; ns-3.44"),
    "highspeed": Algorithm("HighSpeed TCP", "ns3::TcpHighSpeed", "RFC 3649; ns-3.44"),
    "scalable": Algorithm("Scalable TCP", "ns3::TcpScalable", "Kelly 2003; ns-3.44"),
    "westwood-plus": Algorithm(
        "TCP Westwood+", "ns3::TcpWestwoodPlus", "Grieco and Mascolo 2004; ns-3.44"
    ),
    "vegas": Algorithm("TCP Vegas", "ns3::TcpVegas", "Brakmo and Peterson 1995; ns-3.44"),
    "veno": Algorithm("TCP Veno", "ns3::TcpVeno", "Fu and Liew 2003; ns-3.44"),
    "illinois": Algorithm("TCP Illinois", "ns3::TcpIllinois", "Liu et al. 2008; ns-3.44"),
    "yeah": Algorithm("YeAH TCP", "ns3::TcpYeah", "Baiocchi et al. 2007; ns-3.44"),
    "htcp": Algorithm("H-TCP", "ns3::TcpHtcp", "Leith and Shorten 2004; ns-3.44"),
    "bic": Algorithm("BIC", "ns3::TcpBic", "Xu et al. 2004; ns-3.44"),
    "lp": Algorithm("TCP-LP", "ns3::TcpLp", "Kuzmanovic and Knightly 2003; ns-3.44"),
    "ledbat": Algorithm("LEDBAT", "ns3::TcpLedbat", "RFC 6817; ns-3.44"),
    "bbr": Algorithm("BBR", "ns3::TcpBbr", "Cardwell et al. 2016; ns-3.44"),
}
