"""The command line: longfat model, simulate, leo, draw, export, trace, sweep, audit, figure, ..."""

import contextlib
import gzip
import json
import os
import sys
import textwrap
import threading
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from longfat.errors import InputError, LongfatError, as_list, quoted
from longfat.papers import value

if TYPE_CHECKING:
    import pandas as pd

# What a command needs it imports itself: `longfat --help` answers at once.
AFTER_S = 2.0  # a run that takes longer says how far it is
ENGINES = "Which engine runs it: segment, ns3, linux or ns2."


class _Group(click.Group):
    """A group whose commands report our errors in one line, with our exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        warnings.formatwarning = lambda message, *_, **__: f"longfat: {message}\n"
        try:
            return super().invoke(ctx)
        except LongfatError as error:
            click.echo(f"longfat: {error}", err=True)
            ctx.exit(error.exit_status)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            extra = "papers" if package in ("pyarrow", "scipy", "sympy") else "book"
            click.echo(
                f"longfat: this command needs the package '{package}', which is not installed: "
                f"pip install 'longfat[{extra}]'",
                err=True,
            )
            ctx.exit(InputError.exit_status)


def _print(table: "pd.DataFrame", as_json: bool) -> None:
    click.echo(
        table.to_json(orient="records", indent=2) if as_json else table.to_string(index=False)
    )


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longfat")
def main() -> None:
    """Long, Fat & Lossy: TCP over satellites, radio links and intercontinental paths."""


@main.group()
def model() -> None:
    """Evaluate a paper's equations."""


def _stated(option: str, name: str, what: str, type: type = float) -> Any:
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
def model_hybla(
    loss: float,
    rtt: float,
    rtt0: float,
    max_window: float,
    segment_bytes: int,
    segments: tuple[float, ...],
    rto: float,
    model: Literal["printed", "renewal"],
    as_json: bool,
) -> None:
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
def model_survey(loss: float, rtt: float, segment_bytes: int, as_json: bool) -> None:
    """Throughput of standard TCP, HSTCP and Scalable TCP, by their response functions."""
    from longfat.papers import survey

    _print(survey.responses(loss, rtt, segment_bytes), as_json)


def _time_limit(default_s: float = 3600.0) -> Any:
    """Return the option of what a run may take."""
    return click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=default_s,
        show_default=True,
        help="Of a run (s).",
    )


_header = click.option(
    "--header",
    type=click.Path(path_type=Path),
    multiple=True,
    help="The path of a congestion control's header that the scenario names.",
)


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option("--engine", default="segment", show_default=True, help=ENGINES)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw windows, round trips, queues and goodput over time into this file (SVG, PNG, PDF).",
)
@_header
@_time_limit()
def simulate(
    scenario_file: Path,
    engine: str,
    as_json: bool,
    plot: Path | None,
    header: tuple[Path, ...],
    time_limit: float,
) -> None:
    """Simulate the scenario in SCENARIO_FILE (JSON)."""
    from longfat import pictures
    from longfat.cc import catalogue
    from longfat.engines import simulate as run
    from longfat.scenario import Scenario

    for path in header:
        catalogue.named(str(path))
    scenario = Scenario.from_file(scenario_file)
    if plot and not scenario.record.series:  # what a run keeps does not change what it does
        scenario = scenario.replace(record={"series": pictures.RECORDED})
    with _progress(engine, scenario.duration_s, time_limit):
        result = run(scenario, engine=engine, time_limit_s=time_limit)
    if plot:
        pictures.save(pictures.plot(result), plot)
    if as_json:
        click.echo(json.dumps(result.to_dict(), indent=2))
    else:
        if scenario.flows:
            _print(result.flows, as_json=False)
        if scenario.transfers:
            _print(result.transfers, as_json=False)
        if scenario.media_streams:
            _print(result.media_streams, as_json=False)
        if result.provenance.get("build") == "wasm":
            click.echo(f"({engine} ran as {_BUILDS['wasm']})", err=True)


_BUILDS = {
    "native": "compiled for this machine",
    "wasm": "WebAssembly, which gives the same digits and takes about twice as long",
}


