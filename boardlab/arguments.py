"""What is handed in from Python, checked at the door: whole numbers and texts, each refused with one sentence."""

from __future__ import annotations

import math
import operator
import reprlib

from boardlab.errors import BoardlabError

__all__ = ["shown", "text", "whole_number"]


def whole_number(value: object, what: str, low: int | None = None) -> int:
    """`value`, an int or an integer of NumPy, as an int that is not below `low`. `what` says what it is, for the
    message, as `the number of games`."""
    if not isinstance(value, bool):
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            if low is None or number >= low:
                return number
    bound = "" if low is None else f" from {low} on"
    raise BoardlabError(f"{what} is a whole number{bound}, not {shown(value)}")


def text(value: object, what: str) -> str:
    """`value`, which has to be a text; `what` begins the message, as `a game is named by a text`."""
    if not isinstance(value, str):
        raise BoardlabError(f"{what}, not {shown(value)}")
    return value


def shown(value: object) -> str:
    """A value of any kind in few words, for messages."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and value.bit_length() > 100:
        return f"about {'-' * (value < 0)}10^{round(value.bit_length() * math.log10(2))}"
    try:
        return " ".join(reprlib.repr(value).split())
    except Exception:  # somebody else's repr
        return f"a {type(value).__name__}"
