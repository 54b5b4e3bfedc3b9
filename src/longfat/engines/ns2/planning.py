"""A scenario as a program for ns-2: what to build, and what to do when (the words are run.tcl's).

ns-2 counts in whole segments, and sends one way: the first of them is the SYN, without payload. Its
own senders (Reno, NewReno, SACK, Vegas) are for what has no need of Linux; the others are its Linux
agents, with the congestion controls of Linux 2.6.22 (senders.c says what is added to them). Its own
senders can be given Hybla, and are given UCC, TCP-J and Westwood (own-agent.h).
"""

import hashlib
import itertools
from dataclasses import dataclass
from pathlib import Path

from longfat.cc import catalogue
from longfat.engines import capabilities
from longfat.errors import InputError
from longfat.scenario import Flow, Link, Scenario

OWN = ("highspeed", "newreno", "reno", "tcpj", "ucc", "vegas", "westwood")  # by ns-2's own senders
LINUX = {  # by its Linux agents: the name there
    "bic": "bic",
    "compound": "compound",
    "cubic": "cubic",
    "highspeed": "highspeed",
    "htcp": "htcp",
    "hybla": "hybla",
    "illinois": "illinois",
    "lp": "lp",
    "reno": "reno",
    "scalable": "scalable",
    "vegas": "vegas",
    "veno": "veno",
    "westwood-plus": "westwood",
    "yeah": "yeah",
}
# Parameters that ns-2 has: by the catalogue's name, that of the sender's or the module's variable,
# and how many of its units are one of ours.
OWN_PARAMETERS = {
    "highspeed": {
        "low_window_segments": "low_window_",
        "high_window_segments": "high_window_",
    }
}
UCC_PARAMETERS = (
    *("alpha", "clock_s", "minimum_of_epoch"),
    *("minimum_lifetime_s", "tolerance_s", "drift"),
)
ADDED_PARAMETERS = {  # of what is added to its senders
    "tcpj": ("alpha", "rtt_tick_s"),
    "ucc": UCC_PARAMETERS,
    "westwood": ("time_constant_s", "rtt_tick_s"),
}
LINUX_PARAMETERS = {"hybla": {"rtt0_s": ("rtt0", 1000)}}
MENDS = {"growth": 1, "decrease": 2, "delay": 4, "threshold": 8}  # as senders.c has them
MENDED = {  # of the modules of Linux 2.6.22, by the names there
    "bic": ("growth",),
    "illinois": ("decrease",),
    "lp": ("delay", "threshold"),
    "scalable": ("growth", "decrease"),
    "vegas": ("growth", "decrease"),
}

FLOW_SERIES = (
    *("cwnd_segments", "ssthresh_segments", "rtt_s", "delivered_bytes"),
    "bandwidth_bps",
)
ESTIMATORS = ("tcpj", "westwood")
LINUX_TICK_S = 1e-3
TIMESTAMP_BYTES = 12
HEADER_BYTES = 42  # of TCP, IP and PPP: what the other engines count
SYN_BYTES = 40  # where no headers are counted: ns-2 has no packet of 0 bytes
LARGEST = 2**30  # of ns-2's sequence numbers
INFINITE_SSTHRESH = 2**30
SEEDS = 2**31 - 2


def algorithms() -> list[str]:
    """Return the congestion controls that ns-2 has."""
    return sorted({*OWN, *LINUX})


@dataclass(frozen=True)
class Sender:
    """Which of ns-2's agents sends a flow: its class, its receiver's, and the module of a Linux
    agent ("" where it is none)."""

    agent: str
    receiver: str
    module: str = ""


def sender(scenario: Scenario, number: int) -> Sender:
    """Return the agents of a flow. Raises InputError where ns-2 has none."""
    flow = scenario.flows[number]
    name = flow.congestion_control.name
    delayed = "/DelAck" if flow.segments_per_ack == 2 else ""
    receiver = f"Agent/TCPSink/Sack1{delayed}" if flow.sack else f"Agent/TCPSink{delayed}"
    if name not in algorithms():
        raise InputError(
            f"flows.{number}.congestion_control: the engine 'ns2' has no '{name}': "
            f"it has {', '.join(algorithms())}"
        )
    own = name in OWN and not (name in LINUX and scenario.ns2.linux_agents)
    own = own or (name == "hybla" and scenario.ns2.own_hybla)
    if own and name == "vegas" and flow.sack:
        own = False
    if not own:
        if not flow.sack:
            _refuse(number, "sack", f"false: its Linux agents, of which '{name}' is one, need SACK")
        return Sender("Agent/TCP/Linux", receiver, LINUX[name])
    if name == "vegas":
        return Sender("Agent/TCP/Vegas", receiver)
    if name in ("tcpj", "ucc") and not flow.sack:
        _refuse(number, "sack", f"false with '{name}', which is its SACK sender's")
    if flow.sack:
        return Sender("Agent/TCP/Sack1", receiver)
    reno = name == "reno" or flow.recovery == "reno"
    return Sender("Agent/TCP/Reno" if reno else "Agent/TCP/Newreno", receiver)


