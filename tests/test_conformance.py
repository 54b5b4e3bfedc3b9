"""The segment engine's sender, stepped ACK by ACK, against the rules of the RFCs.

Every test says which section it is about and works the expected numbers out from its rules; none of
them was taken from what the engine prints. Of what a test does not say: segments are of 1000 bytes
and counted from 0, the SYN takes 0.1 s, so that a first flight leaves at 0.1 s and its ACKs come
from 0.2 s on, and nothing has timestamps.
"""

import math
import random

import pytest
from sender_driver import play

from longfat import builds

pytestmark = pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler")

SMSS = 1000


def step(commands, window=10, **flow):
    """Give a sender, after its first flight, the commands; return its answers to them."""
    settings = {"initial_window_segments": window, "timestamps": False} | flow
    return play(["synack 0.1", *commands], **settings)[1:]


def ms(number):
    """Return when the ACK with that number from 0 on comes: 1 ms apart, from 0.2 s on."""
    return f"{0.2 + 0.001 * number:.3f}"


def reports(segments, number=0, first=0):
    """Return an ACK for the arrival of each of those segments, with all so far as SACK blocks.

    The first block has the newest segment (RFC 2018, section 4); there are three at most.
    """
    lines = []
    came = []
    for count, segment in enumerate(segments, start=first):
        came = [(b, e) for b, e in came if segment not in (b - 1, e)] + [
            (
                min([segment, *(b for b, e in came if e == segment)]),
                max([segment + 1, *(e for b, e in came if b == segment + 1)]),
            )
        ]
        blocks = " ".join(f"{begin}-{end}" for begin, end in came[:-4:-1])
        lines.append(f"ack {ms(count)} {number} {blocks}")
    return lines


def duplicates(count, number=0, first=0):
    """Return so many ACKs with that number, without SACK."""
    return [f"ack {ms(first + i)} {number}" for i in range(count)]


def numbers(answer):
    return [segment for _, segment, kind in answer["sent"] if kind != "SYN"]


def all_numbers(answers):
    return [numbers(answer) for answer in answers]


def timeouts(answer):
    """Return when segments were sent, and which: by a timer, where no ACK came."""
    return [(time, segment) for time, segment, _ in answer["sent"]]


# --- one loss, with SACK


