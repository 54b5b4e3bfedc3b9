"""The full ns-3 stack: a scenario built and run by compiled C++, in a process of its own.

Congestion controls with a header of ours are ns-3's by an adapter (adapter.h), and so is our
recovery (recovery-ops.h). What only ns-3 has are its own classes: `controls.toml`.
"""

import functools
import importlib.util
import itertools
import os
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from longfat import builds
from longfat.cc import catalogue
from longfat.engines import behaviour, capabilities, host
from longfat.engines.ns3 import compiled
from longfat.errors import InputError, LongfatError, SimulationError
from longfat.links import CoDel, Pie, Red
from longfat.result import LINK_SERIES, TRANSFER_SERIES, Result
from longfat.scenario import Flow, Link, Scenario
from longfat.transfers import GridFtp, ParallelTcp, Tsunami

BEHAVIOUR = 3
VERSION = compiled.NS3_VERSION
HERE = compiled.HERE
STOCK_RECOVERY = "prr-ns3-3.44"
RECOVERY = {
    "prr": "longfat::Prr",
    "halving": "longfat::Halving",
    STOCK_RECOVERY: "ns3::TcpPrrRecovery",
}
# The TCP of transfers' control messages, as Linux has it by default, but for NewReno. Its nodes are
# those of each transfer.
CONTROL = Flow(
    source="source",
    target="target",
    congestion_control="newreno",
    segment_bytes=536,
    initial_window_segments=10,
    send_buffer_bytes=64_000_000,
    receive_buffer_bytes=64_000_000,
    segments_per_ack=1,
    ack_timeout_s=0.2,
    min_rto_s=0.2,
)
HEADERS_BYTES = 54  # of a segment: PPP, IP, and TCP with timestamps
ESTIMATES = ("bandwidth_bps", "utilization")  # series that only some algorithms offer


def has(algorithm: catalogue.Algorithm) -> bool:
    """Return whether ns-3 has the congestion control, or can be given it by the adapter."""
    ours = algorithm.header is not None and capabilities.serves("ns3", algorithm)
    return algorithm.engine == "ns3" or ours


HOW_TO_GET = "it needs x86-64 Linux, CPython 3.11 to 3.13 and `make setup`"


def is_here() -> bool:
    """Return whether this environment has ns-3."""
    return importlib.util.find_spec("ns3") is not None


def check_is_here() -> None:
    """Raise InputError where this environment has no ns-3."""
    if not is_here():
        raise InputError(
            "simulating needs ns-3, which this environment does not have: it is installed by "
            "'make setup' on x86-64 Linux with CPython 3.11 to 3.13 and a C++ compiler; "
            "elsewhere use the container or Binder"
        )


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario on ns-3 and return the result. Same scenario, same digits.

    Raises InputError where this machine has no ns-3, or for a congestion control whose header does
    not compile; SimulationError when ns-3 gives up, takes longer than `time_limit_s`, or allocates
    more than `memory_limit_bytes` beyond what it has before the scenario.
    """
    stops = _server.stops
    wanted = request(scenario) | {"libraries": [str(path) for path in libraries(scenario)]}
    limits: dict[str, Any] = {
        "time_limit_s": time_limit_s,
        "memory_limit_bytes": memory_limit_bytes,
    }
    answer = _server.ask(wanted | limits, stops)
    if "failed" in answer:
        words = answer["last_words"]
        ended = host.how_it_ended(answer["failed"], words, **limits)
        raise host.failure(scenario, "ns3", ended, words)
    made_by = {"engine": "ns3", "engine_version": version("ns3")}
    return host.result(scenario, answer, made_by)


def part() -> behaviour.Part:
    """Return what decides results beside scenario and congestion controls of ours: ns-3, and what
    is compiled against it."""
    return behaviour.engine("ns3", BEHAVIOUR, _sources(), f"{VERSION} {' '.join(compiled.FLAGS)}")


@functools.cache
def _sources() -> tuple[Path, ...]:
    """Return the engine, the adapter, and the parts of the core that congestion controls have."""
    headers = builds.with_includes(catalogue.FOLDER.glob("*.h"), [catalogue.CORE])
    parts = (path for path in headers if path.is_relative_to(catalogue.CORE))
    return (compiled.ENGINE, compiled.ADAPTER, HERE / "__init__.py", *parts)


def controls(scenario: Scenario) -> list[str]:
    """Return the congestion controls: of the flows, and of transfers' control messages."""
    return [flow.congestion_control.name for flow in _senders(scenario)]


