"""Which verdicts of the book the faults of ns-3 3.44 turn: each chapter's experiments, run again.

Every claim that rests on the segment engine is judged twice by the same rule: by the experiments
of its chapter as they are, and by the same with all faults (`longfat.faults`). Where the verdict is
another one then, parts of them say which does it (`TAKEN_APART`). What is not of the chapter's
stated setting, or of another engine, is left out on both sides. `data/faults-verdicts.csv` has the
evidence; tools/faults_verdicts.py makes it.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pandas as pd

from longfat import experiment, papers, paths, statistics, store
from longfat.errors import InputError
from longfat.faults import NS3_3_44, OF_ITS_RECOVERY, OF_ITS_SOCKET, Fault
from longfat.papers.hybla import claims as hybla_claims
from longfat.papers.hybla import plan as hybla
from longfat.papers.survey import claims as survey_claims
from longfat.papers.survey import plan as survey
from longfat.papers.survey import routers
from longfat.papers.tcpj import claims as tcpj_claims
from longfat.papers.tcpj import families
from longfat.papers.tcpj import plan as tcpj
from longfat.papers.ucc import claims as ucc_claims
from longfat.papers.ucc import plan as ucc

PLAIN, ALL = "none", "all"  # which faults; else the name of one, or of a set
SETS: dict[str, tuple[Fault, ...]] = {
    PLAIN: (),
    ALL: NS3_3_44,
    "recovery": OF_ITS_RECOVERY,
    "socket": OF_ITS_SOCKET,
} | {fault: (fault,) for fault in NS3_3_44}
EVIDENCE = paths.DATA / "faults-verdicts.csv"
KEPT = [*statistics.EVIDENCE_COLUMNS]


# What needs helpers in the network, which ns-3 has not: it never ran with its faults.
HELPED = {routers.EXPERIMENT, families.EXPERIMENT}


@dataclass(frozen=True)
class Chapter:
    """A chapter's experiments and claims, and which parameters its setting has here."""

    plan: ModuleType
    claims: ModuleType
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, experiment.Part]:
        """What its claims are judged by at the stated setting, without helpers in the network."""
        return {
            name: part
            for name, part in self.claims.PARTS.items()
            if not part.sensitivity and HELPED.isdisjoint(part.uses)
        }


CHAPTERS: dict[str, Chapter] = {
    "hybla": Chapter(hybla, hybla_claims),
    "survey": Chapter(survey, survey_claims, {"repetitions": 5}),
    "tcpj": Chapter(tcpj, tcpj_claims, {"more": False}),
    "ucc": Chapter(ucc, ucc_claims, {"repetitions": 6}),
}


# Which parts of the faults are tried for claims that turn: by paper, by part of its experiments.
TAKEN_APART: dict[str, dict[str, tuple[str, ...]]] = {
    "hybla": {
        "transfers": (
            "recovery",
            "socket",
            "prr-overflow",
            "prr-counts-twice",
            "lost-retransmission",
        )
    },
    "tcpj": {"random_loss": ("recovery", "socket")},
}


class Runs:
    """A chapter's experiments with and without faults, each run once at most."""

    def __init__(self, paper: str, profile: str = "paper"):
        """Take the paper's key, and the chapter's profile, "paper" or "quick"."""
        self.chapter = CHAPTERS[paper]
        self.setting = self.chapter.plan.setting(profile, **self.chapter.parameters)
        self._runs = {name: self.chapter.plan.runs(self.setting) for name in SETS}

    def evidence(self, faults: str, of: Collection[str] | None = None) -> pd.DataFrame:
        """Return the evidence of the stated setting on the segment engine.

        `faults` is a key of `SETS`; `of` are the parts that have them, all unless given.
        Columns: faults, and `statistics.EVIDENCE_COLUMNS`.
        """
        parts = self.chapter.parts
        given = {
            name: self._made(part, faults if of is None or name in of else PLAIN)
            for name, part in parts.items()
        }
        table = self.chapter.claims.evidence(self.setting, **given)
        table = table.fillna({"parameter": "", "setting": ""})
        stated = (table["parameter"] == "") & (table["engine"] == "segment")
        return table.loc[stated, KEPT].assign(faults=faults).reset_index(drop=True)

    def _made(self, part: experiment.Part, faults: str) -> Any:
        if faults != PLAIN:
            raise InputError("faults: no engine but 'ns3' has them any more")
        return self._runs[faults].derived(part.make)


def judged(paper: str, evidence: pd.DataFrame) -> pd.DataFrame:
    """Return `statistics.judge` of the claims that the evidence speaks of, a row a claim."""
    claims = papers.claims(paper)
    return statistics.judge(claims[claims["id"].isin(evidence["claim"])], evidence[KEPT])


def code(paper: str) -> str:
    """Return which code the chapter's archives are of: a hash of the versions of what ran.

    With the faults the same headers ran, so that evidence of other versions is to be made again.
    """
    versions: dict[str, str] = {}
    for name in experiment.used(CHAPTERS[paper].parts):
        if "segment" in (own := store.versions_of(name)):
            versions |= own
    return hashlib.sha256(str(sorted(versions.items())).encode()).hexdigest()[:16]


