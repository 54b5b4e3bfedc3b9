"""What the cells of a notebook show, and which other cells each needs: read from their code.

Only of chapters that are no objects yet (`longfat.book.chapters`): this goes with the last of them.

A cell that calls `show.show_figure("NAME", ...)`, or another function of `longfat.book.show` with
`name="NAME"`, shows NAME. It needs the cells before it that make the names that it uses.
"""

import ast
import builtins
import functools
import re
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import longfat

# Where each function of `longfat.book.show` has the name among its arguments.
PLACES = {"show_figure": 0, "show_verdicts": 2, "show_table": 3}
PACKAGE = Path(longfat.__file__).parent


def shown(source: str) -> list[str]:
    """Return the names of the figures and tables that a cell's code shows, in their order."""
    return [name for call in _calls(ast.parse(source)) if (name := _name(call))]


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr.startswith("show_")
        ):
            yield node


def _name(call: ast.Call) -> str | None:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    place = PLACES.get(function)
    named = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    placed = [] if place is None else call.args[place : place + 1]
    for node in [*named, *placed]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
    return None


def needed(sources: list[str], number: int) -> list[int]:
    """Return, in order, which of the cells with these `sources` cell `number` needs, and itself.

    A name comes from the last cell before that assigns it, and from those between that change what
    it holds (`table["x"] = ...`, `names.append(...)`).
    """
    imported = {name for source in sources for name in modules(source)}
    wanted = set(_names(sources[number]).used)
    chosen = [number]
    for i in reversed(range(number)):
        names = _names(sources[i])
        if wanted & (names.assigned | (names.changed - imported)):
            chosen.append(i)
            wanted = (wanted - names.assigned) | names.used
    return sorted(chosen)


def missing(sources: list[str]) -> set[str]:
    """Return the names that these cells, executed in this order, would use and nobody makes."""
    made = set(dir(builtins))
    lacking: set[str] = set()
    for source in sources:
        names = _names(source)
        lacking |= names.used - made
        made |= names.assigned
    return lacking


class _Names(NamedTuple):
    """The names that code takes from before it, assigns, and changes what they hold."""

    used: frozenset[str]
    assigned: frozenset[str]
    changed: frozenset[str]


@functools.cache
def _names(source: str) -> _Names:
    used: set[str] = set()
    made: set[str] = set()
    tree = ast.parse(source)
    for code in _pieces(tree.body):
        table = symtable.symtable(code, "cell", "exec")
        used |= _referenced(table) - made
        made |= _bound(table)
    return _Names(frozenset(used), frozenset(made), frozenset(_changed(tree)))


def _pieces(statements: list[ast.stmt]) -> Iterator[str]:
    """Yield code in the order in which it is executed; what a loop repeats stands once."""
    for statement in statements:
        if isinstance(statement, ast.For):
            yield f"{ast.unparse(statement.target)} = {ast.unparse(statement.iter)}"
        elif isinstance(statement, ast.If | ast.While):
            yield ast.unparse(statement.test)
        elif isinstance(statement, ast.With):
            for item in statement.items:
                target = f"{ast.unparse(item.optional_vars)} = " if item.optional_vars else ""
                yield target + ast.unparse(item.context_expr)
        elif not isinstance(statement, ast.Try):
            yield ast.unparse(statement)
            continue
        yield from _pieces([*statement.body, *getattr(statement, "orelse", [])])
        for handler in getattr(statement, "handlers", []):
            yield from _pieces(handler.body)


def _bound(table: symtable.SymbolTable) -> set[str]:
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


def _referenced(table: symtable.SymbolTable) -> set[str]:
    """Return what a module's code reads at its top, and what the scopes in it take from there."""
    at_top = table.get_type() == "module"
    names = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    if not at_top:
        names = {name for name in names if table.lookup(name).is_global()}
    return names.union(*(_referenced(child) for child in table.get_children()))


def _changed(tree: ast.Module) -> set[str]:
    """Return the names whose contents the code changes: an item, an attribute, by a method."""
    places = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    places += [
        node.value.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
    ]
    return {root for node in places if (root := _root(node))}


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


