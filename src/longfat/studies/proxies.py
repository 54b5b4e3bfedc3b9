"""Links that repair and proxies that split: the data of the page on them.

All runs are the segment engine's: Reno with SACK, segments of 1000 bytes, an ACK for each, over a
wire and a radio (`cell`), or over the networks named below.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from longfat import mobility, statistics
from longfat.experiment import Experiment, Runs
from longfat.links import Arq, Snoop, Wtcp
from longfat.network import WCDMA_ADVICE, duplex, wcdma
from longfat.result import Result
from longfat.scenario import Move, Record, Scenario
from longfat.studies.setting import Setting

WIRE_BPS, WIRE_S = 20e6, 0.05
RADIO_BPS, RADIO_S = 10e6, 0.002
# Who repairs what the radio loses. The paper tcpj's section 2 sorts remedies into the first two
# classes and "end to end"; ARQ stands below TCP altogether.
KINDS = {
    "Reno": "nobody",
    "Westwood": "end to end",
    "TCP-J": "end to end",
    "ELN": "end to end",
    "split": "split",
    "Snoop": "proxy",
    "WTCP": "proxy",
    "ARQ": "link",
}
# What each reads of a packet that IPsec encrypts, or writes.
READS = {
    "Reno": "nothing",
    "Westwood": "nothing",
    "TCP-J": "nothing",
    "ELN": "numbers of segments and ACKs; writes a mark",
    "split": "everything; writes ACKs of its own",
    "Snoop": "numbers of segments and ACKs; drops ACKs",
    "WTCP": "the same; writes timestamps",
    "ARQ": "nothing",
}
LOSSES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
WHOLE = Arq(persistence=10, feedback_s=RADIO_S)
NETWORK = pd.DataFrame(
    {
        "quantity": ["wire", "wire, round trip", "radio", "radio, round trip", "segment"],
        "value": [WIRE_BPS, 2 * WIRE_S, RADIO_BPS, 2 * RADIO_S, 1000],
        "unit": ["b/s", "s", "b/s", "s", "bytes"],
    }
)


def cell(
    mechanism: str = "Reno",
    loss: float = 0.0,
    *,
    wire_loss: float = 0.0,
    wire_s: float = WIRE_S,
    radio: dict[str, Any] | None = None,
    duration_s: float = 30.0,
    seed: int = 1,
    record: Record | None = None,
    **flow: Any,
) -> Scenario:
    """Return a sender on a wire, a base station, and a host on a radio that loses packets.

    `mechanism` is a name of `KINDS`; `wire_s` is the wire's delay, one way; `radio` has further
    fields of the radio link to the host, `flow` of the flow.
    """
    stations = {"Snoop": Snoop(), "WTCP": Wtcp()}
    fields: dict[str, Any] = {"congestion_control": "reno", "receive_buffer_bytes": 400_000}
    if mechanism in ("Westwood", "TCP-J"):
        fields["congestion_control"] = mechanism.lower().replace("-", "")
    if mechanism == "split":
        fields["relays"] = ["base"]
    plain = {"loss_per_packet": 0.0, "base_station": None, "notifies_loss": False}
    wire = duplex(
        "sender",
        "base",
        rate_bps=WIRE_BPS,
        delay_s=wire_s,
        queue_packets=400,
        loss_per_packet=wire_loss,
        backward=plain,
    )
    air: dict[str, Any] = {
        "rate_bps": RADIO_BPS,
        "delay_s": RADIO_S,
        "queue_packets": 400,
        "loss_per_packet": loss,
        "base_station": stations.get(mechanism),
        "notifies_loss": mechanism == "ELN",
        "arq": WHOLE if mechanism == "ARQ" else None,
    }
    back = plain | ({"loss_bursts": None} if radio and "loss_bursts" in radio else {})
    return Scenario(
        links=wire + duplex("base", "host", backward=back, **(air | (radio or {}))),
        flows=[{"source": "sender", "target": "host"} | fields | flow],
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def _means(runs: Runs, name: str, by: list[str], value: str = "Mb/s") -> pd.DataFrame:
    """Return means over seeds: columns `by`, `value`, halfwidth, repetitions, timeouts."""
    flows = runs.flows(name).assign(**{"kb/s": lambda flows: flows["goodput_bps"] / 1e3})
    table = statistics.interval(flows, by, value)
    timeouts = flows.groupby(by, sort=False)["timeouts"].mean().rename("timeouts")
    order = runs.design(name)[by].drop_duplicates()
    return order.merge(table.join(timeouts, on=by), on=by)


def losses(runs: Runs) -> pd.DataFrame:
    """Return the goodput with each mechanism by the radio's loss.

    Columns: mechanism, loss, Mb/s, halfwidth (95 %), repetitions, timeouts.
    """
    return _means(runs, "proxies-losses", ["mechanism", "loss"])


# What becomes of SACK's blocks with Snoop: whether it hides them, and whether there are any. The
# paper had none.
BLOCKS = {"no SACK": (True, False), "hidden": (True, True), "shown": (False, True)}


def _blocks(mechanism: str, loss: float, seed: int) -> Scenario:
    hides, sack = BLOCKS[mechanism]
    return cell(
        "Snoop", loss, seed=seed, radio={"base_station": Snoop(hides_sack=hides)}, sack=sack
    )


def blocks(runs: Runs) -> pd.DataFrame:
    """Return the goodput with Snoop, by what becomes of SACK's blocks: columns as of `losses`.

    `mechanism` is one of `BLOCKS`.
    """
    return _means(runs, "proxies-blocks", ["mechanism", "loss"])


def _time(mechanism: str) -> Scenario:
    """Return a radio of 2 Mb/s that loses 3 %, so that segments wait at the base station."""
    hidden = {"base_station": Wtcp(hides_time=False)} if mechanism == "WTCP without hiding" else {}
    radio = {"rate_bps": 2e6, **hidden}
    record = Record(series=("rtt_s",), points=200)
    return cell(mechanism.partition(" ")[0], 0.03, radio=radio, record=record)


def hidden_time(runs: Runs) -> pd.DataFrame:
    """Return the round trips that the sender measures: mechanism, time_s, rtt_s, timeouts."""
    timeouts = runs.flows("proxies-time").set_index("mechanism")["timeouts"]
    traces = runs.traces("proxies-time", "rtt_s")
    traces["timeouts"] = traces["mechanism"].map(timeouts)
    return traces[["mechanism", "time_s", "rtt_s", "timeouts"]]


def _both(mechanism: str, loss: float, seed: int) -> Scenario:
    return cell(mechanism, 0.01, wire_loss=loss, seed=seed)


def both_losses(runs: Runs) -> pd.DataFrame:
    """Return the goodput where the wire loses too: columns as of `losses`, with loss the wire's."""
    return _means(runs, "proxies-both", ["mechanism", "loss"])


