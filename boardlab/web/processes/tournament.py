"""One tournament, in a process of its own: `python -m boardlab.web.processes.tournament DIRECTORY`, started by
`tournaments`.

The first line of the input is the job. The games go to the journal in the directory, one by one as they end, and the
process tells how many there are. To stop a tournament is to kill its process: the next one goes on with what is
missing. When the server is gone, it ends at once, with the processes that play for it.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.system.pipe import end_at_once, limit_memory, listen, settle_in
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.running import Lost
from boardlab.tournament.tournament import Tournament
from boardlab.tournament.wish import read_wish
from boardlab.user_errors import explain_user_error

__all__ = ["main"]

Tell = Callable[[dict[str, Any]], None]

BETWEEN_SECONDS = 0.2
"""Pages are not told of every quick game."""


def main() -> None:
    """Play the tournament that the server asks for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    directory, tell = Path(sys.argv[1]), settle_in()
    job = json.loads(sys.stdin.readline())
    limit_memory(job["megabytes"] << 20)  # for each of the processes that play for it, too
    listen(lambda message: None, end_at_once)
    try:
        meant = Tournament(read_wish(job["wish"]), directory)
        meant.play(workers=job["workers"], told=_Reporter(tell))
        games = len(meant.games())
        tell({"done": games, "games": games})
        tell(_last_words(meant.lost))
    except Exception as error:
        tell({"end": "failed", "message": _sentence(error, directory)})


class _Reporter:
    """Tells how far it is, now and then."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._next = 0.0

    def __call__(self, _game: PlayedGame, done: int, games: int) -> None:
        if monotonic() >= self._next:
            self._next = monotonic() + BETWEEN_SECONDS
            self._tell({"done": done, "games": games})


def _last_words(lost: list[Lost]) -> dict[str, str]:
    if not lost:
        return {"end": "finished"}
    pair = " - ".join(entrant.name for entrant in lost[0].game.seats)
    some = "a game" if len(lost) == 1 else f"{len(lost):,} games"
    return {"end": "failed", "message": f"{some} could not be played, as {pair}: {lost[0].reason}"}


def _sentence(error: Exception, directory: Path) -> str:
    if isinstance(error, BoardlabError):
        return str(error).replace(f"{directory}/", "")
    explained = explain_user_error(error)
    if explained is not None:
        return explained
    traceback.print_exc()
    if isinstance(error, MemoryError):
        return "an agent needs more memory than the arena allows; take smaller tables or fewer nodes"
    return f"the tournament failed: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
