"""The data of the page cross-check: from its runs, made up, and without an engine."""

import math

import numpy as np
import pandas as pd
import pytest

from longfat.book import chapters, show
from longfat.book.chapters import cross_check_charts as charts
from longfat.cc import catalogue
from longfat.engines import linux, ns2, ns3, segment
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.network import reference
from longfat.papers.hybla.network import satellite
from longfat.studies import engines_compared, long_fat_pipe

FEW = ["reno", "htcp"]


class MadeUp:
    """Runs that are given: tables of flows by the name of their experiment."""

    def __init__(self, setting, **flows: pd.DataFrame):
        self.setting = setting
        self._flows = flows

    def flows(self, *names: str) -> pd.DataFrame:
        nothing = pd.DataFrame(columns=["engine", "control", "loss", "place", "goodput_bps"])
        return pd.concat([self._flows.get(name, nothing) for name in names])

    def derived(self, function):
        return function(self)


def runs(**goodputs: list[float]) -> MadeUp:
    """Made-up runs of Reno at a loss rate of 0.01: goodputs in Mb/s by the name of the leg."""
    labels = {leg.name: label for label, leg in engines_compared.LEGS.items()}
    tables = {
        f"cross-check-{name}": pd.DataFrame(
            {
                "engine": labels[name],
                "control": "reno",
                "loss": 0.01,
                "goodput_bps": 1e6 * rate,
                "recoveries": 10,
                "timeouts": number,
                "retransmissions": 20,
            }
            for number, rate in enumerate(rates)
        )
        for name, rates in goodputs.items()
    }
    return MadeUp(engines_compared.setting(controls=FEW), **tables)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"controls": []}, "controls is empty"),
        ({"loss_rates": []}, "loss_rates is empty"),
        ({"repetitions": 1}, "repetitions is 1: it must be 2 or more"),
        ({"profile": "slow"}, "profile is 'slow': it must be paper or quick"),
    ],
)
def test_where_nothing_can_be_compared_it_says_so(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        chapters.find("cross-check", **changes)


def test_every_control_of_all_engines_is_compared():
    found = engines_compared.common_controls()
    assert {"reno", "cubic", "bbr", "westwood-plus"} <= set(found)
    assert not {"tcpj", "newreno", "cdg-linux"} & set(found)
    assert {one.control for one in engines_compared.TRIALS} <= set(found)


def test_ratios_are_linuxs_beside_a_legs():
    row = engines_compared.ratios(runs(segment=[1.0, 1.0], linux=[2.0, 2.0])).iloc[0]
    assert (row["goodput"], row["Linux"], row["ratio"]) == (1, 2, pytest.approx(2))
    assert (row["engine"], row["verdict"]) == ("segment engine", "different")
    assert row["Linux / engine"] == "2.000 [2.000, 2.000]"
    row = engines_compared.ratios(runs(segment=[1.0, 1.01], linux=[1.0, 1.01])).iloc[0]
    assert row["verdict"] == "same"


def test_side_by_side_has_a_row_a_control_and_loss_rate():
    ratios = engines_compared.ratios(runs(segment=[1.0, 1.0], ns3=[4.0, 4.0], linux=[2.0, 2.0]))
    both = pd.concat([ratios, ratios.assign(control="htcp")])
    [reno, htcp] = engines_compared.side_by_side(both).to_dict("records")
    assert (reno["control"], htcp["control"]) == ("reno", "htcp")
    assert (reno["segment engine"], reno["stock ns-3"], reno["Linux"]) == (1, 4, 2)
    assert reno["Linux / segment engine"] == "2.000 [2.000, 2.000], different"
    assert reno["Linux / stock ns-3"] == "0.500 [0.500, 0.500], different"


def test_events_are_means_of_each_engine():
    made_up = runs(segment=[1, 1, 1], linux=[1, 1])
    row = engines_compared.events(engines_compared.lossy(made_up)).iloc[0]
    assert (row["timeouts, segment engine"], row["timeouts, Linux"]) == (1, 0.5)


def test_a_leg_has_its_own_ways():
    of_linux = reference(congestion_control="cubic", duration_s=1)
    flows = {name: leg.of(of_linux).flows[0] for name, leg in engines_compared.LEGS.items()}
    for name in ("segment engine", "ns-2", "Linux"):
        assert flows[name] == of_linux.flows[0]
    assert flows["as Linux does"] == of_linux.flows[0].as_linux()
    stock = flows["stock ns-3"]
    assert (stock.congestion_control.name, stock.recovery) == ("cubic-ns3", "prr-ns3-3.44")


def test_where_ns3_cannot_cap_the_window_the_receiver_does():
    (flow,) = satellite(loss=0).flows
    stock = engines_compared.stock_ns3(flow)
    assert flow.max_window_segments == 550
    assert (stock.max_window_segments, stock.receive_buffer_bytes) == (None, 550_000)


def test_as_linux_is_all_that_linux_has_besides():
    for name in engines_compared.common_controls():
        flow = reference(congestion_control=name).flows[0].as_linux()
        assert (flow.rack, flow.frto, flow.undo, flow.min_rto_s) == (True, True, True, 1.0)
        can = {one for one in catalogue.find(name).parameters if "as_linux" in one}
        assert flow.congestion_control.parameters == dict.fromkeys(can, True)


def test_a_leg_has_the_controls_that_its_engine_has():
    """ns-2 has no BBR; every other leg has all."""
    legs = engines_compared.LEGS
    for control in engines_compared.common_controls():
        on_ns2 = legs["ns-2"].has(control)
        assert on_ns2 == (control in planning.algorithms())
        assert all(leg.has(control) for label, leg in legs.items() if label != "ns-2")
    assert legs["ns-2"].has("scalable") and not legs["ns-2"].has("bbr")


def test_a_switch_stands_beside_what_is_as_it_is():
    """Of these each is nearer to ns-2 with its last switch; TCP-LP and Illinois were far off."""
    page = chapters.find("cross-check", controls=["illinois", "lp", "bbr"])
    table = engines_compared.switches(page.runs)
    assert list(table["control"].unique()) == ["illinois", "lp"]
    off = np.log(table.set_index(["control", "loss"])["measured"]).abs()
    for control in ("illinois", "lp"):
        rows = table["control"] == control
        assert table[rows & table["last"]]["loss"].tolist() == page.setting.loss_rates
        before = off[(rows & (table["switch"] == engines_compared.AS_THEY_ARE)).to_numpy()]
        after = off[(rows & table["last"]).to_numpy()]
        assert (after < before).all() and after.max() < 0.15 and before.max() > 0.8
    wide = engines_compared.switches_side_by_side(table)
    assert len(wide) == sum(one.control in ("illinois", "lp") for one in engines_compared.SWITCHES)
    assert list(wide) == [
        "control",
        "switch",
        *(f"ns-2 / ours at {p:g}" for p in (1e-4, 1e-3, 1e-2)),
    ]
    nothing = engines_compared.switches(runs(segment=[1.0, 1.0]))
    assert nothing.empty and engines_compared.switches_side_by_side(nothing).empty


def test_what_is_mended_is_so_on_ns2_alone():
    at = engines_compared.setting()
    [place] = [n for n, one in enumerate(engines_compared.SWITCHES) if one.mended == ("delay",)]
    there, here = (
        engines_compared._switched(engine, at, place, 1e-2, 1) for engine in ("ns2", "segment")
    )
    assert there.ns2.mended == ("delay",) and here.ns2.mended == ()


def test_a_trial_has_its_own_path_flow_and_control():
    """Hybla has both engines' flow changed, TCP-LP another control on ours only."""
    at = engines_compared.setting()
    place = {(one.control, one.words): n for n, one in enumerate(engines_compared.trials(at))}
    legs = [engines_compared.LEGS[name] for name in ("segment engine", "Linux")]

    def tried(control: str, words: str):
        number = place[control, words]
        return [engines_compared._tried(leg, at, number, seed=3) for leg in legs]

    flows = [one.flows[0] for one in tried("hybla", "both: slow start ends at 60 segments")]
    assert [flow.initial_ssthresh_segments for flow in flows] == [60, 60]
    flows = [one.flows[0] for one in tried("lp", "Reno in its place")]
    assert [flow.congestion_control.name for flow in flows] == ["reno", "lp"]
    ours, theirs = tried("westwood-plus", "more runs; as Linux does; over 98.5 ms")
    assert (ours.flows[0].rack, theirs.flows[0].rack) == (True, False)
    assert (theirs.links[0].delay_s, theirs.seed) == (pytest.approx(0.04925), 3)


@pytest.mark.parametrize(
    ("ratio", "low", "high", "cause"),
    [
        (1.04, 1.02, 1.06, "found"),
        (1.2, 0.9, 1.6, "open"),
        (1.2, 1.1, 1.3, "found in part"),
        (0.4, 0.3, 0.5, "cause not found"),
    ],
)
def test_what_is_left_of_a_gap_is_told(ratio, low, high, cause):
    ratios = engines_compared.ratios(runs(segment=[1.0, 1.0], linux=[2.0, 2.0]))
    trial = {"control": "reno", "loss": 0.01, "trial": "it", "names": True, "Linux / ours": "x"}
    trials = pd.DataFrame([trial | {"ratio": ratio, "low": low, "high": high}])
    [row] = engines_compared.gaps(ratios, trials).to_dict("records")
    assert (row["tried"], row["after"], row["cause"]) == ("it", "x", cause)
    [left] = engines_compared.gaps(ratios, trials.iloc[:0]).to_dict("records")
    assert left["cause"] == engines_compared.NO_CAUSE


def test_a_gap_that_no_trial_names_is_held_against_what_linux_does():
    legs = {"segment": [1.0, 1.0], "as-linux": [1.9, 2.1], "linux": [2.0, 2.0]}
    made_up = runs(**legs)
    ratios, tried = engines_compared.ratios(made_up), engines_compared.tried(made_up)
    [row] = engines_compared.gaps(ratios, tried).to_dict("records")
    assert (row["tried"], row["cause"]) == ("as Linux does", "found")


def test_linuxs_rules_close_what_its_stack_does_not():
    """H-TCP, CUBIC and Westwood+ at the largest loss rate, where the gaps are."""
    page = chapters.find(
        "cross-check", controls=["cubic", "htcp", "westwood-plus"], loss_rates=[1e-2]
    )
    table = engines_compared.causes(page.runs)
    assert table["control"].tolist() == page.setting.controls
    ours, stack, module = (
        (table[name].str.split().str[0].astype(float) - 1).abs()
        for name in ("ours", "Linux's stack", "its module too")
    )
    assert (module < ours).all()
    assert (ours > 0.05).all() and (stack > 0.04).all()
    # Five of Linux's runs do not tell that from chance; of two controls there are more.
    more = engines_compared.tried(page.runs).query("trial == 'more runs; as Linux does'")
    assert more["control"].tolist() == ["htcp", "westwood-plus"]
    left = pd.concat([module[table["control"] == "cubic"], (more["ratio"] - 1).abs()])
    assert (left < 0.05).all()


def test_htcps_increase_is_its_papers():
    assert engines_compared.htcp_increase(0.5, beta=0.5) == 1  # as Reno, for a second
    assert engines_compared.htcp_increase(3, beta=0.5) == 1 + 20 + 1
    assert engines_compared.htcp_increase(3, beta=0) == 2 * 22


@pytest.mark.ns3
def test_each_engine_goes_by_its_own_formula():
    page = chapters.find("cross-check")
    climbs = engines_compared.htcp_windows(page.runs).set_index("time (s)")
    assert list(climbs.index) == [1, 2, 3, 4, 5, 6]
    by_bytes, by_segments = climbs["alpha bytes an ACK"], climbs["alpha segments a round trip"]
    assert climbs["stock ns-3"].tolist() == pytest.approx(by_bytes.tolist(), rel=0.08)
    middle = slice(3, 5)  # s; there the formulas are far apart
    off = [abs(climbs["Linux"] / formula - 1).loc[middle] for formula in (by_segments, by_bytes)]
    assert (off[0] < 0.6 * off[1]).all()
    ours = climbs["segment engine"]
    assert ours.tolist() == pytest.approx(climbs["Linux"].tolist(), rel=0.2)


@pytest.mark.ns3
def test_a_loss_costs_ns3_more_than_linux():
    table = engines_compared.one_loss(chapters.find("cross-check").runs)
    legs = list(engines_compared.THROUGHOUT)
    assert list(table) == ["from (s)", *legs]
    assert (table[legs].tail(2) == 550).all(axis=None)
    assert table["Linux"].sum() - table["stock ns-3"].sum() == pytest.approx(171, abs=10)
    assert table["Linux"].sum() == pytest.approx(table["segment engine"].sum(), abs=10)


@pytest.mark.ns3
def test_responses_are_those_of_all_legs():
    table = engines_compared.responses(chapters.find("cross-check", controls=FEW).runs)
    assert table["control"].tolist() == ["reno", "reno", "htcp", "htcp"]
    assert table["threshold / before, Linux"].between(0.45, 0.85).all()


def test_the_pipe_beside_linux_is_told_where_both_ran():
    rows = [
        {"response": "standard", "engine": who, "loss": loss, "seed": seed, "goodput_bps": bps}
        for who, loss, bps in [
            (long_fat_pipe.OURS, 1e-5, 50e6),
            (long_fat_pipe.LINUX, 1e-5, 40e6),
            (long_fat_pipe.OURS, 1e-6, 150e6),
        ]
        for seed in (1, 2)
    ]
    made_up = MadeUp(None, **{long_fat_pipe.SEGMENT_RUNS: pd.DataFrame(rows)})
    [row] = long_fat_pipe.beside_linux(made_up).to_dict("records")
    assert (row["sender"], row["loss"]) == ("standard", 1e-5)
    assert row["Linux / ours"] == "0.800 [0.800, 0.800]"
    assert row["response function"] == pytest.approx(44.9, abs=0.1)


def test_no_line_of_a_response_is_above_what_the_link_carries():
    lines = long_fat_pipe.responses(long_fat_pipe.LOSSES)
    assert lines["goodput_bps"].max() < long_fat_pipe.RATE_BPS
    assert set(lines["response"]) == set(long_fat_pipe.SENDERS)


def test_without_linux_its_part_is_left_out(capsys):
    made_up = runs(segment=[1, 1, 1])
    ratios = engines_compared.ratios(made_up)
    assert ratios.empty
    assert {"control", "loss", "goodput", "Linux", "Linux / engine", "verdict"} <= set(ratios)
    tried = engines_compared.tried(made_up)
    assert tried.empty and engines_compared.causes(made_up).empty
    for table in (engines_compared.side_by_side(ratios), engines_compared.gaps(ratios, tried)):
        assert "nothing to show here" in show.show_table(charts.named(table), caption="c").data
    show.show_figure("x", charts.ratios(ratios), ratios, "alt")
    assert "x: nothing to draw here." in capsys.readouterr().out
    assert list(engines_compared.events(engines_compared.lossy(made_up))) == [
        "control",
        "loss",
        "recoveries, segment engine",
        "timeouts, segment engine",
        "retransmissions, segment engine",
    ]


def test_with_no_engine_at_all_only_the_names_are_left(monkeypatch, capsys):
    for engine in (linux, ns2, ns3, segment):
        monkeypatch.setattr(engine, "is_here", lambda: False)
    page = chapters.find("cross-check", controls=FEW, rtt_s=0.11)
    assert engines_compared.clean_counts(page.runs)["control"].tolist() == FEW
    assert "2 runs on the engine 'segment'" in capsys.readouterr().out
    show.figure(page, "cross-check-windows")
    assert "cross-check-windows: nothing to draw here." in capsys.readouterr().out
    for name in ("cross-check-lossy", "cross-check-events", "cross-check-gaps"):
        assert "nothing to show here" in show.table(page, name).data
    assert engines_compared.responses(page.runs).empty
    assert list(engines_compared.htcp_windows(page.runs)) == ["time (s)"]


def test_distances_are_means_of_logarithms_and_those_of_the_core_before_stand_beside(
    tmp_path, monkeypatch
):
    """Between 2 and 1 Mb/s is ln 2, whichever is larger; ns-2 lacks the second loss rate."""
    before = tmp_path / "before.csv"
    before.write_text("control,loss,goodput_mbps\nreno,0.01,4\nreno,0.001,8\n")
    monkeypatch.setattr(engines_compared, "BEFORE", before)
    goodputs = {
        engines_compared.OURS: (2, 4),
        engines_compared.AS_LINUX: (1, 8),
        engines_compared.NS2: (2, None),
    }
    ratios = pd.DataFrame(
        [
            {"control": "reno", "loss": loss, "engine": leg, "goodput": goodput, "Linux": linux}
            for leg, both in goodputs.items()
            for loss, linux, goodput in zip((0.01, 0.001), (1, 8), both, strict=True)
            if goodput
        ]
    )
    rows = [("reno", 1.0, False), ("reno", 2.0, True)]
    switches = pd.DataFrame(rows, columns=["control", "measured", "last"])
    table = engines_compared.distances(ratios, switches).set_index("control")
    octave = 100 * math.log(2)
    wanted = [octave, octave, 0, octave, 0, octave]  # before: 4 to 1 and 8 to 8, and 4 to 2
    assert table.loc["reno"].tolist() == pytest.approx(wanted)
    assert table.loc["mean"].tolist() == pytest.approx(wanted)
