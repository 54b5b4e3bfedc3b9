"""What a page does with numbers, so that a reader does not stumble: `sphinx.legible`, `front`."""

import json
import re

from docutils import nodes

from longfat import paths
from longfat.book import front, sphinx


def _column(*cells):
    rows = enumerate(cells)
    return "".join(f'<td id="c{n}" class="data row{n} col0" >{cell}</td>' for n, cell in rows)


def _cells(table):
    return re.findall(r"<td [^>]*>(.*?)</td>", table)


def test_a_column_writes_its_small_numbers_in_one_way():
    mixed = _column("10<sup>−5</sup>", "0.0001", "0.0025", "0.01", "10<sup>−6</sup>, 0.002")
    assert _cells(sphinx.legible(mixed)) == [
        "10<sup>−5</sup>",
        "10<sup>−4</sup>",
        "2.5\u00a0×\u00a010<sup>−3</sup>",
        "0.01",
        "10<sup>−6</sup>, 2\u00a0×\u00a010<sup>−3</sup>",
    ]
    assert _cells(sphinx.legible(_column("0.0001", "0.01"))) == ["0.0001", "0.01"]


def test_a_number_and_its_interval_stay_on_one_line():
    whole = ("0.99 ± 0.05", "192 [181, 204]", "7", "-0.5 to 1.2")
    broken = ("as Linux 6.12 has it", "10 segments, halved once, and no more", "–")
    cells = sphinx.legible(_column(*whole, *broken)).split("</td>")
    assert [" whole" in cell for cell in cells] == [True] * len(whole) + [False] * (len(broken) + 1)
    assert [" words" in cell for cell in cells] == [False] * len(whole) + [True, True, False, False]


def _glued(page: str, name: str) -> float:
    """Return a number that a chapter's notebook keeps for its sentences."""
    notebook = json.loads(paths.NOTEBOOKS.joinpath(f"{page}.ipynb").read_text("utf-8"))
    (data,) = [
        str(output["data"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if output.get("metadata", {}).get("scrapbook", {}).get("name") == name
    ]
    return float(re.search(r"[\d.]+(?='})", data)[0])


def test_the_front_page_says_what_the_survey_says():
    minutes = _glued("survey", "survey_ten_minutes")
    assert f"**{minutes:.0f} minutes**" in front.lines()[0]


def test_the_front_page_names_engines_and_has_the_interval_of_a_mean():
    _, hybla, tcpj, *_ = front.lines()
    assert [name in hybla for name in ("ns-2", "Linux", "segment engine")] == [True] * 3
    low, high = (_glued("tcpj", f"tcpj_ns2_tcpj_{end}") for end in ("low", "high"))
    assert f"{low:.0f} to {high:.0f} %" in tcpj


def test_a_formula_keeps_the_marks_at_it():
    text = nodes.paragraph(
        "", "", nodes.Text("growth ("), nodes.math("", "CA"), nodes.Text("), by")
    )
    text += [nodes.math("", "x"), nodes.Text(" here")]
    document = nodes.document(None, None)
    document += text
    together = sphinx.Together.__new__(sphinx.Together)
    together.document = document
    together.run()
    assert text.astext() == "growth (CA), byx here"
    (box,) = document.findall(nodes.inline)
    assert (box.astext(), box["classes"]) == ("(CA),", ["longfat-whole"])
