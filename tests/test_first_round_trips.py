"""The study of start-ups, and the least time of a transfer."""

import math

import pytest

from longfat import Flow, Link, engines, simulate, store
from longfat.book import verdicts
from longfat.errors import InputError
from longfat.papers.hybla import derivation, network
from longfat.studies import first_round_trips as study
from longfat.studies import start_up_claims
from longfat.studies.least_times import least_time_s

FAR = {"rtt_s": 0.6, "size_bytes": 1e8, "payload_bps": 240e6}


def test_the_least_time_is_a_handshake_the_wire_and_the_last_bytes_way():
    assert least_time_s("path", **FAR) == pytest.approx(0.6 + 1e8 * 8 / 240e6 + 0.3)


def test_acknowledgments_clock_what_is_sent():
    """A thousand a second, each of four segments of 1000 bytes: 4 MB/s."""
    told = FAR | {"acks_per_s": 1000, "segments_per_ack": 4, "segment_bytes": 1000}
    assert least_time_s("acknowledgments", **told) == pytest.approx(0.9 + 25)


def test_doubling_takes_whole_round_trips():
    """A window of an eighth of the path doubles three times; 7/8 of the path arrive meanwhile."""
    holds = 240e6 / 8 * 0.6
    found = least_time_s("doubling", first_window_bytes=holds / 8, **FAR)
    assert found == pytest.approx(0.9 + 3 * 0.6 + (1e8 - 7 / 8 * holds) * 8 / 240e6)


def test_a_jump_to_half_of_the_path_costs_a_round_trip_and_a_half():
    """Two rounds pass before the path is full; the first window and half of the path arrive."""
    holds = 240e6 / 8 * 0.6
    found = least_time_s("jump", first_window_bytes=1, **FAR)
    assert found == pytest.approx(least_time_s("path", **FAR) + 1.2 - holds / 2 * 8 / 240e6)
    with pytest.raises(InputError, match="no bound 'jumps'"):
        least_time_s("jumps", **FAR)


def test_no_start_up_is_faster_than_the_path():
    least = study.bounds()["path"]
    for start_up in ("careful-resume", "hybla"):
        run = simulate(study.scenario("newreno", start_up, study.PICOQUIC, study.SIZES[-1]))
        row = study.measured(run)
        assert row["time_s"] > least
        assert row["start_s"] + row["later_s"] == pytest.approx(row["time_s"] - least)


def test_careful_resume_is_not_faster_than_its_text_permits():
    run = simulate(study.scenario("newreno", "careful-resume", study.PICOQUIC, study.SIZES[-1]))
    assert study.measured(run)["time_s"] > study.bounds()["jump"]


def test_a_sender_joins_a_neighbour_that_is_under_way():
    one, other = (
        study.scenario("cubic", "hybla", "cable", 100_000, "newreno", seed) for seed in (1, 2)
    )
    for flow in (one.flows[0], other.flows[0]):
        assert 2 <= flow.start_s <= 3
    assert one.flows[0].start_s != other.flows[0].start_s
    nobody = study.scenario("cubic", study.NOBODY, "cable", 0, "newreno")
    assert nobody.flows == (one.flows[1],)


# --- what the page says


@pytest.fixture(scope="module")
def points():
    return store.read_table(study.POINTS_NAME, "points")


def test_search_is_standard_slow_start_where_the_queue_holds_what_the_path_does(points):
    still = points[~points["path"].isin(("leo", "satcom-lossy")) & (points["beside"] == "")]
    by = ["sender", "path", "size"]
    search, standard = (
        still[still["start_up"] == name].set_index(by)[["time_s", "lost"]]
        for name in ("search", "standard")
    )
    assert len(search) > 15 and search.equals(standard)


def test_search_ends_in_time_where_the_queue_is_four_times_as_long():
    lost = []
    for kind in ("standard", "search"):
        usual = study.scenario("cubic", kind, "geo", 50_000_000)
        first, back = usual.links
        flow = dict(usual.flows[0]) | {"receive_buffer_bytes": 100_000_000}
        deep = usual.replace(
            links=[Link(**(dict(first) | {"queue_packets": 4 * first.queue_packets})), back],
            flows=[Flow(**flow)],
        )
        lost.append(simulate(deep).flows["retransmissions"].item())
    assert 0 < lost[1] < 0.1 * lost[0]


