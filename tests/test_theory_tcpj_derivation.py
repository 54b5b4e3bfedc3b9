"""The derivations of the paper tcpj end in its equations, and could fail to."""

import pytest
from sympy import Eq

from longfat.errors import InputError
from longfat.papers import ledger as ledger_of
from longfat.papers import tcpj
from longfat.papers.ledger import agree
from longfat.papers.tcpj import derivation

pytestmark = pytest.mark.medium


@pytest.mark.parametrize("number", sorted(derivation.DERIVATIONS))
def test_derivation_ends_in_the_equation(number):
    steps = derivation.derive(number).steps
    assert len(steps) >= 3
    assert agree(steps[-1][1], tcpj.EQ[number])


def test_ledger_has_each_equation_once():
    ledger = derivation.ledger().set_index("number")
    assert list(ledger.index) == list(range(1, 10)) == sorted(derivation.NAMES)
    assert ledger.index[ledger.status == "derived"].to_list() == [2, 9]
    assert set(ledger.status) == {"derived", "definition"}
    assert (ledger.reason != "").all()


@pytest.mark.parametrize(("number", "symbol"), [(2, tcpj.bhat_k), (9, tcpj.BW_k)])
def test_a_wrong_equation_fails(number, symbol, monkeypatch):
    wrong = dict(tcpj.EQ._equations)
    wrong[number] = Eq(symbol, tcpj.EQ[number].rhs * 2)
    monkeypatch.setattr(tcpj.EQ, "_equations", wrong)
    monkeypatch.setattr(ledger_of, "_steps", lambda steps: tuple(steps()))  # none is kept
    with pytest.raises(AssertionError):
        derivation.derive(number)


def test_the_properties_are_those_of_the_theory():
    properties = derivation.properties()
    ends = {name: steps[-1][1].rhs for name, steps in properties.items()}
    assert ends == {
        "step response": tcpj.STEP_RESPONSE,
        "noise gain": tcpj.NOISE_GAIN,
        "cut-off": tcpj.CUT_OFF,
    }


def test_a_definition_has_no_steps():
    with pytest.raises(InputError, match=r"equation \(5\) is a definition"):
        derivation.derive(5)
    with pytest.raises(InputError, match=r"no equation \(10\)"):
        derivation.derive(10)
