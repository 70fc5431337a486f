"""Where the games of a tournament start: at the start of the game, after some random plies, at the positions of an
evaluator, or at those of a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.matches.starts import position_after
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.store.game_files import RecordedGame

__all__ = ["Start", "random_plies", "starts_of", "symmetry_key"]

MISSES = 200
"""So many random positions in a row that are known already, or 20 times as many as are known: there are no others."""
USUAL_COUNT = 100


@dataclass(frozen=True)
class Start:
    """A start position: the events that lead to it or, where it has no history, its state record in hexadecimal."""

    events: tuple[int, ...] = ()
    state: str = ""

    def position(self, game: Game) -> Position:
        """The position itself."""
        if self.state:
            content = bytes.fromhex(self.state)
            if len(content) != game.state.itemsize:
                raise BoardlabError(f"a stored start of {game.spec} has {len(content)} bytes, which no state of it has")
            return Position(game, np.frombuffer(content, game.state)[0])
        position = game.start()
        for code in self.events:
            position.play_code(code)
        return position


def starts_of(game: Game, text: str, seed: int) -> list[Start]:
    """The starts that a text means: `start`, `random:PLIES`, `random:PLIES:COUNT`, `evaluator:NAME`, or a file with
    one start on each line, as moves (`4 4 3`) or as a recorded game."""
    kind, _, rest = text.partition(":")
    if text == "start":
        return [Start()]
    if kind == "random" and rest:
        plies, _, count = rest.partition(":")
        if not plies.isdigit() or not (count or "1").isdigit() or count == "0":
            raise BoardlabError(f"random starts are written random:PLIES or random:PLIES:COUNT, not {printable(text)}")
        return random_plies(game, int(plies), int(count or USUAL_COUNT), seed)
    if kind == "evaluator" and rest:
        found = [_start(position) for position in make_evaluator(rest, game).starts(seed)]
        return found or [Start()]
    if Path(text).is_file():
        return _from_file(game, Path(text))
    raise BoardlabError(
        f"starts are start, random:PLIES, random:PLIES:COUNT, evaluator:NAME or a file, not {printable(text)}"
    )


def random_plies(game: Game, plies: int, count: int, seed: int) -> list[Start]:
    """The positions after so many random plies, `count` of them or as many as are found; of those that are equal under
    a symmetry of the board only the first, and none in which the game is over."""
    rng = make_rng(seed)
    found: dict[bytes, Start] = {}
    misses = 0
    while len(found) < count and misses < max(MISSES, 20 * len(found)):
        position = game.start().roll(rng)
        for _ in range(plies):
            if position.is_over:
                break
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
        key = b"" if position.is_over else symmetry_key(position)
        if position.is_over or key in found:
            misses += 1
        else:
            found[key] = _start(position)
            misses = 0
    if not found:
        raise BoardlabError(f"every game of {game.spec} is over after {plies} random plies; take fewer")
    return [*found.values()]


def symmetry_key(position: Position) -> bytes:
    """The same for positions that are equal under a symmetry of the board, or by exchangeable cells."""
    game = position.game
    if game.num_cells == 0:
        state: bytes = position.state.tobytes()
        return state
    boards = position.cells[game.symmetries()]
    for one, other in game.exchangeable_cells():
        boards[:, [one, other]] = np.sort(boards[:, [one, other]], axis=1)
    scores = np.array(position.scores).tobytes()
    smallest: bytes = min(board.tobytes() for board in boards)
    return smallest + bytes([position.player]) + scores


def _start(position: Position) -> Start:
    events = tuple(event.code for event in position.history)
    fresh = position.game.start()
    if events or position.state.tobytes() == fresh.state.tobytes():
        return Start(events)
    return Start(state=position.state.tobytes().hex())


def _from_file(game: Game, path: Path) -> list[Start]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise BoardlabError(f"the starts in {path} cannot be read: {error}") from error
    found: dict[Start, None] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                found[_from_line(game, text)] = None
            except ValueError as error:
                raise BoardlabError(
                    f"line {number} of {path} is no start of {game.spec}: {printable(error)}"
                ) from error
    if not found:
        raise BoardlabError(f"there are no starts in {path}")
    return [*found]


def _from_line(game: Game, text: str) -> Start:
    if text.startswith("{"):
        recorded = RecordedGame.model_validate(json.loads(text))
        start = Start(tuple(recorded.codes))
    else:
        start = _start(position_after(game, text))
    if start.position(game).is_over:
        raise BoardlabError("the game is over there")
    return start
