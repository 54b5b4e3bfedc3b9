"""Satellites in low orbits: shells, places on Earth, and where both are at a time.

Orbits are circular and drift as the Earth's flattening has it (the secular terms of J2); places
stand on the ellipsoid WGS84 and turn with the Earth. What is left out moves a satellite by some
kilometres, which is some hundredths of a millisecond: the periodic terms of J2, drag and the Moon.
Distances are in km, and positions are those of an Earth that stands still.

A run shall be the same on every machine to the digit, and the sines of two machines differ in the
last place. So sines and cosines are `mpmath`'s, in whole numbers; all else is sums, products,
quotients and square roots, which IEEE 754 rounds alike everywhere.
"""

import csv
import datetime
import functools
import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import mpmath
import numpy as np
from pydantic import Field

from longfat.errors import InputError, nearest, quoted
from longfat.fields import Mistake, Model
from longfat.paths import DATA

LIGHT_KM_S = 299_792.458
# WGS84, and the Earth's second zonal harmonic (EGM96).
EQUATOR_KM, FLATTENING = 6378.137, 1 / 298.257223563
MU_KM3_S2, J2 = 398_600.4418, 1.08262668e-3
MEAN_RADIUS_KM = 6371.0088
THINNEST_AIR_KM = 80.0  # beams from satellite to satellite stay above it
EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)  # node and first satellite of plane 0
# Greenwich's sidereal time (IAU 1982), in turns: at the epoch, and a day later how much more.
EPOCH_TURNS = (24_110.54841 - 8_640_184.812866 * 0.5 / 36_525) / 86_400
TURNS_PER_DAY = 1.00273790935

_MATH = mpmath.MPContext()  # of 53 bits, whatever a reader does to `mpmath.mp`


class Shell(Model):
    """Satellites of one height and inclination, alike spaced (Walker 1984).

    The ascending nodes of the `planes` are spread over `nodes_over_deg`, 360 or 180. From plane to
    plane the satellites are ahead by `phasing` / `planes` of the spacing within a plane, and a
    plane that would be ahead by a whole spacing begins to count anew. A dish sees a satellite from
    `min_elevation_deg` above the horizon on.

    >>> from longfat.orbits import Shell
    >>> Shell(altitude_km=550, inclination_deg=53, planes=72, satellites_per_plane=22).phasing
    0
    """

    altitude_km: Annotated[float, Field(ge=160, le=2000)]
    inclination_deg: Annotated[float, Field(ge=0, le=180)]
    planes: Annotated[int, Field(ge=1, le=200)]
    satellites_per_plane: Annotated[int, Field(ge=1, le=200)]
    phasing: Annotated[int, Field(ge=0, le=200)] = 0
    nodes_over_deg: Annotated[float, Field(gt=0, le=360)] = 360.0
    min_elevation_deg: Annotated[float, Field(ge=0, lt=90)] = 25.0
    name: str = ""

    def _mistakes(self) -> Iterator[Mistake]:
        if self.phasing >= self.planes > 1:
            yield f"phasing {self.phasing} must be below planes, {self.planes}"


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / "leo" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@functools.cache
def shells() -> dict[str, Shell]:
    """Return the shells that have a name (`data/leo/shells.csv` says where they are from).

    >>> from longfat import orbits
    >>> list(orbits.shells())
    ['starlink', 'kuiper', 'oneweb', 'telesat']
    """
    rows = [{k: v for k, v in row.items() if k != "source"} for row in _table("shells")]
    return {row["name"]: Shell(**row) for row in rows}


def find_shell(shell: str | dict | Shell) -> Shell:
    """Return a shell by its name, or by its numbers. Raises InputError."""
    if isinstance(shell, Shell):
        return shell
    if isinstance(shell, str):
        known = shells()
        if shell not in known:
            raise InputError(
                f"shell is {quoted(shell)}: known are {', '.join(known)}."
                f"{nearest(shell, list(known))}"
            )
        return known[shell]
    try:
        return Shell(**shell)
    except InputError as error:
        raise InputError(f"shell: {error}") from None


