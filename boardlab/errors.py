"""What goes wrong by a person's hand: every message says what was wrong and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BoardlabError", "IllegalAction", "UnknownName", "printable", "unknown_name"]


class BoardlabError(ValueError):
    """A mistake of the user; the command line prints its sentence without a traceback."""


class IllegalAction(BoardlabError):
    """An action that the rules do not allow in this position."""


class UnknownName(BoardlabError):
    """A name that nothing answers to."""


def printable(value: object, most: int = 200) -> str:
    """A value from outside as a part of a sentence: on one line, no control characters, not too long."""
    try:
        text = str(value)
    except ValueError:  # Python refuses to write whole numbers of thousands of digits
        return "a number that is too long to be written"
    text = text if text.isprintable() else repr(text)[1:-1]
    return text if len(text) <= most else f"{text[:most]}..."


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that is not among `known`, with the nearest one suggested."""
    names = list(known)
    near = difflib.get_close_matches(name[:100], names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    listed = ", ".join(names) if names else "none"
    return UnknownName(f"there is no {kind} '{printable(name)}'{hint} Known: {listed}")
