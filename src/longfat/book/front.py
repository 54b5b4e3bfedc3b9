"""The front page: what the book found in five sentences, and a picture simulated for it.

Also the pictures of the cards of congestion controls.
"""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from longfat import papers, pictures, statistics, style, topologies
from longfat.book import chapters, figures, verdicts
from longfat.cc import catalogue
from longfat.engines import simulate
from longfat.engines.segment import wasm
from longfat.papers import survey
from longfat.papers.tcpj import analysis
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.verdicts import rules


class Finding(NamedTuple):
    """A sentence for people who have not read the book, and the claim that it rests on.

    `sentence` may have {printed}, with its unit, and what `values` makes of all judged claims.
    """

    claim: str
    chapter: str
    sentence: str
    values: Callable[[pd.DataFrame], dict[str, str]]


def _survey(_: pd.DataFrame) -> dict[str, str]:
    """Return the minutes between two losses that the survey's chapter has."""
    seconds = survey.loss_interval("standard", *EXAMPLE)["seconds"]
    return {"minutes": f"{seconds / 60:.0f}"}


def _hybla(judged: pd.DataFrame) -> dict[str, str]:
    """Return how far the model is from each engine at most, and what the paper says of Linux."""
    simulated, emulated = (
        judged.loc[f"hybla-s4-steady-rate-{method}-rare"] for method in ("simulation", "emulation")
    )
    stated = [one for one in simulated["evidence"] if not one["parameter"]]
    stated += [one for one in emulated["evidence"] if one["engine"] == "linux"]
    off = {one["engine"]: f"{one['measured']:.1f}" for one in stated if not one["parameter"]}
    return off | {"printed_linux": _printed(emulated)}


def _tcpj(judged: pd.DataFrame) -> dict[str, str]:
    """Return TCP-J's mean gain on ns-2 with its 95 % interval, as its chapter has it."""
    losses = chapters.stated()["tcpj"].runs.derived(analysis.ns2_losses)
    gains = statistics.gains(losses, "NewReno", ["bit_error_rate"])
    (row,) = gains.query("protocol == 'TCP-J' and bit_error_rate == 4e-6").to_dict("records")
    ends = {name: f"{row[name]:.0f}" for name in ("gain", "low", "high")}
    return ends | {"runs": f"{row['repetitions']:.0f}"}


def _ucc(judged: pd.DataFrame) -> dict[str, str]:
    """Return how many hundredths UCC's estimate is too low."""
    return {"points": f"{100 * judged.loc['ucc-s4-measures', 'measured']:.0f}"}


FINDINGS = (
    Finding(
        "survey-10g-minutes",
        "survey",
        "To keep a link of 10 Gb/s full over a tenth of a second, standard TCP may lose one packet "
        "in **{minutes} minutes**. The paper, which rounds a constant, says about {printed}. Few "
        "paths are that clean.",
        _survey,
    ),
    Finding(
        "hybla-s4-steady-rate-simulation-rare",
        "hybla",
        "A formula that fits on a page says how fast TCP Hybla is over a satellite. While no more "
        "than two packets in a thousand are lost, it is off by **{ns2} %** at most on ns-2, the "
        "paper's own simulator, {linux} % on Linux and {segment} % on the segment engine. The "
        "paper says at most {printed} for ns-2 and {printed_linux} for Linux.",
        _hybla,
    ),
    Finding(
        "tcpj-abstract-191",
        "tcpj",
        "On a radio link that gets four bits in a million wrong, a sender that measures the "
        "bandwidth is **{gain} %** faster than one that halves its window at every loss: so the "
        "mean of {runs} runs on ns-2, whose 95 % interval is {low} to {high} %. The paper says "
        "{printed}.",
        _tcpj,
    ),
    Finding(
        "ucc-s4-measures",
        "ucc",
        "UCC asks how busy a link is, by counting the packets that waited in front of it. A sender "
        "alone can keep a link 99 % busy without one of them waiting: then UCC takes it for almost "
        "idle, **{points}** points of 100 too low (one run on the segment engine).",
        _ucc,
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
    for claim, chapter, sentence, values in FINDINGS:
        if claim in judged.index:
            row = judged.loc[claim]
            text = sentence.format(printed=_printed(row), **values(judged))
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


def _printed(row: pd.Series) -> str:
    """Return what a claim's paper prints, with its unit; "–" where it prints no number."""
    if pd.isna(row["printed"]):
        return "–"
    unit = {"min": "minutes"}.get(row["unit"], row["unit"])
    return f"{style.number(row['printed'], 3)} {unit}".strip()


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
