"""The charts of the pages, and what they draw as numbers, so that a wrong drawing is found.

Numbers are kept with four significant digits; what is below a billionth of the largest of its kind
is 0, for it is rounding of the machine's. Of long series every so manieth number is kept.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogFormatter, NullFormatter, ScalarFormatter

from longfat.style import CONTROLS, ENGINE_LABEL, known_style, style

DIGITS = 4
ROWS = 120  # kept of a table, at most
POINTS = 60  # kept of a line, at most
# A table's seconds, bit/s and shares are drawn as ms, Mb/s and per cent, and the other way round.
UNITS = (1e-6, 1e-3, 0.01, 1.0, 100.0, 1e3, 1e6)


def rounded(values: Iterable) -> list[str]:
    """Return numbers as they are kept, and what is no number as it is written.

    >>> from longfat.book import charts
    >>> charts.rounded([0.123456, 1e-17, None, "UCC"])
    ['0.1235', '0', '', 'UCC']
    """
    values = list(values)
    numeric = [isinstance(one, int | float | np.number) for one in values]
    sizes = [abs(one) for one, is_it in zip(values, numeric, strict=True) if is_it]
    floor = 1e-9 * max((size for size in sizes if np.isfinite(size)), default=0.0)
    return [
        ("0" if abs(one) <= floor else f"{one:.{DIGITS}g}") if is_it and one == one else _word(one)
        for one, is_it in zip(values, numeric, strict=True)
    ]


def _word(value: Any) -> str:
    if isinstance(value, list | tuple | dict | np.ndarray):
        return str(value)
    return "" if pd.isna(value) else str(value)


def _some(values: Iterable, most: int) -> list:
    values = list(values)
    return values[:: -(-len(values) // most) or 1]


def rounded_lines(data: pd.DataFrame) -> list[str]:
    """Return a figure's table as it is kept: a line a row, the columns' names first."""
    some = data.iloc[_some(range(len(data)), ROWS)]
    columns = [rounded(some.iloc[:, place]) for place in range(some.shape[1])]
    rows = zip(*columns, strict=True)
    return [",".join(map(str, data.columns)), *(",".join(row) for row in rows)]


def drawn(figure: Figure) -> list[str]:
    """Return what a figure draws as it is kept: a line a thing, panel by panel.

    Lines and bars by their ends and points, areas by their corners, heat maps cell by cell, texts
    by what they say.
    """
    return [
        f"{panel}: {kind.strip()}: "
        + "; ".join(" ".join(rounded(_some(one, POINTS))) for one in numbers)
        for panel, axes in enumerate(figure.axes, 1)
        for kind, numbers in _things(axes)
    ]


def _things(axes: Axes) -> Iterator[tuple[str, list]]:
    labels = _labels(axes)
    for line in axes.lines:
        yield f"line {labels(line)}", [_numbers(line.get_xdata()), _numbers(line.get_ydata())]
    for bar in axes.patches:
        if isinstance(bar, Rectangle):
            box = (bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height())
            yield f"bar {labels(bar)}", [box]
    for collection in axes.collections:
        yield from _of_collection(collection, labels(collection))
    for image in axes.images:
        yield "cells", [_numbers(_array(image).ravel())]
    for text in filter(None, (text.get_text() for text in axes.texts)):
        yield f"text {text!r}", []


def _of_collection(collection: Collection, label: str) -> Iterator[tuple[str, list]]:
    array = _array(collection)
    if isinstance(collection, LineCollection):
        ends = [np.reshape(segment, (-1, 2)) for segment in collection.get_segments()]
        points = np.concatenate([*ends, np.empty((0, 2))])
        kind = "intervals"
    elif isinstance(collection, PolyCollection):
        points = np.concatenate([*(p.vertices for p in collection.get_paths()), np.empty((0, 2))])
        kind = "area"
    else:
        points, kind = np.asarray(collection.get_offsets()), "points"
    if array.size:
        yield f"cells {label}", [_numbers(array.ravel())]
    yield f"{kind} {label}", [_numbers(points[:, 0]), _numbers(points[:, 1])]


def _array(mapped: ScalarMappable) -> np.ma.MaskedArray:
    """Return the values that colours stand for; none where colours stand for nothing."""
    array = mapped.get_array()
    return np.ma.asarray([] if array is None else array, float)


def _labels(axes: Axes) -> Callable[[Artist], str]:
    """Return what finds an artist's name in the legend: its own, or that of the whole it is of."""
    known = {
        id(part): str(container.get_label())
        for container in axes.containers
        for part in matplotlib.cbook.flatten(container)
        if part is not None
    }

    def label(artist: Artist) -> str:
        own = str(artist.get_label())
        name = known.get(id(artist), own) if own.startswith("_") else own
        return "" if name.startswith("_") else name

    return label


