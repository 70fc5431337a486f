"""What all slow references of learning share: an n-tuple network in a dictionary, rewards, and the check of choices.

It shares no code with boardlab/learn and boardlab/ntuple; a game it plays by the plain methods behind `Position`,
weights are moved by the reference of the step-size rule (`reference_rules`). The learners themselves are in
`reference_learner` (TD-FARL), `reference_actions` (SARSA- and Q-FARL) and `reference_self_play`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from reference_rules import reference_rule

from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import random_below, random_float

Cells = tuple[int, ...]
Key = tuple[Any, ...]
"""Table set, number of the tuple, values of its cells, and for values of actions the action."""

SCALARS = ("alpha-bounds", "irprop+")
"""Rules that keep something for each table set."""


@dataclass(frozen=True)
class Options:
    """Everything that can be switched; the defaults are the FARL paper's Algorithm 2, lambda = 0 and plain alpha."""

    tuples: Sequence[Sequence[int]]
    algorithm: str = "td-farl"
    symmetries: bool = True
    some: Sequence[int] | None = None
    """Only these of the symmetries, by number."""
    tables: str = "per-player"
    output: str = "tanh"
    bias: bool = False
    rule: str = "plain"
    rule_settings: dict[str, float] = field(default_factory=dict)
    initial: float = 1e-4
    beta: float = 2.7
    gamma: float = 1.0
    lam: float = 0.0
    horizon: int = 1
    """Stored positions of a chain, h + 1 of Algorithm 7."""
    traces: bool = False
    replace: bool = False
    reset: bool = False
    reset_all: bool = False
    learn_from_random: bool = True
    farl_others: bool = True
    farl_terminal: bool = True
    sees_chance: bool = False
    """Whether a game that chance ends counts as over for the player's last afterstate, as in GBG."""
    choose_start: bool = False
    divide_alpha: bool = True
    max_moves: int = 1 << 62
    at_limit: str = "nothing"
    haste: float = 0.0
    take_wins: bool = False
    spread: float = 0.0
    start_value: float = 0.0
    view: str = "waiting"
    """Whose state it is in self-play, where a player may move several times in a row: that of the player who is not to
    move, as in Thill 2015 (3.4.3), or as the kernels have it that of the `mover`, who came there."""
    distinct: bool = False
    """Whether a weight that several symmetric boards hit counts once."""
    replay: int = 0
    replays: int = 1
    replay_from: int = 0

    def make_rule(self) -> Any:
        """The reference of the step-size rule."""
        settings = dict(self.rule_settings)
        if self.rule.startswith("tcl"):
            settings.setdefault("initial", self.initial)
        if self.rule in ("tcl-exp", "tcl-pl"):
            settings.setdefault("beta", self.beta)
        return reference_rule(self.rule, **settings)


@dataclass
class Input:
    """The input of the network in a position of one player: x_i, how many of the symmetric boards hit weight i."""

    owner: int
    x: dict[Key, int]
    entries: int
    """m N_S: all hits together."""
    gain: float = math.nan
    """The factor of its gradient in the step in which it was the last one."""


class Move(NamedTuple):
    """A move of the kernels, as they recorded it."""

    action: int
    was_random: bool
    considered: int = -1
    """The action that SARSA made its target of."""


class Draws:
    """The random numbers behind the moves, checked as long as they are known for sure: that is up to the first choice
    among actions that are equal only up to rounding."""

    def __init__(self, rng: np.ndarray) -> None:
        self.rng, self.known, self.checked = rng, True, 0

    def explores(self, epsilon: float) -> bool | None:
        """Whether the next move is a random one; None: not known."""
        if not self.known:
            return None
        self.checked += 1
        return bool(random_float(self.rng) < epsilon)

    def pick(self, actions: Sequence[int]) -> int | None:
        """One of the actions by chance."""
        return int(actions[random_below(self.rng, len(actions))]) if self.known else None

    def best(self, values: dict[int, float], sure: bool) -> int | None:
        """One of the best actions. `sure`: what is equal in the kernels is equal here, too."""
        best = max(values.values())
        near = nearly_best(values)
        if self.known and len(near) > 1:
            equal = [a for a in near if abs(values[a] - best) < 1e-12]
            self.known = sure
            return self.pick(equal) if sure and len(equal) > 1 else None
        return near[0] if len(near) == 1 else None


