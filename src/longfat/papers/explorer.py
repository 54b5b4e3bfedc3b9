"""Explorers as data: a model's curves that a reader moves by sliders (`longfat.book.explorer`).

    explorer = Explorer(
        name="mathis",
        title="The square-root law",
        inputs=(Input(p, "probability of loss", 1e-6, 1e-1, 1e-4, scale="log"), ...),
        steps={B: SQUARE_ROOT.rhs},
        x=p,
        curves=(Curve("Reno", B, python_function),),
        y_label="throughput (segments/s)",
    )

The tests hold the values that the page calculates for every explorer of a paper against those of
the package's own Python functions.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import sympy
from sympy import Expr, Symbol

from longfat.errors import InputError

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Input:
    """A slider: what a symbol of the model is set to.

    From `low` to `high`, at first `value`, all in `unit`; a logarithmic scale needs `low` > 0.
    A `whole` input takes whole numbers only, on a linear scale.
    """

    symbol: Symbol
    label: str
    low: float
    high: float
    value: float
    unit: str = ""
    scale: Scale = "linear"
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high or self.low == self.high:
            raise InputError(
                f"{self.symbol.name} is {self.value:g}: it must be in its slider's range, "
                f"from {self.low:g} to {self.high:g}"
            )
        if self.scale == "log" and self.low <= 0:
            raise InputError(f"{self.symbol.name}: a logarithmic slider begins above 0")
        if self.whole and self.scale == "log":
            raise InputError(f"{self.symbol.name}: a slider of whole numbers has a linear scale")


@dataclass(frozen=True)
class Root:
    """The value between `low` and `high` at which `excess` passes from negative to positive.

    Where it stays negative the value is `high`.
    """

    excess: Expr
    low: Expr
    high: Expr


@dataclass(frozen=True)
class Repeated:
    """The value after `start` has become `step` again and again, `count` times.

    `step` is an expression of the value before it, which has the name of the step itself, and of
    `number`, which counts from 1.
    """

    step: Expr
    start: Expr
    number: Symbol
    count: Expr


@dataclass(frozen=True)
class Curve:
    """A line of the plot: a symbol of the model over that of the horizontal axis.

    `python` is the package's own function for it, of the inputs by symbol name, which broadcast.
    """

    label: str
    symbol: Symbol
    python: Callable


@dataclass(frozen=True)
class Explorer:
    """A model, its sliders and its plot.

    `steps` says how to calculate, in this order: each symbol is an expression of the inputs and of
    the symbols before it, a `Root` or `Repeated`. `x` is the input along the horizontal axis.
    Raises InputError for steps that use what is not there yet, and for names that JavaScript cannot
    have.
    """

    name: str
    title: str
    inputs: tuple[Input, ...]
    steps: Mapping[Symbol, Expr | Root | Repeated]
    x: Symbol
    curves: tuple[Curve, ...]
    y_label: str
    y_scale: Scale = "linear"

    def __post_init__(self) -> None:
        known = {item.symbol for item in self.inputs}
        for wanted in (self.x, *(curve.symbol for curve in self.curves)):
            if wanted not in known | set(self.steps):
                raise InputError(f"{self.name}: {wanted.name} is neither an input nor a step")
        for symbol, step in self.steps.items():
            parts, inner = parts_of(symbol, step)
            needed = set().union(*(sympy.sympify(part).free_symbols for part in parts))
            for missing in needed - known - inner:
                raise InputError(
                    f"{self.name}: {symbol.name} needs {missing.name}, which comes later or never"
                )
            known.add(symbol)
        for symbol in known:
            if not re.fullmatch(r"[A-Za-z]\w*", symbol.name, re.ASCII):
                raise InputError(f"{self.name}: {symbol.name} cannot be a name in JavaScript")


def parts_of(symbol: Symbol, step: Expr | Root | Repeated) -> tuple[tuple[Expr, ...], set[Symbol]]:
    """Return a step's expressions, and the symbols that it brings itself."""
    if isinstance(step, Root):
        return (step.excess, step.low, step.high), {symbol}
    if isinstance(step, Repeated):
        return (step.step, step.start, step.count), {symbol, step.number}
    return (step,), set()
