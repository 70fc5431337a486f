"""Ids of live games, files, runs, records and matches."""

from __future__ import annotations

import secrets
import string

__all__ = ["new_id"]

_LETTERS = string.ascii_lowercase + string.digits


def new_id() -> str:
    """An id that nobody can guess: 12 characters a-z and 0-9."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))
