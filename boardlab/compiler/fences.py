"""What compiled code calls instead of the rules of a user's game: the same rules, and a look at what they answer.

A rule that answers an action, player, chance outcome or cell value out of range would make a kernel read and write
beyond its arrays. `check_game` finds most such rules before they are compiled; what only shows in a rare position is
stopped here, with a sentence. The games of boardlab itself have no fence: their tests prove them right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boardlab.compiler.objects import inlined
from boardlab.errors import BoardlabError

__all__ = ["FENCES", "BrokenRule"]


class BrokenRule(BoardlabError):
    """A rule answered something that cannot be, in compiled code, where the position is not at hand."""


def _player(self: Any, s: Any) -> Any:
    p = self.bare.player(s)
    if p < 0 or p >= self.num_players:
        raise BrokenRule("player(s) returned a number out of range: it must be from 0 to num_players - 1")
    return p


def _legal_actions(self: Any, s: Any, actions: Any) -> Any:
    """Only their number: an action is looked at when it is played, which costs less than to look at all of them."""
    n = self.bare.legal_actions(s, actions)
    if n < 1:
        raise BrokenRule("legal_actions found none in a game that goes on: is_over must say when nobody can move")
    if n > self.num_actions:
        raise BrokenRule("legal_actions returned more than num_actions")
    return n


def _advance(self: Any, s: Any, action: int) -> None:
    if action < 0 or action >= self.num_actions:
        raise BrokenRule("legal_actions wrote a number out of range: actions are from 0 to num_actions - 1")
    self.bare.advance(s, action)


def _chance_outcomes(self: Any, s: Any, outcomes: Any, chances: Any) -> Any:
    n = self.bare.chance_outcomes(s, outcomes, chances)
    if n < 1 or n > self.num_outcomes:
        raise BrokenRule("chance_outcomes returned a number out of range: it must be from 1 to num_outcomes")
    return n


def _advance_chance(self: Any, s: Any, outcome: int) -> None:
    if outcome < 0 or outcome >= self.num_outcomes:
        raise BrokenRule("a chance outcome is a number out of range: outcomes are from 0 to num_outcomes - 1")
    self.bare.advance_chance(s, outcome)


def _cells(self: Any, s: Any, out: Any) -> None:
    self.bare.cells(s, out)
    _require_values(out, self.values_of_cells)


def _cells_of(self: Any, s: Any, player: int, out: Any) -> None:
    self.bare.cells_of(s, player, out)
    _require_values(out, self.values_of_cells)


def _changed_cells(self: Any, s: Any, action: int, cells: Any, values: Any) -> Any:
    n = self.bare.changed_cells(s, action, cells, values)
    if n > len(cells):
        raise BrokenRule("changed_cells returned more cells than it has room for")
    for k in range(n):
        cell = cells[k]
        if cell < 0 or cell >= self.num_cells or np.uint8(values[k]) >= self.values_of_cells[cell]:
            raise BrokenRule("changed_cells wrote a cell or a value out of range")
    return n


@inlined
def _require_values(cells: Any, values: Any) -> None:
    """Many cells at a time, by vector instructions: a loop with a way out in the middle would be one by one."""
    wrong = np.uint8(0)
    for i in range(len(values)):
        wrong |= np.uint8(np.uint8(cells[i]) >= values[i])
    if wrong:
        raise BrokenRule("cells wrote a value out of range: cell values are from 0 to num_values - 1")


FENCES: dict[str, Callable[..., Any]] = {
    "player": _player,
    "legal_actions": _legal_actions,
    "advance": _advance,
    "chance_outcomes": _chance_outcomes,
    "advance_chance": _advance_chance,
    "cells": _cells,
    "cells_of": _cells_of,
    "changed_cells": _changed_cells,
}
