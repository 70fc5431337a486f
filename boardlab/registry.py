"""Finding things by name: games here; agents, evaluators and step-size rules through a `Registry` beside them.

A class is found in three places: in the modules of its package (nothing has to be listed anywhere), through the
entry points of installed packages (the group is called like the package), and in a user's file. A specification
is `NAME`, `NAME:parameter=value,...`, `path/to/file.py:Class` or `path/to/file.py:Class:parameter=value,...`; what is
OpenSpiel's has a name of two parts, as `openspiel:breakthrough` or `openspiel:breakthrough:rows=6`. A value
may have colons, as `td-ntuple:tuples=walk:70x8`; one with commas stands in square brackets, as
`n-ply:agent=[mcts:iterations=50,exploration=2],depth=1`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import warnings
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from boardlab.arguments import text
from boardlab.compiler import is_our_own
from boardlab.components.component import Component
from boardlab.errors import BoardlabError, printable, unknown_name
from boardlab.game import Game

__all__ = [
    "USER_MODULE",
    "Registry",
    "game_classes",
    "has_parameters",
    "load_module",
    "make",
    "make_unchecked",
    "split_spec",
    "split_specs",
]


USER_MODULE = "boardlab_user_"
"""How the names of modules begin that were made from a user's file."""


OPENSPIEL = "openspiel"
"""What stands before the names of OpenSpiel's games and bots, as `openspiel:breakthrough`."""

Thing = TypeVar("Thing", bound=Component)


class Registry(Generic[Thing]):
    """All classes of one kind: those that derive from `base`."""

    def __init__(self, kind: str, base: type[Thing], package: str, group: str = "") -> None:
        """`group` is that of the entry points, where it is not called like the package."""
        self.kind, self.base, self.package, self.group = kind, base, package, group or package

    @cached_property
    def classes(self) -> dict[str, type[Thing]]:
        """What can be made by name: our own, then those of installed packages."""
        found: dict[str, type[Thing]] = {}
        for info in pkgutil.iter_modules(importlib.import_module(self.package).__path__):
            module = importlib.import_module(f"{self.package}.{info.name}")
            found.update({cls.name: cls for cls in self.classes_in(module) if cls.name and not inspect.isabstract(cls)})
        for entry in entry_points(group=self.group):
            try:
                found.setdefault(entry.name, entry.load())
            except Exception as error:  # somebody else's broken package must not take our games away
                warnings.warn(f"the {self.kind} {entry.name} ({entry.value}) cannot be loaded: {error}", stacklevel=2)
        return found

    def offer(self, origin: str) -> None:
        """From now on a class in a user's file is among `classes`, under the text that names it."""
        self.classes[origin] = self.find(origin)

    @cached_property
    def former(self) -> dict[str, str]:
        """Names of before, and the names of the same things now."""
        return {old: name for name, cls in self.classes.items() for old in vars(cls).get("former_names", ())}

    def current(self, name: str) -> str:
        """The name by which a thing is known now, whatever it was called before."""
        return name if self._at_once(name) or name in self.classes else self.former.get(name, name)

    def _at_once(self, name: str) -> type[Thing] | None:
        """One of our own that stands in a module of its name, found without loading all others."""
        module = f"{self.package}.{name.replace('-', '_')}"
        if not name.replace("-", "_").isidentifier() or importlib.util.find_spec(module) is None:
            return None
        inside = self.classes_in(importlib.import_module(module))
        return next((cls for cls in inside if cls.name == name and not inspect.isabstract(cls)), None)

    def brought_by(self, game: Game) -> dict[str, type[Thing]]:
        """What a user's game brings along: the classes of this kind that stand in its own file."""
        owners = [c for c in type(game).__mro__ if issubclass(c, Game) and not is_our_own(c.__module__)]
        found: dict[str, type[Thing]] = {}
        for owner in owners:
            for cls in self.classes_in(sys.modules[owner.__module__]):
                if not inspect.isabstract(cls):
                    found.setdefault(cls.name or cls.__name__, cls)
        return found

    def classes_for(self, game: Game) -> dict[str, type[Thing]]:
        """All that can be made by name for a game: what it brings along, then what is known anyway."""
        own = self.brought_by(game)
        return {**own, **{name: cls for name, cls in self.classes.items() if name not in own}}

    def classes_in(self, module: ModuleType) -> list[type[Thing]]:
        """The classes of this kind that a module defines."""
        return [
            value
            for value in vars(module).values()
            if inspect.isclass(value) and issubclass(value, self.base) and value.__module__ == module.__name__
        ]

    def find(self, origin: str) -> type[Thing]:
        """The class of a name, of `path/to/file.py:Class`, or of a file that has only one of the kind."""
        path, colon, name = origin.rpartition(":")
        if path == OPENSPIEL and origin in self.classes:
            return self.classes[origin]
        if path == OPENSPIEL:
            return self.find_in_openspiel(name)
        if not colon and origin.endswith(".py"):
            path, name = origin, ""
        elif not colon:
            found = self._at_once(origin)
            if found is not None:
                return found
            current = self.current(origin)
            if current not in self.classes:
                raise unknown_name(self.kind, origin, self.classes)
            return self.classes[current]
        inside = {cls.__name__: cls for cls in self.classes_in(load_module(path, self.kind))}
        if name == "" and len(inside) == 1:
            name = next(iter(inside))
        if name not in inside:
            raise unknown_name(f"{self.kind} class in {path}", name, inside)
        missing = sorted(getattr(inside[name], "__abstractmethods__", ()))
        if missing:
            raise BoardlabError(f"the {self.kind} {name} in {path} lacks {', '.join(missing)}")
        return inside[name]

    def make(self, spec: str) -> Thing:
        """The thing of a specification, for kinds that are made of nothing but their parameters."""
        origin, settings = split_spec(spec)
        made = self.find(origin)(**settings)
        made.__dict__["_origin"] = origin
        return made

    def find_in_openspiel(self, name: str) -> type[Thing]:
        """The class of what OpenSpiel calls so; it has games that are not listed here."""
        raise unknown_name(self.kind, f"{OPENSPIEL}:{name}", [c for c in self.classes if c.startswith(OPENSPIEL)])


