"""State records as JSON: their fields for a form, and positions that are set up by hand from it.

A record that a person made up may be one that the rules never lead to, so it is tried out in a worker (where it can do
no harm) before anything else sees it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import BaseModel

from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.position import Position

__all__ = ["Cell", "StateField", "StateValue", "changed_state", "refuse_impossible", "state_fields"]

Cell = bool | int | float | str
"""A number or a truth value; integers of 64 bits as text, since a browser would lose digits of them."""

StateValue = Cell | list[Cell]


class StateField(BaseModel):
    """A field of the state record; `value` of an array is flat, in the order of its rows."""

    name: str
    dtype: str
    shape: list[int]
    value: StateValue


def state_fields(game: Game, state: np.void) -> list[StateField]:
    """The fields of a record, but those that are records themselves."""
    found = []
    for name in _editable(game):
        value = np.asarray(state[name])
        flat = [str(x) if value.dtype.kind in "iu" and value.dtype.itemsize == 8 else x for x in value.ravel().tolist()]
        content: StateValue = flat if value.ndim else flat[0]
        found.append(StateField(name=name, dtype=str(value.dtype), shape=list(value.shape), value=content))
    return found


def changed_state(game: Game, state: np.void, changes: Mapping[str, StateValue]) -> np.void:
    """The record with some fields set by hand; what does not fit into a field is refused."""
    made = np.array([state], game.state)
    for name, value in changes.items():
        if name not in _editable(game):
            raise unknown_name(f"field of a position of {game.title}", name, _editable(game))
        field = made[name][0]
        given = value if isinstance(value, list) else [value]
        if len(given) != np.size(field) or isinstance(value, list) != bool(np.ndim(field)):
            wanted = f"{np.size(field)} values" if np.ndim(field) else "one value"
            raise BoardlabError(f"{name} has {wanted}, not {len(given) if isinstance(value, list) else 'one'}")
        numbers = [_number(name, x, np.asarray(field).dtype) for x in given]
        made[name][0] = np.array(numbers, np.asarray(field).dtype).reshape(np.shape(field))
    changed: np.void = made[0]
    return changed


def refuse_impossible(position: Position) -> None:
    """Refuse a record on which the rules fail, here or after any action. It is still no proof that the position can
    be reached."""
    try:
        _look_at(position)
        for action in position.legal_actions:
            _look_at(position.copy().play(action))
    except BoardlabError:
        raise
    except Exception as error:
        title = position.game.title
        raise BoardlabError(f"this is no position of {title}: the rules fail on it ({error})") from error


def _look_at(position: Position) -> None:
    game, wrong = position.game, None
    if not 0 <= position.player < game.num_players:
        wrong = f"player {position.player + 1} would be to move"
    elif any(not 0 <= action < game.num_actions for action in position.legal_actions):
        wrong = "it would have actions that do not exist"
    elif game.num_cells and np.any((position.cells < 0) | (position.cells >= game.cell_values())):
        wrong = "a cell would have a value that does not exist"
    elif not all(math.isfinite(score) for score in position.scores):
        wrong = "its scores would be no numbers"
    if wrong:
        raise BoardlabError(f"this is no position of {game.title}: {wrong}")


def _editable(game: Game) -> list[str]:
    fields: Mapping[str, Any] = game.state.fields or {}
    return [name for name, (dtype, *_) in fields.items() if dtype.base.kind in "iufb"]


def _number(name: str, value: Cell, dtype: np.dtype[Any]) -> int | float | bool:
    """A value for a field of this dtype."""
    try:
        if dtype.kind == "b":
            if not isinstance(value, bool):
                raise ValueError
            return value
        if dtype.kind == "f":
            number = float(value)
            if not math.isfinite(number):
                raise ValueError
            return number
        whole = int(value)
        if isinstance(value, bool) or whole != (int(value) if isinstance(value, str) else value):
            raise ValueError
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if not low <= whole <= high:
            raise ValueError
    except (ValueError, OverflowError):
        wanted = {"b": "true or false", "f": "a number"}.get(dtype.kind, f"a whole number that fits into {dtype}")
        raise BoardlabError(f"{name} is {wanted}, not {str(value)[:40]}") from None
    return whole
