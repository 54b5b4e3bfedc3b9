"""Which engine can do what: the table, and that the rest is refused by it."""

from pathlib import Path
from typing import Any

import pytest

from longfat import InputError, Scenario, engines
from longfat.cc import catalogue
from longfat.engines import capabilities
from longfat.export import TARGETS, export
from longfat.links import Link
from longfat.network import duplex
from longfat.scenario import Flow
from longfat.transfers import Transfer

TABLE = capabilities.table()
CELLS = [(row, target) for row, cells in TABLE.items() for target in cells]
# What uses each row, and what the scenario must have for that besides.
LINKS: dict[str, Any] = {
    "loss_per_bit": 1e-6,
    "changes.loss_per_bit": [{"at_s": 1.0, "loss_per_bit": 1e-6}],
    "loss_bursts": {"loss_per_packet": 0.01, "mean_packets": 5},
    "arq": {"persistence": 3, "feedback_s": 0.01},
    "delivery_ms": (1, 2, 3, 4),
    "mark_above_packets": 10,
    "xcp": {},
    "approve_bps": 1e6,
    "ptp": True,
    "base_station": {"kind": "snoop"},
    "notifies_loss": True,
}
FLOWS: dict[str, Any] = {
    "congestion_control.parameters": {"name": "hybla", "parameters": {"rtt0_s": 0.05}},
    "limited_transmit": False,
    "ack_timeout_s": 0.1,
    "rack": True,
    "frto": True,
    "undo": True,
    "retries": 3,
    "timestamp_tick_s": 0.01,
    "conceals_losses": True,
    "ack_division": 4,
    "optimistic_ack_segments": 10,
    "lost_retransmissions": "timeout",
    "ecn": True,
    "quick_start_bps": 1e6,
    "start_up": "limited",
    "path": ("a", "m", "b"),
    "reroutes": [{"at_s": 1.0, "path": ("a", "n", "o", "b")}],
    "handoffs": [{"at_s": 1.0, "kind": "local"}],
    "relays": ("m",),
    "relay_buffer_bytes": 10_000,
    "relays_fail_at_s": 1.0,
    "moves": [
        {
            "at_s": 1.0,
            "path": ("a", "n", "o", "b"),
            "rounds": [[("b", "o", "n", "a")]],
            "redirect": "a",
        }
    ],
}
NEEDING = {
    "segments beyond the window": "cherry",
    "answers to probes and queries": "peach",
    "pauses": "probing",
    "feedback of routers": "xcp",
}
BY_FLOWS = {"kind": "gridftp", "flows": [0]}
TRANSFERS: dict[str, Any] = {
    "cuts": BY_FLOWS | {"cuts": [{"at_s": 1.0, "flows": [1]}]},
    "adapts": BY_FLOWS | {"adapts": {}},
    "path": {
        "kind": "rbudp",
        "source": "a",
        "target": "b",
        "rate_bps": 1e6,
        "path": ("a", "m", "b"),
    },
}


def scenario(row: str, target: str = "") -> Scenario:
    """Return a scenario that uses a row of the table; two ways lead from a to b."""
    kind, _, field = row.partition(".")
    field, _, value = field.partition(" = ")
    field, _, need = field.partition(": ")
    link: dict[str, Any] = {"rate_bps": 12e6}
    flow: dict[str, Any] = {"source": "a", "target": "b", "congestion_control": "reno"}
    whole: dict[str, Any] = {}
    if row == "ns2":
        whole["ns2"] = {"tick_s": 0.01}
    elif kind == "transfers":
        method = TRANSFERS[field.partition(".")[2]] if field else BY_FLOWS
        whole["transfers"] = [{"bytes": 1_000_000, "method": method}]
    elif kind == "media_streams":
        whole["media_streams"] = [{"source": "a", "target": "b", "deadline_s": 0.1}]
    elif kind == "links":
        link[field.partition(".")[0]] = {"kind": value} if value else LINKS[field]
    elif kind == "record":
        whole["record"] = {"series": [value]}
        estimator = "westwood" if target == "ns2" else "bbr"
        senders = {"utilization": "ucc", "bandwidth_bps": estimator}
        flow["congestion_control"] = senders.get(value, "reno")
    elif need:
        flow["congestion_control"] = NEEDING[need]
    else:
        flow[field.partition(".")[0]] = value or FLOWS[field]
    if field in ("relay_buffer_bytes", "relays_fail_at_s"):
        flow["relays"] = ("m",)
    if value == "prr-ns3-3.44":
        flow["congestion_control"] = "newreno-ns3"
    if field == "reroutes":
        flow["path"] = ("a", "m", "b")
    if field == "limited_transmit" or value == "reno":
        flow["sack"] = False
    if field == "handoffs" and target == "ns2":
        flow["congestion_control"] = "tcpj"
    links = [
        one
        for ends in (("a", "m"), ("m", "b"), ("a", "n"), ("n", "o"), ("o", "b"))
        for one in duplex(*ends, delay_s=0.01, queue_packets=50, **link)
    ]
    flows = [flow, dict(flow, start_s=1.5)]
    return Scenario(links=links, flows=flows, duration_s=2, **whole)


