"""The figures of the page on routers that help."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from longfat.book import charts
from longfat.studies import routers
from longfat.style import number, short_name, style

SETTING = pd.DataFrame(
    {
        "quantity": ["rate", "round trip", "buffer", "segment"],
        "value": [routers.RATE_BPS, routers.RTT_S, routers.BUFFER, 1000],
        "unit": ["b/s", "s", "packets", "bytes"],
    }
)
ASKED = {0.0: ("without", "black", "o"), 1.28: ("1.28 Mb/s", "#56b4e9", "s")}
ASKED |= {5.12: ("5.12 Mb/s", "#0072b2", "^"), 10.24: ("10.24 Mb/s", "#d55e00", "D")}


def promises(filling: pd.DataFrame, saving: pd.DataFrame, managed: pd.DataFrame) -> Figure:
    """Draw what each kind of router promises, a panel each, from the tables of the page."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.4))
    for name in ("xcp", "newreno"):
        trace = filling[(filling["sender"] == name) & (filling["time_s"] <= 5)]
        left.plot(
            trace["time_s"],
            trace["queue_packets"],
            color=style(name)["color"],
            ls="-" if name == "xcp" else "--",
            label=short_name(name),
        )
    left.set(title="XCP: full, without a queue", xlabel="time (s)", ylabel="queue (packets)")
    left.legend(fontsize=8)
    for asked in (0.0, 5.12):
        _times(middle, saving, asked)
    middle.set_title("Quick-Start: no slow start")
    middle.legend(fontsize=8)
    plain = managed[~managed["queue"].str.contains("ECN")]
    right.plot(plain["delay_ms"], plain["queue"], "o", color="0.3", ms=6)
    right.set(title="Managed queues: short ones", xlabel="mean wait in the queue (ms)")
    right.margins(y=0.15)
    right.set_xscale("log")
    right.invert_yaxis()
    return figure


def _times(axes: plt.Axes, saving: pd.DataFrame, asked: float) -> None:
    part = saving[saving["asked"] == asked]
    name, color, marker = ASKED[asked]
    axes.plot(part["segments"], part["seconds"], color=color, marker=marker, label=name)
    axes.set(xscale="log", xlabel="segments of the transfer", ylabel="time (s)")


def filling(table: pd.DataFrame) -> Figure:
    """Draw how senders fill the link, and the queue meanwhile (`routers.filling`)."""
    names = list(dict.fromkeys(table["sender"]))
    figure, panels = plt.subplots(
        2, len(names), figsize=(10, 4), sharex=True, sharey="row", squeeze=False
    )
    for column, name in enumerate(names):
        trace = table[table["sender"] == name]
        color = style(name)["color"]
        above, below = panels[0, column], panels[1, column]
        above.plot(trace["time_s"], 100 * trace["share"], color=color, lw=1.2)
        below.plot(trace["time_s"], trace["queue_packets"], color=color, lw=1.2)
        above.set_title(short_name(name), fontsize=10)
        for axes in (above, below):
            axes.grid(alpha=0.3)
    panels[0, 0].set_ylabel("link in use (%)")
    panels[1, 0].set_ylabel("queue (packets)")
    figure.supxlabel("time (s)", fontsize=10)
    _headline(figure, "All of them fill the link; XCP alone hardly uses the queue")
    return figure


def _headline(figure: Figure, words: str) -> None:
    figure.suptitle(words, x=0.01, ha="left", fontsize=11)


