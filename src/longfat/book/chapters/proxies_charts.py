"""The figures of the page on links that repair and proxies that split."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from longfat.book import charts
from longfat.studies import proxies
from longfat.style import number

# One look for each mechanism: colour by the class of the taxonomy.
LOOKS: dict[str, dict[str, Any]] = {
    "Reno": {"color": "0.5", "marker": "o"},
    "Westwood": {"color": "#0072B2", "marker": "s"},
    "TCP-J": {"color": "#56B4E9", "marker": "D"},
    "ELN": {"color": "#009E73", "marker": "^"},
    "split": {"color": "#D55E00", "marker": "v"},
    "Snoop": {"color": "#CC79A7", "marker": "P"},
    "WTCP": {"color": "#882255", "marker": "X"},
    "ARQ": {"color": "#E69F00", "marker": "*"},
}
# Snoop's own colour where it does as it should; what lies beneath is wider.
BLOCKS: dict[str, dict[str, Any]] = {
    "no SACK": {"color": "0.7", "linewidth": 5, "marker": "o", "markersize": 9},
    "hidden": {"color": "#CC79A7", "marker": "P"},
    "shown": {"color": "black", "marker": "s", "linestyle": "--"},
}
GOODPUT = "goodput (Mb/s)"


def _lines(
    axes: Axes, table: pd.DataFrame, x: str, looks: dict[str, dict[str, Any]] | None = None
) -> None:
    plain = {"markersize": 5, "linewidth": 1.2, "elinewidth": 1.2, "capsize": 2}
    charts.lines(
        *(axes, table, x, "Mb/s", "mechanism"),
        look=lambda name: plain | (looks[name] if looks else LOOKS[name]),
    )
    axes.set_ylim(0)
    axes.set_ylabel(GOODPUT)
    axes.grid(alpha=0.3)


def losses(table: pd.DataFrame) -> Figure:
    """Draw the goodput with each mechanism by the radio's loss (`proxies.losses`)."""
    figure, axes = plt.subplots(figsize=(8, 4.4))
    _lines(axes, table, "loss")
    axes.set(xscale="log", xlabel="packets lost on the radio, of all")
    axes.set_title("Who knows that it was the radio need not slow down")
    axes.legend(ncols=2, fontsize=8)
    return figure


def blocks(table: pd.DataFrame) -> Figure:
    """Draw the goodput with Snoop by what becomes of SACK's blocks (`proxies.blocks`)."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    _lines(axes, table, "loss", BLOCKS)
    axes.set(xscale="log", xlabel="packets lost on the radio, of all")
    axes.set_title("SACK tells the sender what Snoop keeps quiet about")
    axes.legend(title="blocks")
    return figure


def hidden_time(table: pd.DataFrame) -> Figure:
    """Draw the round trips that the sender measures (`proxies.hidden_time`)."""
    figure, axes = plt.subplots(figsize=(8, 3.4))
    for name, words in (("WTCP without hiding", "as they are"), ("WTCP", "as WTCP tells them")):
        own = table[table["mechanism"] == name]
        axes.plot(own["time_s"], own["rtt_s"], lw=1.2, label=words)
    axes.set(xlabel="time (s)", ylabel="round trip (s)", ylim=(0, None))
    axes.set_title("The queue that the sender does not see")
    axes.legend(title="round trips")
    axes.grid(alpha=0.3)
    return figure


def both(table: pd.DataFrame) -> Figure:
    """Draw the goodput where the wire loses too (`proxies.both_losses`)."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    shown = table.assign(place=table["loss"].rank(method="dense"))
    _lines(axes, shown, "place")
    places = shown.drop_duplicates("loss")
    axes.set_xticks(places["place"], [number(loss) if loss else "0" for loss in places["loss"]])
    axes.set_xlabel("packets lost on the wire, of all")
    axes.set_title("What the wire loses stays the sender's concern")
    axes.legend()
    return figure


