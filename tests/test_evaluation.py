"""A sender's report card: criteria whose answers are known, and what is refused."""

import html
import json
import time
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from longfat import InputError, Scenario, paths
from longfat.book import chapters, report_card, verdicts
from longfat.book.chapters import evaluate
from longfat.cc import catalogue
from longfat.cli import main
from longfat.engines.segment import wasm
from longfat.studies import evaluation, evaluation_claims


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


@pytest.mark.medium
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


@pytest.mark.medium
def test_what_gives_way_leaves_its_neighbour_more_and_what_answers_delay_keeps_queues_short():
    """LEDBAT's target is longer than short buffers: there it is any other sender (RFC 6817)."""
    table = evaluation.evaluate("ledbat", among=("beside newreno",), seeds=4).set_index("path")
    assert table.loc["four times the path", "low"] > 1.5
    table = evaluation.evaluate("vegas", among=("bufferbloat",), seeds=4).set_index("path")
    assert table.loc["four times the path", "verdict"] == "better"


@pytest.mark.slow
def test_what_the_page_says_of_receivers_that_conceal_losses():
    """From the league: who leaves a neighbour more answers delay, and BBR leaves it least."""
    found = chapters.find("evaluate").runs.derived(evaluate.cards)
    found = found[found["criterion"] == "concealed losses"].groupby("verdict")["id"].agg(set)
    answer_delay = {"card", "cdg", "cdg-linux", "dual", "hd", "hd-freebsd", "lp", "pert", "vegas"}
    assert found["better"] and found["better"] <= answer_delay
    assert {"bbr", "bbr3"} <= found["worse"]
    assert "newreno" in found["open"]


@pytest.mark.slow
def test_what_the_page_says_of_receivers_whose_acks_lie():
    found = chapters.find("evaluate").runs.derived(evaluate.cards)
    divided = found[found["criterion"] == "divided ACKs"].set_index("id")
    assert set(divided["sender"].nsmallest(2).index) == {"tcpj", "westwood"}
    assert (
        divided.loc["reno", "verdict"] == "better" and divided.loc["newreno", "verdict"] == "worse"
    )
    runs = chapters.find("evaluate").runs.points(evaluation.LEAGUE)
    goodput = runs.groupby(["criterion", "path", "sender"])["goodput"].mean()
    for sender in ("bbr", "bbr3"):
        lied = goodput["optimistic ACKs", "once the path", sender]
        assert lied < 0.6 * goodput["beside newreno", "once the path", sender]


def test_each_sentence_on_known_senders_has_a_verdict_from_runs():
    judged = verdicts.of_chapter("evaluate").set_index("id")
    assert set(judged.index) == set(evaluation_claims.claims()["id"])
    assert (judged["verdict"] != "not yet measured").all()
    assert judged["evidence"].map(len).min() > 0
    assert judged.loc["evaluate-bbr-loss", "verdict"] == "reproduced"
    assert judged.loc["evaluate-ledbat-yields", "verdict"] == "depends on buffer"


@pytest.mark.medium
def test_evidence_is_of_the_sender_that_the_sentence_names():
    """By hand, from runs made here: what BBR loses more than NewReno, and how full one flow is."""
    runs = chapters.find("evaluate").runs
    found = evaluation_claims.evidence(runs).set_index(["claim", "parameter", "at"])
    point = {"rate_mbps": 20.0, "rtt_ms": 50.0, "flows": 4, "division": 1, "beside": ""}
    lost = [
        [
            evaluation_claims.measured(
                evaluation.simulate(
                    evaluation_claims.scenario(sender, buffer=0.5, seed=seed, **point)
                )
            )["sent_again"]
            for seed in range(1, 9)
        ]
        for sender in ("bbr", "newreno")
    ]
    [row] = found.loc[[("evaluate-bbr-loss", "", "0.5 times the path")]].to_dict("records")
    assert row["measured"] == pytest.approx(np.mean(lost[0]) - np.mean(lost[1]))
    assert found.loc["evaluate-fill-cubic"]["measured"].between(0.95, 1).all()


@pytest.mark.slow
def test_the_cards_have_what_the_league_counts():
    chapter = chapters.find("evaluate")
    league, cards = (chapter.data(chapter.shown[f"evaluate-{one}"]) for one in ("league", "cards"))
    counts = cards.groupby(["sender", "verdict"]).size()
    for row in league.to_dict("records"):
        for verdict in evaluate.VERDICTS:
            assert counts.get((row["sender"], verdict), 0) == row[verdict]
    one = cards[(cards["sender"] == "BBR") & (cards["criterion"] == "high loss")]
    assert one["verdict"].tolist() == ["worse"]
    assert one["beside CUBIC"].item().endswith("]")