def round_trip_fairness(table: pd.DataFrame) -> Figure:
    """Draw what flows of three round trips get of one link (`routers.round_trip_fairness`)."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    shown = table.assign(rtt_ms=1000 * table["rtt_s"])
    charts.lines(axes, shown, "rtt_ms", "Mb/s", "sender", label=short_name)
    equal = table["Mb/s"].sum() / len(table)
    axes.axhline(equal, color="0.2", lw=1.5, ls=":", zorder=1)
    place = (table["rtt_s"].max() * 1000, equal)
    axes.annotate("a third", place, (0, 4), textcoords="offset points", ha="right", color="0.2")
    axes.set(xlabel="round trip of the flow (ms)", ylabel="goodput (Mb/s)", ylim=(0, None))
    axes.set_title("XCP gives three flows the same, TCP the nearest one nearly all")
    axes.legend(fontsize=8)
    return figure


def saving(table: pd.DataFrame) -> Figure:
    """Draw the time of a transfer over its size, a line a rate asked for (`routers.saving`)."""
    figure, axes = plt.subplots(figsize=(7, 4))
    for asked in sorted(table["asked"].unique()):
        _times(axes, table, asked)
    axes.set_title("What slow start costs on a satellite, and what Quick-Start gives back")
    axes.set_ylim(0, None)
    axes.legend(fontsize=8)
    return figure


def managed(table: pd.DataFrame) -> Figure:
    """Draw wait, use and repetition by the kind of queue (`routers.managed`)."""
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True)
    columns = (
        ("delay_ms", "mean wait (ms)", 1.0),
        ("used", "link in use (%)", 100.0),
        ("again", "sent again (%)", 1.0),
    )
    for axes, (column, words, times) in zip(panels, columns, strict=True):
        axes.plot(times * table[column], table["queue"], "o", color="#0072b2", ms=6)
        axes.set_xlabel(words)
    panels[0].set_xscale("log")
    panels[1].set_xlim(90, 100.4)
    panels[2].set_xlim(-0.05, None)
    panels[0].margins(y=0.1)
    panels[0].invert_yaxis()
    _headline(figure, "A managed queue takes away the wait, and hardly any of the link")
    return figure


def costs(mixed: pd.DataFrame, bursts: pd.DataFrame, stability: pd.DataFrame) -> Figure:
    """Draw where XCP's promises end: beside TCP, at short queues, beyond its bound."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2))
    left.plot(mixed["newreno"], 100 * mixed["xcp"], label="XCP's part", **style("xcp"))
    left.plot(mixed["newreno"], 100 * mixed["part"], color="0.5", ls="--", label="an equal part")
    left.set(title="Beside NewReno it gives way", xlabel="NewReno flows", ylabel="of the link (%)")
    left.set_xticks(mixed["newreno"])
    left.legend(fontsize=8)
    middle.plot(100 * bursts["queue"], bursts["dropped"], **style("xcp"))
    middle.set(title="A short queue drops its burst", ylabel="packets dropped")
    middle.set_xlabel("queue (% of what the path holds)")
    right.plot(stability["alpha"], stability["swing"], **style("xcp"))
    right.axvline(routers.BOUND, color="0.2", ls=":")
    top = (routers.BOUND, stability["swing"].max())
    right.annotate("bound ", top, ha="right", va="top", fontsize=8, color="0.2")
    right.set(title="Far beyond its bound it swings", xlabel=r"$\alpha$")
    right.set_ylabel("swing of the window (paths)")
    _headline(figure, "Where XCP's promises end")
    return figure


