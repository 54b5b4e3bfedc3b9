"""The data of Hybla's figures: from the archive, from made-up runs, and without an engine."""

import numpy as np
import pandas as pd
import pytest

from longfat import papers, statistics
from longfat.book import drawings_hybla, show
from longfat.engines import linux
from longfat.errors import InputError
from longfat.papers import hybla
from longfat.papers.hybla import derivation, experiments

PARAMETERS = {
    "loss_rates": [1e-3, 1e-2],
    "rtt_s": 0.55,
    "rtt0_s": 0.025,
    "max_window_segments": 550,
    "segment_bytes": 1000,
    "rto_s": 1.0,
    "transfer_megabytes": [10, 50, 100],
    "repetitions": 2,
    "duration_s": None,
    "emulation_s": 100.0,
}


def setting(profile="paper", **changes) -> experiments.Setting:
    return experiments.setting(profile, **PARAMETERS | changes)


def runs(goodput: dict, **columns) -> pd.DataFrame:
    """Made-up runs: goodputs in Mb/s by loss rate, a seed each."""
    rows = [
        {"loss": loss, "seed": seed, "Mb/s": rate, "goodput_bps": 1e6 * rate, **columns}
        for loss, rates in goodput.items()
        for seed, rate in enumerate(rates, 1)
    ]
    return pd.DataFrame(rows)


