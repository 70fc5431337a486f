"""Shared by the tests of tournaments: a small one, those who play, and what of its games must be equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from boardlab.tournament import players
from boardlab.tournament.journal import read_journal
from boardlab.tournament.tournament import play_tournament

__all__ = ["AGENTS", "TRIO", "contents", "trio", "trusted"]

AGENTS = Path(__file__).with_name("tournament_agents.py")
TRIO = ["random", "mcts:iterations=20", "perfect"]


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
