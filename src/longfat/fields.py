"""What is stated as data: usual ranges of fields, and what is wrong with them, in sentences."""

from collections.abc import Iterator
from typing import Annotated, Any, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from longfat.errors import InputError, as_list, nearest, quoted, shortened

# The engines count nanoseconds in 64 bits (9.2e9 s) and add times up; sizes have 32 bits.
SHORTEST_S, LONGEST_S = 1e-9, 1e9  # engines count nanoseconds
LARGEST = 2**31 - 1
FASTEST_BPS = 1e15

Name = Annotated[str, Field(min_length=1)]
Probability = Annotated[float, Field(ge=0, lt=1)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_S)]
PositiveSeconds = Annotated[float, Field(gt=0, le=LONGEST_S)]
BitRate = Annotated[float, Field(ge=1, le=FASTEST_BPS)]
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Milliseconds = Annotated[int, Field(ge=0, le=10**9)]
Segments = Annotated[int, Field(ge=2, le=LARGEST)]

Mistake = str | tuple[tuple[str | int, ...], str]
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
MISSING = ("missing", "missing_argument")


class Model(BaseModel):
    """Something that is stated: it cannot be changed, and has no fields but its own.

    Raises InputError, with all that is wrong at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, /, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(told(error, type(self))) from None

    __slots__ = ("_sensible",)  # a part is not asked again with each whole; no copy has it

    # A part of something that is validated is no call of its own: its mistakes are the whole's.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def _mistakes(self) -> Iterator[Mistake]:
        """Yield what is wrong with fields that are each allowed: sentences, or pairs of a place
        below this one and a sentence."""
        yield from ()

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if type(self)._mistakes is Model._mistakes or getattr(self, "_sensible", False):
            return self  # most have none, and there are many of them
        wrong = [one if isinstance(one, tuple) else ((), one) for one in self._mistakes()]
        if wrong:
            raise PydanticCustomError("together", "{wrong}", {"wrong": wrong})
        object.__setattr__(self, "_sensible", True)
        return self


class Kind(Model):
    """One of several kinds: its kind is always said, also where defaults are left out."""

    @model_serializer(mode="wrap")
    def _with_kind(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"kind": getattr(self, "kind")} | serialize(self)  # noqa: B009 (each has its own)


def told(error: ValidationError, model: type[BaseModel]) -> str:
    """Say what is wrong with the fields of a model: in one sentence, or a line for each mistake.

    It says field, value and what is allowed, and of a field that is unknown which may be meant.
    """
    found = dict.fromkeys(_sentences(error.errors(include_url=False), model))
    return as_list(list(found), "mistakes")


def _sentences(errors: list[ErrorDetails], model: type[BaseModel]) -> Iterator[str]:
    alternatives: dict[str, list[str]] = {}  # where a value may be of several types
    places = {one["loc"][:depth] for one in errors for depth in range(len(one["loc"]))}
    for one in errors:
        if one["type"] == "too_short" and one["loc"] in places:
            continue  # what is missing there has its own mistakes
        *outer, last = loc = one["loc"] or ("",)
        message = one["msg"].removeprefix("Value error, ").removeprefix("Input ")
        if one["type"] == "together":
            for place, text in one["ctx"]["wrong"]:
                yield _at((*one["loc"], *place), text)
        elif one["type"] in UNKNOWN:
            yield _at(loc, _no_such_field(str(last), _models_at(model, outer)))
        elif one["type"] in MISSING:
            yield _at(loc, "this field is missing")
        elif one["type"] == "value_error":
            yield _at(one["loc"], message)
        elif isinstance(last, str) and not _is_field(last, _models_at(model, outer)):
            alternatives.setdefault(_at(outer, quoted(one["input"])), []).append(message)
        else:
            yield _at(loc, f"{quoted(one['input'])} {message}")
    for value, messages in alternatives.items():
        yield f"{value} {', or '.join(dict.fromkeys(messages))}"


def _at(place: Any, text: str) -> str:
    field = ".".join(shortened(str(part)) for part in place)
    return f"{field}: {text}" if field else text


def _no_such_field(name: str, models: list[type[BaseModel]]) -> str:
    known = [field for one in models for field in one.model_fields]
    owner = " or ".join(one.__name__ for one in models)
    return f"there is no such field: {owner} has {', '.join(known)}.{nearest(name, known)}"


def _is_field(name: str, models: list[type[BaseModel]]) -> bool:
    return any(name in one.model_fields for one in models)


def _models_at(model: type[BaseModel], place: Any) -> list[type[BaseModel]]:
    """Return which models may stand at a place within one."""
    models = [model]
    for part in place:
        inner = [
            found
            for one in models
            if part in one.model_fields
            for found in _models_in(one.model_fields[part].annotation)
        ]
        kinds = [one for one in models if _kind(one) == part]  # of which one is chosen by its kind
        models = inner or kinds or models
    return models


def _kind(model: type[BaseModel]) -> Any:
    return model.model_fields["kind"].default if "kind" in model.model_fields else None


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
