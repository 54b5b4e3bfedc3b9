"""What may have been true of a paper's experiments where the paper does not say it."""

import csv
import math
from pathlib import Path
from typing import Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from longfat.errors import InputError
from longfat.fields import Model

RANGE = {"low", "high", "spacing", "choices", "source"}  # the columns of a range alone


class Plausible(Model):
    """The plausible values of a parameter: a range, or choices; and where these come from.

    `value` is what was taken, `low` and `high` are in `unit`. Values of a range are drawn evenly,
    in their logarithm where `spacing` is "log". A parameter with one choice is not varied.

    >>> from longfat.papers.plausible import Plausible
    >>> row = {"name": "min_rto", "value": "1", "choices": "1 | 0.2", "source": "RFC 6298; Linux"}
    >>> Plausible(**row).choices
    ('1', '0.2')
    """

    model_config = ConfigDict(extra="ignore")

    name: str
    value: str
    unit: str = ""
    low: float | None = Field(default=None, allow_inf_nan=False)
    high: float | None = Field(default=None, allow_inf_nan=False)
    spacing: Literal["linear", "log"] | None = None
    choices: tuple[str, ...] = ()
    source: str

    @field_validator("choices", mode="before")
    @classmethod
    def _separated(cls, text: str) -> tuple[str, ...]:
        return tuple(choice.strip() for choice in text.split("|"))

    @model_validator(mode="after")
    def _has_the_value(self) -> Self:
        limits = (self.low, self.high, self.spacing)
        if self.choices:
            if limits != (None, None, None):
                raise ValueError("it has both choices and a range, where one of them is needed")
            if len(set(self.choices)) < len(self.choices):
                raise ValueError("a choice comes twice")
            if self.value not in self.choices:
                raise ValueError(f"{self.value} is none of its choices {', '.join(self.choices)}")
            return self
        if self.low is None or self.high is None or self.spacing is None:
            raise ValueError("it needs low, high and spacing, or choices")
        if not self.low < self.high:
            raise ValueError(f"low is {self.low:g}: it must be below high, which is {self.high:g}")
        if self.spacing == "log" and self.low <= 0:
            raise ValueError(f"low is {self.low:g}: with spacing log it must be above 0")
        try:
            taken = float(self.value)
        except ValueError:
            taken = math.nan
        if not self.low <= taken <= self.high:
            raise ValueError(f"{self.value} is not from {self.low:g} to {self.high:g}")
        return self


def read(path: Path) -> list[Plausible]:
    """Read the ranges that a table of parameters has.

    Raises InputError for an assumption whose range is missing, has no source or does not have the
    value that was taken.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{name: text for name, text in row.items() if text} for row in csv.DictReader(file)]
    found = []
    for row in rows:
        if row["status"] == "assumed" or row.keys() & RANGE:
            try:
                found.append(Plausible(**row))
            except InputError as error:
                raise InputError(f"{path.parent.name}: {row['name']}: {error}") from None
    return found
