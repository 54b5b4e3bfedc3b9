"""All papers' verdicts as pages show them: the scoreboard, its pictures, how ten came about."""

import functools
import html
import json
import math
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, paths, store, style
from longfat.book import show
from longfat.errors import InputError
from longfat.experiment import Chapter
from longfat.verdicts import joint, wording
from longfat.verdicts import rules as verdict_rules
from longfat.verdicts.joint import LARGEST_SET
from longfat.verdicts.judge import JUDGED_COLUMNS

DRAWN, SEED = 10, 19  # of the claims that are told step by step
NUMBERS = (
    *("printed", "measured", "low", "high", "runs", "range_low", "range_high"),
    *("bound_low", "bound_high", "decides", "threshold", "turns_at"),
    *("share", "share_low", "share_high", "settings"),
)


VERDICTS = paths.DATA / "verdicts.csv"


def verdicts() -> pd.DataFrame:
    """Return every claim of every paper with what was measured and the verdict.

    They are in `data/verdicts.csv`, which `longfat judge` writes. Columns: paper and
    `JUDGED_COLUMNS`.
    """
    table = _verdicts(VERDICTS)
    return table[table["paper"].isin(papers.names())].reset_index(drop=True)


def of_chapter(name: str) -> pd.DataFrame:
    """Return the claims that a chapter judges, as `verdicts` does: a paper's, or of others'
    findings that a study holds against its runs ("paper" is then the study's name).
    """
    table = _verdicts(VERDICTS)
    return table[table["paper"] == name].reset_index(drop=True)


@functools.cache
def _verdicts(path: Path) -> pd.DataFrame:
    texts = ("reason", "unit", "measure", "at", "stated_engine", "engine", "turned_by")
    table = pd.read_csv(path, dtype=dict.fromkeys(NUMBERS, float)).astype(
        dict.fromkeys(texts, object)
    )
    table = table.fillna(dict.fromkeys(texts[1:], ""))
    return table.assign(evidence=[json.loads(text) for text in table["evidence"]])


def judged(chapter: Chapter) -> pd.DataFrame:
    """Return a chapter's claims, judged now, as `verdicts` has them: numbers in six digits."""
    if chapter.claims is None:
        raise InputError(f"{chapter.name} has no claims")
    found = chapter.data(chapter.claims)
    rows = [
        {"paper": chapter.name} | {name: _plain(row[name]) for name in JUDGED_COLUMNS}
        for row in found.to_dict("records")
    ]
    table = pd.DataFrame(rows, columns=["paper", *JUDGED_COLUMNS])
    return table.astype(dict.fromkeys(NUMBERS, float) | {"reason": object})


def write(judgements: pd.DataFrame) -> None:
    """Write a chapter's judged claims into `data/verdicts.csv`, for those that were there."""
    others = _verdicts(VERDICTS) if VERDICTS.exists() else judgements.head(0)
    others = others[~others["paper"].isin(judgements["paper"])]
    table = pd.concat([others, judgements]).sort_values("paper", kind="stable")
    table = table[judgements.columns]
    evidence = [json.dumps(rows, ensure_ascii=False, sort_keys=True) for rows in table["evidence"]]
    table = table.assign(evidence=evidence)
    table.to_csv(VERDICTS, index=False, lineterminator="\n", float_format="%.6g")
    _verdicts.cache_clear()


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers in six digits, None for what is missing or endless."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, int | float | np.number):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return None if pd.isna(value) else value


def sentences() -> pd.DataFrame:
    """Return every sentence of every paper that is judged, with its parts.

    Columns: paper; sentence; where; statement; kind; verdict, that of all its parts or "mixed"; and
    parts, the rows of `verdicts`.
    """
    table = verdicts()
    stated = {
        (paper, row.sentence): row
        for paper in papers.names()
        for row in papers.data(paper, "sentences").itertuples()
    }
    rows = []
    for names, own in table.groupby(["paper", "sentence"], sort=False):
        parts = own.to_dict("records")
        one = stated.get(names, next(own.itertuples()))
        kinds = [(part["kind"], part["verdict"]) for part in parts]
        row = dict(zip(("paper", "sentence"), names, strict=True))
        row |= {"where": one.where, "statement": one.statement}
        row["kind"] = verdict_rules.sentence_kind(kind for kind, _ in kinds)
        rows.append(row | {"verdict": verdict_rules.sentence_verdict(kinds), "parts": parts})
    return pd.DataFrame(rows)


