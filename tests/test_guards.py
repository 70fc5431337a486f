"""The doors of the Python interface: what is handed in wrongly is told in one sentence, whatever agent it is given to,
and what is handed in rightly comes through, from several threads at once, too."""

from __future__ import annotations

import copy
import pickle
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

import numpy as np
import pytest

from boardlab import BoardlabError, IllegalAction, Position, make, make_rng
from boardlab.agents.base import Agent
from boardlab.agents.maxn import MaxN
from boardlab.agents.random import RandomAgent
from boardlab.agents.registry import agent_classes, make_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.engines.openspiel import is_installed
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.matches.match import play_match
from boardlab.playouts import random_games
from boardlab.registry import split_spec
from boardlab.rng import Rng

GAME, NIM, G2048 = make("tictactoe"), make("nim"), make("2048")
NO_RNG: list[Any] = [
    *(np.random.default_rng(1), 1, None, "1", [1, 2, 3, 4], np.random.RandomState(1)),
    *(np.zeros(4), np.zeros(5, np.uint64), make_rng(1).reshape(2, 2), np.zeros(8, np.uint64)[::2]),
]
AGENTS = (
    *("random", "mcts:iterations=5", "mc:rollouts=2", "max-n:depth=1", "expectimax-n:depth=1", "perfect"),
    *("td-ntuple:tuples=points:1x3", "n-ply:agent=td-ntuple,depth=1", "puct:agent=td-ntuple,iterations=5"),
    *("n-ply:agent=td-ntuple,depth=0", "td-ntuple:play_wrapper=[n-ply:depth=1]"),
    *("td-linear", "td-mlp", "sarsa-ntuple", "q-ntuple", "td-self-play", "q-self-play"),
    *(("openspiel:mcts:simulations=5", "openspiel:bot") if is_installed() else ()),
)


class Own(Agent):
    """An agent as a user writes it: it looks after nothing."""

    name = "own"

    def choose(self, position: Position, rng: Rng) -> int:
        return position.legal_actions[0]

    def values(self, position: Position) -> dict[int, float]:
        return {action: 0.5 for action in position.legal_actions}


class Heir(Own):
    """One that derives from another agent and asks it."""

    def choose(self, position: Position, rng: Rng) -> int:
        return super().choose(position, rng)


def finished() -> Position:
    position = GAME.start()
    for name in ("a1", "b1", "a2", "b2", "a3"):
        position.play(name)
    return position


def refused(call: Callable[..., Any], *arguments: Any, says: str, **keywords: Any) -> None:
    """The call ends with the sentence, and only with it."""
    with pytest.raises(BoardlabError, match=re.escape(says)) as caught:
        call(*arguments, **keywords)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


# ------------------------------------------------------------ agents


