"""Playing in a real browser: with the mouse, a finger and the keyboard alone, on a desktop and on a phone."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest

from boardlab import make

SLOW = 60_000
"""Milliseconds that compiling may take where the cache is cold."""

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The lines of Tic-tac-toe, by action."""


def new_table(page: Any, game: str, *seats: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A live game, begun behind the page's back."""
    answer = page.request.post("/api/tables", data={"game": game, "seats": list(seats), **more})
    assert answer.ok, answer.text()
    return answer.json()


def open_table(page: Any, game: str, *seats: dict[str, Any], **more: Any) -> str:
    """A live game on the page, its board drawn; its id."""
    table = new_table(page, game, *seats, **more)
    page.goto(f"/#/play/{table['id']}")
    page.wait_for_selector(".board-frame svg")
    return table["id"]


def view(page: Any) -> dict[str, Any]:
    """What the server says about the game on the page."""
    return page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()


def wait_for_turn(page: Any, ply: int) -> None:
    """Wait until the page shows at least `ply` events and somebody may move, or until the game is over."""
    page.wait_for_function(
        """ply => {
            const at = document.querySelector(".move[aria-current]");
            if (!at || Number(at.dataset.ply) < ply) return false;
            return document.querySelector(".board-frame .legal") || document.querySelector(".status-text.over");
        }""",
        arg=ply,
    )


def status(page: Any) -> str:
    return page.locator(".status-text").inner_text()


# ------------------------------------------------------------ from the gallery to a won game


def good_move(mine: set[int], theirs: set[int]) -> int:
    """Win, else stop the other, else the middle, a corner, a side."""
    free = set(range(9)) - mine - theirs
    for stones in (mine, theirs):
        for line in LINES:
            missing = set(line) - stones
            if len(missing) == 1 and missing <= free:
                return missing.pop()
    return next(cell for cell in (4, 0, 2, 6, 8, 1, 3, 5, 7) if cell in free)


def play_to_the_end(page: Any) -> None:
    ply = 0
    while True:
        wait_for_turn(page, ply)
        if page.locator(".status-text.over").count():
            return
        moves = view(page)["moves"]
        mine = {m["number"] for m in moves if m["player"] == 0}
        theirs = {m["number"] for m in moves if m["player"] == 1}
        page.click(f'.board-frame [data-action="{good_move(mine, theirs)}"]')
        ply = len(moves) + 1
        page.wait_for_function("ply => document.querySelectorAll('.move').length > ply", arg=ply)
        if not page.locator(".status-text.over").count():
            ply += 1  # the answer of the agent


def test_a_person_beats_a_random_agent(page: Any) -> None:
    page.goto("/")
    page.get_by_role("link", name="Tic-tac-toe: options").click()
    page.wait_for_selector(".seat-setup")
    seats = page.locator(".seat-setup")
    assert seats.count() == 2
    seats.nth(0).locator("select").select_option("person")
    seats.nth(0).get_by_label("Name").fill("Ann")
    seats.nth(1).locator("select").select_option("agent:random")
    start = page.get_by_role("button", name="Start")
    page.wait_for_function("() => !document.querySelector('[type=submit]').disabled", timeout=SLOW)
    start.click()
    page.wait_for_url(re.compile("#/play/[a-z0-9]{12}$"))
    page.wait_for_selector(".seat-label")
    assert page.locator(".seat-label").all_inner_texts() == ["Ann", "random"]
    for _ in range(20):
        play_to_the_end(page)
        if "You won" in status(page):
            break
        page.get_by_role("button", name="Play again").click()
        page.wait_for_function("() => !document.querySelector('.status-text.over')")
    assert "You won" in status(page)
    assert page.locator('.seat.won[data-seat="0"]').count() == 1
    assert page.locator(".board-frame .legal").count() == 0
    ended = view(page)
    assert ended["scores"] == [1, -1]
    mine = {m["number"] for m in ended["moves"] if m["player"] == 0}
    assert any(set(line) <= mine for line in LINES)


def test_one_click_leads_to_a_board(page: Any) -> None:
    page.goto("/")
    page.get_by_label("Perfect").check(force=True)  # the words lie over the button
    assert "no perfect player" in page.locator('[data-game="othello"]').inner_text()
    assert "no perfect player" not in page.locator('[data-game="tictactoe"]').inner_text()
    page.reload()
    assert page.get_by_label("Perfect").is_checked(), "it is remembered"
    page.click('[data-game="tictactoe"]')
    page.wait_for_selector(".board-frame .legal")
    assert page.locator(".seat-label").all_inner_texts() == ["You", "Perfect (perfect)"]
    page.click('.board-frame [data-action="0"]')
    wait_for_turn(page, 2)
    assert view(page)["moves"][1]["number"] == 4, "only the middle keeps the draw"
    page.go_back()
    page.wait_for_selector(".game-card")
    page.wait_for_selector(".resume")


def test_compiling_is_told(page: Any) -> None:
    page.goto("/#/play")
    page.wait_for_selector(".game-card")
    bar = """async () => {
        const { compilingBar } = await import("/static/play/compiling.js");
        const bar = compilingBar({ share: 0.4, seconds: 3.2 });
        return [bar.value, bar.title, bar.getAttribute("aria-label")];
    }"""
    assert page.evaluate(bar) == [0.4, "40 % after 3 s", "Compiled"]


# ------------------------------------------------------------ one game, all that one can do with it


def stones(page: Any) -> int:
    return page.locator(".board-frame circle[data-piece]").count()


def test_connect_four_with_undo(page: Any) -> None:
    open_table(page, "connect4", {"person": "Ann"}, {"agent": "random"}, seed=5)
    assert page.locator(".tool[data-tool=undo]").is_disabled()
    page.click('.board-frame [data-action="3"]')
    wait_for_turn(page, 2)
    assert stones(page) == 2
    page.click('.board-frame [data-action="2"]')
    wait_for_turn(page, 4)
    assert stones(page) == 4
    page.click(".tool[data-tool=undo]")
    page.keyboard.press("u")  # quicker than the answer
    page.wait_for_selector('.move[data-ply="0"][aria-current]')
    assert stones(page) == 0
    assert page.locator(".move.later").count() == 4
    page.keyboard.press("r")
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.click('.move[data-ply="4"]')  # the list of moves leads anywhere
    page.wait_for_selector('.move[data-ply="4"][aria-current]')
    assert stones(page) == 4
    page.click('.move[data-ply="2"]')
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.click('.board-frame [data-action="6"]')  # another game from here on
    wait_for_turn(page, 4)
    assert view(page)["moves"][2]["number"] == 6
    page.click(".tool[data-tool=resign]")
    page.get_by_role("button", name="Resign", exact=True).last.click()
    page.wait_for_selector(".status-text.over")
    assert status(page) == "You resigned"
    assert view(page)["resigned"] == 0


def test_only_legal_moves_respond(page: Any) -> None:
    open_table(page, "othello", {"person": "Ann"}, {"person": "Bob"})
    legal = {"19", "26", "37", "44"}
    found = page.locator(".board-frame .legal").evaluate_all("parts => parts.map(p => p.dataset.action)")
    assert set(found) == legal
    page.click('.board-frame [data-action="0"]', force=True)  # it is marked as disabled
    page.keyboard.press("Enter")
    page.hover('.board-frame [data-action="1"]')
    assert page.locator(".preview").count() == 0
    page.hover('.board-frame [data-action="19"]')
    assert page.locator(".preview").count() == 1
    assert view(page)["ply"] == 0
    page.click('.board-frame [data-action="19"]')
    page.wait_for_selector('.move[data-ply="1"][aria-current]')


def test_sides_are_swapped_and_seats_changed(page: Any) -> None:
    open_table(page, "nim:players=3", {"person": "Ann"}, {"person": "Bob"}, {"agent": "random"})
    page.click(".tool[data-tool=flip]")
    page.wait_for_function("() => document.querySelector('.seat-label').textContent !== 'Ann'")
    assert sorted(page.locator(".seat-label").all_inner_texts()) == ["Ann", "Bob", "random"]
    page.get_by_role("button", name="Players").click()
    dialog = page.locator("dialog")
    dialog.wait_for()
    chosen = dialog.locator("select").evaluate_all("nodes => nodes.map(node => node.value)")
    assert sorted(chosen) == ["agent:random", "person", "person"]
    for i in range(3):
        dialog.locator(".seat-setup").nth(i).locator("select").select_option("person")
        dialog.locator(".seat-setup").nth(i).get_by_label("Name").fill(f"P{i}")
    dialog.get_by_role("button", name="Apply").click()
    page.wait_for_selector("text=P2")
    assert page.locator(".seat-label").all_inner_texts() == ["P0", "P1", "P2"]


# ------------------------------------------------------------ keyboard and chance


def test_2048_by_arrow_keys(page: Any) -> None:
    open_table(page, "2048", {"person": "Ann"}, seed=3)
    page.wait_for_selector(".board-frame .legal")
    assert "Score 0" in status(page)
    names = {"ArrowLeft": "left", "ArrowUp": "up", "ArrowRight": "right", "ArrowDown": "down"}
    played = []
    for turn in range(12):
        before = view(page)
        legal = {m["name"] for m in before["legal"]}
        key = next(k for k in (*list(names)[turn % 4 :], *names) if names[k] in legal)
        page.keyboard.press(key)
        played.append(names[key])
        wait_for_turn(page, before["ply"] + 2)
    moves = view(page)["moves"]
    assert [m["name"] for m in moves if m["kind"] == "action"] == played
    assert [m["kind"] for m in moves[2:]] == ["action", "chance"] * 12
    assert page.locator(".by-chance").count() == 14
    assert "by chance" in status(page)
    tiles = page.locator(".board-frame text[data-piece]").all_text_contents()
    assert sum(map(int, tiles)) == sum(2 if m["name"].startswith("2") else 4 for m in moves if m["kind"] == "chance")


def test_keyboard_alone(page: Any) -> None:
    page.goto("/#/play")
    page.wait_for_selector(".game-card")
    press_until(page, "Tab", "document.activeElement.dataset?.game === 'tictactoe'")
    page.keyboard.press("Tab")  # its options
    page.keyboard.press("Enter")
    page.wait_for_selector(".seat-setup")
    page.locator(".seat-setup").nth(1).locator("select").select_option("person")
    page.wait_for_function("() => !document.querySelector('[type=submit]').disabled", timeout=SLOW)
    press_until(page, "Tab", "document.activeElement.type === 'submit'")
    page.keyboard.press("Enter")
    page.wait_for_selector(".board-frame .legal")
    press_until(page, "Tab", "document.activeElement.dataset?.action !== undefined")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "b2"
    assert page.locator(".focused").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    assert view(page)["last_action"] == 4
    page.keyboard.press("ArrowUp")  # the keyboard has stayed on the board
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.keyboard.press("u")
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.keyboard.press("?")
    page.wait_for_selector("dialog kbd")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_the_keyboard_goes_row_by_row(page: Any) -> None:
    """On the rhombus of Hex as well, and over stones, which say what they are."""
    open_table(page, "hex:size=4", {"person": "Ann"}, {"person": "Bob"}, start=[{"action": 2}])
    page.locator('[data-action="0"]').focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(focused(page))
    assert seen == ["b1", "c1, X", "c2", "c3", "b3", "b2", "b1", "b1"]
    page.keyboard.press("n")
    assert focused(page) == "d1", "the next legal move"
    page.keyboard.press("p")
    assert focused(page) == "b1"


def test_moves_are_announced_and_the_focus_stays(page: Any) -> None:
    open_table(page, "tictactoe", {"person": "Ann"}, {"agent": "random"}, seed=4)
    page.locator('[data-action="4"]').focus()
    page.keyboard.press("Enter")
    wait_for_turn(page, 2)
    assert focused(page) == "b2, X"
    answer = view(page)["moves"][1]["name"]
    page.wait_for_function("() => document.querySelector('[role=log]').textContent !== ''")
    assert page.locator("[role=log]").inner_text().endswith(f"random played {answer}.")
    page.keyboard.press("Enter")  # it is taken
    page.wait_for_function("() => document.querySelector('.board [role=status]').textContent")
    assert page.locator(".board [role=status]").inner_text() == "b2, X: no legal move now."
    assert page.locator('[data-action="4"]').get_attribute("aria-disabled") == "true"
    page.keyboard.press("b")
    page.wait_for_function("() => document.querySelector('.board [role=status]').textContent.includes('a b c')")
    page.click("text=Board as text")
    assert page.locator(".board-text").inner_text().split() == view(page)["text"].split()


def test_the_keyboard_is_not_lost_when_a_button_goes(page: Any) -> None:
    start = [{"action": a} for a in (0, 3, 1, 4)]
    open_table(page, "tictactoe", {"person": "Ann"}, {"person": "Bob"}, start=start)
    page.click('.board-frame [data-action="2"]')
    again = page.get_by_role("button", name="Play again")
    again.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="4"][aria-current]')
    page.wait_for_function("() => document.activeElement.dataset?.action !== undefined")


