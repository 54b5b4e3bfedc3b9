"""The figures of the page on transfers around TCP."""

from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from longfat.book import charts
from longfat.studies import transfers

_COLOURS = ("#0072b2", "#56b4e9", "#aa4499", "#e69f00", "#009e73", "#d55e00", "#999933")
_MARKERS = ("8", "s", "H", "^", "P", "*", "v")
STYLE: dict[str, Any] = {
    name: {"color": color, "marker": marker}
    for name, color, marker in zip(transfers.METHODS, _COLOURS, _MARKERS, strict=True)
}
SETTING = pd.DataFrame(
    [
        {
            "path": name,
            "rate (Mb/s)": way.rate_bps / 1e6,
            "round trip (s)": way.rtt_s,
            "loss": way.loss,
            "a bandwidth-delay product (MB)": way.rate_bps * way.rtt_s / 8e6,
        }
        for name, way in transfers.WAYS.items()
    ]
)


def size(file_bytes: float) -> str:
    """Return a size as people say it, such as 10 MB."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if file_bytes >= unit:
            return f"{file_bytes / unit:g} {name}"
    return f"{file_bytes / 1e3:g} KB"


def span(seconds: float) -> str:
    """Return a time as people say it, in seconds, minutes, hours or days."""
    for unit, name in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def sizes(table: pd.DataFrame) -> Figure:
    """Draw times over the fluid limit by the size of the file, a panel a path."""
    ways = list(dict.fromkeys(table["way"]))
    figure, panels = plt.subplots(2, 3, figsize=(10, 6), sharex=True, sharey=True)
    for axes, name in zip(np.ravel(panels), ways, strict=False):
        part = table[table["way"] == name]
        charts.lines(
            *(axes, part, "bytes", "ratio", "how"), look=STYLE.__getitem__, halfwidth="", lw=1, ms=5
        )
        axes.axhline(1, color="0.6", lw=0.8, ls=":")
        axes.set(xscale="log", yscale="log")
        axes.set_title(name, fontsize=10)
        ticks = sorted(table["bytes"].unique())
        axes.set_xticks(ticks, [size(one) for one in ticks])
        axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        axes.minorticks_off()
    handles, labels = np.ravel(panels)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.supylabel("time, as times what the link alone would take", fontsize=10)
    figure.suptitle("Small files wait for round trips, large ones for losses", x=0.01, ha="left")
    return figure


def modelled(table: pd.DataFrame) -> Figure:
    """Draw RBUDP's time over its model's, by loss, a line a size."""
    figure, axes = plt.subplots(figsize=(8, 4.2))
    losses = sorted(table["loss"].unique())
    place = {loss: number for number, loss in enumerate(losses)}
    axes.axhspan(0.95, 1.05, color="0.9", lw=0)
    for number, (file_bytes, own) in enumerate(table.groupby("bytes")):
        x = np.array([place[loss] for loss in own["loss"]]) + 0.06 * (number - 1.5)
        axes.errorbar(
            x,
            own["ratio"],
            yerr=own["ratio_halfwidth"],
            color=_COLOURS[number],
            marker=_MARKERS[number],
            label=size(float(str(file_bytes))),
            lw=1,
        )
    axes.set_xticks(range(len(losses)), [f"{loss:g}" for loss in losses])
    axes.set(xlabel="probability that a packet is lost", yscale="log")
    axes.set_yticks([0.9, 1, 1.2, 1.5, 2, 3, 5], ["0.9", "1", "1.2", "1.5", "2", "3", "5"])
    axes.minorticks_off()
    axes.set_ylabel("time, as times that of the model")
    axes.set_title("RBUDP is as its model says while its control messages cost nothing")
    axes.legend(fontsize=8, title="file", title_fontsize=8)
    return figure


def settling(table: pd.DataFrame) -> Figure:
    """Draw Tsunami's rate and error rate over time (`transfers.settling`)."""
    figure, panels = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True)
    rate = table[table["series"] == "rate_bps"]
    error = table[table["series"] == "error_rate"]
    panels[0].step(
        rate["time_s"], rate["value"] / 1e6, where="post", color=STYLE["Tsunami"]["color"]
    )
    panels[0].axhline(10, color="0.6", lw=0.8, ls=":")
    panels[0].set(ylabel="rate (Mb/s)", ylim=(0, None))
    panels[1].plot(error["time_s"], 100 * error["value"], ".", color=STYLE["Tsunami"]["color"])
    panels[1].axhline(7.5, color="0.6", lw=0.8, ls=":")
    panels[1].set(ylabel="error rate (%)", xlabel="time (s)", ylim=(0, 55))
    panels[0].set_title("A fifth too fast, and Tsunami does not find the link's rate", loc="left")
    return figure


