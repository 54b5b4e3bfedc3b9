"""The charts of the chapter on UCC."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from longfat import measures, papers
from longfat.book import charts, show
from longfat.experiment import Runs, parts
from longfat.papers.ucc import analysis, plan
from longfat.papers.ucc.plan import CHD
from longfat.verdicts import rules, wording

ALPHA = 0.99  # utilization above which UCC takes a loss for congestion
CLOSE = 0.05  # of an estimate to the truth
SAME = "0.88"  # grey of the band in which two goodputs are almost the same


def over_loss(title: str, label: str, points: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw a goodput over the loss rate, a line a congestion control (`show.loss_figure`)."""
    return show.loss_figure(points, "Mb/s", "control", list(runs.setting.controls), title, label)


def minute(data: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what the chapter finds: goodput of two flows over loss, and estimate over truth.

    `data` has `analysis.equal_pair_points` and `analysis.held_windows`.
    """
    both, held = parts(data)
    both = both[both["control"].isin(["NewReno", "UCC", CHD]) & (both["loss"] > 0)]
    ours = both[both["engine"] == show.ENGINE_LABEL["segment"]]
    figure, (left, right) = show.subplots(1, 2, figsize=(8, 3.4))
    for name in ("NewReno", "UCC", CHD):
        line = ours[ours["control"] == name].sort_values("loss")
        look = show.style(name)
        left.errorbar(line["loss"], line["Mb/s"], yerr=line["halfwidth"], label=name, **look)
    charts.of_other_engines(left, both, "loss", "Mb/s", "control")
    left.set(xscale="log", xlabel="probability that a packet is lost", ylim=(0, 10.5))
    left.set(ylabel="goodput of two flows (Mb/s)", title="It keeps the radio link filled")
    left.legend(loc="lower left", fontsize=8)
    _estimates(right, held)
    right.set_title("but it does not measure utilization")
    return figure


def backoff(curves: pd.DataFrame, _: Runs) -> Drawing:
    """Draw figure 1 from `theory.backoff_curves`: its regions, a line a largest delay."""
    figure, axes = show.subplots(figsize=(7, 3.6))
    delay, *largest = curves.columns
    for column, line in zip(largest, ("-", "--"), strict=True):
        label = rf"$q_{{max}}$ = {column} ms"
        axes.plot(curves[delay], curves[column], line, color="black", label=label)
    axes.axvspan(5, 30, color=show.style("chd")["color"], alpha=0.12, linewidth=0)
    axes.axvspan(30, 50, color=show.style("newreno")["color"], alpha=0.12, linewidth=0)
    axes.annotate("region A\namong themselves", (17.5, 0.44), ha="center", fontsize=9)
    axes.annotate(
        "region B\nbeside flows that fill the queue", (40.5, 0.44), ha="center", fontsize=9
    )
    axes.set(xlabel=delay, ylabel="probability of a back-off", xlim=(0, 50), ylim=(0, 0.52))
    axes.set_xticks([0, 5, 30, 40, 50], ["0", "$q_{min}$\n5", "$q_{th}$\n30", "40", "50"])
    axes.set_title("HD and CHD back off most at the border of the two regions")
    axes.legend(loc="center left")
    return figure


def estimate_over_utilization(data: pd.DataFrame, _: Runs) -> Drawing:
    """Draw estimate over utilization.

    `data` has `analysis.held_windows` and `analysis.measured_estimates`.
    """
    held, measured = parts(data)
    figure, axes = show.subplots()
    _estimates(axes, held)
    look = show.style("ucc") | {"linestyle": "none", "marker": "o", "fillstyle": "none"}
    axes.plot(
        measured["utilization"], measured["estimate"], label="two flows, at their losses", **look
    )
    for loss in measured[measured["error"] > CLOSE].itertuples():
        axes.annotate(
            f"$p = {loss.loss:g}$",
            (loss.utilization, loss.estimate),
            xytext=(0, -13),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0.9), fontsize=8)
    busy = 100 * held["rho"][held["estimate"] < 0.5].max()
    axes.set_title(f"A link {busy:.1f} % busy looks idle; a standing queue looks like 100 %")
    return figure


def _estimates(axes: Axes, held: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], label="if it did", **show.MODEL)
    axes.plot(
        held["rho"],
        held["estimate"],
        linestyle="none",
        label=f"windows of {held['window'].min():g} to {held['window'].max():g} segments",
        **show.style("ucc") | {"markersize": 6},
    )
    axes.axhline(ALPHA, color="0.55", linewidth=0.8)
    axes.annotate(r"$\alpha$ = 0.99", (0.02, 0.93), color="0.4")
    axes.set(xlabel=r"utilization of the link $\rho$", ylabel=r"UCC's estimate $\hat\rho$")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0.9), fontsize=8)


def over_time(_: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw the window and the estimate of one UCC flow over time (`analysis.over_time`)."""
    run = runs.derived(analysis.over_time)
    figure, (above, below) = show.subplots(2, 1, figsize=(7, 5), sharex=True)
    look = {"color": show.style("ucc")["color"], "linewidth": 1.1}
    above.step(run.window["time_s"], run.window["cwnd_segments"], where="post", **look)
    losses = reactions(run)
    for kept, marker, text in ((True, "o", "kept"), (False, "v", "halved")):
        chosen = losses[losses["kept"] == kept]
        above.plot(
            chosen["time_s"],
            chosen["window"],
            marker,
            color="black",
            fillstyle="none" if kept else "full",
            markersize=6,
            label=f"a loss, window {text} ({len(chosen)})",
        )
    forgiven = f"UCC forgives {losses['kept'].sum()} of {len(losses)} losses"
    title = f"{forgiven}, and its estimate begins anew at each"
    above.set(ylabel="window (segments)", title=title)
    above.set_ylim(0, 1.25 * run.window["cwnd_segments"].iloc[20:].max())
    above.legend(loc="upper right", fontsize=8, ncols=2)
    below.step(
        run.estimate["time_s"],
        run.estimate["utilization"],
        where="post",
        label="its estimate since the last loss",
        **look,
    )
    below.step(run.true["time_s"], run.true["true"], where="pre", label="the link", **show.MODEL)
    below.axhline(ALPHA, color="0.55", linewidth=0.8)
    below.set(xlabel="time (s)", ylabel="utilization", xlim=(0, run.end_s), ylim=(0, 1.05))
    place = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
    below.legend(**place, fontsize=8, ncols=2, frameon=False, borderaxespad=0)
    return figure


def reactions(run: analysis.OverTime) -> pd.DataFrame:
    """Return the losses of `analysis.over_time`: time_s, window before, kept (or halved).

    A loss sets the slow-start threshold: to the window, where that is kept, or to half of it.
    """
    changed = run.threshold[run.threshold["ssthresh_segments"].diff() != 0].iloc[1:]
    times = changed["time_s"].to_numpy()
    before = measures.values_at(run.window, "cwnd_segments", times - 0.05)
    kept = changed["ssthresh_segments"].to_numpy() > 0.75 * before
    return pd.DataFrame({"time_s": times, "window": before, "kept": kept})


def neighbours(table: pd.DataFrame, runs: Runs) -> Drawing:
    """Draw what a neighbour gets, over what it gets beside its own kind: a panel a neighbour.

    `table` is of `analysis.neighbours_by_engine`, with engines as readers know them; those of ns-2
    are hollow. The band is "almost the same": within the setting's factor of equivalence.
    """
    factor = runs.setting.equivalence_factor
    figure, panels = show.subplots(1, 3, figsize=(9, 3.4), sharey=True)
    smallest = table.loc[table["loss"] > 0, "loss"].min()
    ns2, segment = show.ENGINE_LABEL["ns2"], show.ENGINE_LABEL["segment"]
    drawn = [(segment, "UCC"), (segment, CHD), (ns2, "UCC")]
    for axes, (name, rows) in zip(panels, table.groupby("neighbour", sort=False), strict=True):
        axes.axhspan(1 / factor, factor, color=SAME, linewidth=0)
        for engine, control in drawn:
            line = rows[(rows["control"] == control) & (rows["engine"] == engine)]
            line = line.sort_values("loss")
            error = [line["measured"] - line["low"], line["high"] - line["measured"]]
            label, look = f"beside {control}", dict(show.style(control))
            if engine == ns2:
                label, color = f"{label}, {ns2}", look["color"]
                look = charts.hollow(ns2) | {"color": color, "linestyle": "none"}
            if not line.empty:
                axes.errorbar(line["loss"], line["measured"], yerr=error, label=label, **look)
        axes.set_xscale("symlog", linthresh=smallest, linscale=0.5)
        axes.set(
            xlabel="probability of a loss", title=f"a {name} neighbour", xlim=(-smallest / 10, None)
        )
    panels[0].set(ylabel="over what it gets beside its own kind")
    panels[0].legend(fontsize=8)
    figure.suptitle("A neighbour loses little beside UCC, and more beside CHD without DCC")
    return figure


MEND_LOOKS = {
    mend: {"color": color, "marker": marker, "linestyle": "none"}
    for mend, (color, marker) in zip(
        plan.MENDS, (("#d55e00", "o"), ("#0072b2", "s"), ("#009e73", "^")), strict=True
    )
}


def clocks(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw UCC by its clocks, as printed and mended: its goodput, and what a neighbour keeps."""
    figure, panels = show.subplots(1, 2, figsize=(9, 4.4), sharey=True)
    names = list(dict.fromkeys(table["clock"]))[::-1]
    many, few = table["loss"].max(), sorted(table["loss"].unique())[1]
    for axes, loss, value, ends in (
        (panels[0], many, "two_mbps", ("low", "high")),
        (panels[1], few, "kept", ("kept_low", "kept_high")),
    ):
        own = table[table["loss"] == loss]
        for place, (mend, look) in enumerate(MEND_LOOKS.items()):
            some = own[own["mend"] == mend].set_index("clock").loc[names]
            reach = [some[value] - some[ends[0]], some[ends[1]] - some[value]]
            heights = [height + 0.2 * (1 - place) for height in range(len(names))]
            axes.errorbar(some[value], heights, xerr=reach, label=mend, **look)
        if value == "two_mbps":
            references = own.drop_duplicates("clock").set_index("clock")["reference_mbps"]
            places = range(len(names))
            axes.plot(references[names], places, "|", color="0.4", ms=14, label="two of NewReno")
        else:
            axes.axvline(1, color="0.6", ls=":")
    panels[0].set_yticks(range(len(names)), names, fontsize=8)
    panels[0].set(xlim=(0, 10), xlabel=f"two UCC flows (Mb/s), {100 * many:.0f} % lost")
    panels[1].set(xlim=(0, None), xlabel=f"kept by NewReno beside UCC, {100 * few:.1f} % lost")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.suptitle("By clocks that drift UCC is NewReno; a tolerance and a young minimum mend it")
    return figure


def managed(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what NewReno keeps beside UCC and CHD by how the queue is managed, a panel a loss."""
    losses = list(dict.fromkeys(table["loss"]))
    figure, panels = show.subplots(1, len(losses), figsize=(9, 3.4), sharey=True)
    for axes, loss in zip(panels, losses, strict=True):
        for shift, control in ((-0.12, "UCC"), (0.12, CHD)):
            own = table[(table["loss"] == loss) & (table["control"] == control)]
            reach = [own["kept"] - own["kept_low"], own["kept_high"] - own["kept"]]
            places = [place + shift for place in range(len(own))]
            look = show.style(control) | {"linestyle": "none"}
            axes.errorbar(places, own["kept"], yerr=reach, label=f"beside {control}", **look)
        axes.axhline(1, color="0.6", ls=":")
        axes.set_xticks(range(len(own)), own["queue"], fontsize=8)
        axes.set_title(f"{100 * loss:g} % lost" if loss else "nothing lost at random", fontsize=10)
    panels[0].set(ylabel="kept by a NewReno neighbour", ylim=(0, None))
    panels[0].legend(fontsize=8, loc="center left")
    figure.suptitle("Where a queue is kept short there is less for UCC to see")
    return figure


def alphas(table: pd.DataFrame, _: Runs) -> Drawing:
    """Draw what NewReno keeps beside UCC by the threshold, a line a buffer, a panel a loss."""
    losses = list(dict.fromkeys(table["loss"]))
    figure, panels = show.subplots(1, len(losses), figsize=(8, 3.6), sharey=True)
    colors = ("#d55e00", "#e69f00", "#009e73", "#56b4e9", "#0072b2")
    for axes, loss in zip(panels, losses, strict=True):
        for color, (buffer, own) in zip(
            colors, table[table["loss"] == loss].groupby("buffer"), strict=True
        ):
            reach = [own["measured"] - own["low"], own["high"] - own["measured"]]
            places = range(len(own))
            label = f"{buffer:g} packets"
            axes.errorbar(places, own["measured"], yerr=reach, color=color, marker="o", label=label)
        axes.axhline(1, color="0.6", ls=":")
        axes.set_xticks(range(len(own)), [f"{alpha:g}" for alpha in own["alpha"]])
        axes.set_xlabel(r"$\alpha$")
        axes.set_title(f"{100 * loss:g} % lost" if loss else "nothing lost at random", fontsize=10)
    panels[0].set(ylabel="kept by a NewReno neighbour", ylim=(0, None))
    panels[0].legend(fontsize=8, title="buffer", title_fontsize=8)
    figure.suptitle("A smaller threshold spares the neighbour, and most in short buffers")
    return figure


VERDICT_COLORS = {
    "reproduced": "#009e73",
    "depends": "#e69f00",
    "not reproduced": "#d55e00",
}


def verdicts(judged: pd.DataFrame, _: Runs) -> Drawing:
    """Draw how the claims stand: those on ratios with their intervals, and each with its verdict.

    `judged` is of `judge`. Grey is where a ratio agrees with its claim.
    """
    rows = judged.merge(papers.claims("ucc")[["id", "short"]], on="id")
    names = [f"{number}  {short}" for number, short in enumerate(rows["short"], 1)]
    figure, axes = show.subplots(figsize=(8, 0.5 + 0.34 * len(rows)))
    least, most = 0.03, 12.0
    for y, row in enumerate(rows.itertuples()):
        kind = rules.verdict_class(row.verdict)
        color = VERDICT_COLORS.get(kind, "0.5")
        if row.unit == "times":
            left, right = max(least, row.bound_low), min(most, row.bound_high)
            axes.fill_betweenx([y - 0.36, y + 0.36], left, right, color=SAME, linewidth=0)
            ends = [max(least, row.low), min(most, row.high)]
            axes.plot(ends, [y, y], color=color, linewidth=2)
            axes.plot(min(most, max(least, row.measured)), y, "o", color=color, markersize=5)
        axes.text(
            most * 1.15,
            y,
            kind,
            color=color,
            va="center",
            fontsize=9,
            weight="bold",
        )
    axes.axvline(1, color="0.6", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), names)
    axes.set(xscale="log", xlim=(least, most), ylim=(len(rows) - 0.5, -0.5))
    ticks = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_title(wording.tally(rows))
    axes.set_xlabel("measured, at the point that decides: times the reference, with its interval")
    axes.grid(False)
    axes.tick_params(axis="y", length=0)
    return figure