def press_until(page: Any, key: str, condition: str) -> None:
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate(condition):
            return
    pytest.fail(f"{condition} was never reached by {key}")


# ------------------------------------------------------------ how it feels


def ghosts(page: Any) -> int:
    """How many shapes show what the move would do that is pointed at."""
    shown = "() => [...document.querySelectorAll('[data-ghost]')].map((g) => getComputedStyle(g).visibility)"
    return page.evaluate(shown).count("visible")


def test_the_ghost_of_a_move(page: Any) -> None:
    open_table(page, "connect4", {"person": "Ann"}, {"person": "Bob"}, start=[{"action": 3}])
    assert ghosts(page) == 0
    page.hover('.board-frame [data-action="3"]')
    assert ghosts(page) == 1
    shown = page.locator("[data-ghost].shown")
    stone = page.locator(".board-frame [data-piece]").bounding_box()
    box = shown.bounding_box()
    assert box["x"] == pytest.approx(stone["x"], abs=1) and box["y"] < stone["y"], "it lands on the stone"
    assert "second" in shown.get_attribute("fill")
    page.hover("h1")
    assert ghosts(page) == 0
    open_table(page, "nim", {"person": "Ann"}, {"person": "Bob"})
    page.hover('.board-frame [data-action="7"]')  # the third stone from above, on the second heap
    assert ghosts(page) == 3


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_stones_fall_and_tiles_slide_for_those_who_like_it(page: Any, motion: str) -> None:
    page.emulate_media(reduced_motion=motion)
    page.goto("/#/play")
    page.wait_for_selector(".game-card")
    frames = """async ([first, second, slides]) => {
        const { Board } = await import("/static/board/board.js");
        const board = new Board();
        document.querySelector("main").replaceChildren(board.element);
        const moving = () => document.getAnimations().filter((a) => !(a instanceof CSSAnimation)).length;
        board.draw({ svg: first });
        const before = moving();
        board.draw({ svg: second, slides });
        return [before, moving(), board.settled > performance.now()];
    }"""
    game = make("connect4")
    fall = page.evaluate(frames, [game.start().svg(), game.start().play("4").svg(), []])
    game = make("othello")
    turn = page.evaluate(frames, [game.start().svg(), game.start().play("d3").svg(), []])
    game = make("2048")
    before = game.start().play_chance(0).play_chance(2)  # two tiles of 2, side by side
    after = before.copy().play("left").play_chance(30)
    slides = [list(pair) for pair in game.slides(before.state, 0)]
    slide = page.evaluate(frames, [before.svg(), after.svg(), slides])
    if motion == "reduce":
        assert [fall, turn, slide] == [[0, 0, False]] * 3
        return
    assert fall == [0, 1, True]
    assert turn == [0, 2, True], "one stone is new, one turns over"
    assert slide == [0, 10, True], (
        "each tile has two shapes: two tiles go, the new one waits and grows, and one appears"
    )


