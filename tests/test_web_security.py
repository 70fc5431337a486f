"""The gate of the arena: who may ask, how much may be sent, what names can reach, and what answers give away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, arena_of, open_client, said
from starlette.testclient import TestClient

from boardlab import BoardlabError
from boardlab.web.app import create_app
from boardlab.web.server.settings import ArenaSettings

OPEN = "/api/games/open"
NIM = {"game": "nim"}
SEATS = [{"person": "Ann"}, {"person": "Bob"}]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), body_bytes=2000, upload_bytes=5000) as opened:
        yield opened


# ------------------------------------------------------------ who may ask


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]:8000", "LOCALHOST"])
def test_our_own_names_are_answered(client: Client, host: str) -> None:
    assert client.get("/api/about", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "192.168.1.5:8000", "[", "evil.example@localhost"]
)
@pytest.mark.parametrize("path", ["/", "/api/about", "/static/shell/main.js", "/openapi.json", "/nowhere"])
def test_other_names_are_not(client: Client, host: str, path: str) -> None:
    assert "host name" in said(client.get(path, headers={"host": host}), 403)


def test_names_can_be_allowed(tmp_path: Path) -> None:
    with open_client(tmp_path, names=("arena.lan",)) as client:
        assert client.get("/api/about", headers={"host": "arena.lan:8000"}).status_code == 200
        said(client.get("/api/about", headers={"host": "arena.wan"}), 403)


def test_on_all_interfaces_addresses_are_answered_and_names_are_not(tmp_path: Path) -> None:
    with open_client(tmp_path, host="0.0.0.0") as client:
        assert client.get("/api/about", headers={"host": "192.168.1.5:8000"}).status_code == 200
        said(client.get("/api/about", headers={"host": "evil.example"}), 403)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:9", "http://localhost", "http://127.0.0.1.evil.example"],
)
def test_requests_of_other_pages_are_refused_and_change_nothing(client: Client, origin: str) -> None:
    tables = len(arena_of(client).live_games.by_id)
    answer = client.post("/api/tables", json={**NIM, "seats": SEATS}, headers={"origin": origin})
    assert "other sites" in said(answer, 403)
    said(client.delete("/api/tables/abcdefghijkl", headers={"origin": origin}), 403)
    said(client.get("/api/about", headers={"origin": origin}), 403)
    assert len(arena_of(client).live_games.by_id) == tables


def test_requests_of_our_own_page_and_of_programs_are_answered(client: Client) -> None:
    for headers in ({"origin": "http://127.0.0.1"}, {}, {"sec-fetch-site": "same-origin"}):
        assert client.post("/api/tables", json={**NIM, "seats": SEATS}, headers=headers).status_code == 200
    crossing = {"sec-fetch-site": "cross-site"}
    said(client.get("/api/about", headers=crossing), 403)
    assert client.get("/", headers={**crossing, "sec-fetch-mode": "navigate"}).status_code == 200, "a link to us"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_of_another_page_can_send_is_refused(client: Client, kind: str) -> None:
    body = b'{"game": "nim"}'
    assert "application/json" in said(client.post(OPEN, content=body, headers={"content-type": kind}), 415)
    assert client.post(OPEN, content=body, headers={"content-type": "application/json"}).status_code == 200


# ------------------------------------------------------------ how much


def test_large_requests_are_refused(client: Client) -> None:
    json = {"content-type": "application/json"}
    assert "2,000 bytes" in said(client.post(OPEN, content=b" " * 2001, headers=json), 413)

    def drops() -> Iterator[bytes]:
        for _ in range(300):
            yield b" " * 10

    assert "2,000 bytes" in said(client.post(OPEN, content=drops(), headers=json), 413), "without a length"
    lying = {**json, "content-length": "10"}
    assert "2,000 bytes" in said(client.post(OPEN, content=b" " * 3000, headers=lying), 413)
    for length in ("-1", "1e3", "²", "x"):
        said(client.post(OPEN, content=b"{}", headers={**json, "content-length": length.encode()}), 400)
    large = client.post("/api/files?name=x", content=b"0" * 5001, headers={"content-type": "application/octet-stream"})
    assert "5,000 bytes" in said(large, 413)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b'{"game": ', b"[" * 1500, b"nul"])
def test_what_is_no_json_is_refused(client: Client, body: bytes) -> None:
    response = client.post(OPEN, content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    said(response, response.status_code)


@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"7", b'{"game": 7}', b'{"game": "nim", "more": 1}', b"{}", b'{"game": NaN}']
)
def test_json_of_another_shape_is_refused(client: Client, body: bytes) -> None:
    said(client.post(OPEN, content=body, headers={"content-type": "application/json"}), 422)


# ------------------------------------------------------------ what names can reach

DANGEROUS = """from pathlib import Path

