"""Counts of sequences and positions: published values, and plain Python rules of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from boardlab import BoardlabError, Game, State, make
from boardlab.playouts import count_positions, count_sequences

Position = Any
Successors = Callable[[Position], list[Position]]


def sequences(starts: list[Position], successors: Successors, depth: int) -> list[int]:
    level, counts = starts, []
    for _ in range(depth):
        level = [after for position in level for after in successors(position)]
        counts.append(len(level))
    return counts


def positions(starts: Iterable[Hashable], successors: Successors, depth: int) -> tuple[list[int], int]:
    level = seen = set(starts)
    counts = [len(level)]
    for _ in range(depth):
        level = {after for position in level for after in successors(position)}
        seen = seen | level
        counts.append(len(level))
    return counts, len(seen)


# ------------------------------------------------------------ published values


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("connect4", [7, 49, 343, 2401, 16807, 117649, 823536]),
        ("othello", [4, 12, 56, 244, 1396, 8200, 55092, 390216]),
    ],
)
def test_published_perft(spec: str, expected: list[int]) -> None:
    assert count_sequences(make(spec), len(expected))[1:, 0].tolist() == expected


def test_tictactoe_has_255168_games_and_5478_positions() -> None:
    counts = count_sequences(make("tictactoe"), 9)
    assert counts[:, 1].sum() == 255_168
    by_depth, total = count_positions(make("tictactoe"), 9)
    assert by_depth.tolist() == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert total == 5478


def test_connect4_positions_by_ply() -> None:
    """The first terms of OEIS A212693."""
    by_depth, total = count_positions(make("connect4"), 8)
    assert by_depth.tolist() == [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]
    assert total == by_depth.sum()


# ------------------------------------------------------------ rules written again, slowly


def nim_after(position: Position) -> list[Position]:
    heaps, player = position
    return [((*heaps[:h], left, *heaps[h + 1 :]), 1 - player) for h in range(len(heaps)) for left in range(heaps[h])]


def nimm3_after(position: Position) -> list[Position]:
    pile, player = position
    return [(pile - take, 1 - player) for take in (1, 2, 3) if take <= pile]


def dots_after(position: Position) -> list[Position]:
    """Two by two boxes; an edge is a pair of dots."""
    drawn, owned, player = position
    dots = [(r, c) for r in range(3) for c in range(3)]
    edges = [(a, b) for a, b in combinations(dots, 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    result = []
    for edge in edges:
        if edge in drawn:
            continue
        new = drawn | {edge}
        mine = frozenset(
            (corner, player) for corner in dots if set(box_edges(corner)) <= new and edge in box_edges(corner)
        )
        result.append((new, owned | mine, player if mine else 1 - player))
    return result


def box_edges(corner: tuple[int, int]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    r, c = corner
    a, b, d, e = (r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)
    return [(a, b), (a, d), (b, e), (d, e)]


def hex_after(position: Position) -> list[Position]:
    """Three by three; the last mover has won when his stones join his two sides."""
    board, player = position
    if hex_won(board, 1 - player):
        return []
    return [((*board[:i], player, *board[i + 1 :]), 1 - player) for i in range(9) if board[i] is None]


def hex_won(board: Position, player: int) -> bool:
    mine = {divmod(i, 3) for i in range(9) if board[i] == player}
    reached = {cell for cell in mine if cell[player] == 0}
    while True:
        more = {
            (x + dx, y + dy) for x, y in reached for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
        } & mine | reached
        if more == reached:
            return any(cell[player] == 2 for cell in reached)
        reached = more


def sim_after(position: Position) -> list[Position]:
    """Five nodes; the last mover has lost when his edges have a triangle."""
    first, second, player = position
    last = second if player == 0 else first
    if any({(a, b), (a, c), (b, c)} <= last for a, b, c in combinations(range(5), 3)):
        return []
    free = [e for e in combinations(range(5), 2) if e not in first and e not in second]
    return [(first | {e}, second, 1) if player == 0 else (first, second | {e}, 0) for e in free]


def slide(line: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    tiles = [t for t in line if t]
    made, gain = [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            gain += tile
        made.append(tile)
    return tuple(made + [0] * (4 - len(made))), gain


def g2048_slides(board: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """The boards and gains of the slides that change something, by the four lists of lines that they go along."""
    rows = [[4 * r + c for c in range(4)] for r in range(4)]
    columns = [[4 * r + c for r in range(4)] for c in range(4)]
    result = []
    for lines in (rows, columns, [r[::-1] for r in rows], [c[::-1] for c in columns]):
        new, gained = list(board), 0
        for line in lines:
            tiles, gain = slide(tuple(board[i] for i in line))
            gained += gain
            for i, tile in zip(line, tiles, strict=True):
                new[i] = tile
        if tuple(new) != board:
            result.append((tuple(new), gained))
    return result


def with_tile(board: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*board[:i], tile, *board[i + 1 :]) for i in range(16) if board[i] == 0 for tile in (2, 4)]


def g2048_after(position: Position) -> list[Position]:
    board, score = position
    return [(new, score + gain) for slid, gain in g2048_slides(board) for new in with_tile(slid)]


G2048_STARTS = [(board, 0) for one in with_tile((0,) * 16) for board in with_tile(one)]

SLOW_RULES: list[tuple[str, list[Position], Successors, int, int]] = [
    # the game, its start positions, its rules, and how deep sequences and positions are counted
    ("nim", [((5, 5, 5), 0)], nim_after, 4, 15),
    ("nimm3", [(15, 0)], nimm3_after, 9, 15),
    ("dots:rows=2,columns=2", [(frozenset(), frozenset(), 0)], dots_after, 4, 5),
    ("hex:size=3", [((None,) * 9, 0)], hex_after, 6, 9),
    ("sim:nodes=5", [(frozenset(), frozenset(), 0)], sim_after, 5, 7),
    ("2048", G2048_STARTS, g2048_after, 1, 2),
]


@pytest.mark.parametrize(
    ("spec", "starts", "rules", "depth", "position_depth"), SLOW_RULES, ids=[row[0] for row in SLOW_RULES]
)
def test_counts_equal_those_of_slow_rules(
    spec: str, starts: list[Position], rules: Successors, depth: int, position_depth: int
) -> None:
    game = make(spec)
    assert count_sequences(game, depth)[:, 0].tolist() == [len(starts), *sequences(starts, rules, depth)]
    by_depth, total = count_positions(game, position_depth)
    expected = positions(starts, rules, position_depth)
    assert (by_depth.tolist(), total) == expected


def test_finished_games_end_the_sequences() -> None:
    """A game of Nim with one heap is a composition of the number of its stones."""
    counts = count_sequences(make("nim:heaps=1,stones=6"), 7)
    assert counts[:, 1].tolist() == [0, 1, 5, 10, 10, 5, 1, 0]  # binomials of 5


# ------------------------------------------------------------ what is special


class Coins(Game):
    """Four coins are tossed one after the other before the only move, and one more after it; a pass leads back."""

    state = np.dtype([("tossed", np.int8), ("heads", np.int8), ("moves", np.int8)])
    num_players, num_actions, num_outcomes = 1, 2, 2
    score_range = (0.0, 5.0)

    def reset(self, s: State) -> None:
        s.tossed = 0

    def player(self, s: State) -> int:
        return 0

    def is_chance(self, s: State) -> bool:
        return int(s.tossed) < 4 + int(s.moves)

    def chance_outcomes(self, s: State, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i] = i
            chances[i] = 0.5
        return 2

    def advance_chance(self, s: State, outcome: int) -> None:
        s.tossed = int(s.tossed) + 1
        s.heads = int(s.heads) + outcome

    def legal_actions(self, s: State, actions: Any) -> int:
        actions[0] = 0
        actions[1] = 1
        return 2

    def advance(self, s: State, action: int) -> None:
        s.moves = int(s.moves) + action

    def is_over(self, s: State) -> bool:
        return int(s.moves) == 1

    def scores(self, s: State, out: Any) -> None:
        out[0] = int(s.heads)


def test_chance_events_in_a_row_and_positions_that_come_again() -> None:
    game = Coins()
    # 16 tosses at the start; a pass keeps every sequence, the move tosses once more and ends it
    assert count_sequences(game, 2).tolist() == [[16, 0], [16 + 32, 32], [16 + 32, 32]]
    by_depth, total = count_positions(game, 3)
    assert by_depth.tolist() == [5, 5 + 6, 5 + 6, 5 + 6]  # heads 0 to 4, and 0 to 5 after the move
    assert total == 11


def test_counting_positions_grows_its_tables_and_refuses_what_does_not_fit() -> None:
    game = make("connect4")
    with pytest.raises(BoardlabError, match=r"Connect Four has more than [\d,]+ distinct positions within"):
        count_positions(game, 20, memory=1 << 20)
