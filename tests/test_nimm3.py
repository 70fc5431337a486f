from __future__ import annotations

import numpy as np

from boardlab import Position, make


def test_multiples_of_four_are_lost() -> None:
    """The value of every pile by working backwards from the end with the game's rules."""
    game = make("nimm3", pile=60)
    wins = [False]
    for pile in range(1, 61):
        record = np.zeros(1, game.state)
        record["left"] = pile
        position = Position(game, record[0])
        assert position.legal_actions == list(range(min(3, pile)))
        wins.append(any(not wins[position.copy().play(a).cells[0]] for a in position.legal_actions))
    assert [pile for pile in range(61) if not wins[pile]] == list(range(0, 61, 4))


def test_last_stone_wins() -> None:
    position = make("nimm3", pile=4).start().play("3").play("1")
    assert position.is_over and position.scores == [-1.0, 1.0]


def test_divisor_features() -> None:
    game = make("nimm3")
    record = np.zeros(1, game.state).view(np.recarray)
    for pile in range(16):
        record[0].left = pile
        features = np.zeros(game.num_features(1))
        game.features(record[0], 1, features)
        assert features.tolist() == [float(pile % k == 0) for k in (2, 3, 4, 5)]


def test_text_and_picture() -> None:
    position = make("nimm3", pile=5).start().play("2")
    assert str(position) == " 3  o o o\nplayer 2 to move"
    assert position.svg().count("data-action") == 3
    assert position.svg().count("stroke-dasharray") == 2