def _gains(mechanism: str, rtt_s: float, loss: float, seed: int) -> Scenario:
    transfer: dict[str, Any] = {"bytes": 5_000_000, "receive_buffer_bytes": 2_000_000}
    return cell(mechanism, loss, wire_s=rtt_s / 2, seed=seed, duration_s=2000.0, **transfer)


def gains(runs: Runs) -> pd.DataFrame:
    """Return what a proxy between wire and radio gains: columns rtt_s, loss, gain, doublings.

    `gain` is the time that a transfer of 5 MB takes without it over that with it, each the mean
    over seeds, and `doublings` its logarithm to base 2; `rtt_s` is the wire's round trip.
    """
    flows = runs.flows("proxies-gains")
    times = flows.groupby(["mechanism", "rtt_s", "loss"], sort=False)["transfer_time_s"].mean()
    gain = (times["Reno"] / times["split"]).rename("gain").reset_index()
    return gain.assign(doublings=np.log2(gain["gain"]))


def _arq(feedback_s: float, tries: int, seed: int) -> Scenario:
    """Return bursts of 20 packets in the mean that take 5 %; the timer waits 0.2 s at least."""
    radio = {
        "loss_bursts": {"loss_per_packet": 0.05, "mean_packets": 20},
        "arq": Arq(persistence=tries, feedback_s=feedback_s),
    }
    return cell(radio=radio, seed=seed, min_rto_s=0.2)


def persistence(runs: Runs) -> pd.DataFrame:
    """Return the goodput by how often ARQ sends a packet again, where losses come in bursts.

    Columns: feedback_s, tries, Mb/s, halfwidth, repetitions, timeouts (mean).
    """
    return _means(runs, "proxies-arq", ["feedback_s", "tries"])


def _bursts(loss: float, packets: float, seed: int) -> Scenario:
    return cell(
        radio={"loss_bursts": {"loss_per_packet": loss, "mean_packets": packets}}, seed=seed
    )


def bursts(runs: Runs) -> pd.DataFrame:
    """Return the goodput by the mean length of bursts, at equal shares of packets lost.

    Columns: loss, packets, Mb/s, halfwidth, repetitions, timeouts. A length of 1 never loses two
    packets in a row.
    """
    return _means(runs, "proxies-bursts", ["loss", "packets"])


