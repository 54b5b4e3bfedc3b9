"""The charts of the chapter on the survey."""

import textwrap
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Ellipse, Rectangle

from longfat.book import charts, show
from longfat.experiment import Runs
from longfat.papers import survey
from longfat.papers.survey import analysis, files, plan, theory
from longfat.verdicts import rules, wording

COLORS = {name: show.style(name)["color"] for name in plan.NAMES}
LABELS = plan.NAMES
OF_RESPONSE = dict(zip(survey.RESPONSES, LABELS.values(), strict=True))  # names of the paper's
# One connection of standard TCP by its send buffer (bytes), and several of 1 MB by their number.
BY_SIZE = {64_000: "#9ecae1", 1_000_000: COLORS["standard"], 8_000_000: "#08306b"}
BY_NUMBER = {4: "#b39ddb", 8: "#6a3d9a"}
BELOW = {"ncols": 4, "frameon": False, "fontsize": "small"}
JAPAN_WINDOW = 600e6 * 0.1 / 8 / 1500  # of the paper's path, segments
VERDICT_LOOKS = {
    "reproduced": ("#009e73", "o"),
    "not reproduced": ("#d55e00", "X"),
    "depends": ("#e69f00", "D"),
    "tie": ("0.35", "d"),
    "undecidable": ("0.6", "P"),
    "fitted": ("0.8", "s"),
    "not yet measured": ("0.9", "."),
}


def path_name(name: str) -> str:
    """Return the name of a path of table 1 as the paper writes it: EARTH², not EARTH^2."""
    return name.replace("^2", "²").replace("^4", "⁴")


def worded_ratio(column: str) -> str:
    """Return the header of a column of `nearest_combinations` in words."""
    words = {"mbps": "Mb/s", "loss": "random loss", "queue": "queue (packets)"}
    if column in words:
        return words[column]
    for name, called in OF_RESPONSE.items():
        if column.endswith(f" {name}"):
            return f"{called}, {column.removesuffix(f' {name}')}"
    return column


def pipes(_: pd.DataFrame, __: Runs) -> Drawing:
    """Draw what one window does on a short path and on a long one: a pipe each, packets in it."""
    figure, panels = plt.subplots(2, 1, figsize=(7, 2.6))
    window, packets = 20, {"short path, 10 ms": 20, "long path, 100 ms": 200}
    for axes, (name, room) in zip(panels, packets.items(), strict=True):
        axes.add_patch(Rectangle((0, 0), 1, 1, facecolor="0.93", edgecolor="0.5"))
        for number in range(window):
            at = (room - window + number) / room if room > window else number / room
            axes.add_patch(Rectangle((at, 0.12), 0.8 / room, 0.76, facecolor="#0072b2"))
        axes.set(xlim=(-0.01, 1.01), ylim=(-0.05, 1.05))
        axes.set_title(f"{name}: {100 * window / room:.0f} % full", fontsize=10)
        axes.axis("off")
    panels[1].annotate(
        "the first ACK is still on its way back",
        (0.45, 0.5),
        ha="center",
        va="center",
        fontsize=9,
        color="0.35",
    )
    return figure


def testbed(_: pd.DataFrame, __: Runs) -> Drawing:
    """Draw the paper's test bed: hosts, PC routers, and the ring between them."""
    figure, axes = plt.subplots(figsize=(8, 2.9))
    boxes = {0.0: "host\niperf", 1.7: "PC router", 4.6: "PC router", 6.3: "host\niperf"}
    for x, name in boxes.items():
        face = "#e8f1fa" if "host" in name else "#fdf3e1"
        axes.add_patch(Rectangle((x - 0.5, -0.3), 1.0, 0.6, facecolor=face, edgecolor="0.4"))
        axes.text(x, 0, name, ha="center", va="center", fontsize=9)
    for left, right in ((0.5, 1.2), (5.1, 5.8)):
        axes.plot((left, right), (0, 0), color="0.4")
        axes.text((left + right) / 2, 0.1, "1 Gb/s", ha="center", fontsize=8)
    axes.plot((2.2, 2.62), (0, 0), color="#0072b2", lw=2)
    axes.plot((3.68, 4.1), (0, 0), color="#0072b2", lw=2)
    axes.text(2.4, -0.62, "ATM card,\n622 Mb/s", ha="center", va="center", fontsize=8)
    axes.text(3.9, -0.62, "ATM card,\n622 Mb/s", ha="center", va="center", fontsize=8)
    axes.add_patch(Ellipse((3.15, 0.38), 1.5, 1.25, fill=False, edgecolor="#0072b2", lw=2))
    axes.text(
        *(3.15, 0.42, "JGN\n600 Mb/s, 8000 km\n0.1 s and back"),
        ha="center",
        va="center",
        fontsize=8,
    )
    axes.set(xlim=(-0.7, 7.0), ylim=(-0.95, 1.15), aspect="equal")
    axes.axis("off")
    return figure