def rates(table: pd.DataFrame) -> Figure:
    """Draw time and what is sent by the rate asked for (`transfers.rates`)."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.8))
    for axes, column, words in zip(
        panels,
        ("time", "sent"),
        ("time, as times that of the link alone", "bytes sent, as times the file"),
        strict=True,
    ):
        charts.lines(axes, table, "part", column, "how", look=STYLE.__getitem__)
        axes.axvline(1, color="0.6", lw=0.8, ls=":")
        axes.set(xlabel="rate of sending, as times the link's", ylabel=words, yscale="log")
        axes.set_yticks([1, 2, 5, 10], ["1", "2", "5", "10"])
        axes.minorticks_off()
    panels[0].legend(fontsize=8)
    figure.suptitle("Too slow costs time, too fast costs the network", x=0.01, ha="left")
    return figure


def _look(name: str) -> dict[str, Any]:
    return {"markersize": 6, **STYLE[name]}


def _forest(axes: Axes, table: pd.DataFrame, rows: Iterable[str]) -> None:
    charts.forest(axes, table, "left", "how", rows, interval=("low", "high"), look=_look)


def harm(table: pd.DataFrame) -> Figure:
    """Draw what a NewReno has left beside each method (`transfers.harm`)."""
    figure, axes = plt.subplots(figsize=(8, 3.6))
    ordered = table.sort_values("left")
    _forest(axes, ordered, ordered["how"])
    axes.axvline(1, color="0.6", lw=0.8, ls=":")
    axes.set_xlim(0, None)
    axes.set_xlabel("a NewReno's goodput beside it, as times that beside standard TCP")
    axes.set_title("Whoever does not listen takes the others' part")
    axes.grid(axis="x", alpha=0.3)
    return figure


def harm_by_path(table: pd.DataFrame) -> Figure:
    """Draw what a NewReno has left beside each method, by path (`transfers.harm_by_path`)."""
    others = [name for name in transfers.METHODS if name != "standard TCP"][::-1]
    figure, panels = plt.subplots(2, 3, figsize=(10, 5), sharex=True, sharey=True)
    for axes, (way, part) in zip(np.ravel(panels), table.groupby("way", sort=False), strict=False):
        _forest(axes, part[part["how"] != "standard TCP"], others)
        axes.axvline(1, color="0.6", lw=0.8, ls=":")
        axes.set_title(str(way), fontsize=10)
        axes.grid(axis="x", alpha=0.3)
    figure.supxlabel(
        "a NewReno's goodput beside it, as times that beside standard TCP", fontsize=10
    )
    figure.suptitle(
        "Where losses hold a NewReno back there is less to take from it", x=0.01, ha="left"
    )
    return figure


def overhead(table: pd.DataFrame) -> pd.DataFrame:
    """Return what is sent beyond a file, in percent of it: a row a path, a column a method."""
    beyond = table.assign(beyond=100 * (table["sent"] - 1))
    shown = beyond.pivot(index="way", columns="how", values="beyond")
    order = [name for name in transfers.WAYS if name in shown.index]
    columns = [name for name in transfers.METHODS if name in shown.columns]
    return shown.loc[order, columns].reset_index().rename(columns={"way": "path"})


def tunings(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.tunings` as the page shows it, a row a tuning."""
    rows = []
    for name, own in table.groupby("tuning", sort=False):
        row: dict[str, str] = {"tuning": str(name)}
        for one in own.itertuples():
            row[f"{size(one.bytes)} in"] = span(one.time)
            row[f"{size(one.bytes)}: times as fast"] = f"{one.faster:.2f}" + (
                "" if np.isnan(one.low) else f" [{one.low:.2f}, {one.high:.2f}]"
            )
        rows.append(row)
    return pd.DataFrame(rows)


def largest(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.largest` as the page shows it."""
    words = {
        "fluid": "the link alone",
        "one": "standard TCP",
        "eight": "8 streams",
        "rbudp": "RBUDP",
    }
    shown = table.rename(columns=words | {"way": "path"})
    for column in words.values():
        shown[column] = [span(seconds) for seconds in shown[column]]
    return shown


def sentences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.sentences` as the page shows it."""
    return pd.DataFrame(
        {
            "the survey says": table["words"],
            "measured": table["measure"],
            "found": [f"{value:.2f}" for value in table["measured"]],
            "at least": [f"{value:.2f}" for value in table["least"]],
            "so": table["kept"],
        }
    )


def breaks(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.breaks` as the page shows it."""
    return pd.DataFrame(
        {
            "the transfer": table["markers"],
            "time": [span(seconds) for seconds in table["time"]],
            "later by": [span(seconds) if seconds else "" for seconds in table["later"]],
            "sent, as times the file": [f"{sent:.2f}" for sent in table["sent"]],
        }
    )


def streams(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.streams` as the page shows it."""
    return pd.DataFrame(
        {
            "streams": table["rule"],
            "that carried something": [f"{used:.1f}" for used in table["used"]],
            "time (s)": [
                f"{row.time:.1f}" + ("" if np.isnan(row.halfwidth) else f" ± {row.halfwidth:.1f}")
                for row in table.itertuples()
            ],
        }
    )


def comparison_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `transfers.beside_ns3` as the page shows it."""

    def ratio(row: Any) -> str:
        if np.isnan(row["low"]):
            return f"{row['ratio']:.3f}"
        return f"{row['ratio']:.3f} [{row['low']:.3f},\N{NO-BREAK SPACE}{row['high']:.3f}]"

    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "path": [row["way"] for row in rows],
            "method": [row["how"] for row in rows],
            "ns-3 (s)": [f"{row['ns3']:.2f}" for row in rows],
            "segment engine, as times that": [ratio(row) for row in rows],
        }
    )
