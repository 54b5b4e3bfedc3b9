"""The catalogue: what headers declare, what is refused, and that ns-3 says the same."""

import json
import math
import re
import shutil

import pytest

from longfat import InputError, Scenario
from longfat.cc import catalogue
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
    assert (
        '"acks_per_segment":7'
        in scenario("scalable", {"acks_per_segment": numpy.int64(7)}).canonical_json()
    )


def test_long_names_are_quoted_short():
    for name, parameters in [("x" * LONG, {}), ("hybla", {"x" * LONG: 1}), ("x y " * LONG, {})]:
        with pytest.raises(InputError) as refused:
            scenario(name, parameters)
        assert len(str(refused.value)) < 900
        assert " characters)" in str(refused.value)


# --- where entries stand


def test_every_header_of_an_algorithm_brings_its_entry_and_no_other_does():
    headers = {a.header for a in catalogue.algorithms().values() if a.header}
    constructed = {
        path.name
        for path in catalogue.FOLDER.glob("*.h")
        if re.search(r"^[^/\n]*(\.AddConstructor|\bAttributes)<", path.read_text("utf-8"), re.M)
    }
    assert headers == constructed


def test_a_default_stands_once():
    """An entry repeats nothing that its header's AddAttribute says."""
    for header in catalogue.FOLDER.glob("*.h"):
        comment = header.read_text("utf-8").partition("/* catalogue")[2].partition("*/")[0]
        entry = catalogue.tomllib.loads(comment)
        attributes = catalogue._attributes(header)
        for name, stated in entry.get("parameters", {}).items():
            if stated["attribute"] in attributes:
                repeated = {"default", "minimum", "maximum", "meaning"} & set(stated)
                assert not repeated, f"{header.name}: {name}: {repeated} follow from AddAttribute"


MINE = """// mine
/* catalogue
title = "Mine"
type_id = "longfat::TcpMine"
source = "me"
{entry}
*/
TypeId("longfat::TcpMine")
    .AddAttribute("Gain",
                  "a \\"gain\\", "
                  "or two",
                  {value},
                  MakeAccessor(&TcpMine::m_gain),
                  {checker})
"""


def mine(folder, entry='parameters.gain_s = {attribute = "Gain"}', value="", checker=""):
    header = folder / "mine.h"
    header.write_text(
        MINE.format(
            entry=entry,
            value=value or "ns3::TimeValue(ns3::MilliSeconds(25))",
            checker=checker or "ns3::MakeTimeChecker(ns3::Time(0), ns3::Seconds(1))",
        )
    )
    return header


@pytest.mark.parametrize(
    ("value", "checker", "expected"),
    [
        ("", "", (0.025, 0.0, 1.0)),
        ("DoubleValue(1e-3)", "MakeDoubleChecker<double>(0, 1'000)", (1e-3, 0.0, 1000.0)),
        ("ns3::UintegerValue(7)", "ns3::MakeUintegerChecker<uint16_t>()", (7, 0, 65535)),
        ("ns3::UintegerValue(7)", "ns3::MakeUintegerChecker<uint32_t>(2)", (7, 2, 2**32 - 1)),
        ("ns3::IntegerValue(-7)", "ns3::MakeIntegerChecker<int>(-9, 9)", (-7, -9, 9)),
        ("ns3::BooleanValue(true)", "ns3::MakeBooleanChecker()", (True, None, None)),
    ],
)
def test_default_and_range_follow_from_the_attribute(value, checker, expected, tmp_path):
    name, algorithm = catalogue.declared(mine(tmp_path, value=value, checker=checker))
    gain = algorithm.parameters["gain_s"]
    assert (name, gain.attribute, gain.meaning) == ("mine", "Gain", 'a "gain", or two')
    assert (gain.default, gain.minimum, gain.maximum) == expected
    assert type(gain.default) is type(expected[0])


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ("Number(&TcpMine::m_gain, 1e-3, 0.0, 1'000.0)", (1e-3, 0.0, 1000.0)),
        ("Number(&TcpMine::m_gain, 7u, 2u, 4294967295u)", (7, 2, 2**32 - 1)),
        (
            "Number(&TcpMine::m_gain, ns3::MilliSeconds(25), ns3::Time(0), ns3::Seconds(1))",
            (0.025, 0.0, 1.0),
        ),
        ("Switch(&TcpMine::m_gain, true)", (True, None, None)),
    ],
)
def test_default_and_range_follow_from_the_short_form_too(literals, expected, tmp_path):
    """That of attributes.h."""
    header = tmp_path / "mine.h"
    attribute = f'TypeId("longfat::TcpMine").AddAttribute("Gain", "a gain", {literals});'
    before = MINE.partition("TypeId(")[0].format(entry='parameters.gain_s = {attribute = "Gain"}')
    header.write_text(before + attribute)
    gain = catalogue.declared(header)[1].parameters["gain_s"]
    assert (gain.attribute, gain.meaning) == ("Gain", "a gain")
    assert (gain.default, gain.minimum, gain.maximum) == expected
    assert type(gain.default) is type(expected[0])


