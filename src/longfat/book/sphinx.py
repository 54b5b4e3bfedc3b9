"""What the built book needs beyond Jupyter Book: MathJax beside the pages, texts for figures, what
each figure was made from, and pages made from the package's data.

A Sphinx extension (`setup`) and a plugin of MyST-NB (entry point `myst_nb.mime_renderers`).
"""

import functools
import gzip
import json
import os
import pkgutil
import re
import shutil
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pandas as pd
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from myst_nb.core.render import MimeRenderPlugin
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.fileutil import copy_asset_file

from longfat import experiment, pictures, store
from longfat.book import atlas as atlas_page
from longfat.book import (
    chapters,
    figures,
    front,
    laboratory,
    show,
    tables,
    ten_round_trips,
    verdicts,
)
from longfat.engines.segment import wasm
from longfat.scenario import Scenario
from longfat.studies import atlas, ns3_faults
from longfat.style import number, powers

FAULTS = "notebooks/faults"  # the page that tells ns-3's
MADE = "_longfat"
PDF = "long-fat-lossy.pdf"  # online, beside the pages
JAPANESE = re.compile(r"([\u3005-\u30ff\u3400-\u9fff\uff00-\uffef]+)")
UNMARKED = (
    nodes.raw,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.math,
    nodes.math_block,
    nodes.comment,
)
MATHJAX = "tex-svg.js"  # SVG: some browsers refuse a web font to a page that is read from a disk


class captioned_table(nodes.General, nodes.Element):
    """A table that a cell put out, with the caption and number that the book gives it."""


class AltText(MimeRenderPlugin):
    """Renders what `show.show_figure` and `show.show_table` put out, with number and caption."""

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> Any:
        """Return the output's nodes, or None where Jupyter Book's own will do."""
        if data.mime_type == show.FIGURE_MIME:
            return []
        said = data.output_metadata.get(data.mime_type, {})
        if inline or not (said.get("alt") or said.get("caption")):
            return None
        caption = nodes.caption()
        with renderer.renderer.current_node_context(caption):
            renderer.renderer.nested_render_text(
                said.get("caption", said.get("alt")), data.line or 0, inline=True
            )
        if data.mime_type.startswith("image/"):
            (image,) = renderer.render_image(data)
            image["alt"] = said["alt"]
            if said.get("name") and _page_figure(renderer, said["name"]).exists():
                image["uri"] = f"/{MADE}/{said['name']}.svg"
            shown = nodes.figure("", image, caption)
        else:
            table = re.sub(r"<caption>.*?</caption>", "", data.string, flags=re.DOTALL)
            data.content = legible(table)
            shown = captioned_table("", caption, *renderer.render_text_html(data))
        if said.get("name"):
            shown["names"].append(said["name"])
            renderer.renderer.document.note_explicit_target(shown, shown)
        else:
            renderer.renderer.document.set_id(shown)
        return [shown]


def legible(table: str) -> str:
    """Return a table's HTML with one way to write a column's small numbers, none broken.

    A column that has powers of ten has them for all numbers that `style.number` writes so. What is
    a number with its interval, or short, gets the class `whole`, what is longer the class `words`.
    """
    raised = {match[2] for match in _CELL.finditer(table) if "10<sup>−" in match[4]}

    def written(match: re.Match) -> str:
        start, column, middle, text, end = match.groups()
        if column in raised:
            text = re.sub(r"(?<![\d.])0\.00\d+(?!\d)", _raise, text)
        kind = " whole" if _WHOLE.fullmatch(text) else " words" if len(text) > 16 else ""
        return f"{start}{kind}{middle}{text}{end}"

    return _CELL.sub(written, table)


def _raise(small: re.Match) -> str:
    return number(float(small[0]), max(len(small[0].lstrip("0.")), 1), "html")


_CELL = re.compile(r'(<td [^>]*class="data row\d+ col(\d+))("[^>]*>)(.*?)(</td>)', re.DOTALL)
_WHOLE = re.compile(r"[-+−]?\d(?:[^<]{0,19}|[^±]{0,40} ± .{1,40})", re.DOTALL)


