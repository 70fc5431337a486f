"""What a game is: one class with its rules, the learner's view of its board, and a person's view.

A state is one NumPy record of the dtype `state`. Rules are plain methods on it, written in the part of Python
that Numba compiles; the same methods run uncompiled in `Position` and compiled in every kernel. Integers that
a rule reads from `self` (parameters, sizes, masks) are compile-time constants, arrays and floats are read at run
time. Read small integers of a state with `int()` before calculating with them: NumPy keeps int8 arithmetic in
int8, compiled code does not.

A game must have `state`, `num_actions`, `reset`, `legal_actions`, `advance`, `is_over` and `scores`; to be
learned it also needs `num_cells`, `num_values` and `cells`. All else has a default.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids
from boardlab.arguments import shown
from boardlab.compiler import Compilable, clear_record, helper, is_our_own
from boardlab.compiler.fences import FENCES
from boardlab.components.component import Component, settings_of, settings_text_of, take_parameters
from boardlab.errors import BoardlabError
from boardlab.parameters import Value
from boardlab.rng import Rng, random_below, random_float

if TYPE_CHECKING:
    from boardlab.position import Position

__all__ = ["MOST_TOLD", "Game", "State", "UnsoundRules", "action_list", "final_estimate", "require_game"]

State = Any
"""One record of the game's `state` dtype: a `numpy.record` in Python, a Numba record in compiled code."""

MOST_TOLD = 8
"""So many changed cells has `Game.changed_cells` room for."""


class UnsoundRules(RuntimeError):
    """Rules that must not be compiled: a short check found a mistake in them."""


_REQUIRED = ("reset", "legal_actions", "advance", "is_over", "scores")


