"""A sender's report card: criteria whose answers are known, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError
from longfat.book import report_card
from longfat.cli import main
from longfat.studies import evaluation


def deciding(sender: str, *criteria: str, against: str = "cubic", seeds: int = 4) -> pd.DataFrame:
    table = evaluation.evaluate(sender, (against,), criteria, seeds)
    return table[table["decides"]].set_index("criterion")


def made_up(own: list[float], standard: list[float], criterion: str = "wired paths"):
    """Runs of one criterion as `compared` takes them."""
    [one] = [each for each in evaluation.criteria() if each.name == criterion]
    return pd.concat(
        pd.DataFrame(
            {"criterion": criterion, "path": path, "sender": name, "seed": range(1, 5)}
        ).assign(**{one.column: values})
        for path in one.paths
        for name, values in (("mine", own), ("cubic", standard))
    )


@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        ([9, 10, 11, 10.5], "open"),
        ([10.1, 10, 9.9, 10], "equal"),
        ([12, 13, 12, 12.5], "better"),
        ([7, 8, 7, 7.5], "worse"),
    ],
)
def test_a_verdict_is_of_the_interval(own, verdict):
    [row] = evaluation.compared(made_up(own, [10] * 4), "mine", "cubic").to_dict("records")
    assert row["verdict"] == verdict
    assert row["low"] < np.mean(own) / 10 < row["high"]


def test_less_is_better_where_it_says_so_and_zeros_are_differences():
    runs = made_up([0, 0, 0, 1], [9, 8, 9, 8], "real-time neighbours")
    table = evaluation.compared(runs, "mine", "cubic")
    assert set(table["verdict"]) == {"better"}
    assert not table["is_ratio"].any()
    assert table["change"].iloc[0] == pytest.approx(-8.25)
    assert table["decides"].sum() == 1  # of paths that are alike, the first


def test_the_least_favourable_path_decides():
    runs = made_up([12, 13, 12, 12.5], [10] * 4, "drop-tail queues")
    worst = (runs["path"] == "1 times the path") & (runs["sender"] == "mine")
    runs.loc[worst, "goodput"] = [7, 8, 7, 7.5]
    table = evaluation.compared(runs, "mine", "cubic")
    assert table[table["decides"]]["path"].tolist() == ["1 times the path"]
    assert table[table["decides"]]["verdict"].tolist() == ["worse"]


def test_a_sender_is_equal_to_itself_in_everything():
    table = evaluation.evaluate("newreno", ("newreno",), seeds=2)
    assert set(table["criterion"]) == {one.name for one in evaluation.criteria()}
    assert (table["change"] == table["is_ratio"].astype(float)).all()
    assert set(table["verdict"]) == {"equal"}


def test_each_seed_is_another_path_and_both_senders_have_it():
    one, other = (evaluation.scenario("high delay", "600 ms", "bbr", seed) for seed in (1, 2))
    assert one.links[0].rate_bps != other.links[0].rate_bps
    assert one.links == evaluation.scenario("high delay", "600 ms", "cubic", 1).links


def test_a_path_that_a_sender_cannot_have_is_left_out_for_it():
    table = evaluation.points(["peach", "cubic"], ["managed queues"])
    assert set(table["sender"]) == {"cubic"}
    assert "peach" in set(evaluation.points(["peach"], ["wired paths"])["sender"])


def test_bbrs_first_version_floods_a_short_buffer():
    """RFC 9743, section 5.1.3, says so of several flows of it."""
    row = deciding("bbr", "high loss").loc["high loss"]
    assert row["verdict"] == "worse"
    assert row["sender"] > 5  # per cent of its segments
    assert row["standard"] < 1


def test_what_gives_way_leaves_its_neighbour_more_and_what_answers_delay_keeps_queues_short():
    """LEDBAT's target is longer than short buffers: there it is any other sender (RFC 6817)."""
    table = evaluation.evaluate("ledbat", among=("beside newreno",), seeds=4).set_index("path")
    assert table.loc["four times the path", "low"] > 1.5
    table = evaluation.evaluate("vegas", among=("bufferbloat",), seeds=4).set_index("path")
    assert table.loc["four times the path", "verdict"] == "better"


def test_a_card_is_a_page_that_opens_from_a_file(tmp_path, page_of):
    """Made by the command; the browser finds every criterion, and a picture."""
    path = tmp_path / "card.html"
    chosen = "high loss,wired paths,outages"
    command = ["evaluate", "bbr", "--criteria", chosen, "--seeds", "2", "--html", str(path)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "a fifth of the path, four flows" in done.output
    page = page_of(path)
    assert page.locator("h2").count() == len(chosen.split(",")) + 1
    assert page.locator("svg").bounding_box()["width"] > 200
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.fixture
def page_of(browser):
    opened = []

    def open_one(path: Path):
        opened.append(browser.new_page())
        opened[-1].goto(path.as_uri())
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def test_json_has_every_path():
    done = CliRunner().invoke(
        main, ["evaluate", "reno", "--criteria", "drop-tail queues", "--seeds", "2", "--json"]
    )
    rows = json.loads(done.output)
    assert len(rows) == 4
    assert sum(row["decides"] for row in rows) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hybia"], "unknown congestion control 'hybia'"),
        (["hybla", "--against", "cubik"], "cubik"),
        (["hybla", "--against", ","], "no standard sender is named"),
        (["hybla", "--criteria", "fairnes"], "no criterion 'fairnes'"),
        (["hybla", "--quick", "--seeds", "3"], "give one of the two"),
    ],
)
def test_what_is_refused(arguments, said):
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_a_card_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        report_card.write(
            evaluation.evaluate("reno", among=("outages",), seeds=2), "reno", tmp_path
        )
