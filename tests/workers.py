"""How the processes that run the tests share the work: who gets which file, in which order, and that nothing is
compiled by two of them at once."""

from __future__ import annotations

import fcntl
import hashlib
from pathlib import Path
from typing import Any

import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from boardlab.compiler import cache_folder

__all__ = ["compile_once", "longest_first", "make_scheduler"]

BROWSER = "test_browser_"
"""Files that one process has together: they share an arena and what was compiled there."""
LONG = (
    *("test_docs.py", "test_guards.py", "test_algorithms.py", "test_cli_train.py", "test_features.py", "test_check.py"),
    *("test_web_runs.py", "test_web_fuzz.py", "test_compile.py", "test_wheel.py", "test_wrong_games.py"),
    *("test_adapters_vector.py", "test_wrappers.py", "test_learners.py", "test_episode.py", "test_web_tournaments.py"),
)
"""Files that take long: begun at the end, one of them would be waited for."""


def make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file to a process, as `--dist loadfile` does, but for those in a browser; in the order of the tests."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return BROWSER if Path(file).name.startswith(BROWSER) else file

    config.option.loadscopereorder = False
    return OneBrowser(config, log)


def longest_first(items: list[pytest.Item]) -> None:
    """Put the tests in a browser first, which wait much, then the long files, then all others."""

    def rank(item: pytest.Item) -> int:
        name = item.path.name
        return -1 if name.startswith(BROWSER) else LONG.index(name) if name in LONG else len(LONG)

    items.sort(key=rank)


def compile_once() -> None:
    """Let who needs a kernel that another process is just compiling wait for it, and find it in the cache. The lock of
    this process comes first, and kernels call each other in one direction only, so nobody waits for ever."""
    compile_it = Dispatcher.compile

    def compile_alone(dispatcher: Any, signature: Any) -> Any:
        if dispatcher._cache.cache_path is None:
            return compile_it(dispatcher, signature)
        kernel = f"{dispatcher.py_func.__module__} {dispatcher.py_func.__qualname__} {signature}"
        folder = cache_folder() / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        with global_compiler_lock, (folder / hashlib.sha256(kernel.encode()).hexdigest()[:16]).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return compile_it(dispatcher, signature)

    Dispatcher.compile = compile_alone
