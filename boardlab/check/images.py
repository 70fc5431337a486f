"""Maps under which a game must look the same: its symmetries with their action maps, and its exchangeable cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game

__all__ = ["Images", "find_images"]


@dataclass(frozen=True)
class Images:
    """k maps of the board onto itself, and what they do to actions and chance outcomes."""

    cells: NDArray[np.int64]
    """Shape (k, num_cells): the cell i of the image has the value of cell cells[k, i]."""
    actions: NDArray[np.int64]
    """Shape (k, num_actions): the image of each action."""
    outcomes: NDArray[np.int64]
    """Shape (k, num_outcomes): the image of each chance outcome."""
    names: tuple[str, ...]
    """What a person calls each map."""
    skipped: tuple[str, ...]
    """Which maps could not be had, and why."""


def find_images(game: Game) -> Images:
    """All maps but the identity that keep the start position and say what becomes of an action."""
    maps: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], str]] = []
    skipped = []
    symmetries = game.symmetries()
    actions, outcomes = game.action_symmetries(), game.outcome_symmetries()
    if len(symmetries) == 1:
        skipped.append("no symmetries declared: symmetric play")
    elif actions is None:
        skipped.append("no action symmetries declared: symmetric play")
    elif outcomes is None and game.num_outcomes > 0:
        skipped.append("no outcome symmetries declared: symmetric play")
    else:
        if outcomes is None:
            outcomes = np.zeros((len(symmetries), 0), np.int64)
        kept = sorted(set(game.start_symmetries()) - {0})
        maps += [(symmetries[k], actions[k], outcomes[k], f"symmetry {k}") for k in kept]
        lost = [str(k) for k in range(1, len(symmetries)) if k not in kept]
        if lost:
            skipped.append(f"symmetries {', '.join(lost)} do not keep the start position: symmetric play with them")
    pairs = game.exchangeable_cells()
    if len(pairs) > 0 and (game.num_outcomes > 0 or not _actions_are_cells(game)):
        skipped.append("an action is not simply a cell: exchangeable cells")
    else:
        maps += [_exchange(game, int(a), int(b)) for a, b in pairs]
    return Images(
        _stack([m[0] for m in maps], game.num_cells),
        _stack([m[1] for m in maps], game.num_actions),
        _stack([m[2] for m in maps], game.num_outcomes),
        tuple(m[3] for m in maps),
        tuple(skipped),
    )


def _actions_are_cells(game: Game) -> bool:
    same_size = game.num_actions == game.num_cells
    return same_size and all(game.cell_action(cell) == cell for cell in range(game.num_cells))


def _exchange(game: Game, a: int, b: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], str]:
    swapped = np.arange(game.num_cells, dtype=np.int64)
    swapped[[a, b]] = b, a
    return swapped, swapped, np.zeros(0, np.int64), f"exchange of the cells {a} and {b}"


def _stack(rows: list[NDArray[np.int64]], width: int) -> NDArray[np.int64]:
    return np.ascontiguousarray(np.array(rows, np.int64).reshape(len(rows), width))
