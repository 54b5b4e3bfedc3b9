"""A cycle of Hybla drawn so that a reader can go through it ACK by ACK: one piece of HTML."""

import json
from importlib.resources import files

from longfat.papers.hybla.cycle import PHASES, Cycle


def html(cycle: Cycle, name: str = "hybla-cycle") -> str:
    """Return the cycle as HTML with its style, its script and nothing from elsewhere.

    It begins at the ACK that tells of the loss.
    """
    phases = {phase: place for place, phase in enumerate(PHASES)}
    data = {
        "name": name,
        "rtt": cycle.rtt_s,
        "limit": cycle.limit,
        "phases": PHASES,
        "sent": [[one.number, one.at_s, one.lost, one.again, one.by] for one in cycle.sent],
        "heard": [
            [one.number, one.at_s, round(one.window, 3), phases[one.phase]] for one in cycle.heard
        ],
        "start": next(place for place, one in enumerate(cycle.heard) if one.phase == PHASES[2]),
    }
    source = files("longfat.book")
    style = "".join(source.joinpath(name).read_text("utf-8") for name in STYLES)
    script = source.joinpath("cycle.js").read_text("utf-8")
    return (
        f'<section class="longfat-explorer longfat-cycle" data-cycle="{name}" '
        'aria-label="A cycle, ACK by ACK">\n'
        f"<style>\n{style}</style>\n"
        '<p class="explorer-title">A cycle of Hybla, ACK by ACK</p>\n'
        "<noscript>The cycle is drawn by JavaScript.</noscript>\n"
        f"<script>\n{{\n{script}longfatCycle({json.dumps(data)});\n}}\n</script>\n</section>"
    )


STYLES = ("explorer.css", "cycle.css")
