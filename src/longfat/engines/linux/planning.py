"""A scenario as a shell script for the guest: what to build, and what to do when.

Each node is a router in a network namespace `n<number>`. Each flow has a host of its own at both
of its nodes, `s<number>` and `r<number>`, so that settings and counters are a flow's own. Link k is
a veth whose end `l<k>` has the link's rate (tbf) behind the link's queue, and a device `d<k>` (ifb)
at the other end that has the delay and the losses (netem): were they one netem, its limit would
count what is on its way as well as what waits.
"""

import hashlib
import itertools
import math
from dataclasses import dataclass, replace
from operator import itemgetter

from longfat.cc import catalogue
from longfat.engines import capabilities
from longfat.errors import InputError
from longfat.scenario import Flow, Link, Scenario

PPP_BYTES = 2  # what ns-3's links add to an IP packet
ETHERNET_BYTES = 14  # what a veth counts
TIMESTAMP_BYTES = 12  # option in every segment
HEADER_BYTES = 40 + TIMESTAMP_BYTES + PPP_BYTES
SMALLEST_SEGMENT_BYTES = 48 - TIMESTAMP_BYTES  # tcp_min_snd_mss
SACK_BYTES = (0, 12, 20, 28)  # options of an ACK with no to three blocks
FLOW_SERIES = ("cwnd_segments", "ssthresh_segments", "rtt_s", "delivered_bytes")
LINUX_RTO_MIN_S = 0.2
TIMESTAMPS = 2**32  # after so many ticks they begin again
TICK_S = 64e-9  # of the traffic control's clock
AUTO_BYTES = 64_000_000  # to which a buffer that is "auto" may grow
OWN = {"ucc": "ucc"}  # congestion controls that we have written for Linux


def algorithms() -> dict[str, str]:
    """Return the congestion controls that the kernel has: its name by the catalogue's."""
    return {name: a.linux for name, a in catalogue.algorithms().items() if a.linux} | OWN


def check(scenario: Scenario) -> None:
    """Raise InputError for what the scenario asks and Linux does not have."""
    capabilities.refuse(scenario, "linux")
    for flow in scenario.flows:
        name = flow.congestion_control.name
        if name not in algorithms():
            raise InputError(
                f"engine 'linux' has no congestion control '{name}': "
                f"it has {', '.join(sorted(algorithms()))}"
            )
        for parameter in flow.congestion_control.parameters:
            if name not in OWN and not catalogue.find(name).parameters[parameter].linux:
                _refuse(f"the parameter '{parameter}' of '{name}'")
        if flow.segments_per_ack > 2:
            _refuse(f"{flow.segments_per_ack} segments_per_ack: it has 1 and 2")
        if flow.segment_bytes < SMALLEST_SEGMENT_BYTES:
            _refuse(f"segment_bytes below {SMALLEST_SEGMENT_BYTES}")
        cap, ssthresh = flow.max_window_segments, flow.initial_ssthresh_segments
        if cap and ssthresh and ssthresh < cap:
            _refuse("an initial_ssthresh_segments below max_window_segments: both are set as one")
        if name == "ucc" and not flow.timestamps:
            _refuse("'ucc' without timestamps, by which it reads a delay")
        if _in_microseconds(flow) and ssthresh:
            _refuse("an initial_ssthresh_segments where UCC's clock ticks in microseconds")
    _module_parameters(scenario)


def _refuse(what: str) -> None:
    raise InputError(f"engine 'linux' does not have {what}")


def _module_parameters(scenario: Scenario) -> dict[str, int]:
    """Return values by path below /sys/module. They hold for the whole kernel."""
    values: dict[str, int] = {}
    for flow in scenario.flows:
        algorithm = catalogue.find(flow.congestion_control.name)
        for name, parameter in algorithm.parameters.items():
            if not parameter.linux:
                continue
            value = flow.congestion_control.parameters.get(name, parameter.default)
            milliseconds = round(1000 * value)
            if milliseconds < 1 or not math.isclose(milliseconds, 1000 * value):
                raise InputError(
                    f"{name} is {value}: engine 'linux' takes whole milliseconds, 1 at least"
                )
            if values.setdefault(parameter.linux, milliseconds) != milliseconds:
                raise InputError(f"engine 'linux' has one {name} for all flows")
    if has_ucc(scenario):
        own = _ucc(scenario).items()
        values |= {f"tcp_ucc/parameters/{name}": value for name, value in own}
    return values


