"""Tournaments in machine code: the same games, to the bit, as move by move; who plays so, and what is measured."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from boardlab.registry import make
from boardlab.solvers.judge import judge_of
from boardlab.tournament import compiled
from boardlab.tournament.compiled import CompiledGames
from boardlab.tournament.journal import Journal, PlayedGame, read_journal
from boardlab.tournament.referee import play, play_here
from boardlab.tournament.running import Crew, open_crew, run_format
from boardlab.tournament.tournament import Tournament, play_tournament
from boardlab.tournament.wish import make_format, read_wish

TRIO = ["random", "mcts:iterations=20", "perfect"]
AGENTS = Path(__file__).parent / "tournament_agents.py"
TIMES = {"seconds", "cpu", "timed", "playing"}


def played(folder: Path, crew: Crew, wish: dict[str, Any]) -> dict[str, Any]:
    """The lines of a journal that this crew has played, without their times."""
    meant = read_wish(wish)
    with Journal(folder / "journal.jsonl") as journal:
        assert run_format(make_format(meant, make(meant.game)), journal, crew, limit=meant.move_limit) == []
    games = read_journal(folder / "journal.jsonl")
    assert all(sum(game.seconds) > 0.0 for game in games)
    return {game.id: game.model_dump(exclude=TIMES) for game in games}


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile from the first game on."""
    monkeypatch.setattr(compiled, "WORTH_COMPILING", 1)


def same_both_ways(folder: Path, wish: dict[str, Any]) -> None:
    threads = CompiledGames(2)
    found = played(folder / "compiled", Crew(None, threads), wish)
    assert threads.played == len(found) > 0
    assert found == played(folder / "moves", Crew(None, None), wish)


@pytest.mark.usefixtures("eager")
def test_the_games_are_those_of_move_by_move(tmp_path: Path) -> None:
    same_both_ways(tmp_path, {"game": "tictactoe", "agents": TRIO, "games": 12, "starts": "random:2"})


@pytest.mark.slow
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "wish",
    [
        {"game": "2048", "agents": ["random", "mcts:iterations=5,rollout_depth=4"], "games": 2},
        {"game": "nim:players=3", "agents": ["random", "mcts:iterations=20"], "starts": "evaluator:nim3p-perfect"},
        {"game": "connect4", "agents": ["c4-minimax", "mcts:iterations=50"], "games": 6, "starts": "random:4"},
    ],
    ids=["chance", "three players", "connect4"],
)
def test_other_games(tmp_path: Path, wish: dict[str, Any]) -> None:
    """With chance, with equal players on several seats, and with starts that have no history."""
    same_both_ways(tmp_path, wish)


@pytest.mark.usefixtures("eager")
def test_times_and_limits(tmp_path: Path) -> None:
    """The time of every move is taken. One that takes too long is a lost game, which ends with it."""
    found = play_tournament("tictactoe", *TRIO[:2], folder=tmp_path / "a", games=4, starts="random:2")
    for game in found.field.games:
        assert game.timed == game.moves and min(game.seconds) > 0.0
        assert sum(game.cpu) <= 2 * sum(game.seconds) + 1e-3
    slow, quick = [found.field.seconds_per_move(found.field.keys.index(key)) for key in (TRIO[1], TRIO[0])]
    assert slow > quick
    late = play_tournament("tictactoe", *TRIO[:2], folder=tmp_path / "b", games=4, move_limit=1e-9)
    for game in late.field.games:
        (forfeit,) = game.forfeits
        assert forfeit.seat == 0 and game.moves == [1, 0] and game.codes == [] and game.scores == [-1.0, 1.0]
        assert forfeit.reason == "took 0.0 seconds for a move, more than the limit of 1e-09"


def tasks(**wish: Any) -> deque[dict[str, Any]]:
    meant = read_wish({"game": "tictactoe", "games": 2, **wish})
    return deque(game.task() for game in make_format(meant, make(meant.game)).wanted({}))