def test_a_profile_fills_what_is_not_given():
    nothing = {"loss_rates": None, "repetitions": None, "duration_s": None}
    full, quick = setting(**nothing), setting("quick", **nothing)
    assert full.loss_rates == pytest.approx(list(derivation.LOSSES), rel=1e-12)
    assert (full.repetitions, full.duration_s) == (10, 1000)
    assert quick.loss_rates == [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
    assert (quick.repetitions, quick.duration_s) == (3, 100)
    own = setting("quick", loss_rates=[1.5e-4], duration_s=7.0)
    assert (own.loss_rates, own.duration_s) == ([1.5e-4], 7)  # not rounded


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"profile": "slow"}, "profile is 'slow': it must be paper or quick"),
        ({"loss_rates": []}, r"loss_rates is \[\]: it must be one or more"),
        ({"loss_rates": [0, 0.1]}, "above 0 and below 0.5"),
        ({"transfer_megabytes": [1, 2]}, r"transfer_megabytes is \[1, 2\]: it must be three"),
        ({"repetitions": 0}, "repetitions is 0: it must be 1 or more"),
    ],
)
def test_what_no_figure_could_show_is_refused(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        setting(**changes)


def test_the_papers_scale_comes_from_the_archive(monkeypatch):
    monkeypatch.setattr(linux, "build", lambda: None)
    steady, emulated = experiments.steady(setting()), experiments.emulated_steady(setting())
    assert list(steady["loss"]) == list(emulated["loss"]) == [1e-3, 1e-3, 1e-2, 1e-2]
    assert (steady["Mb/s"] < 8).all()
    assert set(experiments.overflow(setting())["algorithm"]) == {
        "ours, at most $W_m$",
        "ns-3's own",
    }


@pytest.fixture
def _no_kernel(monkeypatch):
    monkeypatch.setattr(linux, "build", lambda: None)


def compared(at: experiments.Setting, emulated: pd.DataFrame) -> pd.DataFrame:
    """`compare`, of runs that are 2 % below the model on ns-3."""
    below = {loss: experiments.model(at, "steady", "throughput", loss) for loss in at.loss_rates}
    steady = runs({loss: [0.97 * rate, 0.99 * rate] for loss, rate in below.items()})
    transfers = [
        runs({1e-3: [4.0, 4.2]}, megabytes=size, transfer_time_s=8 * size / 4)
        for size in at.transfer_megabytes
    ]
    return experiments.compare(
        at,
        steady=steady,
        emulated=emulated,
        transfers=pd.concat(transfers),
        emulated_transfers=experiments.emulated_transfers(at),
    )


@pytest.mark.usefixtures("_no_kernel")
def test_every_measured_quantity_stands_beside_the_models():
    at = setting(rtt_s=0.5)
    table = compared(at, runs({1e-3: [5.0, 5.0]}))
    steady = table[(table["transfer"] == "steady") & (table["engine"] == "simulation")]
    assert steady["difference"].tolist() == pytest.approx([2, 2])
    width = statistics.half_width(np.sqrt(2), 2)  # of 1 and 3 per cent
    assert steady["difference_halfwidth"].tolist() == pytest.approx([width, width])
    time = table[(table["transfer"] == "50MB") & (table["metric"] == "transfer_time")].iloc[0]
    expected = hybla.transfer_time(50_000, 1e-3, 0.5, 0.025, 550, 1.0)
    assert (time["measured"], time["model"]) == (100, pytest.approx(expected))
    rate = table[(table["transfer"] == "50MB") & (table["metric"] == "throughput")].iloc[0]
    assert (rate["measured"], rate["model"]) == (pytest.approx(4.1), pytest.approx(400 / expected))
    points = experiments.points(table, "steady", "throughput")
    assert points["engine"].tolist() == ["ns-3", "ns-3", "Linux"]
    assert points["Mb/s"].iloc[-1] == 5
    halving = experiments.one_halving(at, table)
    assert halving["model, difference %"].tolist() == pytest.approx([2, 2])
    assert (halving["one halving"] > halving["model"]).all()


@pytest.mark.usefixtures("_no_kernel")
def test_a_leg_without_its_engine_is_left_out_of_everything(capsys):
    at = setting(rtt_s=0.5)  # not archived
    emulated = experiments.emulated_steady(at)
    assert "4 runs on the engine 'linux'" in capsys.readouterr().out
    assert emulated.empty
    assert set(emulated) == set(experiments.steady(setting()))
    table = compared(at, emulated)
    assert set(table["engine"]) == {"simulation"}
    judged = statistics.judge_differences(papers.claims("hybla"), table)
    assert set(judged[judged["engine"] == "emulation"]["verdict"]) == {"not yet measured"}
    shown = experiments.verdicts(judged)
    assert list(shown["engine"].unique()) == ["ns-3", "Linux"]
    linux_reasons = set(shown[shown["engine"] == "Linux"]["reason"])
    assert linux_reasons == {"no run in this range of loss rates", "the text gives no number"}
    assert "largest at p = 0.01" in set(shown["reason"])
    ours = experiments.table_3(papers.claims("hybla"), table)
    assert list(ours.index) == ["steady", "10MB", "50MB", "100MB"]
    assert (ours["throughput", "emulation", "ours"] == "–").all()
    assert list(experiments.throughput_differences(table)) == [
        "loss",
        "steady, ns-3",
        "10MB, ns-3",
        "50MB, ns-3",
        "100MB, ns-3",
    ]
    assert experiments.events(at, emulated, 100).empty
    varied = experiments.variants(at, experiments.emulated_variants(at, emulated))
    assert varied.empty
    starts = experiments.starts(at)
    show.show_figure("x", drawings_hybla.windows(starts, "start", "title"), starts, "alt")
    assert "x: nothing to draw here." in capsys.readouterr().out
    assert "nothing to show here" in show.show_table(varied.T.reset_index(), caption="c").data


@pytest.mark.usefixtures("_no_kernel")
def test_both_engines_keep_their_colours_in_every_figure():
    at = setting(rtt_s=0.5)
    table = compared(at, runs({1e-3: [5.0, 5.0]}))
    for engine, style in (("simulation", show.SIMULATION), ("emulation", show.EMULATION)):
        figure, _ = drawings_hybla.comparison(
            at, table[table["engine"] == engine], "steady", "throughput"
        )
        (points,) = figure.axes[0].containers
        assert points[0].get_color() == style["color"]


def test_variants_keep_their_order_and_one_run_has_no_interval():
    at = setting()
    model = experiments.model(at, "steady", "throughput", 1e-3)
    two = runs({1e-3: [0.97 * model, 0.99 * model]}, variant="slow")
    one = runs({1e-3: [1.1 * model]}, variant="fast")
    table = experiments.variants(at, pd.concat([two, one]))
    assert list(table.index) == ["slow", "fast"]
    assert table[1e-3].tolist() == ["+2.00 ± 12.71", "-10.00"]


def test_events_are_means_beside_the_models_cycles():
    counted = pd.DataFrame({"loss": [1e-3, 1e-3], "recoveries": [10, 12], "timeouts": [0, 1]})
    row = experiments.events(setting(), counted, 100).iloc[0]
    cycle_s = hybla.steady_state(1e-3, 0.55, 0.025, 550)["A"][0]
    assert row.tolist() == pytest.approx([1e-3, 100 / cycle_s, 11, 0.5])