@pytest.fixture(scope="module", params=[*AGENTS, Own, Heir])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each agent that plays Tic-tac-toe."""
    return make_agent(request.param, GAME) if isinstance(request.param, str) else request.param(GAME)


def test_every_agent_of_the_package_that_plays_the_game_is_tested() -> None:
    playing = {name for name, cls in agent_classes().items() if cls.refusal(GAME) is None}
    assert playing == {split_spec(spec)[0] for spec in AGENTS}


def test_an_agent_refuses_positions_in_which_it_cannot_move(agent: Agent) -> None:
    for ask in (lambda position: agent.choose(position, make_rng(1)), agent.values):
        refused(ask, NIM.start(), says=f"{agent.spec} was made for tictactoe, it cannot play nim")
        refused(ask, finished(), says="the game is over; game over, X won")
        refused(ask, None, says="an agent is asked about a Position, as game.start(), not about None")
        refused(ask, GAME.start().state, says="an agent is asked about a Position")


def test_an_agent_refuses_random_numbers_that_are_not_ours(agent: Agent) -> None:
    for wrong in NO_RNG:
        refused(agent.choose, GAME.start(), wrong, says="random numbers come from make_rng, as rng = make_rng(seed=1)")


@pytest.mark.parametrize("spec", ["random", "mcts:iterations=5", "expectimax-n:depth=1"])
def test_an_agent_refuses_a_position_where_chance_is_due(spec: str) -> None:
    agent, position = make_agent(spec, G2048), G2048.start()
    refused(agent.choose, position, make_rng(1), says="a chance event is due before the next action: roll(rng)")
    refused(agent.values, position, says="a chance event is due before the next action")
    assert agent.choose(position.roll(make_rng(1)), make_rng(1)) in position.legal_actions


def test_another_game_of_the_same_parameters_is_the_same_game() -> None:
    assert Own(make("hex:size=4")).choose(make("hex", size=4).start(), make_rng(1)) == 0
    refused(Own(make("hex:size=4")).choose, make("hex").start(), make_rng(1), says="made for hex:size=4")


def test_the_guard_leaves_the_methods_as_they_are() -> None:
    assert RandomAgent.choose.__name__ == "choose"
    assert Own(GAME).choose(rng=make_rng(1), position=GAME.start()) == 0
    assert Own(GAME).values(position=GAME.start())[8] == 0.5
    assert RandomAgent(GAME).values(GAME.start()) is None


def test_a_copy_and_a_pickle_of_an_agent_play_like_it(agent: Agent) -> None:
    agent.choose(GAME.start(), make_rng(1))
    chosen = [agent.choose(GAME.start(), make_rng(seed)) for seed in range(5)]
    assert set(chosen) <= set(range(9))
    for other in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert [other.choose(GAME.start(), make_rng(seed)) for seed in range(5)] == chosen
        assert other.spec == agent.spec


@pytest.mark.parametrize("spec", ["td-ntuple:tuples=points:1x3", "max-n:depth=4", "n-ply:agent=td-ntuple,depth=1"])
def test_a_copy_of_an_agent_that_has_been_used_thinks_the_same(spec: str) -> None:
    """Its arrays may share memory, as a position and its bytes do; those of the copy must do so, too."""
    agent = make_agent(spec, GAME)
    learner = agent if isinstance(agent, TDNTuple) else getattr(agent, "agent", None)
    if isinstance(learner, TDNTuple):
        learner.train(20)
    late = GAME.start().play("b2").play("a1").play("a3")
    agent.values(late)
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        if isinstance(other, MaxN):
            other.tree.clear()
        for position in (late, GAME.start(), late.copy().play("c1")):
            assert other.values(position) == agent.values(position)


def test_what_a_deep_copy_learns_is_its_own() -> None:
    agent = TDNTuple(GAME, tuples="points:1x9")
    before = agent.values(GAME.start())
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        other.train(20)
        assert other.values(GAME.start()) != before == agent.values(GAME.start())


def test_an_agent_that_searches_in_training_can_be_pickled() -> None:
    agent = TDNTuple(GAME, tuples="points:1x3", train_wrapper="n-ply:depth=1")
    other = pickle.loads(pickle.dumps(agent))
    assert other.learner.make_chooser.func.__self__ is other  # it is not the first one that is asked
    assert other.parameters == agent.parameters


# ------------------------------------------------------------ threads


class Slow(Agent):
    """Sees whether anybody comes while it thinks."""

    name = "slow"
    inside = 0
    most = 0

    def choose(self, position: Position, rng: Rng) -> int:
        self.inside += 1
        self.most = max(self.most, self.inside)
        sleep(0.002)
        self.inside -= 1
        return position.legal_actions[0]

    def values(self, position: Position) -> dict[int, float]:
        return {self.choose(position, make_rng(1)): 0.0}


def test_threads_use_an_agent_one_after_the_other() -> None:
    agent, other = Slow(GAME), Slow(GAME)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            pool.submit(agent.choose, GAME.start(), make_rng(1))
            pool.submit(agent.values, GAME.start())
            pool.submit(copy.copy(agent).choose, GAME.start(), make_rng(1))
    assert agent.most == 1
    with agent.turn:  # another agent does not wait for it
        thread = threading.Thread(target=other.choose, args=(GAME.start(), make_rng(1)))
        thread.start()
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    "spec", ["mcts:iterations=300,reuse_tree=false", "max-n:depth=4", "td-ntuple:tuples=points:4x9", "mc:rollouts=50"]
)
def test_threads_get_the_answers_that_one_thread_gets(spec: str) -> None:
    """Compiled code runs without Python's lock, so two threads in one agent would write to the same boards."""
    agent = make_agent(spec, GAME)
    if isinstance(agent, TDNTuple):
        agent.train(500)
    positions = [GAME.start().play(first).play((first + 1) % 9) for first in range(9)] * 20
    wanted = [agent.choose(position, make_rng(1)) for position in positions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda position: agent.choose(position, make_rng(1)), positions)) == wanted


