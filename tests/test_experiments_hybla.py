"""The data of Hybla's figures: from the archive, from made-up runs, and without an engine."""

import numpy as np
import pandas as pd
import pytest

from longfat import papers, statistics
from longfat.book import chapters, show
from longfat.book.chapters import hybla as chapter
from longfat.book.chapters import hybla_charts
from longfat.engines import linux
from longfat.errors import InputError
from longfat.papers import hybla
from longfat.papers.hybla import analysis, claims, derivation, plan, theory
from longfat.verdicts.judge import judge

pytestmark = pytest.mark.medium

CLAIMS = papers.claims("hybla")


def setting(profile="paper", **changes) -> plan.Setting:
    return plan.setting(profile, **{"loss_rates": [1e-3, 1e-2], "repetitions": 2} | changes)


def runs(goodput: dict, leg: str = "segment", **columns) -> pd.DataFrame:
    """Made-up runs of one leg: goodputs in Mb/s by loss rate, a seed each."""
    rows = [
        {"leg": leg, "experiment": "x", "loss": loss, "seed": seed, "Mb/s": rate, **columns}
        for loss, rates in goodput.items()
        for seed, rate in enumerate(rates, 1)
    ]
    return pd.DataFrame(rows)


def transfers(at: plan.Setting, leg: str = "segment") -> pd.DataFrame:
    """Made-up transfers at half of the link's 8 Mb/s."""
    return pd.concat(
        [
            runs({1e-3: [4.0, 4.2]}, leg, megabytes=size, transfer_time_s=8 * size / 4)
            for size in at.transfer_megabytes
        ],
        ignore_index=True,
    )


def below_model(at: plan.Setting, *parts: float, **columns) -> pd.DataFrame:
    """Made-up steady runs that are parts of the model's throughput."""
    model = {loss: theory.model(at, "steady", "throughput", loss) for loss in at.loss_rates}
    return runs({loss: [part * rate for part in parts] for loss, rate in model.items()}, **columns)


def test_limits_stand_a_power_of_ten_apart_and_approach_each_other_as_losses_vanish():
    table = theory.limits(plan.setting()).set_index("loss")
    assert list(table.index) == [1e-5, 1e-4, 1e-3, 1e-2]
    apart = table.max(axis=1) / table.min(axis=1)
    assert apart.is_monotonic_increasing


