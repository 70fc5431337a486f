"""Boardlab's games as environments of Gymnasium: one learner, and opponents in all other seats.

    >>> import gymnasium
    >>> import boardlab.adapters.gymnasium  # registers them
    >>> env = gymnasium.make("boardlab/connect4-v0", opponent="mcts:iterations=100", seat="random")
    >>> envs = gymnasium.make_vec("boardlab/connect4-v0", num_envs=1024)  # compiled, see `vector`

Every game that has a name is `boardlab/NAME-v0`, with its parameters as keywords; `boardlab/game-v0` takes any other
one, `game="path/to/file.py:Class"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.extras import missing
from boardlab.adapters.opponents import Opponent, Opponents, action_mask
from boardlab.adapters.rendering import RENDER_MODES, render, require_render_mode
from boardlab.adapters.seats import MOST_STARTS, RANDOM_SEAT, game_of, never_moves, read_illegal, read_seat
from boardlab.adapters.views import View, make_view
from boardlab.arguments import whole_number
from boardlab.errors import BoardlabError, IllegalAction
from boardlab.game import Game, action_list
from boardlab.position import Position
from boardlab.registry import game_classes
from boardlab.rng import Rng, make_rng, random_below

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise missing(error, "gymnasium") from error

__all__ = ["BoardEnv", "observation_space", "register_games"]


def observation_space(view: View) -> spaces.Box:
    """The space of what a view shows."""
    low, high = view.bounds
    return spaces.Box(low, high, view.shape, view.dtype.type)


class BoardEnv(gymnasium.Env[NDArray[Any], Any]):
    """One learner in one seat of a game; a step is one action of his and all that follows until his next turn.

    Rewards are the changes of the learner's own score, also when an opponent ends the game. All chance (seat, chance
    events, opponents) comes from the seed of `reset`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        game: str | Game = "tictactoe",
        *,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = "random",
        observation: str | None = None,
        illegal: str = "lose",
        epsilon: float = 0.0,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """`opponent` is an agent (its specification, or itself), a function (observation, action mask) -> action, or a
        list of them, from which one is drawn for every seat and game. `observation` is cells, planes or features."""
        require_render_mode(render_mode)
        self.game = game_of(game, settings)
        self.view = make_view(self.game, observation)
        self.seat = self._wanted_seat = read_seat(seat, self.game)
        self.illegal = read_illegal(illegal)
        self.render_mode = render_mode
        self.opponents = Opponents(self.game, self.view, epsilon)
        self.opponents.replace(opponent)
        self.observation_space = observation_space(self.view)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self.position: Position = self.game.start()
        self._rng: Rng | None = None
        self._scores: list[float] = []
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._over = True

    def set_opponents(self, opponent: Opponent | Sequence[Opponent]) -> None:
        """Play against these from the next game on: self-play against earlier selves."""
        self.opponents.replace(opponent)

    def action_masks(self) -> NDArray[np.int8]:
        """1 for every legal action, as sb3-contrib asks for it; all 0 when the game is over."""
        return self._mask.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game and play it up to the learner's first turn. `options={"seat": 1}` gives him this seat once."""
        super().reset(seed=seed)
        if seed is not None:
            self._rng = make_rng(seed)
        elif self._rng is None:
            self._rng = make_rng(int(self.np_random.integers(1 << 62)))
        wanted = self._wanted_seat
        if options and "seat" in options:
            wanted = read_seat(options["seat"], self.game)
        for _ in range(MOST_STARTS):
            drawn = wanted == RANDOM_SEAT
            self.seat = random_below(self._rng, self.game.num_players) if drawn else wanted
            self.opponents.take_seats(self._rng)
            self.position = self.game.start()
            self._play_on(self._rng)
            if not self._over:
                self._show()
                return self._observation(), self._info()
        raise never_moves(self.game)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, and on until it is his turn again."""
        if self._over or self._rng is None:
            raise BoardlabError("no game is under way: reset() begins one")
        before = self._scores[self.seat]
        number = self._read_action(action, self._rng)
        if number is None:
            self._over = True
            self._mask[:] = 0
            self._scores[self.seat] = self.game.score_range[0]
        else:
            self.position.play(number)
            self._play_on(self._rng)
        self._show()
        return self._observation(), self._scores[self.seat] - before, self._over, False, self._info()

    def render(self) -> Any:
        """The position in the mode that was asked for."""
        return None if self.render_mode == "human" else render(self.position, self.render_mode)

    def _show(self) -> None:
        if self.render_mode == "human":
            render(self.position, "human")

    def _read_action(self, action: Any, rng: Rng) -> int | None:
        """The action to be played; None where an illegal one ends the game."""
        number = whole_number(action, f"an action of {self.game.title}")
        if 0 <= number < self.game.num_actions and self._mask[number]:
            return number
        legal = np.flatnonzero(self._mask).tolist()
        if self.illegal == "raise":
            raise IllegalAction(f"action {number} is not legal here; legal: {action_list(self.game, legal)}")
        return legal[random_below(rng, len(legal))] if self.illegal == "random" else None

    def _play_on(self, rng: Rng) -> None:
        """Until the learner is to move, or the game is over."""
        position = self.position
        while not position.roll(rng).is_over and position.player != self.seat:
            position.play(self.opponents.choose(position, rng))
        self._over = position.is_over
        self._mask = action_mask(position)
        self._scores = position.scores

    def _observation(self) -> NDArray[Any]:
        return self.view.of(self.game, self.position.state, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": self.seat, "scores": np.array(self._scores)}


def register_games() -> None:
    """Let `gymnasium.make` and `gymnasium.make_vec` know every game that has a name, and `boardlab/game-v0`."""
    for name in ("game", *game_classes()):
        gymnasium.register(
            id=f"boardlab/{name}-v0",
            entry_point="boardlab.adapters.gymnasium:BoardEnv",
            vector_entry_point="boardlab.adapters.vector:BoardVectorEnv",
            kwargs={} if name == "game" else {"game": name},
        )


register_games()
