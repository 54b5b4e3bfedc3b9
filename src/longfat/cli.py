"""The command line: longfat model, simulate, draw, export, sweep, audit, reproduce, cc, figure."""

import contextlib
import json
import os
import sys
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.errors import InputError, LongfatError
from longfat.papers import value

if TYPE_CHECKING:
    import pandas as pd

# What a command needs it imports itself: `longfat --help` answers at once.
ENGINES = "Which engine runs it: segment, core, ns3, linux or ns2."


class _Group(click.Group):
    """A group whose commands report our errors in one line, with our exit status."""

    def invoke(self, ctx):
        warnings.formatwarning = lambda message, *_, **__: f"longfat: {message}\n"
        try:
            return super().invoke(ctx)
        except LongfatError as error:
            click.echo(f"longfat: {error}", err=True)
            ctx.exit(error.exit_status)
        except ModuleNotFoundError as error:
            click.echo(
                f"longfat: this command needs the package '{error.name}', which is not installed: "
                "pip install 'longfat[book]'",
                err=True,
            )
            ctx.exit(InputError.exit_status)


def _print(table: "pd.DataFrame", as_json: bool) -> None:
    click.echo(
        table.to_json(orient="records", indent=2) if as_json else table.to_string(index=False)
    )


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longfat")
def main():
    """Long, Fat & Lossy: TCP over satellites, radio links and intercontinental paths."""


@main.group()
def model():
    """Evaluate a paper's equations."""


def _stated(option: str, name: str, what: str, type: type = float):
    """Return an option whose default is a parameter of the paper on Hybla."""
    default = type(value("hybla", name))
    return click.option(option, type=type, default=default, show_default=True, help=what)


@model.command("hybla")
@click.option("--loss", type=float, multiple=True, required=True, help="Probability of loss.")
@_stated("--rtt", "rtt", "Round-trip time (s).")
@_stated("--rtt0", "rtt0", "Reference RTT (s).")
@_stated("--max-window", "max_window", "W_m (segments).")
@_stated("--segment-bytes", "packet_size", "Bytes of a segment.", type=int)
@click.option("--segments", type=float, multiple=True, help="Also the time to transfer so many.")
@_stated("--rto", "rto", "T_0 (s).")
@click.option(
    "--model",
    type=click.Choice(["printed", "renewal"]),
    default="printed",
    show_default=True,
    help="Of the throughput: the paper's, or ours, which keeps the windows' distribution.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def model_hybla(loss, rtt, rtt0, max_window, segment_bytes, segments, rto, model, as_json):
    """TCP Hybla's throughput, by either model, and transfer times, by the paper's."""
    import numpy as np
    import pandas as pd

    from longfat.papers import hybla

    losses = np.array(loss)
    throughput = hybla.throughput(losses, rtt, rtt0, max_window, model=model)
    table = pd.DataFrame(
        {
            "loss": losses,
            "throughput_segments_per_s": throughput,
            "throughput_bps": 8 * segment_bytes * throughput,
        }
    )
    for size in segments:
        table[f"transfer_time_s_of_{size:g}_segments"] = hybla.transfer_time(
            segments=size, loss=losses, rtt=rtt, rtt0=rtt0, max_window=max_window, rto=rto
        )
    _print(table, as_json)


@model.command("survey")
@click.option("--loss", type=float, multiple=True, required=True, help="Probability of loss.")
@click.option("--rtt", type=float, default=0.1, show_default=True, help="Round-trip time (s).")
@click.option("--segment-bytes", type=int, default=1448, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def model_survey(loss, rtt, segment_bytes, as_json):
    """Throughput of standard TCP, HSTCP and Scalable TCP, by their response functions."""
    from longfat.papers import survey

    _print(survey.responses(loss, rtt, segment_bytes), as_json)


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option("--engine", default="segment", show_default=True, help=ENGINES)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw windows, round trips, queues and goodput over time into this file (SVG, PNG, PDF).",
)
def simulate(scenario_file, engine, as_json, plot):
    """Simulate the scenario in SCENARIO_FILE (JSON)."""
    from longfat import pictures
    from longfat.engines import simulate as run
    from longfat.scenario import Scenario

    scenario = Scenario.from_file(scenario_file)
    if plot and not scenario.record.series:  # what a run keeps does not change what it does
        scenario = scenario.with_(record={"series": pictures.RECORDED})
    result = run(scenario, engine=engine)
    if plot:
        pictures.save(result.plot(), plot)
    if as_json:
        click.echo(json.dumps(result.to_dict(), indent=2))
    else:
        if scenario.flows:
            _print(result.flows, as_json=False)
        if scenario.transfers:
            _print(result.transfers, as_json=False)


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File of the drawing; its end says what it is (SVG, PNG, PDF).",
)
def draw(scenario_file, output):
    """Draw the network and the flows of SCENARIO_FILE (JSON)."""
    from longfat import pictures
    from longfat.scenario import Scenario

    pictures.save(Scenario.from_file(scenario_file).draw(), output)


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option("--to", required=True, help="A shell script for Linux (netns), or Python (mininet).")
@click.option("--output", type=click.Path(path_type=Path), help="Write a file instead.")
def export(scenario_file, to, output):
    """Write SCENARIO_FILE (JSON) as a program for a testbed of real Linux hosts."""
    from longfat.export import export as program
    from longfat.scenario import Scenario

    text = program(Scenario.from_file(scenario_file), to)
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            output.write_text(text, encoding="utf-8")
            output.chmod(0o755)
        except OSError as error:
            raise InputError(f"{output}: cannot be written: {error.strerror}") from None


