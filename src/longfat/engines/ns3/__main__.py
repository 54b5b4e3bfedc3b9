"""Set-up: `python -m longfat.engines.ns3 --warm` compiles what every run needs, once."""

import sys

from longfat.engines import ns3
from longfat.engines.ns3 import bindings

if __name__ == "__main__":
    if sys.argv[1:] != ["--warm"]:
        sys.exit("usage: python -m longfat.engines.ns3 --warm")
    for obstacle in ns3.prepare():
        print(f"notice: {obstacle}")
    bindings.load()  # the first time, Cling compiles its own headers for the others
    print(f"ns-3 {ns3.VERSION} is ready")
