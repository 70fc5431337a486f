"""`boardlab tournament`: agents meet, and are rated."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import console, interruptible, print_json
from boardlab.errors import BoardlabError
from boardlab.registry import make
from boardlab.system.machine import cores
from boardlab.tournament.arena import store_games
from boardlab.tournament.files import export_games, require_export, write_results
from boardlab.tournament.journal import PlayedGame, read_journal
from boardlab.tournament.quality import MISTAKES, with_known_mistakes, with_mistakes
from boardlab.tournament.result import TournamentResult
from boardlab.tournament.running import Crew
from boardlab.tournament.tournament import JOURNAL, Tournament, usual_folder
from boardlab.tournament.wish import read_tournament_file, read_wish

__all__ = ["run"]


def run(
    game: str | None,
    agents: list[str],
    given: dict[str, Any],
    *,
    folder: Path | None,
    merge: list[Path],
    export: list[Path],
    arena: bool,
    mistakes: bool,
    workers: int | None,
    cluster: str | None,
    pictures: bool,
    json: bool,
) -> None:
    """Play what is missing, print what all games say, and write it to the folder."""
    meant = _tournament(game, agents, given, folder)
    for path in export:
        require_export(meant.game, path)
    _play(meant, workers or cores(), cluster, merge)
    with games_progress("ratings") as progress:
        result = meant.result(progress)
    result = (
        _with_mistakes(result, meant.folder / MISTAKES)
        if mistakes
        else with_known_mistakes(result, meant.folder / MISTAKES)
    )
    written = write_results(result, meant.folder, pictures=pictures)
    for path in export:
        export_games(meant.game, result.field.games, path)
    stored = _to_arena(meant, result.field.games) if arena else ""
    if json:
        print_json(result.to_json())
        return
    print(result)
    print()
    if meant.speed:
        console().print(meant.speed, soft_wrap=True)
    console().print(f"{', '.join(path.name for path in written)} are in {meant.folder}", soft_wrap=True)
    if stored:
        console().print(stored, soft_wrap=True)


def _with_mistakes(result: TournamentResult, file: Path) -> TournamentResult:
    """The result with the mistakes of each agent; what was found out so far is kept where somebody stops it."""
    with games_progress("games analysed") as progress:
        try:
            return interruptible(with_mistakes, result, file, progress)
        except KeyboardInterrupt:
            console().print("\nstopped; the same command goes on with the games that are not analysed yet")
            raise


def _tournament(game: str | None, agents: list[str], given: dict[str, Any], folder: Path | None) -> Tournament:
    fields: dict[str, Any] = {"agents": []}
    if game is not None and game.endswith(".toml"):
        fields = read_tournament_file(Path(game))
    elif game is not None:
        fields["game"] = game
    elif folder is not None:
        fields["game"] = _game_in(folder)
    else:
        raise BoardlabError(
            "say which game and who plays it, as in boardlab tournament connect4 random mcts, or which --folder to show"
        )
    fields = {**fields, **given, "agents": [*fields["agents"], *agents]}
    wish = read_wish(fields)
    return Tournament(wish, folder or usual_folder(make(wish.game)))


def _game_in(folder: Path) -> str:
    """The game of the journal in a folder."""
    games = read_journal(folder / JOURNAL)
    if not games:
        raise BoardlabError(f"there are no games in {folder / JOURNAL} yet; say which game, and who plays")
    return games[0].game


def _to_arena(meant: Tournament, games: list[PlayedGame]) -> str:
    """Add the games to those that the arena shows, and say so."""
    from boardlab.web.server.settings import ArenaSettings

    settings = ArenaSettings.model_validate({})
    new, left_out = store_games(settings.data / "games.sqlite", settings.records, meant.game, games)
    text = f"{new:,} games are new in the arena (boardlab arena shows them under Games)"
    return f"{text}; {left_out:,} begin at positions that cannot be set up by hand, and stay out" if left_out else text


def _play(meant: Tournament, workers: int, cluster: str | None, merge: list[Path]) -> None:
    gc.freeze()  # what was imported stays, and need not be looked through again with every thousand games
    with games_progress("games") as progress:
        try:
            meant.play(
                workers=workers,
                cluster=cluster,
                merge=merge,
                told=lambda _, done, total: progress(done, total),
                opened=_say_where if cluster else None,
            )
        except KeyboardInterrupt:
            kept = len(meant.games())
            console().print(
                f"\nstopped; {kept:,} games are kept in {meant.journal}, the same command goes on", soft_wrap=True
            )
            raise


def _say_where(crew: Crew) -> None:
    """Say which cluster plays, and whether there is anybody yet."""
    if crew.executor is not None:
        waiting = "" if crew.slots else "; the games wait until it has workers (dask worker ADDRESS)"
        print(f"playing in {crew.words}{waiting}", file=sys.stderr)
