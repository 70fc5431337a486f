"""Whole games in machine code: the same records, to the bit, as move by move, for every agent that compiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from training_files import small_agent

from boardlab import BoardlabError, make
from boardlab.agents.base import Agent
from boardlab.agents.mcts import Mcts
from boardlab.agents.random import RandomAgent
from boardlab.agents.registry import make_agent
from boardlab.game import Game
from boardlab.matches import machine, play
from boardlab.matches.fixtures import CodedEvents, Fixture, GameRecord
from boardlab.matches.match import start_bytes
from boardlab.matches.play import play_fixtures, play_game
from boardlab.position import Event
from boardlab.rng import make_rng, make_rngs
from boardlab.search.player import Player, Seat

SEED = 7


def rotated(game: Game, agents: Sequence[Agent], games: int) -> list[Fixture]:
    """Every agent in every seat, from the start and from positions after a move where there is no chance."""
    starts: list[bytes | None] = [None]
    if game.num_outcomes == 0:
        starts += [start_bytes(game, game.start().play(a)) for a in game.start().legal_actions[:2]]
    players = game.num_players
    return [
        Fixture(tuple((i + seat) % len(agents) for seat in range(players)), starts[i % len(starts)])
        for i in range(games)
    ]


def same_both_ways(game: Game, agents: Sequence[Agent], games: int = 12, workers: int = 1) -> None:
    fixtures = rotated(game, agents, games)
    seats = machine.compiled_seats(game, agents)
    assert seats is not None
    told: list[int] = []
    records = machine.play_in_machine_code(
        game, agents, seats, fixtures, 0, SEED, workers, lambda number, record, done: told.append(number)
    )
    assert records == [play_game(game, agents, fixture, SEED, i) for i, fixture in enumerate(fixtures)]
    assert sorted(told) == list(range(games))
    assert all(sum(record.seconds) > 0.0 for record in records)


def made(game: Game, specs: str) -> list[Agent]:
    return [make_agent(spec, game) for spec in specs.split(";")]


def test_players_of_a_small_game() -> None:
    game = make("tictactoe")
    same_both_ways(game, made(game, "random;mcts:iterations=30"))
    same_both_ways(game, made(game, "mcts:iterations=30;perfect"), games=40, workers=2)
    same_both_ways(game, made(game, "mcts:iterations=20,reuse_tree=false;mcts:iterations=20,final=mean,tree_depth=3"))


def test_a_learned_agent_before_and_after_it_learns() -> None:
    agent = small_agent()
    opponent = RandomAgent(agent.game)
    same_both_ways(agent.game, [agent, opponent])
    agent.train(300)
    same_both_ways(agent.game, [agent, opponent], games=30)
    snapshot = agent.snapshot()
    assert snapshot is not None
    before = agent.values(agent.game.start())
    agent.train(300)
    assert snapshot.values(agent.game.start()) == before != agent.values(agent.game.start())
    assert snapshot.episodes == 600 - 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "agents"),
    [
        ("tictactoe", "mc:rollouts=5;max-n:depth=3"),
        ("tictactoe", "max-n:depth=2,alpha_beta=false;mc:rollouts=4,rollout_depth=2"),
        ("nim:heaps=3,stones=4", "perfect;random"),
        ("nim:players=3,heaps=2,stones=4", "perfect;random;mcts:iterations=40"),
        ("dots:rows=2,columns=2", "dots-perfect;mcts:iterations=30"),
        ("2048", "mcts:iterations=5,rollout_depth=4"),
        ("2048", "expectimax-n:depth=1"),
        ("othello", "othello-positional;random"),
        ("othello", "othello-positional:waiting=true;othello-positional"),
        ("connect4", "c4-perfect;c4-minimax"),
        ("connect4", "c4-perfect-dl;c4-minimax:protocol=2012"),
    ],
)
def test_players_of_many_games(spec: str, agents: str) -> None:
    game = make(spec)
    same_both_ways(game, made(game, agents), games=6)


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", ["n-ply:depth=2", "puct:iterations=30", "n-ply:depth=0"])
def test_searches_over_learned_values(wrapper: str) -> None:
    agent = small_agent()
    agent.train(500)
    name, _, options = wrapper.partition(":")
    key, value = options.split("=")
    wrapped = type(make_agent(f"{wrapper},agent=td-ntuple", agent.game))(agent.game, agent=agent, **{key: int(value)})
    assert wrapped.name == name
    same_both_ways(agent.game, [wrapped, agent])


# ------------------------------------------------------------ who plays in machine code, and when


class Stubborn(Mcts):
    """Chooses otherwise than the agent that it derives from."""

    name = "stubborn"

    def choose(self, position, rng):
        return position.legal_actions[0]


class Absent(Player):
    """Never knows what to play."""

    def choose(self, game, s, played, count, rng):
        return -1


class Undecided(RandomAgent):
    """Has a compiled player that gives up."""

    name = "undecided"

    def player(self):
        return Absent()


def test_an_agent_of_ones_own_is_asked_move_by_move() -> None:
    game = make("tictactoe")
    agents = [Stubborn(game, iterations=10), RandomAgent(game)]
    assert not agents[0].plays_compiled and agents[1].plays_compiled
    assert machine.compiled_seats(game, agents) is None
    (record,) = play_fixtures(game, agents, [Fixture((0, 1))], SEED, many=True)
    assert record.events[0] == Event(0, 0)


def test_a_player_that_gives_up_is_asked_move_by_move() -> None:
    game = make("tictactoe")
    agents = [Undecided(game), RandomAgent(game)]
    assert agents[0].plays_compiled
    told: list[int] = []
    fixtures = [Fixture((0, 1))] * 3
    records = play_fixtures(game, agents, fixtures, SEED, many=True, witness=lambda n, r: told.append(n))
    assert records == [play_game(game, agents, fixture, SEED, i) for i, fixture in enumerate(fixtures)]
    assert told == [0, 1, 2]


def test_few_games_are_not_worth_a_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("tictactoe")
    agents = [RandomAgent(game)] * 2
    asked: list[bool] = []

    def seats(game: Game, agents: Sequence[Agent], *, compile: bool = True) -> None:
        asked.append(compile)

    monkeypatch.setattr(play, "compiled_seats", seats)
    play_fixtures(game, agents, [Fixture((0, 1))] * 2, SEED)
    play_fixtures(game, agents, [Fixture((0, 1))] * 2, SEED, many=True)
    monkeypatch.setattr(play, "WORTH_COMPILING", 2)
    play_fixtures(game, agents, [Fixture((0, 1))] * 2, SEED)
    monkeypatch.setattr(play, "TRIAL_SECONDS", -1.0)
    monkeypatch.setattr(play, "WORTH_THE_START", 0.0)
    play_fixtures(game, agents, [Fixture((0, 1))] * 2, SEED)
    assert asked == [False, True, True, True, True]


def test_what_is_compiled_is_known_to_be_ready() -> None:
    game = make("tictactoe")
    player = RandomAgent(game).player()
    Seat(game, player)
    assert Seat.is_ready(game, player)


def test_what_was_never_compiled_is_not() -> None:
    class Fresh(Player):
        def choose(self, game, s, played, count, rng):
            return int(count) + 12345

    assert not Seat.is_ready(make("tictactoe"), Fresh())


def test_long_games_get_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_FIRST_EVENTS", 3)
    game = make("tictactoe")
    same_both_ways(game, made(game, "random;random"))


def test_a_copied_seat_has_its_own_player() -> None:
    from copy import deepcopy

    agent = small_agent()
    agent.train(100)
    values = agent.values(agent.game.start())
    other = deepcopy(agent)
    assert other.values(agent.game.start()) == values
    agent.train(200)
    assert other.values(agent.game.start()) == values != agent.values(agent.game.start())


# ------------------------------------------------------------ parts


def test_events_are_what_they_stand_for() -> None:
    events = CodedEvents(np.array([3, -1, -5], np.int32), np.array([1, -1, -1], np.int8))
    plain = (Event(1, 3), Event(None, 0), Event(None, 4))
    assert tuple(events) == plain and events == plain and events[1:] == plain[1:] and events[-1] == plain[2]
    assert hash(events) == hash(plain) and len(events) == 3 and repr(events) == repr(plain)
    assert GameRecord((0,), (1.0,), (1,), (0.1,), events) == GameRecord((0,), (1.0,), (1,), (0.2,), plain)
    assert events != plain[:2]


@pytest.mark.parametrize("seed", [0, 5, 2**63 + 1, 2**70 + 3])
def test_many_streams_at_once(seed: int) -> None:
    rngs = make_rngs(seed, np.arange(3, 9))
    assert all((rngs[i] == make_rng(seed, 3 + i)).all() for i in range(6))


def test_errors_in_a_player_are_raised() -> None:
    class Loud(Player):
        def choose(self, game, s, played, count, rng):
            if count == 0:
                raise BoardlabError("no idea")
            return 0

    game = make("tictactoe")
    seat = Seat(game, Loud())
    with pytest.raises(BoardlabError, match="no idea"):
        seat.choose(game.start().state, make_rng(0))
    block = machine._Block(game, [Fixture((0, 0))], 0, SEED, [seat])
    with pytest.raises(BoardlabError, match="no idea"):
        machine._play_block(game, block)
