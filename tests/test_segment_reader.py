"""The segment engine's reader of scenarios, which a page asks without any check before."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest
import segment_link_driver
from segment_scenarios import flow, link, run

from longfat import builds
from longfat.links import CoDel, Pie, Red
from longfat.scenario import Scenario
from longfat.start_ups import CarefulResume

pytestmark = [
    pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here"),
    pytest.mark.medium,  # the reader under sanitizers is compiled for half a minute
]

LINK = {"rate_bps": 1e6, "delay_s": 0.01, "queue_packets": 100}
ASSISTANCE: list[dict[str, Any]] = [
    {
        "queue_packets": 100,
        "mark_above_packets": 5,
        "outages": [{"start_s": 1, "duration_s": 1}],
        "changes": [{"at_s": 1, "rate_bps": 1e6, "delay_s": 0.1, "loss_per_packet": 0.1}],
        "loss_bursts": {"loss_per_packet": 0.01, "mean_packets": 5, "loss_within": 1},
        "arq": {"persistence": 3, "feedback_s": 0.1, "frame_bytes": 100},
        "approve_bps": 1e6,
    },
    {"aqm": {"kind": "codel"}, "xcp": {"alpha": 0.4, "beta": 0.2, "gamma": 0.1}},
    {"aqm": {"kind": "pie"}},
    {"base_station": {"kind": "snoop", "fails_at_s": 1}},
    {"aqm": {"kind": "red"}},
    {"base_station": {"kind": "wtcp"}},
]
FLOW = {"source": "a", "target": "c", "congestion_control": "newreno"}
START_UPS: list[dict[str, Any]] = [
    {"kind": "standard", "limit_segments": 8},
    {"kind": "paced", "limit_segments": 8, "gain": 1.25},
    {"kind": "limited", "max_ssthresh_segments": 100},
    {"kind": "hystart"},
    {"kind": "hystart++"},
    {"kind": "search", "threshold": 0.26},
    {"kind": "hybla", "rtt0_s": 0.025},
    {"kind": "picoquic", "reference_rtt_s": 0.1, "largest_rtt_s": 0.61},
    {
        "kind": "careful-resume",
        "saved_cwnd_bytes": 10_000,
        "saved_rtt_s": 0.1,
        "max_jump_bytes": 9000,
        "beta": 0.7,
    },
]
DATAGRAMS = {"source": "a", "target": "c", "rate_bps": 1e6, "receiver_bps": 1e6}


def everything() -> dict[str, Any]:
    """Return a scenario that has most kinds of fields, over the cables a-b, b-c and a-d."""
    ends = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "d"), ("d", "a")]
    links = [
        {"source": source, "target": target, **LINK, **copy.deepcopy(more)}
        for (source, target), more in zip(ends, ASSISTANCE, strict=True)
    ]
    flows: list[dict[str, Any]] = [
        FLOW | {"bytes": 1000, "quick_start_bps": 1e6, "handoffs": [{"at_s": 1}]},
        FLOW | {"relays": ["b"], "relay_buffer_bytes": 1000, "relays_fail_at_s": 1},
        dict(FLOW),
        FLOW | {"path": list("abc"), "reroutes": [{"at_s": 1, "path": list("abc")}]},
        FLOW
        | {"moves": [{"at_s": 1, "path": list("abc"), "rounds": [[["c", "b"]]], "redirect": "b"}]},
    ]
    flows += [FLOW | {"start_up": dict(start_up)} for start_up in START_UPS]
    transfers = [
        {"bytes": 1000, "method": DATAGRAMS | {"kind": "rbudp"}},
        {"bytes": 1000, "method": DATAGRAMS | {"kind": "tsunami"}},
        {"bytes": 1000, "method": {"kind": "gridftp", "flows": [2], "adapts": {"gain": 0.1}}},
    ]
    return {"links": links, "flows": flows, "transfers": transfers, "duration_s": 10}


def with_value(where: str, value: float) -> dict[str, Any]:
    """Return that scenario with another value of one field, as in `links.0.rate_bps`."""
    scenario = everything()
    *holders, name = where.split(".")
    place: Any = scenario
    for holder in holders:
        place = place[int(holder)] if holder.isdigit() else place.setdefault(holder, {})
    place[name] = value
    if name == "queue_bytes":
        del place["queue_packets"]
    return scenario


def numbers(schema: dict[str, Any], value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Return the fields that are numbers, of all objects of a scenario, with their schema."""
    schema = of_value(schema, value)
    if isinstance(value, list):
        for place, one in enumerate(value):
            yield from numbers(schema["items"], one, f"{where}{place}.")
        return
    for name, own in schema["properties"].items():
        for option in own.get("anyOf", [own]):
            if option.get("type") in ("number", "integer"):
                yield f"{where}{name}", option
        held = value.get(name)
        if isinstance(held, dict) or (isinstance(held, list) and isinstance(held[0], dict)):
            yield from numbers(own, held, f"{where}{name}.")


