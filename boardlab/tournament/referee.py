"""One game of a tournament, played in a worker process: agents stay there from game to game, and a game is plain data
when it comes and when it goes (`play` is a task of an executor)."""

from __future__ import annotations

import json
import math
import os
from collections import OrderedDict
from contextlib import ExitStack, chdir, suppress
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

from boardlab import __version__
from boardlab.compiler.fences import BrokenRule
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.registry import make
from boardlab.rng import make_rng
from boardlab.system.machine import free_memory
from boardlab.tournament.entrants import fingerprint
from boardlab.tournament.players import FIRST_MOVE_SECONDS, Failure, Player, make_player
from boardlab.tournament.starts import Start

__all__ = ["play", "play_several"]

MOST_PLAYERS = 64
SCARCE_MEMORY = 2**30
"""With less free memory than this, only those who play are kept."""

_players: OrderedDict[tuple[str, str, int], Player] = OrderedDict()
"""Players by game, key, and which of several equal ones; those who played last are at the end."""


def play(
    *,
    id: str,
    set: str,
    game: str,
    names: list[str],
    specs: list[str],
    keys: list[str],
    cpu_clocks: list[bool],
    events: list[int],
    state: str,
    number: int,
    seed: int,
    limit: float,
) -> dict[str, Any]:
    """Play a game (`PlannedGame.task`), with `limit` seconds for a move, and return its line of the journal."""
    made = _game(game)
    start = Start(tuple(events), state)
    table = _Table(made, start, list(zip(specs, keys, cpu_clocks, strict=True)), limit)
    table.play(int(id[:15], 16), int(set[:15], 16))
    line: dict[str, Any] = {
        "id": id,
        "set": set,
        "game": game,
        "seats": names,
        "agents": keys,
        "number": number,
        "seed": seed,
        "start": len(events),
        "events": [_event(event.code) for event in table.position.history],
        "scores": table.scores(),
        "moves": table.moves,
        "timed": table.timed,
        "seconds": [round(s, 6) for s in table.seconds],
        "cpu": [round(s, 6) for s in table.cpu],
        "playing": round(table.playing, 6),
        "boardlab": __version__,
    }
    if state:
        line["state"] = state
    if any(number is not None for number in table.episodes):
        line["episodes"] = table.episodes
    if table.failed is not None:
        line["forfeit"] = {"seat": table.failed[0], "reason": table.failed[1]}
    return line


def play_several(
    *, games: list[dict[str, Any]], limit: float, spool: str = "", folder: str = ""
) -> list[dict[str, Any]]:
    """Play some games (`PlannedGame.task`) one after the other, and return their lines. They are also written to a file
    of this process in the folder `spool`, each when it is over, so that none is lost if this process is killed before
    it can tell; without a folder they are not. Relative paths of agents and games are meant from `folder`, where this
    machine has it: the workers of a cluster begin elsewhere."""
    lines = []
    with ExitStack() as stack:
        if folder and Path(folder).is_dir():
            stack.enter_context(chdir(folder))
        file = None
        if spool:
            Path(spool).mkdir(exist_ok=True)
            file = stack.enter_context((Path(spool) / f"{os.getpid()}.jsonl").open("ab", buffering=0))
        for task in games:
            lines.append(play(**task, limit=limit))
            if file is not None:
                file.write(json.dumps(lines[-1], separators=(",", ":")).encode() + b"\n")
    return lines


class _Table:
    """A game in progress, with what it has cost so far."""

    def __init__(self, game: Game, start: Start, seats: list[tuple[str, str, bool]], limit: float) -> None:
        self.game, self.start, self.seats, self.limit = game, start, seats, limit
        self.position = start.position(game)
        players = range(game.num_players)
        self.moves, self.timed = [0 for _ in players], [0 for _ in players]
        self.seconds, self.cpu = [0.0 for _ in players], [0.0 for _ in players]
        self.playing = 0.0
        """Seconds of all plies with what the rules took, but for the first one of an agent."""
        self.episodes: list[int | None] = [None for _ in players]
        self.failed: tuple[int, str] | None = None
        """The seat that has forfeited the game, and why."""

    def play(self, seed: int, chance_seed: int) -> None:
        """Play to the end. Chance events have the random numbers of the set, every seat has its own."""
        chance = make_rng(chance_seed)
        seat = 0
        try:
            players = []
            for seat in range(len(self.seats)):
                players.append(self._player(seat))
                players[seat].begin(self.start, seed, seat)
                self.episodes[seat] = players[seat].episodes
            begin = perf_counter()
            while not self.position.roll(chance).is_over:
                seat = self.position.player
                fresh = players[seat].fresh
                self._move(players[seat], seat)
                now = perf_counter()
                self.playing += 0.0 if fresh else now - begin
                begin = now
        except Failure as failure:
            self.failed = seat, str(failure)
            self._drop(seat)

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
            raise Failure(f"took {took:.1f} seconds for a move, more than the limit of {self.limit:g}")
        player.fresh = False
        try:
            self.position.play(action)
        except BrokenRule:  # not the player's fault
            raise
        except BoardlabError as error:
            raise Failure(printable(error).partition("; legal:")[0]) from error

    def scores(self) -> list[float]:
        """What the rules say or, where somebody has forfeited the game, the lowest score for him and the highest for
        the others."""
        if self.failed is None:
            return self.position.scores
        low, high = self.game.score_range
        low, high = low if math.isfinite(low) else -1.0, high if math.isfinite(high) else 1.0
        if self.game.num_players == 1:
            return [low if math.isfinite(self.game.score_range[0]) else 0.0]
        return [low if seat == self.failed[0] else high for seat in range(self.game.num_players)]

    def _player(self, seat: int) -> Player:
        """The player on a seat: the one who is here already, or a new one."""
        place = self._place(seat)
        if place not in _players:
            spec, key, cpu_clock = self.seats[seat]
            if fingerprint(spec, cpu_clock=cpu_clock) != key:
                raise BoardlabError(
                    f"{spec} has changed since the tournament began; begin again to let it play as it is"
                )
            _make_room({self._place(other) for other in range(len(self.seats))})
            _players[place] = make_player(spec, self.game, self.limit, cpu_clock=cpu_clock)
        _players.move_to_end(place)
        return _players[place]

    def _place(self, seat: int) -> tuple[str, str, int]:
        """Equal entrants on several seats are different players, with different memories."""
        key = self.seats[seat][1]
        return self.game.spec, key, sum(other == key for _, other, _ in self.seats[:seat])

    def _drop(self, seat: int) -> None:
        player = _players.pop(self._place(seat), None)
        if player is not None:
            with suppress(Exception):  # it has failed already
                player.close()


def _make_room(needed: set[tuple[str, str, int]]) -> None:
    """Send away those who have not played for the longest time, where there are too many."""
    while len(_players) >= MOST_PLAYERS or (free_memory() < SCARCE_MEMORY and _players):
        idle = next((place for place in _players if place not in needed), None)
        if idle is None:
            return
        _players.pop(idle).close()


@lru_cache(4)
def _game(spec: str) -> Game:
    return make(spec)


def _event(code: int) -> dict[str, int]:
    return {"action": code} if code >= 0 else {"chance": -1 - code}
