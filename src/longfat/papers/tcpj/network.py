"""The networks of the TCP-J paper: a shared wire, a radio link, a handoff."""

from typing import Any

import numpy as np

from longfat.errors import InputError
from longfat.links import Arq
from longfat.network import duplex
from longfat.scenario import (
    CongestionControl,
    Flow,
    Handoff,
    Link,
    Outage,
    Record,
    Reroute,
    Scenario,
)

ON_AIR_S = 0.001  # delay of a radio link, one way
WIRE_QUEUE_PACKETS = 1000  # of a wire before the radio link
# Its four protocols, as congestion control and selective acknowledgments.
TCPJ_PROTOCOLS = {
    "NewReno": ("newreno", False),
    "SACK": ("newreno", True),
    "Westwood": ("westwood", False),
    "TCP-J": ("tcpj", True),
}


def tcpj_flow(source: str, target: str, protocol: str, parameters: dict, fields: dict) -> Flow:
    """A flow of table 1, by a protocol of `TCPJ_PROTOCOLS` or a name of the catalogue.

    Assumed, as the paper does not state them: one segment to begin with, slow start up to the
    advertised window, a timer of 1 s at least, limited transmit for all, no timestamps, and a
    window that is set at once when a recovery begins.
    """
    name, sack = TCPJ_PROTOCOLS.get(protocol, (protocol, True))
    table_1 = {
        "name": protocol,
        "congestion_control": CongestionControl(name=name, parameters=parameters),
        "segment_bytes": 1460,
        "receive_buffer_bytes": 65_535,
        "segments_per_ack": 2,
        "ack_timeout_s": 0.2,
        "initial_window_segments": 1,
        "initial_ssthresh_segments": 44,
        "min_rto_s": 1.0,
        "recovery": "halving",
        "sack": sack,
        "timestamps": False,
    }
    return Flow(source=source, target=target, **(table_1 | fields))


def _tcpj_starts(protocols: tuple[str, ...], seed: int) -> list[float]:
    """Times in the first second, drawn from the seed; a flow alone begins at once."""
    if len(protocols) == 1:
        return [0.0]
    return np.random.default_rng(seed).uniform(0, 1, len(protocols)).round(6).tolist()


def _wire_delay_s(rtt_s: float, *others_s: float) -> float:
    """What the other links leave of a round trip for the wire, one way.

    Raises InputError where they leave nothing.
    """
    rest_s = rtt_s / 2
    for other_s in others_s:
        rest_s -= other_s
    if rest_s < 0:
        least_s = 2 * sum(others_s)
        raise InputError(
            f"rtt_s is {rtt_s:g}: it must be at least {least_s:g} s, which is what the other links "
            "of this network take"
        )
    return rest_s


def shared_wire(
    *protocols: str,
    rate_bps: float,
    rtt_s: float,
    queue_packets: int = 30,
    parameters: dict[str, dict] | None = None,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
    **fields: Any,
) -> Scenario:
    """Pairs of hosts that share one wire between two routers (paper: tcpj, figure 2).

    A flow a protocol (a key of `TCPJ_PROTOCOLS`), with the `parameters` of that name. `rate_bps` is
    that of the shared wire, `rtt_s` the two-way delay of all hops; `fields` are those of `Flow`.
    Nothing else is random on a wire, so the flows begin at times drawn from the seed, uniformly in
    the first second.

    >>> from longfat import topologies
    >>> wire = topologies.shared_wire("NewReno", "TCP-J", rate_bps=3e6, rtt_s=0.04)
    >>> len(wire.links)
    10
    """
    hop: dict[str, Any] = {"rate_bps": 100e6, "delay_s": 0.001, "queue_packets": 1000}
    links: tuple[Link, ...] = duplex(
        "router0",
        "router1",
        rate_bps=rate_bps,
        delay_s=_wire_delay_s(rtt_s, 0.002),
        queue_packets=queue_packets,
    )
    flows = []
    for i, start_s in enumerate(_tcpj_starts(protocols, seed)):
        source, target = f"cn{2 * i}", f"cn{2 * i + 1}"
        links += duplex(source, "router0", **hop) + duplex("router1", target, **hop)
        own = {"start_s": start_s, "name": f"{protocols[i]} {i}"} | fields
        constants = (parameters or {}).get(protocols[i], {})
        flows.append(tcpj_flow(source, target, protocols[i], constants, own))
    return Scenario(
        links=links, flows=flows, duration_s=duration_s, seed=seed, record=record or Record()
    )


