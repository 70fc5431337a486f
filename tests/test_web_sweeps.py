"""Sweeps in the arena: found, listed, shown while they grow, reported; and nothing else is read."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from arena_client import Client, open_client, said
from sweep_folders import EPISODES, rising, write_run

from boardlab.lab.reports import figures
from boardlab.lab.reports.live_curves import live_curves
from boardlab.lab.reports.report import write_report
from boardlab.lab.reproductions.published import published, published_sweep, reproduction_names, reproduction_of
from boardlab.lab.sweeps.results import Curve, Results, results
from boardlab.lab.sweeps.sweep import Sweep

SWEEP = """about = "Alpha"
game = "tictactoe"
seeds = 3
levels = [-0.5]

[grid]
alpha = [0.1, 1.0]
"""


def write_sweep(folder: Path) -> Path:
    """Two variants with three seeds each; one run failed, one goes on, one has stopped, one has not begun."""
    for number, alpha in enumerate((0.1, 1.0)):
        for seed in range(3):
            scores = rising(-0.2 * number, 1000, seed)
            write_run(folder, 3 * number + seed, {"alpha": alpha}, seed, scores)
    (folder / "sweep.toml").write_text(SWEEP)
    said = json.loads((folder / "runs" / f"{0:016x}" / "settings.json").read_text())
    for number, name in enumerate(("failed", "goes on", "stopped", "waiting"), 6):
        path = folder / "runs" / f"{number:016x}"
        path.mkdir()
        decides = {**said["decides"], "episodes": 2000}
        (path / "settings.json").write_text(
            json.dumps({**said, "decides": decides, "number": number, "variant": name, "seed": number})
        )
    runs = [folder / "runs" / f"{number:016x}" for number in (6, 7, 8)]
    runs[0].joinpath("failed.txt").write_text("it <b>diverged</b>\n")
    for run in runs[1:]:
        run.joinpath("log.txt").write_text("2026-01-01T00:00:00+00:00 1,200 of 2,000 episodes: -0.1\n")
    os.utime(runs[2] / "log.txt", (0, time.time() - 10_000))
    return folder


def write_reproduction(folder: Path, name: str) -> Path:
    sweep = published_sweep(name, runs=1, games=2000)
    for number, variant in enumerate(published(name).measures[0].values):
        write_run(folder, number, {}, 1, rising(-0.1, 1000, 1), named=variant)
    (folder / "sweep.toml").write_text(sweep.to_toml())
    return folder


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The data directory of an arena, and another folder of sweeps; next to it lies one that is nobody's business."""
    root = tmp_path_factory.mktemp("places")
    data, other = root / "data", root / "other"
    write_sweep(data / "sweeps" / "alpha <&>")
    write_reproduction(other / "made again", "farl-table-1")
    write_sweep(other / "alpha <&>")
    (other / "nothing").mkdir()
    empty = other / "just begun" / "runs" / "0"
    empty.mkdir(parents=True)
    write_sweep(root / "secret")
    return data, other


@pytest.fixture(scope="module")
def client(places: tuple[Path, Path]) -> Iterator[Client]:
    data, other = places
    with open_client(data, sweeps=(other,)) as opened:
        yield opened


def address(name: str, more: str = "") -> str:
    return f"/api/sweeps/{quote(name, safe='')}{more}"


def test_sweeps_are_found_in_their_folders(client: Client, places: tuple[Path, Path]) -> None:
    found = {line["name"]: line for line in client.get("/api/sweeps").json()}
    assert set(found) == {"alpha <&>", "alpha <&> (2)", "made again", "just begun"}
    first = found["alpha <&>"]
    assert first["folder"] == str(places[0] / "sweeps" / "alpha <&>")
    assert (first["title"], first["reproduction"]) == ("Alpha", None)
    assert (first["runs"], first["finished"], first["failed"], first["running"]) == (10, 6, 1, True)
    again = found["made again"]
    assert (again["reproduction"], again["title"]) == ("farl-table-1", published("farl-table-1").title)
    assert client.get("/api/about").json()["sweep_folders"] == [str(places[0] / "sweeps"), str(places[1])]


@pytest.mark.parametrize("name", ["..", "../secret", "../other/alpha", "/etc", "secret", "nothing", "alpha"])
def test_no_name_leads_out_of_the_folders(client: Client, name: str) -> None:
    for more in ("", "/report", "/table.csv", "/figures/x.svg"):
        response = client.get(address(name, more))
        assert response.status_code == 404, (name, more, response.text)
        assert "secret" not in response.text or name.endswith("secret")


def test_runs_as_they_stand(client: Client) -> None:
    view = client.get(address("alpha <&>")).json()
    table = {run["variant"]: run for run in view["table"]}
    assert [run["state"] for run in view["table"]] == [*["finished"] * 6, "failed", "running", "stopped", "waiting"]
    assert table["failed"]["words"] == "it <b>diverged</b>"
    assert (table["goes on"]["episodes"], table["goes on"]["of"]) == (1200, 2000)
    assert table["alpha=0.1"]["score"] == pytest.approx(rising(0.0, 1000, 2)[-1])
    assert (view["evaluators"], view["evaluator"]) == (["perfect"], "perfect")


