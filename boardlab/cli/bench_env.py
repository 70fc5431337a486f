"""`boardlab bench env`: the speed of environments as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.env import EnvSpeed, measure_envs
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.words import rate_text

__all__ = ["run"]


def run(boards: int, seconds: float, *, json: bool) -> None:
    """Measure the environments of Connect Four that are installed."""
    results = measure_envs(boards, seconds)
    used = versions("boardlab", "numba", "numpy", "gymnasium", "pettingzoo", "open_spiel")
    if json:
        rows = [{**asdict(r), "ratio": _ratio(results, r)} for r in results]
        print_json({"versions": used, "seconds": seconds, "results": rows})
        return
    out = console()
    made = table("Connect Four", ">boards", ">steps/s", ">best/s", ">VectorEnv is")
    for r in results:
        ratio = _ratio(results, r)
        times = "" if r is results[0] else f"{ratio:.0f} times as fast" if ratio >= 10 else f"{ratio:.1f} times as fast"
        made.add_row(r.name, f"{r.boards:,}", rate_text(r.steps_per_s), rate_text(r.best_steps_per_s), times)
    out.print(made)
    out.print("A step: one action of the learner, the answer of a random opponent, and the reset where a game is over.")
    out.print("Per CPU second on one core; the median of three rounds, in which all take turns.")
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _ratio(results: list[EnvSpeed], other: EnvSpeed) -> float:
    """How many times as fast ours, compiled, is."""
    return results[0].steps_per_s / other.steps_per_s
