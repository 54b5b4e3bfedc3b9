"""The core's congestion controls in real ns-3 (adapter.h), beside the old headers of `longfat.cc`.

Nothing in the product asks for this yet: the comparison of the two engines does. When the core
takes the place of the engine `segment`, `longfat.engines.ns3` asks by these requests alone.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from longfat import paths
from longfat.cc import catalogue
from longfat.engines import ns3
from longfat.engines.ns3 import compiled
from longfat.errors import InputError, SimulationError
from longfat.scenario import Scenario

ADAPTER = ns3.HERE / "adapter.h"
RECOVERY = ns3.HERE / "recovery.h"
PLUG_INS = {"prr": "longfat::Prr", "halving": "longfat::Halving"}
# What ns-3's socket cannot be told of a flow, and the core's can: each may only be as ns-3 has it.
AS_NS3 = {"rack": False, "frto": False, "undo": False}


def run(scenario: dict[str, Any], own: Path | None = None) -> dict[str, Any]:
    """Run a scenario as `longfat.engines.segment.native.run` takes it; return the answer.

    `own` is a congestion control's header beside the core's. Raises InputError for what ns-3
    cannot do, SimulationError where it gives up.
    """
    server = ns3._server
    limits: dict[str, Any] = {"time_limit_s": 600, "memory_limit_bytes": None}
    wanted = request(scenario, own) | {"libraries": [str(library(own))]} | limits
    answer = server.ask(wanted, server.stops)
    if "failed" in answer:
        raise SimulationError(
            f"ns-3 ended with {answer['failed']}; its last words: {answer['last_words'][-300:]}"
        )
    return answer


def request(scenario: dict[str, Any], own: Path | None = None) -> dict[str, Any]:
    """Return what the engine `ns3` is asked for, with the core's algorithms in each flow."""
    flows = []
    for number, flow in enumerate(scenario["flows"]):
        for name, value in AS_NS3.items():
            if flow.get(name, value) != value:
                raise InputError(f"flows.{number}.{name}: ns-3 does not have it")
        without = (*AS_NS3, "timestamp_tick_s", "retries", "max_window_segments")
        kept = {name: value for name, value in flow.items() if name not in without}
        flows.append(kept | {"congestion_control": "newreno"})
    seed = scenario.get("seed", 1)
    record = scenario.get("record", {})
    series = [name for name in record.get("series", ()) if name not in ns3.ESTIMATES]
    plain = scenario | {"flows": flows, "record": record | {"series": series}}
    known = catalogue.algorithms()
    if own:
        known |= {one["name"]: catalogue.algorithm(one, own) for one in catalogue.table([own])}
    asked = ns3.request(Scenario.model_validate(plain))
    for number, flow in enumerate(scenario["flows"]):
        control = flow["congestion_control"]
        algorithm, parameters = (
            (control, {})
            if isinstance(control, str)
            else (control["name"], control.get("parameters", {}))
        )
        recovery = flow.get("recovery", "prr")
        attributes = dict(parameters)
        attributes |= {"Recovery": recovery, "Seed": seed, "Flow": number}
        if (most := flow.get("max_window_segments")) is not None:
            attributes["MaxWindow"] = most
        asked["flows"][number] |= {
            "congestionControl": f"longfat::{algorithm}",
            "attributes": [[name, _text(value)] for name, value in attributes.items()],
            "recovery": PLUG_INS[recovery],
        }
        asked["flows"][number]["series"] += [
            name
            for name in record.get("series", ())
            if name in ns3.ESTIMATES and name in known[algorithm].traces
        ]
    return asked


# What ns-3's socket tells nothing of: who asks for it is refused.
UNHEARD = {"answer", "supplement", "holds", "router feedback"}


def senders() -> dict[str, catalogue.Algorithm]:
    """Return the congestion controls of the core that ns-3 can serve, by name."""
    return {
        name: one
        for name, one in catalogue.algorithms().items()
        if not UNHEARD & {*one.events, *one.needs}
    }


def _text(value: bool | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def library(own: Path | None = None) -> Path:
    """Return the library with the core's algorithms and recoveries for ns-3; compile what is new.

    Raises InputError for a header of one's own that does not compile, with the compiler's words.
    """
    served = sorted({one.header for one in senders().values() if one.header})
    headers = [ADAPTER, *served, *([own] if own else []), RECOVERY]
    try:
        return compiled.build(_source(tuple(headers)))
    except compiled.CompilerError as error:
        if own:
            raise InputError(f"{own.name} cannot be used: {error}") from None
        raise SimulationError(f"the adapter cannot be compiled: {error}") from None


@cache
def _source(headers: tuple[Path, ...]) -> Path:
    """Return a file that includes these."""
    text = "".join(f'#include "{header}"\n' for header in headers)
    path = paths.builds() / "ns3" / f"core-{hashlib.sha256(text.encode()).hexdigest()[:16]}.cc"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
