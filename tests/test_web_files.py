"""Agent files in the arena: listed, uploaded, renamed, deleted, and everything that is refused."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from training_files import learned, small_agent

from boardlab.agents.files import load_agent
from boardlab.lab.history import CurvePoint, History
from boardlab.web.library.agent_files import AgentFiles

BINARY = {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def agent_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A trained agent as a file."""
    path = tmp_path_factory.mktemp("agent") / "a.agent"
    agent = small_agent()
    agent.train(50)
    agent.history = History(seconds=1.5, moves=350, created="2024-01-01T00:00:00+00:00").model_dump()
    agent.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), upload_bytes=1 << 20) as client:
        yield client


@pytest.fixture
def client(shared: Client) -> Iterator[Client]:
    """The arena of all these tests, without the files of the one before."""
    for file in shared.get("/api/files").json():
        assert shared.delete(f"/api/files/{file['id']}").status_code == 204
    yield shared


def upload(client: Client, content: bytes, name: str = "mine") -> Any:
    return client.post("/api/files", params={"name": name}, content=content, headers=BINARY)


def agents(client: Client) -> dict[str, bytes]:
    """What lies in the directory, but for the index."""
    directory = arena_of(client).files.directory
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != ".ids.json"}


# ------------------------------------------------------------ what works


def test_upload_list_download_rename_delete(client: Client, agent_bytes: bytes) -> None:
    response = upload(client, agent_bytes, "Erster (1)")
    assert response.status_code == 201
    file = response.json()
    assert (file["name"], file["game"], file["title"], file["agent"]) == (
        "Erster (1)",
        "tictactoe",
        "Tic-tac-toe",
        "td-ntuple",
    )
    assert (file["episodes"], file["seconds"], file["bytes"]) == (50, 1.5, len(agent_bytes))
    assert file["created"] == "2024-01-01T00:00:00+00:00"
    assert file["strength"] is None and file["problem"] is None
    assert file["parameters"]["rule"] == "plain"
    assert file["figures"]["n-tuples"] == "3 of length 6"
    assert file["figures"]["weights"].endswith(" learned of 4,374 in 2 table sets")
    listed = client.get("/api/files").json()
    assert listed == [{key: file[key] for key in listed[0]}]
    assert client.get("/api/files", params={"game": "tictactoe"}).json() == listed
    assert client.get("/api/files", params={"game": "nim"}).json() == []
    address = f"/api/files/{file['id']}"
    download = client.get(f"{address}/download")
    assert download.content == agent_bytes
    assert "attachment" in download.headers["content-disposition"]
    renamed = client.patch(address, json={"name": "Zweiter.agent"}).json()
    assert renamed == {**file, "name": "Zweiter"}
    assert list(agents(client)) == ["Zweiter.agent"]
    assert client.delete(address).status_code == 204
    assert agents(client) == {}
    for request in (client.get(address), client.get(f"{address}/download"), client.delete(address)):
        said(request, 404)
    said(client.patch(address, json={"name": "x"}), 404)


def test_strength_is_the_last_evaluation(client: Client) -> None:
    point = CurvePoint(episodes=50, seconds=1, score=0.5, low=0.25, high=0.75, games=8, alpha=1, epsilon=0)
    first = point.model_copy(update={"episodes": 20, "score": -1.0})
    history = History(evaluator="random", against="random", evaluations=[first, point])
    agent = small_agent()
    agent.history = history.model_dump()
    agent.save(arena_of(client).files.directory / "a.agent")
    (file,) = client.get("/api/files").json()
    assert file["strength"] == {
        **{"score": 0.5, "low": 0.25, "high": 0.75, "games": 8},
        **{"evaluator": "random", "against": "random"},
    }


def test_an_uploaded_agent_is_the_agent(client: Client, agent_bytes: bytes) -> None:
    upload(client, agent_bytes)
    straight = small_agent()
    straight.train(50)
    path = arena_of(client).files.directory / "mine.agent"
    assert learned(load_agent(path)) == learned(straight)


