"""The figures of the chapter on paths that move."""

import datetime
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path

from longfat import leo, orbits, paths
from longfat.book import charts
from longfat.experiment import Runs
from longfat.studies import low_orbits
from longfat.studies.low_orbits import ORBITS
from longfat.style import short_name, style

COLUMNS = 4
LOOK = {"starlink": "#0072b2", "starlink-grid": "#d55e00", "oneweb": "#009e73"}
MAP_SEED = 1  # of the run whose beginning the map shows
DELAYS_S = 180.0


def title(sender: str) -> str:
    """Return what the pages call a sender, or a variant of one."""
    name, comma, variant = sender.partition(",")
    return f"{short_name(name)}{comma}{variant}"


# --- the path


def sky(orbit: str, seed: int = MAP_SEED) -> tuple[leo.Sky, leo.Hold]:
    """Return an orbit's sky at the beginning of a run, and the path that is held then."""
    import random

    one = ORBITS[orbit]
    told = dict(one.told)
    start = low_orbits.FIRST + datetime.timedelta(seconds=low_orbits.STARTS_APART_S * seed)
    seen = leo.Sky(
        orbits.find_shell(told.get("shell", "starlink")),
        orbits.find_place(one.user),
        orbits.find_place(one.server),
        orbits.seconds_since_epoch(start),
        links=told.get("links", "bent pipe"),
    )
    every_s = told.get("reconfiguration_s", 15.0)
    choice = told.get("choice", "shortest")
    return seen, next(seen.paths(60.0, every_s, choice, random.Random(seed)))


def map_points() -> pd.DataFrame:
    """Return what the map shows: panel, what ("satellite" or a place of the path, in order),
    longitude and latitude (degrees)."""
    rows = []
    for orbit in ORBITS:
        seen, hold = sky(orbit)
        positions = seen.constellation.positions_km(seen.start)
        (left, right), (south, north) = VIEWS[orbit]
        for longitude, latitude in zip(*_below(positions), strict=True):
            if left <= longitude <= right and south <= latitude <= north:
                rows.append((orbit, "satellite", longitude, latitude))
        ends: list[orbits.Place | int] = [
            seen.user,
            *hold.satellites,
            *([hold.station] if hold.station else []),
        ]
        for end in [*ends, seen.server]:
            if isinstance(end, orbits.Place):
                longitude, latitude = (end.longitude_deg + 180) % 360 - 180, end.latitude_deg
            else:
                longitude, latitude = (float(one[0]) for one in _below(positions[[end]]))
            rows.append((orbit, "path", longitude, latitude))
    return pd.DataFrame(rows, columns=["orbit", "what", "longitude", "latitude"])


