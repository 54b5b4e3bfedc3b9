"""A second layout of a figure for a phone: a panel wide, letters at their own size.

Nothing is drawn again: panels go below each other, legends below their panel, long names of rows
above their row, and titles, labels and notes get more lines.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.transforms import ScaledTranslation

WIDTH_IN = 3.6  # 346 CSS pixels: a screen of 390 leaves 350 between the page's margins
LARGEST_POINTS = 9.0
SMALLEST_POINTS = 8.0
MOST_STACKED = 6  # more panels than these stand in two columns
PANEL_IN = (1.6, 2.8)  # the height of one among several
LINE_IN = 0.14  # of a row's name beside its panel, at least
LONG_NAMES = 0.42  # of the width: such names of rows stand above their row
HANDLE_IN = 0.45  # of a legend: its handle and the space around
ROW_IN = 0.36  # with its name above it, or of two lines of words
MOST_NOTES = 12  # what has more is a table of words
_WORDS = re.compile(r"(?:\$[^$]*\$|\S)+")


def lay_out(figure: Figure) -> bool:
    """Lay a settled figure out for a phone; return whether it has panels to be laid out."""
    panels = [one for one in figure.axes if one.get_subplotspec() and one.get_visible()]
    if not panels:
        return False
    for text in figure.findobj(Text):
        size = min(max(text.get_fontsize(), SMALLEST_POINTS), LARGEST_POINTS)
        text.set_fontsize(size)
    _stack(figure, panels)
    figure.set_layout_engine("none")
    figure.draw_without_rendering()  # a figure that was saved has texts of the file's resolution
    figure.set_layout_engine("constrained")
    for panel in panels:
        _names_above(figure, panel)
    legends = list(figure.legends)
    for legend in legends:
        legend.remove()  # beside the panels they would leave them no room
    figure.draw_without_rendering()
    for panel in panels:
        if panel.axison and (old := panel.get_legend()):
            axis = panel.xaxis.get_tightbbox()
            below = panel.bbox.y0 - axis.y0 if axis else 0
            shift = ScaledTranslation(0, -below / figure.dpi, figure.dpi_scale_trans)
            place = {"bbox_to_anchor": (0, 0), "bbox_transform": panel.transAxes + shift}
            _legend_again(figure, old, panel.legend, loc="upper left", **place)
    for legend in legends:
        _legend_again(figure, legend, figure.legend, loc="outside lower left")
    for _ in range(2):  # labels of more lines leave a panel less room
        figure.draw_without_rendering()
        for text in figure.texts:
            if not text.get_rotation():
                _wrap(text, figure.bbox.width)
        for panel in panels:
            _fit_texts(figure, panel)
    return True


def _stack(figure: Figure, panels: list[Axes]) -> None:
    """Put the panels below each other; in two columns where they are many."""
    specs = [_spec(panel) for panel in panels]
    grid = specs[0].get_gridspec()
    columns = min(1 if len(panels) <= MOST_STACKED else 2, grid.ncols)
    height_in = figure.get_figheight() / grid.nrows
    if columns == grid.ncols:
        figure.set_size_inches(WIDTH_IN, max(figure.get_figheight(), PANEL_IN[1]))
        return
    rows = -(-len(panels) // columns)
    height_in = min(max(0.8 * height_in, PANEL_IN[0]), PANEL_IN[1])
    height_in = max(height_in, 0.6 + LINE_IN * max(len(panel.get_yticks()) for panel in panels))
    if any(len(panel.texts) > MOST_NOTES for panel in panels):
        height_in = max(height_in, 0.6 + ROW_IN * len(panels[0].get_yticks()))
    figure.set_size_inches(WIDTH_IN, rows * height_in)
    shares = GridSpec(rows, columns, figure=figure)
    by_row = {spec.rowspan.start: panel.get_ylabel() for panel, spec in _labelled(panels, "y")}
    by_column = {spec.colspan.start: panel.get_xlabel() for panel, spec in _labelled(panels, "x")}
    titles = {
        spec.colspan.start: panel.get_title(loc="left")
        for panel, spec in zip(panels, specs, strict=True)
        if spec.rowspan.start == 0
    }
    for place, (panel, spec) in enumerate(zip(panels, specs, strict=True)):
        row, column = divmod(place, columns)
        others = [one for one in panels if one is not panel]
        last, first = place + columns >= len(panels), column == 0
        if panel.axison and not panel.get_title(loc="left"):
            above = titles.get(spec.colspan.start, "")
            panel.set_title(above, loc="left", fontsize=LARGEST_POINTS)
        if any(panel.get_shared_x_axes().joined(panel, one) for one in others):
            panel.tick_params(labelbottom=last)
            panel.set_xlabel(by_column.get(spec.colspan.start, "") if last else "")
        if any(panel.get_shared_y_axes().joined(panel, one) for one in others):
            panel.tick_params(labelleft=first)
            panel.set_ylabel(by_row.get(spec.rowspan.start, "") if first else "")
        panel.set_subplotspec(shares[row, column])


def _spec(panel: Axes) -> SubplotSpec:
    spec = panel.get_subplotspec()
    assert spec is not None
    return spec


def _labelled(panels: list[Axes], axis: str) -> list[tuple[Axes, SubplotSpec]]:
    return [(panel, _spec(panel)) for panel in panels if getattr(panel, f"get_{axis}label")()]


def _names_above(figure: Figure, panel: Axes) -> None:
    """Put long names of rows above their row, where they have the panel's whole width."""
    names = [text for text in panel.get_yticklabels() if text.get_text()]
    widths = [text.get_window_extent().width for text in names]
    if not widths or max(widths) < LONG_NAMES * figure.bbox.width:
        return
    for text in names:
        name = panel.annotate(
            text.get_text(),
            (0, text.get_position()[1]),
            xycoords=panel.get_yaxis_transform(),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=8,
            va="bottom",
            annotation_clip=False,
        )
        name.set_in_layout(False)
    panel.tick_params(labelleft=False)
    figure.set_figheight(max(figure.get_figheight(), ROW_IN * len(names) + 1.2))


