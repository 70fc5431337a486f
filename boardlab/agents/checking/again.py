"""An agent once more: a copy of it, the one that its `spec` makes, and the one that another process makes."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any, TypeVar

from boardlab.agents.base import Agent
from boardlab.agents.checking.playing import Answer
from boardlab.agents.checking.report import action_text, in_position
from boardlab.agents.classes import agent_classes
from boardlab.agents.registry import make_agent
from boardlab.check.report import Violation
from boardlab.components.component import settings_text_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.registry import game_classes, make
from boardlab.rng import make_rng

__all__ = ["answers_of", "ask_elsewhere", "check_spec", "compare", "copied", "is_known", "main"]

SomeAgent = TypeVar("SomeAgent", bound=Agent)
_PATIENCE = 600.0
"""Seconds after which another process is given up."""


def copied(agent: SomeAgent) -> SomeAgent:
    """An independent copy. An agent that cannot have one says so in a sentence."""
    try:
        return copy.deepcopy(agent)
    except BoardlabError:
        raise
    except Exception as error:
        raise Violation(f"{agent.spec} cannot be copied (copy.deepcopy): {type(error).__name__}: {error}") from error


def is_known(thing: Agent | Game) -> bool:
    """Whether the class is found by a text, as name or `file.py:Class`, in any process."""
    classes: Any = agent_classes() if isinstance(thing, Agent) else game_classes()
    return "_origin" in vars(thing) or classes.get(thing.name) is type(thing)


def check_spec(agent: Agent) -> None:
    """`spec` makes an agent of the same class with the same options."""
    try:
        again = make_agent(agent.spec, agent.game)
    except BoardlabError as error:
        raise Violation(f"make_agent({agent.spec!r}, game), from the agent's own spec, fails: {error}") from error
    same = type(again).__qualname__ == type(agent).__qualname__
    if not same or settings_text_of(again) != settings_text_of(agent) or again.spec != agent.spec:
        raise Violation(f"make_agent({agent.spec!r}, game), from the agent's own spec, gives {again!r}, not {agent!r}")


def ask_elsewhere(agent: Agent, seed: int, answers: list[Answer]) -> None:
    """An agent of the same spec in a fresh process gives the same answers."""
    request = {"agent": agent.spec, "game": agent.game.spec, "seed": seed, "answers": [asdict(a) for a in answers]}
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    done = subprocess.run(
        command, input=json.dumps(request), capture_output=True, text=True, check=False, timeout=_PATIENCE
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise Violation(f"{agent.spec} cannot be asked in another process: {last}")
    compare(agent, answers, json.loads(done.stdout), "in another process")


def compare(agent: Agent, answers: list[Answer], actions: list[int], where: str) -> None:
    """The actions that were chosen elsewhere are those of the answers."""
    for answer, action in zip(answers, actions, strict=True):
        if action != answer.action:
            names = action_text(agent.game, answer.action), action_text(agent.game, action)
            raise in_position(
                f"choose plays {names[0]}, but {names[1]} {where} with the same random numbers",
                _position_of(agent.game, answer),
            )


def answers_of(agent: Agent, seed: int, answers: list[Answer]) -> list[int]:
    """What the agent plays where the answers were given."""
    rngs = [make_rng(seed, answer.seed + 2) for answer in answers]
    return [int(agent.choose(_position_of(agent.game, a), rng)) for a, rng in zip(answers, rngs, strict=True)]


def _position_of(game: Game, answer: Answer) -> Position:
    position = game.start()
    for code in answer.events:
        position.play_code(code)
    return position


def main() -> None:
    """The other process: the questions come in on stdin, the actions go out on stdout, both as JSON."""
    request = json.loads(sys.stdin.read())
    agent = make_agent(request["agent"], make(request["game"]))
    print(json.dumps(answers_of(agent, request["seed"], [Answer(**given) for given in request["answers"]])))