def window_phases(traces: pd.DataFrame, _: Runs) -> Drawing:
    """Draw windows over time, with the phases of standard TCP named."""
    figure, panels = plt.subplots(2, 1, sharex=True, sharey=True, figsize=(7, 4.6))
    for axes, (name, trace) in zip(panels, traces.groupby("name", sort=False), strict=True):
        axes.step(trace["time_s"], trace["cwnd_segments"], where="post", color="#0072b2")
        axes.set_ylabel("window (segments)")
        axes.set_title(name, fontsize=10)
    trace = traces[traces["name"] == "with SACK"]
    time, window = trace["time_s"].to_numpy(), trace["cwnd_segments"].to_numpy()
    top = int(window[time < 5].argmax())
    notes = [("slow start: doubles\nevery round trip", time[top], window[top], time[top] + 5)]
    falls = np.flatnonzero((np.diff(window) < -20) & (time[1:] > time[top] + 3))
    if len(falls) > 1:
        before, loss = falls[:2]
        middle = (time[loss] + time[before]) / 2
        height = window[np.searchsorted(time, middle) - 1]
        notes += [
            ("congestion avoidance: one\nsegment a round trip", middle, height, 19),
            ("a loss: halved", time[loss + 1], window[loss], 42),
        ]
    for text, x, y, at in notes:
        panels[0].annotate(
            text,
            (x, y),
            (at, 1.45 * window.max()),
            fontsize=8,
            va="center",
            arrowprops={"arrowstyle": "->", "lw": 0.8},
        )
    panels[0].set_ylim(0, 1.65 * window.max())
    panels[1].set_xlabel("time (s)")
    figure.suptitle("Without SACK the losses after slow start end in timeouts", fontsize=11)
    return figure


