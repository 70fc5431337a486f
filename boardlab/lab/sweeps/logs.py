"""How far a run of a sweep is, by its log: whoever carries it out writes there about once a second."""

from __future__ import annotations

import time
from pathlib import Path

__all__ = ["episodes_said", "is_fresh", "last_words"]

_TAIL = 300
_FRESH_SECONDS = 120.0
"""A long evaluation says nothing while it lasts."""
_LAST_WORDS = ("finished", "stopped", "failed")


def last_words(log: Path) -> str:
    """The last line of a log, without the time; empty where there is none."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _TAIL))
            last = stream.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    except OSError:
        return ""
    return last.partition(" ")[2]


def episodes_said(words: str) -> tuple[int, int] | None:
    """How many episodes are done, and of how many, in words such as `1,200 of 2,000 episodes ...`."""
    done, of, rest = words.partition(" of ")
    try:
        return (int(done.replace(",", "")), int(rest.split()[0].replace(",", ""))) if of else None
    except (ValueError, IndexError):
        return None


def is_fresh(log: Path, words: str) -> bool:
    """Whether somebody seems to be at the run: its log grew a moment ago, and does not say that it ended."""
    try:
        age = time.time() - log.stat().st_mtime
    except OSError:
        return False
    return age < _FRESH_SECONDS and not words.startswith(_LAST_WORDS)
