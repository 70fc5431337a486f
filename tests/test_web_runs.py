"""Training runs in the arena: what they learn is what the same training learns anywhere, however often they are paused,
killed or found again by another server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from training_files import learned, small_agent
from web_runs import (
    LONG,
    REQUEST,
    act,
    end,
    path_of,
    reach,
    reach_episodes,
    start,
    straight,
)

from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.store import claimed, read_agent_file
from boardlab.web.runs.runs import Run

# ------------------------------------------------------------ a whole run


def test_a_run_learns_shows_its_curve_and_leaves_its_agent(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []

    def publish(kind: str, payload: Any) -> None:
        if kind == "run" and not isinstance(payload, dict):
            told.append((payload.state, payload.episodes, len(payload.curve)))

    monkeypatch.setattr(arena_of(client).streams, "publish", publish)
    run = start(client)
    done = reach(client, run, "finished")
    assert (done["name"], done["game"], done["title"]) == ("pupil", "tictactoe", "Tic-tac-toe")
    assert (done["episodes"], done["of"], done["seed"], done["threads"]) == (1000, 1000, 11, 1)
    assert (done["evaluator"], done["against"], done["message"]) == ("random", "random", None)
    assert done["bytes"] == small_agent().learner.memory_needed
    assert [point["episodes"] for point in done["curve"]] == [250, 500, 750, 1000]
    assert all(-1 <= point["low"] <= point["score"] <= point["high"] <= 1 for point in done["curve"])
    assert done["rates"] == pytest.approx({"alpha": 0.3, "epsilon": 0.02})
    assert done["agent"] == "td-ntuple"
    assert learned(load_agent(path_of(client, done))) == learned(straight(1000))
    (file,) = client.get("/api/files").json()
    assert (file["id"], file["name"], file["episodes"]) == (done["file"], "pupil", 1000)
    assert file["strength"]["score"] == done["curve"][-1]["score"]
    assert read_agent_file(path_of(client, done)).about.history["finished"]
    # pages saw it all happen, in order
    states = list(dict.fromkeys(state for state, _, _ in told))
    assert states == ["compiling", "running", "finished"]
    assert [episodes for _, episodes, _ in told] == sorted(episodes for _, episodes, _ in told)
    assert {points for _, _, points in told} == {0, 1, 2, 3, 4}
    assert client.delete(f"/api/runs/{run}").status_code == 204
    assert client.get("/api/runs").json() == []
    assert not (arena_of(client).runs.directory / run).exists()
    assert len(client.get("/api/files").json()) == 1


def test_a_preset_with_two_threads(client: Client) -> None:
    run = reach(client, start(client, preset="paper", options={}, threads=2), "finished")
    assert (run["preset"], run["threads"]) == ("paper", 2)
    about = read_agent_file(path_of(client, run)).about
    assert (about.history["preset"], about.parameters["tuples"], about.facts["episodes"]) == (
        "paper",
        "points:1x9",
        1000,
    )


def test_an_agent_file_goes_on_learning(client: Client) -> None:
    first = reach(client, start(client), "finished")
    longer = {"resume_file": first["file"], "name": "pupil", "episodes": 1500, "evaluate_every": 250, "games": 10}
    response = client.post("/api/runs", json=longer)
    assert response.status_code == 201, response.text
    assert response.json()["episodes"] == 1000
    done = reach(client, response.json()["id"], "finished")
    assert [point["episodes"] for point in done["curve"]] == [250, 500, 750, 1000, 1250, 1500]
    agent = small_agent()
    agent.train(1500)
    assert learned(load_agent(path_of(client, done))) == learned(agent)
    assert learned(load_agent(path_of(client, first))) == learned(straight(1000))
    assert (path_of(client, first).stem, path_of(client, done).stem) == ("pupil", "pupil (2)")


def test_options(client: Client) -> None:
    options = client.get("/api/train/options", params={"game": "tictactoe"}).json()
    fields = {field["name"]: field for field in options["fields"]}
    assert set(fields) == set(TDNTuple.Parameters.model_fields) - {"episodes", "seed"}
    assert (fields["rule"]["kind"], fields["rule"]["default"]) == ("component", "tcl-exp")
    assert {"plain", "tcl", "tcl-exp"} <= set(fields["rule"]["choices"]) == set(fields["rule"]["helps"])
    assert "Parameters, as tcl-exp:" in fields["rule"]["helps"]["tcl-exp"]
    assert "beta (a number" in fields["rule"]["helps"]["tcl-exp"]
    assert options["agent"] == "td-ntuple" in [agent["name"] for agent in options["agents"]]
    assert (fields["alpha_end"]["kind"], fields["alpha_end"]["nullable"]) == ("number", True)
    preset, *figure = options["presets"]
    assert [of_figure["name"] for of_figure in figure] == ["farl-fig3-td", "farl-fig3-td-nofarl"]  # of this agent
    assert (preset["name"], preset["episodes"], preset["options"]["rule"]) == ("paper", 30_000, "plain")
    assert preset["doc"]
    assert "episodes" not in preset["options"]
    assert options["default_evaluator"] == "perfect"
    assert {"perfect", "random", "mcts"} <= set(options["evaluators"])
    alone = client.get("/api/train/options", params={"game": "2048"}).json()
    assert (alone["default_evaluator"], alone["evaluators"]) == ("score", ["score"])
    said(client.get("/api/train/options", params={"game": "x.py:Y"}), 422)


# ------------------------------------------------------------ interrupted in order


def test_pause_and_resume_change_nothing(client: Client) -> None:
    run = start(client, episodes=LONG, evaluate_every=LONG)
    reach_episodes(client, run, 200)
    assert act(client, run, "pause")["state"] == "paused"
    runs = arena_of(client).runs
    eventually(lambda: runs._entries[run].work, lambda work: work is None)
    paused = client.get(f"/api/runs/{run}").json()
    assert (paused["state"], paused["episodes_per_second"], paused["seconds_left"]) == ("paused", 0.0, None)
    saved = load_agent(runs._entries[run].checkpoint)
    assert paused["episodes"] == saved.episodes >= 200  # type: ignore[attr-defined]
    said(client.post(f"/api/runs/{run}/pause"), 409)
    said(client.delete(f"/api/runs/{run}"), 409)
    assert act(client, run, "resume")["state"] in ("queued", "compiling")
    reach_episodes(client, run, paused["episodes"] + 200)
    agent = end(client, run)
    assert learned(agent) == learned(straight(agent.episodes, LONG))
    said(client.post(f"/api/runs/{run}/resume"), 409)
    said(client.post(f"/api/runs/{run}/stop"), 409)


def test_the_queue_takes_one_after_the_other(client: Client) -> None:
    first = start(client, name="first", episodes=LONG, evaluate_every=LONG)
    second = start(client, name="second")
    third = start(client, name="third")
    reach(client, first, "running")
    states = {run["name"]: run["state"] for run in client.get("/api/runs").json()}
    assert states == {"first": "running", "second": "queued", "third": "queued"}
    assert [run["name"] for run in client.get("/api/runs").json()] == ["third", "second", "first"]
    assert "3 training runs already" in said(client.post("/api/runs", json=REQUEST), 429)
    stopped = act(client, third, "stop")
    assert (stopped["state"], stopped["file"]) == ("stopped", None)
    assert stopped["message"] == "stopped before it had learned anything, so there is no agent"
    act(client, first, "pause")  # which makes room
    reach(client, second, "finished")
    assert client.get(f"/api/runs/{first}").json()["state"] == "paused"
    done = act(client, first, "stop")
    assert done["state"] == "stopped"
    assert path_of(client, done).stem == "first"


def test_an_evaluation_is_given_up_at_once_and_made_up_for(client: Client) -> None:
    """Stopped in the midst of a long evaluation, the run goes on with that very evaluation."""
    run = start(client, evaluator="mcts", games=10_000, evaluate_every=500)
    reach_episodes(client, run, 500)
    measuring = eventually(lambda: client.get(f"/api/runs/{run}").json(), lambda found: found["message"] is not None)
    assert measuring["message"].startswith("its strength is being measured: ")
    assert measuring["message"].endswith(" of 10,000 games")
    act(client, run, "pause")
    eventually(lambda: arena_of(client).runs._entries[run].work, lambda work: work is None)
    paused = client.get(f"/api/runs/{run}").json()
    assert (paused["episodes"], paused["curve"], paused["message"]) == (500, [], None)
    job = arena_of(client).runs.directory / run / "job.json"
    job.write_text(job.read_text().replace('"evaluation_games": 10000', '"evaluation_games": 2'))
    act(client, run, "resume")
    done = reach(client, run, "finished")
    assert [point["episodes"] for point in done["curve"]] == [500, 1000]
    assert learned(load_agent(path_of(client, done))) == learned(straight(1000))


def test_a_run_that_an_older_boardlab_has_queued_goes_on(client: Client) -> None:
    """Its job has the wish in parts, as it had before."""
    run = start(client, episodes=LONG, evaluate_every=LONG)
    act(client, run, "pause")
    eventually(lambda: arena_of(client).runs._entries[run].work, lambda work: work is None)
    directory = arena_of(client).runs.directory / run
    (directory / "run.agent").unlink(missing_ok=True)
    wish = json.loads((directory / "job.json").read_text())["wish"]
    how = {name: wish[name] for name in ("threads", "evaluator", "evaluate_every", "evaluation_games")}
    settings = {**wish["options"], "episodes": 1000, "seed": wish["seed"]}
    old = {"game": "tictactoe", "settings": settings, "preset": "", "checkpoint_seconds": 0.1}
    old["wishes"] = {**how, "episodes": 1000, "against": ""}
    (directory / "job.json").write_text(json.dumps(old))
    act(client, run, "resume")
    done = reach(client, run, "finished")
    assert learned(load_agent(path_of(client, done))) == learned(straight(1000))


# ------------------------------------------------------------ interrupted out of order


def killed(client: Client) -> tuple[str, Path]:
    """A run of LONG episodes whose process was killed when it had a checkpoint, and the checkpoint."""
    run = start(client, episodes=LONG, evaluate_every=LONG)
    checkpoint = arena_of(client).runs._entries[run].checkpoint
    eventually(
        lambda: read_agent_file(checkpoint).about.facts["episodes"] if checkpoint.exists() else 0,
        lambda found: found > 0,
    )
    work = arena_of(client).runs._entries[run].work
    assert work is not None
    os.kill(work.pid, signal.SIGKILL)
    reach(client, run, "failed")
    return run, checkpoint


def test_a_killed_process_fails_and_goes_on_from_its_checkpoint(client: Client) -> None:
    run, checkpoint = killed(client)
    failed = client.get(f"/api/runs/{run}").json()
    kept = read_agent_file(checkpoint).about.facts["episodes"]
    assert "its process was ended by signal 9; perhaps there was too little memory" in failed["message"]
    assert f"its checkpoint of {kept:,} episodes" in failed["message"]
    assert failed["file"] is None
    act(client, run, "resume")
    reach(client, run, "running")
    reach_episodes(client, run, kept + 1000)
    agent = end(client, run)
    assert agent.episodes > kept
    assert learned(agent) == learned(straight(agent.episodes, LONG))


def test_sigterm_pauses_a_run(client: Client) -> None:
    """Everything is saved, the evaluation that was under way is given up."""
    run = start(client, evaluator="mcts", games=10_000, evaluate_every=500)
    reach_episodes(client, run, 500)
    work = arena_of(client).runs._entries[run].work
    assert work is not None
    os.kill(work.pid, signal.SIGTERM)
    paused = reach(client, run, "paused")
    assert paused["message"] == "its process was told to end, and has saved its agent"
    assert learned(end(client, run)) == learned(straight(500, 1000))


def test_a_failed_run_can_be_ended_with_what_it_has(client: Client) -> None:
    run, checkpoint = killed(client)
    kept = read_agent_file(checkpoint).about.facts["episodes"]
    agent = end(client, run)
    assert agent.episodes == kept
    assert learned(agent) == learned(straight(kept, LONG))


def test_a_restarted_server_goes_on_with_everything(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        paused = start(client, name="paused", episodes=LONG, evaluate_every=LONG)
        reach_episodes(client, paused, 100)
        act(client, paused, "pause")
        running = start(client, name="running", episodes=LONG, evaluate_every=LONG)
        waiting = start(client, name="waiting")
        reach_episodes(client, running, 1000)
        works = [entry.work for entry in arena_of(client).runs._entries.values() if entry.work is not None]
        assert len(works) == 1
    with pytest.raises(ProcessLookupError):
        os.killpg(works[0].pid, 0)
    with open_client(tmp_path) as client:
        states = {run["name"]: run["state"] for run in client.get("/api/runs").json()}
        assert states == {"paused": "paused", "running": "compiling", "waiting": "queued"}
        before = client.get(f"/api/runs/{running}").json()["episodes"]
        assert before >= 1000
        reach_episodes(client, running, before + 1000)
        agent = end(client, running)
        assert learned(agent) == learned(straight(agent.episodes, LONG))
        assert [point["episodes"] for point in reach(client, waiting, "finished")["curve"]] == [250, 500, 750, 1000]
        assert client.get(f"/api/runs/{paused}").json()["state"] == "paused"
        agent = end(client, paused)
        assert learned(agent) == learned(straight(agent.episodes, LONG))


def test_a_killed_server_leaves_nothing_running_and_nothing_lost(tmp_path: Path) -> None:
    boardlab = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]
    command = [*boardlab, "arena", "--data", str(tmp_path), "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+", line)))
            with httpx.Client(base_url=address, timeout=300.0) as browser:
                request = {**REQUEST, "episodes": LONG, "evaluate_every": LONG}
                run = browser.post("/api/runs", json=request).json()["id"]
                eventually(lambda: browser.get(f"/api/runs/{run}").json()["episodes"], lambda found: found > 1000)
        finally:
            server.kill()
    with open_client(tmp_path) as client:  # whose run waits until the process of the killed server has saved its agent
        begun = reach(client, run, "running")
        assert begun["episodes"] > 1000
        agent = end(client, run)
        assert learned(agent) == learned(straight(agent.episodes, LONG))


def test_processes_that_end_before_the_closing_server_does(tmp_path: Path) -> None:
    """A machine that is switched off tells all of them at once; the run goes on when it is on again."""
    with open_client(tmp_path) as client:
        run = start(client, episodes=LONG, evaluate_every=LONG)
        reach_episodes(client, run, 1000)
        work = arena_of(client).runs._entries[run].work
        assert work is not None
        arena_of(client).expect_close()
        os.kill(work.pid, signal.SIGTERM)
        assert work.wait(60)
    with open_client(tmp_path) as client:
        assert client.get(f"/api/runs/{run}").json()["state"] == "compiling"
        agent = end(client, run)
        assert learned(agent) == learned(straight(agent.episodes, LONG))


def test_a_name_that_a_training_elsewhere_has(client: Client) -> None:
    """An agent of a run gets another one, and nobody renames or deletes what is being trained."""
    folder = arena_of(client).files.directory
    with claimed(folder / "pupil.agent"):
        file = reach(client, start(client), "finished")["file"]
        assert client.get(f"/api/files/{file}").json()["name"] == "pupil (2)"
        sentence = said(client.patch(f"/api/files/{file}", json={"name": "pupil"}), 409)
        assert sentence.startswith("pupil is being trained by another process just now")
    with claimed(folder / "pupil (2).agent"):
        assert "being trained" in said(client.patch(f"/api/files/{file}", json={"name": "other"}), 409)
        assert "being trained" in said(client.delete(f"/api/files/{file}"), 409)
    assert client.patch(f"/api/files/{file}", json={"name": "pupil"}).json()["name"] == "pupil"


def test_a_server_killed_while_an_agent_is_put_in_its_place(tmp_path: Path) -> None:
    """The agent lies among the others already, but the run does not know it: it is not kept twice."""
    run = Run(
        **{"id": "r" * 12, "name": "pupil", "game": "tictactoe", "title": "Tic-tac-toe", "state": "stopping"},
        **{"episodes": 100, "of": 1000, "seed": 11, "threads": 1, "preset": "", "evaluator": "random"},
        **{"against": "random", "bytes": 1, "created": "2024-01-01T00:00:00+00:00"},
    )
    (tmp_path / "runs" / run.id).mkdir(parents=True)
    about = {"run": run.model_dump(), "keep_as": "f" * 12, "learned_before": 0}
    (tmp_path / "runs" / run.id / "run.json").write_text(json.dumps(about))
    straight(100).save(tmp_path / "agents" / "pupil.agent")
    (tmp_path / "agents" / ".ids.json").write_text(json.dumps({"f" * 12: "pupil"}))
    with open_client(tmp_path) as client:
        found = client.get(f"/api/runs/{run.id}").json()
        assert (found["state"], found["file"]) == ("stopped", "f" * 12)
        assert [file["name"] for file in client.get("/api/files").json()] == ["pupil"]


def test_what_lies_among_the_runs_and_is_none(tmp_path: Path) -> None:
    for name, content in (("a", "nothing"), ("b", "{}"), ("c", '{"run": 5, "keep_as": "", "learned_before": 0}')):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_text(content)
    with open_client(tmp_path) as client:
        assert client.get("/api/runs").json() == []
