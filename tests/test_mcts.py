"""Monte Carlo search: the kernels against plain Python that draws the same random numbers, what the searches find, and
how a tree follows the game."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from small_games import Dice

from boardlab import Game, Position, make, make_rng
from boardlab.agents.mc import MonteCarlo
from boardlab.agents.mcts import Mcts
from boardlab.agents.perfect import Perfect
from boardlab.rng import Rng, random_below
from boardlab.search.mc import FlatMonteCarlo
from boardlab.search.mcts_tree import FIRST_NODES, MctsTree
from boardlab.search.pace import Pace

TICTACTOE = make("tictactoe")


# ------------------------------------------------------------ the plain search


@dataclass
class PlainNode:
    edge: int = -1
    visits: int = 0
    total: float = 0.0
    player: int | None = None
    children: list[PlainNode] = field(default_factory=list)


class PlainMcts:
    """UCT as the book says it, for any number of players, on `Position`s."""

    def __init__(self, game: Game, exploration: float, rng: Rng, depth: float = math.inf) -> None:
        self.game, self.exploration, self.rng, self.depth = game, exploration, rng, depth
        self.root = PlainNode()
        self.results: list[float] = []

    def simulate(self, start: Position) -> None:
        position, path = start.copy(), [self.root]
        while len(path) <= self.depth:
            node = path[-1]
            if not node.children:
                if node is not self.root and node.visits == 0:
                    break
                self.expand(node, position)
                if not node.children:
                    break
            path.append(self.follow(node, position))
        while not position.roll(self.rng).is_over:
            legal = position.legal_actions
            position.play(legal[random_below(self.rng, len(legal))])
        self.results += position.scores
        self.root.visits += 1
        for parent, child in pairwise(path):
            child.visits += 1
            if parent.player is not None:
                child.total += position.scores[parent.player]

    def expand(self, node: PlainNode, position: Position) -> None:
        edges = list(position.chance_outcomes) if position.is_chance else position.legal_actions
        node.player = None if position.is_chance or not edges else position.player
        for i in range(len(edges)):
            k = i + random_below(self.rng, len(edges) - i)
            edges[i], edges[k] = edges[k], edges[i]
        node.children = [PlainNode(edge) for edge in edges]

    def follow(self, node: PlainNode, position: Position) -> PlainNode:
        if node.player is None:
            outcome = self.game.sample_chance(position.state, self.rng)
            position.play_chance(outcome)
            return next(child for child in node.children if child.edge == outcome)
        child = max(node.children, key=lambda c: math.inf if c.visits == 0 else self.bound(node, c))
        position.play(child.edge)
        return child

    def bound(self, parent: PlainNode, child: PlainNode) -> float:
        low, high = min(self.results), max(self.results)
        mean = (child.total / child.visits - low) / (high - low) if high > low else 0.0
        return mean + self.exploration * math.sqrt(math.log(parent.visits)) / math.sqrt(child.visits)


@pytest.mark.parametrize("depth", [None, 2])
@pytest.mark.parametrize("game", [TICTACTOE, Dice()], ids=lambda g: g.name)
def test_the_kernel_does_what_the_plain_search_does(game: Game, depth: int | None) -> None:
    """Same random numbers, same tree: visits and means of every action at the root."""
    position = game.start()
    plain = PlainMcts(game, 0.7, make_rng(5), depth or math.inf)
    for _ in range(400):
        plain.simulate(position)
    rng = make_rng(5)
    found = MctsTree(game, depth=depth).search(position, rng, simulations=400, exploration=0.7)
    wanted = {c.edge: (c.visits, c.total / c.visits) for c in plain.root.children}
    assert {a: n for a, (n, _) in found.items()} == {a: wanted[a][0] for a in sorted(wanted)}
    assert {a: m for a, (_, m) in found.items()} == pytest.approx({a: m for a, (_, m) in wanted.items()})
    np.testing.assert_array_equal(rng, plain.rng)


def test_rollouts_of_flat_monte_carlo() -> None:
    """Mean of so many random games after each action: against the same games played in plain Python."""
    position = TICTACTOE.start().play("b2").play("a1").play("c3")
    rng, same = make_rng(3), make_rng(3)
    found = FlatMonteCarlo(TICTACTOE).search(position.state, 30, None, None, rng)
    totals = dict.fromkeys(position.legal_actions, 0.0)
    for _ in range(30):
        for action in totals:
            game = position.copy().play(action)
            while not game.is_over:
                game.play(game.legal_actions[random_below(same, len(game.legal_actions))])
            totals[action] += game.scores[1]
    assert found == pytest.approx({action: total / 30 for action, total in totals.items()})


# ------------------------------------------------------------ repeatable, whatever the batches


@pytest.mark.parametrize("batch", [1, 7, 100_000])
def test_batches_change_nothing(batch: int) -> None:
    trees = [MctsTree(TICTACTOE), MctsTree(TICTACTOE)]
    trees[1].pace.size = batch
    found = [tree.search(TICTACTOE.start(), make_rng(1), simulations=3000) for tree in trees]
    assert found[0] == found[1]
    assert sum(n for n, _ in found[0].values()) == 3000


def test_same_seed_same_choice() -> None:
    game = make("connect4")
    position = game.start().play("4")
    chosen = [Mcts(game, iterations=50).choose(position, make_rng(seed)) for seed in (1, 1, 2, 3, 4, 5)]
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1


def test_the_best_mean_instead_of_the_most_visits() -> None:
    """After few simulations these are often two actions."""
    position = TICTACTOE.start()
    chosen = set()
    for seed in range(20):
        by_mean = Mcts(TICTACTOE, iterations=40, final="mean")
        action = by_mean.choose(position, make_rng(seed))
        assert by_mean.values(position)[action] == max(by_mean.values(position).values())
        chosen.add(action == Mcts(TICTACTOE, iterations=40).choose(position, make_rng(seed)))
    assert chosen == {True, False}


def test_pace_ends_by_count_and_by_time() -> None:
    assert sum(Pace().batches(1000, None)) == 1000
    assert sum(Pace().batches(7, 1000.0)) == 7
    assert list(Pace().batches(None, 0.0)) == [32]  # one batch in any case
    pace = Pace()
    assert max(pace.batches(1_000_000, None)) > 1000  # units that take no time
    assert next(pace.batches(None, 1.0)) == 32  # those of the next search may


# ------------------------------------------------------------ what it finds


def test_wins_at_once_and_blocks() -> None:
    game = make("connect4")
    agent, rng = Mcts(game, iterations=1500), make_rng(1)
    position = game.start()
    for move in "1213":
        position.play(move)
    assert agent.choose(position.play("1"), rng) == 0  # O must block the first column
    assert agent.choose(position.play("5"), rng) == 0  # X completes it
    assert agent.values(position)[0] > 0.9


def test_tic_tac_toe_converges_to_perfect_play() -> None:
    perfect = Perfect(TICTACTOE)
    agent, rng = Mcts(TICTACTOE, iterations=300_000), make_rng(2)
    position = TICTACTOE.start()
    while not position.is_over:
        exact = perfect.values(position)
        action = agent.choose(position, rng)
        assert exact[action] == max(exact.values())
        assert agent.values(position)[action] == pytest.approx(exact[action], abs=0.15)
        position.play(action)
    assert position.scores == [0.0, 0.0]


def test_chance_and_three_players() -> None:
    """The last turn of all, where the expected scores can be told by hand: two players have 6 points, the third 3.
    Sure: 3 + 2. Roll: 3, 6 (and 5 for a shared lead) or 9 (and 5), with 1/2, 1/4 and 1/4."""
    game = Dice()
    position = game.start()
    position.state.points[:] = (6, 6, 3)
    position.state.turn = 8
    found = MctsTree(game).search(position, make_rng(1), simulations=40_000)
    assert found[0][1] == 5.0
    assert found[1][1] == pytest.approx(3 / 2 + 11 / 4 + 14 / 4, abs=0.1)
    assert Mcts(game).choose(position, make_rng(1)) == 1
    assert MonteCarlo(game).choose(position, make_rng(1)) == 1
    assert MonteCarlo(game, rollouts=10_000).values(position)[1] == pytest.approx(7.75, abs=0.2)


def test_each_of_three_players_looks_after_himself() -> None:
    """One stone on each of two heaps and two on none: who takes the last one loses to the next player."""
    game = make("nim", heaps=2, stones=4, players=3)
    agent, perfect = Mcts(game, iterations=5000), Perfect(game)
    for heaps in ((1, 1), (2, 0), (1, 2), (3, 1)):
        position = game.start()
        position.state.heap[:] = heaps
        exact = perfect.values(position)
        assert exact[agent.choose(position, make_rng(1))] == max(exact.values())


def test_a_cut_off_rollout_counts_the_scores_so_far() -> None:
    """With no plies of rollout an open position counts 0, a won one 1."""
    position = TICTACTOE.start()
    for move in ("a1", "a2", "b1"):
        position.play(move)
    found = FlatMonteCarlo(TICTACTOE).search(position.play("b2").state, 3, None, 0, make_rng(1))
    assert found == {2: 1.0, 5: 0.0, 6: 0.0, 7: 0.0, 8: 0.0}
    agent = Mcts(TICTACTOE, iterations=5, rollout_depth=0)
    agent.choose(position, make_rng(1))  # each of the five actions once
    assert agent.values(position) == found


# ------------------------------------------------------------ the tree


def test_the_tree_follows_the_game() -> None:
    """After two moves the root is the node that stood for them, with everything below it."""
    position = TICTACTOE.start()
    tree = MctsTree(TICTACTOE)
    tree.search(position, make_rng(1), simulations=5000)
    before = dict(statistics_below(tree, [4, 0]))
    position.play(4).play(0)
    tree.search(position, make_rng(1), simulations=0)
    assert tree.statistics() == before
    assert tree.nodes[0]["visits"] == sum(n for n, _ in before.values()) + 1
    after = tree.search(position.play(8), make_rng(1), simulations=100)
    assert sum(n for n, _ in after.values()) > 100
    assert_sound(tree)


def statistics_below(tree: MctsTree, edges: list[int]) -> dict[int, tuple[int, float]]:
    """What the tree says of the actions after these edges."""
    node = tree.nodes[0]
    for edge in edges:
        children = tree.nodes[node["first"] : node["first"] + node["count"]]
        node = next(child for child in children if child["edge"] == edge)
    children = tree.nodes[node["first"] : node["first"] + node["count"]]
    known = {int(c["edge"]): (int(c["visits"]), float(c["total"]) / max(int(c["visits"]), 1)) for c in children}
    return dict(sorted(known.items()))


def assert_sound(tree: MctsTree) -> None:
    """A node's visits are those of its children, and those that ended in it."""
    for node in tree.nodes[: tree.size]:
        children = tree.nodes[node["first"] : node["first"] + node["count"]]
        if len(children) > 0:
            assert node["visits"] - children["visits"].sum() in (0, 1)
            assert node["first"] + node["count"] <= tree.size
        assert abs(node["total"]) <= node["visits"]


