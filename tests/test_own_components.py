"""A game, an agent, a step-size rule and eligibility of one's own: one file each, used everywhere without another word
anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")
from arena_client import Client, eventually, open_client
from typer.testing import CliRunner

from boardlab import BoardlabError, make, make_rng
from boardlab.agents import registry as agents
from boardlab.agents.engine import Engine
from boardlab.agents.files import stored_agent
from boardlab.agents.perfect import Perfect
from boardlab.agents.registry import make_agent, offer_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.cli.main import app
from boardlab.components.component import parameters_of
from boardlab.engines.notation import notation_of
from boardlab.learn import rules
from boardlab.learn.rules import make_rule, offer_rule
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.position import Position
from boardlab.registry import game_classes
from boardlab.solvers.exhaustive import ExhaustiveSolver
from boardlab.solvers.solution import solve
from boardlab.store import read_agent_file

GAME = '''
import numpy as np

from boardlab import Game, parameter
from boardlab.engines.notation import Notation
from boardlab.matches.evaluators.base import Evaluator
from boardlab.ntuple.generators import TupleGenerator
from boardlab.solvers.base import Solver


class Take(Game):
    """Take stones from the right end of a row; who takes the last one wins."""

    name = "take"
    evaluators = ("take-openings",)
    stones: int = parameter(7, 1, 12, doc="stones at the start")
    most: int = parameter(2, 1, 3, doc="stones that may be taken at once")

    def setup(self):
        self.num_actions = self.most
        self.num_cells = self.max_moves = self.stones
        self.num_values = 2
        self.state = np.dtype([("left", np.int16), ("player", np.int8)])

    def reset(self, s):
        s.left = self.stones

    def legal_actions(self, s, actions):
        n = min(self.most, int(s.left))
        for i in range(n):
            actions[i] = i
        return n

    def advance(self, s, action):
        s.left -= action + 1
        s.player = 1 - int(s.player)

    def is_over(self, s):
        return s.left == 0

    def scores(self, s, out):
        out[0] = out[1] = 0.0
        if s.left == 0:
            out[1 - int(s.player)] = 1.0
            out[int(s.player)] = -1.0

    def cells(self, s, out):
        for i in range(self.num_cells):
            out[i] = 1 if i < s.left else 0


class TakeTheory(Solver):
    """Leave a multiple of most + 1."""

    of = Take

    def values(self, position):
        left = int(position.state.left)
        return {a: 1.0 if (left - a - 1) % (self.game.most + 1) == 0 else -1.0 for a in position.legal_actions}


class TakeWords(Notation):
    """A program is told how many stones are taken."""

    title = "Take"

    def vertices(self, position, actions):
        return [f"T{action + 1}" for action in actions]

    def action(self, text):
        return int(text[1:]) - 1 if text[:1] in "Tt" and text[1:].isdigit() else None


class Ends(TupleGenerator):
    """Cells side by side, up to some place."""

    name = "ends"
    example = "3x2"

    def draw(self, length, rng):
        last = length + int(rng[0] % (self.game.num_cells - length + 1))
        return list(range(last - length, last))


class Openings(Evaluator):
    """From the start, the agent first."""

    name = "take-openings"
    opponent = "perfect"

    @classmethod
    def unsuited(cls, game):
        return ""

    def seatings(self):
        return [(0, 1)]
'''

AGENT = '''
from boardlab import parameter
from boardlab.agents.base import Agent


class Nth(Agent):
    """Plays the n-th legal action, counted from the end if it likes."""

    name = "nth"
    n: int = parameter(1, 1, 9, doc="which one")
    end: bool = parameter(False, doc="count from the end")
    mood: str = parameter("calm", choices=("calm", "bold"), doc="changes nothing")

    def choose(self, position, rng):
        actions = position.legal_actions
        place = min(self.n, len(actions)) - 1
        return actions[-1 - place] if self.end else actions[place]
'''

RULE = '''
from boardlab import parameter
from boardlab.learn.rules import StepSizeRule


class Visits(StepSizeRule):
    """Smaller steps the more often a weight was moved."""

    slots = 1
    patience: float = parameter(100.0, 1.0, 1e6, doc="visits after which the step is halved")
    power: int = parameter(1, 1, 2, doc="how fast it falls then")

    def first_memory(self):
        return (0.0,)

    def update(self, weights, memory, i, e, x, signal):
        visits = memory[0, i]
        share = 1.0 + visits / self.patience
        if self.power == 2:
            share = share * share
        weights[i] += signal.alpha * signal.delta * e / share
        memory[0, i] = visits + 1.0
'''


TRACE = '''
from boardlab import parameter
from boardlab.learn.traces.base import Trace
from boardlab.learn.traces.horizon import Horizon


class Last(Horizon):
    """The last so many positions learn."""

    positions: int = parameter(3, 1, 100, doc="how many")

    def remembered(self, sizes):
        return min(self.positions, sizes.longest)


class Unfinished(Trace):
    """Cannot learn."""

    def forget(self, network, rule, who):
        self.lengths[who] = 0
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own")
    for name, text in (("take.py", GAME), ("nth.py", AGENT), ("visits.py", RULE), ("last.py", TRACE)):
        (path / name).write_text(text)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    """An arena that offers the three, as `boardlab arena --game ... --agent ... --rule ...` does."""
    agent, rule = f"{folder}/nth.py:Nth", f"{folder}/visits.py:Visits"
    offer_agent(agent)
    offer_rule(rule)
    with open_client(folder / "data", games=(f"{folder}/take.py:Take",)) as opened:
        yield opened
    del agents.agent_classes()[agent], rules.rule_classes()[rule]


def boardlab(*arguments: str) -> str:
    """What a command prints, on one line."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def fields(form: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(f["name"], f["kind"], f["default"], f["low"], f["high"], f["choices"]) for f in form]