def radio(
    *protocols: str,
    bit_error_rate: float,
    rate_bps: float,
    rtt_s: float,
    wired_bps: float = 100e6,
    queue_packets: int = 30,
    ack_bit_error_rate: float = 0.0,
    outages: tuple[Outage, ...] = (),
    arq: Arq | None = None,
    parameters: dict | None = None,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
    **fields: Any,
) -> Scenario:
    """A host, an access router and a mobile host behind its radio link (paper: tcpj, figure 4).

    A flow a protocol, all to the same mobile host. `rate_bps` is that of the radio link, `rtt_s`
    the two-way delay of both hops; outages and `arq`, by which it repeats what it has lost, hold
    for both directions of the radio link.
    `parameters` are the congestion control's, `fields` those of `Flow`. The paper's rates and
    delays are lost, and where bits are lost is assumed: on the way to the mobile host. Several
    flows begin at times drawn from the seed, uniformly in the first second.

    >>> from longfat import topologies
    >>> topologies.radio("TCP-J", bit_error_rate=1e-6, rate_bps=3e6, rtt_s=0.04).nodes
    ('cn', 'ar', 'mn')
    """
    on_air_s = ON_AIR_S
    links = duplex(
        "cn",
        "ar",
        rate_bps=wired_bps,
        delay_s=_wire_delay_s(rtt_s, on_air_s),
        queue_packets=1000,
    ) + duplex(
        "ar",
        "mn",
        rate_bps=rate_bps,
        delay_s=on_air_s,
        queue_packets=queue_packets,
        loss_per_bit=bit_error_rate,
        outages=outages,
        arq=arq,
        backward={"loss_per_bit": ack_bit_error_rate},
    )
    flows = []
    for i, start_s in enumerate(_tcpj_starts(protocols, seed)):
        own = {"start_s": start_s, "name": f"{protocols[i]} {i}"} | fields
        flows.append(tcpj_flow("cn", "mn", protocols[i], parameters or {}, own))
    return Scenario(
        links=links, flows=flows, duration_s=duration_s, seed=seed, record=record or Record()
    )


def handoff(
    protocol: str,
    kind: str,
    *,
    rate_bps: float,
    new_rate_bps: float,
    cost_s: float,
    rtt_s: float,
    announced: bool = True,
    at_s: float = 100.0,
    bit_error_rate: float = 1e-7,
    queue_packets: int = 30,
    wired_bps: float = 100e6,
    new_wired_bps: float = 100e6,
    beside: str | None = None,
    duration_s: float = 200.0,
    seed: int = 1,
    record: Record | None = None,
    **fields: Any,
) -> Scenario:
    """A mobile host that moves to another access router (paper: tcpj, figures 11 and 14).

    In a `local` movement both access routers have one router above them, in a `non-local` one each
    has its own, on a wire of its own. At `at_s` the old radio link is gone; after `cost_s` (table
    3) packets take the new path and the sender is told, with the rate of the new radio link if it
    is `announced`. With `beside`, a protocol, there is a second flow that uses the new radio link
    from the start, and does not move. `rtt_s` is the two-way delay on either path; `fields` are
    those of `Flow`. Rates and delays are assumed: the paper's stood on the sketches.

    >>> from longfat import topologies
    >>> move = {"rate_bps": 3e6, "new_rate_bps": 1e6, "cost_s": 0.09, "rtt_s": 0.04}
    >>> topologies.handoff("TCP-J", "local", **move).flows[0].reroutes[0].at_s
    100.09
    """
    local = kind == "local"
    above = ("rr1", "rr1") if local else ("rr1", "rr2")
    on_air_s, access_s = ON_AIR_S, 0.004
    wire: dict[str, Any] = {
        "delay_s": _wire_delay_s(rtt_s, access_s, on_air_s),
        "queue_packets": WIRE_QUEUE_PACKETS,
    }
    links: tuple[Link, ...] = duplex("cn", "rr1", rate_bps=wired_bps, **wire)
    if not local:
        links += duplex("cn", "rr2", rate_bps=new_wired_bps, **wire)
    gone = (Outage(start_s=at_s, duration_s=duration_s),)
    for number, rate, outages in ((1, rate_bps, gone), (2, new_rate_bps, ())):
        links += duplex(
            above[number - 1],
            f"ar{number}",
            rate_bps=wired_bps if number == 1 or local else new_wired_bps,
            delay_s=access_s,
            queue_packets=queue_packets,
        )
        links += duplex(
            f"ar{number}",
            "mn",
            rate_bps=rate,
            delay_s=on_air_s,
            queue_packets=queue_packets,
            loss_per_bit=bit_error_rate,
            outages=outages,
            backward={"loss_per_bit": 0.0},
        )
    moved: dict[str, Any] = {
        "path": ("cn", "rr1", "ar1", "mn"),
        "reroutes": (Reroute(at_s=at_s + cost_s, path=("cn", above[1], "ar2", "mn")),),
        "handoffs": (
            Handoff(
                at_s=at_s + cost_s,
                kind=kind,
                announced_rate_bps=new_rate_bps if announced else None,
            ),
        ),
    }
    flows = [tcpj_flow("cn", "mn", protocol, {}, moved | fields)]
    if beside:
        there = {"path": moved["reroutes"][0].path, "name": f"{beside}, at home"}
        flows.append(tcpj_flow("cn", "mn", beside, {}, there | fields))
    return Scenario(
        links=links,
        flows=flows,
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def with_own_ends(scenario: Scenario) -> Scenario:
    """Return a network of two flows in which the second has ends of its own, beside the first's.

    Where two flows go different ways between the same nodes: ns-2 has one way from a node to
    another. Links that take no time join the second's ends to these nodes.
    """
    first, second = scenario.flows
    assert second.path is not None
    source, target = f"beside {second.source}", f"beside {second.target}"
    at_once: dict[str, Any] = {"rate_bps": 1e12, "delay_s": 0.0, "queue_packets": 10_000}
    joined = duplex(source, second.source, **at_once) + duplex(second.target, target, **at_once)
    ends = {"source": source, "target": target, "path": (source, *second.path, target)}
    flows = (first, Flow(**(dict(second) | ends)))
    return scenario.replace(links=(*scenario.links, *joined), flows=flows)