def _below(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return longitude and latitude of the points on a sphere below positions."""
    x, y, z = positions.T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(z / np.sqrt(x * x + y * y + z * z)))


VIEWS = {  # of each panel: longitudes and latitudes
    "starlink-grid": ((-180, 180), (-65, 80)),
    "starlink": ((-5, 25), (42, 57)),
    "oneweb": ((-22, 17), (32, 59)),
}


def orbit_map(table: pd.DataFrame) -> Figure:
    """Draw the satellites, and the path over them, of each orbit (`map_points`)."""
    rings = json.loads((paths.DATA / "leo" / "land.json").read_text("utf-8"))
    # One path, so that a ring the other way round is a hole: the Caspian Sea.
    land = Path.make_compound_path(*(Polygon(ring).get_path() for ring in rings))
    figure = plt.figure(figsize=(9, 6.6))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.35, 1])
    places = {"starlink-grid": grid[0, :], "starlink": grid[1, 0], "oneweb": grid[1, 1]}
    for orbit, place in places.items():
        axes = figure.add_subplot(place)
        (left, right), (below, above) = VIEWS[orbit]
        axes.add_patch(PathPatch(land, facecolor="0.88", edgecolor="none"))
        own = table[table["orbit"] == orbit]
        dots, path = own[own["what"] == "satellite"], own[own["what"] == "path"]
        size = 3 if orbit == "starlink-grid" else 14
        axes.scatter(dots["longitude"], dots["latitude"], s=size, color="0.55", lw=0, zorder=2)
        axes.plot(path["longitude"], path["latitude"], color="#d55e00", lw=1.6, marker="o", ms=3)
        for end, side in ((path.iloc[0], "left"), (path.iloc[-1], "right")):
            name = ORBITS[orbit].user if side == "left" else ORBITS[orbit].server
            axes.annotate(
                *(name, (end["longitude"], end["latitude"])),
                xytext=(0, -11),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        stretch = 1 / np.cos(np.radians((below + above) / 2)) if orbit != "starlink-grid" else 1
        axes.set(xlim=(left, right), ylim=(below, above), aspect=stretch)
        axes.set_axis_off()
        axes.set_title(ORBITS[orbit].title, fontsize=10)
    figure.suptitle("The path at one moment: up, across or down again", x=0.01, ha="left")
    return figure


def delays(_: Runs) -> pd.DataFrame:
    """Return the round trip without queues over time: orbit, time_s, rtt_ms; three minutes of a
    run's path at its seed `MAP_SEED`."""
    parts = []
    for orbit, one in ORBITS.items():
        start = low_orbits.FIRST + datetime.timedelta(seconds=low_orbits.STARTS_APART_S * MAP_SEED)
        scenario = leo.leo(
            *(one.user, one.server),
            start=start.isoformat(),
            duration_s=DELAYS_S,
            seed=MAP_SEED,
            **dict(one.told),
        )
        times = np.arange(0, DELAYS_S, 0.5)
        rtt_ms = 1e3 * low_orbits.propagation_s(scenario, times)
        parts.append(pd.DataFrame({"orbit": orbit, "time_s": times, "rtt_ms": rtt_ms.round(4)}))
    return pd.concat(parts, ignore_index=True)


def round_trips(table: pd.DataFrame) -> Figure:
    """Draw the round trips of the orbits over time (`delays`)."""
    figure, panels = plt.subplots(3, 1, figsize=(8, 5.4), sharex=True)
    for axes, (orbit, own) in zip(panels, table.groupby("orbit", sort=False), strict=True):
        axes.step(own["time_s"], own["rtt_ms"], where="post", color=LOOK[str(orbit)], lw=1.2)
        axes.set_title(ORBITS[str(orbit)].title, fontsize=9)
        middle = (own["rtt_ms"].max() + own["rtt_ms"].min()) / 2
        axes.set_ylim(middle - 8, middle + 8)
    panels[1].set_ylabel("round trip without queues (ms)")
    panels[-1].set_xlabel("time (s)")
    figure.suptitle("Never still, and now and then a jump", x=0.01, ha="left", fontsize=11)
    return figure


# --- senders


def windows(traces: pd.DataFrame) -> Figure:
    """Draw windows over time, a panel a sender; `traces` has the changes of the path, too."""
    changes = traces.loc[traces["sender"] == "", "time_s"]
    traces = traces[traces["sender"] != ""]
    names = low_orbits.SHOWN
    figure, panels = charts.panels(len(names), COLUMNS, 10, 1.6)
    for axes, name in zip(panels, names, strict=False):
        trace = traces[traces["sender"] == name]
        for change in changes:
            axes.axvline(change, color="0.8", lw=0.8, zorder=0)
        axes.step(
            *(trace["time_s"], trace["cwnd_segments"]),
            where="post",
            lw=0.9,
            color=style(name)["color"],
        )
        axes.set_title(short_name(name), fontsize=9)
        axes.set_ylim(0, 1300)
    figure.supxlabel("time (s)", fontsize=10)
    figure.supylabel("congestion window (segments)", fontsize=10)
    figure.suptitle(
        "After a change some begin from one segment, some where they were",
        x=0.01,
        ha="left",
        fontsize=11,
    )
    return figure


def _beside(count: int, down: bool) -> tuple[Figure, list[Axes]]:
    """Return panels for all senders side by side, or below each other for a phone."""
    if down:
        figure = Figure(figsize=(4.2, 6.4 * count))  # pyplot's would be shown in the notebook, too
        panels = figure.subplots(count, 1)
    else:
        figure, panels = plt.subplots(1, count, figsize=(10, 8.2), sharey=True)
    return figure, list(panels)


def goodputs(table: pd.DataFrame, down: bool = False) -> Figure:
    """Draw the senders' goodput over each orbit, the best of the first on top."""
    order = table[table["orbit"] == "starlink"].sort_values("goodput")["sender"]
    figure, panels = _beside(3, down)
    for axes, (orbit, own) in zip(panels, table.groupby("orbit", sort=False), strict=True):
        charts.forest(axes, own, "goodput", "sender", order, label=title)
        axes.set_title(ORBITS[str(orbit)].title, fontsize=10)
        axes.set_xlim(0, 100)
    panels[-1 if down else 1].set_xlabel("goodput alone on 100 Mb/s (Mb/s)")
    figure.suptitle("Who listens to loss or delay leaves the link unused", x=0.01, ha="left")
    return figure


def motions(table: pd.DataFrame, down: bool = False) -> Figure:
    """Draw what the motion costs each sender (`low_orbits.motion`)."""
    order = table[table["orbit"] == "starlink"].sort_values("moving")["sender"]
    figure, panels = _beside(3, down)
    for axes, (orbit, own) in zip(panels, table.groupby("orbit", sort=False), strict=True):
        charts.forest(axes, own, "moving", "sender", order, interval=("low", "high"), label=title)
        axes.plot(
            *(own["silent"], [list(order).index(name) for name in own["sender"]]),
            linestyle="none",
            marker="|",
            color="0.4",
            ms=7,
        )
        axes.axvline(1, color="0.6", lw=0.8, ls=":")
        axes.set_title(ORBITS[str(orbit)].title, fontsize=10)
        axes.set_xscale("log")
        axes.set_xticks([0.1, 0.2, 0.5, 1, 2], ["0.1", "0.2", "0.5", "1", "2"])
        axes.minorticks_off()
    panels[-1 if down else 1].set_xlabel("goodput, as times that without motion")
    figure.suptitle(
        "What the motion costs: most to those who keep a smallest delay", x=0.01, ha="left"
    )
    return figure


def neighbours(table: pd.DataFrame, down: bool = False) -> Figure:
    """Draw what a NewReno keeps beside each sender over Starlink, in space and on land."""
    order = table.sort_values("newreno")["sender"]
    figure, panels = _beside(2, down)
    for axes, column, words in zip(
        panels, ("newreno", "land"), ("over the same satellites", "on land"), strict=True
    ):
        ends = (f"{column}_low", f"{column}_high")
        charts.forest(axes, table, column, "sender", order, interval=ends, label=title)
        axes.axvline(1, color="0.6", lw=0.8, ls=":")
        axes.set_title(f"a NewReno {words}", fontsize=10)
        axes.set_xlabel("its goodput, as times that beside a NewReno")
    figure.suptitle("What a neighbour keeps (Starlink, bent pipe)", x=0.01, ha="left")
    return figure


def ideas(table: pd.DataFrame) -> Figure:
    """Draw each paper's idea at work over a path that moves (`leo.idea_traces`)."""
    figure, panels = plt.subplots(2, 2, figsize=(10, 6))
    drawn = {
        "hybla": ("Hybla beside NewReno, +grid", "window (segments)"),
        "tcpj": ("TCP-J's estimate, bent pipe", "Mb/s"),
        "ucc": ("UCC's utilization, bent pipe", "utilization"),
        "fast": ("High-speed senders, +grid", "window (segments)"),
    }
    for axes, (idea, (words, unit)) in zip(np.ravel(panels), drawn.items(), strict=True):
        own = table[table["idea"] == idea]
        for change in own.loc[own["line"] == "", "time_s"]:
            axes.axvline(change, color="0.8", lw=0.8, zorder=0)
        for name, line in own[own["line"] != ""].groupby("line", sort=False):
            _line(axes, str(name), line)
        axes.set(title=words, ylabel=unit, ylim=(0, 1600 if unit.startswith("window") else None))
        axes.legend(fontsize=7.5, loc="best")
    for axes in panels[1]:
        axes.set_xlabel("time (s)")
    return figure


VARIED = {"delivered": "0.3", "ucc, 10 ms": "#56b4e9", "ucc, since the last loss": "#009e73"}


def _line(axes: Axes, name: str, line: pd.DataFrame) -> None:
    color = VARIED.get(name) or style(name)["color"]
    if name == "scalable":  # beside the blue of NewReno its own is hard to tell
        color = "#999933"
    label = title(name)
    axes.step(line["time_s"], line["value"], where="post", lw=0.9, color=color, label=label)