def verdict_counts() -> pd.DataFrame:
    """Return how many sentences of each paper ended how, and of all of them: a column a verdict."""
    return _counts(sentences(), "paper", "all papers", "sentences")


def verdict_counts_by_kind() -> pd.DataFrame:
    """Return how many claims, the parts of sentences, ended how, by what kind of claim they are."""
    return _counts(verdicts(), "kind", "all kinds", "claims")


def _counts(table: pd.DataFrame, by: str, total: str, what: str) -> pd.DataFrame:
    ended = table["verdict"].map(verdict_rules.verdict_class).rename("verdict")
    counts = pd.crosstab(table[by], ended)
    columns = [verdict for verdict in (*verdict_rules.VERDICTS, "mixed") if verdict in counts]
    rows = [kind for kind in verdict_rules.KINDS if kind in counts.index]
    counts = counts.reindex(columns=columns, index=rows or counts.index)
    counts.loc[total] = counts.sum()
    return counts.assign(**{what: counts.sum(axis=1)}).rename_axis(by).reset_index()


def verdict_settings() -> pd.DataFrame:
    """Return of how many measured claims the settings were varied in which way: a row a paper.

    Columns: paper; measured claims; at joint settings, which decide; one at a time; not varied,
    where the stated setting alone decides; without runs.
    """
    table = verdicts()
    table = table[table["kind"] == "measured"]
    one_by_one = [any(one["parameter"] for one in rows or []) for rows in table["evidence"]]
    ways = np.select(
        [table["settings"] > 0, one_by_one, table["measured"].notna()],
        ["at joint settings", "one parameter at a time", "not varied"],
        default="without runs",
    )
    counts = pd.crosstab(table["paper"], ways).reindex(
        columns=["at joint settings", "one parameter at a time", "not varied", "without runs"],
        fill_value=0,
    )
    counts.loc["all papers"] = counts.sum()
    counts.insert(0, "measured claims", counts.sum(axis=1))
    return counts.rename_axis("paper").reset_index()


def kinds() -> pd.DataFrame:
    """Return the kinds of claims and what they say of a verdict: a row each."""
    return pd.DataFrame(verdict_rules.KINDS.items(), columns=["kind", "what a verdict means"])


def rules() -> pd.DataFrame:
    """Return the rules by which claims are judged, from the code that applies them: a row each."""
    return pd.DataFrame(verdict_rules.RULES.items(), columns=["rule", "what it says"])


def scoreboard() -> pd.DataFrame:
    """Return `sentences` as a reader sees them, a row a sentence, with a picture of each part."""
    return pd.DataFrame(
        {
            "paper": row["paper"],
            "kind": row["kind"],
            "claim": f"{row['where']}: {row['statement']}",
            **_shown(row["parts"]),
            "verdict": row["verdict"],
        }
        for row in sentences().to_dict("records")
    )


def _shown(parts: list[dict]) -> dict[str, str]:
    """Return what a sentence's row says of its parts: of one all, of more how many ended how."""
    table = pd.DataFrame(parts)
    worded = show.worded_verdicts(table)
    told = [
        {
            "measured": f"{picture(part)} printed {printed}, measured {measured}",
            "reason": _reason(row),
        }
        for part, row, printed, measured in zip(
            parts, table.itertuples(), worded["printed"], worded["measured"], strict=True
        )
    ]
    if len(told) == 1:
        return {"printed and measured": told[0]["measured"], "reason": told[0]["reason"]}
    ended = table["verdict"].map(verdict_rules.verdict_class)
    counts = ended.value_counts().reindex(verdict_rules.VERDICTS).dropna().astype(int)
    beneath = "".join(
        f"<li><strong>{verdict}</strong>: {statement} {one['measured']}. {one['reason']}</li>"
        for verdict, statement, one in zip(ended, table["statement"], told, strict=True)
    )
    return {
        "printed and measured": ", ".join(f"{count} {name}" for name, count in counts.items()),
        "reason": f"<details><summary>{len(told)} parts</summary><ul>{beneath}</ul></details>",
    }


