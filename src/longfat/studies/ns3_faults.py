"""What ns-3 3.44 does otherwise than it should, and what that changes: the data of the page faults.

`data/faults.csv` tells each fault, with the program in `examples/ns3` that shows it in real ns-3.
What they change is ns-3's goodput over that of the segment engine, which shares none of them. ns-3
has two legs: our congestion controls and recovery in its socket, and all as it is distributed.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, paths, statistics
from longfat.experiment import Experiment, Runs
from longfat.network import duplex, reference
from longfat.papers import reno
from longfat.papers.hybla.network import MAX_WINDOW_SEGMENTS, RTT0_S, satellite
from longfat.papers.survey.network import japan
from longfat.scenario import CongestionControl, Flow, Link, Outage, Record, Scenario
from longfat.studies.engines_compared import EngineRun, stock_ns3
from longfat.studies.setting import Setting
from longfat.style import formulas

TITLE = "ns-3 3.44, fault by fault"  # of the page
WINDOW = "cwnd_segments"
OURS = "segment engine"
SOCKET = "ns-3, our congestion control and recovery"  # the faults of its socket
STOCK = "ns-3 as it is"  # all of them
# Each segment is lost by itself (Ott, Kemperman and Mathis, "The stationary behavior of ideal TCP
# congestion avoidance", 1996); sqrt(3/2), 1.22, is of losses at equal distances.
INDEPENDENT_LOSSES = 1.3098
SEGMENT_BITS = 8000  # of payload
WIRE_BYTES = 1066  # of such a segment, with all headers


def table() -> pd.DataFrame:
    """Return `data/faults.csv`: a row a fault, all of its columns text."""
    return pd.read_csv(paths.DATA / "faults.csv", dtype=str, keep_default_na=False)


def worded(*, of_controls: bool) -> pd.DataFrame:
    """Return the faults of recovery and socket, or those of the congestion controls, in words.

    Columns: of controls the control; fault; what it does; what it should do, with the source;
    upstream, the issue or merge request and the release that mends it, or "not reported"; and the
    program in examples/ns3 that shows it.
    """
    faults = table()
    faults = faults[faults["of"].isin(["recovery", "socket"]) != of_controls]
    mended = faults["mended_in"].map(lambda release: f", mended in {release}" if release else "")
    words = pd.DataFrame(
        {
            "control": faults["of"],
            "fault": faults["name"],
            "ns-3 3.44": faults["does"].map(formulas),
            "should be": (faults["should"] + " (" + faults["source"] + ")").map(formulas),
            "upstream": faults["upstream"] + mended,
            "program": faults["shown_by"].replace("", "–"),
        }
    )
    return words if of_controls else words.drop(columns="control")


# --- what is run


LEGS = {
    OURS: EngineRun(name="segment", engine="segment"),
    SOCKET: EngineRun(name="ns3", engine="ns3"),
    STOCK: EngineRun(name="stock-ns3", engine="ns3", flow=stock_ns3),
}
SATELLITE, TERRESTRIAL = "satellite", "10 Mb/s and 0.1 s"
SENDERS = ("newreno", "hybla", "cubic")
LOSSES = (1e-4, 1e-3, 1e-2)
SATELLITE_S = 200.0
# The sender in words: congestion control, and whether it is ns-3's.
RENOS: dict[str, tuple[str, bool]] = {
    "standard": ("standard", False),
    "newreno": ("newreno", False),
    "reno": ("reno", False),
    "ns-3's TcpNewReno": ("newreno", True),
    "ns-3's TcpLinuxReno": ("reno", True),
}
WIDE_RTT_S = 0.1
WIDE_LOSSES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
NS3_LOSSES = (1e-3, 3e-3, 1e-2)  # of the wide link: below, its runs take a quarter of an hour each


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return all runs of the page."""
    losses = LOSSES[1:] if at.quick else LOSSES
    wide = WIDE_LOSSES[-2:] if at.quick else WIDE_LOSSES
    found = []
    for label, leg in LEGS.items():
        found.append(
            Experiment(
                name=f"faults-goodput-{leg.name}",
                build=partial(_path, leg, 20.0 if at.quick else None),
                points={"path": (SATELLITE, TERRESTRIAL), "sender": SENDERS, "loss": losses},
                repetitions=at.repetitions(5),
                engine=leg.engine,
                labels={"leg": label},
            )
        )
        if leg.name == "ns3":
            continue  # of single recoveries, the Renos and senders without SACK ns-3's own is shown
        found.append(
            Experiment(
                name=f"faults-recovery-{leg.name}",
                build=partial(_one_recovery, leg),
                engine=leg.engine,
            )
        )
        found.append(
            Experiment(
                name=f"faults-without-sack-{leg.name}",
                build=partial(_without_sack, leg),
                engine=leg.engine,
                labels={"leg": label},
            )
        )
        found.append(
            Experiment(
                name=f"faults-square-root-{leg.name}",
                build=partial(_wide, 20.0 if at.quick else 400.0),
                points={
                    "sender": [name for name, (_, own) in RENOS.items() if own == bool(leg.flow)],
                    "loss": [loss for loss in wide if not leg.flow or loss in NS3_LOSSES],
                },
                repetitions=at.repetitions(5),
                engine=leg.engine,
            )
        )
    return tuple(found)


