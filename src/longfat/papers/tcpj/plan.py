"""What the chapter on TCP-J runs: its setting, and its experiments as data.

A protocol is a key of `TCPJ_PROTOCOLS`, "Westwood, SACK" (Westwood's sender with selective
acknowledgments), or a name of the catalogue.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import papers
from longfat.errors import InputError
from longfat.experiment import Experiment, Runs
from longfat.links import Arq
from longfat.papers import inputs
from longfat.papers.tcpj import families, movements
from longfat.papers.tcpj.network import (
    TCPJ_PROTOCOLS,
    handoff,
    radio,
    shared_wire,
    with_own_ends,
)
from longfat.scenario import Flow, Ns2, Outage, Record, Scenario

value = functools.partial(papers.value, "tcpj")

PROTOCOLS = tuple(TCPJ_PROTOCOLS)
WITH_SACK = "Westwood, SACK"
SEGMENT_BYTES = int(value("segment"))
PACKET_BYTES = int(value("packet"))
BUFFER_PACKETS = int(value("router_buffer"))
REPETITIONS = int(value("repetitions"))  # at the paper's scale
FITTED_RATES = (2e-7, 8e-7, 2e-6, 8e-6)  # error rates of table 2; the others are predicted
TRIOS = {"with TCP-J": ("NewReno", "SACK", "TCP-J"), "with SACK": ("NewReno", "SACK", "SACK")}
MODERN = ("cubic", "bbr", "westwood-plus")
MOVES = (  # protocol, kind, whether the new rate is announced
    ("TCP-J", "local", True),
    ("Westwood", "local", True),
    ("NewReno", "local", True),
    ("SACK", "local", True),
    ("TCP-J", "local", False),
    ("TCP-J", "non-local", True),
    ("TCP-J", "non-local", False),
    ("Westwood", "non-local", True),
)
# The senders of 2002 leave the loss of a retransmission to the timer, as RFC 6675 does. The segment
# engine finds it (RFC 8985's idea), unless it is told not to; no other engine can be told.
SENDERS_OF_2002 = {"lost_retransmissions": "timeout"}
FOUND = {"lost_retransmissions": "detected"}
# How often a run is repeated. Where that left a verdict open there are as many runs as were said to
# decide it, or a few more (`_further`).
USUAL = {
    "tcpj-random-loss": REPETITIONS,
    "tcpj-wires": 8,
    "tcpj-alphas": 8,
    "tcpj-estimates": 10,
    "tcpj-handoffs": 12,
    "tcpj-handoffs-varied": 6,
    "tcpj-newcomers": 10,
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    `repetitions` are those of the runs on which a verdict rests; `duration_s` is that of a run.
    Without `more` no point has more runs than others of its experiment. The radio link has
    `radio_rate_bps`, and after a handoff `new_radio_rate_bps`; `rtt_s` is the two-way delay of the
    path. Raises InputError for no repetition.
    """

    radio_rate_bps: float
    rtt_s: float
    new_radio_rate_bps: float
    bit_error_rates: Sequence[float]
    repetitions: int
    duration_s: float
    more: bool = True
    quick: bool = False

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise InputError(f"repetitions is {self.repetitions}: it must be at least 1")

    @property
    def full(self) -> bool:
        """Whether points where a verdict was open have more runs."""
        return self.more and not self.quick and self.repetitions == REPETITIONS

    def repeated(self, usual: int) -> int:
        """Return how many runs a point has: so many, or the repetitions, where these are fewer."""
        return min(usual, self.repetitions)

    @property
    def full_bps(self) -> float:
        """Goodput of a radio link that is always busy."""
        return self.radio_rate_bps * SEGMENT_BYTES / PACKET_BYTES

    @property
    def pipe_segments(self) -> float:
        """What the radio path holds without a queue."""
        return self.radio_rate_bps * self.rtt_s / 8 / PACKET_BYTES

    @property
    def ack_s(self) -> float:
        """Time between the ACKs of a busy radio link, each of two packets."""
        return 2 * 8 * PACKET_BYTES / self.radio_rate_bps

    @property
    def handoff_at_s(self) -> float:
        return self.duration_s / 2

    @property
    def held_segments(self) -> float:
        """What pipe and buffer hold after a handoff."""
        return held_segments(self.new_radio_rate_bps, self.rtt_s)

    @property
    def silences(self) -> tuple[Outage, ...]:
        """The outages of figures 5 to 8, as far as the runs last."""
        starts = {length: value(f"outage_{length}ms") for length in (10, 50, 100)}
        return tuple(
            Outage(start_s=start, duration_s=length / 1000)
            for length, start in starts.items()
            if start < self.duration_s
        )

    @property
    def link(self) -> dict[str, Any]:
        """The radio link and the time that a run takes, as the networks take them."""
        return {
            "rate_bps": self.radio_rate_bps,
            "rtt_s": self.rtt_s,
            "duration_s": self.duration_s,
        }


