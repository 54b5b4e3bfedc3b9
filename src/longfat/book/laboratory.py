"""The Laboratory: networks that a reader simulates in the page (`static/laboratory.js`).

A panel begins with the scenario of a network; its form changes what most decides the result. What
it simulates is a scenario as everywhere else, so that Python gives the same digits.
"""

import base64
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import networkx

from longfat import leo, orbits, paths, topologies
from longfat.cc import catalogue
from longfat.errors import InputError, nearest
from longfat.scenario import Scenario
from longfat.studies import atlas
from longfat.studies.senders import BY_TIMESTAMPS

STATIC = Path(str(files("longfat.book"))) / "static"
FILES = ("uplot.min.js", "uplot.min.css", "orbit.js", "laboratory.js", "laboratory.css")
ENGINE = "longfat-engine.js"  # the module, in base64: a page read from a disk cannot load another
POINTS = 1500  # of each series
LAND = paths.DATA / "leo" / "land.json"  # coasts: rings of longitude and latitude, in degrees


@dataclass(frozen=True)
class Network:
    """A panel's scenario, and which of its links the form sets: its source and target.

    With `exact_clock` only those senders have timestamps that need them. With `orbit`, what
    `topologies.leo` was told, the form has the places and the shell, and a map is drawn. One that
    `opens` scenarios takes a whole one instead of the form's, from a file or the page's address.
    """

    scenario: Scenario
    bottleneck: tuple[str, str]
    exact_clock: bool = False
    orbit: Mapping[str, str] | None = None
    opens: bool = False


ORBIT = {
    "user": "Tokyo",
    "server": "Lisbon",
    "shell": "starlink",
    "links": "+grid",
    "choice": "shortest",
    "start": "2026-01-01T00:00:00Z",
}


def networks() -> dict[str, Network]:
    """Return the networks of the panels: one of the Laboratory's own, and one for each chapter."""
    told: dict[str, Any] = dict(ORBIT)
    return {
        "orbit": Network(
            topologies.leo(
                **told, congestion_control="bbr", min_rto_s=0.2, receive_buffer_bytes=1448 * 8000
            ),
            ("gateway", "user"),
            exact_clock=True,
            orbit=ORBIT,
        ),
        "path": Network(
            topologies.reference(congestion_control="newreno", duration_s=30),
            ("sender", "receiver"),
            opens=True,
        ),
        "satellite": Network(
            topologies.satellite(loss=1e-4, duration_s=60), ("sender", "receiver")
        ),
        "long-fat-pipe": Network(
            topologies.japan("highspeed", payload_bps=600e6, duration_s=20),
            ("router", "receiver"),
        ),
        "radio": Network(
            topologies.radio("TCP-J", bit_error_rate=0, rate_bps=1.5e6, rtt_s=0.1, duration_s=60),
            ("ar", "mn"),
        ),
        "wireless": Network(
            topologies.wireless("ucc", "newreno", loss=1e-3, duration_s=60), ("R", "N3")
        ),
        "atlas": Network(
            atlas.scenario("hybla", "cubic", 1e-3, 0.6, 1e7, 1.0),
            ("sender", "receiver"),
            exact_clock=True,
        ),
    }


def senders() -> dict[str, str]:
    """Return the congestion controls that the engine in the page has: title by name."""
    known = catalogue.algorithms().items()
    return {name: one.title for name, one in known if one.header and not one.needs_routers}