def evidence() -> pd.DataFrame:
    """Return `data/faults-verdicts.csv`: paper, code, faults, `statistics.EVIDENCE_COLUMNS`."""
    table = pd.read_csv(EVIDENCE, keep_default_na=False, dtype={"setting": str})
    numbers = ["measured", "low", "high", "runs"]
    return table.assign(**{name: pd.to_numeric(table[name]) for name in numbers})


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return each claim's verdict without and with faults (of `evidence`).

    Columns: paper, id, claim (where, and the statement), without and with_all (measured, interval
    and verdict as text), verdict and verdict_with_all, and turned_by: the sets of faults of `SETS`
    that were tried and turn it too.
    """
    rows = []
    for paper, own in table.groupby("paper", sort=False):
        sets = {
            str(faults): judged(str(paper), some).set_index("id")
            for faults, some in own.groupby("faults", sort=False)
        }
        plain, faulty = sets[PLAIN], sets[ALL]
        for one in plain.index:
            first, last = plain.loc[one], faulty.loc[one]
            tried = [name for name in sets if name not in (PLAIN, ALL) and one in sets[name].index]
            turn = [name for name in tried if sets[name].loc[one, "verdict"] != first["verdict"]]
            rows.append(
                {
                    "paper": paper,
                    "id": one,
                    "claim": f"{first['where']}: {first['statement']}",
                    "without": _text(first),
                    "with_all": _text(last),
                    "verdict": first["verdict"],
                    "verdict_with_all": last["verdict"],
                    "turned_by": turn,
                    "tried": tried,
                }
            )
    return pd.DataFrame(rows)


def _text(judged: pd.Series) -> str:
    unit = f" {judged['unit']}" if judged["unit"] else ""
    low, high = (statistics.digits(judged[name]) for name in ("low", "high"))
    return f"{judged['verdict']}: {statistics.digits(judged['measured'])} [{low}, {high}]{unit}"


def turned(table: pd.DataFrame) -> pd.DataFrame:
    """Return the claims that turn (of `compared`), in words.

    Columns: chapter, claim, without faults, with all, and which faults do it.
    """
    some = table[table["verdict"] != table["verdict_with_all"]]
    return pd.DataFrame(
        {
            "chapter": some["paper"],
            "claim": some["claim"],
            "without faults": some["without"],
            "with all": some["with_all"],
            "turned by": [_who(one) for one in some.itertuples()],
        }
    ).reset_index(drop=True)


def _who(one: Any) -> str:
    single = [name for name in one.turned_by if name in NS3_3_44]
    wide = {"recovery": "the four of the recovery", "socket": "those of the socket"}
    named = [wide[name] for name in one.turned_by if name in wide]
    if single or named:
        return ", ".join([*named, *single])
    return "only several together" if one.tried else "not taken apart"


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each chapter rest on the segment engine, and how many turn.

    Columns: chapter, claims, turned, and how many verdicts are reproduced without and with faults.
    """
    rows = [
        {
            "chapter": paper,
            "claims": len(own),
            "turned": int((own["verdict"] != own["verdict_with_all"]).sum()),
            "reproduced without": int((own["verdict"] == "reproduced").sum()),
            "reproduced with all": int((own["verdict_with_all"] == "reproduced").sum()),
        }
        for paper, own in table.groupby("paper", sort=False)
    ]
    return pd.DataFrame(rows)


def make(paper: str) -> pd.DataFrame:
    """Run a chapter's experiments with no fault, with all, and as `TAKEN_APART` says.

    Columns as of `evidence`.
    """
    runs = Runs(paper)
    names = set(experiment.used(runs.chapter.parts))
    tables = [runs.evidence(PLAIN), runs.evidence(ALL)]
    tables = [table[table["experiment"].isin(names)] for table in tables]
    for part, sets in TAKEN_APART.get(paper, {}).items():
        names = set(runs.chapter.parts[part].uses)
        for faults in sets:
            table = runs.evidence(faults, [part])
            tables.append(table[table["experiment"].isin(names)])
    return together(paper, tables)


def together(paper: str, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return a chapter's tables of `Runs.evidence` as they stand in `data/faults-verdicts.csv`."""
    table = pd.concat(tables, ignore_index=True)[["faults", *KEPT]]
    table.insert(0, "code", code(paper))
    table.insert(0, "paper", paper)
    return table


def numbers(table: pd.DataFrame) -> dict[str, int]:
    """Return what the page says of `compared`, in words of its own, by the name for its glue."""
    some = table[table["verdict"] != table["verdict_with_all"]]
    of = some.groupby("paper").size()
    overflow = ["prr-overflow" in names for names in some["turned_by"]]
    socket = ["socket" in names for names in some["turned_by"]]
    return {
        "faults_verdicts": len(table),
        "faults_verdicts_turned": len(some),
        **{f"faults_verdicts_turned_{paper}": int(of.get(paper, 0)) for paper in CHAPTERS},
        "faults_verdicts_by_overflow": sum(overflow),
        "faults_verdicts_by_socket": sum(socket),
    }