@contextlib.contextmanager
def _progress(engine: str, duration_s: float, time_limit_s: float) -> Iterator[None]:
    """Show on a terminal, after two seconds, how far a run is and how long it may take."""
    from tqdm import tqdm

    from longfat import engines

    what = f"{engine}: simulated"
    shape = "{desc} {n:.3g} of {total:.3g} s in {elapsed} (at most " + f"{time_limit_s:g} s)"
    with tqdm(
        None, what, duration_s, bar_format=shape, leave=False, disable=None, delay=AFTER_S
    ) as shown:
        ended = threading.Event()

        def refresh() -> None:
            while not ended.wait(AFTER_S):  # also where the engine is silent
                shown.refresh()

        def report(simulated_s: float) -> None:
            shown.n = min(simulated_s, duration_s)

        watch = threading.Thread(target=refresh, daemon=True)
        watch.start()
        try:
            with engines.watched(report):
                yield
        finally:
            ended.set()
            watch.join()


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File of the drawing; its end says what it is (SVG, PNG, PDF).",
)
def draw(scenario_file: Path, output: Path) -> None:
    """Draw the network and the flows of SCENARIO_FILE (JSON)."""
    from longfat import pictures
    from longfat.scenario import Scenario

    pictures.save(pictures.draw(Scenario.from_file(scenario_file)), output)


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.option("--to", required=True, help="A shell script for Linux (netns), or Python (mininet).")
@click.option("--output", type=click.Path(path_type=Path), help="Write a file instead.")
def export(scenario_file: Path, to: str, output: Path | None) -> None:
    """Write SCENARIO_FILE (JSON) as a program for a testbed of real Linux hosts."""
    from longfat.export import export as program
    from longfat.scenario import Scenario

    text = program(Scenario.from_file(scenario_file), to)
    if output is None:
        click.echo(text, nl=False)
    else:
        with _writing(output):
            output.write_text(text, encoding="utf-8")
            output.chmod(0o755)