@pytest.mark.parametrize("centre", ["mean", "median"])
@pytest.mark.parametrize("band", ["interval", "quartiles", "deviation"])
def test_curves_by_variant(client: Client, centre: str, band: str) -> None:
    view = client.get(address("alpha <&>"), params={"centre": centre, "band": band}).json()
    assert [curve["label"] for curve in view["curves"]] == ["alpha=0.1", "alpha=1"]
    for number, curve in enumerate(view["curves"]):
        scores = np.array([rising(-0.2 * number, 1000, seed) for seed in range(3)])
        assert curve["episodes"] == EPISODES and curve["runs"] == [3] * len(EPISODES)
        assert curve["score"] == pytest.approx(getattr(np, centre)(scores, axis=0))
        if band == "quartiles":
            assert curve["low"] == pytest.approx(np.quantile(scores, 0.25, axis=0))
        if band == "deviation":
            assert curve["high"] == pytest.approx(scores.mean(axis=0) + scores.std(axis=0, ddof=1))
        assert np.all(np.array(curve["low"]) <= np.array(curve["high"]))


def test_a_live_curve_is_over_the_runs_that_have_come_so_far() -> None:
    def run(seed: int, scores: list[float]) -> Any:
        episodes, score = np.arange(1, len(scores) + 1) * 100, np.array(scores)
        made = type("Run", (), {})()
        made.variant, made.curves = "A", {"perfect": Curve(episodes, score, score, score, score)}
        return made

    (curve,) = live_curves(Results([run(1, [1.0, 2.0, 3.0]), run(2, [3.0]), run(3, [5.0, 6.0])]), "perfect")
    assert curve.episodes == [100, 200, 300]
    assert curve.runs == [3, 2, 1]
    assert curve.score == [3.0, 4.0, 3.0]
    assert (curve.low[0], curve.low[2]) == (2.0, 3.0)


def test_the_report_is_that_of_the_command(
    client: Client, places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "FORMATS", ("svg",))
    folder = places[0] / "sweeps" / "alpha <&>"
    report = client.get(address("alpha <&>", "/report")).json()
    write_report([folder], tmp_path)
    page = (tmp_path / "index.html").read_text()
    (section,) = report["sections"]
    assert section["note"] in page and report["finished"] == 6
    variants, differences = section["tables"]
    assert [row[:2] for row in variants["rows"]] == [["alpha=0.1", "3"], ["alpha=1", "3"]]
    for table in (variants, differences):
        for cell in (cell for row in table["rows"] for cell in row):
            assert f">{cell.removeprefix('*')}</td>" in page
    names = [figure["name"] for figure in section["figures"]]
    assert sorted(names) == sorted(path.stem for path in (tmp_path / "figures").glob("*.svg"))
    for name in names[:2]:
        picture = client.get(address("alpha <&>", f"/figures/{name}.svg"))
        assert picture.headers["content-type"] == "image/svg+xml"
        assert picture.content == (tmp_path / "figures" / f"{name}.svg").read_bytes()
    said(client.get(address("alpha <&>", "/figures/none.svg")), 404)
    for name in ("table", "runs", "summary"):
        answer = client.get(address("alpha <&>", f"/{name}.csv"))
        assert answer.text == (tmp_path / f"{name}.csv").read_text()
        assert "attachment" in answer.headers["content-disposition"]


def test_a_reproduction_says_what_was_published(client: Client) -> None:
    report = client.get(address("made again", "/report")).json()
    section = report["sections"][0]
    assert section["title"] == published("farl-table-1").title
    table = section["tables"][0]
    assert table["title"] == "Published, and here"
    assert {"variant", "published", "here (95 % interval)", "within?"} <= set(table["head"])
    rows = list(csv.DictReader(io.StringIO(client.get(address("made again", "/comparison.csv")).text)))
    assert [list(row.values()) for row in rows] == table["rows"]
    assert "no reproduction" in said(client.get(address("alpha <&>", "/comparison.csv")), 422)


@pytest.mark.parametrize("name", reproduction_names())
def test_a_reproduction_is_known_by_its_description(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(published_sweep(name, runs=2, games=1000).to_toml())
    assert reproduction_of(Sweep.read(path)) == name


def test_what_cannot_be_shown_is_told(client: Client) -> None:
    assert client.get(address("just begun")).json()["table"] == []
    assert "nothing to report" in said(client.get(address("just begun", "/report")), 422)
    said(client.get(address("alpha <&>"), params={"band": "other"}), 422)
    said(client.get(address("alpha <&>", "/other.csv")), 422)


def test_news_are_seen_and_damage_is_named(client: Client, places: tuple[Path, Path]) -> None:
    folder = places[1] / "alpha <&>"
    before = client.get(address("alpha <&> (2)", "/summary.csv")).text
    write_run(folder, 20, {"alpha": 10.0}, 1, rising(-0.4, 1000, 1))
    after = client.get(address("alpha <&> (2)", "/summary.csv")).text
    assert (before.count("\n"), after.count("\n")) == (3, 4)
    assert [curve["label"] for curve in client.get(address("alpha <&> (2)")).json()["curves"]][-1] == "alpha=10"
    (folder / "runs" / f"{20:016x}" / "settings.json").write_text("{")
    assert "settings.json is damaged" in said(client.get(address("alpha <&> (2)")), 422)
    assert len(results(places[0] / "sweeps" / "alpha <&>")) == 10  # nothing was written there