def setting(profile: str = "paper", **parameters: Any) -> Setting:
    """Return the setting at a profile, "paper" or "quick"; what is not given is the paper's.

    `parameters` are fields of `Setting`; those that are left out or None come from
    `data/papers/tcpj/parameters.csv`. Quick runs have half of the error rates, three repetitions,
    and last 60 s. Raises InputError for another profile or an unknown parameter.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    rates = [value("ber_min"), *sorted(printed_error_rates()), value("ber_max")]
    stated = {
        "radio_rate_bps": value("radio_rate"),
        "rtt_s": value("rtt"),
        "new_radio_rate_bps": value("new_radio_rate"),
        "bit_error_rates": rates[1::2] if quick else rates,
        "repetitions": 3 if quick else REPETITIONS,
        "duration_s": 60.0 if quick else value("duration"),
        "more": True,
    }
    return Setting(**inputs.given_or_stated(parameters, stated), quick=quick)


def held_segments(rate_bps: float, rtt_s: float, buffer_packets: int = BUFFER_PACKETS) -> float:
    """Return what a path and the buffer before its slowest link hold, segments."""
    return rate_bps * rtt_s / 8 / PACKET_BYTES + buffer_packets


def printed_table_2() -> pd.DataFrame:
    """Return the claims of the paper's table 2, a row a cell."""
    return papers.claims("tcpj").query("where == 'table 2'")


def printed_error_rates() -> list[float]:
    """Return the bit error rates of table 2."""
    return list(printed_table_2()["bit_error_rate"].unique())


# --- the networks with the setting's link


def _over_radio(at: Setting, protocol: str, *more: str, **fields: Any) -> Scenario:
    """Figure 4's network: with the setting's link and duration, unless `fields` say otherwise."""
    if protocol == WITH_SACK:
        protocol, fields = "Westwood", {"sack": True} | fields
    return radio(protocol, *more, **(at.link | SENDERS_OF_2002 | fields))


def _over_wire(at: Setting, trio: str, **fields: Any) -> Scenario:
    """Figure 2's network with the flows of `TRIOS`, at the rate of the radio link."""
    return shared_wire(*TRIOS[trio], **(at.link | SENDERS_OF_2002 | fields))


COSTS_S = {  # of a handoff
    "local": round(value("link_cost") + value("network_cost") + value("rtt_to_rr"), 6),
    "non-local": value("handoff_cost_nonlocal"),
}
NEW_WIRED_BPS = {"local": value("wired_rate"), "non-local": value("new_wired_rate")}


def _handoff(at: Setting, protocol: str, kind: str, **fields: Any) -> Scenario:
    """The networks of figures 11 and 14, with table 3's cost, at half of the setting's duration."""
    same: dict[str, Any] = at.link | {
        "new_rate_bps": at.new_radio_rate_bps,
        "cost_s": COSTS_S[kind],
        "new_wired_bps": NEW_WIRED_BPS[kind],
        "at_s": at.handoff_at_s,
    }
    if kind == "local":  # the wire stays
        fields.pop("new_wired_bps", None)
    return handoff(protocol, kind, **(same | SENDERS_OF_2002 | fields))


def _further(
    at: Setting, usual: Experiment, more: Iterable[tuple[Mapping[str, Any], int]]
) -> Experiment:
    """Return the runs that were added where the usual ones left a verdict open.

    `more` has points (columns and what they are), and how many runs these have in all. Added runs
    have an archive of their own; without `Setting.full` there are none.
    """
    design = usual.design
    tables = [design.iloc[:0]]
    for where, count in more if at.full else ():
        own = design[(design[list(where)] == list(where.values())).all(axis=1)]
        seeds = pd.DataFrame({"seed": range(int(own["seed"].max()) + 1, count + 1)})
        once = own[own["seed"] == 1].drop(columns="seed")
        tables.append(once.merge(seeds, how="cross")[design.columns])
    points = pd.concat(tables[1:] or tables, ignore_index=True)
    return dataclasses.replace(usual, name=f"{usual.name}-more", points=points, repetitions=None)


