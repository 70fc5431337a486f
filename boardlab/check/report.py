"""What a check of a game found: the report that a user reads, and the two ways to say that something is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from boardlab.errors import BoardlabError

__all__ = ["GameCheckFailed", "Report", "Violation"]


class Violation(Exception):
    """Raised by the parts of the check when they find one; its text is the explanation."""


@dataclass(frozen=True)
class Report:
    """The result of `check_game`."""

    game: str
    """The game with its parameters."""
    games: int
    """How many random games were played to their end."""
    moves: int
    """How many actions were played in them."""
    checks: tuple[str, ...]
    """What was looked at, in words."""
    skipped: tuple[str, ...]
    """What could not be looked at, and why."""
    violation: str | None
    """What is wrong with the game, in words; None where nothing is."""
    suspicions: tuple[str, ...] = ()
    """What breaks no rule but looks wrong."""

    def __str__(self) -> str:
        verdict = "no violation found" if self.violation is None else "VIOLATION"
        verdict += ", but it looks wrong:" if self.suspicions else ""
        lines = [f"{self.game}: {self.games:,} random games, {self.moves:,} moves, {verdict}"]
        if self.violation is not None:
            lines += ["", self.violation, ""]
        lines += [line for suspicion in self.suspicions for line in ("", f"WARNING: {suspicion}")]
        lines += [""] if self.suspicions else []
        lines += [f"  checked      {check}" for check in self.checks]
        lines += [f"  not checked  {reason}" for reason in self.skipped]
        return "\n".join(lines)


class GameCheckFailed(BoardlabError):
    """A game breaks a rule that all games keep. The message explains it; `report` has the rest."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.game}: {report.violation}")
        self.report = report
