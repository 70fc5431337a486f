"""Slow, obvious TD(lambda) self-play and Q-self-play, as the papers have them: one value function from the first
player's view, which the first player maximises and the second one minimises, and one vector of traces over all tables.

TD self-play is Algorithm 1 of Thill 2015 with section 3.4.3 (a table for each player to move, or board inversion) and
Algorithm 2 of Konen 2015; Q-self-play is Algorithm 3 of the latter. With lambda = 0 the traces are the gradient.

The kernels let everybody have values of his own. So their table of the second player holds the opposite of what is here
(`opposite`); shared tables and inverted boards hold the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reference_network import Draws, Input, Key, Move, Options, ReferenceNetwork
from reference_replay import Memories, Transition

from boardlab.game import Game
from boardlab.position import Position


class ReferenceSelfPlay(ReferenceNetwork):
    """TD self-play, by replay."""

    def __init__(self, game: Game, options: Options, perfect: Callable[[Position], list[float]] | None = None) -> None:
        super().__init__(game, options, perfect)
        self.e: dict[Key, float] = {}
        self.past: list[Input] = []
        """For a horizon instead of traces: the last states, each with the factor of its gradient."""
        self.paid = 0.0
        self.stored = Memories(options.replay)

    # ------------------------------------------------------------ values as the first player has them

    def state(self, position: Position, mover: int) -> Input:
        """A state, after a move of `mover`. Its table is that of the player to move (3.4.3), numbered by the other one,
        who in most games has just moved."""
        if self.game.num_players == 1:
            return self.input(position, 0)
        if self.options.view == "waiting" and not position.is_over and not position.is_chance:
            mover = 1 - position.player
        return self.input(position, mover)

    def sign(self, s: Input) -> int:
        """Of an inverted board the opposite value counts."""
        return -1 if self.options.tables == "inversion" and s.owner == 1 else 1

    def v(self, s: Input) -> float:
        """V(s) for the first player: y, or for an inverted board -y (and with an output between 0 and 1, 1 - y)."""
        y = self.value(s)
        if self.sign(s) == 1:
            return y
        return 1 - y if self.options.output == "logistic" else -y

    def first_reward(self, over: bool, scores: Sequence[float]) -> float:
        """R(s), as the first player is paid since the last state."""
        return self.reward(over, scores[0], self.paid)

    def target(self, s: Input, reward: float, over: bool, following: float) -> float:
        """R(s') + gamma V(s'). An output between 0 and 1 is discounted from the view of the player whose state it is:
        what is far away is not better for the second player than for the first."""
        gamma = self.options.gamma
        if over:
            return reward
        if self.options.output == "logistic" and s.owner == 1:
            return 1 - gamma * (1 - following)
        return reward + gamma * following

    def prefers(self, player: int) -> int:
        """p: 1 for a player who maximises, -1 for one who minimises."""
        return 1 if player == 0 else -1

    # ------------------------------------------------------------ Algorithm 1 of Thill 2015

    def learn_episode(self, moves: Sequence[Move], alpha: float, epsilon: float, draws: Draws) -> None:
        """TDLTRAIN"""
        o = self.options
        position = self.start(draws.rng)
        self.paid = position.scores[0]
        self.e, self.past = {}, []
        s = self.state(position, self.game.num_players - 1)
        self.add_traces(s)  # line 6
        rolled = False
        for played, move in enumerate(moves):  # line 7
            assert not position.is_over and played < o.max_moves
            p = position.player
            values = self.action_values(position, p, played, s)
            self.check_choice(draws, position, values, move, epsilon)  # lines 9 to 18
            position.play(move.action)
            over = not position.is_chance and position.is_over
            if move.was_random and o.reset and not over:  # with e = 0, what line 21 says of the end would be in vain
                self.e, self.past = {}, []  # line 13
            scores = [score * self.pace(played) if over else score for score in position.scores]
            reward = self.first_reward(over, scores)
            following = self.state(position, p)
            if (not move.was_random or over) and (self.e or self.past):  # line 21
                self.store(s, reward, [] if over else [following], p)
                target = self.target(s, reward, over, 0.0 if over else self.v(following))  # lines 19, 20
                self.update(s, target, alpha, None if over else following)  # line 22
            elif self.past:
                s.gain = self.gain(self.value(s))
            s = following
            self.add_traces(s)  # lines 24 to 27
            self.paid = position.scores[0]
            rolled = position.is_chance
            self.roll(position, draws.rng)
            self.learn_again(alpha, draws)
        result = self.result(position, len(moves))
        if moves and result is not None and (rolled or not position.is_over):  # a chance event ended it, or the cut
            self.learn_result(s, result, alpha)

    def action_values(self, position: Position, p: int, played: int, s: Input) -> dict[int, float]:
        """What is maximised in line 17, for every action; the game goes on from s."""
        values = {}
        for action in position.legal_actions:
            after = position.copy()
            self.game.advance(after.state, action)
            over = not after.is_chance and after.is_over
            reward = self.first_reward(over, [x * self.pace(played) if over else x for x in after.scores])
            if over:
                values[action] = self.prefers(p) * reward
            else:
                chooser = replace(s, owner=p)
                values[action] = self.prefers(p) * self.target(chooser, reward, over, self.v(self.state(after, p)))
        return values

    def update(self, s: Input, target: float, alpha: float, following: Input | None) -> None:
        """delta, and w += alpha delta e, for all weights that are eligible."""
        o = self.options
        delta, y = target - self.v(s), self.value(s)
        if o.traces:
            self.move_weights(self.e, s, s, delta, y, alpha, following)
            return
        s.gain = self.gain(y)
        for age, earlier in enumerate(reversed(self.past[-o.horizon :])):
            factor = self.sign(earlier) * earlier.gain * (o.gamma * o.lam) ** age
            e = {key: factor * x for key, x in earlier.x.items()}
            self.move_weights(e, earlier, s if age == 0 else None, delta, y, alpha, following)

    def move_weights(
        self,
        e: dict[Key, float],
        s: Input,
        active: Input | None,
        delta: float,
        y: float,
        alpha: float,
        following: Input | None,
    ) -> None:
        """Let the step-size rule move the weights."""
        o, slope = self.options, self.slope(y)
        x = {key: self.sign(active) * hits for key, hits in active.x.items()} if active else {}
        entries = [(key, e[key], x.get(key, 0)) for key in e]
        ahead = 0.0
        if following:
            ahead = slope * sum(e.get(key, 0.0) * self.sign(following) * hits for key, hits in following.x.items())
        step = alpha / s.entries if o.divide_alpha else alpha
        self.rules[s.owner].update(entries, self.w, delta, slope, o.gamma, ahead, step)

    def add_traces(self, s: Input) -> None:
        """Lines 24 to 27: the traces fade, and the gradient of s comes to them."""
        o = self.options
        self.past.append(s)
        if not o.traces:
            return
        gain = self.sign(s) * self.gain(self.value(s))
        for key in self.e:
            self.e[key] *= o.gamma * o.lam
        for key, hits in s.x.items():
            self.e[key] = (0.0 if o.replace else self.e.get(key, 0.0)) + gain * hits

    def learn_result(self, s: Input, scores: list[float], alpha: float) -> None:
        """The last state learns what came after it."""
        reward = self.first_reward(True, scores)
        self.store(s, reward, [], 0)
        self.update(s, reward, alpha, None)

    # ------------------------------------------------------------ replay memory

    def store(self, s: Input, reward: float, following: list[Input], chooser: int) -> None:
        """Keep what state s learns from."""
        self.stored.add(Transition(s, reward, following, chooser))

    def learn_again(self, alpha: float, draws: Draws) -> None:
        """After each move some transitions are learned once more, with the values that the network has by now."""
        o = self.options
        if self.episodes < o.replay_from:
            return
        for transition in self.stored.draw(o.replays, draws):
            s, p = transition.position, self.prefers(transition.chooser)
            best = p * max([p * self.v(f) for f in transition.following], default=0.0)
            target = self.target(s, transition.reward, not transition.following, best)
            y = self.value(s)
            e = {key: self.sign(s) * self.gain(y) * x for key, x in s.x.items()}
            self.move_weights(e, s, s, target - self.v(s), y, alpha, None)


class ReferenceQSelfPlay(ReferenceSelfPlay):
    """Q-self-play, by replay: Q(s, a) is the value of the afterstate, reward included, so final ones have one, too."""

    def learn_episode(self, moves: Sequence[Move], alpha: float, epsilon: float, draws: Draws) -> None:
        """QSELFPLAY of Algorithm 3. Q_{t+1} is there p max_a' p Q(s_{t+1}, a') with the player p who has just moved;
        that is a misprint: it is the next player who chooses a', as the greedy move two lines above says."""
        o = self.options
        position = self.start(draws.rng)
        self.e, self.past = {}, []  # e_{-1}
        s: Input | None = None
        for played, move in enumerate(moves):
            assert not position.is_over and played < o.max_moves
            p = position.player
            if s is not None:
                self.adapt(s, position, alpha, draws)
            self.paid = position.scores[0]
            values = {a: self.prefers(p) * q for a, q in self.q_values(position).items()}
            self.check_choice(draws, position, values, move, epsilon)
            if move.was_random and o.reset:
                self.e, self.past = {}, []
            position.play(move.action)
            s = self.state(position, p)
            self.add_traces(s)  # e_t
            self.roll(position, draws.rng)
            self.learn_again(alpha, draws)
        result = self.result(position, len(moves))
        if s is not None and result is not None:
            self.learn_result(s, result, alpha)

    def adapt(self, s: Input, position: Position, alpha: float, draws: Draws) -> None:
        """delta_t = r_{t+1} + gamma Q_{t+1} - Q_t, and the learning step"""
        p = self.prefers(position.player)
        values = {a: p * q for a, q in self.q_values(position).items()}
        drawn = draws.best(
            values, self.sure
        )  # the kernels draw one of the best, although mostly its value alone counts
        reward = self.first_reward(False, position.scores)
        following = [self.after(position, a) for a in values]
        self.store(s, reward, following, position.player)
        target = self.target(s, reward, False, p * max(values.values()))
        best = max(values, key=values.__getitem__) if drawn is None else drawn
        self.update(s, target, alpha, self.after(position, best))

    def after(self, position: Position, action: int) -> Input:
        """A(s, a)"""
        after = position.copy()
        self.game.advance(after.state, action)
        return self.state(after, position.player)

    def q_values(self, position: Position) -> dict[int, float]:
        """Q(s, a) = f(w; A(s, a)) for every legal action, as the first player has it."""
        return {a: self.v(self.after(position, a)) for a in position.legal_actions}


def opposite(numbers: dict[Key, float]) -> dict[Key, float]:
    """Weights of the kernels as the first player has them, where each player has a table of his own."""
    return {key: -w if key[0] == 1 else w for key, w in numbers.items()}
