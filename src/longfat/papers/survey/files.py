"""A whole file over one path by each method that the survey names, and what tunes it.

The page on transfers around TCP (`longfat.studies.transfers`) runs them.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from longfat import engines, papers
from longfat.links import Xcp
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.transfers import GridFtp, ParallelTcp, Rbudp, Transfer, Tsunami


class Way(NamedTuple):
    """A path: bit/s, s, and the loss per packet towards the receiver."""

    rate_bps: float
    rtt_s: float
    loss: float


# The survey's table 1. Where it states no round trip, out and back at 5 µs a kilometre, as in its
# own chapter. What it does not state either: one packet in 100,000 is lost.
WAYS = {
    "JAPAN": Way(600e6, 0.1, 1e-5),
    "EARTH²": Way(120e6, 0.4, 1e-5),
    "EARTH⁴": Way(40e6, 0.8, 1e-5),
    "MOON": Way(10e6, 3.5, 1e-5),
    "satellite": Way(20e6, 0.55, 1e-4),
    "lossy radio": Way(2e6, 0.1, 1e-2),
}
SEGMENT = 1448
PACKET_BYTES = 1502  # of such a segment on the wire
RATE = 0.9  # of the link: what datagrams are sent at, as payload
METHODS = (
    *("standard TCP", "CUBIC", "BBR 3"),
    *("4 parallel", "GridFTP, 8 streams"),
    *("RBUDP", "Tsunami"),
)
LARGEST_RUN = 1e9  # bytes: beyond, times are by the model
_CONTROL = {"standard TCP": "standard", "CUBIC": "cubic", "BBR 3": "bbr3"}
_PATH_ENDS = {"source": "sender", "target": "receiver"}


def queue_packets(way: Way) -> int:
    """Return how many packets a bandwidth-delay product is."""
    return max(20, round(way.rate_bps * way.rtt_s / 8 / PACKET_BYTES))


def flow(control: Any = "standard", **fields: Any) -> Flow:
    """Return a flow of today's settings, from sender to receiver."""
    usual: dict[str, Any] = {
        "segment_bytes": SEGMENT,
        "initial_window_segments": 10,
        "send_buffer_bytes": "auto",
    }
    return Flow(**_PATH_ENDS, congestion_control=control, **(usual | fields))


def method(name: str, way: Way, **fields: Any) -> tuple[list[Flow], dict[str, Any]]:
    """Return the flows that a method needs, and the method; `fields` are those of datagrams.

    The retransmission timer waits for two round trips at least: a queue that fills is no timeout.
    """
    timer = {"min_rto_s": max(1.0, 2 * way.rtt_s)}
    if name in ("RBUDP", "Tsunami"):
        rate = {"rate_bps": RATE * way.rate_bps}
        kind = Rbudp if name == "RBUDP" else Tsunami
        return [], {"method": kind(**_PATH_ENDS, **(rate | fields))}
    if name == "GridFTP, 8 streams":
        return [flow(**timer)] * 8, {"method": GridFtp(flows=tuple(range(8)))}
    number = int(name.split()[0]) if name.endswith("parallel") else 1
    flows = [flow(_CONTROL.get(name, "standard"), **timer)] * number
    return flows, {"method": ParallelTcp(flows=tuple(range(number)))}


def scenario(
    name: str,
    way: Way,
    file_bytes: float,
    *,
    beside: Sequence[Flow] = (),
    seed: int = 1,
    duration_s: float | None = None,
    record: Record | None = None,
    queue: float = 1.0,
    **fields: Any,
) -> Scenario:
    """Return a file that goes over that path by that method, and flows `beside` it."""
    flows, how = method(name, way, **fields)
    fluid_s = 8 * file_bytes / way.rate_bps
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=way.rate_bps,
            delay_s=way.rtt_s / 2,
            queue_packets=max(2, round(queue * queue_packets(way))),
            loss_per_packet=way.loss,
            backward={"loss_per_packet": 0.0, "queue_packets": 100_000},
        ),
        flows=[*flows, *beside],
        transfers=[Transfer(bytes=round(file_bytes), **how)],
        duration_s=duration_s or 200 * fluid_s + 2000 * way.rtt_s,
        seed=seed,
        record=record or Record(),
    )


# --- tunings


