"""Two agents play until a sequential test has its answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.tournament.entrants import Entrant, enter
from boardlab.tournament.journal import Journal, PlayedGame
from boardlab.tournament.plan import Results, match_points
from boardlab.tournament.running import Crew, Lost, open_crew, run_games
from boardlab.tournament.sets import PlannedGame, Sets
from boardlab.tournament.sprt import Sprt, Verdict
from boardlab.tournament.starts import Start

__all__ = ["Duel", "duel"]

LOOK_AHEAD = 64
"""So many sets are planned at a time."""


@dataclass(frozen=True)
class Duel:
    """How far a test is, or how it ended."""

    game: Game
    names: tuple[str, str]
    test: Sprt
    scores: Counter[float]
    """How often sets came out with which mean score of the first agent."""
    games: tuple[PlayedGame, ...]
    """The games of these sets."""
    seed: int

    @property
    def sets(self) -> int:
        """How many sets count."""
        return self.scores.total()

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio."""
        return self.test.ratio(self.scores)

    @property
    def verdict(self) -> Verdict | None:
        """The answer, if there is one."""
        return self.test.verdict(self.scores)

    @property
    def score(self) -> float:
        """The mean score of the first agent, 0 to 1."""
        return math.fsum(value * n for value, n in self.scores.items()) / max(1, self.sets)

    def to_json(self) -> dict[str, Any]:
        """The test as plain data."""
        low, high = self.test.bounds
        return {
            **{"game": self.game.spec, "agents": list(self.names), "seed": self.seed},
            **{"games": len(self.games), "sets": self.sets, "score": self.score},
            **{name: getattr(self.test, name) for name in ("elo0", "elo1", "alpha", "beta")},
            **{"log_likelihood_ratio": self.ratio, "low": low, "high": high, "verdict": self.verdict},
            "set_scores": {f"{value:g}": n for value, n in sorted(self.scores.items())},
        }

    def __str__(self) -> str:
        low, high = self.test.bounds
        seen = ", ".join(f"{n} x {value:g}" for value, n in sorted(self.scores.items()))
        elo = {"elo0": self.test.elo0, "elo1": self.test.elo1}
        if self.verdict is None:
            answer = "undecided: more games are needed"
        else:
            other = "elo1" if self.verdict == "elo0" else "elo0"
            answer = f"decided: {elo[self.verdict]:+g} Elo, not {elo[other]:+g}"
        return (
            f"{self.game.title} ({self.game.spec}), seed {self.seed}\n"
            f"{self.names[0]} against {self.names[1]}\n\n"
            f"{len(self.games):,} games in {self.sets:,} sets, score {self.score:.1%}; scores of sets: {seen}\n"
            f"log-likelihood ratio {self.ratio:+.2f} of {low:+.2f} .. {high:+.2f}\n{answer}"
        )


def duel(
    game: Game,
    agents: Sequence[str],
    test: Sprt,
    *,
    starts: Sequence[Start] = (Start(),),
    seed: int = 1,
    most_games: int = 100_000,
    limit: float = 60.0,
    workers: int = 1,
    cluster: str | None = None,
    journal: Path | None = None,
    told: Callable[[Duel], None] | None = None,
) -> Duel:
    """Let two agents play until the test is decided, or `most_games` are played. The sets count in the order in which
    they were planned, so that the answer does not depend on the number of workers."""
    if game.num_players != 2 or len(agents) != 2:
        raise BoardlabError(f"a test is for two agents in a game of two, not for {len(agents)} in {game.spec}")
    first, second = enter(game, agents)
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="boardlab-"))
        kept = stack.enter_context(Journal(journal or Path(folder) / "journal.jsonl"))
        crew = stack.enter_context(open_crew(workers, cluster))
        contest = _Contest(game, (first, second), test, Sets(game.spec, starts, seed), kept)
        while contest.verdict is None and 2 * contest.planned < most_games:
            count = min(LOOK_AHEAD, math.ceil(most_games / 2) - contest.planned)
            contest.play(count, crew, limit, told)
        return contest.state()


class _Contest:
    """The games of a test, as they come."""

    def __init__(self, game: Game, players: tuple[Entrant, Entrant], test: Sprt, sets: Sets, journal: Journal) -> None:
        self.game, self.players, self.test, self.sets, self.journal = game, players, test, sets, journal
        self.planned = 0
        self.scores: Counter[float] = Counter()
        self.games: list[PlayedGame] = []
        self.waiting: list[list[PlannedGame]] = []
        self.verdict: Verdict | None = None

    def play(self, count: int, crew: Crew, limit: float, told: Callable[[Duel], None] | None) -> None:
        """Play so many more sets, or fewer if the answer is there before."""
        more = self.sets.of(self.players, count, self.planned)
        self.planned += count
        self.waiting += more
        self._count()
        todo = [game for group in more for game in group if game.id not in self.journal.games]
        if self.verdict is not None:
            return
        found = run_games(todo, self.journal, crew, limit=limit)
        try:
            for played in found:
                if isinstance(played, Lost):
                    raise BoardlabError(f"a game could not be played: {played.reason}")
                if self._count() and told is not None:
                    told(self.state())
                if self.verdict is not None:
                    return
        finally:
            found.close()

    def _count(self) -> bool:
        """Count the sets that are complete, in their order, until the test is decided; whether there was one."""
        results: Results = self.journal.games
        before = self.scores.total()
        while self.verdict is None and self.waiting and all(game.id in results for game in self.waiting[0]):
            group = self.waiting.pop(0)
            self.scores[round(match_points([group], results)[self.players[0]], 6)] += 1
            self.games += [results[game.id] for game in group]
            self.verdict = self.test.verdict(self.scores)
        return self.scores.total() > before

    def state(self) -> Duel:
        """How far it is."""
        names = (self.players[0].name, self.players[1].name)
        games = tuple(self.games)
        return Duel(self.game, names, self.test, Counter(self.scores), games, self.sets.seed)
