"""Links that repair and proxies that split: the data of the page on them.

All runs are the segment engine's: Reno with SACK, segments of 1000 bytes, an ACK for each, over a
wire and a radio (`cell`), or over the networks named below.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import mobility, statistics
from longfat.links import Arq, Snoop, Wtcp
from longfat.network import WCDMA_ADVICE, duplex, wcdma
from longfat.result import Result
from longfat.scenario import Move, Record, Scenario
from longfat.sweeps import simulate_all, sweep

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
    helper: str = "Reno",
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

    `helper` is a name of `KINDS`; `wire_s` is the wire's delay, one way; `radio` has further fields
    of the radio link to the host, `flow` of the flow.
    """
    stations = {"Snoop": Snoop(), "WTCP": Wtcp()}
    fields: dict[str, Any] = {"congestion_control": "reno", "receive_buffer_bytes": 400_000}
    if helper in ("Westwood", "TCP-J"):
        fields["congestion_control"] = helper.lower().replace("-", "")
    if helper == "split":
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
        "base_station": stations.get(helper),
        "notifies_loss": helper == "ELN",
        "arq": WHOLE if helper == "ARQ" else None,
    }
    back = plain | ({"loss_bursts": None} if radio and "loss_bursts" in radio else {})
    return Scenario(
        links=wire + duplex("base", "host", backward=back, **(air | (radio or {}))),
        flows=[{"source": "sender", "target": "host"} | fields | flow],
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


def _means(runs: list[Scenario], design: pd.DataFrame, by: list[str], name: str) -> pd.DataFrame:
    """Run, and return means over seeds: columns `by`, Mb/s, halfwidth, repetitions, timeouts."""
    flows = sweep(runs, labels=design, experiment=f"helpers-links-{name}")
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    table = statistics.interval(flows, by, "Mb/s")
    timeouts = flows.groupby(by, sort=False)["timeouts"].mean().rename("timeouts")
    return _in_order(table.join(timeouts, on=by), design, by)


def _in_order(table: pd.DataFrame, design: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the rows in the order of the design."""
    return design[by].drop_duplicates().merge(table, on=by)


def losses(
    helpers: Sequence[str] = tuple(KINDS), rates: Sequence[float] = LOSSES, seeds: int = 4
) -> pd.DataFrame:
    """Return the goodput with each helper by the radio's loss.

    Columns: helper, loss, Mb/s, halfwidth (95 %), repetitions, timeouts.
    """
    design = statistics.combinations(
        helper=list(helpers), loss=list(rates), seed=list(range(1, seeds + 1))
    )
    runs = [cell(run.helper, run.loss, seed=run.seed) for run in design.itertuples()]
    return _means(runs, design, ["helper", "loss"], "losses")


def blocks(rates: Sequence[float] = LOSSES, seeds: int = 4) -> pd.DataFrame:
    """Return the goodput with Snoop, by what becomes of SACK's blocks: columns as of `losses`.

    `helper` is "no SACK", as the paper had it, "hidden" or "shown".
    """
    kinds = {
        "no SACK": (True, False),
        "hidden": (True, True),
        "shown": (False, True),
    }
    design = statistics.combinations(
        helper=list(kinds), loss=list(rates), seed=list(range(1, seeds + 1))
    )
    runs = [
        cell(
            "Snoop",
            run.loss,
            seed=run.seed,
            radio={"base_station": Snoop(hides_sack=kinds[run.helper][0])},
            sack=kinds[run.helper][1],
        )
        for run in design.itertuples()
    ]
    return _means(runs, design, ["helper", "loss"], "blocks")


def hidden_time(duration_s: float = 30.0) -> pd.DataFrame:
    """Return the round trips that the sender measures: helper, time_s, rtt_s.

    The radio has 2 Mb/s and loses 3 % of the packets, so that segments wait at the base station.
    """
    radio = {"rate_bps": 2e6}
    cases = {
        "Snoop": cell("Snoop", 0.03, radio=radio),
        "WTCP without hiding": cell(
            "WTCP", 0.03, radio=radio | {"base_station": Wtcp(hides_time=False)}
        ),
        "WTCP": cell("WTCP", 0.03, radio=radio),
    }
    record = Record(series=("rtt_s",), points=200)
    runs = [one.with_(duration_s=duration_s, record=record) for one in cases.values()]
    results = simulate_all(runs, experiment="helpers-links-time")
    parts = [
        result.traces["rtt_s"].assign(helper=name, timeouts=result.flows["timeouts"].iloc[0])
        for name, result in zip(cases, results, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)[["helper", "time_s", "rtt_s", "timeouts"]]


def both_losses(
    rates: Sequence[float] = (0.0, 1e-3, 3e-3, 1e-2), seeds: int = 4, radio_loss: float = 0.01
) -> pd.DataFrame:
    """Return the goodput where the wire loses too: columns as of `losses`, with loss the wire's."""
    design = statistics.combinations(
        helper=["Reno", "ELN", "Snoop"], loss=list(rates), seed=list(range(1, seeds + 1))
    )
    runs = [
        cell(run.helper, radio_loss, wire_loss=run.loss, seed=run.seed)
        for run in design.itertuples()
    ]
    return _means(runs, design, ["helper", "loss"], "both")


def gains(
    rates: Sequence[float] = (0.0, 1e-4, 1e-3, 1e-2, 3e-2),
    trips: Sequence[float] = (0.01, 0.05, 0.1, 0.3, 0.6),
    seeds: int = 3,
) -> pd.DataFrame:
    """Return what a proxy between wire and radio gains: columns rtt_s, loss, gain.

    `gain` is the time that a transfer of 5 MB takes without it over that with it, each the mean
    over seeds; `rtt_s` is the wire's round trip.
    """
    design = statistics.combinations(
        helper=["Reno", "split"],
        rtt_s=list(trips),
        loss=list(rates),
        seed=list(range(1, seeds + 1)),
    )
    runs = [
        cell(
            run.helper,
            run.loss,
            wire_s=run.rtt_s / 2,
            seed=run.seed,
            duration_s=2000.0,
            bytes=5_000_000,
            receive_buffer_bytes=2_000_000,
        )
        for run in design.itertuples()
    ]
    flows = sweep(runs, labels=design, experiment="helpers-links-gains")
    times = flows.groupby(["helper", "rtt_s", "loss"], sort=False)["transfer_time_s"].mean()
    gain = (times["Reno"] / times["split"]).rename("gain")
    return gain.reset_index()


def persistence(
    tries: Sequence[int] = (1, 2, 3, 5, 10, 30),
    feedbacks: Sequence[float] = (0.01, 0.1),
    seeds: int = 6,
) -> pd.DataFrame:
    """Return the goodput by how often ARQ sends a packet again, where losses come in bursts.

    The bursts last 20 packets in the mean and take 5 % of all; the sender's timer waits 0.2 s at
    least. Columns: feedback_s, tries, Mb/s, halfwidth, repetitions, timeouts (mean).
    """
    design = statistics.combinations(
        feedback_s=list(feedbacks), tries=list(tries), seed=list(range(1, seeds + 1))
    )
    bursts = {"loss_per_packet": 0.05, "mean_packets": 20}
    runs = [
        cell(
            radio={
                "loss_bursts": bursts,
                "arq": Arq(persistence=run.tries, feedback_s=run.feedback_s),
            },
            seed=run.seed,
            min_rto_s=0.2,
        )
        for run in design.itertuples()
    ]
    return _means(runs, design, ["feedback_s", "tries"], "arq")


def bursts(
    lengths: Sequence[float] = (1, 2, 5, 10, 20, 50),
    rates: Sequence[float] = (1e-3, 1e-2),
    seeds: int = 6,
) -> pd.DataFrame:
    """Return the goodput by the mean length of bursts, at equal shares of packets lost.

    Columns: loss, packets, Mb/s, halfwidth, repetitions, timeouts. A length of 1 never loses two
    packets in a row.
    """
    design = statistics.combinations(
        loss=list(rates), packets=list(lengths), seed=list(range(1, seeds + 1))
    )
    runs = [
        cell(
            radio={"loss_bursts": {"loss_per_packet": run.loss, "mean_packets": run.packets}},
            seed=run.seed,
        )
        for run in design.itertuples()
    ]
    return _means(runs, design, ["loss", "packets"], "bursts")


def advice(seeds: int = 4) -> pd.DataFrame:
    """Return what RFC 3481's advice brings over W-CDMA, each part left out in turn.

    Columns: case ("download", "page" of 50 kB, "spikes": five of 2 s, "losses": RLC gives up
    early), left_out ("nothing", a name of `WCDMA_ADVICE`, "everything"), and what was reached:
    kb/s, halfwidth, repetitions, timeouts.
    """
    cases: dict[str, dict[str, Any]] = {
        "download": {},
        "page": {"bytes": 50_000},
        "spikes": {"spikes": [(5.0 + 10 * i, 2.0) for i in range(5)]},
        "losses": {"frame_error": 0.1, "persistence": 2},
    }
    left_out = {"nothing": tuple(WCDMA_ADVICE)}
    for name in WCDMA_ADVICE:
        left_out[name] = tuple(other for other in WCDMA_ADVICE if other != name)
    left_out["everything"] = ()
    design = statistics.combinations(
        case=list(cases), left_out=list(left_out), seed=list(range(1, seeds + 1))
    )
    runs = [
        wcdma(
            congestion_control="reno",
            advice=left_out[run.left_out],
            seed=run.seed,
            **cases[run.case],
        )
        for run in design.itertuples()
    ]
    flows = sweep(runs, labels=design, experiment="helpers-links-wcdma")
    flows["kb/s"] = flows["goodput_bps"] / 1e3
    by = ["case", "left_out"]
    table = statistics.interval(flows, by, "kb/s")
    table = table.join(flows.groupby(by, sort=False)["timeouts"].mean(), on=by)
    return _in_order(table, design, by)


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


def handoffs(peers: Sequence[float] = (0.0, 0.02, 0.05, 0.1, 0.15)) -> pd.DataFrame:
    """Return what handoffs cost by messages, by protocol and by the round trip to the sender.

    Columns: protocol, rtt_s (host to sender), took_s (until the host is answered), counted_s (by
    the paper tcpj's table 3), bytes (of messages, on all links), silence_s (of TCP: the longest
    time without a delivery).
    """
    design = statistics.combinations(protocol=list(PROTOCOLS), peer_s=list(peers))
    runs = [domain(movement(run.protocol), run.peer_s) for run in design.itertuples()]
    rows = []
    results = simulate_all(runs, experiment="helpers-links-handoffs")
    for run, scenario, result in zip(design.itertuples(), runs, results, strict=True):
        (move,) = scenario.flows[0].moves
        rows.append(
            {
                "protocol": run.protocol,
                "rtt_s": 2 * (run.peer_s + 0.013),
                "took_s": result.traces["handoff_s"]["handoff_s"].iloc[-1],
                "counted_s": mobility.counted_s(move, scenario.links),
                "bytes": result.traces["signalling_bytes"]["signalling_bytes"].max(),
                "silence_s": _silence_s(result),
            }
        )
    return pd.DataFrame(rows)


def state_moved(buffers: Sequence[int] = (8_000, 16_000, 32_000, 64_000, 128_000)) -> pd.DataFrame:
    """Return what it costs I-TCP to move with the host, by the relay's buffer.

    Columns: buffer_bytes (on either side of the relay), bytes (of the state and of messages, on all
    links), took_s, silence_s (as of `handoffs`).
    """
    move = mobility.indirect_tcp(MOVED_S, PATH, old="old")
    runs = [
        domain(move, relays=["old"], relay_buffer_bytes=buffer, receive_buffer_bytes=64_000_000)
        for buffer in buffers
    ]
    rows = []
    results = simulate_all(runs, experiment="helpers-links-itcp")
    for buffer, result in zip(buffers, results, strict=True):
        rows.append(
            {
                "buffer_bytes": buffer,
                "bytes": result.traces["signalling_bytes"]["signalling_bytes"].max(),
                "took_s": result.traces["handoff_s"]["handoff_s"].iloc[-1],
                "silence_s": _silence_s(result),
            }
        )
    return pd.DataFrame(rows)


def failures(dies_s: float = 10.0) -> pd.DataFrame:
    """Return what is acknowledged and what is delivered when the helper dies.

    Columns: helper, time_s, acknowledged, delivered (MB).

    The radio has 2 Mb/s and loses 1 %; the split connection has 200 kB on either side.
    """
    radio = {"rate_bps": 2e6}
    record = Record(series=("acknowledged_bytes", "delivered_bytes"), points=150)
    cases = {
        "split": cell(
            "split", 0.01, radio=radio, relay_buffer_bytes=200_000, relays_fail_at_s=dies_s
        ),
        "Snoop": cell("Snoop", 0.01, radio=radio | {"base_station": Snoop(fails_at_s=dies_s)}),
    }
    runs = [one.with_(duration_s=20.0, record=record) for one in cases.values()]
    results = simulate_all(runs, experiment="helpers-links-dies")
    parts = []
    for name, result in zip(cases, results, strict=True):
        grid = np.linspace(0, 20, 201)
        columns = {}
        for column in ("acknowledged", "delivered"):
            trace = result.traces[f"{column}_bytes"]
            place = np.searchsorted(trace["time_s"], grid, side="right") - 1
            values = np.append(trace[f"{column}_bytes"].to_numpy(), 0.0)
            columns[column] = values[place] / 1e6
        parts.append(pd.DataFrame({"helper": name, "time_s": grid} | columns))
    return pd.concat(parts, ignore_index=True)
