"""Agent files: nothing is lost in them, nothing breaks them while they are written, and what is no agent file, or not a
whole one, is refused in a sentence."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learners import train_plainly
from training_files import learned, refused, small_agent

from boardlab import BoardlabError, make
from boardlab.agents.files import described_file, load_agent, stored_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.lab.history import History, history_in, history_of
from boardlab.store import read_agent_file

VARIANTS = [
    {},
    {"method": "traces", "lam": 0.6, "eligibility": "rr", "choose_start": False},
    {"lam": 0.5, "eligibility": "res", "learn_from_random": False},
    {"tables": "inversion", "bias": True, "output": "logistic"},
]


# ------------------------------------------------------------ nothing is lost


def test_a_round_trip_keeps_everything(tmp_path: Path) -> None:
    agent = small_agent(rule="tcl-exp", lam=0.5, seed=3)
    agent.train(200)
    history = History(seconds=1.5, moves=99, preset="paper", evaluator="random", against="random")
    agent.history = history.model_dump()
    agent.save(tmp_path / "a.agent")
    file = read_agent_file(tmp_path / "a.agent")
    again = stored_agent(file)
    assert isinstance(again, TDNTuple)
    assert learned(again) == learned(agent)
    assert again.parameters == agent.parameters
    assert again.game == agent.game
    assert again.learner.values.layout.tuples == agent.learner.values.layout.tuples
    assert file.about.history == again.history == agent.history
    assert history_in(file) == history == history_of(again)
    assert file.about.saved != ""
    assert set(file.about.software) == {"boardlab", "python", "numpy", "numba"}
    assert np.count_nonzero(again.learner.network.memory[:, :-1] != np.float32(1e-4)) > 0


@pytest.mark.parametrize("variant", VARIANTS[:2])
def test_what_is_kept_of_tables_that_were_not_filled_is_the_same(
    variant: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large tables begin with zeros, whatever the step-size rule begins with; nobody notices, in files of either."""
    monkeypatch.setattr("boardlab.learn.learner.train_episodes", train_plainly)
    filled = small_agent(rule="tcl-exp", **variant)
    filled.train(60)
    filled.save(tmp_path / "filled.agent")
    monkeypatch.setattr("boardlab.learn.learner.SMALL_TABLES", 0)
    unfilled = small_agent(rule="tcl-exp", **variant)
    assert unfilled.learner.rule.unfilled and not unfilled.learner.network.memory.any()
    unfilled.train(60)
    again = load_agent(tmp_path / "filled.agent")
    for agent in (filled, unfilled, again):
        agent.train(20)
        (_, ours), (_, theirs) = agent.dump(), filled.dump()
        assert {name: array.tobytes() for name, array in ours.items()} == {k: v.tobytes() for k, v in theirs.items()}
        assert agent.step_sizes().tolist() == filled.step_sizes().tolist()
        assert agent.tuple_views().table(0, 1).moved.tolist() == filled.tuple_views().table(0, 1).moved.tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_resumed_training_is_the_one_that_was_never_stopped(variant: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    straight = small_agent(**variant)
    straight.train(500)
    stopped = small_agent(**variant)
    for episodes in (1, 199, 100):
        stopped.train(episodes)
        stopped.save(path)
        stopped = load_agent(path)
    stopped.train(200)
    assert learned(stopped) == learned(straight)
    straight.train(50)
    stopped.train(50)
    assert learned(stopped) == learned(straight)


def test_training_goes_on_in_another_process(tmp_path: Path) -> None:
    straight = small_agent()
    straight.train(500)
    agent, path = small_agent(), tmp_path / "a.agent"
    agent.train(300)
    agent.save(path)
    code = (
        "import sys; from pathlib import Path; from boardlab.agents.files import load_agent\n"
        "path = Path(sys.argv[1]); agent = load_agent(path); agent.train(200); agent.save(path)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert learned(load_agent(path)) == learned(straight)


def test_every_thread_has_its_random_numbers_kept(tmp_path: Path) -> None:
    agent = small_agent()
    agent.train(100, threads=3)
    agent.save(tmp_path / "a.agent")
    assert len(agent.learner.streams) == 3
    assert learned(load_agent(tmp_path / "a.agent")) == learned(agent)


def test_weights_never_visited_cost_nothing(tmp_path: Path) -> None:
    fresh = TDNTuple(make("connect4"), tuples="mode1")
    fresh.save(tmp_path / "fresh.agent")
    assert fresh.learner.network.weights.size > 500_000
    assert (tmp_path / "fresh.agent").stat().st_size < 20_000
    agent = small_agent()
    agent.train(5)
    agent.save(tmp_path / "a.agent")
    file = read_agent_file(tmp_path / "a.agent")
    learned_weights = np.count_nonzero(agent.learner.network.weights[:, :-1])
    assert described_file(file)["weights"].startswith(f"{learned_weights:,} learned of ")


def test_a_newer_file_may_take_the_place_of_one_that_is_being_read(tmp_path: Path) -> None:
    agent, path = small_agent(), tmp_path / "a.agent"
    agent.train(100)
    agent.save(path)
    before = learned(agent)
    file = read_agent_file(path)
    agent.train(100)
    agent.save(path)
    assert learned(stored_agent(file)) == before
    assert learned(load_agent(path)) == learned(agent)


@pytest.mark.slow
def test_connect_four_after_100_000_games_stays_small(tmp_path: Path) -> None:
    from boardlab.lab.presets import preset_settings

    game = make("connect4")
    agent, path = TDNTuple(game, **preset_settings(game, "paper")), tmp_path / "c4.agent"
    agent.train(100_000)
    agent.save(path)
    print(f"{path.stat().st_size / 1e6:.1f} MB")
    assert path.stat().st_size < 25e6
    assert learned(load_agent(path)) == learned(agent)


# ------------------------------------------------------------ writing


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "where", ["os.replace", "os.fsync", "zipfile.ZipFile.writestr", "numpy.lib.format.write_array"]
)
def test_a_failed_write_leaves_the_old_file(where: str, kept: Path, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.agent"
    path.write_bytes(kept.read_bytes())
    monkeypatch.setattr(where, full_disk)
    with pytest.raises(BoardlabError, match=r"a.agent cannot be written: No space left on device; what was there"):
        small_agent().save(path)
    monkeypatch.setattr(where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        small_agent().save(path)
    assert path.read_bytes() == kept.read_bytes()
    assert os.listdir(tmp_path) == ["a.agent"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(BoardlabError, match=r"taken.a.agent cannot be written"):
        small_agent().save(tmp_path / "taken" / "a.agent")


SAVE_FOR_EVER = """
import sys
from pathlib import Path
from boardlab.agents.files import described_file, load_agent
path = Path(sys.argv[1])
agent = load_agent(path)
while True:
    agent.learner.episodes += 1
    agent.save(path)
    print(agent.learner.episodes, flush=True)
"""


def test_a_killed_process_leaves_a_whole_file(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    path.write_bytes(kept.read_bytes())
    for saves in (3, 20):
        process = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(saves)]
        process.send_signal(signal.SIGKILL)  # while the next save is under way
        told += [int(line) for line in process.stdout.read().splitlines()]
        assert process.wait() == -signal.SIGKILL
        agent = load_agent(path)
        assert agent.episodes - told[-1] in (0, 1)
        assert learned(agent)[1:] == learned(load_agent(kept))[1:]


# ------------------------------------------------------------ damaged files


def test_a_truncated_file_is_refused(kept: Path, tmp_path: Path) -> None:
    whole, path = kept.read_bytes(), tmp_path / "a.agent"
    for length in [0, 1, 4, 30, *range(100, len(whole), len(whole) // 20), len(whole) - 22, len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert refused(path).startswith(f"{path} is not an agent file of boardlab, or it is damaged: ")


def test_a_flipped_byte_is_refused_or_harmless(kept: Path, tmp_path: Path) -> None:
    """Harmless is what nobody reads, as the time of day in the archive's directory."""
    whole, path = kept.read_bytes(), tmp_path / "a.agent"
    before, harmless = learned(load_agent(kept)), 0
    directory = whole.index(b"PK\x01\x02")
    for place in [*range(0, directory, directory // 100), *range(directory, len(whole), 4)]:
        for flipped in (0x01, 0xFF):
            damaged = bytearray(whole)
            damaged[place] ^= flipped
            path.write_bytes(damaged)
            try:
                agent = load_agent(path)
            except BoardlabError as error:
                assert str(path) in str(error)
                continue
            harmless += 1
            assert learned(agent) == before
    assert 0 < harmless < 150
