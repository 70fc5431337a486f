"""One match, in a process of its own: `python -m boardlab.web.processes.match MEGABYTES`, started by `matches`.

The first line of the input is the job; every game is told as a line of JSON when it is over. To stop a match is to kill
its process and the worker processes that play with it. When the server is gone, they all end at once.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.matches.match import play_match
from boardlab.matches.play import GameRecord
from boardlab.registry import make
from boardlab.system.pipe import end_at_once, limit_memory, listen, settle_in
from boardlab.user_errors import explain_user_error

__all__ = ["main"]


def main() -> None:
    """Play the match that the server asks for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(int(sys.argv[1]) << 20)
    tell = settle_in()
    job = json.loads(sys.stdin.readline())
    listen(lambda message: None, end_at_once)  # nobody wants to know how it ends

    def witness(number: int, record: GameRecord) -> None:
        tell(
            {
                "game": number,
                "seats": record.seats,
                "scores": record.scores,
                "moves": record.moves,
                "seconds": record.seconds,
                "events": [event.code for event in record.events],
            }
        )

    try:
        game = make(job["game"])
        agents, games, seed = job["agents"], job["games"], job["seed"]
        play_match(game, agents, games, seed, workers=job["workers"], witness=witness, played=set(job["played"]))
        tell({"end": "finished"})
    except Exception as error:
        tell({"end": "failed", "message": _sentence(error, job)})


def _sentence(error: Exception, job: dict[str, Any]) -> str:
    if isinstance(error, BoardlabError):
        text = str(error)
        for agent in job["agents"]:
            text = text.replace(agent, Path(agent).stem if agent.endswith(".agent") else agent)
        return text
    explained = explain_user_error(error)
    if explained is not None:
        return explained
    traceback.print_exc()
    if isinstance(error, MemoryError):
        return "an agent needs more memory than the arena allows; take smaller tables or fewer nodes"
    return f"the match failed: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
