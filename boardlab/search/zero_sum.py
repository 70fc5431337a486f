"""Whether a game is zero-sum, and when it pays: told from some random games, because the rules do not say it."""

from __future__ import annotations

from boardlab.game import Game
from boardlab.rng import make_rng, random_below

__all__ = ["looks_zero_sum", "pays_before_the_end"]

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


def pays_before_the_end(game: Game) -> bool:
    """Whether anybody has a score other than 0 before some random games, always the same ones, are over."""
    rng = make_rng(0)
    for _ in range(GAMES):
        position = game.start().roll(rng)
        while not position.is_over:
            if any(score != 0.0 for score in position.scores):
                return True
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
    return False
