"""The atlas: its archive against today's code, what a path and a sender answer, and the page."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from longfat import InputError, engines, simulate
from longfat.book import atlas as page
from longfat.book import laboratory
from longfat.studies import atlas
from longfat.studies.senders import OF_LONG_PAGE, senders


@pytest.fixture(scope="module")
def archive() -> pd.DataFrame:
    return atlas.read()


def test_it_has_ten_thousand_points_and_every_sender_where_it_has_one(archive):
    assert len(archive) >= 10_000
    keys = [*atlas.PATH, "beside"]
    assert not archive.duplicated(["sender", *keys]).any()
    assert (archive.groupby(keys)["sender"].nunique() == len([*senders(), *OF_LONG_PAGE])).all()
    columns = ["sender", *keys]
    planned = set(atlas.runs()[columns].itertuples(index=False, name=None))
    assert set(archive[columns].itertuples(index=False, name=None)) <= planned
    # Above 1 where a hole that is filled lets what came before it count.
    assert archive["goodput"].between(0, 1.1).all()
    assert (archive["neighbour"].notna() == (archive["beside"] != "")).all()


def test_a_sample_is_the_same_run_again(archive):
    cheap = archive[archive["rate_bps"] <= 1e7].sample(12, random_state=2)
    for row in cheap.to_dict("records"):
        result = engines.get("segment").simulate(atlas.POINT.scenario(row))
        for name, value in atlas.POINT.measured(result).items():
            assert value == row[name] or (math.isnan(value) and math.isnan(row[name]))


def test_a_run_lasts_a_minute_or_its_packets_or_its_round_trips():
    assert atlas.duration_s(0.05, 1e6) == 60
    assert atlas.duration_s(0.05, 1e9) == 2.38  # 200,000 packets
    assert atlas.duration_s(1.0, 1e8) == 40  # 40 round trips


def test_an_interval_is_students_over_equal_parts():
    result = simulate(atlas.scenario("newreno", "", 1e-2, 0.05, 1e6, 1.0))
    row = atlas.measured(result)
    trace = result.traces["delivered_bytes"]
    times, held = trace["time_s"].to_numpy(), trace["delivered_bytes"].to_numpy()
    edges = np.linspace(20, 60, 7)
    counts = [held[times <= edge + 1e-9][-1] for edge in edges]
    parts = 8 * np.diff(counts) / (40 / 6) / (1e6 * 1448 / 1490)
    assert row["goodput"] == pytest.approx(parts.mean())
    assert row["halfwidth"] == pytest.approx(2.5706 * parts.std(ddof=1) / np.sqrt(6), rel=1e-4)


def table() -> pd.DataFrame:
    """A path with three senders; a is best, b cannot be told from it, newreno can."""
    rows = []
    for name, goodput, kept in (("a", 0.9, 0.1), ("b", 0.85, 0.3), ("newreno", 0.2, 0.4)):
        for beside in atlas.BESIDE:
            rows.append(
                {"sender": name, "beside": beside, "loss": 1e-3, "rtt_s": 0.6, "rate_bps": 1e7}
                | {"buffer_bdp": 1.0, "goodput": goodput, "halfwidth": 0.04, "rtt_median": 1.0}
                | {"rtt_95": 2.0, "queue": 0.5, "repeated": 0.0, "seeds": 1}
                | {
                    "neighbour": kept if beside else math.nan,
                    "neighbour_halfwidth": 0.04 if beside else math.nan,
                }
            )
    return pd.DataFrame(rows)


def test_a_path_says_who_is_best_and_what_a_neighbour_keeps():
    found = atlas.at(table(), 1e-3, 0.6, 1e7, 1.0).set_index("sender")
    assert found.index.tolist() == ["a", "b", "newreno"]
    assert found["first"].tolist() == [True, True, False]
    assert found["newreno"].tolist() == pytest.approx([0.25, 0.75, 1])
    half = math.hypot(0.04 / 0.4, 0.25 * 0.04 / 0.4)
    assert found.at["a", "newreno_high"] == pytest.approx(0.25 + half)
    with pytest.raises(InputError, match="the atlas has no path"):
        atlas.at(table(), 1e-3, 0.7, 1e7, 1.0)


def test_a_sender_says_where_it_works():
    found = atlas.summary(table()).set_index("sender")
    assert found["first"].to_dict() == {"a": 1, "b": 1, "newreno": 0}
    assert found.at["b", "first_0.001"] == 1
    assert found.at["a", "newreno"] == pytest.approx(0.25)


def test_the_page_has_the_archive_in_whole_numbers():
    made = page.data(table())
    assert made["senders"] == [["a", "a"], ["b", "b"], ["newreno", "NewReno"]]
    assert made["runs"]["0 0 0 0 0"][0] == [9000, 400, 1000, 2000, 500, 0]
    assert made["runs"]["0 0 0 0 1"][1][6:] == [3000, 400]
    assert made["paths"]["0 0 0"] == [503, 2012, 60.0]


def test_the_panel_below_simulates_what_the_atlas_has():
    settings = laboratory.settings(page.NETWORK, "engine.js")
    assert settings["with_timestamps"] == ("ledbat", "lp")
    shown = json.loads(json.dumps(settings["scenario"]))
    ours = json.loads(atlas.scenario("hybla", "cubic", 1e-3, 0.6, 1e7, 1.0).canonical_json())
    assert shown == ours
    state = settings["state"]
    assert (state["queue"], state["window"], state["duration"]) == (503, 2012, 60)


def test_a_reader_looks_up_a_path_and_a_sender(browser, tmp_path):
    made = tmp_path / "atlas.html"
    made.write_text(f"<!doctype html><meta charset=utf-8>{page.html(table())}", "utf-8")
    tab = browser.new_page(viewport={"width": 390, "height": 800})
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(made.as_uri())
    rows = tab.locator("tbody tr")
    assert [row.split("0.")[0] for row in rows.all_text_contents()] == ["a", "b", "NewReno"]
    assert "not to be told apart: a, b." in tab.get_by_role("status").text_content()
    assert "0.900 ± 0.040" in rows.first.text_content()
    assert "0.25 ± 0.10" in rows.first.text_content()
    where = rows.first.get_by_role("link", name="CUBIC").get_attribute("href")
    assert where == (
        "#lab=atlas&senders=a,cubic&rate=10&rtt=600&loss=0.001&queue=503&window=2012"
        "&duration=60&seed=1"
    )
    tab.get_by_label("search senders").fill("newr")
    assert rows.count() == 1
    tab.get_by_label("look up").select_option("a sender")
    tab.get_by_label("sender", exact=True).select_option("NewReno")
    assert "On 0 of 1 paths" in tab.get_by_role("status").text_content()
    tab.locator("td button").click()
    assert tab.get_by_label("look up").input_value() == "0"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()
    assert not problems
