"""Transfers: a file of so many bytes, and the method by which it goes from here to there.

By flows of the scenario: parallel TCP cuts the file into as many parts as there are flows, GridFTP
lets them take blocks from a common queue. By datagrams at a rate: RBUDP and Tsunami, whose control
messages go over TCP connections of their own.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from longfat.errors import quoted
from longfat.fields import BitRate, Count, Mistake, Model, Name, Seconds

__all__ = ["Adapts", "Cut", "GridFtp", "ParallelTcp", "Rbudp", "Transfer", "Tsunami"]

Places = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]


class _ByFlows(Model):
    """`flows` are places in the scenario's list of flows, from 0."""

    flows: Places

    @property
    def all_flows(self) -> tuple[int, ...]:
        """All that carry it, at whatever time."""
        return self.flows

    def _mistakes(self) -> Iterator[Mistake]:
        if len(set(self.flows)) < len(self.flows):
            yield "flows must name each flow once"


class ParallelTcp(_ByFlows):
    """Parts of the file of equal size, one a flow; with one flow it is plain TCP.

    >>> from longfat.transfers import ParallelTcp
    >>> ParallelTcp(flows=(0, 1)).kind
    'parallel tcp'
    """

    kind: Literal["parallel tcp"] = "parallel tcp"


class Cut(Model):
    """At `at_s` every connection ends; `flows`, which start then or later, go on.

    >>> from longfat.transfers import Cut
    >>> Cut(at_s=30.0, flows=(4, 5)).flows
    (4, 5)
    """

    at_s: Seconds
    flows: Places


class Adapts(Model):
    """A number of streams that is found on the way, by a rule of this book's own.

    It begins with one, and every `every_s` is doubled, for as long as an interval delivers more
    than the one before by the part `gain`.

    >>> from longfat.transfers import Adapts
    >>> Adapts().gain
    0.1
    """

    every_s: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    gain: Annotated[float, Field(ge=0, le=1000)] = 0.1


class GridFtp(_ByFlows):
    """GridFTP in its extended block mode (GFD.20): flows take blocks from a common queue.

    A flow takes the next block of `block_bytes` as soon as its send buffer has room, with a header
    of 17 bytes; a block is rounded up to whole segments. Flows between several pairs of hosts make
    a striped transfer. The flows' send buffers should be "auto": what stands in one cannot go by
    another flow any more.

    At each of `cuts` all connections end, and others go on with what is missing in the receiver's
    last restart marker, written every `marker_every_s`; None: there are none, and it begins again.
    With `adapts`, `flows` are the most streams that there may be.

    >>> from longfat.transfers import GridFtp
    >>> GridFtp(flows=(0, 1, 2, 3)).block_bytes
    262144
    """

    kind: Literal["gridftp"] = "gridftp"
    block_bytes: Annotated[int, Field(ge=1, le=10**12)] = 262_144
    cuts: tuple[Cut, ...] = ()
    marker_every_s: Annotated[float, Field(gt=0, le=1e6)] | None = 5.0
    adapts: Adapts | None = None

    def _mistakes(self) -> Iterator[Mistake]:
        yield from super()._mistakes()
        elsewhere = [place for cut in self.cuts for place in cut.flows]
        if len({*elsewhere, *self.flows}) < len(elsewhere) + len(set(self.flows)):
            yield "cuts: flows must be named once"
        if [cut.at_s for cut in self.cuts] != sorted({cut.at_s for cut in self.cuts}):
            yield "cuts must be in the order of their times"
        if self.cuts and self.adapts:
            yield "adapts: it cannot be had together with cuts"

    @property
    def all_flows(self) -> tuple[int, ...]:
        return sum((cut.flows for cut in self.cuts), self.flows)

    @property
    def changes(self) -> bool:
        """Whether its streams are not the same from its begin to its end."""
        return bool(self.cuts or self.adapts)


class _ByDatagrams(Model):
    """From `source` to `target`, from `start_s` on, at `rate_bps` of payload at most.

    Without a `path` packets take the shortest one. The receiver reads `receiver_bps` from its
    socket, all at once where that is not stated, and `socket_buffer_bytes` can wait there; what
    finds no room is lost.
    """

    source: Name
    target: Name
    rate_bps: BitRate
    start_s: Seconds = 0.0
    payload_bytes: Annotated[int, Field(ge=1, le=65_000)]
    receiver_bps: BitRate | None = None
    socket_buffer_bytes: Annotated[int, Field(ge=1, le=10**12)] = 20_000_000
    path: Annotated[tuple[Name, ...], Field(min_length=2)] | None = None

    def _mistakes(self) -> Iterator[Mistake]:
        if self.source == self.target:
            yield f"a transfer needs two nodes, not {quoted(self.source)} to itself"
        if self.path and (self.path[0], self.path[-1]) != (self.source, self.target):
            yield (
                f"path must lead from {quoted(self.source)} to {quoted(self.target)}, not from "
                f"{quoted(self.path[0])} to {quoted(self.path[-1])}"
            )


class Rbudp(_ByDatagrams):
    """Reliable Blast UDP (He, Leigh, Yu and DeFanti 2002): all at `rate_bps`, then what is missing.

    >>> from longfat.transfers import Rbudp
    >>> Rbudp(source="a", target="b", rate_bps=600e6).payload_bytes
    1468
    """

    kind: Literal["rbudp"] = "rbudp"
    payload_bytes: Annotated[int, Field(ge=1, le=65_000)] = 1468


class Tsunami(_ByDatagrams):
    """Tsunami (Meiss 2004), with the defaults of its program, whose source was read for it.

    Every `report_every_s` the receiver asks again for what is missing, and tells its error rate;
    above `error_threshold` the delay between packets grows, at most by the factor `slower`, else it
    shrinks by `faster`, down to that of `rate_bps`. Of what an error rate was before it keeps
    `history`. For `most_requests` blocks or more the receiver asks to begin again at the first.

    >>> from longfat.transfers import Tsunami
    >>> Tsunami(source="a", target="b", rate_bps=600e6).error_threshold
    0.075
    """

    kind: Literal["tsunami"] = "tsunami"
    payload_bytes: Annotated[int, Field(ge=1, le=65_000)] = 1024
    error_threshold: Annotated[float, Field(ge=0, lt=1)] = 0.075
    slower: Annotated[float, Field(ge=1, le=1000)] = 25 / 24
    faster: Annotated[float, Field(gt=0, le=1)] = 5 / 6
    history: Annotated[float, Field(ge=0, lt=1)] = 0.25
    report_every_s: Annotated[float, Field(gt=0, le=1000)] = 0.35
    most_requests: Count = 2048


class Transfer(Model):
    """A file of `bytes`, and the `method` by which it goes over.

    >>> from longfat.transfers import Rbudp, Transfer
    >>> method = Rbudp(source="sender", target="receiver", rate_bps=9.5e6)
    >>> Transfer(bytes=1_000_000, method=method).bytes
    1000000
    """

    bytes: Annotated[int, Field(ge=1, le=10**15)]
    method: Annotated[ParallelTcp | GridFtp | Rbudp | Tsunami, Field(discriminator="kind")]
    name: str = ""

    @model_serializer(mode="wrap")
    def _method_named(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep the method's kind where defaults are left out: without it nobody could read it."""
        data = serialize(self)
        return data | {"method": {"kind": self.method.kind} | data["method"]}

    @property
    def by_datagrams(self) -> bool:
        """Whether it goes over UDP, not by flows of the scenario."""
        return isinstance(self.method, _ByDatagrams)
