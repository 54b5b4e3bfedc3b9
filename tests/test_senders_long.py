"""The senders that came after, by their rules, on ns-3, and the data of their page."""

import itertools

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


@pytest.mark.ns3
class TestRules:
    @staticmethod
    def make(kind, window=10, threshold=4_000_000, **attributes):
        from window_driver import make

        return make(kind, window, threshold, **attributes)

    def test_hyblas_first_threshold_is_bandwidth_times_round_trip(self):
        """Three ACKs, 2 ms apart: a segment in 2 ms, 0.5 s."""
        hybla = self.make("Hybla2004", Rtt0="0.1s")
        hybla.Least(0.5)
        for number in range(2):
            hybla.At(1.5 + 0.002 * number)
            assert hybla.Ack(0.5) == 10  # it waits for the estimate
        hybla.At(1.504)
        assert hybla.Ack(0.5) == pytest.approx(10 + 2**5 - 1)
        assert hybla.Threshold() == pytest.approx(250, abs=0.01)

    def test_without_the_estimate_the_first_ack_counts(self):
        hybla = self.make("Hybla2004", Rtt0="0.1s", Estimate="false")
        hybla.Least(0.5)
        assert hybla.Ack(0.5) == pytest.approx(10 + 2**5 - 1)
        assert hybla.Threshold() > 1e6

    @pytest.mark.parametrize("paces", [True, False])
    def test_hybla_asks_for_pacing_at_one_window_a_round_trip(self, paces):
        hybla = self.make("Hybla2004", Pacing=str(paces).lower())
        hybla.Ack(0.5)
        assert hybla.tcb.m_pacing == paces
        assert (hybla.tcb.m_pacingSsRatio == 100) == paces

    def test_hyblas_first_window_can_be_rho_times_tcps(self):
        from window_driver import driver

        for scales, window in (("false", 10), ("true", 50)):
            hybla = driver("longfat::TcpHybla2004", {"Rtt0": "0.1s", "ScaledFirstWindow": scales})
            hybla.Least(0.5)
            hybla.Set(10, 4_000_000)
            assert hybla.Window() == window

    def rounds(self, cdg, rtts):
        return [cdg.Round(rtt) for rtt in rtts]

    def test_linuxs_cdg_halves_at_a_loss_unless_told_to_tolerate(self):
        cdg = self.make("CdgLinux", 100, 10, HyStart="false")
        cdg.Round(0.1)
        assert cdg.Recovery() == pytest.approx(50, abs=1)

    def test_a_steep_gradient_takes_linuxs_cdg_to_0_7071_over_a_round_trip(self):
        """50 ms a round: exp(-42 x 8 x 0.05) is nothing, so that it backs off for certain."""
        cdg = self.make("CdgLinux", 100, 10, HyStart="false")
        self.rounds(cdg, (0.1, 0.1, 0.15))
        before = cdg.Window()
        after = min(self.rounds(cdg, (0.2, 0.2)))
        assert after == pytest.approx(0.7071 * before, rel=0.03)
        assert cdg.Threshold() == pytest.approx(int(before * 724 / 1024), abs=1)

    def test_linuxs_cdg_holds_still_after_five_back_offs_in_vain(self):
        cdg = self.make("CdgLinux", 400, 10, HyStart="false")
        windows = self.rounds(cdg, [0.1 + 0.05 * number for number in range(40)])
        drops = [b for a, b in itertools.pairwise(windows) if b < 0.8 * a]
        assert len(drops) <= 5
        assert windows[-1] > windows[-10]

    def test_an_eighth_more_delay_ends_linuxs_slow_start(self):
        for hybrid, ends in ((True, True), (False, False)):
            cdg = self.make("CdgLinux", 20, 4_000_000, HyStart=str(hybrid).lower())
            cdg.Round(0.0004)  # so short that no gradient matters
            for _ in range(12):  # of the forty of the next round
                cdg.Ack(0.00047)
            assert (cdg.Threshold() < 1e6) == ends

    @pytest.mark.parametrize(("kind", "windows"), [("Hd", [50, 25, 12.5]), ("HdFreeBsd", [50] * 3)])
    def test_freebsds_hd_halves_once_for_what_is_outstanding(self, kind, windows):
        hd = self.make(kind, 100, 10, MaxProbability=1.0, ThresholdDelay="0.02s")
        hd.Ack(0.1)
        assert [hd.Ack(0.12) for _ in range(3)] == pytest.approx(windows, abs=0.02)
        hd.Round(0.12)
        assert hd.Round(0.12) < 50  # what was outstanding has been acknowledged

    @pytest.mark.parametrize("seed", range(2))
    def test_freebsds_chd_does_as_a_model_of_its_rules(self, seed):
        """Where the probability of a back-off is 0 or 1, so that no lot decides.

        Rounds without a queue, with one at q_th, with one just above it, and losses in between.
        """
        rng = np.random.default_rng(seed)
        chd = self.make("ChdFreeBsd", 50, 40, MaxProbability=1.0, ThresholdDelay="20ms")
        model = ChdOfFreeBsd(50, 40)
        for rtt in (0.1, 1e6):  # the least, and the largest: g just above q_th is 1 - 1e-8
            model.ack(rtt, chd.tcb.m_nextTxSequence.Get().GetValue() / 1000)
            chd.Ack(rtt)
        backed_off = reduced = spared = 0
        for step in range(200):
            act = rng.choice(
                ["quiet", "at", "above", "loss", "timeout"], p=[0.5, 0.05, 0.22, 0.22, 0.01]
            )
            before = model.window
            if act == "loss":
                assert chd.Recovery() == pytest.approx(model.loss(), abs=0.01), step
                reduced += model.window < before
                spared += model.window == before
            elif act == "timeout":
                assert chd.Timeout() == pytest.approx(model.timeout(), abs=0.01), step
                chd.Open()
            else:
                rtt = {"quiet": 0.104, "at": 0.12, "above": 0.12001}[act]
                for _ in range(rng.integers(1, 300 if act == "quiet" else 4)):
                    sent = chd.tcb.m_nextTxSequence.Get().GetValue() / 1000
                    model.ack(rtt, sent)
                    assert chd.Ack(rtt) == pytest.approx(model.window, abs=0.01), (step, act)
                    backed_off += model.window < before
                    before = model.window
            assert chd.Threshold() == pytest.approx(model.threshold, abs=0.01), (step, act)
        assert min(backed_off, reduced, spared) > 5


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
