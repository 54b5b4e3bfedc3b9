"""An import of this module ends in one sentence: what was here is in `longfat.papers`."""

raise ImportError(
    "longfat.theory is now longfat.papers: write `from longfat.papers import hybla` "
    "(or survey, tcpj, ucc, reno)"
)
