"""How fast is the engine? Ratios measured side by side: `python tools/bench.py [SECTION ...]`.

Writes data/bench.csv, a row a ratio with the bar it has to reach, and data/bench-machine.csv, which
says where it was measured; with sections, such as `segment-speed`, the rows of the others stay.
Nothing comes from the archive or the cache. Other work on the machine disturbs the numbers, a slow
minute all those in it: what is compared takes turns, and the ratio is the median of the turns'
ratios of processor time. The load is written down.
"""

import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pandas as pd
from pdf import BROWSERS

from longfat import paths
from longfat.book import laboratory
from longfat.cc import catalogue
from longfat.engines import ns2, ns3, segment
from longfat.engines.segment import native, wasm
from longfat.errors import SimulationError
from longfat.scenario import Flow, Record, Scenario
from longfat.topologies import duplex, satellite

TABLE = paths.DATA / "bench.csv"
MACHINE = paths.DATA / "bench-machine.csv"

TURNS = 9
SEGMENT_RUNS = 40  # of the segment engine, in a turn
SATELLITE = satellite(congestion_control="newreno", loss=1e-4, duration_s=100)
LONG_FAT_PIPE = Scenario(
    links=duplex(
        "sender",
        "receiver",
        rate_bps=600e6,
        delay_s=0.05,
        queue_packets=5000,
        loss_per_packet=1e-5,
        backward={"loss_per_packet": 0.0},
    ),
    flows=[
        Flow(
            source="sender",
            target="receiver",
            congestion_control="scalable",
            segment_bytes=1448,
            send_buffer_bytes=8_000_000,
            receive_buffer_bytes=8_000_000,
        )
    ],
    duration_s=4,
)

IN_A_PAGE = """async (panel, seed) => {
    const done = new Promise(resolve =>
        panel.addEventListener("longfat-result", resolve, { once: true }))
    const begun = performance.now()
    await panel.simulate({ seed })
    await done
    return [performance.now() - begun, JSON.stringify(panel.scenario())]
}"""

ENGINES = {"ns3": ns3, "segment": segment}
SCENARIOS = {"satellite": SATELLITE, "long fat pipe": LONG_FAT_PIPE}

Row = dict[str, Any]  # what, value, unit, bar, passed, detail
Answer = dict[str, Any]  # of an engine to a request


def _row(
    what: str, value: float, unit: str, bar: str, passed: bool | None, detail: str = ""
) -> Row:
    """Return a row of the table; `passed` is None where there is no bar."""
    verdict = {True: "yes", False: "no", None: "–"}[passed]
    value = float(f"{value:.3g}")
    print(f"{what}: {value:g} {unit} (bar: {bar or 'none'}; {verdict}) {detail}", flush=True)
    return dict(what=what, value=value, unit=unit, bar=bar, passed=verdict, detail=detail)


def _section(section: Callable[[], list[Row]]) -> str:
    return section.__name__.replace("_", "-")


def bench(sections: Iterable[Callable[[], list[Row]]]) -> pd.DataFrame:
    """Measure these; return a row a number.

    Columns: section, what, value, unit, bar, passed, detail, measured (the day).
    """
    rows = [{"section": _section(one)} | row for one in sections for row in one()]
    return pd.DataFrame(rows).assign(measured=time.strftime("%Y-%m-%d", time.gmtime()))


# --- ns-3 beside the segment engine


def beside_ns3() -> list[Row]:
    """Stock ns-3, with its own algorithm and recovery, beside the segment engine: a segment's cost.

    What each sends differs by ns-3's faults, so that the time of a segment is compared.
    """
    rows = []
    for what, turns, bar in (("long fat pipe", 3, 300), ("satellite", 9, 100)):
        scenario = SCENARIOS[what]
        answers = [
            (
                _ask("ns3", _stock(scenario)),
                _middle(_ask("segment", scenario) for _ in range(SEGMENT_RUNS)),
            )
            for _ in range(turns)
        ]
        slow, quick = zip(*answers, strict=True)
        ratio = statistics.median(_us_a_segment(a) / _us_a_segment(b) for a, b in answers)
        detail = (
            f"{_median_s(slow):.2f} s stock, {_median_s(quick):.3g} s, that is "
            f"{_us_a_segment(_middle(quick)):.2f} us a segment; medians of {turns} turns"
        )
        name = f"stock ns-3 / segment engine, {what}, a segment"
        rows.append(_row(name, ratio, "times", f"at least {bar}", ratio >= bar, detail))
    return rows


