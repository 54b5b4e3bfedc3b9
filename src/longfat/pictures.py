"""Pictures of a scenario (its network and flows) and of a result (its series over time).

`longfat draw` and `longfat simulate --plot` write them.
"""

import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat import style
from longfat.errors import InputError
from longfat.links import Link, LinkChange
from longfat.result import Result
from longfat.scenario import Flow, Scenario
from longfat.style import quantity, short_name

if TYPE_CHECKING:
    import networkx
    import pandas as pd
    from matplotlib.figure import Figure

HOP, ROW = 2.6, 1.15  # inches between two nodes of a path, and between two that stand side by side
DOWN_WIDTH, DOWN, ACROSS = 3.4, 0.75, 2.2  # of a drawing from the top down
ABOVE = 0.15  # from a link to the first flow on it, and from flow to flow
LINE = 0.16  # of text

# What a panel of `plot` shows: the series, its label, what a point is multiplied by.
PANELS = {
    "goodput_bps": ("goodput (Mb/s)", 1e-6),
    "cwnd_segments": ("window (segments)", 1.0),
    "rtt_s": ("round trip (ms)", 1e3),
    "queue_packets": ("queue (packets)", 1.0),
    "bandwidth_bps": ("its estimate of\nbandwidth (Mb/s)", 1e-6),
    "utilization": ("its estimate of\nutilization", 1.0),
    "sent_bytes": ("sent (MB)", 1e-6),
}
# What `longfat simulate --plot` records where the scenario does not say.
RECORDED = ("delivered_bytes", "cwnd_segments", "ssthresh_segments", "rtt_s", "queue_packets")
BINS = 60  # of the goodput over time


def save(figure: "Figure", path: Path, **options: Any) -> None:
    """Write a figure to a file, the same bytes each time; the file's end says what it is.

    `options` are those of matplotlib's savefig.

    Raises InputError for an end that matplotlib does not know, and for a file that cannot be
    written.
    """
    from matplotlib import rc_context

    kind = path.suffix.lstrip(".").lower()
    known = sorted(figure.canvas.get_supported_filetypes())
    if kind not in known:
        raise InputError(f"{path}: a picture's name ends in one of .{', .'.join(known)}")
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    try:
        with rc_context({"svg.hashsalt": style.RC["svg.hashsalt"]}):
            figure.savefig(path, metadata=date, dpi=150, **options)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def svg(figure: "Figure", **options: Any) -> str:
    """Return a figure as SVG, the same text each time; `options` are those of `save`.

    Nothing stands between its tags: what is indented is a tenth longer.
    """
    from matplotlib import rc_context

    with io.StringIO() as text, rc_context({"svg.hashsalt": style.RC["svg.hashsalt"]}):
        figure.savefig(text, format="svg", metadata={"Date": None}, **options)
        return re.sub(r">\s+<", "><", text.getvalue())


# --- the network


