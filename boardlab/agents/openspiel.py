"""OpenSpiel's bots as agents, in the games that are the same there and here, and in OpenSpiel's own."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.engines.openspiel import Twin, installed_pyspiel, is_installed, twin_of
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below

__all__ = ["OpenSpielBot", "OpenSpielMcts"]

LARGEST_SEED = 1 << 30


class OpenSpielBot(Agent):
    """One of the bots that OpenSpiel has by name, in a game that OpenSpiel has as well. Needs the extra open_spiel."""

    name = "openspiel:bot"

    class Parameters(Agent.Parameters):
        """Which bot it is."""

        bot: str = Field("uniform_random", description="the name that OpenSpiel has for the bot")

    parameters: Parameters
    twin: Twin

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        if not is_installed():
            return f"{cls.name} needs pyspiel, which is not installed: pip install 'boardlab[open_spiel]'"
        return None if twin_of(game) is not None else f"OpenSpiel has no game like {game.spec}"

    def setup(self) -> None:
        twin = twin_of(self.game)
        assert twin is not None
        self.twin = twin
        self.check_bot()

    def check_bot(self) -> None:
        """Refuse a bot that does not exist."""
        known = installed_pyspiel().registered_bots()
        if self.parameters.bot not in known:
            raise unknown_name("bot of OpenSpiel", self.parameters.bot, known)

    def make_bot(self, player: int, seed: int) -> Any:
        """The bot for a move of this player."""
        return installed_pyspiel().load_bot(self.parameters.bot, self.twin.theirs, player, {"seed": seed})

    def choose(self, position: Position, rng: Rng) -> int:
        """What the bot does in OpenSpiel's state of the position; a new bot for every move."""
        state, seed = self.twin.state_of(position), random_below(rng, LARGEST_SEED)
        try:
            action = self.make_bot(position.player, seed).step(state)
        except installed_pyspiel().SpielError as error:
            raise BoardlabError(f"{self.spec} failed in OpenSpiel: {' '.join(str(error).split())}") from error
        return self.twin.to_ours(action)


class OpenSpielMcts(OpenSpielBot):
    """The Monte Carlo tree search of OpenSpiel, in C++, in a game that OpenSpiel has as well. Needs the extra
    open_spiel."""

    name = "openspiel:mcts"

    class Parameters(Agent.Parameters):
        """The options of OpenSpiel's search."""

        simulations: int = Field(1000, ge=1, le=1_000_000_000, description="simulations for a move")
        exploration: float = Field(2.0, ge=0.0, le=100.0, description="weight of the confidence term of UCT (uct_c)")
        rollouts: int = Field(1, ge=1, le=1_000_000, description="random games for a simulation")
        solve: bool = Field(True, description="stop looking where it has found a forced end")
        memory: int = Field(1000, ge=1, le=1_000_000, description="megabytes that the tree may take")

    parameters: Parameters  # type: ignore[assignment]

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        refusal = super().refusal(game)
        if refusal is not None:
            return refusal
        twin = twin_of(game)
        assert twin is not None
        at_the_end = installed_pyspiel().GameType.RewardModel.TERMINAL
        if twin.theirs.get_type().reward_model != at_the_end:
            return f"{cls.name} plays games that are scored at their end, not {game.spec}"
        return None

    def check_bot(self) -> None:
        """There is nothing to be refused."""

    def make_bot(self, player: int, seed: int) -> Any:
        pyspiel, p = installed_pyspiel(), self.parameters
        rollouts = pyspiel.RandomRolloutEvaluator(p.rollouts, seed)
        return pyspiel.MCTSBot(
            *(self.twin.theirs, rollouts, p.exploration, p.simulations, p.memory),
            *(p.solve, seed, False),  # not talkative
        )
