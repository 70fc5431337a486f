"""The folder of a measurement: its plan, and a journal with a line for each game that is over. Whatever ends the
process, no finished game is lost, and the same command goes on with the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from boardlab.balance.plan import Plan
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.play import GameRecord
from boardlab.position import Event, event_from_code
from boardlab.store.files import write_atomically

__all__ = ["Journal", "write_whole"]

_PLAN, _GAMES = "plan.json", "games.jsonl"


class Journal:
    """The games of a measurement, by the number of its game, of its job and their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self) -> Plan | None:
        """The plan of the measurement that is in the folder; None where there is none."""
        path = self.folder / _PLAN
        if not path.exists():
            return None
        try:
            return Plan.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise BoardlabError(f"{path} is no plan of a measurement: give another folder, or remove it") from error

    def begin(self, plan: Plan) -> None:
        """Write the plan; from now on games can be added."""
        write_whole(self.folder / _PLAN, plan.model_dump_json(indent=2).encode())

    def games(self, games: list[Game]) -> dict[tuple[int, int, int], GameRecord]:
        """The games so far, by the numbers of game, job and fixture. A line that was cut off is left out."""
        path = self.folder / _GAMES
        found: dict[tuple[int, int, int], GameRecord] = {}
        if not path.exists():
            return found
        whole, newline, rest = path.read_bytes().rpartition(b"\n")
        if rest:  # the process was killed in the middle of a line
            with path.open("r+b") as stream:
                stream.truncate(len(whole) + len(newline))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                data = json.loads(line)
                game, job, fixture = (int(place) for place in data["place"])
                found[game, job, fixture] = _record(games[game], data)
            except (ValueError, KeyError, IndexError, TypeError) as error:
                raise BoardlabError(f"line {number} of {path} is no game: give another folder") from error
        return found

    def add(self, place: tuple[int, int, int], record: GameRecord) -> None:
        """Write a game down."""
        data = {
            "place": place,
            "seats": record.seats,
            "scores": record.scores,
            "moves": record.moves,
            "seconds": [round(seconds, 6) for seconds in record.seconds],
            "swapped": record.swapped,
            "events": [[event.player, event.code] for event in record.events],
            "opinions": [None if x is None else round(x, 6) for x in record.opinions],
        }
        with (self.folder / _GAMES).open("ab") as stream:
            stream.write(json.dumps(data, separators=(",", ":")).encode() + b"\n")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole, or not at all."""

    def write(stream: IO[bytes]) -> None:
        stream.write(content)

    write_atomically(path, write)


def _record(game: Game, data: dict[str, Any]) -> GameRecord:
    scores = tuple(float(score) for score in data["scores"])
    if len(scores) != game.num_players:
        raise ValueError("a score for each player")
    return GameRecord(
        seats=tuple(data["seats"]),
        scores=scores,
        moves=tuple(data["moves"]),
        seconds=tuple(data["seconds"]),
        events=tuple(Event(player, event_from_code(code)[0]) for player, code in data["events"]),
        swapped=bool(data["swapped"]),
        opinions=tuple(data["opinions"]),
    )
