"""What the faults of ns-3 3.44 do to results: the data of the page "ns-3 3.44, fault by fault".

`data/faults.csv` tells each fault. The segment engine has those of the recovery and of the socket
one by one (`longfat.faults`), and our headers those of a congestion control all at once, by their
parameter `as_ns3_3_44`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from longfat import paths, statistics
from longfat.cc import catalogue
from longfat.faults import NS3_3_44, OF_ITS_RECOVERY
from longfat.network import duplex, reference
from longfat.papers import hybla, reno, survey
from longfat.papers.hybla.network import satellite
from longfat.scenario import CongestionControl, Flow, Link, Outage, Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

COUNTS = ("delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts")
WINDOW = "cwnd_segments"
AS_NS3 = "as_ns3_3_44"  # a parameter of congestion controls
# Which faults are switched on, in words.
BY_THE_RFCS = "by the RFCs"
ALL = "all of ns-3 3.44"
# Each segment is lost by itself (Ott, Kemperman and Mathis, "The stationary behavior of ideal TCP
# congestion avoidance", 1996); sqrt(3/2), 1.22, is of losses at equal distances.
INDEPENDENT_LOSSES = 1.3098
SEGMENT_BITS = 8000  # of payload
WIRE_BYTES = 1066  # of such a segment, with all headers


def table() -> pd.DataFrame:
    """Return `data/faults.csv`: a row a fault, all of its columns text."""
    return pd.read_csv(paths.DATA / "faults.csv", dtype=str, keep_default_na=False)


# --- the smallest scenario that shows a fault


def small(
    *,
    duration_s: float = 3.0,
    queue_packets: int = 1000,
    outages: Sequence[tuple[float, float]] = (),
    ack_outages: Sequence[tuple[float, float]] = (),
    mark_above_packets: int | None = None,
    **flow: Any,
) -> Scenario:
    """Return one flow over 10 Mb/s and 0.1 s, in which only outages and the queue lose packets.

    Each outage is its beginning and its length in s; `ack_outages` are those of the way back. ECN
    is on where the link marks. `flow` are fields of `Flow`; NewReno begins congestion avoidance at
    50 segments, unless they say otherwise.
    """
    there, back = duplex(
        "sender", "receiver", rate_bps=10e6, delay_s=0.05, queue_packets=queue_packets
    )
    fields = {"congestion_control": "newreno", "initial_ssthresh_segments": 50} | flow
    ecn = mark_above_packets is not None
    return Scenario(
        links=[
            _with_outages(there, outages, mark_above_packets=mark_above_packets),
            _with_outages(back, ack_outages),
        ],
        flows=[Flow(source="sender", target="receiver", ecn=ecn, **fields)],
        duration_s=duration_s,
    )


def _with_outages(link: Link, outages: Sequence[tuple[float, float]], **fields: Any) -> Link:
    stops = [Outage(start_s=start_s, duration_s=length_s) for start_s, length_s in outages]
    return Link(**(dict(link) | fields | {"outages": stops}))


SMALLEST: dict[str, dict[str, Any]] = {}


def smallest(fault: str) -> Scenario:
    """Return the scenario that shows a fault of the recovery or of the socket, without it."""
    return small(**SMALLEST[fault])


def shown(faults: Sequence[str] = NS3_3_44) -> pd.DataFrame:
    """Run the smallest scenario of each fault without it and with it alone.

    Two rows a fault: columns fault, with_it, and `COUNTS`.
    """
    design = statistics.combinations(fault=list(faults), with_it=[False, True])
    scenarios = [
        smallest(run.fault).with_(faults=(run.fault,) if run.with_it else ())
        for run in design.itertuples()
    ]
    runs = sweep(scenarios, engine="segment", labels=design, experiment="faults-shown")
    return runs[["fault", "with_it", *COUNTS]]


def what_changes(shown: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of `shown` as "without → with": a row a fault, equal ones a dash."""
    wide = shown.pivot(index="fault", columns="with_it", values=list(COUNTS))
    texts = {
        count: [
            "–" if before == after else f"{before:.0f} → {after:.0f}"
            for before, after in wide[count][[False, True]].itertuples(index=False)
        ]
        for count in COUNTS
    }
    return pd.DataFrame(texts, index=wide.index).loc[shown["fault"].unique()].reset_index()


