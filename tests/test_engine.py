"""Other programs as players: both protocols against the small engine of the tests, and what bad programs may do."""

from __future__ import annotations

import copy
import gc
import pickle
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tiny_engine import pick
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make, make_rng
from boardlab.agents.base import Agent
from boardlab.agents.engine import Engine
from boardlab.agents.registry import agent_classes
from boardlab.cli.main import app
from boardlab.engines.nboard import game_text
from boardlab.engines.notation import PASS, Notation, notation_of
from boardlab.engines.way import way_to
from boardlab.game import Game
from boardlab.matches.evaluators.registry import make_evaluator, suitable_evaluators
from boardlab.matches.match import play_match
from boardlab.matches.starts import positions_after
from boardlab.rng import Rng, random_below

TINY = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).parent / 'tiny_engine.py'))}"


class Picker(Agent):
    """Plays as the small engine does, without being one."""

    name = "picker"

    def choose(self, position: Position, rng: Rng) -> int:
        return pick(position)


def tiny(game: Game, protocol: str = "gtp", mode: str = "explicit", log: Path | None = None, **options: Any) -> Engine:
    command = f"{TINY} {protocol} {game.name} --mode {mode}"
    if log is not None:
        command += f" --log {shlex.quote(str(log))}"
    return Engine(game, command=command, protocol=protocol, **{"timeout": 60.0, **options})


def random_position(game: Game, plies: int, seed: int) -> Position:
    """The last unfinished position of a random game, at most so many plies from its start."""
    position, rng = game.start(), make_rng(seed)
    for _ in range(plies):
        legal = position.legal_actions
        after = position.copy().play(legal[random_below(rng, len(legal))])
        if after.is_over:
            break
        position = after
    return position


def position_with_a_skipped_turn(game: Game) -> Position:
    """Someone moves again, because the other could not."""
    for seed in range(100):
        position = random_position(game, 60, seed)
        while position.history and position.history[-1].player != position.player:
            position.undo()
        if position.history:
            return position
    raise AssertionError


# ---------------------------------------------------------------- notation


def words_of(game: Game) -> Notation:
    found = notation_of(game)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("spec", "moves", "vertices"),
    [
        ("othello", "f5 d6", ["F5", "D6"]),
        ("hex:size=11", "a1 i1 k11", ["A1", "I1", "K11"]),
        ("connect4", "4 4 4 1 7", ["D1", "D2", "D3", "A1", "G1"]),
    ],
)
def test_vertices(spec: str, moves: str, vertices: list[str]) -> None:
    game = make(spec)
    notation = words_of(game)
    position = game.start()
    for move, vertex in zip(moves.split(), vertices, strict=True):
        action = game.parse_action(move)
        assert notation.vertices(position, [action]) == [vertex]
        assert notation.action(vertex) == notation.action(vertex.lower()) == action
        position.play(move)
    assert [move.vertex for move in notation.moves(position)] == vertices
    assert [move.player for move in notation.moves(position)] == [i % 2 for i in range(len(vertices))]


@pytest.mark.parametrize(
    ("spec", "answer"), [("othello", "i9"), ("othello", "PASS"), ("hex", "swap-pieces"), ("connect4", "h1")]
)
def test_what_is_no_action(spec: str, answer: str) -> None:
    game = make(spec)
    assert words_of(game).action(answer) is None


def test_connect_four_is_answered_by_columns_too() -> None:
    notation = words_of(make("connect4"))
    assert [notation.action(text) for text in ("D", "d", "4", "D3", "8", "0")] == [3, 3, 3, 3, None, None]


def test_skipped_turns_are_passes() -> None:
    """With them the colours alternate; without them the moves are those of the history."""
    game = make("othello")
    notation = words_of(game)
    skipped = 0
    for seed in range(10):
        position = random_position(game, 60, seed)
        moves = notation.moves(position)
        assert [move.player for move in moves] == [i % 2 for i in range(len(moves))]
        assert position.player == len(moves) % 2
        placed = [game.parse_action(move.vertex) for move in moves if move.vertex != PASS]
        assert placed == [event.number for event in position.history]
        skipped += len(moves) - len(placed)
    assert skipped > 2


