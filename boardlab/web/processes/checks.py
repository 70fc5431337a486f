"""Whether an agent file or a training can really be used: tried out in a worker process, which may be killed.

The server itself only reads descriptions. To build a network takes memory, time, and sometimes compiled code; here that
happens where it harms nobody. `worker` calls the functions below with the job as it was sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boardlab.agents.files import load_agent, stored_agent
from boardlab.errors import BoardlabError
from boardlab.lab.history import history_in
from boardlab.lab.planning import new_learner
from boardlab.lab.wish import TrainingWish
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.registry import make
from boardlab.store import read_agent_file

__all__ = ["check_file", "check_training"]


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
        "agent": agent.kind,
        "bytes": needed,
        "seed": agent.parameters.seed,
        "episodes": agent.parameters.episodes,
        "against": wish.against or evaluator.opponent,
    }
