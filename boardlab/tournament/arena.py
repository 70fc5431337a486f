"""The games of a tournament as the arena knows games, which can be replayed and inspected there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.match import points_of
from boardlab.store.games import GameStore, StoredGame, StoredSeat
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.starts import Start

__all__ = ["arena_id", "store_games", "stored_game"]


def store_games(database: Path, most: int, game: Game, games: Sequence[PlayedGame]) -> tuple[int, int]:
    """Add the games to a database that keeps so many; returns how many are there now that were not, and how many could
    not be added (`stored_game`)."""
    database.parent.mkdir(parents=True, exist_ok=True)
    store = GameStore(database, most)
    store.open()
    new = left_out = 0
    try:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for played in games:
            if store.get(arena_id(played)) is None:
                try:
                    kept = stored_game(game, played, now)
                except BoardlabError:
                    left_out += 1
                    continue
                store.add(kept, played.codes)
                new += 1
    finally:
        store.close()
    return new, left_out


def arena_id(played: PlayedGame) -> str:
    """What the arena calls a game: its ids have 12 characters."""
    return played.id[:12]


def stored_game(game: Game, played: PlayedGame, created: str) -> StoredGame:
    """A game as the arena stores it. One that begins at a position without moves is stored with that position as it
    would be set up by hand, and refused where it cannot be."""
    alone = len(played.seats) == 1
    points = [None if alone else points_of(played.scores, seat) for seat in range(len(played.seats))]
    seats = zip(played.seats, played.scores, points, strict=True)
    return StoredGame(
        id=arena_id(played),
        game=game.spec,
        title=game.title,
        seats=tuple(StoredSeat("agent", name, score, share) for name, score, share in seats),
        plies=len(played.events),
        seed=played.seed,
        source="match",
        finished=not played.forfeits,
        resigned=played.forfeits[0].seat if played.forfeits else None,
        match=None,
        place=None,
        created=created,
        setup=_setup(game, played.state) if played.state else None,
    )


def _setup(game: Game, state: str) -> str:
    """The start as somebody would set it up."""
    position = Start(state=state).position(game)
    values, player = game.setup_of(position.state), position.player
    if game.position_from(values, player).state.tobytes() != position.state.tobytes():
        raise BoardlabError(f"this game of {game.title} begins at a position that cannot be set up by hand")
    return json.dumps({"values": values, "player": player})
