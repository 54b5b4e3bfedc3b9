"""Paper hybla: TCP Hybla over a geostationary satellite.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the data of the chapter's figures in
`experiments`, the reader's explorer in `explorer`.
"""

from longfat.papers.hybla.equations import *  # noqa: F403
