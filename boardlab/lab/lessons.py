"""Games of others to learn from, instead of self-play (Algorithm 1 of Konen 2017 reads them from a match or from
people): read from a file, and every move checked by the rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position, event_from_code
from boardlab.store.game_files import RecordedGame, read_games

__all__ = ["Lessons", "read_lessons"]


@dataclass(frozen=True)
class Lessons:
    """Recorded games that came to their end: the actions of each, and its chance outcomes."""

    source: str
    games: list[list[int]]
    chance: list[list[int]]
    left_out: int
    """Games of the file without an end."""

    def stretch(self, first: int, count: int) -> tuple[list[list[int]], list[list[int]]]:
        """The games of the episodes first..first+count-1; after the last game the first one comes again."""
        numbers = [number % len(self.games) for number in range(first, first + count)]
        return [self.games[n] for n in numbers], [self.chance[n] for n in numbers]

    def __str__(self) -> str:
        rest = f" ({self.left_out:,} without an end are left out)" if self.left_out else ""
        return f"{len(self.games):,} games of {self.source}{rest}"


def read_lessons(path: Path, game: Game) -> Lessons:
    """The games of a file, all of them of this game and legal from the first move to the last."""
    lessons = Lessons(str(path), [], [], 0)
    recorded = read_games(path)
    for number, record in enumerate(recorded, start=1):
        codes = _checked(record, game, f"game {number} of {path}")
        if codes is not None:
            events = [event_from_code(code) for code in codes]
            lessons.games.append([n for n, chance in events if not chance])
            lessons.chance.append([n for n, chance in events if chance])
    if not lessons.games:
        raise BoardlabError(f"{path} has no game that came to its end")
    return Lessons(lessons.source, lessons.games, lessons.chance, len(recorded) - len(lessons.games))


def _checked(record: RecordedGame, game: Game, called: str) -> list[int] | None:
    """The events of a game as codes; None where it did not come to its end, or did not begin at the start."""
    if record.game != game.spec:
        raise BoardlabError(f"{called} is one of {record.game}, not of {game.spec}")
    if record.setup is not None:
        return None
    position = Position(game)
    codes = record.codes
    for ply, code in enumerate(codes, start=1):
        try:
            position.play_code(code)
        except BoardlabError as error:
            raise BoardlabError(f"{called} is not played by the rules: event {ply}: {error}") from error
    return codes if position.is_over else None
