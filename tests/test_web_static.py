"""The files of the page: what one names is there, what is there is named, and all of it is part of the package."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "boardlab" / "web" / "static"
PAGES = ["index.html", "api_docs/api_docs.html"]
FROM_PLOTLY = "plotly.min.js"


def addresses(page: str) -> list[str]:
    """The files that a page asks for, relative to the folder."""
    return re.findall(r'(?:href|src)="/static/([^"]*)"', (STATIC / page).read_text())


def imports(module: str, lazily: bool = False) -> list[str]:
    """The modules that a module imports; `lazily` also those that it loads when they are needed."""
    text = (STATIC / module).read_text()
    named = re.findall(r'^import .* from "([^"]*)";', text, re.MULTILINE)
    if lazily:
        named += re.findall(r'import\("([^"]*)"\)', text)
        workers = re.findall(r'new SharedWorker\("/static/([^"]*)"', text)
        named += [os.path.relpath(name, Path(module).parent) for name in workers]
    return [os.path.normpath(f"{Path(module).parent}/{name}") for name in named]


def reached(modules: list[str], lazily: bool = False) -> set[str]:
    """These modules and all that they import, directly or not."""
    found: set[str] = set()
    while modules:
        module = modules.pop()
        if module not in found:
            found.add(module)
            modules += imports(module, lazily)
    return found


def test_every_file_is_named_and_every_name_is_a_file() -> None:
    named = {name for page in PAGES for name in addresses(page)}
    scripts = reached([name for name in named if name.endswith(".js")], lazily=True)
    there = {str(path.relative_to(STATIC)) for path in STATIC.glob("**/*") if path.is_file()}
    assert named | scripts | set(PAGES) == there


def test_the_first_page_is_loaded_at_once() -> None:
    """All that the shell and the gallery import is asked for by the page, not module by module."""
    html = (STATIC / "index.html").read_text()
    preloaded = re.findall(r'rel="modulepreload" href="/static/([^"]*)"', html)
    assert set(preloaded) == reached(["play/play.js", *imports("shell/main.js")])
    assert len(preloaded) == len(set(preloaded))


@pytest.mark.parametrize("path", sorted(STATIC.glob("**/*.js")), ids=lambda path: path.stem)
def test_addresses_in_scripts_are_files(path: Path) -> None:
    for name in re.findall(r'"/static/([^"]*)"', path.read_text()):
        assert name == FROM_PLOTLY or (STATIC / name).is_file(), name


def test_no_class_is_styled_in_two_sheets() -> None:
    """Else the look of one view spoils another one, as that of the n-tuples once did."""
    sheets: dict[str, set[str]] = {}
    for sheet in STATIC.glob("styles/*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in map(str.strip, selectors.split(",")):
                if re.fullmatch(r"\.[\w-]+", selector):
                    sheets.setdefault(selector, set()).add(sheet.name)
    assert len(sheets) > 100
    assert not {name: found for name, found in sheets.items() if len(found) > 1}


def test_the_package_has_every_file() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["boardlab"]
    packed = {path for pattern in patterns for path in (ROOT / "boardlab").glob(pattern)}
    assert {path for path in STATIC.glob("**/*") if path.is_file()} <= packed
