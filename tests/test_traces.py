"""Traces in and out: what is read is what was written, and what is no trace has a line."""

import itertools
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError, Link, cli, simulate, topologies, traces
from longfat.links import mahimahi

ENDS = {"source": "a", "target": "b", "queue_packets": 100}
HEAD = "time_s,rate_bps,delay_s,loss_per_packet\n"


@pytest.fixture
def sky():
    """Return the way down of a path through low orbits, with outages and steps of the delay."""
    return topologies.leo("Tokyo", "Lisbon", choice="random", duration_s=60).links[2]


def test_a_table_that_is_read_and_written_is_the_same(tmp_path):
    text = (
        HEAD + "0.0,1000000.0,0.02,0.0\n1.5,,0.03,\n2.0,500000.0,,1.0\n2.25,,,0.01\n3.0,,0.02,0.0\n"
    )
    (tmp_path / "in.csv").write_text(text)
    link = Link(**ENDS, **traces.read_csv(tmp_path / "in.csv"))
    assert [(outage.start_s, outage.duration_s) for outage in link.outages] == [(2.0, 0.25)]
    traces.write_csv(link, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


def test_a_path_through_space_comes_back_from_a_table(tmp_path, sky):
    traces.write_csv(sky, tmp_path / "sky.csv")
    assert sky.outages
    again = sky.model_dump() | traces.read_csv(tmp_path / "sky.csv")
    assert Link(**again) == sky


def test_traces_of_mahimahi_and_leoreplayer_come_back(tmp_path):
    rates, delays = tmp_path / "bw", tmp_path / "delay"
    rates.write_text("1\n5\n5\n12\n")
    delays.write_text("22\n22\n31\n20\n20\n")
    link = Link(**ENDS, **traces.read_leoreplayer(rates, delays))
    assert (link.delay_s, link.delivery_ms) == (0.022, (1, 5, 5, 12))
    assert [(c.at_s, c.delay_s) for c in link.changes] == [(0.02, 0.031), (0.03, 0.02)]
    traces.write_leoreplayer(link, tmp_path / "bw2", tmp_path / "delay2", 0.05)
    assert (tmp_path / "bw2").read_text() == rates.read_text()
    assert (tmp_path / "delay2").read_text() == delays.read_text()


def test_a_rate_becomes_opportunities(tmp_path):
    link = Link(**ENDS, rate_bps=12e6, delay_s=0, changes=[{"at_s": 0.003, "rate_bps": 6e6}])
    traces.write_mahimahi(link, tmp_path / "bw", 0.008)
    assert (tmp_path / "bw").read_text().split() == ["1", "2", "3", "5", "7"]
    assert mahimahi(tmp_path / "bw")["rate_bps"] == pytest.approx(12e3 * 5 / 0.007)


def test_delays_are_rounded_to_what_the_form_has(tmp_path, sky):
    traces.write_leoreplayer(sky, tmp_path / "bw", tmp_path / "delay", 60)
    read = traces.read_leoreplayer(tmp_path / "bw", tmp_path / "delay")
    assert read["rate_bps"] == pytest.approx(sky.rate_bps, rel=1e-3)
    told = dict([(0.0, read["delay_s"]), *((c.at_s, c.delay_s) for c in read["changes"])])
    steps = [(0.0, sky.delay_s), *((c.at_s, c.delay_s) for c in sky.changes)]
    for at_s, delay_s in told.items():
        exact = next(d for (_, d), (end, _) in itertools.pairwise([*steps, (99, 0)]) if end > at_s)
        assert abs(delay_s - exact) <= 0.0005


def test_a_flow_over_a_trace_hears_its_delays(tmp_path):
    (tmp_path / "bw").write_text("".join(f"{ms}\n" for ms in range(1, 2001)))
    (tmp_path / "delay").write_text("20\n" * 100 + "40\n" * 100)
    there = Link(**ENDS, **traces.read_leoreplayer(tmp_path / "bw", tmp_path / "delay"))
    back = Link(source="b", target="a", queue_packets=100, rate_bps=12e6, delay_s=0.02)
    scenario = topologies.reference(congestion_control="vegas", duration_s=2).replace(
        links=[there, back],
        flows=[{"source": "a", "target": "b", "congestion_control": "vegas"}],
        record={"series": ["rtt_s"], "points": 2000},
    )
    rtts = simulate(scenario).traces["rtt_s"]
    first, second = (rtts[rtts["time_s"].between(a, a + 0.8)]["rtt_s"].min() for a in (0, 1.2))
    assert first == pytest.approx(0.04, abs=0.003)
    assert second == pytest.approx(0.06, abs=0.003)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("0,1e6,0.1,0\n2,,0.2,\n1,,0.1,\n", "line 4: time_s goes back: 1 stands after 2"),
        ("0,1e6,-0.1,0\n", "line 2: delay_s is '-0.1': it must be a number from 0"),
        ("0,1e6,0.1,0\n1,fast,,\n", "line 3: rate_bps is 'fast'"),
        ("0,1e6,0.1,0\n1,,nan,\n", "line 3: delay_s is 'nan'"),
        ("0,1e6,,0\n", "line 2: the first row must be full, and of time 0"),
        ("0,1e6,0.1,0\n,,0.2,\n", "line 3: time_s is missing"),
        ("0,1e6,0.1,0\n1,2\n", "line 3: a row has 4 columns"),
        ("", "has no row"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path, rows, words):
    (tmp_path / "t.csv").write_text(HEAD + rows)
    with pytest.raises(InputError, match=words):
        traces.read_csv(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "words"), [("3\n-2\n", "line 2: '-2' is no whole number of ms"), ("", "one delay")]
)
def test_what_is_no_trace_of_delays_is_refused_with_its_line(tmp_path, text, words):
    (tmp_path / "bw").write_text("1\n")
    (tmp_path / "delay").write_text(text)
    with pytest.raises(InputError, match=words):
        traces.read_leoreplayer(tmp_path / "bw", tmp_path / "delay")


