"""`boardlab check`: the checks that every game has to pass, on one of ours or on a user's own."""

from __future__ import annotations

import typer

from boardlab.check import GameCheckFailed, check_game
from boardlab.registry import make_unchecked

__all__ = ["run"]


def run(spec: str, games: int, seed: int) -> None:
    """Check the game; a violation is explained, and ends the process with code 1."""
    game = make_unchecked(spec)
    try:
        report = check_game(game, games=games, seed=seed)
    except GameCheckFailed as failure:
        typer.echo(str(failure), err=True)
        raise typer.Exit(1) from failure
    typer.echo(str(report))