def has_ucc(scenario: Scenario) -> bool:
    """Return whether a flow has UCC, which is in a kernel of its own."""
    return any(flow.congestion_control.name == "ucc" for flow in scenario.flows)


def _ucc(scenario: Scenario) -> dict[str, int]:
    """Return the parameters of UCC as its source has them. They hold for the whole kernel."""
    own: dict[str, float] = {}
    flows = [flow for flow in scenario.flows if flow.congestion_control.name == "ucc"]
    for flow in flows:
        for name, parameter in catalogue.find("ucc").parameters.items():
            value = flow.congestion_control.parameters.get(name, parameter.default)
            if own.setdefault(name, value) != value:
                raise InputError(f"engine 'linux' has one {name} for all flows")
    clock_us = _whole("clock_s", own["clock_s"], 1e6, "microseconds")
    if clock_us < 1:
        raise InputError(
            f"clock_s is {own['clock_s']}: on engine 'linux' UCC's clock is that of TCP's "
            "timestamps, whose tick is 1e-3 s or 1e-6 s, or several of these"
        )
    tick_us = 1 if _in_microseconds(flows[0]) else 1000
    longest_s = TIMESTAMPS * tick_us / 1e6
    lifetime_s = own["minimum_lifetime_s"]
    for name, time_s in (("duration_s", scenario.duration_s), ("minimum_lifetime_s", lifetime_s)):
        if time_s >= longest_s:
            raise InputError(
                f"{name} is {time_s:g}: on engine 'linux' UCC's clock, TCP's timestamps, begins "
                f"again after {longest_s:g} s"
            )
    return {
        "alpha_millionths": _whole("alpha", own["alpha"], 1e6, "millionths"),
        "clock_ticks": clock_us // tick_us,
        "tolerance_ticks": int(1e6 * own["tolerance_s"] / clock_us + 1e-9),
        "lifetime_ticks": math.ceil(1e6 * lifetime_s / tick_us - 1e-6),
        "minimum_of_epoch": int(own["minimum_of_epoch"]),
        "drift_billionths": _whole("drift", own["drift"], 1e9, "billionths"),
    }


def _in_microseconds(flow: Flow) -> bool:
    """Return whether timestamps must tick so for UCC's clock, and not in milliseconds."""
    control = flow.congestion_control
    return control.name == "ucc" and round(1e6 * control.parameters.get("clock_s", 0)) % 1000 != 0


def _whole(name: str, value: float, scale: float, unit: str) -> int:
    found = round(scale * value)
    if not math.isclose(found, scale * value, abs_tol=1e-6):
        raise InputError(f"{name} is {value}: engine 'linux' takes whole {unit}")
    return found


def plan(scenario: Scenario) -> str:
    """Return the script. Raises InputError as `check` does."""
    check(scenario)
    import networkx  # takes a while, and no other engine needs it

    graph = networkx.DiGraph((link.source, link.target) for link in scenario.links)
    paths = [
        flow.path or tuple(networkx.shortest_path(graph, flow.source, flow.target))
        for flow in scenario.flows
    ]
    sizes = _wire_sizes(scenario)
    lines = [
        "guest=/run/guest ends=",
        "echo '1000000 1000000 1000000' > /proc/sys/net/ipv4/tcp_mem",
    ]
    for path, value in _module_parameters(scenario).items():
        lines.append(f"echo {value} > /sys/module/{path}")
    lines += _devices(scenario)
    for number, flow in enumerate(scenario.flows):
        lines += _host_settings(scenario, number, flow, paths[number])
        lines += _route(scenario, number, paths[number])
    for number, flow in enumerate(scenario.flows):
        if flow.initial_ssthresh_segments and not flow.max_window_segments:
            lines.append(f"$guest warm s{number} {_address('r', number)}")
    for number, link in enumerate(scenario.links):
        lines += _link_commands(scenario, number, *_states(link, sizes[-1])[0], sizes)
    for number, flow in enumerate(scenario.flows):
        lines += _sender(scenario, number, flow)
    events = _events(scenario, sizes)
    lines += events
    lines.append("for end in $ends; do wait $end; done")
    if events:
        lines.append("[ ! -e events-failed ]")
    lines += ["echo == end", "$guest now"]
    for number, _ in enumerate(scenario.nodes):
        lines += [f"echo == links {number}", f"tc -n n{number} -s -j qdisc show", "echo"]
    lines.append("for file in *.out; do echo == ${file%.out}; cat $file; done")
    return "\n".join(lines) + "\n"