@pytest.mark.parametrize("how", ["another object", "taken back", "another state"])
def test_the_tree_is_not_kept_for_another_game(how: str) -> None:
    position = TICTACTOE.start()
    tree = MctsTree(TICTACTOE)
    tree.search(position, make_rng(1), simulations=2000)
    if how == "another object":
        position = TICTACTOE.start().play(4)
    elif how == "taken back":
        position.play(4)
        tree.search(position, make_rng(1), simulations=2000)
        position.undo().play(0)
    else:
        position.play(4)
        position.state.player = 0
    found = tree.search(position, make_rng(1), simulations=10)
    assert sum(n for n, _ in found.values()) == 10


def test_the_tree_follows_chance_events() -> None:
    game, rng = Dice(), make_rng(1)
    position = game.start()
    tree = MctsTree(game)
    tree.search(position, make_rng(1), simulations=3000)
    position.play(1).roll(rng)
    found = tree.search(position, make_rng(2), simulations=10)
    assert sum(n for n, _ in found.values()) > 100


def test_looking_changes_nothing() -> None:
    """A game in which somebody asks for the values is the same as one in which nobody does."""
    games = []
    for ask in (False, True):
        agent, rng, position = Mcts(TICTACTOE, iterations=100), make_rng(3), TICTACTOE.start()
        while not position.is_over:
            if ask:
                agent.values(position)
            position.play(agent.choose(position, rng))
            if ask and not position.is_over:
                agent.values(position)
        games.append([event.number for event in position.history])
    assert games[0] == games[1]


