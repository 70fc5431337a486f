"""`boardlab bench rollouts`: the speed of random games as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.rollouts import Rollouts, measure_rollouts
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.registry import game_classes, make, split_specs
from boardlab.words import rate_text

__all__ = ["run"]


def run(games: str | None, seconds: float, *, json: bool) -> None:
    """Measure the games of a comma-separated list, or all."""
    made = [make(spec) for spec in (split_specs(games) if games else sorted(game_classes()))]
    results = measure_rollouts(made, seconds)
    used = versions("boardlab", "numba", "numpy", "open_spiel")
    if json:
        print_json({"versions": used, "seconds": seconds, "results": [_as_dict(r) for r in results]})
        return
    out = console()
    out.print(_table(results))
    out.print("Per CPU second on one core; the median of three rounds, in which all games take turns.")
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _as_dict(result: Rollouts) -> dict[str, object]:
    return {**asdict(result), "ratio": result.ratio}


def _table(results: list[Rollouts]) -> object:
    compiled = any(r.compile_seconds is not None for r in results)
    compared = any(r.ratio is not None for r in results)
    columns = ["game", ">games/s", ">best/s", ">moves/s"]
    columns += [">OpenSpiel games/s", ">ratio"] if compared else []
    columns += [">compiled"] if compiled else []
    made = table(*columns)
    for r in results:
        cells = [r.game, rate_text(r.games_per_s), rate_text(r.best_games_per_s), rate_text(r.moves_per_s)]
        if compared:
            cells += [rate_text(r.openspiel_games_per_s), f"{r.ratio:.0f}"] if r.openspiel_games_per_s else ["-", "-"]
        if compiled:
            cells.append(f"{r.compile_seconds:.1f} s" if r.compile_seconds is not None else "on disk")
        made.add_row(*cells)
    return made
