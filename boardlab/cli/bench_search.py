"""`boardlab bench search`: the speed of the search agents as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.search import SearchSpeed, measure_search
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, rate_text, table
from boardlab.registry import game_classes, make, split_specs

__all__ = ["run"]


def run(games: str | None, seconds: float, *, json: bool) -> None:
    """Measure the games of a comma-separated list, or all."""
    made = [make(spec) for spec in (split_specs(games) if games else sorted(game_classes()))]
    results = measure_search(made, seconds)
    used = versions("boardlab", "numba", "numpy", "open_spiel")
    if json:
        rows = [{**asdict(r), "ratio": r.ratio} for r in results]
        print_json({"versions": used, "seconds": seconds, "results": rows})
        return
    out = console()
    out.print(_table(results))
    out.print("Per CPU second on one core; the median of three rounds, in which all searches take turns.")
    out.print("MCTS: searches of 10,000 simulations from the start. Max-N: ab alpha-beta, tt with a table of 16 MB.")
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
