"""Leagues and the ladder of people in the database: whole games or nothing, history, databases of older versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from boardlab.store.games import GameStore, StoredGame, StoredSeat
from boardlab.store.games_database import STEPS, VERSION
from boardlab.store.ladder import LadderGame, LadderStore, Met, Standing
from boardlab.store.league import LeagueResult, LeagueRow, LeagueStore, Member, PlayedGame

GAME = StoredGame(
    id="a" * 12,
    game="tictactoe",
    title="Tic-tac-toe",
    seats=(StoredSeat("agent", "one", 1.0, 1.0), StoredSeat("agent", "two", -1.0, 0.0)),
    plies=5,
    seed=1,
    source="match",
    finished=True,
    resigned=None,
    match=None,
    place=None,
    created="2026-01-01",
)
ONE = Member("one", "tictactoe", "key one", "One", "{}", "", "2026", None, 1500.0, 350.0, 0.004)
TWO = replace(ONE, id="two", key="key two", label="Two")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    made = GameStore(tmp_path / "games.sqlite", 100)
    made.open()
    yield made
    made.close()


def played(number: int, winner: Member = ONE, loser: Member = TWO) -> PlayedGame:
    record = replace(GAME, id=f"record{number:06}")
    after = replace(winner, rating=1500.0 + number), replace(loser, rating=1500.0 - number)
    results = [
        LeagueResult(m.id, record.id, s, p, m.rating, 100.0)
        for m, s, p in zip(after, (1.0, -1.0), (1.0, 0.0), strict=True)
    ]
    return PlayedGame("tictactoe", "one two", 5, None, "2026", tuple(results), after, ((record, [0, 3, 1, 4, 2]),))


def founded(store: GameStore) -> LeagueStore:
    leagues = LeagueStore(store)
    leagues.save_member(ONE, LeagueRow("tictactoe", 3, False, None))
    leagues.save_member(TWO)
    return leagues


def test_a_game_changes_everything_at_once(store: GameStore) -> None:
    leagues = founded(store)
    for number in range(1, 31):
        leagues.count(played(number))
    assert leagues.meetings("tictactoe") == {"one two": 30}
    assert [(m.id, m.rating) for m in leagues.members("tictactoe")] == [("one", 1530.0), ("two", 1470.0)]
    tally = leagues.tallies_of("tictactoe", 20)
    assert (tally["one"].games, tally["one"].won, tally["one"].lost, tally["one"].trend) == (30, 30, 0, 20.0)
    assert tally["two"].trend == -20.0
    assert leagues.tallies_of("tictactoe", 40)["one"].trend is None
    total, games = leagues.games("tictactoe", 2, 3)
    assert (total, [g.number for g in games]) == (30, [27, 26])
    assert [r.record for r in games[0].results] == ["record000027"] * 2
    store.delete("record000027")
    assert [r.record for r in leagues.games("tictactoe", 1, 3)[1][0].results] == ["", ""]
    history = [p for p in leagues.history("tictactoe", 10) if p.member == "one"]
    assert [p.number for p in history] == [*range(3, 31, 3)]
    assert [p.rating for p in history] == [1500.0 + n for n in range(3, 31, 3)]
    (line,) = leagues.tallies()
    assert (line.members, line.games, line.plays) == (2, 30, False)


def test_a_game_that_cannot_be_stored_leaves_nothing(store: GameStore) -> None:
    leagues = founded(store)
    leagues.count(played(1))
    with pytest.raises(sqlite3.IntegrityError):
        leagues.count(replace(played(2), stored=played(1).stored))  # this stored game is there already
    assert leagues.meetings("tictactoe") == {"one two": 1}
    assert leagues.member("one") == replace(ONE, rating=1501.0)
    assert leagues.games("tictactoe", 9, 0)[0] == 1
    assert store.page(10, 0)[0] == 1


def test_the_ladder_counts_in_order_and_once(store: GameStore) -> None:
    ladder = LadderStore(store.database)
    person = replace(GAME, seats=(StoredSeat("person", "Ann", 1.0, 1.0), GAME.seats[1]))
    for number in range(3):
        game = replace(person, id=f"game{number:08}")
        note = LadderGame(game.id, "tictactoe", "Ann", (Met("key one", "One", 1.0),), float(number == 0), "2026")
        assert store.add(game, [], note)
        assert not store.add(game, [], note)
    ratings = []
    while (waiting := ladder.next()) is not None:
        before = waiting.before
        ratings.append(before.rating if before else None)
        after = Standing(1500.0 + waiting.number, 300.0, 0.06)
        ladder.count(waiting.number, after, [replace(waiting.game.opponents[0], rating=1600.0, deviation=50.0)])
        ladder.count(waiting.number, replace(after, rating=0.0), [])  # too late
    assert ratings == [None, 1501.0, 1502.0]
    (line,) = ladder.people("tictactoe")
    assert (line.person, line.standing.rating, line.games, line.won, line.lost) == ("Ann", 1503.0, 3, 1, 2)
    games = ladder.games_of("tictactoe", "Ann", 2)
    assert [g.record for g in games] == ["game00000002", "game00000001"]
    assert games[0].opponents[0].rating == 1600.0
    assert (ladder.counts(), ladder.people("nim")) == ({"tictactoe": 1}, [])
    store.delete("game00000002")
    assert len(ladder.games_of("tictactoe", "Ann", 9)) == 3, "what was counted stays"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_databases_of_older_versions_are_taken_over(tmp_path: Path, version: int) -> None:
    path = tmp_path / "games.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(f"{''.join(STEPS[:version])}PRAGMA user_version = {version};")
    connection.execute("INSERT INTO matches (id, body) VALUES ('m', 'body')")
    connection.commit()
    connection.close()
    store = GameStore(path, 10)
    store.open()
    assert store.matches() == ["body"]
    assert founded(store).members("tictactoe") == [ONE, TWO]
    store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()
