"""What `boardlab tournament` takes. The module that carries it out is imported when the command is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["tournament"]


def tournament(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME|FILE.toml", help="The game, or a file that says everything.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT", help="Agents: mcts:iterations=500, file.agent, a folder of agent files."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where games and results are; tournaments/GAME if left out.")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="round-robin (if left out), gauntlet, swiss or knockout."),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games of those who meet, in whole sets of seat orders; 10 if left out.")
    ] = None,
    starts: Annotated[
        str | None,
        typer.Option(
            metavar="STARTS", help="start (if left out), random:PLIES, random:PLIES:COUNT, evaluator:NAME or a file."
        ),
    ] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of the Swiss system.")] = None,
    challengers: Annotated[
        int | None, typer.Option(min=1, help="How many agents play the gauntlet, the first ones; 1 if left out.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations of a move, for agents that have them and do not say.")
    ] = None,
    time: Annotated[float | None, typer.Option(min=0.001, help="The same: seconds of a move.")] = None,
    cpu_time: Annotated[float | None, typer.Option(min=0.001, help="The same: seconds of CPU time of a move.")] = None,
    move_limit: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds after which a move is a lost game; 60 if left out.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Another seed means other games; 1 if left out.")] = None,
    adjudicate: Annotated[
        int | None,
        typer.Option(
            metavar="PLIES", min=0, help="So many plies after the start, end games whose result the solver knows."
        ),
    ] = None,
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME=ELO", help="An agent with a given rating; else the mean is 0.")
    ] = None,
    prior: Annotated[
        float | None, typer.Option(min=0.001, help="Games that the prior of the ratings is worth; 1 if left out.")
    ] = None,
    merge: Annotated[
        list[Path] | None, typer.Option(metavar="JOURNAL", help="Take over the games of another journal; repeatable.")
    ] = None,
    export: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write all games: .jsonl, .txt (moves by name) or .sgf; repeatable."),
    ] = None,
    arena: Annotated[
        bool, typer.Option("--arena", help="Add all games to those of the arena, to replay them.")
    ] = False,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Also count the mistakes of each agent, where a solver knows the game.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes that play at the same time; one per core if left out.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on the workers of the Dask scheduler at this address.")
    ] = None,
    pictures: Annotated[bool, typer.Option(help="Draw pictures and write the page.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Let agents meet, and rate them. The same command goes on where it was stopped; agents and games can be added
    later. Without agents it tells what the games in the folder say."""
    from boardlab.cli.tournament import run

    wish = {
        **{"format": format_, "games": games, "starts": starts, "rounds": rounds, "challengers": challengers},
        **{"iterations": iterations, "time": time, "cpu_time": cpu_time, "move_limit": move_limit},
        **{"seed": seed, "adjudicate": adjudicate, "anchor": anchor, "prior": prior},
    }
    run(
        game,
        agents or [],
        {name: value for name, value in wish.items() if value is not None},
        folder=folder,
        merge=merge or [],
        export=export or [],
        arena=arena,
        mistakes=mistakes,
        workers=workers,
        cluster=cluster,
        pictures=pictures,
        json=json,
    )