def _address(end: str, number: int) -> str:
    return f"10.{'sr'.index(end) + 1}.{number // 256}.{number % 256}"


def _node(scenario: Scenario, name: str) -> str:
    return f"n{scenario.nodes.index(name)}"


def _link_numbers(scenario: Scenario) -> dict[tuple[str, str], int]:
    return {(link.source, link.target): k for k, link in enumerate(scenario.links)}


def _batch(command: str, lines: list[str]) -> list[str]:
    return [f"{command} -batch - <<.", *lines, "."]


def _devices(scenario: Scenario) -> list[str]:
    """Namespaces, and the devices in them.

    All devices have one hardware address and do without ARP: what comes in at one end of a veth is
    always meant for the other.
    """
    spaces = [f"n{number}" for number, _ in enumerate(scenario.nodes)]
    hosts = [f"{end}{number}" for number, _ in enumerate(scenario.flows) for end in "sr"]
    numbers = _link_numbers(scenario)
    common = "address 02:00:00:00:00:01 mtu 9200"
    add = [f"netns add {space}" for space in spaces + hosts]
    inside: dict[str, list[str]] = {space: ["link set lo up"] for space in spaces + hosts}

    def veth(space: str, device: str, other: str, peer: str, more: str = "") -> None:
        one, two = (
            f"{device} {common} {more} netns {space}",
            f"{peer} {common} {more} netns {other}",
        )
        add.append(f"link add {one} type veth peer name {two}")
        inside[space].append(f"link set {device} up arp off")
        inside[other].append(f"link set {peer} up arp off")

    for (source, target), k in numbers.items():
        back = numbers[target, source]
        if k < back:
            veth(_node(scenario, source), f"l{k}", _node(scenario, target), f"l{back}")
        add.append(f"link add d{k} mtu 9200 netns {_node(scenario, target)} type ifb")
        inside[_node(scenario, target)].append(f"link set d{k} up")
    for number, flow in enumerate(scenario.flows):
        for end, node in (("s", flow.source), ("r", flow.target)):
            host = f"{end}{number}"
            veth(host, "host", _node(scenario, node), host, "gso_max_segs 1")
            inside[host].append(f"addr add {_address(end, number)}/32 dev host")
    lines = _batch("ip", add)
    for space, commands in inside.items():
        lines += _batch(f"ip -n {space}", commands)
    lines += [f"$guest sysctl {space} ip_forward=1" for space in spaces]
    return lines


def _host_settings(scenario: Scenario, number: int, flow: Flow, path: tuple[str, ...]) -> list[str]:
    """What a flow's two hosts are set to, and its receiver."""
    settings = f"tcp_sack={int(flow.sack)} tcp_ecn={int(flow.ecn)}"
    settings += f" tcp_rmem='4096 131072 {2 * AUTO_BYTES}' tcp_wmem='4096 65536 {2 * AUTO_BYTES}'"
    settings += " tcp_no_ssthresh_metrics_save=0"
    if not flow.timestamps:
        settings += " tcp_timestamps=0"
    if flow.segments_per_ack == 1:
        settings += " tcp_comp_sack_nr=0"
    # To the smoothed round-trip time Linux adds its rto_min at least, it does not take the larger.
    links = {(link.source, link.target): link for link in scenario.links}
    hops = [links[hop] for hop in itertools.pairwise(path)]
    hops += [links[hop] for hop in itertools.pairwise(path[::-1])]
    rtt_s = sum(link.delay_s for link in hops)
    rto_min_s = max(flow.min_rto_s - rtt_s, min(flow.min_rto_s, LINUX_RTO_MIN_S))
    # The option is part of what advmss allows a segment.
    advmss = flow.segment_bytes + (TIMESTAMP_BYTES if flow.timestamps else 0)
    common = {"advmss": f"{advmss}", "rto_min": f"{math.ceil(1000 * rto_min_s)}ms"}
    there = common | {"initcwnd": f"{flow.initial_window_segments}"}
    if flow.initial_ssthresh_segments:
        there |= {"ssthresh": f"lock {flow.initial_ssthresh_segments}"}
    back = common | ({"quickack": "1"} if flow.segments_per_ack == 1 else {})
    warm = flow.initial_ssthresh_segments and not flow.max_window_segments
    window = 0 if flow.receive_buffer_bytes == "auto" else flow.receive_buffer_bytes
    return [
        *(f"$guest sysctl {end}{number} {settings}" for end in "sr"),
        _host_route(flow, f"s{number}", _address("r", number), there),
        _host_route(flow, f"r{number}", _address("s", number), back),
        f"$guest receive out=r{number}.out namespace=r{number} window={window}"
        f" warm={int(bool(warm))} bytes={flow.bytes or 0} end={scenario.duration_s!r}"
        f" interval={_interval(scenario)!r} &",
        'ends="$ends $!"',
    ]


