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

from longfat import measures, papers, paths, statistics, store
from longfat.cc import catalogue
from longfat.faults import NS3_3_44, OF_ITS_RECOVERY, OF_ITS_SOCKET
from longfat.network import duplex, reference
from longfat.papers import hybla, reno, survey
from longfat.papers.hybla import claims as hybla_claims
from longfat.papers.hybla import plan
from longfat.papers.hybla.network import satellite
from longfat.papers.survey.network import japan
from longfat.scenario import CongestionControl, Flow, Link, LinkChange, Outage, Record, Scenario
from longfat.style import formulas
from longfat.sweeps import can_run, simulate_all, sweep

TITLE = "ns-3 3.44, fault by fault"  # of the page
COUNTS = ("delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts")
WINDOW = "cwnd_segments"
AS_NS3 = "as_ns3_3_44"  # a parameter of congestion controls
# Which faults are switched on, in words.
BY_THE_RFCS = "by the RFCs"
SOCKET = "all of the socket"  # what the engine ns3 gives with our recovery, count for count
ALL = "all of ns-3 3.44"
LINUX = "Linux 6.12"
# Each segment is lost by itself (Ott, Kemperman and Mathis, "The stationary behavior of ideal TCP
# congestion avoidance", 1996); sqrt(3/2), 1.22, is of losses at equal distances.
INDEPENDENT_LOSSES = 1.3098
SEGMENT_BITS = 8000  # of payload
WIRE_BYTES = 1066  # of such a segment, with all headers


def table() -> pd.DataFrame:
    """Return `data/faults.csv`: a row a fault, all of its columns text."""
    return pd.read_csv(paths.DATA / "faults.csv", dtype=str, keep_default_na=False)


def told(*, of_controls: bool) -> pd.DataFrame:
    """Return the faults of recovery and socket, or those of the congestion controls, in words.

    Columns: of controls the control; fault; what it does; what it should do, with the source;
    upstream, the issue or merge request and the release that mends it, or "not reported", and the
    program in examples/ns3 that shows it.
    """
    faults = table()
    faults = faults[faults["of"].isin(["recovery", "socket"]) != of_controls]
    mended = faults["mended_in"].map(lambda release: f", mended in {release}" if release else "")
    shown_by = faults["shown_by"].map(lambda program: f"; {program}" if program else "")
    words = pd.DataFrame(
        {
            "control": faults["of"],
            "fault": faults["name"],
            "ns-3 3.44": faults["does"].map(formulas),
            "should be": (faults["should"] + " (" + faults["source"] + ")").map(formulas),
            "upstream": faults["upstream"] + mended + shown_by,
        }
    )
    return words if of_controls else words.drop(columns="control")


# --- the smallest scenario that shows a fault


def small(
    *,
    duration_s: float = 3.0,
    queue_packets: int = 1000,
    outages: Sequence[tuple[float, float]] = (),
    mark_above_packets: int | None = None,
    sway_s: float = 0.0,
    loss: float = 0.0,
    seed: int = 1,
    **flow: Any,
) -> Scenario:
    """Return one flow over 10 Mb/s and 0.1 s.

    Each outage is its beginning and its length in s. ECN is on where the link marks. With `sway_s`
    the way there becomes shorter by 1.5 ms, and as long as before, in turn, each time after so many
    s: then a segment or two overtake others. `flow` are fields of `Flow`; NewReno begins congestion
    avoidance at 50 segments, unless they say otherwise.
    """
    there, back = duplex(
        "sender", "receiver", rate_bps=10e6, delay_s=0.05, queue_packets=queue_packets
    )
    fields = {"congestion_control": "newreno", "initial_ssthresh_segments": 50} | flow
    ecn = mark_above_packets is not None
    times_s = np.arange(1, duration_s, sway_s) if sway_s else np.array([])
    sways = [
        LinkChange(at_s=round(at_s, 3), delay_s=0.0485 if turn % 2 == 0 else 0.05)
        for turn, at_s in enumerate(times_s)
    ]
    return Scenario(
        links=[
            _with(
                there,
                outages,
                changes=sways,
                loss_per_packet=loss,
                mark_above_packets=mark_above_packets,
            ),
            back,
        ],
        flows=[Flow(source="sender", target="receiver", ecn=ecn, **fields)],
        duration_s=duration_s,
        seed=seed,
    )


