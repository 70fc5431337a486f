"""What a game class declares, checked in plain Python: sizes, names, symmetries, tuples, pictures, return values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import numpy as np

from boardlab.check.explain import explain_exception, position_text
from boardlab.check.report import Violation
from boardlab.check.time_limit import TimeLimit, TooLong
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.registry import game_classes, make_unchecked
from boardlab.rng import make_rng, random_below

__all__ = ["check_declarations", "check_pictures"]

CHECK_SECONDS = 6.0
"""One of the checks below that takes longer has met a loop without end."""
PICTURES = 50
"""Positions that are drawn, of one random game."""


def check_declarations(game: Game) -> str:
    """Raise `Violation` at the first wrong declaration; else return what was checked, in words."""
    return _run(game, _DECLARATIONS)


def check_pictures(game: Game) -> str:
    """The same for text and pictures, which need rules that work."""
    return _run(game, _PICTURES)


def _run(game: Game, checks: Sequence[tuple[str, Callable[[Game], None]]]) -> str:
    for _, check in checks:
        try:
            with TimeLimit(CHECK_SECONDS).watching():
                check(game)
        except (Violation, BoardlabError):
            raise
        except (Exception, TooLong) as error:
            raise Violation(explain_exception(error)) from error
    return ", ".join(title for title, _ in checks)


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise Violation(sentence)


# ---------------------------------------------------------------- numbers and names


def _check_sizes(game: Game) -> None:
    for name in ("num_players", "num_actions", "max_moves"):
        value = getattr(game, name)
        _require(isinstance(value, int) and value >= 1, f"{name} must be a whole number of 1 or more, not {value!r}")
    for name in ("num_outcomes", "num_cells"):
        value = getattr(game, name)
        _require(isinstance(value, int) and value >= 0, f"{name} must be a whole number of 0 or more, not {value!r}")
    low, high = game.score_range
    _require(low < high, f"score_range must be (lowest, highest) score of a player, not {game.score_range}")
    if game.num_cells:
        values = game.cell_values()
        most = int(values.max())
        _require(most <= 127, f"num_values can be 127 at most (cells are int8), not {most}")
        needs_symbols = type(game).describe is Game.describe and math.prod(game.grid) == game.num_cells
        _require(
            not needs_symbols or len(game.symbols) >= most,
            f"symbols must have a character for each of the {most} cell values, not {game.symbols!r}",
        )
    names = game.player_names
    _require(
        not names or len(names) == game.num_players,
        f"player_names must have a name for each of the {game.num_players} players, not {names}",
    )
    for mode in range(len(game.feature_modes)):
        count = game.num_features(mode)
        _require(isinstance(count, int) and count >= 0, f"num_features({mode}) must be a whole number, not {count!r}")
        named = len(game.feature_names(mode))
        _require(named == count, f"feature_names({mode}) must have {count} names, one for each feature, not {named}")


def _check_names(game: Game) -> None:
    names: dict[str, int] = {}
    for action in range(game.num_actions):
        name = game.action_name(action).lower()
        _require(
            name not in names,
            f"the actions {names.get(name)} and {action} have the same name {name!r}; action_name must tell them apart",
        )
        names[name] = action
    for action in range(game.num_actions):
        name = game.action_name(action)
        parsed = game.parse_action(name)
        _require(
            parsed == action,
            f"parse_action({name!r}) gives {parsed}, but action_name({action}) is {name!r}; they must be inverse",
        )
    known = game_classes() if "_origin" not in vars(game) else {}
    if "_origin" in vars(game) or known.get(game.name) is type(game):
        again = make_unchecked(game.spec)
        same = type(again).__qualname__ == type(game).__qualname__ and vars(again)["settings"] == vars(game)["settings"]
        _require(same, f"make({game.spec!r}) gives {again!r}, not {game!r}")


# ---------------------------------------------------------------- maps and neighbours


def _check_maps(game: Game) -> None:
    cells = game.symmetries()
    _check_permutations("symmetries", cells, game.num_cells, None)
    values = game.cell_values()
    for k, permutation in enumerate(cells):
        wrong = np.flatnonzero(values[permutation] != values)
        for cell in wrong[:1]:
            raise Violation(
                f"symmetry {k} gives cell {cell} the value of cell {permutation[cell]}, but these cells take different "
                "numbers of values"
            )
    for name, size in (("action_symmetries", game.num_actions), ("outcome_symmetries", game.num_outcomes)):
        maps = getattr(game, name)()
        if maps is not None:
            _check_permutations(name, maps, size, len(cells))
    kept = list(game.start_symmetries())
    _require(
        0 in kept and all(0 <= k < len(cells) for k in kept),
        f"start_symmetries must list symmetries from 0 to {len(cells) - 1}, among them 0 (the identity), not {kept}",
    )
    for a, b in game.exchangeable_cells():
        inside = 0 <= a < game.num_cells and 0 <= b < game.num_cells
        _require(inside and a != b, f"exchangeable_cells must be pairs of two different cells, not ({a}, {b})")


def _check_permutations(name: str, maps: Any, size: int, rows: int | None) -> None:
    maps = np.asarray(maps)
    shape = f"({'k' if rows is None else rows}, {size})"
    _require(
        maps.ndim == 2 and len(maps) >= 1 and maps.shape[1] == size and (rows is None or len(maps) == rows),
        f"{name} must have the shape {shape}, not {maps.shape}",
    )
    _require(np.array_equal(maps[0], np.arange(size)), f"the first row of {name} must be the identity, not {maps[0]}")
    for k, row in enumerate(maps):
        _require(
            np.array_equal(np.sort(row), np.arange(size)),
            f"row {k} of {name} must have each number from 0 to {size - 1} once; it is {row.tolist()}",
        )


def _check_neighbours(game: Game) -> None:
    neighbours = game.neighbours()
    _require(
        len(neighbours) == game.num_cells,
        f"neighbours must have a list for each of the {game.num_cells} cells, not {len(neighbours)} lists",
    )
    for cell, near in enumerate(neighbours):
        for other in near:
            _require(
                0 <= other < game.num_cells and other != cell,
                f"neighbours of cell {cell} must be other cells from 0 to {game.num_cells - 1}, not {other}",
            )
            _require(
                cell in neighbours[other],
                f"cell {other} is a neighbour of cell {cell}, but cell {cell} is no neighbour of cell {other}",
            )


def _check_tuples(game: Game) -> None:
    for name, tuples in game.tuple_sets().items():
        _require(len(tuples) > 0, f"the tuple set {name!r} is empty")
        for cells in tuples:
            fits = len(cells) > 0 and all(0 <= c < game.num_cells for c in cells) and len(set(cells)) == len(cells)
            _require(
                fits,
                f"the tuple {cells} of the set {name!r} must be different cells from 0 to {game.num_cells - 1}",
            )
    used: set[int] = set()
    values = game.cell_values()
    for cells, rows in game.cell_groups():
        _require(
            not used & set(cells) and all(0 <= c < game.num_cells for c in cells),
            f"the group {list(cells)} of cell_groups must be cells that are in no other group",
        )
        used |= set(cells)
        fits = rows.ndim == 2 and rows.shape[1] == len(cells) and rows.min() >= 0
        _require(
            bool(fits and np.all(rows < values[list(cells)])),
            f"the rows of the group {list(cells)} of cell_groups must be values of its {len(cells)} cells",
        )


# ---------------------------------------------------------------- a look at some positions


def _check_rules(game: Game) -> None:
    states = np.zeros(2, game.state).view(np.recarray)
    game.reset(states[0])
    game.reset(states[1])
    _require(states[0] == states[1], "reset gave two different start positions; put what is random in a chance event")
    s = states[0]
    start_over = not game.is_chance(s) and bool(game.is_over(s))
    _require(not start_over, f"the game is over before it begins.\nIn the position\n{position_text(game, s)}")
    for position in _walk(game):
        _check_returns(game, position)


def _walk(game: Game) -> Iterator[Any]:
    """The positions of one random game, at most 200, as far as the rules work."""
    rng = make_rng(1)
    s = np.zeros(1, game.state).view(np.recarray)[0]
    game.reset(s)
    actions = np.zeros(game.num_actions, np.int64)
    for _ in range(200):
        yield s
        try:
            if game.is_chance(s):
                game.advance_chance(s, game.sample_chance(s, rng))
            elif game.is_over(s):
                return
            else:
                n = game.legal_actions(s, actions)
                game.advance(s, int(actions[random_below(rng, n)]))
        except Exception:  # the plain games explain it better
            return


_RETURNS: Sequence[tuple[str, tuple[type, ...], str]] = (
    ("player", (int, np.integer), "the player who moves, a whole number"),
    ("is_chance", (bool, np.bool_), "True or False"),
    ("is_over", (bool, np.bool_), "True or False"),
)


def _check_returns(game: Game, s: Any) -> None:
    """Rules return what they should. (A rule that runs into an exception is left to the plain games, which can say
    in which line.)"""
    actions = np.zeros(game.num_actions, np.int64)
    outcomes = np.zeros(game.num_outcomes, np.int64)
    try:
        answers = {name: getattr(game, name)(s) for name, _, _ in _RETURNS}
        counts = {}
        if answers["is_chance"]:
            counts["chance_outcomes"] = game.chance_outcomes(s, outcomes, np.zeros(game.num_outcomes))
        elif not answers["is_over"]:
            counts["legal_actions"] = game.legal_actions(s, actions)
    except Exception:
        return
    for name, kinds, wanted in _RETURNS:
        _require(isinstance(answers[name], kinds), f"{name} must return {wanted}, not {answers[name]!r}")
    for name, answer in counts.items():
        _require(
            isinstance(answer, (int, np.integer)),
            f"{name} must return how many it wrote, a whole number, not {answer!r}",
        )


def _check_pictures(game: Game) -> None:
    for s in islice(_walk(game), PICTURES):
        _check_picture(game, s)


def _check_picture(game: Game, s: Any) -> None:
    text = game.describe(s)
    _require(isinstance(text, str) and text.strip() != "", f"describe must return the position as text, not {text!r}")
    svg = game.draw(s)
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise Violation(f"draw did not return well-formed SVG: {error}") from error
    _require(root.tag.endswith("svg"), f"draw must return a picture that begins with <svg>, not <{root.tag}>")
    for element in root.iter():
        action = element.get("data-action", "0")
        _require(
            action.isdecimal() and int(action) < game.num_actions,
            f"draw made a part with data-action={action!r}; actions are numbers from 0 to {game.num_actions - 1}",
        )
    deciding, counts = game.deciding_cells(s), game.counts(s)
    _require(
        all(0 <= cell < game.num_cells for cell in deciding),
        f"deciding_cells must return cells from 0 to {game.num_cells - 1}, not {deciding!r}",
    )
    _require(
        len(counts) in (0, game.num_players) and all(isinstance(text, str) for text in counts),
        f"counts must return a text for each of the {game.num_players} players, or nothing, not {counts!r}",
    )


_DECLARATIONS: Sequence[tuple[str, Callable[[Game], None]]] = (
    ("sizes and ranges", _check_sizes),
    ("names", _check_names),
    ("symmetries", _check_maps),
    ("neighbours", _check_neighbours),
    ("tuple sets and cell groups", _check_tuples),
    ("what rules return", _check_rules),
)
_PICTURES: Sequence[tuple[str, Callable[[Game], None]]] = (("text and picture at every position", _check_pictures),)
