"""The chapter on every sender that the papers name, on two pages: figures, tables and numbers."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import pictures
from longfat.book.chapters import senders_charts as charts
from longfat.book.chapters import senders_long_charts as long_charts
from longfat.experiment import Chapter, Figure, Runs, Table, parts, stacked
from longfat.studies import senders, senders_long
from longfat.style import short_name

PROMISED = (
    *("senders-queues", "senders-lossy", "senders-beside-newreno", "senders-yielding"),
    *("senders-satellite", "senders-round-trips", "senders-growth"),
)
CHOSEN = ("senders-satellite", "senders-beside-newreno")
CDG = ("senders-more-cdg", "senders-cdg-linux")
ON_BOTH = ("senders-more-on-ns3", "senders-more-on-segment")


def choices(runs: Runs) -> pd.DataFrame:
    """Return the senders over the satellite at a loss in a thousand, best first."""
    return senders.choices(
        runs.derived(senders.satellite), runs.derived(senders.neighbour_table), 1e-3
    )


def interval(row: pd.Series, value: str = "Mb/s") -> str:
    """Return a mean with its 95 % interval as tables show it."""
    return f"{row[value]:.2f} ± {row['halfwidth']:.2f}"


def ratio(row: pd.Series, value: str = "ratio") -> str:
    """Return a ratio with its 95 % interval as tables show it."""
    return f"{row[value]:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def chosen(runs: Runs) -> pd.DataFrame:
    """Return the first twelve of `choices` in words."""
    best = choices(runs).head(12)
    return pd.DataFrame(
        {
            "sender": best["sender"].map(short_name),
            "goodput (Mb/s)": best.apply(interval, axis=1),
            "a NewReno beside it gets, times that beside NewReno": best.apply(
                ratio, axis=1, value="neighbour"
            ),
        }
    )


def gaps(runs: Runs) -> pd.DataFrame:
    """Return where another implementation differs by more than chance, and why."""
    others = runs.derived(senders.second_sources)
    others = others[others["reason"] != ""]
    return pd.DataFrame(
        {
            "sender": others["sender"].map(short_name),
            "other implementation": others["source"],
            "ours (Mb/s)": others["Mb/s"],
            "its goodput, times ours": others.apply(ratio, axis=1),
            "reason": others["reason"],
        }
    )


def assumed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a sender's goodput by what is assumed of it, in words."""
    goodputs = {"assumption": table["assumption"], "goodput (Mb/s)": table.apply(interval, axis=1)}
    return pd.DataFrame(goodputs)


def cdg(runs: Runs) -> pd.DataFrame:
    """Return CDG on Linux and with two headers, in words."""
    table = senders_long.cdg(runs)
    return pd.DataFrame(
        {
            "sender": table["sender"].map(short_name),
            "loss": table["loss"],
            "ours (Mb/s)": table["Mb/s"],
            "Linux (Mb/s)": table["linux"],
            "Linux's, times ours": table.apply(ratio, axis=1),
        }
    )


def on_ns3(runs: Runs) -> pd.DataFrame:
    """Return the goodputs of the later senders over those on ns-3, in words."""
    table = senders_long.on_ns3(runs)
    table["algorithm"] = table["algorithm"].map(short_name)
    return table.rename(columns={"algorithm": "sender"})


