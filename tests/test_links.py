"""What links have besides: losses in bursts, ARQ, traces, and managed queues, packet by packet.

Each is held against its definition by code of its own here: what comes out of the engine's link
(segment_link.cc, under sanitizers) is worked out a second time.
"""

import itertools
import json
import math
import random
import statistics
from collections import deque

import numpy as np
import pandas as pd
import pytest
import segment_link_driver
from segment_scenarios import drawn

from longfat import InputError, Result, Scenario, builds
from longfat.engines import linux, ns2, ns3, segment
from longfat.engines.segment import native
from longfat.export import export
from longfat.links import mahimahi
from longfat.topologies import duplex

pytestmark = [
    pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here"),
    pytest.mark.medium,  # the link under sanitizers is compiled for a quarter of a minute
]

RATE_BPS = 8e6  # a byte a microsecond
DELAY_S = 0.01


def every(seconds, packets, size=1000, ect=False, begin_s=0.0):
    return [(begin_s + i * seconds, size, ect) for i in range(packets)]


def scenario(ecn=False, duration_s=10, **link):
    plain = {"rate_bps": 5e6, "delay_s": 0.021, "queue_packets": 50}
    flow = {"source": "a", "target": "b", "congestion_control": "newreno", "ecn": ecn}
    return Scenario(links=duplex("a", "b", **(plain | link)), flows=[flow], duration_s=duration_s)


# --- a link whose assistance does nothing is a link without


@pytest.mark.parametrize("seed", range(24))
def test_steps_that_do_nothing_change_no_digit(seed):
    """A link by events a step and one by an event a packet are the same in every count."""
    data = drawn(seed, ["newreno", "cubic", "westwood"])
    data["record"] = {"series": ["cwnd_segments", "rtt_s", "delivered_bytes"], "points": 1000}
    one = native.run(data)
    for link in data["links"]:
        link["ptp"] = True  # which nobody asks
    other = native.run(data)
    assert one["flows"] == other["flows"]
    assert one["links"] == other["links"]


# --- bursts (Gilbert 1960, Elliott 1963)


def lost_runs(arrivals, packets):
    """Return how many in a row were lost, each time."""
    came = {arrival.number for arrival in arrivals}
    groups = itertools.groupby(range(packets), key=lambda number: number in came)
    return [sum(1 for _ in group) for arrived, group in groups if not arrived]


@pytest.mark.parametrize(("share", "mean"), [(0.05, 1), (0.05, 8), (0.3, 3)])
def test_bursts_have_their_length_and_share(share, mean):
    packets = 60_000
    arrivals, _ = segment_link_driver.send(
        every(0.001, packets),
        100,
        loss_bursts={"loss_per_packet": share, "mean_packets": mean},
    )
    runs = lost_runs(arrivals, packets)
    # Lengths are geometric: their mean has the deviation sqrt(mean (mean - 1) / n).
    tolerance = 4 * math.sqrt(mean * (mean - 1) / len(runs))
    assert statistics.mean(runs) == pytest.approx(mean, abs=tolerance + 1e-12)
    # Between two bursts the good state lasts mean (1 - share) / share packets, in the mean.
    gap = mean * (1 - share) / share
    deviation = math.sqrt((mean**2 + gap**2) / len(runs)) / (mean + gap)
    assert len(arrivals) / packets == pytest.approx(1 - share, abs=4 * deviation * share + 1e-3)


@pytest.mark.parametrize("per_packet", [0.0, 0.05])
@pytest.mark.parametrize("size", [100, 1000])
def test_a_longer_packet_is_lost_more_often(size, per_packet):
    """Each of its bits may be wrong, and all of it lost: 1 - (1 - p) (1 - p_bit)^(8 bytes)."""
    packets = 30_000
    arrivals, _ = segment_link_driver.send(
        every(0.001, packets, size), 100, loss_per_packet=per_packet, loss_per_bit=2e-5
    )
    lost = 1 - (1 - per_packet) * (1 - 2e-5) ** (8 * size)
    tolerance = 4 * math.sqrt(lost * (1 - lost) / packets)
    assert 1 - len(arrivals) / packets == pytest.approx(lost, abs=tolerance)


