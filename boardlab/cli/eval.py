"""`boardlab eval`: how strong an agent is, by one of the named procedures."""

from __future__ import annotations

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import print_json
from boardlab.matches.evaluation import evaluate
from boardlab.system.machine import cores

__all__ = ["run"]


def run(
    agent: str,
    spec: str | None,
    against: str | None,
    evaluator: str | None,
    games: int | None,
    seed: int | None,
    workers: int | None,
    *,
    cluster: str | None,
    json: bool,
) -> None:
    """Evaluate and print the result."""
    with games_progress("games") as progress:
        result = evaluate(
            agent,
            game=spec,
            evaluator=evaluator,
            against=against,
            games=games,
            seed=seed,
            workers=workers or cores(),
            cluster=cluster,
            progress=progress,
        )
    if json:
        print_json(result.to_json())
    else:
        print(result)
