"""Evaluators that count mistakes: the agent is asked once in each of a fixed set of positions, and every move is held
against perfect play (`boardlab.matches.mistakes`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from boardlab.agents.perfect import seems_solvable
from boardlab.components.component import settings_text_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluation, Evaluator
from boardlab.matches.intervals import Estimate
from boardlab.matches.match import MatchResult, start_bytes
from boardlab.matches.mistakes import ALL, PHASES, JudgedMove, MistakeCount, ValuedPosition, by_group, mistake_table
from boardlab.matches.mistakes import mistakes_in_sets as ask
from boardlab.matches.play import Contestant, Progress
from boardlab.parameters import parameter
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.solvers.connect4_sets import SETS, load_sets, phase_of, ply_class, state_after
from boardlab.solvers.judge import judge_of

__all__ = ["ConnectFourMistakes", "MistakeEvaluation", "Mistakes"]


@dataclass(frozen=True)
class MistakeEvaluation(Evaluation):
    """What an evaluator found out about the moves of an agent. Its match has no games: positions were asked for."""

    counts: tuple[MistakeCount, ...] = ()
    """By set of positions, by groups of sets, and in all, which is the last."""

    @property
    def result(self) -> Estimate:
        """The share of moves that are no mistakes: more is better, as with all evaluators."""
        share = self.counts[-1].mistakes
        return Estimate(1.0 - share.mean, 1.0 - share.high, 1.0 - share.low, share.games)

    def to_json(self) -> dict[str, Any]:
        """All counts as plain data."""
        return {
            "evaluator": self.evaluator,
            "game": self.match.game,
            "agent": self.match.contestants[0],
            "measure": self.measure,
            **asdict(self.result),
            "seed": self.match.seed,
            "sets": [count.to_json() for count in self.counts],
        }

    def __str__(self) -> str:
        match, last = self.match, self.counts[-1]
        share = last.mistakes
        return (
            f"{match.title} ({match.game}), {match.contestants[0]}, {last.moves:,} positions, seed {match.seed}\n\n"
            f"{mistake_table(self.counts, 'positions')}\n\n"
            f"{self.evaluator}: mistakes {share.mean:.1%}, 95 % interval {share.low:.1%} .. {share.high:.1%}, "
            f"mean loss {last.loss.mean:.3f}, {last.moves:,} positions"
        )


class Mistakes(Evaluator):
    """The share of mistakes in positions of random games, 200 different ones from each third of a game, and what they
    cost. For every game that the perfect player can play."""

    name = "mistakes"
    measure = "right moves"
    positions: int = parameter(200, 1, 100_000, doc="positions of each phase, fewer where the game has not so many")

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if seems_solvable(game) else "is for games that are small enough to be solved"

    @cached_property
    def sets(self) -> Sequence[ValuedPosition]:
        """The positions with the values of their actions, always the same ones."""
        return random_sets(self.game, self.positions)

    def groups(self) -> Mapping[str, Sequence[str]]:
        """What is counted together, by name; all of it last."""
        return {**{phase: (phase,) for phase in PHASES}, ALL: PHASES}

    def evaluate(
        self,
        agent: Contestant,
        *,
        games: int | None = None,
        against: str | None = None,
        seed: int = 0,
        workers: int = 1,
        progress: Progress | None = None,
        many: bool = False,
    ) -> Evaluation:
        """Ask the agent in all positions, or in so many (`games`), taken from all sets alike."""
        if against:
            raise BoardlabError(f"the evaluator {self.name} asks for single moves, so it has no opponent")
        chosen = self.sets if games is None else _evenly(self.sets, games)
        moves: list[JudgedMove] = ask(self.game, agent, chosen, seed, workers=workers, progress=progress)
        text = settings_text_of(self)
        game = self.game
        return MistakeEvaluation(
            evaluator=f"{self.name}:{text}" if text else self.name,
            measure=self.measure,
            opponent="",
            match=MatchResult(
                game=game.spec,
                title=game.title,
                players=tuple(game.player_name(p) for p in range(game.num_players)),
                contestants=(agent if isinstance(agent, str) else agent.spec,),
                seed=seed,
                records=(),
                score_range=game.score_range,
            ),
            counts=tuple(by_group(moves, self.groups(), game.score_range)),
        )


class ConnectFourMistakes(Mistakes):
    """The share of mistakes in 6,000 fixed positions of Connect Four, 1,000 of each set: opening (up to 13 stones),
    middle and end (from 29 on), of which best play lasts up to 13 plies more (easy), up to 28 (medium) or longer."""

    name = "c4-mistakes"
    positions: int = parameter(1000, 1, 1000, doc="positions of each set, the first ones")

    @classmethod
    def unsuited(cls, game: Game) -> str:
        standard = game.name == "connect4" and game.grid == (6, 7)
        return "" if standard else "is for Connect Four on the board of 7 x 6"

    @cached_property
    def sets(self) -> Sequence[ValuedPosition]:
        found = []
        for name, positions in load_sets().items():
            for moves, scores in positions[: self.positions]:
                values = {a: float((s > 0) - (s < 0)) for a, s in enumerate(scores) if s is not None}
                found.append(ValuedPosition(name, state_after(moves), values))
        return found

    def groups(self) -> Mapping[str, Sequence[str]]:
        names = [phase_of(name) for name in SETS] + [ply_class(name) for name in SETS]
        parts = {part: [name for name in SETS if part in name.split()] for part in dict.fromkeys(names)}
        return {**{name: (name,) for name in SETS}, **parts, ALL: SETS}


def random_sets(game: Game, positions: int) -> list[ValuedPosition]:
    """So many positions of each third of random games, different ones, as far as they are found soon; those whose
    values the solver does not know are left out."""
    rng, judge = make_rng(1), judge_of(game)
    found: dict[str, list[ValuedPosition]] = {phase: [] for phase in PHASES}
    seen: set[bytes] = set()
    for _ in range(20 * positions):
        passed = _random_game(game, rng)
        if not passed:
            continue
        place = random_below(rng, len(passed))
        where, position = PHASES[3 * place // len(passed)], passed[place]
        state = start_bytes(game, position)
        if len(found[where]) < positions and state not in seen:
            seen.add(state)
            values = judge.values(position)
            if values is not None:
                found[where].append(ValuedPosition(where, state, values))
    return [position for phase in PHASES for position in found[phase]]


def _random_game(game: Game, rng: Any) -> list[Position]:
    """The positions of a random game in which somebody was to move."""
    position = game.start().roll(rng)
    passed = []
    while not position.is_over:
        passed.append(Position(game, position.state))
        legal = position.legal_actions
        position.play(legal[random_below(rng, len(legal))]).roll(rng)
    return passed


def _evenly(positions: Sequence[ValuedPosition], most: int) -> list[ValuedPosition]:
    """So many of the positions, at most, in equal shares of all sets."""
    names = list(dict.fromkeys(position.where for position in positions))
    share, rest = divmod(most, len(names))
    chosen = []
    for number, name in enumerate(names):
        members = [position for position in positions if position.where == name]
        chosen += members[: share + (number < rest)]
    return chosen
