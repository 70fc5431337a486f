"""Who takes part: agents by their specifications, agent files, folders of checkpoints, engines.

An entrant has a name, by which people know it, and a key, by which its games are its own: its specification, with the
content of files in place of their names. So journals of machines on which a file has another path fit together, and an
agent that went on learning is another entrant.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boardlab.agents.classes import current_agent_name, find_agent_class
from boardlab.agents.files import stored_game
from boardlab.agents.registry import is_agent_file
from boardlab.components.component import checked_text, parameters_of
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.registry import has_parameters, split_spec
from boardlab.store import read_agent_file

__all__ = ["Budget", "Entrant", "enter", "fingerprint"]


@dataclass(frozen=True)
class Entrant:
    """One who takes part."""

    name: str
    spec: str
    """The text that makes the agent on this machine."""
    key: str
    """What it is, on every machine."""
    cpu_clock: bool = False
    """Whether the seconds that it may think are CPU time."""


@dataclass(frozen=True)
class Budget:
    """What every entrant may use for a move, where its agent has an option for it and its text says nothing."""

    iterations: int | None = None
    time: float | None = None
    cpu_time: float | None = None

    def __post_init__(self) -> None:
        if self.time is not None and self.cpu_time is not None:
            raise BoardlabError("a move has seconds by the clock or seconds of CPU time, not both")

    def applied(self, spec: str) -> tuple[str, bool]:
        """The specification with the budget in it, and whether its seconds are CPU time. Other programs have no CPU
        time that we could measure."""
        if is_agent_file(spec):
            return spec, False
        origin, given = split_spec(spec)
        cls = find_agent_class(origin)
        wishes = {"iterations": self.iterations, "time": self.time or self.cpu_time}
        wishes = {name: value for name, value in wishes.items() if value is not None and name in parameters_of(cls)}
        cpu_clock = self.cpu_time is not None and not cls.runs_programs
        if given.keys() & {"iterations", "time"}:
            return spec, cpu_clock and "time" in given
        if not wishes:
            return spec, False
        text = ",".join(f"{name}={value:g}" for name, value in wishes.items())
        return f"{spec}{',' if has_parameters(spec) else ':'}{text}", cpu_clock and "time" in wishes


UNLIMITED = Budget()


def enter(
    game: Game,
    agents: Sequence[str],
    *,
    names: Mapping[str, str] | None = None,
    budget: Budget = UNLIMITED,
) -> list[Entrant]:
    """The entrants that texts mean: specifications, agent files, and folders, of which every agent file takes part.
    `names` gives some of the texts a name."""
    found: list[tuple[str, str, bool]] = []
    for text in agents:
        given = (names or {}).get(text, "")
        folder = Path(text)
        if folder.is_dir():
            found += [(f"{given or folder.name}/{file.stem}", str(file), False) for file in _checkpoints(folder)]
        else:
            wanted, cpu_clock = budget.applied(text)
            spec = _checked(game, wanted)
            clock = " by CPU time" if cpu_clock else ""
            found.append((given or f"{_short(spec)}{clock}", spec, cpu_clock))
    entrants = []
    for name, spec, cpu_clock in found:
        if is_agent_file(spec):
            _require_game(game, spec)
        often = sum(name == other for other, _, _ in found) > 1
        entrants.append(Entrant(spec if often else name, spec, fingerprint(spec, cpu_clock=cpu_clock), cpu_clock))
    _require_different(entrants)
    return entrants


def _checkpoints(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.agent"), key=_by_numbers)
    if not files:
        raise BoardlabError(f"there are no agent files (*.agent) in the folder {folder}")
    return files


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """Sorts run-9 before run-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.stem)]


def _short(spec: str) -> str:
    """A name for an agent that has none: the last part of the path of its file, or its specification."""
    if is_agent_file(spec):
        return Path(spec).stem
    path, dot, rest = spec.partition(".py:")
    return f"{Path(path).name}{dot}{rest}" if dot and "=" not in path else spec


def _checked(game: Game, spec: str) -> str:
    """The specification as its agent would write it; refused where no such agent could play the game."""
    if is_agent_file(spec):
        if not Path(spec).is_file():
            raise BoardlabError(f"there is no agent file {spec}")
        return spec
    origin, given = split_spec(spec)
    cls = find_agent_class(origin)
    refusal = cls.refusal(game)
    if refusal is not None:
        raise BoardlabError(refusal)
    text = checked_text(cls, given, origin)
    name = current_agent_name(origin)
    return f"{name}:{text}" if text else name


def _require_game(game: Game, path: str) -> None:
    trained = stored_game(read_agent_file(Path(path)))
    if trained != game:
        raise BoardlabError(f"the agent in {path} was trained for {trained.spec}, it cannot play {game.spec}")


def _require_different(entrants: Sequence[Entrant]) -> None:
    keys: dict[str, str] = {}
    for entrant in entrants:
        if entrant.key in keys:
            other = keys[entrant.key]
            raise BoardlabError(
                f"{printable(entrant.name)} takes part twice"
                if other == entrant.name
                else f"{printable(entrant.name)} and {printable(other)} are the same agent"
            )
        keys[entrant.key] = entrant.name


def fingerprint(spec: str, *, cpu_clock: bool = False) -> str:
    """The key of a specification."""
    return f"{_contents(spec)} by CPU time" if cpu_clock else _contents(spec)


def _contents(spec: str) -> str:
    if is_agent_file(spec):
        return f"agent@{_digest(spec)}"
    origin, given = split_spec(spec)
    path, colon, cls = origin.rpartition(":") if not origin.endswith(".py") else (origin, "", "")
    if path.endswith(".py"):
        origin = f"{Path(path).name}@{_digest(path)}{colon}{cls}"
    parts = []
    for name, value in given.items():
        text = str(value)
        inner = _contents(text) if name == "agent" else text
        parts.append(f"{name}=[{inner}]" if "," in inner else f"{name}={inner}")
    return f"{origin}:{','.join(parts)}" if parts else origin


def _digest(path: str) -> str:
    try:
        with Path(path).expanduser().open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:16]
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror or error}") from error
