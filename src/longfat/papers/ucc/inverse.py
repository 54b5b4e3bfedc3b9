"""Which unstated parameters make the paper's statements true: an inverse problem, by a grid.

Its figures are lost. What its text says of figures 4 to 6, and of all three in section 6, is that a
neighbour gets almost the same beside UCC as beside its own kind, and more than beside CHD without
DCC. Each combination of what is not stated is run on the segment engine, and its distance to these
statements is measured at two loss rates.
"""

import itertools

import numpy as np
import pandas as pd

from longfat import measures
from longfat.papers.ucc import experiments
from longfat.papers.ucc.experiments import CHD, NEIGHBOURS, VARIED, Setting
from longfat.papers.ucc.network import wireless
from longfat.sweeps import sweep

# What ns-2 did by itself in 2009, all at once and two by two; each alone is among `VARIED`.
TOGETHER = ("recovery", "initial_ssthresh", "loss_process")
BOOTSTRAPS = 1000


def combinations() -> list[tuple[str, ...]]:
    """Return which of `TOGETHER` are taken otherwise at once, two at the least."""
    return [names for size in (2, 3) for names in itertools.combinations(TOGETHER, size)]


def losses(setting: Setting) -> list[float]:
    """Return the loss rates at which assumptions are varied."""
    return setting.among(1e-4, 3e-3) or [min(loss for loss in setting.loss_rates if loss)]


def runs(setting: Setting) -> pd.DataFrame:
    """Run the pairs of figures 4 to 6 with several assumptions changed at once.

    Columns as of `experiments.assumed_otherwise`, whose runs change one alone.
    """
    varied = {one.parameter: one for one in VARIED}
    rows = [
        (names, *pair, loss, seed)
        for names in combinations()
        for neighbour in NEIGHBOURS
        for pair in ((neighbour, neighbour), (neighbour, CHD), (neighbour, "UCC"))
        for loss in losses(setting)
        for seed in range(1, setting.half + 1)
    ]
    design = pd.DataFrame(rows, columns=["names", "N1", "N2", "loss", "seed"])
    scenarios = []
    for run in design.itertuples():
        fields = {"loss": run.loss} | setting.network
        for name in run.names:
            fields |= varied[name].fields(run.loss)
        first, second = (setting.controls[name] for name in (run.N1, run.N2))
        scenarios.append(wireless(first, second, seed=run.seed, **fields))
    labels = design.assign(
        parameter=[", ".join(names) for names in design["names"]],
        setting=[", ".join(varied[name].setting for name in names) for names in design["names"]],
    )
    columns = ["parameter", "setting", "N1", "N2", "loss", "seed"]
    table = sweep(scenarios, "segment", experiment="ucc-inverse", labels=labels[columns])
    return table.assign(**{"Mb/s": table["goodput_bps"] / 1e6})


def distances(setting: Setting, base: pd.DataFrame, *otherwise: pd.DataFrame) -> pd.DataFrame:
    """Return how far each combination is from what was stated, the nearest first.

    `base` is of `experiments.pairs`; `otherwise` of `experiments.assumed_otherwise` and `runs`. A
    statement is one neighbour's at one loss rate: that it gets almost the same beside UCC (within
    the setting's factor of equivalence, either way), and that it gets more than beside CHD. The
    distance is the mean, over the statements, of by how many per cent the ratio of mean goodputs
    would have to change for the statement to hold; `low` and `high` are the 95 % interval of a
    bootstrap over runs. `met` counts the statements that the interval of their ratio does not
    refute. Columns: parameter, setting, distance, low, high, met, of.
    """
    base = experiments.on("segment", base)
    base = base[base["loss"].isin(losses(setting))]
    groups = [
        (names, some)
        for table in otherwise
        for names, some in table.groupby(["parameter", "setting"], sort=False)
    ]
    rows = []
    for (parameter, value), some in [(("none", "as in the chapter"), base), *groups]:
        run_otherwise = set(zip(some["N1"], some["N2"], strict=True))
        rest = [pair not in run_otherwise for pair in zip(base["N1"], base["N2"], strict=True)]
        short = _shortfalls(setting, measures.beside(pd.concat([some, base[rest]])))
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
        for loss in losses(setting):
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
