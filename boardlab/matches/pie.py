"""The pie rule, also called swap rule: after the first move the second player may take it over, and the first player
goes on as the second. One cuts, the other chooses.

It is played here, between the agents and the rules, so that no game and no agent has to know of it: an agent decides by
what it expects (`Agent.values`), an agent without an opinion by chance.
"""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below

__all__ = ["first_move", "require_pie", "takes_over"]


def require_pie(game: Game) -> None:
    """Refuse a game in which the pie rule makes no sense."""
    if not game.pie_rule or game.num_players != 2:
        raise BoardlabError(
            f"{game.title} does not declare the pie rule sensible; a game of two players does by pie_rule = True"
        )


def first_move(agent: Agent, position: Position, rng: Rng) -> int:
    """The move that somebody makes who knows that it may be taken over: the one nearest to even chances, any of them
    where there are several."""
    usual = agent.choose(position, rng)  # first: the search behind it then also gives the values
    values = agent.values(position)
    if values is None:
        return usual
    even = _even(position.game)
    best = min(abs(value - even) for value in values.values())
    nearest = [action for action, value in values.items() if abs(value - even) <= best + 1e-12]
    return nearest[random_below(rng, len(nearest))]


def takes_over(agent: Agent, position: Position, action: int, rng: Rng) -> bool:
    """Whether the second player would rather have the first move than play `action`."""
    values = agent.values(position)
    if values is None:
        return random_below(rng, 2) == 1
    return values[action] < _even(position.game)


def _even(game: Game) -> float:
    low, high = game.score_range
    return (low + high) / 2