class Game(Component, Compilable):
    """Base class of all games. The class docstring of a game is its short rules text."""

    title: ClassVar[str] = ""
    """How the game is called by people."""

    settings: dict[str, Value]
    """The values of all parameters."""
    has_estimate: bool
    """Whether the game has an estimate of its own, better than the scores so far."""
    tells_changes: bool
    """Whether the game says which cells an action changes (`changed_cells`)."""
    believed: bool
    """Whether it is one of ours, proved right by its tests; others are checked first, and fenced when compiled."""
    plain: ClassVar[bool] = False
    """Whether its rules are Python that does not compile: searches over it are then plain Python, too."""
    state: np.dtype[Any]
    num_players: int = 2
    num_actions: int
    num_outcomes: int = 0
    """Chance outcomes are numbers in 0..num_outcomes-1; 0 for a game without chance."""
    max_moves: int = 1000
    """No game lasts longer than so many actions; `check_game` calls a longer one endless."""
    num_cells: int = 0
    num_values: int | tuple[int, ...] = 0
    """Cell values are 0..num_values-1; a tuple where the cells differ in it."""
    grid: tuple[int, int] = (0, 0)
    """Rows and columns where the cells form a rectangle, for the default pictures and names."""
    score_range: tuple[float, float] = (-1.0, 1.0)
    """Lowest and highest score that a player can have."""
    symbols: str = ".XO"
    """One character for each cell value, for the default text."""
    player_names: tuple[str, ...] = ()
    sample_moves: tuple[str, ...] = ()
    """Names of actions from the start on that lead to a position worth a picture, where there is no chance; by default
    a random game is shown."""
    feature_modes: tuple[str, ...] = ("cells",)
    pie_rule: ClassVar[bool] = False
    """Whether it makes sense that the second player may take over the first move, as in a game of two players whose
    first move is worth much."""
    evaluators: tuple[str, ...] = ()
    """Names of the evaluators that were made for the game, or for some of its sizes; the usual one first."""

    def __init__(self, **settings: Any) -> None:
        """Make the game with the given parameters, as `ConnectFour(columns=6)`."""
        values = self.__dict__
        values["believed"] = is_our_own(type(self).__module__)
        values["has_estimate"] = type(self).estimate is not Game.estimate
        values["tells_changes"] = type(self).changed_cells is not Game.changed_cells
        take_parameters(self, settings, type(self).__name__)
        values["settings"] = settings_of(self)
        values.update(values["settings"])
        self.setup()
        self._complete()
        values["_made"] = True

    def setup(self) -> None:
        """Set what follows from the parameters: sizes, the dtype, tables. Runs once, in Python."""

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        """Make `s`, a record of zeros, the start position (before the first chance event, if there is one)."""
        raise NotImplementedError  # abstract

    def player(self, s: State) -> int:
        """Who moves, 0..num_players-1. In a finished game any valid player."""
        return int(s.player)

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        """Write the legal actions to `actions` (num_actions places) and return how many they are.
        Called only when the game is not over and no chance event is due."""
        raise NotImplementedError  # abstract

    def advance(self, s: State, action: int) -> None:
        """Play a legal action: the deterministic part of the move, which leads to the afterstate."""
        raise NotImplementedError  # abstract

    def is_chance(self, s: State) -> bool:
        """Whether a chance event is due before anyone moves."""
        return False

    def chance_outcomes(self, s: State, outcomes: NDArray[np.int64], chances: NDArray[np.float64]) -> int:
        """Write the possible outcomes and their probabilities (num_outcomes places) and return their number."""
        return 0

    def advance_chance(self, s: State, outcome: int) -> None:
        """Let the chance event come out as `outcome`."""

    def sample_chance(self, s: State, rng: Rng) -> int:
        """Draw an outcome. Override it where drawing is cheaper than listing all outcomes."""
        outcomes = np.empty(self.num_outcomes, np.int64)
        chances = np.empty(self.num_outcomes, np.float64)
        n = self.chance_outcomes(s, outcomes, chances)
        x = random_float(rng)
        for i in range(n - 1):
            x -= chances[i]
            if x < 0.0:
                return int(outcomes[i])
        return int(outcomes[n - 1])

    def is_over(self, s: State) -> bool:
        """Whether the game has ended."""
        raise NotImplementedError  # abstract

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        """Write the cumulative reward of every player (num_players places), at any time of the game."""
        raise NotImplementedError  # abstract

    def estimate(self, s: State, out: NDArray[np.float64]) -> None:
        """Write what every player may expect to score in the end (num_players places), within `score_range`: for
        searches and episodes that a limit cuts off. Called where somebody is to move, and in finished games, where it
        must be the scores. By default the scores so far. In a zero-sum game its numbers should add up to 0, too."""
        self.scores(s, out)

    def random_start(self, s: State, rng: Rng) -> None:
        """Set up a random start position (Choose-Start-01): half the time the default start, else the
        position after one random ply, unless that ends the game. `s` is a record of zeros."""
        self.reset(s)
        self.random_plies(s, random_below(rng, 2), rng)
        if self.is_over(s):
            clear_record(s)
            self.reset(s)
            self.random_plies(s, 0, rng)

    def random_plies(self, s: State, plies: int, rng: Rng) -> None:
        """Play `plies` random actions, with their chance events, unless the game ends before."""
        actions = np.empty(self.num_actions, np.int64)
        while self.is_chance(s):
            self.advance_chance(s, self.sample_chance(s, rng))
        for _ in range(plies):
            if self.is_over(s):
                return
            n = self.legal_actions(s, actions)
            self.advance(s, actions[random_below(rng, n)])
            while self.is_chance(s):
                self.advance_chance(s, self.sample_chance(s, rng))

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        """Write the value of every cell (num_cells places) as n-tuples see it."""
        for i in range(self.num_cells):
            out[i] = s.board[i]

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        """The board as `player` sees it if he were the first player (board inversion). Games in which the
        players' stones differ override it; the default says that all players see the same board."""
        self.cells(s, out)

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        """Optional, for speed: write the cells that a legal action changes and the values that `cells` gives them in
        its afterstate (8 places each), and return their number; -1 where they are too many to tell. A learner then
        rates the action without writing and comparing whole boards. `check_game` proves it against `cells`."""
        return -1

    def is_quiet(self, s: State, action: int) -> bool:
        """Optional, for speed, together with `changed_cells`: whether a legal action leaves all scores as they are and
        the game goes on. A learner then rates it without playing it. False where that is not known at once;
        `check_game` proves it."""
        return False

    def symmetries(self) -> NDArray[np.int64]:
        """Permutations of the cells that give an equivalent board, the identity first; shape (k, num_cells).
        Row p means: the new cell i takes the value of the old cell p[i]."""
        return np.arange(self.num_cells, dtype=np.int64)[None, :]

    def start_symmetries(self) -> list[int]:
        """Which of the symmetries leave the start position as it is, so that a game played from the start with
        all its actions mapped is again a game; by default all."""
        return list(range(len(self.symmetries())))

    def cell_groups(self) -> list[tuple[list[int], NDArray[np.int8]]]:
        """Cells that depend on each other, with all rows of values that they can have together (at most some
        hundred): look-up tables then hold only what can occur. Optional; a cell belongs to one group at most."""
        return []

    def exchangeable_cells(self) -> NDArray[np.int64]:
        """Pairs of cells, shape (k, 2), whose values may be exchanged in any state without changing its worth
        (the corner symmetry of Dots-and-Boxes). A state has 2^d equivalents where d of the pairs differ."""
        return np.zeros((0, 2), np.int64)

    def action_symmetries(self) -> NDArray[np.int64] | None:
        """For every symmetry, the action on the new board that each action becomes; shape (k, num_actions).
        By default derived where action i is a move on cell i; None where that cannot be told."""
        if self.num_actions != self.num_cells:
            return None
        return np.argsort(self.symmetries(), axis=1)

    def outcome_symmetries(self) -> NDArray[np.int64] | None:
        """The same for chance outcomes; shape (k, num_outcomes)."""
        return None

    def neighbours(self) -> list[list[int]]:
        """For each cell the adjacent cells, as the random walk of n-tuples goes; by default the eight
        around it on the grid."""
        rows, columns = self.grid
        if rows * columns != self.num_cells:
            return [[] for _ in range(self.num_cells)]
        return grids.king_neighbours(rows, columns)

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        """Fixed n-tuple sets by name, the recommended one first."""
        return {}

    def cell_values(self) -> NDArray[np.int64]:
        """The number of values of every cell, shape (num_cells,)."""
        return np.broadcast_to(np.asarray(self.num_values, np.int64), (self.num_cells,)).copy()

    def num_features(self, mode: int) -> int:
        """Length of the feature vector of a mode (an index into `feature_modes`)."""
        return self.num_cells

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Write the feature vector of the position; mode 0 is the plain cell values."""
        board = np.empty(self.num_cells, np.int8)
        self.cells(s, board)
        for i in range(self.num_cells):
            out[i] = board[i]

    def feature_names(self, mode: int) -> list[str]:
        """What people call the features of a mode, in their order (Python only)."""
        return [f"feature {k + 1}" for k in range(self.num_features(mode))]

    # ------------------------------------------------------------ the person's view (Python only)

    def cell_place(self, cell: int) -> tuple[int, int]:
        """Row (from the top) and column of a cell of a grid game."""
        return divmod(cell, self.grid[1])

    def cell_outline(self, cell: int) -> list[tuple[float, float]]:
        """Where the cell lies in a picture of n-tuples: the corners of a field, or the two ends of an edge, as (x, y)
        with y downwards. By default squares of side 1, on the grid or, where there is none, in a row."""
        rows, columns = self.grid
        y, x = self.cell_place(cell) if rows * columns == self.num_cells else (0, cell)
        return [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]

    def cell_action(self, cell: int) -> int | None:
        """The action that a click on the cell means; by default action i is cell i."""
        return cell if self.num_actions == self.num_cells else None

    def action_name(self, action: int) -> str:
        """What a person calls the action; on a grid a1 is the top left cell."""
        rows, columns = self.grid
        if rows * columns == self.num_actions:
            return grids.cell_name(*self.cell_place(action))
        return str(action + 1)

    def parse_action(self, text: str) -> int:
        """The action that a person means by `text`: its name in any case."""
        wanted = text.strip().lower()
        for action in range(self.num_actions):
            if self.action_name(action).lower() == wanted:
                return action
        raise BoardlabError(
            f"{text.strip()!r} is no action of {self.title}; an action looks like {self.action_name(0)}"
        )

    def outcome_name(self, outcome: int) -> str:
        """What a person calls a chance outcome."""
        return str(outcome)

    def player_name(self, player: int) -> str:
        """What a person calls a player."""
        return self.player_names[player] if self.player_names else f"player {player + 1}"

    def describe(self, s: State) -> str:
        """The position as text; by default the grid with one symbol a cell."""
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        rows, columns = self.grid
        if rows * columns != self.num_cells or self.num_cells == 0:
            return " ".join(f"{name}={s[name]}" for name in self.state.names or ())
        marks = {self.cell_place(i): self.symbols[v] for i, v in enumerate(board)}
        return grids.text_grid([[marks[r, c] for c in range(columns)] for r in range(rows)])

    def deciding_cells(self, s: State) -> list[int]:
        """The cells that decided a finished game, as four in a row or a chain, for the picture; by default none."""
        return []

    def counts(self, s: State) -> list[str]:
        """What each player has so far, in words beside his name, as "12 discs"; by default nothing."""
        return []

    def slides(self, s: State, action: int) -> list[tuple[int, int]]:
        """Which pieces an action moves in `s`, the position before it, as cells from and to, for the page to show it;
        where two come to the same cell they merge. By default none."""
        return []

    def draw(self, s: State, last_action: int | None = None) -> str:
        """The position as SVG. A part that carries `data-action` plays that action when it is clicked."""
        return drawing.draw_grid(self, s, last_action)

    # ------------------------------------------------------------ positions set up by hand (Python only)

    def setup_values(self) -> NDArray[np.int64]:
        """How many values each place of a position has that a person can set; by default those of the cells."""
        return self.cell_values()

    def setup_names(self) -> list[str]:
        """What a person calls these values."""
        most = int(max(self.setup_values(), default=0))
        return list(self.symbols) if len(self.symbols) == most else [str(value) for value in range(most)]

    def setup_outline(self, place: int) -> list[tuple[float, float]]:
        """Where a place lies, as `cell_outline` says it of a cell."""
        return self.cell_outline(place)

    def setup_of(self, s: State) -> list[int]:
        """The values of the places in a position."""
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        return [int(value) for value in board]

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """Make `s`, a record of zeros, the position with these values of its places and this player to move, or raise a
        `BoardlabError` that says why there is none. By default moves are searched that lead there."""
        from boardlab.setups import search_position

        search_position(self, s, values, player)

    def position_from(self, values: Sequence[int], player: int) -> Position:
        """The `Position` with these values of its places and this player to move; an impossible one is refused."""
        from boardlab.setups import position_from

        return position_from(self, values, player)

    def start(self) -> Position:
        """A `Position` at the start of the game."""
        from boardlab.position import Position

        return Position(self)

    # ------------------------------------------------------------ trust

    def require_sound(self) -> None:
        """Raise a `BoardlabError` that explains what is wrong with the rules, if a short check of plain play finds
        anything. It takes about two seconds, once for every edit; our own games have passed the long one."""
        if not self.believed and "_in_check" not in self.__dict__:
            # by name: what is compiled does not depend on how it was checked
            importlib.import_module("boardlab.check.guard").require_sound(self)

    @contextmanager
    def in_check(self) -> Iterator[None]:
        """Within it the game is compiled as it is, because somebody is just finding out what is wrong with it."""
        values = self.__dict__
        within = "_in_check" in values
        values["_in_check"] = True
        try:
            yield
        finally:
            if not within:
                del values["_in_check"]
                values.pop("_made_type", None)  # whoever compiles it next asks again

    def before_compiling(self) -> None:
        if self.plain:
            raise UnsoundRules(
                f"{self.spec} does not compile: it can be played at random, by mcts, mc, max-n and people, not learned"
            )
        try:
            self.require_sound()
        except BoardlabError as error:
            raise UnsoundRules(str(error)) from error

    @classmethod
    def fences(cls) -> Mapping[str, Callable[..., Any]] | None:
        return None if is_our_own(cls.__module__) else FENCES

    # ------------------------------------------------------------ identity

    def __repr__(self) -> str:
        return f"{type(self).__name__}({settings_text_of(self).replace(',', ', ')})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__["settings"] == other.__dict__["settings"]

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.__dict__["settings"].items())))

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__.get("_made"):
            raise AttributeError(f"a game is constant once it is made; make another one to change {name!r}")
        super().__setattr__(name, value)

    def _complete(self) -> None:
        """Refuse a game that lacks something, with the list of what it lacks."""
        cls = type(self)
        values = self.__dict__
        if not cls.name:
            values.setdefault("name", cls.__name__.lower())
        if not cls.title:
            values.setdefault("title", cls.__name__)
        missing = [m for m in _REQUIRED if getattr(cls, m) is getattr(Game, m)]
        missing += [a for a in ("state", "num_actions") if not hasattr(self, a)]
        if missing:
            raise BoardlabError(f"the game {cls.__name__} lacks {', '.join(missing)}")
        if not isinstance(self.state, np.dtype) or self.state.names is None:
            raise BoardlabError(f"{cls.__name__}.state must be a NumPy dtype with named fields")
        if "player" not in self.state.names and cls.player is Game.player:
            raise BoardlabError(f"{cls.__name__}.state needs a field 'player', or the class a method player(s)")
        if self.num_cells and np.min(self.num_values) < 1:
            raise BoardlabError(f"{cls.__name__} has cells but no num_values (how many values a cell can take)")
        if self.num_cells and np.shape(self.num_values) not in ((), (self.num_cells,)):
            raise BoardlabError(
                f"{cls.__name__}.num_values must be one number for all cells, or one for each of the {self.num_cells}"
            )
        if not self.believed:  # what the fences compare with
            cell_values = self.cell_values() if self.num_cells else np.zeros(0)
            values["values_of_cells"] = cell_values.astype(np.uint8)


@helper
def final_estimate(game: Any, s: State, out: NDArray[np.float64], estimate: bool) -> None:
    """What counts for every player where a game is cut off: the game's own estimate, or the scores so far; at the end
    of a game both are its scores. For compiled code; no chance event is due in `s`."""
    if estimate:
        game.estimate(s, out)
    else:
        game.scores(s, out)


def require_game(game: Game) -> None:
    """Refuse what is no game, as its name."""
    if not isinstance(game, Game):
        raise BoardlabError(f'a game is made first, as game = make("connect4"); {shown(game)} is none')


def action_list(game: Game, actions: Sequence[int]) -> str:
    """Actions by their names, for messages; a long list is cut."""
    names = [game.action_name(int(a)) for a in actions]
    return ", ".join(names) if len(names) <= 40 else ", ".join(names[:40]) + f", ... ({len(names)} in all)"
