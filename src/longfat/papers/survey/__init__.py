"""Paper survey: why TCP cannot fill a long fat pipe.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the reader's explorer in `explorer`.
"""

from longfat.papers.survey.equations import *  # noqa: F403
