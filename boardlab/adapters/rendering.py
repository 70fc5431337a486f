"""The render modes that all our environments have: text (`ansi`), text on the terminal (`human`), pixels (`rgb_array`)
and the picture itself (`svg`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.pixels import pixels_of
from boardlab.errors import unknown_name
from boardlab.position import Position

__all__ = ["RENDER_MODES", "Frame", "render", "require_render_mode"]

RENDER_MODES = ("human", "ansi", "rgb_array", "svg")

Frame = str | NDArray[np.uint8] | None


def require_render_mode(mode: str | None) -> None:
    """Refuse a mode that does not exist."""
    if mode is not None and mode not in RENDER_MODES:
        raise unknown_name("render mode", str(mode), RENDER_MODES)


def render(position: Position, mode: str | None) -> Any:
    """The position in this mode; `human` prints it, and gives nothing."""
    if mode == "ansi":
        return str(position)
    if mode == "svg":
        return position.svg()
    if mode == "rgb_array":
        return pixels_of(position.svg())
    if mode == "human":
        print(f"{position}\n")
    return None
