"""The search for paths on which a sender fails: what it finds, and that it finds the same again."""

import json
import math

import pytest
from click.testing import CliRunner

from longfat import InputError, Scenario, simulate
from longfat.book import chapters
from longfat.book.chapters import attack as chapter_module
from longfat.cc import catalogue
from longfat.cli import main
from longfat.studies import attack

SMALL = 2 * attack.POPULATION


def has(**values: float) -> dict[str, float]:
    """What a run of nothing remarkable has, but for these."""
    return {"share": 0.9, "neighbour": 0.9, "silence_s": 0.2, "rtt_s": 0.1} | values


@pytest.mark.parametrize(
    ("promise", "own", "standard", "is_broken"),
    [
        ("goodput", has(share=0.44), has(), True),
        ("goodput", has(share=0.46), has(), False),
        ("goodput", has(share=0.0), has(share=0.2), False),  # NewReno fails as well
        ("neighbour", has(neighbour=0.08), has(), True),
        ("neighbour", has(neighbour=0.1), has(), False),
        ("neighbour", has(neighbour=math.nan), has(neighbour=math.nan), False),
        ("progress", has(silence_s=11), has(), True),
        ("progress", has(silence_s=11), has(silence_s=6), False),
        ("delay", has(rtt_s=1.1), has(), True),
        ("delay", has(rtt_s=1.1), has(rtt_s=0.3), False),
        ("delay", has(rtt_s=0.9), has(), False),
    ],
)
def test_a_promise_is_broken_where_newreno_keeps_it(promise, own, standard, is_broken):
    assert (attack.promise(promise).margin(own, standard) < 0) == is_broken


def test_what_is_found_is_made_plain():
    """Only the loss matters here, and above 1 %; digits that do not are gone."""
    path = attack.PLAIN | {"rate": 33.3, "loss": 1.234, "flows": 4.0, "head_start": -3.21}
    made = attack.shrunk(path, attack.NUMBERS, lambda one: one["loss"] > 1 and one["flows"] > 1)
    assert made == attack.PLAIN | {"loss": 1.2, "flows": 2.0}


def test_a_plain_path_is_plain_and_a_seed_changes_losses_and_starts_alone():
    one, other = (attack.scenario("bbr", seed, loss=1, neighbours=2) for seed in (1, 2))
    assert one.links == other.links
    assert [flow.start_s for flow in one.flows] != [flow.start_s for flow in other.flows]
    assert one.flows[1].congestion_control.name == "newreno"
    alike = attack.scenario("bbr", 1, neighbours=1, alike=1)
    assert alike.flows[1].congestion_control.name == "bbr"


@pytest.mark.slow
def test_vegas_and_rerouting_is_found_from_nothing_and_found_again():
    """A path that has become longer looks like a queue that never goes (La et al. 1999)."""
    asked = "vegas", ("goodput",), {"neighbours": 0, "per_ack": 1}, SMALL
    found = attack.attack(*asked)
    assert found and found.holds >= attack.MUST_HOLD
    assert set(found.numbers) == {"delay_change"}
    assert found.numbers["delay_change"] > 1
    assert "less than half of NewReno's goodput" in found.sentence
    attack.run_of.cache_clear()
    assert repr(attack.attack(*asked)) == repr(found)  # also what is not a number


@pytest.mark.medium
def test_newreno_breaks_no_promise_that_newreno_keeps():
    assert attack.attack("newreno", budget=SMALL) is None


@pytest.mark.slow
def test_the_file_that_is_written_is_what_was_found(tmp_path):
    """The command's scenario gives the digits of the finding; its sentence and numbers are said."""
    path = tmp_path / "found.json"
    command = ["attack", "bbr", "--promises", "neighbour", "--budget", str(SMALL)]
    done = CliRunner().invoke(main, [*command, "--output", str(path), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert len(found["numbers"]) < 10
    result = simulate(Scenario.from_file(path))
    assert attack.measured(result) == found["own"]
    assert "NaN" not in done.output
    done = CliRunner().invoke(main, [*command, "--output", str(path)])
    assert found["sentence"] in done.output and str(path) in done.output
    for name, value in found["numbers"].items():
        assert f"{name} {value:g}" in done.output


@pytest.mark.slow
def test_a_header_of_ones_own_is_attacked(tmp_path):
    """One that never lets the window grow above a segment has less than half anywhere."""
    template = catalogue.FOLDER.parent / "book" / "templates" / "congestion-control.h"
    text = template.read_text("utf-8").replace("my-experiment", "mine")
    for growth in ("now.cwnd += m_increase / now.cwnd;", "return m_slow_start.on_ack(ack, now);"):
        assert growth in text
        text = text.replace(growth, "now.cwnd = 1; return now;")
    header = tmp_path / "my.h"
    header.write_text(text, encoding="utf-8")
    found = attack.attack(str(header), ("goodput",), budget=SMALL)
    assert found and found.sender == "mine" and found.numbers == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hybia"], "unknown congestion control 'hybia'"),
        (["hybla", "--promises", "godput"], "no promise 'godput'"),
        (["hybla", "--hold", "bufer=1"], "no number 'bufer' of a path"),
        (["hybla", "--hold", "buffer=100"], "buffer is '100': it must be a number from 0.05 to 4"),
        (["hybla", "--hold", "flows=1.5"], "flows is '1.5': it must be a whole number"),
        (["hybla", "--budget", "3"], "budget is 3"),
    ],
)
def test_what_is_refused(arguments, said):
    done = CliRunner().invoke(main, ["attack", *arguments])
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_nothing_found_is_said(tmp_path):
    done = CliRunner().invoke(
        main, ["attack", "newreno", "--budget", str(attack.POPULATION), "--time-limit", "0.001"]
    )
    assert (done.exit_code, done.output.strip()) == (0, "newreno: no failure found.")


def test_at_least_five_known_failures_are_found_and_hold_with_other_seeds():
    """From the archive, as the page has them: eight of ten other seeds at least."""
    shown = chapters.find("attack").shown["attack-known"]
    table = chapters.find("attack").data(shown)
    assert len(table) == len(attack.KNOWN)
    found = table[table["path"] != chapter_module.NOTHING]
    assert len(found) >= 5
    for seeds in found["seeds"]:
        broken, made = map(int, seeds.split(" of "))
        assert made == 1 + attack.OTHER_SEEDS and broken >= 1 + attack.MUST_HOLD


def test_an_unknown_number_of_a_path_is_named():
    with pytest.raises(InputError, match="no number 'los' of a path"):
        attack.scenario("bbr", 1, los=1)


# What is looked for on hundreds of paths, or by a slower engine, takes minutes.
TRIED = attack.findings().set_index("name")["tried"].to_dict()
LONG = {one.name for one in attack.KNOWN if TRIED[one.name] > 200 or one.engine != "segment"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in TRIED]
)
def test_a_known_failure_is_found_from_nothing_to_the_digit(name):
    [one] = [each for each in attack.KNOWN if each.name == name]
    row = attack.findings().set_index("name").loc[name]
    found = attack.attack(
        one.sender, (one.promise,), one.hold, attack.KNOWN_BUDGET, engine=one.engine
    )
    if not row["holds"]:
        assert found is None
        return
    assert found
    assert (found.tried, found.holds) == (row["tried"], row["holds"])
    assert attack.PLAIN | found.numbers == row[list(attack.PLAIN)].to_dict()