def test_a_rate_trace_that_goes_back_is_refused_with_its_line(tmp_path):
    (tmp_path / "bw").write_text("1\n5\n3\n")
    with pytest.raises(
        InputError, match="line 3: the trace goes back in time: 3 ms stands after 5"
    ):
        mahimahi(tmp_path / "bw")


def test_what_a_table_has_no_column_for_is_refused(tmp_path):
    link = Link(**ENDS, rate_bps=12e6, delay_s=0, delivery_ms=(1,))
    with pytest.raises(InputError, match="delivery_ms: a table has no column for it"):
        traces.write_csv(link, tmp_path / "t.csv")


def test_one_command_makes_a_scenario_that_runs_and_another_its_traces(tmp_path):
    def run(*arguments):
        return CliRunner().invoke(cli.main, [str(one) for one in arguments])

    file = tmp_path / "leo.json"
    made = run("leo", "Tokyo", "38.7,-9.1", "--links", "+grid", "--duration", 5, "--output", file)
    assert made.exit_code == 0, made.output
    ran = run("simulate", file)
    assert ran.exit_code == 0, ran.output
    assert "sender" in ran.output
    moving = json.loads(file.read_text())
    (tmp_path / "two.json").write_text(json.dumps([moving, moving | {"seed": 2}]))
    swept = run("sweep", tmp_path / "two.json", "--output", tmp_path / "rows.csv")
    assert swept.exit_code == 0, swept.output
    first, second = pd.read_csv(tmp_path / "rows.csv")["delivered_bytes"]
    assert first > 0 and second > 0
    assert f"{first}" in ran.output.replace(",", "")
    table = tmp_path / "down.csv"
    assert run("trace", file, "gateway", "user", "--output", table).exit_code == 0
    link = topologies.leo("Tokyo", (38.7, -9.1), links="+grid", duration_s=5).links[2]
    assert Link(**(link.model_dump() | traces.read_csv(table))) == link
    to = ["--to", "leoreplayer", "--output", tmp_path / "down"]
    assert run("trace", file, "gateway", "user", *to).exit_code == 0
    assert len((tmp_path / "down.delay").read_text().splitlines()) == 500
    wrong = run("trace", file, "user", "server", "--output", table)
    assert wrong.exit_code == 2
    assert "no link from 'user' to 'server'" in wrong.output
    nowhere = run("leo", "Tokio", "Lisbon")
    assert nowhere.exit_code == 2
    assert "Did you mean 'Tokyo'?" in nowhere.output
