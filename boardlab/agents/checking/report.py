"""What a check of an agent found: the report that a user reads, and the words around a violation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from boardlab.agents.base import Agent
from boardlab.check.explain import explain_exception, position_text
from boardlab.check.report import Violation
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Event, Position

__all__ = ["AgentCheckFailed", "AgentReport", "action_text", "in_position", "without_exceptions"]

_LAST_MOVES = 40


@dataclass(frozen=True)
class AgentReport:
    """The result of `check_agent`."""

    agent: str
    """The agent with its options."""
    game: str
    """The game with its parameters."""
    games: int
    """How many games it was asked in."""
    positions: int
    """In how many positions it was asked."""
    checks: tuple[str, ...]
    """What was looked at, in words."""
    skipped: tuple[str, ...]
    """What could not be looked at, and why."""
    violation: str | None
    """What is wrong with the agent, in words; None where nothing is."""

    def __str__(self) -> str:
        verdict = "no violation found" if self.violation is None else "VIOLATION"
        lines = [f"{self.agent} in {self.game}: {self.positions:,} positions of {self.games:,} games, {verdict}"]
        if self.violation is not None:
            lines += ["", self.violation, ""]
        lines += [f"  checked      {check}" for check in self.checks]
        lines += [f"  not checked  {reason}" for reason in self.skipped]
        return "\n".join(lines)


class AgentCheckFailed(BoardlabError):
    """An agent breaks a promise that all agents keep. The message explains it; `report` has the rest."""

    def __init__(self, report: AgentReport) -> None:
        super().__init__(f"{report.agent} in {report.game}: {report.violation}")
        self.report = report


def in_position(sentence: str, position: Position) -> Violation:
    """A violation with the position in which it was found, and the moves that led there."""
    game = position.game
    names = [_event_name(game, event) for event in position.history]
    earlier = f"{len(names) - _LAST_MOVES} earlier moves and " if len(names) > _LAST_MOVES else ""
    way = f"after {earlier}the moves: {' '.join(names[-_LAST_MOVES:])}" if names else "at the start"
    return Violation(f"{sentence}\nIn the position, {way},\n{position_text(game, position.state)}")


def _event_name(game: Game, event: Event) -> str:
    return game.action_name(event.number) if event.player is not None else f"({game.outcome_name(event.number)})"


def action_text(game: Game, action: int) -> str:
    """An action by its name and number; by its number alone where there is no such action."""
    return f"{game.action_name(action)} (action {action})" if 0 <= action < game.num_actions else f"action {action}"


@contextmanager
def without_exceptions(agent: Agent, what: str, position: Position | None = None) -> Iterator[None]:
    """Within it an exception of the agent is a violation; sentences for the user come through as they are."""
    try:
        yield
    except (Violation, BoardlabError):
        raise
    except Exception as error:
        sentence = f"{what} of {agent.spec} failed: {explain_exception(error)}"
        raise (Violation(sentence) if position is None else in_position(sentence, position)) from error