class Tuning(NamedTuple):
    """A way of the survey's to make a transfer faster: flows, fields of each, and of the path."""

    name: str
    controls: tuple[Any, ...] = ("standard",)
    fields: Mapping[str, Any] = MappingProxyType({})
    how: str = ""  # a method of `METHODS`, in place of the flows
    relay: bool = False
    routers: Mapping[str, Any] = MappingProxyType({})  # what they help with, as fields of `Link`


LIMITED = {"name": "standard", "parameters": {"max_ssthresh_segments": 100}}
TUNINGS = (
    Tuning("standard TCP, first window of 1", fields={"initial_window_segments": 1}),
    Tuning("first window of 3 (RFC 3390)", fields={"initial_window_segments": 3}),
    Tuning("first window of 10 (RFC 6928)", fields={"initial_window_segments": 10}),
    Tuning("no window scaling: 64 KB", fields={"receive_buffer_bytes": 65_535}),
    Tuning("receive buffer tuned by itself", fields={"receive_buffer_bytes": "auto"}),
    Tuning("send buffer of 1 MB", fields={"send_buffer_bytes": 1_000_000}),
    Tuning("limited slow start", (LIMITED,)),
    Tuning("9000-byte packets", fields={"segment_bytes": 8948}),
    Tuning("without SACK", fields={"sack": False}),
    Tuning("relay in the middle", relay=True),
    Tuning("HSTCP", ("highspeed",)),
    Tuning("Scalable TCP", ("scalable",)),
    Tuning("FAST TCP", ("fast",)),
    Tuning("CUBIC", ("cubic",)),
    Tuning("BBR 3", ("bbr3",)),
    Tuning("4 connections", ("standard",) * 4),
    Tuning("8 connections", ("standard",) * 8),
    Tuning("GridFTP, 8 streams", how="GridFTP, 8 streams"),
    Tuning("RBUDP", how="RBUDP"),
    Tuning("Tsunami", how="Tsunami"),
)
BASE = "first window of 3 (RFC 3390)"  # what others are held against: it had then been adopted
TUNED_PATH = Way(300e6, 0.1, 1e-5)


def tuned(tuning: Tuning, file_bytes: float, seed: int, way: Way = TUNED_PATH) -> Scenario:
    """Return a file over that path with that tuning, and nothing else changed from `BASE`."""
    plain = scenario(tuning.how or "standard TCP", way, file_bytes, seed=seed)
    if tuning.how:
        return plain
    fields: dict[str, Any] = {"initial_window_segments": 3, **tuning.fields}
    if tuning.relay:
        fields["relays"] = ("relay",)
    flows = [flow(control, **fields) for control in tuning.controls]
    links = plain.links
    if tuning.relay:
        there, back = links
        half = {"delay_s": way.rtt_s / 4}
        links = (
            there.model_copy(update=half | {"target": "relay"}),
            back.model_copy(update=half | {"source": "relay"}),
            there.model_copy(update=half | {"source": "relay", "loss_per_packet": 0.0}),
            back.model_copy(update=half | {"target": "relay"}),
        )
    links = tuple(link.model_copy(update=dict(tuning.routers)) for link in links)
    carried = Transfer(bytes=round(file_bytes), method=ParallelTcp(flows=tuple(range(len(flows)))))
    return plain.replace(links=links, flows=flows, transfers=[carried])


# --- a neighbour


def joined(plain: Scenario, neighbour: Flow, start_s: float) -> Scenario:
    """Return a transfer that begins at `start_s` beside a flow that is there from the begin on."""
    late = [one.model_copy(update={"start_s": start_s}) for one in plain.flows]
    (moved,) = plain.transfers
    if not late:
        on_time = moved.method.model_copy(update={"start_s": start_s})
        moved = moved.model_copy(update={"method": on_time})
    return plain.replace(flows=[*late, neighbour], transfers=[moved])


def left_to(together: Result, before: Result) -> float:
    """Return a neighbour's goodput while a file came (bit/s), from a run of `joined` and one of the
    neighbour alone that ends when the file comes."""
    time_s = together.provenance["simulated_s"] - before.scenario.duration_s
    (at_end, at_start) = (one.flow_rows()[-1]["delivered_bytes"] for one in (together, before))
    return 8 * (at_end - at_start) / time_s


# --- all that the survey names


