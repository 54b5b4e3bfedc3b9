"""The first ten round trips in a page: what it says is what the same run in Python says."""

import json
import math

import pytest

from longfat import Scenario, simulate
from longfat.book import laboratory, ten_round_trips
from longfat.engines.segment import wasm
from longfat.studies import ten_round_trips as study

PATH = (20e6, 0.6, 1000)
LETTERS = "style='font: 16px sans-serif'"  # as wide as the book's


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    """A page that has the explorer and the engine, read from the disk."""
    folder = tmp_path_factory.mktemp("rounds")
    for name in laboratory.FILES:
        folder.joinpath(name).write_bytes(laboratory.STATIC.joinpath(name).read_bytes())
    script = laboratory.engine_script(wasm.module().read_bytes())
    folder.joinpath(laboratory.ENGINE).write_text(script)
    links = "".join(
        f'<script defer src="{name}"></script>' for name in laboratory.FILES if name.endswith(".js")
    )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">{links}'
    panel = ten_round_trips.html(laboratory.ENGINE)
    page = folder / "page.html"
    page.write_text(
        f"<!doctype html><html lang=en><title>t</title>{head}<body {LETTERS}>{panel}", "utf-8"
    )
    return page.as_uri()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    problems = []
    page.on("console", lambda m: m.type == "error" and problems.append(m.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: r.url.startswith("http") and problems.append(r.url))
    page.goto(address)
    page.locator(".longfat-rounds table tbody tr").first.wait_for()
    yield page
    context.close()
    assert not problems


def chosen(page, label: str, value: str) -> list[dict]:
    """Choose an option; return the runs that are shown then."""
    return page.locator(".longfat-rounds").evaluate(
        """async (panel, [label, value]) => {
            const shown = new Promise(resolve => panel.addEventListener(
                "longfat-rounds", event => resolve(event.detail), { once: true }))
            const holder = [...panel.querySelectorAll("label")].find(
                one => one.firstChild.textContent === label)
            const select = holder.querySelector("select, input")
            select.value = value
            select.dispatchEvent(new Event("change"))
            return (await shown).map(({ name, scenario, rounds }) =>
                ({ name, scenario: JSON.stringify(scenario), rounds }))
        }""",
        [label, value],
    )


@pytest.mark.parametrize("start_up", [*study.START_UPS, study.REMEMBERED])
def test_the_page_says_of_each_start_up_what_python_says(page, start_up):
    chosen(page, "path", "1")
    [shown] = chosen(page, "start-up", start_up)
    here = study.scenario(start_up, *PATH)
    assert Scenario.from_json(shown["scenario"]) == here
    rows = study.rounds(simulate(here)).to_dict("records")
    assert shown["rounds"] == [pytest.approx(row, rel=1e-12) for row in rows]


def test_another_start_up_is_laid_beside_the_first_without_scrolling(page):
    told = page.locator(".longfat-rounds output")
    alone = told.text_content()
    shown = chosen(page, "beside it", "picoquic")
    assert [one["name"] for one in shown] == ["standard", "picoquic"]
    assert told.text_content() != alone and "picoquic, round trip 3" in told.text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    before = page.locator("canvas").last.screenshot()
    slider = page.locator("input[type=range]")
    slider.focus()
    for _ in range(30):
        slider.press("ArrowRight")
    assert "picoquic, round trip 4" in told.text_content()
    assert page.locator("canvas").last.screenshot() != before


def in_words(row: dict) -> str:
    lost = f"{row['lost']:,} of them find no room in the queue" if row["lost"] else "none is lost"
    return (
        f"round trip {row['round']}: {row['sent']:,} packets are sent, {lost}; at its end the "
        f"window is {math.floor(row['window'] + 0.5):,} segments, and at most {row['waiting']:,} "
        "packets wait."
    )


def test_the_words_are_those_of_python(page):
    chosen(page, "path", "1")
    slider, told = page.locator("input[type=range]"), page.locator(".longfat-rounds output")
    rows = study.rounds(simulate(study.scenario("standard", *PATH))).to_dict("records")
    for place, row in enumerate(rows):
        slider.fill(f"{place + 0.5}")
        assert told.text_content().startswith(f"standard, {in_words(row)}")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_leaves_the_panel(page, width, scheme):
    """Two start-ups, windows of five digits: the widest table that there is."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    chosen(page, "rate (Mb/s)", "400")
    chosen(page, "round trip (ms)", "800")
    chosen(page, "queue (packets)", "20000")
    chosen(page, "start-up", "hybla")
    chosen(page, "beside it", "picoquic")
    beyond = page.locator(".longfat-rounds").evaluate(
        """panel => {
            const right = panel.getBoundingClientRect().right
            return [...panel.querySelectorAll("*")].filter(
                one => one.getBoundingClientRect().right > right).map(one => one.tagName)
        }"""
    )
    assert beyond == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_burst_of_ten_thousand_is_drawn_by_what_can_be_seen(page):
    """Of lines that begin in one half of a pixel one is drawn, of 334 pixels in height.

    They are of five kinds, and a lost one has a cross of two lines besides. All would be 54,000.
    """
    chosen(page, "path", "3")  # a long queue
    chosen(page, "start-up", "hybla")
    lines = page.locator("input[type=range]").evaluate(
        """slider => {
            let lines = 0
            const moveTo = CanvasRenderingContext2D.prototype.moveTo
            CanvasRenderingContext2D.prototype.moveTo = function (...at) {
                lines++
                moveTo.apply(this, at)
            }
            slider.value = 1.5
            slider.dispatchEvent(new Event("input"))
            return lines
        }"""
    )
    assert 1000 < lines < 2 * 334 * 2 * 7


def test_a_rate_that_is_none_is_said(page):
    rate = page.locator("label", has_text="rate (Mb/s)").locator("input")
    rate.fill("-3")
    rate.blur()
    assert "must be a number from 1 to 400" in page.locator("output").text_content()


@pytest.mark.medium
@pytest.mark.parametrize("start_up", ["standard", "hybla", "picoquic", study.REMEMBERED])
@pytest.mark.parametrize(
    "path", [PATH, (100e6, 0.02, 167), (250e6, 0.6, 12_500), (5e6, 0.05, 5), (382.9e6, 0.01, 2859)]
)
def test_every_packet_is_told_once(start_up, path):
    """As many as the sender counts; those without room are as many as the queue counts."""
    run = simulate(study.scenario(start_up, *path))
    found = study.packets(run)
    assert len(found) == pytest.approx(run.flows["segments_sent"].item(), abs=1)  # one is leaving
    assert found["sent_s"].is_monotonic_increasing
    crossed = found["left_s"].dropna()
    assert crossed.is_monotonic_increasing
    assert (crossed >= found.loc[crossed.index, "sent_s"]).all()
    link = run.links[
        (run.links["source"] == study.ROUTER) & (run.links["target"] == study.RECEIVER)
    ]
    assert found["left_s"].isna().sum() == link["packets_dropped_by_queue"].item()


def test_a_queue_with_room_loses_nothing():
    run = simulate(study.scenario("limited", *PATH))
    rounds = study.rounds(run)
    assert rounds["lost"].sum() == 0
    assert list(rounds["sent"][:4]) == [10, 20, 40, 80]
    assert json.loads(rounds.to_json())["waiting"]["0"] == 9
