"""The senders that came after: those with packets of their own, Hybla's start, CDG of Linux.

The data of the second page of the chapter on every sender (`senders`), over the same paths.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, statistics, store
from longfat.faults import NS3_3_44
from longfat.network import reference
from longfat.scenario import CongestionControl, Outage, Record, Scenario
from longfat.studies import engines_checked, senders
from longfat.sweeps import simulate_all, sweep

OUTAGE_S = 10.0  # when the link goes away
WINDOW = 200  # the receiver's, in segments: path and buffer hold 237, so that only the outage loses
ASKING = ("newreno", "probing")
TRANSFER_BYTES = 20_000_000
SATELLITES = ("newreno", "cubic", "hybla", "hybla-2004", "peach", "cherry")
NEIGHBOURS = ("newreno", *senders.LATER, "cdg-hayes", "hd")

# What of Hybla's start is there.
STARTS: dict[str, dict[str, Any]] = {
    "neither": {"pacing": False, "estimate": False},
    "pacing": {"pacing": True, "estimate": False},
    "estimate": {"pacing": False, "estimate": True},
    "both": {"pacing": True, "estimate": True},
}
# What of TCP-Cherry is assumed, and otherwise; of the receiver's window too.
ASSUMED: dict[str, dict[str, Any]] = {
    "as assumed": {},
    "no spare supplements": {"spare": 0.0},
    "a quarter to spare": {"spare": 0.25},
    "queues know no priority": {"low_priority": False},
}
# The same of TCP-Probing.
PROBED: dict[str, dict[str, Any]] = {
    "as assumed": {},
    "short: a tenth": {"short": 0.1},
    "short: nine tenths": {"short": 0.9},
    "patient: four round trips": {"patience": 4.0},
    "timeouts alone": {"probes_at_duplicates": False},
}


def scenario(
    sender: str,
    parameters: Mapping[str, Any] | None = None,
    outage_s: tuple[float, float] | None = None,
    **path: Any,
) -> Scenario:
    """Return a path of `senders.scenario` with parameters of the first sender.

    `outage_s` says when the link goes away and for how long, both ways.
    """
    one = senders.scenario(sender, **path)
    if parameters:
        control = CongestionControl(name=sender, parameters=dict(parameters))
        first = one.flows[0].model_copy(update={"congestion_control": control})
        one = one.with_(flows=(first, *one.flows[1:]))
    if outage_s:
        outage = Outage(start_s=outage_s[0], duration_s=outage_s[1])
        links = [link.model_copy(update={"outages": (outage,)}) for link in one.links]
        one = one.with_(links=links)
    return one


def _interval(flows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    flows["Mb/s"] = flows["goodput_bps"] / 1e6
    return statistics.interval(flows, by, "Mb/s")


def through_outage(names: Sequence[str] = ASKING, length_s: float = 5.0) -> pd.DataFrame:
    """Return what has been delivered, over time, where the link goes away: sender, time_s, MB."""
    record = Record(series=("delivered_bytes",), points=300)
    path: dict[str, Any] = {"window": WINDOW, "duration_s": 25.0, "record": record}
    runs = [scenario(name, outage_s=(OUTAGE_S, length_s), **path) for name in names]
    parts = []
    for name, result in zip(
        names, simulate_all(runs, experiment="senders-more-outage"), strict=True
    ):
        trace = result.traces["delivered_bytes"]
        part = trace.assign(sender=name, MB=trace["delivered_bytes"] / 1e6)
        parts.append(part[["sender", "time_s", "MB"]])
    return pd.concat(parts, ignore_index=True)


def outlasted(
    names: Sequence[str] = ASKING,
    lengths: Sequence[float] = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
    starts: int = 8,
) -> pd.DataFrame:
    """Return the time that an outage costs a transfer of 20 MB beside its own length.

    Over several beginnings of the outage. Columns: sender, length_s (of the outage), cost_s,
    halfwidth (95 %), repetitions.
    """
    design = statistics.combinations(
        sender=list(names), length_s=[0.0, *lengths], start=list(range(1, starts + 1))
    )
    runs = []
    for run in design.itertuples():
        outage = (OUTAGE_S + 0.137 * run.start, run.length_s) if run.length_s else None
        one = scenario(run.sender, outage_s=outage, window=WINDOW, duration_s=150.0)
        runs.append(one.with_(flows=[one.flows[0].model_copy(update={"bytes": TRANSFER_BYTES})]))
    table = sweep(runs, labels=design, experiment="senders-more-outlasted")
    without = table[table["length_s"] == 0].groupby("sender")["transfer_time_s"].mean()
    table["cost_s"] = table["transfer_time_s"] - table["sender"].map(without) - table["length_s"]
    return statistics.interval(table[table["length_s"] > 0], ["sender", "length_s"], "cost_s")


def probing_assumed(seeds: int = 5) -> pd.DataFrame:
    """Return what TCP-Probing does with each of its assumptions made otherwise.

    Columns: assumption; Mb/s and halfwidth at a loss in a hundred.
    """
    design = statistics.combinations(assumption=list(PROBED), seed=list(range(1, seeds + 1)))
    runs = [
        scenario("probing", PROBED[run.assumption], loss=1e-2, seed=run.seed)
        for run in design.itertuples()
    ]
    return _interval(sweep(runs, labels=design, experiment="senders-more-probing"), ["assumption"])


def lossy(
    names: Sequence[str] = ("newreno", "probing"),
    losses: Sequence[float] = (1e-4, 1e-3, 1e-2),
    seeds: int = 5,
) -> pd.DataFrame:
    """Return goodputs on the page's path where packets are lost at random, for a minute."""
    design = statistics.combinations(
        sender=list(names), loss=list(losses), seed=list(range(1, seeds + 1))
    )
    runs = [scenario(run.sender, loss=run.loss, seed=run.seed) for run in design.itertuples()]
    flows = sweep(runs, labels=design, experiment="senders-more-lossy")
    return _interval(flows, ["sender", "loss"])


