"""Ids of live games, files, runs, records and matches."""

from __future__ import annotations

import hashlib
import secrets
import string

__all__ = ["id_of", "new_id"]

_LETTERS = string.ascii_lowercase + string.digits


def new_id() -> str:
    """An id that nobody can guess: 12 characters a-z and 0-9."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def id_of(origin: str) -> str:
    """The id of what comes from `origin`: always the same one, which nobody can guess who does not know it."""
    return hashlib.sha256(origin.encode()).hexdigest()[:12]
