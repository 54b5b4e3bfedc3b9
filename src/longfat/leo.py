"""Paths through satellites in low orbits: which satellite, how long the way is, and as a scenario.

What is not measured is assumed, with a range and its source: `assumptions`.
"""

import csv
import datetime
import functools
import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from longfat.errors import InputError, quoted
from longfat.fields import FASTEST_BPS
from longfat.links import LinkChange, Outage
from longfat.network import duplex
from longfat.orbits import (
    LIGHT_KM_S,
    Constellation,
    Place,
    Shell,
    distances,
    find_place,
    find_shell,
    in_sight,
    places,
    seconds_since_epoch,
)
from longfat.papers.plausible import Plausible, read
from longfat.paths import DATA
from longfat.scenario import CongestionControl, Record, Scenario

PARAMETERS = DATA / "leo" / "parameters.csv"
USER, GATEWAY, SERVER = "user", "gateway", "server"  # the nodes
RECONFIGURED_AT_S = (
    12.0  # Starlink's 15 s are counted from there within a minute (Mohan et al. 2024)
)
SAMPLE_S = 1.0  # in between the delay is a straight line, within 0.1 us
LARGEST_STEP_S = 20e-6  # of the delay, at a change that moves it along that line
SMALLEST_PACKET_BYTES = 42  # on the wire: an ACK without options
PACKET_BYTES = 1500  # in which queues are counted
NS = 1_000_000_000
MONTH_S = 31 * 86_400


def assumptions() -> list[Plausible]:
    """Return what `leo` assumes, each with a range or choices and where these come from.

    >>> from longfat import leo
    >>> silence = next(one for one in leo.assumptions() if one.name == "silence")
    >>> silence.value, silence.low, silence.high, silence.unit
    ('0.05', 0.0, 0.15, 's')
    """
    return read(PARAMETERS)


@functools.cache
def _taken(name: str) -> float:
    with PARAMETERS.open(encoding="utf-8", newline="") as file:
        return next(float(row["value"]) for row in csv.DictReader(file) if row["name"] == name)


@dataclass(frozen=True)
class Hold:
    """A path that is held from `begin_s` to `end_s` (s from the start); without satellites none is.

    `ground_km` is what lies between the last of them and the server on land, and `station` where
    that begins.
    """

    satellites: tuple[int, ...] = ()
    station: Place | None = None
    ground_km: float = 0.0
    begin_s: float = 0.0
    end_s: float = 0.0

    @property
    def way(self) -> tuple[tuple[int, ...], Place | None]:
        """What makes it another path than the one before."""
        return self.satellites, self.station


