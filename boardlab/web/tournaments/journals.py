"""The games of tournaments: listed, those of a pair or all, and one of them shown as a stored game is.

A journal only grows, so what was read of it before is kept, and the rest is read when somebody asks.
"""

from __future__ import annotations

import json
import mmap
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from boardlab.errors import BoardlabError
from boardlab.tournament.arena import stored_game
from boardlab.tournament.journal import PlayedGame
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.stored_games import GameElsewhere
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import ApiAnswer
from boardlab.web.tournaments.tournaments import TournamentPlace, Tournaments

__all__ = ["TournamentGame", "TournamentGames", "TournamentJournals"]

_KEPT_LISTS = 8
_KEPT_GAMES = 64
_ID = re.compile(r"[0-9a-f]{12}")


class TournamentGame(ApiAnswer):
    """A game of a tournament in a list."""

    id: str
    """Under this id it is among the records, and can be replayed."""
    seats: list[int]
    """Who had which seat, as numbers in the list of entrants."""
    scores: list[float]
    plies: int
    start: int
    """How many of the plies belong to the start."""
    forfeit: str | None = None
    """Why it was lost by default."""
    adjudicated: bool = False
    """Whether the result is the word of the solver."""


class TournamentGames(ApiAnswer):
    """A page of the list, in the order in which the games ended."""

    total: int
    games: list[TournamentGame]


@dataclass
class _ReadJournal:
    """What is known of a journal so far."""

    games: list[TournamentGame] = field(default_factory=list)
    read: int = 0
    """Bytes, up to the end of a line."""


class TournamentJournals:
    """The games of all tournaments. Safe for several threads."""

    def __init__(self, tournaments: Tournaments, games: GameLibrary) -> None:
        self._tournaments, self._games = tournaments, games
        self._lists: OrderedDict[str, _ReadJournal] = OrderedDict()
        self._found: OrderedDict[str, GameElsewhere] = OrderedDict()
        self._lock = threading.Lock()

    def page(
        self, place: TournamentPlace, limit: int, offset: int, one: int | None, other: int | None
    ) -> TournamentGames:
        """Some of the games; `one` and `other` are entrants who both took part in them."""
        known = range(len(place.card.entrants))
        wanted = {entrant for entrant in (one, other) if entrant is not None}
        for entrant in wanted:
            if entrant not in known:
                raise Problem(422, f"the tournament has entrants 0 to {len(known) - 1}, not {entrant}")
        found = [game for game in self._all(place) if wanted <= set(game.seats)]
        return TournamentGames(total=len(found), games=found[offset : offset + limit])

    def _all(self, place: TournamentPlace) -> list[TournamentGame]:
        with self._lock:
            known = self._lists.setdefault(place.card.id, _ReadJournal())
            self._lists.move_to_end(place.card.id)
            while len(self._lists) > _KEPT_LISTS:
                self._lists.popitem(last=False)
            _read_on(place, known)
            return known.games

    def find(self, record_id: str) -> GameElsewhere | None:
        """The game of a tournament that has this id; None where there is none."""
        if not _ID.fullmatch(record_id):
            return None
        with self._lock:
            if record_id in self._found:
                self._found.move_to_end(record_id)
                return self._found[record_id]
        for place in self._tournaments.places():
            line = _line_of(place.journal, record_id)
            if line is not None:
                return self._shown(place, record_id, line)
        return None

    def _shown(self, place: TournamentPlace, record_id: str, line: bytes) -> GameElsewhere:
        try:
            played = PlayedGame.model_validate_json(line)
            kept = stored_game(self._games.game(place.card.game), played, place.card.created)
        except (BoardlabError, ValidationError) as error:
            raise Problem(409, f"this game cannot be shown: {error}") from error
        found = GameElsewhere(kept, played.codes, place.card.id)
        with self._lock:
            self._found[record_id] = found
            while len(self._found) > _KEPT_GAMES:
                self._found.popitem(last=False)
        return found

    def forget(self) -> None:
        """A tournament was deleted."""
        with self._lock:
            self._lists.clear()
            self._found.clear()


def _read_on(place: TournamentPlace, known: _ReadJournal) -> None:
    """Read the whole lines that were written since."""
    try:
        with place.journal.open("rb") as stream:
            stream.seek(known.read)
            new = stream.read()
    except OSError:
        return
    new = new[: new.rfind(b"\n") + 1]
    numbers = {name: number for number, name in enumerate(place.card.entrants)}
    for line in new.splitlines():
        about = json.loads(line)
        forfeits = about.get("forfeits") or [about[old] for old in ["forfeit"] if old in about]
        known.games.append(
            TournamentGame(
                id=about["id"][:12],
                seats=[numbers[name] for name in about["seats"]],
                scores=about["scores"],
                plies=len(about["events"]),
                start=about["start"],
                forfeit=place.without_paths("; ".join(f["reason"] for f in forfeits)) or None,
                adjudicated=about.get("adjudicated", False),
            )
        )
    known.read += len(new)


def _line_of(journal: Path, record_id: str) -> bytes | None:
    """The line of a journal whose game has an id that begins so."""
    try:
        with journal.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            at = content.find(f'"id":"{record_id}'.encode())
            if at < 0:
                return None
            end = content.find(b"\n", at)
            return content[content.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(content)]
    except (OSError, ValueError):  # there is none yet, or it is empty
        return None
