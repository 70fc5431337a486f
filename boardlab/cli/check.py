"""`boardlab check`: what every game and every agent has to keep, checked on one of ours or on a user's own."""

from __future__ import annotations

import typer

from boardlab.errors import BoardlabError

__all__ = ["run"]

_AGENT = "agent"


def run(what: list[str], games: int | None, positions: int | None, seed: int) -> None:
    """Check a game, or an agent if that is the first word; a violation is explained, and ends the process with code
    1."""
    if what[0] == _AGENT:
        _refuse("--games", games, "a game", "--positions")
        _check_agent(what[1:], 100 if positions is None else positions, seed)
    elif len(what) > 1:
        raise BoardlabError(
            f"one game is checked at a time, as boardlab check {what[0]}; agents: check agent NAME GAME"
        )
    else:
        _refuse("--positions", positions, "an agent", "--games")
        _check_game(what[0], 1000 if games is None else games, seed)


def _refuse(option: str, given: int | None, whose: str, other: str) -> None:
    if given is not None:
        raise BoardlabError(f"{option} belongs to the check of {whose}; use {other}")


def _check_game(spec: str, games: int, seed: int) -> None:
    from boardlab.check import GameCheckFailed, check_game
    from boardlab.registry import make_unchecked

    game = make_unchecked(spec)
    try:
        report = check_game(game, games=games, seed=seed)
    except GameCheckFailed as failure:
        typer.echo(str(failure), err=True)
        raise typer.Exit(1) from failure
    typer.echo(str(report))


def _check_agent(names: list[str], positions: int, seed: int) -> None:
    from boardlab.agents.checking.check import AgentCheckFailed, check_agent
    from boardlab.agents.files import load_agent
    from boardlab.agents.registry import is_agent_file

    file_alone = len(names) == 1 and is_agent_file(names[0])  # it knows its game
    if len(names) != 2 and not file_alone:
        raise BoardlabError("say which agent and which game, as boardlab check agent mcts:iterations=100 tictactoe")
    agent = load_agent(names[0]) if file_alone else names[0]
    try:
        report = check_agent(agent, None if file_alone else names[1], positions, seed, second_process=True)
    except AgentCheckFailed as failure:
        typer.echo(str(failure), err=True)
        raise typer.Exit(1) from failure
    typer.echo(str(report))
