"""The process in which the leagues play while the machine is idle: `python -m boardlab.web.processes.league MEGABYTES`,
started by `league.idle_play`.

Every line of the input is a game to play, every line of the output how it ended. Agents stay from game to game. To make
way for other work is to kill the process; the game that is lost is played again.
"""

from __future__ import annotations

import queue
import signal
import sys
import traceback
from functools import lru_cache
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.registry import make
from boardlab.system.pipe import end_at_once, limit_memory, listen, settle_in
from boardlab.tournament.entrants import fingerprint
from boardlab.tournament.referee import play
from boardlab.tournament.starts import Start, random_plies
from boardlab.user_errors import explain_user_error

__all__ = ["main", "play_task"]

Message = dict[str, Any]

LOWEST_PRIORITY = 19


def main() -> None:
    """Play what the server asks for, until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell = settle_in(LOWEST_PRIORITY)
    limit_memory(int(sys.argv[1]) << 20)
    tasks: queue.Queue[Message] = queue.Queue()
    listen(tasks.put, end_at_once)
    while True:
        task = tasks.get()
        try:
            tell(play_task(task))
        except Exception as error:
            tell({"failed": _sentence(error)})


def play_task(task: Message) -> Message:
    """Play a game of a league: `boards` are the agents by their seats; in a game for one player there are several, with
    the same start and the same luck. The scores are those of all who play, in their order."""
    start = _start(task["game"], task["plies"], task["set"])
    lines = [_play(task, start, seats) for seats in task["boards"]]
    forfeits = [next(iter(line.get("forfeits", [])), None) for line in lines]
    return {
        "seed": int(task["id"][:12], 16),
        "scores": [score for line in lines for score in line["scores"]],
        "problem": next((forfeit["reason"] for forfeit in forfeits if forfeit), None),
        "boards": [
            {
                "events": [e["action"] if "action" in e else -1 - e["chance"] for e in line["events"]],
                "scores": line["scores"],
                "forfeit": forfeit["seat"] if forfeit else None,
            }
            for line, forfeit in zip(lines, forfeits, strict=True)
        ],
    }


def _play(task: Message, start: Start, seats: list[str]) -> Message:
    game = {
        **{name: task[name] for name in ("id", "set", "game")},
        **{"names": seats, "specs": seats, "cpu_clocks": [False for _ in seats]},
        "keys": [_key(spec, task["stamps"][spec]) for spec in seats],
        **{"events": list(start.events), "state": start.state, "number": 0, "seed": 0},
    }
    return play(game, task["limit"])


@lru_cache(1000)
def _key(spec: str, _stamp: str) -> str:
    """What the agent is, with the content of its file, which is read again when its stamp has changed."""
    return fingerprint(spec)


def _start(spec: str, plies: int, name: str) -> Start:
    """The start of this name: after so many random plies, or fewer where the game would be over by then."""
    game = make(spec)
    for fewer in range(plies, 0, -1):
        try:
            return random_plies(game, fewer, 1, int(name[:15], 16))[0]
        except BoardlabError:
            continue
    return Start()


def _sentence(error: Exception) -> str:
    if isinstance(error, BoardlabError):
        return str(error)
    if isinstance(error, MemoryError):
        return "an agent needs more memory than the arena allows; take smaller tables or fewer nodes"
    explained = explain_user_error(error)
    if explained is None:
        traceback.print_exc()
    return explained or f"a game failed: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
