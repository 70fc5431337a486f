"""Ranges of parameters: `hex:size=4..7` stands for four games."""

from __future__ import annotations

import re
from itertools import product

from boardlab.errors import BoardlabError
from boardlab.registry import split_spec

__all__ = ["games_of"]

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_MOST_GAMES = 100


def games_of(spec: str) -> list[tuple[str, dict[str, int]]]:
    """The games that a specification stands for, each with the values of the parameters that vary; with several ranges
    all combinations. Without a range, the game itself."""
    origin, settings = split_spec(spec)
    ranges: dict[str, list[int]] = {}
    for name, value in settings.items():
        found = _RANGE.fullmatch(str(value).strip())
        if found is None:
            continue
        first, last = int(found[1]), int(found[2])
        if first > last:
            raise BoardlabError(f"the range {name}={value} is empty; write the smaller number first")
        ranges[name] = list(range(first, last + 1))
    sizes = 1
    for values in ranges.values():
        sizes *= len(values)
    if sizes > _MOST_GAMES:
        raise BoardlabError(f"{spec} stands for {sizes:,} games; {_MOST_GAMES} are the most")
    games = []
    for chosen in product(*ranges.values()):
        varied = dict(zip(ranges, chosen, strict=True))
        text = ",".join(f"{name}={_text(value)}" for name, value in {**settings, **varied}.items())
        games.append((f"{origin}:{text}" if text else origin, varied))
    return games


def _text(value: object) -> str:
    return f"[{value}]" if "," in str(value) else str(value)
