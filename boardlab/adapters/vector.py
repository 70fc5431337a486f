"""Many games at once as a `VectorEnv` of Gymnasium, stepped in one call of machine code.

    >>> import gymnasium
    >>> import boardlab.adapters.gymnasium
    >>> envs = gymnasium.make_vec("boardlab/connect4-v0", num_envs=1024, opponent="random")

It is what `gymnasium.vector.SyncVectorEnv` is of as many `BoardEnv`: the same observations, rewards and infos for the
same seed, in all three modes of autoreset. Opponents are those that compile (`Agent.player`): `random`, learned agents,
perfect players, searches without a time limit that keep no tree, and any other with `action_values`; or None: the
learner then plays in every seat, one action a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.extras import missing
from boardlab.adapters.gymnasium import observation_space
from boardlab.adapters.rendering import RENDER_MODES, render, require_render_mode
from boardlab.adapters.seats import game_of, never_moves, read_epsilon, read_illegal, read_seat
from boardlab.adapters.vector_kernel import (
    EVERY_SEAT,
    Boards,
    Nobody,
    PlayerOpponent,
    RandomOpponent,
    Results,
    run_boards,
)
from boardlab.adapters.views import make_view
from boardlab.agents.base import Agent
from boardlab.agents.registry import make_agent
from boardlab.arguments import shown, whole_number
from boardlab.compiler import Compilable
from boardlab.compiler.errors import readable_compile_errors
from boardlab.errors import BoardlabError, IllegalAction
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import make_rng
from boardlab.search.action_values import ValuesPlayer
from boardlab.search.player import Seat

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise missing(error, "gymnasium") from error

__all__ = ["BoardVectorEnv"]

_SLOWER = 'gymnasium.make_vec(..., vectorization_mode="sync") takes any'
Batch = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class BoardVectorEnv(VectorEnv[NDArray[Any], Any, NDArray[Any]]):
    """`num_envs` boards of one game. A step is one action of every learner, the opponents' answers, chance events, and
    new games where some are over.

    With `opponent=None` a step is one action of whoever is to move (`info["seat"]` says who that is next): the reward
    is that of the seat that acted, and `info["rewards"]` has those of all seats.
    """

    def __init__(
        self,
        num_envs: int = 1,
        game: str | Game = "tictactoe",
        *,
        opponent: str | Agent | None = "random",
        seat: int | str = "random",
        observation: str | None = None,
        illegal: str = "lose",
        epsilon: float = 0.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """The same as those of `BoardEnv`; `autoreset_mode` is Gymnasium's (NextStep, SameStep, Disabled)."""
        require_render_mode(render_mode)
        self.num_envs = whole_number(num_envs, "the number of boards", 1)
        self.game = game_of(game, settings)
        if self.game.plain:
            raise BoardlabError(
                f"{self.game.spec} does not compile: use gymnasium.make_vec with vectorization_mode=sync"
            )
        self.view = make_view(self.game, observation)
        self.illegal = read_illegal(illegal)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.opponent = _compiled_opponent(opponent, self.game, read_epsilon(epsilon))
        self.self_play = opponent is None
        self.boards = Boards(self.game, self.num_envs, EVERY_SEAT if self.self_play else read_seat(seat, self.game))
        self.single_observation_space = observation_space(self.view)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._everyone = np.arange(self.num_envs)
        self._seeded = False

    def action_masks(self) -> NDArray[np.int8]:
        """1 for every legal action of every board, shape (num_envs, num_actions)."""
        return self.boards.masks.copy()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new games on all boards, or on those of `options["reset_mask"]`. Board i gets the seed `seed + i`, or
        the one of a list; without a seed the random numbers go on."""
        self._seed(seed)
        which = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            which = self._read_mask(options["reset_mask"])
        self.boards.due[:] = which
        results = self._run(np.zeros(0, np.int64), same_step=False)
        return self._shaped(results.observations), self._infos(which)

    def step(self, actions: Any) -> Batch:
        """Play one action on every board."""
        numbers = self._read_actions(actions)
        acting = self.boards.seats.copy()
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.boards.due[:] = self.boards.over
        results = self._run(numbers, same_step)
        infos = self._infos(np.ones(self.num_envs, np.bool_))
        if self.self_play:
            infos["rewards"], infos["_rewards"] = results.rewards, np.ones(self.num_envs, np.bool_)
        if same_step and results.terminations.any():
            infos.update(self._final_infos(results, acting))
        rewards = results.rewards[self._everyone, acting]
        truncations = np.zeros(self.num_envs, np.bool_)
        return self._shaped(results.observations), rewards, results.terminations, truncations, infos

    def render(self) -> Any:
        """The positions of all boards in the mode that was asked for."""
        states = self.boards.states
        frames = tuple(render(Position(self.game, state), self.render_mode) for state in states)
        return None if self.render_mode in (None, "human") else frames

    # ------------------------------------------------------------

    def _seed(self, seed: int | list[int | None] | None) -> None:
        """Give boards the random numbers of their seeds; those without one keep theirs."""
        seed = int(seed) if isinstance(seed, np.integer) else seed
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed or [])
        if not seeds:
            fresh = not self._seeded
            seeds = [int(x) for x in self.np_random.integers(1 << 62, size=self.num_envs)] if fresh else []
        elif len(seeds) != self.num_envs:
            raise BoardlabError(f"a list of seeds has one for each of the {self.num_envs} boards, not {len(seeds)}")
        for i, one in enumerate(seeds):
            if one is not None:
                self.boards.rngs[i] = make_rng(one)
        self._seeded = True

    def _read_mask(self, mask: Any) -> NDArray[np.bool_]:
        fits = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,) and mask.dtype == np.bool_
        if not fits or not mask.any():
            raise BoardlabError(
                f"reset_mask is an array of {self.num_envs} booleans, some of them true, not {shown(mask)}"
            )
        return np.array(mask)

    def _read_actions(self, actions: Any) -> NDArray[np.int64]:
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise BoardlabError(f"a step takes {self.num_envs} whole numbers, one action for each board")
        numbers = numbers.astype(np.int64)
        boards = self.boards
        if not self._seeded:
            raise BoardlabError("no game is under way: reset() begins them")
        if self.autoreset_mode is AutoresetMode.DISABLED and boards.over.any():
            raise BoardlabError('some games are over: begin new ones by reset(options={"reset_mask": terminations})')
        if self.illegal == "raise":
            known = (numbers >= 0) & (numbers < self.game.num_actions)
            legal = known & (boards.masks[self._everyone, np.where(known, numbers, 0)] == 1)
            wrong = np.flatnonzero(~legal & ~boards.over)
            if len(wrong):
                raise IllegalAction(f"action {numbers[wrong[0]]} is not legal on board {wrong[0]}")
        return numbers

    def _run(self, actions: NDArray[np.int64], same_step: bool) -> Results:
        """What the kernel makes of the actions, in new arrays, because people keep what they are given."""
        n, players, size = self.num_envs, self.game.num_players, self.view.size
        finals = n if same_step else 0
        results = Results(
            observations=np.empty((n, size), self.view.dtype),
            rewards=np.empty((n, players), np.float64),
            terminations=np.empty(n, np.bool_),
            final_observations=np.empty((finals, size), self.view.dtype),
            final_scores=np.zeros((finals, players), np.float64),
        )
        replace = self.illegal == "random"
        with readable_compile_errors(self.game):
            if not run_boards(self.game, self.opponent, self.view, self.boards, actions, replace, same_step, results):
                raise never_moves(self.game)
        return results

    def _shaped(self, observations: NDArray[Any]) -> NDArray[Any]:
        return observations.reshape(len(observations), *self.view.shape)

    def _infos(self, which: NDArray[np.bool_]) -> dict[str, Any]:
        """What `SyncVectorEnv` makes of the infos of these boards."""
        boards = self.boards
        return _batched(which, action_mask=boards.masks, seat=boards.seats, scores=boards.scores)

    def _final_infos(self, results: Results, seats: NDArray[np.int64]) -> dict[str, Any]:
        """The last observations and infos of the games that are over, as Gymnasium's mode SameStep has them."""
        over = results.terminations
        finished = np.flatnonzero(over)
        last = np.full(self.num_envs, None, object)
        for i, observation in zip(finished.tolist(), self._shaped(results.final_observations[finished])):
            last[i] = observation
        infos = {
            **{"action_mask": np.zeros_like(self.boards.masks), "_action_mask": over.copy()},
            **{"seat": np.where(over, seats, 0), "_seat": over.copy()},
            **{"scores": results.final_scores, "_scores": over.copy()},
        }
        return {"final_obs": last, "_final_obs": over.copy(), "final_info": infos, "_final_info": over.copy()}


