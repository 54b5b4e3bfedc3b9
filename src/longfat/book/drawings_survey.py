"""The figures of the survey's chapter: tables of its experiments in, drawings out."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from longfat import statistics
from longfat.book import show
from longfat.papers import survey
from longfat.papers.survey import experiments

COLORS = dict(zip(experiments.NAMES, ("#0072b2", "#d55e00", "#009e73"), strict=True))
JAPAN_WINDOW = 600e6 * 0.1 / 8 / 1500  # of the paper's path, segments


def windows(traces: pd.DataFrame) -> Figure:
    """Draw `experiments.windows`."""
    figure, panels = plt.subplots(2, 1, sharex=True, sharey=True)
    for axes, (name, trace) in zip(panels, traces.groupby("name", sort=False), strict=True):
        trace = statistics.held(trace, 60)
        axes.step(trace["time_s"], trace["cwnd_segments"], where="post")
        axes.annotate(name, (1.01, 0.5), xycoords="axes fraction")
        axes.set_ylabel("window (segments)")
    panels[0].set_title("Slow start, an avalanche of losses, then the sawtooth")
    panels[1].set_xlabel("time (s)")
    return figure


def mean_windows(response: pd.DataFrame) -> Figure:
    """Draw `experiments.mean_windows`."""
    figure, axes = plt.subplots()
    for name, (key, label) in zip(survey.RESPONSES, experiments.NAMES.items(), strict=True):
        axes.loglog(response["loss"], response[name], label=label, color=COLORS[key])
    axes.axhline(JAPAN_WINDOW, color="0.5", linestyle=":", label="JAPAN path")
    axes.set(xlabel="probability that a packet is lost", ylabel="mean window (segments)")
    axes.set_title("At a loss of 1e-7 HSTCP's window is 20 times standard TCP's")
    axes.legend(frameon=False)
    return figure


def region(table: pd.DataFrame) -> Figure:
    """Draw `experiments.region`: a row of maps a number of segments an ACK, a column a loss."""
    rows, columns = table["segments_per_ack"].nunique(), table["loss"].nunique()
    size = (8, 1 + 2.2 * rows)
    figure, panels = plt.subplots(
        rows, columns, sharex=True, sharey=True, figsize=size, squeeze=False
    )
    parts = table.groupby(["segments_per_ack", "loss"])
    for axes, ((segments, loss), part) in zip(panels.flat, parts, strict=True):
        show.show_factors(axes, part, "mbps", "queue")
        axes.set_title(f"loss {loss:g}, {segments:.0f} segment(s) an ACK")
    figure.supxlabel("bottleneck (Mb/s of payload)")
    figure.supylabel("queue (packets)")
    return figure


def rates(rates: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Draw the first run of each algorithm of `experiments.figure_5`, and the printed means."""
    figure, axes = plt.subplots()
    first = rates[rates["seed"] == 1]
    for key, label in experiments.NAMES.items():
        one = first[first["algorithm"] == key]
        axes.plot(one["time_s"], one["Mb/s"], label=label, color=COLORS[key])
        axes.axhline(printed.at[key, "Mb/s"], color=COLORS[key], ls=":", lw=1)
    axes.set(xlabel="time (s)", ylabel="goodput, 2 s means (Mb/s)", ylim=(0, None))
    axes.set_title("Standard TCP climbs, HSTCP saws, Scalable TCP trembles")
    axes.legend(frameon=False)
    return figure


def buffers(rates: pd.DataFrame) -> Figure:
    """Draw the rates of `experiments.figure_3` with a receive buffer that does not grow."""
    figure, panels = plt.subplots(2, 1, sharex=True, figsize=(7, 5.5))
    fixed = rates[(rates["receive"] != "auto") & ~rates["buffer"].isin([128_000, 512_000])]
    for axes, (path, runs) in zip(panels, fixed.groupby("path", sort=False), strict=True):
        for size, rate in runs.groupby("buffer", sort=False):
            auto = size == "auto"
            label = size if auto else f"{size / 1e6:g} MB"
            axes.plot(rate["time_s"], rate["Mb/s"], label=label, ls="--" if auto else "-")
        axes.set(ylabel="goodput (Mb/s)", title=path)
    panels[0].legend(frameon=False, ncols=2, fontsize="small")
    panels[1].set_xlabel("time (s)")
    return figure


def parallel(rates: pd.DataFrame) -> Figure:
    """Draw the rates of `experiments.figure_4`."""
    figure, panels = plt.subplots(2, 1, sharex=True, figsize=(7, 5.5))
    for axes, (path, runs) in zip(panels, rates.groupby("path", sort=False), strict=True):
        for connections, rate in runs.groupby("connections", sort=False):
            axes.plot(rate["time_s"], rate["Mb/s"], label=connections)
        axes.set(ylabel="sum of goodputs (Mb/s)", title=path)
    panels[0].legend(frameon=False)
    panels[1].set_xlabel("time (s)")
    return figure


def fast(found: experiments.Fast) -> Figure:
    """Draw `experiments.fast`: windows above, the queue below, and where theory has them."""
    figure, panels = plt.subplots(2, 1, sharex=True)
    for _, one in found.windows.groupby(["flows", "flow"]):
        panels[0].plot(one["time_s"], one["cwnd_segments"])
    for flows, queue in found.queue.groupby("flows"):
        panels[1].plot(queue["time_s"], queue["queue_packets"], label=f"{flows} FAST TCP")
    panels[0].axhline(found.window, color="black", ls=":", label="(38)")
    panels[1].axhline(experiments.FAST_ALPHA, color="black", ls=":", label="(39)")
    panels[0].set(ylabel="window (segments)")
    panels[0].set_title("FAST TCP goes to its fixed point and stays there")
    panels[1].set(xlabel="time (s)", ylabel="queue (packets)")
    panels[1].legend(frameon=False)
    return figure


def fairness(table: pd.DataFrame) -> Figure:
    """Draw Jain's index of `experiments.fairness`, means over the repetitions."""
    figure, axes = plt.subplots()
    for pair, one in table.groupby("pair", sort=False):
        mean = one.groupby("time_s")["jain"].mean()
        axes.plot(mean.index, mean, label=pair)
    axes.set(xlabel="time (s)", ylabel="Jain's index, 10 s means", ylim=(0.45, 1.02))
    axes.set_title("Only standard TCP shares with standard TCP")
    axes.legend(frameon=False, fontsize="small")
    return figure


def stacks(traces: pd.DataFrame) -> Figure:
    """Draw the windows of `experiments.stacks`, a panel a congestion control."""
    styles = (show.EMULATION, show.VARIANT, show.SIMULATION)
    colors = {
        stack: style["color"]
        for stack, style in zip(experiments.STACKS.values(), styles, strict=True)
    }
    figure, panels = plt.subplots(3, 1, sharex=True, sharey=True, figsize=(7, 6))
    for axes, (control, some) in zip(panels, traces.groupby("control", sort=False), strict=True):
        for stack, trace in some.groupby("stack", sort=False):
            trace = statistics.held(trace, experiments.STACKS_DURATION_S)
            axes.step(
                trace["time_s"],
                trace["cwnd_segments"],
                where="post",
                color=colors[stack],
                linewidth=1,
                label=stack,
            )
        axes.set_title(control, fontsize=10)
    panels[0].legend(frameon=False, ncols=3, fontsize="small")
    panels[1].set_ylabel("window (segments)")
    panels[2].set_xlabel("time (s)")
    figure.suptitle(
        "Linux draws the saw of the specification, ns-3's Scalable one twice as fine", fontsize=11
    )
    return figure