def choices(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return what a value may be, one after the other."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[-1]]
    some = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    yield from (one for own in some for one in choices(own)) if some else [schema]


def of_value(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """Return the choice that is an array or, of objects, the one that has the value's fields."""
    if isinstance(value, list):
        return next(own for own in choices(schema) if own["type"] == "array")
    objects = [own for own in choices(schema) if own.get("type") == "object"]
    [found] = [
        own
        for own in objects
        if value.keys() <= own["properties"].keys()
        and own["properties"].get("kind", {}).get("const", value.get("kind")) == value.get("kind")
    ]
    return found


def bounds(schema: dict[str, Any]) -> tuple[float, float]:
    """Return the least and the largest number that a schema allows."""
    least = schema.get("minimum", -math.inf)
    if "exclusiveMinimum" in schema:
        least = math.nextafter(schema["exclusiveMinimum"], math.inf)
    most = schema.get("maximum", math.inf)
    if "exclusiveMaximum" in schema:
        most = math.nextafter(schema["exclusiveMaximum"], -math.inf)
    return least, most


def beyond(schema: dict[str, Any]) -> tuple[float, float]:
    """Return the numbers next to its bounds, on the other side."""
    least, most = bounds(schema)
    if schema["type"] == "integer":
        return least - 1, most + 1
    return math.nextafter(least, -math.inf), math.nextafter(most, math.inf)


SCHEMA = Scenario.model_json_schema()


def test_a_number_has_the_bounds_that_it_has_in_a_scenario():
    """Whatever `Scenario` admits the engine can do, and what it refuses the engine refuses, in a
    sentence that names field, value and what is allowed."""
    fields = dict(numbers(SCHEMA, everything()))
    assert len(fields) > 80
    assert segment_link_driver.refusals([everything()]) == [""]
    within = [(where, one) for where, own in fields.items() for one in bounds(own)]
    found = segment_link_driver.refusals([with_value(*one) for one in within])
    for (where, number), sentence in zip(within, found, strict=True):
        # Another field may narrow it, in a sentence that does not begin with its name alone.
        assert not sentence.startswith(f"{where}: "), (where, number, sentence)
    further = [(where, one) for where, own in fields.items() for one in beyond(own)]
    found = segment_link_driver.refusals([with_value(*one) for one in further])
    for (where, number), sentence in zip(further, found, strict=True):
        assert sentence.startswith(f"{where}: ") and " must be " in sentence, (
            where,
            number,
            sentence,
        )


@pytest.mark.parametrize("kind", ["flows.0.path", "transfers.0.method.path"])
def test_a_path_leads_from_source_to_target_over_links_that_are_there(kind):
    paths = [["a", "b", "c"], ["c", "b", "a"], ["a", "c"], ["a", "b"], ["a", "b", "nowhere"]]
    found = segment_link_driver.refusals([with_value(kind, path) for path in paths])
    assert found[0] == ""
    assert "from 'a' to 'c'" in found[1]
    assert "no link from 'a' to 'c'" in found[2]
    assert "from 'a' to 'c'" in found[3]
    assert "no link from 'b' to 'nowhere'" in found[4]


def test_each_field_is_one_that_its_reader_knows():
    """A word that is not known is refused wherever it stands."""
    places = [where.rpartition(".")[0] for where, _ in numbers(SCHEMA, everything())]
    places = sorted({place for place in places if place})
    found = segment_link_driver.refusals([with_value(f"{p}.nonsense", 1) for p in places])
    assert found == [f"{place}.nonsense: there is no such field" for place in places]


@pytest.mark.parametrize("aqm", [Red(), CoDel(), Pie()])
def test_what_a_managed_queue_leaves_out_is_as_a_scenario_has_it(aqm):
    stated, short = (
        run(link(queue=200, aqm=one), flow(), flow(), duration_s=20)["links"][0]
        for one in (aqm.model_dump(), {"kind": aqm.kind})
    )
    assert stated == short
    assert stated["packets_dropped_early"] > 10


def test_what_a_careful_resume_leaves_out_is_as_a_scenario_has_it():
    """On a path that holds less than the saved window: part of it is left."""
    saved = CarefulResume(saved_cwnd_bytes=400_000, saved_rtt_s=0.1)
    everything = saved.model_dump()
    short = {name: everything[name] for name in ("kind", "saved_cwnd_bytes", "saved_rtt_s")}
    stated, least, other = (
        run(link(queue=60), flow(start_up=one), duration_s=3)["flows"]
        for one in (everything, short, everything | {"beta": 0.7})
    )
    assert stated == least != other
