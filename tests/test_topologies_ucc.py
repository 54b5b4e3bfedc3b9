"""UCC's networks: what the paper states about them, and what is drawn from the seed."""

import pytest

from longfat import papers, topologies
from longfat.errors import InputError


def links(scenario):
    return {(link.source, link.target): link for link in scenario.links}


def test_the_radio_link_is_the_paper_s():
    scenario = topologies.wireless("ucc", "newreno", loss=0.01)
    radio = links(scenario)["R", "N3"]
    assert radio.rate_bps == papers.value("ucc", "rate")
    assert radio.delay_s == papers.value("ucc", "delay")
    assert radio.queue_packets == papers.value("ucc", "buffer")
    assert {flow.segment_bytes for flow in scenario.flows} == {papers.value("ucc", "segment")}
    assert scenario.duration_s == papers.value("ucc", "duration")
    assert all(flow.sack for flow in scenario.flows)


def test_only_the_radio_link_loses_and_only_data():
    scenario = topologies.wireless("ucc", "newreno", loss=0.01)
    losing = {pair for pair, link in links(scenario).items() if link.loss_per_packet}
    assert losing == {("R", "N3")}
    both = links(topologies.wireless("ucc", loss=0.01, ack_loss=0.02))
    assert both["N3", "R"].loss_per_packet == 0.02
    bits = links(topologies.wireless("ucc", loss=0, loss_per_bit=1e-6, ack_loss_per_bit=2e-6))
    assert [bits[pair].loss_per_bit for pair in (("R", "N3"), ("N3", "R"))] == [1e-6, 2e-6]
    assert not any(link.loss_per_packet for link in bits.values())


def test_starts_are_drawn_from_the_seed_alone():
    starts = [
        [flow.start_s for flow in topologies.wireless(*pair, loss=loss, seed=seed).flows]
        for pair, loss, seed in (
            (("ucc", "ucc"), 0, 1),
            (("cubic", "ucc"), 0.1, 1),
            (("ucc", "ucc"), 0, 2),
        )
    ]
    assert starts[0] == starts[1] != starts[2]
    assert all(0 <= start < 1 for pair in starts for start in pair)


def test_a_third_sender_is_not_the_receiver():
    scenario = topologies.wireless("ucc", "cubic", "newreno", loss=0)
    assert [flow.source for flow in scenario.flows] == ["N1", "N2", "N4"]


@pytest.mark.parametrize(
    ("layout", "shared", "losing"),
    [
        ("chain", ("R2", "R3"), {("R2", "R3")}),
        ("one", ("R1", "R2"), {("R1", "R2")}),
        ("last", ("R1", "R2"), {("R2", "N4")}),
        ("opposite", ("R2", "R1"), {("R1", "R2"), ("R2", "R1")}),
    ],
)
def test_layouts_of_figure_7(layout, shared, losing):
    scenario = topologies.multi_bottleneck("ucc", loss=0.01, layout=layout)
    assert shared in links(scenario)
    assert {pair for pair, link in links(scenario).items() if link.loss_per_packet} == losing
    assert {link.rate_bps for link in scenario.links} == {papers.value("ucc", "multi_rate")}
    assert {link.delay_s for link in scenario.links} == {papers.value("ucc", "multi_delay")}
    routers = {link.queue_packets for link in scenario.links if link.source.startswith("R")}
    assert routers == {papers.value("ucc", "buffer")}
    assert [(flow.source, flow.target) for flow in scenario.flows] == [
        ("N1", "N4"),
        ("N2", "N4"),
        ("N3", "N5"),
    ]


def test_an_unknown_layout_is_named():
    with pytest.raises(InputError, match="chain"):
        topologies.multi_bottleneck("ucc", loss=0, layout="chian")
