"""What the documentation shows, works. In README.md and docs/*.md, all in one folder and one namespace per document:

* a `python` block is run;
* a `python` block that begins with `# file: NAME` is written to that file instead; one that begins with
  `# add to NAME` is appended to it, and with `# add to CLASS in NAME` too, as methods of CLASS, the last one there;
* in a `console` block, a line `$ boardlab ...` is run and must succeed; the lines below it are its output, where
  `...` stands for anything;
* in a `sh` block of a page about learning, a line `boardlab train GAME ...` is not run, but its learner is made.
"""

from __future__ import annotations

import doctest
import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from boardlab import make
from boardlab.cli.main import app
from boardlab.components.component import parameters_of
from boardlab.lab.planning import new_learner
from boardlab.lab.wish import TrainingWish
from boardlab.learn.algorithms.base import algorithm_classes

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/algorithms").glob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"# (file:|add to)( \w+ in)? (\S+)\n")
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def run_python(block: str, line: int, document: Path, names: dict[str, Any]) -> None:
    saved = SAVED.match(block)
    if saved:
        file = Path(saved[3])
        before = "" if saved[1] == "file:" else file.read_text() + "\n"
        file.write_text(before + (textwrap.indent(block, "    ") if saved[2] else block))
    else:
        code = compile("\n" * line + block, str(document), "exec")
        exec(code, names)


def run_console(block: str) -> None:
    for command, wanted in commands(block):
        program, *arguments = shlex.split(command)
        assert program == "boardlab"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{command}: {result.output}"
        if not doctest.OutputChecker().check_output(wanted, result.stdout, OUTPUT):
            pytest.fail(f"$ {command}\nprinted\n{result.stdout}\nand not\n{wanted}")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_document(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if document.name == "ecosystem.md":
        for package in ("gymnasium", "pettingzoo", "pyspiel"):
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "document"}
    for found in BLOCK.finditer(text):
        language, block = found.groups()
        if language == "python":
            run_python(block, text[: found.start()].count("\n") + 1, document, names)
        elif language == "console":
            run_console(block)


def trainings() -> Iterator[tuple[str, str]]:
    """The trainings that pages about learning show without running them."""
    for document in DOCUMENTS:
        if document.parent.name == "algorithms" or document.stem in ("learning", "replay"):
            for language, block in BLOCK.findall(document.read_text(encoding="utf-8")):
                if language == "sh":
                    yield from ((document.stem, line) for line in block.splitlines())


@pytest.mark.parametrize(("page", "line"), list(trainings()))
def test_a_training_of_a_page_makes_its_learner(page: str, line: str) -> None:
    program, command, spec, *options = shlex.split(line)
    assert (program, command) == ("boardlab", "train")
    wish: dict[str, Any] = {"options": {}}
    for option, value in zip(options[::2], options[1::2], strict=True):
        if option == "-o":
            wish["options"].update([value.split("=", 1)])
        else:
            assert option in ("--agent", "--preset")
            wish[option[2:]] = value
    agent = new_learner(make(spec), TrainingWish(seed=1, **wish))
    assert page in ("learning", "replay", "td-farl", agent.parameters.algorithm)  # type: ignore[attr-defined]


def test_every_algorithm_has_a_page() -> None:
    assert {path.stem for path in DOCUMENTS if path.parent.name == "algorithms"} == set(algorithm_classes())


SECTIONS = ["How it learns", "Parameters", "When to take it", "What is refused", "What it reached here"]


@pytest.mark.parametrize("name", sorted(algorithm_classes()))
def test_the_page_of_an_algorithm_has_all_its_sections(name: str) -> None:
    """And names every parameter that the algorithm has of its own."""
    text = (ROOT / "docs" / "algorithms" / f"{name}.md").read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == SECTIONS
    for parameter in parameters_of(algorithm_classes()[name]):
        assert parameter in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_every_table_has_rows(document: Path) -> None:
    lines = document.read_text(encoding="utf-8").splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        assert not re.fullmatch(r"\|( ?:?-+:? ?\|)+", line) or following.startswith("|"), line


def test_the_game_of_the_guide_is_about_40_lines_long() -> None:
    guide = (ROOT / "docs" / "your-own-game.md").read_text(encoding="utf-8")
    game = next(block for _, block in BLOCK.findall(guide) if block.startswith("# file: chomp.py"))
    lines = [line for line in game.splitlines()[1:] if line.strip()]
    assert len(lines) <= 45


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (document.parent / target).exists(), target