# --- the lost link


def fit(at: Setting) -> Experiment:
    """Table 2 on many links."""
    rates = [1e6, 2e6, 3e6, 4e6, 5e6, 6e6]
    round_trips = [0.03, 0.04, 0.06, 0.1]
    return Experiment(
        name="tcpj-fit",
        build=functools.partial(_over_radio, at),
        points={
            "rate_bps": rates[2:5] if at.quick else rates,
            "rtt_s": round_trips[:3] if at.quick else round_trips,
            "protocol": PROTOCOLS,
            "bit_error_rate": FITTED_RATES,
        },
        repetitions=at.repeated(3),
    )


# --- random losses: figure 9 and table 2

OTHER_ENGINES = {"ns3": 10, "ns2": REPETITIONS}  # and how many runs a point has there


SEGMENT_LOSSES = ("tcpj-random-loss", "tcpj-random-loss-more")
OTHER_LOSSES = tuple(f"tcpj-random-loss-{engine}" for engine in OTHER_ENGINES)


def random_losses(at: Setting) -> tuple[Experiment, ...]:
    """Figure 9 on the segment engine, and on two others.

    These are ns-3 with our recovery and congestion controls, whose socket still has its faults, and
    the paper's own ns-2, whose Westwood and TCP-J share no line with the segment engine's.
    """
    own = Experiment(
        name="tcpj-random-loss",
        build=functools.partial(_over_radio, at),
        points={"bit_error_rate": at.bit_error_rates, "protocol": PROTOCOLS},
        repetitions=at.repetitions,
        labels={"engine": "segment"},
    )
    return (
        own,
        _further(at, own, [({"bit_error_rate": 8e-6}, 80)]),
        *(
            Experiment(
                name=f"tcpj-random-loss-{engine}",
                engine=engine,
                build=functools.partial(_over_radio, at, **FOUND),
                points={"bit_error_rate": at.bit_error_rates, "protocol": PROTOCOLS},
                repetitions=at.repeated(runs),
                labels={"engine": engine},
            )
            for engine, runs in OTHER_ENGINES.items()
        ),
    )


TWO_RATES = (1e-6, 4e-6)  # of table 2


def ns2_pipe(at: Setting) -> Experiment:
    """SACK on ns-2 with another count of the pipe.

    When a recovery begins, ns-2's SACK sender counts the lost segment and those of limited transmit
    as in flight; `Ns2.pipe_of_window` takes the window instead.
    """

    def build(bit_error_rate: float, seed: int) -> Scenario:
        scenario = _over_radio(at, "SACK", bit_error_rate=bit_error_rate, seed=seed, **FOUND)
        return scenario.replace(ns2=Ns2(pipe_of_window=True))

    return Experiment(
        name="tcpj-ns2-pipe",
        engine="ns2",
        build=build,
        points={"bit_error_rate": TWO_RATES},
        repetitions=at.repeated(10),
    )


WESTWOODS: dict[str, dict[str, Any]] = {  # what Westwood is based on, in ns-2
    "NewReno": {},
    "Reno": {"recovery": "reno"},
    "SACK": {"sack": True},
}
RENO_ITSELF = "Reno itself"  # without an estimate


def ns2_westwood(at: Setting) -> Experiment:
    """Westwood on each of ns-2's senders, and Reno, on which the paper says that it is based."""

    def build(bit_error_rate: float, base: str, seed: int) -> Scenario:
        fields = FOUND | WESTWOODS.get(base, {"sack": False})
        sender = "reno" if base == RENO_ITSELF else "Westwood"
        return _over_radio(at, sender, bit_error_rate=bit_error_rate, seed=seed, **fields)

    return Experiment(
        name="tcpj-ns2-westwood",
        engine="ns2",
        build=build,
        points={"bit_error_rate": [1e-7, *TWO_RATES, 8e-6], "base": [*WESTWOODS, RENO_ITSELF]},
        repetitions=at.repetitions,
    )


class Varied(NamedTuple):
    """One unstated parameter with another value.

    Its name in parameters.csv, the value in words, what that changes (`fields` of the scenario's
    flows or network, of the setting and error rate), for whom, and whether at all error rates of
    table 2, or only at those that were not fitted.
    """

    parameter: str
    setting: str
    fields: Mapping[str, Any] | Callable[[Setting, float], Mapping[str, Any]]
    protocols: tuple[str, ...] = PROTOCOLS
    everywhere: bool = False
    repetitions: int = 8