def test_short_flows_by_the_hundred_are_there():
    one = evaluation.scenario("short flows of others", "a hundred beside one", "bbr", 1)
    short = [flow for flow in one.flows if flow.bytes]
    assert len(short) == 100
    assert {flow.congestion_control.name for flow in short} == {"cubic"}
    assert 3 <= min(flow.start_s for flow in short) < max(flow.start_s for flow in short) < 28


@pytest.mark.parametrize(
    ("criterion", "field", "own", "usual"),
    [
        ("concealed losses", "conceals_losses", True, False),
        ("divided ACKs", "ack_division", evaluation.DIVISION, 1),
        ("optimistic ACKs", "optimistic_ack_segments", evaluation.AHEAD, 0),
    ],
)
def test_only_the_flow_that_is_judged_has_a_receiver_that_misbehaves(criterion, field, own, usual):
    one = evaluation.scenario(criterion, "once the path", "bbr", 1)
    assert [getattr(flow, field) for flow in one.flows] == [own, usual]


@pytest.mark.medium
def test_who_counts_acks_is_worse_than_cubic_when_they_are_divided():
    """And leaves its neighbour less than where they are not; Linux's Reno counts segments."""
    table = evaluation.evaluate("newreno", among=("divided ACKs", "beside newreno"), seeds=6)
    fooled = table.set_index(["criterion", "path"])
    assert fooled.loc[("divided ACKs", "once the path"), "verdict"] == "worse"
    honest = fooled.loc[("beside newreno", "once the path"), "sender"]
    assert fooled.loc[("divided ACKs", "once the path"), "sender"] < 0.7 * honest
    table = evaluation.evaluate("reno", among=("divided ACKs", "beside newreno"), seeds=6)
    counts = table.set_index(["criterion", "path"])["sender"]
    ratio = counts["divided ACKs", "once the path"] / counts["beside newreno", "once the path"]
    assert ratio == pytest.approx(1, abs=0.15)


def test_of_a_call_what_comes_too_late_counts_and_what_is_lost():
    one = evaluation.scenario("real-time neighbours", "four times the path", "newreno", 1)
    assert [stream.deadline_s for stream in one.media_streams] == [pytest.approx(0.105)]
    assert one.links[0].delay_s + 0.02 + one.media_streams[0].deadline_s == pytest.approx(0.15)
    result = evaluation.simulate(one)
    [call] = result.media_stream_rows()
    missed = call["packets_late"] + call["packets_lost"]
    assert call["packets_late"] > call["packets_lost"] > 0
    assert evaluation.measured(result)["missed"] == pytest.approx(
        100 * missed / call["packets_due"], rel=1e-4
    )
    [alone] = evaluation.simulate(one.replace(flows=())).media_stream_rows()
    assert alone["packets_late"] == alone["packets_lost"] == 0


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
    links = page.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == len(chosen.split(","))
    query = parse_qs(urlparse(links[0]).fragment)
    ran = Scenario.from_json(query["scenario"][0])
    again = evaluation.scenario("high loss", "a fifth of the path, four flows", "bbr", 1)
    assert ran == again.replace(record=None)
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


# --- a header of one's own, by its path

TEMPLATE = Path(report_card.__file__).parent / "templates" / "congestion-control.h"


def own_header(folder: Path, growth: str = "now.cwnd += m_increase / now.cwnd;") -> Path:
    """The template, some 60 lines of code, with another growth and a name of its own."""
    text = TEMPLATE.read_text("utf-8").replace("my-experiment", "mine")
    assert "now.cwnd += m_increase / now.cwnd;" in text
    header = folder / "my.h"
    header.write_text(text.replace("now.cwnd += m_increase / now.cwnd;", growth), encoding="utf-8")
    return header


