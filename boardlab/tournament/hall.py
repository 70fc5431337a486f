"""The players of a process, who stay from game to game while there is room for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.registry import make
from boardlab.system.machine import free_memory
from boardlab.tournament.entrants import fingerprint
from boardlab.tournament.players import Player, make_player

__all__ = ["MOST_PLAYERS", "Place", "dismiss", "game_of", "is_scarce", "places_of", "seated"]

MOST_PLAYERS = 64
SCARCE_MEMORY = 2**30
"""With less free memory than this, only those who play are kept."""


class Place(NamedTuple):
    """Who sits there. Equal entrants on several seats are different players, with different memories."""

    game: str
    key: str
    again: int
    """On how many seats before this one the same entrant is."""
    spec: str
    cpu_clock: bool


_players: OrderedDict[Place, Player] = OrderedDict()
"""Those who played last are at the end."""


def places_of(task: dict[str, Any]) -> list[Place]:
    """The seats of a game (`PlannedGame.task`)."""
    keys = task["keys"]
    seats = enumerate(zip(keys, task["specs"], task["cpu_clocks"], strict=True))
    return [Place(task["game"], key, keys[:seat].count(key), spec, clock) for seat, (key, spec, clock) in seats]


def seated(place: Place, game: Game, limit: float, table: Sequence[Place]) -> Player:
    """The player of a place: the one who is here already, or a new one. Those of the `table` stay."""
    if place not in _players:
        if fingerprint(place.spec, cpu_clock=place.cpu_clock) != place.key:
            raise BoardlabError(
                f"{place.spec} has changed since the tournament began; begin again to let it play as it is"
            )
        _make_room(table)
        _players[place] = make_player(place.spec, game, limit, cpu_clock=place.cpu_clock)
    _players.move_to_end(place)
    return _players[place]


def dismiss(place: Place) -> None:
    """Send a player away who has failed."""
    player = _players.pop(place, None)
    if player is not None:
        with suppress(Exception):  # it has failed already
            player.close()


def is_scarce() -> bool:
    """Whether there is too little memory for more players."""
    return free_memory() < SCARCE_MEMORY


def _make_room(needed: Sequence[Place]) -> None:
    """Send away those who have not played for the longest time, where there are too many."""
    while len(_players) >= MOST_PLAYERS or (is_scarce() and _players):
        idle = next((place for place in _players if place not in needed), None)
        if idle is None:
            return
        _players.pop(idle).close()


@lru_cache(4)
def game_of(spec: str) -> Game:
    """The game of a text, made once."""
    return make(spec)
