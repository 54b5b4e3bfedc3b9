"""The figures of the page on every sender that the papers name."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from longfat.book import charts
from longfat.studies import senders
from longfat.style import number, short_name, style

COLUMNS = 4
LINKS = round(senders.RATE_BPS * 1000 / 1042 / 1e6, 2)  # Mb/s of payload

SETTING = pd.DataFrame(
    {
        "quantity": ["rate", "round trip", "buffer", "segment"],
        "value": [senders.RATE_BPS, senders.RTT_S, 119, 1000],
        "unit": ["b/s", "s", "packets", "bytes"],
    }
)


def _small_multiples(
    traces: pd.DataFrame, value: str, height: float, words: tuple[str, str]
) -> Figure:
    names = list(dict.fromkeys(traces["sender"]))
    figure, panels = charts.panels(len(names), COLUMNS, 10, height)
    for axes, name in zip(panels, names, strict=False):
        trace = traces[traces["sender"] == name]
        axes.step(trace["time_s"], trace[value], where="post", lw=0.9, color=style(name)["color"])
        axes.set_title(short_name(name), fontsize=9)
        axes.grid(alpha=0.3)
    figure.supxlabel(words[0], fontsize=10)
    figure.supylabel(words[1], fontsize=10)
    return figure


def queues(traces: pd.DataFrame) -> Figure:
    """Draw the queue over time, a panel a sender (`senders.queues`)."""
    figure = _small_multiples(traces, "queue_packets", 1.5, ("time (s)", "packets in the queue"))
    figure.suptitle("Who needs a full queue, and who a short one", x=0.01, ha="left", fontsize=11)
    return figure


def growth(traces: pd.DataFrame) -> Figure:
    """Draw the window over time, a panel a sender (`senders.growth`)."""
    figure = _small_multiples(
        traces, "cwnd_segments", 1.6, ("time (s)", "congestion window (segments)")
    )
    held = senders.FAST["rate_bps"] * senders.RTT_S / senders.PACKET_BITS
    for axes in figure.axes:
        axes.set_ylim(0, 5000)
        axes.axhspan(held, held * (1 + senders.FAST["buffer"]), color="0.9", lw=0)
    figure.suptitle("The shape of the growth is the idea", x=0.01, ha="left", fontsize=11)
    return figure


def window_signals(rtt_s: float = senders.RTT_S) -> pd.DataFrame:
    """Return what a window brings on the page's path, by its size in segments.

    Columns: window, Mb/s (goodput), rtt_ms, lost_percent, held (segments that the path holds).
    """
    held = senders.RATE_BPS * rtt_s / senders.PACKET_BITS
    window = np.linspace(0, 2.6 * held, 400)
    lost = np.where(window > 2 * held, 1 - 2 * held / np.maximum(window, 1), 0)
    return pd.DataFrame(
        {
            "window": window,
            "Mb/s": np.minimum(window / held, 1) * LINKS,
            "rtt_ms": rtt_s * 1000 * np.clip(window / held, 1, 2),
            "lost_percent": 100 * lost,
            "held": held,
        }
    )


def signals(table: pd.DataFrame) -> Figure:
    """Draw goodput, round trip and loss by the size of the window (`window_signals`)."""
    held = table["held"].iloc[0]
    figure, panels = plt.subplots(1, 3, figsize=(10, 3))
    for axes, column, title, unit in zip(
        panels,
        ("Mb/s", "rtt_ms", "lost_percent"),
        ("rate: flat from the knee on", "delay: rises from the knee on", "loss: from the cliff on"),
        ("goodput (Mb/s)", "round trip (ms)", "lost (%)"),
        strict=True,
    ):
        axes.plot(table["window"], table[column], color="black")
        axes.set(title=title, xlabel="window (segments)", ylabel=unit)
        axes.set_ylim(0, 1.1 * table[column].max())
        for place, name in ((held, "knee"), (2 * held, "cliff")):
            axes.axvline(place, color="0.6", lw=0.8, ls=":")
            axes.text(place, 0, f" {name}", color="0.4", fontsize=8, va="bottom")
    return figure


def yielding(table: pd.DataFrame) -> Figure:
    """Draw goodputs while a NewReno comes and goes, a panel a sender (`senders.yielding`)."""
    names = list(dict.fromkeys(table["sender"]))
    figure, panels = charts.panels(len(names), COLUMNS, 10, 1.7)
    for axes, name in zip(panels, names, strict=False):
        part = table[table["sender"] == name]
        axes.plot(part["time_s"], part["own"], color=style(name)["color"], lw=1.2)
        axes.plot(part["time_s"], part["newreno"], color="0.5", lw=1, ls="--")
        axes.axvline(20, color="0.6", lw=0.8, ls=":")
        axes.set_title(short_name(name), fontsize=9)
    figure.suptitle(
        "Who gives way to a NewReno (dashed), and who does not", x=0.01, ha="left", fontsize=11
    )
    figure.supxlabel("time (s)", fontsize=10)
    figure.supylabel("goodput (Mb/s)", fontsize=10)
    return figure


def round_trips(table: pd.DataFrame) -> Figure:
    """Draw the goodput over the round trip, a line a sender (`senders.round_trips`)."""
    figure, axes = plt.subplots(figsize=(8, 4.2))
    shown = table.assign(rtt_ms=1000 * table["rtt_s"])
    charts.lines(axes, shown, "rtt_ms", "Mb/s", "sender", label=short_name, clip_on=False)
    ticks = sorted(1000 * table["rtt_s"].unique())
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel="round trip of the empty path (ms)", ylabel="goodput (Mb/s)", ylim=(0, None))
    axes.set_title("The longer the way, the more the sender's rule decides")
    _name_ends(axes, table, 0.45)
    return figure


def _name_ends(axes: Axes, table: pd.DataFrame, gap: float) -> None:
    """Write each sender's name at the end of its line, at least `gap` (Mb/s) from the next."""
    ends = table.groupby("sender", sort=False)["Mb/s"].last().sort_values()
    places: list[float] = []
    for end in ends:
        places.append(max(end, places[-1] + gap) if places else end)
    over = max(0.0, places[-1] - max(axes.get_ylim()[1], ends.iloc[-1]))
    for name, end, place in zip(ends.index, ends, places, strict=True):
        axes.annotate(
            short_name(str(name)),
            (1, end),
            (1.04, place - over),
            xycoords=axes.get_yaxis_transform(),
            textcoords=axes.get_yaxis_transform(),
            color=style(str(name))["color"],
            fontsize=9,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "lw": 0.6,
                "color": style(str(name))["color"],
                "relpos": (0, 0.5),
                "shrinkA": 0,
            },
            annotation_clip=False,
        )
    axes.margins(x=0)