def test_names_and_counts_stand_beside_the_board(page: Any) -> None:
    open_table(page, "othello", {"person": "Ann"}, {"person": "Bob"})
    assert status(page) == "Ann to move"
    assert page.locator(".seat-player strong").all_inner_texts() == ["2 discs", "2 discs"]
    page.click(".board-frame .legal")
    page.wait_for_function("() => document.querySelector('.status-text').textContent === 'Bob to move'")
    assert page.locator(".seat-player strong").all_inner_texts() == ["4 discs", "1 disc"]


def test_sounds_are_off_until_they_are_wanted(page: Any) -> None:
    open_table(page, "tictactoe", {"person": "Ann"}, {"person": "Bob"})
    made = "() => { window.tones = 0; const Node = OscillatorNode; window.OscillatorNode = class extends Node {"
    page.evaluate(made + " constructor(...given) { super(...given); window.tones++; } }; }")
    page.click('.board-frame [data-action="4"]')
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    assert page.evaluate("tones") == 0
    sound = page.get_by_role("button", name="Sound")
    assert sound.get_attribute("aria-pressed") == "false"
    sound.click()
    assert sound.get_attribute("aria-pressed") == "true"
    page.click('.board-frame [data-action="0"]')
    page.wait_for_function("() => tones === 2")  # one when it was turned on, one for the move


