"""Agent files that come from elsewhere: what is no agent file, or lies, is refused in a sentence."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_files import refused, small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, train
from boardlab.agents.files import load_agent
from boardlab.cli.main import app
from boardlab.lab.history import History, history_in, history_of
from boardlab.store import agent_file, read_agent_file
from boardlab.web.processes.checks import check_file

Content = dict[str, bytes]


def pieces(path: Path) -> Content:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, content: Content, packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def header(shape: tuple[int, ...], dtype: str) -> bytes:
    """A .npy file that claims a shape and has no data."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", b"an agent, they said\n" * 100, b"\x89PNG\r\n\x1a\n" + bytes(500), b"PK\x05\x06" + bytes(17)],
    ids=["empty", "text", "picture", "stub"],
)
def test_something_else_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    path.write_bytes(data)
    assert refused(path).startswith(f"{path} is not an agent file of boardlab")


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.agent") == f"{tmp_path}/none.agent cannot be read: No such file or directory"
    (tmp_path / "folder.agent").mkdir()
    assert refused(tmp_path / "folder.agent") == f"{tmp_path}/folder.agent cannot be read: Is a directory"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "it has no agent.json"),
        (b"[1, 2]", "its agent.json is something else"),
        (b'{"format": "a zoo"}', "its agent.json is something else"),
        (b"{not json", "Expecting property name"),
        (b"[" * 100_000, "recursion"),
        (b"\xff\xfe\x00", "decode"),
        (b" " * (20 * 2**20) + b"{}", "its agent.json is far too large"),
    ],
    ids=["none", "list", "format", "no json", "nested", "bytes", "huge"],
)
def test_another_archive_is_refused(text: bytes | None, sentence: str, tmp_path: Path) -> None:
    content = {"readme.txt": b"hello"} if text is None else {"agent.json": text}
    assert sentence in refused(write(tmp_path / "a.agent", content))


def test_a_newer_format_is_told_apart(kept: Path, tmp_path: Path) -> None:
    content = pieces(kept)
    about = json.loads(content["agent.json"])
    for number, sentence in (
        (2, "was written by a newer boardlab: its format has version 2, this one reads 1"),
        (0, "is a damaged agent file: its format has no version 0"),
        ("one", "is a damaged agent file: its format has no version one"),
    ):
        content["agent.json"] = json.dumps({**about, "version": number, "unheard": "of"}).encode()
        path = write(tmp_path / "a.agent", content)
        assert refused(path) == f"{path} {sentence}"


def in_json(*keys: str, to: Any) -> Callable[[Content], None]:
    """Changes one value of agent.json."""

    def change(content: Content) -> None:
        about = json.loads(content["agent.json"])
        inner = about
        for key in keys[:-1]:
            inner = inner[key]
        if to is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = to
        content["agent.json"] = json.dumps(about).encode()

    return change


def array(name: str, data: bytes) -> Callable[[Content], None]:
    """Changes one of the arrays."""

    def change(content: Content) -> None:
        content[f"{name}.npy"] = data

    return change


def without(name: str) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        del content[f"{name}.npy"]

    return change


