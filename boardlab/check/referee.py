"""The referee: plays random games and writes down, for every position, all that the rules answer.

`check_game` runs this one class twice: as plain Python for some games, and compiled for all. Where symmetries are
known, the same game is played on a second board with all actions mapped. The referee judges nothing; `invariants`
reads the log. It only stops where to go on would be dangerous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boardlab.check.images import Images
from boardlab.compiler import Compilable, kernel
from boardlab.game import MOST_TOLD, Game
from boardlab.rng import Rng, random_below

__all__ = [
    "COPY_DEPENDS",
    "GUARD",
    "GUARDED",
    "METHODS",
    "MOST_ROLLS",
    "NOT_REPEATABLE",
    "NOW",
    "RANDOM_START_EVERY",
    "START",
    "UNTOUCHED",
    "Referee",
    "log_dtype",
    "play",
    "referee_for",
]

TRIAL, NOW, IMAGE, BEFORE, START, BLANK = range(6)
"""Rows of `Referee.states`. An advance that writes past the end of TRIAL is seen in NOW."""

GUARD = 4
"""Places after each array that rules write to, to see whether they write too far."""
UNTOUCHED = 77
GUARDED = (
    *("actions", "outcomes", "chances", "scores", "estimate", "cells", "cells_of", "features"),
    *("told_cells", "told_values"),
)
MOST_ROLLS = 300
"""More chance events in a row than this are taken for a loop; the log of a plain game has room for them."""
RANDOM_START_EVERY = 4
"""One of so many games begins at `random_start`."""

PLAYER, IS_CHANCE, IS_OVER, SCORES, CELLS = 1, 2, 3, 4, 5
CELLS_OF, FEATURES, LEGAL_ACTIONS, CHANCE_OUTCOMES, SAMPLE_CHANCE, ESTIMATE = 6, 7, 8, 9, 10, 11
CHANGED_CELLS, IS_QUIET = 12, 13
METHODS = {
    PLAYER: "player",
    IS_CHANCE: "is_chance",
    IS_OVER: "is_over",
    SCORES: "scores",
    CELLS: "cells",
    CELLS_OF: "cells_of",
    FEATURES: "features",
    LEGAL_ACTIONS: "legal_actions",
    CHANCE_OUTCOMES: "chance_outcomes",
    SAMPLE_CHANCE: "sample_chance",
    ESTIMATE: "estimate",
    CHANGED_CELLS: "changed_cells",
    IS_QUIET: "is_quiet",
}
COPY_DEPENDS, NOT_REPEATABLE = 1, 2


def log_dtype(game: Game) -> np.dtype[Any]:
    """One row of the log: the answers of one position, and what happened next."""
    players, cells = game.num_players, game.num_cells + GUARD
    widest = max((game.num_features(mode) for mode in range(len(game.feature_modes))), default=0)
    return np.dtype(
        [
            ("game", np.int64),  # number of the game
            ("ply", np.int64),  # actions and chance events before this position
            ("image", np.int64),  # which map the second board follows, -1 for none
            ("player", np.int64),
            ("chance", np.bool_),
            ("over", np.bool_),
            ("num_legal", np.int64),
            ("num_outcomes", np.int64),
            ("actions", np.int64, (game.num_actions + GUARD,)),
            ("outcomes", np.int64, (game.num_outcomes + GUARD,)),
            ("chances", np.float64, (game.num_outcomes + GUARD,)),
            ("scores", np.float64, (players + GUARD,)),
            ("scores_again", np.float64, (players + GUARD,)),  # asked a second time
            ("estimate", np.float64, (players + GUARD,)),  # the scores where the game has no estimate of its own
            ("cells", np.int8, (cells,)),
            ("cells_of", np.int8, (players, cells)),
            ("num_told", np.int64),  # answer of changed_cells about the action that followed; -1 where it was not asked
            ("quiet", np.bool_),  # is_quiet of the action that followed
            ("told_cells", np.int32, (MOST_TOLD + GUARD,)),
            ("told_values", np.int8, (MOST_TOLD + GUARD,)),
            ("features", np.float64, (max(1, len(game.feature_modes)), widest + GUARD)),
            ("changed_by", np.int64),  # the first method that changed the state by being asked, 0 for none
            ("changed_at", np.int64),  # the byte of the state in which that was seen
            ("event", np.int64),  # the action or outcome that followed, -1 for none
            ("advance_fault", np.int64),  # 0, COPY_DEPENDS or NOT_REPEATABLE
            ("differs_at", np.int64),  # the byte of the state in which that was seen
        ]
    )


DESK = np.dtype(
    [
        ("row", np.int64),  # rows of the log in use
        ("game", np.int64),  # number of the current game
        ("playing", np.bool_),  # a game is under way
        ("finished", np.int64),  # games played to the end
        ("broken", np.bool_),  # the rules answered something with which no game can go on
        ("ply", np.int64),  # actions and chance events in the current game
        ("moves", np.int64),  # actions in the current game
        ("rolls", np.int64),  # chance events since the last action
        ("all_moves", np.int64),  # actions in all finished games
        ("image", np.int64),
    ]
)


class Referee(Compilable):
    """Boards, a log and the course of the games."""

    def __init__(self, game: Game, images: Images, rows: int) -> None:
        """A referee whose log has `rows` rows."""
        self.modes = len(game.feature_modes)
        self.feature_counts = np.array([game.num_features(mode) for mode in range(self.modes)], np.int64)
        self.states = np.zeros(6, game.state).view(np.recarray)
        self.raw = self.states.view(np.ndarray).view(np.uint8).reshape(6, -1)
        self.cell_maps, self.action_maps, self.outcome_maps = images.cells, images.actions, images.outcomes
        self.desk = np.zeros(1, DESK).view(np.recarray)
        self.log = np.zeros(rows, log_dtype(game)).view(np.recarray)
        self.image_log = np.zeros(rows if images.names else 1, log_dtype(game)).view(np.recarray)
        self.log_states = np.zeros(rows, game.state).view(np.recarray)
        self.image_states = np.zeros(len(self.image_log), game.state).view(np.recarray)

    def clear_log(self) -> None:
        """Fill the log with what no rule may answer, so that an answer that is missing shows."""
        for log in (self.log, self.image_log):
            for name in ("chances", "scores", "scores_again", "estimate", "features"):
                log[name] = np.nan
            for name in ("actions", "outcomes", "cells", "cells_of", "event", "num_told", "told_cells", "told_values"):
                log[name] = -1
            for name in GUARDED:
                log[name][..., -GUARD:] = UNTOUCHED
            for name in ("changed_by", "advance_fault", "num_legal", "num_outcomes", "quiet"):
                log[name] = 0

    def before_each_position(self, tell: Callable[[], None]) -> None:
        """Have `tell` called before a position is asked about, in plain play."""

        def ask(*about: Any) -> None:
            tell()
            type(self).ask(self, *about)

        self.__dict__["ask"] = ask

    # ------------------------------------------------------------ from here on also compiled

    def set_up(self, game: Any, rng: Rng) -> None:
        """The start position, or a random one; and the second board where there is a map for it."""
        d = self.desk[0]
        d.playing = True
        d.ply = 0
        d.moves = 0
        d.rolls = 0
        d.image = -1
        self.states[NOW] = self.states[BLANK]
        if d.game % RANDOM_START_EVERY == RANDOM_START_EVERY - 1:
            game.random_start(self.states[NOW], rng)
        else:
            game.reset(self.states[NOW])
            if len(self.cell_maps) > 0:
                d.image = (d.game - d.game // RANDOM_START_EVERY) % len(self.cell_maps)
                self.states[IMAGE] = self.states[NOW]
        self.states[START] = self.states[NOW]

    def ask(self, game: Any, which: int, r: Any) -> None:
        """Ask everything about a position; no question should change it."""
        self.states[BEFORE] = self.states[which]
        s = self.states[which]
        players = game.num_players
        r.player = game.player(s)
        self.watch(which, PLAYER, r)
        r.chance = game.is_chance(s)
        self.watch(which, IS_CHANCE, r)
        r.over = game.is_over(s)
        self.watch(which, IS_OVER, r)
        game.scores(s, r.scores[:players])
        self.watch(which, SCORES, r)
        game.scores(s, r.scores_again[:players])
        if not r.chance:
            game.estimate(s, r.estimate[:players])
            self.watch(which, ESTIMATE, r)
        self.ask_cells(game, which, r)
        self.ask_features(game, which, r)
        if r.chance:
            n = game.num_outcomes
            r.num_outcomes = game.chance_outcomes(s, r.outcomes[:n], r.chances[:n])
            self.watch(which, CHANCE_OUTCOMES, r)
        elif not r.over:
            r.num_legal = game.legal_actions(s, r.actions[: game.num_actions])
            self.watch(which, LEGAL_ACTIONS, r)

    def ask_cells(self, game: Any, which: int, r: Any) -> None:
        """The board, and the board as each player sees it."""
        s = self.states[which]
        cells = game.num_cells
        game.cells(s, r.cells[:cells])
        self.watch(which, CELLS, r)
        for p in range(game.num_players):
            game.cells_of(s, p, r.cells_of[p, :cells])
        self.watch(which, CELLS_OF, r)

    def ask_features(self, game: Any, which: int, r: Any) -> None:
        """The feature vector of every mode."""
        for mode in range(self.modes):
            game.features(self.states[which], mode, r.features[mode, : self.feature_counts[mode]])
        self.watch(which, FEATURES, r)

    def go_on(self, game: Any, r: Any, rng: Rng) -> None:
        """Let the next thing happen: a chance event, a random action, or the end."""
        d = self.desk[0]
        self.states[BEFORE] = self.states[NOW]
        if r.chance:
            d.rolls += 1
            d.broken = r.num_outcomes < 1 or r.num_outcomes > game.num_outcomes or d.rolls > MOST_ROLLS
            if not d.broken:
                r.event = game.sample_chance(self.states[NOW], rng)
                self.watch(NOW, SAMPLE_CHANCE, r)
        elif r.over:
            d.playing = False
            d.game += 1
            d.finished += 1
            d.all_moves += d.moves
            return
        else:
            d.rolls = 0
            d.moves += 1
            d.broken = r.num_legal < 1 or r.num_legal > game.num_actions or d.moves > game.max_moves
            if not d.broken:
                r.event = r.actions[random_below(rng, r.num_legal)]
        choices = game.num_outcomes if r.chance else game.num_actions
        if d.broken or r.event < 0 or r.event >= choices:
            d.broken = True
            return
        d.ply += 1
        self.advance(game, r)

    def ask_changes(self, game: Any, r: Any) -> None:
        """Which cells the action that follows will change."""
        if game.tells_changes:
            cells, values = r.told_cells[:MOST_TOLD], r.told_values[:MOST_TOLD]
            r.num_told = game.changed_cells(self.states[NOW], r.event, cells, values)
            self.watch(NOW, CHANGED_CELLS, r)
            r.quiet = game.is_quiet(self.states[NOW], r.event)
            self.watch(NOW, IS_QUIET, r)

    def advance(self, game: Any, r: Any) -> None:
        """The event happens once on a copy, once on the board, and its image on the second board."""
        if not r.chance:
            self.ask_changes(game, r)
        self.states[TRIAL] = self.states[NOW]
        self.apply(game, TRIAL, r.chance, r.event)
        r.differs_at = self.difference(NOW, BEFORE)
        if r.differs_at >= 0:
            r.advance_fault = COPY_DEPENDS
        self.apply(game, NOW, r.chance, r.event)
        if r.advance_fault == 0:
            r.differs_at = self.difference(NOW, TRIAL)
            if r.differs_at >= 0:
                r.advance_fault = NOT_REPEATABLE
        if r.image >= 0:
            maps = self.outcome_maps if r.chance else self.action_maps
            self.apply(game, IMAGE, r.chance, maps[r.image, r.event])

    def apply(self, game: Any, which: int, chance: bool, event: int) -> None:
        """Let an action or a chance outcome happen on one of the boards."""
        if chance:
            game.advance_chance(self.states[which], event)
        else:
            game.advance(self.states[which], event)

    def watch(self, which: int, method: int, r: Any) -> None:
        """Note the first method that changed the state."""
        if r.changed_by == 0:
            r.changed_at = self.difference(which, BEFORE)
            if r.changed_at >= 0:
                r.changed_by = method

    def difference(self, first: int, second: int) -> int:
        """The first byte in which two of the states differ, -1 where they are the same."""
        for k in range(self.raw.shape[1]):
            if self.raw[first, k] != self.raw[second, k]:
                return k
        return -1


class RefereeWithoutCells(Referee):
    """Does not ask for cells, because the default method would not compile where the state has no board."""

    def ask_cells(self, game: Any, which: int, r: Any) -> None:
        """There are none."""

    def ask_changes(self, game: Any, r: Any) -> None:
        """There are none."""


class RefereeWithoutFeatures(RefereeWithoutCells):
    """Does not ask for features either, which are the cells by default."""

    def ask_features(self, game: Any, which: int, r: Any) -> None:
        """There are none."""


def referee_for(game: Game, images: Images, rows: int) -> Referee:
    """A referee who asks what the game can answer."""
    if game.num_cells > 0:
        return Referee(game, images, rows)
    if type(game).features is Game.features:
        return RefereeWithoutFeatures(game, images, rows)
    return RefereeWithoutCells(game, images, rows)


@kernel
def play(referee: Any, game: Any, games: int, rng: Rng) -> None:
    """Play until `games` are finished, the log is full, or the rules are broken. Call it again to go on. Without
    compiling it is `play.py_func`. The rules are asked without fences: the log tells more about a mistake."""
    rules = game.bare
    d = referee.desk[0]
    d.row = 0
    while d.row < len(referee.log) and d.finished < games and not d.broken:
        if not d.playing:
            referee.set_up(rules, rng)
        row = d.row
        d.row += 1
        r = referee.log[row]
        r.game = d.game
        r.ply = d.ply
        r.image = d.image
        referee.log_states[row] = referee.states[NOW]
        referee.ask(rules, NOW, r)
        if d.image >= 0:
            referee.image_states[row] = referee.states[IMAGE]
            referee.ask(rules, IMAGE, referee.image_log[row])
        referee.go_on(rules, r, rng)
