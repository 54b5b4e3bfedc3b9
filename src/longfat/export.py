"""A scenario as a script for a testbed of one's own: Linux network namespaces, or Mininet.

Both build the same: a node of the scenario is a network namespace that forwards; a cable is a veth
pair; at each end of it stands the link's queue behind its rate (htb with pfifo, bfifo, codel,
fq_codel or pie), and where the link ends its delay and losses (netem on an ifb). Flows are
iperf3's; what a flow has for itself (window, timers, acknowledgments) stands in the route to its
other end. A kernel draws losses anew in every run: repeat it.
"""

import itertools
import json
import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from longfat.cc import catalogue
from longfat.engines import capabilities
from longfat.errors import InputError
from longfat.links import CoDel, FqCoDel, LossBursts, Pie
from longfat.scenario import Flow, Link, Scenario

TARGETS = ("netns", "mininet")
TIMESTAMP_BYTES = 12  # the option in every segment, which Linux counts to its largest segment
BOOKKEEPING = 2  # Linux counts half of a buffer as its own
MININET_BPS = 1e9  # as fast as its links go
SAMPLE_S = 0.1  # between two looks at the sockets
PIE_STEPS = 16  # in which tc counts alpha and beta, so many to 1/s


def export(scenario: Scenario, to: str) -> str:
    """Return the scenario as a program: a shell script ("netns") or Python for Mininet.

    The program needs root, iproute2, iperf3, and Linux with htb, ifb and netem; it leaves a folder
    with each flow's result (iperf3's JSON) and, where the scenario records anything, what `ss` says
    of its socket ten times a second.
    Raises InputError for another target, and for what a real kernel cannot do.

    >>> from longfat import topologies
    >>> from longfat.export import export
    >>> script = export(topologies.duplex_flow(), "netns")  # doctest: +SKIP
    """
    if to not in TARGETS:
        raise InputError(f"--to is '{to}': it must be {' or '.join(TARGETS)}")
    _check(scenario, to)
    plan = _Plan(scenario)
    return _netns(plan) if to == "netns" else _mininet(plan)


# --- what a kernel has


def _check(scenario: Scenario, to: str) -> None:
    """Refuse what the scenario asks and a kernel does not have, by the name of its field."""
    capabilities.refuse(scenario, to)
    for number, link in enumerate(scenario.links):
        for name, reason in _of_link(link):
            _refuse(f"links.{number}.{name}", reason)
        if to == "mininet" and link.rate_bps > MININET_BPS:
            _refuse(f"links.{number}.rate_bps", f"Mininet's links have at most {MININET_BPS:.0f}")
    for number, flow in enumerate(scenario.flows):
        for field, reason in _of_flow(flow):
            _refuse(f"flows.{number}.{field}", reason)


def _of_link(link: Link) -> Iterator[tuple[str, str]]:
    """Yield each field of a link that a kernel has otherwise, and how."""
    if link.loss_bursts and (link.loss_per_packet or any(c.loss_per_packet for c in link.changes)):
        yield "loss_bursts", "netem has either bursts or independent losses"
    if not link.aqm:
        return
    if link.queue_packets is None:
        yield "queue_bytes", "Linux counts the packets of a managed queue"
    if isinstance(link.aqm, Pie):
        for name in ("alpha", "beta"):
            steps = PIE_STEPS * getattr(link.aqm, name)
            if not (steps.is_integer() and steps <= 32):
                yield f"aqm.{name}", f"Linux has it in steps of 1/{PIE_STEPS}, 2 at most"
        for name in ("max_burst_s", "mark_below"):
            if getattr(link.aqm, name) != Pie.model_fields[name].default:
                yield f"aqm.{name}", "Linux has the default alone"


def _of_flow(flow: Flow) -> Iterator[tuple[str, str]]:
    """Yield each field of a flow that a kernel cannot follow, with the reason."""
    entry = catalogue.find(flow.congestion_control.name)
    if not entry.linux:
        yield "congestion_control", f"Linux has no '{flow.congestion_control.name}'"
    if flow.segments_per_ack > 2:
        yield "segments_per_ack", "Linux has 1 and 2"
    if flow.segment_bytes > 1448:
        yield "segment_bytes", "the script's devices carry 1500 bytes: 1448 at most"


def _refuse(field: str, reason: str) -> None:
    raise InputError(f"{field}: this cannot be exported: {reason}")


# --- the plan: what both programs do