def _page_figure(renderer: Any, name: str) -> Path:
    """Return where an executed notebook leaves a figure for the pages (`show.show_figure`)."""
    return Path(renderer.renderer.sphinx_env.srcdir, MADE, f"{name}.svg")


def _visit_captioned_table(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="longfat-captioned"))


def _caption(node: nodes.Element) -> str:
    """Return the text of a table's caption, for references to it."""
    return node[0].astext()


def _depart_captioned_table(writer: Any, node: nodes.Element) -> None:
    writer.body.append("</div>\n")


class Table(SphinxDirective):
    """`{longfat-table} NAME` is the table NAME of a chapter (`longfat.book.chapters`).

    Or it is what a function NAME of `longfat.book.tables` or `longfat.book.verdicts` returns.

    With the option `filter`, column names with commas between, a reader chooses among the rows by
    the values of these columns; with `search`, by words too (`book/_static/filter.js`). With
    `evidence`, a page beside this one, each cell opens the rows there that it counts or names.
    """

    required_arguments = 1
    option_spec: ClassVar = {
        "filter": directives.unchanged_required,
        "search": directives.flag,
        "evidence": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the table's nodes. Cells are Markdown."""
        name = self.arguments[0]
        parent = nodes.container(classes=["longfat-table", f"table-{name}"])
        if "filter" in self.options or "search" in self.options:
            parent += _filter_place(self.options.get("filter", ""), "search" in self.options)
        if page := self.options.get("evidence"):
            place = f'<div class="longfat-evidence" data-page="{page}.html"></div>'
            parent += nodes.raw("", place, format="html")
        if chapter := chapters.of_figure(name):
            parent += self._of_chapter(chapter, name)
        else:
            function = getattr(tables if hasattr(tables, name) else verdicts, name)
            self._parse(function().fillna("").astype(str), parent)
        return [parent]

    def _of_chapter(self, chapter: str, name: str) -> captioned_table:
        """Return a chapter's table under its caption, for references to it."""
        one = chapters.stated()[chapter].find(name, experiment.Table)
        data = chapters.stated()[chapter].data(one)
        texts, messages = self.state.inline_text(one.caption, self.lineno)
        table = captioned_table("", nodes.caption("", "", *texts, *messages))
        self._parse(show.formatted(data, one.formats), table)
        show.offer(_made(self.env.app), name, data)
        table["names"].append(name)
        self.state.document.note_explicit_target(table, table)
        return table

    def _parse(self, table: pd.DataFrame, parent: nodes.Element) -> None:
        """Put a table of texts into a node."""
        rows = [[cell.replace("|", r"\|") for cell in row] for row in table.to_numpy()]
        lines = [list(table.columns), ["---"] * len(table.columns), *rows]
        markdown = StringList([f"| {' | '.join(line)} |" for line in lines], source="longfat-table")
        self.state.nested_parse(markdown, self.content_offset, parent)


def _filter_place(columns: str, search: bool) -> nodes.raw:
    """Return where the page puts a form that chooses among rows or cards."""
    words = " data-search" if search else ""
    place = f'<div class="longfat-filter" data-columns="{columns}"{words}></div>'
    return nodes.raw("", place, format="html")


class Cards(SphinxDirective):
    """`{longfat-cards}` is a card for each congestion control (`longfat.book.tables.catalogue`).

    Its picture is the window of one flow of it on a path that loses (`front.card`).
    """

    def run(self) -> list[nodes.Node]:
        """Return a section an algorithm, with a form above that searches them."""
        parent = nodes.container(classes=["longfat-cards"])
        parent += _filter_place("", search=True)
        for row in tables.catalogue().itertuples():
            section = nodes.section(ids=[f"cc-{row.name}"], classes=["longfat-card"])
            section += nodes.title("", row.algorithm)
            used = [f"{{doc}}`/{page}`" for page in row.used]
            facts = {
                "in a scenario": f"`{row.name}`",
                "source": row.source,
                "code": row.code,
                "engines": row.engines,
                "used in": ", ".join(used) or "–",
            }
            lines = [row.what, "", *(f"- {name}: {text}" for name, text in facts.items())]
            self.state.nested_parse(StringList(lines, source="longfat-cards"), 0, section)
            if image := self._picture(row.name, row.algorithm):
                section.insert(2, image)
            if row.parameters:
                box = nodes.container()
                texts = StringList([f"- {text}" for text in row.parameters], source="longfat-cards")
                self.state.nested_parse(texts, 0, box)
                count = len(row.parameters)
                title = f"{count} parameter{'s' if count > 1 else ''}"
                section += _folded(title, [box], "longfat-parameters")
            parent += section
        return [parent]

    def _picture(self, name: str, title: str) -> nodes.image | None:
        """Return the window of the algorithm, drawn from a short run, or None where none runs."""
        figure = front.card(name)
        if figure is None:
            return None
        pictures.save(figure, _made(self.env.app) / f"cc-{name}.svg")
        alt = f"Congestion window of {title} over a minute on a path that loses packets."
        return nodes.image(uri=f"/{MADE}/cc-{name}.svg", alt=alt)


class Glossary(SphinxDirective):
    """`{longfat-glossary}` is the glossary (`longfat.book.tables.glossary`), for {term} too.

    "round-trip time (RTT)" is found as such, as "round-trip time" and as "RTT".
    """

    def run(self) -> list[nodes.Node]:
        """Return a list of the terms with what they mean."""
        table = tables.glossary()
        lines = ["```{glossary}"]
        for row in table.itertuples():
            lines += [row.term, f"  {row.japanese}. {row.meaning}", ""]
        box = nodes.container(classes=["longfat-glossary"])
        box += _filter_place("", search=True)
        self.state.nested_parse(StringList([*lines, "```"], source="longfat-glossary"), 0, box)
        domain: Any = self.env.get_domain("std")
        for row in table.itertuples():
            _, place = domain.objects["term", row.term]
            names = re.fullmatch(r"(.*?) \((.*)\)", row.term)
            for name in names.groups() if names else ():
                domain.objects.setdefault(("term", name), (self.env.docname, place))
                domain._terms.setdefault(name.lower(), (self.env.docname, place))
        return [box]


def _tell_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give every link to a term what it means (`reading.js` shows it)."""
    domain: Any = app.env.get_domain("std")
    meanings = {
        domain.objects["term", row.term][1]: row.meaning
        for row in tables.glossary().itertuples()
        if ("term", row.term) in domain.objects
    }
    for link in doctree.findall(nodes.reference):
        place = link.get("refid") or link.get("refuri", "").partition("#")[2]
        if place in meanings:
            link["reftitle"] = meanings[place]


def _tell_symbols(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave in the page what its paper's symbols are (`reading.js` shows it)."""
    paper = Path(page).name.removesuffix(chapters.LONG)
    table = tables.notation()
    table = table[table["paper"] == paper]
    symbols = [
        [tex, f"{show.plain(row.meaning)}{'' if row.unit == '1' else f' ({row.unit})'}"]
        for row in table.itertuples()
        for tex in re.findall(r"\$([^$]*)\$", row.symbol)
    ]
    if symbols and "body" in context:
        data = json.dumps(symbols, ensure_ascii=False).replace("</", r"<\/")
        context["body"] += f'<script type="application/json" id="longfat-symbols">{data}</script>\n'


class Steps(SphinxDirective):
    """`{longfat-steps}` tells how ten verdicts came about (`longfat.book.verdicts.steps`)."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each claim."""
        markdown = StringList(verdicts.steps().splitlines(), source="longfat-steps")
        parent = nodes.container(classes=["longfat-steps"])
        self.state.nested_parse(markdown, self.content_offset, parent, match_titles=True)
        return parent.children


class Laboratory(SphinxDirective):
    """`{longfat-laboratory} NAME` is a network that the reader simulates in the page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the panel (`longfat.book.laboratory`)."""
        up = "../" * self.env.docname.count("/")
        panel = laboratory.html(self.arguments[0], f"{up}_static/{laboratory.ENGINE}")
        self.env.metadata[self.env.docname]["longfat-laboratory"] = "yes"
        return [nodes.raw("", panel, format="html")]


class TenRoundTrips(SphinxDirective):
    """`{longfat-ten-round-trips}` draws a transfer's beginning (`longfat.book.ten_round_trips`)."""

    def run(self) -> list[nodes.Node]:
        """Return the explorer, on a page with the Laboratory's files."""
        up = "../" * self.env.docname.count("/")
        panel = ten_round_trips.html(f"{up}_static/{laboratory.ENGINE}")
        self.env.metadata[self.env.docname]["longfat-laboratory"] = "yes"
        return [nodes.raw("", panel, format="html")]


class Atlas(SphinxDirective):
    """`{longfat-atlas}` lets the reader look up paths and senders (`longfat.book.atlas`).

    `{longfat-atlas} facts` says how many runs it has.
    """

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the atlas with its data, or the sentence."""
        if not self.arguments:
            return [nodes.raw("", atlas_page.html(atlas.read()), format="html")]
        parent = nodes.container()
        self.state.nested_parse(StringList([atlas_page.facts()], source="longfat-atlas"), 0, parent)
        return [parent]


class Front(SphinxDirective):
    """`{longfat-front} findings` or `picture`: what the front page shows (`longfat.book.front`)."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a list of the findings, or the picture with its caption."""
        if self.arguments[0] == "findings":
            markdown = StringList([f"- {line}" for line in front.lines()], source="longfat-front")
            parent = nodes.container(classes=["longfat-front"])
            self.state.nested_parse(markdown, self.content_offset, parent)
            return [parent]
        figure, caption = front.overview()
        pictures.save(figure, _made(self.env.app) / "overview.svg")
        show.settle(figure)
        show.offer_narrow(_made(self.env.app), "overview", figure)
        image = nodes.image(uri=f"/{MADE}/overview.svg", alt=caption)
        return [nodes.figure("", image, nodes.caption("", caption), ids=["overview"])]


class Provenance(SphinxTransform):
    """Says under each figure and table what makes it again, and from what it was made."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Put it under each figure and table that has the name of a chapter's."""
        used = _experiments()
        kinds = (nodes.figure, captioned_table)
        for node in [one for kind in kinds for one in self.document.findall(kind)]:
            for name in set(node["names"]) & set(used):
                data = (_made(self.app) / f"{name}.csv").exists()
                line = _folded("how it was made", [_provenance(name, used[name], data)])
                if self.env.docname != FAULTS and (words := of_ns3(used[name])):
                    line = [_beside_faults(words, self.env.docname), *line]
                node += nodes.legend("", *line) if isinstance(node, nodes.figure) else line


def _code_cells(document: nodes.document) -> Iterator[tuple[nodes.container, nodes.literal_block]]:
    """Yield the notebook's code cells, each with its code."""
    for cell in document.findall(nodes.container):
        if "cell" in cell["classes"]:
            for code in cell.findall(nodes.literal_block):
                if "cell_input" in code.parent["classes"]:
                    yield cell, code


def _folded(
    summary: str, content: list[nodes.Node], kind: str = "longfat-made"
) -> list[nodes.Node]:
    """Return the content behind a line that opens it."""
    start = f'<details class="{kind}"><summary>{escape(summary)}</summary>\n'
    return [
        nodes.raw("", start, format="html"),
        *content,
        nodes.raw("", "</details>\n", format="html"),
    ]


class Folded(SphinxTransform):
    """Folds the code of every cell behind a line that says what it does.

    A cell with the tag `open` stays as it is, unless it only shows other code. One that shows
    nothing, and one with the tag `hide-all`, is there only by the page's switch
    (`book/_static/reading.js`).
    """

    default_priority = 405

    def apply(self, **_: Any) -> None:
        """Wrap the inputs."""
        for cell, code in list(_code_cells(self.document)):
            tags = {name.removeprefix("tag_") for name in cell["classes"]}
            shows = any(
                "cell_output" in part["classes"] and _visible(part)
                for part in cell.findall(nodes.container)
            )
            if "open" in tags and "show_code(" not in code.astext():
                continue
            if "hide-all" in tags or not (shows or "parameters" in tags):
                cell["classes"].append("longfat-quiet")
            line = _says(cell)
            if "parameters" in tags:
                line = "What you may change when you execute this page"
            box = code.parent
            place = box.parent.index(box)
            box.parent[place : place + 1] = _folded(line, [box], "longfat-code")


def _says(cell: nodes.Element) -> str:
    """Return in a line what a cell's code does, by what the cell shows."""
    for kind, line in ((nodes.figure, "Draws this figure"), (captioned_table, "Makes this table")):
        if any(cell.findall(kind)):
            return line
    return "Makes what is shown"


def _visible(output: nodes.Element) -> bool:
    """Return whether a cell's output has anything to look at."""
    kinds = (nodes.Text, nodes.image, nodes.raw, nodes.math_block)
    return any(isinstance(node, kinds) for node in output.findall())


class Equations(SphinxTransform):
    """Numbers the equations of a paper as the paper does; others by letters.

    An equation with the label hybla-3 is (3), and so is one with hybla-3-again.
    """

    default_priority = 420

    def apply(self, **_: Any) -> None:
        """Set each number where it is printed, and where references find it."""
        domain = self.env.get_domain("math")
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        for node in self.document.findall(nodes.math_block):
            if label := node.get("label"):
                own = re.fullmatch(r"[a-z]+-(\d+[a-z]?)(?:-again)?", label)
                node["number"] = own[1] if own else next(letters)
                domain.data["objects"][label] = (self.env.docname, node["number"])


class Powers(SphinxPostTransform):
    """Writes numbers such as 1e-04 in sentences and tables as powers of ten."""

    default_priority = 900

    def run(self, **_: Any) -> None:
        """Replace them outside of code and formulas."""
        for text in list(self.document.findall(nodes.Text)):
            written = powers(text, "html")
            if written != text and not _within(text, (*UNMARKED, nodes.literal)):
                parts = re.split(r"<sup>(.*?)</sup>", written)
                text.parent.replace(
                    text,
                    [
                        nodes.superscript("", part) if n % 2 else nodes.Text(part)
                        for n, part in enumerate(parts)
                        if part
                    ],
                )


class Together(SphinxPostTransform):
    """Keeps on one line a formula and the marks at it, and a number and its interval."""

    default_priority = 910

    def run(self, **_: Any) -> None:
        """Put both into an element of the class `longfat-whole`."""
        for formula in list(self.document.findall(nodes.math)):
            parent = formula.parent
            place = parent.index(formula)
            box = nodes.inline("", "", formula, classes=["longfat-whole"])
            before = parent[place - 1] if place else None
            behind = parent[place + 1] if place + 1 < len(parent) else None
            if isinstance(behind, nodes.Text) and (mark := re.match(r"[,.;:)!?]+", behind)):
                box += nodes.Text(mark[0])
                parent[place + 1] = nodes.Text(behind[mark.end() :])
            if isinstance(before, nodes.Text) and before.endswith("("):
                box.insert(0, nodes.Text("("))
                parent[place - 1] = nodes.Text(before[:-1])
            parent[place] = box if len(box) > 1 else formula
        for cell in self.document.findall(nodes.entry):
            if _WHOLE.fullmatch(cell.astext()):
                cell["classes"].append("longfat-whole")


def _within(node: nodes.Node, kinds: tuple) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


class Japanese(SphinxTransform):
    """Marks Japanese text as such, so that a browser sets it in Japanese glyphs and reads it so."""

    default_priority = 410

    def apply(self, **_: Any) -> None:
        """Put each run of Japanese characters into an element of its own (attribute `lang`)."""
        for text in list(self.document.findall(nodes.Text)):
            if JAPANESE.search(text) and not isinstance(text.parent, UNMARKED):
                runs = JAPANESE.split(text)  # every other one is Japanese
                text.parent.replace(
                    text,
                    [
                        nodes.inline("", run, classes=["language-ja"]) if n % 2 else nodes.Text(run)
                        for n, run in enumerate(runs)
                        if run
                    ],
                )


def _provenance(name: str, experiments: list[str], data: bool) -> nodes.Element:
    """Return the line: the command, what is shown as data, and each experiment's archive, engine
    and versions."""
    line = nodes.paragraph(classes=["longfat-provenance"])
    line += [nodes.literal(text=f"longfat figure {name}"), nodes.Text(" makes this again")]
    if data:
        link = addnodes.download_reference("", "", reftarget=f"/{MADE}/{name}.csv", refdoc="")
        link += nodes.Text("its data")
        line += [nodes.Text(" ("), link, nodes.Text(")")]
    for place, one in enumerate(experiments):
        line += nodes.Text(", " if place else ", from ")
        line += nodes.literal(text=f"data/results/{one}")
        line += nodes.Text(f" ({_versions(one)})")
    line += nodes.Text(".")
    return line


def of_ns3(experiments: list[str]) -> str:
    """Return what to know of ns-3's part of what these experiments show, "" where it has none."""
    recoveries = {
        flow.recovery
        for experiment in experiments
        for scenario in _on_ns3(experiment)
        for flow in scenario.flows
    }
    if not recoveries:
        return ""
    whose = "its socket and its recovery" if "prr-ns3-3.44" in recoveries else "its socket"
    return f"What is ns-3's here has the faults of {whose}: "


def _beside_faults(words: str, docname: str) -> nodes.Element:
    """Return the words with a link to the page that tells the faults."""
    link = addnodes.pending_xref(
        "",
        nodes.inline("", ns3_faults.TITLE),
        refdomain="std",
        reftype="doc",
        reftarget=f"/{FAULTS}",
        refdoc=docname,
        refexplicit=True,
        refwarn=True,
    )
    return nodes.paragraph("", words, link, nodes.Text("."), classes=["longfat-of-ns3"])


@functools.cache
def _on_ns3(experiment: str) -> list[Scenario]:
    """Return the scenarios of an experiment that ns-3 has run."""
    line = store.provenance().get(experiment)
    if line is None or "ns3" not in line["engine"].split():
        return []
    if experiment in store.points():
        row = pkgutil.resolve_name(line["points"]).scenario
        points = store.read_table(experiment, "points")
        return [row(one) for one in points.to_dict("records")]
    runs = store.read_table(experiment, "runs")
    return [Scenario.from_json(text) for text in runs.loc[runs["engine"] == "ns3", "scenario"]]


@functools.cache
def _experiments() -> dict[str, list[str]]:
    return figures.experiments()


@functools.cache
def _versions(experiment: str) -> str:
    """Return how many runs an experiment has, of which engine, and of which versions."""
    line = store.provenance().get(experiment)
    if line is None:
        return "not archived: executing the page runs it"
    product = f" ({line['engine_version']})" if line["engine_version"] else ""
    return f"{line['runs']} runs on {line['engine']}{product}, versions: {line['versions']}"


def _made(app: Sphinx) -> Path:
    """Return the folder, among the book's sources, of what is made for the readers."""
    folder = Path(app.srcdir, MADE)
    folder.mkdir(exist_ok=True)
    return folder


def _offer_scenarios(app: Sphinx) -> None:
    """Put the scenarios behind the claims that are gone through where that page finds them."""
    folder = _made(app)
    for name, scenarios in verdicts.drawn_runs().items():
        packed = gzip.compress(scenarios.encode(), mtime=0)
        folder.joinpath(f"{name}.json.gz").write_bytes(packed)


def _copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "mathjax")
    folder.mkdir(exist_ok=True)
    with as_file(files("sphinx-mathjax-offline") / "static" / "mathjax" / MATHJAX) as source:
        copy_asset_file(source, folder)


