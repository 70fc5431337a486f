"""What is only installed by those who use it: a missing package is one sentence with the command that installs it."""

from __future__ import annotations

from boardlab.errors import BoardlabError

__all__ = ["missing"]

_PACKAGES = ("gymnasium", "pettingzoo", "pyspiel", "open_spiel")


def missing(error: ImportError, extra: str) -> Exception:
    """What to raise where the package of an extra cannot be imported; the error itself where it is another one."""
    package = (error.name or "").partition(".")[0]
    if package not in _PACKAGES:
        return error
    return BoardlabError(f"this needs {package}, which is not installed: pip install 'boardlab[{extra}]'")
