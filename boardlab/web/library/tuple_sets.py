"""Sets of n-tuples that people have made in the browser, saved by name: one JSON file each in the directory `tuples`.

The files are those that `boardlab train --tuples FILE.json` reads, too.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

from pydantic import ValidationError

from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.ntuple.layout import check_tuples
from boardlab.web.library.agent_files import clean_name, write_json
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import ApiAnswer
from boardlab.web.server.settings import ArenaSettings

__all__ = ["SAVED", "SavedTuples", "TupleSets"]

SAVED = "saved:"
"""How a training asks for a set of these, as saved:corners."""


class SavedTuples(ApiAnswer):
    """A set of n-tuples for a game."""

    name: str
    game: str
    tuples: list[list[int]]


class TupleSets:
    """The directory of saved sets. Safe for several threads."""

    def __init__(self, settings: ArenaSettings) -> None:
        self._settings, self.directory = settings, settings.data / "tuples"
        self._lock = threading.Lock()

    def all(self, game: Game) -> list[SavedTuples]:
        """The sets for a game, by their names."""
        with self._lock:
            found = [self._read(path) for path in sorted(self.directory.glob("*.json"))]
        return [kept for kept in found if kept is not None and kept.game == game.spec]

    def get(self, game: Game, name: str) -> SavedTuples:
        """The set of a name for a game."""
        known = {kept.name: kept for kept in self.all(game)}
        if name not in known:
            raise unknown_name(f"saved tuple set of {game.title}", name, known)
        return known[name]

    def save(self, game: Game, name: str, tuples: list[list[int]]) -> SavedTuples:
        """Keep a set under a name, in place of the one of before; never in place of another game's."""
        kept = SavedTuples(name=clean_name(name), game=game.spec, tuples=tuples)
        refuse_too_many(self._settings, len(tuples))
        check_tuples(game, tuples)
        with self._lock:
            self.directory.mkdir(parents=True, exist_ok=True)
            path = self._path(kept.name)
            other = self._read(path) if path.exists() else None
            if other is not None and other.game != kept.game:
                raise Problem(409, f"{kept.name} is a set for {other.game}; take another name")
            if other is None and len(list(self.directory.glob("*.json"))) >= self._settings.files:
                raise Problem(429, f"there are {self._settings.files:,} saved sets already; delete some first")
            write_json(path, kept.model_dump())
        return kept

    def delete(self, game: Game, name: str) -> None:
        """Forget a set."""
        kept = self.get(game, name)
        with self._lock:
            self._path(kept.name).unlink(missing_ok=True)

    def text_of(self, game: Game, name: str) -> str:
        """The text that makes the set anywhere in boardlab."""
        tuples = self.get(game, name).tuples
        return "cells:" + "+".join("-".join(map(str, cells)) for cells in tuples)

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.json"

    def _read(self, path: Path) -> SavedTuples | None:
        """The set of a file; None for one that is none of ours."""
        try:
            return SavedTuples.model_validate({**json.loads(path.read_text(encoding="utf-8")), "name": path.stem})
        except (OSError, ValueError, TypeError, ValidationError, BoardlabError):
            return None


def refuse_too_many(settings: ArenaSettings, count: int) -> None:
    """Refuse more n-tuples than the arena allows."""
    if count > settings.network_tuples:
        raise Problem(422, f"tuples: the arena allows {settings.network_tuples:,} n-tuples, not {count:,}")
