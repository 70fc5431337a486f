"""The training form in a real browser: it follows the agent that is chosen, and tells what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import SLOW, open_arena, open_page

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An arena that offers a learner of one's own, which has no n-tuples."""
    with open_arena(tmp_path_factory.mktemp("arena"), "--agent", OWN) as opened:
        yield opened


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    with open_page(chromium, address, viewport={"width": 1280, "height": 900}) as made:
        yield made


def open_form(page: Any, game: str = "tictactoe") -> Any:
    page.goto(f"/#/train?game={game}")
    agent = page.get_by_label("Agent", exact=True)
    agent.wait_for()
    return agent


def test_the_form_follows_the_agent(page: Any) -> None:
    agent = open_form(page)
    assert agent.input_value() == "td-ntuple"
    page.get_by_text("Custom parameters").click()
    assert page.locator("[data-field=tuples]").count() == 1
    assert page.locator("#preset option").all_inner_texts()[:2] == ["paper", "farl-fig3-td"]
    agent.select_option(OWN)
    page.locator("[data-field=tuples]").wait_for(state="detached")
    assert page.get_by_text("Learns what a value of a cell is worth").is_visible()
    assert page.locator("#preset option").all_inner_texts() == ["none"]
    assert page.locator("[data-field=episodes]").input_value() == "200"
    page.get_by_text("Custom parameters").click()
    alpha = page.locator("[data-field=alpha]")
    alpha.fill("0.25")
    need = page.locator("form [role=status]", has_text="200 episodes: ")
    need.filter(has_text="being tried out").wait_for()
    need.filter(has_text="on this machine").wait_for(timeout=SLOW)  # before there is any run of its kind
    assert page.locator(".live-card").count() == 0
    page.locator("[data-field=episodes]").fill("400")
    page.locator("form [role=status]", has_text="400 episodes: ").filter(has_text="on this machine").wait_for()
    page.locator("[data-field=episodes]").fill("200")
    page.locator("[data-field=name]").fill("Cells")
    page.get_by_role("button", name="Start training").click()
    run = page.locator(".live-card", has_text="Cells")
    run.locator(".badge", has_text="finished").wait_for(timeout=SLOW)
    assert run.locator(".figures div", has_text="Alpha").inner_text().split() == ["Alpha", "0.25"]
    assert run.locator(".figures div", has_text="Doubt").count() == 1
    run.get_by_role("link", name="Inspect").click()
    page.get_by_role("heading", name="Weights of Cells").wait_for(timeout=SLOW)
    assert page.locator(".weights-card tbody tr").count() == 9
    assert page.locator(".tuples").is_hidden(), "it has no n-tuples"


def test_a_second_evaluator_and_step_sizes_are_in_the_chart(page: Any) -> None:
    open_form(page)
    page.locator("[data-field=name]").fill("Twice")
    page.locator("[data-field=episodes]").fill("900")
    page.get_by_text("Custom parameters").click()
    page.locator("[data-field=rule]").fill("tcl")
    page.get_by_text("Evaluation, seed and threads").click()
    page.locator("[data-field=evaluate_every]").fill("300")
    page.locator("[data-field=games]").fill("4")
    page.locator("[data-field=second_evaluator]").select_option(label="random")
    page.get_by_role("button", name="Start training").click()
    run = page.locator(".live-card", has_text="Twice")
    run.locator(".badge", has_text="finished").wait_for(timeout=SLOW)
    assert "random" in run.locator(".figures div", has_text="Second").inner_text()
    run.locator(".plot .main-svg").first.wait_for()
    lines = page.evaluate(
        """() => [...document.querySelectorAll(".live-card .plot")].flatMap((plot) =>
            (plot.data ?? []).map((trace) => [trace.name ?? "", trace.yaxis ?? "y", trace.x.length]))"""
    )
    assert ["score", "y", 3] in lines and ["second score", "y", 3] in lines and ["step sizes", "y2", 3] in lines


def test_a_component_is_written_with_its_parameters(page: Any) -> None:
    open_form(page)
    page.get_by_text("Custom parameters").click()
    rule = page.locator("[data-field=rule]")
    helped = page.locator(".component-help").first
    rule.fill("tcl-exp:beta=2")
    assert "Parameters, as tcl-exp:" in helped.inner_text() and "beta (a number" in helped.inner_text()
    rule.fill("tcl-epx")
    assert helped.inner_text().startswith("One of ")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("there is no step-size rule 'tcl-epx'; did you mean 'tcl-exp'").wait_for(timeout=SLOW)
    rule.fill("tcl-exp:beta=99")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("beta is a number from 0 to 20, not 99").wait_for(timeout=SLOW)
    assert page.locator(".live-card").filter(has_text="queued").count() == 0
