from __future__ import annotations

import itertools
from functools import cache, reduce
from operator import xor

import numpy as np
import pytest

from boardlab import BoardlabError, Game, Position, make

Heaps = tuple[int, ...]


def position_of(game: Game, heaps: Heaps, player: int = 0) -> Position:
    record = np.zeros(1, game.state)
    record["heap"], record["player"] = heaps, player
    return Position(game, record[0])


def heaps_of(position: Position) -> Heaps:
    return tuple(int(n) for n in position.cells)


def values(game: Game) -> dict[tuple[Heaps, int], tuple[float, ...]]:
    """Max-n values of all positions by the game's own rules, for (heaps, player to move)."""
    stones = range(int(game.cell_values()[0]))

    @cache
    def value(heaps: Heaps, player: int) -> tuple[float, ...]:
        position = position_of(game, heaps, player)
        if position.is_over:
            return tuple(position.scores)
        after = [position.copy().play(a) for a in position.legal_actions]
        return max((value(heaps_of(p), p.player) for p in after), key=lambda v: v[player])

    places = itertools.product(*[stones] * game.num_cells)
    return {(heaps, player): value(heaps, player) for heaps in places for player in range(game.num_players)}


def test_bouton() -> None:
    """In every position of 3x5 the player to move wins if and only if the nim-sum is not 0."""
    game = make("nim")
    found = values(game)
    assert len(found) == 6**3 * 2
    for (heaps, player), result in found.items():
        wins = reduce(xor, heaps) != 0
        assert result[player] == (1.0 if wins else -1.0)
        assert result[1 - player] == -result[player]


def test_two_players_last_stone_wins() -> None:
    game = make("nim", heaps=2, stones=2)
    position = game.start().play("a2").play("b1")
    assert position.scores == [0.0, 0.0] and not position.is_over
    position.play("b1")
    assert position.is_over and position.scores == [1.0, -1.0]


@pytest.mark.parametrize(("extra_rule", "third"), [(True, 0.2), (False, 0.0)])
@pytest.mark.parametrize("taker", [0, 1, 2])
def test_three_players(taker: int, extra_rule: bool, third: float) -> None:
    """The taker of the last stone gets 0, the next player 1, the one after that 0.2 with the extra rule."""
    game = make("nim", players=3, extra_rule=extra_rule)
    position = position_of(game, (0, 3, 0), taker).play("b3")
    expected = [0.0, 0.0, 0.0]
    expected[(taker + 1) % 3] = 1.0
    expected[(taker + 2) % 3] = third
    assert position.is_over and position.scores == expected


def test_three_players_by_exhaustive_search() -> None:
    """Small Nim3P by max-n. With one heap of one stone the player must take it; with one heap of two he leaves one
    for the next, so that he himself comes two after the taker and gets 0.2."""
    found = values(make("nim", players=3, heaps=1, stones=3))
    assert found[(1,), 0] == (0.0, 1.0, 0.2)
    assert found[(2,), 0] == (0.2, 0.0, 1.0)
    assert found[(3,), 0] == (1.0, 0.2, 0.0)


def test_legal_actions_are_all_ways_to_take() -> None:
    game = make("nim", heaps=3, stones=4)
    for heaps in itertools.product(range(5), repeat=3):
        position = position_of(game, heaps)
        names = {game.action_name(a) for a in position.legal_actions}
        assert names == {f"{'abc'[h]}{k}" for h in range(3) for k in range(1, heaps[h] + 1)}
        for name in names:
            after = list(heaps)
            after["abc".index(name[0])] -= int(name[1])
            assert heaps_of(position.copy().play(name)) == tuple(after)


def test_permuted_heaps() -> None:
    game = make("nim", heaps=3, stones=5, permute=True)
    symmetries, actions = game.symmetries(), game.action_symmetries()
    assert len(symmetries) == 6 and actions is not None
    position = position_of(game, (5, 2, 4))
    for permutation, mapped in zip(symmetries, actions, strict=True):
        image = position_of(game, tuple(int(n) for n in position.cells[permutation]))
        for action in position.legal_actions:
            after = position.copy().play(action).cells[permutation]
            assert image.copy().play(int(mapped[action])).cells.tolist() == after.tolist()
    assert len(make("nim").symmetries()) == 1
    with pytest.raises(BoardlabError, match="up to 4 heaps"):
        make("nim", heaps=5, permute=True)


def test_tuple_sets() -> None:
    assert make("nim").tuple_sets() == {"mode1": [[0, 1, 2]]}
    assert next(iter(make("nim:players=3").tuple_sets().items())) == ("mode2", [[0, 1, 2], [0, 1, 2]])
    assert make("nim:heaps=5,stones=10").tuple_sets() == {"all": [[0, 1, 2, 3, 4]]}
    assert make("nim:heaps=8,stones=20").tuple_sets() == {}


def test_features() -> None:
    game = make("nim")
    features = np.zeros(game.num_features(1))
    game.features(position_of(game, (5, 0, 3)).state, 1, features)
    assert features.tolist() == [0, 1, 1, 8, 2]


def test_text_and_picture() -> None:
    position = make("nim").start().play("b3").play("a5")
    assert str(position).splitlines()[:3] == ["a  0", "b  2  o o", "c  5  o o o o o"]
    svg = position.svg()
    actions = {f"b{k}" for k in (1, 2)} | {f"c{k}" for k in range(1, 6)}
    assert all(f'data-action="{position.game.parse_action(name)}"' in svg for name in actions)
    assert svg.count("data-action") == len(actions)
    assert svg.count("stroke-dasharray") == 5
