"""The library of the arena in a real browser: training, agent files, matches, stored games and the hall of fame."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import SLOW

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.registry import make


@pytest.fixture(scope="module")
def agent_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a sound agent file."""
    path = tmp_path_factory.mktemp("made") / "made.agent"
    TDNTuple(make("tictactoe"), tuples="points:1x9").save(path)
    return path.read_bytes()


def add_agent(page: Any, name: str, content: bytes) -> Any:
    """Upload an agent file; its row in the list."""
    page.goto("/#/agents")
    page.set_input_files("input[type=file]", {"name": f"{name}.agent", "mimeType": "", "buffer": content})
    return page.locator("tr", has_text=name)


def played_game(page: Any, person: str) -> dict[str, Any]:
    """The record of a game of Tic-tac-toe that two people have played to its end, the first of them wins."""
    ask = page.request
    table = ask.post(
        "/api/tables", data={"game": "tictactoe", "seats": [{"person": person}, {"person": "Nobody"}]}
    ).json()
    for ply, action in enumerate([0, 3, 1, 4, 2]):
        table = ask.post(f"/api/tables/{table['id']}/move", data={"action": action, "ply": ply}).json()
    while table["record"] is None:  # it is stored beside the game
        page.wait_for_timeout(20)
        table = ask.get(f"/api/tables/{table['id']}").json()
    return ask.get(f"/api/records/{table['record']}").json()


# ------------------------------------------------------------ forms


def test_a_form_gives_back_only_what_differs(page: Any) -> None:
    page.goto("/#/hall")
    fields = [
        {"name": "depth", "kind": "integer", "default": 4, "low": 1, "high": 9, "doc": "how deep"},
        {"name": "rate", "kind": "number", "default": 0.5, "low": 0, "high": None, "nullable": True, "doc": ""},
        {"name": "quick", "kind": "boolean", "default": True, "doc": ""},
        {"name": "rule", "kind": "choice", "default": "b", "choices": ["a", "b"], "nullable": True, "doc": ""},
        {"name": "title", "kind": "text", "default": "x", "doc": ""},
    ]
    page.evaluate(
        """async (fields) => {
            const { buildForm } = await import("/static/forms/form.js");
            window.form = buildForm(fields, {});
            document.querySelector("main").replaceChildren(form.element);
        }""",
        fields,
    )
    values = "() => form.values()"
    assert page.evaluate(values) == {}
    page.locator("[data-field=depth]").fill("7")
    page.locator("[data-field=rate]").fill("")
    page.locator("[data-field=quick]").uncheck()
    page.locator("[data-field=rule]").select_option(label="none")
    page.locator("[data-field=title]").fill("y")
    assert page.evaluate(values) == {"depth": 7, "rate": None, "quick": False, "rule": None, "title": "y"}
    page.evaluate("() => form.rebase({ depth: 7, title: 'z' })")  # a preset: its values are the defaults now
    assert page.evaluate(values) == {}
    page.get_by_role("button", name="more").click()
    assert page.evaluate(values) == {"depth": 8}
    page.get_by_role("button", name="Reset Depth to 7").click()
    assert page.evaluate(values) == {}
    page.locator("[data-field=depth]").fill("12")
    refused = page.evaluate("() => { try { form.values() } catch (error) { return error.message } }")
    assert refused == "Depth must be a whole number from 1 to 9, not 12."
    assert page.locator(".field.bad .error").inner_text() == refused


