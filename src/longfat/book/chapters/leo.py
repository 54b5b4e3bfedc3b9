"""The chapter on paths that move: senders over low orbits, and what the four papers say there."""

import functools
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from longfat import pictures
from longfat.book.chapters import leo_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.scenario import Scenario
from longfat.studies import low_orbits, low_orbits_claims
from longfat.studies.low_orbits import ORBITS, POINTS_NAME
from longfat.studies.setting import setting
from longfat.style import label, short_name

WINDOWS_NAME = "leo-windows"
GRID = "starlink-grid"
PAPERS = ("hybla", "tcpj", "ucc", "highspeed", "scalable", "bic", "htcp")
FAST_ONES = ("newreno", "highspeed", "scalable", "bic")


# --- tables


def summaries(runs: Runs) -> pd.DataFrame:
    """Return the senders over each orbit (`low_orbits.summary`), with the column orbit."""
    points = runs.points(POINTS_NAME)
    tables = [low_orbits.summary(points, orbit).assign(orbit=orbit) for orbit in ORBITS]
    return pd.concat(tables, ignore_index=True)


def motion(runs: Runs) -> pd.DataFrame:
    """Return what the motion costs (`low_orbits.motion`)."""
    return low_orbits.motion(runs.points(POINTS_NAME))


def paths(runs: Runs) -> pd.DataFrame:
    """Return the three paths in words."""
    rows = []
    for orbit, own in runs.derived(charts.delays).groupby("orbit", sort=False):
        one = ORBITS[str(orbit)]
        told = dict(one.told)
        chosen = "at every 15 s of Starlink's clock"
        if told.get("reconfiguration_s", 15) is None:
            chosen = "when the satellite has sunk too low"
        kind = "one in sight, by chance" if told.get("choice") == "random" else "the shortest"
        rows.append(
            {
                "orbit": one.title,
                "from and to": f"{one.server} to {one.user}",
                "a new path": f"{chosen}, {kind}",
                "round trip (ms)": f"{own['rtt_ms'].min():.1f} to {own['rtt_ms'].max():.1f}",
            }
        )
    return pd.DataFrame(rows)


def answer(orbit: str, runs: Runs) -> pd.DataFrame:
    """Return the senders over an orbit in words; those not told from the best are in bold."""
    found = runs.derived(summaries)
    found = found[found["orbit"] == orbit]
    names = [
        f"**{short_name(row.sender)}**" if row.first else short_name(row.sender)
        for row in found.itertuples()
    ]
    return pd.DataFrame(
        {
            "sender": names,
            "goodput (Mb/s)": [
                f"{row.goodput:.1f} ± {row.halfwidth:.1f}" for row in found.itertuples()
            ],
            "95 % wait less than (ms)": found["wait_95"].map("{:.0f}".format),
            "after a change (s)": [
                "–" if np.isnan(value) else f"{value:.1f}" for value in found["recovery_s"]
            ],
            "sent again (%)": (100 * found["repeated"]).map("{:.2f}".format),
            "a NewReno beside it keeps (%)": _kept(found, "newreno"),
            "one on land keeps (%)": _kept(found, "land"),
        }
    )


def _kept(table: pd.DataFrame, column: str) -> list[str]:
    rows = 100 * table[[column, f"{column}_low", f"{column}_high"]]
    return [f"{a:.0f} [{b:.0f}, {c:.0f}]" for a, b, c in rows.itertuples(index=False)]


def ideas(runs: Runs) -> pd.DataFrame:
    """Return what each paper's idea is worth, in words: goodput over NewReno's on each orbit."""
    points = runs.points(POINTS_NAME)
    rows = []
    for name in (*PAPERS, *low_orbits.VARIANTS):
        over = low_orbits.over(points, name, "newreno").set_index("orbit")
        row = {"sender": charts.title(name)}
        for orbit, one in ORBITS.items():
            value = over.loc[orbit]
            row[one.title] = f"{value['ratio']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"
        rows.append(row)
    return pd.DataFrame(rows)


