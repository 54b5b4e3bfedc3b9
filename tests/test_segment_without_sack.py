"""Recoveries without SACK (RFC 6582)."""

import pytest
from segment_scenarios import flow, link, run

SEGMENT_S = 8 * 1042 / 10e6  # without timestamps


def consecutive_losses(count: int, **more) -> dict:
    """A window of 100 over a round trip of 0.6 s, in which so many segments in a row are lost."""
    own = flow(sack=False, timestamps=False, **more)
    own |= {"initial_window_segments": 100, "initial_ssthresh_segments": 100}
    # Each flight arrives within 83 ms; after 3.35 s its middle does.
    outage = {"start_s": 3.35 + 0.1 * SEGMENT_S, "duration_s": count * SEGMENT_S}
    series = ["ssthresh_segments", "acknowledged_bytes"]
    forth = link(delay_s=0.3, queue=10_000, outages=[outage])
    answer = run(forth, own, duration_s=20, series=series)
    assert answer["links"][0]["packets_lost_in_outage"] == count
    return answer


@pytest.mark.parametrize("recovery", ["prr", "halving"])
@pytest.mark.parametrize("count", [1, 2])
def test_few_losses_are_repaired_one_a_round_trip(count, recovery):
    answer = consecutive_losses(count, recovery=recovery)
    assert answer["recoveries"] == 1
    assert answer["timeouts"] == 0
    assert answer["retransmissions"] == count


@pytest.mark.parametrize("count", [3, 6, 20])
def test_only_the_first_partial_ack_resets_the_timer(count):
    """RFC 6582, section 3.2, step 3: many losses of a window end in a timeout, after 1 s here."""
    answer = consecutive_losses(count)
    assert answer["timeouts"] == 1
    times, thresholds = answer["series"]["ssthresh_segments"]
    acks = answer["series"]["acknowledged_bytes"][0]
    first_partial_s = next(time_s for time_s in acks if time_s > times[1])
    assert times[2] == pytest.approx(first_partial_s + 1.0, abs=1e-6)
    # That is a second sign of congestion: it does not leave a higher threshold than the first.
    assert thresholds[2] <= thresholds[1]
