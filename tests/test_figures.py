"""One figure alone, and a chapter's archive again, on a small scale."""

import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError, paths, reproduce, store
from longfat.book import chapters, figures
from longfat.cli import main
from longfat.experiment import Chapter, Experiment
from longfat.network import reference
from longfat.papers.ucc import plan as ucc

pytestmark = pytest.mark.book

TABLES = {"hybla-table-3", "survey-10g"}
SMALL = {
    "loss_rates": [1e-3, 1e-2],
    "repetitions": 2,
    "duration_s": 2.0,
    "transfer_megabytes": [0.1, 0.2, 0.3],
}


def test_the_catalogue_has_the_papers_figures_in_order():
    names = list(figures.catalogue()["name"])
    positions = [names.index(f"hybla-{number}") for number in range(3, 10)]
    assert positions == sorted(positions)
    assert "hybla-table-3" in names


def test_a_figure_knows_its_experiments_and_what_they_took():
    used = figures.experiments()
    legs = ("", "emulation-", "ns2-", "ns3-simulation-")
    assert used["hybla-3"] == sorted(f"hybla-{leg}steady" for leg in legs)
    names = ("ns3", "segment")
    assert used["survey-check"] == [f"survey-stacks-{name}" for name in names]
    assert used["hybla-overflow"] == ["hybla-overflow"]
    assert used["ucc-3"] == sorted(ucc.PAIRS)
    assert used["survey-10g"] == []
    table = figures.times().set_index("name")
    line = store.provenance()["hybla-overflow"]
    assert table.loc["hybla-overflow", "simulated_s"] == float(line["wall_s"])
    assert table.loc["survey-10g", "simulated_s"] == 0


# How many points of ns-3 the main figures have, from the archive, and of how many runs each.
MAIN = {"hybla-3": (6, 10), "tcpj-9": (40, 10), "ucc-3": (17, 10), "ucc-4": (15, 10)}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MAIN, "ucc-minute", "survey-5-numbers"])
def test_the_main_figure_of_each_paper_has_ns3_beside_the_segment_engine(name):
    chapter = chapters.find(chapters.of_figure(name))
    data = chapter.data(chapter.shown[name])
    on_ns3, ours = (data[data["engine"] == one] for one in ("ns-3", "segment engine"))
    if name in MAIN:
        count, runs = MAIN[name]
        assert len(on_ns3) == count and (on_ns3["repetitions"] == runs).all()
    value = "measured" if name == "survey-5-numbers" else "Mb/s"
    assert (on_ns3[value] > 0).all() and len(on_ns3) >= 6
    assert len(ours) >= len(on_ns3)
    figure = chapter.chart(chapter.shown[name], data)
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert sum(text.startswith("ns-3") for text in legend) == 1


@pytest.mark.slow
def test_measuring_measures_what_has_no_time(tmp_path, monkeypatch):
    """Of one chapter with a figure whose time is known and one whose time is not."""
    known, other = "ns2-habits", "faults-socket"
    tables = [
        chapters.find(chapter).shown[name] for chapter, name in (("ns2", known), ("faults", other))
    ]
    small = Chapter(name="small", setting=None, experiments=(), figures=tuple(tables))
    monkeypatch.setattr(chapters, "stated", lambda: {"small": small})
    monkeypatch.setattr(figures, "TIMES", tmp_path / "times.csv")
    figures.TIMES.write_text(f"name,quick_s,paper_s\n{known},61.0,\n", "utf-8")
    figures.measure(("quick",))
    table = figures.times().set_index("name")
    assert table.loc[known, "quick_s"] == 61
    assert 0.1 <= table.loc[other, "quick_s"] < 60
    assert table["paper_s"].isna().all()


def test_a_figure_that_is_gone_has_no_time():
    assert set(pd.read_csv(figures.TIMES)["name"]) <= set(figures.catalogue()["name"])


def test_what_was_not_measured_is_listed_as_such(tmp_path, monkeypatch):
    rows = "name,quick_s,paper_s\nhybla-3,61.0,\nno-longer,1.0,1.0\n"
    monkeypatch.setattr(figures, "TIMES", tmp_path / "times.csv")
    figures.TIMES.write_text(rows, "utf-8")
    done = CliRunner().invoke(main, ["figure", "--list"])
    [line] = [line for line in done.output.splitlines() if " hybla-3 " in f" {line} "]
    assert "1:01" in line and "not measured" in line
    assert "no-longer" not in done.output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hybla-3", "hybla-5", "hybla-table-3", "survey-10g", "ucc-1"])
@pytest.mark.ns3
def test_a_figure_alone_with_parameters(name, tmp_path):
    """Without the emulation's kernel the legs on Linux are left out."""
    small = SMALL if name.startswith("hybla") else {}
    made = figures.execute(name, tmp_path / "out", small | {"profile": "quick"})  # SMALL wins
    kinds = {path.suffix for path in made}
    assert kinds == ({".csv"} if name in TABLES else {".csv", ".png", ".svg"})
    data = pd.read_csv(tmp_path / "out" / f"{name}.csv")
    if name == "hybla-3":
        assert list(data["loss"]) == [1e-3, 1e-2] * data["engine"].nunique()
        assert set(data["repetitions"]) == {2}
        assert (data["Mb/s"] > 0).all()


def test_settings_are_python_literals_or_words():
    settings = ("repetitions=3", "loss_rates=[1e-3]", "profile=quick")
    assert figures.parse_settings(settings) == {
        "repetitions": 3,
        "loss_rates": [1e-3],
        "profile": "quick",
    }


def test_what_fails_leaves_no_file(tmp_path):
    with pytest.raises(InputError, match=r"hybla-steady: delay_s: -0\.5 should be"):
        figures.execute("hybla-3", tmp_path / "out", SMALL | {"rtt_s": -1.0})
    with pytest.raises(InputError, match=r"no parameter 'rtt'.*mean 'rtt_s'"):
        figures.execute("hybla-3", tmp_path / "out", {"rtt": 0.5})
    with pytest.raises(InputError, match=r"survey-5: .*delay_s"):
        figures.execute("survey-5", tmp_path / "out", {"rtt_s": -1.0})
    assert not (tmp_path / "out").exists()


def test_reproduce_writes_a_chapters_archive_and_says_what_changed(empty_archive):
    small = Experiment(
        name="small-a",
        build=lambda seed: reference(
            congestion_control="newreno", loss=1e-2, duration_s=2, seed=seed
        ),
        repetitions=2,
    )
    chapter = Chapter(name="small", setting=None, experiments=(small,), figures=())
    first = reproduce.reproduce("small", chapter.run).iloc[0]
    assert (first["experiment"], first["runs"], first["added"]) == ("small-a", 2, 2)
    path = store.archive_folder("small-a") / "flows.parquet"
    table = pd.read_parquet(path)
    table.loc[0, "delivered_bytes"] += 1
    table.to_parquet(path, index=False)
    store.forget_archive()
    second = reproduce.reproduce("small", chapter.run).iloc[0]
    assert (second["added"], second["removed"], second["changed"]) == (0, 0, 1)


def test_an_unknown_chapter_figure_or_parameter_is_named():
    with pytest.raises(InputError, match=r"no chapter 'hybl'.*mean 'hybla'"):
        chapters.find("hybl")
    with pytest.raises(InputError, match=r"no figure 'faults-sockt'.*mean 'faults-socket'"):
        figures.execute("faults-sockt", paths.DATA, {})
    with pytest.raises(InputError, match=r"no parameter 'seed'.*mean 'seeds'"):
        figures.execute("faults-socket", paths.DATA, {"seed": 3})
