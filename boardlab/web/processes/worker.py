"""What runs in a worker process: one job after the other, each a line of JSON in and a line of JSON out.

Here games compile and agents think, so that the server stays quick and whatever takes too long can be killed. Games
and agents are kept from job to job, the least recently used ones give way. Started by `workers` as
`python -m boardlab.web.processes.worker MEGABYTES`.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import queue
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.levels import exact_player
from boardlab.agents.registry import find_agent_class, make_agent
from boardlab.compiler.steps import compiling_steps
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.registry import game_classes, make
from boardlab.rng import make_rng
from boardlab.system.pipe import limit_memory, listen, settle_in
from boardlab.user_errors import explain_user_error
from boardlab.web.server.json_numbers import finite

if TYPE_CHECKING:
    from boardlab.web.processes.sweeps import SweepReader

__all__ = ["main"]

Job = dict[str, Any]
Answer = dict[str, Any]

_KEPT_AGENTS = 6
_KEPT_POSITIONS = 300


def main() -> None:
    """Work until the server closes the pipe. Then nobody waits for what is being thought, so it ends at once."""
    tell = settle_in(niceness=0)  # before trainings and matches: a person waits for the answer
    limit_memory(int(sys.argv[1]) << 20)
    jobs: queue.Queue[Job] = queue.Queue()
    listen(jobs.put, lambda: os._exit(0))
    workshop = Workshop(lambda steps: tell({"steps": steps}))
    _import_ahead()
    tell({"ready": True})
    while True:
        tell(workshop.answer(jobs.get()))


def _import_ahead() -> None:
    """Import what the first job would import: that is nothing to the time which a job may take."""
    from boardlab.check import guard  # noqa: F401
    from boardlab.web.processes import checks  # noqa: F401

    game_classes()


class Workshop:
    """The games, agents and positions at hand, and the jobs that can be done with them."""

    def __init__(self, compiling: Callable[[int], None] = lambda steps: None) -> None:
        """`compiling` is told how many functions were compiled so far while an agent is made ready."""
        self.compiling = compiling
        self.games: dict[str, Game] = {}
        self.agents: OrderedDict[tuple[str, ...], Agent] = OrderedDict()
        self.positions: OrderedDict[str, tuple[Position, int]] = OrderedDict()
        self.best_results: dict[tuple[str, str, str], float] = {}
        self.jobs: dict[str, Callable[[Job], Answer]] = {
            "prepare": self._prepare,
            "choose": self._choose,
            "values": self._values,
            "set_up": self._set_up,
            "tuples": self._tuples,
            "tuple_list": self._tuple_list,
            "lookup_table": self._lookup_table,
            "weights": self._weights,
            "make_tuples": self._make_tuples,
            "best_result": self._best_result,
            "sweep_view": self._sweep_view,
            "sweep_report": self._sweep_report,
            "sweep_table": self._sweep_table,
            "check_file": _check_file,
            "check_training": _check_training,
            "try_training": _try_training,
            "check_tournament": _check_tournament,
            "write_tournament": _write_tournament,
        }

    def answer(self, job: Job) -> Answer:
        """Do a job; whatever goes wrong becomes a sentence."""
        try:
            try:
                return self._timed(job)
            except MemoryError:
                self.agents.clear()
                self.positions.clear()
                gc.collect()
                return self._timed(job)
        except BoardlabError as error:
            return {"error": str(error)}
        except MemoryError:
            return {"error": "the agent needs more memory than the arena allows; take smaller tables or fewer nodes"}
        except Exception as error:
            explained = explain_user_error(error)
            if explained is None:
                traceback.print_exc()
            return {"error": explained or f"the agent failed: {type(error).__name__}: {error}"}

    def _timed(self, job: Job) -> Answer:
        begin = perf_counter()
        answer = self.jobs[job["job"]](job)
        return {**answer, "seconds": perf_counter() - begin}

    # ------------------------------------------------------------ jobs

    def _prepare(self, job: Job) -> Answer:
        """Make an agent, with all that it compiles or computes beforehand."""
        game = self._game(job["game"])
        with compiling_steps(self.compiling):
            agent = self._agent(game, job["agent"])
            start = game.start().roll(make_rng(0))
            if not start.is_over and (isinstance(agent, LearningAgent) or agent.name == exact_player(game)):
                agent.values(start)  # what looks up values or solves is compiled when it is first asked
                agent.choose(start, make_rng(0))
        return {}

    def _choose(self, job: Job) -> Answer:
        game = self._game(job["game"])
        agent = self._agent(game, job["agent"])
        position = self._position(game, job)
        return {"action": int(agent.choose(position, make_rng(*job["random"])))}

    def _values(self, job: Job) -> Answer:
        """What an agent thinks of every action, and which it would take."""
        game = self._game(job["game"])
        agent = self._agent(game, job["agent"])
        position = self._position(game, job)
        values = agent.values(position)
        action = None
        if values is None or job["choose"]:
            action = int(agent.choose(position, make_rng(*job["random"])))
        listed = None if values is None else [[int(a), finite(v)] for a, v in sorted(values.items())]
        return {"values": listed, "action": action}

    def _set_up(self, job: Job) -> Answer:
        """The state of a position that was set up by hand; refused where the rules fail on it, or on what follows."""
        from boardlab.web.processes.checks import refuse_impossible

        position = self._game(job["game"]).position_from(job["values"], job["player"])
        refuse_impossible(position)
        return {"state": base64.b64encode(position.state.tobytes()).decode()}

    def _tuples(self, job: Job) -> Answer:
        """The weights that an n-tuple agent looks up in a position."""
        from boardlab.web.processes.agent_views import contributions

        game = self._game(job["game"])
        agent, position = self._agent(game, job["agent"]), self._position(game, job)
        return contributions(agent, position, job["player"], job["action"])

    def _tuple_list(self, job: Job) -> Answer:
        """The n-tuples of an agent, if it has some."""
        from boardlab.web.processes.agent_views import tuple_list

        return tuple_list(self._agent(self._game(job["game"]), job["agent"]))

    def _weights(self, job: Job) -> Answer:
        """The weights of an agent's features, if it has some."""
        from boardlab.web.processes.agent_views import feature_weights

        return feature_weights(self._agent(self._game(job["game"]), job["agent"]))

    def _make_tuples(self, job: Job) -> Answer:
        """A set of n-tuples, and what a training with it would need."""
        from boardlab.web.processes.checks import measured_tuples

        return measured_tuples(self._game(job["game"]), job)

    def _best_result(self, job: Job) -> Answer:
        """What the perfect player of a game reaches by an evaluator; known after the first time."""
        from boardlab.web.processes.checks import best_result

        key = (job["game"], job["agent_text"], job["evaluator"])
        if key not in self.best_results:
            self.best_results[key] = best_result(self._game(job["game"]), job["agent_text"], job["evaluator"])
        return {"score": self.best_results[key]}

    def _sweep_view(self, job: Job) -> Answer:
        """How the runs of a sweep stand, and their curves."""
        return self.sweeps.view(Path(job["folder"]), job["evaluator"], job["centre"], job["band"])

    def _sweep_report(self, job: Job) -> Answer:
        """Tables and figures of a sweep."""
        return self.sweeps.report(Path(job["folder"]))

    def _sweep_table(self, job: Job) -> Answer:
        """A table of a sweep as CSV."""
        return {"csv": self.sweeps.table(Path(job["folder"]), job["which"])}

    def _lookup_table(self, job: Job) -> Answer:
        """A stretch of a look-up table."""
        from boardlab.web.processes.agent_views import table_rows

        agent = self._agent(self._game(job["game"]), job["agent"])
        return table_rows(agent, job["player"], job["tuple"], job["offset"], job["limit"], job["order"])

    # ------------------------------------------------------------ what is at hand

    @cached_property
    def sweeps(self) -> SweepReader:
        """Reads sweeps, for those workers that are asked to."""
        from boardlab.web.processes.sweeps import SweepReader

        return SweepReader()

    def _game(self, spec: str) -> Game:
        if spec not in self.games:
            if len(self.games) >= 64:
                self.games.clear()
            self.games[spec] = make(spec)
        return self.games[spec]

    def _agent(self, game: Game, about: dict[str, Any]) -> Agent:
        key = (game.spec, json.dumps(about, sort_keys=True), _stamp(about["path"]))
        if key in self.agents:
            self.agents.move_to_end(key)
            return self.agents[key]
        while len(self.agents) >= _KEPT_AGENTS:
            self.agents.popitem(last=False)
        self.agents[key] = _made(game, about)
        return self.agents[key]

    def _position(self, game: Game, job: Job) -> Position:
        """The position of a job. A live game keeps its own from move to move, so that an agent can see how the game
        went on since it was last asked; when that does not lead to the state of the job, the state counts."""
        state = base64.b64decode(job["state"])
        session = job.get("session")
        known = self.positions.pop(session, None) if session else None
        position = _continued(known, job, state) if known else None
        if position is None:
            position = Position(game, np.frombuffer(state, game.state)[0])
        if session:
            self.positions[session] = (position, job["ply"])
            while len(self.positions) > _KEPT_POSITIONS:
                self.positions.popitem(last=False)
        return position


