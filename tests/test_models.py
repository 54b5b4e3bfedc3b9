"""The models that the papers build on, beside the segment engine."""

import numpy as np
import pandas as pd
import pytest

from longfat.book import chapters
from longfat.book.chapters import models as page
from longfat.experiment import Runs
from longfat.papers import reno
from longfat.studies import models


def test_hybla_is_designed_for_the_rate_of_the_reference():
    """Whatever the round trip, until the window's limit is reached; and Reno at that round trip."""
    rates = models.same_as_reference(0.01, [0.1, 0.3, 0.5], 0.025, 1e6)
    assert rates == pytest.approx([reno.square_root_law(0.01, 0.025, 1e6)] * 3)
    assert models.same_as_reference(0, 0.55, 0.025, 550) == pytest.approx(1000)
    assert models.same_as_reference(0.01, 0.025, 0.025, 1e6) == pytest.approx(
        reno.square_root_law(0.01, 0.025, 1e6)
    )


def test_a_model_is_off_by_what_it_says_more_than_was_measured():
    modelled = pd.DataFrame(
        {"algorithm": "hybla", "model": ["a", "a"], "loss": [1e-5, 1e-2], "modelled": [11.0, 8.0]}
    )
    measured = pd.DataFrame(
        {"algorithm": "hybla", "loss": [1e-5, 1e-2], "measured": [10.0, 10.0], "halfwidth": 0.05}
    )
    compared = models.differences(measured, modelled)
    assert compared["difference"].tolist() == pytest.approx([10.0, -20.0])
    assert (compared["low"] < compared["difference"]).all()
    assert (compared["difference"] < compared["high"]).all()
    (row,) = models.where_each_holds(compared).to_dict("records")
    assert (row["of"], row["holds"]) == ("Hybla", "nowhere")  # 10 % is the middle, not the end
    assert (row["rare"], row["frequent"]) == pytest.approx((10.0, 20.0))
    assert models.where_each_holds(compared.assign(low=-5.0, high=5.0))["holds"][0] == "1e-05, 0.01"


def test_every_model_of_an_algorithm_is_compared_at_every_loss():
    for modelled in (models.rates(), models.times()):
        counts = modelled.groupby(["algorithm", "model"])["loss"].nunique()
        assert counts.nunique() == 1
        assert set(modelled["algorithm"]) == set(models.ALGORITHMS)
        assert np.isfinite(modelled["modelled"]).all()


def runs(**setting) -> Runs:
    at = models.Setting(**setting)
    return Runs(at, models.experiments(at))


def test_without_loss_the_window_fills_the_round_trip():
    measured = models.steady(runs(seeds=1, losses=(0.0,), duration_s=300))
    assert measured["measured"].to_numpy() == pytest.approx([8.0, 8.0], rel=0.02)


def test_the_engine_and_the_square_root_law_meet():
    """A second look at the set-up: Reno at a loss of 0.01 is far below the window's limit."""
    measured = models.steady(runs(seeds=5, losses=(0.01,), duration_s=1000))
    measured = measured.set_index("algorithm")
    law = reno.square_root_law(0.01, 0.55, 550) * models.SEGMENT_BITS / 1e6
    assert measured.at["newreno", "measured"] == pytest.approx(law, rel=0.1)
    assert measured.at["hybla", "measured"] > 10 * law


def test_times_are_shown_to_a_tenth_of_a_second():
    shown = chapters.find("models").shown["models-times"]
    columns = page.TIMES.values()
    assert {name for name in columns if name.endswith("(s)")} == {
        name for name, form in shown.formats.items() if form == "{:.1f}"
    }