def _path(
    leg: EngineRun, duration_s: float | None, path: str, sender: str, loss: float, seed: int
) -> Scenario:
    """Return Hybla's satellite or the path of the page cross-check.

    On the satellite the receiver limits the window, since ns-3's own classes cannot.
    """
    parameters = {"rtt0_s": RTT0_S} if sender == "hybla" else {}
    control = CongestionControl(name=sender, parameters=parameters)
    if path == TERRESTRIAL:
        plain = reference(
            congestion_control=control, loss=loss, duration_s=duration_s or 60.0, seed=seed
        )
    else:
        plain = satellite(
            loss=loss,
            congestion_control=sender,
            limited_by="receiver",
            duration_s=duration_s or SATELLITE_S,
            seed=seed,
        )
    return _own_parameters(leg.of(plain), parameters)


def _own_parameters(scenario: Scenario, parameters: dict[str, Any]) -> Scenario:
    (flow,) = scenario.flows
    control = CongestionControl(name=flow.congestion_control.name, parameters=parameters)
    return scenario.replace(flows=[Flow(**(dict(flow) | {"congestion_control": control}))])


def _one_recovery(leg: EngineRun) -> Scenario:
    """NewReno over Hybla's satellite around one loss.

    The link has 10 Mb/s, which a window of 550 segments nearly fills. It is the first one, so that
    the segments are spread over the round trip, and grows by one a round trip; nothing else limits.
    An outage of 0.8 ms takes a segment, at 10.25 s.
    """
    window = MAX_WINDOW_SEGMENTS
    whole = satellite(
        loss=0,
        congestion_control="newreno",
        initial_ssthresh_segments=window,
        rate_bps=10e6,
        duration_s=12,
        record=Record(series=(WINDOW, "sent_bytes"), points=600),
    )
    there, back = whole.links
    (flow,) = whole.flows
    stop = Outage(start_s=10.25, duration_s=8e-4)
    limits = {"initial_window_segments": window, "receive_buffer_bytes": 64_000_000}
    return leg.of(
        whole.replace(
            links=[Link(**(dict(there) | {"outages": [stop]})), back],
            flows=[Flow(**(dict(flow) | limits))],
        )
    )


def _without_sack(leg: EngineRun) -> Scenario:
    """The survey's small pipe for a minute, without SACK."""
    pipe = japan("newreno", sack=False, payload_bps=20e6, queue_packets=50, duration_s=60)
    return leg.of(pipe)


def _wide(duration_s: float, sender: str, loss: float, seed: int) -> Scenario:
    """A link so wide that only losses limit the sender."""
    name, own = RENOS[sender]
    flow = Flow(
        source="sender",
        target="receiver",
        congestion_control=name,
        initial_ssthresh_segments=round(1.2 / loss**0.5),
        timestamps=False,
    )
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=1e9,
            delay_s=WIDE_RTT_S / 2,
            queue_packets=1000,
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0},
        ),
        flows=[stock_ns3(flow) if own else flow],
        duration_s=duration_s,
        seed=seed,
    )


# --- one recovery

RECOVERIES = {
    "faults-recovery-segment": "as RFC 9937 says",
    "faults-recovery-stock-ns3": "as ns-3 3.44 does",
}


def one_recovery(of: Runs) -> pd.DataFrame:
    """Return the window around one loss, by the segment engine and by ns-3's own recovery.

    Columns: reduction, time_s, cwnd_segments, sent_segments (since then).
    """
    times_s = np.arange(10.24, 12, 0.02)
    windows = []
    for name, reduction in RECOVERIES.items():
        for result in of.results(name):
            sent = result.traces["sent_bytes"]
            sent = sent[sent["link"] == "sender>receiver"]
            segments = measures.values_at(sent, "sent_bytes", times_s) / WIRE_BYTES
            window = measures.values_at(result.traces[WINDOW], WINDOW, times_s)
            one = {"time_s": times_s, WINDOW: window, "sent_segments": segments - segments[0]}
            windows.append(pd.DataFrame(one).assign(reduction=reduction))
    return pd.concat(windows, ignore_index=True)[["reduction", "time_s", WINDOW, "sent_segments"]]


# --- goodput


GOODPUT = tuple(f"faults-goodput-{leg.name}" for leg in LEGS.values())
POINT = ["path", "sender", "loss"]


def changes(of: Runs) -> pd.DataFrame:
    """Return what ns-3's faults change of the goodput, in per cent of the segment engine's.

    `statistics.gains`, by pairs of runs of one seed. Columns: those of `POINT`, leg, gain, low,
    high and others.
    """
    return statistics.gains(of.flows(*GOODPUT), OURS, POINT, who="leg")


