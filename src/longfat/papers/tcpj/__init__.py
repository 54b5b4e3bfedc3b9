"""Paper tcpj: TCP-J, bandwidth estimation on radio links.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the reader's explorer in `explorer`.
"""

from longfat.papers.tcpj.equations import *  # noqa: F403