class Sky:
    """A shell between a user's dish and a server, from a time on.

    `links` is "bent pipe" (up, down to a ground station, over land to the server) or "+grid" (from
    satellite to satellite to a dish at the server). `paths` says which are held when, and
    `delay_s` how long they are.
    """

    def __init__(
        self,
        shell: Shell,
        user: Place,
        server: Place,
        start: float,
        *,
        links: Literal["bent pipe", "+grid"] = "bent pipe",
        ground_stations: Sequence[Place] = (),
        min_elevation_deg: float | None = None,
        fibre_s_per_km: float | None = None,
    ):
        self.constellation = Constellation(shell)
        self.user, self.server, self.start = user, server, start
        self.links = links
        self.stations = tuple(ground_stations) or (*places().values(), server)
        least = shell.min_elevation_deg if min_elevation_deg is None else min_elevation_deg
        self.min_elevation_deg = least
        fibre = _taken("fibre") if fibre_s_per_km is None else fibre_s_per_km
        self._glass = fibre * LIGHT_KM_S  # km of light in vacuum to a km of fibre
        self._fibre_s_per_km = fibre

    def delay_s(self, hold: Hold, at_s: float) -> float:
        """Return the propagation along a path, one way, at a time from the start."""
        there = self.constellation.positions_km(self.start + at_s, list(hold.satellites))
        last = hold.station or self.server
        points = [self.user.position_km, *there, last.position_km]
        way_km = sum(float(distances(a, b)) for a, b in itertools.pairwise(points))
        return way_km / LIGHT_KM_S + hold.ground_km * self._fibre_s_per_km

    def paths(
        self, duration_s: float, every_s: float | None, choice: str, draw: random.Random
    ) -> Iterator[Hold]:
        """Yield the paths that are held, one after the other.

        They are chosen at each `every_s`, among those that last until the next; without it, when
        one comes to its end, by whole seconds.
        """
        begin, end_of_all = 0, round(duration_s * NS)  # ns
        while begin < end_of_all:
            if every_s:
                every = round(every_s * NS)
                since = round((self.start - RECONFIGURED_AT_S) * 1_000_000) * 1000 + begin
                end = min(end_of_all, begin + every - since % every)
                hold = self._choose(begin / NS, end / NS, choice, draw)
            else:
                end = begin + NS
                hold = self._choose(begin / NS, end / NS, choice, draw)
                while hold.satellites and end < end_of_all and self._lasts(hold, end / NS + 1):
                    end += NS
                end = min(end, end_of_all)
            yield replace(hold, begin_s=begin / NS, end_s=end / NS)
            begin = end

    def _lasts(self, hold: Hold, at_s: float) -> bool:
        there = self.constellation.positions_km(self.start + at_s, list(hold.satellites))
        up = in_sight(self.user, there[:1], self.min_elevation_deg)
        down = in_sight(hold.station or self.server, there[-1:], self.min_elevation_deg)
        beams = distances(there[1:], there[:-1]) <= self.constellation.longest_beam_km
        return bool(up.all() and down.all() and beams.all())

    def sees(self, at_s: float, place: Place) -> bool:
        """Return whether a satellite is above a place's least elevation."""
        positions = self.constellation.positions_km(self.start + at_s)
        return bool(in_sight(place, positions, self.min_elevation_deg).any())

    def _choose(self, begin_s: float, end_s: float, choice: str, draw: random.Random) -> Hold:
        """Choose a path at a time that is there at another, too."""
        times = sorted({begin_s, end_s})
        positions = [self.constellation.positions_km(self.start + at_s) for at_s in times]

        def seen(place: Place) -> np.ndarray:
            both = [in_sight(place, each, self.min_elevation_deg) for each in positions]
            return np.flatnonzero(np.logical_and.reduce(both))

        overhead = seen(self.user)
        if self.links == "+grid":
            return self._across(positions, overhead, seen(self.server), choice, draw)
        best: dict[int, tuple[float, Place, float]] = {}  # by satellite: way, station, over land
        up_km = distances(positions[0], self.user.position_km)
        for station in self.stations:
            shared = np.intersect1d(overhead, seen(station))
            if not len(shared):
                continue
            ground_km = station.land_km(self.server)
            down_km = distances(positions[0][shared], station.position_km)
            for satellite, km in zip(shared.tolist(), down_km.tolist(), strict=True):
                way = float(up_km[satellite]) + km + ground_km * self._glass
                if satellite not in best or way < best[satellite][0]:
                    best[satellite] = way, station, ground_km
        if not best:
            return Hold()
        satellite = min(best, key=lambda one: best[one][0])
        if choice == "random":
            satellite = draw.choice(sorted(best))
        _, station, ground_km = best[satellite]
        return Hold((satellite,), station, ground_km)

    def _across(
        self,
        positions: list[np.ndarray],
        overhead: np.ndarray,
        there: np.ndarray,
        choice: str,
        draw: random.Random,
    ) -> Hold:
        """Choose a path from satellite to satellite, from one of `overhead` to one of `there`."""
        import networkx as nx  # a bent pipe needs none

        if choice == "random" and len(overhead) and len(there):
            overhead = np.array([draw.choice(overhead.tolist())])
            there = np.array([draw.choice(there.tolist())])
        graph = nx.Graph()
        pairs = np.array(self.constellation.neighbours)
        beams = [distances(each[pairs[:, 0]], each[pairs[:, 1]]) for each in positions]
        open_ = np.logical_and.reduce([b <= self.constellation.longest_beam_km for b in beams])
        edges = zip(pairs[open_].tolist(), beams[0][open_].tolist(), strict=True)
        graph.add_weighted_edges_from((a, b, km) for (a, b), km in edges)
        for node, place, some in ((USER, self.user, overhead), (SERVER, self.server, there)):
            graph.add_node(node)
            for satellite in map(int, some):
                km = float(distances(positions[0][satellite], place.position_km))
                graph.add_edge(node, satellite, weight=km)
        try:
            way = nx.dijkstra_path(graph, USER, SERVER)
        except nx.NetworkXNoPath:
            return Hold()
        return Hold(tuple(way[1:-1]))


