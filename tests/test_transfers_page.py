"""The data of the page on transfers, on a small scale."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import small

from longfat import builds
from longfat.book import chapters
from longfat.book.chapters import transfers_charts
from longfat.experiment import Runs
from longfat.papers.survey import files
from longfat.studies import transfers
from longfat.studies.setting import setting
from longfat.studies.transfers import WAYS, Way

pytestmark = [
    pytest.mark.book,
    pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here"),
]


AT = setting()


def of(name, repetitions=None, **points):
    return small.runs(transfers, AT, name, repetitions, **points)


@pytest.fixture(scope="module")
def archived() -> Runs:
    """The page's runs, as archived."""
    return chapters.find("transfers").runs


def test_the_paths_are_those_of_the_surveys_table():
    from longfat import paths
    from longfat.papers.survey import equations

    table = pd.read_csv(paths.DATA / "papers" / "survey" / "paths.csv")
    for row in equations.paths(table).itertuples():
        name = row.name.replace("^2", "²").replace("^4", "⁴")
        assert WAYS[name][:2] == pytest.approx((1e6 * row.rate_mbps, row.rtt_s))


def test_the_mean_number_of_blasts():
    """One without losses; of one packet the mean of a geometric distribution; else as drawn."""
    assert transfers.blasts(1000, 0.0) == 1
    assert transfers.blasts(1, 0.2) == pytest.approx(1 / 0.8)
    generator = np.random.default_rng(1)
    drawn = generator.geometric(0.8, size=(4000, 500)).max(axis=1)
    assert transfers.blasts(500, 0.2) == pytest.approx(drawn.mean(), rel=0.02)


def test_the_model_is_its_equations():
    """The function is (1) to (3), summed here by sympy for a few packets."""
    t = transfers
    values = {t.S: 14680.0, t.B: 1e6, t.R: 0.1, t.p: 0.2, t.N: 10}
    series = sum(1 - (1 - 0.2**m) ** 10 for m in range(200))
    sent = t.EQ[1].rhs.subs(values)
    time = t.EQ[3].rhs.subs({t.V: sent, t.K: series}).subs(values)
    assert float(time) == pytest.approx(t.rbudp_time(14680, 8e6, 0.2, 0.1))
    assert (t.best() - t.EQ[5].rhs).simplify() == 0
    assert float(t.sent_by_blasts().subs(values).doit()) == pytest.approx(float(sent))


def test_rbudp_is_within_a_twentieth_of_its_model_where_that_holds():
    table = transfers.modelled(of("transfers-rbudp", 4, loss=(0.0, 1e-3), bytes=(1e7, 5e7)))
    assert table["holds"].all()
    assert table["ratio"].between(0.95, 1.05).all()


def test_the_model_says_where_it_does_not_hold():
    table = transfers.modelled(of("transfers-rbudp", loss=(0.0, 0.2), bytes=(1e6, 5e8)))
    assert table.set_index(["loss", "bytes"])["holds"].to_dict() == {
        (0.0, 1e6): True,
        (0.0, 5e8): False,  # the bitmap is 43 KB
        (0.2, 1e6): False,
        (0.2, 5e8): False,
    }


def test_small_files_wait_for_round_trips():
    points = {"way": ["JAPAN"], "how": ["standard TCP", "RBUDP"], "bytes": [1e6]}
    table = transfers.sizes(of("transfers-sizes", **points))
    ratio = table.set_index("how")["ratio"]
    assert ratio["standard TCP"] > 3 * ratio["RBUDP"] > 3
    assert (table["sent"] > 1).all()


def test_a_terabyte_by_the_model():
    table = transfers.largest().set_index("way")
    assert (table["one"] >= table["eight"]).all()
    assert (table["rbudp"] > table["fluid"] / 0.9).all()
    japan = 8e12 / (8 * 1448 * np.sqrt(1.5 / 1e-5) / 0.1)
    assert table.at["JAPAN", "one"] == pytest.approx(japan)


def test_every_tuning_runs():
    names = [tuning.name for tuning in transfers.TUNINGS]
    [one] = [one for one in transfers.experiments(AT) if one.name == "transfers-tunings"]
    points = {"tuning": transfers.KNOWN, "bytes": (1e6,)}
    table = transfers.tunings(Runs(AT, [replace(one, points=points, repetitions=1)]))
    assert table["tuning"].tolist() == names
    assert (table["time"] > 0).all()
    faster = table.set_index("tuning")["faster"]
    assert faster[transfers.BASE] == 1
    assert faster["no window scaling: 64 KB"] < 0.7
    assert faster["RBUDP"] > 2


def test_the_surveys_remedies_are_all_among_the_tunings():
    from longfat.papers.survey import plan

    tuned = {tuning.name for tuning in transfers.TUNINGS}
    called = {
        "standard TCP": transfers.BASE,
        "initial window of 10": "first window of 10 (RFC 6928)",
    }
    assert {called.get(name, name) for name in plan.REMEDIES} <= tuned


def test_a_rate_above_the_links_costs_the_network():
    table = transfers.rates(of("transfers-rates", part=(0.9, 1.5), how=("RBUDP",)))
    table = table.set_index("part")
    assert table.at[0.9, "sent"] < 1.05
    assert table.at[1.5, "sent"] > 1.4