class Place(Model):
    """A point of the ellipsoid, by latitude (north is positive) and longitude (east is positive).

    >>> from longfat.orbits import Place
    >>> [round(x) for x in Place(latitude_deg=0, longitude_deg=90).position_km]
    [0, 6378, 0]
    """

    latitude_deg: Annotated[float, Field(ge=-90, le=90)]
    longitude_deg: Annotated[float, Field(ge=-180, le=360)]
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"({self.latitude_deg:g}, {self.longitude_deg:g})"

    @functools.cached_property
    def up(self) -> np.ndarray:
        """The direction of the zenith."""
        cos_lat, sin_lat = cos_sin(self.latitude_deg / 360)
        cos_lon, sin_lon = cos_sin(self.longitude_deg / 360)
        return np.array([cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])

    @functools.cached_property
    def position_km(self) -> np.ndarray:
        """Where it is."""
        squared = FLATTENING * (2 - FLATTENING)
        sin_lat = self.up[2]
        normal_km = EQUATOR_KM / math.sqrt(1 - squared * sin_lat * sin_lat)
        return normal_km * self.up * np.array([1, 1, 1 - squared])

    def land_km(self, other: "Place") -> float:
        """Return the way to another place along a great circle."""
        chord_km = float(distances(self.position_km, other.position_km))
        half = min(1.0, chord_km / (2 * MEAN_RADIUS_KM))
        return 2 * MEAN_RADIUS_KM * float(_MATH.asin(half))


@functools.cache
def places() -> dict[str, Place]:
    """Return the places that have a name (`data/leo/places.csv`), as they are to 0.01 degrees."""
    return {row["name"]: Place(**row) for row in _table("places")}


