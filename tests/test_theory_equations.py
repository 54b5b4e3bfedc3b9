"""The mapping from equation numbers to equations, and the functions made from them."""

import numpy as np
import pytest
from sympy import Eq, Symbol, symbols

from longfat.errors import InputError
from longfat.papers import hybla, ledger
from longfat.papers.ledger import Equations, numeric

x, y = symbols("x y", positive=True)


@pytest.fixture
def equations():
    equations = Equations("test")
    equations[2] = Eq(y, x**2)
    equations[1] = Eq(x, 2 * Symbol("a"))
    return equations


def test_iterates_in_the_order_of_the_numbers(equations):
    assert list(equations) == [1, 2]
    assert len(equations) == 2
    assert 1 in equations
    assert 3 not in equations


def test_a_second_assignment_is_refused(equations):
    with pytest.raises(InputError, match=r"test: equation \(2\) is already written"):
        equations[2] = Eq(y, x)
    assert equations[2] == Eq(y, x**2)


def test_an_unknown_number_says_which_there_are(equations):
    with pytest.raises(InputError, match=r"no equation \(7\); there are 1, 2"):
        equations[7]


@pytest.mark.parametrize("number", [0, -1, 1.5, "3"])
def test_a_number_is_a_positive_integer(equations, number):
    with pytest.raises(InputError, match="an equation's number is 1 or more"):
        equations[number] = Eq(x, y)


def test_only_equations_are_stored(equations):
    for wrong in (x + y, Eq(x, x), ledger.Eq(x, x)):
        with pytest.raises(InputError, match="must be a sympy Eq"):
            equations[3] = wrong


def test_calculates_in_the_order_given_and_broadcasts(equations):
    values = equations.calculate((1, 2), a=np.array([[1.0], [2.0]]), other=np.zeros(3))
    assert values["y"].shape == (2, 3)
    assert values["y"][:, 0].tolist() == [4.0, 16.0]


def test_a_variant_leaves_the_original_alone(equations):
    variant = equations.replaced({2: Eq(y, x**3)})
    assert variant[2] == Eq(y, x**3)
    assert variant[1] == equations[1]
    assert equations[2] == Eq(y, x**2)
    with pytest.raises(InputError, match=r"no equation \(5\)"):
        equations.replaced({5: Eq(y, x)})


def test_substitutes_left_sides(equations):
    assert equations.substitute(y, 2, 1) == 4 * Symbol("a") ** 2


def test_numeric_does_not_overflow_where_the_value_does_not():
    reduction = numeric(hybla.EQ[4].rhs)  # (2 - p)**(W - 1) / 2**W
    assert reduction(1e5, 1e-7) == pytest.approx(0.5 * np.exp(-(1e5 - 1) * 0.5e-7), rel=1e-9)


def test_numeric_keeps_digits_where_the_loss_is_tiny():
    before_loss = numeric(hybla.EQ[23].rhs)  # (1 - (1 - p)**d) (1 - p) / p
    assert before_loss(1000.0, 1e-18) == pytest.approx(1000.0, rel=1e-15)
