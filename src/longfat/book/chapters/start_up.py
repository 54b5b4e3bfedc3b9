"""The chapter on the first ten round trips: start-up beside start-up."""

from collections.abc import Iterator

import pandas as pd

from longfat.book.chapters import start_up_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import first_round_trips as study
from longfat.studies import start_up_claims
from longfat.studies.first_round_trips import COMPARED, PATHS, POINTS_NAME, STATED_S
from longfat.studies.setting import setting

MEGABYTE = 1_000_000
HARMING = 10_000_000  # bytes of the transfers beside a NewReno
NEAR = 0.01  # of a time: two engines agree


def harms(runs: Runs) -> pd.DataFrame:
    """Return time and harm beside a NewReno (`first_round_trips.harms`)."""
    return study.harms(runs.points(POINTS_NAME))


def front(runs: Runs) -> pd.DataFrame:
    """Return time and harm of transfers of 10 MB."""
    found = runs.derived(harms)
    columns = ["path", "start_up", "time_s", "delay_s", "low", "high", "front"]
    return found.loc[found["size"] == HARMING, columns].reset_index(drop=True)


def alone(runs: Runs) -> pd.DataFrame:
    """Return times of transfers alone (`first_round_trips.alone`)."""
    return study.alone(runs.points(POINTS_NAME))


def in_words(runs: Runs) -> pd.DataFrame:
    """Return what a transfer of 10 MB into a busy link takes, and takes from its neighbour."""
    found = runs.derived(harms)
    found = found[found["size"] == HARMING]
    rows = []
    for start_up in study.START_UPS:
        row = {"start-up": start_up}
        for path in COMPARED:
            one = found[(found["path"] == path) & (found["start_up"] == start_up)].iloc[0]
            title = PATHS[path].title.partition(",")[0]
            bold = "**" if one["front"] else ""
            row[f"{title}: time (s)"] = f"{bold}{one['time_s']:.2f}{bold}"
            row[f"{title}: delay (s) [95 %]"] = (
                f"{one['delay_s']:.1f} [{one['low']:.1f}, {one['high']:.1f}]"
            )
        rows.append(row)
    return pd.DataFrame(rows)


def satellite(runs: Runs) -> pd.DataFrame:
    """Return 100 MB on picoquic's path: what each start-up takes, and where it is lost."""
    found = study.satellite(runs.points(POINTS_NAME))
    return pd.DataFrame(
        {
            "sender": found["sender"],
            "start-up": found["start_up"],
            "time (s)": found["time_s"].map("{:.2f}".format),
            "lost in start-up (s)": found["start_s"].map("{:.2f}".format),
            "after it (s)": found["later_s"].map("{:.2f}".format),
            "segments lost": found["lost"].map("{:,.0f}".format),
        }
    )


def public(runs: Runs) -> pd.DataFrame:
    """Return picoquic's stated times beside ours, and what differs between the two."""
    found = study.satellite(runs.points(POINTS_NAME)).set_index(["sender", "start_up"])["time_s"]
    least = study.bounds()
    rows = [
        (
            "CUBIC",
            STATED_S["CUBIC"],
            found["cubic", study.UNSCALED],
            "its bursts of a quarter of a window, its answer to losses, its recovery",
        ),
        (
            "BBR with remembered state (the bound of a test)",
            STATED_S["with remembered state"],
            found.xs("careful-resume", level="start_up").min(),
            "another sender; and Careful Resume takes half of what is remembered, which costs "
            f"{least['jump'] - STATED_S['with remembered state']:.2f} s by itself",
        ),
    ]
    columns = ["test", "theirs (s)", "ours (s)", "what differs"]
    table = pd.DataFrame(rows, columns=columns)
    table["theirs (s)"] = table["theirs (s)"].map("{:.1f}".format)
    table["ours (s)"] = table["ours (s)"].map("{:.2f}".format)
    return table


MEETING = {  # who meets how many objectives of the public tests
    "cubic": ("cubic", study.OWN),
    "picoquic": ("cubic", "picoquic"),
    "resume": ("cubic", "careful-resume"),
    "hybla": ("cubic", "hybla"),
    "bbr3": ("bbr3", study.OWN),
}
PUBLIC_COLUMNS = {
    ("cubic", study.OWN): "CUBIC",
    ("cubic", "picoquic"): "picoquic's",
    ("cubic", "careful-resume"): "Careful Resume",
    ("cubic", "hybla"): "Hybla's",
    ("bbr3", study.OWN): "BBR 3",
}


