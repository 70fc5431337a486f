"""Boardlab's games as environments of PettingZoo (AEC), by the conventions of its classic games.

    >>> from boardlab.adapters import pettingzoo
    >>> env = pettingzoo.env("othello")
    >>> env.reset(seed=1)

Agents are called player_0, player_1 and so on. An observation is a dictionary of what the agent himself sees
(`observation`) and of the actions that are legal for him (`action_mask`, all zeros while others are to move). An
illegal action ends the game with the lowest score for whoever played it. Whoever is to move is selected, also several
times in a row; players who must pass are skipped. Chance events happen by themselves, all from the seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.extras import missing
from boardlab.adapters.opponents import action_mask
from boardlab.adapters.rendering import RENDER_MODES, render, require_render_mode
from boardlab.adapters.seats import game_of
from boardlab.adapters.views import cells_view, make_view
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, fresh_seed, make_rng

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise missing(error, "pettingzoo") from error

__all__ = ["env", "raw_env"]

Observation = dict[str, NDArray[Any]]


def env(game: str | Game, **options: Any) -> AECEnv[str, Observation, int | None]:
    """The environment of a game, with the wrappers that all classic games have. Options are `observation` (planes,
    cells or features), `render_mode`, and the parameters of the game."""
    raw = raw_env(game, **options)
    made: AECEnv[str, Observation, int | None] = wrappers.TerminateIllegalWrapper(
        raw, illegal_reward=raw.game.score_range[0]
    )
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv[str, Observation, int | None]):
    """The environment itself, by the name that PettingZoo has for it; an illegal action is an `IllegalAction`."""

    def __init__(
        self, game: str | Game, *, observation: str | None = None, render_mode: str | None = None, **settings: Any
    ) -> None:
        super().__init__()
        require_render_mode(render_mode)
        self.game = game_of(game, settings)
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"boardlab_{type(self.game).name or type(self.game).__name__}_v0",
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.view = make_view(self.game, observation, planes_last=True)
        self._state_view = cells_view(self.game)
        low, high = self.view.bounds
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        seen = spaces.Box(low, high, self.view.shape, self.view.dtype.type)
        self.possible_agents = [f"player_{p}" for p in range(self.game.num_players)]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in self.agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.agents}
        self.position: Position = self.game.start()
        self._rng: Rng | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Without a seed the random numbers go on."""
        if seed is not None or self._rng is None:
            self._rng = make_rng(fresh_seed() if seed is None else seed)
        self.position = self.game.start().roll(self._rng)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.position.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.position.player]
        self._skip_agent_selection = None
        self._show()

    def step(self, action: int | None) -> None:
        """Play the action of the selected agent, and the chance events after it."""
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        assert self._rng is not None
        before = self.position.scores
        self.position.play(action).roll(self._rng)  # type: ignore[arg-type] # None is refused there
        after = self.position.scores
        self._cumulative_rewards[mover] = 0.0
        self.rewards = {agent: after[p] - before[p] for p, agent in enumerate(self.possible_agents)}
        if self.position.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self.position.player]
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observation:
        """What the agent sees, and what he may do."""
        player = self.possible_agents.index(agent)
        selected = agent == self.agent_selection and not self.position.is_over
        mask = action_mask(self.position) if selected else np.zeros(self.game.num_actions, np.int8)
        return {"observation": self.view.of(self.game, self.position.state, player), "action_mask": mask}

    def state(self) -> NDArray[Any]:
        """The board as it is, the same for all: its cells, shape (num_cells,)."""
        return self._state_view.of(self.game, self.position.state, 0)

    def render(self) -> Any:
        """The position in the mode that was asked for."""
        return None if self.render_mode == "human" else render(self.position, self.render_mode)

    def close(self) -> None:
        """There is nothing to be closed."""

    def _show(self) -> None:
        if self.render_mode == "human":
            render(self.position, "human")
