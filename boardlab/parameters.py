"""Parameters: declared in a class, checked when it is made, read from text for the command line, and listed for forms
and documentation. What is declared becomes a `Parameter`, whatever the spelling (see `boardlab.components`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from boardlab.arguments import shown
from boardlab.errors import BoardlabError, unknown_name

__all__ = ["Kind", "Parameter", "Value", "body_parameters", "parameter", "refuse_unknown", "settings_text"]

Value = int | float | bool | str | None
Kind = Literal["boolean", "integer", "number", "text", "list"]

_TYPES: dict[Kind, type] = {"boolean": bool, "integer": int, "number": float, "text": str, "list": list}
_WORDS: dict[Kind, str] = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "text": "a text",
    "list": "a list",
}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter: what values it takes, which one by default, and what it means."""

    kind: Kind
    default: Any
    low: int | float | None = None
    high: int | float | None = None
    above_low: bool = False
    """Whether `low` itself is excluded."""
    below_high: bool = False
    choices: tuple[Value, ...] = ()
    nullable: bool = False
    """Whether it may be none."""
    required: bool = False
    """Whether it must be given; it has no default then."""
    doc: str = ""
    words: str = ""
    """What values it takes, where kind, bounds and choices do not say it all."""

    def read(self, name: str, value: object) -> Value:
        """`value`, or the text of one, as a value of this parameter."""
        if self.nullable and (value is None or (isinstance(value, str) and value.lower() == "none")):
            return None
        given = self._from_text(value) if isinstance(value, str) else value
        if isinstance(given, np.generic):
            given = given.item()
        if self.kind == "number" and type(given) is int:
            given = float(min(max(given, -(10**300)), 10**300))
        if type(given) is not _TYPES[self.kind] or (isinstance(given, float) and not math.isfinite(given)):
            raise BoardlabError(f"{name} is {self.range_text()}, not {shown(value)}")
        assert isinstance(given, (int, float, str))
        if not self._allows(given):
            raise BoardlabError(f"{name} is {self.range_text()}, not {shown(given)}")
        return given

    def _from_text(self, text: str) -> object:
        if self.kind == "boolean":
            return _TRUTH.get(text.lower())
        try:
            return _TYPES[self.kind](text)
        except ValueError:
            return None

    def _allows(self, value: Any) -> bool:
        if self.choices and value not in self.choices:
            return False
        if self.low is not None and (value < self.low or (self.above_low and value == self.low)):
            return False
        return self.high is None or not (value > self.high or (self.below_high and value == self.high))

    def range_text(self) -> str:
        """What values it takes, in words."""
        words = self.words or " or ".join(map(str, self.choices)) or _WORDS[self.kind] + self._bounds()
        return f"{words} or none" if self.nullable else words

    def _bounds(self) -> str:
        if self.low is not None and self.high is not None and not self.above_low and not self.below_high:
            return f" from {_number(self.low)} to {_number(self.high)}"
        low_word, high_word = "above" if self.above_low else "not below", "below" if self.below_high else "not above"
        bounds = ((low_word, self.low), (high_word, self.high))
        return " and".join(f" {word} {_number(bound)}" for word, bound in bounds if bound is not None)

    @property
    def default_text(self) -> str:
        """The default as it is written in a specification; `-` where there is none."""
        return "-" if self.required else _value_text(self.default)


def parameter(
    default: Value,
    low: int | float | None = None,
    high: int | float | None = None,
    *,
    choices: tuple[Value, ...] = (),
    kind: Kind | None = None,
    doc: str = "",
) -> Any:
    """Declare a parameter in the body of a class: `columns: int = parameter(7, 4, 9, doc="...")`. Its kind is that of
    the default; where the default is None, `kind` says it."""
    if kind is None and default is None:
        raise TypeError('a parameter that is None by default needs its kind, as kind="integer"')
    of_default: Kind = next((name for name, type_ in _TYPES.items() if type(default) is type_), "text")
    return Parameter(
        kind=kind or of_default,
        default=default,
        low=low,
        high=high,
        choices=choices,
        nullable=default is None,
        doc=doc,
    )


@cache
def body_parameters(cls: type) -> Mapping[str, Parameter]:
    """What the bodies of a class and of its base classes declare by `parameter`, by name, the base classes first."""
    found: dict[str, Parameter] = {}
    for owner in reversed(cls.__mro__):
        found.update({n: v for n, v in vars(owner).items() if isinstance(v, Parameter)})
    return found


def refuse_unknown(declared: Iterable[str], given: Iterable[str], owner: str) -> None:
    """Refuse names that are not declared; `owner` is whose parameters they would be."""
    for name in given:
        if name not in declared:
            raise unknown_name(f"parameter of {owner}", name, declared)


def settings_text(declared: Mapping[str, Parameter], settings: Mapping[str, object]) -> str:
    """The settings that differ from the default, as `columns=6,rows=5`."""
    changed = [(n, v) for n, v in settings.items() if declared[n].required or v != declared[n].default]
    return ",".join(f"{n}={_value_text(v)}" for n, v in changed)


def _value_text(value: object) -> str:
    """A value as it is written in a specification; a text with commas in square brackets."""
    text = str(value).lower() if isinstance(value, bool | None) else str(value)
    return f"[{text}]" if "," in text else text


def _number(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.12g}"
