"""The Laboratory: a network simulated in the page gives Python's digits, and its form is usable."""

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from longfat import InputError, Scenario, simulate
from longfat.book import laboratory
from longfat.engines.segment import wasm
from longfat.studies import attack

COUNTS = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with a page for each network, as the book has them, read from the disk."""
    folder = tmp_path_factory.mktemp("laboratory")
    for name in laboratory.FILES:
        folder.joinpath(name).write_bytes(laboratory.STATIC.joinpath(name).read_bytes())
    script = laboratory.engine_script(wasm.module().read_bytes())
    folder.joinpath(laboratory.ENGINE).write_text(script)
    links = "".join(
        f'<link rel="stylesheet" href="{name}">'
        if name.endswith(".css")
        else f'<script defer src="{name}"></script>'
        for name in laboratory.FILES
    )
    for name in laboratory.networks():
        panel = laboratory.html(name, laboratory.ENGINE)
        head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">{links}'
        page = f"<!doctype html><html lang=en><title>t</title>{head}<body><h1>t</h1>{panel}"
        folder.joinpath(f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture
def visit(browser, site):
    """Open a network's page; at the end demand that nothing failed and nothing was fetched."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    problems = []
    page.on("console", lambda m: m.type == "error" and problems.append(m.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: r.url.startswith("http") and problems.append(r.url))

    def open_page(name: str, fragment: str = ""):
        page.goto(site.joinpath(f"{name}.html").as_uri() + fragment)
        return page

    yield open_page
    context.close()
    assert not problems


def run(page, **state) -> tuple[dict, str]:
    """Simulate with this state of the form; return the answer and the scenario's JSON."""
    return page.locator(".longfat-laboratory").evaluate(
        """async (panel, state) => {
            const result = new Promise(resolve => panel.addEventListener(
                "longfat-result", event => resolve(event.detail.answer), { once: true }))
            await panel.simulate(state)
            return [await result, JSON.stringify(panel.scenario())]
        }""",
        state,
    )


@pytest.mark.parametrize(
    ("network", "state"),
    [
        ("path", {"senders": ["newreno"], "duration": 10}),
        ("path", {"senders": ["standard", "hybla", "ucc", "fast"], "duration": 10, "loss": 1e-3}),
        ("path", {"senders": ["compound"], "rate": 3.3, "rtt": 37.5, "queue": 7, "duration": 7}),
        ("path", {"senders": ["westwood", "chd"], "window": 40, "seed": 12345, "loss": 0.01}),
        ("satellite", {"duration": 20}),
        ("satellite", {"senders": ["hybla", "highspeed"], "duration": 30, "seed": 7}),
        ("long-fat-pipe", {"duration": 2}),
        ("radio", {"loss": 0.002, "duration": 20}),
        ("wireless", {"duration": 15}),
        ("wireless", {"senders": ["ucc", "ucc", "gaimd"], "loss": 0, "duration": 15}),
        ("atlas", {"senders": ["lp", "bbr3"], "duration": 10}),
        ("atlas", {"rate": 1000, "rtt": 5, "queue": 42, "duration": 0.3}),
    ],
)
def test_the_page_gives_pythons_digits(visit, network, state):
    answer, scenario = run(visit(network), **state)
    result = simulate(Scenario.from_json(scenario), engine="segment")
    assert result.flows["delivered_bytes"].sum() > 0
    for flow, row in zip(answer["flows"], result.flows.to_dict("records"), strict=True):
        assert {name: flow[name] for name in COUNTS} == {name: row[name] for name in COUNTS}
    for link, row in zip(answer["links"], result.links.to_dict("records"), strict=True):
        assert link["packets_sent"] == row["packets_sent"]


def test_python_beside_the_plot_is_the_scenario_that_ran(visit):
    page = visit("path")
    _, scenario = run(page, senders=["newreno"], duration=5)
    shown = page.locator(".lab-code pre").all_text_contents()
    assert json.loads(shown[1]) == json.loads(scenario)
    code = shown[0].replace("print(simulate(", "found = (simulate(")
    names: dict = {}
    exec(code, names)
    assert names["found"]["delivered_bytes"].sum() > 0


def test_a_link_reproduces_the_state_and_runs_at_once(visit):
    query = {"lab": "path", "senders": "standard,hybla", "rate": 5, "rtt": 80, "duration": 6}
    page = visit("path", f"#{urlencode(query)}")
    page.get_by_text("6 s simulated in").wait_for()
    assert page.get_by_label("rate").input_value() == "5"
    assert page.locator(".lab-plot canvas").count() == 4
    assert "senders=standard,hybla" in page.url


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("rate=fast", 'rate is "fast": it must be a number from 0.01 to 10000 Mb/s.'),
        ("rate=-1", 'rate is "-1"'),
        ("queue=1.5", 'queue is "1.5": it must be a whole number'),
        ("senders=newreno,no-such", '"no-such" is no sender of the catalogue'),
        ("senders=ucc,ucc,ucc,ucc,ucc", "there are 5 senders: up to 4 are allowed"),
        ("colour=red", 'The address has "colour", which this page does not know.'),
        ("seed=" + "9" * 10_000, "seed is"),
    ],
)
def test_a_malformed_address_says_so_and_shows_the_default(visit, query, words):
    page = visit("path", f"#lab=path&{query}")
    status = page.get_by_role("status").text_content()
    assert words in status and "The default is shown." in status
    assert len(status) < 300
    assert page.get_by_label("rate").input_value() == "10"