# Over W-CDMA: "spikes" are five of 2 s; at "losses" RLC gives up early.
ADVICE_CASES: dict[str, dict[str, Any]] = {
    "download": {},
    "page": {"bytes": 50_000},
    "spikes": {"spikes": [(5.0 + 10 * i, 2.0) for i in range(5)]},
    "losses": {"frame_error": 0.1, "persistence": 2},
}
# Which advice of RFC 3481's is taken where one is left out.
LEFT_OUT = {
    "nothing": tuple(WCDMA_ADVICE),
    **{name: tuple(one for one in WCDMA_ADVICE if one != name) for name in WCDMA_ADVICE},
    "everything": (),
}


def _advice(case: str, left_out: str, seed: int) -> Scenario:
    taken = LEFT_OUT[left_out]
    return wcdma(congestion_control="reno", advice=taken, seed=seed, **ADVICE_CASES[case])


def advice(runs: Runs) -> pd.DataFrame:
    """Return what RFC 3481's advice brings over W-CDMA, each part left out in turn.

    Columns: case (one of `ADVICE_CASES`), left_out (one of `LEFT_OUT`), and what was reached: kb/s,
    halfwidth, repetitions, timeouts.
    """
    return _means(runs, "proxies-wcdma", ["case", "left_out"], "kb/s")


# --- movements

PATH = ("peer", "core", "anchor", "new", "host")
OLD_PATH = ("peer", "core", "anchor", "old", "host")
MOVED_S = 5.0
PROTOCOLS = (
    "Mobile IPv6, as counted",
    "Mobile IPv6, RFC 6275",
    "hierarchical, within",
    "hierarchical, into",
    "LIN6",
)


def movement(protocol: str, **fields: Any) -> Move:
    """Return the movement of `domain`'s host under a protocol of `PROTOCOLS`."""
    if protocol == "Mobile IPv6, as counted":
        return mobility.mobile_ipv6(MOVED_S, PATH, **fields)
    if protocol == "Mobile IPv6, RFC 6275":
        return mobility.mobile_ipv6(MOVED_S, PATH, home_agent="home", **fields)
    if protocol == "LIN6":
        return mobility.lin6(MOVED_S, PATH, mapping_agent="home", **fields)
    within = protocol == "hierarchical, within"
    return mobility.hierarchical_mobile_ipv6(
        MOVED_S, PATH, anchor="anchor", within=within, **fields
    )


def domain(move: Move, peer_s: float = 0.02, *, duration_s: float = 8.0, **flow: Any) -> Scenario:
    """Return a host that changes from one access router to another of the same domain.

    `peer_s` is the delay from the core to the sender, one way; the home agent (or mapping agent) is
    30 ms from the core, the domain's router 10 ms, its access routers 2 ms more.
    """
    delays = {
        ("peer", "core"): peer_s,
        ("core", "home"): 0.03,
        ("core", "anchor"): 0.01,
        ("anchor", "old"): 0.002,
        ("anchor", "new"): 0.002,
        ("old", "host"): 0.001,
        ("new", "host"): 0.001,
    }
    off = [{"start_s": MOVED_S, "duration_s": 1000.0}]
    links = [
        link
        for (a, b), delay_s in delays.items()
        for link in duplex(
            a,
            b,
            rate_bps=5e6 if b == "host" else 100e6,
            delay_s=delay_s,
            queue_packets=300,
            outages=off if a == "old" else (),
        )
    ]
    fields = {"congestion_control": "reno", "receive_buffer_bytes": 100_000, "moves": [move]}
    if "relays" not in flow:
        fields["path"] = OLD_PATH
    series = ("handoff_s", "signalling_bytes", "delivered_bytes")
    return Scenario(
        links=links,
        flows=[{"source": "peer", "target": "host"} | fields | flow],
        duration_s=duration_s,
        record=Record(series=series, points=160),
    )


def _silence_s(result: Result) -> float:
    """Return the longest time without a delivery from the movement on, within a point, in s."""
    times = result.traces["delivered_bytes"]["time_s"].to_numpy()
    times = times[times >= MOVED_S - 0.1]
    return float(np.diff(times).max())


def _handoff(protocol: str, peer_s: float) -> Scenario:
    return domain(movement(protocol), peer_s)


def handoffs(runs: Runs) -> pd.DataFrame:
    """Return what handoffs cost by messages, by protocol and by the round trip to the sender.

    Columns: protocol, rtt_s (host to sender), took_s (until the host is answered), counted_s (by
    the paper tcpj's table 3), bytes (of messages, on all links), silence_s (of TCP: the longest
    time without a delivery).
    """
    design, results = (
        runs.design("proxies-handoffs"),
        runs.results("proxies-handoffs"),
    )
    rows = []
    for run, result in zip(design.itertuples(), results, strict=True):
        (move,) = result.scenario.flows[0].moves
        rows.append(
            {
                "protocol": run.protocol,
                "rtt_s": 2 * (run.peer_s + 0.013),
                "took_s": result.traces["handoff_s"]["handoff_s"].iloc[-1],
                "counted_s": mobility.counted_s(move, result.scenario.links),
                "bytes": result.traces["signalling_bytes"]["signalling_bytes"].max(),
                "silence_s": _silence_s(result),
            }
        )
    return pd.DataFrame(rows)