def leo(
    user: str | Sequence[float] | Place,
    server: str | Sequence[float] | Place,
    *,
    shell: str | dict | Shell = "starlink",
    start: str | datetime.datetime = "2026-01-01T00:00:00Z",
    duration_s: float = 120.0,
    links: Literal["bent pipe", "+grid"] = "bent pipe",
    ground_stations: Sequence[str | Sequence[float] | Place] = (),
    min_elevation_deg: float | None = None,
    reconfiguration_s: float | None = _taken("reconfiguration"),
    choice: Literal["shortest", "random"] = "shortest",
    silence_s: float = _taken("silence"),
    under_way: Literal["arrive", "are lost"] = "arrive",
    rate_bps: float = _taken("rate_down"),
    up_rate_bps: float = _taken("rate_up"),
    loss: float = _taken("loss_down"),
    up_loss: float = _taken("loss_up"),
    queue_s: float = _taken("queue"),
    ground_s: float = _taken("ground"),
    fibre_s_per_km: float = _taken("fibre"),
    congestion_control: str | CongestionControl = "cubic",
    neighbour: str | CongestionControl | None = None,
    upload: bool = False,
    seed: int = 1,
    record: Record | dict | None = None,
    **flow: Any,
) -> Scenario:
    """A download by satellites in low orbits: a path whose length changes all the time.

    A shell is known by name (`longfat.orbits.shells`), or by the numbers of an
    `longfat.orbits.Shell`; a place by the name of a city, or by latitude and longitude in degrees.
    The `user` has a dish. By "bent pipe" the satellite over it sends down to one of
    `ground_stations` (all cities that have a name here, and the server's place), from where a fibre
    leads to the `server`; by "+grid" satellites hand packets on from one to the next, until the
    last sends down to a dish at the server. The path is chosen anew every `reconfiguration_s`,
    counted as Starlink does, or, with None, when a satellite has sunk to the least elevation: the
    shortest, or one over a satellite in sight that is drawn from the seed.

    The link between the nodes "gateway" and "user" is the whole way through space and over land.
    It is the bottleneck, and the queue of what its rate sends in `queue_s` stands in front of it,
    at the gateway for what goes down, at the dish for what goes up. "server" and "gateway" are
    joined by a fast link of `ground_s`. Between two choices the delay moves in steps so small that
    no packet overtakes another. At a change of path it jumps, and for `silence_s` nothing arrives.
    Packets that are under way then arrive by the old path, if not in the silence: where the new one
    is shorter by more than it, they are overtaken; or they "are lost" all. While no satellite
    serves both ends, nothing arrives.

    What is measured, and what is assumed, is said by `longfat.leo.assumptions`. `flow` are further
    fields of the flows; `neighbour` is a second one on the same way. Times and delays are rounded
    to nanoseconds, and a scenario is the same on every machine.

    Raises InputError for an unknown place or shell, a start that is no time, and places between
    which no satellite ever serves.

    >>> from longfat import topologies
    >>> scenario = topologies.leo("Munich", "Frankfurt", duration_s=30)
    >>> scenario.nodes
    ('server', 'gateway', 'user')
    """
    chosen = find_shell(shell)
    for name, value, known in (
        ("links", links, ("bent pipe", "+grid")),
        ("choice", choice, ("shortest", "random")),
        ("under_way", under_way, ("arrive", "are lost")),
    ):
        if value not in known:
            raise InputError(f"{name} is {quoted(value)}: it must be {' or '.join(known)}")
    for name, number, least, most in (
        ("duration_s", duration_s, SAMPLE_S, MONTH_S),
        ("silence_s", silence_s, 0, MONTH_S),
        ("queue_s", queue_s, 0, MONTH_S),
        ("rate_bps", rate_bps, 1, FASTEST_BPS / 10),
        ("up_rate_bps", up_rate_bps, 1, FASTEST_BPS / 10),
        ("fibre_s_per_km", fibre_s_per_km, 0, 1),
        ("reconfiguration_s", reconfiguration_s or SAMPLE_S, SAMPLE_S, MONTH_S),
    ):
        if not least <= number <= most:
            raise InputError(f"{name} is {number}: it must be from {least:g} to {most:g}")
    if min_elevation_deg is not None and not 0 <= min_elevation_deg < 90:
        raise InputError(f"min_elevation_deg is {min_elevation_deg}: it must be from 0 to below 90")
    sky = Sky(
        chosen,
        find_place(user, "user"),
        find_place(server, "server"),
        seconds_since_epoch(start),
        links=links,
        ground_stations=[find_place(one, "ground_stations") for one in ground_stations],
        min_elevation_deg=min_elevation_deg,
        fibre_s_per_km=fibre_s_per_km,
    )
    holds = list(sky.paths(duration_s, reconfiguration_s, choice, random.Random(seed)))
    if not any(hold.satellites for hold in holds):
        raise InputError(_unseen(sky, holds, start))
    outages = tuple(_outages(sky, holds, silence_s, under_way == "are lost"))

    def space(bps: float, lost: float) -> dict[str, Any]:
        first, *changes = _delays(sky, holds, bps)
        return {
            "rate_bps": bps,
            "delay_s": first.delay_s,
            "queue_packets": max(1, round(bps * queue_s / 8 / PACKET_BYTES)),
            "loss_per_packet": lost,
            "outages": outages,
            "changes": tuple(changes),
        }

    ends = (USER, SERVER) if upload else (SERVER, USER)
    controls = [("sender", congestion_control)]
    controls += [("neighbour", neighbour)] if neighbour else []
    fast: dict[str, Any] = {"rate_bps": 10 * max(rate_bps, up_rate_bps), "queue_packets": 100_000}
    return Scenario(
        links=(
            *duplex(SERVER, GATEWAY, delay_s=ground_s, **fast),
            *duplex(GATEWAY, USER, backward=space(up_rate_bps, up_loss), **space(rate_bps, loss)),
        ),
        flows=[
            {
                "name": name,
                "source": ends[0],
                "target": ends[1],
                "congestion_control": control,
                "segment_bytes": 1448,
            }
            | flow
            for name, control in controls
        ],
        duration_s=duration_s,
        seed=seed,
        record=record,
        title=f"{chosen.name or 'a shell'}: {sky.server} to {sky.user}, {links}, {start}",
    )