def _with(link: Link, outages: Sequence[tuple[float, float]], **fields: Any) -> Link:
    stops = [Outage(start_s=start_s, duration_s=length_s) for start_s, length_s in outages]
    return Link(**(dict(link) | fields | {"outages": stops}))


def _as_ns3(name: str) -> dict[str, Any]:
    return {"congestion_control": {"name": name, "parameters": {AS_NS3: True}}}


ONE_SEGMENT = [(0.8, 0.001)]  # is lost, of a window of 50
SIX_SEGMENTS = [(1.2, 0.005), (1.307, 0.001)]  # and one of them again
A_START_WITH_ECN = {
    "duration_s": 5,
    "queue_packets": 50,
    "mark_above_packets": 40,
    "initial_ssthresh_segments": 400,
}
# What `small` takes, by fault. Where a class of ns-3's is the congestion control, ours does not ask
# the socket for what it tells wrongly.
SMALLEST: dict[str, dict[str, Any]] = {
    "prr-overflow": {"outages": [(0.5, 0.001)], "initial_ssthresh_segments": 100},
    "prr-counts-twice": {"outages": ONE_SEGMENT, "duration_s": 2},
    "prr-from-pipe": {"outages": ONE_SEGMENT, "duration_s": 2},
    "prr-unsafe-ack": {
        "outages": [(0.96, 0.1)],
        "duration_s": 10,
        "sack": False,
        "congestion_control": "vegas",
        "initial_ssthresh_segments": 20,
    },
    "lost-retransmission": {"outages": [(1.0, 0.001), (1.103, 0.001)]},
    "sacked-in-flight": {"outages": SIX_SEGMENTS},
    "cwr-untold": {"mark_above_packets": 5, "congestion_control": "vegas"},
    "recovery-credit": {"outages": ONE_SEGMENT, **_as_ns3("reno")},
    "limited-transmit": {"outages": [(1.3, 0.02)], "sack": False},
    "recover-reached": {"outages": [(1.3, 0.02)], "sack": False},
    "partial-ack-burst": {
        "duration_s": 2,
        "queue_packets": 10,
        "congestion_control": "bbr",
        "initial_ssthresh_segments": 100,
        "timestamps": False,
    },
    "impatient-timer": {"outages": SIX_SEGMENTS, "min_rto_s": 0.2},
    "timeout-cuts-again": {"outages": [(1.0, 1.5)], "duration_s": 10},
    "backoff-forgotten": {
        "outages": [(1.0, 2.0), (4.5, 1.0)],
        "duration_s": 10,
        "timestamps": False,
    },
    "smoothed-rtt": _as_ns3("vegas"),
    "loss-in-cwr": A_START_WITH_ECN,
    "echo-in-recovery": A_START_WITH_ECN,
    "echo-on-duplicate": {
        "outages": [(0.5, 0.001)],
        "mark_above_packets": 40,
        "duration_s": 5,
        "sack": False,
        "timestamps": False,
        "congestion_control": "illinois",
        "initial_ssthresh_segments": 200,
    },
    "window-overwritten": {"outages": [(0.5, 0.001)], **_as_ns3("bbr")},
    "disorder-credit": {
        "sway_s": 0.02,
        "outages": [(3.0, 0.001)],
        "duration_s": 5,
        **_as_ns3("westwood-plus"),
    },
    "no-rescue": {"outages": [(0.46, 0.005)], "bytes": 100_000},
    "timeout-order": {
        "outages": [(0.5, 0.1)],
        "duration_s": 5,
        "queue_packets": 20,
        "initial_ssthresh_segments": 200,
    },
    "highest-sacked": {
        "sway_s": 0.005,
        "loss": 0.02,
        "seed": 40,
        "initial_ssthresh_segments": 20,
    },
    "pipe-as-flight": {"outages": ONE_SEGMENT, **_as_ns3("newreno")},
    "syn-timeout": {"outages": [(0.0, 0.1)], "duration_s": 5},
    "repairs-as-losses": {"outages": [(0.5, 0.02)], "congestion_control": "bbr"},
    "stale-pipe": {"outages": ONE_SEGMENT, "duration_s": 2, "sack": False},
}


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
            for before, after in zip(wide[count][False], wide[count][True], strict=True)
        ]
        for count in COUNTS
    }
    return pd.DataFrame(texts, index=wide.index).loc[shown["fault"].unique()].reset_index()


