"""`evaluate`: how strong an agent is, in one call."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from boardlab.agents.base import Agent
from boardlab.agents.files import stored_game
from boardlab.agents.registry import is_agent_file
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluation
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator
from boardlab.matches.play import Progress
from boardlab.matches.spread import on_cluster
from boardlab.registry import has_parameters, make, split_spec
from boardlab.rng import fresh_seed
from boardlab.store import read_agent_file

__all__ = ["evaluate"]


def evaluate(
    agent: str | Path | Agent,
    *,
    game: str | Game | None = None,
    evaluator: str | None = None,
    against: str | None = None,
    games: int | None = None,
    seed: int | None = None,
    workers: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure an agent, or the one of a text or a file, by an evaluator: the usual one of the game, or all roles where
    an opponent is given. An agent and a file know their game, for a text such as `mcts` it must be given. With several
    `workers` the calling program has to be a notebook, or a script with `if __name__ == "__main__":`. The workers of a
    Dask `cluster` play instead where the address of its scheduler is given."""
    contestant = str(agent) if isinstance(agent, Path) else agent
    made = _game_of(contestant, game)
    name = evaluator or ("all-roles" if against else default_evaluator(made))
    with on_cluster(cluster) if cluster else nullcontext():
        return make_evaluator(name, made).evaluate(
            contestant,
            games=games,
            against=against,
            seed=fresh_seed() if seed is None else seed,
            workers=workers,
            progress=progress,
        )


def _game_of(agent: str | Agent, game: str | Game | None) -> Game:
    """The game that is asked for, or the one that an agent was made for; a wrapper plays that of its agent."""
    if game is not None:
        return make(game) if isinstance(game, str) else game
    if isinstance(agent, Agent):
        return agent.game
    if has_parameters(agent) and "agent" in split_spec(agent)[1]:
        return _game_of(str(split_spec(agent)[1]["agent"]), None)
    if not is_agent_file(agent):
        raise BoardlabError(f"say which game {agent} should play, such as --game connect4; agent files know theirs")
    return stored_game(read_agent_file(Path(agent)))
