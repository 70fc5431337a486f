"""Damaged and crafted agent files: each is refused in a sentence that names the file, or loads as if nothing had
happened; one with right checksums may also be what it says, if all of that can be true."""

from __future__ import annotations

import math
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import damage
import numpy as np
import pytest
from training_files import learned, small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError
from boardlab.agents.files import load_agent
from boardlab.cli.main import app
from boardlab.lab.history import history_of

Kind = Callable[[bytes, random.Random], bytes]

REAL = Path(__file__).with_name("data") / "damaged.agent"
"""A file from a bad disk: damage in the header of an array, which Python's tokenizer stumbled over."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    agent, path = small_agent(), tmp_path_factory.mktemp("kept") / "kept.agent"
    agent.train(300)
    agent.history["moves"] = 2000
    agent.save(path)
    return path.read_bytes()


def result(path: Path) -> Any:
    """The agent of a file, or the sentence with which it is refused. `boardlab info` says one, too."""
    told = CliRunner().invoke(app, ["info", str(path)])
    assert told.exit_code in (0, 2), told.exception
    try:
        agent = load_agent(path)
        history_of(agent)
    except BoardlabError as error:
        sentence = str(error)
        assert sentence.count(str(path)) == 1
        assert sentence.isprintable()
        assert len(sentence) < 1000 + len(str(path))
        return sentence
    assert told.exit_code == 0
    return agent


def try_accident(kind: Kind, seed: int, whole: bytes, path: Path) -> bool:
    """Whether a file with this damage is refused; if not, it must be harmless."""
    path.write_bytes(kind(whole, random.Random(seed)))
    found = result(path)
    if isinstance(found, str):
        return True
    before = path.with_name("before.agent")
    before.write_bytes(whole)
    assert learned(found) == learned(load_agent(before))
    return False


def try_crafted(kind: Kind, seed: int, whole: bytes, path: Path) -> bool:
    """Whether a crafted file is refused; if not, it must be an agent as any other: with finite values, and it can be
    saved and loaded again."""
    path.write_bytes(kind(whole, random.Random(seed)))
    found = result(path)
    if isinstance(found, str):
        return True
    values = found.values(found.game.start())
    assert len(values) == 9
    assert all(math.isfinite(value) for value in values.values())
    again = path.with_name("again.agent")
    found.save(again)
    assert learned(load_agent(again)) == learned(found)
    return False


@pytest.mark.parametrize("kind", list(dict.fromkeys(damage.ACCIDENTS)), ids=lambda kind: kind.__name__)
def test_an_accident_is_told_or_harmless(kind: Kind, whole: bytes, tmp_path: Path) -> None:
    assert any(try_accident(kind, seed, whole, tmp_path / "a.agent") for seed in range(8))


@pytest.mark.parametrize("kind", list(dict.fromkeys(damage.CRAFTED)), ids=lambda kind: kind.__name__)
def test_a_crafted_file_is_refused_or_sound(kind: Kind, whole: bytes, tmp_path: Path) -> None:
    assert any(try_crafted(kind, seed, whole, tmp_path / "a.agent") for seed in range(12))


@pytest.mark.parametrize("filling", ["numbers", "random states", "spaces", "brackets", "tuples", "digits"])
def test_a_bomb_takes_no_memory(filling: str, whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    path.write_bytes(damage.bombs(whole)[filling])
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        sentence = result(path)
        assert tracemalloc.get_traced_memory()[1] < 60e6
    finally:
        tracemalloc.stop()
    assert isinstance(sentence, str)


@pytest.mark.slow
def test_two_thousand_damaged_files(whole: bytes, tmp_path: Path) -> None:
    path, refused = tmp_path / "a.agent", 0
    for seed in range(1200):
        refused += try_accident(damage.ACCIDENTS[seed % len(damage.ACCIDENTS)], seed, whole, path)
    for seed in range(800):
        refused += try_crafted(damage.CRAFTED[seed % len(damage.CRAFTED)], seed, whole, path)
    assert 1600 < refused < 2000


# ------------------------------------------------------------ single ones


def test_a_file_from_a_bad_disk() -> None:
    sentence = result(REAL)
    assert sentence.startswith(f"{REAL} is not an agent file of boardlab, or it is damaged: Bad CRC-32")


def with_array(whole: bytes, name: str, change: Callable[[Any], None]) -> bytes:
    content = damage.unpack(whole)
    array = np.frombuffer(content[f"{name}.npy"][128:], content[f"{name}.npy"][11:].split(b"'")[3].decode()).copy()
    change(array)
    content[f"{name}.npy"] = content[f"{name}.npy"][:128] + array.tobytes()
    return damage.pack(content)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused(number: float, whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.agent"

    def change(array: Any) -> None:
        array[17] = number

    path.write_bytes(with_array(whole, "weights1", change))
    assert result(path) == f"{path} is a damaged agent file: some of its weights are not finite numbers"


def test_step_size_memory_that_is_no_number_is_refused(tmp_path: Path) -> None:
    agent, path = small_agent(rule="tcl"), tmp_path / "a.agent"
    agent.learner.network.memory[1, 5] = np.float32(3.5)
    agent.save(path)

    def change(array: Any) -> None:
        array[0] = np.nan

    path.write_bytes(with_array(path.read_bytes(), "memory1", change))
    assert result(path).endswith("some of its weights are not finite numbers")


def test_a_diverged_training_is_not_saved_over_a_good_one(tmp_path: Path) -> None:
    agent, path = small_agent(), tmp_path / "a.agent"
    agent.save(path)
    before = path.read_bytes()
    agent.learner.network.weights[0, 3] = np.inf
    with pytest.raises(BoardlabError, match="the training has diverged"):
        agent.save(path)
    assert path.read_bytes() == before


def test_a_pipe_is_no_agent_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.agent")
    assert result(tmp_path / "a.agent") == f"{tmp_path}/a.agent cannot be read: it is not a plain file"
