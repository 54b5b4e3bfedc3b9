"""What a phone shows of a figure: `longfat.book.narrow`."""

import itertools
import json
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text
from pages import letters_px

from longfat import pictures, topologies
from longfat.book import narrow, show, sphinx

PHONE_PX = 350  # between the margins of a page on a screen of 390

pytestmark = pytest.mark.medium


def boxes(texts):
    return [Text.get_window_extent(text) for text in texts]


def apart(texts):
    return not any(one.overlaps(other) for one, other in itertools.combinations(boxes(texts), 2))


@pytest.fixture
def wide():
    figure, panels = plt.subplots(2, 2, figsize=(10, 5), sharex=True, sharey="row")
    figure.suptitle("A title that says what these four panels are about, and that is rather long")
    for row, column in itertools.product(range(2), range(2)):
        panels[row, column].plot([0, 1], [row, column], label="one of the four lines")
    for row, name in enumerate(("goodput (Mb/s)", "queue (packets)")):
        panels[row, 0].set_ylabel(name)
    for column, name in enumerate(("first", "second")):
        panels[0, column].set_title(name)
        panels[1, column].set_xlabel("time (s)")
    panels[0, 0].legend()
    for x in (0.1, 0.15):
        panels[1, 1].text(x, 0.5, "a note of some length")
    show.settle(figure)
    yield figure
    plt.close(figure)


@pytest.mark.parametrize("whose", ["panel's", "figure's"])
def test_a_legend_keeps_the_markers_of_points_with_error_bars(whose):
    figure, panels = plt.subplots(1, 2, figsize=(10, 4))
    for panel, marker in zip(panels, "sv", strict=True):
        panel.errorbar([1, 2], [1, 2], yerr=0.1, marker=marker, label="measured")
        panel.plot([1, 2], [2, 1], marker="^", label="model")
    if whose == "panel's":
        panels[1].legend()
    else:
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center")
    show.settle(figure)
    assert narrow.lay_out(figure)
    legend = panels[1].get_legend() if whose == "panel's" else figure.legends[0]
    markers = {line.get_marker() for line in legend.findobj(Line2D)}
    assert {"^", "v" if whose == "panel's" else "s"} <= markers
    plt.close(figure)


def test_names_of_many_rows_do_not_lie_on_each_other():
    figure, panels = plt.subplots(1, 2, figsize=(10, 7), sharey=True)
    for panel in panels:
        panel.plot(range(28), [f"row {number}" for number in range(28)])
    show.settle(figure)
    assert narrow.lay_out(figure)
    figure.draw_without_rendering()
    assert all(apart(panel.get_yticklabels()) for panel in panels)
    plt.close(figure)


def test_a_figure_that_was_saved_is_laid_out_as_one_that_was_not():
    names = ["some of these", "a name of middling length"]
    phones = []
    for saved in (False, True):
        figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
        for panel in panels:
            panel.errorbar([1, 2], names, xerr=0.1, label="one of the points that were measured")
            panel.plot([2, 1], names, label="what the model has")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center")
        show.settle(figure)
        if saved:
            pictures.svg(figure)
        assert narrow.lay_out(figure)
        phones.append(pictures.svg(figure))
        plt.close(figure)
    assert phones[0] == phones[1]


def test_panels_go_below_each_other_with_labels_of_their_own(wide):
    assert narrow.lay_out(wide)
    panels = wide.axes
    assert wide.get_figwidth() == narrow.WIDTH_IN
    tops = [panel.get_window_extent().y1 for panel in panels]
    assert tops == sorted(tops, reverse=True)
    assert len({round(panel.get_window_extent().x0) for panel in panels}) == 1
    goodput, queue = "goodput (Mb/s)", "queue (packets)"
    assert [panel.get_ylabel().replace("\n", " ") for panel in panels] == [goodput] * 2 + [
        queue
    ] * 2
    assert [panel.get_title(loc="left") for panel in panels] == ["first", "second"] * 2
    assert [panel.get_xlabel() for panel in panels] == ["", "", "", "time (s)"]


def test_nothing_lies_on_a_legend_or_a_note_or_is_cut(wide):
    narrow.lay_out(wide)
    first, *_, last = wide.axes
    assert first.get_legend().get_window_extent().y1 < first.get_window_extent().y0
    assert apart(last.texts)
    (title,) = wide.texts[:1]
    assert title.get_text().count("\n") == 1
    assert Text.get_window_extent(title).width <= wide.bbox.width


