"""What joint settings make of the papers' claims: judged by a command, shown in the long chapters.

`data/joint.csv` has a row a claim, engine and part (`verdicts.joint.COLUMNS`, and paper).
"""

import importlib
from typing import Any

import pandas as pd

from longfat import engines, papers, store
from longfat.errors import InputError
from longfat.style import ENGINE_LABEL, label
from longfat.style import number as digits
from longfat.verdicts import joint

SUFFIX = "-joint"  # of archives


def papers_with_archives() -> list[str]:
    """Return the papers whose joint settings are archived."""
    return [one.removesuffix(SUFFIX) for one in store.points() if one.endswith(SUFFIX)]


def judged(paper: str) -> pd.DataFrame:
    """Judge a paper's claims by its joint settings, on each engine, and in each part of them.

    Raises InputError where there is none.
    """
    known = papers_with_archives()
    if paper not in known:
        raise InputError(f"'{paper}' has no joint settings: {', '.join(known) or 'none'} have")
    own = importlib.import_module(f"longfat.papers.{paper}.joint")
    tables = []
    for leg in own.LEGS:
        evidence = leg.evidence(engines.read_as_made(leg.archive))
        settings, claims = leg.settings(), papers.claims(paper)
        tables.append(joint.judge(claims, evidence, settings, leg.engine, lacks=leg.lacks))
        if leg.parts is None:
            continue
        for part, some in settings.groupby(leg.parts(settings), sort=False):
            tables.append(
                joint.judge(claims, evidence, some, leg.engine, str(part), lacks=leg.lacks)
            )
    return pd.concat(tables, ignore_index=True).assign(paper=paper)


def write(judgements: pd.DataFrame) -> None:
    """Put these papers' rows into `data/joint.csv`."""
    others = joint.written_with_parts()
    others = others[~others["paper"].isin(judgements["paper"])]
    table = pd.concat([others, judgements]) if len(others) else judgements
    table = table[["paper", *joint.COLUMNS]].sort_values("paper", kind="stable")
    table.to_csv(joint.FILE, index=False, lineterminator="\n", float_format="%.4g")


def turned(paper: str) -> pd.DataFrame:
    """Return what turns each claim, as a page shows it: those that hold least often first.

    Columns: claim; engine; holds at (of how many settings that decide, with the interval of their
    share); open; verdict; turned by; told rightly (which part of the settings these tell);
    matters most (with its first-order index).
    """
    table = joint.written()
    table = table[table["paper"] == paper].merge(papers.claims(paper)[["id", "where", "statement"]])
    rows = [
        {
            "claim": f"{row.where}: {row.statement}",
            "engine": ENGINE_LABEL[row.engine],
            "holds at": _share(row.share, row.settings - row.open, row.share_low, row.share_high),
            "open": row.open,
            "verdict": row.joint_verdict,
            "turned by": ", ".join(map(label, row.turned_by.split(", "))) if row.turned_by else "–",
            "told rightly": f"{100 * row.told:.0f} %" if row.turned_by else "–",
            "matters most": f"{label(row.matters)} ({digits(row.first_order)})"
            if row.first_order > 0
            else "–",
        }
        for row in table.sort_values(["share", "id"], kind="stable").itertuples()
    ]
    return pd.DataFrame(rows)


def by_part(paper: str) -> pd.DataFrame:
    """Return in how many settings of each part a claim holds, as a page shows it.

    Columns: claim; one a part ("2 of 16", and how many are ties or stay open; a dash where nothing
    is said of it).
    """
    table = joint.written_with_parts()
    table = table[(table["paper"] == paper) & (table["part"] != "")]
    claims = papers.claims(paper).set_index("id")
    table = table.assign(
        claim=table["id"].map(claims["where"] + ": " + claims["statement"]),
        words=[_count(row) for row in table.itertuples()],
    )
    rows = {
        claim: dict(zip(parts["part"], parts["words"], strict=True))
        for claim, parts in table.groupby("claim", sort=False)
    }
    found = pd.DataFrame.from_dict(rows, orient="index").fillna("–")
    return found.rename_axis("claim").reset_index()


def _count(row: Any) -> str:
    """Return at how many settings a claim holds, in words."""
    counts = joint.counts(row._asdict())
    others = {"tied": counts["tie"], "open": counts["open"]}
    more = ", ".join(f"{number} {what}" for what, number in others.items() if number)
    return f"{counts['holds']} of {row.settings}" + (f" ({more})" if more else "")


def _share(share: float, decided: int, low: float, high: float) -> str:
    if not decided:
        return "–"
    return f"{round(share * decided)} of {decided} [{100 * low:.0f}, {100 * high:.0f}] %"
