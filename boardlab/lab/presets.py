"""Presets: named settings of a learner for a game, from `data/presets.toml`, which also says of each value of `paper`
that is not printed in the paper where it comes from."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game

__all__ = ["USUAL_AGENT", "preset_agent", "preset_doc", "preset_names", "preset_settings", "preset_sources"]

_NO_PARAMETERS = ("name", "game", "agent", "settings", "sources")
USUAL_AGENT = "td-ntuple"
"""The agent of a preset that names none, and of a training that names none."""


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads((files("boardlab") / "data" / "presets.toml").read_text(encoding="utf-8"))


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
        games = sorted({p["game"] for p in _presets() if p["name"] == name})
        elsewhere = f"; games with it: {', '.join(games)} (with the paper's sizes)" if games else ""
        raise BoardlabError(f"there is no preset {name!r} for {game.spec}; presets for it: {known}{elsewhere}")
    return fitting[name]


def preset_names(game: Game) -> list[str]:
    """The presets that fit a game."""
    return list(_fitting(game))


def preset_doc(game: Game, name: str) -> str:
    """What a preset is for, and which of its values are not from the paper."""
    about = str(_content()["about"][name])
    sources = "; ".join(f"{parameter} ({source})" for parameter, source in preset_sources(game, name).items())
    return (
        f"{about}. Not printed in the paper, but from the authors' program (GBG) or ours: {sources}."
        if sources
        else f"{about}."
    )


def preset_agent(game: Game, name: str) -> str:
    """The agent whose parameters a preset has."""
    return str(_found(game, name).get("agent", USUAL_AGENT))


def preset_settings(game: Game, name: str) -> dict[str, Any]:
    """The parameters of a preset for a game."""
    return {k: v for k, v in _found(game, name).items() if k not in _NO_PARAMETERS}


def preset_sources(game: Game, name: str) -> dict[str, str]:
    """Where those parameters of a preset come from that are not printed in the paper, or not clearly."""
    return dict(_found(game, name).get("sources", {}))
