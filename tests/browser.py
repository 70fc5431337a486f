"""Fixtures for tests in a real browser: an arena as the command line starts it, and pages of a headless Chromium.

Chromium is Debian's (`apt-get install chromium`), driven by Playwright from PyPI. Where one of them is missing, the
tests are skipped and say what to install.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["SLOW", "arena", "chromium", "open_arena", "open_page", "page", "phone"]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
"""Run as root, without a screen, and without looking for the internet."""

SLOW = 240_000
"""Milliseconds that compiling may take where the cache is cold: trainings step back while others need the cores."""


@contextlib.contextmanager
def open_arena(data: Path, *options: str) -> Iterator[str]:
    """The address of an arena of its own, as `boardlab arena` opens it; it is closed as Ctrl-C does."""
    boardlab = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]
    command = [*boardlab, "arena", "--data", str(data), "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(r"http://\S+", line):
                break
        else:
            pytest.fail(f"the arena did not open: {said}")
        try:
            yield found.group().rstrip("/")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the arena that all browser tests share; what a test makes there has a name of its own."""
    with open_arena(tmp_path_factory.mktemp("arena")) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless Chromium. While it is open Playwright's event loop runs, so tests with one of their own must not come
    before it is closed."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="browser tests need Playwright: pip install playwright"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("browser tests need Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        except playwright.Error as error:
            pytest.skip(f"Chromium at {path} does not start: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@contextlib.contextmanager
def open_page(chromium: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page in a context of its own. Errors in its scripts fail the test; a request that the server refuses is told
    on the console as well, but it is the page's business to show it."""
    context = chromium.new_context(base_url=address, **options)
    context.set_default_timeout(60_000)
    crashes: list[str] = []
    told: list[tuple[str, str]] = []  # where and what
    refused: set[str] = set()
    page = context.new_page()
    page.on("pageerror", lambda error: crashes.append(str(error)))
    page.on("console", lambda said: told.append((said.location["url"], said.text)) if said.type == "error" else None)
    page.on("response", lambda answer: refused.add(answer.url) if 400 <= answer.status < 500 else None)
    yield page
    context.close()
    errors = crashes + [text for where, text in told if where not in refused]
    assert not errors, errors


@pytest.fixture
def page(chromium: Any, arena: str) -> Iterator[Any]:
    """A page on a desktop screen; `page.goto("/#/train")` opens a view."""
    with open_page(chromium, arena, viewport={"width": 1280, "height": 800}) as made:
        yield made


@pytest.fixture
def phone(chromium: Any, arena: str) -> Iterator[Any]:
    """A page on a small phone, with touch."""
    with open_page(chromium, arena, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True) as made:
        yield made
