"""Published tables and figures: their data, how ours is held against it, and the command."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.cli.main import app
from boardlab.lab.reproductions.comparison import compare
from boardlab.lab.reproductions.published import Measure, Published, published, published_sweep, reproduction_names
from boardlab.lab.reproductions.reproduce import size_words, write_reproduction
from boardlab.lab.sweeps.results import Curve, Results, RunResult
from boardlab.lab.sweeps.runs import RunFiles
from boardlab.lab.sweeps.sweep import Sweep

NAMES = [
    "farl-table-1",
    "farl-figure-3",
    "farl-figure-4",
    "ppsn-figure-2a",
    "ppsn-figure-2b",
    "ppsn-figure-3a",
    "ppsn-figure-3b",
    "thesis-table-5.1",
    "thesis-table-5.2",
    "thesis-table-5.3",
    "thesis-figure-5.3",
    "thesis-figure-5.4",
    "thesis-figure-5.8",
    "thesis-figure-5.15",
]


def a_run(variant: str, seed: int, scores: list[float], *, named: str = "", **settings: Any) -> RunResult:
    """A finished run that was measured every 100 episodes."""
    decides = {"game": "tictactoe", "agent": "td-ntuple", "parameters": {}, "episodes": 100 * len(scores)}
    files = RunFiles(Path(f"{variant}-{seed}"))
    run = RunResult(files, seed, variant, named or variant, settings, seed, decides, "finished", cpu_seconds=1.0)
    episodes = np.arange(1, len(scores) + 1) * 100
    score = np.array(scores)
    run.__dict__["curves"] = {"c4-thesis": Curve(episodes, score, score, score, episodes / 100.0)}
    return run


def a_table(**measure: Any) -> Published:
    said = {"name": "m", "of": "last", "statistic": "mean", "values": {"A": 0.5}, **measure}
    return Published(title="t", runs=3, form="table", cpu_hours=1, measures=[Measure(**said)])


def verdict(scores: list[float], **measure: Any) -> str:
    runs = Results([a_run("A", seed, [0.0, score]) for seed, score in enumerate(scores)])
    (found,) = compare(a_table(**measure), Sweep(game="tictactoe"), runs)
    return found.verdict


def test_all_tables_and_figures_are_there() -> None:
    assert sorted(NAMES) == reproduction_names()
    with pytest.raises(BoardlabError, match="there is no reproduction 'table-9'"):
        published("table-9")


@pytest.mark.parametrize("name", NAMES)
def test_every_published_value_has_its_variant(name: str) -> None:
    found, variants = published(name), published_sweep(name).variation
    assert found.cpu_hours > 0
    for measure in found.measures:
        known = {variant.name if measure.best else variant.label for variant in variants}
        assert set(measure.values) <= known
        assert set(measure.deviations) <= set(measure.values)


def test_a_smaller_size_cuts_only_what_is_longer() -> None:
    sweep = published_sweep("farl-table-1", runs=2, games=25_000)
    assert sweep.seeds == [1, 2]
    episodes = {variant.label: variant.wish.episodes for variant in sweep.variation}
    assert episodes["2048"] == 25_000
    assert episodes["Nim 3x5"] == 20_000


def test_there_may_be_more_runs_than_published() -> None:
    assert published_sweep("farl-table-1", runs=30).seeds == list(range(1, 31))


def test_the_best_settings_stand_beside_the_printed_ones() -> None:
    """With as many episodes, the same evaluators, and the published value with final adaptation."""
    variants = {variant.label: variant.wish for variant in published_sweep("farl-table-1").variation}
    for name in ("2048", "Hex 6x6", "Othello"):
        printed, strong = variants[name], variants[f"{name}, strong"]
        assert (printed.preset, strong.preset) == ("paper", "strong")
        same = ("game", "evaluator", "second_evaluator", "evaluate_every", "episodes", "options")
        assert [getattr(printed, field) for field in same] == [getattr(strong, field) for field in same]
        game = make(printed.game or "")
        assert printed.settings(game)["episodes"] == strong.settings(game)["episodes"]
    for measure in published("farl-table-1").measures:
        for name, value in measure.values.items():
            if name.endswith(", strong"):
                assert value == measure.values[name.removesuffix(", strong")]


def test_the_size_is_that_of_finished_runs() -> None:
    table = a_table(values={"A": 0.5, "B": 0.5})
    done = [a_run("A", seed, [0.0, 0.5]) for seed in (1, 2)]
    waiting = [replace(a_run("B", seed, [0.0] * 9), status="waiting") for seed in (1, 2)]
    assert size_words(table, Results(done)) == (
        "2 runs are finished: 2 of each variant, with 200 training games. The original has 3 runs of each."
    )
    assert size_words(table, Results(done + waiting)) == (
        "2 runs are finished: 2 of each of 1 of 2 variants, with 200 training games. The original has 3 runs of each."
    )
    assert size_words(table, Results(waiting)) == "No run is finished. The original has 3 runs of each."


def test_rows_say_whether_the_published_value_lies_within_the_interval() -> None:
    assert verdict([0.4, 0.5, 0.6]) == "yes"
    assert verdict([0.6, 0.7, 0.8]) == "better"
    assert verdict([0.2, 0.3, 0.4]) == "worse"
    assert verdict([0.2, 0.3, 0.4], most=True) == "yes"
    assert verdict([0.6, 0.7, 0.8], most=True) == "better"
    assert verdict([0.4, 0.5, 0.6], needs=1_000) == "too few games"
    assert verdict([]) == "not run"


def test_a_time_is_better_when_it_is_shorter() -> None:
    fast, slow = [0.9, 0.9, 0.9, 0.9], [0.0, 0.0, 0.0, 0.0]
    runs = Results([a_run("A", seed, fast) for seed in (1, 2)] + [a_run("B", seed, slow) for seed in (1, 2)])
    table = a_table(of="time", level=0.8, statistic="median", values={"A": 300, "B": 300})
    quick, never = compare(table, Sweep(game="tictactoe"), runs)
    assert (quick.verdict, never.verdict) == ("better", "worse")
    assert "never" in never.here_text


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_level_that_was_published_as_reached_later_is_not_missed_by_a_short_training(statistic: str) -> None:
    """400 games do not tell whether it takes 500; they do tell that it takes more than 300, or less."""
    runs = Results([a_run("A", seed, [0.0] * 4) for seed in (1, 2)] + [a_run("B", seed, [0.9] * 4) for seed in (1, 2)])
    table = a_table(of="time", level=0.8, statistic=statistic, values={"A": 500, "B": 500})
    assert [one.verdict for one in compare(table, Sweep(game="tictactoe"), runs)] == ["too few games", "better"]
    table = a_table(of="time", level=0.8, statistic=statistic, values={"A": 300})
    assert [one.verdict for one in compare(table, Sweep(game="tictactoe"), runs)] == ["worse"]


def test_results_are_told_in_the_units_of_the_publication() -> None:
    runs = Results([a_run("A", seed, [0.0, 0.8]) for seed in (1, 2)])
    (found,) = compare(a_table(offset=25, factor=25, values={"A": 46.5}), Sweep(game="tictactoe"), runs)
    assert found.here is not None
    assert found.here.value == pytest.approx(45.0)


def test_the_best_of_several_settings_is_compared(tmp_path: Path) -> None:
    runs = [a_run(f"A, alpha={a:g}", seed, [0.0, a], named="A", alpha=a) for a in (0.1, 0.6, 0.3) for seed in (1, 2)]
    table = a_table(best=True).model_copy(update={"form": "sensitivity"})
    compared = write_reproduction(table, Sweep(game="tictactoe", levels=[0.5]), Results(runs), tmp_path)
    assert compared[0].setting == "alpha=0.6"
    assert (tmp_path / "figures" / "sensitivity-c4-thesis.svg").stat().st_size > 1_000
    page = (tmp_path / "index.html").read_text()
    assert "within?" in page
    assert "at alpha=0.6" in page


def test_the_heat_map_has_a_row_for_each_variant_and_its_other_setting(tmp_path: Path) -> None:
    runs = [
        a_run(f"B, {a} {t}", 1, [0.0, 1.0], named="B", **{"rule.alpha0": a, "rule.theta": t})
        for a in (0.1, 1.0)
        for t in (1.0, 2.0)
    ]
    table = a_table(best=True, values={"B": 1}).model_copy(update={"form": "heat map"})
    write_reproduction(table, Sweep(game="tictactoe", levels=[0.5]), Results(runs), tmp_path)
    text = (tmp_path / "figures" / "heat-map-c4-thesis.svg").read_text()
    assert text.startswith("<?xml")


def test_lists_vary_within_a_variant_and_reach_into_components() -> None:
    variants = {
        "plain": {"rule": "plain", "alpha": [0.1, 0.2]},
        "idbd": {"rule": "idbd:theta=3", "rule.alpha0": [0.01, 0.02], "output": "identity"},
    }
    sweep = Sweep(game="tictactoe", variants=variants)
    labels = [variant.label for variant in sweep.variation]
    assert labels == ["plain, alpha=0.1", "plain, alpha=0.2", "idbd, rule.alpha0=0.01", "idbd, rule.alpha0=0.02"]
    assert sweep.variation[2].wish.options["rule"] == "idbd:theta=3,alpha0=0.01"
    with pytest.raises(BoardlabError, match="which is not named"):
        _ = Sweep(game="tictactoe", grid={"rule.alpha0": [0.1]}).variation


def test_the_command_lists_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = CliRunner().invoke(app, ["reproduce"])
    assert result.exit_code == 0
    for name in NAMES:
        assert name in result.stdout
    wrong = CliRunner().invoke(app, ["reproduce", "table-9"])
    assert wrong.exit_code == 2
    assert "there is no reproduction 'table-9'" in " ".join(wrong.stderr.split())


def test_the_page_says_what_the_committed_runs_say() -> None:
    """docs/reproduction.md is made from the folder `reproductions`; nothing in it was written by hand."""
    done = subprocess.run(
        [sys.executable, "-c", "import reproduction_tables as t; print(t.page() == t.PAGE.read_text())"],
        cwd=Path(__file__).parent.parent / "tools",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True", "python tools/reproduction_tables.py writes it anew"