def _reason(row: Any) -> str:
    """Return the reason of a verdict, with what it depends on, and folded what settings do.

    Where joint settings decide, the reason itself says what it depends on.
    """
    reason = row.reason if isinstance(row.reason, str) else ""
    if verdict_rules.verdict_class(row.verdict) == "depends" and not row.settings > 0:
        on = wording.worded(row.verdict, most=LARGEST_SET).removeprefix("depends on ")
        reason = f"Depends on **{on}**. {reason}"
    if verdict_rules.is_near(row.rule, row.threshold, row.turns_at):
        reason = f"**Hangs on our threshold.** {reason}"
    return f"{reason} {_folded(row)}".strip()


def _folded(row: Any) -> str:
    """Return, folded, what each engine says as stated and at other settings, one by one.

    The engine that decides comes first.
    """
    evidence = sorted(row.evidence or [], key=lambda one: one["engine"] != row.engine)
    told = []
    for engine in dict.fromkeys(one["engine"] for one in evidence):
        own = [one for one in evidence if one["engine"] == engine]
        settings = [
            f"*{style.label(name)}*: {', '.join(_said(one) for one in rows)}"
            for name in dict.fromkeys(one["parameter"] for one in own if one["parameter"])
            if (rows := [one for one in own if one["parameter"] == name])
        ]
        stated = [f"{SAID[one['says']]} as stated ({_value(one, row.unit)})" for one in own][:1]
        stated = stated if not own[0]["parameter"] else []
        told.append(f"**{wording.ENGINE_NAMES[engine]}** {'; '.join([*stated, *settings])}")
    count = sum(bool(one["parameter"]) for one in evidence)
    if not count and len(told) < 2:
        return ""
    what = {0: "each engine", 1: "one other setting"}
    summary = what.get(count, f"{count} other settings, one parameter varied at a time")
    return f"<details><summary>{summary}</summary>{'. '.join(told)}.</details>"


def _said(one: dict) -> str:
    return f"{SAID[one['says']]} with {one['setting']}"


def _value(one: dict, unit: str) -> str:
    return f"{style.number(one['measured'])} {unit}".strip()


SAID = {"holds": "holds", "fails": "fails", "tie": "is a tie", "open": "stays open"}


# --- a claim as a picture

WIDTH, HEIGHT, MARGIN = 240, 46, 34
MARKS = {
    "segment": '<circle cx="{x}" cy="{y}" r="3.4" fill="{c}"/>',
    "ns3": '<rect x="{x0}" y="{y0}" width="6" height="6" fill="{c}"/>',
    "linux": '<path d="M{x0} {y1}h7l-3.5 -6.6z" fill="{c}"/>',
    "ns2": '<path d="M{x} {y0}l3.6 3.6l-3.6 3.6l-3.6 -3.6z" fill="{c}"/>',
    "arithmetic": '<path d="M{x0} {y0}l6 6m0 -6l-6 6" stroke="{c}" stroke-width="1.6"/>',
}


