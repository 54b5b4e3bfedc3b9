"""The numbered equations of one paper: each a sympy `Eq` under its number, written once."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import sympy
from sympy.codegen.cfunctions import log1p
from sympy.codegen.rewriting import expm1_opt

from longfat.errors import InputError


class Equations(Mapping):
    """A mapping from a paper's equation numbers to sympy equations, in the order of the numbers.

        EQ = Equations("hybla")
        EQ[3] = Eq(L, 1 + p * (W - 1))
        EQ.calculate((3,), W=100.0, p=0.01)["L"]

    Raises InputError for a number that is assigned twice, one that is not a positive integer, and
    one that is asked for but not there.
    """

    def __init__(self, paper):
        self.paper = paper
        self._equations = {}

    def __setitem__(self, number, equation):
        if not isinstance(number, int) or number < 1:
            raise InputError(f"{self.paper}: an equation's number is 1 or more, not {number!r}")
        if number in self._equations:
            raise InputError(f"{self.paper}: equation ({number}) is already written")
        if not isinstance(equation, sympy.Eq):
            raise InputError(f"{self.paper}: equation ({number}) must be a sympy Eq")
        self._equations[number] = equation

    def __getitem__(self, number):
        if number not in self._equations:
            known = ", ".join(str(n) for n in self)
            raise InputError(f"{self.paper}: no equation ({number}); there are {known}")
        return self._equations[number]

    def __contains__(self, number):
        return number in self._equations

    def __iter__(self):
        return iter(sorted(self._equations))

    def __len__(self):
        return len(self._equations)

    def __repr__(self):
        return f"Equations({self.paper!r}, {len(self)} equations)"

    def replaced(self, changes):
        """Return a copy in which `changes`, a mapping from numbers to equations, hold instead.

        For a variant of a model: what if a premise were another one?
        """
        variant = Equations(self.paper)
        variant._equations = self._equations | {number: self[number] for number in changes}
        for number, equation in changes.items():
            del variant._equations[number]
            variant[number] = equation
        return variant

    def substitute(self, expression, *order):
        """Return `expression` with the left sides of these equations replaced by the right ones.

        `order` matters: (7) before (4) when (7) brings in the D that (4) defines.
        """
        for number in order:
            expression = expression.subs(self[number].lhs, self[number].rhs)
        return expression

    def calculate(self, order, **values):
        """Return `values` together with what the equations in `order` give, by symbol name.

        Each equation's left side must be a symbol; it is calculated from the values known so far,
        which are numbers or NumPy arrays that broadcast.
        """
        values = dict(zip(values, np.broadcast_arrays(*values.values()), strict=True))
        for number in order:
            equation = self[number]
            names = sorted(symbol.name for symbol in equation.rhs.free_symbols)
            values[equation.lhs.name] = numeric(equation.rhs)(*(values[name] for name in names))
        return values


@cache
def numeric(expression):
    """Return a NumPy function of the expression's symbols, in the alphabetical order of names.

    It calculates the `stable` form of the expression.
    """
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    return sympy.lambdify(symbols, stable(expression), modules="numpy")


def stable(expression):
    """Return the expression in the form that floating point calculates well.

    Powers with a variable exponent go through exponentials of logarithms, and those through
    `expm1` and `log1p`. The value is the same, but (2 - p)**W / 2**W does not overflow, and
    1 - (1 - p)**d keeps its digits where p is tiny.
    """
    form = expression.replace(_has_variable_exponent, _as_exponential)
    form = sympy.powsimp(form, deep=True, combine="exp")
    return form.replace(expm1_opt.query, expm1_opt.value)


def _has_variable_exponent(expression):
    return expression.is_Pow and not expression.exp.is_number


def _as_exponential(power):
    """b**x as exp(x log b); where b = c + small, log b = log c + log1p(small/c)."""
    constant, rest = power.base.as_coeff_Add()
    if constant > 0 and rest != 0:
        logarithm = sympy.log(constant) + log1p(rest / constant)
    else:
        logarithm = sympy.log(power.base)
    return sympy.exp(sympy.expand(power.exp * logarithm))
