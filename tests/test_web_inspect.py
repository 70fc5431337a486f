"""Looking into positions: values by any agent, positions set up by hand, and n-tuple networks taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from arena_client import Client, arena_of, open_client, said
from training_files import small_agent

from boardlab import make
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.web.processes.agent_views import contributions
from boardlab.web.server.models import AgentChoice

PERFECT = {"agent": "perfect"}


@pytest.fixture(scope="module")
def learned() -> TDNTuple:
    agent = small_agent()
    agent.train(300)
    return agent


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, learned: TDNTuple) -> Iterator[Client]:
    data = tmp_path_factory.mktemp("data")
    learned.save(data / "agents" / "small.agent")
    with open_client(data) as opened:
        yield opened


@pytest.fixture(scope="module")
def file(client: Client) -> str:
    return str(client.get("/api/files").json()[0]["id"])


def inspect(client: Client, **wish: Any) -> dict[str, Any]:
    response = client.post("/api/inspect", json={"game": "tictactoe", **wish})
    assert response.status_code == 200, response.text
    return dict(response.json())


def moves(*actions: int) -> list[dict[str, int]]:
    return [{"action": action} for action in actions]


# ------------------------------------------------------------ positions and values


def test_a_position_alone(client: Client) -> None:
    found = inspect(client, events=moves(4, 0))
    assert (found["ply"], found["to_move"], found["last_action"], found["values"]) == (2, 0, 0, None)
    assert [line["action"] for line in found["legal"]] == [1, 2, 3, 5, 6, 7, 8]
    assert found["players"] == ["X", "O"] and found["title"] == "Tic-tac-toe"


def test_the_values_of_the_perfect_player(client: Client) -> None:
    found = inspect(client, events=moves(0, 3, 1, 4), choice=PERFECT)
    values = {line["name"]: line["value"] for line in found["values"]}
    assert values["c1"] == 1.0, "X wins in the top row"
    assert values["a3"] == -1.0, "or else O in the middle one"
    assert 2 in found["best"]


def test_the_values_of_a_file_are_those_of_the_agent(client: Client, file: str, learned: TDNTuple) -> None:
    position = make("tictactoe").start().play(4)
    found = inspect(client, events=moves(4), choice={"file": file})
    assert found["label"] == "small"
    values = {line["action"]: line["value"] for line in found["values"]}
    assert values == pytest.approx(learned.values(position))
    assert found["best"] == [a for a, v in values.items() if v == max(values.values())]


def test_agents_without_opinion_and_positions_without_a_mover(client: Client) -> None:
    silent = inspect(client, choice={"agent": "random"})
    assert silent["values"] is None and silent["best"] == [] and "no opinion" in silent["message"]
    over = inspect(client, events=moves(0, 3, 1, 4, 2), choice=PERFECT)
    assert over["over"] and over["values"] is None and "nobody" in over["message"]
    due = inspect(client, game="2048", choice={"agent": "random"})
    assert due["chance_due"] and due["to_move"] is None and len(due["outcomes"]) == 32


def test_impossible_questions(client: Client, file: str) -> None:
    for wish in (
        {"game": "tictactoe", "events": moves(4, 4)},
        {"game": "tictactoe", "events": [{"chance": 0}]},
        {"game": "tictactoe", "events": [{}]},
        {"game": "tictactoe", "choice": {}},
        {"game": "tictactoe", "choice": {"agent": "mcts", "options": {"iterations": "many"}}},
        {"game": "tictactoe", "choice": {"agent": "c4-perfect"}},
        {"game": "connect4", "choice": {"file": file}},
        {"game": "connect5"},
    ):
        said(client.post("/api/inspect", json=wish), 422)
    said(client.post("/api/inspect", json={"game": "tictactoe", "choice": {"file": "0" * 12}}), 404)


# ------------------------------------------------------------ set up by hand


def test_a_position_comes_and_goes_by_its_places(client: Client) -> None:
    view = client.post("/api/inspect/setup", json={"game": "connect4", "events": moves(3, 3, 0)}).json()
    assert (len(view["places"]), view["names"], view["players"]) == (42, ["empty", "X", "O"], ["X", "O"])
    assert {place["values"] for place in view["places"]} == {3}
    assert (view["values"][18:20], view["values"][0], view["player"]) == ([1, 2], 1, 1)
    assert view["start"] == [0] * 42
    setup = {"values": view["values"], "player": view["player"]}
    played = inspect(client, game="connect4", events=moves(3, 3, 0, 5))
    restored = inspect(client, game="connect4", setup=setup, events=moves(5))
    for key in ("text", "legal", "to_move", "scores", "status", "over"):
        assert restored[key] == played[key]


def test_an_agent_thinks_about_a_position_set_up_by_hand(client: Client) -> None:
    setup = {"values": [1, 1, 0, 2, 2, 0, 1, 0, 0], "player": 1}
    found = inspect(client, setup=setup, choice=PERFECT)
    values = {line["name"]: line["value"] for line in found["values"]}
    assert found["to_move"] == 1 and values["c2"] == 1.0 and values["b3"] == -1.0


@pytest.mark.parametrize(
    ("setup", "complaint"),
    [
        ({"values": [1, 0, 0, 0, 0, 0, 0, 0, 0], "player": 0}, "X has as many as O"),
        ({"values": [1, 0, 0, 0, 0, 0, 0, 0, 0], "player": 7}, "players 0 to 1"),
        ({"values": [7, 0, 0, 0, 0, 0, 0, 0, 0], "player": 0}, "a value from 0 to 2, not 7"),
        ({"values": [-1, 0, 0, 0, 0, 0, 0, 0, 0], "player": 0}, "greater than or equal to 0"),
        ({"values": [0] * 8, "player": 0}, "9 places, not 8"),
        ({"values": "012", "player": 0}, "values"),
        ({"values": [0] * 9}, "player"),
        ({"board": [0] * 9}, "setup"),
    ],
)
def test_impossible_positions_are_refused(client: Client, setup: dict[str, Any], complaint: str) -> None:
    assert complaint in said(client.post("/api/inspect", json={"game": "tictactoe", "setup": setup}), 422)


HANGS = '''import numpy as np

from boardlab.game import Game


class Countdown(Game):
    """Counts down by hand what no game of its own would ever reach."""

    num_players, num_actions = 1, 1
    num_cells, num_values = 1, 101
    state = np.dtype([("left", np.int64), ("player", np.int8)])

    def reset(self, s):
        s.left = 3

    def legal_actions(self, s, actions):
        actions[0] = 0
        return 1

    def advance(self, s, action):
        s.left -= 1

    def cells(self, s, out):
        out[0] = s.left

    def set_up(self, s, values, player):
        s.left = values[0]

    def is_over(self, s):
        while s.left == 100:
            pass
        return 1 // int(s.left - 99) < 0 and s.left == 0

    def scores(self, s, out):
        out[0] = 0.0
'''


def test_rules_that_fail_or_hang_on_a_position_stop_nobody(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.web.workers.setups.TRY_SECONDS", 0.5)
    (tmp_path / "countdown.py").write_text(HANGS)
    game = f"{tmp_path}/countdown.py:Countdown"

    def at(left: int) -> dict[str, Any]:
        return {"game": game, "setup": {"values": [left], "player": 0}}

    with open_client(tmp_path / "data", games=(game,)) as client:
        assert inspect(client, **at(5))["status"]
        assert "longer than" in said(client.post("/api/inspect", json=at(100)), 422)
        assert "the agent failed" not in said(client.post("/api/inspect", json=at(99)), 422)


# ------------------------------------------------------------ n-tuples


def test_contributions_add_up_to_the_value_that_the_agent_gives(client: Client, file: str, learned: TDNTuple) -> None:
    rng = make_rng(3)
    position = make("tictactoe").start()
    events: list[dict[str, int]] = []
    for _ in range(4):
        values = learned.values(position)
        for action, value in values.items():
            if position.copy().play(action).is_over:
                continue
            wish = {"file": file, "events": events, "action": action}
            found = client.post("/api/inspect/tuples", json=wish).json()
            assert found["value"] == pytest.approx(value, abs=1e-6), "no reward is paid before the end"
            assert found["player"] == position.player
            assert sum(line["contribution"] for line in found["tuples"]) == pytest.approx(found["total"], abs=1e-6)
            assert all(sum(line["weights"]) == pytest.approx(line["contribution"]) for line in found["tuples"])
        action = list(values)[random_below(rng, len(values))]
        position.play(action)
        events.append({"action": action})


def test_every_weight_of_a_position_is_found_in_the_table(client: Client, file: str, learned: TDNTuple) -> None:
    """The weight of each tuple on the board itself (the first symmetry), looked up in the table by its cells."""
    position = Position(make("tictactoe")).play(4).play(0)
    found = client.post("/api/inspect/tuples", json={"file": file, "events": moves(4, 0)}).json()
    for line in found["tuples"]:
        values = [int(position.cells[cell]) for cell in line["cells"]]
        query = {"tuple": line["index"], "player": found["player"], "limit": 1000}
        rows = client.get(f"/api/files/{file}/table", params=query).json()
        assert rows["size"] == 3 ** len(values) and rows["cells"] == line["cells"]
        row = next(row for row in rows["rows"] if row["values"] == values)
        assert row["weight"] == pytest.approx(line["weights"][0])
        assert row["text"] == "".join("O.X"[v] for v in values)


def test_exchangeable_cells_count_all_their_variants() -> None:
    """Against the definition: every symmetric board of every board that exchanging differing pairs leads to."""
    game = make("dots:rows=2,columns=2")
    agent = TDNTuple(game, tuples="points:2x4", rule="plain", episodes=100)
    layout, weights = agent.learner.values.layout, agent.learner.network.weights
    weights[:] = np.linspace(-0.01, 0.01, weights.size).reshape(weights.shape)
    position = game.start().play(0).play(5)
    cells = position.cells
    pairs = [pair for pair in game.exchangeable_cells() if cells[pair[0]] != cells[pair[1]]]
    assert pairs, "this position has such a pair"
    expected = {t: 0.0 for t in range(len(layout.tuples))}
    for chosen in product([False, True], repeat=len(pairs)):
        board = cells.copy()
        for (a, b), exchange in zip(pairs, chosen, strict=True):
            if exchange:
                board[a], board[b] = cells[b], cells[a]
        for permutation in game.symmetries():
            for t, members in enumerate(layout.tuples):
                values = [int(board[permutation[cell]]) for cell in members]
                index = next(k for k in range(layout.sizes[t]) if layout.pattern(t, k) == values)
                expected[t] += float(weights[1, layout.offsets[t] + index])
    found = contributions(agent, position, 1, None)
    assert {line["index"]: line["contribution"] for line in found["tuples"]} == pytest.approx(expected, abs=1e-5)


def test_a_table_in_every_order(client: Client, file: str, learned: TDNTuple) -> None:
    start, size = learned.learner.values.layout.offsets[1], learned.learner.values.layout.sizes[1]
    weights = learned.learner.network.weights[1, start : start + size]
    query = {"tuple": 1, "player": 1, "limit": 1000}
    plain = client.get(f"/api/files/{file}/table", params=query).json()
    assert [row["weight"] for row in plain["rows"]] == pytest.approx(weights.tolist())
    assert plain["visited"] == np.count_nonzero(weights) == sum(row["visited"] for row in plain["rows"])
    heavy = client.get(f"/api/files/{file}/table", params={**query, "order": "weight", "offset": 5, "limit": 20}).json()
    expected = np.sort(np.abs(weights))[::-1][5:25]
    assert [abs(row["weight"]) for row in heavy["rows"]] == pytest.approx(expected.tolist())
    beyond = client.get(f"/api/files/{file}/table", params={**query, "offset": 10_000}).json()
    assert beyond["rows"] == []
    assert "3 tuples" in said(client.get(f"/api/files/{file}/table?tuple=3"), 422)
    assert "2 table sets" in said(client.get(f"/api/files/{file}/table?player=2"), 422)
    said(client.get(f"/api/files/{file}/table?order=colour"), 422)
    said(client.get("/api/files/000000000000/table"), 404)


def test_tuples_are_drawn(client: Client, file: str, learned: TDNTuple) -> None:
    found = client.get(f"/api/files/{file}/tuples").json()
    assert found["count"] == 3 and found["players"] == 2
    assert [line["cells"] for line in found["tuples"]] == [list(t) for t in learned.learner.values.layout.tuples]
    assert all(line["svg"].startswith("<svg") for line in found["tuples"])


def test_a_wrapper_is_made_of_a_file(client: Client, file: str) -> None:
    arena = arena_of(client)
    choice = AgentChoice(agent="n-ply", options={"depth": 1}, file=file)
    chosen = arena.agents.agent(arena.games.game("tictactoe"), choice)
    assert chosen.label == "n-ply:agent=small,depth=1"
    assert chosen.message() == {"agent": "n-ply", "options": {"depth": 1}, "path": str(arena.files.path(file))}
    said(client.post("/api/inspect", json={"game": "tictactoe", "choice": {"agent": "mcts", "file": file}}), 422)


@pytest.mark.slow
def test_a_wrapper_searches_over_a_file(client: Client, file: str) -> None:
    choice = {"agent": "n-ply", "options": {"depth": 1}, "file": file}
    found = inspect(client, events=moves(0, 3, 1, 4), choice=choice)
    assert found["best"] == [2], "one ply ahead it sees its row"
