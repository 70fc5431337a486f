"""Presets: named settings of a learner for a game, from the files `data/presets*.toml`. These also say where each value
comes from that is not printed where it was published.

A preset may take what many have in common from a table `[base.NAME]` of its file, and say how the agent is measured
while it learns.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.registry import make

__all__ = [
    "USUAL_AGENT",
    "preset_agent",
    "preset_doc",
    "preset_evaluation",
    "preset_names",
    "preset_rows",
    "preset_settings",
    "preset_sources",
]

_EVALUATION = ("evaluator", "evaluate_every", "evaluation_games")
_NO_PARAMETERS = ("name", "game", "agent", "base", "settings", "sources", "work", "rows", *_EVALUATION)
USUAL_AGENT = "td-ntuple"
"""The agent of a preset that names none, and of a training that names none."""


@cache
def _content() -> dict[str, Any]:
    about: dict[str, str] = {}
    presets: list[dict[str, Any]] = []
    folder = files("boardlab") / "data"
    for file in sorted((f for f in folder.iterdir() if f.name.startswith("presets")), key=lambda f: f.name):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        about.update(content.get("about", {}))
        presets += [_completed(preset, content.get("base", {})) for preset in content["preset"]]
    return {"about": about, "preset": presets}


def _completed(preset: dict[str, Any], bases: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A preset with what it takes from its base, which may have one itself: values, and where those come from."""
    base = _completed(bases[preset["base"]], bases) if "base" in preset else {}
    sources = {name: text for name, text in base.get("sources", {}).items() if name not in preset}
    return {**base, **preset, "sources": {**sources, **preset.get("sources", {})}}


def _presets() -> list[dict[str, Any]]:
    presets: list[dict[str, Any]] = _content()["preset"]
    return presets


def _fitting(game: Game) -> dict[str, dict[str, Any]]:
    found = {}
    for preset in _presets():
        wanted = preset.get("settings", {}).items()
        if preset["game"] == game.name and wanted <= game.settings.items():
            found[preset["name"]] = preset
    return found


def _found(game: Game, name: str) -> dict[str, Any]:
    fitting = _fitting(game)
    if name not in fitting:
        known = ", ".join(fitting) if fitting else "none"
        games = sorted({make(p["game"], **p.get("settings", {})).spec for p in _presets() if p["name"] == name})
        elsewhere = f"; games with it: {', '.join(games)} (with the paper's sizes)" if games else ""
        raise BoardlabError(f"there is no preset {name!r} for {game.spec}; presets for it: {known}{elsewhere}")
    return fitting[name]


def preset_names(game: Game) -> list[str]:
    """The presets that fit a game."""
    return list(_fitting(game))


def preset_doc(game: Game, name: str) -> str:
    """What a preset is for, and which of its values are not printed where it was published."""
    preset = _found(game, name)
    about = f"{preset['work']}: {'; '.join(preset['rows'])}" if "rows" in preset else str(_content()["about"][name])
    sources = "; ".join(f"{parameter} ({source})" for parameter, source in preset_sources(game, name).items())
    return f"{about}. What is not printed there, and where it comes from: {sources}." if sources else f"{about}."


def preset_rows(game: Game, name: str) -> list[str]:
    """The rows of published tables, or curves of figures, that a preset has the settings of."""
    return list(_found(game, name).get("rows", []))


def preset_agent(game: Game, name: str) -> str:
    """The agent whose parameters a preset has."""
    return str(_found(game, name).get("agent", USUAL_AGENT))


def preset_settings(game: Game, name: str) -> dict[str, Any]:
    """The parameters of a preset for a game."""
    return {k: v for k, v in _found(game, name).items() if k not in _NO_PARAMETERS}


def preset_evaluation(game: Game, name: str) -> dict[str, Any]:
    """How a preset wants the agent to be measured while it learns, in fields of a `TrainingWish`; empty: as usual."""
    return {k: v for k, v in _found(game, name).items() if k in _EVALUATION}


def preset_sources(game: Game, name: str) -> dict[str, str]:
    """Where those parameters of a preset come from that are not printed in the paper, or not clearly."""
    return dict(_found(game, name).get("sources", {}))
