"""Compiled equals plain: the same games, from the same seeds, refereed once as plain Python and once compiled.

The plain run comes first in each game, because there a rule's mistake is an ordinary exception with a line number.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardlab.check.explain import event_names, explain_exception, moves_text, position_text
from boardlab.check.images import Images
from boardlab.check.invariants import Finding, find_violation
from boardlab.check.referee import NOW, Referee, play, referee_for
from boardlab.check.report import Violation
from boardlab.check.time_limit import RULE_SECONDS, TimeLimit, TooLong
from boardlab.compiler import plain
from boardlab.compiler.errors import readable_compile_errors
from boardlab.game import Game
from boardlab.rng import Rng, make_rng

__all__ = ["PlainGame", "compare_compiled", "explain_finding", "play_compiled", "play_plain"]

play_uncompiled = plain(play)


LOG_ROWS = 400
"""Positions of a game that are compared; a longer game is left there."""


def compare_compiled(game: Game, images: Images, games: int, seed: int, seconds: float) -> int:
    """Play up to `games` games in both ways, but not much longer than `seconds`; return how many were played."""
    groups = [(list(cells), {tuple(row) for row in rows.tolist()}) for cells, rows in game.cell_groups()]
    spent = 0.0
    for number in range(games):
        begin = time.monotonic()
        uncompiled = play_plain(game, images, number, seed).referee
        spent += time.monotonic() - begin
        compiled = _referee(game, images, number)
        play_compiled(game, compiled, 1, make_rng(seed, number), [])
        _compare_logs(game, uncompiled, compiled)
        _check_groups(game, uncompiled, groups)
        if spent > seconds:
            return number + 1
    return games


def play_compiled(game: Game, referee: Referee, games: int, rng: Rng, earlier: list[str]) -> None:
    """Play on; a rule that leaves its arrays is a `Violation`. `earlier` are moves that are no longer in the log."""
    try:
        with readable_compile_errors(game):
            play(referee, game, games, rng)
    except IndexError:
        row = int(referee.desk[0].row) - 1
        log = referee.log[: row + 1]
        names = event_names(game, log[log["game"] == referee.desk[0].game])
        raise Violation(
            f"{_explain_bounds(game, referee, row)}\nIn the position\n{position_text(game, referee.states[NOW])}\n"
            f"{moves_text(game, referee, [*earlier, *names])}"
        ) from None


def _explain_bounds(game: Game, referee: Referee, row: int) -> str:
    """Which compiled rule left its arrays: plain Python knows the line, if it does the same."""
    try:
        with np.errstate(all="ignore"):
            referee.ask(game, NOW, referee.log[row])
    except Exception as error:
        return explain_exception(error)
    return "a compiled rule reads or writes beyond the end of an array."


def explain_finding(game: Game, referee: Referee, finding: Finding, earlier: list[str]) -> str:
    """A violation with its position and the moves of its game; `earlier` are those before the first row of the log."""
    row = finding.row
    shown = position_text(game, referee.log_states[row])
    if finding.second_board:
        shown += f"\nand on the second board\n{position_text(game, referee.image_states[row])}"
    number = int(referee.log["game"][row])
    first = int(np.argmax(referee.log["game"] == number))
    names = [*(earlier if first == 0 else []), *event_names(game, referee.log[first:row])]
    moves = moves_text(game, referee, names)
    return f"{finding.sentence}\nIn the position\n{shown}\nin game {number}, {moves}"


def _referee(game: Game, images: Images, number: int) -> Referee:
    referee = referee_for(game, images, LOG_ROWS)
    referee.clear_log()
    referee.desk[0].game = number
    return referee


@dataclass
class PlainGame:
    """One game that was played as plain Python, without a violation."""

    referee: Referee
    overflowed: bool = False
    """Whether small integers overflowed on the way, so that compiled rules may differ."""

    def note_overflow(self, *_: object) -> None:
        """Called by NumPy."""
        self.overflowed = True


def play_plain(game: Game, images: Images, number: int, seed: int) -> PlainGame:
    """Play game `number` as plain Python; what is wrong with it is raised as a `Violation`."""
    played = PlainGame(_referee(game, images, number))
    limit = TimeLimit(RULE_SECONDS)
    referee = played.referee
    referee.before_each_position(limit.sign_of_life)
    with limit.watching():
        try:
            with np.errstate(all="ignore", over="call", call=played.note_overflow):
                play_uncompiled(referee, game, 1, make_rng(seed, number))
        except (Exception, TooLong) as error:
            limit.sign_of_life()
            raise Violation(_explain_stop(game, referee, error)) from error
        finding = find_violation(game, referee, images)
        if finding is not None:
            raise Violation(explain_finding(game, referee, finding, []))
    return played


def _explain_stop(game: Game, referee: Referee, error: BaseException) -> str:
    """An exception in a rule, with the position in which it came."""
    row = int(referee.desk[0].row) - 1
    if row < 0:
        return explain_exception(error)
    moves = moves_text(game, referee, event_names(game, referee.log[:row]))
    position = f"In the position\n{position_text(game, referee.states[NOW])}\n{moves}"
    following = "".join(f", when {name} followed" for name in event_names(game, referee.log[row : row + 1]))
    return f"{explain_exception(error)}\n{position}{following}"


def _compare_logs(game: Game, plain: Referee, compiled: Referee) -> None:
    """Row by row: the state, then every answer."""
    rows = int(max(plain.desk[0].row, compiled.desk[0].row))
    for row in range(rows):
        for name in game.state.names or ():
            if not np.array_equal(plain.log_states[name][row], compiled.log_states[name][row]):
                raise Violation(_difference(game, plain, row, f"the field {name!r} of the state"))
        for name in plain.log.dtype.names or ():
            values, others = plain.log[name][row], compiled.log[name][row]
            if not np.array_equal(values, others, equal_nan=values.dtype.kind == "f"):
                raise Violation(_difference(game, plain, row, _answer(name, values, others)))


def _answer(name: str, plain: Any, compiled: Any) -> str:
    """Which answer differs, and how."""
    plain, compiled = np.atleast_1d(plain), np.atleast_1d(compiled)
    differ = (plain != compiled) & ((plain == plain) | (compiled == compiled))  # noqa: PLR0124 - two NaN are equal
    place = tuple(int(i) for i in np.argwhere(differ)[0])
    index = f"[{', '.join(str(i) for i in place)}]" if plain.size > 1 else ""
    return f"{name}{index} ({plain[place]} uncompiled, {compiled[place]} compiled)"


def _difference(game: Game, referee: Referee, row: int, what: str) -> str:
    names = event_names(game, referee.log[:row])
    return (
        f"compiled and uncompiled rules differ in {what}. Read small integers of the state with int() before "
        "calculating with them: NumPy keeps int8 arithmetic in int8, compiled code does not.\nIn the position "
        f"(uncompiled)\n{position_text(game, referee.log_states[row])}\n{moves_text(game, referee, names)}"
    )


def _check_groups(game: Game, referee: Referee, groups: list[tuple[list[int], set[tuple[int, ...]]]]) -> None:
    """Every board of the log is among what `cell_groups` says that can occur."""
    for row in range(int(referee.desk[0].row)):
        for cells, possible in groups:
            values = tuple(referee.log["cells"][row][cells].tolist())
            if values not in possible:
                raise Violation(
                    f"the cells {cells} have the values {list(values)}, which cell_groups does not list as possible."
                    f"\nIn the position\n{position_text(game, referee.log_states[row])}"
                )
