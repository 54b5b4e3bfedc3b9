"""Checks of what the models are given: arrays in, one clear sentence for the first bad value."""

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from longfat.errors import InputError, nearest, quoted


def numbers(
    field: str, value: ArrayLike, accepts: Callable[[np.ndarray], np.ndarray], allowed: str
) -> np.ndarray:
    """Return `value` as an array of floats, after checking each element.

    `accepts` maps the array to a boolean array; `allowed` says in words what it accepts. NaN never
    passes. Raises InputError that names the field, the first bad value and what is allowed.
    """
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{field} is {value!r}: it must be {allowed}") from None
    bad = ~accepts(array)
    if bad.any():
        raise InputError(f"{field} is {array[bad].flat[0]:g}: it must be {allowed}")
    return array


def loss(value: ArrayLike, below: float = 1) -> np.ndarray:
    """Loss probabilities from 0 up to, not including, `below`."""
    allowed = f"a probability of at least 0 and below {below:g}"
    return numbers("loss", value, lambda x: (x >= 0) & (x < below), allowed)


def positive(field: str, value: ArrayLike, unit: str) -> np.ndarray:
    """Finite numbers above 0."""
    return numbers(field, value, lambda x: (x > 0) & (x < np.inf), f"above 0 {unit}, and finite")


def at_least_one(field: str, value: ArrayLike, unit: str, infinite: bool = False) -> np.ndarray:
    """Numbers of at least 1, infinity only where `infinite` says so."""
    allowed = f"at least 1 {unit}" + ("" if infinite else ", and finite")
    return numbers(field, value, lambda x: (x >= 1) & (infinite | (x < np.inf)), allowed)


def given_or_stated(given: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a paper states, with what is given (not None) in its place.

    Raises InputError for a name that is none of what is stated, for a value of another kind (a word
    for a number, one number for a list), and for a list that has a number twice. What is stated as
    None is a whole number.
    """
    for name in given:
        if name not in stated:
            known = list(stated)
            raise InputError(
                f"no parameter '{name}': there are {', '.join(known)}.{nearest(name, known)}"
            )
        if given[name] is not None and not _is_like(given[name], stated[name]):
            raise InputError(f"{name} is {quoted(given[name])}: it must be {_kind(stated[name])}")
        if twice := _twice(given[name]):
            raise InputError(f"{name} is {quoted(given[name])}: {twice[0]:g} comes twice")
    return dict(stated) | {name: one for name, one in given.items() if one is not None}


def _twice(value: Any) -> list[float]:
    """Return which numbers of a list come more than once; of what is no list, none."""
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
        return []
    numbers = list(value)
    return [one for one in numbers if numbers.count(one) > 1]


def _is_like(value: Any, other: Any) -> bool:
    """Return whether a value is of the kind of another one."""
    if isinstance(other, Mapping):
        return isinstance(value, Mapping)
    if isinstance(other, bool | str):
        return isinstance(value, type(other))
    if isinstance(other, Iterable):
        listed = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
        return listed and all(_is_like(one, 0.0) for one in value)
    whole = other is None or isinstance(other, Integral)
    return isinstance(value, Integral if whole else Real) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    """Return what kind of value this is, in words."""
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, str):
        return "a word"
    if isinstance(value, Mapping):
        return "a dictionary"
    if isinstance(value, Iterable):
        return "a list of numbers"
    return "a whole number" if value is None or isinstance(value, Integral) else "a number"
