"""Write the catalogue and build the WebAssembly module, each in its place, from the headers as they
are: `python -m longfat.engines.core`, or without the module `... catalogue`."""

import sys

from longfat.cc import compiled
from longfat.engines.core import wasm

compiled.write()
print(f"{compiled.FILE}: {len(compiled.algorithms())} congestion controls")
if sys.argv[1:] != ["catalogue"]:
    wasm.build_in_place()
    print(f"{wasm.MODULE}: {wasm.MODULE.stat().st_size} bytes")
