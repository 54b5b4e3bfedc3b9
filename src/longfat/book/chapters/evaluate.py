"""The page on report cards: all senders by the criteria of RFC 9743, and the criteria."""

import pandas as pd

from longfat.book import show
from longfat.book.chapters.cross_check_charts import label
from longfat.errors import InputError
from longfat.experiment import Chapter, Runs, Table
from longfat.studies import evaluation, evaluation_claims

VERDICTS = ("better", "equal", "open", "worse")


def cards(runs: Runs) -> pd.DataFrame:
    """Return each sender's criteria beside CUBIC: id, criterion, verdict, change, low, high, path.

    A row a sender and criterion, at its least favourable path.
    """
    table = runs.points(evaluation.LEAGUE)
    found = [
        evaluation.compared(table, sender, evaluation.STANDARD).assign(id=sender)
        for sender in table["sender"].unique()
        if sender != evaluation.STANDARD
    ]
    every = pd.concat(found, ignore_index=True)
    return every[every["decides"]].reset_index(drop=True)


def league(runs: Runs) -> pd.DataFrame:
    """Return a row a sender: how many criteria have each verdict, and which are better and worse.

    Those with the fewest worse ones come first.
    """
    found = runs.derived(cards)
    counts = found.pivot_table(
        index="id", columns="verdict", values="runs", aggfunc="count", fill_value=0
    ).reindex(columns=VERDICTS, fill_value=0)
    for verdict in ("better", "worse"):
        own = found[found["verdict"] == verdict].groupby("id")["criterion"]
        counts[f"{verdict} at"] = own.agg(", ".join).reindex(counts.index).fillna("none")
    order = counts.sort_values(["worse", "better"], ascending=[True, False], kind="stable")
    shown = order.reset_index().rename(columns={"id": "sender"})
    return shown.assign(sender=shown["sender"].map(label))


def every_card(runs: Runs) -> pd.DataFrame:
    """Return every sender's card as the page shows it: what decides each verdict of `league`."""
    found = runs.derived(cards)
    times = found["is_ratio"].map(
        {True: "{:.3g} times [{:.3g}, {:.3g}]", False: "{:+.3g} [{:.3g}, {:.3g}]"}
    )
    return pd.DataFrame(
        {
            "sender": found["id"].map(label),
            "criterion": found["criterion"],
            "verdict": found["verdict"],
            "beside CUBIC": [
                shape.format(*numbers)
                for shape, *numbers in zip(
                    times, found["change"], found["low"], found["high"], strict=True
                )
            ],
            "measured": found["measure"],
            "path": found["path"],
        }
    )


def known(runs: Runs) -> pd.DataFrame:
    """Return what RFCs and drafts say of known senders, with the verdict, in a reader's words."""
    told = show.worded_verdicts(runs.derived(evaluation_claims.judged))
    return told[["where", "claim", "measured", "verdict", "reason"]]


def criteria(runs: Runs) -> pd.DataFrame:
    """Return the criteria: criterion, section of the RFC, question, what is measured, paths."""
    del runs
    return pd.DataFrame(
        [
            {
                "criterion": one.name,
                "RFC 9743": one.section,
                "question": one.question,
                "measured": one.measure,
                "better is": "more" if one.more else "less",
                "paths": "; ".join(one.paths),
            }
            for one in evaluation.criteria()
        ]
    )


def left_out(runs: Runs) -> pd.DataFrame:
    """Return what the RFC asks and is not simulated: section, reason."""
    del runs
    rows = evaluation.NOT_SIMULATED.items()
    return pd.DataFrame(rows, columns=["RFC 9743", "why it is not simulated"])


def chapter(profile: str = "paper") -> Chapter:
    """Return the page. Raises InputError for the profile "quick": the league has none."""
    if profile != "paper":
        raise InputError(f"profile is '{profile}': the league has only paper")
    return Chapter(
        name="evaluate",
        setting=None,
        experiments=(evaluation.league(), evaluation_claims.known()),
        figures=(
            Table(
                name="evaluate-league",
                uses=(evaluation.LEAGUE,),
                data=league,
                formats={"*": "{:.0f}"},
                caption="Every sender beside CUBIC, by the criteria of RFC 9743",
            ),
            Table(
                name="evaluate-cards",
                uses=(evaluation.LEAGUE,),
                data=every_card,
                caption="What decides each verdict of the league",
            ),
            Table(
                name="evaluate-known",
                uses=(evaluation.LEAGUE, evaluation_claims.KNOWN),
                data=known,
                caption="What RFCs and drafts say of senders that are known, held against runs",
            ),
            Table(
                name="evaluate-losses",
                uses=(evaluation_claims.KNOWN,),
                data=evaluation_claims.losses,
                formats={"*": "{:.3g}"},
                caption="Segments that four flows of a kind send again (%), by the buffer in times "
                f"of what the path holds; means of {evaluation.LEAGUE_SEEDS} runs",
            ),
            Table(
                name="evaluate-criteria",
                data=criteria,
                caption="The criteria, and the paths on which they are judged",
            ),
            Table(
                name="evaluate-left-out",
                data=left_out,
                caption="What the RFC asks and no run here answers",
            ),
        ),
        claims=Table(
            name="evaluate-verdicts",
            uses=(evaluation.LEAGUE, evaluation_claims.KNOWN),
            data=lambda runs: runs.derived(evaluation_claims.judged),
            caption="What RFCs and drafts say of senders that are known, judged",
        ),
    )