_WITHOUT_SACK = ("NewReno", "Westwood")
_TICK, _SHORT, _LONG = ({"rtt_tick_s": 0.1}, {"time_constant_s": 0.25}, {"time_constant_s": 4.0})
VARIED = (
    Varied("lost_retransmission", "detected", FOUND, ("SACK", "TCP-J"), everywhere=True),
    Varied(
        "limited_transmit",
        "off without SACK",
        {"limited_transmit": False},
        _WITHOUT_SACK,
        everywhere=True,
    ),
    Varied("westwood_base", "with SACK", {"sack": True}, ("Westwood",), everywhere=True),
    Varied(  # eight runs leave open where TCP-J gains most
        "rtt_tick",
        "0.1 s",
        {"parameters": _TICK},
        ("Westwood", "TCP-J"),
        everywhere=True,
        repetitions=20,
    ),
    Varied("recovery", "proportional rate reduction", {"recovery": "prr"}),
    Varied("min_rto", "0.5 s", {"min_rto_s": 0.5}),
    Varied("time_constant", "0.25 s", {"parameters": _SHORT}, ("Westwood",)),
    Varied("time_constant", "4 s", {"parameters": _LONG}, ("Westwood",)),
    Varied("initial_ssthresh", "none", {"initial_ssthresh_segments": None}, ("TCP-J",)),
    Varied("loss_direction", "both ways", lambda at, rate: {"ack_bit_error_rate": rate}),
    Varied(
        "wired_rate", "that of the radio link", lambda at, rate: {"wired_bps": at.radio_rate_bps}
    ),
    Varied("radio_rate", "3 Mb/s", {"rate_bps": 3e6}),
    Varied("radio_rate", "5 Mb/s", {"rate_bps": 5e6}),
    Varied("rtt", "30 ms, with 5 Mb/s", {"rate_bps": 5e6, "rtt_s": 0.03}),
    Varied("rtt", "60 ms, with 2 Mb/s", {"rate_bps": 2e6, "rtt_s": 0.06}),
)
SOME_RATES = (1e-7, 4e-7, 1e-6, 4e-6)  # those of table 2 that were not fitted


def varied_rates(at: Setting) -> list[float]:
    """Return the error rates of table 2 that the setting has."""
    printed = printed_error_rates()
    return [rate for rate in at.bit_error_rates if rate in printed]


def varied(at: Setting) -> Experiment:
    """Random losses with one assumption changed at a time (`VARIED`), eight runs or more."""
    known = {(one.parameter, one.setting): one for one in VARIED}

    def build(
        parameter: str, setting: str, bit_error_rate: float, protocol: str, seed: int
    ) -> Scenario:
        one = known[parameter, setting]
        fields = one.fields(at, bit_error_rate) if callable(one.fields) else one.fields
        return _over_radio(at, protocol, bit_error_rate=bit_error_rate, seed=seed, **fields)

    rates = varied_rates(at)
    points = [
        (one.parameter, one.setting, rate, protocol)
        for one in VARIED
        for rate in rates
        if one.everywhere or rate in SOME_RATES
        for protocol in one.protocols
    ]
    return Experiment(
        name="tcpj-varied",
        build=build,
        points=pd.DataFrame(points, columns=["parameter", "setting", "bit_error_rate", "protocol"]),
        repetitions=at.repeated(8),
        more=[
            ({"parameter": one.parameter, "setting": one.setting}, at.repeated(one.repetitions))
            for one in VARIED
        ],
    )


KEEPING = "keeps its window"


def keeping(at: Setting) -> Experiment:
    """Senders with SACK that do not reduce their window at a loss.

    That is standard TCP's growth and no decrease at all (General AIMD with b = 0): after a timeout
    it begins again with one segment.
    """
    build = functools.partial(_over_radio, at, "gaimd", parameters={"decrease": 0.0})
    rates = [rate for rate in TWO_RATES if rate in at.bit_error_rates]
    return Experiment(
        name="tcpj-keep",
        build=build,
        points={"bit_error_rate": rates},
        repetitions=at.repeated(10),
        labels={"protocol": KEEPING},
    )


