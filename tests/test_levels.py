"""Levels of opponents, who knows the truth about a game, and what is told while something is compiled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from boardlab import BoardlabError, make, make_agent, make_rng
from boardlab.agents.levels import exact_player, find_level, levels
from boardlab.game import Game
from boardlab.registry import game_classes

pytest.importorskip("fastapi")
from arena_client import Client, arena_of, open_client, said

from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import _answer, _Job
from boardlab.web.workers.preparation import Preparation


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data")) as opened:
        yield opened


# ------------------------------------------------------------ who plays at a level


@pytest.mark.parametrize(
    ("spec", "exact"),
    [
        ("tictactoe", "perfect"),
        ("nim", "perfect"),
        ("nimm3", "perfect"),
        ("sim", "perfect"),
        ("hex:size=4", "perfect"),
        ("connect4", "c4-perfect-dl"),
        ("dots", "dots-perfect"),
        ("dots:rows=4,columns=4", None),  # it would take a minute
        ("connect4:columns=6", None),
        ("hex", None),
        ("othello", None),
        ("sim:players=3", None),
    ],
)
def test_the_perfect_player_of_a_game(spec: str, exact: str | None) -> None:
    game = make(spec)
    assert exact_player(game) == exact
    known = levels(game)
    assert list(known) == ["easy", "medium", "strong", *(["perfect"] if exact else [])]
    assert exact is None or known["perfect"].spec == exact


@pytest.mark.parametrize("name", sorted(set(game_classes()) - {"2048"}))
def test_every_level_of_every_game_can_be_made(name: str) -> None:
    """By its text, as everywhere in boardlab; without compiling anything here."""
    game = make(name)
    for level in levels(game).values():
        assert level.path is not None or level.agent is not None
        if level.agent is not None:
            assert level.spec.startswith(level.agent)
            assert "mcts" not in level.spec or "iterations=" in level.spec


def test_where_there_is_no_such_level() -> None:
    with pytest.raises(BoardlabError, match="othello has no level 'perfect'; it has easy, medium, strong"):
        find_level(make("othello"), "perfect")
    with pytest.raises(BoardlabError, match="one plays it alone"):
        find_level(make("2048"), "easy")


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["connect4", "othello:size=6", "hex", "dots", "sim"])
def test_each_level_beats_the_one_below(spec: str) -> None:
    """Ten games with each seat; a level may lose some, but not the match."""
    game, known = make(spec), list(levels(make(spec)).values())
    for weak, strong in pairwise(known):
        players, points = [make_agent(level.spec, game) for level in (weak, strong)], 0.0
        for number in range(20):
            position, rng, seat = game.start(), make_rng(number), number % 2
            while not position.is_over:
                position.play(players[(position.player + seat) % 2].choose(position, rng))
            points += position.scores[1 - seat] > position.scores[seat]
            points += 0.5 * (position.scores[1 - seat] == position.scores[seat])
        assert points >= 10, f"{strong.name} against {weak.name}: {points} of 20"


# ------------------------------------------------------------ in the arena


def test_levels_take_seats(client: Client) -> None:
    told = client.get("/api/levels", params={"game": "tictactoe"}).json()
    assert [line["level"] for line in told] == ["easy", "medium", "strong", "perfect"]
    assert told[3] == {"level": "perfect", "title": "Perfect", "player": "perfect"}
    games = {game["name"]: game["levels"] for game in client.get("/api/games").json()}
    assert games["2048"] == [] and games["othello"] == ["easy", "medium", "strong"]
    seats = [{"person": "Ann"}, {"level": "medium"}]
    view = client.post("/api/tables", json={"game": "tictactoe", "seats": seats}).json()
    assert view["seats"][1]["label"] == "Medium (mcts)"
    wrong = {"game": "othello", "seats": [{"person": "Ann"}, {"level": "perfect"}]}
    assert "no level" in said(client.post("/api/tables", json=wrong), 422)
    both = {"game": "othello", "seats": [{"person": "Ann"}, {"level": "easy", "agent": "mcts"}]}
    assert "not both" in said(client.post("/api/tables", json=both), 422)


def test_the_adviser_tells_the_truth_about_connect_four(client: Client) -> None:
    """After 4, 4 only 4 wins, and 5 loses: what tree search says there is wrong."""
    adviser = client.get("/api/adviser", params={"game": "connect4"}).json()
    assert (adviser["label"], adviser["exact"]) == ("c4-perfect-dl", True)
    choice = {key: value for key, value in adviser["choice"].items() if value is not None}
    body = {"game": "connect4", "events": [{"action": 3}, {"action": 3}], "choice": choice}
    seen = client.post("/api/inspect", json=body).json()
    assert seen["best"] == [3]
    values = {line["name"]: line["value"] for line in seen["values"]}
    assert values["4"] == 1.0 and values["5"] == -1.0
    table = {"game": "connect4", "seats": [{"person": "Ann"}, {"person": "Bob"}], "start": body["events"]}
    live = client.post("/api/tables", json=table).json()
    hint = client.post(f"/api/tables/{live['id']}/hint", json={}).json()
    assert (hint["name"], hint["label"]) == ("4", "c4-perfect-dl")
    told = client.get("/api/adviser", params={"game": "othello"}).json()
    assert told["exact"] is False and told["label"].startswith("Strong")
    told = client.get("/api/adviser", params={"game": "2048"}).json()
    assert told["label"] == "mcts:time=1.0", "which is stronger there than the trained agent of the package"


def test_a_game_that_is_larger_than_it_seemed_gets_another_adviser() -> None:
    """The exact player is refused when it is made; the next one takes its place, and the game is ready all the same."""

    class Refusing:
        jobs: list[Any]

        async def run(self, job: Any, seconds: float, compiling: Any = None) -> Any:
            self.jobs.append(job["agent"]["agent"])
            compiling(5)
            if job["agent"]["agent"] == "perfect":
                raise BoardlabError("too large")

    async def opened() -> None:
        workers: Any = Refusing()
        workers.jobs = []
        nobodys_files: Any = None
        preparation, game = Preparation(ArenaSettings(), workers, AgentLibrary(nobodys_files)), make("tictactoe")
        state, message, compiling = preparation.game(game)
        assert state == "compiling" and message and "once" in message and compiling is not None
        while preparation.game(game)[0] == "compiling":
            await asyncio.sleep(0)
        assert preparation.game(game) == ("ready", None, None)
        assert preparation.adviser(game).label == "Strong (mcts)"
        assert workers.jobs == ["mcts", "perfect", "mcts"]

    asyncio.run(opened())


def test_how_far_compiling_is() -> None:
    """Lines of a worker before its answer are counted; the share never reaches 1 while it is not over."""

    async def counted() -> None:
        told: list[int] = []
        lines, job = asyncio.StreamReader(), _Job({}, 1.0, None, asyncio.Future(), told.append)
        for line in (b'{"steps": 1}\n', b'{"steps": 2}\n', b'{"action": 3}\n', b'{"steps": 9}\n'):
            lines.feed_data(line)
        assert await _answer(lines, job) == b'{"action": 3}\n' and told == [1, 2]

        class Slow:
            async def run(self, job: Any, seconds: float, compiling: Any) -> None:
                for steps in range(1000):
                    compiling(steps)
                    await asyncio.sleep(0)

        workers: Any = Slow()
        nobodys_files: Any = None
        preparation, game = Preparation(ArenaSettings(), workers, AgentLibrary(nobodys_files)), make("2048")
        chosen, shares = preparation.adviser(game), []
        task = preparation.agent(game, chosen)
        while not task.done():
            await asyncio.sleep(0)
            view = preparation.compiling(game, chosen)
            shares += [view.share] if view else []
        assert shares == sorted(shares) and shares[0] < 0.5 and 0.9 < shares[-1] < 1
        assert preparation.compiling(game, chosen) is None

    asyncio.run(counted())


def test_functions_are_counted_as_they_are_compiled() -> None:
    import numba

    from boardlab.compiler.steps import compiling_steps

    @numba.njit
    def twice(x: int) -> int:
        return 2 * x

    steps: list[int] = []
    with compiling_steps(steps.append):
        assert twice(2) == 4
        assert twice(3) == 6
    assert steps == [1]
    assert twice(2.5) == 5.0
    assert steps == [1], "nobody listens any more"


# ------------------------------------------------------------ pictures of games


def test_pictures_of_games_are_lively() -> None:
    library = GameLibrary()
    for name in library.classes():
        game = make(name)
        assert library.lively_svg(name) != game.start().svg()
        assert library.lively_svg(name) == library.lively_svg(name)


def test_a_picture_of_moves_that_do_not_fit_is_a_random_one(monkeypatch: pytest.MonkeyPatch) -> None:
    library = GameLibrary()
    usual = library.lively_svg("tictactoe")
    monkeypatch.setattr(Game, "sample_moves", ("a1", "a1"))
    assert GameLibrary().lively_svg("tictactoe") == usual
    monkeypatch.setattr(Game, "sample_moves", ("a1", "b2"))
    assert GameLibrary().lively_svg("tictactoe") == make("tictactoe").start().play("a1").play("b2").svg()


def test_the_file_that_was_written_last_is_known(client: Client) -> None:
    assert all("saved" in line for line in client.get("/api/files").json())
    assert arena_of(client).files.all() == []