@pytest.mark.parametrize(
    ("wish", "count"),
    [
        ({"agents": ["random", "mcts:iterations=20"]}, 2),
        ({"agents": ["random", "mcts"], "time": 0.01}, 0),
        ({"agents": ["random", "mcts"], "cpu_time": 0.01}, 0),
        ({"agents": ["random", "mcts:iterations=20", f"{AGENTS}:Fine"]}, 2),
        ({"agents": ["random", "mcts:iterations=20"], "adjudicate": 3}, 0),
    ],
)
@pytest.mark.usefixtures("eager")
def test_who_plays_in_machine_code(wish: dict[str, Any], count: int) -> None:
    """Not those who think by a clock, agents of a file, nor games that the solver may end."""
    waiting = tasks(**wish)
    games = len(waiting)
    assert len([*CompiledGames(1).play(waiting, 60.0)]) == count
    assert len(waiting) == games - count


def test_what_is_not_compiled_yet_is_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Move by move until it has taken a second, then in machine code."""
    monkeypatch.setattr(compiled, "compiled_seats", _never_ready(compiled.compiled_seats))
    threads = CompiledGames(1)
    waiting = tasks(agents=["random", "mcts:iterations=20"], games=40, starts="random:2")
    lines = []
    for line in play_here(waiting, 60.0, threads):
        lines.append(line)
        if len(lines) == 3:
            assert threads.played == 0
            threads._spent = 10.0
    assert len(lines) == 40 and threads.played == 37


def _never_ready(seats: Any) -> Any:
    return lambda game, agents, *, compile=True: seats(game, agents) if compile else None


@pytest.mark.usefixtures("eager")
def test_a_player_that_gives_up_is_asked_move_by_move(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise compiled.NotCompiled
        yield

    monkeypatch.setattr(compiled, "games_in_machine_code", broken)
    waiting = tasks(agents=["random", "mcts:iterations=20"])
    wanted = [play(task, 60.0) for task in waiting]
    found = [*play_here(waiting, 60.0, CompiledGames(1))]
    assert [line["events"] for line in found] == [line["events"] for line in wanted] and len(found) == 2


@pytest.mark.usefixtures("eager")
def test_the_sentence_about_speed(tmp_path: Path) -> None:
    meant = Tournament(read_wish({"game": "tictactoe", "agents": TRIO, "games": 20, "starts": "random:2"}), tmp_path)
    meant.play(workers=2)
    assert meant.speed.startswith("60 games in ") and "in machine code, 2 threads: " in meant.speed
    assert meant.speed.endswith("% of the CPU time went into playing.")


def test_processes_start_only_where_they_are_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiled, "WORTH_COMPILING", 1)
    with open_crew(2) as crew, Journal(tmp_path / "j") as journal:
        meant = read_wish({"game": "tictactoe", "agents": TRIO[:2], "games": 4})
        run_format(make_format(meant, make("tictactoe")), journal, crew, limit=60.0)
        assert crew.compiled is not None and crew.compiled.played == 4
        assert crew.executor is not None and crew.executor._threads == []  # type: ignore[attr-defined]


# ------------------------------------------------------------ adjudication


def test_adjudicated_games_are_others(tmp_path: Path) -> None:
    """They end with the word of the solver, and are told from those that were played out."""
    wish = {"folder": tmp_path, "games": 4, "starts": "random:2"}
    whole = play_tournament("tictactoe", *TRIO[:2], **wish)  # type: ignore[arg-type]
    both = play_tournament("tictactoe", *TRIO[:2], **wish, adjudicate=2)  # type: ignore[arg-type]
    ids = {game.id for game in whole.field.games}
    new = [game for game in both.field.games if game.id not in ids]
    assert (
        len(new) == 4
        and len(both.field.games) == 8
        and {g.set for g in new}.isdisjoint(g.set for g in whole.field.games)
    )
    ended = [game for game in new if game.adjudicated]
    assert ended and all(sum(game.moves) == 2 and game.adjudicate == 2 for game in ended)
    assert not any(game.adjudicated for game in whole.field.games)
    assert f"of 8 {'was' if len(ended) == 1 else 'were'} adjudicated by the solver" in str(both)
    assert both.to_json()["adjudicated"] == len(ended)
    _holds(ended)


def _holds(games: list[PlayedGame]) -> None:
    """The scores are those of perfect play from there on."""
    tictactoe = make("tictactoe")
    for game in games:
        position = tictactoe.start()
        for code in game.codes:
            position.play_code(code)
        assert not position.is_over and tuple(game.scores) == judge_of(tictactoe).scores(position)
