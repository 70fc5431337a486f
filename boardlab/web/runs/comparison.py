"""Trainings as they are compared: a curve over episodes, CPU time and the clock on the wall, and all settings."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from boardlab.errors import BoardlabError
from boardlab.store import read_agent_file
from boardlab.web.library.agent_files import AgentFileDetail, AgentFiles
from boardlab.web.runs.runs import Run, Runs

__all__ = ["Compared", "ComparedPoint", "compared_file", "compared_run"]


class ComparedPoint(BaseModel):
    """An evaluation; `cpu` and `wall` are seconds of training, where they are known."""

    episodes: int
    cpu: float | None
    wall: float | None
    score: float | None
    low: float | None
    high: float | None


class Compared(BaseModel):
    """A training run or an agent file."""

    id: str
    kind: str
    """run or file."""
    name: str
    group: str
    """The same for those that differ in nothing but their seeds."""
    game: str
    title: str
    evaluator: str
    against: str
    seed: int | None
    state: str
    parameters: dict[str, Any]
    points: list[ComparedPoint]


def compared_run(runs: Runs, files: AgentFiles, name: str) -> Compared:
    """A training run, as far as it has come."""
    run = runs.get(name)
    return Compared(
        **run.model_dump(include={"id", "name", "game", "title", "evaluator", "against", "seed", "state"}),
        kind="run",
        group=run.group or run.id,
        parameters={**_parameters(runs, files, run), "threads": run.threads},
        points=[
            ComparedPoint(episodes=p.episodes, cpu=p.seconds, wall=p.wall, score=p.score, low=p.low, high=p.high)
            for p in run.curve
        ],
    )


def compared_file(file: AgentFileDetail) -> Compared:
    """An agent file."""
    strength = file.strength
    seed = file.parameters.get("seed")
    return Compared(
        id=file.id,
        kind="file",
        name=file.name,
        group=file.id,
        game=file.game,
        title=file.title,
        evaluator=strength.evaluator if strength else "",
        against=strength.against if strength else "",
        seed=seed if isinstance(seed, int) else None,
        state="finished" if file.finished else "paused",
        parameters=file.parameters,
        points=[
            ComparedPoint(episodes=p.episodes, cpu=p.seconds, wall=None, score=p.score, low=p.low, high=p.high)
            for p in file.curve
        ],
    )


def _parameters(runs: Runs, files: AgentFiles, run: Run) -> dict[str, Any]:
    """All parameters of the learner, once it has been saved; before that, what was asked for."""
    path = runs.checkpoint_path(run.id)
    try:
        if run.file is not None and files.holds(run.file):
            return files.get(run.file).parameters
        if path is not None:
            with (file := read_agent_file(path)).archive:
                return dict(file.about.parameters)
        wish = json.loads(runs.job_path(run.id).read_text(encoding="utf-8")).get("wish", {})
        return dict(wish.get("options", {}))
    except (BoardlabError, OSError, ValueError):
        return {}