@main.command()
@click.argument("user")
@click.argument("server")
@click.option("--shell", default="starlink", show_default=True, help="Or kuiper, oneweb, telesat.")
@click.option("--start", default="2026-01-01T00:00:00Z", show_default=True, help="A time (UTC).")
@click.option("--duration", type=float, help="In s.  [default: 120]")
@click.option("--links", default="bent pipe", show_default=True, help='"bent pipe" or "+grid".')
@click.option("--choice", default="shortest", show_default=True, help="shortest or random.")
@click.option("--congestion-control", default="cubic", show_default=True)
@click.option("--neighbour", help="A second sender on the same way, such as newreno.")
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write a file instead.")
@click.option(
    "--compare",
    is_flag=True,
    help="Which sender? All over it for a minute from several starts, with 95 % intervals, the "
    "largest goodput first; with --neighbour newreno, what that keeps.",
)
@click.option("--senders", default="", help="Compare these alone: names with commas.")
@click.option("--json", "as_json", is_flag=True, help="With --compare, print JSON.")
@click.pass_context
def leo(
    context: click.Context,
    user: str,
    server: str,
    duration: float | None,
    output: Path | None,
    compare: bool,
    senders: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Write a download by satellites in low orbits, from SERVER to USER, as a scenario (JSON).

    A place is the name of a city, or latitude and longitude, as in 38.7,-9.1.
    """
    ends = (_place(user), _place(server))
    if compare:
        given = context.get_parameter_source
        for name in ("start", "duration", "congestion_control", "seed", "output"):
            if given(name) is click.core.ParameterSource.COMMANDLINE:
                raise InputError(
                    f"--{name.replace('_', '-')} is not for --compare: all senders are compared, "
                    "over a minute each, from several starts"
                )
        _compare_over_orbit(*ends, among=_names(senders), as_json=as_json, **options)
        return
    from longfat import topologies

    text = topologies.leo(*ends, duration_s=duration or 120.0, **options).to_json()
    if output is None:
        click.echo(text, nl=False)
        return
    with _writing(output):
        output.write_text(text, encoding="utf-8")


def _compare_over_orbit(
    user: Any,
    server: Any,
    *,
    among: list[str],
    as_json: bool,
    shell: str,
    links: str,
    choice: str,
    neighbour: str | None,
    **_: Any,
) -> None:
    """Print which sender is best between two places."""
    import pandas as pd

    from longfat.studies import low_orbits

    beside = neighbour or ""
    table = low_orbits.compare(
        user, server, shell=shell, links=links, choice=choice, beside=beside, among=among
    )
    if as_json:
        _print(table, as_json)
        return
    best = table[table["first"]]["sender"]
    how = f"{table['runs'].max()} runs of a minute each. Intervals are of 95 %"
    alike = "" if len(best) == 1 else f"; {', '.join(best)} cannot be told apart"
    click.echo(f"{len(table)} senders, {how}{alike}.\n")
    low, high = table["goodput"] - table["halfwidth"], table["goodput"] + table["halfwidth"]
    ends = table.assign(low=low.clip(lower=0), high=high)
    shown = pd.DataFrame({"sender": table["sender"], "Mb/s": table["goodput"].map("{:.3g}".format)})
    _add_interval(shown, ends, "low", "high", "")
    shown["95 % wait less than"] = table["wait_95"].map("{:.0f} ms".format)
    shown["after a change"] = [
        "–" if value != value else f"{value:.1f} s" for value in table["recovery_s"]
    ]
    shown["sent again"] = (100 * table["repeated"]).map("{:.2g} %".format)
    if beside:
        column = "land" if beside == low_orbits.LAND else beside
        shown[f"{beside} keeps"] = (100 * table[column]).map("{:.0f} %".format)
        kept = 100 * table[[f"{column}_low", f"{column}_high"]]
        _add_interval(shown, kept, f"{column}_low", f"{column}_high", "%")
    _print(shown, as_json)


def _place(text: str) -> str | tuple[float, ...]:
    """Return latitude and longitude where a text has both, or else the text: a name."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return text


@contextlib.contextmanager
def _writing(path: Path) -> Any:
    """Report in one sentence that a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


@main.command()
@click.argument("scenario_file", type=click.Path(path_type=Path))
@click.argument("source")
@click.argument("target")
@click.option(
    "--to", type=click.Choice(["csv", "mahimahi", "leoreplayer"]), default="csv", show_default=True
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The file; of leoreplayer, that of the rate, beside one that ends in .delay.",
)
def trace(scenario_file: Path, source: str, target: str, to: str, output: Path) -> None:
    """Write a link of SCENARIO_FILE (JSON), from node SOURCE to node TARGET, as a trace.

    A table (csv) has all; the other forms have whole ms, and neither losses nor outages.
    """
    from longfat import traces
    from longfat.scenario import Scenario

    scenario = Scenario.from_file(scenario_file)
    for link in scenario.links:
        if (link.source, link.target) == (source, target):
            break
    else:
        raise InputError(f"{scenario_file}: no link from {quoted(source)} to {quoted(target)}")
    with _writing(output):
        if to == "csv":
            traces.write_csv(link, output)
        elif to == "mahimahi":
            traces.write_mahimahi(link, output, scenario.duration_s)
        else:
            delays = output.with_name(output.name + ".delay")
            traces.write_leoreplayer(link, output, delays, scenario.duration_s)


@main.command()
@click.argument("scenarios_file", type=click.Path(path_type=Path))
@click.option("--engine", default="segment", show_default=True, help=ENGINES)
@click.option("--output", type=click.Path(path_type=Path), help="Write a CSV file instead.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True
)
@click.option("--address", help="Of the Dask scheduler, such as tcp://host:8786.")
@click.option("--workers", type=click.IntRange(min=1), help="Runs at once.  [default: all cores]")
@_time_limit()
@click.option("--memory-limit", type=click.FloatRange(min=0, min_open=True), help="Of a run (MB).")
def sweep(
    scenarios_file: Path,
    engine: str,
    output: Path | None,
    executor: str,
    address: str | None,
    workers: int | None,
    time_limit: float,
    memory_limit: float | None,
) -> None:
    """Simulate all scenarios of SCENARIOS_FILE (a JSON list, or that with .gz);
    again, to go on after a break."""
    from longfat.scenario import Scenario
    from longfat.sweeps import sweep as run

    try:
        content = scenarios_file.read_bytes()
        if scenarios_file.suffix == ".gz":
            content = gzip.decompress(content)
        items = json.loads(content.decode("utf-8"))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"{scenarios_file}: cannot be read as JSON: {error}") from None
    if not isinstance(items, list) or not items:
        raise InputError(f"{scenarios_file}: a sweep is a JSON list of scenarios")
    scenarios, refused = [], []
    for number, item in enumerate(items):
        try:
            scenarios.append(Scenario.from_json(json.dumps(item), where=f"scenario {number}"))
        except InputError as error:
            refused.append(str(error))
    if refused:
        raise InputError(f"{scenarios_file}: {as_list(refused, 'scenarios are refused')}")
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
def _executor(name: str, address: str | None, workers: int | None) -> Any:
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
def compare(
    rate: float,
    rtt: float,
    loss: float,
    buffer: float,
    beside: str,
    senders: str,
    seeds: int,
    as_json: bool,
) -> None:
    """Which sender for a path? All over it, with 95 % intervals, the largest goodput first."""
    import pandas as pd

    from longfat.studies import which_sender

    table = which_sender.compare(rate, rtt, loss, buffer, beside, _names(senders), seeds)
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


@main.command()
@click.argument("sender")
@click.option(
    "--against",
    default="cubic",
    show_default=True,
    help="The standard senders to compare with: names with commas.",
)
@click.option("--criteria", default="", help="These alone: names with commas.")
@click.option("--seeds", type=click.IntRange(min=2), help="Pairs of runs, a path. [default: 16]")
@click.option("--quick", is_flag=True, help="Four pairs a path.")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write a page to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: every path of every criterion.")
@_time_limit(60.0)
def evaluate(
    sender: str,
    against: str,
    criteria: str,
    seeds: int | None,
    quick: bool,
    page: Path | None,
    as_json: bool,
    time_limit: float,
) -> None:
    """The report card of a SENDER: what RFC 9743 asks, beside a standard sender.

    A sender is a name (`longfat cc list`), or the path of a header of your own, such as my.h.
    """
    import pandas as pd

    from longfat.cc import catalogue
    from longfat.studies import evaluation

    if quick and seeds:
        raise InputError("--quick is --seeds 4: give one of the two")
    count = seeds or (evaluation.QUICK_SEEDS if quick else evaluation.SEEDS)
    sender = catalogue.named(sender)
    table = evaluation.evaluate(
        sender, _names(against), _names(criteria), count, time_limit_s=time_limit
    )
    if page is not None:
        from longfat.book import report_card

        written = report_card.write(table, sender, page)
    if as_json:
        _print(table, as_json)
        return
    deciding = table[table["decides"]].to_dict("records")
    shown = pd.DataFrame(
        {
            "criterion": [row["criterion"] for row in deciding],
            "RFC": [row["section"] for row in deciding],
            "against": [row["against"] for row in deciding],
            "verdict": [row["verdict"] for row in deciding],
            "change": [
                f"{row['change']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"
                + (" times" if row["is_ratio"] else "")
                for row in deciding
            ],
            "measure": [row["measure"] for row in deciding],
            "path": [row["path"] for row in deciding],
        }
    )
    click.echo(f"{sender}, {count} pairs of runs a path. Intervals are of 95 %.\n")
    _print(shown, as_json)
    if page is not None:
        click.echo(f"\nThe page is {' with '.join(map(str, written))}.")


@main.command()
@click.argument("sender")
@click.option("--promises", default="", help="These alone: names with commas.  [default: all]")
@click.option("--hold", multiple=True, metavar="NAME=VALUE", help="A number that is not searched.")
@click.option("--budget", type=int, help="Paths that are tried at most.  [default: 4000]")
@click.option("--engine", default="segment", show_default=True, help=ENGINES)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Of the search (s).",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="The file for the scenario.  [default: attack-SENDER.json]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def attack(
    sender: str,
    promises: str,
    hold: tuple[str, ...],
    budget: int | None,
    engine: str,
    seed: int,
    time_limit: float,
    output: Path | None,
    as_json: bool,
) -> None:
    """Search a path on which SENDER fails where NewReno does not.

    A sender is a name (`longfat cc list`), or the path of a header of your own, such as my.h. A
    failure is a promise that is broken: goodput, neighbour, progress or delay. The same arguments
    give the same finding, unless the time limit ends the search.
    """
    from tqdm import tqdm

    from longfat.cc import catalogue
    from longfat.studies import attack as study

    how = f" --header {sender}" if sender.endswith(".h") else ""
    how += f" --engine {engine}" if engine != "segment" else ""
    sender, most = catalogue.named(sender), study.BUDGET if budget is None else budget
    with tqdm(None, sender, most, unit="path", leave=False, disable=None) as progress:

        def report(tried: int, margin: float) -> None:
            progress.n = min(tried, most)
            progress.set_postfix_str(f"nearest to a failure: {margin:.2f}")

        found = study.attack(
            *(sender, _names(promises), study.held(hold), most, seed, time_limit),
            report=report,
            engine=engine,
        )
    if found is None:
        click.echo("null" if as_json else f"{sender}: no failure found.")
        return
    path = output or Path(f"attack-{sender}.json")
    with _writing(path):
        path.write_text(found.scenario.to_json(), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2))
        return
    click.echo(f"{found.sentence}\n\nThe path, where it is not the plain one:")
    for line in found.path:
        click.echo(f"  {line}")
    click.echo(f"\nFound after {found.tried} paths. To run it: longfat simulate {path}{how}")


def _names(text: str) -> list[str]:
    """Return names with commas between as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _add_interval(
    shown: "pd.DataFrame", table: "pd.DataFrame", low: str, high: str, unit: str
) -> None:
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
@click.option(
    "--carry",
    is_flag=True,
    help="Where a version was raised, draw that many runs of each archive, and take it for one of "
    "the present version if every digit agrees.",
)
def audit(sample: int, seed: int, experiment: str | None, accept: bool, carry: bool) -> None:
    """Run archived runs again and compare every digit."""
    from longfat import audit as auditing

    if accept and (experiment or carry):
        raise InputError("--accept draws from every experiment: give it alone, with --sample")
    if carry:
        table = auditing.carry(sample, seed, experiment, report=click.echo)
    elif accept:
        table = auditing.accept(sample, seed, report=click.echo)
    else:
        table = auditing.audit(sample, seed, experiment, report=click.echo)
    if not table["equal"].all():
        sys.exit(1)


@main.command()
@click.argument("chapter", required=False)
def reproduce(chapter: str | None) -> None:
    """Compute CHAPTER's archive (or every one) again at the paper's scale; say what changed."""
    import pandas as pd

    from longfat import reproduce as reproducing
    from longfat.book import chapters

    chosen = [chapters.find(chapter)] if chapter else list(chapters.stated().values())
    tables = [reproducing.reproduce(one.name, one.run) for one in chosen]
    _print(pd.concat(tables), as_json=False)


@main.command()
@click.argument("chapter", required=False)
@click.option("--joint", "at_once", is_flag=True, help="By joint settings: write data/joint.csv.")
def judge(chapter: str | None, at_once: bool) -> None:
    """Judge the claims of CHAPTER (or of all) again: write data/verdicts.csv, say what changed."""
    import pandas as pd

    from longfat.book import chapters, joint, verdicts
    from longfat.errors import InputError

    if at_once:
        for name in [chapter] if chapter else joint.papers_with_archives():
            joint.write(joint.judged(name))
            click.echo(f"{name}: its claims are judged at joint settings.")
        return

    stated = {name: one for name, one in chapters.stated().items() if one.claims}
    if chapter and chapter not in stated:
        raise InputError(f"no claims are judged in '{chapter}': they are in {', '.join(stated)}")
    chosen = [chapter] if chapter else list(stated)
    before = pd.concat([verdicts.of_chapter(name) for name in chosen]).set_index("id")["verdict"]
    tables = [verdicts.judged(stated[name]) for name in chosen]
    for table in tables:
        verdicts.write(table)
    after = pd.concat(tables).set_index("id")["verdict"]
    changed = pd.DataFrame({"before": before.reindex(after.index), "now": after})
    changed = changed[changed["before"] != changed["now"]].reset_index()
    click.echo(f"{len(after)} claims judged, {len(changed)} verdicts changed.")
    if len(changed):
        _print(changed, as_json=False)


@main.command()
@click.argument("ids", nargs=-1, metavar="[CLAIM]...")
@click.option("--workers", type=click.IntRange(min=1), help="Runs at once.  [default: all cores]")
@click.option("--output", type=click.Path(path_type=Path), help="Write what came of it as CSV.")
def claims(ids: tuple[str, ...], workers: int | None, output: Path | None) -> None:
    """Run again what claims rest on, judge them again, and compare: those named, or twelve of each
    paper. Exit status 1 where one is another."""
    from longfat.book import check

    table = check.check(ids, workers, report=click.echo)
    if output is not None:
        with _writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(output, index=False, lineterminator="\n")
    others = int((~table["equal"]).sum())
    click.echo(
        f"{len(table)} claims checked in {_minutes(table['wall_s'].sum())} min:s: "
        + (f"{others} came out otherwise." if others else "each came out as it stands in the book.")
    )
    if others:
        sys.exit(1)


@main.command("engines")
def list_engines() -> None:
    """List the engines: which are here, how they run, and how to get the others."""
    from longfat import builds, engines

    for name, engine in engines.ENGINES.items():
        if not engine.is_here():
            click.echo(f"{name:8} not here: {engine.HOW_TO_GET}")
        elif name != "segment":
            click.echo(f"{name:8} here")
        else:
            build = engines.segment.how_built()
            later = ", until the native engine is compiled" if builds.compiler() else ""
            click.echo(f"{name:8} here, {_BUILDS[build]}{later if build == 'wasm' else ''}")


@main.group()
def cc() -> None:
    """The congestion controls."""


@cc.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all that 'show' has.")
def cc_list(as_json: bool) -> None:
    """List the congestion controls, a line each; `longfat cc show NAME` has more."""
    import pandas as pd

    from longfat.cc import catalogue

    rows = [_control(name) for name in catalogue.algorithms()]
    if as_json:
        _print(pd.DataFrame(rows), as_json)
        return
    for one in rows:
        title = textwrap.shorten(one["title"], 36, placeholder=" …")
        click.echo(f"{one['name']:18}{title:36} {one['engines']}")


@cc.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cc_show(name: str, as_json: bool) -> None:
    """Show a congestion control: its code, engines, source and parameters."""
    import pandas as pd

    from longfat.cc import catalogue

    about = _control(name)
    if as_json:
        _print(pd.DataFrame([about]), as_json)
        return
    click.echo(f"{about['title']} ({name})")
    for what in ("code", "engines", "source"):
        line = f"{what}: {about[what]}"
        click.echo(textwrap.fill(line, 80, initial_indent="  ", subsequent_indent="    "))
    for one in catalogue.find(name).parameters.values():
        line = f"{one.name} = {one.default} ({one.range}): {one.meaning}. Default: {one.source}"
        click.echo(textwrap.fill(line, 80, initial_indent="  ", subsequent_indent="    "))


def _control(name: str) -> dict[str, str]:
    """Return what is told of a congestion control. Raises InputError for an unknown one."""
    from longfat import engines
    from longfat.cc import catalogue

    algorithm = catalogue.find(name)
    return {
        "name": name,
        "title": algorithm.title,
        "code": algorithm.header.name if algorithm.header else algorithm.engine,
        "parameters": ", ".join(
            f"{one.name}={one.default} ({one.range})" for one in algorithm.parameters.values()
        ),
        "engines": ", ".join(engines.with_control(name)),
        "source": algorithm.source,
    }


@main.command()
@click.argument("name", required=False)
@click.option("--list", "list_them", is_flag=True, help="List the figures and tables, with times.")
@click.option("--measure", is_flag=True, help="Measure missing times (minutes to hours).")
@click.option("--profile", type=click.Choice(["paper", "quick"]), help="Scale of the experiment.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any parameter.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("."), help="Folder for the files."
)
def figure(
    name: str, list_them: bool, measure: bool, profile: str, settings: tuple[str, ...], output: Path
) -> None:
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
def new(name: str) -> None:
    """Begin an experiment: a notebook, a scenario and a congestion control that run at once."""
    from longfat.book.new import experiment

    for path in experiment(name, report=lambda line: click.echo(line, err=True)):
        click.echo(path)