# Radios that send a lost frame again: none does in the paper's simulation, and in its section 3.2
# one does. As 802.11 has it (its short retry limit, SIFS and ACK, a first back-off), and as RLC's
# acknowledged mode over a cellular link of 20 ms.
STOP_AND_WAIT = Arq(
    persistence=7,
    feedback_s=value("repeat_feedback"),
    jitter_s=value("repeat_jitter"),
    mode="stop and wait",
)
REPEATING = {
    "no repetition": None,
    "stop and wait": STOP_AND_WAIT,
    "selective repeat": Arq(
        persistence=int(value("selective_repeats")), feedback_s=value("selective_feedback")
    ),
}
REPEATING_RATES = (1e-6, 2e-6, 4e-6, 8e-6)
REPEATING_PROTOCOLS = (*PROTOCOLS, KEEPING)


def repeating(at: Setting) -> Experiment:
    """Figure 9 over radios that repeat frames, and a sender that keeps its window (`keeping`)."""

    def build(radio: str, bit_error_rate: float, protocol: str, seed: int) -> Scenario:
        sender: dict[str, Any] = {"arq": REPEATING[radio]}
        if protocol == KEEPING:
            protocol, sender = "gaimd", sender | {"parameters": {"decrease": 0.0}}
        return _over_radio(at, protocol, bit_error_rate=bit_error_rate, seed=seed, **sender)

    return Experiment(
        name="tcpj-repeating",
        build=build,
        points={
            "radio": tuple(REPEATING),
            "bit_error_rate": REPEATING_RATES[::2] if at.quick else REPEATING_RATES,
            "protocol": REPEATING_PROTOCOLS,
        },
        repetitions=at.repeated(10),
    )


ANATOMY_S = 20.0
ANATOMY_SERIES = ("cwnd_segments", "ssthresh_segments")


def anatomy(at: Setting) -> Experiment:
    """The windows of NewReno and TCP-J in the first 20 s of a lossy radio link."""
    build = functools.partial(
        _over_radio,
        at,
        bit_error_rate=2e-6,
        duration_s=ANATOMY_S,
        record=Record(series=ANATOMY_SERIES, points=400),
    )
    return Experiment(name="tcpj-anatomy", build=build, points={"protocol": ["NewReno", "TCP-J"]})


# --- a shared wire: figure 3


def wire(at: Setting) -> tuple[Experiment, ...]:
    """Three flows on one wire, with TCP-J and with a second SACK in its place."""

    def build(trio: str, seed: int) -> Scenario:
        drawn = seed == 1 and trio == "with TCP-J"
        counted = Record(series=("delivered_bytes",), points=200)
        return _over_wire(at, trio, seed=seed, record=counted if drawn else None)

    link: dict[str, Any] = {"rate_bps": at.radio_rate_bps, "rtt_s": at.rtt_s}
    return (
        Experiment(
            name="tcpj-wire",
            build=build,
            points={"trio": TRIOS},
            repetitions=at.repetitions,
            labels=link | {"engine": "segment"},
        ),
        Experiment(
            name="tcpj-wire-ns3",
            engine="ns3",
            build=functools.partial(_over_wire, at, **FOUND),
            points={"trio": TRIOS},
            repetitions=at.repeated(10),
            labels=link | {"engine": "ns3"},
        ),
    )


def wires(at: Setting) -> tuple[Experiment, ...]:
    """Three flows on wires of other rates and round trips: what the lost sketch may have.

    The estimates of the usual runs are recorded.
    """
    often = at.repeated(USUAL["tcpj-wires"])
    estimated = Record(series=("bandwidth_bps",), points=40)

    def build(rate_bps: float, rtt_s: float, trio: str, seed: int) -> Scenario:
        record = estimated if trio == "with TCP-J" and seed <= often else None
        return _over_wire(at, trio, seed=seed, rate_bps=rate_bps, rtt_s=rtt_s, record=record)

    usual = Experiment(
        name="tcpj-wires",
        build=build,
        points={
            "rate_bps": [1.5e6, 4e6, 10e6] if at.quick else [1.5e6, 4e6, 6e6, 10e6],
            "rtt_s": [0.02, 0.04, 0.1],
            "trio": TRIOS,
        },
        repetitions=often,
        labels={"engine": "segment"},
    )
    more = [
        ({"rate_bps": 1.5e6, "rtt_s": rtt_s, "trio": "with TCP-J"}, 400) for rtt_s in (0.02, 0.04)
    ]
    return usual, _further(at, usual, more)


