"""Pictures of positions as pixels: draws the shapes that `boardlab.drawing` makes, with Pillow, which Matplotlib brings
along. Other parts of an SVG that a game of one's own may have (paths, gradients) are left out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pixels_of"]

FINER = 2
"""Pictures are drawn so many times as large, and then made smaller: that smooths the edges."""

_FALLBACK = re.compile(r"var\([^,()]*,\s*(.+)\)\s*$")


def pixels_of(svg: str) -> NDArray[np.uint8]:
    """The picture, uint8 of shape (height, width, 3), on white."""
    from PIL import Image, ImageDraw

    root = ET.fromstring(svg)
    _, _, width, height = (float(x) for x in root.get("viewBox", "0 0 100 100").split())
    size = max(1, round(width)), max(1, round(height))
    image = Image.new("RGB", (FINER * size[0], FINER * size[1]), "white")
    draw = ImageDraw.Draw(image, "RGBA")
    for shape in root.iter():
        paint = _PAINTERS.get(str(shape.tag).rpartition("}")[2])
        if paint is not None and shape.get("visibility") != "hidden":
            paint(draw, shape)
    return np.asarray(image.resize(size, Image.Resampling.BOX), np.uint8).copy()


def _colour(shape: Any, name: str, otherwise: str = "none") -> tuple[int, int, int, int] | None:
    """The colour of an attribute, with its opacity; None for one that is not seen."""
    from PIL import ImageColor

    text = shape.get(name, otherwise)
    while found := _FALLBACK.match(text):
        text = found[1].strip()
    if text in ("none", "transparent"):
        return None
    red, green, blue = ImageColor.getrgb(text)[:3]
    return red, green, blue, round(255 * float(shape.get("opacity", 1)))


def _number(shape: Any, name: str, otherwise: float = 0.0) -> float:
    return FINER * float(shape.get(name, otherwise))


def _edge(shape: Any) -> dict[str, Any]:
    stroke = _colour(shape, "stroke")
    return {"outline": stroke, "width": max(1, round(_number(shape, "stroke-width", 1.0)))} if stroke else {}


def _rect(draw: Any, shape: Any) -> None:
    x, y = _number(shape, "x"), _number(shape, "y")
    box = (x, y, x + _number(shape, "width"), y + _number(shape, "height"))
    draw.rounded_rectangle(box, _number(shape, "rx"), fill=_colour(shape, "fill", "black"), **_edge(shape))


def _circle(draw: Any, shape: Any) -> None:
    x, y, r = (_number(shape, name) for name in ("cx", "cy", "r"))
    draw.ellipse((x - r, y - r, x + r, y + r), fill=_colour(shape, "fill", "black"), **_edge(shape))


def _line(draw: Any, shape: Any) -> None:
    stroke = _colour(shape, "stroke")
    if stroke is None:
        return
    ends = [(_number(shape, f"x{k}"), _number(shape, f"y{k}")) for k in (1, 2)]
    width = _number(shape, "stroke-width", 1.0)
    draw.line(ends, fill=stroke, width=max(1, round(width)))
    for x, y in ends:  # round, as all our lines
        draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=stroke)


def _polygon(draw: Any, shape: Any) -> None:
    numbers = [FINER * float(x) for x in shape.get("points", "").replace(",", " ").split()]
    points = list(zip(numbers[0::2], numbers[1::2], strict=True))
    if len(points) > 1:
        draw.polygon(points, fill=_colour(shape, "fill", "black"), **_edge(shape))


def _text(draw: Any, shape: Any) -> None:
    fill = _colour(shape, "fill", "black")
    if fill is None or not shape.text:
        return
    anchor = {"middle": "m", "end": "r"}.get(shape.get("text-anchor", ""), "l")
    baseline = "m" if shape.get("dominant-baseline") in ("central", "middle") else "s"
    font = _font(max(1, round(_number(shape, "font-size", 16.0))), shape.get("font-family", "") == "monospace")
    draw.text((_number(shape, "x"), _number(shape, "y")), shape.text, fill=fill, font=font, anchor=anchor + baseline)


@cache
def _font(size: int, monospace: bool) -> Any:
    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSansMono.ttf" if monospace else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)


_PAINTERS = {"rect": _rect, "circle": _circle, "line": _line, "polygon": _polygon, "text": _text}