def _senders(scenario: Scenario) -> list[Flow]:
    return [*scenario.flows, *[CONTROL] * any(t.by_datagrams for t in scenario.transfers)]


def libraries(scenario: Scenario) -> list[Path]:
    """Return the compiled headers of the scenario's congestion controls; compile what is new.

    Raises InputError, with the compiler's own words, for a header that does not compile.
    """
    if not is_here():
        return []
    made = {}
    for name in dict.fromkeys(controls(scenario)):
        header = catalogue.find(name).header
        if header and header not in made:
            try:
                made[header] = compiled.control(header)
            except LongfatError as error:
                words = f"congestion control '{name}' cannot be used: {error}"
                raise InputError(words) from None
    return list(made.values())


def prepare() -> Iterable[str]:
    """Compile what every run needs; yield what could not be, in a sentence each.

    A congestion control's header is compiled when a scenario first asks for it.
    """
    try:
        compiled.engine()
    except LongfatError as error:
        yield f"{compiled.ENGINE.name} was not compiled: {error}"


def _congestion_control(number: int, flow: Flow, seed: int) -> dict[str, Any]:
    """Return what the request of a flow says of its congestion control and recovery."""
    name, stated = flow.congestion_control.name, flow.congestion_control.parameters
    algorithm = catalogue.find(name)
    where = f"flows.{number}"
    if not algorithm.header:
        if algorithm.engine != "ns3":
            raise InputError(
                f"{where}.congestion_control: the engine 'ns3' has no '{name}': use the engine "
                f"'{algorithm.engine}'"
            )
        names = algorithm.own.get("attributes", {})
        units = {one.name: "s" * (one.unit == "s") for one in algorithm.parameters.values()}
        return {
            "congestionControl": algorithm.own["type_id"],
            "attributes": [
                [names[one], _text(value) + units[one]] for one, value in stated.items()
            ],
            "recovery": RECOVERY[flow.recovery],
        }
    if flow.recovery == STOCK_RECOVERY:
        raise InputError(
            f"{where}.recovery: '{STOCK_RECOVERY}' is allowed only for a congestion control of "
            f"ns-3's own: '{name}' has 'prr' or 'halving'"
        )
    attributes = stated | {"Recovery": flow.recovery, "Seed": seed, "Flow": number}
    if flow.max_window_segments is not None:
        attributes["MaxWindow"] = flow.max_window_segments
    return {
        "congestionControl": f"longfat::{name}",
        "attributes": [[one, _text(value)] for one, value in attributes.items()],
        "recovery": RECOVERY[flow.recovery],
    }


def _text(value: bool | float | str) -> str:
    """Return a value as ns-3 reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def request(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario in the words of the engine's C++ structures, ready for the server."""
    capabilities.refuse(scenario, "ns3")
    for number, link in enumerate(scenario.links):
        if isinstance(link.aqm, Red) and link.queue_packets is None:
            raise InputError(
                f"links.{number}.aqm: RED of the engine 'ns3' counts bytes where the queue's limit "
                "is in bytes: state queue_packets"
            )
    links = {(link.source, link.target): link for link in scenario.links}
    pairs: list[Link] = []
    for (source, target), link in links.items():
        if not any(known is link for known in pairs):
            pairs += [link, links[target, source]]
    finite = all(flow.bytes is not None for flow in scenario.flows)
    return {
        "seed": scenario.seed,
        "links": [_link_request(link) for link in pairs],
        "linkSeries": [name for name in scenario.record.series if name in LINK_SERIES],
        "flows": [_flow_request(*one, scenario) for one in enumerate(scenario.flows)],
        "points": scenario.record.points,
        "durationS": scenario.duration_s,
        "untilComplete": finite and not scenario.transfers,
        "packetBytes": HEADERS_BYTES + max((f.segment_bytes for f in scenario.flows), default=1446),
    } | _transfers_request(scenario)


