"""A slow, obvious TD-FARL learner: dictionaries, Python floats, and loops that follow the FARL paper line by line
(Algorithms 2, 6 and 7, equations 2 to 5) and, for the trace vector, Algorithm 1 of Thill 2015.

It does not choose moves of its own. It replays those that the kernels recorded, learns from them, and checks each of
them: a greedy one must be the best in its own values, up to rounding. The draws behind the moves (explore or not, which
action, which of equal ones) are checked as well while the state of the random numbers is known for sure: that is from
the start of an episode to the first greedy move in which actions are equal only up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from reference_network import Draws, Input, Key, Move, Options, ReferenceNetwork
from reference_replay import Memories, Transition

from boardlab.game import Game
from boardlab.position import Position

__all__ = ["FarlLearner", "Input", "Key", "Memory", "Move", "Options", "ReferenceLearner"]


@dataclass
class Memory:
    """What a player carries through an episode."""

    past: list[Input] = field(default_factory=list)
    """s_last[p] is the last one; empty stands for null."""
    score: float = 0.0
    """R of the player when he was last rewarded."""
    trace: dict[Key, float] = field(default_factory=dict)
    newest: dict[Key, float] = field(default_factory=dict)
    """What the last position added to the trace."""

    def forget(self) -> None:
        """Nothing is eligible any more."""
        self.past.clear()
        self.trace.clear()

    def forget_older(self) -> None:
        """Nothing but the newest position is eligible any more."""
        del self.past[:-1]
        self.trace = dict(self.newest)


class FarlLearner(ReferenceNetwork):
    """What all algorithms with final adaptation share: every player has a past of his own and learns by Algorithm 7."""

    def __init__(self, game: Game, options: Options, perfect: Callable[[Position], list[float]] | None = None) -> None:
        super().__init__(game, options, perfect)
        self.memories: list[Memory] = []
        self.stored = Memories(options.replay)

    def td_update(self, player: int, target: float, alpha: float, following: Input | None = None) -> None:
        """TD(lambda)UPDATE of the player's last position, or the same with a trace vector. `following` is the position
        whose value is in the target."""
        o, memory = self.options, self.memories[player]
        newest = memory.past[-1]
        value = self.value(newest)
        newest.gain = self.gain(value)
        if o.traces:
            self.move_weights(memory.trace, newest, newest, target - value, self.slope(value), alpha, following)
            return
        for age, position in enumerate(reversed(memory.past[-o.horizon :])):  # line 3: age = t - k
            fading = position.gain * (o.gamma * o.lam) ** age
            once = dict.fromkeys(position.x, fading)  # lines 5, 7, 9: each index once, however often it is hit
            active = newest if age == 0 else None
            self.move_weights(once, position, active, target - value, self.slope(value), alpha, following)  # line 8

    def move_weights(
        self,
        e: dict[Key, float],
        position: Input,
        active: Input | None,
        delta: float,
        slope: float,
        alpha: float,
        following: Input | None,
    ) -> None:
        """Let the step-size rule move all weights that are eligible."""
        o = self.options
        entries = [(key, e[key], active.x.get(key, 0) if active else 0) for key in e]
        ahead = slope * sum(e.get(key, 0.0) * x for key, x in following.x.items()) if following else 0.0
        step = alpha / position.entries if o.divide_alpha else alpha  # alpha / (m N_S), equation 3
        self.rules[position.owner].update(entries, self.w, delta, slope, o.gamma, ahead, step)

    def update_traces(self, player: int) -> None:
        """Algorithm 1 of Thill 2015, lines 24 to 27, for the player's newest position."""
        o, memory = self.options, self.memories[player]
        newest = memory.past[-1]
        gain = self.gain(self.value(newest))
        for key in memory.trace:
            memory.trace[key] *= o.gamma * o.lam
        memory.newest = {key: gain * x for key, x in newest.x.items()}
        for key, added in memory.newest.items():
            memory.trace[key] = (0.0 if o.replace else memory.trace.get(key, 0.0)) + added

    def push(self, player: int, position: Input) -> None:
        """s_last[p] = s"""
        self.memories[player].past.append(position)
        if self.options.traces:
            self.update_traces(player)

    # ------------------------------------------------------------ replay memory

    def store(self, player: int, reward: float, following: list[Input]) -> None:
        """Keep what the player's last position learns from."""
        self.stored.add(Transition(self.memories[player].past[-1], reward, following))

    def learn_again(self, alpha: float, draws: Draws) -> None:
        """After each move some transitions are learned once more, with the values that the network has by now."""
        o = self.options
        if self.episodes < o.replay_from:
            return
        for transition in self.stored.draw(o.replays, draws):
            target = transition.reward
            if transition.following:
                target += o.gamma * max(self.value(position) for position in transition.following)
            position = transition.position
            value = self.value(position)
            once = dict.fromkeys(position.x, self.gain(value))
            self.move_weights(once, position, position, target - value, self.slope(value), alpha, None)