def test_ids_outlive_the_server_and_files_put_there_by_hand_get_one(tmp_path: Path, agent_bytes: bytes) -> None:
    directory = tmp_path / "agents"
    directory.mkdir()
    (directory / "by hand.agent").write_bytes(agent_bytes)
    (directory / ".upload-left").write_bytes(b"half")
    (directory / "notes.txt").write_text("not ours")
    with open_client(tmp_path) as client:
        (file,) = client.get("/api/files").json()
        assert file["name"] == "by hand"
        assert not (directory / ".upload-left").exists()
    (directory / "second.agent").write_bytes(agent_bytes)
    with open_client(tmp_path) as client:
        ids = {f["name"]: f["id"] for f in client.get("/api/files").json()}
        assert ids["by hand"] == file["id"]
        assert set(ids) == {"by hand", "second"}
        (directory / "second.agent").unlink()
        assert [f["name"] for f in client.get("/api/files").json()] == ["by hand"]
        said(client.get(f"/api/files/{ids['second']}"), 404)


def test_a_file_is_read_again_only_when_it_has_changed(
    client: Client, agent_bytes: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(client, agent_bytes)
    read: list[Path] = []
    original = AgentFiles.read
    monkeypatch.setattr(AgentFiles, "read", lambda files, path: read.append(path) or original(files, path))
    for _ in range(3):
        client.get("/api/files")
    assert read == []
    path = arena_of(client).files.directory / "mine.agent"
    path.write_bytes(agent_bytes + b"\0")
    client.get("/api/files")
    assert read == [path]


def test_pages_are_told(client: Client, agent_bytes: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(arena_of(client).streams, "publish", lambda kind, payload: told.append(kind))
    file = upload(client, agent_bytes).json()["id"]
    client.patch(f"/api/files/{file}", json={"name": "other"})
    client.delete(f"/api/files/{file}")
    assert told == ["file"] * 3


# ------------------------------------------------------------ broken files


def changed(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The agent file with another description."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "agent.json":
                about = json.loads(data)
                change(about)
                data = json.dumps(about).encode()
            new.writestr(name, data)
    return out.getvalue()


def with_member(content: bytes, name: str, data: bytes) -> bytes:
    """The agent file with another content of a member."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, data if member == name else old.read(member))
    return out.getvalue()


def as_array(values: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


def zip_of(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, data)
    return out.getvalue()


HUGE = {"episodes": 1, "seconds": 1.0, "score": 1e308, "low": -1e308, "high": 1e308, "games": 1, "rates": {}}

BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda a: b"", "not an agent file"),
    "something else": (lambda a: b"hello" * 100, "not an agent file"),
    "another archive": (lambda a: zip_of("a.txt", b"x"), "it has no agent.json"),
    "cut off": (lambda a: a[:-100], "not an agent file of boardlab, or it is damaged"),
    "a foreign game": (lambda a: changed(a, lambda x: x.update(game="chess")), "there is no game 'chess'"),
    "a game in a file": (lambda a: changed(a, lambda x: x.update(game="/tmp/evil.py:Evil")), "there is no game"),
    "an impossible game": (lambda a: changed(a, lambda x: x.update(game="hex:size=99")), "size is a whole number"),
    "a foreign agent": (lambda a: changed(a, lambda x: x.update(agent="os.system")), "holds an agent 'os.system'"),
    "an agent without files": (lambda a: changed(a, lambda x: x.update(agent="random")), "holds an agent 'random'"),
    "a foreign parameter": (
        lambda a: changed(a, lambda x: x["parameters"].update(evil=1)),
        "no parameter of td-ntuple 'evil'",
    ),
    "a wild parameter": (lambda a: changed(a, lambda x: x["parameters"].update(alpha=-1)), "alpha of td-ntuple is"),
    "another key": (lambda a: changed(a, lambda x: x.update(more=1)), "damaged agent file"),
    "not a number": (lambda a: changed(a, lambda x: x["history"].update(seconds=float("nan"))), "finite number"),
    "a foreign history": (
        lambda a: changed(a, lambda x: x["history"].update(gossip=1)),
        "history.gossip in agent.json",
    ),
    "a strange date": (lambda a: changed(a, lambda x: x["history"].update(created="soon")), "history.created"),
    "a date before our time": (lambda a: changed(a, lambda x: x.update(saved="0001-01-01")), "saved"),
    "a score beyond all scores": (
        lambda a: changed(a, lambda x: x["history"].update(evaluations=[HUGE])),
        "history.eval",
    ),
    "beyond all measure": (lambda a: changed(a, lambda x: x["facts"].update(episodes=10**300)), "facts.episodes"),
    "of tomorrow": (lambda a: changed(a, lambda x: x.update(version=99)), "newer boardlab"),
    "tuples that do not fit": (
        lambda a: changed(a, lambda x: x["facts"].update(tuples=[[0, 1, 99]] * 3)),
        "99",
    ),
    "fewer weights": (lambda a: with_member(a, "weights0.npy", as_array(np.ones(3, np.float32))), "do not fit"),
    "weights of another kind": (lambda a: with_member(a, "weights0.npy", as_array(np.ones(3))), "<f8"),
    "pickled objects": (
        lambda a: with_member(a, "weights0.npy", as_array(np.array([{"a": 1}], object))),
        "damaged",
    ),
    "no arrays": (lambda a: zip_of("agent.json", zipfile.ZipFile(io.BytesIO(a)).read("agent.json")), "damaged"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_uploads_are_refused_and_change_nothing(client: Client, agent_bytes: bytes, what: str) -> None:
    spoil, sentence = BROKEN[what]
    refusal = said(upload(client, spoil(agent_bytes)), 422)
    assert sentence in refusal
    assert str(arena_of(client).files.directory) not in refusal
    assert agents(client) == {}
    assert client.get("/api/files").json() == []


@pytest.mark.parametrize("what", BROKEN)
def test_broken_files_in_the_directory_are_listed_with_their_problem(
    client: Client, agent_bytes: bytes, what: str
) -> None:
    """As far as the description tells; what only the arrays tell, the workers say when the file is used."""
    spoil, sentence = BROKEN[what]
    path = arena_of(client).files.directory / "broken.agent"
    path.write_bytes(spoil(agent_bytes))
    (file,) = client.get("/api/files").json()
    assert file["name"] == "broken"
    if file["problem"] is None:
        assert what in (
            "tuples that do not fit",
            "fewer weights",
            "weights of another kind",
            "pickled objects",
            "no arrays",
        )
        return
    assert sentence in file["problem"]
    assert str(path.parent) not in file["problem"]
    assert client.get("/api/files", params={"game": "tictactoe"}).json() == []
    match = {"game": "tictactoe", "agents": [{"file": file["id"]}, {"agent": "random"}], "games": 2}
    assert said(client.post("/api/matches", json=match), 422) == file["problem"]
    assert client.get(f"/api/files/{file['id']}/download").content == path.read_bytes()


def test_nothing_in_a_file_is_executed(client: Client, agent_bytes: bytes, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    source = f"open({str(marker)!r}, 'w').close()\nfrom boardlab.learn.rules import Plain\nclass Evil(Plain): pass\n"
    (tmp_path / "evil.py").write_text(source)
    evil = f"{tmp_path}/evil.py:Evil"
    for change in (
        lambda about: about["parameters"].update(rule=evil),
        lambda about: about.update(game=evil),
        lambda about: about.update(agent=evil),
    ):
        said(upload(client, changed(agent_bytes, change)), 422)
    assert not marker.exists()
    # an evaluator or an opponent of one's own does not hinder playing, but to go on training would import it
    for key, value in (("evaluator", evil), ("against", evil)):
        history = {"evaluator": "random", "against": "random", key: value}
        content = changed(agent_bytes, lambda about, history=history: about["history"].update(history))
        file = upload(client, content, f"with {key}").json()["id"]
        run = {"resume_file": file, "episodes": 100}
        assert "which the arena does not have" in said(client.post("/api/runs", json=run), 422)
    assert not marker.exists()


def test_no_zip_bombs(tmp_path: Path, agent_bytes: bytes) -> None:
    """The sizes that an archive declares count before anything is unpacked."""
    with open_client(tmp_path, unpacked_bytes=100_000) as client:
        assert upload(client, agent_bytes, "good").status_code == 201
        bomb = with_member(agent_bytes, "weights0.npy", bytes(200_000))
        assert len(bomb) < 20_000
        assert "would unpack to more than the arena allows (100,000 bytes)" in said(upload(client, bomb), 422)
        many = io.BytesIO()
        with zipfile.ZipFile(many, "w") as archive:
            for number in range(10_001):
                archive.writestr(str(number), b"")
        assert "would unpack to more" in said(upload(client, many.getvalue()), 422)
        assert list(agents(client)) == ["good.agent"]


def test_too_large_too_many_wrong_type(client: Client, agent_bytes: bytes, tmp_path: Path) -> None:
    said(upload(client, bytes((1 << 20) + 1)), 413)
    chunks = (bytes(1 << 18) for _ in range(5))  # sent without its length
    said(client.post("/api/files", params={"name": "x"}, content=chunks, headers=BINARY), 413)
    said(client.post("/api/files", params={"name": "x"}, json={"a": 1}), 415)
    said(client.post("/api/files", content=agent_bytes, headers=BINARY), 422)
    assert agents(client) == {}
    with open_client(tmp_path, files=1) as small:
        assert upload(small, agent_bytes, "one").status_code == 201
        said(upload(small, agent_bytes, "two"), 429)
        assert list(agents(small)) == ["one.agent"]


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "..", ".hidden", "", " ", "a\nb", "a\0b", "x" * 81, "ü" * 101, "-rf", "a:b", "\ud800"]
)
def test_names_that_are_none(client: Client, agent_bytes: bytes, name: str) -> None:
    if name.isprintable() or "\n" in name:
        said(upload(client, agent_bytes, name), 422)
    file = upload(client, agent_bytes, "good").json()
    response = client.patch(
        f"/api/files/{file['id']}", content=json.dumps({"name": name}), headers={"content-type": "application/json"}
    )
    assert response.status_code in (400, 422)
    assert list(agents(client)) == ["good.agent"]


def test_no_name_is_taken_twice(client: Client, agent_bytes: bytes) -> None:
    one = upload(client, agent_bytes, "one").json()
    other = changed(agent_bytes, lambda about: about["history"].update(moves=7))
    two = upload(client, other, "two").json()
    before = agents(client)
    assert "one already" in said(upload(client, agent_bytes, "one"), 409)
    said(upload(client, agent_bytes, "ONE"), 409)
    said(client.patch(f"/api/files/{two['id']}", json={"name": "one"}), 409)
    said(client.patch(f"/api/files/{two['id']}", json={"name": "One"}), 409)
    assert agents(client) == before
    assert client.patch(f"/api/files/{two['id']}", json={"name": "TWO"}).json()["name"] == "TWO"
    assert client.patch(f"/api/files/{one['id']}", json={"name": "one"}).json() == one
    assert set(agents(client)) == {"one.agent", "TWO.agent"}


def test_an_uploaded_agent_plays(client: Client, agent_bytes: bytes) -> None:
    file = upload(client, agent_bytes).json()["id"]
    match = {"game": "tictactoe", "agents": [{"file": file}, {"agent": "random"}], "games": 2, "seed": 1}
    match_id = client.post("/api/matches", json=match).json()["id"]
    done = eventually(
        lambda: client.get(f"/api/matches/{match_id}").json(), lambda m: m["state"] in ("finished", "failed")
    )
    assert (done["state"], done["agents"], done["done"]) == ("finished", ["mine", "random"], 2)
