"""What to simulate: nodes, links, losses, outages, flows, duration, seed.

A scenario is data. It says nothing about how it is simulated, so every engine takes it. Rates are
in bit/s, times in seconds, sizes in bytes, windows in segments. A link is one direction, from
`source` to `target`; a cable is two of them (see `longfat.topologies.duplex`).
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from longfat.cc import catalogue
from longfat.errors import InputError, nearest, quoted, shortened
from longfat.fields import (
    FASTEST_BPS,
    LARGEST,
    LONGEST_S,
    SHORTEST_S,
    BitRate,
    Count,
    Mistake,
    Model,
    Name,
    PositiveSeconds,
    Seconds,
    Segments,
)
from longfat.links import Link, LinkChange, Outage
from longfat.media_streams import MediaStream
from longfat.start_ups import CarefulResume, StartUp, from_name
from longfat.transfers import GridFtp, Rbudp, Transfer, Tsunami

__all__ = [
    "CongestionControl",
    "Flow",
    "FlowSeries",
    "Handoff",
    "Link",
    "LinkChange",
    "LinkSeries",
    "MediaStream",
    "Move",
    "Ns2",
    "Outage",
    "Record",
    "Reroute",
    "Scenario",
    "Transfer",
]

OWN_PACKETS = {"answer", "supplement"}  # events of a congestion control that sends such


def _python_numbers(values: Any) -> Any:
    """NumPy's scalars as Python's own, which JSON has."""
    if not isinstance(values, dict):
        return values
    return {k: v.item() if hasattr(v, "item") else v for k, v in values.items()}


class CongestionControl(Model):
    """An algorithm of the catalogue (`longfat cc list`) and its parameters, where not default.

    >>> from longfat import CongestionControl
    >>> CongestionControl(name="hybla", parameters={"rtt0_s": 0.05}).parameters
    {'rtt0_s': 0.05}
    """

    name: str
    parameters: Annotated[dict[str, Any], BeforeValidator(_python_numbers)] = {}  # noqa: RUF012 (copied)

    def _mistakes(self) -> Iterator[Mistake]:
        for name, reason in catalogue.find(self.name).refusals(self.parameters):
            yield ("parameters", name), reason


def _from_name(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


NodePath = Annotated[tuple[Name, ...], Field(min_length=2)]


class Reroute(Model):
    """From `at_s` on every node sends a flow's packets, and its ACKs back, along another path.

    What is under way to a node that this path avoids goes on from there as before.

    >>> from longfat import Reroute
    >>> Reroute(at_s=3.0, path=("a", "other router", "b")).path
    ('a', 'other router', 'b')
    """

    at_s: Seconds
    path: NodePath


class Handoff(Model):
    """The sender is told that the receiver has moved, at `at_s`.

    After a `local` movement the path up to the last router is the same, after a `non-local` one it
    is not. The new access router may announce the rate of its radio link. What the move does to
    the path is said by outages, changes of links and reroutes.

    >>> from longfat import Handoff
    >>> Handoff(at_s=3.0, kind="local", announced_rate_bps=1e6).kind
    'local'
    """

    at_s: Seconds
    kind: Literal["local", "non-local"]
    announced_rate_bps: BitRate | None = None


MessagePath = Annotated[tuple[Name, ...], Field(min_length=2)]


class Move(Model):
    """The receiver moves, at `at_s`, and tells the network so by messages over the links.

    After `link_s` (802.11b: half of its beacons' interval, as the paper tcpj counts) and `setup_s`
    it has joined its new link, sends its ACKs back along `path`, and the messages go: `rounds` of
    them, one round after the other, a message of `message_bytes` as the nodes that it visits, by
    the shortest ways. When the last round is over, the node `redirect` of `path` begins to send
    along it, and answers the host. If that is the sender, what it has sent before goes on as
    addressed. What is lost is sent again after 1 s, 2 s, 4 s (RFC 6275).

    Of a flow through one relay, `relay` of `path` takes its place: then its state, `state_bytes`
    and all that it has acknowledged but not yet passed on, goes over the shortest way from the old
    relay to the new, which begins with a window of one segment.

    That the old link no longer reaches the receiver is said by outages. `longfat.mobility` makes
    such movements by the rules of protocols.

    >>> from longfat import Move
    >>> Move(
    ...     at_s=3, path=("a", "new", "b"), rounds=[[("b", "new", "a")]], redirect="a"
    ... ).setup_s
    0.03
    """

    at_s: Seconds
    path: NodePath
    rounds: Annotated[tuple[tuple[MessagePath, ...], ...], Field(max_length=100)]
    redirect: Name
    link_s: Annotated[float, Field(ge=0, le=60)] = 0.05
    setup_s: Annotated[float, Field(ge=0, le=60)] = 0.03
    message_bytes: Annotated[int, Field(ge=1, le=1500)] = 100
    relay: Name | None = None
    state_bytes: Annotated[int, Field(ge=0, le=LARGEST)] = 0

    def _mistakes(self) -> Iterator[Mistake]:
        for name in ("redirect", "relay"):
            node = getattr(self, name)
            if node is not None and node not in self.path:
                yield f"{name} {quoted(node)} must be on the path"


AS_LINUX = {
    "as_linux_6_12",
    "count_as_linux",
    "hystart_as_linux",
}  # parameters of congestion controls
LINUX_BESIDES = {"rack": True, "frto": True, "undo": True}  # of `Flow`, what Linux has on


class Flow(Model):
    """One TCP connection that sends from `source` to `target`.

    It sends without end, until `stop_s`, or until `bytes` are delivered. `max_window_segments`
    caps the congestion window itself; `receive_buffer_bytes` is the largest window that the
    receiver advertises. A buffer that is "auto" grows with the connection, up to 64 MB.
    `segments_per_ack` is 1 without delayed ACKs, 2 with them. With `timestamps` (RFC 7323) every
    segment carries 12 bytes more, and an ACK tells which of a segment's transmissions it is for.
    Without a `path` the packets take the shortest one. `relays` split the flow: each node of them
    ends one TCP connection and begins the next (performance-enhancing proxies, RFC 3135), with the
    same settings each, but for `relay_buffer_bytes` on either side of a relay, if stated: what a
    relay has acknowledged and not yet passed on, at most. At `relays_fail_at_s` the relays and all
    that they hold are gone. `moves` are movements of the receiver. `recovery` says what may be sent
    while lost segments are sent again: proportional rate reduction (RFC 9937), the whole window
    halved at once (RFC 6675), what ns-3 3.44 calls proportional rate reduction, or, without SACK,
    Reno's, which ends with the first ACK of progress (RFC 2581). With
    `quick_start_bps` the SYN asks the routers for that rate (RFC 4782; what is asked for is 40 kb/s
    times a power of 2), and if all approve one (`Link.approve_bps`) the first window has it, paced.
    `limited_transmit` is RFC 3042's, which matters without SACK. `start_up` is the first slow
    start, where it is another than the congestion control's own (`longfat.start_ups`).

    Of segments that are lost again when they are sent again, SACK tells by those sent after them;
    with `lost_retransmissions` "timeout" only the timer does, as in senders of 2002. What Linux has
    besides, and papers leave out, is off: `rack` finds losses by time and probes for those at the
    end (RACK-TLP, RFC 8985), `frto` finds out whether a timeout was one (RFC 5682), `undo` takes
    back what timestamps (RFC 3522) or DSACK (RFC 2883) show to have been for nothing; `as_linux`
    turns all on. After `retries` timeouts in a row the connection gives up (R2 of RFC 9293).
    Timestamps count ticks of `timestamp_tick_s` (0: nanoseconds).

    A receiver may misbehave, in three ways of Savage et al. (1999). One that `conceals_losses`
    acknowledges what is missing as if it had come, so that no loss is felt unless nothing comes
    after it, and what counts as delivered has holes. With an `ack_division` above 1 it sends so
    many ACKs for one, each of an equal part of the bytes: whoever grows by the ACK and not by the
    byte grows so many times as fast (RFC 3465, section 2; RFC 5681, section 3.1). An optimistic
    one acknowledges up to `optimistic_ack_segments` more than have come, so that the round trip
    seems short; it conceals losses too, for nobody sends again what is acknowledged. It begins
    with what has come, and is ahead by a segment more with each that comes: an ACK of what has not
    been sent is dropped and answered (RFC 9293, section 3.10.7.4; RFC 5961, section 5.2), and then
    it begins anew.

    >>> from longfat import Flow
    >>> flow = Flow(source="a", target="b", congestion_control="cubic", bytes=1_000_000)
    >>> flow.congestion_control.name, flow.segment_bytes, flow.sack
    ('cubic', 1000, True)
    """

    source: Name
    target: Name
    congestion_control: Annotated[CongestionControl, BeforeValidator(_from_name)]
    name: str = ""
    segment_bytes: Annotated[int, Field(ge=1, le=9000)] = 1000
    max_window_segments: Segments | None = None
    initial_window_segments: Count = 10
    initial_ssthresh_segments: Segments | None = None
    send_buffer_bytes: Count | Literal["auto"] = 64_000_000
    receive_buffer_bytes: Count | Literal["auto"] = 64_000_000
    segments_per_ack: Count = 1
    ack_timeout_s: PositiveSeconds = 0.2
    sack: bool = True
    recovery: Literal["prr", "halving", "prr-ns3-3.44", "reno"] = "prr"
    limited_transmit: bool = True
    timestamps: bool = True
    ecn: bool = False
    min_rto_s: PositiveSeconds = 1.0
    start_s: Seconds = 0.0
    stop_s: PositiveSeconds | None = None
    bytes: Annotated[int, Field(ge=1, le=10**15)] | None = None
    path: NodePath | None = None
    reroutes: tuple[Reroute, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    relays: tuple[Name, ...] = ()
    quick_start_bps: Annotated[float, Field(ge=80e3, le=FASTEST_BPS)] | None = None
    relay_buffer_bytes: Count | None = None
    relays_fail_at_s: Seconds | None = None
    moves: tuple[Move, ...] = ()
    rack: bool = False
    frto: bool = False
    undo: bool = False
    retries: Annotated[int, Field(ge=1, le=1_000_000)] = 15
    timestamp_tick_s: Annotated[float, Field(ge=0, le=10)] = 0.0
    conceals_losses: bool = False
    ack_division: Annotated[int, Field(ge=1, le=1000)] = 1
    optimistic_ack_segments: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    lost_retransmissions: Literal["detected", "timeout"] = "detected"
    start_up: Annotated[StartUp | None, BeforeValidator(from_name)] = None

    def as_linux(self) -> "Flow":
        """Return this flow with what Linux 6.12 does besides.

        That is `rack`, `frto`, `undo`, and the congestion control's parameters that are named for
        Linux, where it has any. What a scenario states for both, such as `min_rto_s` (0.2 by
        Linux's default) and `segments_per_ack`, stays as it is.

        >>> from longfat import Flow
        >>> flow = Flow(source="a", target="b", congestion_control="cubic").as_linux()
        >>> flow.rack, flow.frto, flow.undo, flow.congestion_control.parameters
        (True, True, True, {'as_linux_6_12': True, 'hystart_as_linux': True})
        """
        control = self.congestion_control
        own = AS_LINUX & set(catalogue.find(control.name).parameters)
        if own:
            parameters = {**control.parameters, **dict.fromkeys(sorted(own), True)}
            control = CongestionControl(name=control.name, parameters=parameters)
        return Flow(**(dict(self) | LINUX_BESIDES | {"congestion_control": control}))

    def _mistakes(self) -> Iterator[Mistake]:
        if self.stop_s is not None and self.stop_s <= self.start_s:
            yield f"stop_s {self.stop_s} must be later than start_s {self.start_s}"
        if self.source == self.target:
            yield f"a flow needs two nodes, not {quoted(self.source)} to itself"
        if (self.rack or self.frto or self.undo) and not self.sack:
            yield "sack: rack, frto and undo need it"
        if self.rack and self.lost_retransmissions == "timeout":
            yield "lost_retransmissions: with rack they are detected"
        algorithm = catalogue.find(self.congestion_control.name)
        if self.max_window_segments is not None and not algorithm.caps_window:
            yield (
                f"'{self.congestion_control.name}' cannot cap its congestion window: "
                "leave max_window_segments out and limit the flow by receive_buffer_bytes"
            )
        if "supplement" in algorithm.events and not self.sack:
            yield (
                f"'{algorithm.name}' needs sack: the receiver's reports tell it what has become of "
                "its supplements"
            )
        if self.start_up is not None and not algorithm.has_slow_start:
            yield (
                f"start_up: '{algorithm.name}' has no slow start that another could take the place "
                "of: leave it out"
            )
        if self.start_up is not None and self.quick_start_bps is not None:
            yield "start_up: state either start_up or quick_start_bps"
        if self.relays and isinstance(self.start_up, CarefulResume):
            yield (
                "start_up: what is saved for careful-resume is of one connection: a flow with "
                "relays has several"
            )
        yield from self._impossible_ways()

    @property
    def sends_own_packets(self) -> bool:
        """Whether the congestion control sends probes, queries or supplements."""
        return not OWN_PACKETS.isdisjoint(catalogue.find(self.congestion_control.name).events)

    @property
    def has_low_priority(self) -> bool:
        """Whether it sends packets that a full queue drops before others."""
        control = self.congestion_control
        known = "low_priority" in catalogue.find(control.name).parameters
        return known and bool(control.parameters.get("low_priority", True))

    def _impossible_ways(self) -> Iterator[Mistake]:
        if self.reroutes and self.path is None:
            yield "a flow with reroutes must state the path that it begins with"
        if self.relays and (self.path or self.handoffs):
            yield "a flow through relays can have neither a path nor handoffs"
        if self.relays and (self.ack_division > 1 or self.optimistic_ack_segments):
            yield (
                "relays: ack_division and optimistic_ack_segments are of a receiver that answers "
                "the sender itself"
            )
        if not self.relays and (self.relay_buffer_bytes or self.relays_fail_at_s is not None):
            yield "relay_buffer_bytes and relays_fail_at_s are for flows with relays"
        if self.moves and self.reroutes:
            yield "a flow has either reroutes or moves"
        for move in self.moves:
            if (move.relay is None) == bool(self.relays) or len(self.relays) > 1:
                yield "a move states relay if, and only if, the flow has a relay, and one alone"
        ways: tuple[Reroute | Move, ...] = (*self.reroutes, *self.moves)
        for path in (self.path, *(way.path for way in ways)):
            if path is not None and (path[0], path[-1]) != (self.source, self.target):
                yield (
                    f"path must lead from {quoted(self.source)} to {quoted(self.target)}, not from "
                    f"{quoted(path[0])} to {quoted(path[-1])}"
                )
        for nodes in (self.path or (), self.relays, *(way.path for way in ways)):
            for node in nodes:
                if nodes.count(node) > 1:
                    yield f"path and relays name a node once, not {quoted(node)} again"


FlowSeries = Literal[
    "cwnd_segments",
    "ssthresh_segments",
    "rtt_s",
    "delivered_bytes",
    "bandwidth_bps",
    "utilization",
    "acknowledged_bytes",
    "signalling_bytes",
    "handoff_s",
]
LinkSeries = Literal["queue_packets", "sent_bytes"]
TransferSeries = Literal["received_bytes", "rate_bps", "error_rate"]


class Record(Model):
    """Which time series a run keeps, and with how many points at most (the last value in each of
    `points` equal intervals).

    Of a flow: `delivered_bytes` is payload in order at the receiver; `bandwidth_bps` and
    `utilization` are what an algorithm that estimates them believes (`longfat cc list`);
    `acknowledged_bytes` is what the sender has been told of (of a relay, if there is one),
    `signalling_bytes` what messages about movements have put on links, `handoff_s` the time from a
    movement until the host has been answered. Of a link: packets in the queue, and bytes sent so
    far. Of a transfer: bytes of the file that are there, the rate at which its datagrams are sent,
    and the error rate that it goes by.

    >>> from longfat import Record
    >>> Record(series=("cwnd_segments", "queue_packets"), points=100).points
    100
    """

    series: tuple[Literal[FlowSeries, LinkSeries, TransferSeries], ...] = ()
    points: Annotated[int, Field(ge=2, le=1_000_000)] = 2000


def _or_nothing(record: Any) -> Any:
    return Record() if record is None else record


class _Graph:
    """Which nodes are joined: what networkx would tell, without the time to import it."""

    def __init__(self, edges: Iterable[tuple[str, str]]):
        self.edges = set(edges)
        self._next: dict[str, list[str]] = {}
        for source, target in self.edges:
            self._next.setdefault(source, []).append(target)

    def __contains__(self, node: str) -> bool:
        return node in self._next  # every link has one back

    def has_path(self, source: str, target: str) -> bool:
        reached, waiting = {source}, [source]
        while waiting and target not in reached:
            new = set(self._next[waiting.pop()]) - reached
            reached |= new
            waiting += new
        return target in reached


class Ns2(Model):
    """What the engine `ns2` does by habit; no other engine takes it.

    Left alone, ns-2 counts the headers that the other engines count and loses packets where they
    do, so that what is left of a difference is the sender's. `header_bytes` and `ack_bytes` are
    what a segment and an ACK have on the wire beside their payload (ns-2.35 by itself: 40 and 40;
    before November 2001: 0 and 40), `tick_s` the granularity of its timers and round-trip times
    (0.01 s by itself), `sack_blocks` how many blocks an ACK has. `losses` says where the loss model
    stands: at the end of the link, or `before the queue`, as `lossmodel` puts it. `overhead_s`
    delays each segment by a random time up to so long, which breaks the phases of flows. With
    `linux_agents`, Reno and Vegas, which ns-2 has twice, are those of its Linux agents; with
    `own_hybla`, Hybla is no Linux agent: ns-2's own senders, SACK or NewReno, grow as Hybla does.
    UCC and TCP-J are always its own SACK sender, and Westwood is any of its own. With
    `pipe_of_window` the SACK sender takes the window less three for what is in flight when a
    recovery begins (its `oldCode_`), and not all that it has sent less three.

    `mended` is what its Linux agents do otherwise than the modules of 2007, for senders that have
    such a thing: `growth` (BIC: an ACK counts for one segment; Vegas: every round trip may grow;
    Scalable: as Kelly has it), `decrease` (Illinois: a loss takes the part that the module leaves;
    Vegas: a quarter; Scalable: half up to 16 segments), and of TCP-LP `delay` (both ends have one
    clock) and `threshold` (it falls with the window, so that no slow start follows).

    >>> from longfat import Ns2
    >>> Ns2(header_bytes=40, ack_bytes=40, tick_s=0.01).sack_blocks
    3
    """

    header_bytes: Annotated[int, Field(ge=0, le=9000)] | None = None
    ack_bytes: Annotated[int, Field(ge=1, le=9000)] | None = None
    tick_s: Annotated[float, Field(ge=1e-6, le=10)] = 0.001
    sack_blocks: Annotated[int, Field(ge=1, le=3)] = 3
    losses: Literal["at the end", "before the queue"] = "at the end"
    overhead_s: Annotated[float, Field(ge=0, le=10)] = 0.0
    linux_agents: bool = False
    own_hybla: bool = False
    pipe_of_window: bool = False
    mended: tuple[Literal["growth", "decrease", "delay", "threshold"], ...] = ()


class Scenario(Model):
    """Everything that decides a run's result, apart from the engine.

    `ns2` is what the engine `ns2` does by habit. `transfers` are files, carried by flows that have
    no `bytes` of their own or by datagrams; with them flows may be missing, and a run ends with the
    last transfer and the last flow that has an end. `media_streams` are neighbours at a constant
    rate, which end no run. `title` is for people: it is no part of the key.

    >>> from longfat import Scenario, topologies
    >>> scenario = Scenario(
    ...     links=topologies.duplex("a", "b", rate_bps=10e6, delay_s=0.05, queue_packets=100),
    ...     flows=[{"source": "a", "target": "b", "congestion_control": "newreno"}],
    ...     duration_s=5,
    ... )
    >>> scenario.nodes
    ('a', 'b')
    >>> Scenario.from_json(scenario.to_json()) == scenario
    True
    >>> scenario.replace(seed=2).seed
    2
    """

    links: Annotated[tuple[Link, ...], Field(min_length=1)]
    flows: tuple[Flow, ...] = ()
    duration_s: Annotated[float, Field(ge=SHORTEST_S, le=LONGEST_S)]
    seed: Annotated[int, Field(ge=1, le=2**31)] = 1
    record: Annotated[Record, BeforeValidator(_or_nothing)] = Record()
    ns2: Ns2 = Ns2()
    transfers: tuple[Transfer, ...] = ()
    media_streams: tuple[MediaStream, ...] = ()
    title: str = ""

    __slots__ = ("_canonical",)  # asked for several times a run; no copy has it

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes, in the order in which the links mention them."""
        return tuple(dict.fromkeys(n for link in self.links for n in (link.source, link.target)))

    def _node_list(self) -> str:
        return ", ".join(map(shortened, self.nodes))

    @field_validator("links")
    @classmethod
    def _each_link_once(cls, links: tuple[Link, ...]) -> tuple[Link, ...]:
        pairs = [(link.source, link.target) for link in links]
        for source, target in pairs:
            if pairs.count((source, target)) > 1:
                raise ValueError(
                    f"two links from {quoted(source)} to {quoted(target)}: one is allowed"
                )
            if (target, source) not in pairs:
                raise ValueError(
                    f"no link back from {quoted(target)} to {quoted(source)}: ACKs need one"
                )
        return links

    def _mistakes(self) -> Iterator[Mistake]:
        yield from self._xcp_beside_stations()
        yield from self._unknown_priorities()
        graph = _Graph((link.source, link.target) for link in self.links)
        yield from self._impossible_transfers(graph)
        yield from self._missing_paths(graph)
        yield from self._missing_estimates()

    def _xcp_beside_stations(self) -> Iterator[Mistake]:
        ways = {(link.source, link.target): link for link in self.links}
        for number, link in enumerate(self.links):
            back = ways[link.target, link.source]
            for name in ("base_station", "notifies_loss"):
                if link.xcp and getattr(back, name):
                    yield (
                        f"links.{number}.xcp: not allowed beside {name} of the link back, whose "
                        "ACKs it carries"
                    )

    def _unknown_priorities(self) -> Iterator[Mistake]:
        for number, flow in enumerate(self.flows):
            if not flow.has_low_priority:
                continue
            assisted = [n for n, link in enumerate(self.links) if link.assistance or link.xcp]
            if assisted:
                yield (
                    f"flows.{number}.congestion_control: low_priority must be false beside the "
                    f"assistance of link {assisted[0]}: its queue has one priority"
                )

    def _impossible_transfers(self, graph: _Graph) -> Iterator[Mistake]:
        if not self.flows and not self.transfers and not self.media_streams:
            yield "flows: () must have one at least, unless there are transfers or media streams"
        carriers: list[int] = []
        for number, transfer in enumerate(self.transfers):
            method = transfer.method
            where = f"transfers.{number}.method"
            if isinstance(method, Rbudp | Tsunami):
                ends = (method.source, method.target, *(method.path or ()))
                yield from self._unknown_nodes(graph, where, *ends)
                continue
            for place in method.all_flows:
                if place >= len(self.flows):
                    yield (
                        f"{where}.flows: there is no flow {place}: the last is "
                        f"{len(self.flows) - 1}"
                    )
                    continue
                if place in carriers:
                    yield f"{where}.flows: flow {place} carries another transfer"
                flow = self.flows[place]
                if flow.bytes is not None or flow.stop_s is not None:
                    yield (
                        f"{where}.flows: flow {place} carries the transfer: it can have neither "
                        "bytes nor stop_s of its own"
                    )
                carriers.append(place)
            for which, cut in enumerate(method.cuts if isinstance(method, GridFtp) else ()):
                for place in cut.flows:
                    if place < len(self.flows) and self.flows[place].start_s < cut.at_s:
                        yield (
                            f"{where}.cuts.{which}.flows: flow {place} goes on after the cut: its "
                            f"start_s must be at least {cut.at_s}"
                        )
            if isinstance(method, GridFtp) and method.changes:
                for place in method.all_flows:
                    if place < len(self.flows) and self.flows[place].relays:
                        yield (
                            f"{where}: flow {place} has relays: its streams can be neither cut nor "
                            "opened on the way"
                        )

    def _unknown_nodes(self, graph: _Graph, where: str, *nodes: str) -> Iterator[Mistake]:
        for node in nodes:
            if node not in graph:
                yield (
                    f"{where}: no link touches node {quoted(node)}: nodes are "
                    f"{self._node_list()}.{nearest(node, list(self.nodes))}"
                )

    def _missing_paths(self, graph: _Graph) -> Iterator[Mistake]:
        ends: list[tuple[str, Flow | MediaStream]] = [
            *((f"flows.{number}", flow) for number, flow in enumerate(self.flows)),
            *((f"media_streams.{number}", own) for number, own in enumerate(self.media_streams)),
        ]
        for where, one in ends:
            missing = list(self._unknown_nodes(graph, where, one.source, one.target))
            yield from missing
            if not missing and not graph.has_path(one.source, one.target):
                yield f"{where}: no path from {quoted(one.source)} to {quoted(one.target)}"
        for number, flow in enumerate(self.flows):
            ways: tuple[Reroute | Move, ...] = (*flow.reroutes, *flow.moves)
            for move in flow.moves:
                for message in (message for round_ in move.rounds for message in round_):
                    for node in message:
                        if node not in graph:
                            yield (
                                f"flows.{number}.moves: no link touches node {quoted(node)}: "
                                f"nodes are {self._node_list()}.{nearest(node, list(self.nodes))}"
                            )
            for path in (flow.path, *(way.path for way in ways)):
                for hop in itertools.pairwise(path or ()):
                    if hop not in graph.edges:
                        yield f"flows.{number}: no link from {quoted(hop[0])} to {quoted(hop[1])}"
            for relay in flow.relays:
                if relay not in graph or relay in (flow.source, flow.target):
                    yield (
                        f"flows.{number}: relay {quoted(relay)} must be a node between "
                        f"{quoted(flow.source)} and {quoted(flow.target)}: "
                        f"nodes are {self._node_list()}"
                    )

    def _missing_estimates(self) -> Iterator[Mistake]:
        for series in {"bandwidth_bps", "utilization"} & set(self.record.series):
            controls = (catalogue.find(flow.congestion_control.name) for flow in self.flows)
            if not any(series in control.traces for control in controls):
                yield f"record.series: no flow's congestion control offers '{series}'"

    def replace(self, **changes: Any) -> "Scenario":
        """Return a copy with top-level fields changed; what is new, and the whole, is validated."""
        return Scenario(**(dict(self) | changes))

    def canonical_json(self) -> str:
        """Return the shortest JSON that means this scenario: keys sorted, defaults left out."""
        text: str | None = getattr(self, "_canonical", None)
        if text is None:
            data = self.model_dump(mode="json", exclude_defaults=True, exclude={"title"})
            text = json.dumps(data, sort_keys=True, separators=(",", ":"))
            object.__setattr__(self, "_canonical", text)
        return text

    def sha256(self) -> str:
        """Return the hash of the canonical JSON: equal scenarios have equal hashes."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()

    def to_json(self) -> str:
        """Return readable JSON, which `from_json` reads back."""
        return self.model_dump_json(indent=2, exclude_defaults=True) + "\n"

    @classmethod
    def from_json(cls, text: str, where: str = "scenario") -> "Scenario":
        """Read a scenario from JSON text; `where` names it in errors.

        Raises InputError for malformed JSON, and for fields that are unknown or out of range.
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}: not JSON at line {error.lineno} column {error.colno}: {error.msg}"
            ) from None
        except ValueError:  # Python reads no whole number of more than some thousand digits
            raise InputError(f"{where}: a number in it has thousands of digits") from None
        except RecursionError:
            raise InputError(f"{where}: its JSON is nested too deeply") from None
        if not isinstance(data, dict):
            raise InputError(f"{where}: a scenario is a JSON object, not {type(data).__name__}")
        try:
            return cls(**data)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    @classmethod
    def from_file(cls, path: Path | str) -> "Scenario":
        """Read a scenario from a JSON file. Raises InputError as `from_json` does."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        return cls.from_json(text, where=str(path))
