"""The senders that came after: those with packets of their own, Hybla's start, CDG of Linux.

The data of the second page of the chapter on every sender (`senders`), over the same paths.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.experiment import Experiment, Runs
from longfat.network import reference
from longfat.scenario import CongestionControl, Outage, Record, Scenario
from longfat.studies import engines_checked, senders

OUTAGE_S = 10.0  # when the link goes away
LENGTH_S = 5.0  # of the outage that is drawn
LENGTHS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
WINDOW = 200  # the receiver's, in segments: path and buffer hold 237, so that only the outage loses
ASKING = ("newreno", "probing")
TRANSFER_BYTES = 20_000_000
SATELLITES = ("newreno", "cubic", "hybla", "hybla-2004", "peach", "cherry")
NEIGHBOURS = ("newreno", *senders.OF_LONG_PAGE, "cdg", "hd")

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
        one = one.replace(flows=(first, *one.flows[1:]))
    if outage_s:
        outage = Outage(start_s=outage_s[0], duration_s=outage_s[1])
        links = [link.model_copy(update={"outages": (outage,)}) for link in one.links]
        one = one.replace(links=links)
    return one


def _outage(sender: str) -> Scenario:
    record = Record(series=("delivered_bytes",), points=300)
    path: dict[str, Any] = {"window": WINDOW, "duration_s": 25.0, "record": record}
    return scenario(sender, outage_s=(OUTAGE_S, LENGTH_S), **path)


def _outlasted(sender: str, length_s: float, start: int) -> Scenario:
    outage = (OUTAGE_S + 0.137 * start, length_s) if length_s else None
    one = scenario(sender, outage_s=outage, window=WINDOW, duration_s=150.0)
    return one.replace(flows=[one.flows[0].model_copy(update={"bytes": TRANSFER_BYTES})])


def _start(sender: str) -> Scenario:
    record = Record(series=("delivered_bytes",), points=200)
    return scenario(sender, **(senders.SATELLITE | {"duration_s": 20.0, "record": record}))


def _probing(assumption: str, seed: int) -> Scenario:
    return scenario("probing", PROBED[assumption], loss=1e-2, seed=seed)


def _satellite(
    sender: str, loss: float = 1e-3, seed: int = 1, parameters: Mapping | None = None, **path: Any
) -> Scenario:
    path = senders.SATELLITE | {"duration_s": 100.0, "loss": loss, "seed": seed} | path
    return scenario(sender, parameters, **path)


def _cherry(assumption: str, seed: int) -> Scenario:
    return _satellite("cherry", seed=seed, parameters=ASSUMED[assumption])


def _hybla(start: str, window: int, seed: int) -> Scenario:
    return _satellite("hybla-2004", seed=seed, parameters=STARTS[start], window=window)


def _cdg(sender: str, loss: float, seed: int) -> Scenario:
    strict = {"tolerates_loss": False} if sender == "cdg" else {}
    control = CongestionControl(name=sender, parameters=strict)
    return reference(congestion_control=control, loss=loss, seed=seed)


def _checked(**point: Any) -> Scenario:
    return engines_checked.scenario(**point, seed=1)


def experiments(at: senders.Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page.

    `senders-more-on-ns3` and `-on-segment` have those later senders that ns-3 can serve (`ON_NS3`)
    at the points of the validation grid (`engines_checked.GRID`) with one flow, one seed.
    """
    grid = engines_checked.GRID[engines_checked.GRID["flows"] == 1]
    grid = grid.merge(pd.DataFrame({"algorithm": list(ON_NS3)}), how="cross")
    often, starts = at.seeds_satellite, range(1, at.starts + 1)
    whole = statistics.combinations(sender=ASKING, length_s=(0.0,), start=(1,))
    cut = statistics.combinations(sender=ASKING, length_s=LENGTHS_S, start=starts)
    return (
        Experiment(name="senders-more-outage", build=_outage, points={"sender": ASKING}),
        Experiment(
            name="senders-more-outlasted",
            build=_outlasted,
            points=pd.concat([whole, cut], ignore_index=True),
        ),
        Experiment(
            name="senders-more-probing",
            build=_probing,
            points={"assumption": PROBED},
            repetitions=at.seeds,
        ),
        Experiment(
            name="senders-more-lossy",
            build=scenario,
            points={"sender": ASKING, "loss": (1e-4, 1e-3, 1e-2)},
            repetitions=at.seeds,
        ),
        Experiment(name="senders-more-start", build=_start, points={"sender": SATELLITES}),
        Experiment(
            name="senders-more-satellite",
            build=_satellite,
            points={"sender": SATELLITES, "loss": (1e-5, 1e-4, 1e-3, 1e-2)},
            repetitions=often,
        ),
        Experiment(
            name="senders-more-cherry",
            build=_cherry,
            points={"assumption": ASSUMED},
            repetitions=often,
        ),
        Experiment(
            name="senders-more-hybla",
            build=_hybla,
            points={"start": STARTS, "window": (3914, 64_000)},
            repetitions=often,
        ),
        Experiment(
            name="senders-more-beside-newreno",
            build=senders.started,
            points={"sender": NEIGHBOURS, "start": starts},
        ),
        Experiment(
            name="senders-more-cdg",
            build=_cdg,
            points={"sender": ("cdg", "cdg-linux"), "loss": (1e-4, 1e-3, 1e-2)},
            repetitions=3,
        ),
        *(
            Experiment(
                name=f"senders-more-on-{engine}",
                build=_checked,
                points=grid,
                engine=engine,
            )
            for engine in engines_checked.ENGINES
        ),
    )