class ReferenceLearner(FarlLearner):
    """TD-FARL, by replay."""

    # ------------------------------------------------------------ Algorithm 2

    def learn_episode(self, moves: Sequence[Move], alpha: float, epsilon: float, draws: Draws) -> None:
        """TD-FARL-EPISODE"""
        o = self.options
        position = self.start(draws.rng)
        self.memories = [Memory(score=score) for score in position.scores]  # line 3: s_last[p] = null
        player = -1
        rolled = False
        for played, move in enumerate(moves):
            assert not position.is_over and played < o.max_moves
            player = position.player  # line 5
            rated = {a: self.rate(position, a, played) for a in position.legal_actions}
            values = {a: reward + o.gamma * value for a, (reward, value) in rated.items()}
            self.check_choice(draws, position, values, move, epsilon)  # line 6
            reward, value = rated[move.action]
            position.play(move.action)  # line 7: MAKEACTION, Algorithm 6, line 2
            after = self.input(position, player)
            score, rolled = position.scores[player], position.is_chance
            if rolled and o.sees_chance:
                self.roll(position, draws.rng)
                value = 0.0 if position.is_over else value
            over = not position.is_chance and position.is_over
            self.adapt_agent(player, reward, value, None if over else after, move.was_random, alpha)  # line 9
            self.push(player, after)  # line 10
            self.memories[player].score = score
            self.roll(position, draws.rng)  # Algorithm 6, line 3: s''
            self.learn_again(alpha, draws)
        assert position.is_over or len(moves) == o.max_moves or self.outcomes is not None  # line 13
        result = self.result(position, len(moves))
        if result is not None and moves:
            self.final_adapt_agents(player, result, rolled or not position.is_over, position.is_over, alpha)  # line 14

    def adapt_agent(
        self, player: int, reward: float, value: float, after: Input | None, was_random: bool, alpha: float
    ) -> None:
        """ADAPTAGENTV for s_last of the player; `value` is V(s')."""
        o, memory = self.options, self.memories[player]
        if not memory.past:  # line 18
            return
        if not was_random or o.learn_from_random:
            self.store(player, reward, [after] if after else [])
            self.td_update(player, reward + o.gamma * value, alpha, after)  # lines 19 to 21
            return
        memory.past[-1].gain = self.gain(self.value(memory.past[-1]))  # Algorithm 7, line 2
        if o.reset:
            for other in self.memories if o.reset_all else []:
                other.forget_older()
            memory.forget()

    def final_adapt_agents(self, last: int, scores: list[float], paid: bool, over: bool, alpha: float) -> None:
        """FINALADAPTAGENTS. What a chance event pays after the last afterstate, or the cut, is its target."""
        o = self.options
        if o.farl_others:
            for p in range(self.game.num_players):  # line 25
                if p != last and self.memories[p].past:  # line 26
                    self.learn_result(p, self.reward(True, scores[p], self.memories[p].score), alpha)  # lines 27, 28
        if o.farl_terminal or not over:
            target = self.reward(True, scores[last], self.memories[last].score) if paid else 0.0
            self.learn_result(last, target, alpha)  # lines 29 to 31

    def learn_result(self, player: int, target: float, alpha: float) -> None:
        """The player's last afterstate learns, and nothing follows it."""
        self.store(player, target, [])
        self.td_update(player, target, alpha)

    def rate(self, position: Position, action: int, played: int = 0) -> tuple[float, float]:
        """Reward of an action and V of its afterstate, which is 0 where the game is over."""
        player = position.player
        after = Position(self.game, position.state)
        self.game.advance(after.state, action)
        over = not after.is_chance and after.is_over
        score = after.scores[player] * (self.pace(played) if over else 1.0)
        reward = self.reward(over, score, self.memories[player].score)
        return reward, 0.0 if over else self.value(self.input(after, player))
