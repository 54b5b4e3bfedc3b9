"""The numbered equations of one paper, the derivation of each, and how each stood up.

An equation is a sympy `Eq` under its number, written once (`Equations`). `Ledger` derives them.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sympy
from sympy.codegen.cfunctions import log1p
from sympy.codegen.rewriting import expm1_opt

from longfat.errors import InputError

# An equation as it is written: sympy does not ask itself whether it is true, which takes a while.
Eq = partial(sympy.Eq, evaluate=False)


class Equations(Mapping):
    """A mapping from a paper's equation numbers to sympy equations, in the order of the numbers.

        EQ = Equations("hybla")
        EQ[3] = Eq(L, 1 + p * (W - 1))
        EQ.calculate((3,), W=100.0, p=0.01)["L"]

    Raises InputError for a number that is assigned twice, one that is not a positive integer, and
    one that is asked for but not there.
    """

    def __init__(self, paper: str) -> None:
        self.paper = paper
        self._equations: dict[int, sympy.Eq] = {}

    def __setitem__(self, number: int, equation: sympy.Eq) -> None:
        if not isinstance(number, int) or number < 1:
            raise InputError(f"{self.paper}: an equation's number is 1 or more, not {number!r}")
        if number in self._equations:
            raise InputError(f"{self.paper}: equation ({number}) is already written")
        if not isinstance(equation, sympy.Eq) or equation.lhs == equation.rhs:
            raise InputError(f"{self.paper}: equation ({number}) must be a sympy Eq of two sides")
        self._equations[number] = equation

    def __getitem__(self, number: int) -> sympy.Eq:
        if number not in self._equations:
            known = ", ".join(str(n) for n in self)
            raise InputError(f"{self.paper}: no equation ({number}); there are {known}")
        return self._equations[number]

    def __contains__(self, number: object) -> bool:
        return number in self._equations

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._equations))

    def __len__(self) -> int:
        return len(self._equations)

    def __repr__(self) -> str:
        return f"Equations({self.paper!r}, {len(self)} equations)"

    def replaced(self, changes: Any) -> "Equations":
        """Return a copy in which `changes`, a mapping from numbers to equations, hold instead.

        For a variant of a model: what if a premise were another one?
        """
        variant = Equations(self.paper)
        variant._equations = self._equations | {number: self[number] for number in changes}
        for number, equation in changes.items():
            del variant._equations[number]
            variant[number] = equation
        return variant

    def substitute(self, expression: sympy.Basic, *order: Any) -> Any:
        """Return `expression` with the left sides of these equations replaced by the right ones.

        `order` matters: (7) before (4) when (7) brings in the D that (4) defines.
        """
        for number in order:
            expression = expression.subs(self[number].lhs, self[number].rhs)
        return expression

    def calculate(self, order: Any, **values: Any) -> Any:
        """Return `values` together with what the equations in `order` give, by symbol name.

        Each equation's left side must be a symbol; it is calculated from the values known so far,
        which are numbers or NumPy arrays that broadcast.
        """
        values = dict(zip(values, np.broadcast_arrays(*values.values()), strict=True))
        for number in order:
            equation = self[number]
            names = [symbol.name for symbol in _symbols(equation.rhs)]
            values[equation.lhs.name] = numeric(equation.rhs)(*(values[name] for name in names))
        return values


@cache
def numeric(expression: sympy.Basic) -> Any:
    """Return a NumPy function of the expression's symbols, in the alphabetical order of names.

    It calculates the `stable` form of the expression.
    """
    return sympy.lambdify(_symbols(expression), stable(expression), modules="numpy")


@cache
def _symbols(expression: sympy.Basic) -> list[sympy.Symbol]:
    return sorted(expression.free_symbols, key=lambda symbol: symbol.name)


def stable(expression: sympy.Basic) -> Any:
    """Return the expression in the form that floating point calculates well.

    Powers with a variable exponent go through exponentials of logarithms, and those through
    `expm1` and `log1p`. The value is the same, but (2 - p)**W / 2**W does not overflow, and
    1 - (1 - p)**d keeps its digits where p is tiny.
    """
    form = expression.replace(_has_variable_exponent, _as_exponential)
    form = form.replace(
        _multiplies_exponentials, lambda product: sympy.powsimp(product, combine="exp")
    )
    return form.replace(expm1_opt.query, expm1_opt.value)


def _has_variable_exponent(expression: sympy.Basic) -> bool:
    return expression.is_Pow and not expression.exp.is_number


def _multiplies_exponentials(expression: sympy.Basic) -> bool:
    return expression.is_Mul and sum(isinstance(one, sympy.exp) for one in expression.args) > 1


def _as_exponential(power: sympy.Pow) -> Any:
    """b**x as exp(x log b); where b = c + small, log b = log c + log1p(small/c)."""
    constant, rest = power.base.as_coeff_Add()
    if constant > 0 and rest != 0:
        logarithm = sympy.log(constant) + log1p(rest / constant)
    else:
        logarithm = sympy.log(power.base)
    return sympy.exp(sympy.expand(power.exp * logarithm))


# --- derivations

Steps = Iterator[tuple[str, sympy.Basic]]


class Derivation(NamedTuple):
    """A chain of sympy objects with a sentence before each; the last is the equation."""

    number: int
    name: str
    steps: tuple[tuple[str, sympy.Basic], ...]

    @property
    def result(self) -> sympy.Eq:
        """The derived equation."""
        return self.steps[-1][1]

    def _repr_markdown_(self) -> str:
        lines = [f"**({self.number}) {self.name}**"]
        for sentence, expression in self.steps:
            lines += [sentence, f"$$\n{sympy.latex(expression)}\n$$"]
        return "\n\n".join(lines)


@cache
def _steps(derivation: Callable[[], Steps]) -> tuple[tuple[str, sympy.Basic], ...]:
    """Return the steps of a derivation: a page shows them, and its table judges them."""
    return tuple(derivation())


class Printed(NamedTuple):
    """An equation as the paper prints it, where that does not hold, and why it does not."""

    equation: sympy.Eq
    reason: str


@dataclass(frozen=True)
class Ledger:
    """A paper's equations, the derivation of each, and how it stood up.

    `names` and `equations` have every number; `derivations` yields the steps of those that are no
    definitions; `printed` has what the paper prints where that is not what holds; `approximations`
    gives the relative error of what is neglected, and where it is that large; `reasons` says in a
    sentence what else there is to know.
    """

    equations: Equations
    names: Mapping[int, str]
    derivations: Mapping[int, Callable[[], Steps]]
    printed: Mapping[int, Printed] = field(default_factory=dict)
    approximations: Mapping[int, Callable[[], tuple[float, str]]] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)

    def derive(self, number: int) -> Derivation:
        """Derive equation `number` from the premises and earlier equations.

        Raises InputError for a number that the paper does not have, and for a definition, which has
        no derivation.
        """
        definition = self.equations[number]
        if number not in self.derivations:
            raise InputError(
                f"{self.equations.paper}: equation ({number}) is a definition, "
                f"{definition.lhs}: no steps"
            )
        return Derivation(number, self.names[number], _steps(self.derivations[number]))

    def table(self) -> pd.DataFrame:
        """Run every derivation and return how each printed equation stood up, a row a number.

        Columns: number, name; status: derived, derived after correction (the paper prints something
        else), approximation (derived, and something is neglected), definition (nothing to derive)
        or not derived; error: size of the approximation, relative; where: where it is that large;
        reason.
        """
        return pd.DataFrame([self._row(number) for number in self.equations])

    def _row(self, number: int) -> dict[str, object]:
        error, where = math.nan, ""
        if number in self.approximations:
            error, where = self.approximations[number]()
        printed = self.printed.get(number)
        return {
            "number": number,
            "name": self.names[number],
            "status": self._status(number),
            "error": error,
            "where": where,
            "reason": printed.reason if printed else self.reasons.get(number, ""),
        }

    def _status(self, number: int) -> str:
        if number not in self.derivations:
            return "definition"
        result = self.derive(number).result
        if not agree(result, self.equations[number]):
            return "not derived"
        if number in self.printed and not agree(result, self.printed[number].equation):
            return "derived after correction"
        return "approximation" if number in self.approximations else "derived"


def agree(left: sympy.Eq, right: sympy.Eq) -> bool:
    """Whether two equations have the same left side and, case by case, equal right sides."""
    if left.lhs != right.lhs:
        return False
    if not isinstance(left.rhs, sympy.Piecewise):
        return _equal(left.rhs, right.rhs)
    return (
        isinstance(right.rhs, sympy.Piecewise)
        and [case.cond for case in left.rhs.args] == [case.cond for case in right.rhs.args]
        and all(
            _equal(one.expr, other.expr)
            for one, other in zip(left.rhs.args, right.rhs.args, strict=True)
        )
    )


def _equal(left: sympy.Expr, right: sympy.Expr) -> bool:
    return left == right or sympy.simplify(left - right) == 0