def test_a_profile_fills_what_is_not_given():
    nothing = {"loss_rates": None, "repetitions": None}
    full, quick = setting(**nothing), setting("quick", **nothing)
    assert full.loss_rates == pytest.approx(list(derivation.LOSSES), rel=1e-12)
    assert (full.repeated(20, 5), full.duration_s) == (20, 1000)
    assert quick.loss_rates == (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    assert (quick.repeated(20, 5), quick.duration_s) == (5, 100)
    own = setting("quick", loss_rates=[1.5e-4], duration_s=7.0)
    assert (own.loss_rates, own.duration_s) == ((1.5e-4,), 7)  # not rounded
    assert own.repeated(20, 5) == 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"profile": "slow"}, "profile is 'slow': it must be paper or quick"),
        ({"loss_rates": []}, r"loss_rates is \[\]: it must be one or more"),
        ({"loss_rates": [0, 0.1]}, "above 0 and below 0.5"),
        ({"transfer_megabytes": [1, 2]}, r"transfer_megabytes is \[1, 2\]: it must be three"),
        ({"repetitions": 0}, "repetitions is 0: it must be 1 or more"),
        ({"rtt": 0.5}, "no parameter 'rtt'.*mean 'rtt_s'"),
    ],
)
def test_what_no_figure_could_show_is_refused(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        setting(**changes)


def test_the_papers_scale_comes_from_the_archive(monkeypatch):
    monkeypatch.setattr(linux, "build", lambda: None)
    steady = plan.runs(setting()).flows(*plan.STEADY)
    for leg in ("segment", "linux"):
        some = steady[steady["leg"] == leg]
        assert list(some["loss"]) == [1e-3, 1e-3, 1e-2, 1e-2], leg
        assert (some["Mb/s"] < 8).all()
    assert set(steady["experiment"]) >= {"hybla-steady", "hybla-emulation-steady"}


@pytest.fixture
def _no_kernel(monkeypatch):
    monkeypatch.setattr(linux, "build", lambda: None)


def test_every_measured_quantity_stands_beside_the_models():
    at = setting(rtt_s=0.5)
    steady = pd.concat([below_model(at, 0.97, 0.99), runs({1e-3: [5.0, 5.0]}, "linux")])
    table = analysis.compare(at, steady, transfers(at))
    mine = table[(table["transfer"] == "steady") & (table["leg"] == "segment")]
    assert mine["difference"].tolist() == pytest.approx([2, 2])
    width = statistics.half_width(np.sqrt(2), 2)  # of 1 and 3 per cent
    assert mine["difference_halfwidth"].tolist() == pytest.approx([width, width])
    time = table[(table["transfer"] == "50MB") & (table["metric"] == "transfer_time")].iloc[0]
    expected = hybla.transfer_time(50_000, 1e-3, 0.5, 0.025, 550, 1.0)
    assert (time["measured"], time["model"]) == (100, pytest.approx(expected))
    rate = table[(table["transfer"] == "50MB") & (table["metric"] == "throughput")].iloc[0]
    assert (rate["measured"], rate["model"]) == (pytest.approx(4.1), pytest.approx(400 / expected))
    points = analysis.points(table, "steady", "throughput")
    assert points["engine"].tolist() == ["segment engine", "segment engine", "Linux"]
    assert points["Mb/s"].iloc[-1] == 5
    mended = analysis.mended(at, table)
    assert (100 * (1 - mended["measured"] / mended["the paper's model"])).tolist() == (
        pytest.approx([2, 2], rel=1e-3)
    )
    assert (mended["halved once"] > mended["the paper's model"]).all()


@pytest.mark.usefixtures("_no_kernel")
def test_a_leg_without_its_engine_is_left_out_of_everything(capsys):
    at = setting(rtt_s=0.5)  # not archived
    emulated = plan.runs(at).flows("hybla-emulation-steady")
    assert "4 runs on the engine 'linux'" in capsys.readouterr().out
    assert emulated.empty
    assert set(emulated) >= {"leg", "experiment", "loss", "seed", "goodput_bps", "Mb/s"}
    steady = pd.concat([below_model(at, 0.97, 0.99), emulated])
    table = analysis.compare(at, steady, transfers(at))
    assert set(table["leg"]) == {"segment"}
    assert analysis.events(at, emulated, 100).empty
    show.figure(chapters.find("hybla", rtt_s=0.5), "hybla-emulation-start")
    assert "hybla-emulation-start: nothing to draw here." in capsys.readouterr().out


def judged(at: plan.Setting, steady, transfers, varied=None) -> pd.DataFrame:
    rounds = pd.DataFrame({"before": [275.0], "added": [310.0]})
    beside = pd.concat(
        [
            runs({1e-3: [6.0, 6.1]}, algorithm="hybla"),
            runs({1e-3: [0.8, 0.9]}, algorithm="newreno"),
        ]
    )
    evidence = claims.evidence(
        at,
        steady=steady,
        transfers=transfers,
        varied_steady=varied,
        beside=beside,
        rounds=rounds,
    )
    return judge(CLAIMS, evidence).set_index("id")


def test_a_claim_is_judged_by_the_runs_of_its_own_experiment():
    at = setting(loss_rates=[1e-5, 1e-4])
    close = below_model(at, 0.9965, 0.9967, 0.9969)  # 0.33 % below the model
    table = judged(at, close, transfers(at))
    assert table.at["hybla-t3-steady-rate-simulation", "verdict"] == "reproduced"
    assert table.at["hybla-s4-steady-rate-simulation-rare", "verdict"] == "reproduced"
    # Of the emulation nothing was run.
    assert table.at["hybla-t3-steady-rate-emulation", "verdict"] == "not yet measured"
    # What needs loss rates that were not run is not judged by others.
    assert table.at["hybla-s4-steady-rate-simulation-frequent", "verdict"] == "not yet measured"
    far = below_model(at, 0.9, 0.91, 0.92)
    table = judged(at, far, transfers(at))
    assert table.at["hybla-s4-steady-rate-simulation-rare", "verdict"] == "not reproduced"
    assert table.at["hybla-s4-steady-rate-simulation-rare", "measured"] == pytest.approx(9)


def test_on_which_side_of_the_model_does_not_matter():
    at = setting(loss_rates=[1e-4])
    row = judged(at, below_model(at, 1.09, 1.10, 1.11), transfers(at))
    row = row.loc["hybla-s4-steady-rate-simulation-rare"]
    assert (row["measured"], row["verdict"]) == (pytest.approx(10), "not reproduced")
    assert row["low"] < 10 < row["high"]


def test_a_setting_that_turns_a_claim_is_named():
    at = setting(loss_rates=[1e-3])
    base = below_model(at, 0.88, 0.89, 0.90)
    varied = below_model(at, 0.98, 0.985, 0.99, parameter="acked_per_ack", value="2")
    table = judged(at, base, transfers(at), varied)
    assert table.at["hybla-s4-steady-rate-simulation-rare", "verdict"] == (
        "depends on acked_per_ack"
    )
    # At one of two loss rates only, it says nothing of the largest difference.
    two = setting(loss_rates=[1e-3, 2e-3])
    table = judged(two, below_model(two, 0.88, 0.89, 0.90), transfers(two), varied)
    assert table.at["hybla-s4-steady-rate-simulation-rare", "verdict"] == "not reproduced"


def test_the_conclusion_is_judged_on_the_papers_simulator_and_by_all_its_parts():
    """By steady runs alone it is not: what ran no transfers of 50 and 100 MB says nothing of it."""
    at = setting(loss_rates=[1e-4])
    steady = [below_model(at, 0.98, 0.981, 0.982, leg=leg) for leg in ("segment", "ns2")]

    def verdict(*legs: str) -> pd.Series:
        files = [
            runs({1e-4: [0.97 * model, 0.971 * model]}, leg, megabytes=size, transfer_time_s=1.0)
            for leg in legs
            for name, size in zip(at.segments, at.transfer_megabytes, strict=True)
            for model in [theory.model(at, name, "throughput", 1e-4)]
        ]
        return judged(at, pd.concat(steady), pd.concat(files)).loc["hybla-s5-valid"]

    both = verdict("segment", "ns2")
    assert (both["engine"], both["measured"]) == ("ns2", pytest.approx(2.95))
    assert "On ns-2 it is 2.95 %" in both["reason"]
    assert {one["points"] for one in both["evidence"]} == {3}
    assert verdict("segment")["engine"] == "segment"


def test_growth_is_judged_by_what_the_acks_of_a_round_trip_add():
    at = setting(loss_rates=[1e-3])
    row = judged(at, below_model(at, 0.9, 0.91), transfers(at)).loc["hybla-s2-growth"]
    assert (row["verdict"], row["printed"]) == ("not reproduced", 484)
    assert row["measured"] == 310


def test_how_a_transfer_is_timed_needs_no_other_run():
    at = setting()
    runs = analysis.retimed_transfers(at, transfers(at))
    assert set(runs["parameter"]) == {analysis.TIMED}
    small = runs[runs["megabytes"] == 10].groupby("value")["transfer_time_s"].first()
    assert small["from the SYN to the last ACK"] == pytest.approx(20.275)
    assert small["from the first segment to the last byte"] == pytest.approx(19.45)
    assert (runs["Mb/s"] * runs["transfer_time_s"]).tolist() == pytest.approx(
        (8 * runs["megabytes"]).tolist()
    )


def chart_3(at: plan.Setting, compared: pd.DataFrame):
    """Figure 3 of made-up runs."""
    points = analysis.points(compared, "steady", "throughput")
    return hybla_charts.comparison("steady", "throughput", points, plan.runs(at))


def test_every_engine_keeps_its_colour_in_every_figure():
    at = setting(rtt_s=0.5)
    for leg in ("segment", "linux"):
        steady = below_model(at, 0.97, 0.99, leg=leg)
        table = analysis.compare(at, steady, transfers(at, leg))
        figure = chart_3(at, table)
        (points,) = figure.axes[0].containers
        assert points[0].get_color() == show.ENGINE_STYLE[leg]["color"]


def test_a_title_tells_what_its_figure_shows():
    at = setting(loss_rates=[1e-4, 1e-2])
    steady = pd.concat([below_model(at, 0.98, 0.98).query("loss < 1e-3"), runs({1e-2: [1.0, 1.0]})])
    table = analysis.compare(at, steady, transfers(at))
    figure = chart_3(at, table)
    model = theory.model(at, "steady", "throughput", 1e-2)
    title = figure.axes[0].get_title(loc="left")
    assert "2.0 % for" in title
    assert f"{100 * (1 - 1 / model):.0f} % overall" in title
    assert "segment engine is off" in title
    both = pd.concat([steady, below_model(at, 0.9, 0.9, leg="ns2")])
    title = chart_3(at, analysis.compare(at, both, transfers(at))).axes[0].get_title(loc="left")
    assert title.startswith("Steady state: ns-2 is off the model by up to 10.0 % for")


def test_mended_models_are_drawn_at_their_own_loss_rates_beside_each_engine():
    page = chapters.find("hybla", loss_rates=[1e-4, 1e-3])
    table = chapter.mended_differences(page.runs)
    assert table["engine"].tolist() == ["segment engine"] * 2 + ["ns-2"] * 2
    assert table["loss"].tolist() == [1e-4, 1e-3] * 2
    figure = hybla_charts.mended(table, page.runs)
    models = [*analysis.MENDED, analysis.RENEWAL]
    for axes in figure.axes:
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert set(models) <= set(lines)
        assert list(lines["both"].get_xdata()) == [1e-4, 1e-3]


def test_table_3_names_the_engine_that_ours_is_of():
    judged = CLAIMS[["id", "printed"]].assign(measured=1.0, low=0.9, high=1.2, engine="ns2")
    judged.loc[judged["id"].str.contains("emulation"), "engine"] = "linux"
    table = claims.table_3(CLAIMS, judged)
    assert table["throughput, simulation: ours, ns-2"].tolist() == ["1.00 [0.90, 1.20]"] * 4
    assert "transfer time, emulation: ours, Linux" in table


def test_varied_settings_keep_their_order_and_one_run_has_no_interval():
    at = setting(loss_rates=[1e-3])
    two = below_model(at, 0.97, 0.99, parameter="b", value="slow")
    one = below_model(at, 1.1, parameter="a", value="fast")
    nothing = transfers(at).iloc[:0].assign(parameter="", value="")
    table = analysis.compare(at, pd.concat([two, one]), nothing)
    wide = analysis.differences(table, transfer="steady")
    assert wide.set_index("loss").loc[1e-3].to_dict() == {
        "b: slow": "+2.00 ± 12.71",
        "a: fast": "-10.00",
    }


def test_events_are_means_beside_the_models_cycles():
    counted = pd.DataFrame({"loss": [1e-3, 1e-3], "recoveries": [10, 12], "timeouts": [0, 1]})
    row = analysis.events(setting(), counted, 100).iloc[0]
    cycle_s = hybla.steady_state(1e-3, 0.55, 0.025, 550)["A"][0]
    assert row.tolist() == pytest.approx([1e-3, 100 / cycle_s, 11, 0.5])


def test_without_loss_the_engine_adds_what_the_acks_add():
    """To a fifth of a segment in 450: the closed form takes the sum over ACKs for an integral."""
    rounds = analysis.growth(plan.runs(setting()))
    assert len(rounds) > 5
    assert rounds["added"].to_numpy() == pytest.approx(rounds["by_acks"].to_numpy(), abs=0.6)
    assert (rounds["added"] < rounds["printed"]).all()


def test_every_parameter_that_is_varied_is_on_the_page():
    known = set(papers.parameters("hybla")["name"])
    assert set(plan.VARIED) | {analysis.TIMED} <= known


def test_more_runs_are_made_where_a_verdict_was_open_and_only_at_the_papers_scale():
    """Each point has seeds 1, 2, ... without a gap, as many as stated where it is named."""
    losses = {"loss_rates": [2e-4, 5e-4, 1e-3]}

    def designs(**changes) -> dict[str, pd.DataFrame]:
        return {one.name: one.design for one in plan.experiments(setting(**losses, **changes))}

    own, whole = designs(), designs(repetitions=None)
    assert len(own["hybla-transfers"]) == 3 * 3 * 2  # as often as was asked
    counts = whole["hybla-transfers"].groupby(["megabytes", "loss"])["seed"].agg(["count", "max"])
    for point, row in counts.iterrows():
        assert (row == plan.MORE_TRANSFERS.get(("segment", *point), 20)).all()
    points = {tuple(point) for where, *point in plan.MORE_TRANSFERS if where == "segment"}
    assert len(points) == 2 and points <= set(counts.index)
    on_linux = whole["hybla-emulation-transfers"]
    counts = on_linux.groupby(["megabytes", "loss"])["seed"].nunique()
    assert counts.pop((50, 5e-4)) == 70 and set(counts) == {10}
    varied = whole["hybla-assumptions"].groupby(["parameter", "value", "loss"])["seed"].nunique()
    assert varied["acked_per_ack"].max() == 300 and varied["acked_per_ack"].min() == 20
    assert varied["link_rate"].max() == 20 and varied["min_rto"].max() == 5
    short = whole["hybla-100s-assumptions"].groupby(["parameter", "value", "loss"])["seed"].max()
    assert short["acked_per_ack"].max() == 80 and short.drop("acked_per_ack").max() == 20


def test_differences_stand_leg_by_leg_of_each_transfer_once(monkeypatch):
    """Made-up differences: rows of a transfer and a leg together, by loss, and of throughput."""
    order = ["steady", "small"]
    made_up = statistics.combinations(
        loss=[1e-2, 1e-3],
        metric=["time", "throughput"],
        leg=[*reversed(hybla_charts.DRAWN_LEGS), "another"],
        transfer=order,
    )
    monkeypatch.setattr(analysis, "compare", lambda *_: made_up)
    table = chapter.throughput_differences(plan.runs(setting()))
    assert set(table["metric"]) == {"throughput"}
    places = list(table[["transfer", "leg", "loss"]].itertuples(index=False, name=None))
    assert places == [
        (transfer, leg, loss)
        for transfer in order
        for leg in hybla_charts.DRAWN_LEGS
        for loss in (1e-3, 1e-2)
    ]
