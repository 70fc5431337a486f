"""Which stored games count for the ladder of people, and what they say: those of one person against agents, to the end,
without help."""

from __future__ import annotations

from collections.abc import Sequence

from boardlab.store.games import StoredGame
from boardlab.store.ladder import LadderGame, Met

__all__ = ["ladder_game"]


def ladder_game(game: StoredGame, keys: Sequence[str]) -> LadderGame | None:
    """What a game says about the strength of its person; None where it says nothing. `keys` are those of the agents by
    their seats."""
    people = [seat for seat, seated in enumerate(game.seats) if seated.kind == "person"]
    if len(people) != 1 or len(game.seats) < 2 or not (game.finished or _loser(game) is not None):
        return None
    person = people[0]
    points = game.seats[person].points
    opponents = tuple(
        Met(keys[seat], seated.label, _points(game, person, seat))
        for seat, seated in enumerate(game.seats)
        if seat != person
    )
    assert points is not None  # the game came to an end, and there were others
    return LadderGame(game.id, game.game, game.seats[person].label, opponents, points, game.created)


def _points(game: StoredGame, own: int, other: int) -> float:
    """1 for a win against the other, 1/2 for a draw, 0 for a loss; who gives up or runs out of time has lost against
    everybody."""
    loser = _loser(game)
    if loser in (own, other):
        return float(loser == other)
    one, two = game.seats[own].score, game.seats[other].score
    return 0.5 if one == two else float(one > two)


def _loser(game: StoredGame) -> int | None:
    """Who has given up, or has run out of time."""
    return game.flagged if game.resigned is None else game.resigned
