"""What came back from a run, with its provenance."""

from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from longfat.scenario import LinkSeries, Scenario

FLOW_COLUMNS = (
    "flow",
    "goodput_bps",
    "transfer_time_s",
    "delivered_bytes",
    "segments_sent",
    "retransmissions",
    "recoveries",
    "timeouts",
)
LINK_SERIES = get_args(LinkSeries)


@dataclass(frozen=True)
class Result:
    """A run's measurements.

    `flows` has a row a flow (columns `FLOW_COLUMNS`): goodput is payload delivered in order, in
    bit/s, over the time from the flow's start to its last byte, its stop, or the end of the run;
    transfer_time_s runs from the start of the flow (its SYN) to the arrival of its last byte, and
    is missing where the flow has no end or did not reach it. `links` has a row a direction, with
    what became of its packets. `traces` maps a recorded series to a table with columns flow,
    time_s and the series; that of a link has `link`, such as "sender>receiver", instead of flow.
    With relays, a flow's counts are sums over its connections, and its series, but for
    delivered_bytes, those of the first connection. `provenance` says what made it.
    """

    scenario: Scenario
    flows: pd.DataFrame
    links: pd.DataFrame
    traces: dict[str, pd.DataFrame]
    provenance: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, from which `from_dict` makes the result again."""
        return {
            "scenario": self.scenario.model_dump(mode="json", exclude_defaults=True),
            "flows": _records(self.flows),
            "links": _records(self.links),
            "traces": {name: table.to_dict("list") for name, table in self.traces.items()},
            "provenance": self.provenance,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Result":
        """Make a result from the data that `to_dict` returned."""
        return cls(
            scenario=Scenario(**data["scenario"]),
            flows=pd.DataFrame(data["flows"], columns=FLOW_COLUMNS).astype(
                {"transfer_time_s": float, "goodput_bps": float}
            ),
            links=pd.DataFrame(data["links"]),
            traces={name: pd.DataFrame(table) for name, table in data["traces"].items()},
            provenance=data["provenance"],
        )


def trace_carrier(series: str) -> str:
    """Return whose series it is: "flow" or "link", the column of `Result.traces`."""
    return "link" if series in LINK_SERIES else "flow"


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")