@pytest.mark.parametrize(("spec", "plies"), [("othello", 8), ("hex:size=8", 40), ("connect4", 30)])
def test_a_way_to_a_position_without_history(spec: str, plies: int) -> None:
    game = make(spec)
    notation = words_of(game)
    for seed in range(8):
        target = Position(game, random_position(game, plies, seed).state)
        found = way_to(target, notation)
        assert found is not None
        replayed = game.start()
        for event in found.history:
            replayed.play(event.number)
        assert replayed.state.tobytes() == target.state.tobytes()


def test_a_position_as_ggf() -> None:
    text = game_text(make("othello").start().play("f5"))
    assert "GM[Othello]" in text
    assert f"BO[8 {'-' * 27}O*{'-' * 6}***{'-' * 26} O]" in text


# ---------------------------------------------------------------- whole games


@pytest.mark.parametrize(
    ("spec", "protocol", "mode"),
    [
        ("othello", "gtp", "explicit"),
        ("othello", "gtp", "skipping"),
        ("othello", "nboard", "explicit"),
        ("othello:size=6", "gtp", "stubborn"),
        ("hex:size=9", "gtp", "explicit"),
        ("connect4", "gtp", "explicit"),
    ],
)
def test_games_with_an_engine(spec: str, protocol: str, mode: str) -> None:
    """The same as with an agent who thinks as the engine does; from the start and from a position after two plies, of
    which the engine learns nothing but the board."""
    game = make(spec)
    engine = tiny(game, protocol, mode)
    starts = [game.start(), positions_after(game, 2)[0]]
    records = [
        play_match(game, [player, "random"], 2 * len(starts), 5, starts=starts).records
        for player in (engine, Picker(game))
    ]
    assert records[0] == records[1]
    engine.close()


@pytest.mark.parametrize(("protocol", "mode"), [("gtp", "explicit"), ("gtp", "skipping"), ("nboard", "explicit")])
def test_skipped_turns(protocol: str, mode: str) -> None:
    """The position of a skipped turn at once, and when the engine gets there move by move."""
    game = make("othello")
    position = position_with_a_skipped_turn(game)
    engine = tiny(game, protocol, mode)
    assert engine.choose(position, make_rng(0)) == pick(position)
    walker = position.copy().undo().undo().undo().undo()
    for event in position.history[-4:]:
        assert engine.choose(walker, make_rng(0)) == pick(walker)
        walker.play(event.number)
    assert engine.choose(walker, make_rng(0)) == pick(position)
    engine.close()


def test_gtp_is_told_what_is_new(tmp_path: Path) -> None:
    game, log = make("othello"), tmp_path / "log"
    engine = tiny(game, log=log, time=3, startup="level 2; level 3")
    position = game.start()
    reply = game.action_name(engine.choose(position, make_rng(0))).upper()
    position.play(reply)
    other = position.legal_actions[0]
    position.play(other)
    engine.choose(position, make_rng(0))
    engine.choose(position.undo(), make_rng(0))  # another line: its own move, and one before that, are taken back
    engine.close()
    commands = log.read_text().splitlines()
    assert commands[:8] == [
        "protocol_version",
        "name",
        "list_commands",
        "level 2",
        "level 3",
        "boardsize 8",
        "clear_board",
        "time_settings 0 3 1",
    ]
    assert commands[8:] == [
        "time_left black 3 1",
        "genmove black",
        f"play white {game.action_name(other).upper()}",
        "time_left black 3 1",
        "genmove black",
        "undo",
        "undo",
        "time_left white 3 1",
        "genmove white",
        "quit",
    ]


def test_nboard_is_told_what_is_new(tmp_path: Path) -> None:
    game, log = make("othello"), tmp_path / "log"
    engine = tiny(game, "nboard", log=log, depth=4)
    position = game.start()
    position.play(engine.choose(position, make_rng(0)))
    position.play(position.legal_actions[0])
    engine.choose(position, make_rng(0))
    engine.choose(game.start(), make_rng(0))
    engine.close()
    commands = [line for line in log.read_text().splitlines() if not line.startswith("ping ")]
    moves = [f"move {game.action_name(event.number).upper()}" for event in position.history]
    begin = f"set game {game_text(game.start())}"
    assert commands == ["nboard 1", "set depth 4", begin, "go", *moves, "go", begin, "go", "quit"]