@dataclass(frozen=True)
class _End:
    """One direction of a cable: a device in the namespace of its source."""

    link: Link
    node: int
    device: str
    other: int
    other_device: str


class _Plan:
    """Addresses, routes and commands. Node i is the namespace n<i> with the address 10.255.x.y."""

    def __init__(self, scenario: Scenario):
        self.scenario = scenario
        self.nodes = scenario.nodes
        number = {name: i for i, name in enumerate(self.nodes)}
        links = {(link.source, link.target): link for link in scenario.links}
        self.ends: list[_End] = []
        self.cables: list[tuple[_End, _End]] = []
        for k, (a, b) in enumerate(pair for pair in links if number[pair[0]] < number[pair[1]]):
            there = _End(links[a, b], number[a], f"c{k}a", number[b], f"c{k}b")
            back = _End(links[b, a], number[b], f"c{k}b", number[a], f"c{k}a")
            self.cables.append((there, back))
            self.ends += [there, back]
        self._graph = nx.Graph((number[a], number[b]) for a, b in links)

    def address(self, node: int) -> str:
        """The address by which flows know a node."""
        return f"10.255.{node // 250}.{node % 250 + 1}"

    def setup(self, node: int) -> Iterator[str]:
        """Yield what a namespace runs before its cables are there."""
        yield "ip link set lo up"
        yield f"ip address add {self.address(node)}/32 dev lo"
        yield "sysctl -qw net.ipv4.ip_forward=1"
        yield "sysctl -qw net.ipv4.conf.all.rp_filter=0"
        flows = [f for f in self.scenario.flows if self.nodes[node] in (f.source, f.target)]
        for name, value in self._sysctls(node, flows):
            yield f"sysctl -qw net.ipv4.{name}={shlex.quote(value)}"

    def _sysctls(self, node: int, flows: list[Flow]) -> Iterator[tuple[str, str]]:
        """Yield the settings of a namespace, which all of its flows share."""
        of_flows = {
            "tcp_sack": [str(int(flow.sack)) for flow in flows],
            "tcp_timestamps": [str(int(flow.timestamps)) for flow in flows],
            "tcp_ecn": [str(int(flow.ecn)) for flow in flows],
            "tcp_wmem": [
                _buffer(f.send_buffer_bytes) for f in flows if f.source == self.nodes[node]
            ],
            "tcp_rmem": [
                _buffer(f.receive_buffer_bytes) for f in flows if f.target == self.nodes[node]
            ],
        }
        yield "tcp_no_metrics_save", "1"
        for name, values in of_flows.items():
            if len(set(values)) > 1:
                _refuse(
                    name.replace("tcp_", ""),
                    f"the flows of node '{self.nodes[node]}' differ, and Linux has one a host",
                )
            for value in values[:1]:
                yield name, value

    def routes(self, node: int) -> Iterator[str]:
        """Yield the routes of a namespace: by the fewest hops, with what its flows ask for."""
        for other in range(len(self.nodes)):
            if other == node:
                continue
            hop = nx.shortest_path(self._graph, node, other)[1]
            device = next(end.device for end in self.ends if (end.node, end.other) == (node, hop))
            via = "" if hop == other else f" via {self.address(hop)}"
            route = f"ip route add {self.address(other)}/32{via} dev {device}"
            route += " onlink" * bool(via) + f" src {self.address(node)}"
            yield " ".join([route, *self._of_route(node, other)])

    def _of_route(self, node: int, other: int) -> list[str]:
        """What a route tells TCP: the data's way the sender's settings, the ACKs' way theirs."""
        here, there = self.nodes[node], self.nodes[other]
        asked = []
        for flow in self.scenario.flows:
            if (flow.source, flow.target) == (here, there):
                options = [f"initcwnd {flow.initial_window_segments}"]
                options += [f"rto_min {math.ceil(1000 * flow.min_rto_s)}ms"]
                if flow.max_window_segments is not None:
                    options += [f"cwnd lock {flow.max_window_segments}"]
                if flow.initial_ssthresh_segments is not None:
                    options += [f"ssthresh lock {flow.initial_ssthresh_segments}"]
                asked.append(options)
            elif (flow.target, flow.source) == (here, there):
                asked.append(["quickack 1"] * (flow.segments_per_ack == 1))
        if any(options != asked[0] for options in asked):
            _refuse(
                "flows",
                f"those between '{here}' and '{there}' differ, and Linux keeps windows and timers "
                "by the route",
            )
        return asked[0] if asked else []

    def queue(self, end: _End) -> Iterator[str]:
        """Yield the rate and the queue at the beginning of a link."""
        rate = f"{end.link.rate_bps:.0f}bit"
        yield f"tc qdisc add dev {end.device} root handle 1: htb default 1"
        yield f"tc class add dev {end.device} parent 1: classid 1:1 htb rate {rate} quantum 1514"
        yield f"tc qdisc add dev {end.device} parent 1:1 handle 2: {_queue(end.link)}"

    def flight(self, end: _End) -> Iterator[str]:
        """Yield the delay and the losses at the end of a link, for the namespace there."""
        link = end.link
        losses = link.loss_per_packet or link.loss_bursts or link.outages
        if not (link.delay_s or losses or link.changes):
            return
        device = f"i{end.other_device}"
        yield f"ip link add {device} type ifb"
        yield f"ip link set {device} up"
        yield f"tc qdisc add dev {end.other_device} handle ffff: ingress"
        yield (
            f"tc filter add dev {end.other_device} parent ffff: matchall "
            f"action mirred egress redirect dev {device}"
        )
        netem = _netem(link.delay_s, link.loss_per_packet, link.loss_bursts)
        yield f"tc qdisc add dev {device} root {netem}"

    def later(self, end: _End) -> Iterator[tuple[float, int, str]]:
        """Yield what happens to a link during the run: when, in which namespace, the command."""
        delay, loss = end.link.delay_s, end.link.loss_per_packet
        device = f"i{end.other_device}"
        steps = sorted(
            [(change.at_s, 0, change) for change in end.link.changes]
            + [(outage.start_s, 1, None) for outage in end.link.outages]
            + [(outage.start_s + outage.duration_s, -1, None) for outage in end.link.outages],
            key=lambda step: step[:2],
        )
        out = 0
        for at_s, sort, change in steps:
            out += sort
            if change is not None:
                delay = delay if change.delay_s is None else change.delay_s
                loss = loss if change.loss_per_packet is None else change.loss_per_packet
                if change.rate_bps is not None:
                    yield (
                        at_s,
                        end.node,
                        f"tc class change dev {end.device} parent 1: classid 1:1 htb "
                        f"rate {change.rate_bps:.0f}bit quantum 1514",
                    )
            netem = _netem(delay, 1.0) if out else _netem(delay, loss, end.link.loss_bursts)
            yield at_s, end.other, f"tc qdisc change dev {device} root {netem}"

    def server(self, number: int, flow: Flow) -> str:
        """The command of a flow's receiver."""
        return f"iperf3 -s -1 -p {5201 + number} -B {self._of(flow.target)}"

    def client(self, number: int, flow: Flow) -> str:
        """The command of a flow's sender, from its start on."""
        until = min(flow.stop_s or math.inf, self.scenario.duration_s)
        how_much = f"-n {flow.bytes}" if flow.bytes else f"-t {max(1, round(until - flow.start_s))}"
        size = flow.segment_bytes + TIMESTAMP_BYTES * flow.timestamps
        return (
            f"iperf3 -c {self._of(flow.target)} -B {self._of(flow.source)} -p {5201 + number} "
            f"-C {catalogue.find(flow.congestion_control.name).linux} -M {size} {how_much} --json"
        )

    def _of(self, name: str) -> str:
        return self.address(self.nodes.index(name))


