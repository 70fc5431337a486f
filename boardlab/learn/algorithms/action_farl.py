"""SARSA-FARL and Q-FARL: values of actions, with final adaptation, for any number of players.

Algorithms 3 to 5 of the FARL paper (Konen and Bagheri 2021, appendix A.2). A player's last state and action learn, when
he is to move again, from the value of an action in his new state: SARSA from the one that his policy draws there, Q
from the best one. Then the action that is played is chosen anew. There are no afterstates: what chance does after an
action belongs to the next state.
"""

from __future__ import annotations

from typing import Any

from boardlab.compiler import inlined, inlined_method
from boardlab.learn.algorithms.base import Algorithm, best_action, forget, keep, learn, note, options, remember
from boardlab.learn.approximators.base import reward_of
from boardlab.rng import Rng

__all__ = ["QFarl", "SarsaFarl"]


class SarsaFarl(Algorithm):
    """Each player's last state and action learn from the action that his policy takes next."""

    name = "sarsa-farl"
    of_actions = True
    greedy_target = False
    random_moves = False
    replayable = "sarsa-farl learns from what its present policy does next, which a stored transition does not tell"

    @inlined_method
    def move(self, game: Any, work: Any, p: int, alpha: float, epsilon: float, rng: Rng) -> None:
        s = work.states[0]
        game.scores(s, work.moves.scores)
        score = work.moves.scores[p]
        considered = -1
        if work.trace.lengths[p] > 0:
            considered = _adapt_agent(game, work, p, score, alpha, 0.0 if self.greedy_target else epsilon, rng)
        n, is_random = options(game, work, epsilon, rng)
        a, _ = best_action(game, work, n, p, rng)
        note(work, a, is_random, considered)
        if is_random and work.settings.reset_on_random:
            forget(work, p)
        keep(game, work, p, p, a)
        remember(work, p)
        work.paid[p] = score
        game.advance(s, a)
        if not game.is_chance(s):
            work.values.follow(game, s)

    @inlined_method
    def ended(self, game: Any, work: Any, last: int, rolled: bool, cut: bool, alpha: float) -> None:
        """The player after the last one learns his final reward, and by FINALADAPTAGENTS all others."""
        following = (last + 1) % game.num_players
        _learn_result(game, work, following, alpha)
        if work.settings.farl_others:
            for p in range(game.num_players):
                if p != following:
                    _learn_result(game, work, p, alpha)


class QFarl(SarsaFarl):
    """Each player's last state and action learn from his best next action."""

    name = "q-farl"
    greedy_target = True
    replayable = ""


@inlined
def _adapt_agent(game: Any, work: Any, p: int, score: float, alpha: float, epsilon: float, rng: Rng) -> int:
    """ADAPTAGENTQ: the action in the new state that the target was made of."""
    n = game.legal_actions(work.states[0], work.moves.actions)
    if not work.algorithm.greedy_target:
        n, _ = options(game, work, epsilon, rng)
    a, value = best_action(game, work, n, p, rng)
    reward = reward_of(work.values, False, score, work.paid[p])
    if work.rule.needs_next:
        keep(game, work, p, p, a)
    work.replay.store_choices(game, work, p, p, reward, False, False)
    learn(work, p, reward + work.settings.gamma * value, alpha, True)
    return int(a)


@inlined
def _learn_result(game: Any, work: Any, p: int, alpha: float) -> None:
    if work.trace.lengths[p] > 0:
        reward = reward_of(work.values, True, work.moves.scores[p], work.paid[p])
        work.replay.store_choices(game, work, p, p, reward, False, True)
        learn(work, p, reward, alpha, False)