def satcom(runs: Runs) -> pd.DataFrame:
    """Return the public satellite tests: objectives, least times, ours; bold where it is met."""
    found = study.public(runs.points(POINTS_NAME))
    rows = []
    for (path, size), there in found.groupby(["path", "size"], sort=False):
        by = there.set_index(["sender", "start_up"])
        stated = by["stated_s"].iloc[0]
        row = {"path": PATHS[path].title, "MB": f"{size / 1e6:g}"}
        row["stated"] = "–" if pd.isna(stated) else f"{stated:.0f}"
        row["least"] = f"{by['least_s'].iloc[0]:.2f}"
        for key, title in PUBLIC_COLUMNS.items():
            time_s = by.loc[key, "time_s"]
            text = "–" if pd.isna(time_s) else f"{time_s:.2f}"
            row[title] = f"**{text}**" if time_s <= stated else text
        rows.append(row)
    return pd.DataFrame(rows)


def least(_: Runs) -> pd.DataFrame:
    """Return the least possible times on picoquic's path."""
    words = {
        "path": "whoever knows the path",
        "one ACK a segment": "who is clocked by an ACK for each segment",
        "one ACK for four": "who is clocked by an ACK for four",
        "doubling": "whose window doubles from ten segments on",
        "jump": "whose window jumps as Careful Resume may",
    }
    rows = [(words[name], f"{time:.2f}") for name, time in study.bounds().items()]
    return pd.DataFrame(rows, columns=["no sooner than", "time (s)"])


def linux(runs: Runs) -> pd.DataFrame:
    """Return transfers alone here and on a Linux kernel (`first_round_trips.linux`), as shown."""
    found = runs.derived(study.linux)
    return pd.DataFrame(
        {
            "path": found["path"].map(lambda path: PATHS[path].title.partition(",")[0]),
            "MB": found["size"] / 1e6,
            "start-up": found["start_up"],
            "here (s)": found["s_here"],
            "Linux (s)": found["s_linux"],
            "lost here": found["lost_here"],
            "lost on Linux": found["lost_linux"],
        }
    )


def numbers(runs: Runs) -> dict[str, float]:
    """Return the numbers of the page's sentences."""
    far = study.satellite(runs.points(POINTS_NAME)).set_index(["sender", "start_up"])
    quiet = runs.derived(alone).set_index(["path", "size", "start_up"])
    least_s = study.bounds()
    beside = runs.derived(study.linux)
    apart = (beside["s_here"] / beside["s_linux"] - 1).abs()
    times = runs.derived(alone).groupby(["path", "size"])["time_s"]
    spread = times.max() - times.min()

    tests = study.public(runs.points(POINTS_NAME))
    busy = runs.derived(front).set_index(["path", "start_up"])

    def of(path: str, start_up: str, column: str = "time_s") -> float:
        return float(quiet.loc[(path, MEGABYTE, start_up), column])

    def met(sender: str, start_up: str) -> int:
        own = tests[(tests["sender"] == sender) & (tests["start_up"] == start_up)]
        return int((own["time_s"] <= own["stated_s"]).sum())

    def into_busy() -> Iterator[tuple[str, float]]:
        for start_up in ("standard", "limited", "hystart", "hybla", "picoquic", "careful-resume"):
            name = "start_busy_" + start_up.replace("careful-resume", "resume")
            yield name, busy.loc[("geo", start_up), "time_s"]
            yield name + "_delay", busy.loc[("geo", start_up), "delay_s"]

    return {
        "start_least": least_s["path"],
        "start_doubling": least_s["doubling"],
        "start_jump": least_s["jump"],
        "start_acks": least_s["one ACK a segment"],
        "start_cubic": far.loc[("cubic", study.OWN), "time_s"],
        "start_best": far["time_s"].min(),
        "start_hystart": far.loc[("cubic", "hystart"), "time_s"],
        "start_standard_before": far.loc[("cubic", "standard"), "start_s"],
        "start_standard_after": far.loc[("cubic", "standard"), "later_s"],
        "start_limited_before": far.loc[("cubic", "limited"), "start_s"],
        "start_resume_cubic_lost": far.loc[("cubic", "careful-resume"), "lost"],
        "start_hybla_lost": far.loc[("cubic", "hybla"), "lost"],
        "start_hybla_before": far.loc[("cubic", "hybla"), "start_s"],
        "start_hybla_after": far.loc[("cubic", "hybla"), "later_s"],
        "start_cable_spread": spread["cable"].max(),
        "start_leo_spread_small": spread["leo"].loc[:MEGABYTE].max(),
        "start_leo_spread_large": spread["leo"].loc[study.SIZES[-1]],
        "start_satcom_all": sum(map(len, study.OBJECTIVES_S.values())),
        **{f"start_satcom_{name}": met(*key) for name, key in MEETING.items()},
        "start_linux_all": len(beside),
        "start_linux_near": int((apart < NEAR).sum()),
        "start_linux_gap": 100 * apart.max(),
        "start_hybla_geo": of("geo", "hybla"),
        "start_hybla_geo_lost": of("geo", "hybla", "lost"),
        "start_standard_geo": of("geo", "standard"),
        "start_resume_geo": of("geo", "careful-resume"),
        "start_picoquic_geo": of("geo", "picoquic"),
        "start_theirs_cubic": STATED_S["CUBIC"],
        "start_theirs_seeded": STATED_S["with remembered state"],
        **dict(into_busy()),
        "start_runs": len(runs.points(POINTS_NAME)),
    }


