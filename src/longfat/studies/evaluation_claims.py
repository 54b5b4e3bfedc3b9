"""What RFCs and drafts say of senders that are known, held against runs on the paths of the cards.

The claims are `data/evaluate/claims.csv`, in our words. Most are judged by the league's runs
(`longfat.studies.evaluation.league`); what it does not ask is run here: how much several flows lose
by the length of the buffer, how full one flow makes it, what a fast path with next to no buffer
carries, and what divided ACKs do to a sender.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pandas as pd

from longfat import paths, statistics
from longfat.experiment import Point, Points, Runs
from longfat.result import Result
from longfat.scenario import Scenario
from longfat.studies import evaluation
from longfat.studies.evaluation import DIVISION, LEAGUE, LEAGUE_SEEDS, Path
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

FILE = paths.DATA / "evaluate" / "claims.csv"
KNOWN = "evaluate-known"  # its archive


def claims() -> pd.DataFrame:
    """Return the claims, a row a claim (`longfat.verdicts.judge.judge` says of which columns)."""
    return pd.read_csv(FILE)


# --- what is run besides the league

SHORT, LONG = (0.2, 0.5, 1.0), (2.0, 4.0)  # buffers below and above one and a half times the path
FLOWS, OTHER_FLOWS = 4, (2, 8)
USUAL, FAST = (20.0, 50.0), (1000.0, 100.0)  # rate in Mb/s and round trip in ms


def scenario(
    sender: str,
    rate_mbps: float,
    rtt_ms: float,
    buffer: float,
    flows: int,
    division: int,
    beside: str,
    seed: int,
) -> Scenario:
    """Return a run of so many flows, whose receivers divide each ACK, beside a neighbour or none.

    The buffer is in times of what the path holds.
    """
    one = Path(
        rate_bps=rate_mbps * 1e6,
        rtt_s=rtt_ms / 1000,
        buffer=buffer,
        flows=flows,
        beside=beside,
        own={"ack_division": division},
        duration_s=60,
    )
    return one.scenario(sender, seed)


def measured(result: Result) -> dict[str, float]:
    """Return goodput and sent_again as of `evaluation.measured`, and filled, the part of the
    bottleneck's buffer that is taken when most is."""
    found = evaluation.measured(result)
    queue = result.traces["queue_packets"]
    most = queue.loc[queue["link"] == "a>b", "queue_packets"].max()
    limit = result.scenario.links[0].queue_packets
    assert limit, "the queue counts packets"
    filled = float(f"{most / limit:.5g}")
    return {"goodput": found["goodput"], "sent_again": found["sent_again"], "filled": filled}


def _archived(row: dict[str, Any]) -> Scenario:
    return scenario(**{name: row[name] for name in (*_COLUMNS, "seed")})


_COLUMNS = ("sender", "rate_mbps", "rtt_ms", "buffer", "flows", "division", "beside")


POINT = Point(_archived, measured)


def known() -> Points:
    """Return the runs that the league does not have, archived as points."""
    tables = [
        _design(("bbr", "bbr3", "newreno"), (*SHORT, *LONG), flows=(FLOWS, *OTHER_FLOWS)),
        _design(("newreno", "cubic"), (*SHORT[1:], *LONG)),
        _design(("newreno", "reno"), (1.0,), division=(1, DIVISION), beside="newreno"),
        _design(("bbr3", "newreno", "cubic"), (0.02,), path=FAST),
    ]
    return Points(
        name=KNOWN,
        build=scenario,
        points=pd.concat(tables, ignore_index=True),
        repetitions=LEAGUE_SEEDS,
        point=f"{__name__}:POINT",
    )


def _design(
    senders: Iterable[str],
    buffers: Iterable[float],
    path: tuple[float, float] = USUAL,
    flows: Iterable[int] = (1,),
    division: Iterable[int] = (1,),
    beside: str = "",
) -> pd.DataFrame:
    points = statistics.combinations(
        sender=senders, buffer=buffers, flows=flows, division=division, beside=(beside,)
    )
    return points.assign(rate_mbps=path[0], rtt_ms=path[1])[list(_COLUMNS)]


# --- evidence


class Comparison(NamedTuple):
    """A claim that compares senders on a path of the league: how many times as much `sender` has
    of a criterion's measure as another, at the stated setting or at another one."""

    claim: str
    criterion: str
    path: str
    sender: str
    other: str
    parameter: str = ""
    setting: str = ""


def _comparisons() -> Iterator[Comparison]:
    beside = "beside newreno"
    for path in ("once", "a quarter of", "four times"):
        yield Comparison("evaluate-highspeed", beside, f"{path} the path", "highspeed", "newreno")
        varied = ("", "") if path == "once" else ("buffer", f"{path} the path")
        for claim in ("evaluate-ledbat-yields", "evaluate-ledbat-aggression"):
            yield Comparison(claim, beside, f"{path} the path", "ledbat", "newreno", *varied)
    delay = ("evaluate-ledbat-delay", "bufferbloat")
    yield Comparison(*delay, "four times the path", "ledbat", "cubic")
    yield Comparison(*delay, "twice, four flows", "ledbat", "cubic", "flows", "four, buffer twice")
    for other in ("newreno", "cubic"):
        for path in ("four times the path", "twice, four flows"):
            yield Comparison("evaluate-bbr3-delay", "bufferbloat", path, "bbr3", other)
        yield Comparison(
            "evaluate-bbr3-shallow", "drop-tail queues", "0.1 times the path", "bbr3", other
        )
        for criterion, path in (
            ("wireless paths", "one in a thousand lost"),
            ("high delay", "600 ms, one in ten thousand lost"),
        ):
            yield Comparison("evaluate-bbr3-losses", criterion, path, "bbr3", other)
    long = ("evaluate-cubic-long", "high delay")
    yield Comparison(*long, "600 ms, one in ten thousand lost", "cubic", "newreno")
    yield Comparison(*long, "600 ms", "cubic", "newreno", "losses", "none but of the queue's")
    for path in ("0.1 times", "0.5 times", "1 times", "4 times"):
        yield Comparison(
            "evaluate-cubic-friendly", "drop-tail queues", f"{path} the path", "cubic", "newreno"
        )
    yield Comparison(
        *("evaluate-cubic-friendly", "wireless paths", "one in a thousand lost"),
        *("cubic", "newreno", "losses", "one in a thousand"),
    )


