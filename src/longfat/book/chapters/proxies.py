"""The page on links that repair and proxies that split: figures, tables and numbers."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import pictures
from longfat.book.chapters import proxies_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import assistance_ns2, proxies
from longfat.studies.setting import setting

STATE = {
    "buffer_bytes": "buffer on either side (kB)",
    "bytes": "moved, on all links (kB)",
    "took_s": "handoff (ms)",
    "silence_s": "without a delivery (ms)",
}


def state(runs: Runs) -> pd.DataFrame:
    """Return what it costs I-TCP to move, in the units of the page."""
    table = proxies.state_moved(runs)[list(STATE)]
    for column in STATE:
        table[column] = 1e3 * table[column] if column.endswith("_s") else table[column] / 1000
    return table.rename(columns=STATE)


def numbers(runs: Runs) -> dict[str, float]:
    """Return the numbers of the page's sentences."""
    lossy = runs.derived(proxies.losses).set_index(["mechanism", "loss"])["Mb/s"]
    blocks = runs.derived(proxies.blocks).set_index(["mechanism", "loss"])["Mb/s"]
    trip = runs.derived(proxies.hidden_time).groupby("mechanism")["rtt_s"].median()
    wire = runs.derived(proxies.both_losses).set_index(["mechanism", "loss"])["Mb/s"]
    gain = runs.derived(proxies.gains)
    most = gain.loc[gain["gain"].idxmax()]
    ends = runs.derived(proxies.failures).groupby("mechanism")[["acknowledged", "delivered"]].max()
    tries = runs.derived(proxies.persistence).set_index(["feedback_s", "tries"])
    burst = runs.derived(proxies.bursts).set_index(["loss", "packets"])["Mb/s"]
    kbps = runs.derived(proxies.advice).set_index(["case", "left_out"])["kb/s"]
    moved = runs.derived(proxies.handoffs)
    took = moved.set_index(["protocol", "rtt_s"])
    far, counted = moved["rtt_s"].max(), "Mobile IPv6, as counted"
    twice = runs.derived(assistance_ns2.snoop).set_index(["case", "engine", "loss"])["Mb/s"]
    deaf = "Snoop, deaf sender, fast timer"
    worst = {"snoop": "Snoop", "wtcp": "WTCP", "split": "split", "arq": "ARQ", "eln": "ELN"}
    return {
        **{
            f"links_{name.lower()}": lossy[name, 0.01]
            for name in ("Reno", "Snoop", "WTCP", "split", "ELN", "ARQ", "Westwood")
        },
        "links_tcpj": lossy["TCP-J", 0.01],
        **{f"links_{name}_worst": lossy[mechanism, 0.1] for name, mechanism in worst.items()},
        "links_reno_worst": lossy["Reno", 0.1],
        "links_shown": blocks["shown", 0.03],
        "links_hidden": blocks["hidden", 0.03],
        "links_split_gain": lossy["split", 0.01] / lossy["Reno", 0.01],
        "links_snoop_gain": lossy["Snoop", 0.01] / lossy["Reno", 0.01],
        "links_trip": 1e3 * trip["WTCP without hiding"],
        "links_trip_hidden": 1e3 * trip["WTCP"],
        "links_both_reno": wire["Reno", 0.003],
        "links_both_eln": wire["ELN", 0.003],
        "links_both_snoop": wire["Snoop", 0.003],
        "links_gain": most["gain"],
        "links_gain_rtt": 1e3 * most["rtt_s"],
        "links_gain_none": gain.set_index(["rtt_s", "loss"]).at[(0.01, 0.0), "gain"],
        "links_lost": 1e3 * (ends.at["split", "acknowledged"] - ends.at["split", "delivered"]),
        "links_arq_once": tries.at[(0.01, 1), "Mb/s"],
        "links_arq_thirty": tries.at[(0.01, 30), "Mb/s"],
        "links_arq_slow": tries.at[(0.1, 30), "Mb/s"],
        "links_arq_slow_timeouts": tries.at[(0.1, 30), "timeouts"],
        **{f"links_burst_{packets}": burst[0.01, packets] for packets in (1, 10, 50)},
        "links_wcdma": kbps["download", "nothing"],
        "links_wcdma_none": kbps["download", "everything"],
        "links_wcdma_windows": kbps["download", "large windows"],
        "links_wcdma_first": kbps["page", "initial window"],
        "links_wcdma_page": kbps["page", "nothing"],
        "links_wcdma_packets": kbps["download", "large packets"],
        "links_wcdma_losses": kbps["losses", "nothing"],
        "links_wcdma_sack": kbps["losses", "SACK"],
        "links_far": 1e3 * far,
        "links_mip": 1e3 * took.at[(counted, far), "took_s"],
        "links_mip_counted": 1e3 * took.at[(counted, far), "counted_s"],
        "links_mip_rfc": 1e3 * took.at[("Mobile IPv6, RFC 6275", far), "took_s"],
        "links_lin6": 1e3 * took.at[("LIN6", far), "took_s"],
        "links_anchor": 1e3 * took.at[("hierarchical, within", far), "took_s"],
        "links_silence": moved["silence_s"].max(),
        "links_silence_least": moved["silence_s"].min(),
        "links_ns2_rare": twice["Snoop", "ns2", 0.001],
        "links_ns2_rare_here": twice["Snoop", "segment", 0.001],
        "links_ns2_often": twice["Snoop", "ns2", 0.01],
        "links_ns2_often_deaf": twice[deaf, "ns2", 0.01],
        "links_ns2_often_here": twice["Snoop", "segment", 0.01],
        "links_ns2_most": twice[deaf, "ns2", 0.1],
        "links_ns2_most_here": twice["Snoop", "segment", 0.1],
    }


