"""The page on transfers around TCP: figures, tables and numbers."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat.book.chapters import transfers_charts as charts
from longfat.experiment import Chapter, Figure, Runs, Table
from longfat.studies import transfers
from longfat.studies.setting import setting


def both_sizes(runs: Runs) -> pd.DataFrame:
    """Return the times of files of every size."""
    return pd.concat([runs.derived(transfers.sizes), runs.derived(transfers.large)])


def numbers(runs: Runs) -> dict[str, float]:
    """Return the numbers of the page's sentences."""
    large = runs.derived(transfers.large)
    small = runs.derived(transfers.sizes).set_index(["way", "bytes", "how"])["ratio"]
    giga = large.set_index(["way", "how"])["ratio"]
    beyond = charts.overhead(large).set_index("path")
    model = runs.derived(transfers.modelled)
    holds = model[model["holds"]]
    at = model.set_index(["loss", "bytes"])["ratio"]
    rated = runs.derived(transfers.rates).set_index(["how", "part"])
    left = 100 * runs.derived(transfers.harm).set_index("how")["left"]
    by_path = 100 * runs.derived(transfers.harm_by_path).set_index(["way", "how"])["left"]
    several = runs.derived(transfers.streams)
    rule = several.set_index("rule")
    later = runs.derived(transfers.breaks).set_index("markers")["later"]
    beside = runs.derived(transfers.beside_ns3)
    datagrams = beside["how"].isin(["RBUDP", "Tsunami"])
    gridftp = "GridFTP, 8 streams"
    return {
        "transfers_tcp_large": giga["JAPAN", "standard TCP"],
        "transfers_cubic_large": giga["JAPAN", "CUBIC"],
        "transfers_bbr_large": giga["JAPAN", "BBR 3"],
        "transfers_four_large": giga["JAPAN", "4 parallel"],
        "transfers_gridftp_large": giga["JAPAN", gridftp],
        "transfers_rbudp_large": giga["JAPAN", "RBUDP"],
        "transfers_tsunami_large": giga["JAPAN", "Tsunami"],
        "transfers_tcp_small": small["JAPAN", 1e6, "standard TCP"],
        "transfers_gridftp_small": small["JAPAN", 1e6, gridftp],
        "transfers_rbudp_small": small["JAPAN", 1e6, "RBUDP"],
        "transfers_tcp_radio": small["lossy radio", 1e8, "standard TCP"],
        "transfers_gridftp_radio": small["lossy radio", 1e8, gridftp],
        "transfers_bbr_moon": small["MOON", 1e8, "BBR 3"],
        "transfers_tcp_moon": small["MOON", 1e8, "standard TCP"],
        "transfers_tcp_moon_large": giga["MOON", "standard TCP"],
        "transfers_bbr_moon_large": giga["MOON", "BBR 3"],
        "transfers_cubic_moon_large": giga["MOON", "CUBIC"],
        "transfers_tcp_satellite_large": giga["satellite", "standard TCP"],
        "transfers_gridftp_satellite_large": giga["satellite", gridftp],
        "transfers_bbr_satellite_large": giga["satellite", "BBR 3"],
        "transfers_over_headers": 100 * (transfers.PACKET_BYTES / transfers.SEGMENT - 1),
        "transfers_over_rbudp": beyond["RBUDP"].min(),
        "transfers_over_radio": beyond.at["lossy radio", gridftp],
        "transfers_over_moon": beyond.at["MOON", "BBR 3"],
        "transfers_model_off": 100 * (holds["ratio"] - 1).abs().max(),
        "transfers_model_cases": len(holds),
        "transfers_model_bitmap": 100 * (at[0.0, 5e8] - 1),
        "transfers_model_worst": at[0.2, 1e6],
        "transfers_model_large": at[0.2, 5e8],
        "transfers_rbudp_twice": rated.at[("RBUDP", 2.0), "sent"],
        "transfers_rbudp_twice_time": rated.at[("RBUDP", 2.0), "time"],
        "transfers_rbudp_third": rated.at[("RBUDP", 0.3), "time"],
        "transfers_tsunami_sent": rated.at[("Tsunami", 1.2), "sent"],
        "transfers_tsunami_time": rated.at[("Tsunami", 1.2), "time"],
        "transfers_tsunami_below": rated.at[("Tsunami", 0.95), "sent"],
        "transfers_rbudp_left": left["RBUDP"],
        "transfers_tsunami_left": left["Tsunami"],
        "transfers_gridftp_left": left[gridftp],
        "transfers_four_left": left["4 parallel"],
        "transfers_bbr_left": left["BBR 3"],
        "transfers_cubic_left": left["CUBIC"],
        "transfers_radio_rbudp_left": by_path["lossy radio", "RBUDP"],
        "transfers_radio_gridftp_left": by_path["lossy radio", gridftp],
        "transfers_satellite_rbudp_left": by_path["satellite", "RBUDP"],
        "transfers_satellite_gridftp_left": by_path["satellite", gridftp],
        "transfers_moon_rbudp_left": by_path["MOON", "RBUDP"],
        "transfers_streams_eight": rule.at["8 stated", "time"],
        "transfers_streams_sixteen": rule.at["16 stated", "time"],
        "transfers_streams_found": several["used"].iloc[-2],
        "transfers_breaks_none": later["no markers"],
        "transfers_breaks_five": later["a marker every 5 s"],
        "transfers_breaks_one": later["a marker every 1 s"],
        "transfers_ns3_streams": 100 * (beside.loc[~datagrams, "ratio"] - 1).abs().max(),
        "transfers_ns3_blasts": 100 * (beside.loc[datagrams, "ratio"] - 1).abs().max(),
    }