def test_a_burst_need_not_lose_all():
    packets = 60_000
    bursts = {"loss_per_packet": 0.1, "mean_packets": 50, "loss_within": 0.5}
    arrivals, _ = segment_link_driver.send(every(0.001, packets), 100, loss_bursts=bursts)
    assert 1 - len(arrivals) / packets == pytest.approx(0.1, abs=0.02)
    # Half of the next ones are lost after one that was: 0.5 (1 - 1/50), and a little.
    came = {arrival.number for arrival in arrivals}
    after = [i + 1 in came for i in range(packets - 1) if i not in came]
    assert 1 - statistics.mean(after) == pytest.approx(0.5 * 0.98 + 0.1 * 0.02, abs=0.03)


def test_bursts_come_beside_the_independent_losses():
    """Which stay the same, packet by packet: bursts have random numbers of their own."""
    packets = every(0.001, 5000)
    alone, _ = segment_link_driver.send(packets, 10, loss_per_packet=0.05)
    bursts = {"loss_per_packet": 0.05, "mean_packets": 5}
    both, _ = segment_link_driver.send(packets, 10, loss_per_packet=0.05, loss_bursts=bursts)
    only, _ = segment_link_driver.send(packets, 10, loss_bursts=bursts)
    assert {a.number for a in both} == {a.number for a in alone} & {a.number for a in only}


# --- ARQ (RFC 3366)


@pytest.mark.parametrize("mode", ["selective repeat", "stop and wait"])
def test_what_is_lost_persistence_plus_one_times_is_lost(mode):
    packets = 20_000
    arq = {"persistence": 2, "feedback_s": 0.0, "mode": mode}
    arrivals, counts = segment_link_driver.send(
        every(0.003, packets), 100, loss_per_packet=0.3, delay_s=0.0001, arq=arq
    )
    residual = 0.3**3
    deviation = math.sqrt(residual / packets)
    assert counts["lost"] / packets == pytest.approx(residual, abs=4 * deviation)
    assert counts["again"] / packets == pytest.approx(0.3 + 0.3**2, abs=0.03)
    assert counts["arrived"] == len(arrivals)


def test_selective_repeat_in_order_holds_back_what_overtakes():
    packets = every(0.002, 2000)
    arq = {"persistence": 1000, "feedback_s": 0.05}
    ordered, _ = segment_link_driver.send(packets, 20, loss_per_packet=0.1, arq=arq)
    loose, counts = segment_link_driver.send(
        packets, 20, loss_per_packet=0.1, arq=arq | {"in_order": False}
    )
    assert [a.number for a in ordered] == list(range(2000))
    assert sorted(a.number for a in loose) == list(range(2000)) != [a.number for a in loose]
    assert counts["again"] > 150
    # In order, each comes when the last of those before it has come.
    came = {a.number: a.time_s for a in loose}
    latest = list(itertools.accumulate((came[i] for i in range(2000)), max))
    assert [a.time_s for a in ordered] == pytest.approx(latest)


def test_a_repetition_comes_after_feedback_and_jitter():
    """A link with nothing else to do: way, feedback, transmission, way."""
    arq = {"persistence": 1000, "feedback_s": 0.03, "jitter_s": 0.02}
    packets = every(1.0, 500)
    arrivals, _ = segment_link_driver.send(packets, 600, loss_per_packet=0.3, arq=arq)
    waits = [a.time_s - a.number for a in arrivals]
    once = [w for w in waits if 0.012 < w < 0.08]  # repeated once: 0.001 + 0.01 each, and 0.03
    assert min(waits) == pytest.approx(0.011)
    assert all(0.022 + 0.03 <= w <= 0.022 + 0.05 for w in once)
    assert statistics.mean(once) == pytest.approx(0.022 + 0.04, abs=0.002)
    assert len(once) == pytest.approx(500 * 0.3 * 0.7, abs=35)


def test_stop_and_wait_waits_for_each_acknowledgment():
    arq = {"persistence": 7, "feedback_s": 0.002, "mode": "stop and wait"}
    arrivals, _ = segment_link_driver.send(every(0, 50), 10, arq=arq)
    times = [a.time_s for a in arrivals]
    each = 0.001 + DELAY_S + 0.002  # transmission, way, acknowledgment
    assert [b - a for a, b in itertools.pairwise(times)] == pytest.approx([each] * 49)


