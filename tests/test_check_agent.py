"""`check_agent`: all our agents pass it, in games of every kind, and every wrong one is told what is wrong."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from small_games import Dice
from training_files import SETTINGS, learned, small_agent
from typer.testing import CliRunner
from wrong_agents import LEARNERS, SENTENCES, Right, Rigid

from boardlab import BoardlabError, LearningAgent, check_agent, make, make_agent
from boardlab.agents.base import Agent
from boardlab.agents.checking.check import AgentCheckFailed
from boardlab.agents.engine import Engine
from boardlab.agents.registry import agent_classes
from boardlab.cli.main import app

GAME = make("tictactoe")
POINTS = "td-ntuple:tuples=points:3x6,rule=plain,episodes=1000"

FAST = [
    *((spec, "tictactoe") for spec in ("random", "mcts:iterations=20", "mc:rollouts=3", "max-n:depth=2", "perfect")),
    *(("expectimax-n:depth=2", "tictactoe"), (POINTS, "tictactoe")),
    *(("n-ply:agent=td-ntuple,depth=1", "tictactoe"), ("n-ply:agent=td-ntuple,depth=0", "tictactoe")),
    *(("puct:agent=td-ntuple,iterations=5", "tictactoe"), ("n-ply:agent=[mc:rollouts=2],depth=1", "tictactoe")),
    *((name, "connect4") for name in ("c4-perfect", "c4-perfect-dl", "c4-minimax")),
    *(("othello-positional", "othello"), ("othello-ab:depth=1,endgame=2", "othello")),
    *(("dots-perfect", "dots:rows=2,columns=2"), ("random", "2048"), ("random", "nim:players=3")),
]
"""Each of our agents; the games are those that other tests have compiled them for."""
LEARNERS_OF_OURS = [name for name, cls in agent_classes().items() if issubclass(cls, LearningAgent)]
GENERAL = (
    "mcts:iterations=20",
    "mc:rollouts=2",
    "expectimax-n:depth=1",
    "td-ntuple",
    "puct:agent=td-ntuple,iterations=5",
)
GAMES = (
    "connect4",
    "othello:size=6",
    "hex:size=4",
    "nim",
    "nim:players=3",
    "nimm3",
    "2048",
    "dots:rows=2,columns=2",
    "sim",
)


def passes(spec: str, game: str, positions: int = 20) -> None:
    report = check_agent(spec, game, positions=positions, seconds=600.0)
    assert report.violation is None and report.positions == positions
    assert not any("not enough memory" in reason for reason in report.skipped)


@pytest.mark.parametrize(("spec", "game"), FAST)
def test_our_agents_keep_their_promises(spec: str, game: str) -> None:
    passes(spec, game)


def test_every_agent_of_ours_is_checked_but_those_of_other_programs() -> None:
    wanted = {name for name, cls in agent_classes().items() if not cls.runs_programs}
    others = {name for name in wanted if name.startswith("openspiel:")}
    assert {spec.partition(":")[0] for spec, _ in FAST} | set(LEARNERS_OF_OURS) == wanted - others


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS_OF_OURS)
@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
def test_our_learners_keep_their_promises(name: str, game: str) -> None:
    passes(name, game, 50)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("spec", [*GENERAL, "td-ntuple:lam=0.5,method=traces,eligibility=rr,rule=tcl", "max-n:depth=2"])
def test_our_agents_in_all_kinds_of_games(spec: str, game: str) -> None:
    if agent_classes()[spec.partition(":")[0]].refusal(make(game)) is None:
        passes(spec, game, 100)


def test_an_agent_of_ones_own_that_is_right() -> None:
    report = check_agent(Right(GAME))
    assert report.violation is None and report.positions == 100 and report.games > 10
    assert "a finite value for every legal action, within the score range, the best one is played" in report.checks
    assert report.skipped == ("the class Right is not found by a text: spec, another process",)
    assert str(report).startswith("right in tictactoe: 100 positions of ")
    assert "\n  not checked  the class Right" in str(report)


def test_chance_and_three_players() -> None:
    assert check_agent(Right(Dice()), positions=40).games >= 4


@pytest.mark.parametrize("cls", SENTENCES, ids=lambda cls: cls.__name__)
def test_a_wrong_agent_is_told_what_is_wrong(cls: type[Agent]) -> None:
    with pytest.raises(AgentCheckFailed) as caught:
        check_agent(cls(GAME))
    text = str(caught.value)
    assert SENTENCES[cls] in text
    if "refusal" not in text:
        assert "\nIn the position, " in text and "    " in text
    report = check_agent(cls(GAME), raise_on_violation=False)
    assert report.violation is not None and "VIOLATION" in str(report)


def test_a_spec_that_makes_another_agent() -> None:
    agent = Rigid(GAME)
    agent.__dict__["_origin"] = "wrong_agents.py:Rigid"
    with pytest.raises(AgentCheckFailed, match="from the agent's own spec, fails: there is no parameter of random"):
        check_agent(agent)


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_a_wrong_learner_is_told_what_is_wrong(cls: type[LearningAgent]) -> None:
    report = check_agent(cls(GAME, **SETTINGS), raise_on_violation=False)
    assert LEARNERS[cls] in (report.violation or "nothing")


def test_the_learner_itself_learns_nothing() -> None:
    agent = small_agent()
    agent.train(30)
    before = learned(agent)
    assert check_agent(agent, positions=10).violation is None
    assert learned(agent) == before


def test_a_program_is_asked_without_a_copy_of_it() -> None:
    tiny = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).parent / 'tiny_engine.py'))}"
    agent = Engine(make("connect4"), command=f"{tiny} gtp connect4 --mode explicit")
    report = check_agent(agent, positions=10)
    agent.close()
    assert report.violation is None and any("not repeatable" in reason for reason in report.skipped)


def test_what_depends_on_the_clock_is_not_asked_twice() -> None:
    report = check_agent("mc:time=0.002", "tictactoe", positions=10)
    assert any("not repeatable" in reason for reason in report.skipped)
    assert make_agent("n-ply:agent=[mcts:time=0.01]", GAME).repeatable is False
    assert check_agent("mcts:iterations=50", "tictactoe", positions=10**6, seconds=0.2).positions < 10**5


@pytest.mark.parametrize(
    ("agent", "game", "sentence"),
    [
        ("random", None, 'say for which game random is checked, as check_agent("random", "tictactoe")'),
        (3, "nim", "an agent is checked, or the text that makes one, as mcts:iterations=100, not 3"),
        ("max-n", "2048", "max-n plays games without chance"),
        (Right(GAME), "nim", "right was made for tictactoe; it cannot be checked in nim"),
    ],
)
def test_what_cannot_be_checked(agent: object, game: str | None, sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        check_agent(agent, game)  # type: ignore[arg-type]
    assert str(caught.value).startswith(sentence)


# ------------------------------------------------------------ the command

OWN = """
from boardlab import Agent