# ------------------------------------------------------------ agents


def test_agents_are_watched_step_by_step(page: Any) -> None:
    open_table(page, "connect4", {"agent": "random"}, {"agent": "random"}, paused=True, seed=2)
    assert page.locator(".board-frame .legal").count() == 0
    for ply in (1, 2, 3):
        page.get_by_role("button", name="Step").click()
        page.wait_for_selector(f'.move[data-ply="{ply}"][aria-current]')
    page.get_by_label("Agent speed").evaluate("node => { node.value = 100; node.dispatchEvent(new Event('change')); }")
    page.click("h1")  # on a button the key would press that
    page.keyboard.press(" ")
    page.wait_for_selector(".status-text.over")
    assert view(page)["over"]


def test_a_thinking_agent_is_shown_and_stopped(page: Any) -> None:
    open_table(page, "tictactoe", {"person": "Ann"}, {"agent": "mcts", "options": {"time": 50.0}})
    boxes = main_boxes(page)
    page.click('.board-frame [data-action="4"]')
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for(timeout=SLOW)
    assert "is thinking" in status(page)
    assert page.locator(".clock").inner_text().endswith(" s")
    assert main_boxes(page) == boxes, "something moved when the status changed"
    page.goto("/#/agents")  # other views go on working
    page.wait_for_selector("h1")
    page.go_back()
    stop.click()
    page.wait_for_selector("text=Resume")
    assert view(page)["paused"]
    assert view(page)["thinking"] is None
    page.click(".tool[data-tool=undo]")
    page.wait_for_selector('.move[data-ply="0"][aria-current]')