def _host_route(flow: Flow, host: str, to: str, metrics: dict[str, str]) -> str:
    """Return the command that gives a host its route, with what its connections are told by it."""
    if not _in_microseconds(flow):
        words = " ".join(f"{name} {value}" for name, value in metrics.items())
        return f"ip -n {host} route add {to}/32 dev host {words}"
    words = " ".join(f"{name}={value.removesuffix('ms')}" for name, value in metrics.items())
    return f"$guest route {host} {to} {words}"


def _interval(scenario: Scenario) -> float:
    recorded = any(series in FLOW_SERIES for series in scenario.record.series)
    return scenario.duration_s / scenario.record.points if recorded else math.inf


def _sender(scenario: Scenario, number: int, flow: Flow) -> list[str]:
    buffer = 0 if flow.send_buffer_bytes == "auto" else flow.send_buffer_bytes
    stop_s = flow.stop_s if flow.stop_s is not None else math.inf
    return [
        f"$guest send out=s{number}.out namespace=s{number} to={_address('r', number)}"
        f" algorithm={algorithms()[flow.congestion_control.name]} buffer={buffer}"
        f" cap={flow.max_window_segments or 0} bytes={flow.bytes or 0} start={flow.start_s!r}"
        f" stop={stop_s!r} end={scenario.duration_s!r} interval={_interval(scenario)!r} &",
        'ends="$ends $!"',
    ]


def _route(scenario: Scenario, number: int, path: tuple[str, ...]) -> list[str]:
    """Send a flow's packets along the path, and its ACKs back."""
    numbers = _link_numbers(scenario)
    hops = [(path[0], "s", f"s{number}"), (path[-1], "r", f"r{number}")]
    for source, target in itertools.pairwise(path):
        hops.append((source, "r", f"l{numbers[source, target]}"))
        hops.append((target, "s", f"l{numbers[target, source]}"))
    return [
        f"ip -n {_node(scenario, node)} route replace {_address(end, number)}/32 dev {device}"
        for node, end, device in hops
    ]


# --- links


def _wire_sizes(scenario: Scenario) -> list[int]:
    """Sizes of the packets that full segments and ACKs make, in ascending order."""
    headers = {
        HEADER_BYTES - (0 if flow.timestamps else TIMESTAMP_BYTES) for flow in scenario.flows
    }
    sizes = {flow.segment_bytes + size for flow in scenario.flows for size in headers}
    return sorted(sizes | {size + blocks for size in headers for blocks in SACK_BYTES})


@dataclass(frozen=True)
class _State:
    """What a link does to a packet that begins to be sent."""

    rate_bps: float
    delay_s: float
    loss_per_packet: float
    loss_per_bit: float
    outage: bool = False

    def loss(self, size_bytes: int) -> float:
        """Return the probability that a packet of that size is lost."""
        if self.outage:
            return 1.0
        kept = math.log1p(-self.loss_per_packet) + 8 * size_bytes * math.log1p(-self.loss_per_bit)
        return -math.expm1(kept)


def _states(link: Link, size_bytes: int) -> list[tuple[float, _State]]:
    """Return a link's states with the time from which each holds; the first begins at 0.

    netem decides over a packet as it begins to be sent, while an outage takes the packets that
    would arrive during it: it is brought forward by the time a packet of that size is under way.
    """
    fields = ("rate_bps", "delay_s", "loss_per_packet", "loss_per_bit")
    state = _State(*(getattr(link, field) for field in fields))
    pieces = [(0.0, state)]
    for change in sorted(link.changes, key=lambda change: change.at_s):
        new = {f: v for f in fields if (v := getattr(change, f)) is not None}
        state = replace(state, **new)
        pieces.append((change.at_s, state))
    states = []
    for (begin, state), (end, _) in zip(pieces, [*pieces[1:], (math.inf, None)], strict=True):
        ahead_s = state.delay_s + 8 * size_bytes / state.rate_bps
        outages = [(o.start_s - ahead_s, o.start_s + o.duration_s - ahead_s) for o in link.outages]
        times = {begin, *(t for outage in outages for t in outage if begin < t < end)}
        for time in sorted(times):
            out = any(first <= time < last for first, last in outages)
            states.append((time, replace(state, outage=out)))
    return states