def _buffer(size: int | str) -> str:
    """Least, first and largest size of a buffer, as sysctl takes it; "auto" is Linux's own."""
    most = 64_000_000 if size == "auto" else int(size)
    first = 131072 if size == "auto" else BOOKKEEPING * most
    return f"4096 {first} {BOOKKEEPING * most}"


def _queue(link: Link) -> str:
    """The queue of a link, as tc takes it."""
    aqm = link.aqm
    if isinstance(aqm, CoDel | FqCoDel | Pie):
        words = f"{aqm.kind} limit {link.queue_packets} target {1e6 * aqm.target_s:.0f}us "
        if isinstance(aqm, CoDel | FqCoDel):
            words += f"interval {1e6 * aqm.interval_s:.0f}us "
            if isinstance(aqm, FqCoDel):
                words += f"quantum {aqm.quantum_bytes} "
        else:
            words += f"tupdate {1e6 * aqm.update_s:.0f}us "
            words += f"alpha {PIE_STEPS * aqm.alpha:.0f} beta {PIE_STEPS * aqm.beta:.0f} "
        return words + ("ecn" if aqm.ecn else "noecn")
    if link.queue_packets is not None:
        return f"pfifo limit {link.queue_packets}"
    return f"bfifo limit {link.queue_bytes}"