def test_hints_are_values() -> None:
    game = make("othello")
    position = random_position(game, 12, 1)
    assert tiny(game, "nboard").values(position) == {a: a + 0.5 for a in position.legal_actions}
    assert tiny(game, "nboard", "short").values(position) is None  # they leave out a move
    assert tiny(game).values(position) is None


def test_gtp_needs_the_moves() -> None:
    game = make("othello")
    late = Position(game, random_position(game, 40, 3).state)
    with pytest.raises(
        BoardlabError, match=r"has to be told all moves of a game of Othello.*protocol=nboard needs none"
    ):
        tiny(game).choose(late, make_rng(0))
    assert tiny(game, "nboard").choose(late, make_rng(0)) == pick(late)


# ---------------------------------------------------------------- bad programs


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("dies", r"Tiny.* has ended \(code 1\) and does not answer '(go|genmove black)'; its last words: no weights"),
        ("hangs", r"did not answer '(go|ping 2|genmove black)' within 1 seconds and was stopped; the option timeout"),
        (
            "babbles",
            r"did not answer '(go|ping 2)' within 1 seconds|does not speak GTP: it answers 'genmove black' with 'info",
        ),
        ("illegal", r"answers 'a1', which is not legal here; legal: d3, c4, f5, e6"),
        ("passes", r"answers 'pass', which is not legal here; legal: d3"),
        (
            "mumbles",
            r"answers '\?\?\?', which is not legal|does not speak the NBoard protocol: it answers 'go' with '===",
        ),
    ],
)
def test_what_a_bad_engine_does_is_told(protocol: str, mode: str, sentence: str) -> None:
    game = make("othello")
    engine = tiny(game, protocol, mode)
    engine.process.timeout = 1.0 if mode in ("hangs", "babbles") else 60.0
    with pytest.raises(BoardlabError, match=sentence):
        engine.choose(game.start(), make_rng(0))
    assert process_of(engine).poll() is not None
    with pytest.raises(BoardlabError, match="has ended"):  # and it stays so
        engine.choose(game.start(), make_rng(0))


def process_of(engine: Engine) -> subprocess.Popen[str]:
    return engine.process._process


def test_a_silent_reply_of_a_gtp_engine() -> None:
    game = make("othello")
    with pytest.raises(BoardlabError, match="does not speak GTP: it answers 'genmove black' with 'the best move is"):
        tiny(game, "gtp", "nonsense").choose(game.start(), make_rng(0))


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_complaints_do_not_block(protocol: str) -> None:
    """More than any pipe holds is written to stderr before every move."""
    game = make("othello")
    engine = tiny(game, protocol, "chatty")
    assert [engine.choose(game.start(), make_rng(0)) for _ in range(2)] == [pick(game.start())] * 2


def test_an_engine_that_resigns_plays_on() -> None:
    game = make("othello")
    engine, rng = tiny(game, "gtp", "resigns"), make_rng(0)
    assert {engine.choose(game.start(), rng) for _ in range(40)} == set(game.start().legal_actions)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"command": "no-such-program-here -x"}, "there is no program 'no-such-program-here' here; the command of an"),
        ({"command": "  "}, "the command of an engine is a program with its arguments, as edax -gtp; it is empty"),
        ({"command": "edax 'x"}, 'the command "edax \'x" of the engine cannot be read: No closing quotation'),
        ({"command": "/"}, "the program '/' cannot be started: Permission denied"),
        ({"command": "true"}, r"the engine true has ended \(code 0\) and does not answer 'protocol_version'"),
        ({"command": "cat"}, "the engine cat does not speak GTP: it answers 'protocol_version' with 'protocol_v"),
        ({"command": "sleep 9", "timeout": 0.2}, "the engine sleep 9 did not answer 'protocol_version' within 0.2 s"),
        ({"command": f"{TINY} gtp --mode old"}, "speaks version 1 of GTP; version 2 is needed"),
        ({"command": f"{TINY} gtp --mode small"}, r"Tiny \(.*\) refuses 'boardsize 8': unacceptable size"),
        ({"command": f"{TINY} gtp", "startup": "swing 3"}, r"refuses 'swing 3': unknown command"),
        ({"command": "cat", "depth": 3}, "do not fit together: GTP has no command for the depth"),
        (
            {"command": "cat", "protocol": "nboard", "time": 3},
            "do not fit together: NBoard has no command for",
        ),
        ({}, "command of engine must be given; it is a text"),
    ],
)
def test_what_is_wrong_with_an_engine(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoardlabError, match=sentence):
        Engine(make("othello"), **options)


