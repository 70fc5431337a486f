"""SVG pictures of positions, made of plain strings. Colours are CSS variables with a fallback, so that a page can
restyle a board (dark mode) and a notebook still shows it."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab import grids

if TYPE_CHECKING:
    from boardlab.game import Game

__all__ = [
    "BOARD",
    "FIRST",
    "INK",
    "LINE",
    "MARK",
    "PAPER",
    "SECOND",
    "THIRD",
    "Picture",
    "coordinates",
    "draw_grid",
    "player_colour",
    "ring",
]

PAPER = "var(--bl-paper, #ffffff)"
BOARD = "var(--bl-board, #e9e4d8)"
LINE = "var(--bl-line, #a49c8a)"
INK = "var(--bl-ink, #2b2b2b)"
MARK = "var(--bl-mark, #e0a100)"
FIRST = "var(--bl-first, #1f6fb4)"
SECOND = "var(--bl-second, #d1493f)"
THIRD = "var(--bl-third, #3c9a5f)"


_DATA = ("action", "piece", "enter", "holds")
GHOST = 0.45
"""How strongly the ghost of a move is painted."""


def player_colour(player: int) -> str:
    """The colour of a player's stones."""
    return (FIRST, SECOND, THIRD)[player % 3]


class Picture:
    """An SVG under construction. Every shape may carry, by keyword, what a page makes of it:

    `action`: what a click on it plays. `holds`: what lies there, in a word, for those who cannot see it. `place`: its
    row and column, for the arrow keys; where it has none, they go by what is near.
    `ghost`: it is hidden, and shown while one of these actions (a number or a list) is pointed at.
    `piece`: the cell on which it stands, so that a page can move it, turn it over, and see that it is new; `enter`:
    how a new one comes, "fall" from above or by growing."""

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
            "polygon", {"points": " ".join([f"{_number(x)},{_number(y)}" for x, y in points]), "fill": fill}, more
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
        data = {f"data-{name}": more.pop(name) for name in _DATA if name in more}
        row, column = more.pop("place", (None, None))
        ghost = more.pop("ghost", None)
        attributes = {**main, **{k.replace("_", "-"): v for k, v in more.items()}}
        if ghost is not None:
            attributes = {"opacity": GHOST, **attributes, "visibility": "hidden", "pointer-events": "none"}
            data["data-ghost"] = " ".join(str(int(a)) for a in (ghost if isinstance(ghost, list) else [ghost]))
        if row is not None:
            data.update({"data-row": row, "data-column": column})
        attributes.update({name: value for name, value in data.items() if value is not None})
        text = " ".join([f'{k}="{_value(v)}"' for k, v in attributes.items()])
        self.parts.append(f"<{tag} {text}>{inner}</{tag}>" if inner else f"<{tag} {text}/>")


@lru_cache(1 << 14)  # a picture is drawn for every move, mostly of the same numbers and colours
def _number(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".")


@lru_cache(1 << 14)
def _value(x: object) -> str:
    return escape(_number(x) if isinstance(x, (int, float)) else str(x))


def draw_grid(game: Game, s: Any, last_action: int | None) -> str:
    """The default picture: a grid of squares with a disc for the values of the players' stones (the symbols X
    and O, in the order of the players) and the symbol itself for other values."""
    rows, columns = game.grid
    if rows * columns != game.num_cells or game.num_cells == 0:
        return _text_picture(game, s)
    board = np.zeros(game.num_cells, np.int8)
    game.cells(s, board)
    stones = "XO#"[: game.num_players]
    position = _position(game, s)
    legal, mover = set(position.legal_actions), 0 if position.is_over else position.player
    size, margin = 48, 20
    picture = Picture(columns * size + margin + 6, rows * size + margin + 6, game.title)
    picture.rect(0, 0, picture.width, picture.height, BOARD, rx=6)
    coordinates(picture, rows, columns, size, margin)
    deciding = set(game.deciding_cells(s))
    for cell in range(game.num_cells):
        row, column = game.cell_place(cell)
        x, y = margin + column * size, margin + row * size
        centre = (x + size / 2, y + size / 2)
        action, symbol = game.cell_action(cell), game.symbols[board[cell]]
        holds = game.player_name(stones.index(symbol)) if symbol in stones else symbol.strip(". ") or None
        picture.rect(x + 1, y + 1, size - 2, size - 2, PAPER, rx=4, action=action, holds=holds, place=(row, column))
        if symbol in stones:
            colour = player_colour(stones.index(symbol))
            picture.circle(*centre, size * 0.36, colour, pointer_events="none", piece=cell)
        elif symbol not in ". ":
            picture.text(*centre, symbol, size * 0.5, piece=cell)
        elif action in legal and set(stones) <= set(game.symbols):
            picture.circle(*centre, size * 0.36, player_colour(mover), ghost=action)
        if cell in deciding:
            ring(picture, centre, size * 0.4)
        if action is not None and action == last_action:
            picture.circle(*centre, size * 0.1, MARK, pointer_events="none")
    return picture.svg()


def _position(game: Game, s: Any) -> Any:
    from boardlab.position import Position

    return Position(game, s)


def coordinates(picture: Picture, rows: int, columns: int, size: float, margin: float) -> None:
    """The letters of the columns above a board of squares and the numbers of the rows beside it; the board begins at
    `margin` from the left and from the top."""
    for column in range(columns):
        picture.text(margin + (column + 0.5) * size, margin / 2, grids.column_name(column), 12)
    for row in range(rows):
        picture.text(margin / 2, margin + (row + 0.5) * size, str(row + 1), 12)


def ring(picture: Picture, centre: tuple[float, float], radius: float) -> None:
    """A ring around a stone that decided the game."""
    picture.circle(*centre, radius, "none", stroke=MARK, stroke_width=radius * 0.2, pointer_events="none")


def _text_picture(game: Game, s: Any) -> str:
    lines = game.describe(s).splitlines() or [""]
    picture = Picture(max(len(line) for line in lines) * 9 + 24, len(lines) * 20 + 24, game.title)
    picture.rect(0, 0, picture.width, picture.height, PAPER, rx=6)
    for i, line in enumerate(lines):
        picture.text(picture.width / 2, 22 + 20 * i, line, 14)
    return picture.svg()
