"""Requests made up from the API's own description: whatever is sent, no answer is a server error, and every answer is
one that the description announces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from arena_client import Client, arena_of, open_client
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS, not_a_server_error
from training_files import small_agent

from boardlab.web.app import create_app
from boardlab.web.server.settings import ArenaSettings

ENDLESS = "/api/events"
"""A stream has no end to wait for."""

SEATS = [{"person": "Ann"}, {"agent": "random"}]
LISTS = {
    "file_id": "/api/files",
    "run_id": "/api/runs",
    "match_id": "/api/matches",
    "tournament_id": "/api/tournaments",
    "member_id": "/api/league/members",
}

schema = schemathesis.pytest.from_fixture("description").exclude(path=ENDLESS)
"""Requests are made up when the test runs, not when it is collected: all processes that run tests collect it."""

ANNOUNCED = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")


@pytest.fixture(scope="module")
def description() -> Any:
    """What the API says of itself."""
    return schemathesis.openapi.from_dict(create_app(ArenaSettings(workers=1)).openapi())


@pytest.fixture(autouse=True)
def node_id(request: pytest.FixtureRequest) -> None:
    """Schemathesis asks for what pytest 9.2 no longer has."""
    request.node._nodeid = request.node.nodeid


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """An arena that has something of everything, and little patience: what a made-up training takes is of no
    interest here."""
    data = tmp_path_factory.mktemp("data")
    small_agent().save(data / "agents" / "small.agent")
    with open_client(
        data, seconds_per_move=5, seconds_to_prepare=20, tables=20, runs=2, matches=2, tournaments=2
    ) as opened:
        opened.post("/api/tables", json={"game": "tictactoe", "seats": SEATS}).raise_for_status()
        member = {"game": "tictactoe", "agent": {"agent": "random"}}
        opened.post("/api/league/members", json=member).raise_for_status()
        yield opened


def examples(number: int) -> settings:
    """So many requests of each kind, the same ones every time."""
    return settings(max_examples=number, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@schema.exclude(method="GET").parametrize()
@examples(2)
def test_no_made_up_request_breaks_the_server(case: schemathesis.Case, client: Client) -> None:
    send(case, client)


@pytest.mark.slow
@schema.parametrize()
@examples(20)
def test_nor_do_many_of_all_kinds(case: schemathesis.Case, client: Client) -> None:
    send(case, client)


def send(case: schemathesis.Case, client: Client) -> None:
    _point_to_something(case, client)
    answer = client.request(**_request(case))
    case.validate_response(answer, checks=[not_a_server_error, *map(CHECKS.get_one, ANNOUNCED)])


def _point_to_something(case: schemathesis.Case, client: Client) -> None:
    """Let every other request be about things that exist, since made-up ones never do. Nothing is deleted, or soon none
    would be left."""
    if len(f"{case.path_parameters} {case.query} {case.body}") % 2:
        return
    for container in (case.body, case.query):
        if isinstance(container, dict) and "game" in container:
            container["game"] = "tictactoe"
            container.update({"seats": SEATS} if "seats" in container else {})
    for name in case.path_parameters if case.method != "DELETE" else ():
        if name == "table_id":
            known = list(arena_of(client).live_games.by_id)
        elif name in LISTS:
            known = [thing["id"] for thing in client.get(LISTS[name]).json()]
        else:
            continue
        if known:
            case.path_parameters[name] = known[0]


def _request(case: schemathesis.Case) -> dict[str, Any]:
    sent = case.as_transport_kwargs(base_url="http://127.0.0.1")
    request = {key: sent[key] for key in ("method", "url", "headers", "params", "json") if sent.get(key) is not None}
    if sent.get("data") is not None:
        request["content"] = sent["data"]
    return request