def test_long_names_of_rows_stand_above_them():
    names = [f"the claim number {n} of a paper, in words that are many" for n in range(5)]
    figure, axes = plt.subplots()
    axes.plot(range(5), range(5), "o")
    axes.set_yticks(range(5), names)
    show.settle(figure)
    narrow.lay_out(figure)
    figure.draw_without_rendering()
    assert [text.get_text().replace("\n", " ") for text in axes.texts] == names
    assert apart(axes.texts)
    assert not any(text.get_visible() for text in axes.get_yticklabels())
    plt.close(figure)


def test_letters_of_what_a_phone_shows_can_be_read(wide, tmp_path):
    show.offer_narrow(tmp_path, "one", wide)
    assert letters_px(tmp_path / "one-narrow.svg", PHONE_PX) >= 9


def test_a_page_offers_the_narrow_picture_to_phones_where_there_is_one(tmp_path):
    made = tmp_path / "_longfat"
    made.mkdir()
    (made / "one-narrow.svg").write_text("<svg/>")
    one, other = (f'<img alt="a &gt; b" src="../_images/{name}.svg" />' for name in ("one", "two"))
    context = {"body": f"<figure>{one}</figure>{other}"}
    app = SimpleNamespace(srcdir=tmp_path)
    sphinx._let_phones_choose(app, "page", "", context, None)
    source = '<source media="screen and (max-width: 575px)" srcset="../_images/one-narrow.svg">'
    picture = f"<picture>{source}{one}</picture>"
    assert context["body"] == f"<figure>{picture}</figure>{other}"


def test_notebooks_to_download_have_numbers_and_no_pictures(tmp_path):
    path = tmp_path / "_sources" / "one.ipynb"
    path.parent.mkdir()
    data = {show.PICTURE_MIME: "<svg/>", show.FIGURE_MIME: {"data": ["a", "1"]}}
    text = {"cell_type": "markdown", "source": "ρ"}
    cell = {"cell_type": "code", "outputs": [{"data": data, "metadata": {}}, {"text": "2"}]}
    path.write_text(json.dumps({"cells": [text, cell]}), encoding="utf-8")
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    sphinx._leave_out_pictures(app, None)
    data.pop(show.PICTURE_MIME)
    assert json.loads(path.read_text("utf-8")) == {"cells": [text, cell]}


def test_letters_are_measured_as_they_are_shown(tmp_path):
    figure = plt.figure(figsize=(5, 1))
    figure.text(0, 0, "$x^2$ and more", fontsize=10)
    pictures.save(figure, tmp_path / "five.svg")
    assert letters_px(tmp_path / "five.svg", 360) == pytest.approx(7)  # a dot a point, raised
    plt.close(figure)


@pytest.mark.parametrize("layout", ["chain", "opposite"])
def test_a_network_is_drawn_from_the_top_for_a_phone(layout, tmp_path):
    scenario = topologies.multi_bottleneck("ucc", loss=1e-3, layout=layout)
    figure = pictures.draw(scenario, down=True)
    figure.draw_without_rendering()
    assert figure.get_figwidth() <= narrow.WIDTH_IN
    assert figure.get_tightbbox().width <= narrow.WIDTH_IN
    texts = figure.axes[0].texts
    at = {text.get_text(): text.get_position() for text in texts}
    for link in scenario.links:
        assert link.source in at
    assert at["R1"][1] > at["R2"][1]
    nodes = [text for text in texts if text.get_text() in scenario.nodes]
    assert apart(nodes)
    show.offer_narrow(tmp_path, "network", figure)
    assert letters_px(tmp_path / "network-narrow.svg", PHONE_PX) >= 7


def test_a_notebook_keeps_the_same_where_the_book_is_built_and_elsewhere(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(show, "display", lambda shown, **_: kept.append(shown))
    for folder in (None, tmp_path):
        if folder:
            monkeypatch.setenv(show.PAGE_FOLDER, str(folder))
        figure, axes = plt.subplots(1, 2, figsize=(9, 3))
        for one in axes:
            one.plot([1, 2], [3, 4])
        data = pd.DataFrame({"x": [1, 2], "y": [3, 4]})
        show.show_figure("two-panels", figure, data, "Two lines.")
    assert (tmp_path / "two-panels-narrow.svg").is_file()
    assert kept[0] == kept[1]