def _numbers(values: Any) -> list:
    """Return coordinates as numbers; those of categories and dates by what they say."""
    return list(np.ma.filled(np.ma.asarray(values), np.nan))


def not_in_data(figure: Figure, data: pd.DataFrame) -> list[str]:
    """Return what a figure draws in colour that its table does not have, a line a thing.

    On all pages colours are for what was measured; black is a model's, grey a paper's or a guide's.
    A value may be drawn in another of `UNITS` than the table's, and an interval's end by its
    distance from the point. Places on an axis of names are no values, and neither are those of a
    drawing without axes, as of a network.
    """
    numbers = data.select_dtypes("number").to_numpy(float).ravel()
    known = np.unique(np.outer(numbers[np.isfinite(numbers)], UNITS))
    strangers = []
    for panel, axes in enumerate(figure.axes, 1):
        if not axes.axison or hasattr(axes, "_colorbar"):
            continue
        for what, values in _measured(axes, known):
            if (strange := values[~_among(values, known)]).size:
                some = " ".join(rounded(_some(strange, 6)))
                strangers.append(f"{panel}: {' '.join(what.split())}: {some}")
    return strangers


def _measured(axes: Axes, known: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the values of what is drawn in colour, those along x and those along y."""
    labels = _labels(axes)
    valued = [not _named(axis) for axis in (axes.xaxis, axes.yaxis)]

    def along(what: str, *places: Any) -> Iterator[tuple[str, np.ndarray]]:
        for name, has_values, some in zip("xy", valued, places, strict=True):
            if has_values:
                yield f"{what} along {name}", np.asarray(some, float)

    bars = [one for one in axes.containers if isinstance(one, BarContainer)]
    ends = {id(one): np.array([_end(bar, one.orientation) for bar in one]) for one in bars}
    for one in bars:
        coloured = [_coloured(bar) for bar in one]
        yield f"bars {one.get_label()}", ends[id(one)][coloured, int(one.orientation == "vertical")]
    of_bars = {id(one.errorbar): ends[id(one)] for one in bars}
    caps = []
    for whole in axes.containers:
        if isinstance(whole, ErrorbarContainer):
            caps += whole[1]
            middles = _points(whole[0]) if whole[0] else of_bars.get(id(whole), np.empty((0, 2)))
            yield f"intervals {whole.get_label()}", _ends(whole, middles, valued, known)
    for line in axes.lines:
        if line not in caps and line.get_transform() == axes.transData and _coloured(line):
            yield from along(f"line {labels(line)}", line.get_xdata(), line.get_ydata())
    for collection in axes.collections:
        if _array(collection).size:
            yield "cells", _array(collection).compressed()
        elif not isinstance(collection, LineCollection | PolyCollection) and _coloured(collection):
            points = np.asarray(collection.get_offsets(), float)
            yield from along(f"points {labels(collection)}", *points.T)
    for image in axes.images:
        yield "cells", _array(image).compressed()


def _named(axis: Axis) -> bool:
    """Return whether an axis has names at its ticks, or numbers that are not their places."""
    formatter, places = axis.get_major_formatter(), list(axis.get_majorticklocs())
    if isinstance(formatter, ScalarFormatter | LogFormatter | NullFormatter):
        return not places
    try:
        written = [float(text) for text in formatter.format_ticks(places)]
    except ValueError:
        return True
    return not places or not np.allclose(written, places)


def _coloured(artist: Any) -> bool:
    """Return whether any of an artist is in colour."""
    if isinstance(artist, Line2D):
        lined = artist.get_linestyle() != "None"
        marked = artist.get_marker() not in ("None", "", None)
        marks = [artist.get_markerfacecolor(), artist.get_markeredgecolor()]
        colors: Any = [artist.get_color()] * lined + marks * marked
    elif isinstance(artist, LineCollection):
        colors = artist.get_edgecolor()
    else:
        colors = artist.get_facecolor()
    return bool((np.ptp(to_rgba_array(colors)[:, :3], axis=1) > 0.02).any())


def _points(line: Line2D) -> np.ndarray:
    return np.column_stack([np.asarray(one, float) for one in line.get_data()])


def _end(bar: Rectangle, orientation: str | None) -> tuple[float, float]:
    """Return the middle of a bar's end."""
    if orientation == "vertical":
        return bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()
    return bar.get_x() + bar.get_width(), bar.get_y() + bar.get_height() / 2


def _ends(
    whole: ErrorbarContainer, middles: np.ndarray, valued: list[bool], known: np.ndarray
) -> np.ndarray:
    """Return the ends of intervals, but those whose distance from their middle is known."""
    ends = []
    for segment in (segment for bar in whole[2] for segment in bar.get_segments()):
        if len(segment) < 2:  # of what is no number
            continue
        across = int(segment[0, 0] == segment[-1, 0])  # along y
        own = np.isclose(middles[:, 1 - across], segment[0, 1 - across], rtol=1e-12)
        for end in segment[[0, -1], across] if valued[across] else ():
            reach = abs(end - middles[own, across])
            ends += [end] if not _among(reach, known).any() else []
    return np.array(ends)


def _among(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return which values are known ones, but for rounding; what is no number counts as known."""
    if not len(known):
        return ~np.isfinite(values)
    right = np.searchsorted(known, values).clip(0, len(known) - 1)
    left = (right - 1).clip(0)
    nearest = np.minimum(abs(known[right] - values), abs(known[left] - values))
    return ~np.isfinite(values) | (nearest <= 1e-9 * abs(values) + 1e-12)


# --- charts


def lines(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    y: str,
    by: str,
    *,
    label: Callable[[Any], str] = str,
    look: Callable[[Any], Mapping[str, Any]] | None = None,
    halfwidth: str = "halfwidth",
    **more: Any,
) -> None:
    """Draw a column over another, a line for each value of the column `by`, in their order.

    Where the table has `halfwidth`, lines have intervals of that. `look` says how each is drawn;
    by itself as the algorithm or engine of that name is on every page, and what is neither by its
    place. `more` is for matplotlib's errorbar.
    """
    others = itertools.cycle(CONTROLS)
    for name, line in table.groupby(by, sort=False):
        own = look(name) if look else style(str(name)) if known_style(str(name)) else next(others)
        interval = {"yerr": line[halfwidth]} if halfwidth in line else {}
        axes.errorbar(line[x], line[y], label=label(name), **interval, **(dict(own) | more))


def of_other_engines(
    axes: Axes,
    points: pd.DataFrame,
    x: str,
    y: str,
    by: str,
    *,
    look: Callable[[Any], Mapping[str, Any]] = style,
    halfwidth: str = "halfwidth",
) -> None:
    """Draw the points that other engines than the segment engine have: larger, and hollow.

    A point has the colour of its name in the column `by` (`look`) and the marker of its engine,
    which the legend names once; `engine` is the engine as readers know it.
    """
    others = points[points["engine"] != ENGINE_LABEL["segment"]]
    for engine, own in others.groupby("engine", sort=False):
        drawn: dict[str, Any] = {"linestyle": "none"} | hollow(str(engine))
        for name, some in own.groupby(by, sort=False):
            color = look(name)["color"]
            axes.errorbar(some[x], some[y], yerr=some[halfwidth], **drawn | {"color": color})
        axes.plot([], [], label=engine, **drawn | {"color": "0.35"})


def hollow(engine: str) -> dict[str, Any]:
    """Return how an engine's points are drawn: our own filled, others hollow and larger."""
    if engine == ENGINE_LABEL["segment"]:
        return style(engine)
    return style(engine) | {"fillstyle": "none", "markersize": 6.5}


def beside(
    table: pd.DataFrame, x: str, by: str, names: Sequence[str], *, ratio: float
) -> pd.DataFrame:
    """Return the table with the column beside: places along a logarithmic axis instead of `x`.

    There points of one `x` stand beside each other, in the order that `names` has those of `by`.
    """
    shift = table[by].map({name: place - (len(names) - 1) / 2 for place, name in enumerate(names)})
    return table.assign(beside=table[x] * ratio**shift)


def forest(
    axes: Axes,
    table: pd.DataFrame,
    value: str,
    row: str,
    rows: Iterable[str],
    *,
    interval: tuple[str, str] | str = "halfwidth",
    label: Callable[[Any], str] = str,
    legend: str = "",
    shift: float = 0.0,
    look: Callable[[Any], Mapping[str, Any]] | Mapping[str, Any] = style,
) -> None:
    """Draw values with their intervals one below the other, each on the row of its name.

    `row` is the column with the names, `rows` has them from below, and `label` is what stands
    there. `interval` is the column of the half width, or those of the two ends. `shift` moves all
    points up, and `legend` names them, where several tables share the rows; they have one `look`.
    """
    heights = {name: height for height, name in enumerate(rows)}
    for number, one in enumerate(table.to_dict("records")):
        middle = one[value]
        if isinstance(interval, str):
            reach = [[one[interval]], [one[interval]]]
        else:
            reach = [[middle - one[interval[0]]], [one[interval[1]] - middle]]
        own = dict(look if isinstance(look, Mapping) else look(one[row])) | (
            {"label": legend} if legend and not number else {}
        )
        axes.errorbar([middle], [heights[one[row]] + shift], xerr=reach, linestyle="none", **own)
    axes.set_yticks(list(heights.values()), [label(name) for name in heights], fontsize=8)


def heat(
    axes: Axes,
    values: pd.DataFrame,
    *,
    colors: pd.DataFrame | None = None,
    words: Callable[[float], str] | None = None,
    dark: Callable[[float], bool] = lambda _: False,
    rows: Callable[[Any], str] = str,
    columns: Callable[[Any], str] = str,
    **scale: Any,
) -> ScalarMappable:
    """Draw a table as a map, its first row below: a cell a value, with words in it if asked for.

    `colors` are what the colours stand for, where that is not the values; `dark` says of which
    values the words are white. `scale` is for matplotlib's imshow. Return what a colour bar needs.
    """
    shown = values if colors is None else colors
    image = axes.imshow(shown, origin="lower", aspect="auto", **scale)
    axes.set_xticks(range(values.shape[1]), [columns(name) for name in values.columns])
    axes.set_yticks(range(values.shape[0]), [rows(name) for name in values.index])
    for (row, column), value in np.ndenumerate(values.to_numpy()):
        if words:
            color = "w" if dark(value) else "k"
            axes.text(column, row, words(value), ha="center", va="center", color=color)
    axes.grid(visible=False)
    return image


def panels(count: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels of one scale, row by row; `height` is a row's, in inches."""
    rows = -(-count // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(width, height * rows), sharex=True, sharey=True
    )
    axes = list(np.ravel(grid))
    for one in axes[count:]:
        one.set_visible(False)
    return figure, axes