def _refuse(number: int, field: str, what: str) -> None:
    raise InputError(f"flows.{number}.{field}: the engine 'ns2' does not have {what}")


def check(scenario: Scenario) -> None:
    """Raise InputError for what the scenario asks and ns-2 does not have."""
    capabilities.refuse(scenario, "ns2")
    for number, flow in enumerate(scenario.flows):
        _check_flow(scenario, number, flow)


def _check_flow(scenario: Scenario, number: int, flow: Flow) -> None:
    agents = sender(scenario, number)
    name = flow.congestion_control.name
    known: dict = LINUX_PARAMETERS if agents.module or name == "hybla" else OWN_PARAMETERS
    known = dict.fromkeys(ADDED_PARAMETERS.get(name, ())) or known.get(name, {})
    for parameter, value in flow.congestion_control.parameters.items():
        default = catalogue.find(name).parameters[parameter].default
        if parameter not in known and value != default:
            _refuse(number, f"congestion_control.parameters.{parameter}", f"it of '{name}'")
    if name == "hybla":
        rtt0_ms = 1000 * flow.congestion_control.parameters.get("rtt0_s", 0.025)
        if abs(rtt0_ms - round(rtt0_ms)) > 1e-9 or rtt0_ms < 1:
            _refuse(number, "congestion_control.parameters.rtt0_s", "parts of a millisecond")
    for mend in scenario.ns2.mended:
        if mend not in MENDED.get(agents.module, ()):
            raise InputError(f"ns2.mended: flows.{number} has no '{mend}' that could be mended")
    if agents.agent == "Agent/TCP/Vegas" and header_bytes(scenario, flow):
        raise InputError(
            f"flows.{number}.sack: the packets of 'vegas' without SACK have no headers in the "
            "engine 'ns2': state Ns2(header_bytes=0), or ask for SACK"
        )
    if flow.recovery == "reno" and (flow.sack or agents.module):
        _refuse(number, "recovery", "Reno's with SACK")
    if flow.handoffs and name != "tcpj":
        _refuse(number, "handoffs", f"them for '{name}'")
    if flow.segments_per_ack > 2:
        _refuse(number, "segments_per_ack", f"{flow.segments_per_ack}: it has 1 and 2")
    if _is_led(scenario, flow):
        _check_way(scenario, number, flow)
    if agents.module and not flow.limited_transmit:
        _refuse(number, "limited_transmit", "false for its Linux agents: they always transmit")
    if agents.module and scenario.ns2.tick_s != LINUX_TICK_S:
        raise InputError(
            f"ns2.tick_s: the Linux agents of the engine 'ns2', of which flows.{number} has one, "
            "tick in milliseconds"
        )
    if flow.bytes is not None and segments(flow) > LARGEST:
        _refuse(number, "bytes", f"more than {LARGEST} segments")


def _shortest_paths(scenario: Scenario, flow: Flow) -> list[tuple[str, ...]]:
    import networkx  # takes a while, and is only needed where a path is stated

    graph = networkx.DiGraph((link.source, link.target) for link in scenario.links)
    return [tuple(path) for path in networkx.all_shortest_paths(graph, flow.source, flow.target)]


def _is_led(scenario: Scenario, flow: Flow) -> bool:
    """Return whether the flow goes another way than ns-2 finds by itself, or may."""
    if flow.path is None:
        return False
    return bool(flow.reroutes) or _shortest_paths(scenario, flow) != [flow.path]


def _check_way(scenario: Scenario, number: int, flow: Flow) -> None:
    """A node of ns-2 has one route to another: who shares an end with this flow goes its way."""
    for other, its in enumerate(scenario.flows):
        shared = {flow.source, flow.target} & {its.source, its.target}
        if shared and (its.path, its.reroutes) != (flow.path, flow.reroutes):
            field = "reroutes" if flow.reroutes else "path"
            _refuse(number, field, f"two ways to one node: flows.{other} goes another")


