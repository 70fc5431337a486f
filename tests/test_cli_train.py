"""`boardlab train`, `info`, `bench train`, and what can be done with a trained agent on the command line."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from training_files import learned
from typer.testing import CliRunner

from boardlab import make
from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.cli.main import app
from boardlab.cli.train import next_commands
from boardlab.lab.history import history_in, history_of
from boardlab.lab.progress import rates_text
from boardlab.lab.training import TrainingReport
from boardlab.lab.wish import TrainingWish
from boardlab.store import claimed, read_agent_file

BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]

QUICK = ["-o", "rule=plain", "-o", "tuples=full", "-o", "alpha=0.9", "--against", "random", "--evaluation-games", "10"]
"""Tic-tac-toe with plain TD, and evaluations that take no time."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    yield


def run(*arguments: str, entered: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command, in this process."""
    result = CliRunner().invoke(app, list(arguments), input=entered)
    return result.exit_code, result.stdout, result.stderr


def train(*arguments: str) -> str:
    """What a training prints that comes to its end."""
    code, out, err = run("train", *arguments)
    assert (code, err) == (0, ""), out + err
    return out


# ------------------------------------------------------------ a whole training


def test_a_training_leaves_agent_curve_and_picture() -> None:
    out = train("tictactoe", "--episodes", "2000", "--evaluate-every", "500", "--seed", "5", *QUICK)
    lines = out.splitlines()
    assert lines[0] == "Tic-tac-toe (tictactoe): td-ntuple, seed 5"
    assert lines[1] == "1 n-tuple, 19,683 weights in 2 table sets, 154 kB; td-farl, plain"
    assert lines[2] == "evaluated every 500 episodes (evaluator all-roles, opponent random)"
    evaluations = [line for line in lines if " episodes: " in line]
    assert [line.split()[0] for line in evaluations] == ["500", "1,000", "1,500", "2,000"]
    assert all(re.fullmatch(r" +[\d,]+ episodes: [+-]\d\.\d{3} \(.* 10 games\)", line) for line in evaluations)
    assert "learning curve: agents/tictactoe.csv and agents/tictactoe.png" in lines
    assert "play against it with       boardlab play tictactoe --seat human --seat agents/tictactoe.agent" in lines
    assert "measure it with            boardlab eval agents/tictactoe.agent" in lines
    assert "resume" not in out
    assert sorted(os.listdir("agents")) == ["tictactoe.agent", "tictactoe.csv", "tictactoe.png"]
    rows = list(csv.DictReader(Path("agents/tictactoe.csv").read_text().splitlines()))
    assert [row["episodes"] for row in rows] == ["500", "1000", "1500", "2000"]
    assert all(float(row["low"]) <= float(row["score"]) <= float(row["high"]) for row in rows)
    assert {row["games"] for row in rows} == {"10"}
    assert Path("agents/tictactoe.png").read_bytes().startswith(b"\x89PNG")
    agent = load_agent("agents/tictactoe.agent")
    assert agent.episodes == 2000
    assert (agent.parameters.alpha, agent.parameters.seed) == (0.9, 5)


def test_the_next_training_takes_the_next_name() -> None:
    for name in ("tictactoe", "tictactoe-2", "tictactoe-3"):
        assert f"agent: agents/{name}.agent " in train("tictactoe", "-n", "10", *QUICK)
    seeds = {read_agent_file(p).about.parameters["seed"] for p in Path("agents").glob("*.agent")}
    assert len(seeds) == 3


def test_settings_come_from_preset_file_and_options_in_this_order() -> None:
    Path("mine.toml").write_text('alpha = 0.6\nepsilon = 0.3\nlambda = 0.25\ntuples = "points:2x5"\n')
    train(
        *("tictactoe", "--preset", "paper", "--config", "mine.toml", "-o", "epsilon=0.2", "-n", "50"),
        *("--out", "x/y.agent", "--against", "random", "--evaluation-games", "2"),
    )
    about = read_agent_file(Path("x/y.agent")).about
    p = about.parameters
    assert (p["alpha_end"], p["rule"], p["learn_from_random"]) == (0.5, "plain", True)  # of the preset
    assert (p["alpha"], p["lam"], p["tuples"]) == (0.6, 0.25, "points:2x5")  # of the file
    assert (p["epsilon"], p["episodes"]) == (0.2, 50)
    assert about.history["preset"] == "paper"


def test_a_file_may_hold_all_that_is_asked_for() -> None:
    wish = TrainingWish(
        game="tictactoe",
        options={"rule": "plain", "tuples": "points:3x6", "alpha": 0.5},
        **{"episodes": 60, "seed": 4, "threads": 2, "evaluator": "random", "evaluate_every": 30, "evaluation_games": 2},
    )
    Path("wish.toml").write_text(wish.to_toml())
    train("--config", "wish.toml", "--out", "a.agent")
    train("--config", "wish.toml", "--out", "b.agent", "-o", "alpha=0.25", "-o", "seed=5", "-n", "90", "--threads", "1")
    agents = [load_agent(name) for name in ("a.agent", "b.agent")]
    assert [agent.game.name for agent in agents] == ["tictactoe"] * 2
    assert [agent.parameters.model_dump()["alpha"] for agent in agents] == [0.5, 0.25]
    assert [(agent.parameters.seed, agent.episodes) for agent in agents] == [(4, 60), (5, 90)]
    assert [[p.episodes for p in history_of(agent).evaluations] for agent in agents] == [[30, 60], [30, 60, 90]]
    assert [len(agent.learner.streams) for agent in agents if isinstance(agent, TDNTuple)] == [2, 1]


def test_lambda_may_be_written_as_lambda() -> None:
    train("tictactoe", "-n", "10", "-o", "lambda=0.5", *QUICK)
    assert read_agent_file(Path("agents/tictactoe.agent")).about.parameters["lam"] == 0.5


def test_the_progress_fits_into_80_columns() -> None:
    """8 for the bar, 11 for the episodes, 7 for the time that is left, 3 between them."""
    rates = {"alpha": 0.00123456, "epsilon": 0.0123456, "temperature": 0.0123456}
    widest = TrainingReport(500_000_000, 654_321.0, 7_654_321.0, rates)
    assert "alpha 0.00123 eps 0.012" in rates_text(widest)
    assert len(rates_text(widest)) <= 80 - 8 - 11 - 7 - 3


def test_two_threads() -> None:
    train("tictactoe", "-n", "3000", "--threads", "2", *QUICK)
    assert load_agent("agents/tictactoe.agent").episodes == 3000


# ------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say which game to learn, as in boardlab train connect4, or continue with --resume FILE"),
        (["tictacto"], "there is no game 'tictacto'; did you mean 'tictactoe'?"),
        (["tictactoe", "--preset", "papr"], "there is no preset 'papr' for tictactoe; presets for it: paper"),
        (["tictactoe", "-o", "alpha=1", "-o", "alpha =2"], "the option alpha is given twice; say it once"),
        (["connect4", "-o", "tuples=walk:99999999x9"], "'walk:99999999x9' asks for 99,999,999 n-tuples, a network has"),
        (["tictactoe", "-o", "alpha"], "an option is written name=value, such as -o alpha=0.5, not 'alpha'"),
        (["tictactoe", "-o", "alfa=1"], "there is no parameter of td-ntuple 'alfa'; did you mean 'alpha'?"),
        (["tictactoe", "-o", "alpha=high"], "alpha of td-ntuple is a number above 0 and not above 1000, not high"),
        (["tictactoe", "-o", "rule=best"], "there is no step-size rule 'best'."),
        (["tictactoe", "--config", "none.toml"], "none.toml cannot be read: No such file or directory"),
        (["tictactoe", "--config", "bad.toml"], "bad.toml is not TOML: "),
        (["tictactoe", "--config", "latin.toml"], "latin.toml is not TOML: "),
        (["tictactoe", "--config", "table.toml"], "there is no parameter of td-ntuple 'training'"),
        (["tictactoe", "--out", "x.zip"], "an agent file ends with .agent; call it x.agent"),
        (["tictactoe", "--out", "old.agent"], "old.agent already exists; choose another name, or continue"),
        (["tictactoe", "--evaluator", "perfekt"], "there is no evaluator 'perfekt'; did you mean 'perfect'?"),
        (["2048", "--against", "random"], "the evaluator all-roles is for games of two players or more"),
        (["--resume", "none.agent"], "none.agent cannot be read: No such file or directory"),
        (["--resume", "old.agent"], "old.agent is not an agent file of boardlab"),
        (["tictactoe", "--resume", "old.agent"], "a resumed training keeps the game and the settings of its"),
        (["--resume", "old.agent", "--against", "mc"], "a resumed training keeps the game and the settings"),
        (["--resume", "old.agent", "--seed", "0"], "a resumed training keeps the game and the settings of its"),
    ],
)
def test_a_mistake_is_told_before_any_work(arguments: list[str], sentence: str) -> None:
    Path("bad.toml").write_text("alpha = = 2")
    Path("latin.toml").write_bytes(b"tuples = '\xe9'")
    Path("table.toml").write_text("[training]\nalpha = 1")
    Path("old.agent").write_text("not really")
    code, out, err = run("train", *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith(f"boardlab: {sentence}")
    assert err.count("\n") == 1


def test_a_wrong_opponent_is_told_before_training() -> None:
    code, out, err = run("train", "tictactoe", "-o", "rule=plain", "--against", "randm")
    assert code == 2
    assert err.startswith("boardlab: there is no agent 'randm'; did you mean 'random'?")
    assert "episodes:" not in out
    assert not Path("agents").exists()


# ------------------------------------------------------------ going on


def test_resume_goes_on_where_it_stopped() -> None:
    train("tictactoe", "-n", "400", "--seed", "8", "--evaluate-every", "200", "--out", "a.agent", *QUICK)
    code, out, err = run("train", "--resume", "a.agent")
    assert code == 2
    assert "has already learned from 400 episodes; ask for more in total, such as --episodes 800" in err
    out = train("--resume", "a.agent", "-n", "1000", "--evaluate-every", "200", "--out", "b.agent")
    assert out.splitlines()[2] == "evaluated every 200 episodes (evaluator all-roles, opponent random)"
    assert load_agent("a.agent").episodes == 400
    assert load_agent("b.agent").episodes == 1000
    assert [p.episodes for p in history_in(read_agent_file(Path("b.agent"))).evaluations] == [
        200,
        400,
        600,
        800,
        1000,
    ]
    assert run("train", "--resume", "a.agent", "-n", "500", "--out", "b.agent")[0] == 2
    train("--resume", "a.agent", "-n", "500")
    assert load_agent("a.agent").episodes == 500


def test_the_same_seed_gives_the_same_agent_in_every_process() -> None:
    arguments = ["tictactoe", "-n", "1500", *QUICK]
    command = [*BOARDLAB, "train", *arguments, "--seed", "3", "--out", "a.agent"]
    subprocess.run(command, check=True, capture_output=True)
    train(*arguments, "--seed", "3", "--evaluate-every", "100", "--out", "b.agent")
    train(*arguments, "--seed", "4", "--out", "c.agent")
    a, b, c = (learned(load_agent(f"{name}.agent")) for name in "abc")
    assert a == b != c


def interrupted(*arguments: str, after: str, how: signal.Signals = signal.SIGINT) -> str:
    """What a training prints that gets Ctrl-C, or another signal, when it has printed a line with `after`."""
    command = [*BOARDLAB, "train", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            printed = ""
            while after not in printed.rpartition("\n")[0]:
                line = process.stdout.readline()
                assert line, f"it ended without {after!r}: {printed}"
                printed += line
            process.send_signal(how)
            rest, err = process.communicate(timeout=60)
            assert (process.returncode, err) == (0, "")
            return printed + rest
        finally:
            process.kill()


def test_ctrl_c_keeps_the_agent_and_says_how_to_go_on() -> None:
    options = ["-n", "1000000000", "--evaluate-every", "2000", "--out", "a b.agent", *QUICK]
    out = interrupted("tictactoe", *options, after="4,000 episodes:")
    lines = out.splitlines()
    assert "stopped early; resume with boardlab train --resume 'a b.agent'" in lines
    assert "play against it with       boardlab play tictactoe --seat human --seat 'a b.agent'" in lines
    about = read_agent_file(Path("a b.agent")).about
    assert about.facts["episodes"] >= 4000
    assert not about.history["finished"]
    told = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) episodes: ", out)]
    assert [p["episodes"] for p in about.history["evaluations"]] == told
    # it goes on as if it had never been stopped
    straight = load_agent("a b.agent")
    straight.train(1000)
    train("--resume", "a b.agent", "-n", str(about.facts["episodes"] + 1000), "--evaluate-every", "2000000")
    assert learned(load_agent("a b.agent")) == learned(straight)


SLOW_EVALUATOR = """
import time
from boardlab.matches.evaluators.general import AllRoles

class Slow(AllRoles):
    name = "slow"

    def evaluate(self, agent, **options):
        print("evaluating", flush=True)
        time.sleep(100)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_during_an_evaluation(how: signal.Signals) -> None:
    """The evaluation is given up soon; what was learned before and beside it is kept."""
    Path("slow.py").write_text(SLOW_EVALUATOR)
    options = ["-o", "rule=plain", "-o", "tuples=full", "-n", "3000", "--out", "a.agent"]
    out = interrupted("tictactoe", "--evaluator", "slow.py:Slow", *options, after="evaluating", how=how)
    assert "resume with boardlab train --resume a.agent" in out
    assert 150 <= load_agent("a.agent").episodes <= 300


def test_sigterm_while_it_learns() -> None:
    options = ["-n", "1000000000", "--evaluate-every", "2000", "--out", "a.agent", *QUICK]
    out = interrupted("tictactoe", *options, after="4,000 episodes:", how=signal.SIGTERM)
    assert "stopped early; resume with boardlab train --resume a.agent" in out.splitlines()
    assert load_agent("a.agent").episodes >= 4000
    assert sorted(os.listdir()) == ["a.agent", "a.csv", "a.png"]


def test_the_last_evaluation_is_made_up_for() -> None:
    """A training that was stopped when there was nothing more to learn is resumed as it says."""
    Path("slow.py").write_text(SLOW_EVALUATOR)
    options = ["-o", "rule=plain", "-o", "tuples=full", "-n", "100", "--evaluate-every", "200", "--out", "a.agent"]
    out = interrupted("tictactoe", "--evaluator", "slow.py:Slow", *options, after="evaluating")
    assert "resume with boardlab train --resume a.agent" in out
    Path("slow.py").write_text(SLOW_EVALUATOR.partition("    def")[0])
    assert "100 episodes: " in train("--resume", "a.agent", "--evaluation-games", "10")
    assert history_in(read_agent_file(Path("a.agent"))).finished
    code, _, err = run("train", "--resume", "a.agent")
    assert code == 2
    assert err.startswith("boardlab: the agent has already learned from 100 episodes; ask for more")


def test_ctrl_c_after_a_training_that_was_finished_once() -> None:
    train("tictactoe", "-n", "100", "--out", "a.agent", *QUICK)
    options = ["-n", "1000000000", "--evaluate-every", "1000"]
    assert "stopped early" in interrupted("--resume", "a.agent", *options, after="1,000 episodes:")
    assert load_agent("a.agent").episodes >= 1000


BROKEN_EVALUATOR = """
from boardlab.matches.evaluators.general import AllRoles

class Broken(AllRoles):
    name = "broken"

    def evaluate(self, agent, **options):
        if agent.episodes > 200:
            raise RuntimeError("not today")
        return super().evaluate(agent, **options)
"""


def test_what_was_learned_outlives_a_broken_evaluator() -> None:
    Path("broken.py").write_text(BROKEN_EVALUATOR)
    options = ["-o", "rule=plain", "-o", "tuples=full", "-n", "1000", "--evaluate-every", "150", "--out", "a.agent"]
    result = CliRunner().invoke(app, ["train", "tictactoe", "--evaluator", "broken.py:Broken", *options])
    assert "evaluate (broken.py, line 9) stopped with RuntimeError: not today" in result.output
    assert load_agent("a.agent").episodes in range(300, 451)  # the evaluation of 300 may run beside learning


COUNTED_OPPONENT = """
from boardlab.agents.random import RandomAgent

class Counted(RandomAgent):
    name = "counted"

    def setup(self):
        with open("made", "a") as stream:
            stream.write("x")
"""


def test_the_opponent_of_a_training_is_made_once() -> None:
    Path("counted.py").write_text(COUNTED_OPPONENT)
    options = ["-o", "rule=plain", "-o", "tuples=full", "-n", "400", "--evaluate-every", "100"]
    out = train("tictactoe", "--against", "counted.py:Counted", "--evaluation-games", "10", *options)
    assert out.count(" episodes: ") == 4
    assert Path("made").read_text() == "x"


# ------------------------------------------------------------ several at once


def test_two_trainings_at_once_have_two_files() -> None:
    command = [*BOARDLAB, "train", "tictactoe", "-n", "2000", *QUICK]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = {line.split()[1] for p in both for line in p.communicate()[0].splitlines() if line.startswith("agent: ")}
    assert [process.returncode for process in both] == [0, 0]
    assert told == {"agents/tictactoe.agent", "agents/tictactoe-2.agent"}
    assert {load_agent(path).episodes for path in told} == {2000}
    assert len({load_agent(path).parameters.seed for path in told}) == 2


def test_a_name_that_another_process_has_is_passed_over_or_refused() -> None:
    train("tictactoe", "-n", "10", "--out", "old.agent", *QUICK)
    before = Path("old.agent").read_bytes()
    with claimed(Path("agents/tictactoe.agent")), claimed(Path("mine.agent")), claimed(Path("old.agent")):
        assert "agent: agents/tictactoe-2.agent " in train("tictactoe", "-n", "10", *QUICK)
        for options in (["tictactoe", "--out", "mine.agent"], ["--resume", "old.agent", "-n", "20"]):
            code, out, err = run("train", *options)
            assert (code, out) == (2, "")
            assert re.fullmatch(r"boardlab: (mine|old)\.agent is being trained by another process just now; .*\n", err)
        assert Path("old.agent").read_bytes() == before
        train("--resume", "old.agent", "-n", "20", "--out", "copy.agent", "--evaluation-games", "10")
        assert run("info", "old.agent")[0] == 0
    train("--resume", "old.agent", "-n", "20", "--evaluation-games", "10")
    assert load_agent("old.agent").episodes == 20
    assert not [name for name in [*os.listdir(), *os.listdir("agents")] if name.startswith(".")]


def test_what_a_killed_training_left_is_removed_by_the_next() -> None:
    Path("agents").mkdir()
    Path("agents/.tictactoe.agent.0a1b2c3d").write_text("half")
    Path("agents/.tictactoe.agent.lock").touch()
    train("tictactoe", "-n", "10", *QUICK)
    assert sorted(os.listdir("agents")) == ["tictactoe.agent", "tictactoe.csv", "tictactoe.png"]


# ------------------------------------------------------------ using the agent


def test_info_play_eval_and_match() -> None:
    train("tictactoe", "-n", "2000", "--seed", "1", "--out", "a.agent", *QUICK)
    code, out, err = run("info", "a.agent")
    assert (code, err) == (0, "")
    for words in (
        "td-ntuple for tictactoe",
        "2,000 episodes",
        "finished",
        "1 of length 9",
        "learned of 39,366 in 2 table sets",
        "learning curve (all-roles against random)",
        "boardlab 0.1.0",
    ):
        assert words in out, words
    assert re.search(r"alpha_end +none", out)
    assert re.search(r"rule +plain", out)
    assert max(map(len, out.splitlines())) <= 80
    about = json.loads(run("info", "a.agent", "--json")[1])
    assert about["game"] == "tictactoe"
    assert about["facts"]["episodes"] == 2000
    assert len(about["history"]["evaluations"]) == 20
    code, out, err = run("eval", "a.agent", "--against", "random", "--games", "20", "--seed", "1")
    assert (code, err) == (0, "")
    assert "20 games against random" in out
    code, out, err = run("play", "tictactoe", "--seat", "human", "--seat", "a.agent", entered="b2\nquit\n")
    assert (code, err) == (0, "")
    assert "X is you, O is a.agent." in out
    assert "O (a.agent): " in out
    code, out, err = run("match", "tictactoe", "a.agent", "random", "--games", "20", "--seed", "1", "--json")
    assert (code, err) == (0, "")
    agent, opponent = json.loads(out)["contestants"]
    assert (agent["name"], opponent["name"]) == ("a.agent", "random")
    assert agent["wins"] > opponent["wins"]


def test_info_refuses_what_is_no_agent_file() -> None:
    Path("a.agent").write_text("nothing")
    code, out, err = run("info", "a.agent")
    assert (code, out) == (2, "")
    assert err == "boardlab: a.agent is not an agent file of boardlab, or it is damaged: File is not a zip file\n"


def test_the_last_words_fit_the_number_of_players() -> None:
    path = Path("my agents/x.agent")
    assert next_commands(make("nim:players=3"), path, finished=True) == [
        (
            "play against it",
            "boardlab play nim:players=3 --seat human --seat 'my agents/x.agent' --seat 'my agents/x.agent'",
        ),
        ("measure it", "boardlab eval 'my agents/x.agent'"),
    ]
    assert next_commands(make("2048"), path, finished=False)[:2] == [
        ("stopped early; resume", "boardlab train --resume 'my agents/x.agent'"),
        ("watch it play", "boardlab play 2048 --seat 'my agents/x.agent'"),
    ]


# ------------------------------------------------------------ bench


def test_bench_train_prints_the_keys_that_others_read() -> None:
    code, out, err = run("bench", "train", "--games", "nim", "--json")
    assert (code, err) == (0, "")
    (row,) = json.loads(out)
    assert row["game"] == "nim"
    assert row["evals_per_s"] > row["moves_per_s"] > row["games_per_s"] > 0
    assert 3 <= row["moves_per_s"] / row["games_per_s"] <= 15
    assert row["speed_up"] is None


@pytest.mark.slow
def test_bench_train_with_two_threads() -> None:
    code, out, _ = run("bench", "train", "--games", "nim", "--threads", "2")
    assert code == 0
    assert re.search(r"^nim with 2 threads: \d+\.\d\d times as fast as with one", out, re.MULTILINE)
    assert re.search(r"^ *nim +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ ", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80