CHANGES: list[tuple[Callable[[Content], None], str]] = [
    (in_json("facts", "episodes", to="many"), "facts.episodes in agent.json: Input should be a valid integer"),
    (in_json("facts", "episodes", to=-5), "facts.episodes in agent.json: Input should be greater than or equal to 0"),
    (in_json("facts", "weights", to=2**40), "facts.weights in agent.json: Input should be less than"),
    (in_json("facts", "weights", to=2**31 - 1), "now needs 2 of 2,187; the game has changed since then"),
    (in_json("facts", "table_sets", to=1), "the agent has 1 tables of 2,187 weights"),
    (in_json("facts", "tuples", to=[[0, 1, 99]]), "an n-tuple has different cells in 0..8, not [0, 1, 99]"),
    (in_json("facts", "tuples", to=[[0, 1.5]]), "facts.tuples.0.1 in agent.json: Input should be a valid integer"),
    (in_json("facts", "tuples", to=[]), "an n-tuple network needs at least one tuple"),
    (in_json("facts", to=[]), "facts in agent.json: Input should be"),
    (in_json("history", "moves", to="x"), "history.moves in agent.json: Input should be a valid integer"),
    (in_json("history", "gossip", to=1), "history.gossip in agent.json: Extra inputs are not permitted"),
    (in_json("history", "evaluations", to=[{}]), "history.evaluations.0.episodes in agent.json: Field required"),
    (in_json("history", "evaluator", to="\x1b[2J"), "history.evaluator in agent.json: Value error, it has characters"),
    (in_json("history", "seconds", to=float("inf")), "in agent.json: Input should be a finite number"),
    (in_json("history", to=[]), "history in agent.json: Input should be a valid dictionary"),
    (in_json("history", to=None), "history in agent.json: Field required"),
    (in_json("software", to=None), "software in agent.json: Field required"),
    (in_json("game", to="chess"), "there is no game 'chess'"),
    (in_json("game", to="tictactoe\ud800"), "game in agent.json: Value error, it has characters that cannot"),
    (in_json("software", "numpy", to="\x1b[2J"), "software.numpy in agent.json: Value error, it has characters that"),
    (in_json("history", "moves", to=-1), "history.moves in agent.json: Input should be greater than or equal to 0"),
    (in_json("parameters", "max_moves", to=10**30), "max_moves of td-ntuple is a whole number from 1 to 1000000000"),
    (in_json("game", to=7), "game in agent.json: Input should be a valid string"),
    (in_json("agent", to="random"), "holds an agent 'random', which this boardlab does not have"),
    (in_json("agent", to="alpha-zero"), "holds an agent 'alpha-zero', which this boardlab does not have"),
    (in_json("parameters", "alpha", to="much"), "alpha of td-ntuple is a number above 0 and not above 1000, not much"),
    (in_json("parameters", "alhpa", to=1), "there is no parameter of td-ntuple 'alhpa'"),
    (without("weights1"), "it has not the parts that its agent.json names"),
    (array("rng", npy(np.zeros(5, np.uint64))), "cannot reshape"),
    (array("rng", npy(np.zeros((0, 4), np.uint64))), "it has no random numbers"),
    (array("rng", npy(np.zeros((1, 4), np.float64))), "rng is of kind <f8 and shape (1, 4), not of kind <u8 (uint64)"),
    (array("rng", npy(np.zeros((1, 4), np.uint64))), "it has no random numbers"),
    (array("rng", npy(np.array([[1, 2, 3, 4], [0, 0, 0, 0]], np.uint64))), "it has no random numbers"),
    (array("steps0", npy(np.zeros(3, np.uint32))), "its weights do not fit its tables"),
    (array("steps0", npy(np.full(2000, 7, np.uint32))), "its weights do not fit its tables"),
    (array("weights0", npy(np.zeros(1, np.float32))), "its weights do not fit its tables"),
    (array("weights0", npy(np.zeros(7, np.float64))), "weights0 is of kind <f8 and shape (7,), not"),
    (array("weights0", header((100,), "<f4")), "weights0 has 0 bytes of data, which is not what"),
    (array("weights0", npy(np.zeros(7, np.float32)) + b"more"), "weights0 has 32 bytes of data, which"),
    (array("weights0", b"no array at all"), "weights0 does not begin as an array does"),
    (array("weights0", header((10**12,), "<f4")), "is not what its shape (1000000000000,) needs"),
    (array("weights0", header((10**9, 10**9, 10**9), "<f4")), "weights0 has 0 bytes of data"),
    (array("weights0", npy(np.zeros(2**22, np.float32))), "16,777,344 bytes, more than the 9,260 that"),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES, ids=[s for _, s in CHANGES])
def test_parts_that_are_not_as_they_should_be(
    change: Callable[[Content], None], sentence: str, kept: Path, tmp_path: Path
) -> None:
    """Each is refused, and none of them makes the reader take more memory than an agent of that kind needs."""
    content = pieces(kept)
    change(content)
    path = write(tmp_path / "a.agent", content)
    tracemalloc.start()
    try:
        assert sentence in refused(path)
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()


