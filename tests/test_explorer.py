"""Explorers: the page's JavaScript gives Python's values, and the curves follow the sliders."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
from mpmath import mpf
from scipy.optimize import brentq
from sympy import Max, lambdify, sqrt, symbols, sympify

from longfat import papers
from longfat.book.explorer import html
from longfat.errors import InputError
from longfat.papers.explorer import Curve, Explorer, Input, Repeated, Root

pytestmark = pytest.mark.medium

x, y, z, w, v, k = symbols("x y z w v k", positive=True)
n = symbols("n", integer=True, positive=True)
MODULES = papers.names()


def of_chapter(module: str) -> Explorer:
    return importlib.import_module(f"longfat.papers.{module}.explorer").explorer()


def small(**changes) -> Explorer:
    """y is x + z; w is where w^2 is x, at most 2; v is 1 + 1 + 2 + ... + n, times z."""
    fields = {
        "name": "small",
        "title": "A </script> & more",
        "inputs": (
            Input(x, "the x", 1.0, 9.0, 4.0, "s"),
            Input(z, "the z", 0.01, 100.0, 1.0, scale="log"),
            Input(n, "the n", 1, 20, 3, whole=True),
        ),
        "steps": {
            y: x + z,
            w: Root(w**2 - x, x * 0, Max(2, 0)),
            v: Repeated(v + k * z, z, k, n),
        },
        "x": x,
        "curves": (
            Curve("sum", y, lambda x, z, n: x + z),
            Curve("root", w, lambda x, z, n: np.minimum(np.sqrt(x), 2)),
            Curve("series", v, lambda x, z, n: z * (1 + n * (n + 1) / 2)),
        ),
        "y_label": "value",
    }
    return Explorer(**(fields | changes))


@pytest.fixture
def show(browser):
    """Show explorers on a page of their own; at the end demand that no script failed."""
    context = browser.new_context(viewport={"width": 800, "height": 900})
    page = context.new_page()
    problems = []
    page.on("console", lambda m: m.type == "error" and problems.append(m.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: r.url.startswith("http") and problems.append(r.url))

    def open_page(*explorers: Explorer):
        body = "".join(html(explorer) for explorer in explorers)
        page.set_content(f"<!doctype html><html lang=en><title>t</title><body>{body}")
        return page

    yield open_page
    context.close()
    assert not problems


def javascript_values(page, points: list[dict]) -> list[dict]:
    return page.locator(".longfat-explorer").evaluate(
        "(container, points) => points.map(container.calculate)", points
    )


def random_points(explorer: Explorer, number: int) -> list[dict[str, float]]:
    rng = np.random.default_rng(1)
    columns = {}
    for item in explorer.inputs:
        part = rng.random(number)
        values = (
            item.low * (item.high / item.low) ** part
            if item.scale == "log"
            else item.low + (item.high - item.low) * part
        )
        columns[item.symbol.name] = np.round(values) if item.whole else values
    return [
        dict(zip(columns, map(float, row), strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


@pytest.mark.parametrize("module", [*MODULES, "small"])
def test_javascript_gives_pythons_values_at_a_hundred_random_points(module, show):
    explorer = small() if module == "small" else of_chapter(module)
    points = random_points(explorer, 100)
    answers = javascript_values(show(explorer), points)
    given = {name: np.array([point[name] for point in points]) for name in points[0]}
    for curve in explorer.curves:
        theirs = np.array([answer[curve.symbol.name] for answer in answers], dtype=float)
        ours = np.broadcast_to(curve.python(**given), theirs.shape)
        np.testing.assert_allclose(theirs, ours, rtol=1e-9, err_msg=curve.label)
        assert len(np.unique(theirs)) > 10, f"{curve.label} hardly depends on anything"


def _root(excess, low: float, high: float) -> float:
    return brentq(lambda at: float(excess(mpf(at))), low, high) if excess(mpf(high)) > 0 else high


def calculated(explorer: Explorer, point: dict[str, float]) -> dict[str, float]:
    """What the steps give, one after the other, without a browser."""
    known = {item.symbol: point[item.symbol.name] for item in explorer.inputs}

    def value(expression) -> float:
        return float(sympify(expression).subs(known))

    for symbol, step in explorer.steps.items():
        if isinstance(step, Root):
            low, high = value(step.low), value(step.high)
            # Not with doubles, which a power of a large window overflows.
            excess = lambdify(symbol, step.excess.subs(known), "mpmath")
            known[symbol] = _root(excess, low, high)
        elif isinstance(step, Repeated):
            known[symbol] = value(step.start)
            for number in range(1, round(value(step.count)) + 1):
                known[symbol] = float(sympify(step.step).subs(known | {step.number: number}))
        else:
            known[symbol] = value(step)
    return {symbol.name: one for symbol, one in known.items()}


@pytest.mark.parametrize("module", [*MODULES, "small"])
def test_the_steps_give_pythons_values(module):
    """At the ends of all sliders too: the models take whatever can be set."""
    explorer = small() if module == "small" else of_chapter(module)
    ends = [{i.symbol.name: getattr(i, end) for i in explorer.inputs} for end in ("low", "high")]
    for point in (*ends, *random_points(explorer, 6)):
        values = calculated(explorer, point)
        for curve in explorer.curves:
            ours = float(curve.python(**point))
            assert values[curve.symbol.name] == pytest.approx(ours, rel=1e-8), (curve.label, point)


@pytest.mark.slow
@pytest.mark.parametrize("module", [*MODULES, "small"])
def test_every_slider_moves_by_keyboard_and_says_what_it_did(module, show):
    explorer = small() if module == "small" else of_chapter(module)
    page = show(explorer)
    curves = page.locator("path[data-curve]")
    output = page.locator("output")
    before_all = output.text_content()
    for item in explorer.inputs:
        slider = page.get_by_role("slider", name=item.label, exact=True)
        drawn = curves.evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
        said = output.text_content(), slider.get_attribute("aria-valuetext")
        slider.focus()
        for _ in range(20):
            page.keyboard.press("ArrowLeft")
        assert (output.text_content(), slider.get_attribute("aria-valuetext")) != said
        after = curves.evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
        assert (after == drawn) == (item.symbol == explorer.x)  # that one moves the points alone
    page.get_by_role("button").click()
    assert output.text_content() == before_all


def test_a_page_may_hold_an_explorer_twice(show):
    page = show(small(), small())
    assert page.locator(".longfat-explorer svg").count() == 2
    assert page.locator("svg[role=img][aria-label]").count() == 2


def test_a_narrow_screen_needs_no_scrolling(show):
    page = show(small(title="A long title " * 10))
    page.set_viewport_size({"width": 340, "height": 700})
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 340")
    assert page.evaluate("document.documentElement.scrollWidth") <= 340


def test_html_is_the_same_in_every_process():
    program = "from longfat.book.explorer import html\n"
    program += "from longfat.papers.hybla.explorer import explorer\n"
    program += "print(html(explorer()))"
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1


def test_what_cannot_be_calculated_is_refused():
    with pytest.raises(InputError, match="small: y needs w, which comes later"):
        small(steps={y: x + w, w: x, v: x})
    with pytest.raises(InputError, match="small: w is neither an input nor a step"):
        small(steps={y: sqrt(x)})
    with pytest.raises(InputError, match=r"W_\{i\+1\} cannot be a name in JavaScript"):
        small(steps={y: x, w: z, v: x, symbols("W_{i+1}"): x})


def test_an_input_begins_in_its_range():
    with pytest.raises(InputError, match="x is 10: it must be in its slider's range, from 1 to 9"):
        Input(x, "x", 1, 9, 10)
    with pytest.raises(InputError, match="x: a logarithmic slider begins above 0"):
        Input(x, "x", 0, 9, 1, scale="log")
    with pytest.raises(InputError, match="x: a slider of whole numbers has a linear scale"):
        Input(x, "x", 1, 9, 1, scale="log", whole=True)