def _stock(scenario: Scenario) -> Scenario:
    """Return the scenario with ns-3's own class of each algorithm, and its own recovery."""
    flows = [
        flow.model_dump()
        | {"congestion_control": f"{flow.congestion_control.name}-ns3"}
        | {"recovery": ns3.STOCK_RECOVERY, "max_window_segments": None}
        for flow in scenario.flows
    ]
    return scenario.replace(flows=flows)


def _middle(answers: Iterable[Answer]) -> Answer:
    """Return the answer whose processor time is the median."""
    in_order = sorted(answers, key=lambda answer: answer["cpu_s"])
    return in_order[len(in_order) // 2]


def _median_s(answers: Iterable[Answer]) -> float:
    return statistics.median(answer["cpu_s"] for answer in answers)


def _us_a_segment(answer: Answer) -> float:
    return 1e6 * answer["cpu_s"] / sum(flow["segments_sent"] for flow in answer["flows"])


def _ask(engine: str, scenario: Scenario) -> Answer:
    """Return what the engine answers, without time or memory limits; `cpu_s` is the run's."""
    if engine == "segment":
        headers = [
            header
            for flow in scenario.flows
            if (header := catalogue.find(flow.congestion_control.name).header)
        ]
        return native.run_text(segment.request(scenario), headers, 3600, None)
    libraries = [str(path) for path in ns3.libraries(scenario)]
    request = ns3.request(scenario) | {"libraries": libraries}
    limits = {"time_limit_s": 3600, "memory_limit_bytes": None}
    return ns3._server.ask(request | limits, stops=0)


def _compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")


# --- sweeps


def set_up() -> list[Row]:
    """The time a run takes in a warm sweep beyond the simulation itself."""
    rows = []
    for engine, bar_ms in ((ns3, 50), (segment, 5)):
        engine.simulate(satellite(loss=0, duration_s=0.1))
        beyond = []
        for seed in range(1, 21):
            started = time.perf_counter()
            result = engine.simulate(satellite(loss=1e-3, duration_s=1, seed=seed))
            beyond.append(time.perf_counter() - started - result.provenance["wall_s"])
        value_ms = 1000 * statistics.median(beyond)
        detail = "median of 20 runs of 1 s, in a warm sweep"
        what = f"set-up beyond the simulation, a run, {_name(engine)}"
        rows.append(_row(what, value_ms, "ms", f"below {bar_ms}", value_ms < bar_ms, detail))
    return rows


def workers() -> list[Row]:
    """Two workers beside one: long runs of ns-3, and many short ones of the segment engine."""
    rows = []
    for engine, runs, duration_s in ((ns3, 8, 100), (segment, 1000, 1)):
        turns = [[_sweep_s(engine, runs, duration_s, number) for number in (1, 2)] for _ in "abc"]
        one, two = (min(times) for times in zip(*turns, strict=True))
        detail = f"{one:.2f} s and {two:.2f} s for {runs} satellite runs of {duration_s} s, "
        what = f"2 workers / 1 worker, {_name(engine)}"
        passed = one / two >= 1.8
        detail += "the best of 3 turns"
        rows.append(_row(what, one / two, "times", "at least 1.8", passed, detail))
    turns = [[_count_s(processes) for processes in (1, 2)] for _ in "abc"]
    one, two = (min(times) for times in zip(*turns, strict=True))
    what = "2 processes that only count / 1, each its own"
    rows.append(_row(what, 2 * one / two, "times", "", None, "what this machine has to give"))
    return rows


def _count_s(processes: int) -> float:
    """Return how long so many processes take that do nothing but count, each for itself."""
    command = [sys.executable, "-c", "for _ in range(50_000_000): pass"]
    started = time.perf_counter()
    for process in [subprocess.Popen(command) for _ in range(processes)]:
        process.wait()
    return time.perf_counter() - started


def _sweep_s(engine: ModuleType, runs: int, duration_s: float, workers: int) -> float:
    """Return how long so many satellite runs take with so many workers."""
    scenarios = [
        satellite(loss=1e-4, duration_s=duration_s, seed=seed) for seed in range(1, runs + 1)
    ]
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(engine.simulate, scenarios))
    return time.perf_counter() - started


def memory() -> list[Row]:
    """A run's memory must not grow with its length, with every series of the flow kept."""
    rows = []
    series = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"))
    for engine in (ns3, segment):
        short, long = (
            engine.simulate(satellite(loss=1e-4, duration_s=duration_s, record=series)).provenance[
                "peak_memory_bytes"
            ]
            for duration_s in (100, 1000)
        )
        growth_mb = (long - short) / 1e6
        detail = f"{short / 1e6:.1f} MB and {long / 1e6:.1f} MB, all of the engine included"
        what = f"memory of 1000 s beyond that of 100 s, {_name(engine)}"
        passed = growth_mb < 4
        rows.append(_row(what, growth_mb, "MB", "no growth: below 4", passed, detail))
    return rows


