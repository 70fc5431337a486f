"""How fast the Connect Four solver is, by ply, beside `bitbully` where it is installed: mean CPU time per position.

The positions are quiet ones, as they are usually compared: random play in which nobody has won or can win at once.
Both programs solve the same positions in turn, each with a transposition table that stays from one position of a ply
to the next and is empty at the first.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

from boardlab.position import Position
from boardlab.registry import make
from boardlab.rng import Rng, make_rng, random_below
from boardlab.solvers.connect4 import ConnectFourSolver
from boardlab.solvers.connect4_bits import BOARD, BOTTOM, winning_cells

__all__ = ["SolverSpeed", "measure_move_time", "measure_solver", "quiet_game"]


MOST_POSITIONS = 500
"""Positions of late plies are solved so fast that making them would take the time."""


@dataclass(frozen=True)
class SolverSpeed:
    """The result for one ply; milliseconds are means per position, in CPU time."""

    ply: int
    positions: int
    milliseconds: float
    nodes_per_s: float
    """Positions that the search visits in a CPU second."""
    bitbully_milliseconds: float | None

    @property
    def ratio(self) -> float | None:
        """Our time as a multiple of bitbully's."""
        return self.milliseconds / self.bitbully_milliseconds if self.bitbully_milliseconds else None


def measure_solver(
    seconds: float, plies: Sequence[int] = (14, 16, 20, 24, 28), seed: int = 1, megabytes: int = 64
) -> list[SolverSpeed]:
    """Solve random quiet positions of each ply, without the opening book, for so much CPU time a ply."""
    _compile()
    return [_measure_ply(ply, seconds, make_rng(seed, ply), megabytes) for ply in plies]


def measure_move_time(seconds: float, first_ply: int = 8, seed: int = 1, megabytes: int = 64) -> float:
    """Mean CPU milliseconds that a perfect player takes for its best actions, over all positions from `first_ply` on
    of games in which it plays both sides after a random quiet opening; with the opening book. The last game that
    begins within `seconds` of CPU time is played to its end."""
    solver = ConnectFourSolver(megabytes)
    _compile()
    rng = make_rng(seed)
    spent, moves = 0.0, 0
    while spent < seconds:
        position = _position(quiet_game(first_ply, rng))
        while not position.is_over:
            begin = process_time()
            best = solver.best_actions(position.state)
            spent += process_time() - begin
            moves += 1
            position.play(best[random_below(rng, len(best))])
    return 1000.0 * spent / moves


def quiet_game(plies: int, rng: Rng) -> str:
    """Column digits of random moves after which nobody has won or can win at once."""
    while True:
        mine, mask, digits = 0, 0, ""
        while len(digits) < plies:
            playable = (mask + BOTTOM) & BOARD
            open_columns = [c for c in range(7) if playable >> (7 * c) & 63]
            column = open_columns[random_below(rng, len(open_columns))]
            move = playable & (63 << (7 * column))
            if winning_cells(mine) & move:
                break
            mine, mask, digits = mine ^ mask, mask | move, digits + str(column + 1)
        if len(digits) == plies:
            playable = (mask + BOTTOM) & BOARD
            if not (winning_cells(mine) | winning_cells(mine ^ mask)) & playable:
                return digits


def _compile() -> None:
    """Solve something small, so that no time is spent on compiling later."""
    ConnectFourSolver(1, book=False).score(quiet_game(28, make_rng(0)))


def _measure_ply(ply: int, seconds: float, rng: Rng, megabytes: int) -> SolverSpeed:
    solver = ConnectFourSolver(megabytes, book=False)
    other = _bitbully()
    positions, ours, theirs = 0, 0.0, 0.0
    while ours < seconds and positions < MOST_POSITIONS:
        game = quiet_game(ply, rng)
        state = _position(game).state
        begin = process_time()
        score = solver.score(state)
        ours += process_time() - begin
        positions += 1
        if other is not None:
            their_score, their_seconds = other(game)
            theirs += their_seconds
            if their_score != score:
                raise AssertionError(f"after {game} bitbully finds {their_score}, we {score}")
    return SolverSpeed(
        ply=ply,
        positions=positions,
        milliseconds=1000.0 * ours / positions,
        nodes_per_s=solver.nodes / max(ours, 1e-9),
        bitbully_milliseconds=1000.0 * theirs / positions if other is not None else None,
    )


def _position(game: str) -> Position:
    position = make("connect4").start()
    for digit in game:
        position.play(digit)
    return position


def _bitbully() -> Callable[[str], tuple[int, float]] | None:
    """A function that solves a game with bitbully, without its book, and tells score and CPU seconds."""
    if importlib.util.find_spec("bitbully") is None:
        return None
    from bitbully import bitbully_core as core

    solver = core.BitBullyCore()

    def solve(game: str) -> tuple[int, float]:
        board = core.BoardCore()
        board.play([int(digit) - 1 for digit in game])
        begin = process_time()
        score = solver.mtdf(board, 0)
        return int(score), process_time() - begin

    return solve
