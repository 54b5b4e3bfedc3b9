"""The segment engine on its own feet: what it needs, how its runs end, that it is one engine."""

import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import networkx
import pandas as pd
import pytest

from longfat import InputError, Record, Scenario, SimulationError, engines
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.engines.ns3 import compiled
from longfat.engines.segment import native, wasm
from longfat.scenario import OF_CORE, Flow
from longfat.studies import engines_checked
from longfat.topologies import duplex, satellite

TESTS = Path(__file__).parent
OURS = engines_checked.names()

needs_compiler = pytest.mark.skipif(native.compiler() is None, reason="no C++ compiler here")
needs_wasmtime = pytest.mark.skipif(not wasm.is_here(), reason="no wasmtime here")
both_builds = pytest.mark.parametrize(
    "build",
    [
        pytest.param("native", marks=needs_compiler),
        pytest.param("wasm", marks=needs_wasmtime),
    ],
)


def one_link(*flows, duration_s=10.0, record=None, seed=1, **link):
    plain = {"rate_bps": 5e6, "delay_s": 0.021, "queue_packets": 50}
    return Scenario(
        links=duplex("a", "b", **(plain | link)),
        flows=flows or [flow()],
        duration_s=duration_s,
        record=record or Record(),
        seed=seed,
    )


def flow(**changes):
    return Flow(**({"source": "a", "target": "b", "congestion_control": "hybla"} | changes))


EVERYTHING = [
    one_link(*(flow(congestion_control=name, start_s=0.1) for name in OURS), loss_per_packet=0.003),
    one_link(
        flow(sack=False, limited_transmit=False, recovery="halving", timestamps=False),
        flow(ecn=True, segments_per_ack=2, bytes=1_000_000, ack_timeout_s=0.1),
        flow(congestion_control="ucc", send_buffer_bytes="auto", receive_buffer_bytes="auto"),
        mark_above_packets=10,
        loss_per_bit=1e-7,
        outages=[{"start_s": 3, "duration_s": 0.5}],
        changes=[{"at_s": 5, "rate_bps": 2e6}, {"at_s": 6, "delay_s": 0.1}],
        record=Record(
            series=(
                "cwnd_segments",
                "ssthresh_segments",
                "rtt_s",
                "delivered_bytes",
                "utilization",
                "queue_packets",
                "sent_bytes",
            ),
            points=100,
        ),
    ),
    Scenario(
        links=[
            *duplex("a", "u", rate_bps=5e6, delay_s=0.011, queue_packets=30, loss_per_packet=1e-3),
            *duplex("u", "b", rate_bps=5e6, delay_s=0.011, queue_packets=30),
            *duplex("a", "v", rate_bps=3e6, delay_s=0.031, queue_packets=30),
            *duplex("v", "b", rate_bps=3e6, delay_s=0.031, queue_bytes=30_000),
        ],
        flows=[
            flow(
                congestion_control={"name": "tcpj", "parameters": {"alpha": 0.8}},
                path=["a", "u", "b"],
                reroutes=[{"at_s": 4, "path": ["a", "v", "b"]}],
                handoffs=[{"at_s": 4, "kind": "non-local"}],
            ),
            flow(relays=["v"], congestion_control="standard", stop_s=8),
        ],
        duration_s=10,
        record=Record(series=("bandwidth_bps",)),
    ),
    satellite(loss=1e-3, duration_s=10),
]


# --- one engine, however it is built


def answers_of(scenario, text=None):
    """Return the answers of the native engine and of WebAssembly, without what they took."""
    text = text or segment.request(scenario)
    names = [flow.congestion_control.name for flow in scenario.flows]
    answers = native.run(text, names, scenario.features, 100, None), wasm.run(text, 100, None)
    took = ("cpu_s", "wall_s", "peak_memory_bytes")
    # The module, compiled with every feature, always has a list of transfers.
    answers = [{"transfers": []} | answer for answer in answers]
    return [{k: v for k, v in answer.items() if k not in took} for answer in answers]


@needs_compiler
@needs_wasmtime
@pytest.mark.parametrize("scenario", EVERYTHING)
def test_webassembly_has_the_same_digits(scenario):
    compiled, module = answers_of(scenario)
    assert compiled == module
    assert compiled["flows"][0]["segments_sent"] > 100


@pytest.mark.slow
@needs_compiler
@needs_wasmtime
@pytest.mark.parametrize("algorithm", engines_checked.names())
def test_webassembly_has_the_same_digits_on_the_validation_grid(algorithm):
    for scenario in engines_checked.runs([algorithm], seeds=5)[0]:
        compiled, module = answers_of(scenario)
        assert compiled == module, scenario.to_json()


