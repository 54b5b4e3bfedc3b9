"""Experiments, figures and chapters as data: what is run, and what a chapter shows of it.

A figure names the experiments that it uses and can use no other, so that what stands under it on
its page, `longfat figure` and `longfat reproduce` know them without running anything.
"""

import functools
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from longfat import engines, statistics, store
from longfat.errors import InputError, nearest
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Scenario
from longfat.sweeps import can_run, flows_of, labelled, simulate_all, sweep

Value = TypeVar("Value")
Row = dict[str, Any]
BATCH = 1000  # runs of points whose results are held at once
Shown = TypeVar("Shown", "Figure", "Table")


class Point(NamedTuple):
    """How a row of a sweep that is archived as points is made: its scenario, and what it has.

    `scenario` takes a row's values and leaves what was measured aside; `measured` returns that, as
    it is archived, of the run.
    """

    scenario: Callable[[Row], Scenario]
    measured: Callable[[Result], dict[str, float]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """The runs of one archive: at each point of a design, so many seeds, on one engine.

    `points` are factors with their levels, of which every combination is a point, or a table with a
    row a point, or a function that makes that table once it is asked for. `build` makes a scenario
    of a point's columns and, with `repetitions`, of a seed from 1 on. `more` has points (columns
    and what they are) that have more seeds than these, and how many in all. `labels` are columns
    that the runs' table has besides, the same in every row.
    """

    name: str
    build: Callable[..., Scenario]
    points: Mapping[str, Iterable] | pd.DataFrame | Callable[[], pd.DataFrame] = field(
        default_factory=dict
    )
    repetitions: int | None = None
    more: Sequence[tuple[Mapping[str, Any], int]] = ()
    engine: str = "segment"
    labels: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def design(self) -> pd.DataFrame:
        """A row a run: the columns of its point, and its seed."""
        stated = self.points() if callable(self.points) else self.points
        if isinstance(stated, pd.DataFrame):
            points = stated.reset_index(drop=True)
        elif stated:
            points = statistics.combinations(**stated)
        else:
            points = pd.DataFrame(index=[0])
        if self.repetitions is None:
            return points
        counts = pd.Series(self.repetitions, index=points.index)
        for where, count in self.more:
            here = (points[list(where)] == list(where.values())).all(axis=1)
            counts[here] = counts[here].clip(lower=count)
        runs = points.loc[points.index.repeat(counts)]
        seeds = runs.groupby(level=0).cumcount() + 1
        return runs.assign(seed=seeds).reset_index(drop=True)

    @property
    def scenarios(self) -> list[Scenario]:
        """What is run, in the order of the design: made anew for whoever asks, for thousands that
        are kept make the garbage collector slow. Raises InputError for what cannot be."""
        return self._built(self._rows())

    def _rows(self) -> list[Row]:
        return [{}] if self.design.columns.empty else self.design.to_dict("records")

    def _built(self, rows: Iterable[Row]) -> list[Scenario]:
        try:
            return [self.build(**row) for row in rows]
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None

    def _archive_rows(self) -> list[int] | None:
        """Return the archive's rows of these runs, in the order of the design, or None where it has
        not all of them.

        Scenarios are made and looked for: of each point the first run's and the last one's. If the
        rows between are of the same seeds, what else is looked for are runs on both sides of where
        a point's archived scenarios turn to another kind, and one of each draw
        (`store.kinds_and_draws`). So a `build` that begins to treat one seed of one point
        otherwise is not noticed if that is none of these. Else each run is looked for.
        """
        if store.reproducing() or not store.has_runs(self.name):
            return None
        rows = self._rows()
        of_point = [_point(row) for row in rows]
        points = [[*own] for _, own in itertools.groupby(range(len(rows)), of_point.__getitem__)]
        ends = [n for own in points for n in dict.fromkeys((own[0], own[-1]))]
        found = self._found([rows[n] for n in ends])
        if found is None:
            return None
        place = dict(zip(ends, found, strict=True))
        between = [run for own in points for run in range(place[own[0]], place[own[-1]] + 1)]
        seeds, kinds, draws = store.kinds_and_draws(self.name)
        if [seeds[run] for run in between] != [row.get("seed", 1) for row in rows]:
            return self._found(rows)
        known = {draws[run] for run in found}
        more: list[int] = []
        for own in points:
            for before, n in itertools.pairwise(own):
                if kinds[between[n]] != kinds[between[before]]:
                    more += [before, n]
                elif draws[between[n]] not in known:
                    more.append(n)
                known.add(draws[between[n]])
        more = [n for n in dict.fromkeys(more) if n not in place]
        if self._found([rows[n] for n in more]) == [between[n] for n in more]:
            return between
        return self._found(rows)

    def _found(self, rows: list[Row]) -> list[int] | None:
        """Return the archive's rows of these runs, or None where it has not all of them."""
        scenarios = self._built(rows)
        versions = engines.versions(scenarios, self.engine)
        return store.archived_rows(scenarios, self.engine, versions, self.name)

    def can_run(self) -> bool:
        """Return whether there are results: where this machine lacks the engine and the archive has
        not all of them, a line of output says what is left out."""
        if engines.is_here(self.engine) or self._archive_rows() is not None:
            return True
        return can_run(self.scenarios, self.engine, self.name)

    def results(self) -> list[Result]:
        """Return a result a run, or none at all where it cannot run (`can_run`)."""
        if (archived := self._archive_rows()) is not None:
            return [store.archived_result(self.name, run) for run in archived]
        scenarios = self.scenarios
        if not can_run(scenarios, self.engine, self.name):
            return []
        return simulate_all(scenarios, self.engine, experiment=self.name)

    def flows(self, results: list[Result] | None = None) -> pd.DataFrame:
        """Return a row a flow of every run; without rows where this machine lacks the engine.

        Who has the results already may give them. Columns: those of the design and of `sweep`,
        `labels`, Mb/s (the goodput) and experiment.
        """
        labels = self.design.assign(**self.labels)
        if results:
            runs = flows_of(results, labels)
        elif (archived := self._archive_rows()) is not None:
            runs = labelled(store.archived_flows(self.name, archived), labels)
        elif can_run(scenarios := self.scenarios, self.engine, self.name):
            runs = sweep(scenarios, self.engine, experiment=self.name, labels=labels)
        else:
            columns = ["scenario", *labels, *FLOW_COLUMNS, "Mb/s", "experiment"]
            return pd.DataFrame(columns=columns, dtype=float)
        return runs.assign(**{"Mb/s": runs["goodput_bps"] / 1e6}, experiment=self.name)


def _point(row: Row) -> str:
    """Return a run's point as text: what can be compared, whatever a design has in its columns."""
    return repr({name: value for name, value in row.items() if name != "seed"})


@dataclass(frozen=True, kw_only=True, eq=False)
class Points(Experiment):
    """An experiment that is archived as points: a row a run, with what was measured of it.

    `point` names what makes a row (a `Point`), as "package.module:POINT".
    """

    point: str

    def table(self) -> pd.DataFrame:
        """Return the design with what was measured, from the archive where that has this design."""
        archived = self._archived()
        return self._simulated(self.scenarios)[0] if archived is None else self._present(archived)

    def _archived(self) -> pd.DataFrame | None:
        """Return the archive's rows of this design, or None where it has not all of them."""
        if self.name not in store.points() or store.reproducing():
            return None
        stored, columns = store.read_table(self.name, "points"), list(self.design)
        try:
            found = self.design.merge(stored, on=columns, how="left", indicator=True)
        except (KeyError, ValueError):  # it lacks a column, or has text where numbers are
            return None
        all_there = len(found) == len(self.design) and (found["_merge"] == "both").all()
        return found.drop(columns="_merge") if all_there else None

    def _present(self, found: pd.DataFrame) -> pd.DataFrame:
        """Return archived rows; those that other versions of behaviour made are made again, or
        left out where this machine lacks the engine."""
        if not engines.changed_since(self.name):
            return found
        scenarios = self.scenarios
        versions = engines.versions(scenarios, self.engine)
        others = [store.other_versions(self.name, own) for own in versions]
        older = [run for run, parts in enumerate(others) if parts]
        for run in older:
            for part in others[run]:
                store.say_not_answered(part, versions[run][part])
        kept, again = found.drop(index=older), [scenarios[run] for run in older]
        if not can_run(again, self.engine):
            return kept.reset_index(drop=True)
        if not older:
            return kept
        return pd.concat([kept, self._simulated(again, older)[0]]).sort_index()

    def results(self) -> list[Result]:
        """Make the archive; return nothing: it has no results. What is in the cache is not run."""
        scenarios = self.scenarios
        engines.accept_new(scenarios, self.engine)
        table, made = self._simulated(scenarios)
        store.write_points(self.name, table, self.point, made)
        return []

    def _simulated(
        self, scenarios: list[Scenario], which: list[int] | None = None
    ) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
        """Return the rows (or those `which` these scenarios are of), and the provenance of each
        run; results are let go batch by batch."""
        measured = pkgutil.resolve_name(self.point).measured
        design = self.design if which is None else self.design.loc[which]
        rows, made = [], []
        for begin in range(0, len(scenarios), BATCH):
            results = simulate_all(scenarios[begin : begin + BATCH], self.engine)
            rows += [measured(result) for result in results]
            made += [result.provenance for result in results]
        return design.join(pd.DataFrame(rows, index=design.index)), made


class Runs:
    """What came of a chapter's experiments, each run or found when it is first asked for."""

    def __init__(self, setting: Any, experiments: Iterable[Experiment]):
        """Take the setting that the experiments were made for, and these."""
        self.setting = setting
        self.used: set[str] = set()  # names of experiments, by those who had this view
        self._experiments = {one.name: one for one in experiments}
        self._allowed: set[str] | None = None  # names of experiments; None: all
        self._known: dict[Any, Any] = {}

    def only(self, names: Iterable[str]) -> "Runs":
        """Return a view of the same runs that has these experiments alone."""
        view = Runs(self.setting, self._experiments.values())
        view._known = self._known
        view._allowed = set(names)
        return view

    def flows(self, *names: str) -> pd.DataFrame:
        """Return the flows of these experiments in one table (`Experiment.flows`)."""
        known = self._known.get
        tables = [
            self._once(
                ("flows", name),
                functools.partial(self._find(name).flows, known(("results", name))),
            )
            for name in names
        ]
        return pd.concat(tables, ignore_index=True)

    def design(self, name: str) -> pd.DataFrame:
        """Return an experiment's design, a row a run (`Experiment.design`)."""
        return self._find(name).design

    def can_run(self, name: str) -> bool:
        """Return whether an experiment has results here (`Experiment.can_run`)."""
        return self._once(("can run", name), self._find(name).can_run)

    def results(self, name: str) -> list[Result]:
        """Return the results of an experiment (`Experiment.results`)."""
        return self._once(("results", name), self._find(name).results)

    def transfers(self, name: str) -> pd.DataFrame:
        """Return the transfers of an experiment's runs, one in each; those without have no row.

        Columns: those of the design, and those of `Result.transfers` but its method.
        """
        design, results = self.design(name), self.results(name)
        rows = pd.concat([one.transfers for one in results], ignore_index=True)
        counts = [len(one.transfer_rows()) for one in results]
        points = design.loc[design.index.repeat(counts)].reset_index(drop=True)
        return pd.concat([points, rows.drop(columns="method")], axis=1)

    def traces(self, name: str, series: str) -> pd.DataFrame:
        """Return a series over time of every run of an experiment in one table.

        Columns: those of the design, and the trace's own (`Result.traces`).
        """
        points = self._find(name).design.to_dict("records")
        parts = [
            result.traces[series].assign(**point)
            for point, result in zip(points, self.results(name), strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    def archived(self, name: str) -> pd.DataFrame:
        """Return the archive of another chapter's experiment (`store.read_archive`), as it was
        made."""
        self._use(name)
        return self._once(("archived", name), lambda: engines.read_as_made(name))

    def points(self, name: str) -> pd.DataFrame:
        """Return the points of an archive that has a row a point (`store.write_points`): those of
        the chapter's own experiments by the code here, others as they were made."""
        self._use(name)
        if isinstance(own := self._experiments.get(name), Points):
            return self._once(("points", name), own.table)
        return self._once(("points", name), lambda: engines.read_as_made(name))

    def derived(self, function: Callable[["Runs"], Value]) -> Value:
        """Return what a function makes of these runs; for all who ask, it is called once."""
        if function not in self._known:
            view = Runs(self.setting, self._experiments.values())
            view._known, view._allowed = self._known, None
            self._known[function] = function(view), view.used
        value, used = self._known[function]
        for name in used:
            self._use(name)
        return value

    def _find(self, name: str) -> Experiment:
        if name not in self._experiments:
            known = list(self._experiments)
            raise InputError(f"no experiment '{name}' is in this chapter.{nearest(name, known)}")
        self._use(name)
        return self._experiments[name]

    def _use(self, name: str) -> None:
        if self._allowed is not None and name not in self._allowed:
            raise InputError(f"the experiment '{name}' is used, but not named among those used")
        self.used.add(name)

    def _once(self, what: tuple[str, str], make: Callable[[], Value]) -> Value:
        if what not in self._known:
            self._known[what] = make()
        return self._known[what]


class Part(NamedTuple):
    """What a chapter's claims are judged by, beside other parts: the experiments, and their table.

    Runs of changed assumptions (`sensitivity`) turn a verdict, but are not of the stated setting.
    """

    uses: tuple[str, ...]
    make: Callable[[Runs], Any]
    sensitivity: bool = False


def made(parts: Mapping[str, Part], runs: Runs) -> dict[str, Any]:
    """Return the tables of a chapter's parts, by their names."""
    return {name: runs.derived(part.make) for name, part in parts.items()}


def used(parts: Mapping[str, Part]) -> tuple[str, ...]:
    """Return the experiments of all parts, each once."""
    return tuple(dict.fromkeys(name for part in parts.values() for name in part.uses))


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """What a page shows as a picture.

    `uses` names its experiments, `data` makes a table of their runs, and `chart` draws that; it
    takes the runs too, for the setting and for what is not of a table's form. `caption` is
    Markdown, with formulas between dollar signs: what to see. `narrow` draws it for a phone where
    laying out its panels below each other will not do (`longfat.book.narrow`).
    """

    name: str
    uses: tuple[str, ...] = ()
    data: Callable[[Runs], pd.DataFrame]
    chart: Callable[[pd.DataFrame, Runs], Any]
    caption: str
    narrow: Callable[[pd.DataFrame, Runs], Any] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """What a page shows as a table, under a caption.

    `formats` has the format of a column's values by its name; "*" is that of every other column.
    """

    name: str
    uses: tuple[str, ...] = ()
    data: Callable[[Runs], pd.DataFrame]
    caption: str
    formats: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chapter:
    """A chapter at a setting: what is run for it, what it shows of that, and its claims, judged."""

    name: str
    setting: Any
    experiments: tuple[Experiment, ...]
    figures: tuple[Figure | Table, ...]
    claims: Table | None = None

    @property
    def shown(self) -> dict[str, Figure | Table]:
        """All figures and tables by their names, the verdicts on the claims at the end."""
        claims = () if self.claims is None else (self.claims,)
        return {one.name: one for one in (*self.figures, *claims)}

    @cached_property
    def runs(self) -> Runs:
        """What came of the experiments."""
        return Runs(self.setting, self.experiments)

    def find(self, name: str, kind: type[Shown]) -> Shown:
        """Return the figure, or the table, of that name. Raises InputError where there is none."""
        one = self.shown.get(name)
        if not isinstance(one, kind):
            known = [other for other, shown in self.shown.items() if isinstance(shown, kind)]
            what = kind.__name__.lower()
            raise InputError(f"{self.name} has no {what} '{name}'.{nearest(name, known)}")
        return one

    def data(self, one: Figure | Table) -> pd.DataFrame:
        """Return what a figure or table shows, from the runs of the experiments that it names."""
        return one.data(self.runs.only(one.uses))

    def chart(self, one: Figure, data: pd.DataFrame) -> Any:
        """Return the picture of a figure's data."""
        return one.chart(data, self.runs.only(one.uses))

    def narrow_chart(self, one: Figure, data: pd.DataFrame) -> Any:
        """Return the picture for a phone, or None where a figure has none of its own."""
        return one.narrow(data, self.runs.only(one.uses)) if one.narrow else None

    def run(self) -> None:
        """Run every experiment; under `longfat reproduce` this makes the chapter's archive."""
        for one in self.experiments:
            one.results()


def stacked(**tables: pd.DataFrame) -> pd.DataFrame:
    """Return several tables as one, for a figure of several panels: `panel` has their names.

    A column that a table lacks is missing in its rows; `parts` takes them apart again.
    """
    named = [table.assign(panel=name) for name, table in tables.items()]
    table = pd.concat(named, ignore_index=True)
    return table[["panel", *table.columns.drop("panel")]]


def parts(data: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the tables that were `stacked`, in their order, each with its own columns."""
    tables = [table for _, table in data.groupby("panel", sort=False)]
    return [
        table.drop(columns="panel").dropna(axis=1, how="all").reset_index(drop=True)
        for table in tables
    ]