def whole() -> Scenario:
    """What the form cannot mean: the path changes, and a neighbour comes later."""
    return attack.scenario("vegas", 3, delay_change=2, neighbours=1, head_start=5)


def test_a_whole_scenario_runs_from_the_address_and_gives_pythons_digits(visit):
    page = visit("path", laboratory.address(whole(), ""))
    page.get_by_text("The scenario of the address: 40 s simulated in").wait_for()
    ran = Scenario.from_json(page.locator(".lab-code pre").last.text_content())
    assert ran.replace(record=None) == whole().replace(record=None)
    rows = page.locator(".lab-counts tbody tr").all()
    flows = simulate(whole()).flows
    told = [[int(row.locator("td").nth(1).text_content())] for row in rows]
    assert told == flows[["segments_sent"]].to_numpy().tolist()
    assert not page.get_by_label("rate").is_visible()
    page.get_by_role("button", name="Default").click()
    assert page.get_by_label("rate").is_visible()


def test_a_whole_scenario_is_opened_from_a_file(visit, tmp_path):
    path = tmp_path / "found.json"
    path.write_text(whole().to_json(), encoding="utf-8")
    page = visit("path")
    page.get_by_label("Open a scenario (JSON)").set_input_files(path)
    page.get_by_text("The scenario of found.json: 40 s simulated in").wait_for()
    assert "scenario=" in page.url
    path.write_text("{", encoding="utf-8")
    page.get_by_label("Open a scenario (JSON)").set_input_files(path)
    page.get_by_text("The scenario of found.json is not JSON").wait_for()
    path.write_text('{"links": [], "flows": 1}', encoding="utf-8")
    page.get_by_label("Open a scenario (JSON)").set_input_files(path)
    page.get_by_text("is no scenario with links, flows and duration_s").wait_for()


def test_what_the_form_cannot_mean_is_said_and_not_run(visit):
    page = visit("path")
    page.get_by_label("loss").fill("2")
    page.get_by_role("button", name="Simulate").click()
    status = page.get_by_role("status").text_content()
    assert status == 'Loss is "2": it must be a number from 0 to 0.5 of packets.'
    assert page.locator(".lab-plot canvas").count() == 0


def test_a_run_can_be_stopped_and_another_one_made(visit):
    page = visit("long-fat-pipe", "#lab=long-fat-pipe&duration=1000")
    page.get_by_text("Simulating: ").wait_for()
    page.get_by_role("button", name="Stop").click()
    assert page.get_by_role("status").text_content() == "Stopped."
    page.get_by_label("duration").fill("1")
    page.get_by_role("button", name="Simulate").click()
    page.get_by_text("1 s simulated in").wait_for()


def test_two_runs_are_laid_over_each_other_by_keyboard_alone(visit):
    page = visit("path", "#lab=path&duration=5")
    page.get_by_text("5 s simulated in").wait_for()
    page.get_by_role("button", name="Keep for comparison").focus()
    page.keyboard.press("Enter")
    page.get_by_label("sender 1").focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="Simulate").focus()
    page.keyboard.press("Enter")
    page.locator(".u-legend", has_text="(kept)").first.wait_for()
    labels = page.locator(".lab-plot").first.locator(".u-label").all_text_contents()
    assert len([label for label in labels if "kept" in label]) == 1
    assert list(laboratory.senders())[-1] in labels
    assert "newreno (kept)" in labels


def test_a_phone_needs_no_scrolling_sideways(visit):
    page = visit("path", "#lab=path&duration=5")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("5 s simulated in").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_unknown_network_is_named():
    with pytest.raises(InputError, match=r"network is 'satelite'.*mean 'satellite'"):
        laboratory.html("satelite", "engine.js")