def picture(row: dict[str, Any]) -> str:
    """Return a claim as a small drawing (SVG): what was printed, what was measured, on one axis.

    `row` is one of `verdicts`. A grey band is where the claim holds, a grey diamond the printed
    number; each engine's mark stands on its 95 % interval; a thin line beneath spans what the
    plausible settings make of it. Empty where nothing was measured.
    """
    measured = [one for one in row["evidence"] or [] if not one["parameter"]]
    if not measured and row["measured"] == row["measured"]:  # without the evidence's rows
        measured = [{"engine": "segment", **{key: row[key] for key in ("measured", "low", "high")}}]
    if not measured:
        return ""
    printed = _number(row["printed"])
    known = [_number(one[key]) for one in measured for key in ("measured", "low", "high")]
    known += [_number(value) for value in (printed, row["range_low"], row["range_high"])]
    bounds = [_number(row["bound_low"]), _number(row["bound_high"])]
    place, ends = _axis([value for value in known + bounds if value is not None])
    left, right = (
        place(bound) if bound is not None else edge
        for bound, edge in zip(bounds, (0, WIDTH), strict=True)
    )
    parts = []
    if any(bound is not None for bound in bounds):
        shape = f'x="{left:.1f}" y="2" width="{max(right - left, 1.5):.1f}" height="26"'
        parts.append(f'<rect {shape} fill="currentColor" opacity="0.13"/>')
    parts.append(f'<path d="M0 30h{WIDTH}" stroke="currentColor" opacity="0.5"/>')
    spread = [_number(row["range_low"]), _number(row["range_high"])]
    if spread[0] is not None and spread[1] is not None and spread[0] < spread[1]:
        parts.append(_line(place(spread[0]), place(spread[1]), 26.5, "currentColor", 0.8))
    if printed is not None:
        x = place(printed)
        diamond = f"M{x:.1f} 1.5l3.5 4l-3.5 4l-3.5 -4z"
        parts.append(f'<path d="{diamond}" fill="#8c8c8c"/>')
    rows = len(measured)
    for number, one in enumerate(measured):
        y = 6 + 17 * (number + 1) / (rows + 1)
        color = style.ENGINE_STYLE.get(one["engine"], {"color": "currentColor"})["color"]
        low, high = _number(one["low"]), _number(one["high"])
        if low is not None and high is not None:
            parts.append(_line(place(low), place(high), y, color, 1.6))
        x = place(float(one["measured"]))
        around = {"x": x, "y": y, "x0": x - 3, "y0": y - 3, "y1": y + 3}
        numbers = {name: f"{value:.1f}" for name, value in around.items()}
        parts.append(MARKS[one["engine"]].format(c=color, **numbers))
    for value, anchor in zip(ends, ("start", "end"), strict=True):
        x = place(value)
        text = style.number(value, form="text").replace("-", "−")
        parts.append(f'<path d="M{x:.1f} 30v3" stroke="currentColor"/>')
        label = f'<text x="{x:.1f}" y="43" font-size="10" text-anchor="{anchor}"'
        parts.append(f'{label} fill="currentColor">{text}</text>')
    unit = f" {row['unit']}" if row["unit"] else ""
    said = "; ".join(
        f"{wording.ENGINE_NAMES[one['engine']]} {one['measured']:.3g}{unit}" for one in measured
    )
    said = f"printed {printed:g}{unit}; {said}" if printed is not None else said
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    name = html.escape(said, quote=True)
    return f'<svg class="claim" role="img" aria-label="{name}" {size}>{"".join(parts)}</svg>'