def _legend_again(figure: Figure, old: Legend, make: Callable[..., Legend], **place: Any) -> None:
    """Make a legend of as many columns as there is room for."""
    texts = old.get_texts()
    names = [text.get_text() for text in texts]
    scales = [SMALLEST_POINTS / float(text.get_fontsize()) for text in texts]
    widths = [
        text.get_window_extent().width * scale for text, scale in zip(texts, scales, strict=True)
    ]
    panel = old.axes if old.axes in figure.axes else None
    room = figure.bbox.x1 - (panel.bbox.x0 if panel else 0)
    # What the old one has of points with error bars are the bars alone, without the marker.
    within = [panel] if panel else reversed(figure.axes)  # the first of a name's
    drawn = {one.get_label(): one for axes in within for one in axes.containers}
    make(
        [drawn.get(name, kept) for name, kept in zip(names, old.legend_handles, strict=True)],
        names,
        title=old.get_title().get_text(),
        ncols=max(1, int(room / (max(widths) + HANDLE_IN * figure.dpi))),
        fontsize=SMALLEST_POINTS,
        title_fontsize=SMALLEST_POINTS,
        frameon=False,
        columnspacing=1,
        **place,
    )


def _fit_texts(figure: Figure, panel: Axes) -> None:
    """Break what is longer than its place, and move notes off each other."""
    box, right = panel.get_window_extent(), figure.bbox.x1
    titles = [one for one in panel.get_children() if isinstance(one, Text)]
    for title in (one for one in titles if one not in panel.texts):
        _wrap(title, right - box.x0)
        for note in (Text.get_window_extent(one) for one in panel.texts):
            if note.x0 > box.x0 and note.overlaps(title.get_window_extent()):
                _wrap(title, 0.95 * (note.x0 - box.x0))
    _wrap(panel.xaxis.label, box.width)
    _wrap(panel.yaxis.label, box.height, vertical=True)
    _turn(panel.get_xticklabels())
    notes = [text for text in panel.texts if text.get_text() and text.get_in_layout()]
    for text in notes:
        extent = Text.get_window_extent(text)
        if extent.x1 > right or extent.x0 < figure.bbox.x0:
            _wrap(text, 0.6 * box.width)
    for text in panel.texts:
        if not text.get_in_layout():
            _wrap(text, 0.97 * (right - box.x0))
    if len(notes) <= MOST_NOTES:
        for place, text in enumerate(notes):
            _move_off(text, notes[:place], panel)


def _turn(labels: list[Text]) -> None:
    """Turn labels that lie on each other."""
    shown = [text for text in labels if text.get_text() and text.get_visible()]
    boxes = [text.get_window_extent() for text in shown]
    if any(one.overlaps(other) for one, other in itertools.pairwise(boxes)):
        for text in shown:
            text.set(rotation=40, ha="right", rotation_mode="anchor")


def _move_off(text: Text, others: list[Text], panel: Axes) -> None:
    """Move a note up or down, within the panel, to where it is on no other."""
    box = panel.get_window_extent()
    taken = [Text.get_window_extent(other) for other in others]
    extent = Text.get_window_extent(text)
    step = extent.height / 2
    for shift in (step * n * sign for n in range(16) for sign in (-1, 1)):
        moved = extent.translated(0, shift)
        inside = not shift or (moved.y0 >= box.y0 and moved.y1 <= box.y1)
        if inside and not any(moved.overlaps(one) for one in taken):
            _shift(text, panel, shift)
            return


def _shift(text: Text, panel: Axes, dots: float) -> None:
    """Move a note up, whatever its place is counted in."""
    x, y = text.get_position()
    place: Any = text.anncoords if isinstance(text, Annotation) else text.get_transform()
    if isinstance(place, tuple):  # across and up are counted in different ways
        place = place[1]
    if isinstance(place, str):
        if place == "offset points":
            text.set_position((x, y + dots * 72 / panel.figure.dpi))
            return
        place = {"data": panel.transData, "axes fraction": panel.transAxes}[place]
    across, up = place.transform((x, y))
    text.set_position(place.inverted().transform((across, up + dots)))


def _wrap(text: Text, room: float, vertical: bool = False) -> None:
    """Break a text at its spaces so that no line is longer than the room, in dots."""
    words = _WORDS.findall(text.get_text())
    lines: list[str] = []

    def length() -> float:
        extent = Text.get_window_extent(text)
        return extent.height if vertical else extent.width

    if not words or length() <= room:
        return
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        text.set_text(longer)
        if lines and length() <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    text.set_text("\n".join(lines))
