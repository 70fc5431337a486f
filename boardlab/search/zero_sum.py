"""Whether a game is zero-sum: told from some random games, because the rules do not say it."""

from __future__ import annotations

from boardlab.game import Game
from boardlab.rng import make_rng, random_below

__all__ = ["looks_zero_sum"]

GAMES = 3


def looks_zero_sum(game: Game) -> bool:
    """Whether the scores of two players add up to 0 all through some random games, always the same ones. Where a game
    shows only later that they do not, alpha-beta itself notices."""
    if game.num_players != 2:
        return False
    rng = make_rng(0)
    for _ in range(GAMES):
        position = game.start().roll(rng)
        while not position.is_over:
            if sum(position.scores) != 0.0:
                return False
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
        if sum(position.scores) != 0.0:
            return False
    return True