def test_reuse_can_be_switched_off() -> None:
    position = TICTACTOE.start()
    agent = Mcts(TICTACTOE, iterations=500, reuse_tree=False)
    position.play(agent.choose(position, make_rng(1)))
    agent.choose(position, make_rng(1))
    assert agent.tree.nodes[0]["visits"] == 500


def test_a_tree_grows_and_stops_when_it_is_full() -> None:
    game = make("connect4")
    tree = MctsTree(game, megabytes=1)
    tree.search(game.start(), make_rng(1), simulations=20_000)
    assert FIRST_NODES < len(tree.nodes) == tree.most_nodes
    assert tree.size > tree.most_nodes - game.num_actions
    found = tree.search(game.start(), make_rng(1), simulations=20_000)
    assert sum(n for n, _ in found.values()) == 20_000
    assert_sound_totals(tree)
    large = MctsTree(game).search(game.start(), make_rng(1), simulations=5000)
    small = MctsTree(game, megabytes=1).search(game.start(), make_rng(1), simulations=5000)
    assert large == small  # while there is room, the limit has no influence


def assert_sound_totals(tree: MctsTree) -> None:
    nodes = tree.nodes[: tree.size]
    assert np.all(np.abs(nodes["total"]) <= nodes["visits"])


def test_a_time_limit_ends_the_search() -> None:
    position = TICTACTOE.start()
    for agent in (Mcts(TICTACTOE, time=0.01), MonteCarlo(TICTACTOE, time=0.01)):
        assert agent.choose(position, make_rng(1)) in position.legal_actions
