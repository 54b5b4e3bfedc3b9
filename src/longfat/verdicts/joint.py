"""What a designed sample of settings says of a claim: how often it holds, and what turns it.

At each setting a claim holds, fails, is a tie, or stays open (`rules.outcome`). One that holds at
95 % of the settings or more is reproduced. One that holds at 5 % at most is not reproduced, or a
tie, if it is one at more settings than it fails at. Else it depends. Where what is open could make
another verdict of it, it is undecidable.
What is judged so is in `data/joint.csv`, a row a claim and engine, and decides the claim's verdict
(`longfat.verdicts.judge`). Where a part of the settings is judged apart too, its rows name it, and
decide nothing.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import paths
from longfat.verdicts.rules import Region, Turns, outcome, own_threshold, region, turns

FILE = paths.DATA / "joint.csv"

MOST, FEW = 0.95, 0.05  # shares of the settings
CHANCE = 0.05  # with which a set of parameters may be taken for what turns a claim
LARGEST_SET = 3  # so many parameters at most are named as what turns a claim
CUTS = (0.25, 0.5, 0.75)  # where a range may be cut in two: quantiles of its values
OPEN = ("open", "tie or fails")  # what a setting says that the runs leave open
DEALS = 2000  # for `largest_by_chance`
CLASSES = 4  # of equal size, into which the values of a range are put for `importance`
COLUMNS = (
    "id",
    "engine",
    "part",
    "share",
    "share_low",
    "share_high",
    "settings",
    "open",
    "ties",
    "joint_verdict",
    "turned_by",
    "told",
    "matters",
    "first_order",
    "decides",
    "cheapest",
    "turns_at",
)


def written() -> pd.DataFrame:
    """Return what `data/joint.csv` has of all settings: paper and `COLUMNS`; of all papers."""
    table = written_with_parts()
    return table[table["part"] == ""]


def written_with_parts() -> pd.DataFrame:
    """Return the same, and what it has of parts of the settings."""
    columns = ["paper", *COLUMNS]
    if not FILE.exists():
        return pd.DataFrame(columns=columns, dtype=object)
    text = {"turned_by": "", "part": "", "matters": ""}
    return pd.read_csv(FILE, dtype=dict.fromkeys(text, str)).fillna(text)


def deciding(table: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """Return of each claim the row that decides its verdict: its own engine's, else the first.

    `table` is of `written`; `claims` may have engine, the one that each is about.
    """
    asked = dict(zip(claims["id"], claims.get("engine", pd.Series(dtype=object)), strict=False))
    own = table["engine"] == table["id"].map(asked)
    ordered = table.assign(own=own).sort_values("own", ascending=False, kind="stable")
    return ordered.drop_duplicates("id").drop(columns="own").sort_index()


class Share(NamedTuple):
    """At which share of the settings a claim holds, of those that decide it.

    `low` and `high` are the 95 % interval (Clopper and Pearson), with what is `open` counted
    against the claim and for it; `verdict` says what that makes of it.
    """

    share: float
    low: float
    high: float
    settings: int
    open: int
    ties: int
    verdict: str


def share(says: Sequence[str]) -> Share:
    """Return the share of settings that say "holds"; others say "fails", "tie" or "open".

    Those that say "tie or fails" are open, but cannot hold.

    >>> from longfat.verdicts import joint
    >>> joint.share(["holds"] * 47 + ["fails"]).verdict
    'reproduced'
    """
    from scipy import stats  # half a second, which only those wait who judge

    count, could_hold = len(says), says.count("open")
    undecided = could_hold + says.count("tie or fails")
    holds, ties = says.count("holds"), says.count("tie")
    could_tie = ties > 0 or undecided > could_hold

    def ends(successes: int) -> Any:
        return stats.binomtest(successes, count).proportion_ci(method="exact")

    verdicts = {
        _verdict((holds + hold) / count, (ties + tie) / count)
        for hold in (0, could_hold)
        for tie in {0, undecided - hold if could_tie else 0}
    }
    return Share(
        share=holds / (count - undecided) if count > undecided else float("nan"),
        low=float(ends(holds).low),
        high=float(ends(holds + could_hold).high),
        settings=count,
        open=undecided,
        ties=ties,
        verdict=verdicts.pop() if len(verdicts) == 1 else "undecidable",
    )


def _verdict(holds: float, ties: float) -> str:
    """Return the verdict on shares of the settings, when nothing is open."""
    if holds >= MOST - 1e-9:
        return "reproduced"
    if holds > FEW + 1e-9:
        return "depends"
    return "tie" if ties > 1 - holds - ties + 1e-9 else "not reproduced"


def counts(row: dict) -> dict[str, int]:
    """Return at how many settings a claim holds, fails, is a tie and stays open, by its row."""
    decided = row["settings"] - row["open"]
    holds = round(row["share"] * decided) if decided else 0
    fails = decided - holds - row["ties"]
    return {"holds": holds, "fails": int(fails), "tie": int(row["ties"]), "open": int(row["open"])}


def still_possible(count: int, holds: int, undecided: int) -> dict[str, tuple[int, int]]:
    """Return the verdicts on `count` settings that those undecided can make, with what it takes.

    That is how many of these have to hold, and how many must not, at the least. "not reproduced"
    stands for a tie too.

    >>> from longfat.verdicts import joint
    >>> joint.still_possible(48, holds=0, undecided=17)
    {'not reproduced': (0, 15), 'depends': (3, 0)}
    """
    enough = int(np.ceil(MOST * count - 1e-9))
    few = int(FEW * count + 1e-9)
    others = count - holds - undecided
    needed = {
        "reproduced": (enough - holds, 0),
        "not reproduced": (0, count - few - others),
        "depends": (max(0, few + 1 - holds), max(0, count - enough + 1 - others)),
    }
    return {verdict: of for verdict, of in needed.items() if 0 < sum(of) <= undecided}


class Turning(NamedTuple):
    """The smallest set of parameters that tells where a claim holds, and where it does not.

    `told` is the share of the settings that it tells rightly.
    """

    parameters: tuple[str, ...]
    told: float


def turning_set(settings: pd.DataFrame, holds: Sequence[bool]) -> Turning:
    """Return the smallest set of parameters that turns a claim, of `LARGEST_SET` at most.

    `settings` has a row a setting and a column a parameter. By the values of a set the settings
    fall into cells, a range being cut in two where that tells most (`CUTS`). A setting is told
    rightly if most of the others in its cell say what it says. The smallest set that tells 95 %
    rightly is taken; where none does, the one that tells most, if it leaves at most half of the
    errors that saying always the same would make; else there is none. Of many sets one tells
    something by chance: a set counts only if that is less likely than 5 % (Fisher's exact test,
    times the number of ways to choose as many parameters and cuts, and to fill their cells).
    """
    says = np.asarray(holds, dtype=bool)
    rarer = min(says.sum(), len(says) - says.sum())
    if not rarer:
        return Turning((), 1.0)
    cells = {name: _cells(column) for name, column in settings.items()}
    best: tuple[int, tuple[Any, ...]] = (int(rarer) // 2 + 1, ())
    for size in range(1, LARGEST_SET + 1):
        tried = [
            (names, codes)
            for names in itertools.combinations(cells, size)
            for codes in itertools.product(*(cells[name] for name in names))
        ]
        wrong = [_wrong(codes, says) for _, codes in tried]
        least = int(np.argmin(wrong))
        names, codes = tried[least]
        if wrong[least] < best[0] and _chance(codes, says) * len(tried) < CHANCE:
            best = (wrong[least], names)
        if best[0] <= min(FEW * len(says), rarer // 2):
            break
    found, names = best
    return Turning(names, 1 - found / len(says)) if names else Turning((), 1 - rarer / len(says))


def _cells(column: pd.Series) -> list[np.ndarray]:
    """Return the class of each setting by one parameter, in each way to make such classes."""
    if column.dtype.kind not in "fi":
        return [pd.factorize(column)[0]]
    values = column.to_numpy()
    return [(values > np.quantile(values, cut)).astype(int) for cut in CUTS]


def _wrong(codes: Sequence[np.ndarray], says: np.ndarray) -> int:
    """Return how many settings the others in their cells tell wrongly; ties are wrong."""
    cell = np.ravel_multi_index(codes, [code.max() + 1 for code in codes])
    holds = np.bincount(cell, says)
    fails = np.bincount(cell, ~says)
    by_cell = np.where(holds - 1 <= fails, holds, 0) + np.where(fails - 1 <= holds, fails, 0)
    return int(by_cell.sum())


def _chance(codes: Sequence[np.ndarray], says: np.ndarray) -> float:
    """Return how likely cells tell at least so much by chance, for any way to fill them."""
    from scipy import stats

    cell = np.ravel_multi_index(codes, [code.max() + 1 for code in codes])
    told = (np.bincount(cell, says) > np.bincount(cell, ~says))[cell]
    table = [
        [(told & says).sum(), (told & ~says).sum()],
        [(~told & says).sum(), (~told & ~says).sum()],
    ]
    return float(stats.fisher_exact(table, alternative="greater").pvalue) * 2 ** len(set(cell))


def importance(settings: pd.DataFrame, measured: Sequence[float]) -> pd.Series:
    """Return how much of what is measured each parameter alone explains, 0 to 1, most first.

    The first-order index of the ranks of what is measured, from the given sample: the variance
    between the values of a parameter (a range in `CLASSES` classes) over all of it, less what
    chance would give (the adjusted correlation ratio).
    """
    ranks = pd.Series(measured).rank().to_numpy()
    found = _indices(settings, ranks[:, np.newaxis])[:, 0]
    return pd.Series(found, settings.columns, dtype=float).sort_values(ascending=False)


def largest_by_chance(settings: pd.DataFrame, measured: Sequence[float]) -> float:
    """Return what the largest index of `importance` is at most, in 95 % of the cases, by chance.

    That is where what is measured is dealt to the settings at random, `DEALS` times.
    """
    ranks = pd.Series(measured).rank().to_numpy()
    dealt = np.random.default_rng(1).permuted(np.tile(ranks[:, np.newaxis], DEALS), axis=0)
    return float(np.quantile(_indices(settings, dealt).max(axis=0), 1 - CHANCE))


def _indices(settings: pd.DataFrame, ranks: np.ndarray) -> np.ndarray:
    """Return the index of each parameter (a row) by each column of ranks."""
    count = len(ranks)
    off = ranks - ranks.mean(axis=0)
    total = (off**2).sum(axis=0)
    found = np.zeros((settings.shape[1], ranks.shape[1]))
    for row, (_, column) in enumerate(settings.items()):
        ranged = column.dtype.kind in "fi"
        member = pd.get_dummies(pd.qcut(column, CLASSES) if ranged else column).to_numpy(float)
        member = member[:, member.any(axis=0)]
        between = ((member.T @ off) ** 2 / member.sum(axis=0)[:, np.newaxis]).sum(axis=0)
        freedom = (count - 1) / (count - member.shape[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            found[row] = np.where(total > 0, 1 - (total - between) / total * freedom, 0.0)
    return found.clip(min=0)


class _Setting(NamedTuple):
    """What one setting says of a claim."""

    says: str
    leans: str
    measured: float
    decides: float
    turns: Turns | None


def judge(
    claims: pd.DataFrame,
    evidence: pd.DataFrame,
    settings: pd.DataFrame,
    engine: str = "segment",
    part: str = "",
    lacks: Mapping[str, Collection[str]] | None = None,
) -> pd.DataFrame:
    """Judge claims by their evidence at many settings: a row a claim that has some (`COLUMNS`).

    `evidence` has a row a claim, setting and point (setting, claim, measured, low, high, runs, and
    count, where the scatter is known from more runs than the point has); `settings` has a row a
    setting: its number, and a column a parameter; if it has not all, they are a `part` that has a
    name. `lacks` has, by a claim's name, parameters that none of its runs has: they turn nothing.
    turned_by is of `turning_set`, with commas;
    matters is the parameter with the largest index of `importance`, for what was measured at each
    setting's deciding point, where that is larger than chance makes it (`largest_by_chance`); else
    it is empty. decides is how many runs a point would settle what is undecidable, and
    cheapest how many the first of its open settings takes; turns_at is the threshold nearest to one
    of ours at which the verdict would be another.
    """
    by_number = settings.set_index("setting")
    evidence = evidence[evidence["setting"].isin(by_number.index)]
    rows = []
    for claim in claims.itertuples():
        where = region(claim)
        if where is None or not (evidence["claim"] == claim.id).any():
            continue
        at = {
            number: _at_setting(points, claim, where)
            for number, points in evidence[evidence["claim"] == claim.id].groupby("setting")
        }
        total = share([one.says for one in at.values()])
        own = by_number.drop(columns=[*(lacks or {}).get(claim.id, ())], errors="ignore")
        sample = own.loc[[n for n, one in at.items() if one.says not in OPEN]]
        decided = [at[number].says == "holds" for number in sample.index]
        turning = turning_set(sample, decided) if len(sample) else Turning((), float("nan"))
        varied, measured = own.loc[list(at)], [one.measured for one in at.values()]
        index = importance(varied, measured)
        explains = index.iloc[0] > largest_by_chance(varied, measured)
        rows.append(
            {
                "id": claim.id,
                "engine": engine,
                "part": part,
                "share": total.share,
                "share_low": total.low,
                "share_high": total.high,
                "settings": total.settings,
                "open": total.open,
                "ties": total.ties,
                "joint_verdict": total.verdict,
                "turned_by": ", ".join(turning.parameters),
                "told": turning.told,
                "matters": index.index[0] if explains else "",
                "first_order": float(index.iloc[0]) if explains else 0.0,
                "decides": _runs_to_verdict(list(at.values()), total.verdict),
                "cheapest": _runs_to_first(list(at.values()), total.verdict),
                "turns_at": _turning(list(at.values()), own_threshold(claim), total.verdict),
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _at_setting(points: pd.DataFrame, claim: Any, where: Region) -> _Setting:
    found = outcome(points, where)
    turning = None if np.isnan(own_threshold(claim)) else turns(points, claim, where)
    measured = float(points.iloc[found.point]["measured"])
    runs = found.decides
    if "count" in points:
        runs *= float((points["count"] / points["runs"]).max())
    says = "tie or fails" if found.tied else found.says
    return _Setting(says, found.leans, measured, np.ceil(runs), turning)


def _runs_to_verdict(settings: Sequence[_Setting], verdict: str) -> float:
    """Return how many runs a point would settle what is undecidable, if means are the true ones.

    Infinite where no number does; missing for another verdict.
    """
    if verdict != "undecidable":
        return float("nan")
    waiting = {one.decides for one in settings if one.says in OPEN and np.isfinite(one.decides)}
    for runs in sorted(waiting):
        says = [
            one.leans if one.says in OPEN and one.decides <= runs else one.says for one in settings
        ]
        if share(says).verdict != "undecidable":
            return runs
    return float("inf")


def _runs_to_first(settings: Sequence[_Setting], verdict: str) -> float:
    """Return how many runs a point would decide one of the open settings of what is undecidable."""
    waiting = [one.decides for one in settings if one.says in OPEN]
    return float(np.nanmin([np.inf, *waiting])) if verdict == "undecidable" else float("nan")


def _turning(settings: Sequence[_Setting], ours: float, verdict: str) -> float:
    """Return the threshold nearest to ours at which the verdict would be another, or none."""
    known = [one.turns for one in settings if one.turns is not None]
    ends = {end for one in known for end in one[:2] if np.isfinite(end)}
    for end in sorted(ends, key=lambda end: abs(end - ours)):
        beyond = end + 1e-6 * max(abs(end), 1e-6) * (1 if end >= ours else -1)
        if share([one.says(beyond) for one in known]).verdict != verdict:
            return end
    return float("nan")
