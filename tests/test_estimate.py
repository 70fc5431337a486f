"""A game's own estimate: what it says, that `check_game` holds it to its promises, and that searches use it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from check_games import Mirrored, Row
from small_games import Dice

from boardlab import BoardlabError, Position, make, make_agent, make_rng
from boardlab.check.guard import require_sound
from boardlab.compiler import kernel
from boardlab.game import Game, final_estimate
from boardlab.matches.match import play_match
from boardlab.rng import random_below

HEX, OTHELLO = make("hex:size=3"), make("othello")


def estimated(position: Position) -> list[float]:
    out = np.full(position.game.num_players, np.nan)
    position.game.estimate(position.state, out)
    return [float(x) for x in out]


def random_positions(game: Game, games: int, seed: int = 1) -> list[Position]:
    rng, found = make_rng(seed), []
    for _ in range(games):
        position = game.start().roll(rng)
        while not position.is_over:
            found.append(position.copy())
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
        found.append(position)
    return found


# ------------------------------------------------------------ what it says


def test_without_one_it_is_the_scores_so_far() -> None:
    game = make("dots:rows=1,columns=2")
    assert not game.has_estimate and not Dice().has_estimate and HEX.has_estimate and OTHELLO.has_estimate
    for position in random_positions(game, 3):
        assert estimated(position) == position.scores


def fewest_stones(board: list[int], player: int) -> int:
    """How many more stones the player of Hex 3 x 3 needs, by trying all sets of empty cells; cell = 3 * x + y."""
    stones = {cell for cell, value in enumerate(board) if value == player + 1}
    empty = [cell for cell, value in enumerate(board) if value == 0]

    def along(cell: int) -> int:
        return cell // 3 if player == 0 else cell % 3

    def joins(cells: set[int]) -> bool:
        reached = {cell for cell in cells if along(cell) == 0}
        while True:
            more = {
                cell
                for cell in cells - reached
                for old in reached
                if (cell // 3 - old // 3, cell % 3 - old % 3) in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
            }
            if not more:
                return any(along(cell) == 2 for cell in reached)
            reached |= more

    choices = product((False, True), repeat=len(empty))
    sets = [{cell for cell, taken in zip(empty, choice, strict=True) if taken} for choice in choices]
    return min(len(more) for more in sets if joins(stones | more))


def test_hex_counts_the_stones_that_are_missing() -> None:
    for position in random_positions(HEX, 3):
        if position.is_over:
            assert estimated(position) == position.scores
            continue
        board = [int(value) for value in position.cells]
        first, second = fewest_stones(board, 0), fewest_stones(board, 1)
        turn = 0.5 if position.player == 0 else -0.5
        value = (second - first + turn) / (first + second)
        assert estimated(position) == pytest.approx([value, -value])


def test_othello_is_sure_only_at_the_end() -> None:
    for position in random_positions(OTHELLO, 2):
        value, other = estimated(position)
        assert value == -other
        assert [value, other] == position.scores if position.is_over else abs(value) < 1
    # what it counts is compared cell by cell in test_othello_players


@kernel
def cut_off(game: Any, states: Any, out: Any, estimate: bool) -> None:
    for i in range(len(states)):
        final_estimate(game, states[i], out[i], estimate)


@pytest.mark.parametrize("estimate", [True, False])
def test_compiled_code_gets_the_same(estimate: bool) -> None:
    positions = random_positions(HEX, 3)
    states, out = np.zeros(len(positions), HEX.state), np.zeros((len(positions), 2))
    for i, position in enumerate(positions):
        states[i] = position.state
    cut_off(HEX, states, out, estimate)
    assert out.tolist() == [estimated(p) if estimate else p.scores for p in positions]


# ------------------------------------------------------------ what check_game says


class Sure(Row):
    """Knows that the second player wins."""

    def estimate(self, s: Any, out: Any) -> None:
        out[0] = -1.0
        out[1] = 1.0


class Beyond(Sure):
    def estimate(self, s: Any, out: Any) -> None:
        out[0] = -1.0 - 0.5 * int(s.board[3])
        out[1] = 1.0


class Half(Sure):
    """Fills in one number only."""

    def estimate(self, s: Any, out: Any) -> None:
        out[0] = -1.0


class Undecided(Sure):
    """Does not look whether the game is over."""

    def estimate(self, s: Any, out: Any) -> None:
        out[0] = 0.0
        out[1] = 0.0


class Touching(Sure):
    def estimate(self, s: Any, out: Any) -> None:
        self.scores(s, out)
        s.board[0] = 1


class Lopsided(Mirrored):
    """Looks at one end of a row that may be turned round."""

    def estimate(self, s: Any, out: Any) -> None:
        self.scores(s, out)
        if not self.is_over(s):
            out[0] = 0.25 * int(s.board[0])
            out[1] = -out[0]


WRONG = {
    Beyond: r"estimate gave player 0 -[12](\.5)?; it must write a number within score_range = \(-1, 1\)",
    Half: r"estimate gave player 1 nan; it must write a number within score_range",
    Undecided: r"the game is over, and estimate gave player 0 0, but the score is -1; in a finished game it must write",
    Touching: r"estimate changed the state \(field 'board'\)",
    Lopsided: r"by symmetry 1 the same game is played on both boards below, but estimate gives player",
}


@pytest.mark.parametrize("cls", WRONG, ids=lambda cls: cls.__name__)
def test_a_wrong_estimate_is_explained(cls: type[Game]) -> None:
    with pytest.raises(BoardlabError, match=WRONG[cls]) as refused:
        require_sound(cls())
    assert "In the position" in str(refused.value)


# ------------------------------------------------------------ who uses it


def minimax(position: Position, depth: int, estimate: bool) -> float:
    """The value for the first player."""
    if position.is_over:
        return position.scores[0]
    if depth == 0:
        return estimated(position)[0] if estimate else position.scores[0]
    values = [minimax(position.copy().play(a), depth - 1, estimate) for a in position.legal_actions]
    return max(values) if position.player == 0 else min(values)


@pytest.mark.parametrize("estimate", [True, False])
@pytest.mark.parametrize("name", ["max-n", "expectimax-n"])
def test_a_search_counts_it_at_its_limit(name: str, estimate: bool) -> None:
    position = HEX.start().play("b2").play("a1")
    agent = make_agent(f"{name}:depth=2,table=1,estimate={str(estimate).lower()}", HEX)
    expected = {a: minimax(position.copy().play(a), 1, estimate) for a in position.legal_actions}
    assert agent.values(position) == pytest.approx(expected)
    assert (len(set(expected.values())) > 1) == estimate


@pytest.mark.parametrize("estimate", [True, False])
@pytest.mark.parametrize("spec", ["mc:rollouts=1", "mcts:iterations=9"])
def test_random_games_count_it_where_they_are_cut_off(spec: str, estimate: bool) -> None:
    """Without a random move every action is worth the estimate of where it leads; MCTS tries each one once."""
    agent = make_agent(f"{spec},rollout_depth=0,estimate={str(estimate).lower()}", HEX)
    after = {action: HEX.start().play(action) for action in range(9)}
    expected = {action: (estimated(p) if estimate else p.scores)[0] for action, p in after.items()}
    assert agent.values(HEX.start()) == pytest.approx(expected)


def test_the_option_belongs_to_those_who_use_it() -> None:
    for spec in ("n-ply:agent=mc,estimate=false", "puct:agent=mc,estimate=false", "othello-ab:estimate=false"):
        with pytest.raises(BoardlabError, match=r"there is no parameter of .* 'estimate'"):
            make_agent(spec, OTHELLO)
    assert make_agent("max-n:estimate=false", HEX).spec == "max-n:estimate=false"


class EstimatedDice(Dice):
    """Expects two points of every turn that is left."""

    def estimate(self, s, out):
        self.scores(s, out)
        for p in range(3):
            out[p] += 2.0 * ((11 - p - int(s.turn)) // 3)


@pytest.mark.slow
def test_chance_and_three_players() -> None:
    game = EstimatedDice()
    for position in [p for p in random_positions(game, 2) if not p.is_over][:8]:
        values = make_agent("expectimax-n:depth=1", game).values(position)
        player = position.player
        for action in (0, 1):
            after = position.copy().play(action)
            outcomes = [(1.0, after)]
            if after.is_chance:
                outcomes = [(p, after.copy().play_chance(o)) for o, p in after.chance_outcomes.items()]
            assert values[action] == pytest.approx(sum(p * estimated(q)[player] for p, q in outcomes))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["othello", "hex"])
@pytest.mark.parametrize(
    "spec", ["max-n:depth=2", "mcts:iterations=200,rollout_depth=4", "mc:rollouts=10,rollout_depth=4"]
)
def test_it_helps(game: str, spec: str) -> None:
    result = play_match(make(game), [spec, f"{spec},estimate=false"], games=40, seed=1)
    assert result.standings[0].score.mean > 0.5
