"""Agent files: nothing is lost in them, nothing breaks them while they are written, and what is no agent file, or not a
whole one, is refused in a sentence."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_files import learned, small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, make, train
from boardlab.agents.files import described_file, load_agent, stored_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.cli.main import app
from boardlab.lab.history import CurvePoint, History, history_in, history_of
from boardlab.store import agent_file, read_agent_file
from boardlab.web.processes.checks import check_file

Content = dict[str, bytes]

VARIANTS = [
    {},
    {"method": "traces", "lam": 0.6, "eligibility": "rr", "choose_start": False},
    {"lam": 0.5, "eligibility": "res", "learn_from_random": False},
    {"tables": "inversion", "bias": True, "output": "logistic"},
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a trained agent."""
    agent, path = small_agent(), tmp_path_factory.mktemp("kept") / "kept.agent"
    agent.train(400)
    point = CurvePoint(episodes=400, seconds=0.5, score=-0.25, low=-0.5, high=0.0, games=20, alpha=0.6, epsilon=0.06)
    agent.history = History(seconds=0.5, moves=3000, evaluator="perfect", evaluations=[point]).model_dump()
    agent.save(path)
    return path


# ------------------------------------------------------------ nothing is lost


def test_a_round_trip_keeps_everything(tmp_path: Path) -> None:
    agent = TDNTuple(make("nim"), rule="tcl", lam=0.5, episodes=1000, seed=3)
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


def refused(path: Path) -> str:
    """The sentence with which a file is refused, as one about this file, by whoever wants to go on training."""
    with pytest.raises(BoardlabError) as caught:
        history_of(load_agent(path))
    sentence = str(caught.value)
    assert "Traceback" not in sentence
    assert "\n" not in sentence
    return sentence


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


# ------------------------------------------------------------ foreign and hostile files


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
