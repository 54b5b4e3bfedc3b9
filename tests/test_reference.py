"""The reference page: every name of it has an example, and every example does what it says."""

import doctest
import re
from pkgutil import resolve_name

import pytest

import longfat
from longfat import paths, topologies

PAGE = (paths.DATA.parent / "book" / "reference.md").read_text("utf-8")
NAMES = re.findall(r"^\.\. auto\w+:: (\S+)$", PAGE, re.MULTILINE)


def test_the_page_has_the_public_names():
    assert len(set(NAMES)) == len(NAMES)
    public = [name for name in longfat.__all__ if callable(getattr(longfat, name))]
    assert {f"longfat.{name}" for name in public} <= set(NAMES)
    functions = [name for name in topologies.__all__ if callable(getattr(topologies, name))]
    assert {f"longfat.topologies.{name}" for name in functions} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_does_what_it_says(name):
    module, _, own = name.rpartition(".")
    documented = getattr(resolve_name(module), own)
    examples = doctest.DocTestParser().get_doctest(documented.__doc__, {}, name, name, lineno=0)
    assert examples.examples, f"{name} has no example"
    said: list[str] = []
    flags = doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(examples, out=said.append)
    assert not said, "".join(said)
