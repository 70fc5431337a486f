"""The picture of n-tuples: every cell marked once, joined in order, inside the picture, for fields and for edges."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from boardlab import BoardlabError, make
from boardlab.drawing import FIRST, INK, MARK
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.picture import _Board, draw_tuples

GAMES = ["connect4", "hex", "dots:rows=2,columns=3", "sim", "sim:nodes=12", "nim:players=3", "2048", "nimm3"]


def shapes(svg: str, tag: str) -> list[dict[str, str]]:
    return [dict(part.attrib) for part in ElementTree.fromstring(svg).iter() if part.tag.endswith(f"}}{tag}")]


def numbers(shape: dict[str, str], *names: str) -> tuple[float, ...]:
    return tuple(float(shape[name]) for name in names)


@pytest.mark.parametrize("spec", GAMES)
def test_cells_are_marked_and_joined_in_order(spec: str) -> None:
    game = make(spec)
    length = min(4, game.num_cells)
    tuples = [*make_tuples(game, f"points:5x{length}", 1), []]
    svg = draw_tuples(game, tuples, columns=3)
    marked = [s for s in shapes(svg, "polygon") if s["fill"] == FIRST]
    marked += [s for s in shapes(svg, "line") if s["stroke"] == FIRST]
    assert len(marked) == 5 * length
    discs = [(s["fill"], numbers(s, "cx", "cy")) for s in shapes(svg, "circle")]
    assert [fill for fill, _ in discs] == 5 * [MARK, *[INK] * (length - 1)]
    joins = [numbers(s, "x1", "y1", "x2", "y2") for s in shapes(svg, "line") if s["stroke"] == INK]
    expected = []
    for first in range(0, 5 * length, length):
        places = [place for _, place in discs[first : first + length]]
        expected += [(*a, *b) for a, b in pairwise(places)]
    assert joins == expected
    texts = [part.text for part in ElementTree.fromstring(svg).iter() if part.tag.endswith("}text")]
    assert texts == ["1", "2", "3", "4", "5", "6 bias"]


@pytest.mark.parametrize("spec", GAMES)
def test_everything_is_inside_the_picture(spec: str) -> None:
    game = make(spec)
    svg = draw_tuples(game, make_tuples(game, "points:7x1", 1), columns=4)
    width, height = numbers(dict(ElementTree.fromstring(svg).attrib), "width", "height")
    points = [numbers(s, "cx", "cy") for s in shapes(svg, "circle")]
    for line in shapes(svg, "line"):
        points += [numbers(line, "x1", "y1"), numbers(line, "x2", "y2")]
    for polygon in shapes(svg, "polygon"):
        points += [tuple(map(float, pair.split(","))) for pair in polygon["points"].split()]
    assert all(0 < x < width and 0 < y < height for x, y in points)
    assert len({(round(x), round(y)) for x, y in points}) > 7


@pytest.mark.parametrize("spec", [*GAMES, "othello", "tictactoe", "dots:rows=5,columns=5", "sim:nodes=8"])
def test_no_two_cells_are_marked_at_one_point(spec: str) -> None:
    """Also where edges cross in their middles, as the long diagonals of Sim do."""
    marks = _Board(make(spec)).marks
    assert len({(round(x, 2), round(y, 2)) for x, y in marks}) == make(spec).num_cells


def test_places_on_a_grid() -> None:
    """Cell 0 of Connect Four is at the bottom left, cell 5 at the top left, cell 41 at the top right."""
    svg = draw_tuples(make("connect4"), [[0, 5, 41]])
    (x0, y0), (x5, y5), (x41, y41) = (numbers(s, "cx", "cy") for s in shapes(svg, "circle"))
    assert x0 == x5 < x41 and y0 > y5 == y41
    assert (x41 - x5) / (y0 - y5) == pytest.approx(6 / 5, abs=0.01)


def test_columns() -> None:
    def size(columns: int) -> tuple[float, ...]:
        svg = draw_tuples(make("tictactoe"), [[k] for k in range(9)], columns)
        return numbers(dict(ElementTree.fromstring(svg).attrib), "width", "height")

    assert size(9) == size(20)
    assert size(3)[0] < size(9)[0] and size(3)[1] > size(9)[1]
    assert size(0) == size(1)


def test_cells_that_the_board_does_not_have() -> None:
    with pytest.raises(BoardlabError, match=r"different cells in 0\.\.8, not \[0, 9\]"):
        draw_tuples(make("tictactoe"), [[0, 9]])
