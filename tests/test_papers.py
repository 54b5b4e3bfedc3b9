"""What the papers state, and the arithmetic behind what their numbers cannot mean."""

import re

import numpy as np
import pytest

from longfat import papers, topologies
from longfat.errors import InputError
from longfat.papers import hybla
from longfat.papers.hybla import derivation
from longfat.papers.hybla import plan as hybla_plan
from longfat.papers.survey import plan as survey_plan
from longfat.papers.tcpj import plan as tcpj_plan
from longfat.papers.ucc import plan as ucc_plan
from longfat.verdicts import rules


def difference_of_time(difference_of_rate):
    """A rate that is lower by x makes a time that is longer by x / (1 - x), all in per cent."""
    return difference_of_rate / (1 - difference_of_rate / 100)


def test_claims_are_complete_and_distinct():
    claims = papers.claims("hybla")
    assert claims.id.is_unique
    assert claims.groupby("where").size().to_dict() == {
        "section 1": 1,
        "section 2": 1,
        "section 3.1.1": 1,
        "section 4": 29,
        "section 5": 21,
        "table 3": 14,
    }
    assert claims.statement.is_unique or claims.groupby("statement")["where"].nunique().max() <= 2
    assert set(claims.rule) <= set(rules.RULES)
    assert not claims[["id", "where", "statement", "rule"]].isna().any(axis=None)
    # What was turned into something measurable, or cannot be, says why.
    assert claims.loc[claims.rule == "qualitative", "threshold_reason"].notna().all()
    compared = claims[claims.method.notna()]
    assert set(compared.method) == {"simulation", "emulation"}
    assert set(compared.transfer) == {"steady", "10MB", "50MB", "100MB"}
    assert set(compared.metric) == {"throughput", "transfer_time"}
    assert (compared.loss_min < compared.loss_max).all()
    assert ((compared.rule == "qualitative") == compared.printed.isna()).all()


def test_claims_of_section_4_contain_table_3():
    claims = papers.claims("hybla")
    for row in claims[claims["where"] == "table 3"].itertuples():
        same = claims[
            (claims["where"] == "section 4")
            & (claims.method == row.method)
            & (claims.transfer == row.transfer)
            & (claims.metric == row.metric)
            & (claims.loss_max >= row.loss_max)
            & (claims.rule == "at most")
        ]
        assert len(same) == 1
        assert row.printed <= same.printed.iloc[0]


def test_table_3_in_the_form_of_the_paper():
    table = papers.table("hybla", 3)
    assert list(table.index) == ["steady", "10MB", "50MB", "100MB"]
    assert table.loc["10MB", ("throughput", "simulation")] == 10.12
    assert table.loc["100MB", ("transfer_time", "emulation")] == 1.56
    assert np.isnan(table.loc["steady", ("transfer_time", "simulation")])


def test_tables_of_parameters():
    assert papers.table("hybla", 1).name.tolist() == [
        "max_window",
        "packet_size",
        "buffer",
        "simulation_time",
    ]
    assert papers.table("hybla", 2).set_index("name").at["emulation_time", "value"] == "100"


def test_parameters_say_whether_they_are_stated():
    parameters = papers.parameters("hybla")
    assert set(parameters.status) == {"stated", "assumed"}
    assert not parameters[["name", "value", "where"]].isna().any(axis=None)
    assert parameters.set_index("name").at["link_rate", "status"] == "assumed"
    # A parameter of two tables has one value.
    assert (parameters.groupby("name").value.nunique() == 1).all()


@pytest.mark.parametrize("paper", papers.names())
def test_what_is_assumed_has_a_plausible_range_with_a_source(paper):
    table = papers.parameters(paper)
    ranges = {one.name: one for one in papers.ranges(paper)}
    assert len(ranges) == len(papers.ranges(paper))
    assert set(table.loc[table["status"] == "assumed", "name"]) <= set(ranges)
    for name, one in ranges.items():
        assert len(one.source) > 15, name
        assert bool(one.choices) == (one.low is None), name
        if one.choices:
            assert papers.text(paper, name) in one.choices
        else:
            assert one.low <= papers.value(paper, name) <= one.high


