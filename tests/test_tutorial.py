"""The tutorial, executed live: what it shows from the archive also runs."""

import papermill
import pytest

from longfat import paths

NOTEBOOK = paths.NOTEBOOKS / "tutorial.ipynb"
SMALL = {"loss_rates": [0.002, 0.02], "repetitions": 2, "duration_s": 2.0, "workers": 1}


@pytest.mark.slow
@pytest.mark.ns3
def test_every_cell_runs_without_the_archive(tmp_path):
    pytest.importorskip("distributed")
    notebook = papermill.execute_notebook(
        str(NOTEBOOK),
        str(tmp_path / "out.ipynb"),
        parameters=SMALL,
        cwd=str(paths.NOTEBOOKS),
        execution_timeout=300,  # s, a cell: against hanging
        progress_bar=False,
    )
    (table,) = (
        output.data["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "Mean goodput in Mb/s by engine" in output.get("data", {}).get("text/html", "")
    )
    for word in ("mine", "newreno", "cubic", "hybla", "ns3", "segment", "0.002", "0.02"):
        assert f">{word}</td>" in table
