"""What theory says in the chapter on TCP-J: filters, models and costs, without any run."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat.papers import tcpj
from longfat.papers.tcpj.plan import SEGMENT_BYTES, Setting


def filters(ack_s: float) -> pd.DataFrame:
    """Return what the filters' poles mean on this link, a row a filter.

    An ACK comes every `ack_s` s.

    Columns: filter, a (the pole), noise_gain, cut_off (radians a sample), samples_95, T (s), and
    95 % after (s).
    """
    poles = {
        "TCP-J, 0.9": 0.9,
        "TCP-J, 0.875 (Jacobson's)": 0.875,
        "Westwood, 1 s": float(tcpj.alpha_of(ack_s, 1.0)),
    }
    table = tcpj.filter_properties(list(poles.values())).rename(columns={"pole": "a"})
    table.insert(0, "filter", list(poles))
    table["T (s)"] = tcpj.time_constant_of(table["a"].to_numpy(), ack_s)
    table["95 % after (s)"] = table["samples_95"] * ack_s
    return table


def uneven_acks(ack_s: float) -> pd.DataFrame:
    """Return the mean estimate over the rate of arrivals, where ACKs come unevenly.

    Intervals are independent and uniform between 1 - spread and 1 + spread of `ack_s` (s).
    Columns: spread; abe, tustin (TCP-J's filter and Westwood's).
    """
    draws = np.linspace(-1, 1, 20001)
    spreads = [0.01, 0.2, 0.4, 0.6, 0.8, 0.9]
    rows = [tcpj.sample_bias(ack_s * (1 + spread * draws)) for spread in spreads]
    return pd.DataFrame(rows).assign(spread=spreads)[["spread", "abe", "tustin"]]


def filter_steps(setting: Setting) -> pd.DataFrame:
    """Return how both estimates follow a step from nothing to a busy radio link.

    Columns: acks (how they come: even ACKs, or random intervals), protocol, time_s, and
    estimate_over_rate (1 is the rate of arrivals).
    """
    rng = np.random.default_rng(1)
    intervals = {
        "even ACKs": np.full(1200, setting.ack_s),
        "random intervals": setting.ack_s * rng.uniform(0.1, 1.9, 1200),
    }
    return pd.concat(
        pd.DataFrame(
            {
                "acks": name,
                "protocol": protocol,
                "time_s": gaps.cumsum(),
                "estimate_over_rate": tcpj.estimate(number, 2 * 8 * SEGMENT_BYTES, gaps)
                / setting.full_bps,
            }
        )
        for name, gaps in intervals.items()
        for number, protocol in ((9, "TCP-J"), (2, "Westwood"))
    )


def expected(setting: Setting, bit_error_rates: ArrayLike) -> pd.DataFrame:
    """Return what models expect of NewReno on the radio link, a row a bit error rate.

    Columns: bit_error_rate, loss (of a packet), and in Mb/s square_root, pftk, newreno and full
    (see `tcpj.expected_goodput`).
    """
    table = tcpj.expected_goodput(np.array(bit_error_rates), setting.radio_rate_bps, setting.rtt_s)
    return table.assign(**{name: table[name] / 1e6 for name in table.columns[2:]})


def handoff_costs() -> pd.DataFrame:
    """Return table 3's costs. Columns: movement, round trip (s), cost (s)."""
    table = pd.DataFrame({"movement": list(tcpj.HANDOFF_COST), "round trip (s)": [0.01, 0.04]})
    cost = [tcpj.handoff_cost(*row) for row in table.itertuples(index=False, name=None)]
    return table.assign(**{"cost (s)": cost})
