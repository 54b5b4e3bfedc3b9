"""What can go wrong, in three classes: each message is one sentence for a person."""

from typing import Any


class LongfatError(Exception):
    """Anything that longfat reports; the command line prints it as one line."""

    exit_status = 1


class InputError(LongfatError, ValueError):
    """Bad input: the message names the field, the value and what is allowed. Exit status 2."""

    exit_status = 2


class SimulationError(LongfatError, RuntimeError):
    """A run that failed although its input was good. Exit status 1.

    `failure`, where there is one, says what happened: keys what, scenario and last_words.
    """

    def __init__(self, message: str, failure: dict[str, Any] | None = None):
        super().__init__(message, failure)
        self.failure = failure

    def __str__(self) -> str:
        return self.args[0]


def nearest(word: str, known: list[str]) -> str:
    """Return " Did you mean 'x'?" for the known word nearest to `word`, or nothing."""
    from difflib import get_close_matches

    match = get_close_matches(word, known, n=1)
    return f" Did you mean '{match[0]}'?" if match else ""
