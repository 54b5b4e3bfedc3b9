"""The claims of the TCP-J paper: by what each is judged.

The claims are data/papers/tcpj/claims.csv, with their thresholds. An empty parameter is the
chapter's base setting; else it names the row of parameters.csv that is varied.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sympy import count_ops, expand, symbols, together

from longfat import papers, statistics
from longfat.experiment import Part, Runs, made
from longfat.papers import joint, tcpj
from longfat.papers.tcpj import analysis, families, plan
from longfat.papers.tcpj.analysis import standard_goodput
from longfat.papers.tcpj.plan import PROTOCOLS, USUAL, VARIED, WITH_SACK, Setting
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

Rows = Iterable[dict[str, Any]]


def _beside_ns2(
    table: Callable[[Runs, Sequence[str]], pd.DataFrame], *names: str, twins: int = 1
) -> Part:
    """Return a part of experiments of the segment engine, and of the first `twins` of them on ns-2.

    Its table has a column for the engine.
    """
    others = [f"{name}-ns2" for name in names[:twins]]

    def both(runs: Runs) -> pd.DataFrame:
        tables = [table(runs, names).assign(engine="segment")]
        if all(runs.can_run(name) for name in others):
            tables.append(table(runs, others).assign(engine="ns2"))
        return pd.concat(tables, ignore_index=True)

    return Part((*names, *others), both)


def _flows(runs: Runs, names: Sequence[str]) -> pd.DataFrame:
    return runs.flows(*names)


# What the claims are judged by, by the names of `evidence`'s arguments.
PARTS = {
    "random_loss": Part(
        (*plan.SEGMENT_LOSSES, *plan.OTHER_LOSSES),
        analysis.random_losses,
    ),
    "varied": Part((*plan.SEGMENT_LOSSES, "tcpj-varied"), analysis.varied),
    "keeping": Part((*plan.SEGMENT_LOSSES, "tcpj-keep"), analysis.keeping),
    "repeating": Part(("tcpj-repeating",), analysis.repeating),
    "ns2_westwoods": Part(("tcpj-ns2-westwood",), lambda runs: runs.flows("tcpj-ns2-westwood")),
    "wire": Part(("tcpj-wire", "tcpj-wire-ns3", "tcpj-wire-ns2"), analysis.wire),
    "wires": _beside_ns2(_flows, *analysis.WIRES),
    "alphas": _beside_ns2(analysis.alphas, *analysis.ALPHAS),
    "estimates": _beside_ns2(analysis.estimates, *analysis.ESTIMATES),
    "after_outages": _beside_ns2(analysis.estimates_after_outages, analysis.ESTIMATES_SACK),
    "outages": _beside_ns2(_flows, "tcpj-outages"),
    "handoffs": _beside_ns2(analysis.handoffs, *plan.HANDOFFS, twins=2),
    "newcomers": _beside_ns2(analysis.newcomers, *analysis.NEWCOMERS),
    "assistance": Part((families.EXPERIMENT,), lambda runs: runs.flows(families.EXPERIMENT)),
}


# Fitted to table 2: off the fit they are no plausible settings of what was fitted with them.
FITTED = ("radio_rate", "rtt")


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`judge`)."""
    found = evidence(runs.setting, **made(PARTS, runs))
    return judge(papers.claims("tcpj"), found, joint.written("tcpj"))


