"""The segment engine: its results, headers of one's own, limits, and that it is one engine."""

import contextlib
import itertools
import json
import math
import os
import random
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import fuzz
import networkx
import pandas as pd
import pytest
from segment_scenarios import SENDERS, drawn, flow, link, scenario
from small import archived

from longfat import Flow, InputError, Scenario, SimulationError, builds, engines, simulate, sweep
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.engines.segment import native, wasm
from longfat.result import FLOW_COLUMNS, MORE_FLOW_COLUMNS
from longfat.topologies import duplex, reference, satellite

HERE = Path(__file__).parent
needs_wasmtime = pytest.mark.skipif(not wasm.is_here(), reason="no wasmtime here")
both_builds = pytest.mark.parametrize(
    "build",
    [
        pytest.param(
            "native", marks=pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler")
        ),
        pytest.param("wasm", marks=needs_wasmtime),
    ],
)
ONE_LINK = {"rate_bps": 5e6, "delay_s": 0.021, "queue_packets": 50}


def one_link(*flows: dict, duration_s: float = 10.0, seed: int = 1, **more) -> Scenario:
    """Return flows over a link of 5 Mb/s, one of Hybla unless given."""
    own = {"source": "a", "target": "b", "congestion_control": "hybla"}
    links = duplex("a", "b", **(ONE_LINK | more))
    given = [own | one for one in flows or ({},)]
    return Scenario(links=links, flows=given, duration_s=duration_s, seed=seed)


def changed(one: Scenario, **fields) -> Scenario:
    """Return the scenario with fields of its first flow changed."""
    return one.replace(flows=[one.flows[0].model_dump() | fields, *one.flows[1:]])


# --- results


def test_its_results_have_all_columns():
    scenarios = [satellite(loss=1e-3, duration_s=5, seed=seed) for seed in (1, 2)]
    table = sweep(scenarios, engine="segment")
    assert {*FLOW_COLUMNS, *MORE_FLOW_COLUMNS} <= {*table}
    result = simulate(scenarios[0], engine="segment")
    assert result.provenance["engine"] == "segment"
    assert result.flows["undone"].tolist() == [0]
    assert math.isnan(result.flows["given_up_s"][0])


def test_a_connection_that_gives_up_says_so_in_the_result():
    cut = satellite(loss=0, duration_s=200)
    links = [
        one.model_dump() | {"outages": [{"start_s": 5, "duration_s": 190}]} for one in cut.links
    ]
    result = simulate(changed(cut.replace(links=links), retries=3))
    assert result.flows["given_up_s"][0] == pytest.approx(5 + 1 + 2 + 4 + 8, abs=0.5)
    again = simulate(changed(cut.replace(links=links), retries=3))  # from the cache
    assert again.flows["given_up_s"][0] == result.flows["given_up_s"][0]


def test_its_results_are_archived_with_all_that_it_counts(empty_archive):
    from longfat import store

    one = reference(congestion_control="highspeed", duration_s=3)
    result = simulate(one)
    engines.accept_new([one])
    result.provenance["versions"] = engines.behaviour.versions(engines.parts(one, "segment"))
    store.write_archive("of-segment", [result])
    store.forget_archive()
    found = archived(one)
    assert found is not None
    assert found.flow_rows() == result.flow_rows()
    assert "undone" in store.read_archive("of-segment")


def test_what_only_it_has_is_refused_by_others():
    one = changed(reference(congestion_control="newreno", duration_s=1), rack=True)
    assert simulate(one).flows["segments_sent"][0] > 0
    with pytest.raises(InputError, match=r"flows\.0\.rack: the engine 'ns3' does not have it"):
        simulate(one, engine="ns3")


