"""The cycle of Hybla that a reader goes through: by the engine's rules, and in a browser."""

import numpy as np
import pytest

from longfat import Outage, simulate, topologies
from longfat.book.cycle import html
from longfat.papers.hybla import cycle

RTT_S, RTT0_S, LIMIT = 0.55, 0.275, 12
HEADERS = 42 + 12  # bytes on the wire beside a segment of 1000


def watched(outages=()):
    """Return the engine's run on a path that just holds the limit, so that ACKs come evenly."""
    path = topologies.satellite(
        loss=0,
        rtt_s=RTT_S,
        rtt0_s=RTT0_S,
        max_window_segments=LIMIT,
        rate_bps=LIMIT * 8 * (1000 + HEADERS) / RTT_S,
        duration_s=30,
        record={"series": ["cwnd_segments", "sent_bytes"], "points": 200_000},
    )
    there, back = path.links
    there = there.model_copy(update={"outages": outages})
    result = simulate(path.replace(links=[there, back.model_copy(update={"rate_bps": 1e9})]))
    sent = result.traces["sent_bytes"]
    sent = sent.loc[sent["link"] == "sender>receiver", "time_s"].to_numpy()
    return result, sent


@pytest.fixture(scope="module")
def engine():
    """When segments leave the engine's sender after one of them is lost, and its window (s)."""
    _, sent = watched()
    lost_s = sent[sent > 20][5]
    step_s = RTT_S / LIMIT
    there_s = lost_s + RTT_S / 2
    outage = Outage(start_s=there_s - 0.4 * step_s, duration_s=0.8 * step_s)
    result, sent = watched((outage,))
    assert result.links["packets_lost_in_outage"].sum() == 1
    windows = result.traces["cwnd_segments"]
    return sent - lost_s, windows.assign(time_s=windows["time_s"] - lost_s)


def test_a_cycle_sends_what_the_engine_sends_and_when(engine):
    sent_s, _ = engine
    one = cycle.cycle(rtt_s=RTT_S, rtt0_s=RTT0_S, limit=LIMIT)
    lost_s = next(segment.at_s for segment in one.sent if segment.lost)
    ours = np.array([segment.at_s - lost_s for segment in one.sent])
    for time_s in np.arange(0.3, 2.3, 0.1):  # from before the loss is known to the limit again
        here, there = ((times <= time_s).sum() - (times <= 0).sum() for times in (ours, sent_s))
        # the engine's link is so slow that what leaves two at a time waits there
        assert here - 4 <= there <= here + 1, time_s


def test_its_window_grows_as_the_engines(engine):
    _, windows = engine
    grown = windows[(windows["time_s"] > 1.25) & (windows["time_s"] < 2.4)]["cwnd_segments"]
    one = cycle.cycle(rtt_s=RTT_S, rtt0_s=RTT0_S, limit=LIMIT)
    ours = [ack.window for ack in one.heard if ack.phase == cycle.PHASES[3]]
    # the engine's round trip has a packet's time in it, so that its rho is a little larger
    assert grown.to_numpy()[: len(ours)] == pytest.approx(ours, rel=0.01)
    assert min(ack.window for ack in one.heard) == LIMIT / 2  # halved once


@pytest.mark.parametrize("width", [390, 1000])
def test_a_reader_goes_through_it_ack_by_ack(browser, tmp_path, width):
    page_file = tmp_path / "cycle.html"
    page_file.write_text(f"<!doctype html><meta charset=utf-8><body>{html(cycle.cycle())}")
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: r.url.startswith("http") and problems.append(r.url))
    page.goto(page_file.as_uri())
    said = page.locator(".longfat-cycle output")
    assert "It releases segment 15 again." in said.inner_text()
    page.get_by_role("slider").press("ArrowRight")
    assert "It releases nothing." in said.inner_text()
    box = page.locator(".cycle-window").bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 60)
    assert "growth" in said.inner_text()
    assert page.locator("path.segment.released").count() >= 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert not problems


def test_a_cycle_ends_a_round_trip_after_its_window_is_the_limit_again():
    one = cycle.cycle(rtt_s=RTT_S, rtt0_s=RTT0_S, limit=LIMIT)
    growing, full = ([ack for ack in one.heard if ack.phase == cycle.PHASES[n]] for n in (3, 4))
    windows = [ack.window for ack in growing]
    assert windows == sorted(windows)
    # a step is rho^2 over the window, of 6 to 12 segments
    assert np.diff(windows) == pytest.approx(4 / np.array(windows[:-1]))
    assert windows[0] < LIMIT / 2 + 1 and LIMIT - 1 < windows[-1] < LIMIT
    assert {ack.window for ack in full} == {LIMIT}
    assert one.heard[-1] is full[-1]
    assert full[-1].at_s - full[0].at_s == pytest.approx(RTT_S, abs=RTT_S / LIMIT)
