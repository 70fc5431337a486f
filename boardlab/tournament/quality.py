"""Mistakes in the games of a tournament: every move of an agent held against perfect play, where a solver knows it
(`boardlab.matches.mistakes`). What was found out about a game is kept in a file beside the journal, a line for each, so
that no game is analysed twice, and whoever is stopped goes on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.mistakes import PHASES, JudgedMove, MistakeCount, Values, by_phase, judged, remembered
from boardlab.solvers.judge import judge_of
from boardlab.store.lines import LineFile
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.result import TournamentResult
from boardlab.tournament.starts import Start

__all__ = ["MISTAKES", "mistakes_in_tournament", "with_known_mistakes", "with_mistakes"]

MISTAKES = "mistakes.jsonl"
"""The file in the folder of a tournament."""

Progress = Callable[[int, int], None]


class _Line(BaseModel):
    """A game of the file."""

    id: str
    moves: list[tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0, le=2)], float, float]]
    """Of each judged move the seat, the phase, the loss, and the largest loss that was possible."""


_LINE = TypeAdapter(_Line)


def with_mistakes(result: TournamentResult, file: Path, progress: Progress | None = None) -> TournamentResult:
    """The result with the mistakes of each agent. Games that the file does not know are analysed and added to it."""
    return replace(result, mistakes=mistakes_in_tournament(result, file=file, progress=progress))


def with_known_mistakes(result: TournamentResult, file: Path) -> TournamentResult:
    """The same without any work: only where the file knows all games already."""
    known = _read(file)[0] if file.exists() else {}
    if not all(game.id in known for game in result.field.games):
        return result
    return replace(result, mistakes=_counted(result, known))


def mistakes_in_tournament(
    result: TournamentResult,
    values: Values | None = None,
    *,
    file: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, list[MistakeCount]]:
    """The mistakes of each agent by phase and in all, in the order of the rating list. The plies of a start are
    nobody's moves. Moves that the solver does not know are left out, and so are agents without any other."""
    game, games = result.game, result.field.games
    worth = remembered(values or judge_of(game).values)
    with _kept(file) as (known, keep):
        for done, played in enumerate(games):
            if progress is not None:
                progress(done, len(games))
            if played.id not in known:
                known[played.id] = _Line(id=played.id, moves=[*_judged(game, played, worth)])
                keep(known[played.id])
    if progress is not None:
        progress(len(games), len(games))
    found = _counted(result, known)
    if not found:
        raise BoardlabError(f"no solver knows a position of these games of {game.spec}, so no mistakes can be counted")
    return found


def _judged(game: Game, played: PlayedGame, values: Values) -> Iterator[tuple[int, int, float, float]]:
    """The moves of a game after its start that the solver knows."""
    position = Start(state=played.state).position(game)
    for code in played.codes[: played.start]:
        position.play_code(code)
    for phase, code in _by_phase(played):
        worth = values(position) if code >= 0 else None
        if worth is not None:
            move = judged(PHASES[phase], code, worth)
            yield position.player, phase, move.loss, move.most
        position.play_code(code)


def _by_phase(played: PlayedGame) -> list[tuple[int, int]]:
    """The events after the start, each with its third of the game, by actions."""
    codes = played.codes[played.start :]
    actions = sum(code >= 0 for code in codes)
    found, done = [], 0
    for code in codes:
        found.append((min(2, 3 * done // max(1, actions)), code))
        done += code >= 0
    return found


def _counted(result: TournamentResult, known: dict[str, _Line]) -> dict[str, list[MistakeCount]]:
    moves: dict[str, list[JudgedMove]] = defaultdict(list)
    for played in result.field.games:
        for seat, phase, loss, most in known[played.id].moves:
            moves[played.agents[seat]].append(JudgedMove(PHASES[phase], loss, most, played.id))
    found = {line.name: moves[result.field.keys[line.entrant]] for line in result.lines}
    return {name: by_phase(some, result.game.score_range) for name, some in found.items() if some}


# ---------------------------------------------------------------- the file


@contextmanager
def _kept(file: Path | None) -> Iterator[tuple[dict[str, _Line], Callable[[_Line], None]]]:
    """What the file knows, and a function that adds to it at once; without a file nothing is kept."""
    if file is None:
        yield {}, lambda line: None
        return
    in_use = f"another command is writing to {file} just now; wait for its end"
    with LineFile(file, str(file), in_use) as lines:
        known, whole = _read(file)
        lines.cut_off(whole)
        yield known, lambda line: lines.add(line.model_dump_json().encode())


def _read(file: Path) -> tuple[dict[str, _Line], int]:
    """The games of the file, and how many bytes of it are whole lines."""
    known: dict[str, _Line] = {}
    whole = 0
    for number, text in enumerate(_whole_lines(file), 1):
        try:
            line = _LINE.validate_json(text)
        except ValidationError as error:
            raise BoardlabError(f"line {number} of {file} tells no mistakes of a game; delete the file") from error
        known[line.id] = line
        whole += len(text)
    return known, whole


def _whole_lines(file: Path) -> Iterable[bytes]:
    return (line for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))
