"""The data of the page cross-check: from the archive, made up, and without an engine."""

import pandas as pd
import pytest

from longfat.book import drawings_engines_compared as drawings
from longfat.book import show
from longfat.engines import linux, ns2, ns3, segment
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.faults import NS3_3_44
from longfat.network import reference
from longfat.studies import engines_compared

PARAMETERS = {
    "controls": ["reno", "htcp"],
    "loss_rates": [1e-4, 1e-3, 1e-2],
    "repetitions": 5,
    "duration_s": 60.0,
    "rate_bps": 10e6,
    "rtt_s": 0.1,
}
WHEN = ("before", "after")


def setting(**changes) -> engines_compared.Setting:
    return engines_compared.Setting(**PARAMETERS | changes)


def runs(**goodputs: list[float]) -> pd.DataFrame:
    """Made-up runs of Reno at a loss rate of 0.01: goodputs in Mb/s by engine."""
    return pd.DataFrame(
        {
            "engine": engine,
            "control": "reno",
            "loss": 0.01,
            "goodput_bps": 1e6 * rate,
            "recoveries": 10,
            "timeouts": number,
            "retransmissions": 20,
        }
        for engine, rates in goodputs.items()
        for number, rate in enumerate(rates)
    ).replace({"engine": {"segment": "segment engine", "linux": "Linux"}})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"controls": []}, "controls is empty"),
        ({"loss_rates": []}, "loss_rates is empty"),
        ({"repetitions": 1}, "repetitions is 1: it must be 2 or more"),
    ],
)
def test_where_nothing_can_be_compared_it_says_so(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        setting(**changes)


def test_every_control_of_both_engines_is_compared():
    found = engines_compared.controls()
    assert {"reno", "cubic", "bbr", *engines_compared.CHANGES} <= set(found)
    assert "tcpj" not in found


def test_ratios_are_linuxs_beside_a_legs():
    row = engines_compared.ratios(runs(segment=[1.0, 1.0], linux=[2.0, 2.0])).iloc[0]
    assert (row["goodput"], row["Linux"], row["ratio"]) == (1, 2, pytest.approx(2))
    assert (row["engine"], row["verdict"]) == ("segment engine", "different")
    assert row["Linux / engine"] == "2.000 [2.000, 2.000]"
    row = engines_compared.ratios(runs(segment=[1.0, 1.01], linux=[1.0, 1.01])).iloc[0]
    assert row["verdict"] == "same"


def test_side_by_side_has_a_row_a_control_and_loss_rate():
    made_up = runs(segment=[1.0, 1.0], linux=[2.0, 2.0])
    made_up = pd.concat([made_up, made_up.assign(control="htcp")])
    [reno, htcp] = engines_compared.side_by_side(engines_compared.ratios(made_up)).to_dict(
        "records"
    )
    assert (reno["control"], htcp["control"]) == ("reno", "htcp")
    assert (reno["segment engine"], reno["Linux"]) == (1, 2)
    assert reno["Linux / segment engine"] == "2.000 [2.000, 2.000], different"


def test_events_are_means_of_each_engine():
    row = engines_compared.events(runs(segment=[1, 1, 1], linux=[1, 1])).iloc[0]
    assert (row["timeouts, segment engine"], row["timeouts, Linux"]) == (1, 0.5)


def test_a_leg_has_our_header_of_linuxs_control_and_its_own_ways():
    of_linux = reference(congestion_control="scalable", duration_s=1)
    names = {
        label: (leg.of(of_linux).flows[0].congestion_control, leg.of(of_linux).faults)
        for label, leg in engines_compared.LEGS.items()
    }
    assert names["Linux"] == (of_linux.flows[0].congestion_control, ())
    ours, faults = names["segment engine"]
    assert (ours.name, dict(ours.parameters), faults) == ("scalable", {}, ())
    as_ns3, faults = names["as ns-3 3.44"]
    assert dict(as_ns3.parameters) == {"as_ns3_3_44": True}
    assert faults == NS3_3_44


def test_a_leg_has_the_controls_that_its_engine_has():
    """ns-2 has no BBR, and calls Linux's Scalable by its own name; every other leg has all."""
    legs = engines_compared.LEGS
    for control in engines_compared.controls():
        on_ns2 = legs["ns-2"].has(control)
        assert on_ns2 == (control in planning.algorithms())
        assert all(leg.has(control) for label, leg in legs.items() if label != "ns-2")
    assert legs["ns-2"].has("scalable") and not legs["ns-2"].has("bbr")
    of_linux = reference(congestion_control="scalable", duration_s=1)
    assert legs["ns-2"].of(of_linux) == of_linux


def test_a_switch_stands_beside_what_was_before():
    """Hybla, the only one of the two with a switch: without an overflow the ratio is near 1."""
    at = setting(controls=["hybla", "reno"])
    lossy = engines_compared.lossy(at)
    table = engines_compared.switches(at, lossy)
    assert list(table["control"]) == ["hybla"] * 3 and list(table["loss"]) == at.loss_rates
    own = lossy[lossy["control"] == "hybla"]
    for name in ("ns-2", "segment engine"):
        means = own[own["engine"] == name].groupby("loss")["goodput_bps"].mean() / 1e6
        assert table[f"{name}, before"].to_list() == pytest.approx(means.to_list())
    ratios = {when: [float(text.split()[0]) for text in table[f"ratio {when}"]] for when in WHEN}
    assert max(abs(ratio - 1) for ratio in ratios["after"]) < 0.05
    assert min(ratios["before"]) < 0.9
    assert engines_compared.switches(at, lossy.iloc[:0]).empty


def test_a_trial_has_its_own_path_flow_and_control():
    """Hybla has both engines' flow changed, TCP-LP another control on ours only."""
    at = setting()
    trials = {(one.control, one.words): one for one in engines_compared.TRIALS}
    legs = [engines_compared.LEGS[name] for name in ("segment engine", "Linux")]
    hybla = trials["hybla", "both: slow start ends at 60 segments"]
    flows = [engines_compared._tried(hybla, leg, at, seed=3).flows[0] for leg in legs]
    assert [flow.initial_ssthresh_segments for flow in flows] == [60, 60]
    lp = trials["lp", "Reno in its place"]
    flows = [engines_compared._tried(lp, leg, at, seed=3).flows[0] for leg in legs]
    assert [flow.congestion_control.name for flow in flows] == ["reno", "lp"]
    later = trials["westwood-plus", "the same over 98.5 ms"]
    tried = engines_compared._tried(later, legs[1], at, seed=3)
    assert (tried.links[0].delay_s, tried.seed) == (pytest.approx(0.04925), 3)


def test_every_gap_has_a_cause_or_says_that_it_has_none():
    """From the archive. What is left of H-TCP is Reno's; of Westwood+ the cause is not known."""
    at = setting(controls=["htcp", "westwood-plus"])
    lossy = engines_compared.lossy(at)
    ratios, causes = engines_compared.ratios(lossy), engines_compared.causes(at, lossy)
    trials = engines_compared.trials(at, lossy)
    gaps = engines_compared.gaps(ratios, causes, trials)
    ours = ratios[ratios["engine"] == "segment engine"]
    assert len(gaps) == ((ours["ratio"] > 1.05) | (ours["ratio"] < 1 / 1.05)).sum()
    assert set(gaps["cause"]) == {"found", "found in part"}
    in_part = gaps.loc[gaps["cause"] == "found in part", "control"]
    assert in_part.to_list() == ["htcp", "westwood-plus"]
    left = engines_compared.gaps(ratios, causes.iloc[:0], trials.iloc[:0])
    assert len(left) == len(gaps) and set(left["cause"]) == {engines_compared.NO_CAUSE}


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
    nothing = pd.DataFrame(columns=["control", "loss", "change", "Linux / changed"])
    nothing = nothing.assign(ratio=[], low=[], high=[])
    trial = {"control": "reno", "loss": 0.01, "trial": "it", "names": True, "Linux / ours": "x"}
    trials = pd.DataFrame([trial | {"ratio": ratio, "low": low, "high": high}])
    [row] = engines_compared.gaps(ratios, nothing, trials).to_dict("records")
    assert (row["tried"], row["after"], row["cause"]) == ("it", "x", cause)


@pytest.mark.ns3
def test_ns3_itself_gives_the_same_counts():
    """Stock ns-3 beside all faults; ns-3 with our headers beside those of its socket."""
    at = setting(controls=["htcp", "highspeed"], loss_rates=[0.02], duration_s=5.0)
    assert engines_compared.witness(at)["equal"].tolist() == [2, 2]


def test_htcps_increase_is_its_papers():
    assert engines_compared.htcp_increase(0.5, beta=0.5) == 1  # as Reno, for a second
    assert engines_compared.htcp_increase(3, beta=0.5) == 1 + 20 + 1
    assert engines_compared.htcp_increase(3, beta=0) == 2 * 22


def test_each_engine_goes_by_its_own_formula():
    climbs = engines_compared.htcp_windows(setting()).set_index("time (s)")
    assert list(climbs.index) == [1, 2, 3, 4, 5, 6]
    by_bytes, by_segments = climbs["alpha bytes an ACK"], climbs["alpha segments a round trip"]
    assert climbs["as ns-3 3.44"].tolist() == pytest.approx(by_bytes.tolist(), rel=0.08)
    middle = slice(3, 5)  # s; there the formulas are far apart
    off = [abs(climbs["Linux"] / formula - 1).loc[middle] for formula in (by_segments, by_bytes)]
    assert (off[0] < 0.6 * off[1]).all()
    ours = climbs["segment engine"]
    assert ours.tolist() == pytest.approx(climbs["Linux"].tolist(), rel=0.2)


def test_a_loss_costs_ns3_more_than_linux():
    table = engines_compared.one_loss()
    assert list(table) == ["from (s)", "segment engine", "as ns-3 3.44", "Linux"]
    assert (table[list(table)[1:]].tail(2) == 550).all(axis=None)
    assert table["Linux"].sum() - table["as ns-3 3.44"].sum() == pytest.approx(190, abs=10)
    assert table["Linux"].sum() == pytest.approx(table["segment engine"].sum(), abs=10)


def test_responses_are_those_of_both_engines():
    table = engines_compared.responses(setting())
    assert table["control"].tolist() == ["reno", "reno", "htcp", "htcp"]
    assert table["threshold / before, Linux"].between(0.45, 0.85).all()


def test_without_linux_its_part_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(linux, "build", lambda: None)
    at = setting(rtt_s=0.11)
    lossy = runs(segment=[1, 1, 1])
    ratios = engines_compared.ratios(lossy)
    assert ratios.empty
    assert {"control", "loss", "goodput", "Linux", "Linux / engine", "verdict"} <= set(ratios)
    assert (
        "nothing to show here"
        in show.show_table(engines_compared.side_by_side(ratios), caption="c").data
    )
    causes = engines_compared.causes(at, lossy)
    assert causes.empty
    trials = engines_compared.trials(at, lossy)
    assert trials.empty
    gaps = engines_compared.gaps(ratios, causes, trials)
    assert "nothing to show here" in show.show_table(drawings.named(gaps), caption="c").data
    assert "nothing to show here" in show.show_table(causes, caption="c").data
    show.show_figure("x", drawings.ratios(ratios), ratios, "alt")
    assert "x: nothing to draw here." in capsys.readouterr().out
    assert list(engines_compared.events(lossy)) == [
        "control",
        "loss",
        "recoveries, segment engine",
        "timeouts, segment engine",
        "retransmissions, segment engine",
    ]


def test_with_no_engine_at_all_only_the_names_are_left(monkeypatch, capsys):
    monkeypatch.setattr(linux, "build", lambda: None)
    for engine in (ns2, ns3, segment):
        monkeypatch.setattr(engine, "is_here", lambda: False)
    at = setting(rtt_s=0.11)
    clean, lossy = engines_compared.clean(at), engines_compared.lossy(at)
    assert clean == {}
    assert "60 runs on the engine 'segment'" in capsys.readouterr().out
    assert engines_compared.clean_counts(at, clean)["control"].tolist() == ["reno", "htcp"]
    windows = engines_compared.clean_windows(at, clean)
    show.show_figure("x", drawings.windows(windows, "title"), windows, "alt")
    assert "x: nothing to draw here." in capsys.readouterr().out
    assert engines_compared.ratios(lossy).empty
    assert engines_compared.events(lossy).empty
    assert engines_compared.responses(at).empty
    assert engines_compared.witness(at).empty
    assert list(engines_compared.htcp_windows(at)) == ["time (s)"]
