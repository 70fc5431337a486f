"""Words around a violation: the position in which it was found and the moves that led there."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from boardlab.check.referee import START, Referee
from boardlab.check.time_limit import TooLong
from boardlab.game import Game

_HOME = Path(__file__).parent
_NUMPY = Path(np.__file__).parent

__all__ = ["cornered_text", "event_names", "explain_exception", "field_at", "moves_text", "position_text"]


def position_text(game: Game, state: Any) -> str:
    """The position as the game describes it, or its plain fields where the game cannot."""
    try:
        text = game.describe(state)
    except Exception:  # it may be the state that is broken, so the game's own words may fail on it
        text = ", ".join(f"{name} = {state[name].tolist()}" for name in game.state.names or ())
    return "\n".join(f"    {line}" for line in text.splitlines())


def event_names(game: Game, log: Any) -> list[str]:
    """What happened after the positions of the log, in the order of its rows; chance in brackets."""
    return [
        f"({game.outcome_name(int(event))})" if chance else game.action_name(int(event))
        for event, chance in zip(log["event"], log["chance"], strict=True)
        if event >= 0
    ]


def moves_text(game: Game, referee: Referee, names: Iterable[str]) -> str:
    """Where the current game began, and its moves, of which the last forty."""
    names = list(names)
    reset = np.zeros(1, game.state).view(np.recarray)
    game.reset(reset[0])
    begun = "at the start" if reset.tobytes() == referee.states[START : START + 1].tobytes() else "at a random start"
    if not names:
        return begun
    earlier = f"{len(names) - 40} earlier moves and " if len(names) > 40 else ""
    return f"begun {begun}, after {earlier}the moves: {' '.join(names[-40:])}"


def cornered_text(game: Game, state: Any) -> str:
    """The suspicion that somebody cannot move in a game that goes on."""
    return (
        "a position without legal actions is not over; if nobody can move there, is_over must say so.\n"
        f"In the position, which players reach who seek it,\n{position_text(game, state)}\n"
    )


def field_at(game: Game, byte: int) -> str:
    """The field of the state that has this byte."""
    for name, field in (game.state.fields or {}).items():
        if field[1] <= byte < field[1] + field[0].itemsize:
            return repr(name)
    return "between the fields"


def explain_exception(error: BaseException) -> str:
    """An exception in a method that ran as plain Python: which method, which line, what happened."""
    trace = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in trace if not Path(frame.filename).is_relative_to(_HOME)]
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(_NUMPY)]
    frames = own or frames  # a misspelt field of the state stops inside of NumPy
    if isinstance(error, TooLong):
        what = "no result: it runs on and on. Does every loop in it come to an end?"
    else:
        what = f"{type(error).__name__}: {error}"
    if not frames:
        return f"a rule did not return what it should: {what}. Does every way through it end with a return?"
    frame = frames[-1]
    method = next((f.name for f in reversed(frames) if not f.name.startswith("<")), frame.name)
    line = f"\n    {frame.line}" if frame.line else ""
    return f"{method} ({Path(frame.filename).name}, line {frame.lineno}) stopped with {what}{line}"
