"""Agents of boardlab and a random policy in a small tournament, played in PettingZoo's loop.

pip install 'boardlab[pettingzoo]'
python examples/pettingzoo_tournament.py [GAMES]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from boardlab import make_agent, make_rng
from boardlab.adapters import pettingzoo

GAME = "tictactoe"
Player = Callable[[Any, Any], int]
"""Is given the environment and the observation, returns an action."""


def random_policy(seed: int) -> Player:
    """A policy that only looks at the mask."""
    draw = np.random.default_rng(seed)
    return lambda env, observation: int(draw.choice(np.flatnonzero(observation["action_mask"])))


def agent_policy(spec: str, seed: int) -> Player:
    """An agent of boardlab, who is shown the position behind the environment."""
    rng, made = make_rng(seed), {}

    def choose(env: Any, observation: Any) -> int:
        position = env.unwrapped.position
        agent = made.setdefault(spec, make_agent(spec, position.game))
        return agent.choose(position, rng)

    return choose


def play(env: Any, players: list[Player], seed: int) -> list[float]:
    """One game; the scores of all seats."""
    env.reset(seed=seed)
    totals = [0.0] * len(players)
    for name in env.agent_iter():
        seat = env.possible_agents.index(name)
        observation, reward, over, cut, _ = env.last()
        totals[seat] += reward
        env.step(None if over or cut else players[seat](env, observation))
    return totals


def main(games: int) -> dict[str, float]:
    """All pairs, both seats; the mean score of each player."""
    players = {
        "random": random_policy(1),
        "mc": agent_policy("mc:rollouts=10", 2),
        "mcts": agent_policy("mcts:iterations=100", 3),
    }
    totals: dict[str, list[float]] = {name: [] for name in players}
    env = pettingzoo.env(GAME)
    for first, second in itertools.permutations(players, 2):
        for seed in range(games):
            for name, score in zip((first, second), play(env, [players[first], players[second]], seed), strict=True):
                totals[name].append(score)
    return {name: sum(scores) / len(scores) for name, scores in totals.items()}


if __name__ == "__main__":
    for name, mean in sorted(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10).items(), key=lambda item: -item[1]):
        print(f"{name:8s} {mean:+.2f}")
