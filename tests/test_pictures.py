"""Drawings of scenarios and plots of results: what must be in them."""

import itertools
from pathlib import Path

import pytest
from click.testing import CliRunner

from longfat import InputError, Link, Scenario, pictures, simulate, topologies
from longfat.cc import catalogue
from longfat.cli import main
from longfat.style import ENGINE_STYLE, number, powers, quantity, style

pytestmark = pytest.mark.medium

HANDOFF = {"rate_bps": 3e6, "new_rate_bps": 1e6, "cost_s": 0.09, "rtt_s": 0.04}
SERIES = ["delivered_bytes", "cwnd_segments", "ssthresh_segments", "rtt_s", "queue_packets"]
NETWORKS = {
    "satellite": topologies.satellite(loss=1e-4),
    "japan": topologies.japan("highspeed", "standard", relay=True),
    "striped": topologies.japan("standard", "standard", paths=2),
    "radio": topologies.radio("TCP-J", bit_error_rate=1e-6, rate_bps=1.5e6, rtt_s=0.1),
    "shared": topologies.shared_wire("TCP-J", "NewReno", rate_bps=1.5e6, rtt_s=0.1),
    "local": topologies.handoff("TCP-J", "local", **HANDOFF),
    "non-local": topologies.handoff("TCP-J", "non-local", **HANDOFF),
    "wireless": topologies.wireless("ucc", "newreno", "cubic", loss=1e-3),
    "chain": topologies.multi_bottleneck("ucc", loss=1e-3),
    "opposite": topologies.multi_bottleneck("ucc", loss=1e-3, layout="opposite"),
}


