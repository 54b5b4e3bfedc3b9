"""The engine `segment` on another processor: compiled for ARM64, run under an emulator (qemu).

Every digit is that of x86-64. ziglang cross-compiles it; the headers are linked in, as in the
WebAssembly module, for a program without a loader has no shared objects.
"""

import json
import shutil
import subprocess
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import digits
import pytest
from segment_scenarios import SENDERS, drawn

from longfat import Scenario
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.engines.segment import native, wasm

pytestmark = pytest.mark.long

EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
SECONDS = 600
DRAWN = range(5000, 5064)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """The engine for ARM64, with all congestion controls."""
    if not EMULATOR:
        pytest.skip("no emulator of ARM64 (Debian, Ubuntu: apt install qemu-user)")
    if wasm.zig_here() != wasm.ZIG_VERSION:
        pytest.skip(f"no compiler for ARM64: ziglang {wasm.ZIG_VERSION}")
    folder = tmp_path_factory.mktemp("arm64")
    controls = folder / "controls.cc"
    headers = sorted(catalogue.FOLDER.glob("*.h"))
    controls.write_text("".join(f'#include "{one.name}"\n' for one in headers))
    command = [sys.executable, "-m", "ziglang", "c++", "-target", "aarch64-linux-musl", "-static"]
    command += [*catalogue.FLAGS, f"-I{native.HERE}", f"-I{catalogue.FOLDER}"]
    sources = [native.HERE / "main.cc", native.HERE / "engine.cc", controls]
    made = folder / "segment-arm64"
    subprocess.run([*command, *map(str, sources), "-o", str(made)], check=True)
    kind = made.read_bytes()[:20]
    assert kind[:4] == b"\x7fELF" and kind[18] == 183  # EM_AARCH64
    return made


def on_arm64(program: Path, scenario_json: str) -> dict:
    """Run a scenario under the emulator; return the answer as `native.run_text` does."""
    done = subprocess.run(
        [EMULATOR, program, str(SECONDS), "0"], input=scenario_json.encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()[-300:]
    head, _, numbers = done.stdout.split(b"\n", 2)
    return native.read(json.loads(head), array("d", numbers))


def here(scenario: dict) -> dict:
    answer = native.run(scenario, time_limit_s=SECONDS)
    for took in ("cpu_s", "wall_s", "peak_memory_bytes"):
        answer.pop(took)
    return answer


def differing(program: Path, scenarios: dict[str, dict]) -> list[str]:
    def differs(scenario: dict) -> bool:
        return on_arm64(program, json.dumps(scenario)) != here(scenario)

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(differs, scenarios.values()))
    return [name for name, other in zip(scenarios, found, strict=True) if other]


def test_drawn_scenarios_have_the_same_digits_with_every_series(program):
    series = {"series": ["cwnd_segments", "rtt_s", "queue_packets"], "points": 50}
    cases = {str(seed): drawn(seed, SENDERS) | {"record": series} for seed in DRAWN}
    assert not differing(program, cases)


def test_the_kept_scenarios_of_every_sender_have_the_same_digits(program):
    kept = [json.loads(text) for text in digits.FILE.read_text("utf-8").splitlines()]
    own = [one for one in kept if one["engine"] == "segment"]
    cases = {
        f"{number} {one['name']}": json.loads(segment.request(Scenario(**one["scenario"])))
        for number, one in enumerate(own)
    }
    senders = {
        flow["congestion_control"]["name"]
        for case in cases.values()
        for flow in case.get("flows", ())
    }
    with_header = {name for name, one in catalogue.algorithms().items() if one.header}
    assert len(cases) > 50 and len(senders & with_header) > 20
    assert not differing(program, cases)
