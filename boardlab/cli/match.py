"""`boardlab match`: agents against each other, in all roles."""

from __future__ import annotations

from pathlib import Path

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import print_json
from boardlab.matches.match import play_match
from boardlab.matches.records import recorded
from boardlab.matches.starts import position_after
from boardlab.registry import make
from boardlab.rng import fresh_seed
from boardlab.store.game_files import write_games
from boardlab.system.machine import cores

__all__ = ["run"]


def run(
    spec: str,
    agents: list[str],
    games: int,
    starts: list[str],
    seed: int | None,
    workers: int | None,
    record: Path | None,
    *,
    json: bool,
) -> None:
    """Play the match, keep its games where they are wanted, and print the standings."""
    game = make(spec)
    begins = [position_after(game, moves) for moves in starts]
    with games_progress("games") as progress:
        result = play_match(
            game,
            agents,
            games,
            fresh_seed() if seed is None else seed,
            starts=begins,
            workers=workers or cores(),
            progress=progress,
        )
    if record is not None:
        write_games(record, recorded(result, begins))
    if json:
        print_json(result.to_json())
    else:
        print(result)
