"""What must hold in every game, read from the log of the referee, with the sentence that explains each violation.

Every check looks at all rows of the log at once and gives the first row in which it fails, if any, with the words
for it. The earliest row of all is the violation that is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.check.explain import field_at
from boardlab.check.images import Images
from boardlab.check.referee import (
    COPY_DEPENDS,
    GUARD,
    GUARDED,
    METHODS,
    MOST_ROLLS,
    NOT_REPEATABLE,
    RANDOM_START_EVERY,
    UNTOUCHED,
    Referee,
)
from boardlab.game import MOST_TOLD, Game

__all__ = ["Finding", "find_violation"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """A violation in a row of the log."""

    row: int
    sentence: str
    second_board: bool = False
    """Whether the second board is needed to understand it."""


class _Log:
    """The rows of the log in use, by name, and how to make findings of them."""

    def __init__(self, game: Game, referee: Referee, images: Images) -> None:
        self.game, self.images = game, images
        self.rows = int(referee.desk[0].row)
        self.moves, self.rolls = int(referee.desk[0].moves), int(referee.desk[0].rolls)
        self.log = referee.log[: self.rows].view(np.ndarray)
        self.image_log = referee.image_log[: self.rows].view(np.ndarray)
        self.chance, self.over = self.log["chance"], self.log["over"]
        self.decision = ~self.chance & ~self.over

    def part(self, name: str, size: int) -> Any:
        """An array of answers without its guard."""
        return self.log[name][..., :size]

    def first(self, wrong: Mask, sentence: Callable[..., str], second_board: bool = False) -> Iterator[Finding]:
        """The finding in the first row where `wrong` is true, if any. `sentence` gets the index of the place."""
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            yield Finding(place[0], sentence(*place), second_board)


def find_violation(game: Game, referee: Referee, images: Images) -> Finding | None:
    """The earliest violation in the log, if there is one."""
    log = _Log(game, referee, images)
    findings = [finding for check in _CHECKS for finding in check(log)]
    return min(findings, key=lambda finding: finding.row, default=None)


# ---------------------------------------------------------------- one board


def _status(v: _Log) -> Iterator[Finding]:
    last = v.game.num_players - 1
    player, changed = v.log["player"], v.log["changed_by"]
    yield from v.first(
        (player < 0) | (player > last),
        lambda r: f"player(s) returned {player[r]}; it must be from 0 to {last}, in a finished game too.",
    )
    yield from v.first(
        changed > 0,
        lambda r: (
            f"{METHODS[int(changed[r])]} changed the state (field {field_at(v.game, int(v.log['changed_at'][r]))}); "
            "only reset, random_start, advance and advance_chance may do that."
        ),
    )
    random_start = (v.log["ply"] == 0) & (v.log["game"] % RANDOM_START_EVERY == RANDOM_START_EVERY - 1)
    yield from v.first(
        random_start & v.over & ~v.chance,
        lambda r: (
            "random_start gave a position in which the game is over; it must give one from which it can be played."
        ),
    )


def _guards(v: _Log) -> Iterator[Finding]:
    places = {"actions": "legal_actions", "outcomes": "chance_outcomes", "chances": "chance_outcomes"}
    places |= {"told_cells": "changed_cells", "told_values": "changed_cells"}
    for name in GUARDED:
        guard = v.log[name][..., -GUARD:]
        method = places.get(name, name)
        size = v.log[name].shape[-1] - GUARD
        yield from v.first(
            guard != UNTOUCHED,
            lambda r, *_, method=method, size=size: f"{method} wrote beyond the {size} places that it was given.",
        )


def _actions(v: _Log) -> Iterator[Finding]:
    size = v.game.num_actions
    n, actions = v.log["num_legal"], v.part("actions", size)
    yield from v.first(
        v.decision & ((n < 1) | (n > size)),
        lambda r: (
            f"legal_actions returned {n[r]}; it must return how many actions it wrote, from 1 to {size}, when "
            "the game is not over. If nobody can move here, is_over must say so."
        ),
    )
    listed = (np.arange(size) < n[:, None]) & v.decision[:, None]
    inside = (actions >= 0) & (actions < size)
    yield from v.first(
        listed & ~inside,
        lambda r, i: (
            f"legal_actions wrote the action {actions[r, i]}; actions are numbers from 0 to {size - 1}, and "
            "it must write as many as it returns."
        ),
    )
    present = _table(listed & inside, actions, size)
    yield from v.first(
        present.sum(axis=1) < (listed & inside).sum(axis=1),
        lambda r: f"legal_actions wrote the action {_repeated(actions[r, : n[r]])} twice.",
    )


def _table(listed: Mask, numbers: NDArray[np.int64], size: int) -> Mask:
    """Sets as rows of booleans: which of 0..size-1 are among the listed numbers of each row."""
    present = np.zeros((len(numbers), size), np.bool_)
    rows, places = np.nonzero(listed)
    present[rows, numbers[rows, places]] = True
    return present


def _repeated(numbers: NDArray[np.int64]) -> int:
    values, counts = np.unique(numbers, return_counts=True)
    return int(values[np.argmax(counts)])


def _outcomes(v: _Log) -> Iterator[Finding]:
    size = v.game.num_outcomes
    n, outcomes, chances = v.log["num_outcomes"], v.part("outcomes", size), v.part("chances", size)
    yield from v.first(
        v.chance & ((n < 1) | (n > size)),
        lambda r: (
            f"chance_outcomes returned {n[r]}; it must return how many outcomes it wrote, from 1 to num_outcomes "
            f"= {size}, when is_chance says that a chance event is due."
        ),
    )
    listed = (np.arange(size) < n[:, None]) & v.chance[:, None]
    inside = (outcomes >= 0) & (outcomes < size)
    yield from v.first(
        listed & ~inside,
        lambda r, i: (
            f"chance_outcomes wrote the outcome {outcomes[r, i]}; outcomes are numbers from 0 to {size - 1}, "
            "and it must write as many as it returns."
        ),
    )
    present = _table(listed & inside, outcomes, size)
    yield from v.first(
        present.sum(axis=1) < (listed & inside).sum(axis=1),
        lambda r: (
            f"chance_outcomes wrote the outcome {_repeated(outcomes[r, : n[r]])} twice; write it once, with the "
            "sum of its probabilities."
        ),
    )
    yield from v.first(
        listed & ~(chances > 0.0),
        lambda r, i: (
            f"chance_outcomes gave the outcome {outcomes[r, i]} the probability {chances[r, i]:g}; list only "
            "what can happen, with probabilities above 0."
        ),
    )
    total = np.where(listed, chances, 0.0).sum(axis=1)
    yield from v.first(
        v.chance & (n > 0) & ~(np.abs(total - 1.0) <= 1e-9),
        lambda r: f"the probabilities of the {n[r]} chance outcomes add up to {total[r]:.12g}, not to 1.",
    )
    event = v.log["event"]
    known = (listed & (outcomes == event[:, None])).any(axis=1)
    asked = v.chance & (n >= 1) & (n <= size)
    yield from v.first(
        asked & ~known & (np.arange(v.rows) < v.rows - (v.rolls > MOST_ROLLS)),
        lambda r: f"sample_chance drew the outcome {event[r]}, which chance_outcomes does not list here.",
    )


def _scores(v: _Log) -> Iterator[Finding]:
    low, high = v.game.score_range
    scores, again = v.part("scores", v.game.num_players), v.part("scores_again", v.game.num_players)
    finite = np.isfinite(scores)
    yield from v.first(
        ~finite,
        lambda r, p: (
            f"scores left {scores[r, p]} for player {p}; it must write a finite number for every player, at "
            "any time of the game."
        ),
    )
    yield from v.first(
        finite & ((scores < low) | (scores > high)),
        lambda r, p: (
            f"the score of player {p} is {scores[r, p]:g}, outside of score_range = ({low:g}, {high:g}); "
            "correct the score or the range."
        ),
    )
    yield from v.first(
        finite & (scores != again),
        lambda r, p: (
            f"scores gave player {p} first {scores[r, p]:g} and then, asked again, {again[r, p]:g}; it must "
            "depend on the state only."
        ),
    )


def _estimate(v: _Log) -> Iterator[Finding]:
    if not v.game.has_estimate:
        return
    low, high = v.game.score_range
    estimate, scores = v.part("estimate", v.game.num_players), v.part("scores", v.game.num_players)
    asked = ~v.chance[:, None]
    yield from v.first(
        asked & ~((estimate >= low) & (estimate <= high)),
        lambda r, p: (
            f"estimate gave player {p} {estimate[r, p]:g}; it must write a number within score_range ="
            f" ({low:g}, {high:g}) for every player."
        ),
    )
    yield from v.first(
        v.over[:, None] & asked & (estimate != scores),
        lambda r, p: (
            f"the game is over, and estimate gave player {p} {estimate[r, p]:g}, but the score is {scores[r, p]:g}; in "
            "a finished game it must write the scores."
        ),
    )


def _cells(v: _Log) -> Iterator[Finding]:
    cells, views, values = v.part("cells", v.game.num_cells), v.part("cells_of", v.game.num_cells), v.game.cell_values()
    yield from v.first(
        (cells < 0) | (cells >= values),
        lambda r, i: (
            f"cells gave cell {i} the value {cells[r, i]}; it must write a value from 0 to {values[i] - 1} there."
        ),
    )
    yield from v.first(
        (views < 0) | (views >= values),
        lambda r, p, i: (
            f"cells_of(s, {p}) gave cell {i} the value {views[r, p, i]}; it must write a value from 0 to "
            f"{values[i] - 1} there."
        ),
    )
    yield from v.first(
        views[:, 0] != cells,
        lambda r, i: (
            f"cells_of(s, 0) gave cell {i} the value {views[r, 0, i]}, cells gave {cells[r, i]}; the first "
            "player must see the board as it is."
        ),
    )


def _changes(v: _Log) -> Iterator[Finding]:
    """What `changed_cells` told of an action, against the cells before and after it."""
    size, n = v.game.num_cells, v.log["num_told"]
    yield from v.first(n > MOST_TOLD, lambda r: f"changed_cells returned {n[r]}; it has room for {MOST_TOLD} cells.")
    if v.rows < 2 or not (n >= 0).any():
        return
    listed = np.arange(MOST_TOLD) < n[:, None]
    cells, values = v.part("told_cells", MOST_TOLD), v.part("told_values", MOST_TOLD)
    yield from v.first(
        listed & ((cells < 0) | (cells >= size)),
        lambda r, i: f"changed_cells wrote the cell {cells[r, i]}; cells are numbers from 0 to {size - 1}.",
    )
    followed = np.append((v.log["game"][1:] == v.log["game"][:-1]) & (n[:-1] >= 0) & (n[:-1] <= MOST_TOLD), False)
    told, after = v.part("cells", size).copy(), np.roll(v.part("cells", size), -1, axis=0)
    for k in range(MOST_TOLD):
        rows = np.flatnonzero(followed & listed[:, k])
        told[rows, np.clip(cells[rows, k], 0, size - 1)] = values[rows, k]
    yield from v.first(
        followed[:, None] & (told != after),
        lambda r, i: (
            f"by changed_cells cell {i} has the value {told[r, i]} after the action"
            f" {v.game.action_name(int(v.log['event'][r]))}, but cells gives it {after[r, i]}; it must tell all cells"
            " that change, or return -1."
        ),
    )


def _quiet(v: _Log) -> Iterator[Finding]:
    """After an action that `is_quiet` the game goes on, with the same scores."""
    if v.rows < 2:
        return
    scores = v.part("scores", v.game.num_players)
    quiet = v.log["quiet"][:-1] & (v.log["game"][1:] == v.log["game"][:-1])
    loud = (v.over & ~v.chance)[1:] | (scores[1:] != scores[:-1]).any(axis=1)
    yield from v.first(
        quiet & loud,
        lambda r: (
            f"is_quiet said yes to the action {v.game.action_name(int(v.log['event'][r]))}, but it ends the game or"
            " changes a score."
        ),
    )


def _features(v: _Log) -> Iterator[Finding]:
    for mode in range(len(v.game.feature_modes)):
        features = v.log["features"][:, mode, : v.game.num_features(mode)]
        yield from v.first(
            ~np.isfinite(features),
            lambda r, i, mode=mode, features=features: (
                f"features in mode {mode} left {features[r, i]} in place {i}; "
                f"it must write num_features({mode}) finite numbers."
            ),
        )


def _progress(v: _Log) -> Iterator[Finding]:
    event, fault, most = v.log["event"], v.log["advance_fault"], v.game.max_moves
    rule = np.where(v.chance, "advance_chance", "advance")
    yield from v.first(
        fault == COPY_DEPENDS,
        lambda r: (
            f"{rule[r]}(s, {event[r]}) on a copy of the state changed the state it was copied from (field "
            f"{field_at(v.game, int(v.log['differs_at'][r]))}); probably it writes outside of its arrays."
        ),
    )
    yield from v.first(
        fault == NOT_REPEATABLE,
        lambda r: (
            f"{rule[r]}(s, {event[r]}) gave two different results from the same state (field "
            f"{field_at(v.game, int(v.log['differs_at'][r]))}); it must depend on the state and its argument only. "
            "Keep what changes in the state, and what is random in chance_outcomes."
        ),
    )
    last = np.arange(v.rows) == v.rows - 1
    yield from v.first(
        last & v.decision & (v.moves > most),
        lambda r: (
            f"the game is not over after max_moves = {most} actions; make it end, or set max_moves to the "
            "length of the longest game."
        ),
    )
    yield from v.first(
        last & v.chance & (v.rolls > MOST_ROLLS),
        lambda r: (
            f"more than {MOST_ROLLS} chance events in a row; advance_chance must change the state so that is_chance "
            "becomes false."
        ),
    )


# ---------------------------------------------------------------- two boards


def _images(v: _Log) -> Iterator[Finding]:
    if not v.images.names:
        return
    follows = v.log["image"] >= 0
    name = [v.images.names[k] if k >= 0 else "" for k in v.log["image"]]
    questions = {
        "chance": "a chance event is due on only one of them",
        "over": "only one of them is over",
        "player": "different players are to move on them",
    }
    for answer, difference in questions.items():
        yield from v.first(
            follows & (v.log[answer] != v.image_log[answer]),
            lambda r, difference=difference: (
                f"by {name[r]} the same game is played on both boards below, but {difference}."
            ),
            second_board=True,
        )
    players = v.game.num_players
    scores, others = v.part("scores", players), v.image_log["scores"][:, :players]
    yield from v.first(
        follows[:, None] & (scores != others),
        lambda r, p: (
            f"by {name[r]} the same game is played on both boards below, but player {p} has the score "
            f"{scores[r, p]:g} on the first and {others[r, p]:g} on the second."
        ),
        second_board=True,
    )
    estimate, other = v.part("estimate", players), v.image_log["estimate"][:, :players]
    yield from v.first(
        (follows & ~v.chance)[:, None] & (np.abs(estimate - other) > 1e-9 * max(1.0, *map(abs, v.game.score_range))),
        lambda r, p: (
            f"by {name[r]} the same game is played on both boards below, but estimate gives player {p} "
            f"{estimate[r, p]:g} on the first and {other[r, p]:g} on the second."
        ),
        second_board=True,
    )
    yield from _image_cells(v, follows, name)
    yield from _image_actions(v, follows & v.decision, name)
    yield from _image_outcomes(v, follows & v.chance, name)


def _image_cells(v: _Log, follows: Mask, name: list[str]) -> Iterator[Finding]:
    size = v.game.num_cells
    cells, others = v.part("cells", size), v.image_log["cells"][:, :size]
    maps = v.images.cells[v.log["image"]]
    expected = np.take_along_axis(cells, maps, axis=1)
    yield from v.first(
        follows[:, None] & (others != expected),
        lambda r, i: (
            f"the second board below should be the image of the first by {name[r]}, but its cell {i} has the "
            f"value {others[r, i]}, and cell {maps[r, i]} of the first has {expected[r, i]}. Is the map of cells "
            "(new cell i takes the value of old cell p[i]) or of actions the wrong way round?"
        ),
        second_board=True,
    )


def _image_actions(v: _Log, follows: Mask, name: list[str]) -> Iterator[Finding]:
    size = v.game.num_actions
    places = np.arange(size)
    actions, others = v.part("actions", size), v.image_log["actions"][:, :size]
    listed = (places < v.log["num_legal"][:, None]) & (actions >= 0) & (actions < size) & follows[:, None]
    other_listed = (places < v.image_log["num_legal"][:, None]) & (others >= 0) & (others < size) & follows[:, None]
    maps = v.images.actions[v.log["image"]]
    mapped = np.take_along_axis(maps, np.where(listed, actions, 0), axis=1)
    legal, image_legal = _table(listed, mapped, size), _table(other_listed, others, size)

    def sentence(r: int, image: int) -> str:
        action = int(np.flatnonzero(maps[r] == image)[0])
        names = f"{action} ({v.game.action_name(action)})", f"{image} ({v.game.action_name(image)})"
        legal_here, legal_there = ("is legal", "is not") if legal[r, image] else ("is not legal", "is")
        return (
            f"the boards below are images of each other by {name[r]}; but the action {names[0]} {legal_here} on the "
            f"first, and its image {names[1]} {legal_there} on the second."
        )

    yield from v.first(legal != image_legal, sentence, second_board=True)


def _image_outcomes(v: _Log, follows: Mask, name: list[str]) -> Iterator[Finding]:
    size = v.game.num_outcomes
    if size == 0:
        return
    chances = [_chance_table(log, size, follows) for log in (v.log, v.image_log)]
    maps = v.images.outcomes[v.log["image"]]
    images = np.take_along_axis(chances[1], maps, axis=1)
    yield from v.first(
        np.abs(chances[0] - images) > 1e-9,
        lambda r, o: (
            f"the chance outcome {o} ({v.game.outcome_name(o)}) has probability {chances[0][r, o]:g} on the "
            f"first board below, but its image by {name[r]} has {images[r, o]:g} on the second."
        ),
        second_board=True,
    )


def _chance_table(log: Any, size: int, follows: Mask) -> NDArray[np.float64]:
    """The probability of every outcome, 0 where it is not listed; shape (rows, size)."""
    outcomes = log["outcomes"][:, :size]
    listed = (np.arange(size) < log["num_outcomes"][:, None]) & (outcomes >= 0) & (outcomes < size) & follows[:, None]
    table = np.zeros((len(log), size))
    rows, places = np.nonzero(listed)
    table[rows, outcomes[rows, places]] = log["chances"][rows, places]
    return table


_CHECKS = (
    _status,
    _guards,
    _actions,
    _outcomes,
    _scores,
    _estimate,
    _cells,
    _changes,
    _quiet,
    _features,
    _progress,
    _images,
)