def test_a_receiver_that_conceals_losses_hides_them_from_the_sender():
    """Of one packet in a hundred, and of those that a full queue drops: nothing is sent again, the
    window never falls, and most of what is acknowledged has never come."""
    honest = reference(congestion_control="newreno", loss=0.01, duration_s=10)
    told, hidden = (simulate(one) for one in (honest, changed(honest, conceals_losses=True)))
    assert told.flows["recoveries"][0] > 5
    assert hidden.flows[["recoveries", "retransmissions", "timeouts"]].to_numpy().sum() == 0
    links = hidden.links.iloc[0]
    assert links["packets_lost"] > 50
    assert links["packets_dropped_by_queue"] > links["packets_sent"]
    delivered = hidden.flows["delivered_bytes"][0] / 1000
    assert links["packets_sent"] < delivered <= hidden.flows["segments_sent"][0]


def test_what_only_others_have_is_refused_in_a_sentence():
    one = reference(congestion_control="newreno", duration_s=1)
    with pytest.raises(InputError, match="recovery: the engine 'segment' does not have it"):
        simulate(changed(one, recovery="prr-ns3-3.44"))
    with pytest.raises(InputError, match="has no 'bic-ns3': use the engine 'ns3'"):
        simulate(changed(one, congestion_control="bic-ns3"))


def test_the_same_seed_gives_the_same_digits_and_another_loses_other_packets():
    one, again, other = (
        segment.simulate(one_link(loss_per_packet=0.01, seed=seed)) for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one.flows, again.flows)
    pd.testing.assert_frame_equal(one.links, again.links)
    assert one.flows["delivered_bytes"][0] != other.flows["delivered_bytes"][0]


def test_goodput_is_the_bottleneck_less_headers():
    result = segment.simulate(one_link({"initial_ssthresh_segments": 50}, duration_s=60))
    assert result.flows["goodput_bps"][0] == pytest.approx(5e6 * 1000 / 1054, rel=0.01)
    assert result.flows["goodput_bps"][0] < 5e6 * 1000 / 1054


def test_each_of_four_equal_flows_gets_a_quarter():
    """Each begins first as often as the others."""
    count, seeds = 4, range(1, 41)
    shares = []
    for seed in seeds:
        flows = [{"start_s": 0.01 * ((i + seed) % count)} for i in range(count)]
        one = one_link(*flows, loss_per_packet=2e-3, duration_s=100, seed=seed)
        goodput = segment.simulate(one).flows["goodput_bps"]
        shares.append(goodput / goodput.sum())
    table = pd.DataFrame(shares)
    halfwidth = 2.023 * table.std() / math.sqrt(len(seeds))  # Student's t, 39 degrees, 95 %
    inside = (table.mean() - 1 / count).abs() < halfwidth * 1.5  # four intervals at once
    assert inside.all(), (table.mean(), halfwidth)


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
        links = [one for a, b in cables for one in duplex(a, b, **ONE_LINK)]
        generator.shuffle(links)
        source, target = generator.sample(names, 2)
        own = Flow(source=source, target=target, congestion_control="newreno", bytes=1000)
        answer = segment.simulate(Scenario(links=links, flows=[own], duration_s=1))
        used = answer.links[answer.links["packets_sent"] > 0]
        path = networkx.shortest_path(
            networkx.Graph((one.source, one.target) for one in links), source, target
        )
        hops = set(itertools.pairwise(path))
        found = set(zip(used["source"], used["target"], strict=True))
        assert found == hops | {(b, a) for a, b in hops}


# --- what it is given


def admitted(count: int) -> list[Scenario]:
    """Return drawn scenarios without what a scenario refuses and the engine's reader does not."""
    found: list[Scenario] = []
    for seed in itertools.count():
        with contextlib.suppress(InputError):
            found.append(Scenario(**drawn(seed, SENDERS)))
        if len(found) == count:
            return found


def test_its_defaults_are_those_of_a_scenario():
    """Each field of a scenario is one that its reader knows, and none is passed over."""
    for one in admitted(20):
        stated = native.run(json.loads(segment.request(one)))
        full = native.run(json.loads(one.model_dump_json(exclude={"ns2": True, "title": True})))
        assert [full["flows"], full["links"]] == [stated["flows"], stated["links"]]