def _netem(delay_s: float, loss: float, bursts: LossBursts | None = None) -> str:
    words = f"netem limit 10000000 delay {1e6 * delay_s:.0f}us loss "
    if bursts is None:
        return f"{words}{100 * loss:.8f}%"
    chances = (bursts.begins, bursts.ends, bursts.loss_within, 0.0)
    return words + "gemodel " + " ".join(f"{100 * chance:.8f}%" for chance in chances)


# --- the programs

_SHELL = """#!/bin/sh
# {title}
#
# Made from a scenario of longfat (below) for Linux: as root, with iproute2 and iperf3. Results are
# in the folder "$OUT" ({out}). Losses are drawn anew in every run.
#
# {scenario}
set -eu
OUT=${{OUT:-{out}}}
P=lf$$-  # namespaces of this run
mkdir -p "$OUT"
in_node() {{ node=$1; shift; ip netns exec "$P$node" "$@"; }}
clean() {{
    trap - EXIT
    for node in {nodes}; do
        for process in $(ip netns pids "$P$node" 2>/dev/null); do
            kill "$process" 2>/dev/null || true
        done
        ip netns delete "$P$node" 2>/dev/null || true
    done
}}
trap clean EXIT
trap 'exit 130' INT TERM
at() {{  # wait until so many seconds after BEGIN
    sleep "$(awk -v at="$1" -v begin="$BEGIN" -v now="$(date +%s.%N)" \
        'BEGIN {{ left = begin + at - now; print (left > 0 ? left : 0) }}')"
}}
"""


def _netns(plan: _Plan) -> str:
    scenario = plan.scenario
    out = "longfat-netns"
    lines = [
        _SHELL.format(
            title=scenario.title or "A scenario of longfat in network namespaces",
            out=out,
            scenario=scenario.canonical_json(),
            nodes=" ".join(map(str, range(len(plan.nodes)))),
        )
    ]
    for number, name in enumerate(plan.nodes):
        lines += [f"\n# node {number}: {_comment(name)}", f'ip netns add "${{P}}{number}"']
        lines += [f"in_node {number} {command}" for command in plan.setup(number)]
    for there, back in plan.cables:
        lines += [
            f"\n# {_comment(there.link.source)} and {_comment(there.link.target)}",
            f'ip link add {there.device} netns "${{P}}{there.node}" type veth '
            f'peer name {back.device} netns "${{P}}{back.node}"',
        ]
        for end in (there, back):
            lines.append(f"in_node {end.node} ip link set {end.device} up")
            lines += [f"in_node {end.node} {command}" for command in plan.queue(end)]
        for end in (there, back):
            lines += [f"in_node {end.other} {command}" for command in plan.flight(end)]
    lines.append("\n# ways")
    for number in range(len(plan.nodes)):
        lines += [f"in_node {number} {command}" for command in plan.routes(number)]
    lines.append("\n# the run")
    for number, flow in enumerate(scenario.flows):
        node = plan.nodes.index(flow.target)
        lines.append(f"in_node {node} {plan.server(number, flow)} >/dev/null 2>&1 &")
    lines.append("sleep 0.5  # they listen now")
    lines.append("BEGIN=$(date +%s.%N)")
    steps = sorted(itertools.chain.from_iterable(plan.later(end) for end in plan.ends))
    if steps:
        lines.append("(")
        lines += [f"at {at_s:.9g}; in_node {node} {command}" for at_s, node, command in steps]
        lines.append(") & LATER=$!")
    if scenario.record.series:
        for node in sorted({plan.nodes.index(flow.source) for flow in scenario.flows}):
            lines.append(
                f"(while sleep {SAMPLE_S}; do date +%s.%N; in_node {node} ss -Htin state "
                f'established; done >"$OUT/sockets-{node}.txt" 2>/dev/null) &'
            )
            lines.append('SAMPLER="${SAMPLER:-} $!"')
    lines.append("FLOWS=")
    for number, flow in enumerate(scenario.flows):
        node, limit = plan.nodes.index(flow.source), math.ceil(scenario.duration_s) + 30
        lines.append(
            f"(sleep {flow.start_s:g}; in_node {node} timeout {limit} {plan.client(number, flow)} "
            f'>"$OUT/flow-{number}.json") & FLOWS="$FLOWS $!"'
        )
    lines += [
        'for flow in $FLOWS; do wait "$flow" || true; done',
        '[ -z "${LATER:-}" ] || kill $LATER 2>/dev/null || true',
        '[ -z "${SAMPLER:-}" ] || kill $SAMPLER 2>/dev/null || true',
        'for file in "$OUT"/flow-*.json; do',
        '    awk -v file="$file" \'/"sum_received"/ { seen = 1 }',
        '        seen && /bits_per_second/ { gsub(/[^0-9.e+]/, "", $2); '
        'printf "%s %.6g Mb/s\\n", file, $2 / 1e6; exit }\' "$file"',
        "done",
    ]
    return "\n".join(lines) + "\n"


