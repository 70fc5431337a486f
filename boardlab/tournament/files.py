"""What a tournament leaves in its folder besides the journal: tables for other programs, pictures, the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.store.files import write_atomically
from boardlab.tournament.export import games_text, require_sgf, sgf_text
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.result import TournamentResult

__all__ = ["export_games", "require_export", "write_results"]


def write_results(result: TournamentResult, folder: Path, *, pictures: bool = True) -> list[Path]:
    """Write what the games say to a folder; returns the files."""
    texts = {
        "result.json": json.dumps(result.to_json(), indent=2) + "\n",
        "ratings.csv": result.ratings_csv(),
        "crosstable.csv": result.crosstable_csv(),
        "result.txt": f"{result}\n",
    }
    if result.mistakes:
        texts["mistakes.csv"] = result.mistakes_csv()
    else:
        (folder / "mistakes.csv").unlink(missing_ok=True)  # of fewer games
    written = [write_text(folder / name, text) for name, text in texts.items()]
    if pictures:
        from boardlab.tournament.page import page_files

        written += [write_bytes(folder / name, content) for name, content in sorted(page_files(result).items())]
    return written


def require_export(game: Game, path: Path) -> None:
    """Refuse a file to which games of this kind cannot be exported, before any is played."""
    if path.suffix not in (".jsonl", ".txt", ".pgn", ".sgf"):
        raise BoardlabError(f"games are exported to .jsonl, .txt, .pgn or .sgf, not to {path.name}")
    if path.suffix == ".sgf":
        require_sgf(game)


def export_games(game: Game, games: Sequence[PlayedGame], path: Path) -> None:
    """Write all games to a file: `.jsonl` as recorded games, `.txt` and `.pgn` by the names of their moves, `.sgf`."""
    require_export(game, path)
    if path.suffix == ".jsonl":
        lines = (json.dumps(played.model_dump(mode="json", exclude_none=True)) for played in games)
        write_text(path, "".join(f"{line}\n" for line in lines))
    elif path.suffix in (".txt", ".pgn"):
        write_text(path, games_text(game, games))
    else:
        write_text(path, sgf_text(game, games))


def write_text(path: Path, text: str) -> Path:
    """Write a file whole."""
    return write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> Path:
    """Write a file whole."""

    def write(stream: IO[bytes]) -> None:
        stream.write(content)

    write_atomically(path, write)
    return path