def assumed(runs: Runs) -> pd.DataFrame:
    """Return goodputs over Starlink's bent pipe with other assumptions, in words (Mb/s)."""
    points = runs.points(POINTS_NAME)
    own = points[(points["orbit"] == low_orbits.VARIED_ORBIT) & (points["beside"] == "")]
    own = own[own["sender"].isin(low_orbits.VARIED_SENDERS)]
    own = own[own["seed"] <= own.loc[own["parameter"] == "silence", "seed"].max()]
    rows = []
    for parameter, setting_ in (("", ""), *low_orbits.settings()):
        here = own[(own["parameter"] == parameter) & (own["setting"] == setting_)]
        means = here.groupby("sender")["goodput"].mean()
        words = f"{label(parameter)}: {setting_}" if parameter else "as assumed"
        row = {"what is changed": words}
        rows.append(
            row | {short_name(one): f"{means[one]:.1f}" for one in low_orbits.VARIED_SENDERS}
        )
    return pd.DataFrame(rows)


# --- traces


def shown_windows(runs: Runs) -> pd.DataFrame:
    """Return windows over Starlink's bent pipe: sender, time_s, cwnd_segments.

    Rows without a sender are the changes of the path.
    """
    traces = runs.traces(WINDOWS_NAME, "cwnd_segments")
    traces = traces[traces["orbit"] == low_orbits.VARIED_ORBIT]
    traces = traces[traces["sender"].isin(low_orbits.SHOWN)]
    traces = traces[["sender", "time_s", "cwnd_segments"]]
    scenario = low_orbits.scenario("newreno", low_orbits.VARIED_ORBIT)
    changes = pd.DataFrame({"sender": "", "time_s": low_orbits.changes_s(scenario)})
    return pd.concat([traces, changes], ignore_index=True)


def idea_traces(runs: Runs) -> pd.DataFrame:
    """Return what the ideas do over time: idea, line, time_s, value; changes have no line."""
    windows = runs.traces(WINDOWS_NAME, "cwnd_segments")
    grid = windows[windows["orbit"] == GRID]
    pipe = low_orbits.VARIED_ORBIT
    parts = []

    def add(idea: str, line: str, times: pd.Series, values: pd.Series) -> None:
        parts.append(pd.DataFrame({"idea": idea, "line": line, "time_s": times, "value": values}))

    for idea, names in (("hybla", ("newreno", "hybla")), ("fast", FAST_ONES)):
        for name in names:
            own = grid[grid["sender"] == name]
            add(idea, name, own["time_s"], own["cwnd_segments"])
    for idea, line, value in low_orbits.beliefs(runs.results(WINDOWS_NAME), pipe):
        add(idea, line, value["time_s"], value["value"])
    for idea, orbit in (("hybla", GRID), ("fast", GRID), ("tcpj", pipe), ("ucc", pipe)):
        scenario = low_orbits.scenario("newreno", orbit)
        times = pd.Series(low_orbits.changes_s(scenario), dtype=float)
        add(idea, "", times, pd.Series(np.nan, index=times.index))
    return pd.concat(parts, ignore_index=True)


# --- numbers of the page's sentences

SHORT = {"pipe": "starlink", "grid": GRID, "oneweb": "oneweb"}  # the orbits, in names of numbers
BOTH, ALL = ("pipe", "grid"), tuple(SHORT)
GENTLE = 0.9  # of what a NewReno has beside a NewReno: so much is left at least, in the mean
VARIANTS = {
    "hybla_5": "hybla, 5 ms",
    "ucc_10": "ucc, 10 ms",
    "ucc_epoch": "ucc, since the last loss",
}
# What sentences say of which senders over which orbits, by the end of the number's name.
SAID: dict[str, dict[str, tuple[str, ...]]] = {
    "": {
        **dict.fromkeys(("newreno", "cubic", "illinois"), BOTH),
        **dict.fromkeys(("vegas", "fast", "cherry", "scalable"), ("pipe",)),
        **{"tcpj": BOTH, "westwood": ("grid",)},
        **dict.fromkeys(("bbr", "bbr3"), ALL),
    },
    "_wait": dict.fromkeys(("newreno", "scalable", "bbr"), ("pipe",)),
    "_again": dict.fromkeys(("newreno", "cubic", "bbr", "bbr3"), ("pipe",)),
    "_kept": dict.fromkeys(("bbr", "bbr3", "scalable", "cubic", "tcpj"), ("pipe",)),
    "_land": {"bbr": BOTH, "bbr3": BOTH, "tcpj": BOTH, "illinois": ("pipe",)},
    "_moving": {"newreno": ("pipe",), "vegas": ("pipe", "oneweb"), "ucc": BOTH, "bbr": ("pipe",)},
    "_silent": dict.fromkeys(("newreno", "vegas"), ("pipe",)),
    "_over": {
        **dict.fromkeys(("hybla", "tcpj", "ucc", "highspeed", "scalable", "bic"), BOTH),
        **{"hybla_5": ("pipe",), "ucc_10": BOTH, "ucc_epoch": BOTH},
    },
}