def settings(
    name: str, address: str, known_senders: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Return what a panel's script needs to know: scenario, state of the form, senders.

    `address` is that of the file `ENGINE`, seen from the page; `known_senders` are those of its
    engine, all by default. Raises InputError for an unknown network.
    """
    known = networks()
    if name not in known:
        raise InputError(
            f"network is '{name}': the Laboratory has {', '.join(known)}."
            f"{nearest(name, list(known))}"
        )
    scenario, (source, target) = known[name].scenario, known[name].bottleneck
    links = {(link.source, link.target): link for link in scenario.links}
    link, flow = links[source, target], scenario.flows[0]
    path = flow.path or networkx.shortest_path(
        networkx.Graph(list(links)), flow.source, flow.target
    )
    delays = [links[hop].delay_s for hop in itertools.pairwise(path)]
    window = flow.max_window_segments or int(flow.receive_buffer_bytes) // flow.segment_bytes
    state: dict[str, object] = {
        "senders": [flow.congestion_control.name for flow in scenario.flows],
        "rate": float(f"{link.rate_bps / 1e6:.6g}"),
        "loss": link.loss_per_packet,
        "queue": link.queue_packets,
        "window": window,
        "duration": scenario.duration_s,
        "seed": scenario.seed,
    }
    orbit: dict[str, object] = {}
    if told := known[name].orbit:
        state |= {**told, "silence": 1000 * _assumed("silence")}
        orbit = {"orbit": sky(), "choices": _choices()}
        # The script makes what moves.
        links_ = [one.model_copy(update={"changes": (), "outages": ()}) for one in scenario.links]
        scenario = scenario.replace(links=links_)
    else:
        state["rtt"] = float(f"{2000 * sum(delays):.6g}")
    return {
        "name": name,
        "engine": address,
        "scenario": json.loads(scenario.canonical_json()),
        "bottleneck": list(links).index((source, target)),
        "other_delay_s": sum(delays) - link.delay_s,
        "points": POINTS,
        "senders": senders() if known_senders is None else dict(known_senders),
        "with_timestamps": BY_TIMESTAMPS if known[name].exact_clock else None,
        "state": state,
        "opens": known[name].opens,
        **orbit,
    }


def address(scenario: Scenario, page: str = "laboratory.html") -> str:
    """Return the address at which the Laboratory has a scenario, and runs it at a click."""
    text = scenario.replace(record=None).canonical_json()  # the page has its own
    return f"{page}#{urlencode({'lab': 'path', 'scenario': text})}"


def sky() -> dict[str, object]:
    """Return what the script needs to know of places, shells, the Earth and what is assumed."""
    reconfigured = {name: name == ORBIT["shell"] for name in orbits.shells()}
    return {
        "places": {
            name: (one.latitude_deg, one.longitude_deg) for name, one in orbits.places().items()
        },
        "shells": {name: one.model_dump(exclude={"name"}) for name, one in orbits.shells().items()},
        "land": json.loads(LAND.read_text("utf-8")),
        "epoch": orbits.EPOCH.isoformat(),
        "equator_km": orbits.EQUATOR_KM,
        "flattening": orbits.FLATTENING,
        "mean_radius_km": orbits.MEAN_RADIUS_KM,
        "thinnest_air_km": orbits.THINNEST_AIR_KM,
        "mu_km3_s2": orbits.MU_KM3_S2,
        "j2": orbits.J2,
        "epoch_turns": orbits.EPOCH_TURNS,
        "turns_per_day": orbits.TURNS_PER_DAY,
        "light_km_s": orbits.LIGHT_KM_S,
        "fibre_s_per_km": _assumed("fibre"),
        "reconfiguration_s": _assumed("reconfiguration"),
        "reconfigured": reconfigured,
        "reconfigured_at_s": leo.RECONFIGURED_AT_S,
        "largest_step_s": leo.LARGEST_STEP_S,
        "smallest_packet_bytes": leo.SMALLEST_PACKET_BYTES,
    }


def _assumed(name: str) -> float:
    return next(float(one.value) for one in leo.assumptions() if one.name == name)


def _choices() -> list[dict[str, object]]:
    """Return what the form asks for beside numbers: options are titles by their values."""
    cities = {name: name for name in orbits.places()}
    titles = {"starlink": "Starlink", "kuiper": "Kuiper", "oneweb": "OneWeb", "telesat": "Telesat"}
    asked: list[tuple[str, str, dict[str, str] | None]] = [
        ("user", "user", cities),
        ("server", "server", cities),
        ("shell", "shell", {name: titles[name] for name in orbits.shells()}),
        ("links", "links", {"bent pipe": "bent pipe", "+grid": "between satellites"}),
        ("choice", "path", {"shortest": "the shortest", "random": "by chance"}),
        ("start", "start", None),
    ]
    return [{"name": name, "label": label, "options": options} for name, label, options in asked]


def html(name: str, address: str, known_senders: Mapping[str, str] | None = None) -> str:
    """Return a panel as HTML; the page needs the `FILES` too. Arguments as in `settings`."""
    data = json.dumps(settings(name, address, known_senders), ensure_ascii=False).replace(
        "</", r"<\/"
    )
    return (
        f'<section class="longfat-laboratory" data-laboratory="{escape(name)}" '
        'aria-label="Laboratory: simulate this network">\n'
        "<noscript>The simulation runs in the page by JavaScript and WebAssembly.</noscript>\n"
        f'<script type="application/json">{data}</script>\n</section>'
    )


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --pst-color-surface: Field; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 1rem auto; }}
body {{ padding: 0 1rem; }}
{styles}
</style>
<h1>{title}</h1>
{panel}
{scripts}
</html>
"""


def page(
    title: str, module: bytes, known: Mapping[str, str] | None = None, network: str = "path"
) -> str:
    """Return the panel of a network as a page of its own, which opens from a file.

    The engine is `module`, and `known` are the senders that are in it: titles by their names;
    None: those of the package. The panel of "path" opens scenarios, too.
    """
    styles = [STATIC / name for name in FILES if name.endswith(".css")]
    scripts = [STATIC / name for name in FILES if name.endswith(".js")]
    texts = [engine_script(module), *(one.read_text("utf-8") for one in scripts)]
    return _PAGE.format(
        title=escape(title),
        styles="\n".join(one.read_text("utf-8") for one in styles),
        panel=html(network, "", known),
        scripts="\n".join(f"<script>{text}</script>" for text in texts),
    )


def engine_script(module: bytes) -> str:
    """Return the script that holds the engine's WebAssembly module."""
    return f'window.longfatEngine = "{base64.b64encode(module).decode()}";\n'
