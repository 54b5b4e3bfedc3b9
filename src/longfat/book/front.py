"""The front page: what the book found in five sentences, and a picture simulated for it.

Also the pictures of the cards of congestion controls.
"""

from typing import NamedTuple

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from longfat import papers, pictures, style, topologies
from longfat.book import figures, verdicts
from longfat.cc import catalogue
from longfat.engines import simulate
from longfat.engines.segment import wasm
from longfat.papers import survey
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.verdicts import rules


class Finding(NamedTuple):
    """A sentence for people who have not read the book, and the claim that has its number.

    `sentence` has {measured}, with its unit, {points}, a share in hundredths, or {minutes}, those
    between two losses of the survey's chapter, and may have {printed}, with its unit.
    """

    claim: str
    chapter: str
    sentence: str


FINDINGS = (
    Finding(
        "survey-10g-minutes",
        "survey",
        "To keep a link of 10 Gb/s full over a tenth of a second, standard TCP may lose one packet "
        "in **{minutes} minutes**. The paper, which rounds a constant, says about {printed}. Few "
        "paths are that clean.",
    ),
    Finding(
        "hybla-s4-steady-rate-simulation-rare",
        "hybla",
        "A formula that fits on a page says how fast TCP Hybla is over a satellite, and is off by "
        "**{measured}** at most while no more than two packets in a thousand are lost. The paper "
        "says {printed}.",
    ),
    Finding(
        "tcpj-abstract-191",
        "tcpj",
        "On a radio link that gets four bits in a million wrong, a sender that measures the "
        "bandwidth is **{measured}** faster than one that halves its window at every loss. The "
        "paper says {printed}.",
    ),
    Finding(
        "ucc-s4-measures",
        "ucc",
        "UCC asks how busy a link is, by counting the packets that waited in front of it. A sender "
        "alone can keep a link 99 % busy without one of them waiting: then UCC takes it for almost "
        "idle, **{points}** points of 100 too low.",
    ),
)
WORDS = {
    "reproduced": "are reproduced",
    "not reproduced": "are not",
    "tie": "end in a tie",
    "mixed": "have parts that end differently",
    "depends": "depend on something that the paper does not say",
    "undecidable": "stay open",
    "not yet measured": "are not yet measured",
}
KINDS = {
    "arithmetic": "arithmetic",
    "construction": "true by construction",
    "possible": "that something may be",
    "fitted": "numbers that our assumptions were fitted to",
}
EXAMPLE = (10e9, 0.1, 1500)  # the survey's: bit/s, seconds, bytes
SECONDS = 60
LARGEST = papers.value("hybla", "max_window")


def lines() -> list[str]:
    """Return five findings in Markdown, each with its verdict: four claims, and how all ended."""
    judged = verdicts.verdicts().set_index("id")
    found = []
    for claim, chapter, sentence in FINDINGS:
        if claim in judged.index:
            row = judged.loc[claim]
            text = sentence.format(
                measured=_amount(row, "measured"),
                points=f"{100 * row['measured']:.0f}",
                minutes=f"{survey.loss_interval('standard', *EXAMPLE)['seconds'] / 60:.0f}",
                printed=_amount(row, "printed"),
            )
            found.append(f"{text} *({_verdict(row['verdict'])}; {{doc}}`/notebooks/{chapter}`)*")
    sentences = verdicts.sentences()
    measured = sentences[sentences["kind"] == "measured"]
    other = sentences.loc[sentences["kind"] != "measured", "kind"].value_counts()
    ended = measured["verdict"].map(rules.verdict_class).value_counts()
    counted = [f"{ended[name]} {words}" for name, words in WORDS.items() if name in ended]
    besides = [f"{words} ({other[kind]})" for kind, words in KINDS.items() if kind in other]
    found.append(
        f"The four papers make **{len(sentences)} statements** that can be judged. Runs decide "
        f"{len(measured)} of them: {_enumeration(counted)}. The others are no test: "
        f"{_enumeration(besides)} *({{doc}}`/book/scoreboard`)*."
    )
    return found


def _enumeration(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _verdict(verdict: str) -> str:
    """Return a verdict in a few words."""
    if verdict == "undecidable":
        return "our runs do not decide it"
    if rules.verdict_class(verdict) != "depends":
        return verdict
    return "it depends on something that the paper does not say"


def _amount(row: pd.Series, column: str) -> str:
    if pd.isna(row[column]):
        return "–"
    unit = {"min": "minutes"}.get(row["unit"], row["unit"])
    interval = ""
    if column == "measured" and row["low"] < row["high"]:
        interval = f" ({style.number(row['low'], 3)} to {style.number(row['high'], 3)})"
    return (
        f"{style.number(row[column], 3)}{interval} {unit if isinstance(unit, str) else ''}".strip()
    )


def overview() -> tuple[Figure, str]:
    """Return the picture of the front page, and its caption."""
    record = {"series": ["cwnd_segments"], "points": 600}
    scenario = topologies.satellite(
        loss=1e-3, limited_by="receiver", duration_s=SECONDS, record=record
    )
    [flow] = scenario.flows
    with rc_context(style.RC):
        figure = Figure(figsize=(8, 3.4))
        axes = figure.subplots()
    got = {}
    for name in ("hybla", "newreno"):
        other = Flow(**(flow.model_dump() | {"congestion_control": name}))
        result = _run(scenario.replace(flows=(other,)))
        window = result.traces["cwnd_segments"]
        color = style.style(name)["color"]
        allowed = window["cwnd_segments"].clip(upper=LARGEST)  # the receiver's window
        axes.step(window["time_s"], allowed, where="post", color=color)
        got[name] = result.flows["goodput_bps"][0] / 1e6
        place, below = ((0.99, 0.98), "top") if name == "hybla" else ((0.99, 0.18), "bottom")
        axes.text(
            *place,
            f"TCP {style.short_name(name)}: {got[name]:.2g} Mb/s",
            transform=axes.transAxes,
            ha="right",
            va=below,
            color=color,
            weight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2},
        )
    axes.set(
        xlabel="time (s)",
        ylabel="segments allowed under way",
        xlim=(0, SECONDS),
        ylim=(0, 650),
        title="The same satellite, the same losses, two senders",
    )
    return figure, (
        "A minute over a geostationary satellite that loses one packet in a thousand: how much "
        "each sender dares to have under way. TCP Hybla grows as if the satellite were next "
        "door; standard TCP adds one segment a round trip, and has not come far when the next "
        "packet is lost. Both runs were simulated when this page was built."
    )


def card(name: str) -> Figure | None:
    """Return the picture of an algorithm's card: the window of one flow of it over a minute.

    The path has 10 Mb/s and 0.1 s and loses one packet in 5000. None for an algorithm that the
    segment engine does not have.
    """
    if not catalogue.find(name).header:
        return None
    record = Record(series=("cwnd_segments", "ssthresh_segments"), points=400)
    with rc_context(style.RC):
        figure = Figure(figsize=(6, 1.8))
    axes = figure.subplots()
    scenario = topologies.reference(congestion_control=name, loss=2e-4, record=record)
    pictures.window(axes, _run(scenario))
    return figure


def _run(scenario: Scenario) -> Result:
    """Run a scenario on the segment engine: on its WebAssembly where that will do, which is here
    at once, while a compiler takes seconds for every algorithm."""
    ready = wasm.is_here() and wasm.is_built()
    with figures.environment(**({"LONGFAT_SEGMENT": "wasm"} if ready else {})):
        return simulate(scenario, engine="segment")
