"""Steps per second of environments: Connect Four against an opponent who moves at random, ours beside PettingZoo's and
OpenSpiel's.

A step is the same for all: one action of the learner, who moves at random as well, the opponent's answer, and the reset
where a game is over. Where an environment steps one player at a time, the learner is the first one, and his actions are
counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.gymnasium import BoardEnv
from boardlab.adapters.vector import BoardVectorEnv
from boardlab.bench.timing import Task, interleaved
from boardlab.compiler import hot_kernel
from boardlab.rng import Rng, make_rng, random_below

__all__ = ["EnvSpeed", "measure_envs"]

GAME = "connect4"
Run = Callable[[int], Mapping[str, float]]


@dataclass(frozen=True)
class EnvSpeed:
    """The result for one environment: steps per CPU second on one core, the median of the rounds and the best one."""

    name: str
    boards: int
    steps_per_s: float
    best_steps_per_s: float


def measure_envs(boards: int, seconds: float, rounds: int = 3, seed: int = 0) -> list[EnvSpeed]:
    """Measure ours, and the others that are installed, in the same rounds. Ours, compiled, is the first."""
    runs: list[tuple[str, int, Run]] = [
        ("boardlab VectorEnv", boards, _vector(boards, seed)),
        ("boardlab BoardEnv", 1, _single(seed)),
    ]
    if find_spec("pettingzoo") and find_spec("pygame"):
        runs.append(("PettingZoo connect_four_v3", 1, _pettingzoo(seed)))
    if find_spec("pyspiel"):
        runs.append(("OpenSpiel SyncVectorEnv", boards, _openspiel(boards, seed)))
    timings = interleaved([Task(name, run) for name, _, run in runs], seconds, rounds)
    return [
        EnvSpeed(name, number, timing.median("steps"), timing.best("steps"))
        for (name, number, _), timing in zip(runs, timings, strict=True)
    ]


@hot_kernel
def _random_legal(masks: NDArray[np.int8], rng: Rng, actions: NDArray[np.int64]) -> None:
    """Choose any legal action for each board."""
    for i in range(len(masks)):
        n = 0
        for action in range(masks.shape[1]):
            if masks[i, action] == 1:
                n += 1
                if random_below(rng, n) == 0:
                    actions[i] = action


def _vector(boards: int, seed: int) -> Run:
    """One unit is one call of `step`, which plays on all boards but those where it only begins a new game."""
    envs = BoardVectorEnv(boards, GAME)
    _, infos = envs.reset(seed=seed)
    rng, actions = make_rng(seed), np.zeros(boards, np.int64)
    last: dict[str, Any] = {"mask": infos["action_mask"], "over": 0}

    def run(n: int) -> Mapping[str, float]:
        steps = 0
        for _ in range(n):
            _random_legal(last["mask"], rng, actions)
            _, _, over, _, infos = envs.step(actions)
            steps += boards - last["over"]
            last["mask"], last["over"] = infos["action_mask"], int(np.count_nonzero(over))
        return {"steps": steps}

    return run


def _single(seed: int) -> Run:
    env = BoardEnv(GAME)
    env.reset(seed=seed)
    draw = random.Random(seed)

    def run(n: int) -> Mapping[str, float]:
        for _ in range(n):
            action = draw.choice(np.flatnonzero(env.action_masks()).tolist())
            if env.step(action)[2]:
                env.reset()
        return {"steps": n}

    return run


def _pettingzoo(seed: int) -> Run:
    from pettingzoo.classic.connect_four import connect_four  # connect_four_v3, without the warning of its other name

    env: Any = connect_four.env()
    env.reset(seed=seed)
    draw = random.Random(seed)

    def run(n: int) -> Mapping[str, float]:
        steps = 0
        while steps < n:
            observation, _, over, _, _ = env.last()
            if over:
                env.reset()
                continue
            steps += env.agent_selection == "player_0"
            env.step(draw.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        return {"steps": steps}

    return run


def _openspiel(boards: int, seed: int) -> Run:
    """One unit is one call of `step`, by which on every board whoever is to move does so."""
    from open_spiel.python import rl_agent, rl_environment, vector_env

    envs = vector_env.SyncVectorEnv([rl_environment.Environment("connect_four") for _ in range(boards)])
    draw = random.Random(seed)
    last = {"steps": envs.reset()}

    def run(n: int) -> Mapping[str, float]:
        steps = 0
        for _ in range(n):
            outputs = []
            for step in last["steps"]:
                player = step.observations["current_player"]
                steps += player == 0
                actions = step.observations["legal_actions"][player]
                outputs.append(rl_agent.StepOutput(action=draw.choice(actions), probs=None))
            last["steps"], _, _, _ = envs.step(outputs, reset_if_done=True)
        return {"steps": steps}

    return run
