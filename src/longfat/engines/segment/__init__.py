"""The segment-level engine: TCP by the RFCs, segment by segment, in 64 bits.

Senders, links and receivers hand each other segments, without headers, buffers and sockets, and so
many times as fast as a full stack (`make bench`). Congestion controls have an interface of its own
(`congestion-control.h`). Where there is a C++ compiler it is compiled for the machine (native.py).
Until that is done, and elsewhere, it runs as the WebAssembly module that comes with the package
(wasm.py); the digits are the same.
"""

import functools
import json
import os
from collections.abc import Iterable
from pathlib import Path

from longfat import builds
from longfat.cc import catalogue
from longfat.engines import behaviour, capabilities, host
from longfat.engines.segment import native, wasm
from longfat.errors import InputError
from longfat.result import Result
from longfat.scenario import Scenario

BEHAVIOUR = 4
# What Linux has besides (RACK-TLP, F-RTO, undo) has a number of its own: few runs use it.
AS_LINUX, AS_LINUX_BEHAVIOUR = "segment/as-linux", 4


def is_here() -> bool:
    """Return whether this environment can compile the engine, or run it as WebAssembly."""
    return builds.compiler() is not None or wasm.is_here()


def how_built(headers: Iterable[Path] = ()) -> str:
    """Return which of both runs these headers here and now: "native" or "wasm".

    Where nothing is compiled yet it is the module, while a process behind this one compiles the
    native engine; a header that the module does not have is waited for. Raises InputError where
    neither can. The environment variable LONGFAT_SEGMENT chooses one.
    """
    wanted = os.environ.get("LONGFAT_SEGMENT", "")
    if wanted in ("", "native") and builds.compiler() is not None:
        headers = tuple(headers)
        if wanted == "native" or catalogue.is_compiled(headers) or not wasm.has(headers):
            return "native"
        native.compile_behind(headers)
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
    headers = check(scenario)
    limits = (time_limit_s, memory_limit_bytes)
    build = how_built(headers)
    if build == "native":
        answer = native.run_text(request(scenario), headers, *limits)
    else:
        answer = wasm.run(request(scenario), *limits)
    if "failed" in answer:
        ended = host.how_it_ended(answer["failed"], answer["last_words"], *limits)
        raise host.failure(scenario, "segment", ended, answer["last_words"])
    if "error" in answer and answer["input"]:
        raise InputError(answer["error"])
    if given_up := answer.get("given_up") or answer.get("error"):
        raise host.failure(scenario, "segment", given_up)
    return host.result(scenario, answer, {"engine": "segment", "build": build})


def check(scenario: Scenario) -> list[Path]:
    """Return the headers of the congestion controls. Raises InputError for what it has not."""
    capabilities.refuse(scenario, "segment")
    return [_header(number, name) for number, name in enumerate(controls(scenario))]


def request(scenario: Scenario) -> str:
    """Return the scenario as the engine reads it, which has the same defaults."""
    data = scenario.model_dump(mode="json", exclude_defaults=True, exclude={"ns2", "title"})
    return json.dumps(data)


def controls(scenario: Scenario) -> list[str]:
    """Return the congestion controls: of the flows, and of transfers' control messages."""
    names = [flow.congestion_control.name for flow in scenario.flows]
    return names + ["newreno"] * any(transfer.by_datagrams for transfer in scenario.transfers)


def _header(number: int, name: str) -> Path:
    """Return a congestion control's header; refuse one that only another engine has."""
    algorithm = catalogue.find(name)
    if algorithm.header is None:
        raise InputError(
            f"flows.{number}.congestion_control: the engine 'segment' has no '{name}': use the "
            f"engine '{algorithm.engine}'"
        )
    return algorithm.header


def part() -> behaviour.Part:
    """Return what decides results beside scenario and congestion controls."""
    return behaviour.engine("segment", BEHAVIOUR, _sources(), " ".join(catalogue.FLAGS))


def is_as_linux(scenario: Scenario) -> bool:
    """Return whether a flow has something of `as_linux_part`."""
    return any(flow.rack or flow.frto or flow.undo for flow in scenario.flows)


def as_linux_part() -> behaviour.Part:
    """Return what decides the results of flows that find losses as Linux does.

    Its code is the engine's, whose hash is that of `part`, which these runs have too.
    """
    return AS_LINUX, AS_LINUX_BEHAVIOUR, "of segment"


@functools.cache
def _sources() -> tuple[Path, ...]:
    return (native.HERE / "engine.cc", *sorted(native.HERE.glob("*.h")))


HOW_TO_GET = "it needs a C++ compiler, or the package 'wasmtime'"


def stop() -> None:
    """Give up every run of this process. Each ends with a SimulationError."""
    native.stop()
    wasm.stop()