def nearly_best(values: dict[int, float]) -> list[int]:
    """The best actions, up to rounding."""
    best = max(values.values())
    rounding = 1e-5 * max(1.0, *(abs(v) for v in values.values()))
    return [a for a, v in values.items() if v >= best - rounding]


class ReferenceNetwork:
    """An n-tuple network and the game that it learns."""

    of_actions = False

    def __init__(self, game: Game, options: Options, perfect: Callable[[Position], list[float]] | None = None) -> None:
        """`perfect` tells what all players score in the end if everybody plays perfectly."""
        self.game, self.options, self.perfect = game, options, perfect
        self.tuples = [tuple(t) for t in options.tuples] + [()] * options.bias
        self.w: dict[Key, float] = {}
        rules = [options.make_rule() for _ in range(game.num_players)]
        own_rules = options.rule in SCALARS and options.tables == "per-player"
        self.rules = rules if own_rules else rules[:1] * game.num_players
        self.permutations = [[int(i) for i in row] for row in game.symmetries()]
        mapped = game.action_symmetries()
        self.mapped = None if mapped is None else [[int(a) for a in row] for row in mapped]
        if options.some is not None:
            self.permutations = [self.permutations[k] for k in options.some]
            self.mapped = None if self.mapped is None else [self.mapped[k] for k in options.some]
        self.pairs = [] if self.of_actions else [(int(a), int(b)) for a, b in game.exchangeable_cells()]
        low, high = game.score_range
        self.scale = {"tanh": 1 / max(abs(low), abs(high)), "logistic": 1 / (high - low), "identity": 1.0}[
            options.output
        ]
        self.lowest = low
        self.draws_checked = 0
        self.episodes = 0
        self.outcomes: Iterator[int] | None = None
        """The chance events of the game that is read instead of played."""

    # ------------------------------------------------------------ an episode from its start to its end

    def episode(self, moves: Sequence[Move], alpha: float, epsilon: float, rng: np.ndarray) -> None:
        """Learn from the recorded moves of self-play. `rng` is the state of the random numbers at the start of the
        episode; it is used up."""
        self.outcomes = None
        draws = Draws(rng)
        self.learn_episode(moves, alpha, epsilon, draws)
        self.draws_checked += draws.checked
        self.episodes += 1

    def episode_from(self, actions: Sequence[int], outcomes: Sequence[int], alpha: float, rng: np.ndarray) -> None:
        """Learn from a game that somebody else has played."""
        self.outcomes = iter(outcomes)
        self.learn_episode([Move(action, False, action) for action in actions], alpha, 0.0, Draws(rng))
        self.episodes += 1

    def learn_episode(self, moves: Sequence[Move], alpha: float, epsilon: float, draws: Draws) -> None:
        """What the algorithm does."""
        raise NotImplementedError

    def start(self, rng: np.ndarray) -> Position:
        """s_0: the default start, or with Choose-Start-01 what the game draws."""
        position = Position(self.game)
        if self.options.choose_start and self.outcomes is None:
            records = np.zeros(1, self.game.state).view(np.recarray)
            self.game.random_start(records[0], rng)
            position = Position(self.game, records[0])
        return self.roll(position, rng)

    def roll(self, position: Position, rng: np.ndarray) -> Position:
        """The chance events that are due."""
        if self.outcomes is None:
            return position.roll(rng)
        while position.is_chance:
            position.play_chance(next(self.outcomes))
        return position

    def result(self, position: Position, played: int) -> list[float] | None:
        """What everybody got in the end, after so many moves; None where the episode was cut off without a result."""
        if position.is_over:
            return [score * self.pace(played - 1) for score in position.scores]
        if self.options.at_limit == "score":
            return position.scores
        if self.options.at_limit == "perfect":
            assert self.perfect is not None
            return self.perfect(position)
        return None

    def pace(self, moves_before: int) -> float:
        """What the result counts if so many moves came before the last one."""
        return 1.0 - self.options.haste * moves_before

    def reward(self, over: bool, score: float, earlier: float) -> float:
        """The reward between two scores. A logistic network is paid the whole score, moved into 0..1, at the end."""
        if self.options.output == "logistic":
            return (score - self.lowest) * self.scale if over else 0.0
        return (score - earlier) * self.scale

    # ------------------------------------------------------------ the network, equation 2 of the FARL paper

    def cells(self, position: Position, player: int) -> Cells:
        """The board as the player's network sees it."""
        if self.options.tables != "inversion":
            return tuple(int(v) for v in position.cells)
        out = np.zeros(self.game.num_cells, np.int8)
        self.game.cells_of(position.state, player, out)
        return tuple(int(v) for v in out)

    def symmetric_boards(self, cells: Cells) -> list[tuple[int, Cells]]:
        """S(s): every exchange of pairs whose values differ, on every symmetric board, with the symmetry's number."""
        if not self.options.symmetries:
            return [(0, cells)]
        differing = [(a, b) for a, b in self.pairs if cells[a] != cells[b]]
        boards = []
        for swaps in itertools.product((False, True), repeat=len(differing)):
            exchanged = list(cells)
            for (a, b), swap in zip(differing, swaps, strict=True):
                if swap:
                    exchanged[a], exchanged[b] = exchanged[b], exchanged[a]
            for k, row in enumerate(self.permutations):
                boards.append((k, tuple(exchanged[source] for source in row)))
        return boards

    def input(self, position: Position, player: int, action: int = -1) -> Input:
        """The input for a position of the player, an afterstate; or for an action of his in it."""
        table = player if self.options.tables == "per-player" else 0
        boards = self.symmetric_boards(self.cells(position, player))
        x: dict[Key, int] = {}
        for i, cells in enumerate(self.tuples):
            for k, board in boards:
                key: Key = (table, i, tuple(board[cell] for cell in cells))
                if self.of_actions:
                    key = (*key, self.mapped[k][action] if self.options.symmetries and self.mapped else action)
                x[key] = 1 if self.options.distinct else x.get(key, 0) + 1
        return Input(player, x, len(self.tuples) * len(boards))

    def value(self, position: Input) -> float:
        """V = sigma(sum of the weights of all tuples on all symmetric boards)."""
        return self.output(sum(self.w.get(key, 0.0) * x for key, x in position.x.items()))

    def output(self, total: float) -> float:
        """sigma"""
        if self.options.output == "tanh":
            return math.tanh(total)
        if self.options.output == "logistic":
            return 1 / (1 + math.exp(-total))
        return total

    def slope(self, value: float) -> float:
        """sigma' from the value."""
        return {"tanh": 1 - value**2, "logistic": value * (1 - value), "identity": 1.0}[self.options.output]

    def gain(self, value: float) -> float:
        """The gradient's factor: sigma', but 1 for a logistic output, whose loss is the cross-entropy."""
        return {"tanh": 1 - value**2, "logistic": 1.0, "identity": 1.0}[self.options.output]

    # ------------------------------------------------------------ choices

    @property
    def sure(self) -> bool:
        """Whether actions that are equal in the kernels are equal here, and the other way round: nothing is learned
        yet, or every weight began with a random number of its own and no symmetric boards are summed up."""
        return not self.w or (self.options.spread > 0 and not self.options.symmetries)

    def check_choice(
        self, draws: Draws, position: Position, values: dict[int, float], move: Move, epsilon: float
    ) -> None:
        """Check that the epsilon-greedy policy can have chosen the action, with these values of the actions."""
        assert move.action in position.legal_actions
        if self.outcomes is not None:
            return
        explores = draws.explores(epsilon)
        assert explores is None or explores == move.was_random
        if move.was_random:
            assert draws.pick(position.legal_actions) in (None, move.action)
            return
        won = self.winning_action(position) if self.options.take_wins else None
        if won is not None:
            assert move.action == won
            return
        assert move.action in nearly_best(values), f"{move.action} is not the best of {values}"
        assert draws.best(values, self.sure) in (None, move.action)

    def winning_action(self, position: Position) -> int | None:
        """The first action that ends the game with a score above all others."""
        for action in position.legal_actions:
            after = position.copy().play(action)
            mine, others = after.scores[position.player], list(after.scores)
            del others[position.player]
            if not after.is_chance and after.is_over and mine > max([0.0, *others]):
                return action
        return None
