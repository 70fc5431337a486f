"""The games that a client may ask for, and the only way from a client's words to one of them.

Registered names alone are allowed, and the games that were named when the arena was started: a text from a browser
never makes boardlab import a file.
"""

from __future__ import annotations

import contextlib
import random
from collections import OrderedDict
from threading import Lock
from time import monotonic

from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.registry import game_classes, make, split_spec

__all__ = ["GameLibrary"]

_KEPT_GAMES = 64
LIVELY_SEED, LIVELY_EVENTS, LIVELY_SECONDS = 3, 90, 0.2
"""What the random games are like that the pictures of games are taken from."""


class GameLibrary:
    """Finds games for clients."""

    def __init__(self, own_games: tuple[str, ...] = ()) -> None:
        """`own_games` are those of the command line; a file that cannot be imported is refused right here."""
        self._own = {origin: type(make(origin)) for origin in (split_spec(text)[0] for text in own_games)}
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lively: dict[str, str] = {}
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

    def lively_svg(self, name: str) -> str:
        """A picture of a game of this name as it may be after some moves, drawn once."""
        if name not in self._lively:
            self._lively[name] = _lively_svg(self.game(name))
        return self._lively[name]


def _lively_svg(game: Game) -> str:
    """The position after the game's `sample_moves`, or else two thirds through a random game. The rules run uncompiled,
    and not for long: a game of one's own may be slow."""
    with contextlib.suppress(BoardlabError):  # moves that do not fit, of a game of one's own
        sample = game.start()
        for name in game.sample_moves:
            sample.play(name)
        if game.sample_moves:
            return sample.svg()
    chance, position, until = random.Random(LIVELY_SEED), game.start(), monotonic() + LIVELY_SECONDS
    while not position.is_over and len(position.history) < LIVELY_EVENTS and monotonic() < until:
        outcomes = position.chance_outcomes
        if outcomes:
            position.play_chance(chance.choices(list(outcomes), list(outcomes.values()))[0])
        else:
            position.play(chance.choice(position.legal_actions))
    shown = game.start()
    for event in position.history[: 2 * len(position.history) // 3]:
        shown.play_code(event.code)
    return shown.svg()