def start(names: Sequence[str] = SATELLITES, duration_s: float = 20.0) -> pd.DataFrame:
    """Return what has arrived over the satellite in the first seconds: sender, time_s, MB."""
    record = Record(series=("delivered_bytes",), points=200)
    path = senders.SATELLITE | {"duration_s": duration_s, "record": record}
    runs = [scenario(name, **path) for name in names]
    parts = []
    for name, result in zip(
        names, simulate_all(runs, experiment="senders-more-start"), strict=True
    ):
        trace = result.traces["delivered_bytes"]
        part = trace.assign(sender=name, MB=trace["delivered_bytes"] / 1e6)
        parts.append(part[["sender", "time_s", "MB"]])
    return pd.concat(parts, ignore_index=True)


def begun(started: pd.DataFrame, at_s: float = 10.0) -> pd.Series:
    """Return what each sender of `start` has delivered by then, in MB."""
    held = {
        name: float(measures.held_at(trace, "MB", np.array([at_s]))[0])
        for name, trace in started.groupby("sender", sort=False)
    }
    return pd.Series(held)


def satellite(
    names: Sequence[str] = SATELLITES,
    losses: Sequence[float] = (1e-5, 1e-4, 1e-3, 1e-2),
    seeds: int = 8,
) -> pd.DataFrame:
    """Return goodputs over the satellite in the first hundred seconds.

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions; extra, data segments sent beside
    those delivered, in percent of these (Peach's dummies are no data).
    """
    design = statistics.combinations(
        sender=list(names), loss=list(losses), seed=list(range(1, seeds + 1))
    )
    path = senders.SATELLITE | {"duration_s": 100.0}
    runs = [
        scenario(run.sender, loss=run.loss, seed=run.seed, **path) for run in design.itertuples()
    ]
    results = sweep(runs, labels=design, experiment="senders-more-satellite")
    table = _interval(results, ["sender", "loss"])
    arrived = results["delivered_bytes"] / 1000
    results["extra"] = 100 * (results["segments_sent"] - arrived) / arrived
    extra = results.groupby(["sender", "loss"], sort=False)["extra"].mean()
    return table.merge(extra.reset_index(), on=["sender", "loss"])


