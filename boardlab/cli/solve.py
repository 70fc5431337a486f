"""`boardlab solve`: the exact value of a position and of every move in it, as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import console, interruptible, print_json, table
from boardlab.cli.play import coloured
from boardlab.game import Game
from boardlab.matches.starts import position_after
from boardlab.registry import make
from boardlab.solvers.solution import Solution, solve

__all__ = ["run", "value_text"]


def run(spec: str, moves: list[str], *, json: bool) -> None:
    """Solve the position after the moves. On a terminal a bar shows that it is searching."""
    game = make(spec)
    position = position_after(game, " ".join(moves)) if moves else game.start()
    with games_progress("searching") as progress:
        solution = interruptible(solve, position, progress)
    if json:
        print_json(asdict(solution))
        return
    out = console()
    after = f" after {' '.join(solution.moves)}" if solution.moves else ""
    out.print(f"{game.title} ({game.spec}){after}\n", soft_wrap=True)
    out.print(coloured(game.describe(position.state)))
    value = value_text(game, solution.value, solution.plies_to_end)
    out.print(coloured(f"\n{game.player_name(solution.player)} to move: {value}\n"))
    out.print(_table(game, solution))


def value_text(game: Game, value: float, plies: int | None) -> str:
    """A value in words, as `won in 41 plies` or `score +3 in 24 plies`."""
    low, high = game.score_range
    words = {1.0: "won", 0.0: "drawn", -1.0: "lost"} if (low, high) == (-1.0, 1.0) else {}
    text = words.get(value, f"score {value:+g}" if value and low < 0.0 else f"score {value:g}")
    return text if plies is None else f"{text} in {plies} {'ply' if plies == 1 else 'plies'}"


def _table(game: Game, solution: Solution) -> object:
    """The moves from the best to the worst."""
    made = table("move", "value", "")
    for action in sorted(solution.actions, key=lambda a: a.rank, reverse=True):
        best = "best" if action.name in solution.best else ""
        made.add_row(action.name, value_text(game, action.value, action.plies_to_end), best)
    return made