def numbers(runs: Runs) -> dict[str, float | str]:
    """Return the numbers of the page's sentences."""
    points = runs.points(POINTS_NAME)
    found = runs.derived(summaries).set_index(["orbit", "sender"])
    moved = runs.derived(motion).set_index(["orbit", "sender"])

    def over(orbit: str, sender: str) -> float:
        table = low_orbits.over(points, VARIANTS.get(sender, sender), "newreno")
        return float(table.set_index("orbit")["ratio"][orbit])

    measures: dict[str, Callable[[str, str], float]] = {
        "": lambda *at: found.at[at, "goodput"],
        "_wait": lambda *at: found.at[at, "wait_95"],
        "_again": lambda *at: found.at[at, "recovery_s"],
        "_kept": lambda *at: 100 * found.at[at, "newreno"],
        "_land": lambda *at: 100 * found.at[at, "land"],
        "_moving": lambda *at: 100 * moved.at[at, "moving"],
        "_silent": lambda *at: 100 * moved.at[at, "silent"],
        "_over": over,
    }
    values: dict[str, float | str] = {
        f"leo_{sender}_{short}{end}": measures[end](SHORT[short], sender)
        for end, senders in SAID.items()
        for sender, shorts in senders.items()
        for short in shorts
    }
    used = found["goodput"] / low_orbits_claims.payload_mbps()
    values |= {f"leo_half_{short}": int((used[SHORT[short]] < 0.5).sum()) for short in SHORT}
    grid = found.loc[GRID].sort_values("goodput", ascending=False)
    gentle = grid[grid["newreno"] >= GENTLE]
    for which, row in (("best", grid.iloc[0]), ("gentle", gentle.iloc[0])):
        values |= {
            f"leo_{which}_grid": short_name(str(row.name)),
            f"leo_{which}_grid_rate": row["goodput"],
            f"leo_{which}_grid_half": row["halfwidth"],
        }
    round_trips = runs.derived(charts.delays).groupby("orbit")["rtt_ms"]
    judged = runs.derived(low_orbits_claims.judged)
    return values | {
        "leo_best_grid_kept": 100 * grid["newreno"].iloc[0],
        "leo_rtt_pipe_low": round_trips.min()[SHORT["pipe"]],
        "leo_rtt_pipe_high": round_trips.max()[SHORT["pipe"]],
        "leo_senders": len(low_orbits.names()),
        "leo_runs": len(points),
        "leo_claims": len(judged),
        "leo_claims_reproduced": int((judged["verdict"] == "reproduced").sum()),
        "leo_claims_depends": int(judged["verdict"].str.startswith("depends on ").sum()),
    }


# --- the chapter


def chapter(profile: str = "paper", seeds: int | None = None) -> Chapter:
    """Return the chapter at a profile, or with so many seeds for everything."""
    at = setting(profile, seeds)
    return Chapter(
        name="leo",
        setting=at,
        experiments=low_orbits.experiments(at),
        figures=tuple(_shown()),
        claims=Table(
            name="leo-verdicts",
            uses=(POINTS_NAME,),
            data=lambda runs: runs.derived(low_orbits_claims.judged),
            caption="What others say of senders over low orbits, held against these runs",
        ),
    )