@main.command()
@click.argument("scenarios_file", type=click.Path(path_type=Path))
@click.option("--engine", default="segment", show_default=True, help=ENGINES)
@click.option("--output", type=click.Path(path_type=Path), help="Write a CSV file instead.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True
)
@click.option("--address", help="Of the Dask scheduler, such as tcp://host:8786.")
@click.option("--workers", type=click.IntRange(min=1), help="Runs at once.  [default: all cores]")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=3600.0,
    show_default=True,
    help="Of a run (s).",
)
@click.option("--memory-limit", type=click.FloatRange(min=0, min_open=True), help="Of a run (MB).")
def sweep(scenarios_file, engine, output, executor, address, workers, time_limit, memory_limit):
    """Simulate all scenarios of SCENARIOS_FILE (a JSON list); again, to go on after a break."""
    from longfat.scenario import Scenario
    from longfat.sweeps import sweep as run

    try:
        items = json.loads(scenarios_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{scenarios_file}: cannot be read as JSON: {error}") from None
    if not isinstance(items, list) or not items:
        raise InputError(f"{scenarios_file}: a sweep is a JSON list of scenarios")
    scenarios = [
        Scenario.from_json(json.dumps(item), where=f"{scenarios_file}: scenario {number}")
        for number, item in enumerate(items)
    ]
    with _executor(executor, address, workers) as chosen:
        table = run(
            scenarios,
            engine=engine,
            executor=chosen,
            time_limit_s=time_limit,
            memory_limit_bytes=None if memory_limit is None else round(memory_limit * 1e6),
        )
    if output is None:
        _print(table, as_json=False)
    else:
        unfinished = output.with_suffix(".tmp")
        table.to_csv(unfinished, index=False, lineterminator="\n")
        unfinished.replace(output)


@contextlib.contextmanager
def _executor(name: str, address: str | None, workers: int | None):
    """Make the executor that the options of `sweep` ask for."""
    if name == "local":
        if address:
            raise InputError("--address is for --executor dask")
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers or os.cpu_count()) as threads:
            yield threads
        return
    if not address or workers:
        raise InputError(
            "--executor dask needs --address, such as tcp://host:8786, and no --workers: "
            "the cluster has its own"
        )
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--executor dask needs Dask: pip install 'longfat[dask]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        yield client.get_executor()