def _number(value: Any) -> float | None:
    """Return a finite number, or None for what is missing."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(value)


def _axis(values: list[float]) -> tuple[Callable[[float], float], tuple[float, float]]:
    """Return where a value stands on the axis (pixels), and the two values that it names.

    Logarithmic where all are above 0 and the largest is more than fifty times the smallest.
    """
    low, high = min(values), max(values)
    logarithmic = low > 0 and high > 50 * low
    scale = math.log if logarithmic else float
    if low == high:
        low, high = low - abs(low or 1) / 2, high + abs(high or 1) / 2
    start, length = scale(low), scale(high) - scale(low)

    def place(value: float) -> float:
        return MARGIN / 2 + (WIDTH - MARGIN) * (scale(value) - start) / length

    return place, (low, high)


def _line(start: float, end: float, y: float, color: str, width: float) -> str:
    path = f"M{start:.1f} {y:.1f}H{max(end, start + 0.5):.1f}"
    return f'<path d="{path}" stroke="{color}" stroke-width="{width}"/>'


# --- before and after


def verdicts_before_and_after() -> pd.DataFrame:
    """Return the claims whose verdict turned when all was computed again by the transport core.

    What was judged of the engine before is `data/verdicts-before.csv`, what of the core, by the
    same rules, `data/verdicts-old-rules.csv`, and why it turned `data/verdicts-changed.csv`.
    Columns: paper; claim; before and now, the verdicts, each with what was measured at the point
    that decides and its 95 % interval; reason.
    """
    before, now = _kept("before"), _kept("old-rules").drop(columns="engine")
    both = before.merge(now, on="id", suffixes=("_before", "")).merge(_kept("changed"), how="left")
    both = both[both["verdict"] != both["verdict_before"]].merge(verdicts()[_CLAIM])
    return pd.DataFrame(
        {
            "paper": both["paper"],
            "claim": both["where"] + ": " + both["statement"],
            "before": _with_numbers(both, "_before"),
            "now": _with_numbers(both, ""),
            "reason": both["reason_of_change"],
        }
    ).reset_index(drop=True)


def verdicts_changed() -> pd.DataFrame:
    """Return how many claims went from which verdict to which by the core: a row a pair."""
    return _pairs(_kept("before"), _kept("old-rules"))


def verdicts_turned_by_rules() -> pd.DataFrame:
    """Return the claims whose verdict is another by the new rules, and by more runs since.

    Columns: paper; claim; before and now, each with its number and engine; by, the rules that
    turned it (`data/verdicts-changed-by-rules.csv`).
    """
    turned = _kept("changed-by-rules").drop(columns=["before", "now"])
    both = turned.rename(columns={"rule": "by"}).merge(verdicts(), on="id")
    both = both.merge(_kept("old-rules"), on="id", suffixes=("", "_before"))
    return pd.DataFrame(
        {
            "paper": both["paper"],
            "claim": both["where"] + ": " + both["statement"],
            "before": _with_numbers(both, "_before", engine=True),
            "now": _with_numbers(both, "", engine=True),
            "by": both["by"],
        }
    )


def verdicts_turned_since() -> pd.DataFrame:
    """Return the claims that are younger than the new rules and whose verdict is another since.

    Columns: paper (or study); claim; before; now, with its number and engine; by, what turned it
    (`data/verdicts-changed-since.csv`, which has their verdicts when they were first judged).
    """
    turned = _kept("changed-since").drop(columns="now")
    both = turned.merge(_verdicts(VERDICTS), on="id")
    return pd.DataFrame(
        {
            "paper": both["paper"],
            "claim": both["where"] + ": " + both["statement"],
            "before": both["before"].map(wording.worded),
            "now": _with_numbers(both, "", engine=True),
            "by": both["by"],
        }
    )


def verdicts_changed_by_rules() -> pd.DataFrame:
    """Return how many claims went from which verdict to which by the rules: a row a pair."""
    return _pairs(_kept("old-rules"), verdicts())


_CLAIM = ["id", "paper", "where", "statement"]


def _kept(name: str) -> pd.DataFrame:
    return pd.read_csv(paths.DATA / f"verdicts-{name}.csv")


def _with_numbers(table: pd.DataFrame, suffix: str, engine: bool = False) -> list[str]:
    names = ("verdict", "measured", "low", "high", *(["engine"] if engine else []))
    rows = table[[name + suffix for name in names]].itertuples(index=False)
    return [
        f"{wording.worded(verdict)}: {value:.3g} [{low:.3g}, {high:.3g}]"
        + "".join(f" ({wording.ENGINE_NAMES.get(name, name)})" for name in on)
        for verdict, value, low, high, *on in rows
    ]


def _pairs(before: pd.DataFrame, now: pd.DataFrame) -> pd.DataFrame:
    both = before.merge(now, on="id", suffixes=("_before", ""))
    classes = pd.DataFrame(
        {
            one: both[of].map(verdict_rules.verdict_class).replace("depends", "depends on …")
            for one, of in (("before", "verdict_before"), ("now", "verdict"))
        }
    )
    counts = classes.value_counts(sort=True).rename("claims").reset_index()
    return counts.sort_values("claims", ascending=False, kind="stable").reset_index(drop=True)


# --- step by step


def drawn() -> pd.DataFrame:
    """Return ten claims that have evidence, drawn by a seed."""
    table = verdicts()
    known = table[[bool(rows) for rows in table["evidence"]]]
    return known.sample(min(DRAWN, len(known)), random_state=SEED).reset_index(drop=True)


def steps() -> str:
    """Return, in Markdown, how the verdicts on the `drawn` claims came about.

    Each has the sentence, the rule, where it holds, what each engine says at each
    setting (with its runs to download), and the verdict.
    """
    parts = [_steps(number, row) for number, row in enumerate(drawn().to_dict("records"), 1)]
    return "\n\n".join(parts) or "No chapter has evidence yet."


def _steps(number: int, row: dict[str, Any]) -> str:
    unit = f" {row['unit']}" if row["unit"] else ""
    low, high = (_number(row[key]) for key in ("bound_low", "bound_high"))
    at_least = f"at least {style.number(low)}" if low is not None else ""
    at_most = f"at most {style.number(high)}" if high is not None else ""
    holds = " and ".join(filter(None, (at_least, at_most)))
    measure = row["measure"]
    so = f"So the number to measure is {holds}{unit}."
    lines = [
        f"## {number}. {row['paper']}, {row['where']}",
        f"**The sentence.** {row['statement']}",
        f"**The rule.** It is judged as *{row['rule']}*. {verdict_rules.RULES[row['rule']]} {so}",
        f"**What is measured.** {measure[0].upper()}{measure[1:]}." if measure else "",
        picture(row),
        _joint_table(row),
        "**What was measured at the stated setting, and with one parameter varied at a time.**"
        if row["settings"] > 0
        else "**What was measured.**",
        _table(row),
        f"**The verdict: {wording.worded(row['verdict'], most=9)}.** {row['reason']}",
    ]
    return "\n\n".join(filter(None, lines))


def _joint_table(row: dict[str, Any]) -> str:
    """Return at how many joint settings a claim holds, engine by engine, if these decide it."""
    if not row["settings"] > 0:
        return ""
    table = joint.written()
    table = table[table["id"] == row["id"]]
    first = joint.deciding(table, pd.DataFrame([{"id": row["id"], "engine": row["stated_engine"]}]))
    ordered = pd.concat([first, table.drop(first.index)]).to_dict("records")
    lines = [
        "**All that the paper leaves open varied at once**, which decides: the first row.",
        "",
        "| engine | settings | holds | fails | ties | open | that is |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in ordered:
        numbers = " | ".join(str(number) for number in joint.counts(one).values())
        name = wording.ENGINE_NAMES[one["engine"]]
        lines.append(f"| {name} | {one['settings']} | {numbers} | {one['joint_verdict']} |")
    return "\n".join(lines)


def _table(row: dict[str, Any]) -> str:
    measured = f"measured ({row['unit']})" if row["unit"] else "measured"
    heads = ["engine", "setting", measured, "95 % interval"]
    heads += ["least favourable point", "the claim", "runs", "data"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for one in row["evidence"]:
        varied = f"{style.label(one['parameter'])}: {one['setting']}"
        interval = "–"
        if None not in (_number(one["low"]), _number(one["high"])) and one["low"] < one["high"]:
            interval = f"{style.number(one['low'])} to {style.number(one['high'])}"
        known = {*store.experiments(), *store.points()}
        data = [f"`{name}`" for name in one["experiment"].split() if name in known]
        cells = (
            wording.ENGINE_NAMES[one["engine"]],
            varied if one["parameter"] else "as stated",
            style.number(one["measured"]),
            interval,
            one["at"] or "–",
            SAID[one["says"]],
            _runs(one),
            ", ".join(data) or "–",
        )
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(lines)


def _runs(one: dict) -> str:
    """Return how many runs a number is of, as a link to their scenarios."""
    if not one["experiment"]:
        return "–"
    return f"{{download}}`{one['runs']:.0f} </_longfat/{runs_name(one)}.json.gz>`"


def runs_name(one: dict) -> str:
    """Return the name of the file with the scenarios behind a number of the evidence."""
    point = _point(one["at"])
    names = [*one["experiment"].split(), one["engine"]]
    return "-".join(["runs", *names, *([] if point is None else [f"{point:g}"])])


def drawn_runs() -> dict[str, str]:
    """Return the scenarios behind each number of `steps`: a JSON list by `runs_name`.

    They are the archived runs of its experiment on its engine at its point. An experiment that
    varies more than one thing has those of its other settings there too.
    """
    found = {}
    for row in drawn().to_dict("records"):
        for one in row["evidence"]:
            if one["experiment"] and (name := runs_name(one)) not in found:
                scenarios = [
                    scenario
                    for experiment in one["experiment"].split()
                    for scenario in _scenarios(experiment, one["engine"], _point(one["at"]))
                ]
                found[name] = f"[{','.join(scenarios)}]"
    return found


def _scenarios(experiment: str, engine: str, point: float | None) -> list[str]:
    table = _runs_of(experiment)
    table = table[table["engine"] == engine]
    labels = [name for name in table.columns if name not in store.RUN_COLUMNS]
    if point is None:
        return table["scenario"].tolist()
    for name in labels:
        if pd.api.types.is_numeric_dtype(table[name]):
            there = np.isclose(table[name], point)
            if there.any():
                return table["scenario"][there].tolist()
    return table["scenario"].tolist()


def _runs_of(experiment: str) -> pd.DataFrame:
    """Return an archive's runs with their scenarios, which one of points does not keep."""
    if experiment not in store.points():
        return store.read_table(experiment, "runs")
    table, line = store.read_table(experiment, "points"), store.provenance()[experiment]
    make = pkgutil.resolve_name(line["points"]).scenario
    scenarios = [make(row).canonical_json() for row in table.to_dict("records")]
    return table.assign(engine=line["engine"], scenario=scenarios)