def ask(build: str, text: str) -> dict:
    """Return the answer to a text, which need be no scenario."""
    headers = [catalogue.find("hybla").header]
    return (
        native.run_text(text, headers, 10, None) if build == "native" else wasm.run(text, 10, None)
    )


@both_builds
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration_s": 0}, "duration_s"),
        ({"duration_s": "long"}, "duration_s"),
        ({"nonsense": 1}, "nonsense"),
        ({"links": [{"source": "a", "target": "b"}]}, "rate_bps"),
        ({"seed": 1.5}, "seed"),
    ],
)
def test_a_malformed_scenario_is_refused_in_a_sentence(build, change, words):
    """Whoever asks: a page has no other check before."""
    answer = ask(build, json.dumps(json.loads(one_link().to_json()) | change))
    assert answer["input"]
    assert words in answer["error"] and "\n" not in answer["error"]


@both_builds
@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": }', '{"duration_s": 1} x', '"\\ud800"'])
def test_what_is_not_json_is_refused(build, text):
    assert "JSON" in ask(build, text)["error"]


@both_builds
def test_names_may_have_any_letters(build):
    strange = 'Zürich "\\ 東京 \t😀'
    for escaped in (True, False):
        name = json.dumps(strange, ensure_ascii=escaped)
        answer = ask(build, one_link().to_json().replace('"a"', name))
        assert answer["links"][0]["source"] == strange


# --- what it needs


@both_builds
def test_it_needs_neither_ns3_nor_cppyy(build):
    program = """
        import sys

        class Blocked:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("ns3", "ns", "cppyy", "cppyy_backend"):
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Blocked())
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
    monkeypatch.setattr(builds, "compiler", lambda: None)
    monkeypatch.setattr(wasm, "is_here", lambda: False)
    assert not segment.is_here()
    with pytest.raises(InputError, match=r"needs a C\+\+ compiler .* or the package 'wasmtime'"):
        segment.simulate(one_link())


@pytest.mark.slow
def test_every_header_compiles_without_warnings(tmp_path):
    source = tmp_path / "all.cc"
    headers = sorted(catalogue.FOLDER.glob("*.h"))
    source.write_text("".join(f'#include "{header}"\n' for header in headers), encoding="utf-8")
    command = [*builds.compiler(), *catalogue.FLAGS, f"-I{catalogue.CORE}", "-Wall", "-Wextra"]
    command += ["-Werror", "-fsyntax-only", source, catalogue.CORE / "engine.cc"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_processes_that_compile_the_same_at_once_leave_one_whole_build(tmp_path):
    say = "from longfat.cc import catalogue as c; c.plugin(c.find('newreno').header)"
    environment = os.environ | {"LONGFAT_BUILDS": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", say], env=environment) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert [path.name.partition("-")[0] for path in (tmp_path / "segment").iterdir()] == ["newreno"]


# --- a header of one's own

OWN = """
#include "slow-start.h"
#include "model.h"

using namespace longfat::core;

class Own
{
  public:
    static constexpr Entry entry{.name = "own", .title = "own", .source = "none"};

    Control on_ack(const Ack& ack, Control now)
    {
        BODY
        return now;
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return now.cwnd / 2;
    }
};

