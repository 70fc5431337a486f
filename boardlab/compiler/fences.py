"""What compiled code calls instead of the rules of a user's game: the same rules, and a look at what they answer.

A rule that answers an action, player, chance outcome or cell value out of range would make a kernel read and write
beyond its arrays. `check_game` finds most such rules before they are compiled; what only shows in a rare position is
stopped here, with a sentence. The games of boardlab itself have no fence: their tests prove them right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    n = self.bare.legal_actions(s, actions)
    if n < 1:
        raise BrokenRule("legal_actions found none in a game that goes on: is_over must say when nobody can move")
    if n > self.num_actions:
        raise BrokenRule("legal_actions returned more than num_actions")
    for i in range(n):
        if actions[i] < 0 or actions[i] >= self.num_actions:
            raise BrokenRule("legal_actions wrote a number out of range: actions are from 0 to num_actions - 1")
    return n


def _chance_outcomes(self: Any, s: Any, outcomes: Any, chances: Any) -> Any:
    n = self.bare.chance_outcomes(s, outcomes, chances)
    if n < 1 or n > self.num_outcomes:
        raise BrokenRule("chance_outcomes returned a number out of range: it must be from 1 to num_outcomes")
    for i in range(n):
        if outcomes[i] < 0 or outcomes[i] >= self.num_outcomes:
            raise BrokenRule("chance_outcomes wrote a number out of range: outcomes are from 0 to num_outcomes - 1")
    return n


def _sample_chance(self: Any, s: Any, rng: Any) -> Any:
    outcome = self.bare.sample_chance(s, rng)
    if outcome < 0 or outcome >= self.num_outcomes:
        raise BrokenRule("sample_chance drew a number out of range: outcomes are from 0 to num_outcomes - 1")
    return outcome


def _cells(self: Any, s: Any, out: Any) -> None:
    self.bare.cells(s, out)
    for i in range(self.num_cells):
        if out[i] < 0 or out[i] >= self.values_of_cells[i]:
            raise BrokenRule("cells wrote a value out of range: cell values are from 0 to num_values - 1")


def _cells_of(self: Any, s: Any, player: int, out: Any) -> None:
    self.bare.cells_of(s, player, out)
    for i in range(self.num_cells):
        if out[i] < 0 or out[i] >= self.values_of_cells[i]:
            raise BrokenRule("cells_of wrote a value out of range: cell values are from 0 to num_values - 1")


FENCES: dict[str, Callable[..., Any]] = {
    "player": _player,
    "legal_actions": _legal_actions,
    "chance_outcomes": _chance_outcomes,
    "sample_chance": _sample_chance,
    "cells": _cells,
    "cells_of": _cells_of,
}
