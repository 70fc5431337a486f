"""`import boardlab`: quick, complete, typed; and the calls that train and evaluate."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from training_files import SETTINGS, learned, small_agent

import boardlab
from boardlab import BoardlabError, LearningAgent, evaluate, history_of, load_agent, make, train
from boardlab.learn.learner import Counts

QUICK: dict[str, Any] = {**SETTINGS, "evaluator": "random", "evaluation_games": 4, "evaluate_every": 500}


# ------------------------------------------------------------ names


def test_every_name_is_there() -> None:
    for name in boardlab.__all__:
        assert getattr(boardlab, name) is not None
    assert set(boardlab.__all__) <= set(dir(boardlab))
    with pytest.raises(AttributeError, match="module 'boardlab' has no attribute 'trian'"):
        boardlab.trian  # noqa: B018


def test_type_checkers_see_the_names_that_there_are() -> None:
    """The imports that only type checkers read, name by name, are those that really happen."""
    tree = ast.parse(Path(boardlab.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names:
            assert alias.asname == alias.name  # else it is no public name to a type checker
            seen[alias.name] = node.module.removeprefix("boardlab.")
    assert seen == boardlab._HOMES
    assert {*seen, "__version__"} == set(boardlab.__all__)


@pytest.mark.slow
def test_a_strict_type_checker_is_content(tmp_path: Path) -> None:
    code = (
        f"from boardlab import {', '.join(boardlab.__all__)}\nagent: LearningAgent = train('nim')\nreveal_type(solve)\n"
    )
    (tmp_path / "uses.py").write_text(code)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path / "cache"),
        str(tmp_path / "uses.py"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Solution" in done.stdout


def test_the_import_is_light() -> None:
    code = (
        "import sys, boardlab\n"
        "heavy = {'numpy', 'numba', 'pydantic', 'rich', 'matplotlib', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "boardlab.make\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nTrue\n"


def test_python_m_boardlab() -> None:
    done = subprocess.run([sys.executable, "-m", "boardlab", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"boardlab {boardlab.__version__}\n"


# ------------------------------------------------------------ training in one call


def test_one_call_trains_an_agent_that_can_be_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = train("tictactoe", progress=False, **QUICK)
    assert capsys.readouterr() == ("", "")
    straight = small_agent()
    straight.train(1000)
    assert learned(agent) == learned(straight)
    history = history_of(agent)
    assert [point.episodes for point in history.evaluations] == [500, 1000]
    assert history.finished and history.procedure == "random against random"
    agent.save(tmp_path / "a.agent")
    again = load_agent(tmp_path / "a.agent")
    assert (learned(again), history_of(again)) == (learned(agent), history)


def test_progress_is_told_in_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    train(make("tictactoe"), **QUICK)
    out, err = capsys.readouterr()
    assert out.startswith("Tic-tac-toe (tictactoe): td-ntuple, seed 11\n3 n-tuples, ")
    assert "\x1b" not in out and err == ""
    assert [line.split(" episodes: ")[0].strip() for line in out.splitlines() if " episodes: " in line] == [
        "500",
        "1,000",
    ]


def test_progress_in_a_notebook_without_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    display = SimpleNamespace(display=lambda found: shown.append(found._repr_mimebundle_([], [])["text/plain"]))
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("boardlab.lab.progress.find_spec", lambda name: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train("tictactoe", **QUICK)
    text = "".join(shown)
    assert text.startswith("Tic-tac-toe (tictactoe): td-ntuple, seed 11\n")
    assert [line.split(" episodes: ")[0].strip() for line in text.splitlines() if " episodes: " in line] == [
        "500",
        "1,000",
    ]


def test_ctrl_c_returns_what_was_learned(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """And training it further gives the agent that was never stopped."""
    unstopped = type(small_agent()).train

    def interrupted(agent: Any, episodes: int, threads: int = 1) -> Counts:
        counts = unstopped(agent, episodes, threads)
        if agent.episodes >= 100:
            signal.raise_signal(signal.SIGINT)
        return counts

    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr("boardlab.agents.td_ntuple.TDNTuple.train", interrupted)
        agent = train("tictactoe", **QUICK)
    assert signal.getsignal(signal.SIGINT) is before
    assert 100 <= agent.episodes < 1000 and not history_of(agent).finished
    assert f"stopped after {agent.episodes:,} episodes\n" in capsys.readouterr().out
    assert train(agent, evaluation_games=4, evaluate_every=500, progress=False) is agent
    straight = small_agent()
    straight.train(1000)
    assert learned(agent) == learned(straight) and history_of(agent).finished


def test_another_thread_may_train() -> None:
    found: list[LearningAgent] = []
    thread = threading.Thread(target=lambda: found.append(train("tictactoe", progress=False, **QUICK)))
    thread.start()
    thread.join()
    assert [agent.episodes for agent in found] == [1000]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"episodes": 0}, "episodes of a training is a whole number from 1"),
        ({"aplha": 1}, "there is no parameter of td-ntuple 'aplha'; did you mean 'alpha'"),
        ({"preset": "papre"}, "there is no preset 'papre' for tictactoe"),
        ({"agent": "random"}, "the agent random does not learn"),
        ({"threads": "many"}, "threads of a training is a whole number from 1 to 256, not many"),
        ({"against": "nobody"}, "there is no agent 'nobody'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_learned(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        train("tictactoe", progress=False, **{"evaluator": "random", **wrong})
    assert sentence in str(caught.value)


def test_what_an_agent_that_goes_on_cannot_change() -> None:
    agent = train("tictactoe", progress=False, **QUICK)
    with pytest.raises(BoardlabError, match="keeps its game, its settings, its seed and its evaluator"):
        train(agent, alpha=0.1)
    with pytest.raises(
        BoardlabError, match=r"already learned from 1,000 episodes; ask for more in total, such as episodes=2000"
    ):
        train(agent, progress=False)
    with pytest.raises(BoardlabError):
        train(7)  # type: ignore[arg-type]


# ------------------------------------------------------------ evaluating in one call


def test_one_call_evaluates(tmp_path: Path) -> None:
    agent = small_agent()
    agent.save(tmp_path / "a.agent")
    results = [
        evaluate(who, evaluator="random", games=6, seed=1)
        for who in (agent, tmp_path / "a.agent", str(tmp_path / "a.agent"))
    ]
    assert len({result.result for result in results}) == 1
    assert results[0].result.games == 6
    assert evaluate("random", game="nim", against="random", games=2).evaluator == "all-roles"
    assert evaluate("random", game=make("2048"), games=1).evaluator == "score"
    with pytest.raises(BoardlabError, match="say which game random should play"):
        evaluate("random")
