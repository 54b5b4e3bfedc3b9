"""The scenario: what it refuses, in which words, and that its hash is its content."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import CongestionControl, Flow, InputError, Link, Record, Scenario
from longfat.papers.plausible import Plausible
from longfat.topologies import duplex, satellite
from longfat.transfers import Rbudp


def scenario(**changes):
    fields = {
        "links": duplex("a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=10),
        "flows": [{"source": "a", "target": "b", "congestion_control": "newreno"}],
        "duration_s": 1,
    }
    return Scenario(**(fields | changes))


def changed(part, **changes):
    """The JSON data of the scenario above, with a field of its first link or flow changed."""
    data = json.loads(scenario().to_json())
    data[part][0].update(changes)
    return data


@pytest.mark.parametrize(
    ("part", "changes", "words"),
    [
        ("links", {"loss_per_packet": 1.5}, ["links.0.loss_per_packet", "1.5", "less than 1"]),
        ("links", {"loss_per_bit": -0.1}, ["links.0.loss_per_bit", "-0.1", "equal to 0"]),
        ("links", {"delay_s": -1}, ["links.0.delay_s", "-1", "greater than or equal to 0"]),
        ("links", {"rate_bps": 0}, ["links.0.rate_bps", "0", "equal to 1"]),
        ("links", {"rate_bps": float("nan")}, ["links.0.rate_bps", "nan"]),
        ("links", {"queue_bytes": 5}, ["links.0", "either queue_packets or queue_bytes"]),
        (
            "links",
            {"loss_bursts": {"loss_per_packet": 0.1, "mean_packets": 0.5}},
            ["links.0.loss_bursts.mean_packets", "0.5", "equal to 1"],
        ),
        (
            "links",
            {"loss_bursts": {"loss_per_packet": 0.6, "mean_packets": 1}},
            ["links.0.loss_bursts", "0.6", "between two bursts lies one packet"],
        ),
        (
            "links",
            {"arq": {"persistence": float("inf"), "feedback_s": 0}},
            ["links.0.arq.persistence", "inf", "finite"],
        ),
        ("links", {"arq": {"feedback_s": 0}}, ["links.0.arq.persistence", "missing"]),
        ("links", {"delivery_ms": [4, 3]}, ["links.0.delivery_ms", "goes back in time", "3 ms"]),
        ("links", {"delivery_ms": [0]}, ["links.0.delivery_ms", "end after 0 ms"]),
        ("links", {"delivery_ms": [3]}, ["links.0", "rate_bps 1e+06", "mean rate", "4e+06"]),
        ("links", {"aqm": {"kind": "fq"}}, ["links.0.aqm", "'fq'", "'codel', 'fq_codel', 'pie'"]),
        (
            "links",
            {"aqm": {"kind": "red", "max_threshold_packets": 2}},
            ["links.0.aqm.red", "max_threshold_packets 2", "greater than"],
        ),
        (
            "links",
            {"aqm": {"kind": "codel"}, "mark_above_packets": 3},
            ["links.0", "either aqm or mark_above_packets"],
        ),
        ("links", {"speed": 5}, ["links.0.speed", "no such field"]),
        ("flows", {"congestion_control": "hyblah"}, ["hyblah", "Did you mean 'hybla'?"]),
        ("flows", {"sack": False, "rack": True}, ["flows.0", "rack", "need it"]),
        ("flows", {"sack": False, "frto": True}, ["flows.0", "frto", "need it"]),
        ("flows", {"rack": True, "lost_retransmissions": "timeout"}, ["flows.0", "detected"]),
        (
            "flows",
            {"congestion_control": {"name": "hybla", "parameters": {"rtt0": 1}}},
            ["parameters.rtt0", "no parameter 'rtt0'", "Did you mean 'rtt0_s'?"],
        ),
        ("flows", {"target": "c"}, ["flows.0", "no link touches node 'c'", "a, b"]),
        ("links", {"changes": [{"at_s": 1}]}, ["links.0.changes.0", "state rate_bps"]),
        ("flows", {"path": ["a", "c"]}, ["flows.0", "lead from 'a' to 'b'", "'c'"]),
        ("flows", {"path": ["a", "c", "b"]}, ["flows.0", "no link from 'a' to 'c'"]),
        ("flows", {"reroutes": [{"at_s": 1, "path": ["a", "b"]}]}, ["flows.0", "begins with"]),
        ("flows", {"relays": ["b"]}, ["flows.0", "relay 'b'", "a, b"]),
        ("links", {"delay_s": 9.3e9}, ["links.0.delay_s: 9300000000.0", "equal to 1000000000"]),
        ("links", {"rate_bps": 1e300}, ["links.0.rate_bps: 1e+300", "equal to 1000000000000000"]),
        ("links", {"queue_packets": 2**31}, ["links.0.queue_packets", "equal to 2147483647"]),
        ("links", {"changes": [{"at_s": 1e12, "delay_s": 1}]}, ["links.0.changes.0.at_s: 1000000"]),
        ("links", {"outages": [{"start_s": 0, "duration_s": 1e10}]}, ["outages.0.duration_s"]),
        ("links", {"rate_bps": "x" * 10_000}, ["links.0.rate_bps", "(10,002 characters)"]),
        ("links", {"x" * 10_000: 1}, ["xxx (10,000 characters): there is no such field"]),
        ("flows", {"source": "x" * 10_000}, ["no link touches node 'xxx", "(10,002 characters)"]),
        ("flows", {"start_s": 1e10}, ["flows.0.start_s", "10000000000"]),
        ("flows", {"min_rto_s": 1e10}, ["flows.0.min_rto_s", "10000000000"]),
        ("flows", {"start_s": 2.0, "stop_s": 1.0}, ["stop_s 1.0", "later than start_s 2.0"]),
    ],
)
def test_bad_fields_are_named_with_value_and_what_is_allowed(part, changes, words):
    with pytest.raises(InputError) as caught:
        Scenario(**changed(part, **changes))
    message = str(caught.value)
    assert "\n" not in message or message.startswith("2 mistakes:")
    for word in words:
        assert word in message


def test_all_mistakes_are_told_at_once_with_what_was_meant():
    data = changed("links", queue_packet=9, loss_per_packet=2)
    data["flows"][0] |= {"congestion_control": "hyblah", "send_buffer_bytes": -1, "target": None}
    with pytest.raises(InputError) as caught:
        Scenario.from_json(json.dumps(data | {"record": {"series": ["cwnd"]}}), where="plan.json")
    first, *lines = str(caught.value).splitlines()
    assert first == "plan.json: 6 mistakes:"
    told = dict(line.strip().split(": ", 1) for line in lines)
    assert told["links.0.queue_packet"].endswith("Did you mean 'queue_packets'?")
    assert "Link has source, target, rate_bps," in told["links.0.queue_packet"]
    assert told["links.0.loss_per_packet"] == "2 should be less than 1"
    assert told["flows.0.congestion_control"].endswith("Did you mean 'hybla'?")
    assert told["flows.0.target"] == "None should be a valid string"
    assert told["flows.0.send_buffer_bytes"].endswith("equal to 1, or should be 'auto'")
    assert "'cwnd_segments'" in told["record.series.0"]


def test_mistakes_of_fields_together_are_told_at_once_too():
    flow = {"source": "a", "target": "c", "congestion_control": "newreno"}
    with pytest.raises(InputError) as caught:
        scenario(flows=[flow, flow | {"source": "d", "target": "b"}])
    told = str(caught.value).splitlines()
    assert [line.partition("touches")[0] for line in told] == [
        "2 mistakes:",
        "  flows.0: no link ",
        "  flows.1: no link ",
    ]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Link(source="a", target="a"), "rate_bps: this field is missing"),
        (lambda: Flow(source="a", target="b", congestion_control="hyblah"), "mean 'hybla'"),
        (lambda: Record(points=1), "points: 1 should be greater than or equal to 2"),
        (lambda: CongestionControl(name="hybla", parameters={"rtt0": 1}), "mean 'rtt0_s'"),
        (lambda: satellite(loss=2), "loss_per_packet: 2 should be less than 1"),
        (lambda: Rbudp(source="a", target="a", rate_bps=1e6), "needs two nodes"),
        (lambda: Plausible(name="a", value="1", choices="1", sources="x"), "source: this field"),
    ],
)
def test_bad_input_is_one_kind_of_error_wherever_it_is_made(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_nothing_to_record_may_be_stated_everywhere():
    assert scenario(record=None) == scenario()
    assert satellite(loss=1e-3, record=None) == satellite(loss=1e-3)


@pytest.mark.parametrize("duration_s", [1.1e9, 9.3e9, 1e300, float("inf"), 10**400])
def test_a_time_that_overflows_64_bits_of_nanoseconds_is_refused(duration_s):
    with pytest.raises(InputError, match=r"^duration_s: ") as refused:
        scenario(duration_s=duration_s)
    assert len(str(refused.value)) < 200


def test_a_scenario_without_a_path_is_refused():
    links = duplex("a", "b", rate_bps=1e6, delay_s=0, queue_packets=1)
    links += duplex("c", "d", rate_bps=1e6, delay_s=0, queue_packets=1)
    flow = {"source": "a", "target": "d", "congestion_control": "newreno"}
    with pytest.raises(InputError, match="no path from 'a' to 'd'"):
        scenario(links=links, flows=[flow])


def test_a_link_needs_one_back_and_only_one():
    there, back = duplex("a", "b", rate_bps=1e6, delay_s=0, queue_packets=1)
    with pytest.raises(InputError, match="no link back from 'b' to 'a'"):
        scenario(links=[there])
    with pytest.raises(InputError, match="two links from 'a' to 'b'"):
        scenario(links=[there, back, there])


def test_malformed_json_says_where():
    with pytest.raises(InputError, match=r"plan.json: not JSON at line 2 column 1"):
        Scenario.from_json('{"links":\n', where="plan.json")
    with pytest.raises(InputError, match="a scenario is a JSON object, not list"):
        Scenario.from_json("[]")
    with pytest.raises(InputError, match="has thousands of digits"):
        Scenario.from_json('{"duration_s": 1' + "0" * 10_000 + "}")
    with pytest.raises(InputError, match="nested too deeply"):
        Scenario.from_json("[" * 100_000)


names = st.text("abc", min_size=1, max_size=3)
positive = st.floats(1e-3, 1e9)


@st.composite
def scenarios(draw):
    a, b = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    fields = {
        "rate_bps": draw(st.floats(1, 1e15)),
        "delay_s": draw(st.floats(0, 10)),
        "queue_packets": 3,
    }
    flow = Flow(
        source=a,
        target=b,
        congestion_control=draw(st.sampled_from(["hybla", "newreno", "cubic"])),
        bytes=draw(st.none() | st.integers(1, 10**9)),
        sack=draw(st.booleans()),
    )
    links = (Link(source=a, target=b, **fields), Link(source=b, target=a, **fields))
    return Scenario(
        links=links, flows=(flow,), duration_s=draw(positive), seed=draw(st.integers(1, 99))
    )


@given(scenarios())
def test_json_round_trip_keeps_the_scenario_and_its_hash(one):
    again = Scenario.from_json(one.to_json())
    assert again == one
    assert again.sha256() == one.sha256()
    assert Scenario.from_json(one.canonical_json()) == one


def test_the_hash_is_of_the_content():
    one = satellite(loss=1e-4)
    assert one.sha256() == satellite(loss=1e-4).sha256()
    assert one.sha256() == one.replace(title="for people only").sha256()
    assert one.sha256() != one.replace(seed=2).sha256()
    assert one.sha256() != satellite(loss=2e-4).sha256()


def test_a_changed_copy_is_another_scenario():
    """Also where the first has been asked for its hash before."""
    one = satellite(loss=1e-4)
    first = one.sha256()
    assert one.replace(seed=2).sha256() != first
    assert one.model_copy(update={"seed": 2}).sha256() == one.replace(seed=2).sha256()


def test_defaults_have_not_changed():
    """Canonical JSON leaves defaults out: changing one would change what archived keys mean."""
    fields = json.loads(scenario().model_dump_json())
    assert fields["flows"][0] == {
        "source": "a",
        "target": "b",
        "congestion_control": {"name": "newreno", "parameters": {}},
        "name": "",
        "segment_bytes": 1000,
        "max_window_segments": None,
        "initial_window_segments": 10,
        "initial_ssthresh_segments": None,
        "send_buffer_bytes": 64_000_000,
        "receive_buffer_bytes": 64_000_000,
        "segments_per_ack": 1,
        "ack_timeout_s": 0.2,
        "sack": True,
        "recovery": "prr",
        "limited_transmit": True,
        "timestamps": True,
        "ecn": False,
        "min_rto_s": 1.0,
        "start_s": 0.0,
        "stop_s": None,
        "bytes": None,
        "path": None,
        "moves": [],
        "quick_start_bps": None,
        "start_up": None,
        "relay_buffer_bytes": None,
        "relays_fail_at_s": None,
        "reroutes": [],
        "handoffs": [],
        "relays": [],
        "rack": False,
        "frto": False,
        "undo": False,
        "retries": 15,
        "timestamp_tick_s": 0.0,
        "conceals_losses": False,
        "ack_division": 1,
        "optimistic_ack_segments": 0,
        "lost_retransmissions": "detected",
    }
    assert fields["links"][0] == {
        "source": "a",
        "target": "b",
        "rate_bps": 1e6,
        "delay_s": 0.01,
        "queue_packets": 10,
        "queue_bytes": None,
        "loss_per_packet": 0.0,
        "loss_per_bit": 0.0,
        "outages": [],
        "changes": [],
        "mark_above_packets": None,
        "loss_bursts": None,
        "arq": None,
        "aqm": None,
        "delivery_ms": [],
        "xcp": None,
        "approve_bps": None,
        "ptp": False,
        "base_station": None,
        "notifies_loss": False,
    }
    assert fields["record"] == {"series": [], "points": 2000}
    assert fields["seed"] == 1


def test_queues_of_another_kind_are_another_scenario():
    """Also where all their parameters are the usual ones, which JSON leaves out."""

    def managed(kind):
        return Scenario(**changed("links", aqm={"kind": kind}))

    one, *others = (managed(kind) for kind in ("red", "codel", "pie"))
    assert len({one.sha256(), scenario().sha256(), *(other.sha256() for other in others)}) == 4
    for each in (one, *others):
        assert Scenario.from_json(each.to_json()) == each
        assert Scenario.from_json(each.canonical_json()) == each
        assert each.replace(seed=2).links == each.links


def test_a_low_priority_needs_queues_that_have_it():
    cherry = {"name": "cherry", "parameters": {}}
    helped = changed("links", aqm={"kind": "codel"})
    helped["flows"] = [dict(flow) | {"congestion_control": cherry} for flow in helped["flows"]]
    with pytest.raises(
        InputError, match="low_priority must be false beside the assistance of link 0"
    ):
        Scenario(**helped)
    cherry["parameters"] = {"low_priority": False}
    Scenario(**helped)


def test_a_copy_with_something_else_has_another_key():
    """Also where the first one's was asked for, and is kept."""
    one = scenario()
    assert one.sha256() == one.replace(title="as before").sha256()
    for other in (one.replace(seed=7), one.model_copy(update={"seed": 7})):
        assert json.loads(other.canonical_json())["seed"] == 7
        assert other.sha256() != one.sha256()