# --- one recovery


def one_recovery() -> pd.DataFrame:
    """Return Hybla's window over the satellite around one loss, by the RFCs and as ns-3 3.44.

    The link has 10 Mb/s, which a window of 550 segments nearly fills, so that the segments are
    spread over the round trip. An outage of 0.8 ms takes one of them, at 10.25 s. Columns:
    reduction, time_s, cwnd_segments, sent_segments (since then).
    """
    reductions = {"as RFC 9937 says": (), "as ns-3 3.44 does": NS3_3_44}
    record = Record(series=(WINDOW, "sent_bytes"), points=600)
    whole = satellite(loss=0, rate_bps=10e6, duration_s=12, record=record)
    there, back = whole.links
    whole = whole.with_(links=[_with(there, [(10.25, 8e-4)]), back])
    results = simulate_all(
        [whole.with_(faults=faults) for faults in reductions.values()],
        engine="segment",
        experiment="faults-one-recovery",
    )
    times_s = np.arange(10.24, 12, 0.02)
    windows = []
    for name, result in zip(reductions, results, strict=True):
        sent = result.traces["sent_bytes"]
        sent = sent[sent["link"] == "sender>receiver"]
        segments = measures.held_at(sent, "sent_bytes", times_s) / WIRE_BYTES
        window = measures.held_at(result.traces[WINDOW], WINDOW, times_s)
        one = {"time_s": times_s, WINDOW: window, "sent_segments": segments - segments[0]}
        windows.append(pd.DataFrame(one).assign(reduction=name))
    return pd.concat(windows, ignore_index=True)


