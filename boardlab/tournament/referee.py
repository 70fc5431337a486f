"""Games of a tournament, played move by move in this process (`play`) or in machine code where that can be
(`boardlab.tournament.compiled`). A game is plain data when it comes and when it goes: `play_several` is a task of an
executor."""

from __future__ import annotations

import json
import math
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, chdir
from pathlib import Path
from time import perf_counter
from typing import Any

from boardlab import __version__
from boardlab.compiler.fences import BrokenRule
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.rng import make_rng
from boardlab.solvers.judge import judge_of
from boardlab.store.lines import LineFile
from boardlab.tournament.compiled import CompiledGame, CompiledGames
from boardlab.tournament.hall import Place, dismiss, game_of, places_of, seated
from boardlab.tournament.players import FIRST_MOVE_SECONDS, Failure, Player
from boardlab.tournament.sets import seeds_of
from boardlab.tournament.starts import Start

__all__ = ["play", "play_compiled", "play_here", "play_several"]

GameTask = dict[str, Any]
"""A game that is to be played (`PlannedGame.task`)."""
GameLine = dict[str, Any]
"""A line of the journal."""


def play(task: GameTask, limit: float) -> GameLine:
    """Play a game move by move, with `limit` seconds for a move."""
    game = game_of(task["game"])
    table = _Table(game, task, limit)
    table.play()
    line = _line(
        task,
        events=[event.code for event in table.position.history],
        scores=table.scores(),
        moves=table.moves,
        timed=table.timed,
        seconds=table.seconds,
        cpu=table.cpu,
        playing=table.playing,
        episodes=table.episodes,
        forfeits=table.forfeits,
    )
    return {**line, "adjudicated": True} if table.verdict is not None else line


def play_here(waiting: deque[GameTask], limit: float, compiled: CompiledGames | None) -> Iterator[GameLine]:
    """Play the games that wait, in this process: in machine code those that can be as soon as it is worth it, else
    move by move."""
    if compiled is not None:
        yield from play_compiled(compiled, waiting, limit)
    while waiting:
        line = play(waiting.popleft(), limit)
        yield line
        if compiled is not None and compiled.is_worth_it(line, len(waiting)):
            yield from play_compiled(compiled, waiting, limit)


def play_compiled(compiled: CompiledGames, waiting: deque[GameTask], limit: float) -> Iterator[GameLine]:
    """Play those games of the waiting ones that machine code can play now, and take them out."""
    for found in compiled.play(waiting, limit):
        yield _compiled_line(found, limit)


_compiled = CompiledGames(1)
"""Of this process, when it is the worker of a cluster."""


def play_several(
    *, games: list[GameTask], limit: float, spool: str = "", folder: str = "", compiled: bool = False
) -> list[GameLine]:
    """Play some games one after the other, and return their lines. They are also written to a file of this process in
    the folder `spool`, each when it is over, so that none is lost if this process is killed before it can tell; without
    a folder they are not. Relative paths of agents and games are meant from `folder`, where this machine has it: the
    workers of a cluster begin elsewhere, and take what can be `compiled` themselves."""
    lines = []
    with ExitStack() as stack:
        if folder and Path(folder).is_dir():
            stack.enter_context(chdir(folder))
        file = stack.enter_context(_spool_file(Path(spool))) if spool else None
        for line in play_here(deque(games), limit, _compiled if compiled else None):
            lines.append(line)
            if file is not None:
                file.add(json.dumps(line, separators=(",", ":")).encode())
    return lines


def _spool_file(folder: Path) -> LineFile:
    """The file of this process, ready for more games."""
    path = folder / f"{os.getpid()}.jsonl"
    file = LineFile(path, f"the file of played games {path}", f"another process writes to {path}")
    file.go_on()
    return file