def evidence(runs: Runs) -> pd.DataFrame:
    """Return what was measured of each claim (`longfat.verdicts.judge.Evidence`)."""
    rows = [*_of_league(runs), *_losses(runs), *_filled(runs), *_divided(runs), *_fast(runs)]
    return pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))


def _row(claim: str, experiment: str, at: str, found: dict[str, float], **varied: str) -> dict:
    stated = {"engine": "segment", "parameter": "", "setting": ""}
    return stated | varied | {"claim": claim, "experiment": experiment, "at": at} | found


def _of_league(runs: Runs) -> Iterator[dict[str, Any]]:
    values = runs.points(LEAGUE).set_index(["criterion", "path", "sender"]).sort_values("seed")
    columns = {one.name: one.column for one in evaluation.criteria()}
    for one in _comparisons():
        own, other = (
            values.loc[(one.criterion, one.path, sender), columns[one.criterion]].to_numpy()
            for sender in (one.sender, one.other)
        )
        yield _row(
            one.claim,
            LEAGUE,
            f"{one.path}, over {one.other}" if one.sender == "bbr3" else one.path,
            statistics.paired(own, other, ratio=True),
            parameter=one.parameter,
            setting=one.setting,
        )
    path = ("high delay", "600 ms, one in ten thousand lost")
    own = values.loc[(*path, "newreno")]
    carries = [
        evaluation.scenario(*path, "newreno", seed).links[0].rate_bps
        / 1e6
        * (evaluation.SEGMENT_BYTES * 8 / evaluation.PACKET_BITS)
        for seed in own["seed"]
    ]
    found = statistics.mean(own["goodput"].to_numpy() / carries)
    yield _row("evaluate-newreno-long", LEAGUE, path[1], found)


def _losses(runs: Runs) -> Iterator[dict[str, Any]]:
    table = runs.points(KNOWN)
    several = table[table["flows"] > 1]
    for (buffer, flows), there in several.groupby(["buffer", "flows"]):
        wide = there.pivot(index="seed", columns="sender", values="sent_again")
        varied = {} if flows == FLOWS else {"parameter": "flows", "setting": f"{flows}"}
        at = f"{buffer:g} times the path"
        claim = "evaluate-bbr-loss" if buffer in SHORT else "evaluate-bbr-loss-ends"
        found = statistics.paired(wide["bbr"], wide["newreno"])
        yield _row(claim, KNOWN, at, found, **varied)
        if buffer in SHORT:
            found = statistics.paired(wide["bbr3"], wide["bbr"])
            yield _row("evaluate-bbr3-mends", KNOWN, at, found, **varied)


def _filled(runs: Runs) -> Iterator[dict[str, Any]]:
    table = runs.points(KNOWN)
    alone = table[(table["flows"] == 1) & (table["beside"] == "") & (table["rtt_ms"] == USUAL[1])]
    for (sender, buffer), there in alone.groupby(["sender", "buffer"]):
        found = statistics.mean(there["filled"])
        yield _row(f"evaluate-fill-{sender}", KNOWN, f"{buffer:g} times the path", found)


def _divided(runs: Runs) -> Iterator[dict[str, Any]]:
    table = runs.points(KNOWN)
    for claim, sender in (
        ("evaluate-division", "newreno"),
        ("evaluate-division-bytes", "reno"),
    ):
        there = table[(table["sender"] == sender) & (table["beside"] == "newreno")]
        wide = there.pivot(index="seed", columns="division", values="goodput")
        found = statistics.paired(wide[DIVISION], wide[1], ratio=True)
        yield _row(claim, KNOWN, f"{DIVISION} ACKs for one", found)


def _fast(runs: Runs) -> Iterator[dict[str, Any]]:
    table = runs.points(KNOWN)
    wide = table[table["rate_mbps"] == FAST[0]].pivot(
        index="seed", columns="sender", values="goodput"
    )
    varied = {"parameter": "path", "setting": "1 Gb/s, 100 ms, a buffer of a fiftieth"}
    for other in ("newreno", "cubic"):
        found = statistics.paired(wide["bbr3"], wide[other], ratio=True)
        yield _row("evaluate-bbr3-shallow", KNOWN, f"over {other}", found, **varied)


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`longfat.verdicts.judge.judge`)."""
    return judge(claims(), evidence(runs))


def losses(runs: Runs) -> pd.DataFrame:
    """Return what four flows send again (%), a row a length of the buffer, a column a sender."""
    table = runs.points(KNOWN)
    four = table[table["flows"] == FLOWS]
    return four.pivot_table(index="buffer", columns="sender", values="sent_again").reset_index()
