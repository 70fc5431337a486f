"""A slow, obvious TD-FARL learner: dictionaries, Python floats, and loops that follow the FARL paper line by line
(Algorithms 2, 6 and 7, equations 2 to 5) and, for the trace vector, Algorithm 1 of Thill 2015. It shares no code with
boardlab/learn and boardlab/ntuple; the game it plays by the plain methods behind `Position`.

It does not choose moves of its own. It replays those that the kernels recorded, learns from them, and checks each of
them: a greedy one must be the best in its own values, up to rounding. The draws behind the moves (explore or not, which
action, which of equal ones) are checked as well while the state of the random numbers is known for sure: that is from
the start of an episode to the first greedy move in which actions are equal only up to rounding.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import random_below, random_float

Cells = tuple[int, ...]
Key = tuple[int, int, Cells]
"""Table set, number of the tuple, values of its cells."""


@dataclass(frozen=True)
class Options:
    """Everything that can be switched; the defaults are the paper's Algorithm 2 with lambda = 0 and plain alpha."""

    tuples: Sequence[Sequence[int]]
    symmetries: bool = True
    tables: str = "per-player"
    output: str = "tanh"
    rule: str = "plain"
    initial: float = 1e-4
    beta: float = 2.7
    gamma: float = 1.0
    lam: float = 0.0
    horizon: int = 1
    """Stored afterstates per player, h + 1 of Algorithm 7."""
    traces: bool = False
    replace: bool = False
    reset: bool = False
    learn_from_random: bool = True
    farl_others: bool = True
    farl_terminal: bool = True
    choose_start: bool = False
    divide_alpha: bool = True
    max_moves: int = 1 << 62


@dataclass
class Afterstate:
    """An afterstate of one player: all symmetric boards, and sigma' of the step in which it was the last one."""

    boards: list[Cells]
    slope: float = math.nan


@dataclass
class Memory:
    """What a player carries through an episode."""

    past: list[Afterstate] = field(default_factory=list)
    """s_last[p] is the last one; empty stands for null."""
    score: float = 0.0
    """R of the player when he was last rewarded."""
    trace: dict[Key, float] = field(default_factory=dict)


