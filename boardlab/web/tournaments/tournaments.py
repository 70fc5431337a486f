"""Tournaments in the arena: queued, each played in a process of its own, stopped, gone on with, found again after a
restart of the server.

A tournament is a directory `tournaments/<id>` with `tournament.json` (what was asked for, and how it stands), the agent
files that take part (`agents`), and what `boardlab.tournament` keeps of it: the journal of its games, which is all that
it needs to go on. What the games say is worked out when somebody asks (`results`).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from boardlab.game import Game
from boardlab.system.child import LongWork, Message, death_sentence
from boardlab.tournament.tournament import JOURNAL
from boardlab.tournament.wish import TournamentWish
from boardlab.web.library.agent_files import write_json
from boardlab.web.library.agents import ChosenAgent
from boardlab.web.long_work.queue import OPEN, Entry, WorkCard, WorkQueue
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.settings import ArenaSettings

__all__ = ["FormatName", "Plan", "Tournament", "TournamentPlace", "Tournaments"]

FormatName = Literal["round-robin", "gauntlet", "swiss", "knockout"]
TournamentState = Literal["queued", "compiling", "running", "finished", "stopped", "failed"]

ABOUT = "tournament.json"
AGENTS = "agents"


class Tournament(WorkCard):
    """A tournament, and how far it is."""

    players: list[str]
    """What the seats are called."""
    state: TournamentState
    format: FormatName
    entrants: list[str]
    """The names of those who take part, in the order of their seeds."""
    done: int = 0
    games: int
    """Games so far and in all; a knockout may need more of them, as it turns out."""
    starts: str
    seed: int


class Plan(BaseModel):
    """What is known of a tournament before it is played."""

    names: list[str]
    games: int
    at_least: bool
    """Whether there may be more games than that."""
    starts: int
    """Positions at which games start."""


class TournamentPlace(BaseModel):
    """Where a tournament is kept, and what was asked for."""

    card: Tournament
    directory: Path
    wish: TournamentWish

    @property
    def journal(self) -> Path:
        """Its games."""
        return self.directory / JOURNAL

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.card.state not in OPEN

    def without_paths(self, text: str) -> str:
        """A sentence that may name a file of the server, without its folder."""
        return text.replace(f"{self.directory}{os.sep}", "")


class _TournamentEntry(Entry[Tournament]):
    """A tournament with what belongs to it in this process."""

    def __init__(self, card: Tournament, directory: Path, wish: TournamentWish) -> None:
        super().__init__(card)
        self.directory, self.wish = directory, wish

    def save(self) -> None:
        write_json(
            self.directory / ABOUT, {"tournament": self.card.model_dump(), "wish": self.wish.model_dump(mode="json")}
        )


class Tournaments(WorkQueue[Tournament, _TournamentEntry]):
    """All tournaments."""

    kind = "tournament"
    names = ("tournament", "tournaments")
    process = "boardlab.web.processes.tournament"

    def __init__(self, settings: ArenaSettings, streams: EventStreams) -> None:
        super().__init__(streams, settings.tournaments, settings.tournaments_at_once)
        self._settings, self.directory = settings, settings.data / "tournaments"

    def start(self) -> None:
        """Find the tournaments of the last time, and go on with those that were not over."""
        self.directory.mkdir(parents=True, exist_ok=True)
        found = [entry for path in self.directory.glob(f"*/{ABOUT}") if (entry := _read(path)) is not None]
        found.sort(key=lambda entry: entry.card.created)
        with self._lock:
            self._entries = {entry.card.id: entry for entry in found}
            for entry in found:
                if entry.card.state in OPEN:
                    self._set(entry, "queued")
            self._dispatch()

    def place(self, name: str) -> TournamentPlace:
        """Where a tournament is kept."""
        with self._lock:
            entry = self._entry(name)
            return TournamentPlace(card=entry.card.model_copy(), directory=entry.directory, wish=entry.wish)

    def places(self) -> list[TournamentPlace]:
        """Where all of them are kept, the newest first."""
        return [self.place(card.id) for card in self.all()]

    # ------------------------------------------------------------ changing

    def create(self, game: Game, wish: TournamentWish, chosen: Sequence[ChosenAgent], plan: Plan) -> Tournament:
        """Queue a checked tournament. The agent files are kept as they are now: to learn more, or to be deleted, does
        not change a tournament."""
        self.refuse_more()
        card = Tournament(
            id=new_id(),
            game=game.spec,
            title=game.title,
            players=[game.player_name(player) for player in range(game.num_players)],
            state="queued",
            format=wish.format,
            entrants=plan.names,
            games=plan.games,
            starts=wish.starts,
            seed=wish.seed,
            created=now(),
        )
        directory = self.directory / card.id
        try:
            (directory / AGENTS).mkdir(parents=True)
            entry = _TournamentEntry(card, directory, _with_own_files(wish, chosen, directory / AGENTS))
            entry.save()
            return self._add(entry)
        except (OSError, Problem) as error:
            shutil.rmtree(directory, ignore_errors=True)
            if isinstance(error, Problem):
                raise
            raise Problem(409, f"the tournament cannot be written: {error.strerror or error}") from error

    def stop(self, name: str) -> Tournament:
        """End it for now; the games that are over count."""
        with self._lock:
            entry = self._entry(name)
            self._refuse_unless(entry, OPEN, "stopped")
            if entry.work is not None:
                entry.work.kill()
            self._set(entry, "stopped")
            return self.get(name)

    def resume(self, name: str) -> Tournament:
        """Queue it again; it plays the games that are missing."""
        with self._lock:
            entry = self._entry(name)
            self._refuse_unless(entry, ("stopped", "failed"), "resumed")
            self.refuse_more()
            self._set(entry, "queued")
            self._dispatch()
            return self.get(name)

    # ------------------------------------------------------------ as a kind of work

    def _order(self, entry: _TournamentEntry) -> tuple[str, Message | None]:
        settings = self._settings
        job = {
            "wish": entry.wish.model_dump(mode="json"),
            "workers": settings.match_workers,
            "megabytes": min(settings.worker_megabytes, settings.megabytes),
        }
        return str(entry.directory), job

    def _heard(self, entry: _TournamentEntry, message: Message) -> None:
        card = entry.card
        if card.state not in ("compiling", "running"):
            return  # stopped meanwhile
        card.done, card.games = message["done"], max(card.games, message["games"])
        if card.state == "compiling":
            self._set(entry, "running")
        else:
            self._publish(entry)

    def _settle(self, entry: _TournamentEntry, code: int) -> None:
        """The process has played all, or failed; in any other state it was killed on purpose. What it could not tell
        any more is counted."""
        if entry.end.get("end") != "finished":
            entry.card.done = max(entry.card.done, _games_in(entry.directory / JOURNAL))
        if entry.card.state not in ("compiling", "running") or self._closing:
            self._set(entry, entry.card.state, entry.card.message)
        elif entry.end.get("end") == "finished":
            self._set(entry, "finished")
        else:
            self._set(entry, "failed", entry.end.get("message") or death_sentence(code))

    def _let_go(self, work: LongWork) -> None:
        work.kill()

    def _save(self, entry: _TournamentEntry) -> None:
        with contextlib.suppress(OSError):  # a full disk, or it was deleted: the journal alone counts
            entry.save()

    def _forget(self, entry: _TournamentEntry) -> None:
        shutil.rmtree(entry.directory, ignore_errors=True)


def _with_own_files(wish: TournamentWish, chosen: Sequence[ChosenAgent], folder: Path) -> TournamentWish:
    """The wish with agent files of its own: links to those of the library, where the disk can do that. A newer file
    takes the place of an old one there, which stays what it is here."""
    own: dict[str, str] = {}
    for number, agent in enumerate(chosen, 1):
        if agent.path is not None and str(agent.path) not in own:
            kept = folder / f"{number}.agent"
            try:
                os.link(agent.path, kept)
            except OSError:
                shutil.copyfile(agent.path, kept)
            own[str(agent.path)] = str(kept)

    def moved(text: str) -> str:
        for path, kept in own.items():
            text = text.replace(path, kept)
        return text

    names: dict[str, Any] = {moved(text): name for text, name in wish.names.items()}
    return wish.model_copy(update={"agents": [moved(text) for text in wish.agents], "names": names})


def _games_in(journal: Path) -> int:
    try:
        return journal.read_bytes().count(b"\n")
    except OSError:
        return 0


def _read(path: Path) -> _TournamentEntry | None:
    """The tournament of a file; None for a directory that is none of ours."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        wish = TournamentWish.model_validate(about["wish"])
        return _TournamentEntry(Tournament.model_validate(about["tournament"]), path.parent, wish)
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
