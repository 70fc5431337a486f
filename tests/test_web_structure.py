"""How the arena's modules hang together: imports go one way, from module to module and from folder to folder."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import boardlab.web

ROOT = Path(boardlab.web.__file__).parent
PREFIX = "boardlab.web."


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


MODULES = {module_name(path): ast.parse(path.read_text()) for path in ROOT.rglob("*.py") if path.stem != "__init__"}


def imported(tree: ast.Module) -> set[str]:
    """The arena's modules that a module imports anywhere, for its types alone or within a function too."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names} | {node.module for node in nodes}
    return {name.removeprefix(PREFIX) for name in names if name and name.startswith(PREFIX)} & set(MODULES)


IMPORTS = {name: imported(tree) for name, tree in MODULES.items()}


def test_the_imports_were_found() -> None:
    assert "server.errors" in IMPORTS["library.forms"] and "routes.play" in IMPORTS["app"]


def test_no_module_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(IMPORTS).prepare()  # raises CycleError, which tells the circle


def test_no_folder_imports_itself_by_way_of_others() -> None:
    folders: dict[str, set[str]] = {}
    for name, others in IMPORTS.items():
        folder = name.partition(".")[0]
        folders.setdefault(folder, set()).update({other.partition(".")[0] for other in others} - {folder})
    TopologicalSorter(folders).prepare()


def test_parts_do_not_know_who_puts_them_together() -> None:
    assert {name for name, others in IMPORTS.items() if "arena" in others} == {"app"}
