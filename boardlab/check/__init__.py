"""`check_game`: the kit that proves a game right, ours and a user's alike (`boardlab check FILE.py:Class`).

In the order in which mistakes are easiest to understand: what the class declares (`declarations`), some games as
plain Python and compiled side by side (`lockstep`), then all games compiled. The games are played by a `Referee`,
who writes everything down; `invariants` finds in his log what is wrong. The first violation ends the check and is
explained in words.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from boardlab.check.cornering import find_cornered
from boardlab.check.declarations import check_declarations, check_pictures
from boardlab.check.explain import cornered_text, event_names
from boardlab.check.frequencies import Frequencies
from boardlab.check.images import Images, find_images
from boardlab.check.invariants import find_violation
from boardlab.check.lockstep import compare_compiled, explain_finding, play_compiled
from boardlab.check.referee import Referee, log_dtype, referee_for
from boardlab.check.report import GameCheckFailed, Report, Violation
from boardlab.check.suspicions import FEW_GAMES, Tally
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.rng import make_rng

__all__ = ["GameCheckFailed", "Report", "check_game"]

PLAIN_GAMES = 20
PLAIN_SECONDS = 5.0
CORNER_SECONDS = 2.0
LOG_BYTES = 4 << 20
"""Size of the log: it stays in the cache, and Ctrl-C is heard whenever it is full."""


def check_game(game: Game, games: int = 1000, seed: int = 1, *, raise_on_violation: bool = True) -> Report:
    """Check everything that must hold for every game, in `games` random games.

    Raises `GameCheckFailed` with the explanation of the first violation; with `raise_on_violation=False` it is in
    the report. Rules that do not compile raise a `BoardlabError` that says where and why.
    """
    if games < 1:
        raise BoardlabError(f"a check needs at least one game, not {games}")
    check = _Check(game, games, seed)
    violation = None
    try:
        with (
            game.in_check(),
            redirect_stdout(StringIO()),
            np.errstate(all="ignore"),
        ):  # rules that print would hide what is found
            check.run()
    except Violation as found:
        violation = str(found)
    report = check.report(violation)
    if violation is not None and raise_on_violation:
        raise GameCheckFailed(report)
    return report


class _Check:
    """One run of the check and what it has done so far."""

    def __init__(self, game: Game, games: int, seed: int) -> None:
        self.game, self.wanted, self.seed = game, games, seed
        self.games = self.moves = 0
        self.checks: list[str] = []
        self.skipped: list[str] = []
        self.suspicions: list[str] = []

    def run(self) -> None:
        """All parts in order; raises `Violation` at the first find."""
        game = self.game
        arrays = {name: value.copy() for name, value in vars(game).items() if isinstance(value, np.ndarray)}
        self.checks.append(check_declarations(game))
        images = find_images(game)
        self.skipped += images.skipped
        if game.num_cells == 0:
            self.skipped.append("no cells declared, so n-tuple agents cannot learn it: cells")
        compared = compare_compiled(game, images, min(PLAIN_GAMES, self.wanted), self.seed, PLAIN_SECONDS)
        self.checks.append(f"compiled rules equal the plain ones, move by move, in {compared} games")
        self.checks.append(check_pictures(game))
        self._play(images)
        cornered = find_cornered(game, CORNER_SECONDS, self.seed)
        if cornered is not None:
            self.suspicions.append(cornered_text(game, cornered))
        for name, before in arrays.items():
            if not np.array_equal(before, getattr(game, name), equal_nan=before.dtype.kind == "f"):
                raise Violation(
                    f"the rules changed the array game.{name}; a game is constant, what changes belongs in the state"
                )

    def _play(self, images: Images) -> None:
        """The compiled games, a log at a time."""
        game = self.game
        rows = max(64, min(4096, LOG_BYTES // log_dtype(game).itemsize))
        referee = referee_for(game, images, rows)
        desk = referee.desk[0]
        frequencies, tally = Frequencies(game), Tally(game)
        rng = make_rng(self.seed)
        earlier: list[str] = []  # moves of the current game that are no longer in the log
        while self.games < self.wanted:
            referee.clear_log()
            play_compiled(game, referee, self.wanted, rng, earlier)
            self.games, self.moves = int(desk.finished), int(desk.all_moves)
            finding = find_violation(game, referee, images)
            if finding is not None:
                raise Violation(explain_finding(game, referee, finding, earlier))
            frequencies.add(referee.log[: desk.row])
            tally.add(referee)
            earlier = _unfinished(game, referee, earlier)
        if self.games >= FEW_GAMES:
            self.suspicions += tally.suspicions
        self.checks.append("at every position: players, legal actions, scores, cells and features within their ranges")
        if game.has_estimate:
            self.checks.append("its own estimate is within score_range, and in finished games the scores")
        self.checks.append("asking changes nothing, copies are independent, every game ends")
        if images.names:
            self.checks.append(
                f"the same game on a second board, mapped by symmetries or exchanges of cells ({len(images.names)})"
            )
        if game.num_outcomes > 0:
            frequencies.check()
            self.checks.append("chance outcomes, their probabilities, and how often each one is drawn")

    def report(self, violation: str | None) -> Report:
        """What was done."""
        return Report(
            repr(self.game),
            self.games,
            self.moves,
            tuple(self.checks),
            tuple(self.skipped),
            violation,
            tuple(self.suspicions) if violation is None else (),
        )


def _unfinished(game: Game, referee: Referee, earlier: list[str]) -> list[str]:
    """The moves so far of the game that is under way at the end of the log."""
    desk = referee.desk[0]
    if not desk.playing:
        return []
    log = referee.log[: desk.row]
    current = event_names(game, log[log["game"] == desk.game])
    return [*earlier, *current] if log["game"][0] == desk.game else current
