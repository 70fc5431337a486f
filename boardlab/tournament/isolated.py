"""An agent of a user's own file in a process of its own: `python -m boardlab.tournament.isolated`, which `players`
starts.

It reads lines and answers some of them: `agent {"game": ..., "agent": ...}` makes the agent and `move` asks it; both
are answered with `= ...`, or with `? REASON`. `start {...}` begins a game, `play CODE` tells an event of it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from time import process_time
from typing import Any

__all__ = ["MOVE", "PLAY", "START", "main", "packed"]

START, PLAY, MOVE = "start", "play", "move"


def packed(word: str, content: dict[str, Any]) -> str:
    """A line with plain data."""
    return f"{word} {json.dumps(content)}"


class _Session:
    """One agent and the game that it plays."""

    def __init__(self, game: str, agent: str, cpu_clock: bool) -> None:
        from boardlab.agents.registry import make_agent
        from boardlab.registry import make
        from boardlab.rng import make_rng
        from boardlab.search.pace import counting_cpu_time

        self.game = make(game)
        self.agent = make_agent(agent, self.game)
        self.clock = counting_cpu_time if cpu_clock else nullcontext
        self.position, self.rng = self.game.start(), make_rng(0)

    def start(self, content: dict[str, Any]) -> None:
        from boardlab.tournament.players import seat_rng
        from boardlab.tournament.starts import Start

        self.position = Start(tuple(content["events"]), content["state"]).position(self.game)
        self.rng = seat_rng(content["seed"], content["seat"])

    def move(self) -> str:
        begin = process_time()
        with self.clock():
            action = self.agent.choose(self.position, self.rng)
        return f"{int(action)} {process_time() - begin:.6f}"


def main() -> None:
    """Answer until there is nobody left who asks."""
    tell = _own_output()
    session: _Session | None = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "agent":
                session = _Session(**json.loads(rest))
                tell("= ready")
            elif word == "quit":
                return
            elif session is not None and word == START:
                session.start(json.loads(rest))
            elif session is not None and word == PLAY:
                session.position.play_code(int(rest))
            elif session is not None and word == MOVE:
                tell(f"= {session.move()}")
        except Exception as error:
            tell(f"? {_reason(error)}")


def _own_output() -> Callable[[str], None]:
    """Writes lines to the standard output; what the agent prints goes elsewhere."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(line: str) -> None:
        output.write(line + "\n")
        output.flush()

    return tell


def _reason(error: Exception) -> str:
    from boardlab.errors import BoardlabError, printable
    from boardlab.user_errors import explain_user_error

    text = str(error) if isinstance(error, BoardlabError) else explain_user_error(error)
    return printable(text or f"{type(error).__name__}: {error}", 500)


if __name__ == "__main__":
    main()