def gains(table: pd.DataFrame) -> Figure:
    """Draw what a proxy gains as a map (`proxies.gains`)."""
    gain = table.pivot(index="loss", columns="rtt_s", values="gain")
    figure, axes = plt.subplots(figsize=(7, 3.8))
    shown = charts.heat(
        axes,
        gain,
        colors=table.pivot(index="loss", columns="rtt_s", values="doublings"),
        words=lambda gain: f"{gain:.1f}" if gain < 9.95 else f"{gain:.0f}",
        dark=lambda gain: abs(np.log2(gain)) > 2.2,
        rows=lambda loss: number(loss) if loss else "0",
        columns=lambda rtt: f"{1000 * rtt:.0f}",
        cmap="PuOr",
        vmin=-3.5,
        vmax=3.5,
    )
    axes.set(xlabel="round trip of the wire (ms)", ylabel="loss on the radio")
    axes.set_title("A proxy gains where the path is long and the radio bad")
    bar = figure.colorbar(shown, ticks=[-3, -2, -1, 0, 1, 2, 3])
    bar.set_ticklabels(["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    bar.set_label("times as fast")
    return figure


def persistence(table: pd.DataFrame) -> Figure:
    """Draw goodput and timeouts by ARQ's persistence (`proxies.persistence`)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
    for feedback_s, own in table.groupby("feedback_s"):
        words = f"told after {1000 * feedback_s:.0f} ms"
        left.errorbar(
            own["tries"], own["Mb/s"], own["halfwidth"], marker="o", capsize=2, label=words
        )
        right.plot(own["tries"], own["timeouts"], marker="o", label=words)
    for axes in (left, right):
        axes.set(xscale="log", xlabel="times that a packet is sent again, at most")
        axes.set_xticks([1, 2, 5, 10, 30], ["1", "2", "5", "10", "30"])
        axes.minorticks_off()
        axes.set_ylim(0)
        axes.grid(alpha=0.3)
    left.set_ylabel(GOODPUT)
    right.set_ylabel("timeouts of the sender in 30 s")
    left.legend(fontsize=8)
    figure.suptitle(
        "Stubborn is better, but slow news wake the sender's timer", x=0.01, ha="left", fontsize=11
    )
    return figure


def bursts(table: pd.DataFrame) -> Figure:
    """Draw the goodput by the mean length of bursts (`proxies.bursts`)."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for loss, own in table.groupby("loss"):
        axes.errorbar(
            own["packets"],
            own["Mb/s"],
            own["halfwidth"],
            marker="o",
            capsize=2,
            label=number(loss),
        )
    axes.set(xscale="log", xlabel="packets in a burst, in the mean", ylabel=GOODPUT)
    axes.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    axes.minorticks_off()
    axes.set_ylim(0)
    axes.grid(alpha=0.3)
    axes.set_title("The same loss in longer bursts costs less")
    axes.legend(title="packets lost")
    return figure


CASES = {
    "download": "a long download",
    "page": "a page of 50 kB",
    "spikes": "delay spikes of 2 s",
    "losses": "RLC gives up early",
}


def advice(table: pd.DataFrame) -> Figure:
    """Draw what each advice of RFC 3481 brings (`proxies.advice`)."""
    names = list(dict.fromkeys(table["left_out"]))[::-1]
    figure, panels = plt.subplots(1, len(CASES), figsize=(10, 3.6), sharey=True)
    for axes, (case, words) in zip(panels, CASES.items(), strict=True):
        own = table[table["case"] == case].set_index("left_out").loc[names]
        colors = ["0.35" if name in ("nothing", "everything") else "#56B4E9" for name in names]
        axes.barh(names, own["kb/s"], xerr=own["halfwidth"], color=colors, capsize=2)
        axes.set_title(words, fontsize=9)
        axes.grid(alpha=0.3, axis="x")
    panels[0].set_ylabel("left out")
    figure.supxlabel("goodput (kb/s), of 384 on the radio", fontsize=10)
    figure.suptitle("No advice brings as much as a large window", x=0.01, ha="left", fontsize=11)
    return figure


def handoffs(table: pd.DataFrame) -> Figure:
    """Draw what handoffs take by messages, and what the paper counts (`proxies.handoffs`)."""
    figure, axes = plt.subplots(figsize=(8, 4))
    for name, own in table.groupby("protocol", sort=False):
        (line,) = axes.plot(1e3 * own["rtt_s"], 1e3 * own["took_s"], marker="o", label=str(name))
        if name in ("Mobile IPv6, as counted", "hierarchical, within"):
            axes.plot(
                1e3 * own["rtt_s"],
                1e3 * own["counted_s"],
                ls=":",
                lw=4,
                alpha=0.5,
                color=line.get_color(),
            )
    axes.set(xlabel="round trip between host and sender (ms)", ylabel="handoff (ms)")
    axes.set_ylim(0)
    axes.grid(alpha=0.3)
    axes.set_title("An anchor nearby keeps the sender's distance out of it")
    axes.legend(fontsize=8)
    return figure


def failures(table: pd.DataFrame) -> Figure:
    """Draw what is acknowledged, and delivered, when a mechanism dies (`proxies.failures`)."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharex=True, sharey=True)
    for axes, (name, own) in zip(panels, table.groupby("mechanism", sort=False), strict=True):
        axes.plot(own["time_s"], own["acknowledged"], label="the sender has been told")
        axes.plot(own["time_s"], own["delivered"], label="the host has")
        axes.fill_between(own["time_s"], own["acknowledged"], own["delivered"], alpha=0.2)
        axes.axvline(10, color="0.4", ls=":")
        axes.annotate("it dies", (10, 0), (4, 2), textcoords="offset points", fontsize=8)
        axes.set_title({"split": "split connection", "Snoop": "Snoop"}[str(name)], fontsize=10)
        axes.set_xlabel("time (s)")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("payload (MB)")
    panels[0].legend(fontsize=8)
    figure.suptitle(
        "A split connection dies with what it has promised; Snoop has promised nothing",
        x=0.01,
        ha="left",
        fontsize=11,
    )
    return figure


def taxonomy(table: pd.DataFrame, loss: float) -> pd.DataFrame:
    """Return the classes of TCP-J's section 2, an experiment each, as a table.

    `table` is `proxies.losses`; the goodputs are those at `loss`.
    """
    at = table[table["loss"] == loss].set_index("mechanism")
    rows = [
        {
            "who repairs": kind,
            "mechanism": name,
            "goodput (Mb/s)": f"{at.at[name, 'Mb/s']:.2f} ± {at.at[name, 'halfwidth']:.2f}",
            "times Reno's": at.at[name, "Mb/s"] / at.at["Reno", "Mb/s"],
            "reads in the base station": proxies.READS[name],
            "beside IPsec": "yes" if proxies.READS[name] == "nothing" else "no",
        }
        for name, kind in proxies.KINDS.items()
    ]
    return pd.DataFrame(rows)


def beside_ns2(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `assistance_ns2.snoop` as the page shows it: a row a loss rate."""
    wide = table.assign(
        text=[
            f"{mean:.2f} ± {half:.2f}"
            for mean, half in zip(table["Mb/s"], table["halfwidth"], strict=True)
        ]
    ).pivot(index="loss", columns=["case", "engine"], values="text")
    columns = {
        ("no agent", "segment"): "no agent, here",
        ("no agent", "ns2"): "no agent, ns-2",
        ("Snoop", "segment"): "Snoop, here",
        ("Snoop", "ns2"): "Snoop, ns-2",
        ("Snoop, deaf sender", "ns2"): "and a deaf sender",
        ("Snoop, deaf sender, fast timer", "ns2"): "and a fast timer",
    }
    shown = wide[list(columns)].set_axis(list(columns.values()), axis=1)
    return shown.rename_axis("loss rate").reset_index()
