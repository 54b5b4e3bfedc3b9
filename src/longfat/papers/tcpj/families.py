"""Section 2's first two families of remedies, a split connection and a proxy, on the paper's radio.

The access router, which the segment engine gives a relay or Snoop, is where the paper puts them.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from longfat import statistics
from longfat.links import Snoop
from longfat.papers.tcpj.network import radio
from longfat.scenario import Scenario

EXPERIMENT = "tcpj-families"
REMEDIES = ("none", "split", "proxy")
CLAIMS = {"split": "tcpj-s2-split", "proxy": "tcpj-s2-proxy"}
RATES = (1e-6, 4e-6)  # bit error rates: where table 2's gains are large, and largest
WIRED_BPS = (100e6, 10e6)  # the first is the chapter's


def path(
    remedy: str, bit_error_rate: float, wired_bps: float, seed: int, **fields: Any
) -> Scenario:
    """Return NewReno over the radio with such a remedy in the access router.

    `fields` are those of `radio`.
    """
    split: dict[str, Any] = {"relays": ("ar",)} if remedy == "split" else {}
    scenario = radio(
        "NewReno",
        bit_error_rate=bit_error_rate,
        wired_bps=wired_bps,
        seed=seed,
        **split,
        **fields,
    )
    if remedy != "proxy":
        return scenario
    links = [
        link.model_copy(update={"base_station": Snoop()}) if link.target == "mn" else link
        for link in scenario.links
    ]
    return scenario.replace(links=links)


def evidence_rows(table: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield rows of evidence on the claims of `CLAIMS`: the gain over NewReno alone, in %."""
    for (rate, wired_bps), part in table.groupby(["bit_error_rate", "wired_bps"], sort=False):
        wide = part.pivot(index="seed", columns="remedy", values="goodput_bps")
        for remedy in wide.columns.intersection(list(CLAIMS)):
            gain = statistics.paired(wide[remedy], wide["none"], ratio=True)
            per_cent = {name: 100 * (gain[name] - 1) for name in ("measured", "low", "high")}
            other = {"parameter": "wired_rate", "setting": f"{wired_bps / 1e6:g} Mb/s"}
            yield (
                {
                    "claim": CLAIMS[remedy],
                    "engine": "segment",
                    "experiment": EXPERIMENT,
                    "at": f"{rate:g}",
                }
                | gain
                | per_cent
                | ({} if wired_bps == WIRED_BPS[0] else other)
            )
