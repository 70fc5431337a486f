"""The page that compares trainings, in a real browser: curves, axes, what differs, and a table to take along."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from browser import SLOW
from training_files import small_agent

from boardlab.lab.history import CurvePoint, History


def write_agent(path: Path, alpha: float, evaluator: str) -> bytes:
    """An agent file with a curve of three evaluations."""
    agent = small_agent(alpha=alpha)
    points = [
        CurvePoint(episodes=100 * k, seconds=0.5 * k, score=alpha * k / 3, low=0.0, high=1.0, games=10)
        for k in (1, 2, 3)
    ]
    agent.history = History(seconds=1.5, evaluator=evaluator, evaluations=points, finished=True).model_dump()
    agent.save(path)
    return path.read_bytes()


@pytest.fixture
def address(page: Any, tmp_path: Path) -> str:
    """Two agents side by side, measured in different ways."""
    files = []
    for name, alpha, evaluator in (("Slow, learner", 0.25, "perfect"), ("Quick", 0.75, "random")):
        content = write_agent(tmp_path / f"{alpha}.agent", alpha, evaluator)
        kind = {"Content-Type": "application/octet-stream"}
        answer = page.request.post(f"/api/files?name={name.replace(',', '')}", data=content, headers=kind)
        files.append(answer.json()["id"])
    return f"/#/compare?file={files[0]}&file={files[1]}"


def test_two_agents_are_compared(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector('.compare-plot[data-curves="2"]', timeout=SLOW)
    assert page.locator(".compare-plot .legendtext").all_text_contents() == ["Slow learner", "Quick"]
    assert "measured by different evaluators" in page.locator(".compare").inner_text()
    rows = {row.locator("th").inner_text(): row for row in page.locator(".table-wrap tbody tr").all()}
    assert rows["alpha"].locator("td").all_inner_texts() == ["0.25", "0.75"]
    assert "seed" not in rows
    page.get_by_label("CPU time").check()
    page.locator(".compare-plot .xtitle", has_text="CPU time in seconds").wait_for()
    assert page.url.endswith("&by=cpu")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    found = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert [(row["name"], row["episodes"], row["cpu_seconds"]) for row in found][:3] == [
        ("Slow learner", "100", "0.5"),
        ("Slow learner", "200", "1"),
        ("Slow learner", "300", "1.5"),
    ]
    assert len(found) == 6
    page.get_by_label("Quick").uncheck()
    page.wait_for_selector('.compare-plot[data-curves="1"]')
    assert page.url.count("file=") == 1
    page.reload()
    page.wait_for_selector('.compare-plot[data-curves="1"]')