def goodputs(of: Runs) -> pd.DataFrame:
    """Return the goodput of each leg in Mb/s with its 95 % interval, as text, and mean timeouts.

    A row a path, sender and loss rate. Columns: those of `POINT`, the legs, and "timeouts, LEG".
    """
    runs = of.flows(*GOODPUT)
    points = statistics.interval(runs, [*POINT, "leg"], "Mb/s")
    points["text"] = [
        f"{row[0]:.2f} ± {row[1]:.2f}" for row in points[["Mb/s", "halfwidth"]].values
    ]
    points["timeouts"] = runs.groupby([*POINT, "leg"])["timeouts"].mean().to_numpy()
    wide = points.pivot(index=POINT, columns="leg", values=["text", "timeouts"])
    legs = [label for label in LEGS if label in set(points["leg"])]
    shown = {label: wide["text", label] for label in legs}
    shown |= {f"timeouts, {label}": wide["timeouts", label].astype(float) for label in legs}
    order = [(path, sender) for path in (SATELLITE, TERRESTRIAL) for sender in SENDERS]
    found = pd.DataFrame(shown).reset_index()
    place = [
        order.index(row) for row in found[["path", "sender"]].itertuples(index=False, name=None)
    ]
    return found.assign(place=place).sort_values(["place", "loss"]).drop(columns="place")


def largest_change(of: Runs, leg: str) -> float:
    """Return by how many per cent a leg's faults change Hybla's mean goodput on the satellite.

    At most, up or down; `leg` is `SOCKET` or `STOCK`.
    """
    runs = of.flows(*GOODPUT)
    own = runs[(runs["path"] == SATELLITE) & (runs["sender"] == "hybla")]
    means = own.groupby(["leg", "loss"])["goodput_bps"].mean()
    return float(100 * (means[leg] / means[OURS] - 1).abs().max())


# --- Reno and the square-root law


SQUARE_ROOT = ("faults-square-root-segment", "faults-square-root-stock-ns3")


def square_root(of: Runs) -> pd.DataFrame:
    """Return the Renos' mean windows over that of the square-root law for independent losses.

    Columns: sender, loss, seed, ratio.
    """
    runs = of.flows(*SQUARE_ROOT)
    windows = runs["goodput_bps"] * WIDE_RTT_S / SEGMENT_BITS
    runs = runs.assign(ratio=windows / (INDEPENDENT_LOSSES / np.sqrt(runs["loss"])))
    return runs[["sender", "loss", "seed", "ratio"]]


def with_a_round_of_recovery(losses: Sequence[float]) -> pd.DataFrame:
    """Return what a round trip of recovery leaves of the law: columns loss and ratio.

    NewReno's model in `longfat.papers.reno`, over the law for the same losses at equal distances.
    """
    loss = np.geomspace(min(losses), max(losses), 61)
    return pd.DataFrame({"loss": loss, "ratio": _with_recovery(loss)})


def _with_recovery(loss: np.ndarray) -> np.ndarray:
    unlimited = 1e9
    return reno.newreno(loss, 1, unlimited) / reno.square_root_law(loss, 1, unlimited)


def from_the_law(of: Runs) -> float:
    """Return by how much our senders' mean windows differ from that model at most, in %."""
    renos = square_root(of)
    ours = renos[~renos["sender"].str.startswith("ns-3")]
    ratio = ours.groupby(["sender", "loss"])["ratio"].mean()
    loss = ratio.index.get_level_values("loss").to_numpy()
    return float(100 * (ratio / _with_recovery(loss) - 1).abs().max())


# --- without SACK


WITHOUT_SACK = ("faults-without-sack-segment", "faults-without-sack-stock-ns3")


def without_sack(of: Runs) -> pd.DataFrame:
    """Return the survey's small pipe for a minute without SACK, a row a leg.

    Columns: leg, Mb/s (goodput), retransmissions, recoveries, timeouts.
    """
    counts = ["leg", "Mb/s", "retransmissions", "recoveries", "timeouts"]
    return of.flows(*WITHOUT_SACK)[counts]


def numbers(of: Runs) -> dict[str, float]:
    """Return the numbers that the page says in sentences, by the names of its glue."""
    crawling = without_sack(of).set_index("leg")
    said: dict[str, float] = {
        "faults_count": len(table()),
        "faults_programs": table()["shown_by"].ne("").sum(),
        "faults_from_the_law": from_the_law(of),
        "faults_right": crawling.loc[OURS, "Mb/s"],
        "faults_right_resent": crawling.loc[OURS, "retransmissions"],
    }
    if STOCK in crawling.index:
        said |= {
            "faults_of_the_socket": largest_change(of, SOCKET),
            "faults_of_all": largest_change(of, STOCK),
            "faults_crawl": crawling.loc[STOCK, "Mb/s"],
            "faults_crawl_resent": crawling.loc[STOCK, "retransmissions"],
        }
    return said