# --- Hybla over the satellite, the chapter's setting


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How much is simulated: loss rates on the satellite, repetitions, and durations in s."""

    loss_rates: Sequence[float]
    claim_losses: Sequence[float]
    wide_losses: Sequence[float]
    pipe_losses: Sequence[float]
    repetitions: int
    wide_repetitions: int
    pipe_repetitions: int
    satellite_s: float
    wide_s: float


def setting(profile: str) -> Setting:
    """Return the setting of the profile "paper", or a small one for "quick"."""
    if profile == "quick":
        few = (1e-3, 1e-2)
        return Setting(
            loss_rates=few,
            claim_losses=few,
            wide_losses=few,
            pipe_losses=(3e-4,),
            repetitions=2,
            wide_repetitions=2,
            pipe_repetitions=2,
            satellite_s=60,
            wide_s=60,
        )
    return Setting(
        loss_rates=(1e-4, 5e-4, 2e-3, 1e-2),
        claim_losses=(1e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2),
        wide_losses=(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
        pipe_losses=(1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4),
        repetitions=5,
        wide_repetitions=8,
        pipe_repetitions=5,
        satellite_s=1000,
        wide_s=1000,
    )


def _seeds(repetitions: int) -> range:
    return range(1, repetitions + 1)


# What Hybla over the satellite does not meet: marks, a sender without SACK, CongControl.
IDLE: dict[str, tuple[str, ...]] = {
    "those that need ECN": ("cwr-untold", "loss-in-cwr", "echo-in-recovery", "echo-on-duplicate"),
    "those that need a sender without SACK": ("limited-transmit", "recover-reached", "stale-pipe"),
    "those that need CongControl": ("window-overwritten", "repairs-as-losses"),
}
ACTIVE = [fault for fault in NS3_3_44 if fault not in sum(IDLE.values(), ())]


def on_satellite(setting: Setting) -> pd.DataFrame:
    """Run Hybla over the satellite with no fault, each that may act alone, and all: a row a run.

    Columns: faults, loss, seed, and those of `sweep`.
    """
    sets: dict[str, tuple[str, ...]] = {BY_THE_RFCS: (), ALL: NS3_3_44}
    sets |= {fault: (fault,) for fault in ACTIVE} | IDLE
    seeds = _seeds(setting.repetitions)
    design = statistics.combinations(faults=list(sets), loss=setting.loss_rates, seed=seeds)
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


def that_matter(changes: pd.DataFrame, least_percent: float) -> list[str]:
    """Return the sets of `changes` that change some goodput by so much: first all, then by size."""
    largest = changes.groupby("faults")["gain"].agg(lambda gains: gains.abs().max())
    chosen = largest[largest >= least_percent].sort_values(ascending=False).index
    return [ALL, *(faults for faults in chosen if faults != ALL)]


def that_do_not(changes: pd.DataFrame, least_percent: float) -> pd.DataFrame:
    """Return the others: columns faults, and change, the largest of the goodput (per cent)."""
    others = changes[~changes["faults"].isin(that_matter(changes, least_percent))]
    rows = others.loc[others.groupby("faults")["gain"].agg(lambda gains: gains.abs().idxmax())]
    return rows[["faults", "gain"]].rename(columns={"gain": "change"}).reset_index(drop=True)


def beside_model(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far each set of faults is from the chapter's model.

    `runs` is of `on_satellite` or `for_claims`. Columns: faults, engine ("simulation"), transfer
    ("steady"), metric ("throughput"), loss, goodput_bps, halfwidth, model (bit/s), difference and
    difference_halfwidth, (model - measured) / model in per cent.
    """
    points = statistics.interval(runs, ["faults", "loss"], "goodput_bps")
    stated = plan.setting().model
    points["model"] = SEGMENT_BITS * hybla.throughput(points["loss"].to_numpy(), **stated)
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
WIDE_RTT_S = 0.1


def square_root(setting: Setting) -> pd.DataFrame:
    """Run the Renos over a link so wide that only losses limit them.

    Columns: sender, loss, seed, those of `sweep`, and ratio: the mean window over that of the
    square-root law for independent losses.
    """
    seeds = _seeds(setting.wide_repetitions)
    design = statistics.combinations(sender=list(RENOS), loss=setting.wide_losses, seed=seeds)
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


def with_a_round_of_recovery(setting: Setting) -> pd.DataFrame:
    """Return what a round trip of recovery leaves of the law: columns loss and ratio.

    NewReno's model in `longfat.papers.reno`, over the law for the same losses at equal distances.
    """
    loss = _line(setting.wide_losses)
    return pd.DataFrame({"loss": loss, "ratio": _with_recovery(loss)})


def _with_recovery(loss: np.ndarray) -> np.ndarray:
    unlimited = 1e9
    return reno.newreno(loss, 1, unlimited) / reno.square_root_law(loss, 1, unlimited)


def from_the_law(renos: pd.DataFrame) -> float:
    """Return by how much our senders' mean windows differ from that model at most, in %.

    `renos` is of `square_root`.
    """
    ours = renos[~renos["sender"].str.startswith("ns-3")]
    ratio = ours.groupby(["sender", "loss"])["ratio"].mean()
    loss = ratio.index.get_level_values("loss").to_numpy()
    return float(100 * (ratio / _with_recovery(loss) - 1).abs().max())


def _line(losses: Sequence[float]) -> np.ndarray:
    return np.geomspace(min(losses), max(losses), 61)


