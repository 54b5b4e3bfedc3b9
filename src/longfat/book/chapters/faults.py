"""The page "ns-3 3.44, fault by fault": its tables and figures."""

import pandas as pd

from longfat import statistics
from longfat.book.chapters import cross_check_charts
from longfat.book.chapters import faults_charts as charts
from longfat.book.charts import beside
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import ns3_faults
from longfat.studies.setting import setting


def goodputs(runs: Runs) -> pd.DataFrame:
    """Return what each leg carries, in words."""
    table = ns3_faults.goodputs(runs)
    return table.assign(sender=[cross_check_charts.label(name) for name in table["sender"]])


def changes(runs: Runs) -> pd.DataFrame:
    """Return `ns3_faults.changes`, with the places where legs stand beside each other."""
    legs = (ns3_faults.SOCKET, ns3_faults.STOCK)
    return beside(ns3_faults.changes(runs), "loss", "leg", legs, ratio=1.15)


def square_root(runs: Runs) -> pd.DataFrame:
    """Return the means of `ns3_faults.square_root`."""
    return statistics.interval(ns3_faults.square_root(runs), ["sender", "loss"], "ratio")


def chapter(profile: str = "paper", seeds: int | None = None) -> Chapter:
    """Return the page at a setting (`setting.setting`)."""
    at = setting(profile, seeds)
    return Chapter(
        name="faults",
        setting=at,
        experiments=ns3_faults.experiments(at),
        figures=(
            Figure(
                name="faults-recovery",
                uses=tuple(ns3_faults.RECOVERIES),
                data=ns3_faults.one_recovery,
                chart=lambda data, _: charts.one_recovery(data),
                caption="Left: after a loss the window falls from 560 segments to half of them, "
                "over a round trip by RFC 9937, twice as fast by ns-3 3.44. Right: meanwhile half "
                "of what arrives is sent by RFC 9937, and by ns-3 nothing, then all.",
            ),
            Table(
                name="faults-socket",
                data=lambda _: ns3_faults.worded(of_controls=False),
                caption="Faults of ns-3 3.44's loss recovery and socket",
            ),
            Table(
                name="faults-controls",
                data=lambda _: cross_check_charts.named(ns3_faults.worded(of_controls=True)),
                caption="Faults of ns-3 3.44's congestion controls",
            ),
            Figure(
                name="faults-changes",
                uses=ns3_faults.GOODPUT,
                data=changes,
                chart=lambda data, _: charts.changes(data),
                caption="What ns-3's goodput is over the segment engine's, in per cent and by "
                "pairs of runs, with 95 % intervals: with our congestion control and recovery in "
                "its socket, and as it is distributed.",
            ),
            Table(
                name="faults-goodput",
                uses=ns3_faults.GOODPUT,
                data=goodputs,
                formats={"loss": "{:g}"}
                | {f"timeouts, {label}": "{:.1f}" for label in ns3_faults.LEGS},
                caption="Goodput in Mb/s with its 95 % interval, and timeouts of a run (means)",
            ),
            Figure(
                name="faults-square-root",
                uses=ns3_faults.SQUARE_ROOT,
                data=square_root,
                chart=lambda data, _: charts.square_root(
                    data, ns3_faults.with_a_round_of_recovery(data["loss"])
                ),
                caption="Mean window over the square-root law, with 95 % intervals: our three "
                "senders keep to it, but for a round trip of recovery; ns-3's TcpLinuxReno rises "
                "above it where losses are many, ns-3's TcpNewReno stays below it.",
            ),
            Table(
                name="faults-without-sack",
                uses=ns3_faults.WITHOUT_SACK,
                data=ns3_faults.without_sack,
                formats={"Mb/s": "{:.1f}"},
                caption="NewReno without SACK for a minute on the survey's small pipe (20 Mb/s, "
                "0.1 s)",
            ),
        ),
    )
