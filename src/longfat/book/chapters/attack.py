"""The page on attacks: failures that the literature knows, found from nothing."""

from html import escape

import pandas as pd

from longfat.book import laboratory
from longfat.book.chapters.cross_check_charts import label
from longfat.errors import InputError
from longfat.experiment import Chapter, Runs, Table
from longfat.studies import attack

NOTHING = "none was found"
MEASURED = {
    "goodput": ("share", "{:.0%} of its part of the link, where NewReno has {:.0%}"),
    "neighbour": ("neighbour", "leaves its neighbours {:.1%} of their part, NewReno {:.0%}"),
    "progress": ("silence_s", "{:.1f} s without progress, NewReno {:.1f} s"),
    "delay": ("rtt_s", "round trips of {:.2f} s, NewReno's of {:.2f} s"),
}


def known(runs: Runs) -> pd.DataFrame:
    """Return the known failures: what the literature says, the path found, and what came of it.

    A row a failure; values are means of all seeds, and `seeds` counts those in which the promise
    is broken. Where the search found nothing, path is `NOTHING` and the rest empty.
    """
    tables = {engine: runs.points(name) for engine, name in attack.ARCHIVES.items()}
    found = attack.findings().set_index("name")
    rows = []
    for one in attack.KNOWN:
        row = {
            "failure": f"{one.says[0].upper()}{one.says[1:]} {{cite:p}}`{one.source}`",
            "sender": label(one.sender),
            "tried": found.loc[one.name, "tried"],
        }
        if found.loc[one.name, "holds"]:
            table = tables[one.engine]
            row |= _found(one, table[table["name"] == one.name])
        else:
            row["path"] = NOTHING
        rows.append(row)
    return pd.DataFrame(rows).fillna("").rename(columns={"tried": "paths tried"})


def _found(one: attack.Known, runs: pd.DataFrame) -> dict[str, object]:
    """Return the path of a finding, and what the sender and NewReno have there."""
    by_seed = runs.set_index(["sender", "seed"]).sort_index()
    numbers = {name: float(runs[name].iloc[0]) for name in attack.PLAIN}
    numbers = {name: value for name, value in numbers.items() if value != attack.PLAIN[name]}
    own, standard = (
        by_seed.loc[sender].to_dict("index") for sender in (one.sender, attack.STANDARD)
    )
    margin = attack.promise(one.promise).margin
    broken = [seed for seed in own if margin(own[seed], standard[seed]) < 0]
    column, said = MEASURED[one.promise]
    means = [by_seed.loc[sender, column].mean() for sender in (one.sender, attack.STANDARD)]
    see = ""
    if one.engine == "segment":
        address = laboratory.address(attack.scenario(one.sender, 1, **numbers))
        see = f'<a href="{escape(address)}">run it</a>'
    return {
        "path": "; ".join(attack.path_in_words(numbers, brief=True)) or "the plain one",
        "what came of it": said.format(*means),
        "seeds": f"{len(broken)} of {len(own)}",
        "see": see,
    }


def numbers(runs: Runs) -> pd.DataFrame:
    """Return the numbers of a path: what each is, on a plain path, and from where to where."""
    del runs
    return pd.DataFrame(
        [
            {
                "number": f"`{one.name}`",
                "meaning": one.meaning,
                "unit": one.unit,
                "plain": f"{one.default:g}",
                "searched": f"{min(one.low, one.default):g} to {max(one.high, one.default):g}",
            }
            for one in attack.NUMBERS
        ]
    )


def promises(runs: Runs) -> pd.DataFrame:
    """Return the promises: the name, and when it is broken."""
    del runs
    return pd.DataFrame([{"promise": one.name, "broken": one.broken} for one in attack.PROMISES])


def chapter(profile: str = "paper") -> Chapter:
    """Return the page. Raises InputError for the profile "quick": the findings have none."""
    if profile != "paper":
        raise InputError(f"profile is '{profile}': the findings have only paper")
    return Chapter(
        name="attack",
        setting=None,
        experiments=tuple(map(attack.known_runs, attack.ARCHIVES)),
        figures=(
            Table(
                name="attack-known",
                uses=tuple(attack.ARCHIVES.values()),
                data=known,
                formats={"paths tried": "{:.0f}"},
                caption="Failures that the literature knows, each found from nothing",
            ),
            Table(
                name="attack-promises",
                data=promises,
                caption="What a sender should not do where NewReno does not",
            ),
            Table(
                name="attack-numbers",
                data=numbers,
                caption="The numbers of a path, among which the search goes",
            ),
        ),
    )
