"""Movements A, B and C of the TCP-J paper, by messages."""

import math

import pytest

from longfat import mobility, simulate
from longfat.papers.tcpj import movements, plan


def run(name, protocol, sender="TCP-J", seed=1):
    at = plan.setting("paper")
    return movements.scenario(
        name,
        protocol,
        sender,
        seed,
        rate_bps=at.radio_rate_bps,
        new_rate_bps=at.new_radio_rate_bps,
        rtt_s=at.rtt_s,
        rtt_to_rr_s=plan.value("rtt_to_rr"),
        **plan.SENDERS_OF_2002,
    )


@pytest.mark.parametrize("protocol", movements.PROTOCOLS)
@pytest.mark.parametrize("name", movements.AFTER)
def test_the_messages_take_what_the_sender_waits_for(name, protocol):
    """Who redirects answers the host: if that is the sender, it was told one way before."""
    scenario = run(name, protocol)
    (move,) = scenario.flows[0].moves
    took_s = simulate(scenario).traces["handoff_s"]["handoff_s"].iloc[0]
    if move.redirect == "cn":
        back_s = plan.setting("paper").rtt_s / 2
        told_s = movements.heard_s(name, protocol, scenario.links)
        assert took_s - back_s == pytest.approx(told_s, abs=0.008)
    else:
        assert took_s == pytest.approx(mobility.counted_s(move, scenario.links), abs=0.003)


def test_within_a_domain_the_hierarchical_protocol_tells_the_sender_nothing():
    untold, told = run("B", movements.HIERARCHICAL), run("B", movements.TOLD)
    assert math.isinf(movements.heard_s("B", movements.HIERARCHICAL, untold.links))
    assert not untold.flows[0].handoffs
    assert told.flows[0].handoffs[0].kind == "non-local"
    assert run("A", movements.TOLD).flows[0].handoffs[0].kind == "local"


def test_a_round_of_messages_waits_for_the_one_before():
    """Mobile IPv6 by RFC 6275: registration, the return routability test, then the update."""
    links = run("A", movements.WITH_HOME).links
    plain = movements.heard_s("A", movements.PLAIN, links)
    assert movements.heard_s("A", movements.WITH_HOME, links) > plain + plan.setting("paper").rtt_s


def test_the_host_moves_at_another_time_in_each_run():
    times = {run("A", movements.PLAIN, seed=seed).flows[0].moves[0].at_s for seed in range(1, 9)}
    assert len(times) == 8 and all(20 <= at_s < 21 for at_s in times)