LONGFAT_CONGESTION_CONTROL(Own);
"""


def own_header(folder: Path, body: str) -> Path:
    header = folder / "own.h"
    header.write_text(OWN.replace("BODY", body), encoding="utf-8")
    return header


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while (ack.now > 0) { now.cwnd = now.cwnd + 1; }", "took longer than its limit of 2 s"),
        ("now.cwnd = 0.0 / (now.cwnd - now.cwnd);", "not a number above 0"),
        ("now.cwnd = 0;", "not a number above 0"),
        ("now.pacing_bps = -1;", "not a number above 0"),
        ("now.ssthresh = 0.0 / (now.cwnd - now.cwnd);", "threshold that is not a number"),
        ("*reinterpret_cast<volatile int*>(ack.now) = 1;", "ended with signal SIGSEGV"),
    ],
    ids=["loops", "NaN", "nothing", "no rate", "threshold", "crash"],
)
def test_a_header_that_does_not_work_ends_in_a_sentence(tmp_path, body, words):
    header = own_header(tmp_path, body)
    with pytest.raises(SimulationError, match=words) as caught:
        native.run(scenario(link(), flow("own")), own=header, time_limit_s=2)
    assert "\n" not in str(caught.value)


TEMPLATE = Path(catalogue.__file__).parents[1] / "book" / "templates" / "congestion-control.h"


@pytest.mark.parametrize("loss", [1e-4, 1e-2])
def test_the_template_is_newreno_where_the_receiver_limits(tmp_path, loss):
    """Forker, F1: what a fork measures is what it changed. On the satellite 550 segments fit."""
    header = tmp_path / "mine" / "my-experiment.h"
    header.parent.mkdir()
    header.write_text(TEMPLATE.read_text("utf-8").replace('"../', '"'), encoding="utf-8")
    for seed in (1, 2):
        one = json.loads(segment.request(satellite(loss=loss, duration_s=100, seed=seed)))
        answers = []
        for name in ("newreno", "my-experiment"):
            one["flows"][0]["congestion_control"] = {"name": name}
            answers.append(native.run(one, own=header)["flows"])
        assert answers[0] == answers[1]
        assert answers[0][0]["recoveries"] > 0
    one["flows"][0]["congestion_control"]["parameters"] = {"decrease": 0.2}
    assert native.run(one, own=header)["flows"] != answers[1]


def test_a_changed_header_is_another_run():
    one = reference(congestion_control="hybla", duration_s=1)
    parts = engines.parts(one, "segment")
    assert [name for name, _, _ in parts] == ["segment", "cc/hybla"]
    assert engines.part("cc/hybla") == parts[1]
    assert engines.key(one, "segment") != engines.key(one, "ns3")


# --- limits, and how it is built


@needs_wasmtime
def test_until_it_is_compiled_it_runs_as_webassembly(tmp_path, monkeypatch):
    """But what the module does not have is waited for."""
    begun = []
    monkeypatch.setattr(segment.native, "compile_behind", begun.append)
    monkeypatch.setenv("LONGFAT_BUILDS", str(tmp_path))
    header = catalogue.find("hybla").header
    assert segment.how_built([header]) == "wasm"
    assert begun == [(header,)]
    own = tmp_path / "own.h"
    own.write_text("")
    assert segment.how_built([own]) == "native"
    monkeypatch.setenv("LONGFAT_SEGMENT", "native")
    assert segment.how_built([header]) == "native"
    assert len(begun) == 1


@needs_wasmtime
@pytest.mark.slow
def test_a_first_result_needs_no_compiler_and_the_next_ones_have_one(tmp_path):
    """In processes of their own, as of a newcomer; the digits are the same."""
    program = """
        from longfat import simulate, topologies

        result = simulate(topologies.satellite(loss=1e-3, duration_s=5))
        print(result.provenance["build"], *result.flows["segments_sent"])
    """

    def first_result(cache: str) -> list[str]:
        places = {"LONGFAT_BUILDS": str(tmp_path), "LONGFAT_CACHE": str(tmp_path / cache)}
        command = [sys.executable, "-c", textwrap.dedent(program)]
        environment = os.environ | places
        return subprocess.run(
            command, env=environment, capture_output=True, text=True
        ).stdout.split()

    build, *sent = first_result("a")
    assert build == "wasm"
    for number in range(60):  # until what compiles behind it has ended
        time.sleep(3)
        build, *again = first_result(str(number))
        assert again == sent
        if build == "native":
            break
    assert build == "native"


@both_builds
def test_a_run_that_takes_too_long_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    long = satellite(loss=0, duration_s=100_000)
    with pytest.raises(SimulationError, match=r"segment took longer than its limit of 0.3 s"):
        segment.simulate(long, time_limit_s=0.3)


@both_builds
def test_a_run_that_takes_too_much_memory_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    large = satellite(loss=0, duration_s=3)
    links = [
        one.model_dump() | {"rate_bps": 1e12, "queue_packets": 1_000_000} for one in large.links
    ]
    wide = {"initial_window_segments": 1_000_000, "receive_buffer_bytes": 2**31 - 1}
    wide |= {"send_buffer_bytes": 2**31 - 1, "max_window_segments": None}
    large = changed(large.replace(links=links), **wide)
    with pytest.raises(SimulationError, match=r"segment ran out of memory \(its limit is 20 MB\)"):
        segment.simulate(large, memory_limit_bytes=20_000_000)


@needs_wasmtime
@pytest.mark.slow
@pytest.mark.parametrize("group", range(4))
def test_the_module_has_the_digits_of_the_program(group):
    """Of drawn scenarios, whole answers with every series."""
    for seed in range(5000 + 16 * group, 5000 + 16 * (group + 1)):
        case = drawn(seed, SENDERS)
        case["record"] = {"series": ["cwnd_segments", "rtt_s", "queue_packets"], "points": 50}
        here, module = native.run(case), wasm.run(json.dumps(case), 600, None)
        for took in ("cpu_s", "wall_s", "peak_memory_bytes"):
            here.pop(took), module.pop(took)
        assert here == module, seed


@needs_wasmtime
@pytest.mark.slow
def test_the_module_goes_on_step_by_step():
    """As the Laboratory asks it: so many events, or to a time; runs do not meet."""
    texts = [json.dumps(drawn(seed, SENDERS)) for seed in (1, 2, 1)]
    together = wasm.Instance()
    runs = [together.start(text) for text in texts]
    under_way = list(runs)
    while under_way:
        under_way = [run for run in under_way if together.run(run, math.inf, 7.0)]
    answers = [together.answer(run) for run in runs]
    assert answers[0] == answers[2] != answers[1]
    alone = wasm.Instance()
    run = alone.start(texts[0])
    assert alone.run(run, 0.5, math.inf)
    assert 0 < alone.now_s(run) <= 0.5
    assert not alone.run(run, math.inf, math.inf)
    assert alone.answer(run) == answers[0]


@pytest.mark.skipif(not shutil.which("node"), reason="no node here")
def test_the_module_runs_in_javascript():
    """By tests/segment_wasm.mjs, the example of the interface in engine.h."""
    one = one_link(
        {"sack": False, "recovery": "halving"},
        {"congestion_control": "ucc", "ecn": True, "segments_per_ack": 2, "bytes": 1_000_000},
        loss_per_packet=1e-3,
        mark_above_packets=10,
    ).replace(record={"series": ["cwnd_segments"], "points": 100})
    done = subprocess.run(
        ["node", HERE / "segment_wasm.mjs", wasm.module()],
        input=one.to_json(),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    result = segment.simulate(one)
    assert [f["delivered_bytes"] for f in answer["flows"]] == list(result.flows["delivered_bytes"])
    window = result.traces["cwnd_segments"]
    window = window[window["flow"] == "0"]
    times, values = answer["flows"][0]["series"]["cwnd_segments"]
    assert values == window["cwnd_segments"].tolist()
    assert times == window["time_s"].tolist()


@pytest.mark.slow
@pytest.mark.skipif(wasm.zig_here() != wasm.ZIG_VERSION, reason="not that ziglang here")
def test_the_committed_module_is_that_of_these_sources(tmp_path):
    assert wasm.BUILT_FROM.read_text("utf-8").strip() == wasm.sources_sha256()
    assert wasm.build(tmp_path / "engine.wasm").read_bytes() == wasm.MODULE.read_bytes()


@pytest.mark.long
@pytest.mark.skipif(fuzz.compiler() is None, reason="no clang++ here")
def test_a_fuzzer_finds_nothing():
    """Ten minutes of libFuzzer on the reader of scenarios, under sanitizers."""
    assert fuzz.fuzz(600) == 0
