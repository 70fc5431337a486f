"""Wrappers: searches over an agent's values, compiled and plain, against slow references; what they are good for, how
they are named, and their settings for training and for play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dice_board import DiceBoard
from learners import train_recorded
from plain_wrappers import PlainJudge, PlainNPly, PlainPuct
from small_games import Dice, Harvest
from typer.testing import CliRunner

from boardlab import BoardlabError, Game, Position, make, make_rng
from boardlab.agents.base import Agent
from boardlab.agents.files import load_agent
from boardlab.agents.mc import MonteCarlo
from boardlab.agents.n_ply import NPly
from boardlab.agents.puct import Puct
from boardlab.agents.registry import make_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.agents.wrapper import AgentValues
from boardlab.cli.main import app
from boardlab.compiler import kernel
from boardlab.lab.presets import preset_settings
from boardlab.matches.match import play_match
from boardlab.matches.starts import positions_after
from boardlab.rng import Rng, random_below, random_float
from boardlab.search.puct_tree import PuctTree

TICTACTOE = make("tictactoe")


def opinionated(game: Game, **settings: Any) -> TDNTuple:
    """An agent whose network has learned nothing but holds strong opinions: random weights."""
    agent = TDNTuple(game, rule="plain", **settings)
    weights = agent.learner.network.weights
    weights[:] = np.random.default_rng(1).normal(0.0, 0.3, weights.shape)
    return agent


class Shy(Agent):
    """Has the opinions of another agent, but only in plain Python."""

    name = "shy"

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent.game)
        self.agent = agent

    def choose(self, position: Position, rng: Rng) -> int:
        return self.agent.choose(position, rng)

    def values(self, position: Position) -> dict[int, float] | None:
        return self.agent.values(position)


def random_positions(game: Game, count: int, plies: int, seed: int) -> Iterator[Position]:
    """Positions after up to so many random actions in which someone is to move."""
    rng = make_rng(seed)
    while count > 0:
        position = game.start().roll(rng)
        for _ in range(random_below(rng, plies + 1)):
            if not position.is_over:
                position.play(position.legal_actions[random_below(rng, len(position.legal_actions))]).roll(rng)
        if not position.is_over:
            count -= 1
            yield position


# ------------------------------------------------------------ n-ply


@pytest.mark.parametrize(
    ("make_agent", "zero_sum", "plies", "deepest"),
    [
        pytest.param(lambda: opinionated(TICTACTOE, tuples="full"), True, 5, 4, id="two players"),
        pytest.param(
            lambda: opinionated(make("nim", players=3, heaps=2, stones=4)),
            False,
            3,
            3,
            id="three players",
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda: opinionated(DiceBoard()), False, 7, 3, id="three players and chance"),
        pytest.param(lambda: MonteCarlo(Harvest(), rollouts=2), False, 4, 3, id="not zero-sum, plain"),
        pytest.param(
            lambda: opinionated(make("2048"), tuples="walk:4x3", output="identity"),
            False,
            20,
            1,
            id="one player and chance",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda: opinionated(make("dots:rows=2,columns=2"), tuples="walk:6x3", tables="inversion"),
            True,
            8,
            3,
            id="scores on the way",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda: opinionated(TICTACTOE, tuples="full", output="logistic"),
            True,
            5,
            3,
            id="logistic",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_n_ply_equals_the_plain_recursion(
    make_agent: Callable[[], Agent], zero_sum: bool, plies: int, deepest: int
) -> None:
    """Values of all actions, at several depths, with a table that is kept from search to search."""
    agent = make_agent()
    plain = PlainNPly(PlainJudge(agent, zero_sum=zero_sum))
    wrappers = [NPly(agent.game, agent=agent, depth=depth, table=1) for depth in range(1, deepest + 1)]
    assert wrappers[0].evaluation.plain == isinstance(agent, MonteCarlo)
    assert wrappers[0].tree.alpha_beta == (zero_sum and agent.game.num_outcomes == 0)
    spread = 0.0
    for number, position in enumerate(random_positions(agent.game, 12, plies, seed=1)):
        depth = 1 + number % deepest
        found = wrappers[depth - 1].values(position)
        wanted = plain.values(position, depth)
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        spread = max(spread, max(wanted.values()) - min(wanted.values()))
        best = {action for action, value in found.items() if value > max(found.values()) - 1e-9}
        assert wrappers[depth - 1].choose(position, make_rng(number)) in best
    assert spread > 0.01


@pytest.mark.parametrize("game", [TICTACTOE, DiceBoard()], ids=lambda game: game.name)
def test_plain_searches_find_what_compiled_ones_find(game: Game) -> None:
    """Of an agent that has only `values`, in plain Python; the same tree, too, from the same random numbers."""
    agent = opinionated(game)
    compiled, plain = ({"agent": a} for a in (agent, Shy(agent)))
    assert isinstance(NPly(game, **plain).evaluation, AgentValues)
    for position in random_positions(game, 3, 5, seed=2):
        found = [NPly(game, depth=2, table=1, **a).values(position) for a in (compiled, plain)]
        assert found[0] == pytest.approx(found[1])
        trees = []
        for a in (compiled, plain):
            wrapper = Puct(game, iterations=60, **a)
            wrapper.choose(position, make_rng(4))
            trees.append(wrapper.tree.statistics())
        assert {k: n for k, (n, _) in trees[0].items()} == {k: n for k, (n, _) in trees[1].items()}


def test_depth_0_is_the_agent_itself() -> None:
    agent = opinionated(TICTACTOE)
    wrapper = NPly(TICTACTOE, agent=agent, depth=0)
    for number, position in enumerate(random_positions(TICTACTOE, 5, 5, seed=3)):
        assert wrapper.values(position) == agent.values(position)
        assert wrapper.choose(position, make_rng(number)) == agent.choose(position, make_rng(number))


def test_time_ends_the_look_ahead() -> None:
    """With time for everything the game is solved, and without any one ply is looked ahead."""
    agent = opinionated(TICTACTOE)
    position = TICTACTOE.start().play("a1")
    solved = NPly(TICTACTOE, agent=agent, time=1000).values(position)
    assert [action for action, value in solved.items() if value == 0.0] == [4]  # only the centre holds the draw
    assert set(solved.values()) == {0.0, -1.0}
    one = NPly(TICTACTOE, agent=agent, time=0.001, depth=1).values(position)
    assert one == NPly(TICTACTOE, agent=agent, depth=1).values(position)


# ------------------------------------------------------------ PUCT


@pytest.mark.parametrize(
    ("make_agent", "zero_sum", "exploration", "temperature", "depth"),
    [
        pytest.param(lambda: opinionated(TICTACTOE), True, 1.0, 1e9, 0, id="uniform prior"),
        pytest.param(lambda: opinionated(TICTACTOE), True, 1.3, 0.4, 0, id="two players"),
        pytest.param(lambda: opinionated(TICTACTOE), True, 0.7, 2.0, 3, id="some random actions first"),
        pytest.param(lambda: opinionated(DiceBoard()), False, 0.6, 1.0, 0, id="three players and chance"),
        pytest.param(lambda: MonteCarlo(Dice(), rollouts=2), False, 1.0, 0.5, 1, id="plain"),
    ],
)
def test_puct_equals_the_plain_search(
    make_agent: Callable[[], Agent], zero_sum: bool, exploration: float, temperature: float, depth: int
) -> None:
    """Same random numbers, same tree: visits and means of every action at the root."""
    agent = make_agent()
    position = next(random_positions(agent.game, 1, 3, seed=5))
    plain = PlainPuct(PlainJudge(agent, zero_sum=zero_sum), exploration, temperature, make_rng(6), depth)
    for _ in range(150):
        plain.simulate(position)
    options = {"iterations": 150, "exploration": exploration, "temperature": temperature, "rollout_depth": depth}
    wrapper, rng = Puct(agent.game, agent=agent, **options), make_rng(6)
    wrapper.choose(position, rng)
    found = wrapper.tree.statistics()
    wanted = {child.edge: child for child in plain.root.children}
    assert {a: n for a, (n, _) in found.items()} == {a: wanted[a].visits for a in found}
    assert {a: m for a, (_, m) in found.items()} == pytest.approx({a: wanted[a].mean for a in found})
    assert len({n for n, _ in found.values()}) > 1
    np.testing.assert_array_equal(rng, plain.rng)


def test_puct_follows_the_game_and_the_agent() -> None:
    """Its tree is kept from move to move, and forgotten when the agent has learned."""
    agent = opinionated(TICTACTOE)
    wrapper, position = Puct(TICTACTOE, agent=agent, iterations=300), TICTACTOE.start()
    for again in (False, True):
        position.play(wrapper.choose(position, make_rng(1)))
        assert (wrapper.tree.nodes[0]["visits"] > 300) == again
    agent.learner.episodes += 1
    wrapper.choose(position, make_rng(1))
    assert wrapper.tree.nodes[0]["visits"] == 300


def test_a_tree_without_room_is_still_used() -> None:
    agent = opinionated(TICTACTOE)
    trees = [PuctTree(TICTACTOE, agent.action_values()) for _ in range(3)]
    trees[0].most_nodes, trees[0].nodes = 40, trees[0].nodes[:40]
    trees[1].nodes = trees[1].nodes[:40]
    found = [t.search(TICTACTOE.start(), make_rng(1), simulations=500, rollout_depth=0) for t in trees]
    assert trees[0].size <= 40 and len(trees[1].nodes) > 40
    assert [sum(n for n, _ in f.values()) for f in found] == [499, 499, 499]
    assert found[1] == found[2] != found[0]


# ------------------------------------------------------------ how strong


def test_a_weak_agent_that_looks_ahead_does_not_lose() -> None:
    """Tic-tac-toe after 300 games of self-play: alone it loses to perfect play, with six plies it never does."""
    agent = TDNTuple(TICTACTOE, rule="plain", tuples="full", episodes=300)
    agent.train(300)
    alone = play_match(TICTACTOE, [agent, "perfect"], 20, seed=1).standings[0]
    assert alone.losses > 5
    for wrapper in (NPly(TICTACTOE, agent=agent, depth=6), Puct(TICTACTOE, agent=agent, iterations=3000)):
        assert play_match(TICTACTOE, [wrapper, "perfect"], 20, seed=1).standings[0].losses == 0


@pytest.mark.slow
def test_connect_four_after_20000_games_gains_by_both_wrappers() -> None:
    """From all positions after two plies, in both roles, against the agent alone."""
    game = make("connect4")
    agent = TDNTuple(game, **{**preset_settings(game, "paper"), "episodes": 20_000, "seed": 1})
    agent.train(20_000)
    for wrapper in (NPly(game, agent=agent, depth=3), Puct(game, agent=agent, iterations=300)):
        result = play_match(game, [wrapper, agent], 98, seed=1, starts=positions_after(game, 2)).standings[0]
        assert result.success is not None and result.success.low > 0.6


# ------------------------------------------------------------ names, files and mistakes


@pytest.fixture(scope="module")
def agent_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "opinion.agent"
    opinionated(TICTACTOE).save(path)
    return path


@pytest.mark.parametrize(
    "spec",
    [
        "n-ply:agent={file}",
        "n-ply:depth=3,agent={file}",
        "puct:agent={file},iterations=5,temperature=0.5",
        "n-ply:agent=[mc:rollouts=2,rollout_depth=9],depth=1",
        "puct:agent=mc:rollouts=2,iterations=3",
        "puct:iterations=3,agent=[n-ply:agent=[mc:rollouts=1,rollout_depth=2],depth=1]",
    ],
)
def test_specifications_are_read_and_written(spec: str, agent_file: Path) -> None:
    agent = make_agent(spec.format(file=agent_file), TICTACTOE)
    again = make_agent(agent.spec, TICTACTOE)
    assert again.parameters == agent.parameters
    assert again.choose(TICTACTOE.start(), make_rng(1)) == agent.choose(TICTACTOE.start(), make_rng(1))


def test_wrappers_on_the_command_line(agent_file: Path) -> None:
    runner = CliRunner()
    wrapped = f"n-ply:depth=2,agent={agent_file}"
    result = runner.invoke(
        app, ["match", "tictactoe", wrapped, f"puct:agent={agent_file},iterations=20", "--games", "2"]
    )
    assert result.exit_code == 0 and wrapped in result.output
    result = runner.invoke(app, ["eval", wrapped, "--against", "random", "--games", "2", "--seed", "1"])
    assert result.exit_code == 0 and "all-roles: mean score" in result.output
    result = runner.invoke(app, ["eval", "n-ply:agent=mc"])
    assert result.exit_code == 2 and "say which game mc should play" in result.output
    result = runner.invoke(app, ["agents", "puct"])
    assert result.exit_code == 0 and "temperature" in result.output


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("n-ply", "agent of n-ply must be given; it is a text"),
        ("n-ply:agent=random", "random has no values of its actions, so a search cannot ask it; wrap another agent"),
        ("n-ply:agent=mc,depth=-1", "depth of n-ply is a whole number from 0 to 1000000 or none, not -1"),
        ("puct:agent=mc,temperature=0", "temperature of puct is a number above 0 and not above 1000000000, not 0"),
        ("puct:agent=mcts:iteration=5", "there is no parameter of mcts 'iteration'; did you mean 'iterations'?"),
        ("puct:agent=missing.agent", "missing.agent cannot be read: No such file or directory"),
    ],
)
def test_mistakes_are_explained(spec: str, sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        make_agent(spec, TICTACTOE)
    assert str(caught.value).startswith(sentence)


def test_an_agent_for_another_game_is_refused() -> None:
    with pytest.raises(BoardlabError, match="mc was made for nimm3, it cannot be wrapped for tictactoe"):
        NPly(TICTACTOE, agent=MonteCarlo(make("nimm3")))


# ------------------------------------------------------------ separate settings for training and for play


def test_the_wrapper_for_play_is_in_the_file(tmp_path: Path) -> None:
    """It plays as the wrapper does, before and after it was saved; its network is searched over as it is."""
    agent = opinionated(TICTACTOE, play_wrapper="n-ply:depth=3")
    wrapper = NPly(TICTACTOE, agent=opinionated(TICTACTOE), depth=3)
    agent.save(tmp_path / "wise.agent")
    for player in (agent, load_agent(tmp_path / "wise.agent")):
        for number, position in enumerate(random_positions(TICTACTOE, 5, 4, seed=7)):
            assert player.values(position) == wrapper.values(position) != opinionated(TICTACTOE).values(position)
            assert player.choose(position, make_rng(number)) == wrapper.choose(position, make_rng(number))
        again = NPly(TICTACTOE, agent=player, depth=1)
        assert again.values(TICTACTOE.start()) == NPly(TICTACTOE, agent=wrapper.agent, depth=1).values(
            TICTACTOE.start()
        )
    itself = opinionated(TICTACTOE, play_wrapper="n-ply:depth=0")
    assert itself.values(TICTACTOE.start()) == wrapper.agent.values(TICTACTOE.start())


def test_what_was_found_before_learning_is_forgotten() -> None:
    """The table of the wrapper is full of values that the agent no longer believes in."""
    agent = opinionated(TICTACTOE, play_wrapper="n-ply:depth=3", tuples="full")
    position = TICTACTOE.start()
    before = agent.values(position)
    agent.train(50)
    fresh = NPly(TICTACTOE, agent=agent, depth=3).values(position)
    assert agent.values(position) == fresh != before


@kernel
def narrowed(chooser: Any, game: Any, states: Any, actions: Any, n: int, rng: Rng) -> int:
    """What a chooser of self-play leaves of the n actions, called as an episode calls it."""
    return chooser.narrow(game, states[0], actions, n, rng)  # type: ignore[no-any-return]


def test_self_play_chooses_as_the_wrappers_do() -> None:
    """One of the best actions of n-ply, and the action that a fresh tree of PUCT visits most."""
    agent = opinionated(TICTACTOE)
    evaluation = agent.action_values()
    n_ply, puct = NPly(TICTACTOE, agent=agent, depth=2), Puct(TICTACTOE, agent=agent, iterations=40)
    choosers = [type(w).chooser(TICTACTOE, w.parameters, evaluation) for w in (n_ply, puct)]
    for number, position in enumerate(random_positions(TICTACTOE, 20, 6, seed=8)):
        chosen = []
        for chooser in choosers:
            actions = np.array(position.legal_actions)
            states = position.state.reshape(1)
            assert narrowed(chooser, TICTACTOE, states, actions, len(actions), make_rng(number)) == 1
            chosen.append(int(actions[0]))
        values = n_ply.values(position)
        assert values[chosen[0]] == max(values.values())
        puct.choose(position, make_rng(number))
        found = puct.tree.statistics()
        assert len(values) == 1 or found[chosen[1]] == max(found.values())


@pytest.mark.slow
def test_self_play_looks_ahead_if_it_shall() -> None:
    """Without learning (alpha 0) and random moves: every move is one of the best by a search of the same depth."""
    game = make("nimm3")
    agent = opinionated(game, train_wrapper="n-ply:depth=2")
    wrapper = NPly(game, agent=opinionated(game), depth=2)
    not_greedy = 0
    for moves, _ in train_recorded(agent.learner, np.zeros(40), np.zeros(40)):
        position = game.start()
        for action, *_ in moves:
            values, greedy = wrapper.values(position), wrapper.agent.values(position)
            assert greedy is not None
            assert values[action] == max(values.values())
            not_greedy += greedy[action] < max(greedy.values())
            position.play(action)
    assert not_greedy > 0
    assert agent.values(game.start()) == wrapper.agent.values(game.start())  # in play it does not look ahead


@pytest.mark.slow
def test_self_play_with_puct() -> None:
    """Every move is the one that a fresh tree of the same random numbers visits most."""
    game = make("nimm3")
    agent = opinionated(game, train_wrapper="puct:iterations=25,exploration=0.8")
    evaluation = opinionated(game).action_values()
    for moves, rng in train_recorded(agent.learner, np.zeros(10), np.zeros(10)):
        position = game.start()
        for action, *_ in moves:
            random_float(rng)  # whether the move is random
            found = PuctTree(game, evaluation).search(position, rng, simulations=25, exploration=0.8, rollout_depth=0)
            assert action == max(found, key=lambda a: found[a])
            position.play(action)


@pytest.mark.slow
def test_self_play_of_three_players_with_chance() -> None:
    """Max-n inside of the episodes, and two threads with networks of their own."""
    game = DiceBoard()
    agent = opinionated(game, train_wrapper="n-ply:depth=1")
    wrapper = NPly(game, agent=opinionated(game), depth=1)
    before = agent.learner.network.weights.copy()
    for moves, _ in train_recorded(agent.learner, np.zeros(5), np.zeros(5)):
        values = wrapper.values(game.start())
        assert values[moves[0][0]] == max(values.values())
    np.testing.assert_array_equal(agent.learner.network.weights, before)
    agent.train(20, threads=2)
    assert np.isfinite(agent.learner.network.weights).all() and (agent.learner.network.weights != before).any()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"play_wrapper": "mcts"}, "there is no wrapper 'mcts'. Known: n-ply, puct"),
        ({"play_wrapper": "n-ply:dept=2"}, "there is no parameter of n-ply 'dept'; did you mean 'depth'?"),
        ({"train_wrapper": "n-ply:agent=mc"}, "the agent of n-ply:agent=mc is the one that it is an option of"),
        ({"train_wrapper": "puct:time=1"}, "puct:time=1 has a time limit; without one a training can be repeated"),
        ({"train_wrapper": "own.py:Wrapper"}, "there is no wrapper 'own.py:Wrapper'"),
    ],
)
def test_wrong_wrappers_are_told_at_once(settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        TDNTuple(TICTACTOE, **settings)
    assert str(caught.value).startswith(sentence)
