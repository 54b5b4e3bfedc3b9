"""What the pages of the book need: figures, tables and equations shown, explorers, Sphinx."""
