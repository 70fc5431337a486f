"""The drawing of the house holds: every import leads to the same row of the table in docs/architecture.md or to a row
above it. And what the code cites is in that document's list of papers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "boardlab"
DRAWING = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

EXCEPTIONS: dict[tuple[str, str], str] = {}
BY_NAME = {("game", "boardlab.check.guard"), ("registry", "boardlab.engines.openspiel_game")}
"""Modules that are loaded by their name, as the drawing says."""


def rows() -> list[list[str]]:
    """The rooms of each row of the first table, from top to bottom."""
    table = DRAWING.partition("| rooms |")[2].partition("\n\n")[0]
    return [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:]]


ROW = {room: number for number, rooms in enumerate(rows()) for room in rooms}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def imported(tree: ast.AST) -> Iterator[str]:
    """All modules that are imported from boardlab, anywhere in the text: `boardlab.ROOM...`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("boardlab"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            if node.module == "boardlab":
                yield from (f"boardlab.{name.name}" for name in node.names if name.name != "__version__")
            elif (node.module or "").startswith("boardlab."):
                yield node.module or ""


def named(tree: ast.AST) -> Iterator[str]:
    """All modules of boardlab that are loaded by a name in quotes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            name = node.args[0]
            if isinstance(name, ast.Constant) and str(name.value).startswith("boardlab."):
                yield str(name.value)


def test_the_drawing_shows_every_room_once() -> None:
    drawn = [room for rooms in rows() for room in rooms]
    assert len(drawn) == len(set(drawn)) > 20
    assert set(drawn) - {"__main__"} == {room_of(path) for path in modules()} - {"__main__"}


def test_no_room_imports_against_the_drawing() -> None:
    wrong, used = [], set()
    for path in modules():
        room = room_of(path)
        for module in imported(ast.parse(path.read_text(encoding="utf-8"))):
            other = module.split(".")[1] if "." in module else ""
            if other not in ROW:
                wrong.append(f"{path.relative_to(ROOT)} imports {module}: import it from its room")
            elif ROW[other] > ROW[room] and (room, other) in EXCEPTIONS:
                used.add((room, other))
            elif ROW[other] > ROW[room]:
                wrong.append(f"{path.relative_to(ROOT)} imports {module}, a room below its own")
    assert wrong == []
    assert used == set(EXCEPTIONS), "an exception that is not needed any more"


def test_few_modules_are_loaded_by_their_name() -> None:
    found = {(room_of(path), name) for path in modules() for name in named(ast.parse(path.read_text("utf-8")))}
    assert found == BY_NAME


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import boardlab.cli.main", ["boardlab.cli.main"]),
        ("from boardlab.web.app import create_app", ["boardlab.web.app"]),
        ("def f():\n    from boardlab import drawing, make", ["boardlab.drawing", "boardlab.make"]),
        ("from boardlab import __version__\nimport boardlabel, numpy", []),
    ],
)
def test_imports_are_read(text: str, expected: list[str]) -> None:
    assert [name for name in imported(ast.parse(text)) if not name.startswith("boardlabel")] == expected


# ------------------------------------------------------------ papers

CITATION = re.compile(r"([A-Z][a-zé]+)(?: et al\.|(?:, [A-Z]\w+)* and [A-Z]\w+)?,? ((?:19|20)\d\d)\b")
NOT_PAPERS = {"Python", "Table", "January", "November"}


def citations(text: str) -> set[tuple[str, str]]:
    """First author and year of everything that a text cites, as in `Kocsis and Szepesvari 2006`."""
    return {(author, year) for author, year in CITATION.findall(text) if author not in NOT_PAPERS}


def test_every_paper_that_is_cited_is_listed() -> None:
    papers = DRAWING.partition("## Papers")[2]
    files = [
        *PACKAGE.rglob("*.py"),
        *PACKAGE.rglob("*.toml"),
        *(ROOT / "tests").glob("*.py"),
        *ROOT.glob("docs/**/*.md"),
    ]
    cited = {found for path in files for found in citations(path.read_text(encoding="utf-8"))}
    assert ("Kocsis", "2006") in cited and ("Thill", "2015") in cited
    missing = {(a, y) for a, y in cited if not re.search(rf"^\* .*{a}\b[^:]*{y}:", papers, re.MULTILINE)}
    assert missing == set()


def test_nothing_cites_what_a_reader_cannot_find() -> None:
    lost = re.compile(r"\bseed (papers?|documents?)\b|\.\./shared|REFERENCE\.md|\bthe thesis\b|2012 paper")
    here = Path(__file__).resolve()
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), *(ROOT / "tests").glob("*.py"), *ROOT.glob("**/*.md")]
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in files
        if path.resolve() != here and not {".venv", "node_modules"} & set(path.parts)
        for match in lost.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