def test_arq_repairs_outages_up_to_its_persistence():
    outage = [{"start_s": 0.5, "duration_s": 0.2}]
    patient = {"persistence": 100, "feedback_s": 0.01}
    impatient = {"persistence": 3, "feedback_s": 0.01}
    packets = every(0.01, 100)
    all_of_them, _ = segment_link_driver.send(packets, 20, outages=outage, arq=patient)
    some, counts = segment_link_driver.send(packets, 20, outages=outage, arq=impatient)
    assert len(all_of_them) == 100
    assert counts["outage"] == 100 - len(some) > 5


# --- traces (Mahimahi)


def replayed(packets, trace_ms, delay_s):
    """Return when each packet has left, ms by ms: a chance takes 1500 bytes of the queue."""
    waiting, out = [], []
    packets = list(packets)
    for lap in itertools.count():
        for entry in trace_ms:
            now = (lap * trace_ms[-1] + entry) / 1000
            while packets and packets[0][0] <= now:
                _, size, _ = packets.pop(0)
                waiting.append([len(waiting) + len(out), size])
            room = 1500
            while waiting and room > 0:
                used = min(room, waiting[0][1])
                room -= used
                waiting[0][1] -= used
                if waiting[0][1] == 0:
                    out.append((waiting.pop(0)[0], now + delay_s))
            if not packets and not waiting:
                return out


@pytest.mark.parametrize("trace", [(1,), (1, 5, 5, 12), (0, 0, 7), (3, 100), (10, 10, 10, 10)])
def test_a_trace_is_followed_as_mahimahi_does(trace):
    rng = random.Random(str(trace))
    times = sorted(rng.uniform(0, 1.5) for _ in range(150))
    packets = [(round(t, 7), rng.choice([60, 700, 1500, 2999]), False) for t in times]
    rate_bps = 12_000_000 * len(trace) / trace[-1]
    arrivals, _ = segment_link_driver.send(packets, 60, rate_bps=rate_bps, delivery_ms=trace)
    expected = replayed(packets, trace, DELAY_S)
    assert [a.number for a in arrivals] == [number for number, _ in expected]
    assert [a.time_s for a in arrivals] == pytest.approx([time for _, time in expected])


def test_a_flow_gets_what_the_trace_gives(tmp_path):
    file = tmp_path / "trace"
    file.write_text("\n".join(str(ms) for ms in range(2, 2001, 2)) + "\n")
    link = mahimahi(file)
    assert link["rate_bps"] == 6e6
    result = segment.simulate(scenario(**link))
    assert result.flows["goodput_bps"][0] == pytest.approx(6e6 * 1000 / 1054, rel=0.02)


@pytest.mark.parametrize(
    ("text", "words"), [("1\nx\n", "one whole number"), ("", "one time"), ("0\n", "after 0 ms")]
)
def test_what_is_no_trace_is_refused(tmp_path, text, words):
    file = tmp_path / "trace"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        mahimahi(file)
    with pytest.raises(InputError, match="cannot be read"):
        mahimahi(tmp_path / "nothing")


# --- RED (Floyd and Jacobson 1993)


def test_red_marks_at_uniform_distances():
    """A constant queue of ten: p_b = 0.02 (10 - 5) / (15 - 5), distances uniform from 1 to 1 / p_b.

    Section 7 of the paper, method 2. As many come as go, and what is marked is not dropped.
    """
    packets = every(0, 11, ect=True) + every(0.001, 30_000, ect=True, begin_s=0.0005)
    red = {"kind": "red", "queue_weight": 1}
    arrivals, counts = segment_link_driver.send(packets, 60, aqm=red)
    marked = [a.number for a in arrivals if a.marked and a.number > 20]
    distances = [b - a for a, b in itertools.pairwise(marked)]
    assert max(distances) <= 100
    assert statistics.mean(distances) == pytest.approx(50.5, abs=4 * 28.9 / math.sqrt(590))
    assert statistics.pstdev(distances) == pytest.approx(28.9, rel=0.1)
    assert counts["early"] == counts["overflow"] == 0


def test_red_drops_all_above_its_largest_threshold():
    """A weight of 1: the mean is the queue. No packet finds more than 15 waiting and gets in."""
    red = {"kind": "red", "queue_weight": 1, "max_probability": 1e-9}
    arrivals, counts = segment_link_driver.send(every(0, 100, ect=True), 10, aqm=red)
    assert len(arrivals) == 16  # one is being transmitted
    assert counts["early"] == 84
    assert counts["marked"] == 0
    gentle, _ = segment_link_driver.send(every(0, 100), 10, aqm=red | {"gentle": True})
    assert 16 < len(gentle) <= 31