def _name(engine: ModuleType) -> str:
    return next(name for name, known in ENGINES.items() if known is engine)


# --- another simulator


def simulator() -> list[Row]:
    """The time of ns-2 for the satellite, where it is prepared, beside the segment engine."""
    if not ns2.is_here():
        return []
    turns = [
        (ns2.simulate(SATELLITE), _middle(_ask("segment", SATELLITE) for _ in range(SEGMENT_RUNS)))
        for _ in range(5)
    ]
    times = [result.provenance["wall_s"] for result, _ in turns]
    [segments] = {int(result.flows["segments_sent"].sum()) for result, _ in turns}
    ratio = statistics.median(
        1e6 * ns2_s / segments / _us_a_segment(answer)
        for ns2_s, (_, answer) in zip(times, turns, strict=True)
    )
    detail = (
        f"{1e6 * statistics.median(times) / segments:.1f} us for each of {segments} segments, by "
        f"the clock and with its start, medians of {len(turns)} turns"
    )
    return [
        _row("ns-2, satellite", statistics.median(times), "s", "", None, detail),
        _row(
            "segment engine / ns-2, satellite, a segment",
            ratio,
            "times",
            "at least 1.5",
            ratio >= 1.5,
            "by the turns' medians",
        ),
    ]


# --- the segment engine


def segment_speed() -> list[Row]:
    """A segment's cost where nothing else disturbs, and WebAssembly's beside it."""
    turns = []
    for _ in range(40):
        compiled = _ask("segment", SATELLITE)
        module = wasm.run(segment.request(SATELLITE), 3600, None)
        if compiled["flows"] != module["flows"]:
            raise SimulationError("WebAssembly has other results")
        turns.append((_us_a_segment(compiled), _us_a_segment(module)))
    us, module_us = (statistics.median(each) for each in zip(*turns, strict=True))
    ratio = statistics.median(module / compiled for compiled, module in turns)
    detail = f"satellite, median of {len(turns)} runs"
    also = f"{module_us:.3f} us a segment, satellite, median of {len(turns)} turns' ratios"
    bar = "at most 0.27"
    return [
        _row("segment engine, a segment", us, "us", "at most 0.15", us <= 0.15, detail),
        _row("WebAssembly, a segment", module_us, "us", bar, module_us <= 0.27, detail),
        _row("WebAssembly / segment engine", ratio, "times", "", None, also),
    ]


def segment_cost() -> list[Row]:
    """The segment engine's cost a segment must not depend on windows and flows."""
    rows = []
    for what, cases in (
        ("windows of 10 to 10,000 segments", [(10, 1), (100, 1), (1000, 1), (10_000, 1)]),
        ("1 to 100 flows", [(100, 1), (100, 10), (100, 100)]),
    ):
        scenarios = [_windows(*case) for case in cases]
        turns = [
            [_us_a_segment(_ask("segment", scenario)) for scenario in scenarios] for _ in range(40)
        ]
        costs = [statistics.median(cost) for cost in zip(*turns, strict=True)]
        beside_first = [
            statistics.median(turn[i] / turn[0] for turn in turns) for i in range(len(cases))
        ]
        spread = 100 * (max(beside_first) / min(beside_first) - 1)
        detail = ", ".join(f"{cost:.3f}" for cost in costs) + f" us a segment, {len(turns)} turns"
        what = f"segment engine, highest over lowest cost, {what}"
        rows.append(_row(what, spread, "%", "at most 20", spread <= 20, detail))
    return rows


def _windows(window: int, flows: int) -> Scenario:
    """Return flows that keep a window full on a path of 0.1 s: about 400,000 segments in all."""
    rtt_s = 0.1
    return Scenario(
        links=duplex(
            "sender", "receiver", rate_bps=100e9, delay_s=rtt_s / 2, queue_packets=10_000_000
        ),
        flows=[
            Flow(
                source="sender",
                target="receiver",
                congestion_control="hybla",
                max_window_segments=window,
                initial_window_segments=window,
                start_s=rtt_s * number / flows,
            )
            for number in range(flows)
        ],
        duration_s=400_000 * rtt_s / (window * flows),
    )


# --- what a newcomer waits for