@pytest.mark.parametrize(
    ("literals", "reason"),
    [
        ("Number(&TcpMine::m_gain, LEAST, 0.0, 1.0)", "could not convert string to float: 'LEAST'"),
        ("Number(&TcpMine::m_gain, 7u, 8u, 9u)", "its default 7 is not a whole number from 8 to 9"),
        ("Number(&TcpMine::m_gain, 7u, 2u)", "minimum or maximum is missing"),
    ],
)
def test_a_short_form_that_cannot_be_read_is_refused(literals, reason, tmp_path):
    header = tmp_path / "mine.h"
    attribute = f'TypeId("longfat::TcpMine").AddAttribute("Gain", "a gain", {literals});'
    before = MINE.partition("TypeId(")[0].format(entry='parameters.gain_s = {attribute = "Gain"}')
    header.write_text(before + attribute)
    with pytest.raises(InputError) as caught:
        catalogue.declared(header)
    assert reason in str(caught.value)


def test_a_header_without_an_entry_is_none():
    assert catalogue.declared(catalogue.FOLDER / "signals.h") is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"entry": 'titel = "x"'}, "titel: there is no such field"),
        ({"entry": "title = 3"}, "Cannot overwrite a value"),
        ({"entry": "caps_window = 3"}, "caps_window: 3 should be a valid boolean"),
        ({"entry": 'traces = ["speed"]'}, "traces.0: 'speed' should be"),
        ({"entry": 'x = "y'}, "Illegal character"),
        ({"entry": "parameters = 3"}, "parameters must be a table, not 3"),
        ({"entry": "parameters.gain_s = 3"}, "parameters.gain_s: it must be a table, not 3"),
        (
            {"entry": 'parameters.gain_s = {attribute = "Gian"}'},
            "parameters.gain_s: default: this field is missing",
        ),
        (
            {"entry": 'parameters.gain_s = {attribute = "Gain", unit = "s"}'},
            "parameters.gain_s: unit: there is no such field",
        ),
        (
            {"entry": 'parameters.gain_s = {attribute = "Gain", below = "x"}'},
            "gain_s is to be below 'x'",
        ),
        ({"value": "ns3::TimeValue(LONGEST)"}, "parameters.gain_s: 'LONGEST' is no literal"),
        ({"value": "ns3::DoubleValue(2)"}, "its default 2.0 is not from 0 to 1 s"),
        ({"checker": "ns3::MakeTimeChecker(ns3::Time(0))"}, "minimum or maximum is missing"),
    ],
)
def test_an_entry_that_cannot_be_read_is_left_out_alone(changes, reason, tmp_path):
    header = mine(tmp_path, **changes)
    with pytest.raises(InputError) as caught:
        catalogue.declared(header)
    assert str(caught.value).startswith("mine.h: its catalogue entry cannot be read: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    for path in catalogue.FOLDER.glob("*.*[lh]"):
        shutil.copy(path, tmp_path)
    found, refused = catalogue.read(tmp_path)
    assert refused == {"mine": str(caught.value)}
    assert found == catalogue.algorithms()


def test_who_asks_for_what_was_left_out_hears_why(monkeypatch):
    monkeypatch.setattr(catalogue, "_read_once", lambda: ({}, {"mine": "mine.h: no title"}))
    with pytest.raises(InputError, match=r"flows.0.congestion_control: mine.h: no title"):
        scenario("mine", {})


def test_a_name_or_a_class_that_is_not_its_own_is_refused(tmp_path):
    mine(tmp_path, entry='name = "cdg"')
    shutil.copy(catalogue.FOLDER / "ns3.toml", tmp_path)
    found, refused = catalogue.read(tmp_path)
    assert found["cdg"].header == "mine.h"
    assert refused == {"cdg": "ns3.toml: 'cdg' is there twice"}
    header = mine(tmp_path)
    header.write_text(header.read_text().replace('TypeId("longfat::TcpMine")', ""))
    with pytest.raises(InputError, match="it has no class 'longfat::TcpMine'"):
        catalogue.declared(header)


# --- against ns-3


@pytest.fixture(scope="module")
def ns3(with_ns3):
    """ns-3 with every header loaded."""
    from longfat.engines.ns3 import bindings

    bindings.load()
    import cppyy

    return cppyy.gbl.ns3


@pytest.mark.slow
def test_ns3_has_the_same_default_range_and_help(ns3):
    wrong = [
        f"{name}: {parameter.name}"
        for name, parameter in PARAMETERS
        if not _ns3_agrees(ns3, catalogue.find(name), parameter)
    ]
    assert not wrong


def _ns3_agrees(ns3, algorithm: catalogue.Algorithm, parameter: catalogue.Parameter) -> bool:
    known = ns3.TypeId.AttributeInformation()
    tid = ns3.TypeId.LookupByName(algorithm.type_id)
    if not tid.LookupAttributeByName(parameter.attribute, known):
        return False

    def takes(value) -> bool:
        return bool(known.checker.CreateValidValue(ns3.StringValue(parameter.ns3_text(value))))

    inside, outside = [parameter.minimum, parameter.maximum], []
    if isinstance(parameter.default, bool):
        inside = [True, False]
    elif algorithm.header:  # ns-3's own classes allow more than makes sense
        step = 1e-9 if parameter.unit == "s" else 1 if isinstance(parameter.default, int) else None
        for end, direction in zip(inside, (-1, 1), strict=True):
            outside.append(
                end + direction * step if step else math.nextafter(end, direction * math.inf)
            )
    return (
        _same(str(known.initialValue.SerializeToString(known.checker)), parameter)
        and all(map(takes, inside))
        and not any(map(takes, outside))
        and (not algorithm.header or str(known.help) == parameter.meaning)
    )


def _same(text: str, parameter: catalogue.Parameter) -> bool:
    """Whether ns-3's text is the parameter's default."""
    if isinstance(parameter.default, bool):
        return text == parameter.ns3_text(parameter.default)
    number = float(text.removeprefix("+").removesuffix("ns"))
    return number == pytest.approx(parameter.default * (1e9 if text.endswith("ns") else 1))


@pytest.mark.slow
def test_all_ranges_can_be_run(ns3):
    """At both ends of every range a flow runs to its end: with a header of ours on the engine
    segment, with a class of ns-3's on ns3."""
    from longfat import simulate

    for name, parameter in PARAMETERS:
        for value in (parameter.minimum, parameter.maximum):
            values = beside(name, parameter, value) if value is not None else {}
            if any(values[n] >= values[p.below] for n, p in _ordered(name) if n in values):
                continue
            one = scenario(name, values, duration_s=5)
            one = one.with_(
                links=[link.model_copy(update={"loss_per_packet": 0.003}) for link in one.links]
            )
            result = simulate(one, engine="segment" if catalogue.find(name).header else "ns3")
            assert result.flows["delivered_bytes"][0] > 0, json.dumps([name, values])