def later_neighbours(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno gets beside each later sender, in words."""
    table = senders_long.neighbour_table(runs)
    return pd.DataFrame(
        {
            "sender": table["sender"].map(short_name),
            "its own goodput (Mb/s)": table["Mb/s"],
            "a NewReno beside it gets, times that beside NewReno": table.apply(
                ratio, axis=1, value="neighbour"
            ),
        }
    )


# --- the numbers of the pages' sentences


def numbers(runs: Runs) -> dict[str, float | str]:
    """Return the numbers of the first page's sentences."""
    waits = senders.queue_means(runs.derived(senders.queues)).set_index("sender")["mean"]
    speed = senders.regained(runs.derived(senders.growth)).set_index("sender")
    lossy = senders.lossy(runs).set_index(["sender", "loss"])["Mb/s"]
    away = senders.round_trips(runs).set_index(["sender", "rtt_s"])["Mb/s"]
    given = 100 * senders.left(runs.derived(senders.yielding))
    neighbours = runs.derived(senders.neighbour_table)
    near = neighbours.set_index("sender")
    found = choices(runs)
    best, kind = found.iloc[0], found[found["high"] >= 1 / 1.1].iloc[0]
    satellite = runs.derived(senders.satellite).set_index(["sender", "loss"])["Mb/s"]
    unlimited = senders.unlimited(runs).set_index("sender")["Mb/s"]
    promised = senders.promises(runs)
    ended = promised["kept"].value_counts()
    linux = senders.cdg_of_linux(runs)
    others = runs.derived(senders.second_sources)
    queues = (
        *("vegas", "fast", "newreno", "cubic", "dual", "card", "pert", "lp", "ledbat"),
        *("bbr", "bbr3", "hd", "chd"),
    )
    return {
        **{f"senders_{name}_queue": waits[name] for name in queues},
        "senders_cdg_queue": waits["cdg"],
        "senders_africa_below": speed.at["africa", "below"],
        "senders_africa_above": speed.at["africa", "above"],
        "senders_compound_below": speed.at["compound", "below"],
        "senders_compound_above": speed.at["compound", "above"],
        "senders_hybla_below": speed.at["hybla", "below"],
        "senders_link": charts.LINKS,
        **{
            f"senders_{name.replace('-', '_')}_lossy": lossy[name, 1e-2]
            for name in senders.TOLERANT
        },
        "senders_bbr3_1e3": lossy["bbr3", 1e-3],
        "senders_newreno_1e3": lossy["newreno", 1e-3],
        **{
            f"senders_{name}_{place}": away[name, rtt]
            for name in ("newreno", "cubic", "hybla", "bbr3")
            for rtt, place in ((0.025, "near"), (0.4, "far"))
        },
        **{f"senders_{name}_given": given[name] for name in ("lp", "ledbat", "vegas", "cubic")},
        "senders_count": len(neighbours),
        "senders_meek": int((neighbours["low"] > 1.1).sum()),
        "senders_harmful": int((neighbours["high"] < 1 / 1.1).sum()),
        **{f"senders_{name}_own": near.at[name, "Mb/s"] for name in ("vegas", "lp", "ledbat")},
        **{
            f"senders_{name}_neighbour": near.at[name, "neighbour"]
            for name in ("lp", "cubic", "bbr", "bbr3")
        },
        "senders_scalable_neighbour": near.at["scalable", "neighbour"],
        "senders_best": short_name(best["sender"]),
        "senders_best_rate": best["Mb/s"],
        "senders_best_half": best["halfwidth"],
        "senders_best_neighbour": best["neighbour"],
        "senders_kind": short_name(kind["sender"]),
        "senders_kind_rate": kind["Mb/s"],
        "senders_kind_half": kind["halfwidth"],
        "senders_kind_neighbour": kind["neighbour"],
        "senders_satellite_link": 2 * charts.LINKS,
        **{
            f"senders_{name}_satellite": satellite[name, 1e-3]
            for name in ("newreno", "cubic", "hybla")
        },
        "senders_hybla_satellite_1e4": satellite["hybla", 1e-4],
        "senders_hybla_unlimited": unlimited["hybla"],
        "senders_newreno_unlimited": unlimited["newreno"],
        "senders_five_harm": int((found.head(5)["high"] < 1).sum()),
        "senders_promises": len(promised),
        "senders_kept": int(ended.get("yes", 0)),
        "senders_perhaps": int(ended.get("perhaps", 0)),
        "senders_broken": int(ended.get("no", 0)),
        **{
            f"senders_cdg_{name}_{engine}": linux.at[loss, engine]
            for loss, name in ((1e-4, "1e4"), (1e-3, "1e3"))
            for engine in ("ours", "linux")
        },
        "senders_others": len(others),
        "senders_others_open": int((others["reason"] == "not explained").sum()),
        "senders_others_same": int((others["reason"] == "").sum()),
    }


def numbers_long(runs: Runs) -> dict[str, float | str]:
    """Return the numbers of the second page's sentences."""
    cost = senders_long.outage_costs(runs).set_index(["sender", "length_s"])["cost_s"]
    lossy = senders_long.lossy(runs).set_index(["sender", "loss"])["Mb/s"]
    begun = senders_long.begun(senders_long.start(runs))
    satellite = senders_long.satellite(runs).set_index(["sender", "loss"])
    begins = senders_long.hybla_starts(runs).set_index(["start", "window"])
    near = senders_long.neighbour_table(runs).set_index("sender")["neighbour"]
    promised = senders_long.promises(runs)
    ended = promised["kept"].value_counts()
    return {
        **{f"senders_more_outage_{name}": cost[name, 5.0] for name in senders_long.ASKING},
        **{f"senders_more_outage_{name}_long": cost[name, 20.0] for name in senders_long.ASKING},
        **{
            f"senders_more_{name}_{place}": lossy[name, loss]
            for name in senders_long.ASKING
            for loss, place in ((1e-4, "1e4"), (1e-3, "1e3"), (1e-2, "1e2"))
        },
        **{f"senders_more_begun_{name.replace('-', '_')}": value for name, value in begun.items()},
        **{
            f"senders_more_{name}{end}": satellite.at[(name, 1e-3), column]
            for name in ("cherry", "peach", "newreno", "hybla")
            for end, column in (("", "Mb/s"), ("_half", "halfwidth"))
        },
        "senders_more_cherry_extra": satellite.at[("cherry", 1e-3), "extra"],
        "senders_more_cherry_extra_most": satellite.at[("cherry", 1e-2), "extra"],
        "senders_more_newreno_extra": satellite.at[("newreno", 1e-3), "extra"],
        **{
            f"senders_more_{name}": begins.at[(name, 64_000), "Mb/s"]
            for name in begins.index.levels[0]
        },
        "senders_more_neither_limited": begins.at[("neither", 3914), "Mb/s"],
        **{
            f"senders_more_again_{name}": begins.at[(name, 64_000), "retransmissions"]
            for name in ("estimate", "both", "neither")
        },
        "senders_more_hybla_neighbour": near["hybla-2004"],
        **{f"senders_more_{name}_neighbour": near[name] for name in ("cherry", "peach", "probing")},
        "senders_more_promises": len(promised),
        "senders_more_kept": int(ended.get("yes", 0)),
        "senders_more_broken": int(ended.get("no", 0)),
    }


# --- the chapter


def chapter(**parameters: Any) -> Chapter:
    """Return the chapter at a setting (`senders.setting`)."""
    at = senders.setting(**parameters)
    return Chapter(
        name="senders",
        setting=at,
        experiments=(*senders.experiments(at), *senders_long.experiments(at)),
        figures=(*_page(), *_second_page()),
    )


def _page() -> Iterator[Figure | Table]:
    yield Figure(
        name="senders-path",
        data=lambda _: charts.SETTING,
        chart=lambda *_: pictures.draw(senders.scenario("vegas", beside="newreno")),
        narrow=lambda *_: pictures.draw(senders.scenario("vegas", beside="newreno"), down=True),
        caption="The path of this chapter. One sender has it alone, or a second one is there too.",
    )
    yield Figure(
        name="senders-signals",
        data=lambda _: charts.window_signals(),
        chart=lambda data, _: charts.signals(data),
        caption="What one sender alone sees of a link of 10 Mb/s, by the size of its window: rate, "
        "delay, and loss. The three are three signals, and every sender goes by one of them or by "
        "a mixture.",
    )
    yield Figure(
        name="senders-queues",
        uses=("senders-queues",),
        data=lambda runs: runs.derived(senders.queues),
        chart=lambda data, _: charts.queues(data),
        caption="The queue in front of the link, of 119 packets at most, while a sender has the "
        "link alone. Loss as the signal makes teeth up to the brim; delay as the signal holds the "
        "queue where its rule says.",
    )
    yield Figure(
        name="senders-growth",
        uses=("senders-growth",),
        data=lambda runs: runs.derived(senders.growth),
        chart=lambda data, _: charts.growth(data),
        caption="Windows on a link of 200 Mb/s with a round trip of 0.1 s, where one packet in "
        "200,000 is lost. In the grey band there is a queue; above it the buffer overflows. All "
        "senders meet the same losses until they part.",
    )
    yield Figure(
        name="senders-lossy",
        uses=("senders-lossy",),
        data=senders.lossy,
        chart=lambda data, _: charts.lossy(data),
        caption="Goodput of one flow alone over the probability that the link loses a packet, "
        "means of five runs of a minute with 95 % intervals. The dotted line is what the link can "
        "carry.",
    )
    yield Figure(
        name="senders-round-trips",
        uses=("senders-round-trips",),
        data=senders.round_trips,
        chart=lambda data, _: charts.round_trips(data),
        caption="Goodput of one flow alone over the round trip, at a loss in a thousand packets: "
        "means of five runs of 100 s with 95 % intervals. The receiver takes twice what path and "
        "buffer hold.",
    )
    yield Figure(
        name="senders-yielding",
        uses=("senders-yielding",),
        data=lambda runs: runs.derived(senders.yielding),
        chart=lambda data, _: charts.yielding(data),
        caption="Goodput of each sender (coloured) and of a NewReno that comes after 20 s (grey, "
        "dashed), a point a second.",
    )
    yield Figure(
        name="senders-neighbours",
        uses=("senders-beside-newreno",),
        data=lambda runs: runs.derived(senders.neighbour_table),
        chart=lambda data, _: charts.neighbours(data),
        caption="What one NewReno gets beside each sender, as times what it gets beside another "
        "NewReno, with 95 % intervals over eight starting times. In the grey band it is the same "
        "within a tenth; left of it the neighbour is harmed.",
    )
    yield Figure(
        name="senders-satellite",
        uses=("senders-satellite",),
        data=lambda runs: runs.derived(senders.satellite),
        chart=lambda data, _: charts.satellite(data),
        caption="Goodput over the satellite in the first hundred seconds, at two rates of loss, "
        "means of eight runs with 95 % intervals, sorted by the right panel. The link carries 19.2 "
        "Mb/s of payload.",
    )
    yield Table(
        name="senders-choice",
        uses=CHOSEN,
        data=chosen,
        caption="The twelve senders that carry most over the satellite at a loss in a thousand "
        "packets, and what a NewReno gets beside them on the path of 10 Mb/s and 0.1 s; 95 % "
        "intervals",
    )
    yield Table(
        name="senders-promises",
        uses=PROMISED,
        data=lambda runs: charts.promises(senders.promises(runs)),
        caption="What each sender was made for, the measure that stands for it here, what was "
        "found (with 95 % intervals where chance has a part), and whether the promise is kept",
    )
    yield Figure(
        name="senders-others",
        uses=senders.SOURCE_ARCHIVES,
        data=lambda runs: runs.derived(senders.second_sources),
        chart=lambda data, _: charts.second_sources(data),
        caption="Goodput of other implementations over that of our header on the same path, at a "
        "loss in a thousand packets: Linux 6.12 and ns-2.35, with 95 % intervals. In the grey band "
        "both are within a tenth.",
    )
    yield Table(
        name="senders-gaps",
        uses=senders.SOURCE_ARCHIVES,
        data=gaps,
        formats={"ours (Mb/s)": "{:.2f}"},
        caption="Where another implementation differs by more than chance at a loss in a thousand "
        "packets, and why",
    )


def _second_page() -> Iterator[Figure | Table]:
    yield Figure(
        name="senders-outage",
        uses=("senders-more-outage", "senders-more-outlasted"),
        data=lambda runs: stacked(
            left=senders_long.through_outage(runs), right=senders_long.outage_costs(runs)
        ),
        chart=lambda data, _: long_charts.outage(*parts(data)),
        caption="Left: what has arrived while the link goes away for five seconds (grey). Right: "
        "how much longer a transfer of 20 MB takes than without an outage, beside the outage's own "
        "length. 10 Mb/s, a round trip of 0.1 s, a receiver's window of 200 segments.",
    )
    yield Figure(
        name="senders-probing",
        uses=("senders-more-lossy",),
        data=senders_long.lossy,
        chart=lambda data, _: long_charts.probing(data),
        caption="Goodput of one flow alone on the chapter's path over the probability that a "
        "packet is lost: means of five runs of a minute with 95 % intervals.",
    )
    yield Table(
        name="senders-probing-assumed",
        uses=("senders-more-probing",),
        data=lambda runs: assumed(senders_long.probing_assumed(runs)),
        caption="TCP-Probing at a loss in a hundred packets with each assumption made otherwise; "
        "95 % intervals. A round trip is short if it is at most so far from the best towards the "
        "worst one seen",
    )
    yield Figure(
        name="senders-start",
        uses=("senders-more-start",),
        data=senders_long.start,
        chart=lambda data, _: long_charts.start(data),
        caption="What has arrived over the satellite in the first seconds. 20 Mb/s, a round trip "
        "of 0.55 s, half a bandwidth-delay product of buffer, no random losses; the receiver takes "
        "3,914 segments.",
    )
    yield Figure(
        name="senders-supplements",
        uses=("senders-more-satellite",),
        data=senders_long.satellite,
        chart=lambda data, _: long_charts.satellite(data),
        caption="Goodput over the satellite in the first hundred seconds over the probability that "
        "a packet is lost: means of eight runs with 95 % intervals.",
    )
    yield Table(
        name="senders-cherry-assumed",
        uses=("senders-more-cherry",),
        data=lambda runs: assumed(senders_long.cherry_assumed(runs)),
        caption="TCP-Cherry over the satellite at a loss in a thousand packets with each "
        "assumption made otherwise; 95 % intervals. Spare supplements are a tenth of the window by "
        "assumption",
    )
    yield Figure(
        name="senders-hybla-start",
        uses=("senders-more-hybla",),
        data=senders_long.hybla_starts,
        chart=lambda data, _: long_charts.hybla(data),
        caption="Hybla over the satellite at a loss in a thousand packets, in the first hundred "
        "seconds, by what guards its start and by the receiver's window: means of eight runs with "
        "95 % intervals.",
    )
    yield Table(
        name="senders-cdg",
        uses=CDG,
        data=cdg,
        formats={"loss": "{:g}", "ours (Mb/s)": "{:.2f}", "Linux (Mb/s)": "{:.2f}"},
        caption="Goodput of CDG on Linux 6.12 and with two headers, CDG of the paper without its "
        "tolerance of losses and CDG of Linux; three runs of a minute each, 95 % intervals",
    )
    yield Table(
        name="senders-on-ns3",
        uses=ON_BOTH,
        data=on_ns3,
        formats=dict.fromkeys(("ratio", "least", "most"), "{:.3f}"),
        caption="Goodput on the segment engine over that on ns-3 3.44: mean (of the logarithms), "
        "least and most of the runs",
    )
    yield Table(
        name="senders-more-neighbours",
        uses=("senders-more-beside-newreno",),
        data=later_neighbours,
        formats={"its own goodput (Mb/s)": "{:.2f}"},
        caption="Each later sender beside a NewReno on 10 Mb/s and 0.1 s, over eight starting "
        "times, with CDG and HD by their papers; 95 % intervals",
    )
    yield Table(
        name="senders-more-promises",
        uses=(
            *("senders-more-outlasted", "senders-more-lossy", "senders-more-satellite"),
            *("senders-more-beside-newreno", "senders-more-hybla", *CDG),
        ),
        data=lambda runs: charts.promises(senders_long.promises(runs)),
        caption="What each was made for, the measure that stands for it here, what was found (with "
        "95 % intervals where chance has a part), and whether the promise is kept",
    )
