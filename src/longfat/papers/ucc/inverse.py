"""Which unstated parameters make the paper's statements true: an inverse problem, by a grid.

Its figures are lost. What its text says of figures 4 to 6, and of all three in section 6, is that a
neighbour gets almost the same beside UCC as beside its own kind, and more than beside CHD without
DCC. Each combination of what is not stated is run on the segment engine, and its distance to these
statements is measured at two loss rates.
"""

import numpy as np
import pandas as pd

from longfat import measures
from longfat.experiment import Runs
from longfat.papers.ucc.analysis import runs_on_engine
from longfat.papers.ucc.plan import CHD, NEIGHBOURS, Setting

BOOTSTRAPS = 1000


def combined_runs(runs: Runs) -> pd.DataFrame:
    """Return what the pairs of figures 4 to 6 get with several assumptions changed at once.

    Columns as of `analysis.sensitivity_runs`, whose runs change one alone.
    """
    return runs.flows("ucc-inverse")


def distances(setting: Setting, base: pd.DataFrame, *varied: pd.DataFrame) -> pd.DataFrame:
    """Return how far each combination is from what was stated, the nearest first.

    `base` is of `analysis.pairs`; `varied` of `analysis.sensitivity_runs` and `combined_runs`. A
    statement is one neighbour's at one loss rate: that it gets almost the same beside UCC (within
    the setting's factor of equivalence, either way), and that it gets more than beside CHD. The
    distance is the mean, over the statements, of by how many per cent the ratio of mean goodputs
    would have to change for the statement to hold; `low` and `high` are the 95 % interval of a
    bootstrap over runs. `met` counts the statements that the interval of their ratio does not
    refute. Columns: parameter, setting, distance, low, high, met, of.
    """
    base = runs_on_engine("segment", base)
    base = base[base["loss"].isin(setting.varied_losses)]
    groups = [
        (names, some)
        for table in varied
        for names, some in table.groupby(["parameter", "setting"], sort=False)
    ]
    rows = []
    for (parameter, value), some in [(("none", "as in the chapter"), base), *groups]:
        changed = set(zip(some["N1"], some["N2"], strict=True))
        rest = [pair not in changed for pair in zip(base["N1"], base["N2"], strict=True)]
        short = _shortfalls(setting, measures.neighbour_goodput(pd.concat([some, base[rest]])))
        means = short.mean(axis=1)
        low, high = np.percentile(means[1:], (2.5, 97.5))
        met = np.percentile(short[1:], 2.5, axis=0) <= 0
        rows.append(
            {
                "parameter": parameter,
                "setting": value,
                "distance": means[0],
                "low": low,
                "high": high,
                "met": int(met.sum()),
                "of": short.shape[1],
            }
        )
    return pd.DataFrame(rows).sort_values("distance", kind="stable").reset_index(drop=True)


def _shortfalls(setting: Setting, beside: pd.DataFrame) -> np.ndarray:
    """Return by how many per cent each statement is missed, by the runs and by bootstraps of them.

    The first row is that of the runs, a column a statement.
    """
    generator = np.random.default_rng(1)
    within = np.log(setting.equivalence_factor)
    columns = []
    for neighbour in NEIGHBOURS:
        mine = beside[beside["neighbour"] == neighbour]
        for loss in setting.varied_losses:
            here = mine[mine["loss"] == loss]
            logs = {
                control: _means(np.log(values["Mb/s"].to_numpy()), generator)
                for control, values in here.groupby("control")
            }
            columns.append(np.maximum(np.abs(logs["UCC"] - logs[neighbour]) - within, 0))
            columns.append(np.maximum(logs[CHD] - logs["UCC"], 0))
    return 100 * np.expm1(np.column_stack(columns))


def _means(values: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the mean of the values, and those of values drawn again from them."""
    draws = generator.integers(len(values), size=(BOOTSTRAPS, len(values)))
    return np.concatenate([[values.mean()], values[draws].mean(axis=1)])
