"""Keep the digits of some hundred small scenarios in tests/digits.jsonl (tests/test_digits.py).

    python tools/digits.py          after a version of behaviour was raised
    python tools/digits.py segment  of that engine alone

The scenarios are a run of every archived experiment, shortened, so that whatever the book uses is
there, on the engine that ran it; each congestion control of ours, alone, on a path that loses
packets, and beside standard TCP; and what no archived experiment has. A line has a scenario, its
engine, the versions of behaviour, and a hash of all that was measured.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from longfat import audit, engines, store
from longfat.cc import catalogue
from longfat.errors import InputError
from longfat.result import Result
from longfat.scenario import Scenario
from longfat.sweeps import expected_bytes
from longfat.topologies import duplex

FILE = Path(__file__).resolve().parents[1] / "tests" / "digits.jsonl"
MOST_BYTES = 3e6  # that a scenario's flows could send
BY_TIMESTAMPS = ("ledbat", "lp")
START_UPS = ("standard", "paced", "limited", "hystart", "hystart++", "search", "hybla", "picoquic")


def scenarios() -> Iterator[tuple[str, str, Scenario]]:
    """Return name, engine and scenario of what is run."""
    for experiment in store.experiments():
        runs = store.read_table(experiment, "runs")
        run = runs.iloc[len(runs) // 2]
        yield experiment, run["engine"], shortened(Scenario.from_json(run["scenario"]))
    for name, algorithm in catalogue.algorithms().items():
        if algorithm.header:
            for kind, own in alone_lossy_and_beside(name).items():
                yield f"{name} {kind}", "segment", own
    for kind, own in seldom_used().items():
        yield kind, "segment", own


def shortened(scenario: Scenario) -> Scenario:
    """Return the scenario, cut where its flows could have sent `MOST_BYTES`."""
    share = min(1.0, MOST_BYTES / expected_bytes(scenario))
    begin = max((flow.start_s for flow in scenario.flows), default=0.0)
    try:
        return scenario.replace(duration_s=begin + max(1.0, share * scenario.duration_s))
    except InputError:  # what happens in it needs its time
        return scenario


def alone_lossy_and_beside(name: str) -> dict[str, Scenario]:
    """Return a congestion control on a path of 4 Mb/s and 0.1 s: with the queue's losses alone,
    with a loss in a hundred, and beside standard TCP with ECN."""
    needs_routers = catalogue.find(name).needs_routers
    routers: dict[str, Any] = {"xcp": {}} if needs_routers else {}

    def path(loss: float = 0.0, mark: int | None = None):
        return duplex(
            "a",
            "b",
            rate_bps=4e6,
            delay_s=0.05,
            queue_packets=30,
            loss_per_packet=loss,
            mark_above_packets=mark,
            **routers,
        )

    flow: dict[str, Any] = {"source": "a", "target": "b"}
    own = flow | {"congestion_control": name, "timestamps": name in BY_TIMESTAMPS}
    other = flow | {"congestion_control": "newreno", "start_s": 1.0, "ecn": True}
    return {
        "alone": Scenario(links=path(), flows=[own], duration_s=6),
        "lossy": Scenario(links=path(loss=0.01), flows=[own], duration_s=6),
        "beside": Scenario(
            links=path(mark=None if routers else 10),
            flows=[own | {"ecn": True}, other],
            duration_s=6,
        ),
    }


def seldom_used() -> dict[str, Scenario]:
    """Return scenarios with what no archived experiment has."""
    plain = alone_lossy_and_beside("newreno")["lossy"]
    [flow] = (one.model_dump() for one in plain.flows)
    links = [link.model_dump() for link in plain.links]

    def with_flow(**fields: Any) -> Scenario:
        return plain.replace(flows=[flow | fields])

    relayed = [
        *duplex("a", "relay", rate_bps=4e6, delay_s=0.02, queue_packets=30),
        *duplex("relay", "b", rate_bps=2e6, delay_s=0.05, queue_packets=30),
    ]
    deep = [link | {"queue_packets": 800, "loss_per_packet": 0.0} for link in links]
    longer = [link | {"changes": [{"at_s": 3.0, "delay_s": 0.4}]} for link in links]
    unsteady = [
        link
        | {"changes": [{"at_s": 0.5 * n, "delay_s": 0.02 + 0.08 * (n % 2)} for n in range(2, 12)]}
        for link in links
    ]
    outage = {"outages": [{"start_s": 2.0, "duration_s": 30.0}]}
    linux = {"rack": True, "frto": True, "undo": True, "timestamps": True}
    return {
        "rack": with_flow(rack=True),
        "frto": with_flow(frto=True).replace(links=longer),
        "undo": with_flow(undo=True, timestamps=True).replace(links=longer),
        "as Linux": with_flow(**linux, timestamp_tick_s=0.001).replace(links=longer),
        "as Linux, a file": with_flow(**linux, bytes=60_000).replace(
            links=[link | {"loss_per_packet": 0.1} for link in links]
        ),
        "as Linux, overtaken": with_flow(**linux).replace(links=unsteady),
        "as Linux, an outage": with_flow(**linux, initial_ssthresh_segments=30).replace(
            links=[one | {"outages": [{"start_s": 2.0, "duration_s": 1.0}]} for one in links]
        ),
        "retries": with_flow(retries=2).replace(
            links=[one | outage for one in links], duration_s=20
        ),
        "a capped window": with_flow(max_window_segments=12),
        "concealed losses": with_flow(conceals_losses=True, receive_buffer_bytes=60_000),
        "divided ACKs": with_flow(ack_division=3, segments_per_ack=2),
        "optimistic ACKs": with_flow(optimistic_ack_segments=8, receive_buffer_bytes=60_000),
        "lost retransmissions": with_flow(lost_retransmissions="timeout"),
        "halving": with_flow(recovery="halving", sack=False),
        "no limited transmit": with_flow(sack=False, limited_transmit=False),
        "late ACKs": with_flow(segments_per_ack=4, ack_timeout_s=0.04),
        "a stop": with_flow(stop_s=3.0),
        "a relay that fails": plain.replace(
            links=relayed, flows=[flow | {"relays": ["relay"], "relays_fail_at_s": 3.0}]
        ),
        "careful resume": with_flow(
            start_up={"kind": "careful-resume", "saved_cwnd_bytes": 100_000, "saved_rtt_s": 0.1}
        ),
        "start-up paced, with losses": with_flow(start_up="paced"),
        **{f"start-up {kind}": with_flow(start_up=kind).replace(links=deep) for kind in START_UPS},
        "a media stream": plain.replace(
            media_streams=[{"source": "a", "target": "b", "deadline_s": 0.1}]
        ),
        "a queue in bytes": plain.replace(
            links=[link | {"queue_packets": None, "queue_bytes": 30_000} for link in links]
        ),
        "a trace of a link": plain.replace(
            links=[
                link | {"delivery_ms": [1, 4, 5, 5, 9, 9, 20], "rate_bps": 4.2e6} for link in links
            ]
        ),
    }


def digest(result: Result) -> str:
    """Return a hash of all that was measured, to the last digit."""
    text = json.dumps(audit.values(result), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def line(name: str, engine: str, scenario: Scenario) -> dict[str, Any]:
    """Return what is kept of a scenario."""
    return {
        "name": name,
        "engine": engine,
        "versions": {part: number for part, number, _ in engines.parts(scenario, engine)},
        "digest": digest(engines.get(engine).simulate(scenario)),
        "scenario": json.loads(scenario.canonical_json()),
    }


def main() -> None:
    chosen = sys.argv[1:] or list(engines.ENGINES)
    missing = [name for name in chosen if not engines.is_here(name)]
    if missing:
        raise SystemExit(f"digits are kept of engines that are here, and {missing[0]} is not")
    before = FILE.read_text("utf-8").splitlines(keepends=True)
    others = [text for text in before if json.loads(text)["engine"] not in chosen]
    own = [one for one in scenarios() if one[1] in chosen]
    with ThreadPoolExecutor(2) as threads:
        made = threads.map(lambda one: json.dumps(line(*one)) + "\n", own)
        lines = [*others, *made]
    FILE.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
