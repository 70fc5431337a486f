"""MaskablePPO of sb3-contrib learns Tic-tac-toe against agents of boardlab, in about a minute.

    pip install 'boardlab[gymnasium]' sb3-contrib
    python examples/maskable_ppo_tictactoe.py [STEPS]

The pool of opponents is replaced once while it learns: first random players, then also a tree search and its own
earlier self.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import boardlab.adapters.gymnasium  # noqa: F401 (registers the games)

GAME = "boardlab/tictactoe-v0"


def play(model: MaskablePPO, opponent: str, games: int) -> float:
    """The mean score of the model in so many games, both seats by turns."""
    env = gymnasium.make(GAME, opponent=opponent)
    total = 0.0
    for number in range(games):
        observation, info = env.reset(seed=number, options={"seat": number % 2})
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
            observation, reward, over, _, info = env.step(int(action))
            total += float(reward)
    return total / games


def frozen(model: MaskablePPO) -> Any:
    """The model as it is now, as an opponent."""
    policy = type(model.policy)(model.observation_space, model.action_space, model.lr_schedule)
    policy.load_state_dict(model.policy.state_dict())
    policy.set_training_mode(False)
    return lambda observation, mask: int(policy.predict(observation, action_masks=mask)[0])


def main(steps: int) -> tuple[float, float]:
    """Learn, and return the mean scores against random before and after."""
    torch.set_num_threads(1)  # the network is so small that threads only wait for each other
    envs = DummyVecEnv([lambda: gymnasium.make(GAME)] * 8)
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=256, ent_coef=0.01, seed=1, device="cpu")
    before = play(model, "random", 200)
    model.learn(steps // 2)
    envs.env_method("set_opponents", ["random", "mcts:iterations=20", frozen(model)])
    model.learn(steps // 2, reset_num_timesteps=False)
    return before, play(model, "random", 200)


if __name__ == "__main__":
    first, last = main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
    print(f"mean score against random: {first:+.2f} before, {last:+.2f} after (1 is to win all games)")
