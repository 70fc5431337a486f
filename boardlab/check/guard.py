"""The short check of a user's game: before it is compiled, and before a command plays it.

About two seconds of plain play, in which a mistake is an ordinary exception and cannot harm anything, then a look
whether the rules compile. It happens once for every edit: what was found sound is remembered on disk by the hash of
the code and the parameters. Only a game that looks suspicious gets the long check as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from boardlab.check import check_game
from boardlab.check.cornering import find_cornered
from boardlab.check.declarations import check_declarations, check_pictures
from boardlab.check.explain import cornered_text
from boardlab.check.images import find_images
from boardlab.check.lockstep import play_plain
from boardlab.check.report import Violation
from boardlab.check.suspicions import Tally
from boardlab.compiler import cache_folder, compile_method
from boardlab.compiler.code_hash import code_hash, source_digest
from boardlab.compiler.errors import readable_compile_errors
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.rng import make_rng

__all__ = ["SuspiciousGame", "UnsoundGame", "require_sound"]

PLAIN_GAMES = 20
PLAIN_SECONDS = 1.0
CORNER_SECONDS = 0.6


class UnsoundGame(BoardlabError):
    """A game that breaks a rule that all games keep; it is neither compiled nor played."""


class SuspiciousGame(UserWarning):
    """A game that breaks no rule, but looks wrong."""


_known: set[str] = set()


def require_sound(game: Game) -> None:
    """Raise `UnsoundGame`, with the position and what is wrong there, unless a short check finds nothing. A suspicion
    is a warning, once per process."""
    key = _key(game)
    if key in _known:
        return
    memory = cache_folder() / "checked" / f"{key}.json"
    suspicions = _remembered(memory)
    if suspicions is None:
        try:
            with game.in_check(), redirect_stdout(StringIO()), np.errstate(all="ignore"):
                suspicions = _check(game)
        except Violation as found:
            raise UnsoundGame(f"{game!r}: {found}\n{_see(game)}") from None
        _remember(memory, suspicions)
    _known.add(key)
    for suspicion in suspicions:
        warnings.warn(SuspiciousGame(f"{game!r}: {suspicion} {_see(game)}"), stacklevel=3)


def _see(game: Game) -> str:
    return f"`boardlab check {game.spec}` tells more."


def _check(game: Game) -> list[str]:
    """What is suspicious; a `Violation` where something is wrong."""
    check_declarations(game)
    images = find_images(game)
    tally = Tally(game)
    overflowed = False
    end = time.thread_time() + PLAIN_SECONDS
    for number in range(PLAIN_GAMES):
        played = play_plain(game, images, number, seed=1)
        tally.add(played.referee)
        overflowed = overflowed or played.overflowed
        if time.thread_time() > end:
            break
    check_pictures(game)
    cornered = find_cornered(game, CORNER_SECONDS, seed=1)
    _compile_rules(game)
    suspicions = [] if cornered is None else [cornered_text(game, cornered)]
    if tally.suspicions or overflowed:
        report = check_game(game, raise_on_violation=False)
        if report.violation is not None:
            raise Violation(report.violation)
        suspicions = list(report.suspicions)
    return suspicions


def _compile_rules(game: Game) -> None:
    """Whether every rule compiles; what is compiled here is used by the kernels of this process."""
    s = np.zeros(1, game.state)[0]
    numbers, rng = np.zeros(1, np.int64), make_rng(0)
    rules: dict[str, tuple[Any, ...]] = {
        "reset": (s,),
        "player": (s,),
        "is_over": (s,),
        "is_chance": (s,),
        "legal_actions": (s, numbers),
        "advance": (s, 0),
        "scores": (s, np.zeros(1)),
        "estimate": (s, np.zeros(1)),
        "random_start": (s, rng),
    }
    if game.num_outcomes:
        rules |= {"chance_outcomes": (s, numbers, np.zeros(1)), "advance_chance": (s, 0), "sample_chance": (s, rng)}
    if game.num_cells:
        places = np.zeros(1, np.int32), np.zeros(1, np.int8)
        rules |= {"cells": (s, places[1]), "cells_of": (s, 0, places[1]), "changed_cells": (s, 0, *places)}
        rules |= {"is_quiet": (s, 0)}
    with readable_compile_errors(game):
        for name, arguments in rules.items():
            compile_method(game, name, arguments)


# ---------------------------------------------------------------- what is remembered


def _key(game: Game) -> str:
    """The code of the game, its parameters, and this check."""
    settings = json.dumps(vars(game)["settings"], sort_keys=True)
    parts = code_hash(type(game)), settings, source_digest(Path(__file__).resolve())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]


def _remembered(memory: Path) -> list[str] | None:
    """The suspicions of a game that was found sound before; None where it was not."""
    try:
        found = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) and all(isinstance(text, str) for text in found) else None


def _remember(memory: Path, suspicions: list[str]) -> None:
    """A cache that cannot be written only means that the check is done again."""
    part = memory.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(json.dumps(suspicions), encoding="utf-8")
            part.replace(memory)
        finally:
            part.unlink(missing_ok=True)  # what a full disk has left of it
