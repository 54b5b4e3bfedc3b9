"""The transport core as an engine: results, catalogue, headers of one's own, limits."""

import json
import math
from pathlib import Path

import fuzz
import pytest
from core_scenarios import drawn, flow, link, scenario

from longfat import InputError, Scenario, SimulationError, engines, simulate, sweep
from longfat.cc import catalogue, compiled
from longfat.engines import core
from longfat.engines.segment import native, wasm
from longfat.result import FLOW_COLUMNS, MORE_FLOW_COLUMNS
from longfat.topologies import reference, satellite

HERE = Path(__file__).parent
SENDERS = sorted(catalogue.algorithms())
needs_zig = pytest.mark.skipif(
    not wasm.is_here() or wasm.zig_here() != wasm.ZIG_VERSION, reason="no ziglang or wasmtime here"
)
both_builds = pytest.mark.parametrize(
    "build", ["native", pytest.param("wasm", marks=[needs_zig, pytest.mark.slow])]
)


def changed(one: Scenario, **fields) -> Scenario:
    """Return the scenario with fields of its first flow changed."""
    return one.with_(flows=[one.flows[0].model_dump() | fields, *one.flows[1:]])


# --- results


def test_its_results_have_the_columns_of_segment_and_what_it_can_say_more():
    scenarios = [satellite(loss=1e-3, duration_s=5, seed=seed) for seed in (1, 2)]
    table = sweep(scenarios, engine="core")
    assert [*FLOW_COLUMNS, *MORE_FLOW_COLUMNS] == [
        name for name in table if name in FLOW_COLUMNS + MORE_FLOW_COLUMNS
    ]
    result = simulate(scenarios[0], engine="core")
    assert result.provenance["engine"] == "core"
    assert {*simulate(scenarios[0], engine="segment").links} <= {*result.links}
    assert result.flows["undone"].tolist() == [0]
    assert math.isnan(result.flows["given_up_s"][0])


def test_a_connection_that_gives_up_says_so_in_the_result():
    cut = satellite(loss=0, duration_s=200)
    links = [
        one.model_dump() | {"outages": [{"start_s": 5, "duration_s": 190}]} for one in cut.links
    ]
    result = simulate(changed(cut.with_(links=links), retries=3), engine="core")
    assert result.flows["given_up_s"][0] == pytest.approx(5 + 1 + 2 + 4 + 8, abs=0.5)
    again = simulate(changed(cut.with_(links=links), retries=3), engine="core")  # from the cache
    assert again.flows["given_up_s"][0] == result.flows["given_up_s"][0]


def test_its_results_are_archived_with_what_it_can_say_more(tmp_path, monkeypatch):
    from longfat import paths, store

    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    store.forget_archive()
    one = reference(congestion_control="highspeed", duration_s=3)
    result = simulate(one, engine="core")
    engines.accept_new([one], "core")
    result.provenance["versions"] = engines.behaviour.versions(engines.parts(one, "core"))
    store.write_archive("of-core", [result])
    store.forget_archive()
    found = engines.find_archived(one, "core")
    assert found is not None
    assert found.flow_rows() == result.flow_rows()
    assert "undone" in store.read_archive("of-core")
    store.forget_archive()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rack": True}, "flows.0.rack: the engine 'segment' does not have it: use 'core'"),
        (
            {"congestion_control": {"name": "newreno"}, "max_window_segments": 100},
            "max_window_segments: 'newreno' cannot cap",
        ),
    ],
)
def test_what_only_the_core_has_is_refused_by_others(fields, words):
    one = changed(reference(congestion_control="newreno", duration_s=1), **fields)
    assert simulate(one, engine="core").flows["segments_sent"][0] > 0
    with pytest.raises(InputError, match=words):
        simulate(one, engine="segment")


def test_what_it_does_not_do_yet_is_refused_in_a_sentence():
    """Each field of a scenario is one that its reader knows: none is passed over in silence."""
    one = reference(congestion_control="newreno", duration_s=1)
    with pytest.raises(InputError, match="recovery: must be prr or halving"):
        simulate(changed(one, recovery="prr-ns3-3.44"), engine="core")
    with pytest.raises(InputError, match=r"the core has .*newreno"):
        simulate(changed(one, congestion_control="bic-ns3"), engine="core")


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


TEMPLATE = Path(compiled.__file__).parents[1] / "book" / "templates" / "congestion-control.h"


@pytest.mark.parametrize("loss", [1e-4, 1e-2])
def test_the_template_is_newreno_where_the_receiver_limits(tmp_path, loss):
    """Forker, F1: what a fork measures is what it changed. On the satellite 550 segments fit."""
    header = tmp_path / "mine" / "my-experiment.h"
    header.parent.mkdir()
    header.write_text(TEMPLATE.read_text("utf-8").replace('"../', '"'), encoding="utf-8")
    for seed in (1, 2):
        one = json.loads(core.request(satellite(loss=loss, duration_s=100, seed=seed)))
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
    parts = engines.parts(one, "core")
    assert [name for name, _, _ in parts] == ["core", "core/hybla"]
    assert engines.part("core/hybla") == parts[1]
    assert engines.key(one, "core") != engines.key(one, "segment")


# --- limits, and how it is built


@both_builds
def test_a_run_that_takes_too_long_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    long = satellite(loss=0, duration_s=100_000)
    with pytest.raises(SimulationError, match=r"core took longer than its limit of 0.3 s"):
        core.simulate(long, time_limit_s=0.3)


@both_builds
def test_a_run_that_takes_too_much_memory_is_ended(build, monkeypatch):
    monkeypatch.setenv("LONGFAT_SEGMENT", build)
    large = satellite(loss=0, duration_s=3)
    links = [
        one.model_dump() | {"rate_bps": 1e12, "queue_packets": 1_000_000} for one in large.links
    ]
    wide = {"initial_window_segments": 1_000_000, "receive_buffer_bytes": 2**31 - 1}
    wide |= {"send_buffer_bytes": 2**31 - 1, "max_window_segments": None}
    large = changed(large.with_(links=links), **wide)
    with pytest.raises(SimulationError, match=r"core ran out of memory \(its limit is 20 MB\)"):
        core.simulate(large, memory_limit_bytes=20_000_000)


@needs_zig
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


@needs_zig
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


@needs_zig
@pytest.mark.slow
@pytest.mark.skipif(not wasm.MODULE.exists(), reason="built in place when the core is `segment`")
def test_the_committed_module_is_that_of_these_sources(tmp_path):
    assert wasm.BUILT_FROM.read_text("utf-8").strip() == wasm.sources_sha256()
    assert wasm.build(tmp_path / "engine.wasm").read_bytes() == wasm.MODULE.read_bytes()


@pytest.mark.long
@pytest.mark.skipif(fuzz.compiler() is None, reason="no clang++ here")
def test_a_fuzzer_finds_nothing():
    """Ten minutes of libFuzzer on the reader of scenarios, under sanitizers."""
    assert fuzz.fuzz(600) == 0