def red_link(packets, weight, most):
    """Return what gets through where RED drops only from the threshold `most` on.

    The mean by section 4 of the paper: it decays by what could have been sent while nothing waited.
    """
    begins, kept, mean = [], [], 0.0
    idle_since = free = 0.0
    for number, (at, size, _) in enumerate(packets):
        begins = [begin for begin in begins if begin > at] or begins[-1:]
        waiting = sum(begin > at for begin in begins)
        if waiting:
            mean += weight * (waiting - mean)
        else:
            idle_since = max(idle_since, begins[-1] if begins else 0.0)
            mean *= (1 - weight) ** ((at - idle_since) / (8 * size / RATE_BPS))
            idle_since = at  # what it could have sent before is counted
        if mean < most:
            kept.append(number)
            begins.append(max(free, at))
            free = begins[-1] + 8 * size / RATE_BPS
    return kept


@pytest.mark.parametrize(("weight", "most"), [(0.002, 4), (0.02, 15), (0.3, 40)])
def test_red_follows_the_mean_and_lets_it_decay_while_nothing_waits(weight, most):
    rng = random.Random(weight)
    now, packets = 0.0, []
    for _ in range(20_000):
        now += rng.expovariate(1500)
        if rng.random() < 0.002:
            now += rng.uniform(0, 0.3)
        packets.append((round(now, 9), rng.choice([60, 1000, 1400]), False))
    red = {"kind": "red", "queue_weight": weight, "max_probability": 1e-12}
    red |= {"min_threshold_packets": 0.5, "max_threshold_packets": most}
    arrivals, counts = segment_link_driver.send(packets, 60, aqm=red)
    assert [a.number for a in arrivals] == red_link(packets, weight, most)
    assert counts["early"] > 100


# --- CoDel (RFC 8289), worked out a second time from its section 5


class Codel:
    def __init__(self, target_s, interval_s, ecn):
        self.target_s, self.interval_s, self.ecn = target_s, interval_s, ecn
        self.queue, self.bytes, self.largest = deque(), 0, 0
        self.first_above_s = self.drop_next_s = 0.0
        self.count = self.last_count = 0
        self.dropping = False

    def pop(self, now_s):
        if not self.queue:
            self.first_above_s = 0.0
            return None, False
        packet = self.queue.popleft()
        self.bytes -= packet[2]
        self.largest = max(self.largest, packet[2])
        waited_s = now_s - packet[1]
        if waited_s < self.target_s - 1e-12 or self.bytes <= self.largest:
            self.first_above_s = 0.0
            return packet, False
        if self.first_above_s == 0:
            self.first_above_s = now_s + self.interval_s
            return packet, False
        return packet, now_s >= self.first_above_s - 1e-12

    def law(self, time_s):
        return time_s + self.interval_s / math.sqrt(self.count)

    def dequeue(self, now_s):
        packet, late = self.pop(now_s)
        marked = False
        if self.dropping:
            if not late:
                self.dropping = False
            while self.dropping and now_s >= self.drop_next_s - 1e-9 and not marked:
                self.count += 1
                if self.ecn and packet[3]:
                    marked = True
                    self.drop_next_s = self.law(self.drop_next_s)
                    continue
                packet, late = self.pop(now_s)
                if late:
                    self.drop_next_s = self.law(self.drop_next_s)
                else:
                    self.dropping = False
        elif late:
            if self.ecn and packet[3]:
                marked = True
            else:
                packet, _ = self.pop(now_s)
            self.dropping = True
            delta = self.count - self.last_count
            recent = now_s - self.drop_next_s < 16 * self.interval_s
            self.count = delta if delta > 1 and recent else 1
            self.drop_next_s = self.law(now_s)
            self.last_count = self.count
        return packet, marked


def codel_link(packets, codel):
    """Return what arrives when, and marked or not, behind a queue with no limit."""
    coming, out, free_s = deque(enumerate(packets)), [], 0.0
    while coming or codel.queue:
        if not codel.queue or (coming and coming[0][1][0] <= free_s):
            number, (at, size, ect) = coming.popleft()
            codel.queue.append((number, at, size, ect))
            codel.bytes += size
            free_s = max(free_s, at) if len(codel.queue) == 1 else free_s
            if coming and coming[0][1][0] <= free_s:
                continue
        packet, marked = codel.dequeue(free_s)
        if packet:
            free_s += 8 * packet[2] / RATE_BPS
            out.append((packet[0], free_s + DELAY_S, marked))
    return out