def _delivered(runs: Runs, experiment: str) -> pd.DataFrame:
    traces = runs.traces(experiment, "delivered_bytes")
    return traces.assign(MB=traces["delivered_bytes"] / 1e6)[["sender", "time_s", "MB"]]


def through_outage(runs: Runs) -> pd.DataFrame:
    """Return what has been delivered, over time, where the link goes away: sender, time_s, MB."""
    return _delivered(runs, "senders-more-outage")


def outage_costs(runs: Runs) -> pd.DataFrame:
    """Return the time that an outage costs a transfer of 20 MB beside its own length.

    Over several beginnings of the outage. Columns: sender, length_s (of the outage), cost_s,
    halfwidth (95 %), repetitions.
    """
    table = runs.flows("senders-more-outlasted")
    without = table[table["length_s"] == 0].groupby("sender")["transfer_time_s"].mean()
    table["cost_s"] = table["transfer_time_s"] - table["sender"].map(without) - table["length_s"]
    return statistics.interval(table[table["length_s"] > 0], ["sender", "length_s"], "cost_s")


def probing_assumed(runs: Runs) -> pd.DataFrame:
    """Return what TCP-Probing does with each of its assumptions made otherwise.

    Columns: assumption; Mb/s and halfwidth at a loss in a hundred.
    """
    return statistics.interval(runs.flows("senders-more-probing"), ["assumption"], "Mb/s")


def lossy(runs: Runs) -> pd.DataFrame:
    """Return goodputs on the page's path where packets are lost at random, for a minute."""
    return statistics.interval(runs.flows("senders-more-lossy"), ["sender", "loss"], "Mb/s")


def start(runs: Runs) -> pd.DataFrame:
    """Return what has arrived over the satellite in the first seconds: sender, time_s, MB."""
    return _delivered(runs, "senders-more-start")


def begun(started: pd.DataFrame, at_s: float = 10.0) -> pd.Series:
    """Return what each sender of `start` has delivered by then, in MB."""
    held = {
        name: float(measures.values_at(trace, "MB", np.array([at_s]))[0])
        for name, trace in started.groupby("sender", sort=False)
    }
    return pd.Series(held)


def satellite(runs: Runs) -> pd.DataFrame:
    """Return goodputs over the satellite in the first hundred seconds.

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions; extra, data segments sent beside
    those delivered, in percent of these (Peach's dummies are no data).
    """
    flows = runs.flows("senders-more-satellite")
    table = statistics.interval(flows, ["sender", "loss"], "Mb/s")
    arrived = flows["delivered_bytes"] / 1000
    flows["extra"] = 100 * (flows["segments_sent"] - arrived) / arrived
    extra = flows.groupby(["sender", "loss"], sort=False)["extra"].mean()
    return table.merge(extra.reset_index(), on=["sender", "loss"])