def _check_file(job: Job) -> Answer:
    from boardlab.web.processes.checks import check_file

    return check_file(job)


def _check_training(job: Job) -> Answer:
    from boardlab.web.processes.checks import check_training

    return check_training(job)


def _try_training(job: Job) -> Answer:
    from boardlab.web.processes.checks import try_training

    return try_training(job)


def _check_tournament(job: Job) -> Answer:
    from boardlab.web.processes.tournament_jobs import check_tournament

    return check_tournament(job)


def _write_tournament(job: Job) -> Answer:
    from boardlab.web.processes.tournament_jobs import write_tournament

    return write_tournament(job)


def _made(game: Game, about: dict[str, Any]) -> Agent:
    if about["agent"] is None:
        return make_agent(about["path"], game)
    options = dict(about["options"])
    if about["path"] is not None:
        options["agent"] = about["path"]
    return find_agent_class(about["agent"])(game, **options)


def _stamp(path: str | None) -> str:
    """Changes when the file does: a training puts a newer agent in its place."""
    return str(os.stat(path).st_mtime_ns) if path and os.path.exists(path) else ""


def _continued(known: tuple[Position, int], job: Job, state: bytes) -> Position | None:
    """The position of a live game, moved on by the events that have happened since; None where they do not fit."""
    position, ply = known
    missing = job["ply"] - ply
    recent = job["recent"]
    if position.game.spec != job["game"] or not 0 <= missing <= len(recent):
        return None
    try:
        for code in recent[len(recent) - missing :]:
            position.play_code(code)
    except BoardlabError:
        return None
    return position if position.state.tobytes() == state else None


if __name__ == "__main__":
    main()
