"""Trainings that are cut short: `most_episodes` of a sweep, and `boardlab reproduce --games`."""

from __future__ import annotations

from typing import Any

from boardlab.components.models import read_model
from boardlab.game import Game
from boardlab.lab.planning import learner_named
from boardlab.lab.wish import TrainingWish
from boardlab.learn.schedules import schedule

__all__ = ["cut_short"]

_CAN_BE_CUT = ("linear", "exponential")
"""A part of such a fall is one itself."""


def cut_short(wish: TrainingWish, game: Game, most: int) -> TrainingWish:
    """The training, or the first `most` episodes of a longer one. An alpha that falls goes as far as it would have come
    by then, not as far as in the whole training. A fall by another schedule, and that of epsilon, are compressed."""
    settings = wish.settings(game)
    wanted = int(settings.get("episodes", most))
    end: dict[str, Any] = {}
    if wanted > most and "alpha_end" in settings:
        name = wish.agent_for(game)
        p: Any = read_model(learner_named(name).Parameters, settings, name)
        if p.alpha_end is not None and p.alpha_schedule in _CAN_BE_CUT:
            end["alpha_end"] = float(schedule(p.alpha_schedule, p.alpha, p.alpha_end, wanted, most - 1, 1)[0])
    return wish.model_copy(update={"episodes": min(wanted, most), "options": {**wish.options, **end}})