def prr_windows(acks, flight, reported, ssthresh):
    """RFC 9937, section 6, with one segment lost: bytes allowed in flight after each ACK.

    `acks` are ACKs that each report one segment, from that which begins the recovery on; when they
    come, `flight` segments are outstanding and `reported` of them have been reported before.
    Segments are sent while what is allowed has room for a whole one.
    """
    recover_fs = (flight - reported) * SMSS
    pipe = (flight - reported - 1) * SMSS  # without the one that is lost
    delivered = out = 0
    windows, counts = [], []
    for _ in range(acks):
        pipe -= SMSS
        delivered += SMSS
        if pipe > ssthresh:
            allowed = math.ceil(delivered * ssthresh / recover_fs) - out
        else:  # none of these advances: no SafeACK
            allowed = min(max(delivered - out, SMSS), ssthresh - pipe)
        if out == 0:
            allowed = max(allowed, SMSS)  # the fast retransmit
        windows.append((pipe + allowed) / SMSS)
        counts.append(max(allowed, 0) // SMSS)
        out += counts[-1] * SMSS
        pipe += counts[-1] * SMSS
    return windows, counts


def test_one_loss_is_sent_again_at_the_third_report():
    """RFC 6675, section 5, with RFC 3042: two new segments, then the head, then as PRR allows.

    Ten segments, the first is lost. Reports of 1 and 2 leave room for 10 and 11 (RFC 6675, 5, (3)).
    With that of 3 the recovery begins: FlightSize is 10, for the two of limited transmit do not
    count (RFC 5681, 3.2, step 2), so that ssthresh is 5, and the head is sent at once. RecoverFS is
    12 outstanding less 2 reported before, 10: of two segments that arrive one may be sent.
    """
    answers = step(reports(range(1, 12)))
    assert all_numbers(answers[:3]) == [[10], [11], [0]]
    assert [a["state"] for a in answers[:3]] == ["disorder", "disorder", "recovery"]
    assert {a["ssthresh"] for a in answers[2:]} == {5}
    windows, counts = prr_windows(9, flight=12, reported=2, ssthresh=5 * SMSS)
    assert [a["cwnd"] for a in answers[2:]] == windows
    assert [len(a["sent"]) for a in answers[2:]] == counts
    assert all_numbers(answers[2:]) == [[0], [], [], [12], [], [], [13], [14], [15]]


def test_a_recovery_ends_with_the_window_at_ssthresh():
    """RFC 9937, section 6, and RFC 6675, 5.1: beyond RecoveryPoint, 12, cwnd is ssthresh.

    The ACK that ends it is one of new data, for which congestion avoidance adds SMSS^2 / cwnd (RFC
    5681, 3.1, equation (3)): a fifth of a segment.
    """
    last = step([*reports(range(1, 12)), "ack 0.302 12"])[-1]
    assert (last["state"], last["ssthresh"], last["cwnd"]) == ("open", 5, 5.2)


def test_flight_size_is_all_that_is_outstanding():
    """RFC 5681, 3.1, equation (4), not what is in flight by RFC 6675.

    At the third report 12 are outstanding, two of them by limited transmit: 10 / 2. In the pipe are
    12 without 3 reported and 1 lost: 8 / 2.
    """
    assert step(reports(range(1, 4)))[-1]["ssthresh"] == 5


def test_halving_sends_nothing_before_half_of_the_window_has_arrived():
    """RFC 6675, section 5, steps 4.2 and (C): cwnd is 5 at once, the pipe comes down from 8.

    The head makes it 9, and each report 1 less: 5 after the seventh report, 4 after the eighth,
    when one may be sent, and from then on one for each.
    """
    answers = step(reports(range(1, 12)), recovery="halving")
    assert all_numbers(answers[2:]) == [[0], [], [], [], [], [12], [13], [14], [15]]
    assert {a["cwnd"] for a in answers[2:]} == {5}


# --- proportional rate reduction


def sent_of(commands, **settings):
    """Return how many segments a recovery sends by the end of the commands, the head among them."""
    answers = step(commands, **settings)
    begin = next(i for i, a in enumerate(answers) if a["state"] == "recovery")
    return sum(len(a["sent"]) for a in answers[begin:])


def test_prr_sends_one_for_two_also_in_a_large_window():
    """RFC 9937, section 6: ssthresh / RecoverFS is 1/2, also where the product needs 64 bits.

    Of 600 segments 200 arrive in the recovery: 100 may be sent.
    """
    assert sent_of(reports(range(1, 203)), window=600) == 100


def test_prr_counts_what_arrives_once():
    """RFC 9937, section 6, DeliveredData: of 100 segments 20 arrive in the recovery, for 10."""
    assert sent_of(reports(range(1, 23)), window=100) == 10


def test_prr_divides_by_what_was_outstanding():
    """RFC 9937, section 6, RecoverFS, not what is in flight.

    Of 20 segments the even ones are lost. Three reports begin the recovery; limited transmit has
    added 2, so that RecoverFS is 22 - 2 = 20 and ssthresh 10. In the pipe are then 22 without three
    reported and one lost (of the even ones only 0 has three reports above it), 18. The head is
    sent. The next report makes 2 lost: of 22, four are reported, two lost and one is there again,
    17. Two have arrived: ceil(2 * 10 / 20) - 1 is 0 segments, but ceil(2000 * 10000 / 18000) - 1000
    is 112 bytes.
    """
    assert step(reports([1, 3, 5, 7]), window=20)[-1]["cwnd"] == 17


def test_prr_is_careful_when_an_ack_shows_a_further_loss():
    """RFC 9937, section 6, SafeACK: it allows no segment more.

    Of 20 segments 0 and 5 to 18 are lost. At the report of 3 the head is sent again; that of 4
    makes two that have arrived, for which ceil(2 * 10 / 20) = 1 has been sent. The next ACK that
    gets through advances to 5 and reports 19 to 21: 5 to 18 are lost, nothing is in the pipe, and 0
    and 19 to 21 are 4 delivered, 6 in all: max(6 - 1, 4) = 5 may be sent.
    """
    commands = [*reports([1, 2, 3, 4]), "ack 0.31 5 19-22"]
    assert numbers(step(commands, window=20)[-1]) == [5, 6, 7, 8, 9]


# --- several losses


def lossy(window, lost, until_s=2.0, sack=True, **settings):
    """Run a sender against the receiver of peer.h; return the answers, an ACK each.

    `lost` has (segment, transmission), 1 the first. The round trip takes 0.1 s and 1 ms a segment.
    """
    words = " ".join(f"lose={segment}.{transmission}" for segment, transmission in lost)
    flow = {"initial_window_segments": window, "timestamps": False, "sack": sack} | settings
    return play([f"peer {until_s} 0.1 0.001 {int(sack)} {words}"], **flow)


def again(answers):
    """Return the segments that are sent more than once, in the order in which they are."""
    seen, found = set(), []
    for answer in answers:
        for segment in numbers(answer):
            if segment in seen:
                found.append(segment)
            seen.add(segment)
    return found


def test_what_is_lost_is_sent_before_what_is_new():
    """RFC 6675, section 4, NextSeg (1) and (2); IsLost: three segments reported above it.

    20 segments; 0, 1 and 16 are lost. At the report of 4, 0 and 1 are lost and 0 is sent; 1 is
    next. 16 is not lost before 17, 18 and 19 are reported; until then what is sent is new.
    """
    answers = step(reports([*range(2, 16), 17, 18, 19]), window=20)
    sent = all_numbers(answers)
    assert sent[:3] == [[20], [21], [0]]
    rest = [segment for some in sent[3:-1] for segment in some]
    assert rest == [1, *range(22, 21 + len(rest))]
    assert sent[-1][0] == 16


def test_what_may_be_lost_is_sent_when_there_is_nothing_else():
    """RFC 6675, section 4, NextSeg (3): eleven segments in all; 0 and 8 are lost.

    Nothing new is there. ssthresh is 5.5. The report of 7 leaves 4 in the pipe (11, less 7 reported
    and one lost, and that again): there is room, and nothing but rule (4) allows a segment, the
    last. With that of 9 there is room again (11 - 8 - 1 + 2 = 4); 8 has one reported above it,
    which is two too few for rule (1), but it is below the highest reported.
    """
    order = [1, 2, 3, 4, 5, 6, 7, 9]
    answers = step(reports(order), window=11, bytes=11 * SMSS)
    assert all_numbers(answers) == [[], [], [0], [], [], [], [10], [8]]


def test_the_last_segment_is_rescued_once():
    """RFC 6675, section 4, NextSeg (4), before the timer does.

    Eleven segments in all; 0 and the last are lost. No report is above 10, so that no other rule
    allows it.
    """
    commands = [*reports(range(1, 10)), "run 0.9"]
    answers = step(commands, window=11, bytes=11 * SMSS)
    assert [segment for answer in answers for segment in numbers(answer)] == [0, 10]


def test_there_is_one_rescue_in_a_recovery():
    """RFC 6675, section 4, NextSeg (4): what a wider window lets out after it is none.

    0 and 10 are lost, as above, and for 11 there is room later.
    """
    commands = [f"{line} window=11000" for line in reports(range(1, 10))]
    commands += [f"ack {0.22 + i / 100:.2f} 0 1-10 window=12000" for i in range(4)]
    answers = step(commands, window=11)
    assert [segment for answer in answers for segment in numbers(answer)] == [0, 10, 11]


def test_a_segment_is_lost_by_three_reports_whatever_their_order():
    """RFC 6675, section 4, IsLost.

    0 and 5 are lost; 8 is reported before 7. With 6, 8 and 7 there are three above 5. 23 have been
    sent (two by limited transmit, one for two of the four that have
    arrived in the recovery), 7 reported, 0 and 5 are lost and 0 is there again: 15 in the pipe.
    """
    assert step(reports([1, 2, 3, 4, 6, 8, 7]), window=20)[-1]["pipe"] == 15


@pytest.mark.parametrize("window", [30, 99, 300])
def test_a_third_of_a_window_is_recovered_without_a_timeout(window):
    """RFC 6675, section 5, and RFC 9937: each lost segment is sent again once, in order."""
    lost = range(0, window, 3)
    answers = lossy(window, [(segment, 1) for segment in lost], until_s=0.9)
    assert again(answers) == list(lost)
    assert (answers[-1]["recoveries"], answers[-1]["timeouts"]) == (1, 0)
    first_open = next(a for a in answers if a["recoveries"] == 1 and a["state"] == "open")
    assert first_open["ssthresh"] == window / 2
    assert window / 2 <= first_open["cwnd"] <= window / 2 + 2 / window + 1e-9


class Reference:
    """A sender in recovery, written from RFC 6675 and 9937 alone: slowly, over sets of segments.

    It begins with the window full and the head lost. Of a lost retransmission it knows as RFC 8985
    does, by the order of transmissions: three that were sent later have arrived.
    """

    def __init__(self, window):
        self.una, self.nxt = 0, window
        self.cwnd = window * SMSS
        self.order = {segment: segment for segment in range(window)}
        self.transmissions = window
        self.sacked, self.lost, self.out_again, self.arrived = set(), set(), set(), set()
        self.recover = None
        self.delivered = self.out = 0
        self.reduced_after = 0
        self.ssthresh = None
        self.reports = 0

    def outstanding(self):
        return range(self.una, self.nxt)

    def pipe(self):
        """SetPipe of section 4, in bytes."""
        waiting = [s for s in self.outstanding() if s not in self.sacked]
        return SMSS * sum((s not in self.lost) + (s in self.out_again) for s in waiting)

    def on_ack(self, number, blocks):
        """Return what is sent."""
        covered = set(range(self.una, number)) | {s for b, e in blocks for s in range(b, e)}
        new = {s for s in covered if self.una <= s < self.nxt} - self.sacked
        advances = number > self.una
        self.una = number
        self.sacked = {s for s in self.sacked | new if s >= number}
        self.out_again -= new | self.sacked | set(range(number))
        self.arrived |= {self.order[s] for s in new}
        lost_before = len(self.lost)
        again = self.find_lost()
        sent = []
        if self.recover is not None and number >= self.recover:
            self.recover = None
            self.reports = 0
            self.cwnd = self.ssthresh + SMSS * SMSS // self.ssthresh  # RFC 5681, (3)
        if self.recover is None:
            self.reports += any(s >= number for s in new)
            if self.reports == 3 or self.una in self.lost:
                self.lost.add(self.una)
                self.enter(len(new))
                sent.append(self.send(self.una))
        elif again:  # RFC 5681, 4.3: lowered a second time
            self.enter(len(new))
        elif new:
            self.react(len(new), advances and len(self.lost) <= lost_before)
        while self.cwnd - self.pipe() >= SMSS and (segment := self.next_segment()) is not None:
            sent.append(self.send(segment))
        return sent

    def find_lost(self):
        for s in self.outstanding():
            if s not in self.sacked and sum(other > s for other in self.sacked) >= 3:
                self.lost.add(s)
        self.lost -= self.sacked | {s for s in self.lost if s < self.una}
        again = {s for s in self.out_again if sum(o > self.order[s] for o in self.arrived) >= 3}
        self.out_again -= again
        return any(self.order[s] >= self.reduced_after for s in again)

    def enter(self, delivered):
        """RFC 9937, section 6: RecoverFS leaves out what had been reported before this ACK."""
        outstanding = self.nxt - self.una
        self.recover = self.nxt
        self.reduced_after = self.transmissions
        self.ssthresh = max(min(outstanding * SMSS, self.cwnd) // 2, 2 * SMSS)
        self.recover_fs = (outstanding - len(self.sacked) + delivered) * SMSS
        self.delivered = self.out = 0
        self.react(delivered, False)

    def react(self, delivered, safe):
        """Section 6 of RFC 9937."""
        delivered *= SMSS
        self.delivered += delivered
        pipe = self.pipe()
        if pipe > self.ssthresh:
            allowed = -(-self.delivered * self.ssthresh // self.recover_fs) - self.out
        else:
            allowed = max(self.delivered - self.out, delivered) + SMSS * safe
            allowed = min(allowed, self.ssthresh - pipe)
        if self.out == 0:
            allowed = max(allowed, SMSS)
        self.cwnd = pipe + max(allowed, 0)

    def next_segment(self):
        """NextSeg, (1) and (2): there is always something new."""
        waiting = (s for s in sorted(self.lost) if s not in self.out_again)
        return next(waiting, self.nxt)

    def send(self, segment):
        if segment == self.nxt:
            self.nxt += 1
        else:
            self.out_again.add(segment)
        self.order[segment] = self.transmissions
        self.transmissions += 1
        self.out += SMSS if self.recover is not None else 0
        return segment


@pytest.mark.parametrize("seed", range(12))
def test_every_ack_of_a_recovery_is_answered_as_a_second_sender_does(seed):
    """RFC 6675 and 9937, ACK by ACK: windows of 8 to 200, the head and up to half of them lost.

    With odd seeds every fifth of those is lost a second time.
    """
    chance = random.Random(seed)
    window = chance.randrange(8, 200)
    count = 1 + chance.randrange(max(window // (2 + seed % 5), 1))
    lost = {0} | set(chance.sample(range(1, window - 4), min(count, window - 5)))
    twice = sorted(lost)[seed % 5 :: 5] if seed % 2 else []
    transmissions = [*((segment, 1) for segment in lost), *((segment, 2) for segment in twice)]
    answers = lossy(window, transmissions, until_s=0.9)
    reference = Reference(window)
    compared = 0
    for answer in answers:
        if "ack" not in answer:
            continue
        expected = reference.on_ack(answer["ack"], answer["sack"])
        assert numbers(answer) == expected, answer
        if answer["state"] == "recovery":
            assert answer["cwnd"] * SMSS == pytest.approx(reference.cwnd)
            assert answer["pipe"] * SMSS == reference.pipe()
            compared += 1
        if compared and answer["state"] == "open":
            break
    assert compared >= window - len(lost) - 2
    assert reference.recover is None


# --- a retransmission is lost


def test_a_lost_retransmission_is_sent_again_when_three_later_ones_have_arrived():
    """RFC 8985, 6.2, by order; RFC 5681, 4.3: the window is lowered a second time.

    Ten segments; 0 and its retransmission are lost. After that, 12 to 15 are sent in the recovery
    (see above); reports of 12, 13 and 14 are the three. The window is 5 by then, and so is what of
    FlightSize counts: ssthresh becomes 2.5. Where that is left to the timer, nothing until then.
    """
    commands = reports(range(1, 15))
    answers = step(commands)
    assert [i for i, sent in enumerate(all_numbers(answers)) if 0 in sent] == [2, 13]
    assert answers[12]["ssthresh"] == 5
    assert answers[13]["ssthresh"] == 2.5
    answers = step([*commands, "run 3"], lost_retransmissions="timeout")
    assert [i for i, sent in enumerate(all_numbers(answers)) if 0 in sent] == [2, 14]
    assert (answers[-1]["timeouts"], answers[-2]["ssthresh"]) == (1, 5)


def test_what_is_reported_is_not_in_the_pipe():
    """RFC 6675, section 4, SetPipe: nor is a retransmission.

    0 and 1 are lost and sent again; 1 arrives. In the pipe are the new ones and 0.
    """
    order = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1]
    answer = step(reports(order))[-1]
    new = [s for a in step(reports(order)) for s in numbers(a) if s > 11]
    assert answer["pipe"] == 1 + len(new)


# --- reordering


def test_two_segments_overtaking_one_are_no_loss():
    """RFC 5681, 3.2: two duplicates are no loss. 0 comes after 1 and 2; slow start goes on."""
    answers = step([*reports([1, 2]), f"ack {ms(2)} 3"])
    assert all_numbers(answers[:2]) == [[10], [11]]
    assert (answers[-1]["state"], answers[-1]["recoveries"]) == ("open", 0)
    assert answers[-1]["cwnd"] == 11
    assert 0 not in numbers(answers[-1])


def test_three_segments_overtaking_one_are_taken_for_a_loss():
    """RFC 5681, 3.2: the third is. Nothing tells a sender without DSACK that it was wrong."""
    answers = step([*reports([1, 2, 3]), f"ack {ms(3)} 4"])
    assert numbers(answers[2]) == [0]
    assert (answers[-1]["state"], answers[-1]["ssthresh"]) == ("recovery", 5)


# --- without SACK


def test_limited_transmit_is_for_the_first_two_duplicates():
    """RFC 3042, section 2; RFC 5681, 3.2, steps 1 and 2. Without it there is silence."""
    answers = step(duplicates(4), sack=False)
    assert all_numbers(answers[:3]) == [[10], [11], [0]]
    answers = step(duplicates(4), sack=False, limited_transmit=False)
    assert all_numbers(answers[:3]) == [[], [], [0]]


def test_duplicates_say_nothing_about_which_segments_have_arrived():
    """RFC 3042: 0 and 1 come after 2 and 3, and the new head is not sent again."""
    commands = [*duplicates(2), f"ack {ms(2)} 1", f"ack {ms(3)} 4"]
    assert again_of(step(commands, sack=False)) == []


def again_of(answers, window=10):
    """Return segments of the first flight that are sent again."""
    return [segment for answer in answers for segment in numbers(answer) if segment < window]


def test_duplicates_of_what_a_timeout_sent_again_are_no_loss():
    """RFC 6582, 3.2, step 2, and section 4: nothing up to "recover" begins a fast retransmit.

    Nine of the first ten arrive, but their ACKs are lost; the timer sends all again from the first
    on. Its ACK covers 10, which is no more than what was sent before, and then come duplicates, of
    the others that were sent again: they begin no recovery.
    """
    commands = ["run 1.15", "ack 1.2 10", *(f"ack 1.21{i} 10" for i in range(3))]
    sent = step(commands, sack=False)
    assert [a["recoveries"] for a in sent] == [0] * 5
    assert again_of(sent, window=11) == [0, 10]


def test_duplicates_that_begin_no_recovery_send_two_segments():
    """RFC 3042, section 2: two beyond the window, also where no fast retransmit may follow."""
    commands = ["run 1.15", "ack 1.2 10", *(f"ack 1.21{i} 10" for i in range(6))]
    sent = step(commands, sack=False)
    assert [numbers(a) for a in sent[2:]] == [[12], [13], [], [], [], []]


def test_the_window_is_inflated_by_duplicates():
    """RFC 6582, 3.2, and RFC 5681, 3.2, steps 3 to 5: ten segments, the first lost.

    ssthresh is 5; cwnd is 5 + 3 and one more for each further duplicate. Outstanding are 12: the
    eighth duplicate makes it 13, so that 12 is sent, and each later one sends one.
    """
    answers = step(duplicates(11), sack=False, recovery="halving")
    assert all_numbers(answers) == [[10], [11], [0], [], [], [], [], [12], [13], [14], [15]]
    assert {a["ssthresh"] for a in answers[2:]} == {5}


def test_prr_sends_less_than_arrives_also_without_sack():
    """RFC 9937, section 6, where DeliveredData of a duplicate ACK is one segment.

    Of 20 segments the first is lost. FlightSize is 22 at the third duplicate, ssthresh 10. With d
    duplicates since, that one counted, ceil(d * 10 / 22) segments may have been sent: the second
    with d = 5, the third with 7, then 9 and 11; the pipe is above 10 all that time (18 at first,
    one less for each d, one more for each segment sent).
    """
    answers = step(duplicates(13), window=20, sack=False)
    assert all_numbers(answers[:3]) == [[20], [21], [0]]
    assert all_numbers(answers[3:]) == [[], [], [], [22], [], [23], [], [24], [], [25]]


def test_a_partial_ack_sends_the_next_hole():
    """RFC 6582, 3.2, step 3: at once, and the recovery goes on until all of it is there."""
    commands = [*duplicates(8), "ack 0.302 3", "ack 0.402 7", "ack 0.502 12"]
    answers = step(commands, sack=False, recovery="halving")
    assert numbers(answers[8])[0] == 3
    assert numbers(answers[9])[0] == 7
    assert [a["state"] for a in answers[8:]] == ["recovery", "recovery", "open"]
    assert again_of(answers) == [0, 3, 7]
    assert answers[-1]["ssthresh"] == 5


def test_an_ack_of_new_data_restarts_the_timer_while_something_is_missing():
    """RFC 6298, 5.3, whatever else the ACK reports; a duplicate is no such ACK.

    0 comes after 1, and 2 is missing: the ACK at 0.4 s advances, and reports 3.
    """
    *before, last = step(["ack 0.2 0 1-2", "ack 0.4 2 3-4", "run 2"])
    assert before[-1]["state"] == "disorder"
    assert timeouts(last)[0] == (pytest.approx(1.4), 2)


def test_only_the_first_partial_ack_restarts_the_timer():
    """RFC 6582, section 4, the impatient variant; the timeout is 1 s (RFC 6298, 2.4).

    Partial ACKs at 0.302 and 0.402: the timer expires at 1.302. With SACK each restarts it (RFC
    6675, section 6).
    """
    commands = [*duplicates(8), "ack 0.302 3", "ack 0.402 7", "run 2"]
    [expiry, *_] = timeouts(step(commands, sack=False, recovery="halving")[-1])
    assert expiry == (pytest.approx(1.302), 7)
    commands = reports([1, 2, 4, 5, 6, 8, 9, 10, 11])
    commands += ["ack 0.31 3 4-7 8-12", "ack 0.41 7 8-12", "run 2"]
    [expiry, *_] = timeouts(step(commands)[-1])
    assert expiry == (pytest.approx(1.41), 7)


def test_a_partial_ack_with_sack_sends_what_the_pipe_allows():
    """RFC 6675, section 5, (B) and (C), not one segment whatever the pipe.

    Of ten, 0 is lost and arrives again: the ACK that covers 5 is a partial one. In the pipe are 5
    to 11, more than ssthresh, 5. 3000 bytes have arrived in the recovery, for which 1500 may be
    sent, and the head was: there is room for half a segment.
    """
    answers = step([*reports([1, 2, 3, 4]), "ack 0.303 5"])
    assert answers[-1]["state"] == "recovery"
    assert numbers(answers[-1]) == []
    assert (answers[-1]["pipe"], answers[-1]["cwnd"]) == (7, 7.5)


# --- timeouts


def test_the_timeout_doubles_and_ssthresh_is_held():
    """RFC 6298, (5.5); RFC 5681, 3.1, with equation (4).

    The round trip is 0.1 s, so that the timeout is at its least, 1 s: 1.1, then 2 s later, then 4,
    8. Ten are outstanding: ssthresh is 5 and stays so while the same segment is sent again.
    """
    answers = step(["run 2", "run 4", "run 8", "run 16"])
    expected = [(1.1, 0), (3.1, 0), (7.1, 0), (15.1, 0)]
    for answer, (time, segment) in zip(answers, expected, strict=True):
        assert timeouts(answer) == [(pytest.approx(time), segment)]
        assert (answer["ssthresh"], answer["cwnd"], answer["state"]) == (5, 1, "loss")


def test_a_back_off_holds_until_there_is_a_new_round_trip():
    """RFC 6298, section 5, and Karn.

    After timeouts at 1.1 and 3.1 it is 4 s. The ACK of 0 at 3.2 measures nothing, since 0 was sent
    three times: what it lets out is timed out at 7.2.
    """
    commands = ["run 3.15", "ack 3.2 1", "run 8"]
    assert numbers(step(commands)[1]) == [1, 2]
    assert timeouts(step(commands)[2])[0] == (pytest.approx(7.2), 1)


def test_a_new_round_trip_ends_the_back_off():
    """RFC 6298, section 5: 10 is sent once, at 3.4; its ACK after 0.1 s sets 1 s again."""
    commands = ["run 3.15", "ack 3.2 1", "ack 3.3 10", "ack 3.4 12", "run 4.6"]
    answers = step(commands)
    assert numbers(answers[2])[0] == 10
    assert timeouts(answers[-1])[0] == (pytest.approx(4.4), 12)


def test_after_a_timeout_slow_start_sends_again_in_order():
    """RFC 5681, 3.1: cwnd 1, then one more for every ACK, up to ssthresh, 5."""
    answers = step(["run 1.15", *(f"ack {1.2 + 0.1 * i:.1f} {n}" for i, n in enumerate([1, 3, 6]))])
    assert all_numbers(answers)[:2] == [[0], [1, 2]]
    assert [a["cwnd"] for a in answers] == [1, 2, 3, 4]
    assert again_of(answers) == list(range(10))


def test_a_window_is_full_also_where_nothing_is_left_to_send():
    """RFC 5681, 3.1: after a timeout the window is one, 0 is out again, and slow start follows.

    1 to 9 are there, the first of the two that were sent again is lost, and the receiver has no
    room for 10: the window is full, as in Linux (tcp_write_xmit, is_cwnd_limited).
    """
    reported = [f"{line} window=10000" for line in reports(range(1, 10))]
    answers = step([*reported, "run 1.9", "ack 2 10 window=20000"])
    assert [a["cwnd"] for a in answers[-2:]] == [1, 2]


def test_after_a_timeout_with_sack_nothing_new_comes_before_what_is_lost():
    """RFC 5681, 3.1, and RFC 6675, 5.1.

    Only 2 has been reported. Limited transmit has sent 10; the next new one is 11.
    """
    commands = [*reports([2]), "run 1.9", "ack 2 1 2-3"]
    answers = step(commands)
    assert all_numbers(answers) == [[10], [0], [1, 3]]


# --- the handshake


def test_a_lost_syn_is_sent_again_after_a_second():
    """RFC 6298, (2.1) and (5.5)."""
    flow = {"initial_window_segments": 10, "timestamps": False}
    [answer] = play(["run 8"], **flow)
    assert [time for time, _, kind in answer["sent"] if kind == "SYN"] == [0, 1, 3, 7]


def test_after_a_lost_syn_the_window_is_one_and_the_timeout_three_seconds():
    """RFC 5681, 3.1 (initial window) and RFC 6298, (5.7)."""
    flow = {"initial_window_segments": 10, "timestamps": False}
    first, second = play(["synack 1.1", "run 5"], **flow)
    assert numbers(first) == [0]
    assert timeouts(second)[0] == (pytest.approx(4.1), 0)


# --- explicit congestion notification


def ecn(commands, **flow):
    """As `step`, of a connection that has ECN."""
    settings = {"ecn": True, "initial_window_segments": 10, "timestamps": False} | flow
    return play(["synack 0.1 ECE", *commands], **settings)[1:]


def test_a_window_is_reduced_once_for_its_marks():
    """RFC 3168, 6.1.2: the first echo halves the window, and the next new segment has CWR.

    By RFC 5681, 3.1, equation (4): that ACK leaves 9 of 10 outstanding. All ACKs of the window have
    ECE, since the receiver goes on until it sees CWR (6.1.3). A mark that is echoed by an ACK of
    what was sent after the CWR is another.
    """
    answers = ecn([f"ack {ms(i)} {i + 1} ECE" for i in range(10)])
    assert {a["ssthresh"] for a in answers} == {4.5}
    new = [(segment, kind) for a in answers for _, segment, kind in a["sent"]]
    assert new[0] == (10, "CWR")
    assert all(kind == "" for _, kind in new[1:])
    last = new[-1][0] + 1
    later = ecn([*(f"ack {ms(i)} {i + 1} ECE" for i in range(10)), f"ack 0.4 {last} ECE"])[-1]
    assert later["ssthresh"] == 2  # at least: nothing is outstanding


def test_a_loss_in_a_window_that_a_mark_reduced_cuts_no_second_time():
    """RFC 3168, 6.1.2; RFC 6675, section 5: but it is sent again at once.

    The ACK of 0 echoes a mark; 1 is lost.
    """
    commands = [f"ack {ms(0)} 1 ECE", *reports(range(2, 6), number=1, first=1)]
    answers = ecn(commands)
    assert answers[0]["state"] == "cwr"
    assert [i for i, sent in enumerate(all_numbers(answers)) if 1 in sent] == [3]
    assert answers[3]["state"] == "recovery"
    assert {a["ssthresh"] for a in answers} == {4.5}


def test_without_sack_too_a_loss_in_a_window_that_a_mark_reduced_is_sent_again():
    """RFC 6582, 3.2: only a recovery or a timeout sets "recover", a mark does not."""
    commands = [f"ack {ms(0)} 1 ECE", *duplicates(3, 1, first=1)]
    answers = ecn(commands, sack=False)
    assert numbers(answers[-1])[:1] == [1]
    assert answers[-1]["state"] == "recovery"
    assert answers[-1]["ssthresh"] == answers[0]["ssthresh"]


def test_without_sack_the_third_duplicate_counts_though_it_echoes_a_mark():
    """RFC 3042 and RFC 3168, 6.1.2: three have left the path, so that nine of twelve are on it."""
    commands = duplicates(3)
    plain, marked = (ecn([*commands[:2], commands[2] + echo], sack=False) for echo in ("", " ECE"))
    assert plain[-1]["pipe"] == marked[-1]["pipe"] == 9 + 1 - 1


def test_a_mark_in_a_recovery_cuts_no_second_time():
    """RFC 3168, 6.1.2.

    0 is lost; the ACK that its retransmission brings, and those after it, have ECE.
    """
    commands = [*reports(range(1, 10)), "ack 0.302 10 ECE"]
    answers = ecn(commands)
    assert {a["ssthresh"] for a in answers[2:]} == {5}
    assert answers[-1]["state"] == "recovery"


def test_a_mark_echoed_by_a_duplicate_counts():
    """RFC 3168, 6.1.2: any ACK with ECE."""
    assert ecn([f"{line} ECE" for line in reports([1])])[0]["ssthresh"] == 5


# --- what a recovery's end is worth


def test_the_ack_that_ends_a_recovery_counts_as_one():
    """RFC 5681, 3.1: SMSS at most. Reno counts it as one segment of its five."""
    commands = [*reports(range(1, 12)), "ack 0.302 12"]
    assert step(commands, congestion_control="reno")[-1]["cwnd"] == 5


# --- timers that are no retransmission timeouts


@pytest.mark.parametrize(("window", "wait_s"), [(10, 0.0), (2, 0.2)])
def test_the_tail_is_probed_after_two_round_trips(window, wait_s):
    """RFC 8985, 7.2: and, where one segment is outstanding, what its ACK may be delayed by."""
    commands = ["ack 0.2 1", "run 0.9"]
    answers = step(commands, window=window, rack=True, bytes=window * SMSS)
    [(time, segment, _)] = answers[1]["sent"]
    assert (time, segment) == (pytest.approx(0.2 + 2 * 0.1 + wait_s), window - 1)


def test_a_first_flight_is_probed_too():
    """RFC 8985, 7.2: the timer starts when new data leave, and not only with an ACK."""
    [answer] = step(["run 0.9"], rack=True, min_rto_s=1, bytes=10 * SMSS)
    assert answer["sent"] == [[pytest.approx(0.3), 9, ""]]


def test_a_probe_takes_the_place_of_a_timeout_that_would_come_first():
    """RFC 8985, 7.2: a single segment's would come after 0.4 s, the timeout comes after 0.3."""
    [answer] = step(["run 0.45"], window=1, rack=True, min_rto_s=0.2, bytes=SMSS)
    assert answer["sent"] == [[pytest.approx(0.4), 0, ""]]
    assert answer["state"] == "open"


def probed(*after):
    """A receiver's window of ten segments, of which the last is probed at 0.6 s."""
    flow = {"initial_window_segments": 10, "timestamps": False, "rack": True, "undo": True}
    commands = ["synack 0.1 window=10000", "ack 0.2 9 window=1000", "run 0.65", *after]
    answers = play(commands, **flow, min_rto_s=1)[2:]
    assert answers[0]["sent"] == [[pytest.approx(0.6), 9, ""]]
    return answers[1:]


def test_a_loss_that_a_probe_has_repaired_reduces_the_window():
    """RFC 8985, 7.4.2: known when what was sent after the probe is acknowledged."""
    first, second = probed("ack 0.7 10 window=10000", "ack 0.8 11 window=10000")
    assert (first["state"], second["state"]) == ("open", "cwr")
    assert second["ssthresh"] < first["cwnd"]


def test_a_probe_that_came_twice_reduces_nothing():
    """RFC 8985, 7.4.1: a DSACK tells that the original had arrived."""
    answers = probed("ack 0.7 10 dsack=9 window=10000", "ack 0.8 11 window=10000")
    assert [answer["state"] for answer in answers] == ["open", "open"]


@pytest.mark.parametrize(("word", "waits_s"), [("", 0.025), (" dsack=0", 0.05)])
def test_a_dsack_makes_the_window_for_reordering_longer(word, waits_s):
    """RFC 8985, 6.2, step 4: by a quarter of the smallest round trip, which is 0.1 s.

    1 is missing; 2, sent with it at 0.1 s, is reported after 0.101 s.
    """
    flow = {"rack": True, "undo": True, "min_rto_s": 1}
    answers = step([f"ack 0.2 1{word}", "ack 0.201 1 2-3", "run 0.28"], **flow)
    [again] = [time for one in answers for time, segment, _ in one["sent"] if segment == 1]
    assert again == pytest.approx(0.1 + 0.101 + waits_s)


@pytest.mark.parametrize(("recoveries", "waits_s"), [(15, 0.05), (16, 0.025)])
def test_the_longer_window_lasts_sixteen_recoveries(recoveries, waits_s):
    """RFC 8985, 6.2, step 4.

    Of each flight the last segment is reported after 0.1 s, the first is found lost after a wait
    and sent again, and after 0.1 s more all is acknowledged, which ends the recovery.
    """
    flow = {"initial_window_segments": 10, "timestamps": False, "rack": True, "undo": True}
    commands, now = ["synack 0.1", "ack 0.2 10 dsack=0"], 0.2

    def played():
        answers = play(commands, **flow, min_rto_s=1)
        return answers, 1 + max(n for answer in answers for n in numbers(answer))

    head, waits = 10, []
    for _ in range(recoveries + 1):
        _, end = played()
        commands += [f"ack {now + 0.1:.3f} {head} {end - 1}-{end}", f"run {now + 0.16:.3f}"]
        answers, end = played()
        assert answers[-1]["state"] == "recovery"
        [again] = [time for time, segment, _ in answers[-1]["sent"] if segment == head]
        waits.append(again - now - 0.1)
        head, now = end, now + 0.3
        commands.append(f"ack {now:.3f} {end}")
    assert waits[-1] == pytest.approx(waits_s)
    assert waits[:16] == pytest.approx([0.05] * min(16, recoveries + 1))


def test_after_a_timeout_no_reordering_is_waited_for():
    """RFC 8985, 6.2, step 4: in "Fast or RTO recovery", before any was seen, the window is none.

    The probe of 0.3 s puts the timeout off until 1.3 s; 1 and 2 leave again at 1.4 s.
    """
    commands = ["run 1.35", "ack 1.4 1", "ack 1.5 1 2-3"]
    answers = step(commands, window=5, rack=True, min_rto_s=1)
    assert numbers(answers[1]) == [1, 2]
    assert [1.5, 1, ""] in answers[2]["sent"]


@pytest.mark.parametrize(("room", "sends"), [(10_000, [5, 6]), (4_000, [1, 2])])
def test_where_nothing_new_can_be_sent_a_timeout_is_one(room, sends):
    """RFC 5682, 2.1, step 2b: two new segments, unless the receiver has no room for them."""
    commands = ["run 1.15", f"ack 1.2 1 window={room}"]
    answers = step(commands, window=5, frto=True, min_rto_s=1)
    assert numbers(answers[0]) == [0]
    assert numbers(answers[1]) == sends


@pytest.mark.parametrize(("reported", "state"), [("2-3", "disorder"), ("5-6", "loss")])
def test_only_what_was_sent_before_a_timeout_shows_that_it_was_none(reported, state):
    """RFC 5682, 3.1, step 3: 0 to 4 were; 5 and 6 are the new segments of step 2b."""
    commands = ["run 1.15", "ack 1.2 1", f"ack 1.3 1 {reported}"]
    answers = step(commands, window=5, frto=True, min_rto_s=1)
    assert numbers(answers[1]) == [5, 6]
    assert answers[2]["state"] == state


def test_duplicate_acks_before_the_first_that_advances_leave_a_timeout_open():
    """RFC 5682, 3.1, step 2."""
    answers = step(["run 1.15", "ack 1.2 0", "ack 1.3 1"], window=5, frto=True, min_rto_s=1)
    assert numbers(answers[2]) == [5, 6]


def test_after_an_undo_rack_finds_what_is_lost():
    """RFC 8985, 6.2, step 5: 1 left at 0.1 s, 6 at 1.4 s, and 6 is there.

    Of 0 to 4 only 2 is late; 5 is the probe of 0.3 s, which puts the timeout off until 1.3 s.
    """
    commands = ["run 1.35", "ack 1.4 1", "ack 1.45 1 2-3", "ack 1.5 1 6-7 2-3"]
    answers = step(commands, window=5, rack=True, frto=True, min_rto_s=1)
    assert answers[2]["state"] == "disorder"
    assert answers[3]["state"] == "recovery"
    assert numbers(answers[3])[0] == 1


@pytest.mark.parametrize(("duplicate", "state"), [(0, "recovery"), (2, "disorder")])
def test_a_dsack_undoes_the_recovery_that_it_is_of(duplicate, state):
    """RFC 3708: 2 was sent again in this one; 0 had been acknowledged before."""
    reported = [f"ack {ms(3 + i)} 2 3-{4 + i}" for i in range(3)]
    commands = [f"ack {ms(0)} 2", *reported, f"ack {ms(9)} 2 3-6 dsack={duplicate}"]
    answers = step(commands, undo=True)
    assert answers[3]["state"] == "recovery"
    assert answers[4]["state"] == state


@pytest.mark.parametrize("commands", [reports(range(1, 10)), ["run 1.15", "ack 1.2 10"]])
def test_the_receiver_is_told_of_every_reduction(commands):
    """RFC 3168, 6.1.2: of a loss's and a timeout's too; the first new segment has CWR."""
    reduced = False
    for answer in ecn(commands, min_rto_s=1):
        new = [kind for _, segment, kind in answer["sent"] if segment >= 10]
        if answer["ssthresh"] < 100 and new and not reduced:
            assert new[0] == "CWR"
            reduced = True
            new = new[1:]
        assert "CWR" not in new
    assert reduced


def test_a_sender_that_asks_the_path_before_it_reduces_tells_of_that_too():
    """RFC 3168, 6.1.2: TCP-Probing holds at the third report, and two long round trips follow.

    10 and 11 have left with the first reports.
    """
    asked = 0.202
    commands = [*reports([1, 2, 3]), f"answer 0.4 1 {asked}", "answer 0.6 2 0.4", "ack 0.7 10"]
    answers = ecn(commands, congestion_control="probing")
    assert [kind for _, _, kind in answers[2]["sent"]] == ["PROBE"]
    assert numbers(answers[4]) == [0, 4, 5, 6, 7]  # in its window again
    assert answers[4]["ssthresh"] == 5
    new = [kind for _, segment, kind in answers[5]["sent"] if segment >= 12]
    assert new == ["CWR", "", ""]


def test_a_marks_reduction_is_not_undone():
    """RFC 4015, 3.2: not where a mark was seen. Then 1 is overtaken, and comes twice."""
    commands = [f"ack {ms(0)} 1 ECE", *(f"ack {ms(1 + i)} 1 2-{3 + i}" for i in range(3))]
    commands.append(f"ack {ms(8)} 5 dsack=1")
    answers = ecn(commands, undo=True)
    assert answers[3]["state"] == "recovery"
    assert [a["ssthresh"] for a in answers] == [4.5] * 5


def test_a_timeout_in_a_marks_reduction_that_was_none_leaves_the_reduction():
    """RFC 5682, 3.1, step 3b: 2 and 3 are originals. 2 is found lost by the next three reports."""
    commands = ["ack 0.2 1 ECE", "run 1.45", "ack 1.5 2", "ack 1.6 2 3-4", "ack 1.7 2 3-5"]
    answers = ecn([*commands, "ack 1.8 2 3-7"], initial_window_segments=5, frto=True, min_rto_s=1)
    assert [a["state"] for a in answers[2:]] == ["loss", "disorder", "disorder", "recovery"]
    assert numbers(answers[-1]) == [2]
    assert {a["ssthresh"] for a in answers} == {2}


def test_after_a_mark_in_a_recovery_that_is_not_undone():
    """RFC 4015, 3.2. 2 was overtaken, and comes twice."""
    commands = [f"ack {ms(0)} 2", *(f"ack {ms(3 + i)} 2 3-{4 + i}" for i in range(3))]
    end = [f"ack {ms(7)} 2 3-7 {{}}", f"ack {ms(9)} 7 dsack=2"]
    marked, plain = (
        ecn([*commands, *(line.format(echo) for line in end)], undo=True) for echo in ("ECE", "")
    )
    assert (plain[-1]["state"], marked[-1]["state"]) == ("open", "recovery")


def test_a_mark_counts_right_after_a_reduction_that_was_undone():
    """RFC 3168, 6.1.2: no CWR is due of it (Linux, tcp_ecn_withdraw_cwr)."""
    commands = [f"ack {ms(0)} 2", *(f"ack {ms(3 + i)} 2 3-{4 + i}" for i in range(3))]
    answers = ecn([*commands, f"ack {ms(9)} 2 3-6 dsack=2", f"ack {ms(10)} 7 ECE"], undo=True)
    assert [a["state"] for a in answers[3:]] == ["recovery", "disorder", "cwr"]


@pytest.mark.parametrize(("echo", "window"), [(0.1, 12), (0.205, 4.25)])
def test_the_ack_that_ends_a_recovery_may_show_that_there_was_no_loss(echo, window):
    """RFC 3522, 3.2: any that advances. 2 leaves again at 0.205 s, and all ten are there."""
    reported = [f"ack {ms(3 + i)} 2 3-{4 + i} echo=0.1" for i in range(5)]
    commands = ["ack 0.2 2 echo=0.1", *reported, f"ack 0.35 10 echo={echo}"]
    answers = step(commands, undo=True, timestamps=True, bytes=10 * SMSS)
    assert answers[3]["state"] == "recovery"
    assert answers[-1]["cwnd"] == window


def test_a_probe_that_was_not_needed_undoes_no_earlier_reduction():
    """RFC 8985, 7.4: the first has repaired the loss of 9, the second comes for nothing.

    The receiver has no room for new segments when they are sent.
    """
    commands = ["ack 0.2 9 window=1000", "run 0.65", "ack 0.7 10 window=10000"]
    commands += ["ack 0.8 15 window=5000", "ack 0.81 20 window=1000", "ack 0.82 21 window=1000"]
    commands += ["run 1.22", "ack 1.25 22 dsack=21 window=10000"]
    answers = step(commands, rack=True, undo=True, min_rto_s=1)
    assert answers[3]["state"] == "cwr"
    assert [a["ssthresh"] for a in answers[3:]] == [2.5] * 5


def test_what_one_ack_reports_has_not_been_overtaken():
    """RFC 8985, 6.2, step 3: a delayed ACK tells of 2, and of 4 past a loss."""
    commands = ["ack 0.2 2", "ack 0.201 3 4-5", "ack 0.202 3 4-6", "ack 0.203 3 4-7"]
    answers = step(commands, rack=True, min_rto_s=1)
    assert answers[3]["state"] == "recovery"
    assert numbers(answers[3])[0] == 3


def test_a_retransmission_that_arrives_tells_how_long_one_takes():
    """RFC 8985, 6.2, step 2: RACK.rtt is its, 0.125 s, and no longer the 0.2 s of the originals.

    1 and 2 leave again at 0.302 and 0.305 s, and at 0.43 s the second is there without the first.
    """
    commands = ["ack 0.2 1", *(f"ack 0.3{i:02} 1 3-{4 + i}" for i in range(7)), "ack 0.43 1 2-10"]
    *before, last = step(commands, rack=True, min_rto_s=1)
    assert [(time, segment) for a in before[3:] for time, segment, _ in a["sent"]] == [
        (0.302, 1),
        (0.305, 2),
    ]
    assert numbers(last) == [1]


def test_a_window_that_is_never_opened_is_asked_for_as_often_as_there_are_retries():
    """RFC 9293, 3.8.6.1 and R2."""
    answers = play(["synack 0.1 window=0", "run 900"], retries=3)
    assert [kind for _, _, kind in answers[1]["sent"]] == ["PROBE"] * 3


# --- what is checked in every run


@pytest.mark.parametrize("timestamps", [False, True])
def test_a_round_trip_that_is_not_that_of_its_segment_is_found(timestamps):
    """The flight left at 0.1 s: an ACK for one of its segments tells of nothing sent later."""
    ack = f"ack 0.2 0 1-2 echo={0.1 * timestamps}"
    step([f"{ack} cause=0.1"], timestamps=timestamps)
    for other_s in (0.09, 0.11):
        with pytest.raises(RuntimeError, match="a round trip is"):
            step([f"{ack} cause={other_s}"], timestamps=timestamps)