def test_a_hint_and_the_values_of_all_moves(page: Any) -> None:
    start = [{"action": a} for a in (0, 3, 1, 4)]
    open_table(page, "tictactoe", {"person": "Ann"}, {"person": "Bob"}, start=start)
    page.click(".tool[data-tool=hint]")
    page.wait_for_selector(".hinted", timeout=SLOW)
    assert "Hint: c1" in page.locator(".advisor-state").inner_text()  # three in a row
    page.keyboard.press("v")
    page.wait_for_selector(".heat-label", timeout=SLOW)
    assert page.locator(".heat-label").count() == 5
    best = page.locator(".heat-label.best")
    assert best.all_text_contents() == ["1"]
    assert overlaps(best.bounding_box(), page.locator('.board-frame [data-action="2"]').bounding_box())
    assert page.locator(".value.best .value-name").all_inner_texts() == ["c1"]
    page.keyboard.press("v")
    assert page.locator(".heat-label").count() == 0


# ------------------------------------------------------------ boards of any game

MEANWHILE = """async (svg) => {
    const { Board } = await import("/static/board/board.js");
    window.played = [];
    window.board = new Board({ onAction: (action) => played.push(action) });
    document.querySelector("main").replaceChildren(board.element);
    board.draw({ svg, legal: [{ action: 3, name: "pass" }, { action: 7, name: "b2" }], playable: true });
}"""