def lossy(measured: pd.DataFrame) -> Figure:
    """Draw the goodput over the loss rate, a line a sender (`senders.lossy`)."""
    figure, axes = plt.subplots(figsize=(8, 4.5))
    charts.lines(axes, measured, "loss", "Mb/s", "sender", label=short_name, clip_on=False)
    axes.set(xscale="log", xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")
    axes.set_title("At one loss in a hundred what remains ranges from a tenth to all")
    axes.axhline(LINKS, color="0.3", lw=1, ls=":")
    axes.set_ylim(0, None)
    _name_ends(axes, measured, 0.5)
    return figure


def neighbours(table: pd.DataFrame) -> Figure:
    """Draw what NewReno gets beside each sender (`senders.neighbour_table`), the best on top."""
    figure, axes = plt.subplots(figsize=(8, 7))
    axes.axvspan(1 / 1.1, 1.1, color="0.9")
    ordered = table.sort_values("neighbour")
    ends = ("low", "high")
    names = ordered["sender"]
    charts.forest(axes, ordered, "neighbour", "sender", names, interval=ends, label=short_name)
    axes.set_xlabel("NewReno's goodput beside it, as times that beside NewReno")
    axes.set_title("Some leave a NewReno all, some next to nothing")
    axes.grid(axis="x", alpha=0.3)
    return figure


def satellite(table: pd.DataFrame) -> Figure:
    """Draw the goodput over the satellite, a row a sender and a panel a loss rate."""
    losses = sorted(table["loss"].unique())
    order = table[table["loss"] == losses[-1]].sort_values("Mb/s")["sender"].tolist()
    figure, panels = plt.subplots(1, len(losses), figsize=(10, 7), sharey=True)
    for axes, loss in zip(np.ravel(panels), losses, strict=True):
        part = table[table["loss"] == loss]
        charts.forest(axes, part, "Mb/s", "sender", order, label=short_name)
        axes.set_title(f"{number(loss)} of the packets lost", fontsize=10)
        axes.set_xlabel("goodput (Mb/s)")
        axes.set_xlim(0, None)
        axes.grid(axis="x", alpha=0.3)
    figure.suptitle(
        "A few senders fill a satellite's link, whether it loses little or more",
        x=0.01,
        ha="left",
        fontsize=11,
    )
    return figure


def second_sources(table: pd.DataFrame) -> Figure:
    """Draw other implementations' goodput over that of our header (`senders.second_sources`)."""
    names = sorted(table["sender"].unique(), reverse=True)
    figure, axes = plt.subplots(figsize=(8, 5))
    axes.axvspan(1 / 1.1, 1.1, color="0.9")
    for shift, (source, engine) in enumerate((("Linux", "linux"), ("ns-2", "ns2"))):
        part = table[table["source"] == source]
        charts.forest(
            *(axes, part, "ratio", "sender", names),
            interval=("low", "high"),
            label=short_name,
            legend=source,
            shift=0.3 * shift - 0.15,
            look=style(engine),
        )
    axes.set_xscale("log")
    ticks = (0.5, 0.7, 0.9, 1, 1.1, 1.4, 2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("its goodput, as times that of our header")
    axes.set_title("Most others are within a tenth of our headers")
    axes.legend()
    return figure


def promises(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `senders.promises` as the page shows it."""
    found = [
        f"{row.measured:.2f}" + ("" if np.isnan(row.low) else f" [{row.low:.2f}, {row.high:.2f}]")
        for row in table.itertuples()
    ]
    return pd.DataFrame(
        {
            "sender": [short_name(name) for name in table["sender"]],
            "promise": table["promise"],
            "measured": table["measure"],
            "found": found,
            "kept": table["kept"],
        }
    )