def kept_windows(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what one loss does to each window."""
    figure, axes = plt.subplots(figsize=(7, 3.4))
    for key, label in LABELS.items():
        one = table[table["algorithm"] == key]
        axes.plot(one["round_trip"], one["window"], color=COLORS[key], label=label, lw=1.2)
    axes.set(xlabel="round trips", ylabel="window (segments)", ylim=(0, None))
    axes.set_title("The larger the bite and the slower the growth, the emptier the pipe")
    axes.legend(frameon=False, ncols=3, loc="lower right")
    return figure


def mean_windows(response: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how large each window is on average."""
    figure, axes = plt.subplots()
    for name, (key, label) in zip(survey.RESPONSES, LABELS.items(), strict=True):
        axes.loglog(response["loss"], response[name], color=COLORS[key])
        place = {"standard": 1e-7, "highspeed": 1e-7, "scalable": 2e-6}[name]
        height = np.interp(place, response["loss"], response[name])
        right = name == "scalable"
        axes.annotate(
            label,
            (place, height),
            (6 if right else -6, 6 if right else -12),
            textcoords="offset points",
            color=COLORS[key],
            ha="left" if right else "right",
        )
    axes.axhline(JAPAN_WINDOW, color="0.5", linestyle=":")
    axes.annotate(
        "fills the JAPAN path", (1e-2, JAPAN_WINDOW), va="bottom", ha="right", color="0.4"
    )
    axes.set(xlabel="probability that a packet is lost", ylabel="mean window (segments)")
    axes.set_title("The rarer the loss, the further HSTCP and Scalable TCP are ahead")
    return figure


def region(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw a map a loss, over bottleneck and queue."""
    columns = table["loss"].nunique()
    figure, panels = plt.subplots(
        1, columns, sharex=True, sharey=True, figsize=(2.6 * columns + 1.6, 3), squeeze=False
    )
    for axes, (loss, part) in zip(panels.flat, table.groupby("loss"), strict=True):
        show.show_factors(axes, part, "mbps", "queue")
        axes.set_title(f"loss ${_power(loss)}$", fontsize=10)
    nearest = table["factor"].min()
    figure.suptitle(
        f"The nearest combination still misses one of the six by a factor of {nearest:.1f}",
        fontsize=11,
    )
    figure.supxlabel("bottleneck (Mb/s of payload)", fontsize=10)
    figure.supylabel("queue (packets)", fontsize=10)
    return figure


def _power(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.0e}".split("e")
    times = "" if mantissa == "1" else rf"{mantissa} \cdot "
    return rf"{times}10^{{{int(exponent)}}}"


def rates(rates: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the first run of each algorithm of figure 5, and the printed means."""
    printed = theory.printed()
    figure, panels = plt.subplots(3, 1, sharex=True, sharey=True, figsize=(7, 5))
    first = rates[rates["seed"] == 1]
    for axes, (key, label) in zip(panels, LABELS.items(), strict=True):
        one = first[first["algorithm"] == key]
        axes.plot(one["time_s"], one["Mb/s"], color=COLORS[key])
        axes.axhline(printed.at[key, "Mb/s"], color="0.4", ls=":", lw=1.2)
        axes.set_title(label, fontsize=10, color=COLORS[key])
    panels[0].set_ylim(bottom=0)
    panels[1].set_ylabel("goodput, means of 2 s (Mb/s)")
    panels[2].set_xlabel("time (s)")
    figure.suptitle("Standard TCP climbs, HSTCP saws, Scalable TCP trembles", fontsize=11)
    return figure


def against_printed(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the six numbers as parts of the printed ones, a row a number, the legs below it."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    numbers = list(dict.fromkeys(table["id"]))
    legs = list(dict.fromkeys(zip(table["engine"], table["seconds"], strict=True)))
    for row in table.itertuples():
        color = COLORS[next(key for key, name in LABELS.items() if name == row.algorithm)]
        leg = legs.index((row.engine, row.seconds))
        place, alpha = numbers.index(row.id) + 0.25 * leg, 1 if leg == 0 else 0.5
        if leg == 0:  # of so few runs as a minute has, bars would hide all else
            axes.plot([row.part_low, row.part_high], [place, place], color=color, lw=2, alpha=0.6)
        look = charts.hollow(row.engine) | {"color": color}
        axes.plot(row.part, place, linestyle="none", alpha=alpha, **look)
    for leg, (engine, seconds) in enumerate(legs):
        look = charts.hollow(engine) | {"color": "0.35", "alpha": 1 if leg == 0 else 0.5}
        axes.plot([], [], label=f"{engine}, {seconds:g} s", linestyle="none", **look)
    ours = table[: len(numbers)]
    names = [
        f"{row.algorithm}, {'goodput' if row.number == 'Mb/s' else 'loss'}"
        for row in ours.itertuples()
    ]
    axes.set_yticks(range(len(numbers)), names)
    axes.axvline(1, color="0.4", ls=":")
    axes.invert_yaxis()
    axes.set(xlabel="measured / printed", xlim=(0, None))
    missed = ((ours["printed"] < ours["low"]) | (ours["printed"] > ours["high"])).sum()
    axes.set_title(f"Fitted, and still {missed} of the six numbers are missed")
    axes.legend(fontsize=8)
    return figure


def buffers(rates: pd.DataFrame, _: Runs) -> Drawing:
    """Draw goodput over time by the send buffer, a panel a path."""
    figure, panels = plt.subplots(2, 1, sharex=True, figsize=(7, 5.5))
    for axes, (path, runs) in zip(panels, rates.groupby("path", sort=False), strict=True):
        for size, rate in runs.groupby("buffer", sort=False):
            auto = size == "auto"
            label = "grows with the window" if auto else _size(size)
            look = {"color": "black", "ls": ":"} if auto else {"color": BY_SIZE[size]}
            axes.plot(rate["time_s"], rate["Mb/s"], label=label, **look)
        axes.set_ylabel("goodput (Mb/s)")
        axes.set_title(_path(path), fontsize=10)
    lines, names = panels[0].get_legend_handles_labels()
    figure.legend(
        lines, [f"send buffer: {names[0]}", *names[1:]], loc="outside lower center", **BELOW
    )
    panels[1].set_xlabel("time (s)")
    figure.suptitle("A send buffer of 1 MB is a lid, on either path", fontsize=11)
    return figure


def _size(size: float) -> str:
    return f"{size / 1e6:g} MB" if size >= 1e6 else f"{size / 1e3:g} KB"


def _path(name: str) -> str:
    return "fitted path" if name == "fitted" else f"path of {name}, hardly any random loss"


def parallel(rates: pd.DataFrame, _: Runs) -> Drawing:
    """Draw the sum of parallel connections over time, a panel a path."""
    figure, panels = plt.subplots(2, 1, sharex=True, figsize=(7, 5.5))
    for axes, (path, runs) in zip(panels, rates.groupby("path", sort=False), strict=True):
        for connections, rate in runs.groupby("connections", sort=False):
            number, size = plan.CONNECTIONS[connections]
            color = BY_SIZE[size] if number == 1 else BY_NUMBER[number]
            label = connections.replace("x", "×")
            axes.plot(rate["time_s"], rate["Mb/s"], label=label, color=color)
        axes.set_ylabel("sum of goodputs (Mb/s)")
        axes.set_title(_path(path), fontsize=10)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", **BELOW)
    panels[1].set_xlabel("time (s)")
    figure.suptitle("More connections climb faster, and one loss costs less", fontsize=11)
    return figure


def remedies(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what each remedy makes of the path: means with 95 % intervals."""
    figure, axes = plt.subplots(figsize=(7, 4))
    names = [name for name in plan.REMEDIES if name in set(table["remedy"])]
    rows = table.set_index("remedy").loc[names]
    styles = dict(zip(LABELS.values(), COLORS.values(), strict=True))
    for place, (name, row) in enumerate(rows.iterrows()):
        color = styles.get(name, "0.35")
        axes.errorbar(row["Mb/s"], place, xerr=row["± Mb/s"], color=color, marker="o")
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.axvline(rows["Mb/s"].iloc[0], color="0.6", ls=":")
    axes.set(xlabel="goodput (Mb/s), mean with 95 % interval", xlim=(0, 330))
    axes.axvline(314, color="0.3", lw=1)
    axes.annotate("the path ", (314, 0), ha="right", va="center", color="0.3", fontsize=9)
    first, best = rows["Mb/s"].iloc[0], rows["Mb/s"].max()
    axes.set_title(
        f"Standard TCP has {100 * first / 314:.0f} % of the path, the best remedy "
        f"{100 * best / 314:.0f} %"
    )
    return figure


GROUP_LOOKS: dict[str, dict[str, Any]] = {
    group: {"color": color, "marker": marker}
    for (group, color), marker in zip(
        {
            files.HOSTS: "#0072b2",
            files.PARALLEL: "#6a3d9a",
            files.CONTROL: "#d55e00",
            files.DATAGRAMS: "#999933",
            files.ROUTERS: "#009e73",
            files.TODAY: "#aa4499",
        }.items(),
        ("o", "s", "D", "^", "P", "v"),
        strict=True,
    )
}


def surveyed(table: pd.DataFrame, _: Runs, down: bool = False) -> Drawing:
    """Draw how long a gigabyte takes, and what a neighbour keeps, a row a way.

    The two stand beside each other, or for a phone one below the other (`down`).
    """
    rows = table.sort_values("time_s", ascending=False)["how"]
    if down:
        figure, panels = plt.subplots(2, 1, figsize=(3.6, 8.5))
        panels[1].set_yticks(range(len(rows)), rows, fontsize=8)
    else:
        figure, panels = plt.subplots(1, 2, figsize=(9, 6), sharey=True)
    for axes, value, ends in (
        (panels[0], "time_s", ("time_low", "time_high")),
        (panels[1], "kept", ("kept_low", "kept_high")),
    ):
        for height, name in enumerate(rows):
            one = table[table["how"] == name].iloc[0]
            reach = [[one[value] - one[ends[0]]], [one[ends[1]] - one[value]]]
            look = GROUP_LOOKS[one["group"]]
            axes.errorbar(one[value], height, xerr=reach, linestyle="none", ms=6, **look)
    panels[0].set_yticks(range(len(rows)), rows, fontsize=8)
    panels[0].set(xscale="log", xlabel="time of a gigabyte, alone (s)")
    ticks = [20, 30, 50, 100, 200]
    panels[0].set_xticks(ticks, [str(tick) for tick in ticks])
    panels[0].minorticks_off()
    panels[1].axvline(1, color="0.6", ls=":")
    panels[1].set(xlim=(0, None), xlabel="kept by a standard TCP")
    panels[0].axvline(files.LINK_S, color="0.6", ls=":")
    names = [
        plt.Line2D([], [], ls="none", label=group, **look) for group, look in GROUP_LOOKS.items()
    ]
    place: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
    place["ncols"] = 1 if down else 3
    figure.legend(handles=names, fontsize=8, **place)
    title = "The fast ones are many; few of them leave the neighbour its part"
    figure.suptitle(textwrap.fill(title, 40) if down else title, fontsize=9 if down else 11)
    return figure


def queue_shares(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what standard TCP keeps, and how steady the other is, by the router's queue."""
    figure, panels = plt.subplots(2, 2, figsize=(8, 5.4), sharey="row", width_ratios=(3, 2))
    lengths = [f"{length:g}" for length in plan.LENGTHS]
    for second in ("highspeed", "scalable"):
        own = table[table["second"] == second].set_index("queue")
        for (left, right), value in zip(panels, ("kept", "variation"), strict=True):
            for axes, names in ((left, lengths), (right, ["1", *plan.MANAGED])):
                some = own.loc[names]
                reach = [some[value] - some[f"{value}_low"], some[f"{value}_high"] - some[value]]
                places = range(len(names))
                look = show.style(second) | {"linestyle": "-" if axes is left else "none"}
                axes.errorbar(places, some[value], yerr=reach, label=LABELS[second], **look)
    for left, right in panels:
        left.set_xticks(range(len(lengths)), lengths)
        right.set_xticks(range(1 + len(plan.MANAGED)), ["none", *plan.MANAGED], fontsize=8)
    panels[0, 0].set(ylabel="kept by standard TCP", ylim=(0, None))
    panels[1, 0].set(ylabel="deviation / mean, of 2 s", ylim=(0, None))
    panels[1, 0].set_xlabel("queue, as times what the path holds")
    panels[1, 1].set_xlabel("how a queue of 1 is managed")
    panels[0, 0].legend(frameon=False, fontsize=8)
    figure.suptitle(
        "A managed queue gives back to the neighbour what a long one takes", fontsize=11
    )
    return figure


def inverse(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how far each path is from figure 5's numbers, a row a mechanism."""
    figure, axes = plt.subplots(figsize=(8, 3.8))
    mechanisms = list(plan.MECHANISMS)
    for place, mechanism in enumerate(mechanisms):
        own = table[table["mechanism"] == mechanism].sort_values("draw")
        heights = place + 0.5 * (np.arange(len(own)) / max(1, len(own) - 1) - 0.5)
        for ordered, color in ((False, "0.7"), (True, "#0072b2")):
            some = (own["ordered"] == ordered).to_numpy()
            axes.plot(own["factor"][some], heights[some], "o", ms=3, color=color)
        axes.plot(own["factor"].min(), place, "D", ms=7, color="#d55e00", zorder=3)
    axes.set_yticks(range(len(mechanisms)), [textwrap.fill(name, 12) for name in mechanisms])
    axes.invert_yaxis()
    axes.set(xscale="log", xlim=(1, 100), xlabel="factor by which the worst of six is missed")
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.axvline(analysis.NEAR, color="0.6", ls=":")
    for label, marker, color in (
        ("nearest", "D", "#d55e00"),
        ("in the printed order", "o", "#0072b2"),
        ("in another order", "o", "0.7"),
    ):
        axes.plot([], [], ls="none", label=label, marker=marker, color=color)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", **BELOW)
    axes.set_title(
        f"{len(table)} paths, and the nearest misses by a factor of {table['factor'].min():.2f}"
    )
    return figure


def fast(windows: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw windows above, the queue below, and where theory has them."""
    queues, theory = analysis.fast_queue(runs), analysis.fast_theory(runs.setting)
    figure, panels = plt.subplots(2, 2, sharex=True, sharey="row", figsize=(7, 4.6))
    for column, flows in enumerate((1, 2)):
        upper, lower = panels[:, column]
        own = windows[windows["flows"] == flows]
        for number, (_, one) in enumerate(own.groupby("flow")):
            name = ("first", "second")[number] if flows == 2 else None
            upper.plot(
                one["time_s"],
                one["cwnd_segments"],
                label=name,
                color=(show.style("fast")["color"], "#7b3294")[number],
            )
        queue = queues[queues["flows"] == flows]
        lower.plot(queue["time_s"], queue["queue_packets"], color="0.3", lw=1)
        upper.axhline(theory.at[flows, "window"], color="black", ls=":")
        lower.axhline(theory.at[flows, "queue"], color="black", ls=":")
        upper.set_title("one connection" if flows == 1 else "two connections", fontsize=10)
        lower.set_xlabel("time (s)")
    panels[0, 0].annotate(
        "theory",
        (0.97, theory.at[1, "window"]),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        fontsize=8,
    )
    panels[0, 1].legend(frameon=False, fontsize="small")
    panels[0, 0].set_ylabel("window (segments)")
    panels[1, 0].set_ylabel("queue (packets)")
    figure.suptitle(
        "Alone FAST TCP stays where theory has it; a second one does not share", fontsize=11
    )
    return figure


def shares(means: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what each of two connections gets, with 95 % intervals."""
    figure, axes = plt.subplots(figsize=(7, 3.2))
    rows = means[means["queue"] == plan.FITTED_QUEUE].reset_index(drop=True)
    styles = dict(zip(LABELS.values(), COLORS.values(), strict=True))
    for place, row in rows.iterrows():
        for which, shift, name in zip(
            ("first", "second"), (-0.18, 0.18), row["pair"].split(" and "), strict=True
        ):
            axes.barh(
                place + shift,
                row[which],
                height=0.32,
                xerr=row[f"± {which}"],
                color=styles[name],
                error_kw={"lw": 1},
            )
            axes.annotate(
                name,
                (row[which] + np.nan_to_num(row[f"± {which}"]), place + shift),
                (8, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
    axes.set_yticks(range(len(rows)), [""] * len(rows))
    axes.invert_yaxis()
    axes.set(xlabel="goodput (Mb/s), mean with 95 % interval", xlim=(0, 190))
    axes.set_title("Beside a stronger rule standard TCP keeps little")
    axes.grid(axis="y", visible=False)
    return figure


def fairness(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw Jain's index over time, means over the repetitions."""
    figure, axes = plt.subplots()
    styles = dict(zip(LABELS.values(), COLORS.values(), strict=True))
    for pair, one in table.groupby("pair", sort=False):
        first, second = pair.split(" and ")
        line = "-" if first == second else "--"
        axes.plot(one["time_s"], one["jain"], label=pair, color=styles[second], ls=line)
    axes.set(xlabel="time (s)", ylabel="Jain's index, means of 10 s", ylim=(0.45, 1.02))
    axes.set_title("Standard TCP and HSTCP share with their own kind, Scalable TCP with nobody")
    axes.legend(frameon=False, fontsize="small")
    return figure


def stacks(traces: pd.DataFrame, _: Runs) -> Drawing:
    """Draw windows over time on Linux and on our engines, a panel an algorithm."""
    colors = {label: show.ENGINE_STYLE[name]["color"] for name, label in plan.STACKS.items()}
    figure, panels = plt.subplots(3, 1, sharex=True, sharey=True, figsize=(7, 6))
    for axes, (control, some) in zip(panels, traces.groupby("control", sort=False), strict=True):
        for stack, trace in some.groupby("stack", sort=False):
            axes.step(
                trace["time_s"],
                trace["cwnd_segments"],
                where="post",
                color=colors[stack],
                linewidth=1,
                label=stack,
            )
        axes.set_title(LABELS[plan.CONTROLS[control]], fontsize=10)
    panels[0].legend(frameon=False, ncols=2, fontsize="small")
    panels[1].set_ylabel("window (segments)")
    panels[2].set_xlabel("time (s)")
    figure.suptitle("Between losses Linux and the segment engine draw the same saw", fontsize=11)
    return figure


def claims(stated: pd.DataFrame, _: Runs) -> Drawing:
    """Draw every claim that has a number to hold: measured over what was printed or asked.

    A row a claim, in the colour of its verdict. A claim without such a number, as one that asks for
    an order, has its mark to the right of the axis. `stated` is of `claim_parts`.
    """
    figure, axes = plt.subplots(figsize=(9, 0.24 * len(stated) + 1.2))
    for place, row in enumerate(stated.itertuples()):
        color, marker = VERDICT_LOOKS[row.look]
        if np.isfinite(row.part):
            axes.plot([row.low, row.high], [place, place], color=color, lw=2, alpha=0.5)
            axes.plot(row.part, place, color=color, marker=marker, ls="")
        else:
            beside = axes.get_yaxis_transform()
            axes.plot(1.03, place, color=color, marker=marker, transform=beside, clip_on=False)
    axes.set_yticks(range(len(stated)), stated["label"], fontsize=8)
    axes.set_ylim(len(stated) - 0.5, -0.5)
    axes.axvline(1, color="0.4", ls=":")
    axes.set(
        xscale="log", xlim=(0.1, 12), xlabel="measured / printed, or / what the claim asks at least"
    )
    axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
    axes.set_title(wording.tally(stated.rename(columns={"look": "verdict"})), fontsize=11)
    present = [look for look in VERDICT_LOOKS if look in set(stated["look"])]
    marks = [
        axes.plot(
            [],
            [],
            color=VERDICT_LOOKS[look][0],
            marker=VERDICT_LOOKS[look][1],
            ls="",
            label="depends on a parameter" if look == "depends" else look,
        )[0]
        for look in present
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def claim_parts(judged: pd.DataFrame) -> pd.DataFrame:
    """Return what `claims` draws, a row a claim: label, kind, part, low, high (of 1) and look."""
    stated = judged.copy()
    by = stated["printed"].astype(float)
    bound = stated["bound_low"].where(np.isfinite(stated["bound_low"].astype(float)))
    upper = stated["bound_high"].where(np.isfinite(stated["bound_high"].astype(float)))
    by = by.fillna(bound.astype(float)).fillna(upper.astype(float))
    by = by.where(by > 0)
    words = [
        f"{number}  {textwrap.shorten(text, 66, placeholder=' …')}"
        for number, text in enumerate(stated["statement"], 1)
    ]
    table = pd.DataFrame({"label": words, "kind": stated["kind"].to_list()})
    for name in ("measured", "low", "high"):
        column = {"measured": "part"}.get(name, name)
        table[column] = (stated[name].astype(float) / by).clip(lower=0.1, upper=12)
    table["low"], table["high"] = (
        table["low"].fillna(table["part"]),
        table["high"].fillna(table["part"]),
    )
    table["look"] = [rules.verdict_class(verdict) for verdict in stated["verdict"]]
    return table
