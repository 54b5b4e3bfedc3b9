"""The Laboratory over an orbit: the page's path is Python's, and its map and form are usable."""

import json

import pytest
from test_laboratory import run, site, visit  # noqa: F401  fixtures

from longfat import Scenario, simulate, topologies
from longfat.book import laboratory

SPACE = 2  # the link down
ENDS = ("start_s", "duration_s")


def path_in_page(page, **state) -> dict:
    """Return the scenario that the page would simulate with this state of the form."""
    return page.locator(".longfat-laboratory").evaluate(
        """(panel, state) => {
            const settings = JSON.parse(panel.querySelector('script').textContent)
            const links = longfatOrbit.links(settings, { ...settings.state, ...state })
            return { ...settings.scenario, links }
        }""",
        state,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({}, {}),
        ({"user": "Munich", "server": "Frankfurt", "links": "bent pipe", "duration": 60}, {}),
        ({"user": "Auckland", "server": "Lisbon", "start": "2026-05-04T03:02:01.5Z"}, {}),
        (
            {"shell": "oneweb", "user": "London", "server": "Madrid", "links": "bent pipe"},
            {"reconfiguration_s": None},
        ),
        (
            {"shell": "kuiper", "user": "Manila", "server": "Dalian", "duration": 200},
            {"reconfiguration_s": None},
        ),
        ({"silence": 0, "shell": "telesat"}, {"reconfiguration_s": None}),
    ],
)
def test_the_pages_path_is_pythons(visit, state, told):  # noqa: F811
    scenario = path_in_page(visit("orbit"), **state)
    here = laboratory.ORBIT | {"silence": 50, "duration": 120} | state
    silence_s, duration_s = here.pop("silence") / 1000, here.pop("duration")
    theirs = topologies.leo(**here, silence_s=silence_s, duration_s=duration_s, **told)
    for link in (SPACE, SPACE + 1):
        ours, python = scenario["links"][link], theirs.links[link]
        assert ours["delay_s"] == pytest.approx(python.delay_s, abs=2e-9)
        assert len(ours["changes"]) == pytest.approx(len(python.changes), abs=2)
        for one, other in zip(ours["changes"], python.changes, strict=False):
            assert one["at_s"] == pytest.approx(other.at_s, abs=0.1)
            assert one["delay_s"] == pytest.approx(other.delay_s, abs=2e-6)
        silences = [round(one[end], 6) for one in ours["outages"] for end in ENDS]
        assert silences == [round(getattr(o, end), 6) for o in python.outages for end in ENDS]


@pytest.mark.parametrize(
    "state",
    [
        {"duration": 20},
        {"senders": ["cubic", "bbr"], "links": "bent pipe", "user": "Munich", "duration": 30},
        {"senders": ["hybla"], "choice": "random", "seed": 4, "duration": 30, "rate": 20},
    ],
)
def test_the_page_gives_pythons_digits(visit, state):  # noqa: F811
    answer, scenario = run(visit("orbit"), **state)
    result = simulate(Scenario.from_json(scenario), engine="segment")
    names = ["delivered_bytes", "segments_sent", "retransmissions", "timeouts"]
    for flow, row in zip(answer["flows"], result.flows.to_dict("records"), strict=True):
        assert {name: flow[name] for name in names} == {name: row[name] for name in names}
    assert result.flows["delivered_bytes"].sum() > 1e6


def test_the_map_shows_the_path_at_a_time(visit):  # noqa: F811
    page = visit("orbit")
    words = page.locator(".lab-map-words")
    first = words.text_content()
    assert first.startswith("At 0 s the path is over ") and "ms one way" in first
    inked = page.locator(".lab-map canvas").evaluate(
        """canvas => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            let path = 0
            for (let i = 0; i < data.length; i += 4)
                path += data[i] > 190 && data[i + 1] < 120 && data[i + 2] < 40 && data[i + 3] > 200
            return path
        }"""
    )
    assert inked > 300  # the path's colour
    land, sea = page.locator(".lab-map canvas").evaluate(
        """canvas => [[60, 48], [51, 42]].map(([longitude, latitude]) => {
            const x = ((longitude + 180) / 360) * canvas.width
            const y = ((90 - latitude) / 180) * canvas.height
            return canvas.getContext('2d').getImageData(x, y, 1, 1).data[3]
        })"""
    )
    assert (land > 0, sea) == (True, 0)  # Kazakhstan, and the Caspian Sea
    page.get_by_label("time", exact=True).fill("10")
    assert words.text_content().startswith("At 10 s the path is over ")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "!document.querySelector('.lab-map-words').textContent.startsWith('At 10 s')"
    )
    page.get_by_role("button", name="Pause").click()
    stopped = words.text_content()
    page.wait_for_timeout(300)
    assert words.text_content() == stopped


def test_places_without_a_path_are_named_and_not_run(visit):  # noqa: F811
    page = visit("orbit")
    page.get_by_label("user").select_option("Reykjavik")
    page.get_by_role("button", name="Simulate").click()
    status = page.get_by_role("status").text_content()
    assert status == "Within 120 s no path over starlink joins Reykjavik and Lisbon."
    page.get_by_label("user").select_option("Tokyo")
    page.get_by_label("start").fill("tomorrow")
    page.get_by_role("button", name="Simulate").click()
    assert "it must be a time, such as" in page.get_by_role("status").text_content()
    assert page.locator(".lab-plot canvas").count() == 0


def test_a_link_reproduces_places_and_senders(visit):  # noqa: F811
    query = "#lab=orbit&senders=cubic&user=Munich&links=bent+pipe&duration=10"
    page = visit("orbit", query)
    page.get_by_text("10 s simulated in").wait_for()
    assert page.get_by_label("user").input_value() == "Munich"
    assert json.loads(page.locator(".lab-code pre").last.text_content())["duration_s"] == 10
    page = visit("orbit", "#lab=orbit&user=Atlantis")
    assert 'user is "Atlantis"' in page.get_by_role("status").text_content()


def test_a_phone_shows_the_map_without_scrolling_sideways(visit):  # noqa: F811
    page = visit("orbit", "#lab=orbit&duration=5")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("5 s simulated in").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".lab-map canvas").bounding_box()["width"] > 300