def cherry_assumed(runs: Runs) -> pd.DataFrame:
    """Return TCP-Cherry's goodput over the satellite with each assumption made otherwise.

    Columns: assumption, Mb/s, halfwidth (95 %), repetitions.
    """
    return statistics.interval(runs.flows("senders-more-cherry"), ["assumption"], "Mb/s")


def hybla_starts(runs: Runs) -> pd.DataFrame:
    """Return Hybla's goodput over the satellite with and without what guards its start.

    Columns: start (a key of `STARTS`), window (the receiver's, segments), Mb/s, halfwidth (95 %),
    repetitions, retransmissions (mean).
    """
    flows = runs.flows("senders-more-hybla")
    table = statistics.interval(flows, ["start", "window"], "Mb/s")
    again = flows.groupby(["start", "window"], sort=False)["retransmissions"].mean()
    return table.merge(again.reset_index(), on=["start", "window"])


def neighbour_table(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno gets beside each of these (`senders.neighbours`)."""
    return senders.neighbours(runs.flows("senders-more-beside-newreno"))


def cdg(runs: Runs) -> pd.DataFrame:
    """Return the goodput of Linux's CDG over that of two headers, by Linux's runs.

    Over the path of the page cross-check, for a minute. Columns: sender, loss, Mb/s (ours), linux
    (Mb/s), ratio (Linux over ours), low, high (95 %).
    """
    ours = runs.flows("senders-more-cdg")
    theirs = runs.flows("senders-cdg-linux")
    rows = []
    for (name, loss), part in ours.groupby(["sender", "loss"], sort=False):
        linux = theirs[theirs["loss"] == loss]["goodput_bps"]
        found = statistics.unpaired(linux, part["goodput_bps"])
        rows.append(
            {"sender": name, "loss": loss, "Mb/s": part["goodput_bps"].mean() / 1e6}
            | {"linux": linux.mean() / 1e6, "ratio": found["measured"]}
            | {"low": found["low"], "high": found["high"]}
        )
    return pd.DataFrame(rows)


# Of the later ones; ns-3's socket cannot carry the others' packets of their own.
ON_NS3 = ("cdg-linux", "chd-freebsd", "hd-freebsd", "hybla-2004")


def on_ns3(runs: Runs) -> pd.DataFrame:
    """Return the goodputs of later senders on the segment engine over those on ns-3.

    Columns: algorithm, runs, ratio (the mean of the logarithms), least and most of the runs.
    """
    point = [*engines_checked.POINT, "goodput_bps"]
    ns3, own = (runs.flows(f"senders-more-on-{name}")[point] for name in engines_checked.ENGINES)
    both = ns3.merge(own, on=engines_checked.POINT, suffixes=("_ns3", ""))
    both["log"] = np.log(both["goodput_bps"] / both["goodput_bps_ns3"])
    by = both.groupby("algorithm", sort=False)["log"]
    logs = by.agg(runs="size", ratio="mean", least="min", most="max")
    return logs.assign(**np.exp(logs[["ratio", "least", "most"]])).reset_index()


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


def promises(runs: Runs) -> pd.DataFrame:
    """Return what each sender promises and what became of it (`judged`)."""
    return judged(
        outlasted=outage_costs(runs),
        lossy=lossy(runs),
        satellite=satellite(runs),
        beside=neighbour_table(runs),
        starts=hybla_starts(runs),
        cdg=cdg(runs),
    )


def judged(
    *,
    outlasted: pd.DataFrame,
    lossy: pd.DataFrame,
    satellite: pd.DataFrame,
    beside: pd.DataFrame,
    starts: pd.DataFrame,
    cdg: pd.DataFrame,
) -> pd.DataFrame:
    """Return what each sender promises and what became of it, by what was measured.

    Columns as `senders.judged`.
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
            | {"kept": senders.promise_kept(one, measured, low, high)}
        )
    return pd.DataFrame(rows)