class First(Agent):
    def choose(self, position, rng):
        return ANSWER
"""


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["check", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_command_checks_an_agent_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "first.py"
    file.write_text(OWN.replace("ANSWER", "position.legal_actions[0]"))
    code, out, err = run("agent", f"{file}:First", "tictactoe", "--positions", "20")
    assert (code, err) == (0, "")
    assert "20 positions of " in out and "no violation found" in out and "the same actions in another process" in out
    file.write_text(OWN.replace("ANSWER", "position.legal_actions[9]"))
    code, out, err = run("agent", f"{file}:First", "tictactoe")
    assert (code, out) == (1, "") and "Traceback" not in err
    assert "failed: choose (first.py, line 6) stopped with IndexError: list index out of range" in err


def test_another_process_that_answers_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "hashing.py"
    # texts have another hash in every process
    answer = "position.legal_actions[hash(str(position.history)) % len(position.legal_actions)]"
    file.write_text(OWN.replace("ANSWER", answer))
    code, out, err = run("agent", f"{file}:First", "tictactoe", "--positions", "40")
    assert (code, out) == (1, "")
    assert "in another process with the same random numbers\nIn the position, " in err


def test_the_command_knows_the_game_of_an_agent_file(tmp_path: Path) -> None:
    agent = small_agent()
    agent.train(20)
    agent.save(tmp_path / "a.agent")
    code, out, err = run("agent", str(tmp_path / "a.agent"), "--positions", "10")
    assert (code, err) == (0, "") and "a.agent in tictactoe: 10 positions" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["agent"], "say which agent and which game, as boardlab check agent mcts:iterations=100 tictactoe"),
        (["agent", "random"], "say which agent and which game"),
        (["tictactoe", "nim"], "one game is checked at a time, as boardlab check tictactoe"),
        (["tictactoe", "--positions", "5"], "--positions belongs to the check of an agent; use --games"),
        (["agent", "random", "nim", "--games", "5"], "--games belongs to the check of a game; use --positions"),
    ],
)
def test_a_wrong_command_is_explained(arguments: list[str], sentence: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2 and sentence in err
