"""`longfat compare`: which sender for a path."""

import json
import subprocess
import sys

import pytest

from longfat import store
from longfat.errors import InputError
from longfat.studies import atlas, which_sender

PATH = {"rate_bps": 5e6, "rtt_s": 0.04, "loss": 1e-2}


def test_the_best_sender_comes_first_with_its_interval():
    """At a loss of one in a hundred BBR keeps the link full, which Reno cannot."""
    table = which_sender.compare(**PATH, among=["reno", "bbr"], seeds=3)
    assert table["sender"].tolist() == ["bbr", "reno"]
    assert (table["low"] < table["Mb/s"]).all() and (table["Mb/s"] < table["high"]).all()
    assert table["Mb/s"].iloc[0] <= 5
    assert (table["runs"] == 3).all()


def test_a_neighbour_beside_its_own_kind_keeps_all():
    table = which_sender.compare(**PATH, beside="cubic", among=["cubic", "bbr"], seeds=2)
    keeps = table.set_index("sender")["keeps"]
    assert keeps["cubic"] == pytest.approx(1)
    assert keeps["bbr"] != pytest.approx(1)


def test_a_path_of_the_atlas_is_answered_from_its_archive():
    known = atlas.read().iloc[0]
    path = {name: float(known[name]) for name in atlas.PATH if name != "buffer_bdp"}
    table = which_sender.compare(**path, buffer_bdp=float(known["buffer_bdp"]))
    assert (table["runs"] == 0).all()
    assert len(table) > 30


def test_a_path_of_the_atlas_is_run_where_a_sender_is_another(monkeypatch):
    known = atlas.read().sort_values(["rate_bps", "rtt_s", "loss"]).iloc[0]
    path = {name: float(known[name]) for name in atlas.PATH}
    assert which_sender.compare(**path, among=["hybla"])["runs"].tolist() == [0]
    versions = store.versions_of(atlas.ARCHIVE) | {"cc/hybla": "9"}
    monkeypatch.setattr(store, "versions_of", lambda archive: versions)
    store.say_not_answered.cache_clear()  # it says each thing once
    assert which_sender.compare(**path, among=["cubic"])["runs"].tolist() == [0]
    with pytest.warns(UserWarning, match="nothing that 'cc/hybla' decides is answered"):
        assert which_sender.compare(**path, among=["hybla"], seeds=2)["runs"].tolist() == [2]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"among": ["cubi"]}, "no sender 'cubi'.*Did you mean 'cubic'"),
        ({"beside": "renoo"}, "no sender 'renoo'.*Did you mean 'reno'"),
        ({"rate_bps": 1e11, "rtt_s": 0.5}, "rate_bps 1e[+]11 and rtt_s 0.5.*a part of the rate"),
        ({"loss": 2}, "^loss is 2"),
        ({"rtt_s": 0}, "^rtt_s is 0"),
        ({"rate_bps": -1}, "^rate_bps is -1"),
        ({"buffer_bdp": 1e9}, "queue_packets.*should be less"),
    ],
)
def test_bad_input_is_a_sentence(changed, sentence):
    with pytest.raises(InputError, match=sentence):
        which_sender.compare(**(PATH | changed))


@pytest.mark.medium
def test_the_command_prints_a_table_or_json():
    command = [sys.executable, "-m", "longfat", "compare", "--rate", "5e6", "--rtt", "0.04"]
    command += ["--loss", "0.01", "--senders", "reno,bbr", "--seeds", "2"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.index("bbr") < shown.index("reno")
    told = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    assert [row["sender"] for row in json.loads(told)] == ["bbr", "reno"]
