"""Sweeps: what a description means, how runs are named, and what is left when something goes wrong."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from processes import all_gone, descendants, wait_until
from rich.console import Console
from typer.testing import CliRunner

from boardlab.cli.main import app
from boardlab.errors import BoardlabError
from boardlab.lab import Results, Sweep, results
from boardlab.lab.planning import new_learner
from boardlab.lab.sweeps import estimate, sweeping
from boardlab.lab.sweeps.carrying_out import carry_out
from boardlab.lab.sweeps.runs import Run, plan_runs
from boardlab.lab.sweeps.sweeping import prepare_sweep
from boardlab.lab.sweeps.variation import Dimension, hypercube_points, values_of
from boardlab.registry import make
from boardlab.store import claimed

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"
SMALL = {
    "game": "tictactoe",
    "agent": OWN,
    "episodes": 30,
    "evaluator": "all-roles",
    "against": "random",
    "evaluate_every": 10,
    "evaluation_games": 4,
}


def sweep(**more: object) -> Sweep:
    return Sweep.model_validate({**SMALL, "seeds": 2, **more})


# ---------------------------------------------------------------- what varies


def test_ranges_are_the_numbers_that_a_person_would_write() -> None:
    assert values_of({"from": 0, "to": 0.8, "steps": 5}) == [0.0, 0.2, 0.4, 0.6, 0.8]
    assert values_of({"from": 0.01, "to": 1, "steps": 3, "scale": "log"}) == [0.01, 0.1, 1.0]
    whole = values_of({"from": 1, "to": 5, "steps": 5})
    assert whole == [1, 2, 3, 4, 5] and all(type(value) is int for value in whole)
    assert values_of(["a", 1, True and 0.5]) == ["a", 1, 0.5]


@pytest.mark.parametrize("points", [1, 2, 7, 40])
def test_each_part_of_each_dimension_of_a_hypercube_has_one_point(points: int) -> None:
    dimensions = {
        "linear": Dimension({"from": -1, "to": 3}, counted=False),
        "log": Dimension({"from": 0.001, "to": 10, "scale": "log"}, counted=False),
        "choice": Dimension([str(k) for k in range(points)], counted=False),
        "whole": Dimension({"from": 1, "to": 9, "whole": True}, counted=False),
    }
    found = hypercube_points(dimensions, points, seed=3)
    shares = {
        "linear": [(p["linear"] + 1) / 4 for p in found],
        "log": [math.log(p["log"] / 0.001) / math.log(10_000) for p in found],
    }
    for found_shares in shares.values():
        assert sorted(int(share * points) for share in found_shares) == list(range(points))
    assert {p["choice"] for p in found} == set(dimensions["choice"].choices or [])
    assert all(type(p["whole"]) is int and 1 <= p["whole"] <= 9 for p in found)
    assert found == hypercube_points(dimensions, points, seed=3) != hypercube_points(dimensions, points, seed=4)


def test_all_combinations_in_the_order_of_the_file() -> None:
    made = sweep(grid={"alpha": [0.1, 0.2], "episodes": [10, 20]}, variants={"A": {}, "B": {"against": "perfect"}})
    assert [v.label for v in made.variation] == [
        f"{name}, alpha={alpha}, episodes={episodes}" for name in "AB" for alpha in (0.1, 0.2) for episodes in (10, 20)
    ]
    last = made.variation[-1]
    assert (last.wish.against, last.wish.episodes, last.wish.options) == ("perfect", 20, {"alpha": 0.2})
    assert last.settings == {"against": "perfect", "alpha": 0.2, "episodes": 20} and last.name == "B"
    runs = plan_runs(made)
    assert len(runs) == 16 == len({run.name for run in runs}) and [run.number for run in runs] == list(range(16))


@pytest.mark.parametrize("shape", ["exponential", "linear"])
def test_a_training_that_is_cut_is_the_first_part_of_the_whole(shape: str) -> None:
    """Its alpha falls as in the whole training."""
    options = {"alpha": 0.4, "alpha_end": 0.1, "alpha_schedule": shape}
    whole, cut = (
        sweep(agent="td-ntuple", episodes=50, options=options, **more).variation[0].wish
        for more in ({}, {"most_episodes": 20})
    )
    alphas = [new_learner(make("tictactoe"), wish).rates(0, 20)["alpha"] for wish in (whole, cut)]  # type: ignore[attr-defined]
    assert cut.episodes == 20
    assert np.allclose(*alphas, rtol=1e-12)
    assert sweep(agent="td-ntuple", episodes=50, options=options, most_episodes=60).variation[0].wish == whole


def test_an_alpha_that_cannot_be_cut() -> None:
    """One that does not fall stays; a mistake is a sentence."""
    cut = {"agent": "td-ntuple", "episodes": 50, "most_episodes": 20}
    options = sweep(**cut, options={"alpha_end": "none"}).variation[0].wish.options
    assert options == {"alpha_end": "none"}
    with pytest.raises(BoardlabError, match="alpha_end"):
        sweep(**cut, options={"alpha_end": "x"}).variation  # noqa: B018


def test_a_description_survives_being_written_down(tmp_path: Path) -> None:
    made = sweep(
        about='a "name"',
        seeds=[3, 5],
        options={"alpha": 0.5},
        hypercube={"points": 3, "seed": 2, "lam": {"from": 0, "to": 1}},
        variants={"no FARL": {"farl": False}, "plain": {}},
        grid={"epsilon": {"from": 0.1, "to": 0.3, "steps": 3}},
    )
    path = tmp_path / "again.toml"
    path.write_text(made.to_toml(), encoding="utf-8")
    tomllib.loads(made.to_toml())
    assert Sweep.read(path) == made
    assert [v.label for v in Sweep.read(path).variation] == [v.label for v in made.variation]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("episodes = 3", "names no game"),
        ('game = "tictactoe"\nseeds = 0', "the number of seeds is from 1"),
        ('game = "tictactoe"\nseeds = [1, 1]', "a seed is there twice"),
        ('game = "tictactoe"\nseed = 3', "has seeds, as seeds = 10"),
        ('game = "tictactoe"\nthreads = 2', "each with one thread"),
        ('game = "tictactoe"\n[grid]\nalpha = 3', "alpha: it is a list, or a range"),
        ('game = "tictactoe"\n[grid]\nalpha = []', "at least one"),
        ('game = "tictactoe"\n[grid]\nalpha = [1, 1.0]', "not all different"),
        ('game = "tictactoe"\n[grid]\nalpha = { from = 0, to = 1 }', "a range is written as"),
        ('game = "tictactoe"\n[grid]\nalpha = { from = 0, to = 1, steps = 3, scale = "log" }', "begins above 0"),
        ('game = "tictactoe"\n[grid]\nalpha = { from = 2, to = 1, steps = 3 }', "goes upwards"),
        ('game = "tictactoe"\n[grid]\nseed = [1, 2]', "seeds are said by seeds"),
        ('game = "tictactoe"\n[grid]\nalpha = [1]\n[variants.a]\nalpha = 2', "alpha varies in two ways"),
        ('game = "tictactoe"\n[hypercube]\nalpha = [1]', "points = 20"),
        ('game = "tictactoe"\n[hypercube]\npoints = 4', "it has ranges"),
        ('game = "tictactoe"\n[grid]\nalhpa = [1]', "did you mean 'alpha'"),
        ('game = "tictactoe"\n[grid]\nalpha = [1, -1]', "alpha=-1: alpha of td-ntuple"),
        ('game = "tictactoe"\nalpha = 1.0\n[variants.a]\n[variants.b]\nalpha = 1', "a and b have the same settings"),
        ('game = "tictactoe"\nevaluator = "c4-thesis"', "is for Connect Four"),
        ("game = tictactoe", "is not TOML"),
    ],
)
def test_a_mistake_is_told_before_anything_runs(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(BoardlabError, match=complaint.replace("(", "\\(")):
        prepare_sweep(Sweep.read(path), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


# ---------------------------------------------------------------- how a run is named


def names(**more: object) -> list[str]:
    return [run.name for run in plan_runs(Sweep.model_validate({"game": "tictactoe", "seeds": 1, **more}))]


def test_a_run_is_named_by_what_decides_its_result() -> None:
    usual = names(preset="paper", episodes=500)
    same = [
        names(preset="paper", episodes=500, about="something else"),
        names(preset="paper", episodes=500, variants={"called": {}}),
        names(preset="paper", variants={"a": {"episodes": 500}}),
        names(preset="paper", episodes=500, options={"alpha": 1.0}),
        names(preset="paper", episodes=500, evaluator="perfect", evaluate_every=25),
    ]
    assert same == [usual] * len(same)
    other = [
        names(preset="paper", episodes=501),
        names(preset="paper", episodes=500, seeds=[2]),
        names(preset="paper", episodes=500, options={"alpha": 0.9}),
        names(preset="paper", episodes=500, evaluate_every=50),
        names(preset="paper", episodes=500, evaluation_games=10),
        names(preset="paper", episodes=500, evaluator="all-roles", against="random"),
        names(preset="paper", episodes=500, second_evaluator="all-roles"),
        names(preset="paper", episodes=500, stop_at=0.9),
        names(episodes=500),
    ]
    assert len({str(name) for name in [usual, *other]}) == 1 + len(other)


# ---------------------------------------------------------------- how long it takes


def test_each_kind_of_learner_and_each_evaluator_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An episode of one game or rule says nothing about another; step sizes make no difference."""
    tried = []

    def trial(run: Run, *, with_evaluation: bool) -> tuple[float, float]:
        tried.append((run.variant.label, with_evaluation))
        return {"tictactoe": 0.1, "hex:size=6": 9.0}[run.wish.game or ""] * (1 + ("TCL" in run.variant.label)), 1.0

    monkeypatch.setattr(estimate, "_trial", trial)
    monkeypatch.setattr(estimate, "_PATIENCE", 1e9)
    variants = {
        "small": {"game": "tictactoe", "episodes": 30},
        "large": {"game": "hex:size=6", "episodes": 10},
        "small, TCL": {"game": "tictactoe", "episodes": 30, "rule": "tcl"},
        "small, longer": {"game": "tictactoe", "episodes": 60, "alpha": 0.5},
    }
    runs = plan_runs(
        Sweep.model_validate({"seeds": 2, "evaluate_every": 10, "options": {"rule": "plain"}, "variants": variants})
    )
    expected = estimate.expect(runs, Results([]))
    assert tried == [("small", True), ("large", True), ("small, TCL", False)]
    assert expected.seconds == pytest.approx(
        {"small": 3 + 3, "large": 90 + 1, "small, TCL": 6 + 3, "small, longer": 6 + 6}
    )
    assert expected.how == "about"
    monkeypatch.setattr(estimate, "_PATIENCE", 0.0)
    assert estimate.expect(runs, Results([])).how == "roughly", "not every kind was tried"


