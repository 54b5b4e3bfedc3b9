"""TCP-Probing, TCP-Cherry and TCP-Peach: step by step against their rules, and on the engine."""

import pandas as pd
import pytest

from longfat import InputError, Record, simulate
from longfat.faults import NS3_3_44
from longfat.scenario import CongestionControl, Outage, Scenario
from longfat.studies import senders


def path(sender: str, *, outage=None, parameters=None, **fields) -> Scenario:
    """The senders' path, with a radio link that goes away and parameters if asked for."""
    one = senders.scenario(sender, **fields)
    flow = one.flows[0].model_copy(
        update={"congestion_control": CongestionControl(name=sender, parameters=parameters or {})}
    )
    links = one.links
    if outage:
        links = tuple(link.model_copy(update={"outages": (Outage(**outage),)}) for link in links)
    return one.with_(flows=(flow, *one.flows[1:]), links=links)


def run(*args, **fields):
    return simulate(path(*args, **fields), engine="segment").flows.iloc[0]


# --- the rules, step by step


@pytest.mark.ns3
class TestRules:
    @staticmethod
    def make(name, **attributes):
        from own_packets_driver import make

        return make(name, **attributes)

    @staticmethod
    def asked(driver):
        from own_packets_driver import asked

        return asked(driver)

    def probing(self, **attributes):
        """A best round trip of 0.1 s and a worst one of 0.2 s."""
        driver = self.make("probing", **attributes)
        for rtt in (0.1, 0.2, 0.1):
            driver.Ack(rtt)
        return driver

    @pytest.mark.parametrize(
        ("timeout", "first", "second", "resumption"),
        [
            (True, 0.1, 0.1, 0),
            (True, 0.15, 0.15, 0),
            (True, 0.16, 0.1, 2),
            (True, 0.1, 0.16, 2),
            (False, 0.1, 0.1, 0),
            (False, 0.16, 0.16, 1),
        ],
    )
    def test_two_round_trips_decide_how_probing_goes_on(self, timeout, first, second, resumption):
        driver = self.probing()
        assert driver.Suspends(timeout)
        assert self.asked(driver) == ["probe 1 0"]
        driver.At(first)
        driver.Answer(1, 0.0)
        assert self.asked(driver) == ["probe 2 0"]
        driver.At(first + second)
        driver.Answer(2, first)
        assert self.asked(driver) == [f"resume {resumption}"]
        assert driver.engine.timerS == 0  # no probe is under way

    def test_a_lost_probe_begins_the_cycle_anew(self):
        driver = self.probing()
        driver.Suspends(True)
        assert driver.engine.timerS == pytest.approx(0.2)  # two smoothed round trips
        driver.At(0.1)
        driver.Answer(1, 0.0)
        driver.At(0.3)
        driver.Timer()  # the second is lost: back to the first
        assert self.asked(driver) == ["probe 1 0", "probe 2 0", "probe 3 0"]
        driver.Answer(2, 0.1)  # too late, of the cycle before
        assert self.asked(driver) == []
        driver.At(0.4)
        driver.Answer(3, 0.3)
        driver.At(0.5)
        driver.Answer(4, 0.4)
        assert self.asked(driver) == ["probe 4 0", "resume 0"]

    def test_probing_leaves_recoveries_alone_if_told_to(self):
        driver = self.probing(AtDuplicates=False)
        assert not driver.Suspends(False)
        assert driver.Suspends(True)

    def cherry(self, name="cherry", window=100, **attributes):
        driver = self.make(name, **attributes)
        driver.engine.window = window
        driver.Ack(0.5)
        return driver

    def timers(self, driver):
        """Let its timer run out as long as it sets it; return how often."""
        count = 0
        while driver.engine.timerS > 0:
            driver.engine.timerS = -1
            driver.Timer()
            count += 1
        return count

    def test_the_start_sends_a_window_of_supplements_in_a_round_trip(self):
        driver = self.cherry()
        assert driver.engine.timerS == pytest.approx(0.5 / 90)
        assert self.timers(driver) == 90
        assert self.asked(driver) == ["supplement low"] * 90
        driver.Arrive(60)
        assert driver.Window() == 70
        driver.Arrive(60)
        assert driver.Window() == 100  # the receiver takes no more

    def test_a_recovery_is_undone_by_what_arrives_beyond_the_half(self):
        driver = self.cherry(window=10)
        driver.SetWindow(40)
        driver.Enter(3)
        driver.SetThreshold(20)
        driver.SetWindow(20)
        driver.Enter(0)
        assert self.timers(driver) == 44  # the window and a tenth to spare
        driver.Arrive(20)
        assert driver.Window() == 20
        driver.Arrive(5)
        assert driver.Window() == 25
        driver.Arrive(100)
        assert driver.Window() == 40

    def test_supplements_that_arrive_in_the_recovery_raise_what_it_ends_with(self):
        driver = self.cherry(window=10)
        driver.SetWindow(40)
        driver.Enter(3)
        driver.SetThreshold(20)
        driver.Arrive(25)
        assert (driver.Window(), driver.Threshold()) == (40, 25)

    def test_without_room_no_more_supplements_are_sent(self):
        driver = self.cherry()
        driver.engine.hasRoom = False
        assert self.timers(driver) == 1

    def test_a_timeout_begins_anew(self):
        driver = self.cherry()
        self.timers(driver)
        self.asked(driver)
        driver.Enter(4)
        driver.SetWindow(1)
        assert self.timers(driver) == 100  # one of them is the beginning itself
        assert self.asked(driver) == ["supplement low"] * 99

    def test_peachs_dummies_are_long_and_carry_nothing(self):
        driver = self.cherry("peach")
        assert self.timers(driver) == 90
        assert self.asked(driver)[:2] == ["probe 1 1000 low", "probe 2 1000 low"]
        driver.Answer(1, 0.0)
        assert driver.Window() == 11


