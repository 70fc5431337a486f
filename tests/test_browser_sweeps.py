"""Sweeps in a real browser: the list, one that grows while it is looked at, its report, and tables to take along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser import SLOW
from sweep_folders import rising, write_run


def sweep_in(page: Any, name: str) -> Path:
    """A sweep of two variants in the arena's folder: four runs are finished, and two have not begun."""
    folder = Path(page.request.get("/api/about").json()["data"]) / "sweeps" / name
    for number in range(6):
        alpha, seed = (0.1, 1.0)[number // 3], number % 3
        write_run(folder, number, {"alpha": alpha}, seed, rising(-0.2 * alpha, 1000, seed))
        if seed == 2:
            (folder / "runs" / f"{number:016x}" / "result.json").rename(folder / f"result-{number}")
    (folder / "sweep.toml").write_text(
        'about = "Alphas <b>"\ngame = "tictactoe"\nseeds = 3\n[grid]\nalpha = [0.1, 1.0]\n'
    )
    return folder


def test_a_sweep_is_seen_while_it_grows(page: Any) -> None:
    folder = sweep_in(page, "grows & grows")
    page.goto("/#/train")
    page.get_by_role("link", name="Sweeps").click()
    row = page.locator("tr", has_text="grows & grows")
    row.wait_for()
    assert "4 of 6" in row.inner_text() and "not finished" in row.inner_text()
    row.get_by_role("link", name="Alphas <b>").click()
    page.wait_for_selector('.compare-plot[data-curves="2"]', timeout=SLOW)
    assert page.get_by_role("heading", name="Alphas <b>").is_visible()
    assert page.locator("[data-run]").count() == 6
    assert page.locator("[data-run] .badge", has_text="waiting").count() == 2
    page.get_by_label("Line").select_option("median")
    page.locator(".card", has_text="The median of the runs").wait_for()
    assert page.url.endswith("#/sweeps/grows%20%26%20grows?centre=median")
    page.locator(".sweep-report table").first.wait_for(timeout=SLOW)
    assert "2" in page.locator(".sweep-report tbody tr").first.inner_text()
    picture = page.locator(".sweep-report img").first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("(image) => image.complete && image.naturalWidth > 100", arg=picture.element_handle())
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV: all evaluations").click()
    assert len(Path(download.value.path()).read_text().splitlines()) == 1 + 4 * 20
    for number in (2, 5):
        (folder / f"result-{number}").rename(folder / "runs" / f"{number:016x}" / "result.json")
    page.reload()
    page.locator(".badge", has_text="finished").first.wait_for()
    page.locator(".report-head", has_text="Report").wait_for()
    page.get_by_text("On 6 finished runs.").wait_for(timeout=SLOW)
    page.goto("/#/sweeps/nothing")
    page.get_by_text("This address leads nowhere").wait_for()
