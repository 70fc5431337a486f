"""`boardlab bench search`: the speed of the search agents and of the Connect Four solver as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.c4_solver import SolverSpeed, measure_move_time, measure_solver
from boardlab.bench.search import SearchSpeed, measure_search
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.registry import game_classes, make, split_specs
from boardlab.solvers.connect4 import has_book, is_standard
from boardlab.words import rate_text

__all__ = ["run"]


def run(games: str | None, seconds: float, *, json: bool) -> None:
    """Measure the games of a comma-separated list, or all; with Connect Four its solver, too."""
    made = [make(spec) for spec in (split_specs(games) if games else sorted(game_classes()))]
    results = measure_search(made, seconds)
    with_solver = any(is_standard(game) for game in made)
    solver = measure_solver(seconds) if with_solver else []
    move_time = measure_move_time(seconds) if with_solver and has_book() else None
    used = versions("boardlab", "numba", "numpy", "open_spiel", "bitbully")
    if json:
        rows = [{**asdict(r), "ratio": r.ratio} for r in results]
        solved = [{**asdict(r), "ratio": r.ratio} for r in solver]
        print_json(
            {
                "versions": used,
                "seconds": seconds,
                "results": rows,
                "connect4_solver": solved,
                "connect4_move_milliseconds": move_time,
            }
        )
        return
    out = console()
    out.print(_table(results))
    out.print("Per CPU second on one core; the median of three rounds, in which all searches take turns.")
    out.print("MCTS: searches of 10,000 simulations from the start. Max-N: ab alpha-beta, tt with a table of 16 MB.")
    if solver:
        out.print()
        out.print(_solver_table(solver))
        out.print("Connect Four solver: CPU time per random quiet position with this many stones, without the book;")
        out.print("positions searched per CPU second; ratio is our time divided by bitbully's.")
        if move_time is not None:
            out.print(f"With the book a perfect player takes {move_time:.2f} ms for a move, from 8 stones on.")
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _table(results: list[SearchSpeed]) -> object:
    compared = any(r.ratio is not None for r in results)
    columns = ["game", ">MCTS/s", ">best/s"]
    columns += [">OpenSpiel MCTS/s", ">ratio"] if compared else []
    made = table(*columns, ">max-n positions/s", "depth")
    for r in results:
        cells = [r.game, rate_text(r.mcts_simulations_per_s), rate_text(r.best_mcts_simulations_per_s)]
        if compared:
            theirs = r.openspiel_simulations_per_s
            cells += [rate_text(theirs), f"{r.ratio:.1f}"] if theirs else ["-", "-"]
        depth = f"{r.max_n_depth}{' ab' if r.alpha_beta else ''}{' tt' if r.max_n_table else ''}"
        made.add_row(*cells, rate_text(r.max_n_positions_per_s), depth)
    return made


def _solver_table(results: list[SolverSpeed]) -> object:
    compared = any(r.ratio is not None for r in results)
    columns = [">stones", ">solved", ">ms each", ">positions/s"]
    made = table(*columns, *([">bitbully ms", ">ratio"] if compared else []))
    for r in results:
        cells = [str(r.ply), str(r.positions), f"{r.milliseconds:.3g}", rate_text(r.nodes_per_s)]
        if compared:
            cells += [f"{r.bitbully_milliseconds:.3g}", f"{r.ratio:.2f}"] if r.bitbully_milliseconds else ["-", "-"]
        made.add_row(*cells)
    return made