def evidence(
    at: Setting,
    *,
    random_loss: pd.DataFrame,
    varied: pd.DataFrame,
    keeping: pd.DataFrame,
    repeating: pd.DataFrame,
    ns2_westwoods: pd.DataFrame,
    wire: pd.DataFrame,
    wires: pd.DataFrame,
    alphas: pd.DataFrame,
    estimates: pd.DataFrame,
    after_outages: pd.DataFrame,
    outages: pd.DataFrame,
    handoffs: pd.DataFrame,
    newcomers: pd.DataFrame,
    assistance: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the evidence on every claim: a row a claim, engine, setting and point.

    The arguments are tables of `PARTS`. The columns are `EVIDENCE_COLUMNS`.
    """
    rows = [
        *random_loss_rows(random_loss),
        *varied_rows(varied),
        *ns2_dips_rows(random_loss, ns2_westwoods),
        *keeping_rows(keeping),
        *repeating_rows(repeating),
        *wire_rows(wire, wires),
        *alpha_rows(alphas),
        *estimate_rows(estimates),
        *after_outage_rows(after_outages),
        *outage_rows(outages),
        *handoff_rows(handoffs),
        *newcomer_rows(newcomers),
        *arithmetic_rows(),
        *([] if assistance is None else families.evidence_rows(assistance)),
    ]
    table = pd.DataFrame(rows)
    for column, value in (("engine", "segment"), ("parameter", ""), ("setting", ""), ("at", "")):
        table[column] = table[column].fillna(value) if column in table else value
    more = table["runs"] > table["experiment"].map(USUAL).fillna(np.inf)
    own = table["experiment"]
    table["experiment"] = own.where(~more, own + " " + own + "-more")
    return table[list(EVIDENCE_COLUMNS)]


def random_loss_rows(runs: pd.DataFrame) -> Rows:
    """Table 2, and what the abstract and sections 4.3.1 and 4.3.2 say of it.

    ns-3 has no limited transmit without SACK here (data/faults.csv), so that its NewReno and
    Westwood are those of another setting.
    """
    gains = _claims_of_gains()
    for where, own in _by_engine(runs, "tcpj-random-loss"):
        if where["engine"] == "ns3":
            where |= {"parameter": "limited_transmit", "setting": "off without SACK (ns-3)"}
        yield from _gain_rows(own, where, gains, needed=set(runs["bit_error_rate"]))
        wide = _by_seed(own[own["bit_error_rate"] == 1e-8], [])
        for name in wide.columns.drop("NewReno", errors="ignore"):
            found = statistics.paired(wide[name], wide["NewReno"], ratio=True)
            yield where | found | {"claim": "tcpj-s4-rare", "at": f"{name} over NewReno"}


def varied_rows(runs: pd.DataFrame) -> Rows:
    """The same claims with one parameter varied; and section 4.3.2 on what causes the lead.

    That is by Westwood with SACK, which differs from TCP-J in its estimate and window rule only:
    which part of TCP-J's lead over Westwood, in logarithms, is left of it.
    """
    gains, base = _claims_of_gains(), runs[runs["parameter"] == ""]
    for (parameter, setting), own in runs[runs["parameter"] != ""].groupby(
        ["parameter", "setting"], sort=False
    ):
        where = {"parameter": parameter, "setting": setting, "experiment": "tcpj-varied"}
        touched = {
            name
            for one in VARIED
            if (one.parameter, one.setting) == (parameter, setting)
            for name in one.protocols
        }
        if parameter not in FITTED:
            yield from _gain_rows(own, where, gains, touched, needed=set(runs["bit_error_rate"]))
        if parameter == "westwood_base" and 4e-6 in set(base["bit_error_rate"]):
            two = (_by_seed(table, ["bit_error_rate"]).loc[4e-6] for table in (base, own))
            row = {"claim": "tcpj-s4-dips", "at": _at(4e-6), "experiment": "tcpj-varied"}
            yield left_of_the_lead(*two) | row


def ns2_dips_rows(random_loss: pd.DataFrame, westwoods: pd.DataFrame) -> Rows:
    """Section 4.3.2 on ns-2: what is left of TCP-J's lead where Westwood has SACK."""
    base = random_loss[random_loss["engine"] == "ns2"]
    base = _by_seed(base[base["bit_error_rate"] == 4e-6], [])
    own = westwoods[(westwoods["base"] == "SACK") & (westwoods["bit_error_rate"] == 4e-6)]
    if base.empty or own.empty:
        return
    with_sack = base[["TCP-J"]].assign(Westwood=own.set_index("seed")["goodput_bps"])
    row = {"claim": "tcpj-s4-dips", "at": _at(4e-6), "engine": "ns2"}
    yield left_of_the_lead(base, with_sack) | row | {"experiment": "tcpj-ns2-westwood"}


def left_of_the_lead(base: pd.DataFrame, changed: pd.DataFrame) -> dict[str, float]:
    """Return which part of TCP-J's lead over Westwood is left, in per cent of its logarithm."""
    left = np.log(changed["TCP-J"] / changed["Westwood"])
    lead = np.log(base["TCP-J"] / base["Westwood"])
    return statistics.mean((100 * left / lead).dropna())


def _by_engine(runs: pd.DataFrame, experiment: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield each engine's runs, behind the evidence's engine and experiment."""
    for engine, own in runs.groupby("engine", sort=False):
        named = experiment if engine == "segment" else f"{experiment}-{engine}"
        yield {"engine": engine, "experiment": named}, own


def _gain_rows(
    runs: pd.DataFrame,
    where: dict[str, Any],
    gains: pd.DataFrame,
    touched: Collection[str] = PROTOCOLS,
    *,
    needed: set[float],
) -> Rows:
    """What goodputs over the error rates say of the `_claims_of_gains`, and of all of table 2.

    Only where a protocol is `touched` by what is varied: else it would be the base with fewer runs.
    And of all of them only where there are all error rates `needed` of the table: a claim holds
    more easily at fewer points.
    """
    wide = _by_seed(runs, ["bit_error_rate"])
    rates = set(wide.index.get_level_values("bit_error_rate"))
    for cell in gains.itertuples():
        pair = {cell.protocol, cell.base}
        if not pair.isdisjoint(touched) and cell.bit_error_rate in rates and pair <= {*wide}:
            own = wide.loc[cell.bit_error_rate]
            ratio = np.log(own[cell.protocol] / own[cell.base]).dropna()
            found = statistics.prediction_interval(ratio)
            yield where | _per_cent(found) | {"claim": cell.id, "at": _at(cell.bit_error_rate)}
    printed = set(gains.loc[gains["where"] == "table 2", "bit_error_rate"])
    if rates & printed != needed & printed:
        return
    wide = wide[wide.index.get_level_values("bit_error_rate").isin(printed)]
    for rate, own in wide.groupby(level="bit_error_rate"):
        if not {"SACK", "NewReno"}.isdisjoint(touched):
            same = statistics.paired(own["SACK"], own["NewReno"], ratio=True)
            yield where | same | {"claim": "tcpj-s4-newreno-sack", "at": _at(rate)}
        if "TCP-J" not in own:
            continue
        if not {"Westwood", "NewReno"}.isdisjoint(touched):
            gain = statistics.mean(np.log(own["Westwood"] / own["NewReno"]))
            yield where | _per_cent(gain) | {"claim": "tcpj-s2-westwood", "at": _at(rate)}
        if not {"Westwood", "TCP-J"}.isdisjoint(touched):
            above = statistics.mean(np.log(own["TCP-J"] / own["Westwood"]))
            yield where | _per_cent(above) | {"claim": "tcpj-s4-above-westwood", "at": _at(rate)}
        if rate != 4e-6 and 4e-6 in rates and not {"TCP-J", "NewReno"}.isdisjoint(touched):
            peak = 100 * (wide["TCP-J"] / wide["NewReno"] - 1)
            step = statistics.mean((peak.loc[4e-6] - peak.loc[rate]).dropna())
            yield where | step | {"claim": "tcpj-s4-peak", "at": f"against {_at(rate)}"}


def _claims_of_gains() -> pd.DataFrame:
    """Return the claims that are gains, in a cell of table 2 or in the text."""
    return papers.claims("tcpj").query("quantity == 'gain' and rule == 'value'")


def keeping_rows(runs: pd.DataFrame) -> Rows:
    """Section 3.2: a sender that keeps its window at a wireless loss."""
    for rate, own in _by_seed(runs, ["bit_error_rate"]).groupby(level="bit_error_rate"):
        gain = statistics.mean(np.log(own["keeps its window"] / own["SACK"]))
        yield _per_cent(gain) | {
            "claim": "tcpj-s3-keep",
            "at": _at(rate),
            "experiment": "tcpj-keep",
        }


def repeating_rows(runs: pd.DataFrame) -> Rows:
    """Section 3.2 over a radio that repeats lost frames: what keeping gains, and what overflows."""
    where = {"experiment": "tcpj-repeating"}
    repeats = runs[runs["radio"] != "no repetition"]
    for (radio, rate), own in repeats.groupby(["radio", "bit_error_rate"], sort=False):
        wide = own.pivot(index="seed", columns="protocol", values="goodput_bps")
        gain = statistics.mean(np.log(wide["keeps its window"] / wide["SACK"]))
        varied = {"parameter": "link_retransmissions", "setting": radio, "at": _at(rate)}
        yield where | varied | _per_cent(gain) | {"claim": "tcpj-s3-keep"}
        dropped = own.pivot(index="seed", columns="protocol", values="overflows")
        more = statistics.paired(dropped["keeps its window"], dropped["SACK"])
        yield where | more | {"claim": "tcpj-s3-cause", "at": f"{radio}, {_at(rate)}"}


def wire_rows(base: pd.DataFrame, others: pd.DataFrame) -> Rows:
    """Section 4.1: shares of a wire, and what NewReno and SACK lose."""
    usual = base.iloc[0]
    places = list(_by_engine(base, "tcpj-wire"))
    for where, own in _by_engine(others, "tcpj-wires"):
        for (rate_bps, rtt_s), runs in own.groupby(["rate_bps", "rtt_s"]):
            if (rate_bps, rtt_s) != (usual["rate_bps"], usual["rtt_s"]):
                parameter = "shared_rate" if rtt_s == usual["rtt_s"] else "shared_rtt"
                setting = f"{rate_bps / 1e6:g} Mb/s and {1000 * rtt_s:.0f} ms"
                places.append((where | {"parameter": parameter, "setting": setting}, runs))
    for where, runs in places:
        rates = runs[runs["trio"] == "with TCP-J"].pivot(
            index="seed", columns="flow", values="goodput_bps"
        )
        for flow in rates:
            part = statistics.mean(3 * rates[flow] / rates.sum(axis=1))
            yield where | part | {"claim": "tcpj-s4-shares", "at": f"{flow.split()[0]}'s share"}
        both = standard_goodput(runs, [])
        change = statistics.mean(np.log(both["with TCP-J"] / both["with SACK"]).dropna())
        yield where | _per_cent(change) | {"claim": "tcpj-s4-no-harm"}


def alpha_rows(runs: pd.DataFrame) -> Rows:
    """Section 3.3: how much further from a third another smoothing constant is than 0.9."""
    first = runs.iloc[0]
    places = (
        (where, *of_a_wire)
        for where, own in _by_engine(runs, "tcpj-alphas")
        for of_a_wire in own.groupby(["rate_bps", "rtt_s"], sort=False)
    )
    for where, (rate_bps, rtt_s), own in places:
        off = own.pivot(index="seed", columns="alpha", values="off").abs()
        if (rate_bps, rtt_s) != (first["rate_bps"], first["rtt_s"]):
            setting = f"{rate_bps / 1e6:g} Mb/s and {1000 * rtt_s:.0f} ms"
            where |= {"parameter": "shared_rate", "setting": setting}
        for alpha in off.columns.drop(0.9):
            further = statistics.mean((off[alpha] - off[0.9]).dropna())
            yield where | further | {"claim": "tcpj-s3-alpha", "at": rf"$\alpha = {alpha:g}$"}


def estimate_rows(runs: pd.DataFrame) -> Rows:
    """Section 4.2: the two estimates beside the throughput."""
    for where, own in _by_engine(runs, "tcpj-estimates"):
        wide = own.pivot(index=["bit_error_rate", "seed"], columns="protocol")
        rare, frequent = wide.loc[1e-8], wide.loc[1e-6]
        found = {
            "tcpj-s4-abe-near-1e-8": statistics.mean(1 + rare["bias", "TCP-J"]),
            "tcpj-s4-tustin-near-1e-8": statistics.mean(1 + rare["bias", "Westwood"]),
            "tcpj-s4-tustin-faithful": statistics.paired(
                100 * frequent["error", "TCP-J"], 100 * frequent["error", "Westwood"]
            ),
            "tcpj-s4-abe-steadier": statistics.paired(
                100 * frequent["variation", "Westwood"], 100 * frequent["variation", "TCP-J"]
            ),
            "tcpj-s4-accuracy": statistics.paired(
                frequent["error", "TCP-J"], frequent["error", "Westwood"], ratio=True
            ),
        }
        for claim, row in found.items():
            yield where | row | {"claim": claim}


RECOVERS_ALIKE_OR_NOT: tuple[tuple[str, dict[str, str]], ...] = (
    (WITH_SACK, {}),
    ("Westwood", {"parameter": "westwood_base", "setting": "without SACK"}),
)


def after_outage_rows(runs: pd.DataFrame) -> Rows:
    """Section 4.2: the lowest estimate after an outage, beside a sender that recovers alike."""
    for where, own in _by_engine(runs, analysis.ESTIMATES_SACK):
        lowest = own.pivot(index="seed", columns="protocol", values="lowest")
        if lowest.isna().any(axis=None):
            continue
        for name, varied in RECOVERS_ALIKE_OR_NOT:
            above = statistics.paired(lowest["TCP-J"], lowest[name])
            yield where | varied | above | {"claim": "tcpj-s4-above-in-outage"}


def outage_rows(runs: pd.DataFrame) -> Rows:
    """Sections 4.2 and 4.3.2: transfers with one outage."""
    places = (
        (where, *of_a_length)
        for where, own in _by_engine(runs, "tcpj-outages")
        for of_a_length in own.groupby("outage_s")
    )
    for where, length, own in places:
        wide = _by_seed(own, [])
        for name in PROTOCOLS[:-1]:
            ahead = statistics.mean(np.log(wide["TCP-J"] / wide[name]))
            at = f"{length:g} s, against {name}"
            yield where | _per_cent(ahead) | {"claim": "tcpj-s4-outages", "at": at}
        timeouts = own.pivot(index="seed", columns="protocol", values="timeouts")
        for name, varied in RECOVERS_ALIKE_OR_NOT:
            both = wide[(timeouts[["TCP-J", name]] > 0).all(axis=1)]
            if len(both) > 2:
                ahead = statistics.mean(np.log(both["TCP-J"] / both[name]))
                row = {"claim": "tcpj-s4-faster-recovery", "at": f"an outage of {length:g} s"}
                yield where | varied | _per_cent(ahead) | row


def handoff_rows(runs: pd.DataFrame) -> Rows:
    """Section 4.4: windows after a movement, and the goodput of the whole run."""
    by = ["engine", "parameter", "setting"]
    for (engine, parameter, setting), own in runs.groupby(by, sort=False):
        experiment = "tcpj-handoffs-varied" if parameter else "tcpj-handoffs"
        experiment += "" if engine == "segment" else f"-{engine}"
        where = {"parameter": parameter, "setting": setting, "experiment": experiment}
        for claim, row in _window_rows(own):
            yield where | row | {"claim": claim, "engine": engine}


def _window_rows(runs: pd.DataFrame) -> Iterable[tuple[str, dict]]:
    local = runs[runs["kind"] == "local"].pivot(index="seed", columns="label")
    far = runs[runs["kind"] == "non-local"].pivot(index="seed", columns="label")
    settled, goodput = local["settled"], local["goodput_bps"]
    fall = 100 * (1 - settled["TCP-J"] / local["before", "TCP-J"])
    yield "tcpj-s4-local-tcpj", statistics.mean(fall.dropna())
    above = 100 * (settled["Westwood"] / settled["TCP-J"] - 1)
    yield "tcpj-s4-local-westwood", statistics.mean(above.dropna())
    yield "tcpj-s4-local-throughput", _times(goodput["TCP-J"], goodput["Westwood"])
    largest = far["first 10 s"]
    over = 100 * (largest["Westwood"] / far["held", "Westwood"] - 1)
    yield "tcpj-s4-nonlocal-westwood", statistics.mean(over.dropna())
    over = 100 * (largest["Westwood"] / largest["TCP-J"] - 1)
    yield "tcpj-s4-nonlocal-tcpj", statistics.mean(over.dropna())
    silent = "TCP-J, not announced"
    if silent not in settled:
        return
    for name in ("NewReno", "SACK"):
        gain = 100 * (goodput[silent] / goodput[name] - 1)
        yield "tcpj-s4-unannounced", statistics.mean(gain.dropna()) | {"at": f"against {name}"}
    for kind, table in (("local", local), ("non-local", far)):
        for column, word in (("settled", "mean window"), ("first 10 s", "largest window")):
            row = _times(table[column, silent], far[column, "TCP-J"])
            yield "tcpj-s4-unannounced-shape", row | {"at": f"{kind}, {word}"}


def _times(own: pd.Series, reference: pd.Series) -> dict[str, float]:
    """Return how many times as large it is, by the seeds that both have."""
    both = pd.concat([own, reference], axis=1, keys=["own", "reference"]).dropna()
    return statistics.paired(both["own"], both["reference"], ratio=True)


def newcomer_rows(runs: pd.DataFrame) -> Rows:
    """Sections 4.4 and 5: what the stream gets that was on the new link before."""
    for where, one in _by_engine(runs, "tcpj-newcomers"):
        wide = one.pivot(index=["kind", "seed"], columns="label", values="resident")
        for kind, own in wide.groupby(level="kind"):
            kinder = 100 * (own["TCP-J"] / own["Westwood"] - 1)
            at = f"a {kind} movement"
            yield where | statistics.mean(kinder.dropna()) | {"claim": "tcpj-s4-kinder", "at": at}
            change = statistics.mean(np.log(own["TCP-J"] / own["SACK"]).dropna())
            yield where | _per_cent(change) | {"claim": "tcpj-s5-others", "at": at}


def arithmetic_rows() -> Rows:
    """What is calculated: operations of (2) and (9) as printed (section 2.1), half of an interval.

    A mobile host that comes at any time waits half of the interval of beacons, on average.
    """
    values = {
        "tcpj-s2-cost": 100 * (operations(2) / operations(9) - 1),
        "tcpj-s4-beacon": 100.0 / 2,
    }
    for claim, value in values.items():
        exact = {"measured": value, "low": value, "high": value, "runs": 1, "experiment": ""}
        yield exact | {"claim": claim, "engine": "arithmetic"}


def operations(number: int) -> int:
    """Return how many additions, multiplications and divisions filter (2) or (9) takes an ACK.

    What appears twice is calculated once, and constants are calculated beforehand. The sample
    itself, (1) and (8), is the same for both.

    >>> from longfat.papers.tcpj.claims import operations
    >>> operations(2) > operations(9)
    True
    """
    right = tcpj.EQ[number].rhs
    ratio, constant = symbols("r c")
    if number == 2:
        right = together(right.subs(2 * tcpj.T / tcpj.Delta, ratio))
        return 1 + int(count_ops(right.subs(2 * tcpj.T, constant)))
    samples = tcpj.sample_k + tcpj.sample_last
    merged = tcpj.alpha * tcpj.BW_last + constant * samples
    assert expand(merged.subs(constant, (1 - tcpj.alpha) / 2) - right) == 0
    return int(count_ops(merged))


def _by_seed(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return goodputs, a row a seed (and a combination of `by`), a column a protocol."""
    return runs.pivot(index=[*by, "seed"], columns="protocol", values="goodput_bps")


def _per_cent(found: dict[str, float]) -> dict[str, float]:
    """Return a row whose values are logarithms of ratios as per cents above 1."""
    ends = {name: 100 * np.expm1(found[name]) for name in ("measured", "low", "high")}
    return found | ends


def _at(bit_error_rate: float) -> str:
    """Word a bit error rate: $4 \\cdot 10^{-6}$."""
    digits, exponent = f"{bit_error_rate:.0e}".split("e")
    times = "" if digits == "1" else rf"{digits} \cdot "
    return rf"${times}10^{{{int(exponent)}}}$"