@pytest.mark.parametrize("ecn", [False, True])
@pytest.mark.parametrize("load", [1.05, 1.3, 2.0])
def test_codel_drops_what_its_pseudocode_drops(load, ecn):
    rng = random.Random(load)
    now, packets = 0.0, []
    for _ in range(8000):
        now += rng.expovariate(load * 1000)
        if rng.random() < 0.0005:
            now += rng.uniform(0, 0.5)  # quiet times, in which it stops dropping
        packets.append((round(now, 9), 1000, rng.random() < 0.5))
    aqm = {"kind": "codel", "ecn": ecn}
    arrivals, counts = segment_link_driver.send(packets, 60, queue_packets=100_000, aqm=aqm)
    expected = codel_link(packets, Codel(0.005, 0.1, ecn))
    assert counts["early"] > 20
    assert (counts["marked"] > 20) == ecn
    assert [(a.number, a.marked) for a in arrivals] == [(n, m) for n, _, m in expected]
    assert [a.time_s for a in arrivals] == pytest.approx([time for _, time, _ in expected])


# --- PIE (RFC 8033)


def pie_history(packets, arrivals, until_s):
    """Return the probability from each update on, worked out from the waits of what came out."""
    waits = [
        (a.time_s - DELAY_S - 8 * packets[a.number][1] / RATE_BPS, packets[a.number][0], a.number)
        for a in arrivals
    ]
    history, probability, before, burst = [], 0.0, 0.0, 0.15
    gone, delay_s = 0, 0.0
    times_in = sorted(packets[a.number][0] for a in arrivals)
    steps = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2), (9, 1))
    come = 0
    for update in range(1, int(until_s / 0.015)):
        now = 0.015 * update
        while gone < len(waits) and waits[gone][0] < now - 1e-9:
            left, came, _ = waits[gone]
            gone += 1
            while come < len(times_in) and times_in[come] <= left + 1e-12:
                come += 1
            delay_s = left - came if come > gone else 0.0
        change = 0.125 * (delay_s - 0.015) + 1.25 * (delay_s - before)
        change /= next(divisor for limit, divisor in steps if probability < limit)
        if probability >= 0.1:
            change = min(change, 0.02)
        probability += change
        if delay_s == before == 0:
            probability *= 0.98
        probability = min(1.0, max(0.0, probability))
        burst = max(0.0, burst - 0.015)
        if probability == 0 and delay_s < 0.0075 and before < 0.0075:
            burst = 0.15
        before = delay_s
        history.append((now, probability, burst, delay_s))
    return history


def test_pie_drops_nothing_early_where_there_is_no_room():
    """Appendix A: a packet that finds the queue full is lost to that, whatever PIE would draw."""
    pie, room, rng = {"kind": "pie", "target_s": 0.005}, 12, random.Random(1)
    times_s = [round(rng.uniform(0, 16), 9) for _ in range(20_000)]
    packets = [(at_s, 1000, False) for at_s in sorted(times_s)]
    arrivals, counts = segment_link_driver.send(packets, 20, queue_packets=room, aqm=pie)
    came = np.array([a.number for a in arrivals])
    leaves = np.array([a.time_s - DELAY_S for a in arrivals]) - 8 * packets[0][1] / RATE_BPS
    lost = sorted({*range(len(packets))} - {a.number for a in arrivals})
    waiting = [((came < n) & (leaves > packets[n][0] + 1e-12)).sum() for n in lost]
    found_full = waiting.count(room)
    assert counts["early"] > 20
    assert counts["overflow"] == found_full > 20


@pytest.mark.parametrize(("waiting", "renewed"), [(6, True), (9, False)])
def test_pie_renews_its_allowance_for_bursts_where_the_delay_is_below_half_the_target(
    waiting, renewed
):
    """Section 4.4: so many ms stand in the queue for 0.4 s, and then ten times the load comes."""
    packets = every(0, waiting + 1) + every(0.001, 399, begin_s=0.0015)
    packets += every(0.0001, 2000, begin_s=0.4)
    packets.sort()
    pie = {"kind": "pie"}  # a target of 15 ms, and an allowance of 150 ms
    arrivals, _ = segment_link_driver.send(packets, 20, queue_packets=10**5, aqm=pie)
    first = next(i for i, arrival in enumerate(arrivals) if arrival.number != i)
    assert (packets[first][0] >= 0.4 + 0.15 - 0.015) == renewed