class ReferenceLearner:
    """One network in training, by replay."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        self.w: dict[Key, float] = defaultdict(float)
        self.N: dict[Key, float] = defaultdict(lambda: options.initial)
        self.A: dict[Key, float] = defaultdict(lambda: options.initial)
        self.permutations = [[int(i) for i in row] for row in game.symmetries()]
        self.pairs = [(int(a), int(b)) for a, b in game.exchangeable_cells()]
        self.memories: list[Memory] = []
        self.draws_checked = 0
        low, high = game.score_range
        self.scale = {"tanh": 1 / max(abs(low), abs(high)), "logistic": 1 / (high - low), "identity": 1.0}[
            options.output
        ]
        self.lowest = low

    # ------------------------------------------------------------ Algorithm 2

    def episode(self, moves: Iterable[tuple[int, bool]], alpha: float, epsilon: float, rng: np.ndarray) -> None:
        """TD-FARL-EPISODE over the recorded moves (action, whether it was random). `rng` is the state of the
        random numbers at the start of the episode; it is used up."""
        o = self.options
        position = self.start(rng)
        self.memories = [Memory(score=score) for score in position.scores]  # line 3: s_last[p] = null
        player = -1
        played = 0
        known = True
        rolled = False
        for action, was_random in moves:
            assert not position.is_over and played < o.max_moves
            player = position.player  # line 5
            memory = self.memories[player]
            rated = {a: self.rate(position, a) for a in position.legal_actions}
            known = self.check_choice(rated, action, was_random, epsilon, rng, known)  # line 6
            reward, value = rated[action]
            position.play(action)  # line 7: MAKEACTION, Algorithm 6, line 2
            after = Afterstate(self.symmetric_boards(self.cells(position, player)))
            self.adapt_agent(player, reward, value, was_random, alpha)  # line 9
            if was_random and not o.learn_from_random and o.reset:
                memory.past.clear()
                memory.trace.clear()
            memory.past.append(after)  # line 10
            if o.traces:
                self.update_traces(player)
            memory.score = position.scores[player]
            rolled = position.is_chance
            position.roll(rng)  # Algorithm 6, line 3: s''
            played += 1
        assert position.is_over or played == o.max_moves  # line 13
        if position.is_over and played > 0:
            self.final_adapt_agents(player, position.scores, rolled, alpha)  # line 14

    def start(self, rng: np.ndarray) -> Position:
        """s_0: the default start, or with Choose-Start-01 what the game draws."""
        position = Position(self.game)
        if self.options.choose_start:
            records = np.zeros(1, self.game.state).view(np.recarray)
            self.game.random_start(records[0], rng)
            position = Position(self.game, records[0])
        return position.roll(rng)

    def adapt_agent(self, player: int, reward: float, value: float, was_random: bool, alpha: float) -> None:
        """ADAPTAGENTV for s_last of the player; `value` is V(s')."""
        o, past = self.options, self.memories[player].past
        if past:  # line 18
            target = reward + o.gamma * value  # line 19
            if was_random and not o.learn_from_random:  # Algorithm 7, line 2
                past[-1].slope = self.slope(self.value(player, past[-1].boards))
            else:
                self.td_update(player, target, alpha)  # lines 20, 21

    def final_adapt_agents(self, last: int, scores: list[float], rolled: bool, alpha: float) -> None:
        """FINALADAPTAGENTS. What a chance event pays after the last afterstate is the target of that one."""
        o = self.options
        if o.farl_others:
            for p in range(self.game.num_players):  # line 25
                if p != last and self.memories[p].past:  # line 26
                    self.td_update(p, self.reward(True, scores[p], self.memories[p].score), alpha)  # lines 27, 28
        if o.farl_terminal:
            target = 0.0
            if rolled:
                target = self.reward(True, scores[last], self.memories[last].score)
            self.td_update(last, target, alpha)  # lines 29 to 31

    # ------------------------------------------------------------ Algorithm 7

    def td_update(self, player: int, target: float, alpha: float) -> None:
        """TD(lambda)UPDATE of the player's last afterstate, or the same with a trace vector."""
        o = self.options
        past = self.memories[player].past
        newest = past[-1]
        value = self.value(player, newest.boards)
        delta = target - value
        newest.slope = self.slope(value)
        if o.traces:
            step = self.step_size(alpha, newest.boards)
            for key, e in list(self.memories[player].trace.items()):
                self.move_weight(key, step, delta, e)
            return
        for age, afterstate in enumerate(reversed(past[-o.horizon :])):  # line 3: age = t - k
            e = afterstate.slope * (o.gamma * o.lam) ** age
            for i in range(len(o.tuples)):  # line 4
                inhibited = set()  # line 5: M
                for board in afterstate.boards:  # line 6
                    key = self.key(player, i, board)
                    if key not in inhibited:  # line 7
                        self.move_weight(key, self.step_size(alpha, afterstate.boards), delta, e)  # line 8
                        inhibited.add(key)  # line 9

    def step_size(self, alpha: float, boards: list[Cells]) -> float:
        """alpha / (m N_S), equation 3."""
        return alpha / (len(self.options.tuples) * len(boards)) if self.options.divide_alpha else alpha

    def move_weight(self, key: Key, alpha: float, delta: float, e: float) -> None:
        """Line 8 of Algorithm 7, with the factor of temporal coherence (appendix A.5)."""
        rule, beta = self.options.rule, self.options.beta
        if rule == "plain":
            self.w[key] += alpha * delta * e
            return
        q = abs(self.N[key]) / self.A[key] if self.A[key] else 1.0
        factor = {
            "tcl": q,
            "tcl-delta": q,
            "tcl-exp": math.exp(beta * (q - 1)),
            "tcl-pl": max(math.exp(-beta), beta * q + 1 - beta),
        }[rule]
        self.w[key] += alpha * factor * delta * e
        r = delta if rule == "tcl-delta" else delta * e
        self.N[key] += r
        self.A[key] += abs(r)

    def update_traces(self, player: int) -> None:
        """Algorithm 1 of Thill 2015, lines 24 to 27, for the player's new afterstate."""
        o, memory = self.options, self.memories[player]
        boards = memory.past[-1].boards
        gradient = self.slope(self.value(player, boards))
        hits: dict[Key, int] = defaultdict(int)
        for i in range(len(o.tuples)):
            for board in boards:
                hits[self.key(player, i, board)] += 1
        for key in memory.trace:
            memory.trace[key] *= o.gamma * o.lam
        for key, x in hits.items():
            memory.trace[key] = (0.0 if o.replace else memory.trace.get(key, 0.0)) + gradient * x

    # ------------------------------------------------------------ the network, equation 2

    def cells(self, position: Position, player: int) -> Cells:
        """The board as the player's network sees it."""
        if self.options.tables != "inversion":
            return tuple(int(v) for v in position.cells)
        out = np.zeros(self.game.num_cells, np.int8)
        self.game.cells_of(position.state, player, out)
        return tuple(int(v) for v in out)

    def symmetric_boards(self, cells: Cells) -> list[Cells]:
        """S(s'): every exchange of pairs whose values differ, on every symmetric board."""
        if not self.options.symmetries:
            return [cells]
        differing = [(a, b) for a, b in self.pairs if cells[a] != cells[b]]
        boards = []
        for swaps in itertools.product((False, True), repeat=len(differing)):
            exchanged = list(cells)
            for (a, b), swap in zip(differing, swaps, strict=True):
                if swap:
                    exchanged[a], exchanged[b] = exchanged[b], exchanged[a]
            boards += [tuple(exchanged[source] for source in row) for row in self.permutations]
        return boards

    def key(self, player: int, i: int, board: Cells) -> Key:
        """Ind_i(board) in the table set of the player."""
        table = player if self.options.tables == "per-player" else 0
        return table, i, tuple(board[cell] for cell in self.options.tuples[i])

    def value(self, player: int, boards: list[Cells]) -> float:
        """V = sigma(sum of the weights of all tuples on all symmetric boards)."""
        total = 0.0
        for i in range(len(self.options.tuples)):
            for board in boards:
                total += self.w.get(self.key(player, i, board), 0.0)
        if self.options.output == "tanh":
            return math.tanh(total)
        if self.options.output == "logistic":
            return 1 / (1 + math.exp(-total))
        return total

    def slope(self, value: float) -> float:
        """sigma' from the value; 1 for a logistic output, whose loss is the cross-entropy."""
        return {"tanh": 1 - value**2, "logistic": 1.0, "identity": 1.0}[self.options.output]

    # ------------------------------------------------------------ rewards and choices

    def reward(self, over: bool, score: float, earlier: float) -> float:
        """The reward between two scores. A logistic network is paid the whole score, moved into 0..1, at the end."""
        if self.options.output == "logistic":
            return (score - self.lowest) * self.scale if over else 0.0
        return (score - earlier) * self.scale

    def rate(self, position: Position, action: int) -> tuple[float, float]:
        """Reward of an action and V of its afterstate, which is 0 where the game is over."""
        player = position.player
        after = Position(self.game, position.state)
        self.game.advance(after.state, action)
        reward = self.reward(after.is_over, after.scores[player], self.memories[player].score)
        if after.is_over:
            return reward, 0.0
        return reward, self.value(player, self.symmetric_boards(self.cells(after, player)))

    def check_choice(
        self,
        rated: dict[int, tuple[float, float]],
        action: int,
        was_random: bool,
        epsilon: float,
        rng: np.ndarray,
        known: bool,
    ) -> bool:
        """Check that the epsilon-greedy policy can have chosen the action; return whether `rng` is still known."""
        legal = list(rated)
        assert action in legal
        if known:
            assert was_random == (random_float(rng) < epsilon)
            self.draws_checked += 1
        if was_random:
            assert not known or legal[random_below(rng, len(legal))] == action
            return known
        values = {a: reward + self.options.gamma * value for a, (reward, value) in rated.items()}
        best = max(values.values())
        rounding = 1e-5 * max(1.0, *(abs(v) for v in values.values()))
        near = [a for a, v in values.items() if v >= best - rounding]
        assert action in near, f"{action} is not the best of {values}"
        if not known or len(near) == 1:
            return known
        if not self.w:  # nothing is learned yet: values are equal to the last bit wherever the rewards are
            assert near[random_below(rng, len(near))] == action
            return True
        return False