FIRST = """
import time
import pandas
from longfat.engines import find, get
from longfat.papers.hybla.network import satellite
scenario = satellite(loss={loss}, duration_s={duration_s}, seed=1)
start = time.perf_counter()
result = {call}
assert result is not None
print(time.perf_counter() - start)
"""


def in_a_page() -> list[Row]:
    """Two minutes over low orbits in a page of Chromium, where there is one, beside Python's."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not executable:
        return []
    from playwright.sync_api import sync_playwright

    panel = laboratory.page("orbit", wasm.module().read_bytes(), network="orbit")
    turns = []
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "orbit.html"
        path.write_text(panel, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.goto(path.as_uri())
        for seed in range(1, 6):
            taken_ms, scenario = opened.locator(".longfat-laboratory").evaluate(IN_A_PAGE, seed)
            answer = _ask("segment", Scenario.from_json(scenario))
            turns.append((taken_ms / 1000, answer["cpu_s"]))
        browser.close()
    page_s = statistics.median(page for page, _ in turns)
    ratio = statistics.median(page / compiled for page, compiled in turns)
    what = "two minutes over low orbits, in a page"
    return [
        _row(what, page_s, "s", "below 2", page_s < 2, "by the clock, with its path, median of 5"),
        _row(
            "a page / segment engine, low orbits",
            ratio,
            "times",
            "",
            None,
            "median of 5 turns' ratios",
        ),
    ]


def newcomer() -> list[Row]:
    """How long a new process takes: commands whole; a first look and first runs without imports."""
    longfat = str(Path(sys.executable).with_name("longfat"))
    model = [longfat, "model", "hybla", "--loss", "1e-4"]
    look = FIRST.format(loss=1e-3, duration_s=1000, call="find(scenario, 'ns3')")
    runs = {
        engine: FIRST.format(loss=1e-3, duration_s=10, call=f"get('{engine}').simulate(scenario)")
        for engine in ("segment", "ns3")
    }
    return [
        _waits("`longfat --help`", [longfat, "--help"], 0.5),
        _waits("longfat model", model, 2),
        _waits("first look into the archive", [sys.executable, "-c", look], 0.5, told=True),
        _waits("python to a result of 10 s, segment", [sys.executable, "-c", runs["segment"]], 1),
        _waits("python to a result of 10 s, ns3", [sys.executable, "-c", runs["ns3"]], 15),
    ]


def _waits(what: str, command: list[str], most_s: float, told: bool = False) -> Row:
    """Return the median time of five processes; `told`: of what they say themselves."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times.append(float(done.stdout) if told else time.perf_counter() - start)
    seconds = statistics.median(times)
    return _row(what, seconds, "s", f"at most {most_s}", seconds <= most_s, "median of 5")


SECTIONS = [
    newcomer,
    beside_ns3,
    set_up,
    workers,
    memory,
    simulator,
    segment_speed,
    segment_cost,
    in_a_page,
]


def machine() -> pd.DataFrame:
    """Return what the numbers depend on: columns item and value."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    facts = {
        "processor": cpu,
        "cores": os.cpu_count(),
        "load before (1 min)": round(os.getloadavg()[0], 2),
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "ns-3 wheel": version("ns3"),
        "longfat": version("longfat"),
        "measured (UTC)": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
    }
    if compiler := _compiler():
        run = subprocess.run([*shlex.split(compiler), "--version"], capture_output=True, text=True)
        facts["compiler"] = run.stdout.splitlines()[0]
    return pd.DataFrame(facts.items(), columns=["item", "value"])


def main() -> None:
    """Measure, print the table and write both files. Exit status 1 where a bar is missed."""
    names = [_section(one) for one in SECTIONS]
    chosen = sys.argv[1:] or names
    if unknown := set(chosen) - set(names):
        sys.exit(f"no section {min(unknown)!r}: there are {', '.join(names)}")
    where = machine()
    table = bench(one for one in SECTIONS if _section(one) in chosen)
    if TABLE.exists():
        before = pd.read_csv(TABLE, keep_default_na=False).reindex(columns=table.columns)
        table = pd.concat([before[~before["section"].isin(chosen)], table])
    place = {name: number for number, name in enumerate(names)}
    table = table[table["section"].isin(names)]
    table = table.sort_values("section", key=lambda own: own.map(place), kind="stable")
    table.to_csv(TABLE, index=False, lineterminator="\n")
    where.to_csv(MACHINE, index=False, lineterminator="\n")
    print(table.to_string(index=False))
    print(where.to_string(index=False, header=False))
    if (table["passed"] == "no").any():
        sys.exit(1)


if __name__ == "__main__":
    main()
