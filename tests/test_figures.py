"""One figure alone, and a chapter's archive again: from the real notebooks, on a small scale."""

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner

from longfat import InputError, paths, reproduce, store
from longfat.book import cells, chapters, figures
from longfat.cli import main

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


READ = [  # whose chapters are no objects
    one
    for one in figures.notebooks()
    if one.path.stem.removesuffix(reproduce.LONG) not in chapters.NAMES
]


@pytest.mark.parametrize("notebook", READ, ids=lambda one: one.path.stem)
def test_the_cells_of_every_figure_have_all_that_they_use(notebook):
    """Not executed: the names that they use are made by them."""
    assert notebook.shows
    for name in notebook.shows:
        chosen = [notebook.code[number].source for number in notebook.needed(name)]
        assert not cells.missing(chosen), name
        assert len(chosen) < len(notebook.code), f"{name} needs the whole notebook"


def test_names_come_from_the_last_assignment_and_from_changes():
    sources = [
        "import numpy as np\nfrom longfat.book import show",  # 0
        "a = 1\nunused = a",  # 1
        "table = {}",  # 2
        "table['x'] = a",  # 3
        "table = dict(y=2)",  # 4
        "table.update(z=[i * a for i in range(3)])",  # 5
        "show.show_figure('small-1', np.sum, table, 'words')",  # 6
        "show.show_table(other, name='small-2')",  # 7
    ]
    assert [cells.shown(source) for source in sources[-2:]] == [["small-1"], ["small-2"]]
    assert cells.needed(sources, 6) == [0, 1, 4, 5, 6]
    assert cells.missing([sources[number] for number in cells.needed(sources, 6)]) == set()
    assert cells.missing([sources[number] for number in cells.needed(sources, 7)]) == {"other"}


def test_a_figure_knows_its_experiments_and_what_they_took():
    used = figures.experiments()
    assert used["hybla-3"] == ["hybla-emulation-steady", "hybla-ns2-steady", "hybla-steady"]
    names = ("faults", "ns3", "segment")
    assert used["survey-check"] == [f"survey-stacks-{name}" for name in names]
    assert used["hybla-overflow"] == ["hybla-overflow"]
    assert used["ucc-3"] == ["ucc-pairs-more", "ucc-pairs-segment"]
    assert used["survey-10g"] == []
    table = figures.times().set_index("name")
    line = store.provenance()["hybla-overflow"]
    assert table.loc["hybla-overflow", "simulated_s"] == float(line["wall_s"])
    assert table.loc["survey-10g", "simulated_s"] == 0


@pytest.mark.slow
def test_measuring_sums_the_cells_of_a_figure(tmp_path, monkeypatch):
    made = []
    for source, tags in (
        ("profile = 'paper'", ["parameters"]),
        ("import os, time\nfrom longfat.book import show\ntime.sleep(0.6)", []),
        ("time.sleep(0.7 if profile == 'quick' else 0)\nx = show.plt.figure()", []),
        ("data = show.pd.DataFrame()\nassert os.environ['LONGFAT_CACHE']", []),
        ("show.show_figure('small-1', x, data, 'x')", []),
        ("show.show_table(show.pd.DataFrame(), name='small-2')", []),
    ):
        made.append(nbformat.v4.new_code_cell(source, metadata={"tags": tags}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel})
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(chapters, "stated", dict)  # the notebook alone
    monkeypatch.setattr(figures, "TIMES", tmp_path / "times.csv")
    nbformat.write(notebook, tmp_path / "small.ipynb")
    figures.measure(("quick",))
    table = figures.times().set_index("name")
    assert 1.3 <= table.loc["small-1", "quick_s"] < 30
    assert 0.6 <= table.loc["small-2", "quick_s"] < table.loc["small-1", "quick_s"]
    assert table["paper_s"].isna().all()
    monkeypatch.delattr(figures.papermill, "execute_notebook")  # nothing is left to be executed
    figures.measure(("quick",))


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


@pytest.mark.ns3
def test_reproduce_writes_a_chapters_archive_and_says_what_changed(
    tmp_path, monkeypatch, empty_archive
):
    """A small chapter: the cells of two experiments of the real one, with small parameters."""
    notebook = nbformat.v4.new_notebook()
    source = (
        "import os\n"
        "from longfat import paths, sweep\n"
        "from pathlib import Path\n"
        f"paths.RESULTS = Path({str(empty_archive)!r})\n"
        "from longfat.topologies import satellite\n"
        "profile = 'quick'\n"
        "sweep([satellite(loss=1e-2, duration_s=2, seed=s) for s in (1, 2)], experiment='small-a')"
    )
    cell = nbformat.v4.new_code_cell(source)
    cell.metadata["tags"] = ["parameters"]
    notebook.cells = [cell]
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path)
    nbformat.write(notebook, tmp_path / "small.ipynb")
    first = reproduce.reproduce("small").iloc[0]
    assert (first["experiment"], first["runs"], first["added"]) == ("small-a", 2, 2)
    path = store.archive_folder("small-a") / "flows.parquet"
    table = pd.read_parquet(path)
    table.loc[0, "delivered_bytes"] += 1
    table.to_parquet(path, index=False)
    store.forget_archive()
    second = reproduce.reproduce("small").iloc[0]
    assert (second["added"], second["removed"], second["changed"]) == (0, 0, 1)
    with pytest.raises(InputError, match=r"no chapter 'smal'.*mean 'small'"):
        reproduce.reproduce("smal")
