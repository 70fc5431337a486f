"""The players that come with boardlab: their files, the gallery of the arena, and going on with a training."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boardlab import make, make_agent, make_rng
from boardlab.agents.files import load_agent
from boardlab.agents.levels import exact_player, levels
from boardlab.agents.packaged import FOLDER, packaged_agents
from boardlab.lab.history import history_of
from boardlab.lab.presets import preset_settings
from boardlab.registry import game_classes

pytest.importorskip("fastapi")
from arena_client import Client, eventually, open_client, said

MOST_BYTES = 8_000_000


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.mark.parametrize("name", sorted(game_classes()))
def test_every_game_has_a_perfect_player_or_a_trained_one(name: str) -> None:
    game = make(name)
    assert exact_player(game) or packaged_agents(game)


def test_the_files_are_small_and_the_package_has_nothing_else_there() -> None:
    files = list(FOLDER.iterdir())
    assert {file.suffix for file in files} == {".agent"}, files
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
    assert len(files) == len(packaged_agents()), "each of them can be read"


@pytest.mark.parametrize("agent", packaged_agents(), ids=lambda agent: agent.name)
def test_a_trained_agent_tells_how_it_was_trained(agent: object) -> None:
    made = load_agent(agent.path)  # type: ignore[attr-defined]
    history = history_of(made)
    assert history.preset == "small"
    assert made.episodes >= preset_settings(made.game, "small")["episodes"]
    assert history.evaluations and history.evaluator
    assert made.game.spec == agent.game  # type: ignore[attr-defined]


def test_the_tool_finds_nothing_to_do() -> None:
    """All agents are finished; it says so without training anything."""
    root = Path(__file__).parent.parent
    command = [sys.executable, str(root / "tools" / "train_agents.py")]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout
    assert "boardlab train" not in told and "in all" in told
    wrong = subprocess.run([*command, "chess"], capture_output=True, text=True, check=False, cwd=root)
    assert wrong.returncode == 1 and "there is no agent chess" in wrong.stderr


def test_the_gallery_shows_all_of_them(client: Client) -> None:
    shown = client.get("/api/gallery").json()
    trained = {line["name"]: line for line in shown if line["trained"]}
    assert set(trained) == {agent.name for agent in packaged_agents()}
    assert {line["game"] for line in shown} >= set(game_classes())
    for line in trained.values():
        assert line["episodes"] > 0 and line["strength"]["evaluator"] and line["doc"] and line["svg"].startswith("<svg")
    exact = {line["game"]: line["name"] for line in shown if not line["trained"]}
    assert exact["connect4"] == "c4-perfect-dl" and "othello" not in exact


def test_a_copy_is_made_once_and_can_take_a_seat(client: Client) -> None:
    first = client.post("/api/gallery/hex/copy").json()
    assert first["game"] == "hex" and first["name"] == "hex" and first["problem"] is None
    assert client.post("/api/gallery/hex/copy").json()["id"] == first["id"]
    assert len(client.get("/api/files").json()) == 1
    seats = [{"person": "Ann"}, {"file": first["id"]}]
    view = client.post("/api/tables", json={"game": "hex", "seats": seats}).json()
    assert view["seats"][1]["label"] == "hex"
    assert "has no trained agent" in said(client.post("/api/gallery/nobody/copy"), 404)
    assert client.post("/api/gallery/..%2F..%2Fsecret/copy").status_code in (404, 422)


@pytest.mark.slow
def test_one_click_goes_on_with_a_training(client: Client) -> None:
    run = client.post("/api/gallery/hex/train").json()
    assert run["of"] == 2 * run["episodes"] > 0
    done = eventually(
        lambda: client.get(f"/api/runs/{run['id']}").json(), lambda r: r["state"] in ("finished", "failed")
    )
    assert done["state"] == "finished" and done["episodes"] == run["of"]


@pytest.mark.slow
@pytest.mark.parametrize("agent", [a for a in packaged_agents() if a.game != "2048"], ids=lambda agent: agent.name)
def test_trained_agents_beat_random_play(agent: object) -> None:
    """In both or all seats, nine games of ten at least."""
    game = make(agent.game)  # type: ignore[attr-defined]
    trained, other, wins, games = load_agent(agent.path), make_agent("random", game), 0.0, 60  # type: ignore[attr-defined]
    for number in range(games):
        position, rng, seat = game.start(), make_rng(number), number % game.num_players
        while not position.is_over:
            player = trained if position.player == seat else other
            position.play(player.choose(position, rng))
        wins += position.scores[seat] == max(position.scores)
    assert wins >= 0.9 * games, f"{wins} of {games}"


@pytest.mark.slow
def test_the_trained_agent_of_2048_reaches_the_tile() -> None:
    game = make("2048")
    trained, tiles = load_agent(FOLDER / "2048.agent"), []
    for number in range(10):
        position, rng = game.start(), make_rng(number)
        position.roll(rng)
        while not position.is_over:
            position.play(trained.choose(position, rng)).roll(rng)
        tiles.append(1 << int(position.cells.max()))
    assert sorted(tiles)[5] >= 1024, tiles


def test_the_strong_level_is_who_is_marked() -> None:
    for agent in packaged_agents():
        strong = levels(make(agent.game)).get("strong")
        assert strong is None or (strong.path == agent.path) == agent.strong
