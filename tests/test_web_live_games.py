"""Live games and the arena under them: restarts, positions set up by hand, limits, games of one's own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from arena_client import arena_of, eventually, open_client, said
from live_games import ANN, ENDLESS, RANDOM, assert_true, do, numbers, play, see, settled, sit

from boardlab import make
from boardlab.agents.dots_perfect import DotsPerfect
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.processes.worker import Workshop
from boardlab.web.server.models import AgentChoice
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.preparation import Preparation

# ------------------------------------------------------------ restarts


def test_live_games_outlive_the_server(tmp_path: Any) -> None:
    """What was taken back can be played again, an ended game is stored once, and an agent goes on."""
    with open_client(tmp_path) as client:
        undone = do(client, play(client, play(client, sit(client, "tictactoe", ANN, ANN), 4), 0), "undo")
        ended = sit(client, "tictactoe", ANN, ANN)
        for action in (0, 3, 1, 4, 2):
            ended = play(client, ended, action)
        ended = settled(client, ended)
        closed = sit(client, "nim", ANN, ANN)
        client.delete(f"/api/tables/{closed['id']}")
        watched = sit(client, "tictactoe", RANDOM, RANDOM, seed=3, paused=True)
    with open_client(tmp_path) as client:
        again = see(client, undone)
        assert (numbers(again), again["plies"], again["can_redo"]) == ([4], 2, True)
        assert again["revision"] > undone["revision"], "a page that has waited takes it for newer"
        assert numbers(do(client, again, "redo")) == [4, 0]
        assert settled(client, ended)["record"] == ended["record"]
        assert client.get("/api/records").json()["total"] == 1
        assert client.get(f"/api/tables/{closed['id']}").status_code == 404
        assert see(client, watched)["paused"]
        do(client, watched, "pace", paused=False, delay=0)
        over = eventually(lambda: see(client, watched), lambda v: v["over"])
        assert_true(over)


def test_a_killed_server_loses_no_live_game(tmp_path: Any) -> None:
    with open_client(tmp_path) as client:
        view = play(client, sit(client, "tictactoe", ANN, ANN), 4)
        live_games = arena_of(client).live_games
        body = eventually(lambda: live_games._store.live_game(view["id"]), lambda found: found is not None)
        assert '"events":[4]' in body


def test_a_position_set_up_by_hand_is_played_stored_and_replayed(tmp_path: Any) -> None:
    setup = {"values": [1, 1, 0, 2, 2, 0, 0, 0, 0], "player": 0}
    with open_client(tmp_path) as client:
        view = sit(client, "tictactoe", ANN, {"person": "Bob"}, setup=setup)
        assert (view["ply"], view["to_move"], [line["action"] for line in view["legal"]]) == (0, 0, [2, 5, 6, 7, 8])
        view = settled(client, play(client, view, 2))
        assert view["over"] and view["scores"] == [1.0, -1.0]
    with open_client(tmp_path) as client:
        kept = client.get(f"/api/records/{view['record']}").json()
        assert kept["setup"] == setup
        shown = client.get(f"/api/records/{view['record']}/position").json()
        assert (shown["svg"], shown["over"]) == (view["svg"], True)
        assert see(client, view)["over"]
        view = do(client, view, "restart")
        assert len(view["legal"]) == 5
        wrong = {"values": [1, 1, 1, 2, 2, 2, 0, 0, 0], "player": 0}
        refused = client.post("/api/tables", json={"game": "tictactoe", "seats": [ANN, ANN], "setup": wrong})
        assert "this is no position of Tic-tac-toe: X has three in a row" in said(refused, 422)


# ------------------------------------------------------------ agents that take their time


def test_an_agent_that_thinks_too_long_is_stopped(tmp_path: Any) -> None:
    with open_client(tmp_path, seconds_per_move=0.3) as client:
        view = sit(client, "tictactoe", ENDLESS, ANN)
        view = eventually(lambda: see(client, view), lambda v: v["paused"])
        assert view["thinking"] is None and "longer than 0.3 s" in view["message"]
        assert settled(client, do(client, view, "seats", seats=[ANN, RANDOM]))["message"] is None


def test_who_knows_the_truth_has_answered_once_before_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers compile when they are first asked. Without this the page said for half a minute that they think."""
    asked: list[str] = []

    def tell(name: str, answer: Any) -> Any:
        return lambda *given: asked.append(name) or answer(*given)

    for name in ("values", "choose"):
        monkeypatch.setattr(DotsPerfect, name, tell(name, getattr(DotsPerfect, name)))
    exact, slow = {"agent": "dots-perfect", "options": {}}, {"agent": "mcts", "options": {"time": 3600.0}}
    for agent in (exact, slow):
        job = {"job": "prepare", "game": "dots:rows=1,columns=2", "agent": {**agent, "path": None}}
        assert "error" not in Workshop().answer(job)
    assert asked == ["values", "choose"]