@needs_wasmtime
def test_the_engine_has_the_same_defaults():
    """In the module, which has every field that a scenario may have."""
    for scenario in EVERYTHING:
        not_here = {"ns2": True, "flows": {"__all__": {*OF_CORE}}}
        full = wasm.run(scenario.model_dump_json(exclude=not_here), 100, None)
        stated = wasm.run(segment.request(scenario), 100, None)
        assert [full[name] for name in ("flows", "links")] == [stated["flows"], stated["links"]]


def test_the_module_has_every_header_as_it_is():
    """Where this fails, `make wasm`."""
    assert [name for name in OURS if not wasm.has(name)] == []


@needs_wasmtime
def test_a_header_that_the_module_has_otherwise_is_refused(own_header, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", "wasm")
    own_header("Mine", lambda text: text)
    with pytest.raises(InputError, match="'Mine': the built module has it otherwise"):
        segment.simulate(one_link(flow(congestion_control="Mine")))


@pytest.mark.slow
@pytest.mark.skipif(wasm.zig_here() != wasm.ZIG_VERSION, reason="not that ziglang here")
def test_the_module_is_what_its_sources_compile_to(tmp_path):
    wasm.build(tmp_path / "engine.wasm")
    assert (tmp_path / "engine.wasm").read_bytes() == wasm.MODULE.read_bytes()
    assert wasm.MODULE.stat().st_size < 1e6


@pytest.mark.skipif(not shutil.which("node"), reason="no node here")
def test_the_module_runs_in_javascript():
    """By tests/segment_wasm.mjs, the example of the interface in engine.h."""
    scenario = EVERYTHING[1]
    script = TESTS / "segment_wasm.mjs"
    done = subprocess.run(
        ["node", str(script), str(wasm.MODULE)],
        input=scenario.to_json(),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    result = segment.simulate(scenario)
    assert [f["delivered_bytes"] for f in answer["flows"]] == list(result.flows["delivered_bytes"])
    window = result.traces["cwnd_segments"]
    times, values = answer["flows"][0]["series"]["cwnd_segments"]
    assert values == window[window["flow"] == "0"]["cwnd_segments"].tolist()
    assert times == window[window["flow"] == "0"]["time_s"].tolist()


@needs_wasmtime
def test_two_simulations_do_not_meet():
    """In one instance, a few events of each in turn; with algorithms that draw lots."""
    draws = one_link(flow(congestion_control="hd"), flow(congestion_control="chd"), duration_s=5)
    texts = [segment.request(s) for s in (draws, EVERYTHING[1], draws)]
    together = wasm.Instance()
    runs = [together.start(text) for text in texts]
    under_way = list(runs)
    while under_way:
        under_way = [run for run in under_way if together.run(run, math.inf, 7.0)]
    answers = [together.answer(run) for run in runs]
    assert answers[0] == answers[2] != answers[1]
    for text, answer in zip(texts, answers, strict=True):
        alone = wasm.Instance()
        run = alone.start(text)
        assert alone.run(run, 2.5, math.inf)
        assert not alone.run(run, math.inf, math.inf)
        assert alone.answer(run) == answer


# --- what it needs


@both_builds
def test_it_needs_neither_ns3_nor_cppyy(build, tmp_path):
    """Nor is anything imported that a simulation does not need."""
    program = """
        import sys

        class Blocked:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("ns3", "ns", "cppyy", "cppyy_backend"):
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Blocked())
        from longfat import Flow, Scenario
        from longfat.engines import segment
        from longfat.topologies import satellite

        result = segment.simulate(satellite(loss=1e-3, duration_s=5))
        print(result.flows["segments_sent"][0], result.provenance["build"])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | {"LONGFAT_SEGMENT": build},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    count = segment.simulate(satellite(loss=1e-3, duration_s=5)).flows["segments_sent"][0]
    assert done.stdout.split() == [str(count), build]


def test_without_compiler_and_wasmtime_it_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(native, "compiler", lambda: None)
    monkeypatch.setattr(wasm, "is_here", lambda: False)
    assert not segment.is_here()
    with pytest.raises(InputError, match=r"needs a C\+\+ compiler .* or the package 'wasmtime'"):
        segment.simulate(one_link())


def test_what_only_others_have_is_refused_with_their_names():
    with pytest.raises(InputError, match="'cdg': use the engine 'linux'") as caught:
        segment.simulate(one_link(flow(congestion_control="cdg-linux")))
    assert "\n" not in str(caught.value)


# --- how runs end


LONG = one_link(flow(), duration_s=1e6, rate_bps=1e9, queue_packets=1000)
LARGE = one_link(
    flow(initial_window_segments=500_000, receive_buffer_bytes=2**31 - 1),
    rate_bps=1e12,
    delay_s=0.5,
    queue_packets=1_000_000,
    duration_s=3,
)


@both_builds
def test_a_run_that_takes_too_long_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    with pytest.raises(SimulationError, match=r"segment took longer than its limit of 0.3 s"):
        segment.simulate(LONG, time_limit_s=0.3)
    segment.simulate(one_link())


@both_builds
def test_a_run_that_takes_too_much_memory_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    with pytest.raises(SimulationError, match=r"segment ran out of memory \(its limit is 20 MB\)"):
        segment.simulate(LARGE, memory_limit_bytes=20_000_000)
    assert segment.simulate(LARGE).flows["segments_sent"][0] >= 60_000


@both_builds
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"rtt0_s": -1}, r"flows.0.congestion_control.parameters.rtt0_s: -1 is not from"),
        ({"rtt0_s": 1e12}, "parameters.rtt0_s: 1e"),
        ({"rtt0_s": True}, "parameters.rtt0_s: must be a number"),
        ({"nonsense": 1}, "'hybla' has no such parameter"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_said_in_a_sentence(build, parameters, words):
    """Whoever asks: a page has no other check before."""
    scenario = json.loads(one_link().to_json())
    scenario["flows"][0]["congestion_control"] = {"name": "hybla", "parameters": parameters}
    answer = ask(build, json.dumps(scenario))
    assert answer["input"] and "\n" not in answer["error"]
    assert_matches(words, answer["error"])


def assert_matches(words, sentence):
    assert re.search(words, sentence), sentence


def ask(build, text, names=("hybla",)):
    return (
        native.run(text, list(names), frozenset(), 10, None)
        if build == "native"
        else wasm.run(text, 10, None)
    )


@both_builds
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration_s": 0}, r"^duration_s: 0 must be greater than 0"),
        ({"duration_s": "long"}, r"^duration_s: must be a number"),
        ({"flows": []}, r"^flows: must be a list of at least 1"),
        ({"nonsense": 1}, r"^nonsense: there is no such field"),
        ({"links": [{"source": "a", "target": "b"}]}, r"^links.0.rate_bps: this field is missing"),
        ({"seed": 1.5}, r"^seed: must be a whole number, not 1.5"),
    ],
)
def test_a_malformed_scenario_is_refused_in_a_sentence(build, change, words):
    answer = ask(build, json.dumps(json.loads(one_link().to_json()) | change))
    assert answer["input"]
    assert_matches(words, answer["error"])


@both_builds
@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": }', '{"duration_s": 1} x', '"\\ud800"'])
def test_what_is_not_json_is_refused(build, text):
    assert_matches("^the scenario is not a JSON object", ask(build, text)["error"])


@both_builds
def test_names_may_have_any_letters(build):
    strange = 'Zürich "\\ 東京 \t😀'
    for escaped in (True, False):
        name = json.dumps(strange, ensure_ascii=escaped)
        answer = ask(build, one_link().to_json().replace('"a"', name))
        assert answer["links"][0]["source"] == strange


# --- headers


@pytest.fixture
def own_header(tmp_path, monkeypatch):
    """A function that makes an entry of the catalogue from changed text of hybla.h."""

    def make(name, change):
        header = tmp_path / f"{name}.h"
        hybla = catalogue.find("hybla").header_path
        text = change(hybla.read_text("utf-8"))
        text = text.replace('"fractional-window.h"', f'"{hybla.parent}/fractional-window.h"')
        header.write_text(text.replace("TcpHybla", f"Tcp{name}").replace("HYBLA_H", f"{name}_H"))
        entry = replace(
            catalogue.find("hybla"),
            header=str(header),
            type_id=f"longfat::Tcp{name}",
            parameters={},
        )
        monkeypatch.setitem(catalogue.algorithms(), name, entry)
        return header

    return make


@needs_compiler
def test_a_header_that_does_not_compile_takes_only_itself_away(own_header):
    own_header("Broken", lambda text: text.replace("m_started = true;", "m_started = true"))
    with pytest.raises(InputError, match="congestion control 'Broken' cannot be used") as caught:
        segment.simulate(one_link(flow(congestion_control="Broken")))
    words = str(caught.value)
    assert "\n" not in words
    assert_matches(r"Broken\.h:\d+:\d+: error: expected .;.", words)
    segment.simulate(one_link())


@needs_compiler
def test_a_changed_header_is_another_run(own_header):
    header = own_header("Mine", lambda text: text)
    scenario = one_link(flow(congestion_control="Mine"), loss_per_packet=0.01)
    key = engines.key(scenario, "segment")
    first = segment.simulate(scenario)
    plain = segment.simulate(one_link(loss_per_packet=0.01))
    pd.testing.assert_frame_equal(first.flows, plain.flows)
    header.write_text(header.read_text("utf-8").replace("tcb->m_cWnd.Get() / 2", "1u"))
    assert engines.key(scenario, "segment") != key
    second = segment.simulate(scenario)
    assert second.flows["delivered_bytes"][0] < first.flows["delivered_bytes"][0]


@needs_compiler
def test_a_crash_costs_one_run(own_header):
    own_header(
        "Crash",
        lambda text: text.replace(
            "if (segmentsAcked == 0)",
            "*static_cast<volatile int*>(nullptr) = 1;\n        if (segmentsAcked == 0)",
        ),
    )
    with pytest.raises(SimulationError, match="segment ended with signal SIGSEGV on scenario"):
        segment.simulate(one_link(flow(congestion_control="Crash")))
    segment.simulate(one_link())


@needs_compiler
@pytest.mark.slow
def test_every_header_compiles_without_warnings(tmp_path):
    for name in OURS:
        header = catalogue.find(name).header_path
        command = [*native.compiler(), *native.FLAGS, "-Wall", "-Werror", f"-I{header.parent}"]
        source = tmp_path / "one.cc"
        source.write_text(f'#include "{header.name}"\n')
        done = subprocess.run(
            [*command, "-fsyntax-only", str(source)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


# --- paths


@needs_wasmtime
def test_packets_take_the_shortest_path_that_networkx_finds():
    """Also where several are shortest."""
    generator = random.Random(1)
    for _ in range(60):
        count = generator.randint(3, 9)
        names = [f"n{i}" for i in range(count)]
        pairs = [(names[i], generator.choice(names[:i])) for i in range(1, count)]
        pairs += [tuple(generator.sample(names, 2)) for _ in range(count)]
        cables = list(dict.fromkeys(tuple(sorted(pair)) for pair in pairs))
        generator.shuffle(cables)
        links = [
            link
            for a, b in cables
            for link in duplex(a, b, rate_bps=1e6, delay_s=0.001, queue_packets=10)
        ]
        generator.shuffle(links)
        source, target = generator.sample(names, 2)
        scenario = Scenario(
            links=links,
            flows=[flow(source=source, target=target, bytes=1000)],
            duration_s=1,
        )
        answer = wasm.run(scenario.to_json(), 10, None)
        used = {(k["source"], k["target"]) for k in answer["links"] if k["packets_sent"]}
        graph = networkx.Graph((link.source, link.target) for link in links)
        path = networkx.shortest_path(graph, source, target)
        hops = set(itertools.pairwise(path))
        assert used == hops | {(b, a) for a, b in hops}


@needs_compiler
@pytest.mark.slow
def test_processes_that_compile_the_same_at_once_leave_one_whole_build(tmp_path):
    say = (
        "from longfat.cc import catalogue; from longfat.engines.segment import native;"
        "native._plugin('newreno', catalogue.find('newreno')).make()"
    )
    environment = os.environ | {"LONGFAT_BUILDS": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", say], env=environment) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert [path.name.partition("-")[0] for path in (tmp_path / "segment").iterdir()] == ["newreno"]


# --- the stand-in for ns-3


@needs_compiler
@pytest.mark.ns3
def test_the_stand_in_has_ns3s_digits(tmp_path):
    """Times, rates and random numbers, compiled once with ns-3 and once with the stand-in."""
    home = compiled.ns3()
    libraries = home / "lib64"
    against = {
        "ns3": [f"-I{home / 'include'}", "-DNS3", f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
        + ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
        + [f"-l:{name}" for name in compiled.LIBRARIES[:2]],
        "own": [f"-I{native.HERE}", str(native.HERE / "ns3" / "random-variable-stream.cc")],
    }
    printed = {}
    for name, flags in against.items():
        program = tmp_path / name
        command = [*native.compiler(), "-std=c++20", "-O2", "-ffp-contract=off"]
        source = TESTS / "segment_digits.cc"
        subprocess.run([*command, str(source), "-o", str(program), *flags], check=True)
        printed[name] = subprocess.run([program], capture_output=True, check=True).stdout
    assert printed["own"].count(b"\n") > 500_000
    assert printed["own"] == printed["ns3"]
