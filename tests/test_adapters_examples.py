"""The scripts in `examples/` run, and do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str) -> dict[str, Any]:
    """What a script defines."""
    return runpy.run_path(str(EXAMPLES / name))


def test_a_tournament_in_pettingzoo() -> None:
    pytest.importorskip("pettingzoo")
    means = example("pettingzoo_tournament.py")["main"](3)
    assert sum(means.values()) == pytest.approx(0.0)
    assert means["mcts"] > means["random"]


def test_cfr_solves_a_game_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    found = example("openspiel_cfr.py")["main"](16)
    assert len(found) == 6 and found[-1] < 0.1 * found[0]
    assert "CFR takes 2 of 6 stones and leaves 4;" in capsys.readouterr().out


@pytest.mark.slow
def test_ppo_learns_tictactoe() -> None:
    pytest.importorskip("gymnasium")
    pytest.importorskip("sb3_contrib")
    before, after = example("maskable_ppo_tictactoe.py")["main"](24_000)
    assert after > max(before + 0.15, 0.55)


@pytest.mark.slow
def test_stable_baselines3_has_nothing_to_say() -> None:
    pytest.importorskip("gymnasium")
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    from boardlab.adapters.gymnasium import BoardEnv

    for spec in ("tictactoe", "2048", "nim:players=3"):
        for observation in ("cells", "features"):
            checker.check_env(BoardEnv(spec, observation=observation), warn=False)


def test_every_example_is_tested_here() -> None:
    tested = Path(__file__).read_text(encoding="utf-8")
    assert all(f'example("{path.name}")' in tested for path in EXAMPLES.glob("*.py"))
