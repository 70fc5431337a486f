"""Finds moves that lead to a position whose history is not known, for protocols that tell an engine nothing but moves.

It tries the ways from the start of the game over cells that are occupied in the position. Where a stone stays whose it
is, that succeeds at once; in Othello up to about twelve plies, which is more than evaluations start with.
"""

from __future__ import annotations

from boardlab.engines.notation import Notation
from boardlab.position import Position

__all__ = ["way_to"]

MOST_TRIES = 5_000


def way_to(target: Position, notation: Notation) -> Position | None:
    """The same position, with moves that lead to it from the start of the game as its history; None where none are
    found. A depth-first search."""
    wanted = notation.stones(target)
    walker = target.game.start()
    choices = [_fitting_actions(walker, wanted, notation)]
    seen: set[bytes] = set()
    for _ in range(MOST_TRIES):
        if walker.state.tobytes() == target.state.tobytes():
            return walker
        if not choices[-1]:
            choices.pop()
            if not choices:
                return None
            walker.undo()
            continue
        walker.play(choices[-1].pop())
        state = walker.state.tobytes()
        if state in seen:
            walker.undo()
        else:
            seen.add(state)
            choices.append(_fitting_actions(walker, wanted, notation))
    return None


def _fitting_actions(walker: Position, wanted: dict[int, int], notation: Notation) -> list[int]:
    """The actions that put a stone where there shall be one."""
    fitting = [a for a in walker.legal_actions if notation.cell(walker, a) in wanted]
    if notation.stones_stay:
        fitting = [a for a in fitting if wanted[notation.cell(walker, a)] == walker.player]
    return fitting