def chapter(**parameters: Any) -> Chapter:
    """Return the page at a setting (`setting.setting`)."""
    at = setting(**parameters)
    return Chapter(
        name="transfers",
        setting=at,
        experiments=transfers.experiments(at),
        figures=tuple(_shown()),
    )


def _shown() -> Iterator[Figure | Table]:
    yield Table(
        name="transfers-paths",
        data=lambda _: charts.SETTING,
        formats={
            "rate (Mb/s)": "{:g}",
            "round trip (s)": "{:g}",
            "loss": "{:g}",
            "a bandwidth-delay product (MB)": "{:.2f}",
        },
        caption="The paths of this chapter. Rates, and the round trip of JAPAN, are the survey's; "
        "the other three are out and back through fibre. Losses are ours, and every queue holds a "
        "bandwidth-delay product",
    )
    yield Figure(
        name="transfers-sizes",
        uses=("transfers-sizes", "transfers-large"),
        data=both_sizes,
        chart=lambda data, _: charts.sizes(data),
        caption="Time of a file over what the link alone would take, by the size of the file: "
        "means of two runs. Datagrams are sent at nine tenths of the link's rate.",
    )
    yield Table(
        name="transfers-largest",
        data=lambda _: charts.largest(transfers.largest()),
        caption="A terabyte by the model, not by runs: the link alone, standard TCP, eight of its "
        "streams, and RBUDP at nine tenths of the rate",
    )
    yield Table(
        name="transfers-overhead",
        uses=("transfers-large",),
        data=lambda runs: charts.overhead(runs.derived(transfers.large)),
        formats=dict.fromkeys(transfers.METHODS, "{:.1f}"),
        caption="What is sent beyond a gigabyte, in percent of it: headers, what is sent again, "
        "control messages; means of two runs",
    )
    yield Figure(
        name="transfers-model",
        uses=("transfers-rbudp",),
        data=lambda runs: runs.derived(transfers.modelled),
        chart=lambda data, _: charts.modelled(data),
        caption="RBUDP's time in the engine over that of its model, at 90 Mb/s over a link of 100 "
        "Mb/s and 0.1 s: means of twenty runs with 95 % intervals. In the grey band both are "
        "within a twentieth.",
    )
    yield Figure(
        name="transfers-rates",
        uses=("transfers-rates",),
        data=lambda runs: runs.derived(transfers.rates),
        chart=lambda data, _: charts.rates(data),
        caption="20 MB over a link of 10 Mb/s and 0.1 s, by the rate that the sender is told (of "
        "payload). A transfer that is not done in a hundred times the fluid limit has no point on "
        "the left.",
    )
    yield Figure(
        name="transfers-settling",
        uses=("transfers-settling",),
        data=transfers.settling,
        chart=lambda data, _: charts.settling(data),
        caption="Tsunami's rate, and the error rate that its receiver tells, where it is told 12 "
        "Mb/s and the link has 10 (dotted; the dotted line below is the threshold of 7.5 %).",
    )
    yield Figure(
        name="transfers-harm",
        uses=("transfers-harm",),
        data=lambda runs: runs.derived(transfers.harm),
        chart=lambda data, _: charts.harm(data),
        caption="What a NewReno has left while 30 MB go over the same link of 10 Mb/s and 0.1 s, "
        "over what it has beside standard TCP; 95 % intervals over five starting times.",
    )
    yield Figure(
        name="transfers-harm-by-path",
        uses=("transfers-harm-by-path",),
        data=lambda runs: runs.derived(transfers.harm_by_path),
        chart=lambda data, _: charts.harm_by_path(data),
        caption="What a NewReno has left while a file goes over each of the six paths, over what "
        "it has beside standard TCP, which has met the same losses before; 95 % intervals over "
        "eight runs.",
    )
    yield Table(
        name="transfers-tunings",
        uses=("transfers-tunings",),
        data=lambda runs: charts.tunings(runs.derived(transfers.tunings)),
        caption="What each tuning makes of a short and a long file: the time, and how many times "
        "as fast as with a first window of 3 segments, with 95 % intervals where chance has a part "
        "(run by run, the mean of the logarithms)",
    )
    yield Table(
        name="transfers-sentences",
        uses=("transfers-large", "transfers-tunings"),
        data=lambda runs: charts.sentences(
            transfers.sentences(runs.derived(transfers.large), runs.derived(transfers.tunings))
        ),
        caption="The survey's sentences on tunings and on methods around TCP, and what became of "
        "them in these runs",
    )
    yield Table(
        name="transfers-streams",
        uses=("transfers-streams",),
        data=lambda runs: charts.streams(runs.derived(transfers.streams)),
        caption="A gigabyte over JAPAN by GridFTP, by the number of its streams: means of eight "
        "runs with 95 % intervals",
    )
    yield Table(
        name="transfers-breaks",
        uses=("transfers-breaks",),
        data=lambda runs: charts.breaks(runs.derived(transfers.breaks)),
        caption="A gigabyte over JAPAN by eight streams of GridFTP that are cut after 9.5 s, while "
        "eight others go on at 12 s: means of three runs. A marker costs nothing here",
    )
    yield Table(
        name="transfers-ns3",
        uses=("transfers-ns3", "transfers-beside"),
        data=lambda runs: charts.comparison_table(runs.derived(transfers.beside_ns3)),
        caption="Times on ns-3 (20 MB over JAPAN, 10 MB over the satellite, 2 MB over the radio), "
        "and those of the segment engine as times these, with 95 % intervals over eight runs",
    )
