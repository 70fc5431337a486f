"""Positions set up by hand: what is common to all games, and the default for games that say nothing of it.

A position is given by the values of its places and by whose turn it is (`Game.position_from`). A game that knows how to
make a state of that has a method `set_up`. For any other game a line of legal moves is searched that leads there, in
which a place is changed from its first value to the wanted one at once: so games can be set up in which things are put
on a board and stay there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.position import Position

__all__ = ["masks_of", "position_from", "refuse_turn", "search_position", "values_of_masks"]

MOST_POSITIONS = 20_000
"""So many are looked at before the search for a line of moves is given up."""


def position_from(game: Game, values: Sequence[int], player: int) -> Position:
    """The position with these values of its places, and with this player to move; an impossible one is refused."""
    most = [int(n) for n in game.setup_values()]
    if not most:
        raise BoardlabError(f"{game.title} has no cells, so no position of it can be set up")
    if len(values) != len(most):
        raise BoardlabError(f"a position of {game.title} has {len(most)} places, not {len(values)}")
    for place, (value, count) in enumerate(zip(values, most, strict=True)):
        if not 0 <= value < count:
            raise BoardlabError(f"place {place} of {game.title} has a value from 0 to {count - 1}, not {value}")
    if not 0 <= player < game.num_players:
        raise BoardlabError(f"{game.title} has players 0 to {game.num_players - 1}, not {player}")
    state = np.zeros(1, game.state).view(np.recarray)[0]
    try:
        game.set_up(state, [int(v) for v in values], player)
        position = Position(game, state)
        kept = game.setup_of(position.state) == list(values) and (position.is_over or position.player == player)
    except BoardlabError as error:
        raise BoardlabError(f"this is no position of {game.title}: {error}") from None
    if not kept:
        raise BoardlabError(f"this is no position of {game.title}: set_up of the game made another one of it")
    return position


def search_position(game: Game, s: State, values: Sequence[int], player: int) -> None:
    """Write the state at the end of a line of legal moves that leads to these values, with this player to move."""
    start = Position(game)
    first, wanted = game.setup_of(start.state), list(values)
    seen: set[bytes] = set()
    stack: list[Any] = [start]
    while stack:
        position = stack.pop()
        found = game.setup_of(position.state)
        if found == wanted and not position.is_chance and (position.is_over or position.player == player):
            for name in game.state.names or ():
                s[name] = position.state[name]
            return
        if any(x not in (a, b) for x, a, b in zip(found, first, wanted, strict=True)):
            continue
        key = position.state.tobytes()
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > MOST_POSITIONS:
            raise BoardlabError("it takes too long to find moves that lead to it; the game needs a method set_up")
        if position.is_chance:
            stack += [position.copy().play_chance(outcome) for outcome in reversed(position.chance_outcomes)]
        else:
            stack += [position.copy().play(action) for action in reversed(position.legal_actions)]
    raise BoardlabError(f"no moves lead to it with {game.player_name(player)} to move")


# ---------------------------------------------------------------- stones: 0 is empty, p + 1 a stone of player p


def masks_of(values: Sequence[int], players: int = 2) -> list[int]:
    """The bitboard of each player."""
    return [sum(1 << place for place, v in enumerate(values) if v == p + 1) for p in range(players)]


def values_of_masks(masks: Sequence[int], places: int) -> list[int]:
    """The values of the places of some bitboards."""
    return [next((p + 1 for p, mask in enumerate(masks) if mask >> place & 1), 0) for place in range(places)]


def refuse_turn(game: Game, values: Sequence[int], player: int) -> None:
    """Where two players put down one stone each in turn, the first has as many as the second, or one more when the
    second is to move."""
    counts = [sum(v == p + 1 for v in values) for p in range(2)]
    if counts[0] - counts[1] != player:
        first, second = game.player_name(0), game.player_name(1)
        as_many = "as many as" if player == 0 else "one more than"
        raise BoardlabError(
            f"with {game.player_name(player)} to move, {first} has {as_many} {second};"
            f" here {first} has {counts[0]} and {second} has {counts[1]}"
        )
