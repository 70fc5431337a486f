"""What people do with a `Position`: look, play, throw dice, take back, copy, show; and what they are told if wrong."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from boardlab import BoardlabError, Game, IllegalAction, Position, make, make_rng
from boardlab.position import Event, event_from_code


class Climb(Game):
    """Step on, then a die of two sides says how far: 1 or 2. The first at 4 steps or more wins."""

    num_actions, num_outcomes, max_moves = 1, 2, 4
    state = np.dtype([("steps", np.int8), ("player", np.int8), ("due", np.bool_)])

    def reset(self, s: Any) -> None:
        s.due = True

    def is_chance(self, s: Any) -> bool:
        return bool(s.due)

    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i], chances[i] = i, 0.25 + 0.5 * i
        return 2

    def advance_chance(self, s: Any, outcome: int) -> None:
        s.steps = int(s.steps) + outcome + 1
        s.due = False

    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def advance(self, s: Any, action: int) -> None:
        s.player = 1 - int(s.player)
        s.due = True

    def is_over(self, s: Any) -> bool:
        return int(s.steps) >= 4

    def scores(self, s: Any, out: Any) -> None:
        out[int(s.player)] = 1.0 if int(s.steps) >= 4 else 0.0
        out[1 - int(s.player)] = -out[int(s.player)]


def test_play_by_number_and_by_name() -> None:
    position = make("connect4").start().play("4").play(3).play(np.int64(2))
    assert position.history == [Event(0, 3), Event(1, 3), Event(0, 2)]
    assert position.player == 1 and position.last_action == 2
    assert position.legal_actions == list(range(7))
    assert not position.is_over and position.scores == [0.0, 0.0]


def test_a_won_game() -> None:
    position = make("connect4").start()
    for name in "1212121":
        position.play(name)
    assert position.is_over and position.scores == [1.0, -1.0] and position.legal_actions == []
    assert position.status == "game over, X won (1 : -1)"
    with pytest.raises(IllegalAction, match="the game is over; game over, X won"):
        position.play("1")


def test_illegal_actions_say_what_is_legal_and_change_nothing() -> None:
    position = make("tictactoe").start().play("a1")
    before = position.state.tobytes()
    with pytest.raises(IllegalAction, match="a1 is not legal here; legal: b1, c1, a2, b2, c2, a3, b3, c3"):
        position.play("a1")
    with pytest.raises(IllegalAction, match="action 99 is not legal here"):
        position.play(99)
    with pytest.raises(BoardlabError, match="'z9' is no action of Tic-tac-toe; an action looks like a1"):
        position.play("z9")
    assert position.state.tobytes() == before and len(position.history) == 1


def test_undo_and_copy() -> None:
    position = make("tictactoe").start()
    states = []
    for name in ("b2", "a1", "c3"):
        states.append(position.state.tobytes())
        position.play(name)
    other = position.copy()
    other.play("c1").undo().undo()
    assert len(other.history) == 2 and len(position.history) == 3
    while states:
        assert position.undo().state.tobytes() == states.pop()
    with pytest.raises(BoardlabError, match="there is no move to take back"):
        position.undo()


def test_chance_is_rolled_or_told() -> None:
    position = Climb().start()
    assert position.is_chance and position.chance_outcomes == {0: 0.25, 1: 0.75}
    assert position.legal_actions == [] and position.status == "chance event due"
    with pytest.raises(IllegalAction, match="a chance event is due before the next action"):
        position.play(0)
    with pytest.raises(IllegalAction, match="7 is no possible outcome; possible: 0, 1"):
        position.play_chance(7)
    position.play_chance(1)
    assert position.chance_outcomes == {} and position.legal_actions == [0]
    with pytest.raises(IllegalAction, match="no chance event is due; player 1 is to move"):
        position.play_chance(0)
    position.play(0).roll(make_rng(3))
    assert [event.player for event in position.history] == [None, 0, None]
    assert not position.is_chance


def test_undo_takes_back_the_action_with_its_chance_event_but_not_the_first_throw() -> None:
    position = Climb().start().play_chance(0)
    before = position.state.tobytes()
    position.play(0).play_chance(1).undo()
    assert position.state.tobytes() == before and position.history == [Event(None, 0)]
    with pytest.raises(BoardlabError, match="there is no move to take back"):
        position.undo()
    assert position.state.tobytes() == before and position.history == [Event(None, 0)]


def test_rolls_follow_the_probabilities_and_the_seed() -> None:
    rng = make_rng(5)
    steps = [int(Climb().start().roll(rng).state.steps) for _ in range(2000)]
    assert 1400 < steps.count(2) < 1600
    again = make_rng(5)
    assert steps == [int(Climb().start().roll(again).state.steps) for _ in range(2000)]


def test_a_position_from_a_state_is_its_own() -> None:
    game = make("connect4")
    first = game.start().play("4")
    second = Position(game, first.state)
    second.play("4")
    assert first.cells.tolist() != second.cells.tolist() and second.history == [Event(1, 3)]
    with pytest.raises(BoardlabError, match="a state of Connect Four is one record with the fields"):
        Position(game, make("tictactoe").start().state)


def test_status_of_draws_solitaires_and_several_winners() -> None:
    draw = make("tictactoe").start()
    for name in ("a1", "b1", "c1", "b2", "a2", "c2", "b3", "a3", "c3"):
        draw.play(name)
    assert draw.status == "game over, draw"
    assert "score 0" in make("2048").start().roll(make_rng(1)).status
    lost = make("nim:players=3,heaps=1,stones=1").start().play("a1")
    assert lost.status == "game over, player 2 won (0 : 1 : 0.2)"


def test_text_and_picture() -> None:
    position = make("tictactoe").start().play("b2")
    assert str(position).endswith("O to move")
    assert repr(position) == "<TicTacToe() after [b2]: O to move>"
    assert position._repr_svg_() == position.svg()
    assert ElementTree.fromstring(position.svg()).tag.endswith("svg")
    assert "steps=0" in str(Climb().start())
    assert ElementTree.fromstring(Climb().start().svg()).tag.endswith("svg")


def test_an_event_as_one_number_and_back() -> None:
    """Numbers that stored games have had from the beginning on: an action k is k, a chance outcome k is -1 - k."""
    played, rng = make("2048").start(), make_rng(3)
    for _ in range(20):
        played.roll(rng).play(played.legal_actions[0])
    codes = [event.code for event in played.history]
    assert codes == [event.number if event.player is not None else ~event.number for event in played.history]
    assert [event_from_code(code) for code in codes] == [(e.number, e.player is None) for e in played.history]
    again = make("2048").start()
    for code in codes:
        again.play_code(code)
    assert (again.history, again.state.tobytes()) == (played.history, played.state.tobytes())
    with pytest.raises(IllegalAction):
        again.play_code(0)  # a chance event is due
