"""Slow, obvious SARSA-FARL and Q-FARL: Algorithms 3 to 5 of the FARL paper, line by line, with one table for each
action. On a symmetric board the action is the one that it becomes there."""

from __future__ import annotations

from collections.abc import Sequence

from reference_learner import FarlLearner, Memory
from reference_network import Draws, Move, nearly_best

from boardlab.position import Position


class ReferenceSarsa(FarlLearner):
    """SARSA-FARL, by replay."""

    of_actions = True

    # ------------------------------------------------------------ Algorithm 5

    def learn_episode(self, moves: Sequence[Move], alpha: float, epsilon: float, draws: Draws) -> None:
        """SARSA-FARL-EPISODE, with the loop cut at another place: it begins where the next player is known, so that
        line 3 is the first pass of lines 10 and 11."""
        o = self.options
        position = self.start(draws.rng)
        self.memories = [Memory() for _ in position.scores]  # lines 4, 5: s_last[p] = a_last[p] = null
        player = -1
        for played, move in enumerate(moves):
            assert not position.is_over and played < o.max_moves
            player = position.player  # line 9
            self.adapt_agent(position, move, alpha, epsilon, draws)  # line 10
            self.check_choice(draws, position, self.q_values(position), move, epsilon)  # line 11: anew, Q has changed
            memory = self.memories[player]
            if move.was_random and o.reset:
                memory.forget()
            self.push(player, self.input(position, player, move.action))  # lines 14, 15
            memory.score = position.scores[player]
            self.roll(position.play(move.action), draws.rng)  # line 7: MAKEACTION, with the random part
            self.learn_again(alpha, draws)
        assert position.is_over or len(moves) == o.max_moves or self.outcomes is not None  # line 16
        result = self.result(position, len(moves))
        if result is not None and moves:
            following = (player + 1) % self.game.num_players
            self.learn_result(following, result, alpha)  # line 10 with M = 0
            if o.farl_others:
                self.final_adapt_agents(following, result, alpha)  # line 17

    def adapt_agent(self, position: Position, move: Move, alpha: float, epsilon: float, draws: Draws) -> None:
        """ADAPTAGENTQ where s'' is not terminal"""
        player = position.player
        memory = self.memories[player]
        if not memory.past:  # line 26
            return
        values = self.q_values(position)
        action = self.next_action(draws, position, values, move, epsilon)  # line 24
        reward = self.reward(False, position.scores[player], memory.score)
        self.store(player, reward, [self.input(position, player, a) for a in values])
        following = self.input(position, player, action)
        self.td_update(player, reward + self.options.gamma * values[action], alpha, following)  # lines 25, 27 to 29

    def next_action(
        self, draws: Draws, position: Position, values: dict[int, float], move: Move, epsilon: float
    ) -> int:
        """The action that the policy considers in s''. Whether it was random is known only while the draws are."""
        action = move.considered
        assert action in values
        if self.outcomes is not None:
            assert action == move.action
            return action
        explores = draws.explores(epsilon)
        if explores:
            assert draws.pick(list(values)) == action
        elif self.options.take_wins and (won := self.winning_action(position)) is not None:
            assert explores is None or action == won
        elif explores is not None:
            assert action in nearly_best(values)
            assert draws.best(values, self.sure) in (None, action)
        return action

    def final_adapt_agents(self, following: int, scores: list[float], alpha: float) -> None:
        """FINALADAPTAGENTS"""
        for p in range(self.game.num_players):  # line 34
            if p != following:
                self.learn_result(p, scores, alpha)

    def learn_result(self, player: int, scores: list[float], alpha: float) -> None:
        """The player's last state and action learn his final reward, lines 35 to 37."""
        memory = self.memories[player]
        if memory.past:
            target = self.reward(True, scores[player], memory.score)
            self.store(player, target, [])
            self.td_update(player, target, alpha)

    def q_values(self, position: Position) -> dict[int, float]:
        """Q(s, a) for every legal action."""
        return {a: self.value(self.input(position, position.player, a)) for a in position.legal_actions}


class ReferenceQ(ReferenceSarsa):
    """Q-FARL: as SARSA-FARL, but the target is the best action of the next state (Algorithm 3, line 8)."""

    def next_action(
        self, draws: Draws, position: Position, values: dict[int, float], move: Move, epsilon: float
    ) -> int:
        drawn = draws.best(values, self.sure)
        if self.outcomes is not None:
            return max(values, key=values.__getitem__)
        assert move.considered in nearly_best(values) and drawn in (None, move.considered)
        return move.considered