def cherry_assumed(loss: float = 1e-3, seeds: int = 8) -> pd.DataFrame:
    """Return TCP-Cherry's goodput over the satellite with each assumption made otherwise.

    Columns: assumption, Mb/s, halfwidth (95 %), repetitions.
    """
    design = statistics.combinations(assumption=list(ASSUMED), seed=list(range(1, seeds + 1)))
    path = senders.SATELLITE | {"duration_s": 100.0, "loss": loss}
    runs = [
        scenario("cherry", ASSUMED[run.assumption], seed=run.seed, **path)
        for run in design.itertuples()
    ]
    return _interval(sweep(runs, labels=design, experiment="senders-more-cherry"), ["assumption"])


def hybla_starts(
    windows: Sequence[int] = (3914, 64_000), loss: float = 1e-3, seeds: int = 8
) -> pd.DataFrame:
    """Return Hybla's goodput over the satellite with and without what guards its start.

    Columns: start (a key of `STARTS`), window (the receiver's, segments), Mb/s, halfwidth (95 %),
    repetitions, retransmissions (mean).
    """
    design = statistics.combinations(
        start=list(STARTS), window=list(windows), seed=list(range(1, seeds + 1))
    )
    path = senders.SATELLITE | {"duration_s": 100.0, "loss": loss}
    runs = [
        scenario(
            "hybla-2004", STARTS[run.start], **(path | {"window": run.window, "seed": run.seed})
        )
        for run in design.itertuples()
    ]
    results = sweep(runs, labels=design, experiment="senders-more-hybla")
    table = _interval(results, ["start", "window"])
    again = results.groupby(["start", "window"], sort=False)["retransmissions"].mean()
    return table.merge(again.reset_index(), on=["start", "window"])


def beside(names: Sequence[str] = NEIGHBOURS, starts: int = 8) -> pd.DataFrame:
    """Return what a NewReno gets beside each of these, as `senders.beside`."""
    return senders.beside(names, starts=starts, experiment="senders-more-beside")


def cdg(losses: Sequence[float] = (1e-4, 1e-3, 1e-2), seeds: int = 3) -> pd.DataFrame:
    """Return the goodput of Linux's CDG over that of two headers, by Linux's archived runs.

    Over the path of the page cross-check, for a minute. Columns: sender, loss, Mb/s (ours), linux
    (Mb/s), ratio (Linux over ours), low, high (95 %).
    """
    strict = {"cdg-hayes": {"tolerates_loss": False}, "cdg-linux": {}}
    design = statistics.combinations(
        sender=list(strict), loss=list(losses), seed=list(range(1, seeds + 1))
    )
    runs = [
        reference(
            congestion_control=CongestionControl(name=run.sender, parameters=strict[run.sender]),
            loss=run.loss,
            seed=run.seed,
        )
        for run in design.itertuples()
    ]
    ours = sweep(runs, labels=design, experiment="senders-more-cdg")
    theirs = store.read_archive("senders-cdg-linux")
    rows = []
    for (name, loss), part in ours.groupby(["sender", "loss"], sort=False):
        linux = theirs[np.isclose(theirs["links.0.loss_per_packet"], loss)]["goodput_bps"]
        found = statistics.unpaired(linux, part["goodput_bps"])
        rows.append(
            {"sender": name, "loss": loss, "Mb/s": part["goodput_bps"].mean() / 1e6}
            | {"linux": linux.mean() / 1e6, "ratio": found["measured"]}
            | {"low": found["low"], "high": found["high"]}
        )
    return pd.DataFrame(rows)


ON_NS3 = senders.LATER


def on_ns3(names: Sequence[str] = ON_NS3) -> pd.DataFrame:
    """Return the later senders on ns-3 and on the segment engine with all its faults.

    Over the points of the validation grid (`engines_checked.GRID`) with one flow, one seed. A row a
    sender: runs, and how many are equal in every count.
    """
    points = engines_checked.GRID[engines_checked.GRID["flows"] == 1]
    labels = points.merge(pd.DataFrame({"algorithm": list(names)}), how="cross")
    runs = [engines_checked.scenario(**row, seed=1) for row in labels.to_dict("records")]
    counts = list(engines_checked.MEASURES)
    found = {}
    for engine, faults in (("ns3", ()), ("segment", NS3_3_44)):
        results = sweep(
            [run.with_(faults=faults) for run in runs],
            engine,
            labels=labels,
            experiment=f"senders-more-on-{engine}",
        )
        found[engine] = results[counts].reset_index(drop=True)
    same = (found["ns3"] == found["segment"]).all(axis=1)
    table = labels.assign(runs=1, equal=same.astype(int))
    return table.groupby("algorithm", sort=False)[["runs", "equal"]].sum().reset_index()


