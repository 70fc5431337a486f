"""Games as lists of move names, as people write them down: written, and read again.

1. d3 2. c3 3. c4        numbers are optional, and so are commas or lines between the moves
(2 at a1); Left          chance events stand in parentheses; names with spaces need ; , or a line between them
"""

from __future__ import annotations

import re

from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.web.play.timeline import Timeline

__all__ = ["read_moves", "write_moves"]

_NUMBER = re.compile(r"^\d+\s*\.+\s+|^\d+\.+(?=\D)")


def write_moves(timeline: Timeline) -> str:
    """The events of a game by their names, one line for all."""
    names = [f"({move.name})" if move.kind == "chance" else move.name for move in timeline.moves]
    return ("; " if any(" " in name for name in names) else " ").join(names)


def read_moves(timeline: Timeline, text: str, most: int) -> None:
    """Play the moves of a text on a timeline. What cannot be played is told with its number."""
    for number, name in enumerate(_names(text), start=1):
        if number > most:
            raise BoardlabError(f"a game here has at most {most:,} moves and chance events")
        try:
            _play(timeline, name)
        except BoardlabError as error:
            raise BoardlabError(f"move {number}, {printable(name)}: {error}") from error
    if not timeline.events:
        raise BoardlabError("the list has no moves")


def _names(text: str) -> list[str]:
    apart = r"[;,\n]+" if re.search(r"[;,\n]", text.strip()) else r"\s+(?![^()]*\))"
    parts = [_NUMBER.sub("", part.strip()) for part in re.split(apart, text.strip())]
    return [part for part in parts if part and not re.fullmatch(r"\d+\.+", part)]


def _play(timeline: Timeline, name: str) -> None:
    game, position = timeline.game, timeline.position
    if not position.is_chance:
        if name.startswith("("):
            raise BoardlabError("no chance event is due here")
        timeline.play(game.parse_action(name))
        return
    timeline.play_chance(_outcome(game, list(position.chance_outcomes), name))


def _outcome(game: Game, possible: list[int], name: str) -> int:
    wanted = name.strip("()").strip().lower()
    for outcome in possible:
        if game.outcome_name(outcome).lower() == wanted:
            return outcome
    raise BoardlabError(f"a chance event is due, which looks like ({game.outcome_name(possible[0])})")
