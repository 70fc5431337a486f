"""Whatever is played in whatever game, a `Position` keeps its promises (plain rules, any registered game)."""

from __future__ import annotations

from functools import cache
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boardlab import Game, IllegalAction, Position, make
from boardlab.registry import game_classes

SPECS = [
    *game_classes(),
    "connect4:columns=5,rows=4,coding=3",
    "nim:heaps=4,stones=3,players=3",
    "nim:heaps=3,stones=4,permute=true",
    "nimm3:pile=4",
]
LONGEST = 80
"""Steps that are played at most; enough to end all games but 2048."""


def choices_of(seed: int, length: int) -> list[int]:
    numbers = Random(seed)
    return [numbers.getrandbits(20) for _ in range(length)]


CHOICES = st.builds(choices_of, st.integers(0, 1 << 20), st.integers(0, LONGEST))
FEW = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def game_of(spec: str) -> Game:
    return make(spec)


def step(position: Position, choice: int) -> None:
    """Play the legal action, or let the chance event come out, that the number picks."""
    if position.is_chance:
        outcomes = list(position.chance_outcomes)
        position.play_chance(outcomes[choice % len(outcomes)])
    else:
        legal = position.legal_actions
        position.play(legal[choice % len(legal)])


def play(spec: str, choices: list[int]) -> list[Position]:
    """The position after each step, until the choices or the game end."""
    positions = [game_of(spec).start()]
    for choice in choices:
        if positions[-1].is_over:
            break
        positions.append(positions[-1].copy())
        step(positions[-1], choice)
    return positions


@pytest.mark.parametrize("spec", SPECS)
@FEW
@given(choices=CHOICES)
def test_positions_are_sound(spec: str, choices: list[int]) -> None:
    game = game_of(spec)
    for position in play(spec, choices):
        legal = position.legal_actions
        assert (len(legal) == 0) == (position.is_over or position.is_chance)
        assert len(set(legal)) == len(legal) and all(0 <= action < game.num_actions for action in legal)
        assert all(game.parse_action(game.action_name(action)) == action for action in legal)
        assert 0 <= position.player < game.num_players
        low, high = game.score_range
        assert len(position.scores) == game.num_players and all(low <= score <= high for score in position.scores)
        assert all(0 <= cell < size for cell, size in zip(position.cells, game.cell_values(), strict=True))
        if position.is_chance:
            assert abs(sum(position.chance_outcomes.values()) - 1.0) < 1e-9


@pytest.mark.parametrize("spec", SPECS)
@FEW
@given(choices=CHOICES)
def test_undo_goes_back_to_the_byte(spec: str, choices: list[int]) -> None:
    position = game_of(spec).start()
    before_actions = []
    for choice in choices:
        if position.is_over:
            break
        if not position.is_chance:
            before_actions.append((position.state.tobytes(), position.history))
        step(position, choice)
    while before_actions:
        state, history = before_actions.pop()
        position.undo()
        assert position.state.tobytes() == state and position.history == history


@pytest.mark.parametrize("spec", SPECS)
@FEW
@given(choices=CHOICES, other=CHOICES)
def test_a_copy_goes_its_own_way(spec: str, choices: list[int], other: list[int]) -> None:
    position = play(spec, choices)[-1]
    state, history = position.state.tobytes(), position.history
    copy = position.copy()
    for choice in other[:10]:
        if copy.is_over:
            break
        step(copy, choice)
    assert position.state.tobytes() == state and position.history == history


@pytest.mark.parametrize("spec", SPECS)
@FEW
@given(choices=CHOICES, wrong=st.integers(-3, 200))
def test_what_is_not_legal_is_refused_and_changes_nothing(spec: str, choices: list[int], wrong: int) -> None:
    position = play(spec, choices)[-1]
    if wrong in position.legal_actions:
        return
    state = position.state.tobytes()
    with pytest.raises(IllegalAction):
        position.play(wrong)
    assert position.state.tobytes() == state


@pytest.mark.parametrize("spec", SPECS)
@FEW
@given(choices=CHOICES)
def test_positions_can_be_shown(spec: str, choices: list[int]) -> None:
    position = play(spec, choices)[-1]
    assert str(position).strip() and repr(position)
    clicks = [int(part.get("data-action", "-1")) for part in ElementTree.fromstring(position.svg()).iter()]
    assert set(position.legal_actions) <= set(clicks)