def _comment(name: str) -> str:
    """A name without what could end a comment."""
    return json.dumps(name)


_PYTHON = '''#!/usr/bin/env python3
"""{title}

Made from a scenario of longfat for Mininet, as root, with iperf3. Results are in the folder
{out}; losses are drawn anew in every run.
"""

import json
import pathlib
import time

from mininet.link import Link
from mininet.net import Mininet

SCENARIO = json.loads({scenario})
OUT = pathlib.Path("{out}")
NODES = {nodes}
CABLES = {cables}
SETUP = {setup}
LINKS = {links}
ROUTES = {routes}
SERVERS = {servers}
LATER = {later}
CLIENTS = {clients}


def main():
    """Build the network, run the flows, say what each received."""
    OUT.mkdir(exist_ok=True)
    net = Mininet(controller=None, link=Link)
    try:
        hosts = [net.addHost(f"n{{number}}", ip=None) for number in range(len(NODES))]
        for number, commands in enumerate(SETUP):
            for command in commands:
                hosts[number].cmd(command)
        for a, device, b, other in CABLES:
            net.addLink(hosts[a], hosts[b], intfName1=device, intfName2=other)
        for a, device, b, other in CABLES:
            hosts[a].cmd(f"ip address flush dev {{device}}; ip link set {{device}} up")
            hosts[b].cmd(f"ip address flush dev {{other}}; ip link set {{other}} up")
        for commands in (LINKS, ROUTES):
            for number, command in commands:
                if said := hosts[number].cmd(command).strip():
                    raise SystemExit(f"{{NODES[number]}}: {{command}}: {{said}}")
        servers = [hosts[number].popen(command) for number, command in SERVERS]
        time.sleep(0.5)  # they listen now
        begin = time.monotonic()
        clients = []
        steps = [(at, number, command, None) for at, number, command in LATER]
        steps += [(at, n, c, OUT / f"flow-{{i}}.json") for i, (at, n, c) in enumerate(CLIENTS)]
        for at, number, command, file in sorted(steps, key=lambda step: step[0]):
            time.sleep(max(0, begin + at - time.monotonic()))
            if file is None:
                hosts[number].cmd(command)
            else:
                clients.append((file, hosts[number].popen(command)))
        for file, client in clients:
            file.write_bytes(client.communicate()[0])
            received = json.loads(file.read_text())["end"]["sum_received"]
            print(file, f"{{received['bits_per_second'] / 1e6:.6g}} Mb/s")
        for server in servers:
            server.terminate()
    finally:
        net.stop()


if __name__ == "__main__":
    main()
'''


def _mininet(plan: _Plan) -> str:
    scenario = plan.scenario
    links = [(end.node, command) for end in plan.ends for command in plan.queue(end)]
    links += [(end.other, command) for end in plan.ends for command in plan.flight(end)]
    number = plan.nodes.index
    return _PYTHON.format(
        title=(scenario.title or "A scenario of longfat in Mininet").replace('"', "'"),
        out="longfat-mininet",
        scenario=repr(scenario.canonical_json()),
        nodes=list(plan.nodes),
        cables=[(a.node, a.device, b.node, b.device) for a, b in plan.cables],
        setup=[list(plan.setup(i)) for i in range(len(plan.nodes))],
        links=links,
        routes=[(i, command) for i in range(len(plan.nodes)) for command in plan.routes(i)],
        servers=[
            (number(flow.target), plan.server(i, flow)) for i, flow in enumerate(scenario.flows)
        ],
        later=sorted(itertools.chain.from_iterable(plan.later(end) for end in plan.ends)),
        clients=[
            (flow.start_s, number(flow.source), plan.client(i, flow))
            for i, flow in enumerate(scenario.flows)
        ],
    )
