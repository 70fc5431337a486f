"""From the parameters of a learner to its parts, and what does not fit together, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardlab.agents.learned_parameters import LearnedParameters, NTupleParameters
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.algorithms.base import Algorithm, Settings, make_algorithm
from boardlab.learn.approximators.base import Approximator, Shape, make_approximator
from boardlab.learn.episode import AT_LIMIT
from boardlab.learn.learner import Parts, TraceOptions
from boardlab.learn.oracle import Oracle
from boardlab.learn.rules import StepSizeRule, make_rule, refusal
from boardlab.search.zero_sum import looks_zero_sum, pays_before_the_end
from boardlab.solvers.oracle import oracle_of

__all__ = ["make_parts", "make_settings"]


def make_settings(game: Game, p: LearnedParameters) -> Settings:
    """How an episode learns."""
    return Settings(
        gamma=p.gamma,
        fade=np.float32(p.gamma * p.lam),
        learn_from_random=p.learn_from_random,
        reset_on_random=p.eligibility in ("res", "res-all", "rr"),
        reset_all=p.eligibility == "res-all",
        farl_others=p.farl and p.farl_others,
        farl_terminal=p.farl and p.farl_terminal,
        choose_start=p.choose_start,
        divide_alpha=p.divide_alpha,
        max_moves=p.max_moves or game.max_moves,
        at_limit=AT_LIMIT[p.at_limit],
        haste=p.haste,
        take_wins=p.take_wins,
        replays=p.replays if p.replay else 0,
        replay_from=p.replay_from,
    )


def make_parts(game: Game, p: LearnedParameters, tuples: Sequence[Sequence[int]], *, fresh: bool) -> Parts:
    """What the learner is put together from. `tuples` are those of the agent; those of a file have the bias already,
    which an agent that is not `fresh` comes from."""
    algorithm = make_algorithm(p.algorithm)
    rule = make_rule(p.rule, p.tc_init, p.beta)
    values = make_approximator(p.approximator)
    _refuse_algorithm(game, p, algorithm, fresh=fresh)
    _refuse_rule(p, rule, fresh=fresh)
    _refuse_approximator(p, values, rule)
    if fresh:
        _refuse_what_has_no_effect(game, p)
    ntuple = isinstance(p, NTupleParameters)
    shape = Shape(
        of_actions=algorithm.of_actions,
        tables=p.tables,
        first_view=algorithm.one_chain and game.num_players == 2,
        waiting=algorithm.one_chain and not algorithm.of_actions and game.num_players == 2,
        output=p.output,
        bias=p.bias and (fresh or not tuples),
        tuples=tuple(tuple(t) for t in tuples),
        symmetries=p.symmetries if isinstance(p, NTupleParameters) else True,
        num_symmetries=p.num_symmetries if isinstance(p, NTupleParameters) else 0,
        distinct=p.hits == "distinct",
        seed=p.seed,
    )
    if not ntuple and p.approximator.partition(":")[0] == "ntuple":
        raise BoardlabError("an agent without n-tuples cannot have approximator=ntuple; take td-ntuple")
    values.design(game, shape)
    return Parts(
        values=values,
        algorithm=algorithm,
        rule=rule,
        trace=TraceOptions(p.method, min(p.horizon, game.max_moves), replace=p.eligibility in ("rep", "rr")),
        once=None if p.hits == "default" else p.hits == "once",
        spread=p.spread,
        start_value=p.start_value,
        replay=p.replay,
        oracle=oracle_of(game) if p.at_limit == "perfect" else Oracle(),
    )


def _refuse_algorithm(game: Game, p: LearnedParameters, algorithm: Algorithm, *, fresh: bool) -> None:
    name = p.algorithm
    unsuited = algorithm.unsuited(game)
    if unsuited:
        raise BoardlabError(f"{game.title}: {unsuited}")
    if algorithm.one_chain and game.num_players == 2 and not looks_zero_sum(game):
        raise BoardlabError(
            f"{name} takes what one player wins for what the other loses, and in {game.title} that is not so; take"
            f" td-farl"
        )
    if fresh and not algorithm.final_adaptation and not (p.farl and p.farl_others and p.farl_terminal):
        raise BoardlabError(f"{name} has no final adaptation, so there is nothing that farl could switch off")
    if fresh and not algorithm.random_moves and p.learn_from_random:
        raise BoardlabError(f"{name} has a rule of its own for random moves; leave learn_from_random out")
    if not algorithm.random_moves and p.eligibility == "res-all":
        raise BoardlabError(f"eligibility=res-all is for td-farl; with {name} take eligibility=res")
    if p.replay and algorithm.replayable:
        raise BoardlabError(f"{algorithm.replayable}; take replay=0")


def _refuse_what_has_no_effect(game: Game, p: LearnedParameters) -> None:
    """What would be ignored, or do something else than it says. Agents that have learned so before stay readable."""
    if not p.replay and (p.replays != 1 or p.replay_from != 0):
        raise BoardlabError("replays and replay_from belong to a replay memory; give replay, as replay=10000")
    if isinstance(p, NTupleParameters) and p.num_symmetries:
        boards = len(game.symmetries())
        if not p.symmetries:
            raise BoardlabError("num_symmetries is a number of symmetric boards, which symmetries=false leaves out")
        if p.num_symmetries > boards:
            raise BoardlabError(f"num_symmetries={p.num_symmetries}, but {game.title} has {boards} symmetric boards")
    if p.take_wins and game.num_players == 1:
        raise BoardlabError(f"take_wins plays what wins at once, but in {game.title} nobody wins; take take_wins=false")
    if p.haste and p.output != "logistic" and pays_before_the_end(game):
        raise BoardlabError(
            f"haste makes the result of a long game smaller, but {game.title} pays before its end, and that would be"
            " taken back; take haste=0"
        )


def _refuse_rule(p: LearnedParameters, rule: StepSizeRule, *, fresh: bool) -> None:
    reason = refusal(rule, p.output, p.lam)
    if reason is not None:
        raise BoardlabError(reason)
    if p.horizon > 1 and (rule.passes > 1 or rule.needs_next):
        raise BoardlabError(f"{p.rule} has to see all weights of an update at once; take method=traces, or lam=0")
    if rule.needs_next and p.method not in ("horizon", "traces"):
        raise BoardlabError(f"{p.rule} looks at the next position, which only method=horizon and method=traces show it")
    ignored = sorted(p.model_fields_set & rule.ignored()) if fresh else []
    if ignored and ignored[0].startswith("alpha"):
        raise BoardlabError(f"{p.rule} has step sizes of its own; instead of alpha give rule={p.rule}:alpha0=...")
    if ignored:
        raise BoardlabError(f"the step-size rule {p.rule} knows nothing of {ignored[0]}; leave {ignored[0]} out")


def _refuse_approximator(p: LearnedParameters, values: Approximator, rule: StepSizeRule) -> None:
    if not values.direct and rule.needs_next:
        raise BoardlabError(f"{p.rule} compares the weights of two positions, which {p.approximator} does not keep")
    if not values.direct and p.horizon > 1:
        raise BoardlabError(
            f"the gradient of {p.approximator} is not kept in a horizon; take method=traces for lambda > 0"
        )
    if values.random_start and not p.spread:
        raise BoardlabError(f"{p.approximator} learns nothing from weights that are all alike; give spread=2")
