"""Paper ucc: UCC, congestion control by the bottleneck's utilization.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the reader's explorer in `explorer`.
"""

from longfat.papers.ucc.equations import *  # noqa: F403
