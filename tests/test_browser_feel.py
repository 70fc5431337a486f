"""How a game feels in a real browser: ghosts, motion, names, sounds; and boards from any picture that a game draws."""

from __future__ import annotations

from typing import Any

import pytest
from browser_games import open_table, status

from boardlab import make

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