# --- one recovery


def one_recovery() -> pd.DataFrame:
    """Return Hybla's window over the satellite around one loss, with and without the overflow.

    The link has 10 Mb/s, which a window of 550 segments nearly fills, so that the segments are
    spread over the round trip. An outage of 0.8 ms takes one of them, at 10.25 s. Columns:
    reduction, time_s, cwnd_segments, sent_segments (since 10.25 s).
    """
    reductions = {"as RFC 9937 says": (), "as ns-3 3.44 does": ("prr-overflow",)}
    record = Record(series=(WINDOW, "sent_bytes"), points=12_000)
    whole = satellite(loss=0, rate_bps=10e6, duration_s=12, record=record)
    there, back = whole.links
    whole = whole.with_(links=[_with_outages(there, [(10.25, 8e-4)]), back])
    results = simulate_all(
        [whole.with_(faults=faults) for faults in reductions.values()],
        engine="segment",
        experiment="faults-one-recovery",
    )
    times_s = np.arange(10.25, 12, 0.001)
    windows = []
    for name, result in zip(reductions, results, strict=True):
        sent = result.traces["sent_bytes"]
        sent = sent[sent["link"] == "sender>receiver"]
        segments = statistics.held_at(sent, "sent_bytes", times_s) / WIRE_BYTES
        window = statistics.held_at(result.traces[WINDOW], WINDOW, times_s)
        one = {"time_s": times_s, WINDOW: window, "sent_segments": segments - segments[0]}
        windows.append(pd.DataFrame(one).assign(reduction=name))
    return pd.concat(windows, ignore_index=True)


# --- Hybla over the satellite, the chapter's setting


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How much is simulated: loss rates, repetitions, and durations in s."""

    loss_rates: Sequence[float]
    repetitions: int
    satellite_s: float
    wide_s: float
    pipe_s: float

    @property
    def seeds(self) -> range:
        """One for each repetition."""
        return range(1, self.repetitions + 1)


def setting(profile: str) -> Setting:
    """Return the setting of the profile "paper", or a small one for "quick"."""
    if profile == "quick":
        return Setting(
            loss_rates=(1e-3, 1e-2), repetitions=2, satellite_s=60, wide_s=60, pipe_s=20
        )
    return Setting(
        loss_rates=(1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2),
        repetitions=5,
        satellite_s=1000,
        wide_s=1000,
        pipe_s=200,
    )


def _sets(faults: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {BY_THE_RFCS: (), **{fault: (fault,) for fault in faults}, ALL: NS3_3_44}


def on_satellite(setting: Setting) -> pd.DataFrame:
    """Run Hybla over the satellite with no fault, each alone, and all: a row a run.

    Columns: faults, loss, seed, and those of `sweep`.
    """
    sets = _sets(NS3_3_44)
    design = statistics.combinations(
        faults=list(sets), loss=setting.loss_rates, seed=setting.seeds
    )
    scenarios = [
        satellite(loss=run.loss, seed=run.seed, duration_s=setting.satellite_s).with_(
            faults=sets[run.faults]
        )
        for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", labels=design, experiment="faults-satellite")


def changes(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what the faults change of the goodput: `statistics.gains` over that by the RFCs.

    `runs` is of `on_satellite`. Columns: loss, faults, gain, low, high (per cent) and others.
    """
    return statistics.gains(runs, BY_THE_RFCS, ["loss"], who="faults")


