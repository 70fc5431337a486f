"""`boardlab bench train`: the speed of self-play learning as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.profile import measure_profile
from boardlab.bench.timing import versions
from boardlab.bench.train import TrainingSpeed, measure_training
from boardlab.cli.output import console, print_json, table
from boardlab.registry import make, split_specs
from boardlab.words import rate_text

__all__ = ["run"]

_DEFAULT = "connect4,2048,othello,hex,tictactoe,nim,nim:players=3"


def run(games: str | None, yardstick: str | None, threads: int, *, profile: bool, json: bool) -> None:
    """Measure the games of a comma-separated list, or those of the paper."""
    if profile:
        _run_profile(games or "connect4", yardstick, json=json)
        return
    results = [measure_training(make(spec), yardstick, threads) for spec in split_specs(games or _DEFAULT)]
    if json:
        print_json([{**asdict(r), "ratio": r.ratio, "best_ratio": r.best_ratio} for r in results])
        return
    out = console()
    out.print(_table(results))
    for r in results:
        if r.speed_up:
            out.print(f"{r.game} with {r.threads} threads: {r.speed_up:.2f} times as fast as with one, in wall time.")
    out.print("Per CPU second on one core, with the settings of the FARL paper; evaluation is not part of it.")
    out.print(", ".join(f"{name} {number}" for name, number in versions("boardlab", "numba", "numpy").items()))


def _run_profile(games: str, yardstick: str | None, *, json: bool) -> None:
    """Where the time of the games' learners goes."""
    profiles = [measure_profile(make(spec), yardstick) for spec in split_specs(games)]
    if json:
        print_json([asdict(p) for p in profiles])
        return
    out = console()
    for p in profiles:
        out.print(f"{p.game}: {p.afterstates_per_move:.1f} afterstates a move")
        made = table("part", "", ">ns", "for each", ">ns a move")
        for part in p.parts:
            unit = "afterstate" if part.kind == "choosing" else "update"
            made.add_row(part.kind, part.name, f"{part.ns:.1f}", unit, f"{part.ns_per_move:.0f}")
        made.add_row("", "together", "", "", f"{sum(part.ns_per_move for part in p.parts):.0f}")
        out.print(made)
        compared = any(a.yardstick_ns for a in p.ablations)
        made = table("training", ">ns a move", *([">C++"] if compared else []))
        for a in p.ablations:
            made.add_row(
                a.name, f"{a.ns:.0f}", *([f"{a.yardstick_ns:.0f}" if a.yardstick_ns else "-"] if compared else [])
            )
        out.print(made)
    out.print(
        "CPU time on one core: parts by kernels that do more and more of a move (best round), training by medians."
    )


def _table(results: list[TrainingSpeed]) -> object:
    compared = any(r.ratio for r in results)
    others = [">C++", "", ">ratio", ">best"] if compared else [">best", ">evals/s"]
    made = table("game", ">games/s", ">moves/s", *others, ">compiled")
    for r in results:
        theirs = rate_text(r.yardstick_per_s) if r.yardstick_per_s else "-"
        unit = f"{r.yardstick_unit}/s" if r.yardstick_unit else ""
        ratios = [theirs, unit, _ratio_text(r.ratio), _ratio_text(r.best_ratio)]
        more = ratios if compared else [rate_text(r.best_games_per_s), rate_text(r.evals_per_s)]
        made.add_row(r.game, rate_text(r.games_per_s), rate_text(r.moves_per_s), *more, f"{r.compile_seconds:.1f} s")
    return made


def _ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"