def test_a_mistake_is_shown_where_it_was_made(page: Any) -> None:
    page.goto("/#/train?game=tictactoe")
    page.get_by_text("Custom parameters").click()
    alpha = page.locator("[data-field=alpha]")
    alpha.fill("0")
    page.get_by_role("button", name="Start training").click()
    error = page.locator(".field.bad .error")
    error.wait_for()
    assert error.inner_text() == "alpha of td-ntuple is a number above 0 and not above 1000, not 0"
    assert page.locator(".field.bad label").inner_text() == "Alpha"
    with page.expect_response("**/api/runs/estimate"):  # which is asked for in the background, and changes nothing here
        page.locator("[data-field=name]").fill("Mistaken")
    assert error.inner_text().startswith("alpha of td-ntuple")
    alpha.fill("1")
    assert page.locator(".field.bad").count() == 0
    page.get_by_text("More settings").click()
    page.locator("[data-field=eligibility]").select_option(label="rep")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("replacing traces (rep, rr) need method=traces").wait_for()
    assert page.locator(".live-card").filter(has_text="queued").count() == 0


# ------------------------------------------------------------ training


def test_the_curve_of_a_training_grows(page: Any) -> None:
    page.goto("/#/train?game=tictactoe")
    page.locator("[data-field=name]").fill("Growing")
    page.locator("[data-field=episodes]").fill("9000000")
    page.get_by_text("Evaluation, seed and threads").click()
    page.locator("[data-field=evaluate_every]").fill("10000")
    page.get_by_role("button", name="Start training").click()
    run = page.locator(".live-card", has_text="Growing")
    points = "Number(document.querySelector('.live-card .plot')?.dataset.points ?? 0)"
    page.wait_for_function(f"() => {points} > 0", timeout=SLOW)
    first = page.evaluate(f"() => {points}")
    page.wait_for_function(f"() => {points} > {first + 1}")
    assert run.locator(".plot path.js-line").count() > 0
    assert int(run.locator("[role=progressbar]").get_attribute("aria-valuenow")) < 100

    page.reload()  # the run is the server's, not the page's
    page.wait_for_function(f"() => {points} > {first + 1}")
    run.get_by_role("button", name="Pause").click()
    run.locator(".badge", has_text="paused").wait_for()
    run.get_by_role("button", name="Stop").click()
    page.locator("dialog").get_by_role("button", name="Stop").click()
    run.locator(".badge", has_text="stopped").wait_for()
    assert re.fullmatch(
        r"#/play\?game=tictactoe&file=[a-z0-9]{12}",
        run.get_by_role("link", name="Play against it").get_attribute("href"),
    )
    page.goto("/#/agents")
    page.locator("tr", has_text="Growing").wait_for()


# ------------------------------------------------------------ agents


