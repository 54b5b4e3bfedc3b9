"""Movements of a receiver, by the rules of protocols: which messages go, and who then redirects.

Each function returns a `longfat.Move`: the messages that a protocol sends when a host has joined a
new link, as the nodes that each visits. `path` is the way after the movement, from the sender (the
correspondent) by the new access router to the host. `counted_s` is what the paper tcpj counts
instead (its table 3): time of the link layer, time of the network layer, and one round trip.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from longfat.errors import InputError, quoted
from longfat.links import Link
from longfat.scenario import Move

Path = tuple[str, ...]


def mobile_ipv6(at_s: float, path: Path, *, home_agent: str | None = None, **fields: Any) -> Move:
    """Return a movement under Mobile IPv6.

    As the paper tcpj counts it, one binding update goes to the correspondent. With a `home_agent`
    it is RFC 6275: first the home registration and its acknowledgment, then the return routability
    test (by the home agent, and straight), then the binding update.

    >>> mobile_ipv6(3, ("peer", "new", "host")).rounds
    ((('host', 'new', 'peer'),),)
    """
    peer, router, host = path[0], path[-2], path[-1]
    rounds: list[list[Path]] = [[(host, router, peer)]]
    if home_agent is not None:
        home: Path = (host, router, home_agent)
        there: Path = (host, router, peer)
        rounds = [
            [home + home[1::-1]],
            [(*home, peer, *home[::-1]), there + there[1::-1]],
            *rounds,
        ]
    return Move(at_s=at_s, path=path, rounds=rounds, redirect=peer, **fields)


def hierarchical_mobile_ipv6(
    at_s: float, path: Path, *, anchor: str, within: bool = True, **fields: Any
) -> Move:
    """Return a movement under hierarchical Mobile IPv6 (RFC 5380): `anchor` stands for the host.

    Within its domain the host tells the anchor alone, from which on packets take the new way. Into
    another domain it registers with that anchor, and when this has answered it tells the
    correspondent.

    >>> move = hierarchical_mobile_ipv6(3, ("peer", "anchor", "new", "host"), anchor="anchor")
    >>> move.redirect, move.rounds
    ('anchor', ((('host', 'new', 'anchor'),),))
    """
    peer, router, host = path[0], path[-2], path[-1]
    if anchor not in path:
        raise InputError(f"anchor {quoted(anchor)} must be on the path")
    up: Path = (host, router, anchor) if anchor != router else (host, anchor)
    if within:
        return Move(at_s=at_s, path=path, rounds=[[up]], redirect=anchor, **fields)
    rounds = [[up + up[-2::-1]], [(host, router, peer)]]
    return Move(at_s=at_s, path=path, rounds=rounds, redirect=peer, **fields)


def lin6(at_s: float, path: Path, *, mapping_agent: str, **fields: Any) -> Move:
    """Return a movement under LIN6 (Ishiyama et al. 2001).

    The host tells its mapping agent, and asks the correspondent to refresh its mapping; the
    correspondent believes the mapping agent alone, so that it asks there before it redirects.

    >>> lin6(3, ("peer", "new", "host"), mapping_agent="agent").rounds
    ((('host', 'new', 'agent'), ('host', 'new', 'peer', 'agent', 'peer')),)
    """
    peer, router, host = path[0], path[-2], path[-1]
    rounds = [[(host, router, mapping_agent), (host, router, peer, mapping_agent, peer)]]
    return Move(at_s=at_s, path=path, rounds=rounds, redirect=peer, **fields)


def indirect_tcp(
    at_s: float, path: Path, *, old: str, state_bytes: int = 1000, **fields: Any
) -> Move:
    """Return a movement under I-TCP (Bakre and Badrinath 1995): the relay moves with the host.

    The relay is the access router. The host greets the new one, which asks the old one for the
    state of the connection: `state_bytes`, and what it has acknowledged but not passed on.

    >>> indirect_tcp(3, ("peer", "new", "host"), old="old").rounds
    ((('host', 'new', 'old'),),)
    """
    new, host = path[-2], path[-1]
    return Move(
        at_s=at_s,
        path=path,
        rounds=[[(host, new, old)]],
        redirect=path[0],
        relay=new,
        state_bytes=state_bytes,
        **fields,
    )


def counted_s(move: Move, links: Iterable[Link]) -> float:
    """Return what the paper tcpj counts for a movement, in s (its table 3).

    The link layer, the network layer, and the round trip from the host to who redirects: delays
    alone, without the time that messages take to be sent.

    >>> from longfat import topologies
    >>> move = mobile_ipv6(3, ("peer", "new", "host"))
    >>> links = topologies.duplex("peer", "new", rate_bps=1e6, delay_s=0.02, queue_packets=9)
    >>> links += topologies.duplex("new", "host", rate_bps=1e6, delay_s=0.001, queue_packets=9)
    >>> round(counted_s(move, links), 3)
    0.122
    """
    delay_s = {(link.source, link.target): link.delay_s for link in links}
    below = move.path[move.path.index(move.redirect) :]
    way_s = sum(delay_s[b, a] + delay_s[a, b] for a, b in pairwise(below))
    return move.link_s + move.setup_s + way_s


def heard_s(move: Move, links: Iterable[Link]) -> float:
    """Return after how long the sender is told of a movement, in s; infinity if no message does.

    The link layer, the network layer, and the ways of the messages, round by round: delays alone.

    >>> from longfat import topologies
    >>> move = mobile_ipv6(3, ("peer", "new", "host"))
    >>> links = topologies.duplex("peer", "new", rate_bps=1e6, delay_s=0.02, queue_packets=9)
    >>> links += topologies.duplex("new", "host", rate_bps=1e6, delay_s=0.001, queue_packets=9)
    >>> round(heard_s(move, links), 3)
    0.101
    """
    import networkx  # takes a while, and is only needed here

    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((link.source, link.target, link.delay_s) for link in links)

    def way_s(message: Path) -> float:
        ways = [networkx.shortest_path(graph, a, b) for a, b in pairwise(message)]
        return sum(networkx.path_weight(graph, way, "weight") for way in ways)

    heard = move.link_s + move.setup_s
    for messages in move.rounds:
        ways_s = {message: way_s(message) for message in messages}
        telling = [time_s for message, time_s in ways_s.items() if message[-1] == move.path[0]]
        if telling:
            return heard + min(telling)
        heard += max(ways_s.values(), default=0)
    return math.inf