def _batched(which: NDArray[np.bool_], **values: NDArray[Any]) -> dict[str, Any]:
    """Infos of some boards: their rows, zeros for the others, and for every key which boards have it."""
    infos: dict[str, Any] = {}
    everyone = bool(which.all())
    for name, value in values.items():
        infos[name] = value.copy() if everyone else np.where(which.reshape(-1, *[1] * (value.ndim - 1)), value, 0)
        infos[f"_{name}"] = which.copy()
    return infos


def _compiled_opponent(opponent: str | Agent | None, game: Game, epsilon: float) -> Compilable:
    """An opponent that compiled code can ask."""
    if opponent is None:
        return Nobody()
    if not isinstance(opponent, str | Agent):
        raise BoardlabError(
            f"the opponent of compiled boards is an agent that compiles, as random, or None, not {shown(opponent)};"
            f" {_SLOWER}"
        )
    agent = make_agent(opponent, game) if isinstance(opponent, str) else opponent
    if agent.game != game:
        raise BoardlabError(f"{agent.spec} was made for {agent.game.spec}, it cannot play {game.spec}")
    if agent.name == "random":
        return RandomOpponent()
    player = agent.player() if agent.plays_compiled else None
    values = agent.action_values() if player is None else None
    if values is not None and not values.plain:
        player = ValuesPlayer(game, values)
    if player is None:
        raise BoardlabError(f"{agent.spec} cannot play on compiled boards, random and learned agents can; {_SLOWER}")
    if player.remembers():
        raise BoardlabError(
            f"{agent.spec} keeps its tree from move to move, which many boards cannot share; say reuse_tree=false"
        )
    return PlayerOpponent(game, Seat(game, player), epsilon)