class _Table:
    """A game in progress, with what it has cost so far."""

    def __init__(self, game: Game, task: GameTask, limit: float) -> None:
        self.game, self.limit = game, limit
        self.start = Start(tuple(task["events"]), task["state"])
        self.places: list[Place] = places_of(task)
        self.chance_seed, self.seed = seeds_of(task["set"], task["id"])
        self.adjudicate: int | None = task.get("adjudicate")
        self.position = self.start.position(game)
        players = range(game.num_players)
        self.moves, self.timed = [0 for _ in players], [0 for _ in players]
        self.seconds, self.cpu = [0.0 for _ in players], [0.0 for _ in players]
        self.playing = 0.0
        """Seconds of all plies with what the rules took, but for the first one of an agent."""
        self.episodes: list[int | None] = [None for _ in players]
        self.forfeits: dict[int, str] = {}
        """The seats that have forfeited the game, and why."""
        self.verdict: tuple[float, ...] | None = None
        """The scores of perfect play, where the solver has ended the game."""

    def play(self) -> None:
        """Play to the end. Chance events have the random numbers of the set, every seat has its own."""
        players = self._sit_down()
        chance = make_rng(self.chance_seed)
        begin = perf_counter()
        while not self.forfeits and not self.position.roll(chance).is_over:
            if self.adjudicate is not None and sum(self.moves) >= self.adjudicate:
                self.verdict = judge_of(self.game).scores(self.position)
                if self.verdict is not None:
                    return
                begin = perf_counter()
            seat = self.position.player
            fresh = players[seat].fresh
            try:
                self._move(players[seat], seat)
            except Failure as failure:
                self._forfeit(seat, failure)
            now = perf_counter()
            self.playing += 0.0 if fresh else now - begin
            begin = now

    def _sit_down(self) -> list[Player]:
        """The players, ready to begin. Everyone who is not has lost, not only the first."""
        players = []
        for seat, place in enumerate(self.places):
            try:
                players.append(seated(place, self.game, self.limit, self.places))
                players[-1].begin(self.start, self.seed, seat)
                self.episodes[seat] = players[-1].episodes
            except Failure as failure:
                self._forfeit(seat, failure)
        return players

    def _forfeit(self, seat: int, failure: Failure) -> None:
        self.forfeits[seat] = str(failure)
        dismiss(self.places[seat])

    def _move(self, player: Player, seat: int) -> None:
        begin = perf_counter()
        action, cpu = player.choose(self.position)
        took = perf_counter() - begin
        self.moves[seat] += 1
        if not player.fresh:
            self.timed[seat] += 1
            self.seconds[seat] += took
            self.cpu[seat] += cpu
        if took > self.limit + (FIRST_MOVE_SECONDS if player.fresh else 0.0):
            raise Failure(_too_long(took, self.limit))
        player.fresh = False
        try:
            self.position.play(action)
        except BrokenRule:  # not the player's fault
            raise
        except BoardlabError as error:
            raise Failure(printable(error).partition("; legal:")[0]) from error

    def scores(self) -> Sequence[float]:
        """What the rules say, or the solver, or a forfeit."""
        if self.forfeits:
            return _after_forfeit(self.game, self.forfeits)
        return self.position.scores if self.verdict is None else self.verdict


def _after_forfeit(game: Game, losers: Iterable[int]) -> list[float]:
    """The lowest score for those who have forfeited a game, and the highest for the others."""
    low, high = game.score_range
    worst, best = low if math.isfinite(low) else -1.0, high if math.isfinite(high) else 1.0
    if game.num_players == 1:
        return [low if math.isfinite(low) else 0.0]
    lost = set(losers)
    return [worst if seat in lost else best for seat in range(game.num_players)]


def _too_long(took: float, limit: float) -> str:
    return f"took {took:.1f} seconds for a move, more than the limit of {limit:g}"


def _compiled_line(found: CompiledGame, limit: float) -> GameLine:
    """The line of a game that was played in machine code: the time of every move was taken."""
    task, record = found.task, found.record
    forfeits: dict[int, str] = {}
    scores: Sequence[float] = record.scores
    if record.late is not None:
        seat, took = record.late
        forfeits[seat] = _too_long(took, limit)
        scores = _after_forfeit(game_of(task["game"]), forfeits)
    return _line(
        task,
        events=[*task["events"], *found.codes],
        scores=scores,
        moves=record.moves,
        timed=record.moves,
        seconds=record.seconds,
        cpu=record.cpu,
        playing=math.fsum(record.seconds),
        episodes=found.episodes,
        forfeits=forfeits,
    )


def _line(
    task: GameTask,
    *,
    events: Iterable[int],
    scores: Iterable[float],
    moves: Iterable[int],
    timed: Iterable[int],
    seconds: Iterable[float],
    cpu: Iterable[float],
    playing: float,
    episodes: Sequence[int | None],
    forfeits: dict[int, str],
) -> GameLine:
    """The line of the journal for a game that is over."""
    line: GameLine = {
        "id": task["id"],
        "set": task["set"],
        "game": task["game"],
        "seats": task["names"],
        "agents": task["keys"],
        "number": task["number"],
        "seed": task["seed"],
        "start": len(task["events"]),
        "events": [{"action": code} if code >= 0 else {"chance": -1 - code} for code in events],
        "scores": list(scores),
        "moves": list(moves),
        "timed": list(timed),
        "seconds": [round(s, 9) for s in seconds],
        "cpu": [round(s, 9) for s in cpu],
        "playing": round(playing, 9),
        "boardlab": __version__,
    }
    if task["state"]:
        line["state"] = task["state"]
    if task.get("adjudicate") is not None:
        line["adjudicate"] = task["adjudicate"]
    if any(number is not None for number in episodes):
        line["episodes"] = list(episodes)
    if forfeits:
        line["forfeits"] = [{"seat": seat, "reason": reason} for seat, reason in forfeits.items()]
    return line