def beside_ns2(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `routers.beside_ns2` as the page shows it."""
    shares = table[[f"share_{n}" for n in range(3)]].to_numpy()
    return pd.DataFrame(
        {
            "flows": table["flows"],
            "simulator": table["engine"].map({"segment": "segment engine", "ns2": "ns-2"}),
            "link in use (%)": [f"{100 * used:.2f}" for used in table["used"]],
            "mean queue (packets)": [f"{queue:.2f}" for queue in table["queue"]],
            "largest queue": table["largest"].astype(int),
            "dropped": table["drops"].astype(int),
            "parts of the flows (%)": [
                ", ".join(f"{100 * part:.1f}" for part in row if not np.isnan(part))
                for row in shares
            ],
        }
    )


def cadpc(joining: pd.DataFrame, shares: pd.DataFrame) -> Figure:
    """Draw flows that join one after the other, and what many get each (`studies.ptp`)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), width_ratios=(3, 2))
    equal = joining.drop_duplicates("time_s")
    left.step(
        equal["time_s"], 100 * equal["equal"], where="pre", color="0.5", ls=":", label="$1/(n + 1)$"
    )
    for flow, part in joining.groupby("flow"):
        shade = 0.35 + 0.65 / flow
        left.plot(
            part["time_s"], 100 * part["part"], color=style("cadpc")["color"], alpha=shade, lw=1.3
        )
    left.set(title="Four flows begin one after the other", xlabel="time (s)")
    left.set(ylabel="rate of each (% of the link)", ylim=(0, None))
    left.legend(fontsize=8)
    right.plot(shares["flows"], 100 * shares["equal"], color="0.5", ls=":", label="$1/(n + 1)$")
    right.errorbar(
        shares["flows"],
        100 * shares["middle"],
        100 * shares["spread"],
        ls="",
        label="each flow",
        **style("cadpc"),
    )
    right.plot(shares["flows"], 100 * shares["used"], color="0.3", ls="--", label="all together")
    right.set(title="Everybody comes to the same", xlabel="flows", ylabel="of the link (%)")
    right.set_ylim(0, 100)
    right.legend(fontsize=8)
    return figure


def cadpc_and_losses(lossy: pd.DataFrame, beside: pd.DataFrame, mixed: pd.DataFrame) -> Figure:
    """Draw what losses of a link and NewReno beside it do to CADPC (`studies.ptp`)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
    shown = lossy.assign(place=lossy["loss"].where(lossy["loss"] > 0, 1e-5))
    charts.lines(left, shown, "place", "Mb/s", "sender", label=short_name)
    left.set(xscale="log", xlabel="loss rate of the link", ylabel="goodput (Mb/s)")
    left.set_xticks([1e-5, 1e-4, 1e-3, 1e-2], ["0", *map(number, (1e-4, 1e-3, 1e-2))])
    left.set(title="A link's losses do not mislead it", ylim=(0, None))
    left.legend(fontsize=8)
    right.plot(beside["newreno"], 100 * beside["cadpc"], label="CADPC's part", **style("cadpc"))
    right.plot(mixed["newreno"], 100 * mixed["xcp"], label="XCP's part", **style("xcp"))
    right.plot(beside["newreno"], 100 * beside["part"], color="0.5", ls="--", label="an equal part")
    right.set(title="Beside NewReno it gives way", xlabel="NewReno flows", ylabel="of the link (%)")
    right.set_xticks(beside["newreno"])
    right.set_ylim(0, None)
    right.legend(fontsize=8)
    return figure


def quick_start_beside_ns2(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `assistance_ns2.quick_start` as the page shows it."""
    asked = table["asked"].map(lambda rate: "nothing" if rate == 0 else f"{rate:g}")
    return pd.DataFrame(
        {
            "segments": table["segments"],
            "asked for (Mb/s)": asked.where(table["approves"], asked + ", router silent"),
            "segment engine (s)": [f"{value:.2f}" for value in table["here"]],
            "ns-2 (s)": [f"{value:.2f}" for value in table["ns2"]],
        }
    )


def beside_ns3(table: pd.DataFrame) -> pd.DataFrame:
    """Return `queues_ns3.engine_comparison` as the page shows it: a row a kind of queue."""
    rows = []
    for case, own in table[table["case"] != "bursts"].groupby("case", sort=False):
        row = {"queue": str(case)}
        for one in own.itertuples():
            name, form = _BESIDE_NS3[str(one.measure)]
            words = f"{one.ns3:{form}}"
            if not np.isnan(one.ratio):
                words += f"; {one.ratio:.2f} [{one.low:.2f}, {one.high:.2f}]"
            row[name] = words if max(one.ns3, one.here) > 0 else "none"
        rows.append(row)
    return pd.DataFrame(rows)


_BESIDE_NS3 = {
    "goodput": ("goodput (Mb/s)", ".2f"),
    "queue": ("mean queue (packets)", ".1f"),
    "dropped": ("dropped", ".0f"),
    "marked": ("marked", ".0f"),
}