def _transfers_request(scenario: Scenario) -> dict[str, Any]:
    """Return what a request has besides, where there are transfers."""
    if not scenario.transfers:
        return {}
    return {
        "transfers": [_transfer_request(scenario, n) for n in range(len(scenario.transfers))],
        "transferSeries": [name for name in scenario.record.series if name in TRANSFER_SERIES],
        "control": _flow_request(len(scenario.flows), CONTROL, scenario),
    }


def _transfer_request(scenario: Scenario, number: int) -> dict[str, Any]:
    transfer = scenario.transfers[number]
    method = transfer.method
    if isinstance(method, ParallelTcp | GridFtp):
        own: dict[str, Any] = {"carriers": method.flows}
        return own | {
            "method": method.kind,
            "bytes": transfer.bytes,
            "blockBytes": method.block_bytes if isinstance(method, GridFtp) else 0,
        }
    own = {
        "method": method.kind,
        "bytes": transfer.bytes,
        "way": [method.source, method.target],
        "beginS": method.start_s,
        "payloadBps": method.rate_bps,
        "blockBytes": method.payload_bytes,
        "drainBps": method.receiver_bps,  # null: all at once
        "socketBytes": method.socket_buffer_bytes,
    }
    if isinstance(method, Tsunami):
        own |= {
            "threshold": method.error_threshold,
            "slower": method.slower,
            "faster": method.faster,
            "history": method.history,
            "everyS": method.report_every_s,
            "mostAsked": method.most_requests,
        }
    return own


def _link_request(link: Link) -> dict[str, Any]:
    return {
        "source": link.source,
        "target": link.target,
        "rateBps": link.rate_bps,
        "delayS": link.delay_s,
        "queuePackets": link.queue_packets,  # null: no limit
        "queueBytes": link.queue_bytes,
        "lossPerPacket": link.loss_per_packet,
        "lossPerBit": link.loss_per_bit,
        "markAbovePackets": link.mark_above_packets,
        "outages": [
            {"startS": outage.start_s, "endS": outage.start_s + outage.duration_s}
            for outage in link.outages
        ],
        "changes": [
            {
                "atS": change.at_s,
                "rateBps": change.rate_bps,  # null: as it was
                "delayS": change.delay_s,
                "lossPerPacket": change.loss_per_packet,
                "lossPerBit": change.loss_per_bit,
            }
            for change in link.changes
        ],
    } | _assistance_request(link)


def _assistance_request(link: Link) -> dict[str, Any]:
    """Return what the request of a link has besides, where it assists TCP."""
    own: dict[str, Any] = {}
    if bursts := link.loss_bursts:
        own["lossBursts"] = {
            "lossPerPacket": bursts.loss_per_packet,
            "meanPackets": bursts.mean_packets,
            "lossWithin": bursts.loss_within,
        }
    match link.aqm:
        case Red() as red:
            own["aqm"] = {
                "minPackets": red.min_threshold_packets,
                "maxPackets": red.max_threshold_packets,
                "maxProbability": red.max_probability,
                "weight": red.queue_weight,
                "gentle": red.gentle,
            }
        case CoDel() as codel:
            own["aqm"] = {"targetS": codel.target_s, "intervalS": codel.interval_s}
        case Pie() as pie:
            own["aqm"] = {
                "targetS": pie.target_s,
                "updateS": pie.update_s,
                "maxBurstS": pie.max_burst_s,
                "alpha": pie.alpha,
                "beta": pie.beta,
                "markBelow": pie.mark_below,
            }
    if link.aqm:
        own["aqm"] |= {"kind": link.aqm.kind, "ecn": link.aqm.ecn}
    return own