COST = "what an outage of 5 s costs a transfer beyond its length, s"
LOSSY = senders.LOSSY
GAIN = "goodput over the satellite, times NewReno's, at the loss rate that shows most"
LEFT = senders.LEFT
EXTRA = "sent beside what arrived, at one loss in a thousand, percent"
LIMIT = "goodput where the receiver sets no limit, times that where it does"
LINUX = "Linux's goodput over ours, at one loss in a thousand"
PROMISES = (
    senders.Promise("probing", "goes on at once when an outage is over", COST, high=1.0),
    senders.Promise("probing", "a loss of the link takes no window", LOSSY, low=1.1),
    senders.Promise("cherry", "up to 150 % more goodput than other schemes", GAIN, low=2.5),
    senders.Promise("cherry", "a fair share among competing connections", LEFT, low=1 / 1.1),
    senders.Promise("cherry", "supplements cost next to nothing", EXTRA, high=5),
    senders.Promise("peach", "more goodput over a satellite", GAIN, low=1.1),
    senders.Promise("peach", "takes nothing from others", LEFT, low=1 / 1.1),
    senders.Promise("hybla-2004", "its first burst is tamed", LIMIT, low=0.9),
    senders.Promise("cdg-linux", "does as Linux does", LINUX, 0.9, 1.1),
)


def promises(
    *,
    outlasted: pd.DataFrame,
    lossy: pd.DataFrame,
    satellite: pd.DataFrame,
    beside: pd.DataFrame,
    starts: pd.DataFrame,
    cdg: pd.DataFrame,
) -> pd.DataFrame:
    """Return what each sender promises and what became of it.

    Columns as `senders.promises`.
    """

    def ratio(above: pd.Series, below: pd.Series) -> tuple[float, float, float]:
        middle = above["Mb/s"] / below["Mb/s"]
        part = np.hypot(above["halfwidth"] / above["Mb/s"], below["halfwidth"] / below["Mb/s"])
        return middle, middle * (1 - part), middle * (1 + part)

    def gain(name: str) -> tuple[float, float, float]:
        by = satellite.set_index(["sender", "loss"])
        found = [ratio(by.loc[name, at], by.loc["newreno", at]) for at in by.loc[name].index]
        return max(found, key=lambda one: one[1])  # the one that is surest

    costs = outlasted.set_index(["sender", "length_s"])
    losses = lossy.set_index(["sender", "loss"])
    near = beside.set_index("sender")
    begins = starts.set_index(["start", "window"])
    linux = cdg.set_index(["sender", "loss"])
    small, large = starts["window"].min(), starts["window"].max()
    rows = []
    for one in PROMISES:
        low = high = np.nan
        if one.measure == COST:
            row = costs.loc[one.sender, 5.0]
            measured = row["cost_s"]
            low, high = measured - row["halfwidth"], measured + row["halfwidth"]
        elif one.measure == LOSSY:
            measured, low, high = ratio(losses.loc[one.sender, 1e-2], losses.loc["newreno", 1e-2])
        elif one.measure == GAIN:
            measured, low, high = gain(one.sender)
        elif one.measure == LEFT:
            measured, low, high = near.loc[one.sender, ["neighbour", "low", "high"]]
        elif one.measure == EXTRA:
            at = satellite[(satellite["sender"] == one.sender) & (satellite["loss"] == 1e-3)]
            measured = at["extra"].item()
        elif one.measure == LIMIT:
            measured, low, high = ratio(begins.loc["both", large], begins.loc["both", small])
        else:
            measured, low, high = linux.loc[(one.sender, 1e-3), ["ratio", "low", "high"]]
        rows.append(
            {"sender": one.sender, "promise": one.words, "measure": one.measure}
            | {"measured": measured, "low": low, "high": high}
            | {"kept": senders.kept(one, measured, low, high)}
        )
    return pd.DataFrame(rows)
