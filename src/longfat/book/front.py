"""The front page: what the book found in ten lines and a picture, from verdicts and archive."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from longfat import papers, statistics, store
from longfat.book import show, tables
from longfat.papers import hybla

# What the lines say, by the id of the claim that has the number.
LINES = {
    "survey-10g-minutes": "To fill 10 Gb/s over 0.1 s, standard TCP may lose one packet in",
    "survey-mean-highspeed": "On the path that fits the survey's measurements best, HSTCP has",
    "hybla-s4-steady-rate-simulation-rare": "Hybla's model and ns-3 part up to a loss of 0.002 by",
    "hybla-s4-steady-rate-emulation-rare": "Hybla's model and Linux part up to the same loss by",
    "hybla-s4-steady-rate-simulation-frequent": "Where more is lost, its model and ns-3 part by",
    "tcpj-abstract-191": "TCP-J is faster than NewReno at a bit error rate of 4e-6 by",
    "tcpj-abstract-35": "It is faster there than Westwood by",
    "ucc-f8-above-newreno": "Over several bottlenecks two of UCC beat two of NewReno at least by",
    "ucc-s4-known": "After 100 packets at rho = 0.95 UCC has not seen the smallest delay in",
}


def lines() -> list[str]:
    """Return the ten lines: how the claims ended, and nine of them with the number measured."""
    judged = tables.verdicts()
    total = tables.verdict_counts().iloc[-1]
    counted = ", ".join(
        f"{total[verdict]} {verdict}" for verdict in statistics.VERDICTS if total.get(verdict)
    )
    judged = judged.set_index("id")
    found = [f"**{total['claims']} claims of four papers:** {counted}."]
    for identity, sentence in LINES.items():
        row = judged.loc[identity]
        interval = f" [{row['low']:.3g}, {row['high']:.3g}]" if row["low"] < row["high"] else ""
        printed = "" if pd.isna(row["printed"]) else f"printed: {row['printed']:g} {row['unit']}; "
        measured = f"{row['measured']:.3g}{interval} {row['unit']}".strip()
        found.append(f"{sentence} **{measured}** ({printed}{row['verdict']}).")
    return found


def overview() -> tuple[Figure, str]:
    """Return the picture of the front page, and its text for those who cannot see it."""
    figure, panels = show.subplots(2, 2, figsize=(9, 6.6))
    for draw, axes in zip((_survey, _hybla, _tcpj, _ucc), panels.flat, strict=True):
        draw(axes)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8)
    return figure, (
        "Four panels, one for each paper. Survey: goodput of standard TCP, HSTCP and Scalable TCP, "
        "printed beside measured. Hybla: throughput over loss, the model's line beside points of "
        "ns-3 and Linux. TCP-J: gains of TCP-J and Westwood over NewReno by bit error rate, "
        "printed beside measured. UCC: goodput of two flows together over loss, by congestion "
        "control."
    )


def _survey(axes) -> None:
    control = "flows.0.congestion_control.name"
    measured = statistics.interval(_mbps("survey-5"), [control], "Mb/s").set_index(control)
    names = {"standard": "standard TCP", "highspeed": "HSTCP", "scalable": "Scalable TCP"}
    claims = papers.claims("survey").set_index("id")["printed"]
    printed = [claims[f"survey-mean-{name}"] for name in names]
    rows = [
        measured.loc[next(index for index in measured.index if index.startswith(name))]
        for name in names
    ]
    places = np.arange(len(names))
    axes.plot(places, printed, linestyle="none", label="printed", **show.PAPER)
    axes.errorbar(
        places + 0.1,
        [row["Mb/s"] for row in rows],
        yerr=[row["halfwidth"] for row in rows],
        linestyle="none",
        label="measured, 95 % intervals",
        **show.SIMULATION,
    )
    axes.set_xticks(places, names.values())
    axes.set(title="Survey: a path of 0.1 s", ylabel="goodput (Mb/s)", xlim=(-0.5, 2.6))


def _hybla(axes) -> None:
    loss = np.geomspace(1e-6, 1e-2, 81)
    path: dict[str, Any] = {
        name: papers.value("hybla", name) for name in ("rtt", "rtt0", "max_window")
    }
    segment_bits = 8 * papers.value("hybla", "packet_size")
    model = hybla.throughput(loss=loss, **path) * segment_bits / 1e6
    axes.plot(loss, model, label="the paper's model", **show.MODEL)
    for experiment, label, style in (
        ("hybla-steady", "ns-3", show.SIMULATION),
        ("hybla-emulation-steady", "Linux", show.EMULATION),
    ):
        points = statistics.interval(_mbps(experiment), ["links.0.loss_per_packet"], "Mb/s")
        axes.errorbar(
            points["links.0.loss_per_packet"],
            points["Mb/s"],
            yerr=points["halfwidth"],
            linestyle="none",
            label=label,
            **style,
        )
    axes.set(title="Hybla: over a satellite", xscale="log")
    axes.set(xlabel="probability that a packet is lost", ylabel="goodput (Mb/s)")


def _tcpj(axes) -> None:
    errors = "links.2.loss_per_bit"
    runs = store.read_archive("tcpj-random-loss")
    runs["protocol"] = runs["flow"].str.rpartition(" ")[0]
    gained = statistics.gains(runs, "NewReno", [errors])
    printed = papers.table("tcpj", 2)
    for protocol, style in (("TCP-J", show.SIMULATION), ("Westwood", show.EMULATION)):
        axes.plot(
            printed.columns,
            printed.loc[protocol],
            linestyle="none",
            label=f"{protocol}, printed",
            **show.PAPER | {"color": style["color"], "fillstyle": "none"},
        )
        rows = gained[gained["protocol"] == protocol]
        axes.errorbar(
            rows[errors],
            rows["gain"],
            yerr=[rows["gain"] - rows["low"], rows["high"] - rows["gain"]],
            linestyle="none",
            label=f"{protocol}, measured",
            **style,
        )
    axes.set(title="TCP-J: over a radio link", xscale="log")
    axes.set(xlabel="bit error rate", ylabel="faster than NewReno by (%)")


def _ucc(axes) -> None:
    loss, control = "links.4.loss_per_packet", "flows.0.congestion_control.name"
    runs = _mbps("ucc-pairs-segment")
    runs = runs[runs[control] == runs["flows.1.congestion_control.name"]]
    pairs = runs.groupby([loss, control, "seed"])["Mb/s"].sum().reset_index()
    points = statistics.interval(pairs, [loss, control], "Mb/s")
    points = points[points[loss] > 0]
    names = {"ucc": "UCC", "chd": "CHD w/o DCC", "cubic": "CUBIC", "newreno": "NewReno"}
    for (name, label), style in zip(names.items(), show.CONTROLS, strict=False):
        line = points[points[control] == name]
        axes.errorbar(line[loss], line["Mb/s"], yerr=line["halfwidth"], label=label, **style)
    axes.set(title="UCC: two flows on a link of 10 Mb/s that errs", xscale="log")
    axes.set(xlabel="probability that a packet is lost", ylabel="goodput together (Mb/s)")


def _mbps(experiment: str) -> pd.DataFrame:
    archive = store.read_archive(experiment)
    return archive.assign(**{"Mb/s": archive["goodput_bps"] / 1e6})