def alphas(at: Setting) -> tuple[Experiment, ...]:
    """TCP-J's share by its smoothing constant on three wires."""

    def build(alpha: float, rate_bps: float, rtt_s: float, seed: int) -> Scenario:
        parameters = {"TCP-J": {"alpha": alpha}}
        link: dict[str, Any] = {"rate_bps": rate_bps, "rtt_s": rtt_s}
        return _over_wire(at, "with TCP-J", seed=seed, parameters=parameters, **link)

    links = [(at.radio_rate_bps, at.rtt_s), (10e6, 0.04), (1.5e6, 0.1)]
    constants = pd.DataFrame({"alpha": [0.5, 0.875, value("alpha"), 0.99]})
    usual = Experiment(
        name="tcpj-alphas",
        build=build,
        points=pd.DataFrame(links, columns=["rate_bps", "rtt_s"]).merge(constants, how="cross"),
        repetitions=at.repeated(USUAL["tcpj-alphas"]),
    )
    more: list[tuple[dict[str, float], int]] = [({"rate_bps": 10e6, "rtt_s": 0.04}, 110)]
    more += [({"rate_bps": 1.5e6, "rtt_s": 0.1, "alpha": alpha}, 80) for alpha in (0.5, 0.9)]
    return usual, _further(at, usual, more)


# --- the estimates: figures 5 to 8


def estimates(at: Setting) -> tuple[Experiment, ...]:
    """A link that is silent three times: ten runs each, five where hardly anything scatters."""
    build = functools.partial(
        _over_radio,
        at,
        outages=at.silences,
        record=Record(series=("delivered_bytes", "bandwidth_bps"), points=200),
    )
    usual = Experiment(
        name="tcpj-estimates",
        build=build,
        points={"bit_error_rate": [1e-8, 1e-6], "protocol": ["TCP-J", "Westwood"]},
        repetitions=at.repeated(5),
        more=[({"bit_error_rate": 1e-6}, at.repeated(USUAL["tcpj-estimates"]))],
    )
    # Where hardly a packet is lost, more runs, and Westwood's filter in a sender that recovers as
    # TCP-J does.
    alike = Experiment(
        name="tcpj-estimates-sack",
        build=functools.partial(
            _over_radio,
            at,
            outages=at.silences,
            record=Record(series=("bandwidth_bps",), points=200),
        ),
        points={"bit_error_rate": [1e-8], "protocol": ["TCP-J", "Westwood", WITH_SACK]},
        repetitions=at.repetitions,
    )
    return usual, _further(at, usual, [({"bit_error_rate": 1e-6}, 64)]), alike


# --- outages: figure 10


def outages(at: Setting) -> Experiment:
    """Transfers of 10 s with one outage.

    The outage begins between 3 and 5 s, at a time drawn from the seed and so the same for all.
    Beside the paper's protocols stands Westwood with SACK, which has TCP-J's recovery and Tustin's
    filter.
    """

    def build(outage_s: float, protocol: str, seed: int) -> Scenario:
        start_s = round(np.random.default_rng(seed).uniform(3, 5), 6)
        return _over_radio(
            at,
            protocol,
            bit_error_rate=value("ber_outages"),
            seed=seed,
            duration_s=value("outage_duration"),
            outages=(Outage(start_s=start_s, duration_s=outage_s),),
        )

    return Experiment(
        name="tcpj-outages",
        build=build,
        points={
            "outage_s": [0.01, 0.05, 0.1, 0.3, 1.0],
            "protocol": [*PROTOCOLS, WITH_SACK],
        },
        repetitions=at.repeated(12),
    )


# --- what else the paper's own simulator can run


MORE_MOVES_ON_NS2: list[tuple[dict[str, Any], int]] = [  # as many as were said to decide
    *(
        ({"parameter": "ber_handoff", "kind": "local", "protocol": name, "announced": True}, 640)
        for name in ("TCP-J", "Westwood")
    ),
    *(
        ({"parameter": parameter, "kind": "non-local"}, 130)
        for parameter in ("new_radio_rate", "new_wired_rate")
    ),
]


