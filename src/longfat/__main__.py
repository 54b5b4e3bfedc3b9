"""`python -m longfat` is the command `longfat`."""

from longfat.cli import main

main(prog_name="longfat")
