"""Boardlab's games and agents in OpenSpiel.

    >>> import pyspiel
    >>> from boardlab.adapters import open_spiel  # registers the game `boardlab`
    >>> game = pyspiel.load_game("boardlab(game=hex(size=5))")
    >>> bot = open_spiel.bot("mcts:iterations=100", game, seed=1)

Parameters stand in parentheses, as OpenSpiel writes those of a game within a game, also where there are none, as
`boardlab(game=2048())`; a game of one's own is `boardlab(game=path/to/file.py:Class(rows=3))`. OpenSpiel's own games
that are ours as well (connect_four, hex, ...) take our agents as bots, too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from boardlab.adapters.extras import missing
from boardlab.adapters.views import make_view
from boardlab.agents.base import Agent
from boardlab.agents.registry import make_agent
from boardlab.engines.openspiel import Twin, twin_of_theirs
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.registry import make, split_spec
from boardlab.rng import make_rng, random_below

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise missing(error, "open_spiel") from error

__all__ = ["AgentBot", "BoardlabGame", "BoardlabState", "bot", "spiel_name"]

SAMPLED_GAMES = 5
"""So many random games, always the same ones, show how a game is scored."""


def spiel_name(game: Game) -> str:
    """The text by which OpenSpiel loads a game of ours."""
    origin, settings = split_spec(game.spec)
    return f"boardlab(game={origin}({','.join(f'{name}={value}' for name, value in settings.items())}))"


def _game_of(given: dict[str, Any]) -> Game:
    """The game that the parameter `game` means, a name with parameters."""
    return make(str(given["name"]), **{key: value for key, value in given.items() if key != "name"})


@cache
def _scoring(game: Game) -> tuple[bool, bool]:
    """Whether the scores of all players always add up to 0, and whether they stay 0 until the game is over: told from
    some random games."""
    zero_sum = at_the_end = True
    for number in range(SAMPLED_GAMES):
        rng = make_rng(number)
        position = game.start().roll(rng)
        while not position.is_over:
            at_the_end = at_the_end and not any(position.scores)
            zero_sum = zero_sum and sum(position.scores) == 0.0
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
        zero_sum = zero_sum and sum(position.scores) == 0.0
    return zero_sum, at_the_end


def _type(game: Game | None) -> Any:
    """What OpenSpiel has to know of a game; None for the type that is registered for all of them."""
    kind = pyspiel.GameType
    zero_sum, at_the_end = _scoring(game) if game else (False, True)
    chance = bool(game and game.num_outcomes)
    return kind(
        short_name="boardlab",
        long_name=game.title if game else "A game of boardlab",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL if at_the_end else kind.RewardModel.REWARDS,
        max_num_players=game.num_players if game else 10,
        min_num_players=game.num_players if game else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"game": {"name": "tictactoe"}},
    )


class BoardlabGame(pyspiel.Game):
    """One of our games in OpenSpiel; the game itself is `game`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {"game": {"name": "tictactoe"}})
        self.game = _game_of(given["game"])
        game, kind = self.game, _type(self.game)
        low, high = game.score_range
        zero_sum = kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=game.num_outcomes,
            num_players=game.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if zero_sum else None,
            max_game_length=game.max_moves,
        )
        super().__init__(kind, info, given)
        self.scored_at_the_end = kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL

    def max_chance_nodes_in_history(self) -> int:
        """A bound that OpenSpiel asks for; our games do not tell one."""
        return 2 * self.game.max_moves + 2 if self.game.num_outcomes else 0

    def new_initial_state(self, state: Any = None) -> BoardlabState:
        """The start of the game."""
        if state is not None:
            raise BoardlabError("a state of boardlab's games is restored by OpenSpiel's own serialisation")
        return BoardlabState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What is seen of a position, as text and as numbers."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.game)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class BoardlabState(pyspiel.State):
    """A position of ours as a state of OpenSpiel; the position itself is `position`."""

    def __init__(self, game: BoardlabGame) -> None:
        super().__init__(game)
        self.position: Position = game.game.start()
        self._before = self.position.scores

    def current_player(self) -> int:
        """Who moves, or that chance does, or that the game is over."""
        if self.position.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.position.is_over else self.position.player

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.legal_actions)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The possible outcomes of the chance event that is due, with their probabilities."""
        return sorted(self.position.chance_outcomes.items())

    def _apply_action(self, action: int) -> None:
        if self.position.is_chance:
            self.position.play_chance(action)
        else:
            self._before = self.position.scores
            self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.position.game
        return game.outcome_name(action) if player == pyspiel.PlayerId.CHANCE else game.action_name(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """The scores; in a game that is scored at its end they are 0 before."""
        early = self.get_game().scored_at_the_end and not self.position.is_over
        return [0.0] * self.position.game.num_players if early else self.position.scores

    def rewards(self) -> list[float]:
        """How the scores have changed by the last action and the chance events after it."""
        if self.get_game().scored_at_the_end:
            return self.returns()
        return [now - before for now, before in zip(self.position.scores, self._before, strict=True)]

    def __str__(self) -> str:
        return str(self.position)


class _Observer:
    """Planes (or features) as the player himself sees the board, and who is to move."""

    def __init__(self, game: Game) -> None:
        self.game, self.view = game, make_view(game)
        size = self.view.size
        self.tensor = np.zeros(size + game.num_players, np.float32)
        self.dict = {"board": self.tensor[:size].reshape(self.view.shape), "to_move": self.tensor[size:]}

    def set_from(self, state: BoardlabState, player: int) -> None:
        """Write the numbers."""
        position = state.position
        self.dict["board"][...] = self.view.of(self.game, position.state, player)
        self.dict["to_move"][...] = 0.0
        if not position.is_over and not position.is_chance:
            self.dict["to_move"][position.player] = 1.0

    def string_from(self, state: BoardlabState, player: int) -> str:
        """The text of the position, the same for all."""
        return str(state)


class AgentBot(pyspiel.Bot):
    """An agent of ours as a bot of OpenSpiel, in a game of ours or in one that is the same there."""

    def __init__(self, agent: Agent, twin: Twin | None, seed: int) -> None:
        pyspiel.Bot.__init__(self)
        self.agent, self.twin = agent, twin
        self._rng = make_rng(seed)

    def restart(self) -> None:
        """Begin another game; the random numbers go on."""

    def step(self, state: Any) -> int:
        """The action of the agent for whoever is to move."""
        if self.twin is None:
            return int(self.agent.choose(state.position, self._rng))
        return self.twin.to_theirs(int(self.agent.choose(self.twin.position_of(state), self._rng)))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The action, and that nothing else was possible: an agent does not tell how likely its actions are."""
        action = self.step(state)
        return [(a, float(a == action)) for a in state.legal_actions()], action

    def provides_policy(self) -> bool:
        """Whether it tells how likely its actions are: no."""
        return False

    def restart_at(self, state: Any) -> None:
        """Go on from any state: it looks at nothing else."""


def bot(agent: str | Agent, game: Any, seed: int = 0) -> AgentBot:
    """A bot for OpenSpiel's `game` that plays as the agent does, in any seat."""
    twin = None if isinstance(game, BoardlabGame) else twin_of_theirs(game)
    if twin is None and not isinstance(game, BoardlabGame):
        raise BoardlabError(f"boardlab has no game like OpenSpiel's {game}")
    ours = game.game if twin is None else twin.game
    if isinstance(agent, Agent) and agent.game != ours:
        raise BoardlabError(f"{agent.spec} was made for {agent.game.spec}, it cannot play {ours.spec}")
    return AgentBot(make_agent(agent, ours) if isinstance(agent, str) else agent, twin, seed)


pyspiel.register_game(_type(None), BoardlabGame)