def _shown() -> Iterator[Figure | Table]:
    yield Figure(
        name="leo-path",
        data=lambda _: pd.DataFrame({"node": ["server", "gateway", "user", "land"]}),
        chart=lambda *_: pictures.draw(_drawn()),
        narrow=lambda *_: pictures.draw(_drawn(), down=True),
        caption="The network of all runs, here with a neighbour on land. The link between gateway "
        "and user is the whole way through space. Its delay is that of the first moment: it moves, "
        "and at changes of the path nothing arrives.",
    )
    yield Figure(
        name="leo-map",
        data=lambda _: charts.map_points(),
        chart=lambda data, _: charts.orbit_map(data),
        caption="The three paths at the beginning of the first run. Dots are the satellites of the "
        "shell; between the last of the path and the server a bent pipe has a ground station.",
    )
    yield Table(
        name="leo-paths",
        data=paths,
        caption="The paths of this chapter, and their round trips without queues over three "
        "minutes",
    )
    yield Figure(
        name="leo-round-trips",
        data=lambda runs: runs.derived(charts.delays),
        chart=lambda data, _: charts.round_trips(data),
        caption="Round trips without queues over three minutes, each panel 16 ms high.",
    )
    yield Figure(
        name="leo-ideas",
        uses=(WINDOWS_NAME,),
        data=idea_traces,
        chart=lambda data, _: charts.ideas(data),
        caption="What the four papers propose, over paths that move: Hybla's window, TCP-J's "
        "estimate, UCC's utilization, and the windows of high-speed senders. Grey lines are "
        "changes of the path.",
    )
    yield Table(
        name="leo-worth",
        uses=(POINTS_NAME,),
        data=ideas,
        caption="What the papers' ideas are worth: goodput over NewReno's, run by run (the mean of "
        "the logarithms), with 95 % intervals. Below, some with other parameters",
    )
    yield Figure(
        name="leo-windows",
        uses=(WINDOWS_NAME,),
        data=shown_windows,
        chart=lambda data, _: charts.windows(data),
        caption="Congestion windows over Starlink's bent pipe, all with the same losses and the "
        "same changes of the path (grey).",
    )
    yield Figure(
        name="leo-goodputs",
        uses=(POINTS_NAME,),
        data=lambda runs: runs.derived(summaries)[["orbit", "sender", "goodput", "halfwidth"]],
        chart=lambda data, _: charts.goodputs(data),
        narrow=lambda data, _: charts.goodputs(data, down=True),
        caption="Goodput of every sender alone over the three orbits: means of "
        f"{low_orbits.SEEDS} runs with 95 % intervals.",
    )
    yield Figure(
        name="leo-motion",
        uses=(POINTS_NAME,),
        data=lambda runs: runs.derived(motion),
        chart=lambda data, _: charts.motions(data),
        narrow=lambda data, _: charts.motions(data, down=True),
        caption="Goodput over that on the same path standing still at its first length, with the "
        f"same losses, run by run over {low_orbits.MOTION_SEEDS} seeds (95 % intervals). A grey "
        "mark is without silences.",
    )
    yield Figure(
        name="leo-neighbours",
        uses=(POINTS_NAME,),
        data=lambda runs: runs.derived(summaries).query("orbit == 'starlink'"),
        chart=lambda data, _: charts.neighbours(data),
        narrow=lambda data, _: charts.neighbours(data, down=True),
        caption="What a NewReno carries beside each sender over what it carries beside a NewReno "
        f"({low_orbits.SEEDS} seeds, 95 % intervals): over the same satellites, and on land behind "
        "the same narrow link.",
    )
    for orbit, one in ORBITS.items():
        yield Table(
            name=f"leo-senders-{orbit}",
            uses=(POINTS_NAME,),
            data=functools.partial(answer, orbit),
            caption=f"Every sender over {one.title}, from {one.server} to {one.user}: "
            f"{low_orbits.SEEDS} runs, 95 % intervals; in bold those that cannot be told from the "
            "first",
        )
    yield Table(
        name="leo-assumed",
        uses=(POINTS_NAME,),
        data=assumed,
        caption="Goodput over Starlink's bent pipe (Mb/s) with each assumption at its other "
        f"values: means of {low_orbits.VARIED_SEEDS} runs",
    )


def _drawn() -> Scenario:
    return low_orbits.scenario("bbr", "starlink", low_orbits.LAND, *low_orbits.STILL)