def test_a_broken_upload_is_refused_with_its_sentence(page: Any, agent_file: bytes) -> None:
    page.goto("/#/agents")
    page.locator(".page-head").wait_for()
    before = page.request.get("/api/files").json()
    page.set_input_files("input[type=file]", {"name": "notes.agent", "mimeType": "", "buffer": b"shopping list"})
    notice = page.locator(".notice.error")
    notice.wait_for()
    assert "notes.agent was not added: " in notice.inner_text()
    assert "not an agent file" in notice.inner_text()
    dropped = """(bytes) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], "half.agent"));
        for (const kind of ["dragover", "drop"])
            document.querySelector(".drop-page").dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true }));
    }"""
    page.evaluate(dropped, list(agent_file[: len(agent_file) // 2]))
    page.locator(".notice.error", has_text="half.agent was not added: ").wait_for()
    assert page.request.get("/api/files").json() == before


def test_rename_and_delete_an_agent(page: Any, agent_file: bytes) -> None:
    add_agent(page, "Taken", agent_file).wait_for(timeout=SLOW)
    row = add_agent(page, "First name", agent_file)
    row.get_by_role("button", name="Rename").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Name").fill("Taken")
    dialog.get_by_role("button", name="Rename").click()
    dialog.get_by_text("there is an agent called Taken already").wait_for()
    dialog.get_by_label("Name").fill("Second name")
    dialog.get_by_role("button", name="Rename").click()
    renamed = page.locator("tr", has_text="Second name")
    renamed.wait_for()
    assert row.count() == 0

    with page.expect_download() as download:
        renamed.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "Second name.agent"
    assert Path(download.value.path()).read_bytes() == agent_file

    renamed.get_by_role("button", name="Delete").click()
    dialog.get_by_text("Delete Second name?").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    assert renamed.count() == 1
    renamed.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    renamed.wait_for(state="detached")
    assert "Second name" not in [file["name"] for file in page.request.get("/api/files").json()]


def test_the_newest_agent_is_the_one_that_was_written_last(page: Any, agent_file: bytes) -> None:
    """Not the first by the alphabet: in the pickers, and where nobody chose."""
    for name in ("newest b", "newest c", "newest a"):
        add_agent(page, name, agent_file).wait_for()
    page.goto("/#/inspect?game=tictactoe")
    page.wait_for_selector(".board-frame svg")
    newest = """async () => {
        const { usualAgent } = await import("/static/forms/agent_dialog.js");
        const { agentPicker } = await import("/static/forms/agent_picker.js");
        const picker = agentPicker();
        await picker.setGame("tictactoe");
        return [(await usualAgent("tictactoe")).label, picker.files.slice(0, 3).map((file) => file.name)];
    }"""
    assert page.evaluate(newest) == ["newest a", ["newest a", "newest c", "newest b"]]


def test_the_gallery_of_players(page: Any) -> None:
    """How they were trained, and a game against one of them in one click."""
    page.goto("/#/agents")
    page.get_by_role("link", name="Gallery").click()
    page.wait_for_selector(".gallery-card")
    hex_agent = page.locator('.gallery-card[data-agent="hex"]')
    assert "games against itself" in hex_agent.inner_text() and "Strength" in hex_agent.inner_text()
    assert page.locator('.gallery-card[data-agent="c4-perfect-dl"]').get_by_role("button").count() == 1
    assert hex_agent.get_by_role("button").all_inner_texts() == ["Play", "Inspect", "Continue training"]
    hex_agent.get_by_role("button", name="Play").click()
    page.wait_for_selector(".board-frame .legal")
    assert page.locator(".seat-label").all_inner_texts() == ["You", "hex"]


def test_the_page_of_an_agent_tells_its_parameters(page: Any, agent_file: bytes) -> None:
    add_agent(page, "Told", agent_file).get_by_role("link", name="Told", exact=True).click()
    page.get_by_role("heading", name="Parameters of td-ntuple").wait_for(timeout=SLOW)
    assert page.locator(".figures div", has_text="Tuples").last.inner_text().split() == ["Tuples", "points:1x9"]
    page.get_by_role("link", name="See and edit its n-tuples").click()
    page.get_by_role("heading", name="Tuple 1: 9 cells").wait_for(timeout=SLOW)


# ------------------------------------------------------------ matches


def test_a_match_has_a_result_and_games_to_look_at(page: Any) -> None:
    page.goto("/#/compete?game=tictactoe")
    page.get_by_label("Agent 1").select_option("agent:random")
    page.get_by_label("Agent 2").select_option("agent:random")
    page.locator("[data-field=games]").fill("6")
    page.get_by_role("button", name="Start match").click()
    match = page.locator(".live-card[data-state=finished]")
    match.wait_for(timeout=SLOW)
    rows = match.locator(".standings tbody tr")
    assert rows.count() == 2
    assert all(re.search(r"\(.* to .*\)", text) for text in rows.all_inner_texts())
    results = [row.locator("[data-label^=Won]").inner_text().split(" \u00b7 ") for row in rows.all()]
    assert results[0] == results[1][::-1]
    assert sum(map(int, results[0])) == 6
    links = match.locator(".game-link")
    assert links.count() == 6
    links.nth(2).click()
    page.locator(".replay .board svg").wait_for()
    page.keyboard.press("End")
    page.locator(".replay-moves .current").last.wait_for()
    assert int(page.get_by_label("Move", exact=True).input_value()) >= 5


# ------------------------------------------------------------ games


def test_a_stored_game_is_replayed(page: Any) -> None:
    record = played_game(page, "Replayed")
    page.goto(f"/#/games/{record['id']}")
    shapes = "document.querySelectorAll('.replay .board svg *').length"
    page.locator(".replay .board svg").wait_for()
    slider = page.get_by_label("Move", exact=True)
    assert slider.input_value() == "0"
    counts = [page.evaluate(f"() => {shapes}")]
    for ply in range(1, 6):
        page.get_by_role("button", name="Next").click()
        page.wait_for_function(f"() => {shapes} !== {counts[-1]}")
        counts.append(page.evaluate(f"() => {shapes}"))
        assert slider.input_value() == str(ply)
    assert page.get_by_role("button", name="Next").is_disabled()
    assert "Replayed" in page.locator(".page-head").inner_text()

    page.keyboard.press("Home")
    assert slider.input_value() == "0"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert slider.input_value() == "1"
    page.wait_for_function(f"() => {shapes} === {counts[1]}")
    page.locator(".replay-moves button").nth(3).click()
    assert slider.input_value() == "3"
    assert page.get_by_role("link", name="Inspect this position").get_attribute("href") == (
        f"#/inspect?record={record['id']}&ply=3"
    )

    with page.expect_download() as download:
        page.get_by_role("link", name="Export as JSON").click()
    exported = json.loads(Path(download.value.path()).read_text())
    assert exported["events"] == [{"action": action} for action in (0, 3, 1, 4, 2)]
    page.get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/#/games")
    assert page.request.get(f"/api/records/{record['id']}").status == 404


def test_games_are_listed_and_people_have_their_hall_of_fame(page: Any) -> None:
    played_game(page, "Listed")
    ask = page.request
    seats = [{"person": "Famous"}, {"agent": "random"}]
    table = ask.post("/api/tables", data={"game": "tictactoe", "seats": seats}).json()
    while not table["over"]:
        if table["to_move"] == 0 and table["legal"]:
            move = {"action": table["legal"][0]["action"], "ply": table["ply"]}
            table = ask.post(f"/api/tables/{table['id']}/move", data=move).json()
        else:
            page.wait_for_timeout(50)
            table = ask.get(f"/api/tables/{table['id']}").json()
    page.goto("/#/games")
    row = page.locator("tbody tr", has_text="Listed")
    assert row.locator("[data-label=Result]").inner_text() == "1 : \u22121"
    assert row.locator("[data-label=Plies]").inner_text() == "5"
    page.get_by_role("link", name="Hall of fame").click()
    famous = page.locator("tbody tr", has_text="Famous")
    famous.wait_for()
    results = [int(famous.locator(f"[data-label={name}]").inner_text()) for name in ("Won", "Drawn", "Lost")]
    assert "random" in famous.inner_text()
    assert sum(results) == 1


# ------------------------------------------------------------ a small screen


def test_nothing_is_cut_off_on_a_phone(phone: Any, agent_file: bytes) -> None:
    add_agent(phone, "A long name of an agent that was trained for a long time", agent_file).wait_for(timeout=SLOW)
    record = played_game(phone, "A person with a rather long name")
    views = {
        "train": "[data-field=alpha]",
        "agents": "tbody tr",
        "games": "tbody tr",
        "hall": ".tabs",
        "compete": ".picker-doc",
        f"games/{record['id']}": ".board svg",
    }
    for view, content in views.items():
        phone.goto(f"/#/{view}")
        phone.locator(content).first.wait_for(state="attached")
        phone.evaluate("() => document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
        outside = phone.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter((e) => e.checkVisibility() && e.getClientRects().length)
                .filter((e) => { const r = e.getBoundingClientRect(); return r.left < 0 || r.right > 360; })
                .filter((e) => !e.closest(".tabs, svg"))
                .map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`)"""
        )
        assert outside == [], view