def find_place(place: str | Sequence[float] | Place, what: str = "place") -> Place:
    """Return a place by its name, or by latitude and longitude in degrees. Raises InputError."""
    if isinstance(place, Place):
        return place
    if isinstance(place, str):
        known = {name.casefold(): one for name, one in places().items()}
        if place.casefold() not in known:
            raise InputError(
                f"{what} is {quoted(place)}: give one of {len(known)} cities, or latitude and "
                f"longitude in degrees.{nearest(place.title(), list(places()))}"
            )
        return known[place.casefold()]
    try:
        latitude_deg, longitude_deg = place
    except (TypeError, ValueError):
        raise InputError(
            f"{what} is {quoted(place)}: it must be a name, or latitude and longitude in degrees"
        ) from None
    try:
        return Place(latitude_deg=latitude_deg, longitude_deg=longitude_deg)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def cos_sin(turns: float) -> tuple[float, float]:
    """Return cosine and sine of an angle in turns, the same on every machine."""
    half_turns = _MATH.mpf(2 * (turns - math.floor(turns)))
    return float(_MATH.cospi(half_turns)), float(_MATH.sinpi(half_turns))


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distances between positions, whose last axis is x, y, z."""
    x, y, z = np.moveaxis(np.asarray(a) - np.asarray(b), -1, 0)
    return np.sqrt(x * x + y * y + z * z)


def seconds_since_epoch(start: str | datetime.datetime) -> float:
    """Return the time (UTC) of an ISO 8601 text, in seconds since `EPOCH` without leap seconds.

    Raises InputError for a text that is no time.

    >>> from longfat import orbits
    >>> orbits.seconds_since_epoch("2000-01-02T00:00:00Z")
    86400.0
    """
    try:
        time = (
            start
            if isinstance(start, datetime.datetime)
            else datetime.datetime.fromisoformat(start)
        )
    except (TypeError, ValueError):
        raise InputError(
            f"start is {quoted(start)}: it must be a time, such as 2026-01-01T00:00:00Z"
        ) from None
    return (time.replace(tzinfo=time.tzinfo or datetime.UTC) - EPOCH) / datetime.timedelta(
        seconds=1
    )


class Constellation:
    """The satellites of a shell, numbered plane by plane, and how they move.

    >>> from longfat import orbits
    >>> starlink = orbits.Constellation(orbits.find_shell("starlink"))
    >>> starlink.positions_km(0.0).shape
    (1584, 3)
    """

    def __init__(self, shell: Shell):
        self.shell = shell
        self.radius_km = EQUATOR_KM + shell.altitude_km
        self._cos_i, self._sin_i = cos_sin(shell.inclination_deg / 360)
        a = self.radius_km
        motion = math.sqrt(MU_KM3_S2 / (a * a * a)) / (2 * math.pi)  # turns/s, without J2
        drift = 1.5 * J2 * (EQUATOR_KM / a) * (EQUATOR_KM / a)
        self.node_rate = -motion * drift * self._cos_i  # turns/s
        self.rate = motion * (
            1 + drift * (3 - 4 * self._sin_i * self._sin_i)
        )  # from the node, turns/s
        per_plane = shell.satellites_per_plane
        self.plane, self.place_in_plane = np.divmod(np.arange(shell.planes * per_plane), per_plane)
        # Cosine and sine of each satellite's node and of its place from there, at the epoch.
        nodes = [
            cos_sin(shell.nodes_over_deg / 360 * k / shell.planes) for k in range(shell.planes)
        ]
        ahead = [
            cos_sin(shell.phasing * k % shell.planes / shell.planes / per_plane)
            for k in range(shell.planes)
        ]
        spaced = [cos_sin(k / per_plane) for k in range(per_plane)]
        self._node = np.array(nodes).T[:, self.plane]
        self._from_node = _sum(
            np.array(ahead).T[:, self.plane], np.array(spaced).T[:, self.place_in_plane]
        )

    def positions_km(self, time_s: float, satellites: Any = slice(None)) -> np.ndarray:
        """Return where satellites are (x, y, z) at a time in seconds since the epoch."""
        earth = EPOCH_TURNS + TURNS_PER_DAY / 86_400 * time_s
        node = _sum(self._node[:, satellites], cos_sin(self.node_rate * time_s - earth))
        cos_u, sin_u = _sum(self._from_node[:, satellites], cos_sin(self.rate * time_s))
        across = sin_u * self._cos_i
        xyz = node[0] * cos_u - node[1] * across, node[1] * cos_u + node[0] * across
        return self.radius_km * np.stack([*xyz, sin_u * self._sin_i], axis=-1)

    @functools.cached_property
    def neighbours(self) -> tuple[tuple[int, int], ...]:
        """The links between satellites of a +grid: to both sides in and across planes.

        Across the seam of a shell whose nodes do not go all around there is none.
        """
        planes, per_plane = self.shell.planes, self.shell.satellites_per_plane
        pairs = set()
        for plane in range(planes):
            for place in range(per_plane):
                here = plane * per_plane + place
                pairs.add((here, plane * per_plane + (place + 1) % per_plane))
                if plane + 1 < planes or self.shell.nodes_over_deg == 360:
                    pairs.add((here, (plane + 1) % planes * per_plane + place))
        return tuple(sorted(pair for pair in pairs if pair[0] != pair[1]))

    @property
    def longest_beam_km(self) -> float:
        """The longest link between satellites that stays above the air."""
        lowest = EQUATOR_KM + THINNEST_AIR_KM
        return 2 * math.sqrt(self.radius_km * self.radius_km - lowest * lowest)


def _sum(angle: Any, other: Any) -> np.ndarray:
    """Return cosine and sine of a sum of two angles, of which each is cosine and sine."""
    (cos_a, sin_a), (cos_b, sin_b) = angle, other
    return np.array([cos_a * cos_b - sin_a * sin_b, sin_a * cos_b + cos_a * sin_b])


def in_sight(place: Place, positions_km: np.ndarray, min_elevation_deg: float) -> np.ndarray:
    """Return which positions are at least so high above a place's horizon."""
    x, y, z = np.moveaxis(positions_km - place.position_km, -1, 0)
    up = place.up
    height = (x * up[0] + y * up[1] + z * up[2]) / np.sqrt(x * x + y * y + z * z)
    return height >= cos_sin(min_elevation_deg / 360)[1]
