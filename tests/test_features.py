"""What only some scenarios need is compiled in for these alone."""

import re
from pathlib import Path

import pytest

from longfat import LossBursts, topologies
from longfat.engines import host
from longfat.engines.segment import native
from longfat.scenario import FEATURES

NATIVE = [*Path(host.__file__).parent.rglob("*.h"), *native.SOURCES]


def test_a_source_without_a_feature_is_without_its_lines():
    source = "a\n#ifdef LONGFAT_ONE\nb\n#endif\nc\n#ifdef LONGFAT_TWO\nd\n#endif\n"
    assert host.as_compiled(source, frozenset()) == "a\nc\n"
    assert host.as_compiled(source, frozenset({"two"})) == "a\nc\nd\n"
    assert host.as_compiled(source, frozenset({"one", "two"})) == "a\nb\nc\nd\n"


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: path.name)
def test_every_feature_of_a_source_is_known_and_closed(path):
    """Otherwise the hash would leave out, or hold, what the compiler does not."""
    text = path.read_text("utf-8")
    named = re.findall(r"^ *# *if(?:def)? .*?\bLONGFAT_(?!CORE_)(\w+)", text, re.MULTILINE)
    assert {name.lower() for name in named} <= FEATURES
    without = host.as_compiled(text, FEATURES)
    assert not re.search(r"^ *# *if(def)? .*LONGFAT_(?!CORE_)", without, re.MULTILINE)
    opened = len(re.findall(r"^ *# *if", without, re.MULTILINE))
    assert opened == len(re.findall(r"^ *# *endif", without, re.MULTILINE))


def test_a_scenario_names_what_it_needs():
    plain = topologies.reference(congestion_control="newreno", duration_s=1)
    burst = LossBursts(loss_per_packet=0.01, mean_packets=4)
    link = plain.links[0].model_copy(update={"loss_bursts": burst})
    helped = plain.with_(links=(link, *plain.links[1:]))
    assert plain.features == frozenset()
    assert helped.features == {"helpers"}
