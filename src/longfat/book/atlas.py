"""The atlas in the page: one piece of HTML with the archive in it (`longfat.studies.atlas`)."""

import json
from importlib.resources import files

import pandas as pd

from longfat.studies import atlas
from longfat.style import short_name

NETWORK = "atlas"  # the Laboratory's panel below
# What the page has of a run, each as a whole number: its part of one, times so much.
SHOWN = {
    "goodput": 10_000,
    "halfwidth": 10_000,
    "rtt_median": 1000,
    "rtt_95": 1000,
    "queue": 1000,
    "repeated": 10_000,
    "neighbour": 10_000,
    "neighbour_halfwidth": 10_000,
}


def data(table: pd.DataFrame) -> dict[str, object]:
    """Return the archive as the page's script takes it.

    `runs` maps "loss rtt rate buffer neighbour", each as its number among the `levels`, to a list
    with a row a sender (in the order of `senders`): the values of `SHOWN`, null where missing.
    """
    levels = {name: sorted(table[name].unique().tolist()) for name in atlas.PATH}
    numbered = pd.DataFrame({name: table[name].map(levels[name].index) for name in atlas.PATH})
    numbered["beside"] = table["beside"].map(atlas.BESIDE.index)
    names = sorted(table["sender"].unique(), key=lambda name: _title(name).lower())
    runs: dict[str, list] = {}
    keys = [" ".join(map(str, row)) for row in numbered.itertuples(index=False, name=None)]
    values = (table[list(SHOWN)] * pd.Series(SHOWN)).round()
    for key, sender, row in zip(
        keys, table["sender"], values.itertuples(index=False, name=None), strict=True
    ):
        shown = [None if pd.isna(value) else int(value) for value in row]
        while shown and shown[-1] is None:
            shown.pop()
        runs.setdefault(key, [None] * len(names))[names.index(sender)] = shown
    return {
        "levels": levels,
        "beside": list(atlas.BESIDE),
        "senders": [[name, _title(name)] for name in names],
        "scale": list(SHOWN.values()),
        "shared": levels["buffer_bdp"].index(atlas.SHARED_BUFFER),
        "paths": {
            f"{rtt} {rate} {buffer}": [
                atlas.queue_packets(rtt_s, rate_bps, buffer_bdp),
                atlas.window_segments(rtt_s, rate_bps, buffer_bdp),
                atlas.duration_s(rtt_s, rate_bps),
            ]
            for rtt, rtt_s in enumerate(levels["rtt_s"])
            for rate, rate_bps in enumerate(levels["rate_bps"])
            for buffer, buffer_bdp in enumerate(levels["buffer_bdp"])
        },
        "runs": runs,
        "laboratory": NETWORK,
    }


def facts() -> str:
    """Return a paragraph of Markdown: how many runs the atlas has, and over what."""
    table = atlas.read()
    levels = {name: sorted(table[name].unique()) for name in atlas.PATH}
    paths = len(table[atlas.PATH].drop_duplicates())
    return (
        f"**{len(table):,} runs** of the segment engine: {table['sender'].nunique()} senders over "
        f"{paths} paths, which are combinations of {len(levels['loss'])} rates of loss, "
        f"{len(levels['rtt_s'])} round trips, {len(levels['rate_bps'])} rates and "
        f"{len(levels['buffer_bdp'])} buffers; beside a neighbour where the buffer is one "
        f"bandwidth-delay product."
    )


def _title(name: str) -> str:
    return short_name(name)


def html(table: pd.DataFrame) -> str:
    """Return the atlas as HTML with its style, its script and its data."""
    static = files("longfat.book") / "static"
    text = json.dumps(data(table), separators=(",", ":"), ensure_ascii=False)
    text = text.replace("</", r"<\/")
    style = static.joinpath("atlas.css").read_text("utf-8")
    script = static.joinpath("atlas.js").read_text("utf-8")
    return (
        '<section class="longfat-atlas" aria-label="Atlas: which sender for which path">\n'
        f"<style>\n{style}</style>\n"
        "<noscript>The atlas is searched by JavaScript; the tables below it need none.</noscript>\n"
        f'<script type="application/json">{text}</script>\n'
        f"<script>\n{script}</script>\n</section>"
    )