def test_a_megabyte_over_the_satellite_is_soonest_with_hyblas_start(points):
    alone = study.alone(points)
    geo = alone[(alone["path"] == "geo") & (alone["size"] == 1_000_000)].set_index("start_up")
    assert geo["time_s"].idxmin() == "hybla"
    assert geo.loc["hybla", "lost"] == 0


def test_hystart_ends_when_the_path_is_full():
    """Its rounds begin with the first ACK: amid a burst, each begins with a longer round trip."""
    run = simulate(study.beside_linux("hystart", "geo", 10_000_000))
    assert run.flows["transfer_time_s"].item() < 8.6
    assert run.flows["retransmissions"].item() == 0


@pytest.mark.slow
@pytest.mark.parametrize("start_up", study.KERNEL)
def test_a_linux_kernel_takes_as_long(start_up):
    if not engines.is_here("linux"):
        pytest.skip("the engine linux is not here")
    here = simulate(study.beside_linux(start_up, "geo", 10_000_000))
    there = simulate(study.beside_linux(start_up, "geo", 10_000_000, kernel=True), "linux")
    took = [one.flows["transfer_time_s"].item() for one in (here, there)]
    assert took[0] == pytest.approx(took[1], rel=0.01)


# --- what was promised, and the public tests


def test_each_promise_has_a_verdict_from_runs():
    judged = verdicts.of_chapter("start-up").set_index("id")
    assert set(judged.index) == set(start_up_claims.claims()["id"])
    assert (judged["verdict"] != "not yet measured").all()
    assert judged["evidence"].map(len).min() > 0


def test_a_round_trip_is_not_divided():
    """Equation (32) counts parts of one: the run takes the whole ones that (24) gives."""
    for segments in (100, 1000):
        run = simulate(start_up_claims.over_the_satellite(segments))
        rounds = math.ceil(derivation.slow_start_rounds(segments, 22.0, 550))
        way = run.scenario.links[0]
        sending_s = min(segments, 550) * (network.SEGMENT_BYTES + study.HEADER_BYTES) * 8
        whole_s = (1 + rounds - 0.5) * network.RTT_S
        took_s = run.flows["transfer_time_s"].item()
        assert whole_s < took_s < whole_s + 2 * sending_s / way.rate_bps


def test_the_ground_is_the_satellite_with_the_reference_as_its_round_trip():
    ground = start_up_claims.satellite_or_ground(network.RTT0_S, 1_000_000)
    standard = ground.replace(
        flows=[Flow(**(dict(ground.flows[0]) | {"congestion_control": "newreno"}))]
    )
    took = [simulate(one).flows["transfer_time_s"].item() for one in (ground, standard)]
    assert took[0] == pytest.approx(took[1], rel=0.01)


def test_a_public_test_has_the_path_that_its_draft_states():
    links = study.links_of("satcom-large")
    assert [link.rate_bps for link in links] == [250e6, 3e6]
    assert study.round_trip_s(links) == 0.65
    assert links[0].queue_packets * study.PACKET_BYTES == pytest.approx(250e6 * 0.65 / 8, rel=1e-3)
    assert links[1].queue_bytes == pytest.approx(3e6 * 0.65 / 8, rel=1e-3)
    lossy = study.links_of("satcom-lossy")
    assert [link.loss_per_packet for link in lossy] == [0.01, 0.01]


def test_an_objective_that_is_met_is_met_by_a_run():
    run = simulate(study.scenario("cubic", "careful-resume", "satcom-large", 100_000_000))
    stated_s = study.OBJECTIVES_S["satcom-large"][-1]
    usual = simulate(study.scenario("cubic", study.OWN, "satcom-large", 100_000_000))
    took = [one.flows["transfer_time_s"].item() for one in (run, usual)]
    assert took[0] < stated_s < took[1]
