"""The doors of an agent: what is handed to `choose` and `values` is checked, and threads enter one after the other.

`Agent` puts the guard before these methods of every class that derives from it, so an agent has to do nothing for it,
and can rely on a position of its game in which somebody is to move. It costs about a microsecond.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from boardlab.arguments import shown
from boardlab.errors import BoardlabError
from boardlab.position import Position
from boardlab.rng import Rng, require_rng

if TYPE_CHECKING:
    from boardlab.agents.base import Agent

__all__ = ["Turn", "guarded_choose", "guarded_values"]

Choose = Callable[[Any, Position, Rng], int]
Values = Callable[[Any, Position], dict[int, float] | None]


class Turn(RLock):  # type: ignore[misc] # it can be a base class, whatever its stub says
    """A lock that a thread may take again, for code that cannot run twice at once. A deep copy is another lock."""

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()


def guarded_choose(choose: Choose) -> Choose:
    """An agent's `choose` behind the guard."""

    @wraps(choose)
    def guarded(self: Any, position: Position, rng: Rng) -> int:
        _require_position(self, position)
        require_rng(rng)
        with self.turn:
            return choose(self, position, rng)

    return guarded


def guarded_values(values: Values) -> Values:
    """An agent's `values` behind the guard."""

    @wraps(values)
    def guarded(self: Any, position: Position) -> dict[int, float] | None:
        _require_position(self, position)
        with self.turn:
            return values(self, position)

    return guarded


def _require_position(agent: Agent, position: Position) -> None:
    """Refuse what is no position of the agent's game in which somebody is to move."""
    if not isinstance(position, Position):
        raise BoardlabError(f"an agent is asked about a Position, as game.start(), not about {shown(position)}")
    if position.game is not agent.game and position.game != agent.game:
        raise BoardlabError(f"{agent.spec} was made for {agent.game.spec}, it cannot play {position.game.spec}")
    position.require_mover()
