"""The first ten round trips under the reader's hand: one piece of HTML, for a page that has the
Laboratory's files (`longfat.book.laboratory`)."""

import json
from html import escape
from importlib.resources import files

from longfat.studies import ten_round_trips as study
from longfat.studies.first_round_trips import PACKET_BYTES, PATHS, SEGMENT_BYTES, links_of

GEO, CABLE = PATHS["geo"], PATHS["cable"]


def _of_chapter(path: str) -> tuple[float, float, int]:
    """Return a path's rate (Mb/s), round trip (ms) and queue, of its links as they are at first."""
    links = links_of(path)
    narrow = min(links[::2], key=lambda link: link.rate_bps)  # a way there is the even ones
    assert narrow.queue_packets is not None
    rtt_ms = 1000 * sum(link.delay_s for link in links)
    return round(narrow.rate_bps / 1e6, 1), round(rtt_ms, 1), narrow.queue_packets


SHOWN = (  # name, Mb/s, ms, packets
    ("satellite, 2 Mb/s", 2.0, 1000 * GEO.rtt_s, 100),
    ("satellite, 20 Mb/s", GEO.rate_bps / 1e6, 1000 * GEO.rtt_s, GEO.queue_packets),
    ("cable, 100 Mb/s", CABLE.rate_bps / 1e6, 1000 * CABLE.rtt_s, CABLE.queue_packets),
    ("satellite, a long queue", GEO.rate_bps / 1e6, 1000 * GEO.rtt_s, 8 * GEO.queue_packets),
    ("low orbit, at rest", *_of_chapter("leo")),
    ("JAPAN", *_of_chapter("japan")),
    ("ocean, 100 Mb/s", 100.0, 150.0, 1258),
)
FIELDS = (  # name, label, least, most, step
    ("rate", "rate (Mb/s)", 1, 400, "any"),
    ("rtt", "round trip (ms)", 5, 800, "any"),
    ("queue", "queue (packets)", 2, 20_000, 1),
)
STYLES = ("explorer.css", "ten_round_trips.css")


def html(address: str) -> str:
    """Return the explorer as HTML; `address` is the engine's, seen from the page."""
    _, rate, rtt, queue = SHOWN[0]
    scenario = study.scenario(study.START_UPS[0], rate * 1e6, rtt / 1000, queue)
    settings = {
        "engine": address,
        "scenario": json.loads(scenario.canonical_json()),
        "startUps": (*study.START_UPS, study.REMEMBERED),
        "remembered": study.REMEMBERED,
        "paths": SHOWN,
        "fields": FIELDS,
        "rounds": study.ROUNDS,
        "packetBytes": PACKET_BYTES,
        "segmentBytes": SEGMENT_BYTES,
        "handshakeBytes": study.HANDSHAKE_BYTES,
    }
    source = files("longfat.book")
    style = "".join(source.joinpath(one).read_text("utf-8") for one in STYLES)
    script = source.joinpath("ten_round_trips.js").read_text("utf-8")
    return (
        '<section class="longfat-explorer longfat-rounds" '
        f'aria-label="{escape(TITLE)}">\n<style>\n{style}</style>\n'
        f'<p class="explorer-title">{TITLE}</p>\n'
        "<noscript>The round trips are simulated and drawn by JavaScript.</noscript>\n"
        f"<script>\n{{\n{script}longfatRounds({json.dumps(settings)});\n}}\n</script>\n</section>"
    )


TITLE = "Ten round trips, packet by packet"