@pytest.mark.medium
def test_a_header_is_a_sender_by_its_path(tmp_path):
    """Only its name differs from NewReno: every pair of runs is one of equals."""
    command = ["evaluate", str(own_header(tmp_path)), "--against", "newreno", "--seeds", "2"]
    done = CliRunner().invoke(main, [*command, "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output)
    assert {row["criterion"] for row in rows} == {one.name for one in evaluation.criteria()}
    assert {row["verdict"] for row in rows} == {"equal"}
    assert all(row["sender"] == row["standard"] for row in rows)


def test_a_header_that_is_changed_is_another_sender(tmp_path):
    own_header(tmp_path, "now.cwnd += 8 * m_increase / now.cwnd;")
    table = evaluation.evaluate(str(tmp_path / "my.h"), ("newreno",), ("wireless paths",), 4)
    assert table.set_index("path").loc["one in a thousand lost", "low"] > 1.2


@pytest.mark.medium
@pytest.mark.parametrize(
    ("growth", "status", "said"),
    [
        ("now.cwnd += nothing;", 2, ":21: error: "),
        ("while (ack.now > 0) { now.cwnd += 1; }", 1, "took longer than its limit of 2 s"),
        ("now.cwnd = 0.0 / (now.cwnd - now.cwnd);", 1, "not a number above 0"),
        ("now.cwnd = 0;", 1, "not a number above 0"),
    ],
    ids=["compile", "loops", "NaN", "nothing"],
)
def test_a_header_that_does_not_work_gets_a_sentence(tmp_path, growth, status, said):
    header = own_header(tmp_path, growth)
    begins = time.monotonic()
    done = CliRunner().invoke(main, ["evaluate", str(header), "--quick", "--time-limit", "2"])
    assert time.monotonic() - begins < 60
    assert done.exit_code == status
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_card_of_a_header_comes_with_a_laboratory_that_has_it(tmp_path, page_of):
    """Its link runs the deciding path, all from files, to Python's digits, without a word in the
    browser's console."""
    header = own_header(tmp_path, "now.cwnd += 0.5 * m_increase / now.cwnd;")
    card = tmp_path / "card.html"
    command = ["evaluate", str(header), "--criteria", "outages", "--seeds", "2"]
    done = CliRunner().invoke(main, [*command, "--html", str(card)])
    assert done.exit_code == 0, done.output
    assert f"{card} with {tmp_path / 'card-laboratory.html'}" in done.output
    page = page_of(card)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.get_by_role("link", name="Run it in the Laboratory").click()
    panel = page.locator(".longfat-laboratory")
    answer = panel.evaluate(
        """async (panel) => {
            const result = new Promise(resolve => panel.addEventListener(
                "longfat-result", event => resolve(event.detail.answer), { once: true }))
            await panel.simulate({})
            return await result
        }"""
    )
    here = evaluation.simulate(evaluation.scenario("outages", "2 s", "mine", 1))
    [flow] = here.flow_rows()
    for count in ("delivered_bytes", "segments_sent", "retransmissions", "timeouts"):
        assert answer["flows"][0][count] == flow[count]
    assert not said


def test_without_that_compiler_a_card_of_a_header_has_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(wasm, "zig_here", str)
    card, sender = tmp_path / "card.html", str(own_header(tmp_path))
    command = ["evaluate", sender, "--criteria", "outages", "--seeds", "2", "--html", str(card)]
    assert CliRunner().invoke(main, command).exit_code == 0
    text = html.unescape(card.read_text("utf-8"))
    assert "longfat simulate scenario.json --header my.h" in text
    ran = Scenario.from_json(text.partition("<pre>")[2].partition("</pre>")[0])
    assert ran == evaluation.scenario("outages", "2 s", "mine", 1)


def test_the_site_is_the_books():
    config = yaml.safe_load((paths.DATA.parent / "book" / "_config.yml").read_text("utf-8"))
    assert config["html"]["baseurl"] == report_card.SITE


def test_a_header_cannot_take_anothers_name_and_must_be_there(tmp_path):
    header = own_header(tmp_path)
    header.write_text(header.read_text("utf-8").replace('"mine"', '"hybla"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"my\.h: 'hybla', the name in its entry, is another's"):
        catalogue.named(str(header))
    with pytest.raises(InputError, match=r"none\.h cannot be read"):
        catalogue.named(str(tmp_path / "none.h"))
    assert catalogue.named(str(catalogue.FOLDER / "hybla.h")) == "hybla"


def test_a_scenario_runs_with_a_header_of_ones_own(tmp_path):
    header = own_header(tmp_path)
    catalogue.named(str(header))
    path = tmp_path / "scenario.json"
    path.write_text(evaluation.scenario("wired paths", "100 Mb/s, 40 ms", "mine", 1).to_json())
    done = CliRunner().invoke(main, ["simulate", str(path), "--header", str(header)])
    assert done.exit_code == 0, done.output
    assert "own 1" in done.output


def test_a_card_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        report_card.write(
            evaluation.evaluate("reno", among=("outages",), seeds=2), "reno", tmp_path
        )
