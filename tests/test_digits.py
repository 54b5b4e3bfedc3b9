"""Digits of some hundred small scenarios, kept: they change only with a version of behaviour."""

import json
from concurrent.futures import ThreadPoolExecutor

import digits
import pytest

from longfat import engines
from longfat.cc import catalogue
from longfat.links import Link
from longfat.scenario import Flow, Scenario

KEPT = [json.loads(text) for text in digits.FILE.read_text("utf-8").splitlines()]
# What is for people, what draws from nothing, and what stands in a chapter's page alone.
UNUSED = {"title"}


def compared(one: dict) -> str:
    """Run a scenario again; return "" or what is wrong, and what is to be done."""
    scenario = Scenario(**one["scenario"])
    assert scenario.canonical_json() == json.dumps(
        one["scenario"], sort_keys=True, separators=(",", ":")
    )
    now = digits.line(one["name"], one["engine"], scenario)
    if now["digest"] == one["digest"]:
        return ""
    if now["versions"] == one["versions"]:
        return (
            f"{one['name']}: other digits, so raise the version of what changed ({one['versions']})"
        )
    return f"{one['name']}: other digits of other versions; 'python tools/digits.py' keeps them"


def check(engine: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        wrong = list(
            filter(None, threads.map(compared, [k for k in KEPT if k["engine"] == engine]))
        )
    assert not wrong, "\n".join(wrong)


def test_digits_of_the_segment_engine_change_with_a_version_only():
    check("segment")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["linux", "ns2", "ns3"])
def test_digits_of_an_engine_change_with_a_version_only(engine):
    if not engines.is_here(engine):
        pytest.skip(f"the engine {engine} is not here")
    check(engine)


def senders(engine: str) -> set[str]:
    """Return the congestion controls whose digits on an engine are kept."""
    return {
        flow["congestion_control"]["name"]
        for one in KEPT
        if one["engine"] == engine
        for flow in one["scenario"].get("flows", ())
    }


def test_every_congestion_control_and_every_field_of_a_scenario_is_among_them():
    ours = {name for name, algorithm in catalogue.algorithms().items() if algorithm.header}
    assert ours <= senders("segment")
    for model, fields in (
        (Scenario, [set(one["scenario"]) for one in KEPT]),
        (Flow, [set(flow) for one in KEPT for flow in one["scenario"].get("flows", ())]),
        (Link, [set(link) for one in KEPT for link in one["scenario"]["links"]]),
    ):
        assert set(model.model_fields) - UNUSED <= set().union(*fields), model


def test_another_digit_is_found():
    one = next(kept for kept in KEPT if kept["name"] == "newreno lossy")
    other = one | {"scenario": one["scenario"] | {"seed": 77_777}}
    assert "raise the version" in compared(other)
    assert "keeps them" in compared(other | {"versions": {"segment": 0}})
