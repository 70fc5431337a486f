"""Sets of Connect Four positions with the exact score of every move, to count mistakes by (`c4-mistakes`).

A set is named by two words: how many stones are on the board, and how many plies are left under best play.

| | up to 13 plies left: easy | 14 to 28: medium | 29 or more: hard |
|---|---|---|---|
| up to 13 stones: opening | opening easy | opening medium | opening hard |
| 14 to 28: middle | middle easy | middle medium | |
| 29 or more: end | end easy | | |

The positions are those of random games, after a number of stones drawn from all of the phase; none occurs twice,
nor does its mirror image. The file is text, one position a line: the words of the set, the moves, and for each of the
seven columns the score of the literature (see `connect4`), or `-` where it is full.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO

import numpy as np

from boardlab.errors import BoardlabError
from boardlab.games.connect4 import ConnectFour
from boardlab.position import Position
from boardlab.rng import Rng, make_rng, random_below
from boardlab.solvers.connect4 import ConnectFourSolver, plies_to_end
from boardlab.solvers.connect4_bits import canonical, position_key

__all__ = [
    "SETS",
    "SETS_FILE",
    "PositionSets",
    "load_sets",
    "make_set",
    "make_sets",
    "phase_of",
    "ply_class",
    "state_after",
    "write_sets",
]

SETS = ("opening easy", "opening medium", "opening hard", "middle easy", "middle medium", "end easy")
SETS_FILE = Path(str(files("boardlab"))) / "data" / "connect4_positions.txt.gz"
"""The sets that ship with the package."""

ScoredMoves = tuple[str, tuple[int | None, ...]]
"""The moves that lead to a position, and the scores of the seven columns; None for a full one."""
PositionSets = Mapping[str, Sequence[ScoredMoves]]

_LIMITS = (13, 28)
_STONES = {"opening": (1, 13), "middle": (14, 28), "end": (29, 41)}
_HEAD = "# boardlab: positions of Connect Four with exact scores, version 1"


def phase_of(name: str) -> str:
    """The first word of a set: how many stones there are."""
    return name.split(maxsplit=1)[0]


def ply_class(name: str) -> str:
    """The second word of a set: how many plies are left."""
    return name.split()[1]


def difficulty(plies: int) -> str:
    """The word for so many plies that are left."""
    return "easy" if plies <= _LIMITS[0] else "medium" if plies <= _LIMITS[1] else "hard"


# ---------------------------------------------------------------- making them


def make_sets(
    count: int, seed: int, megabytes: int = 512, progress: Callable[[int, int], None] = lambda done, total: None
) -> PositionSets:
    """Draw `count` positions of each set and solve them; about 20 minutes for 1,000."""
    solver = ConnectFourSolver(megabytes)
    found: dict[str, list[ScoredMoves]] = {}
    for name in SETS:
        found[name] = make_set(
            name, count, seed, solver, lambda done: progress(count * len(found) + done, count * len(SETS))
        )
    return found


def make_set(
    name: str, count: int, seed: int, solver: ConnectFourSolver, progress: Callable[[int], None] = lambda done: None
) -> list[ScoredMoves]:
    """The positions of one set, in the order in which they are drawn."""
    rng = make_rng(seed, SETS.index(name))
    found: list[ScoredMoves] = []
    seen: set[int] = set()
    while len(found) < count:
        moves = _random_moves(*_STONES[phase_of(name)], rng)
        key = _key(moves)
        if key in seen or difficulty(solver.distance(moves)) != ply_class(name):
            continue
        seen.add(key)
        scores = solver.values(moves)
        found.append((moves, tuple(scores.get(column) for column in range(7))))
        progress(len(found))
    return found


@cache
def _game() -> ConnectFour:
    return ConnectFour()


def _random_moves(least: int, most: int, rng: Rng) -> str:
    """The columns of a random game that is not over after a number of stones from `least` to `most`."""
    while True:
        wanted = least + random_below(rng, most - least + 1)
        position = _game().start()
        while len(position.history) < wanted and not position.is_over:
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))])
        if not position.is_over:
            return "".join(str(event.number + 1) for event in position.history)


def _key(moves: str) -> int:
    """The same number for a position and its mirror image, however it was reached."""
    state = _position(moves).state
    mine, theirs = int(state.stones[int(state.player)]), int(state.stones[1 - int(state.player)])
    return int(canonical(position_key(mine, mine | theirs)))


def _position(moves: str) -> Position:
    position = _game().start()
    for digit in moves:
        position.play(int(digit) - 1)
    return position


def state_after(moves: str) -> bytes:
    """The record of the position after these columns of a game that is not over. Its stones are put on the board, not
    played: with all 6,000 positions an evaluation waited for 8 s."""
    game, record = _game(), np.zeros(1, _game().state)
    stones, free = [0, 0], [column * game.height for column in range(game.columns)]
    for number, digit in enumerate(moves):
        stones[number % 2] |= 1 << free[int(digit) - 1]
        free[int(digit) - 1] += 1
    record["stones"], record["player"], record["moves"] = stones, len(moves) % 2, len(moves)
    return record.tobytes()


# ---------------------------------------------------------------- the file


def write_sets(sets: PositionSets, seed: int, stream: IO[bytes]) -> None:
    """Write the file; the same sets give the same bytes."""
    lines = [f"{_HEAD}, seed {seed}"]
    for name, positions in sets.items():
        for moves, scores in positions:
            lines.append(f"{name} {moves} {','.join('-' if score is None else str(score) for score in scores)}")
    with gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed:
        packed.write("\n".join([*lines, ""]).encode("ascii"))


@cache
def load_sets(path: Path = SETS_FILE) -> PositionSets:
    """Read a file of sets."""
    try:
        with gzip.open(path, "rt", encoding="ascii") as stream:
            head, *lines = stream.read().splitlines()
    except (OSError, EOFError, ValueError) as error:
        raise BoardlabError(f"the positions in {path} cannot be read: {error}") from error
    if not head.startswith(_HEAD):
        raise BoardlabError(f"{path} is no file of Connect Four positions of this version")
    found: dict[str, list[ScoredMoves]] = {name: [] for name in SETS}
    for number, line in enumerate(lines, 2):
        try:
            phase, plies, moves, scores = line.split(" ")
            values = tuple(None if score == "-" else int(score) for score in scores.split(","))
            found[f"{phase} {plies}"].append((moves, values))
        except (ValueError, KeyError) as error:
            raise BoardlabError(f"line {number} of {path} is no position: {line[:80]!r}") from error
    return found


def plies_left(moves: str, scores: Sequence[int | None]) -> int:
    """How many plies best play lasts, from the scores of the moves."""
    return plies_to_end(max(score for score in scores if score is not None), len(moves))
