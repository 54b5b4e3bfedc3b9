"""The segment-level engine: senders, links and receivers hand each other segments.

The very same congestion controls as in the full ns-3 stack, driven as its TCP would (sender.h says
how), without headers, buffers and sockets, and so many times as fast (`make bench`). It stands
alone: what the headers need of ns-3's interface is in the folder ns3. Where there is a C++ compiler
it is compiled for the machine (native.py), elsewhere it runs as WebAssembly (wasm.py); the digits
are the same.
"""

import functools
import json
import os
from pathlib import Path

from longfat.cc import catalogue
from longfat.engines import behaviour, host
from longfat.engines.segment import native, wasm
from longfat.errors import InputError
from longfat.result import Result
from longfat.scenario import FEATURES, Scenario
from longfat.transfers import GridFtp

BEHAVIOUR = 1


def is_here() -> bool:
    """Return whether this environment can compile the engine, or run it as WebAssembly."""
    return native.compiler() is not None or wasm.is_here()


def how_built() -> str:
    """Return which of both runs here: "native" or "wasm".

    Raises InputError where neither can. The environment variable LONGFAT_SEGMENT chooses one.
    """
    wanted = os.environ.get("LONGFAT_SEGMENT", "")
    if wanted in ("", "native") and native.compiler() is not None:
        return "native"
    if wanted in ("", "wasm") and wasm.is_here():
        return "wasm"
    raise InputError(
        "the engine 'segment' needs a C++ compiler (g++, clang++ or $CXX), or the package "
        "'wasmtime' to run it as WebAssembly"
    )


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario, segment by segment, and return the result. Same scenario, same digits.

    Raises InputError for what this engine does not have, SimulationError when it gives up, takes
    longer than `time_limit_s`, or allocates more than `memory_limit_bytes` beyond what it has
    before the scenario.
    """
    names = controls(scenario)
    for number, name in enumerate(names):
        _check(number, name)
    limits = (time_limit_s, memory_limit_bytes)
    build = how_built()
    if build == "native":
        # Two programs: one with nothing that only some scenarios need, and one with all of that.
        features = FEATURES if scenario.features else frozenset()
        answer = native.run(request(scenario), names, features, *limits)
    else:
        for name in names:
            if not wasm.has(name):
                raise InputError(
                    f"congestion control '{name}': the built module has it otherwise than its "
                    "header now is: to run it needs a C++ compiler, or the module built again"
                )
        answer = wasm.run(request(scenario), *limits)
    if "failed" in answer:
        ended = host.how_it_ended(answer["failed"], answer["last_words"], *limits)
        raise host.failure(scenario, "segment", ended, answer["last_words"])
    if "error" in answer and answer["input"]:
        raise InputError(answer["error"])
    if given_up := answer.get("given_up") or answer.get("error"):
        raise host.failure(scenario, "segment", given_up)
    made_by = {"engine": "segment", "build": build}
    return host.result(scenario, answer, made_by)


def request(scenario: Scenario) -> str:
    """Return the scenario as the engine reads it, which has the same defaults.

    But one: restart markers are not written where none are asked for.
    """
    data = scenario.model_dump(mode="json", exclude_defaults=True, exclude={"ns2", "title"})
    for number, transfer in enumerate(scenario.transfers):
        if isinstance(transfer.method, GridFtp) and transfer.method.cuts:
            marker_every_s = transfer.method.marker_every_s
            data["transfers"][number]["method"]["marker_every_s"] = marker_every_s
    return json.dumps(data)


def controls(scenario: Scenario) -> list[str]:
    """Return the congestion controls: of the flows, and of transfers' control messages."""
    names = [flow.congestion_control.name for flow in scenario.flows]
    return names + ["newreno"] * any(transfer.by_datagrams for transfer in scenario.transfers)


def _check(number: int, name: str) -> None:
    """Refuse a congestion control that has no header of ours."""
    algorithm = catalogue.find(name)
    if not algorithm.header:
        others = ["'ns3'"] * bool(algorithm.type_id) + ["'linux'"] * bool(algorithm.linux)
        raise InputError(
            f"flows.{number}.congestion_control: the engine 'segment' has no '{name}': use the "
            f"engine {' or '.join(others)}"
        )


def part() -> behaviour.Part:
    """Return what decides results beside scenario and congestion controls."""
    return behaviour.engine("segment", BEHAVIOUR, _sources(), " ".join(native.FLAGS[:-1]))


@functools.cache
def _sources() -> tuple[Path, ...]:
    return (*native.SOURCES, *native.STANDIN, *sorted(native.HERE.glob("*.h")))


HOW_TO_GET = "it needs a C++ compiler, or the package 'wasmtime'"


def stop() -> None:
    """Give up every run of this process. Each ends with a SimulationError."""
    native.stop()
    wasm.stop()
