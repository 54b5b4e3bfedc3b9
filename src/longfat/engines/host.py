"""What the engines that run C++ have in common: headers by content, ends of processes, answers."""

import hashlib
import json
import math
import platform
import re
import signal
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from longfat.errors import SimulationError
from longfat.result import FLOW_COLUMNS, Result, trace_carrier
from longfat.scenario import Scenario


def content_sha256(headers: Iterable[Path]) -> str:
    """Return the hash of the headers and of all that they include of the package's own."""
    return _content_sha256(tuple(map(_version, with_includes(headers))))


def with_includes(headers: Iterable[Path]) -> list[Path]:
    """Return the headers and all that they include by a path relative to their own, in order."""
    found = {}
    waiting = [path.resolve() for path in headers]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = None
            waiting += _included(*_version(path))
    return sorted(found)


def _version(path: Path) -> tuple[Path, int, int]:
    """Return what is another when the file has changed."""
    status = path.stat()
    return path, status.st_mtime_ns, status.st_size


@cache
def _content_sha256(versions: tuple[tuple[Path, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _, _ in versions:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _included(path: Path, mtime_ns: int, size: int) -> list[Path]:
    names = re.findall(r'^ *# *include *"(.+?)"', path.read_text("utf-8"), re.MULTILINE)
    return [there for name in names if (there := (path.parent / name).resolve()).exists()]


def failure(scenario: Scenario, engine: str, ended: str, words: str = "") -> SimulationError:
    """Return the error for a run that ended so, with those last words."""
    what = f"{engine} {ended}"
    return SimulationError(
        f"{what} on scenario {scenario.sha256()[:12]}"
        + (f"; its last words: {words[-300:]}" if words else ""),
        failure={"what": what, "scenario": json.loads(scenario.to_json()), "last_words": words},
    )


def how_it_ended(
    status: int, words: str, time_limit_s: float, memory_limit_bytes: int | None
) -> str:
    """Say how a process ended: its exit status, or a signal's number less than 0."""
    if status == -signal.SIGALRM:
        return f"took longer than its limit of {time_limit_s:g} s"
    if any(sign in words for sign in ("bad_alloc", "MemoryError", "out of memory")):
        limit = f" (its limit is {memory_limit_bytes / 1e6:g} MB)" if memory_limit_bytes else ""
        return f"ran out of memory{limit}"
    if status == -signal.SIGKILL:
        return "was ended, perhaps by the kernel for want of memory, with signal SIGKILL"
    if status < 0:
        return f"ended with signal {signal.Signals(-status).name}"
    return f"ended with exit status {status}"


def result(scenario: Scenario, answer: dict[str, Any], provenance: dict[str, Any]) -> Result:
    """Make a result from what an engine answered: counts of flows and links, with their series."""
    import pandas as pd

    rows = []
    for number, (flow, measured) in enumerate(zip(scenario.flows, answer["flows"], strict=True)):
        end_s = min(
            scenario.duration_s, flow.stop_s or math.inf, measured["completion_s"] or math.inf
        )
        completed = measured["completion_s"] is not None
        rows.append(
            {
                "flow": flow.name or str(number),
                "goodput_bps": 8 * measured["delivered_bytes"] / (end_s - flow.start_s),
                "transfer_time_s": measured["completion_s"] - flow.start_s if completed else None,
            }
            | {key: measured[key] for key in FLOW_COLUMNS[3:]}
        )
    flows = pd.DataFrame(rows, columns=FLOW_COLUMNS).astype({"transfer_time_s": float})
    links = pd.DataFrame([_without_series(link) for link in answer["links"]])
    kept = {
        "flow": [
            (row["flow"], own["series"]) for row, own in zip(rows, answer["flows"], strict=True)
        ],
        "link": [
            (f"{link['source']}>{link['target']}", link["series"]) for link in answer["links"]
        ],
    }
    traces = {}
    for series in scenario.record.series:
        carrier = trace_carrier(series)
        parts = [
            pd.DataFrame({carrier: name, "time_s": times, series: values})
            for name, measured in kept[carrier]
            if series in measured
            for times, values in [measured[series]]
        ]
        traces[series] = pd.concat(parts, ignore_index=True)
    provenance = provenance | {
        "longfat_version": version("longfat"),
        "seed": scenario.seed,
        "platform": platform.platform(),
        "events": answer["events"],
        "simulated_s": answer["end_s"],
        "wall_s": round(answer["wall_s"], 6),
        "peak_memory_bytes": answer["peak_memory_bytes"],
    }
    return Result(scenario, flows, links, traces, provenance)


def _without_series(link: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in link.items() if name != "series"}