def test_a_preparation_that_nobody_wants_any_more_can_be_given_up() -> None:
    """With workers that never come to an end."""

    class Endless:
        def __init__(self) -> None:
            self.begun, self.stopped = 0, 0

        async def run(self, job: Any, seconds: float, compiling: Any = None) -> Any:
            self.begun += 1
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                self.stopped += 1
                raise

    async def prepare() -> None:
        workers: Any = Endless()
        nobodys_files: Any = None
        agents, game = AgentLibrary(nobodys_files), make("nim")
        preparation = Preparation(ArenaSettings(), workers, agents)
        chosen = agents.agent(game, AgentChoice(agent="random"))
        first = preparation.agent(game, chosen)
        assert preparation.agent(game, chosen) is first
        await asyncio.sleep(0)
        assert preparation.is_under_way(game, chosen)
        preparation.give_up(game, chosen)
        await asyncio.wait([first])
        assert (workers.begun, workers.stopped) == (1, 1) and not preparation.is_under_way(game, chosen)
        again = preparation.agent(game, chosen)
        await asyncio.sleep(0)
        assert workers.begun == 2, "whoever wants it later gets it"
        again.cancel()

    asyncio.run(prepare())


# ------------------------------------------------------------ limits and games of one's own


def test_there_is_a_limit_to_live_games(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_client(tmp_path, tables=2, plies=3) as client:
        views = [play(client, sit(client, "tictactoe", ANN, ANN), action) for action in range(5)]
        assert len(arena_of(client).live_games.by_id) <= 2
        for action, view in enumerate(views):  # who is asked for comes back
            assert (numbers(see(client, view)), see(client, view)["id"]) == ([action], view["id"])
        monkeypatch.setattr(arena_of(client).streams, "is_watched", lambda name: True)
        sit(client, "tictactoe", ANN, ANN) if len(arena_of(client).live_games.by_id) < 2 else None
        refused = client.post("/api/tables", json={"game": "nim", "seats": [ANN, ANN]})
        assert "2 games" in said(refused, 429)
        client.delete(f"/api/tables/{next(iter(arena_of(client).live_games.by_id))}")
        view = sit(client, "tictactoe", ANN, ANN)
        for action in range(3):
            view = play(client, view, action)
        assert "at most 3" in said(client.post(f"/api/tables/{view['id']}/move", json={"action": 3, "ply": 3}), 409)


OWN = '''"""Take one or two; who takes the last one wins."""

import numpy as np

from boardlab.game import Game
from boardlab.parameters import parameter


class Take(Game):
    """Take one or two stones; who takes the last one wins."""

    pile: int = parameter(5, 1, 50, doc="stones at the start")
    num_actions = 2
    state = np.dtype([("pile", np.int16), ("player", np.int8)])

    def reset(self, s):
        s.pile = self.pile

    def legal_actions(self, s, actions):
        actions[0], actions[1] = 0, 1
        return min(2, int(s.pile))

    def advance(self, s, action):
        s.pile -= action + 1
        s.player = 1 - s.player

    def is_over(self, s):
        return s.pile == 0

    def scores(self, s, out):
        out[:] = 0.0
        if s.pile == 0:
            out[1 - s.player] = 1.0
            out[s.player] = -1.0
'''


def test_a_game_of_ones_own_is_played_when_it_was_named_at_the_start(tmp_path: Any) -> None:
    path = tmp_path / "take.py"
    path.write_text(OWN)
    own = f"{path}:Take"
    with open_client(tmp_path / "data", games=(own,)) as client:
        assert client.get("/api/games").json()[0]["name"] == own
        view = sit(client, f"{own}:pile=7", ANN, RANDOM)
        view = settled(client, play(client, view, 1))
        assert view["ply"] == 2 and view["game"] == f"{own}:pile=7"
    with open_client(tmp_path / "data") as client:
        said(client.post("/api/tables", json={"game": own, "seats": [ANN, RANDOM]}), 422)