def _copy_laboratory(app: Sphinx, exception: Exception | None) -> None:
    """Put the Laboratory's scripts, and the engine that they run, beside the pages."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static")
    for name in laboratory.FILES:
        shutil.copyfile(laboratory.STATIC / name, folder / name)
    script = laboratory.engine_script(wasm.module().read_bytes())
    folder.joinpath(laboratory.ENGINE).write_text(script, encoding="ascii")


def _leave_out_what_no_page_loads(app: Sphinx, exception: Exception | None) -> None:
    """Remove the theme's maps for those who debug it, its sentences in other languages, and its
    icons for browsers of before 2015."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for pattern in ("*.map", "*.ttf"):
        for path in static.rglob(pattern):
            path.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)


def _make_pictures_smaller(app: Sphinx, exception: Exception | None) -> None:
    """Write the paths of pictures in tenths of a point, and no more than they need."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_images").glob("*.svg"):
        path.write_text(smaller(path.read_text("utf-8")), encoding="utf-8")


def smaller(svg: str) -> str:
    """Return a picture with one decimal at most in its paths and places, and no space to spare.

    >>> from longfat.book.sphinx import smaller
    >>> smaller('<path d="M 51.883293 -0.001  L 7 1e-05 " style="fill: none; stroke: #000"/>')
    '<path d="M51.9 0L7 1e-05" style="fill:none;stroke:#000"/>'
    """
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = _PLACES.sub(lambda match: " ".join(_DECIMALS.sub(_tenths, match[0]).split()), svg)
    svg = re.sub(r'(?<= d=")[^"]*', lambda match: re.sub(r" ?([A-Zz]) ?", r"\1", match[0]), svg)
    return re.sub(r'(?<= style=")[^"]*', lambda match: re.sub(r"([;:]) ", r"\1", match[0]), svg)


def _leave_out_outputs(app: Sphinx, exception: Exception | None) -> None:
    """Take the outputs out of the notebooks that a reader can download: they are on the page."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_sources", "notebooks").glob("*.ipynb"):
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


