"""Tournaments as a whole: the same games whoever plays them, forfeits, kills, results, files, and the command."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.cli.main import app
from boardlab.store.games import GameStore
from boardlab.tournament import players
from boardlab.tournament.export import games_text, replay, sgf_text
from boardlab.tournament.journal import PlayedGame, read_journal
from boardlab.tournament.pictures import figures
from boardlab.tournament.result import Line, judge, pareto_front, short_names
from boardlab.tournament.tournament import Tournament, play_tournament
from boardlab.tournament.wish import read_wish
from boardlab.web.play.timeline import Timeline
from boardlab.web.server.models import event_of_code

BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]
AGENTS = Path(__file__).with_name("tournament_agents.py")
TINY = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('tiny_engine.py')))}"
TRIO = ["random", "mcts:iterations=20", "perfect"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tournament", *arguments])
    return result.exit_code, result.stdout, result.stderr


def contents(journal: Path) -> dict[str, Any]:
    """The games of a journal without their times."""
    return {game.id: (game.seats, game.scores, game.codes, game.set, game.moves) for game in read_journal(journal)}


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small tournament."""
    folder = tmp_path_factory.mktemp("trio")
    play_tournament("tictactoe", *TRIO, folder=folder, games=6, starts="random:2")
    return folder


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents of a file play in this process, which is quicker."""
    monkeypatch.setattr(players, "is_strange", lambda spec: False)


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


# ------------------------------------------------------------ those who break the rules


BROKEN = {
    "Dies": r"has ended \(code 3\)",
    "Hangs": "did not answer 'move' within 1 seconds and was stopped",
    "Wrong": "^action 77 is not legal here$",
    "Raises": r"choose \(tournament_agents.py, line \d+\) stopped with IndexError",
}


@pytest.mark.parametrize("names", [["Hangs"], pytest.param(["Dies", "Wrong", "Raises"], marks=pytest.mark.slow)])
def test_a_broken_agent_loses_and_stops_nobody(tmp_path: Path, names: list[str]) -> None:
    """Agents of a file that crash, hang, cheat and raise, and one that talks too much but plays well."""
    found = play_tournament(
        *("hex:size=3", "random", *(f"{AGENTS}:{name}" for name in ["Fine", *names])),
        **{"folder": tmp_path, "games": 2, "format": "gauntlet", "move_limit": 1.0},  # type: ignore[arg-type]
    )
    assert len(found.field.games) == 2 + 2 * len(names)
    reasons = {found.field.names[k].rpartition(":")[2]: r for k, r in found.field.forfeits().items()}
    assert set(reasons) == set(names)
    for name in names:
        (reason,) = reasons[name]
        assert re.search(BROKEN[name], reason), reason
    for game in found.field.games:
        if game.forfeits:
            assert game.scores[game.forfeits[0].seat] == -1.0 and game.scores[1 - game.forfeits[0].seat] == 1.0
    assert "lost 2 games by default; " in "\n".join(found.remarks())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["dies", "hangs", "illegal", "mumbles", "nonsense", "babbles"])
def test_a_broken_engine_loses_and_is_started_again(tmp_path: Path, mode: str) -> None:
    engine = f"engine:command={TINY} gtp hex --mode {mode},timeout=2"
    found = play_tournament("hex:size=3", "random", engine, folder=tmp_path, games=6)
    assert len(found.field.games) == 6
    forfeits = [forfeit for game in found.field.games for forfeit in game.forfeits]
    assert len(forfeits) >= 3 and all(forfeit.reason for forfeit in forfeits)
    assert found.lines[0].name == "random"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    found = play_tournament("hex:size=2", "random", "engine:command=no-such-program", folder=tmp_path, games=2)
    assert [line.forfeits for line in found.lines] == [0, 2]
    assert "there is no program 'no-such-program' here" in str(found)


def test_two_who_are_broken_are_both_to_blame(tmp_path: Path) -> None:
    """Whoever cannot begin has lost, on either seat; both get the same, so neither is the better one."""
    engines = ["engine:command=no-such-program", "engine:command=nor-this-one"]
    found = play_tournament("hex:size=2", *engines, folder=tmp_path, games=2)
    assert [line.forfeits for line in found.lines] == [2, 2]
    for game in found.field.games:
        assert [forfeit.seat for forfeit in game.forfeits] == [0, 1] and game.scores == [-1.0, -1.0]
        for seat, forfeit in enumerate(game.forfeits):
            assert game.seats[seat].partition("=")[2] in forfeit.reason
    assert games_text(found.game, found.field.games).count('[Result "1/2-1/2"]') == 2


@pytest.mark.slow
def test_of_two_who_are_broken_the_one_at_fault_is_blamed(tmp_path: Path) -> None:
    """One plays what is not legal with its first move, the other one dies with its second; whoever does it first."""
    found = play_tournament("hex:size=3", f"{AGENTS}:Dies", f"{AGENTS}:Wrong", folder=tmp_path, games=2)
    for game in found.field.games:
        (forfeit,) = game.forfeits
        assert game.seats[forfeit.seat].endswith("Wrong") and "not legal" in forfeit.reason


def test_a_slow_agent_of_ours_loses_too(tmp_path: Path) -> None:
    found = play_tournament("tictactoe", "random", "mcts:time=0.2", folder=tmp_path, games=2, move_limit=0.05)
    (reason,) = next(iter(found.field.forfeits().values()))
    assert "more than the limit of 0.05" in reason


@pytest.mark.slow
def test_an_agent_that_changed_is_another_one(tmp_path: Path) -> None:
    """Its games from before are those of another entrant with the same name."""
    file = tmp_path / "agents.py"
    text = AGENTS.read_text()
    file.write_text(text)
    play_tournament("hex:size=2", "random", f"{file}:Fine", folder=tmp_path, games=2)
    file.write_text(text.replace("[-1]", "[0]"))
    found = play_tournament("hex:size=2", "random", f"{file}:Fine", folder=tmp_path, games=2)
    assert len(found.field.games) == 4
    assert sorted(name.partition(" (")[0] for name in found.field.names) == [
        "agents.py:Fine",
        "agents.py:Fine",
        "random",
    ]
    assert len(set(found.field.names)) == 3


# ------------------------------------------------------------ kills


def killed(arguments: Sequence[str], journal: Path, seconds: float) -> bool:
    """Whether the command could be killed, so many seconds after its first game of this time, before it was done."""
    before = journal.stat().st_size if journal.exists() else 0
    process = subprocess.Popen(
        [*BOARDLAB, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and (not journal.exists() or journal.stat().st_size <= before):
        time.sleep(0.01)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True


@pytest.mark.slow
def test_30_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    """Two machines play the same tournament in two orders, each until it is killed, again and again. No line that was
    in a journal before a kill is lost, and the merged journal is that of an undisturbed tournament, game for game."""
    agents = ["random", "mcts:iterations=30", "mcts:iterations=300", "mcts:iterations=1000", "max-n:depth=2"]
    games, rng, kills = 20, random.Random(1), 0
    folders = [tmp_path / "one", tmp_path / "two"]

    def command(folder: Path, who: Sequence[str], workers: int) -> list[str]:
        options = ["--games", str(games), "--starts", "random:2", "--no-pictures", "--workers", str(workers)]
        return ["tournament", "connect4", *who, *options, "--folder", str(folder)]

    while kills < 30:
        folder, who = (folders[0], agents) if kills % 2 == 0 else (folders[1], agents[::-1])
        journal = folder / "journal.jsonl"
        before = contents(journal) if journal.exists() else {}
        ended = not killed(command(folder, who, 2), journal, rng.random())
        after = contents(journal)
        assert all(after[name] == game for name, game in before.items())
        kills += not ended and len(after) > len(before)
        games += 20 * ended
    merge = ["--merge", str(folders[1] / "journal.jsonl")]
    subprocess.run([*BOARDLAB, *command(folders[0], agents, 2), *merge], check=True, capture_output=True)
    subprocess.run([*BOARDLAB, *command(tmp_path / "three", agents, 1)], check=True, capture_output=True)
    found, wanted = (contents(folder / "journal.jsonl") for folder in (folders[0], tmp_path / "three"))
    print(f"30 kills, {games} games a pair, {len(wanted)} in all")
    assert found == wanted


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


# ------------------------------------------------------------ files


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


def test_the_page_and_the_pictures(trio: Path) -> None:
    code, out, _ = run("--folder", str(trio), "--export", str(trio / "g.jsonl"), "--export", str(trio / "g.txt"))
    assert code == 0
    assert "page.html" in out
    page = (trio / "page.html").read_text()
    assert page.count("<svg") == page.count("</svg>") == 3
    assert "mcts:iterations=20" in page and "http" not in re.sub(r'xmlns[^ >]*"', "", page)
    for name in ("ratings", "crosstable", "time"):
        assert (trio / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ET.fromstring((trio / f"{name}.svg").read_text())
    assert json.loads((trio / "result.json").read_text())["games"] == 18
    assert len(read_journal(trio / "g.jsonl")) == 18


# ------------------------------------------------------------ the command


def test_the_command(tmp_path: Path) -> None:
    arguments = ["tictactoe", "random", "perfect", "--games", "4", "--folder", str(tmp_path), "--workers", "1"]
    code, out, err = run(*arguments, "--no-pictures", "--json", "--anchor", "random=0")
    assert code == 0, err
    found = json.loads(out)
    assert [line["name"] for line in found["ratings"]] == ["perfect", "random"]
    file = tmp_path / "t.toml"
    file.write_text('game = "tictactoe"\nagents = ["random", "perfect"]\ngames = 4\nformat = "knockout"\n')
    code, out, _ = run(str(file), "--folder", str(tmp_path), "--workers", "1", "--no-pictures")
    assert code == 0
    assert "perfect has won the knockout" in out
    code, out, _ = run(*arguments[:3], "--games", "8", "--starts", "random:1", *arguments[5:], "--no-pictures")
    assert code == 0
    assert re.search(
        r"\n8 games in .* in (one process|machine code, one thread): .* then \d+% of the (CPU )?time went", out
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "boardlab: say which game and who plays it"),
        (["tictactoe", "random"], "boardlab: a tournament needs two agents at least"),
        (["tictactoe", "random", "perfect", "--format", "cup"], "boardlab: format of a tournament"),
        (["tictactoe", "random", "perfect", "--starts", "x"], "boardlab: starts are start, random:PLIES"),
        (["none.toml"], "boardlab: none.toml cannot be read"),
        (["tictactoe", "random", "perfect", "--anchor", "x"], "boardlab: the anchor is NAME or NAME=1500, with one of"),
        (["tictactoe", "random", "perfect", "--export", "g.doc"], "boardlab: games are exported to .jsonl, .txt, .pgn"),
        (["tictactoe", "random", "perfect", "--merge", "none"], "boardlab: the journal none cannot be read"),
        (["tictactoe"], "boardlab: there are no games of tictactoe yet"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    folder = ["--folder", str(tmp_path)] if arguments else []
    code, out, err = run(*arguments, *folder, *(["--games", "2", "--workers", "1", "--no-pictures"]))
    assert (code, out) == (2, "")
    assert err.startswith(sentence) and err.count("\n") == 1
    journal = tmp_path / "journal.jsonl"
    assert not journal.exists() or not read_journal(journal)  # nobody waits for games to be told of a mistake


def test_games_for_the_arena(trio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDLAB_DATA", str(tmp_path))
    arguments = ["--folder", str(trio), "--no-pictures", "--arena"]
    assert "18 games are new in the arena" in run(*arguments)[1]
    assert "0 games are new in the arena" in run(*arguments)[1]
    store = GameStore(tmp_path / "games.sqlite", 100)
    store.open()
    total, found = store.page(100, 0)
    assert total == 18
    game, played = make("tictactoe"), {game.id[:12]: game for game in read_journal(trio / "journal.jsonl")}
    for kept in found:
        timeline = Timeline.of(game, [event_of_code(code) for code in store.events(kept.id)])
        assert [event.code for event in timeline.events] == played[kept.id].codes
        assert [seat.score for seat in kept.seats] == played[kept.id].scores
    store.close()


def test_another_game_needs_another_folder(trio: Path, tmp_path: Path) -> None:
    code, _, err = run("nim", "random", "max-n", "--folder", str(trio), "--workers", "1")
    assert code == 2
    assert "has games of tictactoe; take another --folder for nim" in err
    code, _, err = run("nim", "random", "max-n", "--folder", str(tmp_path), "--merge", str(trio / "journal.jsonl"))
    assert code == 2
    assert "has games of tictactoe; take another --folder for nim" in err
    assert not (tmp_path / "journal.jsonl").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    command = [*BOARDLAB, "tournament", "connect4", "mcts:iterations=20", "mcts:iterations=30", "--games", "100000"]
    process = subprocess.Popen(
        [*command, "--folder", str(tmp_path), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = tmp_path / "journal.jsonl"
    end = time.monotonic() + 120
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"stopped; [\d,]+ games are kept in", out)
    assert err.strip() == "stopped"
    assert len(read_journal(journal)) >= 20