def chapter(profile: str = "paper", seeds: int | None = None) -> Chapter:
    """Return the chapter at a profile, or with so many seeds for everything."""
    at = setting(profile, seeds)
    return Chapter(
        name="start-up",
        setting=at,
        experiments=(*study.experiments(at), *start_up_claims.experiments(at)),
        figures=tuple(_shown()),
        claims=Table(
            name="start-verdicts",
            uses=(
                *(POINTS_NAME, start_up_claims.EQUATION),
                *(start_up_claims.GROUND, start_up_claims.OVERSHOOT),
            ),
            data=lambda runs: runs.derived(start_up_claims.judged),
            caption="What papers and drafts promise of a start-up, held against these runs",
        ),
    )


def _shown() -> Iterator[Figure | Table]:
    yield Table(
        name="start-least",
        data=least,
        caption="The least time of 100 MB on picoquic's satellite path, by what limits a sender",
    )
    yield Table(
        name="start-satellite",
        uses=(POINTS_NAME,),
        data=satellite,
        caption="100 MB on picoquic's satellite path: the time, and what of it is lost against the "
        "least possible one before the path is first full, and after that",
    )
    yield Table(
        name="start-public",
        uses=(POINTS_NAME,),
        data=public,
        caption="Picoquic's own times on that path beside ours",
    )
    yield Table(
        name="start-satcom",
        uses=(POINTS_NAME,),
        data=satcom,
        caption="The public tests over satellites (Mb/s down and up): times of downloads in s, as "
        "stated, the least possible, CUBIC's with its own start and three others, and BBR 3's; in "
        "bold where what is stated is met, – where a run did not end within "
        f"{study.DURATION_S:.0f} s. On the lossy path one packet in a hundred is lost: means of "
        f"{study.SEEDS} runs",
    )
    yield Figure(
        name="start-alone",
        uses=(POINTS_NAME,),
        data=lambda runs: runs.derived(alone)[["path", "size", "start_up", "time_s"]],
        chart=lambda data, _: charts.alone(data),
        caption="How long a transfer takes alone, by its size, with each start-up. Over LEO means "
        f"of {study.SEEDS} runs; the other paths have no chance in them.",
    )
    yield Figure(
        name="start-front",
        uses=(POINTS_NAME,),
        data=front,
        chart=lambda data, _: charts.front(data),
        caption="Time against harm: 10 MB into a link on which a NewReno has 100 MB under way. To "
        "the left is faster, below is kinder. Upwards: by how much the neighbour is later than "
        f"alone, with 95 % intervals over {study.SEEDS} seeds. The line joins those that no "
        "other beats.",
    )
    yield Table(
        name="start-harms",
        uses=(POINTS_NAME,),
        data=in_words,
        caption="10 MB into a busy link, in numbers; in bold where no other is better "
        "in one of them and no worse in the other, in the mean",
    )
    yield Table(
        name="start-linux",
        uses=(study.BESIDE_LINUX, study.ON_LINUX),
        data=linux,
        formats={"MB": "{:.0f}", "here (s)": "{:.3f}", "Linux (s)": "{:.3f}", "*": "{:.0f}"},
        caption="Transfers alone with what a Linux kernel begins with, here and on the kernel",
    )
