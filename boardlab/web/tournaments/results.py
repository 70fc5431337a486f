"""What the games of a tournament say: ratings, crosstable, where the model does not hold, and all as files.

It follows from the journal alone, so it is worked out when somebody asks, in a worker process, and kept in the folder
`results` until there are more games. A kept file has the time of the journal that it was made of.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path

from boardlab.web.server.errors import Problem
from boardlab.web.server.models import ApiAnswer
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.tournaments.tournaments import TournamentPlace
from boardlab.web.workers.pool import WorkerPool

__all__ = ["ResultFile", "TournamentResult", "TournamentResults"]


class RatingInterval(ApiAnswer):
    """A rating on the scale of Elo, with its 95 % interval."""

    elo: float
    low: float
    high: float


class RatingLine(RatingInterval):
    """An agent in the rating list."""

    name: str
    superiority: float | None
    """The likelihood that it is stronger than the next one in the list."""
    games: int
    success: float
    """Share of points, a win 1 and a draw 1/2, with its 95 % interval."""
    success_low: float
    success_high: float
    score: float
    """Mean score in the unit of the game."""
    milliseconds: float
    """Mean time of a move."""
    forfeits: int
    """Games lost by default: illegal moves, crashes, too much time."""
    episodes: int | None
    """How many episodes it has learned from."""


class MeetingLine(ApiAnswer):
    """How an agent did against another one."""

    games: int
    won: int
    drawn: int
    lost: int


class ResidualLine(ApiAnswer):
    """What an agent scored against another one, and what their ratings expect."""

    one: str
    other: str
    games: int
    scored: float
    expected: float
    deviations: float
    """The difference in standard deviations."""


class MisfitView(ApiAnswer):
    """How well one number for each agent explains who beats whom."""

    chi_square: float
    freedom: int
    probability: float
    """Of so large a misfit by chance alone."""
    residuals: list[ResidualLine]
    """All pairs, the most surprising ones first."""
    circles: list[list[str]]
    """Threes of whom each one beats the next."""


class TournamentResult(ApiAnswer):
    """What the games of a tournament say. Rows and columns are in the order of the rating list."""

    games: int
    sets: int
    ratings: list[RatingLine]
    crosstable: list[list[MeetingLine | None]]
    seats: list[RatingInterval]
    """What each seat is worth, compared with the mean of all seats."""
    draw_share: float
    front: list[str]
    """Those whom nobody beats in both strength and time per move, the quickest first."""
    misfit: MisfitView
    remarks: list[str]
    report: list[str]
    """What the format has to say about how it went."""


class ResultFile(StrEnum):
    """What can be downloaded."""

    RESULT_JSON = "result.json"
    RESULT_TEXT = "result.txt"
    RATINGS_CSV = "ratings.csv"
    CROSSTABLE_CSV = "crosstable.csv"
    PAGE = "page.html"
    RATINGS_PNG = "ratings.png"
    RATINGS_SVG = "ratings.svg"
    CROSSTABLE_PNG = "crosstable.png"
    CROSSTABLE_SVG = "crosstable.svg"
    TIME_PNG = "time.png"
    TIME_SVG = "time.svg"
    EPISODES_PNG = "episodes.png"
    EPISODES_SVG = "episodes.svg"
    GAMES_JSONL = "games.jsonl"
    GAMES_TEXT = "games.txt"
    GAMES_SGF = "games.sgf"


_LIVE = "live.json"
_WITH_PICTURES = (".html", ".png", ".svg")


class TournamentResults:
    """Works out what the games say, once for all who ask. Lives in the event loop."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool) -> None:
        self._seconds, self._workers = settings.seconds_to_prepare, workers
        self._locks: dict[str, asyncio.Lock] = {}

    async def result(self, place: TournamentPlace) -> TournamentResult:
        """What the games say so far; while they go on, with intervals from fewer samples."""
        path = await self._made(place, "result.json" if place.is_over else _LIVE)
        found = TournamentResult.model_validate_json(await asyncio.to_thread(path.read_bytes))
        told = {"remarks": [place.without_paths(remark) for remark in found.remarks]}
        return found.model_copy(update={**told, "report": [place.without_paths(line) for line in found.report]})

    async def file(self, place: TournamentPlace, name: ResultFile) -> Path:
        """A file to download."""
        path = await self._made(place, name.value)
        if not path.exists():
            raise Problem(404, f"the games of this tournament have nothing for {name.value}")
        return path

    async def _made(self, place: TournamentPlace, name: str) -> Path:
        """The file of a name as the journal is now."""
        path = place.directory / "results" / name
        async with self._locks.setdefault(place.card.id, asyncio.Lock()):
            stamp = _time_of(place.journal)
            if stamp is None or not place.journal.stat().st_size:
                raise Problem(409, "no game of this tournament is over yet")
            pictures = name.endswith(_WITH_PICTURES)
            told_by = path.with_name("page.html") if pictures else path  # not every result has every picture
            if _time_of(told_by) != stamp:
                job = {
                    **{"job": "write_tournament", "directory": str(place.directory), "file": name},
                    **{"wish": place.wish.model_dump(mode="json"), "pictures": pictures},
                }
                await self._workers.run(job, self._seconds)
        return path


def _time_of(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
