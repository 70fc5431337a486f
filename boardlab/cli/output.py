"""What the commands share: the console they print to, and how long work is waited for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from boardlab.errors import BoardlabError, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "interruptible", "print_json", "read_options", "table"]

Result = TypeVar("Result")


def console() -> Console:
    """Where commands print to: colours only where the output is a terminal, and no guessing what to highlight."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def table(*columns: str) -> Table:
    """An empty table in the style of all our tables; a column whose title begins with `>` has numbers, which
    are right-aligned and never cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for title in columns:
        if title.startswith(">"):
            made.add_column(title.removeprefix(">"), justify="right", min_width=10 if title.endswith("/s") else None)
        else:
            made.add_column(title)
    return made


def read_options(options: Sequence[str], example: str) -> dict[str, str]:
    """Options as they are written after -o, name=value, each once."""
    found: dict[str, str] = {}
    for option in options:
        name, equals, value = (part.strip() for part in option.partition("="))
        if not equals or not name:
            raise BoardlabError(f"an option is written name=value, such as -o {example}, not {printable(option)!r}")
        if name in found:
            raise BoardlabError(f"the option {printable(name)} is given twice; say it once")
        found[name] = value
    return found


def print_json(value: Any) -> None:
    """Print a result for other programs."""
    print(json.dumps(value, indent=2))


def interruptible(work: Callable[..., Result], *arguments: Any) -> Result:
    """The result of `work(*arguments)`, done in another thread: compiled code does not hear Ctrl-C until it
    returns, the waiting main thread does."""
    future: Future[Result] = Future()

    def do_it() -> None:
        try:
            future.set_result(work(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=do_it, daemon=True).start()
    return future.result()
