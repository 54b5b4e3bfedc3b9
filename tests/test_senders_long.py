"""The senders that came after, by their rules, on ns-3, and the data of their page."""

import numpy as np
import pandas as pd
import pytest
import small

from longfat import engines
from longfat.studies import engines_checked, senders, senders_long
from longfat.sweeps import sweep

AT = senders.setting("quick")


def of(name, repetitions=None, **points):
    return small.runs(senders_long, AT, name, repetitions, **points)


def test_every_later_sender_is_on_the_page():
    assert set(senders.OF_LONG_PAGE) <= set(senders_long.NEIGHBOURS)
    on_ns3 = [one for one in senders.OF_LONG_PAGE if "ns3" in engines.with_control(one)]
    assert list(senders_long.ON_NS3) == on_ns3


def test_a_scenario_takes_parameters_and_an_outage():
    one = senders_long.scenario("probing", {"short": 0.1}, (3.0, 2.0), beside="newreno")
    assert one.flows[0].congestion_control.parameters == {"short": 0.1}
    assert [link.outages[0].start_s for link in one.links] == [3.0, 3.0]
    assert one.flows[1].congestion_control.name == "newreno"


def test_what_is_begun_is_read_at_its_time():
    trace = pd.DataFrame({"sender": "x", "time_s": [1.0, 9.0, 11.0], "MB": [1.0, 2.0, 3.0]})
    assert senders_long.begun(trace).to_dict() == {"x": 2.0}


def test_an_outage_costs_probing_less_than_newreno():
    runs = of("senders-more-outlasted", length_s=[0.0, 5.0])
    table = senders_long.outage_costs(runs).set_index("sender")["cost_s"]
    assert 0 < table["probing"] < 1 < table["newreno"]


def test_the_estimate_tames_hyblas_first_burst():
    runs = of("senders-more-hybla", 2, window=[64_000])
    table = senders_long.hybla_starts(runs).set_index("start")["Mb/s"]
    assert table["estimate"] > 3 * table["neither"]
    assert table["pacing"] < 2 * table["neither"]  # pacing alone does not


def test_a_promise_is_judged_as_on_the_page_before():
    one = senders.Promise("x", "", "", low=1.0)
    assert senders.promise_kept(one, 1.5, 1.1, 1.9) == "yes"
    assert senders.promise_kept(one, 1.5, 0.9, 2.1) == "perhaps"
    assert senders.promise_kept(one, 0.5, np.nan, np.nan) == "no"
    within = senders.Promise("x", "", "", low=0.9, high=1.1)
    assert senders.promise_kept(within, 1.0, 0.5, 1.5) == "perhaps"


# --- by their rules, ACK by ACK


class ChdOfFreeBsd:
    """CHD by the rules of FreeBSD's cc_chd.c, told independently of its header; in segments.

    A draw succeeds wherever its probability is not 0.
    """

    def __init__(self, window, threshold):
        self.window, self.threshold, self.shadow = window, threshold, window
        self.acked, self.measured_at, self.recover = 0, 0, 0
        self.least, self.largest_of_round, self.latest, self.last_delay = np.inf, 0.0, 0.0, 0.0
        self.competes = False

    def ack(self, rtt, sent):
        """One segment more is acknowledged, when `sent` had been sent."""
        self.acked += 1
        self.least, self.latest = min(self.least, rtt), rtt
        self.largest_of_round = max(self.largest_of_round, rtt)
        delay = self.largest_of_round - self.least
        measured = self.acked >= self.measured_at
        if measured:
            self.measured_at, self.largest_of_round = sent, 0.0
            if delay < 0.02 + 1e-9:
                self.competes = False
            if 0.005 + 1e-9 < delay < 1e5:  # at the largest delay the probability is 0
                self.competes = self.competes or delay > 0.02 + 1e-9
                keeps = self.competes or delay > self.last_delay + 1e-9
                self.shadow = max(self.shadow, self.window) if keeps else 0
                self.last_delay, self.recover = delay, sent
                self.window = self.threshold = max(2, self.window / 2)
                return
        slow_start = self.window <= self.threshold
        more = 1 if slow_start or measured else 0
        self.window += more
        self.shadow += more if self.shadow else 0

    def loss(self):
        """Duplicate ACKs; returns the window after."""
        delay = max(self.largest_of_round, self.latest) - self.least
        if self.acked >= self.recover and delay > 0.02 + 1e-9:
            largest = max(self.window, self.shadow) if self.competes else self.window
            self.window = max(2, largest / 2)
        self.shadow = max(2, self.shadow / 2) if self.shadow else 0
        self.threshold = self.window
        return self.window

    def timeout(self):
        """Return the threshold after a timeout, which leaves a window of one segment."""
        self.threshold, self.window = max(2, self.window / 2), 1
        return self.threshold


# --- the same on ns-3


@pytest.mark.slow
@pytest.mark.ns3
@pytest.mark.parametrize("name", senders_long.ON_NS3)
def test_each_is_on_ns3_what_it_is_on_the_segment_engine(name):
    """But where a fault of ns-3's socket, or a lot drawn after one, parts them at a point."""
    points = engines_checked.GRID[engines_checked.GRID["flows"] == 1].to_dict("records")
    runs = [engines_checked.scenario(name, **row, seed=1) for row in points]
    full, own = (sweep(runs, engine)["goodput_bps"] for engine in ("ns3", "segment"))
    assert (own / full).median() == pytest.approx(1, abs=0.01)