def test_moves_that_are_no_part_of_the_picture_get_a_button(page: Any) -> None:
    page.goto("/#/hall")
    square = '<rect x="0" y="0" width="50" height="50" fill="red" data-action="7"/>'
    page.evaluate(MEANWHILE, f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{square}</svg>')
    assert page.locator(".board-others button").all_inner_texts() == ["pass"]
    page.get_by_role("button", name="pass").click()
    page.get_by_role("button", name="b2").click()
    assert page.evaluate("played") == [3, 7]
    page.evaluate("board.draw({ svg: board.text, legal: [{ action: 3, name: 'pass' }], playable: false })")
    assert page.locator(".board-others button").count() == 0


def test_nothing_in_a_picture_can_run(page: Any) -> None:
    """And no document with a policy ever sees what could: the page fixture finds the console empty."""
    page.goto("/#/hall")
    page.evaluate(
        MEANWHILE,
        """<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" xmlns:v="http://www.w3.org/2000/svg"
                viewBox="0 0 9 9" onload="window.hit = 1">
            <script>window.hit = 1</script><v:script>window.hit = 1</v:script>
            <style>rect { display: none }</style>
            <a href="javascript:window.hit = 1"><rect width="9" height="9" fill="red"/></a>
            <a x:href="javascript:window.hit = 1"><set attributeName="x:href" to="javascript:window.hit = 1"/></a>
            <foreignObject width="9" height="9">
                <p xmlns="http://www.w3.org/1999/xhtml" onclick="window.hit = 1"><img src="x" onerror="hit = 1"/></p>
            </foreignObject>
            <image href="http://example.org/x.png" width="9" height="9" onerror="window.hit = 1"/>
            <use x:href="#r"/>
            <g transform="scale(1)"><animate attributeName="opacity" onbegin="window.hit = 1" dur="1s"/>
                <v:rect id="r" width="9" height="9" fill="blue" onclick="window.hit = 1"/></g></svg>""",
    )
    page.locator(".board-frame rect").click()
    inside = page.locator(".board-frame svg *").evaluate_all("nodes => nodes.map(node => node.localName)")
    assert inside == ["g", "rect"]
    kept = page.locator(".board-frame rect").evaluate("node => [...node.attributes].map(a => `${a.name}=${a.value}`)")
    assert sorted(kept) == ["fill=blue", "height=9", "id=r", "width=9"]
    assert page.locator(".board-frame svg").evaluate("node => node.onload === null && !node.hasAttribute('onload')")
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize("text", ["", "no picture", "<svg/>", "<p xmlns='http://www.w3.org/2000/svg'/>", "<svg"])
def test_what_is_no_picture_is_shown_empty(page: Any, text: str) -> None:
    page.goto("/#/hall")
    page.evaluate(MEANWHILE, text)
    assert page.locator(".board-frame svg").count() == 1
    assert page.locator(".board-frame svg *").count() == 0


# ------------------------------------------------------------ what is where


def main_boxes(page: Any) -> dict[str, dict[str, float]]:
    """Where the main parts of a live game are."""
    names = (".game-head", ".board-frame", ".status", ".tools", ".seats-card", ".moves-card", ".advisor")
    return {name: page.locator(name).bounding_box() for name in names}


def overlaps(a: dict[str, float], b: dict[str, float]) -> bool:
    return (
        a["x"] + a["width"] > b["x"] + 0.5
        and b["x"] + b["width"] > a["x"] + 0.5
        and a["y"] + a["height"] > b["y"] + 0.5
        and b["y"] + b["height"] > a["y"] + 0.5
    )


def check_layout(page: Any, width: int, height: int) -> None:
    """Nothing overlaps, nothing sticks out, and the board is in sight as a whole."""
    boxes = main_boxes(page)
    for (name, a), (other, b) in combinations(boxes.items(), 2):
        assert not overlaps(a, b), f"{name} overlaps {other}"
    for name, box in boxes.items():
        assert box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5, f"{name} sticks out"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    board = boxes[".board-frame"]
    assert board["y"] >= 0 and board["y"] + board["height"] <= height
    for tool in page.locator(".tool").all():
        size = tool.bounding_box()
        assert min(size["width"], size["height"]) >= 40
        assert tool.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), tool.inner_text()


