"""The runs of a sweep: each is a training with a seed, in a folder that is named by what decides its result.

What is in a preset, a default or an option makes no difference to the name, nor do the label of a variant or the number
of processes: only the settings that the training really has, and how it is measured.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from boardlab import __version__
from boardlab.components.component import settings_of
from boardlab.errors import BoardlabError
from boardlab.lab.planning import lessons_of, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.sweeps.sweep import Sweep, Variant
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make
from boardlab.store.files import write_bytes

__all__ = ["Run", "RunFiles", "plan_runs", "variant_runs", "write_json"]

_HASH_DIGITS = 16
_OF_FILES = ("from_games", "weights")
_PLAIN: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True)
class RunFiles:
    """The files of a run, in a folder of its own."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    @property
    def agent(self) -> Path:
        return self.folder / "run.agent"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def curve(self) -> Path:
        return self.folder / "curve.csv"

    @property
    def result(self) -> Path:
        return self.folder / "result.json"

    @property
    def failure(self) -> Path:
        return self.folder / "failed.txt"


@dataclass(frozen=True)
class Run:
    """One training of a sweep."""

    number: int
    """Its place in the sweep."""
    variant: Variant
    seed: int
    decides: dict[str, Any]
    """What decides its result."""
    memory: int
    """Bytes of what it learns."""

    @property
    def name(self) -> str:
        """The hash of what decides the result."""
        text = json.dumps(self.decides, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]

    @property
    def wish(self) -> TrainingWish:
        """The training."""
        return self.variant.wish.model_copy(update={"seed": self.seed})

    @property
    def episodes(self) -> int:
        """How many episodes it learns from, unless it ends early."""
        return int(self.decides["episodes"])

    def files(self, folder: Path) -> RunFiles:
        """Its files in the folder of the sweep."""
        return RunFiles(folder / "runs" / self.name)

    def settle(self, folder: Path) -> None:
        """Write down what the run is, unless that is there already."""
        path = self.files(folder).settings
        said = {
            "number": self.number,
            "variant": self.variant.label,
            "named": self.variant.name,
            "settings": self.variant.settings,
            "seed": self.seed,
            "decides": self.decides,
            "wish": self.wish.model_dump(exclude_defaults=True),
        }
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        if {**known, "boardlab": ""} != {**said, "boardlab": ""}:
            write_json(path, {**said, "boardlab": __version__})


def plan_runs(sweep: Sweep) -> list[Run]:
    """All runs of a sweep, in the order of the file. Each variant is made once on the way, so that a mistake in its
    settings is told before anything runs."""
    runs: list[Run] = []
    labels: dict[str, str] = {}
    for variant in sweep.variation:
        for run in variant_runs(variant, sweep.seeds, len(runs)):
            other = labels.setdefault(run.name, variant.label)
            if other != variant.label:
                raise BoardlabError(
                    f"the variants {other} and {variant.label} have the same settings; leave one of them out"
                )
            runs.append(run)
    return runs


def variant_runs(variant: Variant, seeds: Sequence[int], first: int) -> list[Run]:
    """The runs of a variant, numbered from `first` on."""
    decides, memory = _decided(variant, seeds[0])
    return [
        Run(first + k, variant, seed, {**decides, "parameters": {**decides["parameters"], "seed": seed}}, memory)
        for k, seed in enumerate(seeds)
    ]


def _decided(variant: Variant, seed: int) -> tuple[dict[str, Any], int]:
    """What decides the result of a variant with a seed, and the bytes that it needs."""
    wish = variant.wish.model_copy(update={"seed": seed})
    try:
        game = make(wish.game or "")
        settled = wish.settled(game)
        lessons = lessons_of(wish, game)
        agent = new_learner(game, wish, lessons)
        plan = make_plan(agent, wish, Stop(), lessons=lessons, workers=1, beside=False)
    except BoardlabError as error:
        raise BoardlabError(f"{variant.label}: {error}" if variant.settings else str(error)) from error
    decides = {
        "game": game.spec,
        "agent": agent.kind,
        "parameters": _PLAIN.dump_python(settings_of(agent), mode="json"),
        "episodes": plan.episodes,
        "evaluator": plan.evaluator,
        "against": plan.against,
        "second_evaluator": plan.second.evaluator if plan.second else "",
        "second_against": plan.second.against if plan.second else "",
        "evaluate_every": plan.evaluate_every,
        "evaluation_games": settled.evaluation_games,
        "stop_at": plan.goal,
        "in_a_row": plan.in_a_row,
        **{name: _content(getattr(wish, name)) for name in _OF_FILES if getattr(wish, name) is not None},
    }
    return decides, agent.memory_needed


def _content(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def write_json(path: Path, value: object) -> None:
    """Write a value as JSON to a file, whole or not at all."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, f"{text}\n".encode())
