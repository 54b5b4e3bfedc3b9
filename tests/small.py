"""Runs of an experiment at some of its points, for tests of what is made of them; and archived
ones."""

from dataclasses import replace

from longfat import engines, store
from longfat.experiment import Runs


def runs(module, at, name, repetitions=None, **points):
    """Return the runs of a study's experiment, where columns have these values alone."""
    return of(module.experiments(at), at, name, repetitions, **points)


def of(experiments, at, name, repetitions=None, **points):
    """Return the same of one among these experiments."""
    [one] = [one for one in experiments if one.name == name]
    factors = one.design.columns.drop("seed", errors="ignore")
    design = one.design[factors].drop_duplicates()
    for column, levels in points.items():
        design = design[design[column].isin(levels)]
    seeded = one.repetitions and (repetitions or one.repetitions)
    return Runs(at, [replace(one, points=design, repetitions=seeded)])


def archived(scenario, engine="segment"):
    """Return a run's result from the archive, or None."""
    return store.find_archived(scenario, engine, engines.versions([scenario], engine)[0])