@pytest.mark.parametrize(
    ("paper", "varied"),
    [
        ("hybla", [(name, word) for name, words in hybla_plan.VARIED.items() for word in words]),
        ("survey", list(survey_plan.VARIED)),
        ("tcpj", [(one.parameter, one.setting) for one in tcpj_plan.VARIED]),
        ("ucc", [(one.parameter, one.setting) for one in ucc_plan.VARIED]),
    ],
)
def test_what_a_chapter_varies_is_plausible(paper, varied):
    """A choice is called in parameters.csv what it is called in the chapter, but for its unit."""
    choices = {one.name: one.choices for one in papers.ranges(paper)}
    assert varied
    for name, word in varied:
        assert name in choices
        known = choices[name]
        assert not known or any(f"{word} ".startswith(f"{choice} ") for choice in known), word


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ("5,,,,,", "source: this field is missing"),
        ("5,1,9,,,a manual", "it needs low, high and spacing, or choices"),
        ("5,1,9,linear,,", "source: this field is missing"),
        ("5,1,9,linear,5 | 6,a manual", "it has both choices and a range"),
        ("5,9,1,linear,,a manual", "low is 9: it must be below high, which is 1"),
        ("5,0,9,log,,a manual", "low is 0: with spacing log it must be above 0"),
        ("5,1,4,linear,,a manual", "5 is not from 1 to 4"),
        ("none,1,4,linear,,a manual", "none is not from 1 to 4"),
        ("5,1,x,linear,,a manual", "high: 'x' should be a valid number"),
        ("5,1,9,even,,a manual", "spacing: 'even' should be 'linear' or 'log'"),
        ("5,,,,6 | 7,a manual", "5 is none of its choices 6, 7"),
        ("5,,,,5 | 5,a manual", "a choice comes twice"),
    ],
)
def test_a_range_that_is_none_is_refused(columns, complaint, monkeypatch, tmp_path):
    (tmp_path / "p").mkdir()
    file = tmp_path / "p" / "parameters.csv"
    monkeypatch.setattr(papers, "PAPERS", tmp_path)
    head = "name,status,value,low,high,spacing,choices,source\n"
    file.write_text(f"{head}rate,assumed,5,1,9,log,,a manual\nlimit,stated,5,,,,,\n")
    assert [one.name for one in papers.ranges("p")] == ["rate"]
    file.write_text(f"{head}rate,assumed,{columns}\n")
    with pytest.raises(InputError, match=f"p: rate: .*{re.escape(complaint)}"):
        papers.ranges("p")


def test_values():
    assert papers.value("hybla", "rtt") == 0.55
    assert papers.value("hybla", "max_window") == 550
    with pytest.raises(InputError, match=r"name is 'rttt': .* Did you mean 'rtt'?"):
        papers.value("hybla", "rttt")
    with pytest.raises(InputError, match=r"hybla: initial_window is '\$\\rho\$', not a number"):
        papers.value("hybla", "initial_window")


@pytest.mark.parametrize("reader", [papers.claims, papers.parameters, papers.errata])
def test_an_unknown_paper_says_which_are_known(reader):
    with pytest.raises(InputError, match=r"paper is 'hybler': .*hybla.* Did you mean 'hybla'\?"):
        reader("hybler")


def test_an_unknown_table_says_which_are_known():
    with pytest.raises(InputError, match="hybla has no table 7 here: there are table 1, table 2"):
        papers.table("hybla", 7)


# The arithmetic of the errata.


def test_simulated_pairs_of_table_3_fit_an_experiment_below_the_model():
    table = papers.table("hybla", 3).drop("steady")
    rate, time = table["throughput", "simulation"], table["transfer_time", "simulation"]
    assert (difference_of_time(rate - 0.005) < time + 0.005).all()
    assert (difference_of_time(rate + 0.005) > time - 0.005).all()
    # Above the model they would not: a time shorter by x / (1 + x) is the smaller number.
    assert (time > rate).all()


def test_emulated_pairs_of_table_3_do_not_all_fit():
    table = papers.table("hybla", 3)
    rate, time = table["throughput", "emulation"], table["transfer_time", "emulation"]
    assert difference_of_time(8.81) == pytest.approx(9.66, abs=0.005)
    assert time["10MB"] - difference_of_time(rate["10MB"] + 0.005) > 0.3
    assert difference_of_time(rate["50MB"] - 0.005) > time["50MB"] + 0.005
    # Mean rate times mean time over what equal runs give is 1 + (deviation / mean)^2 about.
    spread = np.sqrt((1 + time["10MB"] / 100) * (1 - rate["10MB"] / 100) - 1)
    assert spread == pytest.approx(0.054, abs=0.0005)
    assert difference_of_time(rate["100MB"]) == pytest.approx(time["100MB"], abs=0.01)


