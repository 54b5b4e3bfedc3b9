"""Write the catalogue and build the WebAssembly module, each in its place, from the headers as they
are: `python -m longfat.engines.segment`, or without the module `... catalogue`."""

import sys

from longfat.cc import catalogue
from longfat.engines.segment import wasm

catalogue.write()
print(f"{catalogue.FILE}: {len(catalogue.algorithms())} congestion controls")
if sys.argv[1:] != ["catalogue"]:
    wasm.build_in_place()
    print(f"{wasm.MODULE}: {wasm.MODULE.stat().st_size} bytes")
