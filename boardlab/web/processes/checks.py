"""Whether an agent file, a training or a position set up by hand can really be used: tried out in a worker process,
which may be killed.

The server itself only reads descriptions. To build a network takes memory, time, and sometimes compiled code; here that
happens where it harms nobody. `worker` calls the functions below with the job as it was sent.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from boardlab.agents.files import load_agent, stored_agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import make_agent
from boardlab.components.component import settings_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.history import history_in
from boardlab.lab.planning import learner_named, new_learner
from boardlab.lab.presets import USUAL_AGENT
from boardlab.lab.trial import episode_kind, try_out
from boardlab.lab.wish import TrainingWish
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.layout import make_layout
from boardlab.position import Position
from boardlab.registry import make
from boardlab.store import read_agent_file

__all__ = ["best_result", "check_file", "check_training", "measured_tuples", "refuse_impossible", "try_training"]


def check_file(job: dict[str, Any]) -> dict[str, Any]:
    """Make the agent of the file `path`: all its arrays are read, checked, and fit its tables. Its history is checked,
    too."""
    file = read_agent_file(Path(job["path"]))
    history_in(file)
    stored_agent(file)
    return {}


def check_training(job: dict[str, Any]) -> dict[str, Any]:
    """Make the learner of a training (`wish`), a fresh one or from the file `path`, and its evaluator. The memory
    of what it learns is known before it is taken, and is refused above `most_bytes`."""
    wish = TrainingWish(**job["wish"])
    agent = load_agent(job["path"]) if job["path"] else new_learner(make(wish.game or ""), wish)
    needed, most = agent.memory_needed, job["most_bytes"]
    if needed > most:
        raise BoardlabError(
            f"what {agent.name} learns needs {needed / 2**20:,.1f} MB, the arena allows {most / 2**20:,.0f} MB for a"
            " training; take smaller tables, as shorter or fewer n-tuples"
        )
    evaluator = make_evaluator(wish.evaluator or "", agent.game)
    return {
        "kind": _kind(agent, wish),
        "agent": agent.kind,
        "bytes": needed,
        "seed": agent.parameters.seed,
        "episodes": agent.parameters.episodes,
        "against": wish.against or evaluator.opponent,
    }


def _kind(agent: LearningAgent, wish: TrainingWish) -> str:
    """What a training takes its time by, besides its length: others of the same kind are as fast."""
    alone = wish.episodes or agent.parameters.episodes if agent.game.num_players == 1 else 0  # games that grow
    episode = episode_kind(agent.kind, settings_of(agent))
    measure = (wish.evaluator, wish.against, wish.second_evaluator, wish.evaluation_games)
    return json.dumps([agent.game.spec, agent.episodes, alone, episode, measure])


def try_training(job: dict[str, Any]) -> dict[str, Any]:
    """How fast a training (`wish`) is, a fresh one or from the file `path`, by its first moments."""
    wish = TrainingWish(**job["wish"])
    agent = load_agent(job["path"]) if job["path"] else new_learner(make(wish.game or ""), wish)
    return try_out(agent, wish)._asdict()


def best_result(game: Game, agent: str, evaluator: str) -> float:
    """What the perfect player of a game reaches by an evaluator, in as many games as the evaluator plays."""
    return float(make_evaluator(evaluator, game).evaluate(make_agent(agent, game)).result.mean)


def measured_tuples(game: Game, job: dict[str, Any]) -> dict[str, Any]:
    """The n-tuples of a job, given as they are or by a text, the weights of each, and the bytes that the usual training
    with all of them would take."""
    tuples = job["tuples"] if "tuples" in job else make_tuples(game, job["text"], job["seed"])
    layout = make_layout(game, tuples)
    text = "cells:" + "+".join("-".join(map(str, cells)) for cells in layout.tuples)
    needed = learner_named(USUAL_AGENT)(game, tuples=text).memory_needed
    return {"tuples": [list(cells) for cells in layout.tuples], "weights": list(layout.sizes), "bytes": needed}


def refuse_impossible(position: Position) -> None:
    """Refuse a position on which the rules fail, here or after any action."""
    try:
        _look_at(position)
        for action in position.legal_actions:
            _look_at(position.copy().play(action))
    except BoardlabError:
        raise
    except Exception as error:
        title = position.game.title
        raise BoardlabError(f"this is no position of {title}: the rules fail on it ({error})") from error


def _look_at(position: Position) -> None:
    game, wrong = position.game, None
    if not 0 <= position.player < game.num_players:
        wrong = f"player {position.player + 1} would be to move"
    elif any(not 0 <= action < game.num_actions for action in position.legal_actions):
        wrong = "it would have actions that do not exist"
    elif game.num_cells and np.any((position.cells < 0) | (position.cells >= game.cell_values())):
        wrong = "a cell would have a value that does not exist"
    elif not all(math.isfinite(score) for score in position.scores):
        wrong = "its scores would be no numbers"
    if wrong:
        raise BoardlabError(f"this is no position of {game.title}: {wrong}")