def texts(figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_drawing_has_every_node_in_its_place_and_says_what_each_link_is(name):
    scenario = NETWORKS[name]
    figure = pictures.draw(scenario)
    said = texts(figure)
    nodes = {
        text.get_text(): text.get_position()
        for text in figure.axes[0].texts
        if text.get_text().partition("\n")[0] in scenario.nodes
    }
    assert len(nodes) == len(scenario.nodes)
    for one, other in itertools.combinations(nodes.values(), 2):
        assert abs(one[0] - other[0]) + abs(one[1] - other[1]) > 0.9  # inches
    for link in scenario.links:
        rate = quantity(link.rate_bps, "b/s")
        assert any(rate in text for text in said), rate
        if link.loss_per_packet:
            assert any(f"{number(link.loss_per_packet)} lost per packet" in text for text in said)
    for flow in scenario.flows:
        assert any(pictures.flow_text(flow) in text for text in said)


def test_a_drawing_goes_from_left_to_right_and_shows_the_second_way():
    figure = pictures.draw(NETWORKS["non-local"])
    at = {text.get_text(): text.get_position() for text in figure.axes[0].texts}
    assert at["cn"][0] < at["rr1"][0] == at["rr2"][0] < at["ar1"][0] < at["mn"][0]
    assert at["rr1"][1] > at["cn"][1] > at["rr2"][1]
    assert "from 100.09 s on" in at
    assert any("down from 100 s on" in text for text in at)


def test_draw_and_plot_on_the_command_line_write_the_same_file_twice(tmp_path):
    scenario = topologies.reference(congestion_control="newreno", loss=1e-3, duration_s=5)
    file = tmp_path / "scenario.json"
    file.write_text(scenario.to_json())
    made = []
    for number_ in range(2):
        drawing, plot = tmp_path / f"draw{number_}.svg", tmp_path / f"plot{number_}.svg"
        for command in (
            ["draw", str(file), "--output", str(drawing)],
            ["simulate", str(file), "--plot", str(plot)],
        ):
            done = CliRunner().invoke(main, command, catch_exceptions=False)
            assert done.exit_code == 0, done.output
        made.append((drawing.read_bytes(), plot.read_bytes()))
    assert made[0] == made[1]
    assert all(content.lstrip().startswith(b"<?xml") for content in made[0])


@pytest.mark.parametrize("output", ["picture.xyz", "picture", "no such folder/picture.svg"])
def test_a_file_that_cannot_be_written_is_refused_in_a_sentence(tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    scenario = topologies.reference(congestion_control="newreno", duration_s=1)
    Path("scenario.json").write_text(scenario.to_json())
    done = CliRunner().invoke(main, ["draw", "scenario.json", "--output", output])
    assert done.exit_code == 2
    assert done.output.startswith(f"longfat: {output}: ")
    assert done.output.count("\n") == 1


def test_a_plot_has_a_panel_for_each_recorded_series_and_refuses_others():
    record = {"series": SERIES, "points": 2000}
    result = simulate(topologies.satellite(loss=2e-3, duration_s=60, record=record))
    labels = [axes.get_ylabel() for axes in pictures.plot(result).axes]
    assert labels == [
        "goodput (Mb/s)",
        "window (segments)",
        "round trip (ms)",
        "queue (packets)",
    ]
    assert len(pictures.plot(result, "rtt_s").axes) == 1
    with pytest.raises(InputError, match="bandwidth_bps was not recorded"):
        pictures.plot(result, ["bandwidth_bps"])
    silent = simulate(topologies.satellite(loss=2e-3, duration_s=5))
    with pytest.raises(InputError, match="the run has none"):
        pictures.plot(silent)


def test_the_plotted_goodput_is_that_of_the_run():
    record = {"series": ["delivered_bytes"]}
    scenario = topologies.satellite(loss=2e-3, duration_s=60, record=record)
    result = simulate(scenario)
    _, goodput = pictures.goodput(result.traces["delivered_bytes"], 60)
    assert goodput.mean() == pytest.approx(result.flows["goodput_bps"][0], rel=1e-3)


def test_the_phases_of_a_window_are_as_many_as_the_run_counted():
    record = {"series": ["cwnd_segments", "ssthresh_segments"], "points": 20_000}
    result = simulate(
        topologies.reference(congestion_control="newreno", loss=1e-3, duration_s=60, record=record)
    )
    found = pictures.phases(result.traces["cwnd_segments"], result.traces["ssthresh_segments"])
    kinds = [kind for kind, _, _ in found]
    assert kinds[0] == "slow start"
    counts = result.flows.iloc[0]
    assert kinds.count("timeout") == counts["timeouts"]
    assert abs(kinds.count("smaller") - counts["recoveries"]) <= 0.1 * counts["recoveries"]


def test_every_algorithm_has_a_look_of_its_own():
    looks = [tuple(sorted(style(name).items())) for name in catalogue.algorithms()]
    looks += [tuple(sorted(look.items())) for look in ENGINE_STYLE.values()]
    assert len(set(looks)) == len(looks)
    assert style("CHD w/o DCC") == style("chd")
    assert style("ns-2") == ENGINE_STYLE["ns2"]


@pytest.mark.parametrize(
    ("text", "tex", "html"),
    [
        ("1e-04", "$10^{-4}$", "10<sup>−4</sup>"),
        ("2.50e+3 s", r"$2.50\times10^{3}$ s", "2.50\u00a0×\u00a010<sup>3</sup> s"),
        ("T_1e4_row 8e4a f1e3", "T_1e4_row 8e4a f1e3", "T_1e4_row 8e4a f1e3"),
    ],
)
def test_powers_of_ten(text, tex, html):
    assert powers(text) == tex
    assert powers(text, "html") == html


def test_a_scenario_without_flow_paths_draws_too():
    scenario = Scenario(
        links=topologies.duplex("a", "b", rate_bps=1e6, delay_s=0.1, queue_bytes=64_000),
        flows=[{"source": "b", "target": "a", "congestion_control": "cubic", "bytes": 1_000_000}],
        duration_s=1,
    )
    said = " ".join(texts(pictures.draw(scenario)))
    assert "queue 64 kB" in said
    assert "CUBIC, 1 MB" in said


def test_a_drawing_says_what_helps_on_a_link():
    link = Link(
        source="a",
        target="b",
        rate_bps=12e6,
        delay_s=0.01,
        queue_packets=5,
        aqm={"kind": "codel"},
        loss_bursts={"loss_per_packet": 0.01, "mean_packets": 3},
        arq={"persistence": 3, "feedback_s": 0.1},
    )
    lines = pictures.link_text(link, link).splitlines()
    assert lines[2:] == ["CoDel", "0.01 lost in bursts of 3", "ARQ, 3 times at most"]
