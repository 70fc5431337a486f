"""What worker processes do for tournaments: find out whether one can be played, and what its games say. `worker` calls
the functions below with the job as it was sent."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.registry import make
from boardlab.tournament.files import export_games, write_results, write_text
from boardlab.tournament.plan import Format, Knockout
from boardlab.tournament.starts import Start, starts_of
from boardlab.tournament.tournament import Tournament
from boardlab.tournament.wish import TournamentWish, arrange, entrants_of, read_wish

__all__ = ["check_tournament", "write_tournament"]

Job = dict[str, Any]

LIVE_SAMPLES = 100
"""For the intervals of a tournament that goes on: they shall be there soon, and change anyway."""


def check_tournament(job: Job) -> dict[str, Any]:
    """Whether the tournament `wish` can be played with no more than `most_games` games: the names of its entrants, how
    many games it has, and at how many positions they start. Games are counted before anything is made of them, and what
    is wrong is told with the field that it is in."""
    wish = read_wish(job["wish"])
    game = make(wish.game)
    planned = _planned(wish, game)
    games, most = planned.expected_games(), job["most_games"]
    if games > most:
        raise BoardlabError(f"games: these would be {games:,} in all, the arena allows {most:,} in a tournament")
    return {
        "names": [entrant.name for entrant in planned.entrants],
        "games": games,
        "at_least": isinstance(planned, Knockout),
        "starts": len(_starts(wish, game)),
    }


def _planned(wish: TournamentWish, game: Game) -> Format:
    field = "entrants"
    try:
        entrants = entrants_of(wish, game)
        field = "challengers" if wish.format == "gauntlet" and wish.challengers > 1 else "entrants"
        return arrange(wish, game, entrants, [Start()])
    except BoardlabError as error:
        raise BoardlabError(f"{field}: {error}") from error


def _starts(wish: TournamentWish, game: Game) -> list[Start]:
    kind, _, rest = wish.starts.partition(":")
    field = {"random": "plies", "evaluator": "evaluator"}.get(kind, "starts")
    try:
        found = starts_of(game, wish.starts, wish.seed)
    except BoardlabError as error:
        raise BoardlabError(f"{field}: {error}") from error
    if kind == "evaluator" and found == [Start()]:
        raise BoardlabError(f"{field}: {rest} has no positions of its own, its games begin at the start of the game")
    return found


def write_tournament(job: Job) -> dict[str, Any]:
    """Write what the games of a tournament say to the folder `results` in its directory: `live.json`, the result as it
    is now; the tables that `boardlab tournament` writes, with or without page and pictures; or all games in a file. All
    of them get the time of the journal that they were made of."""
    directory, name = Path(job["directory"]), str(job["file"])
    meant = _tournament(str(directory), json.dumps(job["wish"]))
    stamp = meant.journal.stat().st_mtime_ns
    results = directory / "results"
    results.mkdir(exist_ok=True)
    if name.startswith("games."):
        export_games(meant.game, meant.games(), results / name)
        written = [results / name]
    elif name == "live.json":
        text = json.dumps(meant.result(samples=LIVE_SAMPLES).to_json())
        written = [write_text(results / name, text)]
    else:
        written = write_results(meant.result(), results, pictures=job["pictures"])
    for path in written:
        os.utime(path, ns=(stamp, stamp))
    return {}


@lru_cache(4)
def _tournament(directory: str, wish: str) -> Tournament:
    """A tournament with its entrants and starts, made once for all that is asked of it while it goes on. Where an agent
    of it is no longer known here, its games still tell the ratings."""
    meant = read_wish(json.loads(wish))
    try:
        return Tournament(meant, Path(directory))
    except BoardlabError:
        return Tournament(meant.model_copy(update={"agents": []}), Path(directory))