Path(__file__).with_suffix(".ran").touch()
"""


def test_a_client_never_makes_us_import_a_file(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "trap.py"
    path.write_text(DANGEROUS)
    for spec in (f"{path}:Game", f"{path}", f"{path}:Game:size=3", f"nim:heaps={path}", f"{path}:x=1"):
        said(client.post(OPEN, json={"game": spec}), 422)
        said(client.get("/api/agents", params={"game": spec}), 422)
        said(client.post("/api/inspect", json={"game": spec}), 422)
    for choice in (
        {"agent": f"{path}:Agent"},
        {"agent": str(path)},
        {"agent": "td-ntuple", "options": {"rule": f"{path}:Rule"}},
        {"agent": "puct", "options": {"agent": f"{path}:Agent"}},
        {"agent": "engine", "options": {"command": f"touch {path}.ran"}},
    ):
        said(client.post("/api/inspect", json={"game": "nim", "choice": choice}), 422)
    assert list(tmp_path.glob("*.ran")) == []


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/shell/main.js%00.html",
        "/static/" + "x" * 5000,
    ],
)
def test_only_the_files_of_the_page_are_served(client: Client, path: str) -> None:
    assert client.get(path).status_code in (404, 405)


# ------------------------------------------------------------ what answers say


def test_every_answer_has_its_headers(client: Client) -> None:
    for path in ("/", "/api/about", "/static/shell/main.js", "/nowhere", "/api/tables/abcdefghijkl", "/api-docs"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy and "unsafe-eval" not in policy and "http" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
    assert client.get("/api/about").headers["cache-control"] == "no-store"


def test_the_page_is_kept_by_browsers_as_long_as_it_is_the_same(client: Client) -> None:
    for path, kept in (("/static/shell/main.js", "no-cache"), ("/static/plotly.min.js", "max-age=604800")):
        first = client.get(path)
        assert first.headers["content-type"].startswith("text/javascript")
        assert first.headers["cache-control"] == kept
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/").headers["cache-control"] == "no-cache"


def test_no_traceback_reaches_a_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("the secret reason")

    app = create_app(ArenaSettings(data=tmp_path, workers=1))
    monkeypatch.setattr("boardlab.web.library.games.GameLibrary.game", broken)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        assert "secret" not in said(client.post(OPEN, json=NIM), 500)


def test_addresses_and_methods_that_do_not_exist(client: Client) -> None:
    said(client.get("/nowhere"), 404)
    said(client.get("/api/nowhere"), 404)
    assert client.put("/api/about").headers["allow"] == "GET"
    said(client.put("/api/about"), 405)


def test_the_description_is_complete_and_loads_nothing_from_elsewhere(client: Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            assert operation.get("description"), (method, path)
            assert {"403", "422"} <= set(operation["responses"]), (method, path)
    page = client.get("/api-docs").text
    assert "http://" not in page and "https://" not in page
    for path in ("/docs", "/redoc"):
        said(client.get(path), 404)


def test_a_data_directory_belongs_to_one_arena(tmp_path: Path) -> None:
    with open_client(tmp_path):
        app = create_app(ArenaSettings(data=tmp_path, workers=1))
        with pytest.raises(BoardlabError, match="another arena"):
            app.state.arena.claim()
    app.state.arena.claim()