def on_ns2(at: Setting) -> tuple[Experiment, ...]:
    """The wires, the estimates, the outages and the movements on ns-2.

    Its senders repair losses as they do (`FOUND`).
    """
    silent, _, alike = estimates(at)
    usual = [wire(at)[0], wires(at)[0], alphas(at)[0], silent, alike, outages(at)]
    if at.full:
        usual[1] = dataclasses.replace(usual[1], repetitions=at.repetitions)
        usual[2] = dataclasses.replace(usual[2], repetitions=100)
        usual[3] = dataclasses.replace(silent, more=[({"bit_error_rate": 1e-6}, 64)])
    moved, varied, _ = handoffs(at)
    usual.append(dataclasses.replace(moved, repetitions=60 if at.full else at.repetitions))
    usual.append(dataclasses.replace(varied, repetitions=at.repeated(12)))
    if at.full:
        usual[-1] = dataclasses.replace(varied, repetitions=60, more=MORE_MOVES_ON_NS2)
    usual.append(newcomers(at)[0])
    if at.full:
        usual[-1] = dataclasses.replace(usual[-1], repetitions=60)
    return tuple(_on_ns2(experiment) for experiment in usual)


def _on_ns2(usual: Experiment) -> Experiment:
    def build(**row: Any) -> Scenario:
        scenario = usual.build(**row)
        flows = []
        for flow in scenario.flows:
            fields = dict(flow) | FOUND
            if flow.congestion_control.name != "tcpj":
                fields["handoffs"] = ()  # nobody else does anything when it is told
            flows.append(Flow(**fields))
        changed = scenario.replace(flows=tuple(flows))
        ways = {(flow.path, flow.reroutes) for flow in changed.flows}
        return with_own_ends(changed) if len(ways) > 1 else changed

    labels = {**usual.labels, "engine": "ns2"}
    name = f"{usual.name}-ns2"
    return dataclasses.replace(usual, name=name, engine="ns2", build=build, labels=labels)


# --- handoffs: figures 12 to 16

# What of the lost sketches is varied: the parameter's name and the value in words, and the fields.
VARIED_MOVES: dict[tuple[str, str], dict[str, Any]] = {
    ("new_radio_rate", "0.5 Mb/s"): {"new_rate_bps": 0.5e6},
    ("new_wired_rate", "0.5 Mb/s"): {"new_wired_bps": 0.5e6},
    ("ber_handoff", "1e-6"): {"bit_error_rate": 1e-6},
}
STATED = ("", "")  # nothing is varied
HANDOFFS = ("tcpj-handoffs", "tcpj-handoffs-varied", "tcpj-handoffs-varied-more")


def handoffs(at: Setting) -> tuple[Experiment, ...]:
    """Movements to a slower radio link, half-way through the run: those of `MOVES`.

    Twelve runs each; six of TCP-J and Westwood with the lost sketches otherwise (`VARIED_MOVES`),
    and of all with another error rate.
    """

    def build(
        protocol: str, kind: str, announced: bool, parameter: str, setting: str, seed: int
    ) -> Scenario:
        drawn = seed == 1 and not parameter
        record = Record(series=("cwnd_segments",), points=200 if drawn else 100)
        fields = VARIED_MOVES.get((parameter, setting), {})
        return _handoff(at, protocol, kind, announced=announced, seed=seed, record=record, **fields)

    columns = ["protocol", "kind", "announced", "parameter", "setting"]
    pair = [move for move in MOVES if move[2] and move[0] in ("TCP-J", "Westwood")]
    base = [(*move, *STATED) for move in MOVES]
    other = [
        (*move, *names)
        for moves, of_all in ((pair, False), (MOVES, True))
        for move in moves
        for names in VARIED_MOVES
        if of_all == (names[0] == "ber_handoff")
    ]
    usual, varied = (
        Experiment(
            name=name,
            build=build,
            points=pd.DataFrame(points, columns=columns),
            repetitions=at.repeated(USUAL[name]),
        )
        for name, points in zip(HANDOFFS, (base, other), strict=False)
    )
    more = [
        ({"parameter": parameter, "protocol": "Westwood", "kind": "non-local"}, 50)
        for parameter in ("new_radio_rate", "new_wired_rate")
    ]
    return usual, varied, _further(at, varied, more)


NEWCOMERS = (  # protocol, whether the new rate is announced
    ("SACK", True),
    ("Westwood", True),
    ("TCP-J", True),
    ("TCP-J", False),
)


