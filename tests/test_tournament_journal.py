"""The journal: what was written stays, what was half written goes, nothing counts twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from processes import largest_file

from boardlab import BoardlabError, make
from boardlab.executors.process import answer
from boardlab.store.game_files import read_games
from boardlab.tournament.journal import Journal, read_journal
from boardlab.tournament.wish import make_format, read_wish


def line(number: int, **other: Any) -> dict[str, Any]:
    return {
        **{"id": f"{number:024x}", "set": f"{number // 2:024x}", "game": "tictactoe", "number": 0, "seed": 1},
        **{"seats": ["a", "b"], "agents": ["a", "b"], "start": 0, "events": [{"action": 4}, {"action": number % 4}]},
        **{"scores": [1.0, -1.0], "moves": [1, 1], "timed": [1, 1], "seconds": [0.1, 0.2], "cpu": [0.1, 0.2]},
        **other,
    }


def written(path: Path, count: int) -> bytes:
    with Journal(path) as journal:
        for number in range(count):
            journal.add(line(number))
    return path.read_bytes()


def test_games_are_kept_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "t" / "journal.jsonl"
    written(path, 3)
    with Journal(path) as journal:
        assert list(journal.games) == [f"{number:024x}" for number in range(3)]
        assert journal.add(line(1, scores=[0.0, 0.0])) is None  # known already
        assert journal.add(line(3)) is not None
    found = read_journal(path)
    assert [game.scores for game in found] == [[1.0, -1.0]] * 4
    assert found[3].codes == [4, 3]
    assert len(read_games(path)) == 4  # a journal is a file of recorded games, too


def test_whatever_is_left_of_a_last_line_the_others_stay(tmp_path: Path) -> None:
    whole = written(tmp_path / "j", 3)
    begin = whole[:-1].rindex(b"\n") + 1
    for end in range(begin, len(whole) + 1):
        path = tmp_path / "torn"
        path.write_bytes(whole[:end])
        with Journal(path) as journal:
            kept = len(journal.games)
            assert kept == (3 if end >= len(whole) - 1 else 2)
            journal.add(line(7))
        assert [game.id for game in read_journal(path)][kept:] == [f"{7:024x}"]


def test_a_line_is_there_as_soon_as_it_is_added(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path) as journal:
        journal.add(line(0))
        assert path.read_bytes().endswith(b"}\n")


def test_journals_of_several_machines(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    written(one, 4)
    with Journal(other) as journal:
        for number in range(2, 6):
            journal.add(line(number, state="00ff", forfeit={"seat": 1, "reason": "silence"}))
    with Journal(one) as journal:
        assert journal.merge([other, one]) == 2
        assert journal.merge([other]) == 0
    found = read_journal(one)
    assert [game.id for game in found] == [f"{number:024x}" for number in range(6)]
    assert [forfeit.reason for forfeit in found[5].forfeits] == ["silence"] and found[5].state == "00ff"


def test_games_that_a_killed_tournament_left_with_its_workers(tmp_path: Path) -> None:
    """What a worker has written for itself, a torn line included, is in the journal when it is opened again."""
    path = tmp_path / "j"
    written(path, 2)
    spool = tmp_path / ".j.spool"
    spool.mkdir()
    (spool / "17.jsonl").write_text(f"{json.dumps(line(1))}\n{json.dumps(line(5))}\n")
    (spool / "18.jsonl").write_text(f"{json.dumps(line(6))}\n{json.dumps(line(7))[:40]}")
    with Journal(path) as journal:
        assert [int(name, 16) for name in journal.games] == [0, 1, 5, 6]
        assert not spool.exists()
    assert len(read_journal(path)) == 4


def test_only_one_writes(tmp_path: Path) -> None:
    with Journal(tmp_path / "j"), pytest.raises(BoardlabError, match="another tournament is writing to"):
        Journal(tmp_path / "j")
    Journal(tmp_path / "j").close()


@pytest.mark.parametrize("wrong", ["{}", "nonsense", json.dumps(line(1, scores="high")), json.dumps(line(1, id="x"))])
def test_what_is_no_journal_is_refused(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "j"
    path.write_text(f"{json.dumps(line(0))}\n{wrong}\n")
    for read in (read_journal, Journal):
        with pytest.raises(BoardlabError, match=r"line 2 of .* is no game of a tournament"):
            read(path)
    assert path.read_text().endswith(f"{wrong}\n")  # untouched


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BoardlabError, match="cannot be read: No such file"):
        read_journal(tmp_path / "j")
    with pytest.raises(BoardlabError, match="cannot be written"):
        Journal(tmp_path)


def test_a_full_disk_under_a_worker_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Games that were kept before stay, and the next ones are kept behind them."""
    meant = read_wish({"game": "tictactoe", "agents": ["random", "mcts:iterations=20"], "games": 4})
    games = [game.task() for game in make_format(meant, make("tictactoe")).wanted({})]
    spool = tmp_path / ".j.spool"

    def play(first: int) -> dict[str, Any]:
        arguments = {"games": games[first : first + 2], "limit": 60.0, "spool": str(spool)}
        return answer({"function": "boardlab.tournament.referee:play_several", "arguments": arguments})

    assert len(play(0)["result"]) == 2
    (file,) = spool.iterdir()
    with largest_file(file.stat().st_size + 100):
        assert play(2) == {"failure": f"the file of played games {file} cannot be written: File too large"}
    assert capfd.readouterr() == ("", "")
    assert len(play(2)["result"]) == 2
    with Journal(tmp_path / "j") as journal:
        assert set(journal.games) == {game["id"] for game in games}
