"""Traces of rate, delay and loss: from a file to a link, and from a link to a file.

Three forms: a table (CSV), which has all that changes over time of a link, to the digit; the rate
traces of Mahimahi (Netravali et al. 2015), a time in ms a line at which 1500 bytes can go; and what
LeoReplayer (Lai et al. 2025) adds to them, a file of delays, whole ms, one for every 10 ms.
"""

import csv
import io
import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longfat.errors import InputError, quoted
from longfat.fields import FASTEST_BPS, LONGEST_S
from longfat.links import TRACE_BYTES, Link, LinkChange, Outage, mahimahi

COLUMNS = ("time_s", "rate_bps", "delay_s", "loss_per_packet")
MOST = {
    "time_s": LONGEST_S,
    "rate_bps": FASTEST_BPS,
    "delay_s": LONGEST_S,
    "loss_per_packet": 1.0,
}
INTERVAL_MS = 10  # between two delays of LeoReplayer's examples


def read_csv(path: Path | str) -> dict[str, Any]:
    """Return the fields of a `Link` that a table says: rate, delay and loss over time.

    The columns are time_s, rate_bps, delay_s and loss_per_packet. The first row is that of time 0
    and is full; what is left empty later stays as it was. A loss of 1 is an outage, until a row has
    another. Raises InputError, with the line, for a time that goes back and for what is no such
    number.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat import traces
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "path.csv"
    ...     _ = path.write_text(
    ...         "time_s,rate_bps,delay_s,loss_per_packet\\n0,1e6,0.02,0\\n2.5,,0.03,\\n"
    ...     )
    ...     traces.read_csv(path)["changes"][0].delay_s
    0.03
    """
    changes: list[LinkChange] = []
    outages: list[Outage] = []
    now: dict[str, float] = {}
    first: dict[str, float] = {}
    out_since: float | None = None
    for row in _rows(path):
        at_s, stated = row.pop("time_s"), row
        loss = stated.get("loss_per_packet")
        if loss == 1:
            out_since = at_s if out_since is None else out_since
            del stated["loss_per_packet"]
            stated |= {} if now else {"loss_per_packet": 0.0}
        elif loss is not None and out_since is not None:
            outages.append(Outage(start_s=out_since, duration_s=round(at_s - out_since, 9)))
            out_since = None
        new = {name: value for name, value in stated.items() if now.get(name) != value}
        if not first:
            first = new
        elif new:
            changes.append(LinkChange(at_s=at_s, **new))
        now |= new
    if out_since is not None:
        outages.append(Outage(start_s=out_since, duration_s=LONGEST_S))
    return first | {"changes": tuple(changes), "outages": tuple(outages)}


