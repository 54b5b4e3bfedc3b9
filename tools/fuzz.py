"""Feed the engine's reader of scenarios with what libFuzzer finds: `python tools/fuzz.py SECONDS`.

Needs clang with libFuzzer (Debian: clang, libclang-rt-dev; $FUZZ_CXX names another clang++). The
target is tests/segment_fuzz.cc, with all congestion controls, under address and undefined-behaviour
sanitizers. It begins with drawn scenarios and what build/fuzz/corpus has of earlier runs. A finding
is kept in build/fuzz, and the exit status is 1. How it ended is a row of data/test-times.csv.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from longfat.cc import catalogue

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "fuzz"
LOG = FOLDER / "log.txt"
LONGEST_INPUT = 6000  # bytes
FLAGS = ["-std=c++20", "-O1", "-g", "-ffp-contract=off", f"-I{catalogue.CORE}"]
FLAGS += ["-fsanitize=fuzzer,address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]


def compiler() -> str | None:
    """Return the clang++ that has libFuzzer, or None."""
    names = [
        os.environ.get("FUZZ_CXX", ""),
        "clang++",
        *(f"clang++-{n}" for n in range(22, 12, -1)),
    ]
    return next((found for name in names if name and (found := shutil.which(name))), None)


def target(cxx: str) -> Path:
    """Return the compiled target."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    program, controls = FOLDER / "target", FOLDER / "controls.cc"
    headers = sorted(catalogue.FOLDER.glob("*.h"))
    controls.write_text("".join(f'#include "{header}"\n' for header in headers), "utf-8")
    sources = [str(ROOT / "tests" / "segment_fuzz.cc"), str(controls)]
    subprocess.run([cxx, *FLAGS, *sources, "-o", str(program)], check=True)
    return program


def seeds(corpus: Path) -> None:
    """Begin with small drawn scenarios, and one with every kind of field."""
    sys.path.insert(0, str(ROOT / "tests"))
    from segment_scenarios import SENDERS, drawn

    corpus.mkdir(parents=True, exist_ok=True)
    for seed in range(60):
        case = drawn(seed, SENDERS)
        case["record"] = {"series": ["cwnd_segments", "queue_packets"], "points": 20}
        text = json.dumps(case)
        if len(text) <= LONGEST_INPUT:
            name = hashlib.sha256(text.encode()).hexdigest()[:16]
            (corpus / name).write_text(text, "utf-8")


def dictionary(path: Path) -> None:
    """Write the words of scenarios: what stands in quotes in the reader, and the senders' names."""
    words = set(catalogue.algorithms())
    for source in catalogue.CORE.glob("*.h"):
        if "scenario" in source.name:
            words |= set(re.findall(r'"([a-z][a-z0-9_.-]{2,40})"', source.read_text("utf-8")))
    numbers = ["1e308", "-1", "1e18", "9e9", "0.5", "4294967295", "1e-300", "null", "true", "[]"]
    lines = [f'"\\"{word}\\""' for word in sorted(words)] + [f'"{one}"' for one in numbers]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def fuzz(seconds: float) -> int:
    """Run so long; return the exit status: 0 without a finding. Raises SystemExit without clang."""
    cxx = compiler()
    if cxx is None:
        raise SystemExit("fuzzing needs clang++ with libFuzzer (Debian: clang, libclang-rt-dev)")
    program = target(cxx)
    corpus, words = FOLDER / "corpus", FOLDER / "words.txt"
    seeds(corpus)
    dictionary(words)
    limits = [f"-max_total_time={seconds:.0f}", f"-max_len={LONGEST_INPUT}", "-timeout=20"]
    limits += ["-rss_limit_mb=2048", f"-dict={words}", f"-artifact_prefix={FOLDER}/"]
    environment = os.environ | {"UBSAN_OPTIONS": "print_stacktrace=1"}
    command = [str(program), *limits, "-print_final_stats=1", str(corpus)]
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as process,
    ):
        assert process.stderr
        for line in process.stderr:
            log.write(line)
            sys.stderr.write(line)
    return process.returncode


def row(status: int) -> dict[str, object]:
    """Return how the last run ended, as a row of data/test-times.csv."""
    text = LOG.read_text("utf-8", errors="replace")
    done = re.search(r"^Done (\d+) runs in (\d+) s", text, re.MULTILINE)
    runs, took_s = map(int, done.groups()) if done else (0, 0)
    ended = datetime.fromtimestamp(LOG.stat().st_mtime, UTC)
    return {
        "command": "python tools/fuzz.py",
        "tests": f"{runs:,} inputs, nothing found" if not status else "failed",
        "minutes": round(took_s / 60, 1),
        "date": ended.date().isoformat(),
        "cores": os.cpu_count(),
    }


if __name__ == "__main__":
    import tested

    ended = fuzz(float(sys.argv[1]) if sys.argv[1:] else 600)
    tested.write([row(ended)])
    sys.exit(1 if ended else 0)