def _ways(flow: Flow, numbers: dict[str, int]) -> list[str]:
    """Return what leads a flow along its path and, later, along others."""
    assert flow.path is not None
    ways = [(0.0, flow.path), *((way.at_s, way.path) for way in flow.reroutes)]
    return [
        f"$ns at {at_s!r} {{route {{{' '.join(str(numbers[node]) for node in path)}}}}}"
        for at_s, path in ways
    ]


def segments(flow: Flow) -> int:
    """Return how many segments a transfer has."""
    assert flow.bytes is not None
    return -(-flow.bytes // flow.segment_bytes)


def header_bytes(scenario: Scenario, flow: Flow) -> int:
    """Return what a segment has on the wire beside its payload."""
    if scenario.ns2.header_bytes is not None:
        return scenario.ns2.header_bytes
    return HEADER_BYTES + TIMESTAMP_BYTES * flow.timestamps


def syn_bytes(scenario: Scenario, flow: Flow) -> int:
    """Return the SYN's size."""
    return header_bytes(scenario, flow) or SYN_BYTES


def plan(scenario: Scenario) -> str:
    """Return the program. Raises InputError as `check` does."""
    check(scenario)
    numbers = {node: number for number, node in enumerate(scenario.nodes)}
    lines = [f"begin {_seed(scenario, 'agents')} {len(numbers)}"]
    for number, link in enumerate(scenario.links):
        lines += _link(scenario, number, link, numbers)
    for number, flow in enumerate(scenario.flows):
        lines += _flow(scenario, number, flow, numbers)
    flows = _numbers(scenario.flows, set(FLOW_SERIES) & set(scenario.record.series))
    links = _numbers(scenario.links, set(scenario.record.series) - set(FLOW_SERIES))
    if scenario.record.series:
        interval_s = scenario.duration_s / scenario.record.points
        lines += [
            f"for {{set i 1}} {{$i < {scenario.record.points}}} {{incr i}} {{",
            f"    $ns at [expr {{$i * {interval_s!r}}}] {{sample {{{flows}}} {{{links}}}}}",
            "}",
            f"$ns at {scenario.duration_s!r} {{sample {{{flows}}} {{{links}}}}}",
        ]
    lines += [f"$ns at {scenario.duration_s!r} finish", "$ns run"]
    return "\n".join(lines) + "\n"


def _numbers(items: tuple, wanted: set) -> str:
    return " ".join(str(number) for number, _ in enumerate(items)) if wanted else ""


def _seed(scenario: Scenario, what: str) -> int:
    """Return a seed for a stream of random numbers of its own."""
    digest = hashlib.sha256(f"{scenario.seed} {what}".encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % SEEDS


def _fixed(value: float) -> str:
    """Return a number as ns-2 reads rates and times: without an exponent, to picoseconds."""
    return f"{value:.12f}".rstrip("0").rstrip(".")


def _per_byte(per_bit: float) -> float:
    return 1 - (1 - per_bit) ** 8


def _link(scenario: Scenario, number: int, link: Link, numbers: dict[str, int]) -> list[str]:
    kinds = {
        "packet": (link.loss_per_packet, [change.loss_per_packet for change in link.changes]),
        "bit": (link.loss_per_bit, [change.loss_per_bit for change in link.changes]),
    }
    wanted = [kind for kind, (rate, changes) in kinds.items() if rate or any(changes)]
    wanted += ["outage"] * bool(link.outages)
    units = {"packet": "pkt", "bit": "byte", "outage": "pkt"}
    stages = " ".join(f"{kind} {units[kind]}" for kind in wanted)
    limit, unit = (
        (link.queue_packets, "packets") if link.queue_packets else (link.queue_bytes, "bytes")
    )
    assert limit is not None
    limit = min(limit + 1, 2**31 - 1)
    lines = [
        f"link {number} {numbers[link.source]} {numbers[link.target]} {_fixed(link.rate_bps)} "
        f"{_fixed(link.delay_s)} {limit} {unit} {_seed(scenario, f'link {number}')} {{{stages}}} "
        f"{int(scenario.ns2.losses == 'before the queue')}"
    ]
    if link.loss_per_packet:
        lines.append(f"change {number} packet {link.loss_per_packet!r}")
    if link.loss_per_bit:
        lines.append(f"change {number} bit {_per_byte(link.loss_per_bit)!r}")
    for change in link.changes:
        at = f"$ns at {change.at_s!r}"
        if change.rate_bps is not None:
            lines.append(f"{at} {{$delay_of({number}) set bandwidth_ {_fixed(change.rate_bps)}}}")
        if change.delay_s is not None:
            lines.append(f"{at} {{$delay_of({number}) set delay_ {_fixed(change.delay_s)}}}")
        if change.loss_per_packet is not None and "packet" in wanted:
            lines.append(f"{at} {{change {number} packet {change.loss_per_packet!r}}}")
        if change.loss_per_bit is not None and "bit" in wanted:
            lines.append(f"{at} {{change {number} bit {_per_byte(change.loss_per_bit)!r}}}")
    for begin_s, end_s in _together(link):
        lines.append(f"$ns at {begin_s!r} {{change {number} outage 1}}")
        lines.append(f"$ns at {end_s!r} {{change {number} outage 0}}")
    return lines


def _together(link: Link) -> list[tuple[float, float]]:
    """Return beginnings and ends of the outages, of which those that overlap are one."""
    found: list[tuple[float, float]] = []
    for outage in sorted(link.outages, key=lambda outage: outage.start_s):
        end_s = outage.start_s + outage.duration_s
        if found and outage.start_s <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end_s)
        else:
            found.append((outage.start_s, end_s))
    return found


def _flow(scenario: Scenario, number: int, flow: Flow, numbers: dict[str, int]) -> list[str]:
    habits = scenario.ns2
    agents = sender(scenario, number)
    header, syn = header_bytes(scenario, flow), syn_bytes(scenario, flow)
    window = min(LARGEST, *(_segments(size, flow) for size in _buffers(flow)))
    cap = flow.max_window_segments or LARGEST
    settings = {
        "packetSize_": flow.segment_bytes,
        "useHeaders_": "true" if header else "false",
        "tcpip_base_hdr_size_": syn,
        "ts_option_size_": 0,
        "timestamps_": "true" if flow.timestamps else "false",
        "tcpTick_": _fixed(habits.tick_s),
        "minrto_": _fixed(flow.min_rto_s),
        "overhead_": _fixed(habits.overhead_s),
        "slow_start_restart_": "false",  # or the timer of a flow that is done goes on
    }
    algorithm, parameters = "", []
    given = flow.congestion_control.parameters
    if agents.module:
        settings["window_"] = min(window, cap)
        algorithm = f"sender{number}"
        for parameter, (name, scale) in LINUX_PARAMETERS.get(
            flow.congestion_control.name, {}
        ).items():
            if parameter in given:
                parameters += [agents.module, name, str(round(scale * given[parameter]))]
    else:
        settings |= {
            "window_": window,
            "maxcwnd_": flow.max_window_segments or 0,
            "windowInit_": flow.initial_window_segments,
            "singledup_": int(flow.limited_transmit),
        }
        if flow.congestion_control.name == "highspeed":
            settings["windowOption_"] = 8
        if habits.pipe_of_window:
            settings["oldCode_"] = "true"
        for parameter, name in OWN_PARAMETERS.get(flow.congestion_control.name, {}).items():
            if parameter in given:
                settings[name] = given[parameter]
    receiver = {
        "packetSize_": header if habits.ack_bytes is None else habits.ack_bytes,
        "ts_echo_rfc1323_": "true" if flow.timestamps else "false",
    }
    receiver["packetSize_"] = receiver["packetSize_"] or SYN_BYTES
    if flow.sack:
        receiver["maxSackBlocks_"] = habits.sack_blocks
    if flow.congestion_control.name in ADDED_PARAMETERS:  # an ACK echoes the time of its cause
        receiver["ts_echo_bugfix_"] = "false"
    if flow.segments_per_ack == 2:
        receiver["interval_"] = _fixed(flow.ack_timeout_s)
    lines = []
    if algorithm:
        halving = int(flow.recovery == "halving")
        mends = sum(MENDS[mend] for mend in set(habits.mended))
        lines.append(
            f"linux_sender {algorithm} {agents.module} {flow.initial_window_segments} {halving} "
            f"{mends}"
        )
    lines.append(
        f"flow {number} {numbers[flow.source]} {numbers[flow.target]} {agents.agent} "
        f"{{{_words(settings)}}} {agents.receiver} {{{_words(receiver)}}}"
    )
    own = _own_agent(scenario, flow)
    if own:
        lines.append(f"foreach {{name value}} {{{MARKS}}} {{$tcp({number}) set $name $value}}")
    if own == "hybla":
        lines += _own_hybla(scenario, number, flow, cap if flow.max_window_segments else window)
    elif own == "ucc":
        lines.append(_own_ucc(number, flow))
    elif own == "tcpj":
        lines += _own_tcpj(number, flow, window)
    elif own == "westwood":
        lines.append(_own_westwood(number, flow, agents))
    if own in ESTIMATORS:
        lines.append(f"set estimate({number}) own_{own}_rate")
    if _is_led(scenario, flow):
        lines += _ways(flow, numbers)
    ssthresh = flow.initial_ssthresh_segments or INFINITE_SSTHRESH
    count = segments(flow) if flow.bytes is not None else 0
    lines.append(
        f"$ns at {flow.start_s!r} {{start {number} {ssthresh} {{{algorithm}}} "
        f"{{{' '.join(parameters)}}} {count}}}"
    )
    if count:
        lines.append(f"count {number} {syn + count * (flow.segment_bytes + header)}")
    if flow.stop_s is not None and flow.stop_s < scenario.duration_s:
        buffered = _segments(_buffers(flow)[0], flow)
        lines.append(f"$ns at {flow.stop_s!r} {{stop {number} {buffered}}}")
    return lines


# What OTcl sets so that an agent's variables are found (own-agent.h).
MARKS = "cwnd_ 1234567.890625 ssthresh_ 987654321 srtt_ 192837465"


def own_agents(scenario: Scenario) -> list[str]:
    """Return the congestion controls that one of ns-2's own senders is given (own-agent.h)."""
    return sorted({own for flow in scenario.flows if (own := _own_agent(scenario, flow))})


def _own_agent(scenario: Scenario, flow: Flow) -> str:
    name = flow.congestion_control.name
    added = name in ADDED_PARAMETERS or (name == "hybla" and scenario.ns2.own_hybla)
    return name if added else ""


def _own_hybla(scenario: Scenario, number: int, flow: Flow, largest: int) -> list[str]:
    """Hybla begins with a window of rho, which the Linux module finds when the SYN is answered."""
    rtt0_s = flow.congestion_control.parameters.get("rtt0_s", 0.025)
    delays = {(link.source, link.target): link.delay_s for link in scenario.links}
    path = flow.path or _shortest_paths(scenario, flow)[0]
    rtt_s = sum(delays[hop] + delays[hop[::-1]] for hop in itertools.pairwise(path))
    window = min(largest, max(flow.initial_window_segments, int(rtt_s / rtt0_s)))
    return [
        f"$tcp({number}) set windowInit_ {window}",
        f"own_hybla $tcp({number}) {_fixed(scenario.ns2.tick_s)} {_fixed(rtt0_s)} {largest}",
    ]


def _added(flow: Flow) -> str:
    """Return the values of `ADDED_PARAMETERS`."""
    name, given = flow.congestion_control.name, flow.congestion_control.parameters
    known = catalogue.find(name).parameters
    values = [given.get(one, known[one].default) for one in ADDED_PARAMETERS[name]]
    return " ".join(f"{float(value):.12g}" for value in values)


def _own_ucc(number: int, flow: Flow) -> str:
    return f"own_ucc $tcp({number}) {_added(flow)}"


def _own_tcpj(number: int, flow: Flow, window: int) -> list[str]:
    """Return what makes a sender TCP-J, and what tells it of movements: rates in segments/s."""
    lines = [f"own_tcpj $tcp({number}) {_added(flow)} {window}"]
    for handoff in flow.handoffs:
        rate = (handoff.announced_rate_bps or 0) / (8 * flow.segment_bytes)
        local = int(handoff.kind == "local")
        lines.append(
            f"$ns at {handoff.at_s!r} {{own_tcpj_moved $tcp({number}) {local} {rate:.12g}}}"
        )
    return lines


def _own_westwood(number: int, flow: Flow, agents: Sender) -> str:
    classes = ("Agent/TCP/Sack1", "Agent/TCP/Newreno", "Agent/TCP/Reno")  # as own-bandwidth.h
    return f"own_westwood $tcp({number}) {classes.index(agents.agent)} {_added(flow)}"


def _words(settings: dict) -> str:
    return " ".join(itertools.chain(*((name, str(value)) for name, value in settings.items())))


def _buffers(flow: Flow) -> list[int]:
    sizes = (flow.send_buffer_bytes, flow.receive_buffer_bytes)
    return [64_000_000 if size == "auto" else size for size in sizes]


def _segments(size: int, flow: Flow) -> int:
    return max(1, size // flow.segment_bytes)


OWN_AGENTS = [
    Path(__file__).with_name(name)
    for name in (
        *("own-agent.h", "own-bandwidth.h", "own-hybla.c", "own-tcpj.c"),
        *("own-ucc.c", "own-westwood.c"),
    )
]
SOURCES = [Path(__file__).with_name(name) for name in ("run.tcl", "senders.c")]