def _indirect(buffer_bytes: int) -> Scenario:
    move = mobility.indirect_tcp(MOVED_S, PATH, old="old")
    buffers = {"relay_buffer_bytes": buffer_bytes, "receive_buffer_bytes": 64_000_000}
    return domain(move, relays=["old"], **buffers)


def state_moved(runs: Runs) -> pd.DataFrame:
    """Return what it costs I-TCP to move with the host, by the relay's buffer.

    Columns: buffer_bytes (on either side of the relay), bytes (of the state and of messages, on all
    links), took_s, silence_s (as of `handoffs`).
    """
    rows = [
        {
            "bytes": result.traces["signalling_bytes"]["signalling_bytes"].max(),
            "took_s": result.traces["handoff_s"]["handoff_s"].iloc[-1],
            "silence_s": _silence_s(result),
        }
        for result in runs.results("proxies-itcp")
    ]
    return runs.design("proxies-itcp").join(pd.DataFrame(rows))


DIES_S = 10.0


def _dies(mechanism: str) -> Scenario:
    """Return a mechanism that dies on a radio of 2 Mb/s that loses 1 %.

    The split connection has 200 kB on either side.
    """
    radio: dict[str, Any] = {"rate_bps": 2e6}
    flow: dict[str, Any] = {}
    if mechanism == "split":
        flow = {"relay_buffer_bytes": 200_000, "relays_fail_at_s": DIES_S}
    else:
        radio["base_station"] = Snoop(fails_at_s=DIES_S)
    record = Record(series=("acknowledged_bytes", "delivered_bytes"), points=150)
    return cell(mechanism, 0.01, radio=radio, duration_s=20.0, record=record, **flow)


def failures(runs: Runs) -> pd.DataFrame:
    """Return what is acknowledged and what is delivered when the mechanism dies.

    Columns: mechanism, time_s, acknowledged, delivered (MB).
    """
    parts = []
    results = runs.results("proxies-dies")
    for name, result in zip(runs.design("proxies-dies")["mechanism"], results, strict=True):
        grid = np.linspace(0, 20, 201)
        columns = {}
        for column in ("acknowledged", "delivered"):
            trace = result.traces[f"{column}_bytes"]
            place = np.searchsorted(trace["time_s"], grid, side="right") - 1
            values = np.append(trace[f"{column}_bytes"].to_numpy(), 0.0)
            columns[column] = values[place] / 1e6
        parts.append(pd.DataFrame({"mechanism": name, "time_s": grid} | columns))
    return pd.concat(parts, ignore_index=True)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page."""
    three, four, six = (at.repetitions(usual) for usual in (3, 4, 6))

    def one(
        name: str, build: Callable[..., Scenario], seeds: int | None, **points: Any
    ) -> Experiment:
        return Experiment(name=f"proxies-{name}", build=build, points=points, repetitions=seeds)

    return (
        one("losses", cell, four, mechanism=KINDS, loss=LOSSES),
        one("blocks", _blocks, four, mechanism=BLOCKS, loss=LOSSES),
        one("time", _time, None, mechanism=("Snoop", "WTCP without hiding", "WTCP")),
        one("both", _both, four, mechanism=("Reno", "ELN", "Snoop"), loss=(0.0, 1e-3, 3e-3, 1e-2)),
        one(
            *("gains", _gains, three),
            mechanism=("Reno", "split"),
            rtt_s=(0.01, 0.05, 0.1, 0.3, 0.6),
            loss=(0.0, 1e-4, 1e-3, 1e-2, 3e-2),
        ),
        one("arq", _arq, six, feedback_s=(0.01, 0.1), tries=(1, 2, 3, 5, 10, 30)),
        one("bursts", _bursts, six, loss=(1e-3, 1e-2), packets=(1, 2, 5, 10, 20, 50)),
        one("wcdma", _advice, four, case=ADVICE_CASES, left_out=LEFT_OUT),
        one("handoffs", _handoff, None, protocol=PROTOCOLS, peer_s=(0.0, 0.02, 0.05, 0.1, 0.15)),
        one("itcp", _indirect, None, buffer_bytes=(8_000, 16_000, 32_000, 64_000, 128_000)),
        one("dies", _dies, None, mechanism=("split", "Snoop")),
    )
