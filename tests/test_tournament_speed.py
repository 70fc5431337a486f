"""How much of the time of a tournament goes into playing."""

from __future__ import annotations

from pathlib import Path

import pytest

from boardlab.tournament import speed
from boardlab.tournament.journal import read_journal
from boardlab.tournament.running import open_crew
from boardlab.tournament.tournament import Tournament, play_tournament
from boardlab.tournament.wish import read_wish

DUO = ["random", "mcts:iterations=20"]


@pytest.fixture(scope="module")
def duo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small tournament."""
    folder = tmp_path_factory.mktemp("duo")
    play_tournament("tictactoe", *DUO, folder=folder, games=6, starts="random:2")
    return folder


def test_how_much_of_the_time_goes_into_playing(duo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes; the first game is over after 3 seconds, five more of half a second come in the next two."""
    clock = [100.0]
    monkeypatch.setattr(speed, "perf_counter", lambda: clock[0])
    heard: list[int] = []
    watch = speed.Speed(lambda game, done, total: heard.append(done))
    game = read_journal(duo / "journal.jsonl")[0]
    with open_crew(2) as crew:
        assert watch.words(crew) == ""
        for done, seconds in enumerate([3.0, 0.0, 0.5, 0.5, 0.5, 0.5], 1):
            clock[0] += seconds
            watch.saw(game.model_copy(update={"playing": 0.5}), done, 6)
        assert watch.words(crew) == (
            "6 games in 5.0 s in 2 processes: 3.0 s until the first was over, then 62% of the time went into playing."
        )
    assert watch.share(1) == 1.0 and heard == [1, 2, 3, 4, 5, 6]


def test_every_game_says_how_long_it_took_and_nothing_is_said_where_none_was_played(duo: Path) -> None:
    games = read_journal(duo / "journal.jsonl")
    assert all(game.playing > 0.0 and game.playing >= sum(game.seconds) - 1e-8 for game in games)  # both are rounded
    assert sum(game.playing for game in games) < 2 * sum(sum(game.seconds) for game in games) + 1.0
    meant = Tournament(read_wish({"game": "tictactoe", "agents": DUO, "games": 6, "starts": "random:2"}), duo)
    meant.play()
    assert meant.speed == ""  # nothing was played now