def test_training_waits_for_its_turn() -> None:
    agent = TDNTuple(GAME, tuples="points:1x3")
    with ThreadPoolExecutor(1) as pool:
        with agent.turn:
            training = pool.submit(agent.train, 5)
            sleep(0.05)
            assert agent.episodes == 0
        assert training.result(60).episodes == 5


def test_an_agent_answers_after_a_mistake_in_another_thread() -> None:
    agent = Own(GAME)
    with ThreadPoolExecutor(1) as pool:
        for wrong in (finished(), GAME.start()):
            error = pool.submit(agent.choose, wrong, None).exception()  # type: ignore[arg-type]
            assert isinstance(error, BoardlabError)
    assert agent.choose(GAME.start(), make_rng(1)) == 0


# ------------------------------------------------------------ positions


@pytest.mark.parametrize("action", [3.7, 3.0, np.float64(3), True, np.True_, None, b"a1", [3], np.array([3]), {}, 3j])
def test_an_action_is_a_name_or_a_whole_number(action: Any) -> None:
    position = GAME.start()
    refused(position.play, action, says="an action of Tic-tac-toe that is not given by its name is a whole number, not")
    assert position.history == []


def test_an_action_that_is_out_of_range() -> None:
    for action in (10**400, -(10**5000), 9, -1, np.uint64(2**64 - 1)):
        with pytest.raises(IllegalAction, match=r"^action .{1,35} is not legal here; legal: a1, b1"):
            GAME.start().play(action)


def test_integers_of_numpy_are_actions() -> None:
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        assert GAME.start().play(kind(3)).last_action == 3
    assert G2048.start().play_chance(np.int16(0)).history[0].number == 0


def test_a_chance_outcome_is_a_whole_number() -> None:
    for outcome in (1.0, True, None, [1], "1"):
        refused(G2048.start().play_chance, outcome, says="a chance outcome of 2048 is a whole number, not")
    with pytest.raises(IllegalAction, match=r"about 10\^99 is no possible outcome"):
        G2048.start().play_chance(10**99)
    for wrong in NO_RNG:
        refused(G2048.start().roll, wrong, says="random numbers come from make_rng")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copy_of_a_position_is_its_own_and_knows_the_way_back(copied: Callable[[Position], Position]) -> None:
    position = GAME.start().play("b2").play("a1")
    other = copied(position)
    assert (other.history, other.state.tobytes()) == (position.history, position.state.tobytes())
    other.play("c3")
    assert position.history == other.undo().history and position.state.tobytes() == other.state.tobytes()
    other.undo().undo()
    assert len(position.history) == 2 and position.player == 0 and "a1" in repr(position)


def test_copies_share_the_game_and_are_found_in_deep_copies_of_other_things() -> None:
    position = GAME.start().play("b2")
    kept = copy.deepcopy({"positions": [position, position]})["positions"]
    assert kept[0] is kept[1] is not position and kept[0].game is GAME


def test_a_position_notices_a_state_that_was_changed_from_outside() -> None:
    position, end = GAME.start(), finished()
    assert not position.is_over
    for name in GAME.state.names or ():
        position.state[name] = end.state[name]
    assert position.is_over and position.legal_actions == []


def test_a_state_is_a_record_of_the_game() -> None:
    for state in (b"123", 3, "a1", [1], np.zeros(1, GAME.state), np.zeros(2, GAME.state), np.int64(3)):
        refused(Position, GAME, state, says="a state of Tic-tac-toe is one record with the fields")
    for game in ("tictactoe", None, type(GAME)):
        refused(Position, game, says='a game is made first, as game = make("connect4")')


# ------------------------------------------------------------ making things


