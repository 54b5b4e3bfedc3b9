"""What can go wrong, in three classes: each message is one sentence for a person."""

from typing import Any

LONGEST_QUOTE = 60
MOST_TOLD = 20


class LongfatError(Exception):
    """Anything that longfat reports; the command line prints it as one line.

    >>> from longfat import LongfatError, simulate, topologies
    >>> try:
    ...     simulate(topologies.satellite(loss=0), engine="ns4")
    ... except LongfatError as error:
    ...     error.exit_status
    2
    """

    exit_status = 1


class InputError(LongfatError, ValueError):
    """Bad input: the message names the field, the value and what is allowed. Exit status 2.

    >>> from longfat.papers import hybla
    >>> hybla.growth_ratio(rtt=-1, rtt0=0.025)
    Traceback (most recent call last):
        ...
    longfat.errors.InputError: rtt is -1: it must be above 0 s, and finite
    """

    exit_status = 2


class SimulationError(LongfatError, RuntimeError):
    """A run that failed although its input was good. Exit status 1.

    `failure`, where there is one, says what happened: keys what, scenario and last_words.

    >>> from longfat import SimulationError, simulate, topologies
    >>> scenario = topologies.reference(congestion_control="bic", duration_s=10)
    >>> try:
    ...     simulate(scenario, engine="segment", time_limit_s=1e-6)
    ... except SimulationError as error:
    ...     error.exit_status
    1
    """

    def __init__(self, message: str, failure: dict[str, Any] | None = None):
        super().__init__(message, failure)
        self.failure = failure

    def __str__(self) -> str:
        return self.args[0]


def shortened(text: str) -> str:
    """Return the text without its middle where it is longer than `LONGEST_QUOTE` characters."""
    if len(text) <= LONGEST_QUOTE:
        return text
    return f"{text[: LONGEST_QUOTE - 20]}...{text[-10:]} ({len(text):,} characters)"


def quoted(value: Any) -> str:
    """Return a value from outside as a message repeats it: as Python writes it, but short."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return "a number of thousands of digits"


def as_list(sentences: list[str], what: str) -> str:
    """Return one sentence as it is, of several a line each, below a line that counts `what`."""
    if len(sentences) == 1:
        return sentences[0]
    more = [f"and {len(sentences) - MOST_TOLD} more"] if len(sentences) > MOST_TOLD else []
    return "\n  ".join([f"{len(sentences)} {what}:", *sentences[:MOST_TOLD], *more])


def nearest(word: str, known: list[str]) -> str:
    """Return " Did you mean 'x'?" for the known word nearest to `word`, or nothing."""
    from difflib import get_close_matches

    match = get_close_matches(word, known, n=1)
    return f" Did you mean {quoted(match[0])}?" if match else ""
