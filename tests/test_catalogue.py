"""The catalogue: what headers declare, what is refused, and that ns-3 says the same."""

import csv
import json
import math
import re
import warnings
from pathlib import Path

import pytest

from longfat import InputError, Scenario, builds, paths
from longfat.cc import catalogue
from longfat.engines.segment import wasm
from longfat.network import duplex

PARAMETERS = [
    (name, parameter)
    for name, algorithm in catalogue.algorithms().items()
    for parameter in algorithm.parameters.values()
]
LONG = 10_000


def scenario(name: str, parameters: dict, **fields) -> Scenario:
    return Scenario(
        links=duplex("a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=10),
        flows=[
            {
                "source": "a",
                "target": "b",
                "congestion_control": {"name": name, "parameters": parameters},
            }
        ],
        **({"duration_s": 1} | fields),
    )


def beside(name: str, parameter: catalogue.Parameter, value) -> dict:
    """The value, and the parameters in an order with it set so that it stays allowed."""
    parameters = catalogue.find(name).parameters
    values = {parameter.name: value}
    for other in parameters.values():
        if other.below == parameter.name:
            values[other.name] = other.minimum
        elif parameter.below == other.name:
            values[other.name] = other.maximum
    return values


def just_outside(parameter: catalogue.Parameter) -> list:
    if isinstance(parameter.default, bool):
        return [0, 1, "true"]
    if isinstance(parameter.default, int):
        return [parameter.minimum - 1, parameter.maximum + 1, parameter.default + 0.5]
    return [
        math.nextafter(parameter.minimum, -math.inf),
        math.nextafter(parameter.maximum, math.inf),
    ]


WRONG = [None, "x" * LONG, "0.5", [0.5], {}, math.nan]
FAR = [-1, -(10**9), 10**30, 1e300, math.inf, -math.inf, 10**LONG]


def _ordered(name: str):
    parameters = catalogue.find(name).parameters
    return [(n, p) for n, p in parameters.items() if p.below]


def test_what_is_outside_or_of_a_wrong_type_is_refused_in_one_short_sentence():
    for name, parameter in PARAMETERS:
        for value in [*just_outside(parameter), *WRONG, *FAR]:
            with pytest.raises(InputError) as refused:
                scenario(name, beside(name, parameter, value))
            message = str(refused.value)
            field = f"flows.0.congestion_control.parameters.{parameter.name}"
            assert message.startswith(f"{field}: {catalogue.quoted(value)} is not allowed: ")
            assert f"{parameter.range} ({parameter.meaning})" in message
            assert len(message) < 300
            assert "\n" not in message


def test_the_sentence_says_range_and_unit():
    with pytest.raises(InputError) as refused:
        scenario("hybla", {"rtt0_s": 0})
    assert str(refused.value) == (
        "flows.0.congestion_control.parameters.rtt0_s: 0 is not allowed: from 1e-06 to 10 s "
        "(round-trip time of the reference connection)"
    )


def test_parameters_in_an_order_are_held_to_it():
    with pytest.raises(InputError, match=r"below high_window_segments, which is 83000\.0"):
        scenario("highspeed", {"low_window_segments": 83000.0})
    with pytest.raises(InputError, match=r"parameters\.min_delay_s: 0\.005 is .* which is 0\.005"):
        scenario("hd", {"threshold_delay_s": 0.005})


def test_numpy_numbers_are_numbers():
    numpy = pytest.importorskip("numpy")
    one = scenario("tcpj", {"alpha": numpy.float64(0.5)})
    assert one == scenario("tcpj", {"alpha": 0.5})
    assert one.sha256() == scenario("tcpj", {"alpha": 0.5}).sha256()
    whole = scenario("bic", {"smooth_part": numpy.int64(7)})
    assert '"smooth_part":7' in whole.canonical_json()


def test_long_names_are_quoted_short():
    for name, parameters in [("x" * LONG, {}), ("hybla", {"x" * LONG: 1}), ("x y " * LONG, {})]:
        with pytest.raises(InputError) as refused:
            scenario(name, parameters)
        assert len(str(refused.value)) < 900
        assert " characters)" in str(refused.value)


# --- where entries stand


@pytest.mark.slow
def test_the_catalogue_is_what_the_compiled_headers_print():
    assert json.loads(catalogue.FILE.read_text("utf-8")) == catalogue.printed()


@pytest.mark.slow
@pytest.mark.skipif(not wasm.is_here(), reason="no wasmtime here")
def test_the_module_prints_the_same_catalogue():
    printed = sorted(wasm.Instance().catalogue(), key=lambda entry: entry["name"])
    kept = json.loads(catalogue.FILE.read_text("utf-8"))
    entries = (entry for one in kept.values() for entry in one["entries"])
    assert printed == sorted(entries, key=lambda entry: entry["name"])


def test_an_entry_says_what_a_reader_needs():
    for name, algorithm in catalogue.algorithms().items():
        assert algorithm.title and algorithm.source, name
        for parameter, one in algorithm.parameters.items() if algorithm.header else ():
            assert one.source, f"{name}: nothing says where {parameter}'s default is from"
        assert bool(algorithm.header) != bool(algorithm.engine), name
        assert algorithm.header is None or (algorithm.header.is_file() and algorithm.colour), name
        assert not algorithm.refusals({}), name
        for parameter in algorithm.parameters.values():
            assert parameter.meaning, parameter.name
            assert parameter.allows(parameter.default), parameter.name
            assert parameter.below in ("", *algorithm.parameters)


def test_each_header_has_a_sentence_on_the_page_and_none_stands_there_twice():
    with paths.DATA.joinpath("algorithms.csv").open(encoding="utf-8", newline="") as file:
        described = [row["name"] for row in csv.DictReader(file)]
    ours = [name for name, one in catalogue.algorithms().items() if one.header]
    assert sorted(described) == sorted(ours)


def test_what_stands_in_the_catalogue_says_nothing_of_another_simulator():
    for path in catalogue.FOLDER.iterdir():
        if path.is_file():
            assert "ns3" not in path.read_text("utf-8").lower(), path.name


# --- a header of one's own

OWN = """
#include "model.h"

using namespace longfat::core;

class Own
{
  public:
    static constexpr Entry entry{.name = "own", .title = "own", .source = "none"};

    Control on_ack(const Ack&, Control now)
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


def test_a_header_is_compiled_and_then_its_table_is_read(tmp_path):
    header = own_header(tmp_path, "")
    [entry] = catalogue.table([header])
    assert catalogue.algorithm(entry, header).title == "own"
    header.write_text(header.read_text("utf-8").replace('.title = "own"', '.title = "mine"'))
    [entry] = catalogue.table([header])
    assert entry["title"] == "mine"


def test_a_header_that_does_not_compile_takes_only_itself_away(tmp_path, monkeypatch):
    own_header(tmp_path, "return nothing;")
    good = tmp_path / "good.h"
    good.write_text(OWN.replace("BODY", "").replace('"own"', '"good"').replace("Own", "Good"))
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # who asks for another hears nothing of it
        assert catalogue.find("good").title == "good"
    with pytest.warns(UserWarning) as told:
        assert "good" in catalogue.algorithms() and "own" not in catalogue.algorithms()
    said = {str(one.message) for one in told}
    assert len(said) == 1
    assert re.fullmatch(r"left out: own\.h cannot be used: .*own\.h:\d+.*nothing.*", said.pop())


def test_a_header_of_the_interface_before_says_where_porting_is_described(tmp_path):
    """The page that it names has that section."""
    old = tmp_path / "old.h"
    old.write_text("class Old : public ns3::TcpCongestionOps {};\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"old\.h is written for another interface") as caught:
        catalogue.plugin(old)
    page, title = catalogue.PORTING.split(", ")
    assert page in str(caught.value)
    text = (paths.DATA.parent / page).read_text("utf-8")
    assert f"## {title.strip(chr(39))}\n" in text


@pytest.mark.filterwarnings("error:left out")  # it is told once
def test_who_asks_for_what_was_left_out_hears_why(tmp_path, monkeypatch):
    own_header(tmp_path, "return nothing;")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with pytest.raises(InputError, match=r"congestion_control: own\.h cannot be used: .*nothing"):
        scenario("own", {})


# --- against ns-3


@pytest.fixture(scope="module")
def ns3(with_ns3):
    """ns-3 with every header loaded."""
    from longfat.engines.ns3 import bindings

    bindings.load()
    import cppyy

    return cppyy.gbl.ns3


@pytest.mark.slow
def test_ns3_has_the_same_defaults_and_takes_what_is_allowed(ns3):
    own = [(catalogue.find(name), one) for name, one in PARAMETERS if name.endswith("-ns3")]
    assert own
    assert not [f"{a.name}: {p.name}" for a, p in own if not _ns3_agrees(ns3, a, p)]


def _ns3_agrees(ns3, algorithm: catalogue.Algorithm, parameter: catalogue.Parameter) -> bool:
    """Whether its own class has the default, and takes what is allowed (it may take more)."""
    known = ns3.TypeId.AttributeInformation()
    tid = ns3.TypeId.LookupByName(algorithm.own["type_id"])
    if not tid.LookupAttributeByName(algorithm.own["attributes"][parameter.name], known):
        return False
    unit = "s" * (parameter.unit == "s")
    ends = (parameter.minimum, parameter.maximum)
    takes = [known.checker.CreateValidValue(ns3.StringValue(f"{end!r}{unit}")) for end in ends]
    text = str(known.initialValue.SerializeToString(known.checker))
    number = float(text.removeprefix("+").removesuffix("ns"))
    default = parameter.default * (1e9 if text.endswith("ns") else 1)
    return number == pytest.approx(default) and all(map(bool, takes))


@pytest.mark.slow
def test_all_ranges_can_be_run(ns3):
    """At both ends of every range a flow runs to its end: with a header of ours on the engine
    segment, with a class of ns-3's on ns3."""
    from longfat import simulate

    for name, parameter in PARAMETERS:
        ends = (parameter.minimum, parameter.maximum)
        for value in map(bool, ends) if parameter.kind == "truth" else ends:
            values = beside(name, parameter, value)
            if any(values[n] >= values[p.below] for n, p in _ordered(name) if n in values):
                continue
            one = scenario(name, values, duration_s=5)
            one = one.replace(
                links=[link.model_copy(update={"loss_per_packet": 0.003}) for link in one.links]
            )
            result = simulate(one, engine="segment" if catalogue.find(name).header else "ns3")
            assert result.flows["delivered_bytes"][0] > 0, json.dumps([name, values])


def test_a_header_counts_what_it_includes_also_when_that_comes_later(tmp_path):
    """As in a notebook whose reader writes the one after the other."""
    (tmp_path / "mine.h").write_text('#include "part.h"\n')
    alone = builds.content_sha256([tmp_path / "mine.h"])
    (tmp_path / "part.h").write_text("int a;\n")
    both = builds.content_sha256([tmp_path / "mine.h"])
    (tmp_path / "part.h").write_text("int other;\n")
    assert len({alone, both, builds.content_sha256([tmp_path / "mine.h"])}) == 3
