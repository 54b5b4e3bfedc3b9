"""The papers' networks under one name: functions that return a scenario."""

from longfat.leo import leo
from longfat.network import WCDMA_ADVICE, duplex, reference, wcdma
from longfat.papers.hybla.network import satellite, shared_bottleneck
from longfat.papers.survey.network import japan
from longfat.papers.tcpj.network import TCPJ_PROTOCOLS, handoff, radio, shared_wire
from longfat.papers.ucc.network import MULTI_BOTTLENECK, multi_bottleneck, wireless

__all__ = [
    "MULTI_BOTTLENECK",
    "TCPJ_PROTOCOLS",
    "WCDMA_ADVICE",
    "duplex",
    "handoff",
    "japan",
    "leo",
    "multi_bottleneck",
    "radio",
    "reference",
    "satellite",
    "shared_bottleneck",
    "shared_wire",
    "wcdma",
    "wireless",
]
