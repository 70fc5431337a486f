"""Self-play one move back: every position learns from the one after it, whoever moves there.

TD(lambda) self-play is Algorithm 1 of Thill 2015 and Algorithm 2 of Konen 2015; Q-self-play is Algorithm 3 of the
latter. What is good for one of the two players is bad for the other, so all positions form one chain: the first player
maximises its values, the second one minimises them. Here everybody has values of his own, and a value of the other
player is taken with the opposite sign, which is the same. A position belongs to the player who waits in it, so that
its value depends on nothing but the position, also where a player moves again. A game of one player has values of his
alone.
"""

from __future__ import annotations

from typing import Any

from boardlab.compiler import helper, inlined, inlined_method
from boardlab.game import Game
from boardlab.learn.algorithms.base import (
    Algorithm,
    best_action,
    forget,
    keep,
    learn,
    mirrored,
    note,
    options,
    remember,
    take_scores,
)
from boardlab.learn.approximators.base import reward_of
from boardlab.learn.outputs import LOGISTIC
from boardlab.rng import Rng

__all__ = ["QSelfPlay", "TDSelfPlay"]


class _SelfPlay(Algorithm):
    """What both have in common."""

    one_chain = True
    final_adaptation = False
    random_moves = False

    @inlined_method
    def owner(self, game: Any, s: Any, p: int) -> int:
        if game.num_players == 1 or game.is_chance(s) or game.is_over(s) or game.player(s) != p:
            return p
        return 1 - p

    @classmethod
    def unsuited(cls, game: Game) -> str:
        if game.num_players <= 2:
            return ""
        return f"{cls.name} is for games of one or two players; take td-farl, which learns games of any number"

    @inlined_method
    def ended(self, game: Any, work: Any, last: int, rolled: bool, cut: bool, alpha: float) -> None:
        """The newest afterstate learns what came after it: a chance event that ended the game, or the cut."""
        if work.trace.lengths[0] > 0 and (rolled or cut or self.values_ends):
            _learn_result(work, alpha)


class TDSelfPlay(_SelfPlay):
    """Each afterstate learns from the next one, a move later."""

    name = "td-self-play"

    @inlined_method
    def start(self, game: Any, work: Any) -> None:
        """The start position is the first that learns; it is as if the player before had moved there."""
        if not game.is_over(work.states[0]):
            before = (game.player(work.states[0]) + game.num_players - 1) % game.num_players
            keep(game, work, 0, before, 0)
            remember(work, 0)

    @inlined_method
    def move(self, game: Any, work: Any, p: int, alpha: float, epsilon: float, rng: Rng) -> None:
        s, trace, values = work.states[0], work.trace, work.values
        n, is_random = options(game, work, epsilon, rng)
        if work.rule.slots > 0:
            trace.announce(work.network.flat_memory, 0)
        a, target = best_action(game, work, n, p, rng)
        reward = work.moves.rewards[work.chosen[0]]
        note(work, a, is_random, -1)
        game.advance(s, a)
        values.follow_chosen(game, s, work.chosen[0])
        over = not game.is_chance(s) and game.is_over(s)
        keep(game, work, 0, self.owner(game, s, p), a)
        if is_random and work.settings.reset_on_random and not over:
            forget(work, 0)
        if trace.lengths[0] > 0:
            learner = trace.owners[0, trace.head[0]]
            other, turned = learner != p, learner != trace.owners[0, trace.fresh(0)]
            if not is_random or over:
                work.replay.store_next(work, 0, _seen_by_other(values, reward, over) if other else reward, turned, over)
                seen = _target_of_other(values, target, over, work.settings.gamma) if other else target
                learn(work, 0, seen, alpha, not over)
            else:
                trace.skip(values, work.network, 0)
        remember(work, 0)
        take_scores(game, work)


class QSelfPlay(_SelfPlay):
    """Each afterstate learns from the best next one, whether that is played or not."""

    name = "q-self-play"
    values_ends = True

    @inlined_method
    def move(self, game: Any, work: Any, p: int, alpha: float, epsilon: float, rng: Rng) -> None:
        s, trace, values = work.states[0], work.trace, work.values
        if trace.lengths[0] > 0:
            _learn_best(game, work, p, alpha, rng)
        take_scores(game, work)
        n, is_random = options(game, work, epsilon, rng)
        a, _ = best_action(game, work, n, p, rng)
        note(work, a, is_random, -1)
        if is_random and work.settings.reset_on_random:
            forget(work, 0)
        game.advance(s, a)
        values.follow_chosen(game, s, work.chosen[0])
        keep(game, work, 0, self.owner(game, s, p), a)
        remember(work, 0)


@inlined
def _seen_by_other(values: Any, reward: float, over: bool) -> float:
    """A reward of one of two players, as the other one has it."""
    return mirrored(values, reward) if over else 0.0 - reward


@inlined
def _target_of_other(values: Any, target: float, over: bool, gamma: float) -> float:
    """A target of one of two players, as the other one has it: his own value is discounted, gamma (1 - V)."""
    if values.output == LOGISTIC:
        return (1.0 if over else gamma) - target
    return -target


@inlined
def _learn_best(game: Any, work: Any, p: int, alpha: float, rng: Rng) -> None:
    """The newest afterstate learns its own reward and the best that the player to move can do."""
    trace, values, scores = work.trace, work.values, work.moves.scores
    owner = trace.owners[0, trace.head[0]]
    game.scores(work.states[0], scores)
    reward = reward_of(values, False, scores[owner], work.paid[owner])
    n = game.legal_actions(work.states[0], work.moves.actions)
    a, best = best_action(game, work, n, p, rng)
    if work.rule.needs_next:
        _look_ahead(game, work, p, a)
    value = mirrored(values, best) if owner != p else best
    work.replay.store_choices(game, work, 0, p, reward, owner != p, False)
    learn(work, 0, reward + work.settings.gamma * value, alpha, True)


@helper
def _look_ahead(game: Any, work: Any, p: int, a: int) -> None:
    """Write the afterstate of an action of player p behind the newest one."""
    trace, values = work.trace, work.values
    work.states[1] = work.states[0]
    game.advance(work.states[1], a)
    values.follow(game, work.states[1])
    place = trace.fresh(0)
    owner = work.algorithm.owner(game, work.states[1], p)
    trace.counts[0, place] = values.keep(game, work.states[1], owner, a, trace.index[0, place], trace.hits[0, place])
    trace.owners[0, place] = owner
    values.follow(game, work.states[0])


@inlined
def _learn_result(work: Any, alpha: float) -> None:
    owner = work.trace.owners[0, work.trace.head[0]]
    reward = reward_of(work.values, True, work.moves.scores[owner], work.paid[owner])
    work.replay.store_next(work, 0, reward, False, True)
    learn(work, 0, reward, alpha, False)
