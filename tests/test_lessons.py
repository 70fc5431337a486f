"""Learning from recorded games, and the files that they come from; weights alone, exported and imported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_learner import CellWorth
from training_files import small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, make, make_rng, train
from boardlab.agents.files import load_agent
from boardlab.cli.main import app
from boardlab.lab.history import history_of
from boardlab.lab.lessons import read_lessons
from boardlab.rng import random_below
from boardlab.store.game_files import read_games, write_games

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"
WON = [0, 3, 1, 4, 2]
"""X completes the top row."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    yield


def command(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, " ".join(result.stderr.split())


def refused(*arguments: str) -> str:
    code, out, err = command(*arguments)
    assert code == 2, out
    return err.removeprefix("boardlab: ")


def recorded(*games: list[int], game: str = "tictactoe") -> str:
    """Lines of a file with games of these actions."""
    lines = [{"game": game, "events": [{"action": action} for action in actions]} for actions in games]
    return "\n".join(map(json.dumps, lines)) + "\n"


# ------------------------------------------------------------ files of games


def test_a_match_is_recorded_and_read_again() -> None:
    usual = ["match", "tictactoe", "random", "random", "--games", "6", "--seed", "4"]
    code, out, err = command(*usual, "--record", "g.jsonl")
    assert (code, err) == (0, ""), out
    lines = [json.loads(line) for line in Path("g.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    for line in lines:
        position = make("tictactoe").start()
        for event in line["events"]:
            position.play(event["action"])
        assert position.is_over and list(position.scores) == line["scores"]
        assert line["seats"] == ["random", "random"]
    lessons = read_lessons(Path("g.jsonl"), make("tictactoe"))
    assert lessons.games == [[event["action"] for event in line["events"]] for line in lines]
    assert lessons.chance == [[]] * 6 and str(lessons) == "6 games of g.jsonl"


def test_a_recorded_game_begins_at_the_start_of_the_game() -> None:
    usual = ["match", "tictactoe", "random", "random", "--games", "4", "--seed", "1", "--record", "g.jsonl"]
    command(*usual, "--start", "b2 a1", "--start", "c3")
    lessons = read_lessons(Path("g.jsonl"), make("tictactoe"))
    assert [actions[:2] for actions in lessons.games[:2]] == [[4, 0], [4, 0]]
    assert [actions[0] for actions in lessons.games[2:]] == [8, 8]


def test_chance_outcomes_come_in_their_order() -> None:
    game = make("2048")
    rng, position = make_rng(3), game.start()
    while not position.is_over:
        position.roll(rng)
        if position.is_over:
            break
        actions = position.legal_actions
        position.play(actions[random_below(rng, len(actions))])
    events = [{"chance" if e.player is None else "action": e.number} for e in position.history]
    write_games(Path("g.jsonl"), [{"game": "2048", "events": events}])
    lessons = read_lessons(Path("g.jsonl"), game)
    assert lessons.games == [[e.number for e in position.history if e.player is not None]]
    assert lessons.chance == [[e.number for e in position.history if e.player is None]]


def test_the_export_of_the_arena_is_such_a_file(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from arena_client import eventually, open_client

    wish = {"game": "tictactoe", "agents": [{"agent": "random"}] * 2, "games": 2, "seed": 1}
    with open_client(tmp_path / "data") as client:
        response = client.post("/api/matches", json=wish)
        assert response.status_code == 201, response.text
        eventually(lambda: client.get("/api/records").json(), lambda found: found["total"] == 2)
        exports = [
            client.get(f"/api/records/{record['id']}/export").text
            for record in client.get("/api/records").json()["records"]
        ]
        together = client.get("/api/records/export", params={"game": "tictactoe"})
        assert client.get("/api/records/export", params={"game": "nim"}).text == ""
    Path("all.jsonl").write_text(together.text)
    assert [json.loads(line) for line in together.text.splitlines()] == [json.loads(text) for text in exports[::-1]]
    assert len(read_lessons(Path("all.jsonl"), make("tictactoe")).games) == 2
    Path("one.json").write_text(exports[0])
    Path("two.jsonl").write_text("\n".join(exports))  # each over several lines
    assert len(read_lessons(Path("one.json"), make("tictactoe")).games) == 1
    assert len(read_lessons(Path("two.jsonl"), make("tictactoe")).games) == 2


BAD: list[tuple[str, str]] = [
    ("", "g.jsonl has no games"),
    ("shopping list", "g.jsonl is no file of games: after 0, Expecting value"),
    (recorded(WON) + "{", "g.jsonl is no file of games: after 1, Expecting property name"),
    ("[" * 100_000, "g.jsonl is no file of games: after 0,"),
    ("[]", "game 1 of g.jsonl is no recorded game: "),
    ('{"game": "tictactoe"}', "game 1 of g.jsonl is no recorded game: events: Field required"),
    ('{"game": "tictactoe", "events": [{"action": "4"}]}', "game 1 of g.jsonl is no recorded game: events.0"),
    ('{"game": "tictactoe", "events": [{"action": -1}]}', "game 1 of g.jsonl is no recorded game: events.0"),
    (recorded(WON) + recorded([0, 3], game="nim"), "game 2 of g.jsonl is one of nim, not of tictactoe"),
    (recorded([0, 0]), "game 1 of g.jsonl is not played by the rules: event 2: action 0 is not legal here"),
    (recorded([*WON, 8]), "game 1 of g.jsonl is not played by the rules: event 6: "),
    (recorded([0, 10**6]), "game 1 of g.jsonl is not played by the rules: event 2: action 1000000 is not legal"),
    ('{"game": "tictactoe", "events": [{"chance": 0}]}', "game 1 of g.jsonl is not played by the rules: event 1: "),
    (recorded([0, 1]), "g.jsonl has no game that came to its end"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD, ids=[sentence for _, sentence in BAD])
def test_files_that_cannot_be_learned_from(text: str, sentence: str) -> None:
    Path("g.jsonl").write_text(text)
    found = refused("train", "tictactoe", "--agent", OWN, "--from", "g.jsonl", "--out", "a.agent")
    assert found.startswith(sentence)
    assert not Path("a.agent").exists()


def test_files_that_cannot_be_read() -> None:
    assert refused("train", "tictactoe", "--from", "nowhere.jsonl") == (
        "nowhere.jsonl cannot be read: No such file or directory"
    )
    Path("g.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BoardlabError, match="it is not text"):
        read_games(Path("g.jsonl"))
    assert "cannot be written" in refused(
        *("match", "tictactoe", "random", "random", "--games", "1", "--record", "nowhere/g.jsonl")
    )


# ------------------------------------------------------------ learning from them


def taught(games: list[list[int]], **settings: Any) -> CellWorth:
    agent = CellWorth(make("tictactoe"), **settings)
    agent.learn_from(games, [[]] * len(games))
    return agent


def test_an_agent_learns_from_each_game_once() -> None:
    other = [8, 3, 1, 4, 2, 5]
    Path("g.jsonl").write_text(recorded(WON, other, [0, 1]))
    usual = ["train", "tictactoe", "--agent", OWN, "--from", "g.jsonl", "--against", "random", "--seed", "1"]
    code, out, err = command(*usual, "--out", "a.agent")
    assert (code, err) == (0, "")
    assert "learns from 2 games of g.jsonl (1 without an end are left out)" in out
    agent = load_agent("a.agent")
    assert agent.weights()["weights"].tobytes() == taught([WON, other]).worth.tobytes()
    assert (agent.episodes, history_of(agent).moves, agent.parameters.episodes) == (2, 11, 2)
    # more episodes than games: all over again; and a training that goes on begins where it was
    command(*usual, "--out", "b.agent", "-n", "3")
    expected = taught([WON, other, WON]).worth.tobytes()
    assert load_agent("b.agent").weights()["weights"].tobytes() == expected
    command("train", "--resume", "a.agent", "--from", "g.jsonl", "-n", "3")
    assert load_agent("a.agent").weights()["weights"].tobytes() == expected
    command("train", "--resume", "a.agent", "--from", "g.jsonl")
    assert load_agent("a.agent").episodes == 5


def test_python_and_toml_take_games_too() -> None:
    Path("g.jsonl").write_text(recorded(WON))
    agent = train("tictactoe", agent=OWN, from_games=Path("g.jsonl"), against="random", progress=False, seed=1)
    assert agent.weights()["weights"].tobytes() == taught([WON]).worth.tobytes()
    Path("wish.toml").write_text(f'game = "tictactoe"\nagent = "{OWN}"\nfrom_games = "g.jsonl"\nagainst = "random"\n')
    assert command("train", "--config", "wish.toml", "--out", "a.agent")[0] == 0
    assert load_agent("a.agent").weights()["weights"].tobytes() == agent.weights()["weights"].tobytes()


# ------------------------------------------------------------ weights alone


def test_weights_are_exported_and_begun_with() -> None:
    agent = small_agent()
    agent.train(200)
    agent.save("a.agent")
    code, out, err = command("export", "a.agent", "w.npz")
    assert (code, err, out.strip()) == (0, "", "w.npz: weights, float32 2 x 2,187")
    with np.load("w.npz", allow_pickle=False) as content:
        assert content.files == ["weights"]
        assert content["weights"].tobytes() == agent.weights()["weights"].tobytes()
    options = [f"-o{name}={value}" for name, value in (("rule", "plain"), ("tuples", "points:3x6"), ("seed", 11))]
    usual = ["train", "tictactoe", *options, "-n", "1", "--against", "random", "--evaluation-games", "2"]
    code, _, err = command(*usual, "--weights", "w.npz", "--out", "b.agent")
    assert (code, err) == (0, "")
    begun = small_agent(episodes=1)
    begun.import_weights("w.npz")
    assert begun.weights()["weights"].tobytes() == agent.weights()["weights"].tobytes()
    found, before = load_agent("b.agent").weights()["weights"], agent.weights()["weights"]
    assert 0 < np.count_nonzero(found != before) < 200, "one more game changes few of them"
    assert np.count_nonzero(before) > 1000


def test_weights_that_do_not_fit() -> None:
    agent = small_agent()
    right = agent.weights()["weights"]
    np.savez("shape.npz", weights=right[:, :-1])
    np.savez("kind.npz", weights=right.astype(np.float64))
    np.savez("name.npz", waits=right)
    np.savez("nan.npz", weights=np.full_like(right, np.nan))
    np.savez("pickle.npz", weights=np.array([{}], object))
    Path("text.npz").write_text("no archive")
    sentences = {
        "shape": "weights in shape.npz has the shape (2, 2186), but the agent needs (2, 2187)",
        "kind": "kind.npz is a damaged file of weights: weights is of kind <f8 and shape (2, 2187), not of kind <f4",
        "name": "name.npz has the arrays waits, not weights",
        "nan": "nan.npz is a damaged file of weights: weights has numbers that are not finite",
        "pickle": "pickle.npz is a damaged file of weights: weights is of kind |O",
        "text": "text.npz is not a file of weights of boardlab, or it is damaged",
        "nowhere": "nowhere.npz cannot be read: No such file or directory",
    }
    for name, sentence in sentences.items():
        with pytest.raises(BoardlabError) as caught:
            agent.import_weights(f"{name}.npz")
        assert str(caught.value).startswith(sentence)
    assert not right.any()
    agent.save("a.agent")
    assert refused("export", "a.agent", "w.txt") == "a file of weights ends with .npz; call it w.npz"
    assert "a resumed training keeps" in refused("train", "--resume", "a.agent", "--weights", "nan.npz")
