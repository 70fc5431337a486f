"""`boardlab bench play`: the speed of learned agents that play, as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.play import PlaySpeed, measure_play
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.registry import make, split_specs
from boardlab.words import rate_text

__all__ = ["run"]

_DEFAULT = "connect4,2048,othello,hex,tictactoe"


def run(games: str | None, seconds: float, *, json: bool) -> None:
    """Measure the games of a comma-separated list, or those of the paper."""
    results = measure_play([make(spec) for spec in split_specs(games or _DEFAULT)], seconds)
    used = versions("boardlab", "numba", "numpy")
    if json:
        print_json({"versions": used, "seconds": seconds, "results": [asdict(r) for r in results]})
        return
    out = console()
    out.print(_table(results))
    out.print("CPU time on one core; the median of three rounds, in which all take turns. Networks of the FARL paper.")
    out.print("choose, values: asked from Python. moves/s: whole games in machine code. n-ply, max-n: positions of a")
    out.print("search over the agent's values, with and without alpha-beta. puct: simulations over them. mcts: time of")
    out.print("games against mcts:iterations=500, by the time that it thinks in them.")
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _table(results: list[PlaySpeed]) -> object:
    made = table("game", ">choose", ">values", ">moves/s", ">n-ply/s", ">max-n/s", ">puct/s", ">mcts")
    for r in results:
        rates = (r.moves_per_s, r.n_ply_positions_per_s, r.max_n_positions_per_s, r.puct_simulations_per_s)
        asked = (f"{r.choose_microseconds:.1f} us", f"{r.values_microseconds:.1f} us")
        ratio = "-" if r.mcts_ratio is None else f"{r.mcts_ratio:.2f}"
        made.add_row(r.game, *asked, *map(rate_text, rates), ratio)
    return made
