"""Matches: who sits where, what is counted, how sure it is; the same on one core and on several; and the command."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_files import small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make
from boardlab.agents.base import Agent
from boardlab.agents.random import RandomAgent
from boardlab.cli.main import app
from boardlab.matches import play as arena_play
from boardlab.matches.match import MatchResult, all_seatings, play_match
from boardlab.matches.play import Fixture, GameRecord, _play_in_processes
from boardlab.matches.starts import position_after, positions_after, random_starts
from boardlab.rng import Rng

TICTACTOE = make("tictactoe")
BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]


class Scripted(Agent):
    """Takes the lowest or the highest action, and notes what was played and how many stones there were."""

    name = "scripted"
    place = 0

    def setup(self) -> None:
        self.seen: list[list[int]] = []
        self.stones: list[int] = []

    def choose(self, position: Position, rng: Rng) -> int:
        self.seen.append([event.number for event in position.history])
        self.stones.append(int(position.state.moves))
        return position.legal_actions[self.place]


class ScriptedLast(Scripted):
    place = -1


# ------------------------------------------------------------ playing


def test_the_agents_change_seats() -> None:
    low, high = Scripted(TICTACTOE), ScriptedLast(TICTACTOE)
    result = play_match(TICTACTOE, [low, high], 4, seed=1)
    assert [record.seats for record in result.records] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert low.seen[0] == []
    assert [0, 8] in low.seen  # it moved first, the other one last
    assert [8] in low.seen  # and the other way round
    first, second = result.standings
    assert (first.wins, first.draws, first.losses) == (second.losses, second.draws, second.wins)
    assert first.score.mean == -second.score.mean


def test_every_start_is_played_in_all_seatings() -> None:
    low, high = Scripted(TICTACTOE), ScriptedLast(TICTACTOE)
    starts = [position_after(TICTACTOE, moves) for moves in ("", "b2", "b2,a1")]
    play_match(TICTACTOE, [low, high], 6, seed=1, starts=starts)
    first_asked = [stones for stones, seen in zip(low.stones, low.seen, strict=True) if len(seen) < 2]
    assert first_asked == [0, 1, 2, 1, 2, 3]  # a start has no history; in every second game the other one begins


def test_the_standings_are_those_of_the_records() -> None:
    result = play_match(make("nim", players=3), ["random"] * 3, 60, seed=2)
    assert Counter(r.seats for r in result.records) == dict.fromkeys(all_seatings(make("nim", players=3), 3), 10)
    for c, standing in enumerate(result.standings):
        scores = [r.scores[r.seats.index(c)] for r in result.records]
        assert standing.score.mean == pytest.approx(np.mean(scores))
        assert standing.wins == sum(s == 1.0 for s in scores)
        assert standing.wins + standing.losses == standing.score.games == 60
        for seat in range(3):
            wanted = np.mean([r.scores[seat] for r in result.records if r.seats[seat] == c])
            assert standing.role_scores[seat] == pytest.approx(wanted)


def test_draws_and_shared_wins() -> None:
    records = [
        GameRecord((0, 1, 2), (1.0, 1.0, 0.0), (1, 1, 1), (0.1, 0.0, 0.0)),
        GameRecord((1, 2, 0), (0.5, 0.5, 0.5), (1, 1, 3), (0.0, 0.0, 0.3)),
    ]
    result = MatchResult("g", "G", ("a", "b", "c"), ("x", "y", "z"), 0, tuple(records))
    x, y, z = result.standings
    assert [(s.wins, s.draws, s.losses) for s in (x, y, z)] == [(1, 1, 0), (1, 1, 0), (0, 1, 1)]
    assert x.success is not None and x.success.mean == 0.75
    assert x.role_scores == (1.0, None, 0.5)
    assert x.seconds_per_move == pytest.approx(0.1)


def test_alone_everybody_plays_for_himself() -> None:
    result = play_match(make("2048"), ["random", "random"], 4, seed=3)
    assert [r.seats for r in result.records] == [(0,), (1,), (0,), (1,)]
    assert all(s.success is None and s.score.mean > 100 for s in result.standings)
    assert "won" not in str(result)


def test_same_seed_same_games() -> None:
    runs = [play_match(TICTACTOE, ["random", "random"], 20, seed).records for seed in (5, 5, 6)]
    assert runs[0] == runs[1] != runs[2]
    assert len({record.scores for record in runs[0]}) > 1  # every game has random numbers of its own


@pytest.mark.parametrize("spec", ["tictactoe", "2048"])
def test_the_events_of_a_game_lead_to_its_scores(spec: str) -> None:
    game = make(spec)
    seen: list[tuple[int, GameRecord]] = []
    result = play_match(game, ["random"] * 2, 3, seed=7, witness=lambda number, record: seen.append((number, record)))
    assert seen == list(enumerate(result.records))
    for record in result.records:
        position = game.start()
        for event in record.events:
            position.play_code(event.code)
        assert position.is_over
        assert tuple(position.scores) == record.scores
        assert sum(event.player is not None for event in record.events) == sum(record.moves)


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    """A tree search keeps its tree from move to move, but not from game to game."""
    agents = ["mcts:iterations=60", "mc:rollouts=5"]
    few, many = (play_match(TICTACTOE, agents, games, 7).records for games in (3, 12))
    assert few == many[:3]
    again = arena_play.play_game(TICTACTOE, [arena_play.agent_of(a, TICTACTOE) for a in agents], few_fixture(11), 7, 11)
    assert again == many[11]


def few_fixture(number: int) -> arena_play.Fixture:
    return arena_play.Fixture(all_seatings(TICTACTOE, 2)[number % 2])


def test_worker_processes_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = play_match(TICTACTOE, ["random", "perfect"], 12, 1).records
    monkeypatch.setattr(arena_play, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(arena_play, "WORTH_THE_START", 0.0)
    monkeypatch.setattr(arena_play, "compiled_seats", lambda *_, **__: None)
    told: list[tuple[int, int]] = []
    result = play_match(
        TICTACTOE, ["random", "perfect"], 12, 1, workers=2, progress=lambda done, total: told.append((done, total))
    )
    assert result.records == wanted
    assert told == [(n, 12) for n in range(13)]


def test_an_agent_that_has_learned_is_saved_for_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = small_agent()
    agent.train(300)
    wanted = play_match(TICTACTOE, [agent, "random"], 12, 1).records
    monkeypatch.setattr(arena_play, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(arena_play, "WORTH_THE_START", 0.0)
    monkeypatch.setattr(arena_play, "compiled_seats", lambda *_, **__: None)
    here: list[int] = []

    def played_here(*arguments: Any) -> GameRecord:
        here.append(arguments[-1])
        return wanted[arguments[-1]]

    monkeypatch.setattr(arena_play, "play_game", played_here)
    assert play_match(TICTACTOE, [agent, "random"], 12, 1, workers=2).records == wanted
    assert here == [0]


def test_agents_that_cannot_be_made_elsewhere_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_play, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(arena_play, "WORTH_THE_START", 0.0)
    monkeypatch.setattr(arena_play, "compiled_seats", lambda *_, **__: None)
    agent = Scripted(TICTACTOE)
    play_match(TICTACTOE, [agent, "random"], 6, 1, workers=2)
    assert agent.seen.count([]) == 3


@pytest.mark.parametrize(
    ("spent", "done", "games", "worth"),
    [(0.5, 10, 1000, False), (2.0, 10, 20, False), (2.0, 10, 1000, True), (60.0, 0, 1000, False)],
)
def test_processes_start_when_they_pay(spent: float, done: int, games: int, worth: bool) -> None:
    assert arena_play.is_long(spent, done, games) is worth


@pytest.mark.parametrize(
    ("agents", "sentence"),
    [
        (["random"], "Tic-tac-toe is for 2 players, so it takes as many agents, not 1"),
        (["random", "randm"], "there is no agent 'randm'; did you mean 'random'?"),
        ([RandomAgent(make("hex")), "random"], "random was made for hex, it cannot play tictactoe"),
    ],
)
def test_a_mistake_is_told(agents: list[str | Agent], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        play_match(TICTACTOE, agents, 2, 0)
    assert sentence in str(caught.value)


def test_an_agent_file_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load_agent(path: str) -> Agent:
        loaded.append(path)
        return RandomAgent(TICTACTOE)

    monkeypatch.setattr("boardlab.agents.registry.load_agent", load_agent)
    result = play_match(TICTACTOE, ["learned.agent", "random"], 4, 0)
    assert loaded == ["learned.agent"]
    assert result.standings[0].name == "learned.agent"
    with pytest.raises(BoardlabError, match="was trained for tictactoe, it cannot play hex"):
        play_match(make("hex"), ["learned.agent", "random"], 4, 0)


# ------------------------------------------------------------ start positions


def test_positions_after_so_many_plies() -> None:
    assert [len(positions_after(TICTACTOE, plies)) for plies in range(4)] == [1, 9, 72, 504]
    assert len(positions_after(make("othello"), 4)) == 244
    assert len(positions_after(make("nimm3", pile=3), 1)) == 2  # to take all three ends the game


def test_random_starts_are_repeatable_and_unfinished() -> None:
    game = make("nimm3", pile=1)
    assert [int(p.state.left) for p in random_starts(game, 5, seed=1)] == [1] * 5
    starts = [[p.state.tobytes() for p in random_starts(make("nim"), 10, seed)] for seed in (1, 1, 2)]
    assert starts[0] == starts[1] != starts[2]


def test_a_start_that_cannot_be() -> None:
    over = position_after(TICTACTOE, "a1 b1 a2 b2 a3")
    with pytest.raises(BoardlabError, match="a match cannot start from a finished game"):
        play_match(TICTACTOE, ["random", "random"], 2, 0, starts=[over])
    with pytest.raises(BoardlabError, match="2048 has chance events, so no position can be named by its moves alone"):
        position_after(make("2048"), "left")


# ------------------------------------------------------------ the command


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_the_table() -> None:
    code, out, _ = run("match", "tictactoe", "random", "perfect", "--games", "20", "--seed", "1")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "Tic-tac-toe (tictactoe), 20 games, seed 1"
    titles = (
        "agent",
        "games",
        "mean score",
        "95 % interval",
        "won",
        "drawn",
        "lost",
        "success",
        "as X",
        "as O",
        "ms/move",
    )
    assert " ".join(lines[2].split()) == " ".join(titles)
    assert lines[3].startswith("random      20")
    assert lines[4].startswith("perfect     20")


def test_json() -> None:
    code, out, _ = run("match", "nim:players=3", "random", "random", "mc:rollouts=20", "--games", "12", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["game"], found["games"]) == ("nim:players=3", 12)
    assert [c["name"] for c in found["contestants"]] == ["random", "random", "mc:rollouts=20"]
    assert set(found["contestants"][0]["score"]) == {"mean", "low", "high", "games"}


def test_start_positions_by_their_moves() -> None:
    """X wins at once, whoever plays X perfectly."""
    code, out, _ = run(
        "match", "tictactoe", "perfect", "perfect", "--start", "a1 b2 a2 b1 c1 c2", "--games", "4", "--json"
    )
    assert code == 0
    assert [c["role_scores"] for c in json.loads(out)["contestants"]] == [[1.0, -1.0], [1.0, -1.0]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["match", "tictactoe", "random"], "boardlab: Tic-tac-toe is for 2 players"),
        (["match", "tictactoe", "random", "randm"], "boardlab: there is no agent 'randm'; did you mean 'random'?"),
        (["match", "tictactoe", "random", "random", "--start", "z9"], "boardlab: 'z9' is no action of Tic-tac-toe"),
        (["match", "hex", "random", "missing.agent"], "boardlab: "),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
def test_ctrl_c_stops_the_workers_too() -> None:
    """Sent to all processes, as a terminal does, as soon as the first worker is there."""
    command = [*BOARDLAB, "match", "connect4", "mcts:time=0.05", "mcts:time=0.05", "--games", "1000", "--workers", "2"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (workers := _children(process.pid)):
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    workers = workers | _children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err.strip()) == ("", "stopped")
    end = time.monotonic() + 30
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_pool_has_ended_when_an_interrupt_is_told(tmp_path: Path) -> None:
    """Its thread would else close a pipe while Python, at exit, writes to it: a traceback, now and then."""

    def interrupt(*_told: object) -> None:
        raise KeyboardInterrupt

    fixtures = [Fixture((0, 1), None, number=i) for i in range(50)]
    with pytest.raises(KeyboardInterrupt):
        _play_in_processes(("tictactoe", ["random", "random"], str(tmp_path)), fixtures, 1, 2, 0, interrupt)
    assert not [thread for thread in threading.enumerate() if type(thread).__name__ == "_ExecutorManagerThread"]
    assert not multiprocessing.active_children()


def _children(pid: int) -> set[int]:
    try:
        return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except FileNotFoundError:
        return set()


def test_the_random_agent_is_even_with_itself() -> None:
    first, second = play_match(make("connect4"), ["random", "random"], 100, 4).standings
    assert first.score.low < 0.0 < first.score.high
    assert first.score.mean == -second.score.mean
