"""The cells of the chapters that build a network of ns-3's own objects."""

import re

import pytest

from longfat import store
from longfat.book import ns3_cell
from longfat.book.ns3_cell import Cell
from longfat.errors import InputError, LongfatError

CELLS = dict(ns3_cell.cells())
# Of each page: the archived runs of ns-3 at the cell's own point.
POINTS = {
    "hybla": ("hybla-ns3-simulation-steady", {"links.0.loss_per_packet": 1e-3}, 10),
    "survey": ("survey-stacks-ns3", {"flows.0.congestion_control.name": "standard"}, 3),
    "tcpj": ("tcpj-random-loss-ns3", {"links.2.loss_per_bit": 4e-6, "flow": "TCP-J 0"}, 10),
    "ucc": ("ucc-pairs", {"links.4.loss_per_packet": 0.01}, 10),
}


def printed(text: str) -> float:
    """Return the number of a cell's output."""
    return float(re.fullmatch(r"([\d.]+) Mb/s\n", text)[1])


def test_each_cell_is_short_and_what_it_prints_is_kept():
    assert set(CELLS) == set(POINTS)
    for page, cell in CELLS.items():
        assert len(cell.program.splitlines()) < 25, page
        assert printed(ns3_cell.kept()[cell.identity]) > 1, page
    assert len(ns3_cell.kept()) == len(CELLS)


@pytest.mark.parametrize("page", POINTS)
def test_what_a_cell_prints_is_among_the_runs_of_the_same_point(page):
    """Within a tenth of the smallest and the largest of them: other random numbers are drawn."""
    experiment, where, count = POINTS[page]
    flows = store.read_archive(experiment)
    if page == "ucc":
        named = [flows[f"flows.{i}.congestion_control.name"] == "ucc" for i in (0, 1)]
        flows = flows[named[0] & named[1]]
    for column, value in where.items():
        flows = flows[flows[column] == value]
    rates = flows.groupby("run")["goodput_bps"].sum() / 1e6
    assert len(rates) == count
    found = printed(ns3_cell.kept()[CELLS[page].identity])
    assert 0.9 * rates.min() < found < 1.1 * rates.max()


def test_what_is_kept_is_shown_at_the_papers_scale_alone(monkeypatch, capsys):
    cell = CELLS["tcpj"]
    monkeypatch.setattr(Cell, "run", lambda self: f"ran {self.controls}\n")
    monkeypatch.setattr(ns3_cell.ns3, "is_here", lambda: True)
    kept = ns3_cell.kept()[cell.identity]
    for program, profile, shown in (
        (cell.program, "paper", kept),
        (cell.program + "\n", "paper", kept),  # as Jupyter gives it
        (cell.program, "quick", "ran ('tcpj',)\n"),
        (cell.program.replace("4e-6", "1e-6"), "paper", "ran ('tcpj',)\n"),
    ):
        ns3_cell.show("tcpj", program, profile)
        assert capsys.readouterr().out == shown
    monkeypatch.setattr(ns3_cell.ns3, "is_here", lambda: False)
    ns3_cell.show("tcpj", "print(1)")
    assert "no ns-3" in capsys.readouterr().out


def test_without_ns3_a_cell_says_so(monkeypatch):
    monkeypatch.setattr(ns3_cell.ns3, "is_here", lambda: False)
    with pytest.raises(InputError, match="needs ns-3"):
        Cell((), "print(1)").run()


@pytest.mark.slow
@pytest.mark.ns3
@pytest.mark.parametrize("page", CELLS)
def test_a_cell_prints_again_what_is_kept(page):
    assert CELLS[page].run() == ns3_cell.kept()[CELLS[page].identity]


@pytest.mark.slow
@pytest.mark.ns3
def test_a_cell_that_fails_says_why():
    with pytest.raises(LongfatError, match="nonsense"):
        Cell((), "ns.Simulator.nonsense()").run()
    unknown = 'ns.Config.SetDefault("ns3::TcpSocket::Nonsense", ns.UintegerValue(1))'
    with pytest.raises(LongfatError, match="Nonsense"):
        Cell((), unknown).run()
