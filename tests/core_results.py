"""The core in the place of the engine `segment`, for tests that ask that engine."""

import json

from longfat import Result, Scenario
from longfat.engines import host, segment
from longfat.engines.segment import native


def simulate(scenario: Scenario) -> Result:
    """Run it on the core; what it does not count is not in the result."""
    answer = native.run(json.loads(segment.request(scenario)))
    return host.result(scenario, answer | {"wall_s": 0.0}, {"engine": "core"})