def beside_model(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far each set of faults is from the chapter's model, as `judge_differences` reads.

    `runs` is of `on_satellite` or `for_claims`. Columns: faults, engine ("simulation"), transfer
    ("steady"), metric ("throughput"), loss, goodput_bps, halfwidth, model (bit/s), difference and
    difference_halfwidth, (model - measured) / model in per cent.
    """
    points = statistics.interval(runs, ["faults", "loss"], "goodput_bps")
    points["model"] = SEGMENT_BITS * hybla.throughput(points["loss"].to_numpy(), 0.55, 0.025, 550)
    points = statistics.difference_percent(points, "goodput_bps", "model")
    return points.assign(engine="simulation", transfer="steady", metric="throughput")


# --- Reno and the square-root law


# The sender in words: congestion control, its parameters, and the faults of the socket.
RENOS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "standard": ("standard", {}, ()),
    "newreno": ("newreno", {}, ()),
    "reno": ("reno", {}, ()),
    "ns-3's TcpNewReno": ("newreno", {AS_NS3: True}, NS3_3_44),
    "ns-3's TcpLinuxReno": ("reno", {AS_NS3: True}, NS3_3_44),
}
WIDE_LOSSES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
WIDE_RTT_S = 0.1


def square_root(setting: Setting) -> pd.DataFrame:
    """Run the Renos over a link so wide that only losses limit them.

    Columns: sender, loss, seed, those of `sweep`, and ratio: the mean window over that of the
    square-root law for independent losses.
    """
    losses = [loss for loss in WIDE_LOSSES if len(setting.seeds) > 2 or loss >= 1e-3]
    design = statistics.combinations(sender=list(RENOS), loss=losses, seed=setting.seeds)
    scenarios = [
        _wide(*RENOS[run.sender], loss=run.loss, seed=run.seed, duration_s=setting.wide_s)
        for run in design.itertuples()
    ]
    runs = sweep(scenarios, engine="segment", labels=design, experiment="faults-square-root")
    windows = runs["goodput_bps"] * WIDE_RTT_S / SEGMENT_BITS
    return runs.assign(ratio=windows / (INDEPENDENT_LOSSES / np.sqrt(runs["loss"])))


def _wide(
    name: str,
    parameters: dict[str, Any],
    faults: tuple[str, ...],
    *,
    loss: float,
    seed: int,
    duration_s: float,
) -> Scenario:
    links = duplex(
        "sender",
        "receiver",
        rate_bps=1e9,
        delay_s=WIDE_RTT_S / 2,
        queue_packets=1000,
        loss_per_packet=loss,
        backward={"loss_per_packet": 0.0},
    )
    flow = Flow(
        source="sender",
        target="receiver",
        congestion_control=CongestionControl(name=name, parameters=parameters),
        initial_ssthresh_segments=round(1.2 / loss**0.5),
        timestamps=False,
    )
    return Scenario(links=links, flows=[flow], duration_s=duration_s, seed=seed, faults=faults)


def with_a_round_of_recovery() -> pd.DataFrame:
    """Return what a round trip of recovery leaves of the law: columns loss and ratio.

    NewReno's model in `longfat.papers.reno`, over the law for the same losses at equal distances.
    """
    loss, unlimited = np.geomspace(min(WIDE_LOSSES), max(WIDE_LOSSES), 61), 1e9
    ratio = reno.newreno(loss, 1, unlimited) / reno.square_root_law(loss, 1, unlimited)
    return pd.DataFrame({"loss": loss, "ratio": ratio})


# --- a long fat pipe


# Response function (of `survey.mean_window`), our congestion control, and Linux's.
PIPE = {
    "standard": ("standard", "reno"),
    "highspeed": ("highspeed-rfc3649", "highspeed"),
    "scalable": ("scalable-kelly", "scalable"),
}
PIPE_LOSSES = (1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4)
PIPE_LINUX_LOSSES = (1e-5, 3e-5, 1e-4, 3e-4)
PIPE_BPS = 600e6
PIPE_RTT_S = 0.1
PIPE_PAYLOAD_BITS = 8 * 1448
PIPE_LOSSES_A_RUN = 20


def long_fat_pipe(setting: Setting) -> pd.DataFrame:
    """Run three senders over 600 Mb/s and 0.1 s, each as long as 20 losses are expected to take.

    Columns: response (a key of `PIPE`), faults, loss, seed, and those of `sweep`.
    """
    sets = {BY_THE_RFCS: (), ALL: NS3_3_44}
    design = statistics.combinations(
        response=list(PIPE), faults=list(sets), loss=_pipe_losses(setting), seed=setting.seeds[:3]
    )
    scenarios = [
        _pipe(
            PIPE[run.response][0],
            run.response,
            loss=run.loss,
            seed=run.seed,
            faults=sets[run.faults],
        )
        for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", labels=design, experiment="faults-pipe")


def long_fat_pipe_on_linux(setting: Setting) -> pd.DataFrame:
    """Run the same on Linux, with its own congestion controls and two seeds; no losses below 1e-5.

    Columns as of `long_fat_pipe`, faults being "Linux 6.12". Empty where this machine cannot.
    """
    losses = [loss for loss in _pipe_losses(setting) if loss in PIPE_LINUX_LOSSES]
    design = statistics.combinations(response=list(PIPE), loss=losses, seed=[1, 2])
    scenarios = [
        _pipe(PIPE[run.response][1], run.response, loss=run.loss, seed=run.seed, faults=())
        for run in design.itertuples()
    ]
    if not can_run(scenarios, "linux"):
        return pd.DataFrame(columns=["response", "faults", "loss", "seed", "goodput_bps"])
    runs = sweep(scenarios, engine="linux", labels=design, experiment="faults-pipe-linux")
    return runs.assign(faults="Linux 6.12")


def _pipe_losses(setting: Setting) -> Sequence[float]:
    return PIPE_LOSSES if len(setting.seeds) > 2 else (1e-4, 3e-4)


def _pipe(
    name: str, response: str, *, loss: float, seed: int, faults: tuple[str, ...]
) -> Scenario:
    window = float(survey.mean_window(response, loss))
    rate_bps = min(window * PIPE_PAYLOAD_BITS / PIPE_RTT_S, PIPE_BPS)
    links = duplex(
        "sender",
        "receiver",
        rate_bps=PIPE_BPS,
        delay_s=PIPE_RTT_S / 2,
        queue_packets=1000,
        loss_per_packet=loss,
        backward={"loss_per_packet": 0.0},
    )
    flow = Flow(
        source="sender",
        target="receiver",
        congestion_control=name,
        segment_bytes=PIPE_PAYLOAD_BITS // 8,
        initial_ssthresh_segments=round(min(window, 5000)),
    )
    duration_s = PIPE_LOSSES_A_RUN / loss * PIPE_PAYLOAD_BITS / rate_bps
    return Scenario(
        links=links, flows=[flow], duration_s=round(duration_s, 1), seed=seed, faults=faults
    )


def pipe_responses() -> pd.DataFrame:
    """Return the response functions as goodput, not more than the link carries.

    Columns: response, loss, goodput_bps.
    """
    loss = np.geomspace(min(PIPE_LOSSES), max(PIPE_LOSSES), 61)
    most = PIPE_BPS * PIPE_PAYLOAD_BITS / (PIPE_PAYLOAD_BITS + 8 * 66)
    lines = [
        pd.DataFrame({"loss": loss}).assign(
            response=name,
            goodput_bps=np.minimum(
                survey.mean_window(name, loss) * PIPE_PAYLOAD_BITS / PIPE_RTT_S, most
            ),
        )
        for name in PIPE
    ]
    return pd.concat(lines, ignore_index=True)


# --- congestion controls


def controls() -> list[str]:
    """Return the congestion controls that can do as ns-3's classes."""
    return [name for name, one in catalogue.algorithms().items() if AS_NS3 in one.parameters]


def of_controls(setting: Setting, losses: Sequence[float] = (1e-4, 1e-2)) -> pd.DataFrame:
    """Run each congestion control as its paper has it, and as ns-3 3.44's class, socket by RFCs.

    Over 50 Mb/s and 0.1 s for a minute. Columns: control, as_ns3, loss, seed, those of `sweep`.
    """
    design = statistics.combinations(
        control=controls(), as_ns3=[False, True], loss=losses, seed=setting.seeds
    )
    scenarios = [
        _control(run.control, run.as_ns3, run.loss, run.seed) for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", labels=design, experiment="faults-controls")


def _control(name: str, as_ns3: bool, loss: float, seed: int) -> Scenario:
    plain = reference(congestion_control=name, loss=loss, rate_bps=50e6, seed=seed)
    control = CongestionControl(name=name, parameters={AS_NS3: True} if as_ns3 else {})
    return plain.with_(flows=[dict(plain.flows[0]) | {"congestion_control": control}])
