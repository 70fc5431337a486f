"""The store of played games, without anything of the arena: what goes in comes out, and a database file is strict."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from boardlab.errors import BoardlabError
from boardlab.store.games import GameCount, GameStore, HallLine, StoredGame, StoredSeat
from boardlab.store.games_database import GamesDatabase

ANN, BOT = StoredSeat("person", "Ann", 1.0, 1.0), StoredSeat("agent", "bot", -1.0, 0.0)
GAME = StoredGame(
    id="a",
    game="2048:size=3",
    title="2048",
    seats=(ANN, BOT),
    plies=4,
    seed=7,
    source="table",
    finished=True,
    resigned=None,
    match=None,
    place=None,
    created="2026-01-01T00:00:00.000+00:00",
)
EVENTS = [-1, 3, -13, 0]


def test_games_come_out_as_they_went_in_after_a_restart_too(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite", 100)
    store.open()
    other = replace(GAME, id="b", game="nim", title="Nim", seats=(ANN,), resigned=0, finished=False, seed=None)
    store.add(GAME, EVENTS)
    store.add(other, [])
    store.close()
    with pytest.raises(BoardlabError, match="is not open"):
        store.get("a")
    store.open()
    assert (store.get("a"), store.events("a")) == (GAME, EVENTS)
    assert (store.get("b"), store.events("b")) == (other, [])
    assert (store.get("c"), store.events("c")) == (None, [])
    assert store.page(10, 0) == (2, [other, GAME]), "the newest first"
    assert store.page(1, 1) == (2, [GAME])
    assert store.page(10, 0, game="nim") == (1, [other])
    assert store.counts() == [GameCount("2048:size=3", "2048", 1), GameCount("nim", "Nim", 1)]
    assert store.hall("2048:size=3") == [HallLine("bot", "2048:size=3", "2048", "Ann", 1, 1, 0, 0, 1.0)]
    assert store.delete("a") and not store.delete("a")
    assert store.page(10, 0) == (1, [other])
    store.close()


def test_the_oldest_give_way_and_a_match_goes_with_its_games(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite", 3)
    store.open()
    store.save_match("m", "first")
    store.save_match("n", "other")
    store.save_match("m", "second")
    assert store.matches() == ["second", "other"]
    for k in range(5):
        store.add(replace(GAME, id=str(k), source="match", match="m" if k % 2 else "n", place=9 - k), EVENTS)
    assert [game.id for game in store.page(10, 0)[1]] == ["4", "3", "2"]
    assert (store.games_of_match("m"), store.games_of_match("n")) == (["3"], ["4", "2"])
    store.delete_match("n")
    assert (store.matches(), [game.id for game in store.page(10, 0)[1]]) == (["second"], ["3"])
    for name in ("x", "y"):
        store.add(replace(GAME, id=name), EVENTS)
    assert [game.id for game in store.page(10, 0)[1]] == ["y", "x", "3"], "there was room again"
    store.close()


def test_a_newer_or_foreign_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    database = GamesDatabase(path)
    database.open()
    database.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(BoardlabError, match="newer boardlab: it has version 99"):
        GamesDatabase(path).open()
    text = b"this is not a database" * 100
    path.write_bytes(text)
    with pytest.raises(BoardlabError, match="cannot be used as the database"):
        GamesDatabase(path).open()
    assert path.read_bytes() == text
