"""What goes wrong by a person's hand: every message says what was wrong and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BoardlabError", "IllegalAction", "UnknownName", "unknown_name"]


class BoardlabError(ValueError):
    """A mistake of the user; the command line prints its sentence without a traceback."""


class IllegalAction(BoardlabError):
    """An action that the rules do not allow in this position."""


class UnknownName(BoardlabError):
    """A name that nothing answers to."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that is not among `known`, with the nearest one suggested."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    listed = ", ".join(names) if names else "none"
    return UnknownName(f"there is no {kind} {name!r}{hint} Known: {listed}")