def _tenths(match: re.Match) -> str:
    digits = f"{float(match[0]):.1f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


_PLACES = re.compile(r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*')
_DECIMALS = re.compile(r"-?\d+\.\d{2,}(?![\de])")


def _load_laboratory(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let the pages that have a panel load its scripts."""
    if "longfat-laboratory" in app.env.metadata.get(page, {}):
        for name in laboratory.FILES:
            (app.add_css_file if name.endswith(".css") else app.add_js_file)(name)


def _leave_out_mathjax(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """A page without a formula does not load the script that sets them."""
    if not re.search(r'class="math|\$[^$]+\$|\\\(', context.get("body", "")):
        context["script_files"] = [
            one
            for one in context["script_files"]
            if MATHJAX not in str(getattr(one, "filename", one))
        ]


_PICTURE = re.compile(r'<img [^>]*src="([^"]*/)([\w-]+)\.svg"[^>]*>')


def _let_phones_choose(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let a phone show a figure as it is laid out for it (`show.offer_narrow`)."""

    def chosen(image: re.Match) -> str:
        file = f"{image[2]}{show.NARROW}.svg"
        if not (_made(app) / file).exists():
            return image[0]
        phone = f'<source media="screen and (max-width: 575px)" srcset="{image[1]}{file}">'
        return f"<picture>{phone}{image[0]}</picture>"

    if "body" in context:
        context["body"] = _PICTURE.sub(chosen, context["body"])


def _leave_out_pictures(app: Sphinx, exception: Exception | None) -> None:
    """Remove the pictures from the notebooks that pages offer: executing them draws them again.

    What a picture shows stays beside it in numbers. A quarter of the book is saved, which the
    pictures for phones take.
    """
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_sources").rglob("*.ipynb"):
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                output.get("data", {}).pop(show.PICTURE_MIME, None)
        written = json.dumps(notebook, ensure_ascii=False, indent=1)
        path.write_text(f"{written}\n", encoding="utf-8")


def _copy_narrow_pictures(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_images")
    for path in _made(app).glob(f"*{show.NARROW}.svg"):
        if (folder / path.name.replace(show.NARROW, "")).exists():
            shutil.copyfile(path, folder / path.name)


def _list_citations(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Entries of a list of citations are its items (docutils gives them another role)."""
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def _place(app: Sphinx, config: Config) -> None:
    """Tell all that has to know it where the book will be online, and which version it is.

    That is the environment variable LONGFAT_SITE_URL, or `baseurl` of book/_config.yml. Pages find
    each other wherever they are; the page for what is not found, which may be shown at any depth,
    the list of pages, and cards for links cannot.
    """
    url = os.environ.get("LONGFAT_SITE_URL") or config.html_baseurl
    config.html_baseurl = config.ogp_site_url = url.rstrip("/") + "/"
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path
    config.notfound_context = {
        "title": "This page is not in the book",
        "body": "<h1>This page is not in the book</h1><p>It may have moved. The book begins at its "
        f'<a href="{config.notfound_urls_prefix}index.html">front page</a>; the search field looks '
        "through all of it.</p>",
    }
    footer = config.html_theme_options.setdefault("extra_footer", "")
    config.html_theme_options["extra_footer"] = (
        f'{footer} Version {version("longfat")}; <a href="{config.html_baseurl}{PDF}">as a PDF</a>.'
    )


def _read_side_by_side(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Let pages be read side by side: of Jupyter Book's extensions two do not say that they may."""
    for extension in app.extensions.values():
        if extension.parallel_read_safe is None:
            extension.parallel_read_safe = True


def setup(app: Sphinx) -> dict[str, Any]:
    """Let the pages find MathJax, the one script that sets the equations, beside them."""
    app.config.mathjax_path = f"mathjax/{MATHJAX}"
    # So many processes, for which Jupyter Book's command has no option; each takes much memory.
    app.parallel = min(4, os.cpu_count() or 1)
    app.connect("config-inited", _place, priority=1)
    app.add_directive("longfat-table", Table)
    app.add_directive("longfat-cards", Cards)
    app.add_directive("longfat-glossary", Glossary)
    app.add_directive("longfat-steps", Steps)
    app.add_directive("longfat-front", Front)
    app.add_directive("longfat-laboratory", Laboratory)
    app.add_directive("longfat-ten-round-trips", TenRoundTrips)
    app.add_directive("longfat-atlas", Atlas)
    visitors = (_visit_captioned_table, _depart_captioned_table)
    app.add_enumerable_node(captioned_table, "table", _caption, html=visitors)
    app.add_transform(Provenance)
    app.add_transform(Folded)
    app.add_transform(Japanese)
    app.add_transform(Equations)
    app.add_post_transform(Powers)
    app.add_post_transform(Together)
    app.connect("builder-inited", _offer_scenarios)
    app.connect("env-before-read-docs", _read_side_by_side)
    app.connect("doctree-resolved", _tell_terms)
    app.connect("html-page-context", _list_citations)
    app.connect("html-page-context", _let_phones_choose)
    app.connect("html-page-context", _load_laboratory)  # before that list is made anew
    app.connect("html-page-context", _leave_out_mathjax)
    app.connect("html-page-context", _tell_symbols)
    app.connect("build-finished", _copy_mathjax)
    app.connect("build-finished", _copy_narrow_pictures)
    app.connect("build-finished", _make_pictures_smaller)
    app.connect("build-finished", _leave_out_outputs)
    app.connect("build-finished", _leave_out_pictures)
    app.connect("build-finished", _copy_laboratory)
    app.connect("build-finished", _leave_out_what_no_page_loads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
