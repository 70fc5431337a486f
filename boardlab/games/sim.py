"""Sim on adjacency masks: for every player and node, the nodes that he has joined with it. A new edge a-b closes a
triangle exactly when the masks of a and b have a node in common. Edges are numbered 1-2, 1-3, ..., 2-3, ..., as in GBG.

With three players the rule is that of GBG (StateObserverSim without coalition): who completes a triangle of his own
colour drops out with a score of -1 and the other two play on; the last one left scores +1, and if the edges run out
before, all who are left score 0. Here the -1 counts from the moment of dropping out, in GBG from the end of the game
on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing
from boardlab.compiler.bits import lowest_bit, popcount
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.parameters import parameter


class Sim(Game):
    """The players take turns to colour an edge between two nodes, each in their own colour. Whoever completes a
    triangle of their own colour loses; with three players, that player drops out and the other two play on. If all
    edges are coloured, the game is a draw between those who are left. An edge is named by its two nodes, such as
    1-2."""

    name = "sim"
    title = "Sim"
    nodes: int = parameter(6, 4, 20, doc="nodes of the graph")
    players: int = parameter(2, choices=(2, 3), doc="players")
    feature_modes = ("cells", "triangles")
    evaluators = ("perfect",)

    def setup(self) -> None:
        self.num_players = self.players
        self.player_names = ("X", "O", "Y")[: self.players]
        self.symbols = ".XOY"
        self.num_actions = self.nodes * (self.nodes - 1) // 2
        self.num_cells = self.max_moves = self.num_actions
        self.num_values = self.players + 1
        self.all_nodes = (1 << self.nodes) - 1
        self.ends = np.array(list(combinations(range(self.nodes), 2)), np.int64)
        self.state = np.dtype(
            [
                ("joined", np.int32, (self.players, self.nodes)),  # for each player and node a mask of nodes
                ("free", np.int16),  # edges without a colour
                ("out", np.int8),  # mask of the players who have completed a triangle
                ("player", np.int8),  # who moves; in a finished game one who has not lost
            ]
        )

    def edge_between(self, a: int, b: int) -> int:
        """The edge of the nodes a < b."""
        return a * (2 * self.nodes - a - 3) // 2 + b - 1

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.free = self.num_actions

    def free_ends(self, s: State, node: int) -> int:
        """Mask of the nodes above `node` whose edge with it has no colour."""
        taken = (2 << node) - 1
        for player in range(self.players):
            taken |= int(s.joined[player, node])
        return self.all_nodes & ~taken

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        n = 0
        for node in range(self.nodes - 1):
            others = self.free_ends(s, node)
            while others != 0:
                actions[n] = self.edge_between(node, lowest_bit(others))
                others &= others - 1
                n += 1
        return n

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        a, b = int(self.ends[action, 0]), int(self.ends[action, 1])
        of_a, of_b = int(s.joined[player, a]), int(s.joined[player, b])
        s.joined[player, a] = of_a | 1 << b
        s.joined[player, b] = of_b | 1 << a
        out = int(s.out)
        if of_a & of_b != 0:
            out |= 1 << player
            s.out = out
        s.free = int(s.free) - 1
        player = (player + 1) % self.players
        while out >> player & 1:
            player = (player + 1) % self.players
        s.player = player

    def is_over(self, s: State) -> bool:
        return int(s.free) == 0 or popcount(int(s.out)) == self.players - 1

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        lost = int(s.out)
        last_left = 1.0 if popcount(lost) == self.players - 1 else 0.0
        for player in range(self.players):
            out[player] = -1.0 if lost >> player & 1 else last_left

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        self.cells_of(s, 0, out)

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        """The colours counted from `player` on: 1 is his own, 2 that of the next player in turn."""
        cell = 0
        for a in range(self.nodes - 1):
            for b in range(a + 1, self.nodes):
                value = 0
                for k in range(self.players):
                    owner = (player + k) % self.players
                    value += (k + 1) * (int(s.joined[owner, a]) >> b & 1)
                out[cell] = value
                cell += 1

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        cells[0] = action
        values[0] = 1 + int(s.player)
        return 1

    def symmetries(self) -> NDArray[np.int64]:
        """Any renaming of the nodes gives an equivalent board. These are all 24 of them for 4 nodes, else the
        rotations and reflections of the circle of nodes, a subgroup of 2 * nodes."""
        if self.nodes == 4:
            renamings = list(permutations(range(4)))
        else:
            circle = range(self.nodes)
            turns = [(sign, shift) for sign in (1, -1) for shift in circle]
            renamings = [tuple((sign * i + shift) % self.nodes for i in circle) for sign, shift in turns]
        ends = self.ends.tolist()
        return np.array(
            [[self.edge_between(*sorted((new[a], new[b]))) for a, b in ends] for new in renamings], np.int64
        )

    def neighbours(self) -> list[list[int]]:
        """Edges that share a node."""
        ends = [set(pair) for pair in self.ends.tolist()]
        return [[o for o in range(self.num_cells) if len(ends[e] & ends[o]) == 1] for e in range(self.num_cells)]

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 3 * self.players

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1, for each player: his edges, the free edges that would complete a triangle of his, and the free
        edges that would not."""
        if mode == 0:
            board = np.empty(self.num_cells, np.int8)
            self.cells(s, board)
            for i in range(self.num_cells):
                out[i] = board[i]
            return
        for player in range(self.players):
            edges = 0
            losing = 0
            for a in range(self.nodes):
                edges += popcount(int(s.joined[player, a]))
                others = self.free_ends(s, a)
                while others != 0:
                    b = lowest_bit(others)
                    others &= others - 1
                    losing += int(int(s.joined[player, a]) & int(s.joined[player, b]) != 0)
            out[3 * player] = edges // 2
            out[3 * player + 1] = losing
            out[3 * player + 2] = int(s.free) - losing

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        counted = ("edges", "losing edges", "safe edges")
        return [f"{self.player_name(p)}: {what}" for p in range(self.num_players) for what in counted]

    # ------------------------------------------------------------ the person's view

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """Who is still in the game has coloured as many edges as the others in it, or one more."""
        self.reset(s)
        s.player = player
        for edge, value in enumerate(values):
            if value == 0:
                continue
            s.free = int(s.free) - 1
            a, b = int(self.ends[edge, 0]), int(self.ends[edge, 1])
            of_a, of_b = int(s.joined[value - 1, a]), int(s.joined[value - 1, b])
            s.joined[value - 1, a], s.joined[value - 1, b] = of_a | 1 << b, of_b | 1 << a
            if of_a & of_b:
                s.out = int(s.out) | 1 << (value - 1)
        self.refuse_counts(int(s.out), [sum(v == p + 1 for v in values) for p in range(self.players)], player)

    def refuse_counts(self, out: int, counts: list[int], player: int) -> None:
        """Refuse numbers of edges to which no turns lead."""
        if out >> player & 1:
            raise BoardlabError(f"{self.player_name(player)} has a triangle and could not be to move")
        if popcount(out) >= self.players:
            raise BoardlabError("not everybody can have completed a triangle")
        left = [(p - player) % self.players for p in range(self.players)]
        playing = sorted((p for p in range(self.players) if not out >> p & 1), key=lambda p: left[p])
        rises = [counts[q] - counts[p] for p, q in pairwise(playing)]
        if out == 0:
            turns = [(sum(counts) + self.players - 1 - p) // self.players for p in range(self.players)]
            wrong = counts != turns or sum(counts) % self.players != player
        else:
            most = max(counts[p] for p in playing)
            wrong = any(not 0 <= rise <= 1 for rise in rises) or any(count > most + 1 for count in counts)
        if wrong:
            told = ", ".join(f"{self.player_name(p)} {count}" for p, count in enumerate(counts))
            raise BoardlabError(
                f"no turns lead to these numbers of edges with {self.player_name(player)} to move: {told}"
            )

    def cell_outline(self, cell: int) -> list[tuple[float, float]]:
        angles = [2 * math.pi * node / self.nodes - math.pi / 2 for node in self.ends[cell].tolist()]
        return [(2 * math.cos(angle), 2 * math.sin(angle)) for angle in angles]

    def action_name(self, action: int) -> str:
        a, b = self.ends[action].tolist()
        return f"{a + 1}-{b + 1}"

    def parse_action(self, text: str) -> int:
        """The numbers of the two nodes in any order, with a hyphen or a space between them."""
        names = text.replace("-", " ").split()
        if len(names) == 2 and all(name.isdecimal() for name in names):
            a, b = sorted(int(name) - 1 for name in names)
            if 0 <= a < b < self.nodes:
                return self.edge_between(a, b)
        raise BoardlabError(
            f"{text.strip()!r} is no edge; name two different nodes from 1 to {self.nodes}, as 1-{self.nodes}"
        )

    def describe(self, s: State) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        lines = ["   " + "".join(f"{b + 1:3d}" for b in range(1, self.nodes))]
        for a in range(self.nodes - 1):
            marks = [self.symbols[board[self.edge_between(a, b)]] for b in range(a + 1, self.nodes)]
            lines.append(f"{a + 1:3d}" + "   " * a + "".join(f"{mark:>3}" for mark in marks))
        for player, name in enumerate(self.player_names):
            edges = [self.action_name(e) for e in range(self.num_cells) if board[e] == player + 1]
            lost = " (triangle)" if int(s.out) >> player & 1 else ""
            lines.append(f"{name}{lost}: {' '.join(edges)}".rstrip())
        return "\n".join(lines)

    def deciding_cells(self, s: State) -> list[int]:
        """The triangles of those who have dropped out."""
        found: set[int] = set()
        for player in range(self.players):
            joined = [int(mask) for mask in s.joined[player]]
            for a, b, c in combinations(range(self.nodes), 3):
                if joined[a] >> b & 1 and joined[a] >> c & 1 and joined[b] >> c & 1:
                    found.update(self.edge_between(*pair) for pair in ((a, b), (a, c), (b, c)))
        return sorted(found)

    def draw(self, s: State, last_action: int | None = None) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        radius = 90.0 + 11 * self.nodes
        centre = radius + 28
        picture = drawing.Picture(2 * centre, 2 * centre, self.title)
        angles = [2 * math.pi * i / self.nodes - math.pi / 2 for i in range(self.nodes)]
        places = [(centre + radius * math.cos(angle), centre + radius * math.sin(angle)) for angle in angles]
        over, deciding = self.is_over(s), set(self.deciding_cells(s))
        for edge in np.argsort(board, kind="stable").tolist():  # the coloured edges above the free ones
            a, b = int(self.ends[edge, 0]), int(self.ends[edge, 1])
            line = places[a] + places[b]
            if board[edge] == 0:
                picture.line(*line, drawing.LINE, 1, pointer_events="none")
                if not over:
                    picture.line(*line, "transparent", max(6, 20 - self.nodes), action=edge)
                continue
            if edge == last_action or edge in deciding:
                picture.line(*line, drawing.MARK, 9, pointer_events="none")
            picture.line(*line, drawing.player_colour(int(board[edge]) - 1), 4, pointer_events="none")
        for node, place in enumerate(places):
            picture.circle(*place, 14, drawing.INK, pointer_events="none")
            picture.text(*place, str(node + 1), 14, drawing.PAPER)
        return picture.svg()
