"""SVG pictures of positions, made of plain strings. Colours are CSS variables with a fallback, so that a page can
restyle a board (dark mode) and a notebook still shows it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from boardlab.game import Game

__all__ = ["BOARD", "FIRST", "INK", "LINE", "MARK", "PAPER", "SECOND", "THIRD", "Picture", "draw_grid", "player_colour"]

PAPER = "var(--bl-paper, #ffffff)"
BOARD = "var(--bl-board, #e9e4d8)"
LINE = "var(--bl-line, #a49c8a)"
INK = "var(--bl-ink, #2b2b2b)"
MARK = "var(--bl-mark, #e0a100)"
FIRST = "var(--bl-first, #1f6fb4)"
SECOND = "var(--bl-second, #d1493f)"
THIRD = "var(--bl-third, #3c9a5f)"


def player_colour(player: int) -> str:
    """The colour of a player's stones."""
    return (FIRST, SECOND, THIRD)[player % 3]


class Picture:
    """An SVG under construction. Every shape may carry the action that a click on it plays."""

    def __init__(self, width: float, height: float, label: str = "") -> None:
        self.width, self.height, self.label = width, height, label
        self.parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, fill: str, **more: Any) -> None:
        """A rectangle; `rx` rounds its corners."""
        self._shape("rect", {"x": x, "y": y, "width": width, "height": height, "fill": fill}, more)

    def circle(self, x: float, y: float, radius: float, fill: str, **more: Any) -> None:
        """A disc."""
        self._shape("circle", {"cx": x, "cy": y, "r": radius, "fill": fill}, more)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, width: float, **more: Any) -> None:
        """A line with round ends."""
        ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        self._shape("line", {**ends, "stroke": stroke, "stroke-width": width, "stroke-linecap": "round"}, more)

    def polygon(self, points: list[tuple[float, float]], fill: str, **more: Any) -> None:
        """A filled polygon."""
        self._shape(
            "polygon", {"points": " ".join(f"{_number(x)},{_number(y)}" for x, y in points), "fill": fill}, more
        )

    def text(self, x: float, y: float, text: str, size: float, fill: str = INK, **more: Any) -> None:
        """Text centred at the point."""
        place = {"x": x, "y": y, "font-size": size, "fill": fill, "text-anchor": "middle"}
        style = {"dominant-baseline": "central", "font-family": "system-ui, sans-serif", "pointer-events": "none"}
        self._shape("text", {**place, **style}, more, escape(text))

    def svg(self) -> str:
        """The finished document."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        title = f"<title>{escape(self.label)}</title>" if self.label else ""
        body = "\n".join(self.parts)
        return (
            f'{head} width="{_number(self.width)}" height="{_number(self.height)}" role="img">{title}\n{body}\n</svg>'
        )

    def _shape(self, tag: str, main: dict[str, Any], more: dict[str, Any], inner: str = "") -> None:
        action = more.pop("action", None)
        attributes = {**main, **{k.replace("_", "-"): v for k, v in more.items()}}
        if action is not None:
            attributes["data-action"] = int(action)
        text = " ".join(
            f'{k}="{escape(_number(v) if isinstance(v, (int, float)) else str(v))}"' for k, v in attributes.items()
        )
        self.parts.append(f"<{tag} {text}>{inner}</{tag}>" if inner else f"<{tag} {text}/>")


def _number(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".")


def draw_grid(game: Game, s: Any, last_action: int | None) -> str:
    """The default picture: a grid of squares with a disc for the values of the players' stones (the symbols X
    and O, in the order of the players) and the symbol itself for other values."""
    rows, columns = game.grid
    if rows * columns != game.num_cells or game.num_cells == 0:
        return _text_picture(game, s)
    board = np.zeros(game.num_cells, np.int8)
    game.cells(s, board)
    size = 48
    picture = Picture(columns * size + 8, rows * size + 8, game.title)
    picture.rect(0, 0, picture.width, picture.height, BOARD, rx=6)
    for cell in range(game.num_cells):
        row, column = game.cell_place(cell)
        x, y = 4 + column * size, 4 + row * size
        action = game.cell_action(cell)
        picture.rect(x + 1, y + 1, size - 2, size - 2, PAPER, rx=4, action=action)
        symbol = game.symbols[board[cell]]
        if symbol in "XO#"[: game.num_players]:
            picture.circle(
                x + size / 2, y + size / 2, size * 0.36, player_colour("XO#".index(symbol)), pointer_events="none"
            )
        elif symbol not in ". ":
            picture.text(x + size / 2, y + size / 2, symbol, size * 0.5)
        if action is not None and action == last_action:
            picture.circle(x + size / 2, y + size / 2, size * 0.1, MARK, pointer_events="none")
    return picture.svg()


def _text_picture(game: Game, s: Any) -> str:
    lines = game.describe(s).splitlines() or [""]
    picture = Picture(max(len(line) for line in lines) * 9 + 24, len(lines) * 20 + 24, game.title)
    picture.rect(0, 0, picture.width, picture.height, PAPER, rx=6)
    for i, line in enumerate(lines):
        picture.text(picture.width / 2, 22 + 20 * i, line, 14)
    return picture.svg()