def test_a_game(folder: Path, client: Client) -> None:
    spec = f"{folder}/take.py:Take"
    listed = boardlab("games", spec)
    assert "Take stones from the right end" in listed
    assert "stones 7 a whole number from 1 to 12 stones at the start" in listed
    assert "take" not in game_classes()
    measured = json.loads(boardlab("eval", "perfect", "--game", spec, "--seed", "1", "--json"))
    assert (measured["evaluator"], measured["mean"]) == ("take-openings", 1.0)  # who begins takes one of seven
    assert "take-openings perfect" in boardlab("evaluators", spec)
    (game,) = [game for game in client.get("/api/games").json() if game["name"] == spec]
    assert fields(game["fields"]) == [("stones", "integer", 7, 1, 12, []), ("most", "integer", 2, 1, 3, [])]
    options = client.get("/api/train/options", params={"game": spec}).json()
    assert options["default_evaluator"] == "take-openings"
    names = {agent["agent"]: agent["usable"] for agent in client.get("/api/agents", params={"game": spec}).json()}
    assert names["perfect"] and not names["c4-perfect"]


def test_what_a_game_brings_along(folder: Path) -> None:
    """Its solver, its notation and its tuple generator stand in its own file."""
    spec = f"{folder}/take.py:Take:stones=9,most=3"
    game = make(spec)
    solved = json.loads(boardlab("solve", spec, "1", "--json"))
    assert {a["name"]: a["value"] for a in solved["actions"]} == {"1": -1.0, "2": -1.0, "3": -1.0}
    assert solved["plies_to_end"] is None  # a search would have told
    search = ExhaustiveSolver(game, megabytes=1, position_limit=100_000)
    for left in range(1, 10):
        state = game.start().state
        state["left"] = left
        position = Position(game, state)
        assert {a.action: a.value for a in solve(position).actions} == search.values(position)
    perfect = make_agent("perfect", game)
    assert isinstance(perfect, Perfect)
    assert type(perfect.solver).__name__ == "TakeTheory"
    assert "take" in boardlab("match", spec, "perfect", "random", "--games", "4", "--seed", "1")
    assert Engine.refusal(game) is None
    words = notation_of(game)
    assert words is not None
    assert [move.vertex for move in words.moves(game.start().play(1).play(0))] == ["T2", "T1"]
    assert words.action("T3") == 2
    assert "3 n-tuples of Take" in boardlab("tuples", spec, "ends:3x2")
    assert "random ones: ends:3x2, walk:70x8, cluster:25x6, snake:70x8, points:30x5" in boardlab("tuples", spec)


def test_an_agent(folder: Path, client: Client) -> None:
    spec = f"{folder}/nth.py:Nth"
    listed = boardlab("agents", spec)
    assert "Plays the n-th legal action" in listed
    assert "n 1 a whole number from 1 to 9 which one" in listed
    assert "mood calm calm or bold changes nothing" in listed
    agent = make_agent(f"{spec}:n=2,end=true", make("tictactoe"))
    assert agent.spec == f"{spec}:n=2,end=true" and agent.choose(make("tictactoe").start(), make_rng(1)) == 7
    assert "nth.py:Nth:n=3" in boardlab("match", "tictactoe", f"{spec}:n=3", "random", "--games", "2")
    assert make_evaluator("random", make("tictactoe")).evaluate(spec, games=2).result.games == 2
    (entry,) = [a for a in client.get("/api/agents", params={"game": "tictactoe"}).json() if a["agent"] == spec]
    assert fields(entry["fields"]) == [
        ("n", "integer", 1, 1, 9, []),
        ("end", "boolean", False, None, None, []),
        ("mood", "choice", "calm", None, None, ["calm", "bold"]),
    ]
    seats = [{"agent": spec, "options": {"n": 5}}, {"person": "Ann"}]
    table = client.post("/api/tables", json={"game": "tictactoe", "seats": seats})
    assert table.status_code == 200, table.text
    address = f"/api/tables/{table.json()['id']}"
    view = eventually(lambda: client.get(address).json(), lambda v: v["ply"] == 1)
    assert view["moves"][0]["number"] == 4