def draw(scenario: Scenario, down: bool = False) -> "Figure":
    """Return a drawing of a scenario for matplotlib: nodes, links, and the way of each flow.

    Nodes stand from left to right in the order in which packets pass them, or from the top `down`.
    At a link: rate, delay, queue, losses, and what changes while it runs. A dashed link loses
    packets. A flow is a line in its algorithm's colour; a dashed one is the way after a reroute.

    >>> from longfat import pictures, topologies
    >>> figure = pictures.draw(topologies.satellite(loss=1e-4))
    >>> figure.savefig("satellite.svg")  # doctest: +SKIP
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    ways = _ways(scenario)
    places = _places(scenario, [path for _, paths in ways for _, path in paths])
    columns = 1 + max(x for x, _ in places.values())
    heights = [y for _, y in places.values()]
    lines = max(link_text(link, link).count("\n") for link in scenario.links)
    spread = max(heights) - min(heights)
    row_height = ROW + LINE * max(0, lines - 1) * bool(spread)
    busiest = len(_groups(ways))
    above, below = 0.5 + ABOVE * (busiest + 1), 0.4 + LINE * lines
    size = (HOP * (columns - 1) + 1.7, row_height * spread + above + below)
    if down:
        hop = DOWN + LINE * lines + ABOVE * busiest
        size = (DOWN_WIDTH, hop * (columns - 1) + above + 0.6)
        row_width = min(ACROSS, (DOWN_WIDTH - 1.2) / (spread or 1))
    with rc_context(style.RC):
        figure = Figure(figsize=size)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_aspect("equal")
        if down:
            at = {node: (row_width * y, -hop * x) for node, (x, y) in places.items()}
            left = row_width * (max(heights) + min(heights)) / 2 - DOWN_WIDTH / 2
            bottom = -hop * (columns - 1) - 0.6
        else:
            at = {node: (HOP * x, row_height * y) for node, (x, y) in places.items()}
            left, bottom = -0.85, row_height * min(heights) - below
        axes.set(xlim=(left, left + size[0]), ylim=(bottom, bottom + size[1]))
        _draw_links(axes, scenario, at, down)
        _draw_flows(axes, ways, at, down)
        _draw_nodes(axes, scenario, at)
    return figure


Way = list[tuple[float, tuple[str, ...]]]  # from when on, along which nodes


def _ways(scenario: Scenario) -> list[tuple[Flow, Way]]:
    """Return each flow with its paths and from when on it takes them."""
    import networkx  # takes a while, and only drawings need it

    network = networkx.DiGraph((link.source, link.target) for link in scenario.links)
    found = []
    for flow in scenario.flows:
        first = flow.path or (flow.source,)
        for stop in () if flow.path else (*flow.relays, flow.target):
            first += tuple(networkx.single_source_shortest_path(network, first[-1])[stop][1:])
        found.append((flow, [(flow.start_s, first), *((r.at_s, r.path) for r in flow.reroutes)]))
    return found


def _places(scenario: Scenario, paths: list[tuple[str, ...]]) -> dict[str, tuple[int, float]]:
    """Return each node's column and row: along the paths, the common part of them in the middle."""
    order, columns = _columns(scenario, paths)
    sources = [node for node in order if not order.in_degree(node) and order.out_degree(node)]
    for node in sources:  # a source stands beside what it sends to
        columns[node] = min(columns[after] for after in order[node]) - 1
    inner = [node for node in order if order.in_degree(node) and order.out_degree(node)]
    rows: dict[str, float] = {}
    for column in sorted(set(columns.values())):
        here = [node for node in order if columns[node] == column]
        middle = [node for node in here if node in inner]
        ends = [node for node in here if node not in inner]
        rows |= {node: (len(middle) - 1) / 2 - n for n, node in enumerate(middle)}
        for n, node in enumerate(ends):
            beside = (n // 2 + 1) * (-1 if n % 2 == 0 else 1)  # below what is there, then above
            rows[node] = beside if middle else (len(ends) - 1) / 2 - n
    return {node: (columns[node], rows[node]) for node in order}


def _columns(
    scenario: Scenario, paths: list[tuple[str, ...]]
) -> tuple["networkx.DiGraph", dict[str, int]]:
    """Return which node stands before which, without a circle, and how many are before each.

    The order is first that of the paths, then that of the links.
    """
    import networkx

    order = networkx.DiGraph()
    order.add_nodes_from(scenario.nodes)

    def add(hops: Iterable[tuple[str, str]]) -> None:
        for one, other in hops:
            if not networkx.has_path(order, other, one):
                order.add_edge(one, other)

    for path in paths:
        hops = list(itertools.pairwise(path))
        if any(networkx.has_path(order, other, one) for one, other in hops):
            hops = [(other, one) for one, other in hops]  # it goes where an earlier one came from
        add(hops)
    add((link.source, link.target) for link in scenario.links)
    generations = enumerate(networkx.topological_generations(order))
    return order, {node: column for column, nodes in generations for node in nodes}


def _draw_links(
    axes: Any, scenario: Scenario, at: dict[str, tuple[float, float]], down: bool
) -> None:
    links = {(link.source, link.target): link for link in scenario.links}
    said: set[tuple[float, str]] = set()
    way = (lambda node: -at[node][1]) if down else (lambda node: at[node][0])

    def aside(one: str, other: str) -> bool:
        return way(one) == way(other)

    for (one, other), link in links.items():
        if (way(one), one) > (way(other), other):
            continue  # its other direction is drawn
        (x0, y0), (x1, y1) = at[one], at[other]
        lossy = any(_loses(each) for each in (link, links[other, one]))
        axes.plot((x0, x1), (y0, y1), color="0.45", linewidth=1.6, ls=(0, (3, 2)) if lossy else "-")
        text = link_text(link, links[other, one], scenario.duration_s)
        beside = [
            hop for hop in links if other == hop[1] and aside(hop[0], one) and hop[0] != one
        ] + [hop for hop in links if one == hop[0] and aside(hop[1], other) and hop[1] != other]
        same = any(
            link_text(links[hop], links[hop[::-1]], scenario.duration_s) == text for hop in beside
        )
        if (way(one), text) in said and same:
            continue
        said.add((way(one), text))
        text = f"each {text}" if same else text
        share = 0.5  # of the way
        if down and x0 != x1:  # where the ends that stand side by side are further apart
            middle = sum(axes.get_xlim()) / 2
            share = 0.35 if abs(x0 - middle) > abs(x1 - middle) else 0.65
        axes.text(
            x0 + share * (x1 - x0),
            y0 + share * (y1 - y0) - (0.09 if y0 == y1 else -0.02),
            text,
            ha="center",
            va="top" if y0 == y1 else "center",
            fontsize=8,
            color="0.2",
            linespacing=1.25,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
            zorder=2.5,
        )


def _loses(link: Link) -> bool:
    changes = any(change.loss_per_packet or change.loss_per_bit for change in link.changes)
    return bool(link.loss_per_packet or link.loss_per_bit or changes)


def link_text(link: Link, back: Link, until_s: float = math.inf) -> str:
    """Return what stands at a link: rate and delay, queue, losses, changes, what differs back."""
    lines = [f"{quantity(link.rate_bps, 'b/s')}, {quantity(link.delay_s, 's')}", _queue(link)]
    lines += _losses(link)
    if link.mark_above_packets:
        lines.append(f"marks above {link.mark_above_packets} packets")
    lines += _assistance(link)
    for outage in link.outages[:2]:
        end_s = outage.start_s + outage.duration_s
        end = "s on" if end_s >= until_s else f"to {end_s:g} s"
        lines.append(f"down from {outage.start_s:g} {end}")
    if len(link.outages) > 2:
        lines.append(f"and {len(link.outages) - 2} more outages")
    for change in link.changes[:2]:
        new = [
            *([quantity(change.rate_bps, "b/s")] if change.rate_bps is not None else []),
            *([quantity(change.delay_s, "s")] if change.delay_s is not None else []),
            *_losses(change),
        ]
        lines.append(f"from {change.at_s:g} s on {', '.join(new) or 'no loss'}")
    other = []
    if back.rate_bps != link.rate_bps:
        other.append(quantity(back.rate_bps, "b/s"))
    if back.delay_s != link.delay_s:
        other.append(quantity(back.delay_s, "s"))
    other += [line for line in _losses(back) if line not in _losses(link)]
    if other:
        lines.append(f"back: {', '.join(other)}")
    return "\n".join(lines)


def _queue(link: Link) -> str:
    if link.queue_packets is not None:
        return f"queue {link.queue_packets} packets"
    return f"queue {quantity(link.queue_bytes or 0, 'B')}"


def _assistance(link: Link) -> list[str]:
    """Return what a link does besides sending and losing."""
    lines = []
    if link.aqm:
        lines.append(
            {"red": "RED", "codel": "CoDel", "fq_codel": "FQ-CoDel", "pie": "PIE"}[link.aqm.kind]
        )
    if bursts := link.loss_bursts:
        share = style.number(bursts.loss_per_packet)
        lines.append(f"{share} lost in bursts of {bursts.mean_packets:g}")
    if link.arq:
        lines.append(f"ARQ, {link.arq.persistence} times at most")
    if link.delivery_ms:
        lines.append("rate by a trace")
    return lines


def _losses(link: Link | LinkChange) -> list[str]:
    per = {"packet": link.loss_per_packet, "bit": link.loss_per_bit}
    return [f"{style.number(value)} lost per {what}" for what, value in per.items() if value]


def _groups(ways: list[tuple[Flow, Way]]) -> dict[tuple, list[tuple[Flow, Way]]]:
    """Return the flows that look the same (path and algorithm), together."""
    found: dict[tuple, list[tuple[Flow, Way]]] = {}
    for flow, way in ways:
        paths = tuple(path for _, path in way)
        found.setdefault((paths, flow.congestion_control.name), []).append((flow, way))
    return found


def _draw_flows(
    axes: Any, ways: list[tuple[Flow, Way]], at: dict[str, tuple[float, float]], down: bool
) -> None:
    groups = _groups(ways)
    order = sorted(groups, key=lambda group: -at[group[0][0][0]][1])  # the highest source on top
    using: dict[frozenset[str], list[tuple]] = {}
    for group in order:
        for hop in dict.fromkeys(hop for path in group[0] for hop in itertools.pairwise(path)):
            using.setdefault(frozenset(hop), []).append(group)
    labelled: dict[str, int] = {}
    for group in reversed(order):
        (path, *others), name = group
        color = style.style(name)["color"]
        flow, way = groups[group][0]

        def beside(one: str, other: str, group: tuple = group) -> tuple[float, float]:
            here = using[frozenset((one, other))]
            far = ABOVE * (len(here) - here.index(group))
            return (-far, 0.0) if down else (0.0, far)

        _draw_way(axes, path, at, beside, color, "-")
        for number, other in enumerate(others):
            _draw_way(axes, other, at, beside, color, ":")
            parting = next(n for n, node in enumerate(other) if n and node not in path)
            (x0, y0), (x1, y1) = at[other[parting - 1]], at[other[parting]]
            text = f"from {way[number + 1][0]:g} s on"
            place = (x0 + 0.55 * (x1 - x0), y0 + 0.55 * (y1 - y0) - 0.55)
            if down:
                place = (x0 + 0.4 * (x1 - x0) - 0.15, y0 + 0.4 * (y1 - y0))
            axes.text(*place, text, color=color, fontsize=8, ha="right" if down else "center")
        source = path[0]
        level = labelled[source] = labelled.get(source, -1) + 1
        busy = max(len(using[frozenset(hop)]) for hop in _hops_of(using, source))
        x, y = at[source]
        axes.text(
            x - 0.35,
            y + 0.2 + ABOVE * busy + 1.15 * LINE * level,
            flow_text(flow, len(groups[group])),
            color=color,
            fontsize=9,
            weight="bold",
        )


def _hops_of(using: dict[frozenset[str], list[tuple]], node: str) -> list[frozenset[str]]:
    return [hop for hop in using if node in hop]


def flow_text(flow: Flow, count: int = 1) -> str:
    """Return what a flow's line is called: its algorithm, and how much it sends."""
    name = flow.congestion_control.name
    text = f"{count} × " if count > 1 else ""
    text += short_name(name)
    if flow.bytes:
        text += f", {quantity(flow.bytes, 'B')}"
    return text


def _draw_way(
    axes: Any,
    path: Sequence[str],
    at: dict[str, tuple[float, float]],
    beside: Callable[[str, str], tuple[float, float]],
    color: str,
    ls: str,
) -> None:
    points: list[tuple[float, float]] = []
    for one, other in itertools.pairwise(path):
        (x0, y0), (x1, y1) = at[one], at[other]
        right, up = beside(one, other)
        for part in (0.1, 0.9):
            points.append((x0 + part * (x1 - x0) + right, y0 + part * (y1 - y0) + up))
    x, y = zip(*points, strict=True)
    axes.plot(x, y, color=color, linewidth=2, ls=ls, solid_capstyle="round", zorder=2)
    arrow = {"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
    tip = (x[-1] + 0.04 * (x[-1] - x[-2]), y[-1] + 0.04 * (y[-1] - y[-2]))
    axes.annotate("", tip, (x[-1], y[-1]), arrowprops=arrow)


def _draw_nodes(axes: Any, scenario: Scenario, at: dict[str, tuple[float, float]]) -> None:
    ends = {node for flow in scenario.flows for node in (flow.source, flow.target)}
    relays = {node for flow in scenario.flows for node in flow.relays}
    for node, (x, y) in at.items():
        face = "#fdf3e0" if node in relays else "white" if node in ends else "#e8e8e8"
        axes.text(
            x,
            y,
            f"{node}\n(relay)" if node in relays and node != "relay" else node,
            ha="center",
            va="center",
            fontsize=9,
            color="black",
            zorder=4,
            bbox={
                "boxstyle": "round,pad=0.45" if node in ends else "square,pad=0.45",
                "facecolor": face,
                "edgecolor": "black",
                "linewidth": 2 if node in relays else 1,
            },
        )


# --- what happened over time


def plot(result: Result, series: Sequence[str] | str | None = None) -> "Figure":
    """Return a result's series over time, a panel each.

    `series` are names of `PANELS` (a window brings its slow-start threshold; goodput_bps is made
    from delivered_bytes); without it, all that the run recorded. A flow has its algorithm's
    colour. Where a flow is alone, its window says which part was slow start, where it was made
    smaller and where a timeout set it back, as far as the recorded points tell (`phases`). Raises
    InputError for a series that the run did not record.
    """
    import numpy as np
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    recorded = [
        name
        for name in PANELS
        if name in result.traces or (name == "goodput_bps" and "delivered_bytes" in result.traces)
    ]
    names = recorded if series is None else [series] if isinstance(series, str) else list(series)
    if missing := [name for name in names if name not in recorded] or not names:
        what = missing[0] if isinstance(missing, list) else "no series"
        raise InputError(
            f"plot: {what} was not recorded: the run has {', '.join(recorded) or 'none'}; "
            "the scenario's field record.series says what a run keeps"
        )
    with rc_context(style.RC):
        figure = Figure(figsize=(8, 0.5 + 1.75 * len(names)), layout="constrained")
        panels = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
        for axes, name in zip(panels, names, strict=True):
            _panel(axes, result, name)
        panels[-1].set(xlabel="time (s)", xlim=(0, result.scenario.duration_s))
        figure.align_ylabels(panels)
    return figure


def window(axes: Any, result: Result) -> None:
    """Draw the congestion window of a result's flow into `axes`, its phases without a legend."""
    _panel(axes, result, "cwnd_segments")
    if legend := axes.get_legend():
        legend.remove()
    axes.set(xlabel="time (s)", xlim=(0, result.scenario.duration_s))


def _panel(axes: Any, result: Result, name: str) -> None:
    label, factor = PANELS[name]
    styles = _flow_styles(result.scenario)
    table = result.traces["delivered_bytes" if name == "goodput_bps" else name]
    carrier = table.columns[0]
    groups = list(table.groupby(carrier, sort=False))
    groups = [(who, rows) for who, rows in groups if carrier == "flow" or rows[name].max() > 0]
    for number, (who, rows) in enumerate(groups):
        look = styles.get(who) if carrier == "flow" else None
        look = look or {"color": f"{0.2 + 0.5 * number / len(groups):.2f}"}
        time, value = rows["time_s"].to_numpy(), None
        if name == "goodput_bps":
            time, value = goodput(rows, result.scenario.duration_s)
            axes.step(time, factor * value, where="mid", label=who, **look)
            continue
        value = factor * rows[name].to_numpy()
        axes.step(time, value, where="post", label=who, linewidth=1.2, **look)
        if name == "cwnd_segments" and "ssthresh_segments" in result.traces:
            thresholds = result.traces["ssthresh_segments"]
            thresholds = thresholds[thresholds["flow"] == who]
            if len(groups) == 1:
                _mark(axes, rows, thresholds, look["color"])
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    if len(groups) > 1:
        axes.legend(fontsize=8, ncols=min(4, len(groups)))
    elif carrier == "link" and groups:
        axes.set_title(f"in front of the link {groups[0][0].replace('>', ' to ')}", fontsize=9)


def _flow_styles(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """Return each flow's look: its algorithm's colour, other dashes for a second one of it."""
    used: dict[str, int] = {}
    styles = {}
    for number, flow in enumerate(scenario.flows):
        name = flow.congestion_control.name
        again = used[name] = used.get(name, -1) + 1
        color = style.style(name)["color"]
        dashes = ("-", "--", "-.", ":")[again % 4]
        for who in (flow.name, str(number), f"{flow.source}>{flow.target}"):
            styles[who] = {"color": color, "linestyle": dashes}
    return styles


def goodput(delivered: "pd.DataFrame", duration_s: float) -> tuple[Any, Any]:
    """Return a flow's goodput over time, in bit/s, from its series of delivered bytes.

    The run is divided into `BINS` equal parts: the middles of them in s, and the mean in each.
    """
    import numpy as np

    edges = np.linspace(0, duration_s, BINS + 1)
    time, total = delivered["time_s"].to_numpy(), delivered["delivered_bytes"].to_numpy()
    at = np.interp(edges, time, total, left=0)
    return (edges[:-1] + edges[1:]) / 2, 8 * np.diff(at) / np.diff(edges)


def phases(window: "pd.DataFrame", threshold: "pd.DataFrame") -> list[tuple[str, float, float]]:
    """Return what a flow's recorded window and threshold tell: kind, start and end in s, in order.

    "slow start" while the window is below the threshold; "smaller" where the window falls by a
    tenth or more before it grows again, and "timeout" where it falls to one segment. What happens
    between two recorded points is not seen.
    """
    import numpy as np
    import pandas as pd

    both = pd.merge_asof(
        window[["time_s", "cwnd_segments"]].sort_values("time_s"),
        threshold[["time_s", "ssthresh_segments"]].sort_values("time_s"),
        on="time_s",
    )
    time = both["time_s"].to_numpy()
    cwnd, ssthresh = both["cwnd_segments"].to_numpy(), both["ssthresh_segments"].to_numpy()
    ssthresh = np.where(np.isnan(ssthresh), np.inf, ssthresh)
    found: list[tuple[str, float, float]] = []
    for slow, run in itertools.groupby(range(len(time)), key=lambda n: bool(cwnd[n] < ssthresh[n])):
        part = list(run)
        if slow and len(part) > 1:
            found.append(("slow start", time[part[0]], time[min(part[-1] + 1, len(time) - 1)]))
    n = 1
    while n < len(time):
        top, start = cwnd[n - 1], n
        while n < len(time) and cwnd[n] <= cwnd[n - 1]:
            n += 1
        bottom = cwnd[n - 1]
        if bottom <= 0.9 * top:
            kind = "timeout" if bottom <= 1 else "smaller"
            falls = next(m for m in range(start, n) if cwnd[m] < top)
            found.append((kind, time[falls], time[n - 1]))
        n += 1
    return sorted(found, key=lambda phase: phase[1])


def _mark(axes: Any, window: Any, threshold: Any, color: str) -> None:
    """Name the phases on the window's panel."""
    seen: dict[str, list[float]] = {"slow start": [], "smaller": [], "timeout": []}
    for kind, start, end in phases(window, threshold):
        if kind == "slow start":
            axes.axvspan(start, end, color=color, alpha=0.13, linewidth=0)
        seen[kind].append(start)
    top = window["cwnd_segments"].max()
    marks = {"smaller": ("v", "0.25", "made smaller"), "timeout": ("X", "k", "timeout")}
    for kind, (marker, face, text) in marks.items():
        if times := seen[kind]:
            axes.plot(
                times,
                [1.06 * top] * len(times),
                marker,
                color=face,
                markersize=4 if len(times) < 60 else 2,
                label=f"{text} ({len(times)})",
                clip_on=False,
            )
    if seen["slow start"]:
        axes.fill_between([], [], color=color, alpha=0.13, label="slow start")
    finite = threshold[threshold["ssthresh_segments"] <= 2 * top]
    if not finite.empty:
        axes.step(
            finite["time_s"],
            finite["ssthresh_segments"],
            where="post",
            color="0.5",
            linewidth=0.8,
            label="threshold",
        )
    handles, names = axes.get_legend_handles_labels()
    own = window["flow"].iloc[0]
    kept = [(h, n) for h, n in zip(handles, names, strict=True) if n != own]
    if kept:
        axes.legend(*zip(*kept, strict=True), fontsize=8, ncols=4, loc="lower right")
