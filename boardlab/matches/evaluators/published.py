"""The procedures behind published results: Table 1 of the FARL paper, for Connect Four the protocols of Thill 2015 and
of Thill et al. 2012, for Dots and Boxes that of Thill 2015. (Tic-tac-toe and 2048 are in `general`.)"""

from __future__ import annotations

import os
import shutil

from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluator
from boardlab.matches.starts import positions_after, random_starts
from boardlab.parameters import parameter
from boardlab.position import Position

__all__ = [
    "ConnectFour2012",
    "ConnectFourDistantLosses",
    "ConnectFourPerfect",
    "ConnectFourThesis",
    "DotsThesis",
    "HexMcts",
    "NimPerfect",
    "NimThreeMcts",
    "NimThreePerfect",
    "OthelloBenchmark",
    "OthelloEdax",
    "OthelloGbg",
    "OthelloProgram",
    "OthelloRhino",
]


class ConnectFourPerfect(Evaluator):
    """40 games from the empty board, the agent first, against a perfect player that moves at random when lost (AB)."""

    name = "c4-perfect"
    opponent = "c4-perfect"
    usual_games = 40

    @classmethod
    def unsuited(cls, game: Game) -> str:
        standard = game.name == "connect4" and game.grid == (6, 7)
        return "" if standard else "is for Connect Four on the board of 7 x 6"

    def seatings(self) -> list[tuple[int, ...]]:
        return [(0, 1)]

    def games(self, starts: int) -> int:
        return self.usual_games


class ConnectFourDistantLosses(ConnectFourPerfect):
    """40 games from the empty board, the agent first, against a perfect player that postpones a loss as far as it can
    (AB-DL)."""

    name = "c4-perfect-dl"
    opponent = "c4-perfect-dl"


class ConnectFourThesis(ConnectFourPerfect):
    """The protocol of Thill 2015: 200 games, the agent first, against a Minimax that varies its delaying
    moves in the opening; success rate."""

    name = "c4-thesis"
    opponent = "c4-minimax"
    measure = "success"
    usual_games = 200


class ConnectFour2012(ConnectFourPerfect):
    """The protocol of Thill et al. 2012: 50 games, the agent first, against a Minimax that moves at random among its
    best moves; success rate."""

    name = "c4-2012"
    opponent = "c4-minimax:protocol=2012"
    measure = "success"
    usual_games = 50


class DotsThesis(Evaluator):
    """The protocol of Thill 2015 for Dots-and-Boxes: 50 games, in both roles by turns, against the perfect player; a
    win is 1, a tie 0, a loss -1, so that perfect play has 0 on every board."""

    name = "dots-thesis"
    opponent = "dots-perfect"
    measure = "outcome"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        small = game.name == "dots" and game.num_actions <= 31
        return "" if small else "is for Dots and Boxes on boards of up to 3 x 4"

    def games(self, starts: int) -> int:
        return 50


def gbg_mcts(iterations: int) -> str:
    """The tree search of GBG, the authors' program, with its usual settings, as an agent of ours: a new tree for every
    move, which looks ten actions ahead, and the action with the best mean is played."""
    return f"mcts:iterations={iterations},exploration=1.414,tree_depth=10,reuse_tree=false,final=mean"


class HexMcts(Evaluator):
    """The empty board and the positions after one stone, up to a half-turn of the board (on 6 x 6 the 21 cells on and
    below the long diagonal), both roles, 5 games each, against MCTS with 10,000 iterations and GBG's settings."""

    name = "hex-mcts"
    opponent = gbg_mcts(10_000)
    iterations: int = parameter(10_000, 1, 10**9, doc="iterations of the opponent for every move")

    def setup(self) -> None:
        self.opponent = gbg_mcts(self.iterations)

    def games(self, starts: int) -> int:
        return 5 * super().games(starts)

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if game.name == "hex" else "is for Hex"

    def starts(self, seed: int) -> list[Position]:
        size = self.game.grid[0]
        half = [x * size + y for x in range(size) for y in range(x + 1)]
        return [self.game.start(), *(self.game.start().play(cell) for cell in half)]


class OthelloBenchmark(Evaluator):
    """The 244 positions after four plies, both roles, one game each, against the positional player Bench."""

    name = "othello-bench"
    opponent = "othello-positional"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if game.name == "othello" and game.num_cells == 64 else "is for Othello on the board of 8 x 8"

    def starts(self, seed: int) -> list[Position]:
        return positions_after(self.game, 4)


class OthelloGbg(OthelloBenchmark):
    """The same games against Bench as it plays in GBG, the program behind the published results: where the opponent has
    to pass, and at the end, it takes his discs for its own."""

    name = "othello-gbg"
    opponent = "othello-positional:waiting=true"


class OthelloProgram(OthelloBenchmark):
    """The same games against a program that has to be on this machine."""

    name = ""
    program = ""

    @classmethod
    def found(cls) -> str | None:
        """Where the program is. Debian's games are often left out of the PATH."""
        return shutil.which(cls.program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"]))

    @classmethod
    def unsuited(cls, game: Game) -> str:
        missing = f"needs the program {cls.program}, which is not on the PATH of this machine"
        return super().unsuited(game) or ("" if cls.found() else missing)


class OthelloEdax(OthelloProgram):
    """The 244 positions after four plies, both roles, one game each, against the program Edax at depth 1, which has to
    be on this machine."""

    name = program = "edax"
    depth: int = parameter(1, 1, 100, doc="how far Edax looks ahead")

    def setup(self) -> None:
        self.opponent = f"engine:command={self.found()} -nboard,protocol=nboard,depth={self.depth}"


class OthelloRhino(OthelloProgram):
    """The 244 positions after four plies, both roles, one game each, against GRhino, a free program that Debian has
    (`apt install grhino`)."""

    name = "grhino"
    program = "gtp-rhino"
    level: int = parameter(1, 1, 5, doc="how strong GRhino plays")

    def setup(self) -> None:
        self.opponent = f"engine:command={self.found()} --level={self.level} --book=0,protocol=gtp"


class NimPerfect(Evaluator):
    """10 random start states, both roles, against perfect play."""

    name = "nim-perfect"
    opponent = "perfect"
    players = 2

    @classmethod
    def unsuited(cls, game: Game) -> str:
        fits = game.name == "nim" and game.num_players == cls.players
        return "" if fits else f"is for Nim with {cls.players} players"

    def starts(self, seed: int) -> list[Position]:
        return random_starts(self.game, 10, seed)


class NimThreePerfect(NimPerfect):
    """10 random start states, all three roles, 10 games each, against two perfect Max-N players."""

    name = "nim3p-perfect"
    players = 3

    def games(self, starts: int) -> int:
        return 10 * super().games(starts)


class NimThreeMcts(NimThreePerfect):
    """10 random start states, all three roles, 10 games each, against two MCTS players with 5,000 iterations and GBG's
    settings."""

    name = "nim3p-mcts"
    opponent = gbg_mcts(5000)
    iterations: int = parameter(5000, 1, 10**9, doc="iterations of the opponents for every move")

    def setup(self) -> None:
        self.opponent = gbg_mcts(self.iterations)
