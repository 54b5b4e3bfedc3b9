"""Set-up: `python -m longfat.engines.ns3 --warm` prepares what every run needs, once."""

import sys

from longfat.engines.ns3 import VERSION, accelerate, server

if __name__ == "__main__":
    if sys.argv[1:] != ["--warm"]:
        sys.exit("usage: python -m longfat.engines.ns3 --warm")
    library = accelerate.build()
    server.load()
    print(f"ns-3 {VERSION} is ready, {'accelerated' if library else 'not accelerated'}")