def test_a_rule(folder: Path, client: Client) -> None:
    spec = f"{folder}/visits.py:Visits"
    listed = boardlab("rules", spec)
    assert "Smaller steps the more often" in listed
    assert "patience 100.0 a number from 1 to 1000000 visits after which" in listed
    assert list(parameters_of(type(make_rule(spec, 0.0, 1.0)))) == ["patience", "power"]
    out = folder / "visits.agent"
    train = ["train", "tictactoe", "-n", "200", "-o", "tuples=points:2x3", "--seed", "1", "--out", str(out)]
    boardlab(*train, "-o", f"rule={spec}:patience=3,power=2", "--evaluator", "random", "--evaluation-games", "2")
    file = read_agent_file(out)
    assert file.about.parameters["rule"] == f"{spec}:patience=3,power=2"
    learned: Any = stored_agent(file)
    assert (float(learned.learner.rule.patience), learned.learner.rule.power) == (3.0, 2)
    options = client.get("/api/train/options", params={"game": "tictactoe"}).json()
    (field,) = [field for field in options["fields"] if field["name"] == "rule"]
    assert spec in field["choices"] and "tcl-exp" in field["choices"]
    learner = {"tuples": "points:2x3", "rule": f"{spec}:patience=4,power=2"}
    wish = {"game": "tictactoe", "episodes": 100, "evaluator": "random", "games": 2, "options": learner}
    run = client.post("/api/runs", json=wish)
    assert run.status_code == 201, run.text
    address = f"/api/runs/{run.json()['id']}"
    done = eventually(lambda: client.get(address).json(), lambda r: r["state"] in ("finished", "failed"))
    assert done["state"] == "finished", done


def test_eligibility_is_asked_for_in_a_sentence(folder: Path, client: Client) -> None:
    spec, game = f"{folder}/last.py:Last", make("tictactoe")
    small = {"tuples": "points:2x3", "lam": 0.5}
    agent: Any = make_agent(f"td-ntuple:tuples=points:2x3,lam=0.5,method={spec}:positions=4", game)
    assert agent.learner._bare_trace().positions == 4
    assert agent.learner.work().trace.index.shape[1] == 5  # four, and the one that comes next
    wrong = {
        f"{folder}/last.py:Unfinished": "the eligibility Unfinished in .*last.py lacks adapt, push",
        f"{spec}:positions=0": "positions",
        f"{spec}:places=2": "places",
        "vector": "there is no eligibility 'vector'|unknown|eligibility",
    }
    for method, sentence in wrong.items():
        with pytest.raises(BoardlabError, match=sentence):
            TDNTuple(game, method=method, **small)
    with pytest.raises(BoardlabError, match="alpha-bounds looks at the next position"):
        TDNTuple(game, method=spec, rule="alpha-bounds", output="identity", tuples="points:2x3")
    options = client.get("/api/train/options", params={"game": "tictactoe"}).json()
    (field,) = [field for field in options["fields"] if field["name"] == "method"]
    assert field["choices"] == ["horizon", "traces"]
    wish = {"game": "tictactoe", "episodes": 100, "evaluator": "random", "games": 2}
    refused = client.post("/api/runs", json={**wish, "options": {**small, "method": spec}})
    assert refused.status_code == 422, refused.text  # a file of the server's is nobody's business


@pytest.mark.slow
def test_eligibility(folder: Path) -> None:
    """Four positions are what lambda = 0.5 and the usual cut make of a horizon: the same weights to the bit."""
    spec, game = f"{folder}/last.py:Last", make("tictactoe")
    settings: dict[str, Any] = {"tuples": "points:3x4", "lam": 0.5, "seed": 3}
    own = TDNTuple(game, method=f"{spec}:positions=4", hits="once", **settings)
    ours, shorter = TDNTuple(game, **settings), TDNTuple(game, method=f"{spec}:positions=2", hits="once", **settings)
    for agent in (own, ours, shorter):
        agent.train(300)
    assert np.array_equal(own.learner.network.weights, ours.learner.network.weights)
    assert not np.array_equal(own.learner.network.weights, shorter.learner.network.weights)
    out = folder / "last.agent"
    own.save(out)
    again: Any = stored_agent(read_agent_file(out))
    assert again.parameters.method == f"{spec}:positions=4"
    for agent in (own, again):
        agent.train(50)
    spare = own.learner.network.weights.shape[1] - 1  # which nobody reads, and no file keeps
    assert np.array_equal(own.learner.network.weights[:, :spare], again.learner.network.weights[:, :spare])