MEASURED_BPS = 1e6 * papers.value("survey", "direct_rate")  # of payload, standard TCP's
LINK_S = 8 * LARGEST_RUN / MEASURED_BPS  # of a gigabyte at this rate
JAPAN = Way(MEASURED_BPS * 1500 / SEGMENT, 0.1, 1e-5)
ASKED_BPS = 40e3 * 2**12  # by Quick-Start: the largest that this path has room for
MARKED_ABOVE = 150  # packets
HOSTS, PARALLEL, DATAGRAMS, ROUTERS, TODAY = (
    "the hosts' settings",
    "several connections",
    "datagrams at a rate",
    "routers that help",
    "today",
)
CONTROL = "another congestion control"
LIMITED_HSTCP = {"name": "highspeed", "parameters": {"max_ssthresh_segments": 100}}
SURVEYED: tuple[tuple[Tuning, str], ...] = (
    (Tuning("standard TCP"), HOSTS),
    (Tuning("9000-byte packets", fields={"segment_bytes": 8948}), HOSTS),
    (Tuning("limited slow start", (LIMITED,)), HOSTS),
    (Tuning("relay in the middle", relay=True), HOSTS),
    (Tuning("8 connections", ("standard",) * 8), PARALLEL),
    (Tuning("GridFTP, 8 streams", how="GridFTP, 8 streams"), PARALLEL),
    (Tuning("HSTCP", ("highspeed",)), CONTROL),
    (Tuning("HSTCP, limited slow start", (LIMITED_HSTCP,)), CONTROL),
    (Tuning("Scalable TCP", ("scalable",)), CONTROL),
    (Tuning("FAST TCP", ("fast",)), CONTROL),
    (Tuning("RBUDP", how="RBUDP"), DATAGRAMS),
    (Tuning("Tsunami", how="Tsunami"), DATAGRAMS),
    (
        Tuning(
            "Quick-Start",
            fields={"quick_start_bps": ASKED_BPS},
            routers={"approve_bps": JAPAN.rate_bps},
        ),
        ROUTERS,
    ),
    (
        Tuning("ECN", fields={"ecn": True}, routers={"mark_above_packets": MARKED_ABOVE}),
        ROUTERS,
    ),
    (Tuning("XCP", ("xcp",), routers={"xcp": Xcp()}), ROUTERS),
    (Tuning("CADPC", ("cadpc",), routers={"ptp": True}), ROUTERS),
    (Tuning("CUBIC", ("cubic",)), TODAY),
    (Tuning("BBR 3", ("bbr3",)), TODAY),
)
ALONE, BESIDE, BEFORE = "alone", "beside standard TCP", "before"
BESIDE_S = 60.0  # how long the neighbour has been there when the file comes


def surveyed(how: str, company: str, seed: int, file_bytes: float = LARGEST_RUN) -> Scenario:
    """Return a file over `JAPAN` by one of `SURVEYED`: alone, beside a standard TCP that was there
    before, or what there was before it came. Each seed has the file come at another moment."""
    tuning = next(one for one, _ in SURVEYED if one.name == how)
    plain = tuned(tuning, file_bytes, seed, JAPAN)
    if company == ALONE:
        return plain
    start_s = BESIDE_S + 1.37 * seed
    neighbour = flow("standard", name="neighbour", initial_window_segments=3)
    if company == BEFORE:
        return plain.replace(flows=[neighbour], transfers=[], duration_s=start_s)
    longer = plain.replace(duration_s=plain.duration_s + start_s)
    return joined(longer, neighbour, start_s)


TUNED_RUNS = "transfers-tunings"  # the archive, of the page on transfers


def tuned_times(
    names: Sequence[str], file_bytes: float = LARGEST_RUN, seeds: int = 6
) -> pd.DataFrame:
    """Return the times of a file with these of `TUNINGS`: a row a seed, in s."""
    known = {tuning.name: tuning for tuning in TUNINGS}
    times: dict[str, list[float]] = {name: [] for name in names}
    for name, found in times.items():
        for seed in range(1, seeds + 1):
            run = tuned(known[name], file_bytes, seed)
            result = engines.find(run, "segment", TUNED_RUNS) or engines.simulate(run)
            [file] = result.transfer_rows()
            found.append(file["transfer_time_s"])
    return pd.DataFrame(times, index=pd.Index(range(1, seeds + 1), name="seed"))