def test_games_agents_and_evaluators_are_named_by_texts() -> None:
    for wrong in (3, None, GAME, RandomAgent(GAME), RandomAgent, b"random", ["random"]):
        refused(make, wrong, says="a game is named by a text, as connect4 or connect4:columns=6, not ")
        refused(make_agent, wrong, GAME, says="an agent is named by a text, as mcts:iterations=500 or the path")
        refused(make_evaluator, wrong, GAME, says="an evaluator is named by a text, as random, not ")
    for wrong in ("tictactoe", None, type(GAME)):
        for call in (make_agent, make_evaluator):
            refused(call, "random", wrong, says="a game is made first")
        refused(RandomAgent, wrong, says="a game is made first")
        refused(make_agent, "some.agent", wrong, says="a game is made first")


def test_parameters_of_a_game() -> None:
    assert make("hex", size=np.int64(5)) == make("hex:size=5")
    for size in (None, True, 2.5, np.float64(5), [5], 10**5000, np.int64(99)):
        refused(make, "hex", size=size, says="size is a whole number from 2 to 11, not ")


def test_seeds_are_whole_numbers() -> None:
    for wrong in ("x", None, 1.5, True, -1, [1], -(10**5000)):
        refused(make_rng, wrong, says="a seed is a whole number from 0 on, not ")
        refused(make_rng, 1, wrong, says="a stream of a seed is a whole number from 0 on, not ")
    assert make_rng(np.int64(3), np.uint8(2)).tobytes() == make_rng(3, 2).tobytes()


# ------------------------------------------------------------ matches, evaluations, training, random games


@pytest.mark.parametrize("wrong", [0, -1, 2.5, None, "2", True])
def test_numbers_of_games_and_workers(wrong: Any) -> None:
    pair = ["random", "random"]
    refused(play_match, GAME, pair, wrong, 1, says="the number of games is a whole number from 1 on, not ")
    refused(play_match, GAME, pair, 2, 1, workers=wrong, says="the number of workers is a whole number from 1 on, not ")
    evaluator = make_evaluator("random", GAME)
    refused(evaluator.evaluate, "random", workers=wrong, says="the number of workers is a whole number from 1 on, not ")
    if wrong is not None:  # as many as usual
        refused(evaluator.evaluate, "random", games=wrong, says="the number of games is a whole number from 1 on, not ")


def test_contestants() -> None:
    for wrong in ("random", None, 3, {"random"}, RandomAgent(GAME)):
        refused(play_match, GAME, wrong, 2, 1, says="the contestants of a match are a list of agents or their texts")
    for wrong in (3, None, RandomAgent, GAME):
        refused(play_match, GAME, ["random", wrong], 2, 1, says="who plays is an agent, or the text that makes one")
        refused(make_evaluator("random", GAME).evaluate, wrong, says="who plays is an agent, or the text that makes")
    refused(make_evaluator("random", GAME).evaluate, "random", against=3, says="an agent is named by a text")
    refused(play_match, "tictactoe", ["random", "random"], 2, 1, says="a game is made first")
    refused(play_match, G2048, [], 2, 1, says="an empty list does not")


def test_seatings_and_starts() -> None:
    pair = ["random", "random"]
    for wrong in ([(0,)], [(0, 2)], [(0, 1), (0, -1)], []):
        refused(play_match, GAME, pair, 2, 1, seatings=wrong, says="a seating says for each of the 2 seats of Tic-tac")
    for wrong in ([NIM.start()], ["a1"], [GAME.start().state]):
        refused(play_match, GAME, pair, 2, 1, starts=wrong, says="a match of tictactoe starts from positions of it")
    for seed in ("x", None, -1, 1.5):
        refused(play_match, GAME, pair, 2, seed, says="a seed is a whole number from 0 on")


def test_training_and_random_games() -> None:
    agent = make_agent("td-ntuple:tuples=points:1x3", GAME)
    assert isinstance(agent, TDNTuple)
    for wrong in (-1, 1.5, "x", None, True):
        refused(agent.train, wrong, says="the number of episodes is a whole number from 0 on, not ")
        refused(random_games, GAME, wrong, make_rng(1), says="the number of games is a whole number from 0 on, not ")
        refused(agent.train, 1, wrong, says="the number of threads is a whole number from 1 on, not ")
    refused(agent.train, 1, 0, says="the number of threads is a whole number from 1 on, not 0")
    refused(random_games, "tictactoe", 1, make_rng(1), says="a game is made first")
    refused(random_games, GAME, 1, np.random.default_rng(1), says="random numbers come from make_rng")
    assert agent.episodes == 0