def chapter(**parameters: Any) -> Chapter:
    """Return the page at a setting (`setting.setting`)."""
    at = setting(**parameters)
    return Chapter(
        name="proxies",
        setting=at,
        experiments=(*proxies.experiments(at), assistance_ns2.snoop_experiment()),
        figures=tuple(_shown()),
    )


def _shown() -> Iterator[Figure | Table]:
    yield Figure(
        name="links-cell",
        data=lambda _: proxies.NETWORK,
        chart=lambda *_: pictures.draw(proxies.cell(loss=0.01)),
        narrow=lambda *_: pictures.draw(proxies.cell(loss=0.01), down=True),
        caption="The network of this page: a wire with a round trip of 100 ms, a radio of 4 ms "
        "with half its rate.",
    )
    yield Figure(
        name="links-losses",
        uses=("proxies-losses",),
        data=lambda runs: runs.derived(proxies.losses),
        chart=lambda data, _: charts.losses(data),
        caption="Goodput over the network of this page by the share of packets that the radio "
        "loses, for each place where the loss can be repaired or explained; means of 30 s with "
        "95 % intervals.",
    )
    yield Table(
        name="links-taxonomy",
        uses=("proxies-losses",),
        data=lambda runs: charts.taxonomy(runs.derived(proxies.losses), 0.01),
        formats={"times Reno's": "{:.1f}"},
        caption="Who repairs the radio's losses, one experiment each: one packet in a hundred is "
        "lost",
    )
    yield Figure(
        name="links-blocks",
        uses=("proxies-blocks",),
        data=lambda runs: runs.derived(proxies.blocks),
        chart=lambda data, _: charts.blocks(data),
        caption="Goodput with Snoop: without SACK, as in its paper; with SACK and the blocks taken "
        "out; with SACK and the blocks left in.",
    )
    yield Figure(
        name="links-time",
        uses=("proxies-time",),
        data=lambda runs: runs.derived(proxies.hidden_time),
        chart=lambda data, _: charts.hidden_time(data),
        caption="Round trips that the sender measures over a radio of 2 Mb/s that loses 3 % of the "
        "packets, with WTCP in the base station.",
    )
    yield Figure(
        name="links-both",
        uses=("proxies-both",),
        data=lambda runs: runs.derived(proxies.both_losses),
        chart=lambda data, _: charts.both(data),
        caption="Goodput where the radio loses one packet in a hundred and the wire loses too.",
    )
    yield Figure(
        name="links-gains",
        uses=("proxies-gains",),
        data=lambda runs: runs.derived(proxies.gains),
        chart=lambda data, _: charts.gains(data),
        caption="Time for 5 MB without a proxy over the time with one, by the wire's round trip "
        "and the radio's loss.",
    )
    yield Figure(
        name="links-failures",
        uses=("proxies-dies",),
        data=lambda runs: runs.derived(proxies.failures),
        chart=lambda data, _: charts.failures(data),
        caption="What the sender believes delivered, and what the host has, when the base "
        "station's agent dies. The coloured area is what the agent alone holds.",
    )
    yield Figure(
        name="links-arq",
        uses=("proxies-arq",),
        data=lambda runs: runs.derived(proxies.persistence),
        chart=lambda data, _: charts.persistence(data),
        caption="Goodput, and timeouts of the sender, by how often the radio sends a packet again; "
        "it hears of a loss after 10 ms or 100 ms.",
    )
    yield Figure(
        name="links-bursts",
        uses=("proxies-bursts",),
        data=lambda runs: runs.derived(proxies.bursts),
        chart=lambda data, _: charts.bursts(data),
        caption="Goodput by the mean length of the bursts in which a share of all packets is lost, "
        "with Reno and SACK.",
    )
    yield Figure(
        name="links-wcdma",
        uses=("proxies-wcdma",),
        data=lambda runs: runs.derived(proxies.advice),
        chart=lambda data, _: charts.advice(data),
        caption="Goodput over W-CDMA with all that RFC 3481 advises (left out: nothing), without "
        "one advice each, and without any.",
    )
    yield Figure(
        name="links-handoffs",
        uses=("proxies-handoffs",),
        data=lambda runs: runs.derived(proxies.handoffs),
        chart=lambda data, _: charts.handoffs(data),
        caption="Time from the host's movement until whoever redirects its packets has answered, "
        "by protocol. Dotted: what the paper counts.",
    )
    yield Table(
        name="links-itcp",
        uses=("proxies-itcp",),
        data=state,
        formats={
            STATE["buffer_bytes"]: "{:.0f}",
            STATE["bytes"]: "{:.0f}",
            STATE["took_s"]: "{:.1f}",
            STATE["silence_s"]: "{:.0f}",
        },
        caption="What it costs I-TCP to move with the host, over two links of 100 Mb/s, by the "
        "relay's buffer",
    )
    yield Table(
        name="links-ns2",
        uses=("proxies-beside-ns2",),
        data=lambda runs: charts.beside_ns2(runs.derived(assistance_ns2.snoop)),
        formats={"loss rate": "{:g}"},
        caption="Goodput (Mb/s) of NewReno without SACK with and without Snoop, here and on "
        "ns-2.35, means of eight runs with 95 % intervals",
    )
