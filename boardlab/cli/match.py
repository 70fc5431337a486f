"""`boardlab match`: agents against each other, in all roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import interruptible, print_json
from boardlab.errors import BoardlabError
from boardlab.matches.match import play_match
from boardlab.matches.mistakes import mistake_table, mistakes_in_match
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
    variation: dict[str, Any],
    *,
    mistakes: bool,
    json: bool,
) -> None:
    """Play the match, keep its games where they are wanted, and print the standings, with the mistakes where asked.
    The variation is how the games are played otherwise than usual: `adjudicate` and `pie`."""
    game = make(spec)
    if mistakes and variation["pie"]:
        raise BoardlabError("under the pie rule an even first move is no mistake: count mistakes without --pie")
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
            **variation,
        )
    if record is not None:
        write_games(record, recorded(result, begins))
    counts = interruptible(mistakes_in_match, game, result, begins) if mistakes else {}
    if mistakes and not counts:
        raise BoardlabError(f"no solver knows a position of these games of {game.spec}, so no mistakes can be counted")
    if json:
        told = {agent: [count.to_json() for count in found] for agent, found in counts.items()}
        print_json({**result.to_json(), **({"mistakes": told} if mistakes else {})})
        return
    print(result)
    for agent, found in counts.items():
        print(f"\nmistakes of {agent}\n\n{mistake_table(found, 'phase')}")
