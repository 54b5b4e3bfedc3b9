"""data/faults.csv: what ns-3 3.44 does otherwise than it should, by name."""

import csv
import re

import pytest

from longfat.cc import catalogue
from longfat.paths import DATA

EXAMPLES = DATA.parent / "examples" / "ns3"
COLUMNS = ["name", "of", "does", "should", "source", "upstream", "mended_in", "shown_by"]


def read() -> list[dict[str, str]]:
    with open(DATA / "faults.csv", newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


FAULTS = read()


def test_names_are_unique():
    names = [fault["name"] for fault in FAULTS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["name"])
def test_a_line_says_what_where_and_why(fault):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fault["name"])
    assert fault["of"] in {"recovery", "socket", *catalogue.algorithms()}
    for column in ("does", "should"):
        assert fault[column].endswith("."), column
    assert fault["source"]
    assert re.fullmatch(r"!?\d+|not reported", fault["upstream"])
    assert re.fullmatch(r"|3\.\d+|development( \(.*\))?", fault["mended_in"])
    assert not (fault["mended_in"] and fault["upstream"] == "not reported")


def test_each_program_that_shows_a_fault_is_there_and_is_named():
    shown = {fault["shown_by"] for fault in FAULTS} - {""}
    assert shown == {path.name for path in EXAMPLES.glob("*.cc")} - {"adapter.cc"}


def test_no_program_is_longer_than_a_report():
    for fault in FAULTS:
        if fault["shown_by"]:
            lines = (EXAMPLES / fault["shown_by"]).read_text().splitlines()
            assert len(lines) <= 60, fault["shown_by"]
            assert lines[0] == "// SPDX-License-Identifier: GPL-2.0-only"
            assert max(map(len, lines)) <= 100, fault["shown_by"]
