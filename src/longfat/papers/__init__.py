"""The papers: what each states, and a package for the science of each.

Here is what they state: claims, parameters, tables and errata, as DataFrames.

The data are `data/papers/<paper>/*.csv`. Everything a paper does not state, but an experiment
needs, is a parameter with the status "assumed".
"""

import csv
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.errors import InputError, nearest
from longfat.papers import plausible
from longfat.papers.plausible import Plausible
from longfat.paths import PAPERS

if TYPE_CHECKING:  # a network of a paper's needs no table
    import pandas as pd


def names() -> list[str]:
    """Return the keys of the papers.

    >>> from longfat import papers
    >>> papers.names()
    ['hybla', 'survey', 'tcpj', 'ucc']
    """
    return sorted(path.name for path in PAPERS.iterdir() if path.is_dir())


def claims(paper: str) -> "pd.DataFrame":
    """Return every claim of a paper, a row a claim.

    Columns: id; paper; where (section or table); statement, in our words; sentence (of the paper,
    in `data/papers/<paper>/sentences.csv`, of which the claim is a part); kind, one of
    `rules.KINDS`; engine (which the claim is about: an engine's name, "arithmetic" or missing);
    rule, one of `rules.RULES`; printed, unit and half_unit (half of the last printed digit's unit,
    or what the wording of "about" allows); margin (a quarter of the printed number, or of the
    printed ratio where it is a gain: how wide an interval may be that agrees with it); threshold
    and threshold_reason, which make a sentence without a number measurable; fitted (what was fitted
    to the number, or missing); measure (what was measured, in words; missing where nothing was
    run); and those of the chapter.
    Raises InputError for an unknown paper.

    >>> from longfat import papers
    >>> papers.claims("tcpj")["id"].head(1).tolist()
    ['tcpj-t2-sack-1e-7']
    """
    return _rows("claims", paper)


def parameters(paper: str) -> "pd.DataFrame":
    """Return the parameters of a paper's experiments and model, a row a parameter.

    Columns: paper, name, value (text: some are no numbers), unit, status (stated or assumed),
    where, note. Raises InputError for an unknown paper.

    >>> from longfat import papers
    >>> papers.parameters("hybla")[["name", "value", "unit", "status"]].head(3)
             name  value      unit  status
    0         rtt   0.55         s  stated
    1        rtt0  0.025         s  stated
    2  max_window    550  segments  stated
    """
    columns = ["name", "value", "unit", "status", "where", "note"]
    return _rows("parameters", paper, usecols=columns, dtype={"value": str})


def ranges(paper: str) -> list[Plausible]:
    """Return what each parameter may have been that a paper does not state, or not for all it does.

    They are for runs in which all that is unknown is drawn at once, and stand beside the values in
    the paper's `parameters.csv`. Raises InputError for an unknown paper, and for an assumption
    whose range is missing, has no source or does not have the value that was taken.

    >>> from longfat import papers
    >>> link_rate = next(one for one in papers.ranges("hybla") if one.name == "link_rate")
    >>> link_rate.low, link_rate.high, link_rate.spacing  # bit/s
    (10000000.0, 1000000000.0, 'log')
    """
    return plausible.read(_path("parameters", paper))


def value(paper: str, name: str) -> float:
    """Return a numeric parameter of a paper, in its unit.

    Raises InputError for an unknown paper or name, and for a value that is not a number.

    >>> from longfat import papers
    >>> papers.value("hybla", "rtt")  # in s
    0.55
    """
    stated = text(paper, name)
    try:
        return float(stated)
    except ValueError:
        raise InputError(f"{paper}: {name} is '{stated}', not a number") from None


def text(paper: str, name: str) -> str:
    """Return a parameter of a paper as its file has it. Errors as those of `value`."""
    known = _values(paper)
    if name not in known:
        raise InputError(
            f"name is '{name}': parameters of {paper} are {', '.join(known)}."
            f"{nearest(name, list(known))}"
        )
    return known[name]


@functools.cache
def _values(paper: str) -> dict[str, str]:
    """Read a paper's parameters by their names, without pandas: networks need them, too."""
    values: dict[str, str] = {}
    with _path("parameters", paper).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            values.setdefault(row["name"], row["value"])  # what is stated twice is so alike
    return values


SORTS = ("slip of the text", "remark on the model", "remark for implementers")


def errata(paper: str) -> "pd.DataFrame":
    """Return what a paper prints and cannot mean, or means and cannot hold, a row a finding.

    Columns: paper, where, sort (one of `SORTS`), printed, correct, proof in a sentence, effect (how
    large it is, of a remark on the model), claim (the ids of claims that it contradicts, with
    spaces between); formulas are in LaTeX between dollar signs.
    Raises InputError for an unknown paper.

    >>> from longfat import papers
    >>> papers.errata("hybla")["where"].head(3).tolist()
    ['(14)', '(34)', '(39)']
    """
    return _rows("errata", paper)


def table(paper: str, number: int) -> "pd.DataFrame":
    """Return a numbered table of a paper.

    A table of claims comes in the paper's form: a row a transfer, columns (metric, method), or a
    row a protocol, a column a bit error rate, values in per cent; a table of parameters has columns
    name, value, unit.
    Raises InputError for an unknown paper or table.

    >>> from longfat import papers
    >>> papers.table("hybla", 1).head(3)
              name value      unit
    0   max_window   550  segments
    1  packet_size  1000     bytes
    2       buffer  1000   packets
    """
    where = f"table {number}"
    stated, given = claims(paper), parameters(paper)
    if where in set(stated["where"]):
        chosen = stated[stated["where"] == where]
        if "protocol" in chosen:
            wide = chosen.pivot(index="protocol", columns="bit_error_rate", values="printed")
            return wide.loc[chosen["protocol"].unique()]
        wide = chosen.pivot(index="transfer", columns=["metric", "method"], values="printed")
        return wide.loc[chosen["transfer"].unique()]
    chosen = given[(given["where"] == where) & (given["status"] == "stated")]
    if chosen.empty:
        import pandas as pd

        known = pd.concat([stated["where"], given["where"]])
        known = sorted(set(known[known.str.fullmatch(r"table \d+")]))
        raise InputError(f"{paper} has no table {number} here: there are {', '.join(known)}")
    return chosen[["name", "value", "unit"]].reset_index(drop=True)


def data(paper: str, name: str) -> "pd.DataFrame":
    """Return another table of a paper, as its file `name`.csv has it.

    Raises InputError for an unknown paper or table.

    >>> from longfat import papers
    >>> papers.data("survey", "paths").head(2)
          name  rate_mbps  distance_km  rtt_s
    0    JAPAN        600         8000    0.1
    1  EARTH^2        120        40000    NaN
    """
    return _rows(name, paper).drop(columns="paper")


def _rows(kind: str, paper: str, **options: Any) -> "pd.DataFrame":
    path = _path(kind, paper)
    import pandas as pd

    return pd.read_csv(path, **options).assign(paper=paper)


def _path(kind: str, paper: str) -> Path:
    known = sorted(path.parent.name for path in PAPERS.glob(f"*/{kind}.csv"))
    if paper not in known:
        raise InputError(
            f"paper is '{paper}': {kind} are there for {', '.join(known)}.{nearest(paper, known)}"
        )
    return PAPERS / paper / f"{kind}.csv"
