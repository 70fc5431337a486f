"""TD-FARL: temporal-difference learning with final adaptation, for any number of players.

Algorithm 2 of the FARL paper (Konen and Bagheri 2021), with afterstates (Algorithm 6); both halves of the final
adaptation are switchable for the paper's no-FARL columns. The reward of a player is what his score gained since his
last afterstate, whoever's move or chance event it came from.
"""

from __future__ import annotations

from typing import Any

from boardlab.compiler import inlined, inlined_method
from boardlab.learn.algorithms.base import Algorithm, best_action, forget, keep, learn, note, options, remember
from boardlab.learn.approximators.base import reward_of
from boardlab.parameters import parameter
from boardlab.rng import Rng

__all__ = ["TDFarl"]


class TDFarl(Algorithm):
    """Each player's last afterstate learns from his next one, and at the end all players learn their reward."""

    name = "td-farl"
    sees_chance: bool = parameter(
        False,
        doc="whether targets wait for the chance event: where it ends the game, the afterstate before it counts 0",
    )

    @inlined_method
    def move(self, game: Any, work: Any, p: int, alpha: float, epsilon: float, rng: Rng) -> None:
        s, trace = work.states[0], work.trace
        n, is_random = options(game, work, epsilon, rng)
        if work.rule.slots > 0:
            trace.announce(work.network.flat_memory, p)
        a, target = best_action(game, work, n, p, rng)
        note(work, a, is_random, -1)
        game.advance(s, a)
        work.values.follow_chosen(game, s, work.chosen[0])
        keep(game, work, p, p, a)
        if self.sees_chance:
            work.due[0], work.due[1] = target, is_random
        else:
            _learn_move(game, work, p, target, is_random, alpha)
        game.scores(s, work.moves.scores)
        work.paid[p] = work.moves.scores[p]

    @inlined_method
    def rolled(self, game: Any, work: Any, p: int, alpha: float) -> None:
        """The program of the paper's authors (GBG) learns only now."""
        if self.sees_chance:
            over = game.is_over(work.states[0])
            target = work.moves.rewards[work.chosen[0]] if over else work.due[0]
            work.moves.open[work.chosen[0]] &= not over
            _learn_move(game, work, p, target, work.due[1] != 0.0, alpha)

    @inlined_method
    def ended(self, game: Any, work: Any, last: int, rolled: bool, cut: bool, alpha: float) -> None:
        """FINALADAPTAGENTS: all players but the last learn their final reward. The terminal afterstate learns that
        nothing comes after it, or what a chance event that ended the game, or the cut, paid."""
        settings, scores = work.settings, work.moves.scores
        if settings.farl_others:
            for p in range(game.num_players):
                if p != last and work.trace.lengths[p] > 0:
                    _learn_result(work, p, reward_of(work.values, True, scores[p], work.paid[p]), alpha)
        if settings.farl_terminal or cut:
            target = reward_of(work.values, True, scores[last], work.paid[last]) if rolled or cut else 0.0
            _learn_result(work, last, target, alpha)


@inlined
def _learn_move(game: Any, work: Any, p: int, target: float, is_random: bool, alpha: float) -> None:
    """The last afterstate of a player learns from the one that he has come to, which takes its place."""
    settings, trace, k = work.settings, work.trace, work.chosen[0]
    if trace.lengths[p] > 0:
        if settings.learn_from_random or not is_random:
            work.replay.store_next(work, p, work.moves.rewards[k], False, not work.moves.open[k])
            learn(work, p, target, alpha, work.moves.open[k])
        elif settings.reset_on_random:
            _reset(game, work, p)
        else:
            trace.skip(work.values, work.network, p)
    remember(work, p)


@inlined
def _reset(game: Any, work: Any, p: int) -> None:
    """After a random move the player does not learn about what was before it. Where that is so for all players (as in
    GBG), only the last afterstates of the others stay, which have still to learn."""
    forget(work, p)
    if work.settings.reset_all:
        for q in range(game.num_players):
            if work.trace.lengths[q] > 0:
                work.trace.forget_older(work.values, q)


@inlined
def _learn_result(work: Any, p: int, reward: float, alpha: float) -> None:
    work.replay.store_next(work, p, reward, False, True)
    learn(work, p, reward, alpha, False)