# --- a long fat pipe


# Response function (of `survey.mean_window`), our congestion control, and Linux's.
PIPE = {
    "standard": ("standard", "reno"),
    "highspeed": ("highspeed", "highspeed"),
    "scalable": ("scalable", "scalable"),
}
PIPE_BPS = 600e6
PIPE_RTT_S = 0.1
PIPE_PAYLOAD_BITS = 8 * 1448
PIPE_LOSSES_A_RUN = 20
PIPE_SEGMENTS_A_RUN = 1e7  # at most


def long_fat_pipe(setting: Setting) -> pd.DataFrame:
    """Run three senders over 600 Mb/s and 0.1 s, each as long as 20 losses are expected to take.

    Or 10 million segments, where that is shorter.

    Columns: response (a key of `PIPE`), faults, loss, seed, and those of `sweep`.
    """
    sets = {BY_THE_RFCS: (), ALL: NS3_3_44}
    design = statistics.combinations(
        response=list(PIPE),
        faults=list(sets),
        loss=setting.pipe_losses,
        seed=_seeds(setting.pipe_repetitions),
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
    """Run the same on Linux, with its own congestion controls.

    Columns as of `long_fat_pipe`, faults being "Linux 6.12". Empty where this machine cannot.
    """
    design = statistics.combinations(
        response=list(PIPE),
        loss=setting.pipe_losses,
        seed=_seeds(setting.pipe_repetitions),
    )
    scenarios = [
        _pipe(PIPE[run.response][1], run.response, loss=run.loss, seed=run.seed, faults=())
        for run in design.itertuples()
    ]
    if not can_run(scenarios, "linux"):
        return pd.DataFrame(columns=["response", "faults", "loss", "seed", "goodput_bps"])
    runs = sweep(scenarios, engine="linux", labels=design, experiment="faults-pipe-linux")
    return runs.assign(faults=LINUX)


def pipe_beside_linux(pipe: pd.DataFrame) -> pd.DataFrame:
    """Return Linux's goodput beside ours over the long fat pipe: a row a sender and loss rate.

    `pipe` is of `both_pipes`. Columns: sender; loss; in Mb/s response function (not more than the
    link carries), ours and Linux 6.12, means; Linux's over ours, the ratio, with its 95 % interval
    (low, high; Welch's t on the logarithms) and as text. Empty without Linux's runs.
    """
    goodputs = dict(list(pipe.groupby(["response", "loss", "faults"])["goodput_bps"]))
    rows = []
    for name in PIPE:
        for loss in sorted(pipe["loss"].unique()):
            ours, linux = (goodputs.get((name, loss, who)) for who in (BY_THE_RFCS, LINUX))
            if ours is None or linux is None:
                continue
            ratio = statistics.ratio(linux, ours)
            rows.append(
                {
                    "sender": name,
                    "loss": loss,
                    "response function": float(_response_bps(name, np.array(loss))) / 1e6,
                    "ours": ours.mean() / 1e6,
                    LINUX: linux.mean() / 1e6,
                    **ratio,
                    "Linux's, times ours": "{ratio:.3f} [{low:.3f}, {high:.3f}]".format(**ratio),
                }
            )
    columns = ["sender", "loss", "response function", "ours", LINUX, "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=[*columns, "Linux's, times ours"])


def highspeed_beside_linux(setting: Setting, pipe: pd.DataFrame) -> pd.DataFrame:
    """Return what Linux's table makes of HighSpeed TCP, where windows are small.

    `pipe` is of `both_pipes`. Columns: loss; and goodput in Mb/s with its 95 % interval, as text:
    response function, ours, ours with Linux's table, Linux 6.12.
    """
    name = "highspeed"
    control = CongestionControl(name=PIPE[name][0], parameters={"as_linux_6_12": True})
    losses = [loss for loss in setting.pipe_losses if loss >= 1e-4]
    design = statistics.combinations(loss=losses, seed=_seeds(2 * setting.pipe_repetitions))
    scenarios = [
        _pipe(control, name, loss=run.loss, seed=run.seed, faults=()) for run in design.itertuples()
    ]
    changed = sweep(scenarios, engine="segment", labels=design, experiment="faults-pipe-as-linux")
    legs = {
        "ours": pipe[(pipe["response"] == name) & (pipe["faults"] == BY_THE_RFCS)],
        "ours with Linux's table": changed,
        LINUX: pipe[(pipe["response"] == name) & (pipe["faults"] == LINUX)],
    }
    table = pd.DataFrame({"loss": losses})
    window = survey.mean_window(name, np.array(losses))
    mbps = window * PIPE_PAYLOAD_BITS / PIPE_RTT_S / 1e6
    table["response function"] = [f"{value:.1f}" for value in mbps]
    for label, runs in legs.items():
        points = statistics.interval(runs, ["loss"], "goodput_bps").set_index("loss") / 1e6
        table[label] = [
            f"{points.goodput_bps[loss]:.1f} ± {points.halfwidth[loss]:.1f}"
            if loss in points.index
            else ""
            for loss in losses
        ]
    return table


def _pipe(
    name: str | CongestionControl,
    response: str,
    *,
    loss: float,
    seed: int,
    faults: tuple[str, ...],
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
    segments = min(PIPE_LOSSES_A_RUN / loss, PIPE_SEGMENTS_A_RUN)
    duration_s = segments * PIPE_PAYLOAD_BITS / rate_bps
    return Scenario(
        links=links, flows=[flow], duration_s=round(duration_s, 1), seed=seed, faults=faults
    )


def both_pipes(setting: Setting) -> pd.DataFrame:
    """Return the goodputs over a long fat pipe, on the segment engine and on Linux.

    That is `long_fat_pipe` and `long_fat_pipe_on_linux` in one table.
    """
    return pd.concat([long_fat_pipe(setting), long_fat_pipe_on_linux(setting)], ignore_index=True)


def pipe_responses(setting: Setting) -> pd.DataFrame:
    """Return the response functions as goodput, not more than the link carries.

    Columns: response, loss, goodput_bps.
    """
    loss = _line(setting.pipe_losses)
    lines = [
        pd.DataFrame({"loss": loss}).assign(response=name, goodput_bps=_response_bps(name, loss))
        for name in PIPE
    ]
    return pd.concat(lines, ignore_index=True)


def _response_bps(name: str, loss: np.ndarray) -> np.ndarray:
    most = PIPE_BPS * PIPE_PAYLOAD_BITS / (PIPE_PAYLOAD_BITS + 8 * 66)
    return np.minimum(survey.mean_window(name, loss) * PIPE_PAYLOAD_BITS / PIPE_RTT_S, most)


# --- congestion controls


def controls() -> list[str]:
    """Return the congestion controls that can do as ns-3's classes."""
    return [name for name, one in catalogue.algorithms().items() if AS_NS3 in one.parameters]


def of_controls(setting: Setting, losses: Sequence[float] = (1e-4, 1e-2)) -> pd.DataFrame:
    """Run each congestion control as its paper has it, and as ns-3 3.44's class, socket by RFCs.

    Over 50 Mb/s and 0.1 s for a minute. Columns: control, as_ns3, loss, seed, those of `sweep`.
    """
    seeds = _seeds(setting.repetitions)
    design = statistics.combinations(
        control=controls(), as_ns3=[False, True], loss=losses, seed=seeds
    )
    scenarios = [
        control(run.control, run.as_ns3, run.loss, run.seed) for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", labels=design, experiment="faults-controls")


def control(name: str, as_ns3: bool, loss: float, seed: int) -> Scenario:
    """Return the run of `of_controls` with these values."""
    plain = reference(congestion_control=name, loss=loss, rate_bps=50e6, seed=seed)
    chosen = CongestionControl(name=name, parameters={AS_NS3: True} if as_ns3 else {})
    return plain.with_(flows=[dict(plain.flows[0]) | {"congestion_control": chosen}])


# --- which numbers rest on them


CLAIM_SETS = {
    BY_THE_RFCS: (),
    "prr-overflow": ("prr-overflow",),
    "all four of the recovery": OF_ITS_RECOVERY,
    SOCKET: OF_ITS_SOCKET,
    ALL: NS3_3_44,
}


def for_claims(setting: Setting) -> pd.DataFrame:
    """Run Hybla over the satellite at the loss rates that the paper's claims speak of.

    Columns: faults (a key of `CLAIM_SETS`), loss, seed, and those of `sweep`.
    """
    seeds = _seeds(setting.repetitions)
    design = statistics.combinations(faults=list(CLAIM_SETS), loss=setting.claim_losses, seed=seeds)
    scenarios = [
        satellite(loss=run.loss, seed=run.seed, duration_s=setting.satellite_s).with_(
            faults=CLAIM_SETS[run.faults]
        )
        for run in design.itertuples()
    ]
    return sweep(scenarios, engine="segment", labels=design, experiment="faults-claims")


def claims(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what the paper's claims on the steady state read, a column a set of faults.

    `runs` is of `for_claims`. Columns: claim, printed (per cent), and for each key of `CLAIM_SETS`
    the largest difference from the model with its interval, and the verdict.
    """
    said = papers.claims("hybla")
    said = said[said["printed"].notna() & (said["transfer"] == "steady")]
    said = said[said["method"] == "simulation"].reset_index(drop=True)
    table = said[["statement", "printed"]].rename(columns={"statement": "claim"})
    for faults in CLAIM_SETS:
        evidence = hybla_claims.steady_evidence(
            said, runs[runs["faults"] == faults], "faults-claims"
        )
        judged = statistics.judge(said, evidence)
        table[faults] = [
            f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}], {row.verdict}"
            for row in judged.itertuples()
        ]
    return table


def beside_linux(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far the segment engine and Linux are from the model, at the same loss rates.

    `runs` is of `for_claims`; Linux's are the chapter's, from the archive. Columns: loss, those of
    three sets of faults, and Linux's: (model - measured) / model in per cent, with its interval.
    """
    both = _with_linux(runs)
    points = beside_model(both[both["faults"].isin([BY_THE_RFCS, SOCKET, ALL, LINUX])])
    points["text"] = [
        f"{row.difference:+.2f} ± {row.difference_halfwidth:.2f}" for row in points.itertuples()
    ]
    wide = points.pivot(index="loss", columns="faults", values="text")
    return wide[[BY_THE_RFCS, SOCKET, ALL, LINUX]].reset_index()


def without_sack() -> pd.DataFrame:
    """Run the survey's small pipe for a minute without SACK.

    Columns: faults, those of `sweep`, and Mb/s (goodput).
    """
    sets = {
        BY_THE_RFCS: (),
        "limited-transmit": ("limited-transmit",),
        "recover-reached": ("recover-reached",),
        ALL: NS3_3_44,
    }
    pipe = japan("standard", sack=False, payload_bps=20e6, queue_packets=50, duration_s=60)
    runs = sweep(
        [pipe.with_(faults=faults) for faults in sets.values()],
        engine="segment",
        labels=pd.DataFrame({"faults": list(sets)}),
        experiment="faults-without-sack",
    )
    return runs.assign(**{"Mb/s": runs["goodput_bps"] / 1e6})


def of_controls_changed(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean goodput (Mb/s) of `of_controls`: a row a control, two columns a loss rate.

    And the change by ns-3's class, per cent, with its interval by pairs of the same seed.
    """
    named = runs.assign(who=runs["as_ns3"].map({False: "ours", True: "as ns-3"}))
    means = named.groupby(["control", "loss", "who"])["goodput_bps"].mean() / 1e6
    gains = statistics.gains(named, "ours", ["control", "loss"], who="who")
    table = pd.DataFrame({"control": controls()})
    for loss, gain in gains.groupby("loss"):
        own = gain.set_index("control").loc[table["control"]]
        for who in ("ours", "as ns-3"):
            table[f"{who}, p = {loss:g}"] = means.loc[:, loss, who][table["control"]].to_numpy()
        table[f"change, p = {loss:g}"] = [
            f"{row.gain:+.1f} [{row.low:+.1f}, {row.high:+.1f}]" for row in own.itertuples()
        ]
    return table


def _with_linux(runs: pd.DataFrame) -> pd.DataFrame:
    chapter = store.read_archive("hybla-emulation-steady").assign(faults=LINUX)
    chapter = chapter.rename(columns={"links.0.loss_per_packet": "loss"})
    return pd.concat([runs, chapter[chapter["loss"].isin(runs["loss"])]])


def from_linux(runs: pd.DataFrame) -> dict[str, float]:
    """Return how far each set of faults is from Linux where Linux and ns-3 part, 2e-4 to 2e-3.

    `runs` is of `for_claims`. It is the largest difference of the two's differences from the model,
    in percentage points.
    """
    points = beside_model(_with_linux(runs[runs["loss"].between(2e-4, 2e-3)]))
    wide = points.pivot(index="loss", columns="faults", values="difference")
    return wide.drop(columns=LINUX).sub(wide[LINUX], axis=0).abs().max().to_dict()


def largest_change(runs: pd.DataFrame, faults: str) -> float:
    """Return by how many per cent those faults change the mean goodput, at most, up or down.

    `runs` is of `for_claims`, `faults` one of `CLAIM_SETS`.
    """
    means = runs.groupby(["faults", "loss"])["goodput_bps"].mean()
    return float(100 * (means[faults] / means[BY_THE_RFCS] - 1).abs().max())


def numbers(
    shown: pd.DataFrame,
    changes: pd.DataFrame,
    controls: pd.DataFrame,
    claim_runs: pd.DataFrame,
    without_sack: pd.DataFrame,
    renos: pd.DataFrame,
) -> dict[str, float]:
    """Return the numbers that the page says in sentences, by the names of its glue.

    The arguments are what the functions of these names return, `of_controls`, `for_claims` and
    `square_root`.
    """
    apart = from_linux(claim_runs)
    small = shown.set_index(["fault", "with_it"])
    cut = small.loc["timeout-cuts-again", "delivered_bytes"]
    again = small.loc["limited-transmit", "retransmissions"]
    twice = changes.loc[changes["faults"] == "prr-counts-twice", "gain"]
    named = controls.assign(who=controls["as_ns3"].map({False: "ours", True: "as ns-3"}))
    gains = statistics.gains(named, "ours", ["control", "loss"], who="who")
    gain = gains[gains["who"] == "as ns-3"].set_index(["control", "loss"])["gain"]
    crawling = without_sack.set_index("faults")
    return {
        "faults_resent": int(again[True]),
        "faults_resent_right": int(again[False]),
        "faults_cut_again": 100 * (1 - cut[True] / cut[False]),
        "faults_twice": twice.max(),
        "faults_ledbat_rare": -gain["ledbat", 1e-4],
        "faults_ledbat": -gain["ledbat", 1e-2],
        "faults_htcp": -gain["htcp"].min(),
        "faults_lp": gain["lp"].max(),
        "faults_vegas": gain["vegas", 1e-4],
        "faults_from_linux": apart[BY_THE_RFCS],
        "faults_from_linux_with": apart[ALL],
        "faults_of_the_socket": largest_change(claim_runs, SOCKET),
        "faults_crawl": crawling.loc[ALL, "Mb/s"],
        "faults_crawl_resent": int(crawling.loc[ALL, "retransmissions"]),
        "faults_from_the_law": from_the_law(renos),
        "faults_right": crawling.loc[BY_THE_RFCS, "Mb/s"],
        "faults_right_resent": int(crawling.loc[BY_THE_RFCS, "retransmissions"]),
    }