def _link_commands(
    scenario: Scenario, number: int, at_s: float, state: _State, sizes: list[int]
) -> list[str]:
    """Return the commands that give a link its state at a time."""
    verb = "change" if at_s else "add"
    link = scenario.links[number]
    near, far = _node(scenario, link.source), _node(scenario, link.target)
    back = _link_numbers(scenario)[link.target, link.source]
    limit = link.queue_packets or link.queue_bytes  # of tbf's own queue in bytes, else of its child
    rate = f"{round(state.rate_bps)}bit"
    # tbf lets a packet go when its bucket has it whole: the bucket is one packet, and two ticks.
    burst = sizes[-1] + 16 + math.ceil(state.rate_bps / 8 * 2 * TICK_S)
    overhead = PPP_BYTES - ETHERNET_BYTES
    queue = [
        f"qdisc {verb} dev l{number} root handle 1: stab overhead {overhead} linklayer ethernet"
        f" tbf rate {rate} burst {burst} limit {limit}"
    ]
    if verb == "add" and link.queue_packets:
        queue.append(f"qdisc add dev l{number} parent 1: pfifo limit {limit}")
    delay = []
    if verb == "add":
        delay += [
            f"qdisc add dev l{back} ingress",
            f"filter add dev l{back} ingress matchall action mirred egress redirect dev d{number}",
        ]
    netem = f"$guest netem {far} {verb} device=d{number} delay_ns={round(1e9 * state.delay_s)}"
    netem += f" bytes_per_s={round(state.rate_bps / 8)} overhead={overhead}"
    by_bit = link.loss_per_bit or any(change.loss_per_bit for change in link.changes)
    bands = list(enumerate(sizes, start=1)) if by_bit else [(0, sizes[-1])]
    losses = []
    for band, size in bands:
        seed = _seed(scenario, number, band, at_s)
        losses.append(f"{netem} band={band} loss={state.loss(size):.12g} seed={seed}")
    if by_bit and verb == "add":  # a netem for each size of packet
        device = f"dev d{number}"
        delay.append(
            f"qdisc add {device} root handle 1: prio bands {len(sizes)} priomap{' 0' * 16}"
        )
        for band, size in bands:
            top = size - overhead + 1 if band < len(sizes) else 1 << 16
            delay.append(
                f"filter add {device} parent 1: prio {band} protocol ip"
                f" basic match 'meta(pkt_len lt {top})' flowid 1:{band:x}"
            )
    delay = _batch(f"tc -n {far}", delay) if delay else []
    return _batch(f"tc -n {near}", queue) + delay + losses


def _seed(scenario: Scenario, *which: float) -> int:
    """Return the seed of a netem's random numbers, its own at any time."""
    text = " ".join(map(repr, (scenario.seed, *which)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _events(scenario: Scenario, sizes: list[int]) -> list[str]:
    """Return what happens to links and routes in the course of time, in a shell of its own."""
    events: list[tuple[float, list[str]]] = []
    for number, link in enumerate(scenario.links):
        states = _states(link, sizes[-1])
        far = _node(scenario, link.target)
        for (_, before), (time, state) in itertools.pairwise(states):
            commands = _link_commands(scenario, number, time, state, sizes)
            if state.outage != before.outage:  # what was lost so far
                count = f"tc -n {far} -s -j qdisc show dev d{number}"
                commands += [f"{count} >> outage{number}.out", f"echo >> outage{number}.out"]
            events.append((time, commands))
    for number, flow in enumerate(scenario.flows):
        for reroute in flow.reroutes:
            events.append((reroute.at_s, _route(scenario, number, reroute.path)))
    lines = []
    at = itemgetter(0)
    for time, together in itertools.groupby(sorted(events, key=at), key=at):
        if time <= scenario.duration_s:
            lines.append(f"$guest until {time!r}")
            lines += [command for _, commands in together for command in commands]
    return ["(", "trap '[ $? = 0 ] || touch events-failed' EXIT", *lines, ") &"] if lines else []