@functools.cache
def modules(source: str) -> dict[str, str]:
    """Return what the code imports: the name that it has there, to its full name."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {n.asname or n.name.partition(".")[0]: n.name for n in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {n.asname or n.name: f"{node.module}.{n.name}" for n in node.names}
    return found


def experiments(sources: list[str], imported: dict[str, str]) -> set[str]:
    """Return the names of the experiments that cells run, themselves or by functions of longfat.

    `imported` is what the notebook imports (`modules`). Where code puts a name together, the part
    that varies is a `*`.
    """
    found: set[str] = set()
    for source in sources:
        tree = ast.parse(source)
        found |= _named(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = imported.get(node.value.id, "")
                # A plan has all experiments of its chapter: what is used is named by who uses it.
                if not module.endswith(".plan"):
                    found |= _of_function(module, node.attr, set())
    return found


# The verb of a docstring's first sentence, and how the line above a cell has it.
VERBS = {
    "Return": "Works out",
    "Draw": "Draws",
    "Show": "Shows",
    "Simulate": "Simulates",
    "Run": "Runs",
    "Evaluate": "Evaluates",
    "Compare": "Compares",
    "Make": "Makes",
    "Judge": "Judges",
    "Keep": "Keeps",
    "Measure": "Measures",
}


# What the functions of `longfat.book.show` do, where nothing else of longfat is called.
SHOWN = {
    "show_figure": "Draws this figure",
    "show_table": "Makes this table",
    "show_equations": "Derives these equations with sympy",
    "show_steps": "Derives this with sympy",
    "show_code": "Takes this code from the package",
    "show_explorer": "Makes this explorer",
    "show_verdicts": "Makes the table of verdicts",
    "numbers": "Keeps the numbers that the text has",
    "figure": "Draws this figure",
    "table": "Makes this table",
    "verdicts": "Makes the table of verdicts",
}


def says(source: str, imported: dict[str, str]) -> str:
    """Return in a line what a cell does, from the docstrings of what it calls; "" if none tells.

    The first function of longfat that it calls says it, one of `longfat.book` where there is no
    other. `imported` is what the notebook imports (`modules`).
    """
    lines = []
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            module = imported.get(node.func.value.id, "")
            place = (module.startswith("longfat.book"), node.lineno, node.col_offset)
            definition = _definitions(module).get(node.func.attr)
            text = ast.get_docstring(definition) if definition else None
            if module == "longfat.book.show":
                if node.func.attr in SHOWN:
                    lines.append(((2, *place), SHOWN[node.func.attr]))
            elif text and not module.startswith("longfat.cc"):
                lines.append(((0, *place), _line(text)))
    return min(lines)[1] if lines else ""


# Where a docstring says which name is meant, which a reader of the page does not need.
_OF_THE_CODE = re.compile(r"\s+\((?:of )?`[\w.]+`\)|,\s+as `\w+\.\w+`(?: takes it)?")


def _line(docstring: str) -> str:
    sentence = re.split(r"(?<=[a-z`)])[.:](?:\s|$)|\n\n", docstring, maxsplit=1)[0]
    sentence = _OF_THE_CODE.sub("", sentence)
    verb, _, rest = " ".join(sentence.split()).rstrip(".").partition(" ")
    rest = rest.replace(", and return", ", and works out")
    return f"{VERBS.get(verb, verb)} {rest}".replace("`", "")


def _named(tree: ast.AST) -> set[str]:
    values = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "experiment"
    ]
    return {pattern for value in values if (pattern := _pattern(value))}


def _pattern(node: ast.AST) -> str:
    """Return the text of a string, with a `*` for what varies in it; "" for what is no string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else "*" for p in node.values]
        return "".join(map(str, parts))
    return ""


def _of_function(module: str, name: str, seen: set[tuple[str, str]]) -> frozenset[str]:
    """Return texts that could name an experiment, of a function of longfat and those it calls."""
    if (module, name) in seen:
        return frozenset()
    seen.add((module, name))
    patterns, others = _within(module, name)
    return patterns.union(*(_of_function(module, other, seen) for other in others))


@functools.cache
def _within(module: str, name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the texts in a definition that could name an experiment, and the module's other
    definitions that it names."""
    own = _definitions(module)
    nodes = list(ast.walk(own[name])) if name in own else []
    patterns = {pattern for node in nodes if "-" in (pattern := _pattern(node)).strip("*")}
    others = {node.id for node in nodes if isinstance(node, ast.Name) and node.id in own}
    return frozenset(patterns), frozenset(others)


@functools.cache
def _definitions(module: str) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """Return a module's functions and classes, if it is one of longfat's."""
    path = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    if not module.startswith("longfat.") or not path.exists():
        return {}
    kinds = ast.FunctionDef | ast.ClassDef
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, kinds)}