@main.command()
@click.option("--rate", type=float, required=True, help="Of the bottleneck (bit/s), such as 50e6.")
@click.option("--rtt", type=float, required=True, help="Of the empty path (s).")
@click.option("--loss", type=float, default=0.0, show_default=True, help="Probability, a packet.")
@click.option("--buffer", type=float, default=1.0, show_default=True, help="In rate times RTT.")
@click.option("--beside", default="", help="A neighbour, such as cubic: what does it keep?")
@click.option("--senders", default="", help="Compare these alone: names with commas.")
@click.option("--seeds", type=click.IntRange(min=2), default=3, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(rate, rtt, loss, buffer, beside, senders, seeds, as_json):
    """Which sender for a path? All over it, with 95 % intervals, the largest goodput first."""
    import pandas as pd

    from longfat.studies import which_sender

    among = [name.strip() for name in senders.split(",") if name.strip()]
    table = which_sender.compare(rate, rtt, loss, buffer, beside, among, seeds)
    if as_json:
        _print(table, as_json)
        return
    first = table["runs"].max()
    how = f"{first} runs each, simulated" if first else "from the archive of the atlas"
    click.echo(f"{len(table)} senders, {how}. Intervals are of 95 %.\n")
    shown = pd.DataFrame({"sender": table["sender"], "Mb/s": table["Mb/s"].map("{:.3g}".format)})
    _add_interval(shown, table, "low", "high", "")
    shown["RTT, 95 %"] = table["rtt_95"].map("{:.2f} x".format)
    shown["sent again"] = (100 * table["repeated"]).map("{:.2g} %".format)
    if beside:
        shown[f"{beside} keeps"] = (100 * table["keeps"]).map("{:.0f} %".format)
        _add_interval(
            shown, 100 * table[["keeps_low", "keeps_high"]], "keeps_low", "keeps_high", "%"
        )
    _print(shown, as_json)


def _add_interval(shown, table, low: str, high: str, unit: str) -> None:
    """Add a column with an interval to the table that is printed."""
    name = f"[{unit}]" if unit else "[Mb/s]"
    shown[name] = [
        f"{one:.3g} to {other:.3g}" for one, other in zip(table[low], table[high], strict=True)
    ]


@main.command()
@click.option("--sample", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--seed", type=int, help="Draw the same sample again.")
@click.option("--experiment", help="Draw from this experiment only.")
@click.option(
    "--accept",
    is_flag=True,
    help="Where code has changed, draw that many runs for each engine and congestion control, and "
    "take the code for that of its version if every digit agrees.",
)
def audit(sample, seed, experiment, accept):
    """Run archived runs again and compare every digit."""
    from longfat import audit as auditing

    if accept and experiment:
        raise InputError("--accept draws from every experiment: leave --experiment out")
    if accept:
        table = auditing.accept(sample, seed, report=click.echo)
    else:
        table = auditing.audit(sample, seed, experiment, report=click.echo)
    if not table["equal"].all():
        sys.exit(1)


@main.command()
@click.argument("chapter", required=False)
def reproduce(chapter):
    """Compute CHAPTER's archive (or every one) again at the paper's scale; say what changed.

    "ns2" is a page of the book that is no chapter, and has an archive of its own.
    """
    import pandas as pd

    from longfat import reproduce as reproducing
    from longfat.book import chapters
    from longfat.studies import ns2_beside

    objects = {name: one.run for name, one in chapters.stated().items()}
    pages = {"ns2": ns2_beside.make} | objects
    chosen = [chapter] if chapter else list(dict.fromkeys([*reproducing.chapters(), *pages]))
    tables = [reproducing.reproduce(name, pages.get(name)) for name in chosen]
    _print(pd.concat(tables), as_json=False)


@main.command()
@click.argument("chapter", required=False)
def judge(chapter):
    """Judge the claims of CHAPTER (or of all) again: write data/verdicts.csv, say what changed."""
    import pandas as pd

    from longfat.book import chapters, verdicts
    from longfat.errors import InputError

    stated = {name: one for name, one in chapters.stated().items() if one.claims}
    if chapter and chapter not in stated:
        raise InputError(f"no claims are judged in '{chapter}': they are in {', '.join(stated)}")
    before = verdicts.verdicts().set_index("id")["verdict"]
    tables = [verdicts.judged(stated[name]) for name in ([chapter] if chapter else stated)]
    for table in tables:
        verdicts.write(table)
    after = pd.concat(tables).set_index("id")["verdict"]
    changed = pd.DataFrame({"before": before.reindex(after.index), "now": after})
    changed = changed[changed["before"] != changed["now"]].reset_index()
    click.echo(f"{len(after)} claims judged, {len(changed)} verdicts changed.")
    if len(changed):
        _print(changed, as_json=False)


@main.group()
def cc():
    """The congestion controls."""


@cc.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cc_list(as_json):
    """List the congestion controls with their parameters and sources."""
    import pandas as pd

    from longfat import engines
    from longfat.cc import catalogue

    _print(
        pd.DataFrame(
            [
                {
                    "name": name,
                    "title": algorithm.title,
                    "code": algorithm.header or "ns-3",
                    "parameters": ", ".join(
                        f"{p.name}={p.default} ({p.range})" for p in algorithm.parameters.values()
                    ),
                    "engines": ", ".join(engines.with_control(name)),
                    "source": algorithm.source,
                }
                for name, algorithm in catalogue.algorithms().items()
            ]
        ),
        as_json,
    )


@main.command()
@click.argument("name", required=False)
@click.option("--list", "list_them", is_flag=True, help="List the figures and tables, with times.")
@click.option("--measure", is_flag=True, help="Measure missing times (minutes to hours).")
@click.option("--profile", type=click.Choice(["paper", "quick"]), help="Scale of the experiment.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any parameter.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("."), help="Folder for the files."
)
def figure(name, list_them, measure, profile, settings, output):
    """Re-execute one figure or table: NAME.png, NAME.svg and its data as NAME.csv."""
    from longfat.book import figures

    if measure:
        figures.measure((profile,) if profile else ("quick", "paper"))
    if list_them or measure or name is None:
        _list_figures()
        return
    parameters = figures.parse_settings(settings) | ({"profile": profile} if profile else {})
    for path in figures.execute(name, output, parameters):
        click.echo(path)


def _list_figures() -> None:
    """Print the figures with what they take: minutes and seconds, where measured."""
    from longfat.book import figures

    table = figures.times()
    columns = {
        "quick_s": "quick",
        "paper_s": "paper",
        "simulated_s": "paper, simulated again",
    }
    for column in columns:
        table[column] = [_minutes(seconds) for seconds in table[column]]
    table["shows"] = [textwrap.shorten(what, 60, placeholder=" …") for what in table["shows"]]
    _print(table.rename(columns=columns), as_json=False)
    click.echo(
        "\nTimes in min:s as measured, by profile: quick simulates, paper takes the archive's "
        "results.\nSimulated again, it takes so much of one core. "
        "--measure measures what is missing."
    )


def _minutes(seconds: float) -> str:
    if seconds != seconds:
        return "not measured"
    return f"{int(seconds + 0.5) // 60}:{int(seconds + 0.5) % 60:02d}" if seconds else "0"


@main.command()
@click.argument("name")
def new(name):
    """Begin an experiment: a notebook, a scenario and a congestion control that run at once."""
    from longfat.book.new import experiment

    for path in experiment(name, report=lambda line: click.echo(line, err=True)):
        click.echo(path)
