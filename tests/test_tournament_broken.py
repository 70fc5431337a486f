"""Tournaments with agents that crash, hang, cheat or are not there: they lose, and stop nobody."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from small_tournaments import AGENTS

from boardlab.tournament.export import games_text
from boardlab.tournament.tournament import play_tournament

TINY = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('tiny_engine.py')))}"

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
