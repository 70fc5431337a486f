"""Tournaments as a whole: the same games whoever plays them, results, and the moves of games as text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from small_tournaments import AGENTS, TRIO, contents

from boardlab import BoardlabError, make
from boardlab.tournament.export import games_text, replay, sgf_text
from boardlab.tournament.journal import PlayedGame, read_journal
from boardlab.tournament.pictures import figures
from boardlab.tournament.result import Line, judge, pareto_front, short_names
from boardlab.tournament.tournament import Tournament, play_tournament
from boardlab.tournament.wish import read_wish

# ------------------------------------------------------------ the same games whoever plays them


def test_the_number_of_workers_does_not_matter(trio: Path, tmp_path: Path) -> None:
    play_tournament("tictactoe", *TRIO, folder=tmp_path, games=6, starts="random:2", workers=2)
    assert contents(tmp_path / "journal.jsonl") == contents(trio / "journal.jsonl")


def test_the_same_call_goes_on(trio: Path, tmp_path: Path) -> None:
    """After half of the journal is lost, in any order, with an agent more and more games."""
    lines = (trio / "journal.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_text("".join(lines[::-2]) + lines[0][:50])
    seen: list[tuple[int, int]] = []
    meant = Tournament(
        read_wish({"game": "tictactoe", "agents": TRIO, "games": 6, "starts": "random:2"}), folder=tmp_path
    )
    meant.play(told=lambda game, done, total: seen.append((done, total)))
    assert contents(tmp_path / "journal.jsonl") == contents(trio / "journal.jsonl")
    assert seen == [(done, 18) for done in range(10, 19)]
    meant.play(told=lambda *_: pytest.fail("all games were there"))
    more = play_tournament("tictactoe", "random", "perfect", folder=tmp_path, games=8, starts="random:2")
    assert len(more.field.games) == 18 + 2
    assert set(contents(trio / "journal.jsonl")) < set(contents(tmp_path / "journal.jsonl"))


def test_seeds_and_sets(trio: Path) -> None:
    games = read_journal(trio / "journal.jsonl")
    sets: dict[str, list[PlayedGame]] = {}
    for game in games:
        sets.setdefault(game.set, []).append(game)
    assert len(games) == 18 and len(sets) == 9
    for one, other in sets.values():
        assert one.seats == other.seats[::-1]
        assert one.codes[: one.start] == other.codes[: other.start] and one.start == 2
        assert all(n >= 1 for n in one.moves)
        assert sum(one.moves) == len(one.codes) - one.start


@pytest.mark.usefixtures("trusted")
def test_three_players_and_starts_without_history(tmp_path: Path) -> None:
    """Two agents take three seats in turn."""
    found = play_tournament(
        "nim:players=3", "random", f"{AGENTS}:Fine", folder=tmp_path, games=3, starts="evaluator:nim3p-perfect"
    )
    assert len({tuple(game.seats) for game in found.field.games}) == len(found.field.games) == 6
    assert len(found.ratings.seats) == 3
    assert str(found).count("is worth") == 3
    assert all(replay(found.game, game).scores == game.scores for game in found.field.games)


@pytest.mark.usefixtures("trusted")
def test_those_who_play_alone(tmp_path: Path) -> None:
    found = play_tournament("2048", "random", f"{AGENTS}:Fine", folder=tmp_path, games=2)
    games = found.field.games
    assert len(games) == 4 and found.field.sets == 2
    first = {game.set: game.codes[:2] for game in games if game.seats == ["random"]}
    assert all(game.codes[:2] == first[game.set] for game in games)  # the same dice
    assert found.ratings.seats == () and found.meetings[0, 1].games == 2
    assert "mean score" in str(found)


# ------------------------------------------------------------ results


def test_what_the_result_says(trio: Path) -> None:
    found = judge(make("tictactoe"), read_journal(trio / "journal.jsonl"), anchor="random=1000", samples=100)
    text = str(found)
    assert text.startswith("Tic-tac-toe (tictactoe), 18 games in 9 sets")
    assert [line.name for line in found.lines][-1] == "random"
    assert found.lines[-1].elo == 1000
    total = sum(meeting.points for meeting in found.meetings.values())
    assert total == 18
    for (one, other), meeting in found.meetings.items():
        assert meeting.won == found.meetings[other, one].lost
        assert found.ratings.superiority(one, other) == pytest.approx(1 - found.ratings.superiority(other, one))
    assert "To move first is worth" in text
    data = found.to_json()
    assert json.loads(json.dumps(data)) == data
    rows = list(csv.DictReader(io.StringIO(found.ratings_csv())))
    assert [row["name"] for row in rows] == [line.name for line in found.lines]
    pairs = list(csv.DictReader(io.StringIO(found.crosstable_csv())))
    assert len(pairs) == 6 and sum(float(row["points"]) for row in pairs) == 18


def test_games_that_repeat_each_other_are_told(trio: Path) -> None:
    games = read_journal(trio / "journal.jsonl")
    copies = [game.model_copy(update={"id": f"{number:024x}"}) for number, game in enumerate(games[:3])]
    assert judge(make("tictactoe"), games, samples=2).field.repeated() == 0
    found = judge(make("tictactoe"), [*games, *copies], samples=2)
    assert found.field.repeated() == 3
    assert "3 games repeated an earlier one of the same players move for move" in str(found)


def test_those_who_never_met_are_told_apart(trio: Path) -> None:
    games = [game for game in read_journal(trio / "journal.jsonl") if set(game.seats) == {"random", "perfect"}]
    others = [game.model_copy(update={"agents": ["x", "y"], "seats": ["x", "y"], "set": "0" * 24}) for game in games]
    found = judge(make("tictactoe"), [*games, *others], samples=2)
    assert sorted(map(sorted, found.field.groups())) == [[0, 1], [2, 3]]
    assert "There are 2 groups of agents that did not meet" in str(found)
    assert "did not meet" not in str(judge(make("tictactoe"), games, samples=2))


def test_short_names_can_be_told_apart() -> None:
    engines = [f"engine:command=/opt/engines/my-engine --mode {mode},timeout=20.0" for mode in ("weak", "strong")]
    alike = [f"{letter * 20}{'m' * 30}{'z' * 40}" for letter in "ab"]
    found = short_names(["random", *engines, *alike, "x" * 60, "y" * 60])
    assert found[0] == "random" and len(set(found)) == 7
    assert found[1] == "..." + engines[0][-37:] and "--mode weak" in found[1]
    assert found[3].startswith("a") and len(found[3]) == 40
    both_ends = ["p" * 30 + middle + "q" * 50 for middle in "12"]
    assert short_names(both_ends) == both_ends


def test_many_agents_have_numbers_beside_their_times(trio: Path) -> None:
    """Names would cover each other; where times are close, the axis has numbers all the same."""
    games = read_journal(trio / "journal.jsonl")
    many = [
        game.model_copy(update={"agents": [f"{k} {x}" for x in game.agents], "seats": [f"{k} {x}" for x in game.seats]})
        for k in range(4)
        for game in games
    ]
    few_texts, many_texts = (
        [text.get_text() for text in figures(judge(make("tictactoe"), found, samples=2))["time"].axes[0].texts]
        for found in (games, many)
    )
    assert sorted(few_texts) == sorted(TRIO)
    assert many_texts == [str(place) for place in range(1, 13)]


def test_the_pareto_front() -> None:
    def line(name: str, elo: float, time: float) -> Line:
        rest: dict[str, Any] = dict.fromkeys(Line.__dataclass_fields__, 0.0)
        return Line(**{**rest, "name": name, "elo": elo, "milliseconds": time})

    lines = [line("a", 0, 1), line("b", 100, 10), line("c", 90, 20), line("d", 200, 50), line("e", -5, 1)]
    assert [x.name for x in pareto_front(lines)] == ["a", "b", "d"]


def test_cpu_time_is_a_budget(tmp_path: Path) -> None:
    found = play_tournament("tictactoe", "random", "mcts", folder=tmp_path, games=2, cpu_time=0.02)
    assert [line.name for line in found.lines] == ["mcts:time=0.02 by CPU time", "random"]
    assert found.lines[0].cpu_milliseconds == pytest.approx(20, abs=10)


# ------------------------------------------------------------ moves as text


def test_moves_by_name(trio: Path) -> None:
    game, games = make("tictactoe"), read_journal(trio / "journal.jsonl")
    text = games_text(game, games)
    parts = text.split("[Game ")[1:]
    assert len(parts) == len(games)
    for part, played in zip(parts, games, strict=True):
        tags, _, moves = part.partition("\n\n")
        assert f'[X "{played.seats[0]}"]\n[O "{played.seats[1]}"]' in tags
        names = [word for word in moves.split() if not word.endswith(".")]
        result = names.pop()
        position = game.start()
        for name in names:
            position.play(name)
        assert position.is_over and position.scores == played.scores
        assert result == {1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}[played.scores[0]]
        assert replay(game, played).history == position.history


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("spec", ["hex:size=4", "othello:size=6"])
def test_sgf(tmp_path: Path, spec: str) -> None:
    """Read by a parser that knows nothing of ours."""
    game = make(spec)
    found = play_tournament(spec, "random", f"{AGENTS}:Fine", folder=tmp_path, games=2, starts="random:3")
    games = found.field.games
    trees = sgf_text(game, games).splitlines()
    assert len(trees) == 2
    for tree, played in zip(trees, games, strict=True):
        nodes = [re.findall(r"([A-Z]+)((?:\[[^]]*\])+)", node) for node in tree.strip("()").split(";")[1:]]
        root, moves = dict(nodes[0]), [node[0] for node in nodes[1:]]
        assert root["FF"] == "[4]" and root["SZ"] == f"[{game.grid[0]}]"
        assert root["PB"] == f"[{played.seats[0]}]" or "\\:" in root["PB"]
        assert root["RE"] == ("[0]" if played.scores[0] == 0 else "[B+]" if played.scores[0] > 0 else "[W+]")
        position = game.start()
        for colour, value in moves:
            point = value.strip("[]")
            if not point:  # a pass, where our rules skip the player
                assert position.player == (1 if colour == "B" else 0)
                continue
            assert position.player == (0 if colour == "B" else 1)
            column, row = point[0], point[1:]
            number = int(row) if row.isdigit() else ord(row) - ord("a") + 1
            position.play(f"{column}{number}")
        assert [event.code for event in position.history] == played.codes
    with pytest.raises(BoardlabError, match="SGF is written for hex and othello, not for nim"):
        sgf_text(make("nim"), games)
