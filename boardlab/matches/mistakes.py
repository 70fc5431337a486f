"""Mistakes: how often an agent plays a move although another one has a better game value, and what that costs.

A result tells who won; here every single move is held against perfect play. The loss of a move is how much its value
falls behind that of the best one, in the scores of the game; a move with a loss is a mistake. Moves come from the games
of a match (`mistakes_in_match`), by thirds of each game, or from sets of positions whose values are known
(`mistakes_in_sets`), in each of which the agent is asked once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.intervals import Estimate, mean_score, success_rate
from boardlab.matches.match import MatchResult, text_table
from boardlab.matches.play import Contestant, Fixture, Progress, play_fixtures
from boardlab.position import Position
from boardlab.solvers.judge import judge_of

__all__ = [
    "ALL",
    "MISTAKE_TITLES",
    "PHASES",
    "JudgedMove",
    "MistakeCount",
    "ValuedPosition",
    "Values",
    "by_group",
    "by_phase",
    "count_mistakes",
    "judged",
    "mistake_cells",
    "mistake_table",
    "mistakes_in_match",
    "mistakes_in_sets",
    "remembered",
]

MISTAKE_TITLES = ("moves", "mistakes", "95 % interval", "where possible", "mean loss", "95 % interval")
"""Of the columns of a table of counts, as `mistake_cells` fills them."""
PHASES = ("opening", "middle", "end")
"""The thirds of a game, by its actions."""
ALL = "all"
_TINY = 1e-9
"""Values that differ by less are the same, but for rounding."""

Values = Callable[[Position], Mapping[int, float] | None]
"""Tells the exact values of the actions of a position, None where they are not known."""


@dataclass(frozen=True)
class JudgedMove:
    """A move that was held against perfect play."""

    where: str
    """The phase of the game, or the set of positions."""
    loss: float
    most: float
    """The loss of the worst move that was legal; 0 where no mistake was possible."""
    together: Hashable = None
    """Moves of the same game have this in common: they are not independent."""


@dataclass(frozen=True)
class MistakeCount:
    """The mistakes of an agent in one phase or set of positions."""

    name: str
    moves: int
    possible: int
    """In how many of the positions a mistake was possible at all."""
    mistakes: Estimate
    """The share of all moves that are mistakes."""
    loss: Estimate
    """What a move costs in the mean."""

    @property
    def share_of_possible(self) -> float | None:
        """The share of mistakes where one was possible; None where it never was."""
        return self.mistakes.mean * self.moves / self.possible if self.possible else None

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {**asdict(self), "share_of_possible": self.share_of_possible}


@dataclass(frozen=True)
class ValuedPosition:
    """A position for which the value of each action is known."""

    where: str
    state: bytes
    values: Mapping[int, float]


def judged(where: str, action: int, values: Mapping[int, float], together: Hashable = None) -> JudgedMove:
    """The move held against the values of all actions of its position."""
    best = max(values.values())
    losses = {other: best - value if best - value > _TINY else 0.0 for other, value in values.items()}
    return JudgedMove(where, losses[action], max(losses.values()), together)


def count_mistakes(moves: Iterable[JudgedMove], score_range: tuple[float, float], name: str = ALL) -> MistakeCount:
    """How many of the moves are mistakes, and what they cost in the mean, with 95 % intervals."""
    found = list(moves)
    if not found:
        raise BoardlabError("there is no move to judge: the solver knows none of these positions")
    games = [move.together for move in found]
    sets = games if 1 < len(set(games)) < len(found) else []
    return MistakeCount(
        name=name,
        moves=len(found),
        possible=sum(move.most > 0.0 for move in found),
        mistakes=success_rate([float(move.loss > 0.0) for move in found], sets=sets),
        loss=mean_score([move.loss for move in found], 0.0, score_range[1] - score_range[0], sets=sets),
    )


def by_group(
    moves: Sequence[JudgedMove], groups: Mapping[str, Sequence[str]], score_range: tuple[float, float]
) -> list[MistakeCount]:
    """The counts of several groups of phases or sets, by their names; groups without a move are left out."""
    found = {name: [move for move in moves if move.where in members] for name, members in groups.items()}
    return [count_mistakes(some, score_range, name) for name, some in found.items() if some]


def by_phase(moves: Sequence[JudgedMove], score_range: tuple[float, float]) -> list[MistakeCount]:
    """The counts of the phases of games, and of all moves."""
    return by_group(moves, {**{phase: (phase,) for phase in PHASES}, ALL: PHASES}, score_range)


def mistake_cells(count: MistakeCount) -> list[str]:
    """A count as the cells of a row."""
    share, loss, possible = count.mistakes, count.loss, count.share_of_possible
    return [
        f"{count.moves:,}",
        f"{share.mean:.1%}",
        f"{share.low:.1%} .. {share.high:.1%}",
        "-" if possible is None else f"{possible:.1%}",
        f"{loss.mean:.3f}",
        f"{loss.low:.3f} .. {loss.high:.3f}",
    ]


def mistake_table(counts: Sequence[MistakeCount], what: str) -> str:
    """The counts as a table of text; `what` they are about is the title of the first column."""
    return text_table([[what, *MISTAKE_TITLES], *([count.name, *mistake_cells(count)] for count in counts)])


# ---------------------------------------------------------------- the games of a match


def mistakes_in_match(
    game: Game, match: MatchResult, starts: Sequence[Position] = (), values: Values | None = None
) -> dict[str, list[MistakeCount]]:
    """For each contestant the mistakes in the games of the match, by phase and in all. The start positions are those of
    the match. Moves in positions that the solver does not know are left out; agents without a judged move, too."""
    known = remembered(values or judge_of(game).values)
    moves: dict[int, list[JudgedMove]] = {number: [] for number in range(len(match.contestants))}
    seatings = len({record.seats for record in match.records})
    for number, record in enumerate(match.records):
        start = starts[number // seatings % len(starts)] if starts else game.start()
        position = Position(game, start.state)
        actions = sum(event.player is not None for event in record.events)
        played = 0
        for event in record.events:
            if event.player is None:
                position.play_chance(event.number)
                continue
            worth = known(position)
            if worth is not None:
                where = PHASES[3 * played // actions]
                taken_over = record.swapped and played == 0
                seat = 1 - event.player if taken_over else event.player
                moves[record.seats[seat]].append(judged(where, event.number, worth, number))
            position.play(event.number)
            played += 1
    counts = {c: by_phase(found, game.score_range) for c, found in moves.items() if found}
    twice = len(set(match.contestants)) < len(match.contestants)
    return {f"{match.contestants[c]} ({c + 1})" if twice else match.contestants[c]: n for c, n in counts.items()}


def remembered(values: Values) -> Values:
    """The same values, asked for once: positions come again and again in games from the same start."""
    known: dict[bytes, Mapping[int, float] | None] = {}

    def remembered(position: Position) -> Mapping[int, float] | None:
        state = position.state.tobytes()
        if state not in known:
            known[state] = values(position)
        return known[state]

    return remembered


# ---------------------------------------------------------------- sets of positions


def mistakes_in_sets(
    game: Game,
    agent: Contestant,
    positions: Sequence[ValuedPosition],
    seed: int,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[JudgedMove]:
    """Ask the agent once in each position, and judge what it plays."""
    seats = (0,) * game.num_players
    fixtures = [Fixture(seats, position.state, plies=1) for position in positions]
    records = play_fixtures(game, [agent], fixtures, seed, workers=workers, progress=progress)
    moves = []
    for position, record in zip(positions, records, strict=True):
        action = next(event.number for event in record.events if event.player is not None)
        moves.append(judged(position.where, action, position.values))
    return moves