def _flow_request(number: int, flow: Flow, scenario: Scenario) -> dict[str, Any]:
    if (flow.sack or flow.relays) and not flow.limited_transmit:
        raise InputError(
            f"flows.{number}.limited_transmit: false is allowed only with sack false and without "
            "relays: ns-3 sends new segments on duplicate ACKs whenever it has SACK, and does not "
            "allow it otherwise to a sender that waits for its relay"
        )
    traces = catalogue.find(flow.congestion_control.name).traces
    return _congestion_control(number, flow, scenario.seed) | {
        "connections": (
            [flow.path]
            if flow.path
            else list(itertools.pairwise((flow.source, *flow.relays, flow.target)))
        ),
        "segmentBytes": flow.segment_bytes,
        "initialWindowSegments": flow.initial_window_segments,
        "initialSsthreshSegments": flow.initial_ssthresh_segments or 0,
        "sendBufferBytes": 0 if flow.send_buffer_bytes == "auto" else flow.send_buffer_bytes,
        "receiveBufferBytes": (
            0 if flow.receive_buffer_bytes == "auto" else flow.receive_buffer_bytes
        ),
        "segmentsPerAck": flow.segments_per_ack,
        "ackTimeoutS": flow.ack_timeout_s,
        "sack": flow.sack,
        "limitedTransmit": _limited_transmit(flow),
        "ecn": flow.ecn,
        "timestamps": flow.timestamps,
        "minRtoS": flow.min_rto_s,
        "startS": flow.start_s,
        "stopS": flow.stop_s,  # null: never
        "bytes": flow.bytes or 0,
        "reroutes": [{"atS": reroute.at_s, "path": reroute.path} for reroute in flow.reroutes],
        "handoffs": [
            {
                "atS": handoff.at_s,
                "local": handoff.kind == "local",
                "announcedBps": handoff.announced_rate_bps or 0.0,
            }
            for handoff in flow.handoffs
        ],
        "series": [
            name
            for name in scenario.record.series
            if name not in (*LINK_SERIES, *TRANSFER_SERIES)
            and (name not in ESTIMATES or name in traces)
        ],
    }


def _limited_transmit(flow: Flow) -> bool:
    """Return whether ns-3's limited transmit is on.

    Without SACK it sends a new segment for every duplicate ACK, where RFC 3042 allows two, and
    holds what it sends for arrived (`data/faults.csv`, limited-transmit). No header reaches that,
    but its switch does: it is off, unless stock ns-3 is asked for by its recovery, or there are
    relays, for which ns-3 does not allow it.
    """
    stock = flow.recovery == STOCK_RECOVERY
    return flow.limited_transmit and (flow.sack or stock or bool(flow.relays))


def _command() -> tuple[list[str], dict[str, str]]:
    """Return what starts the process that has ns-3 loaded, and its environment.

    Memory in huge pages, where the system has them: a run is a tenth faster.
    """
    check_is_here()
    try:
        engine = compiled.engine()
    except LongfatError as error:
        raise SimulationError(f"the engine 'ns3' cannot be compiled: {error}") from None
    command = [sys.executable, str(HERE / "server.py"), str(engine)]
    tunables = [os.environ.get("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1"]
    return command, os.environ | {"GLIBC_TUNABLES": ":".join(filter(None, tunables))}


_server = host.Server(_command)  # the process that has ns-3 loaded, started when needed


def stop() -> None:
    """Give up every run of this process. Each ends with a SimulationError."""
    _server.stop()