def test_a_blast_leaves_a_neighbour_less_than_a_stream():
    runs = of("transfers-harm", 2, how=("standard TCP", "RBUDP", ""))
    table = transfers.harm(runs).set_index("how")
    assert table.at["standard TCP", "left"] == pytest.approx(1)
    assert table.at["RBUDP", "high"] < 0.5


def test_a_gigabyte_is_run_over_every_path_and_little_is_sent_beyond_it(archived):
    """Of the archive. A datagram of 1468 bytes has 34 of headers, the least of all."""
    large = transfers.large(archived)
    assert list(large["way"].unique()) == list(WAYS)
    assert (large["done"] == 2).all()
    beyond = transfers_charts.overhead(large).set_index("path")
    assert list(beyond.columns) == list(transfers.METHODS)
    assert beyond.min(axis=None) == pytest.approx(100 * 34 / 1468, abs=0.05)
    assert beyond.max(axis=None) < 20


def test_a_neighbour_loses_its_part_where_it_had_one(archived):
    """Of the archive: the radio and its short queue, and paths whose losses hold NewReno back."""
    table = transfers.harm_by_path(archived).set_index(["way", "how"])
    radio, moon = table.loc["lossy radio"], table.loc["MOON"]
    assert radio.at["GridFTP, 8 streams", "high"] < 0.5
    assert radio.at["RBUDP", "high"] < 0.3
    assert moon.at["GridFTP, 8 streams", "low"] > 0.9
    assert (table.xs("RBUDP", level="how")["high"].drop("JAPAN") < 1).all()
    assert (table.xs("standard TCP", level="how")[["low", "high"]] == 1).all(axis=None)
    drawn = transfers_charts.harm_by_path(table.reset_index())
    # The style of the book, where another test has set it, puts titles to the left.
    titles = [axes.get_title("left") or axes.get_title() for axes in drawn.axes]
    assert titles == list(WAYS)


def test_the_sentences_have_their_measures():
    large = pd.DataFrame(
        {
            "way": "JAPAN",
            "how": ["standard TCP", "RBUDP", "GridFTP, 8 streams", "4 parallel"],
            "time": [10.0, 2.0, 4.0, 9.0],
        }
    )
    names = [tuning.name for tuning in transfers.TUNINGS]
    tuned = pd.DataFrame(
        [{"tuning": name, "bytes": size, "faster": 1.0} for name in names for size in (1e5, 1e9)]
    )
    table = transfers.sentences(large, tuned)
    assert table["measured"].tolist() == pytest.approx([5, 2.5, 10 / 9, 1, 1, 1, 1])
    assert table["kept"].tolist() == ["yes", "yes", "no", "no", "yes", "no", "no"]


def test_a_relay_halves_the_round_trip_and_no_more():
    (relay,) = [tuning for tuning in transfers.TUNINGS if tuning.relay]
    plain = transfers.tuned(transfers.TUNINGS[1], 1e6, 1)
    split = transfers.tuned(relay, 1e6, 1)
    assert sum(link.delay_s for link in split.links) == sum(link.delay_s for link in plain.links)
    assert split.flows[0].relays == ("relay",)
    assert [link.loss_per_packet for link in split.links] == [1e-5, 0, 0, 0]


def test_a_queue_is_a_bandwidth_delay_product():
    assert files.queue_packets(Way(100e6, 0.1, 0.0)) == round(1e7 / 8 / 1502)


def test_markers_save_what_they_should(archived):
    """Of the archive: a pause of 2.5 s, and what came after the last marker."""
    later = transfers.breaks(archived).set_index("markers")
    none, five, one = (
        later.loc[name] for name in ("no markers", "a marker every 5 s", "a marker every 1 s")
    )
    assert none["later"] > five["later"] > one["later"] > 0
    assert none["later"] == pytest.approx(transfers.ON_AT_S, rel=0.2)
    assert none["sent"] > five["sent"] > one["sent"] > later.at["not cut", "sent"]


def test_more_streams_are_faster_and_the_rule_stops_early(archived):
    table = transfers.streams(archived).set_index("rule")
    stated = table.iloc[:5]
    assert stated["time"].is_monotonic_decreasing
    assert stated["used"].tolist() == [1, 2, 4, 8, 16]
    found = table.iloc[5:]
    assert found["used"].between(3, 5).all()  # means of eight runs
    assert (found["time"] > table.at["8 stated", "time"]).all()


def test_ns3_and_the_segment_engine_are_equal_within_intervals(archived):
    """Of the archive. Only the radio's and the satellite's blasts are apart, by a thousandth."""
    table = transfers.beside_ns3(archived)
    equal = table["low"].isna() | table["low"].le(1) & table["high"].ge(1)
    apart = table[~equal]
    assert set(apart["how"]) <= {"RBUDP", "Tsunami"}
    assert ((apart["ratio"] - 1).abs() < 1e-3).all()
    assert ((table.loc[table["low"].isna(), "ratio"] - 1).abs() < 1e-4).all()


def test_the_surveys_claims_rest_on_the_tables_runs(archived):
    times = files.tuned_times((transfers.BASE, "4 connections"))
    table = transfers.tunings(archived).set_index(["tuning", "bytes"])["time"]
    assert times["4 connections"].mean() == pytest.approx(table["4 connections", 1e9])
    short = files.tuned_times(("4 connections",), file_bytes=2e6, seeds=2)  # not archived
    assert list(short.index) == [1, 2]
    assert (short["4 connections"] < times["4 connections"].min()).all()