def test_a_delay_of_just_half_the_target_renews_no_allowance():
    """Each packet waits 8.5 ms, and those after a gap 7.5 ms: no two updates in a row find less
    than half the target."""
    packets = every(0, 10) + every(0.001, 390, begin_s=0.0015)
    packets += every(0.001, 13, begin_s=0.3925) + every(0.0001, 2000, begin_s=0.4055)
    packets.sort()
    pie = {"kind": "pie", "target_s": 2 * (1e-9 * 8_500_000)}
    arrivals, _ = segment_link_driver.send(packets, 20, queue_packets=10**5, aqm=pie)
    first = next(i for i, arrival in enumerate(arrivals) if arrival.number != i)
    assert packets[first][0] < 0.405 + 0.15 - 0.015


@pytest.mark.parametrize("load", [1.1, 1.5])
def test_pie_drops_when_probabilities_have_added_up(load):
    """Derandomized (section 5.4): since the last drop they add up to 0.85 at least, 8.5 at most."""
    packets = every(0.001 / load, 40_000, begin_s=0.0003)
    arrivals, counts = segment_link_driver.send(
        packets, 60, queue_packets=100_000, aqm={"kind": "pie"}
    )
    history = pie_history(packets, arrivals, packets[-1][0])
    came = {a.number for a in arrivals}
    leaves = [a.time_s - DELAY_S - 0.001 for a in arrivals]
    update, total, drops, gone, kept = -1, 0.0, 0, 0, 0
    for number, (at, _, _) in enumerate(packets):
        while update + 1 < len(history) and history[update + 1][0] < at - 1e-9:
            update += 1
        while gone < len(leaves) and leaves[gone] < at - 1e-9:
            gone += 1
        waiting = kept - gone
        kept += number in came
        _, probability, burst, delay_s = history[update] if update >= 0 else (0, 0, 1, 0)
        if burst > 0 or (delay_s < 0.0075 and probability < 0.2) or waiting <= 2:
            assert number in came
            continue
        total = 0.0 if probability == 0 else total + probability
        if number not in came:
            drops += 1
            assert 0.85 - 1e-9 <= total <= 8.5 + 1
            total = 0.0
        else:
            assert total < 8.5
    assert drops == counts["early"] > 1000
    # What cannot go through is dropped, and the wait is the target's.
    late = [delay_s for now, _, _, delay_s in history if now > 10]
    assert counts["early"] / len(packets) == pytest.approx(1 - 1 / load, abs=0.02)
    assert statistics.mean(late) == pytest.approx(0.015, rel=0.1)


def test_pie_marks_only_while_the_probability_is_small():
    packets = every(0.001 / 1.05, 20_000, ect=True)
    _, mild = segment_link_driver.send(packets, 30, queue_packets=100_000, aqm={"kind": "pie"})
    _, none = segment_link_driver.send(
        packets, 30, queue_packets=100_000, aqm={"kind": "pie", "mark_below": 0}
    )
    assert mild["marked"] > 100
    assert none["marked"] == 0
    assert none["early"] > 500


# --- with TCP


@pytest.mark.parametrize("kind", ["red", "codel", "pie"])
def test_a_managed_queue_is_short_and_marks_instead_of_dropping(kind):
    """Four flows over a queue of half a second: managed, they wait less and fill the link."""
    flows = [
        {
            "source": "a",
            "target": "b",
            "congestion_control": "newreno",
            "initial_ssthresh_segments": 10,
            "start_s": 0.1 * i,
        }
        for i in range(4)
    ]
    record = {"series": ["rtt_s"], "points": 500}

    def run(ecn, **link):
        links = duplex("a", "b", rate_bps=10e6, delay_s=0.02, queue_packets=600, **link)
        result = segment.simulate(
            Scenario(
                links=links,
                flows=[flow | {"ecn": ecn} for flow in flows],
                duration_s=40,
                record=record,
            )
        )
        rtt = result.traces["rtt_s"]
        return result, float(rtt[rtt["time_s"] > 10]["rtt_s"].median())

    plain, slow = run(False)
    managed, quick = run(False, aqm={"kind": kind})
    marking, quick_too = run(True, aqm={"kind": kind})
    assert slow > 0.25
    assert quick < 0.08
    assert quick_too < 0.08
    assert managed.flows["goodput_bps"].sum() > 0.85 * plain.flows["goodput_bps"].sum()
    assert managed.links["packets_dropped_early"][0] > 20
    assert marking.links["packets_marked"][0] > 20
    assert marking.flows["retransmissions"].sum() < managed.flows["retransmissions"].sum() / 2


