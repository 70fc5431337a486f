"""Nim for two players by theory (Bouton 1901): the player to move loses exactly when the nim-sum of the heaps is 0."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor

from boardlab.game import Game
from boardlab.games.nim import Nim
from boardlab.position import Position

__all__ = ["NimSolver", "is_bouton_nim", "nim_sum", "nim_value"]


def is_bouton_nim(game: Game) -> bool:
    """Whether the theory is about this game: Nim for two players."""
    return type(game) is Nim and game.players == 2  # one derived from it may have other rules


def nim_sum(heaps: Sequence[int]) -> int:
    """The exclusive or of the heap sizes."""
    return reduce(xor, heaps, 0)


def nim_value(heaps: Sequence[int]) -> float:
    """What the player to move scores if both play perfectly and who takes the last stone wins: 1 or -1."""
    return 1.0 if nim_sum(heaps) else -1.0


class NimSolver:
    """Exact values of Nim for two players, of any size and without search."""

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores, for the player to move, if both play perfectly from there on: 1 or -1."""
        after = {action: position.copy().play(action) for action in position.legal_actions}
        return {action: -nim_value([int(n) for n in p.state.heap]) for action, p in after.items()}

    def best_actions(self, position: Position) -> list[int]:
        """The winning actions, or all of them where there is none."""
        values = self.values(position)
        return [action for action, value in values.items() if value == max(values.values())]