def _delays(sky: Sky, holds: list[Hold], rate_bps: float) -> Iterator[LinkChange]:
    """Yield the delay of the path from 0 on: steps by which no packet overtakes another.

    A packet that is sent later arrives later by at least its own time on the link, so that a step
    down by less than the smallest packet's reorders nothing.
    """
    step_s = min(LARGEST_STEP_S, 8 * SMALLEST_PACKET_BYTES / rate_bps - 2 / NS)
    last = -1
    served = [hold for hold in holds if hold.satellites]
    for hold in served:
        begin = 0 if hold is served[0] else round(hold.begin_s * NS)
        times = [begin, *range(begin + NS, round(hold.end_s * NS), NS), round(hold.end_s * NS)]
        samples = [(time, sky.delay_s(hold, time / NS)) for time in times]
        for (time, delay_s), (later, next_s) in itertools.pairwise(samples):
            steps = max(1, math.ceil(abs(next_s - delay_s) / max(step_s, 1 / NS)))
            for k in range(steps):
                at = time + (later - time) * k // steps
                delay = round((delay_s + (next_s - delay_s) * k / steps) * NS)
                if delay != last:
                    yield LinkChange(at_s=at / NS, delay_s=delay / NS)
                last = delay


def _outages(sky: Sky, holds: list[Hold], silence_s: float, all_lost: bool) -> Iterator[Outage]:
    """Yield when nothing arrives: after changes of the path, and while there is none."""
    begin = end = 0.0
    for before, hold in itertools.pairwise([holds[0], *holds]):
        if hold.satellites and hold.way == before.way:
            continue
        lost_s = silence_s
        if all_lost and before.satellites:
            lost_s = max(lost_s, *(sky.delay_s(one, hold.begin_s) for one in (before, hold)))
        until = hold.begin_s + lost_s if hold.satellites else hold.end_s
        if hold.begin_s > end:
            if end > begin:
                yield Outage(start_s=begin, duration_s=round(end - begin, 9))
            begin = hold.begin_s
        end = max(end, until)
    if end > begin:
        yield Outage(start_s=begin, duration_s=round(end - begin, 9))


def _unseen(sky: Sky, holds: list[Hold], start: Any) -> str:
    """Say which end of the way no satellite serves."""
    when = f"within {holds[-1].end_s:g} s from {start}"
    least = f"{sky.min_elevation_deg:g} degrees above the horizon"
    ends = {"user": sky.user} | ({"server": sky.server} if sky.links == "+grid" else {})
    for name, place in ends.items():
        if not any(sky.sees(hold.begin_s, place) for hold in holds):
            return f"{name}: no satellite of the shell comes {least} of {place} {when}"
    if sky.links == "+grid":
        return f"links: no satellites join {sky.user} and {sky.server} {when}"
    return f"ground_stations: none has a satellite {least} that {sky.user} has, too, {when}"