def test_marks_are_counted_at_a_plain_link_too():
    """Of a path whose other direction has assistance, as at one where that never acts."""
    idle = {"arq": {"persistence": 1, "feedback_s": 0.0}}
    flow = {"source": "a", "target": "b", "congestion_control": "newreno", "ecn": True}

    def marked(**link):
        links = duplex("a", "b", rate_bps=10e6, delay_s=0.02, queue_packets=600)
        own = [{"mark_above_packets": 10} | link, idle]
        changed = [one.model_dump() | more for one, more in zip(links, own, strict=True)]
        result = segment.simulate(Scenario(links=changed, flows=[flow], duration_s=10))
        return int(result.links["packets_marked"][0])

    assert marked() == marked(**idle) > 20


@pytest.mark.parametrize("kind", ["red", "codel", "pie"])
def test_what_ecn_does_not_save_is_the_first_slow_start(kind):
    """Without a threshold four senders double into the empty queue. RED then passes the threshold
    above which all are dropped, marked or not, PIE the probability above which it marks none
    (RFC 8033, 5.1): these drops ECN cannot save. CoDel has no such limit. Later none is dropped."""
    links = duplex("a", "b", rate_bps=10e6, delay_s=0.02, queue_packets=600, aqm={"kind": kind})
    flow = {"source": "a", "target": "b", "congestion_control": "newreno", "ecn": True}
    flows = [flow | {"start_s": 0.1 * i} for i in range(4)]

    def sent_again(duration_s):
        result = segment.simulate(Scenario(links=links, flows=flows, duration_s=duration_s))
        return int(result.flows["retransmissions"].sum()), int(result.links["packets_marked"][0])

    early, late = sent_again(10), sent_again(40)
    assert late[0] == early[0]
    assert (early[0] > 300) == (kind != "codel")
    assert (early[0] == 0) == (kind == "codel")
    assert late[1] > early[1] + 100


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("loss_bursts", {"loss_per_packet": 0.01, "mean_packets": 3}),
        ("arq", {"persistence": 3, "feedback_s": 0.01}),
        ("delivery_ms", [1]),
        ("aqm", {"kind": "codel"}),
    ],
)
def test_other_engines_refuse_assistance_by_its_field(field, value):
    link = {field: value} | ({"rate_bps": 12e6} if field == "delivery_ms" else {})
    wanted = scenario(**link)
    asks = [lambda: linux.planning.check(wanted), lambda: ns2.planning.check(wanted)]
    if field in ("arq", "delivery_ms"):  # the others ns-3 has too, and Linux's tc
        asks += [lambda: ns3.request(wanted), lambda: export(wanted, "netns")]
    for ask in asks:
        with pytest.raises(InputError, match=f"^.*links.0.{field}") as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_what_assistance_did_is_told_of_every_link_and_kept():
    """So that a result's table has no holes, which its archive could not hold."""
    links = duplex("a", "b", rate_bps=5e6, delay_s=0.02, queue_packets=100, aqm={"kind": "codel"})
    links += duplex("b", "c", rate_bps=50e6, delay_s=0.02, queue_packets=100)
    flow = {"source": "a", "target": "c", "congestion_control": "newreno"}
    result = segment.simulate(Scenario(links=links, flows=[flow], duration_s=10))
    columns = ["packets_dropped_early", "packets_marked", "packets_sent_again"]
    assert result.links[columns].notna().all(axis=None)
    assert result.links["packets_dropped_early"].tolist()[1:] == [0, 0, 0]
    assert result.links["packets_dropped_early"][0] > 0
    again = Result.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    pd.testing.assert_frame_equal(again.links, result.links)
    plain = segment.simulate(scenario())
    assert (plain.links[columns] == 0).all(axis=None)
