"""Finding games by name: built in, from an installed package's entry point, or in a user's file.

A specification is `NAME`, `NAME:parameter=value,...`, `path/to/file.py:Class` or
`path/to/file.py:Class:parameter=value,...`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game

__all__ = ["game_classes", "load_module", "make"]


def make(spec: str, **settings: object) -> Game:
    """The game of a specification, with parameters in the text or as keywords: `make("connect4", columns=6)`."""
    origin, parameters = split_spec(spec)
    cls = _find_class(origin)
    given = dict(parameters)
    given.update(settings)
    game = cls(**given)
    game.__dict__["_origin"] = origin
    return game


def split_spec(spec: str) -> tuple[str, dict[str, object]]:
    """`name:a=1,b=2` as name and parameters; the name may itself be `file.py:Class`."""
    head, _, tail = spec.strip().rpartition(":")
    if head == "" or ("=" not in tail and ".py" in head):
        return spec.strip(), {}
    parameters: dict[str, object] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise BoardlabError(f"parameters are written name=value, separated by commas; {part!r} in {spec!r} is not")
        parameters[key.strip()] = value.strip()
    return head, parameters


@cache
def game_classes() -> dict[str, type[Game]]:
    """All games that can be made by name: ours, then those of installed packages (group `boardlab.games`)."""
    found: dict[str, type[Game]] = {}
    package = importlib.import_module("boardlab.games")
    for module_info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"boardlab.games.{module_info.name}")
        found.update({cls.name: cls for cls in games_in(module)})
    for entry in entry_points(group="boardlab.games"):
        found.setdefault(entry.name, entry.load())
    return found


def games_in(module: ModuleType) -> list[type[Game]]:
    """The game classes that a module defines."""
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module.__name__
    ]


def _find_class(origin: str) -> type[Game]:
    path, colon, name = origin.rpartition(":")
    if not colon and origin.endswith(".py"):
        path, name = origin, ""
    elif not colon:
        classes = game_classes()
        if origin not in classes:
            raise unknown_name("game", origin, classes)
        return classes[origin]
    module = load_module(path, Game.__name__)
    classes = {cls.__name__: cls for cls in games_in(module)}
    if name == "" and len(classes) == 1:
        return next(iter(classes.values()))
    if name not in classes:
        raise unknown_name(f"game class in {path}", name, classes)
    return classes[name]


def load_module(path: str, wanted: str) -> ModuleType:
    """Import a user's file, once per content; `wanted` names what is looked for in it, for the messages."""
    if not path.endswith(".py"):
        raise BoardlabError(f"{path!r} is neither a game's name nor a Python file; write path/to/file.py:Class")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise BoardlabError(f"there is no file {path}")
    source = file.read_bytes()
    digest = hashlib.sha256(str(file).encode() + source).hexdigest()[:12]
    module_name = f"boardlab_user_{file.stem}_{digest}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise BoardlabError(
            f"{path} cannot be imported to look for a {wanted}: {type(error).__name__}: {error}"
        ) from error
    return module