def test_rules_that_need_as_much_memory_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another rule of the same size is not tried, but traces make a difference; each trial is told."""
    monkeypatch.setattr(estimate, "_trial", lambda run, *, with_evaluation: (0.1 + len(told), 1.0))
    monkeypatch.setattr(estimate, "_PATIENCE", 1e9)
    variants = {
        "TCL": {"rule": "tcl"},
        "TCL, other": {"rule": "tcl:initial=0.5"},
        "TCL, traces": {"rule": "tcl", "lam": 0.5},
        "TDL": {"rule": "plain"},
    }
    told: list[str] = []
    given = {"game": "tictactoe", "seeds": 1, "episodes": 10, "evaluate_every": 10, "variants": variants}
    runs = plan_runs(Sweep.model_validate(given))
    expected = estimate.expect(runs, Results([]), lambda run: told.append(run.variant.label))
    assert told == ["TCL", "TCL, traces", "TDL"] and expected.how == "roughly"
    assert expected.seconds["TCL"] == expected.seconds["TCL, other"] < expected.seconds["TCL, traces"]


def test_what_is_known_of_finished_runs_needs_no_trial(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_trial", None)
    known = results(done)
    expected = estimate.expect(plan_runs(sweep(grid={"alpha": [0.1, 0.5]})), known)
    spent = [run.cpu_seconds for run in known.variants["alpha=0.1"]]
    assert expected.seconds["alpha=0.1"] == pytest.approx(sum(spent) / 2)
    assert 0 < expected.seconds["alpha=0.5"] <= max(run.cpu_seconds for run in known) * 1.01


# ---------------------------------------------------------------- carried out


def folders(made: Sweep, folder: Path) -> list[str]:
    return [str(run.files(folder).folder) for run in prepare_sweep(made, folder).runs]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of four runs, carried out in this process."""
    folder = tmp_path_factory.mktemp("sweep")
    for path in folders(sweep(grid={"alpha": [0.01, 0.1]}), folder):
        assert carry_out(path)["status"] == "done"
    return folder


