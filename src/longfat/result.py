"""What came back from a run, with its provenance."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, get_args

from longfat.scenario import LinkSeries, Scenario, TransferSeries

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class FlowRow(TypedDict):
    """The columns of `Result.flows`. A missing time is of a flow without an end, or before it."""

    flow: str
    goodput_bps: float  # payload in order, from the flow's start to its last byte or its stop
    transfer_time_s: float | None  # from its SYN to the arrival of its last byte
    delivered_bytes: int  # payload in order
    segments_sent: int
    retransmissions: int
    recoveries: int
    timeouts: int


class MoreFlowRow(TypedDict):
    """Columns of `Result.flows` besides, which not every engine tells."""

    undone: int  # reductions that were taken back, for nothing had been lost (RFC 4015)
    given_up_s: float | None  # when the connection gave up (R2 of RFC 9293); ns-2's never do


class TransferRow(TypedDict):
    """The columns of `Result.transfers`. Missing times are of a transfer that was not done."""

    transfer: str
    method: str
    transfer_time_s: float | None  # until the last byte is there and the checksum is right
    acknowledged_s: float | None  # with datagrams: until the source knows it
    delivered_bytes: int  # of the file
    packets_sent: int
    packets_sent_again: int
    bytes_sent: int  # with all headers; of TCP, a short last segment counts as a whole one
    packets_overrun: int  # for which the receiver's socket had no room
    control_bytes: int
    rounds: int  # RBUDP's blasts, or how often Tsunami began


class MediaStreamRow(TypedDict):
    """The columns of `Result.media_streams`.

    Due are the packets that were sent so early that they are late or lost if they have not come
    when the run ends.
    """

    media_stream: str
    packets_sent: int
    packets_due: int
    packets_late: int  # of those that are due: came after the deadline
    packets_lost: int  # of those that are due: did not come
    least_delay_s: float | None  # of one that came, from one end to the other


FLOW_COLUMNS = tuple(FlowRow.__annotations__)
MORE_FLOW_COLUMNS = tuple(MoreFlowRow.__annotations__)
TRANSFER_COLUMNS = tuple(TransferRow.__annotations__)
MEDIA_STREAM_COLUMNS = tuple(MediaStreamRow.__annotations__)
LINK_SERIES = get_args(LinkSeries)
TRANSFER_SERIES = get_args(TransferSeries)

Row = dict[str, Any]


class Result:
    """A run's measurements.

    `flows` has a row a flow, with the columns of `FlowRow` and, as far as the engine tells them, of
    `MoreFlowRow`; `transfers` has a row a transfer (`TransferRow`), `media_streams` a row a media
    stream (`MediaStreamRow`). `links` has a row a direction, with what became of its packets.
    `traces` maps a recorded series to a table with columns flow, time_s and the series; that of a
    link has `link`, such as "sender>receiver", instead of flow. With relays, a flow's counts are
    sums over its connections, and its series, but for delivered_bytes, those of the first
    connection. `provenance` says what made it.

    The tables can be given as tables, or as rows (of traces: as columns), and the scenario as JSON:
    then they are made of them when they are first asked for, which takes longer than a short run.
    A scenario that comes of the archive has no title.

    >>> from longfat import simulate, topologies
    >>> record = {"series": ["cwnd_segments"], "points": 50}
    >>> scenario = topologies.reference(congestion_control="cubic", duration_s=2, record=record)
    >>> result = simulate(scenario, engine="segment")
    >>> list(result.traces["cwnd_segments"])
    ['flow', 'time_s', 'cwnd_segments']
    >>> result.provenance["engine"]
    'segment'
    """

    def __init__(
        self,
        scenario: Scenario | str,
        flows: "pd.DataFrame | Sequence[Row]",
        links: "pd.DataFrame | Sequence[Row]",
        traces: "Mapping[str, pd.DataFrame | dict[str, list]]",
        provenance: dict[str, Any],
        transfers: "Sequence[Row]" = (),
        media_streams: "Sequence[Row]" = (),
    ):
        self._scenario = scenario
        self.provenance = provenance
        self._transfers = transfers
        self._media_streams = media_streams
        self._flows, self._links, self._traces = flows, links, traces

    @cached_property
    def scenario(self) -> Scenario:
        """What was simulated."""
        given = self._scenario
        return Scenario.from_json(given) if isinstance(given, str) else given

    @cached_property
    def flows(self) -> "pd.DataFrame":
        """A row a flow."""
        return self._flows if _is_table(self._flows) else flow_table(self._flows)

    @cached_property
    def links(self) -> "pd.DataFrame":
        """A row a direction of a link."""
        import pandas as pd

        return self._links if _is_table(self._links) else pd.DataFrame(self._links)

    @cached_property
    def transfers(self) -> "pd.DataFrame":
        """A row a transfer."""
        import pandas as pd

        table = pd.DataFrame(self._transfers, columns=TRANSFER_COLUMNS)
        return table.astype({"transfer_time_s": float, "acknowledged_s": float})

    @cached_property
    def media_streams(self) -> "pd.DataFrame":
        """A row a media stream."""
        import pandas as pd

        table = pd.DataFrame(self._media_streams, columns=MEDIA_STREAM_COLUMNS)
        return table.astype({"least_delay_s": float})

    def media_stream_rows(self) -> list[Row]:
        """Return what `media_streams` has, a dictionary a stream, None for what is missing."""
        return list(self._media_streams)

    def transfer_rows(self) -> list[Row]:
        """Return what `transfers` has, a dictionary a transfer, with None for what is missing."""
        return list(self._transfers)

    @cached_property
    def traces(self) -> "dict[str, pd.DataFrame]":
        """A table a recorded series, a row a point."""
        import pandas as pd

        return {
            name: table if _is_table(table) else pd.DataFrame(table)
            for name, table in self._traces.items()
        }

    def trace_columns(self, series: str) -> "Mapping[str, Any]":
        """Return the columns of a table of `traces` as they are, which makes no table of them."""
        return self._traces[series]

    def flow_rows(self) -> list[Row]:
        """Return what `flows` has, a dictionary a flow, with None for what is missing."""
        return records(self._flows)

    def link_rows(self) -> list[Row]:
        """Return what `links` has, a dictionary a direction, with None for what is missing."""
        return records(self._links)

    def parts_from(self, other: "Result", tolerance: float = 0.02) -> "pd.DataFrame":
        """Return when each series that both have recorded is first another, the earliest on top.

        Columns: series; of, the flow or link; time_s; here and there, the values then. Two values
        differ by more than `tolerance` times the largest of the series, and for longer than one of
        the record's intervals. A series that never does has no row.

        >>> from longfat import simulate, topologies
        >>> record = {"series": ["cwnd_segments"], "points": 200}
        >>> one, other = (
        ...     simulate(topologies.satellite(loss=1e-3, duration_s=20, seed=n, record=record))
        ...     for n in (1, 2)
        ... )
        >>> list(one.parts_from(other)["series"])
        ['cwnd_segments']
        """
        import numpy as np
        import pandas as pd

        ends_s = min(self.scenario.duration_s, other.scenario.duration_s)
        points = min(self.scenario.record.points, other.scenario.record.points)
        times_s = np.arange(1, points + 1) * ends_s / points
        rows = []
        for series in self.traces.keys() & other.traces.keys():
            by = trace_carrier(series)
            mine, theirs = (
                {
                    of: _values_at(times_s, own["time_s"].to_numpy(), own[series].to_numpy())
                    for of, own in result.traces[series].groupby(by, sort=False)
                }
                for result in (self, other)
            )
            for of in mine.keys() & theirs.keys():
                here, there = mine[of], theirs[of]
                least = tolerance * max(np.nanmax(here), np.nanmax(there))
                another = np.abs(here - there) > least  # not before both have begun
                lasting = np.flatnonzero(another[:-1] & another[1:])
                if lasting.size:
                    at = lasting[0]
                    rows.append((series, of, times_s[at], here[at], there[at]))
        table = pd.DataFrame(rows, columns=["series", "of", "time_s", "here", "there"])
        return table.sort_values(["time_s", "series"], ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, from which `from_dict` makes the result again."""
        seldom = {
            "transfers": self.transfer_rows(),
            "media_streams": self.media_stream_rows(),
        }
        return {
            "scenario": self.scenario.model_dump(mode="json", exclude_defaults=True),
            "flows": self.flow_rows(),
            "links": self.link_rows(),
            "traces": {
                name: table.to_dict("list") if _is_table(table) else table
                for name, table in self._traces.items()
            },
            "provenance": self.provenance,
        } | {name: rows for name, rows in seldom.items() if rows}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Result":
        """Make a result from the data that `to_dict` returned."""
        return cls(
            scenario=Scenario(**data["scenario"]),
            flows=[
                {column: row[column] for column in FLOW_COLUMNS}
                | {column: row[column] for column in MORE_FLOW_COLUMNS if column in row}
                for row in data["flows"]
            ],
            links=data["links"],
            traces=data["traces"],
            provenance=data["provenance"],
            transfers=data.get("transfers", ()),
            media_streams=data.get("media_streams", ()),
        )