@pytest.mark.parametrize("row", TABLE)
def test_a_scenario_uses_what_it_states_and_no_more(row):
    used = {use.row for use in capabilities.uses(scenario(row))}
    beside = {
        "transfers.method.cuts": {"transfers"},
        "transfers.method.adapts": {"transfers"},
        "transfers.method.path": {"transfers"},
        "flows.congestion_control: pauses": {
            "flows.congestion_control: answers to probes and queries"
        },
        "flows.reroutes": {"flows.path"},
        "flows.relay_buffer_bytes": {"flows.relays"},
        "flows.relays_fail_at_s": {"flows.relays"},
    }
    assert used == {row} | beside.get(row, set())


@pytest.mark.parametrize(("row", "target"), CELLS)
def test_each_is_refused_where_the_table_says_so_and_nowhere_else(row, target):
    one = scenario(row, target)
    refused = [
        use
        for use in capabilities.uses(one)
        if TABLE[use.row][target] not in capabilities.NOT_REFUSED
    ]
    if not refused:
        assert TABLE[row][target] in capabilities.NOT_REFUSED
        _ask(one, target)
        return
    with pytest.raises(InputError) as caught:
        _ask(one, target)
    words, first = str(caught.value), refused[0]
    assert words.startswith(f"{first.place}: ") and "\n" not in words
    answer = TABLE[first.row][target]
    assert answer == "no" or answer in words
    if target in TARGETS:
        assert words.startswith(f"{first.place}: this cannot be exported: ")
    else:
        assert f"the engine '{target}' does not have " in words
    if target not in TARGETS or answer == "no":
        able = {engine for engine in engines.ENGINES if TABLE[first.row][engine] == "yes"}
        assert able == {engine for engine in engines.ENGINES if f"'{engine}'" in words} - {target}


def _ask(one: Scenario, target: str) -> None:
    """Ask an engine or an export, as far as it goes before anything runs."""
    match target:
        case "netns" | "mininet":
            export(one, target)
        case "linux":
            engines.linux.planning.plan(one)
        case "ns2":
            engines.ns2.planning.plan(one)
        case "ns3":
            engines.ns3.request(one)
        case "segment":
            engines.segment.simulate(one)


def test_the_tables_rows_are_fields_and_its_columns_all_engines_and_exports():
    models = {"links": Link, "flows": Flow, "transfers": Transfer}
    for row, cells in TABLE.items():
        assert set(cells) == {*engines.ENGINES, *TARGETS}
        assert "yes" in cells.values()
        kind, _, field = row.partition(".")
        if kind in models and field:
            assert field.split(":")[0].split(" ")[0].split(".")[0] in models[kind].model_fields


# What ns-3's adapter tells a congestion control, by what it calls for that.
TOLD_BY_NS3 = {
    "start": "start(",
    "established": "on_established(",
    "sent": "on_sent(",
    "lost": "on_lost(",
    "timeout": "on_timeout(",
    "recovered": "on_recovered(",
    "restart": "on_restart(",
    "handoff": "on_handoff(",
    "timer": "on_timer(",
    "bandwidth": "bandwidth_bps(",
    "utilization": "utilization(",
    "one-way delay": "OneWayDelaySignal",
}


def test_each_optional_part_of_the_interface_is_served_by_ns3_or_stands_in_the_table():
    """But for undo: ns-3's socket undoes nothing, and a flow that asks for it is refused."""
    parts = {part for one in catalogue.algorithms().values() for part in one.events + one.needs}
    assert parts == {*TOLD_BY_NS3, *capabilities.NEEDS, "undo"}
    assert TABLE["flows.undo"]["ns3"] == "no"
    adapter = engines.ns3.__path__[0] + "/adapter.h"
    told = Path(adapter).read_text("utf-8")
    assert [part for part, call in TOLD_BY_NS3.items() if call not in told] == []


WITH_HEADER = [name for name, one in catalogue.algorithms().items() if one.header]


@pytest.mark.parametrize("name", WITH_HEADER)
def test_ns3_refuses_an_algorithm_for_what_it_needs_and_for_nothing_else(name):
    algorithm = catalogue.find(name)
    flow = {"source": "a", "target": "b", "congestion_control": name}
    links = duplex("a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=10)
    one = Scenario(links=links, flows=[flow], duration_s=1)
    missing = [what for part, what in capabilities.NEEDS.items() if part in algorithm.events]
    missing += [what for part, what in capabilities.NEEDS.items() if part in algorithm.needs]
    if not missing:
        engines.ns3.request(one)
        return
    with pytest.raises(InputError, match=rf"^flows\.0\.congestion_control: [^\n]*'{name}'") as no:
        engines.ns3.request(one)
    assert any(what in str(no.value) for what in missing)