GAMES = ["tictactoe", "connect4", "othello", "hex:size=11", "nim:players=3", "2048", "dots", "sim"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_fits_a_phone(phone: Any, game: str) -> None:
    people = {"nim:players=3": 3, "2048": 1}.get(game, 2)
    open_table(phone, game, *[{"person": f"A person with quite a long name {i}"} for i in range(people)])
    check_layout(phone, 360, 740)


@pytest.mark.parametrize("game", ["hex:size=11", "nim:players=3"])
def test_games_fit_a_desktop(page: Any, game: str) -> None:
    people = 3 if game.startswith("nim") else 2
    open_table(page, game, *[{"person": f"P{i}"} for i in range(people)])
    check_layout(page, 1280, 800)
    page.set_viewport_size({"width": 740, "height": 360})
    check_layout(page, 740, 360)


def test_fingers_play_large_and_small_boards(phone: Any) -> None:
    open_table(phone, "2048", {"person": "Ann"}, seed=3)
    phone.wait_for_selector(".board-frame.swipes")
    swipe = """([dx, dy]) => {
        const frame = document.querySelector(".board-frame");
        const box = frame.getBoundingClientRect();
        const at = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
        const event = (type, x, y) => frame.dispatchEvent(new PointerEvent(type, {
            bubbles: true, isPrimary: true, pointerType: "touch", clientX: x, clientY: y }));
        event("pointerdown", at.x, at.y);
        event("pointermove", at.x + dx, at.y + dy);
        event("pointerup", at.x + dx, at.y + dy);
    }"""
    name = view(phone)["legal"][0]["name"]
    phone.evaluate(swipe, {"left": [-60, 4], "right": [60, 4], "up": [4, -60], "down": [4, 60]}[name])
    wait_for_turn(phone, 4)
    assert view(phone)["moves"][2]["name"] == name
    open_table(phone, "hex:size=11", {"person": "Ann"}, {"person": "Bob"})
    phone.wait_for_selector(".board-frame.aims")  # cells as small as these are aimed at by sliding
    box = phone.locator('[data-action="60"]').bounding_box()
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    phone.wait_for_selector('.move[data-ply="1"][aria-current]')
    assert view(phone)["last_action"] == 60


def test_the_gallery_and_the_set_up_fit_a_phone(phone: Any) -> None:
    phone.goto("/#/play")
    phone.wait_for_selector(".game-card")
    assert phone.locator(".game-card").count() >= 9
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.goto("/#/play?game=nim:players=3")
    phone.wait_for_selector(".seat-setup")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    start = phone.get_by_role("button", name="Start").bounding_box()
    nav = phone.locator(".nav").bounding_box()
    assert start["y"] + start["height"] <= nav["y"], "Start is behind the navigation"


def test_a_bad_parameter_is_shown_and_nothing_starts(page: Any) -> None:
    page.goto("/#/play?game=connect4")
    page.wait_for_selector(".seat-setup")
    page.get_by_role("spinbutton", name="Columns").fill("99")
    page.wait_for_selector(".field .error:not([hidden])")
    assert page.get_by_role("button", name="Start").is_disabled()
    page.goto("/#/play/aaaaaaaaaaaa")
    page.wait_for_selector("text=no such live game")
