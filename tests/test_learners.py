"""Store, lab, command line and arena know `LearningAgent` and no other class: a learner of a user's own, without
n-tuples and without compiled code, goes through all of them."""

from __future__ import annotations

import ast
import csv
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_learner import CellWorth
from training_files import small_agent
from typer.testing import CliRunner

import boardlab
from boardlab import BoardlabError, make, make_rng
from boardlab.agents import classes
from boardlab.agents.files import described_file, facts_in, load_agent
from boardlab.agents.learning import LearningAgent
from boardlab.cli.main import app
from boardlab.lab import presets
from boardlab.lab.history import CurvePoint, history_of
from boardlab.lab.wish import TrainingWish
from boardlab.store import read_agent_file

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"
ROOMS = ("store", "lab", "cli", "web", "bench")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    yield


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.stdout + result.stderr
    return str(result.stdout)


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2, result.stdout
    return " ".join(result.stderr.split()).removeprefix("boardlab: ")


def train(*arguments: str) -> str:
    usual = ["--agent", OWN, "--against", "random", "--evaluation-games", "4", "--seed", "3", "--out", "own.agent"]
    return run("train", "tictactoe", *usual, *arguments)


# ------------------------------------------------------------ nobody knows more than the class


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_a_learner(room: str) -> None:
    package = Path(boardlab.__file__).parent
    learners = {cls.__module__ for cls in classes.agent_classes().values() if issubclass(cls, LearningAgent)}
    assert "boardlab.agents.td_ntuple" in learners
    for path in (package / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            assert not learners & set(names), path
            asked = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hasattr"
            assert not (asked and "restored" in ast.dump(node)), path


# ------------------------------------------------------------ command line and files


def test_a_learner_of_ones_own_is_trained_kept_resumed_and_measured() -> None:
    out = train("--episodes", "40")
    assert out.splitlines()[0].startswith("Tic-tac-toe (tictactoe): cell-worth, seed 3")
    assert "27 values of cells" in out
    file = read_agent_file(Path("own.agent"))
    assert (file.about.agent, facts_in(file).episodes) == (OWN, 40)
    assert described_file(file) == {"weights": "3 values of 9 cells"}
    run("train", "--resume", "own.agent", "--episodes", "60")
    agent = load_agent("own.agent")
    straight = CellWorth(make("tictactoe"), seed=3, episodes=40)
    straight.train(60)
    assert agent.weights()["weights"].tobytes() == straight.worth.tobytes()
    assert history_of(agent).moves == straight._moves
    told = run("info", "own.agent")
    assert "3 values of 9 cells" in told and "n-tuples" not in told and "step size" in told
    assert "60 episodes" in told
    run("eval", "own.agent", "--games", "4", "--against", "random", "--seed", "1")
    position = make("tictactoe").start()
    assert agent.choose(position, make_rng(1)) in position.legal_actions


def test_rates_are_columns_of_the_curve() -> None:
    train("--episodes", "40", "--evaluate-every", "20")
    rows = list(csv.DictReader(Path("own.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["doubt"]) for row in rows] == pytest.approx([1 / 20, 1 / 40])
    assert {row["alpha"] for row in rows} == {"0.05"} and "epsilon" not in rows[0]
    assert history_of(load_agent("own.agent")).evaluations[1].rates == pytest.approx({"alpha": 0.05, "doubt": 1 / 40})


def test_a_history_of_before_is_readable() -> None:
    """Until now alpha and epsilon stood beside the other fields."""
    old = {
        "episodes": 5,
        "seconds": 1.0,
        "score": 0.5,
        "low": 0.1,
        "high": 0.9,
        "games": 4,
        "alpha": 0.3,
        "epsilon": 0.1,
    }
    assert CurvePoint.model_validate(old).rates == {"alpha": 0.3, "epsilon": 0.1}
    with pytest.raises(ValueError, match="alpha"):
        CurvePoint.model_validate({**old, "alpha": "much"})
    agent = small_agent()
    agent.history = {"evaluations": [old]}
    agent.save("old.agent")
    told = json.loads(run("info", "old.agent", "--json"))
    assert told["history"]["evaluations"][0]["rates"] == {"alpha": 0.3, "epsilon": 0.1}


def test_a_file_of_before_goes_on_learning() -> None:
    """`tests/data/before.agent` was written by boardlab as it was when td-ntuple was the only learner (63790d2)."""
    shutil.copy(Path(__file__).parent / "data" / "before.agent", "before.agent")
    agent = load_agent("before.agent")
    assert (agent.name, agent.kind, agent.episodes) == ("td-ntuple", "td-ntuple", 200)
    points = history_of(agent).evaluations
    assert [point.rates for point in points] == [
        pytest.approx({"alpha": 0.5493819582503832, "epsilon": 0.06020100502512563}),
        pytest.approx({"alpha": 0.3, "epsilon": 0.02}),
    ]
    straight = small_agent(rule="tcl", tuples="points:2x3", episodes=200, choose_start=False, learn_from_random=False)
    straight.train(200)
    assert agent.weights()["weights"] == pytest.approx(straight.weights()["weights"], abs=1e-6)
    assert np.count_nonzero(straight.weights()["weights"]) > 50
    run("train", "--resume", "before.agent", "-n", "300", "--evaluation-games", "4")
    straight.train(100)
    assert load_agent("before.agent").weights()["weights"] == pytest.approx(straight.weights()["weights"], abs=1e-6)
    told = run("info", "before.agent")
    assert "2 of length 3" in told and "300 episodes" in told


def test_the_facts_of_a_learner_are_its_own_business() -> None:
    train("--episodes", "20")
    for facts, sentence in (
        ({"episodes": 20, "moves": -1}, "facts.moves in agent.json: Input should be greater than or equal to 0"),
        ({"episodes": 20}, "facts.moves in agent.json: Field required"),
        ({"episodes": 20, "moves": 9, "tuples": []}, "facts.tuples in agent.json: Extra inputs are not permitted"),
    ):
        _write_facts(Path("own.agent"), Path("bad.agent"), facts)
        with pytest.raises(BoardlabError) as caught:
            load_agent("bad.agent")
        assert str(caught.value) == f"bad.agent is a damaged agent file: {sentence}"
        assert refused("info", "bad.agent") == str(caught.value)


def _write_facts(path: Path, to: Path, facts: dict[str, Any]) -> None:
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "agent.json":
                content = json.dumps({**json.loads(content), "facts": facts}).encode()
            new.writestr(name, content)


def test_an_agent_file_without_its_class_says_so() -> None:
    train("--episodes", "20")
    content = json.loads(zipfile.ZipFile("own.agent").read("agent.json"))
    with zipfile.ZipFile("own.agent") as old, zipfile.ZipFile("gone.agent", "w") as new:
        for name in old.namelist():
            moved = json.dumps({**content, "agent": "nowhere.py:CellWorth"}).encode()
            new.writestr(name, moved if name == "agent.json" else old.read(name))
    assert refused("info", "gone.agent") == "gone.agent cannot be used: there is no file nowhere.py"


# ------------------------------------------------------------ which agent learns


def test_a_file_or_a_preset_may_name_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("tictactoe")
    content = {"about": {"own": "for this test"}, "preset": [{"name": "own", "game": "tictactoe", "agent": OWN}]}
    content["preset"][0]["alpha"] = 0.5  # type: ignore[index]
    monkeypatch.setattr(presets, "_content", lambda: content)
    Path("wish.toml").write_text(f'game = "tictactoe"\nagent = "{OWN}"\nalpha = 0.25\n')
    run("train", "--config", "wish.toml", "--out", "a.agent", "-n", "5", "--against", "random")
    assert load_agent("a.agent").parameters.model_dump()["alpha"] == 0.25
    run("train", "tictactoe", "--preset", "own", "--out", "b.agent", "-n", "5", "--against", "random")
    assert load_agent("b.agent").parameters.model_dump()["alpha"] == 0.5
    assert TrainingWish.model_validate({"preset": "own"}).agent_for(game) == OWN
    assert refused("train", "tictactoe", "--preset", "own", "--agent", "td-ntuple") == (
        f"the preset own of tictactoe is for the agent {OWN}, not for td-ntuple; leave one of them out"
    )
    assert "as usual  for this test" in run("games", "tictactoe")
    assert "preset own" in run("games", "tictactoe", "--preset", "own")


def test_the_agent_of_a_resumed_training_is_that_of_its_file() -> None:
    train("--episodes", "20")
    assert "a resumed training keeps" in refused("train", "--resume", "own.agent", "--agent", "td-ntuple")


def test_python_takes_the_agent_too() -> None:
    agent = boardlab.train("tictactoe", agent=OWN, episodes=10, against="random", progress=False, alpha=0.125, seed=2)
    assert (agent.name, agent.episodes, agent.parameters.model_dump()["alpha"]) == ("cell-worth", 10, 0.125)
    agent.save("mine.agent")
    assert load_agent("mine.agent").episodes == 10


# ------------------------------------------------------------ the arena


def test_the_arena_measures_twice_and_ends_early(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from arena_client import eventually, open_client, said

    with open_client(tmp_path / "data") as client:
        wish = {"game": "tictactoe", "options": {"rule": "tcl-exp", "tuples": "points:1x9"}, "episodes": 400, "seed": 1}
        wish.update(evaluator="random", games=4, evaluate_every=20, name="Twice")
        early = {"second_evaluator": "mcts:iterations=5", "stop_at": -1, "in_a_row": 2}
        run = client.post("/api/runs", json={**wish, **early}).json()
        address = f"/api/runs/{run['id']}"
        done = eventually(lambda: client.get(address).json(), lambda run: run["state"] in ("finished", "failed"))
        assert (done["state"], done["episodes"], done["message"]) == (
            "finished",
            40,
            "ended early: -1 reached 2 times in a row",
        )
        assert done["second_evaluator"] == done["second_against"] == "mcts:iterations=5"
        assert [set(point["second"]) for point in done["curve"]] == [{"score", "low", "high"}] * 2
        assert all(0 < point["step_sizes"]["p50"] <= 1 for point in done["curve"])
        detail = client.get(f"/api/files/{done['file']}").json()
        assert [point["step_sizes"] for point in detail["curve"]] == [point["step_sizes"] for point in done["curve"]]
        for more, sentence in (
            ({"second_evaluator": "mtcs"}, "second_evaluator: there is no 'mtcs' for tictactoe"),
            ({"second_evaluator": "x.py:Y"}, "second_evaluator: there is no 'x.py:Y' for tictactoe"),
            ({"from_games": "/etc/passwd"}, "from_games"),
            ({"weights": "/etc/passwd"}, "weights"),
            ({"in_a_row": 0}, "in_a_row"),
        ):
            assert said(client.post("/api/runs", json={**wish, **more}), 422).startswith(sentence)
        going_on = {"resume_file": done["file"], "episodes": 60, "second_evaluator": "random"}
        assert "keeps the settings" in said(client.post("/api/runs", json=going_on), 422)


def test_the_arena_trains_and_shows_it(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from arena_client import eventually, open_client

    classes.offer_agent(OWN)
    try:
        with open_client(tmp_path / "data") as client:
            options = client.get("/api/train/options", params={"game": "tictactoe", "agent": OWN}).json()
            assert options["agent"] == OWN in [line["name"] for line in options["agents"]]
            assert [field["name"] for field in options["fields"]] == ["alpha"]
            assert (options["presets"], options["episodes"]) == ([], 200)
            wish = {"game": "tictactoe", "agent": OWN, "options": {"alpha": 0.25}, "episodes": 30, "name": "Mine"}
            response = client.post("/api/runs", json={**wish, "evaluator": "random", "games": 4, "seed": 1})
            assert response.status_code == 201, response.text
            address = f"/api/runs/{response.json()['id']}"
            done = eventually(lambda: client.get(address).json(), lambda run: run["state"] in ("finished", "failed"))
            assert (done["state"], done["agent"]) == ("finished", OWN), done["message"]
            assert set(done["rates"]) == {"alpha", "doubt"}
            detail = client.get(f"/api/files/{done['file']}").json()
            assert detail["figures"] == {"weights": "3 values of 9 cells"}
            assert client.get(f"/api/files/{done['file']}/tuples").json() == {"count": 0, "players": 0, "tuples": []}
            rows = client.get(f"/api/files/{done['file']}/weights").json()["rows"]
            agent = CellWorth(make("tictactoe"), alpha=0.25, seed=1)
            agent.train(30)
            assert [row["name"] for row in rows] == [f"cell {k}" for k in range(9)]
            assert [row["weights"] for row in rows] == [pytest.approx(row) for row in agent.worth.tolist()]
            question = {"game": "tictactoe", "choice": {"file": done["file"]}}
            values = client.post("/api/inspect", json=question).json()["values"]
            assert {v["action"]: v["value"] for v in values} == pytest.approx(agent.values(make("tictactoe").start()))
            looked = client.post("/api/inspect/tuples", json={"file": done["file"]})
            assert (looked.status_code, looked.json()["error"]) == (422, "cell-worth has no n-tuples")
            unknown = client.get("/api/train/options", params={"game": "tictactoe", "agent": "random"})
            assert "there is no agent that learns tictactoe 'random'" in unknown.json()["error"]
    finally:
        classes.agent_classes().pop(OWN)