def test_games_without_engines() -> None:
    with pytest.raises(BoardlabError, match="engines play othello, hex, connect4, not nim"):
        Engine(make("nim"), command="cat")
    with pytest.raises(BoardlabError, match="engines that speak nboard play Othello, not hex; others speak gtp"):
        Engine(make("hex"), command="cat", protocol="nboard")


@pytest.mark.parametrize("mode", ["explicit", "deaf"])
def test_no_process_is_left(mode: str) -> None:
    """Neither of an engine that quits, nor of one that is busy and does not listen."""
    game = make("othello")
    engine = tiny(game, "gtp", mode)
    process = process_of(engine)
    if mode == "deaf":
        engine.process.send("genmove black")
        time.sleep(0.1)
    assert process.poll() is None
    del engine
    gc.collect()
    assert process.returncode == (0 if mode == "explicit" else -9)


def test_children_of_an_engine_end_with_it(tmp_path: Path) -> None:
    """A script that starts the program proper, as wrappers of engines do."""
    note = tmp_path / "child"
    script = tmp_path / "wrapper"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {note}\nsleep 600\n")
    script.chmod(0o755)
    with pytest.raises(BoardlabError, match="did not answer"):
        Engine(make("othello"), command=str(script), timeout=1.0)
    child = int(note.read_text())
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
            return
        time.sleep(0.05)
    raise AssertionError("the child still runs")


# ---------------------------------------------------------------- the command line, evaluators, servers


def test_an_engine_on_the_command_line() -> None:
    arguments = ["match", "othello", f"engine:command={TINY} gtp,protocol=gtp", "random", "--games", "2", "--seed", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "engine:command=" in result.output


def test_the_edax_evaluator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("othello")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoardlabError, match="the evaluator edax needs the program edax, which is not on the PATH of"):
        make_evaluator("edax", game)
    assert "edax" not in suitable_evaluators(game)
    log = tmp_path / "log"
    script = tmp_path / "edax"
    script.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\nexec {TINY} nboard --log {shlex.quote(str(log))}\n'
    )
    script.chmod(0o755)
    assert "edax" in suitable_evaluators(game)
    evaluator = make_evaluator("edax", game)
    assert len(evaluator.starts(0)) == 244
    assert evaluator.games(244) == 488
    result = evaluator.evaluate("random", games=4, seed=1)
    assert result.result.games == 4
    assert (tmp_path / "arguments").read_text().split() == ["-nboard"]
    assert "set depth 1" in log.read_text().splitlines()
    with pytest.raises(BoardlabError, match="the evaluator edax is for Othello on the board of 8 x 8, not for hex"):
        make_evaluator("edax", make("hex"))


def test_the_grhino_evaluator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a program of that name which writes down how it is called."""
    monkeypatch.setenv("PATH", str(tmp_path))
    script = tmp_path / "gtp-rhino"
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\nexec {TINY} gtp\n')
    script.chmod(0o755)
    evaluator = make_evaluator("grhino:level=2", make("othello"))
    assert evaluator.games(len(evaluator.starts(0))) == 488
    assert evaluator.evaluate("random", games=4, seed=1).result.games == 4
    assert (tmp_path / "arguments").read_text().split() == ["--level=2", "--book=0"]


def test_only_engines_run_programs() -> None:
    """What a server may not offer to its visitors."""
    assert [name for name, cls in agent_classes().items() if cls.runs_programs] == ["engine"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_running_program_cannot_be_copied(copied: Any) -> None:
    with pytest.raises(BoardlabError, match="is a running program, which cannot be copied or pickled; make another"):
        copied(tiny(make("othello")))
