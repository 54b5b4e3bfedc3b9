"""What the pages of the book need: figures, tables and equations shown, explorers, Sphinx."""

import gc

# What a page imports, and its thousands of runs, stay: the collector took a quarter of the
# processor time of TCP-J's numbers, and a fifth of a second of a page's imports.
gc.set_threshold(50_000, 20, 100)
