"""Parameters of games: declared in the class, checked when the game is made, read from text for the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardlab.arguments import shown
from boardlab.errors import BoardlabError, unknown_name

__all__ = ["Parameter", "parameter", "parameters_of", "read_parameters", "settings_text"]

Value = int | float | bool


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game: its default, what values it takes, and what it means."""

    default: Value
    low: Value | None
    high: Value | None
    choices: tuple[Value, ...]
    doc: str

    def read(self, name: str, value: object) -> Value:
        """`value`, or the text of one, as a value of this parameter."""
        wanted = type(self.default)
        given = self._from_text(value) if isinstance(value, str) else value
        if isinstance(given, np.generic):
            given = given.item()
        if wanted is float and type(given) is int:
            given = float(min(max(given, -(10**300)), 10**300))
        if type(given) is not wanted or not math.isfinite(given):
            raise BoardlabError(f"{name} is {self.range_text()}, not {shown(value)}")
        assert isinstance(given, (int, float))
        if (
            (self.choices and given not in self.choices)
            or (self.low is not None and given < self.low)
            or (self.high is not None and given > self.high)
        ):
            raise BoardlabError(f"{name} is {self.range_text()}, not {shown(given)}")
        return given

    def _from_text(self, text: str) -> object:
        if isinstance(self.default, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(text.lower())
        try:
            return type(self.default)(text)
        except ValueError:
            return None

    def range_text(self) -> str:
        """What values it takes, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return " or ".join(str(c) for c in self.choices)
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.low is not None and self.high is not None:
            return f"{kind} from {self.low} to {self.high}"
        return kind


def parameter(
    default: Value,
    low: Value | None = None,
    high: Value | None = None,
    *,
    choices: tuple[Value, ...] = (),
    doc: str = "",
) -> Any:
    """Declare a parameter in the body of a game class: `columns: int = parameter(7, 4, 9, doc="...")`."""
    return Parameter(default, low, high, choices, doc)


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The declared parameters of a game class, by name, those of its base classes first."""
    found: dict[str, Parameter] = {}
    for owner in reversed(cls.__mro__):
        found.update({n: v for n, v in vars(owner).items() if isinstance(v, Parameter)})
    return found


def read_parameters(cls: type, given: Mapping[str, object]) -> dict[str, Value]:
    """All parameters of `cls`: the given ones checked, the others by default."""
    declared = parameters_of(cls)
    for name in given:
        if name not in declared:
            raise unknown_name(f"parameter of {cls.__name__}", name, declared)
    return {n: p.read(n, given[n]) if n in given else p.default for n, p in declared.items()}


def settings_text(cls: type, settings: Mapping[str, Value]) -> str:
    """The settings that differ from the default, as `columns=6,rows=5`."""
    declared = parameters_of(cls)
    changed = [f"{n}={str(v).lower()}" for n, v in settings.items() if v != declared[n].default]
    return ",".join(changed)
