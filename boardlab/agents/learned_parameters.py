"""The parameters of our learners, room by room: network, eligibility, step sizes, exploration, episodes."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from boardlab.agents.learning import LearningAgent
from boardlab.game import Game
from boardlab.learn.schedules import Shape
from boardlab.ntuple.creation import make_tuples

__all__ = ["LearnedParameters", "NTupleParameters"]


class NetworkParameters(LearningAgent.Parameters):
    """What is learned."""

    approximator: str = Field(
        "ntuple",
        description="what gives values to positions: ntuple, linear, mlp, with parameters as mlp:hidden=20, or one's"
        " own as"
        " path/to/file.py:Class",
    )
    tables: Literal["per-player", "shared", "inversion"] = Field(
        "per-player", description="weights for each player, one set for all, or one with board inversion"
    )
    output: Literal["tanh", "logistic", "identity"] = Field(
        "tanh",
        description="output function sigma, with the loss that belongs to it; rewards are scaled into the range of a"
        " bounded one",
    )
    bias: bool = Field(False, description="add a weight that is always active")
    spread: float = Field(
        0.0, ge=0, le=100, description="weights begin at random between -spread/2 and spread/2 (xi of Thill 2015)"
    )
    start_value: float = Field(
        0.0, ge=-1e9, le=1e9, description="the score that every position promises at the beginning; high: optimistic"
    )


class TraceParameters(LearningAgent.Parameters):
    """Which positions learn besides the newest one."""

    lam: float = Field(0.0, ge=0, le=1, description="eligibility rate lambda")
    method: str = Field(
        "horizon",
        description="eligibility: a horizon of afterstates (Algorithm 7), traces (a trace vector, Thill 2015), or one's"
        " own as path/to/file.py:Class",
    )
    horizon_cut: float = Field(0.1, gt=0, lt=1, description="the horizon ends where lambda^k falls below this")
    eligibility: Literal["et", "res", "res-all", "rep", "rr"] = Field(
        "et",
        description="et never forgets, res resets the mover's chain on a random move, res-all everybody's (td-farl),"
        " rep replaces traces, rr does res and rep",
    )

    @property
    def horizon(self) -> int:
        """Stored positions of a chain: 1 + floor(ln(cut) / ln(lambda))."""
        if self.lam == 0 or self.method != "horizon":
            return 1
        return 1 + math.floor(math.log(self.horizon_cut) / math.log(self.lam) + 1e-9)

    @model_validator(mode="after")
    def _traces_fit(self) -> Self:
        if self.method == "horizon" and self.eligibility in ("rep", "rr"):
            raise ValueError("replacing traces (rep, rr) need method=traces")
        if self.method == "horizon" and self.lam == 1:
            raise ValueError("lambda = 1 has no horizon; take lambda below 1, or method=traces")
        return self


class RateParameters(LearningAgent.Parameters):
    """How far weights move, and how much is explored."""

    rule: str = Field(
        "tcl-exp",
        description="step-size rule, see `boardlab rules`: plain, temporal coherence as tcl-exp, idbd, autostep, ..."
        " with"
        " parameters as idbd:theta=3, or one's own as path/to/file.py:Class",
    )
    tc_init: float = Field(1e-4, ge=0, le=1e6, description="what N and A of temporal coherence start with (TC-Init)")
    beta: float = Field(2.7, gt=0, le=20, description="shape beta of the transfer function of tcl-exp and tcl-pl")
    alpha: float = Field(1.0, gt=0, le=1000, description="step size alpha at the start")
    alpha_end: float | None = Field(
        None, gt=0, le=1000, description="alpha after the last episode; none: as at the start"
    )
    alpha_schedule: Shape = Field("exponential", description="how alpha goes from start to end")
    divide_alpha: bool = Field(True, description="divide alpha by the number of active weights m N_S (equation 3)")
    epsilon: float = Field(0.1, ge=0, le=1, description="random move rate epsilon at the start")
    epsilon_end: float | None = Field(
        None, ge=0, le=1, description="epsilon after the last episode; none: as at the start"
    )
    epsilon_schedule: Shape = Field("linear", description="how epsilon goes from start to end")
    epsilon_share: float = Field(
        1.0, gt=0, le=1, description="epsilon has its end value after this share of the episodes"
    )
    gamma: float = Field(1.0, ge=0, le=1, description="discount factor gamma")
    hits: Literal["default", "once", "each", "distinct"] = Field(
        "default",
        description="a weight that several symmetric boards hit learns once (Algorithm 7), or each time (Thill 2015,"
        " Connect-4); distinct: it also counts once in the value (Thill 2015, Dots-and-Boxes); default: once in the"
        " FARL algorithms with a horizon, else each",
    )

    @model_validator(mode="after")
    def _rates_fit(self) -> Self:
        if self.alpha_schedule == "constant" and self.alpha_end not in (None, self.alpha):
            raise ValueError("a constant alpha has no other end value")
        if self.epsilon_schedule == "constant" and self.epsilon_end not in (None, self.epsilon):
            raise ValueError("a constant epsilon has no other end value")
        if self.epsilon_schedule == "exponential" and 0.0 in (self.epsilon, self.epsilon_end):
            raise ValueError("an exponential schedule of epsilon runs between numbers above 0")
        return self


class EpisodeParameters(LearningAgent.Parameters):
    """What an episode is, and what it teaches."""

    algorithm: str = Field(
        "td-farl",
        description="td-farl, sarsa-farl, q-farl, td-self-play, q-self-play, or one's own as path/to/file.py:Class",
    )
    farl: bool = Field(True, description="final adaptation of all players (FARL)")
    farl_others: bool = Field(True, description="first half of FARL: the other players learn their final reward")
    farl_terminal: bool = Field(True, description="second half of FARL: the terminal afterstate learns 0")
    learn_from_random: bool = Field(False, description="also learn from random moves (T_lrnRM, Learn-from-RM)")
    choose_start: bool = Field(False, description="begin episodes at random start states (Choose-Start-01)")
    max_moves: int | None = Field(None, ge=1, le=10**9, description="end an episode after so many moves; none: never")
    at_limit: Literal["nothing", "score", "estimate", "perfect"] = Field(
        "nothing",
        description="what an episode that max_moves ends learns as its result: the score so far, the game's own"
        " estimate,"
        " or what perfect play would bring",
    )
    haste: float = Field(
        0.0, ge=0, le=1, description="how much less a result counts for each move before the last one; 0.01: fast wins"
    )
    take_wins: bool = Field(
        False, description="an action that wins at once is always taken, but for random moves of self-play"
    )
    replay: int = Field(0, ge=0, le=10**8, description="replay memory: so many transitions are kept; 0: none")
    replays: int = Field(1, ge=0, le=1000, description="kept transitions that are learned again after each move")
    replay_from: int = Field(0, ge=0, le=10**9, description="from which episode on they are")
    episodes: int = Field(20_000, ge=1, le=10**9, description="training episodes over which alpha and epsilon change")
    seed: int = Field(1, ge=0, le=999_999_999_999, description="random tuples and all of the training follow from it")

    @model_validator(mode="after")
    def _episodes_fit(self) -> Self:
        if self.at_limit != "nothing" and self.max_moves is None:
            raise ValueError("at_limit needs max_moves, the number of moves after which an episode ends")
        return self


class LearnedParameters(EpisodeParameters, RateParameters, TraceParameters, NetworkParameters):
    """All parameters of a learner."""

    play_wrapper: str | None = Field(
        None, description="look ahead in play and evaluation with n-ply or puct, as n-ply:depth=2; none: do not"
    )
    train_wrapper: str | None = Field(
        None, description="the same for the moves of self-play, as n-ply:depth=1; none: do not"
    )

    def make_tuples(self, game: Game) -> list[list[int]]:
        """The n-tuples of a fresh agent; none without n-tuples."""
        return []

    @model_validator(mode="after")
    def _replay_fits(self) -> Self:
        if self.replay and (self.lam > 0 or self.method != "horizon"):
            raise ValueError("a replay memory has no order of moves, so it needs lambda = 0 and method=horizon")
        return self


class NTupleParameters(LearnedParameters):
    """And those of n-tuples."""

    tuples: str = Field(
        "default",
        description="n-tuples: a fixed set of the game, walk:70x8, snake:70x8, points:30x5, box-walk:80x16 or a"
        " JSON file",
    )
    symmetries: bool = Field(True, description="also look up all symmetric boards (USESYMMETRY, S(s'))")
    num_symmetries: int = Field(
        0, ge=0, le=10**6, description="only so many of the symmetric boards, drawn at random (nSym); 0: all"
    )

    def make_tuples(self, game: Game) -> list[list[int]]:
        return make_tuples(game, self.tuples, self.seed)