def test_an_agent_that_the_lab_never_trained_has_an_empty_history(tmp_path: Path) -> None:
    agent, path = small_agent(), tmp_path / "a.agent"
    agent.save(path)
    file = read_agent_file(path)
    assert file.about.history == {} and history_in(file) == History()
    told = CliRunner().invoke(app, ["info", str(path)]).stdout
    assert [line.split()[1] for line in told.splitlines() if line.split()[:1] == ["created"]] == [file.about.saved]
    told = CliRunner().invoke(app, ["info", str(path), "--json"]).stdout
    assert json.loads(told)["history"] == History().model_dump()


def test_nobody_who_reads_a_history_believes_it(kept: Path, tmp_path: Path) -> None:
    """Who only plays does not read it."""
    content = pieces(kept)
    in_json("history", "moves", to=-1)(content)
    path = write(tmp_path / "a.agent", content)
    assert load_agent(path).episodes == 400
    sentence = (
        f"{path} is a damaged agent file: history.moves in agent.json: Input should be greater than or equal to 0"
    )
    for command in (["info", str(path)], ["train", "--resume", str(path), "--episodes", "500"]):
        told = CliRunner().invoke(app, command)
        assert (told.exit_code, " ".join(told.stderr.split())) == (2, f"boardlab: {sentence}")
    for use in (lambda: train(load_agent(path), episodes=500), lambda: check_file({"path": str(path)})):
        with pytest.raises(BoardlabError) as caught:
            use()
        assert str(caught.value) == sentence
    assert pieces(path) == content


def test_a_history_nested_without_end_is_refused(kept: Path, tmp_path: Path) -> None:
    content = pieces(kept)
    nested: list[Any] = []
    for _ in range(400):
        nested = [nested]
    in_json("history", "more", to=nested)(content)
    path = write(tmp_path / "a.agent", content)
    with pytest.raises(BoardlabError, match=r"a\.agent is a damaged agent file: history\.more"):
        load_agent(path)


def test_what_is_no_json_is_not_written(tmp_path: Path) -> None:
    agent = small_agent()
    agent.history["seconds"] = float("nan")
    with pytest.raises(BoardlabError, match=r"cannot be written: history\.seconds.* a finite number"):
        agent.save(tmp_path / "a.agent")
    with pytest.raises(BoardlabError, match=r"^td-ntuple.* has a damaged history: history\.seconds\b.* in"):
        history_of(agent)
    assert not (tmp_path / "a.agent").exists()


class Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_pickled_objects_are_not_touched(kept: Path, tmp_path: Path) -> None:
    content = pieces(kept)
    data = npy(np.array([Bomb(tmp_path / "boom")], object))
    np.load(io.BytesIO(data), allow_pickle=True)
    (tmp_path / "boom").rmdir()  # the bomb is a real one
    for name in ("rng", "steps0", "weights0"):
        path = write(tmp_path / "a.agent", {**content, f"{name}.npy": data})
        assert f"{name} is of kind |O and shape (1,)" in refused(path)
    assert not (tmp_path / "boom").exists()


def test_an_unknown_packing_is_refused(kept: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "a.agent", pieces(kept), zipfile.ZIP_LZMA)
    assert refused(path).endswith("agent.json is packed in an unknown way")


def test_too_many_tuples_are_refused_before_memory_is_taken(kept: Path, tmp_path: Path) -> None:
    content = pieces(kept)
    in_json("facts", "tuples", to=[list(range(36))])(content)
    in_json("game", to="hex")(content)
    assert "these n-tuples need 150,094,635,296,999,121 weights" in refused(write(tmp_path / "a.agent", content))


def test_the_format_is_the_documented_one(kept: Path) -> None:
    """Whoever changes this changes VERSION, too."""
    about = json.loads(pieces(kept)["agent.json"])
    assert (about["format"], about["version"]) == ("boardlab agent", agent_file.VERSION) == ("boardlab agent", 1)
    assert sorted(pieces(kept)) == [
        *("agent.json", "rng.npy", "steps0.npy", "steps1.npy", "weights0.npy", "weights1.npy")
    ]
