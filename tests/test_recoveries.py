"""Recoveries ACK by ACK, beside Linux (data/recoveries.csv): how they are made, what they show."""

import itertools
import os

import pytest
import recoveries_made

from longfat import builds
from longfat.engines import linux
from longfat.studies import recoveries
from longfat.studies.recoveries import CASES


def columns(table, who):
    """Return a sender's columns, as text, without the times that only the other has."""
    mine = table[[column for column in table if column.startswith(who)]]
    some = (mine != "").any(axis=1)
    return mine[some].to_dict("records"), table["time_ms"][some].tolist()


@pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("case", CASES)
def test_the_segment_engine_answers_as_the_table_says(case):
    answers = recoveries_made.of_segment(case)
    fresh = recoveries.side_by_side(answers, answers, CASES[case].until_s)
    assert columns(fresh, "segment") == columns(recoveries.table(case), "segment")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_linux_answers_as_the_table_says(case):
    if not linux.build():
        if os.environ.get("CI") and not os.environ.get("LONGFAT_NO_EMULATION"):
            pytest.fail("the emulation is not built: run 'make emulation'")
        pytest.skip("the emulation is not built (make emulation)")
    answers = recoveries_made.of_linux(case)
    fresh = recoveries.side_by_side(answers, answers, CASES[case].until_s)
    assert columns(fresh, "linux") == columns(recoveries.table(case), "linux")


# --- what they show


def when(case, who, what):
    """Return the times at which a sender sent that segment."""
    data = recoveries.table(case)
    sent = data[f"{who}_sent"].map(recoveries.numbers)
    return data["time_ms"][sent.map(lambda numbers: what in numbers)].tolist()


def values(case, who, column):
    data = recoveries.table(case)[f"{who}_{column}"]
    return [value for value in dict.fromkeys(data) if value]


def test_a_segment_that_comes_two_later_changes_nothing_in_either():
    data = recoveries.table("late by 2")
    assert data["linux_sent"].tolist() == data["segment_sent"].tolist()
    assert values("late by 2", "linux", "ssthresh") == []


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case not in ("all", "again", "timeouts", "mark", "two marks")],
)
def test_both_send_as_much_in_every_round_trip(case):
    """Equal to one segment; and never more than two apart after any ACK."""
    trips = recoveries.by_round_trip(case)
    linux_sent = trips["linux_new"] + trips["linux_again"]
    segment_sent = trips["segment_new"] + trips["segment_again"]
    assert (linux_sent - segment_sent).abs().max() <= 1
    sent = recoveries.table(case)[["linux_sent", "segment_sent"]]
    linux, segment = (sent[who].map(lambda text: len(recoveries.numbers(text))) for who in sent)
    assert (linux.cumsum() - segment.cumsum()).abs().max() <= 2


MARKS = ("mark", "two marks", "mark and loss")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case not in ("all", "late by 2", "timeouts", *MARKS)]
)
def test_both_begin_with_the_third_report_and_half_of_the_window(case):
    """RFC 5681, 3.2: the head is sent at once, by the same ACK in both.

    Each ACK before that adds a segment to the window (slow start).
    """
    head = int(CASES[case].words[0].split("=")[1].split(".")[0])
    half = str((CASES[case].window + head) // 2)
    first = [when(case, who, head)[1] for who in ("linux", "segment")]
    assert first[0] == first[1]
    assert values(case, "linux", "ssthresh") == [half]
    assert values(case, "segment", "ssthresh")[0] == half


def test_each_segment_that_is_lost_is_sent_again_once_in_both():
    lost = range(0, 30, 3)
    for who in ("linux", "segment"):
        assert [len(when("many", who, segment)) for segment in lost] == [2] * 10
        assert [len(when("many", who, segment)) for segment in range(1, 30, 3)] == [1] * 10


def test_a_lost_retransmission_is_found_by_both_and_lowers_only_our_window_again():
    """RFC 5681, 4.3, which Linux does not follow (RACK_AGAIN)."""
    assert len(when("again", "linux", 0)) == len(when("again", "segment", 0)) == 3
    assert when("again", "linux", 0)[2] < when("again", "segment", 0)[2]
    assert values("again", "linux", "ssthresh") == ["10"]
    assert values("again", "segment", "ssthresh") == ["10", "5"]


def test_linux_probes_where_we_wait_for_the_timer():
    """RFC 8985, 7.2, PTO = 2 SRTT; RFC 6298, 2.4, at least 1 s."""
    data = recoveries.table("all").set_index("time_ms")
    linux_first = data.index[(data["linux_sent"] != "")][1]
    ours_first = data.index[(data["segment_sent"] != "")][1]
    assert 300 <= linux_first <= 330  # two ticks of its timers more, 20 ms
    assert data["linux_sent"][linux_first] == "10"
    assert ours_first == 1100
    assert data["segment_sent"][ours_first] == "0"
    assert "loss" not in values("all", "linux", "state")


@pytest.mark.parametrize("case", ["mark", "two marks"])
def test_both_answer_marks_alike(case):
    """RFC 3168, 6.1.2: one reduction a round trip; the next new segment tells the receiver."""
    data = recoveries.table(case)
    assert data["linux_echo"].tolist() == data["segment_echo"].tolist()
    told = [
        data.loc[data[f"{who}_told"] != "", f"{who}_told"].tolist() for who in ("linux", "segment")
    ]
    assert told[0] == told[1] and len(told[0]) == 1
    thresholds = [values(case, who, "ssthresh") for who in ("linux", "segment")]
    assert len(thresholds[0]) == len(thresholds[1]) == 1
    assert 0 <= float(thresholds[0][0]) - float(thresholds[1][0]) <= 0.5
    trips = recoveries.by_round_trip(case)
    assert (trips["linux_new"] - trips["segment_new"]).abs().max() <= 1


def test_a_loss_in_the_window_of_a_mark_reduces_it_once_in_both():
    for who in ("linux", "segment"):
        [threshold] = values("mark and loss", who, "ssthresh")
        assert 10.5 <= float(threshold) <= 11
        assert len(when("mark and loss", who, 9)) == 2


def test_every_further_timeout_waits_twice_as_long_in_both():
    """RFC 6298, 5.5; three of ours and of Linux's, whose first comes after a probe."""
    for who, first_s in (("linux", 1.16), ("segment", 1.0)):
        times = [time for time in when("timeouts", who, 0) if time > 320]
        gaps = [(b - a) / 1000 for a, b in itertools.pairwise(times)]
        assert len(times) == 3
        assert gaps[1] / gaps[0] == pytest.approx(2, rel=0.01)
        assert gaps[0] == pytest.approx(2 * first_s, rel=0.05)


def test_without_sack_both_wait_for_a_partial_ack_to_send_the_next():
    for who in ("linux", "segment"):
        data = recoveries.table("two, no SACK").set_index("time_ms")
        [_, again] = when("two, no SACK", who, 7)
        assert data[f"{who}_ack"][again] == "7"


def test_every_difference_is_explained():
    for name, case in CASES.items():
        data = recoveries.table(name)
        differ = (data["linux_sent"] != data["segment_sent"]).any()
        assert bool(case.differs) == differ
