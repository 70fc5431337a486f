"""The fixed n-tuple sets of the FARL paper and of its program GBG (Konen 2017), as `data/ntuples.json` lists them.

`walks150` of Connect Four is ours: the 70 walks of `mode1`, which are also those of Thill 2015, and 80 more walks, for
the larger network of Thill 2015, whose tuples are not published."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def _all_sets() -> dict[str, dict[str, list[list[int]]]]:
    text = (files("boardlab") / "data" / "ntuples.json").read_text(encoding="utf-8")
    sets: dict[str, dict[str, list[list[int]]]] = json.loads(text)
    return sets


def fixed_tuples(game: str) -> dict[str, list[list[int]]]:
    """The sets of one game by their name, the one that the FARL paper used first."""
    return _all_sets()[game]
