"""The data of the page on links that repair and proxies that split, on a small scale."""

import numpy as np
import pytest
import small

from longfat.book.chapters import proxies_charts as drawings
from longfat.studies import proxies
from longfat.studies.setting import setting

pytestmark = pytest.mark.medium


def runs(name, repetitions=None, **points):
    return small.runs(proxies, setting(), f"proxies-{name}", repetitions, **points)


def test_each_agent_stands_in_the_network():
    assert proxies.KINDS.keys() == proxies.READS.keys() == drawings.LOOKS.keys()
    radio = {name: proxies.cell(name, 0.01).links[2] for name in proxies.KINDS}
    assert radio["Snoop"].base_station.kind == "snoop"
    assert radio["WTCP"].base_station.kind == "wtcp"
    assert radio["ELN"].notifies_loss
    assert radio["ARQ"].arq == proxies.WHOLE
    assert proxies.cell("split").flows[0].relays == ("base",)
    assert proxies.cell("TCP-J").flows[0].congestion_control.name == "tcpj"
    for name, link in radio.items():
        back = proxies.cell(name, 0.01).links[3]
        assert (link.loss_per_packet, back.loss_per_packet) == (0.01, 0.0)
        assert not back.base_station
        assert not back.notifies_loss


def test_the_routers_keep_their_order_at_a_loss_in_a_hundred():
    table = proxies.losses(runs("losses", 2, loss=[0.01]))
    rate = table.set_index("mechanism")["Mb/s"]
    assert list(rate.index) == list(proxies.KINDS)
    assert rate["Reno"] < 1.5
    assert rate["Reno"] < rate["Westwood"] < rate["Snoop"]
    assert rate["ELN"] < rate["split"]
    assert rate[["Snoop", "WTCP", "ARQ", "split"]].min() > 9
    shown = drawings.taxonomy(table, 0.01).set_index("mechanism")
    assert shown["beside IPsec"].to_dict() == {
        "Reno": "yes",
        "Westwood": "yes",
        "TCP-J": "yes",
        "ELN": "no",
        "split": "no",
        "Snoop": "no",
        "WTCP": "no",
        "ARQ": "yes",
    }
    assert shown.at["Reno", "times Reno's"] == 1


def test_blocks_that_are_shown_spoil_snoop():
    rate = proxies.blocks(runs("blocks", 2, loss=[0.03])).set_index("mechanism")["Mb/s"]
    assert rate["shown"] < rate["hidden"] / 2
    assert rate["no SACK"] == pytest.approx(rate["hidden"], rel=0.1)


def test_a_proxy_gains_with_distance_and_loss_only():
    gain = proxies.gains(runs("gains", 2, loss=[0.0, 0.01], rtt_s=[0.01, 0.3]))
    gain = gain.set_index(["rtt_s", "loss"])["gain"]
    assert gain[0.01, 0.0] == pytest.approx(1, abs=0.05)
    assert gain[0.3, 0.01] > gain[0.01, 0.01] > 1
    assert gain[0.3, 0.01] > 10


def test_handoffs_take_what_the_paper_counts_where_it_counts_one_round_trip():
    table = proxies.handoffs(runs("handoffs", peer_s=[0.02, 0.1]))
    table = table.set_index(["protocol", "rtt_s"])
    for protocol in ("Mobile IPv6, as counted", "hierarchical, within"):
        own = table.loc[protocol]
        assert np.allclose(own["took_s"], own["counted_s"], atol=0.001)
    within = table.loc["hierarchical, within"]["took_s"]
    assert within.iloc[0] == pytest.approx(within.iloc[1])
    near = table.xs(0.066, level="rtt_s")["took_s"]
    assert near["Mobile IPv6, as counted"] < near["LIN6"] < near["Mobile IPv6, RFC 6275"]


def test_the_larger_the_buffer_the_more_moves():
    table = proxies.state_moved(runs("itcp", buffer_bytes=[8_000, 64_000]))
    assert table["bytes"].is_monotonic_increasing
    assert table["took_s"].is_monotonic_increasing
    assert (table["silence_s"] < 0.2).all()


def test_only_what_the_split_connection_had_is_lost():
    last = proxies.failures(runs("dies")).groupby("mechanism").last()
    lost = last["acknowledged"] - last["delivered"]
    assert 0.2 < lost["split"] < 0.4  # MB, of two buffers of 0.2
    assert lost["Snoop"] <= 0


def test_wtcp_tells_the_sender_of_no_queue():
    trip = proxies.hidden_time(runs("time")).groupby("mechanism")["rtt_s"].median()
    assert trip["WTCP"] < 0.12
    assert trip["WTCP without hiding"] > 1


def test_the_profile_for_wcdma_is_mostly_a_window():
    table = proxies.advice(runs("wcdma", 2)).set_index(["case", "left_out"])["kb/s"]
    download = table["download"]
    assert download["nothing"] > 2 * download["everything"]
    assert download["large windows"] < 1.1 * download["everything"]
    assert table["page", "initial window"] < table["page", "nothing"]
    assert download["timestamps"] == pytest.approx(download["nothing"], rel=0.01)


def test_bursts_are_kinder_and_arq_may_be_stubborn():
    burst = proxies.bursts(runs("bursts", 2, packets=[1, 20], loss=[0.01]))
    assert burst["Mb/s"].iloc[1] > 2 * burst["Mb/s"].iloc[0]
    arq = proxies.persistence(runs("arq", 2, tries=[1, 10], feedback_s=[0.01]))
    assert arq["Mb/s"].iloc[1] > 2 * arq["Mb/s"].iloc[0]
    assert arq["timeouts"].iloc[1] <= arq["timeouts"].iloc[0]
