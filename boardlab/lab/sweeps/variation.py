"""What varies in a sweep: lists of values, ranges of numbers, and points of a Latin hypercube."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["MOST_VALUES", "Dimension", "hypercube_points", "values_of"]

MOST_VALUES = 100_000
_RANGE = {"from", "to", "steps", "scale", "whole"}

Values = list[Any]


class Dimension:
    """The values that one parameter may have: a list, or the numbers between two bounds."""

    def __init__(self, given: object, *, counted: bool) -> None:
        """`given` is a list, or a table with `from`, `to`, `scale` (`linear` or `log`) and `whole`; with `steps` where
        its values are `counted`."""
        self.choices: Values | None = None
        if isinstance(given, list):
            if not given or any(isinstance(value, (list, dict)) for value in given):
                raise ValueError("a list of values has at least one, and no lists or tables in it")
            self.choices = given
        elif isinstance(given, Mapping):
            self._read_range(given, counted)
        else:
            raise ValueError(f"it is a list, or a range such as {_example(counted)}, not {given!r}")

    def _read_range(self, given: Mapping[str, Any], counted: bool) -> None:
        unknown = set(given) - (_RANGE if counted else _RANGE - {"steps"})
        if unknown or "from" not in given or "to" not in given or (counted and "steps" not in given):
            raise ValueError(f"a range is written as {_example(counted)}")
        self.low, self.high = _number(given["from"]), _number(given["to"])
        self.steps = given.get("steps", 2)
        if type(self.steps) is not int or not 2 <= self.steps <= MOST_VALUES:
            raise ValueError(f"a range has at least 2 steps, not {self.steps!r}")
        scale = given.get("scale", "linear")
        if scale not in ("linear", "log"):
            raise ValueError(f"the scale of a range is linear or log, not {scale!r}")
        self.log, self.whole = scale == "log", given.get("whole", False)
        if type(self.whole) is not bool:
            raise ValueError(f"whole is true or false, not {self.whole!r}")
        if self.low >= self.high:
            raise ValueError(f"a range goes upwards, not from {self.low:g} to {self.high:g}")
        if self.log and self.low <= 0:
            raise ValueError(f'a range with scale = "log" begins above 0, not with {self.low:g}')

    def at(self, share: float) -> Any:
        """The value that lies so far between the first one (0) and the last one (below or at 1)."""
        if self.choices is not None:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.log:
            value = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + share * (self.high - self.low)
        value = float(f"{value:.4g}")  # 0.3, not 0.30000000000000004: values that a person can write
        return round(value) if self.whole else value


def values_of(given: object) -> Values:
    """The values of a list, or of a range with steps, each once."""
    dimension = Dimension(given, counted=True)
    if dimension.choices is not None:
        found = dimension.choices
    else:
        found = [dimension.at(step / (dimension.steps - 1)) for step in range(dimension.steps)]
        if all(float(value).is_integer() for value in found):
            found = [int(value) for value in found]
    different = [value for number, value in enumerate(found) if value not in found[:number]]
    if len(different) < len(found):
        raise ValueError(f"its values are not all different: {', '.join(map(str, found))}")
    return found


def hypercube_points(dimensions: Mapping[str, Dimension], points: int, seed: int) -> list[dict[str, Any]]:
    """A Latin hypercube (McKay, Beckman and Conover 1979): each dimension is cut into as many parts of equal size as
    there are points, and has one point in each of them, at a random place."""
    rng = np.random.Generator(np.random.PCG64(seed))
    found: list[dict[str, Any]] = [{} for _ in range(points)]
    for name, dimension in dimensions.items():
        shares = (rng.permutation(points) + rng.random(points)) / points
        for point, share in zip(found, shares.tolist(), strict=True):
            point[name] = dimension.at(share)
    return found


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"the ends of a range are numbers, not {value!r}")
    return float(value)


def _example(counted: bool) -> str:
    steps = ", steps = 5" if counted else ""
    return f'{{ from = 0.01, to = 1, scale = "log"{steps} }}'