def test_section_5_contradicts_section_4():
    claims = papers.claims("hybla").set_index("id")
    stated = claims.at["hybla-s4-100MB-time-simulation-frequent", "printed"]
    summary = claims.at["hybla-s5-100MB-time-simulation-frequent", "printed"]
    assert summary < stated
    assert difference_of_time(22) == pytest.approx(stated, abs=0.5)


def test_numbers_of_the_errata_are_those_of_the_model():
    errata = papers.errata("hybla").set_index("where")
    assert not errata.drop(columns=["effect", "claim"]).isna().any(axis=None)
    assert errata.loc[errata["sort"] == "remark on the model", "effect"].notna().all()
    satellite = {name: papers.value("hybla", name) for name in ("rtt", "rtt0", "max_window")}
    jump = hybla.regime_jump(**satellite).iloc[0]
    assert f"{100 * jump.jump:.1f} % at $p = {jump.loss:.5f}$" in errata.at["(8), (17)", "correct"]
    once = hybla.throughput(0.01, **satellite, equations=hybla.HALVED_ONCE)
    more = once / hybla.throughput(0.01, **satellite) - 1
    assert f"{100 * more:.0f} % more at $p = 0.01$" in errata.at["(4), (9)", "effect"]
    times = hybla.transfer_time(10_000, [0, 2e-5], rto=1.0, **satellite)
    falls = f"from {times[0]:.2f} s to {times[1]:.2f} s as $p$ rises from 0 to 0.00002"
    assert falls in errata.at["(37)", "effect"]
    rounds = hybla.latency(10_000, 0, rto=1.0, **satellite).T_ss.iloc[0] / satellite["rtt"]
    assert f"{rounds:.2f} round trips" in errata.at["(32)", "printed"]
    state = hybla.steady_state([1e-3, 5e-3, 1e-2], **satellite)
    few, many = state.X[1:]
    effect = errata.at["(8)", "effect"]
    assert f"{few:.2f} at $p = 0.005$ and {many:.2f} at $p = 0.01$" in effect
    half = satellite["max_window"] / 2
    added = derivation.window_after_round(half, 22.0) - half
    mended = derivation.mended_cycle(1e-3, **satellite, mended=("growth",))
    effect = errata.at["(6), (14)", "effect"]
    assert f"{added:.0f} segments in place of {22**2}" in effect
    assert f"{mended.U:.2f} round trips and not {state.U[0]:.2f}" in effect
    effect = errata.at["(8), (17)", "effect"]
    for loss in (1e-3, 2e-3):
        counted = derivation.mended_cycle(loss, **satellite, mended=("count",)).B
        gain = counted / hybla.throughput(loss, **satellite) - 1
        assert f"{100 * gain:.1f} % at $p = {loss:g}$" in effect
    parts = hybla.latency(10_000, [1e-3, 1e-4], rto=1.0, **satellite)
    lost = 1 + parts["p"] * (satellite["max_window"] - 1)  # (11), since the limit is reached
    longer = 100 * parts["l_tda"] * (1 - 1 / lost) * satellite["rtt"] / parts["T"]
    effect = errata.at["(9), (36)", "effect"]
    assert f"{longer[0]:.1f} % longer at $p = 0.001$" in effect
    assert f"{longer[1]:.1f} % at $p = 0.0001$" in effect
    shorter = derivation.mended_cycle(1e-3, **satellite, mended=("recovery",)).B / state.B[0]
    assert f"{100 * (shorter - 1):.0f} % more at $p = 0.001$" in errata.at["(9), (20)", "effect"]


def test_every_corrected_equation_is_in_the_errata():
    where = " ".join(papers.errata("hybla")["where"])
    for number in hybla.PRINTED:
        assert f"({number})" in where


def test_what_is_assumed_is_what_is_simulated():
    """The assumptions on the page are the defaults of the scenario that the chapter runs."""
    scenario = topologies.satellite(loss=1e-4)
    link, back = scenario.links
    flow = scenario.flows[0]
    assert link.rate_bps == papers.value("hybla", "link_rate")
    assert back.loss_per_packet == papers.value("hybla", "ack_loss")
    assert flow.min_rto_s == papers.value("hybla", "min_rto")
    text = papers.parameters("hybla").set_index("name")["value"]
    assert flow.recovery == text["recovery"].lower()
    assert flow.initial_ssthresh_segments is None
    assert text["initial_ssthresh"] == "none"
    assert link.queue_packets == papers.value("hybla", "buffer")
    assert flow.segment_bytes == papers.value("hybla", "packet_size")
    assert flow.max_window_segments == papers.value("hybla", "max_window")
    assert scenario.duration_s == papers.value("hybla", "simulation_time")
