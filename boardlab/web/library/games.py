"""The games that a client may ask for, and the only way from a client's words to one of them.

Registered names alone are allowed, and the games that were named when the arena was started: a text from a browser
never makes boardlab import a file.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from boardlab.errors import unknown_name
from boardlab.game import Game
from boardlab.registry import game_classes, make, split_spec

__all__ = ["GameLibrary"]

_KEPT_GAMES = 64


class GameLibrary:
    """Finds games for clients."""

    def __init__(self, own_games: tuple[str, ...] = ()) -> None:
        """`own_games` are those of the command line; a file that cannot be imported is refused right here."""
        self._own = {origin: type(make(origin)) for origin in (split_spec(text)[0] for text in own_games)}
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def classes(self) -> dict[str, type[Game]]:
        """All games by the name that a client uses, one's own first."""
        return {**self._own, **game_classes()}

    def game(self, spec: str) -> Game:
        """The game of a specification, made once and kept for a while; from any thread."""
        with self._lock:
            if spec in self._games:
                self._games.move_to_end(spec)
                return self._games[spec]
            origin, _ = split_spec(spec)
            if origin not in self.classes():
                raise unknown_name("game", origin, self.classes())
            self._games[spec] = game = make(spec)
            if len(self._games) > _KEPT_GAMES:
                self._games.popitem(last=False)
            return game