def _rows(path: Path | str) -> Iterator[dict[str, float]]:
    """Yield what is stated in each row of a table, in order of time."""
    try:
        reader = csv.DictReader(io.StringIO(Path(path).read_text("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise InputError(f"{path}: line 1: the columns must be {','.join(COLUMNS)}")
    before: float | None = None
    for row in reader:
        where = f"{path}: line {reader.line_num}"
        if None in row or None in row.values():
            raise InputError(f"{where}: a row has {len(COLUMNS)} columns")
        stated = {name: _number(where, name, text) for name, text in row.items() if text}
        if before is None and (len(stated) < len(COLUMNS) or stated["time_s"] != 0):
            raise InputError(f"{where}: the first row must be full, and of time 0")
        if "time_s" not in stated:
            raise InputError(f"{where}: time_s is missing")
        if before is not None and stated["time_s"] <= before:
            raise InputError(
                f"{where}: time_s goes back: {stated['time_s']:g} stands after {before:g}"
            )
        before = stated["time_s"]
        yield stated
    if before is None:
        raise InputError(f"{path}: the table has no row")


def _number(where: str, name: str, text: str) -> float:
    least = 1.0 if name == "rate_bps" else 0.0
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= MOST[name]:
        raise InputError(
            f"{where}: {name} is {quoted(text)}: it must be a number from {least:g} to "
            f"{MOST[name]:g}"
        )
    return number


def write_csv(link: Link, path: Path | str) -> None:
    """Write rate, delay, loss and outages of a link as a table, which `read_csv` reads back.

    Raises InputError for a link that follows a trace of rates, or loses in another way.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat import Link, traces
    >>> link = Link(source="a", target="b", rate_bps=12e6, delay_s=0.02, queue_packets=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trace"
    ...     traces.write_csv(link, path)
    ...     path.read_text().split()
    ['time_s,rate_bps,delay_s,loss_per_packet', '0.0,12000000.0,0.02,0.0']
    """
    for name in ("delivery_ms", "loss_bursts", "loss_per_bit"):
        if getattr(link, name):
            raise InputError(f"{name}: a table has no column for it")
    if any(change.loss_per_bit for change in link.changes):
        raise InputError("changes.loss_per_bit: a table has no column for it")
    rows: dict[float, dict[str, float]] = {0.0: {name: getattr(link, name) for name in COLUMNS[1:]}}
    for change in link.changes:
        stated = {n: v for n in COLUMNS[1:] if (v := getattr(change, n)) is not None}
        rows.setdefault(change.at_s, {}).update(stated)
    for outage in link.outages:
        end_s = round(outage.start_s + outage.duration_s, 9)
        rows.setdefault(outage.start_s, {})
        rows.setdefault(end_s, {})
    loss, out_before = link.loss_per_packet, False
    lines = [",".join(COLUMNS)]
    for at_s in sorted(rows):
        loss = rows[at_s].get("loss_per_packet", loss)
        out = any(
            outage.start_s <= at_s < round(outage.start_s + outage.duration_s, 9)
            for outage in link.outages
        )
        row = rows[at_s]
        if out != out_before or (out and "loss_per_packet" in row):
            row = row | {"loss_per_packet": 1.0 if out else loss}
        out_before = out
        lines.append(
            ",".join([repr(at_s), *(repr(row[n]) if n in row else "" for n in COLUMNS[1:])])
        )
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")


def read_leoreplayer(
    rates: Path | str, delays: Path | str, interval_ms: int = INTERVAL_MS
) -> dict[str, Any]:
    """Return the fields of a `Link` that follows both traces of LeoReplayer's.

    Line k of `delays` is the delay one way, in ms, of what is sent in the k-th `interval_ms`. After
    its last line LeoReplayer begins anew; here the last delay stays.
    Raises InputError, with the line, for a file that is no such trace.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat import traces
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rates, delays = Path(folder) / "rate", Path(folder) / "delay"
    ...     _ = rates.write_text("1\\n2\\n"), delays.write_text("22\\n24\\n")
    ...     link = traces.read_leoreplayer(rates, delays)
    >>> link["delay_s"], link["changes"][0].at_s, link["changes"][0].delay_s
    (0.022, 0.01, 0.024)
    """
    found = [_whole(delays, number, line) for number, line in enumerate(_lines(delays), 1)]
    if not found:
        raise InputError(f"{delays}: a trace has one delay at least")
    changes = [
        LinkChange(at_s=k * interval_ms / 1000, delay_s=after / 1000)
        for k, (before, after) in enumerate(itertools.pairwise(found), 1)
        if before != after
    ]
    return mahimahi(rates) | {"delay_s": found[0] / 1000, "changes": tuple(changes)}


def _lines(path: Path | str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def _whole(path: Path | str, number: int, line: str) -> int:
    if not line.strip().isdecimal() or len(line) > 9:
        raise InputError(
            f"{path}: line {number}: {quoted(line)} is no whole number of ms, 0 or more"
        )
    return int(line)


def write_mahimahi(link: Link, path: Path | str, duration_s: float) -> None:
    """Write the rate of a link over `duration_s` as a trace of Mahimahi's.

    A trace that the link follows is written as it is. Otherwise each 1500 bytes go at the end of
    the millisecond in which the link has sent them, so that what goes up to a time is short by one
    packet and one millisecond at most; delay and losses are not part of the form.
    Raises InputError for a rate that sends no 1500 bytes.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat import Link, traces
    >>> link = Link(source="a", target="b", rate_bps=12e6, delay_s=0.02, queue_packets=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trace"
    ...     traces.write_mahimahi(link, path, 0.003)
    ...     path.read_text().split()
    ['1', '2', '3']
    """
    times = list(link.delivery_ms) or list(_opportunities(link, duration_s))
    if not times:
        raise InputError(
            f"rate_bps: in {duration_s:g} s the link sends less than a trace's 1500 bytes"
        )
    Path(path).write_text("".join(f"{ms}\n" for ms in times), "utf-8")


def _opportunities(link: Link, duration_s: float) -> Iterator[int]:
    """Yield the ms in which each 1500 bytes have been sent."""
    steps = [(0.0, link.rate_bps)]
    steps += [(c.at_s, c.rate_bps) for c in link.changes if c.rate_bps is not None]
    steps = [step for step in sorted(steps, key=lambda step: step[0]) if step[0] < duration_s]
    bits, want = 0.0, 8.0 * TRACE_BYTES
    for (begin_s, rate_bps), (end_s, _) in itertools.pairwise([*steps, (duration_s, 0.0)]):
        whole = bits + rate_bps * (end_s - begin_s)
        while want <= whole:
            yield math.ceil(round(1000 * (begin_s + (want - bits) / rate_bps), 6))
            want += 8.0 * TRACE_BYTES
        bits = whole


def write_leoreplayer(
    link: Link,
    rates: Path | str,
    delays: Path | str,
    duration_s: float,
    interval_ms: int = INTERVAL_MS,
) -> None:
    """Write the rate and the delay of a link over `duration_s` as both traces of LeoReplayer's.

    A delay is that at the beginning of its interval, rounded to whole ms. Losses and outages are
    not part of the form. Raises InputError as `write_mahimahi` does.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from longfat import Link, traces
    >>> link = Link(source="a", target="b", rate_bps=12e6, delay_s=0.02, queue_packets=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trace"
    ...     traces.write_leoreplayer(link, Path(folder) / "rate", path, 0.03)
    ...     path.read_text().split()
    ['20', '20', '20']
    """
    write_mahimahi(link, rates, duration_s)
    steps = [(0.0, link.delay_s)]
    steps += [(c.at_s, c.delay_s) for c in link.changes if c.delay_s is not None]
    steps.sort(key=lambda step: step[0])
    lines, now = [], 0
    for k in range(math.ceil(round(1000 * duration_s / interval_ms, 6))):
        while now + 1 < len(steps) and steps[now + 1][0] <= k * interval_ms / 1000:
            now += 1
        lines.append(f"{round(1000 * steps[now][1])}\n")
    Path(delays).write_text("".join(lines), "utf-8")
