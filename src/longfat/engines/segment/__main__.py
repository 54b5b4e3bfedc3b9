"""Write the catalogue and build the WebAssembly module, each in its place, from the headers as they
are: `python -m longfat.engines.segment`, or without the module `... catalogue`. With `native` the
engine is compiled for this machine, with headers whose paths follow, or with all of the catalogue.
"""

import sys
from pathlib import Path

from longfat import builds
from longfat.cc import catalogue
from longfat.engines.segment import native, wasm

if sys.argv[1:2] == ["native"]:
    with builds.alone("segment") as free:  # another process may be at it
        if free and builds.compiler():  # elsewhere the WebAssembly module is what runs
            known = [one.header for one in catalogue.algorithms().values() if one.header]
            native.made([Path(path) for path in sys.argv[2:]] or known)
    sys.exit()
catalogue.write()
print(f"{catalogue.FILE}: {len(catalogue.algorithms())} congestion controls")
if sys.argv[1:] != ["catalogue"]:
    wasm.build_in_place()
    print(f"{wasm.MODULE}: {wasm.MODULE.stat().st_size} bytes")