class _Games(Registry[Game]):
    """The games; those of OpenSpiel, by name, are found by the module that knows it, which needs games itself."""

    def find_in_openspiel(self, name: str) -> type[Game]:
        found: type[Game] = importlib.import_module("boardlab.engines.openspiel_game").openspiel_game_class(name)
        return found


_games = _Games("game", Game, "boardlab.games")


def game_classes() -> dict[str, type[Game]]:
    """All games that can be made by name: ours, then those of installed packages (group `boardlab.games`)."""
    return _games.classes


def make(spec: str, **settings: object) -> Game:
    """The game of a specification, with parameters in the text or as keywords: `make("connect4", columns=6)`. One that
    is not ours must pass a short check first."""
    game = make_unchecked(spec, **settings)
    game.require_sound()
    return game


def make_unchecked(spec: str, **settings: object) -> Game:
    """The same without the check, for those who look what is wrong with it."""
    origin, parameters = split_spec(text(spec, "a game is named by a text, as connect4 or connect4:columns=6"))
    cls = _games.find(origin)
    game = cls(**{**parameters, **settings})
    game.__dict__["_origin"] = _games.current(origin)
    return game


def has_parameters(spec: str) -> bool:
    """Whether parameters follow the name."""
    return _PARAMETERS.search(spec) is not None


def split_spec(spec: str) -> tuple[str, dict[str, object]]:
    """`name:a=1,b=2` as name and parameters. Parameters begin after the first colon that is followed by `word=`, so the
    name may itself be `file.py:Class`, and a value may have colons. A value with commas stands in square brackets."""
    text = _OPENSPIEL_COMMA.sub(r"\1:", spec.strip())
    begin = _PARAMETERS.search(text)
    if begin is None:
        head, _, tail = text.rpartition(":")
        if head in ("", OPENSPIEL) or ".py" in head:
            return text, {}
        raise _not_parameters(tail, spec)
    parameters: dict[str, object] = {}
    for part in _split_at_commas(text[begin.end() :]):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise _not_parameters(part, spec)
        if key in parameters:
            raise BoardlabError(f"{printable(key)} is given twice in {printable(spec)!r}; say it once")
        bracketed = value.startswith("[") and value.endswith("]")
        parameters[key] = value[1:-1] if bracketed else value
    return text[: begin.start()], parameters


def split_specs(text: str) -> list[str]:
    """Several specifications with commas between them: `hex:size=6,connect4:columns=6,rows=5` are two. A part
    such as `rows=5`, with an equals sign and no name before it, belongs to the specification that it follows."""
    specs: list[str] = []
    for part in _split_at_commas(text):
        if specs and _PARAMETERS.match(f":{part}"):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


_PARAMETERS = re.compile(r":(?=\s*\w+\s*=)")
_OPENSPIEL_COMMA = re.compile(rf"^({OPENSPIEL}:\w+)\s*,")
"""`openspiel:mcts,simulations=100` is `openspiel:mcts:simulations=100`."""


def _split_at_commas(text: str) -> list[str]:
    """The parts between the commas that are not in square brackets; empty ones are left out."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _not_parameters(part: str, spec: str) -> BoardlabError:
    return BoardlabError(
        f"parameters are written name=value, separated by commas; {printable(part)!r} in {printable(spec)!r} is not"
    )


def load_module(path: str, kind: str) -> ModuleType:
    """Import a user's file, once per content; `kind` says what is looked for in it, for the messages."""
    if not path.endswith(".py"):
        raise BoardlabError(f"{path!r} is not a Python file; your own {kind} is written path/to/file.py:Class")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise BoardlabError(f"there is no file {path}")
    source = file.read_bytes()
    digest = hashlib.sha256(str(file).encode() + source).hexdigest()[:12]
    module_name = f"{USER_MODULE}{file.stem}_{digest}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # the file may import modules beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise BoardlabError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
