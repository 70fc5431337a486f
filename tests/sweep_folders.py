"""Folders of sweeps with known curves, written by hand, for tests of reports and of the arena."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boardlab.lab.history import CurvePoint, History

__all__ = ["EPISODES", "rising", "write_run"]

EPISODES = list(range(100, 2001, 100))


def write_run(folder: Path, number: int, settings: dict[str, Any], seed: int, scores: list[float], **more: Any) -> None:
    named, varied = more.get("named", ""), {k: v for k, v in settings.items() if k != "farl"}
    label = ", ".join([*([named] if named else []), *(f"{name}={value:g}" for name, value in varied.items())])
    said = {
        "number": number,
        "variant": label,
        "named": named,
        "settings": settings,
        "seed": seed,
        "decides": {
            **{"game": "tictactoe", "agent": "td-ntuple", "episodes": EPISODES[-1]},
            "parameters": {**settings, "seed": seed},
        },
    }
    points = [
        CurvePoint(episodes=n, seconds=n / 100, score=score, low=score - 0.1, high=score + 0.1, games=10)
        for n, score in zip(EPISODES, scores, strict=True)
    ]
    history = History(evaluator="perfect", against="perfect", evaluations=points, finished=True)
    path = folder / "runs" / f"{number:016x}"
    path.mkdir(parents=True)
    (path / "settings.json").write_text(json.dumps(said))
    (path / "result.json").write_text(json.dumps({"cpu_seconds": 1.5, "history": history.model_dump(mode="json")}))


def rising(final: float, until: float, seed: int) -> list[float]:
    """A straight line from -1 to `final`, which it reaches after so many episodes, and a little more for each seed."""
    return [-1 + (final + 1) * min(1.0, n / until) + 0.001 * seed for n in EPISODES]
