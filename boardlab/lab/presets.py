"""Presets: named settings of td-ntuple for a game, from `data/presets.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game

__all__ = ["preset_doc", "preset_names", "preset_settings"]


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
            found[preset["name"]] = {k: v for k, v in preset.items() if k not in ("name", "game", "settings")}
    return found


def preset_names(game: Game) -> list[str]:
    """The presets that fit a game."""
    return list(_fitting(game))


def preset_doc(name: str) -> str:
    """What the presets of this name are for."""
    return str(_content()["about"].get(name, ""))


def preset_settings(game: Game, name: str) -> dict[str, Any]:
    """The parameters of a preset for a game."""
    fitting = _fitting(game)
    if name not in fitting:
        known = ", ".join(fitting) if fitting else "none"
        games = sorted({p["game"] for p in _presets() if p["name"] == name})
        elsewhere = f"; games with it: {', '.join(games)} (with the paper's sizes)" if games else ""
        raise BoardlabError(f"there is no preset {name!r} for {game.spec}; presets for it: {known}{elsewhere}")
    return dict(fitting[name])
