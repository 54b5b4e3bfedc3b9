"""What came back from a run, with its provenance."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, get_args

from longfat.scenario import LinkSeries, Scenario, TransferSeries

if TYPE_CHECKING:
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
    given_up_s: float | None  # when the connection gave up (R2 of RFC 9293)


class TransferRow(TypedDict):
    """The columns of `Result.transfers`. Missing times are of a transfer that was not done."""

    transfer: str
    method: str
    transfer_time_s: float | None  # until the last byte is there and the checksum is right
    known_s: float | None  # with datagrams: until the source knows it
    delivered_bytes: int  # of the file
    packets_sent: int
    packets_sent_again: int
    bytes_sent: int  # with all headers
    packets_overrun: int  # for which the receiver's socket had no room
    control_bytes: int
    rounds: int  # RBUDP's blasts, or how often Tsunami began


FLOW_COLUMNS = tuple(FlowRow.__annotations__)
MORE_FLOW_COLUMNS = tuple(MoreFlowRow.__annotations__)
TRANSFER_COLUMNS = tuple(TransferRow.__annotations__)
LINK_SERIES = get_args(LinkSeries)
TRANSFER_SERIES = get_args(TransferSeries)

Row = dict[str, Any]


class Result:
    """A run's measurements.

    `flows` has a row a flow, with the columns of `FlowRow` and, as far as the engine tells them, of
    `MoreFlowRow`; `transfers` has a row a transfer (`TransferRow`). `links` has a row a direction,
    with what became of its packets. `traces` maps a recorded series to a table with columns flow,
    time_s and the series; that of a link has `link`, such as "sender>receiver", instead of flow.
    With relays, a flow's counts are sums over its connections, and its series, but for
    delivered_bytes, those of the first connection. `provenance` says what made it.

    The tables can be given as tables, or as rows (of traces: as columns): then they are made of
    them when they are first asked for, which takes longer than a short run.

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
        scenario: Scenario,
        flows: "pd.DataFrame | Sequence[Row]",
        links: "pd.DataFrame | Sequence[Row]",
        traces: "Mapping[str, pd.DataFrame | dict[str, list]]",
        provenance: dict[str, Any],
        transfers: "Sequence[Row]" = (),
    ):
        self.scenario = scenario
        self.provenance = provenance
        self._transfers = transfers
        self._flows, self._links, self._traces = flows, links, traces

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
        return table.astype({"transfer_time_s": float, "known_s": float})

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

    def flow_rows(self) -> list[Row]:
        """Return what `flows` has, a dictionary a flow, with None for what is missing."""
        return records(self._flows)

    def link_rows(self) -> list[Row]:
        """Return what `links` has, a dictionary a direction, with None for what is missing."""
        return records(self._links)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, from which `from_dict` makes the result again."""
        transfers = {"transfers": self.transfer_rows()} if self._transfers else {}
        return {
            "scenario": self.scenario.model_dump(mode="json", exclude_defaults=True),
            "flows": self.flow_rows(),
            "links": self.link_rows(),
            "traces": {
                name: table.to_dict("list") if _is_table(table) else table
                for name, table in self._traces.items()
            },
            "provenance": self.provenance,
        } | transfers

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
        )


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
