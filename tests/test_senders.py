"""The data of the page on every sender that the papers name, on a small scale."""

import numpy as np
import pandas as pd
import pytest
import small

from longfat.cc import catalogue
from longfat.experiment import Runs
from longfat.studies import senders

AT = senders.setting("quick", starts=3)


def of(name, repetitions=None, **points):
    return small.runs(senders, AT, name, repetitions, **points)


def test_every_header_but_those_that_are_newreno_or_need_routers_is_a_sender():
    names = senders.senders()
    known = catalogue.algorithms().items()
    headers = {name for name, one in known if one.header}
    left_out = {*senders.SAME_AS_NEWRENO, *senders.WITH_ROUTERS, *senders.OF_LONG_PAGE}
    assert headers - set(names) == left_out
    assert {name for name, one in known if one.needs_routers} <= set(senders.WITH_ROUTERS)
    assert {*senders.QUEUES, *senders.GROWTH, *senders.TOLERANT} <= set(names)


def test_a_header_of_ones_own_is_none_of_the_archives_senders(tmp_path):
    header = tmp_path / "mine.h"
    template = catalogue.FOLDER.parent / "book" / "templates" / "congestion-control.h"
    header.write_text(template.read_text("utf-8").replace("my-experiment", "mine"), "utf-8")
    before = senders.senders()
    assert catalogue.named(str(header)) == "mine" and catalogue.find("mine").header == header
    assert senders.senders() == before


def test_a_scenario_has_what_a_sender_needs():
    one = senders.scenario("lp", beside="newreno", start_s=1.0, buffer=0.5, loss=0.01)
    assert [flow.timestamps for flow in one.flows] == [True, False]
    assert [flow.start_s for flow in one.flows] == [1.0, 0.0]
    assert one.links[0].queue_packets == 59  # half of 119
    assert (one.links[0].loss_per_packet, one.links[1].loss_per_packet) == (0.01, 0.0)
    (fast,) = senders.scenario("fast").flows
    assert fast.congestion_control.parameters == {"alpha_segments": 20.0}
    with pytest.raises(ValueError, match="unknown congestion control 'no such sender'"):
        senders.scenario("no such sender")


def test_the_mean_of_a_queue_is_over_time():
    """A queue of 10 packets for nine tenths of the time and of 100 for the rest."""
    trace = pd.DataFrame(
        {"sender": "x", "time_s": [0.0, 19.0, 20.0], "queue_packets": [10, 100, 100]}
    )
    (row,) = senders.queue_means(trace).to_dict("records")
    assert row["mean"] == pytest.approx(0.9 * 10 + 0.1 * 100, rel=0.02)
    assert row["high"] == 100


def test_vegas_keeps_two_to_four_packets_and_newreno_fills_the_buffer():
    queues = senders.queues(of("senders-queues", sender=["vegas", "newreno"]))
    assert set(queues) == {"sender", "time_s", "queue_packets"}
    means = senders.queue_means(queues).set_index("sender")
    assert 2 <= means.at["vegas", "mean"] <= 4
    assert queues[queues["sender"] == "newreno"]["queue_packets"].max() == 119


def test_a_neighbour_of_its_own_kind_gets_its_own():
    runs = of("senders-beside-newreno", sender=["newreno", "vegas"])
    table = senders.neighbour_table(runs).set_index("sender")
    assert table.at["newreno", "neighbour"] == pytest.approx(1)
    assert table.at["newreno", "low"] < 1 < table.at["newreno", "high"]
    assert table.at["vegas", "low"] > 1.2


def test_choices_are_sorted_and_have_what_the_neighbour_gets():
    satellite = pd.DataFrame(
        {
            "sender": ["a", "b", "a"],
            "loss": [1e-3, 1e-3, 1e-4],
            "Mb/s": [1.0, 2.0, 9.0],
            "halfwidth": 0.1,
        }
    )
    beside = pd.DataFrame(
        {"sender": ["a", "b"], "neighbour": [1.0, 0.2], "low": [0.9, 0.1], "high": [1.1, 0.3]}
    )
    chosen = senders.choices(satellite, beside, 1e-3)
    assert chosen["sender"].tolist() == ["b", "a"]
    assert chosen["neighbour"].tolist() == [0.2, 1.0]


def test_a_windows_growth_is_told_apart_by_the_queue():
    """5 segments a round trip up to 2,372, which the path holds, and 1 beyond; then a loss."""
    time = np.arange(10.0, 100.0, 1.0)
    window = np.where(time < 40, 900 + 50 * (time - 10), 2420 + 10 * (time - 40))
    window[-1] = 1500.0
    trace = pd.DataFrame({"sender": "x", "time_s": time, "cwnd_segments": window})
    (row,) = senders.regained(trace).to_dict("records")
    assert (row["below"], row["above"]) == pytest.approx((5, 1))


def test_lp_yields_to_a_newreno_and_cubic_does_not():
    given = senders.left(senders.yielding(of("senders-yielding", sender=["lp", "cubic"])))
    assert given["lp"] > 0.9
    assert given["cubic"] < 0.5


def test_a_receivers_window_stops_hyblas_first_burst():
    limited = senders.satellite(of("senders-satellite", 2, sender=["hybla"], loss=[1e-3]))
    without = senders.unlimited(of("senders-unlimited", 2, sender=["hybla"]))
    assert limited["Mb/s"].item() > 3 * without["Mb/s"].item()


def test_a_promise_is_kept_if_the_whole_interval_says_so():
    def table(**values):
        names = [one.sender for one in senders.PROMISES]
        return pd.DataFrame({"sender": [*dict.fromkeys([*names, "newreno"])]} | values)

    near = table(neighbour=1.0, low=0.95, high=1.05).set_index("sender")
    near.loc["bbr3"] = (0.92, 0.85, 1.0)  # an interval about the bound
    near.loc["chd"] = (2.0, 1.9, 2.1)
    rate = {"Mb/s": 2.0, "halfwidth": 0.1}
    found = senders.judged(
        means=table(mean=3.0),
        lossy=table(loss=1e-2, **rate),
        beside=near.reset_index(),
        yielded=table(time_s=50.0, own=1.0, newreno=1.0),
        satellite=table(loss=1e-4, **rate),
        far=pd.concat([table(rtt_s=0.025, **rate), table(rtt_s=0.4, **rate)]),
        grown=pd.DataFrame({"sender": [], "time_s": [], "cwnd_segments": []}),
    ).set_index("sender")
    kept = found["kept"]
    assert (kept["vegas"], kept["fast"], kept["lp"]) == ("yes", "no", "no")
    assert (kept["bbr3"], kept["chd"], kept["yeah"]) == ("perhaps", "no", "yes")
    assert kept["bbr"] == "no"  # as much as NewReno is not a tenth more
    assert kept["hybla"] == "yes"  # 1 ± 0.07, and 0.9 is asked for
    assert found.at["bbr", "measured"] == pytest.approx(1)


def test_losses_cost_newreno_more_than_bbr():
    runs = of("senders-lossy", 2, sender=["newreno", "bbr"], loss=[1e-2])
    table = senders.lossy(runs).set_index("sender")
    assert table.at["bbr", "Mb/s"] > 3 * table.at["newreno", "Mb/s"]
    assert np.isfinite(table["halfwidth"]).all()


def test_a_gap_has_a_reason_where_the_interval_leaves_out_one():
    table = senders.second_sources(Runs(AT, ()))
    assert set(table["source"]) == {"Linux", "ns-2"}
    parted = (table["low"] > 1) | (table["high"] < 1)
    assert ((table["reason"] != "") == parted).all()
