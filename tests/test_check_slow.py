"""100,000 random games of every game keep all invariants of `check_game`."""

from __future__ import annotations

import pytest

from boardlab import check_game, make
from boardlab.registry import game_classes

VARIANTS = [
    "connect4:coding=3",
    "connect4:columns=5,rows=4",
    "nim:heaps=4,stones=3,permute=true",
    "nim:players=3",
    "nim:players=3,extra_rule=false",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*game_classes(), *VARIANTS])
def test_100_000_games(name: str) -> None:
    report = check_game(make(name), games=100_000)
    assert report.games == 100_000