def _values_at(times_s: "np.ndarray", changes_s: "np.ndarray", values: "np.ndarray") -> Any:
    """Return a series' last value at each of these times, NaN before its first."""
    import numpy as np

    place = np.searchsorted(changes_s, times_s, side="right") - 1
    return np.where(place < 0, np.nan, values[place].astype(float))


def flow_table(rows: Sequence[Row]) -> "pd.DataFrame":
    """Return rows of flows as a table; what is missing in a column of times is NaN."""
    import pandas as pd

    more = [column for column in MORE_FLOW_COLUMNS if any(column in row for row in rows)]
    table = pd.DataFrame(rows, columns=[*FLOW_COLUMNS, *more])
    times = [column for column in ("transfer_time_s", "given_up_s") if column in table]
    return table.astype(dict.fromkeys([*times, "goodput_bps"], float))


def trace_carrier(series: str) -> str:
    """Return whose series it is: "flow", "link" or "transfer", the column of `Result.traces`."""
    if series in TRANSFER_SERIES:
        return "transfer"
    return "link" if series in LINK_SERIES else "flow"


def _is_table(given: Any) -> "TypeGuard[pd.DataFrame]":
    return hasattr(given, "columns")


def records(table: "pd.DataFrame | Sequence[Row]") -> list[Row]:
    """Return a table as a dictionary a row, with None for what is missing."""
    if not _is_table(table):
        return list(table)
    return table.astype(object).where(table.notna(), None).to_dict("records")
