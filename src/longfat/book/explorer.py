"""Explorers drawn: one piece of HTML, with its style, its script and nothing from elsewhere.

The model is sympy expressions in (`longfat.papers.explorer`), one piece of HTML out. The page
calculates with JavaScript that sympy prints from those expressions, in their `stable` form; it
needs no server and no network, and works wherever HTML does: in a notebook, in the book, on a
phone, by keyboard.
"""

import json
from html import escape
from importlib.resources import files

import sympy
from sympy import Expr

from longfat.papers.explorer import Explorer, Repeated, Root
from longfat.papers.ledger import stable


def javascript(explorer: Explorer) -> str:
    """Return the model as a JavaScript function: of all inputs and tools, to all values."""
    lines = [
        f"const {_js(i.symbol)} = given[{json.dumps(i.symbol.name)}];" for i in explorer.inputs
    ]
    for symbol, step in explorer.steps.items():
        if isinstance(step, Root):
            parts = ", ".join(_js(part) for part in (step.low, step.high))
            value = f"root(({_js(symbol)}) => {_js(step.excess)}, {parts})"
        elif isinstance(step, Repeated):
            parts = ", ".join(_js(part) for part in (step.start, step.count))
            arguments = ", ".join(_js(name) for name in (symbol, step.number))
            value = f"repeated(({arguments}) => {_js(step.step)}, {parts})"
        else:
            value = _js(step)
        lines.append(f"const {_js(symbol)} = {value};")
    names = [item.symbol for item in explorer.inputs] + list(explorer.steps)
    results = ", ".join(f"{json.dumps(symbol.name)}: {_js(symbol)}" for symbol in names)
    lines.append(f"return {{{results}}};")
    return "(given, { root, repeated }) => {\n  " + "\n  ".join(lines) + "\n}"


def html(explorer: Explorer) -> str:
    """Return the explorer as HTML with its style, its script and nothing from elsewhere."""
    settings = {
        "name": explorer.name,
        "inputs": [
            {
                "name": item.symbol.name,
                "label": item.label,
                "unit": item.unit,
                "low": item.low,
                "high": item.high,
                "value": item.value,
                "scale": item.scale,
                "whole": item.whole,
            }
            for item in explorer.inputs
        ],
        "x": explorer.x.name,
        "curves": [{"label": curve.label, "name": curve.symbol.name} for curve in explorer.curves],
        "yLabel": explorer.y_label,
        "yScale": explorer.y_scale,
    }
    source = files("longfat.book")
    style = source.joinpath("explorer.css").read_text("utf-8")
    script = source.joinpath("explorer.js").read_text("utf-8")
    title = escape(explorer.title)
    data = json.dumps(settings, ensure_ascii=False).replace("</", r"<\/")  # inside <script>
    call = f"longfatExplorer({data}, {javascript(explorer)});"
    return (
        f'<section class="longfat-explorer" data-explorer="{escape(explorer.name)}" '
        f'aria-label="Explorer: {title}">\n<style>\n{style}</style>\n'
        f'<p class="explorer-title">{title}</p>\n'
        "<noscript>The curves are calculated by JavaScript.</noscript>\n"
        f"<script>\n{{\n{script}{call}\n}}\n</script>\n</section>"
    )


def _js(expression: Expr) -> str:
    functions = {"expm1": "Math.expm1", "log1p": "Math.log1p"}
    return sympy.jscode(stable(sympy.sympify(expression)), user_functions=functions)