# --- on the engine

OUTAGE = {"start_s": 10.0, "duration_s": 5.0}


def test_probing_goes_on_at_once_after_an_outage():
    there: dict = {"outage": OUTAGE, "window": 100, "duration_s": 20.0}
    own, plain = run("probing", **there), run("newreno", **there)
    assert plain["timeouts"] >= 2
    assert own["timeouts"] == 0
    link = 1e7 * 1000 / 1042 / 8  # bytes of payload a second
    # Each could send for 15 s. A probe waits for two round trips, a timeout of NewReno for seconds.
    assert own["delivered_bytes"] > plain["delivered_bytes"] + 0.5 * link
    assert own["delivered_bytes"] > (15 - 1.5) * min(link, 100 * 1000 / 0.1)


def test_probing_outlives_what_a_sender_gives_up_at():
    """NewReno doubles its timeout and gives up at the sixth; probes go on."""
    there = {"outage": {"start_s": 5.0, "duration_s": 100.0}, "window": 100, "duration_s": 120.0}
    assert run("probing", **there)["delivered_bytes"] > 15e6
    assert run("newreno", **there)["delivered_bytes"] < 10e6


def test_without_losses_probing_is_newreno():
    there = {"window": 60, "duration_s": 10.0}
    assert run("probing", **there).equals(run("newreno", **there))


def test_cherry_starts_in_a_round_trip_where_newreno_doubles():
    there = {"rtt_s": 0.55, "window": 600, "duration_s": 2.0}
    own, plain = run("cherry", **there), run("newreno", **there)
    assert own["delivered_bytes"] > 1.5 * plain["delivered_bytes"]
    assert own["retransmissions"] == 0


def test_a_full_queue_drops_supplements_first():
    """Supplements fill the queue when the neighbour's first ten segments come: these take their
    places, or are lost themselves."""
    found = {}
    for low in (True, False):
        scenario = path(
            "cherry",
            parameters={"low_priority": low},
            beside="newreno",
            beside_start_s=0.13,
            duration_s=0.6,
            window=600,
        )
        found[low] = simulate(scenario, engine="segment").flows.iloc[1]
    assert found[True]["delivered_bytes"] >= 10_000
    assert found[True]["retransmissions"] == 0
    assert found[False]["delivered_bytes"] < 5_000