def newcomers(at: Setting) -> tuple[Experiment, ...]:
    """A SACK flow that is on the new radio link already, when each of `NEWCOMERS` arrives."""

    def build(kind: str, protocol: str, announced: bool, seed: int) -> Scenario:
        record = Record(series=("delivered_bytes",), points=20)
        return _handoff(
            at, protocol, kind, announced=announced, beside="SACK", seed=seed, record=record
        )

    points = [(kind, *who) for who in NEWCOMERS for kind in ("local", "non-local")]
    usual = Experiment(
        name="tcpj-newcomers",
        build=build,
        points=pd.DataFrame(points, columns=["kind", "protocol", "announced"]),
        repetitions=at.repeated(USUAL["tcpj-newcomers"]),
    )
    more = [
        ({"protocol": protocol, "announced": True, "kind": "local"}, 110)
        for protocol in ("Westwood", "TCP-J")
    ]
    return usual, _further(at, usual, more)


# --- beyond the paper


def todays_senders(at: Setting) -> Experiment:
    """Random losses with today's senders and three of the paper's.

    All without the limits of 2002: a lost retransmission is found.
    """
    return Experiment(
        name="tcpj-today",
        build=functools.partial(_over_radio, at, **FOUND),
        points={
            "bit_error_rate": [1e-7, 1e-6, 4e-6, 1e-5],
            "protocol": ["NewReno", "Westwood", "TCP-J", *MODERN],
        },
        repetitions=at.repeated(5),
    )


AS_LINUX = "westwood-plus, as Linux"
STACKS = {"segment": "tcpj-stacks", "linux": "tcpj-linux"}


def stacks(at: Setting) -> tuple[Experiment, ...]:
    """Reno and Westwood+ on Linux and on the segment engine.

    A radio link of 3 Mb/s, 60 s, with what Linux always does: SACK, timestamps, proportional rate
    reduction. On the segment engine Westwood+ also counts as Linux 6.12 does.
    """

    def build(bit_error_rate: float, sender: str, seed: int) -> Scenario:
        return _over_radio(
            at,
            sender.split(",")[0],
            bit_error_rate=bit_error_rate,
            rate_bps=3e6,
            seed=seed,
            duration_s=60,
            recovery="prr",
            timestamps=True,
            sack=True,
            initial_ssthresh_segments=None,
            parameters={"as_linux_6_12": True} if sender == AS_LINUX else None,
            **FOUND,
        )

    senders = {"segment": ["reno", "westwood-plus", AS_LINUX], "linux": ["reno", "westwood-plus"]}
    return tuple(
        Experiment(
            name=name,
            engine=engine,
            build=build,
            points={"bit_error_rate": [1e-7, 1e-6, 4e-6], "sender": senders[engine]},
            repetitions=3,
            labels={"engine": engine},
        )
        for engine, name in STACKS.items()
    )


def several_flows(at: Setting) -> Experiment:
    """Four flows of one protocol on one radio link."""

    def build(protocol: str, bit_error_rate: float, seed: int) -> Scenario:
        return _over_radio(at, *[protocol] * 4, bit_error_rate=bit_error_rate, seed=seed)

    return Experiment(
        name="tcpj-several",
        build=build,
        points={"protocol": PROTOCOLS, "bit_error_rate": [1e-7, 1e-6]},
        repetitions=at.repeated(5),
    )


def assistance(at: Setting) -> Experiment:
    """NewReno over the radio alone, with a split connection, and with a proxy (`families`)."""
    return Experiment(
        name=families.EXPERIMENT,
        build=functools.partial(families.path, **at.link),
        points={
            "remedy": families.REMEDIES,
            "bit_error_rate": families.RATES,
            "wired_bps": families.WIRED_BPS,
        },
        repetitions=at.repeated(5),
    )


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the chapter's experiments at a setting."""
    return (
        fit(at),
        *random_losses(at),
        ns2_pipe(at),
        ns2_westwood(at),
        varied(at),
        keeping(at),
        repeating(at),
        anatomy(at),
        *wire(at),
        *wires(at),
        *alphas(at),
        *estimates(at),
        outages(at),
        *on_ns2(at),
        *handoffs(at),
        *newcomers(at),
        todays_senders(at),
        *stacks(at),
        several_flows(at),
        assistance(at),
        movements.experiment(
            at.repetitions,
            rate_bps=at.radio_rate_bps,
            new_rate_bps=at.new_radio_rate_bps,
            rtt_s=at.rtt_s,
            rtt_to_rr_s=value("rtt_to_rr"),
            **SENDERS_OF_2002,
        ),
    )


def runs(at: Setting) -> Runs:
    """Return what comes of the experiments, each run or found when it is first asked for."""
    return Runs(at, experiments(at))