def test_what_a_run_leaves(done: Path) -> None:
    found = results(done)
    assert repr(found) == "<4 runs: 4 finished>" and [r.seed for r in found] == [1, 2, 1, 2]
    first = found[0]
    assert (first.variant, first.settings, first.value("episodes")) == ("alpha=0.01", {"alpha": 0.01}, 30)
    (curve,) = first.curves.values()
    assert curve.episodes.tolist() == [10, 20, 30] and np.all(curve.low <= curve.score)
    assert first.score == curve.score[-1] == first.history.evaluations[-1].score
    assert first.cpu_seconds is not None and first.cpu_seconds > 0
    names = sorted(path.name for path in first.files.folder.iterdir())
    assert names == ["curve.csv", "log.txt", "result.json", "run.agent", "settings.json"]
    assert "30 of 30 episodes: " in first.files.log.read_text()


def test_tables(done: Path, tmp_path: Path) -> None:
    found = results(done)
    rows = found.rows()
    assert len(rows) == 12 and list(rows[0]) == [
        *("run", "variant", "alpha", "seed", "evaluator", "episodes", "score", "low", "high")
    ]
    assert [row["alpha"] for row in rows] == [0.01] * 6 + [0.1] * 6
    found.to_csv(tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert len(lines) == 13 and lines[1].startswith(f"{found[0].name},alpha=0.01,0.01,1,all-roles,10,")
    assert len(found.variants["alpha=0.1"]) == 2 and len(found[1:]) == 3
    assert [row["status"] for row in found.run_rows()] == ["finished"] * 4
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    assert found.to_pandas().equals(pandas.DataFrame(rows))
    found.to_parquet(tmp_path / "table.parquet")
    assert parquet.read_table(tmp_path / "table.parquet").to_pylist() == rows


@pytest.mark.parametrize(("method", "needed"), [("to_pandas", "pandas"), ("to_parquet", "pyarrow")])
def test_what_is_not_installed_is_one_sentence(method: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.lab.sweeps.results.find_spec", lambda name: None)
    with pytest.raises(BoardlabError, match=f"needs {needed}; install it with: pip install"):
        getattr(Results([]), method)(*([Path("x")] if method == "to_parquet" else []))


def test_what_is_there_is_not_run_again_and_a_sweep_may_grow(done: Path) -> None:
    agents = {path: path.stat().st_mtime_ns for path in done.glob("runs/*/*")}
    work = prepare_sweep(sweep(grid={"alpha": [0.1, 0.5]}), done)
    assert [run.variant.label for run in work.todo] == ["alpha=0.5"] * 2
    renamed = prepare_sweep(sweep(variants={"small": {"alpha": 0.01}}), done)
    assert renamed.todo == [] and [run.variant for run in renamed.found()] == ["small"] * 2
    prepare_sweep(sweep(grid={"alpha": [0.01, 0.1]}), done)
    assert carry_out(str(work.runs[0].files(done).folder))["status"] == "done"
    changed = {path for path, then in agents.items() if path.stat().st_mtime_ns != then}
    assert {path.name for path in changed} <= {"settings.json"}
    for run in work.todo:
        run.files(done).settings.unlink()
        run.files(done).folder.rmdir()


def test_a_failed_run_has_its_reason_and_disturbs_nobody(tmp_path: Path) -> None:
    found = sweep(seeds=1, grid={"alpha": [0.05, 1e9]}).run(tmp_path, processes=1, progress=False)
    assert [run.status for run in found] == ["finished", "failed"]
    assert "alpha than 1e+09" in found[1].reason and "failed: " in found[1].files.log.read_text()
    assert prepare_sweep(sweep(seeds=1, grid={"alpha": [0.05, 1e9]}), tmp_path).todo == []
    assert len(prepare_sweep(sweep(seeds=1, grid={"alpha": [0.05, 1e9]}), tmp_path, retry=True).todo) == 1


def test_a_full_disk_is_no_reason_to_give_up_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = folders(sweep(seeds=1), tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("boardlab.store.files.os.replace", full)
        with pytest.raises(BoardlabError, match="No space left on device"):
            carry_out(path)
    assert results(tmp_path)[0].status == "waiting"
    assert carry_out(path)["status"] == "done"


def test_a_run_that_another_sweep_has_is_left_to_it(tmp_path: Path) -> None:
    (path,) = folders(sweep(seeds=1), tmp_path)
    with claimed(Path(path) / "run.agent"):
        assert carry_out(path) == {"status": "busy"}
    assert carry_out(path)["status"] == "done"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"number": 1}'])
def test_a_damaged_file_is_named(text: str, tmp_path: Path) -> None:
    (path,) = folders(sweep(seeds=1), tmp_path)
    (Path(path) / "settings.json").write_text(text)
    with pytest.raises(BoardlabError, match=r"settings\.json is damaged"):
        results(tmp_path)
    with pytest.raises(BoardlabError, match="cannot be read on"):
        carry_out(path)


def test_no_folder_of_a_sweep(tmp_path: Path) -> None:
    with pytest.raises(BoardlabError, match="is not the folder of a sweep"):
        results(tmp_path)


# ---------------------------------------------------------------- the command


def write(path: Path, **more: object) -> Path:
    path.write_text(sweep(**more).to_toml())
    return path


def table(folder: Path) -> bytes:
    results(folder).to_csv(folder / "table.csv")
    return (folder / "table.csv").read_bytes()


def test_the_command_and_two_of_them_on_one_folder(tmp_path: Path, done: Path) -> None:
    file = write(tmp_path / "two.toml", grid={"alpha": [0.01, 0.1]})
    command = [sys.executable, "-m", "boardlab", "sweep", str(file), "--folder", str(tmp_path / "two"), "--processes"]
    both = [subprocess.Popen([*command, "1"], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all(text.startswith("4 runs in ") and "boardlab report" in text for text in said)
    assert table(tmp_path / "two") == table(done)
    logs = [path.read_text() for path in (tmp_path / "two").glob("runs/*/log.txt")]
    assert [log.count("begins (") for log in logs] == [1] * 4, "no run was carried out twice"
    again = CliRunner().invoke(app, ["sweep", str(file), "--folder", str(tmp_path / "two")])
    assert again.exit_code == 0 and "4 of them are there already" in again.output


def test_the_plan_alone_touches_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "plan.toml")
    result = CliRunner().invoke(app, ["sweep", str(file), "--folder", str(tmp_path / "folder"), "--plan"])
    assert result.exit_code == 0 and "2 runs to do: about " in result.output and "MB of memory" in result.output
    assert "measuring how long a run takes" in result.output, "where nothing varies, a run has no name"
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("only_plan", [False, True])
def test_a_cluster_that_does_not_answer_is_told_before_anything_is_measured(
    only_plan: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(cluster: str | None, processes: int) -> NoReturn:
        raise BoardlabError(f"no Dask scheduler answers at {cluster}")

    def measured(*_: Any) -> NoReturn:
        raise AssertionError("it was measured how long runs take, which lasts minutes")

    monkeypatch.setattr(sweeping, "open_executor", nobody)
    monkeypatch.setattr(sweeping, "expect", measured)
    wanted = sweep(seeds=1)
    with pytest.raises(BoardlabError, match="no Dask scheduler answers at tcp://nowhere:1"):
        if only_plan:
            sweeping.say_plan(Console(), wanted, tmp_path, None, "tcp://nowhere:1")
        else:
            sweeping.carry_out_sweep(wanted, tmp_path, cluster="tcp://nowhere:1", progress=False)


def test_a_part_of_a_sweep(tmp_path: Path) -> None:
    """`--only` carries out the variants that are named or match; the others stay to do, in the same folder."""
    variants = {"TDL": {"alpha": 0.01}, "TDL[et]": {"alpha": 0.1}, "other": {"alpha": 0.5}}
    file, folder = write(tmp_path / "part.toml", seeds=1, variants=variants), tmp_path / "part"

    def swept(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["sweep", str(file), "--folder", str(folder), "--processes", "1", *options])
        return result.exit_code, result.output

    code, said = swept("--only", "TDL[et]")
    assert code == 0 and "only 1 run of them: TDL[et]" in said and "1 of 1 TDL[et], seed 1" in said
    assert [run.status for run in results(folder)] == ["waiting", "finished", "waiting"]
    code, said = swept("--only", "ot*", "--only", "TDL[et]", "--plan")
    assert code == 0 and "1 of them is there already" in said and "1 run to do: about " in said
    code, said = swept("--only", "TDL*", "--only", "nobody")
    assert code == 2 and "no variant is called nobody; there are: TDL; TDL[et]; other" in " ".join(said.split())
    assert swept()[0] == 0 and {run.status for run in results(folder)} == {"finished"}


@pytest.mark.parametrize("number", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGINT])
def test_ctrl_c_stops_and_the_same_command_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    file, folder = write(tmp_path / "long.toml", seeds=1, episodes=30_000, evaluate_every=10_000), tmp_path / "long"
    command = [sys.executable, "-m", "boardlab", "sweep", str(file), "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    logs = folder / "runs"
    wait_until(lambda: any("of 30,000 episodes" in path.read_text() for path in logs.glob("*/log.txt")))
    children = descendants(process.pid)
    assert children
    process.send_signal(number)
    said = process.communicate()[0]
    assert process.returncode == 130 and "the same command goes on" in said
    assert all_gone(children)
    (run,) = results(folder)
    assert run.status == "begun" and run.history.moves > 0
    assert "stopped" in run.files.log.read_text().splitlines()[-1]


@pytest.mark.slow
def test_kill_9_at_thirty_random_moments_changes_nothing(tmp_path: Path) -> None:
    """The sweep and its processes are killed, and the same command goes on, until it has gone well at last."""
    seed = int(os.environ.get("KILL_SEED", "1"))
    rng = np.random.default_rng(seed)
    more = {"episodes": 600, "evaluate_every": 60, "evaluation_games": 30, "seeds": 4, "grid": {"alpha": [0.01, 0.1]}}
    file = write(tmp_path / "kill.toml", **more)
    sweep(**more).run(tmp_path / "undisturbed", progress=False)
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "boardlab", "sweep", str(file), "--folder", str(folder), "--checkpoint", "0.1"]
    kills = 0
    while kills < 30:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(float(rng.uniform(0.5, 4.0)))
        except subprocess.TimeoutExpired:
            children = descendants(process.pid)
            process.kill()
            process.wait()
            wait_until(lambda c=children: all_gone(c))  # type: ignore[misc]
            kills += 1
        else:
            finished = sorted(folder.glob("runs/*/result.json"))
            finished[int(rng.integers(len(finished)))].unlink()  # there is work again: as if killed just before it
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert table(folder) == table(tmp_path / "undisturbed")
    leftovers = [path.name for path in folder.glob("runs/*/.*")]
    assert leftovers == []