def _point(at: str) -> float | None:
    """Return the power of ten that the text of a point has: 2e-7 for "$2 \\cdot 10^{-7}$"."""
    power = re.search(r"(?:([\d.]+)\s*\\(?:times|cdot)\s*)?10\^\{(-\d+)\}", at)
    return float(f"{power[1] or 1}e{power[2]}") if power else None


# --- the second reading


def second_reading() -> pd.DataFrame:
    """Return where the claims as read again, from the papers alone, and ours differ.

    A row a difference: paper, where, what the second reading says, our claims, and how it was
    resolved (the column of that name in `data/papers/<paper>/second-reading.csv`).
    """
    table = pd.concat(
        [papers.data(paper, "second-reading").assign(paper=paper) for paper in papers.names()],
        ignore_index=True,
    )
    differ = table[table["resolution"].notna()]
    names = differ["claims"].fillna("").str.split()
    claims = names.map(lambda ids: ", ".join(f"`{name}`" for name in ids) or "–")
    return differ.assign(claims=claims)[["paper", "where", "statement", "claims", "resolution"]]


def second_reading_counts() -> pd.DataFrame:
    """Return for each paper how many sentences were read, matched, and how many claims we have."""
    rows = []
    for paper in papers.names():
        read = papers.data(paper, "second-reading")
        matched = set(" ".join(read["claims"].fillna("")).split())
        ours = set(papers.claims(paper)["id"])
        rows.append(
            {
                "paper": paper,
                "claims in the second reading": len(read),
                "of them with a claim of ours": int(read["claims"].notna().sum()),
                "our claims": len(ours),
                "of them found by the second reading": len(ours & matched),
            }
        )
    return pd.DataFrame(rows)
