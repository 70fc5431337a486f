"""`boardlab eval`: how strong an agent is, by one of the named procedures."""

from __future__ import annotations

from boardlab.agents.registry import is_agent_file
from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import print_json
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.machine import cores
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator
from boardlab.registry import has_parameters, make, split_spec
from boardlab.rng import fresh_seed

__all__ = ["run"]


def run(
    agent: str,
    spec: str | None,
    against: str | None,
    evaluator: str | None,
    games: int | None,
    seed: int | None,
    workers: int | None,
    *,
    json: bool,
) -> None:
    """Evaluate and print the result. Without an evaluator it is the usual one, or all roles against an opponent."""
    game = _game_of(agent, spec)
    name = evaluator or ("all-roles" if against else default_evaluator(game))
    with games_progress("games") as progress:
        result = make_evaluator(name, game).evaluate(
            agent,
            games=games,
            against=against,
            seed=fresh_seed() if seed is None else seed,
            workers=workers or cores(),
            progress=progress,
        )
    if json:
        print_json(result.to_json())
    else:
        print(result)


def _game_of(agent: str, spec: str | None) -> Game:
    """The game that is asked for, or the one that an agent file was made for; a wrapper plays that of its agent."""
    if spec is not None:
        return make(spec)
    if has_parameters(agent) and "agent" in split_spec(agent)[1]:
        return _game_of(str(split_spec(agent)[1]["agent"]), None)
    if not is_agent_file(agent):
        raise BoardlabError(f"say which game {agent} should play, such as --game connect4; agent files know theirs")
    from pathlib import Path

    from boardlab.store import read_agent_file

    return read_agent_file(Path(agent)).game()