def test_a_lost_supplement_halves_no_window():
    """In the 20 ms without a link only supplements would have arrived, 1.1 ms apart, and what
    each that arrived let go."""
    record = Record(series=("cwnd_segments",), points=500)
    gone = {"start_s": 0.27, "duration_s": 0.02}
    scenario = path("cherry", outage=gone, window=100, duration_s=1.0, record=record)
    result = simulate(scenario, engine="segment")
    flow = result.flows.iloc[0]
    lost = result.links["packets_lost_in_outage"].iloc[0]
    assert lost >= 16
    assert (flow["recoveries"], flow["timeouts"]) == (0, 0)
    assert flow["retransmissions"] == lost
    assert result.traces["cwnd_segments"]["cwnd_segments"].max() < 100 - lost + 10


@pytest.mark.parametrize("loss", [1e-3, 1e-2])
@pytest.mark.parametrize("sender", ["cherry", "peach", "probing"])
def test_every_segment_arrives_whatever_is_lost(sender, loss):
    """The engine's own checks find nothing, and a transfer ends."""
    one = path(sender, loss=loss, buffer=0.3, window=400, duration_s=100.0)
    flow = one.flows[0].model_copy(update={"bytes": 2_000_000})
    result = simulate(one.with_(flows=(flow,)), engine="segment")
    assert result.flows["delivered_bytes"].item() == 2_000_000
    assert result.flows["transfer_time_s"].notna().all()


def test_cherry_forgets_a_random_loss_and_newreno_does_not():
    there = {"rtt_s": 0.55, "rate_bps": 20e6, "loss": 1e-3, "window": 3914, "duration_s": 60.0}
    assert run("cherry", **there)["goodput_bps"] > 2 * run("newreno", **there)["goodput_bps"]


# --- the same on ns-3


@pytest.mark.slow
@pytest.mark.ns3
@pytest.mark.parametrize("sender", ["probing", "cherry", "peach"])
@pytest.mark.parametrize(
    "place",
    [
        {"outage": {"start_s": 3.0, "duration_s": 4.0}, "loss": 1e-3},
        {"beside": "newreno", "beside_start_s": 0.5, "buffer": 0.3, "window": 600},
        {"loss": 1e-2, "rtt_s": 0.55, "window": 1500, "duration_s": 25.0},
    ],
    ids=["outage", "short queue, neighbour", "satellite"],
)
def test_ns3_counts_what_the_segment_engine_counts_with_its_faults(sender, place):
    """Of flows and of links; with ns-3's own loss recovery."""
    one = path(sender, **({"duration_s": 15.0} | place))
    flows = [flow.model_copy(update={"recovery": "prr-ns3-3.44"}) for flow in one.flows]
    one = one.with_(flows=flows)
    full = simulate(one, engine="ns3")
    own = simulate(one.with_(faults=NS3_3_44), engine="segment")
    counts = ["delivered_bytes", "segments_sent", "retransmissions", "recoveries", "timeouts"]
    pd.testing.assert_frame_equal(full.flows[counts], own.flows[counts])
    pd.testing.assert_frame_equal(full.links, own.links[full.links.columns])
    assert full.flows["recoveries"].sum() + full.flows["timeouts"].sum() > 0


# --- bad input


@pytest.mark.parametrize("engine", ["linux", "ns2"])
@pytest.mark.parametrize("sender", ["probing", "cherry", "peach"])
def test_an_engine_without_own_packets_refuses_in_a_sentence(sender, engine):
    refusal = rf"'{sender}' sends packets of its own, which the engine '{engine}' does not have"
    with pytest.raises(InputError, match=refusal):
        path(sender).refuse_helpers(engine)


def test_own_packets_need_sack():
    one = path("cherry").model_dump()
    one["flows"][0]["sack"] = False
    with pytest.raises(InputError, match=r"flows\.0: 'cherry' needs sack"):
        Scenario(**one)


def test_only_they_need_the_feature():
    assert path("cherry").features == {"probes"}
    assert path("hybla-2004").features == frozenset()
