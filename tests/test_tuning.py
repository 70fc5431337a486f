"""Tuning: what its file means, what it keeps, and how it goes on after it was cut off."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from processes import wait_until
from typer.testing import CliRunner

from boardlab.cli.main import app
from boardlab.errors import BoardlabError
from boardlab.lab.sweeps.results import results
from boardlab.lab.tuning.description import Tuning
from boardlab.lab.tuning.study import ask, finished_trials, importances, open_study, take_up_again
from boardlab.lab.tuning.tune import carry_out_tuning

optuna = pytest.importorskip("optuna")

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"
FILE = f"""
game = "tictactoe"
agent = "{OWN}"
episodes = 30
evaluator = "all-roles"
against = "random"
evaluate_every = 10
evaluation_games = 4
seeds = 2

[hypercube]
alpha = {{ from = 0.001, to = 1.0, scale = "log" }}

[tune]
trials = 3
"""


def a_file(folder: Path, text: str = FILE) -> Path:
    path = folder / "t.toml"
    path.write_text(text)
    return path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(BoardlabError) as caught:
        Tuning.read(a_file(folder, text))
    return str(caught.value)


def test_ranges_and_lists_are_the_space(tmp_path: Path) -> None:
    text = FILE.replace("[tune]", "[grid]\nepisodes = [10, 30]\n[tune]")
    found = Tuning.read(a_file(tmp_path, text)).distributions()
    assert found["alpha"] == optuna.distributions.FloatDistribution(0.001, 1.0, log=True)
    assert found["episodes"] == optuna.distributions.CategoricalDistribution([10, 30])


def test_named_variants_are_a_choice(tmp_path: Path) -> None:
    text = FILE + "\n[variants.short]\nepisodes = 10\n[variants.long]\nepisodes = 20\n"
    tuning = Tuning.read(a_file(tmp_path, text.replace("episodes = 30\n", "", 1)))
    variant = tuning.variant_of({"variant": "long", "alpha": 0.5})
    assert (variant.wish.episodes, variant.wish.options["alpha"]) == (20, 0.5)
    assert Tuning.read(a_file(tmp_path, tuning.to_toml())) == tuning


def test_mistakes_in_the_file_get_a_sentence(tmp_path: Path) -> None:
    assert "nothing varies" in refused(tmp_path, FILE.split("[hypercube]", maxsplit=1)[0])
    assert "names no game" in refused(tmp_path, FILE.replace('game = "tictactoe"\n', ""))
    assert "goal time needs levels" in refused(tmp_path, FILE + 'goal = "time"\n')
    assert "sampler" in refused(tmp_path, FILE + 'sampler = "best"\n')


def test_a_stopped_tuning_asks_for_the_same_settings_as_one_that_was_not(tmp_path: Path) -> None:
    """Trials that were cut off are asked for again; the others follow from seed and place."""
    tuning = Tuning.read(a_file(tmp_path))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = open_study(tmp_path / "a", tuning.tune)
    wanted = []
    for _ in range(4):
        trial = ask(whole, tuning)
        whole.tell(trial, trial.params["alpha"])
        wanted.append(trial.params)
    first = open_study(tmp_path / "b", tuning.tune)
    for _ in range(2):
        trial = ask(first, tuning)
        first.tell(trial, trial.params["alpha"])
    second = open_study(tmp_path / "b", tuning.tune)
    assert take_up_again(second) == 0
    third = ask(second, tuning)
    assert [t.params for t in second.get_trials()] == wanted[:3]
    assert take_up_again(open_study(tmp_path / "b", tuning.tune)) == 1
    again = ask(open_study(tmp_path / "b", tuning.tune), tuning)
    assert again.params == third.params
    assert len(finished_trials(second)) == 2


def test_importances_name_what_matters(tmp_path: Path) -> None:
    """Only alpha decides; epsilon is noise."""
    text = FILE.replace("[tune]", "epsilon = { from = 0.0, to = 1.0 }\n[tune]")
    tuning = Tuning.read(a_file(tmp_path, text))
    study = open_study(tmp_path, tuning.tune)
    assert importances(study) == {}
    for _ in range(60):
        trial = ask(study, tuning)
        study.tell(trial, -abs(trial.params["alpha"] - 0.1))
    shares = importances(study)
    assert shares["alpha"] > 2 * shares["epsilon"]


def test_the_command_finds_settings_and_goes_on(tmp_path: Path) -> None:
    arguments = ["tune", str(a_file(tmp_path)), "--folder", str(tmp_path / "t"), "--processes", "1"]
    result = CliRunner().invoke(app, [*arguments, "--trials", "2"])
    assert result.exit_code == 0, result.stderr
    assert "the best of 2 trials" in result.stdout
    assert len(results(tmp_path / "t").finished) >= 2
    best = tomllib.loads((tmp_path / "t" / "best.toml").read_text())
    assert 0.001 <= best["options"]["alpha"] <= 1.0
    again = CliRunner().invoke(app, [*arguments, "--trials", "2"])
    assert "2 of them done" in again.stdout
    other = a_file(tmp_path, FILE.replace("episodes = 30", "episodes = 40"))
    wrong = CliRunner().invoke(app, ["tune", str(other), "--folder", str(tmp_path / "t")])
    assert wrong.exit_code == 2
    assert "trials of another tuning" in " ".join(wrong.stderr.split())


@pytest.mark.slow
def test_a_killed_tuning_finds_what_an_undisturbed_one_finds(tmp_path: Path) -> None:
    file = a_file(tmp_path, FILE.replace("episodes = 30", "episodes = 300").replace("trials = 3", "trials = 4"))
    tuning = Tuning.read(file)
    calm = carry_out_tuning(tuning, tmp_path / "calm", lambda line: None, processes=1)
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "boardlab", "tune", str(file), "--folder", str(folder), "--processes", "1"]
    for count in (1, 3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda count=count: len(list(folder.glob("runs/*/result.json"))) > count)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    found = carry_out_tuning(tuning, folder, lambda line: None, processes=1)
    assert (found.best, found.value) == (calm.best, calm.value)
